"""What a test of calibration found, in words, in a dictionary and in a frame."""

from __future__ import annotations

import json
import math

import pytest

from properly.calibration import CalibrationTest

COMBINED = CalibrationTest(
    "combined",
    0.02,
    0.03,
    "Monte Carlo",
    parts={"mcb": 0.25, "score": 0.02},
    miscalibration=0.0125,
    mean_if_calibrated=0.01,
    rule="brier",
    replicates=999,
    design="300 independent cases",
)
ROBUST = CalibrationTest("cox", 3.5, 0.044, "F", (2.0, 28.0), design="30 clusters")
ASYMPTOTIC = CalibrationTest(
    "ks", 2.2, 0.05, "Monte Carlo", parts={"asymptotic": 0.055}, replicates=1, design="9 cases"
)


def test_a_record_says_itself_in_a_line() -> None:
    assert repr(COMBINED) == "CalibrationTest(combined: p = 0.03, Monte Carlo)"


def test_a_record_says_all_in_a_sentence() -> None:
    assert str(COMBINED).replace("\n  ", " ") == (
        "p = 0.03 by the combined test of calibration (Monte Carlo, 999 draws; mcb alone 0.25; "
        "score alone 0.02; miscalibration 0.0125, 0.01 if calibrated; 300 independent cases)"
    )
    assert str(ROBUST).replace("\n  ", " ") == (
        "p = 0.044 by the cox test of calibration (F with 2 and 28 degrees of freedom; 30 clusters)"
    )
    one = CalibrationTest("citl", 4.0, 0.0455, "chi-squared", 1.0, design="9 cases")
    assert str(one).replace("\n  ", " ") == (
        "p = 0.0455 by the citl test of calibration (chi-squared with 1 degree of freedom; 9 cases)"
    )
    assert str(ASYMPTOTIC).replace("\n  ", " ") == (
        "p = 0.05 by the ks test of calibration "
        "(Monte Carlo, 1 draw; asymptotically 0.055; 9 cases)"
    )


@pytest.mark.parametrize(
    ("p", "told"), [(0.5, "2 certain forecasts left out"), (math.nan, "for which it is undefined")]
)
def test_certain_forecasts_are_told_of(p: float, told: str) -> None:
    verdict = CalibrationTest("citl", p, p, "chi-squared", design="9 cases", certain=2)
    assert told in str(verdict).replace("\n  ", " ")


@pytest.mark.parametrize("found", [COMBINED, ROBUST, ASYMPTOTIC], ids=repr)
def test_a_dictionary_holds_everything_as_json_can(found: CalibrationTest) -> None:
    told = found.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["parts"] == found.parts
    assert told["p_value"] == found.p_value


def test_a_frame_has_a_column_for_each_number() -> None:
    (row,) = COMBINED.to_frame("polars").rows(named=True)
    assert (row["p_value"], row["p_value_mcb"], row["p_value_score"]) == (0.03, 0.25, 0.02)
    assert (row["degrees"], row["denominator_degrees"]) == (None, None)
    (row,) = ROBUST.to_frame("polars").rows(named=True)
    assert (row["degrees"], row["denominator_degrees"]) == (2, 28)
