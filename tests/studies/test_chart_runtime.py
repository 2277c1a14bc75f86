"""The script that draws the charts is the one that its first line names."""

from __future__ import annotations

import pytest
from studies.chart_runtime import CONVERTER, PATH, runtime


def test_the_script_is_the_bundle_of_its_versions() -> None:
    written = PATH.read_text(encoding="utf-8")
    first = written.partition("\n")[0]
    if f"vl-convert {CONVERTER.__version__};" not in first:
        pytest.skip(f"vl-convert {CONVERTER.__version__} is installed, the script says: {first}")
    assert written == runtime()
