"""Storage of summaries: counts and sums as words and columns that a file can hold, and back.

And the labels of groups, on which batches, shards and files must agree, whichever comes first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from properly._boundary._arrays import MOST
from properly._boundary._files import require
from properly.engines._counts import MOMENT, SQUARE, Counts
from properly.engines._digits import BASE
from properly.engines._exact import ScoreSums, Total, keys_of
from properly.errors import DataError
from properly.rules._parse import parse_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from properly.engines._summary import Summary
    from properly.rules import Rule
    from properly.typing import Column

    Words = Mapping[str, Any]
    Columns = Mapping[str, Column]


Part = TypeVar("Part")

# In the order in which one of several equal labels is kept, such as 1, 1.0 and True.
KINDS = (int, float, bool, str)
COLUMNS = ("place", "weight", "events", "event_squares", "nonevent_squares", "moment")


def plain_labels(labels: Iterable[Any], kind: np.dtype[Any] | None = None) -> list[Any]:
    """Take text, numbers and truth values as labels: what a file can hold, and give back."""
    # numpy would make numbers of dates.
    plain = [] if kind is not None and kind.kind in "mM" else [_plain(label) for label in labels]
    other = next((label for label in plain if type(label) not in KINDS), None)
    if not plain or other is not None:
        got = type(other).__name__ if plain else kind
        message = f"labels of groups must be text, numbers or truth values; got {got}"
        raise DataError(message, hint="make text of them first.")
    return plain


def in_order(parts: Mapping[Any, Part]) -> dict[Any, Part]:
    """Put parts in the order of their labels, numbers before text."""
    return {label: parts[label] for label in sorted(parts, key=_rank)}


def joined(one: Mapping[Any, Part], other: Mapping[Any, Part]) -> dict[Any, Part]:
    """Put parts of different rows together, and add those of the same label."""
    names = {label: label for label in one}
    for label in other:
        equal = names.get(label, label), label
        names[label] = min(
            equal, key=lambda x: KINDS.index(type(x)) if type(x) in KINDS else len(KINDS)
        )
    parts: dict[Any, Any] = {
        names[label]: sum(x[label] for x in (one, other) if label in x) for label in names
    }
    return in_order(parts)


def _plain(label: Any) -> Any:
    """Make Python's values of numpy's; and one zero of two."""
    value = label.item() if isinstance(label, np.generic) else label
    return value + 0.0 if type(value) is float else value


def _rank(label: Any) -> tuple[str, Any]:
    # Of other kinds, such as dates, each is in order for itself; "" comes before all names.
    number = isinstance(label, int | float)
    return "" if number else type(label).__name__, label


def text_of(total: Total) -> str:
    """Write an exact sum: its digits to the base 16, and how many binary zeros follow."""
    zeros = max((total.scaled & -total.scaled).bit_length() - 1, 0)
    return f"{total.scaled >> zeros:x}p{zeros}"


def total_of(text: str) -> Total:
    """Read an exact sum."""
    digits, zeros = text.split("p")
    require(len(zeros) <= 4)  # no short text stands for a number that fills the memory
    return Total(int(digits, 16) << int(zeros))


def columns_of(counts: Counts) -> dict[str, Column]:
    """Return the columns that there are."""
    columns = {name: getattr(counts, name) for name in COLUMNS}
    return {name: column for name, column in columns.items() if column is not None}


def stored_counts(words: Mapping[str, Any], columns: Mapping[str, Column]) -> Counts:
    """Make counts of words and columns; refuse what no counting could have given."""
    cells = words["cells"]
    least = total_of(words["least"])
    require(cells is None or (type(cells) is int and cells > 0))
    require(least.scaled >= 0)
    counts = Counts(**columns, least=least, cells=cells)
    _require_places(counts.place, cells)
    _require_counts(counts)
    _require_sums(counts)
    return counts


def _require_places(place: Column, cells: int | None) -> None:
    """Ask for forecasts, or numbers of cells, that increase."""
    require(place.ndim == 1 and len(place))
    require(place.dtype.kind == ("f" if cells is None else "i"))
    require(place[0] >= 0 and place[-1] <= (1 if cells is None else cells + 1))
    require((np.diff(place) > 0).all())


def _require_counts(counts: Counts) -> None:
    """Ask for cases everywhere, and no more events."""
    weight, events = counts.weight, counts.events
    require(weight.shape == events.shape == counts.place.shape)
    require(weight.dtype == events.dtype)
    require((weight > 0).all() and (events >= 0).all() and (events <= weight).all())
    require(weight.sum(dtype=np.float64) < (np.inf if counts.is_fractional else MOST))


def _require_sums(counts: Counts) -> None:
    """Ask for the sums that go with the weights: both squares or none, moments in cells only."""
    squares = counts.event_squares, counts.nonevent_squares
    missing = [x is None for x in squares]
    require(all(missing) or not any(missing))
    require((counts.moment is None) == (counts.cells is None))
    require(not (counts.is_fractional and all(missing)))
    for x, digits in ((squares[0], SQUARE), (squares[1], SQUARE), (counts.moment, MOMENT)):
        if x is None:
            continue
        if counts.is_fractional:
            require(x.dtype.kind == "f" and x.shape == counts.place.shape)
            require((x >= 0).all() and (x < np.inf).all())
        else:
            require(x.dtype.kind == "i" and x.shape == (digits, len(counts)))
            require((x >= 0).all() and (x[:-1] < BASE).all())


def words_and_columns(summary: Summary) -> tuple[dict[str, Any], dict[str, Column]]:
    """Write a summary: what is common to all rows, then all rows, then each group."""
    sums, labels = summary.sums, summary.labels
    parts = [(None, summary), *summary.groups.items()]
    words = {
        "models": sums.models,
        "rules": [_text_of(rule) for rule in sums.rules],
        "clustered": sums.clustered,
        "labels": None if labels is None else plain_labels(labels),
        "parts": [{"group": label, **_words(part)} for label, part in parts],
    }
    columns = {
        f"{k}/{name}": column
        for k, (_, part) in enumerate(parts)
        for name, column in _columns(part).items()
    }
    return words, columns


def stored_summary(make: Callable[..., Summary], words: Words, columns: Columns) -> Summary:
    """Make a summary of words and columns; refuse what no rows could have been summed up to."""
    labels = None if words["labels"] is None else tuple(words["labels"])
    require(labels is None or (len(labels) > 1 and all(type(x) in KINDS for x in labels)))
    bare = _bare_sums(words, None if labels is None else len(labels))
    whole, *parts = [
        {"labels": labels, **_part(bare, part, _below(columns, k))}
        for k, part in enumerate(words["parts"])
    ]
    names = [part["group"] for part in words["parts"]]
    require(names[0] is None and all(type(name) in KINDS for name in names[1:]))
    require(len(set(names)) == len(names))
    require(all(list(part["counts"]) == list(whole["counts"]) for part in parts))
    groups = {name: make(**part) for name, part in zip(names[1:], parts, strict=True)}
    return make(**whole, groups=groups)


def _text_of(rule: Rule) -> str:
    """Write a rule as text that it can be read from."""
    text = repr(rule)
    try:
        readable = parse_rule(text) == rule
    except DataError:
        readable = False
    if not readable:
        message = f"a rule is saved as its text, from which it must be read; {text} cannot be"
        raise DataError(message, hint="pickle keeps summaries with rules of one's own.")
    return text


def _words(part: Summary) -> dict[str, Any]:
    return {
        "totals": [text_of(total) for total in part.sums.totals.values()],
        "counts": [
            # A model, or a model and a question.
            {"of": [key] if isinstance(key, str) else [key[0], *key[1]]}
            | {"cells": x.cells, "least": text_of(x.least)}
            for key, x in part.counts.items()
        ],
        "confusion": list(part.confusion),
        "notes": part.notes,
    }


def _columns(part: Summary) -> dict[str, Column]:
    """Name columns by the number of what they belong to."""
    counts = {
        f"{k}/{name}": column
        for k, x in enumerate(part.counts.values())
        for name, column in columns_of(x).items()
    }
    tables = {f"confusion/{k}": x for k, x in enumerate(part.confusion.values())}
    return counts | tables


def _bare_sums(words: Words, classes: int | None) -> ScoreSums:
    """Tell what was summed up, without the sums."""
    models = tuple(words["models"])
    rules = tuple(parse_rule(text) for text in words["rules"])
    require(models and all(type(name) is str for name in models) and rules)
    return ScoreSums(models, rules, classes, words["clustered"] is True, {})


def _part(bare: ScoreSums, words: Words, columns: Columns) -> dict[str, Any]:
    """Read what was summed up of all rows, or of those of a group."""
    models, totals = bare.models, [total_of(text) for text in words["totals"]]
    # There are more keys than these, and each has its total: no short text stands for many.
    require(len(totals) >= len(bare.rules) * len(models) ** 2)
    keys = keys_of(models, bare.rules, bare.classes)
    counts = {
        _key(x["of"], bare): stored_counts(x, _below(columns, k))
        for k, x in enumerate(words["counts"])
    }
    require(bare.classes is not None or tuple(counts) == models)
    require(set(words["confusion"]) <= set(models))
    for k in range(len(words["confusion"])):
        table = columns[f"confusion/{k}"]
        require(table.shape == (bare.classes, bare.classes) and (table >= 0).all())
    require(all(type(note) is str for note in words["notes"]))
    return {
        "sums": replace(bare, totals=dict(zip(keys, totals, strict=True))),
        "counts": counts,
        "confusion": {name: columns[f"confusion/{k}"] for k, name in enumerate(words["confusion"])},
        "notes": tuple(words["notes"]),
    }


def _key(flat: Any, bare: ScoreSums) -> Any:
    model, *question = flat
    require(model in bare.models)
    if not question:
        return model
    kind, number = question
    require(kind in ("class", "above") and number in range(bare.classes or 0))
    return model, (kind, number)


def _below(columns: Columns, number: int) -> dict[str, Column]:
    """Return the columns of a part, under the names that they have within it."""
    start = f"{number}/"
    return {name[len(start) :]: x for name, x in columns.items() if name.startswith(start)}
