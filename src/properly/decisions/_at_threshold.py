"""Acting at one threshold, or on as many cases as a budget allows: counts, rates, net benefit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from properly._boundary._libraries import infinities
from properly._boundary._options import as_number, check_flag, check_level
from properly._boundary._record import Record
from properly._boundary._tolerances import SAME_SUM
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases
from properly.counts._scoring import mean_score
from properly.counts._tally import Tally, as_tally
from properly.decisions._elementary import from_each_on, outcomes, split_at
from properly.decisions._grid import check_harm, check_threshold, settled
from properly.decisions._net_benefit import outcomes_at
from properly.decisions._threshold_intervals import Fourfold, Ratio, sampled, threshold_intervals
from properly.errors import DataError
from properly.inference._averages import warn_of_few
from properly.rules import Bounded, MissedBenefit
from properly.rules._interval import Interval
from properly.typing import Column

# What is counted in people, and the rates of clinical papers.
PEOPLE = ("acted", "true_positives", "false_negatives")
RATES = {
    "sensitivity": "true_positive_rate",
    "specificity": "false_positive_rate",
    "PPV": "precision",
    "NPV": "negative_predictive_value",
}
NO_ENDS = math.nan, math.nan
# Of so many cases at least, up to the most, should so many have the event.
LEAST_PEOPLE, MOST_PEOPLE, EVENTS = 1_000, 1_000_000, 5


def round_number(event_rate: float) -> int:
    """Return a round number of cases, 1,000 or so many that some of them have the event."""
    per = LEAST_PEOPLE
    while per * event_rate < EVENTS and per < MOST_PEOPLE and event_rate > 0:
        per *= 10
    return per


def in_people(share: float, per: int) -> str:
    """Write how many of so many cases a share is; a few with a decimal, if it is not a whole."""
    people = share * per
    return f"{people:.1f}".removesuffix(".0") if people < 10 else f"{people:,.0f}"


def _with_ends(estimate: tuple[float, float, float], text: Callable[[float], str]) -> str:
    """Write a number, and both ends of its interval if there is one; a dash for 0 / 0."""
    value, low, high = estimate
    if math.isnan(value):
        return "-"
    return text(value) if math.isnan(low) else f"{text(value)} ({text(low)} to {text(high)})"


@dataclass(frozen=True, repr=False)
class AtBudget(Record):
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
    >>> found = properly.decisions.at_budget(t, 2)
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


@takes_rows
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
    >>> found = properly.decisions.at_budget(t, 3, threshold=0.5)
    >>> found.recall, found.net_benefit, found.regret
    (1.0, 0.2, 0.1)
    """
    t = as_tally(tally)
    c = None if threshold is None else check_threshold(threshold)
    budget = _check_budget(budget, t)
    result = outcomes(t)
    weight = result.events + result.nonevents
    above, hits = from_each_on(weight), from_each_on(result.events)
    # The last row whose forecast, with all higher ones, uses up the budget.
    row = max(int(np.searchsorted(-above[:-1], -budget, side="right")) - 1, 0)
    share = min((budget - above[row + 1].item()) / weight[row].item(), 1.0)
    true, events = hits[row + 1].item() + share * result.events[row].item(), hits[0].item()
    vain, missed, total = budget - true, events - true, above[0].item()
    return AtBudget(
        budget=budget,
        true_positives=true,
        precision=true / budget,
        recall=true / events if events else math.nan,
        threshold=c,
        net_benefit=None if c is None else (true - vain * c / (1 - c)) / total,
        regret=None if c is None else (c * vain + (1 - c) * missed) / total,
        border=float(result.value[row]),
        border_cases=weight[row].item(),
    )


def _check_budget(budget: float, tally: Tally) -> float:
    result, total = as_number(budget, "budget"), tally.total
    # A sum of weights depends on its order; all of them are all of them.
    if not 0 < result <= total * (1 + SAME_SUM):
        message = f"a budget must be more than 0, and at most all of {total:g}; got {result:g}"
        raise DataError(message, hint="it is a number of cases; with weights, an amount of weight.")
    if result < 1 <= total and tally.event_squares is None:
        message = f"a budget is a number of cases, 1 or more; got {result:g}"
        raise DataError(message, hint=f"for a share of all cases, write {result:g} * tally.total.")
    return min(result, float(total))


