"""Finished runs in files: the same when they come back, and never mixed with others."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest
from reproductions.epochs.data import read
from reproductions.epochs.networks import Recipe, task_of
from reproductions.epochs.shelf import Shelf, open_shelf
from tests.reproductions.activities import fake_train, write_signals

from properly.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from reproductions.epochs.data import ActivitySet
    from reproductions.epochs.networks import Run

RECIPE = Recipe(epochs=3)
ROOT = 5


@pytest.fixture
def sets(tmp_path: Path) -> dict[str, ActivitySet]:
    return read(write_signals(tmp_path / "data")).sets


def opened(
    tmp_path: Path, sets: dict[str, ActivitySet], root: int = ROOT, recipe: Recipe = RECIPE
) -> Shelf:
    return open_shelf(tmp_path / "runs", sets, root, recipe)


def made(sets: dict[str, ActivitySet]) -> Run:
    return fake_train(task_of(sets["RSSI"], 2), "RSSI", 1, 2, root=ROOT, recipe=RECIPE)


def test_a_run_comes_back_as_it_was(tmp_path: Path, sets: dict[str, ActivitySet]) -> None:
    shelf, run = opened(tmp_path, sets), made(sets)
    assert shelf.get("RSSI", 1, 2) is None
    shelf.put(run)
    again: Any = opened(tmp_path, sets).get("RSSI", 1, 2)
    assert asdict(again) == asdict(run)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["RSSI-seed1-split2.json"]


def test_without_a_folder_nothing_is_kept(tmp_path: Path, sets: dict[str, ActivitySet]) -> None:
    before = sorted(tmp_path.iterdir())
    shelf = open_shelf(None, sets, ROOT, RECIPE)
    shelf.put(made(sets))
    assert shelf.get("RSSI", 1, 2) is None
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("root", "recipe", "said"),
    [
        (6, RECIPE, "seed 5 instead of 6"),
        (ROOT, Recipe(epochs=4), "epochs 3 instead of 4"),
        (ROOT, Recipe(epochs=3, width=8), "width 24 instead of 8"),
    ],
)
def test_runs_made_otherwise_are_refused(
    tmp_path: Path, sets: dict[str, ActivitySet], root: int, recipe: Recipe, said: str
) -> None:
    opened(tmp_path, sets).put(made(sets))
    with pytest.raises(DataError, match=said):
        opened(tmp_path, sets, root, recipe).get("RSSI", 1, 2)


def test_runs_on_other_data_are_refused(tmp_path: Path, sets: dict[str, ActivitySet]) -> None:
    opened(tmp_path, sets).put(made(sets))
    series = list(sets["RSSI"].series)
    series[0] = series[0] + 1e-9
    changed = {"RSSI": sets["RSSI"]._replace(series=tuple(series))}
    with pytest.raises(DataError, match=r"was made with data [0-9a-f]{16} instead of [0-9a-f]{16}"):
        opened(tmp_path, changed).get("RSSI", 1, 2)
