"""The coverage study of the documentation, and the numbers that it keeps."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
KEPT: dict[str, Any] = json.loads((DOCS / "coverage.json").read_text(encoding="utf-8"))


def script(name: str) -> Any:
    """Return one of the modules that the study is made of."""
    return import_module(f"studies.coverage.{name}")


study, page, parts = script("study"), script("page"), script("parts")
