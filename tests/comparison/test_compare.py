"""Comparing models: what is computed, what is said, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_rel

import properly
from properly import Cases, compare, score_interval
from properly.comparison._pairs import Wording, sentence
from properly.comparison._two_way import two_way
from properly.counts._answers import Losses
from properly.errors import DataError, DataWarning
from properly.rules import RPS, Bounded, Brier, Elementary, Log, Regret

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


@pytest.mark.parametrize("known", [{}, {"clusters": CLUSTER}, {"weight": WEIGHT}, {"strata": Y}])
def test_scores_are_those_of_score_interval(known: dict[str, Any]) -> None:
    found = brier(**known)
    for name, p in MODELS.items():
        alone = score_interval(Cases(Y, p, **known), Brier())
        assert found.scores[name].value == pytest.approx(alone.value, rel=1e-13)
        assert found.scores[name].standard_error == pytest.approx(alone.standard_error, rel=1e-12)
        assert found.scores[name].interval == pytest.approx(alone.interval, rel=1e-12)
        assert found.scores[name].design == alone.design == found.design


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


def test_what_was_not_compared_cannot_be_asked_for() -> None:
    found = brier(reference="poor")
    assert found.pairs == (("good", "poor"), ("fair", "poor"))
    with pytest.raises(DataError, match="got \\('good', 'fair'\\)"):
        found["good", "fair"]
    with pytest.raises(DataError, match="two names of models"):
        found["good"]  # type: ignore[index]


def test_against_a_reference_fewer_pairs_are_allowed_for() -> None:
    some, every = brier(reference="good"), brier()
    assert len(some) == 2
    assert (some.adjusted_p_value <= every.adjusted_p_value[:2] + 1e-15).all()


def test_a_small_difference_of_large_scores_keeps_its_digits() -> None:
    near = np.clip(GOOD + RNG.normal(0, 1e-9, N), 0, 1)
    found = compare(Y, {"a": GOOD, "b": near}, rule=Brier())
    d = (GOOD - near) * (GOOD + near - 2 * Y)
    assert found.standard_error[0] == pytest.approx(d.std(ddof=1) / math.sqrt(N), rel=1e-5)


def test_models_that_never_differ_are_told_so() -> None:
    found = compare(Y, {"a": GOOD, "b": GOOD.copy()}, rule=Brier(), margin=0.01)
    assert found.difference[0] == 0
    assert found.standard_error[0] == 0
    assert found.p_value[0] == 1
    assert found.equivalence_p_value[0] == 0
    assert found.differing[0] == 0
    assert str(found) == "a and b never differ."


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


def test_no_winner_is_named_where_zero_is_possible() -> None:
    found = compare(Y, {"fair": FAIR, "near": np.clip(FAIR + 0.001, 0, 1)}, rule=Brier())
    low, high = found.interval[0]
    assert low < 0 < high
    expected = (
        f"fair and near cannot be told apart: difference {found.difference[0]:.4g} Brier "
        f"(95 % interval {low:.4g} to {high:.4g})."
    )
    assert str(found) == expected
    equal = compare(
        Y, {"fair": FAIR, "near": np.clip(FAIR + 0.001, 0, 1)}, rule=Brier(), margin=0.05
    )
    assert str(equal) == "fair and near are as good as each other within 0.05 Brier (p < 0.001)."


def test_a_p_value_of_exactly_the_level_shows_a_difference_to_be_small() -> None:
    found = brier(reference="poor", margin=1.0)
    for p, is_small in ((0.05, True), (math.nextafter(0.05, 1), False)):
        words = Wording("", "95 % interval", 0.05, higher_is_better=False, margin=1.0, lost={})
        pair = replace(found["good", "poor"], adjusted_equivalence_p_value=p)
        said = sentence(pair, words)
        assert said.startswith("good is better than poor by ")
        assert said.endswith(", less than the margin of 1") is is_small


def test_the_better_model_is_named_first() -> None:
    found = compare(Y, {"poor": POOR, "good": GOOD}, rule=Brier())
    low, high = found.interval[0]
    assert low > 0
    told = f"{found.difference[0]:.4g} Brier (95 % interval {low:.4g} to {high:.4g})."
    assert str(found) == f"good is better than poor by {told}"


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


def test_equivalence_is_two_one_sided_tests() -> None:
    found, m = brier(margin=0.02), 0.02
    d, e = found.difference, found.standard_error
    expected = np.maximum(student.sf((d + m) / e, N - 1), student.cdf((d - m) / e, N - 1))
    np.testing.assert_allclose(found.equivalence_p_value, expected, rtol=1e-9)
    assert np.isnan(brier().equivalence_p_value).all()


def test_a_matrix_has_the_pairs_twice() -> None:
    found = brier()
    difference, p = found.matrix(), found.matrix("p_value")
    np.testing.assert_array_equal(difference, -difference.T)
    np.testing.assert_array_equal(p, p.T)
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


def test_simultaneous_intervals_are_the_wider_the_more_pairs() -> None:
    found = brier()
    width = np.diff(found.simultaneous)[:, 0] / np.diff(found.interval)[:, 0]
    assert (width > 1.1).all()
    two = compare(Y, {"good": GOOD, "poor": POOR}, rule=Brier())
    np.testing.assert_array_equal(two.simultaneous, two.interval)


def test_classes_and_grades_are_compared_alike() -> None:
    models = {"sharp": SHARP, "flat": FLAT}
    for rule in (RPS(), Log(), Brier()):
        found = compare(GRADE, models, rule=rule)
        d = np.asarray(rule.loss(GRADE, SHARP)) - np.asarray(rule.loss(GRADE, FLAT))
        assert found.difference[0] == pytest.approx(d.mean(), rel=1e-12)
        assert found.standard_error[0] == pytest.approx(d.std(ddof=1) / math.sqrt(N), rel=1e-10)


def test_labels_and_pos_label_are_understood() -> None:
    names = np.array(["low", "mid", "high"])
    found = compare(names[GRADE], {"s": SHARP, "f": FLAT}, rule=RPS(), labels=names.tolist())
    assert found.difference[0] == compare(GRADE, {"s": SHARP, "f": FLAT}, rule=RPS()).difference[0]
    died = np.where(Y, "dead", "alive")
    said = compare(died, {"g": GOOD, "p": POOR}, rule=Brier(), pos_label="dead")
    assert said.difference[0] == compare(Y, {"g": GOOD, "p": POOR}, rule=Brier()).difference[0]


def test_few_events_are_warned_of() -> None:
    rare = np.arange(N) < 7
    with pytest.warns(DataWarning, match="with 7 events and 233 cases without it"):
        compare(rare, {"a": GOOD, "b": POOR}, rule=Brier())


def test_net_benefit_differs_as_regret_does() -> None:
    t = 0.3
    found = compare(Y, {"good": GOOD, "poor": POOR}, rule=Elementary(t))
    gains = [np.where(p >= t, Y - (1 - Y) * t / (1 - t), 0.0) for p in (GOOD, POOR)]
    d = gains[0] - gains[1]
    assert -found.difference[0] / (1 - t) == pytest.approx(d.mean(), rel=1e-12)
    assert found.p_value[0] == pytest.approx(ttest_rel(*gains).pvalue, rel=1e-9)


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


def test_all_signs_are_tried_however_many_cases_do_not_differ() -> None:
    rng = np.random.default_rng(4)
    y, p = rng.random(1000) < 0.5, rng.uniform(0.1, 0.9, 1000)
    q = p.copy()
    q[:11] = np.where(y[:11], p[:11] / 2, (1 + p[:11]) / 2)
    found = [compare(y, {"a": p, "b": q}, rule=Brier(), rng=seed) for seed in (1, 2)]
    assert [x.p_value[0] for x in found] == [2 / 2**11] * 2
    assert found[0].methods == ("sign flips",)
    assert "by sign flips" in str(found[0])


def test_diebold_and_mariano_have_degrees_of_their_own() -> None:
    options: dict[str, Any] = {"time": np.arange(N), "method": "diebold-mariano", "horizon": 2}
    found = brier(**options)
    assert found.degrees == N - 1
    ratio = np.diff(found.simultaneous)[:, 0] / np.diff(found.interval)[:, 0]
    assert (ratio < 1.4).all()


def test_equivalence_allows_for_the_number_of_pairs() -> None:
    found = brier(margin=0.05)
    expected = np.sort(found.equivalence_p_value)
    assert found.adjusted_equivalence_p_value.min() == pytest.approx(min(3 * expected[0], 1))
    plain = brier(margin=0.05, adjust="none")
    np.testing.assert_array_equal(plain.adjusted_equivalence_p_value, plain.equivalence_p_value)


def test_many_models_make_many_pairs_and_little_work() -> None:
    rng = np.random.default_rng(2)
    models = {str(k): rng.random(50) for k in range(60)}
    found = compare(np.arange(50) % 2, models, rule=Brier(), rng=1)
    assert len(found) == 1770
    assert (found.simultaneous[:, 1] > found.interval[:, 1]).all()


def test_weights_that_leave_few_cases_are_warned_of_and_told() -> None:
    weight = np.ones(N)
    weight[0] = 1e4
    with pytest.warns(DataWarning, match="the weight of 1.0 cases without it"):
        found = compare(Y, {"a": GOOD, "b": POOR}, rule=Brier(), weight=weight)
    assert ", worth 1 of equal weight" in str(found.scores["a"])


def test_many_models_are_laid_out_from_the_best_on() -> None:
    rng = np.random.default_rng(3)
    models = {f"m{k}": np.clip(TRUTH + rng.normal(0, k / 10, N), 0.01, 0.99) for k in range(5)}
    wrong = np.where(np.arange(N) == Y.argmax(), 0.0, TRUTH)
    text = str(compare(Y, models, rule=Brier(), rng=1))
    first, _, head, *rows = text.splitlines()
    assert first == "5 models, the best first; 240 independent cases"
    assert head.split() == [
        "model",
        "Brier",
        "95",
        "%",
        "minus",
        "m0",
        "95",
        "%",
        "simultaneous",
        "adjusted",
        "p",
    ]
    assert [row.split()[0] for row in rows[:5]] == ["m0", "m1", "m2", "m3", "m4"]
    assert rows[4].split()[5].endswith("*")
    assert "significant difference from m0, adjusted for 10 pairs" in text.replace("\n  ", " ")
    against = compare(Y, models | {"w": wrong}, rule=Log(), reference="m4", adjust="none", rng=1)
    told = str(against)
    assert "minus m4" in told
    assert told.splitlines()[8].split() == ["w", "inf", "-", "+inf", "-", "-"]


def test_few_or_unequal_clusters_are_warned_of() -> None:
    models = {"a": GOOD, "b": POOR}
    with pytest.warns(DataWarning, match="^with 4 clusters, intervals may cover less"):
        compare(Y, models, rule=Brier(), clusters=np.arange(N) % 4)
    large = np.where(np.arange(N) < 200, 0, np.arange(N))
    with pytest.warns(DataWarning, match="with 41 clusters that say as much as 1.4 of equal size"):
        compare(Y, models, rule=Brier(), clusters=large)


def test_a_difference_may_be_certain_and_too_small_to_matter() -> None:
    found = compare(Y, {"good": GOOD, "poor": POOR}, rule=Brier(), margin=0.9)
    assert str(found).endswith("), less than the margin of 0.9.")


def test_two_infinite_losses_are_no_constant() -> None:
    # Warnings are errors: infinity minus infinity would be one.
    models: dict[str, Any] = {"a": [0.1, 0.2, 0.3], "b": [1.0, 1.0, 1.0]}
    with pytest.warns(DataWarning, match="0 events"):
        found = properly.compare([0, 0, 0], models, rule=Log(), rng=1)
    assert found.scores["b"].value == math.inf
    assert found.scores["b"].infinite_cases == 3


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


def test_columns_bring_their_names_unless_two_have_the_same() -> None:
    pandas = pytest.importorskip("pandas")
    good, poor = pandas.Series(GOOD, name="good"), pandas.Series(POOR, name="poor")
    assert compare(Y, good, poor).models == ("good", "poor")
    assert compare(Y, good, good + 0.001).models == ("model 1", "model 2")


def test_one_step_ahead_diebold_and_mariano_have_the_error_of_a_mean() -> None:
    found = brier(time=np.arange(N), method="diebold-mariano")
    for k, (first, second) in enumerate(found.pairs):
        d = losses()[first] - losses()[second]
        assert found.standard_error[k] == pytest.approx(d.std(ddof=1) / math.sqrt(N), rel=1e-12)
    assert found.degrees == N - 1


def test_unequal_clusters_are_corrected_for_as_on_the_leaderboard() -> None:
    """Without gaps, a fit of questions and forecasters has the same variance and degrees."""
    rng = np.random.default_rng(12)
    label = np.repeat(np.arange(40), rng.integers(1, 13, 40))
    n = len(label)
    y, p, q = rng.random(n) < 0.4, rng.random(n), rng.random(n)
    loss = np.stack([(x - y) ** 2 for x in (p, q)], axis=1).ravel()
    cell, who = np.repeat(np.arange(n), 2), np.tile([0, 1], n)
    losses = Losses(cell, who, loss, np.ones(2 * n), np.arange(n), np.ones(n))
    fit = two_way(losses, 2, label)
    found = compare(y, {"p": p, "q": q}, rule=Brier(), clusters=label, rng=1)
    error = fit.errors(np.array([0]), np.array([1]))[0]
    assert found.standard_error[0] == pytest.approx(error, rel=1e-10)
    assert found.degrees == pytest.approx(fit.degrees[0, 1], rel=1e-10)
    assert found.degrees < 39


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
