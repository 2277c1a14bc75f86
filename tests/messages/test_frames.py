"""Every message about frames, word for word, and the same in every library that holds them.

Laws of engines, and the tests of integrations, hold the others to ``SAID``.
"""

from __future__ import annotations

import datetime as dt
import math
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import properly
from properly.engines import _frame
from properly.engines._symbols import FORECAST, FUNCTIONS, Symbols
from properly.errors import ArgumentTypeError, DataError
from properly.evaluation import summarize
from properly.rules import BetaWeighted, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

DAY = dt.date(2026, 11, 15)
DROP = "\n\nHint: drop those rows first."
CENSORED = (
    "\n\nHint: did follow-up end before the outcome was known (censored)? Then neither dropping those "
    "rows nor counting them as no event is right; otherwise drop them first."
)
COLUMNS: dict[str, list[Any]] = {
    "y": [0, 1, 1, 0, 1, 0],
    "bool": [False, True, True, False, True, False],
    "real": [0.0, 1.0, 1.0, 0.0, 1.0, 0.0],
    "word": ["no", "yes", "yes", "no", "yes", "no"],
    "p": [0.1, 0.4, 0.8, 0.8, 1.0, 0.0],
    "q": [0.5, 0.5, 0.75, 0.25, 0.5, 0.5],
    "w": [1.0, 0.5, 2.0, 1.0, 0.0, 1.0],
    "n": [1, 3, 0, 2, 1, 1],
    "group": ["a", "b", "a", "b", "a", "b"],
    "unit": [1, 1, 2, 2, 3, 3],
    "grade": [0, 1, 2, 0, 1, 2],
    "name": ["low", "mid", "high", "low", "mid", "high"],
    "a0": [0.5, 0.25, 0.0, 0.5, 0.25, 0.0],
    "a1": [0.25, 0.5, 0.5, 0.25, 0.5, 0.5],
    "a2": [0.25, 0.25, 0.5, 0.25, 0.25, 0.5],
}
A = {"a": ["a0", "a1", "a2"]}
MIXED: dict[str, Any] = {"y": [0, 1], "p": pd.Series([0.5, "x"], dtype=object)}
SYMBOLS: Any = Symbols([FORECAST])


def summed() -> properly.Summary:
    """Sum up a frame by rules over all thresholds."""
    return summarize(pa.table(COLUMNS), ["p", "q"], outcome="y")


def chunked(columns: dict[str, list[Any]]) -> pa.Table:
    """Make a table of three chunks, the second of which has no rows."""
    table = pa.table(columns)
    return pa.concat_tables([table.slice(0, 4), table.slice(4, 0), table.slice(4)])


def with_last(column: str, value: Any) -> pa.Table:
    """Change the last row of a column."""
    kind = pa.array(COLUMNS[column]).type
    values = pa.array([*COLUMNS[column][:-1], value], kind)
    return chunked(COLUMNS | {column: values})


def with_all(column: str, values: Sequence[Any]) -> pa.Table:
    return chunked(COLUMNS | {column: pa.array(values)})


NOTHING = chunked(COLUMNS).slice(6)


class Said(NamedTuple):
    """What is said of a frame of any library."""

    error: type[Exception]
    message: str
    call: Callable[[Any], Any]
    table: pa.Table = chunked(COLUMNS)


def tally(**names: Any) -> Callable[[Any], Any]:
    return lambda frame: properly.tally(frame, **{"outcome": "y", "forecast": "p"} | names)


def summary(forecasts: Any = "p", **names: Any) -> Callable[[Any], Any]:
    named: dict[str, Any] = {"outcome": "y", "rules": Brier(), **names}
    return lambda frame: summarize(frame, forecasts, **named)


def evaluation(forecasts: Any = "p", **names: Any) -> Callable[[Any], Any]:
    named: dict[str, Any] = {"outcome": "y", "rules": Brier(), "replicates": 0, **names}
    return lambda frame: properly.evaluate(frame, forecasts, **named)


