"""The help of every command, written into the pages of the reference.

``python -m studies.help_pages`` writes what ``--help`` prints now where the pages have what it
printed before; all else on them stays.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from click.testing import CliRunner

from properly import cli

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
# A block that begins as a help text does, with the words that call the command.
BLOCK = re.compile(r"```text\nUsage: properly(?P<words>(?: [a-z0-9-]+)*) .*?```\n", re.DOTALL)


def renewed(page: str) -> str:
    """Put the help that is printed now in the place of all help on a page."""
    return BLOCK.sub(_help, page)


def _help(found: re.Match[str]) -> str:
    words = [*found["words"].split(), "--help"]
    return (
        f"```text\n{CliRunner().invoke(cli.command(), words, catch_exceptions=False).stdout}```\n"
    )


def main() -> None:
    """Write the pages again."""
    os.environ["COLUMNS"] = "80"
    for path in (REFERENCE / "cli.md", *sorted((REFERENCE / "cli").glob("*.md"))):
        path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
