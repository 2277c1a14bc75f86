"""Rules of classes on tensors: the numbers of arrays, and gradients that can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import array_api_strict
import numpy as np
import pandas as pd
import pytest
from tests.laws.class_subjects import SUBJECTS

import properly
from properly.rules import PBS, PLL, RPS, Brier, ClassRule, Log, Pseudospherical, Ranked, RankedLog

if TYPE_CHECKING:
    from numpy.typing import NDArray


torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)

TOLERANCE = 1e-12  # both libraries round the same few operations, in another order
RULES = [s.rule for s in SUBJECTS if 4 in s.classes]
# Of a negative power, the slope of a right and certain forecast is infinite.
SMOOTH = [rule for rule in RULES if rule.differentiable and rule != Pseudospherical()]
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
every_smooth_rule = pytest.mark.parametrize("rule", SMOOTH, ids=lambda rule: rule.name)


def sample(count: int = 60) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Return outcomes, forecasts with ties, certain and impossible classes, and whole weights."""
    rng = np.random.default_rng(7)
    smooth = rng.dirichlet(np.ones(4), count)
    coarse = rng.multinomial(4, np.full(4, 0.25), count) / 4
    p = np.concatenate([smooth, coarse, np.eye(4)])
    y = np.array([rng.choice(4, p=row) for row in p])  # no loss is infinite
    return y, p, rng.integers(0, 4, len(p))


def as_numpy(tensor: Any) -> NDArray[Any]:
    return np.asarray(tensor.detach().to(torch.float64))


def tensors(*arrays: NDArray[Any]) -> list[Any]:
    return [torch.from_numpy(x) for x in arrays]


# The same numbers


@every_rule
def test_double_precision_gives_the_numbers_of_numpy(rule: ClassRule) -> None:
    y, p, weight = sample()
    outcome, table, size = tensors(y, p, weight)
    close: dict[str, Any] = {"rtol": TOLERANCE, "atol": TOLERANCE}
    for found, wanted in (
        (rule.loss(outcome, table), rule.loss(y, p)),
        (rule.entropy(table), rule.entropy(p)),
        (rule.classwise(table), rule.classwise(p)),
        (rule.price(outcome, table), rule.price(y, p)),
        (rule.expected_loss(table, table), rule.expected_loss(p, p)),
        (rule(outcome, table), rule(y, p)),
        (rule(outcome, table, size), rule(y, p, weight)),
        (rule(outcome, table, size.double() / 7), rule(y, p, weight / 7)),
    ):
        assert isinstance(found, torch.Tensor)
        assert found.dtype == torch.float64
        np.testing.assert_allclose(as_numpy(found), wanted, **close)


def test_truth_and_report_may_be_vectors_and_of_several_libraries() -> None:
    _, p, _ = sample()
    table = torch.from_numpy(p)
    for rule in (Brier(), RPS(), PBS()):
        wanted = rule.expected_loss(p[0], p)
        for truth in (table[0], table[:1], p[0], p[0].tolist(), [p[0].tolist()]):
            found = rule.expected_loss(truth, table)
            assert isinstance(found, torch.Tensor)
            np.testing.assert_allclose(as_numpy(found), wanted, rtol=TOLERANCE)
        both = rule.expected_loss(table[0], table[1])
        assert float(both) == pytest.approx(rule.expected_loss(p[0], p[1]), rel=TOLERANCE)


@pytest.mark.parametrize(
    ("dtype", "close"), [("float32", 1e-5), ("bfloat16", 0.06), ("float16", 0.01)]
)
@every_rule
def test_other_precisions_stay_in_their_type(rule: ClassRule, dtype: str, close: float) -> None:
    kind = getattr(torch, dtype)
    # Eighths are exact in every type; sums of them too.
    rng = np.random.default_rng(3)
    p = rng.multinomial(8, np.full(4, 0.25), 40) / 8
    y = np.array([rng.choice(4, p=row) for row in p])
    table = torch.from_numpy(p).to(kind)
    weight = torch.from_numpy(rng.integers(1, 4, 40))
    found = [
        rule.loss(y, table),
        rule.entropy(table),
        rule.classwise(table),
        rule(y, table),
        rule(y, table, weight),
        rule(y, table, weight.to(kind)),
    ]
    assert {x.dtype for x in found} == {kind}
    wanted = rule.loss(y, p)
    np.testing.assert_allclose(as_numpy(found[0]), wanted, rtol=close, atol=close)
    np.testing.assert_allclose(as_numpy(found[3]), rule(y, p), rtol=close, atol=close)
    expected = rule(y, p, weight.numpy())
    np.testing.assert_allclose(as_numpy(found[4]), expected, rtol=close, atol=close)


