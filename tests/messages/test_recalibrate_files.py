"""Messages of ``properly recalibrate`` about files that no transcript can write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.command_line import run

from properly.cli._apply_command import ForecastReading, RowMap
from properly.engines._files._checks import FileRows
from properly.errors import DataError
from properly.recalibration import Logistic

if TYPE_CHECKING:
    from pathlib import Path


def test_rows_that_are_told_apart_in_two_ways() -> None:
    import numpy as np

    groups = FileRows({"g": np.array(["a"])}, {"g": np.array([False])}, ())
    rows = RowMap(Logistic(0.1, 0.9), ForecastReading(("p",), False, False, "refuse"), groups)
    with pytest.raises(DataError) as refused:
        rows.tell()
    assert str(refused.value) == (
        "each row must have a group; there are 0 rows and 1 groups\n\nHint: leave out empty lines."
    )


def test_a_map_by_group_without_groups(tmp_path: Path) -> None:
    from properly.recalibration import GroupShift

    stored = GroupShift(0.0, 1.0, {"a": 0.5}).save(tmp_path / "map.json")
    given = ("--map", stored, "--forecast", "p", "--output", tmp_path / "out.csv")
    assert run("recalibrate", "apply", tmp_path / "in.csv", *given).stderr.endswith(
        "Error: This map differs by group; give the column of groups by --groups.\n"
    )
