"""What a paper on means of probabilities prints, what is right, and which of the two we compute.

The paper: K. P. Nelson, "Assessing probabilistic inference by comparing the generalized mean of the
model and source probabilities", Entropy 19 (2017). A test is named after the equation, figure or
section that it is about. Where something is misprinted, it shows that what is printed, as extracted
from a manuscript, is not what the package says, and that the package says what is right. Where the
package does something else, it shows when the two differ; and remarks are shown to hold.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from reproductions.means import information
from reproductions.means.coupled import CoupledGaussian, nelson
from reproductions.means.dimensions import log_density
from reproductions.means.population import describe
from scipy.integrate import quad
from scipy.stats import t as student

import properly
from properly.probability import EqualCount, EqualWidth

if TYPE_CHECKING:
    from reproductions.means.population import PopulationCase

ROBUST = -2 / 3
CLOSE: dict[str, Any] = {"rel": 0, "abs": 1e-12}


def tally_of(case: str, n: int, seed: int) -> properly.Tally:
    drawn = nelson(n, case, rng=seed)
    return properly.tally(drawn.y, drawn.p)


def whole(case: str) -> PopulationCase:
    return describe(case, 5001)


# Spreads and powers


def test_equation_10_the_spread_of_equal_probabilities_is_none() -> None:
    log = np.log(np.full(5, 0.5))
    # The root may be read inside the exponential or outside.
    inner = np.mean(log**2 - log.mean())
    assert math.exp(inner**0.5) == pytest.approx(2.954, abs=1e-3)
    assert math.exp(inner) ** 0.5 == pytest.approx(1.798, abs=1e-3)
    # With the square either is 1.
    inner = np.mean(log**2 - log.mean() ** 2)
    assert inner == pytest.approx(0, **CLOSE)
    assert information.log_spread(np.exp(log)).factor == pytest.approx(1, **CLOSE)


def test_below_equation_10_the_ratio_is_right_with_a_negative_exponent() -> None:
    p = np.array([0.99, 0.99, 0.99, 0.2])
    found = information.log_spread(p)
    entropy, spread = -np.log(p).mean(), np.log(p).std()
    assert found.upper == pytest.approx(math.exp(-(entropy - spread)), **CLOSE)
    assert found.upper == pytest.approx(1.327, abs=1e-3)
    # Divided by exp(-sd), or times exp(sd), which is the factor here.
    assert found.centre / math.exp(-spread) == pytest.approx(found.upper, **CLOSE)
    assert found.centre * found.factor == pytest.approx(found.upper, **CLOSE)
    # Divided by exp(sd) it is the other end, and never above 1.
    assert found.centre / found.factor == pytest.approx(found.lower, **CLOSE)
    assert found.lower < 1 < found.upper


def test_equation_11_is_that_of_entropies_and_means_need_the_opposite_sign() -> None:
    # With order q = 1 + m, the Tsallis entropy of a distribution is (1 - M_m^m) / m.
    p, m = np.array([0.5, 0.3, 0.2]), information.power_from_coupling(0.4, convention="entropy")
    assert m == pytest.approx(2 * 0.4 / 1.4, **CLOSE)
    mean = properly.generalized_mean(p, m, p)
    assert information.tsallis_entropy(p, 1 + m) == pytest.approx((1 - mean**m) / m, **CLOSE)
    printed = [information.coupling_from_power(m, convention="entropy") for m in (ROBUST, 1)]
    assert printed == pytest.approx([-1 / 4, 1], **CLOSE)
    assert information.coupling_from_power(ROBUST) == pytest.approx(1 / 2, **CLOSE)
    assert information.coupling_from_power(1) == pytest.approx(-1 / 3, **CLOSE)
    # These two are conjugate; of those as printed, the conjugate of 1 is -2.
    assert information.conjugate_coupling(1 / 2) == pytest.approx(-1 / 3, **CLOSE)
    other = information.conjugate_coupling(1)
    power = information.power_from_coupling(other, convention="entropy")
    assert power == pytest.approx(-2, **CLOSE)


def test_equation_12_is_the_logarithm_of_a_sum() -> None:
    p = np.full(4, 0.5)
    printed = -np.sum(np.log(p**ROBUST / 4)) / ROBUST
    assert math.exp(-printed) == pytest.approx(256)
    assert properly.generalized_mean(p, ROBUST) == pytest.approx(0.5, **CLOSE)
    # As an entropy of a distribution, with its own probabilities as weights.
    q = np.array([0.5, 0.3, 0.2])
    right = -math.log(np.sum(q * q**ROBUST)) / ROBUST
    assert information.renyi_entropy(q, 1 + ROBUST) == pytest.approx(right, **CLOSE)


def test_equation_14_needs_a_minus_sign() -> None:
    found = CoupledGaussian(coupling=0.5)
    x = np.linspace(-40, 40, 81)
    np.testing.assert_allclose(found.density(x), student(2).pdf(x), rtol=1e-12)
    assert quad(lambda z: found.density([z])[0], -np.inf, np.inf)[0] == pytest.approx(1)
    # As printed it is least where it should be greatest, and grows.
    printed = (1 + x**2 / 2) ** 1.5
    assert printed.argmin() == found.density(x).argmax()
    assert printed[-1] / printed[40] > 2e4


def test_figure_1_the_compact_model_has_a_negative_coupling() -> None:
    far, centre, scale = np.full((1, 10), 10.0), np.zeros(10), np.eye(10)
    assert log_density(far, centre, scale, 0.095)[0] > -np.inf
    assert log_density(far, centre, scale, -0.095)[0] == -np.inf
    # It is as negative as ten dimensions allow.
    with pytest.raises(properly.errors.DataError):
        log_density(far, centre, scale, -0.1)


# Bins


def test_equation_15_counts_true_events() -> None:
    """What it divides by is not defined; it is the number of true events, and not of all cases."""
    found = properly.probability.source_table(
        properly.tally([0, 1, 1, 0], [0.5] * 4), source=EqualCount(1)
    )
    assert found.happened.tolist() == [2, 2]
    assert found.weight.tolist() == [4, 4]
    for name in ("decisiveness", "mean_probability", "robustness"):
        assert getattr(found, name).tolist() == pytest.approx([0.5, 0.5], **CLOSE)
    # Of 0.6, 0.7 and 0.9 the first and the last happened: only these are averaged.
    mixed = properly.probability.source_table(
        properly.tally([1, 0, 1], [0.6, 0.7, 0.9]), source=EqualCount(1)
    )
    assert mixed.happened.tolist() == [2, 1]
    assert mixed.decisiveness.tolist() == pytest.approx([0.75, 0.3], **CLOSE)
    assert mixed.mean_probability.tolist() == pytest.approx([math.sqrt(0.54), 0.3], **CLOSE)


def test_equation_17_sizes_sum_to_the_log_score() -> None:
    uneven = properly.tally([0, 0, 1, 1, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.8, 0.7])
    found = properly.probability.source_table(uneven, source=EqualWidth(2))
    assert found.size.sum() == pytest.approx(-math.log(found.means.mean_probability), **CLOSE)
    share = found.source / found.source.sum()
    printed = -np.sum(share * np.log(found.mean_probability))
    assert printed != pytest.approx(found.size.sum(), abs=0.01)
    # In bins that are equally full, the paper's, the weights are the same.
    even = properly.probability.source_table(uneven, source=EqualCount(2))
    share = even.source / even.source.sum()
    assert -np.sum(share * np.log(even.mean_probability)) == pytest.approx(even.size.sum(), **CLOSE)


def test_equation_18_undoes_its_power_once_too_often() -> None:
    half = properly.probability.source_table(
        properly.tally([0, 1], [0.5, 0.5]), source=EqualCount(1)
    )
    assert float(np.mean(half.robustness)) ** (1 / ROBUST) == pytest.approx(2.83, abs=2e-3)
    assert half.overall().model.robustness == pytest.approx(0.5, **CLOSE)


@pytest.mark.parametrize("bins", [1, 3, 10])
def test_equations_18_and_19_weigh_by_true_events(bins: int) -> None:
    t = tally_of("tail over", 2000, seed=3)
    found = properly.probability.source_table(t, source=EqualCount(bins))
    right, printed = found.overall(), found.overall("equal")
    for name in ("decisiveness", "mean_probability", "robustness"):
        wanted = getattr(found.means, name)
        assert getattr(right.model, name) == pytest.approx(wanted, rel=1e-12)
        wanted = getattr(found.means.source, name)
        assert getattr(right.source, name) == pytest.approx(wanted, rel=1e-12)
    if bins == 10:
        assert printed.source.mean_probability < right.source.mean_probability - 0.15
        ratio = printed.model.mean_probability / printed.source.mean_probability
        assert ratio < found.means.divergence - 0.15


def test_equations_18_and_19_are_right_if_bins_hold_equally_many_true_events() -> None:
    even = properly.Tally.from_counts([0.4, 0.7], [4, 4], [2, 2])
    found = properly.probability.source_table(even, source=EqualCount(2))
    assert found.happened.tolist() == [2, 2, 2, 2]
    assert len(set(found.mean_probability.tolist())) == 4
    right, printed = found.overall(), found.overall("equal")
    for name in ("decisiveness", "mean_probability", "robustness"):
        for side in ("model", "source"):
            wanted = getattr(getattr(right, side), name)
            assert getattr(getattr(printed, side), name) == pytest.approx(wanted, **CLOSE)


def test_equations_18_and_19_at_power_0_are_a_limit() -> None:
    found = properly.probability.source_table(tally_of("mean 1", 500, seed=1), source=EqualCount(5))
    weight = found.happened / found.happened.sum()
    tiny = 1e-7
    near = np.sum(weight * found.mean_probability**tiny) ** (1 / tiny)
    assert found.overall().model.mean_probability == pytest.approx(near, rel=1e-6)


def test_section_4_two_classes_apart_are_binned_as_one_event() -> None:
    drawn = nelson(600, "mean 3", rng=4)
    cases = properly.Cases(drawn.y.astype(int), np.stack([1 - drawn.p, drawn.p], axis=1))
    apart = properly.means(cases, source=EqualCount(5))
    assert len(set(drawn.p.tolist())) == 600
    binary = properly.means(properly.tally(drawn.y, drawn.p), source=EqualCount(5))
    assert apart.divergence == pytest.approx(binary.divergence, rel=1e-12)
    # To sort all classes together is not the same: a forecast of 0.8 need not mean the same of
    # each, and here it does not.
    together = properly.means(cases, source=EqualCount(10, pooled=True))
    assert together.source.mean_probability < apart.source.mean_probability - 0.01


def test_section_4_bins_fit_noise() -> None:
    """Of calibrated forecasts, the logarithm of the divergence is below 0 on average."""
    rng, n, classes, bins = np.random.default_rng(6), 1000, 3, 20
    found = []
    for _ in range(30):
        p = rng.dirichlet(np.ones(classes), n)
        y = np.sum(np.cumsum(p, axis=1) < rng.random((n, 1)), axis=1)
        found.append(
            math.log(properly.means(properly.Cases(y, p), source=EqualCount(bins)).divergence)
        )
    error = float(np.std(found, ddof=1)) / math.sqrt(len(found))
    noise = -bins * (classes - 1) / (2 * n)
    # What differs within bins adds a little.
    assert noise - 3 * error < np.mean(found) < noise + 0.003
    assert np.mean(found) < -10 * error


# Claims


def test_section_7_bins_have_a_divergence_above_one() -> None:
    t = properly.tally([0, 1], [0.1, 0.9])
    assert properly.means(t, source=EqualCount(1)).divergence == pytest.approx(1.8, **CLOSE)
    assert properly.means(t).divergence == pytest.approx(0.9, **CLOSE)
    for seed in range(5):
        sample = tally_of("gaussian", 10_000, seed)
        assert properly.means(sample, source=EqualCount(10)).divergence > 1
        assert properly.means(sample).divergence <= 1
    # "At most", not "below": a forecast that is its own recalibration has 1.
    calibrated = properly.Tally.from_counts([0.25, 0.75], [4, 4], [1, 3])
    assert properly.means(calibrated).divergence == 1


def test_below_equation_19_the_source_is_to_the_right() -> None:
    """The angle of an under-confident model is below 45 degrees only so."""
    found = properly.means(tally_of("mean 1", 10_000, seed=0))
    rise, run = (m.decisiveness - m.robustness for m in (found.model, found.source))
    assert found.angle == pytest.approx(math.degrees(math.atan2(rise, run)), **CLOSE)
    assert math.degrees(math.atan2(rise, run)) < 25
    assert math.degrees(math.atan2(run, rise)) > 65


def test_figure_6_a_wide_model_is_under_confident() -> None:
    narrow, wide = whole("variance 0.5"), whole("variance 2")
    assert narrow.angle == pytest.approx(53.9, abs=0.05)
    assert wide.angle == pytest.approx(37.8, abs=0.05)
    assert wide.model.decisiveness < wide.source.decisiveness
    assert narrow.model.decisiveness > narrow.source.decisiveness
    for name, sign in (("variance 0.5", -1), ("variance 2", 1)):
        z = properly.probability.confidence_test(tally_of(name, 10_000, seed=2)).z
        assert sign * z.robustness > 2


def test_section_6_the_accuracy_is_of_the_model() -> None:
    found = whole("tail over")
    assert found.model.mean_probability == pytest.approx(0.547, abs=5e-4)
    assert found.source.mean_probability == pytest.approx(0.613, abs=5e-4)
    # The three printed numbers are neither.
    assert round(found.model.mean_probability, 2) != 0.56
    assert round(found.source.mean_probability, 2) != 0.62
    assert round(found.divergence, 2) != 0.90


def test_section_5_an_error_of_amplitude() -> None:
    found = whole("prior 0.8")
    assert found.divergence == pytest.approx(0.8614, abs=1e-4)
    assert found.divergence == pytest.approx(found.feature_divergence, abs=1e-5)


def test_section_7_a_bias_gives_an_angle_above_45_degrees_too() -> None:
    right, biased = whole("perfect"), whole("prior 0.8")
    assert biased.angle == pytest.approx(59.7, abs=0.05)
    assert right.model.decisiveness == pytest.approx(0.687, abs=5e-4)
    assert biased.model.decisiveness == pytest.approx(0.645, abs=5e-4)
    # Over-confidence does as the paper says.
    for name in ("mean 3", "variance 0.5", "tail over"):
        sure = whole(name)
        assert sure.angle > 45
        assert sure.model.decisiveness > right.model.decisiveness
        assert sure.model.robustness < right.model.robustness


def test_section_3_what_happens_if_somebody_optimises_an_error_bar() -> None:
    report, truth = np.linspace(0, 1, 101), [0.7, 0.3]
    best = {
        m: report[np.argmax([properly.generalized_mean([q, 1 - q], m, truth) for q in report])]
        for m in (1, 0, ROBUST)
    }
    assert best == pytest.approx({1: 1, 0: 0.7, ROBUST: 0.62}, **CLOSE)


def test_section_3_a_ratio_at_another_power_may_be_above_one() -> None:
    under, over = whole("mean 1"), whole("tail over")
    assert under.model.robustness / under.source.robustness == pytest.approx(1.040, abs=5e-4)
    assert over.model.decisiveness / over.source.decisiveness == pytest.approx(1.072, abs=5e-4)


def test_section_7_the_arithmetic_mean_less_its_bias_is_the_quadratic_score() -> None:
    report = np.linspace(0, 1, 101)
    mean = 0.7 * report + 0.3 * (1 - report)
    brier = properly.rules.Brier()
    cost = [
        0.7 * float(brier.loss([1], [q])[0]) + 0.3 * float(brier.loss([0], [q])[0]) for q in report
    ]
    assert report[np.argmin(cost)] == pytest.approx(0.7, **CLOSE)
    # Twice the mean, less the sum of squares, is one less twice the Brier score of one event.
    quadratic = 2 * mean - report**2 - (1 - report) ** 2
    np.testing.assert_allclose(quadratic, 1 - 2 * np.array(cost), atol=1e-12)


def test_section_7_of_calibrated_forecasts_both_have_the_same_mean() -> None:
    calibrated = properly.Tally.from_counts([0.25, 0.5, 0.75], [4, 6, 8], [1, 3, 6])
    found = properly.means(calibrated)
    q, w = np.array([0.25, 0.5, 0.75]), np.array([4, 6, 8])
    squares = np.average(q**2 + (1 - q) ** 2, weights=w)
    assert found.decisiveness == pytest.approx(squares, **CLOSE)
