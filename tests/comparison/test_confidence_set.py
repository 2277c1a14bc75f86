"""Which of several models may be the best one."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest
from arch.bootstrap import MCS

from properly.comparison import confidence_set
from properly.errors import MissingExtraError
from properly.rules import PBS, Brier, Log

if TYPE_CHECKING:
    from properly.comparison._confidence_set import ConfidenceSet

Column: TypeAlias = np.ndarray[Any, Any]

RNG = np.random.default_rng(1)
TRUTH = RNG.uniform(0.02, 0.98, 300)
Y = RNG.random(300) < TRUTH
MODELS = {
    "coin": np.full(300, 0.5),
    "truth": TRUTH,
    "noisy": np.clip(TRUTH + RNG.normal(0, 0.1, 300), 0, 1),
    "shy": 0.5 + 0.6 * (TRUTH - 0.5),
}
B = 200


def find(models: Any = None, y: Any = Y, **options: Any) -> ConfidenceSet:
    known: dict[str, Any] = {"rule": Brier(), "rng": 1, "replicates": B}
    return confidence_set(y, MODELS if models is None else models, **(known | options))


def squared(y: Column = Y) -> Column:
    return np.stack([(y - p) ** 2 for p in MODELS.values()], axis=1)


def by_arch(loss: Column, block: int = 1, method: Any = "R") -> dict[str, float]:
    """Return what arch finds, with the sample itself counted among the replicates."""
    seed = np.random.default_rng(1)
    found = MCS(loss, 0.1, reps=B, block_size=block, method=method, seed=seed)
    found.compute()
    names = list(MODELS)
    share = {names[i]: p for i, p in found.pvalues["Pvalue"].items()}
    return {name: (1 + B * share[name]) / (1 + B) for name in names}


@pytest.mark.parametrize("method", ["R", "max"])
def test_cases_are_drawn_one_by_one_as_arch_does(method: Any) -> None:
    found = find(method=method)
    assert found.p_value == pytest.approx(by_arch(squared(), method=method), rel=1e-14)
    assert (found.block_length, found.method, found.replicates) == (1, method, B)
    assert found.design == "300 independent cases"
    assert found.score == pytest.approx(dict(zip(MODELS, squared().mean(axis=0), strict=True)))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_the_set_holds_the_models_with_a_p_value_above_what_the_level_leaves(level: float) -> None:
    found = find(level=level)
    assert found.included == tuple(n for n in MODELS if found.p_value[n] > 1 - level)
    assert found.excluded == tuple(n for n in MODELS if found.p_value[n] <= 1 - level)
    assert min(found.p_value.values()) == 1 / (B + 1)
    best = min(found.score, key=lambda name: found.score[name])
    assert found.p_value[best] == 1
    assert best in found.included


def test_a_p_value_of_exactly_what_the_level_leaves_is_left_out() -> None:
    p = find().p_value["noisy"]
    assert p < 1
    assert "noisy" in find(level=1 - p + 1e-9).included
    assert "noisy" in find(level=1 - p).excluded


def test_cases_of_one_time_are_averaged_and_drawn_in_blocks() -> None:
    time = np.repeat(np.arange(100), 3)[np.random.default_rng(2).permutation(300)]
    mean = np.stack([squared()[time == t].mean(axis=0) for t in range(100)])
    found = find(time=time, block_length=4)
    assert found.p_value == pytest.approx(by_arch(mean, 4), rel=1e-12)
    assert (found.block_length, found.design) == (4, "100 times")
    # Each time counts as much as any other, however many cases it has.
    assert list(found.score.values()) == pytest.approx(mean.mean(axis=0).tolist(), rel=1e-12)


def test_classes_are_compared_by_a_rule_for_classes() -> None:
    rng = np.random.default_rng(4)
    p = rng.dirichlet([1, 1, 1], 200)
    y = np.array(["low", "mid", "high"])[(rng.random(200)[:, None] > p.cumsum(axis=1)).sum(axis=1)]
    models = {"truth": p, "even": np.full((200, 3), 1 / 3)}
    found = find(models, y, rule=PBS(), labels=["low", "mid", "high"])
    assert (found.included, found.excluded, found.rule) == (("truth",), ("even",), "pbs")
    halves = {name: q / 2 for name, q in models.items()}
    scaled = find(halves, y, rule=PBS(), labels=["low", "mid", "high"], normalize=True)
    assert scaled.score == pytest.approx(found.score, rel=1e-12)


def test_the_set_is_told_in_words_and_as_a_table() -> None:
    found = find(level=0.8)
    assert repr(found) == f"ConfidenceSet({len(found.included)} of 4 models, 80 %)"
    text = str(found).replace("\n  ", " ")
    assert text.startswith("by brier, the best model is among these with 80 % confidence: ")
    assert "; not coin (p <= 0.005)" in text
    assert text.endswith("; 300 independent cases")
    assert "not" not in str(find({"a": TRUTH, "b": TRUTH}))
    told = json.loads(json.dumps(found.to_dict()))
    assert told["included"] == list(found.included)
    assert told["p_value"] == found.p_value
    frame = found.to_frame("pandas")
    assert frame["model"].tolist() == list(MODELS)
    assert frame["p_is_bound"].tolist() == [p == 1 / 201 for p in found.p_value.values()]
    assert frame["included"].tolist() == [name in found.included for name in MODELS]


# Refusals


def test_without_arch_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "arch.bootstrap", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'properly\[timeseries\]'"):
        find()


@pytest.mark.parametrize("method", ["R", "max"])
def test_what_all_models_lose_does_not_hide_how_they_differ(method: Any) -> None:
    # Where the event happened all lose 1 to the last digit, and elsewhere next to nothing.
    small = {name: 1e-20 * p for name, p in MODELS.items()}
    apart = np.stack([np.where(Y, 0.0, p**2) for p in MODELS.values()], axis=1)
    found = find(small, method=method)
    assert found.p_value == pytest.approx(by_arch(apart, method=method), rel=1e-14)


def test_models_of_the_same_losses_share_a_p_value() -> None:
    twice = find(MODELS | {"again": MODELS["noisy"]}).p_value
    assert twice == find().p_value | {"again": twice["noisy"]}


@pytest.mark.parametrize("unit", [1e-100, 1e-3])
def test_differences_of_any_size_are_seen(unit: float) -> None:
    models = {"first": np.full(30, unit), "second": unit * np.arange(2, 32)}
    found = find(models, np.zeros(30), rule=Log(), replicates=39)
    assert found.p_value == {"first": 1, "second": pytest.approx(1 / 40)}
