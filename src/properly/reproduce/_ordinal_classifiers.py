"""Retention on the outputs of a user's classifiers, whose classes have no order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from properly._frames import to_frame
from properly._retention import ORACLE
from properly.reproduce._layout import heading, table
from properly.reproduce._ordinal_retention import areas, paired, ranked, shown
from properly.rules import PBS, PLL, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from properly._frames import Backend
    from properly.reproduce._ordinal_data import Forecasts
    from properly.reproduce._ordinal_retention import Ranked
    from properly.rules import ClassRule

RULES: dict[str, ClassRule] = {"neg. log": Log(), "Brier": Brier(), "PBS": PBS(), "PLL": PLL()}
ABSENT = """\
Retention of classifiers without an order is left out: it needs their outputs. Put .npz files
with an array scores (logits or logarithms of probabilities, one row a case) and one targets
(class numbers, from 0) into a folder, and name it:
    properly reproduce ordinal --data FOLDER      or      reproduce.ordinal("FOLDER")"""
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Classifier:
    """Areas under the curves of the error rate of one classifier.

    Attributes
    ----------
    areas : Ranked
        By score, with labels and without.
    n, classes : int
        Number of cases and of classes.
    accuracy : float
        Share of cases in which the likeliest class happened.
    """

    areas: Ranked
    n: int
    classes: int
    accuracy: float

    @property
    def as_the_oracle(self) -> tuple[str, ...]:
        """The scores whose area is that of the oracle in every resample."""
        gaps = {name: paired(self.areas.study, name, ORACLE) for name in RULES}
        return tuple(
            name for name, d in gaps.items() if abs(d.mean) + d.standard_deviation < ROUNDING
        )


@dataclass(frozen=True, eq=False)
class Classifiers:
    """Retention of the error rate, by classifier.

    Attributes
    ----------
    rows : dict of str to Classifier
        By the name of the file.
    replicates : int
        Number of resamples.
    """

    rows: Mapping[str, Classifier]
    replicates: int

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a classifier and score."""
        rows = [
            {"classifier": file, "labels": labels, "score": name, **area}
            for file, found in self.rows.items()
            for labels, study, names in (
                (True, found.areas.study, (*RULES, ORACLE)),
                (False, found.areas.unlabelled, tuple(RULES)),
            )
            for name, area in areas(study, names).items()
        ]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a classifier and score as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict(), backend)

    def __str__(self) -> str:
        """Print the areas of every classifier."""
        head = ["AURSC-EC", *RULES, "oracle"]
        lines = [line for file, found in self.rows.items() for line in _lines(file, found)]
        return "\n".join(
            [
                heading("Table 1 on classifiers without an order"),
                "Their classes are not ordered, so that neither QWK nor RPS nor sa-RPS means",
                "anything: only scores without an order rank, and the cost is zero or one.",
                "Area of the error rate in percent units, 0-20 % removed; mean ± standard",
                f"deviation of {self.replicates:,} resamples; below, ranked without labels.",
                table(head, lines),
                *self._verdict(),
            ]
        )

    def _verdict(self) -> list[str]:
        counts = {
            name: sum(name in found.as_the_oracle for found in self.rows.values()) for name in RULES
        }
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        return [
            f"The oracle's area is reached in how many of {len(self.rows)}: {told}.",
            "PBS and PLL put every error above every correct forecast, but for ties, so they rank",
            "as the oracle does, by construction; for two classes all four do. That AURSC is best",
            "for them says nothing of their merit.",
        ]


def classifiers(
    data: Mapping[str, Forecasts], replicates: int, seed: int, step: Callable[[str], None]
) -> Classifiers:
    """Remove cases of every classifier by every score."""
    rows = {}
    for name, forecasts in data.items():
        # One seed for all: a classifier's numbers do not depend on its neighbours.
        found = ranked(
            forecasts,
            RULES,
            metric="expected_cost",
            cost="zero_one",
            replicates=replicates,
            seed=seed,
        )
        rows[name] = Classifier(found, len(forecasts.y), forecasts.classes, forecasts.accuracy)
        step(f"Table 1, {printable(name)}")
    return Classifiers(rows, replicates)


def printable(name: str) -> str:
    """Replace what a terminal could take for a command, or cannot show."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name)


def _lines(file: str, found: Classifier) -> list[list[str]]:
    about = f"  {found.n:,} x {found.classes}, accuracy {found.accuracy:.3f}"
    study, free = found.areas.study, found.areas.unlabelled
    return [
        [printable(file), *[""] * (len(RULES) + 1)],
        [about, *(shown(study, name) for name in (*RULES, ORACLE))],
        ["  without labels", *(shown(free, name) for name in RULES), ""],
    ]
