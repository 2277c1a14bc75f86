"""Parts of a data set that take their time and leave traces, for tests that kill their reader."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

import properly

PARTS, ROWS = 8, 500


def rows_of(part: int) -> tuple[Any, Any]:
    """Draw forecasts in hundredths and outcomes, the same for the same part."""
    rng = np.random.default_rng(part)
    p = rng.integers(0, 101, ROWS) / 100
    return p, (rng.random(ROWS) < p).astype(np.int64)


def all_rows() -> tuple[Any, Any]:
    p, y = zip(*(rows_of(part) for part in range(PARTS)), strict=True)
    return np.concatenate(p), np.concatenate(y)


def slowly(part: int, folder: str, seconds: float) -> tuple[Any, Any]:
    """Make the rows of a part, slowly the first time, and write down who began and who was done."""
    Path(folder, f"{part}.{os.getpid()}.begun").touch()
    if not list(Path(folder).glob(f"{part}.*.done")):
        time.sleep(seconds)
    Path(folder, f"{part}.{os.getpid()}.done").touch()
    return rows_of(part)


def traces(folder: Path, what: str) -> set[tuple[int, int]]:
    """Read the pairs of a part and the process that began it, or was done with it."""
    found = (path.name.split(".") for path in folder.glob(f"*.{what}"))
    return {(int(part), int(process)) for part, process, _ in found}


def in_the_middle(folder: Path) -> tuple[int, int]:
    """Wait until some parts are done, some not begun; return one being made, and by whom."""
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        begun, done = traces(folder, "begun"), traces(folder, "done")
        if len(done) >= 2 and len({part for part, _ in begun}) < PARTS and begun - done:
            return min(begun - done)
        time.sleep(0.01)
    message = f"no part was caught in the middle: {sorted(path.name for path in folder.iterdir())}"
    raise TimeoutError(message)


def grouped(frame: Any) -> tuple[list[float], list[int], list[int]]:
    """Count cases and events at each forecast through narwhals, as any user could."""
    found = nw.from_native(frame).group_by("p", "y").agg(nw.len().alias("n")).collect()
    p, y, n = (found.get_column(name).to_numpy() for name in ("p", "y", "n"))
    values = np.unique(p)
    cases = [int(n[p == value].sum()) for value in values]
    return values.tolist(), cases, [int(n[(p == value) & (y == 1)].sum()) for value in values]


def tallied(frame: Any) -> tuple[list[float], list[int], list[int]]:
    t = properly.tally(frame, outcome="y", forecast="p")
    return t.value.tolist(), t.weight.tolist(), t.events.tolist()


def expected() -> tuple[list[float], list[int], list[int]]:
    """Count the same without any engine."""
    p, y = all_rows()
    values = np.unique(p)
    cases = [int((value == p).sum()) for value in values]
    return values.tolist(), cases, [int(y[value == p].sum()) for value in values]


def close_to_known(scores: Any) -> bool:
    """Tell whether the scores of the model p are those that numpy finds, to 1e-12."""
    p, y = all_rows()
    known = properly.evaluate(y, {"p": p}).to_dict()["models"]["p"]
    names = ("score", "miscalibration", "discrimination", "uncertainty", "skill")
    pairs = [(scores[rule][name], known[rule][name]) for rule in ("brier", "log") for name in names]
    return all(abs(found - right) <= 1e-12 for found, right in pairs)
