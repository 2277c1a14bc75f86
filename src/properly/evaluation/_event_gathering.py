"""All that is to be said of models of one event: functions called in order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from properly._boundary._notices import collected
from properly._boundary._options import as_drawing
from properly._boundary._record import printable
from properly.calibration._certain import certainties
from properly.calibration._decomposition import Decomposition, decompose_by
from properly.calibration._reliability import reliability
from properly.calibration._summary import calibration_summary
from properly.calibration._test import calibration_test
from properly.comparison._compare import compare_cases
from properly.comparison._groups import by_group
from properly.comparison._periods import over_time
from properly.counts._baselines import baselines
from properly.counts._cases import (
    has_time,
    is_dependent,
    relative_weights,
    rows_in_use,
)
from properly.decisions._dominance import dominance
from properly.decisions._murphy import regret_curve
from properly.decisions._net_benefit import decision_curve
from properly.decisions._roc import roc_curve
from properly.decisions._worst_cases import worst_cases
from properly.errors import DataError
from properly.evaluation._record import Evaluation
from properly.inference._auc import auc_interval
from properly.inference._design import Design, few_times, one_dependence
from properly.inference._intervals import score_interval, skill_interval
from properly.probability._means import means
from properly.rules import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np

    from properly.calibration._reliability import Reliability
    from properly.counts._cases import Cases
    from properly.counts._tally import Tally
    from properly.rules import BinaryRule
    from properly.rules._interval import Interval
    from properly.typing import Progress


# Of more models, bands between curves would take longer than they are worth.
MOST_PAIRED = 10


@dataclass(frozen=True)
class Asked:
    """What was asked for, checked."""

    rules: tuple[BinaryRule, ...]
    primary: BinaryRule
    within: Interval | None
    level: float
    replicates: int
    rng: int | np.random.Generator
    progress: Progress | None = None

    @property
    def seed(self) -> int | None:
        """The seed, if there is one to repeat everything by."""
        return self.rng if isinstance(self.rng, int) else None


class Gathering:
    """Calls one function after another, keeps what they warn of, and says how far it has come."""

    def __init__(self, asked: Asked, steps: int) -> None:
        self.asked, self.steps, self.done = asked, steps, 0
        self.notes: list[str] = []

    def step(self, what: str) -> None:
        """Say what comes next."""
        if self.asked.progress is not None:
            self.asked.progress(self.done, self.steps, printable(what))
        self.done += 1

    def tried(self, what: str, work: Callable[[], Any]) -> dict[str, Any]:
        """Work, and note why something cannot be had of these data, rather than refuse the rest."""
        try:
            return {"found": work()}
        except DataError as error:
            self.notes.append(f"{printable(what)}: {str(error).partition(chr(10))[0]}")
            return {}


def gather(models: Mapping[str, Cases], asked: Asked) -> Evaluation:
    """Call everything that there is for models of one event, in order."""
    pairs = len(asked.rules) + 1 if len(models) > 1 else 0
    gathering = Gathering(asked, 3 * len(models) + pairs)
    gathering.notes += _about_time(next(iter(models.values())), asked)
    with collected() as said:
        found = _found(models, gathering)
    notes = tuple(dict.fromkeys([*said, *gathering.notes]))
    return replace(found, notes=notes)


def _about_time(dated: Cases, asked: Asked) -> Iterator[str]:
    """Say what times are too few for, and what does not allow for them."""
    if few := few_times(dated):
        yield few
    if asked.replicates and has_time(one_dependence(dated)):
        yield "reliability has no bands: they do not allow for dependence in time"
        yield "calibration is not tested: the test does not allow for dependence in time"


def _found(models: Mapping[str, Cases], gathering: Gathering) -> Evaluation:
    asked, first = gathering.asked, next(iter(models.values()))
    tallies = {name: cases.tally() for name, cases in models.items()}
    counts, used = next(iter(tallies.values())), rows_in_use(first)
    without = baselines(counts)
    by_model: dict[str, Any] = {}
    for name, cases in models.items():
        for what, record in _of_model(name, cases, tallies[name], gathering).items():
            by_model.setdefault(what, {})[name] = record
    scores = by_model["scores"]
    return Evaluation(
        total=counts.total,
        event_rate=counts.event_rate,
        rows=len(used.y),
        events=int(used.y.sum()),
        design=Design.of(one_dependence(first)).told,
        rules=asked.rules,
        primary=asked.primary.name,
        within=asked.within,
        level=asked.level,
        replicates=asked.replicates,
        seed=asked.seed,
        baselines={name: _by_rule(t, asked.rules) for name, t in without.items()},
        baseline_regret={name: regret_curve(t) for name, t in without.items()},
        **by_model,
        **_of_pairs(dict(models), scores, gathering),
    )


def _of_model(name: str, dated: Cases, tally: Tally, gathering: Gathering) -> dict[str, Any]:
    """Gather the results of one model."""
    asked, cases = gathering.asked, one_dependence(dated)
    gathering.step(f"scores of {name}")
    scores = {r.name: score_interval(cases, r, level=asked.level) for r in asked.rules}
    skills = {r.name: skill_interval(cases, r, level=asked.level) for r in asked.rules}
    gathering.step(f"reliability of {name}")
    found = {
        "scores": scores,
        "skills": skills,
        "decompositions": _decompositions(cases, tally, asked),
        "reliability": _reliability(cases, tally, asked),
        "regret": regret_curve(tally),
        "decision": decision_curve(tally, "every"),
        "roc": roc_curve(tally),
        "certain": certainties(tally),
        "worst": worst_cases(cases, next((r for r in asked.rules if r == Log()), asked.rules[0])),
    }
    gathering.step(f"calibration of {name}")
    for what, work in _if_possible(dated, tally, asked).items():
        for record in gathering.tried(f"{what} of {name}", work).values():
            found[what.replace(" ", "_")] = record
    return found


def _reliability(cases: Cases, tally: Tally, asked: Asked) -> Reliability:
    """Draw the curve; its band allows for clusters, but not for dependence in time."""
    if not asked.replicates or has_time(cases):
        return reliability(tally)
    source = cases if is_dependent(cases) else tally
    return reliability(source, band="consistency", rng=asked.rng)


def _decompositions(cases: Cases, tally: Tally, asked: Asked) -> dict[str, Decomposition]:
    """Split the scores of all rules; weights say how far off, as those of a sample."""
    exact = _by_rule(tally, asked.rules)
    if not asked.replicates:
        return exact
    drawing = as_drawing(asked.level, asked.replicates, asked.rng)
    around = decompose_by(relative_weights(cases), asked.rules, drawing)
    return {
        name: replace(parts, intervals=other.intervals)
        for (name, parts), other in zip(exact.items(), around, strict=True)
    }


def _by_rule(tally: Tally, rules: Sequence[BinaryRule]) -> dict[str, Decomposition]:
    return {rule.name: parts for rule, parts in zip(rules, decompose_by(tally, rules), strict=True)}


def _if_possible(dated: Cases, tally: Tally, asked: Asked) -> dict[str, Callable[[], Any]]:
    """Say how to find what small or one-sided data may not have."""
    cases = one_dependence(dated)
    level, replicates, rng = asked.level, asked.replicates, asked.rng
    drawn: dict[str, Any] = {"replicates": replicates, "rng": rng}
    found: dict[str, Callable[[], Any]] = {
        "aucs": lambda: auc_interval(cases, level=level),
        "means": lambda: means(tally),
    }
    if replicates:
        found["calibration"] = lambda: calibration_summary(cases, level=level, **drawn)
        if not has_time(cases):
            found["calibration tests"] = lambda: calibration_test(cases, **drawn)
    if cases.groups is not None:
        within: dict[str, Any] = {
            "calibration": bool(replicates),
            "replicates": max(replicates, 1),
            "rng": rng,
        }
        found["groups"] = lambda: by_group(cases, asked.primary, level=level, **within)
    if has_time(dated):
        found["over time"] = lambda: over_time(dated, asked.primary, level=level)
    return found


def _of_pairs(
    models: dict[str, Cases], scores: Mapping[str, Mapping[str, Any]], gathering: Gathering
) -> dict[str, Any]:
    """Compare all pairs by every rule, and the best model with each other one by threshold."""
    asked, comparisons = gathering.asked, {}
    if len(models) < 2:
        return {}
    models = {name: one_dependence(cases) for name, cases in models.items()}
    for rule in asked.rules:
        gathering.step(f"comparison by {rule.name}")
        comparisons[rule.name] = compare_cases(models, rule, level=asked.level, rng=asked.rng)
    order = sorted(models, key=lambda name: scores[name][asked.primary.name].value)
    best, dominances = order[0], {}
    gathering.step("thresholds")
    for other in order[1:MOST_PAIRED]:
        band = partial(_dominance, models[best], models[other], asked)
        for record in gathering.tried(f"thresholds of {best} and {other}", band).values():
            dominances[best, other] = record
    return {"comparisons": comparisons, "dominances": dominances}


def _dominance(first: Cases, second: Cases, asked: Asked) -> Any:
    return dominance(first, second, within=asked.within, level=asked.level, rng=asked.rng)
