"""What is known of a formula's values holds of every value that it can have."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING

import pytest

from properly.engines._term_algebra import given, make
from properly.engines._terms import Facts, Term, _arithmetic, leaf, length

if TYPE_CHECKING:
    from collections.abc import Callable

INTERVALS = list(combinations_with_replacement([-2.0, -0.5, 0.0, 1.0, 3.0], 2))
EXACT: dict[str, Callable[[float, float], float]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
}


@pytest.mark.parametrize("op", EXACT)
def test_bounds_of_two_numbers_are_those_of_their_corners(op: str) -> None:
    for a, b in product(INTERVALS, repeat=2):
        corners = [EXACT[op](x, y) for x, y in product(a, b)]
        assert _arithmetic(op, [a, b]) == (min(corners), max(corners))


def test_bounds_of_one_number_turn_with_its_sign() -> None:
    for a in INTERVALS:
        assert _arithmetic("neg", [a]) == (-a[1], -a[0])
        assert _arithmetic("abs", [a]) == (0.0, max(abs(a[0]), abs(a[1])))


def test_bounds_of_a_quotient_hold() -> None:
    for a, b in product(INTERVALS, repeat=2):
        low, high = _arithmetic("div", [a, b])
        for x, y in product((*a, sum(a) / 2), (*b, sum(b) / 2)):
            if y:
                assert low <= x / y <= high


P, Q = leaf("forecast", 0.0, 1.0), leaf("forecast", 0.0, 1.0, 1)
LOW, HIGH = Term("lt", (P, 0.5), False, True), Term("lt", (0.25, Q), False, True)


def known(op: str, args: tuple[object, ...], *, happened: bool) -> dict[Term, bool]:
    """Return what is known of the two conditions if a third held, or did not."""
    facts = Facts(Term(op, args, False, True), happened)
    return {x: facts.conditions[x] for x in (LOW, HIGH) if x in facts.conditions}


def test_a_condition_that_holds_says_what_its_parts_do() -> None:
    assert known("not", (LOW,), happened=True) == {LOW: False}
    assert known("not", (LOW,), happened=False) == {LOW: True}
    assert known("and", (LOW, HIGH), happened=True) == {LOW: True, HIGH: True}
    assert known("and", (LOW, HIGH), happened=False) == {}
    # Where one branch is always false, the other one was taken and held.
    assert known("where", (LOW, False, HIGH), happened=True) == {LOW: False, HIGH: True}
    assert known("where", (LOW, HIGH, False), happened=True) == {LOW: True, HIGH: True}
    assert known("where", (LOW, True, HIGH), happened=False) == {LOW: False, HIGH: False}
    assert known("where", (LOW, False, HIGH), happened=False) == {}


def test_a_comparison_that_holds_bounds_both_of_its_sides() -> None:
    below = Facts(LOW, happened=True).limits[P]
    assert below == (0.0, math.nextafter(0.5, 0))
    assert Facts(LOW, happened=False).limits[P] == (0.5, 1.0)
    assert Facts(HIGH, happened=True).limits[Q] == (math.nextafter(0.25, 1), 1.0)
    assert Facts(HIGH, happened=False).limits[Q] == (0.0, 0.25)
    same = Facts(Term("eq", (P, 0.5), False, True), happened=True)
    assert same.limits[P] == (0.5, 0.5)
    size = Term("abs", (Term("sub", (P, Q), -1.0, 1.0),), 0.0, 1.0)
    near = Facts(Term("lt", (size, 0.5), False, True), happened=True)
    assert near.limits[size.args[0]] == (-below[1], below[1])


def test_a_formula_is_as_long_as_its_parts_and_what_joins_them() -> None:
    assert length("add", 1.0, 2.0) == 1
    assert length("add", P, 2.0) == length("add", P, Q) == 3
    assert length("where", LOW, P, Q) == 2 + LOW.cost + 2
    assert LOW.cost == 3


def test_numbers_are_put_first_and_multiplied_ahead() -> None:
    twice, product = make("mul", 2.0, P), make("mul", P, Q)
    assert repr(twice) == "mul(2.0, forecast)"
    assert make("mul", P, 2.0) == twice
    assert make("mul", twice, Q) == make("mul", 2.0, product)
    assert make("mul", 3.0, twice) == make("mul", 6.0, P)
    assert make("div", P, 4.0) == make("mul", 0.25, P)
    assert make("neg", make("sub", P, Q)) == make("sub", Q, P)
    assert make("sub", P, make("neg", Q)) == make("add", P, Q)
    assert make("pow", P, 2.0) == make("mul", P, P)
    assert make("pow", P, -1.0) == make("div", 1.0, P)
    assert (make("mul", 0.0, P), make("mul", 1.0, P), make("abs", P)) == (0.0, P, P)


def test_what_a_condition_says_nothing_of_stays_as_it_is_known() -> None:
    grown = make("exp", P)
    assert isinstance(grown, Term)
    small = given(grown, make("lt", grown, 1.5), happened=True)
    assert isinstance(small, Term)
    assert (small.low, small.high) == (1.0, math.nextafter(1.5, 0))
    assert given(small, make("lt", Q, 0.5), happened=True) is small
