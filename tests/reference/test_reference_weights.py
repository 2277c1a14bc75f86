"""Sampling weights, and the same whole numbers as counts, against an independent program.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import ndtri

import properly
from properly.calibration._reliability_bands import critical_value
from properly.counts._isotonic import recalibrate
from properly.rules import Brier

from .held import assert_held, column, once, read, values_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .held import Areas

    Source = properly.Tally | properly.Cases

pytestmark = pytest.mark.filterwarnings("ignore:weights are sampling weights")


LEVEL = 0.9


CASES = read("weights/cases")
VALUES = values_of("weights")
Y, X = column(CASES, "y").astype(int), column(CASES, "x")
KNOWN: dict[str, dict[str, Any]] = {
    "whole": {"weight": column(CASES, "whole").astype(int)},
    "fraction": {"weight": column(CASES, "fraction")},
    "count": {"count": column(CASES, "whole").astype(int)},
}
every_kind = pytest.mark.parametrize("kind", KNOWN)


def cases_of(kind: str) -> properly.Cases:
    return properly.Cases(Y, X, **KNOWN[kind])


def tally_of(kind: str) -> properly.Tally:
    return properly.tally(Y, X, **KNOWN[kind])


def of_score(source: Source) -> dict[str, float]:
    found = properly.score_interval(source, Brier())
    return {
        "brier": found.value,
        "se": found.standard_error,
        "cases": found.cases,
        "effective_cases": found.effective_cases,
    }


def of_test(source: Source) -> dict[str, float]:
    found = properly.calibration_test(source, statistic="score", replicates=1, rng=1)
    return {"score": found.statistic, "score_p": found.parts["asymptotic"]}


def of_line(source: Source) -> dict[str, float]:
    found = properly.calibration.calibration_summary(source, replicates=1, rng=1)
    ratio = found.observed_expected
    return {
        "cox.intercept": found.intercept.value,
        "cox.slope": found.slope.value,
        "cox.se_slope": found.slope.standard_error,
        "oe": ratio.value,
        "oe.se_log": ratio.standard_error / ratio.value,
    }


def of_parts(source: Source) -> dict[str, float]:
    return {"mcb": properly.decompose(source, Brier()).miscalibration}


def of_band(source: Source) -> dict[str, float]:
    tally = source if isinstance(source, properly.Tally) else source.tally()
    critical = critical_value(source, recalibrate(tally), LEVEL)
    curve = properly.reliability(source, band="confidence", method="likelihood", level=LEVEL)
    assert curve.band is not None
    result = {"phi": critical / float(ndtri((1 + LEVEL) / 2)) ** 2}
    for x, estimate in zip(curve.value, curve.recalibrated, strict=True):
        lower, upper = curve.band.at([x])
        name = f"band90@{x:.2f}"
        result[f"{name}.estimate"] = float(estimate)
        result |= {f"{name}.lower": float(lower[0]), f"{name}.upper": float(upper[0])}
    return result


# A weighted tally has lost the rows that a test draws, and that a line is fitted to.
OF_ROWS: tuple[Callable[[Source], dict[str, float]], ...] = (
    of_score,
    of_test,
    of_line,
    of_parts,
    of_band,
)
OF_WEIGHTS = (of_parts, of_band)


def published(kind: str, found: dict[str, float]) -> dict[str, float]:
    """Keep what has a published value."""
    named = {f"weights.{kind}.{name}": value for name, value in found.items()}
    return {name: value for name, value in named.items() if name in VALUES}


def of_cases(kind: str) -> dict[str, float]:
    found = [published(kind, of(cases_of(kind))) for of in OF_ROWS]
    return {name: x for values in found for name, x in values.items()}


AREAS: Areas = once({kind: partial(of_cases, kind) for kind in KNOWN})


def test_the_reference_files_are_all_there() -> None:
    assert len(Y) == 220
    assert len(np.unique(X)) < len(X)


@every_kind
def test_every_value_of_a_tally_is_the_published_one(kind: str) -> None:
    several = OF_ROWS if kind == "count" else OF_WEIGHTS
    found = [published(kind, of(tally_of(kind))) for of in several]
    assert any(found)
    assert_held({name: x for values in found for name, x in values.items()}, VALUES)
