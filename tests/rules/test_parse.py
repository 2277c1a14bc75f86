"""Rules read from text, and text that is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly.errors import ArgumentTypeError, DataError, ProperlyError
from properly.rules import (
    PBS,
    PLL,
    RPS,
    BetaWeighted,
    Bounded,
    Brier,
    Elementary,
    Log,
    Misclassification,
    MissedBenefit,
    Mixture,
    Penalized,
    PointWeighted,
    Propriety,
    Ranked,
    RankedLog,
    Regret,
    Rule,
    Spherical,
    SquaredAbsoluteRPS,
    parse_rule,
)
from properly.rules._parse import LONGEST
from properly.rules._registry import EXAMPLES

HINT = '\n\nHint: write "brier", "sa-rps" or "PBS(ties=\'any_correct\')".'
READABLE = "a rule is a name or a call, of numbers, words and rules; got "


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("brier", Brier()),
        ("Log", Log()),
        (" SPHERICAL\n", Spherical()),
        ("misclassification", Misclassification()),
        ("zero-one", Misclassification()),
        ("rps", RPS()),
        ("ranked-log", RankedLog()),
        ("ranked_log", RankedLog()),
        ("RankedLog", RankedLog()),
        ("sa-rps", SquaredAbsoluteRPS()),
        ("SA_RPS", SquaredAbsoluteRPS()),
        ("squared-absolute-rps", SquaredAbsoluteRPS()),
        ("missed-benefit", MissedBenefit()),
        ("pbs", PBS()),
        ("pll", PLL()),
    ],
)
def test_short_names_stand_for_rules_with_default_settings(text: str, rule: Rule) -> None:
    assert parse_rule(text) == rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Brier()", Brier()),
        ("brier(scale='mean')", Brier(scale="mean")),
        ("PBS(ties='any_correct')", PBS(ties="any_correct")),
        ("Bounded(Brier(), (0.05, 0.2))", Bounded(Brier(), (0.05, 0.2))),
        (
            "Bounded(brier, [+0.05, 0.2], scale='integral')",
            Bounded(Brier(), (0.05, 0.2), "integral"),
        ),
        ("Regret((0.05, 0.2), prior=BetaWeighted(2, 8))", Regret((0.05, 0.2), BetaWeighted(2, 8))),
        (
            "Mixture([(0.5, Brier()), (1, Elementary(0.1))])",
            Mixture([(0.5, Brier()), (1, Elementary(0.1))]),
        ),
        ("PointWeighted((0.1, 0.2), weights=None)", PointWeighted((0.1, 0.2))),
        ("RPS(weights=[1, 2], normalized=False)", RPS(weights=[1, 2], normalized=False)),
        ("Ranked([Brier(), Log()])", Ranked([Brier(), Log()])),
        ("Penalized(RPS(), 0.5, cost='absolute')", Penalized(RPS(), 0.5, cost="absolute")),
        ("Penalized(Log(), 1, cost=((0, 1), (2, 0)))", Penalized(Log(), 1, cost=((0, 1), (2, 0)))),
    ],
)
def test_calls_are_read_with_their_arguments(text: str, rule: Rule) -> None:
    assert parse_rule(text) == rule


@pytest.mark.parametrize("text", EXAMPLES)
def test_what_a_rule_prints_as_is_read_as_that_rule(text: str) -> None:
    rule = parse_rule(text)
    assert parse_rule(repr(rule)) == rule


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 + 1",
        "0.1",
        "'brier'",
        "Brier().loss",
        "Brier().loss([1], [0.5])",
        "rules.Brier()",
        "[Brier()]",
        "lambda: Brier()",
        "Brier() if True else Log()",
        "Brier(",
        "Brier()()",
        "Brier(**{})",
        "Interval(0.1, 0.2)",
        "Elementary(x=1, x=2)",
        "import os",
        "Brier(); Log()",
        "\0",
        "Brier(\ud800)",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_rule(text)
    assert str(caught.value).startswith(READABLE + repr(text))
    assert str(caught.value).endswith(HINT)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Elementary(0.1 + 0.1)", "0.1 + 0.1"),
        ("Brier(*[1])", "*[1]"),
        ("Brier(b'sum')", "b'sum'"),
        ("Elementary(1j)", "1j"),
        ("PBS(...)", "..."),
        ("Elementary(-'a')", "-'a'"),
        ("Elementary(-True)", "-True"),
        ("Elementary(not 1)", "not 1"),
        ("RPS({1: 2})", "{1: 2}"),
        ("RPS([x for x in (1, 2)])", "[x for x in (1, 2)]"),
        ("Elementary(f'{0.1}')", "f'{0.1}'"),
    ],
)
def test_the_part_that_cannot_be_read_is_named(text: str, part: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_rule(text)
    assert str(caught.value) == f"{READABLE}{text!r}, of which {part!r} is none{HINT}"


@pytest.mark.parametrize(
    "name",
    ["Rule", "BinaryRule", "ClassRule", "Propriety", "superior_penalty", "parse_rule", "eval"],
)
def test_what_is_no_rule_is_not_called(name: str) -> None:
    with pytest.raises(DataError, match=f"a rule must have a name of properly.rules; got '{name}'"):
        parse_rule(f"{name}('brier')")


def test_near_names_are_suggested() -> None:
    with pytest.raises(DataError) as caught:
        parse_rule("ranked-lok")
    assert str(caught.value) == (
        "a rule must have a name of properly.rules; got 'ranked-lok'\n\n"
        "Hint: did you mean one of RankedLog, Ranked?"
    )
    with pytest.raises(DataError, match=r"Hint: names are such as Brier, Log, RPS\.$"):
        parse_rule("xyzzy")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("elementary", "Elementary takes (threshold); missing a required argument: 'threshold'"),
        ("Elementary(0.1, 0.2)", "Elementary takes (threshold); too many positional arguments"),
        ("Brier(tie=1)", "Brier takes ([scale]); got an unexpected keyword argument 'tie'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_rule(text)
    assert str(caught.value) == message


def test_a_rule_refuses_its_own_arguments() -> None:
    with pytest.raises(DataError, match=r"must lie strictly between 0 and 1; got -0\.1"):
        parse_rule("Elementary(-0.1)")
    with pytest.raises(ArgumentTypeError, match="a range of thresholds is an Interval or a pair"):
        parse_rule("Bounded(Brier(), 3)")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 900 + ")" * 900,
        "[" * 90 + "]" * 90,
        "-" * 1900 + "1",
        f"Elementary({'-' * 1900}1)",
        f"Elementary({'not ' * 400}1)",
        "Brier" + "()" * 900,
        "Brier" + ".loss" * 300,
        "Elementary(" + "1+" * 900 + "1)",
    ],
)
def test_deep_texts_are_refused_without_a_crash(text: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_rule(text)
    assert str(caught.value).startswith(READABLE)
    assert repr(f"{text[:77]}...") in str(caught.value) or repr(text) in str(caught.value)


def test_long_texts_are_refused_before_they_are_read() -> None:
    with pytest.raises(DataError) as caught:
        parse_rule("Brier()" + " " * LONGEST)
    assert str(caught.value) == "the text of a rule has at most 2000 characters; got 2007"


def test_what_is_not_text_is_refused() -> None:
    with pytest.raises(ArgumentTypeError) as caught:
        parse_rule(Brier())  # type: ignore[arg-type]
    assert str(caught.value) == "a rule is read from text; got Brier()"


words = st.sampled_from(
    ["Brier", "pbs", "(", ")", ",", "=", "-", "0.1", "'a'", "[", "]", "ties", " "]
)


@given(st.text(max_size=60) | st.lists(words, max_size=20).map("".join))
def test_any_text_is_a_rule_or_refused(text: str) -> None:
    try:
        found = parse_rule(text)
    except ProperlyError:
        return
    assert isinstance(found.propriety, Propriety)
