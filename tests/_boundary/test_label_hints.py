"""What hints about several labels and soft labels say to write runs, and gives the right score."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import properly
from properly.errors import DataError
from properly.rules import Brier

RNG = np.random.default_rng(3)
P = RNG.random((60, 3))
LABELS = (RNG.random((60, 3)) < P).astype(int)
SOFT = np.clip(P[:, 0] + RNG.normal(0, 0.1, 60), 0, 1)


def as_hinted(y: Any, p: Any) -> properly.Evaluation:
    """Run the line of the hint, without draws."""
    with pytest.raises(DataError) as refusal:
        properly.evaluate(y, p)
    line = re.findall(r"properly\.evaluate\(.*\)(?=\.$)", str(refusal.value))[0]
    names = {"properly": properly, "np": np, "y": y, "p": p}
    return eval(f"{line[:-1]}, replicates=0)", names)  # type: ignore[no-any-return]  # noqa: S307


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist])
def test_several_labels_are_stacked_with_cases_as_clusters(kind: Any) -> None:
    found = as_hinted(kind(LABELS), kind(P))
    assert found.rows == 180
    expected = np.mean((LABELS - P) ** 2)
    assert found.scores["forecast"]["brier"].value == pytest.approx(expected, rel=1e-12)
    assert "60 clusters" in str(found.scores["forecast"]["brier"])


@pytest.mark.parametrize("p", [P, P / P.sum(axis=1, keepdims=True)])
def test_several_labels_are_recognized_whatever_forecasts_sum_to(p: Any) -> None:
    for call in (Brier(), properly.evaluate, properly.Cases):
        with pytest.raises(DataError, match="where a case may have several labels or none"):
            call(LABELS, p)
    (problem,) = properly.check(LABELS, p).problems
    assert problem.where == "outcome"
    assert "np.ravel(y)" in problem.advice


def test_one_label_per_case_is_still_divided_by_the_sum_of_its_row() -> None:
    with pytest.raises(DataError, match="divide each row by its sum"):
        properly.evaluate(np.eye(3)[LABELS[:, 0]], P)
    (problem,) = properly.check(np.eye(3)[LABELS[:, 0]], P).problems
    assert "Divide each row by its sum" in problem.advice


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist])
def test_soft_labels_are_weights_of_both_outcomes(kind: Any) -> None:
    p = P[:, 1]
    found = as_hinted(kind(SOFT), kind(p))
    expected = np.mean(SOFT * (1 - p) ** 2 + (1 - SOFT) * p**2)
    assert found.scores["forecast"]["brier"].value == pytest.approx(expected, rel=1e-12)
