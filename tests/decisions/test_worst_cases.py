"""The cases that a rule charges most for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from properly import Cases, tally
from properly.decisions import worst_cases
from properly.decisions._single_cases import worst_forecasts
from properly.rules import RPS, Brier, Log

P = np.array([[0.5, 0.25, 0.25], [0.125, 0.125, 0.75], [0.25, 0.5, 0.25], [1, 0, 0]])
Y = np.array([0, 0, 2, 2])
LABELS = ["low", "mid", "high"]
GRADES = Cases([LABELS[k] for k in Y], P, labels=LABELS)
EVENT = Cases([0, 1, 1, 0], [0.1, 0.3, 0.6, 0.9])


def test_an_event_by_hand() -> None:
    found = worst_cases(EVENT, Brier(), k=3)
    assert found.row.tolist() == [3, 1, 2]
    np.testing.assert_allclose(found.loss, [0.81, 0.49, 0.16], rtol=1e-15)
    assert found.outcome.tolist() == [0, 1, 1]
    assert found.p.tolist() == [0.9, 0.3, 0.6]
    assert (found.labels, found.rule, len(found)) == (None, "brier", 3)


def test_classes_by_hand() -> None:
    """RPS: the last is two steps off with certainty; of the others, the second is worst."""
    found = worst_cases(GRADES, RPS(), k=2)
    assert found.row.tolist() == [3, 1]
    np.testing.assert_allclose(found.loss, [1, (0.875**2 + 0.75**2) / 2], rtol=1e-15)
    assert found.outcome.tolist() == [2, 0]
    assert found.p.tolist() == P[[3, 1]].tolist()
    assert (found.labels, found.rule) == (("low", "mid", "high"), "rps")


def test_an_impossible_case_is_the_worst() -> None:
    found = worst_cases(GRADES, Log())
    assert found.row.tolist() == [3, 1, 2, 0]
    assert found.loss[0] == math.inf
    np.testing.assert_allclose(found.loss[1:], np.log([8, 4, 2]), rtol=1e-15)


def test_of_equal_losses_the_earlier_row_comes_first() -> None:
    found = worst_cases(Cases([1, 0, 1, 0], [0.5, 0.5, 0.25, 0.75]), Brier())
    assert found.row.tolist() == [2, 3, 0, 1]


@pytest.mark.parametrize("k", [1, 10, 6000, 40_000, 50_000])
@pytest.mark.parametrize("digits", [1, 3, 16])
def test_of_many_rows_the_worst_are_those_of_a_full_sort(k: int, digits: int) -> None:
    rng = np.random.default_rng(2)
    p, y = np.round(rng.random(40_000), digits), rng.random(40_000) < 0.5
    loss = Brier().loss(y, p)
    found = worst_cases(Cases(y, p), Brier(), k)
    assert found.row.tolist() == np.argsort(-loss, kind="stable")[:k].tolist()
    np.testing.assert_array_equal(found.loss, loss[found.row])


def test_rows_of_weight_zero_are_left_out_and_rows_keep_their_numbers() -> None:
    cases = Cases([0, 1, 1, 0], [0.1, 0.3, 0.6, 0.9], weight=[1, 2, 1, 0])
    assert worst_cases(cases, Brier()).row.tolist() == [1, 2, 0]


def test_rules_find_different_cases() -> None:
    """Two steps off with half a chance against one step off with certainty."""
    cases = Cases([0, 0], [[0.5, 0, 0.5], [0.25, 0.75, 0]])
    assert worst_cases(cases, RPS(), k=1).row.tolist() == [1]
    far = Cases([0, 0], [[0.375, 0, 0.625], [0.25, 0.75, 0]])
    assert worst_cases(far, RPS(), k=1).row.tolist() == [0]
    assert worst_cases(far, Brier(), k=1).row.tolist() == [1]


def test_no_class_is_lost_if_labels_read_alike() -> None:
    found = worst_cases(Cases(["1", 1, "x"], np.eye(3), labels=[1, "1", "x"]), Brier())
    assert str(found).splitlines() == [
        "row  brier  outcome  p 1  p '1'  p 'x'",
        "  0      2      '1'    1      0      0",
        "  1      2        1    0      1      0",
        "  2      0      'x'    0      0      1",
    ]
    frame = found.to_frame("pandas")
    assert list(frame.columns) == ["row", "loss", "outcome", "p 1", "p '1'", "p 'x'"]
    assert frame["p '1'"].tolist() == [0, 1, 0]


def test_outcomes_are_called_as_their_columns_are() -> None:
    doses = [0.123456, 0.123457]
    found = worst_cases(Cases(doses, [[0.25, 0.75], [0.5, 0.5]], labels=doses), Brier())
    assert [line.split()[2] for line in str(found).splitlines()[1:]] == ["0.123456", "0.123457"]


def test_of_many_classes_only_two_are_printed() -> None:
    p = np.full((2, 12), 1 / 16)
    p[0, 3] = p[1, 7] = 5 / 16
    cases = Cases([3, 0], p, labels=[f"class {k}" for k in range(12)])
    assert str(worst_cases(cases, Brier(), 2)).splitlines() == [
        "row   brier  outcome   its p  likeliest  its p",
        "  1   1.016  class 0  0.0625    class 7  0.3125",
        "  0  0.5156  class 3  0.3125    class 3  0.3125",
    ]


def test_an_event_is_printed_without_labels() -> None:
    assert str(worst_cases(EVENT, Brier(), k=2)).split("\n") == [
        "row  brier  outcome    p",
        "  3   0.81        0  0.9",
        "  1   0.49        1  0.3",
    ]


def test_of_counts_the_forecasts_are_told_and_how_many_cases_they_had() -> None:
    counts = tally([0, 1, 1, 1, 0, 0], [0.1, 0.3, 0.3, 0.6, 0.9, 0.7])
    found = worst_forecasts(counts, Brier(), k=4)
    assert found.p.tolist() == [0.9, 0.3, 0.7, 0.6]
    assert found.outcome.tolist() == [0, 1, 0, 1]
    assert found.to_dict()["cases"] == [1, 2, 1, 1]
    assert "row" not in found.to_dict()
    assert (len(found), len(found.row)) == (4, 0)
    assert repr(found) == "WorstCases(4 forecasts, brier 0.16 to 0.81)"
    assert str(found).splitlines()[:3] == [
        "cases  brier  outcome    p",
        "    1   0.81        0  0.9",
        "    2   0.49        1  0.3",
    ]
    assert list(found.to_frame("polars").columns) == ["cases", "loss", "outcome", "p"]


def test_of_equal_losses_the_lower_forecast_comes_first() -> None:
    found = worst_forecasts(tally([1, 0, 0, 1], [0.25, 0.75, 0.0, 0.0]), Log())
    assert found.p.tolist() == [0.0, 0.25, 0.75, 0.0]
    assert found.loss.tolist() == [math.inf, math.log(4), math.log(4), 0.0]


def test_weights_at_forecasts_are_told() -> None:
    found = worst_forecasts(tally([1, 0], [0.2, 0.2], weight=[0.5, 2.0]), Brier())
    assert found.to_dict()["cases"] == [0.5, 2.0]
