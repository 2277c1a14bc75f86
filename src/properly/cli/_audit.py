"""``properly audit``: whether rules are what they claim to be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from properly._boundary._tables import table
from properly.cli._commands import Described
from properly.cli._options import RuleType
from properly.cli._running import progress_bar

if TYPE_CHECKING:
    from properly.rules import Audit, Rule

HEADS = ("rule", "classes", "claims to be", "found", "gap", "shown by")
USAGE = """
properly audit brier --classes 2
properly audit sa-rps "PBS(ties='any_correct')"
properly audit sa-rps --classes 4 --format json
"""


def audit() -> click.Command:
    """Describe ``properly audit``."""
    return Described(
        "audit",
        callback=_audit,
        help=(
            "Search for truths that another report beats. RULE is a name such as brier or sa-rps, "
            "or a call such as \"PBS(ties='any_correct')\"; without any, all rules of the library "
            "and the published variants are tabled. Exits with 1 if a rule claims more than the "
            "search finds."
        ),
        params=[
            click.Argument(["rules"], metavar="[RULE]...", nargs=-1, type=RuleType()),
            click.Option(
                ["--classes"],
                type=click.IntRange(min=2),
                help="Number of classes; if left out, 2 for a rule that prices one event, else 3.",
            ),
            click.Option(
                ["--format", "layout"],
                type=click.Choice(["text", "json"]),
                default="text",
                show_default=True,
                help="Sentences or a table, or JSON.",
            ),
            click.Option(
                ["--seed"], type=click.IntRange(min=0), default=0, show_default=True, help="Seed."
            ),
        ],
        examples=USAGE,
    )


def _audit(rules: tuple[Rule, ...], classes: int | None, layout: str, seed: int) -> None:
    from properly.rules import _registry

    subjects: tuple[Rule | str, ...] = rules or _registry.EXAMPLES
    with progress_bar() as progress:
        audits = []
        for done, rule in enumerate(subjects):
            if progress is not None:
                progress(done, len(subjects), str(rule))
            audits.append(_audited(rule, classes, seed))
    if layout == "json":
        click.echo(json.dumps([record.to_dict() for record in audits], indent=2))
    elif rules:
        click.echo("\n\n".join(str(record) for record in audits))
    else:
        click.echo(_table(audits))
    if any(record.agreement == "refuted" for record in audits):
        click.get_current_context().exit(1)


def _audited(subject: Rule | str, classes: int | None, seed: int) -> Audit:
    """Audit a rule; of the library, which is given as text, one for an event has two classes."""
    import properly
    from properly.rules import ClassRule, parse_rule

    if not isinstance(subject, str):
        return properly.audit(subject, classes, rng=seed)
    rule = parse_rule(subject)
    return properly.audit(rule, (classes or 3) if isinstance(rule, ClassRule) else None, rng=seed)


def _table(audits: list[Audit]) -> str:
    """Set one line a rule, and one that sums up."""
    from properly.rules import _registry

    pairs = list(zip(_registry.EXAMPLES, audits, strict=True))
    rows = [_row(text, record) for text, record in pairs]
    refuted = [text for text, record in pairs if record.agreement == "refuted"]
    said = f"The search refutes no claim of {len(audits)} rules. It could not prove any."
    if refuted:
        said = f"The search refutes {len(refuted)} of {len(audits)} claims: {', '.join(refuted)}."
    return f"{table(HEADS, rows, left=len(HEADS))}\n\n{said}"


def _row(text: str, record: Audit) -> tuple[str, ...]:
    from properly.rules._counterexamples import fraction

    pair = record.counterexample or record.tie
    shown = ("", "") if pair is None else (fraction(record.gap), pair.as_fractions())
    return text, str(record.classes), record.claim.value, record.propriety.value, *shown