def test_outcomes_may_be_of_another_library() -> None:
    y, p, weight = sample()
    table, wanted = torch.from_numpy(p), RPS().loss(y, p)
    for outcome in (
        y,
        y.tolist(),
        y.astype(np.uint8),
        y.astype(np.float32),
        pd.Series(y),
        pd.Series(y, dtype="category"),
        array_api_strict.asarray(y),
        torch.from_numpy(y).to(torch.uint8),
        torch.from_numpy(y).to(torch.int32),
        torch.from_numpy(y).to(torch.float32),
        torch.nn.functional.one_hot(torch.from_numpy(y), 4),
        torch.nn.functional.one_hot(torch.from_numpy(y), 4).bool(),
        np.eye(4)[y],
    ):
        found = RPS().loss(outcome, table)
        assert isinstance(found, torch.Tensor)
        np.testing.assert_allclose(as_numpy(found), wanted, rtol=TOLERANCE, atol=TOLERANCE)
    text = [f"grade {k}" for k in y]
    labels = [f"grade {k}" for k in range(4)]
    np.testing.assert_allclose(as_numpy(RPS().loss(text, table, labels=labels)), wanted, atol=1e-12)
    for size in (weight, weight.tolist(), pd.Series(weight), array_api_strict.asarray(weight)):
        mean = RPS()(text, table, size, labels=labels)
        np.testing.assert_allclose(as_numpy(mean), RPS()(y, p, weight), rtol=TOLERANCE)
    # And a tensor of outcomes beside an array of forecasts.
    assert type(RPS().loss(torch.from_numpy(y), p)) is np.ndarray


def test_cases_and_evaluations_take_tensors() -> None:
    y, p, weight = sample()
    c = properly.Cases(torch.from_numpy(y), torch.from_numpy(p).requires_grad_(), weight=weight)
    assert isinstance(c.p, torch.Tensor)
    assert not c.p.requires_grad
    ours = properly.evaluate(y, {"m": torch.from_numpy(p)}, task="ordinal", weight=weight)
    numpys = properly.evaluate(y, {"m": p}, task="ordinal", weight=weight)
    for rule, found in ours.totals["m"].items():
        for name in ("score", "skill", "miscalibration", "discrimination", "uncertainty"):
            known = getattr(numpys.totals["m"][rule], name)
            np.testing.assert_allclose(getattr(found, name), known, rtol=1e-12, atol=1e-12)
    for smooth in SMOOTH:
        skill = properly.skill(y, torch.from_numpy(p).requires_grad_(), smooth, weight=weight)
        assert type(skill) is float
        assert skill == pytest.approx(properly.skill(y, p, smooth, weight=weight), rel=1e-12)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.5, 0.25], [0.5, 0.5]], "row 0 sums to 0.75"),
        ([[0.5, 0.5], [1.5, -0.5]], "row 1, column 1 is -0.5"),
        ([[0.5, 0.5], [float("nan"), 0.5]], "row 1, column 0 is nan"),
    ],
)
def test_what_are_no_class_probabilities_is_refused_with_or_without_a_graph(
    rows: Any, message: str
) -> None:
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        for graph in (False, True):
            p = torch.tensor(rows, dtype=dtype, requires_grad=graph)
            with pytest.raises(properly.errors.DataError) as caught:
                Brier()([0, 1], p)
            assert message in str(caught.value)


# Gradients


def gradient(rule: ClassRule, y: int, row: list[float], dtype: Any) -> tuple[float, Any]:
    """Return the loss of one forecast, and the slopes of its probabilities."""
    p = torch.tensor([row], dtype=dtype, requires_grad=True)
    loss = rule.loss([y], p)
    if loss.requires_grad:
        loss.sum().backward()
    found = torch.zeros_like(p) if p.grad is None else p.grad
    return float(loss.detach()[0]), as_numpy(found)[0]


CERTAIN = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
    [0.5, 0.5, 0.0, 0.0],
    [0.0, 0.0, 0.5, 0.5],
    [0.5, 0.0, 0.0, 0.5],
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@every_rule
def test_no_gradient_is_nan_where_the_loss_is_finite(rule: ClassRule, dtype: str) -> None:
    finite = 0
    for row in CERTAIN:
        for y in range(4):
            loss, slope = gradient(rule, y, row, getattr(torch, dtype))
            if np.isfinite(loss):
                finite += 1
                assert np.isfinite(slope).all(), (y, row, slope)
    assert finite >= len(CERTAIN)


@every_rule
def test_no_gradient_of_the_entropy_is_nan(rule: ClassRule) -> None:
    for row in CERTAIN:
        p = torch.tensor([row], dtype=torch.float64, requires_grad=True)
        entropy = rule.entropy(p)
        if entropy.requires_grad:
            entropy.sum().backward()
            assert not np.isnan(as_numpy(p.grad)).any(), (row, p.grad)


@every_smooth_rule
def test_the_gradient_at_the_edge_points_to_where_the_loss_goes(rule: ClassRule) -> None:
    """From a forecast with impossible classes towards every certain one, which is allowed."""
    step = 1e-7
    for row in CERTAIN:
        for y in range(4):
            loss, slope = gradient(rule, y, row, torch.float64)
            for corner in np.eye(4) if np.isfinite(loss) else ():
                away = corner - row
                change = (rule.loss([y], [row + step * away])[0] - loss) / step
                if abs(change) < 1e3:  # else the slope is infinite
                    assert slope @ away == pytest.approx(change, abs=1e-5), (y, row, corner)


def test_rows_of_weight_0_have_no_gradient_however_wrong() -> None:
    p = torch.tensor([[0.0, 1.0], [0.5, 0.5]], dtype=torch.float64, requires_grad=True)
    for rule in (Log(), RankedLog(), PLL(), Ranked(Log())):
        p.grad = None
        rule([0, 1], p, weight=[0, 2]).backward()
        assert torch.isfinite(p.grad).all()
        assert p.grad[0].tolist() == [0, 0]
