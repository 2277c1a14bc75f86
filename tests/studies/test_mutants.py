"""Small mistakes are made where they matter, and the tests that notice them are named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from studies.mutants.forks import Answer
from studies.mutants.mutations import Mutant, is_sound, mutants_of, sampled
from studies.mutants.reach import Reach, Timed, digest
from studies.mutants.run import (
    PACKAGES,
    Finding,
    Ledger,
    equivalents,
    judged,
    module_of,
    parted,
    summary,
    wilson,
)

ROOT = Path(__file__).resolve().parents[2]


def mutated(source: str) -> set[str]:
    """Return what a line becomes, by each mistake."""
    text = source.encode()
    return {x.applied(text).decode() for x in mutants_of("a.py", text)}


@pytest.mark.parametrize(
    ("line", "mistakes"),
    [
        ("a + f()", {"a - f()"}),
        ("a // f()", {"a * f()"}),
        ("a - b", {"a + b", "b - a"}),
        ("a *= b", {"a /= b"}),
        ("(a) and (b or c)", {"(a) or (b or c)", "(a) and (b and c)"}),
        ("not a", {" a"}),
        ("-a", {"a"}),
        ("a < b <= c", {"a <= b <= c", "a < b < c"}),
        ("a is not b", {"a is b"}),
        ("a not in b", {"a in b"}),
        ("a = 1", {"a = 2"}),
        ("a = 0.5", {"a = 1.5"}),
        ("a = 1e8", {"a = 200000000.0"}),
        ("a = True", {"a = False"}),
        ("f(a, b=c)", {"pass"}),
        ("a.append(b)", {"pass"}),
        ("d = np.abs(a)", {"d = (a)"}),
        ("d = a.sum()", {"d = (a)"}),
        ("d = f(a, b, c)", {"d = f(b, a, c)"}),
        ("a, b = f()", {"b, a = f()"}),
        ("for a, b in c: d", {"for b, a in c: d"}),
        ("é = a + f()", {"é = a - f()"}),
    ],
)
def test_a_line_has_so_many_mistakes(line: str, mistakes: set[str]) -> None:
    assert mutated(line) == mistakes


def test_an_operator_is_found_behind_brackets_and_comments() -> None:
    source = "x = (\n    (a())  # a + b\n    + (b())\n)"
    assert mutated(source) == {source.replace("    + (", "    - (")}


@pytest.mark.parametrize(
    "source",
    [
        'def f():\n    """Add 1 + 1."""',
        'message = f"{a + 1} rows"',
        'raise DataError(f"{a + 1}", hint=b - c)',
        "if TYPE_CHECKING:\n    X = 1 + 1",
        "def f(a: Literal[1]) -> Literal[2]: ...",
        "@dataclass(frozen=True)\nclass A: ...",
        "@overload\ndef f(a=1): ...",
        '__all__ = ["a" + b]',
        "zip(a, b.c[d], strict=True) if isinstance(e, f | g) else float(h)".replace(
            "a, b", "x, *b"
        ),
        "from a import b",
        'T = TypeVar("T", covariant=True)',
        "d = max(a, b)",
        "d = len(a)",
    ],
)
def test_what_is_only_said_is_left_alone(source: str) -> None:
    assert mutated(source) == set()


def test_mistakes_in_like_lines_have_keys_of_their_own() -> None:
    found = mutants_of("a.py", b"def f(a):\n    a += b\n    a += b\n")
    assert [x.again for x in found] == [0, 1]
    assert len({x.key for x in found}) == 2
    # A line that moves keeps its key.
    moved = mutants_of("a.py", b"\n\ndef f(a):\n    a += b\n    a += b\n")
    assert [x.key for x in moved] == [x.key for x in found]
    assert [x.line for x in moved] == [4, 5]


def test_what_runs_when_a_file_is_read_has_no_statement() -> None:
    source = b"A = 1\ndef f(a=2):\n    if a:\n        return g(\n            3,\n        )\n"
    assert [(x.line, x.statement) for x in mutants_of("a.py", source)] == [
        *((1, 0), (2, 0), (4, 4), (5, 4))
    ]


def test_a_larger_sample_has_the_smaller_one() -> None:
    source = "\n".join(f"a{k} = {k}" for k in range(100)).encode()
    mutants = mutants_of("a.py", source)
    few, more = sampled(mutants, 1, 10), sampled(mutants, 1, 30)
    assert more[:10] == few
    assert sampled(mutants, 2, 10) != few
    # Another line changes few places, and none of the others' order.
    changed = mutants_of("a.py", source.replace(b"a7 = 7", b"a7 = 8"))
    assert [x for x in sampled(changed, 1, None) if x.line != 8] == [
        x for x in sampled(mutants, 1, None) if x.line != 8
    ]


def test_what_python_warns_of_is_no_mutant() -> None:
    source = b"a = b(1)"
    (number, call) = sorted(mutants_of("a.py", source), key=lambda x: x.kind, reverse=True)
    assert is_sound(number, source)
    assert is_sound(call, source)
    assert not is_sound(call._replace(by="1 is 1"), source)
    assert not is_sound(call._replace(by=")"), source)


def test_every_equivalent_is_a_mutant_of_a_line_that_stands() -> None:
    known = equivalents()
    assert all(len(reason.split()) > 3 for reason in known.values())
    for module in {module for module, _, _ in known}:
        assert module.split(".")[1] in PACKAGES
        path = "src/" + module.replace(".", "/") + ".py"
        found = {(x.text, x.change) for x in mutants_of(path, (ROOT / path).read_bytes())}
        missing = {key[1:] for key in known if key[0] == module} - found
        assert not missing, f"{module} has no such line, or no such mutation: {missing}"


def test_the_likeliest_tests_are_run_first_and_none_beyond_the_budget() -> None:
    tests = [Timed("a", 2.0), Timed("b", 2.5), Timed("c", 3.0), Timed("d", 50.0), Timed("e", 9.0)]
    soon, later = parted(tests, 60.0)
    assert [test.name for test in soon] == ["a", "b"]
    assert [test.name for test in later] == ["c", "d"]
    assert parted(tests[3:4], 60.0) == (tests[3:4], [])
    # To read many files takes longer than to run a short test of each.
    soon, later = parted([Timed(f"{k}.py::a", 0.1) for k in (1, 2, 1, 3, 4, 2)], 60.0)
    assert [test.name[0] for test in soon] == ["1", "2", "1", "3", "2"]
    assert [test.name[0] for test in later] == ["4"]


def test_tests_that_reach_the_line_come_before_those_that_share_their_file(tmp_path: Path) -> None:
    source = tmp_path / MUTANT.path
    source.parent.mkdir(parents=True)
    source.write_text("1", encoding="utf-8")
    now = {MUTANT.path: digest(source)}
    reach = Reach(tmp_path, tmp_path / "reach", ["rules"])
    near = [("tests/rules/test_a.py::far", 0.1), ("tests/rules/test_a.py::near", 0.5)]
    reach.notes = [
        {"tests": near, "lines": {MUTANT.path: {"3": "2", "7": "1"}}, "sources": now},
        {
            "tests": [("tests/laws/b.py::law", 0.2)],
            "lines": {MUTANT.path: {"3": "1"}},
            "sources": now,
        },
        {"tests": [("tests/laws/c.py::other", 0.2)], "lines": {}, "sources": {}},
    ]

    def order(mutant: Mutant) -> list[str]:
        return [test.name.partition("::")[2] for test in reach.tests_of(mutant)]

    assert order(MUTANT) == ["near", "law", "far"]
    # Of a line that nothing is known of, by its statement; of what runs first of all, by its file.
    assert order(MUTANT._replace(line=4)) == ["near", "law", "far"]
    assert order(MUTANT._replace(statement=0)) == ["far", "near", "law"]
    assert order(MUTANT._replace(line=9, statement=9)) == []
    source.write_text("2", encoding="utf-8")
    assert order(MUTANT) == ["far", "near", "law"]


MUTANT = Mutant("src/properly/rules/_a.py", 3, "a + b", "operator", "2: + -> -", (0, 1), "-", 3)
BEFORE = Finding("survived", "", 4, 1.0)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(None, late=True, seconds=2.0), Finding("timeout", "", 4, 3.0)),
        (Answer(None, late=False, seconds=2.0), Finding("killed", "the process ended", 4, 3.0)),
        (
            Answer({"failed": True, "by": "t", "ran": 2}, late=False, seconds=2.0),
            Finding("killed", "t", 6, 3.0),
        ),
        (
            Answer({"failed": False, "by": "", "ran": 2}, late=False, seconds=2.0),
            Finding("survived", "", 6, 3.0),
        ),
    ],
)
def test_a_failure_a_crash_and_a_timeout_are_noticed(answer: Answer, expected: Finding) -> None:
    assert judged(answer, BEFORE) == expected
    assert expected.is_noticed is (expected.outcome != "survived")


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


def test_a_finding_holds_as_long_as_what_it_rests_on(tmp_path: Path) -> None:
    source, test = tmp_path / MUTANT.path, tmp_path / "tests" / "test_a.py"
    for path in (source, test):
        path.parent.mkdir(parents=True)
        path.write_text("1", encoding="utf-8")

    def known(mutant: Mutant) -> Any:
        return Ledger(tmp_path, tmp_path / "results.json").finding(mutant)

    other = MUTANT._replace(change="2: + -> *")
    ledger = Ledger(tmp_path, tmp_path / "results.json")
    ledger.add(MUTANT, Finding("killed", "t", 1, 0.5))
    ledger.add(other, Finding("survived", "", 1, 0.5))
    assert (known(MUTANT), known(other)) == (
        Finding("killed", "t", 1, 0.5),
        Finding("survived", "", 1, 0.5),
    )
    test.write_text("2", encoding="utf-8")
    assert (known(MUTANT), known(other)) == (Finding("killed", "t", 1, 0.5), None)
    source.write_text("2", encoding="utf-8")
    assert known(MUTANT) is None


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
