"""``properly reproduce`` in a clone, and where the package stands alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from reproductions.__main__ import PAPERS

import properly
import reproductions
from properly.cli import _command_table

ROOT = Path(reproductions.__file__).resolve().parents[1]


def run(*arguments: str, source: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with the package from its source and nothing else of a clone."""
    environment = os.environ | {"PYTHONPATH": str(source)}
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", *arguments],
        capture_output=True,
        check=False,
        text=True,
        cwd=folder,
        env=environment,
    )


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the package to where no clone is."""
    source = tmp_path_factory.mktemp("installed") / "site" / "lib"
    shutil.copytree(
        Path(properly.__file__).parent,
        source / "properly",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    return source


@pytest.mark.parametrize(
    "arguments", [("reproduce",), ("reproduce", "corp", "--help"), ("reproduce", "--help")]
)
def test_a_clone_forwards_to_its_papers_from_any_folder(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    found = run("properly", *arguments, source=ROOT / "src", folder=tmp_path)
    words = ["--data FILE", "--full", "--seed"] if "corp" in arguments else list(PAPERS)
    assert all(word in found.stdout + found.stderr for word in words)
    assert found.returncode == (0 if "--help" in arguments else 2)


def test_the_papers_can_be_run_as_a_module() -> None:
    found = run("reproductions", "--help", source=ROOT / "src", folder=ROOT)
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("Usage: python -m reproductions [OPTIONS] COMMAND")
    assert all(name in found.stdout for name in PAPERS)


@pytest.mark.parametrize("arguments", [(), ("corp",), ("selection", "--full", "--work", "runs")])
def test_without_a_clone_one_sentence_says_how_to_get_it(
    arguments: tuple[str, ...], alone: Path, tmp_path: Path
) -> None:
    found = run("properly", "reproduce", *arguments, source=alone, folder=tmp_path)
    assert found.returncode == 1
    assert found.stdout == ""
    assert found.stderr == f"Error: {_command_table.HOW}\n"
    assert str(tmp_path) not in found.stderr


def test_without_a_clone_there_is_help(alone: Path, tmp_path: Path) -> None:
    found = run("properly", "reproduce", "--help", source=alone, folder=tmp_path)
    assert found.returncode == 0
    assert "in a clone of the repository" in found.stdout


def test_only_the_clone_is_put_on_the_path_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [x for x in sys.path if x != str(ROOT)])
    before = list(sys.path)
    _command_table.ReproduceCommand.command("reproduce")
    _command_table.ReproduceCommand.command("reproduce")
    assert sys.path == [*before, str(ROOT)]
