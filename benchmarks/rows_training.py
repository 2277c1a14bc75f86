"""Rows about the training loop: losses and metrics in torch, objectives of boosters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from benchmarks.harness import Row

if TYPE_CHECKING:
    from collections.abc import Callable

MILLION = 1_000_000
TABLE = 200_000
FEATURES = 20
ROUNDS = 50
THREADS = 2


class Tensors(NamedTuple):
    """Log-odds, probabilities and outcomes in single precision, as a training loop has them.

    A loss and a metric are made once in such a loop, so they are here as well.
    """

    logit: Any
    p: Any
    y: Any
    loss: Any
    metric: Any


class Table(NamedTuple):
    """Features and outcomes."""

    x: np.ndarray[Any, Any]
    y: np.ndarray[Any, Any]


def make_tensors(cases: int) -> Tensors:
    """Draw log-odds, and outcomes with their probability."""
    import torch

    from properly.integrations.torch import RuleLoss, TallyMetric
    from properly.rules import Brier, Log

    rng = torch.Generator().manual_seed(1)
    logit = 2 * torch.randn(cases, generator=rng)
    y = (torch.rand(cases, generator=rng) < logit.sigmoid()).float()
    return Tensors(
        logit, logit.sigmoid(), y, RuleLoss(Log(), from_logits=True), TallyMetric(Brier())
    )


def make_table(cases: int) -> Table:
    """Draw features of which a few tell something."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(cases, FEATURES)).astype(np.float32)
    chance = 1 / (1 + np.exp(-(x[:, 0] + x[:, 1] * x[:, 2] - 1)))
    return Table(x, (rng.random(cases) < chance).astype(np.float32))


def trained(loss: Callable[[Any, Any], Any], data: Tensors) -> float:
    """Price log-odds and differentiate the price."""
    logit = data.logit.detach().requires_grad_()
    loss(logit, data.y).backward()
    return float(logit.grad.abs().sum())


def rule_loss(data: Tensors) -> float:
    """Price and differentiate with ours, checks included."""
    return trained(data.loss, data)


def cross_entropy(data: Tensors) -> float:
    """Price and differentiate with torch's own."""
    from torch.nn.functional import binary_cross_entropy_with_logits

    return trained(binary_cross_entropy_with_logits, data)


def metric(data: Tensors) -> float:
    """Add up a batch: the loss, and the counts of all cells."""
    data.metric.reset()
    data.metric.update(data.p, data.y)
    return float(data.metric.compute())


def by_hand(data: Tensors) -> float:
    """Write the Brier score as one does."""
    return float(((data.p - data.y) ** 2).mean())


def xgboost(data: Table, *, ours: bool) -> float:
    """Train boosted trees with our objective, or with the library's own."""
    import xgboost as xgb

    from properly.integrations.xgboost import objective
    from properly.rules import Log

    settings: dict[str, Any] = {
        "nthread": THREADS,
        "max_depth": 6,
        "base_score": 0.5,
        "verbosity": 0,
    }
    if not ours:
        settings["objective"] = "binary:logistic"
    found = xgb.train(
        settings,
        xgb.DMatrix(data.x, data.y),
        num_boost_round=ROUNDS,
        obj=objective(Log()) if ours else None,
    )
    return float(found.num_boosted_rounds())


def lightgbm(data: Table, *, ours: bool) -> float:
    """Train boosted trees with our objective, or with the library's own."""
    import lightgbm as lgb

    from properly.integrations.lightgbm import objective
    from properly.rules import Log

    settings: dict[str, Any] = {
        "num_threads": THREADS,
        "verbosity": -1,
        "boost_from_average": False,
    }
    settings["objective"] = objective(Log()) if ours else "binary"
    found = lgb.train(settings, lgb.Dataset(data.x, data.y), num_boost_round=ROUNDS)
    return float(found.num_trees())


ROWS: tuple[Row[Any], ...] = (
    Row(
        "`RuleLoss(Log(), from_logits=True)`, forward and backward",
        "`binary_cross_entropy_with_logits`",
        make_tensors,
        rule_loss,
        cross_entropy,
        target="<= 1.3",
        cases=MILLION,
        needs=("torch",),
        tolerance=1e-6,
    ),
    Row(
        "`TallyMetric(Brier()).update`",
        "a Brier score by hand in torch",
        make_tensors,
        metric,
        by_hand,
        target="<= 8",
        cases=MILLION,
        needs=("torch",),
        tolerance=1e-6,
    ),
    Row(
        f"`xgboost.objective(Log())`, {ROUNDS} rounds",
        "`binary:logistic`",
        make_table,
        lambda data: xgboost(data, ours=True),
        lambda data: xgboost(data, ours=False),
        target="<= 1.2",
        cases=TABLE,
        needs=("xgboost",),
    ),
    Row(
        f"`lightgbm.objective(Log())`, {ROUNDS} rounds",
        "`objective=binary`",
        make_table,
        lambda data: lightgbm(data, ours=True),
        lambda data: lightgbm(data, ours=False),
        target="<= 1.2",
        cases=TABLE,
        needs=("lightgbm",),
    ),
)
