"""``properly check``: what is wrong with data, before they are scored."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from properly.cli._commands import Described
from properly.cli._long import long_options, read_long, taken_long
from properly.cli._options import FILES, file_options_but, format_option
from properly.cli._wording import in_options, name_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from properly.cli._columns import Places
    from properly.evaluation import Checkup, Symptom

EXAMPLES = r"""
properly check crash.csv --outcome died --forecast logistic
properly check crash.csv --outcome died --forecast forest --strict
properly check tournament.csv \
    --long question,forecaster,probability,outcome
"""


def check() -> click.Command:
    """Describe ``properly check``."""
    return Described(
        "check",
        callback=_check,
        help=(
            "Look data over before they are scored: percentages or logits instead of "
            "probabilities, missing values, one class only, rows that repeat, forecasts that are "
            "too good to be true. Rows are named by their lines. Exits with 1 if there is a "
            f"problem. {FILES}"
        ),
        params=[
            *file_options_but("strata", "normalize"),
            *long_options("only"),
            format_option("text", "json"),
            click.Option(["--strict"], is_flag=True, help="Exit with 1 for an oddity, too."),
        ],
        examples=EXAMPLES,
    )


def _check(layout: str, *, strict: bool, **options: Any) -> None:
    own = taken_long(options, "layout", "strict")
    checkup, places = _of_cases(options) if own is None else _of_answers(own, options)
    findings = [_in_options(x) for x in checkup.findings]
    if layout == "json":
        placed = [_with_places(x, places) for x in findings]
        click.echo(json.dumps(checkup.to_dict() | {"findings": placed}, indent=2))
    else:
        lines = tuple(_with_lines(x, places) for x in findings)
        click.echo(str(replace(checkup, findings=lines)))
    if not checkup.is_fine or (strict and checkup.of("oddity")):
        click.get_current_context().exit(1)


def _of_cases(options: Mapping[str, Any]) -> tuple[Checkup, Places]:
    """Look at one row a case."""
    import properly
    from properly.cli._raw_columns import raw_columns
    from properly.evaluation._checkup._check import by_severity

    columns = raw_columns(**options)
    checkup = properly.check(
        columns.y,
        columns.forecasts,
        task=columns.task,
        labels=columns.labels,
        pos_label=columns.pos_label,
        **columns.roles,
    )
    findings = by_severity((*checkup.findings, *columns.follow_up))
    return replace(checkup, findings=findings), columns.places


def _of_answers(own: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[Checkup, Places]:
    """Look at one row an answer."""
    from properly.evaluation import check_answers

    table = read_long(own, raw=True, **options)
    return check_answers(**table.columns, **table.reading), table.places


def _in_options(symptom: Symptom) -> Symptom:
    """Speak of options; findings about answers and times may name an argument, too."""
    what = in_options(symptom.what) if symptom.name or symptom.where == "time" else symptom.what
    return replace(symptom, what=what, advice=in_options(symptom.advice))


def _with_places(symptom: Symptom, places: Places) -> dict[str, Any]:
    """Write a finding for JSON, its rows also as a.csv:2, where there is a line a row."""
    lines = places.lines(symptom.rows)
    written = None if lines is None else [f"{file}:{line}" for file, line in lines]
    return symptom.to_dict() | ({"lines": written} if symptom.rows else {})


def _with_lines(symptom: Symptom, places: Places) -> Symptom:
    """Name rows by the lines of their files, where there is a line a row."""

    def named(rows: Sequence[int]) -> str:
        lines = places.lines(rows) or ()
        if len(places.rows.parts) > 1:
            return ", ".join(f"line {line} of {file}" for file, line in lines)
        return f"line{'s' * (len(lines) > 1)} {', '.join(str(line) for _, line in lines)}"

    if not places.lines(symptom.rows):
        return symptom
    what = name_rows(symptom.what, lambda row: named([row]))
    more = ", …" * (symptom.count > len(symptom.rows))
    return replace(symptom, what=f"{what} ({named(symptom.rows)}{more})", rows=())
