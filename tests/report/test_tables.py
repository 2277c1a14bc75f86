"""What the page says about how it was made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import properly
from properly.report._score_tables import python_call, score_tables
from properly.rules import RPS, Bounded, Brier, Spherical

Y, P = [0, 1, 0, 1, 1] * 8, [0.1, 0.75, 0.3, 0.6, 0.2] * 8
BESIDE: dict[str, Any] = {
    "weight": [1, 2, 1, 1] * 10,
    "groups": ["a", "b"] * 20,
    "clusters": np.arange(40) // 2,
    "strata": np.arange(40) // 20,
    "time": np.arange(40) % 3,
}


def again(e: Any, y: Any, forecasts: Any) -> Any:
    """Run what the page says, without writing a page."""
    *lines, last = python_call(e).split("\n")
    assert last == 'properly.report.write("report.html", e)'
    scope: dict[str, Any] = {"y": y, "forecasts": forecasts} | BESIDE
    exec("\n".join(lines), scope)  # noqa: S102
    return scope["e"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"within": (0.1, 0.4)},
        {"within": (0.1, 0.4), "rules": [Spherical(), Bounded(Brier(), (0.2, 0.3))], "rng": 3},
        {name: BESIDE[name] for name in ("weight", "groups", "time")},
        {name: BESIDE[name] for name in ("clusters", "strata")},
    ],
    ids=["plain", "range", "rules", "weights", "clusters"],
)
def test_the_call_of_an_event_gives_the_same_numbers(options: dict[str, Any]) -> None:
    e = properly.evaluate(Y, {"m": P}, replicates=0, level=0.9, **options)
    assert again(e, Y, {"m": P}).to_dict() == e.to_dict()


@pytest.mark.parametrize("options", [{}, {"rules": RPS()}, {"groups": BESIDE["groups"]}])
def test_the_call_of_classes_gives_the_same_numbers(options: dict[str, Any]) -> None:
    p = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.5]] * 20)
    e = properly.evaluate(Y, {"m": p}, task="ordinal", replicates=0, normalize=True, **options)
    assert again(e, Y, {"m": p}).to_dict() == e.to_dict()


def test_nothing_is_named_that_was_not_given() -> None:
    e = properly.evaluate(Y, {"m": P}, replicates=0)
    assert python_call(e) == (
        "import properly\n\ne = properly.evaluate(y, forecasts, level=0.95, replicates=0)\n"
        'properly.report.write("report.html", e)'
    )


def test_captions_and_p_values_are_written_once_and_without_zeros() -> None:
    p = np.tile([0.05, 0.3, 0.81, 0.9, 0.96, 0.996], 60)
    y = np.arange(360) // 6 < 60 * np.tile([0.05, 0.3, 0.5, 0.6, 0.65, 0.7], 60)
    within, clusters = (0.1, 0.3), np.arange(360) // 3
    e = properly.evaluate(y, {"bad": p}, clusters=clusters, replicates=9, rng=0, within=within)
    regret, *_, clinical = score_tables(e)
    assert regret.caption == "Mean regret at thresholds of 10 % to 30 %; proper."
    assert clinical.rows[0][-1].number == "p < 0.001"
