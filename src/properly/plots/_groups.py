"""Groups of cases, one row each, beside all other cases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._options import check_choice
from properly._boundary._text import many
from properly.comparison._contrasts import FOR_SKILL
from properly.comparison._groups import FOR_INTERVAL
from properly.comparison._groups_record import Groups, is_small
from properly.errors import ArgumentTypeError, DataError
from properly.plots._axes import GREY, PALETTE, SLATE, TEXT, legible, number, set_as_text
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import names_of, points
from properly.plots._rows import (
    THICK,
    THIN,
    Look,
    decimals,
    draw_dot,
    draw_ends,
    draw_key,
    key_dot,
    key_line,
    name_rows,
    row_axes,
    say_beside,
    say_in_row,
    show_rows,
    show_span,
    write_columns,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.comparison._contrasts import Contrast

Which: TypeAlias = Literal["score", "skill", "observed_expected"]

PLAIN, WORST, FEW = Look(PALETTE[0]), Look(PALETTE[1]), Look(GREY, filled=False)
REST = Look(TEXT, "|")
# How far below the middle of its row the worst group is compared with the rest.
LOWER = 0.3
# As many events as expected; no better than the reference.
MARKED = {"observed_expected": 1.0, "skill": 0.0}


class Shown(NamedTuple):
    """What a picture of groups shows."""

    groups: Groups
    measure: Which

    @property
    def overall(self) -> float:
        """The number of all cases."""
        return self.numbers.overall

    @property
    def numbers(self) -> Contrast:
        """The numbers of all groups."""
        return self.groups.measures[self.measure]

    @property
    def worst(self) -> int | None:
        """The row of the worst group, if there is one."""
        worst = {"score": self.groups.worst, "skill": self.groups.worst_skill}.get(self.measure)
        return None if worst is None else self.groups.name.index(worst.name)

    @property
    def against(self) -> tuple[float, float]:
        """Where the worst group would lie, seen from the rest: its simultaneous interval."""
        if self.worst is None:
            return math.nan, math.nan
        lower, upper = (self.numbers.rest + self.numbers.simultaneous.T)[:, self.worst].tolist()
        return lower, upper


@draws_evaluation
def groups(
    record: Groups,
    ax: Axes | None = None,
    *,
    measure: Which = "score",
) -> Axes:
    """Draw the score of each group with its interval, and mark the worst group.

    One row is one group; the numbers of its cases and events stand beside it, and a line from top
    to bottom is the number of all cases. Small groups have a
    hollow dot and no interval. The worst group has a colour of its own. Some group is
    the worst even if all are alike, so a thin line below it says how far it is from all other
    cases, allowing for the choice: only if the line ends before the tick that stands for these, the
    group is worse.

    Parameters
    ----------
    record : Groups
        From `properly.by_group`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.
    measure : {"score", "skill", "observed_expected"}
        What to draw. Scores depend on how common the event is in a group; the skill, and events
        observed to events expected, say more about the forecasts.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> p = crash.forecasts["logistic"]
    >>> cases = properly.Cases(crash.died, p, clusters=crash.cluster, groups=crash.seatbelt)
    >>> found = properly.by_group(cases, Brier(), replicates=19, rng=1)
    >>> ax = plots.groups(found)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['belted', 'none']
    """
    shown = _checked(record, measure)
    names, columns = names_of(record.name), _columns(record)
    handles = _key(shown)
    own = ax is None
    if ax is None:
        widest = [
            max(names, key=len),
            *(max([*column, "m" * 8], key=len) for column in columns.values()),
        ]
        ax = row_axes(len(names), widest, len(handles) + 1)
    size = show_rows(ax, len(names))
    name_rows(ax, names, size)
    write_columns(ax, columns, size)
    _show_values(ax, shown)
    for row in range(len(names)):
        _draw_row(ax, row, shown, size)
    _draw_worst(ax, shown)
    draw_key(ax, handles, own=own)
    return ax


def _checked(record: Groups, measure: Which) -> Shown:
    if not isinstance(record, Groups):
        message = f"this picture is drawn from Groups; got {type(record).__name__}"
        raise ArgumentTypeError(message, hint="make them with properly.by_group(cases, rule).")
    check_choice(measure, get_args(Which), "measure")
    if measure not in record.measures:
        measures = ", ".join(map(repr, record.measures))
        message = f"these groups have no {measure!r}; got groups with {measures}"
        raise DataError(message)
    return Shown(record, measure)


def _columns(record: Groups) -> dict[str, list[str]]:
    """Write the counts, as far as there are any."""
    columns = {"cases": record.cases, "events": record.events}
    return {
        name: [f"{count:,}" for count in counts.tolist()]
        for name, counts in columns.items()
        if counts is not None
    }


def _show_values(ax: Axes, shown: Shown) -> None:
    """Show all values and intervals, and the lines to compare them with."""
    numbers, overall = shown.numbers, shown.overall
    drawn = [numbers.value, numbers.interval, shown.against]
    show_span(ax, [*drawn, [overall]])
    if not np.isfinite(numbers.value).any():
        ax.set_xticks([])
    if math.isfinite(overall):
        ax.axvline(overall, color=SLATE, linewidth=1.2, zorder=1.5, gid="overall")
    left, right = ax.get_xlim()
    if shown.measure in MARKED and left <= MARKED[shown.measure] <= right:
        at = MARKED[shown.measure]
        ax.axvline(at, color=GREY, linewidth=0.9, linestyle=":", zorder=1.4, gid="marked")
    ax.set_xlabel(_label(shown))
    set_as_text([ax.xaxis.label])


def _label(shown: Shown) -> str:
    rule = legible(shown.groups.unit)
    says = {
        "score": f"mean {rule} score (lower is better)",
        "skill": f"{rule} skill (higher is better)",
        "observed_expected": "observed to expected events",
    }
    return says[shown.measure]


def _draw_row(ax: Axes, row: int, shown: Shown, size: float) -> None:
    value, ends = float(shown.numbers.value[row]), shown.numbers.interval[row].tolist()
    if not math.isfinite(value):
        words = "infinite" if math.isinf(value) else "undefined"
        say_in_row(ax, row, words, size)
        return
    look = _look(shown, row)
    thick = THICK * size / points("small")
    draw_ends(ax, row, tuple(ends), look, gid="interval", width=thick)
    draw_dot(ax, row, value, look, size)
    if math.isnan(ends[0]):
        say_beside(ax, row, value, "no interval", size)


def _look(shown: Shown, row: int) -> Look:
    if math.isnan(shown.numbers.interval[row, 0]):
        return FEW
    return WORST if row == shown.worst else PLAIN


def _draw_rest(ax: Axes, row: float, rest: float) -> None:
    """Draw a tick where all other cases are, if they are known."""
    if math.isfinite(rest):
        look: dict[str, Any] = {"color": REST.color, "marker": REST.marker, "markersize": 8}
        ax.plot(rest, row, zorder=2.5, gid="rest", **look)


def _draw_worst(ax: Axes, shown: Shown) -> None:
    """Draw how far the worst group is from the rest, allowing for the choice."""
    row = shown.worst
    if row is None:
        return
    ax.get_yticklabels()[row].set_color(WORST.color)
    draw_ends(ax, row + LOWER, shown.against, WORST, gid="simultaneous", width=THIN)
    _draw_rest(ax, row + LOWER, float(shown.numbers.rest[row]))


def _key(shown: Shown) -> list[Any]:
    """Say what is what, as far as it can be seen."""
    result, numbers = shown.groups, shown.numbers
    level = f"{100 * result.level:.4g} % interval"
    handles = []
    if np.isfinite(numbers.interval).any():
        handles.append(key_line(PLAIN.color, THICK, level))
    if shown.worst is not None:
        count = int(np.isfinite(numbers.simultaneous[:, 0]).sum())
        handles.append(key_dot(WORST, f"worst of {many(count, 'group')}"))
        label = f"its distance from all other cases: {level}, allowing for the choice"
        handles.append(key_line(WORST.color, THIN, label))
    if shown.worst is not None:
        handles.append(key_dot(REST, "all other cases"))
    if is_small(result, shown.measure).any():
        handles.append(key_dot(FEW, _too_few(shown)))
    if math.isfinite(shown.overall):
        half = np.diff(numbers.interval, axis=1) / 2
        handles.append(key_line(SLATE, 1.2, f"all cases: {number(shown.overall, decimals(half))}"))
    return handles


def _too_few(shown: Shown) -> str:
    """Say why a group has no interval."""
    is_event = shown.groups.events is not None
    what = "events, or non-events" if is_event else "cases of the rarer classes"
    least = FOR_SKILL if shown.measure == "skill" else FOR_INTERVAL
    return f"no interval: fewer than {least} expected {what}"
