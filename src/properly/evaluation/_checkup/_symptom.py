"""Something wrong or odd about data: what, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import fill
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from properly._boundary._record import Record
from properly._boundary._text import many, printable, read_words

Flags: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]
Severity: TypeAlias = Literal["problem", "oddity", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
# So many rows are named.
NAMED = 5
WIDTH = 88


@dataclass(frozen=True)
class Symptom(Record):
    """Something that `properly.check` or `properly.evaluation.check_answers` found.

    Attributes
    ----------
    severity : {"problem", "oddity", "note"}
        Of a problem, scoring is refused, or its answers would be empty or wrong. An oddity can be
        scored, but often comes from a mistake. A note says how results are to be read.
    where : str
        The name of the model, or ``"outcome"``, ``"weight"``, ``"count"``, ``"clusters"``,
        ``"groups"``, ``"time"``, ``"rows"``; of answers, what a column holds.
    what : str
        What was found.
    rows : tuple of int
        The first few rows concerned, counted from 0; none if the column as a whole is.
    count : int
        How many rows are concerned.
    advice : str
        What to do, with the call or the option.
    name : str or None
        What such a finding is called, such as ``"repeated-key"``; only those of answers have names.

    Examples
    --------
    >>> import properly
    >>> found = properly.check([0, 1, 1], [0.25, None, 0.75]).findings[0]
    >>> found.severity, found.where, found.rows, found.count
    ('problem', 'forecast', (1,), 1)
    >>> print(found)
    forecast: 1 of 3 forecasts is missing (row 1).
      Drop that row first, or pass missing="drop" as files are read.
    """

    severity: Severity
    where: str
    what: str
    rows: tuple[int, ...]
    count: int
    advice: str
    name: str | None = None

    _optional: ClassVar = ("name",)

    def __str__(self) -> str:
        said = f"{self.name or printable(self.where)}: {self.what}{_named(self.rows, self.count)}."
        return f"{_filled(said, '')}\n{_filled(self.advice, '  ')}"


def said(
    found: str, what: str = "what", advice: str = "advice", /, **values: Any
) -> tuple[str, str]:
    """Return what a check says and what it advises, with names and numbers of the data put in."""
    words = read_words("properly.evaluation._checkup")[found]
    return words[what].format(**values), words[advice].format(**values)


def finding(
    severity: Severity, where: str, rows: Any, what: str, advice: str, *, name: str | None = None
) -> Symptom:
    """Describe a finding of some rows, given their flags, or of a whole column, given its rows."""
    some = [] if isinstance(rows, int) else np.flatnonzero(rows).tolist()
    count = rows if isinstance(rows, int) else len(some)
    return Symptom(severity, where, what, tuple(some[:NAMED]), count, advice, name)


def some_of(
    severity: Severity, where: str, bad: Flags, what: str, advice: str, *, of: str = ""
) -> Iterator[Symptom]:
    """Describe what some of many entries are, if there are any: "1 of 3 weights is negative"."""
    count = int(bad.sum())
    if count:
        said = f"{so_many(count, len(bad), of or where)} {what}"
        yield finding(severity, where, bad, said, advice)


def so_many(count: int, rows: int, what: str) -> str:
    """Begin a sentence about some of many: "1 of 3 forecasts is", "2 of 3 forecasts are"."""
    return f"{count:,} of {many(rows, what)} {'is' if count == 1 else 'are'}"


def _named(rows: tuple[int, ...], count: int) -> str:
    if not rows:
        return ""
    said = ", ".join(map(str, rows))
    return f" (row{'s' * (count > 1)} {said}{', …' * (count > len(rows))})"


def _filled(text: str, indent: str) -> str:
    lines: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    return fill(text, WIDTH, initial_indent=indent, subsequent_indent="  ", **lines)
