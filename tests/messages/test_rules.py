"""Every message about rules for classes, rules as text and audits, word for word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from properly import Cases, audit, cli, skill
from properly.decisions import worst_cases
from properly.errors import ArgumentTypeError, DataError
from properly.rules import (
    PBS,
    RPS,
    Brier,
    Elementary,
    Log,
    Penalized,
    QuadraticRPS,
    Ranked,
    Spherical,
    SquaredAbsoluteRPS,
    SquaredMeanError,
    parse_rule,
    superior_penalty,
)

P = [[0.7, 0.2, 0.1], [0.1, 0.4, 0.5]]


class Nothing(Brier):
    """A rule that has no price."""

    def classwise(self, p: Any) -> Any:
        return np.full(p.shape, np.nan)

    def __repr__(self) -> str:
        return "Nothing()"


SAID: list[tuple[type[Exception], str, Any]] = [
    # forecasts before the softmax
    (
        ArgumentTypeError,
        (
            "SquaredAbsoluteRPS() does not tell its slope; its class has no class_slope"
            "\n\nHint: write class_slope(y, p), one column a class."
        ),
        lambda: SquaredAbsoluteRPS().logit_slope([0], [[0.0, 1.0, 2.0]]),
    ),
    (
        ArgumentTypeError,
        (
            "SquaredAbsoluteRPS() does not tell its curvature; its class has no class_curvature"
            "\n\nHint: write class_curvature(p), one column a class."
        ),
        lambda: SquaredAbsoluteRPS().logit_curvature([[0.0, 1.0, 2.0]]),
    ),
    (
        ArgumentTypeError,
        (
            "Penalized(rule=Brier()) does not tell its slope; its class has no class_slope\n\nHint: "
            "slopes do not see its jumps; train with a rule that has none, and judge by this one."
        ),
        lambda: PBS().logit_slope([0], [[0.0, 1.0, 2.0]]),
    ),
    (
        DataError,
        "logits must be less than infinity, and not missing; row 1, column 2 is nan",
        lambda: Log().logit_loss([0, 1], [[0.0, 1.0, 2.0], [0.0, 1.0, np.nan]]),
    ),
    (
        DataError,
        "some class must be possible in each row of logits; row 0 is -inf",
        lambda: RPS().logit_loss([0], [[-np.inf, -np.inf, -np.inf]]),
    ),
    # rules for one event and for classes
    (
        ArgumentTypeError,
        (
            "this needs a rule for class probabilities; got 'rps'"
            "\n\nHint: write the rule with parentheses, as in Brier()."
        ),
        lambda: skill([0, 2], P, "rps"),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        (
            "this needs a rule for class probabilities; got Elementary(threshold=0.5)"
            "\n\nHint: Ranked(rule) makes one of a rule for one event."
        ),
        lambda: worst_cases(Cases([0, 2], P), Elementary(0.5)),
    ),
    (
        ArgumentTypeError,
        (
            "this needs a rule for the probability of one event; got RPS()"
            "\n\nHint: this one prices class probabilities; pass a rule such as Brier()."
        ),
        lambda: Ranked(RPS()),  # type: ignore[arg-type]
    ),
    (DataError, "there must be at least two classes; got 1", lambda: Brier().range_for(1)),
    (
        DataError,
        (
            "Elementary(threshold=0.5) prices one event, which makes two classes; got 3"
            "\n\nHint: Ranked(rule) prices ordered classes."
        ),
        lambda: Elementary(0.5).range_for(3),
    ),
    (
        ArgumentTypeError,
        (
            "labels name the columns of class probabilities; these have none, got ['no', 'yes']"
            "\n\nHint: for one event, compare y with its label."
        ),
        lambda: Brier()([0, 1], [0.1, 0.2], labels=["no", "yes"]),
    ),
    (
        ArgumentTypeError,
        (
            "labels name the columns of class probabilities; these have none, got ['no', 'yes']"
            "\n\nHint: for one event, compare y with its label."
        ),
        lambda: Log().loss([0, 1], [0.1, 0.2], labels=["no", "yes"]),
    ),
    (
        DataError,
        "truth and report must have the same number of classes; got 2 and 3",
        lambda: RPS().expected_loss([0.5, 0.5], [0.5, 0.25, 0.25]),
    ),
    (DataError, "scale must be 'sum', 'mean' or 'half'; got 'third'", lambda: Brier(scale="third")),  # type: ignore[arg-type]
    # rules for ordered classes
    (
        ArgumentTypeError,
        "weights are a list of numbers, one for each cut; got 2",
        lambda: RPS(weights=2),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "weights must be zero or more, at most 1e+100, and not all zero; got [1.0, -1.0]",
        lambda: RPS(weights=[1, -1]),
    ),
    (
        DataError,
        "weights must be zero or more, at most 1e+100, and not all zero; got []",
        lambda: RPS(weights=[]),
    ),
    (
        ArgumentTypeError,
        "the number in weights must be a number; got 'two'",
        lambda: RPS(weights=[1, "two"]),  # type: ignore[list-item]
    ),
    (
        DataError,
        "weights must have one entry for each cut between classes, 2 for 3 classes; got 3",
        lambda: RPS(weights=[1, 2, 3])([0, 2], P),
    ),
    (DataError, "normalized must be True or False; got 1", lambda: RPS(normalized=1)),  # type: ignore[arg-type]
    (DataError, "there must be at least one rule for the cuts; got none", lambda: Ranked([])),
    (
        DataError,
        (
            "there must be one rule for each cut between classes, 2 for 3 classes; got 1"
            "\n\nHint: a single rule, without a list, is asked at every cut."
        ),
        lambda: Ranked([Brier()])([0, 2], P),
    ),
    (
        DataError,
        "weights must have one entry for each cut between classes, 2 for 3 classes; got 1",
        lambda: Ranked([Brier(), Log()], weights=[1]),
    ),
    (
        DataError,
        "normalization must be 'unit' or 'printed'; got 'sum'",
        lambda: SquaredAbsoluteRPS("sum"),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        "values are a list of numbers, one for each class; got 5",
        lambda: SquaredMeanError(5),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "values of classes must be two or more, finite and increasing; got [0.0, 2.0, 1.0]",
        lambda: SquaredMeanError([0, 2, 1]),
    ),
    (
        DataError,
        "there must be one value for each of 3 classes; got 2",
        lambda: SquaredMeanError([0, 1])([0, 2], P),
    ),
    (
        DataError,
        (
            "share must be positive and finite; got 0.0"
            "\n\nHint: without it the rule asks for the mean only."
        ),
        lambda: QuadraticRPS(0),
    ),
    # penalties
    (
        DataError,
        "penalty must be 'paper', 'minimal' or a number; got 'large'",
        lambda: PBS("large"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "a penalty must be finite and not negative; got -1.0"
            "\n\nHint: a negative one would reward mistakes."
        ),
        lambda: PBS(-1),
    ),
    (
        DataError,
        "ties must be 'split', 'first', 'any_correct' or 'unique_only'; got 'last'",
        lambda: PBS(ties="last"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "scale must be 'sum', 'algorithm2' or 'published_code'; got 'half'",
        lambda: PBS(scale="half"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "scale 'algorithm2' is one of published Brier scores; got Log()",
        lambda: Penalized(Log(), scale="algorithm2"),
    ),
    (
        DataError,
        (
            "with costs other than zero_one, penalty must be a number; got 'paper'"
            "\n\nHint: what makes a rule superior is known for mistakes alone."
        ),
        lambda: PBS(cost="quadratic"),
    ),
    (
        DataError,
        "costs must be 'zero_one', 'absolute', 'quadratic' or a matrix; got 'cubic'",
        lambda: PBS(1, cost="cubic"),
    ),
    (
        DataError,
        "costs must be a matrix, one row a class and one column a decision; got shape (2,)",
        lambda: PBS(1, cost=[0, 1]),
    ),
    (
        DataError,
        "costs must have one row for each of 3 classes; got 2",
        lambda: PBS(1, cost=[[0, 1], [1, 0]])([0, 2], P),
    ),
    (
        DataError,
        "tolerance must be zero or more and less than 1; got 1.0",
        lambda: PBS(tolerance=1),
    ),
    (
        DataError,
        "a tolerance is one of probabilities, not of costs; got 0.1 with costs",
        lambda: PBS(1, cost="quadratic", tolerance=0.1),
    ),
    (
        DataError,
        (
            "the penalty is known for Brier, Log and RPS without weights; got Spherical()"
            "\n\nHint: Penalized(rule, penalty=…) takes any number."
        ),
        lambda: Penalized(Spherical())([0, 2], P),
    ),
    (
        DataError,
        (
            "the penalty is known for Brier, Log and RPS without weights; got RPS(weights=(1.0, 2.0))"
            "\n\nHint: Penalized(rule, penalty=…) takes any number."
        ),
        lambda: superior_penalty(RPS(weights=[1, 2]), 3),
    ),
    (
        ArgumentTypeError,
        (
            "this needs a rule for class probabilities; got 'brier'"
            "\n\nHint: write the rule with parentheses, as in Brier()."
        ),
        lambda: superior_penalty("brier", 3),  # type: ignore[arg-type]
    ),
    # rules as text
    (ArgumentTypeError, "a rule is read from text; got Brier()", lambda: parse_rule(Brier())),  # type: ignore[arg-type]
    (
        DataError,
        "the text of a rule has at most 2000 characters; got 2100",
        lambda: parse_rule("Brier()" * 300),
    ),
    (
        DataError,
        (
            "a rule must have a name of properly.rules; got 'briar'"
            "\n\nHint: did you mean one of Brier?"
        ),
        lambda: parse_rule("briar"),
    ),
    (
        DataError,
        (
            "a rule must have a name of properly.rules; got 'open'"
            "\n\nHint: names are such as Brier, Log, RPS."
        ),
        lambda: parse_rule("Bounded(Brier(), open('x'))"),
    ),
    (
        DataError,
        "Brier takes ([scale]); got an unexpected keyword argument 'power'",
        lambda: parse_rule("Brier(power=3)"),
    ),
    (
        DataError,
        "Bounded takes (rule, within, [scale]); missing a required argument: 'within'",
        lambda: parse_rule("Bounded(Brier())"),
    ),
    (
        DataError,
        (
            "a rule is a name or a call, of numbers, words and rules; got '0.5'"
            '\n\nHint: write "brier", "sa-rps" or "PBS(ties=\'any_correct\')".'
        ),
        lambda: parse_rule("0.5"),
    ),
    (
        DataError,
        (
            "a rule is a name or a call, of numbers, words and rules; got 'Brier('"
            '\n\nHint: write "brier", "sa-rps" or "PBS(ties=\'any_correct\')".'
        ),
        lambda: parse_rule("Brier("),
    ),
    (
        DataError,
        (
            "a rule is a name or a call, of numbers, words and rules; got \"Elementary(-'one')\", of which \"-'one'\" is none"
            '\n\nHint: write "brier", "sa-rps" or "PBS(ties=\'any_correct\')".'
        ),
        lambda: parse_rule("Elementary(-'one')"),
    ),
    (
        DataError,
        (
            "a rule is a name or a call, of numbers, words and rules; got 'Mixture(Brier() + Log())', of which 'Brier() + Log()' is none"
            '\n\nHint: write "brier", "sa-rps" or "PBS(ties=\'any_correct\')".'
        ),
        lambda: parse_rule("Mixture(Brier() + Log())"),
    ),
    (
        DataError,
        (
            "a rule is a name or a call, of numbers, words and rules; got 'Elementary(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((...'"
            '\n\nHint: write "brier", "sa-rps" or "PBS(ties=\'any_correct\')".'
        ),
        lambda: parse_rule("Elementary(" + "(" * 500 + "0.5" + ")" * 500 + ")"),
    ),
    # audits
    (
        ArgumentTypeError,
        (
            "an audit needs a rule; got 'brier'"
            "\n\nHint: write it with parentheses, as in Brier(), or read it with rules.parse_rule."
        ),
        lambda: audit("brier"),  # type: ignore[arg-type]
    ),
    (DataError, "classes must be a whole number from 2 to 30; got 31", lambda: audit(Brier(), 31)),
    (
        DataError,
        "classes must be a whole number from 2 to 30; got 2.5",
        lambda: audit(Brier(), 2.5),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "Elementary(threshold=0.5) is a rule for one event, which has 2 classes; got classes = 3"
            "\n\nHint: Ranked(rule) makes a rule for ordered classes of it."
        ),
        lambda: audit(Elementary(0.5), 3),
    ),
    (
        DataError,
        "weights must have one entry for each cut between classes, 2 for 3 classes; got 3",
        lambda: audit(RPS(weights=[1, 2, 3]), 3),
    ),
    (
        DataError,
        "a loss must be a number, or infinity; for Nothing() the forecast (1, 0, 0) costs nan if class 0 happens",
        lambda: audit(Nothing(), 3),
    ),
]


@pytest.mark.parametrize(
    ("error", "message", "call"), SAID, ids=[said[1].split("\n")[0][:70] for said in SAID]
)
def test_a_message_is_word_for_word(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["rps", "--classes", "31"],
            "classes must be a whole number from 2 to 30; got 31",
        ),
        (
            ["Elementary(0.5)", "--classes", "3"],
            (
                "Elementary(threshold=0.5) is a rule for one event, which has 2 classes; got classes = 3"
                "\n\nHint: Ranked(rule) makes a rule for ordered classes of it."
            ),
        ),
    ],
)
def test_an_audit_is_refused_on_the_command_line_in_the_same_words(
    arguments: list[str], message: str
) -> None:
    found = CliRunner().invoke(cli.command(), ["audit", *arguments])
    assert found.exit_code == 1
    assert found.output == f"Error: {message}\n"


def test_a_rule_that_is_none_is_a_matter_of_usage() -> None:
    found = CliRunner().invoke(cli.command(), ["audit", "briar"])
    assert found.exit_code == 2
    said = (
        "a rule must have a name of properly.rules; got 'briar'\n\nHint: did you mean one of Brier?"
    )
    assert found.output.endswith(f"Error: Invalid value for '[RULE]...': {said}\n")
