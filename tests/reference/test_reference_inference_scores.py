"""Scores, skill, AUC and net benefit with their standard errors, against independent programs.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import expit, logit, stdtrit
from scipy.stats import t as student
from tests.inference_numbers import (
    ALL,
    CLUSTER,
    DESIGNS,
    GROUP,
    P1,
    P2,
    TIME,
    WEIGHT,
    Y,
    assert_published,
    cases_of,
)
from tests.reference.held import once

import properly
from properly.errors import DataWarning
from properly.inference._auc import logit_interval
from properly.inference._replicates import best_block
from properly.rules import Bounded, Brier, Log

if TYPE_CHECKING:
    from tests.reference.held import Areas

    from properly.inference import Estimate
    from properly.rules import BinaryRule

SHORT: dict[str, BinaryRule] = {"b1": Brier(), "l1": Log()}
RANGE = Bounded(Brier(), (0.1, 0.4))


def with_error(identity: str, found: Estimate) -> dict[str, float]:
    return {identity: found.value, f"{identity}.se": found.standard_error}


# Mean scores


def of_a_range() -> dict[str, float]:
    return with_error("bounded_brier[.1,.4]", properly.score_interval(cases_of("p1"), RANGE))


def of_certain_forecasts() -> dict[str, float]:
    cases = cases_of("edge")
    with pytest.warns(DataWarning, match="16 events"):
        return {
            "edge.log_mean": properly.score_interval(cases, Log()).value,
            **with_error("edge.brier", properly.score_interval(cases, Brier())),
            **with_error("edge.auc", properly.inference.auc_interval(cases)),
        }


# Ratios of scores


def of_skill() -> dict[str, float]:
    cases = cases_of("p1")
    known = cases_of("p1", weight=WEIGHT, clusters=CLUSTER, strata=ALL)
    weighted = properly.inference.skill_interval(known, Brier())
    return {
        **with_error("skill.brier", properly.inference.skill_interval(cases, Brier())),
        **with_error("skill.log", properly.inference.skill_interval(cases, Log())),
        "skill.brier.weighted": weighted.value,
        "skill.brier.se_cluster_weighted": weighted.standard_error,
    }


def of_ratio() -> dict[str, float]:
    """Take the second forecast as the reference: skill is one less the ratio."""
    against = properly.inference.skill_interval(cases_of("p1"), Brier(), reference=P2)
    return {
        "ratio.brier_p1_p2": 1 - against.value,
        "ratio.brier_p1_p2.se": against.standard_error,
    }


# Ranking and net benefit


def of_auc() -> dict[str, float]:
    found: dict[str, float] = {}
    for forecast in ("p1", "p2"):
        found |= with_error(f"auc.{forecast}", properly.inference.auc_interval(cases_of(forecast)))
    for method in ("wald", "logit"):
        area = properly.inference.auc_interval(cases_of("p1"), method=method)
        lower, upper = area.interval
        if method == "logit":
            # Published with the quantile of the normal distribution, not of Student's t.
            lower, upper = logit_interval(area.value, area.standard_error, 1.959963984540054)
        found |= {f"auc.p1.{method}95.lower": lower, f"auc.p1.{method}95.upper": upper}
    return found


def of_net_benefit() -> dict[str, float]:
    cases = cases_of("p1")
    low, high = (properly.inference.net_benefit_interval(cases, t) for t in (0.2, 0.5))
    return with_error("nb@0.2", low) | with_error("nb@0.5", high)


# Groups, another event rate, and how long dependence lasts


def of_groups() -> dict[str, float]:
    with pytest.warns(DataWarning, match="fewer than 20 events"):
        table = properly.by_group(cases_of("p1", groups=GROUP), Brier(), replicates=1, rng=1)
    found: dict[str, float] = {}
    for place, name in enumerate(table.name):
        estimates = {
            "n": table.cases[place],
            "brier": table.score[place],
            "brier.se": table.standard_error[place],
            "oe": table.observed_expected[place],
        }
        found |= {f"group.{name}.{key}": float(value) for key, value in estimates.items()}
    return found


def at_another_rate() -> dict[str, float]:
    """Take the event rate 0.1 as known: outcomes are then strata."""
    here = cases_of("p1", strata=Y)
    moved = properly.counts.with_event_rate(here, 0.1, forecasts_for=Y.mean())
    kept = properly.counts.with_event_rate(here, 0.1)
    weight = np.asarray(kept.weight)
    score = properly.score_interval(moved, Brier())
    return {
        "shift.0.1.weight_event": weight[Y == 1][0],
        "shift.0.1.weight_nonevent": weight[Y == 0][0],
        "shift.0.1.logodds": float((logit(np.asarray(moved.p)) - logit(P1)).mean()),
        "shift.0.1.brier.p1.shifted_forecast": score.value,
        "shift.0.1.brier.p1.shifted_forecast.se": score.standard_error,
        "shift.0.1.brier.p1.unshifted_forecast": properly.score_interval(kept, Brier()).value,
        "shift.0.1.nb@0.2.p1.shifted_forecast": properly.inference.net_benefit_interval(
            moved, 0.2
        ).value,
        "shift.0.1.bounded_brier[.1,.4].p1.shifted_forecast": properly.score_interval(
            moved, RANGE
        ).value,
    }


def of_blocks() -> dict[str, float]:
    first, second = np.asarray(Brier().loss(Y, P1)), np.asarray(Brier().loss(Y, P2))
    return {
        "block_length.stationary.db": best_block(first - second),
        "block_length.stationary.b1": best_block(first),
        # Blocks of one length are longer.
        "block_length.circular.b1": np.cbrt(1.5) * best_block(first),
    }


AREAS: Areas = once(
    {
        "a range": of_a_range,
        "certain forecasts": of_certain_forecasts,
        "skill": of_skill,
        "ratio": of_ratio,
        "auc": of_auc,
        "net benefit": of_net_benefit,
        "groups": of_groups,
        "another rate": at_another_rate,
        "blocks": of_blocks,
    }
)


# What follows from the published numbers


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("short", SHORT)
def test_the_interval_of_a_mean_score_is_student_s(short: str, design: str) -> None:
    known, mean, degrees = DESIGNS[design]
    found = properly.score_interval(cases_of("p1", **known), SHORT[short], level=0.8)
    lower, upper = found.interval
    assert_published(f"{short}.{mean}", (lower + upper) / 2)
    assert_published(f"{short}.{design}", (upper - lower) / 2 / student.ppf(0.9, degrees))


def test_the_interval_of_a_skill_is_that_of_the_logarithm_of_the_ratio() -> None:
    found = properly.inference.skill_interval(cases_of("p1"), Brier(), level=0.9)
    ratio = 1 - found.value
    step = student.ppf(0.95, 299) * found.standard_error / ratio
    expected = (1 - ratio * math.exp(step), 1 - ratio * math.exp(-step))
    assert found.interval == pytest.approx(expected, rel=0, abs=1e-14)


def test_the_interval_of_an_auc_stays_inside() -> None:
    with pytest.warns(DataWarning, match="16 events"):
        found = properly.inference.auc_interval(cases_of("edge"), level=0.999)
    quantile = stdtrit(found.degrees, 0.9995)
    step = quantile * found.standard_error / (found.value * (1 - found.value))
    expected = expit(logit(found.value) + np.array([-step, step]))
    assert found.interval == pytest.approx(tuple(expected), rel=0, abs=1e-14)


def test_the_standardized_net_benefit_is_a_ratio() -> None:
    plain = properly.inference.net_benefit_interval(cases_of("p1"), 0.2)
    scaled = properly.inference.net_benefit_interval(cases_of("p1"), 0.2, standardized=True)
    assert scaled.value == pytest.approx(plain.value / Y.mean(), rel=1e-14)
    benefit = (P1 >= 0.2) * (Y - (1 - Y) * 0.25)
    away = (benefit - scaled.value * Y) / (300 * Y.mean())
    expected = math.sqrt(300 / 299 * (away**2).sum())
    assert scaled.standard_error == pytest.approx(expected, rel=1e-12)


def test_the_rows_of_a_series_may_come_in_any_order() -> None:
    order = np.random.default_rng(3).permutation(300)
    known: dict[str, Any] = {"time": TIME[order]}
    found = properly.score_interval(properly.Cases(Y[order], P1[order], **known), Brier())
    assert_published("b1.se_ewc", found.standard_error)
