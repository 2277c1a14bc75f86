"""Checks of data: columns by themselves, forecasts beside outcomes, weights, clusters, times."""

from __future__ import annotations

import math
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import numpy as np

from properly._boundary._arrays import CENSORED, HUGE, SOFT, TINY
from properly._boundary._classes import DISTRIBUTION, several_labels, sum_slack
from properly._boundary._libraries import infinities
from properly._boundary._text import capitalized, first_of, many, quoted
from properly._boundary._tolerances import UNIT_SUM
from properly.evaluation._checkup._sheet import ClassForecast, EventForecast, RawColumn, Sheet
from properly.evaluation._checkup._symptom import Flags, Symptom, finding, said, so_many, some_of
from properly.inference._averages import FEW_CLUSTERS, FIXED_CLUSTERS
from properly.inference._design import TIMES
from properly.typing import Column, Floats


def unreadable(sheet: Sheet) -> Iterator[Symptom]:
    """Find what is no column at all, such as a single number or rows of unequal length."""
    for column in sheet.columns:
        if column.fault:
            words = said("unreadable", fault=column.fault)
            yield finding("problem", column.name, len(column), *words)


def wrong_shape(sheet: Sheet) -> Iterator[Symptom]:
    """Find several columns where one is needed, or one where there should be one a class."""
    for column in sheet.models.values():
        if column.is_table != sheet.of_event or (column.fault and not len(column)):
            continue
        which = "several_columns" if sheet.of_event else "single_column"
        words = said(which, columns=column.values.shape[-1])
        yield finding("problem", column.name, len(column), *words)
    for column in (*[sheet.outcome][: sheet.of_event], *sheet.beside.values()):
        if column.is_table:
            words = said("table", columns=column.values.shape[1])
            yield finding("problem", column.name, len(column), *words)


def no_rows(sheet: Sheet) -> Iterator[Symptom]:
    """Find a table without rows: a filter that let nothing through."""
    if not sheet.outcome.fault and not len(sheet.outcome):
        yield finding("problem", "outcome", 0, *said("no_rows"))


def lengths(sheet: Sheet) -> Iterator[Symptom]:
    """Find columns of different lengths: rows that do not belong together."""
    rows = len(sheet.outcome)
    if sheet.outcome.fault and not rows:
        return
    for column in sheet.columns[1:]:
        if len(column) != rows and (len(column) or not column.fault):
            words = said("lengths", rows=many(len(column), "row"), outcomes=many(rows, "row"))
            yield finding("problem", column.name, len(column), *words)


def missing(sheet: Sheet) -> Iterator[Symptom]:
    """Find missing values: nothing is filled in or left out in silence."""
    for column in sheet.columns:
        bad = column.rows_with(column.missing)
        if bad.any():
            some = _some(bad, column, sheet, "missing")
            drop = "Drop that row first" if bad.sum() == 1 else "Drop those rows first"
            first = capitalized(CENSORED)[:-1] if column is sheet.outcome else drop
            yield finding("problem", column.name, bad, *said("missing", some=some, first=first))


def text(sheet: Sheet) -> Iterator[Symptom]:
    """Find text where numbers should be; if all is text, the entries that read as none."""
    for column in _of_numbers(sheet):
        if column.text.any():
            yield _about_text(column)


def infinite(sheet: Sheet) -> Iterator[Symptom]:
    """Find infinite numbers, as a division by zero leaves them."""
    for column in _of_numbers(sheet):
        bad = column.rows_with(np.isinf(column.numbers))
        if bad.any():
            some = _some(bad, column, sheet, "infinite")
            yield finding("problem", column.name, bad, *said("infinite", some=some))


def identical(sheet: Sheet) -> Iterator[Symptom]:
    """Find models with the same forecasts: a column that was copied, or read twice."""
    first: dict[bytes, str] = {}
    for column in sheet.models.values():
        if column.missing.all():
            continue
        other = first.setdefault(_digest(column), column.name)
        if other != column.name:
            words = said("identical", other=quoted(other))
            yield finding("oddity", column.name, len(column), *words)


