"""What may be odd about forecasts of an event beside the outcomes, and beside each other."""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from properly.evaluation._checkup._symptom import Symptom, of_column, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from properly.evaluation._checkup._sheet import EventForecast, Sheet

    Floats: TypeAlias = NDArray[np.float64]

# With fewer events or non-events, a perfect order is no wonder.
ENOUGH = 10
# Standard errors: of an interval of 99.9 %, and from which on a mean is far off.
SURE, FAR = 3.29, 5.0
# The odds of the mean forecast are off by a quarter or more.
QUARTER = 1.25
# Forecasts this near to what happened are as good as equal to it.
NEAR = 0.01
# Rounding may keep an area of 1 from being 1.
ALMOST = 1 - 1e-12
# From so many distinct forecasts on, the same order is not chance.
DISTINCT = 5
LEAK = (
    "Was the outcome, or something known only afterwards, among the predictors, or are these the "
    "rows that the model was trained on?"
)


def perfect(model: EventForecast) -> Iterator[Symptom]:
    """Find forecasts that know the outcome: so good that something has leaked."""
    if model.is_outcome:
        what = "the forecast is the outcome itself, in every row"
        yield of_column("problem", model.name, len(model.column), what, LEAK)
        return
    if model.scored is None or model.area is None or not _has_enough(model):
        return
    y, p = model.scored
    off = float(np.abs(y - p).max())
    what = "every event has a higher forecast than every non-event (AUC 1)"
    if off < NEAR:
        what = f"every forecast is within {off:.2g} of what happened"
    if off < NEAR or model.area.value > ALMOST:
        yield of_column("oddity", model.name, len(model.column), what, LEAK)


def inverted(model: EventForecast) -> Iterator[Symptom]:
    """Find an order that is worse than chance (99.9 % interval): often the label is reversed."""
    if model.area is None or not _has_enough(model):
        return
    area, error = model.area
    if not area + SURE * error < 0.5:
        return
    what = f"events have lower forecasts than non-events: AUC {area:.3f}, worse than chance"
    label = model.sheet.pos_label
    named = "pos_label=, --event" if label is None else f"pos_label={quoted(label)}"
    advice = f"Is it the probability of the other outcome (1 - p), or the wrong event ({named})?"
    yield of_column("oddity", model.name, len(model.column), what, advice)


def mean_far_off(model: EventForecast) -> Iterator[Symptom]:
    """Find a mean forecast far from the event rate: five standard errors, and the odds a quarter.

    Large data make any difference significant, so the odds of both must differ by a quarter, too.
    """
    if model.scored is None or model.used is None or np.isin(model.scored[1], (0, 1)).all():
        return
    y, p = model.scored
    weight = model.sheet.weight
    w = np.ones(len(p)) if weight is None else weight[model.used]
    rate, mean = (float(x @ w / w.sum()) if w.any() else math.nan for x in (y, p))
    error = math.sqrt(float(w**2 @ (p * (1 - p))))
    if not (error > 0 and abs(rate - mean) * w.sum() > FAR * error and _odds_differ(rate, mean)):
        return
    of = "the weighted event rate" if weight is not None else "the event rate"
    what = f"the mean forecast is {mean:.4g}, {of} {rate:.4g}"
    advice = (
        "Balanced classes in training, or case-control sampling? If the event has another rate "
        "where the forecasts are used, see properly.with_event_rate; otherwise recalibrate."
    )
    yield of_column("oddity", model.name, len(model.column), what, advice)


def same_order(sheet: Sheet) -> Iterator[Symptom]:
    """Find models with the same ranking: they have one ROC curve, and differ in calibration only.

    Ranks are found only of models that have as many distinct forecasts and the same AUC. Of fewer
    than five, the same order is no wonder.
    """
    alike: dict[object, list[EventForecast]] = {}
    for model in sheet.events:
        if model.inside and len(model.distinct) >= DISTINCT:
            key = len(model.column), len(model.distinct), model.area
            alike.setdefault(key, []).append(model)
    for models in alike.values():
        yield from _in_same_order(models)


def _in_same_order(models: list[EventForecast]) -> Iterator[Symptom]:
    first: dict[bytes, EventForecast] = {}
    for model in models if len(models) > 1 else []:
        ranks = np.unique(model.column.numbers, return_inverse=True)[1]
        other = first.setdefault(blake2b(ranks.tobytes()).digest(), model)
        if other is model or np.array_equal(other.p, model.p):
            continue
        what = f"it ranks the cases exactly as {quoted(other.name)} does"
        advice = "AUC and ROC curve are the same for both; only their calibration differs."
        yield of_column("note", model.name, len(model.column), what, advice)


FIT = (perfect, inverted, mean_far_off)


def fit_symptoms(model: EventForecast) -> Iterator[Symptom]:
    """Compare the forecasts of one model with what happened."""
    for check in FIT:
        yield from check(model)


def _has_enough(model: EventForecast) -> bool:
    if model.scored is None:
        return False
    events = int(model.scored[0].sum())
    return min(events, len(model.scored[0]) - events) >= ENOUGH


def _odds_differ(rate: float, mean: float) -> bool:
    """Tell whether the odds of two shares differ by a quarter or more; 0 and 1 have none."""
    if rate in (0, 1) or mean in (0, 1):
        return False
    logits = [math.log(x) - math.log1p(-x) for x in (rate, mean)]
    return abs(logits[0] - logits[1]) > math.log(QUARTER)
