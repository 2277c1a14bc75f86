"""Differences of areas under ROC curves, in the evaluation, its JSON and on the page."""

from __future__ import annotations

import json
import math
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtri, stdtr

import properly
from properly.counts._pooling import order_of
from properly.report._page import page

if TYPE_CHECKING:
    from properly.typing import Column

CASES = 160


def data(seed: int = 0) -> tuple[Column, dict[str, Column]]:
    """Draw cases, and three models: one continuous, two with ties within and between outcomes."""
    rng = np.random.default_rng(seed)
    z = rng.normal(-0.5, 1.2, CASES)
    y = rng.random(CASES) < 1 / (1 + np.exp(-z))
    sharp, vague, rough = (1 / (1 + np.exp(-z - s * rng.normal(size=CASES))) for s in (0.3, 1, 2))
    return y, {"vague": np.round(vague, 1), "sharp": sharp, "rough": np.round(rough, 2)}


def placements(y: Column, p: Column) -> tuple[Column, Column]:
    """Go through all pairs of a case with the event and one without, as the definition has it."""
    wins = [[(x > z) + (x == z) / 2 for z in p[~y]] for x in p[y]]
    return np.mean(wins, axis=1), np.mean(wins, axis=0)


def delong(y: Column, models: list[Column]) -> tuple[Column, Column]:
    """Return the areas and their covariance matrix: of placements, over the number of each."""
    both = [placements(y, p) for p in models]
    area = np.array([events.mean() for events, _ in both])
    sides = (np.array([pair[k] for pair in both]) for k in (0, 1))
    return area, sum((np.atleast_2d(np.cov(v)) / v.shape[1] for v in sides), np.zeros(()))


def evaluated(**options: Any) -> properly.Evaluation:
    y, forecasts = data()
    return properly.evaluate(y, forecasts, replicates=0, progress=False, **options)


def test_differences_are_delongs_with_ties() -> None:
    y, forecasts = data()
    result = evaluated().auc_differences
    assert result is not None
    area, joint = delong(y, list(forecasts.values()))
    names = list(forecasts)
    for pair in result:
        i, j = names.index(pair.first), names.index(pair.second)
        variance = joint[i, i] + joint[j, j] - 2 * joint[i, j]
        assert pair.difference == pytest.approx(area[i] - area[j], abs=1e-10)
        assert pair.standard_error == pytest.approx(math.sqrt(variance), abs=1e-10)
        half = ndtri(0.975) * math.sqrt(variance)
        assert pair.interval == pytest.approx(
            (area[i] - area[j] - half, area[i] - area[j] + half), abs=1e-10
        )
        z = (area[i] - area[j]) / math.sqrt(variance)
        assert pair.p_value == pytest.approx(2 * stdtr(np.inf, -abs(z)), abs=1e-10)


def test_clusters_add_up_placements_and_variances_are_of_both_less_twice_what_they_share() -> None:
    y, forecasts = data(1)
    cluster = np.arange(CASES) // 4
    e = properly.evaluate(y, forecasts, replicates=0, clusters=cluster)
    assert e.auc_differences is not None
    total = {}
    for name, p in forecasts.items():
        events, others = placements(y, p)
        influence = np.empty(CASES)
        influence[y] = (events - events.mean()) / len(events)
        influence[~y] = (others - others.mean()) / len(others)
        total[name] = np.bincount(cluster, influence)
    clusters = CASES / 4
    for pair in e.auc_differences:
        a, b = total[pair.first], total[pair.second]
        own = [e.aucs[name].standard_error ** 2 for name in (pair.first, pair.second)]
        joint = clusters / (clusters - 1) * (a @ b)
        assert own[0] == pytest.approx(clusters / (clusters - 1) * (a @ a), rel=1e-10)
        assert pair.standard_error**2 == pytest.approx(sum(own) - 2 * joint, abs=1e-14)
        apart = e.aucs[pair.first].value - e.aucs[pair.second].value
        assert pair.difference == pytest.approx(apart, abs=1e-14)


