"""Boards as they are printed and handed on: names are data, records are strict."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from tests.board_draws import board_of, drawn

import properly

HOSTILE = ["</script>", "\x1b[31mred", "A", "A ", "x" * 70, "ünïcödé", "crowd (mean)", "7"]


def hostile_board(**options: Any) -> Any:
    y, forecasts = drawn(names="abcdefgh")
    named = dict(zip(HOSTILE, forecasts.values(), strict=True))
    return board_of(y, named, **options)


def test_names_are_shown_and_never_obeyed() -> None:
    board = hostile_board(reference="\x1b[31mred", scaled_to=("\x1b[31mred", 0.25))
    for text in (str(board), *map(repr, board), repr(board), *board.notes):
        assert "\x1b" not in text
    assert "\\x1b[31mred" in str(board)
    assert {row.forecaster for row in board} == set(HOSTILE)
    assert board["A"].score != board["A "].score
    assert board[7].forecaster == "7"
    assert json.loads(json.dumps(board.to_dict(), allow_nan=False))


def test_a_board_is_printed_word_for_word() -> None:
    y = np.arange(12) % 2
    place = np.arange(12)
    forecasts = {
        "Ada": np.where(y, 0.8, 0.3) + place / 100,
        "Ben": np.where(place < 11, np.where(y, 0.6, 0.3), np.nan),
        "Cleo": np.where(place < 4, 0.5 + place / 50, np.nan),
    }
    assert str(board_of(y, forecasts, scaled_to=("Ben", 0.25))) == PRINTED


PRINTED = """\
3 forecasters, 12 questions, 27 answers

rank  95 %    tier  forecaster   Brier              95 %  minus Ada          all pairs  answered  selection
1     1 to 2  1     Ada         0.2062  0.1700 to 0.2425          -                  -     100 %    +0.0000
2     1 to 2  1     Ben         0.2500  0.2200 to 0.2800    +0.0438  -0.0174 to 0.1050      92 %    +0.0058
                    Cleo        0.3748  0.3328 to 0.4168    +0.1686   0.0963 to 0.2410      33 %    +0.0006

Scores are what each would have had on all 12 questions.
This assumes that whoever skipped a question would have done on it as well, relative to
  the others, as on the rest.
Within a tier, none is shown worse than its first.
Questions are taken as independent; clusters= names families of them.
Not ranked, with fewer than 10 questions shared with anybody: Cleo.
Scores are shifted by 0.134, so that Ben has 0.25."""  # noqa: E501


def test_both_ends_of_intervals_are_numbers_of_their_own() -> None:
    rng = np.random.default_rng(3)
    p = rng.random(80)
    answers = properly.Answers(
        question=np.tile(np.arange(80), 2),
        forecaster=np.repeat(["a", "b"], 80),
        probability=np.concatenate([p, rng.random(80)]),
        outcome=np.tile(rng.random(80) < p, 2),
    )
    for row in properly.leaderboard(answers, rng=1):
        flat = row.flat()
        assert (flat["lower"], flat["upper"]) == row.interval
        assert (flat["rank_lower"], flat["rank_upper"]) == row.rank_interval
        assert flat["lower"] < flat["upper"]
