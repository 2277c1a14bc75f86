"""Functions of a tally take outcomes and forecasts, as a newcomer would call them."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import properly
from properly import Cases, Tally, decisions, tally
from properly._boundary._record import plain
from properly.counts import with_event_rate
from properly.errors import DataError
from properly.rules import RPS, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Callable

DOORS = ("counts", "inference", "calibration", "decisions", "probability", "comparison")
RNG = np.random.default_rng(20)
P = RNG.random(240).round(2)
Q = (0.3 + P / 2).round(2)
Y = (RNG.random(240) < P).astype(int)
WORDS = np.where(Y == 1, "yes", "no")
GROUPS = np.arange(240) % 3
CLASSES = np.arange(240) % 3
TABLE = RNG.dirichlet([2, 2, 2], 240)
# What functions need besides outcomes and forecasts.
BESIDES: dict[str, tuple[Any, ...]] = {
    "at_budget": (20,),
    "at_threshold": (0.2,),
    "bootstrap": (Brier(),),
    "by_group": (Brier(),),
    "decompose": (Brier(),),
    "mean_net_benefit": ((0.1, 0.4),),
    "net_benefit_interval": (0.2,),
    "over_time": (Brier(),),
    "score_interval": (Brier(),),
    "skill_interval": (Brier(),),
    "with_event_rate": (0.1,),
    "worst_cases": (Brier(),),
}
COLUMNS: dict[str, dict[str, Any]] = {
    "by_group": {"groups": GROUPS},
    "over_time": {"time": np.arange(240)},
}
OPTIONS: dict[str, dict[str, Any]] = {
    "bootstrap": {"replicates": 99, "rng": 1},
    "calibration_summary": {"replicates": 99, "rng": 1},
    "calibration_test": {"replicates": 99, "rng": 1},
    "by_group": {"replicates": 99, "rng": 1},
    "over_time": {"periods": 2},
    "regret_in_money": {"cost": 1.0, "loss": 5.0},
}
OF_CLASSES = ("cumulative", "hard_decisions", "one_vs_rest", "top_label")


def same_records(one: Any, other: Any) -> None:
    """Compare what can be written, or the rows of cases."""
    if isinstance(one, dict):
        assert list(one) == list(other)
        for name in one:
            same_records(one[name], other[name])
    elif isinstance(one, Cases | Tally):
        assert type(one) is type(other)
        for name in type(one).__dataclass_fields__:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    else:
        assert plain(one) == plain(other)


def functions() -> dict[str, Callable[..., Any]]:
    """Return the public functions whose first parameter is a tally, or cases."""
    result: dict[str, Callable[..., Any]] = {}
    for door in DOORS:
        module = importlib.import_module(f"properly.{door}")
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                first = next(iter(inspect.signature(thing).parameters.values()))
                if first.annotation in ("Tally | Cases", "Cases") and first.name != "first":
                    result[name] = thing
    return result


FUNCTIONS = functions()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OF_CLASSES])
def test_outcomes_and_forecasts_will_do_in_place_of_cases(name: str) -> None:
    ask, columns, options = FUNCTIONS[name], COLUMNS.get(name, {}), OPTIONS.get(name, {})
    expected = ask(Cases(Y, P, **columns), *BESIDES.get(name, ()), **options)
    same_records(ask(Y, P, *BESIDES.get(name, ()), **columns, **options), expected)
    same_records(
        ask(Y.tolist(), P.tolist(), *BESIDES.get(name, ()), **columns, **options), expected
    )


@pytest.mark.parametrize("name", OF_CLASSES)
def test_class_probabilities_will_do_in_place_of_cases(name: str) -> None:
    ask = FUNCTIONS[name]
    same_records(ask(CLASSES, TABLE), ask(Cases(CLASSES, TABLE)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_says_so(name: str) -> None:
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    assert "Outcomes and forecasts will do as well: ``properly." in text
    assert f"{name}(y, {'P' if name in OF_CLASSES else 'p'}" in text
    assert next(iter(inspect.signature(FUNCTIONS[name]).parameters)) in ("tally", "cases")


def test_the_first_calls_of_a_newcomer() -> None:
    assert properly.reliability(Y, P).value.shape == properly.reliability(tally(Y, P)).value.shape
    assert properly.decompose(Y, P, Log()) == properly.decompose(tally(Y, P), Log())
    assert properly.decompose(Y, P, rule=Log()) == properly.decompose(tally(Y, P), Log())
    assert properly.calibration_test(Y, P, rng=1).p_value == (
        properly.calibration_test(tally(Y, P), rng=1).p_value
    )
    assert properly.roc_curve(y=Y, p=P).area == properly.roc_curve(tally(Y, P)).area


def test_series_of_pandas_and_polars() -> None:
    expected = properly.roc_curve(tally(Y, P)).area
    assert properly.roc_curve(pd.Series(Y), pd.Series(P)).area == expected
    assert properly.roc_curve(pl.Series(Y), pl.Series(P)).area == expected


def test_columns_of_cases_come_by_name() -> None:
    weight = 1.0 + GROUPS
    expected = properly.score_interval(
        Cases(Y, P, weight=weight, clusters=np.arange(240) // 2), Log()
    )
    found = properly.score_interval(Y, P, Log(), weight=weight, clusters=np.arange(240) // 2)
    same_records(found, expected)
    assert properly.roc_curve(WORDS, P, pos_label="yes").area == properly.roc_curve(Y, P).area
    # A number of groups is an option of the test itself.
    found_test = properly.calibration_test(Y, P, statistic="hosmer-lemeshow", groups=5)
    assert found_test.p_value == (
        properly.calibration_test(tally(Y, P), statistic="hosmer-lemeshow", groups=5).p_value
    )


def test_classes_of_three_columns_go_on_as_classes() -> None:
    found = properly.decompose(CLASSES, TABLE, RPS())
    same_records(found, properly.decompose(Cases(CLASSES, TABLE), RPS()))


def test_two_models_follow_the_outcomes() -> None:
    first, second = Cases(Y, P), Cases(Y, Q)
    same_records(decisions.murphy_difference(Y, P, Q), decisions.murphy_difference(first, second))
    found = decisions.decision_difference(Y, P, "treat all")
    same_records(found, decisions.decision_difference(first, "treat all"))
    options: dict[str, Any] = {"rng": 1, "replicates": 49}
    same_records(
        decisions.dominance(Y, P, Q, **options), decisions.dominance(first, second, **options)
    )


def test_models_by_name_follow_the_outcomes() -> None:
    models = {"p": P, "q": Q}
    expected = {name: Cases(Y, p) for name, p in models.items()}
    same_records(decisions.rank_by_threshold(Y, models), decisions.rank_by_threshold(expected))
    same_records(decisions.best_by_range(Y, models), decisions.best_by_range(expected))


def test_what_has_a_tally_is_still_taken_for_one() -> None:
    class Sums:
        def tally(self) -> Tally:
            return tally(Y, P)

        def __len__(self) -> int:
            return 240

    assert properly.roc_curve(Sums()).area == properly.roc_curve(Y, P).area  # type: ignore[call-overload]
    assert properly.roc_curve(tally=tally(Y, P)).area == properly.roc_curve(Y, P).area  # type: ignore[call-overload]


def test_two_classes_as_such_are_classes_where_classes_are_needed() -> None:
    two = np.column_stack([1 - P, P])
    assert decisions.hard_decisions(Y, two).argmax.accuracy == (
        decisions.hard_decisions(Cases(Y, two)).argmax.accuracy
    )
    with pytest.raises(DataError, match="an event has one column of forecasts"):
        properly.reliability(Y, two)


def test_a_case_of_another_rate_keeps_its_rows() -> None:
    assert isinstance(with_event_rate(Y, P, 0.1), Cases)
