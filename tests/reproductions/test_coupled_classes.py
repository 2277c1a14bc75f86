"""Two classes, a model of them, and their ROC curves."""

from __future__ import annotations

import numpy as np
import pytest
from reproductions.means.coupled import NELSON_CASES, CoupledClasses, CoupledGaussian
from reproductions.means.coupled_plot import Compared, roc_curves
from scipy.special import ndtr

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
