"""Entropies as probabilities, couplings as powers: references, laws, and what is refused."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from properly.errors import ArgumentTypeError, DataError, ProperlyError
from properly.probability import (
    LogSpread,
    conjugate_coupling,
    coupling_from_power,
    cross_entropy_probability,
    divergence_probability,
    entropy_probability,
    generalized_mean,
    log_spread,
    power_from_coupling,
    renyi_entropy,
    tsallis_entropy,
    tsallis_from_coupling,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.probability._information import Convention

FOLDER = Path(__file__).parents[1] / "reference" / "means"
CLOSE: dict[str, Any] = {"rel": 1e-15, "abs": 0}
INF = math.inf
HALVES = [0.5, 0.25, 0.125, 0.125]
CONVENTIONS: tuple[Convention, ...] = ("risk", "entropy")


with (FOLDER / "power_from_coupling.csv").open(encoding="utf-8") as file:
    COUPLINGS = list(csv.DictReader(file))
PAIRS = json.loads((FOLDER / "entropy_probabilities.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", COUPLINGS, ids=lambda row: f"{row['kappa']} {row['d']}")
def test_couplings_are_those_of_the_reference(row: dict[str, str]) -> None:
    k, d = float(Fraction(row["kappa"])), int(row["d"])
    risk, entropy, order = (float(Fraction(value)) for value in list(row.values())[2:])
    assert power_from_coupling(k, dimension=d) == pytest.approx(risk, **CLOSE)
    assert power_from_coupling(k, dimension=d, convention="risk") == pytest.approx(risk, **CLOSE)
    found = power_from_coupling(k, dimension=d, convention="entropy")
    assert found == pytest.approx(entropy, **CLOSE)
    assert tsallis_from_coupling(k, dimension=d) == pytest.approx(order, rel=1e-15, abs=1e-16)
    assert coupling_from_power(risk, dimension=d) == pytest.approx(k, **CLOSE)


def test_the_reference_of_couplings_is_read_whole() -> None:
    assert len(COUPLINGS) == 19


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: " ".join(pair["p"]))
def test_entropy_probabilities_are_those_of_the_reference(pair: dict[str, Any]) -> None:
    p, q = ([float(value) for value in pair[name]] for name in "pq")
    assert entropy_probability(p) == pytest.approx(float(pair["P_ent"]), **CLOSE)
    assert cross_entropy_probability(p, q) == pytest.approx(float(pair["P_ce"]), **CLOSE)
    assert divergence_probability(p, q) == pytest.approx(float(pair["P_div"]), **CLOSE)


counts = st.lists(st.integers(0, 1000) | st.sampled_from([10**9]), min_size=2, max_size=7)
distributions = counts.filter(any).map(lambda n: [k / sum(n) for k in n])
orders = st.floats(-4, 6) | st.sampled_from([0.0, 1 - 1e-9, 1.0, 1 + 1e-13, 2.0])
couplings = st.floats(-0.999, 100) | st.sampled_from([0.0, 1e-300, 1e300])
dimensions = st.sampled_from([1, 2, 3, 10, 49])
conventions = st.sampled_from(CONVENTIONS)


@given(st.data(), distributions)
def test_the_probabilities_of_a_forecast_are_a_product(data: st.DataObject, p: list[float]) -> None:
    """The cross-entropy is the entropy and the divergence together."""
    size = st.lists(st.integers(0, 9), min_size=len(p), max_size=len(p)).filter(any)
    n = data.draw(size)
    q = [k / sum(n) for k in n]
    product = entropy_probability(p) * divergence_probability(p, q)
    assert cross_entropy_probability(p, q) == pytest.approx(product, rel=1e-14, abs=0)
    assert divergence_probability(p, q) <= 1
    possible = all(b > 0 for a, b in zip(p, q, strict=True) if a > 0)
    assert (cross_entropy_probability(p, q) > 0) == possible


@given(distributions)
def test_the_truth_alone_has_no_divergence(p: list[float]) -> None:
    assert divergence_probability(p, p) == 1
    near = [x * (1 - 1e-12 * (k % 2)) for k, x in enumerate(p)]
    assert divergence_probability(p, near) <= 1
    assert divergence_probability(near, p) <= 1
    assert cross_entropy_probability(p, p) == entropy_probability(p)
    flat = [1 / len(p)] * len(p)
    distance = max(abs(a - b) for a, b in zip(p, flat, strict=True))
    # Pinsker: the divergence is at least twice the square of the largest difference.
    assert divergence_probability(p, flat) <= math.exp(-2 * distance**2) * (1 + 1e-15)


def test_what_is_called_impossible_and_happens() -> None:
    assert cross_entropy_probability([0.5, 0.5], [1, 0]) == 0
    assert divergence_probability([0.5, 0.5], [1, 0]) == 0
    assert cross_entropy_probability([1, 0], [1, 0]) == 1
    assert divergence_probability([1, 0], [0.5, 0.5]) == 0.5


@pytest.mark.parametrize("n", [1, 2, 3, 7, 1000])
def test_equally_likely_outcomes(n: int) -> None:
    p = [1 / n] * n
    assert entropy_probability(p) == pytest.approx(1 / n, rel=3e-15)
    for a in (-INF, -2, 0, 0.5, 1, 1 + 1e-10, 2, 100, 1e308, INF):
        assert renyi_entropy(p, a) == pytest.approx(math.log(n), rel=1e-14, abs=0)
    for a in (-1, 0, 0.5, 2, 3):
        expected = (n ** (1 - a) - 1) / (1 - a)
        assert tsallis_entropy(p, a) == pytest.approx(expected, rel=1e-13, abs=0)


@pytest.mark.parametrize("p", [[1], [1, 0], [0, 1.0, 0], np.array([0, 1], dtype=np.int8)])
@pytest.mark.parametrize("a", [-2, 0, 0.5, 1, 2, 1e300])
def test_certainty_has_no_entropy(p: Any, a: float) -> None:
    found = entropy_probability(p), renyi_entropy(p, a), tsallis_entropy(p, a)
    assert found == (1.0, 0.0, 0.0)
    # Zero is written without a sign.
    assert [math.copysign(1, value) for value in found] == [1, 1, 1]


@pytest.mark.parametrize(
    ("a", "power_sum"),
    [(0, 4), (2, 11 / 32), (3, 37 / 256), (-1, 22), (0.5, 2**-0.5 + 0.5 + 0.5**0.5)],
)
def test_entropies_of_halves_by_hand(a: float, power_sum: float) -> None:
    """Sums of powers of 1/2, 1/4, 1/8 and 1/8."""
    assert renyi_entropy(HALVES, a) == pytest.approx(math.log(power_sum) / (1 - a), rel=1e-15)
    assert tsallis_entropy(HALVES, a) == pytest.approx((1 - power_sum) / (a - 1), rel=1e-15)


def test_named_orders() -> None:
    shannon = 1.75 * math.log(2)
    assert entropy_probability(HALVES) == pytest.approx(2**-1.75, **CLOSE)
    assert renyi_entropy(HALVES, 1) == pytest.approx(shannon, **CLOSE)
    assert tsallis_entropy(HALVES, 1) == pytest.approx(shannon, **CLOSE)
    assert renyi_entropy([*HALVES, 0.0], 0) == math.log(4)
    assert renyi_entropy(HALVES, INF) == math.log(2)
    assert renyi_entropy([*HALVES, 0.0], -INF) == math.log(8)


@given(distributions, orders)
@example([1 - 2**-52, 2**-52], 2.0)
def test_entropies_are_means_of_the_probabilities(p: list[float], a: float) -> None:
    m = a - 1
    mean = generalized_mean(p, m, p)
    assert renyi_entropy(p, a) == pytest.approx(-math.log(mean), rel=1e-12, abs=1e-14)
    if m:
        expected = -math.expm1(-m * renyi_entropy(p, a)) / m
        assert tsallis_entropy(p, a) == pytest.approx(expected, rel=1e-12, abs=0)


@given(distributions, orders, orders)
def test_entropies_fall_with_the_order(p: list[float], a: float, b: float) -> None:
    low, high = sorted((a, b))
    for entropy in (renyi_entropy, tsallis_entropy):
        assert entropy(p, low) >= entropy(p, high) * (1 - 1e-13)


@given(distributions, distributions, orders)
def test_entropies_of_independent_outcomes(p: list[float], q: list[float], a: float) -> None:
    """Rényi's add up; of Tsallis's the product is taken off, times the order less 1."""
    both = np.outer(p, q).ravel()
    one, two = renyi_entropy(p, a), renyi_entropy(q, a)
    assert renyi_entropy(both, a) == pytest.approx(one + two, rel=1e-12, abs=1e-14)
    one, two = tsallis_entropy(p, a), tsallis_entropy(q, a)
    expected = one + two + (1 - a) * one * two
    assert tsallis_entropy(both, a) == pytest.approx(expected, rel=1e-12, abs=1e-13)


def test_orders_next_to_one_are_next_to_shannon() -> None:
    """The slope of Rényi's entropy there is minus half the variance of the logarithms."""
    p = np.array([0.7, 0.2, 0.1])
    shannon = renyi_entropy(p, 1)
    slope = -(p @ (np.log(p) + shannon) ** 2) / 2
    for step in (1e-15, -1e-13, 1e-10, -1e-8):
        a = 1 + step
        change = renyi_entropy(p, a) - shannon
        assert change == pytest.approx((a - 1) * slope, rel=0, abs=1e-15)


