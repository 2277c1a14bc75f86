"""`Summary`: sums and counts of rows that need not fit into memory; summaries add.

Below the record stand the labels of groups, on which batches, shards and files must agree whichever
comes first, and the storage: a summary as words and columns that a file can hold, and back.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from properly._boundary._arrays import MOST
from properly._boundary._files import require, write_whole
from properly._boundary._libraries import read_only, to_numpy
from properly._boundary._record import Adds
from properly._boundary._stored import StoredKind, packed, unpacked
from properly._boundary._text import many, printable
from properly.counts._cases import numbered
from properly.counts._tally import Tally, require_one_kind, sums_of, tally_of_sums, weight_of_each
from properly.engines._score_sums import COUNTED, ScoreSums, keys_of, rows_in_use
from properly.errors import DataError
from properly.rules import Rule
from properly.rules._parse import parse_rule
from properly.typing import Column

Part = TypeVar("Part")

# In the order in which one of several equal labels is kept, such as 1, 1.0 and True.
KINDS = (int, float, bool, str)
COLUMNS = ("value", "weight", "events", "event_squares", "nonevent_squares")
SUMMARIES = StoredKind(
    "summary",
    writers="Summary.save and Stream.save write them.",
    remedy="save it, or copy it, once more.",
    smaller="take fewer cells, or fewer groups.",
    largest=2**32,
)
# Up to this many distinct forecasts are kept as they are; more are grouped into cells.
MOST_DISTINCT = 1_000_000
CELLS = 100_000


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Adds):
    """All that an evaluation needs of rows that need not fit into memory.

    Made by `properly.stream` and `properly.summarize`, judged by `properly.evaluate`. Summaries of
    different rows add, also with `sum`. Counts are exact, and sums agree to a relative 1e-12
    however rows were ordered or shared out.

    Attributes
    ----------
    sums : ScoreSums
        Sums of losses, of their squares and of paired differences.
    tallies : dict of Tally
        What happened at each forecast, or in each cell of forecasts, by model. Of classes, by model
        and question: ``(model, ("class", k))`` and ``(model, ("above", k))``.
    groups : dict of Summary
        The same of each group, by its label.
    labels : tuple or None
        The labels of classes; None of an event.
    confusion : dict of arrays
        Of classes, by model: weights by what happened (row) and by the likeliest class (column).
    notes : tuple of str
        What is to be noted.

    Examples
    --------
    >>> import properly
    >>> stream = properly.stream()
    >>> stream.add([0, 1, 1], {"a": [0.1, 0.6, 0.8], "b": [0.3, 0.3, 0.9]})
    >>> summary = stream.summary()
    >>> summary
    Summary(3 rows, 2 models, 2 rules)
    >>> summary.tallies["b"]
    Tally(3 cases at 2 distinct forecasts, event rate 0.6667)
    >>> summary + summary
    Summary(6 rows, 2 models, 2 rules)
    """

    sums: ScoreSums
    tallies: Mapping[Any, Tally]
    groups: Mapping[Any, Summary] = field(default_factory=dict)
    labels: tuple[Any, ...] | None = None
    confusion: Mapping[str, Column] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for table in self.confusion.values():
            read_only(table)

    @classmethod
    def of_rows(
        cls,
        rules: Sequence[Rule],
        y: Column,
        forecasts: Mapping[str, Column],
        weight: Column | None = None,
        *,
        times: Column | None = None,
        groups: Column | None = None,
        cells: int | None = None,
    ) -> Summary:
        """Sum up rows of one event that have been checked.

        Parameters
        ----------
        rules : sequence of BinaryRule
            What forecasts are priced by.
        y : numpy array of bool
            Whether the event happened.
        forecasts : dict of numpy arrays
            Probabilities of the event, by model.
        weight : numpy array, optional
            Sampling weights.
        times : numpy array of int64, optional
            How many like cases each row stands for.
        groups : numpy array, optional
            The group of each row.
        cells : int, optional
            Group forecasts into so many cells, also where they are few.
        """
        names = tuple(forecasts)
        sums = ScoreSums.of_rows(names, rules, y, forecasts, weight, times=times)
        tallies = {
            name: Tally.from_arrays(y, p.astype(np.float64, copy=False), weight, times)
            for name, p in forecasts.items()
        }
        if cells is not None:
            tallies = {name: tally.group(cells) for name, tally in tallies.items()}
        parts: dict[Any, Summary] = {}
        if groups is not None:
            used = rows_in_use(len(y), weight, times)
            number, labels = numbered(groups[used])
            for k, label in enumerate(plain_labels(labels, groups.dtype)):
                rows = used[number == k]
                forecast = {name: p[rows] for name, p in forecasts.items()}
                some, cases = (None if x is None else x[rows] for x in (weight, times))
                own: dict[str, Any] = {"times": cases, "cells": cells}
                parts[label] = cls.of_rows(rules, y[rows], forecast, some, **own)
        return cls(sums, tallies, in_order(parts)).bounded()

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return self.sums.models

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that forecasts were priced by."""
        return self.sums.rules

    @property
    def rows(self) -> int:
        """The number of cases of positive weight: rows, or what they count for."""
        return int(self.sums.totals["rows",])

    @property
    def total(self) -> int | float:
        """Number of cases, or their total weight; equal weights only count."""
        if self.has_weights and not self.is_weighted:
            return self.rows
        total = next(iter(self.tallies.values())).total
        return total if isinstance(total, int) else self.sums.totals["weight",]

    @property
    def has_weights(self) -> bool:
        """Whether rows came with sampling weights, equal or not; else cases were counted."""
        return self.is_weighted or any(map(weight_of_each, self.tallies.values()))

    @property
    def is_weighted(self) -> bool:
        """Whether some cases weigh more than others."""
        return any(tally.event_squares is not None for tally in self.tallies.values())

    @property
    def event_rate(self) -> float:
        """Share of the cases, or of their weight, that had the event; NaN of classes."""
        return self.sums.mean("event") if self.sums.classes is None else math.nan

    def bounded(self) -> Summary:
        """Group forecasts into cells where too many are distinct, of all rows or of the groups."""
        tallies = {
            key: x.group(CELLS) if x.cells is None and len(x) > MOST_DISTINCT else x
            for key, x in self.tallies.items()
        }
        parts = {key: _bounded([g.tallies[key] for g in self.groups.values()]) for key in tallies}
        groups = {
            label: replace(group, tallies={key: parts[key][k] for key in tallies})
            for k, (label, group) in enumerate(self.groups.items())
        }
        return replace(self, tallies=tallies, groups=groups)

    def __add__(self, other: object) -> Summary:
        """Put summaries of different rows together."""
        if not isinstance(other, Summary):
            return NotImplemented
        self.require_alike(other)
        return Summary(
            self.sums + other.sums,
            {key: tally + other.tallies[key] for key, tally in self.tallies.items()},
            joined(self.groups, other.groups),
            self.labels,
            {key: x + other.confusion[key] for key, x in self.confusion.items()},
            # In an order that does not depend on which came first.
            tuple(sorted({*self.notes, *other.notes})),
        ).bounded()

    def __repr__(self) -> str:
        sizes = {"row": self.rows, "model": len(self.models), "rule": len(self.rules)}
        if self.groups:
            sizes["group"] = len(self.groups)
        return f"Summary({', '.join(many(size, what) for what, size in sizes.items())})"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the summary to one file, whole or not at all; a file of that name is replaced.

        It is JSON with a checksum, with arrays in base64 and nothing in it to run. Equal summaries
        have equal bytes.

        Parameters
        ----------
        path : str or path
            The name of the file.

        Returns
        -------
        Path
            Where it was written.
        """
        return write_whole(str(path), SUMMARIES.written(content_of(self))[0])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Summary:
        """Read a summary that was saved; a damaged or foreign file is refused.

        Parameters
        ----------
        path : str or path
            The name of the file.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import properly
        >>> stream = properly.stream()
        >>> stream.add([0, 1, 1], [0.1, 0.6, 0.8])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = stream.save(Path(folder) / "monday.summary")
        ...     print(properly.Summary.load(path))
        Summary(3 rows, 1 model, 2 rules)
        """
        content, _ = SUMMARIES.read(path)
        return SUMMARIES.made(content, printable(str(path)), summary_of, content_of)

    def require_alike(self, other: Summary) -> None:
        """Refuse what cannot be put together; sums say themselves what they need."""
        if self.labels != other.labels:
            message = (
                f"summaries that are added must have the same labels; got {self.labels} and "
                f"{other.labels}"
            )
            raise DataError(message)
        if bool(self.groups) != bool(other.groups):
            message = "summaries that are added must all have groups, or none; one has none"
            raise DataError(message)
        require_one_kind(not self.has_weights, not other.has_weights)


def _bounded(tallies: list[Tally]) -> list[Tally]:
    """Group all in the same way, the more the more groups there are, until they are not too many.

    By their distinct forecasts, or cells, together: by nothing that the order of rows could change.
    """
    grouped = [x.cells for x in tallies if x.cells is not None]
    if grouped:
        tallies = [x if x.cells == min(grouped) else x.group(min(grouped)) for x in tallies]
    while sum(map(len, tallies)) > MOST_DISTINCT:
        cells = tallies[0].cells
        if cells is not None and cells % 10:
            break
        coarser = CELLS if cells is None else cells // 10
        tallies = [x.group(coarser) for x in tallies]
    return tallies


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
    # The first of several equal keys is kept.
    labels = sorted(chain(one, other), key=lambda x: (*KINDS, type(x)).index(type(x)))
    parts: dict[Any, Any] = {
        label: sum(x[label] for x in (one, other) if label in x) for label in labels
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


def content_of(summary: Summary) -> dict[str, Any]:
    """Write a summary: what is common to all rows, then all rows, then each group."""
    sums, labels = summary.sums, summary.labels
    parts = [(None, summary), *summary.groups.items()]
    return {
        "models": list(sums.models),
        "rules": [_text_of(rule) for rule in sums.rules],
        "clustered": sums.clustered,
        "labels": None if labels is None else plain_labels(labels),
        "parts": [_content_of_part(*part) for part in parts],
    }


def summary_of(content: Mapping[str, Any]) -> Summary:
    """Make a summary of its content; refuse what no rows could have been summed up to."""
    labels = None if content["labels"] is None else tuple(content["labels"])
    require(labels is None or len(labels) > 1)
    models = tuple(content["models"])
    rules = tuple(parse_rule(text) for text in content["rules"])
    require(models and all(type(name) is str for name in models) and rules)
    classes = None if labels is None else len(labels)
    bare = ScoreSums(models, rules, classes, content["clustered"] is True, {})
    whole, *parts = (_part(bare, labels, part) for part in content["parts"])
    first, *names = (part["group"] for part in content["parts"])
    require(first is None and None not in names)
    names = [float(name["float"]) if isinstance(name, dict) else name for name in names]
    require(all(list(part.tallies) == list(whole.tallies) for part in parts))
    return replace(whole, groups=dict(zip(names, parts, strict=True)))


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


def _content_of_part(label: Any, part: Summary) -> dict[str, Any]:
    """Write what was summed up of all rows, or of a group; JSON has no infinity for its label."""
    is_infinite = type(label) is float and math.isinf(label)
    return {
        "group": {"float": repr(label)} if is_infinite else label,
        "totals": list(part.sums.totals.values()),
        "tallies": [_content_of_tally(key, tally) for key, tally in part.tallies.items()],
        "confusion": {name: packed(table) for name, table in part.confusion.items()},
        "notes": list(part.notes),
    }


def _content_of_tally(key: Any, tally: Tally) -> dict[str, Any]:
    """Write a tally of a model, or of a model and a question."""
    columns = dict(zip(COLUMNS, (tally.value, *sums_of(tally)), strict=False))
    return {
        "of": [key] if isinstance(key, str) else [key[0], *key[1]],
        "cells": tally.cells,
        "unit": weight_of_each(tally),
        "columns": {name: packed(to_numpy(x)) for name, x in columns.items()},
    }


def _part(bare: ScoreSums, labels: tuple[Any, ...] | None, content: Mapping[str, Any]) -> Summary:
    """Read what was summed up of all rows, or of those of a group."""
    models, totals, notes = bare.models, content["totals"], tuple(content["notes"])
    # There are more keys than these, and each has its total: no short text stands for many.
    require(len(totals) >= len(bare.rules) * len(models) ** 2)
    keys = keys_of(models, bare.rules, bare.classes, clustered=bare.clustered)
    sums = replace(bare, totals=dict(zip(keys, totals, strict=True)))
    for key, total in sums.totals.items():
        require(type(total) is int or (key[0] not in COUNTED and type(total) is float))
    tallies = {_key(x["of"], bare): _tally(x) for x in content["tallies"]}
    require(bare.classes is not None or tuple(tallies) == models)
    confusion = {name: _array(x) for name, x in content["confusion"].items()}
    require(set(confusion) <= set(models) and all(type(note) is str for note in notes))
    for table in confusion.values():
        require(table.shape == (bare.classes, bare.classes) and (table >= 0).all())
    return Summary(sums, tallies, {}, labels, confusion, notes)


def _tally(content: Mapping[str, Any]) -> Tally:
    """Make a tally; refuse what no counting could have given."""
    cells, unit, stored = content["cells"], content["unit"], content["columns"]
    columns = {name: _array(stored[name]) for name in COLUMNS[: len(stored)]}
    require(cells is None or (type(cells) is int and cells > 0))
    require(len(columns) in (3, 5))
    require(unit is None or (type(unit) is float and 0 < unit < math.inf and len(columns) == 3))
    tally = Tally(**columns, cells=cells)
    require(to_numpy(tally.weight).sum(dtype=np.float64) < MOST)
    return tally if unit is None else tally_of_sums(list(columns.values()), cells, unit)


def _array(content: dict[str, Any]) -> Column:
    column = unpacked(content)
    return column if column.dtype == np.float64 else column.astype(np.int64)


def _key(flat: Any, bare: ScoreSums) -> Any:
    model, *question = flat
    require(model in bare.models)
    if not question:
        return model
    kind, number = question
    require(kind in ("class", "above") and number in range(bare.classes or 0))
    return model, (kind, number)