COLUMNS = (unreadable, wrong_shape, no_rows, lengths, missing, text, infinite, identical)


def _of_numbers(sheet: Sheet) -> list[RawColumn]:
    """Name the columns that must hold numbers."""
    amounts = (sheet.beside.get(name) for name in ("weight", "count"))
    return [*sheet.models.values(), *(x for x in amounts if x is not None)]


def _some(bad: Flags, column: RawColumn, sheet: Sheet, what: str) -> str:
    """Say how many entries are missing or infinite, and call them by what they are."""
    count = int(bad.sum())
    if column.is_table:
        has = "has" if count == 1 else "have"
        return f"{count:,} of {many(len(column), 'row')} {has} {what} entries"
    name = column.name if column.name in ("outcome", "weight", "count") else "value"
    entry = "forecast" if sheet.models.get(column.name) is column else name
    return f"{so_many(count, len(column), entry)} {what}"


def _about_text(column: RawColumn) -> Symptom:
    strange = column.text & np.isnan(column.numbers)
    everything = bool((column.text | column.missing).all())
    flags = strange if everything and strange.any() else column.text
    bad, value = column.rows_with(flags), column.values[flags][0]
    has = "has" if bad.sum() == 1 else "have"
    numbers = {"count": f"{bad.sum():,}", "rows": many(len(column), "row"), "has": has}
    what = "all" if everything and not strange.any() else "what"
    advice = "decimals" if isinstance(value, str) and _reads_with_point(value) else "advice"
    words = said("text", what, advice, value=quoted(value), **numbers)
    return finding("problem", column.name, bad, *words)


def _reads_with_point(value: str) -> bool:
    """Tell numbers with a decimal comma or a percent sign."""
    try:
        float(value.replace(",", ".").rstrip(" %"))
    except ValueError:
        return False
    return "," in value or "%" in value


def _digest(column: RawColumn) -> bytes:
    # What is not a number is compared as it was given, such as "10%".
    others = column.values[np.isnan(column.numbers) & ~column.missing].tolist()
    what = repr((column.values.shape, others)).encode()
    # Adding 0 makes -0.0 and 0.0 one number, as they are to any rule.
    return blake2b(what + (column.numbers + 0.0).tobytes()).digest()


# Repeated rows are worth a word from this share on.
REPEATED = 0.01
# One case that holds more than this share of the weight decides much by itself.
HEAVY = 0.05


def repeated_rows(sheet: Sheet) -> Iterator[Symptom]:
    """Find rows that are there twice: they count twice, and intervals come out too narrow.

    Only forecasts with more than three decimals count, of more than one row in a hundred. Equal
    predictors make equal forecasts, too, but then outcomes differ now and then; where they differ
    less than a quarter as often as chance would have it, rows were copied. That cannot be told if
    chance would let fewer than two sets of equal forecasts have different outcomes.
    """
    forecast = _codes_of_forecasts(sheet)
    if forecast is None:
        return
    outcome = sheet.outcome.codes
    both = forecast * (outcome.max() + 2) + outcome
    first = np.unique(both, return_index=True)[1]
    again = _has_digits(sheet)
    again[first] = False
    if again.sum() <= REPEATED * len(both) or _differ_as_by_chance(forecast, outcome, first):
        return
    yield from some_of("oddity", "rows", again, *said("repeated_rows"), of="row")


def amounts(sheet: Sheet, name: str, least: str) -> Iterator[Symptom]:
    """Find weights, or counts, that are negative, or all zero."""
    x = sheet.beside[name].numbers
    yield from some_of("problem", name, x < 0, *said("negative", least=least, name=name))
    if len(x) and not ((x < 0) | (x > 0)).any():
        yield finding("problem", name, len(x), *said("none_positive", name=name))


