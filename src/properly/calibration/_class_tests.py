"""Miscalibration of class probabilities, and of outcomes that are drawn from them.

One outcome a case answers all yes-or-no questions about its class at once, so the classes are drawn
and the questions asked of what was drawn: the answers depend on one another as they should.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._libraries import to_numpy
from properly.calibration._components import ENOUGH, Prices, components, decide, least_of, p_value
from properly.calibration._statistics import CalibrationTest
from properly.counts._cases import rows_in_use
from properly.counts._reductions import ask
from properly.inference._draws import Draw, fast_stream
from properly.rules._costs import decide_by_mode

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.counts._cases import Cases
    from properly.counts._reductions import Plan
    from properly.typing import Column


# Answers to questions, one a case each, that are drawn on where no draw reaches what was observed:
# a thousand draws of more take longer than some seconds.
AFFORDED = 50_000


class _Question(NamedTuple):
    """A yes-or-no question: which classes mean yes, and what was forecast.

    Attributes
    ----------
    share : float
        What its miscalibration is multiplied by.
    yes : numpy array
        Whether a class means yes; a row a case if that differs between them.
    cell : numpy array
        The forecast of each case, as an index into the distinct ones.
    weight : numpy array
        The weight at each distinct forecast.
    prices : Prices
        What the rule charges there.
    """

    share: float
    yes: Column
    cell: Column
    weight: Column
    prices: Prices

    def draw(self, happened: Column, weight: Column) -> Draw:
        """Count the events, or their weight, given the class of each case."""
        rows = np.arange(len(happened))
        hit = self.yes[happened] if self.yes.ndim == 1 else self.yes[rows, happened]
        events = np.bincount(self.cell[hit], weight[hit], len(self.weight))
        return Draw(self.weight, np.minimum(events.astype(self.weight.dtype), self.weight))

    def of(self, row: Draw) -> Column:
        """Return the score and the miscalibration."""
        return np.array([self.prices.mean(*row), components([row], self.prices)[0, 0]])


def try_classes(
    cases: Cases, plan: Plan, replicates: int, rng: np.random.Generator
) -> CalibrationTest:
    """Compare the miscalibration of classes with that of classes drawn as the forecasts say.

    A row is one case; of their weights, which have the mean 1, only the ratios matter.
    """
    y, p, weight, used = rows_in_use(cases)
    questions = _questions(cases, plan, weight, used)
    draws = _if_calibrated(questions, p.astype(np.float64), weight, rng)
    rows = [question.draw(y, weight) for question in questions]
    parts = zip(questions, rows, strict=True)
    score, observed = np.sum([q.share * q.of(row) for q, row in parts], axis=0)
    # No draw has a class that was called impossible.
    is_refuted = bool((p[np.arange(len(y)), y] == 0).any())

    def compare(replicates: int) -> float:
        return p_value(float(observed), draws(replicates), float(score))

    enough = ENOUGH if len(y) * len(questions) <= AFFORDED else 0
    chance, replicates, is_bound = decide(
        least_of if is_refuted else compare, replicates, enough=enough
    )
    return CalibrationTest(
        "mcb",
        max(float(observed), 0.0),
        chance,
        "Monte Carlo",
        miscalibration=max(float(observed), 0.0),
        mean_if_calibrated=float(draws(replicates).mean()),
        replicates=replicates,
        p_is_bound=is_bound,
    )


def _if_calibrated(
    questions: list[_Question],
    p: Column,
    weight: Column,
    rng: np.random.Generator,
) -> Callable[[int], Column]:
    """Return what draws classes, and adds up the miscalibration of all questions about them.

    Each question is asked of the same draws, which are made again for it: that is as quick as to
    remember them.
    """
    seed, draw = rng.integers(0, 2**63), _drawer(p)
    streams = [fast_stream(np.random.default_rng(seed)) for _ in questions]
    result = np.empty(0)

    def draws(replicates: int) -> Column:
        nonlocal result
        more = np.zeros(replicates - len(result))
        for question, stream in zip(questions, streams, strict=True) if len(more) else ():
            drawn = (question.draw(draw(stream), weight) for _ in more)
            more += question.share * components(drawn, question.prices)[0]
        result = np.append(result, more)
        return result

    return draws


def _questions(cases: Cases, plan: Plan, weight: Column, used: Column) -> list[_Question]:
    masks = _yes(cases, plan.view, used)
    columns = zip(plan.weights, masks, ask(cases, plan.view).values(), plan.rules, strict=True)
    result = []
    for share, yes, question, rule in columns:
        # What has no weight adds nothing, even if it is infinite.
        if share > 0:
            value, cell = np.unique(to_numpy(question.p)[used], return_inverse=True)
            total = np.bincount(cell, weight).astype(weight.dtype)
            prices = Prices.at(value.astype(np.float64), rule)
            result.append(_Question(share, yes, cell, total, prices))
    return result


def _yes(cases: Cases, view: str, used: Column) -> list[Column]:
    """Say for each question which classes mean yes."""
    number = np.arange(cases.classes or 0)
    if view == "one_vs_rest":
        return [number == k for k in number]
    if view == "cumulative":
        return [number >= k for k in number[1:]]
    return [to_numpy(decide_by_mode(cases.p))[used][:, None] == number]


def _drawer(p: Column) -> Callable[[np.random.Generator], Column]:
    """Return what draws a class for each case."""
    below = np.cumsum(p, axis=1)
    # No rounding may lead past the last class that is possible, nor to one that is not.
    total = below[:, -1:]
    below = np.where(below >= total, np.inf, below)
    return lambda rng: (rng.random((len(p), 1)) * total >= below).sum(axis=1)
