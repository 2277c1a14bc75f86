"""Write the versions of the tools that are installed to tools.txt."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

FILE = Path(__file__).with_name("tools.txt")


def locked(text: str) -> str:
    """Put the installed version behind each name."""
    return re.sub(r"(?m)^([a-z0-9-]+)==.*$", lambda line: f"{line[1]}=={version(line[1])}", text)


if __name__ == "__main__":
    FILE.write_text(locked(FILE.read_text(encoding="utf-8")), encoding="utf-8")
