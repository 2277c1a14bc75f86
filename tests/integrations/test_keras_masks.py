"""Keras: steps that layers mask do not count."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from properly.errors import DataError
from properly.rules import Brier, Log

# Keras reads its backend once, when it is imported; another one may be chosen outside.
os.environ.setdefault("KERAS_BACKEND", "torch")
REASON = "Keras or its backend is not installed; `make test-integrations` installs both"
pytest.importorskip(os.environ["KERAS_BACKEND"], reason=REASON)
keras: Any = pytest.importorskip("keras", reason=REASON)

from properly.integrations.keras import RuleMetric, ValidationScores  # noqa: E402
from properly.integrations.keras import _metric as backends  # noqa: E402

# Keras copies tensors by a protocol of numpy 1.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
STEPS, SEEN = 5, 3


def sequences(outputs: int = 1) -> tuple[Any, Any, Any]:
    """Make a model that masks steps of zeros, and sequences that end in such steps."""
    keras.utils.set_random_seed(0)
    x = np.random.default_rng(0).normal(size=(12, STEPS, 2)).astype(np.float32)
    x[:, SEEN:] = 0
    y = (x[:, :, 0] > 0).astype(np.int64)
    last = keras.layers.Dense(outputs, "sigmoid" if outputs == 1 else "softmax")
    layers = [keras.Input((STEPS, 2)), keras.layers.Masking(), last]
    return keras.Sequential(layers), x, y


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_masked_steps_do_not_count(outputs: int, weighted: bool) -> None:
    model, x, y = sequences(outputs)
    weight = np.random.default_rng(1).integers(0, 3, y.shape).astype(np.float32)
    loss = "binary_crossentropy" if outputs == 1 else "sparse_categorical_crossentropy"
    model.compile(loss=loss, weighted_metrics=[RuleMetric(Brier())])
    given = {"sample_weight": weight} if weighted else {}
    found = model.evaluate(x, y[..., None], batch_size=5, verbose=0, return_dict=True, **given)
    p = np.asarray(model.predict(x, verbose=0), np.float64)[:, :SEEN]
    p = p.reshape(-1) if outputs == 1 else p.reshape(-1, outputs)
    asked = weight[:, :SEEN].reshape(-1) if weighted else None
    expected = Brier()(y[:, :SEEN].reshape(-1), p, asked)
    assert found["brier"] == pytest.approx(expected, rel=1e-6)


def test_a_callback_asks_for_the_weights_of_a_model_that_masks() -> None:
    model, x, y = sequences()
    callback = ValidationScores((x, y), Log())
    callback.set_model(model)
    with pytest.raises(DataError) as caught:
        callback.scores()
    assert str(caught.value) == (
        "steps that a model masks need a weight of 0; got validation_data without any\n\n"
        "Hint: pass (x, y, sample_weight); RuleMetric sees masks."
    )
    weight = np.broadcast_to(np.arange(STEPS) < SEEN, y.shape)
    callback = ValidationScores((x, y, weight.astype(float)), Log())
    callback.set_model(model)
    p = np.asarray(model.predict(x, verbose=0), np.float64)
    expected = Log()(y[:, :SEEN].reshape(-1), p[:, :SEEN].reshape(-1))
    assert callback.scores()["val_log"] == pytest.approx(expected)


def test_masks_are_found_where_keras_keeps_them_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(backends, "import_module", missing)
    assert backends.mask_of(SimpleNamespace(_keras_mask=[True])) == [True]
    assert backends.mask_of([0.5]) is None
