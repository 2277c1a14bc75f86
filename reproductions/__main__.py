"""``properly reproduce``, or ``python -m reproductions``: published results, computed again."""

from __future__ import annotations

from typing import Any, NamedTuple

import click

import reproductions
from properly.cli._option_table import Described, DescribedGroup
from properly.cli._running import progress_bar

FILE = click.Path(exists=True, dir_okay=False)
FOLDER = click.Path(exists=True, file_okay=False)
NEW_FOLDER, SEED = click.Path(file_okay=False), click.IntRange(min=0)


class Paper(NamedTuple):
    """The command of a paper: what it does, what --full adds, and options of its own."""

    help: str
    full: str
    example: str = "--output figures"
    data: click.Option | None = None
    others: tuple[click.Option, ...] = ()


# By the name of the function that is called.
PAPERS = {
    "corp": Paper(
        "The tables and figures of the paper on CORP, beside what it prints and claims.",
        "Simulate as much as the paper: hours.",
        data=click.Option(
            ["--data"],
            type=FILE,
            help="Rain at Niamey: precip_Niamey_2016.rda of R, or a CSV file of its columns.",
        ),
    ),
    "consequentialist": Paper(
        "The tables and figures of the paper on decisions, beside what it prints and claims.",
        "Simulate as much as the paper.",
        data=click.Option(
            ["--data"],
            type=FILE,
            help="The forecasts behind Table 2: demo/data/bcsc.csv of the authors' briertools.",
        ),
    ),
    "nelson": Paper(
        "The figures of the paper on means of probabilities, beside what it prints.",
        "Simulate ten times as much: minutes.",
    ),
    "ordinal": Paper(
        "The tables and figures of the paper on ordered classes, beside what it prints.",
        "1,000 resamples instead of 50.",
        data=click.Option(
            ["--data"],
            type=FOLDER,
            help="Folder of classifiers' outputs: .npz files of scores and targets.",
        ),
        others=(
            click.Option(
                ["--ordered"], is_flag=True, help="Their classes are in the order of the columns."
            ),
        ),
    ),
    "penalized": Paper(
        "The tables and figures of the paper on penalized scores, beside what it prints.",
        "Simulate twenty times as much.",
        "--output figures --seed 1",
    ),
    "selection": Paper(
        "Epochs chosen by scores: that paper's experiments, with the error rate beside them.",
        "20 seeds instead of 3: up to two hours.",
        "--data activity --work runs",
        click.Option(
            ["--data"],
            type=FOLDER,
            help="Folder of series, one folder a set and one file a class, and of histories.",
        ),
        (
            click.Option(
                ["--work"],
                type=NEW_FOLDER,
                help="Folder to keep finished runs in, and to go on from; else runs in --output.",
            ),
        ),
    ),
}


def reproduce() -> click.Group:
    """Describe ``properly reproduce`` and the papers below it."""
    return DescribedGroup(
        "reproduce",
        help="Compute published results again.",
        commands=[_command(name, paper) for name, paper in PAPERS.items()],
        examples="properly reproduce consequentialist --output figures",
    )


def _command(name: str, paper: Paper) -> click.Command:
    """Describe the command of a paper."""

    def run(seed: int, **options: Any) -> None:
        with progress_bar() as progress:
            result = getattr(reproductions, name)(rng=seed, progress=progress, **options)
        click.echo(str(result))

    return Described(
        name,
        callback=run,
        help=paper.help,
        params=[
            *([] if paper.data is None else [paper.data]),
            click.Option(["--full"], is_flag=True, help=paper.full),
            *paper.others,
            click.Option(["--output"], type=NEW_FOLDER, help="Folder for one picture a figure."),
            click.Option(["--seed"], type=SEED, default=0, show_default=True, help="Seed."),
        ],
        examples=f"properly reproduce {name} {paper.example}",
    )


if __name__ == "__main__":
    reproduce()(prog_name="python -m reproductions")
