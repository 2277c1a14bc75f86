"""Make mistakes, run the tests that reach them, and say how many were noticed.

``python -m studies.mutants`` takes a sample of 400 and half an hour on two cores; ``--all`` takes a
night or several. Each mutant is run in a copy of the tree. What was found is kept in
``build/mutants``: a run that was stopped goes on, and one that follows new tests makes again those
mistakes that nothing had noticed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import signal
import sys
import tempfile
import tomllib
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from studies.mutants.forks import Answer, Forks, Task, copied
from studies.mutants.mutations import Mutant, is_sound, mutants_of, sampled
from studies.mutants.reach import Reach, Timed, digest, file_of, noticed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
PACKAGES = (
    *("rules", "counts", "inference", "calibration", "decisions", "comparison"),
    *("recalibration", "engines"),
)
# What needs a framework is tested with it, by `make test-integrations`.
FRAMED = ("_dask.py", "_spark.py", "_clusters.py")
# What must be noticed, of all that can be.
LEAST = 0.95
# The tests most likely to notice are run by themselves: so many seconds, of so many files.
SOON, FILES = 5.0, 3
# Time that loading takes, and how much slower than measured a test may be.
GRACE, SLOWER = 20.0, 5.0


class Finding(NamedTuple):
    """What came of a mutant.

    Attributes
    ----------
    outcome : str
        ``"killed"``, ``"timeout"``, ``"survived"`` or, if no test gets there, ``"unreached"``.
    by : str
        The test that noticed it.
    ran : int
        Tests that were run.
    seconds : float
        How long that took.
    """

    outcome: str
    by: str = ""
    ran: int = 0
    seconds: float = 0.0

    @property
    def is_noticed(self) -> bool:
        """Whether a test failed, or did not end."""
        return self.outcome in ("killed", "timeout")


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks."""
    options = parse(arguments)
    count, known = None if options.all else options.sample, equivalents()
    # Whoever ends this process ends those that it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="mutants-") as copies:
        # Whoever works on the code meanwhile changes nothing of what is found.
        root = copied(ROOT, Path(copies) / "original")
        mutants = chosen(root, options.seed, count, options.only)
        ledger = Ledger(root, options.folder / "results.json")
        forks = Forks(root, Path(copies), options.jobs)
        reach = Reach(root, options.folder / "reach", PACKAGES)
        for line in reach.learn(forks):
            say(line)
        # Nothing is learnt from running what nothing can notice.
        waiting = [x for x in mutants if not (ledger.finding(x) or is_equivalent(x, known))]
        for done, (mutant, finding) in enumerate(findings(waiting, forks, reach, options.budget)):
            ledger.add(mutant, finding)
            say(f"{done + 1}/{len(waiting)} {finding.outcome} {described(mutant)}")
        found = {mutant: ledger.finding(mutant) or Finding("unreached") for mutant in mutants}
    score, text = summary(found, known)
    say(text)
    return int(score < LEAST)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Make small mistakes; see which tests notice.")
    add = parser.add_argument
    add("--sample", type=int, default=400, help="how many, at random (default: 400)")
    add("--all", action="store_true", help="every mistake that can be made, in a night or several")
    add("--seed", type=int, default=1, help="of the sample (default: 1)")
    add("--only", default="", help="files whose path has this in it")
    add("--jobs", type=int, default=2, help="processes to use (default: 2)")
    add("--budget", type=float, default=60.0, help="seconds of tests a mutant (default: 60)")
    add("--folder", type=Path, default=ROOT / "build" / "mutants", help="where findings are kept")
    return parser.parse_args(arguments)


