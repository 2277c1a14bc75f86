"""A p-value by draws that none of them reaches is a bound, and says so wherever it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

import properly
from properly._boundary._text import p_text
from properly.comparison import confidence_set
from properly.inference._multiplicity import holm_bounds
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from properly.calibration._statistics import CalibrationTest

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

CASES, DRAWS, ENOUGH = 600, 99, 1000


class Told(NamedTuple):
    """A p-value with all that is said about it.

    Attributes
    ----------
    p, is_bound
        The number, and whether it is a bound.
    replicates
        The draws behind it.
    text
        What is printed.
    plain, row
        The flag as JSON and as a frame have it.
    times
        How many times one over one more than the draws a bound may be.
    """

    p: float
    is_bound: bool
    replicates: int
    text: str
    plain: bool
    row: bool
    times: int = 1


def outcomes(*, extreme: bool, seed: int = 1) -> tuple[Any, Any]:
    """Draw forecasts of an event, and what happened: as they say, or quite the contrary."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.05, 0.95, CASES).round(2)
    return rng.random(CASES) < (1 - p if extreme else p), p


def classes(*, extreme: bool) -> properly.Cases:
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(3), CASES)
    y = (rng.random((CASES, 1)) > p.cumsum(axis=1)).sum(axis=1)
    return properly.Cases((y + 1) % 3 if extreme else y, p)


def of_test(test: CalibrationTest, times: int = 1) -> Told:
    plain, row = test.to_dict()["p_is_bound"], test.to_frame("pandas")["p_is_bound"][0]
    draws = test.replicates
    assert draws is not None
    return Told(test.p_value, test.p_is_bound, draws, f"{test!r} {test}", plain, row, times)


def statistic(name: Any, *, extreme: bool) -> Told:
    t = properly.tally(*outcomes(extreme=extreme))
    test = properly.calibration_test(t, statistic=name, replicates=DRAWS, rng=1)
    return of_test(test, 2 if name == "combined" else 1)


def of_classes(*, extreme: bool) -> Told:
    return of_test(properly.calibration_test(classes(extreme=extreme), replicates=DRAWS, rng=1))


def parts(*, extreme: bool) -> Told:
    t = properly.tally(*outcomes(extreme=extreme))
    record = properly.decompose(t, Brier(), interval=True, replicates=DRAWS, rng=1)
    x = record.intervals
    assert x is not None
    plain = record.to_dict()["intervals"]["p_is_bound"]
    text = p_text(x.p_value, is_bound=x.p_is_bound)
    return Told(x.p_value, x.p_is_bound, x.replicates, text, plain, plain)


def means(cases: Callable[..., Any], *, extreme: bool) -> Told:
    record = properly.means(cases(extreme=extreme), interval=True, replicates=DRAWS, rng=1)
    x = record.intervals
    assert x is not None
    plain = record.to_dict()["intervals"]["p_is_bound"]
    return Told(x.p_value, x.p_is_bound, x.replicates, str(record), plain, plain)


def tallied(*, extreme: bool) -> properly.Tally:
    return properly.tally(*outcomes(extreme=extreme))


def pair(*, extreme: bool) -> Told:
    y, p = outcomes(extreme=False)
    other = 1 - p if extreme else np.clip(p + np.random.default_rng(2).normal(0, 0.01, CASES), 0, 1)
    models = {"a": p, "b": other}
    record = properly.compare(
        y, models, rule=Brier(), method="sign-flip", replicates=DRAWS, adjust="none", rng=1
    )
    one = record["a", "b"]
    plain, row = (
        record.to_dict()["pairs"][0]["p_is_bound"],
        record.to_frame("pandas")["p_is_bound"][0],
    )
    return Told(one.p_value, one.p_is_bound, DRAWS, f"{one!r} {one}", plain, row)


def in_set(*, extreme: bool) -> Told:
    y, p = outcomes(extreme=False)
    worse = 1 - p if extreme else np.clip(p + 0.05, 0, 1)
    record = confidence_set(y, {"a": p, "b": worse}, rule=Brier(), replicates=DRAWS, rng=1)
    p_value, is_bound = record.p_value["b"], record.p_is_bound["b"]
    text = str(record) if "b" in record.excluded else p_text(p_value, is_bound=is_bound)
    plain, row = record.to_dict()["p_is_bound"]["b"], record.to_frame("pandas")["p_is_bound"][1]
    return Told(p_value, is_bound, DRAWS, text, plain, row)


