"""Standard errors of means, against the formulas of each design."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import pytest
from scipy.stats import t as student

import properly
from properly.errors import DataError
from properly.inference._design import TIMES, correction_of
from properly.inference._moments import Spread
from properly.inference._variance import spread_of_means, spread_of_rows

Column: TypeAlias = np.ndarray[Any, Any]

N = 90
RNG = np.random.default_rng(20240607)
P = RNG.choice([0.0, 0.1, 0.4, 0.7, 1.0], size=N)
Y = RNG.random(N) < 0.2 + 0.6 * P
VALUE = np.unique(P)
# Two means at once: what a case adds to each, with the event and without.
IF_EVENT = np.stack([(1 - VALUE) ** 2, 3 * VALUE - 1])
IF_NONE = np.stack([VALUE**2, VALUE**3])
AMOUNT = np.where(Y, IF_EVENT[:, np.searchsorted(VALUE, P)], IF_NONE[:, np.searchsorted(VALUE, P)])
WEIGHT = RNG.gamma(1.5, size=N)
CLUSTER = RNG.integers(0, 14, N)
TIME = RNG.permutation(N) // 2


def spread(if_event: Column = IF_EVENT, if_none: Column = IF_NONE, **known: Any) -> Spread:
    return spread_of_means(properly.Cases(Y, P, **known), if_event, if_none)


def assert_spread(got: Spread, covariance: Column, degrees: float) -> None:
    np.testing.assert_allclose(got.covariance, covariance, rtol=1e-11)
    assert got.degrees == pytest.approx(degrees, rel=1e-12)


# Independent cases


def test_of_independent_cases_the_variance_is_divided_by_their_number() -> None:
    assert_spread(spread(), np.cov(AMOUNT) / N, N - 1)
    assert_spread(spread_of_means(properly.tally(Y, P), IF_EVENT, IF_NONE), np.cov(AMOUNT) / N, 89)
    error = AMOUNT[0].std(ddof=1) / math.sqrt(N)
    expected = float(student.ppf(0.95, N - 1)) * error
    assert spread().half_widths(0.9)[0] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("weight", [None, [0.7]])
def test_one_case_has_no_spread(weight: Any) -> None:
    cases = properly.Cases([1], [0.3], weight=weight)
    for source in (cases, cases.tally()):
        got = spread_of_means(source, np.array([[0.5], [1.0]]), np.array([[0.1], [0.2]]))
        assert got.degrees == 0
        assert np.isnan(got.covariance).all()
        assert np.isnan(got.half_widths(0.9)).all()
        assert got.covariance.shape == (2, 2)


# Clusters


def bell_mccaffrey(loss: Column, weight: Column, label: Column) -> tuple[float, float]:
    """Fit a mean by weighted least squares; find variance and degrees with whole matrices."""
    x = np.sqrt(weight)
    rest = np.eye(len(x)) - np.outer(x, x) / weight.sum()
    columns = []
    for g in np.unique(label):
        some = label == g
        value, vector = np.linalg.eigh(rest[np.ix_(some, some)])
        root = vector @ np.diag(value**-0.5) @ vector.T
        columns.append(rest[some].T @ root @ x[some] / weight.sum())
    moved = np.stack(columns)
    joint = moved @ moved.T
    return float(((moved @ (x * loss)) ** 2).sum()), float(np.trace(joint) ** 2 / (joint**2).sum())


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["counted", "weighted"])
def test_unequal_clusters_have_the_correction_of_bell_and_mccaffrey(weight: Column | None) -> None:
    w = np.ones(N) if weight is None else weight
    found = spread(weight=weight, clusters=CLUSTER)
    variance, degrees = bell_mccaffrey(AMOUNT[0], w, CLUSTER)
    assert found.covariance[0, 0] == pytest.approx(variance, rel=1e-10)
    assert found.degrees == pytest.approx(degrees, rel=1e-10)


# Times


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["counted", "weighted"])
def test_times_have_the_variance_of_their_first_cosines(weight: Column | None) -> None:
    w = np.ones(N) if weight is None else weight
    influence = w * (AMOUNT - np.average(AMOUNT, axis=1, weights=w)[:, None]) / w.sum()
    T = N // 2
    U = np.stack([influence[:, t == TIME].sum(axis=1) for t in range(T)], axis=1)
    degrees = math.floor(0.4 * T ** (2 / 3))
    expected = np.zeros((2, 2))
    for j in range(1, degrees + 1):
        wave = sum(U[:, t] * math.cos(math.pi * j * (t + 0.5) / T) for t in range(T))
        L = math.sqrt(2 / T) * np.asarray(wave)
        expected += np.outer(L, L)
    assert_spread(spread(weight=weight, time=TIME), expected * T / degrees, degrees)


def test_so_many_times_are_needed() -> None:
    enough = np.arange(N) % TIMES
    assert spread(time=enough).degrees == math.floor(0.4 * TIMES ** (2 / 3))
    with pytest.raises(DataError, match=f"at least {TIMES} different times; got {TIMES - 1}"):
        spread(time=np.minimum(enough, TIMES - 2))


# What does not vary, and what is infinite

DESIGNS: dict[str, dict[str, Any]] = {
    "counted": {},
    "weighted": {"weight": WEIGHT},
    "clustered": {"clusters": CLUSTER},
    "in time": {"time": TIME},
}
every_design = pytest.mark.parametrize("known", DESIGNS.values(), ids=DESIGNS)


@every_design
def test_a_mean_of_equal_amounts_has_no_interval(known: dict[str, Any]) -> None:
    # .3^2 and (1 - .7)^2 differ in the last digit alone.
    if_event, if_none = np.full((1, len(VALUE)), 0.3**2), np.full((1, len(VALUE)), (1 - 0.7) ** 2)
    got = spread(if_event, if_none, **known)
    assert got.covariance[0, 0] == 0
    assert np.isnan(got.half_widths(0.9)).all()


@every_design
def test_an_infinite_amount_leaves_other_means_alone(known: dict[str, Any]) -> None:
    endless = np.where(VALUE == 0, np.inf, 1.0)  # a forecast of 0, and the event
    assert Y[P == 0].any()
    alone = spread(**known)
    got = spread(np.vstack([IF_EVENT, endless]), np.vstack([IF_NONE, VALUE]), **known)
    assert_spread(Spread(got.covariance[:2, :2], got.degrees), alone.covariance, alone.degrees)
    assert np.isnan(got.covariance[2, 2])
    assert np.isnan(got.half_widths(0.9)[2])
    np.testing.assert_allclose(got.half_widths(0.9)[:2], alone.half_widths(0.9), rtol=1e-11)


# Amounts that are known row by row

COPIES = RNG.integers(0, 4, N)
OF_ROWS: dict[str, dict[str, Any]] = {
    **DESIGNS,
    "copies": {"weight": COPIES},
    "copies in clusters": {"weight": COPIES, "clusters": CLUSTER},
    "weighted clusters": {"weight": WEIGHT, "clusters": CLUSTER},
    "weighted in time": {"weight": WEIGHT, "time": TIME},
}


def rows_of(known: dict[str, Any]) -> Column:
    """Return the amounts of the rows that have weight."""
    return AMOUNT[:, np.asarray(known.get("weight", np.ones(N))) > 0]


@pytest.mark.parametrize("known", OF_ROWS.values(), ids=OF_ROWS)
def test_rows_have_the_spread_of_what_they_were_counted_to(known: dict[str, Any]) -> None:
    expected = spread(**known)
    # Of classes the forecasts do not matter, only the design.
    classes = RNG.integers(0, 3, N), RNG.dirichlet(np.ones(3), N)
    for y, p in ((Y, P), classes):
        got = spread_of_rows(properly.Cases(y, p, **known), rows_of(known))
        assert_spread(got, expected.covariance, expected.degrees)


def test_rows_with_clusters_and_times_have_the_spread_of_a_panel() -> None:
    cases = properly.Cases(Y, P, clusters=CLUSTER, time=TIME)
    found = spread_of_rows(cases, AMOUNT)
    each: list[dict[str, Any]] = [{"clusters": CLUSTER}, {"time": TIME}]
    alone = [spread_of_rows(properly.Cases(Y, P, **known), AMOUNT) for known in each]
    assert found.degrees == min(x.degrees for x in alone)
    assert (found.errors >= np.max([x.errors for x in alone], axis=0) * (1 - 1e-12)).all()


def test_one_cluster_that_outweighs_all_others_leaves_about_one_degree_of_freedom() -> None:
    heavy = np.concatenate([[1.0], 10.0 ** -np.arange(14, 180, 9)])
    found = correction_of(heavy)
    assert 0.5 < found.degrees <= 1
