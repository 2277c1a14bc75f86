"""``properly audit``: whether rules are what they claim to be."""

from __future__ import annotations

import click

import properly
from properly._boundary._text import table
from properly.cli._running import as_json, emit, progress_bar
from properly.rules import Audit, ClassRule, Rule, _registry, parse_rule
from properly.rules._counterexamples import fraction

HEADS = ("rule", "classes", "claims to be", "found", "gap", "shown by")


def run(rules: tuple[Rule, ...], classes: int | None, layout: str, rng: int) -> None:
    subjects: tuple[Rule | str, ...] = rules or _registry.EXAMPLES
    with progress_bar() as progress:
        audits = []
        for done, rule in enumerate(subjects):
            if progress is not None:
                progress(done, len(subjects), str(rule))
            audits.append(_audited(rule, classes, rng))
    if layout == "json":
        emit(as_json([record.to_dict() for record in audits]))
    elif rules:
        click.echo("\n\n".join(str(record) for record in audits))
    else:
        click.echo(_table(audits))
    if any(record.agreement == "refuted" for record in audits):
        click.get_current_context().exit(1)


def _audited(subject: Rule | str, classes: int | None, rng: int) -> Audit:
    """Audit a rule; of the library, which is given as text, one for an event has two classes."""
    if not isinstance(subject, str):
        return properly.audit(subject, classes, rng=rng)
    rule = parse_rule(subject)
    return properly.audit(rule, (classes or 3) if isinstance(rule, ClassRule) else None, rng=rng)


def _table(audits: list[Audit]) -> str:
    """Set one line a rule, and one that sums up."""
    pairs = list(zip(_registry.EXAMPLES, audits, strict=True))
    rows = []
    for text, record in pairs:
        pair = record.counterexample or record.tie
        shown = ("", "") if pair is None else (fraction(record.gap), pair.as_fractions())
        about = (str(record.classes), record.claim.value, record.propriety.value)
        rows.append((text, *about, *shown))
    refuted = [text for text, record in pairs if record.agreement == "refuted"]
    said = f"The search refutes no claim of {len(audits)} rules. It could not prove any."
    if refuted:
        said = f"The search refutes {len(refuted)} of {len(audits)} claims: {', '.join(refuted)}."
    return f"{table(HEADS, rows, left=len(HEADS))}\n\n{said}"
