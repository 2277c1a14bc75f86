"""Whole jobs: an evaluation of three models with all its draws, and what is made of it."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from benchmarks.harness import REPORTED_MEMORY, REPORTED_TIME, Row
from benchmarks.parquet_files import Folder
from benchmarks.rows_classes import one_second
from benchmarks.rows_process import input_bytes, resident_peak
from benchmarks.rows_report import command_seconds
from benchmarks.samples import (
    CLASS_TASKS,
    SEED,
    WITHIN,
    make_designed,
    make_job,
    make_leaderboard,
    make_tumours,
)

import properly
from properly.rules import Brier

if TYPE_CHECKING:
    from benchmarks.samples import DesignedJob, Job
    from numpy.typing import NDArray

HUNDRED_THOUSAND, MILLION, TEN_MILLION = 10**5, 10**6, 10**7
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


def evaluate_designed(data: DesignedJob) -> properly.evaluation.Evaluation:
    """Evaluate all models of a design with all that is drawn."""
    return properly.evaluate(data.y, data.forecasts, rng=1, progress=False, **data.options)


def evaluate_plain(data: DesignedJob) -> properly.evaluation.Evaluation:
    """Evaluate the plain job of as many cases."""
    return evaluate_job(data.plain)


def one_model_seconds(data: Job) -> float:
    """Time the evaluation of the first model."""
    start = time.perf_counter()
    properly.evaluate(data.y, dict([*data.forecasts.items()][:1]), rng=1, progress=False)
    return time.perf_counter() - start


class Files(NamedTuple):
    """A folder, and the options of a command that reads a file there."""

    folder: Folder
    options: tuple[str, ...]


def to_files(data: Job, **more: NDArray[Any]) -> Files:
    """Write outcomes, forecasts and more columns as CSV."""
    folder = Folder()
    columns = {"y": data.y, **data.forecasts, **more}
    file = folder.path / "forecasts.csv"
    header, names = ",".join(columns), (x for name in data.forecasts for x in ("--forecast", name))
    np.savetxt(file, np.column_stack([*columns.values()]), "%.9g", ",", header=header, comments="")
    return Files(folder, (str(file), "--outcome", "y", *names))


def make_groups(cases: int) -> Files:
    """Write eight models and four groups."""
    job, rng = make_job(cases), np.random.default_rng(SEED + 5)
    odds = np.log(job.forecasts["right"] / (1 - job.forecasts["right"]))
    noisy = {f"m{k}": 1 / (1 + np.exp(-odds - rng.normal(0, k / 10, cases))) for k in range(8)}
    return to_files(job._replace(forecasts=noisy), group=rng.integers(0, 4, cases))


def page_of_files_seconds(data: Files) -> float:
    """Time the command that makes a page, from its start to its end."""
    page = str(data.folder.path / "page.html")
    options = ("--groups", "group", "--within", *map(str, WITHIN), "--force", "--output", page)
    return command_seconds("-m", "properly", "report", *data.options, *options)


def gate_seconds(data: Files) -> float:
    """Time the command that asks for a slope alone."""
    condition = ("--fail-if", "calibration.slope<0.01")
    return command_seconds("-m", "properly", "score", *data.options, *condition)


EVALUATE = "`evaluate` of 3 models"
LOOP = "199 draws a model in a plain loop, fitted by scipy and scored in numpy"

# The most that a design may take, in times of the plain evaluation.
MOST = {
    "clusters of ten": 3,
    "100 clusters": 3,
    "weights": 3,
    "weights and clusters of ten": 3,
    "20 groups": 3,
    "1,000 days": 4,
    "distinct times": 4,
    '`recalibrate="auto"`': 6,
    "ten classes": 10,
    "ten grades": 10,
}
DESIGNED: tuple[Row[Any], ...] = tuple(
    row
    for design, most in MOST.items()
    for name in [f"`evaluate` of {2 if design in CLASS_TASKS else 3} models, {design}"]
    for make in [partial(make_designed, design)]
    for row in (
        Row(
            name,
            "the plain evaluation of 3 models",
            make,
            evaluate_designed,
            evaluate_plain,
            target=f"<= {most}",
            cases=HUNDRED_THOUSAND,
        ),
        Row(
            f"{name}: peak memory resident",
            "memory of the input",
            make,
            resident_peak(evaluate_designed, make_designed, design),
            input_bytes,
            target="<= 6",
            cases=MILLION,
            quantity=REPORTED_MEMORY,
            needs=("resource",),
        ),
    )
)
FIXED: tuple[Row[Any], ...] = tuple(
    Row(
        name,
        "1 second",
        make,
        seconds,
        one_second,
        target=f"<= {most}",
        cases=cases,
        quantity=REPORTED_TIME,
        needs=needs,
    )
    for name, make, seconds, most, cases, needs in (
        (
            "`evaluate` of 1 model, nearly separable cases",
            make_tumours,
            one_model_seconds,
            0.5,
            569,
            ("sklearn",),
        ),
        (
            "`properly score` with `--fail-if` on a slope, 3 models, nearly separable cases",
            lambda cases: to_files(make_tumours(cases)),
            gate_seconds,
            2,
            569,
            ("sklearn", "click", "duckdb"),
        ),
        (
            "`properly report`, 8 models and 4 groups, from a CSV file to a page",
            make_groups,
            page_of_files_seconds,
            8,
            10_000,
            ("click", "duckdb", "jinja2"),
        ),
    )
)

ROWS: tuple[Row[Any], ...] = (
    *DESIGNED,
    *FIXED,
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
