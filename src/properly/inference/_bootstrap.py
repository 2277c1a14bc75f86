"""The bootstrap: how an estimate varies if the data are drawn again from themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from properly._boundary._arrays import as_column, as_numbers, refuse
from properly._boundary._frames import to_frame
from properly._boundary._libraries import freeze, to_numpy
from properly._boundary._options import as_drawing, as_number, check_choice
from properly._boundary._plain import many, plain
from properly.counts._cases import Cases
from properly.counts._tally import Tally, as_tally
from properly.errors import ArgumentTypeError, DataError
from properly.inference._replicates import Blocks, best_block, require_enough
from properly.inference._resampled import (
    UNKNOWN,
    Area,
    Mean,
    Own,
    plain_interval,
    spread_of_draws,
    studentized_interval,
)
from properly.inference._sampling import FEWEST, Kind, sample_of
from properly.rules import Rule

if TYPE_CHECKING:
    from properly._boundary._frames import Backend
    from properly.inference._sampling import Sample
    from properly.typing import ArrayLike

Column: TypeAlias = np.ndarray[Any, Any]
Pair: TypeAlias = tuple[float, float]
Method: TypeAlias = Literal["percentile", "basic", "studentized"]
Statistic: TypeAlias = Rule | Literal["auc"] | Callable[[Any], float]
Measure: TypeAlias = Mean | Area | Own


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """How an estimate varies if the data are drawn again.

    Attributes
    ----------
    value : float
        The estimate from the data themselves.
    standard_error : float
        The standard deviation of the draws; NaN if any of them is infinite or undefined.
    interval : pair of floats
        Lower and upper end; NaN where nothing can be said. An undefined draw counts as lying beyond
        either end, so that an end may be infinite.
    bias : float
        The mean of the draws less the value.
    draws : array
        The estimate from each replicate, in the order in which they were drawn.
    level : float
        How sure the interval is to hold the true value.
    method : str
        How the interval was found: ``"percentile"``, ``"basic"`` or ``"studentized"``.
    kind : str
        What was drawn: ``"cases"``, ``"clusters"`` or ``"blocks"`` of times.
    replicates : int
        The number of draws.
    block_length : float or None
        The mean length of blocks of times.
    design : str
        How cases were taken to be sampled.
    infinite_cases : int
        Cases whose loss is infinite, if the estimate is a mean score.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Log
    >>> cases = properly.Cases([0, 1, 1, 0], [0.2, 0.7, 0.0, 0.4])
    >>> found = properly.bootstrap(cases, Log(), rng=1)
    >>> print(found)
    inf (no interval: infinite in 67 % of 1,999 replicates; 4 independent cases)
    >>> found.interval, found.infinite_cases
    ((nan, inf), 1)
    """

    value: float
    standard_error: float
    interval: Pair
    bias: float
    draws: Column
    level: float
    method: Method
    kind: Kind
    replicates: int
    block_length: float | None
    design: str
    infinite_cases: int = 0

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def infinite_draws(self) -> int:
        """The number of draws that are infinite."""
        return int(np.isinf(self.draws).sum())

    @property
    def undefined_draws(self) -> int:
        """The number of draws that are NaN."""
        return int(np.isnan(self.draws).sum())

    def __repr__(self) -> str:
        lower, upper = self.interval
        told = f"{100 * self.level:g} % interval {lower:.4g} to {upper:.4g}"
        return f"Bootstrap({self.value:.4g}, {told if lower <= upper else 'no interval'})"

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self._told}; {self.design})"

    @property
    def _told(self) -> str:
        lower, upper = self.interval
        drawn = many(self.replicates, "replicate")
        if not math.isnan(lower + upper):
            told = f"{100 * self.level:g} % {self.method} interval {lower:.4g} to {upper:.4g}"
            return f"{told}, {drawn}"
        if not math.isinf(self.value):
            return "no interval"
        share = self.infinite_draws / self.replicates
        return f"no interval: infinite in {share:.0%} of {drawn}".replace("%", " %")

    def to_dict(self) -> dict[str, Any]:
        """Return everything by name, as JSON can hold it; the draws as a list."""
        known = {field.name: getattr(self, field.name) for field in fields(self)}
        found: dict[str, Any] = plain(known | {"draws": self.draws.tolist()})
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row of a polars, pandas or pyarrow frame, without the draws."""
        known = {field.name: [getattr(self, field.name)] for field in fields(self)}
        del known["draws"], known["interval"]
        lower, upper = self.interval
        return to_frame(known | {"lower": [lower], "upper": [upper]}, backend)


