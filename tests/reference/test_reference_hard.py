"""Kappa, expected cost and Bayes decisions against exact values.

Sources, keys and conventions: ``tests/reference/README.md``. Where the package has several ways to
a number, each of them is a value of the list that is compared, and all must be right.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pytest

from properly.decisions import (
    confusion,
    decide,
    expected_cost,
    mean_absolute_error,
    quadratic_weighted_kappa,
    weighted_kappa,
)
from properly.rules._costs import cost_matrix, expected_costs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

FOLDER = Path(__file__).parents[1] / "reference" / "ordinal"
TOLERANCE = 1e-12
TABLES: list[dict[str, Any]] = json.loads((FOLDER / "hard_metrics.json").read_text())
FORECASTS: list[dict[str, Any]] = json.loads((FOLDER / "bayes_decisions.json").read_text())

Form = Literal["linear", "quadratic"]
FORMS: tuple[Form, ...] = ("linear", "quadratic")
POWER = {"linear": 1, "quadratic": 2}
COST: dict[Form, Literal["absolute", "quadratic"]] = {
    "linear": "absolute",
    "quadratic": "quadratic",
}


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
        weighted_kappa(case.y, case.d, case.classes, case.distances(form)),
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
        expected_cost(case.y, case.d, COST[form], classes=case.classes),
        expected_cost(case.y, case.d, case.distances(form)),
        expected_cost(y, d, COST[form], classes=case.classes, weight=weight),
    ]
    if form == "linear":
        found += [
            mean_absolute_error(case.y, case.d, case.classes),
            confusion(case.y, case.d, case.classes).mean_absolute_error,
        ]
    return found


def scaled_costs(case: Decided, form: Form) -> list[float]:
    scaled = case.distances(form) / (case.classes - 1) ** POWER[form]
    return [expected_cost(case.y, case.d, scaled)]


def constant_costs(case: Decided, form: Form) -> list[float]:
    everywhere = (np.full(len(case.y), k) for k in range(case.classes))
    return [min(expected_cost(case.y, d, COST[form], classes=case.classes) for d in everywhere)]


def normalized_costs(case: Decided, form: Form) -> list[float]:
    y, d, weight = case.cells
    # The scale of the costs does not matter any more.
    return [
        expected_cost(case.y, case.d, COST[form], classes=case.classes, normalized=True),
        expected_cost(case.y, case.d, 3 * case.distances(form), normalized=True),
        expected_cost(y, d, case.distances(form), normalized=True, weight=weight),
    ]


def balanced_costs(case: Decided, form: Form) -> list[float]:
    present = case.counts.sum(axis=1) > 0
    y, d, weight = case.cells
    of_row = case.counts.sum(axis=1)[y]
    return [
        expected_cost(case.y, case.d, COST[form], classes=case.classes, priors="uniform"),
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


@pytest.mark.parametrize(("number", "form", "key", "value"), VALUES)
def test_every_value_is_the_exact_one(
    number: int, form: Form, key: str, value: dict[str, Any]
) -> None:
    assert float(Fraction(value["exact"])) == value["float"]
    for got in WAYS[key](decided(TABLES[number]), form):
        assert got == pytest.approx(value["float"], rel=0, abs=TOLERANCE)


@pytest.mark.parametrize("number", range(len(TABLES)))
def test_the_confusion_and_its_error_rate_are_the_exact_ones(number: int) -> None:
    case, entry = decided(TABLES[number]), TABLES[number]
    table = confusion(case.y, case.d, case.classes)
    np.testing.assert_array_equal(table.counts, entry["confusion_rows_true"])
    assert table.total == entry["n"]
    expected = float(Fraction(entry["error_rate"]["exact"]))
    assert expected == entry["error_rate"]["float"]
    for got in (
        table.error_rate,
        1 - table.accuracy,
        expected_cost(case.y, case.d, "zero_one", classes=case.classes),
    ):
        assert got == pytest.approx(expected, rel=0, abs=TOLERANCE)


# Bayes decisions

NAMED: dict[str, Literal["absolute", "quadratic"]] = {"abs": "absolute", "sq": "quadratic"}


def probabilities(entry: dict[str, Any]) -> NDArray[np.float64]:
    return np.array([float(Fraction(x)) for x in entry["p"]])


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


@pytest.mark.parametrize("number", range(len(FORECASTS)))
def test_the_likeliest_class_is_decided_for_without_costs(number: int) -> None:
    p = probabilities(FORECASTS[number])
    assert decide([p]).tolist() == [FORECASTS[number]["mode"]]
    assert decide([p], "zero_one").tolist() == [FORECASTS[number]["mode"]]


@pytest.mark.parametrize("key", NAMED)
@pytest.mark.parametrize("number", range(len(FORECASTS)))
def test_the_decision_of_least_expected_cost_is_taken(number: int, key: str) -> None:
    entry = FORECASTS[number]
    p = probabilities(entry)
    matrix = cost_matrix(NAMED[key], len(p))
    assert decide([p], NAMED[key]).tolist() == [entry[key]["decision"]]
    assert decide([p, p], matrix).tolist() == 2 * [entry[key]["decision"]]


@pytest.mark.parametrize("key", NAMED)
@pytest.mark.parametrize("number", range(len(FORECASTS)))
def test_the_expected_cost_of_every_decision_is_the_exact_one(number: int, key: str) -> None:
    p, exact = probabilities(FORECASTS[number]), exact_costs(FORECASTS[number], key)
    classes = range(len(p))
    ways = [
        expected_costs(p[None], cost_matrix(NAMED[key], len(p)))[0],
        # One case of each class, all decided alike, where classes are as likely as forecast.
        [
            expected_cost(classes, [d] * len(p), NAMED[key], classes=len(p), priors=p)
            for d in classes
        ],
    ]
    for got in ways:
        np.testing.assert_allclose(got, [float(x) for x in exact], rtol=0, atol=TOLERANCE)
