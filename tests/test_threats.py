"""The page on threats: each row names a test that exists, and no kind of threat is left out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^\| ([^|`]+) \| ([^|`]+) \| `([^|`]+)` \|$", re.MULTILINE)
ROWS = ROW.findall((ROOT / "docs" / "threats.md").read_text(encoding="utf-8"))
KINDS = {
    "files",
    "names",
    "saved summaries and states",
    "logs of language models",
    "recalibration maps",
    "pages",
    "remote workers",
}


def test_every_kind_of_threat_has_rows_and_every_row_is_read() -> None:
    assert {kind for kind, _, _ in ROWS} == KINDS
    lines = (ROOT / "docs" / "threats.md").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith("| ") for line in lines) == len(ROWS) + 2  # the head, and its rule


@pytest.mark.parametrize("test", [test for _, _, test in ROWS])
def test_each_row_names_a_test_that_exists(test: str) -> None:
    path, *names = test.split("::")
    assert names[-1].startswith("test_")
    body: list[ast.stmt] = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
    for name in names:
        found = [
            node
            for node in body
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name
        ]
        assert len(found) == 1, f"{path} has no {name}"
        body = found[0].body


def test_no_test_is_named_twice() -> None:
    assert len({test for _, _, test in ROWS}) == len(ROWS)


def test_the_policy_leads_to_the_page() -> None:
    assert "(docs/threats.md)" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
