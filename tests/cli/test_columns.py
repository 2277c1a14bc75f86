"""Which columns of which files the options choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from properly import Cases
from properly.cli._chosen import Chosen, read_chosen
from properly.cli._column_plan import models_of
from properly.cli._option_table import FileColumns

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

DATA = (
    "id,died,logistic,forest,w,region,clinic,stratum,day,score\n"
    "7,0,0.1,0.0,2,north,1,a,2024-01-02,55\n"
    "8,1,0.4,0.75,1,south,1,a,2024-01-03,12\n"
    "9,1,0.9,1.0,1,south,2,b,2024-01-04,81\n"
)
GRADES = (
    "grade,none,minor,m_none,m_minor,p(none),p(minor)\n"
    "none,0.5,0.5,1,0,0.25,0.75\n"
    "minor,0.25,0.75,0.5,0.5,0,1\n"
)


def run(data: str | bytes, *arguments: str) -> tuple[Chosen, Result]:
    """Choose by arguments of a command line among the columns of standard input."""
    found: list[Chosen] = []
    command = click.Command(
        "choose",
        callback=lambda **given: found.append(read_chosen(**given)),
        params=list(FileColumns.params.values()),
    )
    result = CliRunner().invoke(command, ["-", *arguments], input=data, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return found[0], result


def test_the_options_choose_the_columns() -> None:
    found, result = run(
        DATA,
        *("--outcome", "died", "--forecast", "forest", "--forecast", "logistic", "--weight", "w"),
        *("--groups", "region", "--clusters", "clinic", "--strata", "stratum", "--time", "day"),
    )
    assert found.y.tolist() == [0, 1, 1]
    assert list(found.forecasts) == ["forest", "logistic"]
    assert found.forecasts["forest"].tolist() == [0, 0.75, 1]
    assert {role: x.tolist() for role, x in found.roles.items()} == {
        "weight": [2, 1, 1],
        "groups": ["north", "south", "south"],
        "clusters": [1, 1, 2],
        "strata": ["a", "a", "b"],
        "time": np.array(["2024-01-02", "2024-01-03", "2024-01-04"], "M8[us]").tolist(),
    }
    assert (found.task, found.labels, found.pos_label) == ("binary", None, None)
    plan = found.plan
    assert (found.dropped, plan.paths) == (None, ("-",))
    assert (plan.outcome, plan.models) == (
        "died",
        {"forest": ("forest",), "logistic": ("logistic",)},
    )
    assert plan.roles == {
        "weight": "w",
        "groups": "region",
        "clusters": "clinic",
        "strata": "stratum",
        "time": "day",
    }
    assert result.stderr == ""


def test_what_is_left_out_is_guessed_and_said() -> None:
    found, result = run(DATA)
    assert (found.plan.outcome, list(found.plan.models)) == ("died", ["logistic", "forest"])
    assert result.stderr.splitlines() == [
        "Took the column 'died' as the outcome; --outcome chooses another.",
        "Took the columns 'logistic', 'forest' as forecasts; --forecast chooses others.",
    ]
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("data", "outcome"),
    [
        ("Target,other,p\n1,1,0.5\n1,0,0.5\n", "Target"),
        ("y_true,p\n2,0.5\n2,0.5\n", "y_true"),
        ("a,b,p\ntrue,1,0.5\nfalse,2,0.5\n", "a"),
        ("a,b,p\nTrue,1,0.5\n,2,0.5\nFalse,2,0.5\n", "a"),
        ("a,b,p\n1,1,0.5\n0,1,0.5\n", "a"),
    ],
)
def test_an_outcome_is_told_by_its_name_or_else_by_its_values(data: str, outcome: str) -> None:
    found, _ = run(data, "--forecast", "p", "--missing", "drop", "--event", "1")
    assert found.plan.outcome == outcome


def test_a_column_that_an_option_names_is_no_guess() -> None:
    data = "y,p,q,w,event\n1,0.5,0.5,0.5,1\n0,0.5,0.5,0.5,1\n"
    found, result = run(data, "--weight", "w", "--time", "q", "--groups", "event")
    assert found.plan.outcome == "y"
    assert list(found.forecasts) == ["p"]
    assert "Took the column 'p' as the forecast; --forecast chooses others." in result.stderr


def test_only_fractions_between_0_and_1_are_guessed_as_forecasts() -> None:
    data = "y,p,percent,logit,whole,gap,none\n1,0.5,50.5,-0.5,1,,\n0,1.0,0.5,0.5,0,0.5,\n"
    found, _ = run(data, "--missing", "drop")
    assert list(found.forecasts) == ["p", "gap"]
    assert found.y.tolist() == [0]


@pytest.mark.parametrize(
    ("values", "event", "label"),
    [
        (["0", "1"], "1", 1),
        (["1", "2"], "2", 2),
        (["1", "2"], "2.0", 2),
        (["true", "false"], "true", True),
        (["true", "false"], "True", True),
        (["true", "false"], "0", False),
        (["no", "yes"], "yes", "yes"),
        (["01", "1"], "1", "1"),
        (["0.5", "1.5"], "1.5", 1.5),
    ],
)
def test_an_event_is_read_as_the_outcomes_are(values: list[str], event: str, label: object) -> None:
    data = f"y,p\n{values[0]},0.5\n{values[1]},0.25\n"
    found, _ = run(data, "--outcome", "y", "--forecast", "p", "--event", event)
    assert (found.pos_label, type(found.pos_label)) == (label, type(label))
    happened = Cases(found.y, found.forecasts["p"], pos_label=found.pos_label).y.tolist()
    assert happened == [found.y.tolist()[0] == label, found.y.tolist()[1] == label]
    assert sum(happened) == 1


@pytest.mark.parametrize(
    ("arguments", "name", "columns"),
    [
        (("--forecast", "m"), "m", ("m_none", "m_minor")),
        (("--forecast", "p({})"), "p", ("p(none)", "p(minor)")),
        (("--forecast", "{}"), "{}", ("none", "minor")),
        ((), "forecast", ("none", "minor")),
    ],
)
def test_classes_have_a_column_each(
    arguments: tuple[str, ...], name: str, columns: tuple[str, ...]
) -> None:
    found, _ = run(GRADES, "--outcome", "grade", "--classes", "none, minor", *arguments)
    assert found.plan.models == {name: columns}
    assert found.forecasts[name].shape == (2, 2)
    assert (found.task, found.labels) == ("multiclass", ("none", "minor"))
    cases = Cases(found.y, found.forecasts[name], labels=found.labels)
    assert cases.y.tolist() == [0, 1]


def test_columns_of_classes_are_in_the_order_of_the_labels() -> None:
    found, _ = run(
        GRADES, "--outcome", "grade", "--classes", "minor,none", "--forecast", "m", "--ordered"
    )
    assert found.forecasts["m"].tolist() == [[0, 1], [0.5, 0.5]]
    assert found.task == "ordinal"
    assert not found.plan.normalize


def test_models_of_classes_are_guessed_by_their_beginnings_and_said() -> None:
    data = "label,a_0,a_1,b_0,b_1,c_0\n0,1,0,0.5,0.5,3\n"
    found, result = run(data, "--classes", "0,1", "--normalize")
    assert found.plan.models == {"a": ("a_0", "a_1"), "b": ("b_0", "b_1")}
    assert found.plan.normalize
    assert result.stderr.splitlines() == [
        "Took the column 'label' as the outcome; --outcome chooses another.",
        "Took the columns that begin with 'a', 'b'; --forecast chooses others.",
    ]


@pytest.mark.parametrize(
    ("outcomes", "classes", "labels"),
    [
        (["0", "2"], "0,1,2", (0, 1, 2)),
        (["2", "3"], "1,2,3", (1, 2, 3)),
        (["0", "1"], "none,minor,severe", ("none", "minor", "severe")),
        (["1", "3+"], "1,2,3+", ("1", "2", "3+")),
        (["true", "false"], "false,True", (False, True)),
    ],
)
def test_classes_are_read_as_the_outcomes_are(
    outcomes: list[str], classes: str, labels: tuple[Any, ...]
) -> None:
    names = classes.split(",")
    rows = [",".join([y, "1", *["0"] * (len(names) - 1)]) for y in outcomes]
    found, _ = run("\n".join([f"y,{classes}", *rows]), "--classes", classes)
    assert found.labels == labels
    assert [type(label) for label in found.labels or ()] == [type(label) for label in labels]
    cases = Cases(found.y, found.forecasts["forecast"], labels=found.labels)
    texts = [name.casefold() for name in names]
    expected = [texts.index(y) if y in texts else int(y) for y in outcomes]
    assert cases.y.tolist() == expected


def test_outcomes_that_are_whole_floats_are_class_numbers(folder: Path) -> None:
    parquet.write_table(
        pa.table({"y": [0.0, 1.0], "m_a": [0.5, 0.0], "m_b": [0.5, 1.0]}), "a.parquet"
    )
    found = read_chosen(paths=(str(folder / "a.parquet"),), classes="a,b")
    assert found.y.dtype == np.int64
    assert Cases(found.y, found.forecasts["m"], labels=found.labels).y.tolist() == [0, 1]


def test_patterns_that_would_have_one_name_keep_their_own() -> None:
    assert models_of(["p({})", "p[{}]"], ("a", "b")) == {
        "p({})": ("p(a)", "p(b)"),
        "p[{}]": ("p[a]", "p[b]"),
    }
    # A name that is no pattern stays as it is.
    assert models_of(["m."], ("a",)) == {"m.": ("m._a",)}
