"""Comparisons where some did not answer: what each way uses, and what it says."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import properly
from properly.errors import DataError
from properly.rules import Brier, Log

pytestmark = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")

QUESTIONS = 40
WAYS = ("two-way", "pairwise", "complete")
every_way = pytest.mark.parametrize("missing", WAYS)


def drawn(seed: int = 1, names: str = "abc", gaps: float = 0.3) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(QUESTIONS) % 2)
    p = {name: rng.uniform(0.05, 0.95, QUESTIONS) for name in names}
    return y, {k: np.where(rng.random(QUESTIONS) < gaps, np.nan, x) for k, x in p.items()}


def compare(y: Any, p: Any = None, **options: Any) -> Any:
    how: Any = {"rng": 1, "method": "t"} | options
    return properly.compare(y, p, **how)


def certain() -> tuple[Any, dict[str, Any]]:
    y, p = drawn()
    common = np.flatnonzero(~np.isnan(np.array(list(p.values()))).any(axis=0))
    p["b"][common[0]] = 1 - y[common[0]]
    return y, p


@every_way
def test_long_and_wide_tables_say_the_same(missing: str) -> None:
    y, p = drawn()
    known: dict[str, Any] = {"weight": np.arange(QUESTIONS) % 3 + 1.0}
    answers = properly.Answers.from_wide(y, p, **known)
    one, two = compare(answers, missing=missing), compare(y, p, missing=missing, **known)
    np.testing.assert_array_equal(one.difference, two.difference)
    np.testing.assert_array_equal(one.standard_error, two.standard_error)
    assert one.design == two.design


def test_gaps_are_refused_unless_something_is_said_about_them() -> None:
    y, p = drawn()
    answers = properly.Answers.from_wide(y, p)
    with pytest.raises(DataError, match="all must have answered the same questions"):
        compare(answers)
    with pytest.raises(DataError, match="nan"):
        compare(y, p)
    full = drawn(gaps=0)
    one, two = compare(properly.Answers.from_wide(*full)), compare(*full)
    np.testing.assert_array_equal(one.difference, two.difference)


def test_each_pair_is_compared_on_its_own_questions() -> None:
    y, p = drawn()
    found = compare(y, p, missing="pairwise")
    for pair in found:
        one, two = p[pair.first], p[pair.second]
        both = ~np.isnan(one) & ~np.isnan(two)
        expected = stats.ttest_rel((one - y)[both] ** 2, (two - y)[both] ** 2)
        assert pair.common == both.sum()
        assert pair.p_value == pytest.approx(expected.pvalue, rel=1e-9)
        assert f"{both.sum()} cases in common" in str(pair)


def test_pairwise_differences_need_not_add_up_and_two_way_ones_do() -> None:
    y, p = drawn()
    for missing in WAYS:
        found = compare(y, p, missing=missing)
        ab, bc, ac = (found[x].difference for x in (("a", "b"), ("b", "c"), ("a", "c")))
        assert (abs(ab + bc - ac) < 1e-12) == (missing != "pairwise")


@every_way
def test_infinite_losses_are_said(missing: str) -> None:
    found = compare(*certain(), rule=Log(), missing=missing)
    assert found["a", "b"].difference == -math.inf
    assert found["b", "c"].difference == math.inf
    assert math.isfinite(found["a", "c"].difference)
    assert math.isnan(found["a", "b"].p_value)
    assert "infinite" in str(found["a", "b"])
    assert found.scores["b"].value == math.inf
    json.dumps(found.to_dict(), allow_nan=False)


def test_between_parts_nothing_is_compared() -> None:
    y, p = drawn(names="abcd", gaps=0)
    half = np.arange(QUESTIONS) < QUESTIONS // 2
    parts = {name: np.where(half if name in "ab" else ~half, x, np.nan) for name, x in p.items()}
    for missing in ("two-way", "pairwise"):
        found = compare(y, parts, missing=missing)
        assert math.isnan(found["a", "c"].difference)
        assert math.isnan(found["a", "c"].adjusted_p_value)
        assert "cannot be compared" in str(found["a", "c"])
        assert math.isfinite(found["c", "d"].standard_error)
        # Those that cannot be compared are no pairs to adjust for.
        alone = found["a", "b"].p_value, found["c", "d"].p_value
        assert found["a", "b"].adjusted_p_value <= 2 * max(alone) + 1e-12


def test_the_way_to_allow_for_time_is_not_changed_silently() -> None:
    y, p = drawn(gaps=0.02)
    known: dict[str, Any] = {"time": np.arange(QUESTIONS), "missing": "complete"}
    one, two = (compare(y, p, **known, serial=x) for x in ("cosines", "newey-west"))
    assert (one.standard_error != two.standard_error).all()
    with pytest.raises(DataError, match="got serial='newey-west'"):
        compare(y, p, **known | {"missing": "two-way"}, serial="newey-west")


def test_losses_averaged_over_time_are_not_paired_row_by_row() -> None:
    # Both changed their forecasts, at different times: their rows are not about the same.
    rows: dict[str, Any] = {
        "question": np.repeat(np.arange(12), 4),
        "forecaster": list("AABB") * 12,
        "probability": np.random.default_rng(1).uniform(0.1, 0.9, 48),
        "outcome": np.repeat(np.arange(12) % 2, 4),
        "time": [0, 2, 0, 8] * 12,
        "opens": [0] * 48,
        "closes": [10] * 48,
    }
    answers = properly.Answers(**rows, repeated="mean-loss")
    for missing in ("refuse", "complete", "pairwise"):
        with pytest.raises(DataError, match="compared by two-way effects"):
            compare(answers, missing=missing)
    p, y = rows["probability"].reshape(12, 2, 2), np.arange(12) % 2
    loss = (p - y[:, None, None]) ** 2
    mean = loss[:, :, 0] * [0.2, 0.8] + loss[:, :, 1] * [0.8, 0.2]
    pair = compare(answers, missing="two-way", rule=Brier())["A", "B"]
    expected = stats.ttest_rel(mean[:, 0], mean[:, 1])
    assert pair.difference == pytest.approx((mean[:, 0] - mean[:, 1]).mean(), rel=1e-12)
    assert pair.p_value == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_without_gaps_all_pairs_reach_as_far_at_once(weighted: bool) -> None:
    rng = np.random.default_rng(5)
    truth = rng.beta(2, 3, 240)
    y, weight = rng.random(240) < truth, rng.gamma(2.0, size=240) if weighted else None
    noisy = np.clip(truth + rng.normal(0, 0.15, 240), 0.01, 0.99)
    models = {"a": truth, "b": noisy, "c": rng.uniform(0.05, 0.95, 240)}
    reach = []
    for missing in ("refuse", "pairwise"):
        found = properly.compare(y, models, weight=weight, rng=1, missing=missing)
        reach.append((found.simultaneous[:, 1] - found.difference) / found.standard_error)
    assert (reach[0] > 2.2).all()
    # Both quantiles are of draws, a hundredth apart.
    np.testing.assert_allclose(reach[1], reach[0], rtol=0.02)


def lopsided() -> tuple[Any, tuple[Any, Any]]:
    """Let the second answer what is hard, and so well that on all it would lose less than 0."""
    rng = np.random.default_rng(5)
    y = rng.permutation(np.arange(QUESTIONS) % 2)
    hard = np.arange(QUESTIONS) < QUESTIONS // 2
    wrong = np.where(hard, rng.uniform(0.6, 0.8, QUESTIONS), rng.uniform(0, 0.05, QUESTIONS))
    right = np.where(hard, rng.uniform(0, 0.05, QUESTIONS), np.nan)
    return y, (np.abs(y - wrong), np.abs(y - right))


def test_a_ratio_turned_round_has_the_error_of_its_inverse() -> None:
    y, p = lopsided()
    one, two = (
        compare(y, dict(zip("ab", models, strict=True)), missing="two-way")["a", "b"]
        for models in (p, p[::-1])
    )
    assert one.ratio < 0
    assert two.ratio == pytest.approx(1 / one.ratio, rel=1e-12)
    assert two.ratio_error > 0
    assert one.ratio_error == pytest.approx(two.ratio_error / two.ratio**2, rel=1e-9)
