"""Means of any power, at the far ends of the doubles, and forecasts kept away from 0 and 1."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from properly import Cases, Tally, tally
from properly.probability import generalized_mean
from properly.probability._power_means import POWERS, limit, mean_of_power, three_means

FOLDER = Path(__file__).parents[1] / "reference" / "means"

CLOSE: dict[str, Any] = {"rel": 1e-13, "abs": 0}

SAME: dict[str, Any] = {"rel": 1e-15, "abs": 0}

INF = math.inf

# Rounding of logarithms and their sums, relative to the mean.
ROUNDING = 2.0**-40


class Drawn(NamedTuple):
    """Values and the weights that go with them."""

    values: list[float]
    weight: list[int]


def columns(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def power(text: str) -> float:
    return float(text) if "inf" in text else float(Fraction(text))


METRICS = json.loads((FOLDER / "metrics.json").read_text(encoding="utf-8"))

INPUTS = columns("inputs")

MEANS = columns("generalized_mean")


def happened(dataset: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the probabilities of what happened, limited as the source limits them, and weights."""
    rows = [row for row in INPUTS if row["dataset"] == dataset]
    limit = float(METRICS[dataset].get("q_lim") or 0)
    q = np.clip([float(row["q"]) for row in rows], limit, 1 - limit)
    y = np.array([row["y"] == "1" for row in rows])
    return np.where(y, q, 1 - q), np.array([float(row["w"]) for row in rows])


@pytest.mark.parametrize("row", MEANS, ids=lambda row: f"{row['dataset']} {row['m']}")
def test_means_are_those_of_the_reference(row: dict[str, str]) -> None:
    t, w = happened(row["dataset"])
    m, expected = power(row["m"]), pytest.approx(float(row["value"]), **CLOSE)
    assert generalized_mean(t, m, w) == expected
    assert mean_of_power(t, m, w) == expected
    if np.all(w == 1):
        assert generalized_mean(t, m) == expected


@pytest.mark.parametrize("dataset", METRICS)
def test_three_means_are_those_of_the_reference(dataset: str) -> None:
    t, w = happened(dataset)
    expected = {name: float(value) for name, value in METRICS[dataset]["model"].items()}
    assert three_means(t, w).to_dict() == pytest.approx(expected, **CLOSE)


# Values over 600 orders of magnitude, or close together; never two powers that are all but equal.
positive = st.floats(1e-300, 1e300) | st.floats(0.01, 1)

values = st.lists(positive, min_size=1, max_size=8)

weighted = st.lists(st.tuples(positive, st.integers(1, 5)), min_size=1, max_size=8).map(
    lambda pairs: Drawn([t for t, _ in pairs], [w for _, w in pairs])
)

powers = st.floats(-8, 8) | st.sampled_from([-INF, -1e-12, 1e-12, INF, *POWERS.values()])


def no_less(x: float, y: float) -> bool:
    return x >= y * (1 - ROUNDING)


@given(values, powers, powers)
@example([0.1, 0.9], 0.0, 1e-17)
@example([0.1, 0.9], -1e-17, 0.0)
@example([0.1, 0.9], 1e-17, 1e-9)
@example([0.1, 0.9], 1e-9, 1e-5)
def test_the_mean_increases_with_the_power(t: list[float], m: float, n: float) -> None:
    low, high = sorted((m, n))
    assert no_less(generalized_mean(t, high), generalized_mean(t, low))


@given(values, st.floats(0.01, 8))
def test_a_power_is_continuous_at_nothing(t: list[float], spread: float) -> None:
    """The derivative of ln M at 0 is half the variance of the logarithms."""
    t = [math.exp(min(spread, abs(math.log(x)))) for x in t]
    slope = np.var(np.log(t)) / 2
    for m in (-1e-7, -1e-11, 1e-14, 1e-9, 1e-7):
        change = math.log(generalized_mean(t, m)) - math.log(generalized_mean(t, 0))
        # What is left out is m^2 times at most the cube of the spread, far below rounding.
        assert change == pytest.approx(m * slope, rel=0, abs=1e-11)


