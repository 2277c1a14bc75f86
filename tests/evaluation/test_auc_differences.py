"""Differences of areas under ROC curves, in the evaluation, its JSON and on the page."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import properly
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


def evaluated(**options: Any) -> properly.Evaluation:
    y, forecasts = data()
    return properly.evaluate(y, forecasts, replicates=0, progress=False, **options)


@pytest.mark.parametrize(
    "known",
    [{}, {"clusters": np.arange(CASES) // 4}, {"weight": np.arange(CASES) % 3 + 0.5}],
    ids=["independent", "clusters", "weights"],
)
def test_differences_are_those_of_compare(known: dict[str, Any]) -> None:
    y, forecasts = data()
    result = evaluated(rng=1, **known).auc_differences
    assert result is not None
    direct = properly.compare(y, forecasts, rule="auc", rng=1, **known)
    assert result.to_dict() == direct.to_dict()


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
