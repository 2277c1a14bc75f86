"""Losses added up and averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly._boundary._libraries import namespace

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.typing import Array


def mean_tensor(loss: Array, weight: Array | None) -> Array:
    """Average the losses of a tensor, in their own type."""
    xp = namespace(loss)
    if weight is None:
        return xp.mean(loss)
    # Shares of the total, not the weights themselves: half precision soon overflows. Double
    # precision only where it is there already: some devices have none.
    double = xp.float64 in (loss.dtype, weight.dtype)
    weight = xp.astype(weight, xp.float64 if double else xp.float32)
    share = weight / xp.sum(weight)
    return xp.astype(xp.sum(loss * share), loss.dtype)


def paid(
    price: Callable[[Array], Array], p: Array, happened: Array, weight: Array | None = None
) -> float:
    """Add up a price where it was paid; elsewhere it may be infinite and does no harm."""
    xp = namespace(p)
    chosen = xp.nonzero(happened)[0]
    loss = price(xp.astype(xp.take(p, chosen), xp.float64, copy=False))
    if weight is not None:
        loss = loss * xp.astype(xp.take(weight, chosen), xp.float64, copy=False)
    return float(xp.sum(loss))
