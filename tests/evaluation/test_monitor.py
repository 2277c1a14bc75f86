"""What holds for every monitor, whatever batches its cases come in."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.monitors import Column, Drawn, against_calibration, drawn, for_the_second, state

import properly
from properly import Monitor
from properly.comparison._bets import BETS, log_factors, recalibration_gains, relative_gain
from properly.errors import DataError, DataWarning
from properly.evaluation._monitor._claims import MOST_TIMES, Added, share_of_group
from properly.recalibration import Beta, Isotonic, Logistic
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from pathlib import Path

DRAWN = drawn()
# Every kind of monitor, and what its batches bring beside ids.
KINDS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "plain": ({}, ()),
    "against a model": ({"against": "q", "rule": Log()}, ()),
    "against a constant": ({"against": 0.3}, ()),
    "clusters": ({"against": "p"}, ("clusters",)),
    "groups": ({}, ("groups",)),
    "all": ({"against": "p", "level": 0.9}, ("clusters", "groups")),
    "restarts": ({"run_length": 30}, ()),
    "restarts, all": ({"run_length": 20, "against": "p"}, ("clusters", "groups")),
    "lag": ({"lag": 2, "against": "q"}, ()),
    "lag, restarts, all": ({"lag": 1, "run_length": 20, "against": "p"}, ("clusters", "groups")),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def beside(kind: str, cases: Drawn) -> dict[str, Any]:
    return {name: getattr(cases, name) for name in KINDS[kind][1]}


def fed(kind: str, cases: Drawn = DRAWN, cuts: tuple[int, ...] = (), **options: Any) -> Monitor:
    """Feed a monitor with cases that have their outcomes, in batches with ids."""
    result = Monitor(**KINDS[kind][0], **options)
    for begin, end in pairwise((0, *cuts, len(cases.y))):
        rows = cases.some(slice(begin, end))
        result.add(rows.y, rows.models, ids=rows.ids, **beside(kind, rows))
    return result


# Evidence


@pytest.mark.parametrize("cuts", [(), (1,), (3, 50, 51, 250)])
def test_evidence_is_that_of_the_monitors_of_comparison(cuts: tuple[int, ...]) -> None:
    calibration, _, worse, _ = fed("against a constant", cuts=cuts).evidence
    expected = against_calibration(DRAWN.y, DRAWN.p)
    assert (calibration.model, calibration.about) == ("p", "calibration")
    assert calibration.log_evidence == pytest.approx(expected.last, abs=1e-12)
    assert calibration.log_greatest == pytest.approx(expected.greatest, abs=1e-12)
    constant = for_the_second(Brier(), DRAWN.y, DRAWN.p, np.full(300, 0.3))
    assert (worse.model, worse.about) == ("p", "comparison")
    assert worse.log_evidence == pytest.approx(constant.last, abs=1e-12)
    assert worse.log_greatest == pytest.approx(constant.greatest, abs=1e-12)


def by_unit(cases: Drawn, gains: Column, rows: Column) -> Column:
    """Return the mean factor of each cluster, in the order in which clusters appear."""
    members = [rows & (cases.clusters == unit) for unit in dict.fromkeys(cases.clusters)]
    return np.array([np.log(np.exp(gains[some]).mean(axis=0)) for some in members if some.any()])


def test_the_factor_of_a_cluster_is_the_mean_of_the_factors_of_its_cases() -> None:
    shuffled = DRAWN.some(np.random.default_rng(5).permutation(300))
    happened = shuffled.y == 1
    for x in fed("all", shuffled).evidence:
        rows = shuffled.groups == x.group if x.group else np.full(300, fill_value=True)
        p = shuffled.models[x.model]
        gains = recalibration_gains(happened, p)
        if x.about == "comparison":
            gain = relative_gain(Brier(), happened, p, shuffled.p)
            gains = log_factors(gain[:, np.newaxis], BETS)
        path = np.cumsum(by_unit(shuffled, gains, rows), axis=0)
        levels = np.log(np.exp(path).mean(axis=1))
        assert x.log_evidence == pytest.approx(levels[-1], abs=1e-9)
        assert x.log_greatest == pytest.approx(max(0, levels.max()), abs=1e-9)


def test_a_wrong_certain_forecast_is_infinite_evidence_for_ever() -> None:
    monitor = Monitor(against="q", rule=Log())
    monitor.add([0, 1, 1, 0], {"p": [0.0, 0.0, 1.0, 0.5], "q": [0.5, 0.5, 0.5, 0.5]})
    assert monitor.evidence[0].evidence == monitor.evidence[2].evidence == math.inf
    assert math.isfinite(monitor.evidence[1].evidence)
    assert [(x.case, x.evidence) for x in monitor.alarms] == [(2, math.inf)] * 2
    calibration = monitor.evidence[0]
    assert calibration.path.tolist() == [0, math.inf, math.inf, math.inf]
    assert "(what had been called impossible happened)" in " ".join(str(monitor).split())
    told = monitor.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_certain_forecasts_that_are_right_say_nothing() -> None:
    monitor = Monitor(against=0.5, rule=Log())
    monitor.add([0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0])
    calibration, comparison = monitor.evidence
    assert calibration.log_evidence == 0
    assert comparison.log_evidence < 0


def test_infinite_evidence_ends_with_an_alarm_of_a_detector() -> None:
    monitor = Monitor(run_length=100)
    monitor.add([1, 0, 1, 0], [0.0, 0.5, 0.0, 0.5])
    assert [(x.case, x.evidence) for x in monitor.alarms] == [(1, math.inf), (3, math.inf)]
    assert monitor.evidence[0].path.tolist()[:3:2] == [0, 0]
    assert math.isfinite(monitor.evidence[0].log_evidence)


# Restarts


def by_hand(gains: Column, threshold: float) -> tuple[list[int], float]:
    """Follow a detector by its definition: a sum over all beginnings since the last alarm."""
    alarms, begin, level = [], 0, 0.0
    for n in range(1, len(gains) + 1):
        products = [np.exp(gains[first:n].sum(axis=0)) for first in range(begin, n)]
        level = math.log1p(np.sum(products, axis=0).mean())
        if level >= threshold:
            alarms.append(n)
            begin, level = n, 0.0
    return alarms, level


@pytest.mark.parametrize("run_length", [1, 12.5, 200])
def test_a_detector_adds_up_the_evidence_from_every_beginning(run_length: float) -> None:
    monitor = Monitor(run_length=run_length)
    monitor.add(DRAWN.y[:120], DRAWN.q[:120])
    alarms, level = by_hand(
        recalibration_gains(DRAWN.y[:120] == 1, DRAWN.q[:120]), math.log1p(run_length)
    )
    assert [x.case for x in monitor.alarms] == alarms
    assert alarms
    assert monitor.evidence[0].log_evidence == pytest.approx(level, abs=1e-9)
    assert monitor.evidence[0].log_threshold == math.log1p(run_length)


def test_an_alarm_of_one_claim_restarts_all() -> None:
    monitor = Monitor(run_length=1000, against="right")
    monitor.add([1], {"right": [0.9], "wrong": [0.0]})
    assert [(x.model, x.about) for x in monitor.alarms] == [("wrong", "calibration")]
    assert [x.log_evidence for x in monitor.evidence] == [0, 0, 0]
    assert [x.log_greatest for x in monitor.evidence] == [0, 0, 0]
    assert [x.cases for x in monitor.evidence] == [1, 1, 1]


def test_claims_that_are_alarms_at_once_are_all_told() -> None:
    monitor = Monitor(run_length=1000)
    monitor.add([1], {"one": [0.0], "other": [0.0]}, groups=["north"])
    assert [(x.model, x.group, x.case) for x in monitor.alarms] == [
        ("one", None, 1),
        ("one", "north", 1),
        ("other", None, 1),
        ("other", "north", 1),
    ]


def test_without_restarts_a_claim_is_an_alarm_once() -> None:
    monitor = Monitor(against="p")
    monitor.add(DRAWN.y, {"p": DRAWN.p, "q": 1 - DRAWN.p})
    told = [(x.model, x.about) for x in monitor.alarms]
    assert sorted(told) == [("q", "calibration"), ("q", "comparison")]
    for x in monitor.alarms:
        claim = next(e for e in monitor.evidence if (e.model, e.about) == (x.model, x.about))
        assert x.evidence >= claim.threshold * (1 - 1e-12)
        at = int(np.flatnonzero(claim.times == x.case)[0]) if x.case in claim.times else None
        assert at is None or claim.path[at] >= claim.log_threshold
        assert x.claim == claim.claim


# Shares


def test_claims_share_the_error_rate_equally() -> None:
    plain, against = Monitor(), Monitor(against=0.2, level=0.9)
    plain.add([1], [0.5])
    against.add([1], {"p": [0.5], "q": [0.4]})
    assert [x.threshold for x in plain.evidence] == pytest.approx([20])
    assert [x.threshold for x in against.evidence] == pytest.approx([40] * 4)


@pytest.mark.slow
@given(
    batches=st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=8), max_size=8),
    options=st.sampled_from([{}, {"against": "p"}, {"run_length": 100.0}]),
)
@settings(max_examples=60, deadline=None)
def test_shares_add_up_to_one_or_less_whatever_groups_come(
    batches: list[list[int]], options: dict[str, Any]
) -> None:
    monitor = Monitor(level=0.75, **options)
    known: dict[tuple[Any, ...], float] = {}
    for groups in batches:
        p = [0.5] * len(groups)
        monitor.add([0] * len(groups), {"p": p, "q": p}, groups=groups)
        now = {(x.model, x.about, x.group): x.log_threshold for x in monitor.evidence}
        # What is an alarm does not change once a claim is watched.
        assert known.items() <= now.items()
        known = now
    alpha = 0.25
    if "run_length" in options:
        shares = [options["run_length"] / math.expm1(x) for x in known.values()]
    else:
        shares = [math.exp(-x) / alpha for x in known.values()]
    assert sum(shares) <= 1 + 1e-12
    if batches:
        whole = sum(x for (*_, group), x in zip(known, shares, strict=True) if group is None)
        assert whole == pytest.approx(1 / 2)


def test_groups_that_come_later_share_what_was_kept_for_them() -> None:
    shares = [share_of_group(number, 4) for number in range(5000)]
    assert shares[:4] == [1 / 5] * 4
    assert math.fsum(shares[4:]) == pytest.approx(1 / 5, rel=1e-3)
    assert math.fsum(shares) < 1
    assert shares[4:] == sorted(shares[4:], reverse=True)


def test_a_group_that_comes_later_is_watched_from_then_on() -> None:
    monitor = Monitor()
    monitor.add([1, 0], [0.5, 0.5], groups=["north", "north"])
    monitor.add([1, 0], [0.3, 0.5], groups=["south", "north"])
    south = monitor.evidence[-1]
    assert (south.group, south.cases, south.events) == ("south", 1, 1)
    assert south.times.tolist() == [1, 2, 3, 4]
    assert south.path[:2].tolist() == [0, 0]
    expected = against_calibration([1], [0.3]).last
    assert south.path[2:].tolist() == [expected, expected]


# Batches


@pytest.mark.slow
@given(cuts=st.sets(st.integers(1, 299), max_size=12))
@settings(max_examples=25, deadline=None)
def test_splitting_into_batches_changes_not_a_bit(cuts: set[int]) -> None:
    for kind in ("lag", "restarts"):
        assert state(fed(kind, cuts=tuple(sorted(cuts)))) == state(fed(kind))


def test_clusters_and_groups_change_not_a_bit_if_batches_do_not_cut_them() -> None:
    # All groups are in the first batch, which says how the error rate is shared.
    ends = np.flatnonzero(DRAWN.clusters[1:] != DRAWN.clusters[:-1]) + 1
    cuts = tuple(int(x) for x in ends[20::37])
    for kind in ("all", "restarts, all", "lag, restarts, all"):
        assert state(fed(kind, cuts=cuts)) == state(fed(kind))


def late(kind: str, seed: int, cases: Drawn = DRAWN) -> Monitor:
    """Register cases in two batches; outcomes come in any order, some early, some twice."""
    rng = np.random.default_rng(seed)
    monitor = Monitor(**KINDS[kind][0])
    early = rng.choice(len(cases.y), 30, replace=False)
    monitor.add(cases.y[early], ids=cases.ids[early])
    monitor.add(cases.y[early[:5]], ids=cases.ids[early[:5]])
    y = np.where(rng.random(len(cases.y)) < 0.2, cases.y, np.nan)
    cut = int(np.flatnonzero(cases.clusters[1:] != cases.clusters[:-1])[90] + 1)
    for begin, end in ((0, cut), (cut, None), (0, cut)):
        some = cases.some(slice(begin, end))
        monitor.add(y[begin:end], some.models, ids=some.ids, **beside(kind, some))
        told = rng.choice(len(cases.y), 40, replace=False)
        monitor.add(cases.y[told], ids=cases.ids[told])
    order = rng.permutation(len(cases.y))
    for rows in np.array_split(np.concatenate([order, order[:40]]), 17):
        monitor.add(cases.y[rows], ids=cases.ids[rows])
    return monitor


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_late_early_and_repeated_outcomes_change_not_a_bit(kind: str, seed: int) -> None:
    monitor = late(kind, seed)
    assert monitor.to_dict()["overlap"] > 50
    # How late they came is known, and nothing else.
    monitor._register.overlap = 0
    assert state(monitor) == state(fed(kind))
    assert (monitor.open, monitor.waiting, monitor.early) == (0, 0, 0)


def test_cases_that_come_again_change_not_a_bit(kind: str) -> None:
    monitor = fed(kind)
    before = state(monitor)
    rows = DRAWN.some(slice(100, 250))
    found = monitor.add(rows.y, rows.models, ids=rows.ids, **beside(kind, rows))
    assert found == Added(again=150)
    assert monitor.add(rows.y, ids=rows.ids) == Added(again=150)
    assert monitor.add(None, rows.models, ids=rows.ids, **beside(kind, rows)) == Added(again=150)
    assert state(monitor) == before


def test_models_may_come_in_another_order() -> None:
    monitor = fed("against a model", DRAWN.some(slice(100)))
    monitor.add(DRAWN.y[100:], {"q": DRAWN.q[100:], "p": DRAWN.p[100:]}, ids=DRAWN.ids[100:])
    assert state(monitor) == state(fed("against a model"))


@pytest.mark.slow
@pytest.mark.parametrize("units", [399, 400, 401, 799, 800, 801, 3300])
def test_what_is_remembered_does_not_depend_on_batches(units: int) -> None:
    cases = drawn(units, seed=4)
    whole, parts = Monitor(), Monitor()
    whole.add(cases.y, cases.p, ids=cases.ids)
    for rows in np.array_split(np.arange(units), 23):
        parts.add(cases.y[rows], cases.p[rows], ids=cases.ids[rows])
    assert state(parts) == state(whole)
    found = whole.evidence[0]
    step = 1 << max(0, units // MOST_TIMES).bit_length()
    assert len(found.times) <= MOST_TIMES
    assert found.times[:-1].tolist() == list(range(step, found.times[-1], step))
    assert found.times[-1] == units
    path = [against_calibration(cases.y[:n], cases.p[:n]).last for n in found.times[::97]]
    assert found.path[::97].tolist() == path


# Outcomes that come later


@pytest.mark.parametrize("known", ["counted", "waiting", "early", "early and with its forecast"])
def test_what_came_first_counts_and_others_are_warned_of(known: str) -> None:
    monitor = Monitor()
    if known.startswith("early"):
        monitor.add([1], ids=["a"])
    else:
        y = [1, 1] if known == "counted" else [None, 1]
        monitor.add(y, [0.2, 0.3], ids=["first", "a"])
    before = state(monitor)
    p = [0.3] if known.endswith("forecast") else None
    message = r"^1 outcome differed from what had been told for the same ids before; what came"
    with pytest.warns(DataWarning, match=message) as caught:
        monitor.add([0], p, ids=["a"])
    assert caught[0].filename == __file__
    if p is None:
        assert state(monitor) == before
    else:
        assert monitor.evidence[0].events == 1


def test_a_warning_that_is_made_an_error_refuses_the_batch() -> None:
    monitor = Monitor()
    monitor.add([1], [0.2], ids=["a"])
    before = state(monitor)
    with pytest.raises(DataWarning, match=r"^1 outcome differed"):
        monitor.add([0, 1], [0.2, 0.5], ids=["a", "b"])
    assert state(monitor) == before


@pytest.mark.slow
@pytest.mark.parametrize("when", [100, 200, 300])
def test_it_does_not_matter_when_a_case_is_given_up(kind: str, when: int) -> None:
    gone = [17, 18, 60]
    y = np.where(np.isin(np.arange(300), [*gone, 250]), np.nan, DRAWN.y)
    monitors = []
    for at in (100, when):
        monitor = Monitor(**KINDS[kind][0])
        for end in (100, 200, 300):
            rows = DRAWN.some(slice(end - 100, end))
            monitor.add(y[end - 100 : end], rows.models, ids=rows.ids, **beside(kind, rows))
            if end == at:
                assert monitor.drop(DRAWN.ids[gone]) == 3
        monitors.append(monitor)
    assert state(monitors[0]) == state(monitors[1])
    assert monitors[0].open == 1


class Book:
    """What a monitor must know, by the plainest means."""

    def __init__(self) -> None:
        self.order: list[int] = []
        self.told: dict[int, int] = {}
        self.dropped: set[int] = set()

    @property
    def counts(self) -> tuple[int, int, int, int, int]:
        rest = [case for case in self.order if case not in self.dropped]
        is_open = [case not in self.told for case in rest]
        cases = is_open.index(True) if any(is_open) else len(rest)
        early = len(self.told.keys() - set(self.order))
        return cases, sum(is_open), len(rest) - cases - sum(is_open), early, len(self.dropped)

    @property
    def evidence(self) -> float:
        rest = [case for case in self.order if case not in self.dropped][: self.counts[0]]
        if not rest:
            return 0.0
        y = [self.told[case] for case in rest]
        return against_calibration(y, DRAWN.p[rest]).last


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore:.*differed from what had been told")
def test_whatever_happens_a_monitor_knows_what_was_told_first(seed: int, tmp_path: Path) -> None:
    rng, book, monitor, path = np.random.default_rng(seed), Book(), Monitor(), tmp_path / "state"
    events = rng.choice(["forecasts", "cases", "outcomes", "drop", "save"], 60)
    for what in [*events, "all outcomes"]:
        size = 80 if what == "all outcomes" else rng.integers(1, 12)
        some = rng.choice(80, size, replace=False)
        y = rng.integers(0, 2, len(some))
        if what == "drop":
            gone = {int(x) for x in some if x in book.order and x not in book.told} - book.dropped
            assert monitor.drop(some) == len(gone)
            book.dropped |= gone
        elif what == "save":
            monitor.save(path)
            monitor = Monitor.load(path)
        else:
            p = None if what.endswith("outcomes") else DRAWN.p[some]
            found = monitor.add(None if what == "forecasts" else y, p, ids=some)
            new = [int(x) for x in some if p is not None and x not in book.order]
            assert found.forecasts == len(new)
            book.order += new
            for case, outcome in zip(some.tolist(), y.tolist(), strict=True):
                if what != "forecasts" and case not in book.dropped:
                    book.told.setdefault(case, outcome)
        counts = (monitor.cases, monitor.open, monitor.waiting, monitor.early, monitor.dropped)
        assert counts == book.counts
        if monitor.evidence:
            assert monitor.evidence[0].log_evidence == book.evidence
    assert book.counts[0] > 20
    assert monitor.open == 0


# Rows without ids


def test_a_file_that_grows_is_read_from_where_it_ended() -> None:
    grown, whole = Monitor(), Monitor()
    for end, known in ((100, 0), (100, 100), (180, 100), (300, 180), (300, 300)):
        rows = DRAWN.some(slice(end))
        found = grown.add(rows.y, rows.models, groups=rows.groups, once=True)
        assert found == Added(end - known, end - known, again=known)
    whole.add(DRAWN.y, DRAWN.models, groups=DRAWN.groups)
    assert grown.evidence[0].log_evidence == whole.evidence[0].log_evidence
    assert grown.cases == 300


def test_batches_in_any_order_count_once() -> None:
    batches = [DRAWN.some(rows) for rows in np.array_split(np.arange(300), 6)]
    monitor = Monitor()
    for k in (3, 1, 3, 0, 1, 5, 2, 0, 4):
        monitor.add(batches[k].y, batches[k].models, once=True)
    assert monitor.cases == 300
    joined = [batches[k] for k in (4, 0, 2)]
    y = np.concatenate([x.y for x in joined])
    forecasts = {name: np.concatenate([x.models[name] for x in joined]) for name in ("q", "p")}
    assert monitor.add(y, forecasts, once=True) == Added(again=150)


@pytest.mark.parametrize("changed", ["y", "p", "q", "clusters", "groups"])
def test_rows_of_which_anything_differs_are_new(changed: str) -> None:
    monitor, rows = Monitor(), DRAWN.some(slice(50))

    def add(rows: Drawn) -> Added:
        labels: dict[str, Any] = {"clusters": rows.clusters, "groups": rows.groups}
        return monitor.add(rows.y, rows.models, **labels, once=True)

    assert add(rows).forecasts == 50
    column = getattr(rows, changed).copy()
    column[49] = 1 - column[49] if column.dtype.kind in "if" else "zz"
    assert add(rows._replace(**{changed: column})).forecasts == 50
    assert add(rows).again == 50


# Maps


@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("map_", [Logistic(), Beta(), Isotonic()], ids=repr)
def test_a_monitor_with_a_map_watches_what_it_makes_of_forecasts(map_: Any, by_name: bool) -> None:
    fitted = map_.fit(properly.tally(DRAWN.y, DRAWN.q))
    mapped, watched = Monitor(maps={"forecast": fitted} if by_name else fitted), Monitor()
    mapped.add(DRAWN.y, DRAWN.q)
    watched.add(DRAWN.y, fitted.at(DRAWN.q))
    found, expected = mapped.evidence[0], watched.evidence[0]
    assert found.log_evidence == expected.log_evidence
    assert found.mean_forecast == expected.mean_forecast
    np.testing.assert_array_equal(found.path, expected.path)


def test_of_several_models_some_may_have_a_map() -> None:
    fitted = Logistic(intercept=0.1, slope=0.8)
    mapped, watched = Monitor(against="p", maps={"q": fitted}), Monitor(against="p")
    mapped.add(DRAWN.y, DRAWN.models)
    watched.add(DRAWN.y, {"p": DRAWN.p, "q": fitted.at(DRAWN.q)})
    for found, expected in zip(mapped.evidence, watched.evidence, strict=True):
        assert found.log_evidence == expected.log_evidence


# Refusals


def refused(monitor: Monitor, *args: Any, **options: Any) -> None:
    before = state(monitor)
    with pytest.raises(DataError):
        monitor.add(*args, **options)
    assert state(monitor) == before


@pytest.mark.parametrize("begun", [False, True])
def test_a_batch_that_is_refused_changes_nothing(begun: bool) -> None:
    monitor = Monitor(against="p")
    good = {"p": [0.2, 0.3], "q": [0.2, 0.4]}
    if begun:
        monitor.add([1, None], good, ids=["a", "b"], groups=["x", "y"])
        refused(monitor, [1, 0], good, ids=["c", "d"])
        refused(monitor, [1, 0], good, groups=["x", "y"])
        refused(monitor, [1, 0], {"p": [0.2, 0.3]}, ids=["c", "d"], groups=["x", "y"])
    refused(monitor, [1, 2], good, ids=["c", "d"], groups=["x", "y"])
    refused(monitor, [1, 0], good | {"q": [0.2, 1.4]}, ids=["c", "d"], groups=["x", "y"])
    refused(monitor, [1, 0], good, ids=["c", "c"], groups=["x", "y"])
    refused(monitor, [1, 0], good, ids=["c", None], groups=["x", "y"])
    refused(monitor, [1, 0], good, ids=["c", "d"], groups=["x", None])
    refused(monitor, [1, 0], good, ids=["c", "d"], groups=["x"])
    refused(monitor, [1], good, ids=["c", "d"], groups=["x", "y"])
    refused(monitor, [1, None], good, groups=["x", "y"])
    refused(monitor, None, good)
    refused(monitor)
    refused(monitor, [1, 0], ids=["b", "a"], groups=["x", "y"])
    refused(monitor, [1, "no"], ids=["b", "a"])
    refused(monitor, [1, 0], {"q": [0.2, 0.3]}, ids=["c", "d"], groups=["x", "y"])
    names = [str(k) for k in range(1001)]
    many = {"p": [0.5] * 1001, "q": [0.5] * 1001}
    refused(monitor, [0] * 1001, many, ids=names, groups=names)


@pytest.mark.parametrize("y", [[1, 0, None], [True, False, None], [1.0, 0.0, math.nan]])
def test_outcomes_that_are_missing_may_be_of_any_kind(y: list[Any]) -> None:
    expected = Monitor()
    expected.add([1, 0], [0.2, 0.3], ids=["a", "b"])
    expected.add(None, [0.4], ids=["c"])
    for given_ in (y, np.array(y, object)):
        monitor = Monitor()
        assert monitor.add(given_, [0.2, 0.3, 0.4], ids=["a", "b", "c"]) == Added(3, 2)
        assert state(monitor) == state(expected)


def test_the_event_may_have_a_label_of_its_own() -> None:
    monitor, expected = Monitor(pos_label="yes"), Monitor()
    monitor.add(["yes", None, "no"], [0.2, 0.3, 0.4], ids=[1, 2, 3])
    monitor.add(["no"], ids=[2])
    expected.add([1, 0, 0], [0.2, 0.3, 0.4], ids=[1, 2, 3])
    assert monitor.evidence[0].log_evidence == expected.evidence[0].log_evidence
    assert monitor.evidence[0].events == 1


# What is said


def test_a_monitor_is_a_dictionary_and_a_frame_of_its_evidence(kind: str) -> None:
    monitor = fed(kind)
    told = monitor.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert len(told["evidence"]) == len(monitor.evidence)
    assert len(told["alarms"]) == len(monitor.alarms)
    frame = monitor.to_frame("polars")
    assert frame["log_evidence"].to_list() == [x.log_evidence for x in monitor.evidence]
    assert frame["group"].to_list() == [x.group for x in monitor.evidence]


def test_counts_and_means_of_evidence_are_those_of_its_cases() -> None:
    for x in fed("all").evidence:
        rows = DRAWN.groups == x.group if x.group else np.full(300, fill_value=True)
        p, y = DRAWN.models[x.model][rows], DRAWN.y[rows]
        assert (x.cases, x.events) == (rows.sum(), y.sum())
        assert (x.mean_forecast, x.event_rate) == pytest.approx((p.mean(), y.mean()), rel=1e-12)


def test_a_cluster_waits_for_all_of_its_cases() -> None:
    monitor = Monitor()
    monitor.add([1, 1, None], [0.2] * 3, ids=["a", "b", "c"], clusters=["x", "y", "x"])
    assert (monitor.cases, monitor.open, monitor.waiting) == (0, 1, 2)
    monitor.add([0], ids=["c"])
    assert (monitor.cases, monitor.open, monitor.waiting) == (3, 0, 0)


def test_rows_whose_labels_read_the_same_when_joined_are_not_the_same() -> None:
    monitor = Monitor()
    for clusters in (["ab", "c"], ["a", "bc"]):
        found = monitor.add([1, 0], [0.5, 0.5], clusters=clusters, groups=["d", "e"], once=True)
        assert found.again == 0
