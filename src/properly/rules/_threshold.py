"""Elementary rules, of one threshold: the misclassification rate and regret at a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from properly._boundary._libraries import namespace
from properly._boundary._options import as_number
from properly.errors import DataError
from properly.rules._class_rule import DualRule, at
from properly.rules._costs import likeliest
from properly.rules._rule import BinaryRule, Propriety, wide

if TYPE_CHECKING:
    from properly.typing import Array


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

    def false_negatives(self, lower: Array | float, upper: Array | float) -> Array:
        """Count the threshold 1/2 if it lies inside, half if it is an end."""
        return _step(upper) - _step(lower)

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

    def price(self, y: Array, p: Array) -> Array:
        """Return the same for the class that happened."""
        return at(self.classwise(p), y)


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


def _at_least(p: Array | float, threshold: float) -> Array | float:
    """Return 1 where one acts, else 0, in the type of `p`."""
    if isinstance(p, int | float):
        return float(p >= threshold)
    return namespace(p).astype(p >= threshold, p.dtype)


def _step(p: Array | float) -> Array | float:
    """Return 0 below one half, 1 above, and a half between."""
    above = 1 - _at_least(1 - p, 0.5)  # 1 - p is exact wherever it matters, near one half
    return 0.5 * (_at_least(p, 0.5) + above)
