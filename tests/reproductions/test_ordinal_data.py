"""Outputs of classifiers that a user hands in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from reproductions.grades.forecasts import read

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
