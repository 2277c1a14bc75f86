"""Simulate how often bands and intervals hold what they should, and how often the test rejects.

``python -m studies.coverage --jobs 2`` runs the study and writes ``docs/coverage.json``; with
``--only decisions`` it runs one part and keeps the numbers of the others. ``python -m
studies.coverage --pages docs`` writes ``coverage.md`` and the pages below it. The numbers depend on
the seed and the scale alone, neither on the number of jobs nor on what else is run. The settings
are in ``parts.py``, ``decisions.py``, ``inference.py``, ``cells.py``, ``designs.py``,
``recalibration.py``, ``meanings.py``, ``dependence.py``, ``panels.py``, ``gaps.py``,
``monitors.py`` and ``small_groups.py``, the tables in ``page.py`` and in the files whose names end
so.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import platform
import sys
import time
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from studies.coverage import page, parts
from studies.coverage.parts import Setting, settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from studies.coverage.parts import Facts, Finding

Pair: TypeAlias = list[float | None]

DOCS = Path(__file__).resolve().parents[2] / "docs"
# Repetitions that are done in one go.
CHUNK = 5
# What a long run must not do is fight with itself for the cores.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Chunk(NamedTuple):
    """Some repetitions of a setting, with a source of randomness of their own."""

    place: tuple[int, int]
    setting: Setting
    repetitions: int
    seed: np.random.SeedSequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks."""
    options = parse(arguments)
    if options.pages is not None:
        found = json.loads(options.out.read_text(encoding="utf-8"))
        for name, text in page.render(found).items():
            write(options.pages / name, text)
        return 0
    kept = None
    if options.only is not None and options.out.exists():
        kept = json.loads(options.out.read_text(encoding="utf-8"))
        require_alike(kept, origin(options.scale, options.seed))
    found = study(settings(), options.scale, options.seed, options.jobs, only=options.only)
    write(options.out, to_json(found if kept is None else merge(kept, found)))
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Simulate coverage, or write the page about it.")
    add = parser.add_argument
    add("--jobs", type=int, default=1, help="processes to use (default: 1)")
    add("--scale", type=float, default=1.0, help="times the usual repetitions (default: 1)")
    add("--seed", type=int, default=1, help="of all randomness (default: 1)")
    add("--only", choices=parts.PARTS, help="run this part, keep the others' numbers")
    add("--out", type=Path, default=DOCS / "coverage.json", help="where the numbers are kept")
    add("--pages", type=Path, help="write pages into this folder from the numbers kept, only that")
    return parser.parse_args(arguments)


def study(
    chosen: Sequence[Setting], scale: float, seed: int, jobs: int = 1, *, only: str | None = None
) -> dict[str, Any]:
    """Simulate every setting, or those of one part, and say how it was done."""
    chunks = [c for c in cut(chosen, scale, seed) if only in (None, c.setting.part)]
    done: defaultdict[int, dict[int, list[list[Finding]]]] = defaultdict(dict)
    start = time.monotonic()
    for count, ((i, j), found) in enumerate(each(chunks, jobs), start=1):
        done[i][j] = found
        tell(count, len(chunks), time.monotonic() - start)
    rows = [
        row
        for i, setting in enumerate(chosen)
        if i in done
        for row in summarise(setting, [f for _, found in sorted(done[i].items()) for f in found])
    ]
    return {**origin(scale, seed), "rows": rows}


def origin(scale: float, seed: int) -> dict[str, Any]:
    """Say how numbers come about."""
    return {
        "command": f"python -m studies.coverage --scale {scale:g} --seed {seed}",
        "scale": scale,
        "seed": seed,
        "level": parts.LEVEL,
        "replicates": parts.REPLICATES,
        "interval_replicates": parts.INTERVAL_REPLICATES,
        "test_replicates": parts.TEST_REPLICATES,
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("properly", "numpy", "scipy")},
    }


def require_alike(kept: dict[str, Any], new: dict[str, Any]) -> None:
    """Refuse to mix numbers that came about in different ways, but for versions."""
    differing = [name for name in {*new} - {"versions"} if kept.get(name) != new[name]]
    if differing:
        message = f"one part can be run again as all were run; this differs in {differing}"
        raise SystemExit(message)


