"""Means of the probabilities that model and source gave to what happened: what always holds."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reproductions.means.coupled import nelson

import properly
from properly import probability
from properly.rules import Log

from .class_draws import ClassRows
from .mean_oracles import (
    BINNED,
    CLOSE,
    POWERS,
    any_classes,
    cases_of,
    class_wise_or_pooled,
    classes_by_hand,
    classes_of,
    counted_classes,
    event_by_hand,
    every_binned_source,
    every_class_source,
    exact_rows,
    few,
    power_mean,
    precisions,
    require_alike,
    require_classes_alike,
    spreads,
    three,
    three_by_hand,
)
from .subjects import EPS, Rows, counts_of, quick_counts, quick_rows, seeds, tally_of, without_unit


@class_wise_or_pooled
@given(found=quick_counts, classes=counted_classes)
def test_means_by_hand(pooled: bool, found: Rows, classes: ClassRows) -> None:
    of_event, source = event_by_hand(found), probability.IsotonicSource(pooled=pooled)
    for means, expected, weight in (
        (properly.means(cases_of(found)), of_event, found.weight),
        (properly.means(tally_of(found)), of_event, found.weight),
        (
            properly.means(cases_of(classes), source=source),
            classes_by_hand(classes, pooled),
            classes.weight,
        ),
    ):
        assert three(means) == three_by_hand(expected.t, weight)
        assert three(means.source) == three_by_hand(expected.p, weight)


@given(found=quick_rows, precision=precisions)
def test_limited_forecasts_are_those_moved_to_the_limit(
    found: Rows, precision: float | None
) -> None:
    q = precision or 0.0
    moved = found._replace(p=np.clip(found.p, q, 1 - q))
    for make in (cases_of, tally_of):
        limited = properly.means(make(found), precision=precision)
        require_alike(limited, properly.means(make(moved)))
        require_classes_alike(limited, properly.means(make(moved)))
        changed = math.fsum(without_unit(found.weight)[moved.p != found.p])
        assert limited.clipped == pytest.approx(changed, rel=4 * EPS, abs=0)


@given(found=any_classes, precision=st.sampled_from([0.0, 0.01, 0.1]))
def test_limited_rows_of_classes_are_divided_by_their_sums(
    found: ClassRows, precision: float
) -> None:
    p = np.clip(found.p, precision, 1 - precision)
    rows = (p != found.p).any(axis=1)
    # In order of size, so that rows of the same numbers stay equal to the last digit.
    p /= np.where(rows, np.sort(p, axis=1).sum(axis=1), 1.0)[:, None]
    limited = properly.means(cases_of(found), precision=precision)
    require_alike(limited, properly.means(cases_of(found._replace(p=p))))
    changed = math.fsum(without_unit(found.weight)[rows])
    assert limited.clipped == pytest.approx(changed, rel=4 * EPS, abs=0)


def require_order(found: properly.probability.Means) -> None:
    records = [found.model, found.source]
    for of in classes_of(found).values():
        records += [of.model, of.source]
    for record in records:
        assert 0 <= record.robustness <= record.mean_probability <= record.decisiveness
        assert record.decisiveness <= 1 + 4 * EPS


@every_class_source
@few
@given(found=quick_rows, classes=any_classes, precision=precisions)
def test_robustness_is_below_accuracy_and_accuracy_below_decisiveness(
    source: Any, found: Rows, classes: ClassRows, precision: float | None
) -> None:
    for cases in (tally_of(found), cases_of(classes)):
        require_order(properly.means(cases, source=source, precision=precision))


@class_wise_or_pooled
@given(found=quick_rows, classes=any_classes, precision=precisions)
def test_no_model_is_above_its_isotonic_source(
    pooled: bool, found: Rows, classes: ClassRows, precision: float | None
) -> None:
    for cases, source in (
        (cases_of(found), "isotonic"),
        (tally_of(found), "isotonic"),
        (cases_of(classes), probability.IsotonicSource(pooled=pooled)),
    ):
        means = properly.means(cases, source=source, precision=precision)
        assert means.divergence <= 1
        assert means.source.robustness > 0  # what happened once is not impossible


@given(found=quick_rows, precision=precisions)
def test_the_divergence_is_the_miscalibration_of_the_log_score(
    found: Rows, precision: float | None
) -> None:
    q = precision or 0.0
    moved = found._replace(p=np.clip(found.p, q, 1 - q))
    parts = properly.decompose(tally_of(moved), Log())
    means = properly.means(tally_of(found), precision=precision)
    information = parts.discrimination - parts.uncertainty
    assert means.mean_probability == pytest.approx(math.exp(-parts.score), **CLOSE)
    assert means.source.mean_probability == pytest.approx(math.exp(information), **CLOSE)
    assert means.divergence == pytest.approx(math.exp(-parts.miscalibration), **CLOSE)


def mean_of_function(values: Any, weight: Any, power: float) -> float:
    """Average the power, or the logarithm at 0."""
    x = np.asarray(values, dtype=float)
    return math.fsum(weight * (np.log(x) if power == 0 else x**power)) / math.fsum(weight)


def expected_of_itself(rate: Any, weight: Any, power: float) -> float:
    """Average over both outcomes as the source says; what it calls impossible counts for 0."""
    total = []
    for p in (np.asarray(rate), 1 - np.asarray(rate)):
        safe = np.where(p > 0, p, 1.0)
        total.append(np.where(p > 0, p * (np.log(safe) if power == 0 else safe**power), 0.0))
    return math.fsum(weight * sum(total)) / math.fsum(weight)


@every_binned_source
@few
@given(found=quick_rows, precision=precisions)
def test_a_source_fitted_in_bins_expects_what_it_finds(
    source: Any, found: Rows, precision: float | None
) -> None:
    table = properly.probability.source_table(tally_of(found), source=source, precision=precision)
    of_event = np.array([name == "event" for name in table.name])
    rate, weight = np.asarray(table.source)[of_event], np.asarray(table.weight)[of_event]
    for name, power in POWERS.items():
        observed = mean_of_function([getattr(table.means.source, name)], np.ones(1), power)
        expected = expected_of_itself(rate, weight, power)
        assert observed == pytest.approx(expected, rel=1e-12, abs=1e-13)


@given(found=exact_rows)
def test_only_the_order_of_forecasts_matters_to_the_isotonic_source(found: Rows) -> None:
    source = properly.means(tally_of(found)).source
    for moved in (found.p**3, np.sqrt(found.p) / 2 + 0.25, np.expm1(found.p) / 2):
        for make in (cases_of, tally_of):
            other = properly.means(make(found._replace(p=moved))).source
            assert three(other) == pytest.approx(three(source), **CLOSE)


@every_binned_source
@few
@given(found=quick_counts)
def test_a_count_of_three_is_three_cases(source: Any, found: Rows) -> None:
    repeated = (np.repeat(x, found.weight) for x in (found.y, found.p))
    plain = properly.Cases(*repeated)
    expected = properly.means(plain, source=source)
    doors = (
        door(found.y, found.p, count=found.weight) for door in (properly.Cases, properly.tally)
    )
    for cases in (*doors, plain.tally()):
        require_alike(properly.means(cases, source=source), expected)
        require_classes_alike(properly.means(cases, source=source), expected)


@pytest.mark.parametrize(
    ("rows", "make", "known"),
    [(quick_rows, tally_of, "weight"), (quick_counts, counts_of, "count")],
    ids=["weights", "counts"],
)
@every_binned_source
@few
@given(data=st.data())
def test_means_of_a_sum_of_tallies(
    source: Any, rows: Any, make: Any, known: str, data: st.DataObject
) -> None:
    pair = data.draw(st.tuples(rows, rows))
    y, p, weight = (np.concatenate(columns) for columns in zip(*pair, strict=True))
    added = properly.means(make(pair[0]) + make(pair[1]), source=source)
    columns: dict[str, Any] = {known: weight}
    whole = properly.means(properly.tally(y, p, **columns), source=source)
    require_alike(added, whole)
    require_classes_alike(added, whole)


@pytest.mark.parametrize("source", [*BINNED, "neighbours", "kernel"], ids=repr)
@few
@given(found=quick_rows, seed=seeds)
def test_the_order_of_the_rows_does_not_matter(source: Any, found: Rows, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(found.y))
    turned = Rows(found.y[order], found.p[order], found.weight[order])
    one, two = (properly.means(cases_of(x), source=source, precision=0.01) for x in (found, turned))
    require_alike(one, two)
    require_classes_alike(one, two)


@every_class_source
@few
@given(found=any_classes, seed=seeds)
def test_neither_the_order_of_rows_nor_that_of_classes_matters(
    source: Any, found: ClassRows, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    order, columns = rng.permutation(len(found.y)), rng.permutation(found.p.shape[1])
    place = np.argsort(columns)
    turned = ClassRows(place[found.y][order], found.p[order][:, columns], found.weight[order])
    one, two = (properly.means(cases_of(x), source=source) for x in (found, turned))
    require_alike(one, two)
    require_classes_alike(one, two, {str(k): str(old) for k, old in enumerate(columns)})


OTHER_NAME = {"event": "no event", "no event": "event"}


@given(found=exact_rows)
def test_the_complement_of_an_event_only_swaps_the_names(found: Rows) -> None:
    turned = Rows(1 - found.y, 1 - found.p, found.weight)
    for make in (cases_of, tally_of):
        one, two = properly.means(make(found)), properly.means(make(turned))
        require_alike(one, two)
        require_classes_alike(one, two, OTHER_NAME)


@class_wise_or_pooled
@given(found=exact_rows, precision=precisions)
def test_two_classes_are_an_event_and_its_complement(
    pooled: bool, found: Rows, precision: float | None
) -> None:
    both = found._replace(p=np.stack([1 - found.p, found.p], axis=1))
    cases = properly.Cases(both.y, both.p, weight=both.weight)
    one = properly.means(tally_of(found), precision=precision)
    two = properly.means(cases, source=probability.IsotonicSource(), precision=precision)
    require_alike(one, two)
    require_classes_alike(one, two, {"0": "no event", "1": "event"})
    assert one.clipped == two.clipped
    # Pooled, both columns make the fit symmetric, and the model is as it was.
    other = properly.means(
        cases, source=probability.IsotonicSource(pooled=pooled), precision=precision
    )
    assert three(other) == pytest.approx(three(one), **CLOSE)


@given(found=quick_rows)
def test_the_angle_is_that_of_the_spreads(found: Rows) -> None:
    means = properly.means(tally_of(found))
    model, source = spreads(means)
    if max(model, source) > 1e-9:
        kept = [x if x > 1e-12 else 0.0 for x in (model, source)]
        assert means.angle == pytest.approx(math.degrees(math.atan2(*kept)), abs=1e-9)
    ratio = [x / y for x, y in zip(three(means), three(means.source), strict=True)]
    assert three(means.ratio) == pytest.approx(ratio, rel=4 * EPS, abs=0)
    assert means.divergence == means.ratio.mean_probability


def require_classes_combine(means: properly.probability.Means) -> None:
    found = classes_of(means).values()
    weight = [of.weight for of in found]
    for name, power in POWERS.items():
        for side in ("model", "source"):
            values = [getattr(getattr(of, side), name) for of in found]
            whole = getattr(getattr(means, side), name)
            assert power_mean(values, weight, power) == pytest.approx(whole, **CLOSE)
    for of in found:
        assert of.divergence == pytest.approx(
            of.model.mean_probability / of.source.mean_probability, **CLOSE
        )


@every_class_source
@few
@given(found=quick_rows, classes=any_classes, precision=precisions)
def test_means_of_the_classes_combine_to_those_of_all(
    source: Any, found: Rows, classes: ClassRows, precision: float | None
) -> None:
    for cases in (tally_of(found), cases_of(classes)):
        require_classes_combine(properly.means(cases, source=source, precision=precision))


class Published(NamedTuple):
    """Mean and deviation of the divergence of a calibrated model, and the runs there and here."""

    case: str
    n: int
    source: Any
    mean: float
    deviation: float
    runs: int
    here: int


PUBLISHED = [
    Published("perfect", 100, "isotonic", 0.932, 0.016, 500, 60),
    Published("perfect", 1000, "isotonic", 0.9851, 0.0028, 160, 30),
    Published("perfect", 10000, "isotonic", 0.9969, 0.0004, 40, 8),
    Published("gaussian", 1000, "isotonic", 0.9819, 0.0025, 160, 30),
    Published("perfect", 1000, probability.EqualCount(bins=10), 0.9971, 0.0030, 160, 30),
]


@pytest.mark.parametrize("known", PUBLISHED, ids=lambda x: f"{x.case}-{x.n}-{x.source}")
def test_the_bias_of_the_divergence_of_a_calibrated_model(known: Published) -> None:
    rng = np.random.default_rng(known.n)
    found = []
    for _ in range(known.here):
        drawn = nelson(known.n, known.case, precision=None, rng=rng)
        tally = properly.tally(drawn.y, drawn.p)
        found.append(properly.means(tally, source=known.source).divergence)
    error = known.deviation * math.sqrt(1 / known.runs + 1 / known.here)
    assert np.mean(found) == pytest.approx(known.mean, abs=4 * error)
