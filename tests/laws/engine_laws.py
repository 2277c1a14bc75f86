"""What holds in every engine: the numbers are those of arrays.

A law takes an engine. ``LAWS`` are held in ``test_engines.py``, and in the tests of integrations
by engines that take long to start. That each rule is priced alike in each engine is tested row by
row elsewhere; here each is summed in one.
"""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import properly
from properly.engines import _frame
from properly.engines._symbols import is_expressible
from properly.evaluation import summarize
from properly.rules import RPS, Bounded, Brier, Log

from . import class_subjects, subjects
from .engine_checks import (
    CLASSES,
    as_numbers,
    assert_as_exact,
    assert_counted_classes,
    assert_same_record,
    assert_same_sums,
    assert_same_tally,
    class_sums,
    option,
    probabilities,
    rows,
    sums_of,
    table,
)
from .engines import GRADES

if TYPE_CHECKING:
    from collections.abc import Callable

    from .engines import Engine

    Law = Callable[[Engine], None]

FEW = [Brier(), Log()]
EVENT_RULES = [rule for rule in subjects.RULES if is_expressible(rule, None)]
OF_THREE = [subject.rule for subject in class_subjects.SUBJECTS if 3 in subject.classes]
CLASS_RULES = [rule for rule in OF_THREE if is_expressible(rule, 3)]


def tallies_are_those_of_arrays(engine: Engine) -> None:
    frame = engine(table())
    asked: list[tuple[str, str | None, str, str | None]] = [
        ("y", None, "p", None),
        ("y", None, "p", "part"),
        ("y", None, "decimal", "part"),
        ("bool", None, "p", "whole"),
        ("bool", None, "small", None),
        ("real", None, "q", "part"),
        ("word", "yes", "decimal", "whole"),
        ("kind", "no", "small", "part"),
        ("kind", "yes", "p", None),
    ]
    for outcome, label, p, weight in asked:
        found = properly.tally(frame, outcome=outcome, forecast=p, weight=weight, pos_label=label)
        y = rows()["word" if outcome == "kind" else outcome]
        expected = properly.tally(y, as_numbers(p), weight=option(weight), pos_label=label)
        assert_same_tally(found, expected, exact=weight != "part")


def tallies_on_grids_are_those_of_arrays(engine: Engine) -> None:
    frame = engine(table())
    asked: list[tuple[str | None, dict[str, Any]]] = [
        (None, {"cells": 7}),
        ("whole", {"cells": 1}),
        ("part", {"cells": 20}),
        ("part", {"snap": 0.1}),
    ]
    for weight, grid in asked:
        found = properly.tally(frame, outcome="y", forecast="p", weight=weight, **grid)
        expected = properly.tally(rows()["y"], rows()["p"], weight=option(weight), **grid)
        for name in ("value", "weight", "events"):
            assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12, atol=0)
        assert found.cells == expected.cells


def rules_are_summed(engine: Engine) -> None:
    rules = engine.dealt(EVENT_RULES)
    found = summarize(engine(table()), "p", outcome="y", weight="part", rules=rules)
    assert_same_sums(found.sums, sums_of(["p"], rules, "part"))
    expected = properly.tally(rows()["y"], rows()["p"], weight=rows()["part"])
    assert_same_tally(found.tallies["p"], expected, exact=False)


def models_are_summed_in_pairs(engine: Engine) -> None:
    models, rules = ["p", "small", "decimal"], [Bounded(Log(), (0.1, 0.9))]
    for weight in (None, "whole"):
        found = summarize(engine(table()), models, outcome="bool", weight=weight, rules=rules)
        assert_same_sums(found.sums, sums_of(models, rules, weight))
        for model in models:
            p = as_numbers(model).astype(float)
            expected = properly.tally(rows()["y"], p, weight=option(weight))
            assert_same_tally(found.tallies[model], expected, exact=True)


def groups_and_clusters_are_summed(engine: Engine) -> None:
    frame = engine(table())
    for groups, clusters, weight in (
        ("group", None, "part"),
        (None, "cluster", None),
        ("number", "cluster", "whole"),
    ):
        names: dict[str, Any] = {"groups": groups, "clusters": clusters, "weight": weight}
        found = summarize(frame, ["p", "q"], outcome="real", rules=Log(), **names)
        assert_same_sums(found.sums, sums_of(["p", "q"], [Log()], weight, clusters))
        labels = [] if groups is None else np.unique(rows()[groups]).tolist()
        assert list(found.groups) == labels
        for label, part in found.groups.items():
            chosen = rows()[str(groups)] == label
            assert_same_sums(part.sums, sums_of(["p", "q"], [Log()], weight, clusters, chosen))


def rules_of_classes_are_summed(engine: Engine) -> None:
    rules = engine.dealt(CLASS_RULES)
    names: dict[str, Any] = {"outcome": "name", "labels": GRADES, "task": "ordinal"}
    found = summarize(engine(table()), {"a": CLASSES["a"]}, rules=rules, **names)
    assert_same_sums(found.sums, class_sums(["a"], rules))
    assert found.labels == GRADES


