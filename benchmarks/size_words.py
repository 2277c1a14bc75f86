"""What was found about sizes: as a table, in sentences, and in the page of the documentation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

BEGIN, END = "<!-- sizes: begin -->", "<!-- sizes: end -->"
# Single runs differ by some per cent.
SLACK = 1.1
GB = 1e9


@dataclass(frozen=True)
class Sized:
    """What one piece of work took for a file.

    Attributes
    ----------
    work : str
        What was done.
    rows, file_bytes : int
        The size of the file.
    seconds : float
        How long the process ran, its start included.
    peak_bytes : int
        The most memory that it had, resident.
    limit : int or None
        The memory that the engine was told to keep to.
    failed : str
        The last line of what it said, if it failed.
    """

    work: str
    rows: int
    file_bytes: int
    seconds: float
    peak_bytes: int
    limit: int | None = None
    failed: str = ""

    def __str__(self) -> str:
        return "failed" if self.failed else f"{duration(self.seconds)}, {size(self.peak_bytes)}"


@dataclass(frozen=True)
class Run:
    """Everything that one run found.

    Attributes
    ----------
    command : str
        What to type for the same run.
    found : tuple of Sized
        The smallest file first.
    notes : tuple of str
        Sentences about what was left out.
    versions : dict
        Versions of packages.
    machine : dict
        The kind of machine, and nothing that would name it.
    """

    command: str
    found: tuple[Sized, ...]
    notes: tuple[str, ...]
    versions: Mapping[str, str]
    machine: Mapping[str, object]

    @property
    def works(self) -> list[str]:
        """What was done, in order."""
        return list(dict.fromkeys(found.work for found in self.found))

    def of(self, work: str) -> list[Sized]:
        """Return what one piece of work took, where it did not fail."""
        return [found for found in self.found if found.work == work and not found.failed]

    def cells(self) -> Iterator[tuple[str, ...]]:
        """Return the lines of the table."""
        yield ("rows", "file", *self.works)
        for rows in dict.fromkeys(found.rows for found in self.found):
            line = {found.work: found for found in self.found if found.rows == rows}
            file = size(next(iter(line.values())).file_bytes)
            yield (f"{rows:,}", file, *(str(line.get(work, "")) for work in self.works))

    def sentences(self) -> Iterator[str]:
        """Say of all work whether time grows in proportion, and whether memory stays small."""
        for work in self.works:
            if found := self.of(work):
                yield f"{work}: {'; '.join([*growth(found), *memory(found)])}."
        for each in self.found:
            if each.failed:
                yield f"{each.work} failed for {each.rows:,} rows: {each.failed}"
        yield from self.notes

    def to_text(self) -> str:
        """Return the table and the sentences for the terminal."""
        lines = [tuple(cell.replace("`", "") for cell in line) for line in self.cells()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join([*table, *self.sentences()]).replace("`", "")

    def to_markdown(self) -> str:
        """Return what stands between the marks of the page."""
        header, *lines = self.cells()
        ruler = tuple("---:" if k == 0 else "---" for k in range(len(header)))
        table = "\n".join(f"| {' | '.join(line)} |" for line in (header, ruler, *lines))
        said = "\n".join(f"- {sentence}" for sentence in self.sentences())
        names = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        kind = self.machine
        where = f"{kind['cores']} cores, {kind['arch']}, {kind['system']}, {kind['memory']}"
        return (
            f"{table}\n\n{said}\n\n"
            f"Written by `{self.command} --markdown docs/any-size.md`, with {names}, on {where}.\n"
        )


def growth(found: list[Sized]) -> Iterator[str]:
    """Say how much longer ten times the rows take; the first file has next to none."""
    ratios = [after.seconds / before.seconds for before, after in pairwise(found[1:])]
    if ratios:
        told = ", then ".join(f"{ratio:.1f}" for ratio in ratios)
        kind = "no more than" if max(ratios) <= 10 * SLACK else "more than"
        yield f"ten times the rows take {told} times as long, {kind} in proportion"


def memory(found: list[Sized]) -> Iterator[str]:
    """Say how much memory was needed, and how that compares with what was allowed."""
    peak, limit = max(each.peak_bytes for each in found), found[0].limit
    told = f"at most {size(peak)} of memory"
    if len(found) > 1:
        more = peak - found[0].peak_bytes
        told += f", {size(more)} more than for {found[0].rows:,} rows"
        if limit is not None:
            told += within(peak, more, limit)
    yield told


def within(peak: int, more: int, limit: int) -> str:
    """Say whether memory beyond that of an idle interpreter kept to the limit."""
    if more <= limit:
        return f" and within the {size(limit)} that it was given"
    whole = "within" if peak <= 2 * GB else "not within"
    return f" and beyond the {size(limit)} that duckdb was given; {whole} 2 GB in all"


def duration(seconds: float) -> str:
    """Write seconds."""
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds:,.0f} s"


def size(number: float) -> str:
    """Write bytes, as kB, MB or GB of powers of ten."""
    if number >= GB:
        return f"{number / GB:.1f} GB".replace(".0 GB", " GB")
    return f"{number / 1e6:.0f} MB" if number >= 1e6 else f"{number / 1e3:.0f} kB"


def with_table(page: str, table: str) -> str:
    """Put a table between the marks of a page, and leave all else as it is."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        message = f"the page must have the lines {BEGIN} and {END}; it has not"
        raise ValueError(message)
    return f"{before}{BEGIN}\n\n{table}\n{END}{after}"
