"""The library does not grow: no figure is above its ceiling."""

from __future__ import annotations

import pytest
from studies.size import FIGURES

# These read every line of the library, or of the tests.
LONG = ("code lines of tests", "pairs of places that share six lines")


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=pytest.mark.slow if x in LONG else ()) for x in FIGURES]
)
def test_no_figure_is_above_its_ceiling(name: str) -> None:
    count, ceiling = FIGURES[name]
    assert count() <= ceiling, f"{name} has grown"
