"""An evaluation on a screen, and what it can be asked for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly import evaluate
from properly.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

LINES, LETTERS = 24, 100
RNG = np.random.default_rng(3)
P = RNG.random(200).round(3)
Y = (RNG.random(200) < P).astype(int)
LONG = {f"a model of which the name is rather long, number {k}": P * (1 - k / 50) for k in range(5)}
GRADES = RNG.integers(0, 4, 200)
GROUPS = RNG.integers(0, 20, 200)


def graded(**options: Any) -> properly.Evaluation:
    tables = {name: RNG.dirichlet([2, 2, 2, 2], 200) for name in LONG}
    return evaluate(GRADES, tables, task="ordinal", replicates=0, **options)


@pytest.mark.parametrize(
    "e",
    [
        evaluate(Y, LONG, within=(0.1, 0.4), groups=GROUPS, replicates=0),
        evaluate(Y, LONG, time=np.arange(200), clusters=GROUPS, replicates=19, rng=1),
        graded(),
        graded(groups=GROUPS, weight=1.0 + GROUPS),
    ],
    ids=["a range and groups", "times and clusters", "grades", "weighted grades"],
)
def test_five_models_fit_a_screen(e: properly.Evaluation) -> None:
    lines = str(e).split("\n")
    # The prompt has a line, too.
    assert len(lines) < LINES
    assert max(map(len, lines)) <= LETTERS
    assert lines[2].startswith(e.primary[:10])
    assert "e.table() for all" in str(e)


def test_names_keep_their_ends_and_the_tables_have_them_whole() -> None:
    e = evaluate(Y, LONG, replicates=0)
    for k, name in enumerate(LONG):
        assert f"{name[-8:]}   " in str(e).split("\n")[3 + k]
        assert name in e.table()


def test_many_notes_are_counted_and_said_where() -> None:
    e = evaluate(Y, LONG, replicates=0)
    many = properly.Evaluation(**(vars(e) | {"notes": tuple(f"note {k}" for k in range(40))}))
    assert len(str(many).split("\n")) < LINES
    assert str(many).split("\n")[-1].endswith(" more: e.notes")
    long = properly.Evaluation(**(vars(e) | {"notes": ("word " * 40,)}))
    assert str(long).endswith("…\n… see e.notes")
    short = properly.Evaluation(**(vars(e) | {"notes": ("one", "two")}))
    assert str(short).endswith("\n\none\ntwo")


def test_a_rule_has_its_table_and_all_have_one() -> None:
    e = evaluate(Y, LONG, replicates=0)
    assert e.table("log").startswith("log ")
    assert e.table().split("\n\n")[1:3] == [
        table for table in e.table().split("\n\n") if table.startswith(("brier ", "log "))
    ]
    with pytest.raises(DataError, match="rule must be 'brier' or 'log'; got 'crps'"):
        e.table("crps")


def test_verdict_report_and_picture_are_asked_of_the_evaluation(tmp_path: Path) -> None:
    e = evaluate(Y, LONG, replicates=0)
    words = {"cases": "people", "event": "death"}
    assert str(e.verdict(**words)) == str(properly.verdict(e, **words))
    page = e.report(tmp_path / "report.html", cases="people", event="death", title="Deaths")
    assert page == tmp_path / "report.html"
    assert "Deaths" in page.read_text(encoding="utf-8")
    assert e.plot("roc").get_xlabel() == "false positive rate"
    with pytest.raises(DataError, match="kind must be 'binned_reliability', "):
        e.plot("pie")
