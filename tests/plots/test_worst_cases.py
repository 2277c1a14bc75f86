"""The cases with the greatest losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from properly import Cases, plots, tally
from properly.decisions import worst_cases
from properly.decisions._single_cases import worst_forecasts
from properly.rules import RPS, Brier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GRADES = ("none", "early", "significant")
P = np.array([[0.8, 0.1, 0.1], [1, 0, 0], [0.2, 0.5, 0.3], [0.004, 0.001, 0.995]])
CASES = Cases([GRADES[k] for k in (0, 2, 1, 0)], P, labels=GRADES)
WORST = worst_cases(CASES, RPS(), k=3)


def bars(ax: Axes) -> Any:
    """Return the bars of the probabilities, one row a case and one column a class."""
    drawn = [bar for bar in ax.patches if bar.get_gid() != "outcome"]
    rows = round(ax.get_ylim()[0] + 0.5)
    return np.array(drawn, dtype=object).reshape(-1, rows).T


def frames(ax: Axes) -> list[Any]:
    return [bar for bar in ax.patches if bar.get_gid() == "outcome"]


def losses(ax: Axes) -> list[str]:
    (side,) = ax.child_axes
    return [label.get_text() for label in side.get_yticklabels()]


def test_bars_are_as_long_as_the_probabilities() -> None:
    drawn = bars(plots.worst_cases(WORST))
    assert drawn.shape == (3, 3)
    for row, column in np.ndindex(3, 3):
        bar = drawn[row, column]
        assert bar.get_width() == pytest.approx(WORST.p[row, column], abs=1e-15)
        assert bar.get_x() == column - 0.5
        assert bar.get_y() + bar.get_height() / 2 == pytest.approx(row)


def test_the_worst_is_on_top_and_its_loss_is_written() -> None:
    ax = plots.worst_cases(WORST)
    assert WORST.row.tolist() == [1, 3, 2]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["row 1", "row 3", "row 2"]
    assert losses(ax) == ["1.0000", ".9910", ".0650"]
    bottom, top = ax.get_ylim()
    assert bottom > top  # row 0 is the uppermost
    assert ax.texts[-1].get_text() == "loss (rps)"


def test_what_happened_is_framed() -> None:
    drawn = frames(plots.worst_cases(WORST))
    middle = [(x.get_x() + x.get_width() / 2, x.get_y() + x.get_height() / 2) for x in drawn]
    np.testing.assert_allclose(middle, [(2, 0), (0, 1), (1, 2)])
    assert all(frame.get_facecolor()[3] == 0 for frame in drawn)


def test_numbers_are_not_rounded_to_certainty() -> None:
    ax = plots.worst_cases(WORST)
    shown = np.array([text.get_text() for text in ax.texts[:9]]).reshape(3, 3).T
    assert shown.tolist() == [["1", "0", "0"], ["<.01", "<.01", ">.99"], [".20", ".50", ".30"]]


def test_a_long_bar_has_its_number_inside_in_ink_that_can_be_read() -> None:
    ax = plots.worst_cases(WORST)
    certain, light, dark = ax.texts[0], ax.texts[3], ax.texts[7]
    assert (certain.get_horizontalalignment(), certain.get_color()) == (
        "right",
        "black",
    )  # on the palest
    assert light.get_horizontalalignment() == "left"
    assert (dark.get_text(), dark.get_horizontalalignment(), dark.get_color()) == (
        ">.99",
        "right",
        "white",
    )


def test_colours_follow_the_order_of_the_classes() -> None:
    drawn = bars(plots.worst_cases(WORST))
    light = [np.dot(bar.get_facecolor()[:3], [0.2126, 0.7152, 0.0722]) for bar in drawn[0]]
    assert light == sorted(light, reverse=True)
    assert len(set(light)) == 3
    one = bars(plots.worst_cases(WORST, color="#123456"))
    assert {to_hex(bar.get_facecolor()) for bar in one.ravel()} == {"#123456"}


def test_an_event_has_two_columns() -> None:
    worst = worst_cases(Cases([0, 1, 1], [0.1, 0.3, 0.6]), Brier(), k=2)
    ax = plots.worst_cases(worst)
    drawn = bars(ax)
    widths = [[bar.get_width() for bar in row] for row in drawn]
    np.testing.assert_allclose(widths, [[0.7, 0.3], [0.4, 0.6]])
    assert [label.get_text() for label in ax.get_xticklabels() if label.get_visible()] == [
        "no event",
        "event",
    ]
    assert [frame.get_x() + frame.get_width() / 2 for frame in frames(ax)] == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("labels", [None, "very long class label no. {}", "Unbreakable{}" * 2])
def test_ten_classes_and_ten_cases_are_whole_and_apart(labels: str | None) -> None:
    rng = np.random.default_rng(2)
    p, y = rng.dirichlet(np.full(10, 0.3), 40), rng.integers(0, 10, 40)
    named = None if labels is None else [labels.format(k, k) for k in range(10)]
    cases = Cases(y if named is None else [named[k] for k in y], p, labels=named)
    ax = plots.worst_cases(worst_cases(cases, RPS()))
    figure = ax.figure
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    paper = figure.bbox
    heads = [label for label in ax.get_xticklabels() if label.get_visible()]
    for text in [*ax.texts, *heads, *ax.get_yticklabels(), ax.xaxis.label]:
        box = text.get_window_extent()
        assert paper.x0 <= box.x0 <= box.x1 <= paper.x1
        assert paper.y0 <= box.y0 <= box.y1 <= paper.y1
    numbers = [text.get_window_extent() for text in ax.texts[:-1]]
    step = ax.get_window_extent().width / 10
    assert max(box.width for box in numbers) < step / 2
    assert not any(box.overlaps(other) for box in numbers for other in numbers if box is not other)


def test_of_counts_how_many_cases_there_were_stands_beside() -> None:
    ax = plots.worst_cases(worst_forecasts(tally([1, 1, 0], [0.2, 0.2, 0.7]), Brier()))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["2 cases", "1 case"]
