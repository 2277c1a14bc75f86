"""Class probabilities to search through: drawn, at the edge of a tie, or tied on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly.rules._costs import likeliest

if TYPE_CHECKING:
    import numpy.typing as npt

Table: TypeAlias = "npt.NDArray[np.float64]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"

# How far a law is from the tie beside it.
NUDGE = 1e-6


def at_ties(classes: int) -> Table:
    """List even laws on the first and on the last few classes, and each with its tie just broken.

    There the extremes are: a convex loss is greatest over correct forecasts at an even law, and
    least over wrong ones beside one.
    """
    even = [np.where(np.arange(classes) < t, 1 / t, 0.0) for t in range(1, classes + 1)]
    step = np.zeros(classes)
    step[:2] = NUDGE, -NUDGE
    found = np.array(even + [law + step for law in even[1:]])
    return np.vstack([found, found[:, ::-1]])


def alone(p: Table) -> Mask:
    """Tell the class that leads alone, where there is one."""
    lead = likeliest(p)
    found: Mask = lead & (lead.sum(axis=1, keepdims=True) == 1)
    return found


def truths(classes: int, n: int, rng: np.random.Generator) -> Table:
    """Draw laws, evenly from all there are."""
    return normalized(rng.exponential(size=(n, classes)))


def normalized(x: Any) -> Table:
    """Divide each row by its sum."""
    found: Table = x / np.sum(x, axis=1, keepdims=True)
    return found


def pooled(q: Table, t: int) -> Table:
    """Replace the t largest probabilities of each row by their mean: the best report with t tied.

    The mean is one float, so that these tie exactly, and it is not below any other probability.
    """
    order = np.argsort(-q, axis=1, kind="stable")[:, :t]
    report = q.copy()
    mean = np.take_along_axis(q, order, axis=1).mean(axis=1, keepdims=True)
    np.put_along_axis(report, order, np.broadcast_to(mean, order.shape), axis=1)
    return report


def written(p: tuple[float, ...]) -> str:
    """Write a law as a person would."""
    return "(" + ", ".join("1/3" if x == 1 / 3 else f"{x:g}" for x in p) + ")"
