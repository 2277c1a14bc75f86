"""Tests of pairs of models: differences, their standard errors and p-values, and what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._libraries import infinities
from properly._boundary._options import as_generator, check_level
from properly._boundary._tolerances import CANCELLED
from properly.comparison import _differences
from properly.comparison._differences import Index, Influences, ModelScores, Signs
from properly.comparison._pairs import Comparison
from properly.counts._cases import Cases
from properly.counts._scoring import unit_of
from properly.errors import DataError
from properly.inference._auc import logit_interval
from properly.inference._averages import Estimate, about_design, warn_of_clusters, warn_of_few
from properly.inference._design import Design, Serial
from properly.inference._intervals import loss_range, within_range
from properly.inference._multiplicity import MaxT, bonferroni, holm, max_t_of_pairs
from properly.inference._variance import covariance
from properly.rules import Rule
from properly.typing import Column

Method: TypeAlias = Literal["auto", "t", "diebold-mariano", "sign-flip"]
Adjust: TypeAlias = Literal["max-t", "none"]
Missing: TypeAlias = Literal["refuse", "complete", "pairwise", "two-way"]

# With fewer cases that differ, signs are changed instead of trusting Student's t.
FEW = 20
# A variance this much smaller than those it is the difference of is computed anew.
RECOMPUTED = 1e-6
# Changes of sign that are drawn.
REPLICATES = 1999


@dataclass(frozen=True)
class Options:
    """What a comparison is to be made by."""

    rule: Rule | Literal["auc"]
    level: float
    rng: np.random.Generator
    method: Method = "auto"
    horizon: int = 1
    adjust: str = "max-t"
    margin: float | None = None
    replicates: int = REPLICATES

    @classmethod
    def of(cls, rule: Any, level: float, rng: Any = None, **others: Any) -> Options:
        """Check the confidence level, and make a generator of a seed."""
        return cls(rule, check_level(level), as_generator(rng), **others)

    @property
    def by_area(self) -> bool:
        """Whether areas under the ROC curve are compared."""
        return isinstance(self.rule, str)


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of models, the pairs to compare, and by what.

    Attributes
    ----------
    pairs : tuple of pairs of int
        The numbers of the models.
    scored : ModelScores
        What the models score.
    options : Options
        What to compare them by.
    """

    pairs: tuple[Index, ...]
    scored: ModelScores
    options: Options

    @cached_property
    def ends(self) -> tuple[Column, Column]:
        """The numbers of the first models, and of the second."""
        first, second = np.array(self.pairs, dtype=np.intp).reshape(-1, 2).T.copy()
        return first, second

    @property
    def degrees(self) -> float:
        """Degrees of freedom; DeLong's normal has infinitely many."""
        rows = self.scored.rows
        alone = rows is None or (rows.design.cluster is None and rows.design.time is None)
        return math.inf if self.options.by_area and alone else float(self.scored.spread.degrees)

    def differences(self) -> Column:
        """Subtract the scores: NaN if both are infinite, exactly 0 if no case differs.

        Means of the same losses may differ by rounding, which depends on the library.
        """
        first, second = self.ends
        with infinities():
            result: Column = self.scored.value[first] - self.scored.value[second]
        result[(self.scored.differing == 0) & np.isfinite(result)] = 0.0
        return result

    def squared_errors(self) -> Column:
        """Return the variances of the differences, from the covariance of the scores."""
        (first, second), c = self.ends, self.scored.spread.covariance
        with infinities():
            square = c[first, first] + c[second, second] - 2 * c[first, second]
        return np.where(np.isinf(square), np.nan, square)


class Margins(NamedTuple):
    """The standard error of each difference, its degrees of freedom, and how it was found."""

    error: Column
    degrees: Column
    methods: list[str]


def margins(pairs: PairScores) -> Margins:
    """Find the standard errors of differences, from the cases where scores alone lose digits."""
    scored, square = pairs.scored, pairs.squared_errors()
    degrees = np.full(len(square), pairs.degrees)
    methods = ["DeLong" if pairs.options.by_area else "Student's t"] * len(square)
    if scored.paired is not None:
        square = scored.paired.square
    if scored.rows is not None:
        _look_closer(pairs, scored.rows, square, degrees, methods)
    error = np.sqrt(np.maximum(square, 0))
    # What differs by the same amount in all cases varies by rounding alone.
    first, second = (np.abs(scored.value[x]) for x in pairs.ends)
    with infinities():
        error[error <= CANCELLED * (first + second)] = 0.0
    return Margins(error, degrees, methods)


