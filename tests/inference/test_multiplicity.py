"""Many comparisons at once."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from properly.inference import _multiplicity as multiplicity
from properly.inference._draws import fast_stream


def test_holm_stops_at_one_and_leaves_out_what_is_unknown() -> None:
    found = multiplicity.holm(np.array([0.9, np.nan, 0.8]))
    np.testing.assert_allclose(found, [1.0, np.nan, 1.0])
    np.testing.assert_allclose(multiplicity.holm(np.array([np.nan, 0.03])), [np.nan, 0.03])


def reach(covariance: Any, level: float, degrees: float) -> float:
    """Return how many standard errors all intervals reach to hold simultaneously."""
    family = multiplicity.max_t(np.asarray(covariance), degrees, np.random.default_rng(2))
    return float(student.ppf((1 + family.level_of_each(level)) / 2, degrees))


@pytest.mark.parametrize("covariance", [[[4.0]], np.diag([1.0, 0.0])])
def test_one_estimate_that_varies_has_its_own_quantile(covariance: Any) -> None:
    assert reach(covariance, 0.95, 12) == pytest.approx(student.ppf(0.975, 12), rel=1e-12)


@pytest.mark.parametrize("size", [2, 5])
def test_of_independent_estimates_the_shares_multiply(size: int) -> None:
    found = reach(np.diag(np.arange(1.0, size + 1)), 0.95, np.inf)
    assert found == pytest.approx(norm.ppf((1 + 0.95 ** (1 / size)) / 2), abs=0.03)


@pytest.mark.parametrize("degrees", [9.0, np.inf])
@pytest.mark.parametrize("pairs", ["all", "with one", "some"])
def test_pairs_reach_as_far_as_if_each_were_looked_at(pairs: str, degrees: float) -> None:
    rng = np.random.default_rng(6)
    root = rng.standard_normal((12, 30)) * rng.uniform(0.1, 3, (12, 1))
    # Two that hardly differ have a difference of small error, which no other says anything about.
    root[5] = root[4] + 1e-3 * rng.standard_normal(30)
    joint = root @ root.T
    first, second = np.array(list(combinations(range(12), 2))).T
    some = {"all": first >= 0, "with one": second == 11, "some": rng.random(66) < 0.3}[pairs]
    ends = first[some], second[some]
    errors = np.sqrt(joint[first, first] + joint[second, second] - 2 * joint[first, second])[some]
    errors[2] = 0.0
    free = np.full(len(errors), degrees)
    found = multiplicity.max_t_of_pairs(joint, ends, errors, free, np.random.default_rng(3))

    used = errors > 0
    apart = np.zeros((used.sum(), 12))
    apart[np.arange(len(apart)), ends[0][used]] = 1
    apart[np.arange(len(apart)), ends[1][used]] = -1
    models = np.unique(np.concatenate([x[used] for x in ends]))
    draw = fast_stream(np.random.default_rng(3))
    centred = joint[np.ix_(models, models)] - joint[np.ix_(models, models)].mean(axis=0)
    drawn = multiplicity._normals(centred - centred.mean(axis=1, keepdims=True), draw).T
    sizes = np.abs(apart[:, models] @ drawn) / errors[used, None]
    if np.isfinite(degrees):
        sizes = sizes / np.sqrt(draw.chisquare(degrees, multiplicity.DRAWS) / degrees)
    expected = np.sort(sizes.max(axis=0))
    some = expected > np.quantile(expected, multiplicity.EXACT)
    np.testing.assert_allclose(found.largest[some], expected[some], rtol=1e-12)
    assert found.comparisons == used.sum()


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999, 0.999999])
@pytest.mark.parametrize("degrees", [4.0, np.inf])
def test_p_values_and_levels_of_intervals_agree(level: float, degrees: float) -> None:
    family = multiplicity.max_t(np.eye(4) + 0.5, degrees, np.random.default_rng(5))
    each = 1 - family.level_of_each(level)
    assert (1 - level) / 4 * (1 - 1e-9) <= each <= 1 - level
    p = each * np.array([1 - 1e-9, 1 + 1e-9, 0.5, 2])
    np.testing.assert_array_equal(family.adjust(p) <= 1 - level, [True, False, True, False])


def test_adjusted_p_values_lie_between_single_ones_and_those_of_bonferroni() -> None:
    family = multiplicity.max_t(
        np.eye(4) + 0.5, np.array([3.0, 9, 30, 5]), np.random.default_rng(5)
    )
    assert family.degrees == 30
    p = np.array([0.9, 0.01, 0.3, 1e-9, 1.0, 0.0, np.nan])
    found = family.adjust(p)
    assert (found[:-1] >= p[:-1]).all()
    assert (found[:-1] <= np.minimum(4 * p[:-1], 1)).all()
    assert np.isnan(found[-1])
    order = np.argsort(p[:-1])
    assert (np.diff(found[:-1][order]) >= 0).all()


def test_bonferroni_multiplies_by_the_number_of_comparisons() -> None:
    np.testing.assert_allclose(multiplicity.bonferroni(5).adjust(np.array([0.01, 0.5])), [0.05, 1])
    assert multiplicity.bonferroni(5).level_of_each(0.95) == pytest.approx(0.99)
