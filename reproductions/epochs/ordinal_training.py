"""Does it pay to train with an ordinal score? On injuries in car crashes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._record import columns_of, plain
from properly._boundary._text import table
from properly.rules import RPS, Brier, Log, RankedLog
from reproductions.epochs.data import GRADES, Survey
from reproductions.epochs.effects import (
    USUAL,
    Truth,
    agreement,
    counted,
    decision_cost,
    judged,
    miscalibration,
    score,
    told_p,
)
from reproductions.epochs.injury_networks import COMMON, LEARNERS, OWN, train
from reproductions.tables import Table, prose, section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.rules import ClassRule
    from reproductions.epochs.effects import Effect, Measure
    from reproductions.epochs.injury_networks import Chosen, Learner
    from reproductions.reproduction import Step


LOSSES: dict[str, ClassRule] = {USUAL: Log(), "RPS": RPS(), "ranked log": RankedLog()}
OTHERS = tuple(name for name in LOSSES if name != USUAL)
MEASURES: dict[str, Measure] = {
    "RPS": score(RPS()),
    "ranked log": score(RankedLog()),
    "log": score(Log()),
    "Brier": score(Brier()),
    "miscalibration": miscalibration(),
    "cost, likeliest": decision_cost("zero_one", len(GRADES)),
    "cost, best": decision_cost("quadratic", len(GRADES)),
    "kappa, likeliest": agreement("zero_one", len(GRADES)),
    "kappa, best": agreement("quadratic", len(GRADES)),
}
# What is shown of the mean forecast.
POOLED = ("RPS", "ranked log", "cost, best")
# A step for each model and loss.
STEPS = len(LEARNERS) * len(LOSSES)


@dataclass(frozen=True)
class Run:
    """What was chosen on the year after those trained on.

    Attributes
    ----------
    model, loss, by : str
        What was trained with which loss, and by what it was chosen.
    seed : int
        The seed, counted from 0.
    rate : float
        The step size.
    epoch : int
        The epoch, counted from 1.
    value : float
        The mean score that was the least.
    """

    model: str
    loss: str
    by: str
    seed: int
    rate: float
    epoch: int
    value: float


@dataclass(frozen=True)
class OrdinalTraining(Table):
    """Models of injuries, trained with three losses and judged on later years.

    Attributes
    ----------
    n, accidents, trained : int
        Persons and accidents judged, and persons trained on.
    seeds : int
        How often each training was repeated.
    constant : float
        RPS of the class shares of those trained on, which is what not looking would have.
    effects : tuple of Effect
        What each loss does to each number.
    runs : tuple of Run
        The epochs and step sizes that were chosen.
    """

    n: int
    accidents: int
    trained: int
    seeds: int
    constant: float
    effects: tuple[Effect, ...]
    runs: tuple[Run, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """The models, by name."""
        return tuple(dict.fromkeys(e.model for e in self.effects))

    def effect(self, model: str, loss: str, measure: str, by: str = OWN) -> Effect:
        """Find one of the effects."""
        wanted = (model, loss, by, measure)
        return next(e for e in self.effects if (e.model, e.loss, e.by, e.measure) == wanted)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of all numbers, and of what was chosen."""
        names = ("n", "accidents", "trained", "seeds", "constant")
        found = {"effects": columns_of(self.effects), "runs": columns_of(self.runs)}
        known: dict[str, Any] = {name: getattr(self, name) for name in names}
        return known | dict(plain(found))

    def _columns(self) -> Any:
        return columns_of(self.effects)

    def __str__(self) -> str:
        """Print what each loss changes, and whether that is more than chance."""
        return section(
            "Does it pay to train with an ordinal score? Injuries in car crashes",
            self._about(),
            *(f"\n{self._table(model)}" for model in self.models),
            "\nThe same of the mean forecast of all seeds, and its p-value:",
            self._pooled(),
            "\nRPS, if epoch and step size are chosen by RPS, whatever the loss:",
            self._commonly_chosen(),
            "",
            self._verdict(),
        )

    def _about(self) -> str:
        return prose(
            f"Trained on {self.trained:,} persons of up to 1999; epoch and step size chosen on",
            f"2000, by the loss itself; judged on {self.n:,} persons in {self.accidents:,}",
            f"accidents of 2001 and 2002. Means over {self.seeds} seeds, which settle the first",
            "weights and the order, and who is in the tenth; all losses share them. Columns of RPS",
            "and ranked log: by how much more than with the log score. ±: standard error for other",
            "accidents. sd: standard deviation over seeds. Miscalibration: of RPS, by cuts. Cost:",
            "squared distance of the likeliest class, and of the class of least expected cost;",
            "kappa: quadratic, of the same. Lower is better, except of kappa.",
        )

    def _table(self, model: str) -> str:
        head = [model, USUAL, "sd", *(x for loss in OTHERS for x in (loss, "±", "sd"))]
        rows = []
        for measure in MEASURES:
            usual = self.effect(model, USUAL, measure)
            row = [measure, f"{usual.value:.5f}", f"{usual.spread:.5f}"]
            found = (self.effect(model, loss, measure) for loss in OTHERS)
            rows.append(row + [cell for e in found for cell in _differing(e)])
        return table(head, rows)

    def _commonly_chosen(self) -> str:
        head = ["RPS", USUAL, *(x for loss in OTHERS for x in (loss, "±", "sd"))]
        rows = []
        for model in self.models:
            row = [model, f"{self.effect(model, USUAL, 'RPS', COMMON).value:.5f}"]
            found = (self.effect(model, loss, "RPS", COMMON) for loss in OTHERS)
            rows.append(row + [cell for e in found for cell in _differing(e)])
        return table(head, rows)

    def _pooled(self) -> str:
        head = ["", "trained with", *(x for name in POOLED for x in (name, "p"))]
        rows = []
        for model in self.models:
            for loss in OTHERS:
                found = (self.effect(model, loss, measure) for measure in POOLED)
                told = [cell for e in found for cell in _tested(e)]
                rows.append([model, loss, *told])
        return table(head, rows, left=2)

    def _verdict(self) -> str:
        own = [e for e in self.effects if e.by == OWN and e.loss != USUAL]
        largest = max((e for e in own if e.measure == "RPS"), key=lambda e: abs(e.difference))
        usual = self.effect(largest.model, USUAL, "RPS")
        share = abs(largest.difference) / (self.constant - usual.value)
        return prose(
            counted(own, MEASURES),
            f"By RPS the largest difference is {largest.difference:+.5f} ({largest.model}, trained",
            f"with {largest.loss}): {100 * share:.1f} % of what the model saves of the",
            f"{self.constant:.5f} of the class shares. Seeds alone spread the RPS of this model,",
            f"trained with the log score, by {usual.spread:.5f}.",
            self._decisions(own),
        )

    def _decisions(self, own: list[Effect]) -> str:
        likeliest, best = (
            np.mean([self.effect(model, USUAL, f"cost, {way}").value for model in self.models])
            for way in ("likeliest", "best")
        )
        changed = max(abs(e.difference) for e in own if e.measure.startswith("cost"))
        return (
            "To decide by expected cost, rather than on the likeliest class, changes the cost by "
            f"{best - likeliest:+.3f} on average, trained with the log score; no loss changes "
            f"either cost by more than {changed:.3f}."
        )


