"""Logits of classes, before the softmax: checked, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly._boundary._arrays import as_floats, as_numbers, check_length, refuse
from properly._boundary._classes import ClassRows, as_outcomes, as_table
from properly._boundary._libraries import namespace, to_library_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.typing import Array, ArrayLike

NAME = "logits"


def check_class_logits(
    y: ArrayLike,
    logits: ArrayLike,
    *,
    labels: Sequence[object] | None = None,
    ordered: bool = False,
) -> ClassRows:
    """Check outcomes and logits, and bring them together in one library."""
    logits = check_logit_table(logits)
    y = to_library_of(as_outcomes(y, int(logits.shape[1]), labels, ordered=ordered), logits)
    check_length(y, logits, "outcomes", NAME)
    return ClassRows(y, logits, None)


def check_logit_table(logits: ArrayLike) -> Array:
    """Check logits: two dimensions, no NaN, none infinite but for impossible classes."""
    logits = as_floats(as_numbers(as_table(logits, NAME), NAME))
    xp = namespace(logits)
    good = logits < float("inf")
    if not bool(xp.all(good)):
        refuse(logits, ~good, "logits must be less than infinity, and not missing")
    possible = xp.any(logits > -float("inf"), axis=1)
    if not bool(xp.all(possible)):
        refuse(logits[:, 0], ~possible, "some class must be possible in each row of logits")
    return logits
