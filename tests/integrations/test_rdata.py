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
    frame = pd.DataFrame(np.random.default_rng(1).random((30, 4)), columns=[*niamey.PRINTED])
    frame = frame.assign(date=np.arange(30) + 16983, obs=np.arange(30) % 2)
    of_r, csv = tmp_path / "rain.rda", tmp_path / "rain.csv"
    rdata.write_rda(of_r, {"other": np.zeros(3), "rain": frame})
    frame.to_csv(csv, index=False)
    found, wanted = (niamey.table2(niamey.read(path)).computed for path in (of_r, csv))
    assert found == wanted
    rdata.write_rda(of_r, {"rain": frame[["date"]]})
    with pytest.raises(DataError, match=r"has no Logistic, EMOS, ENS, EPC, obs$"):
        niamey.read(of_r)
    of_r.write_bytes(b"date,Logistic")
    with pytest.raises(DataError, match=r"must be an \.rda file of R that can be read; .* cannot"):
        niamey.read(of_r)
