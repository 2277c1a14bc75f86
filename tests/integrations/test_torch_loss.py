"""A rule as a loss of torch: its values, its gradients, and what can be trained with it."""

from __future__ import annotations

import copy
import math
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.integrations.test_torch_rules import RULES

from properly.rules import (
    RPS,
    BinaryRule,
    Bounded,
    Brier,
    ClassRule,
    Log,
    Propriety,
    Pseudospherical,
    QuadraticRPS,
    Ranked,
    RankedLog,
    Rule,
    Spherical,
)

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)
from properly.integrations.torch import RuleLoss  # noqa: E402
from properly.integrations.torch._loss import LogitPrice  # noqa: E402


class Absolute(ClassRule):
    """A rule of one's own, which tells no slope."""

    propriety = Propriety.IMPROPER
    name = "absolute"

    def classwise(self, p: Any) -> Any:
        return 2 * (1 - p)

    def range_for(self, classes: int) -> tuple[float, float]:  # noqa: ARG002
        return 0.0, 2.0

    def __repr__(self) -> str:
        return "Absolute()"


SMOOTH = [rule for rule in RULES if rule.differentiable]
CLASSES = [Brier(), Log(), Spherical(), RPS(), RankedLog(), Ranked(Brier()), Ranked(Log())]
OTHERS = [
    Brier(scale="half"),
    Pseudospherical(0.5),
    QuadraticRPS(),
    RPS([1, 0, 2]),
    RankedLog([1, 0, 2]),
    Ranked([Brier(), Log(), Bounded(Brier(), (0.1, 0.6))]),
    Absolute(),
]
smooth = pytest.mark.parametrize("rule", SMOOTH, ids=repr)
of_classes = pytest.mark.parametrize("rule", [*CLASSES, *OTHERS], ids=repr)
FAR = [-40.0, -12.0, -5.0, -2.3, -1.1, -0.3, 0.2, 0.7, 1.6, 3.3, 9.0, 40.0]
# Between the ends of the ranges of the rules, where there is one derivative.
BETWEEN = [0.012, 0.07, 0.13, 0.17, 0.23, 0.3, 0.4, 0.45, 0.55, 0.65, 0.8, 0.95]


def double(values: Any) -> Any:
    return torch.tensor(values, dtype=torch.float64)


def both_outcomes(values: list[float]) -> tuple[Any, Any]:
    """Return every value with and without the event."""
    return double(values * 2), torch.arange(2 * len(values)) < len(values)


def rows_of_logits() -> tuple[Any, Any]:
    """Return logits of four classes, some saturated, and what happened."""
    rng = torch.Generator().manual_seed(5)
    logits = 2 * torch.randn(8, 4, dtype=torch.float64, generator=rng)
    logits[0] = double([40.0, 0.0, -40.0, 1.0])
    logits[1] = double([-40.0, 0.0, 40.0, 1.0])
    return logits, torch.tensor([0, 0, 3, 1, 2, 2, 0, 3])


def loss_of(rule: Rule, **options: Any) -> Any:
    return RuleLoss(rule, from_logits=True, reduction="none", allow_improper=True, **options)


# Values


@smooth
def test_logits_and_probabilities_cost_what_the_rule_says(rule: BinaryRule) -> None:
    x, y = both_outcomes(FAR)
    expected = rule.logit_loss(y.numpy(), x.numpy())
    found = RuleLoss(rule, from_logits=True, allow_improper=True)(x, y)
    assert found.shape == ()
    assert float(found) == pytest.approx(expected.mean(), rel=1e-13)
    p, y = both_outcomes(BETWEEN)
    expected = rule(y.numpy(), p.numpy())
    assert float(RuleLoss(rule, allow_improper=True)(p, y)) == pytest.approx(expected, rel=1e-13)


