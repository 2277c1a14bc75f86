"""Sampling weights, and the same whole numbers as counts, against an independent program.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import ndtri

import properly
from properly.calibration._reliability_bands import critical_value
from properly.counts._isotonic import recalibrate
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Callable

    Source = properly.Tally | properly.Cases

pytestmark = pytest.mark.filterwarnings("ignore:weights are sampling weights")

FOLDER = Path(__file__).parent / "weights"
LEVEL = 0.9


@cache
def read(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((FOLDER / f"{name}.csv").read_text().splitlines()))


def column(name: str) -> Any:
    return np.array([float(row[name]) for row in read("cases")])


VALUES = {row["id"]: (float(row["value"]), float(row["tolerance"])) for row in read("values")}
Y, X = column("y").astype(int), column("x")
KNOWN: dict[str, dict[str, Any]] = {
    "whole": {"weight": column("whole").astype(int)},
    "fraction": {"weight": column("fraction")},
    "count": {"count": column("whole").astype(int)},
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


def assert_published(found: dict[str, float]) -> None:
    """Compare; tolerances are absolute, and relative above 1."""
    for name, got in found.items():
        expected, tolerance = VALUES[name]
        assert abs(got - expected) <= tolerance * max(1.0, abs(expected)), name


def test_the_reference_files_are_all_there() -> None:
    assert (len(Y), len(VALUES)) == (220, 69)
    assert len(np.unique(X)) < len(X)


def test_every_published_value_is_computed() -> None:
    found = [published(kind, of(cases_of(kind))) for kind in KNOWN for of in OF_ROWS]
    assert set().union(*found) == set(VALUES)
    assert sum(map(len, found)) == len(VALUES)


@every_kind
@pytest.mark.parametrize("of", OF_ROWS)
def test_every_value_of_cases_is_the_published_one(kind: str, of: Any) -> None:
    assert_published(published(kind, of(cases_of(kind))))


@every_kind
def test_every_value_of_a_tally_is_the_published_one(kind: str) -> None:
    several = OF_ROWS if kind == "count" else OF_WEIGHTS
    found = [published(kind, of(tally_of(kind))) for of in several]
    assert any(found)
    for values in found:
        assert_published(values)


@pytest.mark.parametrize("kind", ["whole", "fraction"])
@pytest.mark.parametrize("scale", [7, 0.5, 1e-3])
@pytest.mark.parametrize("of", OF_ROWS)
def test_the_scale_of_weights_does_not_matter(kind: str, scale: float, of: Any) -> None:
    cases = properly.Cases(Y, X, weight=KNOWN[kind]["weight"] * scale)
    found = of(cases)
    # The critical value has the unit of the weights, as the likelihood has.
    found.pop("phi", None)
    assert_published(published(kind, found))


def test_whole_numbers_mean_the_same_values_as_weights_and_as_counts() -> None:
    for of, names in ((of_score, ("brier",)), (of_parts, ("mcb",))):
        one, other = (of(cases_of(kind)) for kind in ("whole", "count"))
        for name in names:
            assert one[name] == pytest.approx(other[name], rel=1e-14)
    one, other = (of_band(tally_of(kind)) for kind in ("whole", "count"))
    for name in one:
        if name.endswith("estimate"):
            assert one[name] == other[name]
