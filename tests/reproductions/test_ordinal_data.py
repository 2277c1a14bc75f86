"""Outputs of classifiers that a user hands in: read, or refused with a reason."""

from __future__ import annotations

import pickle
import zipfile
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from reproductions.grades.forecasts import read
from tests.examples import examples

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


class Harm:
    """Something that would run if a file were unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return exec, ("raise SystemExit('a file was run')",)


def test_nothing_in_a_file_is_run(tmp_path: Path) -> None:
    (tmp_path / "net.npz").write_bytes(pickle.dumps(Harm()))
    with pytest.raises(DataError, match=r"'net\.npz' cannot: File is not a zip file"):
        read(tmp_path)
    write(tmp_path, scores=np.array([[Harm(), Harm()]]), targets=np.array([0]))
    with pytest.raises(DataError, match=r"'net\.npz' cannot: Object arrays cannot be loaded"):
        read(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and then nothing", b"scores,targets\n"])
def test_a_file_that_is_no_archive_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "net.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"that can be read; 'net\.npz' cannot: "):
        read(tmp_path)


def test_an_archive_of_something_else_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "net.npz", "w") as archive:
        archive.writestr("scores.npy", b"no array at all")
        archive.writestr("targets.npy", b"")
    with pytest.raises(DataError, match=r"'net\.npz' cannot: scores is no array"):
        read(tmp_path)


def test_an_array_that_claims_to_be_huge_is_refused(tmp_path: Path) -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (900000000000000000, 2), }"
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with zipfile.ZipFile(tmp_path / "net.npz", "w") as archive:
        archive.writestr("scores.npy", array)
        archive.writestr("targets.npy", array)
    with pytest.raises(DataError, match=r"'net\.npz' cannot: "):
        read(tmp_path)


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    write(tmp_path, scores=np.arange(2000.0).reshape(-1, 2), targets=np.zeros(1000, dtype=int))
    content = bytearray((tmp_path / "net.npz").read_bytes())
    content[200:260] = bytes(60)
    (tmp_path / "net.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"'net\.npz' cannot: "):
        read(tmp_path)


@given(st.data())
@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_happened_to_a_file_it_is_read_or_refused(
    tmp_path: Path, data: st.DataObject
) -> None:
    np.savez(tmp_path / "net.npz", scores=SCORES, targets=TARGETS)
    content = bytearray((tmp_path / "net.npz").read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)):
        content[place] = data.draw(st.integers(0, 255))
    (tmp_path / "net.npz").write_bytes(content)
    # Anything else than this error would be one of ours.
    with suppress(DataError):
        assert read(tmp_path)["net"].p.sum(axis=1) == pytest.approx(1)


def test_both_arrays_must_be_there(tmp_path: Path) -> None:
    write(tmp_path, scores=SCORES)
    with pytest.raises(DataError, match=r"scores and targets; 'net\.npz' has no targets\n"):
        read(tmp_path)
    write(tmp_path, logits=SCORES)
    with pytest.raises(DataError, match=r"'net\.npz' has no scores and no targets\n"):
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


@pytest.mark.parametrize(("bad", "said"), [(-1, "-1"), (2, "2"), (0.5, "0.5"), (np.nan, "nan")])
def test_targets_must_be_class_numbers(bad: float, said: str, tmp_path: Path) -> None:
    write(tmp_path, scores=SCORES, targets=np.array([0, 1, bad]))
    with pytest.raises(DataError, match=rf"0 to 1; row 2 of 'net\.npz' is {said}(\.0)?$"):
        read(tmp_path)


def test_both_must_be_numbers(tmp_path: Path) -> None:
    write(tmp_path, scores=SCORES, targets=np.array(["a", "a", "b"]))
    with pytest.raises(DataError, match=r"targets must be numbers; those of 'net\.npz' are .* <U1"):
        read(tmp_path)
    write(tmp_path, scores=SCORES.astype(complex), targets=TARGETS)
    with pytest.raises(DataError, match=r"scores must be numbers; .* complex128"):
        read(tmp_path)
