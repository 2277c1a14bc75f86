"""Does it pay to train with a bounded score? On death in car crashes, from 1 % to 10 %."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._record import columns_of, plain
from properly._boundary._text import table
from properly.rules import Bounded, Log, Mixture
from reproductions.epochs.death_boosting import (
    COMMON,
    OWN,
    SAME,
    SAME_ROUNDS,
    TARGET,
    WITHIN,
    Crashes,
    fitted,
    train,
)
from reproductions.epochs.effects import (
    USUAL,
    Truth,
    counted,
    judged,
    mean_benefit,
    score,
    told_p,
)
from reproductions.tables import Table, prose, section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.rules import BinaryRule
    from reproductions.epochs.data import Survey
    from reproductions.epochs.death_boosting import Chosen
    from reproductions.epochs.effects import Effect, Measure
    from reproductions.reproduction import Step


MODEL = "boosted trees"
# So many standard errors are found with a probability of 80 %, at the 5 % level.
POWER = 2.8
# How much of the log score is mixed in, beside a bounded score that is as curved.
LITTLE = 0.1
BOUNDED: dict[str, BinaryRule] = {
    "bounded Brier": TARGET,
    "bounded log": Bounded(Log(), WITHIN),
}
MEASURES: dict[str, Measure] = {
    "bounded Brier": score(BOUNDED["bounded Brier"]),
    "bounded log": score(BOUNDED["bounded log"]),
    "mean net benefit": mean_benefit(WITHIN),
    "log": score(Log()),
}


# A step for each loss.
STEPS = 1 + 2 * len(BOUNDED)


def losses(event_rate: float) -> dict[str, BinaryRule]:
    """Return what to train with: bounded scores as curved as the log score at the event rate.

    Trees stop splitting where there is little curvature, and shrink leaves the more, the less there
    is. What is equally curved is equally regularized.
    """
    found: dict[str, BinaryRule] = {USUAL: Log()}
    for name, rule in BOUNDED.items():
        factor = curvature(Log(), event_rate) / curvature(rule, event_rate)
        found[name] = Mixture([(factor, rule)])
        found[f"{name} + log"] = Mixture([(factor, rule), (LITTLE, Log())])
    return found


def curvature(rule: BinaryRule, p: float) -> float:
    """Return the expected second derivative of a rule with respect to the log-odds."""
    return float(rule.logit_curvature(np.array([np.log(p / (1 - p))]))[0])


@dataclass(frozen=True)
class Run:
    """What was chosen on the year after those trained on.

    Attributes
    ----------
    loss, by : str
        The loss, and by what it was chosen.
    seed : int
        The seed, counted from 0.
    depth : int
        How often trees may split.
    rate : float
        The step size.
    rounds : int
        The number of trees.
    value : float
        The mean score that was the least.
    """

    loss: str
    by: str
    seed: int
    depth: int
    rate: float
    rounds: int
    value: float


@dataclass(frozen=True)
class Fit:
    """The bounded Brier score after the same number of the same trees, mean over seeds.

    Attributes
    ----------
    loss : str
        The loss.
    trained, chosen, tested : float
        The score on the years trained on, on 2000, and on 2001 and 2002.
    """

    loss: str
    trained: float
    chosen: float
    tested: float


@dataclass(frozen=True)
class BoundedTraining(Table):
    """Boosted trees for a range of thresholds, trained with and without a bounded score.

    Attributes
    ----------
    n, deaths, accidents : int
        Persons, deaths and accidents judged.
    trained, trained_deaths : int
        Persons and deaths trained on.
    seeds : int
        How often each training was repeated.
    constant : float
        The bounded Brier score of the event rate of those trained on.
    inside, deaths_inside : float
        Shares of the persons, and of the deaths, to whom the log score gives a forecast in the
        range: only these teach a bounded score anything.
    effects : tuple of Effect
        What each loss does to each number.
    runs : tuple of Run
        The settings and rounds that were chosen.
    fits : tuple of Fit
        What each loss learns and what of it lasts, with the same trees.
    """

    n: int
    deaths: int
    accidents: int
    trained: int
    trained_deaths: int
    seeds: int
    constant: float
    inside: float
    deaths_inside: float
    effects: tuple[Effect, ...]
    runs: tuple[Run, ...]
    fits: tuple[Fit, ...]

    @property
    def losses(self) -> tuple[str, ...]:
        """What was trained with, the log score first."""
        return tuple(dict.fromkeys(e.loss for e in self.effects))

    def effect(self, loss: str, measure: str, by: str = COMMON) -> Effect:
        """Find one of the effects."""
        wanted = (loss, by, measure)
        return next(e for e in self.effects if (e.loss, e.by, e.measure) == wanted)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of all numbers, and of what was chosen."""
        names = ("n", "deaths", "accidents", "trained", "trained_deaths", "seeds", "constant")
        more = ("inside", "deaths_inside")
        tables = ("effects", "runs", "fits")
        found = {name: columns_of(getattr(self, name)) for name in tables}
        known: dict[str, Any] = {name: getattr(self, name) for name in (*names, *more)}
        return known | dict(plain(found))

    def _columns(self) -> Any:
        return columns_of(self.effects)

    def __str__(self) -> str:
        """Print what each loss changes, and whether that is more than chance."""
        return section(
            "Does it pay to train with a bounded score? Death in car crashes",
            self._about(),
            *(f"\n{self._table(measure, COMMON)}" for measure in MEASURES),
            "\nBounded Brier score, if rounds and setting are chosen by the loss itself:",
            self._table("bounded Brier", OWN),
            "",
            self._same_trees(),
            "",
            self._verdict(),
        )

    def _about(self) -> str:
        low, high = (f"{100 * x:g} %" for x in WITHIN)
        return prose(
            f"Boosted trees, trained on {self.trained:,} persons of up to 1999, of whom",
            f"{self.trained_deaths} died; rounds and setting chosen on 2000 by the bounded Brier",
            f"score; judged on {self.n:,} persons, {self.deaths} deaths and {self.accidents:,}",
            f"accidents of 2001 and 2002, from {low} to {high}. Means over {self.seeds} seeds,",
            "which settle who and what each tree sees; all losses share them. + log: with a little",
            f"of the log score, {LITTLE:g} times. - log: by how much more than with the log",
            "score alone. ±: standard error for other accidents. sd: standard deviation over",
            "seeds. Better: in how many seeds. Pooled: of the mean forecast of all seeds. Lower is",
            "better, except of net benefit.",
        )

    def _table(self, measure: str, by: str) -> str:
        head = [measure, "", "sd", f"- {USUAL}", "±", "sd", "better", "pooled", "±", "p"]
        rows = []
        for loss in self.losses:
            e = self.effect(loss, measure, by)
            row = [loss, f"{e.value:.5f}", f"{e.spread:.5f}"]
            if loss == USUAL:
                rows.append([*row, *[""] * 7])
                continue
            row += [f"{e.difference:+.5f}", f"{e.error:.5f}", f"{e.seeds:.5f}"]
            row += [f"{e.better}/{e.runs}", f"{e.pooled_difference:+.5f}"]
            rows.append([*row, f"{e.pooled_error:.5f}", told_p(e.p_value)])
        return table(head, rows)

    def _same_trees(self) -> str:
        depth, rate = SAME
        rows = [[f.loss, *(f"{x:.5f}" for x in (f.trained, f.chosen, f.tested))] for f in self.fits]
        told = f"Bounded Brier score after {SAME_ROUNDS} trees of depth {depth}, steps {rate:g}:"
        return f"{told}\n{table(['', 'trained on', '2000', '2001 and 2002'], rows)}"

    def _verdict(self) -> str:
        others = [e for e in self.effects if e.by == COMMON and e.loss != USUAL]
        target = [e for e in others if e.measure == COMMON]
        usual = self.effect(USUAL, COMMON)
        error = max(e.combined for e in target)
        share = POWER * error / (self.constant - usual.value)
        return prose(
            counted(others, MEASURES),
            f"A difference of {POWER * error:.5f} of the bounded Brier score would be found four",
            f"times in five: {100 * share:.1f} % of what the log score saves of the",
            f"{self.constant:.5f} of a constant. It gives a forecast in the range to",
            f"{100 * self.inside:.0f} % of the persons and {100 * self.deaths_inside:.0f} % of",
            "those who died; others do not tell a bounded score anything.",
            self._lasting(),
        )

    def _lasting(self) -> str:
        by_loss = {fit.loss: fit for fit in self.fits}
        one, usual = by_loss[COMMON], by_loss[USUAL]
        learnt, lasted = one.trained - usual.trained, one.tested - usual.tested
        return (
            f"With the same trees, training with the {COMMON} score changes it by {learnt:+.5f} on "
            f"the years trained on, and by {lasted:+.5f} on 2001 and 2002."
        )