@given(weighted, powers, st.sampled_from([2.0**-20, 0.3, 1.0, 7.0]))
def test_the_mean_scales_with_the_values(drawn: Drawn, m: float, factor: float) -> None:
    scaled = [factor * t for t in drawn.values]
    found = generalized_mean(scaled, m, drawn.weight)
    expected = factor * generalized_mean(drawn.values, m, drawn.weight)
    assert found == pytest.approx(expected, rel=ROUNDING, abs=0)


@given(weighted, powers, st.sampled_from([1e-28, 0.1, 3.0, 1e28]))
def test_only_ratios_of_weights_matter(drawn: Drawn, m: float, factor: float) -> None:
    found = generalized_mean(drawn.values, m, [factor * w for w in drawn.weight])
    expected = generalized_mean(drawn.values, m, drawn.weight)
    assert found == pytest.approx(expected, rel=ROUNDING, abs=0)


@given(weighted, powers)
def test_a_weight_is_so_many_copies(drawn: Drawn, m: float) -> None:
    copies = np.repeat(drawn.values, drawn.weight)
    expected = generalized_mean(copies, m)
    assert generalized_mean(drawn.values, m, drawn.weight) == pytest.approx(
        expected, rel=ROUNDING, abs=0
    )


@given(weighted, powers, st.floats(0, 1e300))
def test_values_of_weight_nothing_are_left_out(drawn: Drawn, m: float, other: float) -> None:
    more = [other, *drawn.values, 0.0]
    found = generalized_mean(more, m, [0, *drawn.weight, 0])
    assert found == generalized_mean(drawn.values, m, drawn.weight)


@given(st.floats(1e-307, 1e307), st.integers(1, 9), powers)
@example(1e-300, 3, -2)
@example(1e300, 3, 2)
@example(0.1, 3, 1)
def test_the_mean_of_equal_values_is_that_value(t: float, n: int, m: float) -> None:
    assert generalized_mean([t] * n, m) == pytest.approx(t, **SAME)
    assert generalized_mean([t] * n, m, [0.1] * n) == pytest.approx(t, **SAME)


@pytest.mark.parametrize("m", [-INF, -2, -2 / 3, -1e-9, 0])
def test_a_single_nothing_makes_the_mean_nothing(m: float) -> None:
    assert generalized_mean([0.9, 0.0, 0.5], m) == 0
    assert generalized_mean([0.9, 0.0, 0.5], m, [1, 1e-6, 2]) == 0


@pytest.mark.parametrize("m", [0.5, 1, 2, 30])
def test_for_positive_powers_nothing_is_a_value_like_others(m: float) -> None:
    found = generalized_mean([0.9, 0.0, 0.0], m)
    assert found == pytest.approx(0.9 * 3 ** (-1 / m), **SAME)


@given(
    st.lists(st.sampled_from([0.1, 0.3, 0.7, 1e-9, 0.9999]), min_size=1, max_size=3),
    st.integers(1, 11),
)
def test_three_means_fall_with_the_power_without_any_rounding(t: list[float], n: int) -> None:
    weight = np.arange(1, len(t) + 1) * n / 7
    for values in (np.array(t), np.full(len(t), t[0])):
        found = three_means(values, weight)
        assert found.robustness <= found.mean_probability <= found.decisiveness


Y = [0, 1, 1, 0, 1]

P = [0.0, 0.01, 0.5, 0.99, 1.0]

MOVED = [0.01, 0.01, 0.5, 0.99, 0.99]

ROWS = [[0.98, 0.01, 0.01], [0.6, 0.3, 0.1], [0.0, 0.5, 0.5]]

CLIPPED = np.array([[0.95, 0.05, 0.05], [0.6, 0.3, 0.1], [0.05, 0.5, 0.5]])


def cases_of(x: Tally | Cases, precision: float | None) -> Any:
    return limit(x, precision).cases


@pytest.mark.parametrize("x", [Cases(Y, P), tally(Y, P), Cases([0, 1, 2], ROWS)], ids=repr)
def test_without_a_precision_all_stays_as_it_is(x: Tally | Cases) -> None:
    found = limit(x, None)
    assert found.cases is x
    assert found.clipped == 0


