"""A run that the system asks to end clears up first."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.interrupted_runs import COMMANDS, SIGNALS, interrupt, is_quiet, write_data

from properly import cli

if TYPE_CHECKING:
    from pathlib import Path

# A run that ends itself, as it writes or as a library works for it.
TERMINATED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from properly import cli

number = int(sys.argv.pop(1))

def end(*_):
    os.kill(os.getpid(), number)

if sys.argv.pop(1) == "fsync":
    os.fsync = end
else:
    import properly.datasets
    def crash():
        # A library may say no more than that it was interrupted.
        try:
            end()
        except SystemExit:
            raise RuntimeError("Query interrupted") from None
    properly.datasets.crash = crash
cli.main()
"""


def run(script: str, *args: str, folder: Path) -> tuple[int, str, str]:
    """Run a script in a folder that is also that of temporary files."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script, *args],
        cwd=folder,
        env=os.environ | {"TMPDIR": str(folder)},
        capture_output=True,
        check=False,
        timeout=100,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize(
    ("when", "number", "printed"),
    [
        ("fsync", signal.SIGTERM, ""),
        ("work", signal.SIGTERM, ""),
        ("fsync", signal.SIGINT, "Interrupted.\n"),
    ],
)
def test_a_run_that_is_asked_to_end_clears_up(
    when: str, number: int, printed: str, tmp_path: Path
) -> None:
    words = "demo --data a.csv --answers b.csv"
    result = run(TERMINATED, str(int(number)), when, *words.split(), folder=tmp_path)
    assert result == (128 + number, "", printed)
    assert list(tmp_path.iterdir()) == []


def test_signals_that_are_ignored_stay_so_and_others_are_given_back() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with cli.orderly():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with cli.orderly():
            assert callable(signal.getsignal(signal.SIGTERM))
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_another_thread_handles_no_signals() -> None:
    seen: list[object] = []

    def look() -> None:
        with cli.orderly():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]


# Draws that would go on for hours; the first of them interrupts the process.
DRAWING = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
from properly.calibration import _components

drawn = []
refit = _components.refit_all

def interrupting(*args):
    drawn.append(1)
    if len(drawn) == 1:
        os.kill(os.getpid(), signal.SIGINT)
    return refit(*args)

_components.refit_all = interrupting
"""
# The same, as the first thread starts.
STARTING = """
import os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)

start = threading.Thread.start

def interrupting(thread):
    start(thread)
    if thread.name.startswith("ThreadPool"):
        os.kill(os.getpid(), signal.SIGINT)

threading.Thread.start = interrupting
"""
COMMAND = """
from properly import cli
cli.main()
"""
CALL = """
import properly
rng = np.random.default_rng(0)
p = rng.random(2000)
y = rng.random(2000) < p
try:
    properly.evaluate(y, {"a": p, "b": p**1.1}, clusters=np.arange(2000) // 20, replicates=10**7)
except KeyboardInterrupt:
    before = len(drawn)
    time.sleep(0.2)
    print("interrupted", len(drawn) - before)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize("interrupting", [DRAWING, STARTING], ids=["drawing", "starting"])
def test_an_interrupt_stops_the_threads_of_a_command(interrupting: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    rows = np.column_stack([rng.random(2000) < p, p, np.arange(2000) // 20])
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", header="y,p,c", comments="")
    words = "report rows.csv --outcome y --forecast p --clusters c --replicates 10000000"
    result = run(interrupting + COMMAND, *words.split(), folder=tmp_path)
    assert result == (130, "", "Interrupted.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_an_interrupt_of_a_call_stops_its_threads_and_python_goes_on(tmp_path: Path) -> None:
    result = run(DRAWING + CALL, folder=tmp_path)
    assert result == (0, "interrupted 0\n", "")


# A library that swallows the exception, as a destructor does.
DEAF = """
import os, signal, time
from properly import cli
from properly._boundary._files import temporary_folder

with cli.orderly(), temporary_folder():
    while True:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)
        except SystemExit:
            pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_run_that_does_not_end_is_ended(tmp_path: Path) -> None:
    assert run(DEAF, folder=tmp_path) == (143, "", "")
    assert list(tmp_path.iterdir()) == []


# An import, in the midst of which a signal arrives.
IMPORTED = """
import os, signal, sys
from pathlib import Path
from properly import cli
from properly._boundary._notices import import_extra

Path("slow.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGINT); print('done')")
sys.path.insert(0, ".")
with cli.orderly():
    import_extra("slow", extra="app")
    print("not reached")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_an_interrupt_waits_for_the_import_of_an_extra(tmp_path: Path) -> None:
    assert run(IMPORTED, folder=tmp_path) == (130, "done\n", "Interrupted.\n")


# A destructor that swallows the exception, as one of an import does.
SWALLOWED = """
import os, signal, time
from properly import cli

class Last:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)

with cli.orderly():
    Last()
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_an_interrupt_in_a_destructor_prints_no_traceback(tmp_path: Path) -> None:
    assert run(SWALLOWED, folder=tmp_path) == (130, "", "Interrupted.\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_commands_that_are_interrupted_at_random_leave_nothing_behind(tmp_path: Path) -> None:
    write_data(tmp_path)
    rng = random.Random(1)  # noqa: S311
    for command in COMMANDS:
        number, delay = rng.choice(SIGNALS), rng.uniform(0.5, 5)
        ending = interrupt(command, tmp_path, delay, number)
        # Whether it takes 2 seconds depends on what else the machine does.
        assert ending.code is None or is_quiet(ending, number), (command, delay, ending)
        assert ending.seconds < 20
