"""Checks of forecasts beside outcomes: those of one event, and those of classes."""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._arrays import SOFT
from properly._boundary._classes import DISTRIBUTION, several_labels, sum_slack
from properly._boundary._libraries import infinities
from properly._boundary._text import first_of, many, quoted
from properly._boundary._tolerances import UNIT_SUM
from properly.evaluation._checkup._sheet import OUTSIDE
from properly.evaluation._checkup._symptom import capitalized, of_column, of_rows, so_many, some_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.evaluation._checkup._sheet import ClassForecast, EventForecast, Sheet
    from properly.evaluation._checkup._symptom import Symptom
    from properly.typing import Floats


# With fewer events or non-events, a perfect order is no wonder.
ENOUGH = 10
# Standard errors: of an interval of 99.9 %, and from which on a mean is far off.
SURE, FAR = 3.29, 5.0
# The odds of the mean forecast are off by a quarter or more.
QUARTER = 1.25
# Forecasts this near to what happened are as good as equal to it.
NEAR = 0.01
# Rounding may keep an area of 1 from being 1.
ALMOST = 1 - 1e-12
# From so many distinct forecasts on, the same order is not chance.
DISTINCT = 5
LEAK = (
    "Was the outcome, or something known only afterwards, among the predictors, or are these the "
    "rows that the model was trained on?"
)


def perfect(model: EventForecast) -> Iterator[Symptom]:
    """Find forecasts that know the outcome: so good that something has leaked."""
    if model.is_outcome:
        what = "the forecast is the outcome itself, in every row"
        yield of_column("problem", model.name, len(model.column), what, LEAK)
        return
    if model.scored is None or model.area is None or not _has_enough(model):
        return
    y, p = model.scored
    off = float(np.abs(y - p).max())
    what = "every event has a higher forecast than every non-event (AUC 1)"
    if off < NEAR:
        what = f"every forecast is within {off:.2g} of what happened"
    if off < NEAR or model.area.value > ALMOST:
        yield of_column("oddity", model.name, len(model.column), what, LEAK)


def inverted(model: EventForecast) -> Iterator[Symptom]:
    """Find an order that is worse than chance (99.9 % interval): often the label is reversed."""
    if model.area is None or not _has_enough(model):
        return
    area = model.area.value
    if not area + SURE * model.area.standard_error < 0.5:
        return
    what = f"events have lower forecasts than non-events: AUC {area:.3f}, worse than chance"
    label = model.sheet.pos_label
    named = "pos_label=, --event" if label is None else f"pos_label={quoted(label)}"
    advice = f"Is it the probability of the other outcome (1 - p), or the wrong event ({named})?"
    yield of_column("oddity", model.name, len(model.column), what, advice)


def mean_far_off(model: EventForecast) -> Iterator[Symptom]:
    """Find a mean forecast far from the event rate: five standard errors, and the odds a quarter.

    Large data make any difference significant, so the odds of both must differ by a quarter, too.
    """
    if model.scored is None or model.used is None or np.isin(model.scored[1], (0, 1)).all():
        return
    y, p = model.scored
    weight, times = model.sheet.weight, model.sheet.times[model.used]
    w = np.ones(len(p)) if weight is None else weight[model.used]
    total = float(w @ times)
    rate, mean = (float(x * w @ times / total) if total else math.nan for x in (y, p))
    error = math.sqrt(float(w**2 * times @ (p * (1 - p))))
    if not (error > 0 and abs(rate - mean) * total > FAR * error and _odds_differ(rate, mean)):
        return
    of = "the weighted event rate" if weight is not None else "the event rate"
    what = f"the mean forecast is {mean:.4g}, {of} {rate:.4g}"
    advice = (
        "Balanced classes in training, or case-control sampling? If the event has another rate "
        "where the forecasts are used, see properly.counts.with_event_rate; otherwise recalibrate."
    )
    yield of_column("oddity", model.name, len(model.column), what, advice)