def bad_weights(sheet: Sheet) -> Iterator[Symptom]:
    """Find weights that are negative or all zero, or so extreme that sums of them overflow."""
    yield from amounts(sheet, "weight", "A case counts nothing at least")
    w = sheet.beside["weight"].numbers
    extreme = ((w > 0) & (w < TINY)) | (np.isfinite(w) & (w > HUGE))
    words = said("extreme_weights", tiny=TINY, huge=HUGE)
    yield from some_of("problem", "weight", extreme, *words)


def weights(sheet: Sheet) -> Iterator[Symptom]:
    """Find weights that may be counts, or leave one case, or few, to decide."""
    yield from bad_weights(sheet)
    w = sheet.weight
    if w is None:
        return
    if (w == np.rint(w)).all() and w.min() < w.max():
        yield finding("note", "weight", len(w), *said("whole_weights"))
    if len(w) > 1 / HEAVY and w.max() > HEAVY * w.sum():
        words = said("heavy", share=w.max() / w.sum())
        yield finding("oddity", "weight", w > HEAVY * w.sum(), *words)


def counts(sheet: Sheet) -> Iterator[Symptom]:
    """Find numbers of cases that are negative, fractions or all zero."""
    yield from amounts(sheet, "count", "A row stands for no case at least")
    k = sheet.beside["count"].numbers
    broken = np.isfinite(k) & (k != np.floor(k))
    yield from some_of("problem", "count", broken, *said("broken_counts"))


def clusters(sheet: Sheet) -> Iterator[Symptom]:
    """Find clusters that are too few to tell how they vary, or that say nothing."""
    column = sheet.beside["clusters"]
    count, rows = len(column.distinct), int((~column.missing).sum())
    if count == 1 and rows > 1:
        yield finding("problem", "clusters", rows, *said("single_cluster"))
    elif 1 < count < FEW_CLUSTERS:
        advice = "fixed" if count < FIXED_CLUSTERS and "time" in sheet.beside else "advice"
        numbers = {"clusters": many(count, "cluster"), "least": FEW_CLUSTERS}
        words = said("few_clusters", "what", advice, **numbers)
        yield finding("oddity", "clusters", rows, *words)


def text_times(sheet: Sheet) -> Iterator[Symptom]:
    """Find times that are text, which would be put in the order of letters."""
    column = sheet.beside["time"]
    if column.values.dtype.kind not in "OSU":
        return
    text = np.array([isinstance(x, str | bytes) for x in column.values.tolist()], dtype=bool)
    text &= ~column.missing
    if text.any():
        words = said("text_times", value=quoted(column.values[int(np.argmax(text))]))
        yield from some_of("problem", "time", text, *words)


def times(sheet: Sheet) -> Iterator[Symptom]:
    """Find text, and several cases at one time without a name for what comes again.

    That rows are not in order is fine.
    """
    yield from text_times(sheet)
    column = sheet.beside["time"]
    present = column.values[~column.missing]
    if "clusters" not in sheet.beside and TIMES <= len(column.distinct) < len(present):
        most = int(np.bincount(column.codes[column.codes >= 0]).max())
        words = said("same_time", cases=many(most, "case"))
        yield finding("note", "time", len(present), *words)


BESIDE = {"weight": weights, "count": counts, "clusters": clusters, "time": times}


def design_symptoms(sheet: Sheet) -> Iterator[Symptom]:
    """Look at what is known of rows besides outcomes and forecasts."""
    yield from repeated_rows(sheet)
    for name, check in BESIDE.items():
        if name in sheet.beside and not sheet.beside[name].is_table:
            yield from check(sheet)


