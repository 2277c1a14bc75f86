"""``properly check``: bad data are looked at, not refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.command_line import run, write_forecasts

import properly

if TYPE_CHECKING:
    from pathlib import Path


def test_good_data_have_no_problem(tmp_path: Path) -> None:
    file = write_forecasts(tmp_path / "forecasts.csv")
    result = run("check", file, "--outcome", "y", "--forecast", "good", "--clusters", "accident")
    data = properly.read(file)
    expected = properly.check(data["y"], {"good": data["good"]}, clusters=data["accident"])
    assert expected.is_fine
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{expected}\n"


def problems(file: Path, *options: str) -> dict[str, Any]:
    result = run("check", file, "--outcome", "y", *options, "--format", "json")
    found: dict[str, Any] = json.loads(result.stdout)
    assert result.exit_code == (0 if found["is_fine"] else 1)
    return found


def test_an_event_is_read_as_the_outcomes_are(tmp_path: Path) -> None:
    file = tmp_path / "words.csv"
    rows = "".join(f"{'yes' if k % 3 else 'no'},{0.3 + 0.3 * (k % 3 > 0)}\n" for k in range(60))
    file.write_text(f"y,p\n{rows}", encoding="utf-8")
    assert not problems(file, "--forecast", "p")["is_fine"]
    assert "'yes'" in json.dumps(problems(file, "--forecast", "p"), ensure_ascii=False)
    data = properly.read(file)
    found = problems(file, "--forecast", "p", "--event", "yes")
    assert found == properly.check(data["y"], {"p": data["p"]}, pos_label="yes").to_dict()
