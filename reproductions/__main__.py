"""``properly reproduce``, or ``python -m reproductions``: published results, computed again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from properly.cli._commands import Described, DescribedGroup
from properly.cli._running import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable


def reproduce() -> click.Group:
    """Describe ``properly reproduce`` and the papers below it."""
    return DescribedGroup(
        "reproduce",
        help="Compute published results again.",
        commands=[_corp(), _consequentialist(), _nelson(), _ordinal(), _penalized(), _selection()],
        examples="properly reproduce consequentialist --output figures",
    )


def _corp() -> click.Command:
    """Describe ``properly reproduce corp``."""
    file = click.Path(exists=True, dir_okay=False)
    rain = "CSV file of rain at Niamey: date, Logistic, EMOS, ENS, EPC, obs."
    return Described(
        "corp",
        callback=_reproduce_corp,
        help="The tables and figures of the paper on CORP, beside what it prints and claims.",
        params=[
            click.Option(["--data"], type=file, help=rain),
            click.Option(["--full"], is_flag=True, help="Simulate as much as the paper: hours."),
            *_pictures_and_seed(),
        ],
        examples="properly reproduce corp --output figures",
    )


def _consequentialist() -> click.Command:
    """Describe ``properly reproduce consequentialist``."""
    return Described(
        "consequentialist",
        callback=_reproduce_consequentialist,
        help="The tables and figures of the paper on decisions, beside what it prints and claims.",
        params=[
            click.Option(["--full"], is_flag=True, help="Simulate as much as the paper."),
            *_pictures_and_seed(),
        ],
        examples="properly reproduce consequentialist --output figures",
    )


def _nelson() -> click.Command:
    """Describe ``properly reproduce nelson``."""
    return Described(
        "nelson",
        callback=_reproduce_nelson,
        help="The figures of the paper on means of probabilities, beside what it prints.",
        params=[
            click.Option(["--full"], is_flag=True, help="Simulate ten times as much: minutes."),
            *_pictures_and_seed(),
        ],
        examples="properly reproduce nelson --output figures",
    )


def _ordinal() -> click.Command:
    """Describe ``properly reproduce ordinal``."""
    folder = click.Path(exists=True, file_okay=False)
    return Described(
        "ordinal",
        callback=_reproduce_ordinal,
        help="The tables and figures of the paper on ordered classes, beside what it prints.",
        params=[
            click.Option(
                ["--data"],
                type=folder,
                help="Folder of classifiers' outputs: .npz files of scores and targets.",
            ),
            click.Option(["--full"], is_flag=True, help="1,000 resamples instead of 50."),
            *_pictures_and_seed(),
        ],
        examples="properly reproduce ordinal --output figures",
    )


def _penalized() -> click.Command:
    """Describe ``properly reproduce penalized``."""
    return Described(
        "penalized",
        callback=_reproduce_penalized,
        help="The tables and figures of the paper on penalized scores, beside what it prints.",
        params=[
            click.Option(["--full"], is_flag=True, help="Simulate twenty times as much."),
            *_pictures_and_seed(),
        ],
        examples="properly reproduce penalized --output figures --seed 1",
    )


def _selection() -> click.Command:
    """Describe ``properly reproduce selection``."""
    folder, made = click.Path(exists=True, file_okay=False), click.Path(file_okay=False)
    return Described(
        "selection",
        callback=_reproduce_selection,
        help="Epochs chosen by scores: that paper's experiments, with the error rate beside them.",
        params=[
            click.Option(
                ["--data"],
                type=folder,
                help="Folder of series, one folder a set and one file a class, and of histories.",
            ),
            click.Option(["--full"], is_flag=True, help="20 seeds instead of 3: up to two hours."),
            click.Option(
                ["--work"],
                type=made,
                help="Folder to keep finished runs in, and to go on from; else runs in --output.",
            ),
            *_pictures_and_seed(),
        ],
        examples="properly reproduce selection --data activity --work runs",
    )


def _pictures_and_seed() -> list[click.Parameter]:
    """Describe the options that every reproduction has."""
    folder, number = click.Path(file_okay=False), click.IntRange(min=0)
    return [
        click.Option(["--output"], type=folder, help="Folder for one picture a figure."),
        click.Option(["--seed"], type=number, default=0, show_default=True, help="Seed."),
    ]


def _reproduce_corp(data: str | None, **options: Any) -> None:
    from reproductions import corp

    _print_result(lambda **common: corp(data, **common), **options)


def _reproduce_consequentialist(**options: Any) -> None:
    from reproductions import consequentialist

    _print_result(consequentialist, **options)


def _reproduce_nelson(**options: Any) -> None:
    from reproductions import nelson

    _print_result(nelson, **options)


def _reproduce_ordinal(data: str | None, **options: Any) -> None:
    from reproductions import ordinal

    _print_result(lambda **common: ordinal(data, **common), **options)


def _reproduce_penalized(**options: Any) -> None:
    from reproductions import penalized

    _print_result(penalized, **options)


def _reproduce_selection(data: str | None, work: str | None, **options: Any) -> None:
    from reproductions import selection

    _print_result(lambda **common: selection(data, work=work, **common), **options)


def _print_result(
    work: Callable[..., object], *, full: bool, output: str | None, seed: int
) -> None:
    with progress_bar() as progress:
        result = work(full=full, output=output, rng=seed, progress=progress)
    click.echo(str(result))


if __name__ == "__main__":
    reproduce()(prog_name="python -m reproductions")
