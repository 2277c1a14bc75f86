"""Reliability: what happened after each forecast, isotonically estimated, and in chosen bins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    TypeAlias,
    TypedDict,
    Unpack,
    get_args,
    overload,
)

import numpy as np

from properly._boundary._libraries import namespace, read_only, to_numpy
from properly._boundary._options import Drawing, as_drawing, check_choice, check_whole
from properly._boundary._record import Backend, Record
from properly._boundary._text import many
from properly.calibration._statistics import ForecastSample
from properly.counts import _histogram
from properly.counts._calls import OutcomeRows, takes_rows
from properly.counts._cases import Cases, has_classes, note_whole_weights
from properly.counts._device import fetch, stays
from properly.counts._histogram import Histogram
from properly.counts._isotonic import recalibrate
from properly.counts._reductions import VIEWS, View, ask, refuse_reduction
from properly.counts._scoring import mean_score
from properly.counts._tally import Tally, as_tally
from properly.errors import DataError
from properly.inference._averages import warn_of_few
from properly.inference._variance import effective_total
from properly.rules import Brier
from properly.typing import Array, ArrayLike, Column, Floats

if TYPE_CHECKING:
    from properly.calibration._reliability_bands import Method
    from properly.inference._band import Band, Kind
    from properly.inference._dependence import Dependence

Forecasts: TypeAlias = Literal["auto", "discrete", "continuous"]
Scheme: TypeAlias = Literal["width", "count"]
# Bands that are drawn, whatever the forecasts are.
DRAWN = {("consistency", x) for x in ("auto", "resampling")}
DRAWN |= {("confidence", x) for x in ("corp", "resampling")}


@dataclass(frozen=True, eq=False, repr=False)
class IsotonicBins(Record):
    """Runs of forecasts with one recalibrated probability, lowest first.

    Attributes
    ----------
    x_min, x_max : array
        The least and the greatest forecast of each bin.
    weight : array
        Cases, or their weight, in each bin.
    event_rate : array
        Share of events in each bin: the recalibrated probability. It strictly increases.

    Examples
    --------
    >>> import properly
    >>> bins = properly.reliability(properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])).bins
    >>> bins.x_min, bins.x_max, bins.weight
    (array([0.1, 0.3, 0.9]), array([0.1, 0.6, 0.9]), array([1, 2, 1]))
    """

    x_min: np.ndarray[Any, Any]
    x_max: np.ndarray[Any, Any]
    weight: np.ndarray[Any, Any]
    event_rate: np.ndarray[Any, Any]

    _series: ClassVar = ("x_min", "x_max", "weight", "event_rate")

    def __repr__(self) -> str:
        lowest, highest = self.event_rate[0], self.event_rate[-1]
        return f"IsotonicBins({len(self)} with event rates {lowest:.4g} to {highest:.4g})"

    def __len__(self) -> int:
        """Count the bins."""
        return int(self.weight.shape[0])


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(Record):
    """What happened after each forecast.

    Attributes
    ----------
    bins : IsotonicBins
        The bins of the isotonic fit.
    value : array
        The distinct forecasts.
    recalibrated : array
        The recalibrated probability of each of them.
    band : Band or None
        How far off the curve may be, if that was asked for.
    discrete : bool
        Whether the forecasts are a few values rather than a continuum: no two of them are closer
        than 0.01, unless said otherwise.
    histogram : Histogram
        How the forecasts are distributed.
    mean_forecast, event_rate : float
        Means over all cases. They are equal if the forecasts are right on average.
    dependence : Dependence or None
        Of cases with times, how much they depend on one another, if a band was asked for: `phi`
        within bins of the curve and `psi` over all cases, as ratios of variances, `rho` of drawn
        outcomes, and `effective_times`.

    Examples
    --------
    >>> import properly
    >>> record = properly.reliability(properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))
    >>> x, rate = record.curve()
    >>> x
    array([0.1, 0.1, 0.3, 0.6, 0.9, 0.9])
    >>> rate
    array([0. , 0. , 0.5, 0.5, 1. , 1. ])
    >>> record.at([0.2, 0.95])
    array([0.25,  nan])
    """

    bins: IsotonicBins
    _forecasts: Array
    band: Band | None
    discrete: bool
    histogram: Histogram
    mean_forecast: float
    event_rate: float
    dependence: Dependence | None = None

    def __repr__(self) -> str:
        forecasts = many(len(self._forecasts), "distinct forecast")
        bins = many(len(self.bins), "bin")
        band = "" if self.band is None else f", with a {self.band.kind} band"
        depends = "" if self.dependence is None else f"; {self.dependence.numbers}"
        return f"Reliability({forecasts} in {bins}{band}{depends})"

    @property
    def value(self) -> Floats:
        """The distinct forecasts."""
        return read_only(to_numpy(self._forecasts).astype(np.float64, copy=False))

    @property
    def recalibrated(self) -> Floats:
        """The recalibrated probability of each distinct forecast."""
        end = np.searchsorted(self.value, self.bins.x_max, side="right")
        return np.repeat(self.bins.event_rate, np.diff(end, prepend=0))

    def curve(self) -> tuple[Floats, Floats]:
        """Return the corners of the curve: flat on bins, straight between, undefined outside."""
        x = np.stack([self.bins.x_min, self.bins.x_max], axis=1).ravel()
        return x, np.repeat(self.bins.event_rate, 2)

    def at(self, x: ArrayLike) -> Floats:
        """Return the curve at any points; NaN outside the range of the forecasts."""
        return np.asarray(np.interp(np.asarray(x), *self.curve(), left=np.nan, right=np.nan))

    def to_dict(self) -> dict[str, Any]:
        """Return the bins as lists, one entry a bin, what else is known, and the band if any."""
        means = {name: getattr(self, name) for name in ("discrete", "mean_forecast", "event_rate")}
        record = self.bins.to_dict() | {"all": means}
        if self.dependence is not None:
            record["dependence"] = self.dependence.to_dict()
        return record if self.band is None else record | {"band": self.band.to_dict()}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the bins as a polars, pandas or pyarrow frame."""
        return self.bins.to_frame(backend)


