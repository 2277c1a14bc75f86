"""The page of a leaderboard: who may be best, all standings, and which of two is better."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from properly import __version__, rules
from properly._boundary._text import listed, many, printable
from properly.comparison import Leaderboard
from properly.comparison._gaps import ASSUMES
from properly.comparison._leaderboard_record import Standing, ranks_in_words
from properly.evaluation._phrases import begun, sure
from properly.evaluation._verdict._headline import Headline
from properly.plots._board_plot import may_be_best, misleads
from properly.report import _first_screen as screen
from properly.report import _page_words as words
from properly.report._first_screen import Chip, ScoreDot, ScreenColumn, card
from properly.report._methods import methods, score_of_board
from properly.report._page_words import MINUS, NONE, chance, few, fixed, from_to
from properly.report._score_tables import around, number
from properly.report._vega import NumberTable, TableCell

TITLE = "Who forecasts best?"
# More rows than this are folded, and more names are counted in the headline.
MOST_ROWS, SHORT = 20, 5
# Forecasters in the matrix of pairs at most, and with their names above its columns.
MOST_PAIRS, NAMED = 20, 8
# Steps of the strength of colours, by standard errors apart.
STRENGTHS = (4.0, 5.5)
# The zero before the point, for which a large matrix has no room.
ZERO = re.compile(rf"^([+{MINUS}]?)0\.")
# Tiers that have a shade.
SHADED = 3

BEST, MAY_BE = Chip("Best", "good"), Chip("May be best", "good")
CROWD, FEW = Chip("Crowd, not ranked", "plain"), Chip("Too few answers to rank", "warn")
WRONG, ABSENT = Chip("Certain, and wrong", "bad"), Chip("No answer", "plain")


# Numbers of a record that stand below others, or nowhere; those that are written in another way, or
# called otherwise.
BESIDE = {
    *("forecaster", "rank_interval", "standard_error", "interval", "difference_error"),
    *("difference_interval", "coverage", "others"),
}
HEADINGS = {"adjusted_p_value": "adjusted p", "raw": "raw mean"}


class PairCell(NamedTuple):
    """A cell of the matrix: row minus column."""

    text: str
    kind: str
    told: str


class PairMatrix(NamedTuple):
    """Every forecaster against every other."""

    lead: str
    names: list[str]
    rows: list[tuple[str, list[PairCell]]]
    is_close: bool


def board_contents(board: Leaderboard) -> dict[str, Any]:
    """Gather what the template prints."""
    pairs = pairs_of(board)
    numbers = board.to_dict() | {"version": __version__}
    if len(board) > MOST_PAIRS:
        del numbers["pairs"]
    links = {"models": "Forecasters", "pairs": "Pairs", "methods": "Methods"}
    return {
        "title": TITLE,
        "about": about(board),
        "contents": [link for link in links.items() if pairs or link[0] != "pairs"],
        "headline": headline(board),
        "screen": screen_of(board),
        "assumes": ASSUMES if ASSUMES in board.notes else "",
        "notes": board.notes,
        "table": all_numbers(board),
        "pairs": pairs,
        "methods": methods(board),
        "fine_print": fine_print(board),
        "python": python_call(board),
        "record": "board",
        "numbers": numbers,
        "specs": {},
    }


def about(board: Leaderboard) -> str:
    """Say in one line what there is."""
    questions = many(board.questions, "question")
    answers = many(board.answers, "answer")
    design = "" if board.design == questions else f"; {board.design}"
    return f"{many(len(board), 'forecaster')}, {questions}, {answers}{design}."


def headline(board: Leaderboard) -> Headline:
    """Say who is best only if it can be told; else who may be; and why raw means mislead."""
    first, top = board.standings[0], [x for x in board.ranked if may_be_best(x)]
    names = listed(printable(x.forecaster) for x in top[:SHORT]) if top else ""
    if not top:
        return Headline("Nobody can be ranked.", "Too few questions were answered by several.")
    if board.leader is not None:
        claim = f"{names} is best."
    elif len(top) <= SHORT:
        claim = f"{names} may be best."
    else:
        ranked = "forecasters" if len(board.ranked) == len(board) else "ranked forecasters"
        many_of = "Any" if len(top) == len(board.ranked) else f"{len(top):,}"
        claim = f"{many_of} of the {len(board.ranked):,} {ranked} may be best."
    lowest = f"{printable(first.forecaster)} has the lowest score, but others may be better."
    reasons = [lowest if len(top) > SHORT else "", _of_raw_means(board)]
    return Headline(claim, " ".join(filter(None, reasons)))


def _of_raw_means(board: Leaderboard) -> str:
    """Say who would lead by raw means, if that is somebody else."""
    ranked = [x for x in board.ranked if math.isfinite(x.score)]
    first, raw = ranked[0], min(ranked, key=lambda x: x.raw)
    if raw is first:
        return ""
    leader, other = printable(first.forecaster), printable(raw.forecaster)
    by = few(first.selection - raw.selection)
    return f"By raw means {other} would lead, but the questions of {leader} were harder, by {by}."


def screen_of(board: Leaderboard) -> screen.Screen:
    """Lay out a row for each forecaster, the best first."""
    ranked, apart = board.ranked, board.standings[len(board.ranked) :]
    most = len(board) if len(board) <= MOST_ROWS + 2 else MOST_ROWS
    shown, folded = [*ranked[:most], *board.crowd], [*ranked[most:], *apart]
    if most == len(board):
        shown, folded = shown + folded, []
    axis = axis_of(shown)
    columns = _columns(board, axis)

    def row(x: Standing) -> screen.ScreenRow:
        cells = screen.cells_of(columns, x)
        return screen.ScreenRow(x.forecaster, _kind(board, x), None, _chip(board, x), cells)

    rows, more = (list(map(row, some)) for some in (shown, folded))
    crowd = [axis.at(x.score) for x in board.crowd]
    return screen.Screen(columns, rows, more, axis.ticks, crowd, [*_cards(board)])


def axis_of(rows: Sequence[Standing]) -> screen.ScoreAxis:
    """Make room for all scores, intervals and marks of some rows."""
    ends = [y for x in rows for y in (x.score, *x.interval)]
    ends += [x.raw for x in rows if misleads(x)]
    finite = [x for x in ends if math.isfinite(x)] or [0.0, 1.0]
    return screen.ScoreAxis.around(min(finite), max(finite))


def _columns(board: Leaderboard, axis: screen.ScoreAxis) -> tuple[ScreenColumn, ...]:
    """Describe the columns: another number is another one."""
    level, other = sure(board.level), board.reference or board.standings[0].forecaster
    where = "that all answered" if board.missing == "complete" else "as if all were answered"
    marks = ["▲ mean of what was answered, where it misleads"] * any(map(misleads, board))
    marks += ["dashed: crowd"] * bool(board.crowd)
    score = f"{begun(score_of_board(board))} on {many(board.questions, 'question')}, {where}"
    note = "; ".join([level, "left is better", *marks])
    minus, apart = f"Minus {printable(other)}", f"{level}, all at once"
    # As many decimals as tell the least standard error of a difference.
    digits = words.decimals_of_least(x.difference_error for x in (*board.standings, *board.crowd))
    difference = partial(_difference, digits=digits)

    def answered(row: Standing) -> screen.ShareBar:
        return screen.ShareBar(f"{100 * row.coverage:.0f} %", row.coverage)

    may_be, shares = f"may be, {100 * board.level:g} % sure, all at once", "share of the questions"
    return (
        ScreenColumn("score", score, note, lambda x: _dot(x, axis)),
        ScreenColumn("rank", "Rank", may_be, _rank, ("of-saved",)),
        ScreenColumn("difference", minus, apart, difference, ("of-difference",)),
        ScreenColumn("answered", "Answered", shares, answered, ("of-ranking",)),
    )


def _rank(row: Standing) -> TableCell:
    may_be = ranks_in_words(row)
    return TableCell(str(row.rank or NONE), may_be if " " in may_be else "")


def _difference(row: Standing, digits: int) -> TableCell:
    if row.difference == 0:
        return TableCell(NONE)
    apart = from_to(row.difference_interval, digits)
    return TableCell(fixed(row.difference, digits, sign=True), "" if apart == NONE else apart)


def _kind(board: Leaderboard, row: Standing) -> str:
    """Say how a row looks: shaded by its tier, pale if another is better, apart if not ranked."""
    if row.rank is None:
        return "apart crowd" if row in board.crowd else "apart behind"
    shade = f"tier-{row.tier}" if row.tier is not None and row.tier <= SHADED else ""
    return f"{shade}{'' if may_be_best(row) else ' behind'}".strip()


def _chip(board: Leaderboard, row: Standing) -> Chip:
    """Say in a word what became of a forecaster."""
    if math.isinf(row.score):
        return WRONG
    if math.isnan(row.score):
        return ABSENT
    if row.rank is None:
        return CROWD if row in board.crowd else FEW
    if may_be_best(row):
        return BEST if row.forecaster == board.leader else MAY_BE
    return Chip(f"Tier {row.tier}", "plain")


def _dot(row: Standing, axis: screen.ScoreAxis) -> ScoreDot:
    """Place a score and its interval; what has no place is said."""
    if not math.isfinite(row.score):
        words = "infinite: certain and wrong" if math.isinf(row.score) else "no answer"
        return ScoreDot(0.0, 0.0, 0.0, words, beyond=words)
    words = number(row.score) + (f" ({around(row.interval)})" if around(row.interval) else "")
    if misleads(row):
        words += f"; mean of what it answered: {number(row.raw)}"
    raw = axis.at(row.raw) if misleads(row) and axis.holds(row.raw) else None
    beyond = "" if axis.holds(row.score) else words
    return ScoreDot(*axis.places(row.score, row.interval), words, beyond, raw)


def _cards(board: Leaderboard) -> Iterator[screen.Card]:
    """Say what to beware of."""
    wrong = [printable(x.forecaster) for x in board if math.isinf(x.score)]
    if wrong:
        yield card("infinite", names=listed(wrong), was=screen.was_or_were(wrong))
    few_answers = [printable(x.forecaster) for x in board if x.rank is None]
    if few_answers:
        yield card("few", names=listed(few_answers))
    if len(board.ranked) > 1 and board.leader is None:
        yield card("guesses")


def all_numbers(board: Leaderboard) -> NumberTable:
    """Lay out all that is known of each forecaster."""
    every, columns = (*board.standings, *board.crowd), _numbers(board)
    rows = [(x.forecaster, *(cell(x) for cell in columns.values())) for x in every]
    caption = words.page_words()["tables"]["board"].format(
        score=begun(score_of_board(board)), level=sure(board.level)
    )
    head, unranked = ("forecaster", *columns), sum(x.rank is None for x in every)
    return NumberTable(head, rows, "All numbers of the leaderboard", caption, unranked)


def _numbers(board: Leaderboard) -> dict[str, Callable[[Standing], TableCell]]:
    """Return the columns of the table of all numbers, those of the record, by their headings."""
    every = (*board.standings, *board.crowd)
    other = printable(board.reference or board.standings[0].forecaster)
    headings = HEADINGS | {"difference": f"minus {other}"}
    says_nothing = {
        "active": all(abs(x.active - x.coverage) <= 1e-12 for x in every),
        "bounds": all(x.bounds is None for x in every),
    }
    columns = {
        headings.get(name, name.replace("_", " ")): CELLS.get(name) or partial(_cell, name)
        for name in Standing.__dataclass_fields__
        if name not in BESIDE and not says_nothing.get(name)
    }
    others = board.standings[0].others
    return columns | {name.replace("_", " "): partial(_other, name) for name in others}


def _cell(name: str, row: Standing) -> TableCell:
    """Write a number of a record, and its interval if it has one."""
    ends = getattr(row, f"{name}_interval", (math.nan, math.nan))
    return TableCell(number(getattr(row, name)), around(ends))


def _other(name: str, row: Standing) -> TableCell:
    if (estimate := row.others.get(name)) is None:
        return TableCell(NONE)
    return TableCell(few(estimate.value, 3), around(estimate.interval))


CELLS: dict[str, Callable[[Standing], TableCell]] = {
    "rank": _rank,
    "tier": lambda x: TableCell(str(x.tier or NONE)),
    "score": lambda x: TableCell(number(x.score), around(x.interval)),
    "difference": lambda x: _cell("difference", x) if x.difference else TableCell(NONE),
    "adjusted_p_value": lambda x: TableCell(chance(x.adjusted_p_value) if x.difference else NONE),
    "selection": lambda x: TableCell(few(x.selection, sign=True)),
    "answered": lambda x: TableCell(f"{x.answered:,}", f"{100 * x.coverage:.0f} %"),
    "active": lambda x: TableCell(f"{100 * x.active:.0f} %"),
    "bounds": lambda x: TableCell(around(x.bounds) if x.bounds else NONE),
}


def pairs_of(board: Leaderboard) -> PairMatrix | None:
    """Lay out every forecaster against every other, row minus column, the best first."""
    size = min(len(board.pairs["difference"]), MOST_PAIRS)
    if size < 2:
        return None
    rows = board.standings[:size]
    names = short = long = [printable(x.forecaster) for x in rows]
    if size > NAMED:
        short = [str(x.rank) for x in rows]
        long = [f"{rank}. {name}" for rank, name in zip(short, names, strict=True)]
    errors = board.pairs["standard_error"][:size, :size].ravel()
    digits = words.decimals_of_least(errors, 2 if size <= NAMED else 1)
    cells = [[_against(board, names, i, j, digits) for j in range(size)] for i in range(size)]
    if size > NAMED:
        cells = [[x._replace(text=ZERO.sub(r"\1.", x.text)) for x in row] for row in cells]
    every = f" The first {size} are shown." if size < len(board.pairs["difference"]) else ""
    lead = words.page_words()["tables"]["pairs"].format(
        score=score_of_board(board), level=f"{100 * board.level:g}", every=every
    )
    return PairMatrix(lead, short, list(zip(long, cells, strict=True)), size > NAMED)


def _against(board: Leaderboard, names: list[str], i: int, j: int, digits: int) -> PairCell:
    """Describe a cell; the stronger its colour, the more standard errors the two are apart."""
    if i == j:
        score = number(board.standings[i].score)
        return PairCell(fixed(board.standings[i].score, digits), "own", f"{names[i]}: {score}")
    difference, error, p = (
        float(board.pairs[name][i, j])
        for name in ("difference", "standard_error", "adjusted_p_value")
    )
    apart = abs(difference) / error if error > 0 else 0.0
    written = fixed(difference, digits, sign=True)
    told = f"{names[i]} minus {names[j]}: {written}, standard error {few(error)}"
    told += "" if math.isnan(p) else f", adjusted p {chance(p)}"
    if not p <= 1 - board.level:
        return PairCell(written, "open", told)
    strength = 1 + sum(apart > x for x in STRENGTHS)
    return PairCell(written, f"{'row' if difference < 0 else 'column'}-{strength}", told)


def fine_print(board: Leaderboard) -> list[str]:
    """Say what the numbers rest on, one line each."""
    lines = words.page_words()["fine_print"]["board"]
    return [line.format(level=f"{100 * board.level:g}") for line in lines]


def python_call(board: Leaderboard) -> str:
    """Write the call that makes the board again, as far as that can be told."""
    options = []
    if board.rule != "brier":
        is_plain = hasattr(rules, board.unit)
        options.append(f"rule={f'properly.rules.{board.unit}()' if is_plain else 'rule'}")
    defaults = {"missing": "two-way", "reference": None}
    given = {name: getattr(board, name) for name in defaults}
    options += [f"{name}={x!r}" for name, x in given.items() if x != defaults[name]]
    options.append(f"level={board.level!r}")
    others = board.standings[0].others
    options += [f"{name}=True" for name in ("relative_skill", "peer") if name in others]
    options += [f'crowd="{x.forecaster.partition("(")[2].rstrip(")")}"' for x in board.crowd]
    options += ["bounds=True"] * any(x.bounds is not None for x in board)
    return str(words.page_words()["python"]["board"]).format(options=", ".join(options))