def classes_are_counted(engine: Engine) -> None:
    names: dict[str, Any] = {"outcome": "grade", "weight": "part"}
    found = summarize(engine(table()), {"a": CLASSES["a"]}, rules=Log(), **names)
    assert_same_sums(found.sums, class_sums(["a"], [Log()], "part"))
    assert_counted_classes(found, "a", "part")


def classes_in_clusters_are_counted(engine: Engine) -> None:
    names: dict[str, Any] = {"outcome": "grade", "weight": "whole", "clusters": "cluster"}
    found = summarize(engine(table()), {"b": CLASSES["b"]}, rules=Log(), **names)
    assert_same_sums(found.sums, class_sums(["b"], [Log()], "whole", "cluster"))
    assert_counted_classes(found, "b", "whole")


ASKED: dict[str, Any] = {"replicates": 0, "rng": 1, "rules": Brier()}
ORDERED: dict[str, Any] = {"task": "ordinal", "replicates": 0, "rules": RPS(), "labels": GRADES}


@cache
def evaluated(weight: str | None, groups: str | None, clusters: str | None) -> Any:
    """Evaluate two models of the event as arrays."""
    known = {"weight": option(weight), "groups": option(groups), "clusters": option(clusters)}
    forecasts = {model: rows()[model] for model in ("p", "small")}
    return properly.evaluate(rows()["y"], forecasts, **known, **ASKED)


@cache
def evaluated_classes(weight: str | None, clusters: str | None, time: str | None) -> Any:
    """Evaluate two models of the classes as arrays."""
    known = {"weight": option(weight), "clusters": option(clusters), "time": option(time)}
    forecasts = {model: probabilities(model) for model in CLASSES}
    return properly.evaluate(rows()["name"], forecasts, **known, **ORDERED)


def events_are_evaluated_as_arrays(engine: Engine) -> None:
    """All that an evaluation tells, if rows fit into memory."""
    names: dict[str, Any] = {"weight": "part", "groups": "group"}
    names |= {"outcome": "word", "pos_label": "yes"}
    found = properly.evaluate(engine(table()), ["p", "small"], **names, **ASKED)
    expected = evaluated("part", "group", None)
    assert_same_record(found.to_dict(), expected.to_dict(), 1e-12)


def classes_are_evaluated_as_arrays(engine: Engine) -> None:
    names: dict[str, Any] = {"outcome": "name", "clusters": "cluster", "time": "number"}
    found = properly.evaluate(engine(table()), CLASSES, **names, **ORDERED)
    expected = evaluated_classes(None, "cluster", "number")
    assert_same_record(found.to_dict(), expected.to_dict(), 1e-12)


def large_frames_are_as_exact(engine: Engine) -> None:
    """Scores, their intervals and comparisons, if rows do not fit into memory."""
    frame = engine(table())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_frame, "MOST_ROWS", len(table()) - 1)
        names: dict[str, Any] = {"outcome": "bool", "weight": "part", "clusters": "cluster"}
        event = properly.evaluate(frame, ["p", "small"], **names, **ASKED)
        names = {"outcome": "name", "weight": "whole"}
        classes = properly.evaluate(frame, CLASSES, **names, **ORDERED)
    assert_as_exact(event, evaluated("part", None, "cluster"))
    assert_as_exact(classes, evaluated_classes("whole", None, None))


def parts_add_up_to_the_whole(engine: Engine) -> None:
    """Summaries of shuffled parts, one of which has no events."""
    shuffled = random.Random(1).sample(range(len(table())), len(table()))  # noqa: S311
    quiet = [row for row in shuffled if not rows()["bool"][row]][:10]
    rest = [row for row in shuffled if row not in set(quiet)]
    names: dict[str, Any] = {"outcome": "y", "weight": "whole", "groups": "number"}
    first, *others = (
        summarize(engine(table().take(part)), "p", rules=Log(), **names)
        for part in (quiet, rest[:30], rest[30:])
    )
    found = sum(others, first)
    assert_same_sums(found.sums, sums_of(["p"], [Log()], "whole"))
    expected = properly.tally(rows()["y"], rows()["p"], weight=rows()["whole"])
    assert_same_tally(found.tallies["p"], expected, exact=True)
    assert list(found.groups) == [1, 2, 3]


# Where an engine is asked for all that it ever is.
SHORT: list[Law] = [
    tallies_are_those_of_arrays,
    tallies_on_grids_are_those_of_arrays,
    groups_and_clusters_are_summed,
    classes_in_clusters_are_counted,
    events_are_evaluated_as_arrays,
]
# Where the engine has done its part long before.
LATE: list[Law] = [
    classes_are_evaluated_as_arrays,
    large_frames_are_as_exact,
    parts_add_up_to_the_whole,
]
LAWS: list[Law] = [
    *SHORT,
    rules_are_summed,
    rules_of_classes_are_summed,
    models_are_summed_in_pairs,
    classes_are_counted,
    *LATE,
]
