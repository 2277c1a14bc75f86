"""The forecasts of rain, read as R keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from reproductions.reliability import niamey

from properly.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

pd = pytest.importorskip("pandas", reason="pandas is not installed")
rdata = pytest.importorskip("rdata", reason="rdata, which reads files of R, is not installed")


def test_a_table_of_r_is_read_as_a_csv_file_is(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.random((30, 4)), columns=["Logistic", "EMOS", "ENS", "EPC"])
    frame.insert(0, "date", np.arange(30) + 16983)
    frame["obs"] = rng.integers(0, 2, 30)
    of_r, csv = tmp_path / "rain.RDA", tmp_path / "rain.csv"
    rdata.write_rda(tmp_path / "rain.rda", {"other": np.zeros(3), "rain": frame})
    (tmp_path / "rain.rda").rename(of_r)
    frame.to_csv(csv, index=False)
    found, wanted = niamey.read(of_r), niamey.read(csv)
    assert niamey.table2(found).computed == niamey.table2(wanted).computed


def test_a_file_that_is_not_of_r_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rain.rda"
    path.write_bytes(b"date,Logistic")
    with pytest.raises(DataError, match=r"must be an \.rda file of R that can be read; .* cannot"):
        niamey.read(path)
    rdata.write_rda(path, {"rain": pd.DataFrame({"date": [1.0]})})
    with pytest.raises(DataError, match=r"has no Logistic, EMOS, ENS, EPC, obs$"):
        niamey.read(path)
