"""What holds for bands, tests and intervals of forecasts over time, whatever the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import properly
from properly.inference._dependence import measure
from properly.rules import Brier

from .inference_draws import few
from .subjects import seeds

# Few cases make for quick laws.
pytestmark = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")

DRAWS: dict[str, Any] = {"replicates": 19, "rng": 1}
BY_DRAWS = ("combined", "mcb", "ks", "kuiper")
each = st.sampled_from([1, 3])


def columns(seed: int, cases_a_time: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(0.02, 0.98, 90), 2)
    return rng.random(90) < p, p, np.arange(90) // cases_a_time


def answers(cases: properly.Cases) -> list[Any]:
    """Return all that allows for time, with the same seed."""
    parts = properly.decompose(cases, Brier(), interval=True, **DRAWS).intervals
    assert parts is not None
    result: list[Any] = [parts.miscalibration, parts.discrimination, parts.score, parts.p_value]
    for name in (*BY_DRAWS, "score", "cox", "citl"):
        statistic: Any = name
        test: Any = properly.calibration_test(cases, statistic=statistic, **DRAWS)
        result += [test.p_value, test.dependence.phi, test.dependence.psi]
    kinds: Any = ("confidence", "consistency")
    for kind in kinds:
        band: Any = properly.reliability(cases, band=kind, **DRAWS).band
        result += [] if band is None else [band.lower, band.upper]
    ici = properly.calibration_summary(cases, **DRAWS).ici
    return [*result, ici.mean_if_calibrated]


@pytest.mark.slow
@few
@given(seed=seeds, cases_a_time=each)
def test_the_order_of_rows_does_not_matter(seed: int, cases_a_time: int) -> None:
    y, p, time = columns(seed, cases_a_time)
    order = np.random.default_rng(seed).permutation(90)
    found = answers(properly.Cases(y, p, time=time))
    other = answers(properly.Cases(y[order], p[order], time=time[order]))
    for one, two in zip(found, other, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)


@few
@given(seed=seeds, cases_a_time=each)
def test_dates_are_numbered(seed: int, cases_a_time: int) -> None:
    y, p, time = columns(seed, cases_a_time)
    dated = np.datetime64("2024-02-01") + 7 * time
    found, other = (measure(properly.Cases(y, p, time=x)) for x in (time, dated))
    assert found == other


@pytest.mark.slow
@few
@given(seed=seeds, scale=st.sampled_from([7, 0.5, 1e-3]))
def test_only_the_ratios_of_weights_matter(seed: int, scale: float) -> None:
    y, p, time = columns(seed, 1)
    weight = np.random.default_rng(seed).gamma(2, size=90)
    found, other = (
        answers(properly.Cases(y, p, time=time, weight=w)) for w in (weight, scale * weight)
    )
    # Phi has the unit of the weights, as the likelihood has.
    unit = {3 * k + 5 for k in range(7)}
    for k, (one, two) in enumerate(zip(found, other, strict=True)):
        np.testing.assert_allclose(two, scale * one if k in unit else one, rtol=1e-6, atol=1e-9)


@few
@given(seed=seeds)
def test_a_likelihood_band_is_no_narrower_than_of_independent_cases(seed: int) -> None:
    y, p, time = columns(seed, 1)
    bands: list[Any] = [
        properly.reliability(cases, band="confidence").band
        for cases in (properly.Cases(y, p), properly.Cases(y, p, time=time))
    ]
    if bands[1] is not None:
        assert (bands[1].lower <= bands[0].lower + 1e-9).all()
        assert (bands[1].upper >= bands[0].upper - 1e-9).all()
