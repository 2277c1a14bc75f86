"""Rules of thresholds: regret at one of them, or over a distribution.

`Misclassification` and `Elementary` look at one threshold; `PointWeighted`, `HistogramWeighted` and
`BetaWeighted` are beliefs about thresholds; `MissedBenefit` weighs them so that regret is net
benefit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from properly._boundary._libraries import infinities, namespace
from properly._boundary._options import as_number
from properly._boundary._tolerances import SAME_SUM
from properly.errors import ArgumentTypeError, DataError
from properly.rules._class_rule import DualRule
from properly.rules._combinators import SumOfRules, moved_into
from properly.rules._dual_rules import Brier
from properly.rules._log_odds import SMALL, BetaDensity, atanh_excess, both_sides, softplus
from properly.rules._penalty import likeliest
from properly.rules._rule import BinaryRule, Propriety, wide
from properly.typing import Array

# Parameters of a Beta distribution beyond this are a point, or two, for every purpose.
LEAST = 1e-6
# Bins narrower than this are points.
NARROW = 1e-12


@dataclass(frozen=True)
class Misclassification(DualRule):
    r"""One if the likelier side did not happen, a half if the forecast is exactly 1/2.

    .. math:: S(p, y) = 1\{p > 1/2\} (1 - y) + 1\{p < 1/2\}\, y + \tfrac12\, 1\{p = 1/2\}.

    Of several classes, those of the largest probability share the hit:
    :math:`S(p, y) = 1 - 1\{y \in T\} / |T|` with :math:`T = \operatorname{argmax}_k p_k`.

    Notes
    -----
    All of the weight sits at the threshold 1/2, so every forecast on the right side of it is as
    good as any other: the rule is proper, not strictly.

    Examples
    --------
    >>> from properly.rules import Misclassification
    >>> Misclassification().loss([0, 0, 0], [0.4, 0.5, 0.6])
    array([0. , 0.5, 1. ])
    >>> Misclassification().loss([0, 0, 0], [[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.2, 0.5, 0.3]])
    array([0. , 0.5, 1. ])
    """

    propriety: ClassVar[Propriety] = Propriety.PROPER

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Count the threshold 1/2 if it lies inside, half if it is an end."""
        return _step(upper) - _step(lower)

    # A miss at one half costs as much as a false alarm.
    false_negatives = false_positives

    def weight(self, p: Array) -> Array:
        """Return 0: there is no weight away from the point mass."""
        return namespace(p).zeros_like(p)

    def atoms_within(self, lower: float, upper: float) -> tuple[tuple[float, float], ...]:
        """Return the mass at 1/2: 2, or 1 if 1/2 is an end of the range."""
        mass = 2 * float(_step(upper) - _step(lower))
        return ((0.5, mass),) if mass else ()

    def classwise(self, p: Array) -> Array:
        """Return one minus each class's share of the largest probability."""
        xp = namespace(p)
        top = wide(xp.astype(likeliest(p), p.dtype))
        return 1 - top / xp.sum(top, axis=1, keepdims=True)


