"""Every message about classes and decisions between them, word for word."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from properly import (
    Cases,
    cumulative,
    evaluate,
    expected_cost,
    one_vs_rest,
    plots,
    quadratic_weighted_kappa,
    reliability,
    retention_curve,
    skill,
)
from properly.calibration import decompose, murphy_decomposition
from properly.decisions import (
    confusion,
    cumulative_forecast,
    decide,
    hard_costs,
    hard_decisions,
    rejection_scores,
    retention_study,
    switching_penalty,
    weighted_kappa,
    worst_cases,
)
from properly.errors import ArgumentTypeError, DataError, DataWarning, ImproperRuleError
from properly.rules import (
    PBS,
    RPS,
    Brier,
    ClassRule,
    Elementary,
    Spherical,
    SquaredAbsoluteRPS,
    SquaredMeanError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

P = [[0.7, 0.2, 0.1], [0.1, 0.4, 0.5]]
GRADES = Cases([0, 2], P)
EVENT = Cases([0, 1], [0.2, 0.4])
T = EVENT.tally()
ABSTAIN = [[0, 1, 1, 0.3], [1, 0, 1, 0.3], [1, 1, 0, 0.3]]
ONE = cumulative_forecast(0, [0.25, 0.75, 0])
CURVE = retention_curve([1, 2], [0, 1], [0, 1])
COSTS = retention_curve([1, 2], [0, 1], [0, 1], metric="expected_cost")
FIGURE = Figure()


class Narrow(Brier):
    def price(self, y: Any, p: Any) -> Any:
        return ClassRule.price(self, y, p)

    def classwise(self, p: Any) -> Any:
        return p[:, 0]


def accuracy(y: Any, d: Any) -> float:
    return float(np.mean(y == d))


SAID: list[tuple[type[Exception], str, Any]] = [
    # class probabilities
    (
        DataError,
        "models must have the same classes; got (0, 1, 2) and ('a', 'b', 'c')",
        lambda: switching_penalty(GRADES, Cases([0, 2], P, labels=["a", "b", "c"])),
    ),
    (
        ImproperRuleError,
        "only a proper rule chooses between models; SquaredAbsoluteRPS() is improper",
        lambda: switching_penalty(GRADES, GRADES, SquaredAbsoluteRPS()),
    ),
    (
        DataError,
        "decisions must be class numbers; row 0 is 'mild' (2 such rows)\n\nHint: words need their order, by classes= or labels=; decide without labels= has numbers.",
        lambda: confusion([0, 1], ["mild", "bad"], 2),
    ),
    (
        DataError,
        "decisions must be numbers of columns of the costs, 0 to 3; row 0 is 'home' (2 such rows)\n\nHint: decide(P, cost) without labels= has numbers.",
        lambda: expected_cost([0, 1], ["home", "home"], ABSTAIN),
    ),
    (
        DataError,
        "the number of classes must be a whole number; got 2.5",
        lambda: RPS().range_for(2.5),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "without labels=, outcomes must be of one kind; got 1, 'b', 'c'\n\nHint: labels= says what each column stands for.",
        lambda: Brier()(np.array(["b", 1, "c"], dtype=object), np.eye(3)),
    ),
    (
        DataError,
        "labels must be in the order of the columns; the columns are ['b', 'a'], got ['a', 'b']\n\nHint: write forecasts[labels] to order the columns of a frame.",
        lambda: Brier()(["a"], pd.DataFrame({"b": [0.5], "a": [0.5]}), labels=["a", "b"]),
    ),
    (
        DataError,
        "columns that are numbered must be in order; got [2, 0, 1]\n\nHint: write forecasts[sorted(forecasts.columns)], or name the classes by labels=.",
        lambda: Brier()([0], pd.DataFrame({2: [0.5], 0: [0.5], 1: [0.0]})),
    ),
    (
        DataError,
        "labels must be in the order of the columns; the columns are [1, 0], got [0, 1]\n\nHint: write forecasts[labels] to order the columns of a frame.",
        lambda: Brier()([0], pd.DataFrame({1: [0.5], 0: [0.5]}), labels=[0, 1]),
    ),
    (
        DataError,
        "outcomes must be labels such as numbers or text; got list",
        lambda: Brier()(
            np.array([["a"], None], dtype=object)[:1], np.eye(2)[:1], labels=["a", "b"]
        ),
    ),
    (
        DataError,
        "normalize=True divides rows of class probabilities; these are of one event",
        lambda: Cases([0, 1], [0.1, 0.2], normalize=True),
    ),
    (
        DataError,
        "classwise must return one loss for each entry of p, (1, 2); got (1,)",
        lambda: Narrow()([0], [[0.5, 0.5]]),
    ),
    (
        DataError,
        "shares of removed cases must lie between 0 and 1; row 0 is -0.1",
        lambda: retention_curve([1, 2], [0, 1], [0, 1], removed=[-0.1, 0.2]),
    ),
    (
        DataError,
        "outcomes must be class numbers; row 0 is 'low' (2 such rows)\n\nHint: labels= gives the classes in order.",
        lambda: retention_curve([1, 2], ["low", "high"], ["low", "high"]),
    ),
    (
        ArgumentTypeError,
        "forecasts come first, then the rule; got RPS() first",
        lambda: rejection_scores(RPS(), P),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "class probabilities must be finite; row 0, column 1 is inf",
        lambda: decide([[0.5, math.inf], [0.5, 0.5]]),
    ),
    (
        DataError,
        "costs must be a matrix, one row a class and one column a decision; got shape ()",
        lambda: expected_cost([0, 1], [0, 1], np.array(1.0)),
    ),
    (
        DataError,
        "truth and report must have equally many rows, or one a single row; got 2 and 3",
        lambda: RPS().expected_loss([[0.5, 0.5]] * 2, [[0.5, 0.5]] * 3),
    ),
    (
        DataError,
        "forecasts must be numbers; got int objects",
        lambda: Brier()([0], [10**400]),
    ),
    (
        DataError,
        "class probabilities must have one row a case and one column a class; got shape (2,)\n\nHint: a single forecast is a single row, such as [[0.2, 0.8]].",
        lambda: decide([0.5, 0.5]),
    ),
    (
        DataError,
        "class probabilities must have one row a case and one column a class; got shape (2,)\n\nHint: a single forecast is a single row, such as [[0.2, 0.8]].",
        lambda: RPS()([0, 1], [0.1, 0.2]),
    ),
    (
        DataError,
        "class probabilities must have one row a case and one column a class; got shape (1, 1, 2)\n\nHint: a single forecast is a single row, such as [[0.2, 0.8]].",
        lambda: Brier()([0], [[[0.5, 0.5]]]),
    ),
    (
        DataError,
        (
            "class probabilities must have at least one row and two columns; got shape (2, 1)"
            "\n\nHint: for the probability of one event, pass one dimension."
        ),
        lambda: Brier()([0, 1], [[0.3], [0.4]]),
    ),
    (
        DataError,
        "class probabilities must have at least one row and two columns; got shape (0, 3)",
        lambda: decide(np.empty((0, 3))),
    ),
    (
        DataError,
        (
            "class probabilities must be a list, an array or a column of equal things; got list of unequal rows"
            "\n\nHint: every row needs as many entries as the first."
        ),
        lambda: Brier()([0, 1], [[0.2, 0.8], [0.1, 0.2, 0.7]]),
    ),
    (
        DataError,
        (
            "class probabilities must be numbers, zero or more; row 0, column 1 is -1.0"
            "\n\nHint: for logits, apply a softmax first."
        ),
        lambda: Brier()([0, 1], [[2.0, -1.0], [0.5, 0.5]]),
    ),
    (
        DataError,
        "class probabilities must be numbers, zero or more; row 0, column 1 is nan (2 such rows)",
        lambda: Brier()([0, 1], [[0.5, math.nan], [math.nan, 0.5]]),
    ),
    (
        DataError,
        (
            "class probabilities must be numbers; row 0, column 0 is 'high'"
            "\n\nHint: convert text to numbers first."
        ),
        lambda: decide([["high", "low"]]),
    ),
    (
        DataError,
        (
            "rows of class probabilities must sum to 1 within 1e-06; row 1 sums to 0.75 (2 such rows)"
            "\n\nHint: divide each row by its sum; Cases and evaluate do so with normalize=True."
        ),
        lambda: Brier()([0, 1, 1], [[0.5, 0.5], [0.5, 0.25], [0.5, 0.375]]),
    ),
    (
        DataError,
        (
            "rows of class probabilities must sum to 1 within 0.00035; row 0 sums to 0.75"
            "\n\nHint: divide each row by its sum; Cases and evaluate do so with normalize=True."
        ),
        lambda: decide(np.array([[0.5, 0.25]], dtype=np.float32)),
    ),
    (
        DataError,
        (
            "rows of class probabilities must sum to 1 within 1e-06; row 0 sums to 100.0 (2 such rows)"
            "\n\nHint: for percentages, divide by 100 first."
        ),
        lambda: decide([[20, 80], [30, 70]]),
    ),
    (
        DataError,
        "rows of class probabilities must have a positive, finite sum; row 0 sums to 0.0",
        lambda: Cases([0, 1], [[0.0, 0.0], [1, 2]], normalize=True),
    ),
    (
        DataError,
        (
            "rows of the truth must sum to 1 within 1e-06; row 0 sums to 1.25"
            "\n\nHint: divide each row by its sum; Cases and evaluate do so with normalize=True."
        ),
        lambda: RPS().expected_loss([0.5, 0.25, 0.5], [1, 0, 0]),
    ),
    # outcomes of classes
    (
        DataError,
        (
            "outcomes must be class numbers from 0 to 2; row 1 is 3"
            "\n\nHint: other labels are given in order, by labels= or classes=."
        ),
        lambda: Cases([0, 3], P),
    ),
    (
        DataError,
        (
            "outcomes must be class numbers from 0 to 2; row 1 is 0.5"
            "\n\nHint: other labels are given in order, by labels= or classes=."
        ),
        lambda: Cases([0, 0.5], P),
    ),
    (
        DataError,
        ("outcomes must not be missing; row 1 is nan\n\nHint: drop those rows first."),
        lambda: Cases([0, math.nan], P),
    ),
    (
        DataError,
        "outcomes and forecasts must be equally long; got 3 and 2",
        lambda: Cases([0, 1, 2], P),
    ),
    (
        DataError,
        "weights and forecasts must be equally long; got 1 and 2",
        lambda: Cases([0, 1], P, weight=[1]),
    ),
    (
        DataError,
        (
            "outcomes in words need labels=, in order; got outcomes such as 'mild'"
            "\n\nHint: labels= names the columns; the alphabet knows no grades."
        ),
        lambda: RPS()(["mild", "severe"], P),
    ),
    (
        DataError,
        (
            "outcomes in words need labels=, in order; got outcomes such as 'cat'"
            "\n\nHint: labels= names the columns; the alphabet knows no grades."
        ),
        lambda: Cases(["cat", "dog"], P),
    ),
    (
        DataError,
        (
            "without labels=, outcomes must have as many labels as there are columns; got 2 labels and 3 columns"
            "\n\nHint: labels= says what each column stands for."
        ),
        lambda: Brier()(["cat", "dog"], P),
    ),
    (
        DataError,
        "outcomes must be among the labels 'mild', 'moderate', 'severe'; row 1 is 'fatal'",
        lambda: Cases(["mild", "fatal"], P, labels=["mild", "moderate", "severe"]),
    ),
    (
        DataError,
        ("outcomes must not be missing; row 1 is None\n\nHint: drop those rows first."),
        lambda: Cases(["mild", None], P, labels=["mild", "moderate", "severe"]),
    ),
    (
        DataError,
        "outcomes must be among the labels 'a', 'b', 'c', 'd', 'e', 'f', …; row 1 is 'z'",
        lambda: confusion(["a", "z"], ["a", "b"], list("abcdefg")),
    ),
    (
        DataError,
        "outcomes must be one-dimensional; got an array of shape (1, 2)",
        lambda: confusion([[0, 1]], [0, 1], 2),
    ),
    (DataError, "outcomes must not be empty; got 0 rows", lambda: confusion([], [], 2)),
    (
        DataError,
        (
            "decisions must be class numbers from 0 to 2; row 1 is 5"
            "\n\nHint: other labels are given in order, by labels= or classes=."
        ),
        lambda: confusion([0, 1], [0, 5], 3),
    ),
    (
        DataError,
        "outcomes in rows must have as many columns as the forecasts; got 2 and 3",
        lambda: Cases([[1, 0], [0, 1]], P),
    ),
    (
        DataError,
        (
            "outcomes in rows must have a single 1 and otherwise 0; row 1 is [0.0, 0.5, 0.5]"
            "\n\nHint: an outcome is what happened, not a distribution."
        ),
        lambda: Cases([[1, 0, 0], [0, 0.5, 0.5]], P),
    ),
    # labels and numbers of classes
    (
        DataError,
        "labels must name each column of the class probabilities; got 2 labels for 3 columns",
        lambda: Cases(["mild", "severe"], P, labels=["mild", "severe"]),
    ),
    (
        DataError,
        "labels must be a list of labels in order; got 'abc'",
        lambda: Cases(["a", "c"], P, labels="abc"),
    ),
    (
        DataError,
        "labels must differ from one another; got ('a', 'b', 'b')",
        lambda: Cases([0, 1], P, labels=["a", "b", "b"]),
    ),
    (
        DataError,
        "labels must be plain values such as text or numbers; got (['a'], ['b'], ['c'])",
        lambda: Cases([0, 1], P, labels=[["a"], ["b"], ["c"]]),
    ),
    (
        DataError,
        "classes must be their number, or a list of labels in order; got {'a'}",
        lambda: confusion([0, 1], [0, 1], {"a"}),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "classes must be their number, or a list of labels in order; got 2.5",
        lambda: confusion([0, 1], [0, 1], 2.5),  # type: ignore[arg-type]
    ),
    (DataError, "there must be at least two classes; got 1", lambda: confusion([0, 0], [0, 0], 1)),
    (
        ArgumentTypeError,
        (
            "pos_label is the label of an event; class probabilities have none, got 1"
            "\n\nHint: labels= names the columns."
        ),
        lambda: Cases([0, 1], P, pos_label=1),
    ),
    # costs
    (
        DataError,
        "costs must be 'zero_one', 'absolute', 'quadratic' or a matrix; got 'cubic'",
        lambda: decide(P, "cubic"),
    ),
    (
        DataError,
        "costs must have one row for each of 3 classes and one column a decision; got shape (2, 2)",
        lambda: decide(P, [[0, 1], [1, 0]]),
    ),
    (
        DataError,
        "costs must lie between -1e+100 and 1e+100; row 2, column 1 is inf",
        lambda: decide(P, [[0, 1], [1, 0], [1, math.inf]]),
    ),
    # cases of an event and of classes
    (
        DataError,
        (
            "this needs the probability of one event; these cases have 3 classes"
            "\n\nHint: cumulative, one_vs_rest and top_label make events of classes."
        ),
        GRADES.tally,
    ),
    (
        DataError,
        (
            "this needs the probability of one event; these cases have 3 classes"
            "\n\nHint: cumulative, one_vs_rest and top_label make events of classes."
        ),
        lambda: murphy_decomposition(GRADES),
    ),
    (
        DataError,
        "reduction says which questions to ask of several classes; these cases have one event, got reduction='top_label'",
        lambda: reliability(EVENT, reduction="top_label"),
    ),
    (
        DataError,
        "reduction must be 'cumulative', 'one_vs_rest' or 'top_label'; got 'cuts'",
        lambda: reliability(GRADES, reduction="cuts"),  # type: ignore[call-overload]
    ),
    (
        ArgumentTypeError,
        (
            "this needs Cases of several classes; got Tally"
            "\n\nHint: write properly.Cases(y, P), one column a class."
        ),
        lambda: cumulative(T),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "this needs the probabilities of several classes; these cases have one event"
            "\n\nHint: write properly.Cases(y, P), one column a class."
        ),
        lambda: one_vs_rest(EVENT),
    ),
    (
        ArgumentTypeError,
        (
            "this needs Cases of several classes; got list"
            "\n\nHint: write properly.Cases(y, P), one column a class."
        ),
        lambda: hard_decisions([0, 1]),  # type: ignore[arg-type]
    ),
    # skill and evaluation
    (
        ArgumentTypeError,
        "labels name the columns of class probabilities; these have none, got ['no', 'yes']\n\nHint: for one event, compare y with its label.",
        lambda: skill([0, 1], [0.1, 0.2], Brier(), labels=["no", "yes"]),
    ),
    (
        DataError,
        "a reference is one row of 3 probabilities, or one for each of 2 cases; got shape (1, 2)",
        lambda: skill([0, 2], P, RPS(), reference=[0.5, 0.5]),
    ),
    (
        DataError,
        "a reference is one row of 3 probabilities, or one for each of 2 cases; got shape (3, 3)",
        lambda: skill([0, 2], P, RPS(), reference=[[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    ),
    (
        DataError,
        "models must all forecast one event, or all the same classes; 'old' has one column, 'new' has several",
        lambda: evaluate([0, 1], {"old": [0.1, 0.2], "new": P}),
    ),
    (
        DataError,
        (
            "within is for forecasts of one event; these are of several classes"
            "\n\nHint: pass rules=Ranked(Bounded(Brier(), within))."
        ),
        lambda: evaluate([0, 1], P, within=(0.1, 0.2)),
    ),
    (
        DataError,
        "pos_label is for forecasts of one event; these are of several classes",
        lambda: evaluate([0, 1], P, pos_label=1),
    ),
    (
        DataError,
        (
            "RPS() needs ordered classes; the task is 'multiclass'"
            "\n\nHint: task='ordinal' takes the columns in their order."
        ),
        lambda: evaluate([0, 1], P, rules=[Brier(), RPS()]),
    ),
    (
        DataError,
        "models must have the same classes; got 'old' with 2 and 'new' with 3",
        lambda: evaluate([0, 1], {"old": [[0.5, 0.5], [0.2, 0.8]], "new": P}),
    ),
    (
        DataError,
        "task must be 'auto', 'binary', 'multiclass' or 'ordinal'; got 'nominal'",
        lambda: evaluate([0, 1], P, task="nominal"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "this needs the probabilities of several classes; these cases have one event\n\nHint: write properly.Cases(y, P), one column a class.",
        lambda: evaluate([0, 1], [0.1, 0.2], task="ordinal"),
    ),
    # decompositions
    (
        DataError,
        (
            "a ranked rule adds up cuts, so its reduction is 'cumulative'; got 'top_label'"
            "\n\nHint: pass a rule for one event, such as Brier(), to ask other questions."
        ),
        lambda: decompose(GRADES, RPS(), reduction="top_label"),
    ),
    (
        DataError,
        (
            "a score of classes can be decomposed if it adds up scores of yes-or-no questions; Spherical() of classes is no such sum"
            "\n\nHint: name a reduction to judge its questions: decompose(cases, Spherical(), reduction='one_vs_rest')."
        ),
        lambda: decompose(GRADES, Spherical()),
    ),
    (
        DataError,
        (
            "a rule for one event needs a reduction that says which event; got Elementary(threshold=0.5) alone"
            "\n\nHint: name a reduction to judge its questions: decompose(cases, Elementary(threshold=0.5), reduction='one_vs_rest')."
        ),
        lambda: decompose(GRADES, Elementary(0.5)),
    ),
    (
        ArgumentTypeError,
        ("this needs a rule; got 'rps'\n\nHint: write the rule with parentheses, as in RPS()."),
        lambda: decompose(GRADES, "rps"),  # type: ignore[call-overload]
    ),
    (
        ImproperRuleError,
        (
            "a score of classes can be decomposed if it adds up scores of yes-or-no questions, and only if it is proper; SquaredAbsoluteRPS() is neither"
            "\n\nHint: pass a rule for one event and a reduction: decompose(cases, Brier(), reduction='one_vs_rest')."
        ),
        lambda: decompose(GRADES, SquaredAbsoluteRPS()),
    ),
    (
        DataError,
        (
            "a score of classes can be decomposed if it adds up scores of yes-or-no questions; SquaredMeanError() is no such sum"
            "\n\nHint: pass a rule for one event and a reduction: decompose(cases, Brier(), reduction='one_vs_rest')."
        ),
        lambda: decompose(GRADES, SquaredMeanError()),
    ),
    (
        DataError,
        "reduction must be 'cumulative', 'one_vs_rest' or 'top_label'; got 'cuts'",
        lambda: decompose(GRADES, RPS(), reduction="cuts"),  # type: ignore[call-overload]
    ),
    # decisions and what they cost
    (
        DataError,
        "labels must name each of 3 decisions; got ['mild', 'severe']",
        lambda: decide(P, labels=["mild", "severe"]),
    ),
    (
        DataError,
        (
            "costs by distance need the number of classes; got 'quadratic' and no classes"
            "\n\nHint: pass classes=, their number or their labels in order."
        ),
        lambda: hard_costs([0, 1], [0, 1], "quadratic"),
    ),
    (
        DataError,
        "decisions must be columns of the costs, 0 to 3; row 1 is 4\n\nHint: decide(P, cost) makes such decisions.",
        lambda: expected_cost([0, 1], [0, 4], ABSTAIN),
    ),
    (
        DataError,
        "decisions and outcomes must be equally long; got 2 and 3",
        lambda: expected_cost([0, 1, 2], [0, 1], ABSTAIN),
    ),
    (
        DataError,
        "priors must be 'uniform'; got 'equal'",
        lambda: expected_cost([0, 1], [0, 1], classes=2, priors="equal"),
    ),
    (
        DataError,
        "priors must be shares of all 3 classes; got 2 shares",
        lambda: expected_cost([0, 1], [0, 1], classes=3, priors=[0.5, 0.5]),
    ),
    (
        DataError,
        ("priors must sum to one; got a sum of 0.75\n\nHint: divide them by their sum."),
        lambda: expected_cost([0, 1], [0, 1], classes=2, priors=[0.5, 0.25]),
    ),
    (
        DataError,
        "priors must be finite and not negative; row 1 is -0.5",
        lambda: expected_cost([0, 1], [0, 1], classes=2, priors=[1.5, -0.5]),
    ),
    (
        DataError,
        (
            "a class with a prior must have cases; class 2 has prior 0.25 and none"
            "\n\nHint: what decisions cost there is not known from these cases."
        ),
        lambda: expected_cost([0, 1], [0, 1], classes=3, priors=[0.25, 0.5, 0.25]),
    ),
    (
        DataError,
        (
            "normalizing needs a best constant decision that costs 0 or more; got -0.5"
            "\n\nHint: state costs so that the right decision costs 0."
        ),
        lambda: expected_cost([0, 1], [0, 1], [[-1, 0], [0, -1]], normalized=True),
    ),
    (
        DataError,
        (
            "decisions must be classes to agree with the truth; got costs of 4 decisions for 3 classes"
            "\n\nHint: expected_cost(y, decide(P, cost), cost) prices any."
        ),
        lambda: hard_decisions(GRADES, ABSTAIN),
    ),
    # agreement
    (
        DataError,
        "decisions and outcomes must be equally long; got 3 and 2",
        lambda: quadratic_weighted_kappa([0, 1], [0, 1, 1], 2),
    ),
    (
        DataError,
        "weights and outcomes must be equally long; got 1 and 2",
        lambda: quadratic_weighted_kappa([0, 1], [0, 1], 2, weight=[1]),
    ),
    (
        DataError,
        "disagreement must be 'quadratic' or 'linear'; got 'cubic'",
        lambda: weighted_kappa([0, 1], [0, 1], 2, "cubic"),
    ),
    (
        DataError,
        (
            "disagreement weights must have one row and one column for each of 2 classes; got shape (2,)"
            "\n\nHint: weights of cases are passed as weight=."
        ),
        lambda: weighted_kappa([0, 1], [0, 1], 2, [1, 2]),
    ),
    (
        DataError,
        "disagreement weights must be finite and not negative; row 0, column 1 is -1",
        lambda: weighted_kappa([0, 1], [0, 1], 2, [[0, -1], [1, 0]]),
    ),
    (
        DataError,
        (
            "disagreement weights must be 0 on the diagonal; row 0 has 1"
            "\n\nHint: for weights of agreement, pass 1 minus them."
        ),
        lambda: weighted_kappa([0, 1], [0, 1], 2, [[1, 0.5], [0.5, 1]]),
    ),
    (
        DataError,
        "disagreement weights must not all be 0; got nothing else",
        lambda: weighted_kappa([0, 1], [0, 1], 2, [[0, 0], [0, 0]]),
    ),
    (
        ArgumentTypeError,
        "the value of an undefined kappa must be a number; got 'none'",
        lambda: weighted_kappa([0, 1], [0, 1], 2, undefined="none"),  # type: ignore[arg-type]
    ),
    # retention
    (
        DataError,
        "an area needs a list of two shares of removed cases or more; got [0.1]",
        lambda: retention_curve([1, 2], [0, 1], [0, 1], removed=[0.1]),
    ),
    (
        DataError,
        "shares of removed cases must increase; row 2 is 0.1, after 0.2",
        lambda: retention_curve([1, 2], [0, 1], [0, 1], removed=[0, 0.2, 0.1]),
    ),
    (
        DataError,
        (
            "shares of removed cases must lie between 0 and 1; row 1 is 20.0"
            "\n\nHint: for percentages, divide by 100 first."
        ),
        lambda: retention_curve([1, 2], [0, 1], [0, 1], removed=[0, 20]),
    ),
    (
        DataError,
        "decisions must be columns of the costs, 0 to 0; row 1 is 1\n\nHint: decide(P, cost) makes such decisions.",
        lambda: retention_curve([1, 2], [0, 1], [0, 1], metric="expected_cost", cost=[[0], [1]]),
    ),
    (
        DataError,
        "class probabilities must have a column for each of 4 classes; got 3",
        lambda: retention_curve([1, 2], [0, 2], P, labels=4),
    ),
    (
        DataError,
        (
            "a function needs cases in one order, so ties='stable'; got 'average' for accuracy"
            "\n\nHint: the mean is known for 'quadratic_weighted_kappa' and 'expected_cost'."
        ),
        lambda: retention_curve([1, 2], [0, 1], [0, 1], metric=accuracy, ties="average"),
    ),
    (
        DataError,
        "a metric that is no function must be 'quadratic_weighted_kappa' or 'expected_cost'; got 'accuracy'",
        lambda: retention_curve([1, 2], [0, 1], [0, 1], metric="accuracy"),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        "the value of the metric must be a number; got 'good'",
        lambda: retention_curve([1, 2], [0, 1], [0, 1], metric=lambda *_: "good"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "decisions and outcomes must be equally long; got 3 and 2",
        lambda: retention_curve([1, 2], [0, 1], [0, 1, 1]),
    ),
    (
        DataError,
        "scores and outcomes must be equally long; got 3 and 2",
        lambda: retention_curve([1, 2, 3], [0, 1], [0, 1]),
    ),
    (
        DataError,
        "clusters and outcomes must be equally long; got 1 and 2",
        lambda: retention_study({"mine": [1, 2]}, [0, 1], [0, 1], clusters=[7]),
    ),
    (
        DataError,
        "a standard deviation needs two replicates or more; got 1",
        lambda: retention_study({"mine": [1, 2]}, [0, 1], [0, 1], replicates=1),
    ),
    (
        ArgumentTypeError,
        ("scores are given by name, in a dict; got list\n\nHint: write {'name': scores, ...}."),
        lambda: retention_study([1, 2], [0, 1], [0, 1]),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "there must be scores, with names that differ as text; got []",
        lambda: retention_study({}, [0, 1], [0, 1]),
    ),
    (
        DataError,
        "there must be scores, with names that differ as text; got [1, '1']",
        lambda: retention_study({1: [1, 2], "1": [1, 2]}, [0, 1], [0, 1]),  # type: ignore[dict-item]
    ),
    (
        DataError,
        (
            "the oracle is added under a name of its own; got scores called 'oracle (hard cost)'"
            "\n\nHint: oracle=False adds none."
        ),
        lambda: retention_study({"oracle (hard cost)": [1, 2]}, [0, 1], [0, 1]),
    ),
    (
        ArgumentTypeError,
        (
            "this needs a rule that has an entropy; got <class 'properly.rules._ranked_probability.RPS'>"
            "\n\nHint: write the rule with parentheses, as in RPS()."
        ),
        lambda: rejection_scores(P, RPS),  # type: ignore[arg-type]
    ),
    # single cases
    (
        ArgumentTypeError,
        ("single cases are found in Cases; got Tally\n\nHint: make them by properly.Cases(y, p)."),
        lambda: worst_cases(T, Brier()),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        (
            "this needs a rule for the probability of one event; got RPS()"
            "\n\nHint: this one prices class probabilities; pass a rule such as Brier()."
        ),
        lambda: worst_cases(EVENT, RPS()),
    ),
    (
        DataError,
        (
            "one forecast is one row of probabilities; got an array of shape (2, 3)"
            "\n\nHint: pick one case, as in P[0]."
        ),
        lambda: cumulative_forecast(0, P),
    ),
    # pictures
    (
        DataError,
        (
            "several forecasts have panels of their own; got one Axes for 2"
            "\n\nHint: draw each of them on an Axes of its own."
        ),
        lambda: plots.cumulative_forecast({"a": ONE, "b": ONE}, FIGURE.add_subplot()),  # type: ignore[call-overload]
    ),
    (
        ArgumentTypeError,
        (
            "this picture is drawn from a CumulativeForecast; got list"
            "\n\nHint: make one with properly.decisions.cumulative_forecast(y, p)."
        ),
        lambda: plots.cumulative_forecast([0.5, 0.5]),  # type: ignore[call-overload]
    ),
    (
        DataError,
        (
            "curves in one picture must be of one metric; got expected_cost, quadratic_weighted_kappa"
            "\n\nHint: draw those of each metric on Axes of their own."
        ),
        lambda: plots.retention({"a": CURVE, "b": COSTS}),
    ),
    (
        ArgumentTypeError,
        (
            "this picture is drawn from a Retention; got Cases"
            "\n\nHint: make one with properly.retention_curve(scores, y, P)."
        ),
        lambda: plots.retention(GRADES),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        (
            "this picture is drawn from WorstCases; got Cases"
            "\n\nHint: make them with properly.decisions.worst_cases(cases, rule)."
        ),
        lambda: plots.worst_cases(GRADES),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        (
            "this picture is drawn from a Confusion; got Cases"
            "\n\nHint: make one with properly.decisions.confusion(y, d, classes)."
        ),
        lambda: plots.confusion(GRADES),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "a cost by name needs the labels of the classes; got 'quadratic' alone"
            "\n\nHint: pass labels=, or the number of classes."
        ),
        lambda: plots.cost_matrix("quadratic"),
    ),
    (
        DataError,
        "labels must name each of 2 classes or of 2 decisions; got 3",
        lambda: plots.cost_matrix([[0, 1], [1, 0]], ["a", "b", "c"]),
    ),
    (
        DataError,
        "labels must name each of 3 classes or of 4 decisions; got 2",
        lambda: plots.cost_matrix(ABSTAIN, ["a", "b"]),
    ),
    (
        DataError,
        (
            "only a RetentionStudy has bands; got Retention and band=True"
            "\n\nHint: properly.decisions.retention_study computes them."
        ),
        lambda: plots.retention(CURVE, band=True),
    ),
]


WARNED: list[tuple[str, Callable[[], Any]]] = [
    (
        "a mistake should not cost less than the right answer; if class 1 happens, decision 2 costs 1, decision 1 costs 2",
        lambda: decide(P, [[0, 1, 2], [3, 2, 1], [2, 1, 0]]),
    ),
    (
        "a mistake should not cost less than the right answer; if class 0 happens, decision 1 costs 0, decision 0 costs 0.5",
        lambda: PBS(1, cost=[[0.5, 0], [1, 0]]),
    ),
    (
        "a normalized cost is 0 / 0 where decisions cost nothing and a constant one would not either; NaN is returned",
        lambda: expected_cost([0, 0], [0, 0], classes=2, normalized=True),
    ),
    (
        "kappa is 0 / 0 where chance cannot disagree, as where truth and decision are one class throughout; NaN is returned, and undefined= replaces it",
        lambda: quadratic_weighted_kappa([0, 0], [0, 0], 2),
    ),
    (
        "kappa is 0 / 0 where chance cannot disagree, as where truth and decision are one class throughout; NaN is returned, and undefined= replaces it",
        lambda: confusion([1, 1], [1, 1], 2).kappa("linear"),
    ),
]


@pytest.mark.parametrize(
    ("error", "message", "call"), SAID, ids=[said[1].split("\n")[0][:70] for said in SAID]
)
def test_a_message_is_word_for_word(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(("message", "call"), WARNED, ids=[warned[0][:70] for warned in WARNED])
def test_a_warning_is_word_for_word(message: str, call: Callable[[], Any]) -> None:
    with pytest.warns(DataWarning) as caught:
        call()
    assert [str(warning.message) for warning in caught] == [message]
