"""Every refusal and every warning, word for word, from the transcripts beside this file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tests.messages.transcripts import HERE, Said, scene, transcripts, words

import properly
from properly import errors

SAID = [said for calls in transcripts().values() for said in calls if said.words]

# Functions of the command line that are called with a message.
REFUSING = ("refuse", "refuse_unknown")


@pytest.fixture(scope="module", autouse=True)
def _scenes() -> None:
    """Make the folders that commands share before the first test."""
    for file in {said.file for said in SAID}:
        scene(file)


@pytest.mark.parametrize("said", SAID, ids=repr)
def test_a_message_is_word_for_word(said: Said) -> None:
    assert words(said) == [said.words]


def test_every_refusal_is_a_value_or_type_error_of_ours() -> None:
    kinds = {said.words.split(":")[0] for said in SAID}
    refusals = {getattr(errors, kind) for kind in kinds if hasattr(errors, kind)}
    refusals -= {errors.DataWarning}
    assert len(refusals) == 3
    assert all(issubclass(refusal, ValueError | TypeError) for refusal in refusals)


def test_every_message_in_the_source_is_tested_here() -> None:
    # What only a cluster, or a framework, can bring about is tested with one; what a command says of
    # a state is tested with runs one after the other.
    patterns = (
        "cli/test_monitor.py",
        "messages/*.txt",
        "messages/*.py",
        "eval_logs/*.py",
        "integrations/*.py",
        "integrations/*.txt",
        "sklearn/*.py",
        "*/test_selection*.py",
    )
    tests = [path for pattern in patterns for path in HERE.parent.glob(pattern)]
    told = "".join(path.read_text(encoding="utf-8") for path in tests)
    source = Path(properly.__file__).parent
    files = [path for path in source.rglob("*.py") if path != source / "__init__.py"]
    openings = [(path.name, part) for path in files for part in _openings(path)]
    assert len(openings) > 30
    assert [(name, part) for name, part in openings if part not in told] == []


def _openings(path: Path) -> list[str]:
    """Return the first literal words of each message that a file composes."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        is_call = isinstance(node, ast.Call) and getattr(node.func, "id", "") in REFUSING
        is_call = is_call and path.parent.name == "cli"
        is_named = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "message"
        if is_call or is_named:
            literals = [
                part.value
                for part in ast.walk(node)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            found.append(max(literals, key=len, default="").split("{")[0].strip())
    return found