class BandOptions(TypedDict, total=False):
    """The options of `reliability` whatever is asked."""

    band: Kind | None
    method: Method
    level: float
    replicates: int
    rng: int | np.random.Generator | None
    forecasts: Forecasts


@overload
def reliability(
    tally: Tally | Cases, *, reduction: None = ..., **options: Unpack[BandOptions]
) -> Reliability: ...
@overload
def reliability(
    tally: Cases, *, reduction: View, **options: Unpack[BandOptions]
) -> dict[str, Reliability]: ...
@overload
def reliability(
    y: OutcomeRows, p: ArrayLike, *, reduction: None = ..., **columns_and_options: Any
) -> Reliability: ...
@overload
def reliability(
    y: OutcomeRows, p: ArrayLike, *, reduction: View, **columns_and_options: Any
) -> dict[str, Reliability]: ...
@takes_rows
def reliability(
    tally: Tally | Cases,
    *,
    reduction: View | None = None,
    band: Kind | None = None,
    method: Method = "auto",
    level: float = 0.95,
    replicates: int = 1000,
    rng: int | np.random.Generator | None = None,
    forecasts: Forecasts = "auto",
) -> Reliability | dict[str, Reliability]:
    r"""Estimate how often the event happens after each forecast.

    The conditional event probability (CEP) is estimated by the increasing function of the forecast
    that fits best under every proper rule at once, by pooling adjacent violators (PAV). It needs no
    choice of bins: they follow from the data. This is CORP [1]_: consistent, optimally binned, and
    reproducible, by PAV.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts of one event, or of classes, and what happened.
    reduction : {"one_vs_rest", "cumulative", "top_label"}, optional
        Which questions to ask of classes: of each class, "this one?", unless said otherwise; of
        each but the first, "this one or higher?"; or of the likeliest class alone.
    band : {"consistency", "confidence", "simultaneous"}, optional
        What to show besides: where the curve would lie if the forecasts were calibrated, where the
        true curve may lie, point by point, or where all of it lies at once.
    method : str
        ``"auto"``, or for a consistency band ``"corp"``, ``"resampling"``, ``"discrete"`` or
        ``"continuous"``; for a confidence band ``"likelihood"`` or one of those four; for a
        simultaneous band ``"cells"`` or ``"ungrouped"``. See the notes.
    level : float
        Coverage aimed at: at each point, or of the whole curve if the band is simultaneous.
    replicates : int
        Random replicates of the method ``"resampling"``.
    rng : int or numpy Generator, optional
        Seed or source of the randomness; without it, every call draws anew.
    forecasts : {"auto", "discrete", "continuous"}
        Whether the forecasts are a few values or a continuum, which decides about the histogram and
        how the curve is drawn. Left to itself: a few if no two are closer than 0.01.

    Returns
    -------
    Reliability or dict of Reliability by question
        The latter of classes, for `properly.plots.reliability_grid`.

    Notes
    -----
    **Consistency.** By default the method is ``"resampling"``; with clusters it draws whole
    clusters. ``"corp"`` chooses as the paper [1]_ does, and the band names its choice:
    ``"resampling"`` if there are :math:`n \le 1000` cases, or :math:`n \le 5000` and
    :math:`n \le 50 k` with :math:`k` distinct forecasts; else ``"discrete"`` if
    :math:`n \ge 8 k^2`, else ``"continuous"``. The last two cover too seldom for rare events.
    The default follows the same rule for weighted cases, whose effective number is :math:`n`.
    Clusters and times are always resampled.

    - ``"resampling"``: draw forecasts with replacement and outcomes with the probability of their
      forecast (its recalibrated value for a confidence band), refit, and take quantiles. More
      than 5,000 distinct forecasts are drawn in some thousand narrow cells.
    - ``"discrete"``: at each distinct forecast a normal interval with the variance of its own
      cases.
    - ``"continuous"``: at 0, 0.01, …, 1, with the half width
      :math:`q \, (4 m (1 - m) / (n f))^{1/3}`, with :math:`m` the forecast (the curve, for a
      confidence band), :math:`f` the density of the forecasts and :math:`q` the quantile of
      Chernoff's distribution; the slope of the curve is taken as 1.

    **Confidence.** Left to itself the method is ``"likelihood"``: the values that a
    likelihood-ratio test of an increasing curve does not refuse at each point [3]_. The paper's
    choice, ``"corp"``, is always ``"resampling"``, which covers too seldom; its other two methods
    are wide on average and fail where the rate is near 0 or 1 or the slope is not 1. Where the
    curve is exactly 0 or 1 all three have no width of their own, and straight lines between their
    neighbours take its place.

    **Simultaneous.** Exact (Clopper-Pearson) limits from all runs of neighbouring forecasts, each
    at a share of the error probability [2]_: for any number of independent cases and any
    increasing curve, all of the curve lies in the band with at least the probability `level`. Left
    to itself the method is ``"cells"``: forecasts are first grouped into :math:`2 n^{2/5}` cells,
    which keeps the guarantee and makes the band narrower. ``"ungrouped"`` takes time with the
    square of the distinct forecasts, and refuses more than 15,000.

    **Weights.** These are sampling weights, whole or not; numbers of like cases are counts,
    ``count=``. The simultaneous band counts cases and refuses weights; resampling needs `Cases` to
    draw them one by one, each with its weight. Likelihood and the asymptotic methods take effective
    numbers. Clusters, in `Cases`, are allowed for by resampling and by likelihood; everything else
    refuses them.

    **Time.** So are times, of which there must be 20. The likelihood band is inflated by `phi`, the
    variance of sums of outcomes within bins over that of independent cases, with Student's t.
    Resampling keeps forecasts in their order and draws outcomes that depend on one another: sums of
    them vary by `psi` more than those of independent ones, as they did, but for chance. If `psi`
    is above 2, fewer than 100 effective times are warned of, and with fewer than 30 there is no
    band. A simultaneous band needs independent cases.

    **Several classes.** A band is that of its own question. With many questions some curves leave
    their bands by chance.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability diagrams for
       probabilistic classifiers. Proceedings of the National Academy of Sciences 118:e2016191118.
       `doi:10.1073/pnas.2016191118 <https://doi.org/10.1073/pnas.2016191118>`__
    .. [2] T. Dimitriadis, L. Dümbgen, A. Henzi, M. Puke, J. Ziegel (2023). Honest calibration
       assessment for binary outcome predictions. Biometrika 110:663-680.
       `doi:10.1093/biomet/asac068 <https://doi.org/10.1093/biomet/asac068>`__
    .. [3] M. Banerjee, J. A. Wellner (2001). Likelihood ratio tests for monotone functions. Annals
       of Statistics 29:1699-1731. `doi:10.1214/aos/1015345959
       <https://doi.org/10.1214/aos/1015345959>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> r = properly.reliability(t)
    >>> r.bins.event_rate
    array([0. , 0.5, 1. ])
    >>> r.recalibrated
    array([0. , 0.5, 0.5, 1. ])
    >>> properly.reliability(t, band="consistency", rng=1).band
    Band(95 % consistency, resampling, at 4 points)
    >>> many = properly.Tally.from_counts([0.1, 0.5, 0.9], [900, 800, 700], [80, 410, 640])
    >>> properly.reliability(many, band="consistency", method="corp").band
    Band(95 % consistency, discrete, at 3 points)

    >>> cases = properly.Cases([0, 2, 1], [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]])
    >>> properly.reliability(cases, reduction="cumulative")
    {'1 or higher': Reliability(2 distinct forecasts in 2 bins),
     '2': Reliability(2 distinct forecasts in 2 bins)}
    """
    if band is None and method != "auto":
        message = f"a method belongs to a band, and none was asked for; got method={method!r}"
        raise DataError(message, hint="name the band too, as in band='confidence'.")
    drawing = as_drawing(level, replicates, rng)
    check_choice(forecasts, get_args(Forecasts), "forecasts")
    if band is not None:
        note_whole_weights(tally)
    if not has_classes(tally):
        refuse_reduction(reduction)
        return _of_event(tally, band, method, drawing, forecasts)
    view: View = "one_vs_rest" if reduction is None else reduction
    check_choice(view, VIEWS, "reduction")
    return {
        name: _of_event(question, band, method, drawing, forecasts)
        for name, question in ask(tally, view).items()
    }


