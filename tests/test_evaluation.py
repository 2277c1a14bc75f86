"""Results, gathered."""

import json
from typing import Any

import pytest

from properly import decompose, evaluate, tally
from properly.errors import ArgumentTypeError, DataError
from properly.rules import Bounded, Brier, Elementary, Log, Regret, Spherical

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


def test_one_case_is_singular() -> None:
    e = evaluate([1], [0.5])
    assert repr(e) == "Evaluation(1 case, models: 1, rules: 2)"
    assert str(e).startswith("1 case, event rate 1.0000; ")


def test_skill_that_does_not_exist_is_a_dash() -> None:
    lines = str(evaluate([1, 1], [0.5, 0.5], rules=Brier())).split("\n")
    assert lines[-1].split() == ["(event", "rate)", "0.00000", "-", "0.00000", "0.00000", "0.00000"]


def test_a_model_may_be_called_as_what_it_is_compared_with() -> None:
    lines = str(evaluate(Y, {"(event rate)": P["good"]}, rules=Brier())).split("\n")
    assert [line.split("  ")[0] for line in (lines[3], lines[6])] == ["(event rate)"] * 2
    assert lines[3] != lines[6]


def test_rules_come_in_anything_that_lists_them() -> None:
    expected = evaluate(Y, P, rules=[Brier(), Log()]).decompositions
    assert evaluate(Y, P, rules=(rule for rule in (Brier(), Log()))).decompositions == expected


@pytest.mark.parametrize("rules", [Brier, "brier", 3])
def test_what_is_not_a_rule_is_refused_by_name(rules: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="write the rule with parentheses"):
        evaluate(Y, P, rules=rules)


def test_baselines_stand_below_the_models_and_skill_is_measured_against_the_last() -> None:
    e = evaluate([0, 0, 0, 1], {"model": [0.25, 0.0, 0.25, 0.5]}, rules=Brier())
    assert list(e.baselines) == ["treat all", "treat none", "event rate"]
    scores = [parts["brier"].score for parts in e.baselines.values()]
    assert scores == [0.75, 0.25, 0.1875]
    assert e.baselines["event rate"]["brier"].skill == 0
    assert e.decompositions["model"]["brier"].skill == 0.5
    names = [line.split("  ")[0] for line in str(e).splitlines()[3:]]
    assert names == ["model", "(treat all)", "(treat none)", "(event rate)"]
    assert e.to_dict()["baselines"]["treat none"]["brier"]["skill"] == pytest.approx(-1 / 3)


def test_a_range_of_thresholds_brings_the_bounded_rules() -> None:
    e = evaluate([0, 1, 1], [0.1, 0.8, 0.7], within=(0.05, 0.2))
    brier, log = Bounded(Brier(), (0.05, 0.2)), Bounded(Log(), (0.05, 0.2))
    assert e.rules == (Brier(), brier, Log(), log)


@pytest.mark.parametrize("within", [(0.0, 0.2), (0.5, 1.0)])
def test_a_range_up_to_the_end_has_no_mean_log_score_and_shows_the_integral(
    within: tuple[float, float],
) -> None:
    e = evaluate([0, 1, 1], [0.1, 0.8, 0.7], within=within)
    assert e.rules[3] == Bounded(Log(), within, scale="integral")


def test_rules_that_were_asked_for_are_restricted_too() -> None:
    e = evaluate([0, 1], [0.1, 0.8], rules=Spherical(), within=(0.1, 0.2))
    assert e.rules == (Spherical(), Bounded(Spherical(), (0.1, 0.2)))
    outside = evaluate([0, 1], [0.1, 0.8], rules=Elementary(0.5), within=(0.1, 0.2))
    assert outside.rules[1] == Bounded(Elementary(0.5), (0.1, 0.2), scale="integral")


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_a_frame_tells_models_from_baselines(backend: Any) -> None:
    frame = evaluate(Y, P, rules=Brier()).to_frame(backend)
    told = frame.to_pydict() if backend == "pyarrow" else frame.to_dict(**AS_LISTS[backend])
    assert told["model"] == ["good", "wrong", "treat all", "treat none", "event rate"]
    assert told["baseline"] == [False, False, True, True, True]
    assert told["skill"][4] == 0


AS_LISTS: dict[str, dict[str, Any]] = {"polars": {"as_series": False}, "pandas": {"orient": "list"}}


def test_a_rule_with_a_range_of_its_own_is_not_restricted_again() -> None:
    e = evaluate(Y, P["good"], rules=[Regret((0.05, 0.2)), Brier()], within=(0.1, 0.3))
    assert e.rules == (Regret((0.05, 0.2)), Brier(), Bounded(Brier(), (0.1, 0.3)))


def test_cases_are_counted_as_a_person_would_write_them() -> None:
    assert evaluate(Y, P).cases == "3"
    assert evaluate(Y, P, weight=[1000, 1, 1]).cases == "1,002"
    assert evaluate(Y, P, weight=[0.25, 1, 1]).cases == "2.25"


def test_the_last_of_two_labels_is_the_event() -> None:
    words = ["yes", "no", "no"]
    e = evaluate(words, P, labels=["yes", "no"])
    assert e.decompositions == evaluate(Y, P).decompositions
    assert e.event_rate == 2 / 3
    with pytest.raises(DataError, match="pos_label must be the last of labels, 'no'; got 'yes'"):
        evaluate(words, P, labels=["yes", "no"], pos_label="yes")
