"""The paper on CORP, on small simulations, on made-up rain, and on the data if they are there."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from reproductions.reliability import coverage as _coverage
from reproductions.reliability import efficiency as _efficiency
from reproductions.reliability import niamey as _niamey
from reproductions.reliability.coverage import Setting

import properly
from properly import Tally
from properly.calibration import Decomposition
from properly.inference import Band
from reproductions import reproduction as _pictures

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reproductions import CorpReproduction


@pytest.fixture(scope="module")
def small(whole: Callable[[str], Any]) -> CorpReproduction:
    """Take the small result that all tests share."""
    found: CorpReproduction = whole("corp").result
    return found


def test_without_the_data_the_rest_is_the_same_and_the_text_says_how_to_get_them(
    small: CorpReproduction,
    whole: Callable[[str], Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_pictures, "_png", lambda _: b"as above")  # which ones, not how
    rest = whole("corp").paper.small(monkeypatch, rng=3, output=tmp_path)
    assert (rest.table2, rest.figure1, rest.figure2) == (None, None, None)
    assert [path.name for path in rest.pictures] == ["figure3.png", "figure4.png", "figure5.png"]
    assert rest.figure4 == small.figure4
    assert rest.figure5 == small.figure5
    assert str(rest).startswith("Table 2, Figures 1 and 2 are left out")
    assert "precip_Niamey_2016" in str(rest)


# Table 2, Figures 1 and 2


def test_the_numbers_of_the_table_are_flagged_one_by_one() -> None:
    parts = Decomposition(0.26649, 0.0661, 0.0436, 0.2434)
    agrees = _niamey.Table2({"ENS": parts}).agrees
    assert agrees == {"ENS": (True, True, True, False)}


def test_diagrams_are_those_of_the_library(small: CorpReproduction, rain: Path) -> None:
    tallies = _niamey.read(rain)
    assert small.figure1 is not None
    assert small.figure2 is not None
    assert {n: list(d.binned) for n, d in {**small.figure1, **small.figure2}.items()} == {
        "ENS": [10],
        "EPC": [10],
        "Logistic": [10],
        "EMOS": [9, 10, 11],
    }
    emos = small.figure2["EMOS"]
    wanted = properly.reliability(tallies["EMOS"])
    assert np.array_equal(emos.corp.recalibrated, wanted.recalibrated)
    assert emos.corp.band is not None
    assert (emos.corp.band.kind, emos.corp.band.level) == ("consistency", 0.9)


@pytest.fixture
def niamey() -> str:
    path = os.environ.get("PROPERLY_NIAMEY", "")
    if not path:
        pytest.skip("PROPERLY_NIAMEY does not name the CSV file of precip_Niamey_2016")
    return path


def test_table_2_agrees_at_every_printed_digit(niamey: str) -> None:
    agrees = _niamey.table2(_niamey.read(niamey)).agrees
    assert agrees == dict.fromkeys(("ENS", "EPC", "EMOS", "Logistic"), (True,) * 4)


def test_the_data_have_92_days_and_the_named_bins(niamey: str) -> None:
    diagrams = _niamey.diagrams(_niamey.read(niamey), 100, np.random.default_rng(1))
    assert {d.cases for d in diagrams.values()} == {92}
    assert [len(d.corp.bins) for d in diagrams.values()] == [7, 8, 9, 9]
    assert _niamey.diagram_text(diagrams).count("; the same here") == 2


# Figure 3


def test_the_panels_show_both_bands_of_the_same_data(small: CorpReproduction) -> None:
    a, b, c, d = (small.figure3[name] for name in "abcd")
    assert np.array_equal(a.record.recalibrated, b.record.recalibrated)
    assert np.array_equal(c.record.recalibrated, d.record.recalibrated)
    assert [len(p.record.value) for p in (a, b, c, d)] == [10, 10, 1024, 1024]
    bands = [p.record.band for p in (a, b, c, d)]
    assert [band.kind for band in bands if band] == ["consistency", "confidence"] * 2


def test_a_forecast_that_is_too_low_leaves_its_consistency_band(small: CorpReproduction) -> None:
    inside = {name: panel.inside for name, panel in small.figure3.items()}
    assert max(inside["a"], inside["c"]) < 0.5
    assert min(inside["b"], inside["d"]) > 0.5


# Figure 4


def test_every_setting_of_the_coverage_study_is_there(small: CorpReproduction) -> None:
    cells = small.figure4.cells
    assert len(cells) == 3 * 3 * 4
    assert all(0 <= cell.coverage <= 1 for cell in cells)
    assert list(small.figure4.to_dict()["coverage"]) == [cell.coverage for cell in cells]
    assert small.figure4.to_frame("pandas").shape == (36, 7)


def band_of(record: properly.calibration.Reliability, kind: Any, lower: Any, upper: Any) -> Any:
    x = np.asarray(record.value)
    band = Band(x, np.asarray(lower, dtype=float), np.asarray(upper, dtype=float), "?", 0.9, kind)
    return replace(record, band=band)


def test_coverage_counts_every_value_alike() -> None:
    t = Tally.from_counts([0.1, 0.5, 0.9], [1000, 2, 2], [0, 1, 2])
    record = properly.reliability(t)
    narrow = band_of(record, "consistency", [0.05, 0.4, 0.9], [0.2, 0.6, 1])
    assert _coverage.covered(narrow, continuous=False) == pytest.approx(2 / 3)
    truth = band_of(record, "confidence", [0.05, 0.6, 0.95], [0.2, 0.7, 1])
    assert _coverage.covered(truth, continuous=False) == pytest.approx(1 / 3)


def test_coverage_of_continuous_forecasts_counts_every_twentieth_alike() -> None:
    t = Tally.from_counts([0.01, 0.02, 0.03, 0.99], [1, 1, 1, 1], [0, 0, 0, 1])
    record = properly.reliability(t)
    truth = band_of(record, "confidence", [0, 0.1, 0.1, 0.98], [1, 1, 1, 1])
    assert _coverage.covered(truth, continuous=True) == pytest.approx((1 / 3 + 1) / 2)


def test_the_shortfall_of_few_replicates_is_that_of_uniform_draws() -> None:
    u = np.random.default_rng(1).random((20_000, 100))
    lower, upper = np.quantile(u, [0.05, 0.95], axis=1)
    held = np.mean(upper - lower)
    assert held == pytest.approx(0.9 * 99 / 101, abs=0.001)  # three standard errors: 0.0009
    assert "100 replicates aim at 88.2 %" in str(_coverage.Coverage((), 1, 100)._shortfall())


# Figure 5


def test_every_setting_of_the_efficiency_study_is_there(small: CorpReproduction) -> None:
    assert len(small.figure5.cells) == 3 * 3
    assert small.figure5.to_frame("pandas").shape == (9, 3 + 7)
    assert all(cell.excess["CORP"] == 0 for cell in small.figure5.cells)


@pytest.mark.parametrize("values", [10, None])
def test_squared_errors_are_those_of_the_cases_one_by_one(values: int | None) -> None:
    t = Setting("linear", values, 100).draw(np.random.default_rng(2))
    x = np.repeat(t.value, t.weight)
    y = np.concatenate(
        [np.arange(n) < o for n, o in zip(t.weight, t.events, strict=True)], dtype=float
    )
    fitted = np.repeat(properly.reliability(t).recalibrated, t.weight)
    wanted = [np.mean((fitted - x) ** 2)]
    wanted += [_squared_error(x, y, np.floor(m * x)) for m in (5, 10, 50)]
    for m in (3, 5, 10):  # the roots of 100, rounded up
        borders = [np.quantile(x, j / m) for j in range(1, m)]
        wanted.append(_squared_error(x, y, np.array([sum(v > b for b in borders) for v in x])))
    np.testing.assert_allclose(_efficiency.squared_errors(t), wanted, rtol=1e-12)


def _squared_error(x: Any, y: Any, label: Any) -> float:
    return float(np.mean([(y[label == b].mean() - v) ** 2 for v, b in zip(x, label, strict=True)]))


def test_the_claim_is_checked_setting_by_setting() -> None:
    def cell(excess: float, error: float) -> _efficiency.EfficiencyCell:
        zero = dict.fromkeys(_efficiency.METHODS, 0.0)
        return _efficiency.EfficiencyCell(
            "uniform", 10, 64, zero, zero | {"m=5": excess}, zero | {"m=5": error}
        )

    held, doubtful, broken = cell(1.0, 0.1), cell(-1.0, 1.0), cell(-1.0, 0.1)
    assert (held.better, doubtful.better) == ((), ("m=5",))
    texts = [str(_efficiency.Efficiency((held, x), 5)) for x in (held, doubtful, broken)]
    assert "in 2 of 2 settings" in texts[0]
    assert "two standard errors" not in texts[0]
    assert "in 1 of 2 settings" in texts[1]
    assert "No other method is better by more than two standard errors." in texts[1]
    assert "Smaller by more than two standard errors: uniform, k = 10, n = 64 (m=5)." in texts[2]


def test_corp_is_nearest_to_the_truth() -> None:
    study = _efficiency.efficiency((512,), 30, np.random.default_rng(1), lambda _: None)
    assert [cell.better for cell in study.cells] == [()] * 9


# Text
