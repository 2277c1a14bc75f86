"""Labels are given as text; outcomes may be numbers, or true and false."""

from __future__ import annotations

import re
from shlex import quote
from typing import Any, NamedTuple

import click
import numpy as np

from properly._boundary._text import printable

TRUTH = {"true": True, "1": True, "false": False, "0": False}


class Outcomes(NamedTuple):
    """Outcomes, and the labels of classes or of the event as the outcomes have them."""

    y: Any
    labels: tuple[Any, ...] | None
    event: object


def as_outcomes(
    y: Any,
    column: str,
    event: str | None,
    labels: tuple[str, ...] | None,
    *,
    most: int | None = None,
) -> Outcomes:
    """Read labels that were given as text in the way of the outcomes.

    Distinct outcomes do as well as all of them; there may be more than so many.
    """
    if event is None and labels is None:
        _require_zero_one(y, column, most)
        return Outcomes(y, None, None)
    if y.dtype.kind == "f" and np.all(y == np.floor(y)) and np.all(np.abs(y) < 2**53):
        y = y.astype(np.int64)
    if labels is not None:
        return Outcomes(y, _read_alike(labels, y), None)
    return Outcomes(y, None, _read_alike((str(event),), y)[0])


def _read_alike(texts: tuple[str, ...], y: Any) -> tuple[Any, ...]:
    """Make values of texts as the outcomes are, if that can be done with all of them."""
    kind = y.dtype.kind
    if kind == "b" and all(text.casefold() in TRUTH for text in texts):
        return tuple(TRUTH[text.casefold()] for text in texts)
    if kind in "iu" and all(re.fullmatch(r"[+-]?(0|[1-9]\d*)(\.0*)?", text) for text in texts):
        return tuple(int(text.partition(".")[0]) for text in texts)
    if kind == "f" and all(re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", text) for text in texts):
        return tuple(float(text) for text in texts)
    return texts


def _require_zero_one(y: Any, column: str, most: int | None) -> None:
    """Ask for the label of the event where the outcomes are not 0 and 1."""
    if y.dtype.kind not in "biuO" or (y.dtype.kind != "O" and ((y == 0) | (y == 1)).all()):
        # Dates and fractions are no labels; the library says what is wrong with them.
        return
    labels = sorted({str(value) for value in y.tolist()})
    shown = ", ".join(repr(label) for label in labels[:4])
    if len(labels) > 2:
        count = len(labels) if most is None or len(labels) <= most else f"more than {most:,}"
        message = (
            f"The outcome {column!r} has {count} labels, {shown}{', …' * (len(labels) > 4)}; "
            "give --classes with the labels that have forecasts, or an outcome with two."
        )
        raise click.UsageError(message)
    message = (
        f"Which label is the event? The outcome {column!r} has {shown}; "
        f"give --event, such as --event {quote(printable(labels[-1]))}."
    )
    raise click.UsageError(message)