@dataclass(frozen=True)
class Elementary(BinaryRule):
    r"""Regret at one threshold.

    .. math:: S(p, y) = c\, (1 - y)\, 1\{p \ge c\} + (1 - c)\, y\, 1\{p < c\}.

    Parameters
    ----------
    threshold : float
        The probability c at which one acts, ``0 < c < 1``.

    Notes
    -----
    One acts if and only if ``p >= c``. The mean is the regret R(c); net benefit is the event rate
    minus ``R(c) / (1 - c)``. Only the side of c that a forecast lies on matters, so the rule is
    proper, not strictly.

    References
    ----------
    .. [1] W. Ehm, T. Gneiting, A. Jordan, F. Krüger (2016). Of quantiles and expectiles: consistent
       scoring functions, Choquet representations and forecast rankings. Journal of the Royal
       Statistical Society B 78:505-562. `doi:10.1111/rssb.12154
       <https://doi.org/10.1111/rssb.12154>`__

    Examples
    --------
    >>> from properly.rules import Elementary
    >>> Elementary(0.2).loss([0, 0, 1, 1], [0.1, 0.2, 0.1, 0.2])
    array([0. , 0.2, 0.8, 0. ])
    """

    threshold: float

    propriety: ClassVar[Propriety] = Propriety.PROPER

    def __post_init__(self) -> None:
        self._set(threshold=as_number(self.threshold, "threshold"))
        if not 0 < self.threshold < 1:
            message = f"a threshold must lie strictly between 0 and 1; got {self.threshold!r}"
            raise DataError(message, hint="at 0 one always acts, at 1 never; nothing is decided.")

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the threshold if it lies above lower, up to and including upper."""
        return self.threshold * self._inside(lower, upper)

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return one minus the threshold if it lies above lower, up to and including upper."""
        return (1 - self.threshold) * self._inside(lower, upper)

    def weight(self, p: Array) -> Array:
        """Return 0: there is no weight away from the point mass."""
        return namespace(p).zeros_like(p)

    def atoms_within(self, lower: float, upper: float) -> tuple[tuple[float, float], ...]:
        """Return the unit mass at the threshold, if it lies inside."""
        return ((self.threshold, 1.0),) if lower < self.threshold <= upper else ()

    @property
    def name(self) -> str:
        """A short lower-case name with the threshold."""
        return f"elementary[{self.threshold}]"

    def _inside(self, lower: Array | float, upper: Array | float) -> Array:
        return _at_least(upper, self.threshold) - _at_least(lower, self.threshold)


@dataclass(frozen=True)
class BetaWeighted(BinaryRule):
    r"""Mean regret over thresholds that follow a Beta distribution.

    .. math:: w(t) = \frac{t^{\alpha - 1} (1 - t)^{\beta - 1}}{B(\alpha, \beta)}, \qquad
        V(p) = \frac{\alpha}{\alpha + \beta} I_p(\alpha + 1, \beta), \qquad
        U(p) = \frac{\beta}{\alpha + \beta} I_{1 - p}(\beta + 1, \alpha),

    with the regularised incomplete beta function :math:`I`.

    Parameters
    ----------
    alpha, beta : float
        Both greater than 0, and between 1e-6 and 1e6. The mean threshold is
        ``alpha / (alpha + beta)``.

    Notes
    -----
    On the regret scale: (1, 1), all thresholds alike, is half of `Brier`. As both go to 0, the
    rule without its constant becomes `Log`, which is not a mean. To restrict the distribution to a
    range, write ``Regret(within, prior=BetaWeighted(alpha, beta))``.

    A tensor is priced through numpy, and its gradient is exact; there is no second derivative.

    References
    ----------
    .. [1] A. Buja, W. Stuetzle, Y. Shen (2005). Loss functions for binary class probability
       estimation and classification: structure and applications. University of Pennsylvania.
    .. [2] D. J. Hand (2009). Measuring classifier performance: a coherent alternative to the area
       under the ROC curve. Machine Learning 77:103-123. `doi:10.1007/s10994-009-5119-5
       <https://doi.org/10.1007/s10994-009-5119-5>`__

    Examples
    --------
    >>> from properly.rules import BetaWeighted, Brier
    >>> BetaWeighted(1, 1)([0, 1], [0.1, 0.5]), Brier()([0, 1], [0.1, 0.5])
    (0.065, 0.13)
    >>> BetaWeighted(2, 8).loss([0, 1], [0.1, 0.1]).round(4)
    array([0.014 , 0.5889])
    """

    alpha: float
    beta: float
    _acting: BetaDensity = field(init=False, repr=False, compare=False)
    _leaving: BetaDensity = field(init=False, repr=False, compare=False)
    _density: BetaDensity = field(init=False, repr=False, compare=False)

    propriety: ClassVar[Propriety] = Propriety.STRICT

    def __post_init__(self) -> None:
        alpha, beta = as_number(self.alpha, "alpha"), as_number(self.beta, "beta")
        if not all(LEAST <= x <= 1 / LEAST for x in (alpha, beta)):
            message = (
                f"alpha and beta of a Beta distribution must lie between {LEAST:g} and "
                f"{1 / LEAST:g}; got alpha = {alpha:g}, beta = {beta:g}"
            )
            raise DataError(message, hint="the limit of both going to 0 is Log().")
        self._set(alpha=alpha, beta=beta, _density=BetaDensity(alpha, beta))
        self._set(_acting=BetaDensity(alpha + 1, beta), _leaving=BetaDensity(alpha, beta + 1))

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the mean of t over the distribution's part between lower and upper."""
        return self._density.mean * self._acting.mass(lower, upper)

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the mean of 1 - t over the distribution's part between lower and upper."""
        return self._density.rest * self._leaving.mass(lower, upper)

    def weight(self, p: Array) -> Array:
        """Return the density of the Beta distribution."""
        return self._density.density(p)

    def logit_weight(self, p: Array, q: Array) -> Array:
        """Return the density on the log-odds scale."""
        d = self._density
        return d.at_mean * d.mean * d.rest * d.relative(p, q, d.alpha, d.beta)

    def slope_if_event(self, p: Array) -> Array:
        """Return minus the density of the mean of 1 - t."""
        return -self._density.rest * self._leaving.density(p)

    def slope_if_none(self, p: Array) -> Array:
        """Return the density of the mean of t."""
        return self._density.mean * self._acting.density(p)

    @property
    def name(self) -> str:
        """A short lower-case name with both parameters."""
        return f"beta[{self.alpha},{self.beta}]"


