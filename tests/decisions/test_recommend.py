"""Which metric for which decision."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

import properly
from properly.decisions import at_budget, mean_net_benefit, ranking, recommend
from properly.decisions._recommend import DECISIONS, TASKS, THRESHOLDS
from properly.rules import Regret

QUESTIONS = [
    {"decisions": decisions, "threshold": threshold, "task": task, "costs": costs}
    for task, costs, decisions, threshold in itertools.product(
        TASKS, (False, True), DECISIONS, THRESHOLDS
    )
]
EVERY_QUESTION = pytest.mark.parametrize(
    "question", QUESTIONS, ids=lambda q: "-".join(map(str, q.values()))
)
NUMBER = r"-?(?:\d+\.?\d*|inf)"


def an_event() -> dict[str, Any]:
    rng = np.random.default_rng(7)
    p = np.round(rng.beta(1, 5, 500), 2)
    p[p == 0] = 0.004
    return {"y": (rng.random(500) < p**1.2).astype(int), "p": p}


def grades() -> dict[str, Any]:
    rng = np.random.default_rng(8)
    p = rng.dirichlet([5, 2, 1, 1], 300)
    return {"y": (rng.random((300, 1)) > p.cumsum(axis=1)).sum(axis=1), "p": p}


def printed(capsys: pytest.CaptureFixture[str], **question: Any) -> list[str]:
    """Run a call as it stands, and return what it prints."""
    data = an_event() if question.get("task", "binary") == "binary" else grades()
    exec(recommend(**question).call, data)  # noqa: S102
    return capsys.readouterr().out.splitlines()


def number(lines: list[str], start: str, name: str) -> float:
    """Find a number by its name on the line that starts so."""
    line = next(line for line in lines if line.strip().startswith(start))
    found = re.search(rf"{re.escape(name)}\s*=?\s*({NUMBER})", line)
    assert found is not None
    return float(found.group(1))


@EVERY_QUESTION
def test_a_call_runs_as_it_stands_and_prints_numbers(
    question: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, **question)
    assert len(lines) >= 2
    assert all(re.search(NUMBER, line) for line in lines)
    assert not any("nan" in line for line in lines)


@EVERY_QUESTION
def test_a_call_shows_what_one_has_without_a_model(
    question: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    output = "\n".join(printed(capsys, **question)).replace("_", " ")
    if (*question.values(),)[::2] == ("independent", "multiclass") and question["costs"]:
        assert "normalized cost" in output
        return
    by_lot = question["decisions"] == "budget" and (
        question["costs"] or question["threshold"] != "unknown"
    )
    assert "by lot" in output if by_lot else "treat all" in output
    if not by_lot or question["costs"]:
        assert "treat none" in output


@EVERY_QUESTION
def test_a_call_prints_every_metric_that_is_recommended(
    question: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    output = "\n".join(printed(capsys, **question)).lower().replace("_", " ")
    for metric in recommend(**question).metrics:
        assert any(all(word in output for word in words) for words in spellings(metric)), metric


def spellings(metric: str) -> list[list[str]]:
    """Say by which words a metric may be called in print."""
    in_money = "regret in money" in metric
    name = re.sub(" (at each cut|for each class)$", "", metric).split(" (")[0].lower()
    name = re.sub(" (at|of|over) .*|^mean | score|@k.*", "", name)
    return [["lost"], ["money.regret"]] if in_money else [name.split()]


@EVERY_QUESTION
def test_a_call_imports_no_more_than_it_uses(question: dict[str, Any]) -> None:
    call = recommend(**question).call
    imported = re.findall(r"from properly.rules import (.*)", call)
    names = imported[0].split(", ") if imported else []
    assert all(call.count(f"{name}(") for name in names)
    assert set(re.findall(r"(?<!properly\.)\b([A-Z]\w+)\(", call)) == set(names)


@EVERY_QUESTION
def test_a_page_is_one_page_and_says_everything(question: dict[str, Any]) -> None:
    advice = recommend(**question)
    page, call = str(advice).split("to compare it with:\n\n")
    assert call == advice.call
    lines = page.splitlines()
    assert max(map(len, lines)) <= 88
    assert len(lines) <= (26 if question["task"] == "binary" and not question["costs"] else 31)
    page = " ".join(str(advice).split())
    for text in (advice.situation, *advice.metrics, advice.why, *advice.assumes):
        assert text in page
    for metric, why in advice.instead:
        assert f"- {metric}: {why}" in page


@EVERY_QUESTION
def test_what_is_recommended_is_not_to_be_avoided(question: dict[str, Any]) -> None:
    advice = recommend(**question)
    avoided = [metric for metric, _ in advice.instead]
    assert len(set(avoided)) == len(avoided)
    assert not set(avoided) & set(advice.metrics)


@pytest.mark.parametrize(
    ("decisions", "threshold", "first"),
    [
        ("independent", "fixed", "net benefit at the threshold"),
        ("independent", "range", "mean regret over the range"),
        ("independent", "unknown", "Brier score"),
        ("budget", "fixed", "net benefit of acting on K (Net Benefit@K)"),
        ("budget", "range", "net benefit at several K (Net Benefit@K)"),
        ("budget", "unknown", "AUC (area under the ROC curve)"),
    ],
)
def test_the_first_metric_is_the_one_for_the_decision(
    decisions: Any, threshold: Any, first: str
) -> None:
    assert recommend(decisions=decisions, threshold=threshold).metrics[0] == first
    grades, classes = (
        recommend(decisions=decisions, threshold=threshold, task=task).metrics
        for task in ("ordinal", "multiclass")
    )
    assert ("RPS" in grades[0]) == (decisions == "independent")
    assert f"{first} at each cut" in grades
    assert f"{first} for each class" in classes
    in_money = recommend(decisions=decisions, threshold=threshold, costs=True)
    assert "regret in money" in in_money.metrics[0]
    assert in_money.metrics[1] == first


def test_a_known_threshold_gives_net_benefit_and_regret(
    capsys: pytest.CaptureFixture[str],
) -> None:
    y, p = an_event().values()
    lines = printed(capsys, decisions="independent", threshold="fixed")
    false, missed = np.mean((p >= 0.1) & (y == 0)), np.mean((p < 0.1) & (y == 1))
    benefit = np.mean((p >= 0.1) & (y == 1)) - false / 9
    assert number(lines, "model", "net_benefit") == pytest.approx(benefit, abs=5e-5)
    regret = 0.1 * false + 0.9 * missed
    assert number(lines, "model", "regret") == pytest.approx(regret, abs=5e-5)
    assert number(lines, "treat all", "net_benefit") == pytest.approx(
        y.mean() - (1 - y.mean()) / 9, abs=5e-5
    )
    assert number(lines, "treat none", "net_benefit") == 0


def test_a_range_gives_mean_regret_and_twice_that(capsys: pytest.CaptureFixture[str]) -> None:
    y, p = an_event().values()
    lines = printed(capsys, decisions="independent", threshold="range")
    inside = np.mean((y - np.clip(p, 0.05, 0.2)) ** 2 - (y - np.clip(y, 0.05, 0.2)) ** 2) / 0.15
    scores = [number([line], "model", "score") for line in lines if "model" in line]
    assert scores[:2] == pytest.approx([inside / 2, inside], abs=5e-6)
    never = [number([line], "treat none", "score") for line in lines if "treat none" in line]
    assert never[0] == pytest.approx(0.875 * y.mean(), abs=5e-6)
    skill = number(lines, "bounded_brier", "skill")
    constant = np.clip(y.mean(), 0.05, 0.2)
    of_constant = np.mean((y - constant) ** 2 - (y - np.clip(y, 0.05, 0.2)) ** 2) / 0.15
    assert skill == pytest.approx(1 - inside / of_constant, abs=5e-4)


def test_without_a_threshold_the_brier_and_the_log_score(
    capsys: pytest.CaptureFixture[str],
) -> None:
    y, p = an_event().values()
    lines = printed(capsys, decisions="independent", threshold="unknown")
    brier, log = (number([line], "model", "score") for line in lines if "model" in line)
    assert brier == pytest.approx(np.mean((y - p) ** 2), abs=5e-6)
    assert log == pytest.approx(-np.mean(np.log(np.where(y == 1, p, 1 - p))), abs=5e-6)
    rate = y.mean()
    assert number(lines, "event rate", "score") == pytest.approx(rate * (1 - rate), abs=5e-6)


def test_a_budget_gives_precision_and_recall_of_the_top(
    capsys: pytest.CaptureFixture[str],
) -> None:
    y, p = an_event().values()
    lines = printed(capsys, decisions="budget", threshold="fixed")
    border = np.sort(p)[-50]
    tied = p == border
    found = y[p > border].sum() + y[tied].mean() * (50 - np.sum(p > border))
    assert number(lines, "model", "precision") == pytest.approx(found / 50, abs=5e-4)
    assert number(lines, "model", "recall") == pytest.approx(found / y.sum(), abs=5e-4)
    benefit = (found - (50 - found) / 9) / 500
    assert number(lines, "model", "net_benefit") == pytest.approx(benefit, abs=5e-5)
    assert number(lines, "model", "border") == pytest.approx(border)
    assert number(lines, "by lot", "precision") == pytest.approx(y.mean(), abs=5e-4)


def test_without_a_budget_the_area_under_the_roc_curve(
    capsys: pytest.CaptureFixture[str],
) -> None:
    y, p = an_event().values()
    lines = printed(capsys, decisions="budget", threshold="unknown")
    apart = p[y == 1][:, None] - p[y == 0]
    auc = np.mean(apart > 0) + np.mean(apart == 0) / 2
    assert number(lines, "model", "auc") == pytest.approx(auc, abs=5e-5)
    for name in ("treat all", "treat none", "event rate"):
        assert number(lines, name, "auc") == 0.5
        assert number(lines, name, "average_precision") == pytest.approx(y.mean(), abs=5e-5)


def test_money_is_regret_times_the_loss(capsys: pytest.CaptureFixture[str]) -> None:
    y, p = an_event().values()
    lost = 10 * np.sum((p >= 0.1) & (y == 0)) + 90 * np.sum((p < 0.1) & (y == 1))
    fixed = printed(capsys, decisions="independent", threshold="fixed", costs=True)
    assert number(fixed, "money", "regret") == pytest.approx(2 * lost, abs=0.5)
    unknown = printed(capsys, decisions="independent", threshold="unknown", costs=True)
    half_brier = 1000 * 100 * np.mean((y - p) ** 2) / 2
    assert number(unknown, "money", "regret") == pytest.approx(half_brier, abs=0.5)
    budget = printed(capsys, decisions="budget", threshold="fixed", costs=True)
    by_lot = 2 * (10 * 50 * (1 - y.mean()) + 90 * y.sum() * 0.9)
    assert number(budget, "by lot", "lost") == pytest.approx(by_lot, abs=0.5)
    assert number(budget, "money", "treat_none") == pytest.approx(2 * 90 * y.sum(), abs=0.5)


def test_the_mean_of_the_brier_scores_of_all_cuts_is_a_ranked_probability_score(
    capsys: pytest.CaptureFixture[str],
) -> None:
    y, p = grades().values()
    event = y[:, None] >= np.arange(1, 4)
    risk = 1 - p.cumsum(axis=1)[:, :3]
    lines = printed(capsys, decisions="independent", threshold="unknown", task="ordinal")
    ranked = ((event - risk) ** 2).mean()
    assert number(lines, "ranked", "score") == pytest.approx(ranked, abs=5e-6)
    lines = printed(capsys, decisions="independent", threshold="range", task="ordinal")
    squares = (event - risk.clip(0.05, 0.2)) ** 2 - (event - event.clip(0.05, 0.2)) ** 2
    bounded = squares.mean() / 0.15
    assert number(lines, "bounded ranked", "score") == pytest.approx(bounded, abs=5e-6)
    assert [line for line in lines if line.startswith("---")] == [
        f"--- grade {cut}" for cut in ("1 or higher", "2 or higher", "3")
    ]


def test_sums_of_probabilities_that_round_badly_are_not_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    p = np.tile([[0.0, 0.33, 0.56, 0.11], [0.9, 0.06, 0.03, 0.01], [0.6, 0.2, 0.1, 0.1]], (4, 1))
    one, threshold, _ = p[:3, 1:].sum(axis=1)
    assert one > 1
    assert threshold < 0.1
    data = {"y": np.arange(12) % 4, "p": p}
    exec(recommend(decisions="independent", threshold="fixed", task="ordinal").call, data)  # noqa: S102
    lines = capsys.readouterr().out.splitlines()
    # At the first cut all forecasts are at the threshold or above: acting on everyone.
    benefit = [number(lines, name, "net_benefit") for name in ("model", "treat all")]
    assert benefit[0] == benefit[1]


def test_mean_net_benefit_can_reverse_a_ranking() -> None:
    # Of 100 cases with 30 events, so many are acted upon in vain and so many missed.
    first, second = (
        properly.Tally.from_counts([0, 1], [100 - acted, acted], [missed, 30 - missed])
        for acted, missed in ((25 + 20, 5), (8 + 5, 22))
    )
    regret = Regret((0.1, 0.9))
    assert properly.decompose(first, regret).score == pytest.approx(0.125)
    assert properly.decompose(second, regret).score == pytest.approx(0.135)
    assert mean_net_benefit(first, (0.1, 0.9)) < mean_net_benefit(second, (0.1, 0.9))


def test_the_auc_is_recall_averaged_over_all_budgets() -> None:
    y, p = an_event().values()
    t = properly.tally(y, p)
    recall = [0.0, *(at_budget(t, k).recall for k in range(1, 501))]
    mean = (sum(recall) - 0.5) / 500  # the trapezoid rule, between 0 and 1
    rate = t.event_rate
    assert mean == pytest.approx(rate / 2 + (1 - rate) * ranking(t).auc)


def test_an_auc_does_not_notice_risks_ten_times_too_low() -> None:
    y, p = an_event().values()
    right, low = properly.tally(y, p), properly.tally(y, p / 10)
    assert ranking(right).auc == ranking(low).auc
    regret = Regret((0.05, 0.2))
    assert properly.decompose(low, regret).score > properly.decompose(right, regret).score
