"""`Summary`: sums and counts of rows that need not fit into memory; summaries add.

Below the record stand the labels of groups, on which batches, shards and files must agree whichever
comes first, and the storage: a summary as words and columns that a file can hold, and back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from properly._boundary._arrays import MOST
from properly._boundary._files import pack, refusing, require, unpack, write_whole
from properly._boundary._libraries import read_only
from properly._boundary._text import many
from properly.counts._cases import numbered
from properly.counts._tally import require_one_kind
from properly.engines import _cell_counts
from properly.engines._cell_counts import MOMENT, SQUARE, Counts
from properly.engines._exact_sums import UNIT, ScoreSums, Total, keys_of
from properly.engines._long_integers import BASE
from properly.errors import DataError
from properly.rules._parse import parse_rule

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from properly.counts._tally import Tally
    from properly.rules import Rule
    from properly.typing import Column

    Words = Mapping[str, Any]
    Columns = Mapping[str, Column]

Part = TypeVar("Part")

# In the order in which one of several equal labels is kept, such as 1, 1.0 and True.
KINDS = (int, float, bool, str)
COLUMNS = ("place", "weight", "events", "event_squares", "nonevent_squares", "moment")


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """All that an evaluation needs of rows that need not fit into memory.

    Made by `properly.stream` and `properly.summarize`, judged by `properly.evaluate`. Summaries of
    different rows add, also with `sum`. Nothing depends on how rows were ordered or shared out:
    sums of losses are exact, and so are counts, unless weights are fractions.

    Attributes
    ----------
    sums : ScoreSums
        Sums of losses, of their squares and of paired differences.
    counts : dict of Counts
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
    counts: Mapping[Any, Counts]
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
        counts = {
            name: Counts.of_rows(y, p, weight, cells, times=times) for name, p in forecasts.items()
        }
        parts: dict[Any, Summary] = {}
        if groups is not None:
            used = _rows_in_use(len(y), weight, times)
            number, labels = numbered(groups[used])
            for k, label in enumerate(plain_labels(labels, groups.dtype)):
                rows = used[number == k]
                forecast = {name: p[rows] for name, p in forecasts.items()}
                some, cases = (None if x is None else x[rows] for x in (weight, times))
                own: dict[str, Any] = {"times": cases, "cells": cells}
                parts[label] = cls.of_rows(rules, y[rows], forecast, some, **own)
        return cls(sums, counts, in_order(parts)).bounded()

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
        return self.sums.totals["rows",].scaled // UNIT

    @property
    def total(self) -> int | float:
        """Number of cases, or their total weight; equal weights only count."""
        if self.has_weights and not self.is_weighted:
            return self.rows
        total = self.sums.totals["weight",]
        whole = not any(counts.is_fractional for counts in self.counts.values())
        return total.scaled // UNIT if whole else float(total)

    @property
    def has_weights(self) -> bool:
        """Whether rows came with sampling weights, equal or not; else cases were counted."""
        return any(counts.is_weighted for counts in self.counts.values())

    @property
    def is_weighted(self) -> bool:
        """Whether some cases weigh more than others."""
        if self.has_weights:
            return not all(counts.has_equal_weights for counts in self.counts.values())
        # Files of old have whole weights as counts, but sums of the rows.
        names = ("rows", "weight", "row_squares")
        return len({self.sums.totals[name,].scaled for name in names}) > 1

    @property
    def event_rate(self) -> float:
        """Share of the cases, or of their weight, that had the event; NaN of classes."""
        totals = self.sums.totals
        return totals["event",].over(totals["weight",]) if self.sums.classes is None else math.nan

    @property
    def tallies(self) -> dict[Any, Tally]:
        """The counts as tallies, by model, or by model and question."""
        return {key: counts.tally() for key, counts in self.counts.items()}

    def bounded(self) -> Summary:
        """Group forecasts into cells where too many are distinct, of all rows or of the groups."""
        counts = {key: x.bounded() for key, x in self.counts.items()}
        if not self.groups:
            return replace(self, counts=counts)
        parts = {key: _bounded([g.counts[key] for g in self.groups.values()]) for key in counts}
        groups = {
            label: replace(group, counts={key: parts[key][k] for key in counts})
            for k, (label, group) in enumerate(self.groups.items())
        }
        return replace(self, counts=counts, groups=groups)

    def __add__(self, other: object) -> Summary:
        """Put summaries of different rows together."""
        if not isinstance(other, Summary):
            return NotImplemented
        self.require_alike(other)
        return Summary(
            self.sums + other.sums,
            {key: counts + other.counts[key] for key, counts in self.counts.items()},
            joined(self.groups, other.groups),
            self.labels,
            {key: x + other.confusion[key] for key, x in self.confusion.items()},
            # In an order that does not depend on which came first.
            tuple(sorted({*self.notes, *other.notes})),
        ).bounded()

    def __radd__(self, other: object) -> Summary:
        """Let `sum` begin with its 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __repr__(self) -> str:
        sizes = {"row": self.rows, "model": len(self.models), "rule": len(self.rules)}
        if self.groups:
            sizes["group"] = len(self.groups)
        return f"Summary({', '.join(many(size, what) for what, size in sizes.items())})"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the summary to one file, whole or not at all; a file of that name is replaced.

        It is a zip archive of a JSON text and of numpy arrays, with nothing in it to run. Equal
        summaries have equal bytes.

        Parameters
        ----------
        path : str or path
            The name of the file.

        Returns
        -------
        Path
            Where it was written.
        """
        return write_whole(str(path), pack(*words_and_columns(self)))

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
        words, columns = unpack(path)
        with refusing(path):
            return _stored_summary(words, columns)

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