@dataclass(frozen=True)
class MissedBenefit(BinaryRule):
    r"""Net benefit that is missed, added up over thresholds.

    .. math:: S(p, y) = 1 - p \text{ if } y = 1, \quad -\log(1 - p) - p \text{ if } y = 0,
        \qquad w(t) = \frac{1}{1 - t} .

    Notes
    -----
    Net benefit at a threshold is the event rate minus :math:`R(t) / (1 - t)`. So over a range of
    thresholds, all alike, its mean is the event rate minus the mean of
    ``Bounded(MissedBenefit(), within)``, which `properly.decisions.mean_net_benefit` returns. The
    weight differs from that of `Brier` by :math:`1 / (1 - t)`, and so may the better of two models.

    A forecast of 1 that turns out wrong costs infinity.

    References
    ----------
    .. [1] A. J. Vickers, E. B. Elkin (2006). Decision curve analysis: a novel method for evaluating
       prediction models. Medical Decision Making 26:565-574.
       `doi:10.1177/0272989X06295361 <https://doi.org/10.1177/0272989X06295361>`__

    Examples
    --------
    >>> from properly.rules import Bounded, MissedBenefit
    >>> MissedBenefit().loss([0, 1, 1], [0.5, 0.25, 1.0])
    array([0.19314718, 0.75      , 0.        ])
    >>> rule = Bounded(MissedBenefit(), (0.05, 0.2))
    >>> rule.loss([1, 1, 1], [0.0, 0.125, 0.2])
    array([1. , 0.5, 0. ])
    """

    name: ClassVar[str] = "missed_benefit"
    propriety: ClassVar[Propriety] = Propriety.STRICT

    @infinities()
    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return ``log((1 - lower) / (1 - upper)) - (upper - lower)``."""
        xp = namespace(lower, upper)
        lower, upper = lower + 0.0 * upper, upper + 0.0 * lower
        width, one = upper - lower, xp.ones_like(lower)
        share = width / xp.where(lower < 1, 1 - lower, one)
        # The difference cancels for small shares, which take another road.
        small = share < 2 * SMALL / (1 + SMALL)
        far = xp.log1p(xp.where(small, one, width) / xp.where(small, one, 1 - upper)) - width
        near = xp.where(small, share, xp.zeros_like(share))
        r = near / (2 - near)
        excess = 2 * r * r * (atanh_excess(r) + 1 / (1 + r))
        return xp.where(small, lower * -xp.log1p(-near) + (1 - lower) * excess, far)

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Return ``upper - lower``."""
        return (upper - lower) * 1.0

    @infinities()
    def weight(self, p: Array) -> Array:
        """Return ``1 / (1 - p)``."""
        return 1 / (1 - p)

    def logit_weight(self, p: Array, q: Array) -> Array:  # noqa: ARG002
        """Return ``p``."""
        return p

    def slope_if_event(self, p: Array) -> Array:
        """Return -1."""
        return -namespace(p).ones_like(p)

    @infinities()
    def slope_if_none(self, p: Array) -> Array:
        """Return the odds, ``p / (1 - p)``."""
        return p / (1 - p)

    def price_logit(self, y: Array, logit: Array) -> Array:
        """Return the probability of what did not happen, or the fall of its logarithm."""
        xp = namespace(logit)
        p, q = both_sides(logit)
        small = xp.where(p < 0.5, p, xp.zeros_like(p))
        none = xp.where(p < 0.5, self.false_positives(0.0, small), softplus(logit) - p)
        return xp.where(y, q, none)

    def length(self, lower: float, upper: float) -> float:
        """Return ``upper - lower``, so that a mean over a range is one of net benefit."""
        return upper - lower


