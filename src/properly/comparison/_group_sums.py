"""Influences of groups of cases added up, each group against the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly.comparison._group_skewness import skewness
from properly.inference._design import Design
from properly.inference._variance import Spread, covariance

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.comparison._group_degrees import Units

Column: TypeAlias = np.ndarray[Any, Any]
Scale: TypeAlias = Literal["plain", "share", "log"]

ROUNDING = 1e-13
# Fewer cases, or clusters, do not tell how skewed they are.
FOR_SKEWNESS = 10


class Measure(NamedTuple):
    """A number that any selection of cases has.

    `of` takes which cases are meant, as booleans, and returns the number and the influences of
    these cases; on a log scale, both of the logarithm. A share saved has its interval on the scale
    of the logarithm of what is left.
    """

    of: Callable[[Column], tuple[Any, Column]]
    scale: Scale = "plain"


class Split(NamedTuple):
    """The group of each case by its number, and how cases were sampled.

    `enough` tells which groups are large enough for an interval, and `enough_rest` after which the
    rest is.
    """

    number: Column
    design: Design
    units: Units
    enough: Column
    enough_rest: Column


class Sums(NamedTuple):
    """What influences add up to: the number of each group, of its rest, and how they vary.

    `squares` are the variances of groups and of rests, of units that are independent; `skew` is the
    skewness of each difference.
    """

    value: Column
    rest: Column
    own: Spread
    apart: Spread
    squares: Column
    skew: Column


def add_up(measure: Measure, split: Split) -> Sums:
    """Add influences up over cases, clusters or times, group by group."""
    (number, design), groups, every = split[:2], len(split.enough), split.design.units
    scale = _scales(split)
    value, rest, skew = np.empty((3, groups))
    squares, sizes = np.empty((2, 2, groups))
    apart = np.empty((groups, every))
    # Of single cases a group has its own, and no covariance with another: only differences have.
    own = np.empty((groups, every)) if is_dependent(design) or is_whole(design) else None
    for g in range(groups):
        member, sides = number == g, np.zeros((2, len(number)))
        for side, numbers, some in zip(sides, (value, rest), (member, ~member), strict=True):
            numbers[g], side[some] = measure.of(some)
        sides *= scale[:, g, None]
        sizes[:, g] = np.abs(sides).sum(axis=1)
        sides = design.totals(sides)
        squares[:, g] = (sides**2).sum(axis=1)
        # Of a cluster with an infinite loss on either side, nothing is known.
        with np.errstate(invalid="ignore"):
            apart[g] = sides[0] - sides[1]
        skew[g] = skewness(apart[g])
        if own is not None:
            own[g] = sides[0]
    few = np.minimum(split.units.inside, split.units.outside) < FOR_SKEWNESS
    skew[few | is_whole(design)] = 0.0
    alone = Spread(np.diag(squares[0] * every / max(every - 1, 1)), every - 1)
    units = _of_units(design)
    within = alone if own is None else _spread(own, sizes[0], units)
    return Sums(value, rest, within, _spread(apart, sizes.sum(axis=0), units), squares, skew)


def _of_units(design: Design) -> Design:
    """Return the same design with one case a cluster, or a time."""
    stratum = None if design.stratum is None else design.stratum_of_units()
    time = None if design.time is None else np.arange(design.units)
    return Design(np.ones(design.units), None, stratum, time, design.serial)


def _spread(total: Column, size: Column, design: Design) -> Spread:
    """Find the covariance; NaN for what cancels within each cluster, or time, but for rounding."""
    spread = covariance(total, design)
    lost = (spread.errors <= ROUNDING * size) & (size > 0)
    joint = np.where(lost[:, None] | lost, np.nan, spread.covariance)
    return Spread(joint, spread.degrees)


def _scales(split: Split) -> Column:
    """Return what makes the variance of a selection that of its own cases, or clusters.

    A variance of n cases has the factor n / (n - 1), with the number of all cases. Of a selection
    others say nothing, so the factor is that of its own number: NaN for a single one. Of strata and
    times all count, with influence 0, since a group need not have two cases in each.
    """
    own, every = np.stack([split.units.inside, split.units.outside]), split.design.units
    if is_whole(split.design):
        return np.ones(own.shape)
    with np.errstate(divide="ignore"):
        scale = np.sqrt(own / (own - 1) * (every - 1) / every)
    return np.where(own > 1, scale, np.nan)


def is_whole(design: Design) -> bool:
    """Tell whether a selection of cases is judged by the design of all."""
    return design.stratum is not None or design.time is not None


def is_dependent(design: Design) -> bool:
    """Tell whether cases come in clusters, or follow one another in time."""
    return design.cluster is not None or design.time is not None