def _of_event(
    tally: Tally | Cases, kind: Kind | None, method: Method, drawing: Drawing, forecasts: Forecasts
) -> Reliability:
    t = as_tally(tally)
    fit, value, weight = recalibrate(t), t.value, t.weight
    if not stays(t):
        value, weight = to_numpy(value), to_numpy(weight)
    xp = namespace(value)
    wide = xp.astype(value, xp.float64, copy=False)
    ends = fit.end - np.diff(fit.end, prepend=0), fit.end - 1
    least, most = (fetch(wide, row) for row in ends)
    bins = IsotonicBins(least, most, fit.weight, fit.event_rate)
    band = dependence = None
    if kind is not None:
        from properly.calibration._reliability_bands import BandRequest, find_band
        from properly.inference._cells import in_fine_cells

        request = BandRequest(tally, t, fit, drawing)
        drawn = in_fine_cells(tally) if (kind, method) in DRAWN else tally
        if drawn is not tally:
            cells = as_tally(drawn)
            request = BandRequest(cells, cells, recalibrate(cells), drawing)
        band, dependence = find_band(request, kind, method), request.dependence
        # Bands of calibrated forecasts, and simultaneous ones, hold with few events too.
        if kind == "confidence":
            warn_of_few(tally)
    discrete = forecasts == "discrete"
    if forecasts == "auto":
        discrete = _histogram.is_discrete(_histogram.smallest_gap(wide))
    if discrete:
        bars = _histogram.bar_a_value(to_numpy(wide), to_numpy(weight))
    else:
        bars = _histogram.freedman_diaconis(wide, weight, effective_total(t))
    mean = float(xp.sum(wide * xp.astype(weight, xp.float64))) / t.total
    return Reliability(bins, value, band, discrete, bars, mean, t.event_rate, dependence)