SAID: list[Said] = [
    # columns that are not there, or hold something else
    Said(
        DataError,
        (
            "the frame must have the column 'wrd'; it has 15 others"
            "\n\nHint: did you mean one of 'word'?"
        ),
        tally(forecast="wrd"),
    ),
    Said(
        DataError,
        (
            "the frame must have the column 'y\"; drop table x; --'; it has 15 others"
            "\n\nHint: did you mean one of 'y', 'bool', 'real', 'word', 'p'?"
        ),
        evaluation(outcome='y"; drop table x; --'),
    ),
    Said(
        DataError,
        ("column 'word' must hold numbers; it holds text\n\nHint: convert text to numbers first."),
        tally(forecast="word"),
    ),
    Said(
        DataError,
        ("column 'word' must hold numbers; it holds text\n\nHint: convert text to numbers first."),
        summary(weight="word"),
    ),
    Said(
        DataError,
        "column 'day' must hold numbers; it holds date",
        evaluation("day"),
        with_all("day", [DAY] * 6),
    ),
    Said(
        DataError,
        "column 'pair' must hold numbers; it holds list",
        tally(weight="pair"),
        with_all("pair", [[0.5, 0.5]] * 6),
    ),
    Said(
        DataError,
        "column 'pair' must hold labels; it holds list",
        tally(outcome="pair"),
        with_all("pair", [[0, 1]] * 6),
    ),
    Said(
        DataError,
        "column 'pair' must hold labels; it holds list",
        summary(groups="pair"),
        with_all("pair", [[0, 1]] * 6),
    ),
    # values that are missing
    Said(
        DataError,
        f"forecasts must not be missing; 1 of 6 rows of column 'p' is{DROP}",
        tally(),
        with_last("p", None),
    ),
    Said(
        DataError,
        f"forecasts must not be missing; 1 of 6 rows of column 'p' is{DROP}",
        evaluation(["q", "p"]),
        with_last("p", math.nan),
    ),
    Said(
        DataError,
        f"forecasts must not be missing; 2 of 6 rows of column 'p' are{DROP}",
        tally(cells=3),
        with_all("p", [0.5, None, 0.5, 0.5, 0.5, math.nan]),
    ),
    Said(
        DataError,
        f"forecasts must not be missing; 6 of 6 rows of column 'none' are{DROP}",
        summary("none"),
        chunked(COLUMNS | {"none": pa.array([None] * 6, pa.float64())}),
    ),
    Said(
        DataError,
        f"forecasts must not be missing; 1 of 6 rows of column 'a1' is{DROP}",
        summary(A, outcome="grade"),
        with_last("a1", None),
    ),
    *(
        Said(
            DataError,
            f"outcomes must not be missing; 1 of 6 rows of column {column!r} is{CENSORED}",
            call(outcome=column, pos_label=None if column != "word" else "yes"),
            with_last(column, missing),
        )
        for call, column, missing in (
            (tally, "y", None),
            (tally, "bool", None),
            (tally, "real", None),
            (tally, "real", math.nan),
            (tally, "word", None),
            (summary, "bool", None),
            (summary, "word", None),
        )
    ),
    Said(
        DataError,
        f"outcomes must not be missing; 1 of 6 rows of column 'name' is{CENSORED}",
        summary(A, outcome="name", labels=["low", "mid", "high"]),
        with_last("name", None),
    ),
    *(
        Said(
            DataError,
            f"weights must not be missing; 1 of 6 rows of column {column!r} is{DROP}",
            call(weight=column),
            with_last(column, missing),
        )
        for call, column, missing in (
            (tally, "w", None),
            (tally, "n", None),
            (summary, "w", math.nan),
        )
    ),
    *(
        Said(
            DataError,
            f"{what} must not be missing; 1 of 6 rows of column {column!r} is{DROP}",
            summary(**{what: column}),
            with_last(column, missing),
        )
        for what, column, missing in (
            ("groups", "group", None),
            ("groups", "unit", None),
            ("groups", "real", math.nan),
            ("clusters", "bool", None),
            ("clusters", "real", math.nan),
        )
    ),
    # forecasts that are none
    Said(
        DataError,
        (
            "forecasts must be probabilities in [0, 1]; 1 of 6 rows of column 'p' is not, such as "
            "1.00001\n\nHint: nothing is clipped for you; mend those rows first."
        ),
        tally(),
        with_last("p", 1.00001),
    ),
    Said(
        DataError,
        (
            "forecasts must be probabilities in [0, 1]; 1 of 6 rows of column 'q' is not, such as "
            "-4.94066e-324\n\nHint: nothing is clipped for you; mend those rows first."
        ),
        evaluation(["p", "q"]),
        with_last("q", -5e-324),
    ),
    Said(
        DataError,
        (
            "forecasts must be probabilities in [0, 1]; 6 of 6 rows of column 'p' are not, such as "
            "10\n\nHint: for percentages, divide by 100 first."
        ),
        summary(),
        with_all("p", [10, 20, 30, 100, 50, 12]),
    ),
    Said(
        DataError,
        (
            "forecasts must be probabilities in [0, 1]; 2 of 6 rows of column 'p' are not, such as "
            "-2.5\n\nHint: for logits, apply a sigmoid first."
        ),
        tally(cells=10),
        with_all("p", [3.0, 0.5, 0.5, 0.5, 1.0, -2.5]),
    ),
    Said(
        DataError,
        (
            "forecasts must be probabilities in [0, 1]; 1 of 6 rows of column 'p' is not, such as "
            "inf\n\nHint: drop the rows without a forecast first."
        ),
        tally(),
        with_last("p", math.inf),
    ),
    # weights
    Said(
        DataError,
        ("weights must be finite and not negative; 1 of 6 rows of column 'w' is not, such as -0.5"),
        tally(weight="w"),
        with_last("w", -0.5),
    ),
    Said(
        DataError,
        "weights must be finite and not negative; 1 of 6 rows of column 'n' is not, such as -3",
        summary(weight="n"),
        with_last("n", -3),
    ),
    Said(
        DataError,
        "weights must be finite and not negative; 1 of 6 rows of column 'w' is not, such as inf",
        summary(weight="w"),
        with_last("w", math.inf),
    ),
    Said(
        DataError,
        (
            "positive weights must lie between 1e-100 and 1e+100; 1 of 6 rows of column 'w' is "
            "not, such as 1e-200\n\nHint: rescale them; only their ratios matter."
        ),
        tally(weight="w"),
        with_last("w", 1e-200),
    ),
    *(
        Said(
            DataError,
            "at least one weight must be positive; all 6 are 0",
            call(weight="none"),
            with_all("none", [nothing] * 6),
        )
        for call, nothing in ((tally, 0), (summary, 0.0))
    ),
    # outcomes
    *(
        Said(DataError, "outcomes must not be empty; got 0 rows", call, NOTHING)
        for call in (tally(), summary(A, outcome="grade"))
    ),
    Said(
        DataError,
        (
            "outcomes must have at most two labels; found 'maybe', 'no', 'yes'"
            "\n\nHint: binary rules judge one event; compare y with its label, or forecast all classes, "
            "one column each: task='multiclass' or 'ordinal'; --classes a,b,c."
        ),
        tally(outcome="word", pos_label="yes"),
        with_last("word", "maybe"),
    ),
    Said(
        DataError,
        (
            "outcomes must have at most two labels; found 0, 1, 2"
            "\n\nHint: binary rules judge one event; compare y with its label, or forecast all classes, "
            "one column each: task='multiclass' or 'ordinal'; --classes a,b,c."
        ),
        summary(),
        with_last("y", 2),
    ),
    Said(
        DataError,
        (
            "outcomes must be 0 and 1, or False and True; found 'no' and 'yes'\n\nHint: say which "
            "label is the event: pos_label='yes', or, for a rule, numpy.asarray(y) == 'yes'."
        ),
        evaluation(outcome="word"),
    ),
    *(
        Said(
            DataError,
            f"pos_label must be one of the labels of y, 'no' and 'yes'; got {label!r}",
            call(outcome="word", pos_label=label),
        )
        for call in (tally, evaluation)
        for label in ("oui", 1)
    ),
    Said(
        DataError,
        "pos_label must be one of the labels of y, 0 and 1; got 'yes'",
        summary(pos_label="yes"),
    ),
    Said(
        DataError,
        "outcomes must be one of labels, 'no' and 'oui'; found 'no' and 'yes'",
        summary(outcome="word", labels=["no", "oui"]),
    ),
    # classes
    Said(
        DataError,
        (
            "outcomes must be one of 0, 1, 2; found 3"
            "\n\nHint: labels= says what each column stands for."
        ),
        summary(A, outcome="grade"),
        with_last("grade", 3),
    ),
    Said(
        DataError,
        (
            "outcomes must be one of 0, 1, 2; found 'high'"
            "\n\nHint: labels= says what each column stands for."
        ),
        evaluation(A, outcome="name"),
    ),
    Said(
        DataError,
        "outcomes must be one of 'low', 'mid', 'top'; found 'high'",
        summary(A, outcome="name", labels=["low", "mid", "top"]),
    ),
    Said(
        DataError,
        (
            "rows of class probabilities must sum to 1 within 1e-06; 1 of 6 rows of model 'a' does "
            "not, such as one with 1.5\n\nHint: divide each row by its sum."
        ),
        summary(A, outcome="grade"),
        with_last("a1", 1.0),
    ),
    Said(
        DataError,
        (
            "rows of class probabilities must sum to 1 within 1e-06; 4 of 6 rows of model 'a' do "
            "not, such as one with 0\n\nHint: divide each row by its sum."
        ),
        summary({"a": ["a0", "a0"]}, outcome="bool"),
    ),
    # clusters
    Said(
        DataError,
        "clusters say how far off an estimate may be only if there are two or more; got one",
        summary(clusters="one"),
        with_all("one", ["north"] * 6),
    ),
]
# One message about each rule that is broken, the last of several.
ONE_OF_EACH = list({said.message.split(";")[0]: said for said in SAID}.values())
# What does not depend on the engine, or was refused by all of them above.
AT_ONCE: list[Said] = [
    Said(
        DataError,
        "models must have as many columns; 'a' has 3, 'b' has 2",
        evaluation(A | {"b": ["a0", "a1"]}, outcome="grade"),
    ),
    Said(
        DataError,
        (
            "BetaWeighted(alpha=2.0, beta=8.0) cannot be computed inside the engine of a frame"
            "\n\nHint: read the columns into memory, and pass them as arrays."
        ),
        summary(rules=[Brier(), BetaWeighted(2, 8)]),
    ),
    Said(
        DataError,
        "clusters say how far off an estimate may be only if there are two or more; got one",
        evaluation(clusters="one"),
        with_all("one", ["north"] * 6),
    ),
    Said(DataError, "outcomes must not be empty; got 0 rows", evaluation(), NOTHING),
    Said(
        ArgumentTypeError,
        "a frame needs the names of its columns; got outcome = None, forecast = 'p'",
        tally(outcome=None),
    ),
    Said(
        ArgumentTypeError,
        (
            "outcome is the name of a column of a frame; got ndarray"
            "\n\nHint: of arrays, properly.stream sums up batches."
        ),
        summary(outcome=np.zeros(6)),
    ),
    Said(
        ArgumentTypeError,
        "weight of a frame is the name of a column; got list",
        evaluation(weight=[1, 2]),
    ),
    Said(
        ArgumentTypeError,
        "forecasts of a frame are names of columns; got 0.5",
        evaluation([0.5]),
    ),
    *(
        Said(ArgumentTypeError, "forecasts of a frame are names of columns; got none", call)
        for call in (summary([]), summary({}), evaluation(None))
    ),
]


