"""What may be wrong or odd about the outcomes of an event, each in a function of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._plain import many
from properly.evaluation._checkup._symptom import Symptom, listed, of_column, of_rows, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.evaluation._checkup._sheet import Sheet

WHERE = "outcome"
# With fewer events than this, or non-events, intervals are hardly worth their name.
FEW = 10
# A label this rare beside two others may be a code for what is not known.
RARE = 0.1
# So many distinct values are shown with how often they are there.
SHOWN = 5


def swapped(sheet: Sheet) -> Iterator[Symptom]:
    """Find probabilities among the outcomes: the commonest mistake is to swap the arguments."""
    if not _holds_probabilities(sheet):
        return
    p = sheet.outcome.numbers
    between = (p > 0) & (p < 1)
    hard = [x.name for x in sheet.events if x.inside and set(x.distinct.tolist()) <= {0.0, 1.0}]
    what = f"outcomes are probabilities: {len(sheet.outcome.labels):,} distinct values in [0, 1]"
    if hard:
        what += f", while the forecast {quoted(hard[0])} has only 0 and 1"
        advice = "Swap the two: outcomes come first, then forecasts; --outcome names the outcome."
    else:
        advice = "Pass what happened, 0 or 1; --outcome names its column."
    yield of_rows("problem", WHERE, between, what, advice)


def many_labels(sheet: Sheet) -> Iterator[Symptom]:
    """Find more than two labels: an event happens or does not."""
    found = sheet.outcome.labels
    if len(found) <= 2 or _holds_probabilities(sheet):
        return
    rare = _code_for_unknown(found)
    what = f"an event has two labels at most; found {_counted(found)}"
    if rare is None:
        advice = (
            "Compare with the label of the event, such as "
            f"y == {quoted(next(reversed(found)))}, or forecast all classes, one column each "
            "(--classes)."
        )
        yield of_column("problem", WHERE, len(sheet.outcome), what, advice)
        return
    bad = np.array([label == rare for label in sheet.outcome.values.tolist()], dtype=bool)
    advice = f"If {quoted(rare)} stands for what is not known, drop those rows first."
    yield of_rows("problem", WHERE, bad, what, advice)


def unnamed_event(sheet: Sheet) -> Iterator[Symptom]:
    """Find two labels that do not say which is the event: a guess would be wrong half the time."""
    found = list(sheet.outcome.labels)
    if sheet.pos_label is not None or len(found) > 2 or set(found) <= {0, 1}:
        return
    label = quoted(found[-1])
    what = f"labels must be 0 and 1, or say which is the event; found {listed(found)}"
    option = "" if isinstance(found[-1], bytes) else f", or --event {_on_command_line(found[-1])}"
    advice = f"Say which label is the event: pos_label={label}{option}, if it is that one."
    yield of_column("problem", WHERE, len(sheet.outcome), what, advice)


def unknown_event(sheet: Sheet) -> Iterator[Symptom]:
    """Find an event that is not among the labels: it would never have happened."""
    found, event = list(sheet.outcome.labels), sheet.pos_label
    if event is None or len(found) != 2 or event in found:
        return
    alike = [label for label in found if str(label) == str(event)]
    what = f"the event {quoted(event)} is not among the labels, {listed(found)}"
    named = quoted(alike[0] if alike else found[-1])
    advice = f"Name one of the labels, such as pos_label={named}; --event."
    if alike:
        kinds = type(event).__name__, type(alike[0]).__name__
        advice = f"Write pos_label={named}: the event is {kinds[0]}, the label {kinds[1]}."
    yield of_column("problem", WHERE, len(sheet.outcome), what, advice)


def one_class(sheet: Sheet) -> Iterator[Symptom]:
    """Find a single outcome: without both, nothing can be told apart and no skill be measured."""
    happened = sheet.happened
    if happened is None or _events(sheet) not in (0, int(sheet.known.sum())):
        return
    what = "the event happened each time" if _events(sheet) else "the event never happened"
    what += f" in {many(int(sheet.known.sum()), 'row')} of known outcome"
    advice = (
        "Scores can be computed, but there is no AUC, no skill and no calibration curve. Is this "
        "the right column, and were no rows filtered away?"
    )
    yield of_column("problem", WHERE, len(happened), what, advice)


def few_events(sheet: Sheet) -> Iterator[Symptom]:
    """Find fewer than 10 events or non-events: then chance decides most of what is computed."""
    if sheet.happened is None:
        return
    events = _events(sheet)
    others = int(sheet.known.sum()) - events
    if not 0 < min(events, others) < FEW:
        return
    kind, count = ("event", events) if events <= others else ("non-event", others)
    rows = sheet.known & (sheet.happened == (kind == "event"))
    what = f"there {'is' if count == 1 else 'are'} only {many(count, kind)}"
    advice = (
        "Means can be read, differences between models hardly; intervals, AUC and calibration are "
        f"not to be trusted below {FEW} {kind}s."
    )
    yield of_rows("oddity", WHERE, rows, what, advice)


OUTCOME = (swapped, many_labels, unnamed_event, unknown_event, one_class, few_events)


def outcome_symptoms(sheet: Sheet) -> Iterator[Symptom]:
    """Look at the outcomes of an event."""
    if not sheet.of_event or sheet.outcome.is_table or not sheet.outcome.labels:
        return
    for check in OUTCOME:
        yield from check(sheet)


def _holds_probabilities(sheet: Sheet) -> bool:
    """Tell numbers in [0, 1], of which some lie between: with text, these are mere labels."""
    found = sheet.outcome.labels
    if len(found) <= 2 or not all(isinstance(x, int | float) for x in found):
        return False
    return bool(min(found) >= 0 and max(found) <= 1)


def _code_for_unknown(found: dict[Any, int]) -> Any:
    """Return a third label that is rare; None if there is none such."""
    if len(found) != 3:
        return None
    label = min(found, key=lambda x: found[x])
    return label if found[label] <= RARE * sum(found.values()) and label not in (0, 1) else None


def _events(sheet: Sheet) -> int:
    return 0 if sheet.happened is None else int(sheet.happened.sum())


def _counted(found: dict[Any, int]) -> str:
    """Write labels with how often each is there."""
    said = [f"{quoted(label)} ({count:,})" for label, count in list(found.items())[:SHOWN]]
    more = f", … ({len(found):,} in all)" if len(found) > SHOWN else ""
    return ", ".join(said) + more


def _on_command_line(label: object) -> str:
    """Write a label as an option takes it: in quotes unless it is a plain word."""
    said = str(label)
    return said if said.replace("_", "").isalnum() else quoted(said)
