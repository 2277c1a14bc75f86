"""Differences between models as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from tests.plots.subjects import key_texts
from tests.plots.test_comparison import AREAS, COMPARISON, MODELS, SURE, Q, Y

from properly import compare, plots
from properly.plots._axes import NOTHING
from properly.plots._matrices import ALIKE, FAINT, STRONG, _signed
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.comparison import Comparison


def written(ax: Axes) -> list[list[str]]:
    count = len(ax.get_yticklabels())
    texts = [text.get_text() for text in ax.texts]
    rows: list[list[str]] = np.array(texts).reshape(count, count).tolist()
    return rows


def colors(ax: Axes) -> Any:
    (mesh,) = (x for x in ax.collections if x.get_gid() == "cells")
    return np.asarray(mesh.get_array())


def hatched(ax: Axes) -> set[tuple[int, int]]:
    boxes: list[Any] = [x for x in ax.patches if x.get_gid() == "open"]
    return {(round(x.get_y() + 0.5), round(x.get_x() + 0.5)) for x in boxes}


def models(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


@pytest.mark.parametrize("comparison", [COMPARISON, AREAS])
def test_cells_are_row_minus_column_with_scores_on_the_diagonal(comparison: Comparison) -> None:
    ax = plots.comparison_matrix(comparison)
    names = models(ax)
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
        rgb, names = colors(ax), models(ax)
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
        names = models(ax)
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
    assert models(ax)[:2] == ["truth", "nearly"]
    mixed = 1 - FAINT * (1 - np.array(to_rgb(ALIKE)))
    np.testing.assert_allclose(colors(ax)[0, 1], mixed)
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
    np.testing.assert_allclose(colors(ax)[0, 1], strong, atol=0.01)
    ax = plots.comparison_matrix(compare(Y, MODELS, rule=Brier(), reference="noise", rng=1))
    cells = np.array(written(ax))
    assert cells[0, 1] == ""
    assert np.all(cells[:-1, -1] != "")


def test_a_difference_that_rounds_to_nothing_has_no_sign() -> None:
    cases = [(-1e-9, ".0000"), (1e-9, ".0000"), (0.0, "0"), (0.02, "+.0200"), (-0.02, "−.0200")]
    assert [_signed(value, 4) for value, _ in cases] == [shown for _, shown in cases]


def test_a_given_axes_is_used_and_its_numbers_fit() -> None:
    figure = Figure(figsize=(3, 3), layout="constrained")
    ax = figure.add_subplot()
    assert plots.comparison_matrix(COMPARISON, ax) is ax
    figure.draw_without_rendering()
    cell = ax.get_window_extent().width / len(MODELS)
    assert max(text.get_window_extent().width for text in ax.texts) < 1.25 * cell
    names = ("$x$", "_y", "two\nlines", "</script>")
    hostile = compare(Y, dict.fromkeys(names, Q), rule=Brier(), rng=1)
    assert models(plots.comparison_matrix(hostile)) == [r"\$x\$", " _y", r"two\nlines", "</script>"]
