"""The arithmetic needs nothing but the array API standard.

`array_api_strict` offers the standard and refuses everything else. Counting is left out: it reads
the bit patterns of forecasts, which the standard has no word for but every library a method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import array_api_strict as xp
import numpy as np
import pytest

from properly import Tally, decompose, reliability, tally

from .subjects import RULES

if TYPE_CHECKING:
    from properly.rules import BinaryRule

P = np.array([0.0, 1e-9, 0.05, 0.1, 0.3, 0.3, 0.5, 0.7, 1.0, 1.0])
Y = np.array([False, False, True, False, True, False, False, True, True, True])
STRICT_P, STRICT_Y = xp.asarray(P), xp.asarray(Y)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_rules_are_written_against_the_standard(rule: BinaryRule) -> None:
    for ours, numpys in (
        (rule.loss(STRICT_Y, STRICT_P), rule.loss(Y, P)),
        (rule.slope(STRICT_Y, STRICT_P), rule.slope(Y, P)),
        (rule.logit_slope(STRICT_Y, STRICT_P), rule.logit_slope(Y, P)),
        (rule.entropy(STRICT_P), rule.entropy(P)),
    ):
        assert isinstance(ours, type(STRICT_P))
        np.testing.assert_array_equal(np.asarray(ours), numpys)
    assert float(rule(STRICT_Y, STRICT_P)) == pytest.approx(rule(Y, P), rel=1e-15)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_scores_and_their_parts_are_written_against_the_standard(rule: BinaryRule) -> None:
    t = tally(Y, P)
    strict = Tally(*(xp.asarray(np.array(x)) for x in (t.value, t.weight, t.events)))
    assert decompose(strict, rule) == decompose(t, rule)
    np.testing.assert_array_equal(reliability(strict).recalibrated, reliability(t).recalibrated)
    assert (strict + strict).total == 2 * t.total
