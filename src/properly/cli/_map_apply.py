"""``properly recalibrate apply``: recalibrated forecasts as a new column, or as SQL."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, Any, Literal

import click

from properly._boundary._notices import collected, notice
from properly._boundary._record import many, printable
from properly.cli._columns import PLACE, WHOLE, models_of, no_percentage
from properly.cli._commands import Described
from properly.cli._options import force_option
from properly.cli._running import require_output, require_packages
from properly.cli._wording import name_rows
from properly.errors import DataError, ProperlyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.cli._column_writer import Piece
    from properly.engines._files._read import Files
    from properly.recalibration import Map
    from properly.typing import Column

# Whose SQL there is. A test keeps them those of the library.
DIALECTS = ("duckdb", "postgres", "bigquery", "snowflake", "spark")
# A mean of the same forecasts in another order differs by rounding alone.
ROUNDING = 1e-12
EXAMPLES = r"""
properly recalibrate apply crash.csv --map map.json --forecast logistic \
    --output new.csv
properly recalibrate apply crash.csv --map map.json --forecast logistic \
    --as better --output better.csv
properly recalibrate apply --map map.json --forecast logistic --sql duckdb
"""


def apply() -> click.Command:
    """Describe ``properly recalibrate apply``."""
    return Described(
        "apply",
        callback=_apply,
        short_help="Recalibrate the forecasts of a file, or print SQL that does.",
        help=(
            "Recalibrate the forecasts of a file, row by row: what is written has the format of "
            "FILE and one more column, or one a class. All other columns stay as they are written. "
            "Or print the map as SQL. FILE is CSV, Parquet, Arrow or JSON lines; - is the standard "
            "input."
        ),
        params=_options(),
        examples=EXAMPLES,
    )


def _options() -> list[click.Parameter]:
    return [
        click.Argument(["path"], metavar="[FILE]", required=False, type=click.Path()),
        click.Option(["--map", "stored"], metavar="FILE", required=True, help="The map, as JSON."),
        click.Option(
            ["--forecast"],
            metavar="COLUMN",
            required=True,
            help="Column of probabilities. For classes, what columns begin with, or a pattern such "
            f"as 'p({PLACE})'.",
        ),
        click.Option(
            ["--as", "name"],
            metavar="COLUMN",
            show_default="COLUMN_recalibrated",
            help="What to call the new column; for classes, what new columns begin with.",
        ),
        click.Option(["--percent"], is_flag=True, help="Forecasts are in percent, from 0 to 100."),
        click.Option(
            ["--missing"],
            type=click.Choice(["refuse", "keep"]),
            default="refuse",
            show_default=True,
            help="What to do about rows without a forecast: keep leaves the new one empty.",
        ),
        click.Option(
            ["--sql", "dialect"],
            type=click.Choice(DIALECTS),
            help="Print the map as an expression of SQL, and write nothing.",
        ),
        click.Option(["--output"], metavar="FILE", help="Where to write the rows."),
        force_option(),
    ]


def _apply(
    path: str | None,
    stored: str,
    forecast: str,
    *,
    name: str | None,
    percent: bool,
    missing: Literal["refuse", "keep"],
    dialect: str | None,
    output: str | None,
    force: bool,
) -> None:
    from properly.recalibration import load

    if dialect is not None:
        _refuse_with_sql({"--output": output is not None, "--percent": percent})
        click.echo(load(stored).sql(forecast, dialect=dialect))
        return
    if path is None or output is None:
        message = "Which file, and where to? Give FILE and --output FILE, or --sql."
        raise click.UsageError(message)
    require_packages(["duckdb"])
    require_output(output, force=force)
    use = load(stored)
    columns, new = names_of(use, forecast, name)
    rows = _rewrite(
        use, path, columns, new, output, percent=percent, missing=missing, overwrite=force
    )
    listed = ", ".join(printable(each) for each in new)
    click.echo(f"{many(rows, 'row')} in {printable(output)}, recalibrated as {listed}.")


def _refuse_with_sql(given: dict[str, bool]) -> None:
    for option, is_given in given.items():
        if is_given:
            message = f"--sql prints an expression of the column as it is; leave out {option}."
            raise click.UsageError(message)


def names_of(use: Map, forecast: str, name: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the columns that a map reads, and those that it writes."""
    labels = tuple(map(str, use.labels)) if use.of == "classes" else None  # type: ignore[attr-defined]
    ((short, columns),) = models_of((forecast,), labels).items()
    ((_, new),) = models_of((name or f"{short}_recalibrated",), labels).items()
    return columns, new


