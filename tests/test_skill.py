"""Skill scores and the H-measure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import array_api_strict
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import beta

from properly import Cases, Tally, decompose, roc_curve, tally
from properly._skill import h_measure, skill
from properly.errors import ArgumentTypeError, DataError, ImproperRuleError
from properly.rules import (
    BetaWeighted,
    BinaryRule,
    Bounded,
    Brier,
    Elementary,
    HistogramWeighted,
    Log,
    Misclassification,
    MissedBenefit,
    PointWeighted,
    Regret,
    Shifted,
    Spherical,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

N = 200
RNG = np.random.default_rng(17)
P = (0.02 + 0.96 * RNG.random(N)).round(2)
Y = RNG.random(N) < P**2
WEIGHT = RNG.exponential(size=N)
RULES: list[BinaryRule] = [
    Brier(),
    Log(),
    Spherical(),
    Misclassification(),
    Elementary(0.2),
    Bounded(Brier(), (0.05, 0.2)),
    Bounded(Log(), (0.3, 0.9)),
    Regret((0.1, 0.5)),
    BetaWeighted(2, 8),
    PointWeighted([0.1, 0.4]),
    HistogramWeighted([0.1, 0.2, 0.6], [1, 3]),
    Shifted(0.1),
    MissedBenefit(),
]
every_rule = pytest.mark.parametrize("rule", RULES, ids=repr)
with_and_without_weights = pytest.mark.parametrize("weight", [None, WEIGHT], ids=["no", "yes"])
Y4, P4 = [0, 0, 0, 1], [0.25, 0.0, 0.25, 0.5]


# Skill


def test_by_hand() -> None:
    assert skill(Y4, P4, Brier()) == 1 - (2 / 16 + 1 / 4) / (3 / 16 + 9 / 16)
    assert skill(Y4, P4, Brier(), reference=0.5) == 1 - (2 / 16 + 1 / 4) / 1
    assert skill(Y4, P4, Brier(), reference=[0, 0.5, 0, 0.5]) == 1 - (2 / 16 + 1 / 4) / (1 / 2)
    # Rate 3/6 by weight; losses 1/16, 0, 1/16 and 3/4 against 1/4 of each.
    assert skill(Y4, P4, Brier(), weight=[1, 1, 1, 3]) == 1 - (2 / 16 + 3 / 4) / (6 / 4)


@every_rule
@with_and_without_weights
def test_the_constant_event_rate_has_none(rule: BinaryRule, weight: NDArray[Any] | None) -> None:
    rate = np.full(N, float(np.average(Y, weights=weight)))
    assert skill(Y, rate, rule, weight=weight) == pytest.approx(0, abs=1e-14)
    assert skill(Y, P, rule, weight=weight, reference=P) == 0


@every_rule
@with_and_without_weights
def test_a_perfect_forecast_has_all(rule: BinaryRule, weight: NDArray[Any] | None) -> None:
    assert skill(Y, Y.astype(float), rule, weight=weight) == 1


@every_rule
@with_and_without_weights
def test_it_follows_from_the_parts_of_the_score(
    rule: BinaryRule, weight: NDArray[Any] | None
) -> None:
    parts = decompose(tally(Y, P, weight=weight), rule)
    gained = (parts.discrimination - parts.miscalibration) / parts.uncertainty
    assert skill(Y, P, rule, weight=weight) == pytest.approx(gained, rel=1e-12, abs=1e-13)


@every_rule
def test_a_number_is_the_same_forecast_for_all(rule: BinaryRule) -> None:
    expected = 1 - rule(Y, P) / rule(Y, np.full(N, 0.31))
    for reference in (0.31, np.float64(0.31), np.array(0.31), np.full(N, 0.31)):
        assert skill(Y, P, rule, reference=reference) == pytest.approx(expected, rel=1e-13)


def test_rows_of_weight_0_do_not_count() -> None:
    weight = np.append(WEIGHT, 0.0)
    y, p, reference = np.append(Y, True), np.append(P, 0.0), np.append(1 - P / 2, 0.0)
    for other in (None, reference):
        cut = None if other is None else other[:-1]
        expected = skill(Y, P, Log(), weight=WEIGHT, reference=cut)
        found = skill(y, p, Log(), weight=weight, reference=other)
        assert found == pytest.approx(expected, rel=1e-13)


def test_narrow_weights_are_added_up_in_full() -> None:
    weight = np.ones(N, dtype=np.float16) * 500
    assert skill(Y, P, Brier(), weight=weight) == pytest.approx(skill(Y, P, Brier()), rel=1e-14)


@pytest.mark.parametrize(
    ("p", "rule", "reference", "expected"),
    [
        ([0.0, 1.0], Brier(), [0.0, 1.0], math.nan),
        ([0.1, 1.0], Brier(), [0.0, 1.0], -math.inf),
        ([1.0, 1.0], Log(), None, -math.inf),
        ([1.0, 1.0], Log(), [0.0, 1.0], -math.inf),
        ([1.0, 1.0], Log(), 0.0, math.nan),
        ([0.5, 0.5], Log(), 0.0, 1.0),
    ],
)
def test_scores_of_0_and_infinity(
    p: list[float], rule: BinaryRule, reference: Any, expected: float
) -> None:
    assert skill([0, 1], p, rule, reference=reference) == pytest.approx(expected, nan_ok=True)


def test_if_all_outcomes_are_alike_nothing_can_be_gained() -> None:
    assert math.isnan(skill([1, 1], [1.0, 1.0], Brier()))
    assert skill([1, 1], [1.0, 0.9], Brier()) == -math.inf


def test_arrays_of_other_libraries() -> None:
    y, p, weight = (array_api_strict.asarray(x) for x in (Y, P, WEIGHT))
    for reference in (None, 0.3, array_api_strict.asarray(P)):
        ours = None if reference is None else np.asarray(reference)
        found = skill(y, p, Spherical(), weight=weight, reference=reference)
        assert found == skill(Y, P, Spherical(), weight=WEIGHT, reference=ours)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (1.2, "reference forecasts must be probabilities in [0, 1]; row 0 is 1.2"),
        ([0.5], "reference forecasts and forecasts must be equally long; got 1 and 4"),
        ([0.5, 0.5, math.nan, 0.5], "reference forecasts must be probabilities in [0, 1]; row 2"),
    ],
)
def test_impossible_references_are_refused(reference: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        skill(Y4, P4, Brier(), reference=reference)
    assert str(caught.value).startswith(message)


def test_a_rule_is_needed() -> None:
    with pytest.raises(ArgumentTypeError, match="a rule for the probability of one event"):
        skill(Y4, P4, Brier)  # type: ignore[arg-type]


# The H-measure

PRIORS: list[Any] = ["hand", "severity", "event_rate", *RULES]
every_prior = pytest.mark.parametrize("prior", PRIORS, ids=str)


@pytest.mark.parametrize("prior", ["hand", "severity", "event_rate"])
@with_and_without_weights
def test_it_is_the_area_under_the_least_regret_of_any_threshold(
    prior: Any, weight: NDArray[Any] | None
) -> None:
    """The definition: at each cost, act from the best threshold on, whatever it is."""
    t = tally(Y, P, weight=weight)
    curve, rate = roc_curve(t), t.event_rate
    parameters = {"hand": (2, 2), "severity": (2, 1 / rate), "event_rate": (1 + rate, 2 - rate)}
    # The least regret is piecewise linear in c; between its kinks Gauss-Legendre is exact enough.
    hull = roc_curve(t, hull=True)
    kink = np.unique(np.append(hull.threshold[1:], [0, rate, 1]))
    node, share = np.polynomial.legendre.leggauss(40)
    c = ((kink[1:] + kink[:-1]) / 2)[:, None] + np.outer(np.diff(kink) / 2, node)
    w = np.outer(np.diff(kink) / 2, share) * beta.pdf(c, *parameters[prior])
    false, missed = (1 - rate) * curve.false_positive_rate, rate * (1 - curve.true_positive_rate)
    least = np.min(c[..., None] * false + (1 - c[..., None]) * missed, axis=-1)
    expected = 1 - (w * least).sum() / (w * np.minimum(c * (1 - rate), (1 - c) * rate)).sum()
    assert h_measure(t, prior) == pytest.approx(expected, abs=1e-10)


@every_prior
@with_and_without_weights
def test_it_is_the_share_of_the_uncertainty_that_is_discriminated(
    prior: Any, weight: NDArray[Any] | None
) -> None:
    t = tally(Y, P, weight=weight)
    rate = t.event_rate
    named = {"hand": (2, 2), "severity": (2, 1 / rate), "event_rate": (1 + rate, 2 - rate)}
    rule = BetaWeighted(*named[prior]) if isinstance(prior, str) else prior
    parts = decompose(t, rule)
    expected = parts.discrimination / parts.uncertainty
    assert h_measure(t, prior) == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_two_twos_are_the_default() -> None:
    t = tally(Y, P)
    assert h_measure(t) == h_measure(t, "hand") == h_measure(t, BetaWeighted(2, 2))


@every_prior
def test_increasing_changes_of_the_forecasts_do_not_matter(prior: Any) -> None:
    expected = h_measure(tally(Y, P), prior)
    for changed in (P**3, 1 / (1 + np.exp(-50 * (P - 0.9))), np.sqrt(P)):
        assert h_measure(tally(Y, changed), prior) == expected


@every_prior
def test_it_is_1_for_a_perfect_order_and_0_for_none(prior: Any) -> None:
    assert h_measure(tally(Y, 0.4 + 0.1 * Y), prior) == 1
    assert h_measure(tally(Y, np.full(N, 0.7)), prior) == 0
    assert h_measure(tally(Y, 0.5 - 0.1 * Y), prior) == 0


@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=2, max_size=40),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_it_lies_between_0_and_1(rows: list[tuple[int, bool]], ends: tuple[float, float]) -> None:
    lower, upper = sorted(ends)
    assume(upper - lower > 1e-6)
    p, y = (np.array(column) for column in zip(*rows, strict=True))
    assume(y.any() and not y.all())
    assert 0 <= h_measure(tally(y, p / 9), Regret((lower, upper))) <= 1
    assert 0 <= h_measure(tally(y, p / 9), "severity") <= 1


@pytest.mark.parametrize("happened", [0, 1])
@every_prior
def test_of_one_class_it_is_not_a_number(prior: Any, happened: int) -> None:
    assert math.isnan(h_measure(tally([happened] * 3, [0.1, 0.2, 0.2]), prior))


def test_cases_and_other_libraries() -> None:
    cases = Cases(Y, P, weight=WEIGHT, clusters=np.arange(N) // 4)
    assert h_measure(cases) == h_measure(cases.tally())
    t = tally(Y, P)
    strict = Tally(*(array_api_strict.asarray(np.array(x)) for x in (t.value, t.weight, t.events)))
    assert h_measure(strict, "severity") == h_measure(t, "severity")


def test_only_the_bins_of_the_recalibration_are_priced() -> None:
    priced: list[int] = []

    class Counting(BetaWeighted):
        def loss_if_event(self, p: Any) -> Any:
            priced.append(len(p))
            return super().loss_if_event(p)

    y = RNG.random(20_000) < 0.5
    h_measure(tally(y, RNG.random(20_000)), Counting(2, 2))
    assert 0 < max(priced) < 200


def test_impossible_priors_are_refused() -> None:
    t = tally(Y, P)
    with pytest.raises(
        DataError,
        match="'uniform' or 'logit'; got 3",
    ):
        h_measure(t, 3)  # type: ignore[arg-type]
    with pytest.raises(ImproperRuleError, match="a prior is the weight of a proper rule"):
        h_measure(t, Shifted(0.1, form="published"))


def test_the_priors_of_regret_are_priors_here_too() -> None:
    t = tally(Y, P)
    for name, rule in (("uniform", Brier()), ("logit", Log())):
        parts = decompose(t, rule)
        share = parts.discrimination / parts.uncertainty
        assert h_measure(t, name) == pytest.approx(share, rel=1e-13)  # type: ignore[arg-type]
