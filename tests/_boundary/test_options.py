"""Levels, replicates, choices and sources of randomness."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly._boundary._options import as_generator, check_choice, check_level
from properly.errors import ArgumentTypeError, DataError


@pytest.mark.parametrize("level", [0.5, 0.9, np.float32(0.5), 1e-9, 1 - 1e-9])
def test_a_level_between_0_and_1_is_taken_as_a_float(level: Any) -> None:
    assert check_level(level) == float(level)
    assert isinstance(check_level(level), float)


@pytest.mark.parametrize("level", ["0.9", None, [0.9]])
def test_a_level_that_is_no_number_is_refused(level: Any) -> None:
    with pytest.raises((ArgumentTypeError, DataError), match="level"):
        check_level(level)


def test_a_choice_is_one_of_those_offered() -> None:
    assert check_choice("b", ("a", "b"), "letter") == "b"
    with pytest.raises(DataError, match="letter must be 'a', 'b' or 'c'; got 'd'"):
        check_choice("d", ("a", "b", "c"), "letter")
    with pytest.raises(DataError, match="letter must be 'a'; got 'd'"):
        check_choice("d", ("a",), "letter")


def test_a_seed_always_begins_the_same_generator() -> None:
    assert as_generator(3).random() == np.random.default_rng(3).random()
    whole: Any = np.int64(3)
    assert as_generator(whole).random() == as_generator(3).random()


@pytest.mark.parametrize("rng", ["3", 3.0, -1, [1, 2], np.random.RandomState(3)])
def test_anything_else_is_no_source_of_randomness(rng: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="rng must be a whole number"):
        as_generator(rng)