def test_forecasts_beyond_the_limits_move_to_them_and_those_on_them_stay() -> None:
    found = limit(Cases(Y, P), 0.01)
    assert isinstance(found.cases, Cases)
    assert found.cases.p.tolist() == MOVED
    assert found.cases.y.tolist() == [False, True, True, False, True]
    assert found.clipped == 2


def test_a_tally_pools_what_has_moved_to_one_place() -> None:
    found = limit(tally(Y, P), 0.01)
    assert isinstance(found.cases, Tally)
    assert found.cases.value.tolist() == [0.01, 0.5, 0.99]
    assert found.cases.weight.tolist() == [2, 1, 2]
    assert found.cases.events.tolist() == [1, 1, 1]
    assert found.cases.event_squares is None
    assert found.clipped == 2


def test_a_tally_of_fractions_pools_their_squares() -> None:
    found = limit(tally(Y, P, weight=[0.5, 1.0, 1.0, 1.0, 1.5]), 0.1)
    assert isinstance(found.cases, Tally)
    assert found.cases.value.tolist() == [0.1, 0.5, 0.9]
    assert found.cases.weight.tolist() == [1.5, 1.0, 2.5]
    assert found.cases.event_squares is not None
    assert found.cases.nonevent_squares is not None
    assert found.cases.event_squares.tolist() == [1.0, 1.0, 2.25]
    assert found.cases.nonevent_squares.tolist() == [0.25, 0.0, 1.0]
    assert found.clipped == 4.0


@pytest.mark.parametrize(
    ("weight", "clipped", "kind"),
    [
        (None, 2, int),
        ([3, 3, 3, 3, 3], 2, int),
        ([0.5, 0.5, 0.0, 0.5, 0.5], 2, int),
        ([0, 1, 1, 1, 1], 1, int),
        ([1, 1, 1, 1, 3], 4.0, float),
        ([2.0, 5.0, 1.0, 1.0, 3.0], 5.0, float),
        ([0, 1, 1, 1, 3], 3.0, float),
        ([0.25, 1.0, 1.0, 1.0, 0.5], 0.75, float),
        ([0.0, 0.5, 1.0, 1.0, 0.5], 0.5, float),
    ],
)
def test_cases_are_counted_and_weights_added_up(weight: Any, clipped: float, kind: type) -> None:
    for x in (Cases(Y, P, weight=weight), tally(Y, P, weight=weight)):
        found = limit(x, 0.01).clipped
        assert found == clipped
        assert type(found) is kind


# Classes
def test_rows_that_move_are_divided_by_their_sums_and_others_are_not() -> None:
    found = limit(Cases([0, 1, 2], ROWS), 0.05)
    assert isinstance(found.cases, Cases)
    expected = CLIPPED / np.array([[1.05], [1.0], [1.05]])
    np.testing.assert_allclose(found.cases.p, expected, rtol=1e-15)
    assert found.cases.p[1].tolist() == ROWS[1]
    # Two rows have moved, though three of their entries did.
    assert found.clipped == 2


@pytest.mark.parametrize("classes", [3, 5, 8, 20])
def test_rows_of_the_same_numbers_stay_so_in_any_order(classes: int) -> None:
    rng = np.random.default_rng(classes)
    row = rng.dirichlet(np.full(classes, 0.3))
    order = [rng.permutation(classes) for _ in range(50)]
    found = cases_of(Cases(np.zeros(50, dtype=int), row[np.array(order)]), 0.4 / classes).p
    least = np.sort(found, axis=1)
    np.testing.assert_array_equal(least, np.broadcast_to(least[0], least.shape))
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-15)


def test_two_classes_are_limited_as_an_event_is() -> None:
    p = np.array([0.0, 0.001, 0.3, 0.999])
    two = limit(Cases([0, 1, 1, 0], np.stack([1 - p, p], axis=1)), 0.01)
    one = limit(Cases([0, 1, 1, 0], p), 0.01)
    assert isinstance(two.cases, Cases)
    assert isinstance(one.cases, Cases)
    np.testing.assert_array_equal(two.cases.p[:, 1], one.cases.p)
    assert two.clipped == one.clipped == 3
