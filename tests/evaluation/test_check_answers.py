"""`check_answers`: what is wrong or odd in a long table, each with a table made for it."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from properly import errors, evaluation, rules
from properly.comparison._two_way import two_way
from properly.counts._answers import Answers
from properly.evaluation import check_answers
from properly.evaluation._checkup._answer_fit import welch

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


def said(found: Checkup, name: str) -> str:
    symptom = of(found, name)
    return f"{symptom.severity}: {symptom.what}\n{symptom.advice}"


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
    assert others == {"one-question-bridge", "few-answers", "hard-questions"}
    assert not {symptom.severity for symptom in found.findings if symptom.name in others} - {
        "oddity"
    }


def test_rows_are_those_of_the_table_though_some_are_left_out() -> None:
    found = check_answers(pd.read_csv(REFERENCE / "messy.csv"), weight="weight")
    assert of(found, "few-answers").rows == (490, 491, 492)
    assert of(found, "one-question-bridge").rows == (491, 492)
    assert of(found, "repeated-key").rows == (5, 9, 488, 489)


def test_the_order_of_rows_does_not_matter() -> None:
    data = pd.read_csv(REFERENCE / "messy.csv")
    back = check_answers(data[::-1], weight="weight")
    there = check_answers(data, weight="weight")
    # Which of two rows of one key is the first is a matter of order; here neither changes words.
    assert sorted(names(back)) == sorted(names(there))
    for name in ("not-connected", "one-forecaster", "contradictory-outcome", "few-answers"):
        assert of(back, name).what == of(there, name).what


def test_rows_that_repeat() -> None:
    data = table(("q", "A", 0.5, 1), ("q", "B", 0.5, 1), ("q", "A", 0.6, 1), ("q", "B", 0.5, 1))
    found = check_answers(data)
    assert said(found, "repeated-key") == (
        "problem: a forecaster answers a question once; 2 keys are there more than once: "
        "1 with identical rows, 1 with different ones\n"
        'Drop copies first; repeated="pool" averages rows that are members of an ensemble.'
    )
    assert (of(found, "repeated-key").rows, of(found, "repeated-key").count) == ((0, 1, 2, 3), 4)
    assert "repeated-key" not in names(check_answers(data, repeated="pool"))


def test_answers_that_changed() -> None:
    data = board().assign(time=1)
    later = data.head(2).assign(time=2, probability=0.5)
    both = pd.concat([data, later], ignore_index=True)
    assert said(check_answers(both, time="time"), "several-answers") == (
        "problem: a forecaster answers a question once; 2 answers changed in the course of time\n"
        'repeated="last" (--repeated last) takes the last; with their windows, '
        'repeated="moments" compares forecasters while both stand.'
    )
    assert check_answers(both, time="time", repeated="last").findings == ()


def test_questions_with_two_outcomes() -> None:
    data = board()
    data.loc[4, "outcome"] = 1 - data.loc[4, "outcome"]
    found = check_answers(data)
    ones = 1 + int(data.loc[3, "outcome"])
    assert said(found, "contradictory-outcome") == (
        "problem: a question has one outcome; 1 question has several: "
        f"'q01' (0 in {many_rows(3 - ones)}, 1 in {many_rows(ones)})\n"
        "Mend the outcomes of these questions first."
    )
    assert of(found, "contradictory-outcome").rows == (3, 4, 5)
    assert names(found) == ["contradictory-outcome"]


def many_rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


@pytest.mark.parametrize(
    ("role", "word", "said_so"),
    [
        ("weight", "weight", "the weight"),
        ("clusters", "cluster", "the cluster"),
        ("strata", "stratum", "the stratum"),
        ("when", "when", "when="),
        ("closes", "closes", "closes="),
    ],
)
def test_what_belongs_to_the_question_has_one_value(role: str, word: str, said_so: str) -> None:
    data = board().assign(extra=1.0)
    data.loc[7, "extra"] = 2.0
    columns: dict[str, Any] = {role: "extra"}
    found = check_answers(data, **columns)
    assert said(found, f"varying-{word}") == (
        f"problem: {said_so} belongs to the question: one value each; "
        "1 question has several: 'q02'\nGive all rows of a question the same."
    )


@pytest.mark.parametrize(("role", "then"), [("closes", "closes"), ("resolved", "is resolved")])
def test_forecasts_that_are_too_late(role: str, then: str) -> None:
    data = board().assign(time=1, end=5)
    data.loc[2, "time"] = 6
    columns: dict[str, Any] = {role: "end"}
    found = check_answers(data, time="time", **columns)
    assert said(found, "late-forecast") == (
        f"problem: a forecast is made before its question {then}; 1 forecast is later\n"
        "These knew more than a forecast may; drop them first."
    )
    assert of(found, "late-forecast").rows == (2,)


def test_windows_that_never_open() -> None:
    data = board().assign(opens=3, closes=4)
    data.loc[:2, "closes"] = 3
    found = check_answers(data, opens="opens", closes="closes")
    assert said(found, "empty-window") == (
        "problem: a question closes after it opens; 1 question does not: 'q00'\n"
        "Mend these times first."
    )


def test_names_that_differ_by_a_space() -> None:
    found = check_answers(board(who=("A", "A ", "B")))  # type: ignore[arg-type]
    assert said(found, "similar-names") == (
        "oddity: names are compared as text; 'A' and 'A ' are taken as different\n"
        "Give one forecaster one name."
    )


def test_forecasters_who_share_no_question() -> None:
    apart = board(2, who="XY").assign(question=lambda x: "z" + x.question)
    found = check_answers(pd.concat([board(), apart], ignore_index=True))
    assert said(found, "not-connected") == (
        "problem: forecasters are compared by questions in common, their own or those of others; "
        "2 parts have none: 'A', 'B', 'C' | 'X', 'Y'\n"
        "Compare each part by itself; between them nothing can be said."
    )
    assert not found.is_fine
    assert names(found) == ["not-connected"]


def test_forecasters_who_are_alone_are_a_part_and_those_without_answers_none() -> None:
    alone = table(("z", "X", 0.5, 1), ("q00", "Y", None, 1))
    found = check_answers(pd.concat([board(), alone], ignore_index=True))
    assert "2 parts have none: 'A', 'B', 'C' | 'X'" in of(found, "not-connected").what


def test_a_question_that_alone_connects_forecasters() -> None:
    left = board(1, 20, "AB")
    right = board(2, 20, "CD").assign(question=lambda x: "z" + x.question)
    bridge = table(*(("bridge", who, 0.4, 1) for who in "BC"))
    data = pd.concat([left, bridge, right], ignore_index=True)
    found = check_answers(data)
    assert said(found, "one-question-bridge") == (
        "oddity: differences should rest on several questions; "
        "1 question alone connects forecasters: 'bridge'\n"
        "What rests on one question has no standard error."
    )
    assert of(found, "one-question-bridge").rows == (40, 41)
    more = table(*(("second", who, 0.4, 1) for who in "BC"))
    assert "one-question-bridge" not in names(check_answers(pd.concat([data, more])))


def test_rows_that_are_set_aside() -> None:
    data = board().astype({"outcome": "Int64"})
    data.loc[data.question == "q03", "outcome"] = pd.NA
    data.loc[0, "probability"] = None
    found = check_answers(data)
    assert said(found, "unresolved") == (
        "note: answers have a forecast and an outcome; 3 rows have no outcome: 'q03'\n"
        "These rows are set aside."
    )
    assert said(found, "missing-forecast") == (
        "note: answers have a forecast and an outcome; 1 row has no forecast: 'q00'\n"
        "These rows are set aside."
    )


def test_questions_that_compare_nobody() -> None:
    data = pd.concat([board(), table(("own", "A", 0.5, 1))], ignore_index=True)
    assert said(check_answers(data), "one-forecaster") == (
        "note: questions compare those who answer them; 1 question has one forecaster: 'own'\n"
        "They compare nobody."
    )


def test_who_shares_few_questions() -> None:
    few = board(3, 9, "D")
    outcome = board().drop_duplicates("question").set_index("question").outcome
    few["outcome"] = outcome[few.question].to_numpy()
    found = check_answers(pd.concat([board(), few], ignore_index=True))
    assert said(found, "few-answers") == (
        "oddity: who is ranked shares 10 questions or more with others; "
        "1 forecaster shares fewer: 'D' (9)\nThey are listed, not ranked."
    )
    enough = board(3, 10, "D").assign(outcome=lambda x: outcome[x.question].to_numpy())
    assert "few-answers" not in names(check_answers(pd.concat([board(), enough])))


def selective(hard: bool) -> pd.DataFrame:
    """Let C answer the easy questions only, or the hard ones."""
    rng = np.random.default_rng(5)
    rows = []
    for i in range(80):
        y, is_hard = int(rng.integers(0, 2)), i % 2 == 1
        for who in "ABC":
            if who != "C" or is_hard == hard:
                away = rng.uniform(0.45, 0.65) if is_hard else rng.uniform(0.02, 0.1)
                rows.append((f"q{i:02}", who, round(abs(y - away), 4), y))
    return table(*rows)


@pytest.mark.parametrize(("hard", "word"), [(False, "easy"), (True, "hard")])
def test_who_chose_easy_or_hard_questions(hard: bool, word: str) -> None:
    data = selective(hard)
    found = check_answers(data)
    answers = Answers(data)
    losses = answers.losses(rules.Brier())
    fit = two_way(losses, 3, losses.question)
    raw = float(losses.loss[losses.forecaster == 2].mean())
    assert said(found, f"{word}-questions") == (
        "oddity: questions should not be chosen by how hard they are; 1 forecaster answered "
        f"{word.removesuffix('y') + 'ier' if word == 'easy' else 'harder'} ones: "
        f"'C' (mean Brier score {raw:.3f}, adjusted {fit.score[2]:.3f})\n"
        "Compare by a leaderboard, not by means over own questions."
    )
    assert names(found) == [f"{word}-questions"]


def test_the_t_of_difficulty_is_that_of_the_reference() -> None:
    losses = Answers(pd.read_csv(REFERENCE / "long.csv")).losses(rules.Brier())
    t = welch(two_way(losses, 6, losses.question), losses)
    expected = {"A": 3.838757598541907, "B": 0.534808284921623, "C": 1.3844830596174529}
    expected |= {"D": 0.2590274808331563, "E": -0.8392221782828682, "F": -1.9074954433589648}
    assert t == pytest.approx(list(expected.values()), abs=1e-9)


def test_the_long_table_names_the_one_who_chose_hard_questions() -> None:
    found = check_answers(pd.read_csv(REFERENCE / "long.csv"))
    assert names(found) == ["hard-questions", "one-forecaster"]
    assert "'A' (mean Brier score 0.207, adjusted 0.154)" in of(found, "hard-questions").what


def test_one_source_that_is_counted_twice() -> None:
    data = board(questions=20)
    copy = data[data.forecaster == "A"].assign(forecaster="copy").reset_index(drop=True)
    copy.loc[0, "probability"] = 0.123
    found = check_answers(pd.concat([data, copy], ignore_index=True))
    assert said(found, "near-copies") == (
        "note: forecasters should be different sources; 1 pair has equal forecasts on 95% of the "
        "questions in common: 'A' and 'copy'\n"
        "Leave one of the two out, or read them as one source that is counted twice."
    )
    copy.loc[1, "probability"] = 0.123
    assert "near-copies" not in names(check_answers(pd.concat([data, copy])))


def test_what_was_held_to_be_impossible() -> None:
    data = board()
    data.loc[1, "probability"] = 1 - data.loc[1, "outcome"]
    assert said(check_answers(data), "certain-and-wrong") == (
        "oddity: what happens should have been possible; 1 answer gave it the probability 0: "
        "'B' (1)\nOne infinite log loss makes every log comparison with that forecaster infinite; "
        "compare by Brier as well."
    )


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


@pytest.mark.parametrize(
    ("changed", "where", "what"),
    [
        ({"probability": 30.0}, "probability", "1 of 90 forecasts is 30, while all others are"),
        ({"outcome": 2}, "outcome", "an event has two labels at most; found 0 ("),
        ({"question": None}, "question", "1 of 90 values is missing"),
        ({"forecaster": None}, "forecaster", "1 of 90 values is missing"),
        ({"weight": -1.0}, "weight", "1 of 90 weights is negative"),
        ({"weight": np.nan}, "weight", "1 of 90 weights is missing"),
        ({"probability": "x"}, "probability", "1 of 90 rows has no number but 'x'"),
        ({"time": "noon"}, "time", "1 of 90 times is text, such as 'noon'"),
    ],
)
def test_columns_that_cannot_be_read_are_found_not_refused(
    changed: dict[str, Any], where: str, what: str
) -> None:
    data = board().assign(weight=1.0, time=1).astype(object)
    for name, value in changed.items():
        data.loc[4, name] = value
    found = check_answers(data, weight="weight", time="time")
    (one,) = found.findings
    assert (one.severity, one.where, one.rows[:1]) == ("problem", where, (4,) * bool(one.rows))
    assert one.what.startswith(what)


def test_what_nobody_answered_is_found_not_refused() -> None:
    data = board().assign(probability=np.nan)
    (one,) = check_answers(data).findings
    assert (one.severity, one.where) == ("problem", "rows")
    assert one.what == "answers need a forecast; all 90 are missing"


def test_only_columns_that_are_not_there_are_refused() -> None:
    with pytest.raises(errors.DataError, match="must have the column 'outcome'"):
        check_answers(board().drop(columns="outcome"))
    with pytest.raises(errors.ArgumentTypeError, match="without a frame, question must be an"):
        check_answers()
    with pytest.raises(errors.DataError, match="needs the time of each forecast"):
        check_answers(board(), repeated="last")


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


PRINTED = """\
5 rows, 2 questions, 3 forecasters: 1 problem, 2 oddities, 1 note

Problems
- contradictory-outcome: a question has one outcome; 1 question has several: 'snow' (0 in
  1 row, 1 in 1 row) (rows 3, 4).
  Mend the outcomes of these questions first.

Oddities
- one-question-bridge: differences should rest on several questions; 1 question alone
  connects forecasters: 'rain' (rows 0, 1).
  What rests on one question has no standard error. Rows with a problem were left out
  here.
- few-answers: who is ranked shares 10 questions or more with others; 2 forecasters share
  fewer: 'Ada' (1), 'Ben' (1) (rows 0, 1).
  They are listed, not ranked. Rows with a problem were left out here.

Notes
- missing-forecast: answers have a forecast and an outcome; 1 row has no forecast: 'rain'
  (row 2).
  These rows are set aside.

Nothing else was found. Mend the problems and check again: they may hide others."""


def test_a_checkup_of_answers_is_printed_with_problems_first() -> None:
    data = table(
        ("rain", "Ada", 0.7, 1),
        ("rain", "Ben", 0.4, 1),
        ("rain", "Cleo", None, 1),
        ("snow", "Ada", 0.1, 0),
        ("snow", "Ben", 0.2, 1),
    )
    assert str(check_answers(data)) == PRINTED
