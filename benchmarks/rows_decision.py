"""Rows about decisions: bounded scores, decision curves, the H-measure, and many models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks.harness import Row
from benchmarks.rows_spine import mean_brier
from benchmarks.samples import (
    FramedSample,
    RivalSample,
    Sample,
    TalliedSample,
    make_framed,
    make_rivals,
    make_sample,
    make_tallied,
)

import properly
from properly.rules import BetaWeighted, Bounded, Brier, Regret

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

WITHIN = (0.05, 0.2)
BOUNDED = f"`Bounded(Brier(), {WITHIN})(y, p)`"
BELIEF = (2, 8)
THRESHOLD = 0.2
# Those of dcurves, if it is not told others.
HUNDRED = np.arange(100) / 100
# Not hundredths, at which curves of whole numbers may cross exactly.
THRESHOLDS = np.arange(1, 101) / 101
EDGES = np.arange(11) / 10
MILLION = 1_000_000


def bounded_brier(data: Sample) -> float:
    """Score the forecasts over a range of thresholds, checks included."""
    found: float = Bounded(Brier(), WITHIN)(data.y, data.p)
    return found


def bounded_brier_of_numpy(data: Sample) -> float:
    """Write the same as one does in numpy: forecasts, and the outcomes' own best, are clipped."""
    (a, b), (y, p) = WITHIN, data
    excess = (y - np.clip(p, a, b)) ** 2 - (y - np.clip(y, a, b)) ** 2
    return float(excess.mean()) / (b - a)


def believed_regret(data: Sample) -> float:
    """Average regret over a range of thresholds, of which some are more likely than others."""
    found: float = Regret(WITHIN, prior=BetaWeighted(*BELIEF))(data.y, data.p)
    return found


def believed_regret_of_scipy(data: Sample) -> float:
    """Write the same with scipy's incomplete beta function, one call a side."""
    from scipy.special import betainc

    (a, b), (alpha, beta) = WITHIN, BELIEF
    p, mean = np.clip(data.p, a, b), alpha / (alpha + beta)
    missed = (1 - mean) * (betainc(alpha, beta + 1, b) - betainc(alpha, beta + 1, p[data.y]))
    in_vain = mean * (betainc(alpha + 1, beta, p[~data.y]) - betainc(alpha + 1, beta, a))
    mass = betainc(alpha, beta, b) - betainc(alpha, beta, a)
    return float((missed.sum() + in_vain.sum()) / len(p) / mass)


def decision(data: FramedSample) -> Floats:
    """Tally, find net benefit at all thresholds, and read it at some of them."""
    return properly.decision_curve(properly.tally(data.y, data.p), "every").at(HUNDRED)


def decision_of_dcurves(data: FramedSample) -> Floats:
    """Find net benefit at some thresholds with dcurves."""
    from dcurves import dca

    found = dca(data=data.frame, outcome="y", modelnames=["p"], thresholds=HUNDRED)
    benefit: Floats = found.loc[found["model"] == "p", "net_benefit"].to_numpy()
    return benefit


def h_measure(data: Sample) -> float:
    """Tally, recalibrate, and price the bins."""
    return properly.inference.h_measure(properly.tally(data.y, data.p))


def h_measure_of_hmeasure(data: Sample) -> float:
    """Find the hull of the ROC curve and price it with hmeasure, under the same prior."""
    from hmeasure import h_score

    return float(h_score(data.y, data.p, severity_ratio=1))


def at_threshold(data: TalliedSample) -> list[float]:
    """Evaluate a decision in all ways."""
    found = properly.at_threshold(data.tally, THRESHOLD)
    return [found.true_positives, found.false_positives, found.net_benefit]


def at_threshold_of_numpy(data: TalliedSample) -> list[float]:
    """Write net benefit as one does in numpy."""
    acted = data.p >= THRESHOLD
    true, false = float((acted & data.y).mean()), float((acted & ~data.y).mean())
    return [true, false, true - THRESHOLD / (1 - THRESHOLD) * false]