def same_order(sheet: Sheet) -> Iterator[Symptom]:
    """Find models with the same ranking: they have one ROC curve, and differ in calibration only.

    The same order of fewer than five distinct forecasts is no wonder.
    """
    first: dict[bytes, EventForecast] = {}
    for model in sheet.events if len(sheet.events) > 1 else ():
        if not model.inside or len(model.distinct) < DISTINCT:
            continue
        ranks = np.unique(model.column.numbers, return_inverse=True)[1]
        other = first.setdefault(blake2b(ranks.tobytes()).digest(), model)
        if other is model or np.array_equal(other.p, model.p):
            continue
        what = f"it ranks the cases exactly as {quoted(other.name)} does"
        advice = "AUC and ROC curve are the same for both; only their calibration differs."
        yield of_column("note", model.name, len(model.column), what, advice)


FIT = (perfect, inverted, mean_far_off)


def _has_enough(model: EventForecast) -> bool:
    if model.scored is None:
        return False
    events = int(model.scored[0].sum())
    return min(events, len(model.scored[0]) - events) >= ENOUGH


def _odds_differ(rate: float, mean: float) -> bool:
    """Tell whether the odds of two shares differ by a quarter or more; 0 and 1 have none."""
    if rate in (0, 1) or mean in (0, 1):
        return False
    logits = [math.log(x) - math.log1p(-x) for x in (rate, mean)]
    return abs(logits[0] - logits[1]) > math.log(QUARTER)


# From this share of values above 1 on, percent are likelier than slips.
SHARE = 0.05
# Few distinct values, and the rows from which on that is worth a word.
FEW_FORECASTS, ENOUGH_FORECASTS = 10, 50
# Where precision runs out, other forecasts lie within so many of its steps.
CLOSE = 64


# What a scale looks like, and what to do about it.
SCALES = {
    "rounding": (
        "outside [0, 1] by less than a millionth, as by rounding",
        "Nothing is clipped for you: numpy.clip(p, 0, 1), if you agree that this is rounding.",
    ),
    "code": (
        "{value:g}, while all others are probabilities: a code for what is missing?",
        "If it is one, drop those rows first.",
    ),
    "logarithms": (
        "negative and none above 0, as logits of rare events or logarithms of probabilities are",
        "Of logits, take the sigmoid 1 / (1 + numpy.exp(-x)) first; of logarithms, numpy.exp(x).",
    ),
    "logits": (
        "outside [0, 1], down to {low:.4g} and up to {high:.4g}, as logits (log-odds) are",
        "Of logits, take the sigmoid first: 1 / (1 + numpy.exp(-x)).",
    ),
    "percent": (
        "above 1, up to {high:.4g}, as percentages are",
        "Of percentages, divide by 100 first.",
    ),
    "outside": (
        "outside [0, 1], from {low:.4g} to {high:.4g}",
        (
            "Nothing is clipped for you. Are these probabilities? Of percentages, divide by 100; "
            "of odds, take x / (1 + x)."
        ),
    ),
}


def scale(model: EventForecast) -> Iterator[Symptom]:
    """Find percent, logits and other numbers that are no probabilities: a score needs these."""
    numbers = model.column.numbers
    bad = np.isfinite(numbers) & ((numbers < 0) | (numbers > 1))
    if not bad.any():
        return
    finite = numbers[np.isfinite(numbers)]
    what, advice = SCALES[_scale_of(finite, numbers[bad])]
    what = what.format(low=finite.min(), high=finite.max(), value=numbers[bad][0])
    rows = len(finite)
    yield from some_of("problem", model.name, bad, what, advice, of="forecast", rows=rows)


def constant(model: EventForecast) -> Iterator[Symptom]:
    """Find a forecast that never changes: it cannot tell cases apart, and may be a default."""
    if len(model.p) < 2 or model.p.min() != model.p.max() or np.isinf(model.p[0]):
        return
    what = f"all {many(len(model.p), 'forecast')} are {model.p[0]:.6g}"
    advice = "Is this the right column? A constant has no discrimination; evaluate adds one itself."
    yield of_column("oddity", model.name, len(model.column), what, advice)


