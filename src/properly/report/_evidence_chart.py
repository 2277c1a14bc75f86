"""Evidence of a monitor over the cases that it has counted, and its claims below."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._text import many, printable
from properly.evaluation._monitor._claims import exp
from properly.plots._courses import WRITTEN, courses_of, ends_of, power, thresholds_of
from properly.plots._names import spread
from properly.report import _vega as vega
from properly.report._chart import Chart, NumberTable, drawn_models, short, thinned
from properly.report._page_words import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.evaluation import Evaluation, Monitor
    from properly.plots._courses import Course
    from properly.report._vega import Spec

# Pixels: how high the chart is, and how wide at least.
HIGH, LEAST = 280, 480
# Pixels of a letter on average, and from one name to the next.
LETTER, APART = 6.1, 14
# Groups without an alarm that are drawn, those with most evidence, and the points of each.
MOST_QUIET, FEW_POINTS = 20, 100
# Points of another line, and rows of the table.
MOST_POINTS, MOST_ROWS = 1000, 30
LEAD = (
    " A line is the evidence for one claim. It begins at 1, and is an alarm at the dashed line, "
    "which a dot marks."
)
AGAIN = " After an alarm, evidence begins anew."


def evidence_chart(monitor: Monitor | None, evaluation: Evaluation) -> Chart | None:
    """Draw the evidence of a monitor; models have the colours that they have on the page."""
    if monitor is None or not monitor.cases:
        return None
    courses = list(courses_of(monitor))
    said = " ".join(str(monitor).split())
    return Chart(
        name="evidence",
        title="Is the model still right?",
        lead=said + LEAD + AGAIN * (monitor.options["run_length"] is not None),
        spec=_spec(courses, drawn_models(evaluation)),
        alt=said,
        table=_table(courses),
        wide=True,
    )


def _spec(courses: Sequence[Course], drawn: tuple[str, ...]) -> Spec:
    ends = ends_of(courses)
    loud = [x for x in courses if not x.is_quiet]
    quiet = sorted((x for x in courses if x.is_quiet), key=lambda x: -x.evidence[-1])[:MOST_QUIET]
    models = dict.fromkeys([*drawn, *(x.record.model for x in courses)])
    shown_lines = [*loud, *quiet]
    claims = [{"line": k} | _about(x, drawn) for k, x in enumerate(shown_lines)]
    labels = _labels(loud, ends, drawn)
    longest = max((len(row["label"]) for row in labels), default=0)
    ticks = range(math.ceil(ends[0]), math.floor(ends[1]) + 1)
    encoding = _places(courses, ends, list(ticks))
    color = vega.model_color(models)
    return {
        "params": [vega.shown(drawn), {"name": "powers", "value": [_power(k) for k in ticks]}],
        "data": {"values": [row for k, x in enumerate(shown_lines) for row in _rows(k, x, ends)]},
        "transform": [_told(claims), _only_shown()],
        "width": max(vega.WIDE - math.ceil(LETTER * longest) - 12, LEAST),
        "height": HIGH,
        "layer": [
            *_thresholds(courses, encoding),
            _quiet(encoding),
            _loud(encoding, color),
            _alarms(loud, ends, drawn, encoding, color),
            _names(labels, encoding, color),
        ],
    }


def _places(courses: Sequence[Course], ends: tuple[float, float], ticks: list[int]) -> Spec:
    """Place cases across, in their order, and powers of ten up."""
    last = max(float(x.cases[-1]) for x in courses)
    # A label is looked up by its number, so that nothing is computed there.
    label = f"powers[datum.value - {ticks[0]}]" if ticks else "''"
    return {
        # As they come: at an alarm, a line ends above and begins below.
        "x": vega.measure(
            "case",
            "cases, in the order of their forecasts",
            scale={"domain": [0, last], "nice": False},
            axis={"format": ",d", "grid": False, "tickCount": 8},
            sort=None,
        ),
        "y": vega.measure(
            "evidence",
            "evidence",
            scale={"domain": [short(x) for x in ends], "nice": False, "zero": False},
            axis={"values": ticks, "labelExpr": label},
        ),
    }


def _power(exponent: int) -> str:
    return power(exponent) if abs(exponent) <= WRITTEN else f"1e{exponent}"


def _about(course: Course, drawn: tuple[str, ...]) -> Spec:
    """Say whose a row is; models without a switch are always shown."""
    one = course.record
    return {
        "model": one.model,
        "apart": one.model not in drawn,
        "claim": printable(one.claim),
        "about": one.about,
        "quiet": course.is_quiet,
    }


def _only_shown() -> Spec:
    return {"filter": "datum.apart || indexof(shown, datum.model) >= 0"}


def _told(claims: list[Spec]) -> Spec:
    """Say of each corner whose line it is of; lines are long, so that is said once a line."""
    fields = [name for name in claims[0] if name != "line"]
    source = {"data": {"values": claims}, "key": "line", "fields": fields}
    return {"lookup": "line", "from": source}


def _rows(line: int, course: Course, ends: tuple[float, float]) -> list[Spec]:
    """Return the corners of a line; what is beyond the picture is at its edge."""
    most = FEW_POINTS if course.is_quiet else MOST_POINTS
    cases, evidence = thinned(course.cases, np.clip(course.evidence, *ends), most=most)
    return [
        {"line": line, "case": int(case), "evidence": short(float(y), 4)}
        for case, y in zip(cases, evidence, strict=True)
    ]


def _quiet(encoding: Spec) -> Spec:
    """Draw groups without an alarm in grey."""
    look = vega.mark("line", opacity=0.25, strokeWidth=1, **vega.INK)
    return vega.layer(look, encoding | _claim(), {"filter": "datum.quiet"})


def _loud(encoding: Spec, color: Spec) -> Spec:
    """Draw the other claims, those of comparisons in dashes."""
    scale = {"domain": ["calibration", "comparison"], "range": vega.DASHES[:2]}
    dash = vega.category("about", scale=scale, legend=None)
    own = encoding | _claim() | {"color": color, "strokeDash": dash}
    return vega.layer(vega.mark("line", strokeWidth=1.8), own, {"filter": "!datum.quiet"})


def _claim() -> Spec:
    return dict.fromkeys(("detail", "tooltip"), vega.category("claim", "claim"))


def _thresholds(courses: Sequence[Course], encoding: Spec) -> list[Spec]:
    """Draw where evidence is an alarm."""
    rows = [{"evidence": short(end), "text": words} for end, words in thresholds_of(courses)]
    y, look = {"y": encoding["y"]}, {"opacity": 0.6} | vega.INK
    above = y | {"x": {"value": 0}, "text": {"field": "text"}}
    words = vega.mark("text", align="left", baseline="bottom", dx=4, dy=-3, **look)
    return [
        vega.layer(vega.mark("rule", strokeDash=[5, 3], **look), y, values=rows),
        vega.layer(words, above, values=rows),
    ]


def _alarms(
    loud: Sequence[Course],
    ends: tuple[float, float],
    drawn: tuple[str, ...],
    encoding: Spec,
    color: Spec,
) -> Spec:
    """Mark alarms."""
    rows = [
        _about(course, drawn)
        | {"case": alarm.case, "evidence": short(float(np.clip(math.log10(alarm.evidence), *ends)))}
        | {"after": many(alarm.case, "case"), "reached": evidence_in_words(alarm.evidence)}
        for course in loud
        for alarm in course.alarms
    ]
    titles = {"claim": "alarm", "after": "after", "reached": "evidence"}
    paint = {"color": color, "tooltip": vega.hover(titles)}
    return vega.layer(vega.dot(70, opacity=1), encoding | paint, _only_shown(), values=rows)


def _labels(
    loud: Sequence[Course], ends: tuple[float, float], drawn: tuple[str, ...]
) -> list[Spec]:
    """Name lines at their ends, no two names upon one another."""
    if not loud:
        return []
    pixels = HIGH / (ends[1] - ends[0])
    height = (np.clip([x.evidence[-1] for x in loud], *ends) - ends[0]) * pixels
    places = spread(height, APART, 0, HIGH) / pixels + ends[0]
    return [
        _about(x, drawn)
        | {"case": int(x.cases[-1]), "evidence": short(float(y)), "label": x.label(printable)}
        for x, y in zip(loud, places, strict=True)
    ]


def _names(labels: list[Spec], encoding: Spec, color: Spec) -> Spec:
    text = vega.mark("text", align="left", baseline="middle", dx=8)
    words = {"text": {"field": "label"}, "color": color}
    return vega.layer(text, encoding | words, _only_shown(), values=labels)


def _table(courses: Sequence[Course]) -> NumberTable:
    """List claims, those nearest to an alarm first."""
    head = (
        *("evidence that", "cases", "mean forecast", "event rate"),
        *("evidence", "at most", "alarm at", "alarms after"),
    )
    nearest = sorted(courses, key=lambda x: x.record.log_threshold - x.record.log_greatest)
    rows = tuple(_cells(x) for x in nearest[:MOST_ROWS])
    of = f", those nearest to an alarm of {len(courses):,}" if len(courses) > MOST_ROWS else ""
    return NumberTable(head, rows, f"Claims{of}")


def _cells(course: Course) -> tuple[str, ...]:
    one = course.record
    three = (one.evidence, exp(one.log_greatest), one.threshold)
    evidence = (evidence_in_words(x) for x in three)
    rates = (percent(x, 3) if one.cases else "" for x in (one.mean_forecast, one.event_rate))
    alarms = "; ".join(f"{x.case:,}" for x in course.alarms[-3:])
    return (one.claim, f"{one.cases:,}", *rates, *evidence, alarms)


def evidence_in_words(x: float) -> str:
    """Write evidence with about three digits.

    >>> [evidence_in_words(x) for x in (0.01234, 20.0, 20001.4, 3.2e17, math.inf)]
    ['0.0123', '20', '20,001', '3.2e+17', '∞']
    """
    if math.isinf(x):
        return "∞"
    return f"{x:,.0f}" if 100 <= x < 1e9 else f"{x:.3g}"