@dataclass(frozen=True)
class PointWeighted(SumOfRules):
    r"""Mean regret at several thresholds.

    .. math:: S(p, y) = \sum_j w_j \left[ t_j (1 - y) 1\{p \ge t_j\}
        + (1 - t_j)\, y\, 1\{p < t_j\} \right], \qquad \sum_j w_j = 1 .

    Parameters
    ----------
    thresholds : sequence of float
        The thresholds, strictly between 0 and 1.
    weights : sequence of float, optional
        How much each of them matters, in any unit; the same for all if left out.

    Notes
    -----
    One acts at a threshold if and only if ``p >= t``. The weights are divided by their sum, so the
    rule is on the regret scale: with one threshold it is `Elementary`.

    Examples
    --------
    >>> from properly.rules import PointWeighted
    >>> rule = PointWeighted([0.05, 0.1, 0.2], weights=[1, 2, 1])
    >>> rule
    PointWeighted(thresholds=(0.05, 0.1, 0.2), weights=(0.25, 0.5, 0.25))
    >>> rule.loss([0, 0, 1], [0.04, 0.1, 0.1])
    array([0.    , 0.0625, 0.2   ])
    """

    thresholds: tuple[float, ...]
    weights: tuple[float, ...]

    def __init__(self, thresholds: Iterable[float], weights: Iterable[float] | None = None) -> None:
        points = _numbers(thresholds, "thresholds")
        amounts = (1.0,) * len(points) if weights is None else _numbers(weights, "weights")
        shares = _shares(amounts, len(points), "one a threshold")
        terms = tuple(zip(shares, map(Elementary, points), strict=True))
        self._set(thresholds=points, weights=shares, terms=terms)

    @property
    def name(self) -> str:
        """A short lower-case name with the thresholds and their weights."""
        pairs = zip(self.thresholds, self.weights, strict=True)
        return f"points[{','.join(f'{t}:{w:.4g}' for t, w in pairs)}]"


