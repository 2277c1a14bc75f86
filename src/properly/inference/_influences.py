r"""What each case adds to an estimate: its influence.

An estimate differs from the truth by about the sum of its influences, which add up to 0. A row of
losses is one model; weights are those of the cases.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Column: TypeAlias = np.ndarray[Any, Any]

# What differs from a mean by rounding alone does not differ.
ROUNDING = 1e-14


def of_mean(loss: Column, weight: Column) -> tuple[Column, Column]:
    r"""Return weighted means, and the influences :math:`w_i (s_i - \bar s) / W`.

    Where a loss is infinite so is the mean, and there are no influences, which are then NaN.
    """
    total = weight.sum()
    alike = bool((weight == weight[0]).all())
    mean = loss.mean(axis=-1) if alike else loss @ weight / total
    with np.errstate(invalid="ignore"):
        influence = loss - np.asarray(mean)[..., None]
        _drop_rounding(influence, mean)
        influence *= 1 / len(weight) if alike else weight / total
    return mean, influence


def of_ratio(first: Column, second: Column, weight: Column) -> tuple[Column, Column]:
    r"""Return the ratio r of two weighted means and :math:`w_i (a_i - r b_i) / (W \bar b)`."""
    total = weight.sum()
    below = second @ weight / total
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = first @ weight / total / below
        influence = weight * (first - np.asarray(ratio)[..., None] * second)
        return ratio, influence / (total * np.asarray(below)[..., None])


def of_auc(happened: Column, p: Column, weight: Column) -> tuple[float, Column]:
    """Return the area under the ROC curve, ties counted half, and the influence of each case.

    That of an event is how much larger the share of non-events below it is than the area, over the
    weight of all events; that of a non-event likewise. NaN without events, or without others.
    """
    area, place = placements(happened, p, weight)
    sides = np.where(happened, weight[happened].sum(), weight[~happened].sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        return area, weight * (place - area) / sides


def placements(happened: Column, p: Column, weight: Column) -> tuple[float, Column]:
    """Return the area, and with what share of the other outcome each case is in order."""
    row = np.unique(p, return_inverse=True)[1]
    sums = [np.bincount(row[case], weight[case], row.max() + 1) for case in (~happened, happened)]
    none, events = (x.sum() for x in sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = (np.cumsum(sums[0]) - sums[0] / 2) / none
        above = 1 - (np.cumsum(sums[1]) - sums[1] / 2) / events
        area = float(np.minimum(below @ sums[1] / events, 1.0))
    return area, np.where(happened, below[row], above[row])


def _drop_rounding(away: Column, mean: Any) -> None:
    """Set deviations to exactly 0 if all losses of a row are alike but for rounding."""
    rows, means = np.atleast_2d(away), np.atleast_1d(mean)
    for row, middle in zip(rows, means, strict=True):
        if np.abs(row[0]) <= ROUNDING * abs(middle) and np.all(
            np.abs(row) <= ROUNDING * abs(middle)
        ):
            row[:] = 0.0
