"""Long tallies of tensors are reduced where they are, to the numbers that arrays give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests import long_tallies

import properly
from properly.counts._device import condense
from properly.counts._pooling import count, count_tensors
from properly.inference import _cells

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)


EVERY = pytest.mark.parametrize("kind", long_tallies.KINDS)
SINGLE_AND_DOUBLE = pytest.mark.parametrize("dtype", ["float32", "float64"])


@EVERY
@SINGLE_AND_DOUBLE
@pytest.mark.parametrize("piece", [7, 300, 10**6])
def test_counting_in_pieces_is_counting(kind: str, dtype: str, piece: int) -> None:
    y, p = long_tallies.sample(kind, dtype)
    got = count_tensors(torch.from_numpy(y), torch.from_numpy(p), piece)
    for column, expected in zip(got, count(y, p), strict=True):
        np.testing.assert_array_equal(column.numpy(), expected)
        assert column.numpy().dtype == expected.dtype


def both(kind: str, dtype: str) -> tuple[Any, Any]:
    y, p = long_tallies.sample(kind, dtype)
    tensors = properly.tally(torch.from_numpy(y), torch.from_numpy(p))
    return properly.tally(y, p), tensors


@EVERY
@SINGLE_AND_DOUBLE
def test_diagrams_and_curves_are_the_same(kind: str, dtype: str) -> None:
    long_tallies.assert_same_diagrams(*both(kind, dtype))
    long_tallies.assert_same_curves(*both(kind, dtype))


@EVERY
@SINGLE_AND_DOUBLE
def test_decision_curves_at_thresholds_need_only_what_lies_near_them(kind: str, dtype: str) -> None:
    long_tallies.assert_same_decisions(*both(kind, dtype))


def test_what_is_fetched_for_a_few_thresholds_is_short() -> None:
    _, t = both("distinct", "float64")
    found = condense(t, np.array([0.05, 0.1, 0.2]))
    assert len(t) == 5000
    assert len(found) < 20
    assert found.total == t.total
    assert found.event_rate == t.event_rate


def test_one_outcome_only_has_no_area() -> None:
    y, p = torch.zeros(4, dtype=torch.bool), torch.tensor([0.1, 0.2, 0.3, 0.4])
    assert np.isnan(properly.roc_curve(properly.tally(y, p)).area)


@pytest.mark.parametrize("kind", ["distinct", "grid", "certain"])
@pytest.mark.parametrize("given", ["weight", "count"])
def test_weighted_and_added_tallies_give_the_same_curves(kind: str, given: str) -> None:
    y, p = long_tallies.sample(kind, "float64")
    number = np.random.default_rng(1).integers(0, 4, len(p))
    found = []
    for library in (np.asarray, torch.from_numpy):
        one, other = (dict[str, Any]([(given, library(np.roll(number, k)))]) for k in (0, 1))
        t = properly.tally(library(y), library(p), **one)
        t += properly.tally(library(~y), library(np.round(p, 1)), **other)
        assert (t.event_squares is None) == (given == "count")
        curve, roc, regret = (
            properly.decision_curve(t, [0.0, 0.1, 0.5]),
            properly.roc_curve(t),
            properly.regret_curve(t),
        )
        found.append((curve.net_benefit, curve.right, roc.area, regret.left, regret.right))
    for expected, got in zip(*found, strict=True):
        np.testing.assert_array_equal(got, expected)


@SINGLE_AND_DOUBLE
@pytest.mark.parametrize("rows", [900, 10**6])
def test_fine_cells_are_made_in_pieces_and_hold_what_was_counted(
    monkeypatch: pytest.MonkeyPatch, dtype: str, rows: int
) -> None:
    monkeypatch.setattr(_cells, "FINE", (400, 20))
    monkeypatch.setattr(_cells, "ROWS", rows)
    expected, t = both("distinct", dtype)
    cells: Any = _cells.in_fine_cells(t)
    assert isinstance(cells.value, np.ndarray)
    assert len(cells) < 700
    assert (cells.total, cells.event_rate) == (t.total, t.event_rate)
    assert (np.diff(cells.value) > 0).all()
    for end in (slice(20), slice(-20, None)):
        np.testing.assert_array_equal(cells.value[end], expected.value[end])
    moment = expected.value.astype(float) @ expected.weight
    assert cells.weight @ cells.value == pytest.approx(moment, rel=1e-12)
    assert cells.weight[20:-20].max() < 60
    monkeypatch.setattr(_cells, "FINE", (len(t), 20))
    assert _cells.in_fine_cells(t) is t
