"""Net benefit as a function of the threshold, against rows, single thresholds and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit

from properly import Interval, decision_curve, tally
from properly.counts import baselines
from properly.decisions import decision_difference, mean_net_benefit
from properly.decisions._net_benefit import without_model
from properly.errors import DataError
from properly.rules import Bounded, Log, Regret

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly import Tally
    from properly.decisions import DecisionCurve
    from properly.decisions._net_benefit import DecisionDifference
    from properly.rules import BinaryRule

RNG = np.random.default_rng(23)
P = RNG.beta(1, 3, 400).round(2)
Y = RNG.random(400) < P
OTHER = np.clip(P + RNG.normal(0, 0.15, 400), 0, 1).round(2)
# Ties, fractional weights, certain forecasts that are right and wrong.
SAMPLES: dict[str, tuple[Any, Any, Any]] = {
    "ties": (Y, P, None),
    "weights": (Y, P, RNG.exponential(size=400)),
    "certain": ([0, 0, 1, 1, 0, 1, 0, 0], [0.0, 1, 1, 0, 0, 1, 0.3, 0.3], None),
}
LINEAR = (lambda c: c, lambda c: -np.log1p(-c) - c, lambda c: c)
QUADRATIC = (lambda c: -((1 - c) ** 2) / 2, lambda c: c**2 / 2, lambda c: c)
LOGARITHMIC = (np.log, lambda c: -np.log1p(-c), logit)
ENDS = [(0.0, 0.4), (0.01, 0.1), (0.03, 0.3), (0.055, 0.061), (0.3, 0.95)]
LEVELS = [0.0, 0.1, 0.25, 0.5, 0.875, 1.0]
ROWS = st.lists(
    st.tuples(st.booleans(), st.sampled_from(LEVELS), st.sampled_from(LEVELS)),
    min_size=1,
    max_size=12,
)
every_sample = pytest.mark.parametrize("sample", SAMPLES)


def tally_of(sample: str) -> Tally:
    y, p, weight = SAMPLES[sample]
    return tally(y, p, weight=weight)


# Means


@every_sample
@pytest.mark.parametrize("ends", ENDS)
def test_a_mean_along_the_thresholds_is_mean_net_benefit(
    sample: str, ends: tuple[float, float]
) -> None:
    found = decision_curve(tally_of(sample), "every").steps.mean(Interval(*ends), *LINEAR)
    assert found == pytest.approx(mean_net_benefit(tally_of(sample), ends), rel=1e-12, abs=1e-15)


@every_sample
@pytest.mark.parametrize("ends", ENDS[1:])
@pytest.mark.parametrize(
    ("measure", "rule"),
    [(QUADRATIC, Regret), (LOGARITHMIC, lambda ends: Bounded(Log(), ends))],
    ids=["quadratic", "logarithmic"],
)
def test_means_of_what_is_missed_are_means_of_rules(
    measure: Any,
    rule: Callable[[tuple[float, float]], BinaryRule],
    ends: tuple[float, float],
    sample: str,
) -> None:
    found = decision_curve(tally_of(sample), "every").missed.mean(Interval(*ends), *measure)
    assert found == pytest.approx(rule(ends)(*SAMPLES[sample]), rel=1e-12)


def test_a_harm_is_missed() -> None:
    ends = Interval(0.1, 0.3)
    plain, harmed = (decision_curve(tally(Y, P), "every", harm=harm) for harm in (0, 0.02))
    more = harmed.missed.mean(ends, *LINEAR) - plain.missed.mean(ends, *LINEAR)
    assert more == pytest.approx(0.02, rel=1e-12)
    less = harmed.steps.mean(ends, *LINEAR) - plain.steps.mean(ends, *LINEAR)
    assert less == pytest.approx(-0.02, rel=1e-12)


def test_over_an_infinite_way_there_is_no_mean() -> None:
    with np.errstate(divide="ignore"):
        found = decision_curve(tally(Y, P), "every").missed.mean(Interval(0, 0.4), *LOGARITHMIC)
    assert np.isnan(found)


def test_pieces_begin_and_end_with_the_limits_from_inside() -> None:
    curve = decision_curve(tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]), "every")
    c, start, end = curve.steps.pieces(Interval(0.1, 0.6))
    assert c.tolist() == [0.1, 0.3, 0.6]
    np.testing.assert_array_equal(start, curve.right[1:3])
    np.testing.assert_array_equal(end, curve.net_benefit[2:4])
    c, start, end = curve.steps.pieces(Interval(0.2, 0.25))
    assert (c.tolist(), start, end) == ([0.2, 0.25], curve.at(0.2), curve.at(0.25))


# Without a model


@pytest.mark.parametrize("name", ["treat all", "treat none"])
def test_without_a_model_one_has_the_curves_of_constant_forecasts(name: str) -> None:
    t, c = tally(Y, P), np.linspace(0.001, 0.999, 300)
    found = without_model(t.event_rate)[name]
    expected = decision_curve(baselines(t)[name], "every")
    np.testing.assert_allclose(found.at(c), expected.at(c), rtol=1e-12, atol=1e-14)
    assert found.exact
    assert found.event_rate == t.event_rate


def test_acting_on_none_gains_exactly_nothing() -> None:
    found = without_model(0.3)["treat none"]
    assert found.at([0, 0.5, 0.999]).tolist() == [0, 0, 0]
    assert str(found.steps.mean(Interval(0.1, 0.7), *LINEAR)) == "0.0"


# Differences


@given(ROWS)
def test_an_exact_difference_is_one_at_every_threshold(
    rows: list[tuple[bool, float, float]],
) -> None:
    y, p, q = zip(*rows, strict=True)
    first, second = tally(y, p), tally(y, q)
    found = decision_difference(first, second, "every")
    at = np.array([0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 0.875, 0.9, 0.999])
    expected = decision_curve(first, "every").at(at) - decision_curve(second, "every").at(at)
    assert found.exact
    np.testing.assert_allclose(found.at(at), expected, rtol=1e-10, atol=1e-11)
    assert np.isnan(found.at([-0.1, 1.0])).all()


@pytest.mark.parametrize(
    "record", [decision_curve(tally(Y, P)), decision_difference(tally(Y, P), tally(Y, OTHER))]
)
def test_between_chosen_thresholds_nothing_is_known(
    record: DecisionCurve | DecisionDifference,
) -> None:
    assert not record.exact
    with pytest.raises(DataError, match="thresholds that were chosen, net benefit is not known"):
        record.at(0.555)


# Frozen
