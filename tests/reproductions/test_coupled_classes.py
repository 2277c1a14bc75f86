"""Two classes, a model of them, and their ROC curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from reproductions.means.coupled_plot import Compared, coupled_classes, roc_curves
from scipy.special import ndtr

from properly.datasets import NELSON_CASES, CoupledClasses, CoupledGaussian
from properly.plots._axes import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CASE = NELSON_CASES["mean 1"]
# By quadrature with 200001 points: of the model as it orders, and as it expects.
AREAS = {
    "perfect": (0.8416, 0.8416),
    "mean 1": (0.8276, 0.7048),
    "mean 3": (0.8373, 0.9146),
    "variance 0.5": (0.8389, 0.8765),
    "variance 2": (0.8373, 0.8104),
    "tail over": (0.8253, 0.9214),
    "tail under": (0.9175, 0.8416),
}


def marked(ax: Axes, gid: str) -> list[Any]:
    return [line for line in ax.get_lines() if line.get_gid() == gid]


def words(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


@pytest.mark.parametrize("name", AREAS)
def test_areas_are_those_of_quadrature(name: str) -> None:
    case = NELSON_CASES[name]
    found = roc_curves(Compared(case.source, case.model, None))
    assert found["actual"].area == pytest.approx(AREAS[name][0], abs=5e-4)
    assert found["predicted"].area == pytest.approx(AREAS[name][1], abs=5e-4)


def test_two_normal_distributions_have_the_area_of_the_textbook() -> None:
    apart = CoupledClasses([CoupledGaussian(0, 1e-4), CoupledGaussian(0.02, 4e-4)])
    plain = CoupledClasses([CoupledGaussian(0, 1), CoupledGaussian(2, 1)])
    found = roc_curves(Compared(plain, plain, None))
    assert found["actual"].area == pytest.approx(ndtr(np.sqrt(2)), abs=1e-5)
    # Ordered by x, whatever the densities are: P(X_1 > X_0) = Phi(0.02 / sqrt(5e-4)).
    narrow = roc_curves(Compared(apart, plain, None))
    assert narrow["actual"].area == pytest.approx(ndtr(0.02 / np.sqrt(5e-4)), abs=1e-5)


def test_curves_run_from_corner_to_corner() -> None:
    for curve in roc_curves(Compared(CASE.source, CASE.model, None)).values():
        for rate in (curve.false_positive_rate, curve.true_positive_rate):
            assert (rate[0], rate[-1]) == (0, 1)
            assert np.diff(rate).min() >= 0
        assert np.diff(curve.threshold).max() <= 0


def test_precision_makes_ties() -> None:
    case = NELSON_CASES["tail over"]
    exact = roc_curves(Compared(case.source, case.model, None))["actual"]
    coarse = roc_curves(Compared(case.source, case.model, 0.01))["actual"]
    assert coarse.threshold[1] == pytest.approx(0.99)
    assert coarse.threshold[-1] == pytest.approx(0.01)
    assert len(coarse.threshold) < len(exact.threshold)
    # Beyond 0.99 the order was the wrong one: heavy tails are on both sides.
    assert coarse.area > exact.area


def test_very_heavy_and_very_short_tails_are_within_reach() -> None:
    heavy = CoupledClasses([CoupledGaussian(0, 1, 4), CoupledGaussian(0, 1, 4)], [0.3, 0.7])
    found = roc_curves(Compared(heavy, heavy, None))
    assert found["actual"].area == pytest.approx(0.5, abs=1e-6)
    apart = CoupledClasses([CoupledGaussian(0, 1, -0.5), CoupledGaussian(5, 1, -0.9)])
    assert roc_curves(Compared(apart, apart, None))["actual"].area == pytest.approx(1)


def test_densities_are_solid_for_the_source_and_dashed_for_the_model() -> None:
    ax = coupled_classes(CASE.source, CASE.model).axes[1]
    for name, side in (("source", CASE.source), ("model", CASE.model)):
        lines = marked(ax, name)
        assert [line.get_color() for line in lines] == [PALETTE[2], PALETTE[1]]
        for line, density in zip(lines, side.densities, strict=True):
            np.testing.assert_array_equal(line.get_ydata(), density.density(line.get_xdata()))
            assert line.is_dashed() == (name == "model")
    assert ax.get_xlim() == (-5, 7)
    assert words(ax)[:2] == ["class 0, source", "class 1, source"]


def test_posteriors_are_drawn_and_only_those_of_the_model_are_limited() -> None:
    case = NELSON_CASES["gaussian, mean 3"]
    ax = coupled_classes(case.source, case.model, precision=0.01).axes[2]
    for name, side in (("source", case.source), ("model", case.model)):
        for k, line in enumerate(marked(ax, name)):
            p = side.posterior(line.get_xdata()).p[:, k]
            expected = np.clip(p, 0.01, 0.99) if name == "model" else p
            np.testing.assert_allclose(line.get_ydata(), expected, atol=1e-15)
    assert ax.get_title(loc="left") == "c) probabilities of the classes, model limited to 0.01"


def test_the_last_panel_has_both_areas() -> None:
    ax = coupled_classes(CASE.source, CASE.model).axes[3]
    assert words(ax) == ["actual, AUC .828", "predicted, AUC .705"]
    actual, predicted = marked(ax, "curve")
    assert actual.is_dashed() is False
    assert predicted.is_dashed()
    curve = roc_curves(Compared(CASE.source, CASE.model, None))["actual"]
    np.testing.assert_array_equal(actual.get_xdata(), curve.false_positive_rate)
    np.testing.assert_array_equal(actual.get_ydata(), curve.true_positive_rate)


def test_the_table_has_all_parameters_and_what_differs_is_bold() -> None:
    source = CoupledClasses([CoupledGaussian([0.5]), CoupledGaussian([2], 4, -0.25)], [0.3, 0.7])
    model = CoupledClasses([CoupledGaussian(0.5), CoupledGaussian(-2, 4, 0.25)], [0.3, 0.7])
    figure = coupled_classes(source, model)
    assert isinstance(figure, Figure)
    texts = figure.axes[0].texts
    said = [text.get_text() for text in texts]
    assert said[:4] == ["location", "scale²", "coupling", "prior"]
    assert said[4:15] == [
        "class 0", "source", "0.5", "1", "0", "0.3", "model", "0.5", "1", "0", "0.3",
    ]  # fmt: skip
    assert said[15:] == [
        "class 1", "source", "2", "4", "−0.25", "0.7", "model", "−2", "4", "0.25", "0.7",
    ]  # fmt: skip
    bold = [text.get_text() for text in texts if text.get_fontweight() == "bold"]
    assert bold == ["class 0", "class 1", "−2", "0.25"]
