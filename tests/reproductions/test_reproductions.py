"""What every reproduction does: pictures whole or not at all, refusals first, seeds, progress."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly.errors import ArgumentTypeError, DataError, MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path

# `each` is one paper with its small result, from conftest.


def test_every_figure_is_a_whole_picture(each: Any) -> None:
    pictures = each.result.pictures
    assert [path.name for path in pictures] == each.paper.pictures
    folder = pictures[0].parent
    assert sorted(path.name for path in folder.iterdir()) == sorted(each.paper.pictures)
    assert all(path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" for path in pictures)


def test_progress_counts_every_step_to_the_end(each: Any) -> None:
    total = each.paper.steps + len(each.paper.pictures)
    assert [(done, of) for done, of, _ in each.told] == [(i + 1, total) for i in range(total)]
    drawn = [f"picture of {name.removesuffix('.png')}" for name in each.paper.pictures]
    assert [what for *_, what in each.told][each.paper.steps :] == drawn


def test_the_text_has_every_part_once_and_fits_a_terminal(each: Any) -> None:
    text, _, pictures = str(each.result).partition("\n\nPictures:\n")
    for part in each.paper.parts:
        assert text.count(part) == 1
    assert max(len(line) for line in text.splitlines()) <= 100
    assert pictures.splitlines() == [f"  {path}" for path in each.result.pictures]


def test_full_without_pictures_and_from_a_generator_is_the_same(
    each: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    rest = each.paper.small(monkeypatch, full=True, rng=rng, **each.data)
    assert rest.pictures == ()
    assert str(rest) == str(each.result).partition("\n\nPictures")[0]
    assert rest.to_dict() == each.result.to_dict()


def test_another_seed_gives_other_numbers(each: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    other = each.paper.small(monkeypatch, rng=4, **each.data)
    assert str(other) != str(each.result).partition("\n\nPictures")[0]


def test_all_tables_can_be_written_as_json(each: Any) -> None:
    columns = each.result.to_dict()
    assert len(columns) >= 6
    assert set(json.loads(json.dumps(columns, allow_nan=False))) == set(columns)


def test_output_must_be_a_folder_and_is_looked_at_first(each: Any, tmp_path: Path) -> None:
    file, told = tmp_path / "file", []
    file.touch()
    with pytest.raises(DataError, match="output must be a folder"):
        each.paper.run(output=file, progress=lambda *step: told.append(step))
    assert told == []


def test_pictures_need_matplotlib_before_anything_is_computed(
    each: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    told: list[Any] = []
    with pytest.raises(MissingExtraError, match="this needs matplotlib"):
        each.paper.run(output=tmp_path / "new", progress=lambda *step: told.append(step))
    assert not (tmp_path / "new").exists()
    assert told == []


def test_a_source_of_randomness_is_checked_before_anything_is_computed(each: Any) -> None:
    told: list[Any] = []
    with pytest.raises(ArgumentTypeError, match="rng must be a whole number"):
        each.paper.run(rng="no", progress=lambda *step: told.append(step))
    assert told == []


def test_nothing_is_fitted_or_drawn_by_opening_the_door(pytestconfig: pytest.Config) -> None:
    code = (
        "import sys, reproductions; "
        "print([m for m in ('scipy.optimize', 'matplotlib') if m in sys.modules])"
    )
    found = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        cwd=pytestconfig.rootpath,
        capture_output=True,
        check=True,
        text=True,
    )
    assert found.stdout == "[]\n"
