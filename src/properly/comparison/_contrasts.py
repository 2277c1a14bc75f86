"""Groups of cases, each against the rest.

A number of a group, such as its mean score, has influences that are linear in the amounts of a
case: its loss, its outcome, its forecast. So has its difference from the rest, and so have the
differences of all groups together, even if a cluster has cases in several groups. The influences
are added up from the rows; of independent cases, sums of products of amounts up to the third, for
each group, say as much.

References
----------
.. [1] P. Hall (1992). On the removal of skewness by transformation. Journal of the Royal
   Statistical Society B 54:221-228. doi:10.1111/j.2517-6161.1992.tb01876.x.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._libraries import infinities
from properly._boundary._options import Drawing
from properly._boundary._tolerances import SAME_SUM
from properly.comparison import _group_variance
from properly.comparison._group_variance import UnitCounts
from properly.comparison._groups_record import FOR_SKILL, Contrast
from properly.comparison._pair_tests import student_quantiles
from properly.counts._scoring import price
from properly.inference._design import Design, correction_of
from properly.inference._intervals import loss_range
from properly.inference._moments import Moments, Spread, about_means, deviations, dot
from properly.inference._multiplicity import bonferroni, max_t
from properly.inference._variance import covariance
from properly.rules import Rule
from properly.typing import Column

Scale: TypeAlias = Literal["plain", "share", "log"]

# Differences of groups that moments are turned for in one go.
AT_ONCE = 1 << 14
# Fewer cases, or clusters, do not tell how skewed they are.
FOR_SKEWNESS = 10


def skewness(influence: Column, *, of_clusters: bool = False) -> float:
    """Return the skewness of a sum of influences, each of a unit of its own; 0 if none varied.

    The few largest clusters make the third moment of their sums noisy: its variance under symmetry,
    the sum of sixth powers, is taken off, as James and Stein do.
    """
    square, cube = float(influence @ influence), float(influence @ influence**2)
    if not square > 0:
        return 0.0
    if of_clusters:
        cube *= max(0.0, 1 - float(np.sum(influence**6)) / cube**2) if cube else 0.0
    return float(cube / square**1.5)


def straighten(t: Column, skew: Column) -> Column:
    r"""Take the skewness out of a mean in units of its standard error.

    If cases are skewed to the right, a mean that is low by chance has a low standard error as well,
    and seems too far off. With :math:`a = \sum u^3 / (\sum u^2)^{3/2}` of the influences,

    .. math:: \frac{(1 + a t / 3)^3 - 1}{a} = t + \frac{a}{3} t^2 + \frac{a^2}{27} t^3

    has hardly any; Hall's constant a / 6 is left out, so that no difference stays none.
    """
    return np.asarray(t + skew * t**2 / 3 + skew**2 * t**3 / 27)


def bend(x: Column, skew: Column) -> Column:
    """Undo `straighten`."""
    root = np.cbrt(1 + skew * x)
    result: Column = 3 * x / (1 + root + root**2)
    return result


def skewness_on_log_scale(skew: Column, squares: Column, error: Column) -> Column:
    r"""Return the skewness with which `straighten` fits differences of logarithms of ratios.

    A logarithm is curved, and its standard error with it. Let a be the skewness of the influences,
    V and v the variances of a group and of its rest (`squares`), and :math:`\sigma` the standard
    error of the difference. If events occur in proportion to the forecasts, t is skewed to first
    order as that of a mean whose skewness is

    .. math:: a - \frac{3 (V - v)}{2 \sigma} .

    For a small group with rare events, where :math:`a = \sigma`, that is -a / 2.
    """
    with infinities():
        return np.asarray(skew - 1.5 * (squares[0] - squares[1]) / error)


class GroupNumber(NamedTuple):
    """A number of a selection of cases, and what each amount of a case, and 1 first, adds to it."""

    value: float
    turn: Column


class Measure(NamedTuple):
    """A number that any selection of cases has, given its weight and its weighted sums of amounts.

    The scale is that of the number that is shown: a share at most 1, or a ratio, of which the
    logarithm is compared. No interval reaches beyond the bounds, which a mean of losses has.
    """

    of: Callable[[Column], GroupNumber]
    scale: Scale = "plain"
    bounds: tuple[float, float] = (-np.inf, np.inf)


def measures_of(
    rule: Rule, classes: int | None, reference: int | None = None
) -> dict[str, Measure]:
    """Return the score, the skill and observed to expected events as numbers of sums.

    The amounts of a case are its loss, its outcome and its forecast; of classes its loss, and for
    each class whether it happened. A reference is the place of its loss among these; without it,
    the skill is against the selection's own event rate, or shares of the classes.
    """
    result = {"score": Measure(_score, bounds=loss_range(rule, classes))}
    if reference is not None or rule.is_proper:
        result["skill"] = Measure(lambda sums: _skill(sums, rule, classes, reference), "share")
    return result if classes else result | {"observed_expected": Measure(_observed, "log")}


def _score(sums: Column) -> GroupNumber:
    """Return the mean loss."""
    weight, loss = sums[:2]
    turn = np.zeros(len(sums))
    turn[:2] = -loss / weight, 1
    return GroupNumber(loss / weight, turn / weight)


def _skill(sums: Column, rule: Rule, classes: int | None, reference: int | None) -> GroupNumber:
    """Return the share of the loss of a reference that is saved."""
    below = np.zeros(len(sums))
    if reference is not None:
        below[reference] = 1
    elif classes is None:
        none, event = costs_of_shares(rule, np.array([sums[0] - sums[2], sums[2]]), None)
        below[[0, 2]] = none, event - none
    else:
        below[2:] = costs_of_shares(rule, sums[2:], classes)
    with infinities():
        total = np.float64(below[below != 0] @ sums[below != 0])
        ratio = sums[1] / total
        turn = -ratio * below
        turn[1] += 1
        return GroupNumber(float(1 - ratio), -turn / total)


def costs_of_shares(rule: Rule, counts: Column, classes: int | None) -> Column:
    """Price the share of each outcome as a forecast for all; what never happened costs nothing.

    That the shares are estimated as well adds nothing at first order under a proper rule.
    """
    share = counts / counts.sum()
    y = np.arange(len(share))
    forecast = np.broadcast_to(share, (len(y), len(y)))
    if classes is None:
        y, forecast = y == 1, np.full(2, min(share[1], 1.0))
    return np.where(counts > 0, price(rule, y, forecast, classes=classes is not None), 0.0)


def _observed(sums: Column) -> GroupNumber:
    """Return the logarithm of events observed to events expected."""
    events, forecast = sums[2:4]
    turn = np.zeros(len(sums))
    with infinities():
        turn[2:4] = 1 / events, -1 / forecast
        return GroupNumber(float(np.log(events / forecast)), turn)


class GroupSplit(NamedTuple):
    """The groups, the group of each case by its number, and how cases were sampled.

    `cases` are of positive weight. `enough` marks the groups that are large enough for an interval,
    and `enough_rest` those whose rest is. `rarer` has the expected number of the rarer outcome, for
    groups and for rests.
    """

    labels: list[Any]
    cases: Column
    number: Column
    design: Design
    units: UnitCounts
    enough: Column
    enough_rest: Column
    rarer: Column

    def for_measure(self, name: str) -> GroupSplit:
        """Return the same split with the sizes that a measure needs."""
        if name != "skill":
            return self
        inside, outside = self.rarer >= FOR_SKILL
        return self._replace(enough=self.enough & inside, enough_rest=self.enough_rest & outside)


class InfluenceSums(NamedTuple):
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


class CaseAmounts(NamedTuple):
    """Amounts of the cases of positive weight, a row per amount, and the weights."""

    amount: Column
    weight: Column

    def totals(self, some: Column | slice = slice(None)) -> Column:
        """Return the weight of some cases, and their weighted sums of amounts."""
        weight = self.weight[some]
        return np.append(weight.sum(), self.amount[:, some] @ weight)

    def influences(self, number: GroupNumber, sums: Column, some: Column) -> Column:
        """Return what some cases add to their number; NaN where one of them is not finite."""
        turn, used = number.turn, number.turn[1:] != 0
        if not (np.isfinite(number.value) and np.isfinite(turn).all()):
            return np.full(int(some.sum()), np.nan)
        mean = sums[1:][used] / sums[0]
        own = about_means(np.append(turn[0], turn[1:][used])[None], mean)[0]
        away = deviations(self.amount[np.ix_(used, some)], mean)
        return np.asarray(self.weight[some] * (own[0] + own[1:] @ away))

    def add_up(self, measure: Measure, split: GroupSplit) -> InfluenceSums:
        """Add influences up over cases, clusters or times, group by group."""
        number, design = split.number, split.design
        groups, every = len(split.enough), design.units
        value, rest, skew = np.empty((3, groups))
        squares, sizes = np.empty((2, 2, groups))
        apart = np.empty((groups, every))
        # Of single cases a group has its own, and no covariance with another.
        own = np.empty((groups, every)) if is_dependent(design) or is_whole(design) else None
        for g in range(groups):
            member, sides = number == g, np.zeros((2, len(number)))
            for side, numbers, some in zip(sides, (value, rest), (member, ~member), strict=True):
                sums = self.totals(some)
                result = measure.of(sums)
                numbers[g], side[some] = result.value, self.influences(result, sums, some)
            sizes[:, g] = np.abs(sides).sum(axis=1)
            sides = design.totals(sides)
            for k, some in enumerate((member, ~member)):
                sides[k] *= np.sqrt(_factor(design, some))
            squares[:, g] = (sides**2).sum(axis=1)
            apart[g] = sides[0] - sides[1]
            skew[g] = skewness(apart[g], of_clusters=_joins_cases(split))
            if own is not None:
                own[g] = sides[0]
        alone = Spread(np.diag(squares[0]), every - 1)
        within = alone if own is None else _spread(own, sizes[0], design)
        both = _spread(apart, sizes.sum(axis=0), design)
        return InfluenceSums(value, rest, within, both, squares, skew)


def _spread(total: Column, size: Column, design: Design) -> Spread:
    """Find the covariance; NaN for what cancels within each cluster, or time, but for rounding."""
    if is_whole(design):
        spread = covariance(total, design.of_units())
    else:
        with infinities():
            spread = Spread(dot(total, total), design.units - 1)
    lost = (spread.errors <= SAME_SUM * size) & (size > 0)
    joint = np.where(lost[:, None] | lost, np.nan, spread.covariance)
    return Spread(joint, spread.degrees)


def _factor(design: Design, some: Column) -> Column | float:
    """Return what makes squares of a selection's units its variance: NaN for a single one.

    Others say nothing about a selection, so it has the correction of its own cases, or clusters.
    With strata and times all count, with influence 0, since a group need not have two cases in
    each, and the correction is that of all.
    """
    if is_whole(design):
        return 1.0
    if design.cluster is None:
        return correction_of(np.broadcast_to(1.0, int(some.sum()))).factor
    weight = np.where(some, design.weight / design.weight.max(), 0.0)
    return correction_of(np.bincount(design.cluster, weight, design.units)).factor


def is_whole(design: Design) -> bool:
    """Tell whether a selection of cases is judged by the design of all."""
    return design.stratum is not None or design.time is not None


def is_dependent(design: Design) -> bool:
    """Tell whether cases come in clusters, or follow one another in time."""
    return design.cluster is not None or design.time is not None


def _joins_cases(split: GroupSplit) -> bool:
    """Return whether some cluster, or some time, has several cases."""
    return is_dependent(split.design) and split.design.units < len(split.number)


def contrasts(
    rows: CaseAmounts | GroupMoments,
    measures: Mapping[str, Measure],
    split: GroupSplit,
    drawing: Drawing,
) -> dict[str, Contrast]:
    """Compare each group with the rest, in every measure."""
    result = {}
    for name, measure in measures.items():
        own = split.for_measure(name)
        overall = measure.of(rows.totals()).value
        result[name] = _contrast(rows.add_up(measure, own), own, measure, overall, drawing)
    return result


def _contrast(
    sums: InfluenceSums, split: GroupSplit, measure: Measure, overall: float, drawing: Drawing
) -> Contrast:
    """Find a number of every group, its difference from the rest, and how far off both may be."""
    (level, _, rng), own, apart, skew = drawing, sums.own, sums.apart, sums.skew
    scale = measure.scale
    if scale == "log":
        # The logarithm of a ratio of sums of clusters is nearly symmetric, as simulations say.
        curved = skewness_on_log_scale(skew, sums.squares, apart.errors)
        skew = np.zeros(len(skew)) if _joins_cases(split) else curved
    few = np.minimum(split.units.inside, split.units.outside) < FOR_SKEWNESS
    sums = sums._replace(skew=np.where(few | is_whole(split.design), 0.0, skew))
    value, rest = sums[:2]
    degrees = np.asarray(split.units.free_inside)
    if is_whole(split.design):
        degrees = np.minimum(degrees, own.degrees)
    # The logarithm of a ratio is nearly normal; what may be few is clusters or times.
    if scale == "log" and not is_dependent(split.design):
        degrees = np.full(len(value), np.inf)
    interval = _interval(value, own.errors, degrees, level, scale)
    interval[~split.enough] = np.nan
    with infinities():
        difference = value - rest
    return Contrast(
        value=_shown(value, scale),
        standard_error=_shown_error(value, own.errors, scale),
        interval=np.clip(interval, *measure.bounds),
        rest=_shown(rest, scale),
        difference=difference,
        overall=float(_shown(np.array(overall), scale)),
        **_compare(difference, sums, split, level, rng),
        **_together(sums, split, scale),
    )


def _compare(
    difference: Column,
    sums: InfluenceSums,
    split: GroupSplit,
    level: float,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Put intervals around differences, one by one and all at once, and test each."""
    from scipy.special import stdtr

    error, skew = sums.apart.errors, sums.skew
    inside, outside = sums.squares
    degrees = np.minimum(
        _group_variance.of_differences(inside, outside, split.units), sums.apart.degrees
    )
    tested = split.enough & split.enough_rest & np.isfinite(difference) & (error > 0)
    p = np.full(len(error), np.nan)
    with infinities():
        t = straighten(difference[tested] / error[tested], skew[tested])
    p[tested] = 2 * stdtr(degrees[tested], -np.abs(t))
    joint = sums.apart.covariance[np.ix_(tested, tested)]
    # With two groups, each is the rest of the other: that is one comparison, and not two.
    family = bonferroni(1) if len(p) == 2 else max_t(joint, np.inf, rng)
    alone, quantile = (
        np.where(tested, student_quantiles(degrees, x), np.nan)
        for x in (level, family.level_of_each(level))
    )
    return {
        "difference_error": error,
        "difference_interval": _about(difference, error, alone, skew),
        "p_value": p,
        "adjusted_p_value": family.adjust(p),
        "simultaneous": _about(difference, error, quantile, skew),
        "degrees": degrees,
        "quantile": quantile,
    }