@pytest.mark.parametrize("doubt", [2.0**-20, 2.0**-40, 2.0**-52])
def test_a_tiny_doubt_keeps_its_digits(doubt: float) -> None:
    p, gini = [1 - doubt, doubt], 2 * doubt * (1 - doubt)
    assert tsallis_entropy(p, 2) == pytest.approx(gini, **CLOSE)
    assert renyi_entropy(p, 2) == pytest.approx(-math.log1p(-gini), **CLOSE)


def test_tiny_probabilities_neither_vanish_nor_overflow() -> None:
    p, log = [1.0, 1e-300, 1e-300], 300 * math.log(10)
    assert entropy_probability(p) == 1
    assert renyi_entropy(p, 0) == pytest.approx(math.log(3), **CLOSE)
    assert renyi_entropy(p, -1) == pytest.approx((math.log(2) + log) / 2, rel=1e-15)
    assert renyi_entropy(p, -3) == pytest.approx((math.log(2) + 3 * log) / 4, rel=1e-15)
    assert renyi_entropy(p, -1e308) == pytest.approx(log, rel=1e-15)
    assert renyi_entropy(p, -INF) == pytest.approx(log, rel=1e-15)
    assert tsallis_entropy(p, 1) == pytest.approx(2e-300 * log, rel=1e-14)
    assert tsallis_entropy(p, -1) == pytest.approx(1e300, rel=1e-12)
    assert tsallis_entropy(p, -2) == INF
    assert cross_entropy_probability([0.5, 0.5], p[:2]) == pytest.approx(1e-150, rel=1e-13)
    assert divergence_probability([0.5, 0.5], p[:2]) == pytest.approx(2e-150, rel=1e-13)
    assert cross_entropy_probability(p[:2], [0.5, 0.5]) == 0.5
    assert divergence_probability([1.0, 5e-324], [0.5, 0.5]) == 0.5


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_sum_that_is_off_by_rounding_is_divided_out(dtype: Any) -> None:
    p = np.full(7, 1 / 7, dtype=dtype)
    assert entropy_probability(p) == pytest.approx(1 / 7, rel=1e-15)
    assert renyi_entropy(p, 1 + 1e-9) == pytest.approx(math.log(7), rel=1e-15)
    assert divergence_probability(p, p) == 1


