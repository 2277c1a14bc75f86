"""Whatever is stored: whole, ours and unchanged, or refused in words."""

from __future__ import annotations

import json
import pickle
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from tests.forging import forged, signed
from tests.monitors import drawn

import properly
from properly._boundary import _stored
from properly._boundary._stored import StoredKind, packed, unpacked
from properly.engines._summary import SUMMARIES
from properly.errors import DataError
from properly.evaluation._monitor._monitor import STATES
from properly.recalibration import VennAbers, load
from properly.recalibration._map import MAPS

if TYPE_CHECKING:
    from collections.abc import Callable

DRAWN = drawn(60)


class Case(NamedTuple):
    """A kind of stored thing, how one is written, and how it is read."""

    kind: StoredKind
    write: Callable[[Path], Path]
    read: Callable[[Path], Any]


def write_state(path: Path) -> Path:
    monitor = properly.Monitor()
    monitor.add(DRAWN.y, DRAWN.p, ids=DRAWN.ids)
    return monitor.save(path, overwrite=True)


def write_summary(path: Path) -> Path:
    stream = properly.stream()
    stream.add(DRAWN.y, DRAWN.p)
    return stream.save(path)


CASES = {
    "summary": Case(SUMMARIES, write_summary, properly.Summary.load),
    "map": Case(MAPS, VennAbers().fit(DRAWN.y, DRAWN.p).save, load),
    "state": Case(STATES, write_state, properly.Monitor.load),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def refused(case: Case, path: Path) -> str:
    with pytest.raises(DataError) as caught:
        case.read(path)
    return str(caught.value).replace(str(path), "FILE")


def rewritten(case: Case, path: Path, content: bytes | str) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return refused(case, path)


def changed(case: Case) -> str:
    told = f"the {case.kind.noun} FILE was cut or changed after it was written; it is not used"
    return f"{told}\n\nHint: {case.kind.remedy}"


def foreign(case: Case) -> str:
    told = f"FILE is not a {case.kind.noun} that properly has written"
    return f"{told}\n\nHint: {case.kind.writers}"


def test_a_file_is_plain_json_with_its_name_version_and_checksum(
    case: Case, tmp_path: Path
) -> None:
    text = case.write(tmp_path / "x").read_text(encoding="ascii")
    record = json.loads(text, parse_constant=pytest.fail)
    assert list(record) == ["format", "version", "made_with", "sha256", "content"]
    assert record["format"] == f"properly-{case.kind.noun}"
    assert record["version"] == _stored.VERSION
    assert record["made_with"] == f"properly {properly.__version__}"
    assert json.loads(signed(record)) == record


def test_the_lines_and_the_order_of_names_do_not_matter(case: Case, tmp_path: Path) -> None:
    path = case.write(tmp_path / "x")
    record = json.loads(path.read_text())
    path.write_text(json.dumps(dict(reversed(record.items())), indent=2))
    case.read(path)


def test_a_file_that_was_cut_anywhere_is_refused(case: Case, tmp_path: Path) -> None:
    path = case.write(tmp_path / "x")
    data = path.read_bytes().strip()
    for end in [*range(0, 200, 7), *range(200, len(data), 97), len(data) - 1]:
        assert rewritten(case, path, data[:end]) in (changed(case), foreign(case))


def test_a_file_with_a_bit_flipped_is_refused_or_as_it_was(case: Case, tmp_path: Path) -> None:
    path = case.write(tmp_path / "x")
    data, rng = path.read_bytes(), np.random.default_rng(3)
    content = json.loads(data)["content"]
    for at in [*range(0, 200, 3), *rng.integers(200, len(data), 100).tolist()]:
        flipped = bytearray(data)
        flipped[at] ^= 1 << int(rng.integers(7))
        path.write_bytes(flipped)
        try:
            case.read(path)
        except DataError as error:
            told = str(error).replace(str(path), "FILE")
            assert told in (changed(case), foreign(case)) or "this version reads" in told
        else:
            # What made it, and blanks, mean nothing.
            assert json.loads(bytes(flipped))["content"] == content


@pytest.mark.parametrize(
    "text",
    [b"", b"y,p\n1,0.5\n", b'{"format": "properly-other"}', b"\xff", b"null", b"\x00" * 99, b"PK"],
)
def test_what_is_not_ours_is_refused(case: Case, text: bytes, tmp_path: Path) -> None:
    assert rewritten(case, tmp_path / "x", text) == foreign(case)


@pytest.mark.parametrize("version", [0, "1", None, 1.5, True, -1])
def test_a_version_that_never_was_is_refused(case: Case, version: Any, tmp_path: Path) -> None:
    path = case.write(tmp_path / "x")
    record = json.loads(path.read_text()) | {"version": version}
    assert rewritten(case, path, json.dumps(record)) == changed(case)


def test_a_newer_file_is_refused_with_both_versions(case: Case, tmp_path: Path) -> None:
    record = {"format": case.kind.format, "version": 12, "made_with": "properly 9.8.7", "x": 1}
    told = f"the {case.kind.noun} FILE cannot be used: its format is 12, of properly 9.8.7; "
    said = rewritten(case, tmp_path / "x", json.dumps(record))
    assert said == f"{told}this version reads 1\n\nHint: pip install --upgrade properly"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000, '{"a":' * 100_000, "1" * 5000, "NaN", "-Infinity", "1e999", "null", "[]",
        "{}", '{"kind": []}', '{"options": {}}', '{"a": 1} 2', '"\x01"',
    ],
)  # fmt: skip
def test_content_of_another_kind_is_refused(case: Case, text: str, tmp_path: Path) -> None:
    checksum = "0" * 64
    with suppress(ValueError, RecursionError):
        checksum = json.loads(signed({"content": json.loads(text)}))["sha256"]
    head = f'{{"format": "{case.kind.format}", "version": 1, "made_with": "x", "sha256": "'
    said = rewritten(case, tmp_path / "x", f'{head}{checksum}", "content": {text}}}')
    assert said == changed(case)


