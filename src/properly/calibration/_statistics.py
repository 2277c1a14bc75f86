"""Statistics of the tests of calibration, their null distributions, and the records.

Events and forecasts enter only through how many more events there were at each distinct forecast
than it said. Nothing is fitted and, but for the groups of Hosmer and Lemeshow, nothing is binned.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from properly._boundary._libraries import infinities, namespace, to_numpy
from properly._boundary._record import Record
from properly._boundary._text import amount_of, many, p_text, wrapped
from properly._boundary._tolerances import SAME_SUM
from properly.counts._tally import Tally
from properly.inference._dependence import Dependence
from properly.inference._design import add_up
from properly.inference._logistic import logit
from properly.typing import Column

RANK = 1e-10
# What a row tells of dependence in time.
DEPENDENCE = ("phi", "psi", "rho", "effective_times")


class ForecastSample(NamedTuple):
    """Cases, or their weight, at each distinct forecast, events, and sums of squared weights."""

    value: Column
    weight: Column
    events: Column
    square: Column

    @classmethod
    def of(cls, tally: Tally) -> ForecastSample:
        """Take the counts of a tally; a count is its own sum of squares."""
        value, weight, events = (to_numpy(x) for x in (tally.value, tally.weight, tally.events))
        square = weight
        if tally.event_squares is not None and tally.nonevent_squares is not None:
            square = to_numpy(tally.event_squares) + to_numpy(tally.nonevent_squares)
        return cls(value.astype(np.float64, copy=False), weight, events, square)

    def among(self, used: Column) -> ForecastSample:
        """Return some of the forecasts."""
        return self if used.all() else ForecastSample(*(x[used] for x in self))

    def grouped(self, start: Column) -> ForecastSample:
        """Put forecasts into cells, at their mean."""
        weight, events, square = (np.add.reduceat(x, start) for x in self[1:])
        value = np.add.reduceat(self.weight * self.value, start) / weight
        return ForecastSample(value, weight, events, square)

    @property
    def excess(self) -> Column:
        """How many more events there were at each forecast than it said."""
        return np.asarray(self.events - self.weight * self.value)

    @property
    def variance(self) -> Column:
        """The variance of that if the forecasts are calibrated."""
        return np.asarray(self.square * self.value * (1 - self.value))

    @property
    def effective(self) -> Column:
        """How many cases of equal weight would say as much at each forecast."""
        return np.asarray(self.weight.astype(np.float64) ** 2 / self.square)

    @property
    def is_uncertain(self) -> Column:
        """Which forecasts are neither 0 nor 1."""
        return (self.value > 0) & (self.value < 1)

    @property
    def is_refuted(self) -> bool:
        """Whether an event was called impossible, or certain, and was not."""
        none = self.weight - self.events
        wrong = ((self.value == 0) & (self.events > 0)) | ((self.value == 1) & (none > 0))
        return bool(wrong.any())


def score_axes(sample: ForecastSample) -> Column:
    r"""Return directions whose squared products with the excess add up to the score statistic.

    The score (Rao) test of :math:`\operatorname{logit} P = a + b \operatorname{logit} x` against
    :math:`a = 0, b = 1` needs no fit: :math:`U' I^{-1} U` with :math:`U = \sum z (y - x)`,
    :math:`I = \sum x (1 - x) z z'` and :math:`z = (1, \operatorname{logit} x)`. Making the second
    column orthogonal to the first leaves a sum of two squares. Certain forecasts have no part in
    it; if all others are the same, nor has the slope.
    """
    axes = np.zeros((2, len(sample.value)))
    used = sample.is_uncertain
    if not used.any():
        return axes[:0]
    value = sample.value[used]
    odds, variance = logit(value), sample.variance[used]
    if not variance.any():
        return axes[:0]
    axes[0, used] = 1 / math.sqrt(variance.sum())
    away = odds - odds @ variance / variance.sum()
    square = variance @ away**2
    axes[1, used] = away / math.sqrt(square) if square > 0 else 0.0
    return axes if np.ptp(odds) > 0 and square > 0 else axes[:1]


def score_statistic(axes: Column, excess: Column) -> float:
    """Return the score statistic, about chi-squared with as many degrees as there are axes."""
    # An event that was called all but impossible is infinitely surprising.
    with infinities():
        result = np.einsum("ij,j->i", axes, excess)
        return float((result**2).sum())


class ClusteredScore(NamedTuple):
    """The score statistic of cases in clusters, its degrees of freedom, and how many clusters.

    Clusters of certain forecasts alone do not count; without any others there is nothing to test.
    """

    statistic: float
    degrees: int
    clusters: int

    @property
    def p_value(self) -> float:
        r"""The probability of more if sums over clusters are normal.

        With q degrees of freedom and G clusters, :math:`Q (G - q) / (q (G - Q))` is then an F with
        q and G - q, that of Hotelling's test of a mean. Q never exceeds G. It reaches that only if
        some combination of the sums is the same in all clusters, which says nothing about how much
        they vary; NaN then, and if all sums are 0, or clusters are too few.
        """
        from scipy.special import fdtrc

        q, left = self.degrees, self.clusters - self.statistic
        if not self.clusters:
            return 1.0
        if not 0 < q < self.clusters or left <= RANK * self.clusters:
            return math.nan
        spare = self.clusters - q
        return float(fdtrc(q, spare, self.statistic * spare / (q * left)))

    @property
    def asymptotic(self) -> float:
        """The same if there are very many clusters: that of chi-squared."""
        return self._tail(self.statistic) if self.clusters else 1.0

    @property
    def least_p_value(self) -> float:
        """The smallest of chi-squared, whose statistic is at most the number of clusters."""
        return self._tail(self.clusters) if self.clusters else 0.0

    def _tail(self, statistic: float) -> float:
        from scipy.special import chdtrc

        return float(chdtrc(self.degrees, statistic)) if self.degrees else math.nan


def score_rows(p: Column, happened: Column, weight: Column) -> tuple[Column, Column]:
    """Return which cases the score is of, and what each adds to it: a row for level and slope.

    Certain forecasts add nothing; if all others are the same there is no slope.
    """
    used, odds = (p > 0) & (p < 1), np.zeros(len(p))
    odds[used] = logit(p[used])
    excess = np.where(used, weight * (happened - p), 0.0)
    rows = [excess]
    if used.any() and np.ptp(odds[used]) > 0:
        rows.append(excess * (odds - odds[used].mean()))
    return used, np.stack(rows)


def clustered_score(p: Column, happened: Column, weight: Column, cluster: Column) -> ClusteredScore:
    r"""Return the score statistic of cases in clusters.

    With :math:`U_g` the sum of :math:`w z (y - x)` over a cluster, it is
    :math:`(\sum U_g)' (\sum U_g U_g')^{-1} \sum U_g`. That is the squared length of the part of a
    column of ones that the columns of the :math:`U_g` span, and independent of their units.
    """
    used, rows = score_rows(p, happened, weight)
    if not used.any():
        return ClusteredScore(0.0, 0, 0)
    total = add_up(rows, cluster, int(cluster.max()) + 1)
    clusters = len(np.unique(cluster[used]))
    # What cancels within clusters but for rounding is nothing.
    length = np.linalg.norm(total, axis=1, keepdims=True)
    most = np.abs(rows).sum(axis=1, keepdims=True)
    scaled = np.where(length > SAME_SUM * most, total / np.where(length > 0, length, 1.0), 0.0)
    _, size, spanned = np.linalg.svd(scaled, full_matrices=False)
    result = spanned[size > RANK].sum(axis=1)
    return ClusteredScore(float(result @ result), len(result), clusters)


@dataclass(frozen=True, repr=False)
class CalibrationTest(Record):
    """Whether forecasts are further from calibrated than chance would bring about.

    Attributes
    ----------
    name : str
        Which test was made. Where data separate, so that no line fits best, `"score"` takes the
        place of `"cox"` and `"citl"`.
    statistic : float
        What it measures: the miscalibration (`"mcb"`); the smaller of two p-values
        (`"combined"`); a chi-squared or an F statistic (`"cox"`, `"citl"`,
        `"hosmer-lemeshow"`); one that is chi-squared if there are many cases, or clusters
        (`"score"`); a number of standard deviations (`"spiegelhalter"`, `"ks"`,
        `"kuiper"`). NaN if certain forecasts leave it undefined, infinite if one of them is
        refuted.
    p_value : float
        Probability of at least as much if the forecasts are calibrated.
    method : str
        How the p-value was found: `"Monte Carlo"`, which is exact, `"dependent draws"` of cases
        with times, `"chi-squared"`, `"F"` or `"normal"`; `"none"` if dependence is too long, and
        `"none: "` with a reason if clusters are too few.
    degrees : float, pair of floats or None
        Degrees of freedom; of an F, of numerator and denominator.
    parts : dict
        Further p-values by name: of `"mcb"` and `"score"` alone, which the combined test is made
        of; of `"citl"` and `"slope"` alone, for `"cox"`; the `"asymptotic"` one where draws, or
        an F that the statistic was made into, made the p-value.
    miscalibration : float or None
        The miscalibration of the forecasts, if it was tested.
    mean_if_calibrated : float or None
        The mean miscalibration of calibrated forecasts, which is not zero unless all are certain.
    rule : str or None
        Name of the rule by which miscalibration was measured.
    replicates : int or None
        Random draws.
    design : str
        How many cases there are, and how they were sampled.
    certain : int
        Forecasts of exactly 0 or 1, which are left out unless one of them was wrong.
    p_is_bound : bool
        Whether no draw reached what was observed: the p-value is then at most this.
    dependence : Dependence or None
        Of cases with times, how much they depend on one another: `phi` within bins of the
        reliability curve and `psi` over all cases, as ratios of variances, `rho` of drawn outcomes,
        and `effective_times`.

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> test = properly.calibration_test(t, rng=1)
    >>> test
    CalibrationTest(combined: p = 0.728, Monte Carlo)
    >>> print(f"{test.miscalibration:.6f}")
    0.001268
    """

    name: str
    statistic: float
    p_value: float
    method: str
    degrees: float | tuple[float, float] | None = None
    parts: dict[str, float] = field(default_factory=dict)
    miscalibration: float | None = None
    mean_if_calibrated: float | None = None
    rule: str | None = None
    replicates: int | None = None
    design: str = ""
    certain: int = 0
    p_is_bound: bool = False
    dependence: Dependence | None = None

    _optional: ClassVar = ("dependence",)

    def __repr__(self) -> str:
        return f"CalibrationTest({self.name}: {self._p_text}, {self.method})"

    def __str__(self) -> str:
        """Say it in a sentence."""
        notes = [_method(self), *(_part(self, name) for name in self.parts)]
        if self.miscalibration is not None and self.mean_if_calibrated is not None:
            sizes = f"{self.miscalibration:.4g}, {self.mean_if_calibrated:.4g} if calibrated"
            notes.append(f"miscalibration {sizes}")
        if self.certain:
            fate = "some of them wrong" if math.isinf(self.statistic) else "left out"
            notes.append(f"{many(self.certain, 'certain forecast')}, {fate}")
        notes.append(self.design)
        if self.dependence is not None:
            notes.append(self.dependence.text)
        by = f"{self._p_text} by the {self.name} test of calibration"
        return wrapped(f"{by} ({'; '.join(notes)})")

    @property
    def _p_text(self) -> str:
        if math.isnan(self.p_value):
            return "no p-value"
        return p_text(self.p_value, is_bound=self.p_is_bound)

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row; p-values of parts and degrees of a denominator have their own columns."""
        row = {k: x for k, x in self._row().items() if k not in ("parts", "degrees", "dependence")}
        first, second = self.degrees if isinstance(self.degrees, tuple) else (self.degrees, None)
        row |= {"degrees": first, "denominator_degrees": second}
        if self.dependence is not None:
            row |= {name: getattr(self.dependence, name) for name in DEPENDENCE}
        row |= {f"p_value_{name}": p for name, p in self.parts.items()}
        return {name: [value] for name, value in row.items()}