def test_a_sum_may_be_off_by_a_millionth() -> None:
    assert entropy_probability([0.5, 0.5000009]) == pytest.approx(0.5, rel=1e-12)
    with pytest.raises(DataError, match=r"within 1e-06; the sum is 1\.000002"):
        entropy_probability([0.5, 0.500002])


@given(couplings, dimensions, conventions)
def test_powers_and_couplings_undo_each_other(k: float, d: int, convention: Convention) -> None:
    assume(k > -0.999 / d)
    # Beyond 1e6 the powers of all couplings are all but the same.
    assume(abs(k) < 1e6)
    m = power_from_coupling(k, dimension=d, convention=convention)
    found = coupling_from_power(m, dimension=d, convention=convention)
    # A rounding of the power is amplified by 1 + d kappa on the way back.
    assert found == pytest.approx(k, rel=2.0**-51 * (1 + d * abs(k)) * 1.1, abs=0)


@given(couplings, dimensions)
def test_the_conventions_differ_in_sign(k: float, d: int) -> None:
    assume(k > -0.999 / d)
    risk = power_from_coupling(k, dimension=d)
    entropy = power_from_coupling(k, dimension=d, convention="entropy")
    assert risk == -entropy
    assert tsallis_from_coupling(k, dimension=d) == pytest.approx(1 + entropy, rel=1e-15)
    assert tsallis_from_coupling(k, dimension=d) == pytest.approx(1 - risk, rel=1e-15)
    assert entropy <= 2 / d


