"""``properly reproduce``: published results, computed again by the scripts of a clone."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from properly.cli._described import Described

# What holds the scripts, where the package is run from a clone.
CLONE = Path(__file__).resolve().parents[3]
HOW = (
    "published results are computed by scripts that are not installed with the package; clone the "
    "repository, run 'pip install -e .[app]' in it, and then this command again"
)


def reproduce() -> click.Command:
    """Hand over to the scripts of the clone, or describe how to get one."""
    if (CLONE / "reproductions" / "__main__.py").is_file():
        # Last, so that nothing of the clone hides a module that is installed.
        if str(CLONE) not in sys.path:
            sys.path.append(str(CLONE))
        from reproductions.__main__ import reproduce as papers

        return papers()
    return Described(
        "reproduce",
        callback=_refuse,
        help="Compute published results again, in a clone of the repository.",
        params=[click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)],
        examples="properly reproduce consequentialist --output figures",
        context_settings={"ignore_unknown_options": True},
    )


def _refuse(arguments: tuple[str, ...]) -> None:
    del arguments
    raise click.ClickException(HOW)
