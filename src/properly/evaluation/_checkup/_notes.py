"""Notes of an evaluation about its data: follow-up times, and mistakes that results show.

Columns that look like follow-up time beside a status mean that cases without event may be censored.
The commonest mistakes leave traces in results that are there already. `properly.check` looks at
every column; this costs hardly anything, so that nobody has to ask.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._classes import names_of_labels
from properly._boundary._libraries import namespace
from properly._boundary._text import printable, quoted
from properly._boundary._tolerances import SAME_SUM
from properly.evaluation._checkup._checks import ENOUGH, SURE
from properly.evaluation._checkup._sheet import RawColumn, read_raw
from properly.evaluation._checkup._symptom import Flags, Symptom, finding, said
from properly.typing import Floats

if TYPE_CHECKING:
    from properly.counts import Cases
    from properly.evaluation._record import Evaluation


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b")


# Names that mean follow-up by themselves.
CLEAR = _words(
    *("follow ?up", "fu(?: ?time)?", "tte", "time (?:to )?(?:event|death|failure)"),
    *("os", "pfs", "dfs", "surv(?: ?time|ival)?"),
)
# Names that may mean a date or a stay as well: these need a column that is named like a status.
VAGUE = _words("time", "days", "weeks", "months", "years", "duration")
STATUS = _words(
    *("(?:fu ?)?stat(?:us)?", "events?", "cens(?:or(?:ed|ing)?)?", "dea(?:d|th)", "die[ds]"),
    *("deceased", "fail(?:ed|ure)?", "relapsed?", "recurrence", "progression"),
)
# Numbers whose names have one of these words are none.
OTHER = _words(
    *("age", "since", "before", "prior", "previous", "last", "prob", "probability", "percent"),
    *("risk", "rate", "score"),
)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Cases without the event leave at so many times, and this share of them before the last events.
DISTINCT, EARLY, LATE = 20, 0.05, 0.9
# Of times of forecasts, also of several stations below one another, most rise from row to row.
IN_ORDER = 0.9
# Standard errors of a rank test: one in 200 columns that have nothing to do with the event.
ONE_IN_200 = 2.58
THEN = "neither dropping them nor counting them as no event is right"


def named_like_follow_up(names: Iterable[object], outcome: str) -> list[str]:
    """Return the names that may be those of follow-up times beside such an outcome.

    The status may also be another column, from which an outcome at a fixed time was made.
    """
    split = {name: _split(name) for name in names if isinstance(name, str)}
    status = any(map(STATUS.search, (_split(outcome), *split.values())))
    return [
        name
        for name, words in split.items()
        if name != outcome
        and (CLEAR.search(words) or (status and VAGUE.search(words)))
        and not OTHER.search(words)
    ]


def follow_up_symptoms(
    outcome: str, y: Any, columns: Mapping[str, Any], *, pos_label: object = None, time: str = ""
) -> Iterator[Symptom]:
    """Find follow-up times among columns so named; one may be given as the time of each case."""
    observed = read_raw(y, outcome)
    happened = _happened(observed, pos_label)
    if happened is None:
        return
    read = (read_raw(column, name) for name, column in columns.items())
    found = [x.name for x in read if _is_follow_up(x, observed, happened)]
    if time in found:
        yield finding("oddity", "time", len(observed), *said("no_order", time=quoted(time)))
    if found:
        names = {"found": quoted(found[0]), "outcome": quoted(outcome)}
        yield finding("oddity", "outcome", len(observed), *said("follow_up", then=THEN, **names))


def named_symptoms(y: Any, time: Any, pos_label: object) -> list[Symptom]:
    """Look at the time of each case if it and the outcomes are columns with names."""
    names = [getattr(x, "name", None) for x in (y, time)]
    if not all(isinstance(name, str) and name for name in names):
        return []
    outcome, name = map(str, names)
    if not named_like_follow_up([name], outcome):
        return []
    return [*follow_up_symptoms(outcome, y, {name: time}, pos_label=pos_label, time=name)]


def follow_up_notes(symptoms: Iterable[Symptom]) -> list[str]:
    """Write findings as notes of an evaluation."""
    return [f"{x.what}; then {THEN}" if x.where == "outcome" else x.what for x in symptoms]


def _split(name: str) -> str:
    """Return the words of a name: follow up time of FollowUp_time."""
    return " ".join(WORD.findall(name)).casefold()


def _happened(y: RawColumn, pos_label: object) -> Flags | None:
    """Return where the event happened; a status may also have 2 for another event."""
    if y.is_table or not y.labels:
        return None
    if pos_label is not None:
        return np.array([label == pos_label for label in y.values.tolist()], dtype=bool)
    return y.numbers > min(y.labels) if set(y.labels) <= {0, 1, 2} else None


def _is_follow_up(x: RawColumn, y: RawColumn, happened: Flags) -> bool:
    """Return whether numbers behave as times do that end with an event or with censoring.

    Where an outcome at a fixed time was made of them, all cases without the event were followed
    longer than those with it. Numbers under a vague name must also be larger without the event,
    by a rank test, and out of order, which times of forecasts seldom are.
    """
    if x.is_table or len(x) != len(y) or x.text.any():
        return False
    known = ~x.missing & ~y.missing
    t, ended = x.numbers[known], happened[known]
    if not (ended.any() and (~ended).any() and t.min() >= 0 and 1 < t.max() < np.inf):
        return False
    left, events = t[~ended], np.sort(t[ended])
    if len(np.unique(left)) < DISTINCT or (left < np.quantile(events, LATE)).mean() < EARLY:
        return False
    if CLEAR.search(_split(x.name)):
        return True
    rising = (np.diff(t) >= 0).mean()
    return bool(1 - IN_ORDER < rising < IN_ORDER) and _rank_z(left, events) > ONE_IN_200


def _rank_z(x: Floats, y: Floats) -> float:
    """Return the standardized rank sum of x above sorted y."""
    below = np.searchsorted(y, x, "left") + np.searchsorted(y, x, "right")
    area = float(below.mean()) / 2 / len(y)
    return (area - 0.5) * math.sqrt(12 * len(x) * len(y) / (len(x) + len(y) + 1))


# What results show

# No forecast is higher, where percentages were divided twice.
PERCENT = 0.01
# Other orders of columns are tried for this many classes at most, and must be right in this much
# larger a share of the cases.
MOST, BETTER = 8, 0.1


def doubts(e: Evaluation, cases: Mapping[str, Cases]) -> Iterator[str]:
    """Say what looks like a mistake; there are no cases where rows were only summed."""
    if e.rows < ENOUGH:
        return
    for name in e.models:
        shown = printable(name)
        if _is_hard(e, name, cases):
            yield (
                f"all forecasts of {shown} are 0 or 1, as decisions are; scores and calibration "
                "need probabilities, such as those of predict_proba"
            )
        if e.task != "binary":
            yield from _order_of_columns(e, name, shown)
        elif min(e.events, e.rows - e.events) >= ENOUGH:
            yield from _doubts_of_event(e, name, shown)
    for name, copied in _copies(e, cases).items():
        both = f"{printable(name)} is a copy of {printable(copied)}"
        yield f"the model {both}: their forecasts are the same in every row"


def _doubts_of_event(e: Evaluation, name: str, shown: str) -> Iterator[str]:
    """Find forecasts of the other outcome, and percentages that were divided by 100 twice."""
    area, record = e.aucs.get(name), e.reliability[name]
    if area is not None and area.value + SURE * area.standard_error < 0.5:
        yield (
            f"events have lower forecasts than non-events by {shown}, with an AUC of "
            f"{area.value:.3f}: is it 1 - p, the probability of the other outcome?"
        )
    highest, scaled = float(record.bins.x_max[-1]), 100 * record.mean_forecast
    if highest <= PERCENT and e.event_rate / 2 <= scaled <= 2 * e.event_rate:
        yield (
            f"no forecast of {shown} is above {highest:.2g}, and a hundred times their mean is "
            f"near the event rate, {e.event_rate:.2g}: were percentages divided by 100 twice?"
        )


def _order_of_columns(e: Evaluation, name: str, shown: str) -> Iterator[str]:
    """Find columns in another order than the labels, such as that of the alphabet.

    Another order must be right in a tenth more of the cases, by 3.29 standard errors of a paired
    difference. Rows of the table are the classes that happened, columns those decided for.
    """
    counts = np.asarray(e.decisions[name].argmax.confusion.counts, dtype=np.float64)
    if len(counts) > MOST:
        return
    from scipy.optimize import linear_sum_assignment

    truth, column = linear_sum_assignment(counts, maximize=True)
    right, best = np.diag(counts), counts[truth, column]
    gain, differ = best.sum() - right.sum(), (best + right)[truth != column].sum()
    if gain > max(BETTER * counts.sum(), SURE * math.sqrt(differ)):
        labels = ", ".join(names_of_labels(e.labels[k] for k in np.argsort(column)))
        yield (
            f"{100 * gain / counts.sum():.0f} % more of the decisions by {shown} would be "
            f"right if its columns were {printable(labels)}: are they in the order of the labels?"
        )


def _is_hard(e: Evaluation, name: str, cases: Mapping[str, Cases]) -> bool:
    """Tell decisions: forecasts that are all 0 or 1."""
    if e.task == "binary":
        sure = e.certain[name]
        return math.isclose(sure.never + sure.always, e.total, rel_tol=SAME_SUM)
    if name not in cases:
        return False
    p = cases[name].p
    return bool(namespace(p).all((p == 0) | (p == 1)))


def _copies(e: Evaluation, cases: Mapping[str, Cases]) -> dict[str, str]:
    """Find models with the forecasts of one before; only those of the same score are compared."""
    result: dict[str, str] = {}
    for one, other in combinations(cases, 2):
        first, second = (e.scores[name][e.primary].value for name in (one, other))
        if other in result or not math.isclose(first, second, rel_tol=SAME_SUM):
            continue
        p, q = cases[one].p, cases[other].p
        if p.shape == q.shape and bool(namespace(p).all(p == q)):
            result[other] = one
    return result
