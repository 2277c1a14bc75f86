"""Classes as newcomers hand them in: frames, categories, a class without a column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import properly
from properly import Cases, evaluate
from properly.errors import DataError
from properly.rules import RPS

RNG = np.random.default_rng(2)
GRADES = ["low", "mid", "high"]
TABLE = RNG.dirichlet([1, 1, 1], 300)
NUMBER = np.array([RNG.choice(3, p=row) for row in TABLE])
WORDS = np.array(GRADES)[NUMBER]
FRAME = pd.DataFrame(TABLE, columns=GRADES)
ORDER = "classes and columns are in the order of the outcomes' categories: low, mid, high"


def categories() -> list[Any]:
    kept = pd.Categorical(WORDS, categories=GRADES, ordered=True)
    return [kept, pd.Series(kept), pl.Series(WORDS.tolist(), dtype=pl.Enum(GRADES))]


@pytest.mark.parametrize("y", categories(), ids=["Categorical", "pandas", "polars"])
def test_ordered_categories_state_their_order_and_it_is_shown(y: Any) -> None:
    e = evaluate(y, TABLE, replicates=0)
    expected = evaluate(NUMBER, TABLE, task="ordinal", labels=GRADES, replicates=0)
    assert e.task == "ordinal"
    assert e.labels == tuple(GRADES)
    assert e.to_dict()["models"] == expected.to_dict()["models"]
    assert e.notes == (ORDER,)
    assert ORDER in str(e)
    assert Cases(y, TABLE).labels == tuple(GRADES)
    assert RPS()(y, TABLE) == RPS()(NUMBER, TABLE)


PROBABILITIES = ["p_low", "p_mid", "p_high"]


def frames() -> dict[str, Any]:
    columns = dict(zip(PROBABILITIES, TABLE.T, strict=True))
    ordered, enum = pd.Categorical(WORDS, GRADES, ordered=True), pl.Enum(GRADES)
    levels = pl.DataFrame(columns | {"grade": pl.Series(WORDS.tolist(), dtype=enum)})
    return {
        "pandas": pd.DataFrame(columns | {"grade": ordered}),
        "polars": levels,
        "lazy": levels.lazy(),
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", frames())
@pytest.mark.parametrize("task", ["auto", "ordinal", "multiclass"])
def test_ordered_categories_of_a_frame_are_those_of_their_column(kind: str, task: Any) -> None:
    frame = frames()[kind]
    column = (frame.collect() if kind == "lazy" else frame)["grade"]
    options: dict[str, Any] = {"task": task, "replicates": 0, "rng": 1}
    by_column = evaluate(column, {"m": TABLE}, **options)
    by_name = evaluate(frame, {"m": PROBABILITIES}, outcome="grade", **options)
    assert by_name.to_dict() == by_column.to_dict()
    assert by_name.task == ("ordinal" if task == "auto" else task)
    assert by_name.notes == (ORDER,)


def test_ordered_categories_keep_their_order_where_rows_are_summed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("properly.engines._frame.MOST_ROWS", 100)
    frame, given = frames()["lazy"], {"m": PROBABILITIES}
    e = evaluate(frame, given, outcome="grade", replicates=0)
    assert (e.summed, e.task, e.labels) == (True, "ordinal", tuple(GRADES))
    assert ORDER in e.notes
    summary = properly.summarize(frame, given, outcome="grade")
    assert [rule.name for rule in summary.rules] == ["rps", "ranked_log", "log"]
    assert evaluate(summary, replicates=0).to_dict() == e.to_dict()
    score = evaluate(NUMBER, TABLE, task="ordinal", replicates=0).scores["forecast"]["rps"].value
    assert e.scores["m"]["rps"].value == pytest.approx(score, rel=1e-12)


@pytest.mark.parametrize("ordered", [False, True])
def test_categories_of_numbers_are_numbers_in_a_frame_too(ordered: bool) -> None:
    y = pd.Categorical((NUMBER == 2).astype(int), ordered=ordered)
    frame = pd.DataFrame({"y": y, "p": TABLE[:, 2]})
    e = evaluate(frame, ["p"], outcome="y", replicates=0)
    assert e.to_dict() == evaluate(y, {"p": TABLE[:, 2]}, replicates=0).to_dict()
    grade = pd.Categorical(NUMBER + 3, [3, 4, 5], ordered=True)
    frame = pd.DataFrame(TABLE, columns=PROBABILITIES).assign(grade=grade)
    assert evaluate(frame, {"m": PROBABILITIES}, outcome="grade", replicates=0).labels == (3, 4, 5)
    frame.loc[7, "grade"] = None
    with pytest.raises(DataError, match="outcomes must not be missing; 1 of 300 rows"):
        evaluate(frame, {"m": PROBABILITIES}, outcome="grade")


def test_a_task_and_labels_that_are_given_go_first() -> None:
    y = pd.Series(pd.Categorical(WORDS, categories=GRADES, ordered=True))
    assert evaluate(y, TABLE, task="multiclass", replicates=0).task == "multiclass"
    e = evaluate(y, TABLE, labels=["high", "low", "mid"], replicates=0)
    assert e.labels == ("high", "low", "mid")
    assert ORDER not in e.notes


def test_columns_of_predict_proba_in_the_order_of_the_alphabet_are_doubted() -> None:
    y = pd.Series(pd.Categorical(WORDS, categories=GRADES, ordered=True))
    note = evaluate(y, TABLE[:, [2, 0, 1]], replicates=0).notes[0]
    assert note.endswith("if its columns were high, low, mid: are they in the order of the labels?")
    assert evaluate(y, RNG.dirichlet([1, 1, 1], 300), replicates=0).notes == (ORDER,)


def test_the_columns_of_a_frame_name_the_classes_without_an_order() -> None:
    e = evaluate(WORDS, FRAME, task="multiclass", replicates=0)
    assert e.labels == tuple(GRADES)


@pytest.mark.parametrize(
    "names",
    [["a", "b", "c"], ["p_low", "p_mid", "p_high"], ["P(low)", "second", "P(high)"], [0, 1, 2]],
)
def test_columns_that_say_the_same_or_nothing_are_not(names: list[Any]) -> None:
    frame = pd.DataFrame(TABLE, columns=names)
    assert evaluate(WORDS, frame, task="ordinal", labels=GRADES, replicates=0).labels == tuple(
        GRADES
    )
