"""An evaluation of tensors has the numbers of arrays, and only records leave the device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import properly
from properly._boundary import _chunks
from properly.comparison import _differences
from properly.inference import _cells

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)


def sample(kind: str, dtype: str, n: int = 4000) -> tuple[Any, dict[str, Any]]:
    """Make outcomes, and forecasts of three models."""
    rng = np.random.default_rng(7)
    truth = rng.beta(1, 3, n)
    y, models = rng.random(n) < truth, {}
    for k, name in enumerate(("sharp", "blunt", "odd")):
        p = 1 / (1 + np.exp(rng.normal(0, 0.3 + k / 2, n)) * (1 - truth) / truth)
        if kind == "rounded":
            p = np.round(p, 2)
        elif kind == "tied":
            p[: n // 2] = 0.25
        elif kind == "certain":
            p = np.where(y, np.maximum(p, 1e-4), np.minimum(p, 1 - 1e-4))
            p[::7][~y[::7]], p[::11][y[::11]] = 0.0, 1.0
        elif kind == "wrong":
            p[::7], p[::11] = 0.0, 1.0
        elif kind == "constant":
            p[:] = 0.5 + k / 8
        elif kind == "twins":
            p = 0.1 + 0.8 * truth
            # From one end of the range to the other, a difference lies between two numbers.
            p[:3] = 0.04 * k
        models[name] = p.astype(dtype)
    return y, models


def tensors(y: Any, models: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    return torch.tensor(y), {name: torch.tensor(p) for name, p in models.items()}


def evaluate(y: Any, models: dict[str, Any], replicates: int = 0) -> Any:
    return properly.evaluate(y, models, within=(0.01, 0.1), replicates=replicates, rng=1)


def numbers(told: Any) -> Iterator[Any]:
    """Walk through all that a record tells, numbers as doubles."""
    if isinstance(told, dict | list):
        for x in told.values() if isinstance(told, dict) else told:
            yield from numbers(x)
    else:
        yield float(told) if isinstance(told, int | float) else told


KINDS = ("continuous", "rounded", "tied", "certain", "wrong", "constant", "twins")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", KINDS)
def test_tensors_are_evaluated_as_arrays_are(
    monkeypatch: pytest.MonkeyPatch, kind: str, dtype: str
) -> None:
    if dtype == "float32":
        for module in (_chunks, _differences):
            monkeypatch.setattr(module, "LARGE", 1500)
    y, models = sample(kind, dtype)
    got, expected = evaluate(*tensors(y, models)), evaluate(y, models)
    # Areas are compared case by case, which tensors are not.
    assert got.auc_differences is None
    others = expected.to_dict()
    del others["auc_differences"]
    for mine, other in zip(numbers(got.to_dict()), numbers(others), strict=True):
        alike = isinstance(other, float)
        assert mine == (pytest.approx(other, rel=1e-9, abs=1e-13) if alike else other)
    # What rounding leaves of nothing may have either sign.
    mine, other = (e.table().replace("-0.00000", " 0.00000") for e in (got, expected))
    assert mine == other
    assert got.notes == expected.notes
    for name in models:
        assert got.worst[name].row.tolist() == expected.worst[name].row.tolist()
        np.testing.assert_array_equal(got.reliability[name].value, expected.reliability[name].value)
        for curve in ("regret", "decision", "roc"):
            mine, other = (getattr(e, curve)[name] for e in (got, expected))
            np.testing.assert_array_equal(mine.threshold, other.threshold)


@pytest.mark.parametrize("outcome", [False, True])
def test_one_outcome_alone_is_told_in_the_same_words(outcome: bool) -> None:
    _, models = sample("continuous", "float32", 200)
    y = np.full(200, outcome)
    got, expected = evaluate(*tensors(y, models)), evaluate(y, models)
    assert str(got) == str(expected)
    assert got.notes == expected.notes


@pytest.fixture
def crossed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the bytes of tensors that come to the host, whoever brings them."""
    count: Counter[str] = Counter()
    for name in ("cpu", "numpy", "tolist", "__array__"):
        fetch = getattr(torch.Tensor, name)

        def counted(x: Any, *args: Any, fetch: Any = fetch, name: str = name, **how: Any) -> Any:
            count[name] += x.numel() * x.element_size()
            return fetch(x, *args, **how)

        monkeypatch.setattr(torch.Tensor, name, counted)
    return count


