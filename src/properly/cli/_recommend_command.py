"""``properly recommend``: which metric suits a decision."""

from __future__ import annotations

import sys
from typing import Any

import click

from properly.cli._running import as_json, emit, refuse
from properly.decisions import recommend
from properly.decisions._recommend import DECISIONS, TASKS, THRESHOLDS

TASK = "Is the outcome one event, grades in order, or classes without an order?"
COSTS = (
    "Do you know, in money, what acting costs and what a missed event loses, or, among classes, "
    "what each mistake costs?"
)


def run(layout: str, **answers: Any) -> None:
    if answers["decisions"] is None or answers["threshold"] is None:
        answers = _ask(answers)
    advice = recommend(
        decisions=answers["decisions"],
        threshold=answers["threshold"],
        task=answers["task"] or "binary",
        costs=bool(answers["costs"]),
    )
    if layout == "json":
        emit(as_json(advice.to_dict()))
    else:
        click.echo(str(advice))


def _ask(answers: dict[str, Any]) -> dict[str, Any]:
    """Ask for what is missing, apart from the results; without a terminal, refuse."""
    if not sys.stdin.isatty():
        choices = {"decisions": DECISIONS, "threshold": THRESHOLDS}
        flags = [f"--{n} {'|'.join(c)}" for n, c in choices.items() if answers[n] is None]
        refuse(f"Off a terminal nothing can be asked; give {' and '.join(flags)}.")
    replies = dict(answers)
    if replies["decisions"] is None:
        question = "Is each case decided on its own, or can only so many be acted on?"
        replies["decisions"] = click.prompt(question, type=click.Choice(DECISIONS), err=True)
    if replies["threshold"] is None:
        budget = replies["decisions"] == "budget"
        what = "number that can be acted on" if budget else "risk at which one begins to act"
        question = f"The {what}: one number, a range, or unknown?"
        replies["threshold"] = click.prompt(question, type=click.Choice(THRESHOLDS), err=True)
    if replies["task"] is None:
        replies["task"] = click.prompt(TASK, type=click.Choice(TASKS), err=True)
    if replies["costs"] is None:
        replies["costs"] = click.confirm(COSTS, err=True)
    return replies
