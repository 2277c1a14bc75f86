"""The mean difference of two forecasts, followed case by case."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._arrays import refuse
from properly._boundary._classes import is_table
from properly._boundary._frames import to_frame
from properly._boundary._libraries import freeze, to_numpy
from properly._boundary._options import check_level, check_whole
from properly._boundary._plain import many, plain
from properly._boundary._tables import wrapped
from properly.errors import DataError
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import require_binary

if TYPE_CHECKING:
    from properly._boundary._frames import Backend
    from properly.rules import Rule
    from properly.typing import ArrayLike

Column: TypeAlias = np.ndarray[Any, Any]

# With fewer cases, a normal approximation at all times at once is hardly one.
FEWEST = 50
ROUNDING = 1e-15


@dataclass(frozen=True, eq=False, repr=False)
class RunningDifference:
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
    >>> found = properly.running_difference(y, first, second, Brier(), tightest=80)
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

    def __post_init__(self) -> None:
        freeze(self)

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
            told = by if self.mean[-1] else "never differ"
            return wrapped(f"{cases} the {self.rule} losses of the two forecasts {told}.")
        ends = f"{self.lower[-1]:.4g} to {self.upper[-1]:.4g}"
        decided = self.decided_after
        zero = "never left out 0" if decided is None else f"first left out 0 after {decided:,}"
        return wrapped(
            f"{cases} the {self.rule} of the first forecast less that of "
            f"the second is {self.mean[-1]:.4g} ({100 * self.level:.4g} % interval for all times "
            f"at once {ends}, which {zero})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the columns as lists, None where there is no interval, and what was asked for."""
        told = {name: getattr(self, name) for name in ("level", "tightest", "rule")}
        found: dict[str, Any] = plain(self._columns() | told)
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a time as a polars, pandas or pyarrow frame."""
        return to_frame(self._columns(), backend)

    def _columns(self) -> dict[str, list[Any]]:
        return {name: getattr(self, name).tolist() for name in ("cases", "mean", "lower", "upper")}


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
    do not have a few very large ones among them.

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
    >>> found = properly.running_difference(crash.died, *models, Brier())
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
    known = n * ((log + math.log1p(log)) / tightest)
    half = spread * np.sqrt((known + 1) / (n * known) * (np.log1p(known) + log))
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
    n, middle = np.arange(1, len(x) + 1), x.mean()
    # Deviations from the middle of all, so that squares do not cancel.
    moment, square = np.cumsum(x - middle) / n, np.cumsum((x - middle) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.maximum(square - n * moment**2, 0) / (n - 1))
    varied = np.maximum.accumulate(x) - np.minimum.accumulate(x) > slack
    spread = np.where(varied, spread, np.nan)
    return (middle + moment)[FEWEST - 1 :], spread[FEWEST - 1 :]
