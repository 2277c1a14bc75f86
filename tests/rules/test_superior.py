"""What lets every correct forecast beat every wrong one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from properly.errors import ArgumentTypeError, DataError
from properly.rules import (
    RPS,
    Brier,
    Elementary,
    Log,
    RankedLog,
    Spherical,
    SquaredMeanError,
    superior_penalty,
)
from properly.rules._penalty import greatest_if_correct, least_if_wrong

COUNTS = (2, 3, 4, 5, 10, 100)


def test_of_brier_it_is_by_formula() -> None:
    for classes in COUNTS:
        assert greatest_if_correct(Brier(), classes) == (classes - 1) / classes
        assert least_if_wrong(Brier(), classes) == 1 / 2
        minimal = Fraction(classes - 2, 2 * classes)
        assert superior_penalty(Brier(), classes) == pytest.approx(float(minimal), abs=1e-16)


@pytest.mark.parametrize("scale", ["mean", "half"])
def test_a_scale_of_brier_scales_the_penalty(scale: Any) -> None:
    for classes in COUNTS:
        factor = Brier(scale).factor(classes)
        for bound in (greatest_if_correct, least_if_wrong, superior_penalty):
            wanted = factor * bound(Brier(), classes)
            assert bound(Brier(scale), classes) == pytest.approx(wanted, rel=1e-15, abs=1e-16)


def test_of_log_it_is_by_formula() -> None:
    for classes in COUNTS:
        assert greatest_if_correct(Log(), classes) == math.log(classes)
        assert least_if_wrong(Log(), classes) == math.log(2)
        assert superior_penalty(Log(), classes) == pytest.approx(math.log(classes / 2), abs=1e-15)


def test_of_rps_it_is_by_the_table() -> None:
    greatest = {2: Fraction(1, 4), 3: Fraction(5, 18), 4: Fraction(1, 3), 5: Fraction(13, 36)}
    for classes, wanted in greatest.items():
        least = Fraction(1, 4) if classes == 2 else Fraction(1, 5 * (classes - 1))
        assert greatest_if_correct(RPS(), classes) == pytest.approx(float(wanted), rel=1e-14)
        assert least_if_wrong(RPS(), classes) == pytest.approx(float(least), rel=1e-15)
        assert superior_penalty(RPS(), classes) == pytest.approx(float(wanted - least), abs=1e-15)
        plain = superior_penalty(RPS(normalized=False), classes)
        assert plain == pytest.approx((classes - 1) * float(wanted - least), abs=1e-15)


@pytest.mark.parametrize("rule", [Brier(), Log(), RPS()], ids=repr)
def test_two_classes_need_no_penalty(rule: Any) -> None:
    assert superior_penalty(rule, 2) == pytest.approx(0, abs=1e-16)


@pytest.mark.parametrize("classes", [3, 4, 5])
@pytest.mark.parametrize("rule", [Brier(), Log(), RPS()], ids=repr)
def test_no_drawn_forecast_lies_beyond_the_bounds(rule: Any, classes: int) -> None:
    rng = np.random.default_rng(classes)
    p = np.concatenate([rng.dirichlet(np.full(classes, a), 20_000) for a in (0.2, 1, 20)])
    for y in range(classes):
        loss = rule.loss(np.full(len(p), y), p)
        others = np.delete(p, y, axis=1).max(axis=1)
        assert loss[p[:, y] > others].max() <= greatest_if_correct(rule, classes)
        assert loss[others > p[:, y]].min() >= least_if_wrong(rule, classes)


@pytest.mark.parametrize(
    "rule", [Spherical(), RankedLog(), RPS([1, 2]), SquaredMeanError()], ids=repr
)
def test_other_rules_of_classes_are_refused(rule: Any) -> None:
    with pytest.raises(DataError) as caught:
        superior_penalty(rule, 3)
    message, _, hint = str(caught.value).partition("\n\nHint: ")
    assert message == f"the penalty is known for Brier, Log and RPS without weights; got {rule!r}"
    assert hint == "Penalized(rule, penalty=…) takes any number."


def test_what_is_no_rule_of_classes_is_refused() -> None:
    for rule in (Elementary(0.5), Brier, "brier"):
        with pytest.raises(ArgumentTypeError, match="this needs a rule for class probabilities"):
            superior_penalty(rule, 3)  # type: ignore[arg-type]
    for classes in (1, 2.5, None):
        with pytest.raises(
            DataError,
            match=r"(at least two classes|classes must be a whole number); got",
        ):
            superior_penalty(Brier(), classes)  # type: ignore[arg-type]