@pytest.mark.parametrize(
    "said", [*SAID, *AT_ONCE], ids=lambda said: said.message.split("\n")[0][:70]
)
def test_a_message_about_a_frame_is_word_for_word(said: Said) -> None:
    assert heard(said, lambda table: pl.DataFrame(pl.from_arrow(table)).lazy()) == said[:2]


def heard(said: Said, engine: Callable[[pa.Table], Any]) -> tuple[type[Exception], str] | None:
    """Return what an engine says, or None if it says nothing."""
    try:
        said.call(engine(said.table))
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    return None


def misheard(engine: Callable[[pa.Table], Any], all_said: Collection[Said]) -> list[Any]:
    """Return what an engine says in other words than it should, beside these."""
    found = [(said.message, heard(said, engine)) for said in all_said]
    return [pair for said, pair in zip(all_said, found, strict=True) if pair[1] != said[:2]]


TWICE = "names of columns must differ; the frame has 'p' 2 times"
PAIR = pd.DataFrame({"y": [0, 1], "p": [0.5, 0.5]})


@pytest.mark.parametrize(
    "frame",
    [
        pd.concat([PAIR, PAIR["p"]], axis=1),
        pa.Table.from_arrays([pa.array(x) for x in ([0], [0.5], [0.6])], names=["y", "p", "p"]),
        duckdb.sql("select 0 as y, 0.5 as p, 0.6 as p"),
    ],
    ids=["pandas", "pyarrow", "duckdb"],
)
@pytest.mark.parametrize("call", [tally(), summary(), evaluation()])
def test_names_of_columns_must_differ(frame: Any, call: Callable[[Any], Any]) -> None:
    with pytest.raises(DataError) as caught:
        call(frame)
    assert str(caught.value) == TWICE


