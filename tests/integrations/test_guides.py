"""The script on each framework's page runs, by itself, and prints what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs" / "integrations"
SCRIPT = re.compile(r"^```python\n(.*?)^```\n+```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FRAMEWORKS = {
    "pytorch": "torch",
    "lightning": "lightning",
    "keras": "keras",
    "xgboost": "xgboost",
    "lightgbm": "lightgbm",
    "mlflow": "mlflow",
}
LONGEST = 40


def script_of(page: str) -> tuple[str, str]:
    """Return the script of a page, and what it is said to print."""
    found = SCRIPT.findall((PAGES / f"{page}.md").read_text(encoding="utf-8"))
    assert len(found) == 1, "a page has one script, with what it prints below"
    return found[0][0], found[0][1]


def test_every_page_is_run() -> None:
    # The page of scikit-learn, which every test has, is run with the other pages.
    assert {page.stem for page in PAGES.glob("*.md")} == {*FRAMEWORKS, "scikit-learn"}


@pytest.mark.parametrize("page", FRAMEWORKS)
def test_a_script_is_short(page: str) -> None:
    assert script_of(page)[0].count("\n") < LONGEST


@pytest.mark.parametrize("page", FRAMEWORKS)
def test_a_script_prints_what_its_page_says(page: str, tmp_path: Path) -> None:
    if find_spec(FRAMEWORKS[page]) is None:
        pytest.skip(f"{page} is not installed; `make test-integrations` installs it")
    script, expected = script_of(page)
    file = tmp_path / "script.py"
    file.write_text(script, encoding="utf-8")
    environment = os.environ | {"KERAS_BACKEND": "torch", "MLFLOW_DISABLE_TELEMETRY": "true"}
    found = subprocess.run(  # noqa: S603
        [sys.executable, str(file)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    assert found.stdout == expected
