"""Try what is published as a newcomer does: the wheel, the README's lines, the archive's tests.

Run with the folder of the wheel and the source archive, and that of an environment with nothing in
it; or with an environment that has the command, to try the README of this clone alone. All is run
in a folder of its own, so that nothing is imported from here.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from zipfile import ZipFile

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Those that need little besides pytest, of the data, of what can be imported, and of the metadata.
TESTS = ("tests/datasets", "tests/test_front_doors.py", "tests/test_package.py")
TOOLS = Path(__file__).with_name("tools.txt")
# Sources with their docstrings are over half of it.
MOST_BYTES = 2_400_000
WITHOUT_EXTRA = """\
this needs click, which is not installed
Hint: pip install 'properly[app]'
"""


class Environment:
    """An environment, and an empty folder to work in."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder = programs, folder
        hidden = ("PYTHONPATH", "VIRTUAL_ENV")
        self.variables = {k: value for k, value in os.environ.items() if k not in hidden}

    def run(self, line: str, *, exits: int = 0) -> str:
        """Run a command of the environment; return what it says besides its output."""
        program, *arguments = shlex.split(line, comments=True)
        command = [str(self.programs / program), *arguments]
        done = subprocess.run(  # noqa: S603
            command,
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            check=False,
            text=True,
        )
        if done.returncode != exits:
            sys.exit(f"{line} exits with {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stderr

    def install(self, *requirements: str) -> None:
        """Install what is required; tools at their pinned versions."""
        self.run(shlex.join(["python", "-m", "pip", "install", "-c", str(TOOLS), *requirements]))


def check_wheel(wheel: Path) -> None:
    """Refuse a wheel that is too large, or brings tests along."""
    size = wheel.stat().st_size
    with ZipFile(wheel) as packed:
        folders = {name.partition("/")[0].partition("-")[0] for name in packed.namelist()}
    if size > MOST_BYTES or folders != {"properly"}:
        sys.exit(f"{wheel.name} has {size} bytes, and the folders {sorted(folders)}")


def try_readme(readme: str, environment: Environment) -> list[str]:
    """Run the Python of the README as one script, then its commands; return the pages written."""
    blocks: list[tuple[str, str]] = BLOCK.findall(readme)
    python = "\n".join(body for kind, body in blocks if kind == "python")
    lines = [line for kind, body in blocks if not kind for line in body.splitlines()]
    (environment.folder / "readme.py").write_text(python, encoding="utf-8")
    for line in ["python readme.py", *[line for line in lines if line.startswith("properly ")]]:
        environment.run(line)
    return sorted(path.name for path in environment.folder.glob("*.html"))


def main(built: Path, environment: Path) -> None:
    """Install the wheel alone, then with its extra; run the README, and tests of the archive."""
    (wheel,), (archive,) = built.resolve().glob("*.whl"), built.glob("*.tar.gz")
    check_wheel(wheel)
    with tempfile.TemporaryDirectory() as name, tarfile.open(archive) as packed:
        packed.extractall(name, filter="data")
        (source,) = Path(name).iterdir()
        empty = Environment(environment.resolve() / "bin", Path(name))
        empty.install(str(wheel))
        if (said := empty.run("properly demo", exits=1)) != WITHOUT_EXTRA:
            sys.exit(f"without its extra, the command says\n{said}")
        empty.install(f"{wheel}[app]")
        pages = try_readme((source / "README.md").read_text(encoding="utf-8"), empty)
        empty.install("pytest", "hypothesis")
        Environment(empty.programs, source).run(shlex.join(["python", "-m", "pytest", *TESTS]))
    print(f"the wheel works, and wrote {' and '.join(pages)}; the archive passes its tests")


def try_clone(environment: Path) -> None:
    """Run the Python and the commands of this clone's README."""
    readme = Path(__file__).parents[1] / "README.md"
    with tempfile.TemporaryDirectory() as name:
        there = Environment(environment.resolve() / "bin", Path(name))
        pages = try_readme(readme.read_text(encoding="utf-8"), there)
    print(f"the README's lines work, and wrote {' and '.join(pages)}")


if __name__ == "__main__":
    (main if len(sys.argv) > 2 else try_clone)(*map(Path, sys.argv[1:]))
