"""Courses over cases and epochs: evidence of a monitor, and metrics of a training run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._classes import require_columns
from properly._boundary._text import many
from properly.comparison._epochs import LARGER, as_larger, best_epochs, pearson, read_history
from properly.errors import ArgumentTypeError, DataError
from properly.plots._axes import CURVE, GREY, MIXED, STYLES, TEXT, Ink, Picture, inks, round_steps
from properly.plots._evaluation import on_axes
from properly.plots._names import from_matplotlib, legible, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from properly.comparison._epochs import History
    from properly.plots._axes import Ends
    from properly.typing import Column

CLAIMS = {"calibration": "miscalibrated", "comparison": "beaten at times"}
LINES = {"calibration": STYLES[0], "comparison": STYLES[1]}
# Exponents of ten: what is lower is at the lower edge, and so far above the highest threshold, in
# shares of it, the picture ends.
LOWEST, BEYOND = -2.0, 2.0
# The last power of ten that is written out.
WRITTEN = 4
BEST = "best"
# How near dots may be, in shares of all epochs, before one is stacked upon the other; and how high
# a storey is, in shares of the scale.
NEAR, STOREY = 0.03, 0.042
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


@on_axes()
def monitor(record: Any, ax: Axes | None = None) -> Axes:
    """Draw the evidence of a monitor over the cases that it has counted.

    A line is one claim, on a scale of powers of ten. It begins at 1, and is an alarm where it
    reaches the dashed line, which a dot marks. Each model has a colour; broken lines are about
    being beaten. Groups are thin and grey unless they have an alarm.

    Parameters
    ----------
    record : Monitor
        A `properly.Monitor` that has counted cases.

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
    for (height, words), color in zip(thresholds_of(courses), (TEXT, GREY), strict=False):
        picture.ax.axhline(height, zorder=1.5, gid="threshold", color=color, **DASHES)
        picture.write(words, (0, height), (4, 3), MIXED, color=color, **small)
    ink = inks(dict.fromkeys(x.record.model for x in courses))
    quiet = [x for x in courses if x.is_quiet]
    last = max(quiet, key=lambda x: x.evidence[-1], default=None)
    for course in quiet:
        # Of groups without an alarm, the highest bears the name of all.
        label = f"{many(len(quiet), 'claim')} about groups" if course is last else None
        look: dict[str, Any] = {"alpha": 0.55, "gid": CURVE if course is last else "group"}
        _line(picture.ax, course, color=GREY, linewidth=0.8, zorder=2, label=label, **look)
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
        ax.xaxis.set_major_locator(round_steps(6, integer=True))
        ax.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
    if ax.get_autoscaley_on():
        ax.set_ylim(*ends_of(courses))
        ax.yaxis.set_major_locator(round_steps(6, None, integer=True))
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
    _line(ax, course, color=color, label=course.label(legible), gid=CURVE, **look)
    for alarm in course.alarms:
        height = np.clip(math.log10(alarm.evidence), *ax.get_ylim())
        ax.scatter(alarm.case, height, s=34, color=color, gid="alarm", **DOT)


def _line(ax: Axes, course: Course, **look: Any) -> None:
    """Draw a line; what is beyond the picture is at its edge."""
    ax.plot(course.cases, np.clip(course.evidence, *ax.get_ylim()), **look)


