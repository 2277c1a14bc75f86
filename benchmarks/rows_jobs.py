"""Whole jobs: an evaluation of three models with all its draws, and what is made of it."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from benchmarks.harness import REPORTED_MEMORY, REPORTED_TIME, Row
from benchmarks.rows_classes import one_second
from benchmarks.rows_process import input_bytes, resident_peak
from benchmarks.samples import make_job, make_leaderboard

import properly
from properly.rules import Brier

if TYPE_CHECKING:
    from benchmarks.samples import Job
    from numpy.typing import NDArray

HUNDRED_THOUSAND, MILLION, TEN_MILLION = 10**5, 10**6, 10**7
WITHIN = (0.01, 0.1)
# As many as an evaluation makes, for each model.
DRAWS = 199
# What a page may take, if this is more than its share of the evaluation.
PAGE_SECONDS, PAGE_SHARE = 3.0, 1 / 4


def evaluate_job(data: Job) -> properly.evaluation.Evaluation:
    """Evaluate all models with all that is drawn."""
    return properly.evaluate(data.y, data.forecasts, within=WITHIN, rng=1, progress=False)


def evaluate_without_draws(data: Job) -> properly.evaluation.Evaluation:
    """Evaluate all models as far as nothing is drawn."""
    return properly.evaluate(data.y, data.forecasts, within=WITHIN, replicates=0, progress=False)


def plain_loop(data: Job) -> list[float]:
    """Draw outcomes as sorted forecasts say, fit and score each draw; return the p-values."""
    from scipy.optimize import isotonic_regression

    rng, found = np.random.default_rng(1), []
    for p in data.forecasts.values():
        order = np.argsort(p)
        forecast = p[order]

        def miscalibration(event: NDArray[np.float64], x: NDArray[np.float64] = forecast) -> float:
            fit = isotonic_regression(event).x
            return float(np.mean((x - event) ** 2) - np.mean((fit - event) ** 2))

        observed = miscalibration(data.y[order].astype(float))
        draws = ((rng.random(len(forecast)) < forecast).astype(float) for _ in range(DRAWS))
        reached = sum(miscalibration(event) >= observed for event in draws)
        found.append((1 + reached) / (1 + DRAWS))
    return found


def sort_columns(data: Job) -> list[NDArray[np.float64]]:
    """Sort the forecasts of each model once."""
    return [np.sort(p) for p in data.forecasts.values()]


def page_seconds(data: Job) -> float:
    """Time the page of an evaluation that was made for it alone, and is not counted."""
    from properly import report

    evaluation = evaluate_job(data)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        report.write(Path(folder) / "page.html", evaluation)
        return time.perf_counter() - start


def seconds_for_page(data: Job) -> float:
    """Return what the page may take."""
    start = time.perf_counter()
    evaluate_job(data)
    return max(PAGE_SHARE * (time.perf_counter() - start), PAGE_SECONDS)


class Fitted(NamedTuple):
    """A tally, and its outcomes in the order of the forecasts."""

    tally: properly.Tally
    event: NDArray[np.float64]


def make_fitted(cases: int) -> Fitted:
    """Tally the first model of the job."""
    job = make_job(cases)
    p = job.forecasts["right"]
    return Fitted(properly.tally(job.y, p), job.y[np.argsort(p)].astype(float))


def decompose_with_intervals(data: Fitted) -> properly.calibration.Decomposition:
    """Put intervals around the parts of the Brier score."""
    return properly.decompose(data.tally, Brier(), interval=True, rng=1)


def fit_once(data: Fitted) -> Any:
    """Fit an increasing curve to sorted outcomes."""
    from scipy.optimize import isotonic_regression

    return isotonic_regression(data.event).x


class Summaries(NamedTuple):
    """What is known of many rows, and of a hundredth of them."""

    many: properly.Summary
    few: properly.Summary


def make_summaries(cases: int) -> Summaries:
    """Sum up a frame of all rows, and one of the first of them."""
    import polars as pl

    job = make_job(cases)
    frame = pl.DataFrame({"y": job.y, **job.forecasts})

    def summary(rows: Any) -> properly.Summary:
        return properly.summarize(rows, list(job.forecasts), outcome="y", within=WITHIN)

    return Summaries(summary(frame), summary(frame.head(max(cases // 100, 200))))


def evaluate_summary(summary: properly.Summary) -> properly.evaluation.Evaluation:
    """Evaluate all models, with draws."""
    return properly.evaluate(summary, within=WITHIN, rng=1, progress=False)


def compare_seconds(data: Job) -> float:
    """Time a leaderboard, all pairs of its models."""
    start = time.perf_counter()
    properly.compare(data.y, data.forecasts, rule=Brier(), rng=1)
    return time.perf_counter() - start


EVALUATE = "`evaluate` of 3 models"
LOOP = "199 draws a model in a plain loop, fitted by scipy and scored in numpy"

ROWS: tuple[Row[Any], ...] = (
    *(
        Row(
            f"{EVALUATE}, {words} cases",
            LOOP,
            make_job,
            evaluate_job,
            plain_loop,
            target=target,
            cases=cases,
        )
        for words, cases, target in (
            ("a hundred thousand", HUNDRED_THOUSAND, "<= 1"),
            ("a million", MILLION, "<= 0.3"),
        )
    ),
    Row(
        f"{EVALUATE}: peak memory resident",
        "memory of the input",
        make_job,
        resident_peak(evaluate_job, make_job),
        input_bytes,
        target="<= 4",
        cases=MILLION,
        quantity=REPORTED_MEMORY,
        needs=("resource",),
    ),
    Row(
        f"{EVALUATE}, `replicates=0`",
        "`np.sort` of the forecasts of each",
        make_job,
        evaluate_without_draws,
        sort_columns,
        target="<= 60",
        cases=MILLION,
    ),
    Row(
        "`report.write` of `evaluate`, 3 models",
        "a quarter of the evaluation, or 3 s",
        make_job,
        page_seconds,
        seconds_for_page,
        target="<= 1",
        cases=MILLION,
        quantity=REPORTED_TIME,
        needs=("jinja2",),
    ),
    Row(
        "`decompose` with intervals",
        "one `isotonic_regression` of scipy",
        make_fitted,
        decompose_with_intervals,
        fit_once,
        target="<= 60",
        cases=MILLION,
    ),
    Row(
        "`evaluate` of a summary of 3 models, with draws",
        "the same from a hundredth of the rows",
        make_summaries,
        lambda data: evaluate_summary(data.many),
        lambda data: evaluate_summary(data.few),
        target="<= 1.2",
        cases=TEN_MILLION,
        needs=("polars",),
    ),
    Row(
        "`compare`, all pairs of 1,000 models",
        "1 second",
        make_leaderboard,
        compare_seconds,
        one_second,
        target="<= 60",
        cases=10_000,
        quantity=REPORTED_TIME,
    ),
)
