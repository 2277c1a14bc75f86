"""Numbers, names and lists as text."""

from __future__ import annotations

from properly._boundary._text import counted, first_of, listed


def test_small_numbers_are_words() -> None:
    assert [counted(x) for x in (0, 1, 10, 11, 1200)] == ["no", "one", "ten", "11", "1,200"]


def test_names_in_a_sentence_are_joined_and_harmless() -> None:
    assert [listed("a"), listed("ab"), listed("abcde")] == ["a", "a and b", "a, b, c, d and e"]
    assert listed("abcdefg") == "a, b, c, d and three others"
    assert listed("abcd", 3) == "a, b and two others"
    assert listed(["\x1b[31mred", "b\nc"]) == r"\x1b[31mred and b\nc"


def test_after_a_colon_the_first_are_shown_and_all_counted() -> None:
    assert [first_of("a"), first_of("abcde")] == ["a", "a, b, c, d, e"]
    assert first_of("abcdefg") == "a, b, c, d, e, … (7 in all)"
    assert first_of(map(str, range(2000)), 2) == "0, 1, … (2,000 in all)"


def test_with_a_count_no_more_are_made_than_shown() -> None:
    names = iter("abcdefg")
    assert first_of(names, 2, count=7) == "a, b, … (7 in all)"
    assert next(names) == "c"
