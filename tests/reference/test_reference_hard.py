"""Kappa, expected cost and Bayes decisions against exact values.

Sources, keys and conventions: ``tests/reference/README.md``. Where the package has several ways to
a number, each of them is a value of the list that is compared, and all must be right.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pytest

from properly.decisions import (
    confusion,
    decide,
    expected_cost,
    quadratic_weighted_kappa,
    weighted_kappa,
)
from properly.rules._penalty import cost_matrix, expected_costs

from .held import assert_near, floats, load, near, number

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

TABLES: list[dict[str, Any]] = load("ordinal/hard_metrics")
FORECASTS: list[dict[str, Any]] = load("ordinal/bayes_decisions")

Form = Literal["linear", "quadratic"]
FORMS: tuple[Form, ...] = ("linear", "quadratic")
POWER = {"linear": 1, "quadratic": 2}


class Decided(NamedTuple):
    """A confusion taken apart: one row a case, and one row a cell with its count as a weight."""

    counts: NDArray[np.int64]
    y: NDArray[np.int64]
    d: NDArray[np.int64]

    @property
    def classes(self) -> int:
        return len(self.counts)

    @property
    def cells(self) -> tuple[Any, Any, Any]:
        """The same cases, one row a cell of the table; those without cases have weight 0."""
        i, j = np.indices(self.counts.shape)
        return i.ravel(), j.ravel(), self.counts.ravel()

    def distances(self, form: Form) -> NDArray[np.float64]:
        i, j = np.indices(self.counts.shape)
        return np.asarray(np.abs(i - j).astype(np.float64) ** POWER[form])


def decided(entry: dict[str, Any]) -> Decided:
    counts = np.array(entry["confusion_rows_true"])
    i, j = np.indices(counts.shape)
    y, d = (np.repeat(x.ravel(), counts.ravel()) for x in (i, j))
    return Decided(counts, y, d)


def kappas(case: Decided, form: Form) -> list[float]:
    y, d, weight = case.cells
    found = [
        weighted_kappa(case.y, case.d, case.classes, form),
        weighted_kappa(y, d, case.classes, form, weight=weight),
        weighted_kappa(y, d, case.classes, form, weight=weight / 7),
        confusion(case.y, case.d, case.classes).kappa(form),
    ]
    if form == "quadratic":
        found.append(quadratic_weighted_kappa(case.y, case.d, case.classes))
    return found


def costs(case: Decided, form: Form) -> list[float]:
    y, d, weight = case.cells
    found = [
        expected_cost(case.y, case.d, form, classes=case.classes),
        expected_cost(case.y, case.d, case.distances(form)),
        expected_cost(y, d, form, classes=case.classes, weight=weight),
    ]
    if form == "linear":
        found += [
            confusion(case.y, case.d, case.classes).mean_absolute_error,
        ]
    return found


def scaled_costs(case: Decided, form: Form) -> list[float]:
    scaled = case.distances(form) / (case.classes - 1) ** POWER[form]
    return [expected_cost(case.y, case.d, scaled)]


def constant_costs(case: Decided, form: Form) -> list[float]:
    everywhere = (np.full(len(case.y), k) for k in range(case.classes))
    return [min(expected_cost(case.y, d, form, classes=case.classes) for d in everywhere)]


def normalized_costs(case: Decided, form: Form) -> list[float]:
    y, d, weight = case.cells
    # The scale of the costs does not matter any more.
    return [
        expected_cost(case.y, case.d, form, classes=case.classes, normalized=True),
        expected_cost(case.y, case.d, 3 * case.distances(form), normalized=True),
        expected_cost(y, d, case.distances(form), normalized=True, weight=weight),
    ]


def balanced_costs(case: Decided, form: Form) -> list[float]:
    present = case.counts.sum(axis=1) > 0
    y, d, weight = case.cells
    of_row = case.counts.sum(axis=1)[y]
    return [
        expected_cost(case.y, case.d, form, classes=case.classes, priors="uniform"),
        expected_cost(case.y, case.d, case.distances(form), priors=present / present.sum()),
        # Cases weighed such that all classes have the same weight.
        expected_cost(y, d, case.distances(form), weight=weight / of_row),
    ]


WAYS: dict[str, Callable[[Decided, Form], list[float]]] = {
    "kappa": kappas,
    "EC": costs,
    "EC_cost_scaled_to_1": scaled_costs,
    "best_constant_cost": constant_costs,
    "NEC": normalized_costs,
    "EC_uniform_priors": balanced_costs,
}
VALUES = [
    pytest.param(number, form, key, value, id=f"{number}-{form}-{key}")
    for number, entry in enumerate(TABLES)
    for form in FORMS
    for key, value in entry[form].items()
]


def test_the_tables_are_all_there_and_every_key_is_computed() -> None:
    assert [len(entry["confusion_rows_true"]) for entry in TABLES] == [3, 2, 4, 3, 3, 4, 5]
    for entry in TABLES:
        assert set(entry) == {"confusion_rows_true", "n", "error_rate", *FORMS}
        assert set(entry["linear"]) == set(entry["quadratic"]) == set(WAYS)


@pytest.mark.parametrize(("place", "form", "key", "value"), VALUES)
def test_every_value_is_the_exact_one(
    place: int, form: Form, key: str, value: dict[str, Any]
) -> None:
    for got in WAYS[key](decided(TABLES[place]), form):
        assert got == near(number(value))


@pytest.mark.parametrize("entry", TABLES)
def test_the_confusion_and_its_error_rate_are_the_exact_ones(entry: dict[str, Any]) -> None:
    case = decided(entry)
    table = confusion(case.y, case.d, case.classes)
    np.testing.assert_array_equal(table.counts, entry["confusion_rows_true"])
    assert table.total == entry["n"]
    cost = expected_cost(case.y, case.d, "zero_one", classes=case.classes)
    for got in (table.error_rate, 1 - table.accuracy, cost):
        assert got == near(number(entry["error_rate"]))


# Bayes decisions

NAMED: dict[str, Literal["linear", "quadratic"]] = {"abs": "linear", "sq": "quadratic"}


def probabilities(entry: dict[str, Any]) -> NDArray[np.float64]:
    return np.array(floats(entry["p"]))


def test_the_forecasts_are_all_there() -> None:
    assert [len(entry["p"]) for entry in FORECASTS] == [3, 4, 5, 5, 6]
    assert all(set(entry) == {"p", "mode", *NAMED} for entry in FORECASTS)
    # In two of them, two decisions cost the same: the first is to be taken.
    ties = [
        min(costs)
        for entry in FORECASTS
        for costs in [exact_costs(entry, "abs")]
        if costs.count(min(costs)) == 2
    ]
    assert ties == [Fraction(53, 40), Fraction(13, 10)]


def exact_costs(entry: dict[str, Any], key: str) -> list[Fraction]:
    return [Fraction(x) for x in entry[key]["expected_cost"]]


each_forecast = pytest.mark.parametrize("entry", FORECASTS)
each_cost = pytest.mark.parametrize("key", NAMED)


@each_forecast
def test_the_likeliest_class_is_decided_for_without_costs(entry: dict[str, Any]) -> None:
    p = probabilities(entry)
    assert decide([p]).tolist() == decide([p], "zero_one").tolist() == [entry["mode"]]


@each_cost
@each_forecast
def test_the_decision_of_least_expected_cost_is_taken(entry: dict[str, Any], key: str) -> None:
    p = probabilities(entry)
    matrix = cost_matrix(NAMED[key], len(p))
    assert decide([p], NAMED[key]).tolist() == [entry[key]["decision"]]
    assert decide([p, p], matrix).tolist() == 2 * [entry[key]["decision"]]


@each_cost
@each_forecast
def test_the_expected_cost_of_every_decision_is_the_exact_one(
    entry: dict[str, Any], key: str
) -> None:
    p, exact = probabilities(entry), floats(entry[key]["expected_cost"])
    classes = range(len(p))
    assert_near(expected_costs(p[None], cost_matrix(NAMED[key], len(p)))[0], exact)
    # One case of each class, all decided alike, where classes are as likely as forecast.
    alike = [
        expected_cost(classes, [d] * len(p), NAMED[key], classes=len(p), priors=p) for d in classes
    ]
    assert_near(alike, exact)
