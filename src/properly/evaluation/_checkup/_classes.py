"""What may be wrong or odd about class probabilities and classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._classes import DISTRIBUTION, several_labels, sum_slack
from properly._boundary._infinities import infinities
from properly._boundary._text import first_of, many, quoted
from properly.evaluation._checkup._sheet import OUTSIDE
from properly.evaluation._checkup._symptom import Symptom, capitalized, of_column, of_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.evaluation._checkup._sheet import ClassForecast
    from properly.typing import Floats


# Columns are put in other orders for up to so many classes.
MOST = 8
# Another order must be right this much more often, and this many standard errors.
BETTER, SURE = 0.1, 3.29
# With fewer cases of a class, that none is decided right is no wonder.
ENOUGH = 10


def unknown_labels(model: ClassForecast) -> Iterator[Symptom]:
    """Find outcomes in words, or labels, that do not say what the columns stand for."""
    outcome, columns = model.sheet.outcome, many(model.count, "column")
    advice = "Give one column a class, and labels=['a', 'b', 'c'] in their order."
    if model.labels is None:
        labels = first_of(map(quoted, outcome.labels))
        what = f"what its {columns} stand for is unknown; outcomes are {labels}"
    elif len(model.labels) != model.count:
        labels = first_of(map(quoted, model.labels))
        what = f"it has {columns} for the {len(model.labels)} labels {labels}"
    elif outcome.is_table and outcome.values.shape[1] != model.count:
        what = f"it has {columns}, the outcomes in rows {outcome.values.shape[1]}"
    else:
        return
    yield of_column("problem", model.name, len(model.column), what, advice)


def sums(model: ClassForecast) -> Iterator[Symptom]:
    """Find rows that do not sum to one: percent, logits, logarithms, or shares left as they are."""
    p = model.column.numbers
    # Probabilities of several labels need not sum to one.
    if model.has_several_labels and not ((p < 0) | (p > 1)).any():
        return
    with infinities():
        total = p.sum(axis=1)
        finite = np.isfinite(total)
        bad = finite & ((np.abs(total - 1) > sum_slack(model.column.values)) | (p < 0).any(axis=1))
    if not bad.any():
        return
    worst = int(np.argmax(np.where(bad, np.abs(total - 1), -1)))
    what = f"{bad.sum():,} of {many(int(finite.sum()), 'row')} "
    if (p[bad] < 0).any():
        what += f"{'has' if bad.sum() == 1 else 'have'} negative entries, "
        what += f"as low as {p[bad].min():.4g}"
    else:
        what += f"{'does' if bad.sum() == 1 else 'do'} not sum to 1; row {worst} sums to "
        what += f"{total[worst]:.6g}, farthest off"
    yield of_rows("problem", model.name, bad, what, _mend(p[bad], total[bad]))


def outside_classes(model: ClassForecast) -> Iterator[Symptom]:
    """Find outcomes that are none of the classes: no column says how likely they were."""
    if not model.has_outside:
        return
    bad = np.asarray(model.happened == OUTSIDE)
    outcome = model.sheet.outcome
    if outcome.is_table:
        what = "an outcome in a row must have a single 1 and otherwise 0; it has something else"
        advice = several_labels(model.count) if model.has_several_labels else DISTRIBUTION
        advice = capitalized(advice)
        yield of_rows("problem", "outcome", bad, what, advice)
        return
    named = first_of(map(quoted, model.labels or ()))
    what = f"an outcome must be one of {named}; found {quoted(outcome.values[bad][0])}"
    advice = "Drop those rows, or name the classes in the order of the columns: labels=, --classes."
    if set(outcome.labels) <= set(range(1, model.count + 1)):
        numbers = list(range(1, model.count + 1))
        advice = f"Classes are numbered from 0; if yours are from 1, write labels={numbers}."
    yield of_rows("problem", "outcome", bad, what, advice)


def unseen_classes(model: ClassForecast) -> Iterator[Symptom]:
    """Find classes that never happened: nothing can be said about forecasts of them."""
    if model.scored is None or model.labels is None:
        return
    seen = np.bincount(model.scored[0], minlength=model.count)
    never = [label for label, cases in zip(model.labels, seen, strict=True) if cases == 0]
    if not never or model.has_outside:
        return
    classes = "this class" if len(never) == 1 else "these classes"
    what = f"{classes} never happened: {first_of(map(quoted, never))}"
    advice = "That is no mistake by itself; calibration and recall of such a class are unknown."
    yield of_column("note", "outcome", len(model.column), what, advice)


def impossible(model: ClassForecast) -> Iterator[Symptom]:
    """Find classes that happened though their probability was 0: the log score is infinite."""
    if model.happened is None or not model.sound:
        return
    y = model.happened
    given = np.take_along_axis(model.column.numbers, np.maximum(y, 0)[:, None], axis=1)[:, 0]
    bad = (y >= 0) & (given == 0)
    if not bad.any():
        return
    what = f"in {many(int(bad.sum()), 'row')} the class that happened had the probability 0"
    advice = "The log score is infinite, and says so. Compare by Brier or RPS as well."
    yield of_rows("oddity", model.name, bad, what, advice)


def never_right(model: ClassForecast) -> Iterator[Symptom]:
    """Find classes that are never decided right: the likeliest class is always another one."""
    if model.scored is None or model.labels is None or not model.sound:
        return
    y, p = model.scored
    right = np.bincount(y[p.argmax(axis=1) == y], minlength=model.count)
    cases = np.bincount(y, minlength=model.count)
    blind = np.flatnonzero((right == 0) & (cases >= ENOUGH))
    if not len(blind):
        return
    classes = [f"{quoted(model.labels[k])} (happened {cases[k]:,} times)" for k in blind]
    what = f"the likeliest class is never right where the outcome was {', '.join(classes)}"
    advice = (
        "Rare classes seldom are the likeliest. "
        "Decide by costs (properly.decisions.decide), not by argmax."
    )
    yield of_column("note", model.name, int(cases[blind].sum()), what, advice)


def order_of_columns(model: ClassForecast) -> Iterator[Symptom]:
    """Find columns in another order than the labels, such as that of the alphabet.

    Each class is matched with the column whose probability rises most where that class happened.
    That must be right in a tenth more of the cases, by 3.29 standard errors of a paired difference.
    """
    if model.scored is None or model.labels is None or not model.sound or model.count > MOST:
        return
    y, p = model.scored
    order = _best_order(y, p, model.count)
    now, then = (table.argmax(axis=1) == y for table in (p, p[:, order]))
    gain = int(then.sum()) - int(now.sum())
    if gain <= BETTER * len(y) or gain <= SURE * np.sqrt((now != then).sum()):
        return
    moved = [k for k in range(model.count) if order[k] != k]
    moves = ", ".join(f"column {order[k]} for {quoted(model.labels[k])}" for k in moved)
    what = (
        f"the likeliest class is right in {now.mean():.1%} of cases, but in {then.mean():.1%} if "
        f"columns change places: {moves}"
    )
    advice = (
        "Are the columns in the order of labels= (--classes)? Sorted labels are no order of grades."
    )
    yield of_column("oddity", model.name, len(model.column), what, advice)


def two_columns(model: ClassForecast) -> Iterator[Symptom]:
    """Find two classes: as an event they have thresholds, decision curves and one score."""
    if model.count != 2 or model.labels is None:
        return
    what = "two columns are taken as two classes"
    advice = "For the evaluation of one event, pass the column of the event, such as p[:, 1]."
    yield of_column("note", model.name, len(model.column), what, advice)


CLASSES = (
    unknown_labels,
    sums,
    outside_classes,
    unseen_classes,
    impossible,
    never_right,
    order_of_columns,
    two_columns,
)


@infinities()
def _mend(p: Floats, total: Floats) -> str:
    """Guess, for the advice only, what rows that do not sum to one are."""
    if (p <= 0).all() and np.allclose(np.exp(p).sum(axis=1), 1, atol=1e-3):
        return "These are logarithms of probabilities: take numpy.exp first."
    if (p < 0).any():
        return "Of logits, take the softmax first: scipy.special.softmax(x, axis=1)."
    if np.allclose(total, 100, rtol=1e-2):
        return "Of percentages, divide by 100 first."
    if (total == 0).any():
        return "Rows of zeros say nothing: drop them, then divide each row by its sum."
    return "Divide each row by its sum: normalize=True, or --normalize. Is a column missing?"


def _best_order(y: Any, p: Floats, count: int) -> Any:
    """Match classes with columns by mean probability given the class, over that of the column."""
    from scipy.optimize import linear_sum_assignment

    total = np.stack([np.bincount(y, column, count) for column in p.T], axis=1)
    mean = total / np.maximum(np.bincount(y, minlength=count), 1)[:, None]
    share = mean / np.maximum(mean.sum(axis=0), np.finfo(float).tiny)
    return linear_sum_assignment(share, maximize=True)[1]
