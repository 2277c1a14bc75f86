"""Messages about summaries in files, word for word."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly.engines import Summary
from properly.engines._score_sums import ScoreSums
from properly.errors import DataError
from properly.rules import Brier

if TYPE_CHECKING:
    from pathlib import Path

Y, P = np.array([True, False]), np.array([0.25, 0.75])
FORECASTS = {"a": P, "b": P}
SUMMARY = Summary.of_rows([Brier()], Y, FORECASTS)


def test_a_summary_of_clusters_does_not_add() -> None:
    clustered = ScoreSums.of_rows(
        ["a", "b"], [Brier()], Y, FORECASTS, None, clusters=np.array([1, 2])
    )
    with pytest.raises(DataError) as caught:
        SUMMARY + replace(SUMMARY, sums=clustered)
    assert str(caught.value).startswith("sums of clusters do not add")


def refused(path: Path | str) -> str:
    with pytest.raises(DataError) as caught:
        Summary.load(path)
    return str(caught.value)


def test_what_cannot_be_read_is_said_word_for_word(tmp_path: Path) -> None:
    missing = tmp_path / "no\nwhere"
    assert refused(missing) == f"cannot read {tmp_path}/no\\nwhere: no such file or directory"
    assert refused(tmp_path) == f"cannot read {tmp_path}: is a directory"
    assert refused("a\0b") == "cannot read a\\x00b: no file can have such a name"


def test_a_foreign_file_is_refused_word_for_word(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("y,p\n1,0.5\n")
    told = "is not a summary that properly has saved"
    hint = "\n\nHint: Summary.save and Stream.save write them."
    assert refused(path) == f"{path} {told}{hint}"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other", "text")
    assert refused(path) == f"{path} {told}{hint}"


def test_a_damaged_file_is_refused_word_for_word(tmp_path: Path) -> None:
    path = SUMMARY.save(tmp_path / "x.summary")
    path.write_bytes(path.read_bytes()[:-20])
    told = f"the summary {path} is damaged and cannot be read"
    assert refused(path) == f"{told}\n\nHint: save it, or copy it, once more."


def changed(path: Path, **words: Any) -> Path:
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(entries["properly-summary.json"]) | words
    entries["properly-summary.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def test_a_file_of_the_future_is_refused_word_for_word(tmp_path: Path) -> None:
    path = changed(SUMMARY.save(tmp_path / "x.summary"), version=2, parts="anything")
    told = (
        f"{path} was written by a newer version of properly; its format is 2, this version reads "
        "up to 1"
    )
    assert refused(path) == f"{told}\n\nHint: pip install --upgrade properly"


def test_a_rule_that_is_not_known_is_refused_word_for_word(tmp_path: Path) -> None:
    path = changed(SUMMARY.save(tmp_path / "x.summary"), rules=["Cleverest()"])
    told = "a rule must have a name of properly.rules; got 'Cleverest'"
    assert refused(path).startswith(told)