@dataclass(frozen=True, eq=False, repr=False)
class BinnedReliability(Record):
    """What happened after forecasts in bins that were chosen beforehand.

    Attributes
    ----------
    lower, upper : array
        The ends of each bin; of equally full bins, the least and the greatest forecast in it.
    mean_forecast : array
        The mean of the forecasts in each bin, which need not be its middle.
    weight : array
        Cases, or their weight, in each bin.
    event_rate : array
        Share of events in each bin.
    scheme : str
        ``"width"`` or ``"count"``.
    band : Band or None
        Where the event rates would lie if the forecasts were calibrated, if that was asked for.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> record = properly.calibration.binned_reliability(t, bins=2)
    >>> record
    BinnedReliability(2 bins of equal width)
    >>> record.upper, record.mean_forecast, record.event_rate
    (array([0.5, 1. ]), array([0.2 , 0.75]), array([0.5, 0.5]))
    """

    lower: Column
    upper: Column
    mean_forecast: Column
    weight: Column
    event_rate: Column
    scheme: Scheme
    band: Band | None = None

    _series: ClassVar = ("lower", "upper", "mean_forecast", "weight", "event_rate")
    _optional: ClassVar = ("band",)

    def __repr__(self) -> str:
        bins = many(len(self), "bin")
        band = "" if self.band is None else f", with a {self.band.kind} band"
        return f"BinnedReliability({bins} of equal {self.scheme}{band})"

    def __len__(self) -> int:
        """Count the bins."""
        return int(self.weight.shape[0])


