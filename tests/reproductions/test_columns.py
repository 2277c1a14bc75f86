"""The columns of Appendix F, in samples, against counting by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reproductions.decisions.assel import (
    MEANS,
    METRICS,
    auc_influence,
    estimates,
    exact,
    standard_errors,
    the_eight,
)
from reproductions.decisions.patients import assel
from scipy.stats import chi2

import properly

N, REPEATS = 500, 300


def draw(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(1, 4, n), 2)
    return (rng.random(n) < p).astype(int), p


def benefit(y: Any, p: Any, c: Any) -> Any:
    """Return what each case adds to the net benefit at a threshold."""
    return (p >= c) * np.where(y == 1, 1.0, -c / (1 - c))


def test_estimates_and_errors_are_those_of_cases_one_by_one() -> None:
    y, p = draw(200, 1)
    t = properly.tally(y, p)
    clipped, label = np.clip(p, 0.05, 0.2), np.clip(y, 0.05, 0.2)
    # Thresholds between two forecasts, all of them hundredths, are as good as their middle; there
    # the means of the odds are logarithms.
    edge = np.arange(5, 21) / 100
    odds = -np.diff(edge) - np.diff(np.log1p(-edge))
    acted = p[:, None] >= (edge[1:] + edge[:-1]) / 2
    over = acted * np.where(y[:, None] == 1, np.diff(edge), -odds)
    cases = [
        (y - p) ** 2,
        *(benefit(y, p, c) for c in (0.05, 0.1, 0.2)),
        ((y - clipped) ** 2 - (y - label) ** 2) / 0.15,
        over.sum(axis=1) / 0.15,
    ]
    found = list(zip(estimates(t), standard_errors(t), strict=True))
    assert len(found) == len(METRICS) == len(MEANS) + 1
    for (value, error), amount in zip(found[1:], cases, strict=True):
        assert value == pytest.approx(np.mean(amount), rel=1e-12)
        assert error == pytest.approx(np.std(amount, ddof=1) / np.sqrt(len(y)), rel=1e-12)


def test_the_error_of_the_area_is_that_of_delong() -> None:
    y, p = draw(80, 2)
    events, others = p[y == 1], p[y == 0]
    won = (events[:, None] > others) + (events[:, None] == others) / 2
    variance = won.mean(axis=1).var() / len(events) + won.mean(axis=0).var() / len(others)
    t = properly.tally(y, p)
    assert estimates(t)[0] == pytest.approx(won.mean(), rel=1e-14)
    assert standard_errors(t)[0] == pytest.approx(np.sqrt(variance * 80 / 79), rel=1e-12)


def test_influences_on_the_area_add_up_to_nothing() -> None:
    t = properly.tally(*draw(80, 3))
    event, none = auc_influence(t)
    assert event @ t.events + none @ (t.weight - t.events) == pytest.approx(0, abs=1e-11)


@pytest.mark.parametrize("process", ["paper", "original"])
def test_errors_are_as_large_as_they_say(process: str) -> None:
    """The squared distances to the exact numbers, in errors, follow chi squared, nearly."""
    rng = np.random.default_rng(4)
    truth, z = exact(the_eight(process)["Well calibrated"]), np.empty((REPEATS, len(METRICS)))
    for row in z:
        s = assel(N, process=process, rng=rng)
        t = properly.tally(s.y, s.forecasts["Well calibrated"])
        row[:] = (np.array(estimates(t)) - truth) / standard_errors(t)
    lower, upper = chi2.ppf([0.0005, 0.9995], REPEATS)
    summed = (z**2).sum(axis=0)
    assert (summed > lower).all()
    assert (summed < upper).all()
