"""Messages about summaries in files, word for word."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.forging import forged, put
from tests.sums_of_rows import sum_rows

from properly.engines import Summary
from properly.errors import DataError
from properly.rules import Brier

if TYPE_CHECKING:
    from pathlib import Path

Y, P = np.array([True, False]), np.array([0.25, 0.75])
FORECASTS = {"a": P, "b": P}
SUMMARY = Summary.of_rows([Brier()], Y, FORECASTS)


def test_a_summary_of_clusters_does_not_add() -> None:
    clustered = sum_rows(["a", "b"], [Brier()], Y, FORECASTS, clusters=np.array([1, 2]))
    with pytest.raises(DataError) as caught:
        SUMMARY + replace(SUMMARY, sums=clustered)
    assert str(caught.value).startswith("sums of clusters do not add")


def test_a_rule_that_is_not_known_is_refused_word_for_word(tmp_path: Path) -> None:
    path = SUMMARY.save(tmp_path / "x.summary")
    path.write_text(forged(path.read_text(), put("rules", to=["Cleverest()"])))
    with pytest.raises(DataError) as caught:
        Summary.load(path)
    told = f"the summary {path} cannot be used: a rule must have a name of properly.rules; got "
    assert str(caught.value).startswith(f"{told}'Cleverest'")
