"""The gallery shows every picture, each drawn by the lines that stand above it."""

from __future__ import annotations

import re

import pytest
from PIL import Image
from studies.pictures.canvas import STATIC
from studies.pictures.gallery import FOLDER, KEY, MOST_BYTES, PAGE, Entry, entries

from properly import plots

ENTRIES = entries()


def test_every_function_that_draws_is_in_the_gallery_once() -> None:
    drawn = [re.findall(r"plots\.(\w+)\(", entry.code)[-1] for entry in ENTRIES]
    # A ROC curve is drawn once more, as precision against recall.
    assert sorted(drawn) == sorted([*plots.__all__, "roc"])


def test_the_gallery_shows_the_pictures_that_are_kept_and_no_others() -> None:
    kept = {path.stem for path in (STATIC / FOLDER).glob("*.png")}
    assert {entry.name for entry in ENTRIES} == kept
    assert len(ENTRIES) == PAGE.read_text(encoding="utf-8").count("\n### ")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_a_picture_was_drawn_by_the_lines_that_the_page_shows(entry: Entry) -> None:
    path = STATIC / FOLDER / f"{entry.name}.png"
    with Image.open(path) as picture:
        assert picture.info[KEY] == entry.code  # else: python -m studies.pictures gallery
    assert path.stat().st_size < MOST_BYTES


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_lines_of_a_picture_are_about_ten(entry: Entry) -> None:
    assert len(entry.own.splitlines()) <= 12
