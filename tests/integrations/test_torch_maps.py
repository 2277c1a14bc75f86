"""A tensor of forecasts is recalibrated where it is, and torch can differentiate a map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.recalibration_numbers import MAPS, class_cases, fitted, quiet

from properly.recalibration import (
    Beta,
    Cuts,
    Dirichlet,
    Identity,
    Intercept,
    Isotonic,
    Logistic,
    OneVsRest,
    PriorShift,
    Temperature,
    Vector,
)

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)

pytestmark = quiet

LINES: list[Any] = [
    Identity(),
    Intercept(intercept=-0.4),
    Temperature(slope=0.7),
    Logistic(intercept=0.3, slope=1.4),
    Beta(a=0.6, b=1.7, c=-0.2),
    PriorShift(0.3, 0.05),
]
P = np.array([[0.03, 0.2, 0.31], [0.52, 0.77, 0.961]])


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_tensor_comes_back_as_one(name: str, dtype: Any) -> None:
    fit = fitted("cases", name)
    p = torch.tensor(P, dtype=dtype)
    q = fit.at(p)
    assert isinstance(q, torch.Tensor)
    assert (q.dtype, q.shape, q.device) == (dtype, p.shape, p.device)
    # Computed in double precision, whatever comes in.
    wide = np.asarray(fit.at(p.to(torch.float64).numpy()))
    np.testing.assert_allclose(q.numpy(), wide.astype(q.numpy().dtype), rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", MAPS)
def test_a_tensor_with_certain_forecasts_is_that_of_an_array(name: str) -> None:
    fit = fitted("certain", name)
    p = np.array([0.0, 0.01, 0.3, 0.99, 1.0])
    np.testing.assert_allclose(fit.at(torch.tensor(p)).numpy(), fit.at(p), rtol=1e-12, atol=0)


@pytest.mark.parametrize("line", LINES, ids=repr)
def test_a_line_has_its_gradient(line: Any) -> None:
    p = torch.tensor(P, dtype=torch.float64, requires_grad=True)
    line.at(p).sum().backward()
    step = 1e-6
    slope = (np.asarray(line.at(P + step)) - np.asarray(line.at(P - step))) / (2 * step)
    np.testing.assert_allclose(p.grad.numpy(), slope, rtol=1e-6)


@pytest.mark.parametrize("line", LINES, ids=repr)
def test_gradients_of_certain_forecasts_are_no_nan_elsewhere(line: Any) -> None:
    p = torch.tensor([0.0, 0.3, 1.0], dtype=torch.float64, requires_grad=True)
    line.at(p)[1].backward()
    assert torch.isfinite(p.grad).all()
    assert p.grad[1] > 0


def test_an_isotonic_map_has_the_slope_between_its_knots() -> None:
    fit: Any = fitted("cases", "isotonic")
    x, y = (np.asarray(side) for side in fit.knots)
    middle = (x[1:] + x[:-1]) / 2
    p = torch.tensor(middle, requires_grad=True)
    fit.at(p).sum().backward()
    np.testing.assert_allclose(p.grad.numpy(), np.diff(y) / np.diff(x), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "kind",
    [
        Temperature(),
        Vector(),
        Dirichlet(),
        OneVsRest(Isotonic()),
        Cuts(Logistic()),
    ],
    ids=repr,
)
def test_tables_of_classes_are_tensors_too(kind: Any) -> None:
    cases = class_cases()
    fit, p = kind.fit(cases), np.asarray(cases.p)
    q = fit.at(torch.tensor(p))
    assert isinstance(q, torch.Tensor)
    np.testing.assert_allclose(q.numpy(), fit.at(p), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [Temperature(), Vector(), Dirichlet()], ids=repr)
def test_maps_of_classes_have_gradients(kind: Any) -> None:
    cases = class_cases()
    fit = kind.fit(cases)
    p = torch.tensor(np.asarray(cases.p)[:5], requires_grad=True)
    fit.at(p)[:, 0].sum().backward()
    assert torch.isfinite(p.grad).all()
    assert (p.grad[:, 0] > 0).all()
