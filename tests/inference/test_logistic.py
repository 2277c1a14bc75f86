"""Logistic regression: maximum likelihood to the last digits, and data that separate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from properly.inference import _logistic
from properly.inference._logistic import fit, refit, separating_line

ONES = np.ones((6, 1))
X = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
LINE = np.column_stack([ONES, X])


def expit(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def sample(rng: np.random.Generator, n: int, columns: int) -> tuple[Any, Any, Any, Any]:
    Z = np.column_stack([np.ones(n), rng.normal(size=(n, columns - 1))])
    y = (rng.random(n) < expit(Z @ rng.normal(size=columns))).astype(float)
    return Z, y, rng.gamma(1.5, size=n), rng.normal(size=n)


def test_an_intercept_alone_is_the_log_odds_of_the_event_rate() -> None:
    found = fit(ONES, np.array([1, 0, 0, 0, 0, 1.0]), np.array([1, 2, 1, 1, 1, 2.0]))
    assert found.coefficients[0] == pytest.approx(math.log(3 / 5), abs=1e-14)
    assert found.information_inverse[0, 0] == pytest.approx(1 / (8 * 3 / 8 * 5 / 8), rel=1e-13)
    rate = 3 / 8
    expected = 3 * math.log(rate) + 5 * math.log(1 - rate)
    assert found.log_likelihood == pytest.approx(expected, rel=1e-14)
    assert not found.separated


@pytest.mark.parametrize("seed", range(6))
def test_no_slope_is_left_at_the_maximum(seed: int) -> None:
    Z, y, weight, offset = sample(np.random.default_rng(seed), 80, 2 + seed % 3)
    found = fit(Z, y, weight, offset)
    chance = expit(offset + Z @ found.coefficients)
    scale = np.abs(Z).T @ weight
    assert (np.abs(Z.T @ (weight * (y - chance))) <= 1e-13 * scale).all()
    information = (Z * (weight * chance * (1 - chance))[:, None]).T @ Z
    np.testing.assert_allclose(
        found.information_inverse @ information, np.eye(Z.shape[1]), atol=1e-10
    )
    each = np.where(y > 0, np.log(chance), np.log1p(-chance))
    assert found.log_likelihood == pytest.approx(weight @ each, rel=1e-13)


def test_a_weight_is_as_many_cases_and_a_share_as_many_events() -> None:
    y = np.array([0, 1, 0, 1, 0, 1.0])
    weighted = fit(LINE, y, np.array([3, 1, 1, 1, 1, 2]))
    copies = np.repeat(np.arange(6), [3, 1, 1, 1, 1, 2])
    repeated = fit(LINE[copies], y[copies])
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-13)
    np.testing.assert_allclose(weighted.information_inverse, repeated.information_inverse)
    twice, both = np.vstack([LINE, LINE]), np.append(y, np.roll(y, 1))
    shares = fit(LINE, (y + np.roll(y, 1)) / 2, np.full(6, 2.0))
    np.testing.assert_allclose(shares.coefficients, fit(twice, both).coefficients, atol=1e-13)
    assert shares.log_likelihood == pytest.approx(fit(twice, both).log_likelihood, rel=1e-14)


def test_an_offset_is_added_and_not_estimated() -> None:
    y = np.array([0, 1, 0, 1, 0, 1.0])
    free, held = fit(LINE, y), fit(LINE, y, offset=0.25 * X - 2)
    np.testing.assert_allclose(
        held.coefficients + np.array([-2, 0.25]), free.coefficients, atol=1e-13
    )
    assert held.log_likelihood == pytest.approx(free.log_likelihood, rel=1e-14)


@pytest.mark.parametrize(("y", "sign"), [(X > 0, 1), (X < 0, -1), (X >= 2, 1), (X > -9, 0)])
def test_data_that_separate_have_infinite_coefficients(y: Any, sign: int) -> None:
    found = fit(LINE, y.astype(float))
    assert found.separated
    if sign:
        assert found.coefficients[1] == sign * math.inf
    else:
        assert found.coefficients[0] == math.inf
    assert np.isnan(found.information_inverse).all()
    assert found.log_likelihood == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_some_rows_at_a_time_decide_as_all_of_them_do(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    Z = np.column_stack([np.ones(60), rng.normal(size=(60, 2))])
    y = (Z @ [0.2, 1, -1] > 0).astype(float)
    if seed % 2:
        y[rng.integers(0, 60)] = 0.5
    whole = separating_line(Z, y)
    monkeypatch.setattr(_logistic, "SOME", 3)
    line = separating_line(Z, y)
    assert (line is None) == (whole is None)
    if line is not None and whole is not None:
        side = Z / np.abs(Z).max(axis=0) @ line
        assert (side[y > 0] >= -1e-9).all()
        assert (side[y < 1] <= 1e-9).all()
        np.testing.assert_allclose(line, whole, atol=1e-7)


def test_columns_that_depend_on_one_another_have_no_coefficients() -> None:
    found = fit(np.ones((6, 2)), np.array([0, 1, 0, 1, 0, 1.0]))
    assert not found.separated
    assert np.isnan(found.coefficients).all()
    assert math.isnan(found.log_likelihood)


@examples(30)
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=8).filter(
        lambda rows: len({x for x, _ in rows}) > 1
    )
)
def test_a_line_is_found_if_and_only_if_there_is_one(rows: list[tuple[int, bool]]) -> None:
    x, y = np.array([r[0] for r in rows], dtype=float), np.array([r[1] for r in rows], dtype=float)
    events, others = x[y == 1], x[y == 0]
    one_sided = len(events) == 0 or len(others) == 0
    exists = one_sided or events.min() >= others.max() or others.min() >= events.max()
    Z = np.column_stack([np.ones(len(x)), x])
    line = separating_line(Z, y)
    assert (line is not None) == exists
    assert fit(Z, y).separated == exists


@pytest.mark.parametrize("weighted", [False, True])
def test_the_fit_to_very_many_rows_begins_at_means_of_neighbours(weighted: bool) -> None:
    rng = np.random.default_rng(8)
    x = np.sort(rng.normal(size=_logistic.LONG + 7))
    weight = rng.gamma(1.5, size=len(x)) if weighted else np.ones(len(x))
    events = weight * (rng.random(len(x)) < expit(0.7 * x - 0.4 + 0.1 * x**2))

    def columns(some: Any) -> tuple[Any, Any]:
        return np.column_stack([np.ones(len(some)), some]), 0.1 * some**2

    rows = x, events, weight
    found = _logistic._fit_from_means(columns, *rows, _logistic.LITTLE, may_separate=True)
    assert found is not None
    Z, offset = columns(x)
    expected = fit(Z, events / weight, weight, offset)
    np.testing.assert_allclose(found.coefficients, expected.coefficients, rtol=1e-9)
    np.testing.assert_allclose(found.information_inverse, expected.information_inverse, rtol=1e-5)
    assert found.log_likelihood == pytest.approx(expected.log_likelihood, rel=1e-10)
    # Whether they are asked for by rows or not, very many go that way.
    again = _logistic.fit_columns(columns, *rows)
    np.testing.assert_array_equal(again.coefficients, found.coefficients)


@pytest.mark.parametrize("unit", [1e-28, 1.0, 1e28])
def test_coefficients_that_are_beyond_reach_are_not_fitted_from_there(unit: float) -> None:
    # At log odds of -690 so little is known of a shift that its step is beyond all doubles.
    events, weight = np.array([1.0, 2.0]), np.array([4.0, 3.0])
    offset = np.array([-690.0, -680.0])
    assert refit((None,), events * unit, weight * unit, np.array([-60.0]), offset) is None
    expected = fit(np.ones((2, 1)), events / weight, weight, offset).coefficients
    near = refit((None,), events * unit, weight * unit, expected + 0.1, offset)
    assert near is not None
    np.testing.assert_allclose(near, expected, rtol=1e-12)


def test_long_columns_are_fitted_anew_to_a_part_of_their_standard_error() -> None:
    rng = np.random.default_rng(4)
    x = np.sort(rng.normal(0, 2, _logistic.LONG + 5000))
    weight = np.ones(len(x))
    events = (rng.random(len(x)) < 1 / (1 + np.exp(-0.5 - 0.7 * x))).astype(float)
    full = fit(np.stack([np.ones(len(x)), x], axis=1), events)
    error = np.sqrt(np.diagonal(full.information_inverse))
    found = refit((None, x), events, weight, full.coefficients + error / 2)
    assert found is not None
    np.testing.assert_array_less(np.abs(found - full.coefficients) / error, 1e-5)
