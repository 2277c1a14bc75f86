"""Whether there is any miscalibration at all."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from properly._cases import require_independent
from properly._components import Prices, if_calibrated, p_value
from properly._frames import to_frame
from properly._isotonic import recalibrate
from properly._libraries import to_numpy
from properly._options import as_generator, check_whole
from properly._plain import plain
from properly._resampling import sampler
from properly._scoring import mean_loss, mean_score
from properly._tally import as_tally
from properly.errors import ImproperRuleError
from properly.rules import Brier
from properly.rules._rule import require_binary

if TYPE_CHECKING:
    import numpy as np

    from properly._cases import Cases
    from properly._frames import Backend
    from properly._tally import Tally
    from properly.rules import BinaryRule


@dataclass(frozen=True)
class CalibrationTest:
    """Whether the miscalibration is more than chance would bring about.

    Attributes
    ----------
    statistic : float
        The miscalibration of the forecasts.
    p_value : float
        Probability of at least as much if they are calibrated.
    mean_if_calibrated : float
        The mean miscalibration of calibrated forecasts, which is not zero unless all are certain.
    rule : str
        Name of the rule.
    replicates : int
        Random draws.

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> print(f"{properly.calibration_test(t, rng=1).statistic:.6f}")
    0.001268
    """

    statistic: float
    p_value: float
    mean_if_calibrated: float
    rule: str
    replicates: int

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name, as JSON can hold them."""
        found: dict[str, Any] = plain(asdict(self))
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row of a polars, pandas or pyarrow frame."""
        return to_frame({name: [value] for name, value in asdict(self).items()}, backend)


def calibration_test(
    tally: Tally | Cases,
    rule: BinaryRule | None = None,
    *,
    replicates: int = 999,
    rng: int | np.random.Generator | None = None,
) -> CalibrationTest:
    r"""Test whether outcomes come with the probabilities that were forecast.

    The forecasts are kept and outcomes drawn as they say, again and again; the p-value is

    .. math:: p = \frac{1 + \#\{\text{MCB}^* \ge \text{MCB}\}}{1 + B}

    with :math:`\text{MCB}^*` the miscalibration of each of the :math:`B` draws. For independent
    outcomes it is exact: of calibrated forecasts no more than a share :math:`\alpha` has
    :math:`p \le \alpha`, however few cases there are.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened. With fractional weights, `Cases`.
    rule : BinaryRule, optional
        A proper rule; `Brier` unless said otherwise.
    replicates : int
        Random draws.
    rng : int or numpy Generator, optional
        Seed or source of the randomness; without it, every call draws anew.

    Returns
    -------
    CalibrationTest

    Notes
    -----
    A small p-value says that there is miscalibration, not that there is much of it: with enough
    cases everything is refused. `properly.decompose` with ``interval=True`` says how much. A
    certain forecast that turned out wrong refutes calibration outright, whatever the rule; the
    p-value is then the least that so many draws can give. Of a tally that was grouped into cells
    the p-value is not exact, since the forecasts of a cell are not all its mean.

    Examples
    --------
    >>> import properly
    >>> died, forecasts = properly.datasets.crash().died, properly.datasets.crash().forecasts
    >>> t = properly.tally(died, forecasts["balanced_boosting"])
    >>> properly.calibration_test(t, replicates=199, rng=1).p_value
    0.005
    """
    rule = Brier() if rule is None else require_binary(rule)
    if not rule.is_proper:
        message = f"only a proper rule can test calibration; {rule!r} is improper"
        raise ImproperRuleError(message)
    require_independent(tally, "the calibration test")
    t, draws, count = as_tally(tally), sampler(tally), check_whole(replicates, "replicates")
    fit = recalibrate(t)
    score = mean_score(t, rule)
    statistic = score - mean_loss(fit.event_rate, fit.weight, fit.events, rule)
    drawn = if_calibrated(draws, Prices.at(draws.value, rule), count, as_generator(rng))
    # No draw contradicts a certain forecast, so one that was contradicted is beyond all of them.
    p = 1 / (1 + count) if _is_refuted(t) else p_value(statistic, drawn, score)
    return CalibrationTest(max(statistic, 0.0), p, float(drawn.mean()), rule.name, count)


def _is_refuted(tally: Tally) -> bool:
    """Tell whether an event was called impossible, or certain, and was not."""
    value, none, events = (
        to_numpy(x) for x in (tally.value, tally.weight - tally.events, tally.events)
    )
    return bool(((value == 0) & (events > 0)).any() or ((value == 1) & (none > 0)).any())
