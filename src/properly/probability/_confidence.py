"""Test of over- and underconfidence: expected against observed generalized means."""

from __future__ import annotations

import math
import textwrap
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from properly._boundary._chunks import sweep
from properly._boundary._record import Record
from properly._boundary._text import SMALLEST_P, amount_of, p_text, table_of_numbers
from properly._boundary._tolerances import SAME_SUM
from properly.counts._calls import takes_rows
from properly.counts._cases import require_independent
from properly.counts._class_rows import table_of
from properly.probability._power_means import LABELS, POWERS, ThreeMeans, limit, three_means
from properly.rules._class_rule import at

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.counts._class_rows import ClassTable
    from properly.counts._tally import Tally
    from properly.typing import Column


LEVEL = 0.05
COLUMNS = ("expected", "observed", "z", "p_value", "adjusted")


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
        return ThreeMeans(*_holm(astuple(self.p_value)))

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
        less = ", ".join(name for name in refused if z[name] < 0)
        more = ", ".join(name for name in refused if z[name] > 0)
        if less and more:
            return (
                "miscalibrated: what happened was less probable than the forecasts expect "
                f"by {less}, but more by {more}"
            )
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
        if error > 0:
            result.append(excess / error)
        else:
            result.append(math.copysign(math.inf, excess) if excess else math.nan)
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
    result: Column = np.log(t) if power == 0 else math.copysign(1, power) * t**power
    return result


def _holm(p_values: tuple[float, ...]) -> list[float]:
    """Multiply the least p-value by their number, the next by one less, and keep their order."""
    adjusted, last = list(p_values), 0.0
    defined = [i for i, p in enumerate(p_values) if not math.isnan(p)]
    for rank, i in enumerate(sorted(defined, key=p_values.__getitem__)):
        last = adjusted[i] = max(last, min(1.0, (len(defined) - rank) * p_values[i]))
    return adjusted


def _sentence(how: str, names: str) -> str:
    return f"what happened was {how} probable than the forecasts expect ({names}; 5 % level, Holm)"
