"""A tensor gives what an array gives, and torch differentiates the loss as the slope says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.laws.subjects import SUBJECTS, segments

from properly.rules import BinaryRule, Elementary, Log

if TYPE_CHECKING:
    from numpy.typing import NDArray


torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)

TOLERANCE = 1e-12  # both libraries round the same few operations, in another order
# In single precision nothing is left of a range as narrow as some, and 0.7 is less than it was.
WIDE = [s.rule for s in SUBJECTS if all(b - a > 1e-4 for a, b in segments(s))]
RULES = [rule for rule in WIDE if rule != Elementary(0.7)]
every_rule = pytest.mark.parametrize("rule", RULES, ids=repr)
both_types = pytest.mark.parametrize("dtype", ["float64", "float32"])


def sample(dtype: str = "float64") -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64]]:
    """Return outcomes, forecasts with ties, exact 0 and 1, and whole weights."""
    rng = np.random.default_rng(7)
    p = np.concatenate([rng.random(150), np.round(rng.random(150), 1), [0.0, 1.0, 0.5]])
    y = (rng.random(len(p)) < p).astype(np.int64)
    return y, p.astype(dtype), rng.integers(0, 4, size=len(p))


def as_numpy(tensor: Any) -> NDArray[Any]:
    return np.asarray(tensor.detach() if isinstance(tensor, torch.Tensor) else tensor)


def tolerance(dtype: str) -> dict[str, Any]:
    """Return a tolerance for losses, which a tensor computes in its own type.

    In single precision 1 - p, p - a and the like keep about four digits less than p has.
    """
    if dtype == "float64":
        return {"rtol": TOLERANCE, "atol": TOLERANCE}
    return {"rtol": 1e-5, "atol": 1e-6}


@both_types
@every_rule
def test_losses_agree(rule: BinaryRule, dtype: str) -> None:
    y, p, _ = sample(dtype)
    got = rule.loss(torch.from_numpy(y), torch.from_numpy(p))
    assert isinstance(got, torch.Tensor)
    assert got.dtype == getattr(torch, dtype)
    np.testing.assert_allclose(as_numpy(got), rule.loss(y, p), **tolerance(dtype))


@both_types
@every_rule
def test_scores_agree_and_are_tensors_of_no_dimension(rule: BinaryRule, dtype: str) -> None:
    y, p, weight = sample(dtype)
    tensors = torch.from_numpy(y), torch.from_numpy(p)
    got = rule(*tensors)
    assert isinstance(got, torch.Tensor)
    assert got.ndim == 0
    np.testing.assert_allclose(as_numpy(got), rule(y, p), **tolerance(dtype))
    weighted = rule(*tensors, weight=torch.from_numpy(weight))
    np.testing.assert_allclose(as_numpy(weighted), rule(y, p, weight=weight), **tolerance(dtype))


@every_rule
def test_slopes_and_entropy_agree(rule: BinaryRule) -> None:
    y, p, _ = sample()
    tensors = torch.from_numpy(y), torch.from_numpy(p)
    close: dict[str, Any] = {"rtol": TOLERANCE, "atol": TOLERANCE}
    np.testing.assert_allclose(as_numpy(rule.slope(*tensors)), rule.slope(y, p), **close)
    np.testing.assert_allclose(as_numpy(rule.entropy(tensors[1])), rule.entropy(p), **close)
    z = np.linspace(-800, 800, len(y))
    got = rule.logit_slope(tensors[0], torch.from_numpy(z))
    np.testing.assert_allclose(as_numpy(got), rule.logit_slope(y, z), **close)


@every_rule
def test_the_gradient_of_the_loss_is_the_slope(rule: BinaryRule) -> None:
    # Between the atoms and the ends of the ranges above, where there is one derivative.
    points = np.array([0.01, 0.07, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.8, 0.95])
    y, p = np.repeat([0, 1], len(points)), np.tile(points, 2)
    forecast = torch.from_numpy(p).requires_grad_()
    loss = rule.loss(torch.from_numpy(y), forecast).sum()
    if not loss.requires_grad:  # a rule of atoms alone is flat between them
        np.testing.assert_array_equal(rule.slope(y, p), 0)
        return
    loss.backward()
    np.testing.assert_allclose(
        as_numpy(forecast.grad), rule.slope(y, p), rtol=TOLERANCE, atol=TOLERANCE
    )


@both_types
@every_rule
def test_the_gradient_at_a_right_certain_forecast_is_not_nan(rule: BinaryRule, dtype: str) -> None:
    forecast = torch.tensor([0.0, 1.0], dtype=getattr(torch, dtype), requires_grad=True)
    loss = rule.loss(torch.tensor([0, 1]), forecast).sum()
    assert float(loss.detach()) == 0
    if loss.requires_grad:
        loss.backward()
        assert np.isfinite(as_numpy(forecast.grad)).all()


def test_the_gradient_of_the_log_loss_at_a_right_certain_forecast_is_the_slope() -> None:
    y, p = np.array([0, 1]), np.array([0.0, 1.0])
    forecast = torch.from_numpy(p).requires_grad_()
    Log().loss(torch.from_numpy(y), forecast).sum().backward()
    np.testing.assert_array_equal(as_numpy(forecast.grad), Log().slope(y, p))
