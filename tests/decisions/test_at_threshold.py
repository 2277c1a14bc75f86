"""What acting at one threshold comes to, against counts by hand and against laws."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly import Cases, Tally, tally
from properly.counts._scoring import mean_score
from properly.decisions import AtThreshold, at_threshold, mean_net_benefit
from properly.decisions._at_threshold import at_thresholds
from properly.rules import Elementary

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

# Ten cases, of which four have the event; at 0.3 one acts on six, three of them with the event.
Y = np.array([0, 0, 0, 1, 0, 0, 1, 0, 1, 1])
P = np.array([0.0, 0.1, 0.1, 0.2, 0.3, 0.3, 0.3, 0.7, 0.9, 1.0])
ROWS = st.lists(
    st.tuples(
        st.booleans(), st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]), st.sampled_from([0.25, 1])
    ),
    min_size=1,
    max_size=12,
)


def numbers(found: AtThreshold) -> dict[str, float]:
    return {name: x for name, x in asdict(found).items() if name not in {"intervals", "level"}}


def test_by_hand() -> None:
    found = at_threshold(tally(Y, P), 0.3)
    assert (found.intervals, found.level) == (None, None)
    expected = {
        "threshold": 0.3,
        "acted": 0.6,
        "true_positives": 0.3,
        "false_positives": 0.3,
        "false_negatives": 0.1,
        "regret": 0.3 * 0.3 + 0.7 * 0.1,
        "net_benefit": 0.3 - 0.3 * 3 / 7,
        "standardized_net_benefit": (0.3 - 0.3 * 3 / 7) / 0.4,
        "treat_all": 0.4 - 0.6 * 3 / 7,
        "interventions_avoided": 0.3 - 0.1 * 7 / 3,
        "accuracy": 0.6,
        "true_positive_rate": 0.75,
        "false_positive_rate": 0.5,
        "precision": 0.5,
        "negative_predictive_value": 0.75,
        "skill": 1 - 0.16 / 0.18,
        "harm": 0.0,
    }
    assert numbers(found) == pytest.approx(expected, rel=1e-14)


def test_a_harm_is_taken_off_the_net_benefit_alone() -> None:
    plain, harmed = (at_threshold(tally(Y, P), 0.3, harm=harm) for harm in (0, 0.05))
    assert harmed.harm == 0.05
    changed = {
        "harm": 0.05,
        "net_benefit": plain.net_benefit - 0.05,
        "standardized_net_benefit": (plain.net_benefit - 0.05) / 0.4,
        "interventions_avoided": plain.interventions_avoided - 0.05 * 7 / 3,
    }
    assert numbers(harmed) == pytest.approx(numbers(plain) | changed, rel=1e-13)


@given(ROWS, st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.95]), st.booleans())
def test_net_benefit_is_the_event_rate_minus_regret(
    rows: list[tuple[bool, float, float]], c: float, weighted: bool
) -> None:
    y, p, weight = (np.array(x) for x in zip(*rows, strict=True))
    t = tally(y, p, weight=weight if weighted else None)
    found = at_threshold(t, c)
    regret = mean_score(t, Elementary(c))
    assert found.regret == pytest.approx(regret, rel=1e-12, abs=1e-15)
    assert found.net_benefit == pytest.approx(t.event_rate - regret / (1 - c), rel=1e-12, abs=1e-12)
    none = t.event_rate - found.true_positives
    assert found.regret == pytest.approx(c * found.false_positives + (1 - c) * none, abs=1e-15)
    avoided = (found.net_benefit - found.treat_all) * (1 - c) / c
    assert found.interventions_avoided == pytest.approx(avoided, rel=1e-9, abs=1e-11)
    best = min(c * (1 - t.event_rate), (1 - c) * t.event_rate)
    if best > 0:
        assert found.skill == pytest.approx(1 - regret / best, rel=1e-12, abs=1e-12)
    assert found.acted == pytest.approx(found.true_positives + found.false_positives, rel=1e-14)


def test_counts_are_copies_and_weights_are_less_sure() -> None:
    number = np.array([1, 2, 3, 1, 1, 4, 2, 1, 1, 3])
    counted = at_threshold(tally(Y, P, count=number), 0.3, interval=True)
    copied = at_threshold(tally(np.repeat(Y, number), np.repeat(P, number)), 0.3, interval=True)
    assert counted == copied
    weighted, scaled = (
        at_threshold(tally(Y, P, weight=number * k), 0.3, interval=True) for k in (1, 7)
    )
    assert replace(weighted, intervals=None) == replace(counted, intervals=None)
    assert weighted.intervals is not None
    assert counted.intervals is not None
    assert scaled.intervals is not None
    for name, (low, high) in weighted.intervals.items():
        assert (low, high) == pytest.approx(scaled.intervals[name], rel=1e-12, nan_ok=True)
    low, high = weighted.intervals["accuracy"]
    assert high - low > 1.2 * (counted.intervals["accuracy"][1] - counted.intervals["accuracy"][0])


def test_at_zero_all_are_acted_upon_at_no_cost() -> None:
    found = at_threshold(tally(Y, P), 0, harm=0.1)
    assert (found.acted, found.regret, found.treat_all) == (1.0, 0.0, 0.4)
    assert found.net_benefit == pytest.approx(0.3, rel=1e-15)
    assert math.isnan(found.interventions_avoided)
    assert math.isnan(found.skill)


def test_certain_forecasts() -> None:
    """Of forecasts 0 and 1 the threshold does not matter."""
    t = tally([0, 1, 0, 1, 1], [0, 0, 1, 1, 1])
    for c in (1e-9, 0.5, 1 - 1e-9):
        found = at_threshold(t, c)
        assert (found.true_positives, found.false_positives) == (0.4, 0.2)
        assert found.net_benefit == pytest.approx(0.4 - 0.2 * c / (1 - c), rel=1e-15)


def test_where_nobody_is_acted_upon() -> None:
    found = at_threshold(tally([0, 1], [0.1, 0.2]), 0.5)
    assert (found.acted, found.net_benefit, found.true_positive_rate) == (0, 0, 0)
    assert math.isnan(found.precision)
    assert (found.regret, found.skill, found.interventions_avoided) == (0.25, 0.0, 0.0)


def test_events_alone_and_none_at_all() -> None:
    events = at_threshold(tally([1, 1], [0.2, 0.6]), 0.5)
    assert (events.net_benefit, events.standardized_net_benefit, events.regret) == (0.5, 0.5, 0.25)
    assert math.isnan(events.false_positive_rate)
    assert events.skill == -math.inf
    none = at_threshold(tally([0, 0], [0.2, 0.4]), 0.5)
    assert (none.net_benefit, none.regret, none.accuracy) == (0, 0, 1)
    for value in (none.standardized_net_benefit, none.true_positive_rate, none.skill):
        assert math.isnan(value)


def test_a_single_case() -> None:
    found = at_threshold(tally([1], [0.3]), 0.3, interval=True)
    assert (found.net_benefit, found.regret, found.precision) == (1.0, 0.0, 1.0)
    assert found.intervals is not None
    for name in ("net_benefit", "regret", "standardized_net_benefit", "skill"):
        assert np.isnan(found.intervals[name]).all()


def test_a_threshold_that_misses_a_forecast_by_rounding_is_that_forecast() -> None:
    t = tally(Y, P)
    assert numbers(at_threshold(t, 0.1 + 0.2)) == pytest.approx(numbers(at_threshold(t, 0.3)))


def test_forecasts_of_single_precision_meet_their_threshold() -> None:
    p = (np.arange(1, 100) / 100).astype(np.float32)
    t = tally(np.arange(99) % 2, p)
    for k in (7, 29, 70):
        assert at_threshold(t, k / 100).acted == pytest.approx((100 - k) / 99, rel=1e-15)


def test_intervals_are_of_all_numbers_that_were_estimated() -> None:
    found = at_threshold(tally(Y, P), 0.3, interval=True)
    assert found.intervals is not None
    known = {"threshold", "harm", "intervals", "level"}
    assert set(found.intervals) == set(AtThreshold.__dataclass_fields__) - known
    for name, (lower, upper) in found.intervals.items():
        assert lower <= getattr(found, name) <= upper


def test_print_says_it_in_people() -> None:
    assert str(at_threshold(tally(Y, P), 0.3)) == (
        "Of 1,000 cases at a threshold of 30 %: 600 alarms, 300 of them right, 100 events missed.\n"
        "Sensitivity 0.75, specificity 0.5, PPV 0.5, NPV 0.75.\n"
        "Net benefit 0.1714, regret 0.16."
    )


def test_print_has_the_ends_of_intervals_and_a_dash_for_what_does_not_exist() -> None:
    t = Tally.from_counts([0.05, 0.2, 0.6], [600, 300, 100], [20, 50, 70])
    first = str(at_threshold(t, 0.1, interval=True)).partition(".\n")[0]
    assert first == (
        "Of 1,000 cases at a threshold of 10 %: 400 (370 to 431) alarms, 120 (101 to 142) of them "
        "right, 20 (13 to 31) events missed"
    )
    assert "specificity 0, PPV 0.14, NPV -." in str(at_threshold(t, 0))


@pytest.mark.parametrize(
    ("events", "cases", "told"), [(5, 1000, "1,000"), (4, 1000, "10,000"), (0, 1000, "1,000")]
)
def test_of_rare_events_more_people_are_spoken_of(events: int, cases: int, told: str) -> None:
    t = Tally.from_counts([0.1], [cases], [events])
    assert str(at_threshold(t, 0.05)).startswith(f"Of {told} cases at a threshold of 5 %: {told} ")


def test_the_specificity_has_the_interval_of_the_false_positive_rate_turned_round() -> None:
    found = at_threshold(tally(Y, P), 0.3, interval=True)
    assert found.intervals is not None
    low, high = found.intervals["false_positive_rate"]
    assert found.estimate("specificity") == (0.5, 1 - high, 1 - low)
    assert found.estimate("sensitivity") == (0.75, *found.intervals["true_positive_rate"])


# A grid of thresholds


# Means over a range of thresholds


def test_mean_net_benefit_up_to_the_threshold_one() -> None:
    assert mean_net_benefit(tally([0, 1], [1.0, 1.0]), (0.5, 1)) == -math.inf
    assert mean_net_benefit(tally([0, 1], [0.2, 1.0]), (0.5, 1)) == 0.5


def test_a_threshold_of_single_precision_is_the_decimal_it_prints_as() -> None:
    t = tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    single: Any = np.float32(0.3)
    assert at_threshold(t, single).acted == at_threshold(t, 0.3).acted == 0.75
    assert at_threshold(t, single).threshold == 0.3


def test_what_varies_by_rounding_alone_has_no_interval() -> None:
    rng = np.random.default_rng(0)
    forecasts, weight = rng.random(60), rng.random(60)
    cases = Cases(np.zeros(60), forecasts, weight=weight, clusters=np.arange(60) // 3)
    found = at_thresholds(cases, np.linspace(0.01, 0.99, 50), 0.9)
    ends = [at.intervals for at in found if at.intervals is not None]
    assert len(ends) == 50
    assert all(np.isnan(at["treat_all"]).all() for at in ends)
    assert not np.isnan(ends[10]["net_benefit"]).any()
