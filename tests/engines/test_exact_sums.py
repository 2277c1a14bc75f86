"""Exact sums: not a bit depends on the order of the rows, or on the batches they come in."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.examples import examples

from properly.counts._scoring import price
from properly.engines import _exact_sums
from properly.engines._exact_sums import UNIT, ScoreSums, Total, exact_sum, keys_of, sum_of_products
from properly.rules import RPS, Brier, Log, Pseudospherical

if TYPE_CHECKING:
    from properly.engines._exact_sums import Key
    from properly.rules import Rule

FINITE = st.floats(allow_nan=False, allow_infinity=False)
few = examples(40)
some = examples(12)


def truth(x: Any) -> int:
    """Add up with fractions, in units of the smallest positive double."""
    total = sum((Fraction(each) for each in np.asarray(x).tolist()), Fraction(0)) * UNIT
    assert total.denominator == 1
    return int(total)


def times(total: Total, n: int) -> Total:
    """Add a total to itself so many times, by doubling."""
    found = Total()
    for bit in f"{n:b}":
        found = found + found
        found = found + total if bit == "1" else found
    return found


# One number at a time


@few
@given(arrays(np.float64, st.integers(0, 40), elements=FINITE), st.randoms(use_true_random=False))
def test_a_sum_is_exact_in_any_order_and_in_any_batches(x: Any, random: Any) -> None:
    total = exact_sum(x)
    assert total.scaled == truth(x)
    shuffled = x[random.sample(range(len(x)), len(x))]
    assert exact_sum(shuffled) == total
    cut = random.randint(0, len(x))
    assert exact_sum(shuffled[cut:]) + exact_sum(shuffled[:cut]) == total


@few
@given(st.lists(FINITE, max_size=20))
def test_numbers_one_by_one_make_the_sum_of_the_array(x: list[float]) -> None:
    assert sum((Total.of(each) for each in x), Total()) == Total.of(np.array(x))


@pytest.mark.parametrize(
    "x",
    [
        [5e-324, -5e-324, 5e-324],
        [1e200, 1.0, -1e200, 1e-200],
        [1.7e308] * 5 + [-1.7e308] * 4,
        [0.0, -0.0],
        [2.2250738585072014e-308, 5e-324, -1e-310],
        [],
    ],
    ids=["subnormal", "weights squared", "beyond the largest", "zeros", "at the edge", "nothing"],
)
def test_extreme_numbers_are_summed_exactly(x: list[float]) -> None:
    assert exact_sum(np.array(x, dtype=float)).scaled == truth(x)


def test_long_columns_of_every_size_are_summed_exactly() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=100_001) * 10.0 ** rng.integers(-300, 300, 100_001)
    assert float(exact_sum(x)) == math.fsum(x)
    # All numbers of a chunk close below a power of two: their leading parts just fit.
    most = np.nextafter(2.0, 0) - rng.random(3 * _exact_sums.CHUNK + 1) * 1e-3
    whole = sum((most * 2.0**52).astype(np.int64).tolist())
    assert exact_sum(most).scaled == whole * UNIT // 2**52
    assert exact_sum(-most).scaled == -whole * UNIT // 2**52


@pytest.mark.parametrize("loss", [0.1, 1 / 3, -math.log(0.7), 1e-9])
def test_a_billion_equal_losses_do_not_drift(loss: float) -> None:
    n = 10**9
    total = times(Total.of(loss), n)
    assert total == times(exact_sum(np.full(10**5, loss)), 10**4)
    assert float(total) == float(Fraction(loss) * n)
    assert total.over(Total.of(n)) == loss


def test_totals_round_once() -> None:
    assert float(Total.of(2.0**53) + Total.of(1)) == 2.0**53
    # What is written to files is in units of the smallest positive double.
    assert [Total.of(x).scaled for x in (5e-324, 1.0, 3)] == [1, 2**1074, 3 * 2**1074]
    assert float(Total.of(2.0**53) + Total.of(1) + Total.of(5e-324)) == 2.0**53 + 2
    assert float(Total.of(10**30)) == 1e30
    assert (Total.of(0.1) - Total.of(0.1)) == Total()
    assert Total.of(1).over(Total.of(3)) == 1 / 3
    assert Total.of(np.array(0.25)) == Total.of(np.float64(0.25)) == Total.of(0.25)
    assert Total.of(np.int64(2)) == Total.of(2) == Total.of(2.0)


def test_what_no_double_can_hold_is_infinite_and_nothing_over_nothing_is_nan() -> None:
    huge = Total.of(np.full(3, 1.7e308))
    assert float(huge) == math.inf
    assert float(Total() - huge) == -math.inf
    assert huge.over(Total.of(3)) == 1.7e308
    assert huge.over(Total.of(-5e-324)) == -math.inf
    assert Total.of(-2).over(Total()) == -math.inf
    assert math.isnan(Total().over(Total()))


def test_totals_add_with_sum_to_totals_only_and_pickle() -> None:
    assert sum([Total.of(0.1), Total.of(0.2)]) == Total.of(np.array([0.1, 0.2]))
    assert pickle.loads(pickle.dumps(Total.of(0.1))) == Total.of(0.1)  # noqa: S301
    for wrong in (
        lambda: Total() + 1,  # type: ignore[operator]
        lambda: 1 + Total(),
        lambda: Total() - 1,  # type: ignore[operator]
    ):
        with pytest.raises(TypeError):
            wrong()


def test_products_beyond_all_doubles_are_kept() -> None:
    a, b = np.array([1e200, 3.0, -1e300]), np.array([1e200, 0.5, 2.0**30])
    found = sum_of_products(a, b)
    assert float(found) == math.inf
    expected = Fraction(1e200) ** 2 + Fraction(1.5) - Fraction(1e300) * 2**30
    assert abs(Fraction(found.scaled, UNIT) / expected - 1) < 2**-52
    assert sum_of_products(a, -b) + found == Total()


# All sums of some rows


def event_rows(n: int = 400) -> dict[str, Any]:
    """Draw rows of an event, some forecasts certain and some weights 0."""
    rng = np.random.default_rng(7)
    y = rng.random(n) < 0.3
    p = np.round(rng.random((2, n)), 2)
    weight = np.where(rng.random(n) < 0.1, 0.0, rng.exponential(size=n))
    return {"y": y, "a": p[0], "b": p[1], "weight": weight, "clusters": rng.integers(0, 30, n)}


def sums_of(
    rows: dict[str, Any], *, weighted: bool = True, clustered: bool = False, **options: Any
) -> ScoreSums:
    """Sum rows of two models."""
    classes = options.get("classes")
    rules: list[Rule] = [Brier(), Log()] if classes is None else [Brier(), RPS()]
    return ScoreSums.of_rows(
        ("a", "b"),
        rules,
        rows["y"],
        {name: rows[name] for name in ("a", "b")},
        rows["weight"] if weighted else None,
        clusters=rows["clusters"] if clustered else None,
        **options,
    )


def some_of(rows: dict[str, Any], which: Any) -> dict[str, Any]:
    return {name: column[which] for name, column in rows.items()}


def class_rows(n: int = 300) -> dict[str, Any]:
    rng = np.random.default_rng(8)
    rows = event_rows(n)
    table = rng.dirichlet((1, 1, 2), (2, n))
    return rows | {"y": rng.integers(0, 3, n), "a": table[0], "b": table[1]}


KINDS = [
    pytest.param(event_rows, {}, id="event"),
    pytest.param(event_rows, {"weighted": False}, id="event of equal weights"),
    pytest.param(class_rows, {"classes": 3}, id="classes"),
    pytest.param(event_rows, {"clustered": True}, id="clusters"),
    pytest.param(class_rows, {"classes": 3, "clustered": True}, id="clusters of classes"),
]


@pytest.mark.parametrize(("rows", "options"), KINDS)
def test_every_key_is_there_and_no_other(rows: Any, options: dict[str, Any]) -> None:
    found = sums_of(rows(), **options)
    keys = keys_of(found.models, found.rules, found.classes, clustered=found.clustered)
    assert set(found.totals) == set(keys)
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(("rows", "options"), KINDS)
def test_not_a_bit_depends_on_the_order_of_rows(rows: Any, options: dict[str, Any]) -> None:
    drawn = rows()
    order = np.random.default_rng(3).permutation(len(drawn["y"]))
    assert sums_of(some_of(drawn, order), **options).totals == sums_of(drawn, **options).totals


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "options"), KINDS)
def test_not_a_bit_depends_on_the_pieces(
    rows: Any, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = rows()
    whole = sums_of(drawn, **options).totals
    monkeypatch.setattr(_exact_sums, "PIECE", 64)
    assert sums_of(drawn, **options).totals == whole
    monkeypatch.setattr(_exact_sums, "CHUNK", 16)
    assert sums_of(drawn, **options).totals == whole


@some
@given(st.lists(st.integers(0, 400), max_size=6), st.booleans())
def test_not_a_bit_depends_on_the_batches(cuts: list[int], weighted: bool) -> None:
    drawn, ends = event_rows(), sorted({0, *cuts, 400})
    batches = [
        sums_of(some_of(drawn, slice(start, stop)), weighted=weighted)
        for start, stop in pairwise(ends)
    ]
    whole = sums_of(drawn, weighted=weighted).totals
    assert sum(batches[1:], batches[0]).totals == whole
    backwards = sum(batches[::-1])
    assert isinstance(backwards, ScoreSums)
    assert backwards.totals == whole


def test_rows_are_priced_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def watched(rule: Rule, y: Any, p: Any, *, classes: bool) -> Any:
        seen.append(len(y))
        return price(rule, y, p, classes=classes)

    monkeypatch.setattr(_exact_sums, "price", watched)
    monkeypatch.setattr(_exact_sums, "PIECE", 60)
    sums_of(class_rows(), classes=3)
    # Two models of three classes: ten rows are sixty numbers.
    assert max(seen) == 10


def small() -> dict[Key, float]:
    """Sum four rows in two clusters by hand; a fifth weighs nothing."""
    rows = {
        "y": np.array([True, False, True, False, True]),
        "a": np.array([0.5, 0.5, 0.0, 0.25, 0.1]),
        "b": np.array([0.5, 0.0, 0.5, 0.5, 0.2]),
        "weight": np.array([2.0, 1.0, 1.0, 4.0, 0.0]),
        "clusters": np.array(["x", "y", "x", "y", "z"]),
    }
    found = sums_of(rows, clustered=True)
    return {key: float(total) for key, total in found.totals.items()}


def test_small_sums_are_those_made_by_hand() -> None:
    # Brier: a pays 1/4, 1/4, 1, 1/16 and b pays 1/4, 0, 1/4, 1/4.
    # By cluster: W = 3, 5; Y = 3, 0; L = 3/2, 1/2 of a and 3/4, 1 of b. Squares are over 1 - W / 8.
    found, x, y = small(), 8 / 5, 8 / 3
    expected = {
        ("rows",): 4,
        ("units",): 2,
        ("weight",): 8,
        ("weight2",): 34,
        ("row_squares",): 22,
        ("event_rows",): 2,
        ("event",): 3,
        ("event2",): 9 * x,
        ("event_weight",): 9 * x,
        ("event_squares",): 5,
        ("loss", 0, 0): 2,
        ("loss2", 0, 0): 2.25 * x + 0.25 * y,
        ("loss_weight", 0, 0): 4.5 * x + 2.5 * y,
        ("loss_event", 0, 0): 4.5 * x,
        ("infinite", 0, 0): 0,
        ("infinite_weight", 0, 0): 0,
        ("loss", 0, 1): 1.75,
        ("loss2", 0, 1): 0.5625 * x + y,
        ("loss_weight", 0, 1): 2.25 * x + 5 * y,
        ("loss_event", 0, 1): 2.25 * x,
        ("apart2", 0, 0, 1): 0.5625 * x + 0.25 * y,
        ("corrected2",): 9 * x + 25 * y,
        ("corrected4",): 81 * x**2 + 625 * y**2,
        ("differing", 0, 0, 1): 3,
        # By Log, a is certain and wrong in the third row, which weighs 1.
        ("infinite", 1, 0): 1,
        ("infinite_weight", 1, 0): 1,
        ("infinite", 1, 1): 0,
        ("differing", 1, 0, 1): 3,
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected, rel=1e-14)
    log2 = math.log(2)
    assert found["loss", 1, 1] == pytest.approx(7 * log2, rel=1e-15)
    assert found["loss", 1, 0] == pytest.approx(3 * log2 + 4 * math.log(4 / 3), rel=1e-15)


def test_small_sums_of_classes_are_those_made_by_hand() -> None:
    table = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]])
    rows = {"y": np.array([0, 1, 2]), "a": table, "b": table[::-1].copy()}
    found = sums_of(rows | {"weight": np.array([1.0, 2.0, 3.0])}, classes=3).totals
    # Brier is half the squared distance: a pays 1/4, 1/4, 0 and b pays 1, 1/4, 3/4.
    classes = [[float(found[name, k]) for k in range(3)] for name in ("class", "class_squares")]
    assert classes == [[1, 2, 3], [1, 4, 9]]
    assert [float(found["class_rows", k]) for k in range(3)] == [1, 1, 1]
    paid = Brier().loss(rows["y"], rows["b"])
    losses = [float(found["loss_class", 0, 1, k]) for k in range(3)]
    assert losses == [paid[0], 4 * paid[1], 9 * paid[2]]
    assert float(found["row_squares",]) == 14


def test_losses_too_large_for_a_double_once_squared_are_summed() -> None:
    rule = Pseudospherical(-100)
    y, p = np.ones(3, dtype=bool), np.array([1e-3, 2e-3, 1e-2])
    loss = np.asarray(rule.loss(y, p))
    weight = np.full(3, 1e30)
    found = ScoreSums.of_rows(["a"], [rule], y, {"a": p}, weight).totals
    squares = sum((Fraction(x) ** 2 for x in (weight * loss).tolist()), Fraction(0))
    assert float(found["infinite", 0, 0]) == 0
    assert abs(Fraction(found["loss2", 0, 0].scaled, UNIT) / squares - 1) < 2**-52


def test_sums_pickle_and_say_what_they_are() -> None:
    plain, clustered = sums_of(event_rows()), sums_of(event_rows(), clustered=True)
    assert repr(clustered) == "ScoreSums(363 rows in 30 clusters, 2 models, 2 rules)"
    assert repr(plain) == "ScoreSums(363 rows, 2 models, 2 rules)"
    again = pickle.loads(pickle.dumps(plain))  # noqa: S301
    assert (again + plain).totals == (plain + plain).totals
    with pytest.raises(TypeError):
        plain + 1  # type: ignore[operator]
