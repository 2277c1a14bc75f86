"""Forecasts of exactly 0 and exactly 1, and how often they were wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from properly._boundary._libraries import namespace
from properly._boundary._record import Record
from properly._boundary._text import amount_of

if TYPE_CHECKING:
    from properly.counts._tally import Tally
    from properly.typing import Array


@dataclass(frozen=True, repr=False)
class Certain(Record):
    """How often forecasts were certain, and how often they were wrong.

    Numbers of cases, or weights if cases have them.

    Attributes
    ----------
    never : int or float
        Cases for which the event was called impossible: a forecast of exactly 0.
    never_wrong : int or float
        Those of them that had the event.
    always : int or float
        Cases for which the event was called certain: a forecast of exactly 1.
    always_wrong : int or float
        Those of them that did not have it.

    Examples
    --------
    >>> import properly
    >>> e = properly.evaluate([0, 1, 1, 0], {"model": [0.0, 0.0, 0.5, 0.7]}, replicates=0)
    >>> e.certain["model"]
    Certain(impossible 2 cases, 1 wrong; certain 0 cases, 0 wrong)
    """

    never: int | float
    never_wrong: int | float
    always: int | float
    always_wrong: int | float

    @property
    def wrong(self) -> int | float:
        """How often a certain forecast was wrong, either way."""
        return self.never_wrong + self.always_wrong

    def __repr__(self) -> str:
        impossible = f"impossible {amount_of(self.never)}, {_amount(self.never_wrong)} wrong"
        sure = f"certain {amount_of(self.always)}, {_amount(self.always_wrong)} wrong"
        return f"Certain({impossible}; {sure})"


def certainties(tally: Tally) -> Certain:
    """Count the certain forecasts of a tally, which are its first and its last."""
    never, happened = _at(tally, 0)
    always, right = _at(tally, 1)
    return Certain(never, happened, always, always - right)


def _amount(cases: float) -> str:
    return f"{cases:,.4g}" if isinstance(cases, float) else f"{cases:,}"


def _at(tally: Tally, certain: int) -> tuple[int | float, int | float]:
    """Return the cases with a certain forecast, and the events among them."""
    there = tally.value == certain
    # Sums of whole weights are whole, but no numbers of cases.
    kind = int if tally.event_squares is None else float
    return kind(_sum(tally.weight[there])), kind(_sum(tally.events[there]))


def _sum(column: Array) -> Array:
    return namespace(column).sum(column)
