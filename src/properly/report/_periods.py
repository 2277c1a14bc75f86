"""Scores over time, with what was forecast and what happened below them."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._text import listed, many, printable
from properly.comparison._periods import words
from properly.report._chart import (
    WIDE,
    Chart,
    Table,
    model_color,
    model_dash,
    only_shown,
    short,
    shown,
)
from properly.report._words import NONE, decimals_of_least, fixed, from_to, percent, score_in_words

if TYPE_CHECKING:
    from properly.comparison._periods import OverTime
    from properly.evaluation._record import Evaluation
    from properly.report._chart import Spec
    from properly.typing import Column

Row: TypeAlias = dict[str, Any]

# Pixels: the heights of the two panels.
HIGH, LOW = 250, 130
# Pixels to the left and right of all points; days from which on months are enough.
PADDING, MONTHS = 20, 200
# So many times are all written below the axis.
MARKED = 12
# So few periods stand side by side, with the models beside each other in each.
FEW = 6
# Periods that a table has at most.
MOST_ROWS = 30
LEAD = (
    "The {score} of consecutive periods, lower is better, with {level} % intervals of each "
    "period taken alone."
)
BELOW = (
    " Below: how often the event happened (grey) and what was forecast on average. A score "
    "moves with the event rate even if forecasts are as good as before; that forecasts move away "
    "from it is another matter."
)


def time_chart(evaluation: Evaluation) -> Chart | None:
    """Draw scores in consecutive periods, and below them the event rate and mean forecasts."""
    by_model = evaluation.over_time
    if not by_model:
        return None
    one = next(iter(by_model.values()))
    score = score_in_words(evaluation, one.rule)
    lead = LEAD.format(level=f"{100 * one.level:g}", score=score)
    return Chart(
        name="time",
        title="Over time: do the forecasts keep their quality?",
        lead=lead if one.events is None else lead + BELOW,
        spec=_spec(by_model, one),
        alt=_alt(by_model, score),
        table=_table(by_model, one),
        wide=True,
    )


def _places(periods: OverTime) -> tuple[list[Any], Spec]:
    """Return where periods stand: in the middle of their times, or one beside the other."""
    start, end = periods.start, periods.end
    if len(periods) <= FEW:
        axis: Spec = {"labelAngle": 0, "labelLimit": WIDE // len(periods), "grid": False}
        band = {"scale": {"type": "band", "padding": 0.2}, "axis": axis}
        return [printable(x) for x in periods.name], {"type": "ordinal", "sort": None} | band
    if start.dtype.kind == "O":
        start, end = (_as_dates(x) for x in (start, end))
    if start.dtype.kind == "M":
        return _dates(start, end)
    axis, scale = {"format": "~f", "grid": False}, {"zero": False, "padding": PADDING}
    numbers: list[Any] = list(range(1, len(periods) + 1))
    if start.dtype.kind in "iuf":
        numbers = [short(x) for x in ((start + end) / 2).tolist()]
        labelled = bool((start == end).all()) and len(start) <= MARKED
        axis |= {"values": numbers} if labelled else {}
    else:
        axis["title"] = "period"
    return numbers, {"type": "quantitative", "scale": scale | {"nice": False}, "axis": axis}


def _dates(start: Column, end: Column) -> tuple[list[Any], Spec]:
    """Return the middle of each period, and an axis of months, or of days if that is all."""
    first, last = (x.astype("datetime64[s]").astype(np.int64) for x in (start, end))
    middle = ((first + last) // 2).astype("datetime64[s]")
    days = (last[-1] - first[0]) / 86400
    axis = {"format": "%b %Y" if days > MONTHS else "%d %b %Y", "grid": False, "tickCount": 8}
    scale = {"type": "utc", "padding": PADDING}
    return [f"{x}Z" for x in middle], {"type": "temporal", "scale": scale, "axis": axis}


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


def _rows(name: str, periods: OverTime, places: list[Any]) -> list[Row]:
    decimals = _decimals(periods)
    rows: list[Row] = []
    for k, (period, place) in enumerate(zip(periods.name, places, strict=True)):
        row: Row = {
            "model": name,
            "time": place,
            "period": printable(period),
            "cases": f"{periods.cases[k]:,}",
            "score": short(float(periods.score[k])),
            "lower": short(float(periods.lower[k])),
            "upper": short(float(periods.upper[k])),
            "interval": from_to((float(periods.lower[k]), float(periods.upper[k])), decimals),
        }
        if periods.event_rate is not None and periods.mean_forecast is not None:
            row["rate"] = short(float(periods.event_rate[k]))
            row["forecast"] = short(float(periods.mean_forecast[k]))
        rows.append(row)
    return rows


def _decimals(periods: OverTime) -> int:
    return decimals_of_least((periods.upper - periods.lower) / 2)


def _spec(by_model: dict[str, OverTime], one: OverTime) -> Spec:
    places, way = _places(one)
    rows = [row for name, record in by_model.items() for row in _rows(name, record, places)]
    x: Spec = {"field": "time", "title": None} | way
    names = list(by_model)
    spec: Spec = {
        "params": [shown(names)],
        "data": {"values": rows},
        "transform": [only_shown()],
    }
    upper = _scores(names, x, one)
    if one.events is None:
        return spec | upper
    return spec | {"vconcat": [upper, _rates(names, x, rows[: len(one)])], "spacing": 18}


def _is_few(x: Spec) -> bool:
    return bool(x["type"] == "ordinal")


def _beside(names: list[str]) -> Spec:
    """Put models beside each other, in their order."""
    scale = {"domain": names, "paddingOuter": 1}
    return {"xOffset": {"field": "model", "type": "nominal", "scale": scale}}


def _scores(names: list[str], x: Spec, one: OverTime) -> Spec:
    """Draw the scores, with ribbons for their intervals."""
    title = "mean score"
    y: Spec = {"field": "score", "type": "quantitative", "title": title, "scale": {"zero": False}}
    color, dash = model_color(names), model_dash(names)
    tooltip = [
        *_where(),
        {"field": "score", "type": "quantitative", "title": title, "format": ".4~g"},
        {"field": "interval", "type": "nominal", "title": f"{100 * one.level:g} % interval"},
    ]
    points: Spec = {
        "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
        "encoding": {"x": x, "y": y, "color": color, "tooltip": tooltip},
    }
    ends: Spec = {"x": x, "y": y | {"field": "lower"}, "y2": {"field": "upper"}, "color": color}
    bounded = [{"filter": "isValid(datum.lower)"}]
    if _is_few(x):
        points["encoding"] |= _beside(names)
        bars: Spec = {"mark": {"type": "rule", "strokeWidth": 2.2}, "encoding": ends}
        bars["encoding"] |= _beside(names)
        return {"width": WIDE, "height": HIGH} | {"layer": [bars | {"transform": bounded}, points]}
    ribbon = {"transform": bounded, "mark": {"type": "area", "opacity": 0.13}, "encoding": ends}
    line = {
        "mark": {"type": "line", "strokeWidth": 1.8},
        "encoding": {"x": x, "y": y, "color": color, "strokeDash": dash},
    }
    return {"width": WIDE, "height": HIGH} | {"layer": [ribbon, line, points]}


def _rates(names: list[str], x: Spec, rows: list[Row]) -> Spec:
    """Draw the mean forecasts, and the event rate of all models alike."""
    y: Spec = {
        "field": "forecast",
        "type": "quantitative",
        "title": "mean forecast",
        "axis": {"format": "~%", "tickCount": 4},
        "scale": {"zero": True},
    }
    color = model_color(names)
    rate: Spec = {"field": "rate", "type": "quantitative", "title": "event rate", "format": ".2%"}
    mean = rate | {"field": "forecast", "title": "mean forecast"}
    lines: Spec = {
        "mark": {"type": "line", "strokeWidth": 1.6},
        "encoding": {"x": x, "y": y, "color": color, "strokeDash": model_dash(names)},
    }
    points: Spec = {
        "mark": {"type": "point", "filled": True, "size": 30, "opacity": 1},
        "encoding": {"x": x, "y": y, "color": color, "tooltip": [*_where(), mean, rate]},
    }
    happened = _happened({"x": x, "y": y | {"field": "rate"}}, rows, [*_where()[1:], rate])
    if _is_few(x):
        points["encoding"] |= _beside(names)
        return {"width": WIDE, "height": LOW} | {"layer": [*happened, points]}
    return {"width": WIDE, "height": LOW} | {"layer": [lines, points, *happened]}


def _happened(at: Spec, rows: list[Row], tooltip: list[Spec]) -> list[Spec]:
    """Draw the event rate of each period, and name it once."""
    observed = [row for row in rows if row["rate"] is not None]
    fields = ("time", "period", "cases", "rate")
    data = {"values": [{key: row[key] for key in fields} for row in observed]}
    look: Spec = {"color": "currentColor", "opacity": 0.75}
    dashed: Spec = {"strokeDash": [5, 3], "strokeWidth": 1.6} | look
    name: Spec = {
        "data": {"values": data["values"][-1:]},
        "mark": {"type": "text", "align": "right", "baseline": "bottom", "dy": -7} | look,
        "encoding": at | {"text": {"value": "event rate"}},
    }
    if _is_few(at["x"]):
        # A line over the whole period, behind the forecasts.
        tick: Spec = {"type": "tick", "thickness": 2} | look
        name["mark"]["align"] = "center"
        return [{"data": data, "mark": tick, "encoding": at | {"tooltip": tooltip}}, name]
    dot: Spec = {"type": "point", "filled": True, "size": 30} | look
    return [
        {"data": data, "mark": {"type": "line"} | dashed, "encoding": at},
        {"data": data, "mark": dot, "encoding": at | {"tooltip": tooltip}},
        name,
    ]


def _where() -> list[Spec]:
    fields = ("model", "period", "cases")
    return [{"field": field, "type": "nominal", "title": field} for field in fields]


def _alt(by_model: dict[str, OverTime], score: str) -> str:
    one = next(iter(by_model.values()))
    ranges = []
    for name, record in by_model.items():
        finite = record.score[np.isfinite(record.score)]
        ends = (
            [fixed(float(x), _decimals(record)) for x in (finite.min(), finite.max())]
            if finite.size
            else []
        )
        ranges.append(f"{printable(name)} {' to '.join(ends) or NONE}")
    periods = f"{many(len(one), 'period')} from {words(one.start)[0]} to {words(one.end)[-1]}"
    said = f"The {score} in {periods}: {listed(ranges)}."
    if one.event_rate is None or not np.isfinite(one.event_rate).any():
        return said
    low, high = (percent(float(x)) for x in (np.nanmin(one.event_rate), np.nanmax(one.event_rate)))
    return f"{said} The event rate lies between {low} and {high}."


def _table(by_model: dict[str, OverTime], one: OverTime) -> Table:
    """Give the score of each period and model; of many periods, the last ones."""
    rates = one.event_rate
    rows = []
    for k in range(max(0, len(one) - MOST_ROWS), len(one)):
        scores = [fixed(float(x.score[k]), _decimals(x)) for x in by_model.values()]
        rate = () if rates is None else (percent(float(rates[k]), 3),)
        rows.append((one.name[k], f"{one.cases[k]:,}", *rate, *scores))
    rate_head = () if rates is None else ("event rate",)
    return Table(("period", "cases", *rate_head, *by_model), tuple(rows))
