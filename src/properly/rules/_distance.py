"""Rules for ordered classes whose loss grows with the square of the distance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from properly._boundary._classes import check_count
from properly._boundary._libraries import count_up, namespace
from properly._boundary._options import as_number, check_choice
from properly.errors import DataError
from properly.rules._class_rule import ClassRule
from properly.rules._ranked_probability import RPS
from properly.rules._rule import Propriety, in_name, wide
from properly.typing import Array

Normalization = Literal["unit", "printed"]


@dataclass(frozen=True, repr=False)
class SquaredAbsoluteRPS(ClassRule):
    r"""The squared absolute ranked probability score (sa-RPS), which is improper.

    .. math:: S(p, y) = \Big(\frac{A}{K - 1}\Big)^2, \qquad
        A = \sum_{k=0}^{K-2} |P_k - 1\{y \le k\}| = \sum_j p_j\, |j - y| .

    Parameters
    ----------
    normalization : {"unit", "printed"}
        ``"unit"`` divides by :math:`(K - 1)^2`, so that the loss lies between 0 and 1;
        ``"printed"`` divides by :math:`K - 1`, as the paper does, and reaches K - 1.

    Notes
    -----
    With three or more classes the score rewards overconfidence. If :math:`Y` has the distribution
    :math:`q` with mean :math:`\mu`, no report costs less than
    :math:`\operatorname{Var}(Y) / (K - 1)^2`, and the report that costs so little puts all
    probability on the two classes next to :math:`\mu`. The truth is as good only if it has no more
    than two possible classes. So the score asks for the mean, not for the probabilities. It may
    list the worst forecasts of a data set. It must not choose between models, and is refused where
    propriety is needed; `QuadraticRPS` is strictly proper and grows with the square of the distance
    as well.

    References
    ----------
    .. [1] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. MICCAI
       2023, Lecture Notes in Computer Science 14222:357-366.

    Examples
    --------
    If all three classes are equally likely, it pays to call the middle one certain:

    >>> from properly.rules import SquaredAbsoluteRPS
    >>> truth = [1 / 3, 1 / 3, 1 / 3]
    >>> SquaredAbsoluteRPS().expected_loss(truth, [truth, [0, 1, 0]]).round(4)
    array([0.2037, 0.1667])
    """

    normalization: Normalization = "unit"

    propriety: ClassVar[Propriety] = Propriety.IMPROPER
    needs_order: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_choice(self.normalization, get_args(Normalization), "normalization")

    @property
    def name(self) -> str:
        """A short lower-case name with the normalization."""
        suffix = "" if self.normalization == "unit" else "_printed"
        return f"squared_absolute_rps{suffix}"

    def propriety_for(self, classes: int) -> Propriety:
        """Return what holds for so many classes: of two, it is the Brier score of the event."""
        return Propriety.STRICT if check_count(classes) == 2 else Propriety.IMPROPER

    def range_for(self, classes: int) -> tuple[float, float]:
        """Return 0 and 1, or the K - 1 that the printed formula reaches."""
        longest = check_count(classes) - 1
        return 0.0, 1.0 if self.normalization == "unit" else float(longest)

    def classwise(self, p: Array) -> Array:
        """Return the squared mean distance to every class."""
        place = _places(p)
        apart = namespace(p).abs(place[:, None] - place[None, :])
        return self._squared(wide(p) @ apart, p.shape[1])

    def price(self, y: Array, p: Array) -> Array:
        """Return the squared mean distance to the class that happened."""
        xp = namespace(p)
        apart = xp.abs(_places(p)[None, :] - xp.astype(y, _places(p).dtype)[:, None])
        return self._squared(xp.sum(wide(p) * apart, axis=1), p.shape[1])

    def _squared(self, distance: Array, classes: int) -> Array:
        longest = classes - 1
        return distance * distance / (longest**2 if self.normalization == "unit" else longest)


@dataclass(frozen=True, repr=False)
class SquaredMeanError(ClassRule):
    r"""Squared error of the mean of the forecast, over the square of the largest distance.

    .. math:: S(p, y) = \Big(\frac{m_p - y}{K - 1}\Big)^2, \qquad m_p = \sum_k k\, p_k .

    All that counts is the mean, so the rule is proper, not strictly, unless there are two classes.
    """

    name: ClassVar[str] = "squared_mean_error"
    needs_order: ClassVar[bool] = True
    propriety: ClassVar[Propriety] = Propriety.PROPER

    def propriety_for(self, classes: int) -> Propriety:
        """Return what holds for so many classes: of two, the mean is the probability."""
        return Propriety.STRICT if check_count(classes) == 2 else Propriety.PROPER

    def range_for(self, classes: int) -> tuple[float, float]:
        """Return 0 and 1."""
        check_count(classes)
        return 0.0, 1.0

    def classwise(self, p: Array) -> Array:
        """Return the squared distance of the mean to every class."""
        place = _places(p)
        off = ((wide(p) @ place)[:, None] - place[None, :]) / (p.shape[1] - 1)
        return off * off

    def price(self, y: Array, p: Array) -> Array:
        """Return the squared distance of the mean to what happened."""
        off = self._off(y, p)
        return off * off

    def class_slope(self, y: Array, p: Array) -> Array:
        """Return twice the error of the mean, times the place of every class."""
        # Each divided by itself: half precision does not hold the square of many classes.
        return 2 * self._off(y, p)[:, None] * (_places(p) / (p.shape[1] - 1))[None, :]

    def class_curvature(self, p: Array) -> Array:
        """Return twice the square of how far each logit moves the mean."""
        place = _places(p)
        moved = p * (place[None, :] - (p @ place)[:, None]) / (p.shape[1] - 1)
        return 2 * moved * moved

    def _off(self, y: Array, p: Array) -> Array:
        place = _places(p)
        return (wide(p) @ place - namespace(p).take(place, y)) / (p.shape[1] - 1)


@dataclass(frozen=True, repr=False)
class QuadraticRPS(ClassRule):
    r"""Squared error of the mean, with a share of the ranked probability score.

    .. math:: S(p, y) = \Big(\frac{m_p - y}{K - 1}\Big)^2 + \varepsilon\, \text{RPS}(p, y), \qquad
        m_p = \sum_k k\, p_k .

    Parameters
    ----------
    share : float
        The share :math:`\varepsilon > 0` of the ranked probability score.

    Notes
    -----
    What `SquaredAbsoluteRPS` was made for, without its fault: mistakes cost in proportion to the
    square of their distance, up to the share, and the rule is strictly proper, since the second
    part is and the first is proper.

    Examples
    --------
    >>> from properly.rules import QuadraticRPS
    >>> QuadraticRPS(share=0.1).loss([0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    array([0. , 0.3, 1.1])
    >>> truth = [1 / 3, 1 / 3, 1 / 3]
    >>> QuadraticRPS(share=0.1).expected_loss(truth, [truth, [0, 1, 0]]).round(4)
    array([0.1889, 0.2   ])
    """

    share: float = 0.1

    needs_order: ClassVar[bool] = True
    propriety: ClassVar[Propriety] = Propriety.STRICT

    def __post_init__(self) -> None:
        share = as_number(self.share, "share")
        self._set(share=share)
        if not 0 < share < math.inf:
            message = f"share must be positive and finite; got {share!r}"
            raise DataError(message, hint="without it the rule asks for the mean only.")

    @property
    def name(self) -> str:
        """A short lower-case name with the share."""
        return f"quadratic_rps[{in_name(self.share)}]"

    def range_for(self, classes: int) -> tuple[float, float]:
        """Return 0 and one more than the share."""
        check_count(classes)
        return 0.0, 1 + self.share

    def classwise(self, p: Array) -> Array:
        """Return the sum of both parts for every class."""
        return SquaredMeanError().classwise(p) + self.share * RPS().classwise(p)

    def price(self, y: Array, p: Array) -> Array:
        """Return the sum of both parts for the class that happened."""
        return SquaredMeanError().price(y, p) + self.share * RPS().price(y, p)

    def class_slope(self, y: Array, p: Array) -> Array:
        """Return the sum of both parts."""
        return SquaredMeanError().class_slope(y, p) + self.share * RPS().class_slope(y, p)

    def class_curvature(self, p: Array) -> Array:
        """Return the sum of both parts."""
        return SquaredMeanError().class_curvature(p) + self.share * RPS().class_curvature(p)


def _places(p: Array) -> Array:
    return count_up(p.shape[1], wide(p))
