# ruff: noqa: T201
"""Fuzz for some minutes: ``python -m tests.fuzz 10``. Each round has a seed of its own.

A round that fails prints its seed and the falsifying example, and ends the run; pass the seed as
the second argument to see it again.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
import time

COMMAND = (
    *(sys.executable, "-m", "pytest", "-q", "--maxfail=3", "--tb=short", "tests/fuzz"),
    *("--hypothesis-profile=fuzz", "--numprocesses=auto", "--dist=worksteal"),
)


def round_of(seed: int) -> int:
    """Run all fuzzers once, and say how to do it again if one fails."""
    print(f"seed {seed}", flush=True)
    code = subprocess.call([*COMMAND, f"--hypothesis-seed={seed}"])  # noqa: S603
    if code:
        print(f"failed with seed {seed}: python -m tests.fuzz 0 {seed}", flush=True)
    return code


def main(minutes: float, seed: int | None = None) -> int:
    """Run rounds until the time is over; the last may take longer. Return the first code but 0."""
    end, rounds = time.monotonic() + 60 * minutes, 0
    while True:
        code = round_of(secrets.randbelow(2**32) if seed is None else seed)
        rounds += 1
        if code or seed is not None:
            return code
        if time.monotonic() >= end:
            print(f"clean: {rounds} round{'s' * (rounds > 1)}")
            return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), *map(int, sys.argv[2:])))
