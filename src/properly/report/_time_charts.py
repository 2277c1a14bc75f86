"""Courses on the page: scores over time, and the evidence of a monitor over its cases."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from properly._boundary._text import listed, many, printable
from properly.comparison._periods import OverTime
from properly.comparison._periods import words as time_words
from properly.evaluation import Evaluation, Monitor
from properly.evaluation._monitor._claims import exp
from properly.plots._axes import Ends
from properly.plots._case_plots import WRITTEN, Course, courses_of, ends_of, power, thresholds_of
from properly.plots._names import spread
from properly.report import _page_words as words
from properly.report import _vega as vega
from properly.report._page_words import fixed, from_to, lead_of, percent
from properly.report._vega import MOST_ROWS, Chart, NumberTable, Spec, drawn_models, short
from properly.typing import Column

# Pixels: the heights of the two panels of time.
HIGH, LOW = 250, 130
# Pixels to the left and right of all points; days from which on months are enough.
PADDING, MONTHS = 20, 200
# So many times are all written below the axis.
MARKED = 12
# So few periods stand side by side, with the models beside each other in each.
FEW_PERIODS = 6
WHERE = {field: field for field in ("model", "period", "cases")}
# Pixels: how high the chart is, and how wide at least.
EVIDENCE, LEAST = 280, 480
# Pixels of a letter on average, and from one name to the next.
LETTER, APART = 6.1, 14
# Groups without an alarm that are drawn, those with most evidence, and the points of each.
MOST_QUIET, FEW_POINTS = 20, 100
# Points of another line.
MANY_POINTS = 1000
IN_ORDER = "cases, in the order of their forecasts"
APART_OR_SHOWN = f"datum.apart || {vega.SHOWN}"


def time_chart(evaluation: Evaluation) -> Chart | None:
    """Draw scores in consecutive periods, and below them the event rate and mean forecasts."""
    by_model = evaluation.over_time
    if not by_model:
        return None
    one = next(iter(by_model.values()))
    score = words.score_in_words(evaluation, one.rule)
    parts = ("lead", *["below"] * (one.events is not None))
    lead = lead_of("time", *parts, level=f"{100 * one.level:g}", score=score)
    alt, table = _time_alt(by_model, score), _time_table(by_model, one)
    return Chart("time", lead, _time_spec(by_model, one), alt, table, wide=True)


def _places(periods: OverTime) -> tuple[list[Any], Spec]:
    """Return where periods stand: in the middle of their times, or one beside the other."""
    start, end = periods.start, periods.end
    if len(periods) <= FEW_PERIODS:
        axis: Spec = {"labelAngle": 0, "labelLimit": vega.WIDE // len(periods), "grid": False}
        band = {"scale": {"type": "band", "padding": 0.2}, "axis": axis}
        return [printable(x) for x in periods.name], {"type": "ordinal", "sort": None} | band
    if start.dtype.kind == "O":
        start, end = (_as_dates(x) for x in (start, end))
    if start.dtype.kind == "M":
        first, last = (x.astype("datetime64[s]").astype(np.int64) for x in (start, end))
        middle = ((first + last) // 2).astype("datetime64[s]")
        # An axis of months, or of days if that is all.
        format_ = "%b %Y" if (last[-1] - first[0]) / 86400 > MONTHS else "%d %b %Y"
        axis = {"format": format_, "grid": False, "tickCount": 8}
        scale = {"type": "utc", "padding": PADDING}
        return [f"{x}Z" for x in middle], {"type": "temporal", "scale": scale, "axis": axis}
    axis, scale = {"format": "~f", "grid": False}, {"zero": False, "padding": PADDING}
    numbers: list[Any] = list(range(1, len(periods) + 1))
    if start.dtype.kind in "iuf":
        numbers = [short(x) for x in ((start + end) / 2).tolist()]
        labelled = bool((start == end).all()) and len(start) <= MARKED
        axis |= {"values": numbers} if labelled else {}
    else:
        axis["title"] = "period"
    return numbers, {"type": "quantitative", "scale": scale | {"nice": False}, "axis": axis}


def _as_dates(time: Column) -> Column:
    """Read dates of Python as numpy does; those with a time zone become universal time."""
    zoned = [getattr(x, "tzinfo", None) is not None for x in time]
    plain = [
        x.astimezone(dt.UTC).replace(tzinfo=None) if is_zoned else x
        for x, is_zoned in zip(time, zoned, strict=True)
    ]
    try:
        return np.array(plain, dtype="datetime64[us]")
    except (TypeError, ValueError):
        return time


def _period_rows(name: str, periods: OverTime, places: list[Any]) -> list[Spec]:
    decimals = _period_decimals(periods)
    ends = zip(periods.lower.tolist(), periods.upper.tolist(), strict=True)
    columns: dict[str, Any] = {
        "time": places,
        "period": list(map(printable, periods.name)),
        "cases": [f"{n:,}" for n in periods.cases.tolist()],
        "interval": [from_to(pair, decimals) for pair in ends],
        "score": periods.score,
        "lower": periods.lower,
        "upper": periods.upper,
    }
    if periods.event_rate is not None and periods.mean_forecast is not None:
        columns |= {"rate": periods.event_rate, "forecast": periods.mean_forecast}
    return vega.rows_of(columns, model=name)


def _period_decimals(periods: OverTime) -> int:
    return words.decimals_of_least((periods.upper - periods.lower) / 2)


def _time_spec(by_model: dict[str, OverTime], one: OverTime) -> Spec:
    places, way = _places(one)
    rows = [row for name, record in by_model.items() for row in _period_rows(name, record, places)]
    x: Spec = {"field": "time", "title": None} | way
    names = list(by_model)
    spec = vega.of_models(names, rows)
    upper = _period_scores(names, x, one)
    if one.events is None:
        return spec | upper
    return spec | {"vconcat": [upper, _rates(names, x, rows[: len(one)])], "spacing": 18}


def _points(names: list[str], place: Spec, size: int, said: list[Spec], width: float) -> list[Spec]:
    """Draw dots on lines; those of few periods stand beside each other, in the models' order."""
    dots, place = vega.dot(size, opacity=1), place | {"color": vega.model_color(names)}
    if place["x"]["type"] == "ordinal":
        scale = {"domain": names, "paddingOuter": 1}
        place |= {"xOffset": vega.category("model", scale=scale)}
        return [vega.layer(dots, place | {"tooltip": said})]
    line = vega.mark("line", strokeWidth=width)
    return [
        vega.layer(line, place | {"strokeDash": vega.model_dash(names)}),
        vega.layer(dots, place | {"tooltip": said}),
    ]


