"""What compares groups, periods and ranges where clusters are seen at times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import properly
from properly import Cases
from properly.comparison._over_ranges import compare_over_ranges
from properly.errors import DataError
from properly.inference._design import Design
from properly.inference._variance import covariance, of_mean
from properly.recalibration._choice import folds_in_words
from properly.rules import Brier

# Twelve or fourteen clusters are warned of as few.
pytestmark = pytest.mark.filterwarnings("ignore:with 1[24] clusters")
CLUSTERS, TIMES = 14, 50
RNG = np.random.default_rng(8)
CLUSTER, TIME = (x.ravel() for x in np.indices((CLUSTERS, TIMES)))
N = len(CLUSTER)
SHOCK = RNG.normal(size=TIMES)[TIME] / 2 + RNG.normal(size=CLUSTERS)[CLUSTER] / 3
P = RNG.beta(2, 2, N).round(2)
Y = RNG.normal(size=N) + SHOCK < 3 * (P - 0.5)
Q = np.clip(P + RNG.normal(0, 0.2, N), 0, 1).round(2)
KNOWN: dict[str, Any] = {"clusters": CLUSTER, "time": TIME}
DESIGN = Design.of(Cases(Y, P, **KNOWN))


def test_groups_have_the_errors_of_their_own_influences() -> None:
    group = np.array(["low", "high"])[(RNG.random(N) < 0.4).astype(int)]
    cases = Cases(Y, P, groups=group, **KNOWN)
    found = properly.by_group(cases, Brier(), calibration=False, rng=1)
    loss = (P - Y) ** 2
    sides = np.zeros((2, N))
    for row, name in zip(sides, found.labels, strict=True):
        some = group == name
        row[some] = of_mean(loss[None, some], np.ones(some.sum()))[1][0]
    score = found.measures["score"]
    error = covariance((sides[0] - sides[1])[None], DESIGN).errors[0]
    assert score.difference_error == pytest.approx([error, error], rel=1e-12)
    assert score.standard_error == pytest.approx(covariance(sides, DESIGN).errors, rel=1e-12)
    assert found.design == "14 clusters by 50 times"
    assert (score.degrees <= 5).all()


def test_groups_of_few_clusters_or_of_few_times_have_no_interval() -> None:
    for group in (CLUSTER < 3, TIME < 15):
        cases = Cases(Y, P, groups=group, **KNOWN)
        found = properly.by_group(cases, Brier(), calibration=False, rng=1)
        assert not found.enough[1]
        assert np.isnan(found.measures["score"].interval[1]).all()


def test_groups_of_a_panel_are_calibrated_without_a_test() -> None:
    cases = Cases(Y, P, groups=RNG.random(N) < 0.4, **KNOWN)
    found = properly.by_group(cases, Brier(), replicates=19, rng=1).calibration
    assert found is not None
    assert np.isfinite(found.slope).all()


def test_periods_allow_for_clusters_and_for_times_where_they_have_both() -> None:
    found = properly.over_time(Cases(Y, P, **KNOWN), Brier(), periods=2)
    assert found.design == "clusters by times"
    first = TIME < TIMES // 2
    loss = (P - Y)[first] ** 2
    design = Design.of(Cases(Y[first], P[first], clusters=CLUSTER[first], time=TIME[first]))
    half = covariance(of_mean(loss[None], np.ones(first.sum()))[1], design).half_widths(0.95)[0]
    assert found.upper[0] - found.score[0] == pytest.approx(half, rel=1e-12)
    short = properly.over_time(Cases(Y, P, **KNOWN), Brier(), periods=5)
    assert short.design == "clusters"


def test_ranges_of_thresholds_have_variances_of_their_own() -> None:
    models = {name: Cases(Y, p, **KNOWN) for name, p in (("p", P), ("q", Q))}
    threshold = np.linspace(0, 1, 6)
    found = compare_over_ranges(models, threshold, level=0.95)
    assert found is not None
    whole = properly.compare(Y, {"p": P, "q": Q}, rule=Brier(), **KNOWN)
    # The range of all thresholds is the Brier score, twice the mean regret.
    row = 4  # 0 to 1, after four that also begin at 0
    assert found.p_value[0][row] == pytest.approx(whole.p_value[0], rel=1e-9)
    assert 2 * found.standard_error[0][row] == pytest.approx(
        whole.scores["p"].standard_error, rel=1e-9
    )


def test_the_area_under_the_roc_curve_allows_for_both() -> None:
    alone = [properly.inference.auc_interval(Cases(Y, P, **{name: x})) for name, x in KNOWN.items()]
    both = properly.inference.auc_interval(Cases(Y, P, **KNOWN))
    assert both.standard_error >= max(x.standard_error for x in alone) * (1 - 1e-12)
    assert both.degrees == min(x.degrees for x in alone)


def test_maps_are_judged_by_whole_clusters_and_the_variance_of_both() -> None:
    found = properly.recalibrate(Cases(Y, P, **KNOWN), "intercept", rng=1)
    assert found.gain.design == "clusters by times"
    assert found.gain.degrees == 5
    assert folds_in_words(found.gain) == "10 folds of whole clusters"
    with pytest.raises(DataError, match="cuts times, and folds keep clusters whole"):
        properly.recalibration.cross_fit(
            Cases(Y, P, **KNOWN), properly.recalibration.Isotonic(), scheme="forward"
        )