@takes_rows
def binned_reliability(
    tally: Tally | Cases,
    *,
    bins: int = 10,
    scheme: Scheme = "width",
    band: Literal["consistency"] | None = None,
    level: float = 0.95,
    replicates: int = 1000,
    rng: int | np.random.Generator | None = None,
) -> BinnedReliability:
    r"""Count how often the event happened after forecasts in bins.

    Bins that someone chose can hide miscalibration or show some that is not there, and another
    number of them tells another story; `properly.reliability` needs no such choice.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    bins : int
        How many bins. Empty ones are left out.
    scheme : {"width", "count"}
        Bins of equal width, or with about equally many cases each.
    band : {"consistency"}, optional
        Find also where the event rate of each bin would lie if the forecasts were calibrated.
    level : float
        Confidence level of the band, bin by bin.
    replicates : int
        Random replicates for the band.
    rng : int or numpy Generator, optional
        Seed or source of the randomness.

    Returns
    -------
    BinnedReliability

    Notes
    -----
    Of `m` bins of equal width, a forecast `p` is in that number :math:`\min(\lfloor m p \rfloor,
    m - 1)`, counted from 0: an edge belongs to the bin above it, and 1 to the last bin. This is
    computed in floating point, where 100 · 0.29 is a little less than 29.

    Of bins of equal count, a forecast that `w` of all `n` cases had, with `b` cases below it, is in
    that number :math:`\lfloor m (b + w / 2) / n \rfloor`. Equal forecasts stay together.

    The band is found by consistency resampling [1]_: forecasts are drawn with replacement, and for
    each of them an outcome with its probability. The bins stay as they are, and the band has the
    quantiles of their event rates, among replicates that have a forecast in the bin. Weights need
    `Cases`; clusters are drawn whole; with times, outcomes are drawn that depend on one another,
    and there is no band if they do so for too long, as in `properly.reliability`.

    References
    ----------
    .. [1] J. Bröcker, L. A. Smith (2007). Increasing the reliability of reliability diagrams.
       Weather and Forecasting 22:651-661. `doi:10.1175/WAF993.1
       <https://doi.org/10.1175/WAF993.1>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.1, 0.2, 0.7], [50, 30, 20], [2, 6, 16])
    >>> record = properly.calibration.binned_reliability(
    ...     t, bins=2, scheme="count", band="consistency", rng=1
    ... )
    >>> record.lower, record.upper, record.event_rate
    (array([0.1, 0.2]), array([0.1, 0.7]), array([0.04, 0.44]))
    >>> lower, upper = record.band.lower, record.band.upper
    >>> (lower <= record.event_rate) & (record.event_rate <= upper)
    array([ True,  True])
    """
    drawing = as_drawing(level, replicates, rng)
    result, _, first = bins_of(tally, bins, scheme)
    if band is None:
        return result
    from properly.calibration._reliability_bands import BandRequest, binned_band

    check_choice(band, ("consistency",), "band")
    note_whole_weights(tally)
    t = as_tally(tally)
    request = BandRequest(tally, t, recalibrate(t), drawing)
    return replace(result, band=binned_band(request, result.mean_forecast, first))


