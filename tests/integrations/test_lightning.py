"""Lightning: what callbacks log is the score of all rows, and the best checkpoint has it again."""

from __future__ import annotations

import gc
import logging
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

import properly
from properly.errors import DataError
from properly.rules import PBS, PLL, Bounded, Brier, Log

REASON = "Lightning is not installed; `make test-integrations` installs it"
torch: Any = pytest.importorskip("torch", reason=REASON)
lightning: Any = pytest.importorskip("lightning.pytorch", reason=REASON)

from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

from properly.integrations.lightning import ReliabilityCallback, ScoreCallback  # noqa: E402
from properly.integrations.torch import TallyMetric  # noqa: E402

pytestmark = [
    # Lightning has not followed torch 2.13 yet.
    pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning"),
    # It recommends more workers than these few rows are worth.
    pytest.mark.filterwarnings("ignore:.*does not have many workers"),
]
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

BOUNDED = Bounded(Brier(), (0.05, 0.2))


class Network(lightning.LightningModule):  # type: ignore[misc]
    """A small network whose steps return what it forecast, and what happened."""

    def __init__(self, *, inputs: int = 64, outputs: int = 10) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(inputs, 24), torch.nn.ReLU(), torch.nn.Linear(24, outputs)
        )
        self.own = TallyMetric(Brier(), from_logits=True)

    def forward(self, x: Any) -> Any:
        z = self.layers(x)
        return z[:, 0] if z.shape[1] == 1 else z

    def training_step(self, batch: Any) -> Any:
        z, y = self(batch[0]), batch[1]
        if z.ndim == 1:
            return torch.nn.functional.binary_cross_entropy_with_logits(z, y.float())
        return torch.nn.functional.cross_entropy(z, y)

    def validation_step(self, batch: Any, _: int, dataloader_idx: int = 0) -> Any:
        z = self(batch[0])
        if dataloader_idx == 0:
            self.own.update(z, batch[1])
            self.log("own_brier", self.own, add_dataloader_idx=False)
        return {"preds": z, "target": batch[1], "weight": 1.0 + batch[1]}

    def test_step(self, batch: Any) -> Any:
        return {"forecasts": self(batch[0]), "what happened": batch[1]}

    def configure_optimizers(self) -> Any:
        return torch.optim.Adam(self.parameters(), 0.05)


class Recorder(lightning.Callback):  # type: ignore[misc]
    """Keeps what was logged, and what the rules say of all validation rows at once."""

    def __init__(self, expected: Callable[[Any], dict[str, float]]) -> None:
        self.expected = expected
        self.logged: list[dict[str, float]] = []
        self.computed: list[dict[str, float]] = []

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking:
            self.logged.append({k: v.item() for k, v in trainer.callback_metrics.items()})
            self.computed.append(self.expected(pl_module))


def digits() -> tuple[Any, Any]:
    x, y = load_digits(return_X_y=True)
    return torch.tensor(x / 16, dtype=torch.float32), torch.tensor(y)


def tumours() -> tuple[Any, Any]:
    x, y = load_breast_cancer(return_X_y=True)
    return torch.tensor((x - x.mean(0)) / x.std(0), dtype=torch.float32), torch.tensor(y)


def loader(x: Any, y: Any, size: int = 64, *, shuffle: bool = False) -> Any:
    return DataLoader(TensorDataset(x, y), size, shuffle=shuffle)


def logits_of(model: Any, x: Any) -> Any:
    # In the batches of the loader: others are rounded otherwise.
    with torch.no_grad():
        return torch.cat([model(batch) for batch in x.split(64)]).numpy()


def trainer_with(callbacks: list[Any], folder: Path, **options: Any) -> Any:
    lightning.seed_everything(2, verbose=False)
    quiet = {"enable_progress_bar": False, "enable_model_summary": False, "logger": False}
    options = {**quiet, "enable_checkpointing": True, **options}
    return lightning.Trainer(
        callbacks=callbacks, default_root_dir=folder, accelerator="cpu", **options
    )


