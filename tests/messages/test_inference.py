"""Every message about how sure one may be, word for word."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly import (
    Cases,
    by_fold,
    by_group,
    calibration_summary,
    calibration_test,
    compare,
    plots,
    score_interval,
    tally,
)
from properly.calibration import smooth_calibration_error
from properly.comparison import (
    CalibrationMonitor,
    ComparisonMonitor,
    confidence_set,
    running_difference,
)
from properly.decisions import dominance
from properly.errors import (
    ArgumentTypeError,
    DataError,
    DataWarning,
    ImproperRuleError,
    MissingExtraError,
)
from properly.inference import (
    auc_interval,
    block_length,
    bootstrap,
    net_benefit_interval,
    skill_interval,
)
from properly.rules import PLL, RPS, Brier, Log, Propriety

if TYPE_CHECKING:
    from collections.abc import Callable

# Events and others by turns: enough of both that nothing is warned of.
N = 60
Y = np.arange(N) % 2
P = np.where(Y == 1, 0.7, 0.2) + np.arange(N) / 1000
Q = P[::-1].copy()
PLAIN = Cases(Y, P)
T = tally(Y, P)
FRACTIONAL = np.where(Y == 1, 0.5, 0.75)
THIN = tally(Y, P, weight=FRACTIONAL)
DAYS = np.arange(N)
TIMED = Cases(Y, P, time=DAYS)
PAIRS = Cases(Y, P, clusters=DAYS // 2)
HALVES = np.where(DAYS < N // 2, "first", "second")
GROUPED = Cases(Y, P, groups=HALVES)
GRADE = DAYS % 3
TABLE = np.tile([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6]], (N // 3, 1))
CLASSES = Cases(GRADE, TABLE)
MODELS = {"new": P, "old": Q}
BY_GROUP: dict[str, Any] = {"replicates": 19, "rng": 1}


class Cheat(Brier):
    """A rule that is said to be improper."""

    propriety = Propriety.IMPROPER


def comparing(*, of: Any = MODELS, y: Any = Y, **options: Any) -> Any:
    """Compare two models by the Brier score, unless said otherwise."""
    asked: dict[str, Any] = {"rule": Brier(), "rng": 1} | options
    return compare(y, of, **asked)


def best_of(*, of: Any = MODELS, **options: Any) -> Any:
    """Look for the best models by the Brier score, unless said otherwise."""
    asked: dict[str, Any] = {"rule": Brier(), "replicates": 19, "rng": 1} | options
    return confidence_set(Y, of, **asked)


SAID: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    # how cases were sampled
    (
        DataError,
        (
            "each stratum needs two cases, or two clusters, to vary; got 1 of 2 strata with one"
            "\n\nHint: put strata with one together with others."
        ),
        lambda: score_interval(Cases(Y, P, strata=["a"] + ["b"] * (N - 1)), Brier()),
    ),
    (
        DataError,
        (
            "each stratum needs two cases, or two clusters, to vary; got 2 of 3 strata with one"
            "\n\nHint: put strata with one together with others."
        ),
        lambda: bootstrap(Cases(Y, P, strata=["a", "b"] + ["c"] * (N - 2)), Brier()),
    ),
    (
        DataError,
        (
            "a cluster must lie in one stratum; cluster 7 lies in 'north' (row 1) and in 'south' "
            "(row 59)"
            "\n\nHint: give clusters of different strata different names."
        ),
        lambda: comparing(
            clusters=[8, 7, *range(10, N + 7), 7], strata=["north"] * 30 + ["south"] * 30
        ),
    ),
    (
        DataError,
        (
            "a variance allows for strata or for times; these cases have both"
            "\n\nHint: make Cases with one of the two."
        ),
        lambda: score_interval(Cases(Y, P, strata=HALVES, time=DAYS), Brier()),
    ),
    (
        DataError,
        (
            "a variance allows for clusters or for times; these cases have both"
            "\n\nHint: make Cases with one of the two."
        ),
        lambda: comparing(clusters=DAYS // 2, time=DAYS),
    ),
    (
        DataError,
        (
            "times must be numbers or dates, which have an order; got <U2"
            "\n\nHint: text would be put in the order of letters."
        ),
        lambda: comparing(time=[str(day) for day in DAYS]),
    ),
    (
        DataError,
        (
            "dependence in time needs at least 20 different times; got 10"
            "\n\nHint: clusters= instead of time= allows for dependence within times, not between them."
        ),
        lambda: score_interval(Cases(Y, P, time=DAYS // 6), Brier()),
    ),
    (
        DataError,
        (
            "blocks of times need at least 20 different times; got 10"
            "\n\nHint: leave out time to take the cases as independent."
        ),
        lambda: bootstrap(Cases(Y, P, time=DAYS // 6), Brier()),
    ),
    (
        DataError,
        "clusters say how far off an estimate may be only if there are two or more; got one",
        lambda: auc_interval(Cases(Y, P, clusters=[1] * N)),
    ),
    (
        DataError,
        "serial must be 'cosines', 'newey-west' or 'newey-west-auto'; got 'hac'",
        lambda: comparing(time=DAYS, serial="hac"),
    ),
    # intervals
    (
        DataError,
        "method must be 't' or 'bernstein'; got 'z'",
        lambda: score_interval(PLAIN, Brier(), method="z"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "method must be 'logit' or 'wald'; got 'delong'",
        lambda: auc_interval(PLAIN, method="delong"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "the empirical Bernstein bound is for independent cases of equal weight; these have "
            "clusters"
            '\n\nHint: leave out method="bernstein".'
        ),
        lambda: score_interval(PAIRS, Brier(), method="bernstein"),
    ),
    (
        DataError,
        (
            "the empirical Bernstein bound is for independent cases of equal weight; these have "
            "fractional weights"
            '\n\nHint: leave out method="bernstein".'
        ),
        lambda: score_interval(THIN, Brier(), method="bernstein"),
    ),
    (
        DataError,
        (
            "the empirical Bernstein bound needs bounded losses; those of Log() are not"
            '\n\nHint: leave out method="bernstein", or use Brier().'
        ),
        lambda: score_interval(PLAIN, Log(), method="bernstein"),
    ),
    (
        ImproperRuleError,
        (
            "without a reference, the skill of an improper rule has no interval; got Cheat()"
            "\n\nHint: pass reference=, one forecast for all cases."
        ),
        lambda: skill_interval(PLAIN, Cheat()),
    ),
    (
        ArgumentTypeError,
        (
            "this needs a rule for the probability of one event; got 'brier'"
            "\n\nHint: write the rule with parentheses, as in Brier()."
        ),
        lambda: skill_interval(PLAIN, "brier"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "one reference forecast a case needs Cases; a tally no longer has the rows"
            "\n\nHint: pass properly.Cases(y, p) instead of the tally."
        ),
        lambda: skill_interval(T, Brier(), reference=Q),
    ),
    (
        DataError,
        "reference forecasts and forecasts must be equally long; got 59 and 60",
        lambda: skill_interval(PLAIN, Brier(), reference=Q[1:]),
    ),
    (
        DataError,
        (
            "reference forecasts must be probabilities in [0, 1]; row 0 is 1.5"
            "\n\nHint: nothing is clipped for you; mend those rows first."
        ),
        lambda: skill_interval(PLAIN, Brier(), reference=1.5),
    ),
    (
        DataError,
        (
            "a reference is one row of 3 probabilities, or one for each of 60 cases; "
            "got shape (2, 3)"
        ),
        lambda: skill_interval(CLASSES, Brier(), reference=TABLE[:2]),
    ),
    (
        DataError,
        (
            "this needs the probability of one event; these cases have 3 classes"
            "\n\nHint: cumulative, one_vs_rest and top_label make events of classes."
        ),
        lambda: net_benefit_interval(CLASSES, 0.2),
    ),
    # comparisons
    (
        ArgumentTypeError,
        (
            'a comparison needs a rule, or "auc"; got 3'
            "\n\nHint: write the rule with parentheses, as in Brier()."
        ),
        lambda: comparing(rule=3),
    ),
    (
        ArgumentTypeError,
        (
            "a comparison needs a rule, or \"auc\"; got 'brier'"
            "\n\nHint: rules are objects: from properly.rules import Brier, then rule=Brier()."
        ),
        lambda: comparing(rule="brier", method="sign-flip"),
    ),
    (
        ArgumentTypeError,
        (
            'a comparison needs a rule, or "auc"; got array([1.])'
            "\n\nHint: write the rule with parentheses, as in Brier()."
        ),
        lambda: comparing(rule=np.ones(1)),
    ),
    (
        DataError,
        (
            "there must be at least 2 models to compare; got 1"
            "\n\nHint: write {'name': forecasts, ...}."
        ),
        lambda: comparing(of={"new": P}),
    ),
    (
        DataError,
        "models must have names that differ as text; got [1, '1']",
        lambda: comparing(of={1: P, "1": Q}),
    ),
    (
        DataError,
        (
            "models must all forecast one event, or all the same classes; 'table' has several "
            "columns, the first model has one"
        ),
        lambda: comparing(of={"new": P, "table": TABLE}),
    ),
    (
        DataError,
        (
            "models must all forecast one event, or all the same classes; 'two' has 2 columns, "
            "the first model has 3"
        ),
        lambda: comparing(of={"three": TABLE, "two": np.stack([P, 1 - P], axis=1)}, y=GRADE),
    ),
    (
        DataError,
        "forecasts of 'short' and those of the first model must be equally long; got 59 and 60",
        lambda: comparing(of={"new": P, "short": P[1:]}),
    ),
    (
        DataError,
        "method must be 'auto', 't', 'diebold-mariano' or 'sign-flip'; got 'dm'",
        lambda: comparing(method="dm"),
    ),
    (
        DataError,
        "adjust must be 'holm' or 'none'; got 'bonferroni'",
        lambda: comparing(adjust="bonferroni"),
    ),
    (
        DataError,
        (
            "the test of Diebold and Mariano is for a series; got no time"
            "\n\nHint: pass time=range(len(y)) if the rows are in order."
        ),
        lambda: comparing(method="diebold-mariano"),
    ),
    (
        DataError,
        (
            "a horizon is for the test of Diebold and Mariano; got horizon=2"
            '\n\nHint: pass method="diebold-mariano".'
        ),
        lambda: comparing(horizon=2, time=DAYS),
    ),
    (
        DataError,
        "horizon must be a whole number, 1 or more; got 0",
        lambda: comparing(horizon=0),
    ),
    (
        DataError,
        "a horizon must be shorter than the series; got 60 of 60 times",
        lambda: comparing(method="diebold-mariano", horizon=60, time=DAYS),
    ),
    (
        DataError,
        (
            "changes of sign take cases, or clusters, as independent; these have times"
            '\n\nHint: leave out method="sign-flip".'
        ),
        lambda: comparing(method="sign-flip", time=DAYS),
    ),
    (
        DataError,
        (
            "areas under the ROC curve are compared as DeLong does; got method='sign-flip'"
            "\n\nHint: leave out method; areas are no means of losses."
        ),
        lambda: comparing(rule="auc", method="sign-flip"),
    ),
    (
        DataError,
        (
            "an area under the ROC curve is of one event; these cases have 3 classes"
            "\n\nHint: compare classes by a rule, such as Brier() or RPS()."
        ),
        lambda: comparing(of={"a": TABLE, "b": TABLE}, y=GRADE, rule="auc"),
    ),
    (
        DataError,
        "areas under the ROC curve need two events, and two cases without, to be compared; got 1 and 59",
        lambda: comparing(y=DAYS == 3, rule="auc"),
    ),
    (
        DataError,
        "a margin must be a positive number, in units of the score; got 0",
        lambda: comparing(margin=0),
    ),
    (
        DataError,
        "a reference is the name of a model; got 'best'\n\nHint: models: 'new', 'old'.",
        lambda: comparing(reference="best"),
    ),
    (
        DataError,
        (
            "a pair is two names of models that were compared; got ('new', 'best')"
            "\n\nHint: models: 'new', 'old'."
        ),
        lambda: comparing()["new", "best"],
    ),
    (
        DataError,
        "what must be 'difference', 'standard_error', 'p_value', 'adjusted_p_value', 'equivalence_p_value' or 'adjusted_equivalence_p_value'; got 'ratio'",
        lambda: comparing().matrix("ratio"),
    ),
    # bootstrap
    (
        ArgumentTypeError,
        (
            "a statistic is a rule, 'auc' or a function of the cases; got 'brier'"
            "\n\nHint: write the rule with parentheses, as in Brier()."
        ),
        lambda: bootstrap(PLAIN, "brier"),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        (
            "a statistic is a rule, 'auc' or a function of the cases; got "
            "<class 'properly.rules._brier.Brier'>"
            "\n\nHint: write the rule with parentheses, as in Brier()."
        ),
        lambda: bootstrap(PLAIN, Brier),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        "a statistic is a rule, 'auc' or a function of the cases; got None",
        lambda: bootstrap(PLAIN, None),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        "a statistic must return one number; got ndarray",
        lambda: bootstrap(PLAIN, lambda cases: cases.p, replicates=39),
    ),
    (
        DataError,
        "method must be 'percentile', 'basic' or 'studentized'; got 'bca'",
        lambda: bootstrap(PLAIN, Brier(), method="bca"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "an interval of level 0.95 needs 39 replicates or more; got 38",
        lambda: bootstrap(PLAIN, Brier(), replicates=38),
    ),
    (
        DataError,
        (
            'method="studentized" is for a mean score; the statistic is not a rule'
            '\n\nHint: use method="basic" or method="percentile".'
        ),
        lambda: bootstrap(PLAIN, "auc", method="studentized"),
    ),
    (
        DataError,
        (
            'method="studentized" is for cases or clusters; these cases have times'
            '\n\nHint: use method="basic" or method="percentile".'
        ),
        lambda: bootstrap(TIMED, Brier(), method="studentized"),
    ),
    (
        DataError,
        (
            "block_length is for cases with times; got block_length=3"
            "\n\nHint: write properly.Cases(y, p, time=column)."
        ),
        lambda: bootstrap(PLAIN, Brier(), block_length=3),
    ),
    (
        DataError,
        "block_length must be from 1 to the number of times, 60; got 61",
        lambda: bootstrap(TIMED, Brier(), block_length=61),
    ),
    (
        DataError,
        (
            "with times, a function of one's own needs block_length; got None"
            "\n\nHint: properly.inference.block_length suggests one, from losses in the order of "
            "time."
        ),
        lambda: bootstrap(TIMED, lambda _: 1.0),
    ),
    (
        DataError,
        (
            "cases of fractional weight are drawn one by one; a tally has only their sums"
            "\n\nHint: pass properly.Cases(y, p, weight=w) instead of the tally."
        ),
        lambda: bootstrap(THIN, Brier()),
    ),
    (
        DataError,
        "the length of blocks needs at least 20 values; got 19",
        lambda: block_length(P[:19]),
    ),
    (
        DataError,
        (
            "values must be one-dimensional; got an array of shape (60, 3)"
            "\n\nHint: pass one series at a time."
        ),
        lambda: block_length(TABLE),
    ),
    (
        DataError,
        "values of a series must be finite; row 1 is nan",
        lambda: block_length([0.5, math.nan]),
    ),
    # tests of calibration
    (
        DataError,
        "statistic must be 'combined', 'mcb', 'score', 'spiegelhalter', 'cox', 'citl', 'ks', 'kuiper' or 'hosmer-lemeshow'; got 'hl'",
        lambda: calibration_test(T, statistic="hl"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "a rule measures the miscalibration, for statistic='combined' or 'mcb'; got Log() "
            "with statistic='score'"
        ),
        lambda: calibration_test(T, Log(), statistic="score"),
    ),
    (
        DataError,
        (
            "training=True takes degrees of freedom from 'hosmer-lemeshow'; got it with statistic=None"
            "\n\nHint: what a model says of its own training data is no test of its calibration."
        ),
        lambda: calibration_test(T, training=True),
    ),
    (
        DataError,
        "reduction says which questions to ask of several classes; these cases have one event, got reduction='cumulative'",
        lambda: calibration_test(PLAIN, reduction="cumulative"),
    ),
    (
        DataError,
        (
            "of several classes the miscalibration is tested, statistic='mcb'; got 'cox'"
            "\n\nHint: cumulative, one_vs_rest and top_label make events of classes, each with "
            "its tests."
        ),
        lambda: calibration_test(CLASSES, statistic="cox"),
    ),
    (
        ArgumentTypeError,
        (
            "classes are tested by a rule for one event or for cuts; got Penalized(rule=Log())"
            "\n\nHint: pass a rule such as Brier() or RPS()."
        ),
        lambda: calibration_test(CLASSES, PLL()),
    ),
    (
        DataError,
        (
            "the calibration test 'ks' takes cases as independent; these have clusters"
            "\n\nHint: statistic='score', 'cox' and 'citl' allow for clusters."
        ),
        lambda: calibration_test(PAIRS, statistic="ks"),
    ),
    (
        DataError,
        (
            "the calibration test does not allow for dependence in time; these cases have times"
            "\n\nHint: make Cases without time to take them as independent."
        ),
        lambda: calibration_test(TIMED),
    ),
    (
        DataError,
        (
            "the test of Hosmer and Lemeshow counts cases; these have fractional weights"
            "\n\nHint: statistic='score' allows for weights."
        ),
        lambda: calibration_test(THIN, statistic="hosmer-lemeshow"),
    ),
    (
        DataError,
        "the test of Hosmer and Lemeshow on training data needs 3 groups of different forecasts or more; got 2",
        lambda: calibration_test(
            tally(Y, np.where(P < 0.5, 0.2, 0.7)), statistic="hosmer-lemeshow", training=True
        ),
    ),
    (
        DataError,
        (
            "a line is fitted to cases of fractional weight; a tally has only their sums"
            "\n\nHint: pass properly.Cases(y, p, weight=w) instead of the tally."
        ),
        lambda: calibration_test(THIN, statistic="cox"),
    ),
    # sizes of miscalibration
    (
        DataError,
        (
            "a calibration summary is one of an event, or needs a reduction of classes to events; these cases have 3 classes"
            "\n\nHint: write reduction='one_vs_rest' or reduction='cumulative'."
        ),
        lambda: calibration_summary(CLASSES),
    ),
    (
        DataError,
        "fit must be 'spline', 'isotonic' or 'lowess'; got 'loess'",
        lambda: calibration_summary(T, fit="loess"),  # type: ignore[call-overload]
    ),
    (
        DataError,
        (
            "scale must lie between 7.63e-06 and 1; got 2"
            "\n\nHint: without scale, the error finds its own."
        ),
        lambda: smooth_calibration_error(T, scale=2),
    ),
    # groups and folds
    (
        ArgumentTypeError,
        (
            "this needs Cases with groups; got Tally"
            "\n\nHint: write properly.Cases(y, p, groups=column)."
        ),
        lambda: by_group(T, Brier()),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "this needs the group of each case; these cases have none"
            "\n\nHint: write properly.Cases(y, p, groups=column)."
        ),
        lambda: by_group(PLAIN, Brier()),
    ),
    (
        DataError,
        (
            "this needs the group of each case; these cases have none"
            "\n\nHint: write properly.Cases(y, p, groups=column)."
        ),
        PLAIN.by_group,
    ),
    (
        DataError,
        (
            "a group is compared with the rest; got the single group 'all'"
            "\n\nHint: score_interval judges all cases together."
        ),
        lambda: by_group(Cases(Y, P, groups=["all"] * N), Brier()),
    ),
    (
        ArgumentTypeError,
        (
            'folds are scored by a rule, or by "auc"; got '
            "<class 'properly.rules._brier.Brier'>"
            "\n\nHint: write the rule with parentheses, as in Brier()."
        ),
        lambda: by_fold(Y, P, HALVES, rule=Brier),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "a cross-validation has two folds or more; got the single fold 1"
            "\n\nHint: of forecasts of one fitted model, use score_interval or compare."
        ),
        lambda: by_fold(Y, P, [1] * N, rule=Brier()),
    ),
    # dominance
    (
        ArgumentTypeError,
        (
            "dominance needs Cases twice, row by row the same; got Tally and Cases"
            "\n\nHint: tallies no longer know which rows belong together."
        ),
        lambda: dominance(T, PLAIN),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "Cases are compared row by row; 'first' and 'second' differ in their time",
        lambda: dominance(TIMED, Cases(Y, Q, time=DAYS[::-1])),
    ),
    (
        DataError,
        (
            "block_length is for cases with times; got block_length=5"
            "\n\nHint: write properly.Cases(y, p, time=column)."
        ),
        lambda: dominance(PLAIN, Cases(Y, Q), block_length=5),
    ),
    (
        DataError,
        "block_length must be at most half of 60 times; got 31",
        lambda: dominance(TIMED, Cases(Y, Q, time=DAYS), block_length=31),
    ),
    (
        DataError,
        (
            "there must be at most 200 thresholds; got 201"
            '\n\nHint: thresholds="quantiles" chooses from the forecasts.'
        ),
        lambda: dominance(PLAIN, Cases(Y, Q), thresholds=np.linspace(0.1, 0.9, 201)),
    ),
    (
        DataError,
        ("thresholds must lie in the range from 0.1 to 0.2, 0 and 1 left out; got none of 2 there"),
        lambda: dominance(PLAIN, Cases(Y, Q), thresholds=[0.3, 0.4], within=(0.1, 0.2)),
    ),
    # sets of models
    (
        ArgumentTypeError,
        (
            "a model confidence set needs a rule; got 'auc'"
            "\n\nHint: write the rule with parentheses, as in Brier()."
        ),
        lambda: best_of(rule="auc"),
    ),
    (
        DataError,
        (
            "a model confidence set does not allow for clusters, which was given"
            "\n\nHint: properly.compare compares pairs of models, with clusters."
        ),
        lambda: best_of(clusters=DAYS // 2),
    ),
    (
        DataError,
        (
            "a model confidence set does not allow for weight, which was given"
            "\n\nHint: properly.compare compares pairs of models, with weight."
        ),
        lambda: best_of(weight=FRACTIONAL),
    ),
    (
        DataError,
        (
            "a model confidence set needs finite losses; that of 'sure' in row 1 is infinite (30 in all)"
            "\n\nHint: use Brier(), or Bounded(rule, within) on a range inside of (0, 1)."
        ),
        lambda: best_of(of={"new": P, "sure": np.zeros(N)}, rule=Log()),
    ),
    (
        DataError,
        (
            "blocks of times need at least 20 different times; got 10"
            "\n\nHint: leave out time to take the cases as independent."
        ),
        lambda: best_of(time=DAYS // 6),
    ),
    (
        DataError,
        (
            "block_length is for cases with times; got block_length=2"
            "\n\nHint: give the time of each case, time=column."
        ),
        lambda: best_of(block_length=2),
    ),
    (
        DataError,
        "block_length must be at most the number of times, 60; got 61",
        lambda: best_of(time=DAYS, block_length=61),
    ),
    (
        DataError,
        "losses must differ by more in some cases than in others to be compared; those of 'half' and 'sure' always differ by 0.25",
        lambda: best_of(of={"half": np.full(N, 0.5), "sure": Y.astype(float)}),
    ),
    # monitors
    (
        DataError,
        ("a CalibrationMonitor has 63 sums; got 2\n\nHint: begin without sums, then update."),
        lambda: CalibrationMonitor(sums=[0, 0]),
    ),
    (
        ImproperRuleError,
        ("only a proper rule says which forecast is better; Cheat() is improper"),
        lambda: ComparisonMonitor(Cheat()),
    ),
    (
        DataError,
        "monitors that add must have one rule; got Brier() and Log()",
        lambda: ComparisonMonitor(Brier()).update(Y, P, Q) + ComparisonMonitor(Log()),
    ),
    (
        DataError,
        "intervals for all times need 50 cases or more; got 49",
        lambda: running_difference(Y[:49], P[:49], Q[:49], Brier()),
    ),
    (
        DataError,
        (
            "losses must be finite to be followed by intervals; row 1 is inf"
            "\n\nHint: use a rule of bounded range, such as Brier(), or a ComparisonMonitor."
        ),
        lambda: running_difference([0, 1], [0.5, 0], [0.5, 0.5], Log()),
    ),
    # pictures
    (
        ArgumentTypeError,
        (
            "this picture is drawn from a Comparison; got Tally"
            "\n\nHint: make one with properly.compare(y, forecasts, rule=rule)."
        ),
        lambda: plots.comparison(T),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        (
            "this picture is drawn from a Comparison; got Tally"
            "\n\nHint: make one with properly.compare(y, forecasts, rule=rule)."
        ),
        lambda: plots.comparison_matrix(T),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        (
            "this picture is drawn from a Dominance; got Tally"
            "\n\nHint: make one with properly.decisions.dominance(first, second)."
        ),
        lambda: plots.dominance(T),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "names must be those of the first and of the second model; got 'ab'",
        lambda: plots.dominance(dominance(PLAIN, Cases(Y, Q), replicates=19), names="ab"),
    ),
    (
        ArgumentTypeError,
        (
            "this picture is drawn from Groups; got Tally"
            "\n\nHint: make them with properly.by_group(cases, rule)."
        ),
        lambda: plots.groups(T),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "these groups have no 'observed_expected'; got groups with 'score', 'skill'",
        lambda: plots.groups(
            by_group(Cases(GRADE, TABLE, groups=DAYS // 30), Brier(), **BY_GROUP),
            measure="observed_expected",
        ),
    ),
    (
        DataError,
        "cases of a monitor must be a whole number, 0 or more; got -3",
        lambda: CalibrationMonitor(cases=-3),
    ),
    (
        DataError,
        "sums of a monitor must be numbers, and not NaN; got 'abc'",
        lambda: CalibrationMonitor(sums="abc"),
    ),
    (
        DataError,
        (
            "log_max must be a number, 0 or more; got -5"
            "\n\nHint: evidence begins with 1, whose logarithm is 0."
        ),
        lambda: CalibrationMonitor(cases=4, log_max=-5),
    ),
    (
        DataError,
        (
            "a monitor that has seen no cases has no evidence; got sums or a log_max"
            "\n\nHint: give sums, cases and log_max of one monitor."
        ),
        lambda: CalibrationMonitor(log_max=1.0),
    ),
    (
        DataError,
        "a model confidence set needs at least 20 cases; got 2",
        lambda: confidence_set([0, 1], {"a": [0.1, 0.2], "b": [0.3, 0.4]}, rule=Brier()),
    ),
    (
        DataError,
        "a model confidence set of level 0.9 needs 9 replicates or more; got 1",
        lambda: confidence_set(DAYS < 30, {"a": P, "b": 1 - P}, rule=Brier(), replicates=1),
    ),
    (
        DataError,
        "a band of level 0.95 needs 19 replicates or more; got 1",
        lambda: dominance(Cases(DAYS < 30, P), Cases(DAYS < 30, 1 - P), replicates=1),
    ),
]


WARNED: list[tuple[str, Callable[[], Any]]] = [
    (
        "with 19 events and 41 cases without it, intervals may cover less than their level",
        lambda: score_interval(Cases(DAYS < 19, P), Brier()),
    ),
    (
        "with 1 event and 59 cases without it, intervals may cover less than their level",
        lambda: auc_interval(tally(DAYS < 1, P)),
    ),
    (
        "drawing clusters says too little with fewer than about 20; got 12",
        lambda: bootstrap(Cases(Y, P, clusters=DAYS // 5), Brier(), replicates=39, rng=1),
    ),
    (
        "the statistic is undefined in 39 of 39 replicates, which count as lying beyond either end of the interval",
        lambda: bootstrap(
            PLAIN, lambda c: 0.5 if c.weight.max() == 1 else math.nan, replicates=39, rng=1
        ),
    ),
    (
        "30 of 30 clusters lie in several folds: models were tested on clusters that they were fitted to, and their scores may be too good",
        lambda: by_fold(Y, P, Y, rule=Brier(), clusters=DAYS // 2),
    ),
    (
        "30 groups are looked at, more than 20: some differ from the rest by chance, so read adjusted p-values and simultaneous intervals",
        lambda: by_group(Cases(Y, P, groups=DAYS // 2), Brier(), **BY_GROUP),
    ),
    (
        "in 2 of 2 groups with intervals there are fewer than 20 events, or non-events: intervals there may cover a few per cent less than their level",
        lambda: by_group(GROUPED, Brier(), **BY_GROUP),
    ),
    (
        "in 3 of 3 groups with intervals there are fewer than 20 cases outside the commonest class: intervals there may cover a few per cent less than their level",
        lambda: by_group(Cases(GRADE, TABLE, groups=DAYS // 20), RPS(), **BY_GROUP),
    ),
]


@pytest.mark.parametrize(
    ("error", "message", "call"), SAID, ids=[said[1].split("\n")[0][:70] for said in SAID]
)
def test_a_message_is_word_for_word(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    assert str(caught.value) == message


@pytest.mark.parametrize(("message", "call"), WARNED, ids=[warned[0][:70] for warned in WARNED])
def test_a_warning_is_word_for_word(message: str, call: Callable[[], Any]) -> None:
    with pytest.warns(DataWarning) as caught:
        call()
    assert [str(warning.message) for warning in caught] == [message]


def test_a_set_of_models_without_arch_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "arch.bootstrap", None)
    with pytest.raises(MissingExtraError) as caught:
        best_of()
    assert str(caught.value) == (
        "this needs arch, which is not installed\n\nHint: pip install 'properly[timeseries]'"
    )
