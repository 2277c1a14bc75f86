"""The data that rows are measured on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import properly

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 20211
PIECE = 1 << 16


class Sample(NamedTuple):
    """Outcomes and forecasts."""

    y: NDArray[np.bool_]
    p: NDArray[np.float64]

    @property
    def bytes(self) -> int:
        """Memory of both columns."""
        return self.y.nbytes + self.p.nbytes


class NumericSample(NamedTuple):
    """Outcomes as numbers and distinct forecasts, for peers that do not take booleans."""

    y: NDArray[np.bool_]
    p: NDArray[np.float64]
    outcome: NDArray[np.float64]


class WeightedSample(NamedTuple):
    """Outcomes, distinct forecasts, and weights that are not whole numbers."""

    y: NDArray[np.bool_]
    p: NDArray[np.float64]
    weight: NDArray[np.float64]


class TalliedSample(NamedTuple):
    """Outcomes and distinct forecasts, with their tally."""

    y: NDArray[np.bool_]
    p: NDArray[np.float64]
    tally: properly.Tally


class FramedSample(NamedTuple):
    """Outcomes and distinct forecasts, with a frame of both for peers that want one."""

    y: NDArray[np.bool_]
    p: NDArray[np.float64]
    frame: Any


class RivalSample(NamedTuple):
    """Outcomes, the forecasts of several models, and their tallies."""

    y: NDArray[np.bool_]
    models: dict[str, NDArray[np.float64]]
    tallies: dict[str, properly.Tally]


def make_sample(cases: int) -> Sample:
    """Draw uniform forecasts, of which the event follows with the probability ``sqrt(p)``.

    Piece by piece: temporary arrays of the size of the data would raise the peak of memory that
    the memory of a computation is measured from.
    """
    rng = np.random.default_rng(SEED)
    y, p = np.empty(cases, dtype=np.bool_), np.empty(cases)
    for start in range(0, cases, PIECE):
        piece = slice(start, min(start + PIECE, cases))
        size = piece.stop - piece.start
        p[piece] = rng.random(size)
        y[piece] = rng.random(size) < np.sqrt(p[piece])
    return Sample(y, p)


def make_rounded(cases: int) -> Sample:
    """Round forecasts to as many digits as the number of cases has: six in ten values remain."""
    y, p = make_sample(cases)
    return Sample(y, np.round(p, round(math.log10(cases))))


def make_numeric(cases: int) -> NumericSample:
    """Turn outcomes into numbers before the clock runs."""
    sample = make_sample(cases)
    return NumericSample(*sample, sample.y.astype(np.float64))


def make_weighted(cases: int) -> WeightedSample:
    """Draw weights between a half and three halves besides."""
    weight = np.random.default_rng(SEED + 1).random(cases) + 0.5
    return WeightedSample(*make_sample(cases), weight)


def make_tallied(cases: int) -> TalliedSample:
    """Tally before the clock runs."""
    sample = make_sample(cases)
    return TalliedSample(*sample, properly.tally(*sample))


def make_framed(cases: int) -> FramedSample:
    """Make a pandas frame before the clock runs."""
    import pandas as pd

    y, p = make_sample(cases)
    return FramedSample(y, p, pd.DataFrame({"y": y, "p": p}))


def make_rivals(cases: int) -> RivalSample:
    """Blur the log-odds of the forecasts, for each of five models more."""
    y, p = make_sample(cases)
    rng = np.random.default_rng(SEED + 2)
    odds = p / (1 - p)
    blurred = (odds * np.exp(0.3 * k * rng.standard_normal(cases)) for k in range(5))
    models = {f"model {k}": x / (1 + x) for k, x in enumerate(blurred)}
    return RivalSample(y, models, {name: properly.tally(y, x) for name, x in models.items()})


def make_nothing(cases: int) -> Any:  # noqa: ARG001
    """Make no data, for what needs none."""
    return None