def _rewrite(
    use: Map,
    path: str,
    columns: tuple[str, ...],
    new: tuple[str, ...],
    output: str,
    *,
    percent: bool,
    missing: str,
    overwrite: bool,
) -> int:
    """Write the rows of a file with new columns, and count them."""
    from properly._boundary._files import open_whole
    from properly.cli._column_writer import Request, packing, pieces, require_format
    from properly.engines._files._read import open_files

    applied = _Application(use, columns, percent=percent, missing=missing)
    with open_files(path) as files:
        file = _only_file(files)
        require_format(file, output)
        files.require(columns)
        _require_new(files.names, new)
        request = Request(file, columns, new)
        with (
            open_whole(output, overwrite=overwrite) as whole,
            packing(output, whole) as target,
            closing(pieces(request, target)) as parts,
        ):
            for piece in parts:
                piece.write(applied.at(piece))
    applied.tell()
    return applied.rows


def _only_file(files: Files) -> Any:
    if len(files.tables) > 1:
        message = f"one file is rewritten at a time; got {len(files.tables)}"
        raise DataError(message)
    return files.tables[0].file


def _require_new(names: Sequence[str], new: Sequence[str]) -> None:
    for name in new:
        if name in names:
            message = f"a new column needs a new name; there is {name!r} already"
            raise DataError(message, hint="give another one by --as.")


class _Application:
    """A map at work on the pieces of a file; what is odd is told once, at the end."""

    def __init__(self, use: Map, columns: Sequence[str], *, percent: bool, missing: str) -> None:
        self.use, self.names, self.percent, self.missing = use, columns, percent, missing
        self.rows, self.total = 0, 0.0
        self.distinct: list[Column] = []
        self.odd: list[Column] = []

    def at(self, piece: Piece) -> list[Column]:
        """Recalibrate the forecasts of a piece."""
        import numpy as np

        p = np.column_stack(piece.columns)
        present = ~np.isnan(p).any(axis=1)
        if self.missing == "refuse" and not present.all():
            row = int(np.argmin(present))
            lack = self.names[int(np.argmax(np.isnan(p[row])))]
            message = f"forecasts must not be missing; {piece.place(row)} lacks {lack!r}"
            raise DataError(message, hint="--missing keep leaves the new one empty, too.")
        given = self._divided(p[present], np.flatnonzero(present), piece)
        if self.use.of == "event":
            self._look(given[:, 0])
        result = np.full(p.shape, np.nan)
        result[present] = self._mapped(given, np.flatnonzero(present), piece)
        self.rows += len(p)
        return list((result * WHOLE if self.percent else result).T)

    def _divided(self, p: Column, rows: Column, piece: Piece) -> Column:
        """Divide percentages by 100."""
        if not self.percent:
            return p
        import numpy as np

        outside = ~((p >= 0) & (p <= WHOLE))
        if outside.any():
            row, column = np.argwhere(outside)[0]
            first = f"{piece.place(int(rows[row]))} is {p[row, column]:g}"
            raise no_percentage(self.names[column], first)
        return p / WHOLE

    def _mapped(self, p: Column, rows: Column, piece: Piece) -> Column:
        """Apply the map; a row that it refuses is named by its place in the file."""
        is_event = self.use.of == "event"
        if not len(p):
            return p
        try:
            with collected():
                result: Column = self.use.at(p[:, 0] if is_event else p)
        except ProperlyError as error:
            # Others may follow in later pieces.
            text = re.sub(r" \([\d,]+ such rows\)", "", str(error))
            raise type(error)(name_rows(text, lambda row: piece.place(int(rows[row])))) from None
        return result.reshape(p.shape)

    def _look(self, p: Column) -> None:
        """Remember what is told in the end: forecasts out of the way, and whose they are."""
        import numpy as np

        low, high = self.use.range or (0.0, 1.0)
        self.odd.append(p[(p < low) | (p > high) | (p == 0) | (p == 1)])
        training = self.use.training
        self.total += float(p.sum())
        if training is not None and training.cases and self.rows <= training.cases:
            self.distinct.append(np.unique(p))

    def tell(self) -> None:
        """Say once what is odd about all forecasts, and that the map may know them."""
        import numpy as np

        if self.odd:
            self.use._check(np.concatenate(self.odd))  # noqa: SLF001
        if self._is_of_training():
            notice(
                "these forecasts are those that the map was fitted to; scores of them will "
                "flatter it"
            )

    def _is_of_training(self) -> bool:
        """Tell whether there are as many forecasts, as many distinct ones, and the same mean."""
        import numpy as np

        training = self.use.training
        if training is None or self.rows != training.cases or not self.distinct:
            return False
        mean, distinct = self.total / self.rows, np.unique(np.concatenate(self.distinct))
        is_near = abs(mean - training.mean_forecast) <= ROUNDING * max(mean, ROUNDING)
        return is_near and len(distinct) == training.distinct
