"""Tests in forked processes: what they need is loaded once, and a mutant is read by each anew."""

from __future__ import annotations

import compileall
import contextlib
import json
import math
import os
import shutil
import signal
import sys
import time
from collections import deque
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

# What most tests load, and no mutant changes. A process with threads cannot be forked, so that
# libraries which start some are left to the tests that need them.
LOADED = (
    *("numpy", "scipy.optimize", "scipy.special", "scipy.stats", "pandas", "narwhals"),
    *("array_api_compat", "array_api_strict", "hypothesis.extra.numpy", "pytest"),
)
# What a mutant may take, in bytes, before it is refused memory.
MEMORY = 16 << 30
PAUSE = 0.02
# On a busy machine a process may take so many times its seconds of a processor.
BUSY = 10


class Task(NamedTuple):
    """Work for a forked process, in a tree of its own.

    Attributes
    ----------
    about : object
        What the answer is about.
    work : callable
        Given the tree, it returns something that JSON can write.
    limit : float
        Seconds of a processor after which the process is ended.
    path, content : str and bytes
        The file that is changed meanwhile, if any.
    """

    about: Any
    work: Callable[[Path], Any]
    limit: float
    path: str = ""
    content: bytes = b""


class Answer(NamedTuple):
    """What came of a task: its result, None if it crashed, and whether its time was over."""

    result: Any
    late: bool
    seconds: float


class _Running(NamedTuple):
    task: Task
    tree: Path
    began: float


class Forks:
    """Processes, one in each copy of a tree.

    Parameters
    ----------
    root : Path
        What is copied, itself a copy.
    folder : Path
        Where the copies are put.
    jobs : int
        How many there are.
    """

    def __init__(self, root: Path, folder: Path, jobs: int) -> None:
        self.root = root
        # What no mutant changes is compiled once, whatever the environment says of that.
        sys.dont_write_bytecode = False
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        compileall.compile_dir(root / "src", quiet=2)
        self.free = [copied(root, folder / f"tree-{k}") for k in range(jobs)]
        self.running: dict[int, _Running] = {}
        self.waiting: deque[Task] = deque()
        # A file that is changed again within a second must not be taken for what it was.
        self.moment = 10**9
        for name in LOADED:
            with contextlib.suppress(ImportError):
                import_module(name)

    def first(self, task: Task) -> None:
        """Put a task before those that wait."""
        self.waiting.appendleft(task)

    def answers(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Answer]]:
        """Do all tasks, and those that are added meanwhile; answers come as they are ready."""
        self.waiting.extend(tasks)
        try:
            while self.waiting or self.running:
                while self.waiting and self.free:
                    self._start(self.waiting.popleft())
                yield from self._ended()
                time.sleep(PAUSE)
        finally:
            for process in list(self.running):
                self._end(process)

    def _start(self, task: Task) -> None:
        tree = self.free.pop()
        if task.path:
            self.moment += 2
            (tree / task.path).write_bytes(task.content)
            os.utime(tree / task.path, (self.moment, self.moment))
        process = os.fork()
        if process == 0:
            _work(task, tree)
        self.running[process] = _Running(task, tree, time.monotonic())

    def _ended(self) -> Iterator[tuple[Task, Answer]]:
        for process, (task, tree, began) in list(self.running.items()):
            seconds = time.monotonic() - began
            ended, status = os.waitpid(process, os.WNOHANG)
            late = seconds > BUSY * task.limit
            if ended or late:
                self._end(process)
                late = late or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU)
                yield task, self._freed(process, tree, seconds, late=late)

    def _freed(self, process: int, tree: Path, seconds: float, *, late: bool) -> Answer:
        task, result = self.running.pop(process).task, _result(tree)
        answer = json.loads(result.read_text(encoding="utf-8")) if result.exists() else None
        result.unlink(missing_ok=True)
        if task.path:
            shutil.copy2(self.root / task.path, tree / task.path)
        self.free.append(tree)
        return Answer(answer, late, seconds)

    def _end(self, process: int) -> None:
        """End a process that was started here, and those that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process, 0)


def copied(root: Path, tree: Path) -> Path:
    """Copy what tests need, and nothing that was built."""
    tree.mkdir(parents=True)
    built = shutil.ignore_patterns("_build", "generated", "results", "*.html", ".*")
    for name in ("src", "tests", "docs", "studies", "reproductions", "examples", "benchmarks"):
        if (root / name).exists():
            shutil.copytree(root / name, tree / name, ignore=built)
    for file in root.iterdir():
        if file.suffix in {".py", ".toml", ".md"} or file.name == "Makefile":
            shutil.copy2(file, tree)
    return tree


def _result(tree: Path) -> Path:
    return tree.with_suffix(".json")


def _work(task: Task, tree: Path) -> None:
    """Do a task in this process, which ends with it."""
    with contextlib.suppress(BaseException):
        import resource

        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        seconds = math.ceil(task.limit)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silent, stream)
        os.chdir(tree)
        paths = [str(tree / "src"), str(tree)]
        sys.path[:0] = paths
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
        answer = json.dumps(task.work(tree))
        unfinished = _result(tree).with_suffix(".part")
        unfinished.write_text(answer, encoding="utf-8")
        unfinished.replace(_result(tree))
    os._exit(0)
