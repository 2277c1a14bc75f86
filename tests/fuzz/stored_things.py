"""What is stored and read again, a line each: how it is made, read, and looked at.

Add a kind to `STORED`, and it is damaged and forged in every way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from tests.command_line import run, write_forecasts

import properly
from properly import recalibration

from .odd_rows import ODD

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RNG = np.random.default_rng(3)
P = RNG.random(60).round(2)
Y = (RNG.random(60) < P).astype(int)
TABLE = RNG.dirichlet(np.ones(3), 60)
GRADE = TABLE.argmax(axis=1)
GRADE[::3] = 0
# Codes that a command ends with: done, refused, wrongly called, a condition holds.
CODES = (0, 1, 2, 3)


class Stored(NamedTuple):
    """A kind of stored thing.

    `write` writes one into a folder and returns its path; `read` reads that path; `look` returns
    what it says, for comparison, and fails if that cannot be. `is_json` says whether entries can be
    forged; `has_checksum` whether whatever is read must be what was written.
    """

    write: Callable[[Path], Path]
    read: Callable[[Path], Any]
    look: Callable[[Any], Any]
    is_json: bool = True
    has_checksum: bool = False


def _map(mapping: Any) -> Stored:
    return Stored(
        lambda folder: mapping.save(folder / "map.json"),
        recalibration.load,
        _use,
        has_checksum=True,
    )


def _rows_for(mapping: Any) -> Any:
    """Return forecasts of an event, or of as many classes as a map has, forged ones too."""
    if mapping.of != "classes":
        return np.array(ODD)
    classes = len(getattr(mapping, "labels", None) or TABLE[0])
    return TABLE if classes == len(TABLE[0]) else np.full((2, classes), 1 / classes)


def _use(mapping: Any) -> str:
    """Apply a map, whose forecasts must be probabilities, and write it."""
    with np.errstate(all="raise", under="ignore"):
        q = np.asarray(mapping.at(_rows_for(mapping)))
    assert ((q >= 0) & (q <= 1)).all()
    text: str = mapping.dumps()
    assert recalibration.loads(text).dumps() == text
    return text


def _summary(folder: Path) -> Path:
    stream = properly.stream()
    stream.add(Y, {"first": P, "second": 1 - P}, None, Y)
    return stream.save(folder / "rows.summary")


def _said(summary: properly.Summary) -> str:
    return properly.evaluate(summary, replicates=8, rng=1).to_json()


def _monitor(folder: Path) -> Path:
    monitor = properly.Monitor(against="first")
    monitor.add(Y, {"first": P, "second": 1 - P}, ids=np.arange(60))
    return monitor.save(folder / "state.json")


def _baseline(folder: Path) -> Path:
    rows = write_forecasts(folder / "rows.csv")
    path = folder / "stored.json"
    asked = ("--outcome", "y", "--forecast", "good", "--rule", "brier", "--keep-forecasts")
    result = run("score", rows, *asked, "--format", "json", "--output", path, "--force")
    assert result.exit_code == 0, result.output
    return path


def _gate(path: Path) -> Any:
    asked = ("--outcome", "y", "--forecast", "good", "--rule", "brier", "--baseline", path)
    return run("score", path.parent / "rows.csv", *asked, "--fail-if", "worse-than baseline")


def _ended(result: Any) -> str:
    assert result.exit_code in CODES
    assert "Traceback" not in result.output
    return str(result.output)


STORED: dict[str, Stored] = {
    "summary": Stored(_summary, properly.Summary.load, _said, has_checksum=True),
    "monitor": Stored(_monitor, properly.Monitor.load, str, has_checksum=True),
    "baseline": Stored(_baseline, _gate, _ended),
    "logistic map": _map(recalibration.Logistic().fit(Y, P)),
    "isotonic map": _map(recalibration.Isotonic().fit(Y, P)),
    "Venn-Abers map": _map(recalibration.VennAbers().fit(Y, P)),
    "map of classes": _map(recalibration.Temperature().fit(GRADE, TABLE)),
}
