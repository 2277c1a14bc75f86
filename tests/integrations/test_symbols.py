"""Rules price columns of Dask and of Spark as they price arrays."""

from __future__ import annotations

import warnings
from typing import Any

import narwhals.stable.v2 as nw
import pandas as pd
import pytest
from tests.engines.test_symbols import assert_priced_as_arrays, losses_of, table_of

EVERY = [None, 2, 3, 4]


def in_dask(classes: int | None) -> Any:
    frames = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    return nw.from_native(frames.from_pandas(pd.DataFrame(table_of(classes)), npartitions=2))


def in_spark(spark: Any, classes: int | None) -> Any:
    with warnings.catch_warnings():
        # Spark does not know pandas 3 yet, and says so.
        warnings.simplefilter("ignore")
        return nw.from_native(spark.createDataFrame(pd.DataFrame(table_of(classes))))


# Dask ignores this warning in each of its threads, which undo one another's filters.
@pytest.mark.filterwarnings("ignore:DataFrame is highly fragmented")
@pytest.mark.parametrize("classes", EVERY)
def test_dask_prices_columns_as_numpy_prices_arrays(classes: int | None) -> None:
    assert_priced_as_arrays(in_dask(classes), losses_of(classes))


@pytest.mark.parametrize("classes", EVERY)
def test_spark_prices_columns_as_numpy_prices_arrays(spark: Any, classes: int | None) -> None:
    assert_priced_as_arrays(in_spark(spark, classes), losses_of(classes))
