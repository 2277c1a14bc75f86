"""Tests start in an empty folder; one that leaves files elsewhere fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = """
import tempfile
from pathlib import Path

def test_own_folder(): Path("report.html").touch()
def test_empty_again(): assert not list(Path().iterdir())
def test_temporary(): tempfile.mkdtemp(prefix="properly-")
def test_project(): Path(__file__).with_name("report.html").touch()
"""


def test_a_test_that_leaves_files_behind_fails(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text(encoding="utf-8"))
    (tmp_path / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    done = subprocess.run(  # noqa: S603
        command, cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "4 passed, 2 errors" in done.stdout
    errors = [line.partition(" - ")[0] for line in done.stdout.splitlines() if "ERROR " in line]
    assert errors[-2:] == [f"ERROR test_it.py::test_{name}" for name in ("temporary", "project")]
