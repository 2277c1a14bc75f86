"""All that is to be said of models of one event, from sums and counts alone.

What `properly.evaluation._event_gathering` finds from rows is found here from a summary of them.
Scores, skills and comparisons come from exact sums; everything that depends on the forecasts of one
model alone comes from its counts. Of independent cases that are counted one by one the numbers are
those of the rows.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from properly._boundary._notices import collected
from properly._boundary._options import as_drawing
from properly._boundary._record import many
from properly.calibration._certain import certainties
from properly.calibration._decomposition import decompose_by
from properly.calibration._grouping_error import grouping_error
from properly.calibration._reliability import reliability
from properly.calibration._summary import calibration_summary
from properly.calibration._test import calibration_test
from properly.counts._baselines import baselines
from properly.decisions._murphy import regret_curve
from properly.decisions._net_benefit import decision_curve
from properly.decisions._roc import roc_curve
from properly.decisions._worst_cases import worst_forecasts
from properly.errors import DataError
from properly.evaluation._event_gathering import Gathering
from properly.evaluation._record import Evaluation
from properly.evaluation._summary_notes import about_draws, about_grouping, left_out
from properly.evaluation._summed_groups import summed_groups
from properly.evaluation._summed_scores import (
    compare_sums,
    in_runs,
    is_weighted,
    score_of,
    skill_of,
    weighed,
)
from properly.inference._auc import auc_interval
from properly.probability._means import means
from properly.rules import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from properly.calibration._decomposition import Decomposition
    from properly.calibration._reliability import Reliability
    from properly.counts._tally import Tally
    from properly.engines._summary import Summary
    from properly.evaluation._event_gathering import Asked
    from properly.inference._estimate import Estimate
    from properly.rules import BinaryRule

# Draws of more forecasts take minutes, and say no more than those of so many runs of neighbours.
MOST_DRAWN, RUNS = 20_000, 8_000
UNKNOWN = (math.nan, math.nan)


class Model(NamedTuple):
    """What is known of one model.

    `tally` counts its forecasts, `weighed` with the squares of weights if rows have any, and
    `drawn` for random draws; None where draws would have to be of rows.
    """

    name: str
    tally: Tally
    weighed: Tally
    drawn: Tally | None


def gather_summary(summary: Summary, asked: Asked) -> Evaluation:
    """Find everything that there is for models of one event without their rows, in order.

    Parameters
    ----------
    summary : Summary
        Of one event.
    asked : Asked
        What was asked for; the rules are those of the summary.

    Returns
    -------
    Evaluation
        Without `dominances` and `over_time`, which need the rows. Its notes say what else could not
        be had, and what forecasts that were grouped into cells can have changed.
    """
    pairs = len(asked.rules) if len(summary.models) > 1 else 0
    gathering = Gathering(asked, 3 * len(summary.models) + pairs)
    models = [_model(summary, name) for name in summary.models]
    with collected() as said:
        found = _found(summary, models, gathering)
    drawn = [x.name for x in models if x.drawn is not None and x.drawn is not x.tally]
    known = [*summary.notes, *about_grouping(found.grouping)]
    known += left_out(summary, draws=bool(asked.replicates))
    known += about_draws(drawn if asked.replicates else [], RUNS)
    return replace(found, notes=tuple(dict.fromkeys([*said, *gathering.notes, *known])))


def _model(summary: Summary, name: str) -> Model:
    tally, sums = summary.counts[name].tally(), summary.sums
    drawn = in_runs(tally, RUNS) if len(tally) > MOST_DRAWN else tally
    is_drawn = not (sums.clustered or is_weighted(sums))
    return Model(name, tally, weighed(summary, name), drawn if is_drawn else None)


def _found(summary: Summary, models: Sequence[Model], gathering: Gathering) -> Evaluation:
    asked, totals = gathering.asked, summary.sums.totals
    without = baselines(models[0].tally)
    by_model: dict[str, Any] = {}
    for model in models:
        for what, record in _of_model(summary, model, gathering).items():
            by_model.setdefault(what, {})[model.name] = record
    units = "cluster" if summary.sums.clustered else "independent case"
    return Evaluation(
        total=summary.total,
        event_rate=totals["event",].over(totals["weight",]),
        rows=summary.rows,
        events=int(float(totals["event_rows",])),
        design=many(int(float(totals["units",])), units),
        rules=asked.rules,
        primary=asked.primary.name,
        within=asked.within,
        level=asked.level,
        replicates=asked.replicates,
        seed=asked.seed,
        baselines={name: _by_rule(t, asked.rules) for name, t in without.items()},
        baseline_regret={name: regret_curve(t) for name, t in without.items()},
        summed=True,
        **by_model,
        **_of_pairs(summary, gathering),
    )


def _of_model(summary: Summary, model: Model, gathering: Gathering) -> dict[str, Any]:
    """Gather the results of one model."""
    asked, sums, (name, tally, *_) = gathering.asked, summary.sums, model
    gathering.step(f"scores of {name}")
    scores = {r.name: score_of(sums, name, r, asked.level) for r in asked.rules}
    skills = {r.name: skill_of(sums, name, r, asked.level) for r in asked.rules}
    gathering.step(f"reliability of {name}")
    found = {
        "scores": scores,
        "skills": skills,
        "decompositions": _decompositions(model, scores, asked),
        "reliability": _reliability(tally, asked, clustered=sums.clustered),
        "regret": regret_curve(tally),
        "decision": decision_curve(tally, "every"),
        "roc": roc_curve(tally),
        "certain": certainties(tally),
        "worst": worst_forecasts(
            tally, next((r for r in asked.rules if r == Log()), asked.rules[0])
        ),
    }
    if tally.cells is not None:
        exact = scores[asked.primary.name].value
        found["grouping"] = grouping_error(tally, asked.primary, score=exact)
    gathering.step(f"calibration of {name}")
    about = scores[asked.primary.name]
    for what, work in _if_possible(summary, model, asked, about).items():
        for record in gathering.tried(f"{what} of {name}", work).values():
            found[what.replace(" ", "_")] = record
    return found


def _decompositions(
    model: Model, scores: dict[str, Estimate], asked: Asked
) -> dict[str, Decomposition]:
    """Split the exact scores of all rules; draws say how far off the parts may be."""
    exact = _by_rule(model.tally, asked.rules)
    if model.tally.cells is not None:
        exact = {rule: _with_score(parts, scores[rule].value) for rule, parts in exact.items()}
    if model.drawn is None or not asked.replicates:
        return exact
    drawing = as_drawing(asked.level, asked.replicates, asked.rng)
    around = decompose_by(model.drawn, asked.rules, drawing)
    found = {}
    for (rule, parts), other in zip(exact.items(), around, strict=True):
        intervals = other.intervals
        if intervals is not None and not (model.drawn is model.tally and model.tally.cells is None):
            intervals = replace(intervals, score=scores[rule].interval)
        found[rule] = replace(parts, intervals=intervals)
    return found


def _by_rule(tally: Tally, rules: Sequence[BinaryRule]) -> dict[str, Decomposition]:
    return {rule.name: parts for rule, parts in zip(rules, decompose_by(tally, rules), strict=True)}


def _with_score(parts: Decomposition, score: float) -> Decomposition:
    """Split the score of the ungrouped forecasts.

    Recalibrated, they score no worse than the recalibrated cells, and no worse than themselves.
    """
    calibrated = min(parts.uncertainty - parts.discrimination, score)
    discrimination = max(parts.uncertainty - calibrated, 0.0)
    return replace(
        parts, score=score, miscalibration=score - calibrated, discrimination=discrimination
    )


def _reliability(tally: Tally, asked: Asked, *, clustered: bool) -> Reliability:
    """Draw the curve; its band takes cases as independent."""
    if asked.replicates and not clustered:
        # A few cases of fractional weight would have to be drawn one by one.
        with suppress(DataError):
            return reliability(tally, band="consistency", rng=asked.rng)
    return reliability(tally)


def _if_possible(
    summary: Summary, model: Model, asked: Asked, about: Estimate
) -> dict[str, Callable[[], Any]]:
    """Say how to find what small or one-sided data may not have."""
    level, (_, tally, _, drawn) = asked.level, model
    clustered = summary.sums.clustered
    options: dict[str, Any] = {"replicates": asked.replicates, "rng": asked.rng}
    found: dict[str, Callable[[], Any]] = {
        "aucs": lambda: _area(model, level, about, clustered=clustered),
        "means": lambda: means(tally),
    }
    if asked.replicates and drawn is not None:
        found["calibration"] = lambda: calibration_summary(tally, level=level, **options)
        found["calibration tests"] = lambda: calibration_test(drawn, **options)
    if summary.groups and not clustered:
        within: dict[str, Any] = {
            "calibration": bool(asked.replicates),
            "level": level,
            "replicates": max(asked.replicates, 1),
            "rng": asked.rng,
        }
        found["groups"] = lambda: summed_groups(summary, model.name, asked.primary, **within)
    return found


def _area(model: Model, level: float, about: Estimate, *, clustered: bool) -> Estimate:
    """Find the area under the ROC curve; counts do not tell how clusters vary."""
    found = auc_interval(model.weighed, level=level)
    known: dict[str, Any] = {
        name: getattr(about, name) for name in ("design", "cases", "effective_cases")
    }
    if clustered:
        told = "no interval: counts do not tell how cases of a cluster depend on one another"
        return replace(found, standard_error=math.nan, interval=UNKNOWN, method=told, **known)
    return replace(found, **known)


def _of_pairs(summary: Summary, gathering: Gathering) -> dict[str, Any]:
    """Compare all pairs by every rule."""
    asked, comparisons = gathering.asked, {}
    if len(summary.models) < 2:
        return {}
    for rule in asked.rules:
        gathering.step(f"comparison by {rule.name}")
        comparisons[rule.name] = compare_sums(summary.sums, rule, level=asked.level, rng=asked.rng)
    return {"comparisons": comparisons}
