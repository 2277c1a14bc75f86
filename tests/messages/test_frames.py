"""Messages about frames: ``frames.txt`` has them all, and every library that holds frames says them.

Laws of engines, and the tests of integrations, hold the other libraries to ``SAID``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.messages.transcripts import Said, read, scene, words

from properly.engines import _frame
from properly.errors import DataError
from properly.rules import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

# What depends on the engine that holds the frame.
SAID = [said for said in read("frames.txt") if said.words and "(engine(" in said.call]
# One message about each rule that is broken, the last of several.
ONE_OF_EACH = list({said.words.split(";")[0]: said for said in SAID}.values())


def misheard(engine: Callable[[Any], Any], all_said: Collection[Said]) -> list[Any]:
    """Return what an engine says in other words than it should, beside these."""
    found = [(said.words, words(said, engine=engine)) for said in all_said]
    return [pair for pair in found if pair[1] != [pair[0]]]


def test_what_needs_rows_is_refused_of_frames_with_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_frame, "MOST_ROWS", 5)
    names = scene("frames.txt")
    frame, evaluation = names["lazy"](names["TABLE"]), names["evaluation"]
    for what in ("time", "strata", "show"):
        with pytest.raises(DataError) as caught:
            evaluation(**{what: "unit"})(frame)
        assert str(caught.value) == (
            f"{what} needs the rows in memory, up to 5; the frame has 6"
            f"\n\nHint: leave out {what}, or take a part of the rows."
        )
    with pytest.raises(DataError) as caught:
        evaluation(names["A"], outcome="grade", rules=Log(), normalize=True)(frame)
    assert str(caught.value) == (
        "normalize=True needs the rows in memory; the frame has too many"
        "\n\nHint: divide the columns by their sums in the frame."
    )
