"""One procedure decides: adjusted p-values, intervals, sentences and tiers never disagree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.board_draws import board_of, drawn

import properly
from properly.cli._gate import contrast_of
from properly.comparison._pairs import is_significant
from properly.evaluation._verdict._headline import standing_of
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from properly.comparison import Comparison
    from properly.typing import Column

pytestmark = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")

ALPHA = 1 - 0.95


def models(seed: int, size: int, count: int) -> tuple[Column, dict[str, Column]]:
    """Draw outcomes, and forecasts that are near the border of significance."""
    rng = np.random.default_rng(seed)
    q = rng.beta(2, 2, size)
    noise = np.linspace(0, 0.35, count)
    y = (rng.random(size) < q).astype(int)
    return y, {
        f"m{k}": np.clip(q + x * rng.normal(size=size), 0.01, 0.99) for k, x in enumerate(noise)
    }


def check(compared: Comparison) -> set[bool]:
    """Check that p-value, interval and sentence of every pair say the same; return the verdicts."""
    seen = set()
    for pair in compared:
        low, high = pair.simultaneous
        excludes = low > 0 or high < 0
        assert is_significant(pair) is excludes is (pair.adjusted_p_value <= ALPHA)
        assert (" is better than " in pair.sentence) is excludes
        assert not pair.adjusted_p_value < pair.p_value
        if math.isfinite(low):
            ends = (low, high) if pair.difference > 0 or not excludes else (0 - high, 0 - low)
            assert f"interval {ends[0]:.4g} to {ends[1]:.4g}" in pair.sentence
        seen.add(excludes)
    return seen


def test_a_sentence_has_the_interval_that_decides() -> None:
    r, n = np.random.default_rng(16), 300
    q = r.beta(2, 2, n)
    y = (r.random(n) < q).astype(int)
    forecasts = {
        name: np.clip(q + k * r.normal(size=n), 0.01, 0.99)
        for name, k in {"a": 0.1, "b": 0.2, "c": 0.2}.items()
    }
    found = properly.compare(y, forecasts, rng=1)
    assert check(found) == {True, False}
    assert found["a", "c"].sentence == (
        "a is better than c by 0.02666 Brier (95 % simultaneous interval 0.0003919 to 0.05294)"
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rule": Log()},
        {"rule": "auc"},
        {"reference": "m0"},
        {"adjust": "none"},
        {"clusters": [k // 5 for k in range(200)]},
        {"time": range(200)},
        {"time": range(200), "method": "diebold-mariano", "horizon": 2},
        {"method": "sign-flip", "replicates": 399},
        {"missing": "two-way"},
        {"missing": "pairwise"},
        {"missing": "pairwise", "rule": "auc"},
    ],
    ids=lambda options: " ".join(options) or "plain",
)
def test_p_values_intervals_and_sentences_agree(options: dict[str, Any]) -> None:
    seen = set()
    for seed in range(4):
        y, forecasts = models(seed, 200, 2 + seed % 4)
        if "missing" in options:
            for k, p in enumerate(forecasts.values()):
                p[k::11] = np.nan
        seen |= check(properly.compare(y, forecasts, rng=seed, **options))
    assert seen == {True, False}


def test_few_cases_that_differ_agree_as_well() -> None:
    seen = set()
    for seed in range(16):
        rng = np.random.default_rng(seed)
        y, p = np.arange(60) % 2, np.full(60, 0.5)
        other = p.copy()
        some = slice(0, int(rng.integers(1, 12)))
        other[some] += (y[some] - 0.4) * rng.uniform(0.1, 0.4)
        third = np.clip(p + rng.normal(0, 0.1, 60), 0, 1)
        found = properly.compare(y, {"a": p, "b": other, "c": third}, rng=seed)
        assert "sign flips" in found.methods
        seen |= check(found)
        check(properly.compare(y, p, other, rng=seed))
    assert seen == {True, False}


def test_pairs_without_a_standard_error_are_undecided() -> None:
    y, forecasts = models(1, 200, 2)
    forecasts |= {"wrong": np.where(np.arange(200) == y.argmax(), 0.0, 0.5)}
    forecasts |= {"worse": np.where(np.arange(200) == y.argmin(), 1.0, 0.5)}
    forecasts |= {"copy": forecasts["m0"], "half": np.full(200, 0.5), "more": np.full(200, 0.6)}
    found = properly.compare(y, forecasts, rule=Log(), rng=1)
    assert not is_significant(found["wrong", "m0"])
    assert not is_significant(found["wrong", "worse"])
    assert not is_significant(found["copy", "m0"])
    check(properly.compare(np.zeros(30, dtype=int), {"a": [0.5] * 30, "b": [0.6] * 30}, rng=1))


@pytest.mark.parametrize("seed", range(4))
def test_verdict_gate_and_sentences_agree(seed: int) -> None:
    y, forecasts = models(seed, 250, 4)
    evaluation = properly.evaluate(y, forecasts, rules=[Brier()], replicates=0, rng=seed)
    (rule,) = evaluation.comparisons
    compared = evaluation.comparisons[rule]
    check(compared)
    standing = standing_of(evaluation)
    for pair in compared:
        gate = contrast_of(evaluation, pair.first, pair.second, rule)
        assert gate.verdict == (
            "cannot be told"
            if not is_significant(pair)
            else "better"
            if pair.difference < 0
            else "worse"
        )
        assert standing.beats(pair.first, pair.second) is gate.is_better
    best, rival = (standing.top if len(standing.top) > 1 else standing.order)[:2]
    low, _ = compared[rival, best].simultaneous
    said = properly.verdict(evaluation).sentences[0].text
    assert said.startswith(f"{best} is better than") is (len(standing.top) == 1)
    assert (low > 0) is (len(standing.top) == 1)
    assert "% simultaneous interval" in said


@pytest.mark.parametrize("reference", [None, "a"])
def test_boards_agree_with_their_intervals(reference: str | None) -> None:
    seen = set()
    for seed in range(4):
        board = board_of(*drawn(seed, "abcdef"), reference=reference, level=0.8, crowd="mean")
        p, away = board.pairs["adjusted_p_value"], board.pairs["difference"]
        place = {row.forecaster: k for k, row in enumerate(board)}
        base = place[reference or board.standings[0].forecaster]
        for row in (*board.standings, *board.crowd):
            low, high = row.difference_interval
            assert (low > 0 or high < 0) is (row.adjusted_p_value <= 1 - 0.8)
            seen.add(low > 0 or high < 0)
        for row in board:
            k = place[row.forecaster]
            assert k == base or p[k, base] == row.adjusted_p_value
            shown = (p[k] <= 1 - 0.8) & (away[k] > 0)
            assert row.rank_interval[0] == 1 + shown.sum()
            first = next(i for i, x in enumerate(board) if x.tier == row.tier)
            assert not shown[first]
    assert seen == {True, False}
