"""Claims of the paper on means of probabilities that do not hold as they stand."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from properly._cases import Cases
from properly._means import means
from properly._source_table import source_table
from properly._tally import Tally
from properly.reproduce._errata import Erratum
from properly.simulate import nelson
from properly.sources import EqualCount

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from properly.reproduce._nelson_population import PopulationCase

TEN = EqualCount(bins=10)
N = 10_000
# Data sets for which bins are tried.
RUNS = 10
SOME, CLASSES, BINS = 1000, 3, 20


def claims(cases: Mapping[str, PopulationCase]) -> Iterator[Erratum]:
    """Compute a number for each claim, in the order of the paper."""
    yield from _references()
    yield from _separate()
    yield from _weights()
    yield from _figures(cases)
    yield from _divergence()
    yield from _discussion(cases)


def _references() -> Iterator[Erratum]:
    yield Erratum(
        "Figure 2, caption",
        "number of the figure that shows its model and source",
        1,
        3,
        "Figure 1 is about ten dimensions.",
    )
    yield Erratum(
        "Section 4",
        "number of the figure with the panels c) and d)",
        2,
        3,
        "The text refers to panels of Figure 2, which has none; they are those of Figure 3.",
    )


@cache
def _separate() -> tuple[Erratum]:
    """Bin calibrated forecasts; always the same ones, so once is enough."""
    rng = np.random.default_rng(0)
    found = [_log_divergence(rng) for _ in range(2 * RUNS)]
    expected = -BINS * (CLASSES - 1) / (2 * SOME)
    row = Erratum(
        "Section 4, step 1",
        f"mean ln P_div of {CLASSES} calibrated classes",
        0,
        float(np.mean(found)),
        "To sort classes apart is harmless among all cases there are, and of two classes the same "
        "as to sort the event alone. In samples bins fit noise: M classes in B bins each, of n "
        f"cases, have -B (M - 1) / (2n), here {expected:.3f} of {SOME:,} cases in {BINS} bins, and "
        "somewhat more since forecasts differ within bins.",
    )
    return (row,)


def _log_divergence(rng: np.random.Generator) -> float:
    """Draw calibrated forecasts of several classes, and bin each class apart."""
    p = rng.dirichlet(np.ones(CLASSES), SOME)
    y = np.sum(np.cumsum(p, axis=1) < rng.random((SOME, 1)), axis=1)
    return math.log(means(Cases(y, p), source=EqualCount(bins=BINS)).divergence)


def _weights() -> Iterator[Erratum]:
    why = (
        f"{N:,} cases in ten equally full bins. All weigh alike, 1/B, which is right only if "
        "equally many true events are in each; they are to weigh by these."
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


def _figures(cases: Mapping[str, PopulationCase]) -> Iterator[Erratum]:
    under, amplitude, tail = cases["mean 1"], cases["prior 0.8"], cases["tail over"]
    yield Erratum(
        "Below Eq. 19",
        "angle of the under-confident model of Figure 5a",
        90 - under.angle,
        under.angle,
        "Marks are said to be at (model, source). Text and figures have the source to the right "
        "and the model up, and only so are angles above 45 degrees a sign of over-confidence.",
    )
    yield Erratum(
        "Section 5",
        "errors of amplitude that are shown",
        0,
        1,
        "Announced, and left out. Here a model has a prior of 0.8 instead of 0.5: P_div "
        f"{amplitude.divergence:.3f}, angle {amplitude.angle:.1f}.",
    )
    yield Erratum(
        "Figure 6, caption",
        "angle of the model whose variance is over-confident",
        cases["variance 2"].angle,
        cases["variance 0.5"].angle,
        "b), with variance 2, is called over-confident, and is under-confident; a), with 0.5, is "
        "over-confident. The angles are as the paper has them.",
    )
    yield Erratum(
        "Section 6",
        "accuracy of the model of Figure 7",
        tail.source.accuracy,
        tail.model.accuracy,
        "Measured by the source probability, it says, and p is that of the model; as everywhere "
        "else, the accuracy is by the model probability, and p is that of the source.",
    )


@cache
def _divergence() -> tuple[Erratum, Erratum]:
    """Look at P_div in bins; always of the same data, so once is enough."""
    largest = Erratum(
        "Section 7",
        "largest P_div (right: 0.1 and no event, 0.9 and one, one bin)",
        1,
        means(Tally.from_counts([0.1, 0.9], [1, 1], [0, 1]), source=EqualCount(bins=1)).divergence,
        "Below one, always, it says. At most one, given the forecast or with isotonic "
        "recalibration; with bins it may be more, since what forecasts say within a bin is lost.",
    )
    found = [_sample("gaussian", seed) for seed in range(RUNS)]
    isotonic = sum(means(t).divergence <= 1 for t in found)
    share = Erratum(
        "Section 7",
        "share of samples with P_div below 1, in ten bins",
        1,
        sum(means(t, source=TEN).divergence < 1 for t in found) / RUNS,
        f"It is no freak: {RUNS} samples of {N:,} cases, the model being right. With isotonic "
        f"recalibration P_div is at most 1 in {isotonic} of them.",
    )
    return largest, share


def _discussion(cases: Mapping[str, PopulationCase]) -> Iterator[Erratum]:
    right, biased = cases["perfect"], cases["prior 0.8"]
    yield Erratum(
        "Section 7",
        "decisiveness with a prior of 0.8 (printed: what it rises above)",
        right.model.decisiveness,
        biased.model.decisiveness,
        "The arithmetic mean of an over-confident model rises, it says, and the angle tells. The "
        f"angle is {biased.angle:.1f} here: above 45 degrees it may be a bias, and then the "
        "arithmetic mean may fall.",
    )
    report = np.linspace(0, 1, 101)
    t = 0.7 * report + 0.3 * (1 - report)
    quadratic = 2 * t - report**2 - (1 - report) ** 2
    yield Erratum(
        "Section 7",
        "best report of a probability of 0.7",
        float(report[np.argmax(t)]),
        float(report[np.argmax(quadratic)]),
        "The arithmetic mean of what happened is not the quadratic score: that is twice it, less "
        "the sum of the squares of all probabilities, and is best at the truth.",
        0.7,
    )
