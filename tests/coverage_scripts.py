"""The coverage study of the documentation, and the numbers that it keeps."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
KEPT: dict[str, Any] = json.loads((DOCS / "coverage.json").read_text(encoding="utf-8"))


# Shares that differ by more are not a matter of chance.
FAR = 4


def about(row: dict[str, Any]) -> dict[str, Any]:
    """Return what a row is about, without what was measured."""
    return {
        name: value
        for name, value in row.items()
        if not isinstance(value, list) and name != "repetitions"
    }


def script(name: str) -> Any:
    """Return one of the modules that the study is made of."""
    return import_module(f"studies.coverage.{name}")


study, page, parts = script("study"), script("page"), script("parts")
