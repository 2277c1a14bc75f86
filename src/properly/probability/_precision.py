"""Forecasts kept away from 0 and 1 by a stated precision, and how many of them had to move."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from properly._boundary._libraries import namespace
from properly._boundary._options import as_number
from properly.counts._cases import Cases, with_forecasts
from properly.counts._pooling import as_counts, pool
from properly.counts._tally import Tally, as_tally
from properly.errors import DataError

if TYPE_CHECKING:
    from properly.typing import Array


class Limited(NamedTuple):
    """Forecasts within the limits, how many cases or how much weight moved, and the precision."""

    cases: Tally | Cases
    clipped: int | float
    precision: float | None


def limit(cases: Tally | Cases, precision: float | None) -> Limited:
    """Move forecasts below the precision up to it, and those above one minus it down to that.

    Rows of more than two classes are then divided by their sums, since what is moved at one class
    is missing at the others. No precision moves nothing.
    """
    classes = cases.classes if isinstance(cases, Cases) else None
    if not isinstance(cases, Cases):
        cases = as_tally(cases)
    least = check_precision(precision, classes or 2)
    if least is None:
        return Limited(cases, 0, None)
    if isinstance(cases, Tally):
        return _limit_tally(cases, least)
    p, moved = _clip(cases.p, least)
    if classes is not None:
        xp = namespace(p)
        moved = xp.any(moved, axis=1)
        # In order of size, so that rows of the same numbers have the same sum.
        total = xp.sum(xp.sort(p, axis=1), axis=1, keepdims=True)
        p = xp.where(moved[:, None], p / total, p)
    return Limited(with_forecasts(cases, p), _amount(moved, cases.weight), least)


def limit_event(p: Array, precision: float | None) -> Array:
    """Do the same to probabilities of an event."""
    least = check_precision(precision, 2)
    return p if least is None else _clip(p, least)[0]


def check_precision(precision: float | None, classes: int) -> float | None:
    """Take a precision that leaves every class its share if all are alike; None is none."""
    if precision is None:
        return None
    found = as_number(precision, "precision")
    if not 0 <= found < 1 / classes:
        message = (
            f"precision must be 0 or more and below 1/{classes}, the probability of each of "
            f"{classes} classes if all are alike; got {found:g}"
        )
        raise DataError(message)
    return found + 0.0


def _clip(p: Array, least: float) -> tuple[Array, Array]:
    """Return probabilities within the limits, in double precision, and which of them moved."""
    xp = namespace(p)
    p = xp.astype(p, xp.float64)
    within = xp.clip(p, least, 1 - least)
    return within, within != p


def _limit_tally(tally: Tally, least: float) -> Limited:
    within, moved = _clip(tally.value, least)
    if not namespace(moved).any(moved):
        return Limited(tally, 0, least)
    columns = pool(within, tally._columns())  # noqa: SLF001
    amount = _amount(moved, tally.weight)
    amount = amount if tally.event_squares is None else float(amount)
    return Limited(Tally._of(columns, tally.cells), amount, least)  # noqa: SLF001


def _amount(moved: Array, weight: Array | None) -> int | float:
    """Count cases, or add up their weight if it is not whole numbers."""
    xp = namespace(moved)
    if weight is None:
        return int(xp.count_nonzero(moved))
    counts = as_counts(weight)
    total = xp.sum(counts[moved])
    return int(total) if xp.isdtype(counts.dtype, "integral") else float(total)
