"""Names and numbers as they are printed in a picture."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TypeVar

from properly.errors import ArgumentTypeError, DataError

Record = TypeVar("Record")

LONGEST = 36
MINUS = "\N{MINUS SIGN}"


def by_name(
    given: object, kind: type[Record], maker: str, label: str | None = None
) -> dict[str, Record]:
    """Take one record, or several by the names of their models; "" is no name."""
    records = given if isinstance(given, Mapping) else {label or "": given}
    if not records:
        message = f"there must be at least one {kind.__name__} to draw; got none"
        raise DataError(message)
    found: dict[str, Record] = {}
    for name, record in records.items():
        if not isinstance(record, kind):
            message = f"this picture is drawn from a {kind.__name__}; got {type(record).__name__}"
            raise ArgumentTypeError(message, hint=f"make one with {maker}.")
        found[str(name)] = record
    if len(found) < len(records):
        message = f"models must have names that differ as text; got {list(records)}"
        raise DataError(message)
    return found


def legible(name: str) -> str:
    """Write a name as it is: no formula, no line break, not endless, not hidden."""
    shown = name if name.isprintable() else repr(name)[1:-1]
    if len(shown) > LONGEST:
        shown = f"{shown[: LONGEST - 13]}…{shown[-12:]}"
    # Matplotlib sets what stands between dollars as a formula, and leaves a label that begins with
    # an underscore out of the legend.
    return ("\N{SPACE}" if shown.startswith("_") else "") + shown.replace("$", r"\$")


def number(value: float, digits: int = 4) -> str:
    """Write a number as journals do: without the zero before the point."""
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if math.isnan(value):
        return "undefined"
    return re.sub(r"^(-?)0\.", r"\1.", f"{value:.{digits}f}").replace("-", MINUS)


def digits_for(scale: float) -> int:
    """Count the decimals that show three digits of a scale, and at least four."""
    return 4 if scale <= 0 or math.isinf(scale) else max(4, 2 - math.floor(math.log10(scale)))
