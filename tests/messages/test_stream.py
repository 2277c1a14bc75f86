"""Every message about counts, summaries and streams, word for word."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly.engines._counts import Counts
from properly.engines._exact import ScoreSums
from properly.engines._summary import Summary
from properly.errors import ArgumentTypeError, DataError
from properly.evaluation._stream import Stream, stream
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Y, P = np.array([True, False]), np.array([0.25, 0.75])
FORECASTS = {"a": P, "b": P}
SUMMARY = Summary.of_rows([Brier()], Y, FORECASTS)
GROUPED = Summary.of_rows([Brier()], Y, FORECASTS, groups=np.array(["x", "y"]))
LABELLED = replace(SUMMARY, labels=("mild", "severe"))
TABLE = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]


class Own(Brier):
    """A rule of one's own."""

    def __repr__(self) -> str:
        return "Own()"


def fed(*batches: Any, **options: Any) -> Stream:
    found = stream(**options)
    for batch in batches:
        found.add(*batch)
    return found


def many_groups() -> None:
    names = np.arange(1001)
    fed((names > 5, names / 1001, None, names))


SAID: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (
        DataError,
        (
            "10 cells cannot be grouped into 4, which does not divide them"
            "\n\nHint: group the counts of all forecasts instead."
        ),
        lambda: Counts.of_rows(Y, P, None, 10).grouped(4),
    ),
    (
        DataError,
        "cells must be a whole number, 1 or more; got 0",
        lambda: Counts.of_rows(Y, P).grouped(0),
    ),
    (
        DataError,
        "counts must add up to less than 2**63; got about 9.22e+18",
        lambda: sum([Counts.of_rows(Y, P, np.array([2**62, 1]))] * 2),
    ),
    (
        DataError,
        (
            "labels of groups must be text, numbers or truth values; got datetime64[D]"
            "\n\nHint: make text of them first."
        ),
        lambda: fed((Y, P, None, np.array(["2024-01-01"] * 2, "datetime64[D]"))),
    ),
    (
        DataError,
        (
            "labels of groups must be text, numbers or truth values; got bytes"
            "\n\nHint: make text of them first."
        ),
        lambda: fed((Y, P, None, np.array([b"x", b"y"]))),
    ),
    (
        DataError,
        (
            "a rule is saved as its text, from which it must be read; Own() cannot be"
            "\n\nHint: pickle keeps summaries with rules of one's own."
        ),
        lambda: Summary.of_rows([Own()], Y, FORECASTS).save("never"),
    ),
    (
        DataError,
        "summaries that are added must have the same labels; got None and ('mild', 'severe')",
        lambda: SUMMARY + LABELLED,
    ),
    (
        DataError,
        "summaries that are added must all have groups, or none; one has none",
        lambda: GROUPED + SUMMARY,
    ),
    (
        DataError,
        "sums that are added must be of the same rules, in order; got Brier() and Log()",
        lambda: SUMMARY + Summary.of_rows([Log()], Y, FORECASTS),
    ),
    (
        ArgumentTypeError,
        (
            "a stream is merged with another one; got Summary"
            "\n\nHint: summaries add: stream.summary() + other."
        ),
        lambda: stream().merge(SUMMARY),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "streams that are merged must have the same pos_label; got None and 'yes'",
        lambda: stream() + stream(pos_label="yes"),
    ),
    (
        DataError,
        "streams that are merged must have the same models; got ('forecast',) and ('a', 'b')",
        lambda: fed((Y, P)) + fed((Y, FORECASTS)),
    ),
    (
        DataError,
        (
            "a stream must be fed before it is summed up; there are no rows yet"
            "\n\nHint: write stream.add(y, forecasts)."
        ),
        lambda: stream().summary(),
    ),
    (
        DataError,
        "every batch must have the same models; got ['forecast'] after ['a', 'b']",
        lambda: fed((Y, FORECASTS), (Y, P)),
    ),
    (
        DataError,
        "groups are given with every batch, or with none; this one is the first with groups",
        lambda: fed((Y, P), (Y, P, None, ["x", "y"])),
    ),
    (
        DataError,
        "groups are given with every batch, or with none; this one has no groups, those before have",
        lambda: fed((Y, P, None, ["x", "y"]), (Y, P)),
    ),
    (
        DataError,
        "cells must be 1,000,000 at most, which is as much as is kept; got 1,000,001",
        lambda: stream(cells=1_000_001),
    ),
    (
        DataError,
        (
            "there must be at most 1000 groups; batches have brought 1001"
            "\n\nHint: are these the names of single cases?"
        ),
        many_groups,
    ),
    # What batches are refused for as the rows of an evaluation are.
    (
        DataError,
        (
            "forecasts of 'b' must be probabilities in [0, 1]; row 1 is 1.7"
            "\n\nHint: nothing is clipped for you; mend those rows first."
        ),
        lambda: fed((Y, {"a": P, "b": [0.5, 1.7]})),
    ),
    (
        DataError,
        (
            "outcomes must have at most two labels; found 'a', 'b', 'c'"
            "\n\nHint: binary rules judge one event; compare y with its label."
        ),
        lambda: fed((["a"], [0.1]), (["b", "c"], P), pos_label="b"),
    ),
    (
        DataError,
        "models must have names that differ, and there must be at least one; got none",
        lambda: fed((Y, {})),
    ),
    (
        DataError,
        (
            "this needs the probability of one event; these cases have 3 classes"
            "\n\nHint: cumulative, one_vs_rest and top_label make events of classes."
        ),
        lambda: fed(([0, 1], {"a": TABLE})),
    ),
    (
        DataError,
        "weights must be finite and not negative; row 0 is -1.0",
        lambda: fed((Y, P, [-1.0, 1.0])),
    ),
]