def hard_labels(model: EventForecast) -> Iterator[Symptom]:
    """Find forecasts of 0 and 1 only: decisions, whose every mistake costs infinity in logs."""
    if not model.inside or model.distinct.tolist() != [0.0, 1.0] or model.is_outcome:
        return
    what = "all forecasts are 0 or 1: decisions, not probabilities"
    advice = (
        "Pass probabilities (predict_proba, not predict). Decisions can be scored, but one that is "
        "wrong makes the log score infinite."
    )
    yield of_column("oddity", model.name, len(model.column), what, advice)


def certain(model: EventForecast) -> Iterator[Symptom]:
    """Find forecasts of exactly 0 or 1 among others: one that is wrong makes the log infinite."""
    if not model.inside or model.distinct.tolist() in ([0.0, 1.0], [0.0], [1.0]):
        return
    p = model.column.numbers
    sure = (p == 0) | (p == 1)
    if not sure.any():
        return
    what = f"{so_many(int(sure.sum()), len(model.p), 'forecast')} exactly 0 or 1"
    happened = model.sheet.happened
    is_known = model.used is not None and happened is not None
    wrong = sure & model.used & (p != happened) if is_known else np.zeros(len(sure), dtype=bool)
    if wrong.any():
        yield of_rows("oddity", model.name, wrong, f"{what}, {_mistakes(p[wrong])}", _CERTAIN)
        return
    advice = "Each of them that is wrong makes the log score infinite."
    if is_known:
        advice = "None of them is wrong; a single one would make the log score infinite."
    yield of_rows("note", model.name, sure, what, advice)


_CERTAIN = (
    "The log score is infinite, and says so. Compare by Brier, or by thresholds above 0 and below "
    "1 (within=, --within), or let the model be less sure."
)


def saturated(model: EventForecast) -> Iterator[Symptom]:
    """Find single or half precision that ran into 0 or 1: certainty that nobody meant."""
    kind = _precision(model) if model.inside else None
    if kind is None:
        return
    value, limits = model.distinct, np.finfo(kind)
    at_one = value[-1] == 1 and value[-2] >= 1 - CLOSE * float(limits.eps)
    at_zero = value[0] == 0 and value[1] <= CLOSE * float(limits.tiny)
    if not (at_one or at_zero):
        return
    p = model.column.numbers
    bad = ((p == 1) & at_one) | ((p == 0) & at_zero)
    ends = "0 or 1" if at_one and at_zero else "1" if at_one else "0"
    what, rows = f"rounded to {ends} by {np.dtype(kind).name}", len(model.p)
    advice = "Take the sigmoid or the softmax of the logits in float64: logits.double(), astype."
    yield from some_of("oddity", model.name, bad, what, advice, of="forecast", rows=rows)


def coarse(model: EventForecast) -> Iterator[Symptom]:
    """Find few distinct or rounded forecasts: equal ones are pooled, and tie with thresholds."""
    if not model.inside or len(model.p) < ENOUGH_FORECASTS:
        return
    value = model.distinct
    if 2 < len(value) <= FEW_FORECASTS:
        what = f"there are only {len(value)} distinct forecasts among {len(model.p):,}"
        advice = "Equal forecasts are pooled: the calibration curve has so many points at most."
    elif len(value) > FEW_FORECASTS and bool(
        (np.abs(value * 100 - np.rint(value * 100)) < 1e-5).all()
    ):
        what = f"forecasts are rounded to 2 decimals: {len(value)} distinct ones"
        advice = (
            "Equal forecasts are pooled, and many tie with thresholds such as 0.05, at which one "
            "acts if the forecast is as high. Keep all digits if you can."
        )
    else:
        return
    yield of_column("note", model.name, len(model.column), what, advice)


FORECAST = (scale, constant, hard_labels, certain, saturated, coarse)


