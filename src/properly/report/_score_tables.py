"""The tables of scores and of worst cases, and the fine print: what was done, and how."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from properly._boundary._text import listed, many, p_text, printable
from properly.calibration._statistics import why_untested
from properly.evaluation._evaluate import rules_of_task
from properly.report._chart import NumberTable, inks_of
from properly.report._class_charts import hard_table
from properly.report._page_words import NONE, few, score_in_words
from properly.report._screen import TableCell
from properly.rules import Regret
from properly.rules._score_words import rule_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from properly.calibration._calibration_summary import CalibrationSummary
    from properly.calibration._decomposition import Decomposition
    from properly.calibration._statistics import CalibrationTest
    from properly.decisions._worst_cases import WorstCases
    from properly.evaluation._record import Evaluation
    from properly.inference._estimate import Estimate


EVENT = (
    (
        "All scores are losses. One acts if the forecast is at least the threshold. The Brier "
        "score of an event lies between 0 and 1; logarithms are natural."
    ),
    (
        "Regret at a threshold c is c for each false alarm and 1 - c for each missed event, a "
        "case. Its mean over a range is half of the Brier score at those thresholds."
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
# Smaller numbers are told with fewer digits.
SMALL = 0.001
HEAD = ("score", "skill", "miscalibration", "discrimination")
CLINICAL = ("AUC", "observed : expected", "slope", "ICI", "calibration test")
CELLS = " Of forecasts that were grouped, the mean of their cell is shown."


def fine_print(evaluation: Evaluation) -> list[str]:
    """Say what the numbers rest on, one line each."""
    return [*_about_data(evaluation), *_about_numbers(evaluation), *evaluation.notes]


def python_call(evaluation: Evaluation) -> str:
    """Write the call that makes the evaluation again, with names for the data."""
    data, options = ["summary"], list(_about_task(evaluation))
    if not evaluation.summed:
        data = ["y", "forecasts"]
        options += _about_rules(evaluation)
        options += [f"{name}={name}" for name in _columns(evaluation)]
    options += _about_maps(evaluation)
    options += [f"level={evaluation.level!r}", f"replicates={evaluation.replicates!r}"]
    if evaluation.seed is not None:
        options.append(f"rng={evaluation.seed}")
    call = f"e = properly.evaluate({', '.join([*data, *options])})"
    imports = ["import properly", *(["from properly.rules import *"] if "rules=" in call else [])]
    return "\n".join([*imports, "", call, 'properly.report.write("report.html", e)'])


def _about_task(evaluation: Evaluation) -> Iterator[str]:
    if evaluation.task != "binary":
        yield f'task="{evaluation.task}"'
        if evaluation.normalized:
            yield "normalize=True"
    elif evaluation.within is not None:
        yield f"within=({evaluation.within.lower!r}, {evaluation.within.upper!r})"


def _about_rules(evaluation: Evaluation) -> Iterator[str]:
    """Name the rules unless they are the usual ones; that of the range comes by itself."""
    within, rules = evaluation.within, evaluation.rules
    if rules != rules_of_task(evaluation.task, None, within):
        rules = tuple(rule for rule in rules if within is None or rule != Regret(within))
        text = ", ".join(repr(rule).replace("Interval(", "properly.Interval(") for rule in rules)
        yield f"rules=[{text}]"


def _about_maps(evaluation: Evaluation) -> Iterator[str]:
    """Say how models were recalibrated, if they were."""
    for repair in list(evaluation.repairs.values())[:1]:
        is_choice = repair.result.gain.nested
        yield f'recalibrate="{"auto" if is_choice else repair.kind}"'


def _columns(evaluation: Evaluation) -> Iterator[str]:
    """Name what was given besides outcomes and forecasts, as far as that can be told."""
    given = {
        "weight": evaluation.total != evaluation.rows,
        "groups": bool(evaluation.groups),
        "clusters": "cluster" in evaluation.design,
        "strata": "strat" in evaluation.design,
        "time": bool(evaluation.over_time),
    }
    yield from (name for name, is_given in given.items() if is_given)


def _about_data(evaluation: Evaluation) -> Iterator[str]:
    yield f"{many(evaluation.rows, 'case')} of positive weight; {evaluation.design}."
    if evaluation.task == "binary":
        number = {name: f"{len(x.value):,}" for name, x in evaluation.reliability.items()}
        distinct = listed([f"{name} {x}" for name, x in number.items()])
        if len(number) > 1 and len(set(number.values())) == 1:
            distinct = f"{next(iter(number.values()))} of each model"
        pooled = "Equal forecasts are pooled; nothing is binned. Distinct forecasts"
        if evaluation.grouping:
            pooled = "Equal forecasts are pooled. Distinct forecasts, or cells of them"
        yield f"{pooled}: {distinct}."
        yield from (
            f"{printable(name)}: {error.told}." for name, error in evaluation.grouping.items()
        )
    if evaluation.seed is None:
        yield "Without a seed, intervals that are drawn come out a little different each time."
    else:
        draws = many(evaluation.replicates, "draw")
        yield f"Seed {evaluation.seed}, {draws}: the same data give the same page."


def _about_numbers(evaluation: Evaluation) -> Iterator[str]:
    yield from EVENT if evaluation.task == "binary" else CLASSES
    yield (
        f"Intervals hold with {100 * evaluation.level:g} %, one by one, and so do bands in "
        "pictures, at each point. Comparisons allow for the number of pairs. They are about these "
        "models, as fitted, on the population that the cases come from."
    )
    yield (
        "Miscalibration and discrimination compare with isotonic recalibration (CORP). Both are "
        "too large as they stand, the more so the fewer cases; their intervals allow for it."
    )
    grouped = any("were grouped into" in note for note in evaluation.notes)
    exact = "" if grouped else "; numbers in tables are exact"
    yield f"Curves are drawn from at most some hundred points each{exact}."


class ScoreTableRow(NamedTuple):
    """A model or a baseline."""

    name: str
    cells: list[TableCell]
    baseline: bool = False
    ink: int | None = None


@dataclass(frozen=True)
class ScoreTable:
    """A table of the page."""

    name: str
    caption: str
    summary: str
    head: tuple[str, ...]
    rows: list[ScoreTableRow]


def score_tables(evaluation: Evaluation) -> list[ScoreTable]:
    """Lay out the scores by each rule, the primary one first, then what clinicians ask for."""
    rules = sorted(evaluation.rules, key=lambda rule: rule.name != evaluation.primary)
    tables = [_by_rule(evaluation, rule) for rule in rules]
    if evaluation.task != "binary":
        tables.append(_decisions(evaluation))
    elif evaluation.aucs or evaluation.calibration:
        tables.append(_clinical(evaluation))
    return tables


def number(x: float) -> str:
    """Write a number with as many digits as people compare."""
    return few(x, 2 if abs(x) < SMALL else 4)


def around(ends: Sequence[float]) -> str:
    """Write an interval, or nothing where there is none."""
    low, high = ends
    return "" if math.isnan(low) or math.isnan(high) else f"{number(low)} to {number(high)}"


def remarks(evaluation: Evaluation) -> list[str]:
    """Say what an infinite number means, if there is one in any table."""
    lost = {
        name: max(x.infinite_cases for x in by_rule.values())
        for name, by_rule in evaluation.scores.items()
    }
    counts = [f"{name}: {count:,}" for name, count in lost.items() if count]
    if not counts:
        return []
    meaning = "a forecast that was certain turned out wrong, and no finite loss is enough"
    return [f"∞: {meaning}. Nothing is clipped. Cases of infinite loss: {'; '.join(counts)}."]


def _by_rule(evaluation: Evaluation, rule: Any) -> ScoreTable:
    name, inks = rule.name, inks_of(evaluation)
    rows = []
    for model, by_rule in evaluation.parts.items():
        around = evaluation.scores[model][name], evaluation.skills[model][name]
        rows.append(ScoreTableRow(model, _cells(by_rule[name], *around), ink=inks.get(model)))
    rows += [
        ScoreTableRow(baseline, _cells(by_rule[name]), baseline=True)
        for baseline, by_rule in evaluation.baselines.items()
    ]
    words = rule_in_words(rule)
    # Some scores are called means already: mean regret.
    caption = f"Mean {words.removeprefix('mean ')}; {rule.propriety.value}."
    return ScoreTable(name, caption, f"Scores by the {words}", HEAD, rows)


def _cells(
    parts: Decomposition, score: Estimate | None = None, skill: Estimate | None = None
) -> list[TableCell]:
    scores = [
        TableCell(number(value), "" if estimate is None else around(estimate.interval))
        for value, estimate in ((parts.score, score), (parts.skill, skill))
    ]
    split = [_part(parts, name) for name in ("miscalibration", "discrimination")]
    return [*scores, *split]


def _part(parts: Decomposition, name: str) -> TableCell:
    """Write a part less its bias, with its interval; then as it stands, which is too large."""
    raw, intervals = number(getattr(parts, name)), parts.intervals
    if intervals is None or not (ends := around(getattr(intervals, name))):
        return TableCell(raw)
    # Where no test takes part, an interval of miscalibration begins at 0 whatever was found.
    if name == "miscalibration" and math.isnan(intervals.p_value):
        ends = f"at most {number(intervals.miscalibration[1])}"
    return TableCell(number(getattr(intervals, f"corrected_{name}")), f"{ends}; uncorrected {raw}")


def _decisions(evaluation: Evaluation) -> ScoreTable:
    """Lay out what decisions come to, for the likeliest class and at the least expected cost."""
    head, lines, *_ = hard_table(evaluation)
    inks = {printable(name): ink for name, ink in inks_of(evaluation).items()}
    rows = [
        ScoreTableRow(name, [TableCell(x) for x in texts], ink=inks.get(name))
        for name, *texts in lines
    ]
    caption = "Decisions made of the probabilities, by the class that each case is given."
    return ScoreTable("decisions", caption, "Decisions: accuracy, F1, kappa, costs", head[1:], rows)


def _clinical(evaluation: Evaluation) -> ScoreTable:
    rows = [
        ScoreTableRow(
            name, list(_clinical_cells(evaluation, name)), ink=inks_of(evaluation).get(name)
        )
        for name in evaluation.models
    ]
    caption = (
        "Observed over expected events and the calibration slope are 1 for calibrated forecasts. "
        "ICI, the integrated calibration index, is the mean distance between forecasts and a "
        "smooth curve of what happened. Below it stands its mean if they were calibrated."
    )
    return ScoreTable(
        "auc", caption, "Discrimination and calibration, as in clinical papers", CLINICAL, rows
    )


def _clinical_cells(evaluation: Evaluation, model: str) -> Iterable[TableCell]:
    nothing = TableCell(NONE)
    area, calibration = evaluation.aucs.get(model), evaluation.calibration.get(model)
    test = evaluation.calibration_tests.get(model)
    yield nothing if area is None else TableCell(number(area.value), around(area.interval))
    for name in ("observed_expected", "slope"):
        estimate = getattr(calibration, name, None)
        yield nothing if estimate is None else _estimate(estimate, calibration)
    if calibration is None:
        yield nothing
    else:
        usual = f"{number(calibration.ici.mean_if_calibrated)} if calibrated"
        yield TableCell(number(calibration.ici.value), usual)
    yield nothing if test is None else _test(test)


def _test(test: CalibrationTest) -> TableCell:
    if math.isnan(test.p_value):
        return TableCell("not tested", why_untested(test))
    return TableCell(p_text(test.p_value, is_bound=test.p_is_bound, digits=2), f"{test.name} test")


def _estimate(estimate: Estimate, calibration: CalibrationSummary | None) -> TableCell:
    """Write an estimate; a slope is of the forecasts other than 0 and 1."""
    notes = [around(estimate.interval)]
    if calibration is not None and calibration.certain and estimate is calibration.slope:
        notes.append(f"without {many(calibration.certain, 'forecast')} of 0 or 1")
    value = NONE if math.isnan(estimate.value) else number(estimate.value)
    return TableCell(value, "; ".join(filter(None, notes)))


def worst_tables(evaluation: Evaluation) -> list[tuple[str, NumberTable]]:
    """Lay out the cases that cost each model most."""
    return [(name, _table(cases)) for name, cases in evaluation.worst.items()]


def worst_lead(evaluation: Evaluation) -> str:
    """Say what is listed: cases that one can look at, or forecasts where rows are not known."""
    if not evaluation.worst:
        return ""
    first = next(iter(evaluation.worst.values()))
    rule = score_in_words(evaluation, first.rule)
    if first.cases is not None:
        return (
            f"The forecasts that cost each model most by the {rule}, with what happened then and "
            "for how many cases. A summary does not keep which rows they were."
            f"{CELLS if evaluation.grouping else ''}"
        )
    dropped = any(note.startswith("dropped ") for note in evaluation.notes)
    return (
        f"The cases that cost each model most by the {rule}, to look at by eye. They may be wrong "
        "outcomes, strange cases or overconfident forecasts. Rows are counted from 0"
        f"{', those that were dropped left out' if dropped else ''}."
    )


def _table(worst: WorstCases) -> NumberTable:
    columns = worst.columns()
    texts = ([_text(x, name) for x in column] for name, column in columns.items())
    rows = zip(*texts, strict=True)
    return NumberTable(tuple(columns), tuple(rows))


def _text(x: Any, name: str) -> str:
    if isinstance(x, float):
        return number(x)
    return f"{x:,}" if name == "cases" else str(x)
