"""Ways to estimate how often it happened at each forecast: the source behind a model.

`Isotonic` is the default of `properly.means`: nothing to choose, and a divergence that is never
above 1; only with it has the divergence an interval. `EqualCount` and `EqualWidth` are the bins of
the paper. `Neighbours` and `Kernel` have the least bias, but no bins for a `source_table`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._arrays import refuse
from properly._boundary._libraries import to_numpy
from properly._boundary._options import as_number, check_choice, check_flag, check_whole
from properly.counts._binning import equal_rank, equal_width
from properly.counts._isotonic import recalibrate
from properly.errors import ArgumentTypeError, DataError
from properly.inference._variance import effective_total
from properly.probability._smoothing import nearest, smooth

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.counts._tally import Tally

__all__ = ["EqualCount", "EqualWidth", "Fit", "Isotonic", "Kernel", "Neighbours", "Source"]

Column: TypeAlias = np.ndarray[Any, Any]
# Beyond this, bins are narrower than what forecasts can tell apart.
MOST_BINS = 10**9
Ties: TypeAlias = Literal["together", "split"]


class Fit(NamedTuple):
    """How often it happened, in bins of neighbouring forecasts.

    Attributes
    ----------
    end : array
        One past the last row of the tally that belongs to each bin.
    weight, events : array
        The cases of each bin, and the events among them.
    rate : array
        The probability that the source has there.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> fit = properly.probability.sources.Isotonic().fit(t)
    >>> fit.rate, fit.spread()
    (array([0. , 0.5, 1. ]), array([0. , 0.5, 0.5, 1. ]))
    """

    end: Column
    weight: Column
    events: Column
    rate: Column

    @property
    def rest(self) -> Column:
        """The probability of no event; of a share, from the cases without one, not as 1 - rate.

        A share next to 1 would leave nothing, where there is a little.
        """
        share, none = self.events / self.weight, (self.weight - self.events) / self.weight
        return np.where(self.rate == share, none, 1 - self.rate)

    def spread(self, column: Column | None = None) -> Column:
        """Return the probability, or what else is known of bins, at every row of the tally."""
        column = self.rate if column is None else column
        return np.repeat(column, np.diff(self.end, prepend=0))


class Source(ABC):
    """How to estimate the probability of the event at each forecast.

    Derive from it, and write `fit`, to bring an estimate of your own to `properly.means`.

    Examples
    --------
    >>> import numpy as np
    >>> import properly
    >>> class Overall(properly.probability.sources.Source):
    ...     words = "the event rate of all cases"
    ...
    ...     def fit(self, tally):
    ...         weight, events = np.array([tally.total]), np.array([tally.events.sum()])
    ...         return properly.probability.sources.Fit(np.array([len(tally)]), weight, events, events / weight)
    >>> t = properly.tally([0, 1, 1, 1], [0.2, 0.4, 0.7, 0.9])
    >>> properly.means(t, source=Overall()).source.decisiveness
    0.625
    """

    pooled: bool = False
    words: ClassVar[str] = "an estimate of one's own"
    splits_ties: bool = False
    """Whether cases of one forecast may fall into two bins, so that their order matters."""

    @abstractmethod
    def fit(self, tally: Tally) -> Fit:
        """Estimate the probability of the event at each forecast of a tally."""


@dataclass(frozen=True)
class Isotonic(Source):
    """The best increasing recalibration: no bins to choose, nothing to tune.

    With it the divergence probability is never above 1, and is the exponential of minus the
    miscalibration part of the log score.

    Parameters
    ----------
    pooled : bool
        Of several classes: fit all columns of probabilities together, instead of each by itself.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> properly.means(t, source=properly.probability.sources.Isotonic()).source.decisiveness
    0.75
    """

    pooled: bool = False
    words: ClassVar[str] = "isotonic recalibration"

    def __post_init__(self) -> None:
        check_flag(self.pooled, "pooled")

    def fit(self, tally: Tally) -> Fit:
        """Pool adjacent violators."""
        fit = recalibrate(tally)
        return Fit(fit.end, fit.weight, fit.events, fit.event_rate)


@dataclass(frozen=True)
class EqualCount(Source):
    r"""Event rates in bins that hold about equally many cases.

    Of :math:`n` cases in the order of their forecasts, the one with :math:`r` cases before it
    belongs to bin :math:`\lfloor r B / n \rfloor`.

    Parameters
    ----------
    bins : int, optional
        How many bins; :math:`n^{1/3}`, rounded, if left out. Of fractional weights, :math:`n` is
        the number of cases that would say as much, :math:`(\sum w)^2 / \sum w^2`.
    pooled : bool
        Of several classes: bin all columns of probabilities together, instead of each by itself.
    ties : {"together", "split"}
        Whether equal forecasts share the bin of the first of them, or are taken in the order of
        the rows, which then matters and which a tally has lost. A row is never cut in two, whatever
        its weight.

    Notes
    -----
    What the forecasts say within a bin is lost, so that the divergence probability may be above 1.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1], [0.1, 0.9])
    >>> round(properly.means(t, source=properly.probability.sources.EqualCount(bins=1)).divergence, 12)
    1.8
    """

    bins: int | None = None
    pooled: bool = False
    ties: Ties = "together"
    words: ClassVar[str] = "bins of equal count"

    def __post_init__(self) -> None:
        _check_bins(self.bins)
        check_flag(self.pooled, "pooled")
        check_choice(self.ties, get_args(Ties), "ties")

    @property
    def splits_ties(self) -> bool:  # type: ignore[override]
        """Whether cases of one forecast may fall into two bins."""
        return self.ties == "split"

    def fit(self, tally: Tally) -> Fit:
        """Cut the cases, in the order of their forecasts, into equal parts."""
        return _in_bins(tally, equal_rank(to_numpy(tally.weight), _bins_of(tally, self.bins)))


@dataclass(frozen=True)
class EqualWidth(Source):
    r"""Event rates in bins of equal width.

    A forecast :math:`q` belongs to bin :math:`\min(\lfloor B q \rfloor, B - 1)`.

    Parameters
    ----------
    bins : int, optional
        How many bins; :math:`n^{1/3}`, rounded, if left out. Of fractional weights, :math:`n` is
        the number of cases that would say as much, :math:`(\sum w)^2 / \sum w^2`.
    pooled : bool
        Of several classes: bin all columns of probabilities together, instead of each by itself.

    Notes
    -----
    What the forecasts say within a bin is lost, so that the divergence probability may be above 1.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> properly.probability.sources.EqualWidth(bins=2).fit(t).rate
    array([0.5, 0.5])
    """

    bins: int | None = None
    pooled: bool = False
    words: ClassVar[str] = "bins of equal width"

    def __post_init__(self) -> None:
        _check_bins(self.bins)
        check_flag(self.pooled, "pooled")

    def fit(self, tally: Tally) -> Fit:
        """Cut the scale of probabilities into equal parts."""
        return _in_bins(tally, equal_width(to_numpy(tally.value), _bins_of(tally, self.bins)))


@dataclass(frozen=True)
class Neighbours(Source):
    """The event rate among the cases whose forecasts are nearest.

    Parameters
    ----------
    neighbours : int, optional
        How many cases, the case itself and all that are as near as the last one included;
        the number of cases to the power 0.75, rounded, if left out.
    pooled : bool
        Of several classes: look among all columns of probabilities, instead of in each by itself.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.2, 0.7, 0.9])
    >>> properly.probability.sources.Neighbours(2).fit(t).rate
    array([0.5, 0.5, 0.5, 0.5])
    """

    neighbours: int | None = None
    pooled: bool = False
    words: ClassVar[str] = "nearest neighbours"

    def __post_init__(self) -> None:
        if self.neighbours is not None:
            check_whole(self.neighbours, "neighbours")
        check_flag(self.pooled, "pooled")

    def fit(self, tally: Tally) -> Fit:
        """Count the events among the nearest."""
        cases = effective_total(tally)
        chosen = max(round(cases**0.75), 1) if self.neighbours is None else self.neighbours
        # Fractional weights are measured in cases of the average weight.
        amount = chosen * (float(tally.total) / cases)
        return _by_itself(tally, nearest(*_columns(tally), amount))


@dataclass(frozen=True)
class Kernel(Source):
    r"""The event rate nearby on the scale of log-odds, the nearest weighted most.

    Parameters
    ----------
    bandwidth : float, optional
        The standard deviation of the normal kernel;
        :math:`1.06\, s\, n^{-1/5}` if left out, with :math:`s` the standard deviation of the
        log-odds of the forecasts that are not certain.
    pooled : bool
        Of several classes: look at all columns of probabilities, instead of each by itself.

    Notes
    -----
    Forecasts of exactly 0 and 1 are infinitely far from all others, and are judged by themselves.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    >>> properly.probability.sources.Kernel(bandwidth=1.0).fit(t).rate.round(3)
    array([0.027, 0.386, 0.614, 0.973])
    """

    bandwidth: float | None = None
    pooled: bool = False
    words: ClassVar[str] = "a kernel on log-odds"

    def __post_init__(self) -> None:
        check_flag(self.pooled, "pooled")
        if self.bandwidth is None:
            return
        found = as_number(self.bandwidth, "bandwidth")
        if not 0 < found < np.inf:
            message = f"a bandwidth must be positive and finite; got {found:g}"
            raise DataError(message)

    def fit(self, tally: Tally) -> Fit:
        """Weigh each case by how near it is."""
        return _by_itself(
            tally, smooth(*_columns(tally), self.bandwidth, cases=effective_total(tally))
        )


NAMES: dict[str, Callable[[], Source]] = {
    "isotonic": Isotonic,
    "equal_count": EqualCount,
    "hist": EqualCount,
    "equal_width": EqualWidth,
    "neighbours": Neighbours,
    "kernel": Kernel,
}


def as_source(source: str | Source) -> Source:
    """Take a source as it is, and the name of one as that with its defaults."""
    if isinstance(source, Source):
        return source
    if not isinstance(source, str):
        message = f"a source is a name or one of properly.probability.sources; got {source!r}"
        raise ArgumentTypeError(message, hint=_meant(source))
    return NAMES[check_choice(source, tuple(NAMES), "source")]()


def _meant(source: object) -> str | None:
    if isinstance(source, int) and source > 1:
        return f"write properly.probability.sources.EqualCount({source})."
    if isinstance(source, type) and issubclass(source, Source):
        return f"write {source.__name__}()."
    return None


def fit_source(source: Source, tally: Tally) -> Fit:
    """Fit a source, and refuse what is no estimate of probabilities at the forecasts."""
    fit = source.fit(tally)
    if not isinstance(fit, Fit) or not all(isinstance(x, np.ndarray) for x in fit):
        message = f"the fit of a source must be a Fit of arrays; {source!r} gave {fit!r:.60}"
        raise ArgumentTypeError(message)
    if any(x.ndim != 1 for x in fit) or fit.end.dtype.kind != "i" or len(set(map(len, fit))) > 1:
        message = "a Fit must have equally long columns of numbers, whole ones in end"
        raise DataError(message)
    rows = np.diff(fit.end, prepend=0)
    if rows.sum() != len(tally) or not (rows > 0).all():
        message = f"the bins of a Fit must end after all {len(tally)} rows, none of them empty"
        raise DataError(message, hint="end holds one past the last row of each bin.")
    wrong = ~((fit.weight > 0) & (fit.events >= 0) & (fit.events <= fit.weight))
    if wrong.any() or not math.isclose(fit.weight.sum(), tally.total, rel_tol=1e-9):
        message = "a Fit must hold the cases of each bin in weight, and events among them"
        raise DataError(
            message, hint=f"all weights together are those of the tally, {tally.total:g}."
        )
    if not np.all((fit.rate >= 0) & (fit.rate <= 1)):
        refuse(fit.rate, ~((fit.rate >= 0) & (fit.rate <= 1)), "rates must be in [0, 1]")
    return fit


def _check_bins(bins: int | None) -> None:
    if bins is not None and check_whole(bins, "bins") > MOST_BINS:
        message = f"bins must not be more than {MOST_BINS:,}; got {bins:,}"
        raise DataError(message)


def _bins_of(tally: Tally, bins: int | None) -> int:
    return max(round(effective_total(tally) ** (1 / 3)), 1) if bins is None else bins


def _columns(tally: Tally) -> tuple[Column, Column, Column]:
    value, weight, events = (to_numpy(x) for x in (tally.value, tally.weight, tally.events))
    return value.astype(np.float64), weight, events


def _in_bins(tally: Tally, cell: Column) -> Fit:
    """Add up the rows of each bin."""
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    weight, events = (np.add.reduceat(to_numpy(x), first) for x in (tally.weight, tally.events))
    return Fit(np.append(first[1:], len(cell)), weight, events, events / weight)


def _by_itself(tally: Tally, rate: Column) -> Fit:
    """Make each forecast a bin."""
    _, weight, events = _columns(tally)
    return Fit(np.arange(1, len(rate) + 1), weight, events, rate)
