"""Scripts to copy do what they say."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from properly.errors import DataWarning
from properly.recalibration import Intercept, load

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def test_forecasts_are_repaired_saved_and_repaired_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "map.json"
    monkeypatch.setattr(sys, "argv", ["repair.py", str(path)])
    with pytest.warns(DataWarning, match="1 forecast outside"):
        runpy.run_path(str(EXAMPLES / "repair.py"), run_name="__main__")
    assert "The log score of 2002 is 0.335 as it was, and 0.128 after" in capsys.readouterr().out
    assert isinstance(load(path), Intercept)
