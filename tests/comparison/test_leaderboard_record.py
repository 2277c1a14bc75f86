"""Boards as they are printed and handed on: names are data, records are strict."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from tests.board_draws import QUESTIONS, board_of, certain, drawn, plain_board

import properly
from properly.rules import Log

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


def every_board() -> dict[str, Any]:
    everything: Any = {"peer": True, "relative_skill": True, "baseline": "a", "crowd": "mean"}
    return {
        "plain": plain_board(),
        "everything": board_of(*drawn(), **everything, bounds=True),
        "infinite": board_of(*certain(), rule=Log(), peer=True, relative_skill=True, crowd="mean"),
        "nobody ranked": board_of(*drawn(), least=1000),
        "absent": board_of(drawn()[0], drawn()[1] | {"absent": np.full(QUESTIONS, np.nan)}),
        "hostile": hostile_board(),
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", every_board())
def test_records_are_strict_json(kind: str) -> None:
    board = every_board()[kind]
    read = json.loads(json.dumps(board.to_dict(), allow_nan=False))
    assert [row["forecaster"] for row in read["standings"]] == [row.forecaster for row in board]
    assert read["rule"] == board.rule
    assert len(read["crowd"]) == len(board.crowd)
    for row, plain in zip(board, read["standings"], strict=True):
        assert plain["rank"] == row.rank
        if math.isfinite(row.score):
            assert plain["score"] == row.score
    first = json.dumps(board.standings[0].to_dict(), allow_nan=False)
    assert json.loads(first)["forecaster"] == board.standings[0].forecaster


@pytest.mark.parametrize("kind", every_board())
@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_frames_have_a_row_a_forecaster(kind: str, backend: Any) -> None:
    import narwhals.stable.v2 as nw

    board = every_board()[kind]
    frame = nw.from_native(board.to_frame(backend), eager_only=True)
    rows = (*board, *board.crowd)
    assert frame["forecaster"].to_list() == [row.forecaster for row in rows]
    assert frame["score"].to_list() == pytest.approx([row.score for row in rows], nan_ok=True)
    for name in ("rank", "tier", "rank_lower", "rank_upper", "lower", "upper", "answered"):
        assert name in frame.columns
    ranked = [row.rank for row in rows]
    found = frame["rank"].to_list()
    assert [None if x is None or x != x else int(x) for x in found] == ranked  # noqa: PLR0124


@pytest.mark.slow
@pytest.mark.parametrize("kind", every_board())
def test_boards_are_printed(kind: str) -> None:
    board = every_board()[kind]
    lines = str(board).splitlines()
    assert lines[0].startswith(f"{len(board)} forecasters, {board.questions} questions")
    assert lines[2].split()[0] == "rank"
    shown = lines[3 : 3 + len(board)]
    for line, row in zip(shown, board, strict=True):
        if row.rank is not None:
            assert line.split()[0] == str(row.rank)
        assert "nan" not in line.replace(row.forecaster, "").replace(" nan ", " ")
    assert max(map(len, lines[2:3])) < 200


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
