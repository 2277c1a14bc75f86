"""Moments: sums over cases that are all a mean, and its standard error, need.

The weighted mean of an amount, such as a loss, is a ratio of two sums, and its variance depends on
the cases only through sums of squares and of products. These are kept about the means, so that they
lose no digits, and they add up: over batches, shards, groups and threads, in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from properly._boundary._chunks import sweep
from properly._boundary._libraries import beside, infinities, is_numpy, namespace, to_library_of
from properly._boundary._tolerances import CANCELLED
from properly.counts._tally import Tally
from properly.inference._shares import student
from properly.typing import Array, Column


class Spread(NamedTuple):
    """The covariance matrix of some estimates, and its degrees of freedom."""

    covariance: Column
    degrees: float

    @property
    def errors(self) -> Column:
        """The standard error of each estimate."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)))

    def half_widths(self, level: float) -> Column:
        """Return how far either side an interval of Student's t reaches; NaN if it is not known.

        Estimates that did not vary at all, and single cases, say nothing about their spread.
        """
        error = self.errors
        return np.where(error > 0, student(self.degrees, level) * error, np.nan)


class Correction(NamedTuple):
    """Factors of the squared sums of units, one of all or one per unit, and degrees of freedom."""

    factor: Column | float
    degrees: float

    @classmethod
    def from_count(cls, units: float) -> Correction:
        """Return that of so many units of equal weight: n / (n - 1), with n - 1 degrees."""
        return cls(units / (units - 1), units - 1.0) if units > 1 else cls(np.nan, 0.0)


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of amounts and of their products, over independent units: cases, or clusters.

    An amount is any number of a case: its loss by one of several models, its loss less that by
    another model, whether it had the event. Column 0 of all sums belongs to the amount 1, so that
    `total[0]` is the weight and `about[0, 0]` the sum of squared weights.

    Make one `from_rows`, `from_kinds` of like cases, `from_tally`, or `from_sums` that an engine
    returned. `mean` has the means and `spread` their covariance; a number that depends on the
    means, such as a ratio, has `products_of` the amounts that a case adds to it. Where an amount is
    infinite so is its mean, and its products are NaN; those of other amounts are not touched. Cases
    in strata or times need `properly.inference._variance.covariance`, which takes influences row by
    row.

    Attributes
    ----------
    total : array of shape (1 + k,)
        Weighted sums of 1 and of k amounts.
    about : array of shape (1 + k, 1 + k)
        Sums, with squared weights, of products of 1 and of the deviations from the means.
    units : float
        The number of units; where only weights are known, as many of equal weight as say as much.
    correction : Correction, optional
        That of clusters of unequal weight, if `about` has been multiplied by its factors: only its
        degrees of freedom are used.
    third : array of shape (1 + k, 1 + k, 1 + k), optional
        Sums of products of three, with cubes of weights.

    Examples
    --------
    >>> import numpy as np
    >>> from properly.inference._moments import Moments
    >>> loss = np.array([[0.04, 0.09, 0.36, 0.01]])
    >>> moments = Moments.from_rows(loss)
    >>> moments.mean
    array([0.125])
    >>> bool(np.isclose(moments.spread.errors[0], loss.std(ddof=1) / 2))
    True
    """

    total: Column
    about: Column
    units: float
    correction: Correction | None = None
    third: Column | None = None

    @classmethod
    def from_rows(cls, amount: Array, weight: Array | None = None) -> Moments:
        """Add up amounts, a row per mean and a column per case of positive weight."""
        xp, cases = namespace(amount), amount.shape[1]
        w = xp.ones_like(amount[0]) if weight is None else weight
        return cls.from_kinds(amount, w, w**2, units=float(cases), cubes=w**3)

    @classmethod
    def from_kinds(
        cls,
        amount: Array,
        weight: Array,
        squares: Array,
        *,
        units: float | None = None,
        cubes: Array | None = None,
    ) -> Moments:
        """Add up amounts of kinds of cases that are alike, each with a sum of its weights.

        `squares` and `cubes` are sums of squared and of cubed weights. Without a number of `units`
        there are as many as the weights say.
        """
        xp = namespace(amount)
        size = float(xp.sum(weight))
        # Some kernels of BLAS raise the flag of an invalid number where an amount is infinite.
        with infinities():
            # Row by row, as the weights themselves: if all cases are events, both sums are equal.
            sums = np.array([float(xp.sum(row * weight)) for row in amount])
            away = deviations(amount, sums / size)
            own = dot(away, squares)
            second = dot(away * squares, away)
        square = float(xp.sum(squares))
        about = np.block([[np.full((1, 1), square), own[None]], [own[:, None], second]])
        third = None
        if cubes is not None:
            every = np.vstack([np.ones_like(weight), away])
            with infinities():
                pairs = every[:, None] * (every * cubes)
                third = np.einsum("abi,ci->abc", pairs, every)
        units = size**2 / square if units is None else units
        return cls(np.append(size, sums), about, units, third=third)

    @classmethod
    def from_tally(cls, tally: Tally, if_event: Array, if_none: Array) -> Moments:
        """Add up amounts that the cases at each forecast of a tally have with and without event."""
        xp = namespace(if_event)
        squares = (tally.event_squares, tally.nonevent_squares)
        is_whole = tally.event_squares is None
        columns = (tally.events, tally.weight - tally.events)
        sides = [
            [xp.astype(to_library_of(x, if_event), xp.float64) for x in side]
            for side in (columns, columns if is_whole else squares)
        ]
        amounts = [
            xp.where(count > 0, amount, 0.0)
            for count, amount in zip(sides[0], (if_event, if_none), strict=True)
        ]
        kinds = xp.concat(amounts, axis=1), *map(xp.concat, sides)
        return cls.from_kinds(*kinds, units=float(tally.total) if is_whole else None)

    @classmethod
    def from_sums(
        cls, total: Column, products: Column, units: float, correction: Correction | None = None
    ) -> Moments:
        """Take sums as an engine adds them up: products of amounts, and not of deviations.

        Subtracting the means costs digits where amounts vary little: sum up amounts less a number
        near their means where that may matter. What is left by rounding alone is set to 0.
        """
        mean = total[1:] / total[0]
        about = _shifted(products, -mean)
        alone = np.diagonal(about)[1:]
        lost = np.append(False, alone <= CANCELLED * np.diagonal(products)[1:])
        return cls(total, np.where(lost[:, None] | lost, 0.0, about), units, correction)

    @property
    def weight(self) -> float:
        """The sum of the weights."""
        return float(self.total[0])

    @property
    def mean(self) -> Column:
        """The weighted mean of each amount."""
        with infinities():
            return np.asarray(self.total[1:] / self.total[0])

    @property
    def spread(self) -> Spread:
        """The covariance of the means; NaN, without degrees of freedom, for a single unit."""
        factor, degrees = Correction.from_count(self.units)
        if self.correction is not None:
            factor, degrees = 1.0, self.correction.degrees
        with infinities():
            return Spread(self.about[1:, 1:] * (factor / self.total[0] ** 2), degrees)

    def products_of(self, turn: Column) -> Column:
        """Return sums of products of numbers that a case adds, linear in its amounts.

        `turn` has a row per number and a column per amount, of which the first is 1.
        """
        turn = about_means(turn, self.mean)
        return np.asarray(turn @ self.about @ turn.T)


def about_means(turn: Column, mean: Column) -> Column:
    """Write numbers that are linear in 1 and amounts by the deviations of these from means."""
    result = turn * 1.0
    terms = result * np.insert(np.where(np.isfinite(mean), mean, 0.0), 0, 1.0, axis=-1)
    constant = terms.sum(axis=-1)
    is_lost = np.abs(constant) <= CANCELLED * np.abs(terms).sum(axis=-1)
    result[..., 0] = np.where(is_lost, 0.0, constant)
    return result


def _shifted(products: Any, step: Column) -> Column:
    """Write sums of products of 1 and deviations for means that are lower by a step."""
    step = np.append(0.0, step)
    for axis in range(products.ndim):
        along = step.reshape([-1 if k == axis else 1 for k in range(products.ndim)])
        products = products + along * products.take([0], axis)
    return np.asarray(products)


def dot(rows: Array, other: Array) -> Column:
    """Multiply a row, or rows, with another or others; of tensors only the sums leave the device.

    There, products are added up pairwise: a matrix of a few long rows is no work for a device.
    """
    if is_numpy(rows):
        return np.asarray(rows @ other.T)
    xp = namespace(rows)
    if rows.ndim > 1:
        return np.array([dot(row, other) for row in rows])
    if other.ndim > 1:
        return np.array([dot(rows, row) for row in other])

    def add_up(row: Array, other: Array) -> float:
        return float(xp.sum(row * xp.astype(other, row.dtype, copy=False)))

    return np.asarray(sum(sweep(add_up, rows, other)))


def deviations(amount: Array, mean: Column) -> Array:
    """Subtract means; what differs from its mean by rounding alone does not differ."""
    xp = namespace(amount)
    away = amount - beside(mean, amount)[:, None]
    away[xp.abs(away) <= CANCELLED * xp.abs(amount)] = 0.0
    return away