def merge(kept: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Put rows of one part in place of those kept, and name the versions of all."""
    new = {row["part"] for row in found["rows"]}
    rows = [row for row in kept["rows"] if row["part"] not in new] + found["rows"]
    order = list(parts.PARTS)
    versions = {
        name: " or ".join(dict.fromkeys([*kept["versions"][name].split(" or "), number]))
        for name, number in found["versions"].items()
    }
    ordered = sorted(rows, key=lambda row: order.index(row["part"]))
    return found | {"versions": versions, "rows": ordered}


def cut(chosen: Sequence[Setting], scale: float, seed: int) -> Iterator[Chunk]:
    """Give every setting its own seed, and every few repetitions one of those."""
    seeds = np.random.SeedSequence(seed).spawn(len(chosen))
    for i, (setting, of_setting) in enumerate(zip(chosen, seeds, strict=True)):
        times = max(4, round(scale * setting.repetitions))
        parts = of_setting.spawn(math.ceil(times / CHUNK))
        for j, part in enumerate(parts):
            yield Chunk((i, j), setting, min(CHUNK, times - j * CHUNK), part)


def each(chunks: Sequence[Chunk], jobs: int) -> Iterable[tuple[tuple[int, int], list[Any]]]:
    """Do the chunks, in one process or in several."""
    if jobs == 1:
        yield from map(do, chunks)
        return
    os.environ.update(dict.fromkeys(THREADS, "1"))
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(do, chunks)


def do(chunk: Chunk) -> tuple[tuple[int, int], list[list[Finding]]]:
    """Repeat a setting a few times."""
    rng = np.random.default_rng(chunk.seed)
    return chunk.place, [chunk.setting.repeat(rng) for _ in range(chunk.repetitions)]


def tell(done: int, total: int, seconds: float) -> None:
    end = "\n" if done == total else ""
    sys.stderr.write(f"\r{done:,} of {total:,} pieces, {seconds / 60:.1f} min{end}")
    sys.stderr.flush()


def summarise(setting: Setting, repetitions: Sequence[Sequence[Finding]]) -> Iterator[Facts]:
    """Make rows of what all repetitions of a setting found."""
    for findings in zip(*repetitions, strict=True):
        about = {"part": setting.part, **setting.facts, **findings[0][0]}
        row = about | {"repetitions": len(findings)}
        for name in findings[0][1]:
            row |= reduce(name, [measured[name] for _, measured in findings])
        yield row


def reduce(name: str, values: list[Any]) -> Facts:
    """Turn what repetitions found into numbers with their Monte-Carlo standard errors."""
    if name == "chosen":
        return {"chosen": " or ".join(sorted(set(values)))}
    if name == "tenths":
        held = np.array(values)
        return {"coverage": mean(row_means(held)), "worst": worst_tenth(held)}
    if name == "by_tenth":
        return {"by_tenth": [mean(tenth) for tenth in np.array(values).T]}
    if name == "delay":
        return waits(np.array(values))
    if name in ("held", "above") or isinstance(values[0], bool):
        # None is where there were no bounds to ask about.
        known = [value for value in values if value is not None]
        return {"coverage" if name == "held" else name: share(known) if known else [None, None]}
    return {name: mean(np.array(values))}


def mean(x: np.ndarray[Any, Any]) -> Pair:
    """Return a mean and its standard error."""
    x = x[~np.isnan(x)]
    average = float(x.mean()) if len(x) else None
    return [average, float(x.std(ddof=1)) / math.sqrt(len(x)) if len(x) > 1 else None]


def waits(delay: np.ndarray[Any, Any]) -> Facts:
    """Return quartiles of delays, None where they never end, and the share of those that do."""
    # A repetition that says nothing about a delay is not a number.
    delay = np.sort(delay[~np.isnan(delay)])
    ended = np.isfinite(delay)
    quartiles = [delay[math.ceil(len(delay) * k / 4) - 1] for k in (1, 2, 3)]
    return {
        "delay": [float(x) if math.isfinite(x) else None for x in quartiles],
        "alarmed": share(ended.tolist()),
    }


def share(held: Sequence[bool]) -> Pair:
    """Return a share and its standard error, which is not 0 for a share of 0 or 1."""
    n, hits = len(held), sum(held)
    towards_half = (hits + 1) / (n + 2)
    return [hits / n, math.sqrt(towards_half * (1 - towards_half) / n)]


def worst_tenth(held: np.ndarray[Any, Any]) -> Pair:
    """Find the worst tenth in one half of the repetitions, judge it in the other, and conversely.

    The least of ten means would be too low by chance alone.
    """
    judged = np.full(len(held), np.nan)
    for half in (0, 1):
        by_tenth = row_means(held[half::2].T)
        judged[1 - half :: 2] = held[1 - half :: 2, int(np.nanargmin(by_tenth))]
    return mean(judged)


def row_means(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Average each row over what is known; NaN where nothing is."""
    known = ~np.isnan(x)
    with np.errstate(invalid="ignore"):
        found: np.ndarray[Any, Any] = np.where(known, x, 0).sum(axis=1) / known.sum(axis=1)
    return found


def to_json(found: dict[str, Any]) -> str:
    """Write one line a row, with as many digits as mean something."""
    head = {name: value for name, value in found.items() if name != "rows"}
    lines = (json.dumps({k: rounded(v) for k, v in row.items()}) for row in found["rows"])
    joined = ",\n  ".join(lines)
    return json.dumps(head, indent=1)[:-2] + f',\n "rows": [\n  {joined}\n ]\n}}\n'


def rounded(x: Any) -> Any:
    if isinstance(x, list):
        return [rounded(entry) for entry in x]
    return float(f"{x:.5g}") if isinstance(x, float) else x


def write(path: Path, text: str) -> None:
    """Write a file at once or not at all."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
