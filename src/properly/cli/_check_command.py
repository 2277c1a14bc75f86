"""``properly check``: what is wrong with data, before they are scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

import properly
from properly.cli._chosen import Chosen, Places, read_chosen
from properly.cli._column_plan import taken_long
from properly.cli._running import as_json, emit
from properly.cli._wording import in_options, name_rows
from properly.evaluation import check_answers
from properly.evaluation._checkup._check import Checkup, by_severity
from properly.evaluation._checkup._symptom import Symptom


def run(layout: str, *, strict: bool, **options: Any) -> None:
    own = taken_long(options, "layout", "strict")
    data = read_chosen(own, raw=True, **options)
    checkup = _of_cases(data) if own is None else check_answers(**data.arguments)
    findings, places = [_in_options(x) for x in checkup.findings], data.places
    if layout == "json":
        placed = [_with_places(x, places) for x in findings]
        emit(as_json(checkup.to_dict() | {"findings": placed}))
    else:
        lines = tuple(_with_lines(x, places) for x in findings)
        click.echo(str(replace(checkup, findings=lines)))
    if not checkup.is_fine or (strict and checkup.of("oddity")):
        click.get_current_context().exit(1)


def _of_cases(chosen: Chosen) -> Checkup:
    """Check one row per case."""
    settings: dict[str, Any] = {
        "task": chosen.task,
        "labels": chosen.labels,
        "pos_label": chosen.pos_label,
    }
    settings |= chosen.roles
    checkup = properly.check(chosen.y, chosen.forecasts, **settings)
    findings = by_severity((*checkup.findings, *chosen.follow_up))
    return replace(checkup, findings=findings)


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
