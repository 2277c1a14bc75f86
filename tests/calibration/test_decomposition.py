"""A score and what it is made of."""

import math

import pytest

from properly import decompose, tally
from properly.calibration import Decomposition
from properly.rules import Brier, Log, Propriety

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")


class Fair(Brier):
    """A rule that is said to be improper, though it is not."""

    propriety = Propriety.IMPROPER


def test_an_improper_rule_is_decomposed_when_asked_for_by_name() -> None:
    t = tally([0, 1, 1], [0.2, 0.4, 0.9])
    assert decompose(t, Fair(), allow_improper=True) == decompose(t, Brier())


def test_a_certain_and_wrong_forecast_has_infinite_miscalibration_alone() -> None:
    parts = decompose(tally([1, 0, 1], [0.0, 0.5, 0.9]), Log())
    assert parts.score == parts.miscalibration == math.inf
    assert math.isfinite(parts.discrimination)
    assert math.isfinite(parts.uncertainty)


@pytest.mark.parametrize(("y", "p"), [([0], [0.3]), ([1, 1], [0.3, 0.4]), ([0, 0], [0.0, 0.0])])
def test_one_case_or_one_class_leaves_nothing_uncertain(y: list[int], p: list[float]) -> None:
    parts = decompose(tally(y, p), Brier())
    assert parts == Decomposition(Brier()(y, p), Brier()(y, p), 0.0, 0.0)