def _codes_of_forecasts(sheet: Sheet) -> Column | None:
    """Give rows numbers by all their forecasts; None if all rows differ, or columns do not fit."""
    rows = len(sheet.outcome)
    tables = list(sheet.models.values())
    if rows < 2 or sheet.outcome.is_table or any(len(x) != rows for x in tables):
        return None
    if any(len(event.distinct) == rows for event in sheet.events):
        return None
    code = np.zeros(rows, dtype=np.intp)
    for column in tables:
        for numbers in np.atleast_2d(column.numbers.T):
            distinct, rank = np.unique(numbers, return_inverse=True)
            both, code = np.unique(code * len(distinct) + rank.reshape(-1), return_inverse=True)
            code = code.reshape(-1)
            if len(both) == rows:
                return None
    return code


def _has_digits(sheet: Sheet) -> Flags:
    """Tell rows in which some forecast has more than three decimals."""
    rows = np.zeros(len(sheet.outcome), dtype=bool)
    for column in sheet.models.values():
        with infinities():
            off = np.abs(column.numbers * 1000 - np.rint(column.numbers * 1000))
        rows |= column.rows_with(off > 1e-6)
    return rows


def _differ_as_by_chance(forecast: Column, outcome: Column, first: Column) -> bool:
    """Tell whether rows with equal forecasts have different outcomes, as independent cases do.

    `first` has one row for each forecast with each of its outcomes. Expected is how many sets of
    equal forecasts would have more than one outcome if outcomes were drawn with the shares that
    they have in all such sets together.
    """
    size = np.bincount(forecast)
    tied = size[forecast] > 1
    share = np.bincount(outcome[tied] + 1) / tied.sum()
    alike = sum(x ** size[size > 1] for x in share if x > 0)
    expected = float((1 - alike).sum())
    differ = int((np.bincount(forecast[first]) > 1).sum())
    return expected < 2 or 4 * differ >= expected


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


def perfect(model: EventForecast) -> Iterator[Symptom]:
    """Find forecasts that know the outcome: so good that something has leaked."""
    if model.is_outcome:
        yield finding("problem", model.name, len(model.column), *said("leak", "itself"))
        return
    if model.scored is None or model.area is None or not _has_enough(model):
        return
    y, p = model.scored
    off = float(np.abs(y - p).max())
    if off < NEAR or model.area.value > ALMOST:
        words = said("leak", "near" if off < NEAR else "what", off=off)
        yield finding("oddity", model.name, len(model.column), *words)


def inverted(model: EventForecast) -> Iterator[Symptom]:
    """Find an order that is worse than chance (99.9 % interval): often the label is reversed."""
    if model.area is None or not _has_enough(model):
        return
    area = model.area.value
    if not area + SURE * model.area.standard_error < 0.5:
        return
    label = model.sheet.pos_label
    named = "pos_label=, --event" if label is None else f"pos_label={quoted(label)}"
    words = said("inverted", area=area, named=named)
    yield finding("oddity", model.name, len(model.column), *words)


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
    weighted = "" if weight is None else "weighted "
    words = said("mean_far_off", mean=mean, weighted=weighted, rate=rate)
    yield finding("oddity", model.name, len(model.column), *words)


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


def scale(model: EventForecast) -> Iterator[Symptom]:
    """Find percent, logits and other numbers that are no probabilities: a score needs these."""
    numbers = model.column.numbers
    bad = np.isfinite(numbers) & ((numbers < 0) | (numbers > 1))
    if not bad.any():
        return
    finite = numbers[np.isfinite(numbers)]
    some = so_many(int(bad.sum()), len(finite), "forecast")
    ends = {"low": finite.min(), "high": finite.max(), "value": numbers[bad][0]}
    words = said(_scale_of(finite, numbers[bad]), some=some, **ends)
    yield finding("problem", model.name, bad, *words)


def constant(model: EventForecast) -> Iterator[Symptom]:
    """Find a forecast that never changes: it cannot tell cases apart, and may be a default."""
    if len(model.p) < 2 or model.p.min() != model.p.max() or np.isinf(model.p[0]):
        return
    words = said("constant", forecasts=many(len(model.p), "forecast"), value=model.p[0])
    yield finding("oddity", model.name, len(model.column), *words)


