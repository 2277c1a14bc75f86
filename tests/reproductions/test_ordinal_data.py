"""Outputs of classifiers that a user hands in: read, or refused with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from reproductions.grades.forecasts import read

import reproductions as reproduce
from properly.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

SCORES = np.array([[0.0, 0.0], [1.0, -1.0], [-2.0, 3.0]], dtype=np.float32)
TARGETS = np.array([0, 0, 1])


def write(folder: Path, **arrays: Any) -> Path:
    np.savez_compressed(folder / "net.npz", **arrays)
    return folder


def test_logits_become_probabilities(tmp_path: Path) -> None:
    write(tmp_path, scores=SCORES, targets=TARGETS)
    (tmp_path / "readme.txt").write_text("not an archive", encoding="utf-8")
    (name, found), *others = read(tmp_path).items()
    assert (name, others) == ("net", [])
    assert found.y.tolist() == [0, 0, 1]
    sigmoid = 1 / (1 + np.exp(-np.array([0.0, 2.0, -5.0])))
    assert found.p[:, 0] == pytest.approx(sigmoid, rel=1e-15)
    assert found.p.sum(axis=1) == pytest.approx(1, abs=1e-15)
    assert (found.classes, found.likeliest.tolist(), found.accuracy) == (2, [0, 0, 1], 1.0)


def test_logarithms_of_probabilities_are_those_of_the_same_forecast(tmp_path: Path) -> None:
    p = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
    with np.errstate(divide="ignore"):
        write(tmp_path, scores=np.log(p), targets=np.array([2.0, 0.0]))
    found = read(str(tmp_path))["net"]
    assert found.p == pytest.approx(p, abs=1e-15)
    assert found.y.dtype == np.int64
    assert found.y.tolist() == [2, 0]


def test_logits_of_any_size_have_probabilities(tmp_path: Path) -> None:
    write(tmp_path, scores=np.array([[1e308, -1e308], [1e4, 1e4]]), targets=np.array([0, 1]))
    assert read(tmp_path)["net"].p.tolist() == [[1, 0], [0.5, 0.5]]


def test_files_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        np.savez(tmp_path / f"{name}.npz", scores=SCORES, targets=TARGETS)
    assert list(read(tmp_path)) == ["a", "b", "c"]


def test_data_must_be_a_folder_with_archives(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"folder with \.npz files; '.*none' is not a folder"):
        reproduce.ordinal(tmp_path / "none")
    with pytest.raises(DataError, match=r"folder with \.npz files; '.*' has none"):
        reproduce.ordinal(tmp_path)
    write(tmp_path, scores=SCORES, targets=TARGETS)
    with pytest.raises(DataError, match="is not a folder"):
        reproduce.ordinal(tmp_path / "net.npz")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and then nothing", b"scores,targets\n"])
def test_a_file_that_is_no_archive_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "net.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"that can be read; 'net\.npz' cannot: "):
        read(tmp_path)


@pytest.mark.parametrize(
    ("scores", "targets", "found"),
    [
        (SCORES[:, 0], TARGETS, r"\(3,\) and \(3,\)"),
        (SCORES[:, :1], TARGETS, r"\(3, 1\) and \(3,\)"),
        (SCORES[:0], TARGETS[:0], r"\(0, 2\) and \(0,\)"),
        (SCORES, TARGETS[:2], r"\(3, 2\) and \(2,\)"),
        (SCORES, np.eye(2)[TARGETS], r"\(3, 2\) and \(3, 2\)"),
        (np.float64(1), TARGETS, r"\(\) and \(3,\)"),
    ],
)
def test_shapes_must_fit(scores: Any, targets: Any, found: str, tmp_path: Path) -> None:
    write(tmp_path, scores=scores, targets=targets)
    with pytest.raises(DataError, match=f"one entry a case; in 'net.npz' their shapes are {found}"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("bad", "found"),
    [
        ([1.0, np.nan], r"row 1 of 'net\.npz' is \[1\.0, nan\]"),
        ([np.inf, 0.0], r"row 1 of 'net\.npz' is \[inf, 0\.0\]"),
        ([-np.inf, -np.inf], r"row 1 of 'net\.npz' is \[-inf, -inf\]"),
    ],
)
def test_scores_must_be_logits(bad: list[float], found: str, tmp_path: Path) -> None:
    scores = SCORES.copy()
    scores[1] = bad
    write(tmp_path, scores=scores, targets=TARGETS)
    with pytest.raises(DataError, match=found):
        read(tmp_path)
