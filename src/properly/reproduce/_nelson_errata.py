"""What is to be known of the paper on means of probabilities, in three groups."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from properly._boundary._record import columns_of, plain, to_frame
from properly.reproduce._errata import Errata
from properly.reproduce._layout import heading, table
from properly.reproduce._nelson_changes import changes
from properly.reproduce._nelson_misprints import misprints
from properly.reproduce._nelson_remarks import Remark, remarks
from properly.reproduce._prose import prose

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from properly._boundary._record import Backend
    from properly.reproduce._errata import Erratum
    from properly.reproduce._nelson_population import PopulationCase


@dataclass(frozen=True)
class NelsonErrata:
    """Misprints, what changes numbers, and remarks.

    Attributes
    ----------
    misprints : tuple of Erratum
        Numbers as they follow from the text that was read, and as they are.
    changes : tuple of Erratum
        Numbers by the paper's weights, or as it bounds them, and as they are here.
    remarks : tuple of Remark
        What is left open, and limits.
    """

    misprints: tuple[Erratum, ...]
    changes: tuple[Erratum, ...]
    remarks: tuple[Remark, ...]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a number; a remark without numbers has one entry."""
        found: dict[str, list[Any]] = plain(columns_of(self._rows()))
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a number as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict(), backend)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for group in ("misprints", "changes"):
            yield from ({"group": group} | vars(row) for row in getattr(self, group))
        for remark in self.remarks:
            yield from _entries(remark)

    def __str__(self) -> str:
        """Print the three groups, one after the other."""
        return "\n".join(
            [
                heading("Errata: misprints, what changes numbers, and remarks"),
                prose(
                    "Misprints, each with a number that tells what is printed from what is meant:"
                ),
                Errata(self.misprints).table(),
                "",
                prose("What changes numbers: the paper's procedure, and what is done here:"),
                *_lines(self.changes),
                "",
                "Remarks and limits:",
                *(_hanging(f"{remark.where}: {remark.text}") for remark in self.remarks),
            ]
        )


def errata(cases: Mapping[str, PopulationCase]) -> NelsonErrata:
    """Compute all numbers, some of them from all cases there are."""
    return NelsonErrata(tuple(misprints(cases)), tuple(changes()), tuple(remarks(cases)))


def _lines(rows: tuple[Erratum, ...]) -> Iterator[str]:
    """Lay out numbers with their reason below, one that several share below the last."""
    numbers = [
        [f"{row.where}: {row.what}", f"{row.printed:.6g}", f"{row.right:.6g}"] for row in rows
    ]
    head, *lines = table(["", "paper", "here"], numbers).splitlines()
    yield head
    following = [*(row.why for row in rows[1:]), None]
    for line, row, other in zip(lines, rows, following, strict=True):
        yield line
        if row.why != other:
            yield _indented(row.why)


def _entries(remark: Remark) -> Iterator[dict[str, Any]]:
    """Give every number of a remark an entry of its own, with nothing printed beside it."""
    numbers: Mapping[str, float | None] = remark.numbers or {"": None}
    for what, number in numbers.items():
        yield {
            "group": "remarks",
            "where": remark.where,
            "what": what,
            "printed": None,
            "right": number,
            "why": remark.text,
            "value": None,
        }


def _hanging(text: str) -> str:
    first, *rest = prose(text).splitlines()
    return "\n".join([first, *(f"  {line}" for line in rest)])


def _indented(text: str) -> str:
    return textwrap.indent(prose(text), "  ")