def hard_labels(model: EventForecast) -> Iterator[Symptom]:
    """Find forecasts of 0 and 1 only: decisions, whose every mistake costs infinity in logs."""
    if not model.inside or model.distinct.tolist() != [0.0, 1.0] or model.is_outcome:
        return
    yield finding("oddity", model.name, len(model.column), *said("hard_labels"))


def certain(model: EventForecast) -> Iterator[Symptom]:
    """Find forecasts of exactly 0 or 1 that were wrong, among others: the log is infinite."""
    if model.used is None or model.distinct.tolist() in ([0.0, 1.0], [0.0], [1.0]):
        return
    p = model.column.numbers
    sure = (p == 0) | (p == 1)
    wrong = sure & model.used & (p != model.sheet.happened)
    if wrong.any():
        some = so_many(int(sure.sum()), len(model.p), "forecast")
        words = said("certain", some=some, mistakes=_mistakes(p[wrong]))
        yield finding("oddity", model.name, wrong, *words)


FORECAST = (scale, constant, hard_labels, certain)


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
    distinct = len(sheet.outcome.labels)
    if hard:
        words = said("swapped", "hard", "swap", distinct=distinct, name=quoted(hard[0]))
    else:
        soft = f" {capitalized(SOFT)}" if any(x.inside for x in sheet.events) else ""
        words = said("swapped", distinct=distinct, soft=soft)
    yield finding("problem", WHERE, between, *words)


def many_labels(sheet: Sheet) -> Iterator[Symptom]:
    """Find more than two labels: an event happens or does not."""
    labels = sheet.outcome.labels
    if len(labels) <= 2 or _holds_probabilities(sheet):
        return
    rare = _code_for_unknown(labels)
    often = first_of(f"{quoted(label)} ({count:,})" for label, count in labels.items())
    bad: Any = len(sheet.outcome)
    advice = "advice"
    if rare is not None:
        bad = np.array([label == rare for label in sheet.outcome.values.tolist()], dtype=bool)
        advice = "rare"
    named = {"labels": often, "last": quoted(next(reversed(labels))), "rare": quoted(rare)}
    yield finding("problem", WHERE, bad, *said("many_labels", "what", advice, **named))


def unnamed_event(sheet: Sheet) -> Iterator[Symptom]:
    """Find two labels that do not say which is the event: a guess would be wrong half the time."""
    labels = list(sheet.outcome.labels)
    if sheet.pos_label is not None or len(labels) > 2 or set(labels) <= {0, 1}:
        return
    option = "" if isinstance(labels[-1], bytes) else f", or --event {_on_command_line(labels[-1])}"
    named = {"labels": first_of(map(quoted, labels)), "last": quoted(labels[-1])}
    words = said("unnamed_event", option=option, **named)
    yield finding("problem", WHERE, len(sheet.outcome), *words)


def unknown_event(sheet: Sheet) -> Iterator[Symptom]:
    """Find an event that is not among the labels: it would never have happened."""
    labels, event = list(sheet.outcome.labels), sheet.pos_label
    if event is None or len(labels) != 2 or event in labels:
        return
    alike = [label for label in labels if str(label) == str(event)]
    one = alike[0] if alike else labels[-1]
    named = {"event": quoted(event), "labels": first_of(map(quoted, labels)), "named": quoted(one)}
    named |= {"of_event": type(event).__name__, "of_label": type(one).__name__}
    words = said("unknown_event", "what", "alike" if alike else "advice", **named)
    yield finding("problem", WHERE, len(sheet.outcome), *words)


