"""Checks of columns: forecasts, weights, counts, clusters, times and groups."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from properly._boundary._arrays import CENSORED, HUGE, TINY
from properly._boundary._libraries import infinities
from properly._boundary._text import first_of, many, quoted
from properly.evaluation._checkup._symptom import capitalized, of_column, of_rows, so_many, some_of
from properly.inference._averages import FEW_CLUSTERS, FIXED_CLUSTERS
from properly.inference._design import TIMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from properly.evaluation._checkup._sheet import RawColumn, Sheet
    from properly.evaluation._checkup._symptom import Symptom

    Flags: TypeAlias = NDArray[np.bool_]
    from properly.typing import Floats

    Whole: TypeAlias = NDArray[np.intp]


DROPPING = 'missing="drop"'
ONE_ROW = "Every column needs one row a case, in the same order. Were rows filtered in one of them?"


def unreadable(sheet: Sheet) -> Iterator[Symptom]:
    """Find what is no column at all, such as a single number or rows of unequal length."""
    for column in sheet.columns:
        if column.fault:
            advice = "Pass a list, an array or a column of one dimension, with one entry a case."
            yield of_column("problem", column.name, len(column), column.fault, advice)


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
        yield of_column("problem", column.name, len(column), what, advice)
    for column in (*[sheet.outcome][: sheet.of_event], *sheet.beside.values()):
        if column.is_table:
            what = f"it has {column.values.shape[1]} columns instead of one"
            yield of_column("problem", column.name, len(column), what, "Pass one entry a case.")


def no_rows(sheet: Sheet) -> Iterator[Symptom]:
    """Find a table without rows: a filter that let nothing through."""
    if not sheet.outcome.fault and not len(sheet.outcome):
        advice = "Is this the right file, and did a filter let nothing through?"
        yield of_column("problem", "outcome", 0, "there are no rows", advice)


def lengths(sheet: Sheet) -> Iterator[Symptom]:
    """Find columns of different lengths: rows that do not belong together."""
    rows = len(sheet.outcome)
    if sheet.outcome.fault and not rows:
        return
    others = [x for x in sheet.columns[1:] if len(x) or not x.fault]
    models = {len(x) for x in others if x.name in sheet.models}
    if len(models) == 1 and models != {rows} and len(sheet.models) > 1:
        what = f"it has {many(rows, 'row')}, every model {many(models.pop(), 'row')}"
        yield of_column("problem", "outcome", rows, what, ONE_ROW)
        others = [x for x in others if x.name not in sheet.models]
    for column in others:
        if len(column) != rows:
            what = f"it has {many(len(column), 'row')}, the outcome {many(rows, 'row')}"
            yield of_column("problem", column.name, len(column), what, ONE_ROW)


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
            yield of_rows("problem", column.name, bad, what, advice)


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
            yield of_rows("problem", column.name, bad, what, advice)


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
            yield of_column("oddity", column.name, len(column), what, advice)


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
    return of_rows("problem", column.name, bad, what, advice)


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
# Groups with fewer events, or cases, say little.
EVENTS = 10


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


# What a negative weight, or count, would say.
NEGATIVE = {
    "weight": "A case counts nothing at least",
    "count": "A row stands for no case at least",
}


def amounts(sheet: Sheet, name: str) -> Iterator[Symptom]:
    """Find weights, or counts, that are negative, or all zero."""
    x = sheet.beside[name].numbers
    advice = f"{NEGATIVE[name]}; drop those rows, or mend their {name}s."
    yield from some_of("problem", name, x < 0, "negative", advice)
    if len(x) and not ((x < 0) | (x > 0)).any():
        advice = f"Pass {name}s of which some are positive, or none at all."
        yield of_column("problem", name, len(x), f"no {name} is positive", advice)


def zeros(name: str, x: Floats) -> Iterator[Symptom]:
    """Find rows that weigh nothing, or stand for no case: they are left out of every score."""
    if (x > 0).any():
        advice = "Such rows are left out. That is right if it is meant."
        yield from some_of("note", name, x == 0, "zero", advice)


def bad_weights(sheet: Sheet) -> Iterator[Symptom]:
    """Find weights that are negative or all zero, or so extreme that sums of them overflow."""
    yield from amounts(sheet, "weight")
    w = sheet.beside["weight"].numbers
    extreme = ((w > 0) & (w < TINY)) | (np.isfinite(w) & (w > HUGE))
    what, advice = f"below {TINY:g} or above {HUGE:g}", "Rescale them; only their ratios matter."
    yield from some_of("problem", "weight", extreme, what, advice)


def weights(sheet: Sheet) -> Iterator[Symptom]:
    """Find weights that do nothing, may be counts, or leave one case, or few, to decide."""
    yield from bad_weights(sheet)
    w = sheet.weight
    if w is None:
        return
    yield from zeros("weight", w)
    if w.min() == w.max():
        what = f"all weights are {w[0]:.6g}"
        yield of_column("note", "weight", len(w), what, "They change no mean; leave them out.")
        return
    if (w == np.rint(w)).all():
        what = "all weights are whole numbers"
        advice = "Weights are sampling weights; for numbers of like cases pass count=, --count."
        yield of_column("note", "weight", len(w), what, advice)
    if len(w) > 1 / HEAVY and w.max() > HEAVY * w.sum():
        what = f"the heaviest case holds {w.max() / w.sum():.1%} of the weight"
        advice = (
            "Is this weight right? Scores depend on that case; look at it, or trim the weights."
        )
        yield of_rows("oddity", "weight", w > HEAVY * w.sum(), what, advice)
    effective = float(w.sum() ** 2 / (w @ w))
    if effective <= len(w) / 2:
        cases = many(len(w), "case")
        what = f"{cases} of these weights say as much as {effective:,.0f} of equal ones"
        advice = "Expect wide intervals; this is the price of unequal weights."
        yield of_column("note", "weight", len(w), what, advice)


def counts(sheet: Sheet) -> Iterator[Symptom]:
    """Find numbers of cases that are negative, fractions or all zero."""
    yield from amounts(sheet, "count")
    k = sheet.beside["count"].numbers
    broken = np.isfinite(k) & (k != np.floor(k))
    advice = "Cases are counted in whole numbers; for sampling weights pass weight=, --weight."
    yield from some_of("problem", "count", broken, "no whole number", advice)
    yield from zeros("count", k)


def clusters(sheet: Sheet) -> Iterator[Symptom]:
    """Find clusters that are too few to tell how they vary, or that say nothing."""
    column = sheet.beside["clusters"]
    count, rows = len(column.distinct), int((~column.missing).sum())
    if count == 1 and rows > 1:
        what, advice = "there is a single cluster", "Without a second one there are no intervals."
        yield of_column("problem", "clusters", rows, what, advice)
    elif count == rows > 1:
        what = f"every row is a cluster of its own ({count:,})"
        advice = "Leave out clusters=, or name the column of what cases have in common."
        yield of_column("note", "clusters", rows, what, advice)
    elif 1 < count < FEW_CLUSTERS:
        what = f"there are only {many(count, 'cluster')}"
        advice = (
            f"Intervals from fewer than {FEW_CLUSTERS} clusters are rough, and often too narrow."
        )
        if count < FIXED_CLUSTERS and "time" in sheet.beside:
            advice += " So few are better fixed: name them groups instead, and keep the times."
        yield of_column("oddity", "clusters", rows, what, advice)


def groups(sheet: Sheet) -> Iterator[Symptom]:
    """Find groups with fewer than 10 events or non-events, or cases of classes: mere chance."""
    column = sheet.beside["groups"]
    present = column.values[~column.missing]
    if len(column.distinct) == 1:
        what = f"there is a single group, {quoted(present[0])}"
        advice = "There is nothing to compare it with; leave out groups=."
        yield of_column("note", "groups", len(column), what, advice)
        return
    if len(column) != len(sheet.outcome) or not len(present):
        return
    least, unit = _least_in_groups(sheet)
    small = np.flatnonzero(least < EVENTS)
    if not len(small):
        return
    code = column.codes
    names = (column.values[int(np.argmax(code == k))] for k in small)
    counts = (f"{quoted(name)} ({least[k]})" for name, k in zip(names, small, strict=True))
    what = f"{len(small)} of {many(len(least), 'group')} with fewer than {EVENTS} {unit}: "
    advice = "Numbers of such groups are mostly chance; join them with others if that makes sense."
    some = first_of(counts, count=len(small))
    yield of_column("note", "groups", len(small), what + some, advice)


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
    """Find text, a single time, and several cases at one time without a name for what comes again.

    That rows are not in order is fine.
    """
    yield from text_times(sheet)
    column = sheet.beside["time"]
    present = column.values[~column.missing]
    if len(column.distinct) == 1 and len(present) > 1:
        what = f"all rows have the time {quoted(present[0])}"
        advice = "There is nothing to follow over time; leave out time=."
        yield of_column("oddity", "time", len(present), what, advice)
    if "clusters" not in sheet.beside and TIMES <= len(column.distinct) < len(present):
        most = int(np.bincount(column.codes[column.codes >= 0]).max())
        what = f"up to {many(most, 'case')} have the same time, and there are no clusters"
        advice = (
            "Intervals are right if cases of one time share what happens to all (Driscoll and "
            "Kraay), and wrong if a station, or whatever is seen again and again, is lastingly "
            "off. Then name its column: clusters=, --clusters."
        )
        yield of_column("note", "time", len(present), what, advice)


BESIDE = {"weight": weights, "count": counts, "clusters": clusters, "groups": groups, "time": times}


def design_symptoms(sheet: Sheet) -> Iterator[Symptom]:
    """Look at what is known of rows besides outcomes and forecasts."""
    yield from repeated_rows(sheet)
    for name, check in BESIDE.items():
        if name in sheet.beside and not sheet.beside[name].is_table:
            yield from check(sheet)


def _codes_of_forecasts(sheet: Sheet) -> Whole | None:
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


def _differ_as_by_chance(forecast: Whole, outcome: Whole, first: Whole) -> bool:
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


def _least_in_groups(sheet: Sheet) -> tuple[Whole, str]:
    """Count the rarer of events and non-events in each group; cases, where these are classes."""
    code = sheet.beside["groups"].codes
    if sheet.happened is None:
        return np.bincount(code[code >= 0]), "cases"
    used = sheet.observed & (code >= 0)
    ends = int(code.max()) + 1
    sides = [np.bincount(code[used & (sheet.happened == x)], minlength=ends) for x in (0, 1)]
    return np.minimum(*sides), "events or non-events"
