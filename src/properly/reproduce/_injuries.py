"""Forecasts of classes, and those of injuries in car crashes, which come with this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly.counts._cases import Cases
from properly.datasets import crash

if TYPE_CHECKING:
    import numpy.typing as npt


class Forecasts(NamedTuple):
    """What happened, the probabilities of all classes, and which cases belong together, if any."""

    y: npt.NDArray[np.int64]
    p: npt.NDArray[np.float64]
    clusters: npt.NDArray[np.int64] | None = None

    @property
    def classes(self) -> int:
        """Number of classes."""
        return int(self.p.shape[1])

    @property
    def likeliest(self) -> npt.NDArray[np.int64]:
        """The likeliest class, the lowest if there are several."""
        found: npt.NDArray[np.int64] = np.argmax(self.p, axis=1)
        return found

    @property
    def accuracy(self) -> float:
        """Share of cases in which it happened."""
        return float(np.mean(self.likeliest == self.y))


def severity() -> Forecasts:
    """Return the injuries that are known, their forecasts, and the accidents they are from."""
    data = crash()
    known = data.severity_known
    return Forecasts(data.severity[known], data.severity_probabilities[known], data.cluster[known])


def severity_cases() -> Cases:
    """Return the same as cases with labels."""
    found, labels = severity(), crash().severity_labels
    return Cases(np.array(labels)[found.y], found.p, labels=labels, clusters=found.clusters)