def ranks(data: RivalSample) -> Floats:
    """Rank models at all thresholds, and read the ranks at some of them."""
    found = properly.decisions.rank_by_threshold(data.tallies)
    rank: Floats = found.rank[:, np.searchsorted(found.edges, THRESHOLDS) - 1]
    return rank


def ranks_of_numpy(data: RivalSample) -> Floats:
    """Rank models at some thresholds as one does in numpy and scipy."""
    from scipy.stats import rankdata

    regret = [
        [float(np.where(data.y, (1 - t) * (p < t), t * (p >= t)).mean()) for t in THRESHOLDS]
        for p in data.models.values()
    ]
    # Equal counts may be added up to what differs in the last digits.
    found: Floats = rankdata(np.round(regret, 12), axis=0)
    return found


def ranges(data: RivalSample) -> Floats:
    """Find the mean regret of all models over all ranges between tenths."""
    found = properly.decisions.best_by_range(data.tallies, edges=EDGES, baselines=False)
    regret: Floats = found.mean_regret[:, *np.triu_indices(len(EDGES), 1)]
    return regret


def ranges_one_by_one(data: RivalSample) -> list[list[float]]:
    """Score every model over every range, one after the other."""
    pairs = np.transpose(np.triu_indices(len(EDGES), 1))
    rules = [Regret((EDGES[i], EDGES[j])) for i, j in pairs]
    return [[rule(data.y, p) for rule in rules] for p in data.models.values()]


SCORES: tuple[Row[Any], ...] = (
    Row(
        BOUNDED,
        "`((y - p) ** 2).mean()`",
        make_sample,
        bounded_brier,
        lambda data: mean_brier(data.y, data.p),
        target="<= 4",
        cases=MILLION,
    ),
    Row(
        BOUNDED,
        "the same with `np.clip`",
        make_sample,
        bounded_brier,
        bounded_brier_of_numpy,
        cases=MILLION,
        tolerance=1e-12,
    ),
    Row(
        f"`Regret({WITHIN}, prior=BetaWeighted{BELIEF})(y, p)`",
        "the same with scipy's `betainc`",
        make_sample,
        believed_regret,
        believed_regret_of_scipy,
        cases=MILLION,
        tolerance=1e-12,
    ),
)

CURVES: tuple[Row[Any], ...] = (
    Row(
        "`tally`, then `decision_curve` at all thresholds",
        "dcurves' `dca` at 100 thresholds",
        make_framed,
        decision,
        decision_of_dcurves,
        target=">= 50",
        cases=MILLION,
        needs=("dcurves", "pandas"),
        tolerance=1e-12,
    ),
    Row(
        "`tally`, then `h_measure`",
        "hmeasure's `h_score`",
        make_sample,
        h_measure,
        h_measure_of_hmeasure,
        target=">= 5",
        cases=MILLION,
        needs=("hmeasure",),
        tolerance=1e-12,
    ),
    Row(
        "`at_threshold`",
        "net benefit in numpy",
        make_tallied,
        at_threshold,
        at_threshold_of_numpy,
        cases=MILLION,
        tolerance=1e-12,
    ),
)

MANY_MODELS: tuple[Row[Any], ...] = (
    Row(
        "`rank_by_threshold`, 5 models",
        "regret at 100 thresholds in numpy",
        make_rivals,
        ranks,
        ranks_of_numpy,
        cases=100_000,
        tolerance=0.0,
    ),
    Row(
        "`best_by_range`, 5 models and 55 ranges",
        "`Regret(within)(y, p)` for each model and range",
        make_rivals,
        ranges,
        ranges_one_by_one,
        cases=100_000,
        tolerance=1e-12,
    ),
)

ROWS = (*SCORES, *CURVES, *MANY_MODELS)
