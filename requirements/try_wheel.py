"""Try an installed wheel as a newcomer does: the README's Python, then a page from a file.

Run with the folder of the environment in which the wheel is installed; nothing of this folder is
imported there.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = (
    ("properly", "demo", "--data", "forecasts.csv"),
    (
        *("properly", "report", "forecasts.csv", "--outcome", "died", "--forecast", "logistic"),
        *("--forecast", "forest", "--within", "0.01", "0.1"),
    ),
)


def run(command: tuple[str, ...], folder: Path) -> None:
    """Run a command in a folder, with nothing of this environment."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "VIRTUAL_ENV")
    }
    subprocess.run(command, cwd=folder, check=True, env=environment, stdout=subprocess.DEVNULL)  # noqa: S603


def main(environment: Path) -> None:
    """Run the Python of the README as one script, then the commands of a newcomer."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    programs = environment.resolve() / "bin"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "readme.py").write_text("\n".join(PYTHON.findall(readme)), encoding="utf-8")
        run((str(programs / "python"), "readme.py"), folder)
        for program, *arguments in COMMANDS:
            run((str(programs / program), *arguments), folder)
        pages = sorted(path.name for path in folder.glob("*.html"))
    print(f"the wheel works: {', '.join(pages)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
