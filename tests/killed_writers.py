"""Writers that are killed: a process of one thread forks them, so that each is there at once.

Run as ``python tests/killed_writers.py FOLDER SEED KILLS``, or ``... FOLDER pair``.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from properly._boundary._files import together, write_whole
from properly.cli import orderly

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ("page.html", "figure.svg")
SIZE = 300_000
# Seconds: some rounds of writing.
LONGEST = 0.02
ROUNDS = 60


def write_both(folder: Path, letter: bytes) -> None:
    """Write two files of one letter each."""
    with together():
        for name in NAMES:
            write_whole(folder / name, letter * SIZE)


def write_on(folder: Path, started: int) -> None:
    """Write again and again, until the end comes from elsewhere."""
    with orderly():
        for k in range(1_000_000):
            write_both(folder, b"%c" % (65 + k % 26))
            if k == 0:
                os.write(started, b"!")


def fork(work: Callable[[], None]) -> int:
    """Let a child work, and return its number."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    except SystemExit as end:
        status = int(str(end.code))
    finally:
        os._exit(status)


def kill_one(folder: Path, rng: random.Random) -> dict[str, Any]:
    """Kill a writer at some moment, and tell what it leaves."""
    reading, started = os.pipe()
    child = fork(lambda: write_on(folder, started))
    os.close(started)
    os.read(reading, 1)
    os.close(reading)
    time.sleep(rng.uniform(0, LONGEST))
    number = rng.choice([signal.SIGTERM, signal.SIGKILL])
    os.kill(child, number)
    _, status = os.waitpid(child, 0)
    contents = [(folder / name).read_bytes() for name in NAMES]
    return {
        "signal": number.name,
        "status": os.waitstatus_to_exitcode(status),
        "whole": all(x == x[:1] * SIZE for x in contents),
        "left": sorted(x.name for x in folder.iterdir() if x.name not in NAMES),
    }


def write_in_turn(folder: Path, letter: bytes) -> None:
    """Write a number of times."""
    for _ in range(ROUNDS):
        write_both(folder, letter)


def main(place: str, *options: str) -> None:
    """Print what was seen, as JSON."""
    folder = Path(place)
    if options == ("pair",):
        children = [fork(lambda x=x: write_in_turn(folder, x)) for x in (b"a", b"b")]  # type: ignore[misc]
        seen: Any = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    else:
        rng = random.Random(int(options[0]))  # noqa: S311 - moments, not secrets
        seen = [kill_one(folder, rng) for _ in range(int(options[1]))]
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
