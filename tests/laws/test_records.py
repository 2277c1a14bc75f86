"""What holds for every record that the package returns.

A new record joins ``RECORDS`` and is tested by every law; a public one that is missing is missed.
"""

from __future__ import annotations

import copy
import datetime as dt
import importlib
import json
import math
import pickle
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from tests.laws.records import HAPPENED, RECORDS, TABLE, P, Record, Y, grouped

import properly
from properly.rules import RPS, Brier, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

Law = Callable[[str], None]
# Each beside the kinds of records that it leaves out.
LAWS: list[tuple[Law, tuple[str, ...]]] = []
BACKENDS: tuple[Literal["polars", "pandas", "pyarrow"], ...] = ("polars", "pandas", "pyarrow")

DOORS = [
    "properly.calibration",
    "properly.comparison",
    "properly.counts",
    "properly.datasets",
    "properly.decisions",
    "properly.engines",
    "properly.evaluation",
    "properly.inference",
    "properly.probability",
    "properly.rules",
]
# Ways to estimate a source.
OPTIONS = {"IsotonicSource", "EqualCount", "EqualWidth", "Neighbours", "Kernel"}
# What goes in rather than comes out, parts that their whole tells of, and rows of data.
WITHOUT_DICT = OPTIONS | {
    "Interval",
    "Summary",
    "Tally",
    "Cases",
    "Answers",
    "PartIntervals",
    "AreaEstimate",
    "Counterexample",
    "AuditFinding",
    "ClassMeans",
    "MeansIntervals",
    "Homogeneity",
    "WorstGroup",
    "Sentence",
    "Added",
}
# Its dictionary holds columns for a frame of one's own, a row a person.
DATA = {"Crash"}
# Texts, and parts of a whole whose frame has their columns.
WITHOUT_FRAME = (
    WITHOUT_DICT
    | DATA
    | {"Advice", "Audit", "HardScores"}
    | {"Contrast", "FoldScores", "GroupCalibration"}
    | {"Symptom", "Verdict"}
)
# A handful of numbers or words and nothing else: the repr is the call that makes the record.
SAID_IN_FULL = OPTIONS | {
    "Interval",
    "PartIntervals",
    "AbsoluteError",
    "Homogeneity",
    "WorstGroup",
    "Decomposition",
    "MurphyDecomposition",
    "AreaEstimate",
    "Counterexample",
    "AuditFinding",
    "ThreeMeans",
    "ClassMeans",
    "MeansIntervals",
    "Sentence",
    "Symptom",
    "Added",
}
# A field that the dictionary calls otherwise.
SYNONYMS = {("Evaluation", "total"): "cases"}
LONGEST = 100


# A named tuple that a source of one's own returns.
HANDED_IN = {"Fit"}


