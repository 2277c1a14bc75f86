"""Every message about a user's own classifiers, word for word."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

import reproductions as reproduce
from properly import cli
from properly.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

HINT = "\n\nHint: each file has an array scores, one row a case and one column a class, and one targets."


def refused(folder: Path | str) -> str:
    with pytest.raises(DataError) as caught:
        reproduce.ordinal(folder)
    return str(caught.value)


def test_a_folder_is_needed(tmp_path: Path) -> None:
    said = "data must be a folder with .npz files; 'no/such' is not a folder"
    assert refused("no/such") == said + HINT
    said = f"data must be a folder with .npz files; {str(tmp_path)!r} has none"
    assert refused(tmp_path) == said + HINT


def test_a_folder_is_refused_on_the_command_line_in_the_same_words(tmp_path: Path) -> None:
    found = CliRunner().invoke(cli.command(), ["reproduce", "ordinal", "--data", str(tmp_path)])
    assert found.exit_code == 1
    said = f"data must be a folder with .npz files; {str(tmp_path)!r} has none"
    assert found.output == f"Error: {said}{HINT}\n"


def test_a_file_must_be_an_archive(tmp_path: Path) -> None:
    (tmp_path / "net.npz").write_text("scores", encoding="utf-8")
    said = "data must be .npz files that can be read; 'net.npz' cannot: File is not a zip file"
    assert refused(tmp_path) == said + HINT


def test_an_archive_must_hold_arrays(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "net.npz", "w") as archive:
        archive.writestr("scores", "many")
        archive.writestr("targets", "none")
    said = "data must be .npz files that can be read; 'net.npz' cannot: scores is no array"
    assert refused(tmp_path) == said + HINT


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"scores": [[1, 2]]},
            "every .npz file must have the arrays scores and targets; 'net.npz' has no targets"
            + HINT,
        ),
        (
            {"logits": [[1, 2]]},
            "every .npz file must have the arrays scores and targets; 'net.npz' has no scores and no targets"
            + HINT,
        ),
        (
            {"scores": [1, 2], "targets": [0, 1]},
            "scores must have one row a case and one column a class, two or more, and targets one entry a case; in 'net.npz' their shapes are (2,) and (2,)",
        ),
        (
            {"scores": [[1, 2], [3, 4]], "targets": [0]},
            "scores must have one row a case and one column a class, two or more, and targets one entry a case; in 'net.npz' their shapes are (2, 2) and (1,)",
        ),
        (
            {"scores": [["a", "b"]], "targets": [0]},
            "scores must be numbers; those of 'net.npz' are of the type <U1",
        ),
        (
            {"scores": [[1, 2]], "targets": [True]},
            "targets must be numbers; those of 'net.npz' are of the type bool",
        ),
        (
            {"scores": [[1, 2], [-np.inf, -np.inf]], "targets": [0, 1]},
            "scores must be logits or logarithms of probabilities, with no NaN, no +inf and a finite one in each row; row 1 of 'net.npz' is [-inf, -inf]",
        ),
        (
            {"scores": [[1, 2], [3, 4]], "targets": [0, 2]},
            "targets must be class numbers, 0 to 1; row 1 of 'net.npz' is 2",
        ),
        (
            {"scores": [[1, 2], [3, 4]], "targets": [0.5, 1]},
            "targets must be class numbers, 0 to 1; row 0 of 'net.npz' is 0.5",
        ),
    ],
)
def test_arrays_are_refused_word_for_word(
    arrays: dict[str, Any], message: str, tmp_path: Path
) -> None:
    np.savez(tmp_path / "net.npz", **arrays)
    assert refused(tmp_path) == message
