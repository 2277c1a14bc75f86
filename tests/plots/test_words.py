"""Names and numbers as they are printed."""

import math

import pytest

from properly.plots._axes import digits_for, legible, number


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("logistic", "logistic"),
        ("$x$", r"\$x\$"),
        ("_hidden", " _hidden"),
        ("two\nlines", r"two\nlines"),
        ("a" * 30 + "b" * 30, "a" * 23 + "…" + "b" * 12),
    ],
)
def test_a_name_is_written_as_it_is(name: str, shown: str) -> None:
    assert legible(name) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.01234, ".0123"),
        (0, ".0000"),
        (-0.5, "−.5000"),
        (12.5, "12.5000"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "undefined"),
    ],
)
def test_a_number_is_written_as_journals_do(value: float, shown: str) -> None:
    assert number(value) == shown


def test_a_rare_event_has_more_decimals() -> None:
    assert [digits_for(scale) for scale in (0.25, 0.04, 0.00123, 1e-6, 0)] == [4, 4, 5, 8, 4]
