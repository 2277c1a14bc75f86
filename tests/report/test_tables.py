"""Tables of the page: scores, the call that makes them, and in people."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import properly
from properly import Cases, Evaluation, at_threshold, evaluate
from properly.report._score_tables import people, python_call, score_tables
from properly.report._vega import drawn_part
from properly.rules import RPS, Bounded, Brier, Log, Spherical

Y, P = [0, 1, 0, 1, 1] * 8, [0.1, 0.75, 0.3, 0.6, 0.2] * 8
BESIDE: dict[str, Any] = {
    "weight": [1, 2, 1, 1] * 10,
    "groups": ["a", "b"] * 20,
    "clusters": np.arange(40) // 2,
    "strata": np.arange(40) // 20,
    "time": np.arange(40) % 3,
}


def again(e: Any, y: Any, forecasts: Any) -> Any:
    """Run what the page says, without writing a page."""
    *lines, last = python_call(e).split("\n")
    assert last == 'properly.report.write("report.html", e)'
    scope: dict[str, Any] = {"y": y, "forecasts": forecasts} | BESIDE
    exec("\n".join(lines), scope)  # noqa: S102
    return scope["e"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"within": (0.1, 0.4)},
        {"within": (0.1, 0.4), "rules": [Spherical(), Bounded(Brier(), (0.2, 0.3))], "rng": 3},
        {name: BESIDE[name] for name in ("weight", "groups", "time")},
        {name: BESIDE[name] for name in ("clusters", "strata")},
    ],
    ids=["plain", "range", "rules", "weights", "clusters"],
)
def test_the_call_of_an_event_gives_the_same_numbers(options: dict[str, Any]) -> None:
    e = properly.evaluate(Y, {"m": P}, replicates=0, level=0.9, **options)
    assert again(e, Y, {"m": P}).to_dict() == e.to_dict()


@pytest.mark.parametrize("options", [{}, {"rules": RPS()}, {"groups": BESIDE["groups"]}])
def test_the_call_of_classes_gives_the_same_numbers(options: dict[str, Any]) -> None:
    p = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.5]] * 20)
    e = properly.evaluate(Y, {"m": p}, task="ordinal", replicates=0, normalize=True, **options)
    assert again(e, Y, {"m": p}).to_dict() == e.to_dict()


def test_nothing_is_named_that_was_not_given() -> None:
    e = properly.evaluate(Y, {"m": P}, replicates=0)
    assert python_call(e) == (
        "import properly\n\ne = properly.evaluate(y, forecasts, level=0.95, replicates=0)\n"
        'properly.report.write("report.html", e)'
    )


def test_captions_and_p_values_are_written_once_and_without_zeros() -> None:
    p = np.tile([0.05, 0.3, 0.81, 0.9, 0.96, 0.996], 60)
    y = np.arange(360) // 6 < 60 * np.tile([0.05, 0.3, 0.5, 0.6, 0.65, 0.7], 60)
    within, clusters = (0.1, 0.3), np.arange(360) // 3
    e = properly.evaluate(y, {"bad": p}, clusters=clusters, replicates=9, rng=0, within=within)
    regret, *_, clinical = score_tables(e)
    assert regret.caption == "Mean regret at thresholds of 10 % to 30 %; proper."
    assert clinical.rows[0][-1].number == "p < 0.001"


NAMES = ("good", "plain")


@cache
def evaluation(within: tuple[float, float] | None = (0.05, 0.2), **options: Any) -> Evaluation:
    rng = np.random.default_rng(8)
    q = rng.beta(1, 9, 600)
    y = rng.random(600) < q
    forecasts = dict(zip(NAMES, (q, np.round(np.sqrt(q) / 2, 2)), strict=True))
    if options.pop("clustered", False):
        options["clusters"] = np.arange(600) // 3
    return evaluate(y, forecasts, within=within, replicates=0, rng=1, **options)


def of(evaluation: Evaluation, cases: str = "cases", event: str = "the event") -> dict[str, Any]:
    result = people(evaluation, cases, event)
    assert result is not None
    return result


def test_the_numbers_are_those_of_at_threshold() -> None:
    rng = np.random.default_rng(8)
    q = rng.beta(1, 9, 600)
    cases = Cases(rng.random(600) < q, q, clusters=np.arange(600) // 3)
    alone = at_threshold(cases, 0.1, interval=True)
    numbers = of(evaluation(clustered=True))["numbers"]
    k = numbers["labels"].index("10 %")
    row = [cell.split("/") for cell in numbers["rows"][0][k].split("|")]
    alarms, right, missed, sensitivity, specificity, ppv, npv = row
    low, high = alone.intervals["acted"]  # type: ignore[index]
    assert alarms == [f"{1000 * x:.0f}" for x in (alone.acted, low, high)]
    assert right[0] == f"{1000 * alone.true_positives:.0f}"
    assert missed[0] == f"{1000 * alone.false_negatives:.0f}"
    low, high = alone.intervals["false_positive_rate"]  # type: ignore[index]
    rates: tuple[float, ...] = alone.false_positive_rate, high, low
    assert specificity == [f"{100 - 100 * x:.1f}" for x in rates]
    rates = alone.true_positive_rate, alone.precision, alone.negative_predictive_value
    assert [x[0] for x in (sensitivity, ppv, npv)] == [f"{100 * x:.1f}" for x in rates]


def test_the_dots_are_a_thousand_people() -> None:
    numbers, models = of(evaluation())["numbers"], evaluation().at_thresholds
    for name, dots in zip(NAMES, numbers["dots"], strict=False):
        for (right, vain, missed), at in zip(dots, models[name][1:], strict=True):
            assert abs(right - 1000 * at.true_positives) <= 0.5
            assert abs(vain - 1000 * at.false_positives) <= 0.5
            assert abs(missed - 1000 * at.false_negatives) <= 0.5


def test_what_needs_no_model_is_the_same_at_every_threshold() -> None:
    e = evaluation()
    *_, (everyone,), (nobody,) = of(e)["numbers"]["rows"]
    events = f"{1000 * e.event_rate:.0f}"
    all_alarms, right, none_missed, *_ = everyone.split("|")
    alarms, _, missed, *_ = nobody.split("|")
    assert (all_alarms, none_missed, alarms) == ("1,000", "0", "0")
    assert right == missed
    assert right.split("/")[0] == events
    assert right.count("/") == 2


@pytest.mark.parametrize(
    ("within", "shown"), [((0.05, 0.2), ["5 %", "10 %", "20 %"]), (None, ["4 %", "8 %", "15 %"])]
)
def test_without_scripts_there_are_three_tables(within: Any, shown: list[str]) -> None:
    found = of(evaluation(within))
    assert [threshold for threshold, _, _ in found["tables"]] == shown
    assert [kept for _, kept, _ in found["tables"]] == [False, True, False]
    for _, _, table in found["tables"]:
        assert [row[0] for row in table.rows] == [*NAMES, "treat all", "treat none"]
        assert all(len(row) == len(table.head) for row in table.rows)


def test_rare_events_are_counted_in_more_people() -> None:
    y = np.zeros(4000, bool)
    y[:6] = True
    p = np.where(y, 0.01, np.linspace(0.0001, 0.005, 4000))
    found = of(evaluate(y, p, replicates=0), "people")
    assert (found["per"], found["dot"]) == ("10,000", "10")
    assert of(evaluation())["dot"] == ""


def test_a_summary_has_the_numbers_and_of_clusters_no_intervals() -> None:
    y, p = np.arange(40) % 3 == 0, np.linspace(0.05, 0.9, 40)
    rows = evaluate(y, p, replicates=0)
    frame = pd.DataFrame({"y": y, "forecast": p, "pair": np.arange(40) // 2})
    rules = [Brier(), Log()]
    summed = properly.summarize(frame, "forecast", outcome="y", rules=rules)
    assert of(rows)["numbers"] == of(evaluate(summed, replicates=0))["numbers"]
    summed = properly.summarize(frame, "forecast", outcome="y", rules=rules, clusters="pair")
    assert "/" not in str(of(evaluate(summed, replicates=0))["numbers"]["rows"])


def test_of_many_models_fewer_thresholds_are_kept_and_both_ends() -> None:
    y, p = np.arange(60) % 3 == 0, np.linspace(0.02, 0.5, 60)
    many = {f"model {k}": p ** (1 + k / 20) for k in range(12)}
    e = evaluate(y, many, within=(0.05, 0.2), replicates=0)
    labels = of(drawn_part(e))["numbers"]["labels"]
    assert len(labels) == 16
    assert (labels[0], labels[-1]) == ("5 %", "20 %")
