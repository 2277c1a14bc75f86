"""Evaluations of classes from sums and counts: what the rows would have given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.plain_records import differing
from tests.sums_of_rows import sum_rows

import properly
from properly import Cases, cumulative, one_vs_rest
from properly.decisions._confusion import count_pairs
from properly.engines import Summary
from properly.evaluation._evaluate import rules_of_task
from properly.evaluation._source import LEFT_OUT
from properly.rules import RPS, Brier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.rules import ClassRule

_, GROUPS, *NOTES = LEFT_OUT["classes"]
RNG = np.random.default_rng(4)
ROWS, LABELS = 400, ("low", "mid", "high")
P = RNG.dirichlet((2, 3, 1), ROWS)
Y = np.array([RNG.choice(3, p=row) for row in P])
MODELS = {"sharp": P, "blunt": (P + 1) / 4}
NEEDS_ROWS = ("retention", "worst", "calibration_tests", "notes")


def summary_of(
    rules: Sequence[ClassRule], cells: int | None = None, weight: Any = None, classes: int = 3
) -> Summary:
    """Sum up classes as an engine does."""
    tallies: dict[Any, properly.Tally] = {}
    for name, p in MODELS.items():
        cases = Cases(Y, p, labels=LABELS)
        views = {"class": one_vs_rest(cases), "above": cumulative(cases)}
        for kind, questions in views.items():
            for k, asked in enumerate(questions.values()):
                columns = np.asarray(asked.y), np.asarray(asked.p)
                tallies[name, (kind, k)] = properly.tally(*columns, weight=weight, cells=cells)
    return Summary(
        sum_rows(list(MODELS), rules, Y, MODELS, weight, classes=classes),
        tallies,
        labels=LABELS,
        confusion={n: count_pairs(Y, p.argmax(axis=1), (3, 3), weight) for n, p in MODELS.items()},
    )


def gathered(summary: Summary, task: str = "auto", **options: Any) -> Any:
    given: dict[str, Any] = {"task": task, "replicates": 0, "rng": 1} | options
    return properly.evaluate(summary, **given)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["multiclass", "ordinal"])
def test_numbers_are_those_of_the_rows(task: Any) -> None:
    rows = properly.evaluate(Y, MODELS, task=task, labels=LABELS, replicates=19, rng=1)
    found = gathered(summary_of(rules_of_task(task, None, None)[0]), replicates=19)
    assert found.task == task
    told = rows.to_dict(), found.to_dict()
    for record in told:
        del record["data"]["summed"]
        for what in NEEDS_ROWS:
            del record[what]
        for name in MODELS if task == "ordinal" else ():
            # What decisions of least expected cost are takes the rows.
            del record["decisions"][name]["decision_loss"]
            record["decisions"][name].pop("bayes", None)
    assert list(differing(*told)) == []
    for name, questions in rows.reliability.items():
        for question, curve in questions.items():
            other = found.reliability[name][question]
            np.testing.assert_allclose(other.recalibrated, curve.recalibrated, rtol=1e-12)
            np.testing.assert_allclose(other.band.upper, curve.band.upper, rtol=1e-10)
        for rule, parts in rows.decompositions[name].items():
            other = found.decompositions[name][rule]
            assert list(differing(parts.to_dict(), other.to_dict())) == []
    assert list(found.notes) == NOTES[: 3 if task == "ordinal" else 2]
    assert (found.worst, found.retention, found.summed) == ({}, {}, True)


def test_weights_are_those_of_the_rows() -> None:
    weight = RNG.uniform(0.5, 2.0, ROWS)
    rows = properly.evaluate(Y, MODELS, labels=LABELS, weight=weight, replicates=0, rng=1)
    found = gathered(
        summary_of(rules_of_task("multiclass", None, None)[0], weight=weight), replicates=9
    )
    assert found.total == pytest.approx(weight.sum())
    for name, by_rule in rows.scores.items():
        for rule, estimate in by_rule.items():
            other = found.scores[name][rule]
            assert other.interval == pytest.approx(estimate.interval, rel=1e-10)
            assert found.skills[name][rule].interval == pytest.approx(
                rows.skills[name][rule].interval, rel=1e-9
            )
            assert found.totals[name][rule].miscalibration == pytest.approx(
                rows.totals[name][rule].miscalibration, nan_ok=True
            )
        assert found.decisions[name].argmax.accuracy == pytest.approx(
            rows.decisions[name].argmax.accuracy
        )


def test_parts_of_cells_add_up_to_the_exact_score() -> None:
    rules = (RPS(), Brier())
    exact, found = (gathered(summary_of(rules, cells)) for cells in (None, 20))
    for name in MODELS:
        for rule in ("rps", "brier"):
            one, other = exact.totals[name][rule], found.totals[name][rule]
            assert other.score == one.score
            assert other.miscalibration - other.discrimination + other.uncertainty == (
                pytest.approx(one.score, rel=1e-12)
            )
            assert 0 <= other.discrimination <= one.discrimination + 1e-12
    start = "forecasts of sharp and blunt were grouped into 20 cells: scores are exact, "
    note = next(note for note in found.notes if note.startswith(start))
    off = float(note.rpartition(" ")[2])
    apart = [
        exact.totals[name][rule].discrimination - found.totals[name][rule].discrimination
        for name in MODELS
        for rule in ("rps", "brier")
    ]
    assert 0 < max(apart) <= off


def test_groups_are_left_out_and_clusters_leave_no_band() -> None:
    summary = summary_of([Brier()])
    found = gathered(replace(summary, groups={"all": summary}))
    assert GROUPS in found.notes
    assert not found.groups


def test_of_many_classes_some_questions_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("properly.evaluation._pipeline.MOST_CLASSES", 2)
    found = gathered(summary_of([Brier()]), replicates=9)
    assert [len(x) for x in found.reliability.values()] == [2, 2]
    assert all(curve.band is None for x in found.reliability.values() for curve in x.values())
