"""What is particular to tensors: precision, gradients and odd types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import properly
from properly.rules import Bounded, Brier, Log

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)


def test_weights_do_not_overflow_half_precision() -> None:
    p = torch.linspace(0, 1, 100_000).half()
    y = p > 0.3
    plain, weighted = Brier()(y, p), Brier()(y, p, torch.ones(100_000))
    assert weighted.dtype == torch.float16
    assert float(weighted) == pytest.approx(float(plain), rel=2e-3)  # half has eleven bits


def test_heavy_weights_do_not_overflow_single_precision() -> None:
    y, p = torch.tensor([0, 1]), torch.tensor([0.5, 0.75])
    weight = torch.tensor([1e30, 1e30], dtype=torch.float64)
    assert float(Brier()(y, p, weight)) == pytest.approx((0.25 + 0.0625) / 2, rel=1e-6)


@pytest.mark.parametrize("within", [(0.0, 1.0), (0.25, 0.75)])
def test_the_ends_of_a_range_belong_to_it_for_gradients_too(within: Any) -> None:
    rule = Bounded(Brier(), within)
    p = torch.tensor([*within, *within], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([True, True, False, False])
    rule.loss(y, p).sum().backward()
    np.testing.assert_allclose(p.grad.numpy(), rule.slope(y, p.detach()).numpy(), rtol=1e-12)


def test_a_tally_forgets_the_graph_of_its_forecasts() -> None:
    p = torch.tensor([0.2, 0.7], requires_grad=True)
    for weight in (None, torch.tensor([1.5, 0.5], requires_grad=True)):
        t = properly.tally([0, 1], p, weight=weight)
        assert not t.value.requires_grad
        assert not t.weight.requires_grad
        assert properly.decompose(t, Log()).score > 0


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64", "int8", "bool"])
def test_outcomes_and_weights_of_every_whole_type_are_taken(dtype: str) -> None:
    y = torch.tensor([0, 1, 1]).to(getattr(torch, dtype))
    t = properly.tally(y, torch.tensor([0.2, 0.2, 0.7]), weight=y)
    assert t.weight.tolist() == [1, 1]


def test_half_precision_is_counted_exactly() -> None:
    for dtype in (torch.float16, torch.bfloat16):
        p = torch.linspace(0, 1, 500).to(dtype)
        for weight in (None, torch.full((500,), 0.5)):
            t = properly.tally(p > 0.4, p, weight=weight)
            assert t.value.tolist() == sorted(set(p.tolist()))


def test_complex_tensors_are_refused() -> None:
    with pytest.raises(properly.errors.DataError, match=r"got an array of torch\.complex64"):
        Brier()([0], torch.tensor([1j]))
