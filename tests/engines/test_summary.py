"""Summaries: they add, survive a file that nobody can run, and have their labels in order."""

from __future__ import annotations

import math
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.forging import forged, put
from tests.sums_of_rows import sum_rows

import properly
from properly._boundary._stored import packed, unpacked
from properly.engines import Summary, _summary
from properly.errors import DataError
from properly.rules import Bounded, Brier, Log, Rule, Spherical

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RNG = np.random.default_rng(5)

ROWS = 40

P = {"a": np.round(RNG.random(ROWS), 1), "b": RNG.random(ROWS)}

Y = RNG.random(ROWS) < P["b"]

WHOLE, FRACTIONS = RNG.integers(0, 4, ROWS), RNG.random(ROWS)

GROUPS = np.array(["north", "south"])[RNG.integers(0, 2, ROWS)]

RULES = (Brier(), Log(), Bounded(Brier(), (0.1, 0.3)))

# What users may call models and groups.
ODD = ["", "<b>", "{{x}}", "a/b", "\u202eright to left", "\x1b[31m", "line\nbreak", "\ud800", '"']


def summed(weight: Any = None, **options: Any) -> Summary:
    return Summary.of_rows(RULES, Y, P, weight, **options)


def of_classes() -> Summary:
    y, p = np.array([0, 2, 1, 2]), np.array([[0.5, 0.25, 0.25]] * 3 + [[0.0, 0.25, 0.75]])
    sums = sum_rows(["a"], [Brier()], y, {"a": p}, classes=3)
    tallies: dict[Any, properly.Tally] = {
        ("a", ("class", k)): properly.tally(y == k, p[:, k]) for k in range(3)
    }
    tallies["a", ("above", 0)] = properly.tally(y > 0, 1 - p[:, 0])
    table = np.zeros((3, 3))
    np.add.at(table, (y, p.argmax(axis=1)), 1)
    labels = ("low", 2, 3.5)
    return Summary(sums, tallies, labels=labels, confusion={"a": table}, notes=("a note",))


def kept(summary: Summary, folder: Path) -> Summary:
    return Summary.load(summary.save(folder / "x.summary"))


def bytes_of(summary: Summary, folder: Path) -> bytes:
    return summary.save(folder / "bytes.summary").read_bytes()


MADE: dict[str, Callable[[], Summary]] = {
    "counts": summed,
    "whole weights": lambda: summed(WHOLE),
    "equal weights": lambda: summed(np.full(ROWS, 0.1), groups=GROUPS),
    "counts of rows": lambda: summed(times=WHOLE, groups=GROUPS),
    "both": lambda: summed(FRACTIONS, times=WHOLE),
    "fractions": lambda: summed(FRACTIONS),
    "cells": lambda: summed(WHOLE, cells=4),
    "fractions in cells": lambda: summed(FRACTIONS, cells=4),
    "groups": lambda: summed(WHOLE, groups=GROUPS, cells=20),
    "classes": of_classes,
}


def test_a_summary_says_what_it_holds() -> None:
    summary = summed(WHOLE, groups=GROUPS)
    assert repr(summary) == f"Summary({(WHOLE > 0).sum()} rows, 2 models, 3 rules, 2 groups)"
    assert summary.models == ("a", "b")
    assert summary.rules == RULES
    assert summary.rows == (WHOLE > 0).sum()
    assert (summary.total, type(summary.total)) == (WHOLE.sum(), int)
    assert summary.event_rate == WHOLE[Y].sum() / WHOLE.sum()
    tally = properly.tally(Y, P["a"], weight=WHOLE)
    np.testing.assert_array_equal(summary.tallies["a"].events, tally.events)
    assert summed(FRACTIONS).total == pytest.approx(math.fsum(FRACTIONS), rel=1e-14)
    assert math.isnan(of_classes().event_rate)


