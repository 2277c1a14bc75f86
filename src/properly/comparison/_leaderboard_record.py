"""The record of a leaderboard: one standing a forecaster, and how it is laid out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from properly._boundary._record import Record, ends_apart, plain
from properly._boundary._text import many, printable, span, table, wrapped
from properly.errors import DataError
from properly.typing import Column

if TYPE_CHECKING:
    from properly.comparison._platform_scores import OtherScore

# Rows of a table in a terminal.
SHOWN = 40


@dataclass(frozen=True, repr=False, kw_only=True)
class Standing(Record):
    """One forecaster of a leaderboard.

    Attributes
    ----------
    forecaster : str
        The name.
    rank : int or None
        From 1; None if it is not ranked.
    rank_interval : pair of int or None
        The best and the worst rank it may have; None if that cannot be told.
    tier : int or None
        From 1: within a tier, none is shown worse than its first.
    score : float
        What it would have scored on all questions, if gaps were additive.
    standard_error, interval : float, pair of floats
        Its standard error and interval.
    difference, difference_error : float
        To the leader, or to the reference, and its standard error.
    difference_interval : pair of floats
        Such that those of all forecasters hold at once.
    adjusted_p_value : float
        Of no difference, adjusted for the number of pairs.
    raw : float
        The mean loss on the questions it answered.
    selection : float
        That minus `score`: positive if the questions it answered were hard.
    answered : int
        How many questions it answered.
    coverage, active : float
        Their share of the weight of all questions; the share of their time it had a forecast.
    bounds : pair of floats or None
        The score if all losses it has not were as low, or as high, as can be.
    others : dict of OtherScore
        Scores that platforms report, if asked for.

    Examples
    --------
    >>> import properly
    >>> board = properly.leaderboard(properly.datasets.tournament().answers, rng=1)
    >>> board["Ada"]
    Standing(Ada: 0.1534, rank 1)
    >>> board["Ada"].rank_interval
    (1, 6)
    """

    forecaster: str
    rank: int | None = None
    rank_interval: tuple[int, int] | None = None
    tier: int | None = None
    score: float
    standard_error: float
    interval: tuple[float, float]
    difference: float
    difference_error: float
    difference_interval: tuple[float, float]
    adjusted_p_value: float
    raw: float
    selection: float
    answered: int
    coverage: float
    active: float
    bounds: tuple[float, float] | None = None
    others: dict[str, OtherScore]

    def __repr__(self) -> str:
        rank = "not ranked" if self.rank is None else f"rank {self.rank}"
        return f"Standing({printable(self.forecaster)}: {self.score:.4g}, {rank})"

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them."""
        row = self._row()
        others = {name: plain(x._asdict()) for name, x in row.pop("others").items()}
        return dict(plain(row)) | others

    def flat(self) -> dict[str, Any]:
        """Return all numbers by name, those of platforms last; what is not known is None."""
        row, unknown = self._row(), (None, None)
        others, row["bound"] = row.pop("others"), row.pop("bounds") or unknown
        row["rank_interval"] = self.rank_interval or unknown
        for name, other in others.items():
            row |= {name: other.value, f"{name}_interval": other.interval}
        return ends_apart(row, "interval")


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Record):
    """Forecasters in order, each with what it scores and which ranks it may have.

    ``print(board)`` lays it out; ``board["name"]`` is one forecaster.

    Attributes
    ----------
    standings : tuple of Standing
        Forecasters, the best first; then those that are not ranked.
    rule, unit : str
        Name of the rule; the rule as it is written.
    missing : str
        How gaps were dealt with.
    reference : str or None
        Whom differences are to; None if it is the leader.
    level : float
        Confidence level of all intervals.
    degrees : float
        The fewest degrees of freedom of a difference.
    questions, answers : int
        How many of each there are.
    design : str
        What was taken as independent.
    pairs : dict of arrays
        Differences, standard errors, degrees of freedom and adjusted p-values of all that are
        ranked, row against column, in the order of the board.
    crowd : tuple of Standing
        Forecasters made of the others, which are not ranked.
    notes : tuple of str
        What is to be said beside it.

    Examples
    --------
    >>> import properly
    >>> tournament = properly.datasets.tournament()
    >>> board = properly.leaderboard(tournament.answers, rng=1)
    >>> board.standings[0].forecaster
    'Ada'
    """

    standings: tuple[Standing, ...]
    crowd: tuple[Standing, ...]
    rule: str
    unit: str
    missing: str
    reference: str | None
    level: float
    degrees: float
    questions: int
    answers: int
    design: str
    pairs: dict[str, Column]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        """Count the forecasters."""
        return len(self.standings)

    def __iter__(self) -> Iterator[Standing]:
        """Go through the forecasters, the best first."""
        return iter(self.standings)

    def __getitem__(self, forecaster: str) -> Standing:
        """Return one forecaster."""
        for standing in (*self.standings, *self.crowd):
            if standing.forecaster == str(forecaster):
                return standing
        names = ", ".join(repr(x.forecaster) for x in self.standings[:6])
        message = f"there is no forecaster {forecaster!r} on this board"
        raise DataError(message, hint=f"forecasters: {names}{', …' * (len(self) > 6)}.")

    @property
    def leader(self) -> str | None:
        """Who is best, if that can be told: whose rank is 1 and can be no other."""
        first = self.standings[0]
        alone = len(self.ranked) < 2
        return first.forecaster if first.rank_interval == (1, 1) and not alone else None

    @property
    def ranked(self) -> tuple[Standing, ...]:
        """The forecasters that are ranked."""
        return tuple(x for x in self.standings if x.rank is not None)

    def __repr__(self) -> str:
        about = f"{many(len(self), 'forecaster')}, {many(self.questions, 'question')}"
        return f"Leaderboard({about}, {self.rule})"

    def __str__(self) -> str:
        """Lay the board out, the best first, and say what is to be said beside it."""
        level = f"{100 * self.level:g} %"
        other = printable(self.reference or self.standings[0].forecaster)
        head = (
            *("rank", level, "tier", "forecaster", self.unit, level, f"minus {other}"),
            *("all pairs", "answered", "selection"),
        )
        rows = [_line(x) for x in (*self.standings[:SHOWN], *self.crowd)]
        questions = many(self.questions, "question")
        title = f"{many(len(self), 'forecaster')}, {questions}, {many(self.answers, 'answer')}"
        # Without families of questions, the design is their number once more.
        title += f"; {self.design}" if self.design != questions else ""
        more = len(self) - SHOWN
        lines = [title, "", table(head, rows, left=4)]
        lines += [f"… {more:,} more: to_frame() has all"] * (more > 0)
        return "\n".join([*lines, "", *map(wrapped, self.notes)])

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a forecaster."""
        rows = [x.flat() for x in (*self.standings, *self.crowd)]
        return {name: [row.get(name) for row in rows] for name in rows[0]}


def ranks_in_words(standing: Standing) -> str:
    """Write which ranks a forecaster may have: 1 to 4, or 1 alone."""
    if standing.rank_interval is None:
        return ""
    first, last = standing.rank_interval
    return f"{first}" if first == last else f"{first} to {last}"


def _line(row: Standing) -> tuple[str, ...]:
    score = f"{row.score:.4f}" if math.isfinite(row.score) else f"{row.score:g}"
    same = row.difference == 0 or math.isnan(row.difference)
    apart = "-" if same else f"{row.difference:+.4f}"
    return (
        str(row.rank or ""),
        ranks_in_words(row),
        str(row.tier or ""),
        row.forecaster,
        score,
        span(row.interval),
        apart,
        "-" if same else span(row.difference_interval),
        f"{100 * row.coverage:.0f} %",
        # Adding 0 takes the sign of -0 away.
        "-" if math.isnan(row.selection) else f"{round(row.selection, 4) + 0:+.4f}",
    )
