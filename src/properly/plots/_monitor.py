"""Evidence of a monitor over the cases that it has counted, and where it was an alarm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._notices import import_extra
from properly._boundary._text import many
from properly.errors import ArgumentTypeError, DataError
from properly.plots._axes import (
    CURVE,
    GREY,
    STYLES,
    TEXT,
    Color,
    inks,
    legible,
    plain_axes,
)
from properly.plots._names import name_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.axes import Axes

    from properly.typing import Column

CLAIMS = {"calibration": "miscalibrated", "comparison": "beaten at times"}
LINES = {"calibration": STYLES[0], "comparison": STYLES[1]}
ALARM, GROUP, THRESHOLD = "alarm", "group", "threshold"
# Exponents of ten: what is lower is at the lower edge, and so far above the highest threshold, in
# shares of it, the picture ends.
LOWEST, BEYOND = -2.0, 2.0
# The last power of ten that is written out.
WRITTEN = 4


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


def monitor(record: Any, ax: Axes | None = None, *, color: Color | None = None) -> Axes:
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
    color : str or dict of str by model, optional
        Colour of the lines; the next of Okabe and Ito's palette if left out.

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
    own = ax is None
    ax = plain_axes(ax, 6.6, 3.9)
    _show(ax, courses)
    _draw_thresholds(ax, courses)
    ink = inks(dict.fromkeys(x.record.model for x in courses), color)
    _draw_quiet(ax, [x for x in courses if x.is_quiet])
    for course in courses:
        if not course.is_quiet:
            _draw(ax, course, ink[course.record.model].color)
    name_ends(ax, own=own)
    return ax


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
        yield Course(one, *_corners(one, own, record.alarms if restarts else ()), own)


def _corners(one: Any, own: Sequence[Any], restarts: Sequence[Any]) -> tuple[Column, Column]:
    """Return the times that are remembered with alarms and new beginnings among them."""
    peaks = [(x.case, math.log(x.evidence)) for x in own]
    anew = [(x.case, 0.0) for x in restarts]
    cases, evidence = np.array([(0, 0.0), *peaks, *anew]).T
    cases, evidence = np.append(cases, one.times), np.append(evidence, one.path)
    # Of one time, the peak is before the new beginning.
    order = np.argsort(cases, kind="stable")
    return cases[order], evidence[order] / math.log(10)


def _show(ax: Axes, courses: Sequence[Course]) -> None:
    """Show all cases, and evidence around 1 and the thresholds."""
    ax.set(xlabel="cases, in the order of their forecasts", ylabel="evidence")
    ticker = import_extra("matplotlib.ticker", extra="plots")
    if ax.get_autoscalex_on():
        ax.set_xlim(0, max(x.cases[-1] for x in courses))
        ax.xaxis.set_major_locator(ticker.MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=True))
        ax.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
    if ax.get_autoscaley_on():
        ax.set_ylim(*ends_of(courses))
        ax.yaxis.set_major_locator(ticker.MaxNLocator(nbins=6, integer=True))
        ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: power(round(x))))


def ends_of(courses: Sequence[Course]) -> tuple[float, float]:
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


def _draw_thresholds(ax: Axes, courses: Sequence[Course]) -> None:
    """Draw where evidence is an alarm; that of groups in grey."""
    for (height, words), color in zip(thresholds_of(courses), (TEXT, GREY), strict=False):
        dashes: dict[str, Any] = {"linewidth": 0.8, "linestyle": (0, (4, 3)), "color": color}
        ax.axhline(height, zorder=1.5, gid=THRESHOLD, **dashes)
        place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "zorder": 2.8}
        # Lines go behind the words.
        behind = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.8}
        look: dict[str, Any] = {"fontsize": "small", "color": color, "bbox": behind}
        ax.annotate(words, (0, height), (4, 3), textcoords="offset points", **place, **look)


def _draw_quiet(ax: Axes, quiet: Sequence[Course]) -> None:
    """Draw groups without an alarm, of which the highest bears the name of all."""
    last = max(quiet, key=lambda x: x.evidence[-1], default=None)
    for course in quiet:
        label = f"{many(len(quiet), 'claim')} about groups" if course is last else None
        gid = CURVE if course is last else GROUP
        _line(ax, course, color=GREY, alpha=0.55, linewidth=0.8, zorder=2, label=label, gid=gid)


def _draw(ax: Axes, course: Course, color: str) -> None:
    """Draw a claim, and its alarms as dots."""
    style = LINES[course.record.about]
    width = 1.0 if course.record.group is not None else 1.4
    look: dict[str, Any] = {"linewidth": width, "linestyle": style, "zorder": 2.5}
    _line(ax, course, color=color, label=course.label(legible), gid=CURVE, **look)
    low, high = ax.get_ylim()
    for alarm in course.alarms:
        height = np.clip(math.log10(alarm.evidence), low, high)
        dot: dict[str, Any] = {"s": 34, "color": color, "edgecolor": "white", "linewidth": 0.8}
        ax.scatter(alarm.case, height, zorder=3, clip_on=False, gid=ALARM, **dot)


def _line(ax: Axes, course: Course, **look: Any) -> None:
    """Draw a line; what is beyond the picture is at its edge."""
    ax.plot(course.cases, np.clip(course.evidence, *ax.get_ylim()), **look)
