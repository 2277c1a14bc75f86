"""What the checkup finds, and what it leaves alone."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import properly
from properly.errors import ProperlyError
from properly.evaluation import check
from properly.evaluation._checkup._check import Checkup

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from properly.evaluation._checkup._symptom import Symptom

    Floats = NDArray[np.float64]

RNG = np.random.default_rng(8)
ROWS = 400
P = RNG.beta(1, 3, ROWS)
Y = (RNG.random(ROWS) < P).astype(int)
HOSTILE = "<b>\x1b[31m\n{{x}}\u202e"
GRADES = RNG.dirichlet(np.ones(3), ROWS)
GRADE = (RNG.random(ROWS)[:, None] > np.cumsum(GRADES, axis=1)).sum(axis=1)


def changed(x: Any, row: int, value: Any) -> Any:
    """Put another value into one row of a column of objects."""
    found = np.array(x, dtype=object)
    found[row] = value
    return found


def where(found: Checkup, severity: str | None = None) -> list[str]:
    return [s.where for s in found.findings if severity in (None, s.severity)]


def only(found: Checkup) -> Symptom:
    (symptom,) = found.findings
    return symptom


# Healthy data.


def test_nothing_is_found_in_healthy_data() -> None:
    found = check(Y, {"model": P})
    assert found == Checkup((), ROWS, ("model",))
    assert found.is_fine
    assert str(found) == "400 rows, 1 model: no problems\n\nNothing was found."


def test_nothing_is_found_in_healthy_classes() -> None:
    assert check(GRADE, GRADES).findings == ()
    assert check(GRADE, GRADES, task="ordinal").findings == ()
    words = np.array(["a", "b", "c"])[GRADE]
    assert check(words, GRADES).findings == ()
    assert check(words, GRADES, labels=["a", "b", "c"], task="ordinal").findings == ()
    assert check(np.eye(3)[GRADE], GRADES).findings == ()


def test_healthy_weights_clusters_groups_and_times_are_left_alone() -> None:
    weight = RNG.uniform(1, 2, ROWS)
    found = check(
        Y,
        P,
        weight=weight,
        clusters=np.arange(ROWS) // 2,
        groups=np.arange(ROWS) % 2,
        time=RNG.permutation(ROWS),
    )
    assert found.findings == ()


# What scoring refuses is a problem.

REFUSED: dict[str, Callable[[], tuple[Any, Any, dict[str, Any]]]] = {
    "missing outcome": lambda: (changed(Y, 3, None), P, {}),
    "missing forecast": lambda: (Y, changed(P, 3, math.nan), {}),
    "text": lambda: (Y, changed(P, 3, "n/a"), {}),
    "numbers as text": lambda: (Y, P.astype(str), {}),
    "infinite": lambda: (Y, changed(P, 3, math.inf), {}),
    "percent": lambda: (Y, 100 * P, {}),
    "logits": lambda: (Y, np.log(P / (1 - P)), {}),
    "one outside": lambda: (Y, changed(P, 3, 1.7), {}),
    "three labels": lambda: (GRADE, P, {}),
    "text labels": lambda: (np.where(Y, "yes", "no"), P, {}),
    "labels 1 and 2": lambda: (Y + 1, P, {}),
    "another event": lambda: (np.where(Y, "yes", "no"), P, {"pos_label": "Yes"}),
    "swapped": lambda: (P, Y, {}),
    "lengths": lambda: (Y[1:], P, {}),
    "nothing": lambda: ([], [], {}),
    "two dimensions": lambda: (Y, P[:, None], {}),
    "no column": lambda: (Y, 0.5, {}),
    "negative weight": lambda: (Y, P, {"weight": changed(np.ones(ROWS), 0, -1.0)}),
    "no weight": lambda: (Y, P, {"weight": np.zeros(ROWS)}),
    "missing weight": lambda: (Y, P, {"weight": changed(np.ones(ROWS), 0, None)}),
    "huge weight": lambda: (Y, P, {"weight": changed(np.ones(ROWS), 0, 1e200)}),
    "negative count": lambda: (Y, P, {"count": changed(np.ones(ROWS), 0, -1.0)}),
    "broken count": lambda: (Y, P, {"count": changed(np.ones(ROWS), 0, 0.5)}),
    "no count": lambda: (Y, P, {"count": np.zeros(ROWS)}),
    "missing count": lambda: (Y, P, {"count": changed(np.ones(ROWS), 0, None)}),
    "short count": lambda: (Y, P, {"count": np.ones(ROWS - 1)}),
    "short weight": lambda: (Y, P, {"weight": np.ones(ROWS - 1)}),
    "sums": lambda: (GRADE, 2 * GRADES, {}),
    "negative class": lambda: (GRADE, np.log(GRADES), {}),
    "outside classes": lambda: (GRADE + 1, GRADES, {}),
    "ordinal words": lambda: (np.array(["a", "b", "c"])[GRADE], GRADES, {"task": "ordinal"}),
    "labels short": lambda: (GRADE, GRADES, {"labels": ["a", "b"]}),
    "two ones": lambda: (np.ones((ROWS, 3)), GRADES, {}),
    "one column too few": lambda: (np.eye(2)[Y], GRADES, {}),
    "mixed": lambda: (Y, {"a": P, "b": GRADES}, {}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_scoring_refuses_is_a_problem(name: str) -> None:
    y, forecasts, options = REFUSED[name]()
    with pytest.raises(ProperlyError):
        properly.evaluate(y, forecasts, **options)
    assert not check(y, forecasts, **options).is_fine


ODD = st.sampled_from([None, math.nan, math.inf, -1, 2, 50, "x", "0.5", "", b"1", 1e308, 1 + 1e-9])
OUTCOMES = st.lists(st.sampled_from([0, 1, True, 1.0]) | ODD, min_size=1, max_size=6)
FORECASTS = st.lists(st.floats(0, 1) | ODD, min_size=1, max_size=6)


@examples(80)
@given(y=OUTCOMES, p=FORECASTS, weight=st.none() | st.lists(st.integers(0, 3) | ODD, max_size=6))
def test_what_is_fine_is_not_refused_and_nothing_is_ever_raised(
    y: Any, p: Any, weight: Any
) -> None:
    found = check(y, {"model": p}, weight=weight)
    json.dumps(found.to_dict(), allow_nan=False)
    assert str(found).startswith(f"{len(y)} row")
    if found.is_fine:
        assert properly.tally(y, p, weight=weight).total >= 0


@pytest.mark.parametrize(
    "column",
    [
        None,
        "text",
        {},
        object(),
        [object(), {}, [1]],
        np.zeros((2, 2, 2)),
        np.zeros((3, 0)),
        [[1, 2], [3]],
        np.array(["NaT", "2020-01-01"], dtype="M8[ns]"),
        np.array([1j, 2]),
        np.array([10**400, 0.5, None], dtype=object),
        np.ma.masked_array([0.5, 0.25], mask=[True, False]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_strange_columns_are_problems_not_errors(column: Any) -> None:
    assert not check([0, 1], {"model": column}).is_fine
    assert not check(column, {"model": [0.25, 0.5]}).is_fine
    known = {"weight": column} if column is not None else {"weight": "text"}
    assert not check([0, 1], {"model": [0.25, 0.5]}, **known).is_fine


# Outcomes.


@pytest.mark.parametrize(("events", "odd"), [(9, True), (10, False)])
def test_fewer_than_ten_events_or_others_are_odd(events: int, odd: bool) -> None:
    y = np.arange(100) < events
    p = RNG.uniform(0.05, 0.15, 100)
    assert ("outcome" in where(check(y, p), "oddity")) is odd
    assert ("outcome" in where(check(~y, 1 - p), "oddity")) is odd


# Forecasts by themselves.


def test_slips_among_probabilities_are_not_taken_for_percent() -> None:
    few = P.copy()
    few[: ROWS // 20 - 1] = np.linspace(2, 90, ROWS // 20 - 1)
    assert "percentages are" not in only(check(Y, few)).what
    few[ROWS // 20 - 1] = 95.5
    assert "percentages are" in only(check(Y, few)).what


# Forecasts beside outcomes.


def test_a_perfect_order_is_odd_from_ten_events_on() -> None:
    y = np.arange(40) >= 20
    p = np.linspace(0.213, 0.787, 40)
    assert "AUC 1" in only(check(y, p)).what
    p[[19, 20]] = p[[20, 19]]
    assert check(y, p).findings == ()
    assert all("AUC" not in s.what for s in check([0, 0, 1, 1], [0.11, 0.2, 0.7, 0.8]).findings)
    near = np.where(y, 1 - 1e-3, 1e-3) + np.linspace(-1e-4, 1e-4, 40)
    assert only(check(y, near)).what == "every forecast is within 0.001 of what happened"


def test_an_inverted_forecast_is_odd_by_delongs_interval() -> None:
    other = check(Y, 1 - P).findings
    assert any("worse than chance" in s.what for s in other)
    noise = np.random.default_rng(3).beta(1, 3, ROWS)
    assert not any("worse than chance" in s.what for s in check(Y, noise).findings)


def test_a_mean_far_off_needs_five_standard_errors_and_a_quarter_of_the_odds() -> None:
    balanced = P / (P + (1 - P) / 3)
    assert "with_event_rate" in only(check(Y, balanced)).advice
    # Significant by far among many cases, but small.
    p = np.linspace(0.3, 0.5, 100_000)
    y = np.arange(100_000) % 100 < 42
    assert abs((y - p).sum()) / math.sqrt((p * (1 - p)).sum()) > 5
    assert check(y, p).findings == ()
    # Large, but among too few cases.
    assert all("mean" not in s.what for s in check(Y[:15], balanced[:15]).findings)


# Classes.


def test_the_worst_row_is_named_and_single_precision_is_forgiven() -> None:
    p = GRADES.copy()
    p[3] *= 1.01
    p[8] *= 1.2
    found = only(check(GRADE, p))
    assert (found.rows, found.what) == (
        (3, 8),
        "2 of 400 rows do not sum to 1; row 8 sums to 1.2, farthest off",
    )
    single = GRADES.astype(np.float32)
    single[0, 0] += 1e-5
    assert check(GRADE, single).findings == ()


def test_names_of_columns_name_the_classes() -> None:
    frame = pytest.importorskip("polars").DataFrame(dict(zip("zba", GRADES.T, strict=True)))
    words = np.array(["z", "b", "a"])[GRADE]
    assert check(words, {"model": frame}).findings == ()


# Rows, weights, clusters, groups, time.


def test_copied_rows_are_found_and_equal_predictors_are_not() -> None:
    copied = np.concatenate([np.arange(ROWS), np.arange(20)])
    found = only(check(Y[copied], P[copied]))
    assert (found.where, found.count, found.rows[:2]) == ("rows", 20, (ROWS, ROWS + 1))
    # Where nothing happened, copies cannot be told from equal predictors.
    quiet = np.concatenate([np.arange(ROWS), np.flatnonzero(Y == 0)[:20]])
    assert check(Y[quiet], P[quiet]).findings == ()
    # Up to one row in a hundred.
    few = np.concatenate([np.arange(ROWS), np.arange(4)])
    assert check(Y[few], P[few]).findings == ()
    # Equal predictors make equal forecasts, and outcomes differ as chance has it.
    values = np.random.default_rng(5).uniform(0.2, 0.8, 100)
    p = np.repeat(values, 4)
    y = np.random.default_rng(6).random(400) < p
    assert check(y, p).findings == ()
    # Three decimals are no fingerprint.
    short = np.round(P[copied], 3) + 0.001
    assert check(Y[copied], short).findings == ()


def test_copied_rows_must_agree_in_every_model_and_class() -> None:
    copied = np.concatenate([np.arange(ROWS), np.arange(40)])
    other = np.random.default_rng(7).uniform(0.05, 0.5, ROWS + 40)
    models = {"model": P[copied], "other": np.round(other, 4)}
    assert "rows" not in where(check(Y[copied], models))
    assert "rows" in where(check(GRADE[copied], GRADES[copied]))


def weigh(weight: Any) -> Checkup:
    return check(Y, P, weight=weight)


def test_counts_count_for_the_mean_and_for_few_events() -> None:
    count = np.where(Y == 1, 1, 20)
    found = [x.what for x in check(Y, P, count=count).of("oddity")]
    rate = Y @ count / count.sum()
    assert f"{P @ count / count.sum():.4g}, the event rate {rate:.4g}" in found[0]
    few, y = np.array([0.2, 0.3, 0.4]), [0, 1, 1]
    assert "there is only 1 non-event" in [x.what for x in check(y, few).of("oddity")]
    assert "there are only 4 non-events" in [
        x.what for x in check(y, few, count=[4, 30, 30]).of("oddity")
    ]


def test_a_heavy_case_is_found() -> None:
    weight = np.linspace(1, 1.1, ROWS)
    weight[17] = 0.06 / 0.94 * (weight.sum() - weight[17])
    found = weigh(weight)
    heavy = found.of("oddity")[0]
    assert (heavy.rows, heavy.what) == ((17,), "the heaviest case holds 6.0% of the weight")
    weight[17] = 0.03 * weight.sum()
    assert weigh(weight).findings == ()


@pytest.mark.parametrize(
    ("count", "severity"),
    [(1, "problem"), (2, "oddity"), (19, "oddity"), (20, None), (ROWS, None)],
)
def test_clusters_are_counted(count: int, severity: str | None) -> None:
    found = check(Y, P, clusters=np.arange(ROWS) % count)
    assert [s.severity for s in found.findings] == ([] if severity is None else [severity])


def test_times_may_be_in_any_order_but_not_missing() -> None:
    days = np.arange(ROWS).astype("M8[D]")[::-1].copy()
    assert check(Y, P, time=days).findings == ()
    days[4] = "NaT"
    assert (only(check(Y, P, time=days)).where, only(check(Y, P, time=days)).rows) == ("time", (4,))


@pytest.mark.parametrize("times", [["2020-01-01", "2020-02-01"] * 30, [1, "b"] * 30])
def test_times_that_scoring_refuses_are_a_problem(times: list[Any]) -> None:
    with pytest.raises(ProperlyError, match="times must be numbers or dates"):
        properly.evaluate([0, 1] * 30, [0.25, 0.5] * 30, time=times, replicates=0)
    (found,) = check([0, 1] * 30, [0.25, 0.5] * 30, time=times).problems
    assert (found.where, found.count) == ("time", sum(isinstance(x, str) for x in times))


# What comes in, and what goes out.


def test_frames_of_every_library_are_read_as_models() -> None:
    columns = {"a": [0.125, None, 0.5], "b": [0.25, 0.5, 0.75]}
    for name in ("pandas", "polars", "pyarrow"):
        library = pytest.importorskip(name)
        frame = library.table(columns) if name == "pyarrow" else library.DataFrame(columns)
        found = check([0, 1, 1], frame)
        assert found.models == ("a", "b")
        assert [(s.where, s.rows) for s in found.problems] == [("a", (1,))]


def test_problems_come_first_and_a_record_becomes_a_frame() -> None:
    found = check(changed(Y, 0, None), {"a": np.round(P, 2), "b": 100 * P}, weight=np.ones(ROWS))
    order = [s.severity for s in found.findings]
    assert order == sorted(order, key=["problem", "oddity", "note"].index)
    frame = found.to_frame("polars")
    assert frame["severity"].to_list() == order
    assert frame["rows"][0] == "0"
    assert check(Y, P).to_frame("polars").shape == (0, 6)
    assert json.loads(json.dumps(found.to_dict()))["findings"][0]["rows"] == [0]


def test_hostile_names_and_values_are_shown_and_not_obeyed() -> None:
    found = check([HOSTILE, "b", "c"], {HOSTILE: [0.5, HOSTILE, 2.0], "b": [0.5, 0.25, 0.125]})
    assert found.models[0] == HOSTILE
    text = str(found)
    assert all(line.isprintable() for line in text.split("\n"))
    assert "\\x1b[31m\\n{{x}}\\u202e" in text


def test_nothing_that_was_handed_in_is_changed() -> None:
    y, p, weight = changed(Y, 0, None), changed(P, 1, "x"), np.ones(ROWS)
    before = [x.copy() for x in (y, p, weight)]
    check(y, {"model": p}, weight=weight)
    for x, was in zip((y, p, weight), before, strict=True):
        assert x.tolist() == was.tolist()


def test_several_cases_at_one_time_want_clusters() -> None:
    shared = np.arange(ROWS) // 2
    found = only(check(Y, P, time=shared))
    assert (found.severity, found.where) == ("note", "time")
    # Few times are not allowed for, and one case a time has none beside it.
    for time in (np.arange(ROWS) % 19, np.arange(ROWS)):
        assert check(Y, P, time=time).findings == ()
    assert check(Y, P, time=shared, clusters=np.arange(ROWS) % 25).findings == ()