def bounded_training(survey: Survey, seeds: Sequence[int], step: Step) -> BoundedTraining:
    """Train with all losses, and judge the trees on the years after."""
    crashes, test = Crashes(survey), survey.test
    truth = Truth(test.died, test.accident)
    found: dict[str, list[dict[str, Chosen]]] = {}
    fits: list[Fit] = []
    for loss, rule in losses(crashes.event_rate).items():
        found[loss] = [train(rule, crashes, seed) for seed in seeds]
        means = np.mean([fitted(rule, crashes, seed) for seed in seeds], axis=0)
        fits.append(Fit(loss, *means.tolist()))
        step(f"{MODEL}, {loss}")
    effects: list[Effect] = []
    for by in (COMMON, OWN):
        told = {loss: np.stack([run[by].forecast for run in runs]) for loss, runs in found.items()}
        effects += judged(MODEL, by, told, truth, MEASURES)
    usual = np.mean([run[COMMON].forecast for run in found[USUAL]], axis=0)
    inside = (usual >= WITHIN[0]) & (usual <= WITHIN[1])
    constant = np.full(len(test.died), crashes.event_rate)
    return BoundedTraining(
        *(len(test.died), int(test.died.sum()), len(np.unique(test.accident))),
        *(len(survey.train.died), int(survey.train.died.sum()), len(seeds)),
        float(TARGET(test.died, constant)),
        float(inside.mean()),
        float(inside[test.died].mean()),
        tuple(effects),
        tuple(_runs(found)),
        tuple(fits),
    )


def _runs(found: dict[str, list[dict[str, Chosen]]]) -> list[Run]:
    return [
        Run(loss, by, k, run[by].depth, run[by].rate, run[by].rounds, run[by].value)
        for by in (COMMON, OWN)
        for loss, runs in found.items()
        for k, run in enumerate(runs)
    ]
