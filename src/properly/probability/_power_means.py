"""Power means: the arithmetic, the geometric, and all between and beyond them.

A precision limits how near forecasts are to 0 and 1, and how many had to move is counted. The means
that forecasts expect of themselves, beside those observed, test over- and underconfidence.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from properly._boundary import _arrays
from properly._boundary._chunks import sweep
from properly._boundary._libraries import infinities, is_numpy, namespace, to_numpy
from properly._boundary._options import as_number
from properly._boundary._record import Record
from properly._boundary._text import SMALLEST_P, amount_of, p_text, table_of_numbers
from properly._boundary._tolerances import SAME_SUM
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, is_unweighted, require_independent, with_forecasts
from properly.counts._class_rows import ClassTable, table_of
from properly.counts._pooling import is_one_each, pool
from properly.counts._tally import Tally, as_tally, sums_of, tally_of_sums
from properly.errors import DataError
from properly.rules._class_rule import at
from properly.typing import Array, ArrayLike, Column

DECISIVENESS, MEAN_PROBABILITY, ROBUSTNESS = 1.0, 0.0, -2 / 3
# Smaller powers are 0 to the last digit of any mean.
NONE = 1e-100
POWERS = {
    "decisiveness": DECISIVENESS,
    "mean_probability": MEAN_PROBABILITY,
    "robustness": ROBUSTNESS,
}
# Names as tables and figures print them.
LABELS = {name: name.replace("_", " ") for name in POWERS}
# Of the test of over- and underconfidence: its level, and what is tabled.
LEVEL = 0.05
COLUMNS = ("expected", "observed", "z", "p_value", "adjusted")


@dataclass(frozen=True)
class ThreeMeans(Record):
    """Three means of the same probabilities, the greatest first.

    Attributes
    ----------
    decisiveness : float
        The arithmetic mean, of power 1: near 1 where what happened was called all but certain,
        and hardly moved by a few cases that were called all but impossible.
    mean_probability : float
        The geometric mean, of power 0: the log score on the scale of probabilities, which Nelson
        calls accuracy. It is not the share of correct decisions.
    robustness : float
        The mean of power -2/3, which a few cases that were called all but impossible pull down.

    Examples
    --------
    >>> from properly.probability._power_means import ThreeMeans
    >>> ThreeMeans(0.7, 0.6, 0.5).mean_probability
    0.6
    """

    decisiveness: float
    mean_probability: float
    robustness: float


def generalized_mean(values: ArrayLike, power: float, weight: ArrayLike | None = None) -> float:
    r"""Return the (weighted) mean of a power.

    .. math:: M_m(t) = \Big(\frac{\sum_i w_i t_i^m}{\sum_i w_i}\Big)^{1/m}, \qquad
        M_0(t) = \exp \frac{\sum_i w_i \log t_i}{\sum_i w_i}, \qquad
        M_{\pm\infty}(t) = \max_i t_i, \ \min_i t_i .

    Parameters
    ----------
    values : array-like
        Numbers, none negative; probabilities as a rule.
    power : float
        Any real number, or an infinity. 1 is the arithmetic mean, 0 the geometric, -1 the harmonic.
    weight : array-like, optional
        Weights, none negative; values of weight 0 are left out.

    Returns
    -------
    float

    Notes
    -----
    The mean increases with the power. A single 0 makes it 0 for every power up to 0, and is
    an ordinary value for those above. Powers are taken of logarithms and scaled by the largest, so
    that nothing overflows.

    References
    ----------
    .. [1] G. H. Hardy, J. E. Littlewood, G. Pólya (1952). Inequalities, 2nd edition. Cambridge
       University Press, chapter II.

    Examples
    --------
    >>> import properly
    >>> [round(properly.generalized_mean([0.9, 0.8, 0.3], m), 4) for m in (1, 0, -2 / 3)]
    [0.6667, 0.6, 0.5508]
    >>> properly.generalized_mean([0.9, 0.0], 0), properly.generalized_mean([0.9, 0.0], 1)
    (0.0, 0.45)
    """
    t = to_numpy(_arrays.check_amounts(values, "values")).astype(np.float64)
    m = as_number(power, "power")
    if math.isnan(m):
        message = f"a power must be a number or an infinity; got {power!r}"
        raise DataError(message)
    if weight is None:
        return mean_of_power(t, m)
    w = to_numpy(_arrays.check_weights(weight))
    _arrays.check_length(w, t, "weights", "values")
    return mean_of_power(t[w > 0], m, w[w > 0])


def as_powers(powers: ArrayLike) -> Column:
    """Take a list of numbers; what was written as -0.0 is told as 0.0."""
    result = to_numpy(_arrays.as_numbers(_arrays.as_column(powers, "powers"), "powers"))
    return result.astype(np.float64) + 0.0


def mean_of_power(t: Column, power: float, weight: Column | None = None) -> float:
    """Return the mean of a power of numbers, none negative, with positive weights."""
    if power == DECISIVENESS:
        return _average(t, weight)
    with infinities():
        result = mean_from_logs(np.log(t), power, weight)
    # Equal numbers have that very number as their mean.
    return min(max(result, float(t.min())), float(t.max()))


def mean_from_logs(log: Column, power: float, weight: Column | None = None) -> float:
    """Return the mean of a power of numbers whose logarithms are given; that of 0 is infinite."""
    if abs(power) < NONE:
        return math.exp(_average(log, weight))
    last = float(log.max() if power > 0 else log.min())
    if math.isinf(power) or math.isinf(last):
        return math.exp(last)
    with infinities():
        # Relative to the number that counts most, whose power is then 1.
        below = power * (log - last)
    if below.min() < -1:
        rest = math.log(_average(np.exp(below), weight))
    else:
        # A small power leaves next to nothing, which must not be lost beside 1.
        rest = math.log1p(_average(np.expm1(below), weight))
    return math.exp(last + rest / power)


def three_means(t: Column, weight: Column) -> ThreeMeans:
    """Return the arithmetic, the geometric and the -2/3 mean, in one pass."""
    return sums_of_powers(t, weight).means()


class PowerSums(NamedTuple):
    """What three means are made of; the sums of parts add up to those of the whole."""

    weight: float
    value: float
    log: float
    power: float

    @classmethod
    def of_all(cls, parts: Iterable[PowerSums]) -> PowerSums:
        """Add up what the parts of the data sum to."""
        return cls(*map(math.fsum, zip(*parts, strict=True)))

    def means(self) -> ThreeMeans:
        """Divide by the weight, and undo the powers; NaN of what is lost beside heavier cases."""
        if not self.weight:
            return ThreeMeans(math.nan, math.nan, math.nan)
        return ThreeMeans(*(float(mean) for mean in divide_sums(*self)))


def divide_sums(weight: Any, value: Any, log: Any, power: Any) -> tuple[Any, Any, Any]:
    """Return the three means that sums, or columns of sums, stand for, the greatest first."""
    robustness = (power / weight) ** (1 / ROBUSTNESS)
    # Rounding must not turn their order round.
    mean_probability = np.maximum(np.exp(log / weight), robustness)
    return np.maximum(value / weight, mean_probability), mean_probability, robustness


def sums_of_powers(t: Column, weight: Column) -> PowerSums:
    """Add up numbers, their logarithms and their powers of -2/3, each times its weight."""
    return sums_in_pieces(lambda t, weight: [_sums(t, weight)], t, weight)[0]


def sums_in_pieces(
    function: Callable[..., Sequence[PowerSums]], *columns: Array
) -> tuple[PowerSums, ...]:
    """Add up, part by part, what a function finds in pieces of the columns."""
    parts = zip(*sweep(function, *columns), strict=True)
    return tuple(PowerSums.of_all(part) for part in parts)


def sums_of_outcomes(value: Array, weight: Array, events: Array) -> tuple[PowerSums, ...]:
    """Add up what events were given, and what the absence of an event was, at each forecast."""
    one_each = is_one_each(weight)

    def sums(value: Array, weight: Array, events: Array) -> list[PowerSums]:
        xp = namespace(value)
        event, none = (xp.nonzero(x)[0] for x in (events > 0, events < weight))
        happened = None if one_each else xp.take(events, event)
        missing = None if one_each else xp.take(weight - events, none)
        others = 1.0 - xp.astype(xp.take(value, none), xp.float64)
        return [_sums(xp.take(value, event), happened), _sums(others, missing)]

    return sums_in_pieces(sums, value, weight, events)


def _sums(t: Array, weight: Array | None) -> PowerSums:
    """Add up three powers in place, since fresh memory costs as much as the arithmetic."""
    xp = namespace(t)
    weight = None if weight is None else xp.astype(weight, xp.float64)

    def add(x: Array) -> float:
        return float(xp.sum(x) if weight is None else weight.dot(x))

    t = xp.astype(t, xp.float64, copy=False)
    with infinities():
        x = xp.log(t)
    log = add(x)
    x *= ROBUSTNESS
    power = add(np.exp(x, out=x) if is_numpy(x) else xp.exp(x))
    total = float(len(t) if weight is None else weight.sum())
    return PowerSums(total, add(t), log, power)


def _average(x: Column, weight: Column | None) -> float:
    if weight is None:
        return float(x.mean())
    weight = weight.astype(np.float64)
    return float(weight @ x / weight.sum())


class Limited(NamedTuple):
    """Forecasts within the limits, how many cases or how much weight moved, and the precision."""

    cases: Tally | Cases
    clipped: int | float
    precision: float | None


def limit(cases: Tally | Cases, precision: float | None) -> Limited:
    """Move forecasts below the precision up to it, and those above one minus it down to that.

    Rows of more than two classes are then divided by their sums, since what is moved at one class
    is missing at the others. No precision moves nothing.
    """
    classes = cases.classes if isinstance(cases, Cases) else None
    if not isinstance(cases, Cases):
        cases = as_tally(cases)
    least = check_precision(precision, classes or 2)
    if least is None:
        return Limited(cases, 0, None)
    if isinstance(cases, Tally):
        return _limit_tally(cases, least)
    p, moved = _clip(cases.p, least)
    if classes is not None:
        xp = namespace(p)
        moved = xp.any(moved, axis=1)
        # In order of size, so that rows of the same numbers have the same sum.
        total = xp.sum(xp.sort(p, axis=1), axis=1, keepdims=True)
        p = xp.where(moved[:, None], p / total, p)
    return Limited(with_forecasts(cases, p), _amount_of_cases(moved, cases), least)


def check_precision(precision: float | None, classes: int) -> float | None:
    """Take a precision that leaves every class its share if all are alike; None is none."""
    if precision is None:
        return None
    result = as_number(precision, "precision")
    if not 0 <= result < 1 / classes:
        message = (
            f"precision must be 0 or more and below 1/{classes}, the probability of each of "
            f"{classes} classes if all are alike; got {result:g}"
        )
        raise DataError(message)
    return result + 0.0


def _clip(p: Array, least: float) -> tuple[Array, Array]:
    """Return probabilities within the limits, in double precision, and which of them moved."""
    xp = namespace(p)
    p = xp.astype(p, xp.float64)
    within = xp.clip(p, least, 1 - least)
    return within, within != p


def _limit_tally(tally: Tally, least: float) -> Limited:
    within, moved = _clip(tally.value, least)
    if not namespace(moved).any(moved):
        return Limited(tally, 0, least)
    columns = pool(within, sums_of(tally))
    amount = namespace(moved).sum(tally.weight[moved])
    amount = int(amount) if tally.event_squares is None else float(amount)
    return Limited(tally_of_sums(columns, tally.cells), amount, least)


def _amount_of_cases(moved: Array, cases: Cases) -> int | float:
    """Count cases, or add up their weight; equal weights are none."""
    xp, weight = namespace(moved), cases.weight
    if weight is None or is_unweighted(cases):
        return int(xp.count_nonzero(moved if weight is None else moved & (weight > 0)))
    return float(xp.sum(xp.astype(weight[moved], xp.float64)))


@dataclass(frozen=True, repr=False)
class ConfidenceTest(Record):
    """Whether what happened was as probable as the forecasts themselves expect.

    Attributes
    ----------
    expected : ThreeMeans
        The means of the probability of what happens, if it happens as the forecasts say.
    observed : ThreeMeans
        The means of the probability of what did happen.
    z : ThreeMeans
        How far apart the two are, in standard errors and on the scale of the power: negative where
        what happened was less probable than expected. NaN where chance has no say.
    p_value : ThreeMeans
        Probability of being as far apart if the forecasts are calibrated, each by itself.
    impossible : int or float
        How many cases had an outcome that was called impossible, or how much of their weight.

    Examples
    --------
    >>> import properly
    >>> died, forecasts = properly.datasets.crash().died, properly.datasets.crash().forecasts
    >>> test = properly.probability.confidence_test(properly.tally(died,
    ...     forecasts["balanced_boosting"]))
    >>> test
    ConfidenceTest(z -0.05 decisiveness, 2.43 mean probability, 5.79 robustness)
    >>> test.verdict[:40]
    'under-confident or biased to even odds: '
    """

    expected: ThreeMeans
    observed: ThreeMeans
    z: ThreeMeans
    p_value: ThreeMeans
    impossible: int | float = 0

    _derived: ClassVar = ("adjusted",)
    _optional: ClassVar = ("impossible", "verdict")

    @property
    def adjusted(self) -> ThreeMeans:
        """The p-values made larger by Holm's method, since three were looked at."""
        from properly.inference._multiplicity import holm

        return ThreeMeans(*holm(np.array(astuple(self.p_value))).tolist())

    @property
    def verdict(self) -> str:
        """What the three tests say together, in words, at a level of 5 %."""
        z = dict(zip(LABELS.values(), astuple(self.z), strict=True))
        result = dict(zip(LABELS.values(), astuple(self.adjusted), strict=True))
        if all(math.isnan(x) for x in z.values()):
            return "cannot be told: forecasts that were certain and right, or even, say nothing"
        if self.impossible:
            happened = f"{amount_of(self.impossible)} had an outcome that was called impossible"
            return f"calibration is refuted: {happened}; a precision tests the others"
        refused = [name for name, p in result.items() if p <= LEVEL]
        less, more = (", ".join(x for x in refused if sign * z[x] > 0) for sign in (-1, 1))
        if less and more:
            found = "what happened was less probable than the forecasts expect"
            return f"miscalibrated: {found} by {less}, but more by {more}"
        if less:
            return f"over-confident or biased: {_sentence('less', less)}"
        if more:
            return f"under-confident or biased to even odds: {_sentence('more', more)}"
        return "no sign of over- or under-confidence at the 5 % level"

    def _columns(self) -> dict[str, list[Any]]:
        columns = {name: list(astuple(getattr(self, name))) for name in COLUMNS}
        names: dict[str, list[Any]] = {"mean": list(POWERS), "power": list(POWERS.values())}
        return names | columns

    def __repr__(self) -> str:
        z = zip(LABELS.values(), astuple(self.z), strict=True)
        return f"ConfidenceTest(z {', '.join(f'{x:.2f} {name}' for name, x in z)})"

    def __str__(self) -> str:
        """Lay out one line a mean, and below what they say together."""
        p = (map(_p_value, astuple(x)) for x in (self.p_value, self.adjusted))
        numbers = zip(*map(astuple, (self.expected, self.observed, self.z)), *p, strict=True)
        text = table_of_numbers("mean", COLUMNS, zip(LABELS.values(), numbers, strict=True))
        width = text.index("\n")
        return f"{text}\n\n{textwrap.fill(self.verdict, width, break_on_hyphens=False)}"


