"""Comparing models: what is computed, what is said, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

import properly
from properly import Cases, compare
from properly.errors import DataWarning
from properly.rules import RPS, Bounded, Brier, Log, Regret

RNG = np.random.default_rng(5)
N = 240
TRUTH = RNG.beta(2, 3, N)
Y = RNG.random(N) < TRUTH
GOOD = np.round(TRUTH, 3)
FAIR = np.clip(np.round(TRUTH + RNG.normal(0, 0.15, N), 3), 0.01, 0.99)
POOR = np.round(RNG.uniform(0.05, 0.95, N), 3)
MODELS = {"good": GOOD, "fair": FAIR, "poor": POOR}
CLUSTER = RNG.integers(0, 30, N)
WEIGHT = RNG.gamma(2.0, size=N)
GRADE = RNG.integers(0, 3, N)
SHARP, FLAT = RNG.dirichlet([1, 1, 1], N), RNG.dirichlet([9, 9, 9], N)


def brier(**options: Any) -> properly.comparison.Comparison:
    return compare(Y, MODELS, rule=Brier(), rng=1, **options)


def losses() -> dict[str, Any]:
    return {name: (p - Y) ** 2 for name, p in MODELS.items()}


def test_each_pair_is_a_paired_t_test() -> None:
    found, loss = brier(), losses()
    assert found.pairs == (("good", "fair"), ("good", "poor"), ("fair", "poor"))
    for k, (first, second) in enumerate(found.pairs):
        expected = ttest_rel(loss[first], loss[second])
        assert found.difference[k] == pytest.approx((loss[first] - loss[second]).mean(), rel=1e-12)
        assert found.p_value[k] == pytest.approx(expected.pvalue, rel=1e-9)
        ends = expected.confidence_interval(0.95)
        assert found.interval[k].tolist() == pytest.approx([ends.low, ends.high], rel=1e-9)


def test_areas_are_those_of_auc_interval() -> None:
    found = compare(Y, MODELS, rule="auc", clusters=CLUSTER, rng=1)
    for name, p in MODELS.items():
        alone = properly.inference.auc_interval(Cases(Y, p, clusters=CLUSTER))
        assert found.scores[name].interval == pytest.approx(alone.interval, rel=1e-12)
    assert found.higher_is_better
    assert np.isnan(found.ratio).all()
    assert found.methods == ("DeLong",) * 3
    assert found["good", "poor"].sentence.startswith("good is better than poor by ")


def test_a_pair_can_be_asked_for_either_way_round() -> None:
    found = brier(margin=0.01)
    one, other = found["good", "poor"], found["poor", "good"]
    assert (other.first, other.second) == ("poor", "good")
    assert other.difference == -one.difference
    assert other.interval == (-one.interval[1], -one.interval[0])
    assert other.simultaneous == (-one.simultaneous[1], -one.simultaneous[0])
    assert other.ratio == pytest.approx(1 / one.ratio)
    assert other.ratio_interval == pytest.approx([1 / x for x in one.ratio_interval[::-1]])
    assert other.p_value == one.p_value
    assert other.sentence == one.sentence
    assert other.turned().interval == one.interval


def test_a_ratio_of_which_nothing_is_known_may_be_anything() -> None:
    with pytest.warns(DataWarning, match="with 1 event and 1 case"):
        found = compare([1, 0], [1.0, 0.5], [0.5, 0.5], level=0.9999)
    # Student's t reaches 6366 standard errors, each of which is the ratio itself.
    assert found.ratio.tolist() == found.ratio_error.tolist() == [0.5]
    assert found.ratio_interval.tolist() == [[0.0, math.inf]]
    assert found["model 2", "model 1"].ratio_interval == (0.0, math.inf)


def test_a_small_difference_of_large_scores_keeps_its_digits() -> None:
    near = np.clip(GOOD + RNG.normal(0, 1e-9, N), 0, 1)
    found = compare(Y, {"a": GOOD, "b": near}, rule=Brier())
    d = (GOOD - near) * (GOOD + near - 2 * Y)
    assert found.standard_error[0] == pytest.approx(d.std(ddof=1) / math.sqrt(N), rel=1e-5)


def test_few_that_differ_are_tested_by_changing_signs() -> None:
    rule = Bounded(Brier(), (0.9, 0.95))
    near = np.where(np.arange(N) < 12, 0.93, 0.5)
    found = compare(Y, {"a": np.full(N, 0.5), "b": near}, rule=rule, rng=1)
    assert found.differing[0] == 12
    assert found.methods == ("sign flips",)
    forced = compare(Y, {"a": np.full(N, 0.5), "b": near}, rule=rule, rng=1, method="t")
    assert forced.methods == ("Student's t",)
    assert forced.p_value[0] != found.p_value[0]


@pytest.mark.filterwarnings("ignore:with 2 clusters")
def test_signs_of_clusters_are_changed_together() -> None:
    options = {"method": "sign-flip", "replicates": 499}
    alone = compare(Y, {"a": GOOD, "b": FAIR}, rule=Brier(), rng=2, **options)  # type: ignore[arg-type]
    two = CLUSTER % 2
    found = compare(Y, {"a": GOOD, "b": FAIR}, rule=Brier(), rng=2, clusters=two, **options)  # type: ignore[arg-type]
    assert found.p_value[0] in (0.5, 1.0)
    assert alone.p_value[0] < 0.5


def test_an_infinite_score_is_set_apart_and_spoils_nothing() -> None:
    wrong = FAIR.copy()
    wrong[Y.argmax()] = 0
    worse = wrong.copy()
    found = compare(Y, {"good": GOOD, "wrong": wrong, "worse": worse}, rule=Log(), rng=1)
    one, both = found["good", "wrong"], found["wrong", "worse"]
    assert one.difference == -math.inf
    assert one.interval[0] == -math.inf
    assert math.isnan(one.interval[1])
    assert math.isnan(one.p_value)
    assert math.isnan(both.difference)
    assert math.isnan(both.p_value)
    told = "wrong has an infinite Log score (1 case of infinite loss), good has not"
    assert one.sentence == found["wrong", "good"].sentence == told
    assert both.sentence == "wrong and worse both have an infinite Log score"
    assert found.scores["wrong"].infinite_cases == 1
    finite = compare(Y, {"good": GOOD, "fair": FAIR, "wrong": wrong}, rule=Log(), rng=1)
    alone = compare(Y, {"good": GOOD, "fair": FAIR}, rule=Log(), rng=1)
    assert finite["good", "fair"].interval == pytest.approx(alone["good", "fair"].interval)
    assert finite["good", "fair"].adjusted_p_value == alone["good", "fair"].p_value


def test_many_comparisons_can_take_a_finding_back() -> None:
    rng = np.random.default_rng(8)
    models = {f"m{k}": np.clip(TRUTH + rng.normal(0, 0.05, N), 0.01, 0.99) for k in range(8)}
    found = compare(Y, models, rule=Brier(), rng=1)
    taken = [pair for pair in found if pair.p_value <= 0.05 < pair.adjusted_p_value]
    assert taken
    for pair in taken:
        low, high = pair.simultaneous
        assert "cannot be told apart: difference" in pair.sentence
        assert f"(95 % simultaneous interval {low:.4g} to {high:.4g})" in pair.sentence
    plain = compare(Y, models, rule=Brier(), rng=1, adjust="none")
    np.testing.assert_array_equal(plain.adjusted_p_value, plain.p_value)
    np.testing.assert_array_equal(plain.simultaneous, plain.interval)


def test_a_matrix_has_the_pairs_twice() -> None:
    found = brier()
    difference = found.matrix()
    np.testing.assert_array_equal(difference, -difference.T)
    assert difference[0, 2] == found["good", "poor"].difference
    assert np.isnan(np.diagonal(difference)).all()
    assert np.isnan(brier(reference="good").matrix()[1, 2])


def test_cases_needed_go_with_the_square_of_the_difference() -> None:
    found = brier()
    needed = found.cases_needed(0.9)
    z = 1.959963984540054 + 1.2815515655446004
    expected = np.ceil(N * (z * found.standard_error / found.difference) ** 2)
    np.testing.assert_array_equal(needed, expected)
    same = compare(Y, {"a": GOOD, "b": GOOD}, rule=Brier())
    assert same.cases_needed()[0] == np.inf
    np.testing.assert_allclose(
        found.cases_needed(0.9, difference=0.01),
        np.ceil(N * (z * found.standard_error / 0.01) ** 2),
    )


def test_labels_and_pos_label_are_understood() -> None:
    names = np.array(["low", "mid", "high"])
    found = compare(names[GRADE], {"s": SHARP, "f": FLAT}, rule=RPS(), labels=names.tolist())
    assert found.difference[0] == compare(GRADE, {"s": SHARP, "f": FLAT}, rule=RPS()).difference[0]
    died = np.where(Y, "dead", "alive")
    said = compare(died, {"g": GOOD, "p": POOR}, rule=Brier(), pos_label="dead")
    assert said.difference[0] == compare(Y, {"g": GOOD, "p": POOR}, rule=Brier()).difference[0]


def test_areas_that_differ_are_not_called_alike_for_want_of_a_standard_error() -> None:
    y = np.arange(60) % 2
    found = compare(y, {"good": 0.9 * y, "bad": 0.6 - 0.5 * y, "flat": 0 * y + 0.5}, rule="auc")
    assert found.difference.tolist() == [1.0, 0.5, -0.5]
    assert found.differing.tolist() == [60, 60, 60]
    told = "good and bad cannot be compared: difference 1 AUC, without a standard error"
    assert found["good", "bad"].sentence == told
    assert np.isnan(found.p_value).all()
    alike = compare(Y, {"p": GOOD, "cube": GOOD**3}, rule="auc")
    assert str(alike) == "p and cube rank the cases alike."


@pytest.mark.parametrize("known", [{}, {"clusters": np.arange(60) // 3}, {"time": np.arange(60)}])
def test_a_difference_that_is_the_same_in_all_cases_has_no_standard_error(
    known: dict[str, Any],
) -> None:
    p = np.random.default_rng(5).uniform(0.2, 0.9, 60)
    with pytest.warns(DataWarning, match="with 60 events and 0 cases without it"):
        found = compare(np.ones(60), {"a": p, "b": p / 2}, rule=Log(), **known)
    assert found.standard_error[0] == 0
    assert np.isnan(found.p_value[0])
    assert np.isnan(found.interval).all()
    told = "a and b cannot be compared: difference -0.6931 Log, without a standard error."
    assert str(found) == told


def test_equivalence_allows_for_the_number_of_pairs() -> None:
    found = brier(margin=0.05)
    expected = np.sort(found.equivalence_p_value)
    assert found.adjusted_equivalence_p_value.min() == pytest.approx(min(3 * expected[0], 1))
    plain = brier(margin=0.05, adjust="none")
    np.testing.assert_array_equal(plain.adjusted_equivalence_p_value, plain.equivalence_p_value)


def test_many_models_are_laid_out_from_the_best_on() -> None:
    rng = np.random.default_rng(3)
    models = {f"m{k}": np.clip(TRUTH + rng.normal(0, k / 10, N), 0.01, 0.99) for k in range(5)}
    wrong = np.where(np.arange(N) == Y.argmax(), 0.0, TRUTH)
    text = str(compare(Y, models, rule=Brier(), rng=1))
    first, _, head, *rows = text.splitlines()
    assert first == "5 models, the best first; 240 independent cases"
    assert " ".join(head.split()) == "model Brier 95 % minus m0 95 % simultaneous adjusted p"
    assert [row.split()[0] for row in rows[:5]] == ["m0", "m1", "m2", "m3", "m4"]
    assert rows[4].split()[5].endswith("*")
    assert "significant difference from m0, adjusted for 10 pairs" in text.replace("\n  ", " ")
    against = compare(Y, models | {"w": wrong}, rule=Log(), reference="m4", adjust="none", rng=1)
    told = str(against)
    assert "minus m4" in told
    assert told.splitlines()[8].split() == ["w", "inf", "-", "+inf", "-", "-"]


def test_two_models_need_neither_names_nor_a_rule() -> None:
    found = compare(Y, GOOD, POOR)
    assert found.models == ("model 1", "model 2")
    expected = compare(Y, {"model 1": GOOD, "model 2": POOR}, rule=Brier())
    assert found.to_dict() == expected.to_dict()
    assert str(found).startswith("model 1 is better than model 2 by ")


def test_three_models_follow_one_another_and_the_rule_may_be_last() -> None:
    found = compare(Y, GOOD, FAIR, POOR, Log(), rng=1)
    expected = compare(Y, dict(zip(found.models, MODELS.values(), strict=True)), rule=Log(), rng=1)
    assert found.to_dict() == expected.to_dict()
    assert compare(Y, MODELS, "auc").rule == "auc"


@pytest.mark.parametrize("size", [900, 4000])
def test_models_that_never_differ_have_a_difference_of_exactly_zero(size: int) -> None:
    rng = np.random.default_rng(size)
    # Above the range, regret does not depend on the forecast; means are rounded all the same.
    models = {name: np.full(size, 0.5 + k / 8) for k, name in enumerate("abc")}
    weight = rng.random(size)
    y = rng.random(size) < 0.3
    found = compare(y, models, rule=Regret((0.01, 0.1)), weight=weight, rng=1)
    assert found.differing.tolist() == found.difference.tolist() == [0, 0, 0]
    assert found.p_value.tolist() == found.adjusted_p_value.tolist() == [1, 1, 1]
