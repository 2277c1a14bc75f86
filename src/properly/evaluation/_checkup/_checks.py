"""Checks of data: columns by themselves, forecasts beside outcomes, weights, clusters, times."""

from __future__ import annotations

import math
from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._arrays import CENSORED, HUGE, SOFT, TINY
from properly._boundary._classes import DISTRIBUTION, several_labels, sum_slack
from properly._boundary._libraries import infinities
from properly._boundary._text import capitalized, first_of, many, quoted
from properly._boundary._tolerances import UNIT_SUM
from properly.evaluation._checkup._symptom import Flags, Symptom, finding, so_many, some_of
from properly.inference._averages import FEW_CLUSTERS, FIXED_CLUSTERS
from properly.inference._design import TIMES
from properly.typing import Column, Floats

if TYPE_CHECKING:
    from properly.evaluation._checkup._sheet import ClassForecast, EventForecast, RawColumn, Sheet

DROPPING = 'missing="drop"'
ONE_ROW = "Every column needs one row a case, in the same order. Were rows filtered in one of them?"


def unreadable(sheet: Sheet) -> Iterator[Symptom]:
    """Find what is no column at all, such as a single number or rows of unequal length."""
    for column in sheet.columns:
        if column.fault:
            advice = "Pass a list, an array or a column of one dimension, with one entry a case."
            yield finding("problem", column.name, len(column), column.fault, advice)


def wrong_shape(sheet: Sheet) -> Iterator[Symptom]:
    """Find several columns where one is needed, or one where there should be one a class."""
    for column in sheet.models.values():
        if column.is_table != sheet.of_event or (column.fault and not len(column)):
            continue
        what = "it has one column, though several classes are forecast"
        advice = "Pass one column a class, or task='binary' for all models."
        if sheet.of_event:
            what = f"it has {column.values.shape[1]} columns, though one event is forecast"
            advice = "Pass the column of the event, such as p[:, 1], or task='multiclass'."
        yield finding("problem", column.name, len(column), what, advice)
    for column in (*[sheet.outcome][: sheet.of_event], *sheet.beside.values()):
        if column.is_table:
            what = f"it has {column.values.shape[1]} columns instead of one"
            yield finding("problem", column.name, len(column), what, "Pass one entry a case.")


def no_rows(sheet: Sheet) -> Iterator[Symptom]:
    """Find a table without rows: a filter that let nothing through."""
    if not sheet.outcome.fault and not len(sheet.outcome):
        advice = "Is this the right file, and did a filter let nothing through?"
        yield finding("problem", "outcome", 0, "there are no rows", advice)


def lengths(sheet: Sheet) -> Iterator[Symptom]:
    """Find columns of different lengths: rows that do not belong together."""
    rows = len(sheet.outcome)
    if sheet.outcome.fault and not rows:
        return
    for column in sheet.columns[1:]:
        if len(column) != rows and (len(column) or not column.fault):
            what = f"it has {many(len(column), 'row')}, the outcome {many(rows, 'row')}"
            yield finding("problem", column.name, len(column), what, ONE_ROW)


def missing(sheet: Sheet) -> Iterator[Symptom]:
    """Find missing values: nothing is filled in or left out in silence."""
    for column in sheet.columns:
        bad = column.rows_with(column.missing)
        if bad.any():
            what = _some(bad, column, sheet, "missing")
            them = "that row" if bad.sum() == 1 else "those rows"
            advice = f"Drop {them} first, or pass {DROPPING} as files are read."
            if column is sheet.outcome:
                advice = f"{capitalized(CENSORED)[:-1]}, or pass {DROPPING} as files are read."
            yield finding("problem", column.name, bad, what, advice)


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
            what = _some(bad, column, sheet, "infinite")
            advice = "Find where they come from, such as a division by zero or an overflow."
            yield finding("problem", column.name, bad, what, advice)


