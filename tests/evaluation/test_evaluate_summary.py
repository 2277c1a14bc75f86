"""Evaluations of sums and counts: what the rows would have given, and what takes rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.plain_records import differing
from tests.sums_of_rows import sum_rows

import properly
from properly import report
from properly.calibration import _components
from properly.engines import Summary
from properly.evaluation._evaluate import rules_of_task
from properly.evaluation._pipeline import gather
from properly.evaluation._source import LEFT_OUT, Asked
from properly.inference import _cells
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from pathlib import Path

THRESHOLDS, CLUSTERS, GROUPS, WEIGHTS = LEFT_OUT["binary"]
CRASH = properly.datasets.crash()
SOME = slice(None, None, 6)
DIED = np.asarray(CRASH.died, dtype=bool)[SOME]
FORECASTS = {
    name: np.asarray(CRASH.forecasts[name], dtype=np.float64)[SOME]
    for name in ("logistic", "forest", "boosting")
}
BELT = np.asarray(CRASH.seatbelt)[SOME]
CLUSTER = np.asarray(CRASH.cluster)[SOME]
RNG = np.random.default_rng(5)
WEIGHT = RNG.integers(1, 5, len(DIED))
CURVES = {
    "regret": ("threshold", "left", "right"),
    "decision": ("threshold", "net_benefit", "right"),
    "roc": ("false_positive_rate", "true_positive_rate"),
    "reliability": ("value", "recalibrated"),
}
CERTAIN_BAND = ("lower", "upper")


def asked(within: Any = None, replicates: int = 0, progress: Any = None) -> Asked:
    return Asked("binary", *rules_of_task("binary", None, within), 0.95, replicates, 1, progress)


def summed(within: Any = None, **known: Any) -> Summary:
    return Summary.of_rows(rules_of_task("binary", None, within)[0], DIED, FORECASTS, **known)


def clustered(groups: dict[Any, Summary] | None = None) -> Summary:
    rules = rules_of_task("binary", None, None)[0]
    sums = sum_rows(list(FORECASTS), rules, DIED, FORECASTS, None, clusters=CLUSTER)
    counts = {name: properly.tally(DIED, p) for name, p in FORECASTS.items()}
    return Summary(sums, counts, groups or {})


def assert_same(rows: Any, sums: Any) -> None:
    told = rows.to_dict(), sums.to_dict()
    for found in told:
        del found["notes"], found["data"]["summed"]
    # These take the forecasts of both models for each row.
    del told[0]["auc_differences"]
    assert list(differing(*told)) == []
    for what, columns in CURVES.items():
        for name, curve in getattr(rows, what).items():
            for column in columns:
                other = getattr(getattr(sums, what)[name], column)
                np.testing.assert_allclose(other, getattr(curve, column), rtol=1e-10, atol=1e-14)


@pytest.fixture(scope="module")
def whole() -> Any:
    """Evaluate a summary in which everything is known."""
    return gather(summed((0.01, 0.1), groups=BELT), asked((0.01, 0.1), 5))


@pytest.fixture(scope="module")
def grouped() -> Any:
    """Evaluate forecasts that were grouped into cells."""
    return gather(summed((0.01, 0.1), groups=BELT, cells=1000), asked((0.01, 0.1), 5))


@pytest.mark.slow
def test_all_numbers_are_those_of_the_rows_with_a_range_groups_and_draws(whole: Any) -> None:
    options: dict[str, Any] = {"within": (0.01, 0.1), "groups": BELT, "replicates": 5, "rng": 1}
    rows = properly.evaluate(DIED, FORECASTS, **options)
    assert_same(rows, whole)
    assert whole.groups
    for name, curve in rows.reliability.items():
        for end in CERTAIN_BAND:
            other = getattr(whole.reliability[name].band, end)
            np.testing.assert_allclose(other, getattr(curve.band, end), rtol=1e-10)
    assert whole.notes == (*rows.notes, THRESHOLDS)
    assert whole.summed
    assert not rows.summed
    assert (whole.dominances, whole.over_time) == ({}, {})


def test_all_numbers_are_those_of_the_rows_without_a_range() -> None:
    rows = properly.evaluate(DIED, FORECASTS, replicates=0, rng=1)
    found = gather(summed(), asked())
    assert_same(rows, found)
    for name, worst in rows.worst.items():
        told = found.worst[name].to_dict()
        losses = np.repeat(np.array(told["loss"], dtype=float), told["cases"])
        assert losses[:10].tolist() == np.array(worst.to_dict()["loss"], dtype=float).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, 3, 0.1])
def test_counts_and_equal_weights_are_so_many_rows(weight: float | None) -> None:
    row = np.repeat(np.arange(len(DIED)), WEIGHT)
    equal = None if weight is None else np.full(len(DIED), weight)
    copies = {name: p[row] for name, p in FORECASTS.items()}
    options: dict[str, Any] = {"replicates": 5, "rng": 1}
    expected = properly.evaluate(DIED[row], copies, groups=BELT[row], **options)
    rows = properly.evaluate(DIED, FORECASTS, weight=equal, count=WEIGHT, groups=BELT, **options)
    found = gather(summed(weight=equal, times=WEIGHT, groups=BELT), asked(None, 5))
    assert_same(expected, found)
    assert list(differing(expected.to_dict(), rows.to_dict())) == []
    # Worst cases are told by the rows that were given.
    for name, worst in expected.worst.items():
        assert rows.worst[name].row.tolist() == row[worst.row].tolist()


def test_columns_are_shown_by_the_rows_that_were_given() -> None:
    y, p, count = [0, 1, 1], [0.9, 0.2, 0.6], [2, 1, 0]
    found = properly.evaluate(y, p, count=count, show={"id": ["x", "y", "z"]}, replicates=0)
    worst = found.worst["forecast"]
    assert (worst.row.tolist(), worst.beside["id"]) == ([0, 0, 1], ("x", "x", "y"))
    with pytest.raises(properly.errors.DataError, match="an entry for each row"):
        properly.evaluate(y, p, count=count, show={"id": ["x", "y"]}, replicates=0)


def test_whole_weights_are_weights_and_no_copies() -> None:
    one = {"logistic": FORECASTS["logistic"]}
    known: dict[str, Any] = {"weight": WEIGHT, "groups": BELT}
    rows = properly.evaluate(DIED, one, **known, replicates=0, rng=1)
    found = gather(Summary.of_rows((Brier(), Log()), DIED, one, **known), asked(None, 9))
    assert found.total == rows.total == WEIGHT.sum()
    for name, by_rule in rows.scores.items():
        for rule, estimate in by_rule.items():
            ends = found.scores[name][rule].interval
            assert ends == pytest.approx(estimate.interval, rel=1e-10, nan_ok=True)
            assert found.decompositions[name][rule].intervals is None
        assert found.aucs[name].value == pytest.approx(rows.aucs[name].value)
        # Of weights, all but the number of cases that the variance is divided by is the same.
        error = rows.aucs[name].standard_error
        assert found.aucs[name].standard_error == pytest.approx(error, rel=2e-3)
        assert found.groups[name].calibration is None
    assert [*found.calibration_tests, *found.calibration] == []
    assert WEIGHTS in found.notes


def test_clusters_widen_what_sums_tell_and_leave_out_what_counts_do_not() -> None:
    rows = properly.evaluate(DIED, FORECASTS, clusters=CLUSTER, replicates=0, rng=1)
    found = gather(clustered({"all": summed()}), asked(None, 9))
    assert found.design == rows.design
    for name in FORECASTS:
        for rule in ("brier", "log"):
            ends = rows.scores[name][rule].interval
            assert found.scores[name][rule].interval == pytest.approx(ends, rel=1e-9, nan_ok=True)
        area = found.aucs[name]
        assert area.value == pytest.approx(rows.aucs[name].value)
        assert math.isnan(area.standard_error)
        assert all(map(math.isnan, area.interval))
        assert area.design == rows.design
        assert found.reliability[name].band is None
    assert [*found.calibration, *found.calibration_tests, *found.groups] == []
    assert found.notes == (THRESHOLDS, CLUSTERS, GROUPS)


@pytest.mark.slow
def test_parts_of_cells_add_up_to_the_exact_score(grouped: Any, whole: Any) -> None:
    for name, by_rule in grouped.decompositions.items():
        for rule, parts in by_rule.items():
            exact = whole.decompositions[name][rule]
            assert parts.score == pytest.approx(exact.score, rel=1e-12)
            assert parts.uncertainty == pytest.approx(exact.uncertainty, rel=1e-12)
            assert parts.discrimination <= exact.discrimination + 1e-12
            if math.isfinite(parts.score):
                added = parts.miscalibration - parts.discrimination + parts.uncertainty
                assert added == pytest.approx(parts.score, rel=1e-12)
            assert parts.intervals.score == whole.scores[name][rule].interval or math.isinf(
                parts.score
            )


def test_a_recalibrated_cell_is_not_said_to_beat_the_forecasts_in_it() -> None:
    y = np.array([False, True] * 50)
    p = np.where(y, 0.9, 0.1)
    summary = Summary.of_rows([Brier()], y, {"m": p}, cells=1)
    found = gather(summary, Asked("binary", (Brier(),), Brier(), None, 0.95, 0, 1))
    parts = found.decompositions["m"]["brier"]
    # All in one cell, of which one half had the event: recalibrated, it would score 1/4.
    assert parts.score == pytest.approx(0.01)
    assert parts.miscalibration == 0
    assert parts.discrimination == pytest.approx(0.24)
    assert found.grouping["m"].cells == 1


def test_what_cells_can_have_changed_is_told(grouped: Any, whole: Any) -> None:
    assert whole.grouping == {}
    assert "grouping" not in whole.to_dict()
    told = grouped.to_dict()["grouping"]
    for name, found in grouped.grouping.items():
        low, high = found.miscalibration
        part = whole.decompositions[name][whole.primary].miscalibration
        assert low - 1e-12 <= part <= high + 1e-12
        assert told[name]["cells"] == 1000
        assert abs(grouped.aucs[name].value - whole.aucs[name].value) <= found.auc
    sentence = (
        "forecasts of logistic, forest and boosting were grouped into 1,000 cells: scores are"
    )
    assert any(note.startswith(sentence) for note in grouped.notes)


def test_many_forecasts_are_drawn_in_cells_and_parts_stay_exact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, size in (("CELLS", 40), ("ENDS", 5)):
        monkeypatch.setattr(_cells, name, size)
    monkeypatch.setattr(_components, "MANY", 200)
    y, p = RNG.random(400) < 0.3, RNG.random(400)
    summary = Summary.of_rows([Brier()], y, {"one": p, "two": p**2})
    found = gather(summary, Asked("binary", (Brier(),), Brier(), None, 0.95, 9, 1))
    parts = found.decompositions["one"]["brier"]
    exact = properly.decompose(properly.tally(y, p), Brier())
    assert (parts.score, parts.miscalibration) == (exact.score, exact.miscalibration)
    assert parts.intervals is not None
    assert parts.intervals.score == pytest.approx(found.scores["one"]["brier"].interval, rel=1e-12)
    assert found.calibration["one"].mean_forecast == pytest.approx(p.mean())
    test = properly.calibration_test(properly.tally(y, p), replicates=9, rng=1)
    assert found.calibration_tests["one"] == test


def test_cases_that_were_certain_and_wrong_are_counted() -> None:
    y, p = np.array([True, False, True] * 10), np.array([0.0, 1.0, 0.5] * 10)
    summary = Summary.of_rows([Brier(), Log()], y, {"m": p}, cells=100)
    found = gather(summary, Asked("binary", (Brier(), Log()), Brier(), None, 0.95, 0, 1))
    assert found.certain["m"].wrong == 20
    assert found.scores["m"]["log"].infinite_cases == 20
    assert found.decompositions["m"]["log"].miscalibration == math.inf
    assert found.worst["m"].to_dict()["cases"] == [10, 10, 10]
    assert found.worst["m"].to_dict()["loss"][:2] == ["Infinity", "Infinity"]


def test_the_page_says_what_is_known(whole: Any, grouped: Any, tmp_path: Path) -> None:
    exact = report.write(tmp_path / "exact.html", whole).read_text(encoding="utf-8")
    cells = report.write(tmp_path / "cells.html", grouped).read_text(encoding="utf-8")
    for page in (exact, cells):
        assert "A summary does not keep which rows they were" in page
        assert "e = properly.evaluate(summary, within=(0.01, 0.1), level=0.95" in page
        assert "Rows are counted from 0" not in page
        assert "Models are not compared at single thresholds" in page
    assert "nothing is binned" in exact
    assert "nothing is binned" not in cells
    assert "logistic: forecasts were grouped into 1,000 cells: the score is exact" in cells
    assert "the mean of their cell is shown" in cells
    assert "the mean of their cell is shown" not in exact
