"""What holds for every map of an event: weights, symmetry, order, thresholds, how it travels."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit
from tests.score_oracles import corrected

import properly
from properly import recalibration
from properly.errors import DataError
from properly.recalibration import (
    Beta,
    Identity,
    Intercept,
    Isotonic,
    Logistic,
    PriorShift,
    Temperature,
    VennAbers,
)
from properly.rules import Brier, Elementary, Log

from .map_draws import (
    EVENT_MAPS,
    FITTED_BY_RANK,
    LINES,
    RAW,
    UNCERTAIN,
    Drawn,
    columns_of,
    drawn,
    few,
    knots_by_definition,
    many,
    pair_by_definition,
    points,
    seeds,
    targets,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")

# Coefficients are found to about 1e-10; knots are sums and quotients.
CLOSE = {"line": 1e-9, "rank": 1e-12}
KINDS = [None, "counts", "fractions"]
READY: list[Any] = [
    Identity(),
    Intercept(intercept=-0.4),
    Temperature(slope=0.7),
    Logistic(intercept=0.3, slope=1.4),
    Beta(a=0.6, b=1.7, c=-0.2),
    PriorShift(0.3, 0.05),
]

TRAINING = ("cases", "weight", "effective", "events", "distinct", "mean_forecast", "sha256")

every = pytest.mark.parametrize("kind", EVENT_MAPS, ids=repr)
ready = pytest.mark.parametrize("line", READY, ids=repr)


def close_to(kind: Any) -> float:
    return CLOSE["rank" if kind in FITTED_BY_RANK else "line"]


def values(fit: Any, p: Any) -> Any:
    return np.asarray(fit.at(p))


# What a fit is


def raw_columns(tally: properly.Tally) -> tuple[Any, ...]:
    squares = (tally.event_squares, tally.nonevent_squares)
    return (tally.value, tally.weight, tally.events, *squares)


@pytest.mark.parametrize("kind", LINES, ids=repr)
@pytest.mark.parametrize("weights", KINDS)
@few
@given(seed=seeds, certain=st.booleans())
def test_a_line_matches_its_targets(kind: Any, weights: str, seed: int, certain: bool) -> None:
    # What is fitted freely leaves no residual along its own column of the design.
    tally = drawn(seed, certain=certain, weights=weights).tally
    t, fit = columns_of(tally), kind.fit(tally)
    inside = (t.value > 0) & (t.value < 1)
    columns: Any = (None if x is None else np.asarray(x)[inside] for x in raw_columns(tally))
    rows = properly.Tally(*columns)
    p, weight = t.value[inside], t.weight[inside]
    q = values(fit, p)
    residual = targets(rows, smooth=kind.smooth) - weight * q
    designs = {
        "Intercept": [np.ones_like(p)],
        "Temperature": [logit(p)],
        "Logistic": [np.ones_like(p), logit(p)],
        "Beta": [np.ones_like(p), np.log(p), -np.log1p(-p)],
    }
    coefficients = {
        "Intercept": [math.inf],
        "Temperature": [getattr(fit, "slope", 0)],
        "Logistic": [math.inf, getattr(fit, "slope", 0)],
        "Beta": [math.inf, getattr(fit, "a", 0), getattr(fit, "b", 0)],
    }
    name = type(fit).__name__
    for x, coefficient in zip(designs[name], coefficients[name], strict=True):
        # At a bound, the likelihood must not increase inwards.
        slope = float(residual @ x)
        allowed = 1e-8 * weight.sum()
        assert slope <= allowed
        assert slope >= -allowed or coefficient == 0


@pytest.mark.parametrize("weights", KINDS)
@many
@given(seed=seeds, certain=st.booleans())
def test_isotonic_knots_are_those_of_the_definition(weights: str, seed: int, certain: bool) -> None:
    tally = drawn(seed, certain=certain, weights=weights).tally
    for shrink in (1.0, 0.0, 2.5):
        fit: Any = Isotonic(shrink=shrink).fit(tally)
        p, q = fit.knots
        mean, rate = knots_by_definition(tally, shrink)
        np.testing.assert_allclose(p, mean, rtol=0, atol=1e-14)
        np.testing.assert_allclose(q, rate, rtol=0, atol=1e-13)


@many
@given(seed=seeds)
def test_isotonic_maps_are_read_between_their_knots(seed: int) -> None:
    tally = drawn(seed).tally
    x = points(np.asarray(tally.value))
    linear: Any = Isotonic().fit(tally)
    np.testing.assert_allclose(values(linear, x), np.interp(x, *linear.knots), rtol=0, atol=1e-15)
    bins = properly.reliability(tally).bins
    ends = np.ravel(np.column_stack([bins.x_min, bins.x_max]))
    flat = Isotonic(shrink=0.0, interpolation="flat").fit(tally)
    expected = np.interp(x, ends, np.repeat(bins.event_rate, 2))
    np.testing.assert_allclose(values(flat, x), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("weights", KINDS)
@many
@given(seed=seeds, certain=st.booleans())
def test_venn_abers_pairs_are_those_of_the_definition(
    weights: str, seed: int, certain: bool
) -> None:
    tally = drawn(seed, certain=certain, weights=weights).tally
    x = np.unique([*np.asarray(tally.value)[::3], 0.0, 0.003, 0.4, 0.5001, 0.999, 1.0])
    expected = np.array([pair_by_definition(tally, value) for value in x]).T
    fit = VennAbers().fit(tally)
    p0, p1 = (np.asarray(side) for side in fit.pair_at(x))
    np.testing.assert_allclose([p0, p1], expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(values(fit, x), p1 / (1 - p0 + p1), rtol=0, atol=1e-15)
    merged = p1 + (p0**2 - p1**2) / 2
    brier = VennAbers(merge="brier").fit(tally)
    np.testing.assert_allclose(values(brier, x), merged, rtol=0, atol=1e-15)


# All-equal forecasts


@many
@given(
    p=st.sampled_from([1 / 64, 0.3, 0.5, 0.99]), n=st.integers(2, 40), share=st.floats(0.01, 0.99)
)
def test_equal_forecasts_become_the_event_rate(p: float, n: int, share: float) -> None:
    k = min(max(round(share * n), 1), n - 1)
    tally = properly.Tally.from_counts([p], [n], [k])
    assert Intercept(smooth=False).fit(tally).at(p) == pytest.approx(k / n, abs=1e-12)
    target = (k * (k + 1) / (k + 2) + (n - k) / (n - k + 2)) / n
    assert Intercept().fit(tally).at(p) == pytest.approx(target, abs=1e-12)
    x = points(np.array([p]))
    for kind in [Isotonic(), *RAW]:
        np.testing.assert_allclose(values(kind.fit(tally), x), k / n, rtol=0, atol=1e-15)
    p0, p1 = VennAbers().fit(tally).pair_at(p)
    assert (p0, p1) == (k / (n + 1), (k + 1) / (n + 1))
    assert VennAbers().fit(tally).at(p) == pytest.approx((k + 1) / (n + 2), abs=1e-15)
    for kind in (Temperature(), Logistic(), Beta(), Logistic(smooth=False)):
        with pytest.raises(DataError, match="one distinct forecast has no slope"):
            kind.fit(tally)


# Weights


@every
@few
@given(seed=seeds, certain=st.booleans())
def test_counts_are_repeated_rows_to_the_last_digit(kind: Any, seed: int, certain: bool) -> None:
    rows = drawn(seed, certain=certain, weights="counts")
    again = [np.repeat(column, np.asarray(rows.weight)) for column in (rows.y, rows.p)]
    counted = kind.fit(rows.y, rows.p, count=rows.weight)
    x = points(rows.p)
    for other in (
        kind.fit(*again),
        kind.fit(properly.tally(rows.y, rows.p, count=rows.weight)),
        kind.fit(properly.Cases(rows.y, rows.p, count=rows.weight)),
        kind.fit(properly.Cases(*again)),
        kind.fit(again[0][::-1], again[1][::-1]),
    ):
        np.testing.assert_array_equal(values(other, x), values(counted, x))
        assert other.dumps() == counted.dumps()


@every
@few
@given(
    seed=seeds,
    certain=st.booleans(),
    factor=st.sampled_from([3.7, 7, 0.3, 0.013, 2.0**20]),
    weights=st.sampled_from(["counts", "fractions"]),
)
def test_scaled_weights_change_nothing(
    kind: Any, seed: int, certain: bool, factor: float, weights: str
) -> None:
    rows = drawn(seed, certain=certain, weights=weights)
    assert rows.weight is not None
    scaled = kind.fit(rows.y, rows.p, weight=factor * rows.weight)
    x, fit = points(rows.p), kind.fit(rows.tally)
    np.testing.assert_allclose(values(scaled, x), values(fit, x), rtol=0, atol=close_to(kind))


@every
@few
@given(seed=seeds, weights=st.sampled_from(KINDS))
def test_the_record_knows_what_it_was_fitted_to(kind: Any, seed: int, weights: str) -> None:
    rows = drawn(seed, certain=True, weights=weights)
    tally, training = rows.tally, kind.fit(rows.tally).training
    t = columns_of(tally)
    assert training.weight == pytest.approx(t.weight.sum(), rel=1e-14)
    assert training.events == pytest.approx(t.events.sum(), rel=1e-14)
    assert training.distinct == len(tally)
    assert training.effective == pytest.approx(t.weight.sum() ** 2 / t.squares.sum(), rel=1e-12)
    assert training.mean_forecast == pytest.approx(np.average(t.value, weights=t.weight))


# Symmetry and order


@every
@few
@given(seed=seeds, certain=st.booleans(), weights=st.sampled_from(KINDS))
def test_the_event_that_does_not_happen_has_the_complement(
    kind: Any, seed: int, certain: bool, weights: str
) -> None:
    rows = drawn(seed, certain=certain, weights=weights)
    other = Drawn(1 - rows.y, 1 - rows.p, rows.weight)
    x = np.linspace(0, 1, 257)
    q, complement = values(kind.fit(rows.tally), x), values(kind.fit(other.tally), 1 - x)
    np.testing.assert_allclose(complement, 1 - q, rtol=0, atol=close_to(kind))


@every
@few
@given(seed=seeds, certain=st.booleans(), weights=st.sampled_from(KINDS))
def test_a_map_increases_as_it_says(kind: Any, seed: int, certain: bool, weights: str) -> None:
    fit = kind.fit(drawn(seed, certain=certain, weights=weights).tally)
    q = values(fit, np.linspace(0, 1, 1001))
    assert ((q >= 0) & (q <= 1)).all()
    assert fit.monotone in ("strictly", "weakly", False)
    if fit.monotone:
        assert (np.diff(q) >= -1e-15).all()
    if fit.monotone == "strictly":
        assert (np.diff(q) > 0).all()
    if kind in FITTED_BY_RANK:
        assert fit.monotone == "weakly"
    elif not certain:
        constant = isinstance(fit, (Logistic, Temperature)) and fit.slope == 0
        constant |= isinstance(fit, Beta) and (fit.a, fit.b) == (0, 0)
        assert fit.monotone == ("weakly" if constant else "strictly")


@pytest.mark.parametrize("kind", UNCERTAIN, ids=repr)
@few
@given(seed=seeds, certain=st.booleans(), weights=st.sampled_from(KINDS))
def test_maps_by_rank_are_never_certain(kind: Any, seed: int, certain: bool, weights: str) -> None:
    rows = drawn(seed, certain=certain, weights=weights)
    q = values(kind.fit(rows.tally), points(rows.p))
    assert ((q > 0) & (q < 1)).all()


# Thresholds


def assert_acts_alike(fit: Any, x: Any, t: float) -> None:
    """Acting on the original at the threshold found is acting on the recalibrated at t."""
    found = fit.threshold(t)
    acts = values(fit, x) >= t
    np.testing.assert_array_equal(x >= found, acts)
    if 0 <= found <= 1:
        assert fit.at(found) >= t


@every
@few
@given(seed=seeds, t=st.sampled_from([0.001, 0.05, 0.25, 0.5, 0.8, 0.999]))
def test_a_threshold_acts_as_the_map_does(kind: Any, seed: int, t: float) -> None:
    rows = drawn(seed)
    fit, x = kind.fit(rows.tally), points(rows.p)
    assert_acts_alike(fit, x, t)
    # Ties: a threshold that is itself a value of the map.
    for tie in values(fit, rows.p[:8]):
        if 0 < tie < 1:
            assert_acts_alike(fit, x, float(tie))


@every
@few
@given(seed=seeds, t=st.sampled_from([0.1, 0.3, 0.55]))
def test_a_threshold_costs_what_the_map_costs(kind: Any, seed: int, t: float) -> None:
    rows = drawn(seed)
    fit = kind.fit(rows.tally)
    acts = (rows.p >= fit.threshold(t)).astype(float)
    np.testing.assert_array_equal(
        np.asarray(Elementary(t).loss(rows.y, values(fit, rows.p))),
        np.asarray(Elementary(t).loss(rows.y, acts)),
    )


# How a map travels


@every
@few
@given(seed=seeds, certain=st.booleans(), weights=st.sampled_from(KINDS))
def test_a_map_that_was_written_is_read_to_the_last_digit(
    kind: Any, seed: int, certain: bool, weights: str
) -> None:
    rows = drawn(seed, certain=certain, weights=weights)
    fit = kind.fit(rows.tally)
    text = fit.dumps()
    back, x = recalibration.loads(text), points(rows.p)
    assert type(back) is type(fit)
    assert back.dumps() == text
    assert (back.kind, back.of, back.monotone) == (fit.kind, fit.of, fit.monotone)
    assert back.range == fit.range
    for name in TRAINING:
        assert getattr(back.training, name) == getattr(fit.training, name)
    assert back.notices == fit.notices
    np.testing.assert_array_equal(values(back, x), values(fit, x))
    # Nothing but plain JSON: no infinity, no NaN.
    json.loads(text, parse_constant=pytest.fail)


@ready
def test_a_map_that_is_written_by_hand_travels(line: Any, tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    line.save(path)
    back, x = recalibration.load(path), np.linspace(0, 1, 101)
    assert type(back) is type(line)
    assert path.read_text().strip() == line.dumps().strip() == back.dumps().strip()
    np.testing.assert_array_equal(values(back, x), values(line, x))


# What is handed in comes out


@every
def test_what_is_handed_in_keeps_its_shape_and_kind(kind: Any) -> None:
    fit = kind.fit(drawn(3).tally)
    p = np.array([[0.2, 0.3, 0.5], [0.7, 0.9, 0.25]])
    q = fit.at(p)
    assert isinstance(q, np.ndarray)
    assert q.dtype == np.float64
    assert q.shape == p.shape
    np.testing.assert_array_equal(q.ravel(), fit.at(p.ravel()))
    np.testing.assert_array_equal(q[0], fit.at(p[0].tolist()))
    scalar = fit.at(0.2)
    assert np.ndim(scalar) == 0
    assert isinstance(scalar, float)
    assert scalar == q[0, 0]
    single = fit.at(p.astype(np.float32))
    assert single.dtype == np.float32
    # Computed in double precision, then rounded.
    wide = fit.at(p.astype(np.float32).astype(np.float64))
    np.testing.assert_array_equal(single, wide.astype(np.float32))


# Databases and frames compute the same


SQL_MAPS = [*EVENT_MAPS, *READY[-1:]]


@pytest.mark.parametrize("kind", SQL_MAPS, ids=repr)
@pytest.mark.parametrize("certain", [False, True])
def test_a_database_computes_what_the_map_says(kind: Any, certain: bool, database: Any) -> None:
    rows = drawn(11, certain=certain)
    fit = kind if isinstance(kind, PriorShift) else kind.fit(rows.tally)
    x = points(rows.p)
    text = ", ".join(f"({value!r}::DOUBLE)" for value in x.tolist())
    query = f'SELECT {fit.sql("p", dialect="duckdb")} FROM (VALUES {text}, (NULL)) t("p")'  # noqa: S608
    answer = [row[0] for row in database.cursor().execute(query).fetchall()]
    assert answer[-1] is None
    np.testing.assert_allclose(np.array(answer[:-1], float), values(fit, x), rtol=1e-12)


@pytest.mark.parametrize("kind", SQL_MAPS, ids=repr)
@pytest.mark.parametrize("certain", [False, True])
def test_a_frame_computes_what_the_map_says(kind: Any, certain: bool) -> None:
    import narwhals.stable.v2 as nw
    import pandas as pd
    import polars as pl

    rows = drawn(11, certain=certain)
    fit = kind if isinstance(kind, PriorShift) else kind.fit(rows.tally)
    x = points(rows.p)
    for frame in (pd.DataFrame({"p": x}), pl.DataFrame({"p": x})):
        found = nw.from_native(frame).select(q=fit.expression("p"))["q"].to_numpy()
        np.testing.assert_allclose(found, values(fit, x), rtol=1e-12)


# Cross-fitting


@every
@few
@given(seed=seeds)
def test_cross_fitted_forecasts_come_from_the_other_folds(kind: Any, seed: int) -> None:
    halves = [drawn(seed), drawn(seed + 1), drawn(seed + 2)]
    y, p = (np.concatenate([getattr(half, name) for half in halves]) for name in ("y", "p"))
    fold = np.repeat(["c", "a", "b"], [len(half.y) for half in halves])
    crossed = properly.cross_fit(properly.Cases(y, p), kind, folds=fold)
    np.testing.assert_array_equal(crossed.y, y.astype(bool))
    for label in "abc":
        own = fold == label
        expected = values(kind.fit(y[~own], p[~own]), p[own])
        got = np.asarray(crossed.p)[own]
        np.testing.assert_allclose(got, expected, rtol=0, atol=close_to(kind))


@pytest.mark.parametrize("kind", [Logistic(), Isotonic(), VennAbers()], ids=repr)
@pytest.mark.parametrize("rule", [Brier(), Log()], ids=repr)
@few
@given(seed=seeds)
def test_a_gain_is_the_comparison_with_cross_fitted_forecasts(
    kind: Any, rule: Any, seed: int
) -> None:
    parts = [drawn(seed), drawn(seed + 1)]
    y, p = (np.concatenate([getattr(part, name) for part in parts]) for name in ("y", "p"))
    fold = np.arange(len(y)) % 4
    cases = properly.Cases(y, p, clusters=np.arange(len(y)) % 40)
    gain = recalibration.recalibration_gain(cases, kind, rule=rule, folds=fold)
    q = np.asarray(properly.cross_fit(cases, kind, folds=fold).p)
    d = np.asarray(rule.loss(y, p)) - np.asarray(rule.loss(y, q))
    assert gain.estimate == pytest.approx(d.mean(), abs=1e-14)
    found = properly.compare(
        y, {"before": p, "after": q}, rule=rule, clusters=cases.clusters, method="t", rng=1
    )["before", "after"]
    assert gain.standard_error == pytest.approx(found.standard_error, rel=1e-10)
    # The upper end is further off: training parts overlap.
    assert gain.interval[0] == pytest.approx(found.interval[0], rel=1e-10)
    assert gain.interval[1] > found.interval[1]
    sums = np.bincount(np.arange(len(y)) % 40, d - d.mean()) / len(y)
    factor, _ = corrected(np.bincount(np.arange(len(y)) % 40))
    assert gain.standard_error == pytest.approx(math.sqrt(factor @ sums**2), rel=1e-10)


@pytest.mark.parametrize("kind", LINES, ids=repr)
@few
@given(seed=seeds)
def test_lines_are_not_certain_of_certain_forecasts_that_were_seen(kind: Any, seed: int) -> None:
    rows = drawn(seed, certain=True)
    q = np.asarray(kind.fit(rows.tally).at(np.append(np.unique(rows.p), [1e-4, 1 - 1e-4])))
    assert ((q > 0) & (q < 1)).all()
