"""`check_answers`: what is wrong or odd in a long table, each with a table made for it."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl

from properly import evaluation
from properly.evaluation import check_answers

if TYPE_CHECKING:
    from properly.evaluation._checkup._check import Checkup
    from properly.evaluation._checkup._symptom import Symptom

REFERENCE = Path(__file__).parents[1] / "reference" / "real_data"
# What the reference calls an error is a problem here.
KINDS = {"error": "problem", "warning": "oddity", "note": "note"}
COLUMNS = ("question", "forecaster", "probability", "outcome")


def table(*rows: tuple[Any, ...], more: tuple[str, ...] = ()) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=[*COLUMNS, *more])


def of(found: Checkup, name: str) -> Symptom:
    (one,) = (symptom for symptom in found.findings if symptom.name == name)
    return one


def names(found: Checkup) -> list[str]:
    return [symptom.name or "" for symptom in found.findings]


def board(seed: int = 1, questions: int = 30, who: str = "ABC") -> pd.DataFrame:
    """Make a table without gaps."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, questions)
    rows = [
        (f"q{i:02}", j, round(rng.uniform(0.1, 0.9), 3), y[i])
        for i in range(questions)
        for j in who
    ]
    return table(*rows)


def test_a_table_without_gaps_has_nothing_to_find() -> None:
    found = check_answers(board())
    assert (found.findings, found.is_fine) == ((), True)
    assert repr(found) == "Checkup(90 rows, 30 questions, 3 forecasters: no problems)"
    assert found.to_dict()["questions"] == 30


def test_the_messy_table_has_what_the_reference_found() -> None:
    found = check_answers(pd.read_csv(REFERENCE / "messy.csv"), weight="weight")
    with (REFERENCE / "messy_findings.csv").open(encoding="utf-8", newline="") as file:
        expected = list(csv.DictReader(file))
    assert len(expected) == 7
    for row in expected:
        symptom = of(found, row["finding"])
        assert symptom.severity == KINDS[row["kind"]]
        what = symptom.what.partition("; ")[2]
        assert re.search(r"\d+", what)[0] == row["number"]  # type: ignore[index]
        where = row["where"]
        if row["finding"] == "repeated-key":
            assert "1 with identical rows, 1 with different ones" in what
        elif row["finding"] == "not-connected":
            parts = where.removeprefix("parts: ").split(" | ")
            listed = " | ".join(", ".join(map(repr, part.split())) for part in parts)
            assert what.endswith(f": {listed}")
        else:
            named = where.removeprefix("rows of ").split()
            assert re.findall(r"'(\w+)'", what) == named
    # What the reference was not asked about, since nobody put it there.
    others = set(names(found)) - {row["finding"] for row in expected}
    assert others == {"few-answers"}
    assert not {symptom.severity for symptom in found.findings if symptom.name in others} - {
        "oddity"
    }


def test_rows_are_those_of_the_table_though_some_are_left_out() -> None:
    found = check_answers(pd.read_csv(REFERENCE / "messy.csv"), weight="weight")
    assert of(found, "few-answers").rows == (490, 491, 492)
    assert of(found, "repeated-key").rows == (5, 9, 488, 489)


def test_the_order_of_rows_does_not_matter() -> None:
    data = pd.read_csv(REFERENCE / "messy.csv")
    back = check_answers(data[::-1], weight="weight")
    there = check_answers(data, weight="weight")
    # Which of two rows of one key is the first is a matter of order; here neither changes words.
    assert sorted(names(back)) == sorted(names(there))
    for name in ("not-connected", "one-forecaster", "contradictory-outcome", "few-answers"):
        assert of(back, name).what == of(there, name).what


def test_forecasters_who_are_alone_are_a_part_and_those_without_answers_none() -> None:
    alone = table(("z", "X", 0.5, 1), ("q00", "Y", None, 1))
    found = check_answers(pd.concat([board(), alone], ignore_index=True))
    assert "2 parts have none: 'A', 'B', 'C' | 'X'" in of(found, "not-connected").what


def test_classes_are_looked_at_too() -> None:
    data = pd.read_csv(REFERENCE / "classes.csv")
    columns: dict[str, Any] = {"probability": ["p_a", "p_b", "p_c"], "labels": ["a", "b", "c"]}
    assert check_answers(data, **columns).is_fine
    row = int(np.flatnonzero(data.outcome == "b")[0])
    data.loc[row, ["p_a", "p_b", "p_c"]] = [0.5, 0.0, 0.5]
    assert of(check_answers(data, **columns), "certain-and-wrong").rows == (row,)
    data.loc[row, "p_a"] = 0.75
    (found,) = check_answers(data, **columns).findings
    assert found.what == f"1 of 172 rows does not sum to 1; row {row} sums to 1.25, farthest off"


def test_forecasts_that_stand_for_a_time() -> None:
    data = pd.read_csv(REFERENCE / "updates.csv")
    columns: dict[str, Any] = {name: name for name in ("time", "opens", "closes", "resolved")}
    assert names(check_answers(data, **columns)) == ["several-answers"]
    assert check_answers(data, **columns, repeated="moments").is_fine
    assert check_answers(data, **columns, repeated="mean-loss").is_fine
    assert check_answers(data, **columns, repeated="last", horizon=10).is_fine


def test_arrays_and_frames_of_any_library_say_the_same() -> None:
    data = pd.read_csv(REFERENCE / "messy.csv")
    expected = str(check_answers(data, weight="weight"))
    assert str(check_answers(pl.from_pandas(data), weight="weight")) == expected
    arrays: dict[str, Any] = {name: data[name] for name in (*COLUMNS, "weight")}
    assert str(check_answers(**arrays)) == expected


def test_findings_are_written_with_their_names() -> None:
    found = check_answers(pd.read_csv(REFERENCE / "messy.csv"), weight="weight")
    assert [x["name"] for x in found.to_dict()["findings"]] == names(found)
    assert found.to_frame("polars")["name"].to_list() == names(found)
    plain = evaluation.check([0, 1], [0.2, 1.7])
    assert all("name" not in x for x in plain.to_dict()["findings"])
    assert "name" not in plain.to_frame("polars").columns


def test_names_are_data() -> None:
    wild = "\x1b[31mred</script>"
    data = board(who=("A", wild))  # type: ignore[arg-type]
    data.loc[1, "probability"] = 1 - data.loc[1, "outcome"]
    text = str(check_answers(data))
    assert "\x1b" not in text
    assert r"'\x1b[31mred</script>' (1)" in text


def test_nothing_is_found_where_there_is_just_enough() -> None:
    data = board()
    repeated = table(("q", "A", 0.5, 1), ("q", "B", 0.5, 1), ("q", "A", 0.6, 1))
    assert "repeated-key" not in names(check_answers(repeated, repeated="pool"))
    later = pd.concat([data.assign(time=1), data.head(2).assign(time=2, probability=0.5)])
    assert check_answers(later, time="time", repeated="last").findings == ()
    outcome = data.drop_duplicates("question").set_index("question").outcome
    enough = board(3, 10, "D").assign(outcome=lambda x: outcome[x.question].to_numpy())
    assert "few-answers" not in names(check_answers(pd.concat([data, enough])))
