"""Tables of the page: scores, worst cases, and in people; and the fine print, how it was done.

In people: of 1,000 cases, how many alarms, how many of them right, how many events missed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from properly._boundary._text import listed, many, p_text, percent, printable
from properly.calibration._decomposition import Decomposition
from properly.calibration._statistics import why_untested
from properly.counts._baselines import TREAT_ALL, TREAT_NONE
from properly.decisions._at_threshold import PEOPLE, RATES, AtThreshold, in_people, round_number
from properly.decisions._grid import round_middle
from properly.evaluation._evaluate import rules_of_task
from properly.evaluation._record import Evaluation
from properly.inference._averages import Estimate
from properly.report._class_charts import hard_table
from properly.report._page_words import NONE, few, fixed, page_words, score_in_words
from properly.report._vega import NumberTable, TableCell
from properly.rules import Regret
from properly.rules._parse import rule_in_words

# Smaller numbers are told with fewer digits.
SMALL = 0.001
HEAD = ("model", "score", "skill", "miscalibration", "discrimination")
CLINICAL = ("model", "AUC", "observed : expected", "slope", "ICI", "calibration test")
PEOPLE_HEAD = ("model", "alarms", "right", "missed", *RATES)
# Drawn of all, whatever the number that is spoken of.
DOTS = 1000
# Rows in people that are kept for the reader to choose from, of all models together.
MOST_KEPT = 200


def contents(evaluation: Evaluation) -> dict[str, Any]:
    """Gather what the template prints of scores, and of how they were computed."""
    return {
        "tables": score_tables(evaluation),
        "remarks": remarks(evaluation),
        "worst_lead": worst_lead(evaluation),
        "fine_print": fine_print(evaluation),
        "python": python_call(evaluation),
    }


def fine_print(evaluation: Evaluation) -> list[str]:
    """Say what the numbers rest on, one line each."""
    lines = page_words()["fine_print"]
    grouped = any("were grouped into" in note for note in evaluation.notes)
    exact, level = "" if grouped else "; numbers in tables are exact", f"{100 * evaluation.level:g}"
    numbers = [line.format(level=level, exact=exact) for line in lines["numbers"]]
    of_task = lines["event" if evaluation.task == "binary" else "classes"]
    return [*_about_data(evaluation), *of_task, *numbers, *evaluation.notes]


def python_call(evaluation: Evaluation) -> str:
    """Write the call that makes the evaluation again, with names for the data."""
    within, rules, data, options = evaluation.within, evaluation.rules, ["summary"], list[str]()
    if evaluation.task != "binary":
        options += [f'task="{evaluation.task}"', *["normalize=True"] * evaluation.normalized]
    elif within is not None:
        options.append(f"within=({within.lower!r}, {within.upper!r})")
    if not evaluation.summed:
        data = ["y", "forecasts"]
        if rules != rules_of_task(evaluation.task, None, within)[0]:
            # The rule of the range comes by itself.
            rules = tuple(rule for rule in rules if within is None or rule != Regret(within))
            text = ", ".join(repr(x).replace("Interval(", "properly.Interval(") for x in rules)
            options.append(f"rules=[{text}]")
        options += [f"{name}={name}" for name in _columns(evaluation)]
    for repair in list(evaluation.repairs.values())[:1]:
        options.append(f'recalibrate="{"auto" if repair.result.gain.nested else repair.kind}"')
    options += [f"level={evaluation.level!r}", f"replicates={evaluation.replicates!r}"]
    if evaluation.seed is not None:
        options.append(f"rng={evaluation.seed}")
    call = f"e = properly.evaluate({', '.join([*data, *options])})"
    imports = ["import properly", *(["from properly.rules import *"] if "rules=" in call else [])]
    return "\n".join([*imports, "", call, 'properly.report.write("report.html", e)'])


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
        yield from (f"{printable(name)}: {x.told}." for name, x in evaluation.grouping.items())
    if evaluation.seed is None:
        yield "Without a seed, intervals that are drawn come out a little different each time."
    else:
        draws = many(evaluation.replicates, "draw")
        yield f"Seed {evaluation.seed}, {draws}: the same data give the same page."


def score_tables(evaluation: Evaluation) -> list[NumberTable]:
    """Lay out the scores by each rule, the primary one first, then what clinicians ask for."""
    rules = sorted(evaluation.rules, key=lambda rule: rule.name != evaluation.primary)
    tables = [_by_rule(evaluation, rule) for rule in rules]
    if evaluation.task != "binary":
        table, caption = hard_table(evaluation), page_words()["tables"]["decisions"]
        title = "Decisions: accuracy, F1, kappa, costs"
        tables.append(table._replace(title=title, caption=caption))
    elif evaluation.aucs or evaluation.calibration:
        rows = [(name, *_clinical_cells(evaluation, name)) for name in evaluation.models]
        summary = "Discrimination and calibration, as in clinical papers"
        caption = page_words()["tables"]["clinical"]
        tables.append(NumberTable(CLINICAL, rows, summary, caption))
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


def _by_rule(evaluation: Evaluation, rule: Any) -> NumberTable:
    name, scores, skills = rule.name, evaluation.scores, evaluation.skills
    rows = [
        (model, *_cells(by_rule[name], scores[model][name], skills[model][name]))
        for model, by_rule in evaluation.parts.items()
    ]
    rows += [(name_of, *_cells(x[name])) for name_of, x in evaluation.baselines.items()]
    words = rule_in_words(rule)
    # Some scores are called means already: mean regret.
    caption = f"Mean {words.removeprefix('mean ')}; {rule.propriety.value}."
    return NumberTable(HEAD, rows, f"Scores by the {words}", caption, len(evaluation.baselines))


def _cells(parts: Decomposition, *estimates: Estimate) -> list[TableCell]:
    """Write a score and its skill, with intervals if there are estimates, and both parts of it."""
    intervals = [around(x.interval) for x in estimates] or ["", ""]
    numbers = map(number, (parts.score, parts.skill))
    cells = [TableCell(*both) for both in zip(numbers, intervals, strict=True)]
    return cells + [_part(parts, name) for name in ("miscalibration", "discrimination")]


def _part(parts: Decomposition, name: str) -> TableCell:
    """Write a part less its bias, with its interval; then as it stands, which is too large."""
    raw, intervals = number(getattr(parts, name)), parts.intervals
    if intervals is None or not (ends := around(getattr(intervals, name))):
        return TableCell(raw)
    # Where no test takes part, an interval of miscalibration begins at 0 whatever was found.
    if name == "miscalibration" and math.isnan(intervals.p_value):
        ends = f"at most {number(intervals.miscalibration[1])}"
    return TableCell(number(getattr(intervals, f"corrected_{name}")), f"{ends}; uncorrected {raw}")


def _clinical_cells(evaluation: Evaluation, model: str) -> Iterator[TableCell]:
    nothing = TableCell(NONE)
    area, calibration = evaluation.aucs.get(model), evaluation.calibration.get(model)
    test = evaluation.calibration_tests.get(model)
    yield nothing if area is None else TableCell(number(area.value), around(area.interval))
    if calibration is None:
        yield from [nothing] * 3
    else:
        yield _estimate(calibration.observed_expected)
        yield _estimate(calibration.slope, calibration.certain)
        usual = f"{number(calibration.ici.mean_if_calibrated)} if calibrated"
        yield TableCell(number(calibration.ici.value), usual)
    if test is None:
        yield nothing
    elif math.isnan(test.p_value):
        yield TableCell("not tested", why_untested(test))
    else:
        p = p_text(test.p_value, is_bound=test.p_is_bound, digits=2)
        yield TableCell(p, f"{test.name} test")


def _estimate(estimate: Estimate, certain: float = 0) -> TableCell:
    """Write an estimate; a slope is of the forecasts other than 0 and 1."""
    without = f"without {many(certain, 'forecast')} of 0 or 1" if certain else ""
    below = "; ".join(filter(None, [around(estimate.interval), without]))
    return TableCell(number(estimate.value), below)


def worst_tables(evaluation: Evaluation) -> list[tuple[str, NumberTable]]:
    """Lay out the cases that cost each model most."""
    tables = []
    for name, worst in evaluation.worst.items():
        columns = worst.columns()
        texts = ([_text(x, head) for x in column] for head, column in columns.items())
        tables.append((name, NumberTable([*columns], [*zip(*texts, strict=True)])))
    return tables


def worst_lead(evaluation: Evaluation) -> str:
    """Say what is listed: cases that one can look at, or forecasts where rows are not known."""
    if not evaluation.worst:
        return ""
    first = next(iter(evaluation.worst.values()))
    rule = score_in_words(evaluation, first.rule)
    words = page_words()["tables"]
    if first.cases is not None:
        cells = [words["cells"]] * bool(evaluation.grouping)
        return " ".join([words["worst_forecasts"].format(rule=rule), *cells])
    dropped = any(note.startswith("dropped ") for note in evaluation.notes)
    left_out = ", those that were dropped left out" if dropped else ""
    return str(words["worst"].format(rule=rule, dropped=left_out))


def _text(x: Any, name: str) -> str:
    if isinstance(x, float):
        return number(x)
    return f"{x:,}" if name == "cases" else str(x)


def people(evaluation: Evaluation, cases: str, event: str) -> dict[str, Any] | None:
    """Lay out what models of an event come to in people; of classes there is nothing to say.

    Without scripts there are tables at three thresholds; `numbers` has all of them.
    """
    if not evaluation.at_thresholds:
        return None
    per = round_number(evaluation.event_rate)
    # The first is at 0, where one acts on all.
    everyone = next(iter(evaluation.at_thresholds.values()))[0]
    models = {name: x[1:] for name, x in evaluation.at_thresholds.items()}
    # Every second threshold, or fewer, of many models; both ends stay.
    step = math.ceil(sum(map(len, models.values())) / MOST_KEPT)
    models = {name: (*x[:-1:step], x[-1]) for name, x in models.items()}
    thresholds = [at.threshold for at in next(iter(models.values()))]
    start = _nearest(thresholds, round_middle(evaluation.within, evaluation.event_rate))
    cells = {name: [_in_people(at, per) for at in x] for name, x in models.items()}
    # What needs no model is the same at every threshold.
    plain = dict(zip((TREAT_ALL, TREAT_NONE), _without_model(everyone, per), strict=True))
    labels = [percent(t) for t in thresholds]
    tables = []
    for k in sorted({start, *_sides(evaluation, thresholds)}):
        every = [*((name, x[k]) for name, x in cells.items()), *plain.items()]
        rows = [(name, *_as_cells(row)) for name, row in every]
        tables.append((labels[k], k == start, NumberTable(PEOPLE_HEAD, rows, plain=len(plain))))
    # Each row is a short text, since there are many of them.
    texts = [
        ["|".join("/".join(cell) for cell in row) for row in rows]
        for rows in (*cells.values(), *([row] for row in plain.values()))
    ]
    alike = _dots(everyone)
    dots = [*([_dots(at) for at in x] for x in models.values()), [alike], [[0, 0, alike[0]]]]
    shares = [100 * t for t in thresholds]
    return {
        "per": f"{per:,}",
        "cases": cases,
        "event": event,
        "ends": (f"{shares[0]:.6g}", f"{shares[-1]:.6g}"),
        "start": f"{shares[start]:.6g}",
        "last": len(thresholds) - 1,
        "place": start,
        "tables": tables,
        "dot": "" if per == DOTS else f"{per // DOTS:,}",
        "numbers": {"percent": shares, "labels": labels, "rows": texts, "dots": dots},
    }


def _sides(evaluation: Evaluation, thresholds: Sequence[float]) -> list[int]:
    """Return the places of both ends of the range, or else half and double the event rate."""
    if evaluation.within is not None:
        return [0, len(thresholds) - 1]
    return [_nearest(thresholds, x * evaluation.event_rate) for x in (0.5, 2)]


def _nearest(thresholds: Sequence[float], x: float) -> int:
    return int(np.argmin(np.abs(np.array(thresholds) - x)))


def _in_people(at: AtThreshold, per: int) -> list[list[str]]:
    """Write each number, and its interval if there is one."""
    counts = [_cell(at.estimate(name), lambda x: in_people(x, per)) for name in PEOPLE]
    return counts + [_cell(at.estimate(word), _rate) for word in RATES]


def _cell(estimate: tuple[float, float, float], text: Callable[[float], str]) -> list[str]:
    """Write a number, and both ends of its interval if there is one."""
    if math.isnan(estimate[0]):
        return [NONE]
    return [text(x) for x in estimate if not math.isnan(x)]


def _as_cells(row: list[list[str]]) -> list[TableCell]:
    """Lay out the texts of a row; rates are in per cent."""
    cells = []
    for k, (number, *ends) in enumerate(row):
        unit = " %" if k >= len(PEOPLE) and number != NONE else ""
        cells.append(TableCell(f"{number}{unit}", f"{' to '.join(ends)}{unit}" if ends else ""))
    return cells


def _rate(x: float) -> str:
    return fixed(100 * x, 1)


def _without_model(everyone: AtThreshold, per: int) -> tuple[list[list[str]], list[list[str]]]:
    """Act on all, then on nobody: only how frequent the event is can be other than it was."""
    rate, low, high = everyone.estimate("true_positives")
    events = _cell((rate, low, high), lambda x: in_people(x, per))
    right, left = (_cell(x, _rate) for x in ((rate, low, high), (1 - rate, 1 - high, 1 - low)))
    whole, nothing, all_of, none_of = [f"{per:,}"], ["0"], [_rate(1.0)], [_rate(0.0)]
    return (
        [whole, events, nothing, all_of, none_of, right, [NONE]],
        [nothing, nothing, events, none_of, all_of, [NONE], left],
    )


def _dots(at: AtThreshold) -> list[int]:
    """Count dots: alarms that are right, alarms in vain, and events that are missed."""
    shares = np.array([at.true_positives, at.false_positives, at.false_negatives])
    dots: list[int] = (DOTS * shares).round().astype(int).tolist()
    return dots
