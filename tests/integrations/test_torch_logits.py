"""Prices of logits are differentiated by torch to the slopes that rules state themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.laws.class_subjects import SUBJECTS as CLASS_SUBJECTS
from tests.laws.subjects import SUBJECTS

from properly.rules import BinaryRule, Bounded, Brier, ClassRule, Log, MissedBenefit, Mixture
from properly.rules._distance import SquaredMeanError

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)

# At 0 a network begins; 17 and 104 saturate single precision, 40 and 800 double.
LOGITS = [-800.0, -104.0, -40.0, -17.0, -3.0, -1e-8, 0.0, 1e-8, 2.0, 17.0, 40.0, 104.0, 800.0]
UNBOUNDED = [
    Bounded(Log(), (0.0, 1.0), scale="integral"),
    Bounded(Log(), (0.5, 1.0), scale="integral"),
    Bounded(MissedBenefit(), (0.5, 1.0), scale="integral"),
    Mixture([(0.0, Log()), (1.0, Brier())]),
]
SMOOTH = [s.rule for s in SUBJECTS if s.rule.differentiable] + UNBOUNDED
TOLD = [
    s
    for s in CLASS_SUBJECTS
    if s.rule.differentiable and type(s.rule).class_slope is not ClassRule.class_slope
]


def gradient(price: Any, y: Any, x: Any) -> Any:
    x = x.clone().requires_grad_()
    return torch.autograd.grad(price(y, x).sum(), x)[0]


@pytest.mark.parametrize("rule", SMOOTH, ids=repr)
@pytest.mark.parametrize("y", [False, True])
def test_the_gradient_of_a_price_is_its_slope_at_zero_and_far_out(
    rule: BinaryRule, y: bool
) -> None:
    x = torch.tensor(LOGITS, dtype=torch.float64)
    happened = torch.full(x.shape, y)
    slope = rule.price_logit_slope(happened, x)
    np.testing.assert_allclose(gradient(rule.price_logit, happened, x), slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("rule", SMOOTH, ids=repr)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_no_precision_makes_nan_of_a_finite_price(rule: BinaryRule, dtype: str) -> None:
    x = torch.tensor(LOGITS).to(getattr(torch, dtype))
    for y in (False, True):
        happened = torch.full(x.shape, y)
        loss = rule.price_logit(happened, x)
        assert loss.dtype == x.dtype
        assert not loss.isnan().any()
        assert not rule.price_logit_slope(happened, x).isnan().any()
        assert not gradient(rule.price_logit, happened, x)[loss.isfinite()].isnan().any()


@pytest.mark.parametrize("subject", TOLD, ids=repr)
def test_impossible_classes_leave_the_gradient_of_others_alone(subject: Any) -> None:
    rule, classes = subject.rule, subject.classes[-1]
    rows = [[0.0] * classes for _ in range(2 * classes)]
    for k in range(classes):
        rows[k][k], rows[classes + k][k] = -np.inf, -900.0
    z = torch.tensor(rows, dtype=torch.float64)
    for k in range(classes):
        some = z[~z[:, k].isinf()]
        y = torch.full((len(some),), k)
        slope = rule.price_logit_slope(y, some)
        assert slope.isfinite().all()
        got = gradient(rule.price_logit, y, some)
        fine = rule.price_logit(y, some) < 1e100  # a power below 0 makes more of 900
        np.testing.assert_allclose(got[fine], slope[fine], rtol=1e-6, atol=1e-12)


def test_half_precision_holds_the_slope_of_many_classes() -> None:
    z, y = torch.zeros(1, 1000, dtype=torch.float16), torch.tensor([0])
    slope = SquaredMeanError().price_logit_slope(y, z)
    expected = SquaredMeanError().logit_slope([0], np.zeros((1, 1000)))
    np.testing.assert_allclose(slope, expected, atol=2e-6)
