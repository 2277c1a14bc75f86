"""The two theorems about CORP score decompositions, with fractions for the exact values.

They are theorems 1 and 2 of appendix C of Dimitriadis, Gneiting and Jordan (2021). That no part is
negative and that the parts add up, for every rule, is in ``test_decompositions.py``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import properly
from properly.rules import Brier, Propriety

from .subjects import EPS, RULES, SUBJECTS, exact_blocks, many

if TYPE_CHECKING:
    from properly import Tally
    from properly.rules import BinaryRule

STRICT = [subject.rule for subject in SUBJECTS if subject.propriety is Propriety.STRICT]
EXACT = 8 * EPS  # a few roundings of numbers that are 1 at most
# Multiples of 1/64 strictly between 0 and 1: no miscalibration is too small to be seen, and no
# score is infinite.
grid = st.integers(1, 63).map(lambda k: k / 64)


class Counts(NamedTuple):
    """Distinct forecasts, cases and events."""

    value: list[float]
    weight: list[int]
    events: list[int]

    def tally(self) -> Tally:
        return properly.Tally.from_counts(self.value, self.weight, self.events)

    def rates(self) -> list[Fraction]:
        return [Fraction(o, n) for o, n in zip(self.events, self.weight, strict=True)]


def as_counts(found: dict[float, tuple[int, int]]) -> Counts:
    value = sorted(found)
    weight, share = zip(*(found[z] for z in value), strict=True)
    return Counts(value, list(weight), [min(n, o) for n, o in zip(weight, share, strict=True)])


pairs = st.tuples(st.integers(1, 9), st.integers(0, 9))
counts = st.dictionaries(grid, pairs, min_size=1, max_size=12).map(as_counts)


def increasing(found: Counts) -> Counts:
    """Sort the groups, not the forecasts, by their event rates."""
    groups = sorted(zip(found.rates(), found.weight, found.events, strict=True))
    return Counts(found.value, [n for _, n, _ in groups], [o for _, _, o in groups])


def decreasing(found: Counts) -> Counts:
    up = increasing(found)
    return Counts(up.value, up.weight[::-1], up.events[::-1])


class Parts(NamedTuple):
    """The exact score, miscalibration, discrimination and uncertainty of the Brier score."""

    score: Fraction
    miscalibration: Fraction
    discrimination: Fraction
    uncertainty: Fraction


def mean_square(found: Counts, first: list[Fraction], second: list[Fraction]) -> Fraction:
    squares = (n * (a - b) ** 2 for n, a, b in zip(found.weight, first, second, strict=True))
    return sum(squares, Fraction(0)) / sum(found.weight)


def brier(found: Counts, forecast: list[Fraction]) -> Fraction:
    rates = found.rates()
    noise = [r * (1 - r) * n for r, n in zip(rates, found.weight, strict=True)]
    within = sum(noise, Fraction(0)) / sum(found.weight)
    return within + mean_square(found, rates, forecast)


def recalibrated(found: Counts) -> list[Fraction]:
    blocks = exact_blocks(found.weight, found.events)
    return [b.rate for b in blocks for _ in range(b.first, b.last + 1)]


def exact_parts(found: Counts) -> Parts:
    overall = [Fraction(sum(found.events), sum(found.weight))] * len(found.value)
    score = brier(found, [Fraction(z) for z in found.value])
    best, constant = brier(found, recalibrated(found)), brier(found, overall)
    return Parts(score, score - best, constant - best, constant)


# Theorem 1


@many
@given(found=counts)
def test_every_part_is_the_exact_one(found: Counts) -> None:
    got = properly.decompose(found.tally(), Brier())
    for name, expected in exact_parts(found)._asdict().items():
        assert getattr(got, name) == pytest.approx(float(expected), rel=0, abs=EXACT), name


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(cases=st.lists(st.integers(1, 9), min_size=1, max_size=12), places=st.data())
def test_calibrated_forecasts_have_no_miscalibration(
    rule: BinaryRule, cases: list[int], places: st.DataObject
) -> None:
    numerators = places.draw(
        st.lists(st.integers(1, 63), min_size=len(cases), max_size=len(cases), unique=True)
    )
    value = sorted(k / 64 for k in numerators)
    events = [int(64 * n * z) for n, z in zip(cases, value, strict=True)]
    calibrated = properly.Tally.from_counts(value, [64 * n for n in cases], events)
    assert properly.decompose(calibrated, rule).miscalibration == pytest.approx(0, abs=EXACT)


@pytest.mark.parametrize("rule", STRICT, ids=repr)
@given(found=counts)
def test_a_strict_rule_sees_every_miscalibration(rule: BinaryRule, found: Counts) -> None:
    wrong = [Fraction(z) for z in found.value] != recalibrated(found)
    assert (properly.decompose(found.tally(), rule).miscalibration > EXACT) == wrong


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(found=counts.map(decreasing))
def test_a_constant_recalibration_discriminates_nothing(rule: BinaryRule, found: Counts) -> None:
    assert len(set(recalibrated(found))) == 1
    assert properly.decompose(found.tally(), rule).discrimination == 0


@pytest.mark.parametrize("rule", STRICT, ids=repr)
@given(found=counts)
def test_a_strict_rule_sees_every_discrimination(rule: BinaryRule, found: Counts) -> None:
    varies = len(set(recalibrated(found))) > 1
    assert (properly.decompose(found.tally(), rule).discrimination > EXACT) == varies


# Theorem 2


@many
@given(found=counts.map(increasing))
def test_with_increasing_rates_the_parts_are_the_classical_ones(found: Counts) -> None:
    tally = found.tally()
    ours, classical = (
        properly.decompose(tally, Brier()),
        properly.calibration.murphy_decomposition(tally),
    )
    rates, exact = found.rates(), exact_parts(found)
    overall = [Fraction(sum(found.events), sum(found.weight))] * len(rates)
    # The theorem itself, without rounding,
    assert exact.miscalibration == mean_square(found, rates, [Fraction(z) for z in found.value])
    assert exact.discrimination == mean_square(found, rates, overall)
    # and what is computed.
    assert classical.reliability == pytest.approx(ours.miscalibration, rel=0, abs=EXACT)
    assert classical.resolution == pytest.approx(ours.discrimination, rel=0, abs=EXACT)
    assert classical.uncertainty == pytest.approx(ours.uncertainty, rel=0, abs=EXACT)
    assert classical.score == pytest.approx(ours.score, rel=0, abs=EXACT)


@many
@given(found=counts)
def test_the_classical_parts_are_exact_and_add_up(found: Counts) -> None:
    got = properly.calibration.murphy_decomposition(found.tally())
    rates, overall = found.rates(), Fraction(sum(found.events), sum(found.weight))
    exact = {
        "score": brier(found, [Fraction(z) for z in found.value]),
        "reliability": mean_square(found, rates, [Fraction(z) for z in found.value]),
        "resolution": mean_square(found, rates, [overall] * len(rates)),
        "uncertainty": overall * (1 - overall),
    }
    assert exact["reliability"] - exact["resolution"] + exact["uncertainty"] == exact["score"]
    for name, expected in exact.items():
        assert getattr(got, name) == pytest.approx(float(expected), rel=0, abs=EXACT), name
    together = got.reliability - got.resolution + got.uncertainty
    assert together == pytest.approx(got.score, rel=0, abs=EXACT)
