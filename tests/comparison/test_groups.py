"""Groups of cases, each against the rest."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom, ttest_ind
from scipy.stats import t as student
from tests.inference_numbers import CLUSTER, GROUP, P1, STRATUM, TIME, WEIGHT, Y, assert_published

import properly
from properly.calibration._components import CellSizes
from properly.calibration._line import Subject, find_line
from properly.comparison import _groups, by_group
from properly.errors import DataWarning
from properly.inference._multiplicity import holm
from properly.rules import RPS, Brier, Log, Rule, Shifted

if TYPE_CHECKING:
    from properly.comparison import Groups

MEASURES = ("score", "skill", "observed_expected")
EXPECTED = "ten expected events and ten expected non-events"
# Three groups of 100 each, with clusters inside and across them.
RNG = np.random.default_rng(20240607)
P = RNG.uniform(0.05, 0.95, 300)
HAPPENED = RNG.uniform(size=300) < P
THIRD = np.repeat(["a", "b", "c"], 100)
NESTED, ACROSS = np.arange(300) // 5, np.arange(300) % 40
WEIGHTS = RNG.uniform(0.5, 2.0, 300)
PROBABILITIES = RNG.dirichlet(np.ones(3), 300)
CLASS = np.array([RNG.choice(3, p=row) for row in PROBABILITIES])


def groups_of(rule: Rule | None = None, groups: Any = THIRD, **known: Any) -> Groups:
    options = {name: known.pop(name) for name in ("level", "reference") if name in known}
    cases = properly.Cases(HAPPENED, P, groups=groups, **known)
    return by_group(cases, rule or Brier(), replicates=19, rng=1, **options)


@pytest.fixture(scope="module")
def three() -> Groups:
    return groups_of()


# Numbers of a group by itself


def test_every_number_of_a_group_is_the_published_one() -> None:
    cases = properly.Cases(Y, P1, groups=GROUP)
    with pytest.warns(DataWarning, match="in 1 of [0-9] groups with intervals"):
        found = by_group(cases, Brier(), replicates=19, rng=1)
    for g, name in enumerate("abcd"):
        numbers = {
            "n": found.cases[g],
            "brier": found.score[g],
            "brier.se": found.standard_error[g],
            "oe": found.observed_expected[g],
        }
        for what, number in numbers.items():
            assert_published(f"group.{name}.{what}", float(number))


@pytest.mark.parametrize(
    "known",
    [{}, {"weight": WEIGHTS}, {"clusters": NESTED}, {"clusters": ACROSS, "weight": WEIGHTS}],
    ids=["independent", "weighted", "nested clusters", "clusters across"],
)
def test_a_group_is_judged_as_if_it_were_alone(known: dict[str, Any]) -> None:
    found = groups_of(**known)
    parts = properly.Cases(HAPPENED, P, groups=THIRD, **known).by_group()
    for g, cases in enumerate(parts.values()):
        summary = properly.calibration_summary(cases, replicates=1, rng=1)
        alone = {
            "score": properly.score_interval(cases, Brier()),
            "skill": properly.inference.skill_interval(cases, Brier()),
            "observed_expected": summary.observed_expected,
        }
        for name, estimate in alone.items():
            measure = found.measures[name]
            assert measure.value[g] == pytest.approx(estimate.value, rel=1e-12)
            assert measure.standard_error[g] == pytest.approx(estimate.standard_error, rel=1e-9)
            np.testing.assert_allclose(measure.interval[g], estimate.interval, rtol=1e-9)
        assert found.slope[g] == pytest.approx(summary.slope.value, rel=1e-12)


# Differences from the rest


def test_of_two_groups_the_difference_is_that_of_two_samples() -> None:
    found = groups_of(groups=THIRD == "a")
    loss = (P - HAPPENED) ** 2
    welch = ttest_ind(loss[THIRD == "a"], loss[THIRD != "a"], equal_var=False)
    score = found.measures["score"]
    assert score.difference[1] / score.difference_error[1] == pytest.approx(welch.statistic)
    assert score.difference_error[0] == pytest.approx(np.hypot(*score.standard_error))


def test_two_groups_are_one_comparison(three: Groups) -> None:
    two = groups_of(groups=THIRD == "a").measures["score"]
    np.testing.assert_array_equal(two.adjusted_p_value, two.p_value)
    np.testing.assert_allclose(two.simultaneous, two.difference_interval)
    np.testing.assert_allclose(two.difference[0], -two.difference[1])
    # Among three, the same comparison pays for the others.
    assert three.adjusted_p_value[0] >= three.p_value[0] == pytest.approx(two.p_value[1])
    assert (three.measures["score"].quantile > 1.968).all()


@pytest.mark.parametrize("name", MEASURES)
def test_adjusted_p_values_agree_with_simultaneous_intervals(three: Groups, name: str) -> None:
    found = three.measures[name]
    assert (found.adjusted_p_value >= found.p_value).all()
    assert (found.adjusted_p_value <= 3 * found.p_value).all()
    outside = (found.simultaneous > 0).all(axis=1) | (found.simultaneous < 0).all(axis=1)
    np.testing.assert_array_equal(found.adjusted_p_value <= 1 - three.level, outside)
    alone, joint = (np.ptp(x, axis=1) for x in (found.difference_interval, found.simultaneous))
    assert (joint > alone).all()
    assert (found.simultaneous[:, 0] < found.difference).all()
    assert (found.difference < found.simultaneous[:, 1]).all()


def test_intervals_end_where_a_straightened_difference_would_be_too_large(three: Groups) -> None:
    found, loss = three.measures["score"], (P - HAPPENED) ** 2
    for g in range(3):
        some = np.arange(300) // 100 == g
        u, v = ((loss[x] - loss[x].mean()) / x.sum() for x in (some, ~some))
        u, v = u * np.sqrt(100 / 99), v * np.sqrt(200 / 199)
        error = found.difference_error[g]
        skew = ((u**3).sum() - (v**3).sum()) / error**3
        t = found.difference[g] / error
        straight = t + skew * t**2 / 3 + skew**2 * t**3 / 27
        p = 2 * student.sf(abs(straight), found.degrees[g])
        assert found.p_value[g] == pytest.approx(p, rel=1e-6)
        ends = (found.difference[g] - found.simultaneous[g]) / error
        reach = ((1 + skew * ends / 3) ** 3 - 1) / skew
        np.testing.assert_allclose(reach, [found.quantile[g], -found.quantile[g]], rtol=1e-6)


def satterthwaite(share: float, inside: int, outside: int) -> float:
    """Return Welch's degrees of freedom, with the share of the group in the variance."""
    return 1 / (share**2 / (inside - 1) + (1 - share) ** 2 / (outside - 1))


