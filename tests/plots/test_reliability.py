"""Reliability diagrams."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from properly import plots, reliability, tally

RECORD = reliability(tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))


def test_a_given_axes_is_drawn_on_and_returned() -> None:
    ax = Figure().add_subplot()
    assert plots.reliability(RECORD, ax) is ax
    assert ax.get_ylabel() == "event rate"


def test_the_line_goes_through_the_corners_of_the_curve() -> None:
    lines = plots.reliability(RECORD, label="model").get_lines()
    curve = next(line for line in lines if line.get_label() == "model")
    np.testing.assert_array_equal(curve.get_xydata(), np.stack(RECORD.curve(), axis=1))


def test_drawing_changes_no_global_style() -> None:
    before = dict(mpl.rcParams)
    plots.reliability(RECORD)
    assert dict(mpl.rcParams) == before


def test_models_on_one_axes_share_its_diagonal_and_leave_its_limits() -> None:
    ax = Figure().add_subplot(xlim=(0, 0.2))
    for _ in range(2):
        plots.reliability(RECORD, ax)
    assert len([line for line in ax.get_lines() if line.get_gid() == "diagonal"]) == 1
    assert ax.get_xlim() == (0, 0.2)
