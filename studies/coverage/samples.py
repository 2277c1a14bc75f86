"""Samples that more than one part of the coverage study draws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.special import ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

# Clusters, and the correlation of the normal variables behind their outcomes. Where the event has
# probability one half, the outcomes then have the correlation 2 / pi * asin(0.309) = 0.2.
CLUSTERS, MEMBERS, LATENT = 50, 20, math.sin(0.1 * math.pi)


def cluster_labels() -> NDArray[Any]:
    """Number the clusters, once a member."""
    return np.repeat(np.arange(CLUSTERS), MEMBERS)


def in_clusters(rng: np.random.Generator) -> Numbers:
    """Draw numbers that are alike within these clusters."""
    return alike(cluster_labels(), rng)


def alike(label: NDArray[Any], rng: np.random.Generator) -> Numbers:
    """Draw numbers that are alike within clusters, and uniform each by itself.

    An outcome that is an event if its number is below some probability then has that probability.
    """
    common, own = rng.standard_normal(label.max() + 1)[label], rng.standard_normal(len(label))
    uniform: Numbers = ndtr(math.sqrt(LATENT) * common + math.sqrt(1 - LATENT) * own)
    return uniform
