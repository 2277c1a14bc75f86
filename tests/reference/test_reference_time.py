"""A series of forecasts and outcomes, against an independent program.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import properly
from properly.calibration._line import wald
from properly.inference._design import Design
from properly.inference._variance import covariance, rule_lag
from properly.rules import Brier

from .held import column, once, read, values_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.inference import Band, Estimate

    from .held import Areas


LEVEL = 0.9


SERIES = read("time/series")
Y, X, OTHER, TIME = (column(SERIES, name) for name in ("y", "x", "x2", "time"))
CASES = properly.Cases(Y, X, time=TIME)
LAG: Any = "newey-west"


def by(statistic: Any) -> Any:
    return properly.calibration_test(CASES, statistic=statistic, rng=1, replicates=9)


def of_means() -> dict[str, float]:
    score = properly.score_interval(CASES, Brier())
    lagged = properly.score_interval(CASES, Brier(), serial=LAG)
    models = {"x": X, "x2": OTHER}
    (pair,) = properly.compare(Y, models, Brier(), time=TIME, rng=1)
    (other,) = properly.compare(Y, models, Brier(), time=TIME, serial=LAG, rng=1)
    return {
        "nu": score.degrees,
        "lag": rule_lag(len(Y)),
        "brier.mean": score.value,
        "brier.se_ewc": score.standard_error,
        "brier.se_nw": lagged.standard_error,
        "difference.mean": pair.difference,
        "difference.se_ewc": pair.standard_error,
        "difference.se_nw": other.standard_error,
    }


def of_tests() -> dict[str, float]:
    score, cox = by("score"), by("cox")
    q, rest = score.degrees
    nu = rest + q - 1
    plain = properly.calibration_test(Y, X, statistic="score", rng=1, replicates=9)
    excess = (Y - X)[None]
    shift = wald(excess.sum(axis=1), covariance(excess, Design.of(CASES)))
    return {
        "score.independent": plain.statistic,
        "score.F": score.statistic,
        "score.Q": score.statistic * q * nu / rest,
        "score.p": score.p_value,
        "citl_score.p": shift[2],
        "cox.F": cox.statistic,
        "cox.p": cox.p_value,
    }


def log_error(ratio: Estimate) -> float:
    return ratio.standard_error / ratio.value


def of_summary() -> dict[str, float]:
    found = properly.calibration_summary(CASES, replicates=1, rng=1)
    area = properly.inference.auc_interval(CASES)
    return {
        "cox.intercept": found.intercept.value,
        "cox.slope": found.slope.value,
        "cox.se_intercept": found.intercept.standard_error,
        "cox.se_slope": found.slope.standard_error,
        "oe": found.observed_expected.value,
        "oe.se_log": log_error(found.observed_expected),
        "auc": area.value,
        "auc.se_ewc": area.standard_error,
    }


def of_dependence() -> dict[str, float]:
    curve = properly.reliability(CASES, band="confidence")
    found = curve.dependence
    assert found is not None
    names = ("phi", "psi", "rho", "effective_times")
    return {name: getattr(found, name) for name in names} | {"bins": len(curve.bins)}


def of_bands() -> dict[str, float]:
    kinds = {"ignoring": properly.Cases(Y, X), "time": CASES}
    result: dict[str, float] = {}
    for kind, cases in kinds.items():
        curve = properly.reliability(cases, band="confidence", level=LEVEL)
        band: Band | None = curve.band
        assert band is not None
        for x, estimate in zip(curve.value.tolist(), curve.recalibrated.tolist(), strict=True):
            lower, upper = (float(bound[0]) for bound in band.at([x]))
            name = f"band90.{kind}@{x:.2f}"
            result |= {f"{name}.estimate": estimate, f"{name}.lower": lower, f"{name}.upper": upper}
    return result


def held(of: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Keep what has a held value."""
    known = values_of("time")
    return {f"series.{x}": y for x, y in of().items() if f"series.{x}" in known}


OF = (of_means, of_tests, of_summary, of_dependence, of_bands)
AREAS: Areas = once({of.__name__: partial(held, of) for of in OF})


def test_the_series_is_all_there() -> None:
    assert len(Y) == 400
