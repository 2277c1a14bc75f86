"""The pages of the reference, written again from what commands print."""

from __future__ import annotations

import pytest
from studies.help_pages import REFERENCE, renewed


@pytest.mark.parametrize("name", ["cli.md", "cli/score.md", "cli/recalibrate.md"])
def test_stale_help_is_renewed_and_all_else_is_kept(name: str) -> None:
    page = (REFERENCE / name).read_text(encoding="utf-8")
    stale = page.replace("Show this message and exit.", "Show this and go.")
    assert stale != page
    assert renewed(stale) == page
