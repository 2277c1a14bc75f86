"""``properly leaderboard``: forecasters in order, though they answered different questions."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

import properly
from properly._boundary._files import write_whole
from properly._boundary._text import printable
from properly.cli._chosen import read_chosen
from properly.cli._column_plan import taken_long
from properly.cli._command_table import LeaderboardCommand
from properly.cli._formats import as_csv
from properly.cli._option_table import FORM, PICTURES, command_line
from properly.cli._running import as_json, emit, refuse, require_output, require_packages
from properly.cli._wording import in_options
from properly.rules import RPS

if TYPE_CHECKING:
    from properly import Evaluation
    from properly.comparison import Leaderboard

KINDS = {"html": "page", **dict.fromkeys(PICTURES, "picture")}


def run(layout: str, output: str | None, *, force: bool, **options: Any) -> None:
    """Rank forecasters, and print a board, or write it as text, a page or a picture."""
    kind = _kind(output, layout)
    require_packages({"html": ["jinja2"], "text": []}.get(kind, ["matplotlib"]))
    require_output(output, force=force)
    own_names = LeaderboardCommand.own
    settings = {name: options.pop(name) for name in own_names if name in options}
    own = taken_long(options, *own_names)
    if own is None:
        refuse(f"Which columns? Name them by --long {FORM}.")
    data = read_chosen(own, **options)
    if settings["rule"] is None and data.task == "ordinal":
        settings["rule"] = RPS()
    board = properly.leaderboard(data.answers(), **settings)
    # Notes speak of options.
    board = replace(board, notes=tuple(map(in_options, board.notes)))
    if output is None or kind == "text":
        emit(_laid_out(board, layout), output, force=force)
        return
    if kind == "html":
        write_page(output, board, force=force)
    else:
        from properly.report._figures import picture

        write_whole(output, picture(board, kind), overwrite=force)
    click.echo(f"The {KINDS[kind]} is in {printable(output)}.")


def write_page(path: str, result: Evaluation | Leaderboard, *, force: bool, **words: Any) -> None:
    """Write the page of a result, with the command that made it."""
    day = dt.date.today().isoformat()  # noqa: DTZ011 - the reader's own day
    command = command_line()
    properly.report.write(path, result, command=command, date=day, overwrite=force, **words)


def _kind(output: str | None, layout: str) -> str:
    """Return whether a file is a page, a picture, or text, by its ending."""
    ending = "" if output is None else output.rpartition(".")[2].lower()
    if ending not in ("html", *PICTURES):
        return "text"
    if layout != "text":
        refuse(f"--format {layout} is text; {printable(str(output))} is a {KINDS[ending]}.")
    return ending


def _laid_out(board: Leaderboard, layout: str) -> str:
    if layout == "text":
        return f"{board}\n"
    if layout == "json":
        return as_json(board.to_dict())
    rows = [row.flat() for row in (*board.standings, *board.crowd)]
    head = tuple(rows[0])
    return as_csv(head, [tuple(row.get(name) for name in head) for row in rows])