def _p_value(p: float) -> float | str:
    """Write a small p-value as a bound."""
    return p_text(p).removeprefix("p ") if p < SMALLEST_P else p


@takes_rows
def confidence_test(cases: Tally | Cases, *, precision: float | None = None) -> ConfidenceTest:
    r"""Test whether what happened was as probable as the forecasts expect.

    Forecasts :math:`q` say which probability :math:`t` they will give to what happens. If they are
    calibrated, the mean of power :math:`m` of it should be about

    .. math:: E_m = \Big(\frac1n \sum_i \sum_j q_{ij}^{1 + m}\Big)^{1/m}, \qquad
        E_0 = \exp\Big(\frac1n \sum_i \sum_j q_{ij} \log q_{ij}\Big),

    with sums over what is possible, :math:`q_{ij} > 0`. No outcome is needed for that, no bins and
    no recalibration. With :math:`f(t) = t^m`, :math:`\log t` for :math:`m = 0`, the test is

    .. math:: z_m = \pm \frac{\sum_i f(t_i) - \mathrm{E}_q f}{\sqrt{\sum_i \mathrm{Var}_q f}},

    where the sign is minus for :math:`m < 0`: negative means, at every power, that what happened
    was less probable than expected.

    Parameters
    ----------
    cases : Tally or Cases
        Independent forecasts of an event or of classes, and what happened.
    precision : float, optional
        Move forecasts into ``[precision, 1 - precision]`` first.

    Returns
    -------
    ConfidenceTest
        For the powers 1 (decisiveness), 0 (mean probability) and -2/3 (robustness).

    Notes
    -----
    A negative z is what over-confidence looks like, and a positive one what forecasts look like
    that keep too close to even odds; but forecasts that are too high throughout, or too low, have
    the one or the other as well, and no sign tells bias and confidence apart. A model that was
    trained on balanced classes, and takes rare events for common ones, has a positive z. Errors of
    both kinds may cancel, so that a z near 0 is no proof of calibration;
    `properly.calibration_test` finds these too.

    The three tests look at the same cases and mostly agree. The verdict allows for their number by
    Holm's method [3]_, which holds however much they depend on each other.

    For an event, :math:`z_1` is Spiegelhalter's statistic [2]_ with its sign turned. All three
    are compared with the normal distribution, which needs many cases, and the more of them the
    closer forecasts come to 0, above all for robustness.

    Weights enter the variance as their squares. What was called impossible and happened refutes
    calibration outright, whatever the others say: z of mean probability and robustness is then
    minus infinity, and their p-values 0. Forecasts that are certain and right, or even among what
    is possible, give what happens the same probability whatever it is; without any others z is NaN.

    A precision makes forecasts less extreme than they were made. Calibrated ones no longer
    are: z moves upwards, most of all that of robustness. Of a tally that was grouped into cells
    the test is not exact either, since the forecasts of a cell are not all its mean.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286.
       `doi:10.3390/e19060286 <https://doi.org/10.3390/e19060286>`__
    .. [2] D. J. Spiegelhalter (1986). Probabilistic prediction in patient management and clinical
       trials. Statistics in Medicine 5:421-433.
       `doi:10.1002/sim.4780050506 <https://doi.org/10.1002/sim.4780050506>`__
    .. [3] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6:65-70.

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.1, 0.4, 0.9], [50, 60, 90], [11, 25, 69])
    >>> print(properly.probability.confidence_test(t))
    mean               expected   observed          z    p_value   adjusted
    decisiveness        0.73000    0.65700   -4.96702    < 0.001    < 0.001
    mean probability    0.65086    0.53300   -5.02604    < 0.001    < 0.001
    robustness          0.55833    0.41471   -5.06232    < 0.001    < 0.001
    <BLANKLINE>
    over-confident or biased: what happened was less probable than the
    forecasts expect (decisiveness, mean probability, robustness; 5 %
    level, Holm)
    """
    require_independent(cases, "the confidence test")
    rows = table_of(limit(cases, precision).cases)
    expected, observed = three_means(*rows.possible()), three_means(rows.t, rows.weight)
    z = ThreeMeans(*_statistics(rows))
    p_value = ThreeMeans(*(math.erfc(abs(x) / math.sqrt(2)) for x in astuple(z)))
    return ConfidenceTest(expected, observed, z, p_value, rows.impossible)