@pytest.mark.parametrize(
    ("models", "replicates", "most"), [(1, 0, 50_000), (3, 0, 750_000), (1, 9, 200_000)]
)
def test_only_records_and_cells_leave_the_device(
    crossed: Counter[str],
    monkeypatch: pytest.MonkeyPatch,
    models: int,
    replicates: int,
    most: int,
) -> None:
    monkeypatch.setattr(_cells, "FINE", (1 << 10, 1 << 5))
    told = []
    for n in (100_000, 400_000):
        y, forecasts = tensors(*sample("continuous", "float32", n))
        crossed.clear()
        evaluate(y, dict(list(forecasts.items())[:models]), replicates)
        told.append(crossed["cpu"])
        # Whatever became an array was fetched on purpose; on a device nothing else can.
        assert crossed["__array__"] <= crossed["cpu"]
    # Bins grow with the third root of the cases; kinds of pairs are as many as thresholds allow.
    assert told[1] < min(2 * told[0], most)


def test_draws_from_cells_of_tensors_say_what_draws_from_arrays_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_cells, "FINE", (1 << 12, 1 << 7))
    y, models = sample("continuous", "float32", 20_000)
    models = {"sharp": models["sharp"]}
    got, expected = evaluate(*tensors(y, models), 199), evaluate(y, models, 199)
    for rule, parts in expected.decompositions["sharp"].items():
        mine = got.decompositions["sharp"][rule]
        for part in ("score", "miscalibration", "discrimination", "uncertainty"):
            assert getattr(mine, part) == pytest.approx(getattr(parts, part), rel=1e-9)
            ends = getattr(parts.intervals, part)
            assert getattr(mine.intervals, part) == pytest.approx(ends, rel=0.05, abs=1e-9)
    mine, other = (e.calibration["sharp"] for e in (got, expected))
    assert (mine.cases, mine.events, mine.certain) == (other.cases, other.events, other.certain)
    assert mine.slope.value == pytest.approx(other.slope.value, rel=1e-5)
    assert mine.ici.value == pytest.approx(other.ici.value, rel=1e-3)
    assert mine.ici.mean_if_calibrated == pytest.approx(other.ici.mean_if_calibrated, rel=0.1)
    mine, other = (e.calibration_tests["sharp"] for e in (got, expected))
    assert mine.miscalibration == pytest.approx(other.miscalibration, rel=1e-9)
    assert mine.mean_if_calibrated == pytest.approx(other.mean_if_calibrated, rel=0.1)
    band, wanted = (e.reliability["sharp"].band for e in (got, expected))
    for side in zip(band.at(wanted.x), (wanted.lower, wanted.upper), strict=True):
        np.testing.assert_allclose(*side, atol=0.02)
    np.testing.assert_array_equal(
        got.reliability["sharp"].value, expected.reliability["sharp"].value
    )


def test_repairs_of_tensors_are_those_of_arrays() -> None:
    y, models = sample("plain", "float64", 600)
    high = {"high": np.sqrt(models["sharp"])}
    options: dict[str, Any] = {"recalibrate": "logistic", "replicates": 0, "rng": 1}
    arrays = properly.evaluate(y, high, **options).repairs["high"]
    tensors = properly.evaluate(
        torch.tensor(y), {"high": torch.tensor(high["high"])}, **options
    ).repairs["high"]
    assert arrays.recommended
    assert tensors.result.gain.interval == pytest.approx(arrays.result.gain.interval, rel=1e-12)
    assert tensors.difference is not None
    assert tensors.difference.band is not None
