"""Mean regret over the thresholds that matter."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from properly._boundary._options import check_choice
from properly.errors import DataError, ImproperRuleError
from properly.rules._alias import Alias
from properly.rules._brier import Brier
from properly.rules._combinators import Bounded, Mixture
from properly.rules._interval import Interval, as_interval
from properly.rules._log import Log
from properly.rules._rule import BinaryRule, require_binary

if TYPE_CHECKING:
    from collections.abc import Mapping

Prior = Literal["uniform", "logit"]


@dataclass(frozen=True)
class Regret(Alias):
    r"""Mean regret over a range of thresholds.

    .. math:: \frac{\int_a^b R(t)\, w(t)\, dt}{\int_a^b w(t)\, dt}, \qquad
        R(t) = t \cdot \text{FP}(t) + (1 - t) \cdot \text{FN}(t),

    with the shares of all cases that are false positives and false negatives if one acts if and
    only if :math:`p \ge t`.

    Parameters
    ----------
    within : Interval or pair of floats
        The thresholds that matter.
    prior : {"uniform", "logit"} or BinaryRule
        How much each of them matters: all alike, all alike in log-odds, or as the weight of a rule
        says, such as `BetaWeighted` or `HistogramWeighted`.

    Notes
    -----
    This is what a decision costs on average, in units of the loss that acting averts, compared with
    knowing the outcome. ``Regret(within)`` is half of ``Bounded(Brier(), within)``, and with the
    prior ``"logit"`` it is ``Bounded(Log(), within)``. A prior must have a finite mass on the
    range; ``"logit"`` has none up to 0 or 1.

    References
    ----------
    .. [1] J. Hernández-Orallo, P. Flach, C. Ferri (2012). A unified view of performance metrics:
       translating threshold choice into expected classification loss. Journal of Machine Learning
       Research 13:2813-2869. `<https://jmlr.org/papers/v13/hernandez-orallo12a.html>`__
    .. [2] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528 <https://arxiv.org/abs/2504.04528>`__

    Examples
    --------
    >>> from properly.rules import BetaWeighted, Regret
    >>> Regret((0.05, 0.2)).loss([1, 1, 1], [0.0, 0.05, 0.2])
    array([0.875, 0.875, 0.   ])
    >>> Regret((0.05, 0.2), prior=BetaWeighted(2, 8))
    Regret(within=Interval(lower=0.05, upper=0.2), prior=BetaWeighted(alpha=2.0, beta=8.0))
    """

    within: Interval
    prior: Prior | BinaryRule = "uniform"
    _mean: Mixture = field(init=False, repr=False, compare=False)

    def __init__(
        self, within: Interval | tuple[float, float], prior: Prior | BinaryRule = "uniform"
    ) -> None:
        rule, ends = as_prior(prior), as_interval(within)
        mass = float(rule.mass(ends.lower, ends.upper))
        if not sys.float_info.min <= mass < math.inf:
            message = (
                f"a mean needs a prior of positive, finite mass; that of {prior!r} on "
                f"({ends.lower}, {ends.upper}) is {mass}"
            )
            raise DataError(message, hint=_hint(mass))
        object.__setattr__(self, "within", ends)
        object.__setattr__(self, "prior", prior)
        bounded = Bounded(rule, ends, scale="integral")
        object.__setattr__(self, "_mean", Mixture([(1 / mass, bounded)]))

    @property
    def priced_by(self) -> BinaryRule:
        """The bounded rule, divided by the mass of the prior."""
        return self._mean

    @property
    def name(self) -> str:
        """A short lower-case name with the range, and the prior unless it is uniform."""
        prior = self.prior if isinstance(self.prior, str) else self.prior.name
        kind = "regret" if prior == "uniform" else f"regret_{prior}"
        return f"{kind}[{self.within.lower},{self.within.upper}]"


def _hint(mass: float) -> str:
    if mass < 1:
        return "the prior has no weight there; a point mass at the lower end does not count."
    return "choose a range strictly between 0 and 1."


def as_prior(prior: Prior | BinaryRule) -> BinaryRule:
    """Take a prior by its name, or as the rule whose weight it is."""
    if not isinstance(prior, str):
        return _proper(require_binary(prior))
    named: Mapping[str, BinaryRule] = {"uniform": Brier(), "logit": Log()}
    check_choice(prior, tuple(named), "prior")
    return named[prior]


def _proper(rule: BinaryRule) -> BinaryRule:
    if not rule.is_proper:
        message = f"a prior is the weight of a proper rule on thresholds; {rule!r} is improper"
        raise ImproperRuleError(message)
    return rule
