"""Stored things that were damaged or forged are refused in our words, or read; none is run."""

from __future__ import annotations

import json
import sys
import warnings
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.examples import examples
from tests.forging import signed

from properly.errors import DataWarning, ProperlyError

from .damage import damaged, forged_json
from .stored_things import STORED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Every public function has a quick test elsewhere.
pytestmark = pytest.mark.slow

kinds = pytest.mark.parametrize("kind", STORED)
json_kinds = pytest.mark.parametrize("kind", [x for x, of in STORED.items() if of.is_json])
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)
# What only happens where something that was stored is run.
RUNS = ("pickle.find_class", "os.system", "os.exec", "subprocess.Popen", "ctypes.dlopen")
SEEN: list[str] = []
sys.addaudithook(lambda event, _: SEEN.append(event) if event in RUNS else None)


@contextmanager
def nothing_runs() -> Iterator[None]:
    """Fail if a process is started, or a class looked up by name."""
    before = len(SEEN)
    yield
    assert SEEN[before:] == []


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write one of each kind, in a folder of its own."""
    return {kind: of.write(tmp_path_factory.mktemp("stored")) for kind, of in STORED.items()}


def read(kind: str, path: Path, content: bytes) -> Any:
    """Read a file that says this, and look at it; None if it is refused."""
    changed = path.with_name(f"changed{path.suffix}")
    changed.write_bytes(content)
    with warnings.catch_warnings(), nothing_runs():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DataWarning)
        try:
            found = STORED[kind].read(changed)
        except ProperlyError:
            return None
        return STORED[kind].look(found)


@kinds
def test_what_was_stored_is_read(kind: str, written: dict[str, Path]) -> None:
    assert read(kind, written[kind], written[kind].read_bytes())


@kinds
@examples(20, suppress_health_check=SLOW)
@given(data=st.data())
def test_a_damaged_file_is_refused_or_read_right(
    kind: str, data: Any, written: dict[str, Path]
) -> None:
    path = written[kind]
    content = path.read_bytes()
    found = read(kind, path, data.draw(damaged(content)))
    if STORED[kind].has_checksum and found is not None:
        assert found == read(kind, path, content)


@json_kinds
@examples(20, suppress_health_check=SLOW)
@given(data=st.data())
def test_a_forged_file_is_refused_or_read(kind: str, data: Any, written: dict[str, Path]) -> None:
    path = written[kind]
    text = path.read_text(encoding="utf-8")
    if not STORED[kind].has_checksum:
        read(kind, path, data.draw(forged_json(text)).encode("utf-8", "surrogatepass"))
        return
    # With a checksum that fits, what is read is written again as it was read.
    record = json.loads(text)
    content = data.draw(forged_json(json.dumps(record["content"])))
    with suppress(ValueError, RecursionError):
        read(kind, path, signed(record | {"content": json.loads(content)}).encode())