def identical(sheet: Sheet) -> Iterator[Symptom]:
    """Find models with the same forecasts: a column that was copied, or read twice."""
    first: dict[bytes, str] = {}
    for column in sheet.models.values():
        if column.missing.all():
            continue
        other = first.setdefault(_digest(column), column.name)
        if other != column.name:
            what = f"its forecasts are those of {quoted(other)}, to the last digit"
            advice = "Was a column copied or read twice? Leave one of the two out."
            yield finding("oddity", column.name, len(column), what, advice)


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
    what = f"{bad.sum():,} of {many(len(column), 'row')} {has} no number but {quoted(value)}"
    if everything and not strange.any():
        what = f"all numbers are written as text, such as {quoted(value)}"
    advice = "Convert text to numbers first."
    if isinstance(value, str) and _reads_with_point(value):
        advice = "Write decimals with a point, not a comma, and without a percent sign."
    return finding("problem", column.name, bad, what, advice)


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
    what = "like an earlier one, to the last digit"
    advice = (
        "Were files joined twice, or cases oversampled? Drop the copies, or name what they have in "
        "common: clusters=, --clusters."
    )
    yield from some_of("oddity", "rows", again, what, advice, of="row")


def amounts(sheet: Sheet, name: str, least: str) -> Iterator[Symptom]:
    """Find weights, or counts, that are negative, or all zero."""
    x = sheet.beside[name].numbers
    advice = f"{least}; drop those rows, or mend their {name}s."
    yield from some_of("problem", name, x < 0, "negative", advice)
    if len(x) and not ((x < 0) | (x > 0)).any():
        advice = f"Pass {name}s of which some are positive, or none at all."
        yield finding("problem", name, len(x), f"no {name} is positive", advice)


def bad_weights(sheet: Sheet) -> Iterator[Symptom]:
    """Find weights that are negative or all zero, or so extreme that sums of them overflow."""
    yield from amounts(sheet, "weight", "A case counts nothing at least")
    w = sheet.beside["weight"].numbers
    extreme = ((w > 0) & (w < TINY)) | (np.isfinite(w) & (w > HUGE))
    what, advice = f"below {TINY:g} or above {HUGE:g}", "Rescale them; only their ratios matter."
    yield from some_of("problem", "weight", extreme, what, advice)


def weights(sheet: Sheet) -> Iterator[Symptom]:
    """Find weights that may be counts, or leave one case, or few, to decide."""
    yield from bad_weights(sheet)
    w = sheet.weight
    if w is None:
        return
    if (w == np.rint(w)).all() and w.min() < w.max():
        what = "all weights are whole numbers"
        advice = "Weights are sampling weights; for numbers of like cases pass count=, --count."
        yield finding("note", "weight", len(w), what, advice)
    if len(w) > 1 / HEAVY and w.max() > HEAVY * w.sum():
        what = f"the heaviest case holds {w.max() / w.sum():.1%} of the weight"
        advice = (
            "Is this weight right? Scores depend on that case; look at it, or trim the weights."
        )
        yield finding("oddity", "weight", w > HEAVY * w.sum(), what, advice)


def counts(sheet: Sheet) -> Iterator[Symptom]:
    """Find numbers of cases that are negative, fractions or all zero."""
    yield from amounts(sheet, "count", "A row stands for no case at least")
    k = sheet.beside["count"].numbers
    broken = np.isfinite(k) & (k != np.floor(k))
    advice = "Cases are counted in whole numbers; for sampling weights pass weight=, --weight."
    yield from some_of("problem", "count", broken, "no whole number", advice)


def clusters(sheet: Sheet) -> Iterator[Symptom]:
    """Find clusters that are too few to tell how they vary, or that say nothing."""
    column = sheet.beside["clusters"]
    count, rows = len(column.distinct), int((~column.missing).sum())
    if count == 1 and rows > 1:
        what, advice = "there is a single cluster", "Without a second one there are no intervals."
        yield finding("problem", "clusters", rows, what, advice)
    elif 1 < count < FEW_CLUSTERS:
        what = f"there are only {many(count, 'cluster')}"
        advice = (
            f"Intervals from fewer than {FEW_CLUSTERS} clusters are rough, and often too narrow."
        )
        if count < FIXED_CLUSTERS and "time" in sheet.beside:
            advice += " So few are better fixed: name them groups instead, and keep the times."
        yield finding("oddity", "clusters", rows, what, advice)


