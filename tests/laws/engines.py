"""The engines that hold frames, as functions of one table, and the rows that all of them hold.

An engine takes a pyarrow table and gives a frame of its own library. A new one joins ``ENGINES``
and is held to every law; those that are slow to start join in the tests of integrations.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from .subjects import LIKELY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from properly.rules import Rule

Column = NDArray[Any]
# Rules are dealt out to engines, more to those that are quick, so that each falls to one of a kind.
HANDS = 16


@dataclass(frozen=True)
class Engine:
    """A library that holds frames, and the hands of rules that fall to it."""

    name: str
    hold: Callable[[pa.Table], Any]
    hands: tuple[int, ...] = (0,)

    def __repr__(self) -> str:
        """Name the test after the library."""
        return self.name

    def __call__(self, table: pa.Table) -> Any:
        return self.hold(table)

    def dealt(self, rules: Sequence[Rule]) -> list[Rule]:
        """Return the rules in its hands."""
        return [rule for place, rule in enumerate(rules) if place % HANDS in self.hands]


def in_polars(table: pa.Table) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(table, rechunk=False))


PANDAS = Engine("pandas", lambda table: table.to_pandas())
PANDAS_OF_ARROW = Engine(
    "pandas of arrow", lambda table: table.to_pandas(types_mapper=pd.ArrowDtype)
)
POLARS = Engine("polars", in_polars, tuple(range(4, HANDS)))
LAZY_POLARS = Engine("lazy polars", lambda table: in_polars(table).lazy(), POLARS.hands)
PYARROW = Engine("pyarrow", lambda table: table, (2, 3))
DUCKDB = Engine("duckdb", duckdb.from_arrow, (1,))
ENGINES = [PANDAS, PANDAS_OF_ARROW, POLARS, LAZY_POLARS, PYARROW, DUCKDB]
# One of each kind; the others differ from these in the types of their columns only.
KINDS = [PANDAS, LAZY_POLARS, PYARROW, DUCKDB]

GRADES = ("none", "mild", "severe")


def forecasts_of(rng: np.random.Generator, count: int) -> Column:
    """Draw forecasts with ties, exact 0 and 1, negative zeros and the smallest floats."""
    found = np.where(rng.random(count) < 0.7, rng.choice(LIKELY, count), rng.random(count))
    found[:6] = [-0.0, 0.0, -0.0, 1.0, 1.0, 0.0]
    return rng.permutation(found)


def shares_of(rng: np.random.Generator, count: int) -> Column:
    """Draw rows of probabilities of three classes, some of them certain, some tied, some bare."""
    likely = [[0.0, 0.0, 1.0], [0.25, 0.5, 0.25], [0.5, 0.5, 0.0], [0.125, 0.125, 0.75]]
    drawn = rng.dirichlet(np.ones(3), count)
    drawn[:, 2] = np.maximum(1 - drawn[:, 0] - drawn[:, 1], 0)
    tied = rng.permuted(rng.choice(np.array(likely), count), axis=1)
    found: Column = np.where((rng.random(count) < 0.6)[:, None], tied, drawn)
    return found


def columns_of(seed: int, count: int = 120) -> dict[str, Column]:
    """Draw the columns of a table, the same for a seed."""
    rng = np.random.default_rng(seed)
    y = rng.random(count) < 0.4
    grade = rng.integers(0, 3, count)
    thousandths = rng.integers(0, 1001, count)
    small = np.round(rng.random(count), 2).astype(np.float32)
    return {
        "y": y.astype(np.int64),
        "bool": y,
        "real": y.astype(np.float64),
        "word": np.where(y, "yes", "no"),
        "p": forecasts_of(rng, count),
        "q": rng.random(count),
        "small": np.clip(small, np.float32(0), np.float32(1)),
        "decimal": np.array([Decimal(int(k)) / 1000 for k in thousandths], dtype=object),
        "whole": rng.integers(0, 6, count),
        "part": rng.choice([0.0, 0.1, 0.25, 1 / 3, 0.7, 1.0, 2.5], count),
        "group": rng.choice(["east", "west", "</script>"], count),
        "number": rng.integers(1, 4, count),
        "cluster": rng.integers(0, count // 3, count),
        "grade": grade,
        "name": np.array(GRADES)[grade],
        **{f"a{k}": column for k, column in enumerate(shares_of(rng, count).T)},
        **{f"b{k}": column for k, column in enumerate(shares_of(rng, count).T)},
    }


def table_of(columns: dict[str, Column], seed: int = 0) -> pa.Table:
    """Put columns into a table of several chunks, one of them empty, and words as categories."""
    arrays = {name: pa.array(column.tolist()) for name, column in columns.items()}
    if "decimal" in columns:
        arrays["decimal"] = arrays["decimal"].cast(pa.decimal128(9, 3))
    if "small" in columns:
        arrays["small"] = pa.array(columns["small"])
    if "word" in columns:
        arrays["kind"] = arrays["word"].dictionary_encode()
    return chunked(pa.table(arrays), seed)


def chunked(table: pa.Table, seed: int = 0) -> pa.Table:
    """Cut a table into four chunks, one of which has no rows."""
    ends = sorted(random.Random(seed).sample(range(len(table) + 1), min(2, len(table))))  # noqa: S311
    places = [0, *ends[:1], *ends, len(table)]
    parts = [table.slice(low, high - low) for low, high in pairwise(places)]
    return pa.concat_tables(parts)
