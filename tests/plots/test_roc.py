"""ROC curves."""

import numpy as np
import pytest
from matplotlib.patches import Polygon
from tests.plots.subjects import CONTINUOUS

from properly import plots
from properly.decisions import roc_curve

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")


def test_the_line_is_the_curve_in_a_square() -> None:
    curve = roc_curve(CONTINUOUS)
    ax = plots.roc(curve)
    line = next(line for line in ax.get_lines() if line.get_gid() == "curve")
    np.testing.assert_array_equal(line.get_xdata(), curve.false_positive_rate)
    np.testing.assert_array_equal(line.get_ydata(), curve.true_positive_rate)
    assert ax.get_aspect() == 1


def test_the_legend_says_of_which_curve_the_area_is() -> None:
    raw, hull = roc_curve(CONTINUOUS), roc_curve(CONTINUOUS, hull=True)
    areas = [f"{curve.area:.3f}"[1:] for curve in (raw, hull)]
    legend = plots.roc({"raw": raw, "$": hull}).get_legend()
    assert legend is not None
    shown = [text.get_text() for text in legend.get_texts()]
    assert shown == [f"raw, AUC {areas[0]}", rf"\$, hull area {areas[1]}"]
    legend = plots.roc(raw).get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [f"AUC {areas[0]}"]


def test_a_band_is_a_polygon_of_a_curve_that_is_alone() -> None:
    curve = roc_curve(CONTINUOUS, band="confidence")
    assert curve.band is not None
    (polygon,) = plots.roc(curve).patches
    assert isinstance(polygon, Polygon)
    np.testing.assert_array_equal(polygon.get_xy(), np.stack(curve.band.outline(), axis=1))
    assert not plots.roc({"one": curve, "two": curve}).patches
