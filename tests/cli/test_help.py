"""Help and completion: what there is, what is loaded for it, and examples that run."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.shell_completion import ShellComplete
from tests.command_line import every, run

import properly
import reproductions as reproduce
from properly import cli, datasets, rules
from properly.cli._command_table import COMMANDS
from properly.recalibration import Logistic
from properly.rules._registry import SHORT_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAVY = ("numpy", "scipy", "duckdb", "rich", "matplotlib", "properly.rules")


def test_help_loads_nothing_that_a_command_works_with() -> None:
    asked = [["--version"], *([*path, "--help"] for path in PATHS if "reproduce" not in path)]
    asked += [["reproduce", "corp", "--help"]]
    code = (
        "import sys; from properly import cli\n"
        f"for words in {asked}: cli.command()(words, standalone_mode=False)\n"
        f"print([m for m in {HEAVY} if m in sys.modules], "
        "[m for m in sys.modules if m.startswith('properly.cli') and m.endswith('_command')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603
    assert found.stdout.splitlines()[-1] == "[] []"


def described(
    command: click.Command | None = None, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Go through all commands, and the words that call them."""
    command = cli.command() if command is None else command
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            yield from described(below, (*path, name))


def examples(path: tuple[str, ...]) -> list[str]:
    """Read the examples off a help text, each as one line."""
    _, _, text = run(*path, "--help").stdout.partition("\nExamples:\n")
    return [line.strip() for line in text.replace("\\\n", " ").splitlines()]


PATHS = [path for path, _ in described()]
REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def page_of(path: tuple[str, ...]) -> str:
    """Read the page that has a command and those below it; the front page has the first."""
    file = f"cli/{path[0]}.md" if path else "cli.md"
    return (REFERENCE / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_help_ends_with_examples_of_the_command(path: tuple[str, ...]) -> None:
    found = examples(path)
    assert found
    assert all(line.startswith(" ".join(["properly", *path])) for line in found)
    assert all(len(line) <= 80 for line in run(*path, "--help").stdout.splitlines())


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_the_documentation_has_the_help_of_every_command(path: tuple[str, ...]) -> None:
    assert f"```text\n{run(*path, '--help').stdout}```\n" in page_of(path)


def test_the_front_page_leads_to_a_page_a_command_and_to_one_about_files() -> None:
    row = re.compile(r"^\| .* \| \[`properly (\w+)`\]\(cli/(\w+)\.md\) \|$", re.MULTILINE)
    rows = row.findall(page_of(()))
    assert rows == [(name, name) for name in COMMANDS]
    assert {path.stem for path in (REFERENCE / "cli").glob("*.md")} == {*COMMANDS, "files"}


def test_the_line_about_a_command_is_its_own() -> None:
    found = run("--help").stdout
    for name, row in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(row.about)}$", found, re.MULTILINE)
    assert list(COMMANDS) == [path[0] for path in PATHS if len(path) == 1]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return every thirtieth line of the example as the demo writes it."""
    path = tmp_path_factory.mktemp("demo") / "crash.csv"
    assert run("demo", "--data", path).exit_code == 0
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join([head, *lines[::30]]) + "\n"


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the tournament as the demo writes it."""
    path = tmp_path_factory.mktemp("demo") / "tournament.csv"
    assert run("demo", "--answers", path).exit_code == 0
    return path.read_text(encoding="utf-8")


# The README runs the first, in the quick run too.
LINES = [
    pytest.param(line, marks=pytest.mark.slow) if line == "properly demo" else line
    for line in sorted({line for path in PATHS for line in examples(path)})
]


@pytest.mark.parametrize("line", LINES)
def test_the_examples_of_help_run(
    line: str, people: str, answers: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crash.csv").write_text(people, encoding="utf-8")
    (tmp_path / "tournament.csv").write_text(answers, encoding="utf-8")
    (tmp_path / "activity").mkdir()
    Logistic(0.1, 0.9).save(tmp_path / "map.json")
    # What an example is to write is not there yet.
    if "--output map.json" in line:
        (tmp_path / "map.json").unlink()
    # What is long is not done; its own signature says whether it could be.
    for work, names in ((reproduce, reproduce.__all__), (properly.report, ("write", "figures"))):
        for name in names:
            asked = inspect.signature(getattr(work, name))
            monkeypatch.setattr(work, name, lambda *a, s=asked, **k: s.bind(*a, **k).args)
    evaluate, few, quick = properly.evaluate, every(30, datasets.crash()), {"replicates": 0}
    monkeypatch.setattr(properly, "evaluate", lambda *a, **k: evaluate(*a, **k | quick))
    monkeypatch.setattr(datasets, "crash", lambda: few)
    result = run(*shlex.split(line)[1:])
    assert (result.exit_code, bool(result.stdout)) == (0, True), result.stderr


def completed(*words: str) -> list[str]:
    """Return what is offered for the last of the words."""
    *before, last = words
    shell = ShellComplete(cli.command(), {}, "properly", "_PROPERLY_COMPLETE")
    return [str(item.value) for item in shell.get_completions(before, last)]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("re",), ["report", "recalibrate", "recommend", "reproduce"]),
        (("recalibrate", ""), ["fit", "apply", "show"]),
        (("recalibrate", "fit", "--map", "i"), ["intercept", "isotonic"]),
        (("recalibrate", "apply", "--sql", "s"), ["snowflake", "spark"]),
        (("score", "--rule", "b"), ["brier"]),
        (("score", "--rule", "Ps"), ["pseudospherical"]),
        (("compare", "--rule", "a"), ["auc"]),
        (("audit", "rank"), ["ranked_log"]),
        (("score", "--format", ""), ["table", "json", "csv", "markdown", "latex"]),
        (("compare", "--format", ""), ["text", "json", "csv"]),
        (("report", "--figure-format", "p"), ["png", "pdf"]),
        (("report", "--fi"), ["--figures", "--figure-format"]),
        (("reproduce", "c"), ["consequentialist", "corp"]),
    ],
)
def test_a_tab_completes_what_was_begun(words: tuple[str, ...], offered: list[str]) -> None:
    assert completed(*words) == offered


def test_the_rules_that_are_offered_are_all_that_need_no_numbers() -> None:
    def plain(make: Any) -> str | None:
        signature = inspect.signature(make)
        needed = [p for p in signature.parameters.values() if p.default is p.empty]
        return None if needed else repr(make())

    makers = [getattr(rules, name) for name in rules.__all__]
    are_rules = [m for m in makers if isinstance(m, type) and issubclass(m, rules.Rule)]
    known = {plain(m) for m in (*are_rules, rules.PBS, rules.PLL) if not inspect.isabstract(m)}
    assert {repr(rules.parse_rule(name)) for name in SHORT_NAMES} == known - {None}


def shell(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "properly", *arguments],
        capture_output=True,
        check=False,
        text=True,
        env=os.environ | environment,
    )


def test_the_shell_is_given_a_script_for_completion() -> None:
    found = shell(_PROPERLY_COMPLETE="bash_source")
    assert "complete -o nosort -F _properly_completion properly" in found.stdout
    # And the script asks for words in this way.
    asked = {"COMP_WORDS": "properly score --format l", "COMP_CWORD": "3"}
    assert shell(_PROPERLY_COMPLETE="bash_complete", **asked).stdout == "plain,latex\n"