@pytest.mark.parametrize("first", [True, False])
def test_the_best_checkpoint_by_a_score_has_that_score_again(first: bool, tmp_path: Path) -> None:
    x, y = digits()
    x_val, y_val = x[300:800], y[300:800]
    rules: list[Any] = [PBS(), PLL()]

    def expected(model: Any) -> dict[str, float]:
        z = logits_of(model, x_val)
        return {f"val_{r.name}": r.logit_loss(y_val.numpy(), z).mean() for r in rules}

    recorder = Recorder(expected)
    best = lightning.callbacks.ModelCheckpoint(
        tmp_path, monitor="val_pbs", filename="{epoch}-{val_pbs:.4f}"
    )
    stop = lightning.callbacks.EarlyStopping("val_pbs", patience=2)
    others, ours = [best, stop, recorder], ScoreCallback(rules, from_logits=True)
    trainer = trainer_with([ours, *others] if first else [*others, ours], tmp_path, max_epochs=12)
    trainer.fit(Network(), loader(x[:300], y[:300], 20, shuffle=True), loader(x_val, y_val))

    values = [logged["val_pbs"] for logged in recorder.logged]
    assert len(values) == 3 + int(np.argmin(values)) < 12, "stopped two epochs after the best"
    for logged, computed in zip(recorder.logged, recorder.computed, strict=True):
        # The first epoch included: nothing is left of the sanity check.
        assert {k: logged[k] for k in computed} == pytest.approx(computed, rel=1e-12)
    assert best.best_model_score.item() == min(values)
    assert f"{min(values):.4f}" in best.best_model_path

    again = Network.load_from_checkpoint(best.best_model_path)
    assert expected(again)["val_pbs"] == pytest.approx(min(values), rel=1e-12)
    quiet = trainer_with([ScoreCallback(rules, from_logits=True)], tmp_path)
    (found,) = quiet.validate(again, loader(x_val, y_val), verbose=False)
    assert found["val_pbs"] == min(values), "to the last digit"


def test_names_with_brackets_can_be_monitored_and_others_be_given(tmp_path: Path) -> None:
    x, y = tumours()
    x_val, y_val = x[400:], y[400:]
    name = "val_bounded_brier[0.05,0.2]"

    def expected(model: Any) -> dict[str, float]:
        p = 1 / (1 + np.exp(-logits_of(model, x_val).astype(np.float64)))
        weight = (1.0 + y_val).numpy()
        return {
            name: BOUNDED(y_val.numpy(), p),
            "own_brier": Brier()(y_val.numpy(), p),
            "val_weighted": BOUNDED(y_val.numpy(), p, weight),
        }

    recorder = Recorder(expected)
    best = lightning.callbacks.ModelCheckpoint(
        tmp_path, monitor=name, filename="{val_weighted:.5f}", save_top_k=3
    )
    weighted = ScoreCallback(BOUNDED, from_logits=True, names="weighted", sample_weight="weight")
    callbacks = [best, recorder, ScoreCallback([BOUNDED, Log()], from_logits=True), weighted]
    trainer = trainer_with(callbacks, tmp_path, max_epochs=2)
    trainer.fit(Network(inputs=30, outputs=1), loader(x[:400], y[:400]), loader(x_val, y_val))

    assert len(recorder.logged) == 2
    for logged, computed in zip(recorder.logged, recorder.computed, strict=True):
        assert {k: logged[k] for k in computed} == pytest.approx(computed, rel=1e-12)
        assert (tmp_path / f"val_weighted={logged['val_weighted']:.5f}.ckpt").exists()
    assert best.best_model_score.item() == min(logged[name] for logged in recorder.logged)


def test_several_loaders_and_tests_have_scores_of_their_own(tmp_path: Path) -> None:
    x, y = digits()
    model = Network()
    parts = [(x[:100], y[:100]), (x[100:250], y[100:250])]
    score = [PBS().logit_loss(b.numpy(), logits_of(model, a)).mean() for a, b in parts]
    trainer = trainer_with([ScoreCallback(PBS(), from_logits=True)], tmp_path)
    trainer.validate(model, [loader(*part) for part in parts], verbose=False)
    found = {k: v.item() for k, v in trainer.callback_metrics.items() if "pbs" in k}
    assert found == pytest.approx({"val_pbs_0": score[0], "val_pbs_1": score[1]}, rel=1e-12)

    keys: dict[str, Any] = {
        "preds": "forecasts",
        "target": "what happened",
        "from_logits": True,
        "stage": "test",
    }
    callbacks = [ScoreCallback([PBS(), PLL()], **keys), ReliabilityCallback(**keys, every=7)]
    trainer = trainer_with(callbacks, tmp_path)
    (tested,) = trainer.test(model, loader(*parts[0]), verbose=False)
    assert set(tested) == {"test_pbs", "test_pll"}
    assert tested["test_pbs"] == pytest.approx(score[0], rel=1e-12)
    assert [f.name for f in (tmp_path / "reliability").iterdir()] == [
        "test_reliability_epoch_0000_step_000000.png"
    ]


# Reliability diagrams


class FigureLogger(lightning.loggers.Logger):  # type: ignore[misc]
    """Takes figures, as the loggers for TensorBoard and for MLflow do."""

    run_id = "a run"
    name = "figures"
    version = 0

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.figures: list[tuple[Any, ...]] = []
        self.alive: list[Any] = []
        take = self._add_figure if kind == "add_figure" else self._log_figure
        self.experiment = SimpleNamespace(**{kind: take})

    def _add_figure(self, tag: str, figure: Any, global_step: int | None = None) -> None:
        self._keep(figure, tag, global_step)

    def _log_figure(self, run_id: str, figure: Any, artifact_file: str) -> None:
        self._keep(figure, run_id, artifact_file)

    def _keep(self, figure: Any, *told: Any) -> None:
        self.alive.append(weakref.ref(figure))
        self.figures.append((*told, figure.axes[0].get_xlabel(), figure.axes[0].get_title()))

    def log_metrics(self, metrics: Any, step: int | None = None) -> None:
        pass

    def log_hyperparams(self, params: Any, *args: Any, **kwargs: Any) -> None:
        pass


