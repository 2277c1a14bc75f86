"""Rows about several classes: their scores, retention curves, and the audit of a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks.harness import REPORTED_MEMORY, REPORTED_TIME, TIME, Row
from benchmarks.rows_process import resident_peak, traced_peak
from benchmarks.samples import (
    ClassSample,
    ScoredSample,
    make_grades,
    make_many_classes,
    make_nothing,
    make_scored,
)

import properly
from properly.rules import RPS, Brier, Log, SquaredAbsoluteRPS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

REPLICATES = 50
SEED = 1
SHARES = np.arange(21) / 100
STUDY = f"`retention_study`, 4 scores ({REPLICATES} replicates)"
GRADES = "`RPS(normalized=False)(y, P)`, 5 classes"
LOG = "`Log()(y, P)`, 1,000 classes in float32"
BRIER = "`Brier()(y, P)`, 1,000 classes in float32"
MILLION = 1_000_000
HUNDRED_THOUSAND = 100_000


def rps(data: ClassSample) -> float:
    """Score forecasts of ordered classes, checks included; the sum over the cuts."""
    found: float = RPS(normalized=False)(data.y, data.p)
    return found


def rps_of_dlordinal(data: ClassSample) -> float:
    """Score them with dlordinal, which adds up over the cuts as well."""
    from dlordinal.metrics import ranked_probability_score

    return float(ranked_probability_score(data.y, data.p))


def rps_of_numpy(data: ClassSample) -> float:
    """Write the same as one does in numpy."""
    lower = np.cumsum(data.p, axis=1)[:, :-1]
    happened = data.y[:, None] <= np.arange(lower.shape[1])
    return float(((lower - happened) ** 2).sum(axis=1).mean())


def cumulate(data: ClassSample) -> Floats:
    """Add up the probabilities of each row, the least that the score could cost."""
    return np.cumsum(data.p, axis=1)


def log(data: ClassSample) -> float:
    """Score forecasts by the logarithm, checks included."""
    found: float = Log()(data.y, data.p)
    return found


def brier(data: ClassSample) -> float:
    """Score forecasts by squared errors, checks included."""
    found: float = Brier()(data.y, data.p)
    return found


def total(data: ClassSample) -> float:
    """Read all probabilities once, the least that any check could cost."""
    return float(data.p.sum())


def bytes_in_double(data: ClassSample) -> float:
    """Return the memory that the probabilities would take in double precision."""
    return float(data.p.size * np.dtype(np.float64).itemsize)


def study(data: ScoredSample) -> list[float]:
    """Bootstrap the areas under the retention curves of quadratic weighted kappa."""
    found = properly.decisions.retention_study(
        data.scores, data.y, data.p, replicates=REPLICATES, rng=SEED, oracle=False
    )
    return [estimate.mean for estimate in found.areas.values()]


def study_of_numpy(data: ScoredSample) -> list[float]:
    """Bootstrap them as one does in numpy: sort every replicate and compute every kappa anew."""
    rng, cases, d = np.random.default_rng(SEED), len(data.y), data.p.argmax(axis=1)
    gone = np.floor(SHARES * cases + 1e-9).astype(int)
    areas = np.empty((REPLICATES, len(data.scores)))
    for i in range(REPLICATES):
        drawn = np.sort(rng.integers(0, cases, cases))
        for j, score in enumerate(data.scores.values()):
            kept = drawn[np.argsort(score[drawn], kind="stable")[::-1]]
            value = np.array([kappa_of_numpy(data.y[kept[k:]], d[kept[k:]]) for k in gone])
            areas[i, j] = (value[1:] + value[:-1]).mean() / 2
    found: list[float] = areas.mean(axis=0).tolist()
    return found


def kappa_of_numpy(y: NDArray[np.int64], d: NDArray[np.int64]) -> float:
    """Write quadratic weighted kappa by means and variances."""
    by_chance = y.var() + d.var() + (y.mean() - d.mean()) ** 2
    return float(1 - ((y - d) ** 2).mean() / by_chance)


def seconds_per_score(data: ScoredSample) -> float:
    """Share out the time of a study to its scores."""
    return TIME.of(study, data) / len(data.scores)


def audit_seconds(rule: properly.rules.Rule) -> Callable[[Any], float]:
    """Time the search for a truth about which a rule makes one lie."""
    return lambda _: TIME.of(lambda rule: properly.audit(rule, 5), rule)


def one_second(_: Any) -> float:
    """Return what a time is held against if there is nothing else."""
    return 1.0


ORDERED: tuple[Row[Any], ...] = (
    Row(
        GRADES,
        "dlordinal's `ranked_probability_score`",
        make_grades,
        rps,
        rps_of_dlordinal,
        target=">= 30",
        cases=MILLION,
        needs=("dlordinal", "sklearn"),
        tolerance=1e-12,
    ),
    Row(
        GRADES,
        "`np.cumsum(P, axis=1)`",
        make_grades,
        rps,
        cumulate,
        target="<= 3",
        cases=MILLION,
    ),
    Row(
        GRADES,
        "the same in numpy",
        make_grades,
        rps,
        rps_of_numpy,
        cases=MILLION,
        tolerance=1e-12,
    ),
)

MANY_CLASSES: tuple[Row[Any], ...] = (
    Row(
        LOG,
        "`P.sum()`",
        make_many_classes,
        log,
        total,
        target="<= 3",
        cases=HUNDRED_THOUSAND,
    ),
    Row(
        BRIER,
        "`P.sum()`",
        make_many_classes,
        brier,
        total,
        target="<= 3",
        cases=HUNDRED_THOUSAND,
    ),
    Row(
        f"{LOG}: peak memory allocated",
        "memory of `P` in float64",
        make_many_classes,
        traced_peak(log),
        bytes_in_double,
        target="<= 0.25",
        cases=HUNDRED_THOUSAND,
        quantity=REPORTED_MEMORY,
    ),
    Row(
        f"{BRIER}: peak memory allocated",
        "memory of `P` in float64",
        make_many_classes,
        traced_peak(brier),
        bytes_in_double,
        target="<= 0.25",
        cases=HUNDRED_THOUSAND,
        quantity=REPORTED_MEMORY,
    ),
    Row(
        f"{BRIER}: peak memory resident",
        "memory of `P` in float64",
        make_many_classes,
        resident_peak(brier, make_many_classes),
        bytes_in_double,
        target="<= 0.25",
        cases=HUNDRED_THOUSAND,
        quantity=REPORTED_MEMORY,
        needs=("resource",),
    ),
)

RETENTION: tuple[Row[Any], ...] = (
    Row(
        f"{STUDY}: time per score",
        "1 second",
        make_scored,
        seconds_per_score,
        one_second,
        target="<= 1",
        cases=50_000,
        quantity=REPORTED_TIME,
    ),
    Row(
        STUDY,
        "half of the cases",
        make_scored,
        study,
        lambda data: study(data.half),
        target="<= 2.5",
        cases=HUNDRED_THOUSAND,
    ),
    Row(
        STUDY,
        "a loop in numpy that sorts every replicate",
        make_scored,
        study,
        study_of_numpy,
        cases=50_000,
        tolerance=1e-12,
    ),
)

AUDIT: tuple[Row[Any], ...] = tuple(
    Row(
        f"`audit({name}, 5)`",
        "1 second",
        make_nothing,
        audit_seconds(rule),
        one_second,
        cases=0,
        quantity=REPORTED_TIME,
    )
    for name, rule in (("RPS()", RPS()), ("SquaredAbsoluteRPS()", SquaredAbsoluteRPS()))
)

ROWS = (*ORDERED, *MANY_CLASSES, *RETENTION, *AUDIT)
