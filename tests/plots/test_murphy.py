"""Murphy diagrams."""

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from tests.plots.subjects import CONTINUOUS, DISCRETE

from properly import plots
from properly.decisions import murphy_curve, murphy_difference, regret_curve
from properly.decisions._murphy import Part

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")


def test_the_line_goes_through_both_limits_at_each_threshold() -> None:
    curve = murphy_curve(CONTINUOUS)
    ax = plots.murphy(curve)
    np.testing.assert_array_equal(ax.get_lines()[0].get_xydata(), np.stack(curve.curve(), axis=1))
    assert ax.get_xlim() == (0, 1)
    assert ax.get_ylim()[0] == 0
    assert ax.get_legend() is None


def test_a_band_is_a_ribbon_of_a_curve_that_is_alone() -> None:
    curve = murphy_curve(CONTINUOUS, band="confidence")
    (ribbon,) = plots.murphy(curve).collections
    assert isinstance(ribbon, PolyCollection)
    assert not plots.murphy({"one": curve, "two": curve}).collections
    assert len(plots.murphy({"one": curve, "two": curve}, band=True).collections) == 2


def test_a_difference_has_a_line_at_zero_once() -> None:
    ax = plots.murphy(murphy_difference(CONTINUOUS, DISCRETE))
    plots.murphy(murphy_difference(DISCRETE, CONTINUOUS), ax)
    assert [line.get_gid() for line in ax.get_lines()].count("zero") == 1
    assert ax.get_ylim()[0] < 0
    assert ax.get_ylabel() == "difference in mean elementary score"


@pytest.mark.parametrize("part", ["miscalibration", "discrimination", "uncertainty"])
def test_a_part_is_named(part: Part) -> None:
    assert plots.murphy(murphy_curve(CONTINUOUS, part=part)).get_ylabel() == part
    mixed = {"all": murphy_curve(CONTINUOUS), part: murphy_curve(CONTINUOUS, part=part)}
    assert plots.murphy(mixed).get_ylabel() == "mean elementary score"


def test_regret_is_named() -> None:
    assert plots.murphy(regret_curve(CONTINUOUS)).get_ylabel() == "regret"
    gain = murphy_difference(CONTINUOUS, DISCRETE).on_regret_scale()
    assert plots.murphy(gain).get_ylabel() == "difference in regret"
    part = regret_curve(CONTINUOUS, part="discrimination")
    assert plots.murphy(part).get_ylabel() == "discrimination"
    mixed = {"regret": regret_curve(CONTINUOUS), "twice": murphy_curve(CONTINUOUS)}
    assert plots.murphy(mixed).get_ylabel() == "mean elementary score"
