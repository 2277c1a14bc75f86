"""Messages of verdicts, word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from properly import Evaluation, evaluate, tally
from properly.errors import ArgumentTypeError
from properly.evaluation._verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Callable

MADE: dict[str, Evaluation] = {}


def one() -> Evaluation:
    """Evaluate two cases, once."""
    return MADE.setdefault(
        "one", evaluate([0, 1], {"a": [0.2, 0.7]}, task="binary", replicates=0, rng=1)
    )


SAID: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (
        ArgumentTypeError,
        (
            "a verdict is about an Evaluation; got Tally"
            "\n\nHint: make one with properly.evaluate(y, forecasts)."
        ),
        lambda: verdict(tally([0, 1], [0.2, 0.7])),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        (
            "a verdict is about an Evaluation; got NoneType"
            "\n\nHint: make one with properly.evaluate(y, forecasts)."
        ),
        lambda: verdict(None),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        "cases must be a word or a few; got 3",
        lambda: verdict(one(), cases=3),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        "event must be a word or a few; got ' '",
        lambda: verdict(one(), event=" "),
    ),
]


@pytest.mark.parametrize(
    ("error", "message", "call"), SAID, ids=[said[1].split("\n")[0][:70] for said in SAID]
)
def test_a_message_is_word_for_word(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message