def why_untested(test: CalibrationTest) -> str:
    """Return why there is no p-value, as far as the method says."""
    return test.method.partition("none: ")[2]


def _part(test: CalibrationTest, name: str) -> str:
    """Say which further p-value this is."""
    words, p = {"asymptotic": "asymptotically", "F": "by an F"}, test.parts[name]
    # What is not by draws has a name of its own.
    drawn = test.replicates is not None and name not in words
    is_bound = drawn and p <= 1 / (1 + (test.replicates or 0))
    text = p_text(p, is_bound=is_bound).removeprefix("p ").removeprefix("= ")
    return f"{words.get(name, f'{name} alone')} {text}"


def _method(test: CalibrationTest) -> str:
    """Say how a p-value was found."""
    if test.replicates is not None:
        return f"{test.method}, {many(test.replicates, 'draw')}"
    if test.degrees is None or test.method.startswith("none"):
        return why_untested(test) or test.method
    degrees = test.degrees if isinstance(test.degrees, tuple) else (test.degrees,)
    name = "degree" if degrees == (1,) else "degrees"
    return f"{test.method} with {' and '.join(f'{d:g}' for d in degrees)} {name} of freedom"


@dataclass(frozen=True, repr=False)
class Certain(Record):
    """How often forecasts were certain, and how often they were wrong.

    Numbers of cases, or weights if cases have them.

    Attributes
    ----------
    never : int or float
        Cases for which the event was called impossible: a forecast of exactly 0.
    never_wrong : int or float
        Those of them that had the event.
    always : int or float
        Cases for which the event was called certain: a forecast of exactly 1.
    always_wrong : int or float
        Those of them that did not have it.

    Examples
    --------
    >>> import properly
    >>> e = properly.evaluate([0, 1, 1, 0], {"model": [0.0, 0.0, 0.5, 0.7]}, replicates=0)
    >>> e.certain["model"]
    Certain(impossible 2 cases, 1 wrong; certain 0 cases, 0 wrong)
    """

    never: int | float
    never_wrong: int | float
    always: int | float
    always_wrong: int | float

    @property
    def wrong(self) -> int | float:
        """How often a certain forecast was wrong, either way."""
        return self.never_wrong + self.always_wrong

    def __repr__(self) -> str:
        impossible = f"impossible {amount_of(self.never)}, {_amount(self.never_wrong)} wrong"
        sure = f"certain {amount_of(self.always)}, {_amount(self.always_wrong)} wrong"
        return f"Certain({impossible}; {sure})"


def certainties(tally: Tally) -> Certain:
    """Count the certain forecasts of a tally, which are its first and its last."""
    never, happened = _at(tally, 0)
    always, right = _at(tally, 1)
    return Certain(never, happened, always, always - right)


def _amount(cases: float) -> str:
    return f"{cases:,.4g}" if isinstance(cases, float) else f"{cases:,}"


def _at(tally: Tally, certain: int) -> tuple[int | float, int | float]:
    """Return the cases with a certain forecast, and the events among them."""
    there, add_all = tally.value == certain, namespace(tally.value).sum
    # Sums of whole weights are whole, but no numbers of cases.
    kind = int if tally.event_squares is None else float
    return kind(add_all(tally.weight[there])), kind(add_all(tally.events[there]))
