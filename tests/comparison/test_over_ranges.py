"""Ranges of thresholds, all at once: what `compare` finds over each of them by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly.comparison._over_ranges import OverRanges, compare_over_ranges, ends_of_ranges
from properly.comparison._pair_tests import most_signs
from properly.counts._cases import contenders
from properly.rules import Regret

if TYPE_CHECKING:
    from properly.comparison import Comparison

# Single functions warn of few events.
pytestmark = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")
ENDS = ends_of_ranges(properly.Interval(0.012, 0.1))
LOWER, UPPER = np.triu_indices(len(ENDS), 1)
CRASH = properly.datasets.crash()
DESIGNS: dict[str, dict[str, Any]] = {
    "independent": {},
    "clusters": {"clusters": CRASH.cluster},
    "weights": {"weight": CRASH.weight},
    "weighted clusters": {"weight": CRASH.weight, "clusters": CRASH.cluster},
    "strata": {"strata": CRASH.year},
    "times": {"time": np.arange(len(CRASH.died)) // 10},
}


def over_ranges(y: Any, models: Any, **known: Any) -> OverRanges:
    found = compare_over_ranges(contenders(y, models, least=1, **known), ENDS, level=0.95)
    assert found is not None
    return found


def require_the_same(found: OverRanges, k: int, alone: Comparison) -> int:
    """Compare one range with the comparison over it; return how many pairs had signs changed."""
    errors = [alone.scores[name].standard_error for name in found.models]
    np.testing.assert_allclose(found.standard_error[:, k], errors, rtol=1e-9, atol=1e-16)
    reach = [
        alone.scores[name].interval[1] - alone.scores[name].value
        for name, error in zip(found.models, errors, strict=True)
        if error > 0
    ]
    some = np.array(errors) > 0
    np.testing.assert_allclose(found.quantile * found.standard_error[some, k], reach, rtol=1e-9)
    flips = np.array(["sign flips" in method for method in alone.methods])
    p = found.p_value[:, k]
    np.testing.assert_allclose(p[~flips], alone.p_value[~flips], rtol=0, atol=1e-9)
    # A bound, but for what so many draws can tell.
    assert (p[flips] >= alone.p_value[flips] - 1e-3).all()
    return int(flips.sum())


@pytest.mark.slow
@pytest.mark.parametrize("known", DESIGNS.values(), ids=DESIGNS)
def test_every_range_has_the_numbers_of_its_own_comparison(known: dict[str, Any]) -> None:
    found, rng = over_ranges(CRASH.died, CRASH.forecasts, **known), np.random.default_rng(5)
    assert found.p_value.shape == (10, len(LOWER))
    for k in rng.choice(len(LOWER), 12, replace=False).tolist():
        rule = Regret((ENDS[LOWER[k]], ENDS[UPPER[k]]))
        alone = properly.compare(CRASH.died, CRASH.forecasts, rule=rule, rng=1, **known)
        require_the_same(found, k, alone)


@pytest.mark.slow
def test_ties_with_the_ends_and_few_cases_that_differ() -> None:
    rng = np.random.default_rng(6)
    y = rng.random(60) < 0.4
    p = rng.random(60)
    models = {"tied": p.round(1), "as it is": p, "constant": np.full(60, 0.3), "copy": p}
    models["certain"] = np.where(p < 0.2, 0.0, np.where(p > 0.8, 1.0, p))
    found, flipped = over_ranges(y, models), 0
    for k in rng.choice(len(LOWER), 60, replace=False).tolist():
        rule = Regret((ENDS[LOWER[k]], ENDS[UPPER[k]]))
        flipped += require_the_same(found, k, properly.compare(y, models, rule=rule, rng=1))
    assert flipped > 20


def test_where_few_cases_differ_chances_are_bounded() -> None:
    y = np.arange(40) % 2 == 0
    p = np.full(40, 0.3)
    q = p.copy()
    q[:10:2] = 0.9
    k = int(np.flatnonzero((ENDS[LOWER] == 0.1) & (ENDS[UPPER] == 1))[0])
    found = over_ranges(y, {"p": p, "q": q})
    # Five cases with the event have the same difference: the sum is the root of five times larger.
    assert found.p_value[0, k] == pytest.approx(float(most_signs(5**0.5)), rel=1e-9)


def test_ends_have_those_of_the_range_once() -> None:
    assert len(ENDS) == len(ends_of_ranges(None)) + 1
    assert {0.0, 0.005, 0.01, 0.012, 0.05, 0.275, 1.0} <= set(ENDS.tolist())
    assert np.array_equal(ends_of_ranges(properly.Interval(0.01, 0.1)), ends_of_ranges(None))


def test_an_evaluation_compares_the_models_that_are_drawn() -> None:
    rng = np.random.default_rng(2)
    p = rng.random(80)
    y = rng.random(80) < p
    models = {f"m{k}": np.clip(p + 0.02 * k, 0, 1) for k in range(10)}
    e = properly.evaluate(y, models, rng=1, replicates=0)
    assert e.over_ranges is not None
    assert e.over_ranges.models == tuple(sorted(e.over_ranges.models))
    assert len(e.over_ranges.models) == 8
    assert "over_ranges" not in e.to_dict()
    stream = properly.stream()
    stream.add(y, models)
    assert stream.evaluate(replicates=0).over_ranges is None