def is_named_tuple(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def names_in(record: Record) -> list[str]:
    """Name the fields of a record, which may be a named tuple."""
    if is_dataclass(record):
        return [field.name for field in fields(record)]
    return list(record._fields)


@cache
def made(name: str) -> Record:
    return RECORDS[name]()


def law(*left_out: str) -> Callable[[Law], Law]:
    """Hold all records to a law, but those of some kinds."""

    def joined(holds: Law) -> Law:
        LAWS.append((holds, left_out))
        return holds

    return joined


def kind_of(name: str) -> str:
    """Return the kind of a record, which is the first word of its name."""
    return name.replace(",", " ").split(maxsplit=1)[0]


# A test a record, which is made once; the trace of a failure names the law.
@pytest.mark.filterwarnings("ignore:with 0 events and")
@pytest.mark.parametrize("name", RECORDS)
def test_what_holds_for_every_record(name: str) -> None:
    for holds, left_out in LAWS:
        if kind_of(name) not in left_out:
            holds(name)


def public() -> dict[str, type]:
    """Return the records that doors show, and what is handed in."""
    shown = [
        getattr(door, name) for door in map(importlib.import_module, DOORS) for name in door.__all__
    ]
    return {
        kind.__name__: kind
        for kind in shown
        if is_named_tuple(kind) or (is_dataclass(kind) and not issubclass(kind, Rule))  # type: ignore[arg-type]
    }


def test_every_public_record_is_here() -> None:
    assert {kind_of(name) for name in RECORDS} >= public().keys() - HANDED_IN


def test_only_those_records_have_no_dictionary_and_no_frame_that_need_none() -> None:
    kinds = {name: kind for name, kind in public().items() if name not in HANDED_IN}
    for method, without in (("to_dict", WITHOUT_DICT), ("to_frame", WITHOUT_FRAME)):
        found = {name for name, kind in kinds.items() if not hasattr(kind, method)}
        assert found == without & kinds.keys()


@law()
def a_record_is_of_the_kind_that_it_is_called_by(name: str) -> None:
    assert type(made(name)).__name__ == kind_of(name)


# (a) JSON


@law(*WITHOUT_DICT, *DATA)
def a_dictionary_goes_through_json_unchanged(name: str) -> None:
    told = made(name).to_dict()
    assert told
    assert json.loads(json.dumps(told, allow_nan=False)) == told


@law(*WITHOUT_DICT, *DATA)
def a_dictionary_tells_every_number_text_and_flag(name: str) -> None:
    record = made(name)
    told = {key for key, value in _entries(record.to_dict()) if not isinstance(value, dict | list)}
    plain = {
        SYNONYMS.get((kind_of(name), field), field)
        for field in names_in(record)
        if isinstance(getattr(record, field), bool | int | float | str)
    }
    assert plain - told == set()


def _entries(told: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Go through a dictionary, and those in it."""
    for key, value in told.items():
        yield key, value
        if isinstance(value, dict):
            yield from _entries(value)


DAYS = [dt.date(2024, 1, day) for day in (1, 2, 3)]
DATED = properly.Cases([DAYS[k] for k in HAPPENED], TABLE, labels=DAYS)
ANY_LABELS: dict[str, Callable[[], Record]] = {
    "Confusion": lambda: properly.decisions.confusion(DAYS, DAYS, DAYS),
    "Groups": lambda: grouped([DAYS[k % 2] for k in range(200)]),
    "Folds": lambda: properly.by_fold(Y, P, [DAYS[k] for k in HAPPENED], rule=Brier()),
    "HardScores": lambda: properly.decisions.hard_decisions(DATED).argmax,
    "HardDecisions": lambda: properly.decisions.hard_decisions(DATED),
    "WorstCases": lambda: properly.decisions.worst_cases(DATED, RPS(), 2),
    "Means": lambda: properly.means(DATED),
    "SourceTable": lambda: properly.probability.source_table(DATED),
    "CumulativeForecast": lambda: properly.decisions.cumulative_forecast(DAYS[0], TABLE[0], DAYS),
    "ClassDecomposition": lambda: properly.decompose(DATED, RPS()),
    "Evaluation": lambda: properly.evaluate(
        [DAYS[k] for k in HAPPENED], TABLE, labels=DAYS, task="ordinal"
    ),
}


@pytest.mark.parametrize("name", ANY_LABELS)
def test_labels_of_any_kind_go_through_json(name: str) -> None:
    text = json.dumps(ANY_LABELS[name]().to_dict(), allow_nan=False)
    assert "2024-01-02" in text


# (b) frames


@law(*WITHOUT_FRAME)
def a_frame_is_of_the_library_that_was_asked_for(name: str) -> None:
    shape = _shape(made(name).to_frame("polars"))
    assert shape[1] >= 1
    for backend in BACKENDS:
        frame = made(name).to_frame(backend)
        assert type(frame).__module__.split(".")[0] == backend
        assert _shape(frame) == shape


@law(*WITHOUT_FRAME)
def a_frame_holds_plain_columns(name: str) -> None:
    frame = made(name).to_frame("polars")
    assert {str(kind).split("(")[0] for kind in frame.dtypes} <= {
        "Float64",
        "Int64",
        "String",
        "Boolean",
        "Null",
    }


def _shape(frame: Any) -> tuple[list[str], int]:
    names = frame.column_names if hasattr(frame, "column_names") else frame.columns
    return [str(name) for name in names], len(frame)


# (c) one line


@law(*SAID_IN_FULL)
def a_record_says_in_one_line_what_it_is(name: str) -> None:
    said = repr(made(name))
    assert "\n" not in said
    assert len(said) <= LONGEST
    assert said.startswith((f"{kind_of(name)}(", f"<{kind_of(name)}"))


@law(*{kind_of(name) for name in RECORDS} - SAID_IN_FULL)
def a_record_of_a_few_numbers_says_them_all(name: str) -> None:
    record, said = made(name), repr(made(name))
    assert "\n" not in said
    for field in names_in(record):
        assert f"{field}={getattr(record, field)!r}" in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("RiskProfile", "RiskProfile(122 powers from -3 to 3)"),
        ("ProperMeans, classes", "ProperMeans(3 powers from -1 to 1)"),
        ("EqualWidth", "EqualWidth(bins=None, pooled=False, pseudo_count=0.0)"),
    ],
)
def test_a_record_of_the_probability_scale_says_this(name: str, said: str) -> None:
    assert repr(made(name)) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Estimate", "Estimate(0.1743, 95 % interval 0.1463 to 0.2024)"),
        ("Estimate, infinite", "Estimate(inf, no interval)"),
        ("Estimate without an interval", "Estimate(1, no interval)"),
        ("Comparison", "Comparison(3 models, 3 pairs, brier, 200 independent cases)"),
        ("Pair", "Pair(second - first: 0.008793, p = 0.108)"),
        ("Pair, infinite", "Pair(sure - also: nan, p = nan)"),
        ("Bootstrap, infinite", "Bootstrap(inf, no interval)"),
        ("FoldScores", "FoldScores(0.1743 of all, 0.1741 in 3 folds)"),
        ("GroupCalibration", "GroupCalibration(2 groups)"),
        ("Contrast", "Contrast(2 groups)"),
        ("CalibrationTest, undefined", "CalibrationTest(citl: no p-value, chi-squared)"),
    ],
)
def test_a_record_of_how_sure_we_are_says_this(name: str, said: str) -> None:
    assert repr(made(name)) == said


# (d) nothing can be changed


@law()
def no_array_in_a_record_can_be_written_to(name: str) -> None:
    writeable = [where for where, array in _arrays(made(name)) if array.flags.writeable]
    assert writeable == []


@law()
def no_field_of_a_record_can_be_set(name: str) -> None:
    record = made(name)
    for field in names_in(record):
        with pytest.raises(AttributeError):
            setattr(record, field, None)


@law()
def every_number_outside_of_arrays_is_one_of_pythons_own(name: str) -> None:
    assert [where for where, x in _leaves(made(name)) if isinstance(x, np.generic)] == []


def _leaves(x: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Find all that a record holds that has no parts of its own."""
    parts = _parts(x)
    if not parts:
        yield where, x
    for name, part in parts:
        yield from _leaves(part, f"{where}.{name}".lstrip("."))


def _arrays(x: Any, where: str = "") -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Find all arrays in a record, and in the records, dictionaries and tuples that it holds."""
    if isinstance(x, np.ndarray):
        yield where, x
    for name, part in _parts(x):
        yield from _arrays(part, f"{where}.{name}".lstrip("."))


def _parts(x: Any) -> list[tuple[str, Any]]:
    if is_dataclass(x):
        return [(name, getattr(x, name)) for name in names_in(x)]
    if isinstance(x, Mapping):
        return [(str(name), part) for name, part in x.items()]
    if isinstance(x, list | tuple):
        return [(str(place), part) for place, part in enumerate(x)]
    return []


# (e) copies


@law()
def a_record_can_be_sent_to_another_process(name: str) -> None:
    record = made(name)
    _assert_same(pickle.loads(pickle.dumps(record)), record)  # noqa: S301


@law()
def a_record_can_be_copied(name: str) -> None:
    record = made(name)
    _assert_same(copy.copy(record), record)
    _assert_same(copy.deepcopy(record), record)


def _assert_same(found: Any, expected: Any, where: str = "") -> None:
    assert type(found) is type(expected), where
    if isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(found, expected, err_msg=where, strict=True)
    elif isinstance(expected, float):
        assert found == expected or (math.isnan(found) and math.isnan(expected)), where
    elif parts := _parts(expected):
        others = _parts(found)
        assert [name for name, _ in others] == [name for name, _ in parts], where
        for (name, one), (_, other) in zip(others, parts, strict=True):
            _assert_same(one, other, f"{where}.{name}".lstrip("."))
    else:
        assert found == expected, where
