"""Rows with names at their sides, and forest plots: differences pair by pair, and groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._options import check_choice
from properly._boundary._text import many
from properly.comparison._groups_record import FOR_INTERVAL, FOR_SKILL, Contrast, Groups, is_small
from properly.comparison._pairs import Comparison, Pair, is_significant
from properly.errors import ArgumentTypeError, DataError
from properly.plots import _axes
from properly.plots._axes import GREY, PALE, PALETTE, SLATE, TEXT, Ends, Picture, legend_line
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import LETTER, fold, inches, legible, names_of, number, points

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.axes import Axes


Verdict: TypeAlias = Literal["apart", "alike", "open"]
Which: TypeAlias = Literal["score", "skill", "observed_expected"]

# Inches of a row: of a few, and of so many that a page must hold them.
ROW, CLOSE, MANY = 0.34, 0.21, 16
# Inches between the sides, and above and below the rows.
MIDDLE, AROUND = 4.4, 1.25
# Inches on all sides, so that words keep away from the edges of the paper.
MARGIN = 0.1
# Behind every other row, so that the eye finds the way from one side to the other.
STRIPE, STRIPED = "#F4F6F8", 5
# Points of a dot, of an interval, and of one that holds for all rows at once.
DOT, THICK, THIN = 6.0, 3.4, 1.0
# The size of letters in shares of the height of a row, and the least that can be read.
FULL, LEAST = 0.62, 4.0
# Points from the rows to what stands beside them.
SIDE = 6
MOST_DECIMALS = 8
# The logarithm of 5.
FINE = 0.7
# At either end of the numbers, as a share of them all.
AIR = 0.04
# How far apart numbers below the rows are, in sizes of their letters.
TICK = 5.5


class DotLook(NamedTuple):
    """How a dot looks: its colour, its shape, and whether it is filled."""

    color: str
    marker: str = "o"
    filled: bool = True

    def drawn(self, size: float = DOT) -> dict[str, Any]:
        """Return the same in words of matplotlib."""
        face = self.color if self.filled else "white"
        look = {"color": self.color, "marker": self.marker, "markerfacecolor": face}
        return look | {"linestyle": "", "markersize": size, "markeredgewidth": 1.3}


class RowPicture(Picture):
    """A picture with one row per thing, the first on top, and names at the sides.

    Attributes
    ----------
    letters : float
        The size of letters that fit between two rows.
    """

    def __init__(
        self,
        ax: Axes | None,
        names: Sequence[str],
        sides: Iterable[Sequence[str]],
        key: int,
        *,
        more: int = 0,
        striped: bool = True,
    ) -> None:
        """Make room for rows, with such words beside them and so many lines of a key below."""
        count = len(names) + more
        step = (ROW if count <= MANY else CLOSE) * points() / 10
        width = MIDDLE + sum(inches(words, "small") + 0.15 for words in (names, *sides))
        height = AROUND + step * count + 1.5 * key * points("small") / 72
        super().__init__(ax, width, height, w_pad=MARGIN, h_pad=MARGIN)
        ax = self.ax
        if self.own:
            ax.spines["left"].set_visible(False)
        ax.set_ylim(count - 0.5, -0.5)
        ax.tick_params(axis="y", length=0, pad=SIDE)
        for row in range(1, count, 2) if striped and count > STRIPED else ():
            ax.axhspan(row - 0.5, row + 0.5, color=STRIPE, linewidth=0, zorder=0.1, gid="stripe")
        self.letters = float(np.clip(FULL * 72 * self.size[1] / count, LEAST, points("small")))
        ax.set_yticks(range(len(names)), names, fontsize=self.letters)
        _axes.set_as_text(ax.get_yticklabels())

    def write_columns(self, columns: Mapping[str, list[str]], before: float | None = None) -> float:
        """Write columns of numbers to the right of the rows, flush right, with their headings.

        Or to their left, if told how many points are taken there. Return how far they reach.
        """
        right, size = before is None, self.letters
        edge, gap = float(SIDE if before is None else before), 2 * LETTER * size
        for heading, column in [*columns.items()][:: 1 if right else -1]:
            wide = max(map(len, [heading, *column])) * LETTER * size
            edge += wide if right else gap
            cells = [((int(right), row), 0, "center", text) for row, text in enumerate(column)]
            for place, lift, height, text in [*cells, ((int(right), -0.5), 3, "bottom", heading)]:
                look = {"ha": "right", "va": height, "fontsize": size, "gid": heading}
                offset = (edge if right else -edge, lift)
                self.write(text, place, offset, _axes.MIXED, annotation_clip=False, **look)
            edge += gap if right else wide
        return edge

    def draw_ends(self, row: float, ends: Ends, look: DotLook, *, gid: str, width: float) -> None:
        """Draw a line from end to end, if both are known."""
        if all(map(math.isfinite, ends)):
            line: dict[str, Any] = {"color": look.color, "linewidth": width, "zorder": 2}
            self.ax.plot(ends, (row, row), solid_capstyle="butt", gid=gid, **line)

    def draw_value(self, row: int, value: float, ends: Ends, look: DotLook, said: str = "") -> None:
        """Draw a dot and its interval, as small as the letters; where there is none, say so."""
        small = self.letters / points("small")
        self.draw_ends(row, ends, look, gid="interval", width=THICK * small)
        self.ax.plot(value, row, zorder=3, gid="value", **look.drawn(DOT * small))
        words = said or ("no interval" if math.isnan(ends[0]) else "")
        if words:
            # On the side that has more room.
            right = value <= sum(self.ax.get_xlim()) / 2
            offset = (DOT + 1 if right else -DOT - 1, 0)
            side = "left" if right else "right"
            self._say(words, (value, row), offset, "data", ha=side, pad=0.1, alpha=0.7)

    def say_in_row(self, row: int, words: str) -> None:
        """Write words in the middle of a row in which there is nothing to draw."""
        self._say(words, (0.5, row), (0, 0), _axes.MIXED, ha="center", pad=0.15)

    def _say(
        self, words: str, at: Ends, offset: Ends, coords: Any, *, ha: str, pad: float, **look: Any
    ) -> None:
        paper = {"boxstyle": f"square,pad={pad}", "facecolor": "white", "linewidth": 0} | look
        style = {"va": "center", "fontsize": self.letters, "zorder": 4, "gid": "words"}
        self.write(words, at, offset, coords, ha=ha, bbox=paper, **style)

    def show_span(self, numbers: Iterable[Any], side: float = 0.0) -> None:
        """Show all finite numbers, and as many round ones on the axis as can stand side by side.

        Zero has at least this share of the width on either side, if a share is asked for.
        """
        least, most = _axes.span_of(numbers, side)
        air = AIR * (most - least)
        self.ax.set_xlim(least - air, most + air)
        bins = int(np.clip(72 * self.size[0] / (TICK * points()), 2, 6))
        self.ax.xaxis.set_major_locator(_axes.round_steps(bins, (1, 2, 2.5, 5, 10)))

    def name_axis(self, label: str, values: Any) -> None:
        """Name the axis, which has no numbers where none is finite."""
        if not np.isfinite(values).any():
            self.ax.set_xticks([])
        self.ax.set_xlabel(label)
        _axes.set_as_text([self.ax.xaxis.label])


def decimals(half_widths: Any) -> int:
    """Count the decimals in which most intervals can be seen: to a fifth of half their width."""
    half = np.asarray(half_widths, dtype=float)
    half = half[np.isfinite(half) & (half > 0)]
    if not half.size:
        return 4
    return min(max(math.ceil(FINE - math.log10(np.median(half))), 0), MOST_DECIMALS)


def key_dot(look: DotLook, label: str) -> Any:
    """Make the entry of a dot."""
    return legend_line(label=label, **look.drawn())


def key_line(color: str, width: float, label: str, style: str = "-") -> Any:
    """Make the entry of a line."""
    return legend_line(color=color, linewidth=width, label=label, linestyle=style)


LOOKS: dict[Verdict, DotLook] = {
    "apart": DotLook(PALETTE[0]),
    "alike": DotLook(PALETTE[2], "s"),
    "open": DotLook(GREY, filled=False),
}
# The least share of the width on either side of zero, for the words above it.
LEAST_SIDE = 0.27


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
        From `properly.compare`. Pairs are sorted by the scores of the models, the best on top.
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
    rows = _rows(record)
    handles = _key(record, rows)
    right = [row.right for row in rows]
    picture = RowPicture(ax, [row.left for row in rows], [right], len(handles))
    # On an axis of their own, so that the layout makes room for them.
    picture.write_side("right", dict(enumerate(right)), pad=SIDE, labelsize=picture.letters)
    _show_differences(picture, record, rows)
    for k, row in enumerate(rows):
        pair, look = row.pair, LOOKS[row.verdict]
        if not math.isfinite(pair.difference):
            picture.say_in_row(k, row.words)
            continue
        picture.draw_ends(k, pair.simultaneous, look, gid="simultaneous", width=THIN)
        picture.draw_value(k, pair.difference, pair.interval, look, row.words)
    picture.draw_key(handles)
    return picture.ax


def require_comparison(record: object) -> Comparison:
    """Refuse what is not a comparison."""
    return _axes.require(record, Comparison, "properly.compare(y, forecasts, rule=rule)")


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


def _rows(record: Comparison) -> list[PairRow]:
    """Put the better model, which comes first, on the side to which its difference leans."""
    order = by_score(record)
    pairs = sorted(sorted(map(order.index, pair)) for pair in record.pairs)
    rows = []
    for names in ([order[k] for k in pair] for pair in pairs):
        pair = record[names[0], names[1]]
        sides = names[::-1] if record.higher_is_better else names
        words = _words(record, pair, sides)
        left, right = map(legible, sides)
        rows.append(PairRow(left, right, pair, verdict_on(record, pair), words))
    return rows


def _words(record: Comparison, pair: Pair, sides: Sequence[str]) -> str:
    """Say why there is no interval."""
    if math.isnan(pair.difference):
        return "the scores of both are infinite"
    if math.isinf(pair.difference):
        name = pair.first if pair.difference > 0 else pair.second
        cases = many(record.scores[name].infinite_cases, "case")
        return f"{('left', 'right')[sides.index(name)]} model: infinite loss in {cases}"
    if pair.differing == 0:
        return "never differ"
    return "no interval" if math.isnan(pair.interval[0]) else ""


def _show_differences(picture: RowPicture, record: Comparison, rows: Sequence[PairRow]) -> None:
    """Show all differences, zero, and on either side of it room for words."""
    numbers = [(x.pair.difference, *x.pair.interval, *x.pair.simultaneous) for x in rows]
    strip = () if record.margin is None else (-record.margin, record.margin)
    picture.show_span([*numbers, strip, [0.0]], LEAST_SIDE)
    picture.ax.axvline(0, color=TEXT, linewidth=0.9, zorder=1.5, gid=_axes.ZERO)
    if strip:
        look: dict[str, Any] = {"color": PALE, "alpha": 0.5, "linewidth": 0, "zorder": 0.5}
        picture.ax.axvspan(*strip, gid="margin", **look)
    order = "right minus left" if record.higher_is_better else "left minus right"
    picture.name_axis(f"difference in {score_of(record)}, {order}", record.difference)
    # Above either end stands whose it is, in letters that do not meet.
    sides = rows[0][:2] if len(rows) == 1 else ("left model", "right model")
    room = 0.46 * picture.size[0]
    left, right = (fold(f"{side} better", room, "small") for side in sides)
    said = (f"← {left}", f"{right} →")
    size = points("small") * min(1.0, room / inches(said, "small"))
    for place, ha, text in zip((0, 1), ("left", "right"), said, strict=True):
        words = {"ha": ha, "va": "bottom", "fontsize": size, "gid": "side"}
        picture.write(text, (place, 1), (0, 4), "axes fraction", **words)


def _key(record: Comparison, rows: Sequence[PairRow]) -> list[Any]:
    """Say what is what, as far as it can be seen."""
    seen = {row.verdict for row in rows if math.isfinite(row.pair.difference)}
    pairs, several = many(len(record), "pair"), len(record) > 1
    adjusted = ", each pair by itself" if record.adjust == "none" else f", allowing for {pairs}"
    margin = "" if record.margin is None else f"{record.margin:.4g} {score_of(record)}"
    says: dict[Verdict, str] = {
        "apart": f"told apart (at {100 * (1 - record.level):.4g} %{adjusted if several else ''})",
        "alike": f"as good as each other, within {margin}",
        "open": "not told apart",
    }
    handles = [key_dot(LOOKS[verdict], says[verdict]) for verdict in says if verdict in seen]
    level = f"{100 * record.level:.4g} % interval"
    if any(math.isfinite(row.pair.interval[0]) for row in rows):
        handles.append(key_line(TEXT, THICK, level))
        if several and record.adjust != "none":
            handles.append(key_line(TEXT, THIN, f"{level} for all {pairs} at once"))
    if margin:
        label = f"margin: {margin} either way"
        handles.append(_axes.legend_patch(color=PALE, alpha=0.5, label=label))
    return handles


PLAIN, WORST, FEW = DotLook(PALETTE[0]), DotLook(PALETTE[1]), DotLook(GREY, filled=False)
REST = DotLook(TEXT, "|")
# How far below the middle of its row the worst group is compared with the rest.
LOWER = 0.3
# As many events as expected; no better than the reference.
MARKED = {"observed_expected": 1.0, "skill": 0.0}


class GroupView(NamedTuple):
    """What a picture of groups shows: the numbers of a measure, and the row of the worst group."""

    groups: Groups
    measure: Which
    numbers: Contrast
    worst: int | None

    @property
    def against(self) -> Ends:
        """Where the worst group would lie, seen from the rest: its simultaneous interval."""
        if self.worst is None:
            return math.nan, math.nan
        lower, upper = (self.numbers.rest + self.numbers.simultaneous.T)[:, self.worst].tolist()
        return lower, upper


@draws_evaluation
def groups(record: Groups, ax: Axes | None = None, *, measure: Which = "score") -> Axes:
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
    shown = _view(record, measure)
    names = names_of(record.name)
    counts = {"cases": record.cases, "events": record.events}
    columns = {
        heading: [f"{count:,}" for count in column.tolist()]
        for heading, column in counts.items()
        if column is not None
    }
    handles = _group_key(shown)
    sides = [[*column, "m" * 8] for column in columns.values()]
    picture = RowPicture(ax, names, sides, len(handles) + 1)
    picture.write_columns(columns)
    _show_values(picture, shown)
    ends = shown.numbers.interval.tolist()
    for row, value in enumerate(shown.numbers.value.tolist()):
        if math.isfinite(value):
            few = math.isnan(ends[row][0])
            look = FEW if few else WORST if row == shown.worst else PLAIN
            picture.draw_value(row, value, ends[row], look)
        else:
            picture.say_in_row(row, "infinite" if math.isinf(value) else "undefined")
    _draw_worst(picture, shown)
    picture.draw_key(handles)
    return picture.ax


def _view(record: Groups, measure: Which) -> GroupView:
    if not isinstance(record, Groups):
        message = f"this picture is drawn from Groups; got {type(record).__name__}"
        raise ArgumentTypeError(message, hint="make them with properly.by_group(cases, rule).")
    check_choice(measure, get_args(Which), "measure")
    if measure not in record.measures:
        measures = ", ".join(map(repr, record.measures))
        message = f"these groups have no {measure!r}; got groups with {measures}"
        raise DataError(message)
    worst = {"score": record.worst, "skill": record.worst_skill}.get(measure)
    row = None if worst is None else record.name.index(worst.name)
    return GroupView(record, measure, record.measures[measure], row)


def _show_values(picture: RowPicture, shown: GroupView) -> None:
    """Show all values and intervals, and the lines to compare them with."""
    ax, numbers, rule = picture.ax, shown.numbers, legible(shown.groups.unit)
    picture.show_span([numbers.value, numbers.interval, shown.against, [numbers.overall]])
    if math.isfinite(numbers.overall):
        ax.axvline(numbers.overall, color=SLATE, linewidth=1.2, zorder=1.5, gid="overall")
    left, right = ax.get_xlim()
    at = MARKED.get(shown.measure, math.nan)
    if left <= at <= right:
        ax.axvline(at, color=GREY, linewidth=0.9, linestyle=":", zorder=1.4, gid="marked")
    says = {
        "score": f"mean {rule} score (lower is better)",
        "skill": f"{rule} skill (higher is better)",
        "observed_expected": "observed to expected events",
    }
    picture.name_axis(says[shown.measure], numbers.value)


def _draw_worst(picture: RowPicture, shown: GroupView) -> None:
    """Draw how far the worst group is from the rest, allowing for the choice."""
    row = shown.worst
    if row is None:
        return
    picture.ax.get_yticklabels()[row].set_color(WORST.color)
    picture.draw_ends(row + LOWER, shown.against, WORST, gid="simultaneous", width=THIN)
    rest = float(shown.numbers.rest[row])
    if math.isfinite(rest):
        look: dict[str, Any] = {"color": REST.color, "marker": REST.marker, "markersize": 8}
        picture.ax.plot(rest, row + LOWER, zorder=2.5, gid="rest", **look)


def _group_key(shown: GroupView) -> list[Any]:
    """Say what is what, as far as it can be seen."""
    result, numbers = shown.groups, shown.numbers
    level = f"{100 * result.level:.4g} % interval"
    count = int(np.isfinite(numbers.simultaneous[:, 0]).sum())
    distance = f"its distance from all other cases: {level}, allowing for the choice"
    what = "events, or non-events" if result.events is not None else "cases of the rarer classes"
    fewest = FOR_SKILL if shown.measure == "skill" else FOR_INTERVAL
    printed = number(numbers.overall, decimals(np.diff(numbers.interval, axis=1) / 2))
    is_known, some = shown.worst is not None, is_small(result, shown.measure).any()
    handles = [
        (np.isfinite(numbers.interval).any(), key_line(PLAIN.color, THICK, level)),
        (is_known, key_dot(WORST, f"worst of {many(count, 'group')}")),
        (is_known, key_line(WORST.color, THIN, distance)),
        (is_known, key_dot(REST, "all other cases")),
        (some, key_dot(FEW, f"no interval: fewer than {fewest} expected {what}")),
        (math.isfinite(numbers.overall), key_line(SLATE, 1.2, f"all cases: {printed}")),
    ]
    return [handle for is_seen, handle in handles if is_seen]