def _look_closer(
    pairs: PairScores, rows: Influences, square: Column, degrees: Column, methods: list[str]
) -> None:
    """Find from the cases those variances that the covariance of scores does not give."""
    options, design = pairs.options, rows.design
    alone = np.diagonal(pairs.scored.spread.covariance)
    by_lags = options.method == "diebold-mariano"
    # A small difference of large numbers keeps few digits; this way keeps all.
    closer = square < RECOMPUTED * sum(alone[x] for x in pairs.ends)
    # In a panel, a difference has a variance of its own.
    if by_lags or design.serial == "newey-west-auto" or design.is_panel:
        closer = ~np.isnan(square)
    for k in np.flatnonzero(closer).tolist():
        away = rows.between(pairs.pairs[k])[None]
        if by_lags:
            run = _differences.long_run(design.totals(away)[0], options.horizon)
            square[k], degrees[k], methods[k] = run.error**2, run.degrees, run.method
        else:
            square[k] = covariance(away, design).covariance[0, 0]


class PairNumbers(NamedTuple):
    """What is known of each pair before the number of pairs is allowed for.

    Attributes
    ----------
    pairs : sequence of pairs of int
        The numbers of the two models.
    difference, standard_error, degrees, methods
        The difference, its standard error, degrees of freedom, and how these were found.
    p_value, p_is_bound : array
        Of no difference, by the method of each pair; whether the p-value is at most this.
    student : array
        The p-value by Student's t, which agrees with the interval.
    ratio, ratio_error, equivalence_p_value, differing : array
        The ratio of scores with its standard error, the p-value of a difference as large as the
        margin, and how many cases differ.
    """

    pairs: Sequence[Index]
    difference: Column
    standard_error: Column
    degrees: Column
    methods: Sequence[str]
    p_value: Column
    p_is_bound: Column
    student: Column
    ratio: Column
    ratio_error: Column
    equivalence_p_value: Column
    differing: Column


def find_numbers(pairs: PairScores, margin: Margins) -> PairNumbers:
    """Test every difference against zero; methods are noted where they are others than asked."""
    difference, options, scored = pairs.differences(), pairs.options, pairs.scored
    error, degrees, methods = margin
    student = student_p(difference, error, degrees, scored.differing)
    p, is_bound = student.copy(), np.zeros(len(student), dtype=bool)
    timed = scored.rows is not None and scored.rows.design.time is not None
    few = (scored.differing < FEW) & (options.method == "auto") & (not timed)
    flip = (few & (not options.by_area)) | (options.method == "sign-flip")
    for k in np.flatnonzero(flip & (scored.differing > 0) & np.isfinite(difference)).tolist():
        (p[k], is_bound[k]), methods[k] = _of_signs(pairs, k)
    equal = within_margin(difference, error, degrees, options.margin)
    if options.margin is not None:
        equal[(scored.differing == 0) & (difference == 0)] = 0.0
    return PairNumbers(
        pairs.pairs,
        difference,
        *margin,
        *(p, is_bound, student),
        *ratios(pairs),
        equal,
        scored.differing,
    )


def student_p(
    difference: Column, error: Column, degrees: Column | float, differing: Column
) -> Column:
    """Test differences against zero by Student's t; what never differs has a p-value of 1."""
    from scipy.special import stdtr

    with infinities():
        p = 2 * stdtr(degrees, -np.abs(difference / error))
    p[~((degrees > 0) & (error > 0))] = np.nan
    p[(differing == 0) & (difference == 0)] = 1.0
    return np.asarray(p)


def _of_signs(pairs: PairScores, k: int) -> tuple[Signs, str]:
    """Change signs at random; without the cases, bound what that would have given."""
    scored, options = pairs.scored, pairs.options
    if scored.rows is not None:
        apart = scored.rows.losses_apart(pairs.pairs[k], scored.value)
        total = scored.rows.design.totals(apart[None])[0]
        return _differences.sign_flip(total, options.replicates, options.rng), "sign flips"
    size = math.nan if scored.paired is None else float(scored.paired.size[k])
    return Signs(float(most_signs(size)), is_bound=True), "sign flips, bounded"


