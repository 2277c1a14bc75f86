"""Rows about how sure one is: bands, curves, intervals, and the test of calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks.harness import REPORTED_MEMORY, REPORTED_TIME, TIME, Row
from benchmarks.rows_process import resident_peak, traced_peak
from benchmarks.rows_spine import sort
from benchmarks.samples import Sample, TalliedSample, make_sample, make_tallied

import properly
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

REPLICATES = 1000
# A bootstrap that takes long: its replicates cost the same each, so a few of them tell.
BOOTSTRAPPED = 50
DRAWN_FOR_PARTS = 200
DRAWN_FOR_TEST = 999
RESAMPLED = f"`reliability`, resampled consistency band ({REPLICATES:,} replicates)"
CONTINUOUS = "`reliability`, continuous consistency band"
THRESHOLDS = np.arange(1, 100) / 100
MILLION = 1_000_000
MOST_BYTES = 200_000_000


def resampled_band(data: TalliedSample) -> Floats:
    """Draw the consistency band: lower and upper bounds at all forecasts."""
    found = properly.reliability(
        data.tally, band="consistency", method="resampling", replicates=REPLICATES, rng=1
    )
    band: Any = found.band
    return np.stack(band.at(found.value))


def resampled_band_of_numpy(data: TalliedSample) -> Floats:
    """Draw the consistency band as one does in numpy, with scipy's isotonic regression.

    Its random numbers are others, so the bounds agree as far as so many replicates can tell.
    """
    from scipy.optimize import isotonic_regression

    rng, cases, x = np.random.default_rng(2), len(data.p), np.unique(data.p)
    curves = np.empty((REPLICATES, len(x)))
    for i in range(REPLICATES):
        p = data.p[rng.integers(0, cases, cases)]
        y = rng.random(cases) < p
        order = np.argsort(p)
        fit = isotonic_regression(y[order].astype(np.float64)).x
        curves[i] = np.interp(x, p[order], fit, left=np.nan, right=np.nan)
    bounds: Floats = np.nanquantile(curves, [0.025, 0.975], axis=0)
    return bounds


def bootstrap_seconds(data: TalliedSample) -> float:
    """Return what one bootstrap replicate adds to the diagram of model-diagnostics."""
    from matplotlib.figure import Figure
    from model_diagnostics.calibration import plot_reliability_diagram

    def draw(replicates: int | None) -> None:
        outcome, axes = data.y.astype(np.float64), Figure().subplots()
        plot_reliability_diagram(outcome, data.p, n_bootstrap=replicates, ax=axes)

    return (TIME.of(draw, BOOTSTRAPPED) - TIME.of(draw, None)) / BOOTSTRAPPED


def seconds_each(compute: Callable[[Any], Any], replicates: int = 1) -> Callable[[Any], float]:
    """Share out the time of a call, all of it, to its replicates."""
    return lambda data: TIME.of(compute, data) / replicates


def continuous_band(data: Sample) -> properly.calibration.Reliability:
    """Tally, and find the band from the density of the forecasts."""
    tally = properly.tally(data.y, data.p)
    return properly.reliability(tally, band="consistency", method="continuous")


def murphy(data: Sample) -> Floats:
    """Tally, find the curve at all thresholds, and read it at some of them."""
    return properly.murphy_curve(properly.tally(data.y, data.p)).at(THRESHOLDS)


def murphy_of_numpy(data: Sample) -> list[float]:
    """Score the forecasts at some thresholds as one does in numpy."""
    y, p = data
    return [2 * float(np.where(y, (1 - t) * (p < t), t * (p >= t)).mean()) for t in THRESHOLDS]


def roc(data: Sample) -> Floats:
    """Tally, and trace all points of the ROC curve."""
    curve = properly.roc_curve(properly.tally(data.y, data.p))
    return np.stack([curve.false_positive_rate, curve.true_positive_rate])


def roc_of_sklearn(data: Sample) -> Floats:
    """Trace all points of the ROC curve with scikit-learn."""
    from sklearn.metrics import roc_curve

    return np.stack(roc_curve(data.y, data.p, drop_intermediate=False)[:2])


def decompose_with_intervals(data: TalliedSample) -> properly.calibration.Decomposition:
    """Put intervals around the parts of the Brier score."""
    return properly.decompose(data.tally, Brier(), interval=True, replicates=DRAWN_FOR_PARTS, rng=1)


BANDS: tuple[Row[Any], ...] = (
    Row(
        RESAMPLED,
        "a loop in numpy and scipy",
        make_tallied,
        resampled_band,
        resampled_band_of_numpy,
        target=">= 2",
        cases=5000,
        tolerance=0.02,
    ),
    Row(
        f"{RESAMPLED}: time per replicate",
        "model-diagnostics' `plot_reliability_diagram`: time per bootstrap replicate",
        make_tallied,
        seconds_each(resampled_band, REPLICATES),
        bootstrap_seconds,
        target=">= 20",
        cases=5000,
        quantity=REPORTED_TIME,
        needs=("model_diagnostics", "matplotlib"),
    ),
    Row(
        CONTINUOUS,
        "`np.sort`",
        make_tallied,
        lambda data: properly.reliability(data.tally, band="consistency", method="continuous"),
        sort,
        cases=MILLION,
    ),
    Row(
        "`reliability`, simultaneous band",
        "`np.sort`",
        make_tallied,
        lambda data: properly.reliability(data.tally, band="simultaneous"),
        sort,
        cases=MILLION,
    ),
    Row(
        "`reliability`, confidence band (likelihood)",
        "`np.sort`",
        make_tallied,
        lambda data: properly.reliability(data.tally, band="confidence"),
        sort,
        cases=MILLION,
    ),
)

CURVES: tuple[Row[Any], ...] = (
    Row(
        "`murphy_curve`",
        "`np.sort`",
        make_tallied,
        lambda data: properly.murphy_curve(data.tally),
        sort,
        target="<= 2",
        cases=MILLION,
    ),
    Row(
        "`tally`, then `murphy_curve` at all thresholds",
        "elementary scores at 99 thresholds in numpy",
        make_sample,
        murphy,
        murphy_of_numpy,
        cases=MILLION,
        tolerance=1e-12,
    ),
    Row(
        "`roc_curve`",
        "`np.sort`",
        make_tallied,
        lambda data: properly.roc_curve(data.tally),
        sort,
        target="<= 2",
        cases=MILLION,
    ),
    Row(
        "`tally`, then `roc_curve`",
        "scikit-learn's `roc_curve`",
        make_sample,
        roc,
        roc_of_sklearn,
        cases=MILLION,
        needs=("sklearn",),
        tolerance=1e-12,
    ),
)

NUMBERS: tuple[Row[Any], ...] = (
    Row(
        f"`decompose` with intervals ({DRAWN_FOR_PARTS} replicates): time per replicate",
        "`np.sort`",
        make_tallied,
        seconds_each(decompose_with_intervals, DRAWN_FOR_PARTS),
        seconds_each(sort),
        cases=100_000,
        quantity=REPORTED_TIME,
    ),
    Row(
        f"`calibration_test` ({DRAWN_FOR_TEST} replicates): time per replicate",
        "`np.sort`",
        make_tallied,
        seconds_each(
            lambda data: properly.calibration_test(
                data.tally, statistic="mcb", replicates=DRAWN_FOR_TEST, rng=1
            ),
            DRAWN_FOR_TEST,
        ),
        seconds_each(sort),
        cases=10_000,
        quantity=REPORTED_TIME,
    ),
)

MEMORY: tuple[Row[Any], ...] = (
    Row(
        f"`tally`, then {CONTINUOUS}: peak memory allocated",
        "200 MB",
        make_sample,
        traced_peak(continuous_band),
        lambda _: MOST_BYTES,
        target="<= 1",
        cases=MILLION,
        quantity=REPORTED_MEMORY,
    ),
    Row(
        f"`tally`, then {CONTINUOUS}: peak memory resident",
        "200 MB",
        make_sample,
        resident_peak(continuous_band),
        lambda _: MOST_BYTES,
        target="<= 1",
        cases=MILLION,
        quantity=REPORTED_MEMORY,
        needs=("resource",),
    ),
)

ROWS = (*BANDS, *CURVES, *NUMBERS, *MEMORY)
