"""How far off the differences of models may be, and whether they could be due to chance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly.comparison._paired import long_run, sign_flip
from properly.inference._multiplicity import sup_t_of_pairs
from properly.inference._variance import covariance

if TYPE_CHECKING:
    from properly.comparison._scored import Index, Influences, Scored
    from properly.rules import Rule

Column: TypeAlias = np.ndarray[Any, Any]
Method: TypeAlias = Literal["auto", "t", "diebold-mariano", "sign-flip"]

# With fewer cases that differ, signs are changed instead of trusting Student's t.
FEW = 20
# A variance this much smaller than those it is the difference of is computed anew.
CANCELLED = 1e-6
ROUNDING = 1e-14


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
        rows = self.scored.rows
        alone = rows is None or (rows.design.cluster is None and rows.design.time is None)
        return math.inf if self.asked.by_area and alone else float(self.scored.spread.degrees)

    def differences(self) -> Column:
        """Subtract the scores; of two infinite ones there is no difference."""
        first, second = self.ends
        with np.errstate(invalid="ignore"):
            found: Column = self.scored.value[first] - self.scored.value[second]
        return found

    def squared_errors(self) -> Column:
        """Return the variances of the differences, from the covariance of the scores."""
        (first, second), c = self.ends, self.scored.spread.covariance
        with np.errstate(invalid="ignore"):
            return np.asarray(c[first, first] + c[second, second] - 2 * c[first, second])


class Margins(NamedTuple):
    """The standard error of each difference, its degrees of freedom, and how it was found."""

    error: Column
    degrees: Column
    methods: list[str]


def margins(contest: Contest) -> Margins:
    """Find how far off each difference may be."""
    scored, square = contest.scored, contest.squared_errors()
    degrees = np.full(len(square), contest.degrees)
    methods = ["DeLong" if contest.asked.by_area else "Student's t"] * len(square)
    if scored.paired is not None:
        square = scored.paired.square
    if scored.rows is not None:
        _look_closer(contest, scored.rows, square, degrees, methods)
    error = np.sqrt(np.maximum(square, 0))
    # What differs by the same amount in all cases varies by rounding alone.
    first, second = (np.abs(scored.value[x]) for x in contest.ends)
    with np.errstate(invalid="ignore"):
        error[error <= ROUNDING * (first + second)] = 0.0
    return Margins(error, degrees, methods)


def _look_closer(
    contest: Contest, rows: Influences, square: Column, degrees: Column, methods: list[str]
) -> None:
    """Find from the cases those variances that the covariance of scores does not tell."""
    asked, design = contest.asked, rows.design
    alone = np.diagonal(contest.scored.spread.covariance)
    for k in np.flatnonzero(~np.isnan(square)).tolist():
        pair = contest.pairs[k]
        size = sum(alone[i] for i in pair)
        if asked.method == "diebold-mariano":
            run = long_run(design.totals(rows.between(pair)[None])[0], asked.horizon)
            square[k], degrees[k], methods[k] = run.error**2, run.degrees, run.method
        elif design.serial == "newey-west-auto" or square[k] < CANCELLED * size:
            # A small difference of large numbers keeps few digits; this way keeps all.
            square[k] = covariance(rows.between(pair)[None], design).covariance[0, 0]


def p_values(contest: Contest, found: Margins) -> Column:
    """Test every difference against zero; methods are noted where they are others than asked."""
    from scipy.special import stdtr

    difference, asked, scored = contest.differences(), contest.asked, contest.scored
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(found.degrees, -np.abs(difference / found.error))
    p[~(found.degrees > 0) | ~(found.error > 0)] = np.nan
    p[(scored.differing == 0) & (difference == 0)] = 1.0
    timed = scored.rows is not None and scored.rows.design.time is not None
    few = (scored.differing < FEW) & (asked.method == "auto") & (not timed)
    flip = (few & (not asked.by_area)) | (asked.method == "sign-flip")
    for k in np.flatnonzero(flip & (scored.differing > 0) & np.isfinite(difference)).tolist():
        p[k], found.methods[k] = _of_signs(contest, k)
    return np.asarray(p)


def _of_signs(contest: Contest, k: int) -> tuple[float, str]:
    """Change signs at random; without the cases, bound what that would have given."""
    scored, asked = contest.scored, contest.asked
    if scored.rows is not None:
        apart = scored.rows.losses_apart(contest.pairs[k], scored.value)
        total = scored.rows.design.totals(apart[None])[0]
        return sign_flip(total, asked.replicates, asked.rng), "sign flips"
    size = math.nan if scored.paired is None else float(scored.paired.size[k])
    return most_signs(size), "sign flips, bounded"


def most_signs(size: float) -> float:
    r"""Bound the p-value of changes of sign, given only how large a sum is.

    If the sum of terms d is x times the root of the sum of their squares, then at most the share
    :math:`2 c\, \Phi(-|x|)` of all changes of sign make it as large, whatever the terms, with
    :math:`1 / c = 4\, \Phi(-\sqrt 2)` [1]_.

    References
    ----------
    .. [1] V. K. Bentkus, D. Dzindzalieta (2015). A tight Gaussian bound for weighted sums of
       Rademacher random variables. Bernoulli 21:1231-1237. `doi:10.3150/14-BEJ603
       <https://doi.org/10.3150/14-BEJ603>`__
    """
    from scipy.special import ndtr

    return float(np.minimum(ndtr(-abs(size)) / (2 * ndtr(-math.sqrt(2))), 1.0))


def joint_quantile(contest: Contest, found: Margins) -> float:
    """Return how many standard errors the intervals of all pairs must reach to hold at once."""
    errors = np.sqrt(np.maximum(contest.squared_errors(), 0))
    errors[~(found.error > 0)] = 0.0
    return sup_t_of_pairs(
        contest.scored.spread.covariance,
        contest.ends,
        errors,
        level=contest.asked.level,
        degrees=float(found.degrees.min()),
        rng=contest.asked.rng,
    )


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
        if scored.paired is not None:
            # The same, by the variance of the difference, which keeps all its digits.
            rest = (1 - ratio) * (c[first, first] - ratio * c[second, second])
            square = rest + ratio * scored.paired.square
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
