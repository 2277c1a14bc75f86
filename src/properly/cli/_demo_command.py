"""``properly demo``: the bundled example, as a page or as a file."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

import properly
from properly import datasets
from properly._boundary._files import require_writable, together, write_whole
from properly._boundary._text import printable
from properly.cli._formats import as_csv
from properly.cli._option_table import FORM, command_line
from properly.cli._running import progress_bar

if TYPE_CHECKING:
    from properly.datasets import Crash

PAGE = "report.html"
WITHIN = (0.01, 0.1)
WORDS: dict[str, Any] = {"title": "Death in car crashes", "cases": "people", "event": "death"}
PYTHON = """\
import properly

crash = properly.datasets.crash()
evaluation = properly.evaluate(
    crash.died,
    crash.forecasts,
    within={within!r},
    clusters=crash.cluster,
    groups=crash.sex,
    time=crash.year,
    recalibrate="auto",
    rng=0,
)
properly.report.write({path!r}, evaluation, {words})
"""


def run(output: str | None, data: str | None, answers: str | None, *, force: bool) -> None:
    page = PAGE if output is None and data is None and answers is None else output
    for path in (page, data, answers):
        if path is not None:
            require_writable(path, overwrite=force)
    said = []
    with together():
        if answers is not None:
            said.append(_write_answers(answers, force=force))
        if data is not None:
            said.append(_write_data(data, datasets.crash(), force=force))
        if page is not None:
            said.append(_write_page(page, datasets.crash(), force=force))
    click.echo("\n".join(said))


def _write_data(path: str, crash: Crash, *, force: bool) -> str:
    """Write the example, and return what to say of it."""
    columns = _columns(crash)
    rows = list(zip(*columns.values(), strict=True))
    write_whole(path, as_csv(tuple(columns), rows), overwrite=force)
    file = shlex.quote(printable(path))
    return (
        f"{len(crash):,} people are in {printable(path)}. Try:\n"
        f"  properly report {file} --outcome died --forecast logistic \\\n"
        "    --forecast forest --clusters cluster --within 0.01 0.1"
    )


def _write_answers(path: str, *, force: bool) -> str:
    """Write a tournament, and return what to say of it."""
    rows = datasets.tournament()
    columns = [getattr(rows, name).tolist() for name in FORM.split(",")]
    text = as_csv(FORM.split(","), list(zip(*columns, strict=True)))
    write_whole(path, text, overwrite=force)
    return (
        f"{len(rows.question):,} answers are in {printable(path)}. Try:\n"
        f"  properly leaderboard {shlex.quote(printable(path))} \\\n    --long {FORM}"
    )


def _columns(crash: Crash) -> dict[str, list[Any]]:
    """Return the example as columns: whether they died as 0 and 1, injuries as words."""
    columns: dict[str, list[Any]] = {name: x.tolist() for name, x in crash.to_dict().items()}
    columns["died"] = [int(died) for died in columns["died"]]
    named = dict(enumerate(crash.severity_labels))
    return columns | {"severity": [named.get(grade) for grade in columns["severity"]]}


def _write_page(path: str, crash: Crash, *, force: bool) -> str:
    """Write the page of the example, and return what to say of it."""
    with progress_bar() as progress:
        evaluation = properly.evaluate(
            crash.died,
            crash.forecasts,
            task="binary",
            within=WITHIN,
            clusters=crash.cluster,
            groups=crash.sex,
            time=crash.year,
            recalibrate="auto",
            rng=0,
            progress=progress,
        )
    words = ", ".join(f"{name}={word!r}" for name, word in WORDS.items())
    python = PYTHON.format(within=WITHIN, path=path, words=words)
    command = command_line()
    properly.report.write(
        path, evaluation, **WORDS, command=command, python=python, overwrite=force
    )
    verdict = properly.verdict(evaluation, cases=WORDS["cases"], event=WORDS["event"])
    return f"{verdict}\n\n{evaluation.table()}\n\nThe page is in {printable(path)}."
