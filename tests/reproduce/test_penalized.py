"""The paper on penalized scores, as a whole."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from properly import reproduce
from properly.errors import ArgumentTypeError, DataError, MissingExtraError
from properly.reproduce import _penalized

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from properly.reproduce import PenalizedReproduction

PICTURES = ["ties.png", "simulation.png"]
SMALL = _penalized.Effort(truths=200, pairs=1000)
# Five numbers of classes, and eight schemes by five of them.
STEPS = 6 + 5 + 8 * 5


@pytest.fixture(scope="module")
def told() -> list[tuple[int, int, str]]:
    return []


@pytest.fixture(scope="module")
def small(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[int, int, str]]
) -> Iterator[PenalizedReproduction]:
    """Reproduce everything with little simulation."""
    folder = tmp_path_factory.mktemp("penalized")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_penalized, "QUICK", SMALL)
        yield reproduce.penalized(
            output=folder / "new" / "pictures", rng=3, progress=lambda *step: told.append(step)
        )


def test_every_picture_is_whole(small: PenalizedReproduction) -> None:
    assert [path.name for path in small.pictures] == PICTURES
    folder = small.pictures[0].parent
    assert sorted(path.name for path in folder.iterdir()) == sorted(PICTURES)
    assert all(path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" for path in small.pictures)


def test_progress_counts_every_step_to_the_end(
    small: PenalizedReproduction, told: list[tuple[int, int, str]]
) -> None:
    total = STEPS + len(small.pictures)
    assert [(done, of) for done, of, _ in told] == [(i + 1, total) for i in range(total)]
    assert [what for *_, what in told][:3] == [
        "introduction",
        "Theorems 1 to 4 and 6",
        "Theorem 5: treatments of ties",
    ]
    assert "Appendix 8: Dirichlet(1), c = 50" in [what for *_, what in told]


def test_the_text_has_every_part_and_says_what_is_left_out(small: PenalizedReproduction) -> None:
    text = str(small)
    parts = ("Introduction: two", "Theorems 1 to 4 and 6: bounds", "Theorem 5: is", "Equations and")
    for part in (
        *parts,
        "Appendix 8: how",
        "What PBS is: ",
        "Tables 1 to 3, networks",
        "Pictures: ",
    ):
        assert text.count(part) == 1
    assert max(len(line) for line in text.splitlines() if "Pictures" not in line) <= 105
    assert repr(small) == "PenalizedReproduction(1,000 pairs a scheme)"


def test_without_a_folder_there_are_no_pictures_and_the_rest_is_the_same(
    small: PenalizedReproduction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_penalized, "QUICK", SMALL)
    rest = reproduce.penalized(rng=np.random.default_rng(3))
    assert rest.pictures == ()
    assert rest.to_dict() == small.to_dict()
    assert str(rest) == str(small).partition("\n\nPictures")[0]


def test_all_tables_can_be_written_as_json(small: PenalizedReproduction) -> None:
    found = json.loads(json.dumps(small.to_dict(), allow_nan=False))
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


def test_full_draws_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _penalized.QUICK < _penalized.FULL
    monkeypatch.setattr(_penalized, "FULL", _penalized.Effort(truths=300, pairs=500))
    result = reproduce.penalized(full=True)
    assert result.simulation.n == 500
    assert {share.n for share in result.ties.shares} == {300}


def test_output_must_be_a_folder_and_is_looked_at_first(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(DataError, match="output must be a folder"):
        reproduce.penalized(output=file)


def test_pictures_need_matplotlib_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match="this needs matplotlib"):
        reproduce.penalized(output=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_source_of_randomness_is_checked_before_anything_is_computed() -> None:
    told: list[str] = []
    with pytest.raises(ArgumentTypeError, match="rng must be a whole number"):
        reproduce.penalized(rng="no", progress=lambda *step: told.append(step[2]))  # type: ignore[arg-type]
    assert told == []
