"""The paper on penalized scores, as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from reproductions import PenalizedReproduction


@pytest.fixture(scope="module")
def small(whole: Callable[[str], Any]) -> PenalizedReproduction:
    """Take the small result that all tests share."""
    found: PenalizedReproduction = whole("penalized").result
    return found


def test_theorems_and_schemes_are_steps(whole: Callable[[str], Any]) -> None:
    told = [what for *_, what in whole("penalized").told]
    assert told[:2] == ["introduction", "Theorems 1 to 4 and 6"]
    assert told[2] == "Theorem 5: treatments of ties"
    assert "Appendix 8: Dirichlet(1), c = 50" in told


@pytest.mark.parametrize(
    ("part", "rows"),
    [
        ("example", 7),
        ("constants", 10),
        ("ties", 10),
        ("scales", 3),
        ("simulation", 40),
        ("injuries", 5),
    ],
)
def test_every_part_has_a_frame(small: PenalizedReproduction, part: str, rows: int) -> None:
    assert len(getattr(small, part).to_frame("pandas")) == rows
