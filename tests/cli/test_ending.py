"""A run that the system asks to end clears up first."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from properly import cli

if TYPE_CHECKING:
    from pathlib import Path

# A run that ends itself, as it writes or as a library works for it.
TERMINATED = """
import os, signal, sys
from properly import cli

def end(*_):
    os.kill(os.getpid(), signal.SIGTERM)

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


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize("when", ["fsync", "work"])
def test_a_run_that_is_asked_to_end_clears_up_and_says_nothing(when: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", TERMINATED, when, "demo", "--data", "a.csv"]
    command += ["--answers", "b.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=100)  # noqa: S603
    assert (done.returncode, done.stdout, done.stderr) == (143, b"", b"")
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