def _about(difference: Column, error: Column, reach: Column, skew: Column) -> Column:
    """Return all that would not be found too far from the difference, with its skewness."""
    with infinities():
        ends = [difference - error * bend(x, skew) for x in (reach, -reach)]
    return np.stack(ends, axis=1)


def _together(sums: InfluenceSums, split: GroupSplit, scale: Scale) -> dict[str, Any]:
    """Draw the groups together, and test whether they differ; small ones take no part."""
    value, own = sums.value, sums.own
    joint = own.covariance.copy()
    np.fill_diagonal(joint, np.where(split.enough, np.diagonal(joint), np.nan))
    variance = np.diagonal(joint)
    drawn = _group_variance.shrink(value, variance)
    used = ~np.isnan(drawn.value)
    degrees = _group_variance.of_groups(sums.squares[0], split.units, used) if used.any() else 0.0
    return {
        "shrunk": _shown(drawn.value, scale),
        "shrunk_error": _shown_error(drawn.value, drawn.error, scale),
        "homogeneity": _group_variance.homogeneity(value, joint, min(degrees, own.degrees)),
    }


def _interval(value: Column, error: Column, degrees: Column, level: float, scale: Scale) -> Column:
    # Nothing that did not vary, and no single case, tells how far off it may be.
    quantile = np.where(np.isfinite(value), student_quantiles(degrees, level), np.nan)
    half = np.where(error > 0, quantile * error, np.nan)
    with infinities():
        plain = np.stack([value - half, value + half], axis=1)
        if scale == "log":
            # A ratio may be anything if this is how well its logarithm is known.
            return np.asarray(np.exp(plain))
        left = (1 - value)[:, None]
        if scale == "plain" or not (left > 0).any():
            return plain
        factor = np.exp(half[:, None] / left * [1, -1])
        return np.where(left > 0, 1 - left * factor, plain)


