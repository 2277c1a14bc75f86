"""What sa-RPS prefers to an honest forecast, and what it does to temperatures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reproductions.grades.examples import Impropriety, around_the_mean, honesty, impropriety
from reproductions.grades.forecasts import Forecasts, severity
from reproductions.grades.temperatures import (
    FITTED,
    Temperatures,
    best_temperature,
    temperatures,
    tempered,
)

from properly.rules import RPS, Log, SquaredAbsoluteRPS


@pytest.fixture(scope="module")
def found() -> Impropriety:
    return impropriety()


@pytest.fixture(scope="module")
def fitted() -> Temperatures:
    return temperatures(severity())


def test_the_numbers_of_the_theorem_by_hand(found: Impropriety) -> None:
    uniform = found.rows["uniform on three"]
    assert uniform.best == (0, 1, 0)
    assert (uniform.honest, uniform.least) == pytest.approx((11 / 54, 1 / 6), rel=1e-14)
    assert (uniform.rps_honest, uniform.rps_best) == pytest.approx((2 / 9, 1 / 3), rel=1e-14)
    assert uniform.cost == pytest.approx(2 / 9, rel=1e-12)
    ends = found.rows["both ends of four"]
    assert ends.best == (0, 0.5, 0.5, 0)
    assert ends.honest == ends.least == pytest.approx(1 / 4, rel=1e-14)
    assert found.rows["both ends of three"].cost == pytest.approx(0, abs=1e-14)
    assert found.rows["two neighbours"].best == pytest.approx((0.3, 0.7, 0), abs=1e-12)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=7).filter(any))
def test_no_report_is_below_the_variance_and_the_best_one_is_there(counts: list[int]) -> None:
    truth = np.array(counts) / sum(counts)
    row = honesty(truth.tolist())
    assert row.least == pytest.approx(row.spread, abs=1e-12)
    assert row.honest >= row.spread - 1e-12
    assert row.rps_honest <= row.rps_best + 1e-12
    others = np.random.default_rng(sum(counts)).dirichlet(np.ones(len(truth)), 20)
    assert (SquaredAbsoluteRPS().expected_loss(truth, others) >= row.spread - 1e-12).all()
    if sum(q > 0 for q in counts) > 2:
        assert row.honest > row.least + 1e-6


@given(st.lists(st.integers(0, 9), min_size=2, max_size=7).filter(any))
def test_the_best_report_has_the_mean_of_the_truth(counts: list[int]) -> None:
    truth = np.array(counts) / sum(counts)
    report = np.array(around_the_mean(truth.tolist()))
    number = np.arange(len(truth))
    assert report.sum() == pytest.approx(1, abs=1e-11)
    assert report @ number == pytest.approx(truth @ number, abs=1e-11)
    assert (report > 0).sum() <= 2


def test_sharpening_and_its_reverse() -> None:
    p = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
    assert tempered(p, 1.0) == pytest.approx(p, abs=1e-15)
    assert tempered(p, 0.5)[0] == pytest.approx(np.array([4, 9, 25]) / 38, rel=1e-14)
    assert tempered(tempered(p, 0.7), 1 / 0.7) == pytest.approx(p, abs=1e-14)
    assert tempered(p, 1e-3)[0].tolist() == pytest.approx([0, 0, 1], abs=1e-90)


def test_a_proper_score_finds_the_temperature_that_undoes_another() -> None:
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.ones(4), 4000)
    y = np.array([rng.choice(4, p=row) for row in p])
    for rule in (Log(), RPS()):
        own = best_temperature(Forecasts(y, p), rule)
        spoilt = best_temperature(Forecasts(y, tempered(p, 0.5)), rule)
        assert own == pytest.approx(1, abs=0.06)
        assert spoilt == pytest.approx(2 * own, rel=1e-5)


def test_the_temperature_is_that_of_the_least_score(fitted: Temperatures) -> None:
    data = severity()
    for name, rule in FITTED.items():
        row = fitted.rows[name]
        assert row.score == pytest.approx(float(rule(data.y, tempered(data.p, row.temperature))))
        for factor in (0.99, 1.01):
            assert float(rule(data.y, tempered(data.p, factor * row.temperature))) > row.score


def test_only_the_improper_score_wants_forecasts_to_be_too_sure(fitted: Temperatures) -> None:
    proper = [row for name, row in fitted.rows.items() if name != "sa-RPS"]
    assert all(abs(row.temperature - 1) < 0.02 for row in proper)
    assert all(abs(row.confidence - row.accuracy) < 0.005 for row in proper)
    improper = fitted.rows["sa-RPS"]
    assert improper.temperature == pytest.approx(0.70246, abs=1e-5)
    assert improper.confidence == pytest.approx(0.51086, abs=1e-5)
    assert improper.log_loss == pytest.approx(1.33988, abs=1e-5)
    assert fitted.rows["as they are"].log_loss == pytest.approx(1.31064, abs=1e-5)
    assert {row.accuracy for row in fitted.rows.values()} == {severity().accuracy}