@given(couplings, dimensions)
def test_a_conjugate_of_a_conjugate(k: float, d: int) -> None:
    assume(-0.999 / d < k < 1e6)
    other = conjugate_coupling(k, dimension=d)
    assert k * other <= 0
    found = conjugate_coupling(other, dimension=d)
    assert found == pytest.approx(k, rel=2.0**-51 * (1 + d * abs(k)) * 1.1, abs=0)
    # The power of a conjugate is twice the coupling, in the risk convention.
    assert power_from_coupling(other, dimension=d) == pytest.approx(
        2 * k, rel=2.0**-51 * (1 + d * abs(k)) * 1.1, abs=0
    )


def test_the_three_named_powers_are_a_couple_and_its_middle() -> None:
    assert power_from_coupling(0.5) == -2 / 3
    assert conjugate_coupling(0.5) == -1 / 3
    assert power_from_coupling(-1 / 3) == pytest.approx(1, **CLOSE)
    assert power_from_coupling(0) == 0
    # By the published sign, -2/3 would need -1/4, and 1 would need 1.
    assert coupling_from_power(-2 / 3, convention="entropy") == pytest.approx(-0.25, **CLOSE)
    assert coupling_from_power(1, convention="entropy") == 1


def test_far_couplings_tend_to_the_bound() -> None:
    assert power_from_coupling(1e308, dimension=10) == -0.2
    assert power_from_coupling(1e308, convention="entropy") == 2
    assert conjugate_coupling(1e308, dimension=4) == -0.25
    nearest = math.nextafter(-1 / 3, 0)
    found = power_from_coupling(nearest, dimension=3)
    assert found == float(-2 * Fraction(nearest) / (1 + 3 * Fraction(nearest)))
    assert found > 1e15


