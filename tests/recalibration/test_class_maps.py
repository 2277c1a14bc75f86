"""Maps for classes: scales, shifts and mixtures of logarithms, their prior, and zeros."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import isotonic_regression, minimize
from scipy.special import log_softmax

import properly
from properly.errors import DataError, DataWarning
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
from properly.recalibration._reduction_maps import coherent
from properly.typing import Column

MAPS = [Temperature(), Vector(), Dirichlet()]
GRADES = ["mild", "severe", "fatal"]


def sample(classes: int = 3, cases: int = 300, slope: float = 0.6) -> tuple[Column, Column]:
    """Draw forecasts, and outcomes of the truth that a temperature makes of them."""
    rng = np.random.default_rng(7)
    p = rng.dirichlet(np.full(classes, 0.8), cases)
    truth = p**slope / (p**slope).sum(axis=1, keepdims=True)
    y = (truth.cumsum(axis=1) < rng.random(cases)[:, None]).sum(axis=1)
    return y, p


def parameters(mapping: Any) -> Column:
    if isinstance(mapping, Temperature):
        return np.array([mapping.slope])
    first = mapping.scale if isinstance(mapping, Vector) else mapping.matrix
    return np.append(first.ravel(), mapping.shift)


def objective(theta: Column, kind: str, y: Column, p: Column, weight: Column) -> float:
    """Write the objective down as it is defined, with a prior of 1 and 0.1 off the diagonal."""
    k = p.shape[1]
    start, firm, shift = np.ones(1), np.ones(1), np.zeros(k)
    matrix = np.diag(np.full(k, theta[0]))
    if kind == "vector":
        matrix, shift = np.diag(theta[:k]), theta[k:]
        start, firm = np.repeat([1.0, 0.0], k), np.ones(2 * k)
    if kind == "dirichlet":
        matrix, shift = theta[:-k].reshape(k, k), theta[-k:]
        start = np.append(np.eye(k).ravel(), np.zeros(k))
        firm = np.append(np.where(np.eye(k) > 0, 1.0, 0.1).ravel(), np.ones(k))
    odds = log_softmax(np.log(p) @ matrix.T + shift, axis=1)
    lost = -weight @ odds[np.arange(len(y)), y]
    return float(lost + (((theta - start) / firm) ** 2).sum() / 2)


@pytest.mark.parametrize("mapping", MAPS, ids=repr)
def test_no_parameters_have_a_smaller_objective(mapping: Any) -> None:
    y, p = sample()
    best = parameters(mapping.fit(y, p))
    arguments = (mapping.kind, y, p, np.ones(len(y)))
    least = objective(best, *arguments)
    found = minimize(objective, best + 0.05, arguments, method="L-BFGS-B", options={"ftol": 1e-15})
    assert least <= found.fun * (1 + 1e-12)
    np.testing.assert_allclose(best, found.x, atol=1e-3)


@pytest.mark.parametrize("mapping", MAPS, ids=repr)
def test_steps_and_slopes_find_the_same_map(mapping: Any, monkeypatch: Any) -> None:
    y, p = sample()
    exact = mapping.fit(y, p)
    monkeypatch.setattr("properly.recalibration._softmax_maps.MOST", 0)
    np.testing.assert_allclose(parameters(mapping.fit(y, p)), parameters(exact), atol=1e-6)


@pytest.mark.parametrize("seed", [0, 6, 17])
def test_without_prior_classes_are_expected_as_often_as_they_happened(seed: int) -> None:
    # The slopes of the likelihood in the shifts, which are 0 at its top to the last bits.
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3), 60)
    y = np.array([rng.choice(3, p=row) for row in p])
    expected = Vector(prior=None).fit(y, p).at(p).mean(axis=0)
    np.testing.assert_allclose(expected, np.bincount(y) / 60, rtol=0, atol=1e-14)


def test_two_classes_without_prior_are_an_event_without_smoothing() -> None:
    y, p = sample(classes=2, cases=500)
    event = p[:, 1]
    curve = Temperature(smooth=False).fit(y, event)
    assert Temperature(prior=None).fit(y, p).slope == pytest.approx(curve.slope, rel=1e-9)
    beta = Beta(smooth=False).fit(y, event)
    assert min(beta.coefficients[:2]) > 0
    for mapping in (Vector(prior=None), Dirichlet(prior=None)):
        np.testing.assert_allclose(mapping.fit(y, p).at(p)[:, 1], beta.at(event), rtol=1e-9)


def test_without_prior_the_nearest_of_equivalent_maps_is_taken() -> None:
    y, p = sample()
    assert Vector(prior=None).fit(y, p).shift.sum() == pytest.approx(0, abs=1e-9)
    mixture = Dirichlet(prior=None).fit(y, p)
    np.testing.assert_allclose(mixture.matrix.sum(axis=0), 1, atol=1e-9)
    assert mixture.shift.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("mapping", MAPS, ids=repr)
def test_repeated_rows_are_counts_and_units_of_weights_do_not_matter(mapping: Any) -> None:
    y, p = sample()
    rng = np.random.default_rng(0)
    times, weight = rng.integers(1, 4, len(y)), rng.uniform(0.2, 2, len(y))
    repeated = mapping.fit(np.repeat(y, times), np.repeat(p, times, axis=0))
    counted = mapping.fit(y, p, count=times)
    np.testing.assert_allclose(parameters(counted), parameters(repeated), rtol=1e-9, atol=1e-12)
    assert counted.training.sha256 == repeated.training.sha256
    for drawn in (weight, times):
        first, second = (mapping.fit(y, p, weight=unit * drawn) for unit in (1.0, 37.5))
        np.testing.assert_allclose(parameters(first), parameters(second), rtol=1e-9, atol=1e-12)
        assert first.training.cases is None
        assert first.training.effective == pytest.approx(drawn.sum() ** 2 / (drawn**2).sum())


def test_weights_add_up_to_the_effective_number() -> None:
    y, p = sample()
    weight = np.random.default_rng(0).uniform(0.2, 2, len(y))
    scaled = weight * weight.sum() / (weight**2).sum()
    best = parameters(Vector().fit(y, p, weight=weight))
    least = objective(best, "vector", y, p, scaled)
    for step in np.random.default_rng(1).normal(0, 1e-3, (20, len(best))):
        assert least < objective(best + step, "vector", y, p, scaled)


@pytest.mark.parametrize("mapping", MAPS, ids=repr)
def test_whatever_the_outcomes_the_prior_keeps_a_map_finite(mapping: Any) -> None:
    _, p = sample()
    fitted = mapping.fit(p.argmax(axis=1), p)
    assert np.isfinite(parameters(fitted)).all()
    with pytest.raises(DataError, match="no finite map fits best"):
        type(mapping)(prior=None).fit(p.argmax(axis=1), p)


@pytest.mark.parametrize("mapping", MAPS, ids=repr)
def test_equal_rows_have_a_map_only_with_a_prior(mapping: Any) -> None:
    p = np.full((6, 3), 1 / 3)
    y = [0, 0, 0, 1, 1, 2]
    assert np.isfinite(parameters(mapping.fit(y, p))).all()
    with pytest.raises(DataError, match="no single map fits best"):
        type(mapping)(prior=None).fit(y, p)


def test_a_class_that_never_happened_is_named_and_keeps_its_prior() -> None:
    y, p = sample()
    cases = properly.Cases(np.where(y == 2, 0, y), p, labels=GRADES)
    with pytest.warns(DataWarning, match="class 'fatal' never happened"):
        mapping = Vector().fit(cases)
    assert mapping.notices == ("class 'fatal' never happened: its part of the map is a guess",)
    assert mapping.shift[2] < 0
    with pytest.raises(DataError, match="no finite map fits best"):
        Vector(prior=None).fit(cases)


def test_what_is_impossible_stays_impossible() -> None:
    y, p = sample()
    p[:40, 0] = 0
    p /= p.sum(axis=1, keepdims=True)
    count = int((y[:40] == 0).sum())
    used = p[np.arange(len(y)), y] > 0
    for mapping, word in ((Temperature(), "temperature"), (Vector(), "scale")):
        text = f"{count} rows had called what happened impossible: no {word} repairs that"
        with pytest.warns(DataWarning, match=text):
            fitted = mapping.fit(y, p)
        np.testing.assert_array_equal(parameters(fitted), parameters(mapping.fit(y[used], p[used])))
        assert ((fitted.at(p) == 0) == (p == 0)).all()
    with pytest.raises(DataError, match="above 0; row 0, column 0 is"):
        Dirichlet().fit(y, p)
    with pytest.raises(DataError, match="needs probabilities above 0"):
        Dirichlet(np.eye(3), np.zeros(3)).at(p)


def test_no_eps_and_no_certainty_is_made() -> None:
    p = [[1e-300, 0.5, 0.5 - 1e-300], [1.0, 0.0, 0.0]]
    q = Vector([3, 1, 1], [0, 0, 0]).at(p)
    np.testing.assert_array_equal(q[1], p[1])
    assert q[0, 0] == 5e-324
    assert q[0, 1] == pytest.approx(0.5, rel=1e-15)


def test_forecasts_that_favour_the_wrong_classes_become_equal() -> None:
    _, p = sample()
    with pytest.warns(DataWarning, match="favour the wrong classes"):
        mapping = Temperature().fit(p.argmin(axis=1), p)
    assert mapping.slope == 0
    assert mapping.monotone == "weakly"
    np.testing.assert_array_equal(mapping.at(p), np.full_like(p, 1 / 3))


def test_rows_of_a_known_map_by_hand() -> None:
    squared = np.array([[25, 9, 4]]) / 38
    np.testing.assert_allclose(Temperature(2, labels=GRADES).at([[0.5, 0.3, 0.2]]), squared)
    shifted = Vector([1, 1, 1], np.log([1, 2, 4]), labels=GRADES)
    np.testing.assert_allclose(shifted.at([[0.5, 0.3, 0.2]]), [[5 / 19, 6 / 19, 8 / 19]])
    swapped = Dirichlet([[0, 1], [1, 0]], [0, 0])
    np.testing.assert_allclose(swapped.at([[0.2, 0.8]]), [[0.8, 0.2]])
    assert [x.monotone for x in (shifted, Vector([1, -1], [0, 0]), swapped)] == [
        "strictly",
        False,
        False,
    ]


@pytest.mark.parametrize("mapping", MAPS, ids=repr)
def test_a_map_is_rebuilt_from_what_is_written(mapping: Any) -> None:
    y, p = sample()
    fitted = mapping.fit(properly.Cases(y, p, labels=GRADES))
    record = json.loads(json.dumps(fitted.to_dict()))
    assert (record["kind"], record["of"]) == (mapping.kind, "classes")
    again = type(mapping)(**record["parameters"])
    assert again.labels == tuple(GRADES)
    np.testing.assert_array_equal(again.at(p), fitted.at(p))
    assert record["training"]["events"] == np.bincount(y).tolist()


@pytest.mark.parametrize("mapping", MAPS, ids=repr)
def test_arrays_of_any_library_keep_their_kind(mapping: Any) -> None:
    torch = pytest.importorskip("torch")
    y, p = sample()
    fitted = mapping.fit(y, p)
    expected = fitted.at(p)
    single = fitted.at(p.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, rtol=1e-5, atol=1e-7)
    tensor = torch.tensor(p, requires_grad=True)
    q = fitted.at(tensor)
    np.testing.assert_allclose(q.detach().numpy(), expected, rtol=1e-12)
    q[:, 0].sum().backward()
    assert bool(torch.isfinite(tensor.grad).all())


def test_gradients_are_finite_where_a_class_is_impossible() -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.tensor([[0.0, 0.5, 0.5]], dtype=torch.float64, requires_grad=True)
    Temperature(0.5, labels=GRADES).at(tensor)[0, 1].backward()
    np.testing.assert_allclose(tensor.grad.numpy(), [[0, 0.25, -0.25]])


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_frame_gets_a_column_for_each_class(library: Any) -> None:
    mapping = Temperature(2, labels=GRADES)
    frame = library({"mild": [0.5], "severe": [0.3], "fatal": [0.2], "id": [7]})
    result = mapping.at(frame, forecast=GRADES)
    assert list(result.columns)[4:] == [f"{name}_recalibrated" for name in GRADES]
    assert float(result["fatal_recalibrated"][0]) == pytest.approx(4 / 38)
    named = mapping.at(frame, forecast=GRADES, name=["a", "b", "c"])
    assert list(named.columns)[4:] == ["a", "b", "c"]
    for wrong in ("mild", None, ["mild", "severe", "worse"], ["severe", "mild", "fatal"]):
        with pytest.raises(DataError):
            mapping.at(frame, forecast=wrong)


def test_a_map_fitted_to_classes_is_fitted_to_an_event_again() -> None:
    y, p = sample()
    event, one = y > 0, p[:, 1:].sum(axis=1)
    again = Temperature().fit(y, p).fit(event, one)
    assert again.of == "event"
    assert again.slope == pytest.approx(Temperature().fit(event, one).slope, rel=1e-12)


def test_a_fit_says_nothing_where_there_is_nothing_to_say() -> None:
    y, p = sample()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for mapping in MAPS:
            mapping.fit(y, p).at(p)


REDUCTIONS = [OneVsRest(Isotonic()), Cuts(Logistic()), Cuts(Isotonic()), Cuts(VennAbers())]


def fitted_to_sample(mapping: Any, **options: Any) -> tuple[Any, Column, Column]:
    y, p = sample(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return mapping.fit(y, p), y, p


def test_one_versus_rest_divides_each_class_by_the_sum_of_its_row() -> None:
    mapping, y, p = fitted_to_sample(OneVsRest(Isotonic()))
    columns = [Isotonic().fit(y == k, p[:, k]).at(p[:, k]) for k in range(3)]
    by_hand = np.stack(columns, axis=1)
    np.testing.assert_array_equal(mapping.at(p), by_hand / by_hand.sum(axis=1, keepdims=True))
    assert mapping.at(p).min() > 0
    changed = int((mapping.at(p).argmax(axis=1) != p.argmax(axis=1)).sum())
    assert changed > 0
    assert f"it changes the likeliest class of {changed} rows in 300" in mapping.notices


@pytest.mark.parametrize("mapping", REDUCTIONS[1:], ids=repr)
def test_cuts_are_differences_of_coherent_maps(mapping: Any) -> None:
    fitted, y, p = fitted_to_sample(mapping, classes=4)
    tails = np.stack([q.p for q in properly.cumulative(properly.Cases(y, p)).values()], axis=1)
    cuts = np.stack([mapping.map.fit(y > k, tails[:, k]).at(tails[:, k]) for k in range(3)], axis=1)
    fixed = np.array([isotonic_regression(row, increasing=False).x for row in cuts])
    ends = np.column_stack([np.ones(len(y)), fixed, np.zeros(len(y))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        q = fitted.at(p)
    np.testing.assert_allclose(q, ends[:, :-1] - ends[:, 1:], atol=1e-14)
    for count, words in (
        ((np.diff(cuts, axis=1) > 0).any(axis=1).sum(), "cuts were out of order"),
        ((q == 0).sum(), "become exactly 0"),
    ):
        notes = [text for text in fitted.notices if words in text]
        assert len(notes) == (count > 0)
        assert all(f"{count:,}" in text for text in notes)


@given(
    arrays(np.float64, (20, 5), elements=st.floats(0, 1)),
    arrays(np.int64, 20, elements=st.integers(0, 5)),
)
def test_coherence_never_raises_the_score_of_a_row(cuts: Column, y: Column) -> None:
    fixed = np.stack(coherent(list(cuts.T)), axis=1)
    assert (np.diff(fixed, axis=1) <= 0).all()
    above = y[:, None] > np.arange(5)
    before, after = (((x - above) ** 2).sum(axis=1) for x in (cuts, fixed))
    assert (after <= before + 1e-15).all()
    with np.errstate(divide="ignore"):
        before, after = (-np.log(np.where(above, x, 1 - x)).sum(axis=1) for x in (cuts, fixed))
    assert (after <= before + 1e-9).all()
    expected = [isotonic_regression(row, increasing=False).x for row in cuts]
    np.testing.assert_allclose(fixed, expected, atol=1e-15)


def test_pooled_cuts_are_counted_and_said_when_they_are_applied() -> None:
    mapping = Cuts(maps=[Logistic(-1, 1), Logistic(1, 1)])
    with pytest.warns(DataWarning, match="1 probability becomes exactly 0: if that class happens"):
        q = mapping.at([[0.3, 0.4, 0.3]])
    low, high = 1 / (1 + np.exp(1 - np.log(7 / 3))), 1 / (1 + np.exp(-1 - np.log(3 / 7)))
    np.testing.assert_allclose(q, [[1 - (low + high) / 2, 0, (low + high) / 2]])
    assert q[0, 1] == 0


def test_two_classes_have_one_cut() -> None:
    mapping, y, p = fitted_to_sample(Cuts(Logistic()), classes=2)
    np.testing.assert_allclose(mapping.at(p)[:, 1], Logistic().fit(y, p[:, 1]).at(p[:, 1]))


@pytest.mark.parametrize("mapping", REDUCTIONS, ids=repr)
def test_reductions_are_written_with_their_maps(mapping: Any) -> None:
    fitted, y, p = fitted_to_sample(mapping)
    record = fitted.to_dict()["parameters"]
    assert [one["kind"] for one in record["maps"]] == [mapping.map.kind] * len(fitted.maps)
    again = type(mapping)(**record | {"maps": fitted.maps})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        np.testing.assert_array_equal(again.at(p), fitted.at(p))
        np.testing.assert_allclose(again.fit(y, p).at(p), fitted.at(p), atol=1e-9)


@pytest.mark.parametrize("mapping", REDUCTIONS, ids=repr)
def test_tensors_go_through_reductions(mapping: Any) -> None:
    torch = pytest.importorskip("torch")
    fitted, _, p = fitted_to_sample(mapping)
    tensor = torch.tensor(p, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        q, expected = fitted.at(tensor), fitted.at(p)
    np.testing.assert_allclose(q.detach().numpy(), expected, atol=1e-14)
    if not isinstance(mapping.map, VennAbers):
        q[:, 0].sum().backward()
        assert bool(torch.isfinite(tensor.grad).all())


def test_what_is_odd_about_columns_is_said_by_name() -> None:
    mapping, _, _ = fitted_to_sample(OneVsRest(Logistic()))
    with pytest.warns(DataWarning, match="class 0: 1 forecast outside"):
        mapping.at([[1e-9, 0.5, 0.5 - 1e-9]])


@pytest.mark.parametrize("mapping", MAPS, ids=repr)
def test_a_fitted_map_is_fitted_again_as_if_it_were_new(mapping: Any) -> None:
    y, p = sample()
    again = mapping.fit(y[:100], p[:100]).fit(y, p)
    np.testing.assert_allclose(parameters(again), parameters(mapping.fit(y, p)), atol=1e-12)


def test_a_temperature_without_a_slope_leaves_nothing_of_certain_forecasts_either() -> None:
    fitted = Temperature(0.0, labels=["a", "b", "c"])
    np.testing.assert_array_equal(fitted.at([[1.0, 0.0, 0.0], [0.2, 0.3, 0.5]]), 1 / 3)


def test_options_that_are_numbers_become_those_of_python() -> None:
    mapping = Dirichlet(prior=np.float32(2))  # type: ignore[arg-type]
    assert mapping.prior == 2.0
    assert type(mapping.prior) is float
