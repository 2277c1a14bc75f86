"""Keras: the scores that it reports are those of the library, and its best weights come back."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

import properly
from properly.errors import ArgumentTypeError, DataError, MissingExtraError
from properly.rules import (
    PBS,
    PLL,
    RPS,
    BetaWeighted,
    BinaryRule,
    Bounded,
    Brier,
    HistogramWeighted,
    Log,
    Propriety,
    Ranked,
    Rule,
    Spherical,
)

# Keras reads its backend once, when it is imported; another one may be chosen outside.
os.environ.setdefault("KERAS_BACKEND", "torch")
REASON = "Keras or its backend is not installed; `make test-integrations` installs both"
pytest.importorskip(os.environ["KERAS_BACKEND"], reason=REASON)
keras: Any = pytest.importorskip("keras", reason=REASON)

from properly.integrations.keras import RuleMetric, ValidationScores, import_keras  # noqa: E402
from properly.integrations.keras import _metric as metrics  # noqa: E402
from properly.integrations.keras._metric import KerasRows, checked_sums, traced_sums  # noqa: E402

# Keras copies tensors by a protocol of numpy 1.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

EVENTS: list[Any] = [
    Brier(),
    Log(),
    Spherical(),
    Bounded(Brier(), (0.05, 0.2)),
    Bounded(Log(), (0.1, 0.9)),
    BetaWeighted(2, 4),
]
CLASSES: list[Any] = [Brier(), Log(), PBS(), PLL(), PBS("minimal"), RPS(), Ranked(Spherical())]
SAME = 1e-13 if metrics.widest_float() == "float64" else 3e-7


def events(n: int = 50) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(5)
    p = rng.uniform(size=n).astype(np.float32)
    return (rng.uniform(size=n) < p).astype(np.int64), p, rng.integers(0, 4, n) / 2


def classes(n: int = 50) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(6)
    p = rng.dirichlet(np.ones(4), n).astype(np.float32)
    return rng.integers(0, 4, n), p, rng.integers(0, 4, n) / 2


def fed(metric: Any, y: Any, p: Any, weight: Any = None, cuts: tuple[int, ...] = (3, 20)) -> float:
    """Feed a metric in batches of unequal size."""
    parts = zip(
        *(np.split(x, cuts) if x is not None else [None] * 3 for x in (y, p, weight)), strict=True
    )
    for part in parts:
        given = (None if x is None else keras.ops.convert_to_tensor(x) for x in part)
        metric.update_state(*given)
    return float(metric.result())


@pytest.mark.parametrize("rule", EVENTS, ids=repr)
def test_batches_of_an_event_give_the_mean_of_all_rows(rule: Any) -> None:
    y, p, weight = events()
    assert fed(RuleMetric(rule), y, p) == pytest.approx(rule(y, p), rel=SAME)
    found = fed(RuleMetric(rule), y[:, None], p[:, None], weight[:, None])
    assert found == pytest.approx(rule(y, p, weight), rel=SAME)


@pytest.mark.parametrize("rule", CLASSES, ids=repr)
def test_batches_of_classes_give_the_mean_of_all_rows(rule: Any) -> None:
    y, p, weight = classes()
    assert fed(RuleMetric(rule), y, p) == pytest.approx(rule(y, p), rel=SAME)
    one_hot = np.eye(4, dtype=np.float32)[y]
    found = fed(RuleMetric(rule), one_hot, p, weight)
    assert found == pytest.approx(rule(y, p, weight), rel=SAME)


def test_logits_are_priced_as_they_are() -> None:
    y, p, _ = events()
    z = np.log(p) - np.log1p(-p)
    found = fed(RuleMetric(Brier(), from_logits=True), y, z)
    assert found == pytest.approx(Brier()(y, 1 / (1 + np.exp(-z.astype(np.float64)))), rel=SAME)
    y, p, _ = classes()
    assert fed(RuleMetric(PLL(), from_logits=True), y, np.log(p)) == pytest.approx(
        PLL()(y, p), rel=1e-6
    )
    sure = RuleMetric(Log(), from_logits=True)
    sure.update_state([0, 1], np.array([800.0, 800.0]))
    assert float(sure.result()) == 400


@pytest.mark.skipif(
    keras.backend.backend() != "torch", reason="other metrics are priced by numpy if at all"
)
def test_tensors_of_half_precision_are_priced_where_they_are() -> None:
    y, p, weight = classes()
    half = keras.ops.cast(p, "bfloat16")
    whole = half.double().numpy()  # its rows sum to 1 as nearly as 8 bits can
    for given in (None, weight):
        metric = RuleMetric(PBS())
        metric.update_state(y, half, given)
        expected = np.average(PBS().price(y, whole), weights=given)
        assert float(metric.result()) == pytest.approx(expected, rel=1e-13)


def test_steps_in_time_are_cases() -> None:
    y, p, weight = classes(60)
    metric = RuleMetric(PBS())
    metric.update_state(y.reshape(5, 12), p.reshape(5, 12, 4), weight.reshape(5, 12))
    assert float(metric.result()) == pytest.approx(PBS()(y, p, weight), rel=SAME)


def test_rows_without_weight_do_not_count_whatever_they_hold() -> None:
    metric = RuleMetric(Log())
    metric.update_state([1, -1], [0.5, math.nan], [1.0, 0.0])
    assert float(metric.result()) == pytest.approx(math.log(2), rel=SAME)
    for y in ([1, -1], [[0, 1], [0, 0]]):
        metric.reset_state()
        metric.update_state(y, [[0.5, 0.5], [math.nan, 7.0]], np.array([True, False]))
        metric.update_state(y, [[0.5, 0.5], [0.5, 0.5]], [0, 0])
        assert float(metric.result()) == pytest.approx(math.log(2), rel=SAME)


def test_infinity_is_an_answer_and_no_rows_are_none() -> None:
    metric = RuleMetric(Log())
    assert math.isnan(float(metric.result()))
    for p in ([0.5, 0.5], [0.0, 1.0], [0.5, 0.5]):
        metric.update_state([1, 0], p)
    assert float(metric.result()) == math.inf
    metric.reset_state()
    assert math.isnan(float(metric.result()))
    metric.update_state([1, 0], [0.5, 0.5])
    assert float(metric.result()) == pytest.approx(math.log(2), rel=SAME)


def test_single_precision_carries_along_what_it_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "widest_float", lambda: "float32")
    metric = RuleMetric(Brier())
    metric.update_state([0], [0.5], sample_weight=[2.0**24])
    for _ in range(64):
        metric.update_state([0], [1.0])
    sums, rests = (keras.ops.convert_to_numpy(x) for x in (metric.sums, metric.rests))
    assert sums[1] == 2.0**24, "1 is too little to be added"
    assert rests[1] == 64
    expected = (2.0**22 + 64) / (2.0**24 + 64)
    assert float(metric.result()) == pytest.approx(expected, rel=2e-7)
    assert 0.25 / expected < 1 - 1e-5


@pytest.mark.parametrize("from_logits", [False, True])
def test_a_compiled_step_gives_the_same_sums_and_marks_what_would_be_refused(
    from_logits: bool,
) -> None:
    as_tensor = keras.ops.convert_to_tensor
    for (y, p, weight), rule in ((events(), Brier()), (classes(), PBS())):
        x = np.log(p) if from_logits else p
        rows = KerasRows(*(as_tensor(part) for part in (y, x, weight.astype(np.float32))))
        plain = KerasRows(y, x, weight)
        found = traced_sums(rule, rows, from_logits=from_logits)
        sums = checked_sums(rule, plain, from_logits=from_logits)
        assert float(found.loss) == pytest.approx(float(sums.loss), rel=3e-7)
        assert float(found.weight) == float(sums.weight)
        used, first = np.flatnonzero(weight)[0], np.flatnonzero(weight == 0)[0]
        for row, expected in ((used, True), (first, False)):
            bad = np.array(x)
            bad[row] = math.nan
            spoilt = traced_sums(rule, rows._replace(p=as_tensor(bad)), from_logits=from_logits)
            assert math.isnan(float(spoilt.loss)) is expected
        wrong = traced_sums(rule, rows._replace(y=as_tensor(y + 0.5)), from_logits=from_logits)
        assert math.isnan(float(wrong.loss))


def test_a_compiled_step_knows_rows_with_a_single_one() -> None:
    y, p, _ = classes()
    one_hot = np.eye(4, dtype=np.float32)[y]
    as_tensor = keras.ops.convert_to_tensor
    found = traced_sums(PBS(), KerasRows(as_tensor(one_hot), as_tensor(p), None), from_logits=False)
    assert float(found.loss) / 50 == pytest.approx(PBS()(y, p), rel=3e-7)
    one_hot[7] = 0.25
    found = traced_sums(PBS(), KerasRows(as_tensor(one_hot), as_tensor(p), None), from_logits=False)
    assert math.isnan(float(found.loss))


@pytest.mark.parametrize("rule", [*EVENTS, *CLASSES, HistogramWeighted([0, 0.2, 1], [1, 3])])
def test_what_is_saved_makes_the_same_metric(rule: Rule) -> None:
    metric = RuleMetric(rule, from_logits=True, name="a name")
    saved = keras.saving.serialize_keras_object(metric)
    again = keras.saving.deserialize_keras_object(saved)
    assert isinstance(again, RuleMetric)
    assert (again.rule, again.from_logits, again.name) == (rule, True, "a name")


# Training


def digits() -> tuple[Any, Any, Any, Any]:
    x, y = load_digits(return_X_y=True)
    x = (x / 16).astype(np.float32)
    return x[:300], y[:300], x[300:800], y[300:800]


def network(*, rate: float = 0.03, **options: Any) -> Any:
    """Make a network that learns so fast that its validation scores go up and down."""
    keras.utils.set_random_seed(3)
    model = keras.Sequential(
        [keras.Input((64,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(10, "softmax")]
    )
    model.compile(keras.optimizers.Adam(rate), "sparse_categorical_crossentropy", **options)
    return model


def test_the_reported_metric_is_the_score_of_the_predictions() -> None:
    x, y, x_test, y_test = digits()
    model = network(metrics=[RuleMetric(PBS()), RuleMetric(PLL()), "accuracy"])
    stop = keras.callbacks.EarlyStopping("val_pbs", patience=9)  # its direction is the metric's
    fitted = model.fit(
        x, y, validation_data=(x_test, y_test), epochs=2, callbacks=[stop], verbose=0
    )
    p = model.predict(x_test, verbose=0)
    assert fitted.history["val_pbs"][-1] == pytest.approx(PBS()(y_test, p), rel=SAME)
    assert fitted.history["val_pll"][-1] == pytest.approx(PLL()(y_test, p), rel=SAME)
    assert fitted.history["val_pbs"][1] < fitted.history["val_pbs"][0]


def test_a_model_comes_back_from_disk_with_its_metric(tmp_path: Path) -> None:
    x, y, x_test, y_test = digits()
    model = network(metrics=[RuleMetric(PBS("minimal", ties="first"), name="pbs")])
    model.fit(x, y, epochs=1, verbose=0)
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    before, after = (
        m.evaluate(x_test, y_test, verbose=0, return_dict=True) for m in (model, again)
    )
    assert after["pbs"] == before["pbs"]


def test_one_event_is_scored_in_the_shape_that_keras_gives_it() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    x = ((x - x.mean(0)) / x.std(0)).astype(np.float32)
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((30,)), keras.layers.Dense(1)])
    bounded = Bounded(Brier(), (0.05, 0.2))
    model.compile(
        "adam",
        keras.losses.BinaryCrossentropy(from_logits=True),
        weighted_metrics=[RuleMetric(bounded, from_logits=True, name="bounded")],
    )
    weight = 1.0 + y
    score = ValidationScores((x, y, weight), [bounded, Log()], from_logits=True, prefix="own_")
    history = model.fit(
        x, y, epochs=2, verbose=0, validation_data=(x, y, weight), callbacks=[score]
    ).history
    z = model.predict(x, verbose=0)[:, 0].astype(np.float64)
    p = 1 / (1 + np.exp(-z))
    assert history["val_bounded"][1] == pytest.approx(bounded(y, p, weight), rel=1e-6)
    name = "own_bounded_brier[0.05,0.2]"
    assert history[name][1] == pytest.approx(bounded(y, p, weight), rel=1e-12)
    assert history["own_log"][1] == pytest.approx(Log()(y, p, weight), rel=1e-12)


@pytest.mark.skipif(
    keras.backend.backend() != "torch", reason="other metrics do not fall back on such numbers"
)
def test_a_metric_that_needs_numbers_does_not_disturb_ours() -> None:
    class Nosy(keras.metrics.Mean):  # type: ignore[misc]
        """Looks at numbers even when Keras only asks for shapes, which then are all ones."""

        def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
            super().update_state(keras.ops.convert_to_numpy(y_true * y_pred[:, 0]), sample_weight)

    x, y, x_test, y_test = digits()
    model = network(metrics=[Nosy(), RuleMetric(PBS())], run_eagerly=True)
    found = model.fit(x, y, validation_data=(x_test, y_test), epochs=1, verbose=0).history
    p = model.predict(x_test, verbose=0)
    assert found["val_pbs"][0] == pytest.approx(PBS()(y_test, p), rel=SAME)


def test_the_best_weights_by_a_score_come_back(tmp_path: Path) -> None:
    x, y, x_test, y_test = digits()
    model = network(rate=0.06)
    file = tmp_path / "best.weights.h5"
    best = properly.comparison.BestEpoch()

    def keep(epoch: int, logs: Any) -> None:
        best.update(epoch, logs["val_pbs"], model.get_weights)

    callbacks = [
        ValidationScores((x_test, y_test), [PBS(), PLL()]),
        keras.callbacks.EarlyStopping("val_pbs", patience=9, mode="min", restore_best_weights=True),
        keras.callbacks.ModelCheckpoint(
            file, "val_pbs", mode="min", save_best_only=True, save_weights_only=True
        ),
        keras.callbacks.LambdaCallback(on_epoch_end=keep),
    ]
    history = model.fit(x, y, batch_size=20, epochs=6, verbose=0, callbacks=callbacks).history
    values = history["val_pbs"]
    assert np.argmin(values) < 5, "the last epoch is not the best one"
    assert best.epoch == np.argmin(values)

    def score() -> float:
        return float(PBS()(y_test, model.predict(x_test, verbose=0)))

    def load() -> None:
        model.load_weights(file)

    def put_back() -> None:
        model.set_weights(best.state)

    assert score() == min(values), "EarlyStopping put the best weights back"
    for restore in (load, put_back):
        model.set_weights([np.zeros_like(w) for w in model.get_weights()])
        assert score() != min(values)
        restore()
        assert score() == min(values)


def test_names_of_ones_own_reach_the_logs_and_the_names_of_files(tmp_path: Path) -> None:
    x, y, x_test, y_test = digits()
    rules = [PBS(ties="first"), Ranked(Brier())]
    score = ValidationScores((x_test, y_test), rules, names=["pbs", "ranked"], batch_size=64)
    save = keras.callbacks.ModelCheckpoint(
        tmp_path / "{val_pbs:.3f}.weights.h5", save_weights_only=True
    )
    model = network()
    history = model.fit(x, y, epochs=1, verbose=0, callbacks=[score, save]).history
    value = history["val_pbs"][0]
    assert (tmp_path / f"{value:.3f}.weights.h5").exists()
    assert history["val_ranked"][0] > 0
    assert score.scores() == {"val_pbs": value, "val_ranked": history["val_ranked"][0]}


# Messages, word for word


class OfMyOwn(BinaryRule):
    propriety = Propriety.STRICT

    def weight(self, p: Any) -> Any:
        return 2 + 0 * p

    def false_positives(self, lower: Any, upper: Any) -> Any:
        return upper**2 - lower**2

    def false_negatives(self, lower: Any, upper: Any) -> Any:
        return 2 * (upper - lower) - self.false_positives(lower, upper)


def told(error: type[Exception], call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(error) as found:
        call(*arguments, **options)
    return str(found.value)


def test_models_and_weights_are_refused_in_these_words() -> None:
    given = keras.Input((1,))
    model = keras.Model(given, [keras.layers.Dense(1)(given), keras.layers.Dense(1)(given)])
    callback = ValidationScores((np.zeros((2, 1)), [0, 1], [0, 0]), Brier())
    callback.set_model(model)
    assert told(ArgumentTypeError, callback.scores) == (
        "a model with one output is needed; predict returned list"
    )
    callback.set_model(keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, "sigmoid")]))
    assert told(DataError, callback.scores) == "at least one weight must be positive; all 2 are 0"


def test_other_backends_are_refused_in_these_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keras.backend, "backend", lambda: "tensorflow")
    assert told(ArgumentTypeError, RuleMetric, Brier()) == (
        "RuleMetric needs Keras on torch, jax or numpy; its backend is 'tensorflow'\n\n"
        "Hint: ValidationScores works on every backend; or set KERAS_BACKEND before importing it."
    )


@pytest.mark.parametrize(
    ("missing", "backend", "message"),
    [
        ("keras", None, "this needs keras, which is not installed"),
        ("tensorflow", None, "Keras needs tensorflow, which is not installed; its default asks"),
        ("jax", "jax", "Keras needs jax, which is not installed; KERAS_BACKEND=jax asks for it"),
    ],
)
def test_what_is_missing_is_told_in_these_words(
    monkeypatch: pytest.MonkeyPatch, missing: str, backend: str | None, message: str
) -> None:
    def fail(name: str) -> None:
        raise ModuleNotFoundError(name, name=missing)

    monkeypatch.setattr(sys.modules["properly._boundary._notices"], "import_module", fail)
    monkeypatch.delenv("KERAS_BACKEND")
    if backend is not None:
        monkeypatch.setenv("KERAS_BACKEND", backend)
    first, hint = told(MissingExtraError, import_keras).split("\n\n")
    assert first.startswith(message)
    assert hint.startswith("Hint: pip" if missing == "keras" else "Hint: set KERAS_BACKEND to")


def test_a_rule_that_cannot_be_compiled_is_refused_in_these_words() -> None:
    class TracerError(TypeError):
        """Stands for jax's own, which is raised where numpy meets a placeholder."""

    class Numpy(OfMyOwn):
        def loss_if_event(self, p: Any) -> Any:
            raise TracerError(p)

    rows = KerasRows(np.array([0, 1]), np.array([0.5, 0.5]), None)
    assert told(ArgumentTypeError, traced_sums, Numpy(), rows, from_logits=False) == (
        "Numpy() computes with numpy and cannot be part of a compiled step\n\n"
        "Hint: pass jit_compile=False to compile, or use ValidationScores."
    )
