"""Means over cases, known one by one or counted, with their covariance; and estimates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._chunks import sweep
from properly._boundary._libraries import count_true, infinities, namespace, to_numpy
from properly._boundary._notices import notice
from properly._boundary._record import Record
from properly._boundary._text import many
from properly._boundary._tolerances import SAME_SUM
from properly.counts._cases import Cases, is_in_place, is_unweighted, rows_in_use
from properly.counts._tally import Tally, as_tally, sums_of
from properly.inference._design import Design, Serial, effective_number, is_alike
from properly.inference._moments import Moments, Spread, deviations, dot
from properly.inference._variance import covariance, effective_total, of_mean
from properly.typing import Array, Column

Amounts: TypeAlias = "Callable[[Array, Array], Array]"
Pair: TypeAlias = tuple[float, float]
UNKNOWN: Pair = (math.nan, math.nan)

# With fewer events, or fewer others, intervals of means cover some per cent less than they say.
FEW = 20
# With fewer clusters, or fewer that weigh much, intervals of skewed losses cover some per cent less
# than their level in the coverage study, even with the correction of Bell and McCaffrey.
FEW_CLUSTERS = 20
# With fewer clusters at several times, their effects are better treated as fixed.
FIXED_CLUSTERS = 10
# Clusters of nearly equal size are not worth a word.
ALIKE = 0.95
WHOLE = 1e-9
# Weights that leave fewer effective cases than this share of all are worth a word.
ALL = 0.95


@dataclass(frozen=True, repr=False)
class Estimate(Record):
    """A number, and how far off it may be.

    Attributes
    ----------
    value : float
        The number.
    standard_error : float
        Its standard error; NaN if it cannot be told.
    interval : pair of floats
        Lower and upper end; NaN where nothing can be said.
    level : float
        How sure the interval is to hold the true value.
    degrees : float
        Degrees of freedom of the standard error; infinite for a normal interval.
    method : str
        How the interval was found.
    design : str
        How cases were taken to be sampled.
    cases : int
        Cases of positive weight.
    effective_cases : float
        As many cases of equal weight would say as much.
    infinite_cases : int
        Cases whose loss is infinite.
    infinite_share : float
        Their share of the weight.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> cases = properly.Cases(crash.died, crash.forecasts["logistic"], clusters=crash.cluster)
    >>> print(properly.score_interval(cases, Brier()))
    0.03302 (95 % interval 0.02983 to 0.03621; 4,973 clusters)
    """

    value: float
    standard_error: float
    interval: tuple[float, float]
    level: float
    degrees: float
    method: str
    design: str
    cases: int
    effective_cases: float
    infinite_cases: int = 0
    infinite_share: float = 0.0

    def __repr__(self) -> str:
        return f"Estimate({self.value:.4g}, {interval_text(self)})"

    def __str__(self) -> str:
        """Say it in a line."""
        text = interval_text(self)
        if self.infinite_cases:
            text = f"{many(self.infinite_cases, 'case')} of infinite loss"
        worth = ""
        if self.effective_cases < ALL * self.cases and not math.isnan(sum(self.interval)):
            worth = f", worth {self.effective_cases:,.0f} of equal weight"
        return f"{self.value:.4g} ({text}; {self.design}{worth})"


def interval_text(estimate: Any) -> str:
    """Write the confidence level and both ends of an interval, if there is one."""
    lower, upper = estimate.interval
    text = f"{100 * estimate.level:g} % interval {lower:.4g} to {upper:.4g}"
    return text if lower <= upper else "no interval"


def around(value: float, error: float, quantile: float) -> Pair:
    """Return the ends of a symmetric interval; NaN where the standard error is not known."""
    half = quantile * error
    return (value - half, value + half) if error > 0 else UNKNOWN


class Averages(NamedTuple):
    """Some means, their covariance, and what is known of the cases.

    Attributes
    ----------
    mean : numpy array
        One entry per mean.
    spread : Spread
        Their covariance.
    about : dict
        The design in words, the number of cases, and how many of equal weight say as much.
    infinite : tuple of int and float
        How many cases add an infinite amount to the first mean, and their share of the weight.
    apart : float or None
        The variance of the first mean less the ratio times the second, where the covariance does
        not give it: in a panel.
    """

    mean: Column
    spread: Spread
    about: dict[str, Any]
    infinite: tuple[int, float]
    apart: float | None = None

    def ratio(self) -> tuple[float, float]:
        """Return the ratio of the first two means, and its standard error."""
        first, second = self.mean[:2]
        with infinities():
            ratio = first / second
            turn = np.array([1.0, -ratio])
            inside = self.spread.covariance[:2, :2]
            square = turn @ inside @ turn if self.apart is None else self.apart
            alone = inside[0, 0] + ratio**2 * inside[1, 1]
            error = np.sqrt(square) / abs(second) if square > SAME_SUM * alone else square * 0
        return float(ratio), float(error)


def average(
    source: Tally | Cases, amounts: Amounts, serial: Serial = "cosines", *, few: bool = True
) -> Averages:
    """Average what each case adds, given its outcome and its forecast.

    `amounts` takes outcomes and forecasts and returns a row for each mean. Of a tally it is asked
    for both outcomes of every forecast.
    """
    if few:
        warn_of_few(source)
    if not isinstance(source, Cases):
        return _of_tally(as_tally(source), amounts)
    design = Design.of(source, serial)
    weight = design.weight
    if few:
        warn_of_clusters(design)
    if is_in_place(source):
        return _in_place(source, amounts, design)
    y, p = rows_in_use(source)[:2]
    result = amounts(y, p.astype(np.float64, copy=False))
    endless = np.isinf(result[0])
    count = count_true(endless)
    share = count / len(weight) if is_alike(weight) else weight[endless].sum() / weight.sum()
    infinite = count, float(share)
    # What nobody else has is overwritten: these are the longest columns there are.
    mean, influence = of_mean(result, weight, out=result if result.flags.owndata else None)
    spread, apart = covariance(influence, design), None
    if design.is_panel and len(mean) > 1:
        with infinities():
            away = influence[:1] - mean[0] / mean[1] * influence[1:2]
        apart = float(covariance(away, design).covariance[0, 0])
    return Averages(mean, spread, about_design(design), infinite, apart)


def _in_place(cases: Cases, amounts: Amounts, design: Design) -> Averages:
    """Average tensors of independent cases in pieces: first means, then squares about these."""
    mean, count = np.zeros(0), len(cases)

    def rows(y: Array, p: Array) -> Array:
        return amounts(y, namespace(p).astype(p, namespace(p).float64, copy=False))

    def add_up(y: Array, p: Array) -> tuple[Column, int]:
        found = rows(y, p)
        xp = namespace(found)
        return to_numpy(xp.sum(found, axis=-1)), count_true(xp.isinf(found[0]))

    def multiply(y: Array, p: Array) -> Column:
        away = deviations(rows(y, p), mean)
        return dot(away, away)

    sums, infinite = zip(*sweep(add_up, cases.y, cases.p), strict=True)
    mean = np.sum(sums, axis=0) / count
    with infinities():
        products = np.sum(sweep(multiply, cases.y, cases.p), axis=0) / count**2
    correction = design.correction
    spread = Spread(products * correction.factor, correction.degrees)
    endless = sum(infinite), sum(infinite) / count
    return Averages(mean, spread, about_design(design), endless)


def _of_tally(tally: Tally, amounts: Amounts) -> Averages:
    xp = namespace(tally.value)
    value = xp.astype(tally.value, xp.float64)
    event, none = (amounts(xp.full_like(value, y, dtype=xp.bool), value) for y in (True, False))
    sums = Moments.from_tally(tally, event, none)
    both = (event, tally.events), (none, tally.weight - tally.events)
    lost = sum(float(xp.sum(n[xp.isinf(a[0])])) for a, n in both)
    infinite = round(lost) if tally.event_squares is None else 0, lost / sums.weight
    return Averages(sums.mean, sums.spread, about_tally(tally), infinite)


def about_design(design: Design) -> dict[str, Any]:
    """Say how cases were sampled, how many there are, and how many of equal weight say as much."""
    sizes = {"cases": len(design.weight), "effective_cases": design.effective_cases}
    return {"design": design.text} | sizes


def about_tally(tally: Tally) -> dict[str, Any]:
    """Say the same of counts, which are of independent cases."""
    cases = effective_total(tally)
    text = many(round(cases), "independent case")
    if tally.event_squares is not None:
        text = f"independent cases worth {cases:,.4g} of equal weight"
    return {"design": text, "cases": round(cases), "effective_cases": cases}


def warn_of_few(source: Tally | Cases) -> None:
    """Warn if there are so few events, or so few others, that intervals cover less than told.

    Cases that weigh more than others count as fewer.
    """
    if not isinstance(source, Cases):
        weight, events, *squares = sums_of(as_tally(source))
        sides = [events, weight - events]
        total = [float(namespace(x).sum(x)) for x in sides]
        square = [float(namespace(x).sum(x)) for x in squares or sides]
        warn_of_outcomes(*(t**2 / s if t > 0 else 0.0 for t, s in zip(total, square, strict=True)))
    elif source.classes is None and is_unweighted(source):
        events = float(count_true(source.y))
        warn_of_outcomes(events, len(source) - events)
    else:
        y, _, weight, _ = rows_in_use(source)
        if source.classes is None:
            warn_of_outcomes(*(effective_number(weight[side]) for side in (y, ~y)))
        else:
            warn_if_few({"case": effective_number(weight)})


def warn_of_outcomes(events: float, others: float) -> None:
    """Warn if there are few events, or few others, of equal weight."""
    warn_if_few({"event": events, "case without it": others})


def warn_if_few(kinds: dict[str, float]) -> None:
    """Warn if there are few cases of any kind, given how many there are of each."""
    if min(kinds.values()) < FEW:
        text = " and ".join(counted(count, what) for what, count in kinds.items())
        notice(f"with {text}, intervals may cover less than their level")


def warn_of_clusters(design: Design) -> None:
    """Warn if clusters are few, or a few of them make up most of the cases."""
    if design.cluster is not None:
        warn_of_effective(design.clusters, design.effective_units, at_times=design.is_panel)


def warn_of_effective(clusters: int, effective: float, *, at_times: bool = False) -> None:
    """Warn if clusters say as much as few of equal size would."""
    if effective >= FEW_CLUSTERS:
        return
    text = many(clusters, "cluster")
    if effective < ALIKE * clusters:
        text += f" that say as much as {effective:.1f} of equal size"
    is_fixed = at_times and effective < FIXED_CLUSTERS
    fixed = "; treat them as fixed: by_group with time alone" if is_fixed else ""
    notice(f"with {text}, intervals may cover less than their level{fixed}")


def counted(count: float, what: str) -> str:
    noun, _, rest = what.partition(" ")
    if abs(count - round(count)) < WHOLE:
        return f"{many(round(count), noun)} {rest}".rstrip()
    return f"the weight of {count:.1f} {noun}s {rest}".rstrip()