@of_classes
def test_classes_cost_what_the_rule_says(rule: ClassRule) -> None:
    x, y = rows_of_logits()
    expected = rule.logit_loss(y.numpy(), x.numpy())
    np.testing.assert_allclose(loss_of(rule)(x, y), expected, rtol=1e-12, atol=1e-14)
    p = x[2:].softmax(1)
    found = RuleLoss(rule, allow_improper=True)(p, y[2:])
    assert float(found) == pytest.approx(rule(y[2:].numpy(), p.numpy()), rel=1e-12)


def test_the_log_loss_is_that_of_torch_and_keeps_the_digits_of_small_losses() -> None:
    own = torch.nn.functional.binary_cross_entropy_with_logits
    x, y = both_outcomes(FAR)
    found = loss_of(Log())(x, y)
    assert torch.allclose(found, own(x, y.double(), reduction="none"), rtol=1e-12, atol=1e-15)
    # A certain forecast that came true: torch rounds its loss to 0.
    tiny = loss_of(Log())(double([-50.0, 50.0]), torch.tensor([0, 1]))
    np.testing.assert_allclose(tiny, [math.exp(-50)] * 2, rtol=1e-14)


@pytest.mark.parametrize("rule", [Brier(), Log()], ids=repr)
@pytest.mark.parametrize("shape", [(), (6,), (3, 2), (3, 1, 2)])
def test_an_event_may_have_any_shape(rule: BinaryRule, shape: tuple[int, ...]) -> None:
    x = torch.linspace(-2, 3, math.prod(shape), dtype=torch.float64).reshape(shape)
    y = x > 0.3
    flat = loss_of(rule)(x.reshape(-1), y.reshape(-1))
    assert torch.equal(loss_of(rule)(x, y), flat.reshape(shape))


