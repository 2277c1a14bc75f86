"""Rules price columns of every engine as they price arrays."""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.laws import class_subjects, subjects

from properly.engines import _symbols
from properly.engines._symbols import Formula, Number, is_expressible, loss_of, with_formulas
from properly.errors import DataError
from properly.rules import (
    PBS,
    RPS,
    BetaWeighted,
    BinaryRule,
    Bounded,
    Brier,
    ClassRule,
    Elementary,
    Log,
    MissedBenefit,
    Propriety,
    Pseudospherical,
    RankedLog,
    Regret,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from properly.rules import Rule

    Table = Mapping[str, NDArray[Any]]
    Engine = Callable[[Table], Any]

# What needs scipy's incomplete beta function, and a formula too long for any engine.
INEXPRESSIBLE: list[Rule] = [
    BetaWeighted(1, 1),
    BetaWeighted(2, 2),
    BetaWeighted(0.5, 0.5),
    BetaWeighted(1.5, 1.25),
    Bounded(BetaWeighted(2, 8), (0.05, 0.2), scale="integral"),
    Regret((0.05, 0.2), prior=BetaWeighted(2, 8)),
    Regret((0.3, 0.3 + 1e-6), prior=BetaWeighted(2, 8)),
]
EVENT_RULES = [rule for rule in subjects.RULES if rule not in INEXPRESSIBLE]
# Ends, halves, what 1 - p or 1 + p cannot tell from them, and both sides of every threshold.
ENDS = [0.0, 1.0, 0.5, 1e-300, 5e-324, 1e-16, 1e-9, 1 - 1e-16, 1 - 1e-9, math.nextafter(0.5, 0)]
THRESHOLDS = sorted({end for subject in subjects.SUBJECTS for end in subject.breaks})
SIDES = [math.nextafter(t, end) for t in THRESHOLDS for end in (0.0, 1.0)]
POINTS = np.array([*ENDS, *THRESHOLDS, *SIDES, 0.3 + 3e-7, 0.6 + 3e-7, 0.012, 0.15, 0.42, 0.87])


def event_table() -> Table:
    """Return every forecast with both outcomes."""
    return {"y": np.repeat([False, True], len(POINTS)), "p": np.tile(POINTS, 2)}


def class_table(classes: int) -> Table:
    """Return certain, tied, nearly certain and other rows, each with every outcome."""
    rng, none = np.random.default_rng(classes), [0.0] * (classes - 2)
    ends = [[0.5, 0.5, *none], [*none, 0.5, 0.5], [0.25, 0.75, *none], [0.75, *none, 0.25]]
    tiny = [[1 - 1e-16, *none, 1e-16], [1e-300, *none, 1.0], [1e-9, *none, 1 - 1e-9]]
    whole = rng.integers(1, 4, (5, classes)).astype(float)
    drawn = [whole / whole.sum(axis=1, keepdims=True), rng.dirichlet(np.ones(classes), 4)]
    p = np.concatenate([np.eye(classes), [[1 / classes] * classes], ends, tiny, *drawn])
    columns = {f"p{k}": np.tile(p[:, k], classes) for k in range(classes)}
    return {"y": np.repeat(np.arange(classes), len(p)), **columns}


def in_pandas(table: Table) -> Any:
    return nw.from_native(pd.DataFrame(table)).lazy()


def in_polars(table: Table) -> Any:
    return nw.from_native(pl.LazyFrame(table))


def in_arrow(table: Table) -> Any:
    return nw.from_native(pa.table(dict(table))).lazy()


def in_duckdb(table: Table) -> Any:
    return nw.from_native(duckdb.from_arrow(pa.table(dict(table))))


ENGINES = [in_pandas, in_polars, in_arrow, in_duckdb]


@cache
def losses_of(classes: int | None) -> dict[Rule, Number]:
    """Return the formulas of rules, made once for all engines."""
    rules: list[Any] = EVENT_RULES if classes is None else class_rules(classes)
    return expressions(rules, classes)


def class_rules(classes: int) -> list[ClassRule]:
    """Return the rules whose least number of classes this is."""
    rules = [s.rule for s in class_subjects.SUBJECTS if min(s.classes) == classes]
    return [rule for rule in rules if rule not in INEXPRESSIBLE]


def expressions(rules: Sequence[Any], classes: int | None) -> dict[Any, Number]:
    p = [f"p{k}" for k in range(classes or 0)] or ["p"]
    return {rule: loss_of(rule, "y", p) for rule in rules}


def priced(frame: Any, losses: Mapping[Any, Number]) -> Table:
    """Return all losses, computed by the engine in one go, and the rows beside."""
    named = {f"l{i}": loss for i, loss in enumerate(losses.values())}
    found = with_formulas(frame, named).collect()
    return {name: found[name].to_numpy() for name in found.columns}


def assert_priced_as_arrays(frame: Any, losses: Mapping[Any, Number]) -> None:
    """Hold the losses of an engine against those of numpy, to twelve digits of each."""
    found = priced(frame, losses)
    columns = [found[name] for name in found if name.startswith("p")]
    p = found["p"] if "p" in found else np.stack(columns, axis=1)
    for i, rule in enumerate(losses):
        expected = rule.loss(found["y"], p)
        np.testing.assert_allclose(
            found[f"l{i}"], expected, rtol=1e-12, atol=0, err_msg=repr(rule), strict=True
        )


def table_of(classes: int | None) -> Table:
    return event_table() if classes is None else class_table(classes)


@pytest.mark.parametrize("classes", [None, 2, 3, 4])
@pytest.mark.parametrize("engine", ENGINES)
def test_columns_are_priced_as_arrays(engine: Engine, classes: int | None) -> None:
    assert_priced_as_arrays(engine(table_of(classes)), losses_of(classes))


def test_what_cannot_be_expressed_is_known() -> None:
    assert [rule for rule in INEXPRESSIBLE if is_expressible(rule)] == []
    # All others are priced above, by name; so are those of classes.
    assert len(EVENT_RULES) + len(INEXPRESSIBLE) == len(subjects.RULES)
    priced_above = [rule for classes in (2, 3, 4) for rule in class_rules(classes)]
    known = [s.rule for s in class_subjects.SUBJECTS if s.rule in INEXPRESSIBLE]
    assert [rule for rule in known if is_expressible(rule, 3)] == []
    assert len(priced_above) + len(known) == len(class_subjects.SUBJECTS)


def test_a_rule_is_expressible_only_for_what_it_prices() -> None:
    assert is_expressible(Brier())
    assert is_expressible(Brier(), 3)
    assert is_expressible(Pseudospherical(), 5)
    assert not is_expressible(Elementary(0.5), 3)
    assert not is_expressible(RPS())
    assert not is_expressible(RPS([1, 2, 3]), 3)
    with pytest.raises(DataError, match="one entry for each cut"):
        loss_of(RPS([1, 2, 3]), "y", ["a", "b", "c"])


class Rising(BinaryRule):
    """A threshold matters the more the higher it is."""

    propriety = Propriety.STRICT

    def weight(self, p: Any) -> Any:
        return p

    def false_positives(self, lower: Any, upper: Any) -> Any:
        return (upper**3 - lower**3) / 3

    def false_negatives(self, lower: Any, upper: Any) -> Any:
        return (upper**2 - lower**2) / 2 - self.false_positives(lower, upper)


class Own(ClassRule):
    """The table of another rule: all that a rule of one's own must write."""

    propriety, name = Propriety.STRICT, "own"

    def __init__(self, rule: ClassRule) -> None:
        self.rule = rule

    def classwise(self, p: Any) -> Any:
        return self.rule.classwise(p)

    def range_for(self, classes: int) -> tuple[float, float]:
        return self.rule.range_for(classes)


@pytest.mark.parametrize("engine", ENGINES)
def test_rules_of_ones_own_are_priced(engine: Engine) -> None:
    assert_priced_as_arrays(engine(event_table()), expressions([Rising()], None))
    tables = [Own(rule) for rule in (RPS(), RankedLog(), Log(), PBS())]
    assert_priced_as_arrays(engine(class_table(3)), expressions(tables, 3))


class Constant(Rising):
    """Every forecast costs the same."""

    def loss_if_event(self, p: Any) -> Any:  # noqa: ARG002
        return 0.25

    loss_if_none = loss_if_event


@pytest.mark.parametrize("engine", ENGINES)
def test_a_constant_loss_has_one_value_a_row(engine: Engine) -> None:
    table = event_table()
    found = priced(engine(table), expressions([Constant()], None))
    assert found["l0"].tolist() == [0.25] * len(table["p"])


class Asking(Rising):
    """Asks for the numbers of a column, one way or another."""

    def __init__(self, ask: Callable[[Any], Any]) -> None:
        self.ask = ask

    def loss_if_event(self, p: Any) -> Any:
        return self.ask(p)


class Standard(Rising):
    """Calls a function of the library that a forecast comes from."""

    def __init__(self, ask: Callable[[Any, Any], Any]) -> None:
        self.ask = ask

    def loss_if_event(self, p: Any) -> Any:
        return self.ask(namespace_of(p), p)


def namespace_of(p: Any) -> Any:
    return p.__array_namespace__()


@pytest.mark.parametrize(
    "ask",
    [
        lambda p: p if p > 0.5 else 1 - p,
        math.sqrt,
        np.sqrt,
        lambda p: np.where(p > 0.5, p, 0.0),
        lambda p: p - p.mean(),
        lambda p: p - namespace_of(p).mean(p),
        lambda p: p - namespace_of(p).sum(p, axis=0),
        sum,
        lambda p: [0.0] * len(p),
        lambda p: 2**p,
        lambda p: p**p,
        lambda p: p[p > 0.5],
    ],
)
def test_a_rule_that_asks_for_numbers_is_not_expressible(ask: Callable[[Any], Any]) -> None:
    assert not is_expressible(Asking(ask))


@pytest.mark.parametrize("engine", ENGINES)
def test_functions_of_the_array_standard_are_those_of_numpy(
    engine: Engine,
) -> None:
    asked: list[tuple[Callable[[Any, Any], Any], Callable[[NDArray[Any]], Any]]] = [
        (lambda xp, p: xp.clip(p, 0.2, 0.6), lambda p: np.clip(p, 0.2, 0.6)),
        (lambda xp, p: xp.expm1(50 * p - 45), lambda p: np.expm1(50 * p - 45)),
        (lambda xp, p: xp.expm1(1e-12 * p), lambda p: np.expm1(1e-12 * p)),
        (lambda xp, p: xp.log1p(1e6 * p), lambda p: np.log1p(1e6 * p)),
        (lambda xp, p: xp.exp(1500 * p), lambda p: np.exp(1500 * p)),
        (lambda xp, p: xp.logaddexp(p, -3 * p), lambda p: np.logaddexp(p, -3 * p)),
        (
            lambda xp, p: xp.maximum(0.6, xp.maximum(p, 1 - p)),
            lambda p: np.maximum(abs(p - 0.5) + 0.5, 0.6),
        ),
        (
            lambda xp, p: abs(p - 0.5) + xp.minimum(p, 0.25),
            lambda p: abs(p - 0.5) + p.clip(0, 0.25),
        ),
        (lambda _, p: p**2.5 + (1 + p) ** -2, lambda p: p**2.5 + (1 + p) ** -2.0),
        (lambda xp, p: xp.where((p < 0.1) | (p != 1), p, 7.0), lambda p: np.where(p == 1, 7.0, p)),
    ]
    rules = [Standard(ask) for ask, _ in asked]
    assert all(is_expressible(rule) for rule in rules)
    table = {"y": np.ones(len(POINTS), dtype=bool), "p": POINTS}
    found = priced(engine(table), expressions(rules, None))
    with np.errstate(over="ignore"):
        for i, (_, expected) in enumerate(asked):
            np.testing.assert_allclose(found[f"l{i}"], expected(POINTS), rtol=2e-13, atol=0)


def test_what_is_needed_twice_is_computed_once() -> None:
    losses = expressions([Brier(), Log(), Pseudospherical()], None)
    assert max(map(size_of, losses.values())) < 1e6
    named = {f"l{i}": x for i, x in enumerate(losses.values())}
    frame = with_formulas(in_duckdb(event_table()), named)
    assert len(str(frame.to_native().sql_query())) < 100_000


def test_a_formula_may_be_too_long_for_any_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_symbols, "LONGEST", 5)
    assert is_expressible(Brier())
    assert not is_expressible(Log())
    with pytest.raises(TypeError):
        loss_of(Log(), "y", ["p"])


def size_of(loss: Number) -> int:
    return loss.size if isinstance(loss, Formula) else 1


def test_nothing_is_warned_of_or_refused_where_forecasts_are_certain() -> None:
    table = {"y": np.array([True, False, True, False]), "p": np.array([0.0, 1.0, 1.0, 0.0])}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for engine in ENGINES:
            found = priced(engine(table), expressions([Log(), MissedBenefit()], None))
            assert found["l0"].tolist() == [math.inf, math.inf, 0.0, 0.0]
            assert found["l1"].tolist() == [1.0, math.inf, 0.0, 0.0]
