"""What holds for every map of classes, and that two classes are an event."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import properly
from properly import recalibration
from properly.recalibration import (
    Beta,
    Cuts,
    Dirichlet,
    Isotonic,
    Logistic,
    OneVsRest,
    Temperature,
    Vector,
    VennAbers,
)
from properly.rules import RPS, RankedLog

from .map_draws import CLASS_MAPS, drawn, drawn_classes, few, many, seeds

pytestmark = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")

every = pytest.mark.parametrize("kind", CLASS_MAPS, ids=repr)


def values(fit: Any, p: Any) -> Any:
    return np.asarray(fit.at(p))


@every
@few
@given(seed=seeds)
def test_rows_are_probabilities(kind: Any, seed: int) -> None:
    rows = drawn_classes(seed)
    fit = kind.fit(rows.cases)
    q = values(fit, rows.p)
    assert fit.of == "classes"
    assert q.shape == rows.p.shape
    assert (q >= 0).all()
    np.testing.assert_allclose(q.sum(axis=1), 1, rtol=0, atol=1e-14)
    if not isinstance(kind, Cuts):
        assert ((q > 0) & (q < 1)).all()


@every
@few
@given(seed=seeds)
def test_a_map_of_classes_that_was_written_is_read_to_the_last_digit(kind: Any, seed: int) -> None:
    rows = drawn_classes(seed)
    grades = ("low", "mid", "high", "top")
    fit = kind.fit(properly.Cases(np.array(grades)[rows.y], rows.p, labels=grades))
    text = fit.dumps()
    back: Any = recalibration.loads(text)
    assert type(back) is type(fit)
    assert back.dumps() == text
    assert tuple(back.labels) == tuple(fit.labels) == grades
    assert back.of == "classes"
    np.testing.assert_array_equal(values(back, rows.p), values(fit, rows.p))
    json.loads(text, parse_constant=pytest.fail)


@every
@few
@given(seed=seeds)
def test_counts_of_classes_are_repeated_rows(kind: Any, seed: int) -> None:
    rows = drawn_classes(seed, weights="counts")
    again = properly.Cases(
        *(np.repeat(x, np.asarray(rows.weight), axis=0) for x in (rows.y, rows.p))
    )
    counted = properly.Cases(rows.y, rows.p, count=rows.weight)
    q, repeated = values(kind.fit(counted), rows.p), values(kind.fit(again), rows.p)
    np.testing.assert_allclose(q, repeated, rtol=0, atol=1e-9)


@every
@few
@given(
    seed=seeds,
    factor=st.sampled_from([3.7, 7, 0.3, 0.013, 2.0**20]),
    weights=st.sampled_from(["counts", "fractions"]),
)
def test_scaled_weights_of_classes_change_nothing(
    kind: Any, seed: int, factor: float, weights: str
) -> None:
    rows = drawn_classes(seed, weights=weights)
    assert rows.weight is not None
    scaled = properly.Cases(rows.y, rows.p, weight=factor * rows.weight)
    q, other = values(kind.fit(rows.cases), rows.p), values(kind.fit(scaled), rows.p)
    np.testing.assert_allclose(q, other, rtol=0, atol=1e-8)


@pytest.mark.parametrize("kind", [Cuts(Logistic()), Cuts(Isotonic())], ids=repr)
@few
@given(seed=seeds)
def test_cuts_of_the_reversed_order_are_the_complement(kind: Any, seed: int) -> None:
    rows = drawn_classes(seed)
    back = properly.Cases(3 - rows.y, rows.p[:, ::-1])
    q = values(kind.fit(rows.cases), rows.p)
    np.testing.assert_allclose(
        values(kind.fit(back), rows.p[:, ::-1]), q[:, ::-1], rtol=0, atol=1e-8
    )


# Two classes are an event


def as_two(y: Any, p: Any) -> properly.Cases:
    return properly.Cases(y, np.column_stack([1 - p, p]))


@many
@given(seed=seeds)
def test_a_temperature_of_two_classes_is_that_of_the_event(seed: int) -> None:
    rows = drawn(seed)
    classes = Temperature(prior=None).fit(as_two(rows.y, rows.p))
    event = Temperature(smooth=False).fit(rows.y, rows.p)
    assert classes.slope == pytest.approx(event.slope, abs=1e-7)
    x = np.linspace(0, 1, 101)
    q = values(classes, np.column_stack([1 - x, x]))
    np.testing.assert_allclose(q[:, 1], values(event, x), rtol=0, atol=1e-7)


@pytest.mark.parametrize("kind", [Vector(prior=None), Dirichlet(prior=None)], ids=repr)
@many
@given(seed=seeds)
def test_maps_of_two_classes_are_beta_without_its_constraints(kind: Any, seed: int) -> None:
    rows = drawn(seed)
    event: Any = Beta(smooth=False).fit(rows.y, rows.p)
    if min(event.a, event.b) == 0:
        return  # bound, which classes are not
    x = np.linspace(0, 1, 101)[1:-1]
    q = values(kind.fit(as_two(rows.y, rows.p)), np.column_stack([1 - x, x]))
    np.testing.assert_allclose(q[:, 1], values(event, x), rtol=0, atol=1e-6)


# Cuts


def before_and_after(fit: Any, cases: properly.Cases) -> tuple[Any, Any]:
    """Return each cut by itself, and those that the classes add up to."""
    asked = properly.cumulative(cases).values()
    alone = np.column_stack([values(m, cut.p) for m, cut in zip(fit.maps, asked, strict=True)])
    coherent = values(fit, cases.p)[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    return alone, coherent


@pytest.mark.parametrize("kind", [Logistic(), Isotonic(), VennAbers(), Beta()], ids=repr)
@few
@given(seed=seeds)
def test_cuts_are_made_coherent_and_no_row_pays_for_it(kind: Any, seed: int) -> None:
    rows = drawn_classes(seed)
    cases = rows.cases
    fit = Cuts(kind).fit(cases)
    alone, coherent = before_and_after(fit, cases)
    reached = rows.y[:, None] >= np.arange(1, 4)
    assert (np.diff(coherent, axis=1) <= 1e-14).all()
    paid, pays = ((alone - reached) ** 2).mean(axis=1), ((coherent - reached) ** 2).mean(axis=1)
    assert (pays <= paid + 1e-14).all()
    q = values(fit, rows.p)
    np.testing.assert_allclose(np.asarray(RPS().loss(rows.y, q)), pays, atol=1e-13)
    with np.errstate(divide="ignore"):
        paid = -np.log(np.where(reached, alone, 1 - alone)).mean(axis=1)
    assert (np.asarray(RankedLog().loss(rows.y, q)) <= paid + 1e-12).all()
    # What is in order already stays.
    kept = (np.diff(alone, axis=1) <= 0).all(axis=1)
    np.testing.assert_allclose(coherent[kept], alone[kept], rtol=0, atol=1e-14)


@few
@given(seed=seeds)
def test_one_against_the_rest_is_each_column_by_itself(seed: int) -> None:
    rows = drawn_classes(seed)
    fit = OneVsRest(Isotonic()).fit(rows.cases)
    columns = [
        values(Isotonic().fit((rows.y == k).astype(int), rows.p[:, k]), rows.p[:, k])
        for k in range(4)
    ]
    q = np.column_stack(columns)
    np.testing.assert_allclose(
        values(fit, rows.p), q / q.sum(axis=1, keepdims=True), rtol=0, atol=1e-13
    )


# What is handed in comes out


@every
@few
@given(seed=seeds)
def test_cross_fitted_classes_come_from_the_other_folds(kind: Any, seed: int) -> None:
    parts = [drawn_classes(seed), drawn_classes(seed + 1)]
    y, p = (np.concatenate([getattr(part, name) for part in parts]) for name in ("y", "p"))
    fold = np.repeat([0, 1], [len(part.y) for part in parts])
    crossed = properly.cross_fit(properly.Cases(y, p), kind, folds=fold)
    for own in (fold == 0, fold == 1):
        expected = values(kind.fit(properly.Cases(y[~own], p[~own])), p[own])
        np.testing.assert_allclose(np.asarray(crossed.p)[own], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", [Temperature(), Vector(), Dirichlet()], ids=repr)
@few
@given(seed=seeds)
def test_the_order_of_classes_does_not_matter(kind: Any, seed: int) -> None:
    rows = drawn_classes(seed)
    order = np.random.default_rng(seed).permutation(4)
    moved = properly.Cases(np.argsort(order)[rows.y], rows.p[:, order])
    q, other = values(kind.fit(rows.cases), rows.p), values(kind.fit(moved), rows.p[:, order])
    np.testing.assert_allclose(other, q[:, order], rtol=0, atol=1e-7)


@pytest.mark.parametrize("kind", [Temperature(), Vector()], ids=repr)
def test_zeros_of_classes_stay_zero(kind: Any) -> None:
    q = values(kind.fit(drawn_classes(3).cases), [[0.0, 0.25, 0.75, 0.0]])
    assert (q == 0).tolist() == [[True, False, False, True]]
    assert np.isfinite(q).all()