@pytest.mark.parametrize(
    ("error", "message", "call"), SAID, ids=[said[1].split("\n")[0][:70] for said in SAID]
)
def test_a_message_is_word_for_word(
    error: type[Exception], message: str, call: Callable[[], Any]
) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_a_summary_of_clusters_does_not_add() -> None:
    clustered = ScoreSums.of_rows(
        ["a", "b"], [Brier()], Y, FORECASTS, None, clusters=np.array([1, 2])
    )
    with pytest.raises(DataError) as caught:
        SUMMARY + replace(SUMMARY, sums=clustered)
    assert str(caught.value).startswith("sums of clusters do not add")


def refused(path: Path | str) -> str:
    with pytest.raises(DataError) as caught:
        Summary.load(path)
    return str(caught.value)


def test_what_cannot_be_read_is_said_word_for_word(tmp_path: Path) -> None:
    missing = tmp_path / "no\nwhere"
    assert refused(missing) == f"cannot read {tmp_path}/no\\nwhere: no such file or directory"
    assert refused(tmp_path) == f"cannot read {tmp_path}: is a directory"
    assert refused("a\0b") == "cannot read a\\x00b: no file can have such a name"


def test_a_foreign_file_is_refused_word_for_word(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("y,p\n1,0.5\n")
    told = "is not a summary that properly has saved"
    hint = "\n\nHint: Summary.save and Stream.save write them."
    assert refused(path) == f"{path} {told}{hint}"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other", "text")
    assert refused(path) == f"{path} {told}{hint}"


def test_a_damaged_file_is_refused_word_for_word(tmp_path: Path) -> None:
    path = SUMMARY.save(tmp_path / "x.summary")
    path.write_bytes(path.read_bytes()[:-20])
    told = f"the summary {path} is damaged and cannot be read"
    assert refused(path) == f"{told}\n\nHint: save it, or copy it, once more."


def changed(path: Path, **words: Any) -> Path:
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(entries["properly-summary.json"]) | words
    entries["properly-summary.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def test_a_file_of_the_future_is_refused_word_for_word(tmp_path: Path) -> None:
    path = changed(SUMMARY.save(tmp_path / "x.summary"), version=2, parts="anything")
    told = (
        f"{path} was written by a newer version of properly; its format is 2, this version reads "
        "up to 1"
    )
    assert refused(path) == f"{told}\n\nHint: pip install --upgrade properly"


def test_a_rule_that_is_not_known_is_refused_word_for_word(tmp_path: Path) -> None:
    path = changed(SUMMARY.save(tmp_path / "x.summary"), rules=["Cleverest()"])
    told = "a rule must have a name of properly.rules; got 'Cleverest'"
    assert refused(path).startswith(told)
