"""Every error message, word for word."""

from __future__ import annotations

import ast
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from reproductions.reliability import niamey as _niamey

import properly
import reproductions as reproduce
from properly import (
    Cases,
    Interval,
    Tally,
    calibration_test,
    cli,
    datasets,
    decompose,
    evaluate,
    murphy_curve,
    plots,
    reliability,
    report,
    tally,
)
from properly.calibration import binned_reliability
from properly.decisions import murphy_difference
from properly.errors import (
    ArgumentTypeError,
    DataError,
    ImproperRuleError,
    MissingExtraError,
    ProperlyError,
)
from properly.rules import Bounded, Brier, Elementary, Log, Misclassification, Mixture, Propriety

if TYPE_CHECKING:
    from collections.abc import Callable


class Said(NamedTuple):
    error: type[ProperlyError]
    message: str
    call: Callable[[], Any]


class Cheat(Brier):
    """A rule that is said to be improper."""

    propriety = Propriety.IMPROPER

    def __repr__(self) -> str:
        return "Cheat()"


def brier(y: Any, p: Any, weight: Any = None) -> Callable[[], Any]:
    return lambda: Brier()(y, p, weight)


T = tally([0, 1], [0.2, 0.4])
C = Cases([0, 1], [0.2, 0.4])
CLUSTERED = Cases([0, 1], [0.2, 0.4], clusters=[7, 7])
FRAME = pl.DataFrame({"died": [0, 1], "logistic": [0.1, 0.2]})

