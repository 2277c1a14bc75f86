"""Scores, skills and comparisons from sums are those of the rows."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.sums_of_rows import sum_rows

from properly import Cases, compare, score_interval
from properly._boundary._notices import collected
from properly.comparison._differences import sign_flip
from properly.comparison._pair_tests import most_signs
from properly.evaluation._summed_scores import compare_sums, summed_score_and_skill
from properly.inference import skill_interval
from properly.rules import RPS, Brier, Log

if TYPE_CHECKING:
    from properly.engines._score_sums import ScoreSums

CLOSE = 1e-10
RNG = np.random.default_rng(20)
N = 600
Y = RNG.random(N) < 0.35
MODELS = {
    name: np.clip(RNG.beta(2, 3, N) * 0.7 + pull * Y, 0.01, 0.99)
    for name, pull in (("a", 0.3), ("b", 0.25), ("c", 0.0))
}
WEIGHT = np.where(RNG.random(N) < 0.1, 0.0, RNG.exponential(size=N))
CLUSTERS = RNG.integers(0, 60, N)
DESIGNS: dict[str, dict[str, Any]] = {
    "independent": {},
    "weighted": {"weight": WEIGHT},
    "clusters": {"clusters": CLUSTERS},
    "weighted clusters": {"weight": WEIGHT, "clusters": CLUSTERS},
}
GRADE = RNG.integers(0, 3, N)
TABLES = {name: RNG.dirichlet((1, 2, 2), N) + 0.5 * np.eye(3)[GRADE] for name in "ab"}
TABLES = {name: table / table.sum(axis=1, keepdims=True) for name, table in TABLES.items()}

designs = pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)


def summed(
    y: Any, models: dict[str, Any], rules: list[Any], design: dict[str, Any], **options: Any
) -> ScoreSums:
    """Sum the rows."""
    rest = {"clusters": design.get("clusters")} | options
    return sum_rows(tuple(models), rules, y, models, design.get("weight"), **rest)


def score_of(*given: Any) -> Any:
    return summed_score_and_skill(*given)[0]


def skill_of(*given: Any) -> Any:
    return summed_score_and_skill(*given)[1]


def require_same(found: Any, expected: Any, within: float = CLOSE) -> None:
    """Compare two records, field by field."""
    for name, known in vars(expected).items():
        got = getattr(found, name)
        if name == "scores":
            for model, estimate in known.items():
                require_same(got[model], estimate, within)
        elif isinstance(known, np.ndarray | float | tuple) and name not in (
            "models",
            "pairs",
            "methods",
        ):
            np.testing.assert_allclose(got, known, rtol=within, atol=1e-14, err_msg=name)
        else:
            assert got == known, name


# The same as the rows


@designs
@pytest.mark.parametrize("rule", [Brier(), Log()], ids=repr)
def test_scores_and_skills_are_those_of_the_rows(rule: Any, design: dict[str, Any]) -> None:
    sums = summed(Y, MODELS, [Log(), Brier()], design)
    for name, p in MODELS.items():
        cases = Cases(Y, p, **design)
        require_same(score_of(sums, name, rule, 0.9), score_interval(cases, rule, level=0.9))
        require_same(skill_of(sums, name, rule, 0.9), skill_interval(cases, rule, level=0.9))


@designs
@pytest.mark.parametrize("rule", [Brier(), Log()], ids=repr)
def test_comparisons_are_those_of_the_rows(rule: Any, design: dict[str, Any]) -> None:
    sums = summed(Y, MODELS, [Brier(), Log()], design)
    found = compare_sums(sums, rule, level=0.9, rng=1)
    expected = compare(Y, MODELS, rule=rule, level=0.9, rng=1, **design)
    require_same(found, expected)
    assert str(found) == str(expected)


@designs
def test_scores_and_comparisons_of_classes_are_those_of_the_rows(design: dict[str, Any]) -> None:
    sums = summed(GRADE, TABLES, [RPS(), Log()], design, classes=3)
    for rule in sums.rules:
        cases = Cases(GRADE, TABLES["a"], **design)
        require_same(score_of(sums, "a", rule), score_interval(cases, rule))
        found, expected = skill_of(sums, "a", rule), skill_interval(cases, rule)
        if "clusters" in design:
            assert found.value == pytest.approx(expected.value, rel=CLOSE)
            assert all(map(math.isnan, (found.standard_error, *found.interval)))
            assert found.method == "no interval: sums of clusters do not tell that of classes"
        else:
            require_same(found, expected)
        together = compare_sums(sums, rule, rng=1)
        require_same(together, compare(GRADE, TABLES, rule=rule, rng=1, **design))


@designs
def test_sums_of_batches_say_what_the_rows_say(design: dict[str, Any]) -> None:
    whole = summed(Y, MODELS, [Log()], design)
    if "clusters" in design:
        order = np.argsort(CLUSTERS, kind="stable")[::-1]
        known = {name: column[order] for name, column in design.items()}
        again = summed(Y[order], {k: p[order] for k, p in MODELS.items()}, [Log()], known)
    else:
        parts = [slice(start, start + 170) for start in range(0, N, 170)]
        weight = design.get("weight", np.ones(N))
        pieces = [
            summed(Y[x], {k: p[x] for k, p in MODELS.items()}, [Log()], {"weight": weight[x]})
            for x in parts
        ]
        again = sum(pieces[1:], pieces[0])
    require_same(score_of(again, "a", Log()), score_of(whole, "a", Log()), within=1e-12)
    require_same(skill_of(again, "a", Log()), skill_of(whole, "a", Log()), within=1e-12)
    found, expected = (compare_sums(x, Log(), rng=3) for x in (again, whole))
    require_same(found, expected, within=1e-12)


# Infinite losses


@designs
def test_infinite_losses_are_told_as_of_the_rows(design: dict[str, Any]) -> None:
    heavy = np.flatnonzero(WEIGHT > 0)
    models = {name: p.copy() for name, p in MODELS.items()}
    models["a"][heavy[Y[heavy]][:3]] = 0.0
    models["b"][heavy[~Y[heavy]][:2]] = 1.0
    # A certain and wrong forecast that weighs nothing costs nothing.
    models["c"][np.flatnonzero((WEIGHT == 0) & Y)[:1]] = 0.01 if "weight" not in design else 0.0
    sums = summed(Y, models, [Log()], design)
    for name, p in models.items():
        cases = Cases(Y, p, **design)
        require_same(score_of(sums, name, Log()), score_interval(cases, Log()))
        require_same(skill_of(sums, name, Log()), skill_interval(cases, Log()))
    found = compare_sums(sums, Log(), rng=1)
    require_same(found, compare(Y, models, rule=Log(), rng=1, **design))
    assert found.scores["a"].infinite_cases == 3
    assert found["c", "a"].difference == -math.inf


def test_a_reference_that_is_infinite_leaves_no_interval() -> None:
    class Harsh(Brier):
        """Charge infinitely much for every forecast above a quarter of what did not happen."""

        def loss_if_none(self, p: Any) -> Any:
            return np.where(p > 0.25, np.inf, p)

    sums = summed(Y, {"a": np.where(Y, 0.9, 0.1)}, [Harsh()], {})
    found = skill_of(sums, "a", Harsh())
    assert found.method == "the reference has an infinite score"
    require_same(found, skill_interval(Cases(Y, np.where(Y, 0.9, 0.1)), Harsh()))


# Little that differs


@designs
def test_equal_models_never_differ(design: dict[str, Any]) -> None:
    twins = {"a": MODELS["a"], "b": MODELS["a"].copy(), "c": MODELS["b"]}
    found = compare_sums(summed(Y, twins, [Log()], design), Log(), rng=1)
    pair = found["a", "b"]
    assert (pair.difference, pair.standard_error, pair.p_value, pair.differing) == (0, 0, 1, 0)
    require_same(found, compare(Y, twins, rule=Log(), rng=1, **design))


def exact_error(amount: list[Fraction], weight: list[Fraction]) -> float:
    """Find the standard error of a mean of independent cases with fractions."""
    total, n = sum(weight), len(weight)
    mean = sum(w * x for w, x in zip(weight, amount, strict=True)) / total
    square = sum((w * (x - mean)) ** 2 for w, x in zip(weight, amount, strict=True)) / total**2
    return math.sqrt(square * n / (n - 1))


@pytest.mark.parametrize("weight", [np.ones(150), WEIGHT[:150] + 0.1], ids=["equal", "weighted"])
def test_nearly_equal_models_keep_their_digits(weight: Any) -> None:
    y, p = Y[:150], MODELS["a"][:150]
    near = {"a": p, "b": p * (1 + 1e-7 * RNG.normal(size=150))}
    found = compare_sums(summed(y, near, [Log()], {"weight": weight}), Log(), rng=1)
    w, first, second = (
        [Fraction(x) for x in column.tolist()]
        for column in (weight, *(np.asarray(Log().loss(y, p)) for p in near.values()))
    )
    apart = [a - b for a, b in zip(first, second, strict=True)]
    assert found.standard_error[0] == pytest.approx(exact_error(apart, w), rel=1e-7)
    below = sum((x * b for x, b in zip(w, second, strict=True)), Fraction(0))
    # Few digits of the ratio itself are needed, and all of how far it is from 1.
    off = Fraction(float(sum(x * d for x, d in zip(w, apart, strict=True)) / below))
    relative = [d - off * b for d, b in zip(apart, second, strict=True)]
    error = exact_error(relative, w) * float(sum(w) / below)
    assert found.ratio_error[0] == pytest.approx(error, rel=1e-6)


def test_a_difference_that_is_the_same_in_all_cases_has_no_error() -> None:
    shifted = {"a": np.where(Y, 0.5, 0.5), "b": np.where(Y, 0.3, 0.7)}
    found = compare_sums(summed(Y, shifted, [Log()], {"weight": WEIGHT}), Log(), rng=1)
    assert found.standard_error[0] == 0
    assert math.isnan(found.p_value[0])
    require_same(found, compare(Y, shifted, rule=Log(), rng=1, weight=WEIGHT))


def test_few_cases_that_differ_get_a_bound_on_changes_of_sign() -> None:
    changed = MODELS["a"].copy()
    changed[:8] = np.where(Y[:8], changed[:8] - 0.2, changed[:8] + 0.2).clip(0.01, 0.99)
    models = {"a": MODELS["a"], "b": changed}
    found = compare_sums(summed(Y, models, [Brier()], {}), Brier(), rng=1)
    rows = compare(Y, models, rule=Brier(), rng=1)
    assert found.differing[0] == 8
    assert found.methods == ("sign flips, bounded",)
    assert rows.methods == ("sign flips",)
    assert rows.p_value[0] <= found.p_value[0] < 0.1
    np.testing.assert_allclose(found.interval, rows.interval, rtol=CLOSE)


@examples(60)
@given(st.lists(st.floats(-10, 10).filter(lambda x: abs(x) > 1e-3), min_size=1, max_size=7))
def test_changes_of_sign_never_go_beyond_their_bound(terms: list[float]) -> None:
    x = np.array(terms)
    exact = sign_flip(x, 1, np.random.default_rng(1)).p_value
    assert exact <= most_signs(x.sum() / math.sqrt(x @ x)) * (1 + 1e-12)


# Little that is known, and much


@pytest.mark.parametrize(
    ("rows", "known"),
    [
        (slice(30), {}),
        (slice(30), {"weight": WEIGHT[:30] + 0.1}),
        (slice(N), {"clusters": CLUSTERS % 5}),
        (slice(N), {"clusters": np.where(CLUSTERS < 40, 0, CLUSTERS)}),
    ],
    ids=["few cases", "few by weight", "few clusters", "uneven clusters"],
)
def test_few_cases_and_few_clusters_are_warned_of_as_with_rows(rows: Any, known: Any) -> None:
    models = {name: p[rows] for name, p in MODELS.items()}
    sums = summed(Y[rows], models, [Brier()], known)
    cases = Cases(Y[rows], models["a"], **known)
    with collected() as expected:
        score_interval(cases, Brier())
    assert expected
    for ask in (
        lambda: score_of(sums, "a", Brier()),
        lambda: skill_of(sums, "a", Brier()),
        lambda: compare_sums(sums, Brier(), rng=1),
    ):
        with collected() as found:
            ask()
        assert found == expected