def _differing(effect: Effect) -> tuple[str, str, str]:
    return f"{effect.difference:+.5f}", f"{effect.error:.5f}", f"{effect.seeds:.5f}"


def _tested(effect: Effect) -> tuple[str, str]:
    return f"{effect.pooled_difference:+.5f}", told_p(effect.p_value)


def ordinal_training(survey: Survey, seeds: Sequence[int], step: Step) -> OrdinalTraining:
    """Train all models with all losses, and judge them on the years after."""
    known = Survey(*(part.known for part in survey))
    truth = Truth(known.test.severity, known.test.accident)
    effects: list[Effect] = []
    runs: list[Run] = []
    for learner in LEARNERS:
        found = {}
        for loss, rule in LOSSES.items():
            found[loss] = train(learner, rule, known, seeds)
            step(f"{learner.name}, {loss}")
        for by in (OWN, COMMON):
            chosen = {loss: trained[by] for loss, trained in found.items()}
            effects += _judged(learner, by, chosen, truth)
            runs += [
                run for loss, picks in chosen.items() for run in _runs(learner, loss, by, picks)
            ]
    shares = np.bincount(known.train.severity, minlength=len(GRADES)) / len(known.train.severity)
    constant = RPS()(truth.y, np.tile(shares, (len(truth.y), 1)))
    accidents, trained = len(np.unique(truth.clusters)), len(known.train.severity)
    counts = len(truth.y), accidents, trained, len(seeds)
    return OrdinalTraining(*counts, float(constant), tuple(effects), tuple(runs))


def _judged(
    learner: Learner, by: str, chosen: dict[str, list[Chosen]], truth: Truth
) -> list[Effect]:
    told = {loss: np.stack([run.forecast for run in runs]) for loss, runs in chosen.items()}
    return judged(learner.name, by, told, truth, MEASURES)


def _runs(learner: Learner, loss: str, by: str, picks: list[Chosen]) -> list[Run]:
    return [
        Run(learner.name, loss, by, k, pick.rate, pick.epoch, pick.value)
        for k, pick in enumerate(picks)
    ]