def test_degrees_are_those_of_welch_and_no_more_than_if_all_cases_varied_alike() -> None:
    some = np.arange(300) < 60
    alike = satterthwaite(240 / 300, 60, 240)
    timid, bold = 0.5 + (P - 0.5) / 5, np.where(HAPPENED, P, 0.98 * P)
    for p, fewer in ((np.where(some, timid, P), False), (np.where(some, bold, timid), True)):
        cases = properly.Cases(HAPPENED, p, groups=some)
        found = by_group(cases, Brier(), replicates=19, rng=1).measures["score"]
        loss = (p - HAPPENED) ** 2
        welch = ttest_ind(loss[some], loss[~some], equal_var=False).df
        assert (welch < alike) == fewer
        # The whole sample has 299, which tell nothing about the 60.
        np.testing.assert_allclose(found.degrees, min(welch, alike))


def test_clusters_of_a_group_are_its_degrees_and_crossing_ones_are_those_of_all() -> None:
    with pytest.warns(DataWarning, match="fewer than 20 events, or non-events, are expected"):
        nested = groups_of(groups=NESTED < 6, clusters=NESTED).measures["score"]
    assert (nested.degrees <= satterthwaite(54 / 60, 6, 54) + 1e-9).all()
    assert (nested.degrees > 5).all()
    assert nested.homogeneity.p_value == pytest.approx(nested.p_value[0])
    # Each of forty clusters has cases in all three groups.
    degrees = groups_of(clusters=np.arange(300) % 20).measures["score"].degrees
    np.testing.assert_allclose(degrees, 19)
    # Where some have two and some three, it is as if they were fewer.
    degrees = groups_of(clusters=ACROSS).measures["score"].degrees
    assert ((degrees > 36) & (degrees < 39)).all()