def few_events(sheet: Sheet) -> Iterator[Symptom]:
    """Find fewer than 10 events or non-events, so that chance decides most; or one outcome alone.

    Without both outcomes, nothing can be told apart and no skill be measured.
    """
    if sheet.happened is None:
        return
    known, happened = int(sheet.observed.sum()), int(sheet.happened.sum())
    if happened in (0, known):
        when = "happened each time" if happened else "never happened"
        words = said("one_outcome", happened=when, rows=many(known, "row"))
        yield finding("problem", WHERE, len(sheet.happened), *words)
    events = int(sheet.times[sheet.happened].sum())
    others = int(sheet.times[sheet.observed].sum()) - events
    if not 0 < min(events, others) < FEW_OUTCOMES:
        return
    kind, count = ("event", events) if events <= others else ("non-event", others)
    rows = sheet.observed & (sheet.happened == (kind == "event"))
    numbers = {"verb": "is" if count == 1 else "are", "cases": many(count, kind), "kind": kind}
    yield finding("oddity", WHERE, rows, *said("few_events", least=FEW_OUTCOMES, **numbers))


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


def unknown_labels(model: ClassForecast) -> Iterator[Symptom]:
    """Find outcomes in words, or labels, that do not say what the columns stand for."""
    outcome, columns = model.sheet.outcome, many(model.count, "column")
    labels = first_of(map(quoted, outcome.labels if model.labels is None else model.labels))
    if model.labels is None:
        what, given = "what", 0
    elif len(model.labels) != model.count:
        what, given = "other", len(model.labels)
    elif outcome.is_table and outcome.values.shape[1] != model.count:
        what, given = "rows", outcome.values.shape[1]
    else:
        return
    words = said("unknown_labels", what, columns=columns, labels=labels, given=given)
    yield finding("problem", model.name, len(model.column), *words)


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
    do, have = ("does", "has") if bad.sum() == 1 else ("do", "have")
    numbers = {"bad": bad.sum(), "worst": worst, "total": total[worst], "low": p[bad].min()}
    numbers |= {"rows": many(int(finite.sum()), "row"), "do": do, "have": have}
    what = "negative" if (p[bad] < 0).any() else "what"
    words = said("sums", what, _shape_of_rows(p[bad], total[bad]), **numbers)
    yield finding("problem", model.name, bad, *words)


def outside_classes(model: ClassForecast) -> Iterator[Symptom]:
    """Find outcomes that are none of the classes: no column says how likely they were."""
    bad, outcome = model.outside, model.sheet.outcome
    if not bad.any():
        return
    if outcome.is_table:
        better = several_labels(model.count) if model.has_several_labels else DISTRIBUTION
        yield finding("problem", "outcome", bad, *said("no_single_one", better=capitalized(better)))
        return
    numbers = list(range(1, model.count + 1))
    advice = "from_one" if set(outcome.labels) <= set(numbers) else "advice"
    named = {"labels": first_of(map(quoted, model.labels or ())), "numbers": numbers}
    named["value"] = quoted(outcome.values[bad][0])
    yield finding("problem", "outcome", bad, *said("outside_classes", "what", advice, **named))


def impossible(model: ClassForecast) -> Iterator[Symptom]:
    """Find classes that happened though their probability was 0: the log score is infinite."""
    y, p = model.happened, model.column.numbers
    # The logarithm of a probability is 0 if that is 1.
    if y is None or (p < 0).any():
        return
    given = np.take_along_axis(p, np.maximum(y, 0)[:, None], axis=1)[:, 0]
    bad = (y >= 0) & (given == 0)
    if not bad.any():
        return
    words = said("impossible", rows=many(int(bad.sum()), "row"))
    yield finding("oddity", model.name, bad, *words)


TABLES = (unknown_labels, sums, outside_classes)
CLASSES = (*TABLES, impossible)


@infinities()
def _shape_of_rows(p: Floats, total: Floats) -> str:
    """Guess, for the advice only, what rows that do not sum to one are."""
    if (p <= 0).all() and np.allclose(np.exp(p).sum(axis=1), 1, atol=1e-3):
        return "logarithms"
    if (p < 0).any():
        return "logits"
    if np.allclose(total, 100, rtol=1e-2):
        return "percent"
    return "zeros" if (total == 0).any() else "advice"