def bootstrap(
    cases: Tally | Cases,
    statistic: Statistic,
    *,
    level: float = 0.95,
    method: Method = "percentile",
    replicates: int = 1999,
    block_length: float | None = None,
    rng: int | np.random.Generator | None = None,
) -> Bootstrap:
    r"""Draw the data again from themselves, and see how an estimate varies.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened. What is drawn, with replacement, follows from what is
        known of the cases: whole clusters, blocks of times, or else the cases themselves; within
        strata, if there are any. A case keeps its weight.
    statistic : Rule, "auc" or callable
        A rule stands for its mean score. A function takes `Cases`, or a `Tally` if one was
        given, and returns a number. It is called with the same rows and other weights, of which
        some are 0; for the data themselves, weights that were not given are 1.
    level : float
        Coverage aimed at.
    method : {"percentile", "basic", "studentized"}
        How to make an interval of the draws; see the notes. The last is for a rule, and for cases
        without times.
    replicates : int
        How often to draw.
    block_length : float, optional
        The mean length of blocks, if cases have times; 1 means that times do not depend on one
        another. Left to itself, that of `block_length` for the influences that times have upon the
        statistic; a function has none that are known, and needs it.
    rng : int or numpy Generator, optional
        Seed or source of the randomness; without it, every call draws anew.

    Returns
    -------
    Bootstrap

    Warns
    -----
    DataWarning
        With fewer than 20 clusters, and if the statistic is undefined in some replicate, as an AUC
        is without events. ``Cases(y, p, strata=y)`` keeps as many events in all of them.

    Notes
    -----
    With :math:`\hat\theta` the value and :math:`\theta^*` a draw, the interval reaches

    - from a low to a high quantile of :math:`\theta^*`: ``"percentile"``;
    - from :math:`\hat\theta` less a high to :math:`\hat\theta` less a low quantile of
      :math:`\theta^* - \hat\theta`: ``"basic"``;
    - the same with :math:`(\theta^* - \hat\theta) / s^*`, times :math:`s`, the standard error:
      ``"studentized"``, which allows for skewness.

    The quantile is the draw at place :math:`(B + 1) (1 - \text{level}) / 2` among B draws, from
    below and from above; B must be large enough for there to be one.

    Blocks are those of the stationary bootstrap [2]_: each begins at any time and goes on with a
    probability of one less than one over the mean length; the first time follows the last. Cases
    of one time stay together.

    **What it is good for.** Means, ratios, the AUC, net benefit at a fixed threshold, and smooth
    functions of these. It is wrong for the miscalibration of `decompose`, for calibration errors
    near zero, for a recalibrated probability at one forecast, and for the best of many thresholds:
    what is fitted follows cases that were drawn twice. For a mean it has little to add to
    `score_interval` but skewness.

    References
    ----------
    .. [1] A. C. Davison, D. V. Hinkley (1997). Bootstrap methods and their application. Cambridge
       University Press.
    .. [2] D. N. Politis, J. P. Romano (1994). The stationary bootstrap. Journal of the American
       Statistical Association 89:1303-1313. `doi:10.1080/01621459.1994.10476870
       <https://doi.org/10.1080/01621459.1994.10476870>`__

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> cases = properly.Cases(crash.died, crash.forecasts["logistic"], clusters=crash.cluster)
    >>> print(properly.bootstrap(cases, Brier(), rng=1))
    0.03302 (95 % percentile interval 0.0299 to 0.0362, 1,999 replicates; 4,973 clusters)

    Any function of weighted cases, such as how many events there were for each one expected:

    >>> def ratio(cases):
    ...     return (cases.weight * cases.y).sum() / (cases.weight * cases.p).sum()
    >>> found = properly.bootstrap(cases, ratio, replicates=199, rng=1)
    >>> round(found.value, 2), round(found.standard_error, 2)
    (1.07, 0.05)
    """
    drawing = as_drawing(level, replicates, rng)
    check_choice(method, get_args(Method), "method")
    require_enough(drawing.level, drawing.replicates)
    sample = sample_of(cases if isinstance(cases, Cases) else as_tally(cases))
    measure = _measure_of(sample, statistic)
    mean = _require_mean(measure, sample) if method == "studentized" else None
    length = _length_of_blocks(block_length, sample, measure)
    sampler = sample.sampler if length is None else Blocks(len(sample.number), length)
    draws, pivots = [], []
    for counts in sampler.counts(drawing.replicates, drawing.rng):
        draws.append(measure.values(counts))
        if mean is not None:
            pivots.append(mean.pivots(counts))
    found = np.concatenate(draws)
    standard_error, bias = spread_of_draws(measure.value, found)
    if mean is None:
        interval = plain_interval(measure.value, found, drawing.level, basic=method == "basic")
    else:
        interval = studentized_interval(mean, np.concatenate(pivots), drawing.level)
    return Bootstrap(
        value=measure.value,
        standard_error=standard_error,
        interval=UNKNOWN if standard_error == 0 else interval,
        bias=bias,
        draws=found,
        level=drawing.level,
        method=method,
        kind=sample.kind,
        replicates=drawing.replicates,
        block_length=length,
        design=sample.design,
        infinite_cases=measure.infinite_cases if isinstance(measure, Mean) else 0,
    )