def test_equal_weights_are_none() -> None:
    alone, weighted = evaluated().auc_differences, evaluated(weight=np.full(CASES, 2.5))
    assert alone is not None
    assert weighted.auc_differences is not None
    np.testing.assert_allclose(weighted.auc_differences.difference, alone.difference, atol=1e-14)
    np.testing.assert_allclose(
        weighted.auc_differences.standard_error, alone.standard_error, atol=1e-14
    )


def test_a_model_does_not_differ_from_itself() -> None:
    y, forecasts = data()
    p = forecasts["vague"]
    # The order is all that counts.
    e = properly.evaluate(y, {"a": p, "b": p, "squared": p**2}, replicates=0)
    result = e.auc_differences
    assert result is not None
    assert result.difference.tolist() == [0, 0, 0]
    assert result.standard_error.tolist() == [0, 0, 0]
    assert result.p_value.tolist() == [1, 1, 1]


def test_they_are_made_once_and_travel() -> None:
    e = evaluated()
    assert e.auc_differences is e.auc_differences
    copy = pickle.loads(pickle.dumps(e)).auc_differences  # noqa: S301 - our own
    assert copy.difference.tolist() == e.auc_differences.difference.tolist()  # type: ignore[union-attr]


def test_json_has_them() -> None:
    e = evaluated()
    numbers = json.loads(e.to_json())["auc_differences"]
    assert e.auc_differences is not None
    assert numbers == e.auc_differences.to_dict()
    assert [row["first"] for row in numbers["pairs"]] == ["vague", "vague", "sharp"]


@pytest.mark.parametrize("y", [[0, 0, 0, 1], [0, 0, 0, 0]], ids=["one event", "no event"])
def test_too_few_of_an_outcome_have_none(y: list[int]) -> None:
    forecasts = {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.4, 0.3, 0.2, 0.1]}
    e = properly.evaluate(y, forecasts, task="binary", replicates=0)
    assert e.auc_differences is None
    assert "auc_differences" not in e.to_dict()
    assert "AUC differences" not in page(e)


def test_the_page_has_the_best_against_each_other_one() -> None:
    e = evaluated()
    result = e.auc_differences
    assert result is not None
    text = page(e)
    table = text[text.index("<summary>AUC differences</summary>") :].partition("</table>")[0]
    pair = result["sharp", "rough"]
    for words in (
        "sharp against",
        "adjusted p",
        f"+{pair.difference:.4f}",
        f"{pair.simultaneous[0]:.4f} to {pair.simultaneous[1]:.4f}",
    ):
        assert words in table
    assert table.count("<tr>") == 3


def test_a_summary_has_none_and_the_page_says_so() -> None:
    y, forecasts = data()
    frame = pl.DataFrame({"y": y} | forecasts)
    summary = properly.summarize(frame, outcome="y", forecasts=list(forecasts))
    e = properly.evaluate(summary, replicates=0)
    assert e.auc_differences is None
    text = page(e)
    assert "AUC differences" not in text
    assert text.count("Differences of AUC take the rows, which a summary does not keep.") == 1


@pytest.mark.parametrize(
    "p",
    [
        np.random.default_rng(0).random(3000),
        np.random.default_rng(0).random(3000).round(2),
        # Apart in the last bits alone, with both zeros and one.
        np.append(0.3 + 2.0**-54 * np.arange(3000)[::-1], [0.0, -0.0, 1.0, 0.0, 1.0]),
        np.random.default_rng(0).random(3000).astype(np.float32),
        np.array([0.5]),
    ],
    ids=["continuous", "ties", "last bits", "single", "one"],
)
def test_rows_are_put_in_order(p: Column) -> None:
    order = order_of(p)
    assert sorted(order.tolist()) == list(range(len(p)))
    assert p[order].tolist() == np.sort(p).tolist()
