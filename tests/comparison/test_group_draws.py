"""Draws of many groups at once, against those of each by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import properly
from properly._boundary._options import as_drawing
from properly.calibration._components import ForecastPrices, components
from properly.comparison._contrasts import compare_rows, measures_of
from properly.comparison._group_draws import DrawnGroup, Null, Stack
from properly.comparison._groups import _compare, _count, _split, amounts_of
from properly.inference._design import Design
from properly.inference._draws import LONG, Draw, fast_stream
from properly.rules import Brier, Log

RNG = np.random.default_rng(4)
ROWS = 400
P = np.concatenate([[0.0, 1.0], RNG.beta(1, 2, ROWS - 2).round(2)])
Y = RNG.random(ROWS) < P
GROUP = RNG.integers(0, 5, ROWS)
WEIGHT = RNG.uniform(0.5, 2.0, ROWS)


def parts_of(**known: Any) -> list[DrawnGroup]:
    return [
        DrawnGroup.of(x) for x in properly.Cases(Y, P, groups=GROUP, **known).by_group().values()
    ]


@pytest.mark.parametrize("known", [{}, {"weight": WEIGHT}], ids=["counted", "weighed"])
@pytest.mark.parametrize("rule", [Brier(), Log()], ids=repr)
def test_a_draw_of_all_groups_is_one_of_each(rule: Any, known: dict[str, Any]) -> None:
    parts = parts_of(**known)
    stack = Stack(parts)
    value = stack.draws.value
    # Certain forecasts come true as they stand, and are refuted by other probabilities.
    draws = [
        *stack.draws.outcomes(value, 20, fast_stream(np.random.default_rng(1))),
        *stack.draws.draws(0.1 + 0.8 * value, 20, fast_stream(np.random.default_rng(2))),
    ]
    found = stack.miscalibration(draws, stack.prices([rule]))[0]
    assert found.shape == (40, 5)
    assert np.isinf(found).any() == isinstance(rule, Log)
    ends = [*stack.start[1:].tolist(), len(value)]
    for g, (i, j) in enumerate(zip(stack.start.tolist(), ends, strict=True)):
        np.testing.assert_array_equal(value[i:j], parts[g].draws.value)
        own = [Draw(x.weight[i:j], x.events[i:j]) for x in draws]
        alone = components(own, ForecastPrices.at(value[i:j], rule))[0]
        np.testing.assert_allclose(found[:, g], alone, rtol=1e-9, atol=1e-14)


def test_more_draws_go_on_where_the_first_ended() -> None:
    at_once, step_by_step = (
        Null(Stack(parts_of()), [Brier()], np.random.default_rng(1)) for _ in range(2)
    )
    step_by_step.score(7)
    for found in (step_by_step, at_once):
        assert found.miscalibration(Brier(), 50).shape == (50, 5)
    np.testing.assert_array_equal(at_once.score(50), step_by_step.score(50))


def test_very_many_forecasts_are_counted_in_cells() -> None:
    p = np.sort(RNG.random(LONG + 1))
    part = DrawnGroup.of(properly.Cases(RNG.random(len(p)) < p, p))
    cells = part.in_cells()
    assert len(part.tally) > 2 * len(cells.tally)
    assert cells.tally.total == part.tally.total
    assert cells.tally.event_rate == part.tally.event_rate
    few = DrawnGroup.of(properly.Cases(Y, P))
    assert few.in_cells() is few


@pytest.mark.parametrize("known", [{}, {"weight": WEIGHT}], ids=["alike", "weighed"])
@pytest.mark.parametrize("rule", [Brier(), Log()], ids=repr)
def test_sums_of_groups_say_what_rows_do(rule: Any, known: dict[str, Any]) -> None:
    y, p = Y.copy(), P.copy()
    # One group is priced without end, one does not vary.
    y[np.flatnonzero(GROUP == 1)[0]], p[np.flatnonzero(GROUP == 1)[0]] = True, 0.0
    y[GROUP == 2], p[GROUP == 2] = False, 0.25
    cases = properly.Cases(y, p, groups=GROUP, **known)
    split = _split(_count(cases), Design.of(cases))
    drawing = as_drawing(0.9, 9, 1)
    found = _compare(cases, rule, None, split, drawing)
    rows = amounts_of(cases, rule, None)
    wanted = compare_rows(rows, measures_of(rule, None), split, as_drawing(0.9, 9, 1))
    for name, by_rows in wanted.items():
        for column, numbers in by_rows.columns().items():
            if not column.startswith(("adjusted", "simultaneous", "quantile")):
                got = found[name].columns()[column]
                np.testing.assert_allclose(got, numbers, rtol=1e-8, atol=1e-12, err_msg=column)
