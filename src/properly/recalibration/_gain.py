r"""The gain of a map: what it would save on new cases, with an interval.

It is a comparison, case by case, of forecasts as they are with cross-fitted ones. Its interval
reaches further upwards than downwards: :math:`g - t \cdot se` to :math:`g + \omega t \cdot se` with
:math:`\omega = \sqrt{1 + K / (K - 1)}` and K folds, since folds that share training cases make the
estimate too pessimistic where there is little to gain. Under rules with point masses, at which
few cases change sides, it reaches as far downwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._notices import notice
from properly._boundary._record import Record
from properly._boundary._text import percent
from properly.comparison._differences import score_models
from properly.comparison._pair_tests import Options, PairScores, margins
from properly.counts._cases import Cases, weights_of, with_forecasts
from properly.inference._design import Design, one_dependence
from properly.inference._shares import student
from properly.rules import Brier, Interval, Log, Regret, Rule
from properly.typing import Column

if TYPE_CHECKING:
    from properly.recalibration._map import Map

# Forecasts exactly at a threshold, as a share of the cases, that are worth a word.
AT_THRESHOLD = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class Gain(Record):
    """What a map would save on new cases.

    Attributes
    ----------
    map : str
        The kind of map.
    rule : str
        The rule.
    estimate : float
        The mean loss that it saves; negative if it does harm.
    standard_error, degrees : float
        Its standard error, and the degrees of freedom of that.
    interval : pair of floats
        Its interval; NaN if nothing changes, or if losses are infinite.
    level : float
        The confidence level of the interval, which is of the expected gain.
    folds : int
        The number of folds.
    design : str
        How cases were taken to be sampled.
    mean_change : float
        By how much forecasts change, on average.
    in_sample : float
        What it would seem to save on the very cases that it was fitted to.
    nested : bool
        Whether the choice of the map was repeated in each fold, so that it does not flatter.

    Examples
    --------
    >>> import properly
    >>> from properly.recalibration import Isotonic, recalibration_gain
    >>> crash = properly.datasets.crash()
    >>> gain = recalibration_gain(crash.died, crash.forecasts["logistic"], Isotonic())
    >>> round(gain.in_sample, 5), round(gain.estimate, 5)
    (0.00163, 3e-05)
    """

    map: str
    rule: str
    estimate: float
    standard_error: float
    degrees: float
    interval: tuple[float, float]
    level: float
    folds: int
    design: str
    mean_change: float
    in_sample: float
    nested: bool = False

    @property
    def is_clear(self) -> bool:
        """Whether the whole interval is above zero."""
        return self.interval[0] > 0

    def stored(self) -> dict[str, Any] | None:
        """Return what a map's file says about it; an infinite gain it does not."""
        low, high = self.interval
        if not all(map(math.isfinite, (self.estimate, low, high))):
            return None
        names = ("rule", "folds", "design", "estimate", "nested")
        return {name: getattr(self, name) for name in names} | {"low": low, "high": high}

    def __repr__(self) -> str:
        return f"Gain({self.map}: {self})"

    def __str__(self) -> str:
        """Say it in a line."""
        low, high = self.interval
        if math.isnan(low):
            return f"{self.estimate:.4g} of the {self.rule} score, no interval"
        sure = f"{100 * self.level:g} % interval"
        return f"{self.estimate:.4g} of the {self.rule} score ({sure} {low:.4g} to {high:.4g})"


class Differences(NamedTuple):
    """Mean losses of forecasts of the same cases, their differences and standard errors.

    Attributes
    ----------
    score : numpy array
        The mean loss of each.
    value, error : numpy array
        Row minus column.
    degrees : float
        Degrees of freedom.
    """

    score: Column
    value: Column
    error: Column
    degrees: float


def differences(cases: Cases, forecasts: Sequence[Column], rule: Rule) -> Differences:
    """Compare forecasts of the same cases, all with all, as `properly.compare` does."""
    cases = one_dependence(cases)
    models = {str(k): with_forecasts(cases, q, lent=True) for k, q in enumerate(forecasts)}
    pairs = tuple(combinations(range(len(forecasts)), 2))
    scored = score_models(models, rule, Design.of(cases), pairs)
    compared = PairScores(pairs, scored, Options.of(rule, 0.95, 0))
    margin, difference = margins(compared), compared.differences()
    size = len(forecasts)
    value, error = np.zeros((size, size)), np.zeros((size, size))
    first, second = compared.ends
    value[first, second], value[second, first] = difference, -difference
    error[first, second] = error[second, first] = margin.error
    return Differences(scored.value, value, error, float(compared.degrees))


def default_rule(cases: Cases, within: Interval | tuple[float, float] | None) -> Rule:
    """Return mean regret over a range; else the log score, unless a certain forecast was wrong."""
    if within is not None:
        return Regret(within)
    y, p = to_numpy(cases.y), to_numpy(cases.p)
    if cases.classes is None:
        wrong = ((p == 0) & y) | ((p == 1) & ~y)
    else:
        wrong = np.take_along_axis(p, y[:, None].astype(np.intp), axis=1)[:, 0] == 0
    return Brier() if wrong.any() else Log()


def fitted_to(one: Map, cases: Cases) -> Map:
    """Fit a map to cases, or to their tally if that will do."""
    return one.fit(cases if one.needs_rows or cases.classes is not None else cases.tally())


def in_sample_gain(cases: Cases, fitted: Map, rule: Rule) -> float:
    """Return what a map would seem to save on the cases that it was fitted to."""
    forecasts = [to_numpy(cases.p), fitted.on_cases(cases)]
    return float(differences(cases, forecasts, rule).value[0, 1])


def warn_of_ties(cases: Cases, rule: Rule) -> None:
    """Say that many forecasts lie exactly at a threshold at which the rule has a point mass."""
    p = to_numpy(cases.p)
    for threshold, _ in getattr(rule, "atoms", ()):
        share = float(np.mean(p == threshold)) if p.ndim == 1 else 0.0
        if share > AT_THRESHOLD:
            notice(
                f"{percent(share, 2)} of the forecasts are exactly at the threshold {threshold:g}: "
                "one tie decides, and intervals hold less often than they say"
            )


def of_forecasts(
    cases: Cases,
    forecasts: Column,
    rule: Rule,
    *,
    name: str,
    folds: int,
    level: float,
    nested: bool = False,
) -> Gain:
    """Compare cases as they are with cross-fitted forecasts."""
    result = differences(cases, [to_numpy(cases.p), forecasts], rule)
    gain, error = float(result.value[0, 1]), float(result.error[0, 1])
    interval = (math.nan, math.nan)
    if math.isfinite(gain) and error > 0:
        # The upper end is further off: training parts overlap.
        reach, wide = student(result.degrees, level) * error, math.sqrt(1 + folds / (folds - 1))
        interval = gain - (1.0 if rule.differentiable else wide) * reach, gain + wide * reach
    change = np.abs(forecasts - to_numpy(cases.p))
    change = change.sum(axis=1) / 2 if change.ndim == 2 else change
    kept = one_dependence(cases)
    # What is independent, or nearly so.
    units = "cases" if kept.time is None else "times"
    if kept.clusters is not None:
        units = "clusters" if kept.time is None else "clusters by times"
    return Gain(
        map=name,
        rule=rule.name,
        estimate=gain,
        standard_error=error,
        degrees=result.degrees,
        interval=interval,
        level=level,
        folds=folds,
        design=units,
        mean_change=float(np.average(change, weights=weights_of(cases))),
        in_sample=math.nan,
        nested=nested,
    )
