"""Numbers and names as the charts of the page write them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from properly._boundary._plain import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Names that a sentence lists at most.
LISTED = 6
# p-values below this are not told more exactly.
SMALLEST = 0.0005
MINUS = "\N{MINUS SIGN}"
NONE = "\N{EN DASH}"


def few(x: float, digits: int = 2, *, sign: bool = False) -> str:
    """Write a number with so many digits that count, and never with an exponent."""
    if math.isnan(x):
        return NONE
    if math.isinf(x):
        return "∞" if x > 0 else f"{MINUS}∞"
    if x == 0:
        return "0"
    # Rounded first: 0.0999 is as long as 0.10.
    return fixed(x, decimals_for(float(f"{x:.{digits - 1}e}"), digits), sign=sign)


def fixed(x: float, decimals: int, *, sign: bool = False) -> str:
    """Write a number with so many decimals; what rounds to nothing has no sign."""
    if not math.isfinite(x):
        return few(x)
    found = f"{abs(x):,.{decimals}f}"
    if float(found.replace(",", "")) == 0:
        return found
    return f"{MINUS if x < 0 else '+' if sign else ''}{found}"


def percent(x: float, digits: int = 2) -> str:
    """Write a share in per cent."""
    return NONE if math.isnan(x) else f"{few(100 * x, digits)} %"


def chance(p: float) -> str:
    """Write a p-value."""
    return f"< {SMALLEST}" if p < SMALLEST else few(p)


def from_to(ends: Iterable[float], decimals: int) -> str:
    """Write both ends of an interval, or a dash if there is none."""
    told = [fixed(end, decimals) for end in ends]
    return NONE if NONE in told else " to ".join(told)


def decimals_for(x: float, digits: int = 2) -> int:
    """Return how many decimals show so many digits of a number."""
    if not math.isfinite(x) or x == 0:
        return 4
    return min(max(digits - 1 - math.floor(math.log10(abs(x))), 0), 9)


def listed(names: Sequence[str]) -> str:
    """Name a few things, and count the others."""
    shown = [printable(name) for name in names]
    if len(shown) > LISTED:
        shown = [*shown[: LISTED - 1], f"{len(shown) - LISTED + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
