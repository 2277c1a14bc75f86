"""Murphy diagrams and regret curves: the mean elementary score, and regret, at each threshold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from properly.counts._baselines import TREAT_ALL, TREAT_NONE
from properly.decisions._murphy import MurphyCurve
from properly.errors import DataError
from properly.plots._axes import (
    Color,
    Ink,
    Limits,
    by_name,
    curves,
    draw_legend,
    inks,
    number,
    plain_axes,
    show_limits,
)
from properly.plots._evaluation import draws_evaluation
from properly.plots._threshold_axis import (
    SCALES,
    WIDTH,
    Axis,
    View,
    bend,
    digits_of,
    draw_curves,
    draw_names,
    draw_plain,
    draw_range,
    draw_zero,
    name_curves,
    one_event_rate,
    set_height,
    show_thresholds,
    title_of,
)
from properly.rules._interval import Interval, as_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from properly.plots._threshold_axis import Corners
    from properly.typing import Column


HEIGHT = {
    "brier": {
        "score": "mean elementary score",
        "difference": "difference in mean elementary score",
    },
    "regret": {"score": "regret", "difference": "difference in regret"},
}
MAKER = "properly.regret_curve(tally)"


@draws_evaluation
def murphy(
    curve: MurphyCurve | Mapping[str, MurphyCurve],
    ax: Axes | None = None,
    *,
    band: bool | None = None,
    color: Color | None = None,
    label: str | None = None,
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
    band : bool, optional
        Whether to show the band of the curve, if it has one. Unless said otherwise, only a curve
        that is alone has one.
    color : str or dict of str by model, optional
        Colour of the curve; the next of Okabe and Ito's palette if left out.
    label : str, optional
        Name of a single curve in a legend.
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
    records = by_name(curve, MurphyCurve, "properly.murphy_curve(tally)", label)
    several = isinstance(curve, Mapping)
    own = ax is None
    ax = plain_axes(ax, width=6.6 if several else 5.2)
    draw_models(ax, records, inks(records, color, len(curves(ax))), band)
    show_limits(ax, limits)
    if several and own:
        # Murphy curves fill their picture: in a figure of our own the names stand beside it.
        draw_legend(ax, "upper left", bbox_to_anchor=(1, 1))
    elif several:
        draw_legend(ax, "upper right")
    return ax


def draw_models(
    ax: Axes,
    records: Mapping[str, MurphyCurve],
    ink: Mapping[str, Ink],
    band: bool | None = None,
) -> None:
    """Draw the curves of all models, and the band of one that is alone."""
    draw_curves(ax, View(SCALES["linear"], 0, 1), records, ink, _corners, band=band)
    if any(record.part == "difference" for record in records.values()):
        draw_zero(ax)
    else:
        # A score is never below zero; where curves touch it, the picture ends.
        curves(ax)[-1].sticky_edges.y.append(0)
    ax.set(xlabel="threshold", ylabel=height_of(records.values()))


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
    band: bool | None = None,
    color: Color | None = None,
    label: str | None = None,
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
    band : bool, optional
        Whether to show the band of the curve, if it has one. Unless said otherwise, only a curve
        that is alone has one.
    color : str or dict of str by model, optional
        Colour of the curve; the next of Okabe and Ito's palette if left out.
    label : str, optional
        Name of a single curve in the legend.
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
    records = by_name(curve, MurphyCurve, MAKER, label)
    _check(records)
    ends = None if within is None else as_interval(within)
    rate = _event_rate(records) if baselines else None
    named = isinstance(curve, Mapping) or label is not None
    own = ax is None
    ax = plain_axes(ax, width=WIDTH if named or ends or rate is not None else 5.2)
    view = show_thresholds(
        ax,
        axis,
        limits,
        choices=("linear", "log-odds"),
        thresholds=[record.threshold for record in records.values()],
    )
    before = len(curves(ax))
    edges = draw_curves(ax, view, records, inks(records, color, before), _corners, band=band)
    means = {} if ends is None else {name: _mean(record, ends) for name, record in records.items()}
    digits = digits_of(means.values())
    if ends is not None:
        draw_range(ax, view, ends)
        name_curves(ax, means, before, digits)
    if rate is not None:
        _draw_baselines(ax, view, rate, ends, digits)
        # The best that can be had without a model is in view as well.
        edges.append(_best(view, rate))
    if any(record.part == "difference" for record in records.values()):
        draw_zero(ax)
    what = height_of(records.values())
    ax.set_ylabel(what)
    set_height(ax, view, edges)
    if named or ends or rate is not None:
        draw_names(
            ax,
            own=own,
            title=None if ends is None else title_of(f"mean {what}", ends),
            corner="upper right" if view.scale.name == "linear" else "upper left",
        )
    return ax


def _check(records: Mapping[str, MurphyCurve]) -> None:
    for record in records.values():
        if record.scale != "regret":
            message = f"this picture is drawn from curves of regret; got scale {record.scale!r}"
            raise DataError(message, hint=f"make one with {MAKER}.")


def _event_rate(records: Mapping[str, MurphyCurve]) -> float | None:
    """Return the share of events that regrets have in common; parts of it have no baselines."""
    rates = [r.event_rate for r in records.values() if r.part == "score"]
    present = [rate for rate in rates if rate is not None]
    return one_event_rate(present) if len(present) == len(records) else None


def _corners(view: View, curve: MurphyCurve) -> Corners:
    """Return the corners of a curve that is straight in the threshold."""
    corners = curve.curve()
    return corners if view.scale.name == "linear" else bend(view, corners, curve.at)


def _mean(record: MurphyCurve, ends: Interval) -> float:
    return record.area(ends) / (ends.upper - ends.lower)


def _draw_baselines(ax: Axes, view: View, rate: float, ends: Interval | None, digits: int) -> None:
    c = view.points()
    costs: dict[str, Callable[[Column], Column]] = {
        TREAT_ALL: lambda t: t * (1 - rate),
        TREAT_NONE: lambda t: (1 - t) * rate,
    }
    for name, cost in costs.items():
        said = ""
        if ends is not None:
            # Straight in the threshold: the mean is that of the middle.
            middle = np.asarray((ends.lower + ends.upper) / 2)
            said = f"  {number(float(cost(middle)), digits)}"
        draw_plain(ax, name, (c, cost(c)), rate, said)


def _best(view: View, rate: float) -> Corners:
    """Return what the better of acting on all and on none costs."""
    c = view.points()
    return c, np.minimum(c * (1 - rate), (1 - c) * rate)
