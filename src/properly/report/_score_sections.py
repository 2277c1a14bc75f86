"""Tables of scores: one a rule, and one in the terms of clinical papers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from properly._boundary._plain import printable
from properly.evaluation._class_evaluation import ClassEvaluation
from properly.evaluation._event_evaluation import Evaluation
from properly.report._confusion_chart import hard_table
from properly.report._drawn import inks_of
from properly.report._rule_words import rule_in_words
from properly.report._words import NONE, few

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from properly.calibration._calibration_table import CalibrationSummary
    from properly.calibration._part_intervals import PartIntervals
    from properly.inference._estimate import Estimate

# Smaller numbers are told with fewer digits.
SMALL = 0.001
HEAD = ("score", "skill", "miscalibration", "discrimination")
CLINICAL = ("AUC", "observed : expected", "slope", "ICI", "calibration test")


class Cell(NamedTuple):
    """A number, and its interval below it."""

    number: str
    around: str = ""


class Row(NamedTuple):
    """A model or a baseline."""

    name: str
    cells: list[Cell]
    baseline: bool = False
    ink: int | None = None


@dataclass(frozen=True)
class Scores:
    """A table of the page."""

    name: str
    caption: str
    summary: str
    head: tuple[str, ...]
    rows: list[Row]


def score_tables(evaluation: Evaluation | ClassEvaluation) -> list[Scores]:
    """Lay out the scores by each rule, the primary one first, then what clinicians ask for."""
    rules = sorted(evaluation.rules, key=lambda rule: rule.name != evaluation.primary)
    tables = [_by_rule(evaluation, rule) for rule in rules]
    if isinstance(evaluation, Evaluation) and (evaluation.aucs or evaluation.calibration):
        tables.append(_clinical(evaluation))
    elif isinstance(evaluation, ClassEvaluation):
        tables.append(_decisions(evaluation))
    return tables


def number(x: float) -> str:
    """Write a number with as many digits as people compare."""
    return few(x, 2 if abs(x) < SMALL else 4)


def around(ends: Sequence[float]) -> str:
    """Write an interval, or nothing where there is none."""
    low, high = ends
    return "" if math.isnan(low) or math.isnan(high) else f"{number(low)} to {number(high)}"


def remarks(evaluation: Evaluation | ClassEvaluation) -> list[str]:
    """Say what an infinite number means, if there is one in any table."""
    scores = _intervals(evaluation)
    lost = {m: max(x.infinite_cases for x in by_rule.values()) for m, by_rule in scores.items()}
    told = [f"{name}: {count:,}" for name, count in lost.items() if count]
    if not told:
        return []
    meaning = "a forecast that was certain turned out wrong, and no finite loss is enough"
    return [f"∞: {meaning}. Nothing is clipped. Cases of infinite loss: {'; '.join(told)}."]


def _by_rule(evaluation: Evaluation | ClassEvaluation, rule: Any) -> Scores:
    name = rule.name
    parts, scores = _parts(evaluation), _intervals(evaluation)
    rows = [
        Row(model, _cells(parts[model][name], scores[model][name], evaluation.skills[model][name]))
        for model in evaluation.models
    ]
    inks = inks_of(evaluation)
    rows = [row._replace(ink=inks.get(row.name)) for row in rows]
    rows += [
        Row(baseline, _cells(by_rule[name]), baseline=True)
        for baseline, by_rule in evaluation.baselines.items()
    ]
    words = rule_in_words(rule)
    caption = f"Mean {words}; {rule.propriety.value}."
    return Scores(name, caption, f"Scores by the {words}", HEAD, rows)


def _parts(evaluation: Evaluation | ClassEvaluation) -> Any:
    return evaluation.decompositions if isinstance(evaluation, Evaluation) else evaluation.scores


def _intervals(evaluation: Evaluation | ClassEvaluation) -> dict[str, dict[str, Estimate]]:
    return evaluation.scores if isinstance(evaluation, Evaluation) else evaluation.intervals


def _cells(parts: Any, score: Estimate | None = None, skill: Estimate | None = None) -> list[Cell]:
    found = [
        Cell(number(value), "" if estimate is None else around(estimate.interval))
        for value, estimate in ((parts.score, score), (parts.skill, skill))
    ]
    intervals = getattr(parts, "intervals", None)
    split = [
        Cell(number(getattr(parts, name)), _corrected(intervals, name))
        for name in ("miscalibration", "discrimination")
    ]
    return [*found, *split]


def _corrected(intervals: PartIntervals | None, name: str) -> str:
    """Write a part less its bias, and the interval, which need not hold the part as it stands."""
    if intervals is None or not (ends := around(getattr(intervals, name))):
        return ""
    # Where no test takes part, an interval of miscalibration begins at 0 whatever was found.
    if name == "miscalibration" and math.isnan(intervals.p_value):
        ends = f"at most {number(intervals.miscalibration[1])}"
    return f"corrected {number(getattr(intervals, f'corrected_{name}'))}, {ends}"


def _decisions(evaluation: ClassEvaluation) -> Scores:
    """Lay out what decisions come to, for the likeliest class and at the least expected cost."""
    head, rows = hard_table(evaluation)
    inks = {printable(name): ink for name, ink in inks_of(evaluation).items()}
    told = [Row(name, [Cell(text) for text in texts], ink=inks.get(name)) for name, *texts in rows]
    caption = "Decisions made of the probabilities, by the class that each case is given."
    return Scores("decisions", caption, "Decisions: accuracy, F1, kappa, costs", head[1:], told)


def _clinical(evaluation: Evaluation) -> Scores:
    rows = [
        Row(name, list(_clinical_cells(evaluation, name)), ink=inks_of(evaluation).get(name))
        for name in evaluation.models
    ]
    caption = (
        "Observed over expected events and the calibration slope are 1 for calibrated forecasts. "
        "ICI, the integrated calibration index, is the mean distance between forecasts and a "
        "smooth curve of what happened; below it stands its mean if they were calibrated."
    )
    return Scores(
        "auc", caption, "Discrimination and calibration, as in clinical papers", CLINICAL, rows
    )


def _clinical_cells(evaluation: Evaluation, model: str) -> Iterable[Cell]:
    nothing = Cell(NONE)
    area, found = evaluation.aucs.get(model), evaluation.calibration.get(model)
    test = evaluation.calibration_tests.get(model)
    yield nothing if area is None else Cell(number(area.value), around(area.interval))
    for name in ("observed_expected", "slope"):
        estimate = getattr(found, name, None)
        yield nothing if estimate is None else _estimate(estimate, found)
    if found is None:
        yield nothing
    else:
        usual = f"{number(found.ici.mean_if_calibrated)} if calibrated"
        yield Cell(number(found.ici.value), usual)
    yield nothing if test is None else Cell(f"p = {number(test.p_value)}", f"{test.name} test")


def _estimate(estimate: Estimate, found: CalibrationSummary | None) -> Cell:
    """Write an estimate; forecasts of exactly 0 and 1 have no log-odds, and so no slope."""
    if math.isnan(estimate.value) and found is not None and found.certain:
        return Cell(NONE, f"{found.certain:,} forecasts of 0 or 1")
    return Cell(number(estimate.value), around(estimate.interval))
