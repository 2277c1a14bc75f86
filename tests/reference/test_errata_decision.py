"""What a paper on regret over thresholds prints, what is right, and which of the two we compute.

The paper: G. Flores et al., "A consequentialist critique of binary classification evaluation",
arXiv:2504.04528. A test is named after the theorem that it corrects or confirms: it shows that what
is printed is not what the package says, and that the package says what is right. What is right
comes from the exact integrals of `tests/laws/oracles.py`.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from tests.laws.oracles import (
    between,
    integral_of_regret,
    logit,
    missed_benefit,
    shift,
    shifted_classes,
    shifted_regret,
    times,
    uniform,
)
from tests.laws.subjects import Rows

import properly
from properly import Interval
from properly.errors import DataError, ImproperRuleError
from properly.rules import (
    BetaWeighted,
    Bounded,
    Brier,
    Elementary,
    Log,
    MissedBenefit,
    Propriety,
    Regret,
    Shifted,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from tests.laws.oracles import Costs

    from properly import Tally

    Floats = NDArray[np.float64]

A, B = WITHIN = (0.07, 0.31)
WIDTH, LOG_ODDS_WIDTH = B - A, math.log(B / (1 - B)) - math.log(A / (1 - A))
WHOLE = (0.0, 1.0)
CLOSE: dict[str, Any] = {"rel": 0, "abs": 1e-13}
APART = 0.01  # a printed formula that is wrong is wrong by more than this


def build_sample() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw 400 forecasts in thousandths: many ties, ten of 0 and eight of 1, which are right.

    They are overconfident, so that what holds only for calibrated forecasts does not hold here.
    """
    rng = np.random.default_rng(400)
    truth = rng.beta(1.2, 2.2, 382)
    said = 1 / (1 + ((1 - truth) / truth) ** 1.6)
    # Half of them to the hundredth: ties.
    thousandths = np.where(rng.random(382) < 0.5, 10 * np.rint(100 * said), np.rint(1000 * said))
    p = np.concatenate([np.clip(thousandths, 1, 999), np.zeros(10), np.full(8, 1000)])
    y = np.concatenate([rng.random(382) < truth, np.zeros(10), np.ones(8)])
    return y.astype(np.int64), p / 1000


Y, P = build_sample()
TALLY = properly.tally(Y, P)
RATE = TALLY.event_rate
CLIPPED, CLIPPED_Y = np.clip(P, *WITHIN), np.clip(Y.astype(np.float64), *WITHIN)


def integrate(costs: Costs, within: tuple[float, float] = WITHIN) -> float:
    """Add up the regret of the sample over thresholds."""
    return float(integral_of_regret(between(costs, *within), Rows(Y, P, np.ones(400))))


def mean_squares(forecast: Floats) -> float:
    return float(np.mean((Y - forecast) ** 2))


def printed_shift(s: float, mu: float) -> float:
    return 1 / (1 + math.exp(math.log(s / (1 - s)) - math.log(mu / (1 - mu))))


def regret_at(c: float) -> float:
    return properly.at_threshold(TALLY, c).regret


# Section 2 and its proofs


def test_theorem_2_4_needs_the_factor_two() -> None:
    mean = integrate(uniform, WHOLE)
    assert Brier()(Y, P) == pytest.approx(2 * mean, **CLOSE)
    assert Brier()(Y, P) - mean > APART
    assert Regret((0, 1))(Y, P) == pytest.approx(mean, **CLOSE)


def test_theorem_2_5_holds_as_printed() -> None:
    assert Log()(Y, P) == pytest.approx(integrate(logit, WHOLE), **CLOSE)


def test_the_brier_score_is_uniform_in_the_threshold_and_not_in_its_log_odds() -> None:
    c = np.array([0.01, 0.1, 0.5, 0.9])
    np.testing.assert_array_equal(Brier().weight(c), 2)
    np.testing.assert_array_equal(Log().logit_weight(c, 1 - c), 1)
    # The printed claim is that this is constant too.
    np.testing.assert_allclose(Brier().logit_weight(c, 1 - c), 2 * c * (1 - c), rtol=1e-15)
    assert np.ptp(Brier().logit_weight(c, 1 - c)) > 0.4


