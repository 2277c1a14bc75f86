"""Confidence intervals of the means, and of the divergence between model and source."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._notices import notice
from properly._boundary._text import p_text
from properly.calibration._components import Decision, decide, enough_for_bias, least_of, p_value
from properly.counts._cases import is_dependent
from properly.probability._power import POWERS, ROBUSTNESS, ThreeMeans
from properly.probability._simulated_truth import simulation_of
from properly.probability._sources import IsotonicSource

if TYPE_CHECKING:
    from properly._boundary._options import Drawing
    from properly.counts._cases import Cases
    from properly.counts._tally import Tally
    from properly.inference._moments import Spread
    from properly.probability._simulated_truth import Simulation
    from properly.probability._sources import Source
    from properly.typing import Column

Pair: TypeAlias = tuple[float, float]

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
    relative = _relative(model, spread)
    half = _relative(model, spread, drawing.level)
    result, test = Divergence(), Decision(math.nan, drawing.replicates, is_bound=False)
    if isinstance(source, IsotonicSource) and not source.pooled:
        result = Divergence(error=math.sqrt(spread.covariance[3, 3]))
        if simulation.can_draw:
            drawn = simulation.losses_if_calibrated(drawing.replicates, drawing.rng)
            result = _of_divergence(simulation, divergence, spread, drawing, drawn)
            if not is_dependent(cases):
                test = _test_divergence(simulation, divergence, drawn, drawing.rng)
    share = simulation.largest_share()
    if share > MUCH and model.robustness > 0:
        message = (
            f"one case alone makes up {share:.0%} of the sum behind the robustness, "
            "so that its interval is not to be trusted"
        )
        notice(message)
    averages = [getattr(model, name) for name in POWERS]
    decisiveness, mean_probability, robustness = map(_around, averages, half)
    return MeansIntervals(
        decisiveness,
        mean_probability,
        robustness,
        ThreeMeans(*(m * r for m, r in zip(averages, relative, strict=True))),
        *result,
        test.p_value,
        share,
        drawing.level,
        test.replicates,
        test.is_bound,
    )


def _relative(model: ThreeMeans, spread: Spread, level: float | None = None) -> list[float]:
    """Return standard errors of the logarithms of three means, or half widths of intervals.

    The logarithm of a mean of power m moves by one over m times the mean of powers, for each unit
    that the latter moves by. For the power -2/3 that mean is 1, in units of the mean itself.
    """
    if level is None:
        width = np.sqrt(np.diagonal(spread.covariance))[:3]
    else:
        width = spread.half_widths(level)[:3]
    result = []
    units = model.decisiveness, 1.0, abs(ROBUSTNESS)
    for name, unit, w in zip(POWERS, units, width.tolist(), strict=True):
        result.append(w / unit if getattr(model, name) else math.nan)
    return result


def _around(mean: float, half: float) -> Pair:
    """Put an interval around a mean of probabilities, which cannot be above 1."""
    if mean == 0:
        return 0.0, math.nan
    if mean < 1 and half > -math.log(mean):
        return mean * math.exp(-half), 1.0
    return mean * math.exp(-half), min(mean * math.exp(half), 1.0)


def _of_divergence(
    simulation: Simulation, divergence: float, spread: Spread, drawing: Drawing, drawn: Column
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
    enough = enough_for_bias(replicates)
    fitting = simulation.losses_by_fitting(enough, rng)
    scatter = float(fitting.std(ddof=1)) if enough > 1 else math.nan
    bias, other = float(fitting.mean()), float(drawn.mean())
    error = math.sqrt(spread.covariance[3, 3])
    half = float(stdtrit(spread.degrees, (1 + level) / 2)) * math.hypot(error, scatter)
    ends = -loss + min(bias, other) - half, -loss + max(bias, other) + half
    with np.errstate(over="ignore"):
        lower, upper = np.exp(ends).tolist()
    return Divergence((lower, upper), math.exp(bias - loss), error, if_calibrated)


def _test_divergence(
    simulation: Simulation, divergence: float, drawn: Column, rng: np.random.Generator
) -> Decision:
    """Test whether there is any divergence."""
    if divergence == 0:
        # No draw contradicts a certain forecast, so one that was contradicted is beyond all.
        return decide(least_of, len(drawn))
    loss = -math.log(divergence)

    def compare(replicates: int) -> float:
        nonlocal drawn
        if missing := replicates - len(drawn):
            drawn = np.append(drawn, simulation.losses_if_calibrated(missing, rng))
        return p_value(loss, drawn, loss + 1.0)

    return decide(compare, len(drawn))
