"""A simulated tournament: who is good takes hard questions, so that raw means mislead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from properly._boundary._options import as_generator, check_whole
from properly._boundary._record import Record
from properly._boundary._text import many
from properly.counts._answers import Answers
from properly.typing import Column

NAMES = ("Ada", "Ben", "Cleo", "Dev", "Eve", "Finn", "Gus")
# Standard deviations of what forecasters add to the true log-odds.
NOISE = (0.3, 0.7, 1.1, 1.5, 1.9, 2.3, 2.7)
HALF = "always half"
# Standard deviation of the true log-odds.
SPREAD = 1.8
# How strongly who answers depends on how hard a question is, from the best to the worst.
TASTE = 2.2


@dataclass(frozen=True, eq=False, repr=False)
class Tournament(Record):
    """A long table of answers, and what was true.

    Attributes
    ----------
    question, forecaster : array
        What was asked, and who answered.
    probability, outcome : array
        The forecast, and what happened.
    truth : dict of float
        The mean Brier score that each forecaster would have on all questions it could be asked.

    Examples
    --------
    >>> import properly
    >>> properly.datasets.tournament()
    Tournament(8 forecasters, 200 questions, 1,039 answers)
    """

    question: Column
    forecaster: Column
    probability: Column
    outcome: Column
    truth: dict[str, float]

    _series = ("question", "forecaster", "probability", "outcome")

    @property
    def answers(self) -> Answers:
        """The table as `Answers`."""
        return Answers(**{name: getattr(self, name) for name in self._series})

    def __repr__(self) -> str:
        who = many(len(self.truth), "forecaster")
        what = many(len(set(self.question.tolist())), "question")
        return f"Tournament({who}, {what}, {many(len(self.question), 'answer')})"


def tournament(questions: int = 200, rng: int | np.random.Generator | None = 22) -> Tournament:
    """Simulate a tournament in which good forecasters take the hard questions.

    Each question has true log-odds from a normal distribution; those near zero are hard. Seven
    forecasters see them with more or less noise, and an eighth always says one half.

    Parameters
    ----------
    questions : int
        How many questions are asked.
    rng : int or numpy Generator, optional
        Seed or source of the randomness.

    Returns
    -------
    Tournament

    Examples
    --------
    >>> import properly
    >>> board = properly.leaderboard(properly.datasets.tournament().answers, rng=1)
    >>> [standing.forecaster for standing in board][:3]
    ['Ada', 'Ben', 'Cleo']
    """
    from scipy.special import expit

    count, draw = check_whole(questions, "questions"), as_generator(rng)
    odds = draw.normal(0, SPREAD, count)
    happened = draw.random(count) < expit(odds)
    names = np.array([*NAMES, HALF], dtype=object)
    noise = draw.normal(size=(count, len(NOISE))) * NOISE
    said = np.clip(np.round(expit(odds[:, None] + noise), 2), 0.01, 0.99)
    said = np.column_stack([said, np.full(count, 0.5)])
    taste = np.linspace(TASTE, -TASTE, len(NOISE))
    wants = expit(0.5 + taste * (1.2 - np.abs(odds))[:, None])
    answered = draw.random((count, len(NAMES))) < wants
    answered = np.column_stack([answered, np.ones(count, dtype=bool)])
    row, column = np.nonzero(answered)
    label = np.array([f"q{k:03d}" for k in range(1, count + 1)], dtype=object)
    return Tournament(
        question=label[row],
        forecaster=names[column],
        probability=said[row, column],
        outcome=happened[row].astype(np.int64),
        truth=_truth(),
    )


def _truth() -> dict[str, float]:
    """Average the Brier score over true log-odds and noise, by quadrature."""
    from scipy.special import expit

    node, weight = np.polynomial.hermite_e.hermegauss(80)
    weight = weight / weight.sum()
    odds = SPREAD * node
    p = expit(odds)
    result = {}
    for name, spread in zip(NAMES, NOISE, strict=True):
        x = expit(odds[:, None] + spread * node)
        loss = (p[:, None] * (1 - x) ** 2 + (1 - p[:, None]) * x**2) @ weight
        result[name] = float(weight @ loss)
    return result | {HALF: 0.25}
