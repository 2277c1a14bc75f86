"""Streams: batches of any kind, none of which is kept, and none of which is half taken."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.summary_numbers import nearly, numbers_of

import properly
from properly.engines import Summary, _summary
from properly.errors import DataError, ImproperRuleError
from properly.evaluation import stream
from properly.rules import Brier, Log, Propriety, Regret

if TYPE_CHECKING:
    from pathlib import Path

    from properly.evaluation._stream import Stream

RNG = np.random.default_rng(11)
ROWS = 60
P = {"a": np.round(RNG.random(ROWS), 1), "b": RNG.random(ROWS)}
Y = RNG.random(ROWS) < P["b"]
WEIGHT = RNG.integers(1, 4, ROWS)
GROUP = np.array(["new", "old"])[RNG.integers(0, 2, ROWS)]
HALVES = slice(25), slice(25, None)


class Cheat(Brier):
    """A rule that is said to be improper."""

    propriety = Propriety.IMPROPER


def fed(*parts: slice, made: Stream | None = None, **known: Any) -> Stream:
    found = stream() if made is None else made
    for rows in parts or (slice(None),):
        forecasts = {name: p[rows] for name, p in P.items()}
        found.add(Y[rows], forecasts, **{name: x[rows] for name, x in known.items()})
    return found


def test_a_stream_says_how_far_it_has_come() -> None:
    found = stream()
    assert repr(found) == "Stream(0 rows, 0 models, 2 rules)"
    assert len(found) == 0
    assert bool(found)
    fed(*HALVES, made=found)
    assert repr(found) == "Stream(60 rows, 2 models, 2 rules)"
    assert len(found) == ROWS
    fed(made=found, count=np.where(Y, 3, 0))
    assert len(found) == ROWS + 3 * Y.sum()
    assert len(fed(weight=np.where(Y, 3, 0))) == Y.sum()


def test_a_stream_has_the_rules_of_an_evaluation() -> None:
    found = fed(made=stream(within=(0.1, 0.4)))
    within = properly.Interval(0.1, 0.4)
    expected = Regret(within), Brier(), Log()
    assert found.summary().rules == expected
    assert fed(made=stream(Log())).summary().rules == (Log(),)
    with pytest.raises(ImproperRuleError):
        stream(Cheat())


def test_forecasts_come_as_in_an_evaluation() -> None:
    expected = nearly(fed())
    for frame in (pl.DataFrame(P), pl.LazyFrame(P), pd.DataFrame(P)):
        found = stream()
        found.add(Y, frame)
        assert numbers_of(found) == expected
    found = stream()
    found.add(Y.tolist(), {name: p.tolist() for name, p in P.items()})
    assert numbers_of(found) == expected
    single = stream()
    single.add(Y, P["a"])
    assert single.summary().models == ("forecast",)


def test_tensors_are_taken() -> None:
    torch = pytest.importorskip("torch")
    found = stream()
    found.add(torch.tensor(Y), {name: torch.tensor(p) for name, p in P.items()})
    assert numbers_of(found) == nearly(fed())


def test_models_are_told_by_their_names() -> None:
    found = fed(HALVES[0])
    rows = HALVES[1]
    found.add(Y[rows], {"b": P["b"][rows], "a": P["a"][rows]})
    assert numbers_of(found) == nearly(fed())


def test_outcomes_of_one_kind_make_a_batch() -> None:
    found = stream(pos_label="dead")
    words = np.where(Y, "dead", "alive")
    for rows in (Y, ~Y):
        found.add(words[rows], {name: p[rows] for name, p in P.items()})
    assert numbers_of(found) == nearly(fed())


def test_a_third_label_is_refused_whenever_it_comes() -> None:
    found = stream(pos_label="dead")
    found.add(["alive"], [0.1])
    with pytest.raises(DataError, match="at most two labels; found 'alive', 'dead', 'lost'"):
        found.add(["dead", "lost"], [0.1, 0.2])
    found.add(["dead"], [0.6])
    with pytest.raises(DataError, match="at most two labels"):
        found.add(["lost"], [0.1])
    assert len(found) == 2
    other = stream(pos_label="dead")
    other.add(["lost"], [0.1])
    with pytest.raises(DataError, match="at most two labels"):
        found.merge(other)
    assert len(found) == 2


def test_more_cases_than_can_be_counted_are_refused_at_once() -> None:
    found = stream(Brier())
    found.add([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], count=[1000] * 4)
    with pytest.raises(DataError, match=r"counts must add up to less than 2\*\*63"):
        found.add([1], [0.5], count=[2**63 - 1024])
    assert found.summary().total == 4000


@pytest.mark.parametrize("each", [1, 2, 0.5])
def test_weighted_and_counted_batches_do_not_mix(each: float) -> None:
    words = "tallies must both be of counted cases, or both of weighted ones, to add up"
    weighted = fed(weight=np.full(ROWS, each))
    for counted in (fed(), fed(count=WEIGHT)):
        with pytest.raises(DataError, match=words):
            fed(made=counted, weight=WEIGHT)
        with pytest.raises(DataError, match=words):
            counted + weighted
        with pytest.raises(DataError, match=words):
            counted.summary() + weighted.summary()
        assert counted.summary().total in (ROWS, WEIGHT.sum())
    for known in ({}, {"count": WEIGHT}):
        with pytest.raises(DataError, match=words):
            fed(made=weighted, **known)
    assert len(weighted) == ROWS


def test_batches_with_counts_and_without_are_one_stream() -> None:
    found = fed(HALVES[0])
    fed(HALVES[1], made=found, count=WEIGHT)
    times = np.where(np.arange(ROWS) < 25, 1, WEIGHT)
    assert numbers_of(found) == nearly(fed(count=times))
    row = np.repeat(np.arange(ROWS), times)
    repeated = stream()
    repeated.add(Y[row], {name: p[row] for name, p in P.items()})
    assert numbers_of(found) == nearly(repeated)


@pytest.mark.parametrize("bad", [[1, -1], [1, 0.5], [0, 0], [1, None], [1]])
def test_counts_are_whole_numbers(bad: Any) -> None:
    with pytest.raises(DataError):
        stream().add([0, 1], [0.2, 0.3], count=bad)


def test_a_row_needs_a_weight_and_a_count() -> None:
    with pytest.raises(DataError, match="a weight and a count above 0; none has both"):
        stream().add([0, 1], [0.2, 0.3], [0, 1], count=[1, 0])


REFUSED: dict[str, Any] = {
    "a forecast of 2": ([1], {"a": [0.5], "b": [2.0]}),
    "too few outcomes": ([1], {"a": [0.5, 0.5], "b": [0.5, 0.5]}),
    "another model": ([1], {"a": [0.5], "c": [0.5]}),
    "a model too few": ([1], {"a": [0.5]}),
    "no rows": ([], {"a": [], "b": []}),
    "a missing outcome": ([None], {"a": [0.5], "b": [0.5]}),
    "no weight": ([1], {"a": [0.5], "b": [0.5]}, [0]),
    "too much weight": ([1], {"a": [0.5], "b": [0.5]}, [2**63 - 1]),
    "no groups": ([1], {"a": [0.5], "b": [0.5]}, None, None),
    "a date": ([1], {"a": [0.5], "b": [0.5]}, None, np.array(["2024-01-01"], "datetime64[D]")),
    "a missing group": ([1], {"a": [0.5], "b": [0.5]}, None, [None]),
    "classes": ([1], {"a": [[0.5, 0.5]], "b": [[0.5, 0.5]]}),
}


@pytest.mark.parametrize("batch", REFUSED.values(), ids=REFUSED)
def test_a_batch_that_is_refused_changes_nothing(batch: tuple[Any, ...]) -> None:
    found = fed(groups=GROUP)
    before = nearly(found)
    y, forecasts, *known = batch
    weight, groups = (*known, None, ["new"] * len(y))[:2] if len(known) < 2 else known
    with pytest.raises(DataError):
        found.add(y, forecasts, weight, groups)
    assert len(found) == ROWS
    assert numbers_of(found) == before


def test_a_first_batch_that_is_refused_decides_nothing() -> None:
    found = stream()
    with pytest.raises(DataError):
        found.add([0, 7], {"x": [0.1, 0.2]})
    fed(made=found)
    assert found.summary().models == ("a", "b")


def test_shards_are_merged() -> None:
    whole = nearly(fed(groups=GROUP))
    left, right = (fed(rows, groups=GROUP) for rows in HALVES)
    assert numbers_of(left + right) == whole
    assert numbers_of(sum([right, left])) == whole  # type: ignore[arg-type]
    assert numbers_of(right + stream() + left) == whole
    assert (len(left), len(right)) == (25, 35)
    left.merge(right)
    assert (len(left), len(right)) == (ROWS, 35)
    assert numbers_of(left) == whole
    again = pickle.loads(pickle.dumps(right))  # noqa: S301
    fed(HALVES[0], made=again, groups=GROUP)
    assert numbers_of(again) == whole


@pytest.mark.parametrize(
    "other",
    [
        stream(Brier()),
        stream(within=(0.1, 0.2)),
        stream(pos_label="yes"),
        stream(cells=10),
        fed(groups=GROUP),
    ],
    ids=["rules", "within", "pos_label", "cells", "groups"],
)
def test_streams_of_another_kind_are_not_merged(other: Stream) -> None:
    found = fed()
    with pytest.raises(DataError, match="must"):
        found.merge(other)
    with pytest.raises(DataError, match="must"):
        found + other
    assert len(found) == ROWS


def test_forecasts_are_grouped_if_asked() -> None:
    found = fed(*HALVES, made=stream(cells=5))
    for name, tally in found.summary().tallies.items():
        expected = properly.tally(Y, P[name], cells=5)
        np.testing.assert_array_equal(tally.weight, expected.weight)
        np.testing.assert_allclose(tally.value, expected.value, rtol=1e-15)
    assert numbers_of(found) == nearly(fed(made=stream(cells=5)))


def test_a_summary_stays_as_it_was_when_more_rows_come() -> None:
    found = fed(HALVES[0])
    before = found.summary()
    fed(HALVES[1], made=found)
    assert (before.rows, found.summary().rows) == (25, ROWS)


def test_a_late_group_is_grouped_as_those_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_summary, "MOST_DISTINCT", 30)
    monkeypatch.setattr(_summary, "CELLS", 10)
    group = np.where(np.arange(ROWS) < 58, GROUP, "late")
    early, late = slice(58), slice(58, None)
    found = fed(early, late, groups=group)
    assert {x.tallies["b"].cells for x in found.summary().groups.values()} == {10}
    assert numbers_of(found) == nearly(fed(late, early, groups=group))


def test_a_stream_is_evaluated_as_its_rows(tmp_path: Path) -> None:
    found = fed(*HALVES, made=stream(within=(0.1, 0.4)))
    e, rows = found.evaluate(replicates=0), properly.evaluate(Y, P, within=(0.1, 0.4), replicates=0)
    assert e.primary == rows.primary
    assert e.within == rows.within
    for name in P:
        for rule, score in rows.scores[name].items():
            assert e.scores[name][rule].value == pytest.approx(score.value, rel=1e-13)
            assert e.scores[name][rule].interval == pytest.approx(
                score.interval, rel=1e-11, nan_ok=True
            )
    saved = Summary.load(found.save(tmp_path / "x.summary"))
    assert properly.evaluate(saved, replicates=0).table() == e.table()


def test_rows_that_wait_are_those_that_came() -> None:
    # Arrays that are filled again for the next batch do not change the one before.
    y, p, found = np.zeros(2, dtype=bool), np.zeros(2), stream()
    for k in range(ROWS // 2):
        y[:], p[:] = Y[2 * k : 2 * k + 2], P["b"][2 * k : 2 * k + 2]
        found.add(y, p)
    whole = stream()
    whole.add(Y, P["b"])
    assert numbers_of(found) == nearly(whole)


def test_batches_of_any_kind_take_turns() -> None:
    kinds: list[Any] = [np.full(4, 3), np.ones(4, dtype=np.int64), np.full(4, 2.0)]
    kinds.append(np.full(4, 0.5))
    found, weights = stream(Brier()), []
    for k in range(0, ROWS, 4):
        weight = kinds[k // 4 % 4]
        weights.append(weight)
        found.add(Y[k : k + 4], P["a"][k : k + 4].astype("f4" if k % 8 else "f8"), weight)
    summary = found.summary()
    expected = properly.Cases(Y, P["a"].round(1), weight=np.concatenate(weights))
    assert summary.rows == ROWS
    assert summary.total == pytest.approx(float(np.concatenate(weights).sum()), rel=1e-15)
    assert summary.event_rate == pytest.approx(expected.tally().event_rate, rel=1e-12)


@pytest.mark.slow
def test_too_many_groups_are_refused_in_the_batch_that_brings_them() -> None:
    found, names = stream(), np.arange(1001)
    for some in (names[:500], names[500:1000]):
        found.add(some % 2 == 0, some / 2000, None, some)
    with pytest.raises(DataError, match="at most 1000 groups; batches have brought 1001"):
        found.add([1], [0.5], None, names[1000:])
    assert len(found) == 1000


def test_a_sum_of_streams_shares_nothing_that_waits() -> None:
    left, right = (fed(rows) for rows in HALVES)
    both = left + right
    fed(HALVES[0], made=both)
    fed(HALVES[1], made=left)
    assert (len(both), len(left), len(right)) == (85, ROWS, 35)
