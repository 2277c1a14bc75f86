"""The paper's Table 2, with its baselines."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from reproductions.decisions import breast_cancer as _breast_cancer
from reproductions.decisions.breast_cancer import BOUNDED, PRINTED, RISKS, BreastCancer, table2

import reproductions as reproduce
from properly.errors import DataError
from properly.rules import Bounded, Brier

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = Path(__file__).parents[1] / "reference" / "decision" / "table2_bcsc.csv"
# The reference calls the constant event rate a prevalence. Its digits differ by column.
NAMES = {"constant prevalence": "event rate"}
DIGITS = {"auc": 6, "brier": 8, "log_loss": 8}
COLUMNS = {"AUC": "auc", "Brier": "brier", "log": "log_loss"}
OVER = {
    "bounded log": ("bounded_log_integral", 10),
    "bounded Brier": ("bounded_brier_integral", 12),
}


def reference(interval: str) -> dict[str, dict[str, float]]:
    with FILE.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["interval"].endswith(interval)]
    columns = [*COLUMNS.values(), "a", "b", *(name for name, _ in OVER.values())]
    return {
        NAMES.get(row["model"], row["model"]): {name: float(row[name]) for name in columns}
        for row in rows
    }


@pytest.fixture(scope="module")
def found() -> BreastCancer:
    return table2()


def test_models_and_baselines_are_those_of_the_reference(found: BreastCancer) -> None:
    odds, risks = reference("as odds (printed table)"), reference("as probabilities")
    assert list(found.values) == list(found.meant)
    assert set(found.values) == set(odds) == set(risks)
    for name, row in odds.items():
        assert (row["a"], row["b"]) == pytest.approx(_breast_cancer.AS_ODDS, rel=0, abs=1e-10)
        for metric, column in COLUMNS.items():
            wanted = pytest.approx(row[column], rel=0, abs=10.0 ** -DIGITS[column])
            assert found.values[name][metric] == wanted
        for metric, (column, digits) in OVER.items():
            tolerance = 10.0**-digits
            wanted = pytest.approx(row[column], rel=0, abs=tolerance)
            assert found.values[name][metric] == wanted
            wanted = pytest.approx(risks[name][column], rel=0, abs=tolerance)
            assert found.meant[name][metric] == wanted


def test_every_printed_number_is_found_over_the_wrong_range_only(found: BreastCancer) -> None:
    assert found.agrees == dict.fromkeys(PRINTED, (True,) * 5)
    meant = {name: found.values[name] | found.meant[name] for name in found.values}
    assert {flags[3:] for flags in replace(found, values=meant).agrees.values()} == {(False, False)}


def test_a_constant_beats_most_models(found: BreastCancer) -> None:
    assert found.beaten("AUC") == []
    assert found.beaten("Brier") == found.beaten("log") == list(PRINTED)
    for metric in BOUNDED:
        assert found.beaten(metric) == ["without density", "with density", "xgb"]


def test_two_models_act_on_nobody(found: BreastCancer) -> None:
    assert found.inert == ["without density", "with density"]


def test_the_table_of_forecasts_is_computed_from_them(whole: Callable[[str], Any]) -> None:
    paper = whole("consequentialist")
    y, *forecasts = np.loadtxt(paper.data["data"], delimiter=",", skiprows=1).T
    table, bounded = paper.result.table2, Bounded(Brier(), RISKS, scale="integral")
    assert (table.cases, table.events, set(table.values)) == (len(y), y.sum(), set(table2().values))
    for name, p in zip(PRINTED, forecasts, strict=True):
        assert table.values[name]["Brier"] == pytest.approx(np.mean((p - y) ** 2))
        assert table.meant[name]["bounded Brier"] == pytest.approx(bounded.loss(y == 1, p).mean())
    areas = [table.curves.regret[name].area(RISKS) for name in ("xgb", "xgb (2%)")]
    pair = table.compared["xgb", "xgb (2%)"]
    assert pair.difference == pytest.approx(-np.diff(areas)[0] / np.ptp(RISKS))


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("", "rows"),
        ("2,0,0,0,0", "outcomes"),
        ("1,0,0,0,2", "2"),
        ("1,0,0,x,0", "row 0 of xgboost"),
    ],
)
def test_a_file_without_the_forecasts_is_refused(row: str, found: str, tmp_path: Path) -> None:
    path = tmp_path / "women.csv"
    path.write_text(f"{','.join(('cancer', *_breast_cancer.COLUMNS.values()))}\n{row}\n")
    with pytest.raises(DataError, match=found):
        reproduce.consequentialist(path)
