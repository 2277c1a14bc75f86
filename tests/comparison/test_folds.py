"""Cross-validation: scores pooled, and fold by fold."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from tests.inference_numbers import CLUSTER, P1, P2, WEIGHT, Y, assert_published

import properly
from properly.comparison import by_fold
from properly.errors import DataWarning
from properly.rules import RPS, Brier, Log

if TYPE_CHECKING:
    from properly.comparison import Folds

FOLD = np.repeat([0, 1, 2], [60, 100, 140])
BOTH = {"p1": P1, "p2": P2}


def mean_of(values: Any, some: Any) -> float:
    return float(np.asarray(values)[some].mean())


@pytest.fixture(scope="module")
def both() -> Folds:
    return by_fold(Y, BOTH, FOLD, rule=Brier(), rng=1)


def test_the_pooled_score_and_difference_are_the_published_ones(both: Folds) -> None:
    pooled = both.models["p1"].pooled
    assert_published("b1.mean", pooled.value)
    assert_published("b1.se_iid", pooled.standard_error)
    assert both.comparison is not None
    assert both.comparison.difference[0] == pytest.approx(-0.02049768933, abs=1e-10)
    assert both.comparison.p_value[0] == pytest.approx(0.07552865372, abs=1e-9)


def test_fold_scores_are_means_over_each_fold(both: Folds) -> None:
    for name, p in BOTH.items():
        loss = (p - Y) ** 2
        wanted = [mean_of(loss, k == FOLD) for k in range(3)]
        model = both.models[name]
        np.testing.assert_allclose(model.fold_scores, wanted)
        assert model.mean_of_folds == pytest.approx(np.mean(wanted))
        assert model.spread == pytest.approx(np.std(wanted, ddof=1))
    assert both.cases.tolist() == [60, 100, 140]


def test_differences_are_those_of_the_fold_scores_and_signs_are_counted(both: Folds) -> None:
    apart = both.models["p1"].fold_scores - both.models["p2"].fold_scores
    assert both.pairs == (("p1", "p2"),)
    np.testing.assert_array_equal(both.fold_differences, [apart])
    assert both.better.tolist() == [int((apart < 0).sum())]
    assert both.equal.tolist() == [0]


def test_a_model_compared_with_itself_is_better_in_no_fold() -> None:
    found = by_fold(Y, {"a": P1, "b": P1}, FOLD, rule=Brier(), rng=1)
    assert (found.better.tolist(), found.equal.tolist()) == ([0], [3])
    assert "in 0 of 3 folds, and the same in 3" in found.conclusion


def test_one_model_has_no_comparison() -> None:
    found = by_fold(Y, P1, FOLD, rule=Log(), level=0.9)
    pooled = found.models["forecast"].pooled
    alone = properly.score_interval(properly.Cases(Y, P1), Log(), level=0.9)
    expected = pytest.approx((alone.value, *alone.interval), rel=1e-12)
    assert (pooled.value, *pooled.interval) == expected
    assert found.comparison is None
    assert found.fold_differences.shape == (0, 3)
    assert repr(found) == "Folds(1 model in 3 folds, log)"


def test_weights_count_in_each_fold() -> None:
    found = by_fold(Y, P1, FOLD, rule=Brier(), weight=WEIGHT)
    some = FOLD == 1
    wanted = np.average((P1 - Y)[some] ** 2, weights=WEIGHT[some])
    assert found.models["forecast"].fold_scores[1] == pytest.approx(wanted)
    assert_published("b1.se_weighted", found.models["forecast"].pooled.standard_error)


def test_areas_are_given_pooled_and_by_fold(both: Folds) -> None:
    model = both.models["p1"]
    wanted = [roc_auc_score(Y[k == FOLD], P1[k == FOLD]) for k in range(3)]
    assert model.fold_areas is not None
    np.testing.assert_allclose(model.fold_areas, wanted)
    assert model.mean_area == pytest.approx(np.mean(wanted))
    assert model.pooled_area == pytest.approx(roc_auc_score(Y, P1))


def test_folds_of_other_scales_spoil_the_pooled_area_but_not_the_mean() -> None:
    shifted = np.where(FOLD == 0, P1 / 10, np.where(FOLD == 1, P1 / 2, P1))
    plain, other = (by_fold(Y, p, FOLD, rule="auc").models["forecast"] for p in (P1, shifted))
    assert plain.pooled.value == plain.pooled_area
    assert other.mean_area == pytest.approx(plain.mean_area)
    assert other.pooled.value < plain.pooled.value - 0.02


def test_of_areas_the_higher_one_is_better() -> None:
    found = by_fold(Y, BOTH, FOLD, rule="auc", rng=1)
    apart = found.models["p1"].fold_scores - found.models["p2"].fold_scores
    assert found.higher_is_better
    assert found.better.tolist() == [int((apart > 0).sum())]
    assert f"p1 scores higher, which is better, than p2 in {found.better[0]} of" in found.conclusion
    pooled = properly.inference.auc_interval(properly.Cases(Y, P1))
    assert found.models["p1"].pooled.value == pytest.approx(pooled.value)


def test_a_fold_without_events_has_no_area() -> None:
    y = np.where(FOLD == 0, 0, Y)
    model = by_fold(y, P1, FOLD, rule="auc").models["forecast"]
    assert np.isnan(model.fold_scores).tolist() == [True, False, False]
    assert model.mean_of_folds == pytest.approx(model.fold_scores[1:].mean())
    assert model.spread == pytest.approx(model.fold_scores[1:].std(ddof=1))


def test_an_infinite_loss_stays_in_its_fold() -> None:
    p = P1.copy()
    p[np.flatnonzero(Y)[0]] = 0.0
    found = by_fold(Y, {"sure": p, "p2": P2}, FOLD, rule=Log(), rng=1)
    model = found.models["sure"]
    assert np.isinf(model.fold_scores).sum() == 1
    assert math.isinf(model.mean_of_folds)
    assert math.isnan(model.spread)
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_classes_have_no_areas() -> None:
    rng = np.random.default_rng(5)
    probabilities = rng.dirichlet(np.ones(3), 90)
    y, folds = rng.integers(0, 3, 90), np.arange(90) % 3
    found = by_fold(y, {"a": probabilities, "b": np.full((90, 3), 1 / 3)}, folds, rule=RPS(), rng=1)
    assert found.models["a"].fold_areas is None
    some = folds == 2
    wanted = RPS()(y[some], probabilities[some])
    assert found.models["a"].fold_scores[2] == pytest.approx(wanted)
    assert "AUC" not in str(found)


def test_clusters_in_several_folds_are_warned_of() -> None:
    message = r"30 of 30 clusters lie in several folds"
    with pytest.warns(DataWarning, match=message):
        by_fold(Y, P1, np.arange(300) % 3, rule=Brier(), clusters=CLUSTER)
    found = by_fold(Y, P1, CLUSTER % 3, rule=Brier(), clusters=CLUSTER)
    expected = properly.score_interval(properly.Cases(Y, P1, clusters=CLUSTER), Brier())
    error = found.models["forecast"].pooled.standard_error
    assert error == pytest.approx(expected.standard_error, rel=1e-12)


def test_the_conclusion_says_what_each_number_is_about(both: Folds) -> None:
    told = both.conclusion
    assert "The interval is about the mean score of the method" in told
    assert "these fitted models in 91 %" in told
    assert "no t-test is made over folds" in told
    assert f"p1 scores lower, which is better, than p2 in {both.better[0]} of 3 folds" in told
    assert "if the two differ, trust the mean" in told
    assert str(both).startswith("brier of 300 cases in 3 folds\n")
    assert str(both).replace("\n  ", " ").endswith(told)
    assert both.comparison is not None
    assert str(both.comparison) in str(both)