def test_theorem_c_2_accuracy_holds_as_printed() -> None:
    right = float(np.mean((P >= 0.5) == Y))
    assert properly.at_threshold(TALLY, 0.5).accuracy == pytest.approx(right, **CLOSE)
    assert 1 - 2 * regret_at(0.5) == pytest.approx(right, **CLOSE)
    assert 1 - 2 * Elementary(0.5)(Y, P) == pytest.approx(right, **CLOSE)


def test_at_ties_the_distribution_function_must_be_the_limit_from_the_left() -> None:
    values, cases = np.unique(P[Y == 1], return_counts=True)
    c = float(values[(cases >= 2) & (values > 0.2) & (values < 0.8)][0])

    def regret(f0: float, f1: float) -> float:
        return c * (1 - RATE) * (1 - f0) + (1 - c) * RATE * f1

    at_or_below = regret(np.mean(P[Y == 0] <= c), np.mean(P[Y == 1] <= c))
    below = regret(np.mean(P[Y == 0] < c), np.mean(P[Y == 1] < c))
    curve = properly.regret_curve(TALLY)
    for ours in (regret_at(c), Elementary(c)(Y, P), float(curve.at(c))):
        assert ours == pytest.approx(below, **CLOSE)
        assert abs(ours - at_or_below) > 1e-4
    # The printed one is the limit from the right, so no integral can tell them apart.
    assert curve.right[curve.threshold == c] == pytest.approx(at_or_below, **CLOSE)


# Ranges


def test_theorem_3_2_net_benefit_holds_as_printed() -> None:
    for c in (0.07, 0.235, 0.31, 0.5):
        acted = np.greater_equal(P, c)
        share = np.mean(acted & (Y == 1)) - np.mean(acted & (Y == 0)) * c / (1 - c)
        found = properly.at_threshold(TALLY, c)
        assert found.net_benefit == pytest.approx(float(share), **CLOSE)
        assert found.net_benefit == pytest.approx(RATE - found.regret / (1 - c), **CLOSE)


def test_theorem_3_3_needs_the_factor_two() -> None:
    right_side = (mean_squares(CLIPPED) - mean_squares(CLIPPED_Y)) / WIDTH
    mean = Regret(WITHIN)(Y, P)
    assert mean == pytest.approx(integrate(uniform) / WIDTH, **CLOSE)
    assert right_side - mean > APART
    assert Bounded(Brier(), WITHIN)(Y, P) == pytest.approx(right_side, **CLOSE)


def test_theorem_3_4_needs_the_minus_sign() -> None:
    losses = np.log(1 - np.abs(Y - CLIPPED)) - np.log(1 - np.abs(Y - CLIPPED_Y))
    printed, mean = float(np.mean(losses)) / LOG_ODDS_WIDTH, Regret(WITHIN, prior="logit")(Y, P)
    assert mean == pytest.approx(integrate(logit) / LOG_ODDS_WIDTH, **CLOSE)
    assert mean == pytest.approx(-printed, **CLOSE)
    assert mean > APART
    assert Bounded(Log(), WITHIN)(Y, P) == pytest.approx(mean, **CLOSE)


def test_theorem_3_4_does_not_recover_the_log_loss_from_the_whole_range() -> None:
    # What is right is the integral, before the division by a width that is infinite.
    integral = Bounded(Log(), (0, 1), scale="integral")
    assert integral(Y, P) == pytest.approx(Log()(Y, P), **CLOSE)
    with pytest.raises(DataError):
        Bounded(Log(), (0, 1))
    with pytest.raises(DataError):
        Regret((0, 1), prior="logit")
    means = [Bounded(Log(), (e, 1 - e))(Y, P) for e in (1e-2, 1e-4, 1e-8, 1e-16)]
    assert all(later < earlier for earlier, later in pairwise(means))
    assert means[-1] < Log()(Y, P) / 50


