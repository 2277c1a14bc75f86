"""What holds for calibration tests, summaries and monitors, whatever the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.monitors import against_calibration, for_the_second

import properly
from properly.rules import Brier, Log

from .inference_draws import Study, assert_same, few, study_of
from .subjects import seeds

if TYPE_CHECKING:
    from properly import Cases
    from properly.calibration._calibration_summary import CalibrationSummary

# Few cases make for quick laws.
pytestmark = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")

# Their statistics are the same for the event and for its opposite; that of KS is not.
TWO_SIDED = ["mcb", "score", "spiegelhalter", "cox", "citl", "kuiper"]
STATISTICS = [*TWO_SIDED, "combined", "ks", "hosmer-lemeshow"]


def turned(study: Study) -> Study:
    """Forecast that the event does not happen."""
    return Study(1 - study.y, {name: 1 - p for name, p in study.models.items()}, study.known)


def trial_of(cases: Any, statistic: Any) -> properly.calibration.CalibrationTest:
    return properly.calibration_test(cases, statistic=statistic, replicates=1, rng=1)


# Tests


@pytest.mark.slow
@pytest.mark.parametrize("statistic", TWO_SIDED)
@few
@given(seed=seeds)
def test_an_event_is_as_calibrated_as_its_opposite(statistic: str, seed: int) -> None:
    study = study_of(seed).told()
    found, other = trial_of(study.cases(), statistic), trial_of(turned(study).cases(), statistic)
    assert found.statistic == pytest.approx(other.statistic, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("statistic", STATISTICS)
@few
@given(seed=seeds)
def test_a_tally_is_tested_as_its_cases(statistic: str, seed: int) -> None:
    cases = study_of(seed).told().cases()
    found, other = trial_of(cases.tally(), statistic), trial_of(cases, statistic)
    if statistic != "combined":
        assert found.statistic == pytest.approx(other.statistic, rel=1e-9, abs=1e-15)
    assert found.name == other.name == statistic
    assert 0 < found.p_value <= 1


@pytest.mark.parametrize("statistic", ["score", "cox", "citl"])
@few
@given(seed=seeds, names=st.sampled_from([("weight",), ("weight", "clusters")]))
def test_only_the_ratios_of_weights_matter_to_tests(
    statistic: str, seed: int, names: tuple[str, ...]
) -> None:
    """Eight times the weights are whole numbers, and no counts for that."""
    study = study_of(seed).told(*names)
    heavier = study.told(*names, weight=8 * study.known["weight"])
    found, other = trial_of(study.cases(), statistic), trial_of(heavier.cases(), statistic)
    assert found.statistic == pytest.approx(other.statistic, rel=1e-8)


@pytest.mark.parametrize("statistic", ["score", "cox", "citl"])
@few
@given(seed=seeds)
def test_copies_inside_a_cluster_are_no_evidence(statistic: str, seed: int) -> None:
    study = study_of(seed).told("clusters")
    twice = study.rows(np.tile(np.arange(len(study.y)), 2))
    found, other = trial_of(study.cases(), statistic), trial_of(twice.cases(), statistic)
    assert found.statistic == pytest.approx(other.statistic, rel=1e-8)
    assert found.p_value == pytest.approx(other.p_value, rel=1e-7)


@few
@given(seed=seeds)
def test_the_joint_likelihood_ratio_is_never_less_than_its_part(seed: int) -> None:
    cases = study_of(seed).told().cases()
    joint, part = trial_of(cases, "cox"), trial_of(cases, "citl")
    assert joint.statistic >= part.statistic - 1e-9
    assert (joint.degrees, part.degrees) == (2, 1)


# Summaries


def summary(cases: Cases, fit: Any = "spline") -> CalibrationSummary:
    return properly.calibration_summary(cases, fit=fit, replicates=1, rng=1)


LINE = {"in_the_large": -1, "intercept": -1, "slope": 1}


@pytest.mark.parametrize("fit", ["spline", "isotonic", "lowess"])
@few
@given(seed=seeds)
def test_the_summary_of_the_opposite_is_turned_round(fit: str, seed: int) -> None:
    study = study_of(seed).told()
    found, other = summary(study.cases(), fit), summary(turned(study).cases(), fit)
    for name, sign in LINE.items():
        one, two = getattr(found, name), getattr(other, name)
        assert one.value == pytest.approx(sign * two.value, rel=1e-7, abs=1e-10)
        assert one.standard_error == pytest.approx(two.standard_error, rel=1e-7)
    for name in ("ici", "e50", "e90", "emax"):
        one, two = getattr(found, name).value, getattr(other, name).value
        assert one == pytest.approx(two, rel=1e-7, abs=1e-10)


@few
@given(
    seed=seeds,
    names=st.sampled_from([("weight",), ("weight", "clusters", "strata")]),
    factor=st.sampled_from([8, 1e-12, 1e12]),
)
def test_only_the_ratios_of_weights_matter_to_summaries(
    seed: int, names: tuple[str, ...], factor: float
) -> None:
    study = study_of(seed).told(*names)
    heavier = study.told(*names, weight=factor * study.known["weight"])
    found, other = summary(study.cases()), summary(heavier.cases())
    for name in ("observed_expected", *LINE):
        one, two = getattr(found, name), getattr(other, name)
        assert_same([one.value, one.standard_error], [two.value, two.standard_error])
        assert_same(one.interval, two.interval)
    for name in ("ici", "e50", "e90", "emax"):
        assert_same(*(list(vars(getattr(x, name)).values()) for x in (found, other)))
    assert_same(list(found.tests.values()), list(other.tests.values()))


# Monitors


@few
@given(seed=seeds)
def test_the_evidence_against_the_opposite_is_the_same(seed: int) -> None:
    study = study_of(seed)
    other = turned(study)
    for rule in (Brier(), Log()):
        evidence = [
            for_the_second(rule, each.y, each.models["a"], each.models["b"]).last
            for each in (study, other)
        ]
        assert evidence[0] == pytest.approx(evidence[1], rel=1e-9, abs=1e-9)
    evidence = [against_calibration(each.y, each.models["a"]).last for each in (study, other)]
    assert evidence[0] == pytest.approx(evidence[1], rel=1e-9, abs=1e-9)
