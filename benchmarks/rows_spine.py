"""Rows about the spine: tally, decompose, and the rules themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks.harness import Row
from benchmarks.samples import (
    NumericSample,
    Sample,
    TalliedSample,
    WeightedSample,
    make_numeric,
    make_rounded,
    make_sample,
    make_tallied,
    make_weighted,
)

import properly
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPINE = "`tally`, then `decompose` twice"
TERMS = ("score", "miscalibration", "discrimination", "uncertainty")


def spine(data: Sample | NumericSample) -> list[float]:
    """Tally once and decompose two scores: eight numbers."""
    tally = properly.tally(data.y, data.p)
    parts = [properly.decompose(tally, rule) for rule in (Brier(), Log())]
    return [getattr(part, term) for part in parts for term in TERMS]


def sort(data: Sample | TalliedSample) -> NDArray[np.float64]:
    """Sort the forecasts, the least that any of this could cost."""
    return np.sort(data.p)


def spine_of_sklearn(data: Sample) -> list[float]:
    """Do by hand, with scikit-learn's isotonic regression, what the spine does."""
    from sklearn.isotonic import IsotonicRegression

    y, p = data
    recalibrated = IsotonicRegression().fit_transform(p, y)
    found: list[float] = []
    for mean_score in (mean_brier, mean_log):
        score, best = mean_score(y, p), mean_score(y, recalibrated)
        constant = mean_score(y, y.mean())
        found += [score, score - best, constant - best, constant]
    return found


def spine_of_model_diagnostics(data: NumericSample) -> list[float]:
    """Decompose two scores with model-diagnostics."""
    from model_diagnostics.scoring import LogLoss, SquaredError, decompose

    frames = [
        decompose(data.outcome, data.p, scoring_function=function())
        for function in (SquaredError, LogLoss)
    ]
    return [float(frame[term][0]) for frame in frames for term in TERMS]


def mean_brier(y: NDArray[np.bool_], p: Any) -> float:
    """Write the Brier score as one does in numpy."""
    return float(((y - p) ** 2).mean())


def mean_log(y: NDArray[np.bool_], p: Any) -> float:
    """Write the log score as one does in numpy."""
    return float(-np.log(np.where(y, p, 1 - p)).mean())


def tally_plain(data: Sample | TalliedSample) -> properly.Tally:
    """Count outcomes at each forecast."""
    return properly.tally(data.y, data.p)


def tally_weighted(data: WeightedSample) -> properly.Tally:
    """Add up weights at each forecast."""
    return properly.tally(data.y, data.p, weight=data.weight)


ROWS: tuple[Row[Any], ...] = (
    Row(SPINE, "`np.sort`", make_sample, spine, sort, target="<= 2.2"),
    Row(
        SPINE,
        "scikit-learn's `IsotonicRegression`, scores in numpy",
        make_sample,
        spine,
        spine_of_sklearn,
        target=">= 4",
        needs=("sklearn",),
        tolerance=1e-9,
    ),
    Row(
        SPINE,
        "model-diagnostics' `decompose` (SquaredError, LogLoss)",
        make_numeric,
        spine,
        spine_of_model_diagnostics,
        target=">= 5",
        needs=("model_diagnostics",),
        tolerance=1e-9,
    ),
    Row(f"{SPINE}, some forecasts tied", "`np.sort`", make_rounded, spine, sort),
    Row("`tally`", "`np.sort`", make_sample, tally_plain, sort),
    Row(
        "`decompose` (Brier)",
        "`tally`",
        make_tallied,
        lambda data: properly.decompose(data.tally, Brier()),
        tally_plain,
    ),
    Row(
        "`decompose` (Log)",
        "`tally`",
        make_tallied,
        lambda data: properly.decompose(data.tally, Log()),
        tally_plain,
    ),
    Row(
        "`Brier()(y, p)`",
        "`((y - p) ** 2).mean()`",
        make_sample,
        lambda data: Brier()(data.y, data.p),
        lambda data: mean_brier(data.y, data.p),
        cases=1_000_000,
        tolerance=1e-12,
    ),
    Row(
        "`tally`, weights that are fractions",
        "`np.argsort`",
        make_weighted,
        tally_weighted,
        lambda data: np.argsort(data.p),
    ),
)
