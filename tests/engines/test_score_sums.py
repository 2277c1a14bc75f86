"""Sums of losses: counts are exact, sums agree to twelve digits in any order and any pieces."""

from __future__ import annotations

import math
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from tests.sums_of_rows import sum_rows

from properly.counts._scoring import price
from properly.engines import _score_sums
from properly.engines._score_sums import COUNTED, Key, ScoreSums
from properly.evaluation import summarize
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from properly.rules import Rule


def event_rows(n: int = 400) -> dict[str, Any]:
    """Draw rows of an event, some forecasts certain and some weights 0."""
    rng = np.random.default_rng(7)
    y = rng.random(n) < 0.3
    p = np.round(rng.random((2, n)), 2)
    weight = np.where(rng.random(n) < 0.1, 0.0, rng.exponential(size=n))
    return {"y": y, "a": p[0], "b": p[1], "weight": weight, "clusters": rng.integers(0, 30, n)}


def sums_of(rows: dict[str, Any], *, weighted: bool = True) -> ScoreSums:
    """Sum rows of two models."""
    models = {name: rows[name] for name in ("a", "b")}
    weight = rows["weight"] if weighted else None
    return ScoreSums.of_rows(("a", "b"), [Brier(), Log()], rows["y"], models, weight)


def some_of(rows: dict[str, Any], which: Any) -> dict[str, Any]:
    return {name: column[which] for name, column in rows.items()}


def assert_alike(found: ScoreSums, expected: ScoreSums) -> None:
    """Hold counts against each other exactly, and sums to twelve digits."""
    assert list(found.totals) == list(expected.totals)
    for key, total in expected.totals.items():
        tolerance = 0 if key[0] in COUNTED else 1e-12
        assert found.totals[key] == pytest.approx(total, rel=tolerance, abs=0), key


