"""Rows about how sure one can be."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from benchmarks.harness import Quantity, Row
from benchmarks.samples import SEED, make_sample

import properly
from properly.inference._draws import sampler
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

MILLION = 1_000_000
HUNDRED_THOUSAND = 100_000
MODELS = 10
# So many cases make up a cluster, on average.
TOGETHER = 10
# A replicate for so many cases, but as many as an interval needs.
PER_REPLICATE = 100
FEWEST = 39
# Replicates that take long cost the same each, so a few of them tell.
ENOUGH = 50


def _seconds_each(draw: Callable[[Any], Any], data: Any) -> float:
    start = time.perf_counter()
    draws = draw(data)
    return (time.perf_counter() - start) / len(draws)


TIME_EACH = Quantity("seconds", _seconds_each)


class ClusteredSample(NamedTuple):
    """Cases in clusters, for those who draw rows a frame and where its clusters are."""

    cases: properly.Cases
    frame: Any
    rows: list[NDArray[np.intp]]
    replicates: int


def make_clustered(cases: int) -> ClusteredSample:
    """Put each case into one of a tenth as many clusters, and group the frame beforehand."""
    import pandas as pd

    y, p = make_sample(cases)
    cluster = np.random.default_rng(SEED + 4).integers(0, cases // TOGETHER, cases)
    frame = pd.DataFrame({"y": y, "p": p, "cluster": cluster})
    rows = list(frame.groupby("cluster").indices.values())
    replicates = max(FEWEST, cases // PER_REPLICATE)
    return ClusteredSample(properly.Cases(y, p, clusters=cluster), frame, rows, replicates)


def draw_counts(statistic: Any) -> Callable[[ClusteredSample], NDArray[Any]]:
    """Draw how often each cluster is there."""

    def draw(data: ClusteredSample) -> NDArray[Any]:
        replicates = data.replicates
        return properly.inference.bootstrap(
            data.cases, statistic, replicates=replicates, rng=SEED
        ).draws

    return draw


def draw_rows(statistic: Callable[[Any], float]) -> Callable[[ClusteredSample], NDArray[Any]]:
    """Draw the same clusters, and look their rows up in the frame."""

    def draw(data: ClusteredSample) -> NDArray[Any]:
        frame, rows, rng, draws = data.frame, data.rows, np.random.default_rng(SEED), []
        for _ in range(min(ENOUGH, data.replicates)):
            drawn = rng.integers(0, len(rows), len(rows))
            draws.append(statistic(frame.iloc[np.concatenate([rows[i] for i in drawn])]))
        return np.array(draws)

    return draw


def brier(frame: Any) -> float:
    """Average squared differences."""
    return float(((frame["p"] - frame["y"]) ** 2).mean())


def auc(frame: Any) -> float:
    """Find the area as most do."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(frame["y"], frame["p"]))


# A test holds both sides to the same draws, of which the slower side makes the first few.
BOOTSTRAPS: tuple[Row[Any], ...] = (
    Row(
        "`bootstrap` of clusters, Brier score (1,000 replicates): time per replicate",
        "drawing their rows with pandas",
        make_clustered,
        draw_counts(Brier()),
        draw_rows(brier),
        target=">= 10",
        cases=HUNDRED_THOUSAND,
        quantity=TIME_EACH,
        needs=("pandas",),
        tolerance=1e-12,
    ),
    Row(
        "`bootstrap` of clusters, AUC (1,000 replicates): time per replicate",
        "drawing their rows with pandas, `roc_auc_score`",
        make_clustered,
        draw_counts("auc"),
        draw_rows(auc),
        target=">= 10",
        cases=HUNDRED_THOUSAND,
        quantity=TIME_EACH,
        needs=("pandas", "sklearn"),
        tolerance=1e-12,
    ),
)


class ManyModels(NamedTuple):
    """Outcomes, and the forecasts of ten models."""

    y: NDArray[np.bool_]
    forecasts: dict[str, NDArray[np.float64]]
    clusters: NDArray[np.int64]


def make_models(cases: int) -> ManyModels:
    """Blur the forecasts of one model in ten ways."""
    y, p = make_sample(cases)
    rng = np.random.default_rng(SEED + 5)
    forecasts = {f"model {k}": np.clip(p + rng.normal(0, 0.1, cases), 0, 1) for k in range(MODELS)}
    return ManyModels(y, forecasts, rng.integers(0, max(cases // TOGETHER, 2), cases))


def price_all(data: ManyModels) -> list[Any]:
    """Compute one array of losses a model."""
    return [Brier().loss(data.y, p) for p in data.forecasts.values()]


def compare_all(data: ManyModels) -> properly.comparison.Comparison:
    """Compare all 45 pairs of ten models."""
    return properly.compare(data.y, data.forecasts, rule=Brier(), rng=SEED)


def compare_clusters(data: ManyModels) -> properly.comparison.Comparison:
    """Do the same with a tenth as many clusters as cases."""
    return properly.compare(data.y, data.forecasts, rule=Brier(), clusters=data.clusters, rng=SEED)


COMPARISONS: tuple[Row[Any], ...] = (
    Row(
        "`compare`, 10 models",
        "their 10 arrays of losses",
        make_models,
        compare_all,
        price_all,
        "<= 3",
        cases=MILLION,
    ),
    Row(
        "`compare`, 10 models, in clusters",
        "their 10 arrays of losses",
        make_models,
        compare_clusters,
        price_all,
        cases=MILLION,
    ),
)


class Drawn(NamedTuple):
    """The same cases, one after the other and independent, ready to be drawn."""

    series: Any
    alone: Any


def make_drawn(cases: int) -> Drawn:
    """Get ready to draw outcomes."""
    y, p = make_sample(cases)
    series = properly.Cases(y, p, time=np.arange(cases))
    return Drawn(sampler(series), sampler(properly.Cases(y, p)))


def outcomes(source: Any) -> int:
    """Draw outcomes of calibrated forecasts, again and again."""
    draws = source.outcomes(source.value, ENOUGH, np.random.default_rng(1))
    return sum(int(draw.events[0]) for draw in draws)


DRAWS: tuple[Row[Any], ...] = (
    Row(
        "outcomes that depend on one another in time, drawn",
        "independent outcomes",
        make_drawn,
        lambda data: outcomes(data.series),
        lambda data: outcomes(data.alone),
        target="<= 3",
        cases=HUNDRED_THOUSAND,
    ),
)
ROWS: tuple[Row[Any], ...] = (*COMPARISONS, *BOOTSTRAPS, *DRAWS)
