"""The spread of logarithms around a geometric mean."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._arrays import check_amounts, check_length, check_weights, refuse
from properly._boundary._frames import to_frame
from properly._boundary._libraries import to_numpy
from properly._boundary._plain import plain
from properly.probability._power_means import mean_of_power

if TYPE_CHECKING:
    from properly._boundary._frames import Backend
    from properly.typing import ArrayLike

Column: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, repr=False)
class LogSpread:
    """A geometric mean, and one standard deviation of the logarithms to both sides.

    Attributes
    ----------
    lower, centre, upper : float
        The centre is the geometric mean. Divided by the factor it is the lower end, times the
        factor the upper one, which may exceed 1 even for probabilities.
    factor : float
        The exponential of the standard deviation of the logarithms.

    Examples
    --------
    >>> from properly import information
    >>> information.log_spread([0.99, 0.99, 0.99, 0.2])
    LogSpread(0.3321 to 1.327 around 0.6637)
    """

    lower: float
    centre: float
    upper: float
    factor: float

    def __repr__(self) -> str:
        return f"LogSpread({self.lower:.4g} to {self.upper:.4g} around {self.centre:.4g})"

    def to_dict(self) -> dict[str, Any]:
        """Return the four numbers by name, as JSON can hold them."""
        found: dict[str, Any] = plain(asdict(self))
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row of a polars, pandas or pyarrow frame."""
        return to_frame({name: [value] for name, value in asdict(self).items()}, backend)


def log_spread(values: ArrayLike, weight: ArrayLike | None = None) -> LogSpread:
    r"""Return the geometric mean and the spread of the logarithms around it.

    .. math:: M_0(t) \, e^{\pm s}, \qquad
        s^2 = \frac{\sum_i w_i (\log t_i - \log M_0(t))^2}{\sum_i w_i} .

    Nelson (2017), Eq. 10, put right: the mean of the logarithms is squared, and the root taken
    before the exponential. For comparison only, since the upper end may exceed 1; means of other
    powers, see `properly.generalized_mean`, stay among the values.

    Parameters
    ----------
    values : array-like
        Positive numbers; probabilities as a rule.
    weight : array-like, optional
        Weights, none negative; values of weight 0 are left out.

    Returns
    -------
    LogSpread

    Examples
    --------
    >>> from properly import information
    >>> information.log_spread([0.5, 0.5, 0.5]).factor
    1.0
    """
    t, w = _positive(values, weight)
    log = np.log(t)
    log -= log[0]  # so that equal values have no spread at all, not even by rounding
    deviation = math.sqrt(np.average((log - np.average(log, weights=w)) ** 2, weights=w))
    with np.errstate(over="ignore"):
        factor = float(np.exp(deviation))
    centre = mean_of_power(t, 0.0, w)
    return LogSpread(centre / factor, centre, centre * factor, factor)


def _positive(values: ArrayLike, weight: ArrayLike | None) -> tuple[Column, Column]:
    """Check positive values and their weights, and leave out those of weight 0."""
    t = to_numpy(check_amounts(values, "values")).astype(np.float64)
    w = np.ones(len(t)) if weight is None else to_numpy(check_weights(weight)).astype(np.float64)
    check_length(w, t, "weights", "values")
    zero = (t == 0) & (w > 0)
    if zero.any():
        hint = "limit the forecasts first, or leave those rows out."
        refuse(t, zero, "values must be positive to have logarithms", hint)
    return t[w > 0], w[w > 0]
