"""Bands, curves, intervals and the calibration test of tensors are those of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from reproductions.reliability.simulation import corp

import properly
from properly import Cases, Tally
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)

DATA = corp(300, values=50, curve=np.sqrt, rng=1)
WEIGHT = np.random.default_rng(2).exponential(size=300)
CLUSTERS = np.arange(300) // 5

QUESTIONS: dict[str, Callable[[Tally | Cases], Any]] = {
    "consistency": lambda x: properly.reliability(x, band="consistency", replicates=50, rng=1),
    "confidence": lambda x: properly.reliability(x, band="confidence"),
    "simultaneous": lambda x: properly.reliability(x, band="simultaneous"),
    "continuous": lambda x: properly.reliability(x, band="consistency", method="continuous"),
    "intervals": lambda x: properly.decompose(x, Log(), interval=True, replicates=50, rng=1),
    "test": lambda x: properly.calibration_test(x, Brier(), replicates=50, rng=1),
    "classical": properly.calibration.murphy_decomposition,
    "murphy": lambda x: properly.murphy_curve(x, band="confidence"),
    "miscalibration": lambda x: properly.murphy_curve(
        x, part="miscalibration", band="confidence", replicates=50, rng=1
    ),
    "roc": lambda x: properly.roc_curve(x, band="confidence"),
    "hull": lambda x: properly.roc_curve(x, hull=True),
    "means": lambda x: properly.means(x, interval=True, replicates=50, rng=1),
    "kernel": lambda x: properly.means(x, source="kernel", precision=0.01),
    "table": lambda x: properly.probability.source_table(x, precision=0.01),
    "profile": lambda x: properly.probability.risk_profile(x, [-1, 0, 1]),
    "proper": properly.probability.proper_means,
    "predicted": properly.decisions.predicted_roc_curve,
    "binned": lambda x: properly.calibration.binned_reliability(x, scheme="count"),
}


def numbers(told: Any) -> Iterator[float]:
    """Walk through all numbers of a record."""
    if isinstance(told, dict | list):
        for x in told.values() if isinstance(told, dict) else told:
            yield from numbers(x)
    elif isinstance(told, int | float):
        yield float(told)


def assert_the_same(one: Any, other: Any) -> None:
    """Compare but for the last digits: sums are taken in another order."""
    found, expected = (list(numbers(x.to_dict())) for x in (one, other))
    assert len(found) > 2
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_a_tally_of_tensors_answers_as_one_of_arrays(ask: Callable[[Tally], Any]) -> None:
    arrays = properly.tally(DATA.y, DATA.p)
    tensors = properly.tally(torch.tensor(DATA.y), torch.tensor(DATA.p))
    assert isinstance(tensors.value, torch.Tensor)
    assert_the_same(ask(tensors), ask(arrays))


WITH_ROWS = ["consistency", "confidence", "murphy", "roc", "intervals"]


@pytest.mark.parametrize("name", WITH_ROWS)
def test_cases_of_tensors_answer_as_those_of_arrays(name: str) -> None:
    told: dict[str, Any] = {"weight": WEIGHT, "clusters": CLUSTERS}
    arrays = Cases(DATA.y, DATA.p, **told)
    tensors = Cases(
        torch.tensor(DATA.y),
        torch.tensor(DATA.p),
        **{key: torch.tensor(column) for key, column in told.items()},
    )
    assert_the_same(QUESTIONS[name](tensors), QUESTIONS[name](arrays))
