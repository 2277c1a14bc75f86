"""Matrices: confusion, and differences between models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from tests.plots.subjects import key_texts, parts_of
from tests.plots.test_forest_plots import AREAS, COMPARISON, MODELS, SURE, Q, Y

from properly import compare, plots
from properly.decisions import Confusion
from properly.plots._axes import DEEP, NOTHING
from properly.plots._matrices import ALIKE, FAINT, STRONG, _signed
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.comparison import Comparison


COUNTS = np.array([[6, 2, 0], [1, 398, 1], [0, 0, 0]])
TABLE = Confusion(COUNTS, ("mild", "moderate", "severe"))


def written(ax: Axes) -> list[list[str]]:
    high, wide = cells(ax).shape[:2]
    texts = [text.get_text() for text in ax.texts]
    return np.array(texts).reshape(high, wide).tolist()


def cells(ax: Axes) -> Any:
    (mesh,) = parts_of(ax, "cells")
    return np.asarray(mesh.get_array())


def framed(ax: Axes) -> list[tuple[float, float]]:
    boxes = parts_of(ax, "right")
    return [(x.get_x() + x.get_width() / 2, x.get_y() + x.get_height() / 2) for x in boxes]


def sides(ax: Axes) -> tuple[list[str], list[str]]:
    down, across = ax.get_yticklabels(), ax.get_xticklabels()
    return [x.get_text() for x in down], [x.get_text() for x in across]


def test_cells_tell_counts_and_shares_of_the_row() -> None:
    assert written(plots.confusion(TABLE)) == [
        ["6\n75 %", "2\n25 %", "0"],
        ["1\n<1 %", "398\n>99 %", "1\n<1 %"],
        ["0", "0", "0"],
    ]
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
    assert sides(ax) == (["mild", "moderate", "severe"],) * 2
    assert ax.get_xlabel() == "decision"
    bottom, top = ax.get_ylim()
    assert bottom > top  # the first class is the uppermost
    place = [text.get_position() for text in ax.texts]
    assert place == [(column, row) for row in range(3) for column in range(3)]
    assert framed(ax) == [(0, 0), (1, 1), (2, 2)]


def test_weights_are_written_with_a_decimal_unless_they_are_large() -> None:
    light = Confusion(np.array([[1.25, 0.0], [2.0, 3.0]]), (0, 1))
    assert written(plots.confusion(light)) == [["1.2\n100 %", "0.0"], ["2.0\n40 %", "3.0\n60 %"]]
    heavy = Confusion(np.array([[1234.5, 0.0], [2.0, 3.0]]), (0, 1))
    assert written(plots.confusion(heavy))[0] == ["1,234\n100 %", "0"]


def hatched(ax: Axes) -> set[tuple[int, int]]:
    boxes = parts_of(ax, "open")
    return {(round(x.get_y() + 0.5), round(x.get_x() + 0.5)) for x in boxes}


@pytest.mark.parametrize("comparison", [COMPARISON, AREAS])
def test_cells_are_row_minus_column_with_scores_on_the_diagonal(comparison: Comparison) -> None:
    ax = plots.comparison_matrix(comparison)
    names = sides(ax)[0]
    better = -1 if comparison.higher_is_better else 1
    assert names == sorted(MODELS, key=lambda name: better * comparison.scores[name].value)
    assert [label.get_text() for label in ax.get_xticklabels()] == names
    digits = 2 if comparison.higher_is_better else 3
    for i, row in enumerate(names):
        for j, column in enumerate(names):
            shown = float(written(ax)[i][j].replace("−", "-"))
            value = comparison.scores[row].value if i == j else comparison[row, column].difference
            assert shown == pytest.approx(value, abs=0.5 * 10**-digits + 1e-9)
            sign = {"+": 1, "−": -1}.get(written(ax)[i][j][0], 0)
            assert i == j or sign == np.sign(round(value, digits))


def test_colours_tell_who_is_better_and_by_how_much() -> None:
    for comparison in (COMPARISON, AREAS):
        ax = plots.comparison_matrix(comparison)
        rgb, names = cells(ax), sides(ax)[0]
        order = [comparison.models.index(name) for name in names]
        value, count = comparison.matrix()[np.ix_(order, order)], len(names)
        for i, j in np.ndindex(count, count):
            red, _, blue = rgb[i, j]
            if i == j:
                np.testing.assert_allclose(rgb[i, j], to_rgb(NOTHING))
            elif value[i, j]:
                # The best model comes first, and its row is blue.
                assert (blue > red) == (i < j)
        # The worst model is the farthest from the best, and its cell the darkest of the row.
        assert np.argmin(rgb[0].sum(axis=-1)) == count - 1
    assert key_texts(plots.comparison_matrix(COMPARISON))[:2] == [
        "model of the row better",
        "model of the column better",
    ]


def test_models_that_are_not_told_apart_are_hatched() -> None:
    for comparison in (COMPARISON, AREAS):
        ax = plots.comparison_matrix(comparison)
        names = sides(ax)[0]
        apart = {
            (names.index(a), names.index(b))
            for pair in comparison
            for a, b in ((pair.first, pair.second), (pair.second, pair.first))
            if pair.adjusted_p_value > 0.05
        }
        assert hatched(ax) == apart
        assert apart
        assert key_texts(ax)[-1] == "not told apart"


def test_models_as_good_as_each_other_have_a_colour_of_their_own() -> None:
    comparison = compare(Y, MODELS, rule=Brier(), margin=0.02, rng=1)
    ax = plots.comparison_matrix(comparison)
    assert sides(ax)[0][:2] == ["truth", "nearly"]
    mixed = 1 - FAINT * (1 - np.array(to_rgb(ALIKE)))
    np.testing.assert_allclose(cells(ax)[0, 1], mixed)
    assert hatched(ax) == set()
    words = key_texts(ax)[-1].replace("\n", " ")
    assert words == "as good as each other, within 0.02 Brier score"


def test_infinite_differences_are_written_and_pairs_not_compared_are_empty() -> None:
    three = {"truth": Q, "sure": SURE, "surer": 1 - SURE}
    ax = plots.comparison_matrix(compare(Y, three, rule=Log(), rng=1))
    table = written(ax)
    assert table[0][1:] == ["−∞", "−∞"]
    assert table[1] == ["+∞", "∞", "both ∞"]
    strong = 1 - STRONG * (1 - np.array(to_rgb("#0072B2")))
    np.testing.assert_allclose(cells(ax)[0, 1], strong, atol=0.01)
    ax = plots.comparison_matrix(compare(Y, MODELS, rule=Brier(), reference="noise", rng=1))
    table = written(ax)
    assert table[0][1] == ""
    assert all(row[-1] for row in table[:-1])


def test_a_difference_that_rounds_to_nothing_has_no_sign() -> None:
    cases = [(-1e-9, ".0000"), (1e-9, ".0000"), (0.0, "0"), (0.02, "+.0200"), (-0.02, "−.0200")]
    assert [_signed(value, 4) for value, _ in cases] == [shown for _, shown in cases]
