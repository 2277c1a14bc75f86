"""Published histories, with the error rate that is in them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest
from reproductions.epochs.data import PublishedHistory, read
from reproductions.epochs.histories import Histories, histories
from tests.reproductions.activities import write_histories

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def two(tmp_path: Path) -> Histories:
    return histories(read(write_histories(tmp_path)).histories)


def test_the_error_rate_is_recovered_from_both_scores(two: Histories) -> None:
    for row in two.rows:
        assert row.curves["error"] == pytest.approx(np.array([0.9, 0.7, 0.5, 0.6]), abs=1e-12)


def test_each_score_is_told_by_the_f1_of_the_epoch_that_it_selects(two: Histories) -> None:
    row = two.rows[0].to_dict()
    assert (row["f1_brier"], row["f1_pbs"], row["f1_error"]) == (0.3, 0.3, 0.5)
    assert row["f1_best"] == 0.5
    assert two.mean_f1("error") == 0.5
    assert two.mean_f1("brier") == 0.3


def test_correlations_are_those_of_the_columns_and_stored_ones_are_checked(two: Histories) -> None:
    rssi, wisdm = two.rows
    assert rssi.agreement.pearson["brier"] == pytest.approx(
        np.corrcoef(rssi.curves["f1"], -rssi.curves["brier"])[0, 1], rel=1e-12
    )
    assert (rssi.stored_agree, wisdm.stored_agree) == (False, True)
    assert "stored in the file of RSSI, 0.500 and 0.600, are" in str(two)
    assert "stored in the file of WISDM" not in str(two)


def test_how_often_the_error_rate_agrees_best_is_counted() -> None:
    f1 = np.array([0.1, 0.2, 0.3, 0.4])
    error, brier = 1 - f1, np.array([0.3, 0.2, 0.25, 0.4])
    along = PublishedHistory(2, f1, brier, brier + error / 4, (0.0, 0.0))
    against = PublishedHistory(2, f1, error, error + brier / 4, (0.0, 0.0))
    assert histories({"along": along}).ordered == 1
    assert histories({"along": along, "against": against}).ordered == 1


def test_the_authors_histories_favour_the_error_rate_as_much_as_pbs() -> None:
    path = os.environ.get("PROPERLY_ACTIVITY", "")
    if not path:
        pytest.skip("PROPERLY_ACTIVITY does not name the folder of activities")
    found = histories(read(path).histories)
    assert found.ordered == 9
    means = [round(found.mean_f1(name), 3) for name in ("brier", "pbs", "error", "best")]
    assert means == [0.370, 0.432, 0.432, 0.437]
    wrong = [row for row in found.rows if not row.stored_agree]
    assert [row.name for row in wrong] == ["User_Identification_From_Walking"]
    assert [round(wrong[0].agreement.pearson[x], 3) for x in ("brier", "pbs")] == [0.272, 0.915]
    assert [round(x, 3) for x in wrong[0].stored] == [-0.029, 0.551]
