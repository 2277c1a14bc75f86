"""`Summary`: sums and counts of rows that need not fit into memory; summaries add."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._files import pack, refusing, unpack, write_whole
from properly._boundary._libraries import read_only
from properly._boundary._record import many
from properly.counts._cases import numbered
from properly.engines import _counts as _counting
from properly.engines._counts import Counts
from properly.engines._exact import UNIT, ScoreSums
from properly.engines._storage import (
    in_order,
    joined,
    plain_labels,
    stored_summary,
    words_and_columns,
)
from properly.errors import DataError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from properly.counts._tally import Tally
    from properly.rules import Rule
    from properly.typing import Column


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
            Case weights.
        groups : numpy array, optional
            The group of each row.
        cells : int, optional
            Group forecasts into so many cells, also where they are few.
        """
        names = tuple(forecasts)
        sums = ScoreSums.of_rows(names, rules, y, forecasts, weight)
        counts = {name: Counts.of_rows(y, p, weight, cells) for name, p in forecasts.items()}
        parts: dict[Any, Summary] = {}
        if groups is not None:
            used = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0)
            number, labels = numbered(groups[used])
            for k, label in enumerate(plain_labels(labels, groups.dtype)):
                rows = used[number == k]
                forecast = {name: p[rows] for name, p in forecasts.items()}
                some = None if weight is None else weight[rows]
                parts[label] = cls.of_rows(rules, y[rows], forecast, some, cells=cells)
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
        """The number of rows of positive weight."""
        return self.sums.totals["rows",].scaled // UNIT

    @property
    def total(self) -> int | float:
        """Number of cases, or their total weight."""
        total = self.sums.totals["weight",]
        whole = not any(counts.is_fractional for counts in self.counts.values())
        return total.scaled // UNIT if whole else float(total)

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
            return stored_summary(cls, words, columns)

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


def _bounded(counts: list[Counts]) -> list[Counts]:
    """Group all in the same way, the more the more groups there are, until they are not too many.

    By their distinct forecasts, or cells, together: by nothing that the order of rows could change.
    """
    grouped = [x.cells for x in counts if x.cells is not None]
    if grouped:
        counts = [x.grouped(min(grouped)) for x in counts]
    while sum(map(len, counts)) > _counting.MOST_DISTINCT:
        cells = counts[0].cells
        if cells is not None and cells % 10:
            break
        coarser = _counting.CELLS if cells is None else cells // 10
        counts = [x.grouped(coarser) for x in counts]
    return counts
