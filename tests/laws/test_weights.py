"""What holds for every weight on thresholds: a loss is the integral of regret, to the last digit.

A new weight joins ``WHOLE`` or ``means`` beside its exact form.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given

import properly
from properly import rules

from .oracles import (
    BETA_ROUNDED,
    ROUNDED,
    averaged,
    beta,
    between,
    histogram,
    integral_of_regret,
    logit,
    missed_benefit,
    points,
    shifted_classes,
    shifted_regret,
    times,
    uniform,
)
from .subjects import (
    BELIEFS,
    BETAS,
    EDGES,
    EPS,
    MASSES,
    POINTS,
    Rows,
    both_outcomes,
    expected_loss,
    quick_rows,
    tally_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .oracles import Costs


class Case(NamedTuple):
    """A rule beside the weight that it stands for, and how closely they must agree."""

    rule: rules.BinaryRule
    costs: Callable[[], Costs]
    rounding: float = ROUNDED

    def __repr__(self) -> str:
        """Name the test after the rule."""
        return repr(self.rule)


SHIFTS = [0.001, 0.1, 0.49, 0.5 - 1e-5, 0.5, 0.5 + 1e-9, 0.9]
RANGES = [(0.0166, 0.03), (0.1, 0.9)]

WHOLE = [
    *(Case(rules.BetaWeighted(a, b), lambda a=a, b=b: beta(a, b), BETA_ROUNDED) for a, b in BETAS),  # type: ignore[misc]
    *(Case(rules.Shifted(mu), lambda mu=mu: shifted_regret(mu)) for mu in SHIFTS),  # type: ignore[misc]
    *(
        Case(rules.Shifted(mu, form="classweighted"), lambda mu=mu: shifted_classes(mu))  # type: ignore[misc]
        for mu in SHIFTS
    ),
    Case(rules.MissedBenefit(), lambda: missed_benefit),
    Case(rules.Regret((0, 1)), lambda: uniform),
    Case(rules.Regret((0, 1), prior=rules.BetaWeighted(2, 8)), lambda: beta(2, 8), BETA_ROUNDED),
    Case(rules.PointWeighted(POINTS, MASSES), lambda: points(POINTS, MASSES)),
    Case(rules.PointWeighted(POINTS), lambda: points(POINTS, [1, 1, 1, 1])),
    Case(rules.PointWeighted([0.3]), lambda: points([0.3], [1])),
    Case(rules.HistogramWeighted(EDGES, BELIEFS), lambda: histogram(EDGES, BELIEFS)),
    Case(rules.HistogramWeighted([0, 0.25, 1], [1, 2]), lambda: histogram([0, 0.25, 1], [1, 2])),
]


def means(low: float, high: float) -> list[Case]:
    """Return the mean over a range of every kind of weight."""

    def mean(prior: Any, costs: Callable[[], Costs], rounding: float = ROUNDED) -> Case:
        rule = rules.Regret((low, high), prior=prior)
        return Case(rule, lambda: averaged(costs(), low, high), rounding)

    def over_length(rule: rules.BinaryRule, factor: int, costs: Costs) -> Case:
        """Divide by the length of the range, which is not the mass of the weight."""

        def divided() -> Costs:
            length = Decimal(high) - Decimal(low)
            return times(factor / length, between(costs, low, high))

        return Case(rules.Bounded(rule, (low, high)), divided)

    return [
        mean("uniform", lambda: uniform),
        mean("logit", lambda: logit),
        mean(rules.Brier(), lambda: times(2, uniform)),
        mean(rules.Log(), lambda: logit),
        mean(rules.MissedBenefit(), lambda: missed_benefit),
        *(
            mean(rules.BetaWeighted(a, b), lambda a=a, b=b: beta(a, b), BETA_ROUNDED)  # type: ignore[misc]
            for a, b in [*BETAS, (2.0, 2.0), (20.0, 12.0)]
        ),
        mean(rules.Shifted(0.1), lambda: shifted_regret(0.1)),
        mean(rules.Shifted(0.1, form="classweighted"), lambda: shifted_classes(0.1)),
        over_length(rules.Brier(), 2, uniform),
        over_length(rules.MissedBenefit(), 1, missed_benefit),
        Case(
            rules.Bounded(rules.BetaWeighted(2, 8), (low, high)),
            lambda: averaged(beta(2, 8), low, high),
            BETA_ROUNDED,
        ),
    ]


SPREAD = [case for ends in RANGES for case in means(*ends)]
LUMPED = [
    Case(
        rules.Regret((0.05, 0.3), prior=rules.HistogramWeighted(EDGES, BELIEFS)),
        lambda: averaged(histogram(EDGES, BELIEFS), 0.05, 0.3),
    ),
    Case(
        rules.Regret((0.03, 0.6), prior=rules.HistogramWeighted(EDGES, BELIEFS)),
        lambda: averaged(histogram(EDGES, BELIEFS), 0.03, 0.6),
    ),
    # A point mass counts above the lower end, up to and including the upper one.
    Case(
        rules.Regret((0.02, 0.3), prior=rules.PointWeighted(POINTS, MASSES)),
        lambda: averaged(points(POINTS, MASSES), 0.02, 0.3),
    ),
]
every = pytest.mark.parametrize("case", [*WHOLE, *SPREAD, *LUMPED], ids=repr)


@pytest.mark.slow
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
    assert strictly == (case.rule.propriety is rules.Propriety.STRICT)


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
    assert isinstance(case.rule, rules.Regret | rules.Bounded)
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
