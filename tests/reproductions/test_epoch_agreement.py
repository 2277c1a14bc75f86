"""How well metrics agree over epochs."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from reproductions.epochs.agreement import MetricAgreement, metric_agreement
from scipy.stats import pearsonr, spearmanr

F1 = [0.1, 0.5, 0.4, 0.6]
FEW = st.integers(-3, 3).map(float)
PAIRS = st.integers(2, 12).flatmap(
    lambda n: st.tuples(arrays(float, n, elements=FEW), arrays(float, n, elements=FEW))
)


def agreement(loss: Any, f1: Any, **known: Any) -> MetricAgreement:
    return metric_agreement({"loss": loss, "macro_f1": f1}, **known)


def test_a_metric_agrees_with_itself_and_with_its_mirror_image() -> None:
    history = {"macro_f1": F1, "again": F1, "mirror": [1 - x for x in F1]}
    found = metric_agreement(history, larger=["macro_f1", "again"], top=2)
    for numbers in (found.pearson, found.spearman, found.top_overlap):
        assert numbers == pytest.approx({"again": 1.0, "mirror": 1.0})
    assert found.best_epoch == {"again": 3, "mirror": 3}
    wrong = metric_agreement(history, larger=["macro_f1", "mirror"], top=1)
    assert wrong.pearson == pytest.approx({"again": -1.0, "mirror": -1.0})


@given(PAIRS)
def test_correlations_are_scipy_s_of_the_loss_turned_round(pair: tuple[Any, Any]) -> None:
    loss, f1 = pair
    found = agreement(loss, f1, top=1)
    if np.ptp(loss) == 0 or np.ptp(f1) == 0:
        assert np.isnan(found.pearson["loss"])
        assert np.isnan(found.spearman["loss"])
    else:
        assert found.pearson["loss"] == pytest.approx(pearsonr(-loss, f1).statistic, abs=1e-12)
        assert found.spearman["loss"] == pytest.approx(spearmanr(-loss, f1).statistic, abs=1e-12)


@given(PAIRS, st.integers(1, 4))
def test_the_overlap_counts_epochs_that_both_would_choose(pair: tuple[Any, Any], top: int) -> None:
    loss, f1 = pair
    top = min(top, len(loss))
    found = agreement(loss, f1, top=top)
    epochs = range(len(loss))
    lowest = set(sorted(epochs, key=lambda e: (loss[e], e))[:top])
    highest = set(sorted(epochs, key=lambda e: (-f1[e], e))[:top])
    assert found.top_overlap["loss"] == len(lowest & highest) / top
    assert found.best_epoch["loss"] == int(np.argmin(loss))
    assert found.reference_epoch == int(np.argmax(f1))
    assert found.best_reference == f1.max()
    assert found.reference_at_best["loss"] == f1[np.argmin(loss)]


def test_ties_go_to_the_earlier_epoch() -> None:
    found = agreement([1.0, 0.0, 0.0, 0.0], [0.5, 0.1, 0.5, 0.5], top=2)
    # The two best of the loss are 1 and 2, of F1 0 and 2.
    assert found.top_overlap == {"loss": 0.5}
    assert (found.best_epoch["loss"], found.reference_epoch) == (1, 0)


def test_an_infinite_loss_has_a_rank_but_no_deviation() -> None:
    found = agreement([np.inf, 0.5, 0.6, 0.4], F1)
    assert np.isnan(found.pearson["loss"])
    assert found.spearman["loss"] == pytest.approx(1.0)
    assert "or infinite at some" in " ".join(str(found).split())


def test_a_metric_that_never_changes_has_no_correlation() -> None:
    found = agreement([0.1] * 4, F1)
    assert np.isnan([found.pearson["loss"], found.spearman["loss"]]).all()
    assert found.best_epoch == {"loss": 0}
    one = agreement([0.1], [0.2], top=1)
    assert np.isnan([one.pearson["loss"], one.spearman["loss"]]).all()
    assert one.top_overlap == {"loss": 1.0}


@pytest.fixture(scope="module")
def histories() -> dict[str, dict[str, Any]]:
    """Read the nine published histories of validation metrics."""
    folder = os.environ.get("PROPERLY_ACTIVITY", "")
    if not folder:
        pytest.skip("PROPERLY_ACTIVITY does not name the folder of activities")
    found = {}
    for path in sorted((Path(folder) / "history").glob("*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        f1, brier, pbs = (np.array([float(row[k]) for row in rows]) for k in ("f1", "esl", "pesl"))
        # The penalised score is the score plus a multiple of the error rate.
        found[path.stem] = {"f1": f1, "brier": brier, "pbs": pbs, "error": pbs - brier}
    return found


def test_the_error_rate_agrees_better_with_f1_than_penalised_scores_do(
    histories: dict[str, dict[str, Any]],
) -> None:
    found = {
        name: metric_agreement(history, "f1", larger="f1") for name, history in histories.items()
    }
    assert len(found) == 9
    for one in found.values():
        assert one.epochs == 100
        assert one.pearson["error"] > one.pearson["pbs"] > one.pearson["brier"]
    assert found["WISDM"].pearson == pytest.approx(
        {"error": 0.979, "pbs": 0.772, "brier": -0.384}, abs=5e-4
    )
    there = {
        metric: np.mean([one.reference_at_best[metric] for one in found.values()])
        for metric in ("brier", "pbs", "error")
    }
    assert there == pytest.approx({"brier": 0.370, "pbs": 0.432, "error": 0.432}, abs=5e-4)
    best = np.mean([one.best_reference for one in found.values()])
    assert best == pytest.approx(0.437, abs=5e-4)


def test_published_correlations_are_those_of_their_columns_but_for_one_set(
    histories: dict[str, dict[str, Any]],
) -> None:
    # As stored beside the columns, with three digits.
    published = {
        "ConfLongDemo_JSI": (0.888, 0.937),
        "DriverIdentification": (0.787, 0.930),
        "Healthy_Older_People": (0.765, 0.914),
        "Motor_Failure_Time": (0.605, 0.781),
        "PRSA2017": (0.875, 0.933),
        "Power_consumption": (0.864, 0.928),
        "RSSI": (0.840, 0.900),
        "WISDM": (-0.384, 0.772),
    }
    for name, history in histories.items():
        found = metric_agreement(history, "f1", larger="f1").pearson
        # Of the ninth, -0.029 and 0.551 are stored, which its columns do not give.
        brier, pbs = published.get(name, (0.272, 0.915))
        assert (found["brier"], found["pbs"]) == pytest.approx((brier, pbs), abs=5.1e-4)
