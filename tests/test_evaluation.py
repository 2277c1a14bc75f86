"""Results, gathered."""

import json
from typing import Any

import pytest

from properly import decompose, evaluate, tally
from properly.errors import ArgumentTypeError
from properly.rules import Bounded, Brier, Log, Spherical

Y, P = [0, 1, 1], {"good": [0.1, 0.8, 0.7], "wrong": [0.5, 0.0, 0.6]}


def test_an_evaluation_gathers_what_decompose_says() -> None:
    e = evaluate(Y, P, rules=[Spherical()], weight=[1, 2, 3])
    assert e.decompositions["good"]["spherical"] == decompose(
        tally(Y, P["good"], weight=[1, 2, 3]), Spherical()
    )
    assert (e.total, round(e.event_rate, 6)) == (6, 0.833333)


def test_a_single_forecast_needs_no_name() -> None:
    assert list(evaluate(Y, P["good"]).decompositions) == ["forecast"]


def test_labels_may_be_of_any_kind() -> None:
    e = evaluate(["no", "yes", "yes"], P, pos_label="yes")
    assert e.decompositions == evaluate(Y, P).decompositions


def test_the_dictionary_is_strict_json_with_infinity_spelled_out() -> None:
    text = json.dumps(evaluate(Y, P).to_dict(), allow_nan=False)
    assert json.loads(text)["models"]["wrong"]["log"]["score"] == "Infinity"
    assert json.loads(text)["data"] == {"cases": 3, "event_rate": 2 / 3}


def test_rules_that_differ_in_their_range_are_kept_apart() -> None:
    rules = [Brier(), Bounded(Brier(), (0.05, 0.2)), Bounded(Brier(), (0.05, 0.20000001)), Log()]
    assert len(evaluate(Y, P, rules=rules).decompositions["good"]) == 4


def test_a_single_rule_needs_no_list() -> None:
    assert list(evaluate(Y, P, rules=Log()).decompositions["good"]) == ["log"]


def test_a_name_is_shown_and_not_obeyed() -> None:
    assert "\x1b" not in str(evaluate(Y, {"\x1b[2Jred": P["good"]}))


def test_columns_line_up_under_long_names_of_rules() -> None:
    e = evaluate(Y, P, rules=[Bounded(Brier(), (0.05, 0.2)), Log()])
    tables = [line for line in str(e).split("\n")[1:] if line]
    assert len({len(line) for line in tables}) == 1


def test_an_evaluation_is_short_in_a_session() -> None:
    assert repr(evaluate(Y, P)) == "Evaluation(3 cases, models: 2, rules: 2)"
    assert repr(evaluate(Y, P).reliability["good"]) == (
        "Reliability(3 distinct forecasts in 2 bins)"
    )


@pytest.mark.parametrize("rules", [Brier, "brier", 3])
def test_what_is_not_a_rule_is_refused_by_name(rules: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="write the rule with parentheses"):
        evaluate(Y, P, rules=rules)