def test_groups_are_summaries_of_their_rows() -> None:
    groups = summed(WHOLE, groups=GROUPS).groups
    assert list(groups) == ["north", "south"]
    for label, found in groups.items():
        rows = (label == GROUPS) & (WHOLE > 0)
        own = Summary.of_rows(RULES, Y[rows], {name: p[rows] for name, p in P.items()}, WHOLE[rows])
        assert found.sums.totals == own.sums.totals
        np.testing.assert_array_equal(found.tallies["a"].weight, own.tallies["a"].weight)
        assert found.groups == {}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_a_summary_survives_its_file(make: Callable[[], Summary], tmp_path: Path) -> None:
    summary = make()
    found = kept(summary, tmp_path)
    assert repr(found) == repr(summary)
    assert (found.labels, found.notes) == (summary.labels, summary.notes)
    assert list(found.groups) == list(summary.groups)
    assert found.sums.totals == summary.sums.totals
    assert found.sums.rules == summary.sums.rules
    for key, tally in summary.tallies.items():
        for name in ("value", "weight", "events", "event_squares", "nonevent_squares", "cells"):
            one, two = getattr(tally, name), getattr(found.tallies[key], name)
            np.testing.assert_array_equal(one, two)
            assert getattr(one, "dtype", None) == getattr(two, "dtype", None)
    np.testing.assert_array_equal(list(summary.confusion.values()), list(found.confusion.values()))
    assert bytes_of(found, tmp_path) == bytes_of(summary, tmp_path)
    assert bytes_of(found + summary, tmp_path) == bytes_of(summary + summary, tmp_path)


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_a_summary_pickles(make: Callable[[], Summary], tmp_path: Path) -> None:
    summary = make()
    found = pickle.loads(pickle.dumps(summary))  # noqa: S301
    assert bytes_of(found, tmp_path) == bytes_of(summary, tmp_path)


def test_names_survive_whatever_they_hold(tmp_path: Path) -> None:
    forecasts = dict.fromkeys(ODD, P["a"])
    groups = np.array([ODD[k % len(ODD)] for k in range(ROWS)], dtype=object)
    found = kept(Summary.of_rows([Brier()], Y, forecasts, groups=groups), tmp_path)
    assert list(found.models) == ODD
    assert list(found.groups) == sorted(ODD)
    assert list(found.tallies) == ODD


def test_labels_of_groups_keep_their_kind(tmp_path: Path) -> None:
    groups = np.array([True, 2, 2.5, math.inf, -(2**70), "2"] * 6 + [2] * 4, dtype=object)
    found = list(kept(summed(groups=groups), tmp_path).groups)
    assert found == [-(2**70), True, 2, 2.5, math.inf, "2"]
    assert [type(x) for x in found] == [int, bool, int, float, float, str]


def test_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x.summary"
    path.write_text("something else")
    assert summed().save(str(path)) == path
    assert Summary.load(path).rows == ROWS
    assert [x.name for x in tmp_path.iterdir()] == ["x.summary"]


class Own(Brier):
    """A rule that its text does not tell from another."""


class Unknown(Spherical):
    """A rule that cannot be read from its text."""

    def __repr__(self) -> str:
        return "Unknown()"


@pytest.mark.parametrize("rule", [Unknown(), Own()])
def test_a_rule_that_cannot_be_read_back_is_not_saved(rule: Rule, tmp_path: Path) -> None:
    summary = Summary.of_rows([rule], Y, P)
    with pytest.raises(DataError, match="a rule is saved as its text"):
        summary.save(tmp_path / "x.summary")
    assert list(tmp_path.iterdir()) == []


