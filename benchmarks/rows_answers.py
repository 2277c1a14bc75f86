"""Rows about tournaments: boards of many forecasters, and long tables in an engine."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from benchmarks.harness import REPORTED_MEMORY, Row
from benchmarks.parquet_files import Folder
from benchmarks.rows_process import traced_peak

import properly
from properly.comparison._gaps import effects
from properly.rules import Brier

# A board of 300 forecasters and 5,000 questions, of which each answers 30 %.
ANSWERS, FORECASTERS, QUESTIONS, SHARE = 450_000, 300, 5_000, 0.3
TEN_MILLION = 10**7
GIGABYTE = 10**9
NEEDS = ("duckdb", "pyarrow")
# The least that a long table needs: each pair once, what happened, and the losses.
GROUPED = """
SELECT question, forecaster, count(*) AS rows, min(outcome) AS least, max(outcome) AS most,
    sum((probability - outcome) * (probability - outcome)) AS loss
FROM answers GROUP BY question, forecaster
"""


class Tournament(NamedTuple):
    """Answers, and the losses that they come to, a row a question."""

    answers: properly.Answers
    loss: Any


def make_tournament(cases: int) -> Tournament:
    """Draw about so many answers; boards of other sizes have the same shape."""
    scale = math.sqrt(cases / ANSWERS)
    questions, forecasters = (max(8, round(x * scale)) for x in (QUESTIONS, FORECASTERS))
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, questions)
    there = rng.random((questions, forecasters)) < SHARE
    there[:3] = True
    question, forecaster = np.nonzero(there)
    p = np.round(rng.random(len(question)), 2)
    loss = np.full(there.shape, np.nan)
    loss[question, forecaster] = (p - y[question]) ** 2
    answers = properly.Answers(
        question=question, forecaster=forecaster, probability=p, outcome=y[question]
    )
    return Tournament(answers, loss)


def board(data: Tournament) -> properly.comparison.Leaderboard:
    """Rank all forecasters."""
    return properly.leaderboard(data.answers, rng=1)


def all_pairs(data: Tournament) -> list[float]:
    """Compare every pair on the questions that both answered, which gives no board yet."""
    from scipy.stats import ttest_rel

    there = ~np.isnan(data.loss)
    found = []
    for i, j in combinations(range(there.shape[1]), 2):
        both = there[:, i] & there[:, j]
        found.append(float(ttest_rel(data.loss[both, i], data.loss[both, j]).pvalue))
    return found


class Stored(NamedTuple):
    """A long table as a Parquet file, open in duckdb under the name ``answers``."""

    folder: Folder
    connection: Any

    @property
    def relation(self) -> Any:
        """All rows, none of which has been read."""
        return self.connection.table("answers")


def make_stored(cases: int) -> Stored:
    """Write so many answers of 30 forecasters, in no order."""
    import duckdb

    folder, connection = Folder(), duckdb.connect()
    file = folder.path / "answers.parquet"
    # Each question is answered by a third of the forecasters.
    questions = max(1, round(cases / 10))
    connection.execute(
        """
        COPY (
            SELECT 'q' || q AS question, 'forecaster ' || f AS forecaster,
                round(hash(q * 1000 + f) % 1000 / 1000.0, 3) AS probability,
                CAST(hash(q) % 2 AS INT) AS outcome
            FROM range(?) AS a(q), range(30) AS b(f)
            WHERE hash(q * 7919 + f * 104729) % 3 = 0 ORDER BY hash(q * 31 + f)
        ) TO '{}' (FORMAT parquet)
        """.replace("{}", str(file)),
        [questions],
    )
    connection.read_parquet(str(file)).create_view("answers")
    return Stored(folder, connection)


def fitted(data: Stored) -> Any:
    """Read and check the long table, and fit two-way effects with their standard errors."""
    answers = properly.Answers(data.relation)
    return effects(answers, answers.losses(Brier()))


def grouped(data: Stored) -> Any:
    """Let the engine group the same rows."""
    return data.connection.sql(GROUPED).to_arrow_table()


ROWS: tuple[Row[Any], ...] = (
    Row(
        "`leaderboard`, 300 forecasters, 5,000 questions, 30 % answered",
        "all pairs by SciPy's `ttest_rel` on common questions",
        make_tournament,
        board,
        all_pairs,
        target=">= 50",
        cases=ANSWERS,
    ),
    Row(
        "peak memory of that `leaderboard`",
        "one gigabyte",
        make_tournament,
        traced_peak(board),
        lambda _: GIGABYTE,
        target="<= 1",
        cases=ANSWERS,
        quantity=REPORTED_MEMORY,
    ),
    Row(
        "`Answers` of a duckdb relation, and two-way effects",
        "its `GROUP BY question, forecaster`",
        make_stored,
        fitted,
        grouped,
        target="<= 3",
        cases=TEN_MILLION,
        needs=NEEDS,
    ),
)
