"""Tensors go through a map on their device, in their precision, and with gradients."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from tests.recalibration.map_examples import fitted, given, of_classes

from properly.errors import DataError
from properly.recalibration import Logistic, Map

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)
MAPS = {name: x for name, x in (fitted() | given()).items() if name != "refuse"}
ALL = pytest.mark.parametrize("mapping", MAPS.values(), ids=list(MAPS))
P = np.linspace(0.013, 0.987, 31)
TABLE = np.random.default_rng(1).dirichlet(np.ones(3), 40)
OF_CLASSES = {name: x for name, x in of_classes().items() if name != "Vector of numbers"}


def quiet(mapping: Map, p: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mapping.at(p)


@ALL
def test_a_tensor_gives_what_an_array_gives(mapping: Map) -> None:
    p = np.concatenate([[0.0, 1.0, 1e-310, 1 - 2**-53], P])
    q = quiet(mapping, torch.tensor(p))
    assert isinstance(q, torch.Tensor)
    assert q.dtype == torch.float64
    np.testing.assert_allclose(q.numpy(), quiet(mapping, p), rtol=1e-12, atol=1e-322)


@ALL
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_tensor_keeps_its_precision_and_shape(mapping: Map, dtype: Any) -> None:
    p = torch.tensor(P[:30], dtype=dtype).reshape(5, 6)
    q = quiet(mapping, p)
    assert q.dtype == dtype
    assert q.shape == p.shape
    wide = quiet(mapping, p.double())
    assert torch.equal(q, wide.to(dtype))


@ALL
def test_a_gradient_is_the_slope_of_the_map(mapping: Map) -> None:
    step = 1e-7
    p = torch.tensor(P, requires_grad=True)
    quiet(mapping, p).sum().backward()
    assert p.grad is not None
    slope = (quiet(mapping, P + step) - quiet(mapping, P - step)) / (2 * step)
    # A knot within a step has two slopes, and a jump has none.
    gradient = p.grad.numpy()
    smooth = np.abs(slope - gradient) <= 1e-5 * (1 + np.abs(slope))
    assert smooth.sum() >= len(P) - 3
    assert np.isfinite(gradient).all()


@ALL
def test_certain_forecasts_do_not_spoil_the_gradients_of_others(mapping: Map) -> None:
    p = torch.tensor([0.0, 0.5, 1.0], requires_grad=True, dtype=torch.float64)
    quiet(mapping, p).sum().backward()
    assert p.grad is not None
    assert bool(torch.isfinite(p.grad).all())


@pytest.mark.parametrize("name", OF_CLASSES)
def test_tables_of_classes_are_tensors_too(name: str) -> None:
    mapping = OF_CLASSES[name]
    q = quiet(mapping, torch.tensor(TABLE))
    assert isinstance(q, torch.Tensor)
    np.testing.assert_allclose(q.numpy(), quiet(mapping, TABLE), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["Temperature of classes", "Vector", "Dirichlet"])
def test_maps_of_classes_have_gradients(name: str) -> None:
    p = torch.tensor(TABLE, requires_grad=True)
    quiet(OF_CLASSES[name], p)[:, 0].sum().backward()
    assert p.grad is not None
    assert torch.isfinite(p.grad).all()
    assert (p.grad[:, 0] > 0).all()


def test_a_tensor_without_dimensions_stays_one() -> None:
    line = Logistic(intercept=0.3, slope=0.5)
    q = line.at(torch.tensor(0.25))
    assert q.shape == ()
    assert float(q) == np.float32(line.at(0.25))


def test_a_tensor_without_a_gradient_gets_none() -> None:
    for mapping in MAPS.values():
        assert not quiet(mapping, torch.tensor(P)).requires_grad


def test_a_tensor_that_is_no_forecast_is_refused() -> None:
    line = Logistic(intercept=0.3, slope=0.5)
    with pytest.raises(DataError, match=r"row 1, column 0 is 1\.5"):
        line.at(torch.tensor([[0.5, 0.2], [1.5, 0.1]], requires_grad=True))
    with pytest.raises(DataError, match="row 1 is nan"):
        line.at(torch.tensor([0.5, torch.nan]))
