"""What is right costs less than what is wrong: penalties, how small they can be, and ties."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

from properly.rules import RPS, Brier, Log, Penalized, superior_penalty

from . import class_oracles as exact
from .class_draws import as_floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.rules import ClassRule

    Floats = NDArray[np.float64]

Ties = Literal["split", "first", "any_correct", "unique_only"]
TIES: tuple[Ties, ...] = ("split", "first", "any_correct", "unique_only")
SUPERIOR: list[ClassRule] = [Brier(), Log(), RPS()]


def paper(rule: ClassRule, classes: int) -> float:
    largest = {Brier(): 1 - 1 / classes, Log(): math.log(classes)}
    return largest[rule] if rule in largest else float(exact.rps_penalty(classes))


def nudged(chosen: set[int], y: int, classes: int, step: float) -> Floats:
    """Return a uniform forecast on some classes that leans towards one of them."""
    even = np.array([float(x) for x in exact.uniform_on(chosen, classes)])
    return np.asarray((1 - step) * even + step * np.eye(classes)[y])


def extremes(rule: ClassRule, classes: int, step: float) -> tuple[Floats, Floats, int]:
    """Return about the worst forecast that is right, and about the best that is wrong."""
    if not isinstance(rule, RPS):
        return (
            nudged(set(range(classes)), 0, classes, step),
            nudged({0, 1}, 1, classes, step),
            0,
        )
    worst = max(
        ({0, *range(classes - t, classes)} for t in range(1, classes)),
        key=lambda chosen: float(RPS().loss([0], [nudged(chosen, 0, classes, 0)])[0]),
    )
    best = np.zeros(classes)
    best[:3] = ([0.5 - step, 0.5 + step] if classes == 2 else [0.2, 0.4 - step, 0.4 + step])[:3]
    return nudged(worst, 0, classes, step), best, 0 if classes == 2 else 1


@cache
def forecasts(rule: ClassRule, y: int, classes: int) -> tuple[Floats, Floats]:
    """Return many forecasts that are strictly right, and many that are strictly wrong."""
    rng = np.random.default_rng(classes)
    even = np.full((300, classes), 1 / classes) + rng.uniform(0, 1e-3, (300, classes))
    rows = np.concatenate(
        [
            as_floats(exact.grid(classes, 12 if classes < 5 else 7)),
            rng.dirichlet(np.ones(classes), 300),
            even / even.sum(axis=1, keepdims=True),
            *(extremes(rule, classes, 10.0**-k)[0][None, :] for k in (2, 5, 8)),
            *(extremes(rule, classes, 10.0**-k)[1][None, :] for k in (2, 5, 8)),
        ]
    )
    top, own = rows.max(axis=1), rows[:, y]
    alone = (rows == top[:, None]).sum(axis=1) == 1
    return rows[(own == top) & alone], rows[own < top]


@pytest.mark.parametrize("rule", SUPERIOR, ids=repr)
@pytest.mark.parametrize("classes", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("penalty", ["paper", "minimal"])
def test_what_is_right_costs_less_than_what_is_wrong(
    rule: ClassRule, classes: int, ties: Ties, penalty: Any
) -> None:
    penalized = Penalized(rule, penalty, ties)
    losses = [forecasts(rule, y, classes) for y in range(classes)]
    right = [np.max(penalized.classwise(rows)[:, y]) for y, (rows, _) in enumerate(losses)]
    wrong = [np.min(penalized.classwise(rows)[:, y]) for y, (_, rows) in enumerate(losses)]
    assert max(right) < min(wrong)


@pytest.mark.parametrize("rule", SUPERIOR, ids=repr)
@pytest.mark.parametrize("classes", [3, 4, 5, 6])
def test_the_least_penalty_is_tight(rule: ClassRule, classes: int) -> None:
    least = superior_penalty(rule, classes)
    right, wrong, y = extremes(rule, classes, 1e-9)
    for penalty, wins in ((least + 1e-6, True), (least - 1e-6, False)):
        penalized = Penalized(rule, penalty)
        losses = penalized.loss([0, y], [right, wrong])
        assert (losses[0] < losses[1]) == wins
    # Without any, both classical scores and RPS fail.
    assert rule.loss([0], [right])[0] > rule.loss([y], [wrong])[0]


@pytest.mark.parametrize("classes", [2, 3, 4, 5, 6, 8])
def test_penalties_are_what_the_mathematics_says(classes: int) -> None:
    least: list[tuple[ClassRule, exact.Exact]] = [
        (Brier(), exact.brier_minimum(classes)),
        (Log(), exact.log_minimum(classes)),
        (RPS(), exact.rps_minimum(classes)),
        (Brier("mean"), exact.brier_minimum(classes) / classes),
        (Brier("half"), exact.brier_minimum(classes) / 2),
        (RPS(normalized=False), exact.rps_minimum(classes) * (classes - 1)),
    ]
    for rule, wanted in least:
        assert superior_penalty(rule, classes) == pytest.approx(float(wanted), rel=1e-14, abs=1e-15)
        minimal = Penalized(rule, "minimal").penalty_for(classes)
        assert minimal == superior_penalty(rule, classes)
    for rule in SUPERIOR:
        wanted_by_paper = paper(rule, classes)
        assert Penalized(rule).penalty_for(classes) == pytest.approx(wanted_by_paper, rel=1e-14)
        assert Penalized(rule, 0.75).penalty_for(classes) == 0.75