OTHERS: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (
        ArgumentTypeError,
        (
            "forecasts are missing; got only Series"
            "\n\nHint: pass tally(y, p), or a frame with outcome= and forecast=."
        ),
        lambda: tally()(PAIR["p"]),
    ),
    (
        ArgumentTypeError,
        (
            "outcome and forecast name columns of a frame; arrays were given as well"
            "\n\nHint: pass a frame and two names, or two arrays."
        ),
        lambda: properly.tally([0, 1], [0.5, 0.5], outcome="y"),
    ),
    (
        ArgumentTypeError,
        (
            "weight names a column of a frame; arrays were given, and weight='w'"
            "\n\nHint: pass the weights themselves."
        ),
        lambda: properly.tally([0, 1], [0.5, 0.5], weight="w"),
    ),
    (
        DataError,
        "a frame must have columns; this one has none",
        lambda: _frame.count_rows(pd.DataFrame(index=[0, 1])),
    ),
    (
        DataError,
        (
            "column 'p' must hold numbers; it holds several kinds"
            "\n\nHint: convert text to numbers first."
        ),
        lambda: summarize(pd.DataFrame(MIXED), "p", outcome="y"),
    ),
    (
        DataError,
        "a model of one event has one column of forecasts; the task is 'binary'",
        lambda: summarize(pa.table(COLUMNS), A, outcome="y", task="binary"),
    ),
    (
        ArgumentTypeError,
        "forecasts by name are columns of a frame, which needs outcome= as well; got none",
        lambda: properly.evaluate(pa.table(COLUMNS), ["p", "q"]),
    ),
    (
        ArgumentTypeError,
        (
            "a Summary has its models, rules and groups already; got rules as well"
            "\n\nHint: pass rules to summarize, or to stream."
        ),
        lambda: properly.evaluate(summed(), rules=Brier()),
    ),
    (
        ArgumentTypeError,
        (
            "recalibrate needs the rows, which it folds; a Summary has none\n\nHint: write "
            "properly.recalibrate(y, p) with the rows of each model, or of a part of them."
        ),
        lambda: properly.evaluate(summed(), recalibrate="auto"),
    ),
    (
        DataError,
        (
            "the summary must have a rule over the thresholds 0.1 to 0.2; it has none"
            "\n\nHint: pass within to summarize, or to stream."
        ),
        lambda: properly.evaluate(summed(), within=(0.1, 0.2)),
    ),
    # inside formulas, where it means that a rule cannot be computed
    (
        TypeError,
        "a column that is not there yet has no numbers",
        lambda: float(SYMBOLS),
    ),
    (
        AttributeError,
        "there is no function 'fft' of columns that are not there yet",
        lambda: FUNCTIONS.fft,
    ),
    (
        TypeError,
        "rows cannot be put together; got axis 0 of shape (1,)",
        lambda: FUNCTIONS.sum(SYMBOLS, axis=0),
    ),
    (TypeError, "a column cannot be an exponent", lambda: SYMBOLS**SYMBOLS),
    (
        TypeError,
        "this formula is too long for an engine",
        lambda: reduce(lambda x, _: x * FUNCTIONS.log(x + 0.5), range(60), SYMBOLS),
    ),
]


@pytest.mark.parametrize(("error", "message", "call"), OTHERS)
def test_any_other_message_is_word_for_word(
    error: type[Exception], message: str, call: Callable[[], Any]
) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_what_needs_rows_is_refused_of_frames_with_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_frame, "MOST_ROWS", 5)
    frame = pl.DataFrame(COLUMNS).lazy()
    for what in ("time", "strata", "show"):
        with pytest.raises(DataError) as caught:
            evaluation(**{what: "unit"})(frame)
        assert str(caught.value) == (
            f"{what} needs the rows in memory, up to 5; the frame has 6"
            f"\n\nHint: leave out {what}, or take a part of the rows."
        )
    with pytest.raises(DataError) as caught:
        evaluation(A, outcome="grade", rules=Log(), normalize=True)(frame)
    assert str(caught.value) == (
        "normalize=True needs the rows in memory; the frame has too many"
        "\n\nHint: divide the columns by their sums in the frame."
    )