@pytest.mark.parametrize("d", [1, 2, 3, 10, 49, 1000])
def test_bounds_are_refused_as_they_are_written(d: int) -> None:
    for call in (power_from_coupling, tsallis_from_coupling, conjugate_coupling):
        with pytest.raises(DataError, match=f"in dimension {d} a coupling must be finite"):
            call(-1 / d, dimension=d)
    with pytest.raises(DataError, match="in the risk convention"):
        coupling_from_power(-2 / d, dimension=d)
    with pytest.raises(DataError, match="in the entropy convention"):
        coupling_from_power(2 / d, dimension=d, convention="entropy")
    assert coupling_from_power(2 / d, dimension=d) == pytest.approx(-1 / (2 * d), **CLOSE)


def test_the_spread_of_logarithms() -> None:
    """The example of the correction: the upper end exceeds 1."""
    found = log_spread([0.99, 0.99, 0.99, 0.2])
    logs = [math.log(0.99)] * 3 + [math.log(0.2)]
    deviation = math.sqrt(3) / 4 * (logs[0] - logs[3])
    assert found.factor == pytest.approx(math.exp(deviation), rel=1e-15)
    assert found.centre == pytest.approx((0.99**3 * 0.2) ** 0.25, rel=1e-15)
    assert found.lower == found.centre / found.factor
    assert found.upper == found.centre * found.factor
    assert round(found.upper, 3) == 1.327
    assert log_spread([0.99, 0.2], [3, 1]).factor == pytest.approx(found.factor, rel=1e-15)
    assert log_spread([0.99, 0.0, 0.2], [6, 0, 2]).factor == pytest.approx(found.factor, rel=1e-15)


@given(st.floats(1e-300, 1e300), st.integers(1, 9))
def test_equal_values_have_no_spread(t: float, n: int) -> None:
    found = log_spread([t] * n)
    assert found == LogSpread(found.centre, found.centre, found.centre, 1.0)
    assert found.centre == generalized_mean([t] * n, 0)
    assert log_spread([t] * n, [0.1] * n).factor == 1


@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=9), st.sampled_from([1e-3, 0.5, 40.0]))
def test_the_factor_does_not_depend_on_the_scale(t: list[float], scale: float) -> None:
    found, scaled = log_spread(t), log_spread([scale * value for value in t])
    # Where values are all but equal, the rounding of the products is all the spread there is.
    assert scaled.factor == pytest.approx(found.factor, rel=1e-14)
    assert scaled.centre == pytest.approx(scale * found.centre, rel=1e-13)


def test_the_widest_spread_of_doubles() -> None:
    found = log_spread([1e308, 5e-324])
    assert (found.lower, found.factor, found.upper) == (0, INF, INF)
    assert found.centre == pytest.approx(math.sqrt(1e308) * math.sqrt(5e-324), rel=1e-12)


def test_the_spread_is_a_record() -> None:
    found = log_spread([0.5, 0.5])
    assert found.to_dict() == {"lower": 0.5, "centre": 0.5, "upper": 0.5, "factor": 1.0}
    assert found.to_frame("pandas").to_dict("list") == {
        "lower": [0.5],
        "centre": [0.5],
        "upper": [0.5],
        "factor": [1.0],
    }
    assert repr(found) == "LogSpread(0.5 to 0.5 around 0.5)"
    assert log_spread([1e308, 5e-324]).to_dict()["upper"] == "Infinity"
    with pytest.raises(AttributeError):
        found.lower = 1.0  # type: ignore[misc]


