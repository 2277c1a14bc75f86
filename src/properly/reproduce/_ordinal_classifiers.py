"""Retention on the outputs of a user's classifiers, whose classes have no order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from properly._boundary._record import columns_of, printable, to_frame
from properly.decisions._retention import ORACLE
from properly.reproduce._layout import heading, table
from properly.reproduce._ordinal_retention import areas, paired, ranked, shown
from properly.reproduce._prose import prose
from properly.rules import PBS, PLL, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from properly._boundary._record import Backend
    from properly.reproduce._injuries import Forecasts
    from properly.reproduce._ordinal_retention import Ranked
    from properly.rules import ClassRule

RULES: dict[str, ClassRule] = {"neg. log": Log(), "Brier": Brier(), "PBS": PBS(), "PLL": PLL()}
ABSENT = """\
Table 1 can be had for your own classifiers, too, whose classes need no order. Put .npz files with
an array scores (logits or logarithms of probabilities, one row a case and one column a class) and
one targets (class numbers, from 0) into a folder, and name it:
    properly reproduce ordinal --data FOLDER      or      reproduce.ordinal("FOLDER")"""
ROUNDING = 1e-9
# Areas of good classifiers are small.
DIGITS = 3


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
        return columns_of(
            {"classifier": file, "labels": labels, "score": name, **area}
            for file, found in self.rows.items()
            for labels, study, names in (
                (True, found.areas.study, (*RULES, ORACLE)),
                (False, found.areas.unlabelled, tuple(RULES)),
            )
            for name, area in areas(study, names).items()
        )

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a classifier and score as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict(), backend)

    def __str__(self) -> str:
        """Print the areas of every classifier."""
        return "\n".join(
            [
                heading("Table 1 on classifiers whose classes are taken to have no order"),
                prose(
                    "Without an order there is no QWK, no RPS and no sa-RPS, and all errors cost",
                    "the same. AURSC-EC is the area of the error rate while the worst 0 to 20 %",
                    "are removed, with the x axis in percent; mean ± standard deviation of",
                    f"{self.replicates:,} resamples.",
                ),
                *self._table(),
                self._verdict(),
            ]
        )

    def _table(self) -> Iterator[str]:
        """Lay out the areas, below a line that describes each classifier."""
        rows = [line for found in self.rows.values() for line in _lines(found)]
        head, *lines = table(["AURSC-EC", *RULES, "oracle"], rows).splitlines()
        yield head
        for (file, found), *two in zip(self.rows.items(), lines[::2], lines[1::2], strict=True):
            size = f"{found.n:,} cases, {found.classes} classes, accuracy {found.accuracy:.3f}"
            yield f"{printable(file)}: {size}"
            yield from two

    def _verdict(self) -> str:
        counts = {
            name: sum(name in found.as_the_oracle for found in self.rows.values()) for name in RULES
        }
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        return prose(
            f"A score has the oracle's area in so many of {len(self.rows)}: {told}. PBS and PLL",
            "put every error above every correct forecast, but for ties, so they rank as the",
            "oracle does, by construction; for two classes all four do. That their AURSC is best",
            "says nothing of their merit.",
        )


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


def _lines(found: Classifier) -> list[list[str]]:
    study, free = found.areas.study, found.areas.unlabelled
    return [
        ["  with labels", *(shown(study, name, DIGITS) for name in (*RULES, ORACLE))],
        ["  no labels", *(shown(free, name, DIGITS) for name in RULES), ""],
    ]
