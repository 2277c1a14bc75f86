"""Two classes, a model of them, and their ROC curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reproductions.means.coupled import NELSON_CASES, CoupledClasses, CoupledGaussian
from reproductions.means.coupled_plot import coupled_classes
from scipy.integrate import trapezoid
from scipy.special import ndtr

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


def rates(source: CoupledClasses, model: CoupledClasses, precision: float | None = None) -> Any:
    """Return both rates of the actual and of the predicted curve, as they are drawn."""
    lines = coupled_classes(source, model, precision=precision).axes[3].get_lines()
    return [line.get_xydata().T for line in lines if line.get_gid() == "curve"]  # type: ignore[union-attr]


def areas(source: CoupledClasses, model: CoupledClasses) -> list[float]:
    return [float(trapezoid(true, false)) for false, true in rates(source, model)]


@pytest.mark.parametrize("name", AREAS)
def test_areas_are_those_of_quadrature(name: str) -> None:
    case = NELSON_CASES[name]
    assert areas(case.source, case.model) == pytest.approx(AREAS[name], abs=5e-4)


def test_two_normal_distributions_have_the_area_of_the_textbook() -> None:
    apart = CoupledClasses([CoupledGaussian(0, 1e-4), CoupledGaussian(0.02, 4e-4)])
    plain = CoupledClasses([CoupledGaussian(0, 1), CoupledGaussian(2, 1)])
    assert areas(plain, plain)[0] == pytest.approx(ndtr(np.sqrt(2)), abs=1e-5)
    # Ordered by x, whatever the densities are: P(X_1 > X_0) = Phi(0.02 / sqrt(5e-4)).
    assert areas(apart, plain)[0] == pytest.approx(ndtr(0.02 / np.sqrt(5e-4)), abs=1e-5)


def test_precision_makes_ties() -> None:
    case = NELSON_CASES["tail over"]
    (exact, _), (coarse, _) = (rates(case.source, case.model, x) for x in (None, 0.01))
    assert coarse.shape[1] < exact.shape[1]
    # Beyond 0.99 the order was the wrong one: heavy tails are on both sides.
    assert trapezoid(coarse[1], coarse[0]) > trapezoid(exact[1], exact[0])


def test_very_heavy_and_very_short_tails_are_within_reach() -> None:
    heavy = CoupledClasses([CoupledGaussian(0, 1, 4), CoupledGaussian(0, 1, 4)], [0.3, 0.7])
    assert areas(heavy, heavy)[0] == pytest.approx(0.5, abs=1e-6)
    apart = CoupledClasses([CoupledGaussian(0, 1, -0.5), CoupledGaussian(5, 1, -0.9)])
    assert areas(apart, apart)[0] == pytest.approx(1)


def test_the_panels_show_what_is_known_and_what_is_taken_to_be() -> None:
    case = NELSON_CASES["prior 0.8"]
    table, density, chance, _ = coupled_classes(case.source, case.model, precision=0.1).axes
    cells = table.tables[0].get_celld()
    rows = [[cells[row, k].get_text() for k in range(4)] for row in range(1, 5)]
    assert [text.get_text() for text in rows[3]] == ["2", "1", "0.5", "0.8"]
    assert [text.get_fontweight() for text in rows[3]] == ["normal"] * 3 + ["bold"]
    x, y = map(np.asarray, density.get_lines()[1].get_data())
    np.testing.assert_allclose(y, case.source.densities[1].density(x), atol=1e-6)
    x, y = map(np.asarray, chance.get_lines()[3].get_data())
    np.testing.assert_allclose(y, case.model.posterior(x).p[:, 1].clip(0.1, 0.9), atol=1e-12)
