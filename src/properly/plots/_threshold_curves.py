"""Curves over thresholds: Murphy diagrams, regret, net benefit, and its differences."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from properly.counts._baselines import TREAT_ALL, TREAT_NONE
from properly.decisions._murphy import MurphyCurve
from properly.decisions._net_benefit import DecisionCurve, DecisionDifference, without_model
from properly.errors import DataError
from properly.plots import _threshold_scale as scales
from properly.plots._axes import Color, Ink, Limits, Picture, by_name, inks, require_one
from properly.plots._evaluation import draws_evaluation
from properly.plots._threshold_scale import Axis, Corners, Thresholds, ThresholdScale, ThresholdSpan
from properly.rules._interval import Interval, as_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.typing import Column


HEIGHT = {
    name: {"score": score, "difference": f"difference in {score}"}
    for name, score in (("brier", "mean elementary score"), ("regret", "regret"))
}
REGRET_MAKER = "properly.regret_curve(tally)"
# Of a figure without names beside the picture.
NARROW = 5.2


@draws_evaluation
def murphy(
    curve: MurphyCurve | Mapping[str, MurphyCurve],
    ax: Axes | None = None,
    *,
    color: Color | None = None,
    limits: Limits | None = None,
) -> Axes:
    """Draw the mean elementary score at each threshold.

    A model whose curve is nowhere above that of another has the lower mean score under every proper
    rule. Where curves cross, it depends on the thresholds that matter. The area below a
    curve is the mean Brier score, or the part of it that the curve shows.

    Parameters
    ----------
    curve : MurphyCurve or dict of MurphyCurve by model
        From `properly.murphy_curve`, or `properly.decisions.murphy_difference`, which comes with a
        line at zero: below it the first model is better. On the regret scale, the height is named
        so.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    color : str or dict of str by model, optional
        Colour of the curve; the next of Okabe and Ito's palette if left out.
    limits : Interval or pair of float, optional
        The thresholds to show.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    .. [1] W. Ehm, T. Gneiting, A. Jordan, F. Krüger (2016). Of quantiles and expectiles: consistent
       scoring functions, Choquet representations and forecast rankings. Journal of the Royal
       Statistical Society B 78:505-562. `doi:10.1111/rssb.12154 <https://doi.org/10.1111/rssb.12154>`__

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> plots.murphy(properly.murphy_curve(t)).get_ylabel()
    'mean elementary score'
    """
    records = by_name(curve, MurphyCurve, "properly.murphy_curve(tally)")
    several = isinstance(curve, Mapping)
    picture = Picture(ax, scales.WIDTH if several else NARROW)
    draw_scores(picture, records, inks(records, color, len(picture.curves)))
    picture.show_limits(limits)
    if several:
        scales.draw_names(picture)
    return picture.ax


def draw_scores(
    picture: Picture, records: Mapping[str, MurphyCurve], ink: Mapping[str, Ink]
) -> None:
    """Draw the curves of all models, and the band of one that is alone."""
    picture.draw_curves(records, ink, MurphyCurve.curve, picture.bands(records))
    if any(record.part == "difference" for record in records.values()):
        picture.draw_zero()
    else:
        # A score is never below zero; where curves touch it, the picture ends.
        picture.curves[-1].sticky_edges.y.append(0)
    picture.ax.set(xlabel="threshold", ylabel=height_of(records.values()))


def height_of(records: Collection[MurphyCurve]) -> str:
    """Name what is drawn upwards: the part that all curves show, or the score that they add to."""
    scales, parts = ({getattr(r, name) for r in records} for name in ("scale", "part"))
    part = parts.pop() if len(parts) == 1 else "score"
    return HEIGHT["regret" if scales == {"regret"} else "brier"].get(part, part)


@draws_evaluation
def regret(
    curve: MurphyCurve | Mapping[str, MurphyCurve],
    ax: Axes | None = None,
    *,
    within: Limits | None = None,
    axis: Axis | None = None,
    baselines: bool = True,
    color: Color | None = None,
    limits: Limits | None = None,
) -> Axes:
    r"""Draw what decisions cost at each threshold.

    .. math:: R(c) = c \, \mathrm{FP}(c) + (1 - c) \, \mathrm{FN}(c),

    with the shares of all cases that are false positives and false negatives if one acts if and
    only if :math:`p \ge c`. The lower, the better.

    Parameters
    ----------
    curve : MurphyCurve or dict of MurphyCurve by model
        From `properly.regret_curve`, or a difference of two, from
        ``properly.decisions.murphy_difference(…).on_regret_scale()``, which comes with a line at
        zero: below it the first model is better.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    within : Interval or pair of float, optional
        The thresholds that matter. They are shaded, and the legend gives the mean regret over them,
        all alike: the mean of ``rules.Regret(within)``, whatever the axis.
    axis : {"linear", "log-odds"}, optional
        Even steps in the threshold or in its log-odds, which make room for small thresholds. That
        of the Axes if left out; a new one is linear.
    baselines : bool
        Whether two grey lines show what it costs to act on all cases, ``c (1 - event_rate)``, and
        on none, ``(1 - c) event_rate``. Parts and differences have none.
    color : str or dict of str by model, optional
        Colour of the curve; the next of Okabe and Ito's palette if left out.
    limits : Interval or pair of float, optional
        The thresholds to show. On the log-odds axis, an end at 0 or 1, which is infinitely far
        away, is cut to where the forecasts are.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Nothing is smoothed: the curve jumps where there are forecasts, and is straight in the
    threshold, so bent on the log-odds axis, between them.

    On your own Axes, up to eight names stand in a corner; more stand beside the curves, for which
    the Axes becomes narrower.

    References
    ----------
    .. [1] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528 <https://arxiv.org/abs/2504.04528>`__

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> ax = plots.regret({"mine": properly.regret_curve(t)}, within=(0.2, 0.5))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['mine  .1875', 'treat all  .1750', 'treat none  .3250']
    """
    records = by_name(curve, MurphyCurve, REGRET_MAKER)
    for record in records.values():
        if record.scale != "regret":
            message = f"this picture is drawn from curves of regret; got scale {record.scale!r}"
            raise DataError(message, hint=f"make one with {REGRET_MAKER}.")
    ends = None if within is None else as_interval(within)
    rate = _event_rate(records) if baselines else None
    named = isinstance(curve, Mapping) or ends is not None or rate is not None
    knots = [record.threshold for record in records.values()]
    width = scales.WIDTH if named else NARROW
    picture = Thresholds(ax, width, axis=axis, limits=limits, thresholds=knots)
    ink = inks(records, color, len(picture.curves))
    edges = picture.draw_bent(records, ink, _straight)
    length = 1.0 if ends is None else ends.upper - ends.lower
    means = {} if ends is None else {k: x.area(ends) / length for k, x in records.items()}
    digits = picture.name_means(means, ends)
    if rate is not None:
        edges.append(_draw_costs(picture, rate, ends, digits))
    if any(record.part == "difference" for record in records.values()):
        picture.draw_zero()
    what = height_of(records.values())
    picture.ax.set_ylabel(what)
    picture.set_height(edges)
    if named:
        is_linear = picture.view.scale.name == "linear"
        title = scales.title_of(f"mean {what}", ends)
        scales.draw_names(picture, title=title, corner="upper right" if is_linear else "upper left")
    return picture.ax


def _event_rate(records: Mapping[str, MurphyCurve]) -> float | None:
    """Return the share of events that regrets have in common; parts of it have no baselines."""
    rates = [r.event_rate for r in records.values() if r.part == "score"]
    present = [rate for rate in rates if rate is not None]
    return require_one(present, "event rate") if len(present) == len(records) else None


def _straight(view: ThresholdSpan, curve: MurphyCurve) -> Corners:
    """Return the corners of a curve that is straight in the threshold."""
    corners = curve.curve()
    return corners if view.scale.name == "linear" else scales.bend(view, corners, curve.at)


def _draw_costs(picture: Thresholds, rate: float, ends: Interval | None, digits: int) -> Corners:
    """Draw what it costs to act on all cases and on none; return the lesser of the two."""
    c = picture.view.points()
    costs: dict[str, Callable[[Column], Column]] = {
        TREAT_ALL: lambda t: t * (1 - rate),
        TREAT_NONE: lambda t: (1 - t) * rate,
    }
    for name, cost in costs.items():
        # Straight in the threshold: the mean is that of the middle.
        middle = None if ends is None else np.asarray((ends.lower + ends.upper) / 2)
        mean = None if middle is None else float(cost(middle))
        picture.draw_plain(name, (c, cost(c)), rate, mean, digits)
    # The best that can be had without a model is in view as well.
    return c, np.minimum(*(cost(c) for cost in costs.values()))


@draws_evaluation
def decision(
    curve: DecisionCurve | Mapping[str, DecisionCurve],
    ax: Axes | None = None,
    *,
    within: Limits | None = None,
    axis: Axis | None = None,
    baselines: bool = True,
    color: Color | None = None,
    limits: Limits | None = None,
) -> Axes:
    r"""Draw the net benefit at each threshold.

    .. math:: \mathrm{NB}(c) = \mathrm{TP}(c) - \frac{c}{1 - c} \mathrm{FP}(c)
        = \pi - \frac{R(c)}{1 - c},

    with shares of all cases, the event rate :math:`\pi` and the regret :math:`R`. The higher, the
    better; a model that is below one of the grey lines does harm there.

    Parameters
    ----------
    curve : DecisionCurve or dict of DecisionCurve by model
        From `properly.decision_curve`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    within : Interval or pair of float, optional
        The thresholds that matter, for exact curves: those made with ``thresholds="every"``. They
        are shaded, and the legend gives the mean that belongs to the axis. On the linear axis that
        is mean net benefit, the higher the better; on the others it is what the area between the
        event rate and the curve stands for, the lower the better.
    axis : {"linear", "log-odds", "quadratic", "logarithmic"}, optional
        What the steps along the axis are even in; see the notes. That of the Axes if left out; a
        new one is linear.
    baselines : bool
        Whether to draw grey lines for acting on all cases and on none.
    color : str or dict of str by model, optional
        Colour of the curve; the next of Okabe and Ito's palette if left out.
    limits : Interval or pair of float, optional
        The thresholds to show; unless said otherwise all that the curves have. An end that the axis
        puts infinitely far away is cut to where the forecasts are.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Net benefit falls short of the event rate by :math:`R(c) / (1 - c)`. What the area of that
    shortfall over a range from a to b means depends on the axis:

    ============= ============================ ================ ====================================
    axis          position                     divided by       the mean of
    ============= ============================ ================ ====================================
    linear        :math:`c`                    :math:`b - a`    ``Bounded(MissedBenefit(), within)``
    quadratic     :math:`-(1 - c)^2 / 2`       :math:`b - a`    ``Regret(within)``
    logarithmic   :math:`\log c`               difference       ``Bounded(Log(), within)``
                                               of log-odds
    log-odds      :math:`\log c / (1 - c)`     the same         no rule of its own
    ============= ============================ ================ ====================================

    So on the quadratic and on the logarithmic axis the eye compares models as proper scores do. On
    the linear axis, the event rate minus the mean of the shortfall is
    `properly.decisions.mean_net_benefit`, less the harm if there is one; that is what the legend
    gives.

    Acting on all cases has a net benefit of minus infinity as the threshold goes to 1: the picture
    ends a little below zero, unless the owner of the Axes has set its height.

    References
    ----------
    .. [1] A. J. Vickers, E. B. Elkin (2006). Decision curve analysis: a novel method for evaluating
       prediction models. Medical Decision Making 26:565-574.
       `doi:10.1177/0272989X06295361 <https://doi.org/10.1177/0272989X06295361>`__
    .. [2] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528 <https://arxiv.org/abs/2504.04528>`__, appendix E, where the area on the
       quadratic axis is said to be the bounded Brier score, which is twice the mean regret.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> curve = properly.decision_curve(t, "every")
    >>> ax = plots.decision({"mine": curve}, within=(0.2, 0.5), axis="quadratic")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['mine  .1875', 'treat all  .1750', 'treat none  .3250', 'perfect forecasts']
    """
    records = by_name(curve, DecisionCurve, "properly.decision_curve(tally)")
    rate = require_one((x.event_rate for x in records.values()), "event rate")
    ends = None if within is None else _range(records, within)
    named = isinstance(curve, Mapping) or baselines or ends is not None
    whole = any(record.exact for record in records.values())
    picture = _show(ax, records, axis, limits, named=named, whole=whole)
    scale = picture.view.scale
    means = {} if ends is None else {k: _mean(r, scale, ends) for k, r in records.items()}
    ink = inks(records, color, len(picture.curves))
    picture.draw_bent(records, ink, scales.bend_steps)
    digits = picture.name_means(means, ends)
    c = picture.view.points()
    c = c[c < 1]
    for name, plain in without_model(rate).items() if baselines else ():
        mean = None if ends is None else _mean(plain, scale, ends)
        picture.draw_plain(name, (c, plain.at(c)), rate, mean, digits)
    if ends is not None:
        picture.draw_plain(scales.PERFECT, (c, np.full_like(c, rate)), rate)
    picture.ax.set_ylabel("net benefit")
    if picture.ax.get_autoscaley_on():
        # What is worth having, from a little below nothing to all there is.
        picture.ax.set_ylim(-0.15 * (rate or 1), 1.1 * (rate or 0.2))
    if named:
        # Where small thresholds have room, the curves fall late and leave the other corner empty.
        late = scale.name in ("log-odds", "logarithmic")
        title = scales.title_of(scale.mean, ends)
        scales.draw_names(picture, title=title, corner="lower left" if late else "upper right")
    return picture.ax


def _mean(curve: DecisionCurve, scale: ThresholdScale, ends: Interval) -> float:
    """Return what the legend tells of a curve: the mean that is natural on the axis."""
    steps = curve.steps if scale.name == "linear" else curve.missed
    mean = steps.mean(ends, scale.forward, scale.odds_area, scale.length)
    if not np.isfinite(mean):
        message = f"on the {scale.name} axis a mean needs a range of finite length; "
        message += f"got ({ends.lower:g}, {ends.upper:g})"
        raise DataError(message, hint="choose a range strictly between 0 and 1.")
    return mean


def _range(records: Mapping[str, DecisionCurve], within: Limits) -> Interval:
    ends = as_interval(within)
    if ends.upper == 1:
        message = f"net benefit has no value at the threshold 1; got ({ends.lower}, {ends.upper})"
        raise DataError(message, hint="let the range end below 1.")
    if not all(record.exact for record in records.values()):
        message = "a mean over a range needs exact curves; got thresholds on a grid"
        raise DataError(message, hint='make them with properly.decision_curve(tally, "every").')
    return ends


def _show(
    ax: Axes | None,
    records: Mapping[str, DecisionCurve | DecisionDifference],
    axis: Axis | None,
    limits: Limits | None,
    *,
    named: bool,
    whole: bool,
) -> Thresholds:
    """Show all thresholds, or those that curves of net benefit have."""
    knots = [record.threshold for record in records.values()]
    least, most = (float(end(np.concatenate(knots))) for end in (np.min, np.max))
    usual = (0.0, 1.0) if whole or least == most else (least, most)
    asked: Any = {"axis": axis, "limits": limits, "choices": get_args(Axis), "usual": usual}
    return Thresholds(ax, scales.WIDTH if named else NARROW, thresholds=knots, **asked)


def decision_difference(
    difference: DecisionDifference | Mapping[str, DecisionDifference],
    ax: Axes | None = None,
    *,
    axis: Axis | None = None,
    limits: Limits | None = None,
) -> Axes:
    """Draw how much more net benefit one model has than another, at each threshold.

    Above the line at zero the first model is better, below it the second.

    Parameters
    ----------
    difference : DecisionDifference or dict of DecisionDifference by name
        From `properly.decisions.decision_difference`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    axis : {"linear", "log-odds", "quadratic", "logarithmic"}, optional
        As in `properly.plots.decision`.
    limits : Interval or pair of float, optional
        The thresholds to show; unless said otherwise, those that there are.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> y = [0, 1, 0, 1]
    >>> first = properly.tally(y, [0.1, 0.6, 0.3, 0.9])
    >>> second = properly.tally(y, [0.1, 0.3, 0.6, 0.9])
    >>> ax = plots.decision_difference(properly.decisions.decision_difference(first, second))
    >>> ax.get_ylabel()
    'difference in net benefit'
    """
    maker = "properly.decisions.decision_difference(first, second)"
    records = by_name(difference, DecisionDifference, maker)
    named = isinstance(difference, Mapping)
    picture = _show(ax, records, axis, limits, named=named, whole=False)
    ink = inks(records, None, len(picture.curves))
    edges = picture.draw_bent(records, ink, scales.bend_steps)
    picture.draw_zero()
    picture.ax.set_ylabel("difference in net benefit")
    picture.set_height(edges)
    if named:
        scales.draw_names(picture)
    return picture.ax