def _scale_of(finite: Floats, bad: Floats) -> str:
    """Guess, for the advice only, what numbers some of which lie outside [0, 1] are."""
    low, high = float(finite.min()), float(finite.max())
    if low >= -UNIT_SUM and high <= 1 + UNIT_SUM:
        return "rounding"
    if 2 * len(bad) < len(finite) and bool((bad == bad[0]).all()) and bad[0] == np.rint(bad[0]):
        return "code"
    if high <= 0:
        return "logarithms"
    if low < -UNIT_SUM:
        return "logits"
    share = float((finite > 1).mean())
    return "percent" if 2 < high <= 100 and share >= SHARE else "outside"


def _mistakes(wrong: Floats) -> str:
    """Count the two ways to be certain and wrong."""
    never, always = int((wrong == 0).sum()), int((wrong == 1).sum())
    said = [f"of which {never:,} at 0 though the event happened"] if never else []
    said += [f"{'' if said else 'of which '}{always:,} at 1 though it did not"] if always else []
    return " and ".join(said)


def _precision(model: EventForecast) -> Any:
    """Tell numbers of half and single precision, also where a file has made them double.

    Shares such as 3/64 fit into any precision, so there must be finer ones than 1/1024.
    """
    inner = model.distinct[(model.distinct > 0) & (model.distinct < 1)]
    if len(inner) <= FEW_FORECASTS or (inner * 1024 == np.rint(inner * 1024)).all():
        return None
    for kind in (np.float16, np.float32):
        if (inner.astype(kind) == inner).all():
            return kind
    return None


WHERE = "outcome"
# With fewer events than this, or non-events, intervals are hardly worth their name.
FEW_OUTCOMES = 10
# A label this rare beside two others may be a code for what is not known.
RARE = 0.1


def swapped(sheet: Sheet) -> Iterator[Symptom]:
    """Find probabilities among the outcomes: the commonest mistake is to swap the arguments."""
    if not _holds_probabilities(sheet):
        return
    p = sheet.outcome.numbers
    between = (p > 0) & (p < 1)
    hard = [x.name for x in sheet.events if x.inside and set(x.distinct.tolist()) <= {0.0, 1.0}]
    what = f"outcomes are probabilities: {len(sheet.outcome.labels):,} distinct values in [0, 1]"
    if hard:
        what += f", while the forecast {quoted(hard[0])} has only 0 and 1"
        advice = "Swap the two: outcomes come first, then forecasts; --outcome names the outcome."
    else:
        advice = "Pass what happened, 0 or 1; --outcome names its column."
        if any(x.inside for x in sheet.events):
            advice += f" {capitalized(SOFT)}"
    yield of_rows("problem", WHERE, between, what, advice)


def many_labels(sheet: Sheet) -> Iterator[Symptom]:
    """Find more than two labels: an event happens or does not."""
    labels = sheet.outcome.labels
    if len(labels) <= 2 or _holds_probabilities(sheet):
        return
    rare = _code_for_unknown(labels)
    often = first_of(f"{quoted(label)} ({count:,})" for label, count in labels.items())
    what = f"an event has two labels at most; found {often}"
    if rare is None:
        advice = (
            "Compare with the label of the event, such as "
            f"y == {quoted(next(reversed(labels)))}, or forecast all classes, one column each "
            "(--classes)."
        )
        yield of_column("problem", WHERE, len(sheet.outcome), what, advice)
        return
    bad = np.array([label == rare for label in sheet.outcome.values.tolist()], dtype=bool)
    advice = f"If {quoted(rare)} stands for what is not known, drop those rows first."
    yield of_rows("problem", WHERE, bad, what, advice)


