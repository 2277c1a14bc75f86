"""Confusion and costs as heat maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from properly import plots
from properly.decisions import Confusion
from properly.errors import DataWarning
from properly.plots._axes import DEEP, NOTHING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COUNTS = np.array([[6, 2, 0], [1, 398, 1], [0, 0, 0]])
TABLE = Confusion(COUNTS, ("mild", "moderate", "severe"))


def written(ax: Axes) -> list[list[str]]:
    high, wide = cells(ax).shape[:2]
    texts = [text.get_text() for text in ax.texts]
    return np.array(texts).reshape(high, wide).tolist()


def cells(ax: Axes) -> Any:
    (mesh,) = (x for x in ax.collections if x.get_gid() == "cells")
    return np.asarray(mesh.get_array())


def framed(ax: Axes) -> list[tuple[float, float]]:
    boxes: list[Any] = [x for x in ax.patches if x.get_gid() == "right"]
    return [(x.get_x() + x.get_width() / 2, x.get_y() + x.get_height() / 2) for x in boxes]


def names(ax: Axes) -> tuple[list[str], list[str]]:
    down, across = ax.get_yticklabels(), ax.get_xticklabels()
    return [x.get_text() for x in down], [x.get_text() for x in across]


def test_cells_tell_counts_and_shares_of_the_row() -> None:
    assert written(plots.confusion(TABLE)) == [
        ["6\n75 %", "2\n25 %", "0"],
        ["1\n<1 %", "398\n>99 %", "1\n<1 %"],
        ["0", "0", "0"],
    ]
    plain = plots.confusion(TABLE, shares=False)
    assert written(plain) == [["6", "2", "0"], ["1", "398", "1"], ["0", "0", "0"]]
    assert plain.get_ylabel() == "truth"
    assert plots.confusion(TABLE).get_ylabel() == "truth (100 % in each row)"


def test_a_cell_is_as_dark_as_its_share_of_the_row() -> None:
    colors = cells(plots.confusion(TABLE))
    deep = np.array(to_rgb(DEEP))
    for row in range(2):
        for column in range(3):
            share = COUNTS[row, column] / COUNTS[row].sum()
            np.testing.assert_allclose(colors[row, column], 1 - share * (1 - deep), rtol=1e-12)
    np.testing.assert_allclose(colors[2], [to_rgb(NOTHING)] * 3)


def test_truth_goes_down_and_decisions_across() -> None:
    ax = plots.confusion(TABLE)
    assert names(ax) == (["mild", "moderate", "severe"],) * 2
    assert ax.get_xlabel() == "decision"
    bottom, top = ax.get_ylim()
    assert bottom > top  # the first class is the uppermost
    place = [text.get_position() for text in ax.texts]
    assert place == [(column, row) for row in range(3) for column in range(3)]
    assert framed(ax) == [(0, 0), (1, 1), (2, 2)]


def test_weights_are_written_with_a_decimal_unless_they_are_large() -> None:
    light = Confusion(np.array([[1.25, 0.0], [2.0, 3.0]]), (0, 1))
    assert written(plots.confusion(light, shares=False)) == [["1.2", "0.0"], ["2.0", "3.0"]]
    heavy = Confusion(np.array([[1234.5, 0.0], [2.0, 3.0]]), (0, 1))
    assert written(plots.confusion(heavy, shares=False)) == [["1,234", "0"], ["2", "3"]]


def test_a_cost_is_as_dark_as_it_is_high() -> None:
    ax = plots.cost_matrix([[-1, 1], [3, 0]], ["well", "ill"])
    assert written(ax) == [["−1", "1"], ["3", "0"]]
    deep = np.array(to_rgb(DEEP))
    shares = np.array([[0, 0.5], [1, 0.25]])
    np.testing.assert_allclose(cells(ax), 1 - shares[..., None] * (1 - deep), rtol=1e-12)
    assert names(ax) == (["well", "ill"], ["well", "ill"])
    same = cells(plots.cost_matrix([[2, 2], [2, 2]]))
    np.testing.assert_array_equal(same, np.ones((2, 2, 3)))


def test_there_may_be_other_decisions_than_classes() -> None:
    abstain = [[0, 1, 0.25], [1, 0, 0.25]]
    for labels, last in ((["a", "b", "abstain"], "abstain"), (["a", "b"], "2")):
        ax = plots.cost_matrix(abstain, labels)
        assert names(ax) == (["a", "b"], ["a", "b", last])
        assert framed(ax) == [(0, 0), (1, 1)]
    assert names(plots.cost_matrix(abstain)) == (["0", "1"], ["0", "1", "2"])
    assert names(plots.cost_matrix(abstain, 2)) == (["0", "1"], ["0", "1", "2"])
    fewer = plots.cost_matrix([[0, 1], [1, 0], [2, 1]], ["a", "b", "c"])
    assert names(fewer) == (["a", "b", "c"], ["0", "1"])
    assert framed(fewer) == []


@pytest.mark.slow
@pytest.mark.parametrize("label", ["{}", "very long class label no. {}", "Unbreakable{}" * 2])
def test_ten_classes_with_large_counts_are_whole_and_apart(label: str) -> None:
    labels = tuple(label.format(k, k) for k in range(10))
    counts = np.random.default_rng(3).integers(100_000, 999_999, (10, 10))
    ax = plots.confusion(Confusion(counts, labels))
    figure = ax.figure
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    step = ax.get_window_extent().width / 10
    assert max(text.get_window_extent().width for text in ax.texts) < step
    paper = figure.bbox
    for text in [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label, ax.yaxis.label]:
        box = text.get_window_extent()
        assert paper.x0 <= box.x0 <= box.x1 <= paper.x1
        assert paper.y0 <= box.y0 <= box.y1 <= paper.y1


def test_a_mistake_that_is_cheap_is_warned_of() -> None:
    with pytest.warns(DataWarning, match="a mistake should not cost less than the right answer"):
        plots.cost_matrix([[1, 0], [1, 0]])
