"""Forecasters who skipped questions, each worse than the one before, and their boards."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import properly

QUESTIONS = 40
HALF = np.full(QUESTIONS, 0.5)


def drawn(seed: int = 1, names: str = "abcd", gaps: float = 0.3) -> tuple[Any, dict[str, Any]]:
    """Draw forecasters of whom each is worse than the one before."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1.5, QUESTIONS)
    y = (rng.random(QUESTIONS) < 1 / (1 + np.exp(-odds))).astype(int)
    forecasts = {}
    for k, name in enumerate(names):
        p = 1 / (1 + np.exp(-odds - (0.2 + 0.8 * k) * rng.normal(size=QUESTIONS)))
        p = np.clip(np.round(p, 2), 0.01, 0.99)
        forecasts[name] = np.where(rng.random(QUESTIONS) < gaps, np.nan, p)
    return y, forecasts


def board_of(y: Any, forecasts: dict[str, Any], **options: Any) -> Any:
    return properly.leaderboard(properly.Answers.from_wide(y, forecasts), **{"rng": 1} | options)


@cache
def plain_board() -> Any:
    return board_of(*drawn())


def certain(seed: int = 1) -> tuple[Any, dict[str, Any]]:
    """Let b be certain and wrong once."""
    y, forecasts = drawn(seed)
    row = np.flatnonzero(~np.isnan(forecasts["b"]))[0]
    forecasts["b"][row] = 1 - y[row]
    return y, forecasts
