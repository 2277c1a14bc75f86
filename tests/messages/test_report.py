"""What reports refuse, word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from properly import evaluate, report
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOTHING: Any = {}
E: Any = evaluate([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.4], replicates=0)


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (
            ArgumentTypeError,
            (
                "a report is printed from an Evaluation or a Leaderboard; got dict\n\n"
                "Hint: make one with properly.evaluate(y, forecasts), or "
                "properly.leaderboard(answers)."
            ),
            lambda folder: report.write(folder / "x.html", NOTHING),
        ),
        (
            ArgumentTypeError,
            (
                "figures are drawn from an evaluation; got dict\n\n"
                "Hint: make one with properly.evaluate(y, forecasts)."
            ),
            lambda folder: report.figures(folder, NOTHING),
        ),
        (
            DataError,
            "a format must be 'svg', 'png' or 'pdf'; got 'jpg'",
            lambda folder: report.figures(folder, E, formats=["jpg"]),
        ),
        (
            DataError,
            "formats must name at least one of svg, png and pdf; got none",
            lambda folder: report.figures(folder, E, formats=[]),
        ),
    ],
)
def test_a_message_is_word_for_word(
    error: type[Exception], message: str, call: Callable[[Path], Any], tmp_path: Path
) -> None:
    with pytest.raises(error) as raised:
        call(tmp_path)
    assert str(raised.value) == message
    assert list(tmp_path.iterdir()) == []