SAID = [
    # options
    Said(
        DataError,
        "a level must lie between 0 and 1, both left out; got 90\n\nHint: write 0.9 for 90 %.",
        lambda: reliability(T, band="consistency", level=90),
    ),
    Said(
        DataError,
        "a level must lie between 0 and 1, both left out; got 1",
        lambda: decompose(T, Brier(), interval=True, level=1),
    ),
    Said(
        ArgumentTypeError,
        "the level must be a number; got 'high'",
        lambda: reliability(T, band="consistency", level="high"),  # type: ignore[call-overload]
    ),
    Said(
        DataError,
        "replicates must be a whole number, 1 or more; got 0",
        lambda: calibration_test(T, replicates=0),
    ),
    Said(
        ArgumentTypeError,
        "rng must be a whole number, a numpy Generator or None; got 'seed'",
        lambda: calibration_test(T, rng="seed"),  # type: ignore[arg-type]
    ),
    Said(
        ArgumentTypeError,
        "rng must be a whole number, a numpy Generator or None; got -1",
        lambda: calibration_test(T, rng=-1),
    ),
    Said(
        DataError,
        "band must be 'consistency', 'confidence' or 'simultaneous'; got 'wide'",
        lambda: reliability(T, band="wide"),  # type: ignore[call-overload]
    ),
    Said(
        DataError,
        "method of a consistency band must be 'auto', 'resampling', 'discrete' or 'continuous'; got 'likelihood'",
        lambda: reliability(T, band="consistency", method="likelihood"),
    ),
    Said(
        DataError,
        "forecasts must be 'auto', 'discrete' or 'continuous'; got 'few'",
        lambda: reliability(T, forecasts="few"),  # type: ignore[call-overload]
    ),
    # bands, intervals, tests
    Said(
        DataError,
        "a confidence band does not allow for dependence in time; these cases have times\n\nHint: make Cases without time to take them as independent.",
        lambda: reliability(Cases([0, 1], [0.2, 0.4], time=[1, 2]), band="confidence"),
    ),
    Said(
        DataError,
        "a method belongs to a band, and none was asked for; got method='likelihood'\n\nHint: name the band too, as in band='confidence'.",
        lambda: reliability(T, method="likelihood"),
    ),
    Said(
        DataError,
        "a simultaneous band needs every forecast; these are in 2 cells\n\nHint: make the tally without cells; the band groups by itself.",
        lambda: reliability(tally([0, 1], [0.2, 0.4], cells=2), band="simultaneous"),
    ),
    Said(
        DataError,
        "a simultaneous band takes up to 1e+13 cases; got 1e+14",
        lambda: reliability(Tally.from_counts([0.5], [10**14], [1]), band="simultaneous"),
    ),
    Said(
        DataError,
        "a variance allows for clusters or for times; these cases have both\n\nHint: make Cases with one of the two.",
        lambda: decompose(
            Cases([0, 1], [0.2, 0.4], time=[1, 2], clusters=[1, 2]), Brier(), interval=True
        ),
    ),
    Said(
        DataError,
        "times must be numbers or dates, which have an order; got <U2\n\nHint: text would be put in the order of letters.",
        lambda: decompose(Cases([0, 1], [0.2, 0.4], time=["9", "10"]), Brier(), interval=True),
    ),
    Said(
        DataError,
        "models are compared on the same cases; got 'first' with 1 events of 2 and 'second' with 1 events of 3",
        lambda: murphy_difference(T, tally([0, 1, 0], [0.1, 0.2, 0.3])),
    ),
    Said(
        ArgumentTypeError,
        "a curve is a function from forecasts to probabilities; got 0.5",
        lambda: datasets.corp(5, curve=0.5),  # type: ignore[arg-type]
    ),
    Said(
        DataError,
        "the method 'discrete' takes cases as independent; these have clusters\n\nHint: a consistency band by resampling and a confidence band by likelihood allow for them.",
        lambda: reliability(CLUSTERED, band="consistency", method="discrete"),
    ),
    Said(
        DataError,
        "a simultaneous band takes cases as independent; these have clusters\n\nHint: a consistency band by resampling and a confidence band by likelihood allow for them.",
        lambda: reliability(CLUSTERED, band="simultaneous"),
    ),
    Said(
        DataError,
        "a simultaneous band counts cases; these have fractional weights\n\nHint: a confidence band by likelihood allows for weights.",
        lambda: reliability(tally([0, 1], [0.2, 0.4], weight=[0.5, 1.5]), band="simultaneous"),
    ),
    Said(
        DataError,
        "cases of fractional weight are drawn one by one; a tally has only their sums\n\nHint: pass properly.Cases(y, p, weight=w) instead of the tally.",
        lambda: calibration_test(tally([0, 1], [0.2, 0.4], weight=[0.5, 1.5])),
    ),
    Said(
        DataError,
        "clusters say how far off an estimate may be only if there are two or more; got one",
        lambda: reliability(CLUSTERED, band="confidence"),
    ),
    Said(
        DataError,
        "the calibration test 'mcb' takes cases as independent; these have clusters\n\nHint: statistic='score', 'cox' and 'citl' allow for clusters.",
        lambda: calibration_test(CLUSTERED, statistic="mcb"),
    ),
    Said(
        ImproperRuleError,
        "only a proper rule can test calibration; Cheat() is improper",
        lambda: calibration_test(T, Cheat()),
    ),
    Said(
        DataError,
        "dependence in time needs at least 20 different times; got 2\n\nHint: clusters= instead of time= allows for dependence within times, not between them.",
        lambda: decompose(Cases([0, 1], [0.2, 0.4], time=[1, 2]), Brier(), interval=True),
    ),
    # curves
    Said(
        DataError,
        "the band of the miscalibration takes cases as independent; these have clusters\n\nHint: make Cases without clusters to take them as independent.",
        lambda: murphy_curve(CLUSTERED, part="miscalibration", band="confidence"),
    ),
    Said(
        DataError,
        "the part with a consistency band must be 'score', 'miscalibration' or 'discrimination'; got 'uncertainty'",
        lambda: murphy_curve(T, part="uncertainty", band="consistency"),
    ),
    Said(
        DataError,
        "part must be 'score', 'miscalibration', 'discrimination' or 'uncertainty'; got 'mcb'",
        lambda: murphy_curve(T, part="mcb"),  # type: ignore[arg-type]
    ),
    Said(
        ArgumentTypeError,
        "the band of a difference needs Cases twice, row by row the same; got Cases and Tally\n\nHint: tallies no longer know which rows belong together.",
        lambda: murphy_difference(C, T, band="confidence"),
    ),
    Said(
        DataError,
        "Cases are compared row by row; 'first' and 'second' have 2 and 3 rows",
        lambda: murphy_difference(C, Cases([0, 1, 1], [0.1, 0.2, 0.3]), band="confidence"),
    ),
    Said(
        DataError,
        "Cases are compared row by row; in row 1, 'first' and 'second' have the outcomes True and False",
        lambda: murphy_difference(C, Cases([0, 0], [0.1, 0.2]), band="confidence"),
    ),
    Said(
        DataError,
        "Cases are compared row by row; of 'first' and 'second', only one has clusters",
        lambda: murphy_difference(C, CLUSTERED, band="confidence"),
    ),
    Said(
        DataError,
        "bins must be a whole number, 1 or more; got 0",
        lambda: binned_reliability(T, bins=0),
    ),
    # pictures
    Said(
        DataError,
        "there must be at least one Reliability to draw; got none",
        lambda: plots.reliability({}),
    ),
    Said(
        DataError,
        "models must have names that differ as text; got [1, '1']",
        lambda: plots.reliability({1: reliability(T), "1": reliability(T)}),  # type: ignore[dict-item]
    ),
    Said(
        ArgumentTypeError,
        "this picture is drawn from a Reliability; got Tally\n\nHint: make one with properly.reliability(tally).",
        lambda: plots.reliability(T),  # type: ignore[arg-type]
    ),
    Said(
        DataError,
        "one decomposition belongs to one curve; got 2 curves\n\nHint: reliability_grid gives each model a diagram of its own.",
        lambda: plots.reliability(
            {"a": reliability(T), "b": reliability(T)}, decomposition=decompose(T, Brier())
        ),
    ),
    Said(
        DataError,
        "columns must be a whole number, 1 or more; got 0",
        lambda: plots.reliability_grid({"a": reliability(T)}, columns=0),
    ),
    Said(
        DataError,
        "models are compared on the same cases, which have one uncertainty; got 0.222222 to 0.25\n\nHint: draw the models of each data set on Axes of their own.",
        lambda: plots.mcb_dsc(
            {
                "a": decompose(T, Brier()),
                "b": decompose(tally([0, 1, 1], [0.1, 0.2, 0.3]), Brier()),
            }
        ),
    ),
    # simulations and reproductions
    Said(
        DataError,
        "a curve must give one probability for each forecast; got 8 for 9",
        lambda: datasets.corp(9, curve=lambda p: p[1:]),
    ),
    Said(DataError, "n must be a whole number, 1 or more; got 0", lambda: datasets.corp(0)),
    Said(
        DataError,
        "the data must be a CSV file that can be read; 'no/such.csv' cannot: No such file or directory",
        lambda: reproduce.corp("no/such.csv"),
    ),
    Said(
        DataError,
        "the data must have rows with the columns date, Logistic, EMOS, ENS, EPC, obs; '/dev/null' has no rows",
        lambda: reproduce.corp("/dev/null"),
    ),
    Said(
        DataError,
        "the data must be numbers; row 0 of obs is 'x'",
        lambda: _niamey._numbers([{"obs": "x"}], "obs"),
    ),
    Said(
        DataError,
        "output must be a folder to write to; '/dev/null' is not: File exists",
        lambda: reproduce.corp(output="/dev/null"),
    ),
    # forecasts
    Said(
        DataError,
        "forecasts must be probabilities in [0, 1]; row 1 is nan\n\nHint: drop the rows without a forecast first.",
        brier([0, 1], [0.5, math.nan]),
    ),
    Said(
        DataError,
        "forecasts must be probabilities in [0, 1]; row 0 is inf (2 such rows)\n\nHint: drop the rows without a forecast first.",
        brier([0, 1], [math.inf, -math.inf]),
    ),
    Said(
        DataError,
        "forecasts must be probabilities in [0, 1]; row 1 is -2.5\n\nHint: for logits, apply a sigmoid first.",
        brier([0, 1], [0.5, -2.5]),
    ),
    Said(
        DataError,
        "forecasts must be probabilities in [0, 1]; row 0 is 12.0 (2 such rows)\n\nHint: for percentages, divide by 100 first.",
        brier([0, 1, 1], [12, 55, 0]),
    ),
    Said(
        DataError,
        "forecasts must be probabilities in [0, 1]; row 2 is 1.0000001\n\nHint: nothing is clipped for you; mend those rows first.",
        brier([0, 1, 1], [0.1, 0.2, 1.0000001]),
    ),
    Said(
        DataError,
        "forecasts must be numbers; row 0 is 'high' (2 such rows)\n\nHint: convert text to numbers first.",
        brier([0, 1], ["high", "low"]),
    ),
    Said(
        DataError,
        "forecasts must not be missing; row 1 is None\n\nHint: drop those rows first.",
        brier([0, 1], [0.1, None]),
    ),
    Said(
        DataError,
        "forecasts must not be missing; row 0 is masked\n\nHint: drop those rows first.",
        brier([0, 1], np.ma.MaskedArray([0.1, 0.2], [True, False])),
    ),
    Said(DataError, "forecasts must be numbers; got an array of complex128", brier([0], [1j])),
    Said(DataError, "forecasts must be numbers; got object objects", brier([0], [object()])),
    Said(
        DataError,
        "forecasts must be one-dimensional; got an array of shape (2, 2)\n\nHint: for class probabilities, see Cases and cumulative, or Ranked(rule).",
        lambda: Elementary(0.5)([0, 1], [[0.1, 0.9], [0.2, 0.8]]),
    ),
    Said(
        DataError,
        "forecasts must be a list, an array or a column of equal things; got float\n\nHint: write a single case as a list, and wrap others in list(…).",
        brier([0], 0.3),
    ),
    Said(
        DataError,
        "forecasts must be one-dimensional; got an array of shape ()",
        brier([0], np.array(0.3)),
    ),
    Said(DataError, "forecasts must not be empty; got 0 rows", brier([], [])),
    Said(
        DataError,
        "forecasts must be a list, an array or a column of equal things; got list of unequal rows\n\nHint: every row needs as many entries as the first.",
        lambda: tally([0, 1], [[0.1], [0.2, 0.3]]),
    ),
    # outcomes
    Said(
        DataError,
        "outcomes and forecasts must be equally long; got 3 and 2",
        brier([0, 1, 1], [0.1, 0.2]),
    ),
    Said(
        DataError,
        "outcomes must be one-dimensional; got an array of shape (1, 2)\n\nHint: one outcome per forecast is needed.",
        brier([[0, 1]], [0.1, 0.2]),
    ),
    Said(
        DataError,
        "outcomes must not be missing; row 1 is nan\n\nHint: drop those rows first.",
        brier([0, math.nan], [0.1, 0.2]),
    ),
    Said(
        DataError,
        "outcomes must not be missing; row 0 is None (2 such rows)\n\nHint: drop those rows first.",
        brier([None, "yes", None], [0.1, 0.2, 0.3]),
    ),
    Said(
        DataError,
        "outcomes must not be missing; row 1 is <NA>\n\nHint: drop those rows first.",
        brier(pd.Series([True, None], dtype="boolean"), [0.1, 0.2]),
    ),
    Said(
        DataError,
        "outcomes must have at most two labels; found 0, 1, 2\n\nHint: binary rules judge one event; compare y with its label.",
        brier([0, 1, 2], [0.1, 0.2, 0.3]),
    ),
    Said(
        DataError,
        "outcomes must have at most two labels; found 'a', 'b', 'c', 'd', … (5 in all)\n\nHint: binary rules judge one event; compare y with its label.",
        brier(list("abcde"), [0.1] * 5),
    ),
    Said(
        DataError,
        "outcomes must be 0 and 1, or False and True; found 'alive' and 'dead'\n\nHint: say which label is the event: pos_label='dead', or, for a rule, numpy.asarray(y) == 'dead'.",
        brier(["dead", "alive"], [0.1, 0.2]),
    ),
    Said(
        DataError,
        "outcomes must be 0 and 1, or False and True; found -1 and 1\n\nHint: say which label is the event: pos_label=1, or, for a rule, numpy.asarray(y) == 1.",
        brier([-1, 1], [0.1, 0.2]),
    ),
    Said(
        DataError,
        "outcomes must have at most two labels; found 0.1, 0.2, 0.3\n\nHint: outcomes come first, then forecasts; were the two swapped?",
        brier([0.1, 0.2, 0.3], [0, 1, 1]),
    ),
    Said(
        DataError,
        "outcomes must be labels such as numbers or text; got set",
        brier(np.array([{1}, {2}], dtype=object), [0.1, 0.2]),
    ),
    Said(
        DataError,
        "outcomes must not be missing; row 1 is nan\n\nHint: drop those rows first.",
        lambda: tally(["yes", math.nan], [0.1, 0.2], pos_label="yes"),
    ),
    Said(
        DataError,
        "outcomes must be one of labels, 'no' and 'yes'; found 'maybe' and 'yes'",
        lambda: Cases(["maybe", "yes"], [0.1, 0.2], labels=("no", "yes")),
    ),
    Said(
        DataError,
        "pos_label must be one of the labels of y, 'alive' and 'dead'; got 'died'",
        lambda: tally(["dead", "alive"], [0.1, 0.2], pos_label="died"),
    ),
    # weights
    Said(
        DataError,
        "weights must be finite and not negative; row 1 is -1.0",
        brier([0, 1], [0.1, 0.2], [1.0, -1.0]),
    ),
    Said(
        DataError,
        "weights must be finite and not negative; row 0 is nan (2 such rows)",
        brier([0, 1], [0.1, 0.2], [math.nan, math.inf]),
    ),
    Said(
        DataError,
        "positive weights must lie between 1e-100 and 1e+100; row 1 is 1e-200\n\nHint: rescale them; only their ratios matter.",
        brier([0, 1], [0.1, 0.2], [0, 1e-200]),
    ),
    Said(
        DataError,
        "at least one weight must be positive; all 2 are 0",
        brier([0, 1], [0.1, 0.2], [0, 0]),
    ),
    Said(
        DataError,
        "weights and forecasts must be equally long; got 1 and 2",
        brier([0, 1], [0.1, 0.2], [1]),
    ),
    Said(
        DataError,
        "weights must be one-dimensional; got an array of shape (1, 2)\n\nHint: one entry per forecast is needed.",
        brier([0, 1], [0.1, 0.2], [[1, 1]]),
    ),
    # logits
    Said(
        DataError,
        "logits must not be missing; row 0 is nan\n\nHint: drop those rows first.",
        lambda: Log().logit_slope([0], [math.nan]),
    ),
    Said(
        DataError,
        "outcomes and logits must be equally long; got 1 and 2",
        lambda: Log().logit_slope([0], [0.0, 1.0]),
    ),
    Said(
        DataError,
        "logits must be one-dimensional; got an array of shape (1, 1)\n\nHint: one logit per outcome.",
        lambda: Bounded(Log(), (0.1, 0.9)).logit_slope([0], [[0.0]]),
    ),
    # cases
    Said(
        DataError,
        "clusters and forecasts must be equally long; got 1 and 2",
        lambda: Cases([0, 1], [0.1, 0.2], clusters=[1]),
    ),
    Said(
        DataError,
        "groups must not be missing; row 1 is None\n\nHint: drop those rows first.",
        lambda: Cases([0, 1], [0.1, 0.2], groups=["a", None]),
    ),
    Said(
        DataError,
        "time must be one-dimensional; got an array of shape (1, 2)\n\nHint: one entry per forecast is needed in time.",
        lambda: Cases([0, 1], [0.1, 0.2], time=[[1, 2]]),
    ),
    Said(
        DataError,
        "labels must be the two labels of a binary outcome; got ('a', 'b', 'c')",
        lambda: Cases(["a"], [0.1], labels=("a", "b", "c")),
    ),
    Said(
        DataError,
        "pos_label must be the last of labels, 'b'; got 'a'",
        lambda: Cases(["a"], [0.1], labels=("a", "b"), pos_label="a"),
    ),
    # ranges of thresholds
    Said(
        DataError,
        "a range of thresholds needs 0 <= lower < upper <= 1; got lower = 0.2, upper = 0.05\n\nHint: the smaller end comes first.",
        lambda: Interval(0.2, 0.05),
    ),
    Said(
        DataError,
        "a range of thresholds needs 0 <= lower < upper <= 1; got lower = nan, upper = 1.0\n\nHint: for odds use Interval.from_odds, for costs Interval.from_costs.",
        lambda: Interval(math.nan, 1),
    ),
    Said(
        DataError,
        "a range of thresholds needs 0 <= lower < upper <= 1; got lower = 0.05, upper = 0.05\n\nHint: a single threshold is a rule of its own, Elementary(0.05).",
        lambda: Interval.from_costs(5, 100),
    ),
    Said(
        DataError,
        "a cost must not exceed the loss; got cost = (50, 200), loss = 100\n\nHint: acting that costs more than it averts is never worth it.",
        lambda: Interval.from_costs((50, 200), 100),
    ),
    Said(
        ArgumentTypeError,
        "a loss is a number or a pair of numbers; got (1, 2, 3)",
        lambda: Interval.from_costs(1, (1, 2, 3)),
    ),
    Said(
        ArgumentTypeError,
        "the lower end must be a number; got 'low'",
        lambda: Interval("low", 1),  # type: ignore[arg-type]
    ),
    Said(
        DataError,
        "odds must be zero or more; got lower = -1.0\n\nHint: odds of 1 to 19 are written 1 / 19.",
        lambda: Interval.from_odds(-1, 1),
    ),
    Said(
        DataError,
        "a loss must be greater than zero; got 0\n\nHint: without a loss there is nothing to act for.",
        lambda: Interval.from_costs(0, 0),
    ),
    Said(
        DataError,
        "a cost must be zero or more, the smaller amount first; got (2, 1)",
        lambda: Interval.from_costs((2, 1), 10),
    ),
    Said(
        ArgumentTypeError,
        "a range of thresholds is an Interval or a pair of numbers; got 0.5",
        lambda: Bounded(Brier(), 0.5),  # type: ignore[arg-type]
    ),
    # rules
    Said(
        DataError,
        "a threshold must lie strictly between 0 and 1; got 1.0\n\nHint: at 0 one always acts, at 1 never; nothing is decided.",
        lambda: Elementary(1),
    ),
    Said(
        DataError,
        "scale must be 'mean' or 'integral'; got 'sum'",
        lambda: Bounded(Brier(), (0, 1), "sum"),  # type: ignore[arg-type]
    ),
    Said(
        DataError,
        "a mean needs a range of positive, finite length; for Log() the length of (0.0, 0.2) is inf\n\nHint: use scale='integral', which does not divide.",
        lambda: Bounded(Log(), (0, 0.2)),
    ),
    Said(
        DataError,
        "a mean needs a range of positive, finite length; for Misclassification() the length of (0.1, 0.2) is 0.0\n\nHint: use scale='integral', which does not divide.",
        lambda: Bounded(Misclassification(), (0.1, 0.2)),
    ),
    Said(
        ArgumentTypeError,
        "this needs a rule for the probability of one event; got 'brier'\n\nHint: write the rule with parentheses, as in Brier().",
        lambda: decompose(tally([0], [0.1]), "brier"),  # type: ignore[call-overload]
    ),
    Said(
        DataError,
        "a mixture needs at least one positive coefficient; got ((0.0, Brier()),)",
        lambda: Mixture([(0, Brier())]),
    ),
    Said(
        ArgumentTypeError,
        "a mixture is made of pairs (coefficient, rule); got Brier()",
        lambda: Mixture([Brier()]),  # type: ignore[list-item]
    ),
    Said(
        ArgumentTypeError,
        "a mixture is made of pairs (coefficient, rule); got 0.5",
        lambda: Mixture(0.5),  # type: ignore[arg-type]
    ),
    Said(
        DataError,
        "coefficients must be finite and not negative; got -1.0 for Brier()\n\nHint: with a negative coefficient a mixture may be improper.",
        lambda: Mixture([(-1, Brier())]),
    ),
    Said(
        ImproperRuleError,
        "only a proper rule can be decomposed; Cheat() is improper, so a recalibrated forecast need not be better and the parts have no meaning"
        "\n\nHint: allow_improper=True computes them all the same, without intervals.",
        lambda: decompose(tally([0], [0.1]), Cheat()),
    ),
    # tallies
    Said(
        DataError,
        "the columns of a tally must be equally long; got value 2, weight 1, events 2",
        lambda: Tally(np.array([0.1, 0.2]), np.array([1]), np.array([0, 1])),
    ),
    Said(
        DataError,
        "the values of a tally must increase, and all of its weights must be positive\n\nHint: Tally.from_counts sorts, pools and drops for you.",
        lambda: Tally(np.array([0.9, 0.1]), np.array([1, 1]), np.array([0, 1])),
    ),
    Said(
        DataError,
        "10 cells cannot be grouped into 4, which does not divide them\n\nHint: group the tally of all forecasts instead.",
        lambda: tally([0], [0.1], cells=10).group(4),
    ),
    Said(
        DataError,
        "counts must add up to less than 2**63; got about 9.22e+18",
        lambda: Tally.from_counts([0.1, 0.2], [2**62, 2**62], [0, 1]),
    ),
    Said(
        ArgumentTypeError,
        "this needs a Tally or Cases; got list\n\nHint: make one with properly.tally(y, p).",
        lambda: decompose([0, 1], Brier()),  # type: ignore[call-overload]
    ),
    Said(
        DataError,
        "events must be between 0 and all of the cases; row 1 has 3 of 2",
        lambda: Tally.from_counts([0.1, 0.2], [1, 2], [0, 3]),
    ),
    Said(
        DataError,
        "at least one count must be positive; all 1 are 0",
        lambda: Tally.from_counts([0.1], [0], [0]),
    ),
    Said(
        DataError,
        "the columns of a tally must be equally long; got value 2, weight 1, events 2",
        lambda: Tally.from_counts([0.1, 0.2], [1], [0, 1]),
    ),
    Said(
        DataError,
        "events must be whole numbers, zero or more; row 0 is 0.5",
        lambda: Tally.from_counts([0.1], [1], [0.5]),
    ),
    Said(
        DataError,
        "cells must be a whole number, 1 or more; got 0",
        lambda: tally([0], [0.1], cells=0),
    ),
    Said(
        DataError,
        "cells must be a whole number, 1 or more; got 'ten'",
        lambda: tally([0], [0.1], cells="ten"),  # type: ignore[arg-type]
    ),
    Said(
        ArgumentTypeError,
        "a range of thresholds is an Interval or a pair of numbers; got '01'",
        lambda: Bounded(Brier(), "01"),  # type: ignore[arg-type]
    ),
    Said(
        DataError,
        "a snapping step must divide 1; got 0.3\n\nHint: use a step such as 0.01, or the values themselves.",
        lambda: tally([0], [0.1], snap=0.3),
    ),
    Said(
        DataError,
        "snapping values must increase",
        lambda: tally([0], [0.1], snap=[0.5, 0.2]),
    ),
    # frames
    Said(
        ArgumentTypeError,
        "outcome and forecast name columns of a frame; arrays were given as well\n\nHint: pass a frame and two names, or two arrays.",
        lambda: tally([0], [0.1], outcome="died"),
    ),
    Said(
        ArgumentTypeError,
        "forecasts are missing; got only list\n\nHint: pass tally(y, p), or a frame with outcome= and forecast=.",
        lambda: tally([0, 1]),
    ),
    Said(
        ArgumentTypeError,
        "a frame needs the names of its columns; got outcome = 'died', forecast = None",
        lambda: tally(FRAME, outcome="died"),
    ),
    Said(
        DataError,
        "the frame must have the column 'logstic'; it has 2 others\n\nHint: did you mean one of 'logistic'?",
        lambda: tally(FRAME, outcome="died", forecast="logstic"),
    ),
    Said(
        DataError,
        "backend must be one of polars, pandas, pyarrow; got 'excel'",
        lambda: decompose(tally([0], [0.1]), Brier()).to_frame("excel"),  # type: ignore[arg-type]
    ),
    # evaluations and reports
    Said(
        DataError,
        "models must have names that differ, and there must be at least one; got none",
        lambda: evaluate([0], {}),
    ),
    Said(
        DataError,
        "models must have names that differ, and there must be at least one; got '1' twice",
        lambda: evaluate([0], {1: [0.1], "1": [0.2]}),
    ),
    Said(
        DataError,
        "rules must have names that differ, and there must be at least one; got 'brier' twice",
        lambda: evaluate([0], [0.1], rules=[Brier(), Brier()]),
    ),
    Said(
        ArgumentTypeError,
        "a report is printed from an Evaluation; got dict\n\nHint: make one with properly.evaluate(y, forecasts).",
        lambda: report.write("report.html", {}),  # type: ignore[arg-type]
    ),
]