def net_benefit_side(sign: int) -> float:
    """Return the right side of Theorem 3.7; printed is `sign` 1."""

    def mean_loss(s: Floats) -> float:
        return float(np.mean(np.where(Y == 1, sign * s, (1 - s) - np.log(1 - s))))

    return RATE - (mean_loss(CLIPPED) - mean_loss(CLIPPED_Y)) / WIDTH


def test_theorem_3_7_needs_a_minus_sign_for_events() -> None:
    mean = properly.decisions.mean_net_benefit(TALLY, WITHIN)
    assert mean == pytest.approx(RATE - integrate(missed_benefit) / WIDTH, **CLOSE)
    assert mean == pytest.approx(net_benefit_side(-1), **CLOSE)
    assert net_benefit_side(1) - mean > APART
    missed = Bounded(MissedBenefit(), WITHIN)(Y, P)
    assert RATE - missed == pytest.approx(mean, **CLOSE)


def test_the_proof_of_e_2_needs_a_loss_that_falls_for_events() -> None:
    c = np.array([0.05, 0.2, 0.5])
    slopes = MissedBenefit().slope(np.ones(3, int), c)
    np.testing.assert_allclose(slopes, -1, rtol=1e-15)  # printed: 1
    slopes = MissedBenefit().slope(np.zeros(3, int), c)
    np.testing.assert_allclose(slopes, c / (1 - c), rtol=1e-15)


def test_lemma_d_1_must_count_forecasts_of_exactly_0() -> None:
    s, (a, b) = np.array([0.0, 0.0, 0.5, 0.9]), (0.1, 0.6)
    found = Bounded(Log(), (a, b), scale="integral")(np.ones(4, int), s)
    # F1 is 1/2 from 0 on, and 3/4 from 0.5 on; with F1(c) - F1(0) it is 0 and 1/4.
    right = 0.5 * math.log(0.5 / 0.1) + 0.75 * math.log(0.6 / 0.5)
    dropped = 0.25 * math.log(0.6 / 0.5)
    assert found == pytest.approx(right, **CLOSE)
    assert found - dropped > 0.8
    # The third line of the proof lets s run from a to 1: no 0s, and too much of what is above b.
    third = float(np.mean(np.where(s >= a, np.log(b / np.maximum(s, a)), 0)))
    assert found - third > 0.9


def test_proposition_d_4_has_ties_at_the_ends_of_the_range() -> None:
    rules = Bounded(Brier(), (0.25, 0.75)), Regret((0.25, 0.75)), Bounded(Log(), (0.25, 0.75))
    said = np.arange(65) / 64
    for rule in rules:

        def best(q: float, rule: Any = rule) -> list[float]:
            """Return every forecast that no other one beats."""
            losses = q * rule.loss_if_event(said) + (1 - q) * rule.loss_if_none(said)
            return [float(s) for s in said[losses <= losses.min() + 1e-16]]

        # Printed: unique if q is in [a, b]. Right: if it is in (a, b).
        assert best(0.25) == said[said <= 0.25].tolist()
        assert best(0.75) == said[said >= 0.75].tolist()
        assert best(0.5) == [0.5]
        assert best(0.265625) == [0.265625]
        assert best(0.125) == said[said <= 0.25].tolist()
        assert rule.propriety is Propriety.PROPER


# The shifted score


def shifted_by(mu: float, s: float) -> float:
    """Read the moved forecast from the price that it pays if nothing happens."""
    return math.sqrt(Shifted(mu, form="published").loss([0], [s])[0])