def most_signs(size: Column | float) -> Column:
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

    return np.asarray(np.minimum(ndtr(-np.abs(size)) / (2 * ndtr(-math.sqrt(2))), 1.0))


def adjustment(pairs: PairScores, margin: Margins) -> MaxT:
    """Return what adjusts for the number of pairs."""
    if pairs.options.adjust == "none":
        return bonferroni(1)
    errors = np.sqrt(np.maximum(pairs.squared_errors(), 0))
    errors[~(margin.error > 0)] = 0.0
    spread, rng = pairs.scored.spread, pairs.options.rng
    return max_t_of_pairs(spread.covariance, pairs.ends, errors, margin.degrees, rng)


def ratios(pairs: PairScores) -> tuple[Column, Column]:
    """Divide the scores, and find the standard errors of these ratios; areas have none."""
    (first, second), scored, c = pairs.ends, pairs.scored, pairs.scored.spread.covariance
    if pairs.options.by_area:
        return np.full(len(first), np.nan), np.full(len(first), np.nan)
    ratio, square = ratios_of(scored.value, c, pairs.ends)
    with infinities():
        if scored.paired is not None:
            # The same, by the variance of the difference, which keeps all its digits.
            rest = (1 - ratio) * (c[first, first] - ratio * c[second, second])
            square = rest + ratio * scored.paired.square
        elif scored.rows is not None and scored.rows.design.is_panel:
            for k in np.flatnonzero(np.isfinite(ratio)).tolist():
                apart = scored.rows.between(pairs.pairs[k], float(ratio[k]))[None]
                square[k] = covariance(apart, scored.rows.design).covariance[0, 0]
        return ratio, np.sqrt(np.maximum(square, 0)) / np.abs(scored.value[second])


def ratios_of(value: Column, c: Column, ends: tuple[Column, Column]) -> tuple[Column, Column]:
    """Divide finite scores, and return what the variances of the ratios are, times the divisor's.

    `c` is the covariance of the scores.
    """
    first, second = ends
    with infinities():
        ratio = value[first] / value[second]
        ratio[~np.isfinite(value[first]) | ~np.isfinite(value[second])] = np.nan
        square = c[first, first] - 2 * ratio * c[first, second] + ratio**2 * c[second, second]
    return ratio, square


def within_margin(
    difference: Column, error: Column, degrees: Column, margin: float | None
) -> Column:
    """Return p-values of differences as large as the margin; NaN without one."""
    from scipy.special import stdtr

    if margin is None:
        return np.full(len(difference), np.nan)
    with infinities():
        sides = (difference + margin, margin - difference)
        p = np.maximum(*(stdtr(degrees, -side / error) for side in sides))
    p[~(error > 0)] = np.nan
    return np.asarray(p)


def compare_models(
    models: dict[str, Cases],
    options: Options,
    reference: str | None = None,
    serial: Serial = "cosines",
) -> Comparison:
    """Score models whose cases are checked already, pair them, and say what the design allows."""
    cases = next(iter(models.values()))
    design = Design.of(cases, serial)
    pairs = score_pairs(models, options, as_pairs(tuple(models), reference), design)
    warn_of_few(cases)
    warn_of_clusters(design)
    rule, bounds = options.rule, (0.0, 1.0)
    if not isinstance(rule, str):
        bounds = loss_range(rule, cases.classes)
    return compared(tuple(models), pairs, about_design(design), bounds)


def score_pairs(
    models: dict[str, Cases], options: Options, pairs: tuple[Index, ...], design: Design
) -> PairScores:
    """Score models by a rule, or by the area under the ROC curve."""
    if _differences.is_area(options.rule):
        return PairScores(pairs, _differences.score_areas(models, design, pairs), options)
    return PairScores(
        pairs, _differences.score_models(models, options.rule, design, pairs), options
    )


def as_pairs(models: tuple[str, ...], reference: str | None) -> tuple[Index, ...]:
    """Say which models to compare, by their numbers."""
    if reference is None:
        return tuple(combinations(range(len(models)), 2))
    if str(reference) not in models:
        message = f"a reference is the name of a model; got {reference!r}"
        raise DataError(message, hint=f"models: {', '.join(map(repr, models))}.")
    last = models.index(str(reference))
    return tuple((i, last) for i in range(len(models)) if i != last)