@pytest.mark.parametrize("weighted", [True, False])
def test_sums_hardly_depend_on_the_order_of_rows_and_on_their_pieces(
    weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = event_rows()
    models = {name: drawn[name] for name in "ab"}
    weight = drawn["weight"] if weighted else None
    expected = sum_rows(("a", "b"), [Brier(), Log()], drawn["y"], models, weight)
    order = np.random.default_rng(3).permutation(len(drawn["y"]))
    assert_alike(sums_of(some_of(drawn, order), weighted=weighted), expected)
    monkeypatch.setattr(_score_sums, "PIECE", 64)
    assert_alike(sums_of(drawn, weighted=weighted), expected)


@pytest.mark.slow
def test_millions_of_equal_losses_do_not_drift() -> None:
    n, loss = 3_000_000, 0.1
    y, p = np.zeros(n, dtype=bool), np.full(n, math.sqrt(loss))
    sums = ScoreSums.of_rows(["a"], [Brier()], y, {"a": p})
    assert sums.mean("loss", 0, 0) == pytest.approx(math.sqrt(loss) ** 2, rel=1e-14)


def test_rows_are_priced_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def watched(rule: Rule, y: Any, p: Any, *, classes: bool) -> Any:
        seen.append(len(y))
        return price(rule, y, p, classes=classes)

    monkeypatch.setattr(_score_sums, "price", watched)
    monkeypatch.setattr(_score_sums, "PIECE", 60)
    sums_of(event_rows())
    assert max(seen) <= 30


def small() -> dict[Key, float]:
    """Sum four rows in two clusters by hand; a fifth weighs nothing."""
    rows = {
        "y": [True, False, True, False, True],
        "a": [0.5, 0.5, 0.0, 0.25, 0.1],
        "b": [0.5, 0.0, 0.5, 0.5, 0.2],
        "weight": [2.0, 1.0, 1.0, 4.0, 0.0],
        "clusters": ["x", "y", "x", "y", "z"],
    }
    names: dict[str, Any] = {"outcome": "y", "weight": "weight", "clusters": "clusters"}
    found = summarize(pl.DataFrame(rows), ["a", "b"], rules=[Brier(), Log()], **names)
    return dict(found.sums.totals)


def test_small_sums_are_those_made_by_hand() -> None:
    # Brier: a pays 1/4, 1/4, 1, 1/16 and b pays 1/4, 0, 1/4, 1/4.
    # By cluster: W = 3, 5; Y = 3, 0; L = 3/2, 1/2 of a and 3/4, 1 of b. Squares are over 1 - W / 8.
    found, x, y = small(), 8 / 5, 8 / 3
    expected = {
        ("rows",): 4,
        ("units",): 2,
        ("weight",): 8,
        ("weight2",): 34,
        ("row_squares",): 22,
        ("event_rows",): 2,
        ("event",): 3,
        ("event2",): 9 * x,
        ("event_weight",): 9 * x,
        ("event_squares",): 5,
        ("loss", 0, 0): 2,
        ("loss2", 0, 0): 2.25 * x + 0.25 * y,
        ("loss_weight", 0, 0): 4.5 * x + 2.5 * y,
        ("loss_event", 0, 0): 4.5 * x,
        ("infinite", 0, 0): 0,
        ("infinite_weight", 0, 0): 0,
        ("loss", 0, 1): 1.75,
        ("loss2", 0, 1): 0.5625 * x + y,
        ("loss_weight", 0, 1): 2.25 * x + 5 * y,
        ("loss_event", 0, 1): 2.25 * x,
        ("apart2", 0, 0, 1): 0.5625 * x + 0.25 * y,
        ("corrected2",): 9 * x + 25 * y,
        ("corrected4",): 81 * x**2 + 625 * y**2,
        ("differing", 0, 0, 1): 3,
        # By Log, a is certain and wrong in the third row, which weighs 1.
        ("infinite", 1, 0): 1,
        ("infinite_weight", 1, 0): 1,
        ("infinite", 1, 1): 0,
        ("differing", 1, 0, 1): 3,
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected, rel=1e-14)
    log2 = math.log(2)
    assert found["loss", 1, 1] == pytest.approx(7 * log2, rel=1e-15)
    assert found["loss", 1, 0] == pytest.approx(3 * log2 + 4 * math.log(4 / 3), rel=1e-15)


def test_small_sums_of_classes_are_those_made_by_hand() -> None:
    table = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]])
    forecasts = {f"a{k}": p for k, p in enumerate(table.T)}
    forecasts |= {f"b{k}": p for k, p in enumerate(table[::-1].T)}
    rows = pl.DataFrame({"y": [0, 1, 2], "w": [1.0, 2.0, 3.0], **forecasts})
    columns = {model: [f"{model}{k}" for k in range(3)] for model in "ab"}
    found = summarize(rows, columns, outcome="y", weight="w", rules=Brier()).sums.totals
    # Brier is half the squared distance: a pays 1/4, 1/4, 0 and b pays 1, 1/4, 3/4.
    classes = [[found[name, k] for k in range(3)] for name in ("class", "class_squares")]
    assert classes == [[1, 2, 3], [1, 4, 9]]
    assert [found["class_rows", k] for k in range(3)] == [1, 1, 1]
    paid = Brier().loss(np.arange(3), table[::-1])
    losses = [found["loss_class", 0, 1, k] for k in range(3)]
    assert losses == [paid[0], 4 * paid[1], 9 * paid[2]]
    assert found["row_squares",] == 14


def test_sums_pickle_and_say_what_they_are() -> None:
    plain, rows = sums_of(event_rows()), pl.DataFrame(event_rows())
    names: dict[str, Any] = {"outcome": "y", "weight": "weight", "clusters": "clusters"}
    clustered = summarize(rows, ["a", "b"], rules=[Brier(), Log()], **names).sums
    assert repr(clustered) == "ScoreSums(363 rows in 30 clusters, 2 models, 2 rules)"
    assert repr(plain) == "ScoreSums(363 rows, 2 models, 2 rules)"
    again = pickle.loads(pickle.dumps(plain))  # noqa: S301
    assert (again + plain).totals == (plain + plain).totals
    with pytest.raises(TypeError):
        plain + 1  # type: ignore[operator]