def block_length(
    values: ArrayLike, *, kind: Literal["stationary", "circular"] = "stationary"
) -> float:
    r"""Choose how long blocks drawn from a series should be.

    Parameters
    ----------
    values : array-like
        A series in the order of time, at least 20 values, such as the losses of a model or the
        differences between those of two.
    kind : {"stationary", "circular"}
        Blocks of random lengths, of which this is the mean, or blocks of one length.

    Returns
    -------
    float
        Not rounded; below 1 if values hardly depend on those before.

    Notes
    -----
    Let :math:`R(k)` be the autocovariance at lag k of T values, and m the first lag from which 5
    autocorrelations in a row are smaller than :math:`2 \sqrt{\log_{10} T / T}` in size. With
    :math:`M = 2 m`, at most :math:`\lceil \sqrt T \rceil + 5`, and :math:`\lambda(a) = \min(1,
    2 (1 - a))`,

    .. math::

        b = \Big(\frac{\sum_k \lambda(|k| / M) \, |k| \, R(k)}{\sum_k \lambda(|k| / M) \, R(k)}
        \Big)^{2/3} T^{1/3} , \qquad |k| \le M ,

    times :math:`\sqrt[3]{3/2}` for blocks of one length, and at most
    :math:`\lceil \min(3 \sqrt T, T / 3) \rceil`. This is what the package arch computes; the m of
    the paper is one less, and its autocorrelations are :math:`R(k) / R(0)`. A series that does not
    vary has the length 1.

    References
    ----------
    .. [1] D. N. Politis, H. White (2004). Automatic block-length selection for the dependent
       bootstrap. Econometric Reviews 23:53-70. `doi:10.1081/ETC-120028836
       <https://doi.org/10.1081/ETC-120028836>`__
    .. [2] A. Patton, D. N. Politis, H. White (2009). Correction to "Automatic block-length
       selection for the dependent bootstrap". Econometric Reviews 28:372-375.
       `doi:10.1080/07474930802459016 <https://doi.org/10.1080/07474930802459016>`__

    Examples
    --------
    >>> import numpy as np
    >>> import properly
    >>> weekly = np.repeat(np.random.default_rng(1).normal(size=30), 7)
    >>> round(properly.block_length(weekly), 1)
    10.5
    """
    check_choice(kind, ("stationary", "circular"), "kind")
    column = as_column(values, "values", "pass one series at a time.")
    series = to_numpy(as_numbers(column, "values")).astype(np.float64)
    if not np.isfinite(series).all():
        refuse(series, ~np.isfinite(series), "values of a series must be finite")
    if len(series) < FEWEST:
        message = f"the length of blocks needs at least {FEWEST} values; got {len(series)}"
        raise DataError(message)
    return best_block(series, circular=kind == "circular")


def _measure_of(sample: Sample, statistic: object) -> Measure:
    """Get ready to find a statistic from counts."""
    if isinstance(statistic, Rule):
        return Mean.of(sample, statistic)
    if isinstance(statistic, str) and statistic == "auc":
        return Area.of(sample)
    if callable(statistic) and not isinstance(statistic, type):
        return Own.of(sample, statistic)
    message = f"a statistic is a rule, 'auc' or a function of the cases; got {statistic!r}"
    forgot = "write the rule with parentheses, as in Brier()."
    raise ArgumentTypeError(message, hint=forgot if isinstance(statistic, type | str) else None)


def _require_mean(measure: Measure, sample: Sample) -> Mean:
    """Refuse to studentize what has no standard error that could be found from counts."""
    if not isinstance(measure, Mean):
        message = 'method="studentized" is for a mean score; the statistic is not a rule'
        raise DataError(message, hint='use method="basic" or method="percentile".')
    if sample.kind == "blocks":
        message = 'method="studentized" is for cases or clusters; these cases have times'
        raise DataError(message, hint='use method="basic" or method="percentile".')
    return measure


def _length_of_blocks(length: float | None, sample: Sample, measure: Measure) -> float | None:
    """Check the length of blocks, or choose it; None if there are no times to draw."""
    if sample.kind != "blocks":
        if length is not None:
            message = f"block_length is for cases with times; got block_length={length!r}"
            raise DataError(message, hint="write properly.Cases(y, p, time=column).")
        return None
    times = len(sample.number)
    if length is not None:
        found = as_number(length, "block_length")
        if not 1 <= found <= times:
            message = f"block_length must be from 1 to the number of times, {times}; got {found:g}"
            raise DataError(message)
        return found
    if isinstance(measure, Own):
        message = "with times, a function of one's own needs block_length; got None"
        hint = "properly.block_length(losses) suggests one, from losses in the order of time."
        raise DataError(message, hint=hint)
    return max(1.0, best_block(measure.series)) if np.isfinite(measure.series).all() else 1.0
