"""Scores, skills and comparisons from sums alone, as the rows would give them.

A mean loss is a ratio of two sums, and its variance depends on the rows only through sums of
squares and of products. Losses that vary by less than 3e-7 of their mean are taken as all alike:
their squares differ by rounding alone. The variance of a difference comes from the squares of the
paired differences, and keeps its digits however small that is.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._notices import notice
from properly._boundary._options import as_generator, check_level
from properly._boundary._text import many
from properly.comparison._differences import ModelScores, PairSums
from properly.comparison._pair_tests import Options, PairScores, compared
from properly.counts._scoring import price
from properly.errors import DataError, ImproperRuleError
from properly.inference._intervals import (
    around_mean,
    around_ratio,
    estimate_of,
    loss_range,
    within_range,
)
from properly.inference._means import FEW, Averages, counted, warn_of_effective
from properly.inference._moments import Spread
from properly.inference._shares import student
from properly.inference._variance import in_reach

if TYPE_CHECKING:
    from properly.comparison._pairs import Comparison
    from properly.engines._score_sums import ScoreSums
    from properly.inference._estimate import Estimate
    from properly.rules import Rule
    from properly.typing import Column


# A variance this much smaller than the mean square is what rounding the squares left.
CANCELLED = 1e-13


class _Amount(NamedTuple):
    """What units add to a mean: the sum, and sums of products with weights and with itself."""

    total: float
    weighted: float
    squares: float


def score_of(sums: ScoreSums, model: str, rule: Rule, level: float = 0.95) -> Estimate:
    """Say how far off a mean score may be, as `properly.score_interval` does of the rows.

    Parameters
    ----------
    sums : ScoreSums
        Of independent cases, or of clusters.
    model : str
        One of the models.
    rule : Rule
        One of the rules.
    level : float
        How sure to be.

    Examples
    --------
    >>> import numpy as np
    >>> from properly.evaluation._summed_scores import score_of
    >>> from properly.engines._score_sums import ScoreSums
    >>> from properly.rules import Brier
    >>> y = np.arange(100) % 4 == 0
    >>> sums = ScoreSums.of_rows(["a"], [Brier()], y, {"a": np.where(y, 0.5, 0.25)}, None)
    >>> print(score_of(sums, "a", Brier()))
    0.1094 (95 % interval 0.09318 to 0.1256; 100 independent cases)
    """
    level, r, j = check_level(level), _rule_number(sums, rule), _model_number(sums, model)
    moments = _moments(sums, r, j, with_reference=False)
    value, error = float(moments.mean[0]), float(moments.spread.errors[0])
    bounds = loss_range(rule, sums.classes)
    interval = within_range(around_mean(value, moments, level), bounds, value)
    return estimate_of(moments, (value, error), interval, level, "Student's t")


def skill_of(sums: ScoreSums, model: str, rule: Rule, level: float = 0.95) -> Estimate:
    """Say how far off a skill may be, as `properly.inference.skill_interval` does of the rows.

    The reference is the event rate, or the shares of the classes. Sums over clusters do not tell
    how the losses of several classes go together with those of the reference: there is then no
    interval, and `method` says so.

    Parameters
    ----------
    sums, model, rule, level
        As in `score_of`.

    Examples
    --------
    >>> import numpy as np
    >>> from properly.evaluation._summed_scores import skill_of
    >>> from properly.engines._score_sums import ScoreSums
    >>> from properly.rules import Brier
    >>> y = np.arange(100) % 4 == 0
    >>> sums = ScoreSums.of_rows(["a"], [Brier()], y, {"a": np.where(y, 0.5, 0.25)}, None)
    >>> print(skill_of(sums, "a", Brier()))
    0.4167 (95 % interval 0.3667 to 0.4627; 100 independent cases)
    """
    level, r, j = check_level(level), _rule_number(sums, rule), _model_number(sums, model)
    if not rule.is_proper:
        message = (
            f"without a reference, the skill of an improper rule has no interval; got {rule!r}"
        )
        raise ImproperRuleError(message)
    moments = _moments(sums, r, j, with_reference=True)
    ratio, error = moments.ratio()
    interval = around_ratio(ratio, error, student(moments.spread.degrees, level))
    method = "log ratio"
    if sums.clustered and sums.classes is not None:
        method = "no interval: sums of clusters do not tell that of classes"
    elif not math.isfinite(moments.mean[1]):
        method = "the reference has an infinite score"
    return estimate_of(moments, (1 - ratio, error), interval, level, method)


def _moments(sums: ScoreSums, r: int, j: int, *, with_reference: bool) -> Averages:
    """Average a loss, and that of the best constant beside it; warn of few cases."""
    warn_of_sums(sums)
    value, variance, infinite = _score(sums, r, j)
    mean, squares = [value], [[variance]]
    if with_reference:
        best, square, product = _reference(sums, r, j)
        mean, squares = [value, best], [[variance, product], [product, square]]
    return Averages(np.array(mean), _spread(sums, np.array(squares)), _about(sums), infinite)


def compare_sums(
    sums: ScoreSums,
    rule: Rule,
    *,
    level: float = 0.95,
    rng: int | np.random.Generator | None = None,
) -> Comparison:
    """Compare all pairs of models, as `properly.compare` does of the rows.

    Parameters
    ----------
    sums : ScoreSums
        Of independent cases, or of clusters.
    rule : Rule
        One of the rules.
    level : float
        How sure to be.
    rng : int or numpy Generator, optional
        Seed or source of the randomness, for simultaneous intervals.

    Notes
    -----
    Where fewer than 20 cases differ, Student's t is not trusted, and the signs of rows that are no
    longer there cannot be changed. The p-value is then an upper bound of what changes of sign
    would give, whatever the rows; `methods` calls it ``"sign flips, bounded"``.

    Examples
    --------
    >>> import numpy as np
    >>> from properly.evaluation._summed_scores import compare_sums
    >>> from properly.engines._score_sums import ScoreSums
    >>> from properly.rules import Brier
    >>> y = np.arange(100) % 4 == 0
    >>> forecasts = {"a": np.where(y, 0.5, 0.25), "b": np.full(100, 0.5)}
    >>> sums = ScoreSums.of_rows(["a", "b"], [Brier()], y, forecasts, None)
    >>> print(compare_sums(sums, Brier()))
    a is better than b by 0.1406 Brier (95 % interval 0.1244 to 0.1568).
    """
    level, r = check_level(level), _rule_number(sums, rule)
    if len(sums.models) < 2:
        message = f"there must be at least 2 models to compare; got {len(sums.models)}"
        raise DataError(message)
    warn_of_sums(sums)
    pairs = tuple(combinations(range(len(sums.models)), 2))
    scores = PairScores(pairs, _scored(sums, r, pairs), Options(rule, level, as_generator(rng)))
    return compared(sums.models, scores, _about(sums), loss_range(rule, sums.classes))


def warn_of_sums(sums: ScoreSums) -> None:
    """Warn of few cases, and of few clusters, in the words used of rows."""
    weight, squares = sums.totals["weight",], sums.totals["row_squares",]
    kinds = {"case": _effective(weight, squares)}
    if sums.classes is None:
        event, own = sums.totals["event",], sums.totals["event_squares",]
        others = _effective(weight - event, squares - own)
        kinds = {"event": _effective(event, own), "case without it": others}
    if min(kinds.values()) < FEW:
        sizes = " and ".join(counted(count, what) for what, count in kinds.items())
        notice(f"with {sizes}, intervals may cover less than their level")
    if sums.clustered:
        units = int(sums.totals["units",])
        warn_of_effective(units, _effective(weight, sums.totals["weight2",]))


def _rule_number(sums: ScoreSums, rule: Rule) -> int:
    """Find a rule by what is written; refuse one that was not priced by, and sums of no rows."""
    written = [repr(summed) for summed in sums.rules]
    if repr(rule) not in written:
        message = f"the rule must be one of those summed, {', '.join(written)}; got {rule!r}"
        raise DataError(message)
    if not sums.totals["weight",]:
        message = "a score needs at least one case of positive weight; these sums have none"
        raise DataError(message)
    return written.index(repr(rule))


def _model_number(sums: ScoreSums, model: str) -> int:
    if model not in sums.models:
        names = ", ".join(map(repr, sums.models))
        message = f"the model must be one of those summed, {names}; got {model!r}"
        raise DataError(message)
    return sums.models.index(model)


def _effective(weight: float, squares: float) -> float:
    """Return how many cases of equal weight would say as much."""
    return weight**2 / squares if squares > 0 else 0.0


def _about(sums: ScoreSums) -> dict[str, Any]:
    """Say how cases were sampled, how many there are, and how many of equal weight say as much."""
    totals = sums.totals
    units = many(int(totals["units",]), "cluster" if sums.clustered else "independent case")
    worth = _effective(totals["weight",], totals["row_squares",])
    return {"design": units, "cases": int(totals["rows",]), "effective_cases": worth}


def _spread(sums: ScoreSums, squares: Column) -> Spread:
    """Make a covariance of sums of squared influences; a single unit does not vary."""
    units = sums.totals["units",]
    if units < 2:
        return Spread(np.full_like(squares, np.nan), 0)
    if ("corrected4",) not in sums.totals:
        return in_reach(Spread(squares * (units / (units - 1)), units - 1))
    # As `properly.inference._design.correction_of` does.
    total = sums.totals["weight",]
    share, lost = (sums.totals[name,] / total**2 for name in ("weight2", "corrected2"))
    cubes = sums.totals["corrected4",] / total**4
    return in_reach(Spread(squares, 1 / (share + lost**2 - cubes)))


def _weight2(sums: ScoreSums) -> str:
    """Name the squares of weights that belong to the other squares and products."""
    return "corrected2" if ("corrected2",) in sums.totals else "weight2"


def _own(sums: ScoreSums, r: int, j: int) -> _Amount:
    return _Amount(*(sums.totals[name, r, j] for name in ("loss", "loss_weight", "loss2")))


def _between(sums: ScoreSums, r: int, j: int, k: int) -> _Amount:
    """Subtract the losses of one model from those of another; squares were taken afterwards."""
    first, second = _own(sums, r, j), _own(sums, r, k)
    squares = sums.totals["apart2", r, j, k]
    return _Amount(first.total - second.total, first.weighted - second.weighted, squares)


def _centred(sums: ScoreSums, one: _Amount, other: _Amount, product: float) -> float:
    """Add up the products of two influences, given the sum of products of the amounts."""
    weight, weight2 = sums.totals["weight",], sums.totals[_weight2(sums),]
    mean, others = one.total / weight, other.total / weight
    crossed = mean * other.weighted + others * one.weighted
    return (product - crossed + mean * others * weight2) / weight**2


def _varied(sums: ScoreSums, amount: _Amount) -> float:
    """Add up squared influences; what rounding left of squares is nothing."""
    variation, squares = _centred(sums, amount, amount, amount.squares), amount.squares
    size = squares / sums.totals["weight",] ** 2
    return variation if variation > CANCELLED * size else 0.0


def _score(sums: ScoreSums, r: int, j: int) -> tuple[float, float, tuple[int, float]]:
    """Return a mean loss, the sum of its squared influences, and how much of it is infinite."""
    own, count = _own(sums, r, j), int(sums.totals["infinite", r, j])
    share = sums.mean("infinite_weight", r, j)
    if count or share > 0:
        low, high = sums.rules[r].range
        endless = -math.inf if math.isinf(low) and not math.isinf(high) else math.inf
        return endless, math.nan, (count, share)
    return sums.mean("loss", r, j), _varied(sums, own), (0, 0.0)


def _scored(sums: ScoreSums, r: int, pairs: tuple[tuple[int, int], ...]) -> ModelScores:
    """Score all models, and find how far apart they are in the same units."""
    value, alone, infinite = zip(
        *(_score(sums, r, j) for j in range(len(sums.models))), strict=True
    )
    joint = np.diag(alone)
    square, size = np.empty((2, len(pairs)))
    for n, (j, k) in enumerate(pairs):
        apart = _between(sums, r, j, k)
        finite = math.isfinite(value[j]) and math.isfinite(value[k])
        square[n] = _varied(sums, apart) if finite else math.nan
        size[n] = _times_root(apart)
        vary = alone[j] > 0 and alone[k] > 0
        both = (alone[j] + alone[k] - square[n]) / 2
        joint[j, k] = joint[k, j] = both if vary or not finite else 0.0
    differing = np.array([sums.totals["differing", r, j, k] for j, k in pairs], dtype=np.int64)
    spread = _spread(sums, joint)
    paired = PairSums(_spread(sums, np.diag(square)).covariance.diagonal(), size)
    return ModelScores(np.array(value), spread, differing, list(infinite), paired=paired)


def _times_root(apart: _Amount) -> float:
    """Return how many times as large a sum is as the root of the sum of its squared terms."""
    return abs(apart.total) / math.sqrt(apart.squares) if apart.squares else 0.0


def _reference(sums: ScoreSums, r: int, j: int) -> tuple[float, float, float]:
    """Score the best constant: its mean, squared influences, and their products with a model's."""
    cost = _costs(sums, r)
    if np.isinf(cost).any():
        return float(cost[np.isinf(cost)][0]), math.nan, math.nan
    of_kind = _of_event if sums.classes is None else _of_classes
    amount, product = of_kind(sums, cost.tolist(), r, j)
    best = amount.total / sums.totals["weight",]
    if sums.classes is not None and sums.clustered:
        return best, math.nan, math.nan
    square, own = _varied(sums, amount), _own(sums, r, j)
    together = _centred(sums, own, amount, product)
    return best, square, together if square > 0 and _varied(sums, own) > 0 else 0.0


