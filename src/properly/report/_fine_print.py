"""What was done, with which conventions, and how to do it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly import __version__
from properly._boundary._plain import many, printable
from properly.evaluation._class_scores import asked_rules
from properly.evaluation._event_evaluation import Evaluation
from properly.rules import Bounded, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.evaluation._class_evaluation import ClassEvaluation


EVENT = (
    (
        "All scores are losses. One acts if the forecast is at least the threshold. The Brier "
        "score of an event lies between 0 and 1; logarithms are natural."
    ),
    (
        "Regret at a threshold c is c for each false alarm and 1 - c for each missed event, a "
        "case; its mean over a range is half of the Brier score at those thresholds."
    ),
)
CLASSES = (
    (
        "All scores are losses. The Brier score of classes is a sum over them, between 0 and 2; "
        "ranked scores are means over the cuts between ordered classes; logarithms are natural."
    ),
    (
        "Costs of decisions are 0 or 1, or of ordered classes the squared distance between the "
        "class that was decided for and the one that happened. Questions are recalibrated one by "
        "one, and need not fit together into one distribution."
    ),
)


def fine_print(evaluation: Evaluation | ClassEvaluation) -> list[str]:
    """Say what the numbers rest on, one line each."""
    return [*_about_data(evaluation), *_about_numbers(evaluation), *evaluation.notes]


def python_call(evaluation: Evaluation | ClassEvaluation) -> str:
    """Write the call that makes the evaluation again, with names for the data."""
    data, options = ["summary"], list(_about_task(evaluation))
    if not evaluation.summed:
        data = ["y", "forecasts"]
        options += _about_rules(evaluation)
        options += [f"{name}={name}" for name in _columns(evaluation)]
    options += [f"level={evaluation.level!r}", f"replicates={evaluation.replicates!r}"]
    if evaluation.seed is not None:
        options.append(f"rng={evaluation.seed}")
    call = f"e = properly.evaluate({', '.join([*data, *options])})"
    imports = ["import properly", *(["from properly.rules import *"] if "rules=" in call else [])]
    return "\n".join([*imports, "", call, 'properly.report.write("report.html", e)'])


def _about_task(evaluation: Evaluation | ClassEvaluation) -> Iterator[str]:
    if not isinstance(evaluation, Evaluation):
        yield f'task="{evaluation.task}"'
        if evaluation.normalized:
            yield "normalize=True"
    elif evaluation.within is not None:
        yield f"within=({evaluation.within.lower!r}, {evaluation.within.upper!r})"


def _about_rules(evaluation: Evaluation | ClassEvaluation) -> Iterator[str]:
    """Name the rules unless they are the usual ones; forms over the range come by themselves."""
    within = getattr(evaluation, "within", None)
    asked = tuple(
        rule
        for rule in evaluation.rules
        if not (
            isinstance(rule, Bounded) and rule.within == within and rule.rule in evaluation.rules
        )
    )
    if isinstance(evaluation, Evaluation):
        usual = asked == (Brier(), Log())
    else:
        usual = asked == asked_rules(None, evaluation.task)
    if not usual:
        told = ", ".join(repr(rule).replace("Interval(", "properly.Interval(") for rule in asked)
        yield f"rules=[{told}]"


def _columns(evaluation: Evaluation | ClassEvaluation) -> Iterator[str]:
    """Name what was given besides outcomes and forecasts, as far as that can be told."""
    given = {
        "weight": evaluation.total != evaluation.rows,
        "groups": bool(evaluation.groups),
        "clusters": "cluster" in evaluation.design,
        "strata": "strat" in evaluation.design,
        "time": bool(evaluation.over_time),
    }
    yield from (name for name, is_given in given.items() if is_given)


def _about_data(evaluation: Evaluation | ClassEvaluation) -> Iterator[str]:
    yield f"{many(evaluation.rows, 'case')} of positive weight; {evaluation.design}."
    if isinstance(evaluation, Evaluation):
        distinct = ", ".join(
            f"{name} {len(found.value):,}" for name, found in evaluation.reliability.items()
        )
        told = f"Equal forecasts are pooled; nothing is binned. Distinct forecasts: {distinct}."
        if evaluation.grouping:
            told = f"Equal forecasts are pooled. Distinct forecasts, or cells of them: {distinct}."
        yield told
        yield from (
            f"{printable(name)}: {found.told}." for name, found in evaluation.grouping.items()
        )
    if evaluation.seed is None:
        yield "Without a seed, intervals that are drawn come out a little different each time."
    else:
        draws = many(evaluation.replicates, "draw")
        yield f"Seed {evaluation.seed}, {draws}: the same data give the same page."


def _about_numbers(evaluation: Evaluation | ClassEvaluation) -> Iterator[str]:
    yield from EVENT if isinstance(evaluation, Evaluation) else CLASSES
    yield (
        f"Intervals hold with {100 * evaluation.level:g} %, one by one; bands in pictures with "
        "90 %, at each point. Comparisons allow for the number of pairs. They are about these "
        "models, as fitted, on the population that the cases come from."
    )
    yield (
        "Miscalibration and discrimination compare with isotonic recalibration (CORP). Both are "
        "too large as they stand, the more so the fewer cases; their intervals allow for it."
    )
    grouped = any("were grouped into" in note for note in evaluation.notes)
    exact = "" if grouped else "; numbers in tables are exact"
    yield f"Curves are drawn from at most some hundred points each{exact}."
    yield f"properly {__version__}."