@pytest.mark.parametrize("said", SAID, ids=lambda said: said.message.split("\n")[0][:70])
def test_a_message_is_word_for_word(said: Said) -> None:
    with pytest.raises(said.error) as caught:
        said.call()
    assert str(caught.value) == said.message


@pytest.mark.parametrize(
    ("package", "call", "message"),
    [
        (
            "matplotlib.figure",
            lambda: plots.reliability(properly.reliability(tally([0, 1], [0.1, 0.2]))),
            "this needs matplotlib, which is not installed\n\nHint: pip install 'properly[plots]'",
        ),
        (
            "vl_convert",
            lambda: report.write("report.html", evaluate([0, 1], [0.1, 0.2], replicates=0)),
            "this needs vl_convert, which is not installed\n\nHint: pip install 'properly[report]'",
        ),
        (
            "jinja2",
            lambda: report.write("report.html", evaluate([0, 1], [0.1, 0.2], replicates=0)),
            "this needs jinja2, which is not installed\n\nHint: pip install 'properly[report]'",
        ),
        (
            "click",
            cli.command,
            "this needs click, which is not installed\n\nHint: pip install 'properly[cli]'",
        ),
    ],
)
def test_a_missing_extra_names_the_command_that_installs_it(
    package: str, call: Callable[[], Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("backend", "message"),
    [
        (
            None,
            "a frame needs polars, pandas or pyarrow, which is not installed\n\nHint: pip install polars",
        ),
        ("pandas", "a frame needs pandas, which is not installed\n\nHint: pip install pandas"),
    ],
)
def test_a_frame_without_a_frame_library_names_the_command_that_installs_one(
    backend: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("properly._boundary._record.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError) as caught:
        decompose(tally([0], [0.1]), Brier()).to_frame(backend)
    assert str(caught.value) == message


def test_every_message_in_the_source_is_tested_here() -> None:
    here = Path(__file__).parents[1]
    # What only a cluster, or a framework, can bring about is tested with one.
    patterns = ("messages/test_*.py", "sklearn/test_*.py", "*/test_selection*.py")
    tests = [
        path for pattern in (*patterns, "integrations/test_*.py") for path in here.glob(pattern)
    ]
    told = "".join(path.read_text(encoding="utf-8") for path in tests)
    source = Path(properly.__file__).parent
    files = [path for path in source.rglob("*.py") if path != source / "__init__.py"]
    openings = [(path.name, part) for path in files for part in _openings(path)]
    assert len(openings) > 30
    assert [(name, part) for name, part in openings if part not in told] == []


def _openings(path: Path) -> list[str]:
    """Return the first literal words of each message that a file composes."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "message":
            literals = [
                part.value
                for part in ast.walk(node.value)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            found.append(max(literals, key=len).split("{")[0].strip())
    return found


def test_every_refusal_is_a_value_or_type_error_of_ours() -> None:
    assert all(issubclass(said.error, ValueError | TypeError) for said in SAID)
    assert all(said.error.__module__ == "properly.errors" for said in SAID)
