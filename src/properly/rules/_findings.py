"""What a rule looks at: only the outcome, the order of classes, the likeliest class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from properly.rules._simplex import (
    NEARER,
    ROUNDING,
    Points,
    Prices,
    all_points,
    exact_grids,
    far_apart,
    fraction,
    in_fractions,
    joined,
    more,
    pushed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Flags: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class Finding:
    """Whether a rule was found to have a property, and what shows it.

    Attributes
    ----------
    holds : bool or None
        False if the witness is a counterexample, True if the search found none. None if the
        question does not arise.
    witness : str
        A sentence that can be checked by hand.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> found = properly.audit(Brier(), 3).local
    >>> found.holds
    False
    >>> print(found.witness)
    if class 0 happens, (0, 1, 0) costs 2 and (0, 1/2, 1/2) costs 3/2, though both give it 0
    """

    holds: bool | None
    witness: str

    def __str__(self) -> str:
        words = {True: "yes", False: "no", None: "does not apply"}
        return f"{words[self.holds]}: {self.witness}"


def local(prices: Prices) -> Finding:
    """Look for two forecasts that give the outcome the same probability and cost differently."""
    if prices.classes == 2:
        return Finding(None, "of two classes, the probability of one is the whole forecast")
    for _, p in exact_grids(prices.classes):
        loss = prices(p)
        for k in range(prices.classes):
            for share in np.unique(p[:, k]):
                rows = np.flatnonzero(p[:, k] == share)
                high, low = rows[np.argmax(loss[rows, k])], rows[np.argmin(loss[rows, k])]
                if _differ(loss[high, k], loss[low, k], loss):
                    both = f"{_cost(p[high], loss[high, k])} and {_cost(p[low], loss[low, k])}"
                    said = f"if class {k} happens, {both}, though both give it {fraction(share)}"
                    return Finding(False, said)
    said = f"of {len(p)} forecasts, those that give the outcome the same probability cost the same"
    return Finding(True, said)


def symmetric(prices: Prices) -> Finding:
    """Look for two classes whose exchange changes a loss."""
    orders = []
    for k in range(prices.classes - 1):
        order = list(range(prices.classes))
        order[k], order[k + 1] = order[k + 1], order[k]
        orders.append(order)
    return _relabelled(prices, orders, "exchanging neighbouring classes")


def reversible(prices: Prices) -> Finding:
    """Look for a loss that changes if the classes are numbered from the other end."""
    order = list(range(prices.classes))[::-1]
    return _relabelled(prices, [order], "reversing the order of classes")


def distance_sensitive(prices: Prices) -> Finding:
    """Look for probability that moves nearer to the outcome, on its side, and costs more."""
    if prices.classes == 2:
        return Finding(None, "of two classes, only one is wrong")
    better = None
    for denominator, p in exact_grids(prices.classes):
        for start, end, outcomes in _moves_nearer(prices.classes):
            change, said = _moved(prices, p, 1 / denominator, (start, end), outcomes)
            if change > 0:
                return Finding(False, said)
            if change < 0 and better is None:
                better = said
    if better is None:
        return Finding(False, "it makes no difference which of the wrong classes has probability")
    return Finding(True, better)


def superior(prices: Prices) -> Finding:
    """Look for a right forecast that costs as much as a wrong one, whatever happened."""
    points = joined([all_points(prices.classes), far_apart(prices.classes)])
    ties = (points.numerator == points.numerator.max(axis=1)[:, None]).sum(axis=1) > 1
    near = pushed(Points(points.numerator[ties], points.denominator[ties]), NEARER)
    points = joined([points, near])
    p, loss = points.p, prices(points.p)
    top = p.max(axis=1)[:, None]
    right = (p == top) & ((p == top).sum(axis=1) == 1)[:, None]
    # Both hold for all points up to a denominator; the first that clash are the simplest.
    worst = np.maximum.accumulate(np.where(right, loss, -np.inf).max(axis=1))
    best = np.minimum.accumulate(np.where(p < top, loss, np.inf).min(axis=1))
    if worst[-1] < best[-1] - ROUNDING * _largest(loss):
        said = f"the first cost at most {worst[-1]:.6g}, the others at least {best[-1]:.6g}"
        return Finding(True, said)
    denominators = np.unique(points.denominator)
    last = np.searchsorted(points.denominator, denominators, side="right") - 1
    clash = worst[last][:, None] >= best[last][None, :] - ROUNDING * _largest(loss)
    size = np.where(clash, denominators[:, None] + denominators[None, :], np.inf)
    a, b = np.unravel_index(np.argmin(size), size.shape)
    ends = (
        np.argwhere(right & (loss == worst[last[a]]))[0],
        np.argwhere((p < top) & (loss == best[last[b]]))[0],
    )
    pair = [f"{_cost(p[row], loss[row, k])} if class {k} happens" for row, k in ends]
    return Finding(False, f"{pair[0]}, but {pair[1]}")


def _moves_nearer(classes: int) -> Iterator[tuple[int, int, range]]:
    """Yield neighbouring classes, and the outcomes to which the second of them is nearer."""
    for k in range(1, classes - 1):
        yield k - 1, k, range(k + 1, classes)
        yield k + 1, k, range(k)


def _moved(
    prices: Prices, p: Floats, step: float, move: tuple[int, int], outcomes: range
) -> tuple[float, str]:
    """Move probability from one class to another; return the greatest rise of the loss, or fall."""
    before = p[p[:, move[0]] >= step]
    after = before.copy()
    after[:, move[0]] -= step
    after[:, move[1]] += step
    cost, new_cost = prices(before)[:, outcomes], prices(after)[:, outcomes]
    change = np.where(_differ(cost, new_cost, cost), more(new_cost, cost), 0.0)
    extreme = np.argmax if change.max() > 0 else np.argmin
    row, column = np.unravel_index(extreme(change), change.shape)
    both = (
        f"{_cost(before[row], cost[row, column])}, and {_cost(after[row], new_cost[row, column])}"
    )
    return float(change[row, column]), f"if class {outcomes[column]} happens, {both}"


def _relabelled(prices: Prices, orders: Sequence[list[int]], what: str) -> Finding:
    for _, p in exact_grids(prices.classes):
        loss = prices(p)
        for order in orders:
            other = prices(p[:, order])[:, order]
            found = np.argwhere(_differ(loss, other, loss))
            if len(found):
                row, k = found[0]
                said = f"{_cost(p[row], loss[row, k])} if class {k} happens"
                turned = _cost(p[row, order], other[row, k])
                return Finding(False, f"{said}, but {turned} if class {order[k]} does")
    return Finding(True, f"{what} changed no loss of {len(p)} forecasts")


def _differ(a: Floats, b: Floats, among: Floats) -> Flags:
    """Tell which losses differ by more than rounding; infinity equals infinity."""
    found: Flags = np.abs(more(a, b)) > ROUNDING * _largest(among)
    return found


def _largest(loss: Floats) -> float:
    return float(np.abs(loss[np.isfinite(loss)]).max(initial=0.0))


def _cost(point: Floats, loss: float) -> str:
    return f"{in_fractions(point)} costs {fraction(float(loss))}"