def _statistics(rows: ClassTable) -> list[float]:
    """Return z at each power."""
    pieces = sweep(_excess, rows.p, rows.y, rows.weight, rows.square)
    result = []
    for one in zip(*pieces, strict=True):
        excesses, errors = zip(*one, strict=True)
        excess, error = math.fsum(excesses), math.hypot(*errors)
        beyond = math.copysign(math.inf, excess) if excess else math.nan
        result.append(excess / error if error > 0 else beyond)
    return result


def _excess(p: Column, y: Column, weight: Column, square: Column) -> list[tuple[float, float]]:
    """Add up what powers are above their expectation, and return the standard error of that.

    Powers are measured from that of the likeliest class. What is as likely, but for rounding, is
    then exactly 0 away, and rows without variance leave no residue of rounding to divide by.
    """
    top = p.max(axis=1, keepdims=True)
    alike = (p == 0) | (top - p <= SAME_SUM * top)
    q, share = np.where(alike, top, p), p / p.sum(axis=1, keepdims=True)
    gone = at(p, y) == 0
    result = []
    for power in POWERS.values():
        away = _power(q, power) - _power(top, power)
        mean = (share * away).sum(axis=1)
        # The roots first: squares of powers, and of weights, may be beyond the doubles.
        scaled = np.sqrt(square[:, None]) * np.sqrt(share) * (away - mean[:, None])
        happened = np.where(gone, -top[:, 0] if power > 0 else -math.inf, at(away, y))
        excess = happened - mean
        result.append((float(weight @ excess), float(np.linalg.norm(scaled))))
    return result


def _power(t: Column, power: float) -> Column:
    """Return what increases with t and has the mean of the power as its own mean."""
    return np.log(t) if power == 0 else math.copysign(1, power) * t**power


def _sentence(how: str, names: str) -> str:
    return f"what happened was {how} probable than the forecasts expect ({names}; 5 % level, Holm)"
