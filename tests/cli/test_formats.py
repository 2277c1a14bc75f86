"""Tables in formats for other programs."""

from __future__ import annotations

import csv
import io
import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly.cli._formats import FORMATS, LATEX, as_csv, as_latex, as_markdown, escaped

HEAD = ("model", "baseline", "score", "skill")
ROWS: list[tuple[Any, ...]] = [
    ("a", False, 0.1, math.nan),
    ("b", True, math.inf, -math.inf),
    ("c", False, None, 1 / 3),
]


def test_csv_has_all_digits_and_leaves_empty_what_is_not_a_number() -> None:
    assert as_csv(HEAD, ROWS).splitlines() == [
        "model,baseline,score,skill",
        "a,False,0.1,",
        "b,True,Infinity,-Infinity",
        "c,False,,0.3333333333333333",
    ]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
def test_csv_gives_names_back_as_they_were(names: list[str]) -> None:
    text = as_csv(("model", "score"), [(name, 0.5) for name in names])
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read == [["model", "score"], *([name, "0.5"] for name in names)]


def test_markdown_aligns_numbers_to_the_right() -> None:
    assert as_markdown(HEAD, ROWS).splitlines() == [
        "| model | baseline | score | skill |",
        "| --- | --- | ---: | ---: |",
        "| a | False | 0.10000 | - |",
        "| b | True | ∞ | -∞ |",
        "| c | False | - | 0.33333 |",
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a|b", r"a\|b"),
        ("a\\|b", r"a\\\|b"),
        ("naive_bayes", r"naive\_bayes"),
        ("<b>x</b>", r"\<b\>x\</b\>"),
        ("[x](y)", r"\[x\](y)"),
        ("two\nlines", r"two\\nlines"),
        ("\x1b[1m", r"\\x1b\[1m"),
    ],
)
def test_markdown_shows_names_as_text(name: str, shown: str) -> None:
    *_, line = as_markdown(("model",), [(name,)]).splitlines()
    assert line == f"| {shown} |"


@given(st.text())
def test_a_cell_of_markdown_stays_one_cell(name: str) -> None:
    lines = as_markdown(("model", "score"), [(name, 0.5)]).split("\n")
    assert len(lines) == 4
    # Pipes that end a cell have an even number of backslashes before them.
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", lines[2])) == 3


def test_latex_is_a_table_for_booktabs() -> None:
    assert as_latex(HEAD, ROWS).splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{tabular}{llrr}",
        r"\toprule",
        r"model & baseline & score & skill \\",
        r"\midrule",
        r"a & False & 0.10000 & - \\",
        r"b & True & $\infty$ & -$\infty$ \\",
        r"c & False & - & 0.33333 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


@given(st.text())
def test_no_letter_of_a_name_is_an_instruction_to_latex(name: str) -> None:
    shown = escaped(name, LATEX)
    for sign in sorted(LATEX.values(), key=len, reverse=True):
        shown = shown.replace(sign, "")
    assert not set(shown) & set("\\{}$&#%_^~")
    assert "\n" not in shown


@pytest.mark.parametrize("layout", FORMATS)
def test_a_table_without_rows_has_its_head(layout: str) -> None:
    assert "model" in FORMATS[layout](("model", "score"), [])
