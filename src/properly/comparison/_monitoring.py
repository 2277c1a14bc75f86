"""Sequential monitoring of forecasts: e-values against calibration and for the better of two.

Evidence may be looked at after every case. So may the mean difference of two forecasts, which has
intervals that hold for all times at once.
"""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from properly._boundary._arrays import check_rows, refuse
from properly._boundary._classes import is_table
from properly._boundary._exponents import divided, exponent_of
from properly._boundary._libraries import read_only, to_numpy
from properly._boundary._options import as_count, check_level, check_whole
from properly._boundary._record import Record, plain
from properly._boundary._tables import wrapped
from properly._boundary._text import many, p_text
from properly.errors import DataError, ImproperRuleError
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import require_binary

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.rules import BinaryRule, Rule
    from properly.typing import Array, ArrayLike, Column


# Recalibrations a + b x of the log-odds x that calibrated forecasts are held against: every
# intercept with every slope.
INTERCEPT, SLOPE = (
    grid.ravel()
    for grid in np.meshgrid(np.linspace(-1, 1, 9), [0.5, 0.7, 0.85, 1, 1.2, 1.5, 2], indexing="ij")
)
# Shares of the capital that are bet on the second of two forecasts.
BETS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
# Rows of running sums to hold in memory at a time.
BLOCK = 2**14
# With fewer cases, a normal approximation at all times at once is hardly one.
FEWEST = 50
ROUNDING = 1e-15


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _Monitor:
    """Evidence that is the mean of several products, of which the logarithms are kept."""

    sums: Array = None
    cases: int = 0
    log_max: float = 0.0

    bets: ClassVar[int]
    claim: ClassVar[str]

    def __post_init__(self) -> None:
        """Take a state that a monitor can be in, and no other."""
        result = np.zeros(self.bets) if self.sums is None else _numbers(self.sums, "sums")
        if result.shape != (self.bets,):
            message = f"a {type(self).__name__} has {self.bets} sums; got {result.size}"
            raise DataError(message, hint="begin without sums, then update.")
        message = f"cases of a monitor must be a whole number, 0 or more; got {self.cases!r}"
        cases, most = as_count(self.cases, message), _numbers(self.log_max, "log_max")
        if not cases and (result.any() or most.any()):
            message = "a monitor that has seen no cases has no evidence; got sums or a log_max"
            raise DataError(message, hint="give sums, cases and log_max of one monitor.")
        if most.ndim or most < 0:
            message = f"log_max must be a number, 0 or more; got {self.log_max!r}"
            raise DataError(message, hint="evidence begins with 1, whose logarithm is 0.")
        object.__setattr__(self, "sums", read_only(result))
        object.__setattr__(self, "cases", cases)
        object.__setattr__(self, "log_max", float(most))

    @property
    def log_e(self) -> float:
        """The natural logarithm of the evidence."""
        return float(log_mean(self.sums))

    @property
    def e_value(self) -> float:
        """The evidence, 1 at the start; infinite also if a float cannot hold it."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_e))

    @property
    def p_value(self) -> float:
        """One over the greatest evidence seen."""
        return math.exp(-self.log_max)

    def rejects(self, level: float = 0.95) -> bool:
        """Tell whether the evidence has reached ``1 / (1 - level)`` at a time that was seen."""
        return self.log_max >= -math.log1p(-check_level(level))

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence, and the sums that it is made of, as JSON can hold them."""
        names = ("cases", "log_e", "e_value", "p_value", "log_max", "sums")
        return dict(plain({name: getattr(self, name) for name in names}))

    def __add__(self, other: object) -> Self:
        """Merge the cases of two monitors, whatever order they came in; no case may be in both."""
        if not isinstance(other, type(self)):
            return NotImplemented
        self._require_same(other)
        if not (self.cases and other.cases):
            return self if self.cases else other
        sums = self.sums + other.sums
        # The paths of the parts are no path of the whole, of which two times are known.
        most = max(0.0, float(log_mean(sums)))
        return replace(self, sums=sums, cases=self.cases + other.cases, log_max=most)

    def __radd__(self, other: object) -> Self:
        """Let `sum` begin with its 0."""
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        return f"{type(self).__name__}({many(self.cases, 'case')}, E = {self.e_value:.4g})"

    def __str__(self) -> str:
        """Say what was found."""
        result = f"evidence {self.e_value:.4g} that {self.claim}"
        return f"{many(self.cases, 'case')}: {result} ({p_text(self.p_value)} at any time)."

    def _require_same(self, other: Self) -> None:
        """Refuse to merge what was not asked the same question."""

    def _after(self, log_gains: Callable[..., Column], *columns: Column) -> Self:
        """Add up the logarithms of gains, case by case, and watch the greatest mean."""
        sums, most, cases = self.sums, self.log_max, len(columns[0])
        for begin in range(0, cases, BLOCK):
            path = log_gains(*(column[begin : begin + BLOCK] for column in columns))
            path[0] += sums
            path = np.cumsum(path, axis=0)
            sums, most = path[-1], max(most, float(log_mean(path).max()))
        return replace(self, sums=sums, cases=self.cases + cases, log_max=most)


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationMonitor(_Monitor):
    r"""Evidence against calibration, valid whenever it is looked at.

    A test that is repeated after every case refuses calibrated forecasts sooner or later. This does
    not: if each event happens with the probability that was forecast, whatever came before, the
    evidence :math:`E` ever reaches :math:`1 / \alpha` with a probability of at most
    :math:`\alpha`. So one may look at any time, stop, go on, and say so.

    Parameters
    ----------
    sums, cases, log_max : optional
        The state of a monitor to go on with. Without it, a monitor has seen nothing.

    Attributes
    ----------
    log_e, e_value : float
        The evidence and its natural logarithm. Infinite if an event that was called impossible
        happened, or a certain one did not.
    log_max : float
        The greatest logarithm of the evidence that was seen, at least the 0 of the start. `update`
        looks at it after every case; of two monitors that are added, only their sum is seen.
    cases : int
        The cases seen.
    sums : array
        The logarithm of each product. They add: those of parts make that of the whole.

    Notes
    -----
    The evidence is the mean, over 9 intercepts :math:`a` from -1 to 1 and 7 slopes :math:`b` from
    0.5 to 2, of the likelihood ratios of a recalibration and the forecasts :math:`x`,

    .. math:: E = \frac1{63} \sum_{a, b} \prod_t \Big( \frac{q_t}{x_t} \Big)^{y_t}
        \Big( \frac{1 - q_t}{1 - x_t} \Big)^{1 - y_t}, \qquad
        \operatorname{logit} q_t = a + b \operatorname{logit} x_t .

    Each factor has the mean 1 if the forecast is right. Forecasts that are too high, too low, too
    extreme or too timid are found out; errors that no such line describes may not be.

    Each forecast must be right given the outcomes of all earlier cases. Forecasts several steps
    ahead are not: `properly.Monitor` has a `lag` for them, and clusters for cases that depend on
    one another. A mean of the evidence of several monitors is evidence at a time that was fixed
    beforehand, not at any time.

    Monitors of parts add up to one of all cases. No case may be in two of them: that would count
    what it says twice, and a monitor cannot tell.

    Examples
    --------
    >>> import properly
    >>> monitor = properly.comparison.CalibrationMonitor().update([1, 1, 0, 1], [0.2, 0.3, 0.4,
    ...     0.5])
    >>> monitor
    CalibrationMonitor(4 cases, E = 1.264)
    >>> monitor = monitor.update([1] * 6, [0.2] * 6)
    >>> monitor.rejects(0.95), monitor.rejects(0.999)
    (True, False)

    Two wards count their own patients, and add them up:

    >>> north = properly.comparison.CalibrationMonitor().update([1, 0, 1, 1], [0.3, 0.2, 0.4, 0.3])
    >>> south = properly.comparison.CalibrationMonitor().update([1, 1, 1], [0.2, 0.5, 0.3])
    >>> print(north + south)
    7 cases: evidence 4.728 that forecasts are miscalibrated (p = 0.212 at any time).
    """

    bets: ClassVar[int] = len(SLOPE)
    claim: ClassVar[str] = "forecasts are miscalibrated"

    def update(self, y: ArrayLike, p: ArrayLike) -> CalibrationMonitor:
        """Return a monitor that has seen more cases, in the order in which they came.

        Parameters
        ----------
        y : array-like
            Outcomes: booleans, or 0 and 1.
        p : array-like
            Probabilities of the event.
        """
        rows = check_rows(y, p)
        return self._after(recalibration_gains, to_numpy(rows.y), _doubles(rows.p))


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonMonitor(_Monitor):
    r"""Evidence that one forecast is better than another, at any time.

    The claim that is tested is strong: the first forecast is at least as good as the second in
    every case, given all that came before. To refute it says that the second is better at times,
    not that it is better on average; for that see `properly.comparison.running_difference`.

    Parameters
    ----------
    rule : BinaryRule
        A proper rule that says what is better.
    sums, cases, log_max : optional
        The state of a monitor to go on with. Without it, a monitor has seen nothing.

    Attributes
    ----------
    log_e, e_value : float
        The evidence and its natural logarithm. Infinite if only the first forecast had an infinite
        loss.
    log_max, p_value, cases, sums
        As those of `properly.comparison.CalibrationMonitor`, which also says what a monitor
        assumes.

    Notes
    -----
    With :math:`s` the losses of the forecasts :math:`p` and :math:`q`, a bet :math:`\lambda` gains
    by the factor [1]_

    .. math:: 1 + \lambda \frac{s(p, y) - s(q, y)}{|s(p, r) - s(q, r)|}, \qquad r = 1\{p > q\},

    whose mean is at most 1 if :math:`p` is at least as good. The evidence is the mean of the
    products for bets of 0.1, 0.3, 0.5, 0.7 and 0.9. Nothing is bet where the denominator is 0,
    since the losses are equal, or infinite, since there is nothing to be gained.

    References
    ----------
    .. [1] A. Henzi, J. F. Ziegel (2022). Valid sequential inference on probability forecast
       performance. Biometrika 109:647-663. `doi:10.1093/biomet/asab047
       <https://doi.org/10.1093/biomet/asab047>`__

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> monitor = properly.comparison.ComparisonMonitor(Brier())
    >>> monitor.update([1, 1, 0, 1], [0.2, 0.3, 0.4, 0.5], [0.6, 0.8, 0.3, 0.9])
    ComparisonMonitor(4 cases, E = 4.34)
    """

    rule: BinaryRule

    bets: ClassVar[int] = len(BETS)
    claim: ClassVar[str] = "the second forecast is better at times"

    def __post_init__(self) -> None:
        require_proper(self.rule)
        super().__post_init__()

    def update(self, y: ArrayLike, first: ArrayLike, second: ArrayLike) -> ComparisonMonitor:
        """Return a monitor that has seen more cases, in the order in which they came.

        Parameters
        ----------
        y : array-like
            Outcomes: booleans, or 0 and 1.
        first, second : array-like
            Probabilities of the event.
        """
        happened = to_numpy(check_rows(y, first).y)
        forecasts = (_doubles(check_rows(y, p).p) for p in (first, second))
        gain = relative_gain(self.rule, happened, *forecasts)
        return self._after(lambda gain: log_factors(gain[:, np.newaxis], BETS), gain)

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence, the sums that it is made of, and the name of the rule."""
        return super().to_dict() | {"rule": self.rule.name}

    def _require_same(self, other: Self) -> None:
        if repr(self.rule) != repr(other.rule):
            message = f"monitors that add must have one rule; got {self.rule!r} and {other.rule!r}"
            raise DataError(message)


def require_proper(rule: object) -> BinaryRule:
    """Take a rule that says which forecast of an event is better."""
    chosen = require_binary(rule)
    if not chosen.is_proper:
        message = f"only a proper rule says which forecast is better; {chosen!r} is improper"
        raise ImproperRuleError(message)
    return chosen


def recalibration_gains(happened: Column, p: Column) -> Column:
    """Return the logarithm of the likelihood ratio of each recalibration, one row a case."""
    certain = (p == 0) | (p == 1)
    x = np.where(certain, 0.5, p)
    sign = np.where(happened, -1.0, 1.0)
    log_odds = np.log(x) - np.log1p(-x)
    against = sign[:, np.newaxis] * (INTERCEPT + SLOPE * log_odds[:, np.newaxis])
    said = np.where(happened, np.log(x), np.log1p(-x))
    gain: Column = -np.logaddexp(0, against) - said[:, np.newaxis]
    # No recalibration moves certainty, so there is nothing to gain unless it is refuted.
    gain[certain] = np.where(happened == (p == 1), 0.0, np.inf)[certain, np.newaxis]
    return gain


def relative_gain(rule: BinaryRule, happened: Column, first: Column, second: Column) -> Column:
    """Return the loss of the first less that of the second, over what the first can win."""
    favoured = first > second
    with np.errstate(invalid="ignore"):
        win, loss = (
            np.abs(rule.price_event(y, first) - rule.price_event(y, second))
            for y in (favoured, ~favoured)
        )
        gain = np.where(
            happened == favoured, -1.0, np.divide(loss, win, out=np.zeros_like(win), where=win > 0)
        )
    return np.where((first != second) & (win > 0) & (win < np.inf), gain, 0.0)


def log_factors(gain: Column, bet: Column | float) -> Column:
    """Return the logarithm of the factor by which a bet changes the capital."""
    result: Column = np.log1p(bet * gain)
    return result


def _numbers(x: object, name: str) -> Column:
    """Take numbers, infinity also as the word that JSON has for it; refuse what is none."""
    try:
        result = np.array(x, dtype=np.float64)
    except (TypeError, ValueError):
        result = np.array(np.nan)
    if np.isnan(result).any():
        message = f"{name} of a monitor must be numbers, and not NaN; got {reprlib.repr(x)}"
        raise DataError(message)
    return result


def log_mean(sums: Column) -> Column:
    """Return the logarithm of the mean of exponentials, over the last axis."""
    return np.asarray(np.logaddexp.reduce(sums, axis=-1) - math.log(sums.shape[-1]))


def _doubles(p: Array) -> Column:
    return np.asarray(to_numpy(p).astype(np.float64, copy=False))


@dataclass(frozen=True, eq=False, repr=False)
class RunningDifference(Record):
    """The mean difference of two forecasts' losses, case after case.

    Attributes
    ----------
    cases : array
        How many cases had been seen: from 50 on.
    mean : array
        The mean loss of the first forecast less that of the second: negative favours the first.
    lower, upper : array
        Ends of the interval at each time, all of which hold at once; NaN as long as all
        differences are equal, which says nothing about how much they vary.
    level : float
        How sure all intervals together are to hold the true mean differences.
    tightest : int
        The number of cases at which the intervals are meant to be tightest.
    rule : str
        Name of the rule.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> y, first, second = [0, 1] * 40, [0.2, 0.9] * 40, [0.6, 0.5] * 40
    >>> found = properly.comparison.running_difference(y, first, second, Brier(), tightest=80)
    >>> found
    RunningDifference(31 times, 50 to 80 cases)
    >>> found.decided_after
    50
    """

    cases: Column
    mean: Column
    lower: Column
    upper: Column
    level: float
    tightest: int
    rule: str

    _series = ("cases", "mean", "lower", "upper")

    @property
    def decided_after(self) -> int | None:
        """After how many cases the interval first left out 0; None if it never did."""
        apart = np.flatnonzero((self.lower > 0) | (self.upper < 0))
        return int(self.cases[apart[0]]) if apart.size else None

    def __len__(self) -> int:
        """Count the times."""
        return len(self.cases)

    def __repr__(self) -> str:
        first, last = self.cases[[0, -1]]
        return f"RunningDifference({many(len(self), 'time')}, {first:,} to {last:,} cases)"

    def __str__(self) -> str:
        """Say what was found."""
        cases = f"After {self.cases[-1]:,} cases"
        if math.isnan(self.lower[-1]):
            by = f"always differ by {self.mean[-1]:.4g}, which leaves no interval"
            text = by if self.mean[-1] else "never differ"
            return wrapped(f"{cases} the {self.rule} losses of the two forecasts {text}.")
        ends = f"{self.lower[-1]:.4g} to {self.upper[-1]:.4g}"
        decided = self.decided_after
        zero = "never left out 0" if decided is None else f"first left out 0 after {decided:,}"
        return wrapped(
            f"{cases} the {self.rule} of the first forecast less that of "
            f"the second is {self.mean[-1]:.4g} ({100 * self.level:.4g} % interval for all times "
            f"at once {ends}, which {zero})."
        )


def running_difference(
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    rule: Rule,
    *,
    level: float = 0.95,
    tightest: int = 1000,
) -> RunningDifference:
    r"""Follow the mean difference of losses, with intervals for all times.

    An interval that is computed anew after every case leaves out the truth sooner or later. These
    do not: together they hold it at all times, with about the probability `level`, so one may stop
    whenever one likes. With :math:`\bar d` the mean and :math:`s` the standard deviation of the
    first :math:`n` differences and :math:`\alpha` one minus the level, they are [1]_

    .. math:: \bar d \pm s \sqrt{ \frac{2 (n \rho^2 + 1)}{n^2 \rho^2}
        \log \frac{\sqrt{n \rho^2 + 1}}{\alpha} } , \qquad
        \rho^2 = \frac{2 \log(1 / \alpha) + \log(1 + 2 \log(1 / \alpha))}{m} .

    Parameters
    ----------
    y : array-like
        Outcomes, in the order in which they came: of an event, or of classes.
    first, second : array-like of shape (n,) or (n, K)
        Probabilities of the event, or of the classes, one column each.
    rule : BinaryRule or ClassRule
        The rule that prices both.
    level : float
        How sure all intervals together are to hold the true mean differences.
    tightest : int
        The number of cases :math:`m` at which intervals are to be tightest; choose it beforehand.

    Returns
    -------
    RunningDifference

    Notes
    -----
    What is estimated is the mean, over the cases so far, of the difference to be expected given all
    that came before; it may change from case to case [2]_. The intervals rest on a normal
    approximation that is uniform in time, so they begin with 50 cases, and need finite losses that
    do not have a few very large ones among them. For forecasts h steps ahead, h differences in a
    row depend on one another, and these intervals are too narrow: follow every h-th case.

    References
    ----------
    .. [1] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas (2024). Time-uniform
       central limit theory and asymptotic confidence sequences. Annals of Statistics 52:2613-2640.
       `doi:10.1214/24-AOS2408 <https://doi.org/10.1214/24-AOS2408>`__
    .. [2] Y. J. Choe, A. Ramdas (2024). Comparing sequential forecasters. Operations Research
       72:1368-1387. `doi:10.1287/opre.2021.0792 <https://doi.org/10.1287/opre.2021.0792>`__

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> models = [crash.forecasts[name] for name in ("logistic", "balanced_boosting")]
    >>> found = properly.comparison.running_difference(crash.died, *models, Brier())
    >>> found.decided_after
    91
    """
    alpha, tightest = 1 - check_level(level), check_whole(tightest, "tightest")
    losses = [_finite_losses(rule, y, p) for p in (first, second)]
    difference = losses[0] - losses[1]
    if len(difference) < FEWEST:
        message = f"intervals for all times need {FEWEST} cases or more; got {len(difference)}"
        raise DataError(message)
    n = np.arange(FEWEST, len(difference) + 1)
    # Differences that vary by less than this do so by rounding alone.
    slack = ROUNDING * np.maximum.accumulate(np.abs(losses).sum(axis=0))
    mean, spread = _running_moments(difference, slack)
    log = 2 * math.log(1 / alpha)
    scaled = n * ((log + math.log1p(log)) / tightest)
    half = spread * np.sqrt((scaled + 1) / (n * scaled) * (np.log1p(scaled) + log))
    return RunningDifference(n, mean, mean - half, mean + half, level, tightest, rule.name)


def _finite_losses(rule: Rule, y: ArrayLike, p: ArrayLike) -> Column:
    """Price each case in its place; refuse a loss that has no mean."""
    chosen: Any = require_class_rule(rule) if is_table(p) else require_binary(rule)
    loss = to_numpy(chosen.loss(y, p)).astype(np.float64)
    if not np.isfinite(loss).all():
        hint = "use a rule of bounded range, such as Brier(), or a ComparisonMonitor."
        refuse(loss, ~np.isfinite(loss), "losses must be finite to be followed by intervals", hint)
    return loss


def _running_moments(x: Column, slack: Column) -> tuple[Column, Column]:
    """Return the mean and the standard deviation from the fewest cases on; NaN without spread."""
    exponent = exponent_of(np.abs(x))
    x, slack = divided(x, exponent), divided(slack, exponent)
    n, middle = np.arange(1, len(x) + 1), x.mean()
    # Deviations from the middle of all, so that squares do not cancel.
    moment, square = np.cumsum(x - middle) / n, np.cumsum((x - middle) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.maximum(square - n * moment**2, 0) / (n - 1))
    varied = np.maximum.accumulate(x) - np.minimum.accumulate(x) > slack
    spread = np.where(varied, spread, np.nan)
    mean, spread = np.ldexp([middle + moment, spread], exponent)[:, FEWEST - 1 :]
    return mean, spread
