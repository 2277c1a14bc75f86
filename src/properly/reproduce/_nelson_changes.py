"""Where numbers differ from those of the paper on means of probabilities: weights, and bins."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from properly.counts._tally import Tally
from properly.datasets import nelson
from properly.probability._means import means
from properly.probability._source_table import source_table
from properly.probability._sources import EqualCount, EqualWidth
from properly.reproduce._errata import Erratum

if TYPE_CHECKING:
    from collections.abc import Iterator

TEN = EqualCount(bins=10)
N = 10_000
# Data sets for which bins are tried.
RUNS = 10


def changes() -> Iterator[Erratum]:
    """Compute numbers by the paper's weights, or as it bounds them, and as they are here."""
    yield _sizes()
    yield from _weights()
    yield from _divergence()


def _sizes() -> Erratum:
    few = source_table(Tally.from_counts([0.2, 0.8], [3, 1], [1, 1]), source=EqualWidth(bins=2))
    there = few.happened > 0
    share, log = few.source[there] / few.source.sum(), np.log(few.accuracy[there])
    return Erratum(
        "Eq. 17",
        "sum of all sizes, bins of three cases and of one",
        -float(share @ log),
        float(few.size.sum()),
        "The weight is P_k / sum of P, for P_k the share of true events in a bin; here it is N*_k /"
        " sum of N*, for N*_k their number. In bins that are equally full, which are the paper's, "
        "the two are the same, and sizes sum to -ln of the accuracy. Here they do so in all bins. "
        "(Sizes have a minus sign here, so that they are positive.)",
        -math.log(few.means.accuracy),
    )


def _weights() -> Iterator[Erratum]:
    why = (
        f"{N:,} cases in ten bins with equally many cases. Every bin weighs 1/B, which is right if "
        "bins hold equally many true events; here they weigh by these. The paper notes that its "
        "figures were made otherwise; their bins are 0.01 wide."
    )
    equal, true = _overall("gaussian", "equal"), _overall("gaussian", "true")
    what = "source probability of the right normal model, ten bins"
    yield Erratum("Eq. 19", what, equal[1], true[1], why)
    equal, true = _overall("tail over", "equal"), _overall("tail over", "true")
    what = "P_div of the over-confident tail, ten bins"
    yield Erratum("Eqs. 18, 19", what, equal[0] / equal[1], true[0] / true[1], why)


def _overall(case: str, weights: str) -> tuple[float, float]:
    """Return the accuracies of model and source that bins are averaged to."""
    found = source_table(_sample(case, 0), source=TEN).overall(weights)  # type: ignore[arg-type]
    return found.model.accuracy, found.source.accuracy


def _sample(case: str, seed: int) -> Tally:
    drawn = nelson(N, case, rng=seed)
    return Tally.from_arrays(drawn.y, drawn.p)


@cache
def _divergence() -> tuple[Erratum, Erratum]:
    """Look at P_div in bins; always of the same data, so once is enough."""
    largest = Erratum(
        "Section 7",
        "P_div, at most (here: 0.1 and no event, 0.9 and one, one bin)",
        1,
        means(Tally.from_counts([0.1, 0.9], [1, 1], [0, 1]), source=EqualCount(bins=1)).divergence,
        "Stated as always below one. It is at most one, given the forecast or with isotonic "
        "recalibration; with bins it may be more, since what forecasts say within a bin is lost.",
    )
    found = [_sample("gaussian", seed) for seed in range(RUNS)]
    isotonic = sum(means(t).divergence <= 1 for t in found)
    count = Erratum(
        "Section 7",
        f"samples of {RUNS} with P_div above 1, ten bins",
        0,
        sum(means(t, source=TEN).divergence > 1 for t in found),
        f"{N:,} cases each, the model being right. With isotonic recalibration P_div is at most 1 "
        f"in {isotonic} of them.",
    )
    return largest, count
