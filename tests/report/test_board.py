"""The page of a leaderboard."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.boards import HOSTILE, board, mixed_board
from tests.report.test_page import Tags

import properly
from properly import report
from properly.comparison._gaps import ASSUMES
from properly.plots._board_plot import may_be_best, misleads
from properly.report._board import (
    MOST_PAIRS,
    MOST_ROWS,
    axis_of,
    headline,
    pairs_of,
    python_call,
    screen_of,
)
from properly.report._page import page
from properly.report._page_words import MINUS
from properly.rules import Log

if TYPE_CHECKING:
    from properly.comparison import Leaderboard


def ranks(record: Leaderboard, *intervals: tuple[int, int]) -> Leaderboard:
    """Give a board other intervals of ranks."""
    rows = zip(record.standings, intervals, strict=True)
    return replace(record, standings=tuple(replace(x, rank_interval=y) for x, y in rows))


def named(count: int) -> Leaderboard:
    return board(count, names=tuple("ABCDEFGH"[:count]))


def many(count: int) -> Leaderboard:
    """Repeat the forecasters of a board under other names, with a matrix of pairs."""
    record = board(6)
    rows = [replace(record.standings[k % 6], forecaster=f"f{k}", rank=k + 1) for k in range(count)]
    which = np.arange(count) % 6
    pairs = {name: x[np.ix_(which, which)] for name, x in record.pairs.items()}
    return replace(record, standings=tuple(rows), pairs=pairs)


def told(record: Leaderboard) -> str:
    claim, reason, *_ = headline(record)
    return f"{claim} {reason}"


def test_best_is_said_only_of_one_whose_rank_can_be_no_other() -> None:
    record = named(3)
    first, second, third = (x.forecaster for x in record)
    assert headline(ranks(record, (1, 1), (2, 3), (2, 3))).claim == f"{first} is best."
    open_board = ranks(record, (1, 2), (1, 2), (3, 3))
    assert headline(open_board).claim == f"{first} and {second} may be best."
    open_board = ranks(record, (1, 3), (1, 3), (1, 3))
    assert headline(open_board).claim == f"{first}, {second} and {third} may be best."


def test_many_who_may_be_best_are_counted() -> None:
    record = named(7)
    every = ranks(record, *[(1, 7)] * 7)
    assert headline(every).claim == "Any of the 7 forecasters may be best."
    some = ranks(record, *[(1, 7)] * 6, (2, 7))
    assert headline(some).claim == "6 of the 7 forecasters may be best."
    first = record.standings[0].forecaster
    assert f"{first} has the lowest score, but others may be better." in headline(every).reason
    last = replace(every.standings[-1], rank=None, rank_interval=None, tier=None)
    apart = replace(every, standings=(*every.standings[:-1], last))
    assert headline(apart).claim == "Any of the 6 ranked forecasters may be best."


def test_why_raw_means_mislead_is_said_if_they_do() -> None:
    record = named(4)
    first, second, *rest = record.standings
    off = replace(first, raw=0.3, selection=0.3 - first.score)
    near = replace(second, raw=0.1, selection=0.1 - second.score)
    by = off.selection - near.selection
    assert told(replace(record, standings=(off, near, *rest))).endswith(
        f"By raw means {near.forecaster} would lead, but the questions of {off.forecaster} were "
        f"harder, by {by:.2g}."
    )
    same = tuple(replace(x, raw=x.score, selection=0.0) for x in record)
    assert "raw means" not in told(replace(record, standings=same))


def test_nobody_may_be_ranked() -> None:
    record = properly.leaderboard(
        properly.Answers.from_wide([0, 1, 1], {"a": [0.1, 0.5, 0.7], "b": [0.3, 0.6, 0.9]}), rng=1
    )
    assert headline(record).claim == "Nobody can be ranked."
    tags = Tags(page(record))
    assert "Which of two is better?" not in tags.text
    assert tags.text.count("Too few answers to rank") == 2


def test_rows_are_those_of_the_picture() -> None:
    record = board(6)
    screen = screen_of(record)
    assert [row.name for row in screen.rows] == [x.forecaster for x in record]
    axis = axis_of(record.standings)
    for row, x in zip(screen.rows, record, strict=True):
        assert row.cells["score"].place == axis.at(x.score)
        ends = row.cells["score"][1:3]
        assert ends == tuple(map(axis.at, x.interval))
        assert row.cells["score"].raw == (axis.at(x.raw) if misleads(x) else None)
        assert row.cells["answered"].share == x.coverage
        assert row.cells["rank"].number == str(x.rank)
        assert (row.chip.text in ("Best", "May be best")) == may_be_best(x)
        assert ("behind" in row.kind) == (not may_be_best(x))
        assert f"tier-{x.tier}" in row.kind
    assert screen.rows[0].cells["difference"].number == "–"
    assert screen.rows[1].cells["difference"].number.startswith("+")


def test_who_is_not_ranked_stands_apart_and_infinity_is_said() -> None:
    record = mixed_board()
    rows = {row.name: row for row in screen_of(record).rows}
    assert rows["sure"].cells["score"].words == "infinite: certain and wrong"
    assert rows["sure"].chip.text == "Certain, and wrong"
    assert rows["crowd (mean)"].kind == "apart crowd"
    assert rows["seldom"].kind == "apart behind"
    assert list(rows)[-2:] == ["crowd (mean)", "seldom"]
    assert len(screen_of(record).marks) == 1
    titles = [card.title for card in screen_of(record).cards]
    assert titles[:2] == ["Certain, and wrong", "Not ranked"]
    text = Tags(page(record)).text
    assert "infinite: certain and wrong" in text
    assert "∞" in text


@pytest.mark.slow
def test_of_many_most_are_folded_and_few_are_compared() -> None:
    record = many(300)
    screen = screen_of(record)
    assert (len(screen.rows), len(screen.folded)) == (MOST_ROWS, 300 - MOST_ROWS)
    pairs = pairs_of(record)
    assert pairs is not None
    assert len(pairs.rows) == len(pairs.names) == MOST_PAIRS
    assert pairs.lead.endswith("The first 20 are shown.")
    text = page(record)
    assert len(text) < 800_000
    tags = Tags(text)
    assert "pairs" not in json.loads(tags.scripts["numbers"])
    assert "280 more forecasters" in tags.text


def test_a_cell_has_row_minus_column_and_a_colour_if_they_are_told_apart() -> None:
    record = board(6)
    pairs = pairs_of(record)
    assert pairs is not None
    assert "The first" not in pairs.lead
    seen = set()
    for i, (name, cells) in enumerate(pairs.rows):
        assert name == record.standings[i].forecaster
        for j, cell in enumerate(cells):
            if i == j:
                assert float(cell.text) == pytest.approx(record.standings[i].score, abs=1e-3)
                continue
            apart, p = (record.pairs[x][i, j] for x in ("difference", "adjusted_p_value"))
            assert float(cell.text.replace(MINUS, "-")) == pytest.approx(apart, abs=1e-3)
            side = "row" if apart < 0 else "column"
            is_told = p <= 1 - record.level
            assert cell.kind.startswith(side if is_told else "open")
            seen.add(is_told)
    assert seen == {True, False}


def test_what_is_assumed_stands_under_the_board() -> None:
    record = board(6)
    assert ASSUMES in record.notes
    text = Tags(page(record)).text
    assert text.index(ASSUMES) < text.index("Which of two is better?")
    without = replace(record, notes=tuple(x for x in record.notes if x != ASSUMES))
    assert ASSUMES not in Tags(page(without)).text
    for note in record.notes:
        assert note in text


def test_names_of_forecasters_are_text() -> None:
    record = board(4, names=(HOSTILE, "$x$", "two\nlines", "\u202eright to left"), crowd="mean")
    text = page(record, title=HOSTILE, command=HOSTILE, python=HOSTILE, date=HOSTILE)
    tags = Tags(text)
    assert HOSTILE not in text
    assert not {"img", "b"} & set(tags.tags)
    assert tags.tags.count("script") == 4
    assert tags.text.count(HOSTILE) >= 4
    assert "\\u202eright to left" in tags.text
    assert "two\\nlines" in tags.text


def test_links_lead_somewhere() -> None:
    tags = Tags(page(mixed_board()))
    ids = {a.get("id") for a in tags.attributes}
    links = {(a["href"] or "").removeprefix("#") for a in tags.attributes if "href" in a}
    assert links <= ids


def test_the_numbers_can_be_taken_out_of_the_page() -> None:
    record = mixed_board()
    numbers = json.loads(Tags(page(record)).scripts["numbers"])
    assert numbers.pop("version") == properly.__version__
    assert numbers == json.loads(json.dumps(record.to_dict()))


def test_all_numbers_have_a_column_for_what_was_asked_for() -> None:
    record = board(4, peer=True, relative_skill=True, bounds=True)
    text = Tags(page(record)).text
    for head in ("selection", "peer", "peer median", "baseline", "relative skill", "bounds"):
        assert head in text
    low, _ = record.standings[0].bounds or (0, 0)
    assert f"{low:.4g}" in text


def test_the_call_makes_the_board_again() -> None:
    record = board(4, rule=Log(), peer=True, reference="forecaster 2", level=0.9)
    assert python_call(record) == (
        "import properly\n\n"
        "answers = properly.Answers(frame)  # question, forecaster, probability, outcome\n"
        "board = properly.leaderboard(answers, rule=properly.rules.Log(), "
        "reference='forecaster 2', level=0.9, peer=True)\n"
        'properly.report.write("leaderboard.html", board)'
    )
    assert 'crowd="mean"' in python_call(mixed_board())
    assert "rule" not in python_call(board(4))


def test_methods_say_what_was_done() -> None:
    record = board(6)
    text = report.methods(record)
    assert text.startswith(
        f"{record.answers} forecasts of 120 questions by 6 forecasters (forecaster "
    )
    assert "two-way effects" in text
    assert ASSUMES in text
    assert "clustered (120 questions)" in text
    assert "Mogstad M" in text
    assert "Bell RM" in text
    for sentence in re.split(r"\. ", text.partition("\n")[0])[1:]:
        assert len(sentence.split()) <= 25, sentence
    complete = report.methods(replace(record, missing="complete", design="40 times"))
    assert "Only questions that all forecasters answered were used." in complete
    assert "Standard errors of differences are for 40 times." in complete
    assert "Bell RM" not in complete


def test_the_page_needs_nothing_and_allows_nothing_else() -> None:
    text = page(board(6))
    tags = Tags(text)
    policy = next(a["content"] for a in tags.attributes if "http-equiv" in a) or ""
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert policy.count("sha256-") == 2
    assert not {"link", "iframe", "object", "embed", "img"} & set(tags.tags)
    names = {name for a in tags.attributes for name in a}
    assert not any(name.startswith("on") or name in ("style", "src") for name in names)
    # Nothing is drawn by a script, so that what draws charts is left out.
    assert len(text) < 100_000
