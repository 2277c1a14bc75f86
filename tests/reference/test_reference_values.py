"""Every value that has an id, and every random draw: computed by one area, and as it is held.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.inference_numbers import MONTE_CARLO, assert_drawn

from . import test_reference_answers as answers
from . import test_reference_inference_calibration as calibration
from . import test_reference_inference_comparison as comparison
from . import test_reference_inference_parts as parts
from . import test_reference_inference_scores as scores
from . import test_reference_panels as panels
from . import test_reference_recalibration as recalibration
from . import test_reference_time as time
from . import test_reference_weights as weights
from .held import assert_held, values_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .held import Areas

# Intervals and bands of few events warn, and so do sampling weights.
pytestmark = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")

# How many values a folder holds, and what computes them.
FOLDERS: dict[str, tuple[int, tuple[Areas, ...]]] = {
    "inference": (341, tuple(x.AREAS for x in (scores, comparison, parts, calibration))),
    "panels": (50, (panels.AREAS,)),
    "real_data": (1196, (answers.AREAS,)),
    "recalibration": (364, (recalibration.AREAS,)),
    "time": (70, (time.AREAS,)),
    "weights": (69, (weights.AREAS,)),
}
ALL = [
    pytest.param(folder, area, id=f"{folder}-{name}")
    for folder, (_, tables) in FOLDERS.items()
    for table in tables
    for name, area in table.items()
]
DRAWN = [area for table in (parts, calibration) for area in table.DRAWN.items()]


def require_all(held: Any, areas: list[Callable[[], dict[str, Any]]]) -> None:
    found = [set(area()) for area in areas]
    assert set().union(*found) == set(held)
    assert sum(map(len, found)) == len(held)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_value_is_computed_once(folder: str) -> None:
    number, tables = FOLDERS[folder]
    assert len(values_of(folder)) == number
    require_all(values_of(folder), [area for table in tables for area in table.values()])


@pytest.mark.parametrize(("folder", "area"), ALL)
def test_every_value_is_the_held_one(folder: str, area: Callable[[], dict[str, float]]) -> None:
    assert_held(area(), values_of(folder))


def test_every_draw_is_repeated_once() -> None:
    assert len(MONTE_CARLO) == 64
    require_all(MONTE_CARLO, [area for _, area in DRAWN])


@pytest.mark.parametrize("area", [pytest.param(area, id=name) for name, area in DRAWN])
def test_every_draw_is_the_held_one(area: Callable[[], dict[str, tuple[float, float]]]) -> None:
    found = area()
    assert found
    for identity, (got, own_error) in found.items():
        assert_drawn(identity, got, own_error)
