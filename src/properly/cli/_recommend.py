"""``properly recommend``: which metric suits a decision."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from properly.cli._commands import Described

YES_OR_NO = {
    "ordered": "Has the outcome more than two classes, in order, such as grades?",
    "costs": "Do you know, in money, what acting costs and what a missed event loses?",
}
EXAMPLES = """
properly recommend --decisions independent --threshold range --costs
properly recommend --decisions budget --threshold fixed --format json
"""


def recommend() -> click.Command:
    """Describe ``properly recommend``."""
    from properly.decisions._recommend import DECISIONS, THRESHOLDS

    return Described(
        "recommend",
        callback=_give_advice,
        help="Which metric suits a decision, and why. On a terminal, what is missing is asked for.",
        params=[
            click.Option(
                ["--decisions"],
                type=click.Choice(DECISIONS),
                help="Each case on its own, or only so many can be acted on.",
            ),
            click.Option(
                ["--threshold"],
                type=click.Choice(THRESHOLDS),
                help="What is known of the risk at which one begins to act, or of the budget.",
            ),
            click.Option(
                ["--ordered/--no-ordered"], default=None, help="Grades instead of an event."
            ),
            click.Option(
                ["--costs/--no-costs"],
                default=None,
                help="The cost of acting and the loss of a missed event are known in money.",
            ),
            click.Option(
                ["--format", "layout"],
                type=click.Choice(["text", "json"]),
                default="text",
                show_default=True,
                help="A page and a call, or JSON.",
            ),
        ],
        examples=EXAMPLES,
    )


def _give_advice(layout: str, **answers: Any) -> None:
    from properly import recommend

    if answers["decisions"] is None or answers["threshold"] is None:
        answers = _ask(answers)
    advice = recommend(
        decisions=answers["decisions"],
        threshold=answers["threshold"],
        ordered=bool(answers["ordered"]),
        costs=bool(answers["costs"]),
    )
    if layout == "json":
        click.echo(json.dumps(advice.to_dict(), indent=2))
    else:
        click.echo(str(advice))


def _ask(answers: dict[str, Any]) -> dict[str, Any]:
    """Ask for what is missing, apart from the results; without a terminal, refuse."""
    from properly.decisions._recommend import DECISIONS, THRESHOLDS

    if not sys.stdin.isatty():
        choices = {"decisions": DECISIONS, "threshold": THRESHOLDS}
        flags = [f"--{n} {'|'.join(c)}" for n, c in choices.items() if answers[n] is None]
        message = f"Off a terminal nothing can be asked; give {' and '.join(flags)}."
        raise click.UsageError(message, click.get_current_context())
    replies = dict(answers)
    if replies["decisions"] is None:
        question = "Is each case decided on its own, or can only so many be acted on?"
        replies["decisions"] = click.prompt(question, type=click.Choice(DECISIONS), err=True)
    if replies["threshold"] is None:
        budget = replies["decisions"] == "budget"
        what = "number that can be acted on" if budget else "risk at which one begins to act"
        question = f"The {what}: one number, a range, or unknown?"
        replies["threshold"] = click.prompt(question, type=click.Choice(THRESHOLDS), err=True)
    for name, question in YES_OR_NO.items():
        if replies[name] is None:
            replies[name] = click.confirm(question, err=True)
    return replies
