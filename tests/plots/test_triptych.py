"""Three pictures side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from tests.plots.subjects import CONTINUOUS, DISCRETE

from properly import plots, reliability
from properly.decisions import murphy_curve, roc_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TALLIES = {"_first": CONTINUOUS, "$second$": DISCRETE}


def colors(ax: Axes) -> list[object]:
    return [line.get_color() for line in ax.get_lines() if line.get_gid() == "curve"]


def test_a_model_has_one_colour_in_all_panels_and_there_is_one_legend() -> None:
    left, middle, right = plots.triptych(
        {name: murphy_curve(t) for name, t in TALLIES.items()},
        {name: reliability(t) for name, t in reversed(TALLIES.items())},
        {name: roc_curve(t) for name, t in TALLIES.items()},
    )
    assert colors(left) == colors(middle)[::-1] == colors(right)
    figure = left.figure
    assert isinstance(figure, Figure)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [" _first", r"\$second\$"]
    areas = right.get_legend()
    assert areas is not None
    assert [text.get_text()[:4] for text in areas.get_texts()] == ["AUC ", "AUC "]
    assert left.get_legend() is middle.get_legend() is None


def test_panels_are_square_and_nothing_is_cut_off() -> None:
    axes = plots.triptych(
        {"m" * 200: murphy_curve(CONTINUOUS)},
        {"m" * 200: reliability(CONTINUOUS)},
        {"m" * 200: roc_curve(CONTINUOUS)},
        limits=(0, 0.5),
    )
    figure = axes[0].figure
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    for ax in axes:
        box = ax.get_window_extent()
        assert abs(box.width - box.height) < 0.5
        around = ax.get_tightbbox()
        assert around is not None
        assert around.y1 <= figure.bbox.y1
    assert axes[0].get_xlim() == (0, 0.5)
    assert axes[2].get_xlim() == (-0.02, 1.02)


def test_a_single_model_needs_no_name() -> None:
    axes = plots.triptych(murphy_curve(CONTINUOUS), reliability(CONTINUOUS), roc_curve(CONTINUOUS))
    figure = axes[0].figure
    assert isinstance(figure, Figure)
    assert not figure.legends
    assert axes[1].patches  # alone, so with its histogram
