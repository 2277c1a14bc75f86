"""Our numbers about several classes are those of other libraries, where both have them."""

from __future__ import annotations

import importlib
import math
import sys
from itertools import combinations
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly.rules import PBS, PLL, RPS, Brier, Log, Misclassification, RankedLog, Spherical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

# Both sides round the same few operations, in another order.
TOLERANCE = 1e-12
CLASSES = [2, 3, 5, 9]


def peer(name: str) -> Any:
    """Import another library, or skip the test and say why."""
    return pytest.importorskip(
        name, reason=f"{name} is not installed; `make test-peers` installs it"
    )


def sample(
    classes: int, seed: int = 7, n: int = 400
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return forecasts with ties, zeros and certainties, and outcomes that the latter deny too."""
    rng = np.random.default_rng(seed)
    P = rng.multinomial(16, rng.dirichlet(np.ones(classes), n)) / 16
    P[:2] = np.eye(classes)[0]
    P[2] = 1 / classes
    y = rng.integers(0, classes, n)
    y[:2] = [0, classes - 1]
    return y, P


def without_zeros(P: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keep a little for everything, where infinite losses are another matter."""
    found: NDArray[np.float64] = 0.99 * P + 0.01 / P.shape[1]
    return found


def decisions(classes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return classes, and decisions that often agree with them."""
    y, P = sample(classes)
    agreed = np.random.default_rng(3).random(len(y)) < 0.5
    return y, np.where(agreed, y, P.argmax(axis=1))


def close(got: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance)


# The ranked probability score. Both peers add up over the cuts; scoringrules counts from 1.


@pytest.mark.parametrize("classes", CLASSES)
def test_the_rps_is_that_of_scoringrules(classes: int) -> None:
    scoringrules = peer("scoringrules")
    y, P = sample(classes)
    theirs = scoringrules.rps_score(y + 1, P)
    close(RPS(normalized=False).loss(y, P), theirs)
    close(RPS().loss(y, P) * (classes - 1), theirs)
    close(scoringrules.rps_score(np.eye(classes)[y], P, onehot=True), theirs)


@pytest.mark.parametrize("classes", CLASSES)
def test_the_mean_rps_is_that_of_dlordinal(classes: int) -> None:
    metrics = peer("dlordinal.metrics")
    y, P = sample(classes)
    close(RPS(normalized=False)(y, P), metrics.ranked_probability_score(y, P))


def test_a_class_number_from_0_is_another_outcome_to_scoringrules() -> None:
    # Read there as "no class happened": neither an error nor a warning, and another number.
    scoringrules = peer("scoringrules")
    y, P = [0, 1], np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
    wrong = scoringrules.rps_score(np.array(y), P)
    close(wrong, [0.2**2 + 0.5**2 + 1, 0.4**2 + 0.1**2])
    close(RPS(normalized=False).loss(y, P), [0.8**2 + 0.5**2, 0.6**2 + 0.1**2])


@pytest.mark.parametrize("classes", CLASSES)
def test_the_ranked_log_score_is_that_of_scoringrules(classes: int) -> None:
    scoringrules = peer("scoringrules")
    y, P = sample(classes)
    P = without_zeros(P)
    close(RankedLog(normalized=False).loss(y, P), scoringrules.rls_score(y + 1, P))


# The same as the continuous ranked probability score of the class number, three times over.


@pytest.mark.parametrize("classes", CLASSES)
def test_the_rps_is_the_crps_of_a_binomial_variable(classes: int) -> None:
    scoringrules, stats = peer("scoringrules"), peer("scipy.stats")
    rng = np.random.default_rng(11)
    chance, y = rng.uniform(0.05, 0.95, 50), rng.integers(0, classes, 50)
    P = stats.binom.pmf(np.arange(classes)[None, :], classes - 1, chance[:, None])
    theirs = scoringrules.crps_binomial(y, classes - 1, chance)
    close(RPS().loss(y, P) * (classes - 1), theirs, 1e-10)


@pytest.mark.parametrize("classes", CLASSES)
def test_the_rps_is_the_crps_of_an_ensemble(classes: int) -> None:
    scores, xr, scoringrules = peer("scores.probability"), peer("xarray"), peer("scoringrules")
    rng = np.random.default_rng(12)
    members, y = rng.integers(0, classes, (60, 20)), rng.integers(0, classes, 60)
    P = np.stack([(members == k).mean(axis=1) for k in range(classes)], axis=1)
    ours = RPS(normalized=False).loss(y, P)
    close(ours, scoringrules.crps_ensemble(y, members.astype(np.float64), estimator="nrg"))
    theirs = scores.crps_for_ensemble(
        xr.DataArray(members.astype(np.float64), dims=["case", "member"]),
        xr.DataArray(y.astype(np.float64), dims=["case"]),
        ensemble_member_dim="member",
        method="ecdf",
        preserve_dims="all",
    )
    close(ours, theirs.to_numpy())


def test_weights_of_cuts_are_distances_of_class_values() -> None:
    scoringrules = peer("scoringrules")
    value = np.array([0.0, 0.5, 2.0, 7.0])
    rng = np.random.default_rng(13)
    members, y = rng.integers(0, 4, (60, 20)), rng.integers(0, 4, 60)
    P = np.stack([(members == k).mean(axis=1) for k in range(4)], axis=1)
    theirs = scoringrules.crps_ensemble(value[y], value[members], estimator="nrg")
    close(RPS(weights=np.diff(value), normalized=False).loss(y, P), theirs)


# Scores that know no order.


@pytest.mark.parametrize("classes", CLASSES)
def test_the_log_score_is_that_of_scikit_learn_where_nothing_is_clipped(classes: int) -> None:
    metrics = peer("sklearn.metrics")
    y, P = sample(classes)
    P = without_zeros(P)
    weight = np.random.default_rng(8).random(len(y))
    everything = list(range(classes))
    close(Log()(y, P), metrics.log_loss(y, P, labels=everything))
    theirs = metrics.log_loss(y, P, labels=everything, sample_weight=weight)
    close(Log()(y, P, weight), theirs)


@pytest.mark.parametrize("classes", CLASSES)
def test_the_brier_score_is_that_of_scikit_learn_on_both_of_its_scales(classes: int) -> None:
    metrics = peer("sklearn.metrics")
    y, P = sample(classes)
    everything = list(range(classes))
    for rule, by_half in ((Brier(), False), (Brier(scale="half"), True)):
        theirs = metrics.brier_score_loss(y, P, labels=everything, scale_by_half=by_half)
        close(rule(y, P), theirs)
    theirs = metrics.mean_squared_error(np.eye(classes)[y], P)
    close(Brier(scale="mean")(y, P), theirs)


def test_the_spherical_loss_is_one_minus_a_cosine() -> None:
    distance = peer("scipy.spatial.distance")
    y, P = sample(5)
    theirs = [distance.cosine(p, row) for p, row in zip(P, np.eye(5)[y], strict=True)]
    close(Spherical().loss(y, P), theirs)


def test_misclassification_is_the_error_rate_where_no_forecast_is_tied() -> None:
    metrics = peer("sklearn.metrics")
    y, P = sample(5)
    P = np.random.default_rng(9).dirichlet(np.ones(5), len(y))
    close(Misclassification()(y, P), metrics.zero_one_loss(y, P.argmax(axis=1)))


# Hard decisions.


@pytest.mark.parametrize("classes", CLASSES)
@pytest.mark.parametrize("weights", ["zero_one", "linear", "quadratic"])
@pytest.mark.parametrize("weighted", [False, True])
def test_kappa_is_that_of_scikit_learn(classes: int, weights: Any, weighted: bool) -> None:
    metrics = peer("sklearn.metrics")
    y, d = decisions(classes)
    weight = np.random.default_rng(8).random(len(y)) if weighted else None
    theirs = metrics.cohen_kappa_score(
        *(y, d),
        weights=None if weights == "zero_one" else weights,
        labels=range(classes),
        sample_weight=weight,
    )
    assert 0.05 < theirs < 0.95
    close(properly.decisions.weighted_kappa(y, d, classes, weights, weight=weight), theirs)
    if weights == "quadratic":
        close(properly.quadratic_weighted_kappa(y, d, classes, weight=weight), theirs)


@pytest.mark.parametrize("absent", list(combinations(range(5), 2)))
def test_kappa_of_a_part_of_the_classes_needs_all_labels_there(absent: tuple[int, int]) -> None:
    metrics = peer("sklearn.metrics")
    y, d = decisions(5)
    left = ~np.isin(y, absent) & ~np.isin(d, absent)
    ours = properly.quadratic_weighted_kappa(y[left], d[left], 5)
    options = {"weights": "quadratic"}
    close(ours, metrics.cohen_kappa_score(y[left], d[left], labels=range(5), **options))
    # Left to itself it numbers anew, which is harmless only where those that occur are evenly
    # spaced: then all distances change by one factor.
    evenly = len(set(np.diff(np.setdiff1d(range(5), absent)))) == 1
    renumbered = metrics.cohen_kappa_score(y[left], d[left], **options)
    assert (abs(renumbered - ours) < TOLERANCE) == evenly


def test_counts_and_what_follows_from_them_are_those_of_scikit_learn() -> None:
    metrics = peer("sklearn.metrics")
    y, d = decisions(5)
    found = properly.decisions.confusion(y, d, 5)
    np.testing.assert_array_equal(found.counts, metrics.confusion_matrix(y, d))
    close(found.accuracy, metrics.accuracy_score(y, d))
    close(found.recall, metrics.recall_score(y, d, average=None))
    close(found.precision, metrics.precision_score(y, d, average=None))
    close(found.f1, metrics.f1_score(y, d, average=None))
    close(properly.decisions.macro_f1(y, d, 5), metrics.f1_score(y, d, average="macro"))
    close(
        properly.decisions.confusion(y, d, 5).mean_absolute_error, metrics.mean_absolute_error(y, d)
    )


# The expected cost. The package's own way from cases to shares asks scikit-learn for something
# private that has changed since; what it makes of the shares, and its decisions, still run.

COSTS = ["zero_one", "linear", "quadratic", "uneven", "abstain"]


def costs(name: str, classes: int) -> Any:
    apart = np.abs(np.subtract.outer(np.arange(classes), np.arange(classes))).astype(np.float64)
    if name == "uneven":
        return np.where(np.triu(apart) > 0, 3 * apart, apart) + 0.25 * (apart > 0)
    if name == "abstain":
        return np.column_stack([apart, np.full(classes, 0.4)])
    return {"zero_one": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart**2}[
        name
    ]


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("priors", [None, [0.5, 0.1, 0.2, 0.2]])
def test_the_expected_cost_is_that_of_the_package(
    cost: str, normalized: bool, priors: list[float] | None
) -> None:
    ec, metrics = peer("expected_cost.ec"), peer("sklearn.metrics")
    y, d = decisions(4)
    if cost == "abstain":
        d[::7] = 4
    matrix = costs(cost, 4)
    shares = metrics.confusion_matrix(y, d, normalize="true", labels=range(matrix.shape[1]))[:4]
    prior = np.bincount(y, minlength=4) / len(y) if priors is None else np.array(priors)
    theirs = ec.average_cost_from_confusion_matrix(
        shares, prior, ec.CostMatrix(matrix), adjusted=normalized
    )
    ours = properly.expected_cost(y, d, matrix, priors=priors, normalized=normalized)
    close(ours, theirs)
    if cost in ("zero_one", "linear", "quadratic"):
        named: Any = cost
        again = properly.expected_cost(y, d, named, classes=4, priors=priors, normalized=normalized)
        assert again == ours


@pytest.mark.parametrize("cost", COSTS)
def test_decisions_of_least_cost_are_those_of_the_package(cost: str) -> None:
    ec = peer("expected_cost.ec")
    P = np.random.default_rng(5).dirichlet(np.ones(4), 500)
    # It divides what it is given by the sums of the rows, in place.
    theirs, _ = ec.bayes_decisions(P.copy(), ec.CostMatrix(costs(cost, 4)), score_type="posteriors")
    found = properly.decisions.decide(P, costs(cost, 4))
    np.testing.assert_array_equal(found, theirs)
    assert len(set(found.tolist())) > 2


# Penalized scores. The published package computes with TensorFlow, in single precision; its lines
# are run here with numpy in the place of that, so that nothing heavy has to be installed.


class Tensor(np.ndarray[Any, Any]):
    """An array that can be asked for its shape as a tensor can."""

    def get_shape(self) -> tuple[int, ...]:
        return tuple(self.shape)


def crossentropy(y: Any, q: Any) -> Any:
    """Rescale rows and clip them, as Keras documents."""
    q = np.clip(q / q.sum(axis=-1, keepdims=True), 1e-7, 1 - 1e-7)
    return -(y * np.log(q)).sum(axis=-1)


def numpy_as_tensorflow() -> Any:
    return SimpleNamespace(
        float32=np.float32,
        cast=lambda x, dtype: np.asarray(x, dtype).view(Tensor),
        constant=np.asarray,
        where=np.where,
        reduce_sum=np.sum,
        math=SimpleNamespace(
            subtract=np.subtract, ceil=np.ceil, square=np.square, reduce_mean=np.mean
        ),
        keras=SimpleNamespace(losses=SimpleNamespace(categorical_crossentropy=crossentropy)),
    )


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Import the package of the paper's authors, and forget it afterwards."""
    monkeypatch.setitem(sys.modules, "tensorflow", numpy_as_tensorflow())
    name = "superior_scoring_rules"
    yield peer(name)
    for module in [name, f"{name}.{name}"]:
        sys.modules.pop(module, None)
    importlib.invalidate_caches()


# Single precision has seven digits.
SINGLE = 2e-6


@pytest.mark.parametrize("classes", CLASSES)
def test_the_penalized_scores_can_be_those_of_the_published_code(
    published: Any, classes: int
) -> None:
    y, P = sample(classes)
    # Sixteenths are the same numbers in single precision: a tie is a tie on both sides.
    rows, q = np.eye(classes), P.astype(np.float32)
    for k, p, single in zip(y, P, q, strict=True):
        theirs = published.pbs(rows[[k]], single[None, :])
        close(PBS(ties="any_correct", scale="published_code")([k], p[None, :]), theirs, SINGLE)
    possible = P[np.arange(len(y)), y] > 0
    y, P, q = y[possible], P[possible], q[possible]
    for k, p, single in zip(y, P, q, strict=True):
        theirs = published.pll(rows[[k]], single[None, :])
        close(PLL(ties="any_correct")([k], p[None, :]), theirs, SINGLE)


def test_their_means_are_ours(published: Any) -> None:
    rng = np.random.default_rng(21)
    P, y = rng.dirichlet(np.ones(6), 300), rng.integers(0, 6, 300)
    y[:150] = P[:150].argmax(axis=1)
    q = P.astype(np.float32)
    rule = PBS(ties="any_correct", scale="published_code")
    close(rule(y, P), published.pbs(np.eye(6)[y], q), 1e-5)
    close(PLL(ties="any_correct")(y, P), published.pll(np.eye(6)[y], q), 1e-5)


def test_the_published_scale_weighs_the_penalty_more_than_the_formula_does(published: Any) -> None:
    y, P = [0], np.array([[0.25, 0.5, 0.25]])
    brier, penalty = 0.75**2 + 0.5**2 + 0.25**2, 2 / 3
    close(published.pbs(np.eye(3)[y], P.astype(np.float32)), brier / 3 + penalty, SINGLE)
    close(PBS()(y, P), brier + penalty)
    close(PBS(scale="algorithm2")(y, P), (brier + penalty) / 3)


def test_the_published_code_clips_and_we_do_not(published: Any) -> None:
    y, P = [0], np.array([[0.0, 0.75, 0.25]])
    theirs = float(published.pll(np.eye(3)[y], P.astype(np.float32)))
    assert theirs == pytest.approx(-math.log(1e-7) + math.log(3), rel=1e-5)
    assert PLL(ties="any_correct")(y, P) == math.inf
