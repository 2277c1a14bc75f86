"""Random forecasts, and the means that model and source gave to what happened, by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st
from tests.examples import examples

import properly
from properly import probability

from .class_draws import ClassRows, class_rows
from .subjects import Rows, exact_blocks, seeds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

POWERS = {"decisiveness": 1.0, "mean_probability": 0.0, "robustness": -2 / 3}
CLOSE: dict[str, Any] = {"rel": 0, "abs": 1e-13}
CERTAIN = pytest.approx([1, 1, 1], **CLOSE)
# For laws repeated for every source.
few = examples(10)
precisions = st.sampled_from([None, 0.0, 0.01, 0.1])
# What is estimated in bins, whatever the order of the rows.
BINNED: list[Any] = [
    "isotonic",
    probability.EqualCount(),
    probability.EqualCount(bins=3),
    probability.EqualWidth(bins=4),
]
POOLED: list[Any] = [
    probability.IsotonicSource(pooled=True),
    probability.EqualCount(bins=4, pooled=True),
    probability.EqualWidth(bins=4, pooled=True),
]
every_binned_source = pytest.mark.parametrize("source", BINNED, ids=repr)
every_class_source = pytest.mark.parametrize("source", BINNED + POOLED, ids=repr)
class_wise_or_pooled = pytest.mark.parametrize("pooled", [False, True])


def sixteenths(seed: int, count: int) -> Rows:
    """Draw forecasts that are exact in binary, and so are one minus them; 0 and 1 among them."""
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, count)
    weight[0] = 1
    return Rows(rng.integers(0, 2, count), rng.integers(0, 17, count) / 16, weight)


def rows_of_classes(seed: int, classes: int, weights: Sequence[float]) -> ClassRows:
    return class_rows(seed, classes, weights, most=20)


exact_rows = st.builds(sixteenths, seeds, st.integers(1, 20))
counted_classes = st.builds(rows_of_classes, seeds, st.integers(2, 5), st.just([0, 1, 2]))
weighted_classes = st.builds(rows_of_classes, seeds, st.integers(2, 5), st.just([0.0, 0.3, 1.5]))
any_classes = st.one_of(counted_classes, weighted_classes)


def cases_of(found: Rows | ClassRows) -> properly.Cases:
    return properly.Cases(found.y, found.p, weight=found.weight)


def three(record: Any) -> list[float]:
    return [getattr(record, name) for name in POWERS]


def power_mean(values: Any, weight: Any, power: float) -> float:
    """Average by the definition; weights of 0 count for nothing."""
    used = np.asarray(weight) > 0
    x, w = np.asarray(values, dtype=float)[used], np.asarray(weight, dtype=float)[used]
    w /= math.fsum(w)
    if power <= 0 and (x == 0).any():
        return 0.0
    if power == 0:
        return math.exp(math.fsum(w * np.log(x)))
    return float(math.fsum(w * x**power) ** (1 / power))


def three_by_hand(values: Any, weight: Any) -> Any:
    return pytest.approx([power_mean(values, weight, m) for m in POWERS.values()], **CLOSE)


def classes_of(found: properly.probability.Means) -> dict[str, Any]:
    """Return the classes that happened."""
    return {name: of for name, of in found.classes.items() if of.weight > 0}


def spreads(found: properly.probability.Means) -> tuple[float, float]:
    model, source = found.model, found.source
    return model.decisiveness - model.robustness, source.decisiveness - source.robustness


def require_alike(found: properly.probability.Means, other: properly.probability.Means) -> None:
    """Compare all that does not depend on the names of the classes."""
    left, right = (
        [*three(x), *three(x.source), *three(x.ratio), x.divergence, x.correct]
        for x in (found, other)
    )
    assert left == pytest.approx(right, **CLOSE)
    if math.hypot(*spreads(found)) > 1e-3:  # else rounding turns the angle
        assert found.angle == pytest.approx(other.angle, abs=1e-6)


def require_classes_alike(
    found: properly.probability.Means,
    other: properly.probability.Means,
    names: dict[str, str] | None = None,
) -> None:
    """Compare the classes that happened; the other's may have other names."""
    here, there = classes_of(found), classes_of(other)
    renamed = {(names or {}).get(name, name): of for name, of in there.items()}
    assert set(here) == set(renamed)
    for name, of in here.items():
        left, right = ([x.weight, *three(x.model), *three(x.source)] for x in (of, renamed[name]))
        assert left == pytest.approx(right, **CLOSE), name


class Happened(NamedTuple):
    """What model and source gave to what happened, case by case."""

    t: Floats
    p: Floats


def isotonic_by_hand(y: Any, q: Any, weight: Any) -> Floats:
    """Fit in whole numbers; a row without weight gets the fit of no one, which is NaN."""
    tally = properly.tally(y, q, weight=weight)
    fitted = np.empty(len(tally))
    for block in exact_blocks(list(tally.weight), list(tally.events)):
        fitted[block.first : block.last + 1] = float(block.rate)
    place = np.searchsorted(tally.value, q).clip(max=len(tally) - 1)
    return np.where(np.asarray(weight) > 0, fitted[place], np.nan)


def event_by_hand(found: Rows) -> Happened:
    p = isotonic_by_hand(found.y, found.p, found.weight)
    happened = found.y == 1
    return Happened(np.where(happened, found.p, 1 - found.p), np.where(happened, p, 1 - p))


def classes_by_hand(found: ClassRows, pooled: bool) -> Happened:
    rows, count = found.p.shape
    y = found.y[:, None] == np.arange(count)
    weight = np.repeat(found.weight[:, None], count, axis=1)
    if pooled:
        p = isotonic_by_hand(y.ravel(), found.p.ravel(), weight.ravel()).reshape(rows, count)
    else:
        columns = (isotonic_by_hand(y[:, k], found.p[:, k], found.weight) for k in range(count))
        p = np.stack(list(columns), axis=1)
    return Happened(found.p[y], p[y])
