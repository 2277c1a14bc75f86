"""Intervals of the means and of the divergence, with outcomes simulated from a known truth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import Drawing
from properly._boundary._text import p_text
from properly.calibration import _components
from properly.calibration._components import Decision, ForecastPrices, components, p_value
from properly.counts._cases import Cases, has_classes, has_clusters, has_time, is_dependent
from properly.counts._class_rows import rows_of, table_of
from properly.counts._isotonic import refit
from properly.counts._tally import Tally, as_tally
from properly.inference._draws import fast_stream, sampler
from properly.inference._moments import Spread
from properly.inference._variance import spread_of_means, spread_of_rows
from properly.probability._power_means import POWERS, ROBUSTNESS, ThreeMeans
from properly.probability._sources import IsotonicSource, Source, questions
from properly.rules import Log
from properly.rules._class_rule import at
from properly.typing import Column


def simulation_of(cases: Tally | Cases) -> TruthSimulation:
    """Get ready to draw outcomes."""
    return ClassSimulation(cases) if has_classes(cases) else EventSimulation(cases)


class EventSimulation:
    """Forecasts of an event: its distinct forecasts, and what the source says at each.

    Outcomes are drawn as the model says, `p`, or as the isotonic source says, `fitted`, if they can
    be drawn that depend on each other as those of the cases do.
    """

    def __init__(self, cases: Tally | Cases) -> None:
        tally = as_tally(cases)
        self.cases, self.fit = cases, IsotonicSource().fit(tally)
        self.p, self.fitted = to_numpy(tally.value).astype(np.float64), self.fit.spread()
        self.can_draw = not has_time(cases)

    def spread(self, unit: float) -> Spread:
        """Find the spread of the means behind three averages and the log divergence.

        Powers of -2/3 are those of probabilities in a unit, such as their own mean, without which
        the squares of some would be too large for a double.
        """
        event = _amounts(self.p, self.fitted, unit)
        none = _amounts(1 - self.p, self.fit.spread(self.fit.rest), unit)
        return spread_of_means(self.cases, event, none)

    def losses(self, truth: Column, replicates: int, rng: np.random.Generator) -> Column:
        """Draw outcomes from a truth, and find how much better than it each new fit seems.

        A loss is minus the logarithm of the divergence: the miscalibration of the log score.
        """
        draws, stream = sampler(self.cases), fast_stream(rng)
        if has_clusters(self.cases):
            # Whole clusters are drawn, with outcomes that agree within them as they did.
            drawn = draws.draws(truth, replicates, stream, self.fitted)
        else:
            drawn = draws.outcomes(truth, replicates, stream)
        return np.asarray(components(drawn, ForecastPrices.at(truth, Log()))[0])


class ClassSimulation:
    """Forecasts of classes, with outcomes drawn likewise.

    Each class is fitted by itself, so that the probabilities of a case need not sum to 1; they are
    divided by their sum to be drawn from.

    Attributes
    ----------
    y, p : numpy array
        What happened, and the probabilities, one column per class.
    weight : numpy array
        What each case weighs.
    fitted : numpy array
        The probability that the isotonic source gives each class, by itself.
    cells, totals : list of numpy arrays
        For each class, the place of each case among the distinct forecasts, and the weight there.
    """

    def __init__(self, cases: Cases) -> None:
        rows, by_class = rows_of(cases), questions(cases, IsotonicSource())
        self.cases, self.y, self.p, self.weight = cases, rows.y, rows.p, rows.weight
        self.cells = [one.rows_at(q) for one, q in zip(by_class, rows.p.T, strict=True)]
        rates = zip(by_class, self.cells, strict=True)
        self.fitted = np.stack([one.fit.spread()[cell] for one, cell in rates], axis=1)
        self.totals = [np.bincount(cell, rows.weight) for cell in self.cells]
        self.can_draw = not is_dependent(cases)

    def spread(self, unit: float) -> Spread:
        """Find the spread of the means behind three averages and the log divergence."""
        given = _amounts(at(self.p, self.y), at(self.fitted, self.y), unit)
        return spread_of_rows(self.cases, given)

    def losses(self, truth: Column, replicates: int, rng: np.random.Generator) -> Column:
        """Draw outcomes from a truth, and find how much better than it each new fit seems."""
        truth = truth / truth.sum(axis=1, keepdims=True)
        with infinities():
            log = np.log(truth)
        drawn = [self._loss(classes, log) for classes in self._draws(truth, replicates, rng)]
        return np.array(drawn) - self._loss_of_truth(truth, log)

    def _draws(self, truth: Column, replicates: int, rng: np.random.Generator) -> Iterator[Column]:
        """Draw one class for each row, which is a case however much it weighs."""
        row, upto, stream = np.arange(len(truth)), np.cumsum(truth, axis=1), fast_stream(rng)
        # Of all rows laid end to end, each a little higher than the one before.
        ladder = (upto / upto[:, -1:] + row[:, None]).ravel()
        for _ in range(replicates):
            # Adding the number of the row must not round a place up to the next one.
            place = np.minimum(row + stream.random(len(row)), np.nextafter(row + 1.0, 0.0))
            yield np.searchsorted(ladder, place, side="right") - row * truth.shape[1]

    def _loss(self, drawn: Column, log: Column) -> float:
        order = np.argsort(drawn, kind="stable")
        start = np.searchsorted(drawn[order], np.arange(len(self.cells) + 1))
        parts = (order[first:last] for first, last in pairwise(start.tolist()))
        cells = zip(self.cells, self.totals, parts, strict=True)
        events = [np.bincount(cell[of], self.weight[of], len(n)) for cell, n, of in cells]
        return self._fitted(events) - float(self.weight @ at(log, drawn)) / float(self.weight.sum())

    def _loss_of_truth(self, truth: Column, log: Column) -> float:
        """Return how much better class by class would be if each class came as often as expected.

        Nothing, if the truth is the model. Rows that were divided by their sums are no longer what
        the fit of each class by itself has found, and would seem to be miscalibrated.
        """
        amount = self.weight[:, None] * truth
        cells = zip(self.cells, self.totals, amount.T, strict=True)
        events = [np.bincount(cell, part, len(n)) for cell, n, part in cells]
        there = amount > 0
        return self._fitted(events) - float(amount[there] @ log[there]) / float(self.weight.sum())

    def _fitted(self, events: list[Column]) -> float:
        """Return the mean logarithm that fits of each class by itself give to its events."""
        total = 0.0
        for weight, happened in zip(self.totals, events, strict=True):
            # Sums of shares may exceed the weight by rounding.
            fit = refit(weight, np.minimum(happened, weight))
            some = fit.events > 0
            total += float(fit.events[some] @ np.log(fit.event_rate[some]))
        return total / float(self.weight.sum())


def _amounts(t: Column, p: Column, unit: float) -> Column:
    """Return what four means are means of: value, logarithm, power of -2/3, and log ratio."""
    with infinities():
        log = np.log(t)
        power = np.exp(ROBUSTNESS * (log - math.log(unit)))
        return np.stack([t, log, power, log - np.log(p)])


def largest_share(cases: Tally | Cases) -> float:
    """Return how much of the sum of powers of -2/3 a single case makes up.

    A tally knows cases by their mean weight.
    """
    rows = rows_of(cases) if isinstance(cases, Cases) else table_of(cases)
    with infinities():
        power = rows.t**ROBUSTNESS
    if np.isinf(power).any():
        return 1.0
    # Counts are their own squares, so that each of their cases weighs 1.
    each = power * (rows.square / rows.weight)
    return float(each.max() / (rows.weight @ power))


Pair: TypeAlias = tuple[float, float]

TruthSimulation: TypeAlias = EventSimulation | ClassSimulation

# If one case makes up more than this of a sum, the spread of the sum cannot be told.
MUCH = 0.1


@dataclass(frozen=True)
class MeansIntervals:
    """How far off averages on the probability scale may be.

    Attributes
    ----------
    decisiveness, mean_probability, robustness : pair of floats
        Lower and upper end, found on the scale of logarithms; NaN where nothing can be said.
    standard_errors : ThreeMeans
        Standard errors of the three.
    divergence : pair of floats
        Lower and upper end for the divergence. Only for the isotonic source, with a fit for each
        class, as all that follows up to the p-value; NaN if cases have times, or classes have
        clusters, since outcomes with such dependence are not drawn.
    corrected_divergence : float
        The divergence less its bias. The source is fitted to the outcomes that it is judged by
        and seems too good; what remains may be a little above 1. Where there are few cases for
        each class, too little is taken away; the interval allows for that.
    log_divergence_error : float
        The standard error of the logarithm of the divergence, if the source were known.
    divergence_if_calibrated : float
        The mean divergence of such cases if they were calibrated: what fitting noise costs.
        Forecasts stay as they are; of cases in clusters, whole clusters are drawn.
    p_value : float
        Of the test of calibration by the divergence; NaN if cases have clusters or times, since
        the test takes them as independent.
    largest_share : float
        How much of the sum behind the robustness a single case makes up. Above a tenth, its
        interval is not to be trusted.
    level : float
        Coverage aimed at by each interval.
    replicates : int
        Random draws for the test.
    p_is_bound : bool
        Whether no draw reached what was observed: the p-value is then at most this.

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> found = properly.means(t, interval=True, rng=1)
    >>> low, high = found.intervals.mean_probability
    >>> print(f"{found.mean_probability:.3f} ({low:.3f} to {high:.3f})")
    0.583 (0.548 to 0.619)
    """

    decisiveness: Pair
    mean_probability: Pair
    robustness: Pair
    standard_errors: ThreeMeans
    divergence: Pair
    corrected_divergence: float
    log_divergence_error: float
    divergence_if_calibrated: float
    p_value: float
    largest_share: float
    level: float
    replicates: int
    p_is_bound: bool = False

    def remarks(self) -> list[str]:
        """Say in words what the numbers on the divergence are."""
        if math.isnan(self.corrected_divergence) or self.corrected_divergence == 0:
            return []
        low, high = self.divergence
        corrected = f"divergence less its bias: {_number(self.corrected_divergence)}"
        interval = f" ({100 * self.level:g}% interval {_number(low)} to {_number(high)})"
        lines = [corrected if math.isnan(low) else corrected + interval]
        if not math.isnan(self.p_value):
            p = p_text(self.p_value, is_bound=self.p_is_bound, digits=2)
            lines.append(f"test of calibration: {p}")
        return lines


def _number(x: float) -> str:
    return f"{x:.4f}" if x < 10 else f"{x:.3g}"


class Divergence(NamedTuple):
    """What is said about how far off a divergence may be."""

    interval: Pair = (math.nan, math.nan)
    corrected: float = math.nan
    error: float = math.nan
    if_calibrated: float = math.nan


def find_mean_intervals(
    cases: Tally | Cases, source: Source, model: ThreeMeans, divergence: float, drawing: Drawing
) -> MeansIntervals:
    """Put intervals around three means, and around the divergence from an isotonic source."""
    simulation = simulation_of(cases)
    spread = simulation.spread(model.robustness or 1.0)
    relative = _relative(model, spread.errors)
    half = _relative(model, spread.half_widths(drawing.level))
    result, test = Divergence(), Decision(math.nan, drawing.replicates, is_bound=False)
    if isinstance(source, IsotonicSource) and not source.pooled:
        result = Divergence(error=math.sqrt(spread.covariance[3, 3]))
        if simulation.can_draw:
            drawn = simulation.losses(simulation.p, drawing.replicates, drawing.rng)
            result = _of_divergence(simulation, divergence, spread, drawing, drawn)
            if not is_dependent(cases):
                test = _test_divergence(simulation, divergence, drawn, drawing.rng)
    share = largest_share(cases)
    if share > MUCH and model.robustness > 0:
        message = (
            f"one case alone makes up {share:.0%} of the sum behind the robustness, "
            "so that its interval is not to be trusted"
        )
        notice(message)
    averages = [getattr(model, name) for name in POWERS]
    errors = ThreeMeans(*(m * r for m, r in zip(averages, relative, strict=True)))
    found: list[Any] = [*map(_around, averages, half), errors, *result, test.p_value, share]
    return MeansIntervals(*[*found, drawing.level, test.replicates, test.is_bound])


def _relative(model: ThreeMeans, width: Column) -> list[float]:
    """Return standard errors of the logarithms of three means, or half widths of intervals.

    The logarithm of a mean of power m moves by one over m times the mean of powers, for each unit
    that the latter moves by. For the power -2/3 that mean is 1, in units of the mean itself.
    """
    units = zip(POWERS, (model.decisiveness, 1.0, abs(ROBUSTNESS)), width.tolist(), strict=False)
    return [w / unit if getattr(model, name) else math.nan for name, unit, w in units]


def _around(mean: float, half: float) -> Pair:
    """Put an interval around a mean of probabilities, which cannot be above 1."""
    if mean == 0:
        return 0.0, math.nan
    above = 1.0 if mean < 1 and half > -math.log(mean) else min(mean * math.exp(half), 1.0)
    return mean * math.exp(-half), above


def _of_divergence(
    simulation: TruthSimulation, divergence: float, spread: Spread, drawing: Drawing, drawn: Column
) -> Divergence:
    """Take the bias away, and add the error of doing so.

    The bias is too small if outcomes are drawn from a source that has fitted the noise, and too
    large if from a model that is not calibrated. The interval reaches from one to the other.
    """
    from scipy.special import stdtrit

    level, replicates, rng = drawing
    if_calibrated = float(np.exp(-drawn).mean())
    if divergence == 0:
        return Divergence((0.0, math.nan), 0.0, math.nan, if_calibrated)
    loss = -math.log(divergence)
    enough = _components.enough_for_bias(replicates)
    fitting = simulation.losses(simulation.fitted, enough, rng)
    scatter = float(fitting.std(ddof=1)) if enough > 1 else math.nan
    bias, other = float(fitting.mean()), float(drawn.mean())
    error = math.sqrt(spread.covariance[3, 3])
    half = float(stdtrit(spread.degrees, (1 + level) / 2)) * math.hypot(error, scatter)
    ends = -loss + min(bias, other) - half, -loss + max(bias, other) + half
    with infinities():
        lower, upper = np.exp(ends).tolist()
    return Divergence((lower, upper), math.exp(bias - loss), error, if_calibrated)


def _test_divergence(
    simulation: TruthSimulation, divergence: float, drawn: Column, rng: np.random.Generator
) -> Decision:
    """Test whether there is any divergence."""
    if divergence == 0:
        # No draw contradicts a certain forecast, so one that was contradicted is beyond all.
        return _components.decide(_components.least_of, len(drawn))
    loss = -math.log(divergence)

    def compare(replicates: int) -> float:
        nonlocal drawn
        if missing := replicates - len(drawn):
            drawn = np.append(drawn, simulation.losses(simulation.p, missing, rng))
        return p_value(loss, drawn, loss + 1.0)

    return _components.decide(compare, len(drawn))