def chosen(root: Path, seed: int, count: int | None, only: str = "") -> list[Mutant]:
    """Choose mutants of the packages that Python can read."""
    found: list[Mutant] = []
    sources: dict[str, bytes] = {}
    for package in PACKAGES:
        for path in sorted((root / "src" / "properly" / package).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if path.name not in FRAMED and only in name:
                sources[name] = path.read_bytes()
                found += mutants_of(name, sources[name])
    order = sampled(found, seed, None)
    if count is None:
        return [x for x in order if is_sound(x, sources[x.path])]
    result: list[Mutant] = []
    for mutant in order:
        if len(result) == count:
            break
        if is_sound(mutant, sources[mutant.path]):
            result.append(mutant)
    return result


def findings(
    mutants: Iterable[Mutant], forks: Forks, reach: Reach, budget: float
) -> Iterator[tuple[Mutant, Finding]]:
    """Run each mutant against the likeliest tests, then against others, as far as time goes."""
    tasks, rest = [], {}
    for mutant in mutants:
        tests = reach.tests_of(mutant)
        if not tests:
            yield mutant, Finding("unreached")
            continue
        soon, later = parted(tests, budget)
        rest[mutant] = later
        tasks.append(_task(forks.root, mutant, soon, Finding("survived")))
    for task, answer in forks.answers(tasks):
        mutant, before = task.about
        finding = judged(answer, before)
        later = rest.pop(mutant, [])
        if finding.outcome == "survived" and later:
            forks.first(_task(forks.root, mutant, later, finding))
        else:
            yield mutant, finding


def parted(tests: Sequence[Timed], budget: float) -> tuple[list[Timed], list[Timed]]:
    """Part tests into those to be run at once, and those after them, within the budget."""
    soon: list[Timed] = []
    later: list[Timed] = []
    files: set[str] = set()
    total = 0.0
    for test in tests:
        total += test.seconds
        near = len(files | {file_of(test.name)}) <= FILES
        if not soon or (near and total <= SOON):
            soon.append(test)
            files.add(file_of(test.name))
        elif total <= budget:
            later.append(test)
    return soon, later


def judged(answer: Answer, before: Finding) -> Finding:
    """Say what came of a mutant; a process that crashed was noticed."""
    seconds = round(before.seconds + answer.seconds, 1)
    if answer.late:
        return Finding("timeout", "", before.ran, seconds)
    if answer.result is None:
        return Finding("killed", "the process ended", before.ran, seconds)
    ran = before.ran + answer.result["ran"]
    outcome = "killed" if answer.result["failed"] else "survived"
    return Finding(outcome, answer.result["by"], ran, seconds)


def _task(root: Path, mutant: Mutant, tests: Sequence[Timed], before: Finding) -> Task:
    limit = GRACE + SLOWER * sum(test.seconds for test in tests)
    work = partial(noticed, tests=[test.name for test in tests])
    content = mutant.applied((root / mutant.path).read_bytes())
    return Task((mutant, before), work, limit, mutant.path, content)


class Ledger:
    """Findings on disk.

    One holds as long as the file is as it was, and, if nothing noticed the mutant, the tests too.
    """

    def __init__(self, root: Path, path: Path) -> None:
        self.root, self.path = root, path
        self.tests = _digest_of(sorted((root / "tests").rglob("*.py")))
        self.rows: dict[str, Any] = {}
        if path.exists():
            self.rows = json.loads(path.read_text(encoding="utf-8"))

    def finding(self, mutant: Mutant) -> Finding | None:
        """Return what is known of a mutant, None if it is to be run."""
        row = self.rows.get(mutant.key)
        if row is None or row["file"] != digest(self.root / mutant.path):
            return None
        finding = Finding(*(row[name] for name in Finding._fields))
        return finding if finding.is_noticed or row["tests"] == self.tests else None

    def add(self, mutant: Mutant, finding: Finding) -> None:
        """Write a finding down at once."""
        shown = {name: getattr(mutant, name) for name in ("path", "line", "text", "kind", "change")}
        known = {"file": digest(self.root / mutant.path), "tests": self.tests}
        self.rows[mutant.key] = shown | finding._asdict() | known
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_suffix(".part")
        unfinished.write_text(json.dumps(self.rows, indent=1), encoding="utf-8")
        unfinished.replace(self.path)


def equivalents() -> dict[tuple[str, str, str], str]:
    """Return why mutants cannot be noticed, by module, line and mutation."""
    rows = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("equivalent", [])
    return {(row["module"], row["line"], row["mutation"]): row["reason"] for row in rows}


def module_of(mutant: Mutant) -> str:
    """Return the dotted name of the module."""
    return ".".join(Path(mutant.path).with_suffix("").parts[1:])


def is_equivalent(mutant: Mutant, known: Iterable[tuple[str, str, str]]) -> bool:
    """Tell whether somebody has argued that a mutant does what the code does."""
    return (module_of(mutant), mutant.text, mutant.change) in known


def summary(
    found: dict[Mutant, Finding], known: Iterable[tuple[str, str, str]]
) -> tuple[float, str]:
    """Return the share that was noticed of what can be, and say so with the survivors."""
    lost = {mutant: x for mutant, x in found.items() if not x.is_noticed}
    excused = [mutant for mutant in lost if is_equivalent(mutant, known)]
    survivors = {mutant: x for mutant, x in lost.items() if mutant not in excused}
    total, noticed_ = len(found) - len(excused), len(found) - len(lost)
    score = noticed_ / total if total else 1.0
    low, high = wilson(noticed_, total)
    late = Counter(x.outcome for x in found.values())["timeout"]
    lines = [
        (
            f"{len(found)} mutants: {noticed_} noticed ({late} by their time), "
            f"{len(excused)} equivalent, {len(survivors)} not noticed"
        ),
        f"score {100 * score:.1f} % (95 % interval {100 * low:.1f} to {100 * high:.1f})",
    ]
    ordered = sorted(survivors.items(), key=lambda pair: (pair[0].path, pair[0].line))
    lines += [f"{x.outcome} after {x.ran} tests: {described(mutant)}" for mutant, x in ordered]
    return score, "\n".join(lines)


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    if not trials:
        return 0.0, 1.0
    z2 = 1.959963984540054**2
    share = successes / trials
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    variance = share * (1 - share) / trials + z2 / (4 * trials**2)
    half = math.sqrt(z2 * variance) / (1 + z2 / trials)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def described(mutant: Mutant) -> str:
    """Write where a mistake is, and what it is."""
    return f"{mutant.path}:{mutant.line} [{mutant.change}] {mutant.text}"


def say(line: str) -> None:
    """Print a line at once."""
    os.write(1, f"{line}\n".encode())


def _digest_of(paths: Iterable[Path]) -> str:
    content = b"".join(path.read_bytes() for path in paths)
    return hashlib.sha256(content).hexdigest()[:12]
