"""The coverage study of the documentation, whose scripts are no part of a package."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

DOCS = Path(__file__).resolve().parent.parent / "docs"


def load_study() -> ModuleType:
    """Load the script, and leave the search path as it was."""
    path = list(sys.path)
    spec = importlib.util.spec_from_file_location(
        "coverage_study", DOCS.parent / "studies" / "coverage_study.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path[:] = path
    return module


study: Any = load_study()
page: Any = study.coverage_page
parts: Any = study.coverage_parts
KEPT: dict[str, Any] = json.loads((DOCS / "coverage.json").read_text(encoding="utf-8"))


def script(name: str) -> Any:
    """Return one of the scripts that the study is made of."""
    return sys.modules[f"studies.{name}"]
