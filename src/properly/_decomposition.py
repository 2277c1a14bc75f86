"""A score and what it is made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from properly._frames import to_frame
from properly._isotonic import recalibrate
from properly._scoring import mean_loss, mean_score
from properly._tally import Tally, as_tally
from properly.errors import ImproperRuleError
from properly.rules._rule import require_binary

if TYPE_CHECKING:
    from properly._cases import Cases
    from properly._frames import Backend
    from properly.rules import BinaryRule


ROUNDING = 1e-12


@dataclass(frozen=True)
class Decomposition:
    """A mean score and the three parts it is made of.

    ``score = miscalibration - discrimination + uncertainty``

    Attributes
    ----------
    score : float
        Mean loss of the forecasts.
    miscalibration : float
        What recalibration would save; 0 for forecasts that mean what they say.
    discrimination : float
        What the recalibrated forecasts save against the constant event rate.
    uncertainty : float
        Mean loss of the constant event rate: how hard the outcomes are, whatever the forecasts.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> parts = properly.decompose(properly.tally([0, 1], [0.25, 0.5]), Brier())
    >>> parts.score, parts.miscalibration, parts.discrimination, parts.uncertainty
    (0.15625, 0.15625, 0.25, 0.25)
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float

    def to_dict(self) -> dict[str, float]:
        """Return the four numbers by name."""
        return asdict(self)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the four numbers as one row of a polars, pandas or pyarrow frame."""
        return to_frame({name: [value] for name, value in self.to_dict().items()}, backend)


def decompose(
    tally: Tally | Cases, rule: BinaryRule, *, allow_improper: bool = False
) -> Decomposition:
    r"""Split a mean score into miscalibration, discrimination and uncertainty.

    .. math:: \bar S = (\bar S - \bar S_C) - (\bar S_R - \bar S_C) + \bar S_R
        = \text{MCB} - \text{DSC} + \text{UNC},

    with :math:`\bar S_C` the mean score of the isotonically recalibrated forecasts and
    :math:`\bar S_R` that of the constant event rate.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    rule : BinaryRule
        A proper rule.
    allow_improper : bool
        Decompose an improper rule all the same. Its parts may then be negative and mean nothing.

    Returns
    -------
    Decomposition

    Notes
    -----
    The recalibration is the same for every proper rule, and optimal for each. Miscalibration and
    discrimination are therefore never negative; a rounding error below zero is returned as 0.
    A certain forecast that turned out wrong has an infinite log score, and so an infinite
    miscalibration; discrimination and uncertainty stay finite.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability diagrams for
       probabilistic classifiers. Proceedings of the National Academy of Sciences 118:e2016191118.
       `doi:10.1073/pnas.2016191118 <https://doi.org/10.1073/pnas.2016191118>`__

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> t = properly.tally([0, 0, 1, 0, 1], [0.1, 0.3, 0.3, 0.6, 0.9])
    >>> parts = properly.decompose(t, Brier())
    >>> print({name: round(value, 4) for name, value in parts.to_dict().items()})
    {'score': 0.192, 'miscalibration': 0.0587, 'discrimination': 0.1067, 'uncertainty': 0.24}
    """
    rule = require_binary(rule)
    if not (rule.is_proper or allow_improper):
        message = (
            f"only a proper rule can be decomposed; {rule!r} is improper, "
            "so a recalibrated forecast need not be better and the parts have no meaning"
        )
        raise ImproperRuleError(message, hint="allow_improper=True computes them all the same.")
    t = as_tally(tally)
    fit = recalibrate(t)
    score = mean_score(t, rule)
    recalibrated = mean_loss(fit.event_rate, fit.weight, fit.events, rule)
    constant = mean_loss(*fit.pooled(), rule)
    return Decomposition(
        score, _difference(score, recalibrated), _difference(constant, recalibrated), constant
    )


def _difference(worse: float, better: float) -> float:
    """Subtract; what rounding leaves below zero is zero, but nothing more is hidden."""
    difference = worse - better
    return 0.0 if -ROUNDING * better < difference < 0 else difference
