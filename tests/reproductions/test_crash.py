"""Table 2 and Figures 2 and 3 on the bundled example."""

from __future__ import annotations

import numpy as np
import pytest
from reproductions.decisions import crash as _crash
from reproductions.decisions.crash import METRICS, CrashTable, contributions
from tests.score_oracles import corrected

import properly
from properly.datasets import crash
from properly.rules import Bounded, Brier, Log

BASELINES = ["treat all", "treat none", "event rate"]


@pytest.fixture(scope="module")
def found() -> CrashTable:
    return _crash.table2()


def test_every_number_is_that_of_the_library(found: CrashTable) -> None:
    data = crash()
    everybody = dict(data.forecasts) | {
        name: np.full(len(data), value)
        for name, value in zip(BASELINES, (1.0, 0.0, data.died.mean()), strict=True)
    }
    assert list(found.models) == list(data.forecasts)
    for name, p in everybody.items():
        t = properly.tally(data.died, p)
        assert found.values["AUC"][name] == properly.roc_curve(t).area
        for metric, rule in (
            ("Brier", Brier()),
            ("log", Log()),
            ("bounded log", Bounded(Log(), (0.01, 0.1))),
            ("bounded Brier", Bounded(Brier(), (0.01, 0.1))),
        ):
            assert found.values[metric][name] == pytest.approx(rule(data.died, p), rel=1e-12)


def test_the_lead_is_that_of_pairs_with_accidents_as_clusters(found: CrashTable) -> None:
    data = crash()
    lead = found.leads["bounded Brier"]
    assert (lead.best, lead.second) == ("logistic", "boosting")
    rule = Bounded(Brier(), (0.01, 0.1))
    losses = [rule.loss(data.died, data.forecasts[name]) for name in (lead.best, lead.second)]
    difference = losses[0] - losses[1]
    assert lead.difference == pytest.approx(difference.mean(), rel=1e-12)
    away = difference - difference.mean()
    sums = np.array([away[data.cluster == k].sum() for k in np.unique(data.cluster)])
    factor, _ = corrected(np.unique(data.cluster, return_counts=True)[1])
    error = np.sqrt((factor * sums**2).sum()) / len(data)
    assert lead.error == pytest.approx(error, rel=1e-12)
    assert not lead.clear


def test_which_leads_are_clear(found: CrashTable) -> None:
    assert {metric for metric, lead in found.leads.items() if lead.clear} == {"Brier", "log"}
    assert {(lead.best, lead.second) for lead in found.leads.values()} == {("logistic", "boosting")}
    assert all((found.leads[m].difference > 0) == (m == "AUC") for m in METRICS)


@pytest.mark.parametrize("metric", METRICS)
def test_contributions_have_the_metric_as_their_mean(metric: str, found: CrashTable) -> None:
    data = crash()
    amount = contributions(metric, data.died, data.forecasts["naive_bayes"])
    assert amount.mean() == pytest.approx(found.values[metric]["naive_bayes"], rel=1e-12)


def test_baselines_beat_two_models_overall_and_none_over_the_range(found: CrashTable) -> None:
    assert found.beaten("Brier") == [("forest", "event rate"), ("balanced_boosting", "event rate")]
    assert found.beaten("log") == [("balanced_boosting", "event rate"), ("forest", "event rate")]
    for metric in ("AUC", "bounded log", "bounded Brier"):
        assert found.beaten(metric) == []


def test_ranking_and_cost_disagree_where_a_model_is_miscalibrated(found: CrashTable) -> None:
    assert found.swapped("Brier", "bounded Brier") == []
    pairs = [("balanced_boosting", "naive_bayes"), ("balanced_boosting", "forest")]
    assert found.swapped("AUC", "bounded log") == pairs
    for a, b in pairs:
        one, two = found.parts[a], found.parts[b]
        assert one.discrimination > two.discrimination
        assert one.miscalibration > two.miscalibration + one.discrimination - two.discrimination
