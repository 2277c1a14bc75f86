"""The table of Appendix F."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from reproductions.decisions.assel import METRICS, PRINTED, AsselCell, AsselTable, appendix_f


@pytest.fixture(scope="module")
def tables() -> dict[str, AsselTable]:
    return {name: appendix_f(name, 5000, np.random.default_rng(1)) for name in PRINTED}


def where(table: AsselTable, flag: str, *, value: bool = True) -> set[tuple[str, str]]:
    return {(c.test, c.metric) for c in table.cells if getattr(c, flag) is value}


def test_every_test_is_judged_in_every_way(tables: dict[str, AsselTable]) -> None:
    for process, table in tables.items():
        assert [(c.test, c.metric) for c in table.cells] == [
            (test, metric) for test in PRINTED[process] for metric in METRICS
        ]
    printed = [sum(c.printed is not None for c in table.cells) for table in tables.values()]
    assert printed == [48, 40]


def test_the_paper_prints_the_exact_numbers_and_three_coin_flips(
    tables: dict[str, AsselTable],
) -> None:
    assert where(tables["paper"], "agrees", value=False) == set()
    assert where(tables["paper"], "coin_flip") == {
        ("Highly sensitive", "AUC"),
        ("Highly specific", "AUC"),
        ("Highly specific", "Brier 5-20 %"),
    }


def test_the_original_process_fits_all_that_was_published_but_the_area(
    tables: dict[str, AsselTable],
) -> None:
    marker = {"Well", "Overestimating", "Underestimating", "Severely"}
    assert where(tables["original"], "agrees", value=False) == {
        (test, "AUC") for test in PRINTED["original"] if test.split()[0] in marker
    }
    assert where(tables["original"], "coin_flip") == set()


def test_a_sample_is_near_the_population(tables: dict[str, AsselTable]) -> None:
    for table in tables.values():
        assert max(c.off for c in table.cells) < 3.5


def test_which_pairs_the_two_means_order_differently(tables: dict[str, AsselTable]) -> None:
    everybody, specific = "Assume all positive", "Highly specific"
    assert tables["paper"].swapped == [(everybody, specific)]
    assert set(tables["original"].swapped) == {
        (everybody, "Underestimating risk"),
        (everybody, specific),
        ("Underestimating risk", specific),
    }


def test_a_test_that_is_called_calibrated_is_beaten_by_a_shifted_one(
    tables: dict[str, AsselTable],
) -> None:
    assert tables["paper"].better == ["Underestimating risk"]
    assert tables["original"].better == []


CELL = AsselCell("a test", "Brier", 0.1234, 0.13, 0.002, "0.12")


@pytest.mark.parametrize(
    ("exact", "printed", "agrees", "coin_flip", "mark"),
    [
        (0.1234, "0.12", True, False, " "),
        (0.1251, "0.12", False, False, "!"),
        (0.125, "0.12", True, True, "?"),
        (0.125, "0.13", True, True, "?"),
        (0.1249999, "0.13", False, False, "!"),
        (0.125, None, None, False, " "),
    ],
)
def test_a_printed_number_is_the_exact_one_rounded(
    exact: float, printed: str | None, agrees: bool | None, coin_flip: bool, mark: str
) -> None:
    cell = replace(CELL, exact=exact, printed=printed)
    assert (cell.agrees, cell.coin_flip, cell.mark) == (agrees, coin_flip, mark)