def unnamed_event(sheet: Sheet) -> Iterator[Symptom]:
    """Find two labels that do not say which is the event: a guess would be wrong half the time."""
    labels = list(sheet.outcome.labels)
    if sheet.pos_label is not None or len(labels) > 2 or set(labels) <= {0, 1}:
        return
    label = quoted(labels[-1])
    what = (
        f"labels must be 0 and 1, or say which is the event; found {first_of(map(quoted, labels))}"
    )
    option = "" if isinstance(labels[-1], bytes) else f", or --event {_on_command_line(labels[-1])}"
    advice = f"Say which label is the event: pos_label={label}{option}, if it is that one."
    yield of_column("problem", WHERE, len(sheet.outcome), what, advice)


def unknown_event(sheet: Sheet) -> Iterator[Symptom]:
    """Find an event that is not among the labels: it would never have happened."""
    labels, event = list(sheet.outcome.labels), sheet.pos_label
    if event is None or len(labels) != 2 or event in labels:
        return
    alike = [label for label in labels if str(label) == str(event)]
    what = f"the event {quoted(event)} is not among the labels, {first_of(map(quoted, labels))}"
    named = quoted(alike[0] if alike else labels[-1])
    advice = f"Name one of the labels, such as pos_label={named}; --event."
    if alike:
        kinds = type(event).__name__, type(alike[0]).__name__
        advice = f"Write pos_label={named}: the event is {kinds[0]}, the label {kinds[1]}."
    yield of_column("problem", WHERE, len(sheet.outcome), what, advice)


def few_events(sheet: Sheet) -> Iterator[Symptom]:
    """Find fewer than 10 events or non-events, so that chance decides most; or one outcome alone.

    Without both outcomes, nothing can be told apart and no skill be measured.
    """
    if sheet.happened is None:
        return
    known, happened = int(sheet.observed.sum()), int(sheet.happened.sum())
    if happened in (0, known):
        what = "the event happened each time" if happened else "the event never happened"
        what += f" in {many(known, 'row')} of known outcome"
        advice = (
            "Scores can be computed, but there is no AUC, no skill and no calibration curve. Is "
            "this the right column, and were no rows filtered away?"
        )
        yield of_column("problem", WHERE, len(sheet.happened), what, advice)
    events = int(sheet.times[sheet.happened].sum())
    others = int(sheet.times[sheet.observed].sum()) - events
    if not 0 < min(events, others) < FEW_OUTCOMES:
        return
    kind, count = ("event", events) if events <= others else ("non-event", others)
    rows = sheet.observed & (sheet.happened == (kind == "event"))
    what = f"there {'is' if count == 1 else 'are'} only {many(count, kind)}"
    advice = (
        "Means can be read, differences between models hardly; intervals, AUC and calibration are "
        f"not to be trusted below {FEW_OUTCOMES} {kind}s."
    )
    yield of_rows("oddity", WHERE, rows, what, advice)


LABELS = (swapped, many_labels, unnamed_event, unknown_event)
OUTCOME = (*LABELS, few_events)


def _holds_probabilities(sheet: Sheet) -> bool:
    """Tell numbers in [0, 1], of which some lie between: with text, these are mere labels."""
    labels = sheet.outcome.labels
    if len(labels) <= 2 or not all(isinstance(x, int | float) for x in labels):
        return False
    return bool(min(labels) >= 0 and max(labels) <= 1)


def _code_for_unknown(labels: dict[Any, int]) -> Any:
    """Return a third label that is rare; None if there is none such."""
    if len(labels) != 3:
        return None
    label = min(labels, key=lambda x: labels[x])
    return label if labels[label] <= RARE * sum(labels.values()) and label not in (0, 1) else None


def _on_command_line(label: object) -> str:
    """Write a label as an option takes it: in quotes unless it is a plain word."""
    said = str(label)
    return said if said.replace("_", "").isalnum() else quoted(said)


# Classes

# Columns are put in other orders for up to so many classes.
MOST = 8
# Another order must be right this much more often.
BETTER = 0.1


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


TABLES = (unknown_labels, sums, outside_classes)
CLASSES = (*TABLES, unseen_classes, impossible, never_right, order_of_columns, two_columns)


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
