"""Tables 2 and 3: what agrees with macro-F1, and what selected epochs are worth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from reproductions.epochs.networks import SELECTORS, WAYS, Run, training
from reproductions.epochs.reference import COLUMNS, TABLE2, TABLE3
from tests.reproductions.activities import RNG

# Brier is best at epoch 1, the error rate and macro-F1 at epoch 3, all others at epoch 2.
VALIDATION = {
    "brier": [0.5, 0.2, 0.3, 0.4],
    "log": [0.9, 0.8, 0.7, 0.75],
    "pbs": [0.9, 0.8, 0.7, 0.75],
    "pll": [0.9, 0.8, 0.7, 0.75],
    "error": [0.6, 0.5, 0.4, 0.3],
    "macro_f1": [0.4, 0.5, 0.6, 0.7],
}


def run(data: str = "walking", seed: int = 0, split: int = 0, lift: float = 0.0) -> Run:
    test = {name: [0.3, 0.31, 0.32, 0.33] for name in (*SELECTORS, "miscalibration")}
    test["macro_f1"] = [0.1, 0.2, 0.3 + lift, 0.35]
    return Run(data, seed, split, VALIDATION, test, (3, 2, 2), 0.0)


def many(count: int = 3) -> list[Run]:
    return [
        run(data, seed, split, lift=0.01 * seed)
        for seed in range(count)
        for data in ("older people", "RSSI")
        for split in (0, 2)
    ]


def trained(runs: list[Run]) -> Any:
    return training(runs, np.random.default_rng(RNG))


def test_test_metrics_are_those_of_the_epoch_selected_on_validation_data() -> None:
    report = trained(many()).reports["older people"]
    for way in WAYS:
        selected = {name: report[way, name, "macro_f1"] for name in SELECTORS}
        assert selected["brier"].epochs == (1,) * 6
        assert selected["brier"].mean == pytest.approx(0.2, rel=1e-12)
        assert selected["error"].epochs == selected["macro_f1"].epochs == (3,) * 6
        assert selected["error"].mean == pytest.approx(0.35, rel=1e-12)
        assert selected["pbs"].mean == pytest.approx(0.31, rel=1e-12)
        assert selected["brier"].difference == pytest.approx(-0.11, rel=1e-12)


def test_seeds_are_independent_and_splits_are_not() -> None:
    found = trained(many())
    assert (found.reports["older people"].runs, found.reports["older people"].units) == (6, 3)
    assert (found.overall.runs, found.overall.units) == (12, 3)
    # Lifts of 0, 0.01 and 0.02: Student's t of three numbers, whatever the number of splits.
    half = 4.302652729911275 * 0.01 / math.sqrt(3)
    one = found.overall["checkpoint", "brier", "macro_f1"]
    assert one.interval == pytest.approx((-0.11 - half, -0.11 + half), rel=1e-9)


def test_correlations_are_with_macro_f1_and_turned_round() -> None:
    found = trained(many(1))
    assert found.correlations["RSSI", "checkpoint", "error"].mean == pytest.approx(1, abs=1e-12)
    expected = np.corrcoef(VALIDATION["macro_f1"], [-x for x in VALIDATION["brier"]])[0, 1]
    assert found.correlations["RSSI", "checkpoint", "brier"].mean == pytest.approx(expected)


def test_how_often_the_error_rate_agrees_best_is_counted() -> None:
    found = trained(many(1))
    assert found.ordered("brier", "pbs") == found.ordered("log", "brier") + 4 == 4
    assert "and PBS better than Brier, in 4 of 4 rows" in " ".join(str(found).split())


def test_correlations_of_early_stopping_end_where_training_would() -> None:
    # Best at once: training stops after ten more epochs, before macro-F1 falls.
    curve = {name: [0.1] + [0.2 + 0.01 * i for i in range(14)] for name in SELECTORS}
    curve["macro_f1"] = [0.5 - 0.01 * i for i in range(11)] + [0.9] * 4
    one = Run("motor", 0, 0, curve, curve | {"miscalibration": [0.0] * 15}, (3, 2, 2), 0.0)
    found = trained([one]).correlations
    before = np.corrcoef(curve["macro_f1"][:11], [-x for x in curve["brier"][:11]])[0, 1]
    assert found["motor", "early stopping", "brier"].mean == pytest.approx(before)
    assert found["motor", "checkpoint", "brier"].mean < 0 < before


def test_a_macro_f1_that_never_changes_has_no_correlation_and_is_counted() -> None:
    flat = VALIDATION | {"macro_f1": [0.2] * 4}
    test = run().test
    runs = [Run("motor", s, 0, flat, test, (3, 2, 2), 0.0) for s in range(2)]
    found = trained(runs)
    one = found.correlations["motor", "checkpoint", "pbs"]
    assert math.isnan(one.mean)
    assert one.undefined == 2
    assert "Not defined in 20 cases" in str(found)


def test_selectors_are_compared_over_sets_and_ways() -> None:
    found = trained(many())
    assert found.compared("pbs", "brier") == (4, 0, 0)
    assert found.compared("brier", "error") == (0, 0, 4)
    assert found.compared("pll", "log") == (0, 4, 0)
    told = " ".join(str(found).split())
    assert "PBS against Brier, higher in 4 of 4, the same in 0, lower in 0; PLL" in told
    assert found.best_f1["RSSI"] == pytest.approx(0.35)


def test_the_paper_prints_a_gain_of_the_penalty_in_every_line_of_both_tables() -> None:
    gains = 0
    for printed in (TABLE2, TABLE3):
        assert len(printed) == 9
        for ways in printed.values():
            assert tuple(ways) == WAYS
            for row in ways.values():
                found = dict(zip(COLUMNS, (mean for mean, _ in row), strict=True))
                gains += found["pbs"] > found["brier"]
                gains += found["pll"] > found["log"]
    assert gains == 2 * 9 * 2 * 2