@dataclass(frozen=True)
class AtThreshold(Record):
    """What comes of acting at one threshold.

    What would be 0 / 0 is NaN.

    Attributes
    ----------
    threshold : float
        The threshold c: one acts if and only if the forecast is c or more.
    acted : float
        Share of all cases that are acted upon.
    true_positives, false_positives : float
        Shares of all cases that are acted upon with the event, and without.
    false_negatives : float
        Share of all cases that have the event and are not acted upon.
    regret : float
        c times the false positives plus 1 - c times the events not acted upon.
    net_benefit : float
        True positives minus c / (1 - c) times the false positives, minus the harm.
    standardized_net_benefit : float
        The same, over the event rate: 1 at best, without harm.
    treat_all : float
        Net benefit of acting on all; that of acting on nobody is 0.
    interventions_avoided : float
        The gain over acting on all, counted in actions saved per case at no loss of events; NaN at
        the threshold 0, where actions cost nothing.
    accuracy, true_positive_rate, false_positive_rate, precision : float
        Shares of all cases, of the events, of the others, and of those acted upon. The second is
        the sensitivity, one minus the third the specificity, the last the positive predictive
        value.
    negative_predictive_value : float
        Share without the event of those not acted upon.
    skill : float
        One minus regret over that of the better of acting on all and on nobody.
    harm : float
        What the forecast itself costs: subtracted from the net benefit, and from nothing else but
        what is made of it.
    intervals : dict or None
        For each of the above but the first and the last, the two ends of an interval, if they were
        asked for; NaN where nothing can be said.
    level : float or None
        Coverage aimed at by each of them.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> properly.at_threshold(t, 0.5)
    AtThreshold(0.5: acts on 50 % of cases, net benefit 0, regret 0.25)
    >>> print(properly.at_threshold(t, 0.5))
    Of 1,000 cases at a threshold of 50 %: 500 alarms, 250 of them right, 250 events missed.
    Sensitivity 0.5, specificity 0.5, PPV 0.5, NPV 0.5.
    Net benefit 0, regret 0.25.
    """

    threshold: float
    acted: float
    true_positives: float
    false_positives: float
    false_negatives: float
    regret: float
    net_benefit: float
    standardized_net_benefit: float
    treat_all: float
    interventions_avoided: float
    accuracy: float
    true_positive_rate: float
    false_positive_rate: float
    precision: float
    negative_predictive_value: float
    skill: float
    harm: float = 0.0
    intervals: dict[str, tuple[float, float]] | None = None
    level: float | None = None

    def __repr__(self) -> str:
        return (
            f"AtThreshold({self.threshold:g}: acts on {100 * self.acted:.4g} % of cases, "
            f"net benefit {self.net_benefit:.4g}, regret {self.regret:.4g})"
        )

    def __str__(self) -> str:
        """Say in people what comes of it, with intervals if there are some."""
        per = round_number(self.true_positives + self.false_negatives)
        alarms, right, missed = (
            _with_ends(self.estimate(name), lambda x: in_people(x, per)) for name in PEOPLE
        )
        rates = ", ".join(
            f"{word} {_with_ends(self.estimate(word), '{:.3g}'.format)}" for word in RATES
        )
        gain, cost = (
            _with_ends(self.estimate(name), "{:.4g}".format) for name in ("net_benefit", "regret")
        )
        return (
            f"Of {per:,} cases at a threshold of {100 * self.threshold:.4g} %: {alarms} alarms, "
            f"{right} of them right, {missed} events missed.\n"
            f"{rates[0].upper()}{rates[1:]}.\nNet benefit {gain}, regret {cost}."
        )

    def estimate(self, name: str) -> tuple[float, float, float]:
        """Return a number and the ends of its interval, NaN if there is none.

        The name is that of a field, or sensitivity, specificity, PPV or NPV.
        """
        field = RATES.get(name, name)
        value, (low, high) = getattr(self, field), (self.intervals or {}).get(field, NO_ENDS)
        return (1 - value, 1 - high, 1 - low) if name == "specificity" else (value, low, high)

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row, with the ends of intervals."""
        row = {name: [value] for name, value in vars(self).items() if name != "intervals"}
        for name, (lower, upper) in (self.intervals or {}).items():
            row |= {f"{name}_lower": [lower], f"{name}_upper": [upper]}
        return row


@takes_rows
def at_threshold(
    tally: Tally | Cases,
    threshold: float,
    *,
    harm: float = 0.0,
    interval: bool = False,
    level: float = 0.95,
) -> AtThreshold:
    r"""Judge forecasts by what one does at a single threshold.

    With TP, FP, FN and TN as shares of all cases and the event rate :math:`\pi`,

    .. math:: R(c) = c\, FP + (1 - c)\, FN, \qquad
        \text{NB}(c) = TP - \frac{c}{1 - c} FP = \pi - \frac{R(c)}{1 - c}, \qquad
        \text{skill} = 1 - \frac{R(c)}{\min(c (1 - \pi), (1 - c) \pi)} .

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    threshold : float
        The probability c at which one begins to act, ``0 <= c < 1``: the cost of an action over the
        loss that it averts. One acts if and only if the forecast is c or more; a forecast that
        misses c by a billionth of it at most is at c, as 0.1 + 0.2 is 0.3, and one of single
        precision if c would be rounded to it.
    harm : float
        What making the forecast costs, in net benefit: 0.01 if a test is as bad for a hundred
        people as one event missed.
    interval : bool
        Say how far off each number may be.
    level : float
        Coverage aimed at by each interval.

    Returns
    -------
    AtThreshold

    Notes
    -----
    Shares have Wilson's score intervals [2]_: rates are shares of the events and of the others,
    precision of those acted upon. Two shares, in regret, net benefit and interventions avoided, are
    put together: the distances to the ends of both intervals add up as standard deviations do [4]_.
    So are the two parts of the standardized net benefit, a share of the events and the false
    positives per event, which are odds. The skill is bounded against acting on all and against
    acting on nobody, and has the lower of both lower ends and the lower of both upper ends. If the
    event rate is close to c, its interval covers a little less than it should.

    Weights count as the number of equal weights that would be as precise. Each share has its own
    such number [3]_, as weights may go with the outcome or with the forecast. Where a kind of case
    was not seen, it is taken to be as heavy as those with the same outcome or of the same action,
    whichever are heavier.

    With clusters, times or both, the number of cases is divided by the design effect, the variance
    of `properly.score_interval` over that of independent cases, if that is more than 1, and the
    quantile is one of Student's t. Coverage may still be low if fewer than some twenty clusters are
    acted upon. With a harm, the interval of the standardized net benefit comes from a standard
    error and Student's t.

    Whatever did not vary has no interval. Where nobody is acted upon, net benefit is 0 whatever
    happens, and has none.

    Intervals are cut at the least and the greatest value there can be. The standardized net benefit
    has no least one; it is at most 1 minus harm over event rate, but how frequent the event is, is
    not known either, so its interval is cut at 1 - harm.

    References
    ----------
    .. [1] A. J. Vickers, E. B. Elkin (2006). Decision curve analysis: a novel method for evaluating
       prediction models. Medical Decision Making 26:565-574.
       `doi:10.1177/0272989X06295361 <https://doi.org/10.1177/0272989X06295361>`__
    .. [2] E. B. Wilson (1927). Probable inference, the law of succession, and statistical
       inference. Journal of the American Statistical Association 22:209-212.
       `doi:10.1080/01621459.1927.10502953 <https://doi.org/10.1080/01621459.1927.10502953>`__
    .. [3] E. L. Korn, B. I. Graubard (1998). Confidence intervals for proportions with small
       expected number of positive counts estimated from survey data. Survey Methodology 24:193-201.
    .. [4] G. Y. Zou, A. Donner (2008). Construction of confidence limits about effect measures: a
       general approach. Statistics in Medicine 27:1693-1702.
       `doi:10.1002/sim.3095 <https://doi.org/10.1002/sim.3095>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.05, 0.2, 0.6], [600, 300, 100], [20, 50, 70])
    >>> found = properly.at_threshold(t, 0.1, interval=True)
    >>> found.true_positive_rate, found.precision
    (0.8571428571428571, 0.3)
    >>> low, high = found.intervals["net_benefit"]
    >>> print(f"{found.net_benefit:.3f} ({low:.3f} to {high:.3f})")
    0.089 (0.069 to 0.111)
    """
    at, harm = np.array([check_threshold(threshold)]), check_harm(harm)
    level, interval = check_level(level), check_flag(interval, "interval")
    if interval:
        warn_of_few(tally)
    return at_thresholds(tally, at, level if interval else None, harm)[0]


def at_thresholds(
    tally: Tally | Cases, c: Column, level: float | None, harm: float = 0.0
) -> tuple[AtThreshold, ...]:
    """Judge forecasts at each threshold of a grid, with intervals if they have a level."""
    rows = None if level is None else sampled(settled(tally, c))
    table = Fourfold.of(split_at(outcomes_at(tally, c), c))
    with infinities():
        ratios = _ratios(c, harm)
        values = {name: ratio.of(table)[None] for name, ratio in ratios.items()}
        values = _finish(values, c, harm)
        ends = {}
        if level is not None:
            ends = _finish(threshold_intervals(rows, table, c, ratios, level), c, harm)
    # Plain numbers, a list for each name.
    numbers = {name: x[0].tolist() for name, x in values.items()}
    pairs = {name: list(zip(*x.tolist(), strict=True)) for name, x in ends.items()}
    result = []
    for k, threshold in enumerate(c.tolist()):
        at: dict[str, Any] = {name: x[k] for name, x in numbers.items()}
        if level is not None:
            at |= {"intervals": {name: x[k] for name, x in pairs.items()}, "level": level}
        result.append(AtThreshold(threshold, **at, harm=harm))
    return tuple(result)


@takes_rows
def mean_net_benefit(tally: Tally | Cases, within: Interval | tuple[float, float]) -> float:
    r"""Average net benefit over a range of thresholds, each of them counting the same.

    .. math:: \frac{1}{b - a} \int_a^b \text{NB}(c) \, dc
        = \pi - \frac{1}{b - a} \int_a^b \frac{R(c)}{1 - c} \, dc .

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    within : Interval or pair of floats
        The thresholds a and b.

    Returns
    -------
    float
        The event rate minus the mean of ``Bounded(MissedBenefit(), within)``; no grid is involved.
        Up to the threshold 1 it is minus infinity if a forecast of 1 was wrong.

    Notes
    -----
    Mean net benefit and mean regret weigh thresholds differently, by a factor of 1 - c, and may put
    two models in opposite order.

    References
    ----------
    .. [1] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528 <https://arxiv.org/abs/2504.04528>`__

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> round(properly.decisions.mean_net_benefit(t, (0.1, 0.3)), 6)
    0.435857
    """
    t = as_tally(tally)
    return t.event_rate - mean_score(t, Bounded(MissedBenefit(), within))


def _kinds(*amounts: Any) -> Column:
    """Lay out an amount for each of the four kinds, at all thresholds or at each."""
    return np.array(np.broadcast_arrays(*map(np.atleast_1d, amounts)), dtype=np.float64)


def _ratios(c: Column, harm: float) -> dict[str, Ratio]:
    """Write every number as a ratio; what is a share of all cases is divided by their sum."""
    odds, per_action = c / (1 - c), np.where(c > 0, (1 - c) / c, math.nan)
    everyone, event, none = _kinds(1, 1, 1, 1), _kinds(1, 0, 1, 0), _kinds(0, 1, 0, 1)
    acted, true = _kinds(1, 1, 0, 0), _kinds(1, 0, 0, 0)
    benefit, regret = _kinds(1, -odds, 0, 0), _kinds(0, c, 1 - c, 0)
    return {
        "acted": Ratio(acted, everyone, "share"),
        "true_positives": Ratio(true, everyone, "share"),
        "false_positives": Ratio(acted - true, everyone, "share"),
        "false_negatives": Ratio(event - true, everyone, "share"),
        "regret": Ratio(regret, everyone, "sum"),
        "net_benefit": Ratio(benefit, everyone, "sum"),
        "standardized_net_benefit": Ratio(benefit - harm, event, "ratio"),
        "treat_all": Ratio(event - odds * none, everyone, "sum"),
        "interventions_avoided": Ratio(_kinds(0, 0, -per_action, 1), everyone, "sum"),
        "accuracy": Ratio(_kinds(1, 0, 0, 1), everyone, "share"),
        "true_positive_rate": Ratio(true, event, "share"),
        "false_positive_rate": Ratio(acted - true, none, "share"),
        "precision": Ratio(true, acted, "share"),
        "negative_predictive_value": Ratio(none - acted + true, everyone - acted, "share"),
        "against_all": Ratio(regret, c * none, "log ratio"),
        "against_nobody": Ratio(regret, (1 - c) * event, "log ratio"),
    }


def _finish(result: dict[str, Column], c: Column, harm: float) -> dict[str, Column]:
    """Subtract the harm, and turn regret into skill: of values, or of both ends of intervals."""
    avoided = np.where(c > 0, harm * (1 - c) / c, math.nan)
    lost = {"net_benefit": harm, "interventions_avoided": avoided}
    result = result | {name: result[name] - amount for name, amount in lost.items()}
    # To act on all or on nobody, whichever is better, is what skill is measured against.
    relative = np.maximum(result.pop("against_all"), result.pop("against_nobody"))
    return result | {"skill": 1 - relative[::-1]}
