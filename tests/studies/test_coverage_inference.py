"""A short study of inference, held against the numbers of the page; and what is true in it."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import digamma, expit, logit
from scipy.stats import beta
from tests.coverage_scripts import FAR, KEPT, about, parts, script, study

import properly
from properly.rules import RPS, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Iterator

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

inference = script("inference")
inference_page = script("inference_page")
populations = script("populations")
findings = script("findings")
tables = script("tables")
ROWS = [row for row in KEPT["rows"] if row["part"] == "inference"]

# What is repeated here, and how often.
SHORT: list[tuple[int, dict[str, Any]]] = [
    (60, {"study": "scores", "event_rate": 0.32, "n": 200}),
    (25, {"study": "scores", "event_rate": 0.06, "n": 1000}),
    (20, {"study": "summary", "event_rate": 0.32, "n": 200}),
    (12, {"study": "weights", "weights": "events", "event_rate": 0.06, "n": 200}),
    (18, {"study": "clusters", "event_rate": 0.32, "clusters": 8, "uneven": False}),
    (25, {"study": "unequal clusters", "clusters": 8}),
    (90, {"study": "series", "losses": "normal", "rho": 0.8, "n": 100}),
    (6, {"study": "bootstrap", "event_rate": 0.06}),
    (30, {"study": "bootstrap clusters"}),
    (8, {"study": "bootstrap blocks", "rho": 0.5}),
    (25, {"study": "classes", "n": 200}),
    (40, {"study": "pairs", "event_rate": 0.32, "n": 200}),
    (20, {"study": "pairs in clusters", "clusters": 8}),
    (60, {"study": "pairs in time", "rho": 0.5, "n": 100}),
    (60, {"study": "steps ahead", "horizon": 4, "n": 50}),
    (60, {"study": "small", "differences": "skewed", "n": 15}),
    (40, {"study": "several", "event_rate": 0.32, "n": 200, "models": 5}),
    (8, {"study": "one of several", "event_rate": 0.32, "n": 1000, "models": 3}),
    (90, {"study": "equivalence", "n": 1000}),
    (25, {"study": "dominance", "event_rate": 0.32, "clusters": None, "n": 200}),
    (6, {"study": "groups", "clusters": None}),
    (6, {"study": "calibration", "distribution": "rare"}),
    (25, {"study": "calibration in clusters", "clusters": 20, "forecasts": "constant"}),
    (20, {"study": "calibration monitor", "distribution": "uniform", "curve": "calibrated"}),
    (60, {"study": "comparison monitor", "better": "neither"}),
    (60, {"study": "running difference", "event_rate": 0.32}),
    (4, {"study": "confidence set", "best": "all", "rho": 0.5}),
]


def shares(row: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for name in ("coverage", "rejected_at_5"):
        if name in row and None not in row[name]:
            yield name, row[name][0]


@pytest.mark.parametrize(
    ("repetitions", "facts"), SHORT, ids=["-".join(map(str, facts.values())) for _, facts in SHORT]
)
def test_a_short_study_finds_what_the_page_says(repetitions: int, facts: dict[str, Any]) -> None:
    chosen = [s for s in parts.settings() if facts.items() <= s.facts.items()]
    assert len(chosen) == 1
    some = [chosen[0]._replace(repetitions=repetitions)]
    found = json.loads(study.to_json(study.study(some, 1, 2)))["rows"]
    kept = {json.dumps(about(row), sort_keys=True): row for row in ROWS}
    assert found
    for row in found:
        same = kept[json.dumps(about(row), sort_keys=True)]
        assert row["repetitions"] == repetitions
        for name, share in shares(row):
            expected, error = same[name]
            chance = tables.share_error(expected, repetitions)
            assert abs(share - expected) <= FAR * math.hypot(chance, error)


def test_all_studies_of_inference_have_a_short_one() -> None:
    assert {facts["study"] for _, facts in SHORT} == set(inference.STUDIES)


def rows_of(study_name: str, **facts: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tables.pick(ROWS, study=study_name, **facts)
    assert found
    return found


def test_intervals_hold_if_cases_are_independent_and_events_not_few() -> None:
    chosen = [row for row in rows_of("scores") if row["event_rate"] * row["n"] >= 60]
    chosen += rows_of("summary")
    chosen += rows_of("pairs", what="difference") + rows_of("dominance") + rows_of("groups")
    chosen += rows_of("several")
    judged = [row for row in chosen if "coverage" in row]
    assert len(judged) > 60
    for row in judged:
        share, error = row["coverage"]
        assert share >= row["level"] - FAR * error


def test_tests_reject_what_is_true_as_seldom_as_they_say() -> None:
    chosen = rows_of("pairs", what="no difference") + rows_of("equivalence")
    chosen += rows_of("pairs in clusters", what="no difference", told=True)
    chosen += rows_of("small", differences="exchangeable")
    for name in ("Holm", "max-t"):
        chosen += rows_of("several", what=f"any difference, {name}")
    chosen += rows_of("groups", what="any group")
    chosen += rows_of("calibration monitor", curve="calibrated")
    chosen += rows_of("comparison monitor", better="neither")
    chosen += rows_of("calibration in clusters", what="score")
    chosen += [
        row
        for row in rows_of("calibration", curve="calibrated")
        if row["what"] != "hosmer-lemeshow"
    ]
    assert len(chosen) > 50
    for row in chosen:
        share, error = row["rejected_at_5"]
        assert share <= row["level"] + FAR * error


def test_to_ignore_clusters_or_time_is_far_worse_than_to_tell_them() -> None:
    for row in rows_of("clusters", what="score", rule="Brier", told=True):
        (alone,) = [
            other
            for other in rows_of("clusters", what="score", rule="Brier", told=False)
            if about(other) == about(row) | {"told": False}
        ]
        assert row["coverage"][0] - alone["coverage"][0] > 0.1
    for row in rows_of("series", rho=0.5, method="cosines"):
        (alone,) = rows_of("series", rho=0.5, method="ignored", losses=row["losses"], n=row["n"])
        assert row["coverage"][0] - alone["coverage"][0] > 0.1


@pytest.mark.parametrize("event_rate", [0.06, 0.32])
def test_truths_of_calibrated_forecasts_have_a_closed_form(event_rate: float) -> None:
    a, b = script("decisions").PROBABILITIES[event_rate]
    variance = a * b / (a + b) ** 2 / (a + b + 1)
    expected = event_rate * (1 - event_rate) - variance
    assert populations.mean_loss(event_rate, "calibrated", Brier()) == pytest.approx(
        expected, rel=1e-4
    )
    # Given the event its probability has a Beta(a + 1, b), else a Beta(a, b + 1).
    skill = populations.true_skill(event_rate, "calibrated", Brier())
    assert skill == pytest.approx(1 / (a + b + 1), rel=1e-3)
    area = quad(lambda q: beta.pdf(q, a + 1, b) * beta.cdf(q, a, b + 1), 0, 1, limit=200)[0]
    assert populations.true_area(event_rate, "calibrated") == pytest.approx(area, rel=1e-4)
    line = populations.true_calibration(event_rate, "calibrated")
    assert line == pytest.approx(
        {"observed_expected": 1, "in_the_large": 0, "intercept": 0, "slope": 1}, abs=1e-9
    )


@pytest.mark.parametrize("event_rate", [0.06, 0.32])
@pytest.mark.parametrize("model", ["blurred", "miscalibrated"])
def test_truths_of_other_forecasts_are_what_many_cases_come_to(
    event_rate: float, model: str
) -> None:
    rng = np.random.default_rng(3)
    sample = populations.independent(event_rate, 100_000, rng)
    p = populations.forecast(model, sample.probability, rng)
    t = properly.tally(sample.y, p)
    wanted = {
        populations.mean_loss(event_rate, model, Log()): properly.score_interval(t, Log()),
        populations.true_skill(event_rate, model, Log()): properly.inference.skill_interval(
            t, Log()
        ),
        populations.true_area(event_rate, model): properly.inference.auc_interval(t),
    }
    assert len(wanted) == 3
    for truth, estimate in wanted.items():
        assert abs(estimate.value - truth) < FAR * estimate.standard_error
    # At the true coefficients of a regression, what is left over is 0 on average.
    line, x = populations.true_calibration(event_rate, model), logit(p)
    free = sample.y - expit(line["intercept"] + line["slope"] * x)
    large = sample.y - expit(line["in_the_large"] + x)
    for left in (free, free * x, large, sample.y - line["observed_expected"] * p):
        assert abs(left.mean()) < FAR * left.std() / math.sqrt(len(left))


def test_truths_of_classes_have_a_closed_form_if_forecasts_are_calibrated() -> None:
    a = np.array(populations.CONCENTRATION)
    total = a.sum()
    entropy = digamma(total + 1) - a @ digamma(a + 1) / total
    assert populations.class_loss("calibrated", Log()) == pytest.approx(entropy, abs=0.003)
    below = a.cumsum()[:-1]
    ranked = (below * (total - below) / total / (total + 1)).mean()
    assert populations.class_loss("calibrated", RPS()) == pytest.approx(ranked, abs=0.001)


def test_the_single_step_method_finds_as_much_as_that_of_holm() -> None:
    for count in (3, 5, 10):
        (holm,) = rows_of("one of several", models=count, method="Holm")
        (found,) = rows_of("one of several", models=count, method="max-t")
        assert found["power"][0] > holm["power"][0] - FAR * found["power"][1]
