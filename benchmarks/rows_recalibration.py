"""Rows about recalibration: fits of maps, their application, and the choice of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from benchmarks.harness import REPORTED_MEMORY, Row
from benchmarks.rows_process import input_bytes, traced_peak
from benchmarks.samples import make_sample, make_tallied

import properly
from properly.counts._tally import tally_of_sums
from properly.recalibration import Beta, Isotonic, Logistic, VennAbers
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.samples import Sample, TalliedSample
    from numpy.typing import NDArray

    from properly.recalibration import Map

HUNDRED_THOUSAND, MILLION, TEN_MILLION = 10**5, 10**6, 10**7


def fresh(tally: properly.Tally) -> properly.Tally:
    """Return a tally of which nothing has been computed yet."""
    return tally_of_sums([tally.value, tally.weight, tally.events])


def sort(data: TalliedSample) -> NDArray[np.float64]:
    """Sort the forecasts once."""
    return np.sort(data.p)


def logistic(data: TalliedSample) -> list[float]:
    """Fit a line of the log odds by maximum likelihood."""
    line = Logistic(smooth=False).fit(fresh(data.tally))
    return [line.intercept or 0.0, line.slope or 0.0]


def logistic_of_sklearn(data: TalliedSample) -> list[float]:
    """Fit the same line."""
    from sklearn.linear_model import LogisticRegression

    odds = np.log(data.p) - np.log1p(-data.p)
    line = LogisticRegression(C=np.inf, tol=1e-6).fit(odds[:, None], data.y)
    return [float(line.intercept_[0]), float(line.coef_[0, 0])]


def venn_abers_of_peer(data: Sample) -> Any:
    """Fit the same pairs, for as few new forecasts as the peer needs to be asked for."""
    from venn_abers import VennAbers as Peer

    peer = Peer()
    peer.fit(np.column_stack([1 - data.p, data.p]), data.y.astype(int))
    return peer


class Fitted(NamedTuple):
    """A map, and new forecasts between the least and the greatest that it was fitted to."""

    map: Map
    p: NDArray[np.float64]


def make_fitted(new: Map) -> Callable[[int], Fitted]:
    """Fit a map to a hundred thousand cases, and draw forecasts for it."""

    def make(cases: int) -> Fitted:
        data = make_sample(HUNDRED_THOUSAND)
        p = np.random.default_rng(1).uniform(data.p.min(), data.p.max(), cases)
        return Fitted(new.fit(data.y, data.p), p)

    return make


def expit(data: Fitted) -> NDArray[np.float64]:
    """Compute as many logistic functions."""
    from scipy.special import expit as logistic_function

    result: NDArray[np.float64] = logistic_function(data.p)
    return result


def decompose_with_intervals(data: Sample) -> properly.calibration.Decomposition:
    """Decompose the Brier score of the same cases, with intervals."""
    tally = properly.tally(data.y, data.p)
    return properly.decompose(tally, Brier(), interval=True, rng=1)


def recalibrate(data: Sample) -> properly.recalibration.Recalibrated:
    """Choose among all maps, and find what that would save."""
    return properly.recalibrate(data.y, data.p, folds=10, progress=False)


ROWS: tuple[Row[Any], ...] = (
    Row(
        "`Logistic(smooth=False).fit`",
        "scikit-learn's `LogisticRegression` of the log odds",
        make_tallied,
        logistic,
        logistic_of_sklearn,
        target="<= 2",
        cases=MILLION,
        needs=("sklearn",),
        tolerance=1e-4,
    ),
    Row(
        "`Isotonic().fit`",
        "`np.sort`",
        make_tallied,
        lambda data: Isotonic().fit(fresh(data.tally)),
        sort,
        target="<= 1.5",
        cases=MILLION,
    ),
    Row(
        "`VennAbers().fit`",
        "`np.sort`",
        make_tallied,
        lambda data: VennAbers().fit(fresh(data.tally)),
        sort,
        target="<= 4",
        cases=MILLION,
    ),
    Row(
        "`VennAbers().fit` of rows",
        "venn-abers' `VennAbers.fit`",
        make_sample,
        lambda data: VennAbers().fit(data.y, data.p),
        venn_abers_of_peer,
        target=">= 50",
        cases=MILLION,
        needs=("venn_abers",),
    ),
    Row(
        '`recalibrate("auto", folds=10)`',
        "`decompose` with intervals",
        make_sample,
        recalibrate,
        decompose_with_intervals,
        target="<= 12",
        cases=HUNDRED_THOUSAND,
    ),
    *(
        Row(
            f"`{type(new).__name__}.at`",
            "scipy's `expit`",
            make_fitted(new),
            lambda data: data.map.at(data.p),
            expit,
            target="<= 3",
            cases=TEN_MILLION,
        )
        for new in (Logistic(), Beta(), Isotonic(), VennAbers())
    ),
    *(
        Row(
            f"{name}: peak memory allocated",
            "memory of the input",
            make_sample,
            traced_peak(compute),
            input_bytes,
            target=target,
            cases=MILLION,
            quantity=REPORTED_MEMORY,
        )
        for name, compute, target in (
            ("`Logistic().fit`", lambda data: Logistic().fit(data.y, data.p), "<= 4"),
            ("`Beta().fit`", lambda data: Beta().fit(data.y, data.p), "<= 4"),
            ("`Isotonic().fit`", lambda data: Isotonic().fit(data.y, data.p), "<= 4"),
            ("`VennAbers().fit`", lambda data: VennAbers().fit(data.y, data.p), "<= 4"),
            ("`Logistic.at`", lambda data: Logistic(-0.5, 0.8).at(data.p), "<= 4"),
            ("`cross_fit`", lambda data: properly.cross_fit(data.y, data.p, Logistic()), None),
            ('`recalibrate("auto")`', recalibrate, None),
        )
    ),
)
