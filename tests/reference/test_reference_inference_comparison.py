"""Scores and differences by design, tests and e-values, against independent programs.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import t as student
from tests.inference_numbers import DESIGNS, P1, P2, SERIAL, TIME, Y, assert_published, cases_of
from tests.reference.held import once

import properly
from properly.comparison._bets import log_factors, relative_gain
from properly.comparison._differences import long_run
from properly.inference._multiplicity import holm
from properly.inference._variance import data_lag, rule_lag
from properly.rules import Bounded, Brier, Elementary, Log

if TYPE_CHECKING:
    from tests.reference.held import Areas

    from properly.comparison._pairs import Pair
    from properly.rules import BinaryRule

# Mean scores of the first model, and differences from the second.
SHORT: dict[str, BinaryRule] = {"b1": Brier(), "l1": Log(), "db": Brier(), "dl": Log()}
RANGE = Bounded(Brier(), (0.1, 0.4))


def pair_of(rule: Any, **known: Any) -> Pair:
    """Compare both forecasts by Student's t unless told otherwise."""
    how: dict[str, Any] = {"method": "t", "rng": 1} | known
    return properly.compare(Y, {"p1": P1, "p2": P2}, rule=rule, **how)["p1", "p2"]


def score_of(short: str, **known: Any) -> Any:
    """Return the estimate of a mean score, or of the difference of two."""
    rule, serial = SHORT[short], known.pop("serial", "cosines")
    if short.endswith("1"):
        return properly.score_interval(cases_of("p1", **known), rule, serial=serial)
    models = {"p1": P1, "p2": P2}
    return properly.compare(Y, models, rule=rule, serial=serial, rng=1, method="t", **known)


def number_of(found: Any) -> float:
    """Return the score, or the difference of the only pair."""
    return float(found.value if hasattr(found, "value") else found.difference[0])


def by_design(short: str) -> dict[str, float]:
    known = {design: score_of(short, **columns) for design, (columns, _, _) in DESIGNS.items()}
    found = {f"{short}.{mean}": number_of(known[x]) for x, (_, mean, _) in DESIGNS.items()}
    found |= {f"{short}.{x}": float(np.squeeze(y.standard_error)) for x, y in known.items()}
    assert known["se_iid"].degrees == 299
    return found | {
        f"{short}.ewc_df": known["se_ewc"].degrees,
        f"{short}.ess_weighted": known["se_weighted"].effective_cases,
    }


def by_lags(short: str) -> dict[str, float]:
    known = {x: score_of(short, time=TIME, serial=serial) for x, serial in SERIAL.items()}
    found = {f"{short}.{x}": float(np.squeeze(y.standard_error)) for x, y in known.items()}
    loss = np.asarray(SHORT[short].loss(Y, P1))
    if not short.endswith("1"):
        loss = loss - np.asarray(SHORT[short].loss(Y, P2))
    reach = data_lag(loss - loss.mean())
    lags = {"lag_rule": rule_lag(300), "bw_nw94": reach, "lag_nw94": math.floor(reach)}
    return found | {f"{short}.{name}": value for name, value in lags.items()}


def of_a_range() -> dict[str, float]:
    pair = pair_of(RANGE)
    return {
        "bounded_brier.diff": pair.difference,
        "bounded_brier.diff.se": pair.standard_error,
    }


def of_pairs() -> dict[str, float]:
    pair = pair_of(Brier(), margin=0.02)
    return {
        "paired_t.brier.t": pair.difference / pair.standard_error,
        "paired_t.brier.p": pair.p_value,
        "paired_t.brier.lower95": pair.interval[0],
        "paired_t.brier.upper95": pair.interval[1],
        "tost.brier.margin.02.p": pair.equivalence_p_value,
    }


def of_areas() -> dict[str, float]:
    pair = pair_of("auc")
    first, second = (properly.inference.auc_interval(cases_of(name)) for name in ("p1", "p2"))
    variances = first.standard_error**2 + second.standard_error**2
    return {
        "auc.cov": (variances - pair.standard_error**2) / 2,
        "auc.diff.z": pair.difference / pair.standard_error,
        "auc.diff.p": pair.p_value,
    }


def of_steps_ahead(horizon: int) -> dict[str, float]:
    """Divide by the standard error, which holds the correction for small samples."""
    pair = pair_of(Brier(), time=TIME, method="diebold-mariano", horizon=horizon)
    apart = np.asarray(Brier().loss(Y, P1)) - np.asarray(Brier().loss(Y, P2))
    bartlett = long_run((apart - apart.mean()) / 300, horizon, bartlett=True)
    statistic = apart.mean() / bartlett.error
    return {
        f"dm.hln.h{horizon}.stat": pair.difference / pair.standard_error,
        f"dm.hln.h{horizon}.p": pair.p_value,
        f"dm.hln.bartlett.h{horizon}.stat": statistic,
        f"dm.hln.bartlett.h{horizon}.p": 2 * student.sf(abs(statistic), bartlett.degrees),
    }


def of_many_tests() -> dict[str, float]:
    adjusted = holm(np.array([0.010, 0.040, 0.030, 0.005]))
    return {f"holm.adjusted.{place + 1}": value for place, value in enumerate(adjusted)}


# All thresholds, and all times


def of_thresholds() -> dict[str, float]:
    """Double the regret; at 0.1 too few events are judged differently for a band."""
    thresholds = [0.1, 0.25, 0.5]
    curve = properly.decisions.dominance(
        cases_of("p1"), cases_of("p2"), thresholds=thresholds, replicates=99, rng=1
    )
    found: dict[str, float] = {}
    for place, t in enumerate(thresholds):
        pair = pair_of(Elementary(t))
        found[f"murphy_diff@{t}"] = curve.difference[place]
        found[f"murphy_diff@{t}.se"] = 2 * pair.standard_error
        assert curve.difference[place] == pytest.approx(2 * pair.difference, rel=1e-12)
        if t > 0.1:
            error = curve.standard_error[place]
            assert error == pytest.approx(2 * pair.standard_error, rel=1e-12)
    assert np.isnan(curve.lower).tolist() == [True, False, False]
    return found


def of_fixed_bets() -> dict[str, float]:
    """Look at one bet of a half after every case; nothing was won before the first."""
    path = np.append(0.0, np.cumsum(log_factors(relative_gain(Brier(), Y == 1, P1, P2), 0.5)))
    return {
        "eprocess.compare.brier.lambda.5.log_final": path[-1],
        "eprocess.compare.brier.lambda.5.log_max": max(path),
        "eprocess.calibration.bet_plus.5.log_final": float(log_factors(Y - P1, 0.5).sum()),
    }


AREAS: Areas = once(
    {
        **{f"{short} by design": partial(by_design, short) for short in SHORT},
        **{f"{short} by lags": partial(by_lags, short) for short in SHORT},
        "a range": of_a_range,
        "pairs": of_pairs,
        "areas": of_areas,
        "one step ahead": partial(of_steps_ahead, 1),
        "four steps ahead": partial(of_steps_ahead, 4),
        "many tests": of_many_tests,
        "thresholds": of_thresholds,
        "fixed bets": of_fixed_bets,
    }
)


def test_a_comparison_knows_the_published_ratio() -> None:
    found = properly.compare(Y, {"p1": P1, "p2": P2}, rule=Brier(), rng=1)
    assert_published("ratio.brier_p1_p2", found.ratio[0])
    assert_published("ratio.brier_p1_p2.se", found.ratio_error[0])
