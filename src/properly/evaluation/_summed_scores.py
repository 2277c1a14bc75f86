"""Scores, skills, comparisons and groups from sums alone, as the rows would give them.

A mean loss is a ratio of two sums, and its variance depends on the rows only through sums of
squares and of products: `Moments` are made of them. The variance of a difference comes from the
squares of the paired differences, and keeps its digits however small that is.

Every number that is compared between groups has influences that are linear in what is known of a
case: its loss, its outcome and its forecast. So sums over the cases of each group, of their
products up to the third, say all that `properly.by_group` finds from the rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._options import as_drawing
from properly._boundary._text import many
from properly.comparison import Comparison, Groups
from properly.comparison._contrasts import GroupMoments, contrasts, costs_of_shares, measures_of
from properly.comparison._differences import ModelScores, PairSums
from properly.comparison._group_variance import UnitCounts
from properly.comparison._groups import describe_groups, split_of
from properly.comparison._pair_tests import Options, PairScores, compared
from properly.counts import Tally
from properly.counts._tally import weighed
from properly.engines import Summary
from properly.engines._score_sums import ScoreSums
from properly.errors import DataError
from properly.inference import Estimate
from properly.inference._averages import Averages, warn_if_few, warn_of_effective, warn_of_outcomes
from properly.inference._design import Design
from properly.inference._intervals import loss_range, score_of_means, skill_of_means
from properly.inference._moments import Correction, Moments, Spread
from properly.rules import BinaryRule, Rule
from properly.typing import Column

# Losses whose variance is this much smaller than their mean square differ by rounding alone.
CANCELLED = 1e-13


def summed_score_and_skill(
    sums: ScoreSums, model: str, rule: Rule, level: float = 0.95
) -> tuple[Estimate, Estimate]:
    """Say how far off a mean score and its skill may be, as the rows would.

    The reference is the event rate, or the shares of the classes. Sums over clusters do not tell
    how the losses of several classes go together with those of the reference: the skill has then
    no interval, and `method` says so.

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
    >>> from properly.evaluation._summed_scores import summed_score_and_skill
    >>> from properly.engines._score_sums import ScoreSums
    >>> from properly.rules import Brier
    >>> y = np.arange(100) % 4 == 0
    >>> sums = ScoreSums.of_rows(["a"], [Brier()], y, {"a": np.where(y, 0.5, 0.25)}, None)
    >>> for estimate in summed_score_and_skill(sums, "a", Brier()):
    ...     print(estimate)
    0.1094 (95 % interval 0.09318 to 0.1256; 100 independent cases)
    0.4167 (95 % interval 0.3667 to 0.4627; 100 independent cases)
    """
    warn_of_sums(sums)
    r, j = _rule_number(sums, rule), sums.models.index(model)
    infinite = _infinite(sums, r, j)
    moments = _beside_reference(sums, r, _moments(sums, r, [j]))
    means = Averages(*_known(sums, r, moments, [infinite]), _about(sums), infinite)
    score = score_of_means(means, level, loss_range(rule, sums.classes))
    skill = skill_of_means(means, level)
    if sums.clustered and sums.classes is not None:
        method = "no interval: sums of clusters do not tell that of classes"
        skill = replace(skill, method=method)
    return score, skill


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
    r = _rule_number(sums, rule)
    if len(sums.models) < 2:
        message = f"there must be at least 2 models to compare; got {len(sums.models)}"
        raise DataError(message)
    warn_of_sums(sums)
    pairs = tuple(combinations(range(len(sums.models)), 2))
    scores = PairScores(pairs, _scored(sums, r, pairs), Options.of(rule, level, rng))
    return compared(sums.models, scores, _about(sums), loss_range(rule, sums.classes))


def warn_of_sums(sums: ScoreSums) -> None:
    """Warn of few cases, and of few clusters, in the words used of rows; refuse none at all."""
    weight, squares = _sum(sums, "weight"), _sum(sums, "row_squares")
    if not weight:
        message = "a score needs at least one case of positive weight; these sums have none"
        raise DataError(message)
    if sums.classes is None:
        event, own = _sum(sums, "event"), _sum(sums, "event_squares")
        warn_of_outcomes(_effective(event, own), _effective(weight - event, squares - own))
    else:
        warn_if_few({"case": _effective(weight, squares)})
    if sums.clustered:
        warn_of_effective(int(_sum(sums, "units")), _effective(weight, _sum(sums, "weight2")))


def _rule_number(sums: ScoreSums, rule: Rule) -> int:
    """Find a rule by what is written."""
    return [repr(summed) for summed in sums.rules].index(repr(rule))


def _sum(sums: ScoreSums, *key: Any) -> float:
    return float(sums.totals[key])


def _effective(weight: float, squares: float) -> float:
    """Return how many cases of equal weight would say as much."""
    return weight**2 / squares if squares > 0 else 0.0


def _about(sums: ScoreSums) -> dict[str, Any]:
    """Say how cases were sampled, how many there are, and how many of equal weight say as much."""
    units = many(int(_sum(sums, "units")), "cluster" if sums.clustered else "independent case")
    worth = _effective(_sum(sums, "weight"), _sum(sums, "row_squares"))
    return {"design": units, "cases": int(_sum(sums, "rows")), "effective_cases": worth}


def _weights(sums: ScoreSums) -> tuple[float, float, float, Correction | None]:
    """Return the weight, its squares, the number of units, and the correction of clusters."""
    total, units, square = (_sum(sums, name) for name in ("weight", "units", "weight2"))
    if ("corrected4",) not in sums.totals:
        return total, square, units, None
    # As `properly.inference._design.correction_of` does.
    corrected, cubes = _sum(sums, "corrected2"), _sum(sums, "corrected4")
    share, lost = square / total**2, corrected / total**2
    return total, corrected, units, Correction(1.0, 1 / (share + lost**2 - cubes / total**4))


@infinities()
def _moments(sums: ScoreSums, r: int, models: Sequence[int]) -> Moments:
    """Make the moments of losses, finite ones, and behind them of whether each outcome happened."""
    weight, square, units, correction = _weights(sums)
    own = ("event",), ("event_weight",), ("event2",)
    outcomes: list[tuple[Any, ...]] = [own]
    if sums.classes is not None:
        outcomes = [(("class", k), *[("class_squares", k)] * 2) for k in range(sums.classes)]
    losses, size = len(models), 1 + len(models) + len(outcomes)
    total, products = np.zeros(size), np.zeros((size, size))
    total[0], products[0, 0] = weight, square
    for a, j in enumerate(models, 1):
        total[a], products[0, a] = _sum(sums, "loss", r, j), _sum(sums, "loss_weight", r, j)
        products[a, a] = _sum(sums, "loss2", r, j)
        for k in range(len(outcomes)):
            key = ("loss_event", r, j) if sums.classes is None else ("loss_class", r, j, k)
            products[a, 1 + losses + k] = _sum(sums, *key)
    for a, (happened, weighted, squares) in enumerate(outcomes, 1 + losses):
        total[a], products[0, a] = _sum(sums, *happened), _sum(sums, *weighted)
        products[a, a] = _sum(sums, *squares)
    for (a, j), (b, k) in combinations(enumerate(models, 1), 2):
        apart = _sum(sums, "apart2", r, j, k)
        products[a, b] = (products[a, a] + products[b, b] - apart) / 2
    products = np.triu(products) + np.triu(products, 1).T
    return _without_rounding(Moments.from_sums(total, products, units, correction), products)


def _without_rounding(moments: Moments, products: Column) -> Moments:
    """Leave out amounts that do not vary but for how engines round their sums."""
    lost = np.diagonal(moments.about) <= CANCELLED * np.diagonal(products)
    lost[0] = False
    moments.about[lost], moments.about[:, lost] = 0.0, 0.0
    return moments


def _infinite(sums: ScoreSums, r: int, j: int) -> tuple[int, float]:
    """Return how many losses are infinite, and their share of the weight."""
    share = _sum(sums, "infinite_weight", r, j) / _sum(sums, "weight")
    return int(_sum(sums, "infinite", r, j)), share


def _known(
    sums: ScoreSums, r: int, moments: Moments, infinite: Sequence[tuple[int, float]]
) -> tuple[Column, Spread]:
    """Return means and their covariance; infinite means have none, nor what overflows."""
    mean, (joint, degrees) = moments.mean.copy(), moments.spread
    low, high = sums.rules[r].range
    endless = [k for k, (count, share) in enumerate(infinite) if count or share > 0]
    mean[endless] = -math.inf if math.isinf(low) and not math.isinf(high) else math.inf
    joint = np.where(np.isfinite(mean[:, None] + mean) & np.isfinite(joint), joint, np.nan)
    return mean, Spread(joint, degrees)


def _scored(sums: ScoreSums, r: int, pairs: tuple[tuple[int, int], ...]) -> ModelScores:
    """Score all models, and find how far apart they are in the same units."""
    models = range(len(sums.models))
    infinite = [_infinite(sums, r, j) for j in models]
    value, spread = _known(sums, r, _moments(sums, r, models), infinite)
    # Without the outcomes.
    value, spread = value[models], spread._replace(covariance=spread.covariance[models][:, models])
    weight, square, units, correction = _weights(sums)
    squares, size = np.empty((2, len(pairs)))
    for n, pair in enumerate(pairs):
        apart, weighted = (
            _sum(sums, name, r, pair[0]) - _sum(sums, name, r, pair[1])
            for name in ("loss", "loss_weight")
        )
        own = _sum(sums, "apart2", r, *pair)
        products = np.array([[square, weighted], [weighted, own]])
        difference = Moments.from_sums(np.array([weight, apart]), products, units, correction)
        difference = _without_rounding(difference, products)
        known = np.isfinite(value[list(pair)]).all()
        squares[n] = difference.spread.covariance[0, 0] if known else math.nan
        size[n] = abs(apart) / math.sqrt(own) if own else 0.0
    differing = np.array([int(_sum(sums, "differing", r, *pair)) for pair in pairs], dtype=np.int64)
    return ModelScores(value, spread, differing, infinite, paired=PairSums(squares, size))


def _beside_reference(sums: ScoreSums, r: int, moments: Moments) -> Moments:
    """Put the best constant in place of the outcomes that its losses are made of."""
    cost, shares, weight = _costs(sums, r), moments.mean[1:], moments.weight
    mean, is_event = moments.mean[0], sums.classes is None
    constant, each = (cost[0], cost[1:] - cost[0]) if is_event else (0.0, cost)
    with infinities():
        best = float(np.max(cost)) if np.isinf(cost).any() else float(constant + shares @ each)
        turn = np.zeros((3, len(moments.total)))
        turn[0, 0], turn[1, :2] = 1.0, (-mean, 1.0)
        turn[2, 0], turn[2, 2:] = constant - best, each
        about = moments.products_of(turn)
    if sums.classes is not None and sums.clustered:
        about[2], about[:, 2] = math.nan, math.nan
    total = np.array([weight, moments.total[1], weight * best])
    return Moments(total, about, moments.units, moments.correction)


def _costs(sums: ScoreSums, r: int) -> Column:
    """Price the share of each outcome as its forecast; what never happened costs nothing."""
    if sums.classes is None:
        events = _sum(sums, "event")
        counts = [_sum(sums, "weight") - events, events]
    else:
        counts = [_sum(sums, "class", k) for k in range(sums.classes)]
    return costs_of_shares(sums.rules[r], np.array(counts), sums.classes)


# Groups


def _columns(tally: Tally) -> list[Column]:
    """Return forecasts, cases and events as numpy has them."""
    return [to_numpy(x).astype(np.float64) for x in (tally.value, tally.weight, tally.events)]


def _sides(tally: Tally) -> list[Column]:
    """Return the squared weights of events, and of other cases, at each forecast."""
    if tally.event_squares is not None and tally.nonevent_squares is not None:
        return [to_numpy(tally.event_squares), to_numpy(tally.nonevent_squares)]
    _, weight, events = _columns(tally)
    return [events, weight - events]


def moments_of(sums: ScoreSums, tally: Tally, rule: BinaryRule, model: str) -> Moments:
    """Put together what sums say, and what the counts at each forecast add to it."""
    r, j = _rule_number(sums, rule), sums.models.index(model)
    value, weight, events = _columns(tally)
    exact, endless = _moments(sums, r, [j]), int(_sum(sums, "infinite", r, j)) > 0
    cases, squares = np.concatenate([events, weight - events]), np.concatenate(_sides(tally))
    some, zero = (cases > 0) & (squares > 0), np.zeros(len(value))
    # Of an infinite mean nothing is said, but the outcomes and forecasts still are.
    loss = [zero, zero] if endless else [rule.loss_if_event(value), rule.loss_if_none(value)]
    amount = np.stack([np.concatenate(loss), np.concatenate([zero + 1, zero]), np.tile(value, 2)])
    kinds = cases[some], squares[some]
    known = Moments.from_kinds(amount[:, some], *kinds, cubes=kinds[1] ** 2 / kinds[0])
    if not endless:
        known.about[:3, :3] = exact.about
    total = np.append(exact.total, value @ weight)
    total[1] = math.inf if endless else total[1]
    return Moments(total, known.about, known.units, third=known.third)


def summed_groups(
    summary: Summary, model: str, rule: BinaryRule, *, calibration: bool, **draws: Any
) -> Groups:
    """Score groups of cases by a rule of the summary, and compare each with the rest."""
    labels, parts = list(summary.groups), list(summary.groups.values())
    drawing = as_drawing(**draws)
    tallies = [part.tallies[model] for part in parts]
    weights = [weighed(tally) for tally in tallies]
    cases = np.array([int(_sum(part.sums, "rows")) for part in parts])
    expected = np.swapaxes([_expected(tally) for tally in weights], 0, 1)
    design, no_rows = Design(np.broadcast_to(1.0, int(cases.sum()))), np.zeros(0, dtype=np.intp)
    split = split_of(labels, no_rows, design, UnitCounts.of_cases(cases), *expected)
    both = zip(parts, weights, strict=True)
    moments = [moments_of(part.sums, tally, rule, model) for part, tally in both]
    weight, events, forecast = (np.array([x.total[k] for x in moments]) for k in (0, 2, 3))
    about: dict[str, Column | None] = {
        "events": np.array([int(_sum(part.sums, "event_rows")) for part in parts]),
        "event_rate": events / weight,
        "mean_forecast": forecast / weight,
    }
    within = tallies if calibration and not summary.is_weighted else None
    compared = contrasts(GroupMoments(moments), measures_of(rule, None), split, drawing)
    return describe_groups(split, about, compared, within, rule=rule, drawing=drawing)


def _expected(tally: Tally) -> list[list[float]]:
    """Add up weights, and their squares, by the probabilities of the event and of none."""
    value, weight, _ = _columns(tally)
    return [[float(x @ value), float(x @ (1 - value))] for x in (weight, sum(_sides(tally)))]
