"""What the checkup says, and the messages of what it refuses, word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly import Cases, tally
from properly.errors import ArgumentTypeError, DataError
from properly.evaluation._checkup._check import Checkup, check

if TYPE_CHECKING:
    from collections.abc import Callable

RNG = np.random.default_rng(8)
P = RNG.uniform(0.1, 0.9, 60)
R = RNG.uniform(0.1, 0.9, 60)
Y = (RNG.random(60) < P).astype(int)
T = RNG.dirichlet(np.full(3, 0.7), 60)
G = (RNG.random(60)[:, None] > np.cumsum(T, axis=1)).sum(axis=1)


def changed(x: Any, value: Any) -> Any:
    """Put another value into the first row."""
    return np.concatenate([[value], x[1:]])


def rows(x: Any, value: Any) -> Any:
    """Put another row in the place of the first."""
    return np.vstack([np.broadcast_to(value, (1, x.shape[1])), x[1:]])


# Severity, where, what, advice, and a call that finds it.
SAID: list[tuple[str, str, str, str, Callable[[], Checkup]]] = [
    # columns
    (
        "problem",
        "forecast",
        "it must be a list, an array or a column of equal things; got float",
        "Pass a list, an array or a column of one dimension, with one entry a case.",
        lambda: check([0, 1], 0.5),
    ),
    (
        "oddity",
        "outcome",
        "there is only 1 event",
        "Means can be read, differences between models hardly; intervals, AUC and calibration are not to be trusted below 10 events.",
        lambda: check([0, 1], 0.5),
    ),
    (
        "problem",
        "forecast",
        "it must be a list, an array or a column of equal things; got list of unequal rows",
        "Pass a list, an array or a column of one dimension, with one entry a case.",
        lambda: check([0, 1], [[0.1, 0.2], [0.3]]),
    ),
    (
        "problem",
        "forecast",
        "it has two dimensions, of which the second has a single column",
        "Pass a list, an array or a column of one dimension, with one entry a case.",
        lambda: check([0, 1], np.array([[0.25], [0.5]])),
    ),
    (
        "problem",
        "a",
        "it has 2 columns, though one event is forecast",
        "Pass the column of the event, such as p[:, 1], or task='multiclass'.",
        lambda: check([0, 1], {"a": [[0.5, 0.5], [0.1, 0.9]]}, task="binary"),
    ),
    (
        "problem",
        "a",
        "it has one column, though several classes are forecast",
        "Pass one column a class, or task='binary' for all models.",
        lambda: check([0, 1], {"a": [0.25, 0.5]}, task="multiclass"),
    ),
    (
        "problem",
        "time",
        "it has 2 columns instead of one",
        "Pass one entry a case.",
        lambda: check([0, 1], [0.25, 0.5], time=[[1, 2], [3, 4]]),
    ),
    (
        "problem",
        "outcome",
        "there are no rows",
        "Is this the right file, and did a filter let nothing through?",
        lambda: check([], []),
    ),
    (
        "problem",
        "forecast",
        "it has 3 rows, the outcome 2 rows",
        "Every column needs one row a case, in the same order. Were rows filtered in one of them?",
        lambda: check([0, 1], [0.25, 0.5, 0.75]),
    ),
    (
        "problem",
        "outcome",
        "it has 1 row, every model 2 rows",
        "Every column needs one row a case, in the same order. Were rows filtered in one of them?",
        lambda: check([0], {"a": [0.25, 0.5], "b": [0.5, 0.75]}),
    ),
    (
        "problem",
        "outcome",
        "the event never happened in 1 row of known outcome",
        "Scores can be computed, but there is no AUC, no skill and no calibration curve. Is this the right column, and were no rows filtered away?",
        lambda: check([0], {"a": [0.25, 0.5], "b": [0.5, 0.75]}),
    ),
    (
        "problem",
        "outcome",
        "2 of 5 outcomes are missing",
        "Drop those rows first; on the command line, --missing drop.",
        lambda: check([0, None, None, 1, 1], [0.25, 0.5, 0.75, 0.5, 0.75]),
    ),
    (
        "oddity",
        "outcome",
        "there is only 1 non-event",
        "Means can be read, differences between models hardly; intervals, AUC and calibration are not to be trusted below 10 non-events.",
        lambda: check([0, None, None, 1, 1], [0.25, 0.5, 0.75, 0.5, 0.75]),
    ),
    (
        "problem",
        "forecast",
        "1 of 2 forecasts is missing",
        "Drop that row first; on the command line, --missing drop.",
        lambda: check([0, 1], [0.25, None]),
    ),
    (
        "problem",
        "forecast",
        "1 of 2 rows has missing entries",
        "Drop that row first; on the command line, --missing drop.",
        lambda: check([[1, 0], [0, 1]], [[0.5, None], [0.1, 0.9]]),
    ),
    (
        "note",
        "outcome",
        "this class never happened: 0",
        "That is no mistake by itself; calibration and recall of such a class are unknown.",
        lambda: check([[1, 0], [0, 1]], [[0.5, None], [0.1, 0.9]]),
    ),
    (
        "note",
        "forecast",
        "two columns are taken as two classes",
        "For the evaluation of one event, pass the column of the event, such as p[:, 1].",
        lambda: check([[1, 0], [0, 1]], [[0.5, None], [0.1, 0.9]]),
    ),
    (
        "problem",
        "clusters",
        "1 of 2 values is missing",
        "Drop that row first; on the command line, --missing drop.",
        lambda: check([0, 1], [0.25, 0.5], clusters=["a", None]),
    ),
    (
        "problem",
        "forecast",
        "1 of 2 rows has no number but 'n/a'",
        "Convert text to numbers first.",
        lambda: check([0, 1], [0.25, "n/a"]),
    ),
    (
        "problem",
        "forecast",
        "all numbers are written as text, such as '0.25'",
        "Convert text to numbers first.",
        lambda: check([0, 1], ["0.25", "0.5"]),
    ),
    (
        "problem",
        "forecast",
        "1 of 2 rows has no number but '0,5'",
        "Write decimals with a point, not a comma, and without a percent sign.",
        lambda: check([0, 1], [0.25, "0,5"]),
    ),
    (
        "problem",
        "forecast",
        "1 of 2 forecasts is infinite",
        "Find where they come from, such as a division by zero or an overflow.",
        lambda: check([0, 1], [0.25, float("inf")]),
    ),
    (
        "oddity",
        "b",
        "its forecasts are those of 'a', to the last digit",
        "Was a column copied or read twice? Leave one of the two out.",
        lambda: check([0, 1], {"a": [0.25, 0.5], "b": [0.25, 0.5]}),
    ),
    # outcomes
    (
        "problem",
        "outcome",
        "outcomes are probabilities: 60 distinct values in [0, 1], while the forecast 'model' has only 0 and 1",
        "Swap the two: outcomes come first, then forecasts; --outcome names the outcome.",
        lambda: check(P, {"model": Y}),
    ),
    (
        "oddity",
        "model",
        "all forecasts are 0 or 1: decisions, not probabilities",
        "Pass probabilities (predict_proba, not predict). Decisions can be scored, but one that is wrong makes the log score infinite.",
        lambda: check(P, {"model": Y}),
    ),
    (
        "problem",
        "outcome",
        "outcomes are probabilities: 60 distinct values in [0, 1]",
        "Pass what happened, 0 or 1; --outcome names its column.",
        lambda: check(P, {"model": P**2}),
    ),
    (
        "problem",
        "outcome",
        "an event has two labels at most; found 0 (20), 1 (20), 2 (20)",
        "Compare with the label of the event, such as y == 2, or forecast all classes, one column each (--classes).",
        lambda: check([0, 1, 2] * 20, R),
    ),
    (
        "problem",
        "outcome",
        "an event has two labels at most; found 0 (20), 1 (20), 9 (1)",
        "If 9 stands for what is not known, drop those rows first.",
        lambda: check([0, 1] * 20 + [9], P[:41]),
    ),
    (
        "problem",
        "outcome",
        "labels must be 0 and 1, or say which is the event; found 'no', 'yes'",
        "Say which label is the event: pos_label='yes', or --event yes, if it is that one.",
        lambda: check(["no", "yes"] * 30, R),
    ),
    (
        "problem",
        "outcome",
        "labels must be 0 and 1, or say which is the event; found 'a b', 'b c'",
        "Say which label is the event: pos_label='b c', or --event 'b c', if it is that one.",
        lambda: check(["a b", "b c"] * 30, R),
    ),
    (
        "problem",
        "outcome",
        "the event 'Yes' is not among the labels, 'no', 'yes'",
        "Name one of the labels, such as pos_label='yes'; --event.",
        lambda: check(["no", "yes"] * 30, R, pos_label="Yes"),
    ),
    (
        "problem",
        "outcome",
        "the event '1' is not among the labels, 0, 1",
        "Write pos_label=1: the event is str, the label int.",
        lambda: check([0, 1] * 30, R, pos_label="1"),
    ),
    (
        "problem",
        "outcome",
        "the event never happened in 60 rows of known outcome",
        "Scores can be computed, but there is no AUC, no skill and no calibration curve. Is this the right column, and were no rows filtered away?",
        lambda: check([0] * 60, R),
    ),
    (
        "problem",
        "outcome",
        "the event happened each time in 60 rows of known outcome",
        "Scores can be computed, but there is no AUC, no skill and no calibration curve. Is this the right column, and were no rows filtered away?",
        lambda: check([1] * 60, R),
    ),
    # forecasts
    (
        "problem",
        "model",
        "1 of 60 forecasts is outside [0, 1] by less than a millionth, as by rounding",
        "Nothing is clipped for you: numpy.clip(p, 0, 1), if you agree that this is rounding.",
        lambda: check(Y, {"model": changed(P, 1 + 1e-9)}),
    ),
    (
        "problem",
        "model",
        "1 of 60 forecasts is -999, while all others are probabilities: a code for what is missing?",
        "If it is one, drop those rows first.",
        lambda: check(Y, {"model": changed(P, -999)}),
    ),
    (
        "problem",
        "model",
        "60 of 60 forecasts are negative and none above 0, as logits of rare events or logarithms of probabilities are",
        "Of logits, take the sigmoid 1 / (1 + numpy.exp(-x)) first; of logarithms, numpy.exp(x).",
        lambda: check(Y, {"model": np.log(P)}),
    ),
    (
        "problem",
        "model",
        "45 of 60 forecasts are outside [0, 1], down to -2.056 and up to 2.101, as logits (log-odds) are",
        "Of logits, take the sigmoid first: 1 / (1 + numpy.exp(-x)).",
        lambda: check(Y, {"model": np.log(P / (1 - P))}),
    ),
    (
        "problem",
        "model",
        "60 of 60 forecasts are above 1, up to 89.1, as percentages are",
        "Of percentages, divide by 100 first.",
        lambda: check(Y, {"model": 100 * P}),
    ),
    (
        "problem",
        "model",
        "1 of 60 forecasts is outside [0, 1], from 0.1134 to 1.7",
        "Nothing is clipped for you. Are these probabilities? Of percentages, divide by 100; of odds, take x / (1 + x).",
        lambda: check(Y, {"model": changed(P, 1.7)}),
    ),
    (
        "oddity",
        "model",
        "all 60 forecasts are 0.5",
        "Is this the right column? A constant has no discrimination; evaluate adds one itself.",
        lambda: check(Y, {"model": np.full(60, 0.5)}),
    ),
    (
        "note",
        "model",
        "1 of 60 forecasts is exactly 0 or 1",
        "None of them is wrong; a single one would make the log score infinite.",
        lambda: check(Y, {"model": changed(P, 0.0)}),
    ),
    (
        "oddity",
        "model",
        "1 of 60 forecasts is exactly 0 or 1, of which 1 at 0 though the event happened",
        "The log score is infinite, and says so. Compare by Brier, or by thresholds above 0 and below 1 (within=, --within), or let the model be less sure.",
        lambda: check(1 - Y, {"model": changed(P, 0.0)}),
    ),
    (
        "oddity",
        "model",
        "events have lower forecasts than non-events: AUC 0.217, worse than chance",
        "Is it the probability of the other outcome (1 - p), or the wrong event (pos_label=, --event)?",
        lambda: check(1 - Y, {"model": changed(P, 0.0)}),
    ),
    (
        "problem",
        "outcome",
        "an event has two labels at most; found 'a' (20), 'b' (20), 'c' (20)",
        "Compare with the label of the event, such as y == 'c', or forecast all classes, one column each (--classes).",
        lambda: check(["a", "b", "c"] * 20, {"model": changed(P, 0.0)}),
    ),
    (
        "note",
        "model",
        "1 of 60 forecasts is exactly 0 or 1",
        "Each of them that is wrong makes the log score infinite.",
        lambda: check(["a", "b", "c"] * 20, {"model": changed(P, 0.0)}),
    ),
    (
        "note",
        "model",
        "there are only 4 distinct forecasts among 60",
        "Equal forecasts are pooled: the calibration curve has so many points at most.",
        lambda: check(Y, {"model": np.round(P * 4 + 0.5) / 8}),
    ),
    (
        "note",
        "model",
        "forecasts are rounded to 2 decimals: 80 distinct ones",
        "Equal forecasts are pooled, and many tie with thresholds such as 0.05, at which one acts if the forecast is as high. Keep all digits if you can.",
        lambda: check(np.resize(Y, 80), {"model": np.arange(10, 90) / 100}),
    ),
    (
        "oddity",
        "model",
        "4 of 80 forecasts are rounded to 1 by float16",
        "Take the sigmoid or the softmax of the logits in float64: logits.double(), astype.",
        lambda: check(
            np.arange(80) >= 20,
            {"model": (1 / (1 + np.exp(-np.linspace(-6, 9, 80)))).astype(np.float16)},
        ),
    ),
    (
        "oddity",
        "model",
        "every event has a higher forecast than every non-event (AUC 1)",
        "Was the outcome, or something known only afterwards, among the predictors, or are these the rows that the model was trained on?",
        lambda: check(
            np.arange(80) >= 20,
            {"model": (1 / (1 + np.exp(-np.linspace(-6, 9, 80)))).astype(np.float16)},
        ),
    ),
    (
        "oddity",
        "model",
        "the mean forecast is 0.5986, the event rate 0.75",
        "Balanced classes in training, or case-control sampling? If the event has another rate where the forecasts are used, see properly.counts.with_event_rate; otherwise recalibrate.",
        lambda: check(
            np.arange(80) >= 20,
            {"model": (1 / (1 + np.exp(-np.linspace(-6, 9, 80)))).astype(np.float16)},
        ),
    ),
    (
        "note",
        "model",
        "4 of 80 forecasts are exactly 0 or 1",
        "None of them is wrong; a single one would make the log score infinite.",
        lambda: check(
            np.arange(80) >= 20,
            {"model": (1 / (1 + np.exp(-np.linspace(-6, 9, 80)))).astype(np.float16)},
        ),
    ),
    (
        "problem",
        "forecast",
        "1 of 2 rows has infinite entries",
        "Find where they come from, such as a division by zero or an overflow.",
        lambda: check([0, 1], [[0.5, float("inf")], [0.1, 0.9]]),
    ),
    # forecasts beside outcomes
    (
        "problem",
        "model",
        "the forecast is the outcome itself, in every row",
        "Was the outcome, or something known only afterwards, among the predictors, or are these the rows that the model was trained on?",
        lambda: check(Y, {"model": Y}),
    ),
    (
        "oddity",
        "model",
        "every forecast is within 0.0011 of what happened",
        "Was the outcome, or something known only afterwards, among the predictors, or are these the rows that the model was trained on?",
        lambda: check(Y, {"model": np.where(Y, 0.999, 0.001) + P / 1e4}),
    ),
    (
        "oddity",
        "model",
        "the mean forecast is 0.1141, the weighted event rate 0.4706",
        "Balanced classes in training, or case-control sampling? If the event has another rate where the forecasts are used, see properly.counts.with_event_rate; otherwise recalibrate.",
        lambda: check(Y, {"model": P / 4}, weight=np.linspace(1, 2, 60)),
    ),
    (
        "note",
        "b",
        "it ranks the cases exactly as 'a' does",
        "AUC and ROC curve are the same for both; only their calibration differs.",
        lambda: check(Y, {"a": P, "b": P**1.01}),
    ),
    # classes
    (
        "problem",
        "model",
        "what its 3 columns stand for is unknown; outcomes are 'a', 'b', 'c'",
        "Give one column a class, and labels= in their order; --classes a,b,c.",
        lambda: check(["a", "b", "c"] * 20, {"model": T}, task="ordinal"),
    ),
    (
        "problem",
        "model",
        "it has 3 columns for the 2 labels 'a', 'b'",
        "Give one column a class, and labels= in their order; --classes a,b,c.",
        lambda: check(G, {"model": T}, labels=["a", "b"]),
    ),
    (
        "problem",
        "model",
        "it has 3 columns, the outcomes in rows 2",
        "Give one column a class, and labels= in their order; --classes a,b,c.",
        lambda: check([[1, 0]] * 60, {"model": T}),
    ),
    (
        "problem",
        "model",
        "60 of 60 rows do not sum to 1; row 2 sums to 100, farthest off",
        "Of percentages, divide by 100 first.",
        lambda: check(G, {"model": 100 * T}),
    ),
    (
        "problem",
        "model",
        "60 of 60 rows have negative entries, as low as -7.126",
        "These are logarithms of probabilities: take numpy.exp first.",
        lambda: check(G, {"model": np.log(T)}),
    ),
    (
        "problem",
        "model",
        "60 of 60 rows have negative entries, as low as -4.126",
        "Of logits, take the softmax first: scipy.special.softmax(x, axis=1).",
        lambda: check(G, {"model": np.log(T) + 3}),
    ),
    (
        "problem",
        "model",
        "60 of 60 rows do not sum to 1; row 2 sums to 1.5, farthest off",
        "Divide each row by its sum: normalize=True, or --normalize. Is a column missing?",
        lambda: check(G, {"model": T * 1.5}),
    ),
    (
        "problem",
        "model",
        "1 of 60 rows does not sum to 1; row 0 sums to 0, farthest off",
        "Rows of zeros say nothing: drop them, then divide each row by its sum.",
        lambda: check(G, {"model": rows(T, 0)}),
    ),
    (
        "problem",
        "outcome",
        "an outcome must be one of 0, 1, 2; found 3",
        "Classes are numbered from 0; if yours are from 1, write labels=[1, 2, 3].",
        lambda: check(G + 1, {"model": T}),
    ),
    (
        "problem",
        "outcome",
        "an outcome must be one of 0, 1, 2; found 7",
        "Drop those rows, or name the classes in the order of the columns: labels=, --classes.",
        lambda: check(changed(G, 7), {"model": T}),
    ),
    (
        "problem",
        "outcome",
        "an outcome in a row must have a single 1 and otherwise 0; it has something else",
        "An outcome is what happened, not a distribution.",
        lambda: check([[1, 1, 0]] * 60, {"model": T}),
    ),
    (
        "oddity",
        "model",
        "in 1 row the class that happened had the probability 0",
        "The log score is infinite, and says so. Compare by Brier or RPS as well.",
        lambda: check(np.zeros(60, int), {"model": rows(T, [0, 0.5, 0.5])}),
    ),
    (
        "note",
        "outcome",
        "these classes never happened: 1, 2",
        "That is no mistake by itself; calibration and recall of such a class are unknown.",
        lambda: check(np.zeros(60, int), {"model": rows(T, [0, 0.5, 0.5])}),
    ),
    (
        "note",
        "model",
        "the likeliest class is never right where the outcome was 1 (happened 30 times)",
        "Rare classes seldom are the likeliest. Decide by costs (properly.decisions.decide), not by argmax.",
        lambda: check(np.arange(60) % 2, {"model": np.tile([0.6, 0.4], (60, 1))}),
    ),
    (
        "oddity",
        "model",
        "the likeliest class is right in 20.0% of cases, but in 61.7% if columns change places: column 1 for 0, column 2 for 1, column 0 for 2",
        "Are the columns in the order of labels= (--classes)? Sorted labels are no order of grades.",
        lambda: check(G, {"model": T[:, [2, 0, 1]]}),
    ),
    # rows, weights, clusters, groups, time
    (
        "oddity",
        "rows",
        "60 of 120 rows are like an earlier one, to the last digit",
        "Were files joined twice, or cases oversampled? Drop the copies, or name what they have in common: clusters=, --clusters.",
        lambda: check(np.tile(Y, 2), np.tile(P, 2)),
    ),
    (
        "problem",
        "weight",
        "1 of 60 weights is negative",
        "A case counts nothing at least; drop those rows, or mend their weights.",
        lambda: check(Y, P, weight=changed(P, -1)),
    ),
    (
        "problem",
        "weight",
        "no weight is positive",
        "Pass weights of which some are positive, or none at all.",
        lambda: check(Y, P, weight=np.zeros(60)),
    ),
    (
        "problem",
        "weight",
        "1 of 60 weights is below 1e-100 or above 1e+100",
        "Rescale them; only their ratios matter.",
        lambda: check(Y, P, weight=changed(P, 1e200)),
    ),
    (
        "note",
        "weight",
        "1 of 60 weights is zero",
        "Such rows are left out. That is right if it is meant.",
        lambda: check(Y, P, weight=changed(P, 0)),
    ),
    (
        "note",
        "weight",
        "all weights are 2.5",
        "They change no mean; leave them out.",
        lambda: check(Y, P, weight=np.full(60, 2.5)),
    ),
    (
        "note",
        "weight",
        "all weights are whole numbers",
        "Bands and decompositions take them for counts of cases. If they are sampling weights, divide them by their mean.",
        lambda: check(Y, P, weight=np.arange(60) % 2 + 1),
    ),
    (
        "oddity",
        "weight",
        "the heaviest case holds 27.0% of the weight",
        "Is this weight right? Scores depend on that case; look at it, or trim the weights.",
        lambda: check(Y, P, weight=changed(P, 10)),
    ),
    (
        "note",
        "weight",
        "60 cases of these weights say as much as 12 of equal ones",
        "Expect wide intervals; this is the price of unequal weights.",
        lambda: check(Y, P, weight=changed(P, 10)),
    ),
    (
        "problem",
        "clusters",
        "there is a single cluster",
        "Without a second one there are no intervals.",
        lambda: check(Y, P, clusters=["one"] * 60),
    ),
    (
        "oddity",
        "clusters",
        "there are only 7 clusters",
        "Intervals from fewer than 20 clusters are rough, and often too narrow.",
        lambda: check(Y, P, clusters=np.arange(60) % 7),
    ),
    (
        "note",
        "clusters",
        "every row is a cluster of its own (60)",
        "Leave clusters out, or name the column of what cases have in common.",
        lambda: check(Y, P, clusters=np.arange(60)),
    ),
    (
        "note",
        "groups",
        "there is a single group, 'one'",
        "There is nothing to compare it with; leave groups out.",
        lambda: check(Y, P, groups=["one"] * 60),
    ),
    (
        "note",
        "groups",
        "6 of 6 groups with fewer than 10 events or non-events: 0 (4), 1 (4), 2 (2), 3 (5), …",
        "Numbers of such groups are mostly chance; join them with others if that makes sense.",
        lambda: check(Y, P, groups=np.arange(60) // 10),
    ),
    (
        "note",
        "groups",
        "12 of 12 groups with fewer than 10 cases: 0 (5), 1 (5), 2 (5), 3 (5), …",
        "Numbers of such groups are mostly chance; join them with others if that makes sense.",
        lambda: check(G, T, groups=np.arange(60) // 5),
    ),
    (
        "problem",
        "time",
        "2 of 60 times are text, such as 'Monday'",
        "Make numbers or dates of them first, which have an order.",
        lambda: check(Y, P, time=[*range(58), "Monday", "Tuesday"]),
    ),
    (
        "oddity",
        "time",
        "all rows have the time 2020",
        "There is nothing to follow over time; leave time out.",
        lambda: check(Y, P, time=[2020] * 60),
    ),
]

REFUSED: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (
        DataError,
        "task must be 'auto', 'binary', 'multiclass' or 'ordinal'; got 'event'",
        lambda: check([0, 1], [0.25, 0.5], task="event"),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        "raw forecasts are checked; got a Tally\n\nHint: write check(y, {'name': p, …}).",
        lambda: check([0, 1], tally([0, 1], [0.25, 0.5])),
    ),
    (
        ArgumentTypeError,
        "raw forecasts are checked; got a Cases\n\nHint: write check(y, {'name': p, …}).",
        lambda: check([0, 1], Cases([0, 1], [0.25, 0.5])),
    ),
    (
        DataError,
        "models must have names that differ, and there must be one; got []",
        lambda: check([0, 1], {}),
    ),
    (
        DataError,
        "models must have names that differ, and there must be one; got [1, '1']",
        lambda: check([0, 1], {1: [0.25, 0.5], "1": [0.25, 0.5]}),
    ),
    (
        ArgumentTypeError,
        "pos_label must be a label such as a number or text; got ['yes']",
        lambda: check([0, 1], [0.25, 0.5], pos_label=["yes"]),
    ),
    (
        DataError,
        "labels must be the two labels of a binary outcome; got ('a', 'b', 'c')",
        lambda: check([0, 1], [0.25, 0.5], labels=["a", "b", "c"]),
    ),
    (
        DataError,
        "severity must be 'problem', 'oddity' or 'note'; got 'fatal'",
        lambda: check([0, 1], [0.25, 0.5]).of("fatal"),  # type: ignore[arg-type]
    ),
]


@pytest.mark.parametrize(
    ("severity", "where", "what", "advice", "call"), SAID, ids=[said[2][:60] for said in SAID]
)
def test_a_finding_is_word_for_word(
    severity: str, where: str, what: str, advice: str, call: Callable[[], Checkup]
) -> None:
    said = [(s.severity, s.where, s.what, s.advice) for s in call().findings]
    assert (severity, where, what, advice) in said


@pytest.mark.parametrize(
    ("error", "message", "call"), REFUSED, ids=[said[1].split("\n")[0][:70] for said in REFUSED]
)
def test_a_message_is_word_for_word(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


PRINTED = """\
4 rows, 2 models: 4 problems, 1 oddity

Problems
- outcome: 1 of 4 outcomes is missing (row 1).
  Drop that row first; on the command line, --missing drop.
- a: 1 of 4 rows has no number but 'x' (row 2).
  Convert text to numbers first.
- outcome: labels must be 0 and 1, or say which is the event; found 'no', 'yes'.
  Say which label is the event: pos_label='yes', or --event yes, if it is that one.
- a: 2 of 3 forecasts are outside [0, 1], from 0.25 to 150 (rows 1, 3).
  Nothing is clipped for you. Are these probabilities? Of percentages, divide by 100; of
  odds, take x / (1 + x).

Oddities
- b: all 4 forecasts are 0.5.
  Is this the right column? A constant has no discrimination; evaluate adds one itself.

Nothing else was found. Mend the problems and check again: they may hide others."""


def test_a_checkup_is_printed_with_problems_first() -> None:
    found = check(["no", None, "yes", "no"], {"a": [0.25, 150, "x", 50], "b": [0.5, 0.5, 0.5, 0.5]})
    assert str(found) == PRINTED