def _rows_in_use(size: int, weight: Column | None, times: Column | None) -> Column:
    """Return the numbers of the rows that weigh and count for anything."""
    used = np.full(size, True)
    for amount in (weight, times):
        if amount is not None:
            used &= amount > 0
    return np.flatnonzero(used)


def _bounded(counts: list[Counts]) -> list[Counts]:
    """Group all in the same way, the more the more groups there are, until they are not too many.

    By their distinct forecasts, or cells, together: by nothing that the order of rows could change.
    """
    grouped = [x.cells for x in counts if x.cells is not None]
    if grouped:
        counts = [x.grouped(min(grouped)) for x in counts]
    while sum(map(len, counts)) > _cell_counts.MOST_DISTINCT:
        cells = counts[0].cells
        if cells is not None and cells % 10:
            break
        coarser = _cell_counts.CELLS if cells is None else cells // 10
        counts = [x.grouped(coarser) for x in counts]
    return counts


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
    weights = words.get("weights")
    _require_range(weights, weighted="event_squares" in columns)
    ends = None if weights is None else (weights[0], weights[1])
    counts = Counts(**columns, least=least, cells=cells, weights=ends)
    _require_places(counts.place, cells)
    _require_counts(counts)
    _require_sums(counts)
    return counts


def _require_range(weights: Any, *, weighted: bool) -> None:
    """Ask for the least and the largest weight, if there are weights and both were kept."""
    if weights is not None:
        require(weighted and type(weights) is list and len(weights) == 2)
        require(all(type(x) in (int, float) for x in weights))
        require(0 < weights[0] <= weights[1] < math.inf)


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


def _stored_summary(words: Words, columns: Columns) -> Summary:
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
    groups = {name: Summary(**part) for name, part in zip(names[1:], parts, strict=True)}
    return Summary(**whole, groups=groups)


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
            | {"cells": x.cells, "least": text_of(x.least), "weights": x.weights}
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
    keys = keys_of(models, bare.rules, bare.classes, clustered=bare.clustered)
    if bare.clustered and len(totals) == len(keys) - 2:
        # Files of old have squares of clusters without their correction.
        keys = keys[:-2]
    counts = {
        _key(x["of"], bare): stored_counts(x, _below(columns, k))
        for k, x in enumerate(words["counts"])
    }
    sums = replace(bare, totals=dict(zip(keys, totals, strict=True)))
    require(bare.classes is not None or tuple(counts) == models)
    require(set(words["confusion"]) <= set(models))
    for k in range(len(words["confusion"])):
        table = columns[f"confusion/{k}"]
        require(table.shape == (bare.classes, bare.classes) and (table >= 0).all())
    require(all(type(note) is str for note in words["notes"]))
    return {
        "sums": sums,
        "counts": {key: _with_range(x, sums) for key, x in counts.items()},
        "confusion": {name: columns[f"confusion/{k}"] for k, name in enumerate(words["confusion"])},
        "notes": tuple(words["notes"]),
    }


def _with_range(counts: Counts, sums: ScoreSums) -> Counts:
    """Tell by the sums whether weights are all the same, where a file of old does not say so.

    The mean square is at least the square of the mean, and more unless all are equal.
    """
    if not counts.is_weighted or counts.weights is not None:
        return counts
    rows, weight, squares = (
        sums.totals[name,].scaled for name in ("rows", "weight", "row_squares")
    )
    if rows == 0 or rows * squares != weight**2:
        return counts
    each = weight / rows
    return replace(counts, weights=(each, each))


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
