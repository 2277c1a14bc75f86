"""Every message of the command line about options, word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.command_line import run, write_forecasts

from properly import cli

if TYPE_CHECKING:
    from pathlib import Path

TWO = ("--outcome", "y", "--forecast", "good", "--forecast", "poor")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_forecasts(tmp_path_factory.mktemp("messages") / "forecasts.csv")


def refused(code: int, *arguments: str | Path) -> str:
    """Return what is said of a call that is refused, without how the command is used."""
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    usage, _, said = result.stderr.rpartition("Error: ")
    assert usage.startswith("Usage: properly ") == (code == 2)
    return said.rstrip("\n")


@pytest.mark.parametrize("command", ["score", "report", "compare"])
def test_an_unknown_rule(command: str, file: Path) -> None:
    assert refused(2, command, file, *TWO, "--rule", "breir") == (
        "Invalid value for '--rule': a rule must have a name of properly.rules; got 'breir'\n\n"
        "Hint: did you mean one of Brier?"
    )


def test_a_rule_that_cannot_be_read(file: Path) -> None:
    assert refused(2, "score", file, *TWO, "--rule", "brier+log") == (
        "Invalid value for '--rule': a rule is a name or a call, of numbers, words and rules; "
        "got 'brier+log', of which 'brier + log' is none\n\n"
        'Hint: write "brier", "sa-rps" or "PBS(ties=\'any_correct\')".'
    )


def test_auc_is_no_rule_of_a_score(file: Path) -> None:
    assert refused(2, "score", file, *TWO, "--rule", "auc") == (
        "Invalid value for '--rule': a rule must have a name of properly.rules; got 'auc'\n\n"
        "Hint: names are such as Brier, Log, RPS."
    )


@pytest.mark.parametrize("command", ["score", "report"])
def test_a_range_that_is_none(command: str, file: Path) -> None:
    assert refused(2, command, file, *TWO, "--within", "0.2", "0.1") == (
        "Invalid value for '--within': a range of thresholds needs 0 <= lower < upper <= 1; "
        "got lower = 0.2, upper = 0.1\n\nHint: the smaller end comes first."
    )


@pytest.mark.parametrize("command", ["score", "report", "compare"])
def test_a_level_in_percent(command: str, file: Path) -> None:
    assert refused(2, command, file, *TWO, "--level", "95") == (
        "Invalid value for '--level': 95.0 is not in the range 0<x<1."
    )


def test_a_margin_of_nothing(file: Path) -> None:
    assert refused(2, "compare", file, *TWO, "--margin", "0") == (
        "Invalid value for '--margin': 0.0 is not in the range x>0."
    )


def test_an_output_that_exists(file: Path) -> None:
    for command, output in (("score", "--output"), ("compare", "--output"), ("report", "--output")):
        assert refused(1, command, file, *TWO, output, file) == (
            f"{file} exists already and is not overwritten\n\n"
            "Hint: choose another name, or pass --force."
        )


def test_a_reference_that_is_no_model(file: Path) -> None:
    assert refused(2, "compare", file, *TWO, "--reference", "god") == (
        "--reference is a model that is compared; got 'god'\n\nHint: did you mean 'good'?"
    )


@pytest.mark.parametrize("command", ["score", "report", "compare", "check"])
def test_a_command_without_a_file(command: str) -> None:
    assert refused(2, command) == "Missing argument 'FILES...'."


def test_a_command_that_is_not_there() -> None:
    assert refused(2, "reprot").startswith("No such command 'reprot'.")


def test_areas_have_no_thresholds(file: Path) -> None:
    assert refused(2, "compare", file, *TWO, "--rule", "auc", "--within", "0.1", "0.2") == (
        "--within is about a rule; an area under the ROC curve has no thresholds"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["rps", "--classes", "31"],
            "--classes must be a whole number from 2 to 30; got 31",
        ),
        (
            ["Elementary(0.5)", "--classes", "3"],
            (
                "Elementary(threshold=0.5) is a rule for one event, which has 2 classes; got classes = 3"
                "\n\nHint: Ranked(rule) makes a rule for ordered classes of it."
            ),
        ),
    ],
)
def test_an_audit_is_refused_in_the_words_of_the_command_line(
    arguments: list[str], message: str
) -> None:
    found = CliRunner().invoke(cli.command(), ["audit", *arguments])
    assert found.exit_code == 1
    assert found.output == f"Error: {message}\n"


def test_a_rule_that_is_none_is_a_matter_of_usage() -> None:
    found = CliRunner().invoke(cli.command(), ["audit", "briar"])
    assert found.exit_code == 2
    said = (
        "a rule must have a name of properly.rules; got 'briar'\n\nHint: did you mean one of Brier?"
    )
    assert found.output.endswith(f"Error: Invalid value for '[RULE]...': {said}\n")


def test_advice_without_a_terminal_names_the_missing_flags() -> None:
    found = CliRunner().invoke(cli.command(), ["recommend"])
    assert found.exit_code == 2
    said = "Off a terminal nothing can be asked; give --decisions independent|budget and --threshold fixed|range|unknown."
    assert f"Error: {said}\n" in found.output