def test_definition_d_7_needs_the_minus_sign() -> None:
    assert [round(shifted_by(0.1, s), 3) for s in (0.2, 0.8)] == [0.692, 0.973]
    for s in (0.001, 0.2, 0.37, 0.8):
        assert shifted_by(0.1, s) == pytest.approx(shift(s, 0.1), **CLOSE)
        # As printed, higher forecasts become lower.
        assert shifted_by(0.1, s) == pytest.approx(1 - printed_shift(s, 0.1), **CLOSE)
        assert abs(shifted_by(0.1, s) - printed_shift(s, 0.1)) > APART
    assert shifted_by(0.1, 0.1) == pytest.approx(0.5, **CLOSE)
    assert [shifted_by(0.1, 0.0), shifted_by(0.1, 1.0)] == [0, 1]


def test_proposition_d_8_needs_one_minus_mu() -> None:
    for s in (0.05, 0.37, 0.9):
        assert shifted_by(0.9, shifted_by(0.1, s)) == pytest.approx(s, **CLOSE)
    # Printed is minus mu, which has no log-odds.
    with pytest.raises(DataError):
        Shifted(-0.1, form="published")


def paid_at_another_threshold(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    """Price mistakes at a threshold as if it were the one that it is moved to."""
    mu = Decimal("0.1")
    return times(2, uniform)(shift(low, mu), shift(high, mu))


def test_theorem_d_10_is_no_average_of_regret() -> None:
    found = Shifted(0.1, form="published")(Y, P)
    assert found == pytest.approx(mean_squares(shift(P, 0.1)), **CLOSE)
    assert found == pytest.approx(integrate(paid_at_another_threshold, WHOLE), **CLOSE)
    # Printed, the regret at M(c): thresholds weighed with the slope of the inverse map.
    with_factor, inverse = (integrate(shifted_regret(mu), WHOLE) for mu in ("0.9", "0.1"))
    for wrong in (with_factor / 2, with_factor, inverse):
        assert abs(found - wrong) > APART
    # The last of these is an average of regret, and so a proper score.
    assert Shifted(0.1, form="regret")(Y, P) == pytest.approx(inverse, **CLOSE)


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.8])
def test_appendix_g_the_published_shift_is_improper(mu: float) -> None:
    said = np.arange(1, 1000) / 1000
    for q in (0.05, 0.3, 0.6):

        def best(form: Any, q: float = q) -> float:
            rule = Shifted(mu, form=form)
            losses = q * rule.loss_if_event(said) + (1 - q) * rule.loss_if_none(said)
            return float(said[np.argmin(losses)])

        # The published form is best served by the s that is moved to q, not by q.
        assert best("published") == pytest.approx(shift(q, 1 - mu), abs=5.1e-4)
        assert abs(best("published") - q) > 0.02
        assert best("regret") == q
        assert best("classweighted") == q
    assert Shifted(mu, form="published").propriety is Propriety.IMPROPER
    assert Shifted(mu, form="regret").propriety is Propriety.STRICT
    assert Shifted(mu, form="classweighted").propriety is Propriety.STRICT
    with pytest.raises(ImproperRuleError):
        properly.decompose(TALLY, Shifted(mu, form="published"))


def test_appendix_g_both_repairs_are_averages_of_regret() -> None:
    for form, costs in (("regret", shifted_regret), ("classweighted", shifted_classes)):
        found = Shifted(0.1, form=form)(Y, P)  # type: ignore[arg-type]
        assert found == pytest.approx(integrate(costs("0.1"), WHOLE), **CLOSE)
    squares = np.where(Y == 1, 0.9, 0.1) * (Y - shift(P, 0.1)) ** 2 / (2 * 0.1 * 0.9)
    by_class = Shifted(0.1, form="classweighted")(Y, P)
    assert by_class == pytest.approx(float(np.mean(squares)), **CLOSE)


def test_appendix_g_the_h_measure_is_no_average_of_regret() -> None:
    # An average of regret feels a distortion; the H-measure recalibrates first, and does not.
    rule = BetaWeighted(2, 2)
    flat = properly.tally(Y, 0.3 + 0.1 * P)
    recalibrated = properly.reliability(TALLY).recalibrated
    cases = np.searchsorted(TALLY.value, P)
    h = properly.inference.h_measure(TALLY, "hand")
    assert properly.inference.h_measure(flat, "hand") == pytest.approx(h, **CLOSE)
    after = properly.skill(Y, np.asarray(recalibrated)[cases], rule)
    assert h == pytest.approx(after, **CLOSE)
    assert h - properly.skill(Y, P, rule) > APART


