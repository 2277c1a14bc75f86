"""Which tests reach which lines: each file of tests is run once, and its lines are noted."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from studies.mutants.forks import Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import CodeType, FrameType

    from studies.mutants.forks import Forks
    from studies.mutants.mutations import Mutant

# Seconds that a file of tests may take.
LONGEST = 1200
# Calls of a function in which a test is watched.
CALLS = 20
QUIET = (
    *("-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin"),
    *("-o", "faulthandler_timeout=0", "-o", "addopts=--import-mode=importlib"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)


class Timed(NamedTuple):
    """A test, and how long it took."""

    name: str
    seconds: float


class Reach:
    """What is known of tests: how long they take, and the lines that each reaches.

    Parameters
    ----------
    root : Path
        The repository.
    folder : Path
        Where it is written down, a file for each file of tests.
    packages : sequence of str
        The packages whose lines are noted.
    """

    def __init__(self, root: Path, folder: Path, packages: Sequence[str]) -> None:
        self.root, self.folder, self.packages = root, folder, packages
        self.notes: list[dict[str, Any]] = []

    def files(self) -> Iterator[str]:
        """Return the files of tests: of the packages, laws, messages, examples in docstrings."""
        for name in (*self.packages, "laws", "messages"):
            yield from _names(self.root, (self.root / "tests" / name).rglob("test_*.py"))
        for name in self.packages:
            sources = (self.root / "src" / "properly" / name).rglob("*.py")
            some = [path for path in sources if ">>> " in path.read_text(encoding="utf-8")]
            yield from _names(self.root, some)

    def learn(self, forks: Forks) -> Iterator[str]:
        """Run the files of tests that are new or have changed; say which."""
        self.folder.mkdir(parents=True, exist_ok=True)
        tasks = []
        for file in self.files():
            note = self._note(file)
            if note.exists():
                self.notes.append(json.loads(note.read_text(encoding="utf-8")))
            else:
                tasks.append(Task(file, lambda tree, file=file: measured(tree, file), LONGEST))  # type: ignore[misc]
        sources = {path: digest(self.root / path) for path in self._sources()}
        for task, answer in forks.answers(tasks):
            if answer.result is None or answer.result["code"] not in (0, 5):
                # What fails without a mistake would notice any.
                yield f"{task.about}: does not pass as it is, and is left out"
                continue
            lines, tests = answer.result["lines"], answer.result["tests"]
            read = {path: sources[path] for path in lines if path in sources}
            self.notes.append({"tests": tests, "lines": lines, "sources": read})
            note = self._note(task.about)
            for old in self.folder.glob(f"{note.name.rpartition('-')[0]}-*.json"):
                old.unlink()
            note.write_text(json.dumps(self.notes[-1]), encoding="utf-8")
            yield f"{task.about}: {len(tests)} tests, {answer.seconds:.0f} s"

    def tests_of(self, mutant: Mutant) -> list[Timed]:
        """Return the tests that reach a mutant, those first that are most likely to notice it.

        Tests of a file share what one of them was the first to make, and so follow it.
        """
        found, now = [], digest(self.root / mutant.path)
        for note in self.notes:
            lines = note["lines"].get(mutant.path, {})
            same = note["sources"].get(mutant.path) == now
            if mutant.statement and same:
                # Python does not say of all lines of a long statement that it was there.
                masks = [lines.get(str(mutant.line)) or lines.get(str(mutant.statement), "0")]
            else:
                masks = list(set(lines.values()))
            mask = 0
            for text in masks:
                mask |= int(text, 16)
            for k, test in enumerate(note["tests"] if mask else []):
                order = 1 - (mask >> k & 1), _rank(test[0], mutant.path), test[1]
                found.append((order, Timed(*test)))
        return [test for _, test in sorted(found)]

    def _sources(self) -> Iterator[str]:
        for name in self.packages:
            yield from _names(self.root, (self.root / "src" / "properly" / name).rglob("*.py"))

    def _note(self, file: str) -> Path:
        """Return where a file of tests is written down, as it is now."""
        return self.folder / f"{file.replace('/', '.')}-{digest(self.root / file)}.json"


def measured(tree: Path, file: str) -> dict[str, Any]:
    """Run a file of tests, and note which test reaches which lines."""
    watch = _Watch(tree / "src")
    code = _ran(tree, [file], watch)
    passed = [name for name in watch.seconds if name not in watch.spoilt]
    masks: dict[str, dict[str, int]] = {}
    for k, name in enumerate(passed):
        for path, line in watch.lines[name]:
            by_line = masks.setdefault(Path(path).relative_to(tree).as_posix(), {})
            by_line[str(line)] = by_line.get(str(line), 0) | 1 << k
    lines = {path: {line: f"{x:x}" for line, x in found.items()} for path, found in masks.items()}
    tests = [(name, round(watch.seconds[name], 3)) for name in passed]
    return {"code": code, "tests": tests, "lines": lines}


def _ran(tree: Path, files: Sequence[str], plugin: object, *options: str) -> int:
    """Run files of tests without anything that they can do without."""
    import pytest

    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    if any(file.startswith("src") for file in files):
        options = (*options, "--doctest-modules")
    return pytest.main([*QUIET, *options, f"--basetemp={tree}.tmp", *files], plugins=[plugin])


class _Watch:
    """Notes the lines that each test reaches, how long it takes, and which do not pass.

    A function is watched in its first calls alone: to watch all takes as long again as tests do.
    """

    def __init__(self, source: Path) -> None:
        self.source = f"{source}{os.sep}"
        self.seconds: dict[str, float] = {}
        self.spoilt: set[str] = set()
        self.lines: dict[str, set[tuple[str, int]]] = {}
        self.reached: set[tuple[str, int]] = set()
        self.calls: dict[CodeType, int] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.reached, self.calls = self.lines.setdefault(nodeid, set()), {}
        sys.settrace(self.enter)
        threading.settrace(self.enter)

    def pytest_runtest_logfinish(self) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if not report.passed:
            self.spoilt.add(report.nodeid)

    def enter(self, frame: FrameType, *_: Any) -> Any:
        """Watch a function that is called, if it is one of ours and has not been called often."""
        code = frame.f_code
        calls = self.calls.get(code, 0)
        if calls >= CALLS:
            return None
        ours = code.co_filename.startswith(self.source)
        self.calls[code] = calls + 1 if ours else CALLS
        return self.step if ours else None

    def step(self, frame: FrameType, event: str, _: Any) -> Any:
        """Note a line."""
        if event == "line":
            self.reached.add((frame.f_code.co_filename, frame.f_lineno))
        return self.step


def noticed(tree: Path, tests: Sequence[str]) -> dict[str, Any]:
    """Run tests, in their order, until the first that fails."""
    order = _Order(tests)
    code = _ran(tree, list(dict.fromkeys(file_of(name) for name in tests)), order, "-x")
    # 5: there was nothing to run, since the tests are called otherwise now.
    return {"failed": code not in (0, 5), "by": order.failed, "ran": order.ran}


class _Order:
    """Runs chosen tests, in the order in which they were named."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.place = {name: k for k, name in enumerate(tests)}
        self.failed, self.ran = "", 0

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        chosen = [item for item in items if item.nodeid in self.place]
        items[:] = sorted(chosen, key=lambda item: self.place[item.nodeid])

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed = self.failed or f"{report.nodeid} (cannot be read)"

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.ran += report.when == "call"
        if report.failed:
            self.failed = self.failed or report.nodeid


def file_of(test: str) -> str:
    """Return the file that a test is in."""
    return test.partition("::")[0]


def digest(path: Path) -> str:
    """Return a short name of what a file says."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def _names(root: Path, paths: Iterable[Path]) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in paths)


def _rank(test: str, path: str) -> int:
    """Say how near a test stands to a file: of its name, of its package, or elsewhere."""
    file, module = Path(file_of(test)), Path(path)
    package = module.parts[2]
    if file == module or file.stem == f"test{module.stem}":
        return 0
    return 1 if package in file.parts else 2
