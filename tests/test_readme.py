"""The Python in the README and in the pages of the documentation runs, and prints what they say."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import properly

ROOT = Path(__file__).resolve().parent.parent
# Pages of other frameworks are run where these are installed.
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "errata").glob("*.md")),
    ROOT / "docs" / "integrations" / "scikit-learn.md",
]
# What a newcomer tries first; `make verify` runs every page.
FIRST = {"README.md", "getting-started.md"}
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block of Python and what it is said to print, if anything is said."""

    code: str
    printed: str | None


def blocks(page: Path) -> list[Block]:
    """Pair each block of Python with the text block after it that no other Python comes before."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    following = [*found, ("", "")][1:]
    return [
        Block(body, said if next_kind == "text" else None)
        for (kind, body), (next_kind, said) in zip(found, following, strict=True)
        if kind == "python"
    ]


def run(block: Block, file: Path, names: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Run a block with the names of those before it; return what it prints, and all names."""
    file.write_text(block.code, encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        names = runpy.run_path(str(file), init_globals=names)
    return printed.getvalue(), names


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            id=str(page.relative_to(ROOT)),
            marks=[] if page.name in FIRST else [pytest.mark.slow],
        )
        for page in PAGES
    ],
)
def test_the_python_of_a_page_runs_and_prints_what_the_page_says(
    page: Path, tmp_path: Path
) -> None:
    names: dict[str, Any] = {}
    for block in blocks(page):
        printed, names = run(block, tmp_path / "block.py", names)
        if block.printed is not None:
            assert printed == block.printed


def test_the_readme_and_the_landing_page_have_python_with_output() -> None:
    for page in (ROOT / "README.md", ROOT / "docs" / "index.md"):
        assert any(block.printed for block in blocks(page))


def test_the_readme_shows_what_the_report_command_prints() -> None:
    crash = properly.datasets.crash()
    known: dict[str, Any] = {"clusters": crash.cluster, "replicates": 0, "rng": 0}
    e = properly.evaluate(crash.died, crash.forecasts, within=(0.01, 0.1), **known)
    headline, *sentences = str(properly.verdict(e, cases="people", event="death")).split("\n\n")
    dangerous = next(x for x in sentences if x.startswith("For 48 people"))
    table = next(x for x in e.table().split("\n\n") if x.startswith(e.primary))
    shown = f"{headline}\n…\n{dangerous}\n…\n{table}\n…\nThe page is in report.html."
    assert f"```text\n{shown}\n```" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_continuous_integration_runs_the_commands_of_the_readme_in_its_order() -> None:
    readme, script = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", ".ci/run")
    )
    commands = re.findall(r"^make [\w-]+", readme, re.MULTILINE)
    assert commands
    assert re.findall(r"^make [\w-]+", script, re.MULTILINE)[: len(commands)] == commands


def test_files_that_the_readme_links_to_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
