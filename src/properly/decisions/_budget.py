"""Acting on the highest forecasts, as many as a budget allows."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._frames import to_frame
from properly._boundary._options import as_number
from properly._boundary._plain import plain
from properly.counts._tally import Tally, as_tally
from properly.decisions._elementary import outcomes
from properly.decisions._grid import check_threshold, from_each_on
from properly.errors import DataError

if TYPE_CHECKING:
    from properly._boundary._frames import Backend
    from properly.counts._cases import Cases

ROUNDING = 1e-12


@dataclass(frozen=True, repr=False)
class AtBudget:
    """What comes of acting on the highest forecasts only.

    Attributes
    ----------
    budget : float
        How many cases are acted upon, or how much of their weight.
    true_positives : float
        How many of them have the event; an expectation if some of the cases tied at the border are
        left out.
    precision : float
        Share of the budget that meets an event.
    recall : float
        Share of the events that are met; NaN if there are none.
    threshold : float or None
        The cost of an action over the loss it averts, if it was given.
    net_benefit, regret : float or None
        Per case of all, at that threshold.
    border : float
        The lowest forecast that is acted upon.
    border_cases : float
        How many cases, acted upon or not, have that forecast.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([1, 0, 1, 0, 0], [0.9, 0.6, 0.6, 0.2, 0.1])
    >>> found = properly.at_budget(t, 2)
    >>> found
    AtBudget(2: 1.5 true positives, precision 0.75, recall 0.75)
    >>> found.true_positives, found.precision, found.border, found.border_cases
    (1.5, 0.75, 0.6, 2)
    """

    budget: float
    true_positives: float
    precision: float
    recall: float
    threshold: float | None
    net_benefit: float | None
    regret: float | None
    border: float
    border_cases: float

    def __repr__(self) -> str:
        return (
            f"AtBudget({self.budget:g}: {self.true_positives:.4g} true positives, "
            f"precision {self.precision:.4g}, recall {self.recall:.4g})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them."""
        found: dict[str, Any] = plain(asdict(self))
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row of a polars, pandas or pyarrow frame."""
        return to_frame({name: [value] for name, value in asdict(self).items()}, backend)


def at_budget(tally: Tally | Cases, budget: float, *, threshold: float | None = None) -> AtBudget:
    r"""Act on as many cases as can be afforded, those with the highest forecasts.

    With K actions on n cases, of which P have the event and TP of these are acted upon,

    .. math:: \text{precision} = \frac{TP}{K}, \qquad \text{recall} = \frac{TP}{P}, \qquad
        \text{NB} = \frac{TP - (K - TP)\, c / (1 - c)}{n}, \qquad
        R = \frac{c\, (K - TP) + (1 - c) (P - TP)}{n} .

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    budget : float
        How many cases are acted upon; with weights, how much weight. More than 0, and no more than
        there is.
    threshold : float, optional
        The probability c at which an action begins to pay, ``0 <= c < 1``: it prices the actions
        and does not change who is chosen.

    Returns
    -------
    AtBudget

    Notes
    -----
    If not all of the cases with the lowest forecast chosen can be afforded, any of them are as
    likely to be: the numbers are the expectation over a random choice.

    Given K, the number of actions is settled, so precision, recall, net benefit and regret put
    models in the same order, whatever c is.

    References
    ----------
    .. [1] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528 <https://arxiv.org/abs/2504.04528>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([1, 0, 1, 0, 0], [0.9, 0.6, 0.6, 0.2, 0.1])
    >>> found = properly.at_budget(t, 3, threshold=0.5)
    >>> found.recall, found.net_benefit, found.regret
    (1.0, 0.2, 0.1)
    """
    t = as_tally(tally)
    c = None if threshold is None else check_threshold(threshold)
    budget = _check_budget(budget, t)
    found = outcomes(t)
    weight = found.events + found.nonevents
    above, hits = from_each_on(weight), from_each_on(found.events)
    # The last row whose forecast, with all higher ones, uses up the budget.
    row = max(int(np.searchsorted(-above[:-1], -budget, side="right")) - 1, 0)
    share = min((budget - above[row + 1].item()) / weight[row].item(), 1.0)
    true, events = hits[row + 1].item() + share * found.events[row].item(), hits[0].item()
    vain, missed, total = budget - true, events - true, above[0].item()
    return AtBudget(
        budget=budget,
        true_positives=true,
        precision=true / budget,
        recall=true / events if events else math.nan,
        threshold=c,
        net_benefit=None if c is None else (true - vain * c / (1 - c)) / total,
        regret=None if c is None else (c * vain + (1 - c) * missed) / total,
        border=float(found.value[row]),
        border_cases=weight[row].item(),
    )


def _check_budget(budget: float, tally: Tally) -> float:
    found, total = as_number(budget, "budget"), tally.total
    # A sum of fractional weights depends on its order; all of them are all of them.
    if not 0 < found <= total * (1 + ROUNDING):
        message = f"a budget must be more than 0, and at most all of {total:g}; got {found:g}"
        raise DataError(message, hint="it is a number of cases; with weights, an amount of weight.")
    if found < 1 <= total and isinstance(total, int):
        message = f"a budget is a number of cases, 1 or more; got {found:g}"
        raise DataError(message, hint=f"for a share of all cases, write {found:g} * tally.total.")
    return min(found, float(total))
