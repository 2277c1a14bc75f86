"""The columns of Appendix F: an area, and six means."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._libraries import to_numpy
from properly.counts._scoring import mean_score
from properly.decisions._roc import ranking
from properly.decisions._threshold import at_threshold, mean_net_benefit
from properly.inference._variance import spread_of_means
from properly.rules import Bounded, Brier, Elementary, MissedBenefit

if TYPE_CHECKING:
    from properly.counts._tally import Tally
    from properly.reproduce._population import Report, Verdict
    from properly.rules import BinaryRule
    from properly.typing import Column


THRESHOLDS = (0.05, 0.1, 0.2)
WITHIN = (0.05, 0.2)


class Mean(NamedTuple):
    """A metric that is the mean of a loss, times a factor; of a benefit, added to the event rate.

    The loss may jump or bend at forecasts that are breaks.
    """

    rule: BinaryRule
    factor: float = 1.0
    benefit: bool = False
    breaks: tuple[float, ...] = ()


MEANS = {
    "Brier": Mean(Brier()),
    **{
        f"NB {100 * c:.0f} %": Mean(Elementary(c), -1 / (1 - c), benefit=True, breaks=(c,))
        for c in THRESHOLDS
    },
    "Brier 5-20 %": Mean(Bounded(Brier(), WITHIN), breaks=WITHIN),
    "NB 5-20 %": Mean(Bounded(MissedBenefit(), WITHIN), -1.0, benefit=True, breaks=WITHIN),
}
METRICS = ("AUC", *MEANS)


def exact(test: Report | Verdict) -> list[float]:
    """Judge a test in the population, in all ways."""
    means = [
        m.factor * test.mean_loss(m.rule, m.breaks) + (test.event_rate if m.benefit else 0)
        for m in MEANS.values()
    ]
    return [test.auc, *means]


def estimates(tally: Tally) -> list[float]:
    """Judge a test by a sample, in all ways."""
    benefits = [at_threshold(tally, threshold).net_benefit for threshold in THRESHOLDS]
    bounded = mean_score(tally, Bounded(Brier(), WITHIN))
    scores = [mean_score(tally, Brier()), *benefits, bounded, mean_net_benefit(tally, WITHIN)]
    return [ranking(tally).auc, *scores]


def standard_errors(tally: Tally) -> list[float]:
    """Say how far off the estimates may be.

    All are means of what each case adds, the AUC but for smaller terms; so one covariance matrix
    has them all.
    """
    p = to_numpy(tally.value).astype(np.float64)
    event, none = ([x] for x in auc_influence(tally))
    for m in MEANS.values():
        event.append(m.benefit + m.factor * m.rule.loss_if_event(p))
        none.append(m.factor * m.rule.loss_if_none(p))
    covariance = spread_of_means(tally, np.stack(event), np.stack(none)).covariance
    return [float(x) for x in np.sqrt(np.diagonal(covariance))]


def auc_influence(tally: Tally) -> tuple[Column, Column]:
    """Return what an event, and what another case, at each forecast adds to the AUC.

    DeLong's placements: the share of the other kind that a case is on the right side of, less the
    AUC, per share of its own kind.
    """
    weight, events = (to_numpy(x).astype(np.float64) for x in (tally.weight, tally.events))
    others, rate = weight - events, events.sum() / weight.sum()
    below = (np.cumsum(others) - others / 2) / others.sum()
    above = 1 - (np.cumsum(events) - events / 2) / events.sum()
    area = ranking(tally).auc
    return (below - area) / rate, (above - area) / (1 - rate)
