"""Reliability diagrams, per model or per question about classes, and repairs of models."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary import _text
from properly._boundary._text import count_of_cases, listed, printable
from properly.calibration._decomposition import Decomposition
from properly.calibration._reliability import Reliability
from properly.evaluation._record import Evaluation, Repair
from properly.plots._axes import reach_of
from properly.recalibration import Gain
from properly.recalibration._choice import folds_in_words, kind_in_words, texts
from properly.report import _vega as vega
from properly.report._page_words import MINUS, NONE, few, lead_of, percent, score_in_words
from properly.report._threshold_charts import views
from properly.report._vega import Chart, NumberTable, Spec, TableCell, short, shortened, thinned
from properly.typing import Column

Tried: TypeAlias = dict[str, Repair]


# Of classes: how many stand in a row, and how many make even rows of three.
CLASS_COLUMNS, BY_THREE = 4, (3, 5, 6, 9)
# Bins of all curves together, so that many panels do not make a large page.
ALL_BINS, FEWEST_BINS, CLASS_BAND_POINTS = 1500, 15, 40
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
RATE = "how often it happened"
END: Spec = {"field": "x2"}
DIAGONAL = vega.ink("line", opacity=0.5, strokeDash=[4, 3])
HEAD = ("mean forecast", RATE, "MCB", "DSC")


class Frame(NamedTuple):
    """What both axes show: from 0 up to this, and whether on the scale of roots."""

    top: float
    root: bool

    def at(self, share: Any) -> Any:
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
        return vega.from_to(0, short(self.top), **{"type": "sqrt"} if self.root else {})

    @property
    def axis(self) -> Spec:
        """What both axes have in common."""
        ticks = [0.0]
        for x in TICKS:
            if x <= self.top and math.sqrt(x / self.top) - math.sqrt(ticks[-1] / self.top) > APART:
                ticks.append(x)
        return {"format": ".4~%"} | ({"values": ticks} if self.root else {"tickCount": 5})


def frame_of(records: Any, event_rate: float) -> Frame:
    """Show both axes up to 1, or as far as forecasts and event rates reach."""
    records = list(records)
    return Frame(reach_of(records) if records else 1.0, event_rate < RARE)


def allows_for_time(record: Reliability) -> bool:
    """Return whether a band allows for dependence in time."""
    return record.band is not None and record.dependence is not None


def reliability_chart(evaluation: Evaluation) -> Chart | None:
    """Draw how often the event, or each class, happened after each forecast."""
    if not evaluation.reliability:
        return None
    of_event = evaluation.task == "binary"
    parts = (_event_parts if of_event else _class_parts)(evaluation)
    return vega.Chart("reliability", *parts, wide=True)


def _event_parts(evaluation: Evaluation) -> tuple[str, Spec, str, NumberTable]:
    """Lay out one panel per model."""
    records, rule = evaluation.reliability, evaluation.primary
    frame, names = frame_of(records.values(), evaluation.event_rate), list(records)
    rows = [
        {"model": name, "panel": k} | row
        for k, name in enumerate(names)
        for row in _rows(evaluation, name, frame)
    ]
    panel = panel_of_rates(vega.PANEL, _layers(vega.model_color(names)), frame.scale, frame.axis)
    spec = vega.model_panels(names, rows, panel, vega.PANEL, COLUMNS)
    parts = ["lead", *["corrected"] * _has_corrected(evaluation)]
    parts += ["times"] * any(map(allows_for_time, records.values())) + ["root"] * frame.root
    score = score_in_words(evaluation, rule)
    lead = lead_of("reliability", *parts, score=score, level=f"{100 * evaluation.level:g} %")
    score = f"{score}, uncorrected" if _has_corrected(evaluation) else score
    head = ("model", "mean forecast", "event rate", f"MCB ({score})", f"DSC ({score})")
    decomposed = evaluation.decompositions
    table = [(name, *_cells(record, decomposed[name][rule])) for name, record in records.items()]
    return lead, spec, _alt(evaluation), vega.NumberTable(head, table)


def panel_of_rates(size: int, layers: list[Spec], scale: Spec, axis: Spec) -> Spec:
    """Put forecasts across, and how often the event happened up."""
    place = {
        field: vega.measure(field, title, scale=scale, axis=axis)
        for field, title in (("x", "forecast"), ("y", RATE))
    }
    return {"width": size, "height": size, "encoding": place, "layer": layers}


def _has_corrected(evaluation: Evaluation) -> bool:
    """Return whether the table of scores has parts that are corrected for their bias."""
    return any(x[evaluation.primary].intervals for x in evaluation.decompositions.values())


def _note(parts: Decomposition, more: str = "") -> Spec:
    numbers = f"MCB {few(parts.miscalibration)} · DSC {few(parts.discrimination)}"
    return {"kind": "note", "note": f"{numbers}{more}"}


def _rows(evaluation: Evaluation, name: str, frame: Frame) -> list[Spec]:
    """Lay out all that a panel shows as rows of one table."""
    record, parts = evaluation.reliability[name], evaluation.decompositions[name]
    more = " (uncorrected)" if _has_corrected(evaluation) else ""
    x, y = record.curve()
    x, y = thinned(x, y, most=2 * BIN_POINTS, along=frame.along(x, y))
    rows = [
        *({"kind": "diagonal", "x": x, "y": x} for x in (0, short(frame.top))),
        _note(parts[evaluation.primary], more),
        *_band(record, frame),
        *_bars(record, frame),
        *vega.rows_of({"x": x, "y": y}, kind="curve"),
        *_bins(record, frame),
    ]
    smooth = evaluation.smooth[name]
    if smooth is not None:
        # The smooth curve and its band as lists, cut at 0 and 1.
        columns = smooth.forecast, smooth.event_rate, smooth.lower, smooth.upper
        lists = (vega.shortened(np.clip(column, 0, 1)) for column in columns)
        names = ("at", "height", "low", "high")
        rows.append({"kind": "smooth"} | dict(zip(names, lists, strict=True)))
    return rows


def _band(record: Reliability, frame: Frame, most: int = BAND_POINTS) -> list[Spec]:
    """Return the band where there are forecasts; beyond them nothing is claimed."""
    band = record.band
    if band is None:
        return []
    ends = record.value[[0, -1]]
    defined = ~(np.isnan(band.lower) | np.isnan(band.upper))
    inside = defined & (band.x > ends[0]) & (band.x < ends[1])
    x = np.concatenate([ends[:1], band.x[inside], ends[1:]])
    bounds = (np.interp(x, band.x[defined], bound[defined]) for bound in (band.lower, band.upper))
    x, low, high = thinned(x, *bounds, most=most, along=frame.place(x))
    return vega.rows_of({"x": x, "y": low, "y2": np.minimum(high, frame.top)}, kind="band")


def _bars(record: Reliability, frame: Frame) -> list[Spec]:
    """Draw bars whose areas, in the picture, are the numbers of forecasts."""
    lower, upper, weight = _fewer(record, frame)
    width = frame.place(np.minimum(upper, frame.top)) - frame.place(lower)
    # Relative to the narrowest, so that no number overflows.
    height = weight if record.discrete else weight * (width.min() / width)
    height = TALLEST * height / height.max()
    ends = (record.value, record.value) if record.discrete else (lower, upper)
    columns = {"x": lower, "x2": np.minimum(upper, frame.top), "y2": frame.at(height)}
    words = {"range": _ranges(*ends), "cases": list(map(count_of_cases, weight.tolist()))}
    rows = vega.rows_of(columns | words, kind="bar", y=0)
    return [row for row, count in zip(rows, weight, strict=True) if count]


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


def _bins(
    record: Reliability, frame: Frame, most: int = BIN_POINTS, *, ranged: bool = True
) -> list[Spec]:
    bins = record.bins
    along = frame.along(bins.x_min, bins.event_rate)
    columns = bins.x_min, bins.x_max, bins.weight, bins.event_rate
    low, high, count, rate = thinned(*columns, most=most, along=along)
    ranges = {"range": _ranges(low, high)} if ranged else {}
    cases = list(map(count_of_cases, count.tolist()))
    return vega.rows_of({"x": low, "x2": high, "y": rate} | ranges | {"cases": cases}, kind="bin")


def _ranges(low: Column, high: Column) -> list[str]:
    """Write where forecasts are, in per cent."""
    pairs = zip(low.tolist(), high.tolist(), strict=True)
    return [" to ".join(percent(x, 3) for x in dict.fromkeys(ends)) for ends in pairs]


def _layers(color: Spec) -> list[Spec]:
    where = {"model": "model", "range": "forecasts", "cases": "cases"}
    tooltip = vega.hover(where | {"y": (RATE, ".1%")})
    high, thin, thick = {"y2": {"field": "y2"}}, {"strokeWidth": 1.4}, {"strokeWidth": 3.4}
    bars = high | {"x2": END, "tooltip": vega.hover(where)}
    # The smooth curve, and both ends of its band.
    smooth: list[Spec] = []
    look = {"opacity": 0.75, "clip": True}
    for field, width, dash in SMOOTH_LINES:
        line = vega.ink("line", strokeWidth=width, strokeDash=dash, **look)
        unfold = vega.unfold("at", field, to=("x", "y"))
        smooth.append(_layer("smooth", line, unfold, "isValid(datum.y)"))
    return [
        _layer("band", vega.ink("area", opacity=0.16, clip=True), **high),
        _layer("bar", vega.ink("rect", opacity=0.35), **bars),
        _layer("diagonal", DIAGONAL),
        *smooth,
        _layer("curve", vega.mark("line", **thin), color=color),
        _layer("bin", vega.mark("rule", **thick), color=color, x2=END),
        _layer("bin", vega.dot(14, opacity=1), color=color),
        # They take no room of their own.
        *_wide_marks(tooltip, 16, 150, clip=True),
        vega.corner_note(0.8),
    ]


def _wide_marks(tooltip: list[Spec], rule: int, dot: int, *steps: str, **look: Any) -> list[Spec]:
    """Draw invisible wide marks, which make tooltips easy to hit."""
    unseen = {"opacity": 0} | look
    wide = vega.mark("rule", strokeWidth=rule) | unseen
    return [
        _layer("bin", wide, *steps, x2=END, tooltip=tooltip),
        _layer("bin", vega.dot(dot) | unseen, *steps, tooltip=tooltip),
    ]


def _layer(kind: str, mark: Spec, *steps: Spec | str, **encoding: Any) -> Spec:
    """Draw the rows of one kind; both places are those of the panel."""
    return vega.layer(mark, encoding, vega.only_kind(kind), *steps)


def _alt(evaluation: Evaluation) -> str:
    rule, score = evaluation.primary, score_in_words(evaluation, evaluation.primary)
    parts = evaluation.decompositions
    mcb = {name: parts[name][rule].miscalibration for name in evaluation.reliability}
    means = [
        f"{printable(name)} {percent(record.mean_forecast)}"
        for name, record in evaluation.reliability.items()
    ]
    worst, best = max(mcb, key=mcb.__getitem__), min(mcb, key=mcb.__getitem__)
    numbers = {"rate": percent(evaluation.event_rate), "means": listed(means), "score": score}
    numbers |= {"best": printable(best), "least": few(mcb[best])}
    numbers |= {"worst": printable(worst), "most": few(mcb[worst])}
    raw = "Uncorrected miscalibration" if _has_corrected(evaluation) else "Miscalibration"
    which = "one" if len(mcb) == 1 else "several_models"
    return lead_of("reliability", "alt", which, raw=raw, **numbers)


def _cells(record: Reliability, parts: Decomposition | None) -> Iterator[str]:
    """Write both rates, and two parts of the score."""
    yield from (percent(x, 3) for x in (record.mean_forecast, record.event_rate))
    for name in ("miscalibration", "discrimination"):
        yield few(getattr(parts, name, math.nan), 3)


def _class_parts(evaluation: Evaluation) -> tuple[str, Spec, str, NumberTable]:
    """Lay out one panel per question, with a line per model."""
    records = evaluation.reliability
    every = [record for by_question in records.values() for record in by_question.values()]
    questions = list(next(iter(records.values())))
    banded = any(record.band is not None for record in every)
    # One band after the other can be read, not several at once.
    several = "several" if banded else "each"
    parts = [evaluation.task, "classes", *[several] * (len(records) > 1), *["band"] * banded]
    parts += ["times"] * any(map(allows_for_time, every))
    lead = lead_of("reliability", *parts, level=f"{100 * evaluation.level:g} %")
    rows = [
        (question, name, *_cells(by_question[question], _part(evaluation, name, question)))
        for question in questions
        for name, by_question in records.items()
    ]
    table = vega.NumberTable(("question", "model", *HEAD), rows[: vega.MOST_ROWS])
    spec = _class_spec(list(records), questions, _class_rows(evaluation, questions))
    return lead, spec, _class_alt(evaluation, questions), table


def _class_rows(evaluation: Evaluation, questions: list[str]) -> list[Spec]:
    """Lay out all that the panels show as rows of one table."""
    records = evaluation.reliability
    most = max(ALL_BINS // (len(records) * len(questions)), FEWEST_BINS)
    rows: list[Spec] = []
    for k, question in enumerate(questions):
        asked = [by_question[question] for by_question in records.values()]
        end = float(max(max(x.value[-1], x.bins.event_rate[-1]) for x in asked)) or 1.0
        frame = Frame(end, root=False)
        rows += [{"question": k, "kind": "diagonal", "x": x, "y": x} for x in (0, short(end))]
        for name, record in zip(records, asked, strict=True):
            curve = _bins(record, frame, most, ranged=False)
            every = curve + _band(record, frame, CLASS_BAND_POINTS)
            every += [_note(x) for x in [_part(evaluation, name, question)] if x is not None]
            rows += [{"question": k, "model": name} | row for row in every]
    return rows


def _part(evaluation: Evaluation, name: str, question: str) -> Decomposition | None:
    """Find what the score of a question is made of, by the first rule that asks it."""
    records = evaluation.decompositions[name].values()
    return next((x[question] for x in records if question in x), None)


def _class_spec(names: list[str], questions: list[str], rows: list[Spec]) -> Spec:
    columns = COLUMNS if len(questions) in BY_THREE else CLASS_COLUMNS
    size = vega.PANEL if columns == COLUMNS else vega.SMALL_PANEL
    scale, axis = {"zero": True, "nice": False}, {"format": ".4~%", "tickCount": 4}
    return {
        "params": [vega.shown(names), vega.name_list("questions", questions)],
        "data": {"values": rows},
        "facet": vega.facet("question", "questions", size),
        "columns": columns,
        "resolve": vega.APART | {"scale": vega.APART["axis"]},
        "spec": panel_of_rates(size, _class_layers(names), scale, axis),
    }


def _class_layers(names: list[str]) -> list[Spec]:
    color, on = vega.model_color(names), vega.SHOWN
    corners = ({"calculate": "[datum.x, datum.x2]", "as": "corner"}, {"flatten": ["corner"]})
    line = {"x": {"field": "corner"}, "color": color, "strokeDash": vega.model_dash(names)}
    titles = {"model": "model", "x": ("forecasts from", ".1%"), "x2": ("to", ".1%")}
    tooltip = vega.hover(titles | {"cases": "cases", "y": (RATE, ".1%")})
    band = {"y2": {"field": "y2"}, "detail": vega.category("model"), "opacity": _alone(0.16)}
    return [
        _layer("band", vega.ink("area"), on, **band),
        _layer("diagonal", DIAGONAL),
        _layer("bin", vega.mark("line", strokeWidth=1.6), on, *corners, **line),
        _layer("bin", vega.dot(12, opacity=1), on, color=color),
        *_wide_marks(tooltip, 12, 120, on),
        vega.corner_note(_alone(0.8)),
    ]


def _alone(opacity: float) -> Spec:
    """Show only what belongs to a single model; a filter would leave scales without data."""
    return {"condition": {"test": "length(shown) == 1", "value": opacity}, "value": 0}


def _class_alt(evaluation: Evaluation, questions: list[str]) -> str:
    sentences = []
    for name, by_question in list(evaluation.reliability.items())[:2]:
        worst, x = max(by_question.items(), key=lambda q: abs(q[1].mean_forecast - q[1].event_rate))
        rates = {"forecast": percent(x.mean_forecast), "happened": percent(x.event_rate)}
        names = {"model": printable(name), "question": printable(worst)}
        sentences.append(lead_of("reliability", "differ", **names, **rates))
    return f"Panels for {listed(questions)}. {' '.join(sentences)}"


# So many panels stand in one row, with one axis at the left; of more, so many in each row.
ONE_ROW, IN_A_ROW = 5, 4
# Pixels between panels, and of numbers at the left of each.
GAP, ROOM = 22, 52
# Points of curves: more cannot be seen in panels of this size.
CURVE_POINTS, STEPS = 60, 60
HEIGHT = 180
PER = 1000
LEAVE = "leave as it is"
# Panels of classes in a row, and pixels for the names of maps at their left.
CLASSES_IN_A_ROW, NAMES = 3, 150
SHARED: Spec = {"resolve": None, "spacing": {"column": GAP, "row": GAP}}
FAINT_DIAGONAL = vega.ink("line", opacity=0.4, strokeDash=[4, 3])


def curves_chart(evaluation: Evaluation) -> Chart | None:
    """Draw how often the event happened, after forecasts as they are and recalibrated ones."""
    tried = {name: x for name, x in evaluation.repairs.items() if x.after is not None}
    if not tried:
        return None
    every = [x for repair in tried.values() for x in (repair.before, repair.after)]
    frame = frame_of(every, evaluation.event_rate)
    rows = [row for k, (name, x) in enumerate(tried.items()) for row in _panel(k, name, x, frame)]
    parts = ("lead", *["root"] * frame.root)
    lead = lead_of("repair-curves", *parts, honesty=_honesty(evaluation))
    spec = _curves_spec(list(tried), rows, frame, vega.model_color(evaluation.models))
    return _with_advice("repair-curves", lead, spec, evaluation, tried)


def _with_advice(name: str, lead: str, spec: Spec, evaluation: Evaluation, tried: Tried) -> Chart:
    """Put what to do, and all maps, below a chart."""
    sentences = [repair.result.sentence.partition(". ")[0] for repair in tried.values()]
    alt = f"{'. '.join(x.rstrip('.') for x in sentences[:3])}."
    tables = _maps(evaluation, tried), _advice(evaluation, tried)
    return vega.Chart(name, lead, spec, alt, *tables, wide=True)


def gains_chart(evaluation: Evaluation) -> Chart | None:
    """Draw what each map of classes would save by itself, with its interval."""
    tried = evaluation.repairs
    if not tried:
        return None
    rows: list[Spec] = []
    for k, (name, repair) in enumerate(tried.items()):
        for kind, gain in repair.result.gains.items():
            x, low, high = map(vega.short, (gain.estimate, *gain.interval))
            row = {"panel": k, "model": name, "map": _kind(kind), "x": x, "low": low, "high": high}
            rows.append(row)
    lead = lead_of("repair-gains", honesty=_honesty(evaluation))
    spec = _gains_spec(list(tried), rows, {"color": vega.model_color(evaluation.models)})
    return _with_advice("repair-gains", lead, spec, evaluation, tried)


def _gains_spec(names: list[str], rows: list[Spec], color: Spec) -> Spec:
    columns = min(len(names), CLASSES_IN_A_ROW)
    x = vega.measure("x", "would save", axis={"format": "~g", "tickCount": 4})
    ends = {"x": x | {"field": "low"}, "x2": {"field": "high"}} | color
    zero = vega.layer(vega.ink("rule", opacity=0.5), {"x": {"datum": 0}})
    bars = vega.layer(vega.mark("rule", strokeWidth=3, opacity=0.5), ends)
    panel = {
        "width": (vega.WIDE - NAMES) // columns - GAP,
        "height": {"step": 26},
        "encoding": {"x": x, "y": vega.category("map", None, sort=None)},
        "layer": [zero, bars, vega.layer(vega.dot(70), color)],
    }
    return vega.model_panels(names, rows, panel, vega.PANEL, columns, **SHARED)


def _honesty(evaluation: Evaluation) -> str:
    """Say how maps were judged, and when a repair is advised."""
    gain = next(iter(evaluation.repairs.values())).result.gain
    score = score_in_words(evaluation, evaluation.primary)
    return lead_of("repair-curves", "honesty", folds=folds_in_words(gain), score=score)


def _panel(k: int, name: str, repair: Repair, frame: Frame) -> list[Spec]:
    """Lay out what a panel shows, each curve as lists."""
    of_panel = {"panel": k, "model": name}
    note = _kind(repair.kind) if repair.recommended else LEAVE
    rows: list[Spec] = [of_panel | {"kind": "note", "note": note}]
    ends = [0, vega.short(frame.top)]
    rows.append(of_panel | {"kind": "diagonal", "at": ends, "height": ends})
    for what, record in (("before", repair.before), ("after", repair.after)):
        if record is not None:
            rows.append(of_panel | {"kind": what} | _curve(record, frame))
    return rows


def _kind(kind: str) -> str:
    """Name a map without its article."""
    return kind_in_words(kind).removeprefix("a ").removeprefix("an ")


def _curve(record: Reliability, frame: Frame) -> dict[str, Any]:
    x, y = record.curve()
    x, y = vega.thinned(x, y, most=CURVE_POINTS, along=frame.along(x, y))
    return {"at": shortened(x, 4), "height": shortened(y, 4)}


def _curves_spec(names: list[str], rows: list[Spec], frame: Frame, color: Spec) -> Spec:
    one_row = len(names) <= ONE_ROW
    size = vega.SMALL_PANEL
    if one_row:
        size = min(vega.PANEL, (vega.WIDE - vega.NUMBERS - GAP * (len(names) - 1)) // len(names))
    layers = [
        _line("diagonal", FAINT_DIAGONAL),
        _line("before", vega.ink("line", strokeWidth=1.1, opacity=0.75)),
        _line("after", vega.mark("line", strokeWidth=2.6), color=color),
        vega.corner_note(0.8),
    ]
    panel = panel_of_rates(size, layers, frame.scale, frame.axis)
    columns = len(names) if one_row else IN_A_ROW
    more = SHARED if one_row else SHARED | {"resolve": vega.APART}
    return vega.model_panels(names, rows, panel, size, columns, **more)


def _line(kind: str, mark: Spec, **encoding: Any) -> Spec:
    """Unfold the lists of a curve, and draw it."""
    unfold = vega.unfold("at", "height", to=("x", "y"))
    return vega.layer(mark | {"clip": True}, encoding, vega.only_kind(kind), unfold)


def _advice(evaluation: Evaluation, tried: Tried) -> NumberTable:
    """Say of each model what to do, what that would save, and what it does to net benefit."""
    rows = [
        (
            name,
            TableCell("repair", _kind(repair.kind)) if repair.recommended else LEAVE,
            _amount(gain := repair.gain(evaluation.primary)),
            few(gain.in_sample),
            *(_amount(x, PER, sign=True) for x in repair.net_benefit.values()),
        )
        for name, repair in tried.items()
    ]
    first = next(iter(tried.values()))
    benefits = [f"net benefit at {_text.percent(t)}" for t in first.net_benefit]
    head = ("model", "advice", "would save on new cases", "seemingly, in sample", *benefits)
    per = f"; net benefit per {PER:,} cases" if benefits else ""
    title = f"What to do (below numbers: {100 * evaluation.level:g} % intervals{per})"
    return vega.NumberTable(head, rows, title)


def _maps(evaluation: Evaluation, tried: Tried) -> NumberTable:
    """List all maps of all models with what each would save by itself."""
    rows = []
    for name, repair in tried.items():
        for kind, gain in repair.result.gains.items():
            _, low, high = _written(gain)
            around = NONE if math.isnan(gain.interval[0]) else f"{low} to {high}"
            numbers = few(gain.estimate), around, few(gain.in_sample)
            change = f"{few(100 * gain.mean_change)} points"
            rows.append((name, kind.replace("_", " "), *numbers, change))
    level = f"{100 * evaluation.level:g} % interval"
    head = ("model", "map", "would save", level, "seemingly, in sample", "mean change")
    return vega.NumberTable(head, rows, "All maps, before the choice")


def _amount(gain: Gain, unit: float = 1.0, *, sign: bool = False) -> str | TableCell:
    """Write a gain with its interval; that nothing changes is written so."""
    if math.isnan(gain.interval[0]):
        return "unchanged" if gain.estimate == 0 else few(unit * gain.estimate)
    estimate, low, high = _written(gain, unit)
    plus = "+" if sign and gain.estimate > 0 else ""
    return TableCell(f"{plus}{estimate}", f"{low} to {high}")


def _written(gain: Gain, unit: float = 1.0) -> list[str]:
    return [text.replace("-", MINUS) for text in texts(gain, unit)]


def savings_chart(evaluation: Evaluation) -> Chart | None:
    """Draw the regret that recalibration would save at each threshold, with its band."""
    tried = {name: x for name, x in evaluation.repairs.items() if x.after and x.recommended}
    if not tried:
        return None
    view = views(evaluation)[-1]
    share = np.linspace(0, 1, STEPS) ** (1 / view.power)
    at = view.lower + share * (view.upper - view.lower)
    rows = [row for k, (name, x) in enumerate(tried.items()) for row in _saved(k, name, x, at)]
    banded = any("low" in row for row in rows)
    parts = ("lead", *["band"] * banded)
    lead = lead_of("repair-regret", *parts, level=f"{100 * evaluation.level:g} %")
    spec = _savings_spec(list(tried), rows, evaluation)
    return vega.Chart("repair-regret", lead, spec, _savings_alt(tried), wide=True)


def _saved(k: int, name: str, repair: Repair, at: Any) -> list[Spec]:
    curve = repair.difference
    if curve is None:
        return []
    columns = {"height": curve.at(at)}
    if curve.band is not None:
        columns |= dict(zip(("low", "high"), curve.band.at(at), strict=True))
    lists = {field: shortened(column, 3) for field, column in columns.items()}
    return [{"panel": k, "model": name, "at": shortened(at, 4)} | lists]


def _savings_spec(names: list[str], rows: list[Spec], evaluation: Evaluation) -> Spec:
    columns = len(names) if len(names) <= ONE_ROW else IN_A_ROW
    size = min(2 * vega.PANEL, (vega.WIDE - (ROOM + GAP) * (columns - 1)) // columns - 8)
    view = views(evaluation)[-1]
    bent: Spec = {"type": "pow", "exponent": view.power} if view.power != 1 else {}
    scale = vega.from_to(view.lower, view.upper, **bent)
    ticks = {"values": view.ticks()[:: 2 if len(names) > 2 else 1], "format": ".4~%"}
    number = {"format": "~g", "tickCount": 4, "minExtent": vega.NUMBERS, "maxExtent": ROOM}
    color = {"color": vega.model_color(evaluation.models)}
    around = vega.unfold("at", "low", "high", to=("x", "y", "y2"))
    valid = "isValid(datum.y) && isValid(datum.y2)"
    ends, band = {"y2": {"field": "y2"}} | color, vega.mark("area", opacity=0.22)
    line, unfold = vega.mark("line", strokeWidth=2), vega.unfold("at", "height", to=("x", "y"))
    x = vega.measure("x", "threshold", scale=scale, axis=ticks)
    bands = [vega.layer(band, ends, around, valid)] * any("low" in row for row in rows)
    zero = vega.layer(vega.ink("rule", opacity=0.5), {"y": {"datum": 0}})
    layers = [zero, *bands, vega.layer(line, color, unfold)]
    place = {"x": x, "y": vega.measure("y", None, axis=number)}
    panel = {"width": size, "height": HEIGHT, "encoding": place, "layer": layers}
    apart = {"scale": {"y": "independent"}, "axis": {"x": "independent"}}
    return vega.model_panels(names, rows, panel, size, columns, **SHARED | {"resolve": apart})


def _savings_alt(tried: Tried) -> str:
    said = []
    for name, repair in tried.items():
        gains = repair.net_benefit.items()
        if t := next((t for t, gain in gains if gain.interval[0] > 0), None):
            said.append(f"{printable(name)} gains net benefit at {_text.percent(t)}")
    return f"{'; '.join(said)}." if said else "No gain of net benefit is clear at any threshold."
