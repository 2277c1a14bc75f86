"""Scores and calibration of groups of cases, each against the rest.

Compared are the mean score, its skill, and events observed to events expected.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from properly._boundary._classes import names_of_labels
from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import Drawing, as_drawing, check_flag
from properly._boundary._text import many
from properly.calibration._calibration_test import combined_test, dependent_test
from properly.calibration._components import CellSizes, NullDraws
from properly.calibration._decomposition import decompose_by, find_intervals
from properly.calibration._line import Subject, find_slope
from properly.comparison._contrasts import (
    CaseAmounts,
    GroupMoments,
    GroupSplit,
    contrasts,
    is_whole,
    measures_of,
)
from properly.comparison._group_variance import UnitCounts, count_units
from properly.comparison._groups_record import FOR_INTERVAL, Contrast, GroupCalibration, Groups
from properly.counts._baselines import reference_forecasts
from properly.counts._calls import takes_rows
from properly.counts._cases import (
    Cases,
    has_strata,
    is_dependent,
    numbered,
    require_groups,
    rows_in_use,
)
from properly.counts._scoring import losses, price, unit_of
from properly.counts._tally import Tally, as_tally
from properly.errors import DataError
from properly.inference._design import TIMES, Design
from properly.inference._multiplicity import holm, holm_bounds
from properly.rules import BinaryRule, Brier, Rule
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import require_binary
from properly.typing import ArrayLike, Column

# From fewer clusters, tests and intervals would tell little, and say too much.
FOR_CLUSTERS = 5
# With fewer, intervals cover a few per cent less than they say.
FEW = 20
# At 0.05, one of so many groups is expected to stand out by chance.
MANY = 20
# Fewer events, or non-events, leave a slope too uncertain to be worth printing.
FOR_SLOPE = 20
# Draws of groups are counted in fewer cells than those of all cases, since there are many groups.
CELLS = CellSizes((1 << 8, 1 << 5), 1 << 11, (1 << 12, 1 << 8))
# Of fewer cases miscalibration is nearly all bias.
FOR_MISCALIBRATION = 200


def amounts_of(cases: Cases, rule: Rule, reference: float | ArrayLike | None) -> CaseAmounts:
    """Lay out what measures are found from; the loss of a reference is the last row."""
    y, p, weight, _ = rows_in_use(cases)
    loss, classes = losses(cases, rule), cases.classes
    amount = [loss, y, p] if classes is None else [loss, *(y == np.arange(classes)[:, None])]
    if reference is not None:
        constant = np.broadcast_to(reference_forecasts(cases, reference), p.shape)
        amount.append(price(rule, y, constant, classes=classes is not None))
    return CaseAmounts(np.stack(amount).astype(np.float64), weight.astype(np.float64))


def _count_rarer(total: Column, squares: Column) -> Column:
    r"""Return the expected number of the rarer outcome in each group and in its rest.

    With q the probability that a case does *not* have an outcome, it is the smallest of Kish's
    effective numbers :math:`(\sum w q)^2 / \sum w^2 q` over the outcomes. `total` and `squares`
    have these sums, one row per group and one column per outcome. Observed outcomes do not enter.
    """
    others = 1.0 - np.eye(len(total))
    sides = (total, squares), (others @ total, others @ squares)
    with infinities():
        counts = [np.where(s > 0, t**2 / s, 0.0).min(axis=1) for t, s in sides]
    # A hundred cases at 0.1 expect ten events, although their sum is rounded.
    return np.round(counts, 6)


@takes_rows
def by_group(
    cases: Cases,
    rule: Rule | str = "brier",
    *,
    reference: float | ArrayLike | None = None,
    calibration: bool = True,
    level: float = 0.95,
    replicates: int = 999,
    rng: int | np.random.Generator | None = None,
) -> Groups:
    r"""Score groups of cases, and compare each with the rest.

    With :math:`\bar S_g` the mean score of group g and :math:`\bar S_{-g}` that of all other cases,
    the difference has the influences

    .. math:: u_i = \frac{w_i (s_i - \bar S_g)}{W_g} \text{ inside}, \qquad
        u_i = -\frac{w_i (s_i - \bar S_{-g})}{W_{-g}} \text{ outside.}

    Added up over clusters, which may reach across groups, these give the covariance of all
    differences, and so intervals that hold for all groups at once. The skill, and the logarithm of
    observed to expected events, are compared in the same way.

    Parameters
    ----------
    cases : Cases
        With ``groups=``; weights, clusters, strata and times are allowed for.
    rule : Rule or str
        Any rule, for an event or for classes, or its name.
    reference : float or array-like, optional
        What the skill is measured against: one forecast for all cases, or one a case. Without it,
        the event rate of each group, or its shares of the classes.
    calibration : bool
        Look at the calibration within groups as well, for which outcomes are drawn; not of classes.
    level : float
        Coverage aimed at by the intervals.
    replicates : int
        Random draws for the calibration test and for the miscalibration of each group.
    rng : int or numpy Generator, optional
        Seed or source of the randomness; without it, every call draws anew.

    Returns
    -------
    Groups

    Notes
    -----
    *Small groups.* A group is tested, and has an interval, if the forecasts expect at least ten
    events and ten non-events in it, and as many in the rest: :math:`\sum p` and
    :math:`\sum (1 - p)`, with weights Kish's effective numbers. Outcomes do not decide, since the
    groups with enough events would then be those with too many by chance. With classes, ten cases
    must be expected outside the class with the highest mean forecast. The skill needs 30 instead of
    ten. Groups with cases from fewer than five clusters, or at fewer than 20 times, are not tested
    either; its calibration needs enough clusters for the least p-value to be at most half
    the level divided by the number of groups. The slope needs 20 observed events and as many
    non-events, and miscalibration, less its bias, 200 cases. Smaller groups are counted and scored.

    *Degrees of freedom* of a difference are Satterthwaite's: those of the group and those of the
    rest, by their shares in its variance; clusters in both are allowed for. A low variance of a
    small group would make them too many, so they are no more than if all cases, or clusters, varied
    alike. Those behind the homogeneity are found in the same way.

    *Skewed scores.* In a group of few cases a score that is low by chance has a low standard error
    as well. Tests and intervals of differences allow for that by a transformation of Hall's, from
    ten cases, or clusters, on either side; their intervals are longer on one side. Not under strata
    and times. For observed to expected events it is that of a logarithm of a ratio.

    *Many groups.* Adjusted p-values and simultaneous intervals of differences come from the largest
    of all t statistics (single-step max-t), so that one is significant exactly where the other
    excludes zero. p-values of calibration tests are adjusted by Holm's method [1]_. Both allow for
    the groups of this call only, not for other ways to divide the cases that were tried before.
    More than 20 groups are warned of.

    *What differs.* A group in which the event is about as common as not has a higher score than one
    in which it is rare, even under perfect forecasts. The skill, observed to expected events, the
    slope and the miscalibration say more about the forecasts.

    *The worst group* is the one whose estimate is the highest, and an estimate is highest where
    chance has added to it: a maximum is biased upward. The simultaneous interval allows for that.
    Shrunk scores are drawn towards the mean of the groups, by the method of DerSimonian and Laird.

    *Design.* Standard errors of a group are those of its own cases, or clusters. Under strata and
    times all are kept, with influence 0. The homogeneity of groups is tested by Cochran's Q, or by
    its generalisation to estimates that depend on one another, with an F distribution. Shrinkage
    ignores that dependence. Weights are relative: only their ratios matter, here and within groups.

    *What is left.* With ten groups that expect 30 to 45 events each, and have the same skill, any
    is called different in 5 to 8 of 100 samples, not 5; with 100 events that is right. A group in
    which no event was observed has no logarithm of observed to expected events; the calibration
    test still judges it. Forty groups of 25 cases that are all alike are found not to be
    homogeneous in 10 of 100 samples, not 5; tests of single groups are not affected. A group that
    is one short stretch of dependent times differs from the rest too often: 25 and 11 times in 100
    for 20 and for 40 of 200 times, if times next to each other have a correlation of a half.

    *What is drawn.* The calibration test of a group is that of `properly.calibration_test`, and its
    corrected miscalibration that of `properly.decompose`. One set of calibrated outcomes serves
    both. Groups of more than 2,048 distinct forecasts are drawn in some 320 cells.

    *Memory.* Of independent cases, what each group adds up to is kept. With a `reference`, or of
    classes, one number for each group and each case; two for each group and cluster, or time; two
    for each group and case of a stratum.

    References
    ----------
    .. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6:65-70.
    .. [2] R. DerSimonian, N. Laird (1986). Meta-analysis in clinical trials. Controlled Clinical
       Trials 7:177-188. `doi:10.1016/0197-2456(86)90046-2
       <https://doi.org/10.1016/0197-2456(86)90046-2>`__
    .. [3] F. E. Satterthwaite (1946). An approximate distribution of estimates of variance
       components. Biometrics Bulletin 2:110-114. `doi:10.2307/3002019
       <https://doi.org/10.2307/3002019>`__
    .. [4] J. E. Pustejovsky, E. Tipton (2018). Small-sample methods for cluster-robust variance
       estimation and hypothesis testing in fixed effects models. Journal of Business & Economic
       Statistics 36:672-683. `doi:10.1080/07350015.2016.1247004
       <https://doi.org/10.1080/07350015.2016.1247004>`__
    .. [5] P. Hall (1992). On the removal of skewness by transformation. Journal of the Royal
       Statistical Society B 54:221-228. `doi:10.1111/j.2517-6161.1992.tb01876.x
       <https://doi.org/10.1111/j.2517-6161.1992.tb01876.x>`__

    Examples
    --------
    Deaths are rarer among those who wore a seat belt. That makes their score the lower one, but
    hardly the forecasts the better ones:

    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> cases = properly.Cases(
    ...     crash.died,
    ...     crash.forecasts["logistic"],
    ...     clusters=crash.cluster,
    ...     groups=crash.seatbelt,
    ... )
    >>> found = properly.by_group(cases, Brier(), replicates=99, rng=1)
    >>> found.name, found.score.round(4), found.skill.round(3)
    (['belted', 'none'], array([0.0211, 0.0652]), array([0.152, 0.167]))
    >>> found.difference.round(4), found.measures["skill"].p_value.round(2)
    (array([-0.0441,  0.0441]), array([0.62, 0.62]))
    >>> lower, upper = found.worst.simultaneous
    >>> print(f"{found.worst.name}: {lower:.4f} to {upper:.4f}")
    none: 0.0359 to 0.0528
    """
    require_groups(cases)
    rule = require_class_rule(rule) if cases.classes else require_binary(rule)
    drawing = as_drawing(level, replicates, rng)
    is_asked = check_flag(calibration, "calibration") and cases.classes is None
    split = split_of_rows(cases)
    about = about_event(cases, split.number, split.cases)
    rows = amounts_of(cases, rule, reference)
    measures = measures_of(rule, cases.classes, None if reference is None else len(rows.amount))
    # Of independent cases, what each group adds up to says as much.
    is_rowwise = is_dependent(cases) or is_whole(split.design) or cases.classes is not None
    summed = rows if is_rowwise else GroupMoments.of(rows, split.number)
    compared = contrasts(summed, measures, split, drawing)
    groups = None
    if is_asked:
        parts = cases.by_group()
        groups = [parts[label] for label in split.labels]
    return describe_groups(split, about, compared, groups, rule=rule, drawing=drawing)


def describe_groups(
    split: GroupSplit,
    about: dict[str, Column | None],
    compared: dict[str, Contrast],
    groups: Sequence[Tally | Cases] | None,
    *,
    rule: Rule,
    drawing: Drawing,
) -> Groups:
    """Look at the calibration within the groups, if they are given, and gather everything."""
    _warn_of_groups(split, is_event=about["events"] is not None)
    within = None
    if groups is not None:
        within = calibrate_groups(groups, require_binary(rule), split.enough, drawing)
    return Groups(
        labels=tuple(split.labels),
        name=names_of_labels(split.labels),
        cases=split.cases,
        **about,
        measures=compared,
        calibration=within,
        units=split.units.inside,
        enough=split.enough,
        rule=rule.name,
        unit=unit_of(rule),
        design=split.design.text,
        level=drawing.level,
        replicates=drawing.replicates,
    )


def split_of_rows(cases: Cases) -> GroupSplit:
    """Count the cases of positive weight in each group, and the expected rarer outcomes."""
    label = to_numpy(require_groups(cases))
    _, p, weight, used = rows_in_use(cases)
    number, labels = numbered(label[used])
    forecast, weight = p.astype(np.float64), weight.astype(np.float64)
    without = (forecast, 1 - forecast) if cases.classes is None else 1 - forecast.T
    expected = (
        np.stack([np.bincount(number, w * q, len(labels)) for q in without], axis=1)
        for w in (weight, weight**2)
    )
    design = Design.of(cases)
    return split_of(labels, number, design, count_units(number, design), *expected)


def split_of(
    labels: list[Any], number: Column, design: Design, units: UnitCounts, *expected: Column
) -> GroupSplit:
    """Mark the groups, and the rests, with enough expected outcomes, clusters and times.

    `expected` has the weight expected outside each class, and that of squared weights, a row per
    group. Sums have no rows, and no `number`.
    """
    if len(labels) < 2:
        message = f"a group is compared with the rest; got the single group {labels[0]!r}"
        raise DataError(message, hint="score_interval judges all cases together.")
    rarer = _count_rarer(*expected)
    needs: list[tuple[Any, int]] = [(rarer, FOR_INTERVAL)]
    if design.time is None or design.is_panel:
        needs.append(((units.inside, units.outside), FOR_CLUSTERS))
    if design.time is not None:
        times = count_units(number, Design(design.weight, time=design.time))
        needs.append(((times.inside, times.outside), TIMES))
    enough, rest = (np.all([x[side] >= least for x, least in needs], axis=0) for side in (0, 1))
    cases = np.bincount(number) if len(number) else units.inside
    return GroupSplit(labels, cases, number, design, units, enough, rest, rarer)


def about_event(
    cases: Cases, number: Column, count: Column, *, fewest: int = 0
) -> dict[str, Column | None]:
    """Count events, and average outcomes and forecasts; of classes there is nothing to say.

    `number` is the group, or the period, of each case and `count` how many cases each has; with
    fewer than `fewest` there are no averages.
    """
    if cases.classes is not None:
        return {"events": None, "event_rate": None, "mean_forecast": None}
    y, p, weight, _ = rows_in_use(cases)
    total, events, forecast = (
        np.bincount(number, x, len(count)) for x in (weight, weight * y, weight * p)
    )
    enough = count >= fewest
    # Nothing is divided by the weight of no case.
    total = np.where(enough, total, 1.0)
    return {
        "events": np.bincount(number[y], minlength=len(count)),
        "event_rate": np.where(enough, events / total, np.nan),
        "mean_forecast": np.where(enough, forecast / total, np.nan),
    }


def _warn_of_groups(split: GroupSplit, *, is_event: bool) -> None:
    """Warn of many groups, and of groups whose intervals cover less than they say."""
    count = len(split.labels)
    if count > MANY:
        message = (
            f"{count} groups are looked at, more than {MANY}: some differ from the rest by chance, "
            "so read adjusted p-values and simultaneous intervals"
        )
        notice(message)
    tested = split.rarer[0] >= FOR_INTERVAL
    few = int((tested & (split.rarer[0] < FEW)).sum())
    if few:
        what = "events, or non-events," if is_event else "cases outside the commonest class"
        message = (
            f"in {few} of {many(int(tested.sum()), 'group')} with intervals, fewer than {FEW} "
            f"{what} are expected: intervals there may cover a few per cent less than their level"
        )
        notice(message)


def calibrate_groups(
    groups: Sequence[Tally | Cases], rule: BinaryRule, enough: Column, drawing: Drawing
) -> GroupCalibration:
    """Find slope, corrected miscalibration and the calibration test of each group.

    Tallies are of independent cases that were counted.
    """
    count = len(groups)
    slope, miscalibration = np.full((2, count, 3), np.nan)
    p, is_bound = np.full(count, np.nan), np.zeros(count, dtype=bool)
    # Holm asks the least p-value to be below the level by as many tests.
    small = (1 - drawing.level) / max(int(np.sum(enough)), 1)
    for g, group in enumerate(groups):
        if not enough[g] or not _stands_alone(group):
            continue
        whole = Subject.of(group)
        subject = whole.with_log_odds()
        if min(subject.events, subject.about["cases"] - subject.events) >= FOR_SLOPE:
            line = find_slope(subject, drawing.level)
            slope[g] = line.value, *line.interval
        is_large = rule.is_proper and whole.about["cases"] >= FOR_MISCALIBRATION
        rules, null = [rule] if is_large else [], None
        if is_dependent(group):
            test = dependent_test(group, small)
        else:
            null = NullDraws(group, [Brier(), *rules], drawing.rng, CELLS)
            test = combined_test(group, drawing.replicates, null)
        p[g], is_bound[g] = test.p_value, test.p_is_bound
        if is_large:
            parts = decompose_by(as_tally(group), rules)
            found = find_intervals(group, rules, parts, drawing, null=null)[0]
            miscalibration[g] = found.corrected_miscalibration, *found.miscalibration
    numbers = slope[:, 0], slope[:, 1:], miscalibration[:, 0], miscalibration[:, 1:]
    return GroupCalibration(*numbers, p, holm(p), is_bound, holm_bounds(p, is_bound))


def _stands_alone(cases: Tally | Cases) -> bool:
    """Tell whether a group has the times, or the clusters of each stratum, to vary."""
    if not (is_dependent(cases) or has_strata(cases)):
        return True
    design = Design.of(cases)
    case = np.arange(len(design.weight))
    stratum, unit = (
        other if own is None else own
        for own, other in ((design.stratum, 0 * case), (design.cluster, case))
    )
    units = np.bincount(np.unique(np.stack([stratum, unit]), axis=1)[0])
    return units.min() > 1 and (design.time is None or design.times >= TIMES)
