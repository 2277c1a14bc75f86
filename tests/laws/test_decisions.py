"""What holds for every weight on thresholds, for every threshold and for every budget.

The oracle is slow and knows only the steps of the regret curve: between two neighbouring forecasts
the same cases are wrong, so an integral of regret is a sum of two shares times two integrals of the
weight. These are written here a second time, in sixty digits.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import properly
from properly.rules import (
    BetaWeighted,
    Bounded,
    Brier,
    Elementary,
    HistogramWeighted,
    Log,
    MissedBenefit,
    Mixture,
    PointWeighted,
    Propriety,
    Regret,
    Shifted,
)

from .subjects import EPS, Rows, both_outcomes, expected_loss, many, quick_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from properly import Tally
    from properly.rules import BinaryRule

    Floats = NDArray[np.float64]
    # What false positives and false negatives cost at thresholds above one, up to another.
    Costs = Callable[[Decimal, Decimal], tuple[Decimal, Decimal]]

DIGITS = 60
# A handful of operations, each rounded once, and a sum of at most 25 losses.
ROUNDED = 64 * EPS
# The incomplete beta function is a continued fraction or a series of many operations.
BETA_ROUNDED = 1e-13
INFINITE = Decimal("inf")


@pytest.fixture(autouse=True)
def _sixty_digits() -> Iterator[None]:
    with localcontext() as context:
        context.prec = DIGITS
        yield


# The oracle: integrals of c w(c) and of (1 - c) w(c)


def uniform(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    return (high**2 - low**2) / 2, ((1 - low) ** 2 - (1 - high) ** 2) / 2


def logit(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    positive = ((1 - low) / (1 - high)).ln() if high < 1 else INFINITE
    return positive, (high / low).ln() if low > 0 else INFINITE


def missed_benefit(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    positive = ((1 - low) / (1 - high)).ln() - (high - low) if high < 1 else INFINITE
    return positive, high - low


def times(factor: Any, costs: Costs) -> Costs:
    def scaled(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        positive, negative = costs(low, high)
        return Decimal(factor) * positive, Decimal(factor) * negative

    return scaled


def summed(*parts: Costs) -> Costs:
    def total(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        found = [part(low, high) for part in parts]
        return sum((x for x, _ in found), Decimal()), sum((x for _, x in found), Decimal())

    return total


def between(costs: Costs, start: float, end: float) -> Costs:
    """Keep the weight between two thresholds only."""

    def inside(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        low, high = max(low, Decimal(start)), min(high, Decimal(end))
        return costs(low, high) if low < high else (Decimal(), Decimal())

    return inside


def averaged(costs: Costs, start: float, end: float) -> Costs:
    """Divide the weight between two thresholds by its mass."""
    mass = sum(costs(Decimal(start), Decimal(end)))
    return times(1 / Decimal(mass), between(costs, start, end))


def incomplete_beta(x: Decimal, alpha: Decimal, beta: Decimal) -> Decimal:
    """Integrate t^(alpha - 1) (1 - t)^(beta - 1) from 0 to x, up to one half, by its series."""
    if x == 0:
        return Decimal()
    term, total, n = Decimal(1), Decimal(), 0
    while abs(term) > Decimal(10) ** (-DIGITS - 5):
        total += term / (alpha + n)
        term *= (n + 1 - beta) * x / (n + 1)
        n += 1
    return total * x**alpha


@cache
def beta_between(low: Decimal, high: Decimal, alpha: Decimal, beta: Decimal) -> Decimal:
    half = Decimal("0.5")
    if high <= half:
        return incomplete_beta(high, alpha, beta) - incomplete_beta(low, alpha, beta)
    if low >= half:
        return beta_between(1 - high, 1 - low, beta, alpha)
    return beta_between(low, half, alpha, beta) + beta_between(half, high, alpha, beta)


def beta(alpha: float, beta: float) -> Costs:
    a, b = Decimal(alpha), Decimal(beta)

    def costs(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        mass = beta_between(Decimal(0), Decimal(1), a, b)
        return beta_between(low, high, a + 1, b) / mass, beta_between(low, high, a, b + 1) / mass

    return costs


def points(thresholds: Sequence[float], weights: Sequence[float]) -> Costs:
    total = sum(Decimal(w) for w in weights)

    def costs(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        pairs = [(Decimal(c), Decimal(w)) for c, w in zip(thresholds, weights, strict=True)]
        inside = [(c, w / total) for c, w in pairs if low < c <= high]
        positive = sum((w * c for c, w in inside), Decimal())
        return positive, sum((w * (1 - c) for c, w in inside), Decimal())

    return costs


def histogram(edges: Sequence[float], weights: Sequence[float]) -> Costs:
    total = sum(Decimal(w) for w in weights)
    bins = zip(pairwise(edges), weights, strict=True)
    return summed(*(times(Decimal(w) / total, averaged(uniform, *ends)) for ends, w in bins))


def shifted_regret(mu: float) -> Costs:
    m, k = Decimal(mu), 1 - 2 * Decimal(mu)

    def costs(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        if k == 0:
            return times(2, uniform)(low, high)
        one, other = m + k * low, m + k * high
        scale = 2 * m * (1 - m)
        positive = scale * ((other / one).ln() - m / one + m / other) / k**2
        return positive, scale * (1 / one - 1 / other) / k - positive

    return costs


def shifted_classes(mu: float) -> Costs:
    m = Decimal(mu)

    def moved(c: Decimal) -> Decimal:
        return c * (1 - m) / (c * (1 - m) + (1 - c) * m)

    def costs(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        one, other = moved(low), moved(high)
        negative = ((1 - one) ** 2 - (1 - other) ** 2) / (2 * m)
        return (other**2 - one**2) / (2 * (1 - m)), negative

    return costs


class Case(NamedTuple):
    """A rule beside the weight that it stands for, and how closely they must agree."""

    rule: BinaryRule
    costs: Callable[[], Costs]
    rounding: float = ROUNDED

    def __repr__(self) -> str:
        """Name the test after the rule."""
        return repr(self.rule)


EDGES, BELIEFS = (0.02, 0.05, 0.1, 0.3, 0.7), (1.0, 4.0, 0.0, 2.0)
POINTS, MASSES = (0.02, 0.1, 0.3, 0.7), (3.0, 1.0, 4.0, 2.0)
BETAS = [(1.0, 1.0), (2.0, 8.0), (0.5, 0.5), (3.5, 1.25), (0.1, 4.0)]
SHIFTS = [0.001, 0.1, 0.49, 0.5 - 1e-5, 0.5, 0.5 + 1e-9, 0.9]
RANGES = [(0.0166, 0.03), (0.1, 0.9)]

WHOLE = [
    *(Case(BetaWeighted(a, b), lambda a=a, b=b: beta(a, b), BETA_ROUNDED) for a, b in BETAS),  # type: ignore[misc]
    *(Case(Shifted(mu), lambda mu=mu: shifted_regret(mu)) for mu in SHIFTS),  # type: ignore[misc]
    *(
        Case(Shifted(mu, form="classweighted"), lambda mu=mu: shifted_classes(mu))  # type: ignore[misc]
        for mu in SHIFTS
    ),
    Case(MissedBenefit(), lambda: missed_benefit),
    Case(Regret((0, 1)), lambda: uniform),
    Case(Regret((0, 1), prior=BetaWeighted(2, 8)), lambda: beta(2, 8), BETA_ROUNDED),
    Case(PointWeighted(POINTS, MASSES), lambda: points(POINTS, MASSES)),
    Case(PointWeighted(POINTS), lambda: points(POINTS, [1, 1, 1, 1])),
    Case(HistogramWeighted(EDGES, BELIEFS), lambda: histogram(EDGES, BELIEFS)),
    Case(HistogramWeighted([0, 0.25, 1], [1, 2]), lambda: histogram([0, 0.25, 1], [1, 2])),
]


def means(low: float, high: float) -> list[Case]:
    """Return the mean regret over a range under every kind of belief."""

    def mean(prior: Any, costs: Callable[[], Costs], rounding: float = ROUNDED) -> Case:
        rule = Regret((low, high), prior=prior)
        return Case(rule, lambda: averaged(costs(), low, high), rounding)

    return [
        mean("uniform", lambda: uniform),
        mean("logit", lambda: logit),
        mean(Brier(), lambda: times(2, uniform)),
        mean(Log(), lambda: logit),
        mean(MissedBenefit(), lambda: missed_benefit),
        *(
            mean(BetaWeighted(a, b), lambda a=a, b=b: beta(a, b), BETA_ROUNDED)  # type: ignore[misc]
            for a, b in [*BETAS, (2.0, 2.0), (20.0, 12.0)]
        ),
        mean(Shifted(0.1), lambda: shifted_regret(0.1)),
    ]


SPREAD = [case for ends in RANGES for case in means(*ends)]
LUMPED = [
    Case(
        Regret((0.05, 0.3), prior=HistogramWeighted(EDGES, BELIEFS)),
        lambda: averaged(histogram(EDGES, BELIEFS), 0.05, 0.3),
    ),
    Case(
        Regret((0.03, 0.6), prior=HistogramWeighted(EDGES, BELIEFS)),
        lambda: averaged(histogram(EDGES, BELIEFS), 0.03, 0.6),
    ),
    # A point mass counts above the lower end, up to and including the upper one.
    Case(
        Regret((0.02, 0.3), prior=PointWeighted(POINTS, MASSES)),
        lambda: averaged(points(POINTS, MASSES), 0.02, 0.3),
    ),
]
CASES = [*WHOLE, *SPREAD, *LUMPED]
every = pytest.mark.parametrize("case", CASES, ids=repr)
Y, P = both_outcomes(np.unique(np.concatenate([np.linspace(0, 1, 65), [0.0166, 1e-12, 0.1, 0.3]])))


def tally_of(found: Rows) -> Tally:
    return properly.tally(found.y, found.p, weight=found.weight)


def integral_of_regret(costs: Costs, found: Rows) -> Decimal:
    """Add up the regret over all thresholds, step by step."""
    drawn = zip(*(x.tolist() for x in found), strict=True)
    rows = [(y, Decimal(p), Decimal(w)) for y, p, w in drawn if w > 0]
    total, answer = sum(w for _, _, w in rows), Decimal()
    edges = sorted({Decimal(0), Decimal(1), *(p for _, p, _ in rows)})
    for low, high in pairwise(edges):
        positive, negative = costs(low, high)
        acted_in_vain = sum(w for y, p, w in rows if y == 0 and p > low)
        missed = sum(w for y, p, w in rows if y == 1 and p <= low)
        # A share of 0 is left out, not multiplied: what it is a share of may be infinite.
        answer += acted_in_vain * positive if acted_in_vain else 0
        answer += missed * negative if missed else 0
    return answer / total


# The engine


@every
@given(found=quick_rows)
def test_the_mean_loss_is_the_integral_of_regret(case: Case, found: Rows) -> None:
    expected = float(integral_of_regret(case.costs(), found))
    close = pytest.approx(expected, rel=case.rounding, abs=0)
    assert case.rule(found.y, found.p, weight=found.weight) == close
    assert properly.decompose(tally_of(found), case.rule).score == close


@every
@given(found=quick_rows)
def test_miscalibration_and_discrimination_are_not_negative(case: Case, found: Rows) -> None:
    parts = properly.decompose(tally_of(found), case.rule)
    rounding = 16 * EPS * max(1.0, parts.uncertainty)
    assert parts.miscalibration >= -rounding
    assert parts.discrimination >= -rounding
    together = parts.miscalibration - parts.discrimination + parts.uncertainty
    assert together == pytest.approx(parts.score, rel=8 * EPS, abs=rounding)


@every
def test_no_forecast_beats_the_true_probability(case: Case) -> None:
    grid = np.unique(np.concatenate([np.arange(65) / 64, EDGES, POINTS, [0.0166, 0.03, 0.2, 0.9]]))
    table = expected_loss(case.rule, grid, grid)
    honest = table.diagonal()
    assert np.isfinite(honest).all()
    assert (table >= honest[:, None] - 8 * EPS * max(1.0, float(honest.max()))).all()
    assert case.rule.is_proper
    # As strict as the rule says: another forecast may be as good only if it is not strict.
    apart = np.abs(grid[:, None] - grid[None, :]) >= 1 / 128
    strictly = bool((table - honest[:, None])[apart].min() > 0)
    assert strictly == (case.rule.propriety is Propriety.STRICT)


@pytest.mark.parametrize("case", WHOLE, ids=repr)
def test_the_cost_between_any_two_thresholds_is_exact(case: Case) -> None:
    costs, edges = case.costs(), [0.0, 1e-9, 0.02, 0.1, 0.3, 0.5, 0.999, 1 - 1e-9, 1.0]
    for low, high in combinations(edges, 2):
        exact = costs(Decimal(low), Decimal(high))
        ends = np.float64(low), np.float64(high)
        got = case.rule.false_positives(*ends), case.rule.false_negatives(*ends)
        for ours, theirs in zip(got, exact, strict=True):
            assert float(ours) == pytest.approx(float(theirs), rel=case.rounding, abs=0)


@pytest.mark.parametrize("case", WHOLE, ids=repr)
def test_the_density_is_the_slope_of_its_mass(case: Case) -> None:
    # Symmetric differences in sixty digits; nothing sits within a millionth of these thresholds.
    c = np.array([0.011, 0.21, 0.42, 0.5 + 2**-8, 0.83])
    step, costs = Decimal(10) ** -12, case.costs()
    slopes = [float(sum(costs(Decimal(x) - step, Decimal(x) + step)) / (2 * step)) for x in c]
    np.testing.assert_allclose(case.rule.weight(c), slopes, rtol=1e-12, atol=0)


# Narrow ranges

NARROW = [
    (0.3, 0.3 + 1e-6),
    (0.1, 0.1 + 1e-9),
    (0.02, 0.02 + 1e-6),
    (0.999, 0.999 + 1e-6),
    (1e-6, 2e-6),
    (1 - 2e-6, 1 - 1e-6),
]


@pytest.mark.parametrize("case", [case for ends in NARROW for case in means(*ends)], ids=repr)
def test_a_narrow_range_keeps_every_digit(case: Case) -> None:
    assert isinstance(case.rule, Regret)
    low, high = case.rule.within.lower, case.rule.within.upper
    inside = [low + share * (high - low) for share in (0.25, 0.5, 0.75)]
    y, p = both_outcomes(np.array([0.0, low, *inside, high, 1.0]))
    costs = case.costs()
    expected = [
        float(
            costs(Decimal(0), Decimal(s))[0] if happened == 0 else costs(Decimal(s), Decimal(1))[1]
        )
        for happened, s in zip(y.tolist(), p.tolist(), strict=True)
    ]
    # Nothing absolute: the mean over a narrow range is no small number.
    np.testing.assert_allclose(case.rule.loss(y, p), expected, rtol=case.rounding, atol=0)


# The same rule in other words

CLOSE: dict[str, Any] = {"rtol": 32 * EPS, "atol": 8 * EPS}
DENSITIES: list[BinaryRule] = [
    BetaWeighted(2, 8),
    BetaWeighted(0.5, 0.5),
    Shifted(0.1),
    Shifted(0.1, form="classweighted"),
    MissedBenefit(),
    HistogramWeighted(EDGES, BELIEFS),
    PointWeighted(POINTS, MASSES),
]
cuts = st.lists(st.floats(0.001, 0.999), min_size=3, max_size=3, unique=True).map(sorted)
ranges = st.lists(st.floats(0.001, 0.999), min_size=2, max_size=2, unique=True).map(sorted)


def losses(rule: BinaryRule) -> Floats:
    return np.asarray(rule.loss(Y, P))


@pytest.mark.parametrize("rule", DENSITIES, ids=repr)
@given(ends=cuts)
def test_adjacent_ranges_add_up(rule: BinaryRule, ends: list[float]) -> None:
    low, middle, high = ends
    left = losses(Bounded(rule, (low, middle), scale="integral"))
    right = losses(Bounded(rule, (middle, high), scale="integral"))
    whole = losses(Bounded(rule, (low, high), scale="integral"))
    np.testing.assert_allclose(left + right, whole, **CLOSE)


@pytest.mark.parametrize("rule", DENSITIES, ids=repr)
@pytest.mark.parametrize("within", [(0.05, 0.2), (0.1, 0.9), (0.01, 0.7)])
def test_a_mean_is_the_integral_divided_by_the_length(
    rule: BinaryRule, within: tuple[float, float]
) -> None:
    integral = losses(Bounded(rule, within, scale="integral"))
    length = rule.length(*within)
    np.testing.assert_allclose(losses(Bounded(rule, within)) * length, integral, **CLOSE)


@pytest.mark.parametrize("rule", [*DENSITIES, Log()], ids=repr)
@pytest.mark.parametrize("within", [(0.05, 0.2), (0.1, 0.9), (0.01, 0.7)])
def test_mean_regret_under_a_rule_divides_by_the_mass_of_its_weight(
    rule: BinaryRule, within: tuple[float, float]
) -> None:
    ends = np.float64(within[0]), np.float64(within[1])
    mass = float(rule.false_positives(*ends) + rule.false_negatives(*ends))
    integral = losses(Bounded(rule, within, scale="integral"))
    np.testing.assert_allclose(losses(Regret(within, prior=rule)), integral / mass, **CLOSE)


@given(ends=ranges)
def test_mean_regret_is_half_the_bounded_brier_score(ends: list[float]) -> None:
    within = ends[0], ends[1]
    np.testing.assert_allclose(
        losses(Regret(within)), losses(Bounded(Brier(), within)) / 2, **CLOSE
    )
    np.testing.assert_allclose(
        losses(Regret(within)), losses(Regret(within, prior=Brier())), **CLOSE
    )


@given(ends=ranges)
def test_mean_regret_over_log_odds_is_the_bounded_log_score(ends: list[float]) -> None:
    within = ends[0], ends[1]
    uniform_odds = losses(Regret(within, prior="logit"))
    np.testing.assert_allclose(uniform_odds, losses(Bounded(Log(), within)), **CLOSE)


def test_the_uniform_beta_weight_is_half_of_brier() -> None:
    np.testing.assert_allclose(losses(BetaWeighted(1, 1)), losses(Brier()) / 2, **CLOSE)
    np.testing.assert_allclose(losses(HistogramWeighted([0, 1], [3])), losses(Brier()) / 2, **CLOSE)
    np.testing.assert_allclose(losses(Regret((0, 1))), losses(Brier()) / 2, **CLOSE)


@pytest.mark.parametrize("form", ["regret", "classweighted", "published"])
def test_without_a_shift_every_form_is_brier(form: Any) -> None:
    np.testing.assert_allclose(losses(Shifted(0.5, form=form)), losses(Brier()), **CLOSE)


@pytest.mark.parametrize("within", [(0.05, 0.2), (0.3, 0.9)])
def test_one_even_bin_is_the_mean_regret_over_it(within: tuple[float, float]) -> None:
    belief = HistogramWeighted(list(within), [7])
    np.testing.assert_allclose(losses(belief), losses(Regret(within)), **CLOSE)


def test_a_histogram_is_a_mixture_of_mean_regrets() -> None:
    parts = [(w, Regret(ends)) for ends, w in zip(pairwise(EDGES), BELIEFS, strict=True)]
    mixed = losses(Mixture(parts)) / sum(BELIEFS)
    np.testing.assert_allclose(losses(HistogramWeighted(EDGES, BELIEFS)), mixed, **CLOSE)


def test_several_thresholds_are_a_mixture_of_single_ones() -> None:
    mixed = losses(Mixture([(w, Elementary(c)) for c, w in zip(POINTS, MASSES, strict=True)]))
    rule = PointWeighted(POINTS, MASSES)
    np.testing.assert_allclose(losses(rule), mixed / sum(MASSES), **CLOSE)
    assert dict(rule.atoms) == pytest.approx({0.02: 0.3, 0.1: 0.1, 0.3: 0.4, 0.7: 0.2}, rel=4 * EPS)
    np.testing.assert_array_equal(losses(PointWeighted([0.3])), losses(Elementary(0.3)))


@pytest.mark.parametrize(("alpha", "beta"), BETAS)
def test_a_beta_weight_has_the_mass_one_and_its_own_mean(alpha: float, beta: float) -> None:
    rule, ends = BetaWeighted(alpha, beta), (np.float64(0), np.float64(1))
    mean = alpha / (alpha + beta)
    assert float(rule.false_positives(*ends)) == pytest.approx(mean, rel=4 * EPS)
    assert float(rule.false_negatives(*ends)) == pytest.approx(1 - mean, rel=8 * EPS)


@pytest.mark.parametrize(
    ("rule", "mirrored"),
    [
        (BetaWeighted(2, 8), BetaWeighted(8, 2)),
        (BetaWeighted(0.5, 3.5), BetaWeighted(3.5, 0.5)),
        (Shifted(0.125), Shifted(0.875)),
        (Shifted(0.125, form="classweighted"), Shifted(0.875, form="classweighted")),
        (Shifted(0.125, form="published"), Shifted(0.875, form="published")),
    ],
    ids=repr,
)
def test_the_absence_of_the_event_is_an_event_too(rule: BinaryRule, mirrored: BinaryRule) -> None:
    y, p = both_outcomes(np.arange(65) / 64)  # their distance from 1 is exact
    got, expected = np.asarray(rule.loss(y, p)), np.asarray(mirrored.loss(1 - y, 1 - p))
    np.testing.assert_allclose(got, expected, **CLOSE)


# Thresholds


def exact_regret(found: Rows, c: Fraction, acted: Callable[[float], bool]) -> Fraction:
    """Return the regret of cost c for any way to act, in fractions."""
    rows = [(y, p, Fraction(w)) for y, p, w in zip(*(x.tolist() for x in found), strict=True)]
    in_vain = sum(w for y, p, w in rows if y == 0 and acted(p))
    missed = sum(w for y, p, w in rows if y == 1 and not acted(p))
    return (c * in_vain + (1 - c) * missed) / sum(w for _, _, w in rows)


# No float here lies within a few roundings of another forecast without being it.
thresholds = st.sampled_from([k / 100 for k in range(1, 100)])


@many
@given(found=quick_rows, c=thresholds)
def test_every_way_to_the_regret_at_a_threshold_is_exact(found: Rows, c: float) -> None:
    tally = tally_of(found)
    regret = float(exact_regret(found, Fraction(c), lambda p: p >= c))
    close = pytest.approx(regret, rel=ROUNDED, abs=4 * EPS)
    at = properly.at_threshold(tally, c)
    benefit = tally.event_rate - regret / (1 - c)
    assert at.regret == close
    assert Elementary(c)(found.y, found.p, weight=found.weight) == close
    assert at.net_benefit == pytest.approx(benefit, rel=0, abs=ROUNDED / (1 - c))
    curve = properly.decision_curve(tally, [c])
    assert curve.net_benefit[0] == pytest.approx(benefit, rel=0, abs=ROUNDED / (1 - c))
    strict = float(exact_regret(found, Fraction(c), lambda p: p > c))
    benefit = tally.event_rate - strict / (1 - c)
    assert curve.right[0] == pytest.approx(benefit, rel=0, abs=ROUNDED / (1 - c))


@many
@given(found=quick_rows, c=thresholds)
def test_no_threshold_beats_the_cost_after_recalibration(found: Rows, c: float) -> None:
    tally = tally_of(found)
    fitted = np.asarray(properly.reliability(tally).recalibrated)
    used = found.weight > 0
    place = np.searchsorted(tally.value, found.p[used])
    recalibrated = Rows(found.y[used], fitted[place], found.weight[used])
    # The cost itself, or an event rate of the recalibrated forecasts, at which there are ties.
    for cost in (c, *(float(rate) for rate in fitted if 0 < rate < 1)):
        honest = properly.at_threshold(tally_of(recalibrated), cost).regret
        others = [
            exact_regret(recalibrated, Fraction(cost), lambda p, t=threshold: p >= t)  # type: ignore[misc]
            for threshold in (*fitted.tolist(), 2.0)
        ]
        assert honest <= float(min(others)) + 4 * EPS


@many
@given(found=quick_rows, c=thresholds)
def test_recalibration_beats_every_threshold_of_the_forecasts_themselves(
    found: Rows, c: float
) -> None:
    tally = tally_of(found)
    parts = properly.decompose(tally, Elementary(c))
    best = min(
        exact_regret(found, Fraction(c), lambda p, t=threshold: p >= t)  # type: ignore[misc]
        for threshold in (*np.asarray(tally.value).tolist(), 2.0)
    )
    # Both choose the best place to begin to act; for a cost, that is all there is to choose.
    after = parts.uncertainty - parts.discrimination
    assert after == pytest.approx(float(best), rel=ROUNDED, abs=16 * EPS)


@many
@given(found=quick_rows, ends=ranges)
def test_mean_net_benefit_is_the_mean_of_net_benefit(found: Rows, ends: list[float]) -> None:
    within = ends[0], ends[1]
    costs = between(missed_benefit, *within)
    missed = integral_of_regret(costs, found) / (Decimal(within[1]) - Decimal(within[0]))
    tally = tally_of(found)
    expected = tally.event_rate - float(missed)
    scale = 1 / (1 - within[1])
    got = properly.mean_net_benefit(tally, within)
    assert got == pytest.approx(expected, rel=0, abs=ROUNDED * scale)


@many
@given(found=quick_rows)
def test_after_recalibration_the_ranking_says_what_the_regret_says(found: Rows) -> None:
    tally = tally_of(found)
    assume(0 < tally.event_rate < 1)
    used = found.weight > 0
    fitted = np.asarray(properly.reliability(tally).recalibrated)
    p = fitted[np.searchsorted(tally.value, found.p[used])]
    ranking = properly.ranking(properly.tally(found.y[used], p, weight=found.weight[used]))
    assert ranking.gap == pytest.approx(0, abs=ROUNDED)
    assert ranking.auc_if_calibrated == pytest.approx(
        properly.roc_curve(tally, hull=True).area, abs=ROUNDED
    )


@many
@given(found=quick_rows, prior=st.sampled_from(["hand", "severity", "event_rate"]))
def test_the_h_measure_sees_only_the_order_of_forecasts(found: Rows, prior: Any) -> None:
    tally = tally_of(found)
    assume(0 < tally.event_rate < 1)
    order_kept = np.searchsorted(tally.value, found.p) / (len(tally) + 1)
    used = found.weight > 0
    other = properly.tally(found.y[used], order_kept[used], weight=found.weight[used])
    h = properly.h_measure(tally, prior)
    assert -ROUNDED <= h <= 1
    assert properly.h_measure(other, prior) == pytest.approx(h, rel=0, abs=BETA_ROUNDED)


# Budgets


def models_of(seed: int, count: int) -> tuple[Rows, ...]:
    """Draw three models of the same outcomes, with ties."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 2, count), [0, 1])
    sizes = (4, 10, 1000)
    return tuple(Rows(y, rng.integers(0, k + 1, len(y)) / k, np.ones(len(y))) for k in sizes)


