"""The commands of guides, typed as they stand in an empty folder, print what the guides show."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
# Pages whose commands start from the file that the first command here writes.
GUIDES = ("getting-started.md", "files-and-columns.md", "reading-the-report.md")
DATA = "properly demo --data crash.csv"

SHELL = shutil.which("bash") or ""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SHELL, reason="there is no bash here"),
]


def calls(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page, each with what it is said to print."""
    text = (DOCS / page).read_text(encoding="utf-8")
    shown = "".join(re.findall(r"```console\n(.*?)```", text, re.DOTALL))
    found = re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", shown, re.MULTILINE)
    return [call for call in found if not call[0].startswith("pip ")]


def printed(command: str, folder: Path) -> str:
    """Type a command into a shell that finds this installation first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(  # noqa: S603
        [SHELL, "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("page", GUIDES)
def test_commands_of_a_guide_print_what_it_shows(page: str, tmp_path: Path) -> None:
    commands = calls(page)
    assert commands
    if commands[0][0] != DATA:
        printed(DATA, tmp_path)
    for command, words in commands:
        # An ellipsis, alone in its line, stands for any lines.
        parts = [re.escape(part) for part in re.split(r"^ *…\n", words, flags=re.MULTILINE)]
        result = printed(command, tmp_path)
        assert re.fullmatch(r"(?:.*\n)*".join(parts), result), (command, result)