@pytest.mark.parametrize(("clusters", "enough"), [(4, False), (5, True), (9, True), (10, True)])
def test_a_group_needs_five_clusters(clusters: int, *, enough: bool) -> None:
    label = np.where(THIRD == "a", np.arange(300) % clusters, 10 + np.arange(300) // 5)
    found = groups_of(clusters=label)
    assert found.enough.tolist() == [enough, True, True]
    assert found.units.tolist() == [clusters, 20, 20]
    for name in MEASURES:
        for what in ("interval", "simultaneous", "p_value", "quantile"):
            assert np.isfinite(getattr(found.measures[name], what)[0]).all() == enough
        assert found.measures[name].homogeneity.degrees == 1 + enough
    assert found.calibration is not None
    # With fewer than ten, the test of calibration has no p-value that is small among three.
    assert np.isfinite(found.calibration.p_value[0]) == (clusters >= 10)
    note = f"No interval without {EXPECTED}, from five clusters: 'a'."
    assert (note in found.notes) != enough
    # Nor is anything compared with a rest of four.
    two = groups_of(groups=THIRD == "a", clusters=label)
    assert np.isfinite(two.p_value).all() == enough


def test_clusters_across_groups_are_added_up_before_they_are_squared() -> None:
    found = groups_of(clusters=ACROSS).measures["score"]
    loss, some = (P - HAPPENED) ** 2, THIRD == "b"
    u = np.where(some, (loss - loss[some].mean()) / 100, -(loss - loss[~some].mean()) / 200)
    # Each side has a correction of its own; clusters have two or three cases in each third.
    sums, sizes = (
        [np.bincount(ACROSS[x], y, 40) for x, y in ((some, u[some]), (~some, u[~some]))]
        for u in (u, np.ones(300))
    )
    total = sum(x / np.sqrt(1 - n / n.sum()) for x, n in zip(sums, sizes, strict=True))
    assert found.difference_error[1] == pytest.approx(np.sqrt(total @ total))


def test_in_strata_and_times_all_cases_count() -> None:
    designs: list[dict[str, Any]] = [{"strata": STRATUM, "clusters": CLUSTER}, {"time": TIME}]
    for known in designs:
        found = by_group(
            properly.Cases(Y, P1, groups=GROUP == "a", weight=WEIGHT, **known),
            Brier(),
            replicates=19,
            rng=1,
        )
        # The mean of all is that of both groups, so its influences are theirs.
        whole = properly.score_interval(properly.Cases(Y, P1, weight=WEIGHT, **known), Brier())
        np.testing.assert_allclose(found.measures["score"].degrees, whole.degrees)
        assert found.measures["score"].homogeneity.p_value == pytest.approx(found.p_value[0])


def test_groups_with_a_perfect_forecast_and_a_poor_one_are_told_apart(three: Groups) -> None:
    poor = np.where(THIRD == "c", 1 - P, P)
    cases = properly.Cases(HAPPENED, poor, groups=THIRD)
    found = by_group(cases, Brier(), replicates=19, rng=1)
    assert found.worst is not None
    assert found.worst.name == "c"
    assert found.worst.simultaneous[0] > 0
    assert found.worst.simultaneous == tuple(found.simultaneous[2])
    assert found.worst_skill is not None
    assert found.worst_skill.name == "c"
    assert found.homogeneity.p_value < 1e-6 < three.homogeneity.p_value
    assert "A maximum is biased upward" in found.worst.sentence
    assert "A minimum is biased downward" in found.worst_skill.sentence


def test_observed_to_expected_is_compared_by_factors() -> None:
    # In group c twice as much is forecast: observed to expected is half of what it was.
    low = P / 2
    found = [
        by_group(properly.Cases(HAPPENED, p, groups=THIRD), Brier(), replicates=19, rng=1)
        for p in (low, np.where(THIRD == "c", 2 * low, low))
    ]
    one, other = (x.measures["observed_expected"] for x in found)
    assert other.value[2] == pytest.approx(one.value[2] / 2)
    assert other.difference[2] == pytest.approx(one.difference[2] - math.log(2))
    assert other.difference_error[2] == pytest.approx(one.difference_error[2])


def test_a_reference_may_be_given_for_all_cases_or_for_each() -> None:
    half = groups_of(reference=0.5).measures["skill"]
    np.testing.assert_allclose(half.value, 1 - groups_of().score / 0.25)
    each = groups_of(reference=np.full(300, 0.5)).measures["skill"]
    np.testing.assert_allclose(half.simultaneous, each.simultaneous)
    perfect = groups_of(reference=np.where(THIRD == "a", P, 0.5)).measures["skill"]
    assert perfect.value[0] == pytest.approx(0, abs=1e-15)


# Small groups


def test_small_groups_are_scored_but_have_no_interval() -> None:
    sizes = np.where(np.arange(300) < 18, "small", "large")
    sizes[60:160] = "middle"
    cases = properly.Cases(np.arange(300) % 2, P, groups=sizes)
    found = by_group(cases, Brier(), replicates=19, rng=1)
    small = found.name.index("small")
    assert found.events is not None
    assert found.events[small] == 9
    assert found.enough.tolist() == [True, True, False]
    assert np.isfinite(
        [found.score[small], found.standard_error[small], found.difference[small]]
    ).all()
    for name in MEASURES:
        measure = found.measures[name]
        for what in ("interval", "difference_interval", "simultaneous", "p_value", "shrunk"):
            assert np.isnan(getattr(measure, what)[small]).all()
            assert np.isfinite(getattr(measure, what)[:small]).all()
        assert measure.homogeneity.degrees == 1
    assert f"No interval without {EXPECTED}: 'small'." in found.notes


@pytest.mark.slow
@pytest.mark.parametrize(("events", "has_slope"), [(19, False), (20, True)])
def test_a_slope_needs_twenty_of_each(events: int, *, has_slope: bool) -> None:
    y = np.arange(300) % 2
    y[:100] = np.arange(100) < events
    cases = properly.Cases(y, P, groups=THIRD)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = by_group(cases, Brier(), replicates=19, rng=1)
    assert np.isfinite(found.slope[0]) == has_slope
    assert np.isfinite(found.interval[0]).all()
    assert found.calibration is not None
    if has_slope:
        line = find_line(Subject.of(cases.by_group()["a"]), 0.95)
        assert tuple(found.calibration.slope_interval[0]) == line.slope.interval


def test_miscalibration_needs_two_hundred_cases() -> None:
    groups = np.where(np.arange(300) < 200, "large", "small")
    found = groups_of(groups=groups)
    assert np.isnan(found.miscalibration).tolist() == [False, True]
    assert found.calibration is not None
    low, high = found.calibration.miscalibration_interval[0]
    assert 0 <= low <= found.miscalibration[0] <= high


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("always", [True, False])
def test_no_forecast_is_a_match_for_the_rate_of_what_always_happened(
    seed: int, always: bool
) -> None:
    # The sum of the weights of events is that of all weights, in whichever order they are added.
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(80) < 40, np.arange(80) % 3 == 0, always)
    weight = 10 ** rng.uniform(-3, 3, 80)
    cases = properly.Cases(y, rng.uniform(0.1, 0.9, 80), weight=weight, groups=np.arange(80) // 40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        skill = by_group(cases, Log(), replicates=19, rng=1).measures["skill"].value
    assert skill[1] == -math.inf
    assert math.isfinite(skill[0])


def test_an_improper_rule_has_no_miscalibration_and_no_skill_without_a_reference() -> None:
    rule, groups = Shifted(0.3, form="published"), np.where(np.arange(300) < 200, "a", "b")
    found = groups_of(rule, groups=groups)
    assert set(found.measures) == {"score", "observed_expected"}
    assert np.isnan([found.miscalibration, found.skill]).all()
    assert np.isfinite(found.slope).all()
    assert found.worst_skill is None
    given = groups_of(rule, groups=groups, reference=0.5)
    assert np.isfinite(given.measures["skill"].simultaneous).all()


def test_intervals_of_fewer_than_twenty_events_are_warned_of() -> None:
    p = np.where(THIRD == "a", 0.15, P)
    message = "in 1 of 3 groups with intervals, fewer than 20 events, or non-events, are expected"
    with pytest.warns(DataWarning, match=message):
        found = by_group(properly.Cases(HAPPENED, p, groups=THIRD), Brier(), replicates=19, rng=1)
    skill = found.measures["skill"]
    assert np.isnan(skill.p_value).tolist() == [True, False, False]
    assert np.isnan(skill.interval[:, 0]).tolist() == [True, False, False]
    assert "30 expected events and 30 expected non-events: 'a'." in " ".join(found.notes)


def test_the_outcomes_of_a_group_do_not_decide_whether_it_is_tested() -> None:
    # 600 answers with 65 expected errors, of which 6 are seen.
    group = np.repeat(["good", "other"], [600, 1000])
    p = np.where(group == "good", 65 / 600, 0.3) + np.tile([-0.05, 0.05], 800)
    y = np.arange(1600) % 10 < 3
    y[:600] = np.arange(600) < 6
    found = by_group(properly.Cases(y, p, groups=group), Brier(), replicates=19, rng=1)
    assert found.enough.tolist() == [True, True]
    assert found.measures["observed_expected"].p_value[0] < 1e-6
    # Ten events are seen of the five that are expected.
    p, y = np.where(group == "good", 5 / 600, 0.3), y.copy()
    y[:600] = np.arange(600) < 10
    found = by_group(properly.Cases(y, p, groups=group), Brier(), replicates=19, rng=1)
    assert found.enough.tolist() == [False, True]


def test_weights_that_differ_leave_fewer_events_than_rows() -> None:
    p = np.where(THIRD == "a", 0.1, P)
    cases = properly.Cases(HAPPENED, p, groups=THIRD)
    with pytest.warns(DataWarning, match="fewer than 20 events"):
        found = by_group(cases, Brier(), replicates=19, rng=1)
    # A hundred cases at 0.1 expect ten events, however the sum is rounded.
    assert found.enough.tolist() == [True, True, True]
    cases = properly.Cases(HAPPENED, p, groups=THIRD, weight=WEIGHTS)
    assert by_group(cases, Brier(), replicates=19, rng=1).enough.tolist() == [False, True, True]


def test_many_events_are_no_more_often_significant_than_few() -> None:
    group = np.repeat(["a", "rest"], [400, 100_000])
    y = np.arange(100_400) % 20 == 0
    y[:400] = np.arange(400) < 36
    cases = properly.Cases(y, np.full(len(y), 0.05), groups=group)
    p = by_group(cases, Brier(), calibration=False, rng=1).measures["observed_expected"].p_value
    assert p[0] == pytest.approx(2 * binom.sf(35, 400, 0.05), rel=0.1)


# Calibration within groups


def test_the_calibration_test_is_adjusted_by_holm() -> None:
    poor = np.where(THIRD == "c", 1 - P, P)
    found = by_group(properly.Cases(HAPPENED, poor, groups=THIRD), Brier(), replicates=199, rng=1)
    assert found.calibration is not None
    p = found.calibration.p_value
    assert p[2] == pytest.approx(1 / 1001)
    np.testing.assert_array_equal(found.calibration.adjusted_p_value, holm(p))


@pytest.mark.parametrize(
    ("known", "test"),
    [({"clusters": NESTED}, {"statistic": "score"}), ({"time": np.arange(300)}, {})],
)
def test_with_a_design_calibration_is_that_of_each_group_alone(known: Any, test: Any) -> None:
    found = groups_of(**known).calibration
    assert found is not None
    assert np.isfinite(found.slope).all()
    alone = properly.Cases(HAPPENED, P, groups=THIRD, **known).by_group()
    wanted = [properly.calibration_test(cases, **test).p_value for cases in alone.values()]
    np.testing.assert_allclose(found.p_value, wanted)


# Classes and infinite scores


@pytest.mark.parametrize("rule", [Brier(), Log()], ids=repr)
def test_cells_of_a_large_group_say_what_its_forecasts_say(
    monkeypatch: pytest.MonkeyPatch, rule: Rule
) -> None:
    # Of the second group wide cells are drawn, of which narrow ones are made first.
    rng, group = np.random.default_rng(3), np.repeat([0, 1], [3000, 9000])
    p = rng.beta(1, 5, len(group))
    happened = rng.uniform(size=len(p)) < p**1.2
    cases = properly.Cases(happened, p, groups=group)
    cells = by_group(cases, rule, replicates=499, rng=1).calibration
    monkeypatch.setattr(_groups, "CELLS", CellSizes())
    single = by_group(cases, rule, replicates=499, rng=2).calibration
    assert cells is not None
    assert single is not None
    width = np.ptp(single.miscalibration_interval, axis=1)
    for name in ("miscalibration", "miscalibration_interval"):
        found, known = (getattr(x, name).T for x in (cells, single))
        np.testing.assert_allclose(found / width, known / width, atol=0.1)
    np.testing.assert_array_equal(cells.slope, single.slope)
    np.testing.assert_allclose(cells.p_value, single.p_value, atol=0.1)


def test_classes_are_compared_by_score_and_skill() -> None:
    cases = properly.Cases(CLASS, PROBABILITIES, groups=THIRD)
    found = by_group(cases, RPS(), rng=1)
    assert set(found.measures) == {"score", "skill"}
    assert (found.events, found.event_rate, found.mean_forecast, found.calibration) == (None,) * 4
    assert np.isnan([found.observed_expected, found.slope, found.miscalibration]).all()
    for g, some in enumerate(cases.by_group().values()):
        estimate = properly.inference.skill_interval(some, RPS())
        assert found.skill[g] == pytest.approx(estimate.value)
        np.testing.assert_allclose(found.measures["skill"].interval[g], estimate.interval)
    uniform = by_group(cases, Brier(), reference=[1 / 3] * 3, rng=1)
    np.testing.assert_allclose(uniform.skill, 1 - uniform.score / (2 / 3))
    assert "compare skill as well" in str(found).replace("\n  ", " ")
    assert "O:E" not in str(found).replace("\n  ", " ")


def test_an_infinite_score_leaves_no_difference_but_other_numbers_stay() -> None:
    p = P.copy()
    p[np.flatnonzero(HAPPENED)[0]] = 0.0
    found = by_group(properly.Cases(HAPPENED, p, groups=THIRD), Log(), replicates=19, rng=1)
    np.testing.assert_array_equal(found.difference, [np.inf, -np.inf, -np.inf])
    assert np.isnan(found.p_value).all()
    assert np.isnan(found.simultaneous).all()
    assert np.isnan(found.interval[0]).all()
    assert np.isfinite(found.interval[1:]).all()
    assert np.isnan(found.shrunk).tolist() == [True, False, False]
    assert found.worst is None
    assert np.isfinite(found.measures["observed_expected"].p_value).all()
    assert "the 2 groups with an interval have the same score" in str(found).replace("\n  ", " ")


# What is refused


def test_rows_of_no_weight_and_groups_of_such_rows_vanish() -> None:
    weight = np.where(np.arange(300) < 100, 0.0, 1.0)
    found, keep = groups_of(weight=weight), weight > 0
    assert found.name == ["b", "c"]
    cases = properly.Cases(HAPPENED[keep], P[keep], groups=THIRD[keep])
    other = by_group(cases, Brier(), replicates=19, rng=1)
    np.testing.assert_allclose(found.simultaneous, other.simultaneous)


def test_a_group_without_intervals_is_told_of_with_what_it_needs() -> None:
    time = np.where(THIRD == "a", np.arange(300) % 19, np.arange(300))
    found = groups_of(time=time)
    assert found.enough.tolist() == [False, True, True]
    assert f"No interval without {EXPECTED}, at 20 times: 'a'." in found.notes
    sure = 0.905 * np.eye(3)[0] + 0.095 * np.eye(3)[1]
    p = np.where(THIRD[:, None] == "a", sure, PROBABILITIES)
    of_classes = by_group(properly.Cases(CLASS, p, groups=THIRD), Brier(), rng=1)
    assert of_classes.enough.tolist() == [False, True, True]
    note = "No interval without ten cases expected outside the commonest class: 'a'."
    assert note in of_classes.notes


def test_a_group_without_events_has_no_logarithm() -> None:
    y = np.where(THIRD == "a", 0, HAPPENED)
    found = by_group(properly.Cases(y, P, groups=THIRD), Brier(), replicates=19, rng=1)
    assert (found.observed_expected[0], found.skill[0]) == (0, -np.inf)
    assert np.isnan(found.measures["observed_expected"].interval[0]).all()


def test_calibration_is_not_tested_by_a_single_cluster() -> None:
    found = groups_of(clusters=np.where(THIRD == "a", -1, np.arange(300)))
    assert found.calibration is not None
    for numbers in (found.calibration.p_value, found.standard_error):
        assert np.isnan(numbers).tolist() == [True, False, False]