# Decision curves with other axes


def area_below_the_event_rate(phi: Callable[[Any], Any], inverse: Callable[[Any], Any]) -> float:
    """Integrate along the axis x = phi(c) what the exact decision curve lacks to the event rate."""
    curve = properly.decision_curve(TALLY, "every")
    nodes, weights = np.polynomial.legendre.leggauss(20)
    inside = curve.threshold[(curve.threshold > WITHIN[0]) & (curve.threshold < WITHIN[1])]
    total = 0.0
    for low, high in pairwise(phi(np.array([WITHIN[0], *inside, WITHIN[1]]))):
        x = (low + high) / 2 + (high - low) / 2 * nodes
        total += (high - low) / 2 * float(weights @ (RATE - curve.at(inverse(x))))
    return total


def test_theorem_e_3_gives_the_mean_regret_and_half_the_bounded_brier_score() -> None:
    def phi(c: Any) -> Any:
        return -((1 - c) ** 2) / 2

    area = area_below_the_event_rate(phi, lambda x: 1 - np.sqrt(-2 * x)) / WIDTH
    assert area == pytest.approx(integrate(uniform) / WIDTH, **CLOSE)
    assert area == pytest.approx(Regret(WITHIN)(Y, P), **CLOSE)
    assert area == pytest.approx(Bounded(Brier(), WITHIN)(Y, P) / 2, **CLOSE)
    # Printed is NB(x); but no x is a threshold, as it is negative.
    printed = properly.decision_curve(TALLY, "every").at(phi(np.array(WITHIN)))
    assert np.isnan(printed).all()


def test_theorem_e_4_gives_the_bounded_log_score() -> None:
    area = area_below_the_event_rate(np.log, np.exp) / LOG_ODDS_WIDTH
    assert area == pytest.approx(Bounded(Log(), WITHIN)(Y, P), **CLOSE)


# Parts of the ROC curve


