"""Every error message about decisions, word for word."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from properly import (
    Cases,
    Interval,
    at_threshold,
    cli,
    decision_curve,
    decompose,
    evaluate,
    murphy_curve,
    plots,
    recommend,
    tally,
)
from properly.counts import with_event_rate
from properly.decisions import (
    at_budget,
    best_by_range,
    decision_difference,
    rank_by_threshold,
    regret_in_money,
)
from properly.errors import ArgumentTypeError, DataError, ImproperRuleError
from properly.inference import h_measure
from properly.rules import (
    BetaWeighted,
    Brier,
    HistogramWeighted,
    PointWeighted,
    Regret,
    Shifted,
)

T = tally([0, 1], [0.3, 0.55])
C = Cases([0, 1, 1], [0.1, 0.5, 0.9])
EXACT = decision_curve(T, "every")
TWO = {"a": T, "b": T}
TALLIES = "\n\nHint: give tallies, made by Cases.tally(), to do without standard errors."
PUBLISHED = Shifted(0.1, form="published")

SAID: list[tuple[type[Exception], str, Any]] = [
    (
        DataError,
        (
            "numbers of false alarms must be zero or more, and the smaller comes first; got 99 and 9"
            "\n\nHint: write (9, 99)."
        ),
        lambda: Interval.from_false_alarms(99, 9),
    ),
    # rules
    (
        DataError,
        (
            "alpha and beta of a Beta distribution must lie between 1e-06 and 1e+06; got alpha = 0, beta = 1"
            "\n\nHint: the limit of both going to 0 is Log()."
        ),
        lambda: BetaWeighted(0, 1),
    ),
    (
        ArgumentTypeError,
        "the alpha must be a number; got 'two'",
        lambda: BetaWeighted("two", 1),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        "thresholds must be a sequence of numbers; got 0.1",
        lambda: PointWeighted(0.1),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        "the number in weights must be a number; got 'much'",
        lambda: PointWeighted([0.1], ["much"]),  # type: ignore[list-item]
    ),
    (
        DataError,
        "weights must be one a threshold; got 1 for 2",
        lambda: PointWeighted([0.1, 0.2], [1]),
    ),
    (
        DataError,
        "weights must be one a bin; got 2 for 1",
        lambda: HistogramWeighted([0.1, 0.2], [1, 1]),
    ),
    (
        DataError,
        "weights must be finite, none negative and not all 0; got [1.0, -1.0]",
        lambda: PointWeighted([0.1, 0.2], [1, -1]),
    ),
    (
        DataError,
        "edges must increase from 0 or more to 1 or less, by more than 1e-12, and there must be two at least; got [0.2, 0.1]",
        lambda: HistogramWeighted([0.2, 0.1], [1]),
    ),
    (
        DataError,
        "mu must lie between 1e-09 and 1 - 1e-09; got 1.0\n\nHint: it is a threshold, given as a probability.",
        lambda: Shifted(1),
    ),
    (
        DataError,
        "form must be 'regret', 'classweighted' or 'published'; got 'odd'",
        lambda: Shifted(0.1, form="odd"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        (
            "a mean needs a prior of positive, finite mass; that of 'logit' on (0.0, 0.2) is inf"
            "\n\nHint: choose a range strictly between 0 and 1."
        ),
        lambda: Regret((0, 0.2), prior="logit"),
    ),
    (
        DataError,
        (
            "a mean needs a prior of positive, finite mass; that of PointWeighted(thresholds=(0.5,), weights=(1.0,)) on (0.5, 0.6) is 0.0"
            "\n\nHint: the prior has no weight there; a point mass at the lower end does not count."
        ),
        lambda: Regret((0.5, 0.6), prior=PointWeighted([0.5])),
    ),
    (
        DataError,
        "prior must be 'uniform' or 'logit'; got 'flat'",
        lambda: Regret((0.1, 0.2), prior="flat"),  # type: ignore[arg-type]
    ),
    (
        ImproperRuleError,
        "a prior is the weight of a proper rule on thresholds; Shifted(mu=0.1, form='published') is improper",
        lambda: h_measure(T, PUBLISHED),
    ),
    # at a threshold or a budget
    (
        DataError,
        "thresholds must increase; row 2 is 0.2, after 0.3",
        lambda: decision_curve(T, [0.1, 0.3, 0.2]),
    ),
    (
        DataError,
        "thresholds in words must be 'every'; got 'all'",
        lambda: decision_curve(T, "all"),
    ),
    (
        DataError,
        "a threshold must be a probability; got 20\n\nHint: write 0.2 for 20 %.",
        lambda: at_threshold(T, 20),
    ),
    (
        DataError,
        (
            "a threshold must be less than 1, where the odds are infinite; got 1"
            "\n\nHint: at 1 no event is worth an action in vain."
        ),
        lambda: at_threshold(T, 1),
    ),
    (
        DataError,
        "a tolerance must be zero or more, and less than 1; got -1",
        lambda: at_threshold(T, 0.3, tolerance=-1),
    ),
    (
        DataError,
        "every forecast is a threshold, which needs no tolerance; got 1e-09",
        lambda: decision_curve(T, "every", tolerance=1e-9),
    ),
    (
        DataError,
        (
            "a tolerance must be less than half the way between thresholds; got 0.01"
            "\n\nHint: some thresholds differ by 0.01 only."
        ),
        lambda: decision_curve(T, tolerance=0.01),
    ),
    (
        DataError,
        (
            "thresholds must not miss forecasts by rounding alone; 0.30000000000000004 misses 0.3"
            "\n\nHint: write a grid as numpy.arange(1, 100) / 100, or give a tolerance such as 1e-9."
        ),
        lambda: at_threshold(T, 0.1 + 0.2),
    ),
    (
        DataError,
        (
            "a harm must be zero or more, and finite; got -0.1"
            "\n\nHint: it is subtracted: 0.01 is one event found in 100 cases."
        ),
        lambda: decision_curve(T, harm=-0.1),
    ),
    (
        DataError,
        (
            "a budget must be more than 0, and at most all of 2; got 3"
            "\n\nHint: it is a number of cases; with weights, an amount of weight."
        ),
        lambda: at_budget(T, 3),
    ),
    (
        DataError,
        (
            "a budget is a number of cases, 1 or more; got 0.1"
            "\n\nHint: for a share of all cases, write 0.1 * tally.total."
        ),
        lambda: at_budget(T, 0.1),
    ),
    (
        DataError,
        "interval must be True or False; got 0.9\n\nHint: write interval=True, level=0.9.",
        lambda: decompose(T, Brier(), interval=0.9),  # type: ignore[call-overload]
    ),
    (
        DataError,
        (
            "a range of thresholds needs 0 <= lower < upper <= 1; got lower = 5.0, upper = 20.0"
            "\n\nHint: write (0.05, 0.2) for 5 to 20 %."
        ),
        lambda: Regret((5, 20)),
    ),
    (
        ArgumentTypeError,
        (
            "models are given by their forecasts; 'a' is a Tally"
            "\n\nHint: write evaluate(y, {'name': p, …})."
        ),
        lambda: evaluate([0, 1], {"a": T}),
    ),
    (
        DataError,
        (
            "between thresholds that were chosen, net benefit is not known"
            '\n\nHint: ask for thresholds="every", or for those themselves.'
        ),
        lambda: decision_curve(T).at(0.5),
    ),
    (
        DataError,
        "models are compared on the same cases; got 'first' with 1 events of 2 and 'second' with 2 events of 2",
        lambda: decision_difference(T, tally([1, 1], [0.1, 0.2])),
    ),
    # money, another event rate, advice
    (
        ArgumentTypeError,
        (
            "regret in money needs one loss, by which it is multiplied; got (50, 100)"
            "\n\nHint: give the range to the cost, or call once a loss."
        ),
        lambda: regret_in_money(T, cost=5, loss=(50, 100)),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "per must be a number of cases greater than 0; got 0",
        lambda: regret_in_money(T, cost=5, loss=100, per=0),
    ),
    (
        DataError,
        (
            "a cost must be more than 0, and less than the loss, which is finite; got cost = -5, loss = 100"
            "\n\nHint: at a cost of 0 one always acts, at the loss never."
        ),
        lambda: regret_in_money(T, cost=-5, loss=100),
    ),
    (
        DataError,
        "event_rate must lie between 0 and 1, both left out; got 5\n\nHint: write 0.05 for 5 %.",
        lambda: with_event_rate(T, 5),
    ),
    (
        DataError,
        (
            "another event rate needs cases with the event and cases without; got no events"
            "\n\nHint: what was never seen cannot be weighted."
        ),
        lambda: with_event_rate(tally([0, 0], [0.1, 0.2]), 0.1),
    ),
    (
        DataError,
        "decisions must be 'independent' or 'budget'; got 'alone'",
        lambda: recommend(decisions="alone", threshold="fixed"),  # type: ignore[arg-type]
    ),
    # many models
    (
        ArgumentTypeError,
        (
            "models are given by name, in a dict; got list"
            "\n\nHint: write {'name': properly.tally(y, p), ...}."
        ),
        lambda: rank_by_threshold([T, T]),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "models must have names that differ as text; got [1, '1']",
        lambda: rank_by_threshold({1: T, "1": T}),  # type: ignore[dict-item]
    ),
    (
        DataError,
        (
            "there must be at least 2 models to compare; got 1"
            "\n\nHint: properly.counts.baselines(tally) makes three to compare with."
        ),
        lambda: rank_by_threshold({"a": T}),
    ),
    (
        DataError,
        "models are compared on the same cases; got 'a' with 1 events of 2 and 'b' with 2 events of 2",
        lambda: rank_by_threshold({"a": T, "b": tally([1, 1], [0.1, 0.2])}),
    ),
    (
        DataError,
        (
            "shares need a prior of positive, finite mass; that of 'logit' on (0.0, 1.0) is inf"
            "\n\nHint: rank the models within=(a, b), a range strictly between 0 and 1."
        ),
        lambda: rank_by_threshold(TWO).share_best("logit"),
    ),
    (
        DataError,
        (
            "baselines are added under names of their own; got a model called 'treat all'"
            "\n\nHint: baselines=False adds none."
        ),
        lambda: best_by_range({"treat all": T}),
    ),
    (
        DataError,
        (
            "edges must increase, and there must be at least two; got 0.3 before 0.2 at row 1"
            "\n\nHint: k / m, for whole numbers k, makes edges without drift."
        ),
        lambda: best_by_range(TWO, edges=[0.1, 0.3, 0.2]),
    ),
    (
        DataError,
        "Cases are compared row by row; 'a' and 'b' have 3 and 4 rows" + TALLIES,
        lambda: best_by_range({"a": C, "b": Cases([0, 1, 1, 0], [0.1] * 4, weight=[1, 1, 1, 0])}),
    ),
    (
        DataError,
        "Cases are compared row by row; of 'a' and 'b', only one has clusters" + TALLIES,
        lambda: best_by_range({"a": C, "b": Cases([0, 1, 1], [0.1, 0.5, 0.9], clusters=[1, 1, 2])}),
    ),
    (
        DataError,
        "Cases are compared row by row; in row 0, 'a' and 'b' have the outcomes False and True"
        + TALLIES,
        lambda: best_by_range({"a": C, "b": Cases([1, 1, 0], [0.1, 0.5, 0.9])}),
    ),
    # pictures
    (
        ArgumentTypeError,
        (
            "this picture is drawn from a ThresholdRanks; got Tally"
            "\n\nHint: make one with properly.decisions.rank_by_threshold(models)."
        ),
        lambda: plots.threshold_ranks(T),  # type: ignore[arg-type]
    ),
    (
        ArgumentTypeError,
        (
            "this picture is drawn from a RangeMap; got Tally"
            "\n\nHint: make one with properly.decisions.best_by_range(models)."
        ),
        lambda: plots.range_map(T),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "at least two edges must be in view; got 0 of 51",
        lambda: plots.range_map(best_by_range(TWO), limits=(0.301, 0.302)),
    ),
    (
        DataError,
        (
            "this picture is drawn from curves of regret; got scale 'brier'"
            "\n\nHint: make one with properly.regret_curve(tally)."
        ),
        lambda: plots.regret(murphy_curve(T)),
    ),
    (
        DataError,
        (
            "on the logarithmic axis a mean needs a range of finite length; got (0, 0.4)"
            "\n\nHint: choose a range strictly between 0 and 1."
        ),
        lambda: plots.decision(EXACT, within=(0, 0.4), axis="logarithmic"),
    ),
    (
        DataError,
        (
            "net benefit has no value at the threshold 1; got (0.1, 1.0)"
            "\n\nHint: let the range end below 1."
        ),
        lambda: plots.decision(EXACT, within=(0.1, 1)),
    ),
    (
        DataError,
        (
            "a mean over a range needs exact curves; got thresholds on a grid"
            '\n\nHint: make them with properly.decision_curve(tally, "every").'
        ),
        lambda: plots.decision(decision_curve(T), within=(0.1, 0.4)),
    ),
    (
        DataError,
        (
            "models are compared on the same cases, which have one event rate; got 0.333333 to 0.5"
            "\n\nHint: draw the models of each data set on Axes of their own."
        ),
        lambda: plots.decision(
            {"a": EXACT, "b": decision_curve(tally([0, 0, 1], [0.1, 0.2, 0.3]), "every")}
        ),
    ),
    (
        DataError,
        (
            "rules in a list must have names that differ; got ['brier', 'brier']"
            '\n\nHint: give them names, as in {"mine": rule}.'
        ),
        lambda: plots.threshold_weights([Brier(), Brier()]),
    ),
    (
        ImproperRuleError,
        "only a proper rule is a weight on thresholds; got Shifted(mu=0.1, form='published')",
        lambda: plots.threshold_weights(PUBLISHED),
    ),
]


@pytest.mark.parametrize(
    ("error", "message", "call"), SAID, ids=[said[1].split("\n")[0][:70] for said in SAID]
)
def test_a_message_is_word_for_word(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_advice_without_a_terminal_names_the_missing_flags() -> None:
    found = CliRunner().invoke(cli.command(), ["recommend"])
    assert found.exit_code == 2
    said = "Off a terminal nothing can be asked; give --decisions independent|budget and --threshold fixed|range|unknown."
    assert f"Error: {said}\n" in found.output
