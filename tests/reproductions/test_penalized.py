"""The paper on penalized scores, as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from reproductions.penalties import paper as _penalized

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


def test_tables_are_named_after_their_parts(small: PenalizedReproduction) -> None:
    found = small.to_dict()
    assert list(found) == ["example", "constants", "ties", "scales", "simulation", "injuries"]
    assert found["ties"]["shares"]["classes"] == [2, 2, 3, 3, 4, 4, 5, 5, 10, 10]
    assert found["injuries"]["rivals"]["switch"][:2] == [None, None]


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


def test_full_draws_more(small: PenalizedReproduction) -> None:
    assert _penalized.QUICK < _penalized.FULL
    assert small.simulation.n == 1000
    assert {share.n for share in small.ties.shares} == {200}
    assert repr(small) == "PenalizedReproduction(1,000 pairs a scheme)"
