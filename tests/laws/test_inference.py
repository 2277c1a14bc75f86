"""What holds for every comparison of models, whatever the rule, the data and the design."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import properly
from properly.rules import Brier, Log, Spherical

from . import class_subjects
from .inference_draws import (
    DESIGNS,
    ROWS,
    RULES,
    Study,
    any_rule,
    assert_same,
    compared,
    designs,
    every_rule,
    few,
    numbers,
    study_for,
    study_of,
)
from .subjects import seeds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Few cases make for quick laws.
pytestmark = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")

# The design


@every_rule
def test_only_the_ratios_of_weights_matter_in_any_order(rule: Any, classes: int | None) -> None:
    study = study_for(classes)
    heavier = study.told("clusters", "strata", weight=37.5 * study.known["weight"])
    found = heavier.rows(np.random.default_rng(5).permutation(ROWS)).compare(rule)
    expected = compared(rule, classes)
    assert_same(numbers(found), numbers(expected))
    assert found.effective_cases == pytest.approx(expected.effective_cases, rel=1e-12)


@few
@given(which=any_rule, seed=seeds)
def test_cases_that_are_clusters_of_their_own_are_independent(which: Any, seed: int) -> None:
    rule, classes = which
    study = study_of(seed, classes)
    alone = study.told(clusters=np.arange(ROWS)[::-1])
    found, expected = alone.compare(rule), study.told().compare(rule)
    assert_same(numbers(found), numbers(expected))
    assert found.degrees == expected.degrees == ROWS - 1


@few
@given(seed=seeds, names=designs)
def test_rows_of_weight_zero_are_not_there(seed: int, names: tuple[str, ...]) -> None:
    study = study_of(seed).told(*names)
    weight = study.known.get("weight", np.ones(ROWS))
    more = study.rows(np.append(np.arange(ROWS), np.arange(5)))
    more = more.told(*names, weight=np.append(weight, np.zeros(5)))
    assert_same(numbers(more.compare(Log())), numbers(study.compare(Log())))


@few
@given(seed=seeds, name=st.sampled_from(["weight", "clusters"]))
def test_of_times_only_the_order_matters(seed: int, name: str) -> None:
    study = study_of(seed).told("time", name)
    time = study.known["time"]
    later = study.told(name, time=np.exp(time / 10.0) - 3)
    for other in (later, study.rows(np.argsort(time))):
        assert_same(numbers(other.compare(Brier())), numbers(study.compare(Brier())))


@few
@given(seed=seeds, names=st.sampled_from([("time",), ("clusters",), ("clusters", "time")]))
def test_what_is_seen_together_counts_once(seed: int, names: tuple[str, ...]) -> None:
    """Cases of a time, or of a cluster, are added up: to repeat all of them adds nothing."""
    study = study_of(seed).told(*names)
    twice = study.rows(np.tile(np.arange(ROWS), 2))
    assert_same(numbers(twice.compare(Brier())), numbers(study.compare(Brier())))


# Pairs


@every_rule
def test_swapping_two_models_turns_the_sign(rule: Any, classes: int | None) -> None:
    found = study_for(classes).compare(rule, "ba")["b", "a"]
    other = compared(rule, classes)["a", "b"]
    asked = compared(rule, classes)["b", "a"]
    assert (asked.difference, asked.p_value) == (-other.difference, other.p_value)
    assert asked.interval == (-other.interval[1], -other.interval[0])
    assert found.difference == pytest.approx(-other.difference, rel=1e-12, abs=1e-15)
    assert found.standard_error == pytest.approx(other.standard_error, rel=1e-12)
    assert found.p_value == pytest.approx(other.p_value, rel=1e-9)
    assert found.interval == pytest.approx(
        (-other.interval[1], -other.interval[0]), rel=1e-9, abs=1e-12
    )


@few
@given(which=any_rule, seed=seeds, names=designs)
def test_the_interval_holds_zero_unless_the_test_refuses_it(
    which: Any, seed: int, names: tuple[str, ...]
) -> None:
    rule, classes = which
    study = study_of(seed, classes).told(*names)
    p = study.compare(rule)["a", "b"].p_value
    for level in (0.99 * (1 - p), 1 - 0.99 * p):
        pair = study.compare(rule, level=level)["a", "b"]
        lower, upper = pair.interval
        assert pair.p_value == p
        assert (lower <= 0 <= upper) == (p > 1 - level)


@every_rule
def test_a_difference_is_that_of_two_scores(rule: Any, classes: int | None) -> None:
    study, found = study_for(classes), compared(rule, classes)
    first, second = (found.scores[name] for name in "ab")
    assert found["a", "b"].difference == pytest.approx(first.value - second.value, abs=1e-12)
    alone = properly.score_interval(study.cases("a"), rule)
    assert first.value == pytest.approx(alone.value, rel=1e-14)
    assert first.standard_error == pytest.approx(alone.standard_error, rel=1e-12)
    assert first.interval == pytest.approx(alone.interval, rel=1e-12)


@every_rule
def test_a_model_and_its_copy_never_differ(rule: Any, classes: int | None) -> None:
    study = study_for(classes)
    pair = study.with_model("b", study.models["a"].copy()).compare(rule)["a", "b"]
    assert (pair.difference, pair.standard_error, pair.p_value) == (0, 0, 1)
    assert pair.differing == 0
    assert "never differ" in pair.sentence


@few
@given(which=any_rule, seed=seeds, names=designs)
def test_more_questions_only_widen(which: Any, seed: int, names: tuple[str, ...]) -> None:
    rule, classes = which
    found = study_of(seed, classes).told(*names).compare(rule, "abc")
    raw, adjusted = found.p_value, found.adjusted_p_value
    assert found.pairs == (("a", "b"), ("a", "c"), ("b", "c"))
    assert (adjusted >= raw).all()
    assert (np.diff(adjusted[np.argsort(raw)]) >= 0).all()
    # No worse than Bonferroni, which allows for any dependence.
    assert (adjusted <= np.minimum(3 * raw, 1)).all()
    assert (found.simultaneous[:, 0] <= found.interval[:, 0]).all()
    assert (found.simultaneous[:, 1] >= found.interval[:, 1]).all()


@few
@given(seed=seeds, names=designs)
def test_other_models_change_no_pair(seed: int, names: tuple[str, ...]) -> None:
    study = study_of(seed).told(*names)
    pair, crowd = study.compare(Log()), study.compare(Log(), "cab")["a", "b"]
    assert_same([crowd.difference, crowd.standard_error, crowd.p_value], numbers(pair)[:3, 0])
    assert_same(crowd.interval, pair.interval[0])


# Infinite losses


def contradicted(study: Study, name: str) -> Study:
    """Let a model exclude both what happened first and what happened second."""
    p = study.models[name].copy()
    if p.ndim == 1:
        p[:2] = 1 - study.y[:2]
    else:
        p[:2] = np.eye(p.shape[1])[(study.y[:2] + 1) % p.shape[1]]
    return study.with_model(name, p)


def is_infinite(rule: Any, classes: int | None) -> bool:
    study = contradicted(study_for(classes), "a")
    return bool(np.isinf(np.asarray(rule.loss(study.y, study.models["a"]))).any())


INFINITE = [(rule, classes) for rule, classes in RULES if is_infinite(rule, classes)]


@pytest.mark.parametrize(("rule", "classes"), INFINITE)
def test_two_infinite_scores_cannot_be_compared(rule: Any, classes: int | None) -> None:
    study = contradicted(contradicted(study_for(classes), "a"), "b")
    pair = study.compare(rule)["a", "b"]
    assert np.isnan([pair.difference, pair.standard_error, pair.p_value]).all()


# Classes


TWICE = [(Log(), Log()), (Spherical(), Spherical()), (Brier(), Brier("half"))]


@pytest.mark.parametrize(("binary", "rule"), TWICE)
@few
@given(seed=seeds, names=st.sampled_from(DESIGNS))
def test_an_event_is_two_classes(binary: Any, rule: Any, seed: int, names: tuple[str, ...]) -> None:
    study = study_of(seed).told(*names)
    columns = {name: np.stack([1 - p, p], axis=1) for name, p in study.models.items()}
    split = Study(study.y, columns, study.known)
    assert_same(numbers(split.compare(rule)), numbers(study.compare(binary)))


SYMMETRIC = [subject for subject in class_subjects.SUBJECTS if subject.symmetric]


@pytest.mark.parametrize("subject", SYMMETRIC, ids=repr)
def test_classes_may_have_any_name_and_any_order(subject: class_subjects.ClassSubject) -> None:
    classes = subject.classes[-1]
    study = study_for(classes)
    order = np.random.default_rng(8).permutation(classes)
    names = np.array(["elm", "oak", "ash", "fir", "yew"])[:classes]
    shuffled = {name: p[:, order] for name, p in study.models.items()}
    renamed = Study(names[study.y], shuffled, study.known)
    found = renamed.compare(subject.rule, labels=list(names[order]))
    assert_same(numbers(found), numbers(study.compare(subject.rule)))
