"""The paper on consequences, as a whole."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from properly import reproduce
from properly.errors import DataError, MissingExtraError
from properly.reproduce import _consequentialist
from properly.reproduce._pictures import save_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from properly.reproduce import ConsequentialistReproduction

PICTURES = [f"figure{k}.png" for k in range(2, 7)]
SMALL = 2000


@pytest.fixture(scope="module")
def told() -> list[tuple[int, int, str]]:
    return []


@pytest.fixture(scope="module")
def small(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[int, int, str]]
) -> Iterator[ConsequentialistReproduction]:
    """Reproduce everything with little simulation."""
    folder = tmp_path_factory.mktemp("consequentialist")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_consequentialist, "QUICK", SMALL)
        yield reproduce.consequentialist(
            output=folder / "new" / "pictures", rng=3, progress=lambda *step: told.append(step)
        )


def test_every_figure_is_a_whole_picture(small: ConsequentialistReproduction) -> None:
    assert [path.name for path in small.pictures] == PICTURES
    folder = small.pictures[0].parent
    assert sorted(path.name for path in folder.iterdir()) == PICTURES
    assert all(path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" for path in small.pictures)


def test_progress_counts_every_step_to_the_end(
    small: ConsequentialistReproduction, told: list[tuple[int, int, str]]
) -> None:
    total = 2 + 4 + len(small.pictures)
    assert [(done, of) for done, of, _ in told] == [(i + 1, total) for i in range(total)]
    assert [what for *_, what in told][:2] == ["Appendix F, paper", "Appendix F, original"]


def test_the_text_has_every_part_and_says_what_is_left_out(
    small: ConsequentialistReproduction,
) -> None:
    text = str(small)
    parts = ("Appendix F: eight", "Appendix F: the same", "Table 2: risk", "Table 2, Figures 2")
    for part in (*parts, "Figure 4: ", "Errata: ", "(Appendix K), are left out", "Pictures: "):
        assert text.count(part) == 1
    assert max(len(line) for line in text.splitlines() if "Pictures" not in line) <= 105
    assert repr(small) == "ConsequentialistReproduction(2,000 simulated cases)"


def test_without_a_folder_there_are_no_pictures_and_the_rest_is_the_same(
    small: ConsequentialistReproduction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_consequentialist, "QUICK", SMALL)
    rest = reproduce.consequentialist(rng=3)
    assert rest.pictures == ()
    assert rest.to_dict() == small.to_dict()
    assert str(rest) == str(small).partition("\n\nPictures")[0]


def test_all_tables_can_be_written_as_json(small: ConsequentialistReproduction) -> None:
    found = json.loads(json.dumps(small.to_dict(), allow_nan=False))
    assert set(found) == {"appendix_f", "table2", "crash", "figure4", "errata"}
    assert set(found["appendix_f"]) == {"paper", "original"}


def test_full_is_as_much_as_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _consequentialist.FULL == 1_000_000
    monkeypatch.setattr(_consequentialist, "FULL", 3000)
    result = reproduce.consequentialist(full=True)
    assert {table.n for table in result.appendix_f.values()} == {3000}


def test_output_must_be_a_folder_and_is_looked_at_first(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(DataError, match="output must be a folder"):
        reproduce.consequentialist(output=file)


def test_pictures_need_matplotlib_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match="this needs matplotlib"):
        reproduce.consequentialist(output=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_picture_that_fails_leaves_no_debris(tmp_path: Path) -> None:
    def fail() -> None:
        message = "no ink"
        raise OSError(message)

    with pytest.raises(OSError, match="no ink"):
        save_all({"figure2": fail}, tmp_path, lambda _: None)  # type: ignore[dict-item]
    assert list(tmp_path.iterdir()) == []
