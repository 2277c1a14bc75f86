"""Baselines: what one would do, or say, without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly._boundary._libraries import namespace
from properly.counts._tally import Tally, as_tally

if TYPE_CHECKING:
    from properly.counts._cases import Cases

TREAT_ALL, TREAT_NONE, EVENT_RATE = "treat all", "treat none", "event rate"


def baselines(tally: Tally | Cases) -> dict[str, Tally]:
    r"""Give all cases the same forecast: 1, 0, or the event rate.

    A model that is no better than these is not worth having, however good its score may look.

    Parameters
    ----------
    tally : Tally or Cases
        The outcomes; the forecasts do not matter.

    Returns
    -------
    dict of str to Tally
        ``"treat all"`` forecasts 1, so that everybody is acted upon at every threshold;
        ``"treat none"`` forecasts 0; ``"event rate"`` forecasts the share of events, the best
        constant there is under every proper rule. Whatever takes a tally takes these.

    Notes
    -----
    At the threshold c, with the event rate :math:`\pi`, acting on all has the regret
    :math:`c (1 - \pi)`, acting on none :math:`(1 - c) \pi`, and the constant event rate the
    smaller of the two. A score that is infinite for certain forecasts that are wrong, such as
    `Log`, is infinite for the first two.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 0, 0, 1], [0.1, 0.2, 0.2, 0.9])
    >>> for name, constant in properly.baselines(t).items():
    ...     score = properly.decompose(constant, properly.rules.Brier()).score
    ...     print(name, constant.value, score)
    treat all [1.] 0.75
    treat none [0.] 0.25
    event rate [0.25] 0.1875
    """
    t = as_tally(tally)
    constants = {TREAT_ALL: 1.0, TREAT_NONE: 0.0, EVENT_RATE: t.event_rate}
    return {name: _constant(t, value) for name, value in constants.items()}


def _constant(tally: Tally, value: float) -> Tally:
    """Make the tally of the same outcomes after one forecast."""
    columns = tally._columns()  # noqa: SLF001
    xp = namespace(columns[0])
    sums = [xp.sum(column, keepdims=True) for column in columns]
    forecast = xp.full_like(sums[0], value, dtype=xp.float64)
    return Tally._of([forecast, *sums])  # noqa: SLF001