def fit_digits(callbacks: list[Any], folder: Path, epochs: int, **options: Any) -> Any:
    x, y = digits()
    options = {"enable_checkpointing": False, "log_every_n_steps": 1, **options}
    trainer = trainer_with(callbacks, folder, max_epochs=epochs, **options)
    trainer.fit(Network(), loader(x[:200], y[:200]), loader(x[200:300], y[200:300]))
    return trainer


def test_diagrams_go_to_loggers_that_take_them_and_none_stays_in_memory(tmp_path: Path) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    board, flow = FigureLogger("add_figure"), FigureLogger("log_figure")
    loggers = [board, lightning.loggers.CSVLogger(tmp_path), flow]
    fit_digits([ReliabilityCallback(from_logits=True)], tmp_path, 2, logger=loggers)
    label = "probability of the likeliest class"
    assert board.figures == [
        ("val_reliability", 4, label, "validation, epoch 0"),
        ("val_reliability", 8, label, "validation, epoch 1"),
    ]
    assert [told[:2] for told in flow.figures] == [
        ("a run", "val_reliability/val_reliability_epoch_0000_step_000004.png"),
        ("a run", "val_reliability/val_reliability_epoch_0001_step_000008.png"),
    ]
    assert not (tmp_path / "reliability").exists()
    gc.collect()
    assert not pyplot.get_fignums()
    assert [figure() for figure in board.alive] == [None, None]


def test_diagrams_become_files_if_no_logger_takes_them_or_a_folder_is_named(tmp_path: Path) -> None:
    board = FigureLogger("add_figure")
    folder = tmp_path / "mine"
    named = ReliabilityCallback(from_logits=True, name="head/1", folder=folder, every=2)
    fit_digits([named], tmp_path, 3, logger=board)
    fit_digits(
        [ReliabilityCallback(from_logits=True)],
        tmp_path / "new",
        1,
        logger=lightning.loggers.CSVLogger(tmp_path),
    )
    names = sorted(file.name for file in folder.iterdir())
    assert names == [
        "val_head_1_epoch_0000_step_000004.png",
        "val_head_1_epoch_0002_step_000012.png",
    ]
    assert len(board.figures) == 2
    (file,) = (tmp_path / "new" / "reliability").iterdir()
    assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("from_logits", [False, True])
def test_a_diagram_shows_what_the_library_counts(from_logits: bool, weighted: bool) -> None:
    rng = np.random.default_rng(3)
    p, classes = rng.dirichlet(np.ones(4), 300), rng.integers(0, 4, 300)
    event, happened = p[:, 0], classes == 0
    weight = rng.integers(0, 3, 300) / 2 if weighted else None
    top = properly.top_label(properly.Cases(classes, p, weight=weight))
    for x, y, expected in (
        (event, happened, properly.Cases(happened, event, weight=weight)),
        (p, classes, top),
    ):
        given = np.log(x) - (np.log1p(-x) if x.ndim == 1 else 0) if from_logits else x
        callback = ReliabilityCallback(from_logits=from_logits, cells=64)
        callback.begin(SimpleNamespace(current_epoch=0), SimpleNamespace(device="cpu"), 1)
        for rows in (slice(0, 7), slice(7, 300)):
            w = None if weight is None else torch.tensor(weight[rows])
            callback.add(0, torch.tensor(given[rows]), torch.tensor(y[rows]), w)
        found = callback._metrics[0].tally()
        counted = properly.tally(expected.y, expected.p, weight=expected.weight, cells=64)
        assert np.asarray(found.weight) == pytest.approx(np.asarray(counted.weight))
        assert np.asarray(found.events) == pytest.approx(np.asarray(counted.events))
        assert np.asarray(found.value) == pytest.approx(np.asarray(counted.value), rel=1e-12)


def test_rows_that_sum_to_one_only_nearly_are_drawn() -> None:
    callback = ReliabilityCallback()
    callback.begin(SimpleNamespace(current_epoch=0), SimpleNamespace(device="cpu"), 1)
    sure = torch.tensor([[1.0000002, 0.0], [0.0, 1.0]])
    callback.add(0, sure, torch.tensor([0, 1]), None)
    assert callback._metrics[0].tally().event_rate == 1


def test_a_folder_that_is_none_is_refused_before_training(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(DataError, match=r"file is a file, not a folder$"):
        ReliabilityCallback(folder=file)
