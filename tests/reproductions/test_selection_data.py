"""Series of activities and published histories: read, or refused with a reason."""

from __future__ import annotations

import gzip
import os
from typing import TYPE_CHECKING

import numpy as np
import pytest
from reproductions.epochs.data import CLASSES, KINDS, read
from tests.reproductions.activities import write_histories

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, name: str, text: str) -> Path:
    (folder / "RSSI").mkdir(exist_ok=True)
    (folder / "RSSI" / name).write_text(text, encoding="utf-8")
    return folder


def test_windows_are_those_of_table_1_in_rows() -> None:
    assert {name: (kind.window, kind.step) for name, kind in KINDS.items()} == {
        "walking": (96, 24),
        "older people": (43, 11),
        "motor": (300, 75),
        "RSSI": (29, 7),
    }


def test_a_set_is_one_series_a_class_whether_packed_or_not(tmp_path: Path) -> None:
    write(tmp_path, "a.csv", "n,rssiOne,rssiTwo\n0,-80,-80\n1,-81.5,-81.5\n")
    (tmp_path / "RSSI" / "b.csv.gz").write_bytes(gzip.compress(b"rssiOne\n-70\n"))
    (tmp_path / "RSSI" / "readme.txt").write_text("no table", encoding="utf-8")
    found = read(tmp_path)
    assert list(found.sets) == ["RSSI"]
    assert found.sets["RSSI"].labels == ("a", "b")
    assert [x.tolist() for x in found.sets["RSSI"].series] == [[[-80.0], [-81.5]], [[-70.0]]]
    assert found.histories == {}


def test_histories_are_read_by_name(tmp_path: Path) -> None:
    found = read(str(write_histories(tmp_path)))
    assert found.sets == {}
    assert list(found.histories) == ["RSSI", "WISDM"]
    one = found.histories["RSSI"]
    assert (one.classes, one.stored) == (12, (0.5, 0.6))
    assert one.f1.tolist() == [0.1, 0.3, 0.5, 0.4]
    assert one.penalized - one.brier == pytest.approx(np.array([0.9, 0.7, 0.5, 0.6]) * 11 / 144)


def test_there_are_nine_histories_and_four_sets() -> None:
    assert len(CLASSES) == 9
    assert {kind.folder for kind in KINDS.values()} <= set(CLASSES)


@pytest.fixture
def activity() -> str:
    path = os.environ.get("PROPERLY_ACTIVITY", "")
    if not path:
        pytest.skip("PROPERLY_ACTIVITY does not name the folder of activities")
    return path


def test_the_real_sets_have_the_rows_that_rates_were_found_from(activity: str) -> None:
    found = read(activity)
    assert {name: (len(x.labels), sum(map(len, x.series))) for name, x in found.sets.items()} == {
        "walking": (13, 127_413),
        "older people": (12, 35_278),
        "motor": (3, 153_000),
        "RSSI": (12, 13_584),
    }
    assert list(found.histories) == list(CLASSES)
