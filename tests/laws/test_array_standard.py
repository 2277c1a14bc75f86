"""The arithmetic needs nothing but the array API standard.

`array_api_strict` offers the standard and refuses everything else. The standard has no word for the
bit patterns of forecasts; where a library has no method for them either, counting sorts places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import array_api_strict as xp
import numpy as np
import pytest

from properly import Tally, decompose, reliability, tally
from properly.rules import RPS, Brier, Log, RankedLog, Spherical

from .subjects import RULES

if TYPE_CHECKING:
    from properly.rules import BinaryRule, ClassRule

P = np.array([0.0, 1e-9, 0.05, 0.1, 0.3, 0.3, 0.5, 0.7, 1.0, 1.0])
Y = np.array([False, False, True, False, True, False, False, True, True, True])
STRICT_P, STRICT_Y = xp.asarray(P), xp.asarray(Y)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_rules_are_written_against_the_standard(rule: BinaryRule) -> None:
    for ours, numpys in (
        (rule.loss(STRICT_Y, STRICT_P), rule.loss(Y, P)),
        (rule.slope(STRICT_Y, STRICT_P), rule.slope(Y, P)),
        (rule.logit_slope(STRICT_Y, STRICT_P), rule.logit_slope(Y, P)),
        (rule.logit_loss(STRICT_Y, STRICT_P), rule.logit_loss(Y, P)),
        (rule.logit_curvature(STRICT_P), rule.logit_curvature(P)),
        (rule.entropy(STRICT_P), rule.entropy(P)),
    ):
        assert isinstance(ours, type(STRICT_P))
        np.testing.assert_allclose(np.asarray(ours), numpys, rtol=1e-12)
    assert float(rule(STRICT_Y, STRICT_P)) == pytest.approx(rule(Y, P), rel=1e-15)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_scores_and_their_parts_are_written_against_the_standard(rule: BinaryRule) -> None:
    t = tally(Y, P)
    strict = Tally(*(xp.asarray(np.array(x)) for x in (t.value, t.weight, t.events)))
    assert decompose(strict, rule) == decompose(t, rule)
    np.testing.assert_allclose(
        reliability(strict).recalibrated, reliability(t).recalibrated, rtol=1e-12
    )
    assert (strict + strict).total == 2 * t.total


def test_counting_is_written_against_the_standard() -> None:
    got, expected = tally(STRICT_Y, STRICT_P), tally(Y, P)
    for name in ("value", "weight", "events"):
        np.testing.assert_allclose(
            np.asarray(getattr(got, name)), getattr(expected, name), rtol=1e-12
        )
    assert decompose(got, Brier()) == decompose(expected, Brier())
    # Arrays of the standard have no length, and are rows all the same.
    assert decompose(STRICT_Y, STRICT_P, Brier()) == decompose(expected, Brier())


@pytest.mark.parametrize("snap", [None, 0.05])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tallies_of_the_standard_add_snap_and_group(snap: float | None, dtype: str) -> None:
    p, weight, count = P.astype(dtype), np.linspace(0.5, 3.0, len(P)), np.arange(len(P))
    for given in ({}, {"weight": weight}, {"count": count}, {"weight": weight, "count": count}):
        strict = {name: xp.asarray(x) for name, x in given.items()}
        got = tally(STRICT_Y, xp.asarray(p), **strict, snap=snap)
        expected = tally(Y, p, **given, snap=snap)
        for one, other in (
            (got, expected),
            (got + got, expected + expected),
            (got.group(4), expected.group(4)),
            (got.group(4) + got, expected.group(4) + expected),
        ):
            for name in ("value", "weight", "events", "event_squares", "nonevent_squares"):
                mine, numpys = getattr(one, name), getattr(other, name)
                assert (mine is None) == (numpys is None)
                if mine is not None:
                    assert isinstance(mine, type(STRICT_P))
                    np.testing.assert_allclose(np.asarray(mine), numpys, rtol=1e-12)


@pytest.mark.parametrize("rule", [Brier(), Log(), Spherical(), RPS(), RankedLog()], ids=repr)
def test_logits_of_classes_are_written_against_the_standard(rule: ClassRule) -> None:
    z = np.array([[0.0, 1.0, -2.0], [3.0, -30.0, 0.5], [0.1, 0.2, 0.3]])
    y = np.array([0, 1, 2])
    strict_z, strict_y = xp.asarray(z), xp.asarray(y)
    for ours, numpys in (
        (rule.logit_loss(strict_y, strict_z), rule.logit_loss(y, z)),
        (rule.logit_slope(strict_y, strict_z), rule.logit_slope(y, z)),
        (rule.logit_curvature(strict_z), rule.logit_curvature(z)),
    ):
        np.testing.assert_allclose(np.asarray(ours), numpys, rtol=1e-14, atol=1e-17)
