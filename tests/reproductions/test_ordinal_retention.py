"""Table 1 on forecasts that can be had, against counting by hand."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from reproductions.grades.forecasts import Forecasts, severity, severity_cases
from reproductions.grades.retention import CLASSIFIER_RULES as UNORDERED
from reproductions.grades.retention import (
    RULES,
    Classifiers,
    RetentionTable,
    classifiers,
    ordered_classifiers,
    paired,
    table1,
)
from reproductions.grades.temperatures import Worst, worst

from properly.decisions._retention import ORACLE
from properly.rules import RPS, Brier, Log

if TYPE_CHECKING:
    import numpy.typing as npt

REPLICATES = 20


@pytest.fixture(scope="module")
def found() -> RetentionTable:
    return table1(severity(), REPLICATES, 7)


def some_classifiers() -> dict[str, Forecasts]:
    rng = np.random.default_rng(2)
    data = {}
    for classes in (2, 6):
        p = rng.dirichlet(np.full(classes, 0.08), 600)
        data[f"{classes} classes"] = Forecasts((rng.random((600, 1)) > p.cumsum(1)).sum(1), p)
    return data


@pytest.fixture(scope="module")
def unordered() -> Classifiers:
    return classifiers(some_classifiers(), REPLICATES, 7, lambda _: None)


@pytest.fixture(scope="module")
def worst_found() -> Worst:
    return worst(severity_cases())


def test_ordered_classifiers_have_the_table_of_the_paper() -> None:
    told: list[str] = []
    found = ordered_classifiers(some_classifiers(), 3, 7, told.append)
    assert told == ["Table 1, 2 classes", "Table 1, 6 classes"]
    wanted = table1(some_classifiers()["6 classes"], 3, 7)
    assert found.rows["6 classes"].to_dict() == wanted.to_dict()
    assert "6 classes: 600 cases, 6 classes, accuracy 0." in str(found)
    assert str(found).count("sa-RPS - RPS") == 2
    assert max(map(len, str(found).splitlines())) <= 100
    assert found.to_frame("polars").shape == (2 * 2 * (2 * len(RULES) + 1), 9)


def area(scores: npt.NDArray[np.float64], value: Any) -> float:
    """Remove the highest scores and average a metric of the rows that are left."""
    order = np.argsort(scores, kind="stable")
    heights = [value(order[: len(order) - k * len(order) // 100]) for k in range(21)]
    return float(sum((a + b) / 2 for a, b in pairwise(heights)))


def kappa(y: npt.NDArray[np.int64], d: npt.NDArray[np.int64]) -> float:
    mean = np.mean((y - d) ** 2)
    return float(1 - mean / (y.var() + d.var() + (y.mean() - d.mean()) ** 2))


def test_areas_are_those_of_counting(found: RetentionTable) -> None:
    data = severity()
    y, d = data.y, data.p.argmax(axis=1)
    scores = {name: np.asarray(rule.loss(y, data.p)) for name, rule in RULES.items()}
    scores[ORACLE] = ((y - d) ** 2).astype(np.float64)
    for name, column in scores.items():
        by_hand = (
            area(column, lambda rows: kappa(y[rows], d[rows])),
            area(column, lambda rows: np.mean((y[rows] - d[rows]) ** 2)),
        )
        for metric, expected in zip(("QWK", "EC"), by_hand, strict=True):
            ours = found.metrics[metric].study.area_percent[name].area
            assert ours == pytest.approx(expected, rel=1e-10)


def test_areas_without_labels_are_those_of_the_expected_score(found: RetentionTable) -> None:
    data = severity()
    y, d = data.y, data.p.argmax(axis=1)
    upper = data.p.cumsum(axis=1)[:, :-1]
    own = {
        "RPS": (upper * (1 - upper)).mean(axis=1),
        "Brier": 1 - (data.p**2).sum(axis=1),
        "neg. log": -(data.p * np.log(data.p)).sum(axis=1),
    }
    for name, column in own.items():
        expected = area(column, lambda rows: np.mean((y[rows] - d[rows]) ** 2))
        ours = found.metrics["EC"].unlabelled.area_percent[name].area
        # Expected scores that are equal but for rounding may change places.
        assert ours == pytest.approx(expected, rel=1e-4)


def test_nothing_beats_the_oracle_in_any_resample(found: RetentionTable) -> None:
    study = found.metrics["EC"].study
    areas = dict(zip(study.areas, study.drawn_areas.T, strict=True))
    for name in RULES:
        assert (areas[ORACLE] <= areas[name] + 1e-12).all()
    assert found.difference("EC", ORACLE, found.best("EC")).mean < 0


def test_differences_are_paired_and_in_percent_units(found: RetentionTable) -> None:
    study = found.metrics["QWK"].study
    areas = dict(zip(study.areas, study.drawn_areas.T, strict=True))
    drawn = 20 * (areas["RPS"] - areas["Brier"])
    d = found.difference("QWK", "RPS", "Brier")
    assert d.mean == pytest.approx(drawn.mean(), rel=1e-10)
    assert d.standard_deviation == pytest.approx(drawn.std(ddof=1), rel=1e-10)
    back = paired(study, "Brier", "RPS")
    assert back[2:] == pytest.approx((-d.mean, d.standard_deviation))
    free = study.area_percent
    apart = np.hypot(free["RPS"].standard_deviation, free["Brier"].standard_deviation)
    assert d.standard_deviation < apart


def test_all_rankings_and_both_metrics_see_the_same_resamples(found: RetentionTable) -> None:
    again = table1(severity(), REPLICATES, 7)
    other = table1(severity(), REPLICATES, 8)
    assert again.to_dict() == found.to_dict()
    assert other.to_dict() != found.to_dict()


def test_whole_accidents_are_resampled(found: RetentionTable) -> None:
    data = severity()
    assert data.clusters is not None
    accidents, n = np.unique(data.clusters), len(data.y)
    assert found.accidents == len(accidents) < n
    loss = (data.y - data.likeliest) ** 2
    totals = np.bincount(np.searchsorted(accidents, data.clusters), loss)
    sizes = np.bincount(np.searchsorted(accidents, data.clusters))
    rng, means = np.random.default_rng(7), []
    for _ in range(REPLICATES):
        drawn = rng.integers(0, len(accidents), len(accidents))
        means.append(totals[drawn].sum() / sizes[drawn].sum())
    # With nothing removed, the expected cost is the mean over the persons in them.
    lower, upper = found.metrics["EC"].study.bands["RPS"]
    ends = np.quantile(means, [0.025, 0.975])
    np.testing.assert_allclose([lower[0], upper[0]], ends, rtol=1e-12)
    assert f"{len(accidents):,} of them" in str(found)


def test_the_best_score_is_the_best(found: RetentionTable) -> None:
    for metric, sign in (("QWK", 1), ("EC", -1)):
        means = {n: a.mean for n, a in found.metrics[metric].study.area_percent.items()}
        best = found.best(metric)
        assert all(sign * means[best] >= sign * means[name] for name in RULES)
        assert [(d.first, d.second) for d in found.differences(metric)] == [
            ("RPS", "Brier"),
            ("sa-RPS", "RPS"),
            ("quadratic RPS", "sa-RPS"),
            (ORACLE, best),
        ]


def test_little_is_left_of_what_a_score_gains_by_looking_at_labels(found: RetentionTable) -> None:
    for metric in ("QWK", "EC"):
        seen, blind = (
            found.difference(metric, "RPS", "Brier", labels=labels) for labels in (True, False)
        )
        assert seen.clear
        assert abs(blind.mean) < abs(seen.mean) / 10
    text = str(found)
    d = found.difference("EC", "RPS", "Brier")
    assert f"{d.mean:+.3f} ± {d.standard_deviation:.3f}*" in text
    assert "oracle - best (sa-RPS)  +" in text


def test_superior_scores_rank_as_the_oracle(unordered: Classifiers) -> None:
    assert unordered.rows["6 classes"].as_the_oracle == ("PBS", "PLL")
    assert unordered.rows["2 classes"].as_the_oracle == tuple(UNORDERED)
    assert "area in so many of 2: neg. log 1, Brier 1, PBS 2, PLL 2." in str(unordered)


def test_the_area_of_the_error_rate_is_that_of_counting(unordered: Classifiers) -> None:
    for name, data in some_classifiers().items():
        wrong = data.p.argmax(axis=1) != data.y
        row = unordered.rows[name]
        assert row.accuracy == pytest.approx(1 - wrong.mean())
        assert (row.n, row.classes) == data.p.shape
        columns = {
            "Brier": Brier().loss(data.y, data.p),
            "neg. log": Log().loss(data.y, data.p),
            ORACLE: wrong.astype(np.float64),
        }
        for score, column in columns.items():
            expected = area(np.asarray(column), lambda rows, w=wrong: w[rows].mean())
            ours = row.areas.study.area_percent[score].area
            assert ours == pytest.approx(expected, rel=1e-10)


def test_without_labels_two_classes_have_one_ranking(unordered: Classifiers) -> None:
    study = unordered.rows["2 classes"].areas.unlabelled
    assert np.ptp(study.drawn_areas, axis=1) == pytest.approx(0, abs=1e-12)
    assert ORACLE not in study.areas


def test_the_worst_are_those_with_the_greatest_losses(worst_found: Worst) -> None:
    data = severity()
    for name, rule in (("Brier", Brier()), ("log", Log()), ("RPS", RPS())):
        loss = np.asarray(rule.loss(data.y, data.p))
        rows = np.argsort(-loss, kind="stable")
        assert np.asarray(worst_found.cases[name].row).tolist() == rows[:3].tolist()
        hundred = rows[:100]
        off = np.abs(data.p[hundred].argmax(axis=1) - data.y[hundred]).mean()
        assert worst_found.distances[name] == pytest.approx(float(off), rel=1e-12)


def test_the_worst_by_rps_are_farthest_off(worst_found: Worst) -> None:
    distances = worst_found.distances
    assert distances["RPS"] > max(distances["Brier"], distances["log"])
    text = str(worst_found)
    assert f"Brier {distances['Brier']:.2f}, log" in text
    assert text.count("\nRPS ") == 3
    assert max(len(line) for line in text.splitlines()) <= 100
    json.dumps(worst_found.to_dict(), allow_nan=False)
