"""How sure one may be of tensors is what it is of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import properly
from properly import Cases, Tally
from properly.rules import RPS, Brier, Log

torch = pytest.importorskip(
    "torch", reason="torch is not installed; `make test-integrations` installs it"
)

N = 300
RNG = np.random.default_rng(1)
Y = RNG.random(N) < 0.4
P = np.clip(np.round(np.where(Y, RNG.beta(4, 3, N), RNG.beta(2, 4, N)), 2), 0.01, 0.99)
Q = np.clip(np.round(P + RNG.normal(0, 0.1, N), 2), 0.01, 0.99)
WEIGHT = np.round(RNG.exponential(size=N) + 0.1, 3)
CLUSTERS = np.arange(N) // 5
STRATA = np.arange(N) // 100
DAYS = np.arange(N)
GRADES = RNG.dirichlet([2, 1, 1], N)
GRADE = np.array([RNG.choice(3, p=row) for row in GRADES])
DRAWN: dict[str, Any] = {"replicates": 39, "rng": 1}

KINDS: dict[str, Callable[[Any], Any]] = {
    "float64": torch.tensor,
    "with gradient": lambda x: torch.tensor(x, requires_grad=x.dtype.kind == "f"),
}


def single(x: Any) -> Any:
    """Make tensors of half as many digits."""
    return torch.tensor(np.float32(x) if x.dtype.kind == "f" else x)


def numbers(told: Any) -> Iterator[float]:
    """Walk through all numbers of a record."""
    if isinstance(told, dict | list):
        for x in told.values() if isinstance(told, dict) else told:
            yield from numbers(x)
    elif isinstance(told, int | float):
        yield float(told)


def assert_same_numbers(one: Any, other: Any) -> None:
    """Compare all numbers but for the last digits: sums are taken in another order."""
    found, expected = (list(numbers(x.to_dict())) for x in (one, other))
    assert len(found) > 1
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-15)


def assert_the_same(one: Any, other: Any) -> None:
    """Compare all numbers, and the words."""
    assert_same_numbers(one, other)
    assert str(one) == str(other)


def observed_to_expected(cases: Any) -> Any:
    """Weigh events against forecasts: a statistic of one's own, in whatever library."""
    return (cases.weight * cases.y).sum() / (cases.weight * cases.p).sum()


# Of one model