def _period_scores(names: list[str], x: Spec, one: OverTime) -> Spec:
    """Draw the scores, with ribbons for their intervals."""
    y = vega.measure("score", title := "mean score", scale={"zero": False})
    interval = f"{100 * one.level:g} % interval"
    tooltip = vega.hover(WHERE | {"score": (title, ".4~g"), "interval": interval})
    *line, dots = _points(names, {"x": x, "y": y}, 45, tooltip, 1.8)
    ends = {name: x for name, x in dots["encoding"].items() if name != "tooltip"}
    ends |= {"y": y | {"field": "lower"}, "y2": {"field": "upper"}}
    bar, ribbon = vega.mark("rule", strokeWidth=2.2), vega.mark("area", opacity=0.13)
    around = vega.layer(bar if x["type"] == "ordinal" else ribbon, ends, "isValid(datum.lower)")
    return {"width": vega.WIDE, "height": HIGH, "layer": [around, *line, dots]}


def _rates(names: list[str], x: Spec, rows: list[Spec]) -> Spec:
    """Draw the mean forecasts, and the event rate of all models alike."""
    title, rate = "mean forecast", {"rate": ("event rate", ".2%")}
    axis = {"format": "~%", "tickCount": 4}
    y = vega.measure("forecast", title, axis=axis, scale={"zero": True})
    observed = vega.hover({name: name for name in ("period", "cases")} | rate)
    happened = _happened({"x": x, "y": y | {"field": "rate"}}, rows, observed)
    tooltip = vega.hover(WHERE | {"forecast": (title, ".2%")} | rate)
    forecasts = _points(names, {"x": x, "y": y}, 30, tooltip, 1.6)
    layers = [*happened, *forecasts] if x["type"] == "ordinal" else [*forecasts, *happened]
    return {"width": vega.WIDE, "height": LOW, "layer": layers}


