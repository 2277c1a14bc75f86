"""What the options leave out, guessed from the columns of files; every guess is printed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import click

from properly._boundary._text import first_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from properly.engines._files._read import Files, Shape

OUTCOMES = ("y", "outcome", "target", "label", "event", "y_true", "observed", "obs")
SHOWN = 20
# Among more columns than these nothing is guessed by a look at all their values, which takes long.
MOST_LOOKED_AT = 500


class Guess:
    """Guesses among the columns that no option names."""

    def __init__(self, files: Files, taken: Iterable[str]) -> None:
        self.files = files
        others = set(taken)
        self.free = [name for name in files.names if name not in others]
        self.said: list[str] = []

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """What the columns are like that no option names."""
        return self.files.shapes(self.free)

    def outcome(self, *, binary: bool) -> str:
        """Take the column that is called like an outcome, or the only one of an event."""
        candidates = [name for name in self.free if name.casefold() in OUTCOMES]
        if not candidates and binary and len(self.free) <= MOST_LOOKED_AT:
            shapes = self.shapes.items()
            candidates = [name for name, x in shapes if x.zero_one and x.least != x.greatest]
        if len(candidates) != 1:
            several = f"{first_of(map(repr, candidates), SHOWN)} could be. " if candidates else ""
            self._refuse(f"Which column is the outcome? {several}Give --outcome COLUMN")
        self.say(f"Took the column {candidates[0]!r} as the outcome; --outcome chooses another.")
        self.free.remove(candidates[0])
        return candidates[0]

    def models(
        self,
        labels: tuple[str, ...] | None,
        *,
        any_numbers: bool = False,
        percent: bool = False,
    ) -> dict[str, tuple[str, ...]]:
        """Take the columns that can be probabilities, or those that are called by the classes.

        If there are none, columns of any numbers may do, to find out what is wrong with them.
        Percentages look like too many other numbers.
        """
        if labels is not None:
            return self._class_models(labels)
        free = self.free if len(self.free) <= MOST_LOOKED_AT else []
        candidates = [name for name in free if not percent and _is_probability(self.shapes[name])]
        if not candidates and any_numbers:
            candidates = [name for name in free if self.shapes[name].letter in "fi"]
        if not candidates:
            self._refuse("Which column is the forecast? Give --forecast COLUMN")
        columns = "column" if len(candidates) == 1 else "columns"
        forecasts = "the forecast" if len(candidates) == 1 else "forecasts"
        taken = f"Took the {columns} {first_of(map(repr, candidates), SHOWN)} as {forecasts}"
        self.say(f"{taken}; --forecast chooses others.")
        return {name: (name,) for name in candidates}

    def _class_models(self, labels: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """Take columns called as the classes, or else all NAME of which NAME_CLASS are there."""
        free = set(self.free)
        if free.issuperset(labels):
            columns = first_of(map(repr, labels), SHOWN)
            self.say(f"Took the columns {columns} as the forecast; --forecast chooses others.")
            return {"forecast": labels}
        last = f"_{labels[0]}"
        starts = [name.removesuffix(last) for name in self.free if name.endswith(last)]
        models = {start: tuple(f"{start}_{label}" for label in labels) for start in starts}
        complete = {start: columns for start, columns in models.items() if free.issuperset(columns)}
        if not complete:
            example = ", ".join(f"NAME_{label}" for label in labels)
            self._refuse(f"Which columns are the forecast? Give --forecast NAME for {example}")
        columns = first_of(map(repr, complete), SHOWN)
        self.say(f"Took the columns that begin with {columns}; --forecast chooses others.")
        return complete

    def say(self, sentence: str) -> None:
        """Print a guess, and keep it."""
        self.said.append(sentence)
        click.echo(sentence, err=True)

    def _refuse(self, question: str) -> NoReturn:
        message = f"{question}; the columns are {first_of(map(repr, self.files.names), SHOWN)}."
        raise click.UsageError(message)


def _is_probability(column: Shape) -> bool:
    """Tell whether a column has fractions between 0 and 1, and nothing else."""
    if column.letter != "f" or column.least is None or column.greatest is None:
        return False
    return column.least >= 0 and column.greatest <= 1