models = st.builds(models_of, st.integers(0, 2**32 - 1), st.integers(1, 15))


def order(values: Sequence[float]) -> list[float]:
    """Say of each pair which is greater; what differs by rounding alone is equal."""
    return [float(np.sign(round(a - b, 11))) for a, b in combinations(values, 2)]


@many
@given(drawn=models)
def test_all_that_is_said_of_a_budget_ranks_models_alike(drawn: tuple[Rows, ...]) -> None:
    tallies = [tally_of(found) for found in drawn]
    for budget in range(1, len(drawn[0].y) + 1):
        for c in (0.01, 0.1, 0.5, 0.9):
            at = [properly.at_budget(tally, budget, threshold=c) for tally in tallies]
            hits = order([one.true_positives for one in at])
            assert order([one.precision for one in at]) == hits
            assert order([one.recall for one in at]) == hits
            assert order([one.net_benefit or 0.0 for one in at]) == hits
            assert order([-(one.regret or 0.0) for one in at]) == hits


@many
@given(drawn=models)
def test_a_tie_at_the_border_of_a_budget_is_split_by_expectation(drawn: tuple[Rows, ...]) -> None:
    for found in drawn:
        tally, n = tally_of(found), len(found.y)
        events = int(found.y.sum())
        for budget in range(1, n + 1):
            at = properly.at_budget(tally, budget, threshold=0.25)
            border = sorted(found.p, reverse=True)[budget - 1]
            above, tied = found.y[found.p > border], found.y[found.p == border]
            hits = int(above.sum()) + Fraction(budget - len(above), len(tied)) * int(tied.sum())
            assert at.border == border
            assert at.border_cases == len(tied)
            assert at.true_positives == pytest.approx(float(hits), rel=8 * EPS)
            assert at.precision == pytest.approx(float(hits / budget), rel=8 * EPS)
            assert at.recall == pytest.approx(float(hits / events), rel=8 * EPS)
            cost = Fraction(1, 4) * (budget - hits) + Fraction(3, 4) * (events - hits)
            assert at.regret == pytest.approx(float(cost / n), rel=8 * EPS, abs=4 * EPS)
            benefit = (hits - (budget - hits) / 3) / n
            assert at.net_benefit == pytest.approx(float(benefit), rel=8 * EPS, abs=4 * EPS)


