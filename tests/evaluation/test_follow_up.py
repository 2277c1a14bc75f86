"""Follow-up times beside a status are noticed, and times of forecasts, ages and stays are not."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.command_line import run

import properly
from properly.evaluation._checkup._notes import follow_up_symptoms, named_like_follow_up
from properly.rules import Brier

RNG = np.random.default_rng(5)
N = 400
# Events at a constant rate; people enter over two years, and all leave at the end of the third.
EVENT, LEFT = RNG.exponential(3, N), RNG.uniform(1, 3, N)
T, Y = np.minimum(EVENT, LEFT), (EVENT < LEFT).astype(int)
P = RNG.uniform(0.1, 0.9, N)


def found(outcome: str, column: str, x: Any = T, y: Any = Y, **given: Any) -> list[str]:
    columns = dict.fromkeys(named_like_follow_up([column], outcome), x)
    return [symptom.where for symptom in follow_up_symptoms(outcome, y, columns, **given)]


@pytest.mark.parametrize(
    ("outcome", "column"),
    [
        ("status", "time"),
        ("event", "survivalTime"),
        ("DEATH", "FollowUp_Years"),
        ("y", "follow.up"),
        ("censored", "months"),
        ("relapse", "pfs"),
        ("died", "time_to_event"),
    ],
)
def test_follow_up_is_known_by_its_name_and_its_numbers(outcome: str, column: str) -> None:
    assert found(outcome, column) == ["outcome"]
    assert found(outcome, column, time=column) == ["time", "outcome"]


def test_a_status_may_have_other_labels_and_gaps() -> None:
    competing = np.where((Y == 0) & (np.arange(N) % 5 == 0), 2, Y)
    assert found("status", "futime", y=competing) == ["outcome"]
    assert found("status", "time", y=Y + 1) == ["outcome"]
    assert found("status", "time", y=np.where(Y, "dead", "alive"), pos_label="dead") == ["outcome"]
    assert found("status", "time", x=np.where(np.arange(N) % 9, T, np.nan)) == ["outcome"]


def _at_a_fixed_time() -> tuple[Any, Any]:
    known = (EVENT < 1) | (LEFT >= 1)
    return np.where(known, T, 1.5), (EVENT < 1).astype(int)


@pytest.mark.parametrize(
    ("outcome", "column", "x", "y"),
    [
        pytest.param("status", "age_years", T, Y, id="age"),
        pytest.param("y", "time", T, Y, id="neither is named so"),
        pytest.param("status", "p", T, Y, id="another name"),
        pytest.param("event", "time", np.arange(N), Y, id="in order"),
        pytest.param("event", "days", np.tile(np.arange(N // 4), 4), Y, id="a panel"),
        pytest.param("event", "time", RNG.permutation(N), Y, id="no relation"),
        pytest.param("died", "days", T[::-1] * (1 + Y), Y, id="longer with the event"),
        pytest.param("died", "survival", T / 4, Y, id="within 0 and 1"),
        pytest.param("status", "time", T - 1, Y, id="negative"),
        pytest.param("status", "time", np.round(T), Y, id="few values"),
        pytest.param("status", "time", T.astype(str), Y, id="text"),
        pytest.param("died", "follow_up", *_at_a_fixed_time(), id="an outcome at a fixed time"),
        pytest.param("status", "futime", T, np.zeros(N, int), id="no event"),
        pytest.param("status", "futime", T[1:], Y, id="another length"),
        pytest.param("status", "futime", T, np.stack([Y, 1 - Y], axis=1), id="rows"),
        pytest.param("grade", "futime", T, np.arange(N) % 5, id="grades"),
    ],
)
def test_other_numbers_are_no_follow_up(outcome: str, column: str, x: Any, y: Any) -> None:
    assert found(outcome, column, x, y) == []


def test_times_that_have_nothing_to_do_with_the_event_are_seldom_taken_for_follow_up() -> None:
    rng = np.random.default_rng(1)
    events = (rng.random((200, N)) < 0.3).astype(int)
    alarms = sum(bool(found("event", "time", rng.permutation(N), y)) for y in events)
    # Six standard errors above half a per cent.
    assert alarms <= 7


@pytest.mark.parametrize("library", [pd.DataFrame, pl.LazyFrame])
def test_an_evaluation_of_a_frame_notes_follow_up(library: Any) -> None:
    frame = library({"status": Y, "p": P, "futime": T})
    e = properly.evaluate(frame, ["p"], outcome="status", rules=Brier(), replicates=0)
    assert [note for note in e.notes if "censored" in note] == [e.notes[0]]


def test_an_outcome_at_a_fixed_time_is_known_by_the_status_beside_it() -> None:
    within = ((Y == 1) & (T < 2)).astype(int)
    columns = {"within_2_years": within, "time": T, "p": P}
    for more, notes in (({"status": Y}, 1), ({"site": np.arange(N) % 3}, 0)):
        frame = pd.DataFrame(columns | more)
        e = properly.evaluate(frame, ["p"], outcome="within_2_years", rules=Brier(), replicates=0)
        assert sum("'time' beside 'within_2_years' looks like" in x for x in e.notes) == notes


def test_columns_with_names_are_looked_at_in_an_evaluation() -> None:
    y, t = pd.Series(Y, name="status"), pd.Series(T, name="futime")
    e = properly.evaluate(y, P, time=t, rules=Brier(), replicates=0)
    assert e.notes[0].startswith("time= means the calendar order of forecasts, not follow-up")
    assert e.notes[1].startswith("'futime' beside 'status' looks like follow-up time")
    frame = pd.DataFrame({"status": Y, "p": P, "futime": T})
    of_frame: Any = {"outcome": "status", "time": "futime", "rules": Brier(), "replicates": 0}
    assert properly.evaluate(frame, ["p"], **of_frame).notes == tuple(
        note.replace("of forecast at", "of p at") for note in e.notes
    )


def test_a_file_is_looked_at_by_check_and_score(tmp_path: Any) -> None:
    file = tmp_path / "cohort.csv"
    pl.DataFrame({"status": Y, "p": P, "futime": T}).write_csv(file)
    options = (str(file), "--outcome", "status", "--forecast", "p")
    checked = run("check", *options, "--time", "futime")
    assert "time: --time means the calendar order of forecasts, not follow-up" in checked.stdout
    assert "outcome: 'futime' beside 'status' looks like follow-up time" in checked.stdout
    assert checked.exit_code == 0
    scored = run("score", *options, "--rule", "brier", "--format", "json")
    assert "Warning: 'futime' beside 'status' looks like follow-up time" in scored.stderr
    assert "--time" not in scored.stderr
    assert "looks like follow-up time" in json.loads(scored.stdout)["notes"][0]