DESIGNS: dict[str, dict[str, Any]] = {
    "independent": {},
    "weights": {"weight": WEIGHT},
    "clusters": {"weight": WEIGHT, "clusters": CLUSTERS},
    "strata": {"clusters": CLUSTERS, "strata": STRATA},
    "times": {"time": DAYS},
}
ANY_DESIGN: dict[str, Callable[[Tally | Cases], Any]] = {
    "score": lambda x: properly.score_interval(x, Log()),
    "skill": lambda x: properly.inference.skill_interval(x, Brier()),
    "area": properly.inference.auc_interval,
    "net benefit": lambda x: properly.inference.net_benefit_interval(x, 0.3, standardized=True),
    "bootstrap": lambda x: properly.inference.bootstrap(x, Brier(), **DRAWN),
    "bootstrap of areas": lambda x: properly.inference.bootstrap(x, "auc", method="basic", **DRAWN),
    "summary": lambda x: properly.calibration_summary(x, **DRAWN),
}
STATISTICS: tuple[Any, ...] = (
    *("combined", "mcb", "score", "spiegelhalter", "cox", "citl", "ks", "kuiper"),
    "hosmer-lemeshow",
)
INDEPENDENT: dict[str, Callable[[Tally | Cases], Any]] = {
    "reference": lambda x: properly.inference.skill_interval(x, Brier(), reference=0.25),
    "studentized": lambda x: properly.inference.bootstrap(
        x, Brier(), method="studentized", **DRAWN
    ),
    "lowess": lambda x: properly.calibration_summary(x, fit="lowess", **DRAWN),
    "isotonic": lambda x: properly.calibration_summary(x, fit="isotonic", **DRAWN),
    "error": lambda x: properly.calibration.calibration_error(x, bins=7, scheme="count"),
    **{name: partial(properly.calibration_test, statistic=name, **DRAWN) for name in STATISTICS},
}
BANDS: dict[str, Callable[[Tally | Cases], Any]] = {
    "consistency": lambda x: properly.reliability(x, band="consistency", **DRAWN),
    "confidence": lambda x: properly.reliability(x, band="confidence"),
    "murphy": lambda x: properly.murphy_curve(x, band="confidence"),
    "roc": lambda x: properly.roc_curve(x, band="confidence"),
    "intervals": lambda x: properly.decompose(x, Log(), interval=True, **DRAWN),
}
CURVES: dict[str, Callable[[Tally], Any]] = {
    **BANDS,
    "simultaneous": lambda x: properly.reliability(x, band="simultaneous"),
    "continuous": lambda x: properly.reliability(x, band="consistency", method="continuous"),
    "classical": properly.calibration.murphy_decomposition,
    "miscalibration": lambda x: properly.murphy_curve(x, part="miscalibration"),
    "hull": lambda x: properly.roc_curve(x, hull=True),
    "means": lambda x: properly.means(x, interval=True, **DRAWN),
    "kernel": lambda x: properly.means(x, source="kernel", precision=0.01),
    "table": lambda x: properly.probability.source_table(x, precision=0.01),
    "profile": lambda x: properly.probability.risk_profile(x, [-1, 0, 1]),
    "proper": properly.probability.proper_means,
    "predicted": properly.decisions.predicted_roc_curve,
    "binned": lambda x: properly.calibration.binned_reliability(x, scheme="count"),
}


def cases_of(make: Callable[[Any], Any], known: dict[str, Any], p: Any = P) -> Cases:
    return Cases(make(Y), make(p), **{name: make(column) for name, column in known.items()})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", ANY_DESIGN)
def test_tensors_of_any_design_say_as_much_as_arrays(name: str, design: str, kind: str) -> None:
    known, ask = DESIGNS[design], ANY_DESIGN[name]
    tensors = cases_of(KINDS[kind], known)
    assert isinstance(tensors.p, torch.Tensor)
    assert_the_same(ask(tensors), ask(cases_of(np.asarray, known)))


@pytest.mark.parametrize("name", INDEPENDENT)
def test_tallies_and_cases_of_tensors_say_as_much_as_those_of_arrays(name: str) -> None:
    ask = INDEPENDENT[name]
    arrays, tensors = cases_of(np.asarray, {}), cases_of(torch.tensor, {})
    assert_the_same(ask(tensors), ask(arrays))
    assert_the_same(ask(tensors.tally()), ask(arrays.tally()))


@pytest.mark.parametrize("name", CURVES)
def test_curves_of_a_tally_of_tensors_are_those_of_arrays(name: str) -> None:
    arrays, tensors = properly.tally(Y, P), properly.tally(torch.tensor(Y), torch.tensor(P))
    assert isinstance(tensors.value, torch.Tensor)
    assert_same_numbers(CURVES[name](tensors), CURVES[name](arrays))


@pytest.mark.parametrize("name", BANDS)
def test_bands_of_cases_of_tensors_are_those_of_arrays(name: str) -> None:
    known = {"weight": WEIGHT, "clusters": CLUSTERS}
    arrays, tensors = (cases_of(make, known) for make in (np.asarray, torch.tensor))
    assert_same_numbers(BANDS[name](tensors), BANDS[name](arrays))


@pytest.mark.parametrize("name", [*ANY_DESIGN, "cox", "mcb", "error"])
def test_single_precision_is_that_of_arrays(name: str) -> None:
    ask = (ANY_DESIGN | INDEPENDENT)[name]
    arrays = Cases(Y, np.float32(P))
    assert_the_same(ask(cases_of(single, {})), ask(arrays))


