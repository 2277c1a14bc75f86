"""A checkup in print, word for word; its findings are in a transcript."""

from __future__ import annotations

from properly import check

PRINTED = """\
4 rows, 2 models: 4 problems, 1 oddity

Problems
- outcome: 1 of 4 outcomes is missing (row 1).
  Did follow-up end before the outcome was known (censored)? Then neither dropping those
  rows nor counting them as no event is right; otherwise drop them first, or pass
  missing="drop" as files are read.
- a: 1 of 4 rows has no number but 'x' (row 2).
  Convert text to numbers first.
- outcome: labels must be 0 and 1, or say which is the event; found 'no', 'yes'.
  Say which label is the event: pos_label='yes', or --event yes, if it is that one.
- a: 2 of 3 forecasts are outside [0, 1], from 0.25 to 150 (rows 1, 3).
  Nothing is clipped for you. Are these probabilities? Of percentages, divide by 100; of
  odds, take x / (1 + x).

Oddities
- b: all 4 forecasts are 0.5.
  Is this the right column? A constant has no discrimination; evaluate adds one itself.

Nothing else was found. Mend the problems and check again: they may hide others."""


def test_a_checkup_is_printed_with_problems_first() -> None:
    found = check(["no", None, "yes", "no"], {"a": [0.25, 150, "x", 50], "b": [0.5, 0.5, 0.5, 0.5]})
    assert str(found) == PRINTED
