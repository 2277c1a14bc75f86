"""Cases: what is left without the worst, single ones, and courses over cases or epochs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

import numpy as np

from properly._boundary._options import check_flag
from properly._boundary._text import amount_of, many
from properly.decisions._retention import ORACLE, Retention, RetentionStudy
from properly.decisions._single_cases import CumulativeForecast, WorstCases
from properly.errors import ArgumentTypeError, DataError
from properly.plots import _axes, _names
from properly.plots._axes import TEXT, Corner, Ends, Ink, Picture
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import from_matplotlib, legible, names_of, number, points
from properly.typing import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    Panels: TypeAlias = np.ndarray[Any, Any]


Bounds: TypeAlias = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]

# With more than two, nobody can tell whose a ribbon is.
BANDS = 2
# What is drawn upwards, and which way is better.
HEIGHT = {
    "quadratic_weighted_kappa": "quadratic weighted kappa\n(higher is better)",
    "expected_cost": "expected cost\n(lower is better)",
    "error_rate": "error rate\n(lower is better)",
}
# Points of a curve. One hides another if it is that near, as a part of the height of all, over
# more than this share of its length.
WIDTH, HIDES, SHARE = 1.6, 0.01, 0.5
# Of the classes of one event, unless they have labels.
EVENT = ("no event", "event")
# Inches of a column of worst cases: at least for a number beside half a bar, at most for a picture.
NARROW, WIDE = 0.66, 1.3
ROW = 0.34
# The part of its row that a bar has.
THICK = 0.62
KEY = "bars: probability", "frame: outcome"
# A longer bar has its number inside.
INSIDE = 0.5
OUTCOME = "outcome"
# How far the lines go on before the first class and behind the last.
AIR = 0.35
# Inches of one step between classes: at least for a number above it, at most for a picture.
STEP = (0.6, 1.15)
# Inches that panels in one row may have.
PAGE = 10.5
AREA, SQUARE = 0.18, 0.5


@draws_evaluation
def retention(
    record: RetentionStudy | Retention | Mapping[str, Retention],
    ax: Axes | None = None,
    *,
    band: bool = False,
) -> Axes:
    """Draw a metric of the cases that are left once the worst are removed.

    The worst are those with the highest scores. One line is one score by which cases were removed.
    The oracle, which removes them by the cost of the decision itself, is a dashed grey line: how
    close a line comes to it says how alike the score and that cost rank the cases, not how good a
    score it is.

    Parameters
    ----------
    record : RetentionStudy, Retention or dict of Retention by score
        From `properly.decisions.retention_study` or `properly.retention_curve`, of one metric.
    ax : matplotlib Axes, optional
        Where to draw, as often as there are curves; a new figure if left out. Limits that its
        owner has set stay.
    band : bool
        Draw the bands of a study, pale, behind the curves of its first two scores; of more, they
        could not be told apart. They say where a curve may lie at one share, not all along.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Names stand at the right ends of the curves. More of them than fit there stand in a legend, in
    the order of the ends. Where the metric is not defined, a curve has a gap. A curve that a later
    one covers is drawn wider, so that both can be seen.

    Curves of the same cases rise and fall together. Whether one area is larger than another is
    said by `differences` of a study, which pairs them, and not by how far apart two lines are.

    References
    ----------
    .. [1] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. Medical
       Image Computing and Computer Assisted Intervention. `arXiv:2309.08701
       <https://arxiv.org/abs/2309.08701>`__, figure 4.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> y, d = [0, 1, 2, 1, 0, 2], [0, 1, 1, 0, 0, 2]
    >>> curve = properly.retention_curve([1, 2, 6, 5, 3, 4], y, d, removed=[0, 0.25, 0.5])
    >>> ax = plots.retention({"mine": curve})
    >>> [text.get_text() for text in ax.texts]
    ['mine']
    """
    given = record.curves if isinstance(record, RetentionStudy) else record
    records = _axes.by_name(given, Retention, "properly.retention_curve(scores, y, P)")
    metrics = sorted({one.metric for one in records.values()})
    if len(metrics) > 1:
        message = f"curves in one picture must be of one metric; got {', '.join(metrics)}"
        raise DataError(message, hint="draw those of each metric on Axes of their own.")
    bands = _bands_to_draw(record) if check_flag(band, "band") else {}
    picture = Picture(ax, 6.2, 4.0)
    first = sum(line.get_label() != ORACLE for line in picture.curves)
    ink = _axes.inks(records, None, first, {ORACLE: Ink(_axes.GREY, "--")})
    for name, bounds in bands.items():
        look: dict[str, Any] = {"color": ink[name].color, "alpha": _axes.RIBBON, "linewidth": 0}
        removed = 100 * records[name].removed
        picture.ax.fill_between(removed, *bounds, zorder=1, gid="band", **look)
    for (name, one), width in zip(records.items(), _widths([*records.values()]), strict=True):
        picture.draw_curve((100 * one.removed, one.value), ink[name], name, linewidth=width)
    if picture.ax.get_autoscalex_on():
        # All shares that were removed, also where the metric has no value.
        removed = np.concatenate([np.asarray(line.get_xdata()) for line in picture.curves])
        # The limits stay free, so that the next curve makes room for itself.
        picture.ax.set_xlim(removed.min(), removed.max(), auto=None)
        picture.ax.xaxis.set_major_locator(_axes.round_steps(5))
    height = HEIGHT.get(metrics[0]) or legible(metrics[0])
    picture.ax.set(xlabel="cases removed, in percent", ylabel=height)
    _axes.set_as_text([picture.ax.yaxis.label])
    picture.name_ends()
    return picture.ax


def _widths(records: Sequence[Retention]) -> Iterator[float]:
    """Return widths of curves, in points: wider for each later one that hides it."""
    values = np.concatenate([one.value for one in records])
    values = values[np.isfinite(values)]
    near = HIDES * (values.max(initial=-math.inf) - values.min(initial=math.inf))
    for k, one in enumerate(records):
        later = (np.interp(one.removed, x.removed, x.value) for x in records[k + 1 :])
        hidden = sum(np.mean(np.abs(value - one.value) <= near) > SHARE for value in later)
        yield WIDTH * (1 + 1.5 * hidden)


def _bands_to_draw(record: object) -> dict[str, Bounds]:
    """Take the bands of the first two scores of a study; the oracle is none."""
    if not isinstance(record, RetentionStudy):
        message = f"only a RetentionStudy has bands; got {type(record).__name__} and band=True"
        raise DataError(message, hint="properly.decisions.retention_study computes them.")
    names = [name for name in record.bands if name != ORACLE]
    return {name: record.bands[name] for name in names[:BANDS]}


@draws_evaluation
def worst_cases(record: WorstCases, ax: Axes | None = None) -> Axes:
    """Draw the forecasts of the cases with the greatest losses, the worst on top.

    One row is one case, one column one class. The length of a bar, and the number beside it, are
    the probability of the class: a bar as long as its column means certainty. What happened is
    framed, and the loss stands at the end of the row. The farther the frame is from the long bars,
    the farther off the forecast was.

    Parameters
    ----------
    record : WorstCases
        From `properly.decisions.worst_cases`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Ten classes and ten cases can be read; more of either make a large figure.

    References
    ----------
    .. [1] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. Medical
       Image Computing and Computer Assisted Intervention. `arXiv:2309.08701
       <https://arxiv.org/abs/2309.08701>`__, figure 3.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> from properly.rules import RPS
    >>> cases = properly.Cases([0, 2, 1], [[0.8, 0.1, 0.1], [0.7, 0.2, 0.1], [0.2, 0.5, 0.3]])
    >>> ax = plots.worst_cases(properly.decisions.worst_cases(cases, RPS(), k=2))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['row 1', 'row 2']
    """
    _axes.require(record, WorstCases, "properly.decisions.worst_cases(cases, rule)")
    names = names_of(EVENT if record.labels is None else record.labels)
    p, outcome = np.asarray(record.p, dtype=float), np.asarray(record.outcome)
    p = p if p.ndim == 2 else np.stack([1 - p, p], axis=1)
    step, depth = _names.columns_for(names, NARROW, WIDE, "small")
    height = 0.9 + depth + ROW * len(p) * points() / 10
    picture = Picture(ax, max(3.2, 1.7 + step * len(names)), height)
    picture.ax.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(p) - 0.5, -0.5))
    _draw_bars(picture, p, _axes.class_colors(len(names)))
    frame: dict[str, Any] = {"facecolor": "none", "edgecolor": "black", "linewidth": 1.4}
    low = np.arange(len(outcome)) - 0.44
    picture.ax.bar(outcome, 0.88, 1, low, zorder=4, clip_on=False, gid=OUTCOME, **frame)
    _write_sides(picture, record)
    picture.name_columns(names, side="top", size="small")
    join = "\n" if len(names) <= 3 else "; "
    picture.ax.set_xlabel(join.join(KEY), fontsize="small", loc="left")
    return picture.ax


def _draw_bars(picture: Picture, p: Column, colors: Any) -> None:
    """Draw bars from the left end of each column, on lines that mark the columns."""
    ax, (cases, classes) = picture.ax, p.shape
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.vlines(
        np.arange(classes) - 0.5, -0.5, cases - 0.5, color=_axes.PALE, linewidth=0.8, zorder=0.5
    )
    for k in range(classes):
        ax.barh(range(cases), p[:, k], THICK, k - 0.5, color=colors[k], linewidth=0, zorder=2)
        for row, share in enumerate(p[:, k].tolist()):
            inside = share > INSIDE
            look = {"ha": "left", "va": "center_baseline", "fontsize": "x-small", "zorder": 3}
            if inside:
                look |= {"ha": "right", "color": _axes.ink_on(colors[k])}
            place = k - 0.5 + share, row
            picture.write(_printed(share), place, (-3 if inside else 3, 0), **look)


def _printed(share: float) -> str:
    """Write a probability in two decimals, but none as if it were certain that is not."""
    if share in (0, 1):
        return f"{share:.0f}"
    if share < 0.005:
        return "<.01"
    return ">.99" if share >= 0.995 else number(share, 2)


def _write_sides(picture: Picture, record: WorstCases) -> None:
    """Write the rows, or how many cases they are, on the left, and the losses on the right."""
    sources = [f"row {row}" for row in np.asarray(record.row).tolist()]
    if record.cases is not None:
        sources = [amount_of(x) for x in np.asarray(record.cases).tolist()]
    picture.ax.set_yticks(range(len(record)), sources)
    losses = map(number, np.asarray(record.loss, dtype=float).tolist())
    picture.write_side("right", dict(enumerate(losses)), pad=6)
    look = {"ha": "left", "va": "top", "fontsize": "small", "color": "black"}
    picture.write(f"loss ({legible(record.rule)})", (1, 0), (6, -5), "axes fraction", **look)


@overload
def cumulative_forecast(record: CumulativeForecast, ax: Axes | None = None) -> Axes: ...
@overload
def cumulative_forecast(record: Mapping[str, CumulativeForecast], ax: None = None) -> Panels: ...
def cumulative_forecast(
    record: CumulativeForecast | Mapping[str, CumulativeForecast], ax: Axes | None = None
) -> Axes | Panels:
    r"""Draw the cumulative probabilities of a forecast and of the outcome as steps.

    Between class :math:`k` and the next, the forecast stands at :math:`P_k = p_0 + \dots + p_k`
    and the outcome at :math:`Y_k`, which is 0 before the class that happened and 1 from there on.
    The pale area between the steps is the sum of :math:`|P_k - Y_k|`. Each dark block has
    this distance for its height and, in shares of the column, for its width too: it covers
    :math:`(P_k - Y_k)^2` of the column, which is written above. Their mean, the share of all
    columns that is dark, is the ranked probability score:

    .. math:: \mathrm{RPS} = \frac{1}{K - 1} \sum_{k=0}^{K-2} (P_k - Y_k)^2.

    Parameters
    ----------
    record : CumulativeForecast or dict of CumulativeForecast by name
        From `properly.decisions.cumulative_forecast`. Several have panels side by side, on the same
        scales.
    ax : matplotlib Axes, optional
        Where to draw a single forecast; a new figure if left out. Its limits are set.

    Returns
    -------
    matplotlib Axes, or an array of them
        For a dict, one a forecast, in its order.

    References
    ----------
    .. [1] E. S. Epstein (1969). A scoring system for probability forecasts of ranked categories.
       Journal of Applied Meteorology 8:985-987.
    .. [2] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. Medical
       Image Computing and Computer Assisted Intervention. `arXiv:2309.08701
       <https://arxiv.org/abs/2309.08701>`__, figures 1 and 2.

    Examples
    --------
    Two forecasts with the same probability of what happened, the second farther off with the rest:

    >>> import properly
    >>> from properly import plots
    >>> near = properly.decisions.cumulative_forecast(0, [0.25, 0.75, 0])
    >>> far = properly.decisions.cumulative_forecast(0, [0.25, 0, 0.75])
    >>> axes = plots.cumulative_forecast({"near": near, "far": far})
    >>> [ax.get_title() for ax in axes]
    ['near', 'far']
    >>> near.rps, far.rps
    (0.28125, 0.5625)
    """
    maker = "properly.decisions.cumulative_forecast(y, p)"
    records = _axes.by_name(record, CumulativeForecast, maker)
    every = [names_of(x.labels) for x in records.values()]
    steps, depths = zip(*(_names.columns_for(names, *STEP) for names in every), strict=True)
    widths = (x * (len(names) - 1 + 2 * AIR) for x, names in zip(steps, every, strict=True))
    width, depth = max(2.2, *widths), max(depths)
    if not isinstance(record, Mapping):
        picture = Picture(ax, max(4.4, 0.8 + 1.2 * width), 3.6 + depth)
        _draw_steps(picture, record)
        picture.ax.set_ylabel("cumulative probability")
        # Below the steps if these rise early, above them if late.
        early = 2 * record.outcome < len(record.labels)
        _draw_legend(picture, "lower right" if early else "upper left")
        return picture.ax
    if ax is not None:
        message = f"several forecasts have panels of their own; got one Axes for {len(records)}"
        raise DataError(message, hint="draw each of them on an Axes of its own.")
    names, size = list(records), (width, 2.8 + depth + 0.17 * _names.title_lines(records, width))
    axes = _axes.panels(names, None, size, (0.8, 0.5), title=width, most=int(PAGE / width))
    for panel, one in zip(axes, records.values(), strict=True):
        _draw_steps(Picture(panel), one)
    axes[0].figure.supylabel("cumulative probability", fontsize="medium")
    _draw_legend(Picture(axes[0], own=True))
    return axes


def _draw_steps(picture: Picture, record: CumulativeForecast) -> None:
    """Draw both steps, the area between them, and the squares of their distances."""
    ax, last = picture.ax, len(record.labels) - 1
    x = np.concatenate([[-AIR], np.arange(last + 1), [last + AIR]])
    both = record.cumulative, record.step
    forecast, outcome = (np.concatenate([[0.0], steps, steps[-1:]]) for steps in both)
    fill: dict[str, Any] = {"color": _axes.PALETTE[0], "linewidth": 0}
    area = fill | {"alpha": AREA, "gid": "difference", "step": "post"}
    ax.fill_between(x, forecast, outcome, zorder=1, **area)
    bottom, size = np.minimum(*both)[:-1], record.absolute
    places = np.arange(last) + 0.5
    ax.bar(places, size, size, bottom, alpha=SQUARE, zorder=1.2, gid="squares", **fill)
    steps: dict[str, Any] = {"drawstyle": "steps-post", "solid_joinstyle": "miter"}
    ax.plot(x, outcome, color=TEXT, linewidth=3.2, zorder=2.3, gid=OUTCOME, **steps)
    ax.plot(
        x, forecast, color=_axes.PALETTE[0], linewidth=1.6, zorder=2.5, gid=_axes.CURVE, **steps
    )
    ax.set(xlim=(-AIR, last + AIR), ylim=(-0.02, 1.02), yticks=np.linspace(0, 1, 5))
    picture.name_columns(names_of(record.labels))
    ax.get_xticklabels()[record.outcome].set_fontweight("bold")
    # The squares stand above their columns, and their mean before them.
    printed = {k + 0.5: number(value) for k, value in enumerate(record.squared)}
    upper = picture.write_side("top", printed, labelsize="x-small", labelcolor=TEXT, pad=1)
    said = f"RPS {number(record.rps)} is the mean of"
    upper.set_xlabel(said, fontsize="medium", loc="left", labelpad=5, linespacing=1.4)


def _draw_legend(picture: Picture, corner: Corner = "upper left") -> None:
    """Say what is what, below the picture or in one of its corners."""
    color, both = _axes.PALETTE[0], 1 - (1 - AREA) * (1 - SQUARE)
    handles = [
        _axes.legend_line(color=color, linewidth=1.6, label="forecast"),
        _axes.legend_line(color=TEXT, linewidth=3.2, label=OUTCOME),
        _axes.legend_patch(color=color, alpha=AREA, label="difference"),
        _axes.legend_patch(color=color, alpha=both, label="its square"),
    ]
    picture.draw_key(handles, corner, in_rows=True)


CLAIMS = {"calibration": "miscalibrated", "comparison": "beaten at times"}
LINES = {"calibration": _axes.STYLES[0], "comparison": _axes.STYLES[1]}
# Exponents of ten: what is lower is at the lower edge, and so far above the highest threshold, in
# shares of it, the picture ends.
LOWEST, BEYOND = -2.0, 2.0
# The last power of ten that is written out.
WRITTEN = 4
DASHES: dict[str, Any] = {"linewidth": 0.8, "linestyle": (0, (4, 3))}
DOT: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.8, "zorder": 3, "clip_on": False}


class Course(NamedTuple):
    """The evidence for a claim: after how many cases, and as an exponent of ten."""

    record: Any
    cases: Column
    evidence: Column
    alarms: Sequence[Any]

    @property
    def threshold(self) -> float:
        """The exponent of the evidence that is an alarm."""
        return float(self.record.log_threshold / math.log(10))

    @property
    def is_quiet(self) -> bool:
        """Whether it is about a group that has no alarm."""
        return self.record.group is not None and not self.alarms

    def label(self, shown: Callable[[str], str]) -> str:
        """Say what there is evidence for, and when it was enough, with names as they are shown."""
        said = f"{shown(self.record.model)} {CLAIMS[self.record.about]}"
        if self.record.group is not None:
            said += f", group {shown(self.record.group)}"
        if len(self.alarms) == 1:
            return f"{said}: alarm after {many(self.alarms[0].case, 'case')}"
        return said + (f": {len(self.alarms)} alarms" if self.alarms else "")


def monitor(record: Any, ax: Axes | None = None) -> Axes:
    """Draw the evidence of a monitor over the cases that it has counted.

    A line is one claim, on a scale of powers of ten. It begins at 1, and is an alarm where it
    reaches the dashed line, which a dot marks. Each model has a colour; broken lines are about
    being beaten. Groups are thin and grey unless they have an alarm.

    Parameters
    ----------
    record : Monitor
        A `properly.Monitor` that has counted cases.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Evidence below 1/100 is drawn at the lower edge, and what is far beyond the threshold at the
    upper. A monitor remembers up to 400 times, and its alarms; in between, lines are straight.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> watch = properly.Monitor()
    >>> watch.add([1] * 8, [0.2] * 8)
    Added(forecasts=8, outcomes=8, again=0, early=0)
    >>> ax = plots.monitor(watch)
    >>> [text.get_text() for text in ax.texts]
    ['alarm at 20', 'forecast miscalibrated: alarm after 6 cases']
    """
    courses = list(courses_of(record))
    picture = Picture(ax, 6.6, 3.9)
    _show(picture.ax, courses)
    # Lines go behind the words about where evidence is an alarm; that of groups is grey.
    behind = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.8}
    small = {"fontsize": "small", "bbox": behind, "zorder": 2.8}
    for (height, words), color in zip(thresholds_of(courses), (TEXT, _axes.GREY), strict=False):
        picture.ax.axhline(height, zorder=1.5, gid="threshold", color=color, **DASHES)
        picture.write(words, (0, height), (4, 3), _axes.MIXED, color=color, **small)
    ink = _axes.inks(dict.fromkeys(x.record.model for x in courses))
    quiet = [x for x in courses if x.is_quiet]
    last = max(quiet, key=lambda x: x.evidence[-1], default=None)
    for course in quiet:
        # Of groups without an alarm, the highest bears the name of all.
        label = f"{many(len(quiet), 'claim')} about groups" if course is last else None
        look: dict[str, Any] = {"alpha": 0.55, "gid": _axes.CURVE if course is last else "group"}
        _line(picture.ax, course, color=_axes.GREY, linewidth=0.8, zorder=2, label=label, **look)
    for course in courses:
        if not course.is_quiet:
            _draw(picture.ax, course, ink[course.record.model].color)
    picture.name_ends()
    return picture.ax


def courses_of(record: Any) -> Iterator[Course]:
    """Go through the claims of a monitor that has counted cases."""
    if not (hasattr(record, "evidence") and hasattr(record, "alarms")):
        message = f"this picture is drawn from a Monitor; got {type(record).__name__}"
        raise ArgumentTypeError(message, hint="make one with properly.Monitor().")
    if not record.cases:
        message = "there must be at least one case to draw; the monitor has counted none"
        raise DataError(message)
    restarts = record.options["run_length"] is not None
    for one in record.evidence:
        claim = (one.model, one.about, one.group)
        own = [x for x in record.alarms if (x.model, x.about, x.group) == claim]
        # The times that are remembered, with alarms and new beginnings among them.
        peaks = [(x.case, math.log(x.evidence)) for x in own]
        anew = [(x.case, 0.0) for x in record.alarms if restarts]
        cases, evidence = np.array([(0, 0.0), *peaks, *anew]).T
        cases, evidence = np.append(cases, one.times), np.append(evidence, one.path)
        # Of one time, the peak is before the new beginning.
        order = np.argsort(cases, kind="stable")
        yield Course(one, cases[order], evidence[order] / math.log(10), own)


def _show(ax: Axes, courses: Sequence[Course]) -> None:
    """Show all cases, and evidence around 1 and the thresholds."""
    ax.set(xlabel="cases, in the order of their forecasts", ylabel="evidence")
    ticker = from_matplotlib("ticker")
    if ax.get_autoscalex_on():
        ax.set_xlim(0, max(x.cases[-1] for x in courses))
        ax.xaxis.set_major_locator(_axes.round_steps(6, integer=True))
        ax.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
    if ax.get_autoscaley_on():
        ax.set_ylim(*ends_of(courses))
        ax.yaxis.set_major_locator(_axes.round_steps(6, None, integer=True))
        ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: power(round(x))))


def ends_of(courses: Sequence[Course]) -> Ends:
    """Return the least and the largest exponent that a picture shows."""
    threshold = max(x.threshold for x in courses)
    ends = [end for x in courses for end in (x.evidence.min(), x.evidence.max())]
    low, high = max(LOWEST, min(ends)), min(max(*ends, threshold), BEYOND * threshold)
    air = 0.04 * (high - low)
    return low - air, high + air


def power(exponent: int) -> str:
    """Write a power of ten.

    >>> [power(k) for k in (-2, 0, 3, 12)]
    ['1/100', '1', '1,000', '$10^{12}$']
    """
    if abs(exponent) > WRITTEN:
        return f"$10^{{{exponent}}}$"
    return f"{10**exponent:,}" if exponent >= 0 else f"1/{10**-exponent:,}"


def thresholds_of(courses: Sequence[Course]) -> list[tuple[float, str]]:
    """Return where evidence is an alarm, with words: about all cases, and in groups."""
    result = []
    for words, is_group in (("alarm", False), ("alarm in a group", True)):
        ends = [x.threshold for x in courses if (x.record.group is not None) == is_group]
        if ends:
            # Groups that came later have a smaller share, each its own.
            more = "" if min(ends) == max(ends) else " or more"
            result.append((min(ends), f"{words} at {round(10 ** min(ends)):,}{more}"))
    return result


def _draw(ax: Axes, course: Course, color: str) -> None:
    """Draw a claim, and its alarms as dots."""
    width = 1.0 if course.record.group is not None else 1.4
    look = {"linewidth": width, "linestyle": LINES[course.record.about], "zorder": 2.5}
    _line(ax, course, color=color, label=course.label(legible), gid=_axes.CURVE, **look)
    for alarm in course.alarms:
        height = np.clip(math.log10(alarm.evidence), *ax.get_ylim())
        ax.scatter(alarm.case, height, s=34, color=color, gid="alarm", **DOT)


def _line(ax: Axes, course: Course, **look: Any) -> None:
    """Draw a line; what is beyond the picture is at its edge."""
    ax.plot(course.cases, np.clip(course.evidence, *ax.get_ylim()), **look)
