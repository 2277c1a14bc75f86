"""Measure what is done on a GPU: counting, splitting scores, curves, and prices of logits.

Run with ``python benchmarks/gpu.py`` on a machine that has one. It never fails because of a timing.
Times are the least of several runs, with the device waited for; memory is the peak that torch has
allocated, the data included, divided by the data.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

# Neither the benchmarks nor the package need be installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import torch

import properly
from properly.integrations.torch import RuleLoss
from properly.rules import RPS, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

BILLION = 10**9
PIECE = 10**8
CASES, CLASSES = 10**6, 1000
RUNS = 5
WITHIN = (0.01, 0.1)
# Seconds that a prototype took for a billion forecasts, on the same kind of machine.
PROTOTYPE = 0.11
CURVES = {
    "reliability": properly.reliability,
    "murphy_curve": properly.murphy_curve,
    "decision_curve": properly.decision_curve,
    "roc_curve": properly.roc_curve,
}


class Found(NamedTuple):
    """What was measured, its value, and the most that is asked for, if anything is."""

    what: str
    value: float
    unit: str
    target: float | None = None

    def __str__(self) -> str:
        """Write a line of the table."""
        asked = ""
        if self.target is not None:
            asked = f" (at most {self.target:g}: {'holds' if self.value <= self.target else 'no'})"
        return f"{self.what:72} {self.value:9.4f} {self.unit}{asked}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and keep the numbers."""
    parser = argparse.ArgumentParser(description="Measure what is done on a GPU.")
    parser.add_argument("--cases", type=float, default=BILLION, help="forecasts to count")
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    options = parser.parse_args(arguments)
    if not torch.cuda.is_available():
        print("there is no GPU here")
        return 1
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    found = []
    for line in (*of_tallies(int(options.cases)), *of_logits()):
        print(line, flush=True)
        found.append(line._asdict())
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


def timed(function: Callable[[], Any], runs: int = RUNS) -> float:
    """Return the least time of several runs, after one that does not count."""
    function()
    times = []
    for _ in range(runs):
        torch.cuda.synchronize()
        start = time.perf_counter()
        function()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return min(times)


def forecasts(cases: int) -> tuple[Any, Any]:
    """Draw uniform forecasts x, and outcomes with the probability of the root of x."""
    rng = torch.Generator("cuda").manual_seed(1)
    p = torch.rand(cases, generator=rng, device="cuda")
    y = torch.empty(cases, dtype=torch.bool, device="cuda")
    for start in range(0, cases, PIECE):
        some = slice(start, start + PIECE)
        y[some] = torch.rand(p[some].shape, generator=rng, device="cuda") < p[some].sqrt()
    return y, p


def of_tallies(cases: int) -> Iterator[Found]:
    """Measure counting and both decompositions, with memory, then curves and evaluations."""
    y, p = forecasts(cases)
    size = p.numel() * p.element_size() + y.numel()

    def whole() -> None:
        tally = properly.tally(y, p)
        properly.decompose(tally, Brier())
        properly.decompose(tally, Log())

    whole()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    seconds = timed(whole)
    name = f"tally, Brier and log decomposition of {cases:,} float32 forecasts"
    yield Found(name, seconds, "s", 1.5 * PROTOTYPE if cases == BILLION else None)
    peak = torch.cuda.max_memory_allocated() / size
    yield Found("its memory, the data included", peak, "times the data", 4.0)
    tally = properly.tally(y[: cases // 10], p[: cases // 10])
    for name, curve in CURVES.items():
        told = f"{name} of {tally.total:,} cases at {len(tally):,} distinct forecasts"
        yield Found(told, timed(lambda curve=curve: curve(tally), 3), "s")  # type: ignore[misc]
    yield from of_evaluations(y[: cases // 10], p[: cases // 10])


def of_evaluations(y: Any, p: Any) -> Iterator[Found]:
    """Measure evaluations without draws and with them, and their memory."""
    for models, seconds in ((1, 3.0), (3, 5.0)):
        columns = {f"m{k}": p ** (1 + k / 4) for k in range(models)}
        size = y.numel() + models * p.numel() * p.element_size()
        others = torch.cuda.memory_allocated() - size
        for draws in (0, 199):

            def evaluate(columns: Any = columns, draws: int = draws) -> None:
                properly.evaluate(y, columns, within=WITHIN, replicates=draws, rng=1)

            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            told = f"evaluate of {models} models, {len(y):,} cases, {draws} draws"
            yield Found(told, timed(evaluate, 1), "s", seconds)
            peak = (torch.cuda.max_memory_allocated() - others) / size
            yield Found("its memory, the data included", peak, "times the data", 5.0)


def of_logits() -> Iterator[Found]:
    """Measure prices and slopes of logits, against reading them once and against torch's own."""
    logits = torch.randn(CASES, CLASSES, device="cuda")
    y = torch.randint(0, CLASSES, (CASES,), device="cuda")
    read = timed(logits.sum)
    shape = f"{CASES:,} x {CLASSES:,}"
    yield Found(f"one read of {shape} logits in float32", read, "s")
    train = logits.clone().requires_grad_()
    for rule in (Log(), Brier(), RPS()):
        loss = RuleLoss(rule, from_logits=True, compile=True)
        with torch.no_grad():
            price = timed(lambda loss=loss: loss(logits, y))  # type: ignore[misc]
        yield Found(f"{rule!r} of {shape} logits", price / read, "reads", 2.0)

        def step(loss: Any = loss) -> None:
            train.grad = None
            loss(train, y).backward()

        yield Found(f"{rule!r}, forward and backward", timed(step) / read, "reads")

    def own() -> None:
        train.grad = None
        torch.nn.functional.cross_entropy(train, y).backward()

    yield Found("torch's cross_entropy, forward and backward", timed(own) / read, "reads")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())
