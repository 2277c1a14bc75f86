"""How far off the differences of models may be, and whether they could be due to chance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._multiplicity import sup_t_quantile
from properly._paired import long_run, sign_flip
from properly._variance import covariance

if TYPE_CHECKING:
    from properly._scored import Index, Scored
    from properly.rules import Rule

Column: TypeAlias = np.ndarray[Any, Any]
Method: TypeAlias = Literal["auto", "t", "diebold-mariano", "sign-flip"]

# With fewer cases that differ, signs are changed instead of trusting Student's t.
FEW = 20
# A variance this much smaller than those it is the difference of is computed anew.
CANCELLED = 1e-6


@dataclass(frozen=True)
class Asked:
    """What a comparison is to be made by."""

    rule: Rule | Literal["auc"]
    level: float
    method: Method
    horizon: int
    adjust: str
    margin: float | None
    replicates: int
    rng: np.random.Generator

    @property
    def by_area(self) -> bool:
        """Whether areas under the ROC curve are compared."""
        return isinstance(self.rule, str)


@dataclass(frozen=True, eq=False)
class Contest:
    """All that is known of some pairs of models.

    Attributes
    ----------
    pairs : tuple of pairs of int
        The numbers of the models.
    scored : Scored
        What the models score.
    asked : Asked
        What to compare them by.
    """

    pairs: tuple[Index, ...]
    scored: Scored
    asked: Asked

    @property
    def ends(self) -> tuple[Column, Column]:
        """The numbers of the first models, and of the second."""
        first, second = np.array(self.pairs).T
        return first, second

    @property
    def degrees(self) -> float:
        """Degrees of freedom; DeLong's normal has infinitely many."""
        design = self.scored.design
        alone = design.cluster is None and design.time is None
        return math.inf if self.asked.by_area and alone else float(self.scored.spread.degrees)

    def differences(self) -> Column:
        """Subtract the scores; of two infinite ones there is no difference."""
        first, second = self.ends
        with np.errstate(invalid="ignore"):
            found: Column = self.scored.value[first] - self.scored.value[second]
        return found

    def between(self, k: int) -> Column:
        """Return the influences of a difference."""
        i, j = self.pairs[k]
        found: Column = self.scored.influence[i] - self.scored.influence[j]
        return found

    def pair_covariance(self) -> Column:
        """Return the covariance of the differences, from that of the scores."""
        (first, second), c = self.ends, self.scored.spread.covariance

        def part(a: Column, b: Column) -> Column:
            found: Column = c[np.ix_(a, b)]
            return found

        with np.errstate(invalid="ignore"):
            crossed = part(first, second) + part(second, first)
            return np.asarray(part(first, first) + part(second, second) - crossed)


class Margins(NamedTuple):
    """The standard error of each difference, its degrees of freedom, and how it was found."""

    error: Column
    degrees: Column
    methods: list[str]


def margins(contest: Contest) -> Margins:
    """Find how far off each difference may be."""
    asked, design = contest.asked, contest.scored.design
    square = contest.pair_covariance().diagonal().copy()
    alone = np.diagonal(contest.scored.spread.covariance)
    degrees = np.full(len(square), contest.degrees)
    methods = ["DeLong" if asked.by_area else "Student's t"] * len(square)
    for k in np.flatnonzero(~np.isnan(square)).tolist():
        size = sum(alone[i] for i in contest.pairs[k])
        if asked.method == "diebold-mariano":
            run = long_run(design.totals(contest.between(k)[None])[0], asked.horizon)
            square[k], degrees[k], methods[k] = run.error**2, run.degrees, run.method
        elif design.serial == "newey-west-auto" or square[k] < CANCELLED * size:
            # A small difference of large numbers keeps few digits; this way keeps all.
            square[k] = covariance(contest.between(k)[None], design).covariance[0, 0]
    return Margins(np.sqrt(np.maximum(square, 0)), degrees, methods)


def p_values(contest: Contest, found: Margins) -> Column:
    """Test every difference against zero; methods are noted where they are others than asked."""
    from scipy.special import stdtr

    difference, asked, scored = contest.differences(), contest.asked, contest.scored
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(found.degrees, -np.abs(difference / found.error))
    p[~(found.degrees > 0) | ~(found.error > 0)] = np.nan
    p[(scored.differing == 0) & (difference == 0)] = 1.0
    few = (scored.differing < FEW) & (asked.method == "auto") & (scored.design.time is None)
    flip = (few & (not asked.by_area)) | (asked.method == "sign-flip")
    for k in np.flatnonzero(flip & (scored.differing > 0) & np.isfinite(difference)).tolist():
        weight = scored.design.weight
        each = contest.between(k) + weight * (difference[k] / weight.sum())
        p[k] = sign_flip(scored.design.totals(each[None])[0], asked.replicates, asked.rng)
        found.methods[k] = "sign flips"
    return np.asarray(p)


def joint_quantile(contest: Contest) -> float:
    """Return how many standard errors the intervals of all pairs must reach to hold at once."""
    known = contest.pair_covariance()
    finite = np.flatnonzero(~np.isnan(known.diagonal()))
    if not finite.size:
        return math.nan
    asked = contest.asked
    inside = known[np.ix_(finite, finite)]
    return sup_t_quantile(inside, asked.level, contest.degrees, asked.rng)


def ratios(contest: Contest) -> tuple[Column, Column]:
    """Divide the scores, and find the standard errors of these ratios; areas have none."""
    (first, second), scored = contest.ends, contest.scored
    if contest.asked.by_area:
        return np.full(len(first), np.nan), np.full(len(first), np.nan)
    c = contest.scored.spread.covariance
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = scored.value[first] / scored.value[second]
        ratio[~np.isfinite(scored.value[first]) | ~np.isfinite(scored.value[second])] = np.nan
        square = c[first, first] - 2 * ratio * c[first, second] + ratio**2 * c[second, second]
        return ratio, np.sqrt(np.maximum(square, 0)) / np.abs(scored.value[second])


def equivalence(contest: Contest, found: Margins) -> Column:
    """Test whether each difference is as large as the margin, by two one-sided tests."""
    from scipy.special import stdtr

    difference, margin = contest.differences(), contest.asked.margin
    if margin is None:
        return np.full(len(difference), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = (difference + margin, margin - difference)
        p = np.maximum(*(stdtr(found.degrees, -side / found.error) for side in sides))
    p[~(found.error > 0)] = np.nan
    p[(contest.scored.differing == 0) & (difference == 0)] = 0.0
    return np.asarray(p)