@on_axes()
def training(
    history: History,
    ax: Axes | None = None,
    *,
    reference: str | None = None,
    larger: str | Iterable[str] = LARGER,
) -> Axes:
    """Draw metrics over the epochs of a training run, and mark where each is best.

    Every metric is turned so that upwards is better, and scaled to its own range: its worst epoch
    is at the bottom and its best at the top, where a dot marks it. Metrics whose lines are alike
    and whose dots are close together would select much the same epoch. Dots that would touch are
    stacked.

    Parameters
    ----------
    history : dict of array-like, or data frame
        Values by epoch of each metric. Of a frame, every column is a metric.
    reference : str, optional
        A metric to compare the others with. It is drawn in black, a dashed line goes down from its
        best epoch, and the names of others tell their correlation with it.
    larger : str or sequence of str
        The metrics for which larger is better, the reference among them if it is one. All others
        are losses.

    Notes
    -----
    Epochs are counted from 0; of equal values the earliest is the best. An infinite loss leaves a
    gap, and a metric that never changes is a line half way up. The correlation r is Pearson's,
    with losses turned round: 1 is agreement.

    Scales of their own make lines comparable, and hide how much a metric changes at all.

    References
    ----------
    .. [1] R. Ahmadian, M. Ghatee, J. Wahlström (2024). Superior scoring rules for probabilistic
       evaluation of single-label multi-class classification tasks. `arXiv:2407.17697
       <https://arxiv.org/abs/2407.17697>`__, figure 3.

    Examples
    --------
    >>> from properly import plots
    >>> history = {"log": [0.9, 0.7, 0.6, 0.8], "macro_f1": [0.2, 0.4, 0.5, 0.6]}
    >>> ax = plots.training(history, reference="macro_f1")
    >>> [text.get_text() for text in ax.texts]
    ['macro_f1, epoch 3', 'log, epoch 2, r = .53']
    """
    values = read_history(history)
    if reference is not None:
        require_columns([reference], list(values), "a history")
    up = as_larger(larger, values)
    # The reference first, and broader: it is seen behind a line that covers it.
    names = sorted(values, key=lambda name: name != reference)
    oriented = {name: values[name] if name in up else -values[name] for name in names}
    picture = Picture(ax, 6.6, 3.9)
    first = sum(line.get_color() != TEXT for line in picture.curves)
    ink = inks(oriented, None, first, {} if reference is None else {reference: Ink(TEXT, "-")})
    if reference is not None:
        best = best_epochs(oriented[reference], 1)[0]
        mark = "best of the reference"
        picture.ax.axvline(best, color=GREY, gid=mark, zorder=1, **DASHES)
    for name, x in oriented.items():
        label = f"{legible(name)}, epoch {best_epochs(x, 1)[0]}"
        if reference not in (None, name):
            label += f", r = {number(pearson(x, oriented[str(reference)]), 2)}"
        width = 2.4 if name == reference else 1.4
        corners = np.arange(len(x)), scaled(x)
        picture.draw_curve(corners, ink[name], name, linewidth=width, label=label)
    _draw_best(picture.ax, oriented, ink)
    _set_axes(picture)
    picture.name_ends()
    return picture.ax


def scaled(oriented: Column) -> Column:
    """Bring values to the range from 0 to 1; infinite ones have no place there."""
    finite = np.where(np.isfinite(oriented), oriented, np.nan)
    present = finite[~np.isnan(finite)]
    if not present.size or present.min() == present.max():
        return finite * 0 + 0.5
    # Halved, since the difference of huge numbers may be infinite.
    low, high = present.min() / 2, present.max() / 2
    return np.asarray((finite / 2 - low) / (high - low))


def _draw_best(ax: Axes, oriented: Mapping[str, Column], ink: Mapping[str, Ink]) -> None:
    """Put a dot on the best epoch of each metric, or on the dots that are there already."""
    there = [(float(x), float(y)) for x, y in _dots(ax)]
    for name, values in oriented.items():
        epoch = int(best_epochs(values, 1)[0])
        if np.isfinite(values[epoch]):
            height = stacked(epoch, float(scaled(values)[epoch]), there, NEAR * len(values))
            there.append((epoch, height))
            ax.scatter(epoch, height, s=30, color=ink[name].color, gid=BEST, **DOT)


def stacked(epoch: float, height: float, there: Iterable[Ends], near: float) -> float:
    """Return the lowest storey from a height on where a dot touches none of those there."""
    taken = sorted(y for x, y in there if abs(x - epoch) < near)
    for y in taken:
        if abs(y - height) < STOREY / 2:
            height = y + STOREY
    return height


def _dots(ax: Axes) -> Column:
    result = [x.get_offsets() for x in ax.collections if x.get_gid() == BEST]
    return np.concatenate([np.asarray(x, dtype=float) for x in result] or [np.empty((0, 2))])


def _set_axes(picture: Picture) -> None:
    """Name the ends of the scale, which are all that metrics have in common."""
    ax = picture.ax
    ax.set(xlabel="epoch", ylabel="each at its own scale")
    if ax.get_autoscaley_on():
        ax.set_ylim(-0.04, np.max(_dots(ax)[:, 1], initial=1) + 0.05, auto=None)
        ax.set_yticks([0, 1], ["worst", "best"])
    if ax.get_autoscalex_on():
        last = max(float(np.max(line.get_xdata())) for line in picture.curves)
        ax.set_xlim(0, max(last, 1), auto=None)
        ax.xaxis.set_major_locator(round_steps(6, integer=True))
