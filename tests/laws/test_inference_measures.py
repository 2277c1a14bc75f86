"""What holds for intervals of areas, net benefit, skill and groups, whatever data and design."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

import properly
from properly.rules import Elementary

from .inference_draws import (
    ROWS,
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

# Ranking


def share_above(y: Any, p: Any, weight: Any) -> tuple[float, Floats]:
    """Return the AUC and its influences from all pairs of an event and another case."""
    event, none = y == 1, y == 0
    above = np.sign(p[event][:, None] - p[none][None, :]) / 2 + 0.5
    heavy, light = weight[event], weight[none]
    area = heavy @ above @ light / heavy.sum() / light.sum()
    influence = np.empty(len(y))
    influence[event] = heavy * (above @ light / light.sum() - area) / heavy.sum()
    influence[none] = light * (heavy @ above / heavy.sum() - area) / light.sum()
    return float(area), influence


def variance_of(influence: Floats, unit: Any, stratum: Any) -> float:
    """Sum over strata what their units' totals say, the textbook way."""
    total = 0.0
    for h in np.unique(stratum):
        units = np.unique(unit[stratum == h])
        sums = np.array([influence[unit == g].sum() for g in units])
        total += len(units) / (len(units) - 1) * ((sums - sums.mean()) ** 2).sum()
    return total


@few
@given(seed=seeds, names=st.sampled_from([(), ("weight",), ("clusters",)]))
def test_the_area_has_the_variance_of_all_pairs(seed: int, names: tuple[str, ...]) -> None:
    study = study_of(seed).told(*names)
    weight = study.known.get("weight", np.ones(ROWS))
    unit = study.known.get("clusters", np.arange(ROWS))
    stratum = np.zeros(ROWS) if "clusters" in names else study.y
    found = study.compare("auc", "abc")
    parts = {name: share_above(study.y, p, weight) for name, p in study.models.items()}
    for first, second in found.pairs:
        pair = found[first, second]
        expected = parts[first][0] - parts[second][0]
        assert pair.difference == pytest.approx(expected, rel=0, abs=1e-13)
        variance = variance_of(parts[first][1] - parts[second][1], unit, stratum)
        assert pair.standard_error == pytest.approx(math.sqrt(variance), rel=1e-10, abs=1e-13)
    for name, (area, influence) in parts.items():
        alone = properly.inference.auc_interval(study.cases(name))
        assert alone.value == pytest.approx(area, rel=0, abs=1e-13)
        error = math.sqrt(variance_of(influence, unit, stratum))
        assert alone.standard_error == pytest.approx(error, rel=1e-10, abs=1e-13)


# Decisions and skill


@few
@given(seed=seeds, t=st.integers(1, 9).map(lambda tenth: tenth / 10))
def test_differences_of_net_benefit_are_tested_as_those_of_regret(seed: int, t: float) -> None:
    study = study_of(seed).told()
    pair = study.compare(Elementary(t))["a", "b"]
    first, second = (properly.inference.net_benefit_interval(study.cases(name), t) for name in "ab")
    assert first.value - second.value == pytest.approx(-pair.difference / (1 - t), rel=0, abs=1e-13)
    benefit = [(study.models[n] >= t) * (study.y - (1 - study.y) * t / (1 - t)) for n in "ab"]
    if pair.differing:
        assert pair.p_value == pytest.approx(ttest_rel(*benefit).pvalue, rel=1e-9)


@every_rule
def test_skill_is_one_less_the_ratio_of_scores(rule: Any, classes: int | None) -> None:
    study, found = study_for(classes), compared(rule, classes)
    first, second = (found.scores[name].value for name in "ab")
    against = properly.inference.skill_interval(study.cases("a"), rule, reference=study.models["b"])
    assert against.value == pytest.approx(1 - first / second, rel=1e-12, abs=1e-14)
    assert found.ratio[0] == pytest.approx(first / second, rel=1e-12)
    assert found.ratio_error[0] == pytest.approx(against.standard_error, rel=1e-10)
    assert_same(1 - found.ratio_interval[0][::-1], against.interval)
    # To test that two skills are equal is to test that two scores are.
    assert (against.value > 0) == (found["a", "b"].difference < 0)