def _costs(sums: ScoreSums, r: int) -> Column:
    """Price the share of each outcome as its forecast; what never happened costs nothing."""
    if sums.classes is None:
        rate = sums.mean("event")
        shares, y = np.array([1 - rate, rate]), np.array([False, True])
        forecast = np.full(2, rate)
    else:
        shares = np.array([sums.mean("class", k) for k in range(sums.classes)])
        # Rounding must not leave a sum other than 1.
        shares, y = shares / shares.sum(), np.arange(sums.classes)
        forecast = np.broadcast_to(shares, (sums.classes, sums.classes))
    cost = price(sums.rules[r], y, forecast, classes=sums.classes is not None)
    return np.where(shares > 0, cost, 0.0)


def _of_event(sums: ScoreSums, cost: list[float], r: int, j: int) -> tuple[_Amount, float]:
    """Add up the reference, which costs so much without the event and so much more with it."""
    none, more = cost[0], cost[1] - cost[0]
    names = ("weight", "event", _weight2(sums), "event_weight", "event2")
    weight, event, weight2, both, event2 = (sums.totals[name,] for name in names)
    squares = none**2 * weight2 + 2 * none * more * both + more**2 * event2
    amount = _Amount(none * weight + more * event, none * weight2 + more * both, squares)
    losses, if_event = (sums.totals[name, r, j] for name in ("loss_weight", "loss_event"))
    return amount, none * losses + more * if_event


def _of_classes(sums: ScoreSums, cost: list[float], r: int, j: int) -> tuple[_Amount, float]:
    """Add up the reference over rows, each of which has one class."""
    amount, product = _Amount(0.0, 0.0, 0.0), 0.0
    for k, each in enumerate(cost):
        square = sums.totals["class_squares", k]
        amount = _Amount(
            amount.total + each * sums.totals["class", k],
            amount.weighted + each * square,
            amount.squares + each**2 * square,
        )
        product += each * sums.totals["loss_class", r, j, k]
    return amount, product
