"""Summaries: they add, survive a file that nobody can run, and have their labels in order."""

from __future__ import annotations

import datetime as dt
import io
import json
import math
import pickle
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly._boundary._files import Damaged
from properly.engines import Summary, _cell_counts
from properly.engines._cell_counts import Counts
from properly.engines._exact_sums import ScoreSums, Total
from properly.engines._summary import _key, in_order, joined, plain_labels, text_of, total_of
from properly.errors import DataError
from properly.rules import Bounded, Brier, Log, Rule, Spherical

if TYPE_CHECKING:
    from collections.abc import Callable

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
    sums = ScoreSums.of_rows(["a"], [Brier()], y, {"a": p}, None, classes=3)
    counts: dict[Any, Counts] = {
        ("a", ("class", k)): Counts.of_rows(y == k, p[:, k]) for k in range(3)
    }
    counts["a", ("above", 0)] = Counts.of_rows(y > 0, 1 - p[:, 0])
    table = np.zeros((3, 3))
    np.add.at(table, (y, p.argmax(axis=1)), 1)
    labels = ("low", 2, 3.5)
    return Summary(sums, counts, labels=labels, confusion={"a": table}, notes=("a note",))


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
    assert summed(FRACTIONS).total == math.fsum(FRACTIONS)
    assert math.isnan(of_classes().event_rate)


def test_groups_are_summaries_of_their_rows() -> None:
    groups = summed(WHOLE, groups=GROUPS).groups
    assert list(groups) == ["north", "south"]
    for label, found in groups.items():
        rows = (label == GROUPS) & (WHOLE > 0)
        own = Summary.of_rows(RULES, Y[rows], {name: p[rows] for name, p in P.items()}, WHOLE[rows])
        assert found.sums.totals == own.sums.totals
        np.testing.assert_array_equal(found.counts["a"].weight, own.counts["a"].weight)
        assert found.groups == {}


def test_a_group_without_weight_is_left_out() -> None:
    weight = np.where(GROUPS == "north", 0, 1)
    assert list(summed(weight, groups=GROUPS).groups) == ["south"]


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
    assert list(found.counts) == ODD


def test_labels_of_groups_keep_their_kind(tmp_path: Path) -> None:
    groups = np.array([True, 2, 2.5, math.inf, -(2**70), "2"] * 6 + [2] * 4, dtype=object)
    found = list(kept(summed(groups=groups), tmp_path).groups)
    assert found == [-(2**70), True, 2, 2.5, math.inf, "2"]
    assert [type(x) for x in found] == [int, bool, int, float, float, str]


