"""Long tables of answers: read from any library, with what is missing set aside and counted."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.frame_engines import ENGINES

import properly
from properly.counts import _answer_rows
from properly.counts._answer_rows import OF_QUESTION, REQUIRED, faults, read_rows, taken_columns
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly import Answers

ROWS: dict[str, list[Any]] = {
    "question": ["rain", "snow", "rain", "hail", "snow", "hail"],
    "forecaster": ["Ben", "Ben", "Ada", "Cleo", "Cleo", "Ada"],
    "probability": [0.4, 0.1, 0.7, 0.2, 0.3, None],
    "outcome": [1, 0, 1, None, 0, None],
}


def day(k: float) -> dt.datetime:
    return dt.datetime(2024, 1, 1) + dt.timedelta(days=k)  # noqa: DTZ001


def contents(answers: Answers) -> tuple[Any, ...]:
    columns = (answers.question, answers.forecaster, answers.p, answers.y)
    return (answers.questions, answers.forecasters, *(x.tolist() for x in columns))


EXPECTED = (
    ("rain", "snow"),
    ("Ada", "Ben", "Cleo"),
    [0, 0, 1, 1],
    [0, 1, 1, 2],
    [0.7, 0.4, 0.1, 0.3],
    [True, False],
)


# Every kind of table


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("long", [1, 10**6])
def test_frames_of_every_library_are_read(
    engine: str, long: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_answer_rows, "LONG", long)
    answers = properly.Answers(ENGINES[engine](pa.table(ROWS)))
    assert contents(answers) == EXPECTED
    assert answers.set_aside["unresolved"] == 2
    assert answers.set_aside["unanswered"] == 0


def test_columns_may_be_arrays() -> None:
    assert contents(properly.Answers(**ROWS)) == EXPECTED  # type: ignore[arg-type]
    series = {name: pl.Series(name, column) for name, column in ROWS.items()}
    assert contents(properly.Answers(**series)) == EXPECTED  # type: ignore[arg-type]


MISSING: dict[str, Callable[[list[Any]], Any]] = {
    "None": list,
    "NaN": lambda x: np.array(x, dtype=float),
    "None and NaN": lambda x: np.array([np.nan if k % 2 else v for k, v in enumerate(x)], object),
    "pandas.NA": lambda x: pd.array(x, dtype="Float64"),
    "pandas.NA among objects": lambda x: pd.Series(
        [pd.NA if v is None else v for v in x], dtype=object
    ),
    "null": pl.Series,
    "Arrow": pa.array,
    "masked": lambda x: np.ma.masked_invalid(np.array(x, dtype=float)),
}


@pytest.mark.parametrize("kind", MISSING)
def test_whatever_is_missing_is_no_answer(kind: str) -> None:
    probability: list[Any] = [0.4, None, 0.7, None]
    if kind == "None and NaN":
        probability = [0.4, 9, 0.7, 9]
    answers = properly.Answers(
        question=list("qqrr"),
        forecaster=list("ABAB"),
        probability=MISSING[kind](probability),
        outcome=[1, 1, 0, 0],
    )
    assert answers.p.tolist() == [0.4, 0.7]
    assert answers.answered == {"A": 2, "B": 0}
    assert answers.set_aside["unanswered"] == 2


@pytest.mark.parametrize("kind", MISSING)
def test_whatever_is_missing_is_no_outcome(kind: str) -> None:
    outcome: list[Any] = [1, 1, None, None] if kind != "None and NaN" else [1, 1, 0, 0]
    made = MISSING[kind](outcome)
    if kind == "None and NaN":
        made = np.array([1, 1, None, np.nan], dtype=object)
    answers = properly.Answers(
        question=list("qqrr"), forecaster=list("ABAB"), probability=[0.4] * 4, outcome=made
    )
    assert answers.questions == ("q",)
    assert answers.set_aside["unresolved"] == 2


@pytest.mark.parametrize("kind", MISSING)
def test_empty_cells_of_wide_tables_are_no_answers(kind: str) -> None:
    p: list[Any] = [0.4, None, 0.7] if kind != "None and NaN" else [0.4, 9, 0.7]
    answers = properly.Answers.from_wide([1, 0, 1], {"A": MISSING[kind](p), "B": [0.1, 0.2, 0.3]})
    assert answers.answered == {"A": 2, "B": 3}
    assert answers.p.tolist() == [0.4, 0.1, 0.2, 0.7, 0.3]


def test_wide_frames_have_a_column_a_forecaster() -> None:
    frame = pl.DataFrame({"A": [0.4, None], "B": [0.1, 0.2]})
    for engine in (frame, frame.to_pandas(), frame.to_arrow(), frame.lazy()):
        answers = properly.Answers.from_wide([1, 0], engine, question=["q", "r"])
        assert answers.questions == ("q", "r")
        assert answers.coverage == {"A": 0.5, "B": 1.0}


# Outcomes


def test_outcomes_may_be_labels_of_which_one_is_the_event() -> None:
    answers = properly.Answers(
        question=["q", "q", "r", "s"],
        forecaster=list("ABAA"),
        probability=[0.4] * 4,
        outcome=["no", "no", "yes", None],
        pos_label="yes",
    )
    assert answers.y.tolist() == [False, True]
    only = properly.Answers(
        question=["q"], forecaster=["A"], probability=[0.4], outcome=["no"], pos_label="yes"
    )
    assert only.y.tolist() == [False]


CLASSES = pl.DataFrame(
    {
        "question": ["q", "q", "r", "r", "s"],
        "forecaster": list("ABABA"),
        "p_a": [0.2, 0.1, 0.5, None, 0.3],
        "p_b": [0.3, 0.1, 0.4, None, 0.3],
        "p_c": [0.5, 0.8, 0.1, None, 0.4],
        "outcome": ["c", "c", "a", "a", None],
    }
)
OF_CLASSES: dict[str, Any] = {"probability": ["p_a", "p_b", "p_c"], "labels": ["a", "b", "c"]}


def test_classes_have_a_column_each() -> None:
    answers = properly.Answers(CLASSES, **OF_CLASSES)
    assert answers.labels == ("a", "b", "c")
    assert answers.p.tolist() == [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8], [0.5, 0.4, 0.1]]
    assert answers.y.tolist() == [2, 0]
    losses = answers.losses(Log())
    assert losses.loss.tolist() == pytest.approx([-np.log(0.5), -np.log(0.8), -np.log(0.5)])


def test_a_list_of_class_probabilities_is_a_row_an_answer() -> None:
    # As many answers as classes: nothing but the order tells rows from columns.
    p = [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8], [0.5, 0.4, 0.1]]
    for table in (p, tuple(map(tuple, p)), np.array(p), [np.array(row) for row in p]):
        answers = properly.Answers(
            question=list("qqr"), forecaster=list("ABA"), probability=table, outcome=[2, 2, 0]
        )
        assert answers.p.tolist() == p


# Names


def test_names_are_compared_as_text_and_nothing_is_stripped() -> None:
    names = ["A", "A ", "a", "</script>", "\x1b[31m", ""]
    answers = properly.Answers(
        question=["q"] * 6, forecaster=names, probability=[0.5] * 6, outcome=[1] * 6
    )
    assert sorted(answers.forecasters) == sorted(names)
    assert len(answers.cases("A ")) == 1


@pytest.mark.parametrize("long", [1, 10**6])
def test_categories_that_are_not_in_use_are_no_forecasters(
    long: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_answer_rows, "LONG", long)
    frame = pl.DataFrame(ROWS).with_columns(
        pl.col("forecaster").cast(pl.Enum(["Zoe", "Cleo", "Ben", "Ada"]))
    )
    for some in (frame, frame.to_pandas()):
        assert contents(properly.Answers(some)) == EXPECTED


def found_in(**columns: Any) -> dict[str, Any]:
    given = dict.fromkeys((*REQUIRED, "time", *OF_QUESTION)) | columns
    return {
        fault.name: fault for fault in faults(read_rows(taken_columns(None, given), None, None))
    }


def test_similar_names_are_pointed_out() -> None:
    found = found_in(
        question=["q"] * 4, forecaster=["A", "A ", "b", "c"], probability=[0.5] * 4, outcome=[1] * 4
    )
    assert found["similar-names"].severity == "oddity"
    assert found["similar-names"].found == "'A' and 'A ' are taken as different"
    assert found["similar-names"].rows.tolist() == [True, True, False, False]


def test_whether_copies_are_identical_does_not_depend_on_their_order() -> None:
    said = set()
    for probability in ([0.5, None], [None, 0.5]):
        found = found_in(
            question=["q"] * 3,
            forecaster=["A", "A", "B"],
            probability=[*probability, 0.5],
            outcome=[1] * 3,
        )
        said.add(found["repeated-key"].found)
    assert said == {"1 key is there more than once: 0 with identical rows, 1 with different ones"}


# What is known of the questions


def test_coverage_is_a_share_of_weight() -> None:
    answers = properly.Answers.from_wide(
        [1, 0, 1], {"A": [0.5, 0.5, None], "B": [0.5, 0.5, 0.5]}, weight=[1, 2, 5]
    )
    assert answers.coverage == {"A": 3 / 8, "B": 1.0}
    assert answers.active == answers.coverage
    assert answers.answered == {"A": 2, "B": 3}


def test_cases_bring_the_design_along() -> None:
    answers = properly.Answers.from_wide(
        [1, 0, 1],
        {"A": [0.5, 0.5, None], "B": [0.5, 0.5, 0.5]},
        weight=[1, 2, 5],
        clusters=["x", "x", "y"],
        when=[3, 1, 2],
    )
    cases = answers.cases("A")
    assert np.asarray(cases.weight).tolist() == [1, 2]
    assert np.asarray(cases.clusters).tolist() == ["x", "x"]
    assert np.asarray(cases.time).tolist() == [3, 1]


def test_answers_do_not_change() -> None:
    answers = properly.Answers(**ROWS)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="read-only"):
        answers.p[0] = 1
    with pytest.raises(AttributeError):
        answers.p = None  # type: ignore[misc, assignment]
    given = np.array([0.4, 0.1, 0.7, 0.2, 0.3, 0.5])
    answers = properly.Answers(**ROWS | {"probability": given})  # type: ignore[arg-type]
    given[:] = 0
    assert answers.p.tolist() == [0.7, 0.4, 0.1, 0.3]


# Some of the answers


def test_some_forecasters_are_kept_with_their_questions() -> None:
    answers = properly.Answers(**ROWS)  # type: ignore[arg-type]
    some = answers.keep(["Ada"])
    assert contents(some) == (("rain",), ("Ada",), [0], [0], [0.7], [True])
    assert contents(answers.keep("Ada")) == contents(some)
    both = answers.keep(["Cleo", "Ben", "Ben"])
    assert both.forecasters == ("Ben", "Cleo")
    assert both.losses(Brier()).loss.tolist() == pytest.approx([0.36, 0.01, 0.09])


# Several forecasts of one question


UPDATES: dict[str, Any] = {
    "question": ["q"] * 4 + ["r"] * 2,
    "forecaster": list("AABBAB"),
    "probability": [0.2, 0.3, 0.4, 0.5, 0.1, 0.2],
    "outcome": [1] * 4 + [0] * 2,
    "time": [0, 5, 1, 6, 1, 1],
    "opens": [0] * 6,
    "closes": [10] * 6,
}
DATES = UPDATES | {name: [day(k) for k in UPDATES[name]] for name in ("time", "opens", "closes")}


def test_the_last_forecast_before_a_horizon_counts() -> None:
    answers = properly.Answers(**UPDATES, repeated="last", horizon=6)
    assert answers.p.tolist() == [0.2, 0.4, 0.1, 0.2]
    # One that was made just then still counts.
    answers = properly.Answers(**UPDATES, repeated="last", horizon=5)
    assert answers.p.tolist() == [0.3, 0.4, 0.1, 0.2]


HORIZONS: list[Any] = [dt.timedelta(days=6), np.timedelta64(6, "D"), pd.Timedelta("6D")]


@pytest.mark.parametrize("horizon", HORIZONS, ids=lambda x: type(x).__name__)
def test_a_horizon_beside_dates_is_a_span_of_time(horizon: Any) -> None:
    answers = properly.Answers(**DATES, repeated="last", horizon=horizon)
    assert answers.p.tolist() == [0.2, 0.4, 0.1, 0.2]


DATED: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda x: x,
    "pandas": lambda x: x.to_pandas(),
    "pyarrow": lambda x: x.to_arrow(),
    "polars in a zone": lambda x: x.with_columns(
        pl.col("time", "opens", "closes").dt.replace_time_zone("UTC")
    ),
    "pandas in a zone": lambda x: x.with_columns(
        pl.col("time", "opens", "closes").dt.replace_time_zone("UTC")
    ).to_pandas(),
    "days beside moments": lambda x: x.with_columns(pl.col("opens", "closes").dt.date()),
}


@pytest.mark.parametrize("kind", DATED)
def test_dates_are_times(kind: str) -> None:
    windows: Any = {name: name for name in ("time", "opens", "closes")}
    answers = properly.Answers(DATED[kind](pl.DataFrame(DATES)), **windows, repeated="moments")
    assert answers.active == pytest.approx({"A": 0.95, "B": 0.9})
    numbers = properly.Answers(**UPDATES, repeated="moments")
    one, two = answers.losses(Brier()), numbers.losses(Brier())
    for left, right in zip(one, two, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-9)


def test_a_forecast_stands_until_the_next_or_the_resolution() -> None:
    answers = properly.Answers(**UPDATES, resolved=[8] * 4 + [10] * 2, repeated="moments")
    losses = answers.losses(Brier())
    # Question q is cut at 0, 1, 5, 6 and 8; of its ten units of time two were not needed.
    assert losses.level.tolist() == pytest.approx([0.1, 0.4, 0.1, 0.2, 0.9])
    assert losses.question.tolist() == [0, 0, 0, 0, 1]
    assert losses.forecaster.tolist() == [0, 0, 1, 0, 1, 0, 1, 0, 1]
    p = np.array([0.2, 0.2, 0.4, 0.3, 0.4, 0.3, 0.5])
    assert losses.loss.tolist() == pytest.approx([*((1 - p) ** 2), 0.01, 0.04])
    assert answers.active == pytest.approx({"A": (0.8 + 0.9) / 2, "B": (0.7 + 0.9) / 2})
    assert answers.coverage == {"A": 1.0, "B": 1.0}


def test_members_are_averaged_before_they_are_scored() -> None:
    answers = properly.Answers(
        question=["q"] * 4 + ["r"] * 2,
        forecaster=["E"] * 6,
        probability=[1, 0, 0, 1, 0, 1],
        outcome=[1] * 4 + [0] * 2,
        repeated="pool",
    )
    assert answers.p.tolist() == [0.5, 0.5]
    assert answers.losses(Brier()).loss.tolist() == [0.25, 0.25]
    fair = answers.losses(Brier(), fair=True).loss
    assert fair.tolist() == pytest.approx([0.25 - 0.25 / 3, 0])


def test_fair_scores_of_probabilities_are_unbiased_too() -> None:
    # Pairs of different members make a product whose mean is the square of the mean.
    p = [0.1, 0.2, 0.6]
    answers = properly.Answers(
        question=["q"] * 3, forecaster=["E"] * 3, probability=p, outcome=[0] * 3, repeated="pool"
    )
    pairs = np.mean([p[i] * p[j] for i in range(3) for j in range(3) if i != j])
    assert answers.losses(Brier(), fair=True).loss.tolist() == pytest.approx([pairs])
