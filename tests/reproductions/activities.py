"""Small sets of activities, histories and runs that stand in for real ones."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import numpy as np
from reproductions.epochs.networks import Run, seed_of

from properly.rules import PBS, PLL, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reproductions.epochs.networks import Recipe, Task

RNG = 3


def write_signals(folder: Path, classes: int = 3, rows: int = 700) -> Path:
    """Write signal strengths of some phones, which differ in level and in rhythm."""
    place = folder / "RSSI"
    place.mkdir(parents=True)
    rng = np.random.default_rng(RNG)
    for k in range(classes):
        level = -80 - 4 * k + 3 * np.sin(np.arange(rows) / (1 + k)) + rng.normal(0, 2, rows)
        lines = [f"{i},phone,INSIDE,{1000 * i},{x:.2f},{x:.2f}" for i, x in enumerate(level)]
        text = "\n".join([",name,locationStatus,timestamp,rssiOne,rssiTwo", *lines]) + "\n"
        (place / f"{k + 1}.csv.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def history_text(
    f1: Sequence[float],
    brier: Sequence[float],
    error: Sequence[float],
    classes: int,
    stored: tuple[float, float],
) -> str:
    """Write a history as the authors do, with a mark at its start and the scores of Algorithm 2."""
    lines = ["\ufeffStep,f1,esl,-esl,pesl,-pesl,COR_ESL,COR_PESL"]
    for i, (x, b, e) in enumerate(zip(f1, brier, error, strict=True)):
        penalized = b + e * (classes - 1) / classes**2
        last = "{},{}".format(*stored) if i == 0 else ","
        lines.append(f"{i},{x},{b},{-b},{penalized!r},{-penalized!r},{last}")
    return "\n".join(lines) + "\n"


def write_histories(folder: Path) -> Path:
    """Write two histories: one of PBS's liking, one that stores wrong correlations."""
    place = folder / "history"
    place.mkdir(parents=True)
    f1, brier, error = [0.1, 0.3, 0.5, 0.4], [0.3, 0.2, 0.28, 0.4], [0.9, 0.7, 0.5, 0.6]
    penalized = np.array(brier) + np.array(error) * 9 / 100
    right = tuple(np.corrcoef(f1, [-x for x in y])[0, 1] for y in (brier, penalized))
    (place / "WISDM.csv").write_text(history_text(f1, brier, error, 10, right), "utf-8")
    (place / "RSSI.csv").write_text(history_text(f1, brier, error, 12, (0.5, 0.6)), "utf-8")
    (place / "notes.txt").write_text("not a history", "utf-8")
    return folder


def fake_train(task: Task, data: str, seed: int, split: int, *, root: int, recipe: Recipe) -> Run:
    """Make up a run without a network: forecasts that learn, and then grow too sure."""
    rng = np.random.default_rng(seed_of(root, data, seed, split))
    n, classes, curves = 200, task.classes, []
    for _ in range(2):
        y = rng.integers(0, classes, n)
        noise = rng.normal(size=(n, classes))
        rows = [_judged(y, noise, epoch, rng) for epoch in range(recipe.epochs)]
        curves.append({name: [row[name] for row in rows] for name in rows[0]})
    return Run(data, seed, split, curves[0], curves[1], tuple(map(len, task.y)), 0.0)


def _judged(y: Any, noise: Any, epoch: int, rng: np.random.Generator) -> dict[str, float]:
    signal = np.eye(noise.shape[1])[y] * (1 - np.exp(-epoch / 5)) * 1.5
    logits = (1 + 0.1 * epoch) * (signal + noise + 0.2 * rng.normal(size=noise.shape))
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    wrong = p.argmax(axis=1) != y
    rules: dict[str, Any] = {"brier": Brier(), "log": Log(), "pbs": PBS(), "pll": PLL()}
    found = {name: float(np.mean(rule.loss(y, p))) for name, rule in rules.items()}
    f1 = 1 - float(wrong.mean()) + 0.01 * float(rng.normal())
    calibration = float(0.001 + 0.001 * epoch)
    return found | {"error": float(wrong.mean()), "macro_f1": f1, "miscalibration": calibration}
