"""A year of a monitor: late outcomes, restarts and killed writers leave no trace in its state.

``python -m tests.evaluation.test_monitor_year STATE FIRST END [DAY HOW]`` is one process of that
year. It reads the state, adds what came on each day and saves it every third day. On such a day it
may be killed while it saves.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from properly import Monitor
from properly.rules import Log

Column = np.ndarray[Any, Any]
ROOT = Path(__file__).parents[2]
DAYS, A_DAY, SAVED = 366, 4, 3
OPTIONS: dict[str, dict[str, Any]] = {
    "alarms once": {"against": "old", "rule": Log(), "level": 0.9},
    "restarts": {"against": "old", "run_length": 200.0},
}


class Year(NamedTuple):
    """Cases by the day of their forecast, and the day on which each outcome becomes known."""

    day: Column
    ids: Column
    y: Column
    new: Column
    old: Column
    groups: Column
    clusters: Column
    known: Column


def year(seed: int = 12) -> Year:
    """Draw cases whose events are known within days, and their absence after a month.

    The new model goes wrong in summer. Copies of a case, on one day, are a cluster.
    """
    rng = np.random.default_rng(seed)
    n = DAYS * A_DAY
    day = np.repeat(np.arange(DAYS), A_DAY)
    p = rng.beta(1, 3, n).clip(0.01, 0.99)
    y = (rng.random(n) < p).astype(int)
    copied = (np.arange(n) % A_DAY == A_DAY - 1) & (rng.random(n) < 0.5)
    y[copied], p[copied] = y[np.flatnonzero(copied) - 1], p[np.flatnonzero(copied) - 1]
    new = np.where((day > 150) & (day < 240), p**0.4, p)
    known = day + np.where(y == 1, rng.integers(0, 6, n), 30)
    known[rng.random(n) < 0.02] += 40
    ids = np.array([f"{d}-{k}" for k, d in enumerate(day)])
    clusters = np.array([f"{d}-{k - c}" for k, (d, c) in enumerate(zip(day, copied, strict=True))])
    groups = np.where(np.arange(n) % 3 == 0, "town", "country")
    return Year(day, ids, y, new, rng.beta(1, 3, n).clip(0.01, 0.99), groups, clusters, known)


def add_forecasts(monitor: Monitor, of: Year, rows: Column, y: Any) -> None:
    models = {"new": of.new[rows], "old": of.old[rows]}
    clusters, groups = of.clusters[rows], of.groups[rows]
    monitor.add(y, models, ids=of.ids[rows], clusters=clusters, groups=groups)


def live(monitor: Monitor, of: Year, day: int) -> None:
    """Add what comes on a day: outcomes first, some of them again, then forecasts, some again."""
    rng = np.random.default_rng(day)
    due = of.known if day < DAYS else np.minimum(of.known, DAYS)
    told = np.flatnonzero((due == day) | ((due < day) & (rng.random(len(due)) < 0.01)))
    if told.size:
        told = rng.permutation(told)
        monitor.add(of.y[told], ids=of.ids[told])
    rows = np.flatnonzero(of.day == day)
    if rows.size:
        some = np.where(rng.random(len(rows)) < 0.1, of.y[rows], np.nan)
        add_forecasts(monitor, of, rows, some)
        again = np.flatnonzero(of.day == day - 1)
        if again.size and day % 7 == 0:
            add_forecasts(monitor, of, again, None)


def process(path: Path, kind: str, first: int, end: int, kill: tuple[int, str] | None) -> None:
    """Live some days, and save; on one of them, be killed while it is saved."""
    of = year()
    monitor = Monitor.load(path) if path.exists() else Monitor(**OPTIONS[kind])
    for day in range(first, end):
        live(monitor, of, day)
        if kill and kill[0] == day:
            be_killed(kill[1])
        if day % SAVED == 0:
            monitor.save(path)


def be_killed(how: str) -> None:
    """Let the process end in the middle of the next file, or when it has just got its name."""
    fsync, replace = os.fsync, os.replace

    def half(handle: Any) -> None:
        os.ftruncate(handle, os.fstat(handle).st_size // 2)
        fsync(handle)
        os.kill(os.getpid(), signal.SIGKILL)

    def renamed(*args: Any, **options: Any) -> None:
        replace(*args, **options)
        os.kill(os.getpid(), signal.SIGKILL)

    if how == "half written":
        vars(os)["fsync"] = half
    else:
        vars(os).update(replace=renamed, rename=renamed)


def run(path: Path, kind: str, first: int, end: int, *kill: Any) -> int:
    """Live some days in a process of its own, and return how it ended."""
    command = [sys.executable, "-m", "tests.evaluation.test_monitor_year"]
    asked = [str(path), kind, str(first), str(end), *map(str, kill)]
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    known = os.environ | {"PYTHONPATH": paths}
    return subprocess.run([*command, *asked], env=known, check=False).returncode  # noqa: S603


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["alarms once", "restarts"])
def test_a_year_with_restarts_and_killed_writers_ends_as_one_run_does(
    kind: str, tmp_path: Path
) -> None:
    of, path = year(), tmp_path / "watch" / "state.json"
    path.parent.mkdir()
    assert run(path, kind, 0, 119) == 0
    before = path.read_bytes()
    assert run(path, kind, 118, 200, 120, "half written") == -signal.SIGKILL
    assert path.read_bytes() == before
    assert len(list(path.parent.iterdir())) == 2  # what was half written, under another name
    assert run(path, kind, 118, 251, 249, "renamed") == -signal.SIGKILL
    assert path.read_bytes() != before
    then = Monitor.load(path)
    assert min(then.open, then.waiting, then.cases) > 0
    # Nobody knows that it was saved: the last days are lived once more, then those to the end.
    assert run(path, kind, 247, DAYS + 1) == 0
    once = Monitor(**OPTIONS[kind])
    add_forecasts(once, of, np.arange(len(of.day)), of.y)
    # How late outcomes came is known only to those who waited for them.
    once._register.overlap = Monitor.load(path)._register.overlap
    assert once._register.overlap > 0
    assert path.read_bytes() == once.save(tmp_path / "once.json").read_bytes()
    assert list(path.parent.iterdir()) == [path]
    assert once.alarms
    assert (once.cases, once.open, once.early) == (len(of.day), 0, 0)
    claims = {(x.model, x.about, x.group) for x in once.alarms}
    assert (len(once.alarms) > len(claims)) == (kind == "restarts")


if __name__ == "__main__":
    path, kind, first, end, *kill = sys.argv[1:]
    process(Path(path), kind, int(first), int(end), (int(kill[0]), kill[1]) if kill else None)
