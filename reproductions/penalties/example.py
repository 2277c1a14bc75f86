"""The motivating example: two forecasts of three classes, by six rules."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from properly._boundary._record import columns_of
from properly._boundary._text import table
from properly.rules import PBS, PLL, Brier, Log
from reproductions.penalties.constants import written
from reproductions.tables import Table, prose, section

A, B, TRUTH = (0.33, 0.34, 0.33), (0.51, 0.49, 0.0), 1
RULES = {
    "Brier": Brier(),
    "log": Log(),
    "PBS": PBS(),
    "PBS, least penalty": PBS(penalty="minimal"),
    "PLL": PLL(),
    "PLL, least penalty": PLL(penalty="minimal"),
}
# What the page of the published package prints as log losses.
README = (0.4685, 0.3098)
DIGITS = 4


@dataclass(frozen=True)
class ExampleRow:
    """The losses of the two forecasts under one rule.

    Attributes
    ----------
    rule : str
        The rule.
    a, b : float
        The loss of A, which names the right class with 34 %, and of B, which gives it 49 % and
        another one 51 %.
    """

    rule: str
    a: float
    b: float

    @property
    def prefers(self) -> str:
        """The forecast with the lower loss."""
        return "A" if self.a < self.b else "B"


@dataclass(frozen=True)
class MotivatingExample(Table):
    """The example of the introduction.

    Attributes
    ----------
    rows : tuple of ExampleRow
        The losses, rule by rule.
    base10 : ExampleRow
        The log losses to the base 10.
    """

    rows: tuple[ExampleRow, ...]
    base10: ExampleRow

    @property
    def readme_is_base10(self) -> bool:
        """Whether the losses on the page of the package are those to the base 10, rounded."""
        found = (round(self.base10.a, DIGITS), round(self.base10.b, DIGITS))
        return found == README

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a rule."""
        return columns_of((*self.rows, self.base10), "prefers")

    def __str__(self) -> str:
        """Print the losses, and what the paper says of them."""
        rows = [
            [row.rule, f"{row.a:.4f}", f"{row.b:.4f}", row.prefers]
            for row in (*self.rows, self.base10)
        ]
        is_or_not = "are" if self.readme_is_base10 else "are not"
        return section(
            "Introduction: two forecasts, the second of three classes being the truth",
            f"A = {written(A)} names the right class, B = {written(B)} does not.",
            table(["loss", "A", "B", "prefers"], rows),
            prose(
                "The paper: by the Brier score and the log loss B is better. So it is here.",
                "The paper calls A a true negative; for the class that happened it is a true",
                f"positive. The page of the published package has log losses of {README[0]}",
                f"and {README[1]}. These {is_or_not} to the base 10; the code of the package",
                "takes base e.",
            ),
        )


def example() -> MotivatingExample:
    """Price both forecasts."""
    rows = tuple(_row(name, rule) for name, rule in RULES.items())
    natural = rows[1]
    base10 = ExampleRow("log, base 10", natural.a / math.log(10), natural.b / math.log(10))
    return MotivatingExample(rows, base10)


def _row(name: str, rule: Any) -> ExampleRow:
    a, b = rule.loss([TRUTH, TRUTH], [A, B])
    return ExampleRow(name, float(a), float(b))
