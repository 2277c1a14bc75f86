"""Calibration tests, clinical summaries and binned errors, against independent programs.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

import math
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import chi2
from tests.inference_numbers import (
    CASES,
    CLUSTER,
    MONTE_CARLO,
    WEIGHT,
    Y,
    assert_drawn,
    cases_of,
    tally_of,
)
from tests.reference.held import column, once

import properly
from properly.calibration._curve_fits import Spline, find_curves
from properly.inference._logistic import fit
from properly.rules import Brier

if TYPE_CHECKING:
    from tests.inference_numbers import Drawn
    from tests.reference.held import Areas

    from properly.calibration import CalibrationTest
    from properly.calibration._calibration_summary import CalibrationSummary

FORECASTS = ("p1", "p2")
REPLICATES = 4000


@cache
def trial_of(forecast: str, statistic: Any, *, training: bool = False) -> CalibrationTest:
    return properly.calibration_test(
        cases_of(forecast), statistic=statistic, training=training, replicates=REPLICATES, rng=7
    )


@cache
def summary(forecast: str, curve: Any = "spline", *, weighted: bool = False) -> CalibrationSummary:
    known = {"weight": WEIGHT} if weighted else {}
    return properly.calibration_summary(cases_of(forecast, **known), fit=curve, replicates=1, rng=7)


# Logistic recalibration


def of_recalibration(forecast: str) -> dict[str, float]:
    found = summary(forecast)
    parts = {"citl": found.in_the_large, "intercept": found.intercept, "slope": found.slope}
    values = {f"cox.{forecast}.{name}": part.value for name, part in parts.items()}
    # The published error of calibration in the large is not the sandwich.
    parts.pop("citl")
    errors = {f"cox.{forecast}.{name}.se": part.standard_error for name, part in parts.items()}
    x = logit(column(CASES, forecast))
    shifted = fit(np.ones((300, 1)), Y.astype(float), np.ones(300), x)
    errors[f"cox.{forecast}.citl.se"] = float(np.sqrt(shifted.information_inverse[0, 0]))
    return values | errors | {f"cox.{forecast}.cov": fitted(forecast).information_inverse[0, 1]}


@cache
def fitted(forecast: str) -> Any:
    x = logit(column(CASES, forecast))
    return fit(np.stack([np.ones(300), x], axis=1), Y.astype(float), np.ones(300))


def of_tests(forecast: str) -> dict[str, float]:
    joint, large = trial_of(forecast, "cox"), trial_of(forecast, "citl")
    away = fitted(forecast).coefficients - [0, 1]
    wald = away @ np.linalg.solve(fitted(forecast).information_inverse, away)
    score = trial_of(forecast, "score").statistic
    found = {
        "lr_joint": joint.statistic,
        "lr_joint.p": joint.p_value,
        "lr_citl": large.statistic,
        "lr_citl.p": large.p_value,
        # What the joint test has more than the one of the intercept alone.
        "lr_slope": joint.statistic - large.statistic,
        "lr_slope.p": summary(forecast).tests["slope"],
        "wald_joint": wald,
        "wald_joint.p": chi2.sf(wald, 2),
        "score_joint": score,
        "score_joint.p": chi2.sf(score, 2),
    }
    return {f"cox.{forecast}.{name}": float(value) for name, value in found.items()}


def of_weighted_recalibration() -> dict[str, float]:
    found = summary("p1", weighted=True)
    return {
        "cox.weighted.p1.intercept": found.intercept.value,
        "cox.weighted.p1.slope": found.slope.value,
        "cox.weighted.p1.slope.se": found.slope.standard_error,
    }


# Other tests


def of_paths(forecast: str) -> dict[str, float]:
    """Find the cumulated differences, which the package gives in standard deviations."""
    found: dict[str, float] = {}
    for statistic in ("ks", "kuiper"):
        test = trial_of(forecast, statistic)
        found[f"{statistic}.{forecast}"] = test.statistic * deviation(forecast) / 300
        found[f"{statistic}.{forecast}.z"] = test.statistic
        found[f"{statistic}.{forecast}.p"] = test.parts["asymptotic"]
    return found


def deviation(forecast: str) -> float:
    """Return the standard deviation of the number of events if the forecasts are calibrated."""
    return math.sqrt(float(np.sum(Brier().entropy(column(CASES, forecast)))))


def of_clusters(forecast: str) -> dict[str, float]:
    found = properly.calibration_test(cases_of(forecast, clusters=CLUSTER))
    assert found.name == "score"
    return {
        f"score_cluster.{forecast}": found.statistic,
        f"score_cluster.{forecast}.p": found.p_value,
    }


def of_spiegelhalter(forecast: str) -> dict[str, float]:
    found = trial_of(forecast, "spiegelhalter")
    name = "edge.spiegelhalter" if forecast == "edge" else f"spiegelhalter.{forecast}"
    return {f"{name}.z": found.statistic, f"{name}.p": found.p_value}


def of_groups_of_ten(forecast: str) -> dict[str, float]:
    found, trained = (
        trial_of(forecast, "hosmer-lemeshow", training=training) for training in (False, True)
    )
    assert isinstance(found.degrees, (int, float))
    return {
        f"hl10.{forecast}.stat": found.statistic,
        f"hl10.{forecast}.groups": float(found.degrees),
        f"hl10.{forecast}.p_validation": found.p_value,
        f"hl10.{forecast}.p_minus2": trained.p_value,
    }


# Observed over expected


def of_totals(forecast: str) -> dict[str, float]:
    found = summary(forecast).observed_expected
    always = properly.score_interval(properly.Cases(Y, np.zeros(300)), Brier())
    # The error of the event rate alone, with n for n - 1, over the rate.
    binomial = math.sqrt(299 / 300) * always.standard_error / always.value
    expected = Y.sum() / found.value
    null = deviation(forecast)
    return {
        f"oe.{forecast}.se_null": null / expected,
        f"oe.{forecast}.z_null": (Y.sum() - expected) / null,
        f"oe.{forecast}": found.value,
        f"oe.{forecast}.se_log": found.standard_error / found.value,
        f"oe.{forecast}.lower95": found.interval[0],
        f"oe.{forecast}.upper95": found.interval[1],
        f"oe.{forecast}.se_log_binomial": binomial,
    }


# Absolute errors of fitted curves


def of_knots(forecast: str) -> dict[str, float]:
    tally = tally_of(forecast)
    value, weight = np.asarray(tally.value), np.asarray(tally.weight, dtype=float)
    curve = find_curves("spline", value, weight, counted=True)
    assert isinstance(curve, Spline)
    assert len(curve.knots) == 5
    return {f"rcs5.knot{j + 1}.{forecast}": float(knot) for j, knot in enumerate(curve.knots)}


def of_curves(forecast: str, curve: str) -> dict[str, float]:
    found = summary(forecast, curve)
    name = {"spline": "rcs5"}.get(curve, curve)
    return {
        f"{part}.{name}.{forecast}": getattr(found, part).value
        for part in ("ici", "e50", "e90", "emax")
    }


# Binned errors


BINS: dict[str, tuple[int, Any]] = {
    "ece_width5": (5, "width"),
    "ece_width10": (10, "width"),
    "ece_width15": (15, "width"),
    "ece_count5": (5, "count"),
    "ece_count10": (10, "count"),
}


def of_bins(forecast: str, names: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name in names:
        bins, scheme = BINS[name]
        record = properly.calibration.calibration_error(
            cases_of(forecast), bins=bins, scheme=scheme
        )
        parts = {
            "ece": record.expected,
            "mce": record.maximum,
            "l2sq": record.squared,
            "l2sq_debiased": record.debiased,
            "bins": len(record.bins.event_rate),
        }
        for part, value in parts.items():
            place = f"edge.{name}.{part}" if forecast == "edge" else f"{name}.{part}.{forecast}"
            found[place] = value
    return found


# Random draws


def of_exact_tests(forecast: str) -> dict[str, tuple[float, float]]:
    """Find p-values by drawing; the source drew 50000 times."""
    found = trial_of(forecast, "combined")
    values = {
        f"combined_test.{forecast}.p": found.p_value,
        f"score_test.{forecast}.mc_p": found.parts["score"],
    }
    return {identity: (value, error_of(identity)) for identity, value in values.items()}


def error_of(identity: str) -> float:
    """Return the error of a share of our draws, given that of the source's."""
    return MONTE_CARLO[identity][1] * math.sqrt(50000 / REPLICATES)