def group(*, extreme: bool) -> Told:
    y, p = outcomes(extreme=extreme)
    cases = properly.Cases(y, p, groups=["a", "b"] * (CASES // 2))
    record = properly.by_group(cases, Brier(), replicates=DRAWS, rng=1)
    x = record.calibration
    assert x is not None
    draws = ENOUGH if x.p_is_bound[0] else DRAWS
    plain = record.to_dict()["calibration"]["p_is_bound"][0]
    row = record.to_frame("pandas")["calibration_p_is_bound"][0]
    table = str(record).split("Calibration within groups:")[1].split("\n\n")[1]
    text = table if extreme else p_text(x.p_value[0])
    return Told(x.p_value[0].item(), x.p_is_bound[0].item(), draws, text, plain, row, 2)


BY_DRAWS: dict[str, Callable[..., Told]] = {
    **{
        name: lambda extreme, name=name: statistic(name, extreme=extreme)
        for name in ("combined", "mcb", "score", "ks", "kuiper")
    },
    "classes": of_classes,
    "parts": parts,
    "means": lambda extreme: means(tallied, extreme=extreme),
    "means of classes": lambda extreme: means(classes, extreme=extreme),
    "pair": pair,
    "confidence set": in_set,
    "group": group,
}
by_draws = pytest.mark.parametrize("name", BY_DRAWS)


@pytest.mark.slow
@by_draws
def test_what_no_draw_reaches_is_a_bound(name: str) -> None:
    told = BY_DRAWS[name](extreme=True)
    assert told.is_bound
    assert told.plain is True
    assert bool(told.row) is True
    assert 1 / (1 + told.replicates) <= told.p <= told.times / (1 + told.replicates) * (1 + 1e-12)
    assert "<= " in told.text
    assert "p = " not in told.text


@by_draws
def test_what_draws_reach_is_none(name: str) -> None:
    told = BY_DRAWS[name](extreme=False)
    assert not told.is_bound
    assert told.plain is False
    assert bool(told.row) is False
    assert 1 / (1 + told.replicates) < told.p <= 1
    assert "<= " not in told.text


def test_a_refuted_forecast_is_beyond_all_draws() -> None:
    y, p = np.array([0, 1] * 30), np.array([0.0, 0.6] * 30)
    p[1] = 0.0
    t = properly.tally(y, p)
    assert properly.calibration_test(t, replicates=DRAWS, rng=1).p_is_bound
    found = properly.means(t, interval=True, replicates=DRAWS, rng=1).intervals
    assert found is not None
    assert (found.p_value, found.p_is_bound, found.replicates) == (1 / (1 + ENOUGH), True, ENOUGH)
    around = properly.decompose(t, Log(), interval=True, replicates=DRAWS, rng=1).intervals
    assert around is not None
    assert (around.p_value, around.p_is_bound) == (1 / (1 + DRAWS), True)


@pytest.mark.parametrize(
    ("p", "is_bound", "expected"),
    [
        ([0.001, 0.2, 0.04], [True, False, False], [True, False, False]),
        # What is adjusted to the value of a bound before it is a bound itself.
        ([0.01, 0.011], [True, False], [True, True]),
        # A bound that may be lower would come first, and the other count one less.
        ([0.001, 0.002], [False, True], [True, True]),
        ([0.001, np.nan], [False, True], [False, False]),
        ([0.5, 0.6], [False, False], [False, False]),
    ],
)
def test_an_adjusted_bound_is_a_bound(
    p: Sequence[float], is_bound: Sequence[bool], expected: Sequence[bool]
) -> None:
    result = holm_bounds(np.array(p), np.array(is_bound))
    assert result.tolist() == expected


def test_a_verdict_tells_bounds() -> None:
    y, p = outcomes(extreme=True)
    e = properly.evaluate(y, {"a": p, "b": p**2}, replicates=DRAWS, rng=1)
    said = properly.verdict(e)
    text = str(said)
    assert "p <= 0.00" in text
    assert "p = " not in text
