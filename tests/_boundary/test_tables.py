"""Tables of text, laid out for a terminal."""

from __future__ import annotations

import math

from properly._boundary._tables import table, table_of_numbers, width_of


def test_the_first_column_is_to_the_left_and_the_others_to_the_right() -> None:
    found = table(["name", "a", "long"], [["x", "1.25", "2"], ["a name", "3", ""]])
    assert found.split("\n") == [
        "name       a  long",
        "x       1.25     2",
        "a name     3",
    ]


def test_as_many_columns_as_one_likes_are_to_the_left() -> None:
    rows = [["1", "bb", "c"]]
    assert table(["aa", "b", "cc"], rows, left=0) == "aa   b  cc\n 1  bb   c"
    assert table(["aa", "b", "cc"], rows, left=3) == "aa  b   cc\n1   bb  c"


def test_columns_may_be_wider_than_they_need() -> None:
    assert table(["a", "b", "c"], [["1", "2", "33333"]], least=(3, 4)) == (
        "a       b      c\n1       2  33333"
    )


def test_no_cell_is_obeyed() -> None:
    assert table(["a", "b"], [["\x1b[2J", "1\n2"]]) == "a           b\n\\x1b[2J  1\\n2"


def test_a_table_may_have_no_rows() -> None:
    assert table(["a", "bb"], []) == "a  bb"


def test_numbers_have_five_decimals_and_what_does_not_exist_is_a_dash() -> None:
    rows = [("x", (0.125, math.nan)), ("a model", (-123456.5, math.inf))]
    assert table_of_numbers("rule", ["score", "miscalibration"], rows, 9).split("\n") == [
        "rule               score  miscalibration",
        "x                0.12500               -",
        "a model    -123456.50000             inf",
    ]


def test_the_room_of_names_is_that_of_what_is_shown() -> None:
    assert width_of(["ab", "\n", "\x1b"]) == len("\\x1b")