@pytest.mark.parametrize("from_logits", [True, False])
def test_classes_may_have_dimensions_behind_them(from_logits: bool) -> None:
    x = torch.randn(2, 4, 3, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    x = x if from_logits else x.softmax(1)
    y = torch.arange(30).reshape(2, 3, 5) % 4
    loss = RuleLoss(RPS(), from_logits=from_logits, reduction="none")
    found = loss(x, y)
    assert found.shape == (2, 3, 5)
    assert found[1, 2, 3] == loss(x[1, :, 2, 3][None], y[1, 2, 3][None])


@pytest.mark.parametrize("kind", [torch.bool, torch.uint8, torch.int64, torch.float16])
def test_truth_values_and_numbers_are_the_same_targets(kind: Any) -> None:
    x, y = both_outcomes(FAR)
    loss = RuleLoss(Log(), from_logits=True)
    assert loss(x, y.to(kind)) == loss(x, y.to(torch.float64))


@pytest.mark.parametrize("kind", [torch.uint8, torch.int32, torch.int64])
def test_class_numbers_may_be_of_any_whole_type(kind: Any) -> None:
    x, y = rows_of_logits()
    assert RuleLoss(RPS(), from_logits=True)(x, y.to(kind)) == RuleLoss(RPS(), from_logits=True)(
        x, y
    )


@pytest.mark.parametrize(("kind", "digits"), [(torch.float16, 2e-3), (torch.bfloat16, 2e-2)])
@pytest.mark.parametrize("rule", [Log(), Brier(), RPS()], ids=repr)
def test_half_precision_is_priced_in_single_precision(rule: Any, kind: Any, digits: float) -> None:
    x, y = rows_of_logits()
    x = x.to(kind)
    exact = RuleLoss(rule, from_logits=True)(x.double(), y)
    x.requires_grad_()
    found = RuleLoss(rule, from_logits=True)(x, y)
    assert found.dtype == torch.float32
    assert float(found.detach()) == pytest.approx(float(exact), rel=1e-6)
    found.backward()
    assert x.grad.dtype == kind
    p = x.detach().double().softmax(1).to(kind)
    assert float(RuleLoss(rule)(p[2:], y[2:])) == pytest.approx(
        float(RuleLoss(rule, from_logits=True)(x[2:], y[2:]).detach()), rel=digits
    )


def test_infinity_is_an_answer() -> None:
    assert RuleLoss(Log())(double([0.0, 0.5]), torch.tensor([1, 0])) == math.inf


# Weights and reductions


@pytest.mark.parametrize("kind", [torch.int64, torch.float16, torch.float64])
def test_the_mean_is_weighted(kind: Any) -> None:
    x, y = double([0.3, -1.0, 2.0]), torch.tensor([1, 0, 0])
    weight = torch.tensor([1, 0, 3])
    each = loss_of(Brier())(x, y)
    found = RuleLoss(Brier(), from_logits=True)(x, y, weight.to(kind))
    assert float(found) == pytest.approx(float((weight * each).sum() / 4))
    total = RuleLoss(Brier(), from_logits=True, reduction="sum")(x, y, weight.to(kind))
    assert float(total) == pytest.approx(float((weight * each).sum()))
    assert torch.allclose(loss_of(Brier())(x, y, weight.to(kind)), weight * each)
    masked = RuleLoss(Brier(), from_logits=True)(x, y, weight > 0)
    assert float(masked) == pytest.approx(float((each[0] + each[2]) / 2))


def test_heavy_weights_do_not_overflow() -> None:
    x, y = torch.tensor([0.3, -1.0]), torch.tensor([1, 0])
    expected = RuleLoss(Brier(), from_logits=True)(x, y)
    for weight in (double([1e39, 1e39]), torch.tensor([6e4, 6e4], dtype=torch.float16)):
        found = RuleLoss(Brier(), from_logits=True)(x, y, weight)
        assert float(found) == pytest.approx(float(expected), rel=1e-6)


def test_batches_are_counted_until_the_next_reset() -> None:
    loss, y = RuleLoss(Brier()), torch.tensor([1])
    for _ in range(2):
        loss(double([0.5]), y)
    with pytest.raises(ValueError, match="batch 2, row 0 is 2"):
        loss(double([2.0]), y)
    loss.reset()
    with pytest.raises(ValueError, match="batch 0, row 0 is 2"):
        loss(double([2.0]), y)


@pytest.mark.parametrize("from_logits", [True, False])
def test_rows_of_weight_0_do_not_count_whatever_they_hold(from_logits: bool) -> None:
    good = double([0.3, 0.6])
    unused = [math.nan, 7.0, -math.inf, 0.0]
    p = torch.cat([good, double(unused)]).requires_grad_()
    y = torch.tensor([1.0, 0.0, math.nan, -100.0, 0.5, 1.0])
    loss = RuleLoss(Log(), from_logits=from_logits)
    found = loss(p, y, torch.tensor([1, 1, 0, 0, 0, 0]))
    assert float(found.detach()) == pytest.approx(float(loss(good, y[:2])))
    found.backward()
    assert p.grad[:2].abs().min() > 0
    assert torch.equal(p.grad[2:], torch.zeros(4, dtype=torch.float64))


@pytest.mark.parametrize("from_logits", [True, False])
def test_rows_of_classes_of_weight_0_do_not_count(from_logits: bool) -> None:
    p = double([[0.2, 0.3, 0.5], [math.nan, 7.0, -1.0]]).requires_grad_()
    loss = RuleLoss(RankedLog(), from_logits=from_logits)
    found = loss(p, torch.tensor([1, -100]), torch.tensor([2.0, 0.0]))
    assert float(found.detach()) == pytest.approx(float(loss(p.detach()[:1], torch.tensor([1]))))
    found.backward()
    assert torch.equal(p.grad[1], torch.zeros(3, dtype=torch.float64))


# Gradients


@smooth
def test_the_gradient_of_logits_is_the_slope_and_can_be_differentiated(rule: BinaryRule) -> None:
    x, y = both_outcomes(FAR)
    x.requires_grad_()

    def price(x: Any) -> Any:
        return loss_of(rule)(x, y)

    assert torch.autograd.gradcheck(price, (x,), atol=1e-7)
    assert torch.autograd.gradgradcheck(price, (x,))
    price(x).sum().backward()
    expected = rule.logit_slope(y.numpy(), x.detach().numpy())
    np.testing.assert_allclose(x.grad, expected, rtol=1e-12, atol=0)


@smooth
def test_the_gradient_of_probabilities_is_the_derivative(rule: BinaryRule) -> None:
    p, y = both_outcomes(BETWEEN)
    loss = RuleLoss(rule, reduction="none", allow_improper=True)
    assert torch.autograd.gradcheck(lambda p: loss(p, y), (p.requires_grad_(),), atol=1e-6)


@of_classes
def test_the_gradient_of_classes_is_the_derivative(rule: ClassRule) -> None:
    x, y = rows_of_logits()
    x.requires_grad_()

    def price(x: Any) -> Any:
        return loss_of(rule)(x, y)

    assert torch.autograd.gradcheck(price, (x,), atol=1e-7)
    assert torch.autograd.gradgradcheck(price, (x,))
    through = RuleLoss(rule, reduction="none", allow_improper=True)
    inside = x.detach()[2:].requires_grad_()
    assert torch.autograd.gradcheck(lambda x: through(x.softmax(1), y[2:]), (inside,))


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@of_classes
def test_saturated_classes_have_a_finite_gradient(rule: ClassRule, kind: Any) -> None:
    x = torch.tensor([[700.0, 0.0, -700.0, 0.0], [-700.0, 0.0, 700.0, 0.0]], dtype=kind)
    x = x.repeat(4, 1).requires_grad_()
    found = loss_of(rule)(x, torch.arange(8) // 2)
    found.sum().backward()
    assert found.isfinite().all()
    assert x.grad.isfinite().all()


def test_functions_of_torch_differentiate_each_case() -> None:
    x, y = both_outcomes(FAR)
    expected = Brier().logit_slope(y.numpy(), x.numpy())
    slopes = torch.func.grad(RuleLoss(Brier(), from_logits=True, reduction="sum"))(x, y)
    np.testing.assert_allclose(slopes, expected, rtol=1e-12)

    def price(x: Any, y: Any) -> Any:
        return LogitPrice.apply(Brier(), y[None], x[None])[0]

    each = torch.func.vmap(torch.func.grad(price))
    np.testing.assert_allclose(each(x, y), expected, rtol=1e-12)


# Compilers, copies and training

# What the compiler says of itself and of the library that tells arrays apart is not about us.
COMPILER = [
    "ignore:Dynamo detected a call to a:UserWarning",
    "ignore:The .grad attribute of a Tensor that is not a leaf:UserWarning",
    "ignore:.*should not be instantiated:DeprecationWarning",
]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.filterwarnings(*COMPILER)
def test_a_compiled_loss_is_the_same_and_still_refuses(
    whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Traced, and run as it is: to make machine code takes many seconds.
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="aot_eager"))
    x, y = both_outcomes(FAR)
    plain = RuleLoss(Brier(), from_logits=True)
    compiled = torch.compile(plain) if whole else RuleLoss(Brier(), from_logits=True, compile=True)
    found = []
    for loss in (plain, compiled):
        logit = x.clone().requires_grad_()
        value = loss(logit, y, torch.ones(24))
        value.backward()
        found.append((value.detach(), logit.grad))
    torch.testing.assert_close(*found)
    if not whole:
        with pytest.raises(ValueError, match="batch 1, row 0 is nan"):
            compiled(double([math.nan]), torch.tensor([1]))
        assert pickle.loads(pickle.dumps(compiled)).compiled  # noqa: S301


def test_a_loss_is_copied_stored_and_shown() -> None:
    loss = RuleLoss(Bounded(Log(), (0.1, 0.9)), from_logits=True, reduction="sum")
    x, y = both_outcomes(FAR)
    for other in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss))):  # noqa: S301
        assert other(x, y) == loss(x, y)
    assert dict(loss.state_dict()) == {}
    assert repr(RuleLoss(Brier())) == "RuleLoss(Brier(), from_logits=False, reduction='mean')"
