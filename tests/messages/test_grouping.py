"""Every message about what grouping can have changed, word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from properly import Tally, tally
from properly.calibration import grouping_error
from properly.errors import ArgumentTypeError, DataError, ImproperRuleError
from properly.rules import BinaryRule, Propriety

if TYPE_CHECKING:
    from properly.typing import Array

GROUPED = tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.8], cells=2)


class Cheat(BinaryRule):
    """A rule that rewards lies."""

    propriety = Propriety.IMPROPER

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        return upper - lower

    false_negatives = false_positives

    def weight(self, p: Array) -> Array:
        return p


SAID: list[tuple[type[Exception], str, Any]] = [
    (
        ImproperRuleError,
        "only a proper rule has bounds; Cheat() is improper, so its price need not rise with the distance from what happened",
        lambda: grouping_error(GROUPED, Cheat()),
    ),
    (
        DataError,
        (
            "the score of these cases lies between 0.125 and 0.625; got 0.7"
            "\n\nHint: pass the mean loss of the ungrouped forecasts, by the same rule and weights."
        ),
        lambda: grouping_error(GROUPED, score=0.7),
    ),
    (
        ArgumentTypeError,
        "the score must be a number; got 'low'",
        lambda: grouping_error(GROUPED, score="low"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "a tally grouped into 10 cells has one forecast in each; the one from 0.1 on has more"
            "\n\nHint: ask of the tally as it was grouped, before its forecasts were changed."
        ),
        lambda: grouping_error(Tally([0.12, 0.15], [1, 1], [0, 1], cells=10)),
    ),
]


@pytest.mark.parametrize(("error", "message", "call"), SAID)
def test_what_is_said(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message
