"""Frames of Dask go through maps, part by part."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from properly.recalibration import Logistic

dd: Any = import_module("dask.dataframe")


def test_a_dask_frame_is_computed_part_by_part() -> None:
    p, line = [0.1, 0.3, 0.5, 0.9], Logistic(-0.5, 0.8)
    local = pd.DataFrame({"p": p}, index=[4, 5, 6, 7])
    frame = dd.from_pandas(local, npartitions=2)
    result = line.at(frame, forecast="p")
    assert isinstance(result, dd.DataFrame)
    local = result.compute()
    assert list(local.index) == [4, 5, 6, 7]
    np.testing.assert_array_equal(local["p_recalibrated"], line.at(p))
