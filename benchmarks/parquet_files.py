"""Parquet files of forecasts, of any size: duckdb draws them, and the same ones each time."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MODELS = ("right", "sharp", "vague")
# Uniform on (0, 1) and never 0 or 1; columns of different numbers are independent.
UNIFORM = "((hash(8 * i + {}) >> 11) + 0.5) * 2.0 ** -53"
LOGIT = "ln(u{0} / (1 - u{0}))"
SIGMOID = "1 / (1 + exp(-({})))"


class Folder:
    """A temporary folder that goes when nothing needs it any more."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp())
        self._gone = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def write_forecasts(path: Path, rows: int, digits: int | None = None) -> None:
    """Write uniform forecasts ``p``, and outcomes ``y`` of probability ``sqrt(p)``."""
    p = "u0" if digits is None else f"round(u0, {digits})"
    _write(path, rows, {"y": "(u1 < sqrt(u0))::INTEGER", "p": p})


def write_models(path: Path, rows: int) -> None:
    """Write outcomes ``y`` and the forecasts of three models, one calibrated but for noise."""
    odds = f"(-2 + 0.8 * {LOGIT.format(0)})"
    forms = zip(MODELS, (odds, f"1.4 * {odds}", f"0.6 * {odds} - 0.5"), strict=True)
    noisy = {name: f"{form} + 0.2 * {LOGIT.format(k)}" for k, (name, form) in enumerate(forms, 2)}
    forecasts = {name: SIGMOID.format(form) for name, form in noisy.items()}
    _write(path, rows, {"y": f"(u1 < {SIGMOID.format(odds)})::INTEGER", **forecasts})


def _write(path: Path, rows: int, columns: Mapping[str, str]) -> None:
    """Let duckdb write the columns, a few rows at a time."""
    import duckdb

    drawn = ", ".join(f"{UNIFORM.format(k)} AS u{k}" for k in range(5))
    chosen = ", ".join(f"{form} AS {name}" for name, form in columns.items())
    # Nothing in it is from elsewhere.
    query = f"SELECT {chosen} FROM (SELECT {drawn} FROM range(1, {rows + 1}) AS t(i))"  # noqa: S608
    with duckdb.connect(config={"memory_limit": "1GB"}) as connection:
        connection.sql(query).write_parquet(str(path))
