"""What rules assume: their weight on thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._libraries import infinities
from properly.errors import DataError, ImproperRuleError
from properly.plots._axes import Color, Ink, Limits, by_name, inks
from properly.plots._names import legible
from properly.plots._threshold_scale import PIECES, Axis, Thresholds, ThresholdSpan, draw_names
from properly.rules import BinaryRule

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from properly.plots._threshold_scale import Corners
    from properly.typing import Column

# Of the height of the picture, what a point mass has that is all of the weight.
TALLEST = 0.95


def threshold_weights(
    rules: BinaryRule | Iterable[BinaryRule] | Mapping[str, BinaryRule],
    ax: Axes | None = None,
    *,
    axis: Axis | None = None,
    color: Color | None = None,
    limits: Limits | None = None,
) -> Axes:
    r"""Draw how much each threshold matters to a rule.

    A rule adds up regret over thresholds, :math:`\int R(c)\, w(c)\, dc`. Its weight is what it
    assumes about the decisions to come: where :math:`w` is high, the trade-offs between false
    positives and false negatives are that common, or that important.

    Parameters
    ----------
    rules : BinaryRule, or several in a list, or in a dict by name
        Rules of `properly.rules`. In a list, each is known by its `name`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    axis : {"linear", "log-odds"}, optional
        ``"linear"`` shows :math:`w(c)` at even steps of the threshold; ``"log-odds"`` shows
        :math:`c (1 - c)\, w(c)`, the density of the same weight at even steps of the log-odds. That
        of the Axes if left out; a new one is linear.
    color : str or dict of str by name, optional
        Colour of the curve; the next of Okabe and Ito's palette if left out.
    limits : Interval or pair of float, optional
        The thresholds to show. On the log-odds axis, 0 and 1 are infinitely far away, and the
        picture ends at 0.1 % and 99.9 %.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The area under a curve, over all thresholds, is one on either axis: what a rule multiplies all
    weights with does not matter here. A rule whose weight is infinite, such as `Log`, cannot be
    normalised, which the legend says; its area is one over the thresholds in view. A density that
    grows without bounds leaves the picture.

    A point mass is a stem with a dot. Its height is its share of the weight: that of all the weight
    is as tall as the picture, whatever the scale of the densities.

    References
    ----------
    .. [1] A. Buja, W. Stuetzle, Y. Shen (2005). Loss functions for binary class probability
       estimation and classification: structure and applications. University of Pennsylvania.
    .. [2] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528 <https://arxiv.org/abs/2504.04528>`__

    Examples
    --------
    >>> from properly import plots
    >>> from properly.rules import Brier, Log, Misclassification
    >>> rules = {"accuracy": Misclassification(), "Brier": Brier(), "log": Log()}
    >>> ax = plots.threshold_weights(rules, axis="log-odds")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['accuracy, point mass', 'Brier', 'log, not normalised']
    """
    named = _by_name(rules)
    picture = Thresholds(ax, axis=axis, limits=limits)
    ink = inks(named, color, len(picture.curves))
    # What was drawn before must stay in view.
    top = picture.ax.get_ylim()[1] if picture.curves else 0.0
    for name, rule in named.items():
        top = max(top, _draw_rule(picture, rule, ink[name], name))
    if picture.ax.get_autoscaley_on():
        picture.ax.set_ylim(0, top or 1, auto=None)
    unit = "threshold" if picture.view.scale.name == "linear" else "log-odds"
    picture.ax.set_ylabel(f"weight per unit of {unit}")
    draw_names(picture)
    return picture.ax


def _by_name(rules: object) -> dict[str, BinaryRule]:
    """Take one rule, several, or several by name; refuse those that are no weight."""
    if not isinstance(rules, Mapping):
        several = list(rules) if isinstance(rules, Iterable) else [rules]
        names = [getattr(rule, "name", str(k)) for k, rule in enumerate(several)]
        if len(set(names)) < len(names):
            message = f"rules in a list must have names that differ; got {names}"
            raise DataError(message, hint='give them names, as in {"mine": rule}.')
        rules = dict(zip(names, several, strict=True))
    kind: Any = BinaryRule  # abstract, which a type checker takes amiss
    result: dict[str, BinaryRule] = by_name(rules, kind, "properly.rules, such as Brier()")
    for rule in result.values():
        if not rule.is_proper:
            message = f"only a proper rule is a weight on thresholds; got {rule!r}"
            raise ImproperRuleError(message)
    return result


def _draw_rule(picture: Thresholds, rule: BinaryRule, ink: Ink, name: str) -> float:
    """Draw the density and the point masses of a rule; return how high its density needs to be."""
    view, mass = picture.view, float(rule.mass(0.0, 1.0))
    finite = math.isfinite(mass)
    said = legible(name) if finite else f"{legible(name)}, not normalised"
    x, y = _density(view, rule)
    y = y / (mass if finite else _mass_in_view(view, rule))
    top = 0.0
    if y.any():
        drawn = np.where(_above_ground(y), y, np.nan)
        picture.draw_curve((x, drawn), ink, name, label=said)
        top = 1.05 * _height(view, x, y)
    if rule.atoms:
        t, masses = np.array(rule.atoms).T
        tops, gap = TALLEST * masses / mass, np.full_like(t, np.nan)
        # Lines from the ground to each point mass, with gaps between them.
        stems = [np.stack(x, axis=1).ravel() for x in ((t, t, gap), (0 * t, tops, gap))]
        mark = {"gid": "stem", "label": None} if y.any() else {"label": f"{said}, point mass"}
        look: dict[str, Any] = {"marker": "o", "markersize": 5, "markevery": (1, 3), "zorder": 2.6}
        look |= {"transform": picture.ax.get_xaxis_transform()} | mark
        picture.draw_curve((stems[0], stems[1]), ink, name, width=1.8, **look)
    return top


def _density(view: ThresholdSpan, rule: BinaryRule) -> Corners:
    """Return the density along the axis, with both sides of each jump."""

    @infinities()
    def at(c: Column) -> Column:
        linear = view.scale.name == "linear"
        result: Column = rule.weight(c) if linear else rule.logit_weight(c, 1 - c)
        return result

    x = view.points(2 * PIECES)
    return _with_jumps(at, x, at(x))


@infinities()
def _with_jumps(at: Callable[[Column], Column], x: Column, y: Column) -> Corners:
    """Add both sides of each jump, found by halving the steps in which there may be one."""
    steps = np.abs(np.diff(y))
    most = np.max(y, initial=0.0, where=np.isfinite(y))
    k = np.nonzero((steps > most / 100) & np.isfinite(steps))[0]
    left, right, low, high = x[k], x[k + 1], y[k], y[k + 1]
    for _ in range(60):
        middle = (left + right) / 2
        value = at(middle)
        before = np.abs(value - low) > np.abs(high - value)
        left, low = np.where(before, left, middle), np.where(before, low, value)
        right, high = np.where(before, middle, right), np.where(before, value, high)
    sudden = np.abs(high - low) > steps[k] / 2
    x = np.concatenate([x, left[sudden], right[sudden]])
    y = np.concatenate([y, low[sudden], high[sudden]])
    order = np.argsort(x, kind="stable")
    return x[order], y[order]


def _above_ground(y: Column) -> Column:
    """Tell where there is something to draw: weight, or the foot of a jump to it."""
    weight = np.concatenate([[False], y > 0, [False]])
    result: Column = np.isfinite(y) & (weight[:-2] | weight[1:-1] | weight[2:])
    return result


def _mass_in_view(view: ThresholdSpan, rule: BinaryRule) -> float:
    """Return the weight of the thresholds in view, cut short of an end where it is infinite."""
    result = float(rule.mass(view.lower, view.upper))
    if math.isinf(result):
        short = 1e-3 * (view.upper - view.lower)
        result = float(rule.mass(view.lower + short, view.upper - short))
    return result


def _height(view: ThresholdSpan, x: Column, y: Column) -> float:
    """Return the greatest density; of one without bounds, that in the middle of the picture."""
    inner = np.isfinite(y)
    if not inner.all():
        inner &= (view.place(x) > 0.05) & (view.place(x) < 0.95)
    return float(y[inner].max(initial=0.0))