SUM = "divide it by its sum first."
BOUND = "1 + dimension * coupling must be positive."
TEND = "powers only tend to that bound as the coupling grows."
REFUSED: list[tuple[type[ProperlyError], str, str | None, Callable[[], Any]]] = [
    (
        DataError,
        "p must hold probabilities in [0, 1]; row 1 is 1.5",
        None,
        lambda: entropy_probability([0, 1.5]),
    ),
    (
        DataError,
        "p must hold probabilities in [0, 1]; row 0 is nan (2 such rows)",
        None,
        lambda: renyi_entropy([math.nan, -1, 1], 2),
    ),
    (
        DataError,
        "q must hold probabilities in [0, 1]; row 0 is -0.5",
        None,
        lambda: cross_entropy_probability([0.5, 0.5], [-0.5, 1]),
    ),
    (
        DataError,
        "p must sum to 1 within 1e-06; the sum is 0.9",
        SUM,
        lambda: tsallis_entropy([0.5, 0.4], 2),
    ),
    (
        DataError,
        "q must sum to 1 within 1e-06; the sum is 1.5",
        SUM,
        lambda: divergence_probability([0.5, 0.5], [0.75, 0.75]),
    ),
    (
        DataError,
        "q and p must be equally long; got 3 and 2",
        None,
        lambda: divergence_probability([0.5, 0.5], [0.5, 0.25, 0.25]),
    ),
    (
        DataError,
        "p must be one-dimensional; got an array of shape (1, 2)",
        "pass one distribution at a time.",
        lambda: entropy_probability([[0.5, 0.5]]),
    ),
    (DataError, "p must not be empty; got 0 rows", None, lambda: entropy_probability([])),
    (
        DataError,
        "an order must be a number or an infinity; got nan",
        None,
        lambda: renyi_entropy(HALVES, math.nan),
    ),
    (
        ArgumentTypeError,
        "the order must be a number; got 'two'",
        None,
        lambda: renyi_entropy(HALVES, "two"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "the order of a Tsallis entropy must be finite; got inf",
        "renyi_entropy takes infinite orders.",
        lambda: tsallis_entropy(HALVES, INF),
    ),
    (
        DataError,
        "in dimension 2 a coupling must be finite and above -1/2; got -0.5",
        BOUND,
        lambda: power_from_coupling(-0.5, dimension=2),
    ),
    (
        DataError,
        "in dimension 1 a coupling must be finite and above -1; got inf",
        BOUND,
        lambda: conjugate_coupling(INF),
    ),
    (
        DataError,
        "in dimension 3 a coupling must be finite and above -1/3; got nan",
        BOUND,
        lambda: tsallis_from_coupling(math.nan, dimension=3),
    ),
    (
        ArgumentTypeError,
        "the coupling must be a number; got None",
        None,
        lambda: power_from_coupling(None),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "dimension must be a whole number, 1 or more; got 0",
        None,
        lambda: power_from_coupling(0.5, dimension=0),
    ),
    (
        DataError,
        "convention must be 'risk' or 'entropy'; got 'tsallis'",
        None,
        lambda: power_from_coupling(0.5, convention="tsallis"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "in the risk convention and dimension 1 a power must be finite and above -2; got -2",
        TEND,
        lambda: coupling_from_power(-2),
    ),
    (
        DataError,
        "in the risk convention and dimension 3 a power must be finite and above -0.6667; got inf",
        TEND,
        lambda: coupling_from_power(INF, dimension=3),
    ),
    (
        DataError,
        "in the entropy convention and dimension 1 a power must be finite and below 2; got nan",
        TEND,
        lambda: coupling_from_power(math.nan, convention="entropy"),
    ),
    (
        DataError,
        "values must be positive to have logarithms; row 1 is 0.0",
        "limit the forecasts first, or leave those rows out.",
        lambda: log_spread([0.5, 0.0]),
    ),
    (
        DataError,
        "values must be finite and not negative; row 0 is -0.5",
        None,
        lambda: log_spread([-0.5, 0.5]),
    ),
    (
        DataError,
        "weights and values must be equally long; got 2 and 1",
        None,
        lambda: log_spread([0.5], [1, 1]),
    ),
]


@pytest.mark.parametrize(
    ("error", "message", "hint", "call"), REFUSED, ids=[message for _, message, _, _ in REFUSED]
)
def test_what_is_refused(
    error: type[ProperlyError], message: str, hint: str | None, call: Callable[[], Any]
) -> None:
    with pytest.raises(error) as refused:
        call()
    assert str(refused.value) == (message if hint is None else f"{message}\n\nHint: {hint}")
