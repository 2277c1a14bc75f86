"""Forest plots: differences between models pair by pair, and groups beside all other cases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._options import check_choice
from properly._boundary._text import many
from properly.comparison._contrasts import FOR_SKILL
from properly.comparison._groups import FOR_INTERVAL
from properly.comparison._groups_record import Groups, is_small
from properly.comparison._pairs import Comparison, is_significant
from properly.errors import ArgumentTypeError, DataError
from properly.plots._axes import (
    GREY,
    PALE,
    PALETTE,
    SLATE,
    TEXT,
    ZERO,
    annotated,
    legend_patch,
    legible,
    number,
    require,
)
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import fold, inches, names_of, points
from properly.plots._row_axes import (
    THICK,
    THIN,
    DotLook,
    decimals,
    draw_ends,
    draw_key,
    draw_value,
    hide_empty,
    key_dot,
    key_line,
    name_rows,
    name_rows_right,
    row_axes,
    say_in_row,
    show_rows,
    show_span,
    write_columns,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from properly.comparison._contrasts import Contrast
    from properly.comparison._pairs import Pair


Verdict: TypeAlias = Literal["apart", "alike", "open"]
Which: TypeAlias = Literal["score", "skill", "observed_expected"]

LOOKS: dict[Verdict, DotLook] = {
    "apart": DotLook(PALETTE[0]),
    "alike": DotLook(PALETTE[2], "s"),
    "open": DotLook(GREY, filled=False),
}
# The least share of the width on either side of zero, for the words above it.
LEAST_SIDE = 0.27
PLAIN, WORST, FEW = DotLook(PALETTE[0]), DotLook(PALETTE[1]), DotLook(GREY, filled=False)
REST = DotLook(TEXT, "|")
# How far below the middle of its row the worst group is compared with the rest.
LOWER = 0.3
# As many events as expected; no better than the reference.
MARKED = {"observed_expected": 1.0, "skill": 0.0}


class PairRow(NamedTuple):
    """One pair, its names at either side, and what can be said about it."""

    left: str
    right: str
    pair: Pair
    verdict: Verdict
    words: str
    """What to say where there is no interval, or "" ."""


@draws_evaluation
def comparison(record: Comparison, ax: Axes | None = None) -> Axes:
    """Draw which of two models is better, for each pair, and how sure that is.

    One row is one pair. The dot is the difference of the scores, and it leans to the side of the
    better model: the one whose name stands on that side. The thick line is the interval of the
    difference, the thin one holds simultaneously for all pairs. A dot is filled if the thin line
    excludes zero, and hollow if not; a square marks models that are as good as each other within
    the margin, if there is one.

    Parameters
    ----------
    record : Comparison
        From `properly.compare`. Pairs are sorted by the scores of the models, the best on top. If
        all models were compared with a reference, rows have the name of the model only.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The margin of equivalence, if one was given, is a shaded strip around zero. A difference that is
    infinite is not drawn, but said.

    Of a loss, the difference is that of the left model less that of the right one. Of an area under
    the ROC curve, of which more is better, it is the other way round.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> three = {name: crash.forecasts[name] for name in ("forest", "boosting", "logistic")}
    >>> found = properly.compare(crash.died, three, rule=Brier(), clusters=crash.cluster, rng=1)
    >>> ax = plots.comparison(found)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['logistic', 'logistic', 'boosting']
    """
    require_comparison(record)
    reference = _reference(record)
    rows = _rows(record, reference)
    handles = _key(record, rows)
    own = ax is None
    if ax is None:
        sides = zip(*((row.left, row.right) for row in rows), strict=True)
        ax = row_axes(len(rows), [max(side, key=len) for side in sides], len(handles))
    size = show_rows(ax, len(rows))
    name_rows(ax, [row.left for row in rows], size)
    if reference is None:
        name_rows_right(ax, [row.right for row in rows], size)
    _show_differences(ax, record, rows, reference)
    for k, row in enumerate(rows):
        _draw_row(ax, k, row, size)
    draw_key(ax, handles, own=own)
    return ax


def require_comparison(record: object) -> Comparison:
    """Refuse what is not a comparison."""
    return require(record, Comparison, "properly.compare(y, forecasts, rule=rule)")


def by_score(record: Comparison) -> list[str]:
    """Sort models by their scores, the best first."""
    sign = -1 if record.higher_is_better else 1
    return sorted(record.models, key=lambda name: sign * record.scores[name].value)


def verdict_on(record: Comparison, pair: Pair) -> Verdict:
    """Say whether two models are told apart, are as good as each other, or neither."""
    if is_significant(pair):
        return "apart"
    return "alike" if pair.adjusted_equivalence_p_value <= 1 - record.level else "open"


def score_of(record: Comparison) -> str:
    """Name the score."""
    return record.unit if record.rule == "auc" else f"{legible(record.unit)} score"


def _reference(record: Comparison) -> str | None:
    """Return the model with which all others were compared, if that is how it was done."""
    seconds = {second for _, second in record.pairs}
    return seconds.pop() if len(seconds) == 1 and len(record) > 1 else None


def _rows(record: Comparison, reference: str | None) -> list[PairRow]:
    rank = {name: k for k, name in enumerate(by_score(record))}
    pairs = list(record.pairs)
    if reference is None:
        pairs = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in pairs]
    pairs.sort(key=lambda pair: (rank[pair[0]], rank[pair[1]]))
    return [_row(record, pair, reference) for pair in pairs]


def _row(record: Comparison, names: tuple[str, str], reference: str | None) -> PairRow:
    """Put the better model, which comes first, on the side to which its difference leans."""
    pair = record[names]
    first, second = map(legible, names)
    turned = reference is None and record.higher_is_better
    left, right = (second, first) if turned else (first, second)
    roles = ("this model", "the reference") if reference else ("left model", "right model")
    words = _words(record, pair, dict(zip(names, roles, strict=True)))
    right = right if reference is None else ""
    return PairRow(left, right, pair, verdict_on(record, pair), words)


def _words(record: Comparison, pair: Pair, says: dict[str, str]) -> str:
    """Say why there is no interval."""
    if math.isnan(pair.difference):
        return "the scores of both are infinite"
    if math.isinf(pair.difference):
        name = pair.first if pair.difference > 0 else pair.second
        return f"{says[name]}: infinite loss in {many(record.scores[name].infinite_cases, 'case')}"
    if pair.differing == 0:
        return "never differ"
    return "no interval" if math.isnan(pair.interval[0]) else ""


def _draw_row(ax: Axes, k: int, row: PairRow, size: float) -> None:
    pair = row.pair
    if not math.isfinite(pair.difference):
        say_in_row(ax, k, row.words, size)
        return
    look = LOOKS[row.verdict]
    draw_ends(ax, k, pair.simultaneous, look, gid="simultaneous", width=THIN)
    draw_value(ax, k, pair.difference, pair.interval, look, size=size, words=row.words)


def _show_differences(
    ax: Axes, record: Comparison, rows: Sequence[PairRow], reference: str | None
) -> None:
    """Show all differences, zero, and on either side of it room for words."""
    numbers = [(x.pair.difference, *x.pair.interval, *x.pair.simultaneous) for x in rows]
    strip = () if record.margin is None else (-record.margin, record.margin)
    show_span(ax, [*numbers, strip, [0.0]], LEAST_SIDE)
    ax.axvline(0, color=TEXT, linewidth=0.9, zorder=1.5, gid=ZERO)
    if strip:
        ax.axvspan(*strip, color=PALE, alpha=0.5, linewidth=0, zorder=0.5, gid="margin")
    label, words = _sides(record, rows, reference)
    hide_empty(ax, record.difference, label)
    _write_sides(ax, words)


def _sides(
    record: Comparison, rows: Sequence[PairRow], reference: str | None
) -> tuple[str, tuple[str, str]]:
    """Say what is measured, and which side of zero is whose."""
    what = f"difference in {score_of(record)}"
    if reference is None:
        order = "right minus left" if record.higher_is_better else "left minus right"
        alone = len(rows) == 1
        left, right = rows[0][:2] if alone else ("left model", "right model")
        label, words = f"{what}, {order}", (f"{left} better", f"{right} better")
    else:
        name = legible(reference)
        label = f"{what} from {name}"
        words = (f"better than {name}", f"worse than {name}")
        words = words[::-1] if record.higher_is_better else words
    return label, words


def _write_sides(ax: Axes, words: tuple[str, str]) -> None:
    """Write words above either end, in letters that do not meet."""
    room = 0.46 * ax.get_window_extent().width / ax.figure.dpi
    left, right = (fold(word, room, "small") for word in words)
    said = (f"← {left}", f"{right} →")
    size = points("small") * min(1.0, room / inches(said, "small"))
    for place, side, text in zip((0, 1), ("left", "right"), said, strict=True):
        look: dict[str, Any] = {"ha": side, "va": "bottom", "fontsize": size, "gid": "side"}
        annotated(ax, text, (place, 1), (0, 4), "axes fraction", **look)


def _key(record: Comparison, rows: Sequence[PairRow]) -> list[Any]:
    """Say what is what, as far as it can be seen."""
    seen = {row.verdict for row in rows if math.isfinite(row.pair.difference)}
    many_pairs = many(len(record), "pair")
    chance = f"{100 * (1 - record.level):.4g} %"
    adjusted = (
        ", each pair by itself" if record.adjust == "none" else f", allowing for {many_pairs}"
    )
    margin = "" if record.margin is None else f"{record.margin:.4g} {score_of(record)}"
    says: dict[Verdict, str] = {
        "apart": f"told apart (at {chance}{adjusted if len(record) > 1 else ''})",
        "alike": f"as good as each other, within {margin}",
        "open": "not told apart",
    }
    handles = [key_dot(LOOKS[verdict], says[verdict]) for verdict in says if verdict in seen]
    level = f"{100 * record.level:.4g} % interval"
    if any(math.isfinite(row.pair.interval[0]) for row in rows):
        handles.append(key_line(TEXT, THICK, level))
        if len(record) > 1 and record.adjust != "none":
            handles.append(key_line(TEXT, THIN, f"{level} for all {many_pairs} at once"))
    if margin:
        handles.append(legend_patch(color=PALE, alpha=0.5, label=f"margin: {margin} either way"))
    return handles


class GroupView(NamedTuple):
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
    names, columns = names_of(record.name), _counts(record)
    handles = _group_key(shown)
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
        _draw_group(ax, row, shown, size)
    _draw_worst(ax, shown)
    draw_key(ax, handles, own=own)
    return ax


def _checked(record: Groups, measure: Which) -> GroupView:
    if not isinstance(record, Groups):
        message = f"this picture is drawn from Groups; got {type(record).__name__}"
        raise ArgumentTypeError(message, hint="make them with properly.by_group(cases, rule).")
    check_choice(measure, get_args(Which), "measure")
    if measure not in record.measures:
        measures = ", ".join(map(repr, record.measures))
        message = f"these groups have no {measure!r}; got groups with {measures}"
        raise DataError(message)
    return GroupView(record, measure)


def _counts(record: Groups) -> dict[str, list[str]]:
    """Write the counts, as far as there are any."""
    columns = {"cases": record.cases, "events": record.events}
    return {
        name: [f"{count:,}" for count in counts.tolist()]
        for name, counts in columns.items()
        if counts is not None
    }


def _show_values(ax: Axes, shown: GroupView) -> None:
    """Show all values and intervals, and the lines to compare them with."""
    numbers, overall = shown.numbers, shown.overall
    drawn = [numbers.value, numbers.interval, shown.against]
    show_span(ax, [*drawn, [overall]])
    if math.isfinite(overall):
        ax.axvline(overall, color=SLATE, linewidth=1.2, zorder=1.5, gid="overall")
    left, right = ax.get_xlim()
    if shown.measure in MARKED and left <= MARKED[shown.measure] <= right:
        at = MARKED[shown.measure]
        ax.axvline(at, color=GREY, linewidth=0.9, linestyle=":", zorder=1.4, gid="marked")
    hide_empty(ax, numbers.value, _label(shown))


def _label(shown: GroupView) -> str:
    rule = legible(shown.groups.unit)
    says = {
        "score": f"mean {rule} score (lower is better)",
        "skill": f"{rule} skill (higher is better)",
        "observed_expected": "observed to expected events",
    }
    return says[shown.measure]


def _draw_group(ax: Axes, row: int, shown: GroupView, size: float) -> None:
    value, (low, high) = float(shown.numbers.value[row]), shown.numbers.interval[row].tolist()
    if math.isfinite(value):
        look = FEW if math.isnan(low) else WORST if row == shown.worst else PLAIN
        draw_value(ax, row, value, (low, high), look, size=size)
    else:
        say_in_row(ax, row, "infinite" if math.isinf(value) else "undefined", size)


def _draw_worst(ax: Axes, shown: GroupView) -> None:
    """Draw how far the worst group is from the rest, allowing for the choice."""
    row = shown.worst
    if row is None:
        return
    ax.get_yticklabels()[row].set_color(WORST.color)
    draw_ends(ax, row + LOWER, shown.against, WORST, gid="simultaneous", width=THIN)
    rest = float(shown.numbers.rest[row])
    if math.isfinite(rest):
        look: dict[str, Any] = {"color": REST.color, "marker": REST.marker, "markersize": 8}
        ax.plot(rest, row + LOWER, zorder=2.5, gid="rest", **look)


def _group_key(shown: GroupView) -> list[Any]:
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
        handles.append(key_dot(REST, "all other cases"))
    if is_small(result, shown.measure).any():
        handles.append(key_dot(FEW, _too_few(shown)))
    if math.isfinite(shown.overall):
        half = np.diff(numbers.interval, axis=1) / 2
        handles.append(key_line(SLATE, 1.2, f"all cases: {number(shown.overall, decimals(half))}"))
    return handles


def _too_few(shown: GroupView) -> str:
    """Say why a group has no interval."""
    is_event = shown.groups.events is not None
    what = "events, or non-events" if is_event else "cases of the rarer classes"
    least = FOR_SKILL if shown.measure == "skill" else FOR_INTERVAL
    return f"no interval: fewer than {least} expected {what}"