@dataclass(frozen=True)
class HistogramWeighted(BinaryRule):
    r"""Mean regret over thresholds that follow a histogram.

    .. math:: w(t) = \frac{w_k}{e_{k + 1} - e_k} \text{ for } e_k \le t < e_{k + 1}, \qquad
        \sum_k w_k = 1 .

    Parameters
    ----------
    edges : sequence of float
        The edges of the bins, increasing, from 0 or more to 1 or less.
    weights : sequence of float
        How much of the belief lies in each bin, in any unit: chips put on it, or experts in favour.

    Notes
    -----
    The weights are divided by their sum, and spread evenly over each bin. One bin is the uniform
    `Regret` over it. The rule is strictly proper if there is belief everywhere between 0 and 1.

    References
    ----------
    .. [1] A. O'Hagan et al. (2006). Uncertain judgements: eliciting experts' probabilities. Wiley.
       `doi:10.1002/0470033312 <https://doi.org/10.1002/0470033312>`__

    Examples
    --------
    >>> from properly.rules import HistogramWeighted
    >>> rule = HistogramWeighted([0.02, 0.05, 0.1, 0.2], weights=[3, 5, 2])
    >>> rule
    HistogramWeighted(edges=(0.02, 0.05, 0.1, 0.2), weights=(0.3, 0.5, 0.2))
    >>> rule.loss([0, 1], [0.15, 0.05]).round(6)
    array([0.0605, 0.6325])
    """

    edges: tuple[float, ...]
    weights: tuple[float, ...]

    def __init__(self, edges: Iterable[float], weights: Iterable[float]) -> None:
        ends = _numbers(edges, "edges")
        bins = list(pairwise(ends))
        if not bins or ends[0] < 0 or not ends[-1] <= 1 or any(not b - a > NARROW for a, b in bins):
            message = (
                "edges must increase from 0 or more to 1 or less, by more than "
                f"{NARROW:g}, and there must be two at least; got {list(ends)}"
            )
            raise DataError(message)
        shares = _shares(_numbers(weights, "weights"), len(bins), "one a bin")
        self._set(edges=ends, weights=shares)

    @property
    def propriety(self) -> Propriety:
        """Strict if there is belief in every threshold."""
        everywhere = self.edges[0] == 0 and self.edges[-1] == 1 and all(self.weights)
        return Propriety.STRICT if everywhere else Propriety.PROPER

    @property
    def name(self) -> str:
        """A short lower-case name with the edges and the weights of the bins."""
        edges = ",".join(str(edge) for edge in self.edges)
        return f"histogram[{edges};{','.join(f'{w:.4g}' for w in self.weights)}]"

    def false_positives(self, lower: Array | float, upper: Array | float) -> Array:
        """Add up the costs of the parts of bins that lie between lower and upper."""
        brier = Brier()
        return sum(h / 2 * brier.false_positives(*ends) for h, ends in self._parts(lower, upper))

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Add up the costs of the parts of bins that lie between lower and upper."""
        brier = Brier()
        return sum(h / 2 * brier.false_negatives(*ends) for h, ends in self._parts(lower, upper))

    def weight(self, p: Array) -> Array:
        """Return the height of the bin; at an edge between two bins, of the upper one."""
        xp = namespace(p)
        density = xp.zeros_like(p)
        for height, start, _ in self._bins():
            density = xp.where(p >= start, height, density)
        return xp.where(p <= self.edges[-1], density, xp.zeros_like(p))

    def _bins(self) -> Iterator[tuple[float, float, float]]:
        """Yield the height and both edges of each bin."""
        for share, (start, end) in zip(self.weights, pairwise(self.edges), strict=True):
            yield share / (end - start), start, end

    def _parts(self, *limits: Array | float) -> Iterator[tuple[float, list[Array]]]:
        """Yield the height of each bin, and both limits moved into it."""
        for height, start, end in self._bins():
            last = end == self.edges[-1]
            yield height, [moved_into(p, start, end, closed=last) for p in limits]


def _at_least(p: Array | float, threshold: float) -> Array | float:
    """Return 1 where one acts, else 0, in the type of `p`."""
    if isinstance(p, int | float):
        return float(p >= threshold)
    return namespace(p).astype(p >= threshold, p.dtype)


def _step(p: Array | float) -> Array | float:
    """Return 0 below one half, 1 above, and a half between."""
    above = 1 - _at_least(1 - p, 0.5)  # 1 - p is exact wherever it matters, near one half
    return 0.5 * (_at_least(p, 0.5) + above)


def _numbers(values: Iterable[float], name: str) -> tuple[float, ...]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        message = f"{name} must be a sequence of numbers; got {values!r}"
        raise ArgumentTypeError(message)
    return tuple(as_number(value, f"number in {name}") for value in values)


def _shares(amounts: tuple[float, ...], count: int, each: str) -> tuple[float, ...]:
    """Divide weights by their sum."""
    if len(amounts) != count:
        message = f"weights must be {each}; got {len(amounts)} for {count}"
        raise DataError(message)
    total = sum(amounts)
    if not all(0 <= amount < math.inf for amount in amounts) or not 0 < total < math.inf:
        message = f"weights must be finite, none negative and not all 0; got {list(amounts)}"
        raise DataError(message)
    # Shares stay as they are, so that a rule is what its repr makes again.
    return amounts if abs(total - 1) < SAME_SUM else tuple(x / total for x in amounts)
