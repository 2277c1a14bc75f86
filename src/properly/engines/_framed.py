"""Forecasts in a frame: read if they fit in memory, else summed up where they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from properly._boundary._arrays import event_label
from properly._boundary._labels import check_labels
from properly.engines._reading import MOST_ROWS
from properly.engines._reading import as_roles
from properly.engines._reading import count_rows
from properly.engines._reading import read_frame
from properly.engines._summarize import summarize_frame
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from properly.engines._roles import Roles
    from properly.engines._summary import Summary
    from properly.rules import Rule

BY_SUMS = ("weight", "groups", "clusters")


@dataclass(frozen=True, eq=False)
class Framed:
    """A frame, and what its columns are.

    Attributes
    ----------
    frame : data frame
        Of any library, eager or lazy.
    roles : Roles
        The columns of outcomes, forecasts, weights, groups and clusters.
    others : dict of str
        The columns of what only rows can tell: times and strata.
    labels : tuple or None
        Of classes, what each column stands for; of an event, both labels.
    pos_label : label or None
        The label of the event.
    """

    frame: Any
    roles: Roles
    others: dict[str, str]
    labels: tuple[Any, ...] | None
    pos_label: object

    @classmethod
    def of(
        cls,
        frame: Any,
        outcome: str | None,
        forecasts: Any,
        *,
        task: str,
        known: Mapping[str, Any],
        labels: Sequence[object] | None = None,
        pos_label: object = None,
    ) -> Framed:
        """Take the names of columns, and refuse those that are not there."""
        roles = as_roles(frame, outcome, forecasts, task, **known)
        others = {
            what: column
            for what, column in known.items()
            if what not in BY_SUMS and column is not None
        }
        if task == "binary" and any(len(columns) > 1 for columns in roles.forecasts.values()):
            message = "a model of one event has one column of forecasts; the task is 'binary'"
            raise DataError(message)
        found = None if labels is None else tuple(labels)
        classes = len(next(iter(roles.forecasts.values())))
        if found is not None and classes > 1:
            check_labels(found, classes)
        elif found is not None:
            pos_label = event_label(found, pos_label)
        return cls(frame, roles, others, found, pos_label)

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        return count_rows(self.frame)

    @property
    def fits(self) -> bool:
        """Whether the rows are read into memory."""
        return self.rows <= MOST_ROWS

    @property
    def has_classes(self) -> bool:
        """Whether forecasts are of several classes."""
        return any(len(columns) > 1 for columns in self.roles.forecasts.values())

    def read(self) -> tuple[Any, dict[str, Any], dict[str, Any]]:
        """Read outcomes, forecasts by model, and what else is known, as arrays."""
        kinds = {"pos_label": self.pos_label, "labels": self.labels}
        return read_frame(self.frame, self.roles, self.others, **kinds)  # type: ignore[arg-type]

    def summary(
        self,
        rules: Sequence[Rule],
        cells: int | None = None,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> Summary:
        """Sum up rows inside their engine."""
        for what in self.others:
            message = (
                f"{what} needs the rows in memory, up to {MOST_ROWS:,}; the frame has {self.rows:,}"
            )
            raise DataError(message, hint=f"leave out {what}, or take a part of the rows.")
        return summarize_frame(
            self.frame,
            self.roles,
            rules,
            pos_label=self.pos_label,
            labels=self.labels,
            cells=cells,
            progress=progress,
        )
