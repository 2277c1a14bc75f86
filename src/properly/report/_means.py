"""What forecasts gave to what happened, and what they would give if they meant what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from properly._boundary._text import amount_of, listed, printable
from properly.probability._power import LABELS, POWERS
from properly.report._chart import Chart, Table, model_color, only_shown, short, shown
from properly.report._words import few, percent

if TYPE_CHECKING:
    from properly.evaluation._record import Evaluation
    from properly.probability._means import Means
    from properly.report._chart import Spec

Row: TypeAlias = dict[str, Any]

# The marks of the three means, as in the figures of the library.
SHAPES = {
    "decisiveness": "triangle-up",
    "mean probability": "diamond",
    "robustness": "triangle-down",
}
# Pixels of a row, and the part of the axis below the least number.
ROW, AIR = 54, 0.04
LEAD = (
    "For every case, take the probability that was given to the outcome. The diamond is its "
    "geometric mean, the mean probability of the outcome: the log score on the scale of "
    "probabilities, 100 % at best. "
    "The arithmetic mean (triangle up) is hardly moved by surprises, the mean of power −2/3 "  # noqa: RUF001
    "(triangle down) feels them most. Coloured: what the forecasts gave. Grey below it: what they "
    "would have given had every forecast come true as often as it said, the source. Where the "
    "two diamonds are apart, forecasts do not mean what they say."
)


def source_chart(evaluation: Evaluation) -> Chart | None:
    """Draw three means of the probability of what happened, of each model and of its source."""
    if not evaluation.means:
        return None
    means = evaluation.means
    order = sorted(means, key=lambda name: -means[name].mean_probability)
    rows = [row for place, name in enumerate(order) for row in _rows(name, place, means[name])]
    return Chart(
        name="source",
        title="Model against source: the probability given to what happened",
        lead=LEAD,
        spec=_spec(list(means), rows, next(iter(means.values())).baseline),
        alt=_alt(means, order),
        table=_table(means),
    )


def _rows(name: str, place: int, means: Means) -> list[Row]:
    """Lay out the marks of the model and of the source, and what is to be said about a zero."""
    both = {"model": means.model, "source": means.source}
    rows: list[Row] = [
        {
            "model": name,
            "place": place,
            "whose": whose,
            "mean": LABELS[mean],
            "x": short(getattr(three, mean)),
            "own": short(getattr(means.model, mean)),
            "source": short(getattr(means.source, mean)),
        }
        for whose, three in both.items()
        for mean in POWERS
    ]
    if means.impossible:
        words = f"0: called impossible what happened in {amount_of(means.impossible)}"
        rows.append({"model": name, "place": place, "whose": "model", "said": words, "x": 0})
    return rows


def _spec(names: list[str], rows: list[Row], baseline: float) -> Spec:
    least = min(row["x"] for row in rows)
    low = 0 if least < 0.3 else round(int(10 * (least - AIR)) / 10, 1)
    axis = {"format": "~%", "tickCount": 6, "title": "average probability given to what happened"}
    y: Spec = {
        "field": "model",
        "type": "nominal",
        "sort": {"field": "place", "op": "min"},
        "axis": {"title": None, "labelLimit": 150, "ticks": False, "domain": False, "grid": False},
    }
    offset = {
        "field": "whose",
        "type": "nominal",
        "scale": {"domain": ["model", "source"], "paddingOuter": 0.6},
    }
    x = {
        "field": "x",
        "type": "quantitative",
        "scale": {"domain": [low, 1], "nice": False, "zero": False},
        "axis": axis,
    }
    return {
        "params": [shown(names)],
        "data": {"values": rows},
        "transform": [only_shown()],
        "width": "container",
        "height": ROW * len(names),
        "layer": [
            *_baseline(baseline, x),
            *_marks("model", {"y": y, "x": x, "yOffset": offset}, model_color(names)),
            *_marks("source", {"y": y, "x": x, "yOffset": offset}, None),
            *_written({"y": y, "x": x, "yOffset": offset}),
        ],
    }


def _marks(whose: str, at: Spec, color: Spec | None) -> list[Spec]:
    """Draw three marks and the line that joins them: full for a model, hollow for a source."""
    chosen = {"filter": f"datum.whose == '{whose}' && isValid(datum.mean)"}
    look: Spec = {} if color else {"color": "currentColor", "opacity": 0.7}
    paint: Spec = {"color": color} if color else {}
    ends = {
        "x": at["x"] | {"aggregate": "min"},
        "x2": {"field": "x", "aggregate": "max"},
    }
    shape = {
        "field": "mean",
        "type": "nominal",
        "scale": {"domain": list(SHAPES), "range": list(SHAPES.values())},
        "legend": {
            "title": None,
            "orient": "top",
            "symbolFillColor": "currentColor",
            "symbolStrokeColor": "currentColor",
        },
    }
    tooltip = [
        {"field": "model", "type": "nominal", "title": "model"},
        {"field": "mean", "type": "nominal", "title": "mean"},
        {"field": "own", "type": "quantitative", "title": "of the forecasts", "format": ".2%"},
        {"field": "source", "type": "quantitative", "title": "of the source", "format": ".2%"},
    ]
    point: Spec = {"type": "point", "filled": color is not None, "size": 90, "strokeWidth": 1.6}
    return [
        {
            "transform": [chosen],
            "mark": {"type": "rule", "strokeWidth": 1.6} | look,
            "encoding": at | ends | paint,
        },
        {
            "transform": [chosen],
            "mark": point | (look or {"opacity": 1}),
            "encoding": at | paint | {"shape": shape, "tooltip": tooltip},
        },
    ]


def _written(at: Spec) -> list[Spec]:
    """Write the mean probability above its mark; or, where it is 0, why."""
    mark: Spec = {"type": "text", "baseline": "bottom", "dy": -7, "color": "currentColor"}
    shares = {"field": "x", "type": "quantitative", "format": ".1%"}
    own = "datum.whose == 'model' && datum.mean == 'mean probability' && datum.x > 0"
    return [
        {
            "transform": [{"filter": own}],
            "mark": mark | {"opacity": 0.85},
            "encoding": at | {"text": shares},
        },
        {
            "transform": [{"filter": "isValid(datum.said)"}],
            "mark": mark | {"align": "left", "dx": 8},
            "encoding": at | {"text": {"field": "said", "type": "nominal"}},
        },
    ]


def _baseline(baseline: float, x: Spec) -> list[Spec]:
    """Draw the mean probability of forecasts that are the event rate."""
    place = {"x": x | {"field": "at"}}
    data = {"values": [{"at": short(baseline), "who": "event rate"}]}
    ink: Spec = {"color": "currentColor", "opacity": 0.55}
    tooltip = [{"field": "at", "type": "quantitative", "title": "event rate", "format": ".2%"}]
    return [
        {
            "data": data,
            "mark": {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.2} | ink,
            "encoding": place | {"tooltip": tooltip},
        },
        {
            "data": data,
            "mark": {"type": "text", "baseline": "bottom", "dy": -3} | ink,
            "encoding": place | {"y": {"value": 0}, "text": {"field": "who", "type": "nominal"}},
        },
    ]


def _alt(means: dict[str, Means], order: list[str]) -> str:
    probabilities = [
        f"{printable(name)} {percent(means[name].mean_probability, 3)}"
        f" where its source has {percent(means[name].source.mean_probability, 3)}"
        for name in order
    ]
    baseline = percent(means[order[0]].baseline, 3)
    return (
        "Mean probability of the outcome, a geometric mean: "
        f"{listed(probabilities)}. No model has {baseline}."
    )


def _table(means: dict[str, Means]) -> Table:
    head = ("model", *LABELS.values(), "mean probability of the source", "ratio to the source")
    rows = []
    for name, one in means.items():
        three = (percent(getattr(one.model, mean), 3) for mean in POWERS)
        rows.append((name, *three, percent(one.source.mean_probability, 3), few(one.divergence, 3)))
    return Table(head, tuple(rows))