def _happened(at: Spec, rows: list[Spec], tooltip: list[Spec]) -> list[Spec]:
    """Draw the event rate of each period, and name it once."""
    fields = ("time", "period", "cases", "rate")
    data = [{key: row[key] for key in fields} for row in rows if row["rate"] is not None]
    few, look = at["x"]["type"] == "ordinal", {"opacity": 0.75}
    above = {"align": "center" if few else "right", "baseline": "bottom", "dy": -7}
    words, pointed = at | {"text": {"value": "event rate"}}, at | {"tooltip": tooltip}
    name = vega.layer(vega.ink("text", **above, **look), words, values=data[-1:])
    if few:
        # A line over the whole period, behind the forecasts.
        return [vega.layer(vega.ink("tick", thickness=2, **look), pointed, values=data), name]
    dashed = vega.ink("line", strokeDash=[5, 3], strokeWidth=1.6, **look)
    dots = vega.dot(30, **look, **vega.INK)
    return [vega.layer(dashed, at, values=data), vega.layer(dots, pointed, values=data), name]


def _time_alt(by_model: dict[str, OverTime], score: str) -> str:
    one = next(iter(by_model.values()))
    ranges = []
    for name, record in by_model.items():
        finite = sorted(record.score[np.isfinite(record.score)].tolist())
        texts = [fixed(x, _period_decimals(record)) for x in finite[:: max(len(finite) - 1, 1)]]
        ranges.append(f"{printable(name)} {' to '.join(texts) or words.NONE}")
    start, end = time_words(one.start)[0], time_words(one.end)[-1]
    periods = many(len(one), "period")
    said = f"The {score} in {periods} from {start} to {end}: {listed(ranges)}."
    if one.event_rate is None or not np.isfinite(one.event_rate).any():
        return said
    low, high = (percent(float(x)) for x in (np.nanmin(one.event_rate), np.nanmax(one.event_rate)))
    return f"{said} The event rate lies between {low} and {high}."


def _time_table(by_model: dict[str, OverTime], one: OverTime) -> NumberTable:
    """Give the score of each period and model; of many periods, the last ones."""
    rates = one.event_rate
    rows = []
    for k in range(max(0, len(one) - MOST_ROWS), len(one)):
        scores = [fixed(float(x.score[k]), _period_decimals(x)) for x in by_model.values()]
        rate = () if rates is None else (percent(float(rates[k]), 3),)
        rows.append((one.name[k], f"{one.cases[k]:,}", *rate, *scores))
    rate_head = () if rates is None else ("event rate",)
    return NumberTable(("period", "cases", *rate_head, *by_model), rows)


def evidence_chart(monitor: Monitor | None, evaluation: Evaluation) -> Chart | None:
    """Draw the evidence of a monitor; models have the colours that they have on the page."""
    if monitor is None or not monitor.cases:
        return None
    courses = list(courses_of(monitor))
    said = " ".join(str(monitor).split())
    again = ["again"] * (monitor.options["run_length"] is not None)
    lead = lead_of("evidence", "lead", *again, said=said)
    spec = _evidence_spec(courses, drawn_models(evaluation))
    return Chart("evidence", lead, spec, said, _claims(courses), wide=True)


