"""Training with the score one is judged by: what needs neither the survey nor a framework."""

from __future__ import annotations

import numpy as np
import pytest
from reproductions.epochs.bounded_training import curvature, losses

from properly.rules import Log

# What is left out.


# What is trained with.


def test_losses_are_equally_curved_where_trees_start() -> None:
    found = losses(0.048)
    assert list(found) == [
        *("log", "bounded Brier", "bounded Brier + log"),
        *("bounded log", "bounded log + log"),
    ]
    curved = {name: curvature(rule, 0.048) for name, rule in found.items()}
    start = 0.048 * 0.952
    expected = [start, start, 1.1 * start, start, 1.1 * start]
    assert list(curved.values()) == pytest.approx(expected)
    # Outside the range only the log score has a slope.
    assert curvature(found["bounded log"], 0.2) == 0
    assert curvature(found["bounded log + log"], 0.2) == pytest.approx(0.016)


def test_the_bounded_log_score_is_the_log_score_inside_the_range() -> None:
    inside, p = losses(0.048)["bounded log"], np.array([0.02, 0.05, 0.09])
    y = np.array([True, False, True])
    assert inside.slope(y, p) == pytest.approx(Log().slope(y, p))


# What is printed.
