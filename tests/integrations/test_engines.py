"""Frames of Dask and of Spark are held to the laws of all engines, and refuse in the same words.

So are those libraries that differ from others in the types of their columns only, to all laws.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pytest
from tests.laws.engine_checks import assert_same_tally, rows
from tests.laws.engine_laws import LAWS, SHORT
from tests.laws.engines import PANDAS_OF_ARROW, POLARS, Engine
from tests.messages.test_frames import ONE_OF_EACH, misheard

import properly
from properly.errors import DataError

if TYPE_CHECKING:
    from tests.laws.engine_laws import Law

WHY = "dask is not installed; `make test-integrations` installs it"
dask = pytest.importorskip("dask", reason=WHY)
frames = pytest.importorskip("dask.dataframe", reason=WHY)
# What takes a look at the rows, at more than the kinds of columns.
LOOKED_AT = [said for said in ONE_OF_EACH if " of 6 " in said.words or "got" in said.words]
named: Any = {"ids": lambda law: law.__name__}


@pytest.fixture(scope="module", autouse=True)
def _one_after_the_other() -> Iterator[None]:
    """Keep Dask from starting threads for six rows."""
    with dask.config.set(scheduler="synchronous"):
        yield


def in_dask(table: pa.Table) -> Any:
    """Make three partitions, of which the second has no rows."""
    whole, middle = in_pandas(table), len(table) // 2
    parts = [whole.iloc[:middle], whole.iloc[:0], whole.iloc[middle:]]
    return frames.from_delayed([dask.delayed(part) for part in parts], meta=whole.iloc[:0])


def in_pandas(table: pa.Table) -> Any:
    """Make a frame of which no column holds objects: Dask takes those for text."""

    def as_arrow(kind: pa.DataType) -> Any:
        plain = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_string(kind)
        return None if plain or pa.types.is_dictionary(kind) else pd.ArrowDtype(kind)

    return table.to_pandas(types_mapper=as_arrow)


def without_dictionaries(table: pa.Table) -> pa.Table:
    """Make text of categories, of which Spark has none."""
    kinds = [
        field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(kinds))


@pytest.fixture(scope="module")
def in_spark(spark: Any) -> Engine:
    """Hold a table in two partitions of Spark."""

    def hold(table: pa.Table) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # As one chunk: Spark itself reads no further than a chunk without rows.
            whole = without_dictionaries(table).combine_chunks()
            return spark.createDataFrame(whole).repartition(2)

    return Engine("spark", hold)


DASK = Engine("dask", in_dask)


@pytest.mark.parametrize("law", SHORT, **named)
def test_what_holds_in_every_engine_holds_in_dask(law: Law) -> None:
    law(DASK)


@pytest.mark.parametrize("law", SHORT, **named)
def test_what_holds_in_every_engine_holds_in_spark(law: Law, in_spark: Engine) -> None:
    law(in_spark)


@pytest.mark.parametrize("engine", [PANDAS_OF_ARROW, POLARS], ids=repr)
@pytest.mark.parametrize("law", LAWS, **named)
def test_types_of_columns_make_no_difference(law: Law, engine: Engine) -> None:
    law(engine)


def test_dask_refuses_in_the_same_words() -> None:
    assert misheard(DASK, LOOKED_AT) == []


def test_spark_refuses_in_the_same_words(in_spark: Engine) -> None:
    assert misheard(in_spark, LOOKED_AT) == []


NAMES = {"y": "a.b", "p": "p", "q": "P", "part": "`"}


def assert_told_apart(engine: Engine) -> None:
    """Names that differ in case only, and those that mean something to a database, are names."""
    frame = engine(pa.table({name: rows()[column] for column, name in NAMES.items()}))
    for column in ("p", "q"):
        found = properly.tally(frame, outcome="a.b", forecast=NAMES[column], weight="`")
        expected = properly.tally(rows()["y"], rows()[column], weight=rows()["part"])
        assert_same_tally(found, expected, exact=False)
    scored = properly.evaluate(frame, ["p", "P"], outcome="a.b", weight="`", replicates=0)
    assert list(scored.scores) == ["p", "P"]
    with pytest.raises(DataError) as caught:
        properly.tally(frame, outcome="a.b", forecast="p", weight="A.B")
    assert str(caught.value) == (
        "the frame must have the column 'A.B'; it has 4 others\n\nHint: did you mean one of 'a.b'?"
    )


def test_columns_of_dask_may_have_any_names() -> None:
    assert_told_apart(DASK)


def test_columns_of_spark_may_have_any_names(in_spark: Engine) -> None:
    assert_told_apart(in_spark)


def test_partitions_of_spark_may_be_empty(in_spark: Engine) -> None:
    frame = in_spark(pa.table({"y": [0, 1, 1], "p": [0.5, -0.0, 0.5]})).repartition(9)
    found = properly.tally(frame, outcome="y", forecast="p")
    assert_same_tally(found, properly.tally([0, 1, 1], [0.5, 0.0, 0.5]), exact=True)


def test_huge_weights_are_no_whole_numbers_of_spark(in_spark: Engine) -> None:
    """Rounded down, they have more than 64 bits."""
    columns = {"y": [0, 1, 1], "p": [0.5, 0.25, 0.5], "w": [1e30, 2.5, 1.0]}
    found = properly.tally(in_spark(pa.table(columns)), outcome="y", forecast="p", weight="w")
    expected = properly.tally(columns["y"], columns["p"], weight=columns["w"])
    assert_same_tally(found, expected, exact=False)


def test_names_of_columns_must_differ_in_spark(spark: Any) -> None:
    frame = spark.sql("select 0 as y, 0.5 as p, 0.6 as p")
    with pytest.raises(DataError) as caught:
        properly.tally(frame, outcome="y", forecast="p")
    assert str(caught.value) == "names of columns must differ; the frame has 'p' 2 times"
