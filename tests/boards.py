"""Leaderboards to draw and to print."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from properly import Answers, leaderboard
from properly.rules import Log

if TYPE_CHECKING:
    from properly.comparison import Leaderboard

HOSTILE = "</script><img src=x onerror=alert(1)>--><b>&"
QUESTIONS = 120


@cache
def board(count: int, names: tuple[str, ...] = (), **options: Any) -> Leaderboard:
    """Rank forecasters of whom the better ones take the harder questions."""
    return leaderboard(answers(count, names), rng=1, **options)


def answers(count: int, names: tuple[str, ...] = (), seed: int = 5) -> Answers:
    """Let forecasters, of whom each sees less than the one before, answer what they like."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1.6, QUESTIONS)
    happened = rng.random(QUESTIONS) < 1 / (1 + np.exp(-odds))
    hard = np.argsort(np.argsort(np.abs(odds))) < QUESTIONS // 2
    y, p, who, which = [], [], [], []
    for k in range(count):
        share = k / max(count - 1, 1)
        chance = np.where(hard, 0.9 - 0.5 * share, 0.4 + 0.5 * share)
        taken = np.flatnonzero(rng.random(QUESTIONS) < chance)
        noise = rng.normal(0, 0.2 + 2.2 * share, len(taken))
        p.append(1 / (1 + np.exp(-(odds[taken] + noise))))
        y.append(happened[taken])
        which.append(taken)
        who += [names[k] if names else f"forecaster {k + 1}"] * len(taken)
    return Answers(
        question=np.concatenate(which),
        forecaster=who,
        probability=np.concatenate(p),
        outcome=np.concatenate(y).astype(int),
    )


@cache
def mixed_board() -> Leaderboard:
    """Rank by the log score, with a crowd, one who was certain and wrong, and one who is rare."""
    rng = np.random.default_rng(2)
    odds = rng.normal(0, 1, 60)
    y = (rng.random(60) < 1 / (1 + np.exp(-odds))).astype(int)
    p = {name: 1 / (1 + np.exp(-(odds + rng.normal(0, k, 60)))) for k, name in enumerate("abc")}
    p["sure"] = np.where(np.arange(60) == 7, 1 - y, p["b"])
    p["seldom"] = np.where(np.arange(60) < 5, p["a"], np.nan)
    return leaderboard(Answers.from_wide(y, p), rule=Log(), crowd="mean", rng=1)