@few
@given(which=any_rule, seed=seeds, names=designs)
def test_two_skills_differ_as_two_scores_do(which: Any, seed: int, names: tuple[str, ...]) -> None:
    rule, classes = which
    study = study_of(seed, classes).told(*names)
    found = study.compare(rule)
    common = study.models["c"]
    skills = [
        properly.inference.skill_interval(study.cases(name), rule, reference=common).value
        for name in "ab"
    ]
    reference = properly.score_interval(study.cases("c"), rule).value
    expected = -found["a", "b"].difference / reference
    assert skills[0] - skills[1] == pytest.approx(expected, rel=1e-9, abs=1e-12)


# Groups, folds and thresholds


def in_halves(study: Study) -> Any:
    """Divide the cases such that each half has as many of every outcome."""
    half = np.empty(len(study.y), dtype=int)
    for outcome in np.unique(study.y):
        half[study.y == outcome] = np.arange((study.y == outcome).sum()) % 2
    return half


@few
@given(which=any_rule, seed=seeds, names=st.sampled_from([(), ("weight",), ("clusters",)]))
def test_scores_of_groups_add_up_to_the_score(
    which: Any, seed: int, names: tuple[str, ...]
) -> None:
    rule, classes = which
    study = study_of(seed, classes, 120).told(*names)
    half = in_halves(study)
    cases = properly.Cases(study.y, study.models["a"], groups=half, **study.known)
    found = properly.by_group(cases, rule, replicates=1, rng=1)
    weight = np.bincount(half, study.known.get("weight"))
    whole = properly.score_interval(study.cases(), rule).value
    assert weight @ found.score / weight.sum() == pytest.approx(whole, rel=1e-12)
    # The rest of one half is the other.
    assert found.difference[0] == pytest.approx(found.score[0] - found.score[1], abs=1e-13)
    assert_same(found.difference[1], -found.difference[0])
    assert_same(found.p_value[1], found.p_value[0])
    for place, part in enumerate(cases.by_group().values()):
        alone = properly.score_interval(part, rule)
        assert found.score[place] == pytest.approx(alone.value, rel=1e-12)
        assert found.standard_error[place] == pytest.approx(alone.standard_error, rel=1e-10)


@few
@given(which=any_rule, seed=seeds, names=st.sampled_from([(), ("weight",)]))
def test_scores_of_folds_add_up_to_the_score(which: Any, seed: int, names: tuple[str, ...]) -> None:
    rule, classes = which
    study = study_of(seed, classes, 120).told(*names)
    fold, models = in_halves(study), {name: study.models[name] for name in "ab"}
    found = properly.by_fold(study.y, models, fold, rule=rule, rng=1, **study.known)
    together = study.compare(rule, method="auto")
    weight = np.bincount(fold, study.known.get("weight"))
    for name in "ab":
        part = found.models[name]
        assert part.pooled.value == pytest.approx(together.scores[name].value, rel=1e-12)
        mean = weight @ part.fold_scores / weight.sum()
        assert mean == pytest.approx(part.pooled.value, rel=1e-12)
        assert part.mean_of_folds == pytest.approx(part.fold_scores.mean(), rel=1e-12)
    assert_same(weight @ found.fold_differences[0] / weight.sum(), together.difference[0])
    assert found.comparison is not None
    assert_same(numbers(found.comparison), numbers(together))


@few
@given(seed=seeds, names=st.sampled_from([(), ("weight",), ("clusters",), ("strata",)]))
def test_at_each_threshold_dominance_is_a_comparison(seed: int, names: tuple[str, ...]) -> None:
    study = study_of(seed, rows=240).told(*names)
    first, second = study.cases("a"), study.cases("b")
    thresholds = [0.25, 0.5, 0.75]
    found = properly.decisions.dominance(first, second, thresholds=thresholds, replicates=19, rng=1)
    back = properly.decisions.dominance(second, first, thresholds=thresholds, replicates=19, rng=1)
    assert_same(back.difference, -found.difference)
    for place, t in enumerate(thresholds):
        pair = study.compare(Elementary(t))["a", "b"]
        assert_same(found.difference[place], 2 * pair.difference)
        error = found.standard_error[place]
        # Too few clusters may differ for a band; of 240 independent cases enough do.
        if "clusters" not in names or np.isfinite(error):
            assert_same(error, 2 * pair.standard_error)
    assert_same(found.upper - found.difference, found.quantile * found.standard_error)
    assert_same(found.difference - found.lower, found.quantile * found.standard_error)
