"""Mean scores of models on the same cases, and tests of their differences.

The two tests here do not rest on Student's t of independent cases: changes of sign, and that of
Diebold and Mariano.

References
----------
.. [1] F. X. Diebold, R. S. Mariano (1995). Comparing predictive accuracy. Journal of Business &
   Economic Statistics 13:253-263. doi:10.1080/07350015.1995.10524599.
.. [2] D. Harvey, S. Leybourne, P. Newbold (1997). Testing the equality of prediction mean squared
   errors. International Journal of Forecasting 13:281-291. doi:10.1016/S0169-2070(96)00719-4.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Literal, NamedTuple, TypeAlias, TypeGuard

import numpy as np
from array_api_compat import device

from properly._boundary._chunks import LARGE, share_out
from properly._boundary._libraries import (
    count_true,
    infinities,
    is_numpy,
    namespace,
    to_library_of,
    to_numpy,
)
from properly._boundary._tolerances import CANCELLED
from properly.counts._cases import Cases, is_dependent, is_in_place, rows_in_use
from properly.counts._scoring import price
from properly.errors import ArgumentTypeError, DataError
from properly.inference import _variance as variance
from properly.inference._design import Design
from properly.inference._moments import Spread, dot
from properly.rules import BinaryRule, ClassRule
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import Rule, require_binary
from properly.typing import Array, Column

Index: TypeAlias = tuple[int, int]

# Cases of a piece: all models together stay in the cache.
PIECE = 1 << 15
# Up to so many units that differ, all changes of sign are tried.
ALL_SIGNS = 12
# Signs that are drawn at a time.
BATCH = 1 << 22
# Sums of as many terms, in another order, differ by less than this share.
SLACK = 1e-12


class Influences(NamedTuple):
    """What each case has to do with the scores.

    Attributes
    ----------
    influence : numpy array
        A row a model; NaN in those of infinite score.
    design : Design
        The design of the influences.
    """

    influence: Column
    design: Design

    def between(self, pair: Index, ratio: float = 1.0) -> Array:
        """Return the influences of a difference, of the second model multiplied by a ratio."""
        return self.influence[pair[0]] - ratio * self.influence[pair[1]]

    def losses_apart(self, pair: Index, value: Column) -> Column:
        """Return what each case adds to a difference, exactly 0 where losses do not differ.

        Of tensors, only what is not 0 is returned.
        """
        away, weight = self.between(pair), self.design.weight
        xp = namespace(away)
        share = weight / weight.sum() if is_numpy(away) else 1 / len(weight)
        first, second = (float(value[i]) for i in pair)
        result = away + share * (first - second)
        result[xp.abs(result) <= CANCELLED * share * (abs(first) + abs(second))] = 0.0
        return result if is_numpy(result) else to_numpy(result[result != 0])


class PairSums(NamedTuple):
    """What sums alone tell of the differences of pairs.

    Attributes
    ----------
    square : numpy array
        The variance of each difference, found from the differences themselves.
    size : numpy array
        How many times as large a difference is as the root of the sum of its squared terms.
    """

    square: Column
    size: Column


class ModelScores(NamedTuple):
    """What models score, and how far off that may be.

    Attributes
    ----------
    value : numpy array
        The scores, one a model.
    spread : Spread
        The covariance of the scores.
    differing : numpy array
        In how many cases the losses of each pair differ.
    infinite : list of pairs
        How many cases have an infinite loss, and their share of the weight, by model.
    rows : Influences or None
        What each case has to do with the scores.
    paired : PairSums or None
        What is known of the pairs instead, where only sums are left of the cases.
    degrees : list of float or None
        Degrees of freedom of each model's own interval, where they differ from those of pairs.
    """

    value: Column
    spread: Spread
    differing: Column
    infinite: list[tuple[int, float]]
    rows: Influences | None = None
    paired: PairSums | None = None
    degrees: list[float] | None = None


def is_area(rule: object) -> TypeGuard[Literal["auc"]]:
    """Tell whether models are scored by the area under the ROC curve."""
    return isinstance(rule, str) and rule == "auc"


def _check_rule(rule: object, *, classes: bool) -> BinaryRule | ClassRule:
    """Refuse what is no rule, with a hint for its name or its class."""
    if not isinstance(rule, Rule):
        message = f'a comparison needs a rule, or "auc"; got {rule!r}'
        raise ArgumentTypeError(message, hint="write the rule with parentheses, as in Brier().")
    return require_class_rule(rule) if classes else require_binary(rule)


def score_models(
    models: dict[str, Cases], rule: object, design: Design, pairs: tuple[Index, ...]
) -> ModelScores:
    """Price all models, and find the influences of their mean losses.

    It is done piece by piece, so that each piece is read from memory once.
    """
    first = next(iter(models.values()))
    classes = first.classes is not None
    checked = _check_rule(rule, classes=classes)
    y, forecasts, weight = _columns(models, design)
    xp, total, rows = namespace(weight), float(weight.sum()), len(weight)
    loss = xp.empty((len(models), rows), dtype=xp.float64, device=device(weight))

    def first_pass(piece: slice) -> tuple[Column, Column]:
        part = loss[:, piece]
        for row, p in zip(part, forecasts, strict=True):
            row[:] = price(checked, y[piece], p[piece], classes=classes)
        # Some kernels of BLAS raise the flag of an invalid number where a loss is infinite.
        with infinities():
            return dot(part, weight[piece]), _count_differing(part, pairs)

    def second_pass(piece: slice) -> Column:
        part = loss[:, piece]
        # Losses beyond the root of all doubles have no error that could be told.
        with infinities():
            part -= to_library_of(mean, part)[:, None]
            part *= weight[piece] / total
            return dot(part, part)

    # A device wants large steps.
    size = PIECE if is_numpy(weight) else LARGE
    pieces = [slice(i, i + size) for i in range(0, rows, size)]
    result = share_out(first_pass, pieces)
    mean = np.sum([x for x, _ in result], axis=0) / total
    infinite = [
        _endless(row, weight) if endless else (0, 0.0)
        for row, endless in zip(loss, np.isinf(mean), strict=True)
    ]
    constant = [_is_constant(row, m) for row, m in zip(loss, mean, strict=True)]
    squares = np.sum(share_out(second_pass, pieces), axis=0)
    squares[constant], squares[:, constant] = 0.0, 0.0
    for k in np.flatnonzero(constant).tolist():
        loss[k, :] = 0.0
    spread = _spread(loss, squares, design)
    differing = np.sum([x for _, x in result], axis=0)
    return ModelScores(mean, spread, differing, infinite, Influences(loss, design))


def _spread(loss: Column, squares: Column, design: Design) -> Spread:
    """Return variances of means; sums of squares are enough where cases are independent."""
    rows = loss.shape[1]
    if design.cluster is design.stratum is design.time is None and rows > 1:
        # Variances that overflow are NaN.
        squares = np.where(np.isfinite(squares), squares, np.nan)
        return Spread(squares * (rows / (rows - 1)), rows - 1)
    return variance.covariance(loss, design)


def score_areas(models: dict[str, Cases], design: Design, pairs: tuple[Index, ...]) -> ModelScores:
    """Find areas under the ROC curve; of independent cases, the outcomes are strata."""
    cases = next(iter(models.values()))
    if cases.classes is not None:
        message = (
            f"an area under the ROC curve is of one event; these cases have {cases.classes} classes"
        )
        hint = "compare classes by a rule, such as Brier() or RPS()."
        if cases.classes == 2:
            hint = "of two columns, pass that of the event, such as proba[:, 1]."
        raise DataError(message, hint=hint)
    y = rows_in_use(cases).y
    if not 1 < y.sum() < len(y) - 1:
        message = (
            "areas under the ROC curve need two events, and two cases without, to be compared; "
            f"got {int(y.sum())} and {int((~y).sum())}"
        )
        raise DataError(message)
    forecasts, weight = forecasts_of(models), design.weight
    result = share_out(lambda p: variance.placements(y, p, weight), forecasts, 2)
    alone = not is_dependent(cases) and design.stratum is None
    if alone:
        design = design.stratified(y.astype(np.intp))
    value = np.array([area for area, _ in result])
    influence = np.stack([place for _, place in result])
    # Influences are deviations from the area, and may agree though areas differ.
    differing = _count_differing(influence, pairs)
    influence -= value[:, None]
    influence *= variance.shares_of_sides(y, weight)
    infinite = [(0, 0.0)] * len(models)
    rows = Influences(influence, design)
    degrees = [variance.delong_degrees(row, y) for row in influence] if alone else None
    spread = variance.covariance(influence, design)
    return ModelScores(value, spread, differing, infinite, rows, degrees=degrees)


def _columns(models: dict[str, Cases], design: Design) -> tuple[Array, list[Array], Array]:
    """Return outcomes, forecasts by model and weights; tensors without weights stay in place."""
    first = next(iter(models.values()))
    if not is_in_place(first):
        return rows_in_use(first).y, forecasts_of(models), design.weight
    xp = namespace(first.p)
    weight = xp.broadcast_to(xp.ones_like(first.p[:1], dtype=xp.float64), first.p.shape)
    return first.y, [to_library_of(x.p, weight) for x in models.values()], weight


def forecasts_of(models: dict[str, Cases]) -> list[Column]:
    """Return the forecasts of cases of positive weight, by model."""
    used = rows_in_use(next(iter(models.values()))).used
    every = bool(used.all())
    columns = [to_numpy(cases.p) for cases in models.values()]
    return columns if every else [p[used] for p in columns]


def _count_differing(loss: Column, pairs: tuple[Index, ...]) -> Column:
    return np.array([count_true(loss[i] != loss[j]) for i, j in pairs], dtype=np.int64)


def _endless(loss: Column, weight: Column) -> tuple[int, float]:
    """Count infinite losses, and the share of weight that they have."""
    endless = namespace(loss).isinf(loss)
    return count_true(endless), float(weight[endless].sum() / weight.sum())


def _is_constant(loss: Column, mean: float) -> bool:
    """Tell whether all losses are alike but for rounding; most are told apart by the first two."""
    if not np.isfinite(mean) or abs(float(loss[0] - loss[-1])) > CANCELLED * abs(mean):
        return False
    return float(loss.max() - loss.min()) <= CANCELLED * abs(mean)


class LongRun(NamedTuple):
    """The standard error of a mean over a series, and how it was found."""

    error: float
    degrees: float
    method: str


class Signs(NamedTuple):
    """A p-value of changes of sign, and whether none that was drawn reached the sum."""

    p_value: float
    is_bound: bool


def sign_flip(total: Column, replicates: int, rng: np.random.Generator) -> Signs:
    """Return the p-value of a sum, if the sign of each term might as well be the other one.

    It is exact if both models may change places in each case or cluster. All signs are tried if
    the terms that are not 0 are few, else so many are drawn at random, the observed ones among
    them.
    """
    some = total[total != 0]
    least = abs(float(some.sum())) * (1 - SLACK)
    if len(some) <= ALL_SIGNS:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(some))))
        return Signs(float((np.abs(signs @ some) >= least).mean()), is_bound=False)
    reached, step = 0, max(1, BATCH // len(some))
    for start in range(0, replicates, step):
        size = (min(step, replicates - start), len(some))
        signs = rng.integers(0, 2, size, dtype=np.int8)
        # Twice the sum of the positive ones, less the sum of all.
        reached += int((np.abs(2 * (signs @ some) - some.sum()) >= least).sum())
    return Signs((1 + reached) / (1 + replicates), reached == 0)


def long_run(series: Column, horizon: int, *, bartlett: bool = False) -> LongRun:
    r"""Return the standard error of Diebold and Mariano, with its correction for small samples.

    Forecasts h steps ahead depend on one another for h - 1 steps. `series` has one term a time,
    its mean 0, which adds up to the deviation of a mean: the variance is

    .. math:: V = T \Big(\gamma_0 + 2 \sum_{j < h} \gamma_j\Big)
        \Big/ \frac{T + 1 - 2 h + h (h - 1) / T}{T} .

    If it is not positive, autocovariances are multiplied by 1 - j / h.
    """
    times = len(series)
    if horizon >= times:
        message = f"a horizon must be shorter than the series; got {horizon} of {times} times"
        raise DataError(message)
    result = variance.autocovariances(series, horizon - 1)
    taper = 1 - np.arange(horizon) / horizon
    method = "Diebold-Mariano"
    square = result[0] + 2 * result[1:].sum()
    if bartlett or square <= 0:
        square = result[0] + 2 * taper[1:] @ result[1:]
        method += ", Bartlett weights"
    correction = (times + 1 - 2 * horizon + horizon * (horizon - 1) / times) / times
    return LongRun(math.sqrt(max(times * square / correction, 0.0)), times - 1, method)