def _shown(value: Column, scale: Scale) -> Column:
    return np.exp(value) if scale == "log" else value


def _shown_error(value: Column, error: Column, scale: Scale) -> Column:
    """Return the standard error of the number that is shown."""
    with infinities():
        return np.exp(value) * error if scale == "log" else error


# From moments


class GroupMoments(NamedTuple):
    """The moments of the amounts of each group, of independent cases, up to the third."""

    moments: Sequence[Moments]

    @classmethod
    def of(cls, rows: CaseAmounts, number: Column) -> GroupMoments:
        """Add up, for each group, products of amounts."""
        order = np.argsort(number, kind="stable")
        amount, weight = rows.amount[:, order], rows.weight[order]
        result = []
        for some in np.split(np.arange(len(order)), np.cumsum(np.bincount(number))[:-1]):
            piece = slice(some[0], some[-1] + 1)
            x = Moments.from_rows(amount[:, piece], weight[piece])
            # Of an infinite mean nothing is said, but the outcomes and forecasts still are.
            about, third = map(np.nan_to_num, (x.about, np.asarray(x.third)))
            result.append(replace(x, about=about, third=third) if np.isinf(x.mean).any() else x)
        return cls(result)

    def totals(self) -> Column:
        """Return the weight of all cases, and their weighted sums of amounts."""
        return np.asarray(np.sum([x.total for x in self.moments], axis=0))

    @infinities()
    def add_up(self, measure: Measure, split: GroupSplit) -> InfluenceSums:
        """Add influences of independent cases up over each group, and each rest, from moments."""
        groups, every = len(self.moments), int(split.units.inside.sum())
        totals = np.stack([x.total for x in self.moments])
        # Not all less these: what is infinite in one group is finite in its rest.
        others = (np.delete(totals, k, axis=0).sum(axis=0) for k in range(groups))
        sides = [list(map(measure.of, totals)), list(map(measure.of, others))]
        value, rest = (np.array([x.value for x in side]) for side in sides)
        inside, outside = (
            _turns(side, scale) for side, scale in zip(sides, _scales(split), strict=True)
        )
        rows = ((x.mean, x.about, x.third) for x in self.moments)
        mean, second, third = map(np.stack, zip(*rows, strict=True))
        squares, joint, cubes = np.empty((groups, groups)), np.zeros((groups, groups)), 0.0
        for start in range(0, groups, step := max(1, AT_ONCE // groups)):
            some = np.arange(groups)[start : start + step]
            # What a case of these groups adds to each difference: to its own from inside.
            turn = np.tile(-outside, (len(some), 1, 1))
            turn[some - start, some] = inside[some]
            turn = about_means(turn, mean[some, None])
            here = turn @ second[some]
            # A sum of squares is not negative, whatever rounding leaves of it.
            squares[some] = np.maximum((here * turn).sum(axis=2), 0.0)
            joint += np.tensordot(here, turn, ((0, 2), (0, 2)))
            both = np.einsum("kgb,kgab->kga", turn, np.einsum("kgc,kabc->kgab", turn, third[some]))
            cubes = cubes + (both * turn).sum(axis=(0, 2))
        np.fill_diagonal(joint, squares.sum(axis=0))
        own = np.diagonal(squares).copy()
        squares = np.stack([own, np.where(np.eye(groups) > 0, 0.0, squares).sum(axis=0)])
        alone = Spread(np.diag(own), every - 1)
        skew = np.where(np.diagonal(joint) > 0, cubes / np.diagonal(joint) ** 1.5, 0.0)
        return InfluenceSums(value, rest, alone, Spread(joint, every - 1), squares, skew)


def _turns(side: Sequence[GroupNumber], scale: Column) -> Column:
    """Stack what cases add; NaN where that, or the number itself, is not finite."""
    turns = np.stack([x.turn for x in side])
    known = np.isfinite([x.value for x in side]) & np.isfinite(turns).all(axis=1)
    return np.where(known[:, None], turns, np.nan) * scale[:, None]


def _scales(split: GroupSplit) -> Column:
    """Return what makes the variance of a selection that of its own cases."""
    own = np.stack([split.units.inside, split.units.outside])
    with infinities():
        scale = np.sqrt(own / (own - 1))
    return np.where(own > 1, scale, np.nan)
