"""The command line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import properly
import reproductions as reproduce
from properly import cli, rules
from properly.decisions import recommend
from properly.errors import DataWarning
from properly.rules import PBS, Brier, Propriety, SquaredAbsoluteRPS, audit

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.command(), arguments)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replace the long work by a note of what was asked for."""
    found: dict[str, Any] = {}

    def corp(data: str | None, **options: Any) -> str:
        found.update(options, data=data)
        if options["progress"]:
            options["progress"](1, 2, "half")
        return "the result ± 1"

    monkeypatch.setattr(reproduce, "corp", corp)
    return found


def test_the_version_is_that_of_the_package() -> None:
    assert run("--version").output == f"properly, version {properly.__version__}\n"


@pytest.mark.parametrize("paper", ["consequentialist", "corp", "nelson", "ordinal", "penalized"])
def test_the_options_reach_the_work(
    paper: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[dict[str, Any]] = []

    def work(data: str | None = None, **options: Any) -> str:
        asked.append(options | {"data": data})
        return "what decisions cost"

    monkeypatch.setattr(reproduce, paper, work, raising=False)
    place = tmp_path / "data.csv" if paper in ("corp", "consequentialist") else tmp_path
    place.touch()
    data = ("--data", str(place)) if paper not in ("nelson", "penalized") else ()
    folder = str(tmp_path / "new")
    result = run("reproduce", paper, *data, "--full", "--output", folder, "--seed", "7")
    assert (result.stdout, result.stderr) == ("what decisions cost\n", "")
    assert run("reproduce", paper).exit_code == 0
    given = data[1] if data else None
    more = {"ordered": False} if paper == "ordinal" else {}
    assert asked == [
        {"data": given, "full": True, "output": folder, "rng": 7, "progress": None} | more,
        {"data": None, "full": False, "output": None, "rng": 0, "progress": None} | more,
    ]


def test_progress_is_shown_on_a_terminal_and_not_among_the_results(
    asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    cli.command()(["reproduce", "corp"], standalone_mode=False)
    assert callable(asked["progress"])
    assert capsys.readouterr().out == "the result ± 1\n"


def test_without_click_two_lines_say_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "click", None)
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 1
    assert capsys.readouterr().err.splitlines() == [
        "this needs click, which is not installed",
        "Hint: pip install 'properly[app]'",
    ]


def test_the_package_can_be_run_as_a_module() -> None:
    command = [sys.executable, "-m", "properly", "--version"]
    found = subprocess.run(command, capture_output=True, check=True, text=True)  # noqa: S603
    assert found.stdout == f"properly, version {properly.__version__}\n"


class Terminal(io.StringIO):
    """What is typed at a terminal."""

    def isatty(self) -> bool:
        return True


def recommend_at_a_terminal(
    typed: str, *flags: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[str, str]:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    cli.command()(["recommend", *flags], standalone_mode=False)
    assert sys.stdin.read() == ""
    return capsys.readouterr()


def test_advice_is_a_page_and_a_call() -> None:
    advice = recommend(decisions="independent", threshold="range", costs=True)
    flags = ("--decisions", "independent", "--threshold", "range", "--costs")
    result = run("recommend", *flags)
    assert result.stdout == f"{advice}\n"
    assert result.stderr == ""


def test_advice_as_json_is_that_of_its_record() -> None:
    advice = recommend(decisions="budget", threshold="fixed", task="ordinal")
    flags = (
        "--decisions",
        "budget",
        "--threshold",
        "fixed",
        "--task",
        "ordinal",
        "--format",
        "json",
    )
    assert json.loads(run("recommend", *flags).stdout) == advice.to_dict()


def test_on_a_terminal_all_is_asked_for_apart_from_the_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = recommend_at_a_terminal(
        "budget\nrange\nmulticlass\nn\n", monkeypatch=monkeypatch, capsys=capsys
    )
    advice = recommend(decisions="budget", threshold="range", task="multiclass")
    # Python itself writes the blank after each question to where results go, if not at a terminal.
    assert out.strip() == str(advice)
    assert "can only so many be acted on? (independent, budget):" in err
    assert "The number that can be acted on: one number, a range, or unknown?" in err


def test_on_a_terminal_only_what_is_missing_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--decisions", "independent", "--task", "binary", "--costs")
    out, err = recommend_at_a_terminal("fixed\n", *flags, monkeypatch=monkeypatch, capsys=capsys)
    advice = recommend(decisions="independent", threshold="fixed", costs=True)
    assert out.strip() == str(advice)
    assert err.count("?") == 1
    assert "The risk at which one begins to act: one number, a range, or unknown?" in err


def test_an_audit_is_the_page_of_its_record() -> None:
    result = run("audit", "sa-rps", "PBS(ties='any_correct')")
    pages = [str(audit(rule)) for rule in (SquaredAbsoluteRPS(), PBS(ties="any_correct"))]
    assert result.stdout == "\n\n".join(pages) + "\n"
    assert result.stderr == ""
    assert result.exit_code == 0


def test_an_audit_exits_with_1_if_a_claim_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Boast(SquaredAbsoluteRPS):
        def propriety_for(self, classes: int) -> Propriety:
            del classes
            return Propriety.PROPER

    monkeypatch.setattr(rules, "SquaredAbsoluteRPS", Boast)
    result = run("audit", "sa-rps")
    assert result.exit_code == 1
    assert "The rule says that it is proper; the search: refuted." in result.stdout
    assert result.stderr == ""


@pytest.fixture
def few_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the library by a few of its rules."""
    few = ("Brier()", "SquaredAbsoluteRPS()", "Elementary(0.25)")
    monkeypatch.setattr("properly.rules._registry.EXAMPLES", few)


@pytest.mark.usefixtures("few_rules")
def test_without_a_rule_the_library_is_tabled() -> None:
    result = run("audit")
    assert result.exit_code == 0
    beaten, tied = "truth (1/3, 1/3, 1/3), report (0, 1, 0)", "truth (0, 1), report (1/2, 1/2)"
    assert result.stdout.splitlines() == [
        "rule                  classes  claims to be     found            gap   shown by",
        "Brier()               3        strictly proper  strictly proper",
        f"SquaredAbsoluteRPS()  3        improper         improper         1/27  {beaten}",
        f"Elementary(0.25)      2        proper           proper           0     {tied}",
        "",
        "The search refutes no claim of 3 rules. It could not prove any.",
    ]


@pytest.mark.usefixtures("few_rules")
def test_the_table_names_what_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Boast(Brier):
        def classwise(self, p: Any) -> Any:
            return 1 - p

    monkeypatch.setattr(rules, "Brier", Boast)
    result = run("audit")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "The search refutes 1 of 3 claims: Brier()."


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_who_has_had_enough_is_no_error_to_speak_of(unbuffered: str) -> None:
    command = [sys.executable, "-m", "properly", "audit", "--help"]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    variables = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(command, env=variables, **pipes) as process:  # noqa: S603
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_an_interrupt_is_said_in_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "corp", interrupted)
    result = run("reproduce", "corp")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "Interrupted.\n")


def test_an_interrupt_before_anything_runs_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "command", interrupted)
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 130


def test_a_question_that_is_not_answered_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(""))
    assert cli.command()(["recommend"], standalone_mode=False) == 130


def test_a_file_that_cannot_be_read_is_an_error_of_the_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unreadable(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied", "niamey.csv")

    monkeypatch.setattr(reproduce, "corp", unreadable)
    result = run("reproduce", "corp")
    assert result.exit_code == 1
    assert result.stderr == "Error: niamey.csv: permission denied\n"


def test_a_mistake_of_ours_is_shown_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def mistaken(*_: Any, **__: Any) -> None:
        message = "a mistake"
        raise RuntimeError(message)

    monkeypatch.setattr(reproduce, "corp", mistaken)
    assert isinstance(run("reproduce", "corp").exception, RuntimeError)


def test_a_warning_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def warned(*_: Any, **__: Any) -> str:
        for message in ("few cases", "odd weights", "few cases"):
            warnings.warn(message, DataWarning, stacklevel=1)
        return "done"

    monkeypatch.setattr(reproduce, "corp", warned)
    result = run("reproduce", "corp")
    assert (result.exit_code, result.stdout) == (0, "done\n")
    assert result.stderr == "Warning: few cases\nWarning: odd weights\n"


def test_letters_that_a_terminal_does_not_have_are_spelled_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "argv", ["properly", "reproduce", "corp"])
    monkeypatch.setattr(reproduce, "corp", lambda *_, **__: "é is better than 模")
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 0
    terminal.flush()
    assert terminal.buffer.getvalue() == b"\xe9 is better than \\u6a21\n"
