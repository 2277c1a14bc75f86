"""Messages of ``properly recalibrate`` about files that no transcript can write."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.command_line import run

from properly.cli._column_writer import write_columns
from properly.engines._files._paths import File
from properly.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("made", [1, 3])
def test_a_file_whose_records_are_not_its_rows(made: int, tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("p\n0.5\n0.25\n", encoding="utf-8")
    file = File("in.csv", path, "csv", "none")
    with pytest.raises(DataError) as refused:
        write_columns(file, {"q": np.zeros(made)}, io.BytesIO())
    assert str(refused.value) == (
        "a file must have as many records as rows; this one has not\n\nHint: leave out empty lines."
    )


def test_a_map_by_group_without_groups(tmp_path: Path) -> None:
    from properly.recalibration import GroupShift

    stored = GroupShift(0.0, 1.0, {"a": 0.5}).save(tmp_path / "map.json")
    given = ("--map", stored, "--forecast", "p", "--output", tmp_path / "out.csv")
    assert run("recalibrate", "apply", tmp_path / "in.csv", *given).stderr.endswith(
        "Error: This map differs by group; give the column of groups by --groups.\n"
    )
