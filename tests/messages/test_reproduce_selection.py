"""Every message about series of activities, histories and runs that are kept, word for word."""

from __future__ import annotations

import gzip
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from reproductions.epochs import crash as _selection_crash
from reproductions.epochs import paper as _selection
from reproductions.epochs.networks import Recipe
from reproductions.epochs.paper import Effort, selection
from tests.reproductions.activities import fake_train, write_signals

from properly import cli
from properly.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path

HINT = "\n\nHint: copy the data sets and the folder history of the repository Ruhallah93/superior-scoring-rules into one folder: <set>/*.csv or <set>/*.csv.gz, one file a class, and history/*.csv."
KEPT = "\n\nHint: name another folder for the runs (--work), or remove the file."
FOLDERS = "User_Identification_From_Walking, Healthy_Older_People, Motor_Failure_Time, RSSI"


def refused(folder: Path | str, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        selection(folder, **options)
    return str(caught.value)


def write(folder: Path, **tables: str) -> Path:
    place = folder / "RSSI"
    place.mkdir()
    for name, text in tables.items():
        (place / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


def test_a_folder_with_sets_or_histories_is_needed(tmp_path: Path) -> None:
    said = "data must be a folder with sets of activities; 'no/such' is not a folder"
    assert refused("no/such") == said + HINT
    said = f"data must be a folder with sets of activities; {str(tmp_path)!r} has none of {FOLDERS}, and no history"
    assert refused(tmp_path) == said + HINT


def test_a_folder_is_refused_on_the_command_line_in_the_same_words(tmp_path: Path) -> None:
    found = CliRunner().invoke(cli.command(), ["reproduce", "selection", "--data", str(tmp_path)])
    assert found.exit_code == 1
    said = f"data must be a folder with sets of activities; {str(tmp_path)!r} has none of {FOLDERS}, and no history"
    assert found.output == f"Error: {said}{HINT}\n"


def test_a_set_has_two_classes_or_more_and_one_file_each(tmp_path: Path) -> None:
    write(tmp_path, one="rssiOne\n1\n")
    said = "a set of activities must have one file a class, two or more; 'RSSI' has 1"
    assert refused(tmp_path) == said + HINT
    (tmp_path / "RSSI" / "one.csv.gz").write_bytes(gzip.compress(b"rssiOne\n1\n"))
    said = "a set of activities must have one file a class; 'RSSI' has two of one"
    assert refused(tmp_path) == said + "\n\nHint: keep .csv or .csv.gz, not both."


def test_a_table_must_be_readable(tmp_path: Path) -> None:
    write(tmp_path, a="rssiOne\n1\n")
    (tmp_path / "RSSI" / "b.csv.gz").write_bytes(b"rssiOne")
    said = (
        "data must be tables that can be read; 'RSSI/b.csv.gz' cannot: Not a gzipped file (b'rs')"
    )
    assert refused(tmp_path) == said
    (tmp_path / "RSSI" / "b.csv.gz").write_bytes(gzip.compress(b"rssiOne\n\xff\n"))
    said = "data must be tables that can be read; 'RSSI/b.csv.gz' cannot: 'utf-8' codec can't decode byte 0xff in position 8: invalid start byte"
    assert refused(tmp_path) == said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("other\n1\n", "'RSSI/b.csv' must have the columns rssiOne; it has no rssiOne"),
        ("", "'RSSI/b.csv' must have the columns rssiOne; it has no rssiOne"),
        ("rssiOne\n", "'RSSI/b.csv' must have rows below its names; it has none"),
        (
            "rssiOne\n1\nmuch\n",
            "'RSSI/b.csv' must have a finite number in every row of the column rssiOne; row 1 has 'much'",
        ),
        (
            "rssiOne\ninf\n",
            "'RSSI/b.csv' must have a finite number in every row of the column rssiOne; row 0 has 'inf'",
        ),
        (
            "n,rssiOne\n1\n",
            "'RSSI/b.csv' must have a finite number in every row of the column rssiOne; row 0 has ''",
        ),
    ],
)
def test_tables_are_refused_word_for_word(text: str, message: str, tmp_path: Path) -> None:
    assert refused(write(tmp_path, a="n,rssiOne\n0,1\n", b=text)) == message


def test_a_history_must_have_its_columns(tmp_path: Path) -> None:
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / "WISDM.csv").write_text("Step,f1\n0,1\n", encoding="utf-8")
    said = "'history/WISDM.csv' must have the columns f1, esl, pesl; it has no esl and no pesl"
    assert refused(tmp_path) == said


def test_training_needs_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError) as caught:
        selection(write_signals(tmp_path / "data"))
    said = "this needs torch, which is not installed\n\nHint: pip install 'properly[torch]'"
    assert str(caught.value) == said


def test_runs_that_are_kept_must_be_whole_and_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, runs = write_signals(tmp_path / "data"), tmp_path / "runs"
    effort = Effort(seeds=1, splits=(0,), recipe=Recipe(epochs=3))
    monkeypatch.setattr(_selection, "import_torch", lambda: None)
    monkeypatch.setattr(_selection, "train", fake_train)
    monkeypatch.setattr(_selection_crash, "is_there", lambda _: False)
    monkeypatch.setattr(_selection, "QUICK", effort)
    selection(data, work=runs)
    monkeypatch.setattr(_selection, "QUICK", effort._replace(recipe=Recipe(epochs=4)))
    said = "the runs of one folder must be made alike; 'RSSI-seed0-split0.json' was made with epochs 3 instead of 4"
    assert refused(data, work=runs) == said + KEPT
    path = runs / "RSSI-seed0-split0.json"
    path.write_text(json.dumps({"made_with": {}}), encoding="utf-8")
    said = "a finished run must be as it was written; 'RSSI-seed0-split0.json' is not"
    assert refused(data, work=runs) == said + KEPT
