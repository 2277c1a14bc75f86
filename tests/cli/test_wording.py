"""What the library says, in the words of the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.messages.transcripts import HERE

from properly.cli._wording import OPTIONS, SENTENCES, in_options, name_rows

SAID = "\n".join(
    path.read_text(encoding="utf-8").replace('"\n', "").replace("\\n", "\n")
    for pattern in ("*.txt", "*.py")
    for path in sorted(HERE.glob(pattern))
)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("pos_label='yes', or --event yes, if it is", "--event yes, if it is"),
        ("pos_label='b c', or --event 'b c', if it is", "--event 'b c', if it is"),
        ("such as pos_label='yes'; --event.", "such as --event yes."),
        ("the wrong event (pos_label=, --event)?", "the wrong event (--event)?"),
        ("the order of labels= (--classes)? Sorted", "the order of --classes? Sorted"),
        ("by its sum: normalize=True, or --normalize. Is", "by its sum: --normalize. Is"),
        ("from 1, write labels=[1, 2, 3].", "from 1, write --classes 1,2,3."),
        ("labels=['a b', 'c']", "--classes 'a b,c'"),
        ("within=(0.1, 0.2) looks", "--within 0.1 0.2 looks"),
        ("clusters= instead of time= allows", "--clusters instead of --time allows"),
        ('missing="drop" leaves', "--missing drop leaves"),
        ("or pass overwrite=True.", "or pass --force."),
        ("classes must be 2; got classes = 3", "--classes must be 2; got classes = 3"),
        ("Leave out clusters=, or name", "Leave out --clusters, or name"),
        ("write properly.Cases(y, p, time=column).", "give --time."),
        ("Of percentages, divide by 100; of odds", "Of percentages, give --percent; of odds"),
        ("say pos_label='a', or, for a rule, numpy.asarray(y) == 'a'.", "say --event a."),
        ("pip install 'properly[plots]'", "pip install 'properly[app]'"),
        ("pip install 'properly[timeseries]'", "pip install 'properly[timeseries]'"),
    ],
)
def test_arguments_are_options(said: str, shown: str) -> None:
    assert in_options(said) == shown


@pytest.mark.parametrize(
    "said",
    [
        "Bounded(rule=Brier(), within=Interval(lower=0.1, upper=0.2)) is a rule",
        "column 'time=3' must hold numbers; row 0 is 'labels=[1]'",
        "Elementary(threshold=0.5) is a rule for one event, which has 2 classes; got classes = 3",
        "Student's t, not the reader's",
        "write \"PBS(ties='any_correct')\".",
    ],
)
def test_rules_and_what_users_wrote_stay_as_they_are(said: str) -> None:
    assert in_options(said) == said


@pytest.mark.parametrize("pattern", SENTENCES)
def test_a_sentence_that_is_said_otherwise_is_one_of_the_library(pattern: str) -> None:
    source = Path(__file__).parents[2] / "src" / "properly"
    files = [path for path in source.rglob("*.py") if path.parent.name != "cli"]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    assert re.search(pattern, SAID, re.MULTILINE) or re.search(pattern, text, re.MULTILINE)


def test_no_argument_of_an_option_is_left_in_what_is_said() -> None:
    names = "|".join(OPTIONS)
    for words in re.findall(r"^(?:Hint: )?[A-Z][^\n]*$", SAID, re.MULTILINE):
        shown = re.sub(r"\w\((?:[^()]|\([^()]*\))*\)|(?<!\w)'[^'\n]*'", "", in_options(words))
        assert not re.search(rf"(?<![\w.])(?:{names})=", shown), words


def place(row: int) -> str:
    return f"row {row} (line {row + 2} of a (1).csv)" if row < 9 else f"row {row} of b.parquet"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x; row 3 is 1.2 (2 such rows)", "x; row 3 (line 5 of a (1).csv) is 1.2 (2 such rows)"),
        ("x; row 3, column 1 is 2", "x; row 3 (line 5 of a (1).csv), column 1 is 2"),
        ("in 'x' (row 0) and 'y'", "in 'x' (row 0, line 2 of a (1).csv) and 'y'"),
        ("in 'x' (row 10) and 'y'", "in 'x' (row 10 of b.parquet) and 'y'"),
        ("row 1 is 'row 2'", "row 1 (line 3 of a (1).csv) is 'row 2'"),
        ('row 1 is "it\'s row 2"', 'row 1 (line 3 of a (1).csv) is "it\'s row 2"'),
        ("rows 1, 2; arrow 3; row three", "rows 1, 2; arrow 3; row three"),
    ],
)
def test_rows_are_named_by_their_places(text: str, said: str) -> None:
    assert name_rows(text, place) == said
