"""Audits: a search for truths that another report beats, and what a rule looks at.

`audit` refutes propriety by a counterexample or does not; five findings say whether a rule looks
at the outcome's probability alone, at the order of classes, and at the likeliest class.
"""

from __future__ import annotations

import operator
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from properly._boundary._options import as_generator
from properly._boundary._record import plain
from properly._boundary._tolerances import SAME_SUM
from properly.errors import ArgumentTypeError, DataError
from properly.rules import BinaryRule, ClassRule, Propriety, Rule
from properly.rules._counterexamples import (
    MOST_CLASSES,
    NEARER,
    STARTS,
    TRUTHS,
    Counterexample,
    Points,
    Prices,
    all_points,
    best_pair,
    exact_grids,
    far_apart,
    fraction,
    in_fractions,
    joined,
    more,
    optimised,
    pushed,
    tied,
)
from properly.rules._rule import as_rule
from properly.typing import Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags: TypeAlias = NDArray[np.bool_]

Verdict: TypeAlias = Literal["refuted", "not refuted by this search"]
Agreement: TypeAlias = Literal["agrees", "refuted", "not confirmed"]

FINDINGS = ("local", "symmetric", "reversible", "distance_sensitive", "superior")
QUESTIONS = {
    "local": "Does the loss look only at the probability of the outcome?",
    "symmetric": "Do all classes count alike, whatever their numbers?",
    "reversible": "Could the classes be numbered from the other end?",
    "distance_sensitive": "Is probability nearer to the outcome never worse, and sometimes better?",
    "superior": "Does every right forecast cost less than every wrong one?",
}
WIDTH = 88


@dataclass(frozen=True)
class AuditFinding:
    """Whether a rule was found to have a property, and what shows it.

    Attributes
    ----------
    holds : bool or None
        False if the witness is a counterexample, True if the search found none. None if the
        question does not arise.
    witness : str
        A sentence that can be checked by hand.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> found = properly.audit(Brier(), 3).local
    >>> found.holds
    False
    >>> print(found.witness)
    if class 0 happens, (0, 1, 0) costs 2 and (0, 1/2, 1/2) costs 3/2, though both give it 0
    """

    holds: bool | None
    witness: str

    def __str__(self) -> str:
        words = {True: "yes", False: "no", None: "does not apply"}
        return f"{words[self.holds]}: {self.witness}"


