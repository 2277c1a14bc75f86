"""The axis of thresholds: its range, its scale, and the weight that rules give to thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from scipy.special import expit, logit

from properly._boundary._libraries import infinities
from properly._boundary._options import check_choice
from properly._boundary._text import percent
from properly.counts._baselines import EVENT_RATE, TREAT_ALL, TREAT_NONE
from properly.decisions._grid import odds
from properly.errors import ImproperRuleError
from properly.plots import _axes
from properly.plots._axes import GREY, PALE, ZERO, Ends, Ink, Limits, Picture, by_name, inks
from properly.plots._names import digits_for, legible, number
from properly.rules import BinaryRule
from properly.rules._interval import Interval, as_interval
from properly.rules._rule import as_rule
from properly.typing import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.decisions._net_benefit import DecisionCurve, DecisionDifference
    from properly.inference._band import Band


Axis: TypeAlias = Literal["linear", "log-odds", "quadratic", "logarithmic"]
Corners: TypeAlias = tuple[Column, Column]
LegendCorner: TypeAlias = Literal["upper left", "upper right", "lower left"]
Record = TypeVar("Record")

# Even steps in the threshold, or in its log-odds.
TWO: tuple[Axis, ...] = ("linear", "log-odds")
# Pieces into which what bends is cut over the width of a picture: far less than a pixel each.
PIECES = 1000
# The least distance between two ticks, as a share of the width.
APART = 0.11
# Thresholds on which a tick reads well, the most telling first.
TELLING = (
    (0.5, 0.1, 0.9, 0.01, 0.99, 0.001, 0.999, 1e-4, 1e-5, 1e-6),
    (0.2, 0.8, 0.02, 0.98, 0.05, 0.95, 0.002, 0.998, 0.005, 0.995, 2e-4, 5e-4, 2e-5, 5e-5),
    (1.0, 0.3, 0.7, 0.03, 0.97, 0.15, 0.85, 0.4, 0.6, 0.07, 0.003),
)
PERFECT = "perfect forecasts"
# Of a figure with names beside the picture.
WIDTH = 6.6
# Names that have room in a corner, and the least share of its width that a picture keeps.
MOST, LEAST = 8, 0.4
# What needs no model is grey, thin, and told apart by its dashes.
DASHES = {TREAT_ALL: "-", TREAT_NONE: "--", EVENT_RATE: ":", PERFECT: ":"}
PLAIN = {name: Ink(GREY, dashes) for name, dashes in DASHES.items()}


class ThresholdScale(NamedTuple):
    """Where a threshold stands on an axis, and what areas on that axis are.

    The net benefit that is missed at the threshold c is ``FN + FP * c / (1 - c)``, with shares that
    are constant between forecasts. So an area on any axis needs two integrals along it: of 1, which
    is the way travelled, and of the odds.
    """

    name: str
    forward: Callable[[Any], Any]
    inverse: Callable[[Any], Any]
    odds_area: Callable[[Any], Any]
    length: Callable[[Any], Any]
    """The function by whose change over a range an area is divided to be a mean."""
    mean: str
    """What the mean is called: on the linear axis it is of net benefit, else of what is missed."""


_same, _log = np.positive, infinities()(np.log)


@infinities()
def _minus_log_rest(c: Any) -> Any:
    return -np.log1p(-c)


def _odds_area(c: Any) -> Any:
    return _minus_log_rest(c) - c


SCALES: dict[str, ThresholdScale] = {
    scale.name: scale
    for scale in (
        ThresholdScale("linear", _same, _same, _odds_area, _same, "mean net benefit"),
        ThresholdScale("log-odds", logit, expit, odds, logit, "mean missed benefit\non log-odds"),
        ThresholdScale(
            "quadratic",
            # It increases beyond 1 too, where a picture may have a margin.
            lambda c: -(1 - c) * np.abs(1 - c) / 2,
            lambda x: 1 + np.sign(x) * np.sqrt(2 * np.abs(x)),
            lambda c: c * c / 2,
            _same,
            "mean regret",
        ),
        ThresholdScale("logarithmic", _log, np.exp, _minus_log_rest, logit, "bounded log score"),
    )
}


class ThresholdSpan(NamedTuple):
    """The thresholds that a picture shows, and its scale."""

    scale: ThresholdScale
    lower: float
    upper: float

    def points(self, pieces: int = PIECES) -> Column:
        """Return thresholds at even steps along the axis, from end to end."""
        left, right = self.scale.forward(np.array([self.lower, self.upper]))
        inner = self.scale.inverse(np.linspace(left, right, pieces + 1)[1:-1])
        return np.concatenate([[self.lower], inner, [self.upper]])

    def place(self, c: Any) -> Any:
        """Return where thresholds stand, from 0 at the left end to 1 at the right."""
        left, right = self.scale.forward(np.array([self.lower, self.upper]))
        return (self.scale.forward(c) - left) / (right - left)

    @property
    def words(self) -> str:
        """What is said of the scale behind the name of an axis."""
        return "" if self.scale.name == "linear" else f" ({self.scale.name} scale)"


def bend(view: ThresholdSpan, corners: Corners, at: Callable[[Column], Column]) -> Corners:
    """Add points between corners where a curve that is not straight on the axis bends.

    What the axis puts at infinity is left out. The heights may be several rows, one a curve.
    """
    x, y = corners
    more = view.points()
    more = more[~np.isin(more, x)]
    x, y = np.concatenate([x, more]), np.concatenate([y, at(more)], axis=-1)
    # Stable, so that both limits at one threshold stay in their order.
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[..., order]
    shown = np.isfinite(view.scale.forward(x)) & ~np.isinf(np.atleast_2d(y)).any(axis=0)
    return x[shown], y[..., shown]


def bend_steps(view: ThresholdSpan, record: DecisionCurve | DecisionDifference) -> Corners:
    """Return the corners of net benefit; between thresholds that were chosen it is not known."""
    return bend(view, record.curve(), record.at) if record.exact else record.curve()


def bend_band(view: ThresholdSpan, band: Band) -> Band:
    """Cut a band, which is straight in the threshold, into pieces that are short on the axis."""
    if view.scale.name == "linear":
        return band
    x, *bounds = band.outline()

    def at(t: Column) -> Column:
        return np.stack([np.interp(t, x, bound, np.nan, np.nan) for bound in bounds])

    x, (lower, upper) = bend(view, (x, np.stack(bounds)), at)
    return replace(band, x=x, lower=lower, upper=upper, steps=False)


class Thresholds(Picture):
    """A picture over thresholds, to which it gives a scale, limits and ticks.

    An Axes that has been drawn on before keeps its scale, unless another is asked for. Limits that
    its owner has set stay.

    Attributes
    ----------
    view : ThresholdSpan
        The thresholds that are shown, and their scale.
    """

    def __init__(
        self,
        ax: Axes | None,
        width: float = WIDTH,
        height: float = 3.7,
        *,
        axis: Axis | None = None,
        limits: Limits | None = None,
        choices: Sequence[Axis] = TWO,
        thresholds: Iterable[Column] = (),
        usual: Limits = (0, 1),
    ) -> None:
        """Choose what is shown.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; without one, in a figure of this width and height.
        axis : str or None
            The scale that was asked for.
        limits : Interval, pair of float or None
            The thresholds that were asked for.
        choices : sequence of str
            The scales that this picture has.
        thresholds : iterable of array
            Where the curves have knots. An end that the scale puts at infinity is cut to these.
        usual : Interval or pair of float
            What to show if nobody says.
        """
        super().__init__(ax, width, height)
        ax = self.ax
        if axis is not None:
            check_choice(axis, choices, "axis")
        # The mark by which a second call finds the scale that the first has set.
        had = str(ax.xaxis.get_gid() or "linear")
        scale, free = SCALES[axis or had], limits is not None or ax.get_autoscalex_on()
        if free:
            shown = as_interval(usual if limits is None else limits)
            lower, upper = shown.lower, shown.upper
        else:
            lower, upper = np.clip(np.sort(ax.get_xlim()), 0, 1).tolist()
        self.view = view = ThresholdSpan(scale, *_finite(scale, (lower, upper), thresholds))
        if scale.name != had:
            functions = {} if scale.name == "linear" else {"functions": scale[1:3]}
            ax.set_xscale("function" if functions else "linear", **functions)
            ax.xaxis.set_gid(scale.name)
        if free or scale.name != had:
            ax.set_xlim(view.lower, view.upper)
            ax.set_xticks(ticks(view), [percent(t, 6) for t in ticks(view)])
            _axes.set_as_text(ax.get_xticklabels())  # to TeX, a percent sign is the end of the line
        ax.set_xlabel(f"threshold{view.words}")

    def draw_bent(
        self,
        records: Mapping[str, Record],
        ink: Mapping[str, Ink],
        corners: Callable[[ThresholdSpan, Record], Corners],
    ) -> list[Corners]:
        """Draw curves as the axis bends them; return the edges of all bands."""
        bands = self.bands(records)
        ribbons = {name: bend_band(self.view, bounds) for name, bounds in bands.items()}
        self.draw_curves(records, ink, partial(corners, self.view), ribbons)
        return [(x.x, edge) for x in ribbons.values() for edge in (x.lower, x.upper)]

    def draw_range(self, within: Interval) -> None:
        """Shade the thresholds that matter, once."""
        mark = f"range {within.lower} {within.upper}"
        if not self.has(mark):
            part = np.clip([within.lower, within.upper], self.view.lower, self.view.upper)
            look: dict[str, Any] = {"color": PALE, "alpha": 0.35, "linewidth": 0, "zorder": 0.4}
            self.ax.axvspan(*part.tolist(), gid=mark, **look)

    def draw_plain(
        self, name: str, corners: Corners, rate: float, mean: float | None = None, digits: int = 4
    ) -> None:
        """Draw what needs no model, once an event rate, with its mean if there is one.

        It has no say in how high the picture is.
        """
        mark = f"{name} {rate:.9g}"
        if self.has(mark):
            return
        label = name if mean is None else f"{name}  {number(mean, digits)}"
        line = _axes.legend_line(linestyle=DASHES[name], linewidth=0.9, zorder=2, label=label)
        line.set(data=corners, color=GREY, gid=mark)
        # Not add_line: a line to minus infinity would take the models with it.
        self.ax.add_artist(line)

    def name_means(self, means: Mapping[str, float], within: Interval | None) -> int:
        """Shade a range, if there is one, and put a mean over it behind the name of each new curve.

        Return the decimals of the means.
        """
        digits = digits_for(max(map(abs, means.values()), default=0.0))
        if within is not None:
            self.draw_range(within)
            for line, (name, mean) in zip(self.curves[-len(means) :], means.items(), strict=True):
                printed = number(mean, digits)
                line.set_label(f"{legible(name)}  {printed}" if name else printed)
        return digits

    def heights(self, more: Iterable[Corners] = ()) -> Ends:
        """Return the least and the greatest height of the curves in view, and of more corners."""
        ends, result = [self.view.lower, self.view.upper], []
        for corners in [*((line.get_xdata(), line.get_ydata()) for line in self.curves), *more]:
            x, y = map(np.asarray, corners)
            result += [y[(x >= ends[0]) & (x <= ends[1])], np.interp(ends, x, y)]
        every = np.concatenate(result)
        return float(np.nanmin(every)), float(np.nanmax(every))

    def set_height(self, more: Iterable[Corners] = ()) -> None:
        """Make room for zero and for what is in view, unless the owner of the Axes has decided."""
        if not self.ax.get_autoscaley_on():
            return
        least, most = self.heights(more)
        least, most = min(least, 0.0), max(most, 0.0)
        air = 0.05 * (most - least) or 0.05
        # A line at zero is not to lie on the frame.
        floor = least - air if least < 0 or self.has(ZERO) else 0
        # The limits stay free, so that the next curve makes room for itself.
        self.ax.set_ylim(floor, most + air, auto=None)


def ticks(view: ThresholdSpan) -> list[float]:
    """Choose round thresholds whose labels do not touch."""
    if view.scale.name in ("linear", "quadratic"):
        candidates = [_axes.round_numbers(Interval(view.lower, view.upper))]
    else:
        candidates = [[t for t in group if view.lower <= t <= view.upper] for group in TELLING]
    result = _set_apart(view, candidates)
    if len(result) < 3:
        result = _set_apart(view, [_axes.round_numbers(Interval(view.lower, view.upper))])
    return sorted(result)


def _set_apart(view: ThresholdSpan, groups: Iterable[Iterable[float]]) -> list[float]:
    result: list[float] = []
    for group in groups:
        for t in group:
            gaps = np.abs(view.place(np.array(result)) - view.place(t))
            if np.all(gaps >= APART):
                result.append(t)
    return result


def _finite(scale: ThresholdScale, limits: Ends, thresholds: Iterable[Column]) -> Ends:
    """Cut an end at infinity to the thresholds at which something happens."""
    lower, upper = limits
    least, greatest = _eventful(thresholds)
    if not np.isfinite(scale.forward(lower)):
        lower = least if least < upper else upper / 10
    if not np.isfinite(scale.forward(upper)):
        upper = greatest if greatest > lower else 1 - (1 - lower) / 10
    return float(lower), float(upper)


def _eventful(thresholds: Iterable[Column]) -> Ends:
    """Return the ends of all knots but the outermost hundredth on either side, with a little air.

    A single forecast of one in a billion would otherwise push all others to the edge.
    """
    knots = np.concatenate([[], *thresholds])
    knots = knots[(knots > 0) & (knots < 1)]
    if not knots.size:
        return 0.001, 0.999
    least = logit(np.quantile(knots, 0.01, method="lower"))
    greatest = logit(np.quantile(knots, 0.99, method="higher"))
    air = 0.02 * (greatest - least) or 1.0
    # Beside the smallest and the largest floats there is no air.
    lower, upper = expit(least - air) or knots.min(), expit(greatest + air)
    return float(lower), float(upper if upper < 1 else knots.max())


def title_of(what: str, within: Interval | None) -> str | None:
    """Say what the numbers in a legend are."""
    if within is None:
        return None
    return f"{what},\n{percent(within.lower, 6)} to {percent(within.upper, 6)}"


def draw_names(
    picture: Picture, *, title: str | None = None, corner: LegendCorner = "upper right"
) -> None:
    """Name the curves, then what needs no model: beside a picture of our own, else in a corner.

    Names that are too many for a corner stand beside the picture of the caller, too.
    """
    plain = [x for x in picture.ax.get_lines() if str(x.get_gid()).startswith(tuple(PLAIN))]
    handles = [line for line in [*picture.curves, *plain] if _axes.is_named(line)]
    if not handles:
        return
    had = picture.ax.get_legend()
    look: dict[str, Any] = {"alignment": "left"}
    look["title"] = title or (had.get_title().get_text() if had else None) or None
    if picture.own:
        longest = max(len(str(line.get_label())) for line in handles)
        # Long names widen the figure, rather than leave the picture a narrow strip.
        picture.figure.set_figwidth(max(WIDTH, 5.4 + 0.065 * longest))
    if picture.own or len(handles) > MOST:
        picture.legend(handles, "upper left", bbox_to_anchor=(1, 1), **look)
        if picture.figure.get_layout_engine() is None:
            # Narrower, so that the legend stands where the picture stood.
            ax: Any = picture.ax
            box, legend = ax.get_position(original=True), ax.get_legend()
            taken = legend.get_window_extent().width / picture.figure.bbox.width
            box.x1 -= min(taken, (1 - LEAST) * box.width)
            ax.set_axes_locator(lambda *_: box)
    else:
        # In a corner, names may stand on lines: paper behind them keeps them legible.
        picture.legend(handles, corner, paper=0.6, **look)


# Of the height of the picture, what a point mass has that is all of the weight.
TALLEST = 0.95


def threshold_weights(
    rules: BinaryRule | str | Mapping[str, BinaryRule | str],
    ax: Axes | None = None,
    *,
    axis: Axis | None = None,
    limits: Limits | None = None,
) -> Axes:
    r"""Draw how much each threshold matters to a rule.

    A rule adds up regret over thresholds, :math:`\int R(c)\, w(c)\, dc`. Its weight is what it
    assumes about the decisions to come: where :math:`w` is high, the trade-offs between false
    positives and false negatives are that common, or that important.

    Parameters
    ----------
    rules : BinaryRule, or dict of BinaryRule by name
        Rules of `properly.rules`. One alone is known by its `name`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    axis : {"linear", "log-odds"}, optional
        ``"linear"`` shows :math:`w(c)` at even steps of the threshold; ``"log-odds"`` shows
        :math:`c (1 - c)\, w(c)`, the density of the same weight at even steps of the log-odds. That
        of the Axes if left out; a new one is linear.
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
    ink = inks(named, None, len(picture.curves))
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
    """Take one rule, or several by name; refuse those that are no weight."""
    if not isinstance(rules, Mapping):
        rules = {getattr(as_rule(rules), "name", ""): rules}
    rules = {name: as_rule(rule) for name, rule in rules.items()}
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
    x, linear = view.points(2 * PIECES), view.scale.name == "linear"
    with infinities():
        y = rule.weight(x) if linear else rule.logit_weight(x, 1 - x)
    y = y / (mass if finite else _mass_in_view(view, rule))
    top = 0.0
    if y.any():
        # There is something to draw where there is weight, or the foot of a jump to it.
        weight = np.concatenate([[False], y > 0, [False]])
        ground = np.isfinite(y) & (weight[:-2] | weight[1:-1] | weight[2:])
        picture.draw_curve((x, np.where(ground, y, np.nan)), ink, name, label=said)
        inner = np.isfinite(y)
        if not inner.all():
            # A density without bounds is as high as in the middle of the picture.
            inner &= (view.place(x) > 0.05) & (view.place(x) < 0.95)
        top = 1.05 * float(y[inner].max(initial=0.0))
    if rule.atoms:
        t, masses = np.array(rule.atoms).T
        tops, gap = TALLEST * masses / mass, np.full_like(t, np.nan)
        # Lines from the ground to each point mass, with gaps between them.
        stems = [np.stack(x, axis=1).ravel() for x in ((t, t, gap), (0 * t, tops, gap))]
        mark = {"gid": "stem", "label": None} if y.any() else {"label": f"{said}, point mass"}
        look: dict[str, Any] = {"marker": "o", "markersize": 5, "markevery": (1, 3), "zorder": 2.6}
        look |= {"transform": picture.ax.get_xaxis_transform()} | mark
        picture.draw_curve((stems[0], stems[1]), ink, name, linewidth=1.8, **look)
    return top


def _mass_in_view(view: ThresholdSpan, rule: BinaryRule) -> float:
    """Return the weight of the thresholds in view, cut short of an end where it is infinite."""
    result = float(rule.mass(view.lower, view.upper))
    if math.isinf(result):
        short = 1e-3 * (view.upper - view.lower)
        result = float(rule.mass(view.lower + short, view.upper - short))
    return result
