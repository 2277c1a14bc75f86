"""The program of a user on a Spark cluster, whose workers a test kills meanwhile.

Run as ``python -m tests.integrations.spark_driver MASTER FOLDER``; what it finds is written to
FOLDER/found.json, and each piece of work leaves its traces in a folder of its own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.integrations.slow_parts import PARTS, grouped, slowly, tallied

import properly
from properly.engines._files._clusters import translated
from properly.engines._files._spark import open_spark


def slow_frame(session: Any, folder: Path) -> Any:
    """Make a frame of several parts, each of which takes its time."""
    place = str(folder)
    folder.mkdir()

    def read(batches: Iterator[Any]) -> Iterator[Any]:
        import pandas as pd

        for batch in batches:
            for part in batch["id"]:
                p, y = slowly(int(part), place, 0.4)
                yield pd.DataFrame({"p": p, "y": y})

    return session.range(0, PARTS, 1, PARTS).mapInPandas(read, "p double, y long")


def main(master: str, folder: Path) -> None:
    found: dict[str, Any] = {}
    columns = {"p": "the forecast", "y": "died"}
    with open_spark(folder / "*.parquet", columns, master) as files:
        found["files"] = tallied(files)
        session = files.sparkSession
        # One worker is killed during this, and the other goes on alone.
        with translated("spark"):
            found["grouped"] = grouped(slow_frame(session, folder / "one"))
        frame = slow_frame(session, folder / "none")
        found["tallied"] = tallied(frame)
        summary = properly.summarize(frame, ["p"], outcome="y")
        found["scores"] = properly.evaluate(summary).to_dict()["models"]["p"]
    (folder / "found.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
