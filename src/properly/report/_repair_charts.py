"""Can a model be repaired? Forecasts before and after, what that saves, and all maps."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._text import percent, printable
from properly.recalibration._choice import folds_in_words, kind_in_words, texts
from properly.report import _vega as vega
from properly.report._page_words import MINUS, NONE, few, lead_of, score_in_words
from properly.report._reliability_chart import frame_of, panel_of_rates
from properly.report._threshold_views import views
from properly.report._vega import TableCell, shortened

if TYPE_CHECKING:
    from properly.calibration._reliability import Reliability
    from properly.evaluation._record import Evaluation, Repair
    from properly.recalibration import Gain
    from properly.report._reliability_chart import Frame
    from properly.report._vega import Chart, NumberTable, Spec

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
COLUMNS, NAMES = 3, 150
SHARED: Spec = {"resolve": None, "spacing": {"column": GAP, "row": GAP}}
DIAGONAL = vega.ink("line", opacity=0.4, strokeDash=[4, 3])


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
    chart = vega.Chart("repair-curves", lead, spec, "")
    return _with_advice(chart, evaluation, tried)


def _with_advice(chart: Chart, evaluation: Evaluation, tried: dict[str, Repair]) -> Chart:
    """Put what to do, and all maps, below a chart."""
    sentences = [repair.result.sentence.partition(". ")[0] for repair in tried.values()]
    alt = f"{'. '.join(x.rstrip('.') for x in sentences[:3])}."
    below, table = _advice(evaluation, tried), _maps(evaluation, tried)
    return replace(chart, alt=alt, below=below, table=table, wide=True)


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
    chart = vega.Chart("repair-gains", lead, spec, "")
    return _with_advice(chart, evaluation, tried)


def _gains_spec(names: list[str], rows: list[Spec], color: Spec) -> Spec:
    columns = min(len(names), COLUMNS)
    x = vega.measure("x", "would save", axis={"format": "~g", "tickCount": 4})
    ends = {"x": x | {"field": "low"}, "x2": {"field": "high"}} | color
    panel = {
        "width": (vega.WIDE - NAMES) // columns - GAP,
        "height": {"step": 26},
        "encoding": {"x": x, "y": vega.category("map", None, sort=None)},
        "layer": [
            vega.layer(vega.ink("rule", opacity=0.5), {"x": {"datum": 0}}),
            vega.layer(vega.mark("rule", strokeWidth=3, opacity=0.5), ends),
            vega.layer(vega.dot(70), color),
        ],
    }
    return vega.model_panels(names, rows, panel, vega.PANEL, columns, **SHARED)


def _honesty(evaluation: Evaluation) -> str:
    """Say how maps were judged, and when a repair is advised."""
    gain = next(iter(evaluation.repairs.values())).result.gain
    score = score_in_words(evaluation, evaluation.primary)
    return (
        "Each case was recalibrated by a map that was fitted without it, in "
        f"{folds_in_words(gain)}. A repair is advised only if the interval of what it would save "
        f"of the {score} lies above zero."
    )


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
        _line("diagonal", DIAGONAL),
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


def _advice(evaluation: Evaluation, tried: dict[str, Repair]) -> NumberTable:
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
    benefits = [f"net benefit at {percent(t)}" for t in next(iter(tried.values())).net_benefit]
    head = ("model", "advice", "would save on new cases", "seemingly, in sample", *benefits)
    per = f"; net benefit per {PER:,} cases" if benefits else ""
    title = f"What to do (below numbers: {100 * evaluation.level:g} % intervals{per})"
    return vega.NumberTable(head, rows, title)


def _maps(evaluation: Evaluation, tried: dict[str, Repair]) -> NumberTable:
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
    panel = {
        "width": size,
        "height": HEIGHT,
        "encoding": {
            "x": vega.measure("x", "threshold", scale=scale, axis=ticks),
            "y": vega.measure("y", None, axis=number),
        },
        "layer": [
            vega.layer(vega.ink("rule", opacity=0.5), {"y": {"datum": 0}}),
            *[vega.layer(band, ends, around, valid)] * any("low" in row for row in rows),
            vega.layer(line, color, unfold),
        ],
    }
    apart = {"scale": {"y": "independent"}, "axis": {"x": "independent"}}
    return vega.model_panels(names, rows, panel, size, columns, **SHARED | {"resolve": apart})


def _savings_alt(tried: dict[str, Repair]) -> str:
    first = {
        name: next((t for t, gain in repair.net_benefit.items() if gain.interval[0] > 0), None)
        for name, repair in tried.items()
    }
    said = [f"{printable(k)} gains net benefit at {percent(t)}" for k, t in first.items() if t]
    return f"{'; '.join(said)}." if said else "No gain of net benefit is clear at any threshold."
