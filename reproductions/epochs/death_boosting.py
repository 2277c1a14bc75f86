"""Boosted trees that forecast death in a crash, trained with the score of one's choice."""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._notices import import_extra
from properly.comparison import EarlyStopping
from properly.rules import Bounded, Brier

if TYPE_CHECKING:
    from properly.rules import BinaryRule
    from properly.typing import Column
    from reproductions.epochs.data import People, Survey


WITHIN = (0.01, 0.1)
TARGET = Bounded(Brier(), WITHIN)
# By what the number of rounds and the setting are chosen.
COMMON, OWN = "bounded Brier", "its own loss"
# All are tried with every loss.
DEPTHS, RATES = (1, 2, 4), (0.05, 0.15)
ROUNDS, PATIENCE = 400, 20
# The depth, step size and number of trees with which all losses are seen at the same point.
SAME, SAME_ROUNDS = (4, 0.05), 100
# Trees and columns are drawn, so that seeds differ; one thread, so that no sum depends on cores.
ALWAYS = {
    "objective": "binary:logistic",
    "disable_default_eval_metric": True,
    "tree_method": "hist",
    "subsample": 0.8,
    "colsample_bytree": 0.8,
    "min_child_weight": 1.0,
    "lambda": 1.0,
    "nthread": 1,
}


class Chosen(NamedTuple):
    """The best round of the best setting, and what the trees then say about the test years."""

    value: float
    depth: int
    rate: float
    rounds: int
    forecast: Column


class Crashes:
    """The survey as XGBoost holds it."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self.xgboost = import_extra("xgboost", extra="xgboost")

    @cached_property
    def data(self) -> list[Any]:
        """The persons trained, chosen and tested on."""
        return [self._matrix(part) for part in self.survey]

    def _matrix(self, people: People) -> Any:
        # Survey weights are no weights here: models are of the persons, not of the country.
        return self.xgboost.DMatrix(people.codes, label=people.died.astype(np.float64))

    @property
    def event_rate(self) -> float:
        """Share of those trained on who died, from which all trees start."""
        return float(self.survey.train.died.mean())

    def booster(self, depth: int, rate: float, seed: int) -> Any:
        """Start with the event rate, which lies in the range; elsewhere there is no slope."""
        own = {"max_depth": depth, "eta": rate, "seed": seed, "base_score": self.event_rate}
        return self.xgboost.Booster(ALWAYS | own, self.data[:2])


def train(rule: BinaryRule, crashes: Crashes, seed: int) -> dict[str, Chosen]:
    """Boost with one loss and each setting; choose on the year after, by both scores."""
    found: dict[str, list[Chosen]] = {COMMON: [], OWN: []}
    for depth, rate in product(DEPTHS, RATES):
        for by, chosen in best_rounds(rule, crashes, depth, rate, seed).items():
            found[by].append(chosen)
    return {by: min(tried, key=lambda run: run.value) for by, tried in found.items()}


def best_rounds(
    rule: BinaryRule, crashes: Crashes, depth: int, rate: float, seed: int
) -> dict[str, Chosen]:
    """Boost until neither score gets better, and go back to the best round of each."""
    from properly.integrations.xgboost import objective

    booster, slopes = crashes.booster(depth, rate, seed), objective(rule)
    trained, choice, test = crashes.data
    died, judges = crashes.survey.choice.died, {COMMON: TARGET, OWN: rule}
    stopping = {by: EarlyStopping(PATIENCE) for by in judges}
    for k in range(ROUNDS):
        booster.update(trained, k, fobj=slopes)
        p = forecast(booster, choice)
        for by, judge in judges.items():
            if stopping[by].stopped is None:
                stopping[by].update(k + 1, float(judge(died, p)))
        if all(one.stopped is not None for one in stopping.values()):
            break
    found = {}
    for by, one in stopping.items():
        best: Any = one.best
        told = forecast(booster, test, best.epoch)
        found[by] = Chosen(best.value, depth, rate, best.epoch, told)
    return found


def fitted(rule: BinaryRule, crashes: Crashes, seed: int) -> list[float]:
    """Boost for a fixed number of rounds; return the target of those trained, chosen, tested on."""
    from properly.integrations.xgboost import objective

    booster, slopes = crashes.booster(*SAME, seed), objective(rule)
    for k in range(SAME_ROUNDS):
        booster.update(crashes.data[0], k, fobj=slopes)
    parts = zip(crashes.survey, crashes.data, strict=True)
    return [float(TARGET(people.died, forecast(booster, data))) for people, data in parts]


def forecast(booster: Any, data: Any, rounds: int = 0) -> Column:
    """Return probabilities of death by the first rounds, or by all."""
    from scipy.special import expit

    logit = booster.predict(data, output_margin=True, iteration_range=(0, rounds))
    found: Column = expit(logit.astype(np.float64))
    return found
