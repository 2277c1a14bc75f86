"""The notebooks of the documentation say what they print, and print it again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from studies.notebooks import FOLDER, executed, read, texts

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.mark.slow
@each_notebook
def test_a_fresh_kernel_prints_what_is_stored(path: Path) -> None:
    assert texts(executed(path)) == texts(read(path))


@each_notebook
def test_a_notebook_was_run_from_top_to_bottom_without_a_complaint(path: Path) -> None:
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not re.search(r"^(stderr|error): ", "\n".join(texts(read(path))), re.MULTILINE)


@each_notebook
def test_a_notebook_is_short_and_opens_with_its_question(path: Path) -> None:
    cells = read(path).cells
    assert len(cells) < 15
    title, _, question = cells[0].source.partition("\n\n")
    assert re.fullmatch(r"# .+", title)
    assert question.startswith("*Which question does this answer?* ")


@each_notebook
def test_a_picture_is_small_and_is_told_in_words(path: Path) -> None:
    drawn = [
        (cell, output.data["image/png"])
        for cell in read(path).cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert drawn
    for cell, picture in drawn:
        assert len(picture) < 150_000
        assert len(cell.metadata["mystnb"]["image"]["alt"]) > 40


@each_notebook
def test_a_notebook_knows_no_folder_of_the_machine_that_ran_it(path: Path) -> None:
    stored = re.sub(r'"image/png": ".*?"', "", path.read_text(encoding="utf-8"))
    assert re.findall(r"(?:/home|/tmp|/work|/root|/Users|[A-Z]:\\\\)\S*", stored) == []