def calibrated_tally(cases: dict[int, int]) -> Tally:
    """Make forecasts of k / 20 of which exactly k in 20 come true."""
    forecast = np.array(list(cases)) / 20
    many = 20 * np.array(list(cases.values()))
    return properly.Tally.from_counts(forecast, many, np.array(list(cases)) * many // 20)


EVEN = calibrated_tally({2: 3, 5: 7, 8: 6, 12: 6, 15: 7, 18: 3})  # event rate 1/2
UNEVEN = calibrated_tally({1: 9, 3: 7, 6: 11, 9: 2, 13: 5, 17: 2})
ROC_RANGE = (0.1, 0.7)


class RocParts(NamedTuple):
    """What happens between two thresholds, ends included."""

    share: float
    events: float
    tpr: float
    fpr: float


def roc_parts(tally: Tally) -> RocParts:
    inside = (tally.value >= ROC_RANGE[0]) & (tally.value <= ROC_RANGE[1])
    cases, events = tally.weight[inside].sum(), tally.events[inside].sum()
    all_events = tally.events.sum()
    return RocParts(
        float(cases / tally.total),
        float(events / cases),
        float(events / all_events),
        float((cases - events) / (tally.total - all_events)),
    )


@pytest.mark.parametrize("tally", [EVEN, UNEVEN], ids=["even", "uneven"])
def test_theorems_i_5_and_i_6_hold_as_printed_for_calibrated_forecasts(tally: Tally) -> None:
    found, parts, rate = (
        properly.decisions.ranking(tally, within=ROC_RANGE),
        roc_parts(tally),
        tally.event_rate,
    )
    assert found.partial_auc_above is not None
    assert found.partial_auc_beside is not None
    assert found.regret_at_scores is not None
    left = rate * (1 - rate) / parts.share * (found.partial_auc_above + found.partial_auc_beside)
    right = rate + (1 - 2 * rate) * parts.events - found.regret_at_scores
    assert left == pytest.approx(right, **CLOSE)
    assert found.auc_if_calibrated == pytest.approx(found.auc, **CLOSE)
    assert found.gap == pytest.approx(0, **CLOSE)


def test_theorem_i_6_betrays_forecasts_that_are_not_calibrated() -> None:
    found = properly.decisions.ranking(TALLY)
    regrets = [regret_at(c) if 0 < c < 1 else 0.0 for c in P]
    expected = 1 - np.mean(regrets) / (2 * RATE * (1 - RATE))
    assert found.auc_if_calibrated == pytest.approx(expected, **CLOSE)
    assert abs(found.gap) > APART


def test_definition_i_8_needs_the_other_sign() -> None:
    low, high = (properly.at_threshold(TALLY, c).true_positive_rate for c in WITHIN)
    between = np.mean(P[Y == 1] < WITHIN[1]) - np.mean(P[Y == 1] < WITHIN[0])
    assert low - high == pytest.approx(float(between), **CLOSE)
    assert high - low < -APART  # as printed


@pytest.mark.parametrize("tally", [TALLY, EVEN, UNEVEN], ids=["sample", "even", "uneven"])
def test_definition_i_9_is_a_sum_of_products(tally: Tally) -> None:
    found, parts = properly.decisions.ranking(tally, within=ROC_RANGE), roc_parts(tally)
    assert found.partial_auc_above is not None
    assert found.partial_auc_beside is not None
    assert found.balanced_average_accuracy is not None
    fraction = parts.fpr / (parts.tpr + parts.fpr), parts.tpr / (parts.tpr + parts.fpr)
    average = found.partial_auc_above / parts.fpr, found.partial_auc_beside / parts.tpr
    product = fraction[0] * average[0] + fraction[1] * average[1]
    assert found.balanced_average_accuracy == pytest.approx(product, **CLOSE)
    printed = sum(fraction) + sum(average)
    assert 0 < found.balanced_average_accuracy < 1 < printed


def test_theorem_i_11_holds_only_at_an_event_rate_of_one_half() -> None:
    for tally, holds in ((EVEN, True), (UNEVEN, False)):
        found, parts, rate = (
            properly.decisions.ranking(tally, within=ROC_RANGE),
            roc_parts(tally),
            tally.event_rate,
        )
        assert found.regret_at_scores is not None
        assert found.balanced_average_accuracy is not None
        bracket = rate + (1 - 2 * rate) * parts.events - found.regret_at_scores
        general = bracket * parts.share / (rate * (1 - rate) * (parts.tpr + parts.fpr))
        assert found.balanced_average_accuracy == pytest.approx(general, **CLOSE)
        printed = 1 - 2 * found.regret_at_scores
        assert (abs(printed - found.balanced_average_accuracy) < 1e-13) == holds
        assert holds or abs(printed - found.balanced_average_accuracy) > APART


# Appendices F, H, J, Table 2, section 5


def test_appendix_f_the_last_column_is_twice_the_mean_regret() -> None:
    y, p = np.repeat([1, 0], [200, 800]), np.zeros(1000)  # "assume all negative", event rate 0.2
    within = (0.05, 0.2)
    assert Bounded(Brier(), within)(y, p) == pytest.approx(0.35, **CLOSE)
    assert Regret(within)(y, p) == pytest.approx(0.175, **CLOSE)


def test_appendix_f_the_largest_standard_deviation_is_not_00035() -> None:
    y, p = np.repeat([1, 0], [200, 800]), np.zeros(1000)
    deviations = [
        float(np.std(rule.loss(y, p))) / math.sqrt(1e6)
        for rule in (Brier(), Bounded(Brier(), (0.05, 0.2)))
    ]
    assert deviations == pytest.approx([0.0004, 0.0007], rel=1e-12)
    assert min(deviations) > 0.00035


def test_section_5_the_bounded_brier_score_is_not_the_mean_net_benefit() -> None:
    """Of 100 cases with 30 events: 20 false and 5 missed alarms, against 5 and 22.

    All forecasts are 0 or 1. On thresholds from 0.1 to 0.9 mean regret prefers the first, mean net
    benefit the second, since false alarms at high thresholds are worth more events than at low.
    """
    within, y = (0.1, 0.9), np.repeat([1, 0], [30, 70])

    def hard(false_positives: int, false_negatives: int) -> Floats:
        p = y.astype(float)
        p[:false_negatives], p[30 : 30 + false_positives] = 0, 1
        return p

    first, second = hard(20, 5), hard(5, 22)
    scores = [Bounded(Brier(), within)(y, p) for p in (first, second)]
    benefits = [
        properly.decisions.mean_net_benefit(properly.tally(y, p), within) for p in (first, second)
    ]
    mean_odds = math.log(9) / 0.8 - 1
    assert scores == pytest.approx([0.25, 0.27], **CLOSE)
    assert benefits == pytest.approx([0.25 - 0.2 * mean_odds, 0.08 - 0.05 * mean_odds], **CLOSE)
    # The better one by regret, over the same range, is the worse one by net benefit.
    assert scores[0] < scores[1]
    assert benefits[0] < benefits[1]


def test_table_2_took_risks_for_odds() -> None:
    as_odds = Interval.from_odds(0.0166, 0.03)
    assert (round(as_odds.lower, 6), round(as_odds.upper, 6)) == (0.016329, 0.029126)
    y, p = np.repeat([1, 0], [284, 10448]), np.zeros(10732)

    def integral(rule: Any, within: Any) -> float:
        return float(Bounded(rule, within, scale="integral")(y, p))

    # Forecasts below the range pay what "treat none" pays; printed for both logistic models.
    assert round(integral(Brier(), as_odds), 6) == 0.000662
    assert round(integral(Log(), as_odds), 4) == 0.0153
    assert round(integral(Brier(), (0.0166, 0.03)), 6) == 0.000693
    assert round(integral(Log(), (0.0166, 0.03)), 4) == 0.0157
    # They are integrals, not the means that the theorems define.
    assert Bounded(Brier(), as_odds)(y, p) > 50 * integral(Brier(), as_odds)


def test_appendix_h_holds_as_printed() -> None:
    events, n = int(Y.sum()), 400
    for budget in (10, 50, 137):
        for c in (0.1, 0.3):
            found = properly.decisions.at_budget(TALLY, budget, threshold=c)
            hits = found.true_positives
            cost = c * budget + (1 - c) * events - hits
            assert found.regret is not None
            assert found.net_benefit is not None
            assert n * found.regret == pytest.approx(cost, rel=0, abs=1e-11)
            assert found.net_benefit == pytest.approx((hits - c * budget) / ((1 - c) * n), **CLOSE)


@pytest.mark.parametrize("rate", [Fraction(1, 5), Fraction(1, 25), Fraction(3, 4)])
def test_appendix_j_1_holds_as_printed(rate: Fraction) -> None:
    y = np.repeat([1, 0], [int(100 * rate), 100 - int(100 * rate)])
    low, high = Fraction(7, 100), Fraction(31, 100)
    cut = min(max(rate, low), high)
    # The least of c (1 - rate) and (1 - c) rate is the first below the event rate.
    least = (cut**2 - low**2) / 2 * (1 - rate) + ((1 - cut) ** 2 - (1 - high) ** 2) / 2 * rate
    baseline = float(least / (high - low))
    constant = np.full(100, float(rate))
    assert Regret(WITHIN)(y, constant) == pytest.approx(baseline, **CLOSE)
    assert Bounded(Brier(), WITHIN)(y, constant) == pytest.approx(2 * baseline, **CLOSE)
    parts = properly.decompose(properly.tally(y, constant), Regret(WITHIN))
    assert parts.uncertainty == pytest.approx(baseline, **CLOSE)
    assert properly.skill(y, constant, Regret(WITHIN)) == pytest.approx(0, **CLOSE)