def test_a_file_holds_a_text_and_arrays_only(tmp_path: Path) -> None:
    path = summed(WHOLE, groups=GROUPS).save(tmp_path / "x.summary")
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        header = json.loads(archive.read("properly-summary.json"))
    assert names[0] == "properly-summary.json"
    assert all(name.endswith(".npy") for name in names[1:])
    assert header["rules"][0] == "Brier()"
    assert header["version"] == 1
    # Whoever has numpy can look at the columns.
    with np.load(path, allow_pickle=False) as columns:
        np.testing.assert_array_equal(columns["0/0/place"], np.unique(P["a"][WHOLE > 0]))


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


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.summary"
    content = summed(WHOLE, cells=4).save(path).read_bytes()
    for end in {0, 1, 30, 60, 200, len(content) // 2, len(content) - 1}:
        path.write_bytes(content[:end])
        with pytest.raises(DataError, match="damaged" if end >= 60 else "not a summary"):
            Summary.load(path)


def test_a_file_with_a_wrong_byte_is_refused_or_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "x.summary"
    content = summed(WHOLE, cells=4).save(path).read_bytes()
    damaged = 0
    for at in RNG.choice(len(content), 60, replace=False):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
        try:
            found = Summary.load(path)
        except DataError:
            damaged += 1
        else:
            # Some bytes of a zip archive, such as its dates, mean nothing here.
            assert bytes_of(found, tmp_path) == content
    assert damaged > 40


def rewritten(path: Path, compressed: str = "", /, **changes: Callable[[Any], Any]) -> None:
    """Change entries of an archive, in all honesty: sizes and sums are right."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            change = changes.get(name.removesuffix(".npy").replace("/", "_").split(".")[0])
            if change is None:
                archive.writestr(name, content, 8 if name == compressed else 0)
            elif name.endswith(".json"):
                archive.writestr(name, json.dumps(change(json.loads(content))))
            else:
                archive.writestr(name, npy(change(np.load(io.BytesIO(content)))))


def npy(column: Any) -> bytes:
    if isinstance(column, bytes):
        return column
    file = io.BytesIO()
    np.save(file, column, allow_pickle=True)
    return file.getvalue()


def header(change: Callable[[dict[str, Any]], Any]) -> dict[str, Callable[[Any], Any]]:
    def changed(words: dict[str, Any]) -> Any:
        found = change(words)
        return words if found is None else found

    return {"properly-summary": changed}


LIES: dict[str, dict[str, Callable[[Any], Any]]] = {
    "a header that is a list": header(lambda _: []),
    "no version": header(lambda words: words.pop("version") and None),
    "a version that is a word": header(lambda words: words.update(version="1")),
    "version 0": header(lambda words: words.update(version=0)),
    "no models": header(lambda words: words.update(models=[])),
    "models that are numbers": header(lambda words: words.update(models=[1, 2])),
    "the same model twice": header(lambda words: words.update(models=["a", "a"])),
    "another model": header(lambda words: words.update(models=["a", "c"])),
    "no rules": header(lambda words: words.update(rules=[])),
    "a rule that is a number": header(lambda words: words.update(rules=[1])),
    "no parts": header(lambda words: words.update(parts=[])),
    "labels": header(lambda words: words.update(labels=["x", "y", "z"])),
    "a number of labels": header(lambda words: words.update(labels=10**12)),
    "a group without label": header(lambda words: words["parts"].append(words["parts"][0])),
    "a total too few": header(lambda words: words["parts"][0]["totals"].pop() and None),
    "a total that is no number": header(lambda w: w["parts"][0]["totals"].append("z")),
    "a total of many zeros": header(lambda w: w["parts"][0]["totals"].append("1p99999999")),
    "cells that are none": header(lambda w: w["parts"][0]["counts"][0].update(cells=0)),
    "cells that are fewer": header(lambda w: w["parts"][0]["counts"][0].update(cells=2)),
    "a negative moment": header(lambda w: w["parts"][0]["counts"][0].update(least="-1p0")),
    "confusion of nobody": header(lambda w: w["parts"][0].update(confusion=["c"])),
    "weights that fall": header(lambda w: w["parts"][0]["counts"][0].update(weights=[2, 1])),
    "a weight of 0": header(lambda w: w["parts"][0]["counts"][0].update(weights=[0, 1])),
    "one weight": header(lambda w: w["parts"][0]["counts"][0].update(weights=[1])),
    "weights in words": header(lambda w: w["parts"][0]["counts"][0].update(weights="12")),
    "weights that are flags": header(
        lambda w: w["parts"][0]["counts"][0].update(weights=[True] * 2)
    ),
    "notes that are numbers": header(lambda w: w["parts"][0].update(notes=[1])),
    "places that fall": {"0_0_place": lambda x: x[::-1]},
    "places that are floats": {"0_0_place": lambda x: x.astype(float)},
    "places beyond the last": {"0_0_place": lambda x: (x + 3).astype(np.uint8)},
    "columns that are too short": {"0_0_weight": lambda x: x[1:]},
    "no weight": {"0_0_weight": lambda x: x * 0},
    "too much weight": {"0_0_weight": lambda x: np.full(len(x), 2**63 - 1, dtype=np.uint64)},
    "more events than cases": {"0_0_events": lambda x: x + 200},
    "events that are floats": {"0_0_events": lambda x: x.astype(float)},
    "a table of places": {"0_0_place": lambda x: x[:, None]},
    "objects": {"0_0_place": lambda x: x.astype(object)},
    "text": {"0_0_place": lambda x: x.astype(str)},
    "moments that are floats": {"0_0_moment": lambda x: x.astype(float)},
    "digits that are too large": {"0_0_moment": lambda x: x.astype(np.uint64) + 2**30},
    "squares of other length": {"0_0_event_squares": lambda x: x[:2]},
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_file_that_lies_is_refused(lie: dict[str, Any], tmp_path: Path) -> None:
    path = summed(WHOLE, cells=4).save(tmp_path / "x.summary")
    rewritten(path)
    assert Summary.load(path).rows == (WHOLE > 0).sum()
    rewritten(path, **lie)
    with pytest.raises(DataError):
        Summary.load(path)


def of_old(words: dict[str, Any]) -> None:
    """Write what files of old have, which do not say how large weights are."""
    for part in words["parts"]:
        for counts in part["counts"]:
            del counts["weights"]


@pytest.mark.parametrize("cells", [None, 4])
def test_old_files_keep_their_meaning(cells: int | None, tmp_path: Path) -> None:
    path = tmp_path / "x.summary"
    for weight in (WHOLE, FRACTIONS, None, np.full(ROWS, 3)):
        new = summed(weight, groups=GROUPS, cells=cells)
        rewritten(new.save(path), **header(of_old))
        old = Summary.load(path)
        for one, two in ((old, new), *zip(old.groups.values(), new.groups.values(), strict=True)):
            assert (one.has_weights, one.is_weighted) == (two.has_weights, two.is_weighted)
            assert (one.rows, one.total) == (two.rows, two.total)
            for name, tally in two.tallies.items():
                found = one.tallies[name]
                for column, other in zip(found._columns(), tally._columns(), strict=True):
                    np.testing.assert_array_equal(column, other)
        assert (old + new).is_weighted == new.is_weighted


def test_squares_make_weights_of_whole_numbers_in_old_files() -> None:
    new, counted = summed(WHOLE), summed(times=WHOLE)
    assert (new.tallies["a"].event_squares is None, new.has_weights) == (False, True)
    assert (counted.tallies["a"].event_squares is None, counted.has_weights) == (True, False)
    np.testing.assert_array_equal(new.tallies["a"].weight, counted.tallies["a"].weight)
    with pytest.raises(DataError, match="both be of counted cases, or both of weighted ones"):
        new + counted


def test_fractions_that_are_none_are_refused(tmp_path: Path) -> None:
    path = summed(FRACTIONS, cells=4).save(tmp_path / "x.summary")
    for name in ("moment", "event_squares", "weight"):
        for wrong in (math.nan, math.inf, -1.0):
            summed(FRACTIONS, cells=4).save(path)
            rewritten(path, **{f"0_1_{name}": lambda x, wrong=wrong: x * wrong})
            with pytest.raises(DataError, match="damaged"):
                Summary.load(path)


def test_a_file_that_would_run_something_is_refused(tmp_path: Path) -> None:
    path, witness = summed().save(tmp_path / "x.summary"), tmp_path / "witness"

    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (witness,)

    rewritten(path, **{"0_0_place": lambda x: np.array([Trap()] * len(x), dtype=object)})
    with pytest.raises(DataError, match="damaged"):
        Summary.load(path)
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(DataError, match="not a summary"):
        Summary.load(path)
    assert not witness.exists()


def test_a_file_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    path = summed().save(tmp_path / "x.summary")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0/9/place.npy", bytes(10**6))
    assert path.stat().st_size < 10**5
    with pytest.raises(DataError, match="damaged"):
        Summary.load(path)
    # Not even a little is unpacked.
    summed().save(path)
    rewritten(path, "0/0/place.npy")
    with pytest.raises(DataError, match="damaged"):
        Summary.load(path)
    # The same bytes, again and again.
    summed().save(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.filelist += [archive.filelist[-1]] * 1000
        archive._didModify = True  # type: ignore[attr-defined]
    with pytest.raises(DataError, match="damaged"):
        Summary.load(path)
    summed().save(path)
    rewritten(path, **{"0_0_place": lambda _: claim_of((10**15,))})
    with pytest.raises(DataError, match="damaged"):
        Summary.load(path)


def claim_of(shape: tuple[int, ...]) -> bytes:
    """Begin an array of a shape, without its numbers."""
    file = io.BytesIO()
    about = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, about)
    return file.getvalue()


def test_summaries_add(tmp_path: Path) -> None:
    half = [slice(15), slice(15, None)]
    parts = [
        Summary.of_rows(
            RULES, Y[s], {name: p[s] for name, p in P.items()}, WHOLE[s], groups=GROUPS[s]
        )
        for s in half
    ]
    whole = bytes_of(summed(WHOLE, groups=GROUPS), tmp_path)
    assert bytes_of(parts[0] + parts[1], tmp_path) == whole
    assert bytes_of(sum(parts[::-1]), tmp_path) == whole  # type: ignore[arg-type]


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
    monkeypatch.setattr(_cell_counts, "MOST_DISTINCT", 30)
    monkeypatch.setattr(_cell_counts, "CELLS", 1000)
    found = summed(groups=GROUPS)
    assert [x.counts["a"].cells for x in found.groups.values()] == [None, None]
    # Forty forecasts that differ are forty cells of a thousand, or nearly, and of a hundred.
    assert found.counts["b"].cells == 1000
    assert {x.counts["b"].cells for x in found.groups.values()} == {10}
    assert sum(len(x.counts["b"]) for x in found.groups.values()) <= 30


def test_cells_that_cannot_be_halved_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cell_counts, "MOST_DISTINCT", 10)
    found = summed(groups=GROUPS, cells=37)
    assert {x.counts["b"].cells for x in found.groups.values()} == {37}


@pytest.mark.parametrize("x", [0.0, 1.0, -3.0, 5e-324, 1e300, 0.1])
def test_totals_survive_their_text(x: float) -> None:
    assert total_of(text_of(Total.of(x))) == Total.of(x)


def test_labels_of_numpy_become_those_of_python() -> None:
    found = plain_labels([np.int64(3), np.float64(-0.0), np.bool_(True), np.str_("b"), "a"])
    assert [type(x) for x in found] == [int, float, bool, str, str]
    assert str(found) == "[3, 0.0, True, 'b', 'a']"


def test_numbers_come_before_text() -> None:
    parts = dict.fromkeys(["b", 2, "a", 1.5, True])
    assert list(in_order(parts)) == [True, 1.5, 2, "a", "b"]
    dates = dict.fromkeys([dt.date(2024, 2, 1), dt.date(2024, 1, 1)])
    assert list(in_order(dates)) == sorted(dates)


def test_parts_of_equal_labels_are_added() -> None:
    one, other = {"a": 1, True: 3}, {"a": 10, 1: 20, "b": 30}
    for found in (joined(one, other), joined(other, one)):
        assert found == {1: 23, "a": 11, "b": 30}
        assert [type(x) for x in found] == [int, str, str]


def test_a_model_of_an_event_has_no_classes_to_be_asked_for() -> None:
    event = ScoreSums(("m",), (Brier(),), None, False, {})
    assert _key(["m"], event) == "m"
    assert _key(["m", "above", 2], replace(event, classes=3)) == ("m", ("above", 2))
    for flat, sums in (
        (["n"], event),
        (["m", "class", 0], event),
        (["m", "class", 3], replace(event, classes=3)),
        (["m", "below", 0], replace(event, classes=3)),
    ):
        with pytest.raises(Damaged):
            _key(flat, sums)