def column(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    """Change a column of the first tally of all rows."""

    def changed(content: dict[str, Any]) -> None:
        columns = content["parts"][0]["tallies"][0]["columns"]
        columns[name] = packed(change(unpacked(columns[name])))

    return changed


TALLY = ("parts", 0, "tallies", 0)
LIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a content that is another": lambda _: {"models": []},
    "no models": put("models", to=[]),
    "models that are numbers": put("models", to=[1, 2]),
    "the same model twice": put("models", to=["a", "a"]),
    "another model": put("models", to=["a", "c"]),
    "no rules": put("rules", to=[]),
    "a rule that is a number": put("rules", to=[1]),
    "no parts": put("parts", to=[]),
    "labels": put("labels", to=["x", "y", "z"]),
    "a number of labels": put("labels", to=10**12),
    "a group without label": lambda content: content["parts"].append(content["parts"][0]),
    "a total too few": lambda content: content["parts"][0]["totals"].pop() and None,
    "a total that is no number": lambda content: content["parts"][0]["totals"].append("z"),
    "a total that is no count": put("parts", 0, "totals", 0, to=1.5),
    "cells that are none": put(*TALLY, "cells", to=0),
    "confusion of nobody": put("parts", 0, "confusion", "c", to=packed(np.ones((2, 2)))),
    "a weight of differing cases": put(*TALLY, "unit", to=2.0),
    "notes that are numbers": put("parts", 0, "notes", to=[1]),
    "forecasts that fall": column("value", lambda x: x[::-1]),
    "forecasts beyond the last": column("value", lambda x: x + 3),
    "columns that are too short": column("weight", lambda x: x[1:]),
    "no weight": column("weight", lambda x: x * 0),
    "too much weight": column("weight", lambda x: np.full(len(x), 2**63 - 1, np.uint64)),
    "more events than cases": column("events", lambda x: x + 200),
    "a table of forecasts": column("value", lambda x: x[:, None]),
    "objects": put(*TALLY, "columns", "value", "dtype", to="|O"),
    "a shape that fills the memory": put(*TALLY, "columns", "value", "shape", to=[10**15]),
    "squares of other length": column("event_squares", lambda x: x[:2]),
    **{
        f"{name} times {wrong}": column(name, lambda x, wrong=wrong: x * wrong)  # type: ignore[misc]
        for name in ("value", "event_squares", "weight")
        for wrong in (math.nan, math.inf, -1.0)
    },
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_file_that_lies_is_refused(lie: Callable[[dict[str, Any]], Any], tmp_path: Path) -> None:
    path = summed(FRACTIONS, cells=4).save(tmp_path / "x.summary")
    text = path.read_text()
    path.write_text(forged(text, lambda _: None))
    assert Summary.load(path).rows == (FRACTIONS > 0).sum()
    with np.errstate(invalid="ignore"):
        path.write_text(forged(text, lie))
    with pytest.raises(DataError, match=r"the summary .* (was cut or changed|cannot be used: )"):
        Summary.load(path)


def test_counts_and_weights_do_not_add() -> None:
    weighed, counted = summed(WHOLE), summed(times=WHOLE)
    assert (weighed.tallies["a"].event_squares is None, weighed.has_weights) == (False, True)
    assert (counted.tallies["a"].event_squares is None, counted.has_weights) == (True, False)
    np.testing.assert_array_equal(weighed.tallies["a"].weight, counted.tallies["a"].weight)
    with pytest.raises(DataError, match="both be of counted cases, or both of weighted ones"):
        weighed + counted


def test_summaries_of_classes_add() -> None:
    one = of_classes()
    both = one + one
    assert both.rows == 8
    assert both.labels == one.labels
    assert both.notes == ("a note",)
    np.testing.assert_array_equal(both.confusion["a"], 2 * one.confusion["a"])
    np.testing.assert_array_equal(
        both.tallies["a", ("class", 2)].weight, 2 * one.tallies["a", ("class", 2)].weight
    )


def test_a_summary_adds_to_summaries_only() -> None:
    with pytest.raises(TypeError):
        summed() + 1
    with pytest.raises(TypeError):
        1 + summed()


def test_groups_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_summary, "MOST_DISTINCT", 30)
    monkeypatch.setattr(_summary, "CELLS", 1000)
    found = summed(groups=GROUPS)
    assert [x.tallies["a"].cells for x in found.groups.values()] == [None, None]
    # Forty forecasts that differ are forty cells of a thousand, or nearly, and of a hundred.
    assert found.tallies["b"].cells == 1000
    assert {x.tallies["b"].cells for x in found.groups.values()} == {10}
    assert sum(len(x.tallies["b"]) for x in found.groups.values()) <= 30


def test_cells_that_cannot_be_halved_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_summary, "MOST_DISTINCT", 10)
    found = summed(groups=GROUPS, cells=37)
    assert {x.tallies["b"].cells for x in found.groups.values()} == {37}
