"""``properly report``: from a file of forecasts to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from properly._boundary._plain import printable
from properly.cli._columns import Chosen
from properly.cli._described import Described, command_line
from properly.cli._engine import engine_options, opened
from properly.cli._evaluating import (
    FILES,
    evaluated,
    force_option,
    level_option,
    replicates_option,
    rule_option,
    seed_option,
    within_option,
)
from properly.cli._file_options import file_options
from properly.cli._output import require_output
from properly.cli._reproducing import python_of

if TYPE_CHECKING:
    from properly import ClassEvaluation, Evaluation

FIGURES = ("svg", "png", "pdf")
EXAMPLES = r"""
properly report crash.csv --outcome died --forecast logistic \
    --forecast forest --within 0.01 0.1 --clusters cluster \
    --cases people --event-name death
properly report crash.csv --outcome died --forecast boosting \
    --output boosting.html --figures figures --figure-format pdf
"""


def report() -> click.Command:
    """Describe ``properly report``."""
    return Described(
        "report",
        callback=_report,
        help=(
            "Write one page about forecasts: a verdict in plain sentences, scores with intervals, "
            "pictures to explore, and the numbers. It is one HTML file that needs nothing else. "
            f"Prints the verdict, and where the page is. {FILES}"
        ),
        params=[*file_options(), *engine_options(), *_options()],
        examples=EXAMPLES,
    )


def _options() -> list[click.Parameter]:
    return [
        rule_option(),
        within_option(),
        *_words(),
        level_option(),
        replicates_option("Draws for intervals of the parts, bands and tests; 0 leaves them out."),
        seed_option(),
        click.Option(
            ["--output"],
            metavar="FILE",
            default="report.html",
            show_default=True,
            help="Where to write the page.",
        ),
        click.Option(
            ["--figures"], metavar="FOLDER", help="Also write figures for a paper into this folder."
        ),
        click.Option(
            ["--figure-format", "figure_formats"],
            type=click.Choice(FIGURES),
            multiple=True,
            default=("svg",),
            show_default=True,
            help="How to write figures; may be given several times.",
        ),
        force_option(),
    ]


def _words() -> list[click.Parameter]:
    """Describe the words of the page."""
    return [
        click.Option(["--title"], help="What stands above the page."),
        click.Option(
            ["--cases"],
            default="cases",
            show_default=True,
            help="What the cases are, in the words of the verdict: people, flights.",
        ),
        click.Option(
            ["--event-name"],
            default="the event",
            show_default=True,
            help="What may happen to them, in the words of the verdict: death, a delay.",
        ),
    ]


def _report(
    output: str,
    figures: str | None,
    figure_formats: tuple[str, ...],
    *,
    force: bool,
    title: str | None,
    cases: str,
    event_name: str,
    **options: Any,
) -> None:
    import properly

    require_output(output, force=force)
    _require_figures(figures)
    asked = {n: options.pop(n) for n in ("rules", "within", "level", "replicates", "seed")}
    asked["rules"] = asked["rules"] or None
    with opened(**options) as found:
        evaluation = evaluated(found, **asked)
    words = {"cases": cases, "event": event_name}
    given = {"title": title, **words}
    # What reads all rows into memory is no way to make this page of a large file again.
    python = python_of(found, asked, output, given) if isinstance(found, Chosen) else None
    drawn = _draw(figures, evaluation, figure_formats, force=force)
    properly.report.write(
        output,
        evaluation,
        title=title,
        **words,
        command=command_line(),
        python=python,
        overwrite=force,
    )
    click.echo(f"{properly.verdict(evaluation, **words)}\n\nThe page is in {printable(output)}.")
    if drawn:
        click.echo(f"{drawn} figures are in {printable(str(figures))}.")


def _require_figures(folder: str | None) -> None:
    from properly._boundary._writing import require_folder

    if folder is not None:
        require_folder(folder)


def _draw(
    folder: str | None,
    evaluation: Evaluation | ClassEvaluation,
    formats: tuple[str, ...],
    *,
    force: bool,
) -> int:
    """Write figures if a folder is given, and count them."""
    import properly

    if folder is None:
        return 0
    return len(properly.report.figures(folder, evaluation, formats=formats, overwrite=force))
