"""What the first screens of both pages are made of: columns, a row each, and cards.

A column is described once: what it is called, how to read it, and the cell of a row. The template
draws a cell by its kind, so that another number takes one more column and nothing else.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from properly.decisions._grid import round_step
from properly.report._page_words import NONE, step_decimals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# Steps of the axis of scores, at most but for one.
MOST_STEPS = 5


class Chip(NamedTuple):
    """What to do with a model, in a word, and in which tone."""

    text: str
    tone: str


class Card(NamedTuple):
    """Something to beware of; where more is said about it."""

    title: str
    text: str
    link: str
    anchor: str
    tone: str = "plain"


class TableCell(NamedTuple):
    """A number, and its interval below it."""

    number: str
    around: str = ""
    kind: str = "number"


class ScoreDot(NamedTuple):
    """A score and its interval as shares of the width of the axis, and in words."""

    place: float
    lower: float
    upper: float
    words: str
    beyond: str = ""
    """What stands at the end of the axis if the score is not on it."""
    raw: float | None = None
    """Where the mean of the questions that were answered stands, if that misleads."""
    kind: str = "dot"


class Diagnosis(NamedTuple):
    """A small reliability diagram, and what is wrong with forecasts, with the number behind it."""

    text: str
    tone: str
    detail: str = ""
    paths: tuple[str, ...] = ()
    kind: str = "diagnosis"


class ShareBar(NamedTuple):
    """A number, and how much of a bar it fills."""

    number: str
    share: float
    kind: str = "bar"


class ScreenColumn(NamedTuple):
    """A column: what it holds, how to read it, the cell of a row, and its classes of style."""

    key: str
    title: str
    note: str
    cell: Callable[[Any], Any]
    styles: tuple[str, ...] = ("",)

    @property
    def width(self) -> int:
        """How many columns of the table it takes."""
        return len(self.styles)


class ScreenRow(NamedTuple):
    """A model or a forecaster: how its row looks, and its cells by the keys of their columns."""

    name: str
    kind: str
    ink: int | None
    chip: Chip
    cells: dict[str, Any]


class Screen(NamedTuple):
    """All that the first screen shows."""

    columns: Sequence[ScreenColumn]
    rows: list[ScreenRow]
    folded: list[ScreenRow]
    ticks: list[tuple[float, str]]
    marks: list[float]
    """Where dashed lines stand: the score of no model, or of a crowd."""
    cards: list[Card]


class ScoreAxis(NamedTuple):
    """The axis that all scores share, from round number to round number."""

    low: float
    high: float
    step: float

    @classmethod
    def around(cls, least: float, most: float) -> ScoreAxis:
        """Make room for all scores between two of them."""
        step = round_step((most - least) / MOST_STEPS or abs(most) or 1.0)
        first = math.floor(least / step)
        return cls(first * step, max(math.ceil(most / step), first + 1) * step, step)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Where round numbers stand, and what is written there."""
        steps = range(round(self.low / self.step), round(self.high / self.step) + 1)
        digits = step_decimals(self.step)
        return [(self.at(k * self.step), f"{k * self.step:.{digits}f}") for k in steps]

    def holds(self, score: float) -> bool:
        """Return whether a score is on the axis."""
        return self.low <= score <= self.high

    def at(self, score: float) -> float:
        """Return where a score stands, a share of the width; at an end if it is beyond."""
        if not math.isfinite(score):
            return 0.98
        share = (score - self.low) / (self.high - self.low)
        return 0.02 + 0.96 * min(max(share, 0.0), 1.0)

    def places(self, score: float, interval: Iterable[float]) -> tuple[float, float, float]:
        """Return where a score and the ends of its interval stand, if it has one."""
        lower, upper = (self.at(x if math.isfinite(x) else score) for x in interval)
        return self.at(score), lower, upper


def share_bar(value: float, share: float) -> ShareBar:
    """Write a number, with a bar that is as full as a share says."""
    if math.isnan(value):
        return ShareBar(NONE, 0.0)
    return ShareBar(f"{value:.3f}", min(max(share, 0.0), 1.0))