def text_times(sheet: Sheet) -> Iterator[Symptom]:
    """Find times that are text, which would be put in the order of letters."""
    column = sheet.beside["time"]
    if column.values.dtype.kind not in "OSU":
        return
    text = np.array([isinstance(x, str | bytes) for x in column.values.tolist()], dtype=bool)
    text &= ~column.missing
    if text.any():
        what = f"text, such as {quoted(column.values[int(np.argmax(text))])}"
        advice = "Make numbers or dates of them first, which have an order."
        yield from some_of("problem", "time", text, what, advice)


def times(sheet: Sheet) -> Iterator[Symptom]:
    """Find text, and several cases at one time without a name for what comes again.

    That rows are not in order is fine.
    """
    yield from text_times(sheet)
    column = sheet.beside["time"]
    present = column.values[~column.missing]
    if "clusters" not in sheet.beside and TIMES <= len(column.distinct) < len(present):
        most = int(np.bincount(column.codes[column.codes >= 0]).max())
        what = f"up to {many(most, 'case')} have the same time, and there are no clusters"
        advice = (
            "Intervals are right if cases of one time share what happens to all (Driscoll and "
            "Kraay), and wrong if a station, or whatever is seen again and again, is lastingly "
            "off. Then name its column: clusters=, --clusters."
        )
        yield finding("note", "time", len(present), what, advice)


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
LEAK = (
    "Was the outcome, or something known only afterwards, among the predictors, or are these the "
    "rows that the model was trained on?"
)


def perfect(model: EventForecast) -> Iterator[Symptom]:
    """Find forecasts that know the outcome: so good that something has leaked."""
    if model.is_outcome:
        what = "the forecast is the outcome itself, in every row"
        yield finding("problem", model.name, len(model.column), what, LEAK)
        return
    if model.scored is None or model.area is None or not _has_enough(model):
        return
    y, p = model.scored
    off = float(np.abs(y - p).max())
    what = "every event has a higher forecast than every non-event (AUC 1)"
    if off < NEAR:
        what = f"every forecast is within {off:.2g} of what happened"
    if off < NEAR or model.area.value > ALMOST:
        yield finding("oddity", model.name, len(model.column), what, LEAK)


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
    yield finding("oddity", model.name, len(model.column), what, advice)


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
    yield finding("oddity", model.name, len(model.column), what, advice)


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
    what = f"{so_many(int(bad.sum()), len(finite), 'forecast')} {what}"
    yield finding("problem", model.name, bad, what, advice)


def constant(model: EventForecast) -> Iterator[Symptom]:
    """Find a forecast that never changes: it cannot tell cases apart, and may be a default."""
    if len(model.p) < 2 or model.p.min() != model.p.max() or np.isinf(model.p[0]):
        return
    what = f"all {many(len(model.p), 'forecast')} are {model.p[0]:.6g}"
    advice = "Is this the right column? A constant has no discrimination; evaluate adds one itself."
    yield finding("oddity", model.name, len(model.column), what, advice)


def hard_labels(model: EventForecast) -> Iterator[Symptom]:
    """Find forecasts of 0 and 1 only: decisions, whose every mistake costs infinity in logs."""
    if not model.inside or model.distinct.tolist() != [0.0, 1.0] or model.is_outcome:
        return
    what = "all forecasts are 0 or 1: decisions, not probabilities"
    advice = (
        "Pass probabilities (predict_proba, not predict). Decisions can be scored, but one that is "
        "wrong makes the log score infinite."
    )
    yield finding("oddity", model.name, len(model.column), what, advice)