# Of several models, groups and folds

COMPARED: dict[str, dict[str, Any]] = {
    "independent": {},
    "clusters in strata": {"weight": WEIGHT, "clusters": CLUSTERS, "strata": STRATA},
    "times": {"time": DAYS},
}


@pytest.mark.parametrize("kind", [*KINDS, "float32"])
@pytest.mark.parametrize("design", COMPARED)
@pytest.mark.parametrize("rule", [Brier(), "auc"], ids=["brier", "auc"])
def test_models_of_tensors_compare_as_those_of_arrays(rule: Any, design: str, kind: str) -> None:
    make: Callable[[Any], Any] = single if kind == "float32" else KINDS[kind]
    # Only forecasts lose digits.
    plain = np.float32 if kind == "float32" else np.asarray
    known = COMPARED[design]
    tensors = {name: torch.tensor(column) for name, column in known.items()}
    one = properly.compare(
        make(Y), {"p": make(P), "q": make(Q)}, rule=rule, rng=1, margin=0.01, **tensors
    )
    other = properly.compare(
        Y, {"p": plain(P), "q": plain(Q)}, rule=rule, rng=1, margin=0.01, **known
    )
    assert_the_same(one, other)


def test_one_model_may_come_as_an_array_and_the_other_as_a_tensor() -> None:
    one = properly.compare(Y, {"p": P, "q": torch.tensor(Q)}, rule=Brier(), rng=1)
    other = properly.compare(Y, {"p": torch.tensor(P), "q": Q}, rule=Brier(), rng=1)
    assert_the_same(one, other)


def test_classes_of_tensors_are_tested_and_summarised_as_those_of_arrays() -> None:
    one, other = (Cases(make(GRADE), make(GRADES)) for make in (torch.tensor, np.asarray))
    for ask in (
        lambda x: properly.calibration_test(x, **DRAWN),
        lambda x: properly.score_interval(x, RPS()),
    ):
        assert_the_same(ask(one), ask(other))


def dominance(design: dict[str, Any], make: Callable[[Any], Any]) -> Any:
    first, second = cases_of(make, design), cases_of(make, design, Q)
    return properly.decisions.dominance(first, second, thresholds=make(P[:20]), **DRAWN)


BY_MODEL: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "reference": lambda make: properly.inference.skill_interval(
        cases_of(make, {}), Brier(), reference=make(Q)
    ),
    "own statistic": lambda make: properly.inference.bootstrap(
        cases_of(make, {"weight": WEIGHT, "clusters": CLUSTERS}), observed_to_expected, **DRAWN
    ),
    "classes": lambda make: properly.compare(
        make(GRADE), {"a": make(GRADES), "b": make(GRADES[::-1].copy())}, rule=RPS(), rng=1
    ),
    "groups": lambda make: properly.by_group(
        cases_of(make, {"groups": DAYS % 3, "clusters": CLUSTERS, "weight": WEIGHT}),
        Brier(), **DRAWN,
    ),
    "folds": lambda make: properly.by_fold(
        make(Y), {"p": make(P), "q": make(Q)}, make(CLUSTERS % 5), rule=Brier(),
        weight=make(WEIGHT), clusters=make(CLUSTERS), rng=1,
    ),
    "set": lambda make: properly.comparison.confidence_set(
        make(Y), {"p": make(P), "q": make(Q)}, rule=Brier(), time=make(DAYS), **DRAWN
    ),
    **{
        f"dominance, {name}": partial(dominance, DESIGNS[name])
        for name in ("independent", "clusters", "times")
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BY_MODEL)
def test_what_is_said_of_models_in_tensors_is_that_of_arrays(name: str, kind: str) -> None:
    assert_the_same(BY_MODEL[name](KINDS[kind]), BY_MODEL[name](np.asarray))