def bins_of(
    tally: Tally | Cases, bins: int, scheme: Scheme
) -> tuple[BinnedReliability, Column, Column]:
    """Return bins, how many cases of equal weight would say as much, and the first row of each."""
    check_choice(scheme, get_args(Scheme), "scheme")
    bins, sample = check_whole(bins, "bins"), ForecastSample.of(as_tally(tally))
    value, weight, *_ = sample
    cell = (
        _histogram.equal_width(value, bins)
        if scheme == "width"
        else _histogram.equal_count(weight, bins)
    )
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    least, greatest = value[first], value[np.append(first[1:], len(value)) - 1]
    cells = sample.grouped(first)
    # Rounding must not carry a mean beyond its forecasts.
    mean, rate = np.clip(cells.value, least, greatest), cells.events / cells.weight
    if scheme == "width":
        least, greatest = cell[first] / bins, (cell[first] + 1) / bins
    result = BinnedReliability(least, greatest, mean, cells.weight, rate, scheme)
    return result, cells.effective, first


@dataclass(frozen=True)
class MurphyDecomposition(Record):
    """The classical parts of a Brier score, from the event rates at each forecast.

    ``score = reliability - resolution + uncertainty``

    Attributes
    ----------
    score : float
        The mean Brier score.
    reliability : float
        Mean squared difference between the forecasts and the event rates.
    resolution : float
        Mean squared difference between the event rates and the overall one.
    uncertainty : float
        The variance of the outcomes.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 1, 1], [0.25, 0.25, 0.75, 0.75])
    >>> properly.calibration.murphy_decomposition(t)
    MurphyDecomposition(score=0.1875, reliability=0.0625, resolution=0.0625, uncertainty=0.1875)
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float


@takes_rows
def murphy_decomposition(tally: Tally | Cases) -> MurphyDecomposition:
    r"""Split a Brier score the classical way, for comparison.

    .. math:: \text{REL} = \frac1n \sum_j n_j (o_j / n_j - z_j)^2, \quad
        \text{RES} = \frac1n \sum_j n_j (o_j / n_j - \bar y)^2, \quad
        \text{UNC} = \bar y (1 - \bar y),

    over the distinct forecasts :math:`z_j` with :math:`n_j` cases and :math:`o_j` events.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.

    Returns
    -------
    MurphyDecomposition

    Notes
    -----
    If the event rates increase with the forecasts, these are the parts that `properly.decompose`
    finds. If not, both are larger by the same amount; and if all forecasts differ, the event rates
    are the outcomes themselves, the reliability is the score and the resolution is the uncertainty.
    That is why the forecasts were binned in former times, and why everything depended on the bins.

    References
    ----------
    .. [1] A. H. Murphy (1973). A new vector partition of the probability score. Journal of Applied
       Meteorology 12:595-600.
    .. [2] T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability diagrams for
       probabilistic classifiers. Proceedings of the National Academy of Sciences 118:e2016191118,
       appendix C. `doi:10.1073/pnas.2016191118 <https://doi.org/10.1073/pnas.2016191118>`__

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [10, 10, 10], [4, 3, 9])
    >>> classical = properly.calibration.murphy_decomposition(t)
    >>> round(classical.reliability, 4), round(classical.resolution, 4)
    (0.03, 0.0689)
    >>> parts = properly.decompose(t, Brier())
    >>> round(parts.miscalibration, 4), round(parts.discrimination, 4)
    (0.0283, 0.0672)
    """
    t = as_tally(tally)
    value, weight, events, _ = ForecastSample.of(t)
    rate, share, overall = events / weight, weight / weight.sum(), t.event_rate
    reliability = float(share @ (rate - value) ** 2)
    resolution = float(share @ (rate - overall) ** 2)
    return MurphyDecomposition(
        mean_score(t, Brier()), reliability, resolution, overall * (1 - overall)
    )