def test_a_name_too_many_is_refused(case: Case, tmp_path: Path) -> None:
    path = case.write(tmp_path / "x")
    record = json.loads(path.read_text())
    assert rewritten(case, path, json.dumps(record | {"hook": "rm"})) == changed(case)
    for name in ("version", "made_with", "sha256", "content"):
        text = json.dumps({x: record[x] for x in record if x != name})
        assert rewritten(case, path, text) == changed(case)
    path.write_text(forged(json.dumps(record), lambda content: content | {"hook": "rm"}))
    assert "FILE" in refused(case, path)


class Trap:
    """Leaves a mark if it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_nothing_in_a_file_is_run(case: Case, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    rewritten(case, tmp_path / "x", pickle.dumps(Trap(mark)))
    assert not mark.exists()


def test_what_is_too_large_is_refused(
    case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = case.write(tmp_path / "x")
    with monkeypatch.context() as context:
        context.setattr(_stored, "ENTRIES", 5)
        assert refused(case, path) == changed(case)
        context.setattr(_stored, "LISTS", 1)
        assert refused(case, path) == changed(case)
    told = f"a {case.kind.noun} can have at most 0 MiB in a file; this one has more"
    with pytest.raises(DataError) as caught:
        case.kind._replace(largest=100).read(path)
    assert str(caught.value) == f"{told}\n\nHint: {case.kind.smaller}"


def test_what_cannot_be_read_is_refused(case: Case, tmp_path: Path) -> None:
    noun = case.kind.noun
    missing = Path(f"{tmp_path}/no\nwhere")
    told = f"cannot read the {noun} {tmp_path}/no\\nwhere: no such file or directory"
    assert refused(case, missing) == told
    assert refused(case, tmp_path) == f"cannot read the {noun} FILE: is a directory"
    said = "cannot read the {} a\\x00b: no file can have such a name"
    assert refused(case, Path("a\0b")) == said.format(noun)


@pytest.mark.parametrize(
    "column",
    [
        np.array([0.1, -0.0, np.pi]), np.zeros((0, 2)), np.arange(6).reshape(2, 3),
        np.array([2**64 - 1], np.uint64), np.array([True, False]),
    ],
)  # fmt: skip
def test_arrays_are_read_back(column: np.ndarray) -> None:
    again = unpacked(json.loads(json.dumps(packed(column))))
    np.testing.assert_array_equal(again, column)
    assert again.shape == column.shape
