"""Reliability diagrams on the page: a panel a model, and of classes a panel a question."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._text import count_of_cases, listed, printable
from properly.plots._axes import reach_of
from properly.report._chart import (
    PANEL,
    SMALL_PANEL,
    Chart,
    Spec,
    Table,
    facet,
    model_color,
    model_dash,
    only_shown,
    short,
    shown,
    thinned,
)
from properly.report._words import few, percent, score_in_words

if TYPE_CHECKING:
    from properly.calibration._decomposition import ClassDecomposition, Decomposition
    from properly.calibration._reliability import Reliability
    from properly.evaluation._record import Evaluation
    from properly.typing import Column


Row: TypeAlias = dict[str, Any]

# Of classes: how many stand in a row, and how many make even rows of three.
CLASS_COLUMNS, BY_THREE = 4, (3, 5, 6, 9)
# Bins of all curves together, so that many panels do not make a large page.
ALL_BINS, FEWEST_BINS, CLASS_BAND_POINTS = 1500, 15, 40
MOST_ROWS = 30
QUESTION = {
    "ordinal": "Each panel asks of every case: was it this class or a higher one?",
    "multiclass": "Each panel asks of every case: was it this class?",
}
CLASS_LEAD = (
    "The line says how often the answer was yes after each forecast of it. On the diagonal "
    "forecasts mean what they say; below it yes came less often than was said, above it more "
    "often. Axes end where the forecasts of a panel do."
)
BAND = (
    "In the grey band the line of calibrated forecasts would run, at each point in {level} of "
    "samples; somewhere, most lines leave it by chance. MCB is what recalibration would save at "
    "most, DSC what the forecasts know."
)
# One band after the other can be read, not several at once.
SEVERAL = "One line is one model. Switch all but one off to see where chance could have led it."
TOOLTIP: list[Spec] = [
    {"field": "model", "type": "nominal", "title": "model"},
    {"field": "x", "type": "quantitative", "title": "forecasts from", "format": ".1%"},
    {"field": "x2", "type": "quantitative", "title": "to", "format": ".1%"},
    {"field": "cases", "type": "nominal", "title": "cases"},
    {"field": "y", "type": "quantitative", "title": "how often it happened", "format": ".1%"},
]
# Panels of an event in a row.
COLUMNS = 3
# Events rarer than this are looked at on the scale of roots.
RARE = 0.1
TICKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)
# Shares of an axis between two ticks: numbers must not touch.
APART = 0.13
# The tallest bar of forecasts, in shares of the panel, and how many bars there are at most.
TALLEST, BARS = 0.16, 24
BAND_POINTS, BIN_POINTS = 120, 100
# The smooth curve, and the ends of its band.
SMOOTH_LINES = (("height", 0.9, [1, 0]), ("low", 0.8, [1, 3]), ("high", 0.8, [1, 3]))
END: Spec = {"field": "x2"}
UNSEEN: Spec = {"opacity": 0, "clip": True}
LEAD = (
    "Each panel is one model. The line says how often the event happened after each forecast. On "
    "the diagonal forecasts mean what they say; below it the event came less often than was said, "
    "above it more often. In the grey band the line of calibrated forecasts would run, at each "
    "point in {level} of samples; somewhere, most lines leave it by chance. Bars at the bottom "
    "show where the forecasts are. The thin dark line is a smooth curve of the same, and dots are "
    "the ends of its {level} band. MCB is what recalibration would save of the {score} at most, "
    "DSC what the forecasts know."
)
TIMES = (
    "Bands allow for dependence in time: the outcomes behind them depend on their neighbours as "
    "much as these did."
)


def allows_for_time(record: Reliability) -> bool:
    """Tell whether a band allows for dependence in time."""
    return record.band is not None and record.dependence is not None


def class_reliability_chart(evaluation: Evaluation) -> Chart | None:
    """Draw how often each answer was yes after each forecast of it, one panel a question."""
    records = evaluation.reliability
    if not records:
        return None
    questions = list(next(iter(records.values())))
    names = list(records)
    banded = any(x.band is not None for by_name in records.values() for x in by_name.values())
    several = SEVERAL if banded else "One line is one model."
    band = BAND.format(level=f"{100 * evaluation.level:g} %")
    more = ([several] if len(names) > 1 else []) + ([band] if banded else [])
    if any(allows_for_time(x) for by_name in records.values() for x in by_name.values()):
        more.append(TIMES)
    return Chart(
        name="reliability",
        title="Reliability: do forecasts mean what they say?",
        lead=" ".join([QUESTION[evaluation.task], CLASS_LEAD, *more]),
        spec=_class_spec(names, questions, _class_rows(evaluation, questions)),
        alt=_class_alt(evaluation, questions),
        table=_class_table(evaluation, questions),
        wide=True,
    )


def _class_rows(evaluation: Evaluation, questions: list[str]) -> list[Row]:
    """Lay out all that the panels show as rows of one table."""
    records = evaluation.reliability
    most = max(ALL_BINS // (len(records) * len(questions)), FEWEST_BINS)
    rows: list[Row] = []
    for k, question in enumerate(questions):
        end = _end(evaluation, question)
        ends = (0, short(end))
        rows += [{"question": k, "kind": "diagonal", "x": x, "y": x} for x in ends]
        for name, by_question in records.items():
            of_panel = {"question": k, "model": name}
            record = by_question[question]
            curve = _bins(record, Frame(end, root=False), most, ranged=False)
            more = _class_band(record, end) + _class_note(evaluation, name, question)
            rows += [of_panel | row for row in curve + more]
    return rows


def _end(evaluation: Evaluation, question: str) -> float:
    """Return how far forecasts and event rates of a question reach."""
    records = [by_question[question] for by_question in evaluation.reliability.values()]
    return float(max(max(x.value[-1], x.bins.event_rate[-1]) for x in records)) or 1.0


def _class_band(record: Reliability, end: float) -> list[Row]:
    """Return the band where there are forecasts; beyond them nothing is claimed."""
    if record.band is None:
        return []
    grid = np.linspace(record.value[0], record.value[-1], CLASS_BAND_POINTS)
    lower, upper = record.band.at(grid)
    defined = ~(np.isnan(lower) | np.isnan(upper))
    columns = (column[defined].tolist() for column in (grid, lower, np.minimum(upper, end)))
    return [
        {"kind": "band", "x": short(x), "y": short(low), "y2": short(high)}
        for x, low, high in zip(*columns, strict=True)
    ]


def _class_note(evaluation: Evaluation, name: str, question: str) -> list[Row]:
    part = _part(evaluation, name, question)
    if part is None:
        return []
    note = f"MCB {few(part.miscalibration)} · DSC {few(part.discrimination)}"
    return [{"kind": "note", "note": note}]


def _part(evaluation: Evaluation, name: str, question: str) -> Decomposition | None:
    """Find what the score of a question is made of, by the first rule that asks it."""
    record: ClassDecomposition
    for record in evaluation.decompositions[name].values():
        if question in record:
            return record[question]
    return None


def _class_spec(names: list[str], questions: list[str], rows: list[Row]) -> Spec:
    axis = {"format": ".4~%", "tickCount": 4}
    place: Spec = {"type": "quantitative", "axis": axis, "scale": {"zero": True, "nice": False}}
    x = {"field": "x", "title": "forecast"} | place
    y = {"field": "y", "title": "how often it happened"} | place
    labels = {"name": "questions", "value": [printable(question) for question in questions]}
    columns = COLUMNS if len(questions) in BY_THREE else CLASS_COLUMNS
    size = PANEL if columns == COLUMNS else SMALL_PANEL
    return {
        "params": [shown(names), labels],
        "data": {"values": rows},
        "facet": facet("question", "questions", size),
        "columns": columns,
        "resolve": {
            "scale": {"x": "independent", "y": "independent"},
            "axis": {"x": "independent", "y": "independent"},
        },
        "spec": {
            "width": size,
            "height": size,
            "encoding": {"x": x, "y": y},
            "layer": _class_layers(names),
        },
    }


def _class_layers(names: list[str]) -> list[Spec]:
    ink: Spec = {"color": "currentColor"}
    color, dash = model_color(names), model_dash(names)
    corners: list[Spec] = [
        {"calculate": "[datum.x, datum.x2]", "as": "corner"},
        {"flatten": ["corner"]},
    ]
    line = {"x": {"field": "corner"}, "color": color, "strokeDash": dash}
    end = {"field": "x2"}
    return [
        _class_layer(
            "band",
            {"type": "area"} | ink,
            y2={"field": "y2"},
            detail={"field": "model", "type": "nominal"},
            opacity=_alone(0.16),
        ),
        {
            "transform": [{"filter": "datum.kind == 'diagonal'"}],
            "mark": {"type": "line", "opacity": 0.5, "strokeDash": [4, 3]} | ink,
        },
        _class_layer("bin", {"type": "line", "strokeWidth": 1.6}, *corners, **line),
        _class_layer(
            "bin", {"type": "point", "filled": True, "size": 12, "opacity": 1}, color=color
        ),
        # What a pointer finds is wider than what the eye sees.
        _class_layer(
            "bin", {"type": "rule", "strokeWidth": 12, "opacity": 0}, x2=end, tooltip=TOOLTIP
        ),
        _class_layer(
            "bin", {"type": "point", "size": 120, "opacity": 0, "filled": True}, tooltip=TOOLTIP
        ),
        _class_layer(
            "note",
            {"type": "text", "align": "left", "baseline": "top"} | ink,
            opacity=_alone(0.8),
            x={"value": 6},
            y={"value": 5},
            text={"field": "note", "type": "nominal"},
        ),
    ]


def _class_layer(kind: str, mark: Spec, *steps: Spec, **encoding: Any) -> Spec:
    """Draw the rows of one kind, of models that are switched on; places are those of the panel."""
    kept = [only_shown(), {"filter": f"datum.kind == '{kind}'"}, *steps]
    return {"transform": kept, "mark": mark, "encoding": encoding}


def _alone(opacity: float) -> Spec:
    """Show only what belongs to a single model; a filter would leave scales without data."""
    return {"condition": {"test": "length(shown) == 1", "value": opacity}, "value": 0}


def _class_alt(evaluation: Evaluation, questions: list[str]) -> str:
    sentences = []
    for name, by_question in evaluation.reliability.items():
        apart = {q: r.mean_forecast - r.event_rate for q, r in by_question.items()}
        worst = max(apart, key=lambda question: abs(apart[question]))
        said, was = by_question[worst].mean_forecast, by_question[worst].event_rate
        sentences.append(
            f"Of {printable(name)} mean forecast and frequency differ most for the question "
            f"{printable(worst)}: {percent(said)} forecast, {percent(was)} happened."
        )
    return f"Panels for {listed(questions)}. {' '.join(sentences[:2])}"


def _class_table(evaluation: Evaluation, questions: list[str]) -> Table:
    rows = []
    for question in questions:
        for name, by_question in evaluation.reliability.items():
            record, part = by_question[question], _part(evaluation, name, question)
            rates = (percent(x, 3) for x in (record.mean_forecast, record.event_rate))
            parts = (getattr(part, x, math.nan) for x in ("miscalibration", "discrimination"))
            numbers = (few(x, 3) for x in parts)
            rows.append((printable(question), printable(name), *rates, *numbers))
    head = ("question", "model", "mean forecast", "how often it happened", "MCB", "DSC")
    return Table(head, tuple(rows[:MOST_ROWS]))


class Frame(NamedTuple):
    """What both axes show: from 0 up to this, and whether on the scale of roots."""

    top: float
    root: bool

    def at(self, share: float) -> float:
        """Return what lies so high in the picture."""
        return self.top * (share**2 if self.root else share)

    def place(self, x: Column) -> Column:
        """Return how high some numbers lie in the picture, in shares of it."""
        share: Column = np.sqrt(x / self.top) if self.root else x / self.top
        return share

    def along(self, x: Column, y: Column) -> Column:
        """Return how far along an increasing curve some points lie, to the right and up."""
        return self.place(x) + self.place(y)

    @property
    def scale(self) -> Spec:
        """The scale of either axis."""
        linear: Spec = {"domain": [0, short(self.top)], "nice": False}
        return linear | ({"type": "sqrt"} if self.root else {})

    @property
    def axis(self) -> Spec:
        """What both axes have in common."""
        ticks = [0.0]
        for x in TICKS:
            if x <= self.top and math.sqrt(x / self.top) - math.sqrt(ticks[-1] / self.top) > APART:
                ticks.append(x)
        return {"format": ".4~%"} | ({"values": ticks} if self.root else {"tickCount": 5})


def reliability_chart(evaluation: Evaluation) -> Chart | None:
    """Draw how often the event happened after each forecast, one panel a model."""
    if not evaluation.reliability:
        return None
    records = evaluation.reliability
    frame = frame_of(records.values(), evaluation.event_rate)
    rows = [
        {"model": name, "panel": k} | row
        for k, name in enumerate(records)
        for row in [
            *_rows(records[name], frame, _note(evaluation, name)),
            *_smooth(evaluation, name),
        ]
    ]
    return Chart(
        name="reliability",
        title="Reliability: do forecasts mean what they say?",
        lead=_lead(evaluation, frame),
        spec=_spec(list(records), rows, frame),
        alt=_alt(evaluation),
        table=_table(evaluation),
        wide=True,
    )


def _lead(evaluation: Evaluation, frame: Frame) -> str:
    level = f"{100 * evaluation.level:g} %"
    lead = [LEAD.format(score=score_in_words(evaluation, evaluation.primary), level=level)]
    if _has_corrected(evaluation):
        lead.append("Both are biased upwards; the table of scores has them corrected.")
    if any(map(allows_for_time, evaluation.reliability.values())):
        lead.append(TIMES)
    if frame.root:
        lead.append("Both axes have a square-root scale.")
    return " ".join(lead)


def frame_of(records: Any, event_rate: float) -> Frame:
    """Show both axes up to 1, or as far as forecasts and event rates reach."""
    return Frame(reach_of(records), event_rate < RARE)


def _note(evaluation: Evaluation, name: str) -> str:
    parts = evaluation.decompositions[name][evaluation.primary]
    numbers = f"MCB {few(parts.miscalibration)} · DSC {few(parts.discrimination)}"
    return f"{numbers}{' (uncorrected)' if _has_corrected(evaluation) else ''}"


def _has_corrected(evaluation: Evaluation) -> bool:
    """Return whether the table of scores has parts that are corrected for their bias."""
    return any(x[evaluation.primary].intervals for x in evaluation.decompositions.values())


def _rows(record: Reliability, frame: Frame, note: str) -> list[Row]:
    """Lay out all that a panel shows as rows of one table."""
    end = short(frame.top)
    return [
        {"kind": "diagonal", "x": 0, "y": 0},
        {"kind": "diagonal", "x": end, "y": end},
        {"kind": "note", "note": note},
        *_band(record),
        *_bars(record, frame),
        *_curve(record, frame),
        *_bins(record, frame),
    ]


def _smooth(evaluation: Evaluation, name: str) -> list[Row]:
    """Return the smooth curve and its band as lists, cut at 0 and 1; none where there is none."""
    smooth = evaluation.smooth[name]
    if smooth is None:
        return []
    columns = smooth.forecast, smooth.event_rate, smooth.lower, smooth.upper
    names = ("at", "height", "low", "high")
    lists = ([short(x) for x in np.clip(column, 0, 1).tolist()] for column in columns)
    return [{"kind": "smooth"} | dict(zip(names, lists, strict=True))]


def _band(record: Reliability) -> list[Row]:
    """Return the band where there are forecasts; beyond them nothing is claimed."""
    band = record.band
    if band is None:
        return []
    ends = record.value[[0, -1]]
    defined = ~(np.isnan(band.lower) | np.isnan(band.upper))
    inside = defined & (band.x > ends[0]) & (band.x < ends[1])
    x = np.concatenate([ends[:1], band.x[inside], ends[1:]])
    bounds = (np.interp(x, band.x[defined], bound[defined]) for bound in (band.lower, band.upper))
    columns = thinned(x, *bounds, most=BAND_POINTS)
    return [
        {"kind": "band", "x": short(x), "y": short(low), "y2": short(high)}
        for x, low, high in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _bars(record: Reliability, frame: Frame) -> list[Row]:
    """Draw bars whose areas, in the picture, are the numbers of forecasts."""
    lower, upper, weight = _fewer(record, frame)
    width = frame.place(np.minimum(upper, frame.top)) - frame.place(lower)
    # Relative to the narrowest, by whose width alone a number might be divided to no double.
    height = weight if record.discrete else weight * (width.min() / width)
    height = TALLEST * height / height.max()
    ends = (record.value, record.value) if record.discrete else (lower, upper)
    columns = (x.tolist() for x in (lower, np.minimum(upper, frame.top), weight, height, *ends))
    return [
        {
            "kind": "bar",
            "x": short(low),
            "x2": short(high),
            "y": 0,
            "y2": short(frame.at(tall)),
            "range": _range(first, last),
            "cases": count_of_cases(count),
        }
        for low, high, count, tall, first, last in zip(*columns, strict=True)
        if count
    ]


def _fewer(record: Reliability, frame: Frame) -> tuple[Column, Column, Column]:
    """Put bars of the histogram together into a few that are about equally wide."""
    bars = record.histogram
    lower = np.maximum(bars.lower, 0)
    if record.discrete:
        return lower, bars.upper, bars.weight
    step = np.floor(frame.place(lower) * BARS)
    first = np.flatnonzero(np.diff(step, prepend=-1))
    last = np.append(first[1:] - 1, len(step) - 1)
    return lower[first], bars.upper[last], np.add.reduceat(bars.weight, first)


def _curve(record: Reliability, frame: Frame) -> list[Row]:
    x, y = record.curve()
    columns = thinned(x, y, most=2 * BIN_POINTS, along=frame.along(x, y))
    return [
        {"kind": "curve", "x": short(x), "y": short(y)}
        for x, y in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _bins(
    record: Reliability, frame: Frame, most: int = BIN_POINTS, *, ranged: bool = True
) -> list[Row]:
    bins = record.bins
    along = frame.along(bins.x_min, bins.event_rate)
    columns = thinned(bins.x_min, bins.x_max, bins.weight, bins.event_rate, most=most, along=along)
    return [
        {
            "kind": "bin",
            "x": short(low),
            "x2": short(high),
            "y": short(rate),
            **({"range": _range(low, high)} if ranged else {}),
            "cases": count_of_cases(count),
        }
        for low, high, count, rate in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _range(low: float, high: float) -> str:
    return percent(low, 3) if low == high else f"{percent(low, 3)} to {percent(high, 3)}"


def _spec(names: list[str], rows: list[Row], frame: Frame) -> Spec:
    x: Spec = {"field": "x", "type": "quantitative", "title": "forecast"}
    y: Spec = {"field": "y", "type": "quantitative", "title": "how often it happened"}
    both = {"scale": frame.scale, "axis": frame.axis}
    return {
        "params": [shown(names), {"name": "names", "value": [printable(name) for name in names]}],
        "data": {"values": rows},
        "transform": [only_shown()],
        "facet": facet("panel", "names", PANEL),
        "columns": COLUMNS,
        # Axes in every panel: else they also stand where the last row has no panel.
        "resolve": {"axis": {"x": "independent", "y": "independent"}},
        "spec": {
            "width": PANEL,
            "height": PANEL,
            "encoding": {"x": x | both, "y": y | both},
            "layer": _layers(model_color(names)),
        },
    }


def _layers(color: Spec) -> list[Spec]:
    ink: Spec = {"color": "currentColor"}
    rate = {"field": "y", "type": "quantitative", "title": "how often it happened"}
    where = [
        {"field": "model", "type": "nominal", "title": "model"},
        {"field": "range", "type": "nominal", "title": "forecasts"},
        {"field": "cases", "type": "nominal", "title": "cases"},
    ]
    tooltip = [*where, rate | {"format": ".1%"}]
    bars = {"x2": END, "y2": {"field": "y2"}, "tooltip": where}
    return [
        _layer("band", {"type": "area", "opacity": 0.16, "clip": True} | ink, y2={"field": "y2"}),
        _layer("bar", {"type": "rect", "opacity": 0.35} | ink, **bars),
        _layer("diagonal", {"type": "line", "opacity": 0.5, "strokeDash": [4, 3]} | ink),
        *(_smooth_line(field, width, dash) for field, width, dash in SMOOTH_LINES),
        _layer("curve", {"type": "line", "strokeWidth": 1.4}, color=color),
        _layer("bin", {"type": "rule", "strokeWidth": 3.4}, color=color, x2=END),
        _layer("bin", {"type": "point", "filled": True, "size": 14, "opacity": 1}, color=color),
        # What a pointer finds is wider than what the eye sees, but takes no room of its own.
        _layer("bin", {"type": "rule", "strokeWidth": 16} | UNSEEN, x2=END, tooltip=tooltip),
        _layer("bin", {"type": "point", "size": 150, "filled": True} | UNSEEN, tooltip=tooltip),
        {
            "transform": [{"filter": "datum.kind == 'note'"}],
            "mark": {"type": "text", "align": "left", "baseline": "top", "opacity": 0.8} | ink,
            "encoding": {
                "x": {"value": 6},
                "y": {"value": 5},
                "text": {"field": "note", "type": "nominal"},
            },
        },
    ]


def _smooth_line(field: str, width: float, dash: list[int]) -> Spec:
    """Draw the smooth curve, or one end of its band."""
    ink: Spec = {"color": "currentColor", "opacity": 0.75, "clip": True}
    return {
        "transform": [
            {"filter": "datum.kind == 'smooth'"},
            {"flatten": ["at", field], "as": ["x", "y"]},
            {"filter": "isValid(datum.y)"},
        ],
        "mark": {"type": "line", "strokeWidth": width, "strokeDash": dash} | ink,
    }


def _layer(kind: str, mark: Spec, **encoding: Any) -> Spec:
    """Draw the rows of one kind; both places are those of the panel."""
    return {
        "transform": [{"filter": f"datum.kind == '{kind}'"}],
        "mark": mark,
        "encoding": encoding,
    }


def _alt(evaluation: Evaluation) -> str:
    rule, score = evaluation.primary, score_in_words(evaluation, evaluation.primary)
    mcb = {
        name: parts[rule].miscalibration
        for name, parts in evaluation.decompositions.items()
        if name in evaluation.reliability
    }
    means = [
        f"{printable(name)} {percent(record.mean_forecast)}"
        for name, record in evaluation.reliability.items()
    ]
    worst, best = max(mcb, key=lambda k: mcb[k]), min(mcb, key=lambda k: mcb[k])
    overview = (
        f"The event happened in {percent(evaluation.event_rate)} of cases; mean forecasts are "
        f"{listed(means)}."
    )
    raw = f"{'Uncorrected m' if _has_corrected(evaluation) else 'M'}iscalibration ({score})"
    if len(mcb) == 1:
        return f"{overview} {raw} is {few(mcb[best])}."
    return (
        f"{overview} {raw} is least for {printable(best)}, {few(mcb[best])}, "
        f"and largest for {printable(worst)}, {few(mcb[worst])}."
    )


def _table(evaluation: Evaluation) -> Table:
    rule, score = evaluation.primary, score_in_words(evaluation, evaluation.primary)
    rows = []
    for name, record in evaluation.reliability.items():
        parts = evaluation.decompositions[name][rule]
        rates = (percent(x, 3) for x in (record.mean_forecast, record.event_rate))
        numbers = (few(x, 3) for x in (parts.miscalibration, parts.discrimination))
        rows.append((name, *rates, *numbers))
    words = f"{score}, uncorrected" if _has_corrected(evaluation) else score
    head = ("model", "mean forecast", "event rate", f"MCB ({words})", f"DSC ({words})")
    return Table(head, tuple(rows))
