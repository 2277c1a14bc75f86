"""Small mistakes are made where they matter, and the tests that notice them are named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from studies.mutants.mutations import Mutant, mutants_of
from studies.mutants.run import (
    PACKAGES,
    Finding,
    equivalents,
    module_of,
    summary,
    wilson,
)

ROOT = Path(__file__).resolve().parents[2]


def test_every_equivalent_is_a_mutant_of_a_line_that_stands() -> None:
    known = equivalents()
    assert all(len(reason.split()) > 3 for reason in known.values())
    for module in {module for module, _, _ in known}:
        assert module.split(".")[1] in PACKAGES
        path = "src/" + module.replace(".", "/") + ".py"
        found = {(x.text, x.change) for x in mutants_of(path, (ROOT / path).read_bytes())}
        missing = {key[1:] for key in known if key[0] == module} - found
        assert not missing, f"{module} has no such line, or no such mutation: {missing}"


MUTANT = Mutant("src/properly/rules/_a.py", 3, "a + b", "operator", "2: + -> -", (0, 1), "-", 3)


def test_the_score_leaves_out_what_nothing_can_notice() -> None:
    found = {MUTANT._replace(line=k): Finding("killed") for k in range(17)}
    found[MUTANT._replace(line=17)] = Finding("timeout")
    found[MUTANT._replace(line=18, change="2: + -> *")] = Finding("survived", ran=3)
    found[MUTANT._replace(line=19, text="c")] = Finding("unreached")
    score, text = summary(found, {("properly.rules._a", "a + b", "2: + -> *")})
    assert module_of(MUTANT) == "properly.rules._a"
    assert score == 18 / 19
    assert text.splitlines() == [
        "20 mutants: 18 noticed (1 by their time), 1 equivalent, 1 not noticed",
        "score 94.7 % (95 % interval 75.4 to 99.1)",
        "unreached after 0 tests: src/properly/rules/_a.py:19 [2: + -> -] c",
    ]


def test_wilsons_interval_is_that_of_his_paper() -> None:
    from statsmodels.stats.proportion import proportion_confint

    for successes, trials in ((0, 5), (5, 5), (371, 388)):
        expected = proportion_confint(successes, trials, method="wilson")
        assert wilson(successes, trials) == pytest.approx(expected, abs=1e-12)
    assert wilson(0, 0) == (0.0, 1.0)


SOURCE = '''\
def clipped(x, low, high):
    """Return 1 + 1, or not."""
    if x < low:
        return low
    return high if x > high else x


def counted(n):
    while n > 0:
        n -= 1
    return n


def nobody(x):
    return x + 1
'''
TESTS = """\
from properly.rules._clip import clipped, counted


def test_clipped():
    assert [clipped(x, 0, 2) for x in (-1, 0.5, 3)] == [0, 0.5, 2]


def test_counted():
    assert counted(3) == 0


def test_that_fails_without_a_mistake():
    assert counted(3) == 1
"""
SCRIPT = """\
import sys
from pathlib import Path
import studies.mutants.run as run
run.ROOT, run.GRACE = Path(sys.argv[1]), 3.0
sys.exit(run.main(["--all", "--jobs", "2", "--folder", sys.argv[2]]))
"""


def test_mutants_of_a_small_tree_are_told_apart(tmp_path: Path) -> None:
    root, folder = tmp_path / "root", tmp_path / "found"
    files = {"src/properly/rules/_clip.py": SOURCE, "tests/rules/test_clip.py": TESTS}
    files |= dict.fromkeys(("src/properly/__init__.py", "src/properly/rules/__init__.py"), "")
    files["pyproject.toml"] = "[tool.pytest.ini_options]\naddopts = '--import-mode=importlib'\n"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")

    def ran() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", SCRIPT, str(root), str(folder)]
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        environment = os.environ | threads | {"PYTHONPATH": str(ROOT)}
        return subprocess.run(  # noqa: S603
            command, env=environment, capture_output=True, text=True, check=False
        )

    # A file of tests that does not pass notices nothing.
    assert "does not pass as it is, and is left out" in ran().stdout
    passing = TESTS.partition("\n\n\ndef test_that_fails")[0]
    (root / "tests/rules/test_clip.py").write_text(f"{passing}\n", encoding="utf-8")
    done = ran()
    rows = json.loads((folder / "results.json").read_text(encoding="utf-8")).values()
    outcomes = {(row["line"], row["change"].partition(": ")[2]): row["outcome"] for row in rows}
    assert outcomes == {
        (3, "< -> <="): "survived",
        (5, "> -> >="): "survived",
        (9, "> -> >="): "killed",
        (9, "0 -> 1"): "killed",
        (10, "-= -> +="): "timeout",
        (10, "1 -> 2"): "killed",
        (15, "+ -> -"): "unreached",
        (15, "1 -> 2"): "unreached",
    }
    by = {row["by"] for row in rows if row["outcome"] == "killed"}
    assert by == {"tests/rules/test_clip.py::test_counted"}
    assert done.returncode == 1
    assert "8 mutants: 4 noticed (1 by their time), 0 equivalent, 4 not noticed" in done.stdout
    # The tree is as it was, and what was noticed is not run again.
    assert (root / "src/properly/rules/_clip.py").read_text(encoding="utf-8") == SOURCE
    assert "8 mutants: 4 noticed" in ran().stdout
