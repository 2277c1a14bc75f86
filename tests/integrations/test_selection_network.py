"""Networks on windows of activities: trained for real, restored exactly, and polite to torch."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reproductions.epochs import crash as _selection_crash
from reproductions.epochs import networks
from reproductions.epochs import paper as _selection
from reproductions.epochs.data import ActivitySet, read
from reproductions.epochs.paper import Effort, selection
from tests.reproductions.activities import write_signals

from properly.comparison import BestEpoch

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)

RECIPE = networks.Recipe(epochs=4, width=8)


@pytest.fixture(scope="module")
def signals(tmp_path_factory: pytest.TempPathFactory) -> ActivitySet:
    return read(write_signals(tmp_path_factory.mktemp("signals"))).sets["RSSI"]


@pytest.fixture(scope="module")
def task(signals: ActivitySet) -> networks.Task:
    return networks.task_of(signals, 0)


def run(task: networks.Task, seed: int = 0, **options: Any) -> Any:
    return networks.train(task, "RSSI", seed, 0, root=1, recipe=RECIPE._replace(**options))


def test_windows_are_those_of_the_blocks_and_standardized_by_training_alone(
    signals: ActivitySet, task: networks.Task
) -> None:
    split = next(iter(networks.blocks_of(signals).splits([len(x) for x in signals.series])))
    centre, spread = (f(task_rows(signals, split.train)) for f in (np.mean, np.std))
    for x, y, starts in zip(task.x, task.y, split, strict=True):
        assert x.shape == (len(starts), 1, signals.kind.window)
        assert y.tolist() == starts[:, 0].tolist()
        expected = (task_rows(signals, starts) - centre) / spread
        assert x[:, 0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert task.x[0].mean() == pytest.approx(0, abs=1e-12)
    assert abs(task.x[2].mean()) > 1e-6


def task_rows(signals: ActivitySet, starts: Any) -> Any:
    window = signals.kind.window
    return np.stack([signals.series[k][a : a + window, 0] for k, a in starts.tolist()])


def test_every_metric_is_judged_after_every_epoch(task: networks.Task) -> None:
    found = run(task)
    names = [*networks.SELECTORS, "miscalibration"]
    for curves in (found.validation, found.test):
        assert list(curves) == names
        assert {len(values) for values in curves.values()} == {RECIPE.epochs}
        share = (task.classes - 1) / task.classes
        penalized = np.array(curves["brier"]) + share * np.array(curves["error"])
        assert curves["pbs"] == pytest.approx(penalized, rel=1e-12)
    assert found.windows == tuple(map(len, task.y))


def test_restored_weights_give_the_test_metrics_of_their_epoch(task: networks.Task) -> None:
    with networks.seeded(7):
        learner, best, told = (
            networks.Learner(task.x[0], task.y[0], task.classes, RECIPE),
            BestEpoch(),
            [],
        )
        for epoch in range(4):
            learner.learn()
            value = networks.judge(task.y[1], learner.logits(task.x[1]))["pbs"]
            # The first epoch is made the best, so that later ones would show.
            best.update(epoch, value if epoch else -1.0, learner.state)
            told.append(networks.judge(task.y[2], learner.logits(task.x[2])))
        assert best.epoch == 0
        last = networks.judge(task.y[2], learner.logits(task.x[2]))
        learner.restore(best.state)
        again = networks.judge(task.y[2], learner.logits(task.x[2]))
    assert again == told[0]
    assert again != last == told[-1]


def test_a_run_puts_its_own_selected_weights_back(task: networks.Task) -> None:
    assert run(task, epochs=6, learning_rate=0.05).restored == 0.0


def test_weights_that_are_not_copied_would_be_found_out(
    task: networks.Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(networks.Learner, "state", lambda self: self._network.state_dict())
    # In large steps training gets worse again, so that not all select the last epoch.
    assert run(task, epochs=6, learning_rate=0.05).restored > 0


def test_the_same_seed_gives_the_same_run_whatever_torch_did_before(task: networks.Task) -> None:
    first = run(task)
    torch.rand(5)
    assert asdict(run(task)) == asdict(first)
    assert asdict(run(task, seed=1)) != asdict(first)


def test_torch_is_left_as_it_was(task: networks.Task) -> None:
    torch.manual_seed(3)
    before, threads = torch.random.get_rng_state(), torch.get_num_threads()
    run(task, epochs=1)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.get_num_threads() == threads
    with pytest.raises(IndexError), networks.seeded(1):
        [].pop()
    assert torch.get_num_threads() == threads


def test_metrics_are_those_of_the_rules() -> None:
    y, logits = (
        np.array([0, 1, 2, 2]),
        np.log(np.array([[5, 3, 2], [1, 8, 1], [6, 2, 2], [1, 1, 8]])),
    )
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    found = networks.judge(y, logits)
    for name, rule in networks.RULES.items():
        assert found[name] == pytest.approx(float(np.mean(rule.loss(y, p))), rel=1e-12)
    assert found["error"] == 0.25
    assert found["macro_f1"] == pytest.approx((2 / 3 + 1 + 2 / 3) / 3, rel=1e-12)
    # Of the likeliest class: .5, .8 and .8 happened, .6 did not. Recalibrated, .5 and .6 are 1/2.
    brier = (0.5**2 + 0.2**2 + 0.6**2 + 0.2**2) / 4
    assert found["miscalibration"] == pytest.approx(brier - 2 * 0.25 / 4, rel=1e-9)


def test_the_whole_experiment_runs_on_real_networks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_selection, "QUICK", Effort(seeds=2, splits=(0,), recipe=RECIPE))
    data = write_signals(tmp_path / "data")
    # The other part has tests of its own.
    monkeypatch.setattr(_selection_crash, "is_there", lambda _: False)
    first = selection(data, work=tmp_path / "runs", rng=5)
    assert str(selection(data, work=tmp_path / "runs", rng=5)) == str(first)
    assert str(selection(data, rng=5)) == str(first)
    assert "2 networks trained: 2 seeds, 1 split, 4 epochs" in str(first)
