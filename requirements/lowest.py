"""Print the lowest versions that pyproject.toml allows, as requirements for pip.

Of what the library and its lighter extras need, with what runs the tests; frameworks have
environments of their own.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

EXTRAS = ("app", "plots", "sklearn", "timeseries", "test")
# What old releases need in turn, and would take too new: matplotlib 3.9 is warned by its parser.
OLD = ("pyparsing<3.3",)
# Linters and browsers are not tested, and want newer versions than users have.
RUNNERS = ("hypothesis", "pytest", "pytest-xdist")


def lowest() -> list[str]:
    """Return each requirement with its lower bound as the only version, and what runs tests."""
    root = Path(__file__).resolve().parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tools = (root / "requirements" / "tools.txt").read_text(encoding="utf-8")
    asked = [*project["dependencies"]]
    for extra in EXTRAS:
        asked += project["optional-dependencies"][extra]
    names = {requirement.partition(">=")[0]: requirement for requirement in asked}
    bounds = [
        requirement.replace(">=", "==")
        for name, requirement in names.items()
        if not name.startswith("properly") and f"\n{name.partition('[')[0]}==" not in tools
    ]
    return sorted([*bounds, *OLD, *RUNNERS])


if __name__ == "__main__":
    if sys.version_info >= (3, 13):
        sys.exit("the lowest versions need Python 3.11 or 3.12: make test-lowest OLDEST=python3.11")
    print("\n".join(lowest()))
