"""Frames that stay in their engine: scores and tallies of a Parquet file, held against SQL."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

from benchmarks.harness import Row
from benchmarks.parquet_files import Folder, write_forecasts

import properly
from properly.engines._frame_sums import sum_up
from properly.engines._rows import Roles, Rows
from properly.evaluation._summed_scores import summed_score_and_skill
from properly.rules import Brier, Log

NEEDS = ("duckdb", "pyarrow")
RULES = (Brier(), Log())
# What the library asks of each row, written by hand: is it a probability, what does it cost.
SCORES = """
SELECT count(*), count(*) FILTER (p >= 0 AND p <= 1), count(*) FILTER (log_loss = 'inf'),
    avg(brier), stddev_samp(brier), avg(log_loss), stddev_samp(log_loss)
FROM (
    SELECT p, CASE WHEN y = 1 THEN (1 - p) * (1 - p) ELSE p * p END AS brier,
        CASE WHEN q > 0 THEN -ln(q) ELSE 'inf' END AS log_loss
    FROM (SELECT y, p, CASE WHEN y = 1 THEN p ELSE 1 - p END AS q FROM forecasts)
)
"""
COUNTS = "SELECT p, count(*) AS n, sum(y) AS events FROM forecasts GROUP BY p"


class Stored(NamedTuple):
    """A Parquet file, open in duckdb under the name ``forecasts``."""

    folder: Folder
    connection: Any

    @property
    def relation(self) -> Any:
        """All rows, none of which has been read."""
        return self.connection.table("forecasts")


def make_stored(cases: int, digits: int | None = None) -> Stored:
    """Write distinct forecasts, or rounded ones, and open the file."""
    import duckdb

    folder, connection = Folder(), duckdb.connect()
    file = folder.path / "forecasts.parquet"
    write_forecasts(file, cases, digits)
    connection.read_parquet(str(file)).create_view("forecasts")
    return Stored(folder, connection)


def scores(data: Stored) -> list[float]:
    """Return two mean scores, each with its standard error."""
    rows = Rows.of(data.relation, Roles("y", {"p": ("p",)}))
    sums, _ = sum_up(rows, RULES)
    estimates = [summed_score_and_skill(sums, "p", rule)[0] for rule in RULES]
    return [x for e in estimates for x in (e.value, e.standard_error)]


def scores_by_hand(data: Stored) -> list[float]:
    """Do the same in one statement of SQL."""
    ((rows, sound, infinite, *found),) = data.connection.execute(SCORES).fetchall()
    if sound < rows or infinite:
        message = f"{rows - sound} rows are no probabilities, {infinite} cost infinity"
        raise ValueError(message)
    brier, brier_apart, log, log_apart = found
    return [brier, brier_apart / math.sqrt(rows), log, log_apart / math.sqrt(rows)]


def tally(data: Stored) -> properly.Tally:
    """Count outcomes at each forecast, in order."""
    return properly.tally(data.relation, outcome="y", forecast="p")


def counts_by_hand(data: Stored) -> dict[str, Any]:
    """Fetch the counts as numpy arrays, in no order."""
    found: dict[str, Any] = data.connection.execute(COUNTS).fetchnumpy()
    return found


ROWS: tuple[Row[Any], ...] = (
    Row(
        "Brier and log score with their standard errors, of a Parquet file through duckdb",
        "the same in SQL, by hand",
        make_stored,
        scores,
        scores_by_hand,
        target="<= 1.5",
        needs=NEEDS,
        tolerance=1e-12,
    ),
    Row(
        "`tally` of a Parquet file through duckdb",
        "`SELECT p, count(*), sum(y) … GROUP BY p`, fetched in no order",
        make_stored,
        tally,
        counts_by_hand,
        target="<= 1.3",
        needs=NEEDS,
    ),
    Row(
        "`tally` of a Parquet file through duckdb, forecasts of six digits",
        "`SELECT p, count(*), sum(y) … GROUP BY p`, fetched in no order",
        partial(make_stored, digits=6),
        tally,
        counts_by_hand,
        target="<= 1.3",
        needs=NEEDS,
    ),
)
