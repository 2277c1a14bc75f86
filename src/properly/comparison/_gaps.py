"""Forecasters who did not answer the same questions: their effects, allowing for the design."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._text import first_of, many, printable
from properly.comparison._two_way import two_way
from properly.counts._cases import numbered
from properly.errors import DataError
from properly.inference._design import Design, number_times
from properly.inference._variance import covariance

if TYPE_CHECKING:
    from properly.comparison._two_way import TwoWay
    from properly.counts._answers import Answers, Losses
    from properly.typing import Column

# A refusal shows as many parts, and as many forecasters of each.
SHOWN = 6
ASSUMES = (
    "This assumes that whoever skipped a question would have done on it as well, relative to the "
    "others, as on the rest."
)


@dataclass(frozen=True, eq=False)
class Effects:
    """Effects of the forecasters whose losses are finite, and what became of the others.

    Attributes
    ----------
    names : tuple of str
        All forecasters.
    inside : numpy array
        The numbers of those in the fit.
    infinite, absent : numpy array
        The numbers of those with an infinite loss, and of those without an answer.
    fit : TwoWay
        The effects of those in the fit, with the covariance that the design asks for.
    score_degrees : float
        Degrees of freedom of the adjusted scores.
    design : str
        What was taken as independent, in words.
    shared : numpy array
        How many questions each forecaster shares with anybody.
    """

    names: tuple[str, ...]
    inside: Column
    infinite: Column
    absent: Column
    fit: TwoWay
    score_degrees: float
    design: str
    shared: Column

    @property
    def score_errors(self) -> Column:
        """The standard errors of the adjusted scores; of a single unit there are none."""
        error = np.sqrt(np.maximum(np.diagonal(self.fit.score_covariance), 0))
        return np.asarray(error if self.score_degrees > 0 else np.full(len(error), np.nan))

    def require_connected(self) -> None:
        """Refuse forecasters who cannot be compared even through others."""
        part = self.fit.part
        if self.fit.parts > 1:
            sides = [self.inside[part == k] for k in range(self.fit.parts)]
            said = " | ".join(
                first_of((printable(self.names[i]) for i in side), SHOWN) for side in sides[:SHOWN]
            )
            message = (
                "forecasters are compared through questions that several answered; they fall into "
                f"{self.fit.parts} parts without a question in common: {said}"
            )
            hint = (
                "compare each part by itself: answers.keep([names]), or --only on the command line."
            )
            raise DataError(message, hint=hint)


def effects(
    answers: Answers,
    losses: Losses,
    names: tuple[str, ...] | None = None,
    *,
    least: int = 1,
    corrected: bool = True,
) -> Effects:
    """Fit two-way effects, and find variances by the design of the questions.

    The names are those of the answers, unless losses of others were added. Who shares fewer than
    the least number of questions does not make pairs of others less sure. Variances of differences
    may be left out.
    """
    names = answers.forecasters if names is None else names
    size = len(names)
    count = np.bincount(losses.forecaster, minlength=size)
    endless = np.bincount(losses.forecaster, np.isinf(losses.loss), size) > 0
    inside = np.flatnonzero((count > 0) & ~endless)
    if len(inside) < 2:
        message = f"at least two forecasters with finite losses are compared; got {len(inside)}"
        raise DataError(message)
    kept = losses if len(inside) == size else losses.of(inside)
    shared = shared_questions(losses, size)
    among = np.flatnonzero(shared[inside] >= least)
    fit, degrees, words = _by_design(answers, kept, len(inside), among, corrected=corrected)
    return Effects(
        names,
        inside,
        np.flatnonzero(endless),
        np.flatnonzero(count == 0),
        fit,
        degrees,
        words,
        shared,
    )


def _by_design(
    answers: Answers, losses: Losses, size: int, among: Column, *, corrected: bool
) -> tuple[TwoWay, float, str]:
    """Take questions, or their families, as independent; or strata; or times that follow."""
    if answers.when is None and answers.strata is None:
        units = families(answers)[losses.question]
        fit = two_way(losses, size, units, among=among, corrected=corrected)
        what = "question" if answers.clusters is None else "family"
        words = _units(len(fit.units), what)
        return fit, len(fit.units) - 1.0, words
    fit = two_way(losses, size, losses.question, influences=True, corrected=corrected)
    if not fit.compares.any():
        # Nobody shares a question, which is refused later.
        return fit, len(fit.units) - 1.0, _units(len(fit.units), "question")
    every = design_of(answers, fit.units)
    some = design_of(answers, fit.units[fit.compares])
    moved = covariance(fit.influence[:, fit.compares], some)  # type: ignore[index]
    scores = covariance(fit.score_influence, every)  # type: ignore[arg-type]
    degrees = np.full((size, size), float(moved.degrees))
    fit = replace(
        fit, covariance=moved.covariance, degrees=degrees, score_covariance=scores.covariance
    )
    return fit, float(scores.degrees), every.text.replace("independent case", "question")


def _units(count: int, what: str) -> str:
    if what == "family":
        return f"{count:,} families of questions" if count != 1 else "1 family of questions"
    return many(count, what)


def families(answers: Answers) -> Column:
    """Return the number of the family of each question; without families, each is its own."""
    if answers.clusters is None:
        return np.arange(len(answers.questions))
    return np.asarray(numbered(answers.clusters)[0])


def design_of(answers: Answers, some: Column) -> Design:
    """Describe some questions as a design: each of them is one case."""
    columns: dict[str, Any] = {}
    if answers.clusters is not None:
        columns["cluster"] = numbered(answers.clusters[some])[0]
    if answers.strata is not None:
        columns["stratum"] = numbered(answers.strata[some])[0]
    if answers.when is not None:
        columns["time"] = number_times(answers.when[some])
    return Design(np.ones(len(some)), **columns)


def shared_questions(losses: Losses, size: int) -> Column:
    """Count the questions that each forecaster shares with anybody."""
    several = np.bincount(losses.cell)[losses.cell] > 1
    return np.bincount(losses.answers(size, several)[0], minlength=size)
