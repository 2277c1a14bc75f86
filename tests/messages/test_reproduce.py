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
    with pytest.raises(DataError, match=r"net\.npz' is not a folder"):
        reproduce.ordinal(tmp_path / "net.npz")
    (tmp_path / "net.npz").write_bytes(b"PK\x03\x04 and then nothing")
    assert refused(tmp_path).startswith(said[:60])


def test_an_archive_must_hold_arrays(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "net.npz", "w") as archive:
        archive.writestr("scores", "many")
        archive.writestr("targets", "none")
    said = "data must be .npz files that can be read; 'net.npz' cannot: scores is no array"
    assert refused(tmp_path) == said + HINT


LACKS = "every .npz file must have the arrays scores and targets; 'net.npz' has no "
SHAPES = "scores must have one row a case and one column a class, two or more, and targets one entry a case; in 'net.npz' their shapes are "
LOGITS = "scores must be logits or logarithms of probabilities, with no NaN, no +inf and a finite one in each row; row 1 of 'net.npz' is "
NUMBERS = "targets must be class numbers, 0 to 1; "
TWO = [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("scores", "targets", "message"),
    [
        (TWO, None, f"{LACKS}targets{HINT}"),
        (None, None, f"{LACKS}scores and no targets{HINT}"),
        ([1, 2], [0, 1], SHAPES + "(2,) and (2,)"),
        (1.0, [0, 1], SHAPES + "() and (2,)"),
        ([[1], [2]], [0, 0], SHAPES + "(2, 1) and (2,)"),
        (np.zeros((0, 2)), [], SHAPES + "(0, 2) and (0,)"),
        (TWO, [0], SHAPES + "(2, 2) and (1,)"),
        (TWO, [[1, 0], [0, 1]], SHAPES + "(2, 2) and (2, 2)"),
        ([["a", "b"]], [0], "scores must be numbers; those of 'net.npz' are of the type <U1"),
        ([[1, 2]], [True], "targets must be numbers; those of 'net.npz' are of the type bool"),
        ([[1, 2], [-np.inf, -np.inf]], [0, 1], LOGITS + "[-inf, -inf]"),
        ([[1, 2], [np.inf, 0]], [0, 1], LOGITS + "[inf, 0.0]"),
        ([[1, 2], [1, np.nan]], [0, 1], LOGITS + "[1.0, nan]"),
        (TWO, [0, 2], NUMBERS + "row 1 of 'net.npz' is 2"),
        (TWO, [0.5, 1], NUMBERS + "row 0 of 'net.npz' is 0.5"),
    ],
)
def test_arrays_are_refused_word_for_word(
    scores: Any, targets: Any, message: str, tmp_path: Path
) -> None:
    arrays = {"scores": scores, "targets": targets}
    np.savez(tmp_path / "net.npz", **{k: x for k, x in arrays.items() if x is not None})
    assert refused(tmp_path) == message
