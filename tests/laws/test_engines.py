"""Frames of every library that needs no server: the numbers of arrays, and no rows fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from polars.io.plugins import register_io_source
from tests.messages.test_frames import ONE_OF_EACH, SAID, misheard

import properly
from properly.engines import _rows, _summary
from properly.evaluation import summarize
from properly.rules import Brier, Log

from . import subjects
from .engine_checks import assert_same_record, assert_same_tally, rows, sums_of, table
from .engine_laws import (
    CLASS_RULES,
    EVENT_RULES,
    FEW,
    LATE,
    LAWS,
    OF_THREE,
    groups_and_clusters_are_summed,
    tallies_are_those_of_arrays,
)
from .engines import (
    DUCKDB,
    ENGINES,
    KINDS,
    LAZY_POLARS,
    PANDAS,
    PANDAS_OF_ARROW,
    POLARS,
    PYARROW,
    table_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .engine_laws import Law
    from .engines import Engine

ODD = ["w", "p0", 'y"; drop table x; --', "</script>", "index", "a.b", "{}\n%s`", "loss_0_0"]


TWO = (LAZY_POLARS, DUCKDB)
# Where the types of columns matter.
TYPED = (tallies_are_those_of_arrays, groups_and_clusters_are_summed)
HELD = [
    (law, engine)
    for law in LAWS
    for engine in (ENGINES if law in TYPED else TWO if law in LATE else KINDS)
]


@pytest.mark.parametrize(("law", "engine"), HELD, ids=lambda x: getattr(x, "__name__", repr(x)))
def test_what_holds_in_every_engine(law: Law, engine: Engine) -> None:
    law(engine)


# A frame of polars becomes a lazy one, whose words are tested with the messages themselves.
@pytest.mark.parametrize("engine", [PANDAS, PANDAS_OF_ARROW, PYARROW, DUCKDB], ids=repr)
def test_every_engine_refuses_in_the_same_words(engine: Engine) -> None:
    assert misheard(engine, ONE_OF_EACH) == []


@pytest.mark.slow
@pytest.mark.parametrize("engine", [PANDAS, PANDAS_OF_ARROW], ids=repr)
def test_types_of_columns_change_no_word(engine: Engine) -> None:
    assert misheard(engine, SAID) == []


def test_every_rule_falls_to_some_engine() -> None:
    for rules in (EVENT_RULES, CLASS_RULES):
        dealt = [repr(rule) for engine in KINDS for rule in engine.dealt(rules)]
        assert sorted(dealt) == sorted(repr(rule) for rule in rules)
    # No engine has the functions that these need.
    left_out = [repr(rule) for rule in subjects.RULES if rule not in EVENT_RULES]
    left_out += [repr(rule) for rule in OF_THREE if rule not in CLASS_RULES]
    special = (
        "BetaWeighted",
        "Pseudospherical",
    )
    assert [rule for rule in left_out if not any(name in rule for name in special)] == []


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES, ids=repr)
def test_columns_may_have_any_names(engine: Engine) -> None:
    used = {"outcome": "y", "forecast": "p", "weight": "part", "groups": "group"}
    for first in range(0, len(ODD), 4):
        names: dict[str, Any] = dict(zip(used, ODD[first : first + 4], strict=True))
        frame = engine(table_of({names[role]: rows()[used[role]] for role in used}))
        forecast = names.pop("forecast")
        found = summarize(frame, forecast, rules=Brier(), **names)
        assert found.models == (forecast,)
        assert list(found.groups) == ["</script>", "east", "west"]
        totals, expected = found.sums.totals, sums_of(["p"], [Brier()], "part").totals
        for key, total in expected.items():
            assert totals[key] == pytest.approx(total, rel=1e-12)


def test_a_lazy_frame_is_read_once_for_a_tally_and_once_more_for_each_model() -> None:
    data, reads = POLARS(table()), []

    def read(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        assert predicate is None
        reads.append((n_rows, batch_size))
        yield data.select(with_columns or data.columns)

    frame = register_io_source(read, schema=data.schema)
    found = properly.tally(frame, outcome="word", forecast="p", weight="part", pos_label="yes")
    expected = properly.tally(rows()["y"], rows()["p"], weight=rows()["part"])
    assert_same_tally(found, expected, exact=False)
    assert len(reads) == 1
    summarize(frame, ["p", "q"], outcome="y", groups="group", rules=FEW)
    assert len(reads) == 1 + (1 + 2)


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """List how long the columns are that engines are asked for."""
    lengths, as_array = [], _rows._array

    def counting(column: Any) -> Any:
        lengths.append(len(column))
        return as_array(column)

    monkeypatch.setattr(_rows, "_array", counting)
    return lengths


@pytest.mark.parametrize("engine", [DUCKDB, LAZY_POLARS], ids=repr)
def test_rows_are_never_fetched(engine: Engine, fetched: list[int]) -> None:
    rng = np.random.default_rng(5)
    p, y = rng.integers(0, 21, 4000) / 20, rng.random(4000) < 0.3
    columns = {"y": y, "p": p, "g": rng.integers(0, 3, 4000), "c": np.arange(4000) // 2}
    frame = engine(pa.table(columns | {"q": rng.random(4000)}))
    properly.tally(frame, outcome="y", forecast="p")
    assert max(fetched) == 42
    properly.tally(frame, outcome="y", forecast="q", cells=50)
    assert max(fetched) == 100  # the random numbers are never 0 or 1
    fetched.clear()
    summarize(frame, ["p"], outcome="y", groups="g", rules=FEW)
    assert max(fetched) == 42 * 3
    fetched.clear()
    summarize(frame, ["p"], outcome="y", clusters="c", rules=FEW)
    assert max(fetched) == 42


@pytest.mark.slow
@pytest.mark.parametrize("engine", KINDS, ids=repr)
def test_what_is_too_much_is_grouped_and_scores_stay_exact(
    engine: Engine, fetched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    distinct = len(np.unique(np.abs(rows()["p"])))
    assert distinct < len(np.unique(rows()["q"])) == len(table())
    few: dict[str, Any] = {"rules": FEW, "replicates": 0}
    forecasts = {"p": rows()["p"], "q": rows()["q"]}
    expected = properly.evaluate(rows()["y"], forecasts, **few)
    frame = engine(table())
    # As many as there are, with all of their outcomes; then so few that the first rows tell.
    for most, cells in ((distinct, 16), (20, 5)):
        monkeypatch.setattr(_summary, "MOST_DISTINCT", most)
        monkeypatch.setattr(_summary, "CELLS", cells)
        fetched.clear()
        summary = summarize(frame, ["p", "q"], outcome="y", rules=FEW)
        assert max(fetched) <= 2 * max(most, cells + 2) + 1
        exact = most == distinct
        assert [summary.tallies[name].cells for name in "pq"] == [None if exact else cells, cells]
        found = properly.evaluate(summary, replicates=0)
        for model in forecasts:
            for rule in ("brier", "log"):
                assert found.scores[model][rule].value == pytest.approx(
                    expected.scores[model][rule].value, rel=1e-12
                )
        assert_same_record(
            found.comparisons["brier"].to_dict(), expected.comparisons["brier"].to_dict(), 1e-12
        )
        for model, p in forecasts.items():
            counted = properly.tally(rows()["y"], p)
            counted = counted if exact and model == "p" else counted.group(cells)
            assert_same_counts(summary.tallies[model], counted)


def assert_same_counts(found: Any, expected: Any) -> None:
    np.testing.assert_array_equal(found.weight, expected.weight)
    np.testing.assert_array_equal(found.events, expected.events)
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-12, atol=0)


def test_an_infinite_loss_is_counted_and_not_summed() -> None:
    frame = pl.LazyFrame({"y": [1, 0, 1, 0], "p": [0.0, 1.0, 0.5, 0.0], "w": [1.0, 0.0, 2.0, 1.0]})
    totals = summarize(frame, "p", outcome="y", weight="w", rules=Log()).sums.totals
    assert totals["infinite", 0, 0] == 1
    assert totals["infinite_weight", 0, 0] == 1.0
    assert totals["loss", 0, 0] == pytest.approx(2 * np.log(2), rel=1e-15)
    assert totals["rows",] == 3
