"""Calibration errors in bins (ECE, MCE), to match numbers that others have published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from properly._boundary._record import Record
from properly._boundary._text import amount_of, many, wrapped
from properly.calibration._reliability import BinnedReliability, Scheme, bins_of
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, has_classes
from properly.counts._reductions import top_label
from properly.counts._tally import Tally

# Effective cases of a bin whose variance can be told: more than one, rounding apart.
ALONE = 1 + 1e-9
BIASED = (
    "Chance makes binned errors too large, averaging within bins makes them too small, and "
    "another number of bins makes another number."
)


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationError(Record):
    """How far event rates are from mean forecasts, bin by bin.

    All of these numbers depend on the bins, and none of them says whether a model is calibrated:
    see the notes of `properly.calibration.calibration_error`.

    Attributes
    ----------
    expected : float
        The mean distance, weighted by cases (ECE). Of calibrated forecasts it is not 0 either.
    maximum : float
        The greatest distance (MCE), which is that of a small bin as a rule.
    maximum_cases : int or float
        The cases, or their weight, of the bin with the greatest distance.
    squared : float
        The mean squared distance.
    debiased : float
        The same, less what chance adds to it. It may be negative.
    expected_if_calibrated : float
        About what `expected` would be of calibrated forecasts.
    bins : BinnedReliability
        The bins.
    classes : int or None
        Of how many classes the likeliest was judged and the others ignored; None for an event.

    Examples
    --------
    >>> import properly
    >>> y, p = [0, 1, 0, 1, 1, 1], [0.25, 0.25, 0.5, 0.5, 0.75, 0.75]
    >>> found = properly.calibration.calibration_error(properly.tally(y, p), bins=4)
    >>> found
    CalibrationError(0.1667 in 3 filled bins of equal width)
    >>> found.maximum, round(found.debiased, 3)
    (0.25, -0.125)
    """

    expected: float
    maximum: float
    maximum_cases: int | float
    squared: float
    debiased: float
    expected_if_calibrated: float
    bins: BinnedReliability
    classes: int | None = None

    _optional: ClassVar = ("bins",)

    def __repr__(self) -> str:
        return f"CalibrationError({self.expected:.4g} in {self._bins()})"

    def __str__(self) -> str:
        """Give the numbers, and what is wrong with them."""
        usual = f"calibrated forecasts would have about {self.expected_if_calibrated:.4g}"
        result = f"{self.maximum:.4g}, in a bin of {amount_of(self.maximum_cases)}"
        lines = [
            f"Expected calibration error {self.expected:.4g} in {self._bins()}; {usual}.",
            f"Greatest error {result}.",
            f"Squared error {self.squared:.4g}, {self.debiased:.4g} without its bias.",
            BIASED,
        ]
        if self.classes is not None:
            rest = "the likeliest of each case is judged; the others are ignored."
            lines.append(f"Of {self.classes} classes {rest}")
        return "\n".join(map(wrapped, lines))

    def _columns(self) -> dict[str, list[Any]]:
        return {name: column for name, column in super()._columns().items() if name != "bins"}

    def _bins(self) -> str:
        return f"{many(len(self.bins), 'filled bin')} of equal {self.bins.scheme}"


@takes_rows
def calibration_error(
    cases: Tally | Cases, *, bins: int = 15, scheme: Scheme = "width"
) -> CalibrationError:
    r"""Average how far event rates are from mean forecasts, over bins.

    .. math:: \text{ECE} = \sum_b \frac{n_b}{n} |\bar y_b - \bar x_b|, \qquad
        \text{MCE} = \max_b |\bar y_b - \bar x_b|,

    with :math:`\bar x_b` the mean forecast of a bin, not its middle. This is for matching a number
    that someone else has published, with the number of bins and the scheme that they used.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened. Of several classes, the likeliest of each case is judged
        and the others are ignored. `properly.one_vs_rest` asks about each class: the mean of their
        expected errors is the class-wise ECE [2]_.
    bins : int
        How many bins. Empty ones are left out.
    scheme : {"width", "count"}
        Bins of equal width, or with about equally many cases each. See
        `properly.calibration.binned_reliability`: 1 is in the last bin, and equal forecasts stay
        together.

    Returns
    -------
    CalibrationError

    Notes
    -----
    **Bias.** Event rates of calibrated forecasts differ from the forecasts by chance, and absolute
    values of chance add up. If differences are nearly normal, the mean error of calibrated
    forecasts is

    .. math:: \frac1n \sum_b \sqrt{\frac2\pi n_b \bar x_b (1 - \bar x_b)} ,

    `expected_if_calibrated`, which grows with the number of bins. On the other side, errors of both
    signs within a bin cancel. The result jumps as a forecast crosses the edge of a bin, and models
    may change places as the number of bins does. The squared error can be freed of its bias,
    within bins, by what chance adds to it [1]_:

    .. math:: \sum_{b: n_b \ge 2} \frac{n_b}{n} \Big[ (\bar y_b - \bar x_b)^2 -
        \frac{\bar y_b (1 - \bar y_b)}{n_b - 1} \Big] .

    It may be negative, and is then left so. `properly.decompose` needs no bins: its
    miscalibration belongs to a proper score, with an interval that allows for its bias.

    **Weights.** :math:`n_b / n` are shares of the weight; where chance is judged, :math:`n_b` is
    the effective number of cases, :math:`(\sum w)^2 / \sum w^2`. Whole numbers in a `Tally` are
    counts.

    References
    ----------
    .. [1] A. Kumar, P. Liang, T. Ma (2019). Verified uncertainty calibration. Advances in Neural
       Information Processing Systems 32. `arXiv:1909.10155 <https://arxiv.org/abs/1909.10155>`__
    .. [2] M. Kull, M. Perello-Nieto, M. Kängsepp, T. Silva Filho, H. Song, P. Flach (2019). Beyond
       temperature scaling: obtaining well-calibrated multiclass probabilities with Dirichlet
       calibration. Advances in Neural Information Processing Systems 32. `arXiv:1910.12656
       <https://arxiv.org/abs/1910.12656>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([1, 0], [0.95, 1.0])
    >>> round(properly.calibration.calibration_error(t, bins=10).expected, 3)
    0.475
    """
    source, classes = cases, None
    if has_classes(cases):
        source, classes = top_label(cases), cases.classes
    result, n, _ = bins_of(source, bins, scheme)
    rate, mean = result.event_rate, result.mean_forecast
    share, distance = result.weight / result.weight.sum(), np.abs(rate - mean)
    several = n > ALONE
    chance = np.divide(rate * (1 - rate), n - 1, out=np.zeros(len(n)), where=several)
    debiased = float(share[several] @ (distance**2 - chance)[several])
    greatest = int(distance.argmax())
    return CalibrationError(
        expected=float(share @ distance),
        maximum=float(distance[greatest]),
        maximum_cases=result.weight[greatest].item(),
        squared=float(share @ distance**2),
        debiased=debiased,
        expected_if_calibrated=float(share @ np.sqrt(2 / np.pi * mean * (1 - mean) / n)),
        bins=result,
        classes=classes,
    )