# Many models


def ranked(drawn: tuple[Rows, ...], c: float) -> list[float]:
    """Rank models by their exact regret at a threshold; those that tie share the mean rank."""
    regrets = [exact_regret(found, Fraction(c), lambda p: p >= c) for found in drawn]
    below = [sum(other < one for other in regrets) for one in regrets]
    alike = [sum(other == one for other in regrets) for one in regrets]
    return [1 + less + (same - 1) / 2 for less, same in zip(below, alike, strict=True)]


@many
@given(drawn=models)
def test_the_ranks_at_a_threshold_are_those_of_the_regrets(drawn: tuple[Rows, ...]) -> None:
    named = dict(zip("abc", (tally_of(found) for found in drawn), strict=True))
    ranks = properly.rank_by_threshold(named)
    assert ranks.models == ("a", "b", "c")
    assert (ranks.edges[0], ranks.edges[-1]) == (0, 1)
    expected = [ranked(drawn, float(low + (high - low) / 3)) for low, high in pairwise(ranks.edges)]
    np.testing.assert_array_equal(np.asarray(ranks.rank).T, expected)


@many
@given(drawn=models, prior=st.sampled_from(["uniform", "logit", "beta"]))
def test_the_share_of_the_best_is_its_share_of_the_belief(
    drawn: tuple[Rows, ...], prior: str
) -> None:
    beliefs: dict[str, tuple[Any, Costs]] = {
        "uniform": ("uniform", uniform),
        "logit": ("logit", logit),
        "beta": (BetaWeighted(2, 8), beta(2, 8)),
    }
    belief, costs = beliefs[prior]
    named = dict(zip("abc", (tally_of(found) for found in drawn), strict=True))
    ranks = properly.rank_by_threshold(named, within=(0.05, 0.9))
    assert (ranks.edges[0], ranks.edges[-1]) == (0.05, 0.9)
    shares = dict.fromkeys("abc", 0.0)
    for low, high in pairwise(ranks.edges.tolist()):
        places = ranked(drawn, low + (high - low) / 3)
        best = [name for name, place in zip("abc", places, strict=True) if place == min(places)]
        for name in best:
            shares[name] += float(sum(costs(Decimal(low), Decimal(high)))) / len(best)
    whole = math.fsum(shares.values())
    expected = {name: share / whole for name, share in shares.items()}
    assert ranks.share_best(belief) == pytest.approx(expected, rel=0, abs=BETA_ROUNDED)


