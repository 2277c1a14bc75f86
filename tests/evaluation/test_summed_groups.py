"""Groups of a summary: every number is that of the rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from properly import Cases, by_group
from properly.engines import Summary
from properly.evaluation._summed_scores import summed_groups
from properly.rules import Bounded, Brier, Log

RNG = np.random.default_rng(8)
ROWS = 900
P = RNG.beta(1, 3, ROWS)
Y = RNG.random(ROWS) < P
LABEL = np.array(["b", "a", "c", "few"])[RNG.choice(4, ROWS, p=[0.5, 0.3, 0.19, 0.01])]


def summary_of(rule: Any, *, groups: Any, **known: Any) -> Summary:
    label = np.resize(np.asarray(groups), ROWS)
    columns = known.pop("y", Y), {"m": known.pop("p", P)}
    return Summary.of_rows([rule], *columns, groups=label, **known)


def found_of(summary: Summary, rule: Any, *, calibration: bool = False) -> Any:
    options: dict[str, Any] = {"level": 0.9, "replicates": 9, "rng": 3}
    return summed_groups(summary, "m", rule, calibration=calibration, **options)


def assert_same(found: Any, rows: Any, rtol: float = 1e-9) -> None:
    assert (found.labels, found.name, found.design) == (rows.labels, rows.name, rows.design)
    for what in ("cases", "events", "units", "enough"):
        assert getattr(found, what).tolist() == getattr(rows, what).tolist()
    for what in ("event_rate", "mean_forecast"):
        np.testing.assert_allclose(getattr(found, what), getattr(rows, what), rtol=1e-12)
    assert list(found.measures) == list(rows.measures)
    for measure, contrast in rows.measures.items():
        one, other = found.measures[measure].columns(), contrast.columns()
        for column, numbers in other.items():
            np.testing.assert_allclose(one[column], numbers, rtol=rtol, atol=1e-12, err_msg=column)
        np.testing.assert_allclose(
            found.measures[measure].homogeneity, contrast.homogeneity, rtol=rtol
        )
        assert found.measures[measure].overall == pytest.approx(contrast.overall, rel=1e-12)


@pytest.mark.parametrize("rule", [Brier(), Log(), Bounded(Brier(), (0.1, 0.4))], ids=repr)
def test_groups_are_compared_as_from_the_rows(rule: Any) -> None:
    rows = by_group(
        Cases(Y, P, groups=LABEL), rule, level=0.9, calibration=False, replicates=9, rng=3
    )
    assert_same(found_of(summary_of(rule, groups=LABEL), rule), rows)


def test_weights_of_distinct_forecasts_are_those_of_the_rows() -> None:
    weight = RNG.uniform(0.5, 3.0, ROWS)
    cases = Cases(Y, P, weight=weight, groups=LABEL)
    rows = by_group(cases, Brier(), level=0.9, calibration=False, replicates=9, rng=3)
    found = found_of(summary_of(Brier(), groups=LABEL, weight=weight), Brier(), calibration=True)
    assert found.calibration is None
    assert_same(found, rows)


def test_an_infinite_loss_is_that_of_its_group_alone() -> None:
    p = P.copy()
    p[np.flatnonzero(Y & (LABEL == "c"))[0]] = 0.0
    cases = Cases(Y, p, groups=LABEL)
    rows = by_group(cases, Log(), level=0.9, calibration=False, replicates=9, rng=3)
    found = found_of(summary_of(Log(), p=p, groups=LABEL), Log())
    assert found.score[2] == math.inf
    assert np.isfinite(found.measures["score"].rest[2])
    assert_same(found, rows)


def test_calibration_within_groups_is_drawn_alike() -> None:
    rows = by_group(Cases(Y, P, groups=LABEL), Brier(), level=0.9, replicates=9, rng=3)
    found = found_of(summary_of(Brier(), groups=LABEL), Brier(), calibration=True)
    for column, numbers in rows.calibration.columns().items():  # type: ignore[union-attr]
        np.testing.assert_allclose(found.calibration.columns()[column], numbers, rtol=1e-9)


def test_a_group_without_events_and_one_without_variation() -> None:
    y, p = Y & (LABEL != "c"), np.where(LABEL == "a", 0.25, P)
    cases = Cases(y, p, groups=LABEL)
    rows = by_group(cases, Brier(), level=0.9, calibration=False, replicates=9, rng=3)
    assert_same(found_of(summary_of(Brier(), y=y, p=p, groups=LABEL), Brier()), rows)


def test_cells_keep_scores_exact() -> None:
    rows = by_group(Cases(Y, P, groups=LABEL), Brier(), calibration=False, replicates=9, rng=3)
    found = found_of(summary_of(Brier(), groups=LABEL, cells=50), Brier())
    np.testing.assert_allclose(found.score, rows.score, rtol=1e-12)
    np.testing.assert_allclose(found.standard_error, rows.standard_error, rtol=1e-9)
    np.testing.assert_allclose(found.skill, rows.skill, rtol=1e-11)