def _evidence_spec(courses: Sequence[Course], drawn: tuple[str, ...]) -> Spec:
    ends = ends_of(courses)
    loud = [x for x in courses if not x.is_quiet]
    quiet = sorted((x for x in courses if x.is_quiet), key=lambda x: -x.evidence[-1])[:MOST_QUIET]
    models = dict.fromkeys([*drawn, *(x.record.model for x in courses)])
    shown_lines = [*loud, *quiet]
    claims = [{"line": k} | _about(x, drawn) for k, x in enumerate(shown_lines)]
    source = {"data": {"values": claims}, "key": "line", "fields": [*claims[0]][1:]}
    labels = _labels(loud, ends, drawn)
    longest = max((len(row["label"]) for row in labels), default=0)
    ticks = range(math.ceil(ends[0]), math.floor(ends[1]) + 1)
    powers = [power(k) if abs(k) <= WRITTEN else f"1e{k}" for k in ticks]
    encoding = _axes(courses, ends, list(ticks))
    color, words = {"color": vega.model_color(models)}, {"text": {"field": "label"}}
    text = vega.mark("text", align="left", baseline="middle", dx=8)
    return {
        "params": [vega.shown(drawn), {"name": "powers", "value": powers}],
        "data": {"values": [row for k, x in enumerate(shown_lines) for row in _rows(k, x, ends)]},
        # Lines are long, so that whose a corner is, is said once a line.
        "transform": vega.kept({"lookup": "line", "from": source}, APART_OR_SHOWN),
        "width": max(vega.WIDE - math.ceil(LETTER * longest) - 12, LEAST),
        "height": EVIDENCE,
        "layer": [
            *_thresholds(courses, encoding),
            *_claim_lines(encoding, color),
            _alarms(loud, ends, drawn, encoding | color),
            vega.layer(text, encoding | color | words, APART_OR_SHOWN, values=labels),
        ],
    }


def _axes(courses: Sequence[Course], ends: Ends, ticks: list[int]) -> Spec:
    """Place cases across, in their order, and powers of ten up."""
    last = max(float(x.cases[-1]) for x in courses)
    # A label is looked up by its number, so that nothing is computed there.
    label = f"powers[datum.value - {ticks[0]}]" if ticks else "''"
    ordered = {"format": ",d", "grid": False, "tickCount": 8}
    # As they come: at an alarm, a line ends above and begins below.
    x = vega.measure("case", IN_ORDER, scale=vega.from_to(0, last), axis=ordered, sort=None)
    powers = {"values": ticks, "labelExpr": label}
    scale = vega.from_to(*map(short, ends), zero=False)
    return {"x": x, "y": vega.measure("evidence", "evidence", scale=scale, axis=powers)}


def _about(course: Course, drawn: tuple[str, ...]) -> Spec:
    """Say whose a row is; models without a switch are always shown."""
    one = course.record
    whose: Spec = {"model": one.model, "apart": one.model not in drawn}
    return whose | {"claim": printable(one.claim), "about": one.about, "quiet": course.is_quiet}


def _rows(line: int, course: Course, ends: Ends) -> list[Spec]:
    """Return the corners of a line; what is beyond the picture is at its edge."""
    most = FEW_POINTS if course.is_quiet else MANY_POINTS
    cases, evidence = vega.thinned(course.cases, np.clip(course.evidence, *ends), most=most)
    places = {"case": cases.astype(int).tolist(), "evidence": vega.shortened(evidence, 4)}
    return vega.rows_of(places, line=line)