def compared(
    names: tuple[str, ...], pairs: PairScores, about: dict[str, Any], bounds: tuple[float, float]
) -> Comparison:
    """Put the comparison of all pairs together, from scores without gaps."""
    margin = margins(pairs)
    family, numbers = adjustment(pairs, margin), find_numbers(pairs, margin)
    scores = _estimates(names, pairs, about, bounds)
    return put_together(names, numbers, family, pairs.options, scores=scores, **about)


def put_together(
    names: tuple[str, ...], numbers: PairNumbers, family: MaxT, options: Options, **about: Any
) -> Comparison:
    """Allow for the number of pairs, and gather everything; `about` has the other fields.

    A simultaneous interval is Student's. It is extended to zero where flips of signs do not reject.
    """
    fields, level = numbers._asdict(), options.level
    degrees, student = fields.pop("degrees"), fields.pop("student")
    error, equal = numbers.standard_error, numbers.equivalence_p_value
    # Where signs are flipped, both tests must reject.
    adjusted = family.adjust(np.maximum(numbers.p_value, student))
    alone, each = (student_quantiles(degrees, x) for x in (level, family.level_of_each(level)))
    ends, some = around(numbers.difference, each, error), adjusted > 1 - level
    ends[some, 0], ends[some, 1] = ends[some, 0].clip(max=0), ends[some, 1].clip(min=0)
    fields |= {
        "pairs": tuple((names[i], names[j]) for i, j in numbers.pairs),
        "methods": tuple(map(str, numbers.methods)),
        "degrees": float(degrees.min(initial=np.inf)),
    }
    return Comparison(
        models=names,
        interval=around(numbers.difference, alone, error),
        adjusted_p_value=adjusted,
        adjusted_p_is_bound=numbers.p_is_bound & (numbers.p_value > student),
        simultaneous=ends,
        ratio_interval=around_ratio(numbers.ratio, alone, numbers.ratio_error),
        adjusted_equivalence_p_value=equal.copy() if options.adjust == "none" else holm(equal),
        level=level,
        margin=options.margin,
        rule="auc" if isinstance(options.rule, str) else options.rule.name,
        unit="AUC" if isinstance(options.rule, str) else unit_of(options.rule),
        adjust=options.adjust,
        higher_is_better=options.by_area,
        **(fields | about),
    )


def student_quantiles(degrees: Column, level: float) -> Column:
    """Return quantiles of Student's t, NaN without a degree of freedom."""
    from scipy.special import stdtrit

    # Pairs mostly have the same degrees of freedom, and a quantile takes its time.
    some, place = np.unique(degrees, return_inverse=True)
    quantile = np.where(some > 0, stdtrit(np.maximum(some, 1), (1 + level) / 2), np.nan)
    return np.asarray(quantile[place])


def around(middle: Column, quantile: Column, error: Column) -> Column:
    """Reach as many standard errors either side; one end of an infinite difference is known."""
    half = np.where(error > 0, quantile * error, np.nan)
    result = np.stack([middle - half, middle + half], axis=1)
    result[middle == math.inf, 1] = math.inf
    result[middle == -math.inf, 0] = -math.inf
    return result


def around_ratio(ratio: Column, quantile: Column, error: Column) -> Column:
    """Do the same on the scale of logarithms."""
    with infinities():
        factor = np.exp(quantile * error / ratio)
        result = np.stack([ratio / factor, ratio * factor], axis=1)
    result[~(error > 0)] = np.nan
    return result


def _estimates(
    names: tuple[str, ...], pairs: PairScores, about: dict[str, Any], bounds: tuple[float, float]
) -> dict[str, Estimate]:
    """Return the score of each model, with an interval inside the range of the losses."""
    level, scored = pairs.options.level, pairs.scored
    own = scored.degrees or [pairs.degrees] * len(scored.value)
    quantiles = student_quantiles(np.array(own), level)
    result = {}
    for k, error in enumerate(pairs.scored.spread.errors.tolist()):
        value, (count, share) = float(scored.value[k]), scored.infinite[k]
        quantile = quantiles[k]
        if pairs.options.by_area:
            ends, method = logit_interval(value, error, quantile), "DeLong, logit"
        else:
            low, high = around(np.array([value]), quantile, np.array([error]))[0].tolist()
            ends, method = within_range((low, high), bounds, value), "Student's t"
        result[names[k]] = Estimate(
            value, error, ends, level, own[k], method, **about,
            infinite_cases=count, infinite_share=share,
        )  # fmt: skip
    return result
