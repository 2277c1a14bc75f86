"""Files of every kind, odd or damaged: commands end with a code of ours, never a traceback."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.command_line import run, write_forecasts
from tests.examples import examples

from .damage import damaged
from .stored_things import CODES

if TYPE_CHECKING:
    from pathlib import Path

# Every public function has a quick test elsewhere.
pytestmark = pytest.mark.slow

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)
FORECASTS = ("--outcome", "y", "--forecast", "good", "--forecast", "poor")
COMMANDS = {
    "check": ("check", *FORECASTS),
    "score": ("score", *FORECASTS, "--rule", "brier"),
    "compare": ("compare", *FORECASTS, "--rule", "brier"),
}
KINDS = ("rows.csv", "rows.tsv", "rows.csv.gz", "rows.jsonl", "rows.parquet", "rows.arrow")
CELLS = ("", "0.5", "1", "NaN", "inf", "-1", "1e400", "0,5", '"', '""', "a\nb", "\x00", "é", "50%")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252", "shift-jis", "utf-7")
commands = st.sampled_from(list(COMMANDS))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Write the same rows in every kind of file."""
    folder = tmp_path_factory.mktemp("files")
    frame = pd.read_csv(write_forecasts(folder / "rows.csv"))
    frame.to_csv(folder / "rows.tsv", sep="\t", index=False)
    (folder / "rows.csv.gz").write_bytes(gzip.compress((folder / "rows.csv").read_bytes(), mtime=0))
    frame.to_json(folder / "rows.jsonl", orient="records", lines=True)
    frame.to_parquet(folder / "rows.parquet")
    frame.to_feather(folder / "rows.arrow")
    return {name: (folder / name).read_bytes() for name in KINDS}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for files that are written over and over."""
    return tmp_path_factory.mktemp("odd")


def end(command: str, path: Path, content: bytes) -> int:
    """Run a command on a file that says this, and return its code."""
    path.write_bytes(content)
    result = run(*COMMANDS[command], path)
    assert result.exit_code in CODES, result.output
    assert "Traceback" not in result.output
    return int(result.exit_code)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_sound_file_is_read(
    command: str, name: str, files: dict[str, bytes], place: Path
) -> None:
    assert end(command, place / name, files[name]) == 0


@pytest.mark.parametrize("name", KINDS)
@examples(12, suppress_health_check=SLOW)
@given(data=st.data(), command=commands)
def test_a_damaged_file_is_read_or_refused(
    name: str, data: Any, command: str, files: dict[str, bytes], place: Path
) -> None:
    end(command, place / name, data.draw(damaged(files[name])))


@examples(20, suppress_health_check=SLOW)
@given(data=st.data(), command=commands)
def test_an_odd_table_is_read_or_refused(data: Any, command: str, place: Path) -> None:
    delimiter = data.draw(st.sampled_from(",;\t| :^\x1f"))
    line = data.draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))
    cells = st.sampled_from(CELLS) | st.sampled_from(["0", "1", "0.25"])
    rows = data.draw(st.lists(st.lists(cells, min_size=2, max_size=4), max_size=6))
    head = data.draw(st.sampled_from([["y", "good", "poor"], ["y", "good"], ["y", "y", "y"], []]))
    text = line.join(delimiter.join(row) for row in [head, *rows])
    encoding = data.draw(st.sampled_from(ENCODINGS))
    end(command, place / "rows.csv", text.encode(encoding, "replace"))


@examples(10, suppress_health_check=SLOW)
@given(content=st.binary(max_size=200), name=st.sampled_from(KINDS), command=commands)
def test_any_bytes_are_read_or_refused(
    content: bytes, name: str, command: str, place: Path
) -> None:
    end(command, place / name, content)