KINDS: dict[str, Any] = {
    "recalibration": of_recalibration,
    "likelihood ratios": of_tests,
    "clusters": of_clusters,
    "spiegelhalter": of_spiegelhalter,
    "paths": of_paths,
    "groups of ten": of_groups_of_ten,
    "totals": of_totals,
    "knots": of_knots,
}
AREAS: Areas = once(
    {
        **{f"{name} {p}": partial(kind, p) for name, kind in KINDS.items() for p in FORECASTS},
        **{
            f"{curve} {forecast}": partial(of_curves, forecast, curve)
            for curve in ("isotonic", "spline", "lowess")
            for forecast in FORECASTS
        },
        "bins p1": partial(of_bins, "p1", ("ece_width10", "ece_width15", "ece_count10")),
        "bins p2": partial(of_bins, "p2", ("ece_width10", "ece_width15", "ece_count10")),
        "bins edge": partial(of_bins, "edge", ("ece_width5", "ece_width10", "ece_count5")),
        "spiegelhalter edge": partial(of_spiegelhalter, "edge"),
        "weighted": of_weighted_recalibration,
    }
)
DRAWN: Drawn = once({f"exact tests {p}": partial(of_exact_tests, p) for p in FORECASTS})


# What the published numbers say of one another


@pytest.mark.parametrize("forecast", FORECASTS)
def test_the_score_test_is_drawn_unless_cases_are_clustered(forecast: str) -> None:
    found = trial_of(forecast, "score")
    assert found.method == "Monte Carlo"
    identity = f"score_test.{forecast}.mc_p"
    assert_drawn(identity, found.p_value, error_of(identity))


@pytest.mark.parametrize("forecast", FORECASTS)
def test_the_parts_of_the_combined_test_are_the_published_tests(forecast: str) -> None:
    found = trial_of(forecast, "combined")
    identity = f"mcb.brier.{forecast}.test_p"
    assert_drawn(identity, found.parts["mcb"], error_of(identity))
    assert found.statistic == min(found.parts["mcb"], found.parts["score"])