def certain(model: EventForecast) -> Iterator[Symptom]:
    """Find forecasts of exactly 0 or 1 that were wrong, among others: the log is infinite."""
    if model.used is None or model.distinct.tolist() in ([0.0, 1.0], [0.0], [1.0]):
        return
    p = model.column.numbers
    sure = (p == 0) | (p == 1)
    wrong = sure & model.used & (p != model.sheet.happened)
    if wrong.any():
        what = f"{so_many(int(sure.sum()), len(model.p), 'forecast')} exactly 0 or 1"
        advice = (
            "The log score is infinite, and says so. Compare by Brier, or by thresholds above 0 "
            "and below 1 (within=, --within), or let the model be less sure."
        )
        yield finding("oddity", model.name, wrong, f"{what}, {_mistakes(p[wrong])}", advice)


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
    what = f"outcomes are probabilities: {len(sheet.outcome.labels):,} distinct values in [0, 1]"
    if hard:
        what += f", while the forecast {quoted(hard[0])} has only 0 and 1"
        advice = "Swap the two: outcomes come first, then forecasts; --outcome names the outcome."
    else:
        advice = "Pass what happened, 0 or 1; --outcome names its column."
        if any(x.inside for x in sheet.events):
            advice += f" {capitalized(SOFT)}"
    yield finding("problem", WHERE, between, what, advice)


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
        yield finding("problem", WHERE, len(sheet.outcome), what, advice)
        return
    bad = np.array([label == rare for label in sheet.outcome.values.tolist()], dtype=bool)
    advice = f"If {quoted(rare)} stands for what is not known, drop those rows first."
    yield finding("problem", WHERE, bad, what, advice)


def unnamed_event(sheet: Sheet) -> Iterator[Symptom]:
    """Find two labels that do not say which is the event: a guess would be wrong half the time."""
    labels = list(sheet.outcome.labels)
    if sheet.pos_label is not None or len(labels) > 2 or set(labels) <= {0, 1}:
        return
    label, found = quoted(labels[-1]), first_of(map(quoted, labels))
    what = f"labels must be 0 and 1, or say which is the event; found {found}"
    option = "" if isinstance(labels[-1], bytes) else f", or --event {_on_command_line(labels[-1])}"
    advice = f"Say which label is the event: pos_label={label}{option}, if it is that one."
    yield finding("problem", WHERE, len(sheet.outcome), what, advice)


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
    yield finding("problem", WHERE, len(sheet.outcome), what, advice)


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
        yield finding("problem", WHERE, len(sheet.happened), what, advice)
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
    yield finding("oddity", WHERE, rows, what, advice)


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
    yield finding("problem", model.name, len(model.column), what, advice)


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
    yield finding("problem", model.name, bad, what, _mend(p[bad], total[bad]))


def outside_classes(model: ClassForecast) -> Iterator[Symptom]:
    """Find outcomes that are none of the classes: no column says how likely they were."""
    bad, outcome = model.outside, model.sheet.outcome
    if not bad.any():
        return
    if outcome.is_table:
        what = "an outcome in a row must have a single 1 and otherwise 0; it has something else"
        advice = several_labels(model.count) if model.has_several_labels else DISTRIBUTION
        advice = capitalized(advice)
        yield finding("problem", "outcome", bad, what, advice)
        return
    named = first_of(map(quoted, model.labels or ()))
    what = f"an outcome must be one of {named}; found {quoted(outcome.values[bad][0])}"
    advice = "Drop those rows, or name the classes in the order of the columns: labels=, --classes."
    if set(outcome.labels) <= set(range(1, model.count + 1)):
        numbers = list(range(1, model.count + 1))
        advice = f"Classes are numbered from 0; if yours are from 1, write labels={numbers}."
    yield finding("problem", "outcome", bad, what, advice)


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
    what = f"in {many(int(bad.sum()), 'row')} the class that happened had the probability 0"
    advice = "The log score is infinite, and says so. Compare by Brier or RPS as well."
    yield finding("oddity", model.name, bad, what, advice)


TABLES = (unknown_labels, sums, outside_classes)
CLASSES = (*TABLES, impossible)


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