@dataclass(frozen=True, repr=False)
class Audit:
    """What a search found out about a rule.

    ``print(audit)`` says it in sentences that can be checked by hand.

    Attributes
    ----------
    rule : BinaryRule or ClassRule
        The rule.
    classes : int
        How many classes there were.
    claim : Propriety
        What the rule says of itself.
    propriety : Propriety
        What the search found: improper if some report beats the truth, proper if some report
        other than the truth is as good, strictly proper if neither was found.
    verdict : {"refuted", "not refuted by this search"}
        Whether some report beats the truth. A search proves nothing else.
    counterexample : Counterexample or None
        The one with the smallest denominators, and among these the largest gap.
    gap : float
        How much less the report costs on average than the truth; 0 without a counterexample.
    expected_truth, expected_report : float or None
        What each costs on average, if there is a counterexample.
    tie : Counterexample or None
        A report that is as good as the truth, if none is better.
    local, symmetric, reversible, distance_sensitive, superior : AuditFinding
        Whether the loss depends on the probability of the outcome alone; on the names of the
        classes; on the end from which they are counted; whether probability that moves nearer to
        the outcome, on its side, never makes it worse and sometimes better; whether a forecast
        of which the outcome was alone the likeliest class always costs less than one that had
        another class likelier than the outcome.
    searched : str
        What was looked at.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import PBS
    >>> found = properly.audit(PBS(ties="any_correct"), 2)
    >>> found
    Audit(pbs[any_correct] for 2 classes: refuted)
    >>> found.counterexample.as_fractions()
    'truth (2/3, 1/3), report (1/2, 1/2)'
    """

    rule: Rule
    classes: int
    claim: Propriety
    propriety: Propriety
    verdict: Verdict
    counterexample: Counterexample | None
    gap: float
    expected_truth: float | None
    expected_report: float | None
    tie: Counterexample | None
    local: AuditFinding
    symmetric: AuditFinding
    reversible: AuditFinding
    distance_sensitive: AuditFinding
    superior: AuditFinding
    searched: str

    @property
    def agreement(self) -> Agreement:
        """Whether the search agrees with what the rule says of itself.

        Refuted if it found a report that beats the truth of a rule that claims to be proper, or one
        that equals the truth of a rule that claims to be strictly so. Not confirmed if rounding may
        have made them equal; or if there is no such report, though the rule says that there is one.
        """
        if self.propriety is self.claim:
            return "agrees"
        equals = self.claim is Propriety.STRICT and self.tie is not None and self.tie.is_exact
        refuted = self.propriety is Propriety.IMPROPER or equals
        return "refuted" if refuted else "not confirmed"

    def __repr__(self) -> str:
        return f"Audit({self.rule.name} for {self.classes} classes: {self.verdict})"

    def __str__(self) -> str:
        head = f"{self.rule!r} for {self.classes} classes: {self.verdict}."
        claim = f"The rule says that it is {self.claim.value}; the search: {self.agreement}."
        parts = [head, *_evidence(self), claim]
        parts += [f"- {QUESTIONS[name]} {getattr(self, name)}." for name in FINDINGS]
        parts.append(self.searched)
        return "\n".join(
            textwrap.fill(part, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
            for part in parts
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all that was found as JSON can hold it, the rule as Python writes it."""
        result: dict[str, Any] = plain(
            vars(self)
            | {"rule": repr(self.rule), "claim": self.claim.value, "agreement": self.agreement}
            | {"propriety": self.propriety.value}
        )
        return result


def audit(
    rule: Rule | str, classes: int | None = None, *, rng: int | np.random.Generator = 0
) -> Audit:
    r"""Search for a truth that another report beats.

    A rule :math:`S` is proper if saying what one believes costs the least on average. So a pair of
    a truth :math:`q` and a report :math:`p` with

    .. math:: \sum_k q_k\, S(p, k) < \sum_k q_k\, S(q, k)

    refutes it, and anyone can check the pair by hand. The search tries all pairs of points with
    small denominators, ties among them and what is near a tie; if that finds nothing, it
    optimises the report of a few truths and rounds what it finds to small denominators.

    Parameters
    ----------
    rule : Rule or str
        The rule, or its name. If it is for one event only, the second of two classes is the event.
    classes : int, optional
        How many classes, 2 to 30. If left out, 2 for a rule that prices one event, as `Brier` does
        among others, and else 3.
    rng : int or numpy.random.Generator
        Seed or generator, for the truths and the starts of the optimisation.

    Returns
    -------
    Audit

    Notes
    -----
    A search can refute; it never proves. A gap counts if it is larger than :math:`10^{-12}` of the
    largest finite loss that was seen, so that it is no rounding. A tie counts if on the coarsest
    part of the grid both sides agree to :math:`10^{-12}`, or if two points are priced alike
    whatever happens. A weight on thresholds that double precision takes for zero is zero here.

    A class that cannot happen costs nothing, even if its loss is infinite.

    References
    ----------
    .. [1] T. Gneiting, A. E. Raftery (2007). Strictly proper scoring rules, prediction, and
       estimation. Journal of the American Statistical Association 102:359-378.
       `doi:10.1198/016214506000001437 <https://doi.org/10.1198/016214506000001437>`__

    Examples
    --------
    The squared absolute version of the ranked probability score prefers certainty:

    >>> import properly
    >>> from properly.rules import RPS, SquaredAbsoluteRPS
    >>> found = properly.audit(SquaredAbsoluteRPS())
    >>> found.verdict
    'refuted'
    >>> round(found.expected_truth, 4), round(found.expected_report, 4), round(found.gap, 4)
    (0.2037, 0.1667, 0.037)
    >>> properly.audit(RPS()).verdict
    'not refuted by this search'
    """
    rule = as_rule(rule)
    two = isinstance(rule, BinaryRule)
    prices = _check(rule, classes, usual=2 if two else 3)
    points = all_points(prices.classes)
    pair = best_pair(prices, points)
    searched = f"Searched {len(points.denominator)} truths and as many reports, all with all"
    if pair is None:
        pair = optimised(prices, as_generator(rng))
        searched += f", and the best reports of {TRUTHS} truths from {STARTS} starts each"
    tie = tied(prices) if pair is None else None
    kept = Propriety.STRICT if tie is None else Propriety.PROPER
    return Audit(
        rule=rule,
        classes=prices.classes,
        claim=rule.propriety_for(prices.classes),
        propriety=kept if pair is None else Propriety.IMPROPER,
        verdict="not refuted by this search" if pair is None else "refuted",
        counterexample=pair,
        gap=0.0 if pair is None else pair.expected_truth - pair.expected_report,
        expected_truth=None if pair is None else pair.expected_truth,
        expected_report=None if pair is None else pair.expected_report,
        tie=tie,
        local=local(prices),
        symmetric=symmetric(prices),
        reversible=reversible(prices),
        distance_sensitive=distance_sensitive(prices),
        superior=superior(prices),
        searched=f"{searched}.",
    )


def is_superior(rule: Rule | str, classes: int | None = None) -> bool:
    """Tell whether every right forecast costs less than every wrong one.

    A forecast is right if the class that happened was alone the likeliest, and wrong if another
    class was likelier. Forecasts of which the outcome is one of several likeliest classes are
    neither.

    Parameters
    ----------
    rule : Rule or str
        The rule, or its name. If it is for one event only, the second of two classes is the event.
    classes : int, optional
        How many classes, 2 to 30; 3 if left out, or 2 if the rule is for one event only.

    Returns
    -------
    bool
        False is certain but for rounding: `audit` names two forecasts. True means that the search
        found none.

    Notes
    -----
    Right and wrong forecasts of all outcomes are compared, not only those of the same one.
    `properly.rules.superior_penalty` returns the smallest penalty that makes a rule superior.

    References
    ----------
    .. [1] R. Ahmadian, M. Ghatee, J. Wahlström (2024). Superior scoring rules for probabilistic
       evaluation of single-label multi-class classification tasks.
       `arXiv:2407.17697 <https://arxiv.org/abs/2407.17697>`__, definition 5.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import PBS, Brier
    >>> properly.rules.is_superior(Brier(), 3), properly.rules.is_superior(PBS(), 3)
    (False, True)
    """
    rule = as_rule(rule)
    several = isinstance(rule, ClassRule)
    return bool(superior(_check(rule, classes, usual=3 if several else 2)).holds)


def _check(rule: object, classes: int | None, usual: int) -> Prices:
    """Take a rule and a number of classes that it is made for."""
    if not isinstance(rule, BinaryRule | ClassRule):
        message = f"an audit needs a rule; got {rule!r}"
        hint = 'write it with parentheses, as in Brier(), or its name, as in "brier".'
        raise ArgumentTypeError(message, hint=hint)
    try:
        count = usual if classes is None else operator.index(classes)
    except TypeError:
        count = 0
    if not 2 <= count <= MOST_CLASSES:
        message = f"classes must be a whole number from 2 to {MOST_CLASSES}; got {classes!r}"
        raise DataError(message)
    if isinstance(rule, ClassRule):
        rule.require_classes(count)
    elif count != 2:
        message = f"{rule!r} is a rule for one event, which has 2 classes; got classes = {count}"
        raise DataError(message, hint="Ranked(rule) makes a rule for ordered classes of it.")
    return Prices(rule, count)


def _evidence(result: Audit) -> list[str]:
    """Say what was found in sentences, so that one can do the sums oneself."""
    pair = result.counterexample
    if pair is not None:
        gap = _with_digits(result.gap)
        return [*_sums(pair), f"So the report costs {gap} less than the truth."]
    if result.tie is not None:
        return [
            *_sums(result.tie),
            "So another report is as good as the truth, and none is better.",
        ]
    return ["No other report was found to be as good as the truth."]


def _sums(pair: Counterexample) -> list[str]:
    """Say what truth and report cost if each class happens, and on average."""
    reported = f"Reporting {in_fractions(pair.report)}"
    sentences = [f"Let the truth be {in_fractions(pair.truth)}."]
    for what, loss, mean in (
        ("Saying so", pair.truth_loss, pair.expected_truth),
        (reported, pair.report_loss, pair.expected_report),
    ):
        costs = ", ".join(fraction(x) for x in loss)
        classes = ", ".join(str(k) for k in range(len(loss)))
        average = f"on average {_with_digits(mean)}"
        sentences.append(f"{what} costs {costs} if class {classes} happens; {average}.")
    return sentences


def _with_digits(x: float) -> str:
    """Write a number as a fraction and with digits."""
    short = fraction(x)
    return f"{short} = {x:.6g}" if "/" in short else short


def local(prices: Prices) -> AuditFinding:
    """Look for two forecasts that give the outcome the same probability and cost differently."""
    if prices.classes == 2:
        return AuditFinding(None, "of two classes, the probability of one is the whole forecast")
    for _, p in exact_grids(prices.classes):
        loss = prices(p)
        for k in range(prices.classes):
            for share in np.unique(p[:, k]):
                rows = np.flatnonzero(p[:, k] == share)
                high, low = rows[np.argmax(loss[rows, k])], rows[np.argmin(loss[rows, k])]
                if _differ(loss[high, k], loss[low, k], loss):
                    both = f"{_cost(p[high], loss[high, k])} and {_cost(p[low], loss[low, k])}"
                    witness = f"if class {k} happens, {both}, though both give it {fraction(share)}"
                    return AuditFinding(False, witness)
    witness = (
        f"of {len(p)} forecasts, those that give the outcome the same probability cost the same"
    )
    return AuditFinding(True, witness)


def symmetric(prices: Prices) -> AuditFinding:
    """Look for two classes whose exchange changes a loss."""
    orders = []
    for k in range(prices.classes - 1):
        order = list(range(prices.classes))
        order[k], order[k + 1] = order[k + 1], order[k]
        orders.append(order)
    return _relabelled(prices, orders, "exchanging neighbouring classes")


def reversible(prices: Prices) -> AuditFinding:
    """Look for a loss that changes if the classes are numbered from the other end."""
    order = list(range(prices.classes))[::-1]
    return _relabelled(prices, [order], "reversing the order of classes")


def distance_sensitive(prices: Prices) -> AuditFinding:
    """Look for probability that moves nearer to the outcome, on its side, and costs more."""
    if prices.classes == 2:
        return AuditFinding(None, "of two classes, only one is wrong")
    better = None
    for denominator, p in exact_grids(prices.classes):
        for start, end, outcomes in _moves_nearer(prices.classes):
            change, witness = _moved(prices, p, 1 / denominator, (start, end), outcomes)
            if change > 0:
                return AuditFinding(False, witness)
            if change < 0 and better is None:
                better = witness
    if better is None:
        return AuditFinding(
            False, "it makes no difference which of the wrong classes has probability"
        )
    return AuditFinding(True, better)


def superior(prices: Prices) -> AuditFinding:
    """Look for a right forecast that costs as much as a wrong one, whatever happened."""
    points = joined([all_points(prices.classes), far_apart(prices.classes)])
    ties = (points.numerator == points.numerator.max(axis=1)[:, None]).sum(axis=1) > 1
    near = pushed(Points(points.numerator[ties], points.denominator[ties]), NEARER)
    points = joined([points, near])
    p, loss = points.p, prices(points.p)
    top = p.max(axis=1)[:, None]
    right = (p == top) & ((p == top).sum(axis=1) == 1)[:, None]
    # Both hold for all points up to a denominator; the first that clash are the simplest.
    worst = np.maximum.accumulate(np.where(right, loss, -np.inf).max(axis=1))
    best = np.minimum.accumulate(np.where(p < top, loss, np.inf).min(axis=1))
    if worst[-1] < best[-1] - SAME_SUM * _largest(loss):
        witness = f"the first cost at most {worst[-1]:.6g}, the others at least {best[-1]:.6g}"
        return AuditFinding(True, witness)
    denominators = np.unique(points.denominator)
    last = np.searchsorted(points.denominator, denominators, side="right") - 1
    clash = worst[last][:, None] >= best[last][None, :] - SAME_SUM * _largest(loss)
    size = np.where(clash, denominators[:, None] + denominators[None, :], np.inf)
    a, b = np.unravel_index(np.argmin(size), size.shape)
    ends = (
        np.argwhere(right & (loss == worst[last[a]]))[0],
        np.argwhere((p < top) & (loss == best[last[b]]))[0],
    )
    pair = [f"{_cost(p[row], loss[row, k])} if class {k} happens" for row, k in ends]
    return AuditFinding(False, f"{pair[0]}, but {pair[1]}")


def _moves_nearer(classes: int) -> Iterator[tuple[int, int, range]]:
    """Yield neighbouring classes, and the outcomes to which the second of them is nearer."""
    for k in range(1, classes - 1):
        yield k - 1, k, range(k + 1, classes)
        yield k + 1, k, range(k)


def _moved(
    prices: Prices, p: Floats, step: float, move: tuple[int, int], outcomes: range
) -> tuple[float, str]:
    """Move probability from one class to another; return the greatest rise of the loss, or fall."""
    before = p[p[:, move[0]] >= step]
    after = before.copy()
    after[:, move[0]] -= step
    after[:, move[1]] += step
    cost, new_cost = prices(before)[:, outcomes], prices(after)[:, outcomes]
    change = np.where(_differ(cost, new_cost, cost), more(new_cost, cost), 0.0)
    extreme = np.argmax if change.max() > 0 else np.argmin
    row, column = np.unravel_index(extreme(change), change.shape)
    both = (
        f"{_cost(before[row], cost[row, column])}, and {_cost(after[row], new_cost[row, column])}"
    )
    return float(change[row, column]), f"if class {outcomes[column]} happens, {both}"


def _relabelled(prices: Prices, orders: Sequence[list[int]], what: str) -> AuditFinding:
    for _, p in exact_grids(prices.classes):
        loss = prices(p)
        for order in orders:
            other = prices(p[:, order])[:, order]
            changed = np.argwhere(_differ(loss, other, loss))
            if len(changed):
                row, k = changed[0]
                witness = f"{_cost(p[row], loss[row, k])} if class {k} happens"
                turned = _cost(p[row, order], other[row, k])
                return AuditFinding(False, f"{witness}, but {turned} if class {order[k]} does")
    return AuditFinding(True, f"{what} changed no loss of {len(p)} forecasts")


def _differ(a: Floats, b: Floats, among: Floats) -> Flags:
    """Tell which losses differ by more than rounding; infinity equals infinity."""
    different: Flags = np.abs(more(a, b)) > SAME_SUM * _largest(among)
    return different


def _largest(loss: Floats) -> float:
    return float(np.abs(loss[np.isfinite(loss)]).max(initial=0.0))


def _cost(point: Floats, loss: float) -> str:
    return f"{in_fractions(point)} costs {fraction(float(loss))}"
