"""Running the command line in tests, and a small file for it."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from click.testing import CliRunner

from properly import cli

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from properly.datasets import Crash

# Enough events and non-events that nothing is warned of.
CASES = 80
GRADES = ("low", "mid", "high")


def run(*arguments: str | Path) -> Result:
    """Run a command; an exception that is no refusal is one of the test."""
    return CliRunner().invoke(cli.command(), [str(x) for x in arguments], catch_exceptions=False)


def scored(*arguments: str | Path) -> dict[str, Any]:
    """Score forecasts, and return what is told as JSON."""
    result = run("score", *arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    record: dict[str, Any] = json.loads(result.stdout)
    return record


def write_forecasts(path: Path) -> Path:
    """Write forecasts of an event by two models, and of three grades by one."""
    rng = np.random.default_rng(8)
    good = rng.beta(1.0, 2.0, CASES).round(3)
    y = (rng.random(CASES) < good).astype(int)
    poor = np.clip(good + rng.normal(0, 0.2, CASES), 0.01, 0.99).round(3)
    grades = rng.dirichlet([2, 1, 1], CASES).round(3)
    grades[:, 2] = (1 - grades[:, :2].sum(axis=1)).round(3)
    grade = [GRADES[rng.choice(3, p=p / p.sum())] for p in grades]
    lines = ["y,good,poor,accident,sex,grade,p_low,p_mid,p_high"]
    for k in range(CASES):
        known = (k // 2, "fm"[k % 2], grade[k], *grades[k].tolist())
        lines.append(",".join(map(str, (y[k], good[k], poor[k], *known))))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def every(step: int, crash: Crash) -> Crash:
    """Keep some of the people of the bundled example."""
    arrays = {field.name: getattr(crash, field.name) for field in fields(crash)}
    kept: dict[str, Any] = {n: x[::step] for n, x in arrays.items() if isinstance(x, np.ndarray)}
    models = {name: p[::step] for name, p in crash.forecasts.items()}
    return replace(crash, **kept, forecasts=models)
