"""The patients of Assel et al. against reference values and closed forms."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from reproductions.decisions import assel as _columns
from reproductions.decisions.assel import Report, Verdict, the_eight
from scipy.integrate import dblquad, quad
from scipy.special import expit, logit
from scipy.stats import norm

from properly.rules import Brier, Elementary, Log

FOLDER = Path(__file__).parents[1] / "reference" / "decision"
COLUMNS = (
    "auc",
    "brier",
    "nb_0.05",
    "nb_0.10",
    "nb_0.20",
    "bounded_brier_0.05_0.20",
    "mean_net_benefit_0.05_0.20",
)
# Ten decimals are given; the AUC of the original process is a sum on a grid, good to about 1e-6.
TOLERANCE = {("original", "auc"): 1e-6}


def rows(process: str) -> dict[str, dict[str, str]]:
    with (FOLDER / f"assel_{process}_dgp.csv").open(newline="", encoding="utf-8") as file:
        return {row["test"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("process", ["paper", "original"])
def test_every_number_is_that_of_the_reference(process: str) -> None:
    reference, population = rows(process), the_eight(process)
    assert set(population) == set(reference)
    for name, test in population.items():
        for column, found in zip(COLUMNS, _columns.exact(test), strict=True):
            tolerance = TOLERANCE.get((process, column), 1e-10)
            assert found == pytest.approx(float(reference[name][column]), rel=0, abs=tolerance)


def test_the_area_has_a_closed_form_if_the_marker_is_normal_in_either_group() -> None:
    (found,) = {t.auc for t in the_eight("paper").values() if isinstance(t, Report)}
    assert found == pytest.approx(norm.cdf(0.95 / np.sqrt(2)), rel=0, abs=1e-14)


def test_the_area_is_a_double_integral() -> None:
    test = the_eight("original")["Well calibrated"]

    def pair(above: float, below: float) -> float:
        events = norm.pdf(above) * expit(above - 1.65)
        return float(events * norm.pdf(below) * expit(1.65 - below))

    area, _ = dblquad(pair, -9, 9, lambda x: x, 9, epsabs=1e-11)
    rate = test.event_rate
    assert test.auc == pytest.approx(area / (rate * (1 - rate)), rel=0, abs=1e-9)


@pytest.mark.parametrize("threshold", [0.05, 0.2, 0.7])
def test_regret_has_a_closed_form_if_the_marker_is_normal_in_either_group(threshold: float) -> None:
    test = the_eight("paper")["Overestimating risk"]
    marker = logit(threshold) + 0.9 - 0.361
    false_positives = 0.8 * norm.sf(marker)
    false_negatives = 0.2 * norm.cdf(marker - 0.95)
    regret = threshold * false_positives + (1 - threshold) * false_negatives
    found = test.mean_loss(Elementary(threshold), [threshold])
    assert found == pytest.approx(regret, rel=0, abs=1e-14)


def test_only_the_original_process_has_a_calibrated_test() -> None:
    for process, calibrated in (("paper", False), ("original", True)):
        test = the_eight(process)["Well calibrated"]
        same = test.mean_forecast == pytest.approx(test.event_rate, rel=0, abs=1e-12)
        assert same == calibrated
    assert the_eight("paper")["Well calibrated"].mean_forecast == pytest.approx(0.359, abs=5e-4)


def test_no_shift_of_a_calibrated_forecast_has_a_lower_score() -> None:
    process = the_eight("original")
    best = process["Well calibrated"]
    for rule in (Brier(), Log()):
        scores = [t.mean_loss(rule, []) for t in process.values() if isinstance(t, Report)]
        assert best.mean_loss(rule, []) == min(scores)


def test_the_log_score_of_a_calibrated_test_is_its_expected_entropy() -> None:
    def entropy(x: float) -> float:
        p = expit(x - 1.65)
        return float(-norm.pdf(x) * (p * np.log(p) + (1 - p) * np.log1p(-p)))

    found = the_eight("original")["Well calibrated"].mean_loss(Log(), [])
    assert found == pytest.approx(quad(entropy, -12, 12, epsabs=1e-13)[0], rel=0, abs=1e-12)


def test_a_verdict_is_a_forecast_of_0_or_1() -> None:
    test = Verdict(0.9, 0.7)
    assert test.mean_loss(Brier(), []) == pytest.approx(0.2 * 0.1 + 0.8 * 0.3)
    assert test.mean_forecast == pytest.approx(0.2 * 0.9 + 0.8 * 0.3)
    assert test.auc == 0.8