@many
@given(drawn=models, c=thresholds)
def test_differences_of_net_benefit_are_those_of_regret(drawn: tuple[Rows, ...], c: float) -> None:
    first, second = (properly.Cases(found.y, found.p) for found in drawn[:2])
    regrets = [exact_regret(found, Fraction(c), lambda p: p >= c) for found in drawn[:2]]
    expected = -float((regrets[0] - regrets[1]) / (1 - Fraction(c)))
    got = properly.decision_difference(first, second, [c]).net_benefit
    assert got.tolist() == pytest.approx([expected], rel=0, abs=ROUNDED / (1 - c))


@given(drawn=models)
def test_the_best_over_a_range_is_the_least_mean_regret(drawn: tuple[Rows, ...]) -> None:
    named = dict(zip("abc", (tally_of(found) for found in drawn), strict=True))
    edges = [0.0, 0.05, 0.2, 0.5, 1.0]
    found = properly.best_by_range(named, edges=edges, baselines=False)
    for i, low in enumerate(edges):
        for j, high in enumerate(edges):
            if high <= low:
                assert found.best[i, j] == -1
                assert np.isnan(found.margin[i, j])
                continue
            rule = Regret((low, high))
            expected = [rule(rows.y, rows.p) for rows in drawn]
            np.testing.assert_allclose(found.mean_regret[:, i, j], expected, rtol=0, atol=1e-14)
            least, second = sorted(expected)[:2]
            assert expected[found.best[i, j]] == pytest.approx(least, rel=0, abs=1e-14)
            assert found.margin[i, j] == pytest.approx(second - least, rel=0, abs=1e-14)
