"""The kernel for GPUs, run line by line by Triton's interpreter: it asks for no GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from properly.rules import RPS, Brier, RankedLog

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)
pytest.importorskip(
    "triton", reason="triton is not installed; `make test-integrations` installs it"
)

SCRIPT = """
import torch
from properly.integrations.torch._kernels import FusedRPS
from properly.rules import RPS

torch.manual_seed(0)
for rule, n, classes in ((RPS(), 7, 3), (RPS(normalized=False), 5, 40), (RPS([1, 0, 2]), 9, 4)):
    exact = 3 * torch.randn(n, classes, dtype=torch.float64)
    exact[0] *= 30
    y = torch.arange(n) % classes
    shares = torch.tensor(rule.shares(classes), dtype=torch.float32)
    logits = exact.float().requires_grad_()
    loss = FusedRPS.apply(y, logits, shares)
    (loss * torch.arange(1, n + 1)).sum().backward()
    slope = rule.price_logit_slope(y, exact) * torch.arange(1, n + 1)[:, None]
    torch.testing.assert_close(loss.double(), rule.price_logit(y, exact), rtol=2e-6, atol=2e-6)
    torch.testing.assert_close(logits.grad.double(), slope, rtol=2e-5, atol=2e-5)
wide = torch.randn(8, 6).T
assert not wide.is_contiguous()
found = FusedRPS.apply(torch.zeros(6, dtype=torch.int64), wide, torch.full((7,), 1 / 7))
torch.testing.assert_close(found, RPS().price_logit(torch.zeros(6, dtype=torch.int64), wide))
print("all the same")
"""


def test_the_kernel_prices_and_differentiates_as_the_rule_does() -> None:
    environment = os.environ | {"TRITON_INTERPRET": "1"}
    command = [sys.executable, "-W", "error", "-c", SCRIPT]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    assert found.returncode == 0, found.stderr
    assert found.stdout == "all the same\n"


def test_a_kernel_is_chosen_for_ranked_classes_on_a_gpu_only() -> None:
    from properly.integrations.torch._loss import fits_kernel

    def logits(**changes: object) -> SimpleNamespace:
        usual = {"is_cuda": True, "dtype": torch.float32, "shape": (5, 1000)}
        return SimpleNamespace(**(usual | changes))

    assert fits_kernel(RPS(), logits())
    assert fits_kernel(RPS([1, 2]), logits(dtype=torch.bfloat16))
    for other in (logits(is_cuda=False), logits(dtype=torch.float64), logits(shape=(5, 100_000))):
        assert not fits_kernel(RPS(), other)
    assert not fits_kernel(Brier(), logits())
    assert not fits_kernel(RankedLog(), logits())


@pytest.mark.parametrize(
    ("rule", "x", "y", "message"),
    [
        (Brier(), [[0.1, 0.2], [0.3, 0.4]], [0, 2], "targets must be class numbers from 0 to 1"),
        (Brier(), [0.1, 0.2], [0.0, 0.5], "targets of one event must be 0 or 1"),
        (RPS(), [[0.1, 0.2], [0.3, float("nan")]], [0, 1], "logits must not be NaN"),
    ],
)
def test_what_is_looked_at_while_a_gpu_prices_is_refused_all_the_same(
    rule: Any, x: Any, y: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from properly.errors import DataError
    from properly.integrations.torch import _loss

    monkeypatch.setattr(_loss, "is_on_gpu", lambda _: True)
    loss = _loss.RuleLoss(rule, from_logits=True)
    with pytest.raises(DataError, match=f"{message}; batch 0, row 1"):
        loss(torch.tensor(x), torch.tensor(y))
    logits, happened = torch.tensor(x).nan_to_num(), torch.tensor(y) > 0
    targets = happened if logits.ndim == 1 else happened.long()
    expected = rule.price_logit(targets, logits).mean()
    torch.testing.assert_close(loss(logits, targets), expected)