def _claim_lines(encoding: Spec, color: Spec) -> list[Spec]:
    """Draw groups without an alarm in grey, and other claims, those of comparisons in dashes."""
    encoding = encoding | dict.fromkeys(("detail", "tooltip"), vega.category("claim", "claim"))
    grey = vega.ink("line", opacity=0.25, strokeWidth=1)
    scale = {"domain": ["calibration", "comparison"], "range": vega.DASHES[:2]}
    own = color | {"strokeDash": vega.category("about", scale=scale, legend=None)}
    return [
        vega.layer(grey, encoding, "datum.quiet"),
        vega.layer(vega.mark("line", strokeWidth=1.8), encoding | own, "!datum.quiet"),
    ]


def _thresholds(courses: Sequence[Course], encoding: Spec) -> list[Spec]:
    """Draw where evidence is an alarm."""
    rows = [{"evidence": short(end), "text": words} for end, words in thresholds_of(courses)]
    y = {"y": encoding["y"]}
    above = y | {"x": {"value": 0}, "text": {"field": "text"}}
    words = vega.ink("text", align="left", baseline="bottom", dx=4, dy=-3, opacity=0.6)
    return [
        vega.layer(vega.ink("rule", strokeDash=[5, 3], opacity=0.6), y, values=rows),
        vega.layer(words, above, values=rows),
    ]


def _alarms(loud: Sequence[Course], ends: Ends, drawn: tuple[str, ...], place: Spec) -> Spec:
    """Mark the alarms of all lines."""
    rows = [
        _about(course, drawn)
        | {"case": alarm.case, "evidence": short(float(np.clip(math.log10(alarm.evidence), *ends)))}
        | {"after": many(alarm.case, "case"), "reached": evidence_in_words(alarm.evidence)}
        for course in loud
        for alarm in course.alarms
    ]
    tooltip = vega.hover({"claim": "alarm", "after": "after", "reached": "evidence"})
    dots = vega.dot(70, opacity=1)
    return vega.layer(dots, place | {"tooltip": tooltip}, APART_OR_SHOWN, values=rows)


def _labels(loud: Sequence[Course], ends: Ends, drawn: tuple[str, ...]) -> list[Spec]:
    """Name lines at their ends, no two names upon one another."""
    if not loud:
        return []
    pixels = EVIDENCE / (ends[1] - ends[0])
    height = (np.clip([x.evidence[-1] for x in loud], *ends) - ends[0]) * pixels
    places = spread(height, APART, 0, EVIDENCE) / pixels + ends[0]
    return [
        _about(x, drawn)
        | {"case": int(x.cases[-1]), "evidence": short(float(y)), "label": x.label(printable)}
        for x, y in zip(loud, places, strict=True)
    ]


def _claims(courses: Sequence[Course]) -> NumberTable:
    """List claims, those nearest to an alarm first."""
    head = (
        *("evidence that", "cases", "mean forecast", "event rate"),
        *("evidence", "at most", "alarm at", "alarms after"),
    )
    nearest = sorted(courses, key=lambda x: x.record.log_threshold - x.record.log_greatest)
    rows = []
    for course in nearest[:MOST_ROWS]:
        one = course.record
        three = (one.evidence, exp(one.log_greatest), one.threshold)
        rates = (percent(x, 3) if one.cases else "" for x in (one.mean_forecast, one.event_rate))
        alarms = "; ".join(f"{x.case:,}" for x in course.alarms[-3:])
        rows.append((one.claim, f"{one.cases:,}", *rates, *map(evidence_in_words, three), alarms))
    of = f", those nearest to an alarm of {len(courses):,}" if len(courses) > MOST_ROWS else ""
    return NumberTable(head, rows, f"Claims{of}")


def evidence_in_words(x: float) -> str:
    """Write evidence with about three digits.

    >>> [evidence_in_words(x) for x in (0.01234, 20.0, 20001.4, 3.2e17, math.inf)]
    ['0.0123', '20', '20,001', '3.2e+17', '∞']
    """
    if math.isinf(x):
        return "∞"
    return f"{x:,.0f}" if 100 <= x < 1e9 else f"{x:.3g}"
