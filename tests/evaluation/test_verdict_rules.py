"""The rules by which a verdict is said, each on records made for it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly import Interval
from properly._boundary._text import percent
from properly.calibration import Certain
from properly.comparison import Comparison
from properly.evaluation._verdict import _headline
from properly.evaluation._verdict._findings import (
    against_none,
    baseline,
    calibration,
    certain,
    groups,
    thresholds,
    too_few,
    unknown,
)
from properly.evaluation._verdict._headline import choice
from properly.evaluation._verdict._standing import Standing
from properly.evaluation._verdict._words import (
    Words,
    at_thresholds,
    chance,
    chances,
    digits_apart,
    ends_of,
    few,
    finished,
    rounded_down,
    runs,
    scope_of,
    stretches,
    times,
)
from properly.inference import Estimate
from properly.rules import (
    RPS,
    BetaWeighted,
    Bounded,
    Brier,
    Elementary,
    Log,
    Misclassification,
    Regret,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from properly.evaluation._verdict._words import Scope

WORDS = Words("people", "death")
RANGE = scope_of(Bounded(Brier(), (0.01, 0.1)), classes=False)
ALL = scope_of(Log(), classes=False)
EACH = "no model"


def headline(found: Standing) -> str:
    return str(_headline.headline(found))


WHERE = "for thresholds of 1 % to 10 %"
AT = "for decisions at thresholds of 1 % to 10 %"


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, 0.1, (low, high), 0.95, 99.0, "t", "100 independent cases", 100, 100.0)


def compared(
    scores: dict[str, float], apart: Iterable[str], **changes: dict[str, Any]
) -> Comparison:
    """Make a comparison in which the pairs named, such as "ab", are told apart.

    Differences have standard errors of a tenth; `changes` are of single pairs, by their names.
    """
    pairs = list(combinations(scores, 2))
    rows = []
    for one, other in pairs:
        difference = scores[one] - scores[other]
        known = f"{one}{other}" in apart or f"{other}{one}" in apart
        half, p = (abs(difference) / 2, 0.001) if known else (2 * abs(difference), 0.4)
        row: dict[str, Any] = {
            "difference": difference,
            "p_value": p,
            "adjusted_p_value": p,
            "differing": 50,
        }
        row |= {"standard_error": half / 2, "interval": (difference - half, difference + half)}
        row |= {"ratio": scores[one] / scores[other] if math.isfinite(difference) else math.nan}
        row |= {"method": "t", "p_is_bound": False, "adjusted_p_is_bound": False}
        row |= changes.get(f"{one}{other}", {})
        rows.append({"simultaneous": row["interval"]} | row)
    columns: dict[str, Any] = {k: np.array([r[k] for r in rows]) for k in rows[0] if k != "method"}
    nothing = np.full(len(pairs), np.nan)
    decides = columns.pop("simultaneous")
    return Comparison(
        models=tuple(scores),
        pairs=tuple(pairs),
        **columns,
        simultaneous=decides,
        ratio_error=nothing,
        ratio_interval=np.full((len(pairs), 2), np.nan),
        equivalence_p_value=nothing,
        adjusted_equivalence_p_value=nothing,
        methods=tuple(r["method"] for r in rows),
        scores={name: estimate(x, x, x) for name, x in scores.items()},
        degrees=99.0,
        level=0.95,
        margin=None,
        rule="brier",
        unit="Brier",
        adjust="max-t",
        design="100 independent cases",
        cases=100,
        effective_cases=100.0,
    )


def standing(
    apart: str = "",
    models: str = "abc",
    *,
    useful: str | None = None,
    infinite: str = "",
    wrong: str = "",
    scope: Scope = RANGE,
    **changes: Any,
) -> Standing:
    """Rank models, the first the best, of which some pairs are told apart."""
    finite = [name for name in models if name not in infinite]
    scores = {name: math.inf if name in infinite else 0.1 + k / 50 for k, name in enumerate(models)}
    above = models if useful is None else useful
    return Standing(
        tuple(finite),
        tuple(infinite),
        compared(scores, apart.split(), **changes) if len(models) > 1 else None,
        {x: estimate(0.2, 0.1, 0.3) if x in above else estimate(0, -0.1, 0.1) for x in models},
        scope,
        0.95,
        cases=400,
        wrong=tuple(wrong),
    )


def others_than(best: str, models: str) -> str:
    return " ".join(best + name for name in models if name != best)


# who is better than whom


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (standing("ab", "ab"), f"Use a {WHERE}: it is better than b."),
        (standing("ab ac", "abc"), f"Use a {WHERE}: it is better than b and c."),
        (
            standing(others_than("a", "abcde"), "abcde"),
            f"Use a {WHERE}: it is better than the other four models.",
        ),
        (
            standing("ab", "ab", scope=ALL),
            "Use a: on average over all thresholds, it is better than b.",
        ),
        (
            standing("", "ab"),
            f"Use a or b {WHERE}: they cannot be told apart, and both are better than no model.",
        ),
        (standing("", "ab", useful="a"), f"a and b cannot be told apart {WHERE}."),
        (
            standing("", "abc", scope=ALL),
            (
                "Use a, b or c: on average over all thresholds, they cannot be told apart, and all "
                "three are better than no model."
            ),
        ),
        (standing("", "abcde"), f"The five models cannot be told apart {WHERE}."),
        (
            standing("ac bc"),
            f"Use a or b {WHERE}: they cannot be told apart, and both are better than c.",
        ),
        (
            standing("ac bc ad bd ae be", "abcde"),
            (
                f"Use a or b {WHERE}: they cannot be told apart, and both are better than the "
                "other three models."
            ),
        ),
        (
            standing("ad bd cd", "abcd"),
            f"Use a, b or c {WHERE}: they cannot be told apart, and all three are better than d.",
        ),
        # Only the best is told apart from the last.
        (standing("ac"), f"a and b cannot be told apart {WHERE}; a is better than c."),
        # The best is told apart from none, and yet two others are from each other.
        (standing("bc"), f"a cannot be told apart from b and c {WHERE}."),
        # The second is told apart from the best, and the third is not.
        (standing("ab"), f"a and c cannot be told apart {WHERE}; a is better than b."),
        (
            standing("bc ad", "abcd"),
            f"a cannot be told apart from b and c {WHERE}; a is better than d.",
        ),
    ],
)
def test_only_a_model_that_is_better_than_each_other_one_is_named(
    found: Standing, said: str
) -> None:
    assert headline(found) == said


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            standing("ab", "ab", wrong="a"),
            f"a is better than b {WHERE}; a was certain and wrong.",
        ),
        (standing("ab", "ab", wrong="b"), f"Use a {WHERE}: it is better than b."),
        (
            standing("ac bc", wrong="a"),
            f"Use b {WHERE}: a cannot be told apart from it, and was certain and wrong.",
        ),
        (
            standing("ad bd cd", "abcd", wrong="bd"),
            f"Use a or c {WHERE}: b cannot be told apart from them, and was certain and wrong.",
        ),
        (
            standing("", "ab", wrong="ab"),
            f"a and b cannot be told apart {WHERE}; a and b were certain and wrong.",
        ),
    ],
)
def test_a_model_that_was_certain_and_wrong_is_not_advised(found: Standing, said: str) -> None:
    assert headline(found) == said


def test_no_model_is_named_if_none_is_better_than_no_model() -> None:
    assert headline(standing("ab", "ab", useful="")) == (
        f"None can be shown to be better than {EACH}, {WHERE}."
    )
    assert headline(standing("ab", "ab", useful="b")) == (
        f"a is better than b {WHERE}; whether it is better than no model cannot be told."
    )


def test_infinite_scores_are_named_as_such() -> None:
    def of(infinite: str, apart: str = "", models: str = "abc") -> Standing:
        return standing(apart, models, infinite=infinite, scope=ALL)

    assert headline(of("b", models="ab")) == "b has an infinite log score; a has not."
    assert headline(of("ab", models="ab")) == (
        "a and b have an infinite log score: nothing can be told."
    )
    assert headline(of("abcd", models="abcd")) == (
        "All four models have an infinite log score: nothing can be told."
    )
    assert headline(of("bc")) == "b and c have an infinite log score; a has not."
    assert headline(of("c", "ab")) == (
        "a is better than b on average over all thresholds; c has an infinite log score."
    )
    assert headline(of("c")) == (
        "a and b cannot be told apart on average over all thresholds; c has an infinite log score."
    )
    assert choice(of("ab", models="ab")) == (
        "a and b have an infinite log score: nothing can be told by it."
    )
    assert choice(of("b", models="ab")) == (
        "b has an infinite log score; a has not. By this score, no more can be told."
    )


def test_the_choice_has_the_difference_to_the_next_with_its_interval() -> None:
    assert choice(standing("ab", "ab")) == (
        f"a is better than b {AT}. It has the lower mean Brier score over them, by 0.020 "
        "(95 % interval 0.010 to 0.030), that is by 17 %."
    )
    assert choice(standing("ab ac")) == (
        f"a is better than b and c {AT}. It has a lower mean Brier score over them than b, the "
        "next best, by 0.020 (95 % simultaneous interval 0.010 to 0.030), that is by 17 %."
    )
    assert choice(standing("", "ab")) == (
        f"a and b cannot be told apart {AT}. a has the lower mean Brier score over them, by 0.020 "
        "(95 % interval -0.020 to 0.060)."
    )
    assert choice(standing("ac bc")).endswith("-0.020 to 0.060). Both are better than c.")
    # The next one is told apart, and another is not.
    assert "a has the lower mean Brier score over them, by 0.040 (" in choice(standing("ab"))
    assert choice(standing("ac bc ad", "abcd")).endswith(
        "). Both are better than c. a is better than d too."
    )
    assert choice(standing("bc")).startswith(
        f"a cannot be told apart from b and c {AT}. a has a lower mean Brier score over them than "
        "b, the next best, by 0.020 ("
    )
    assert choice(standing("ab", infinite="c", scope=ALL)).endswith(
        ", that is by 17 %. c has an infinite log score."
    )


def test_the_simultaneous_interval_decides_and_is_printed() -> None:
    row = {"p_value": 0.03, "adjusted_p_value": 0.06, "interval": (-0.03, -0.01)}
    row |= {"simultaneous": (-0.041, 0.001)}
    found = standing("", "abc", ab=row)
    assert found.top == ("a", "b", "c")
    assert "(95 % simultaneous interval -0.0010 to 0.041)" in choice(found)
    row |= {"method": "sign flips", "simultaneous": (-0.03, 0.0)}
    flipped = standing("", "ab", ab=row)
    assert "(95 % interval 0 to 0.030; p = 0.06 by sign flips)" in choice(flipped)
    assert not flipped.beats("a", "b")


def test_a_small_p_value_is_not_enough() -> None:
    row = {"p_value": 1e-6, "adjusted_p_value": 1e-6, "interval": (-0.05, 0.0)}
    found = standing("", "ab", ab=row)
    assert not found.beats("a", "b")
    assert headline(found).startswith(f"Use a or b {WHERE}: they cannot be told apart")


def test_models_that_never_differ_and_differences_without_an_error() -> None:
    same: dict[str, Any] = {"differing": 0, "difference": 0.0, "interval": (math.nan, math.nan)}
    alike = standing("", "ab", ab=same | {"standard_error": 0.0})
    assert (
        choice(alike) == f"a and b cannot be told apart {AT}. The losses of a and b never differ."
    )
    unsure = standing("ab", "ab", ab={"standard_error": math.nan})
    assert choice(unsure) == (
        f"a and b cannot be told apart {AT}. a has the lower mean Brier score over them, by 0.020, "
        "without a standard error."
    )


@pytest.mark.parametrize(("cases", "is_enough"), [(19, False), (20, True)])
def test_twenty_cases_that_say_the_same_are_enough(cases: int, is_enough: bool) -> None:
    same = {"standard_error": 0.0, "differing": cases, "interval": (math.nan, math.nan)}
    found = replace(standing("", "ab", ab=same), cases=cases)
    assert found.beats("a", "b") is found.is_constant("a", "b") is is_enough
    assert not found.beats("b", "a")
    flawless = replace(found, skills={"a": estimate(1.0, math.nan, math.nan)})
    assert flawless.is_useful("a") is flawless.is_flawless("a") is is_enough


def test_a_difference_in_all_cases_but_one_is_not_constant() -> None:
    same = {"standard_error": 0.0, "differing": 399, "interval": (math.nan, math.nan)}
    assert not standing("", "ab", ab=same).is_constant("a", "b")


def test_an_interval_that_ends_at_zero_holds_it() -> None:
    ends = {"a": estimate(0.1, 0.0, 0.2), "b": estimate(-0.1, -0.2, 0.0)}
    found = replace(standing("", "ab"), skills=ends)
    assert not found.is_useful("a")
    assert not found.is_harmful("b")
    for interval in ((-0.05, 0.0), (0.0, 0.05)):
        row = {"p_value": 1e-6, "adjusted_p_value": 1e-6, "interval": interval}
        assert not standing("", "ab", ab=row).beats("a", "b")


def test_one_model_is_compared_with_none() -> None:
    assert headline(standing(models="a")) == f"a is better than {EACH}, {WHERE}."
    assert headline(standing(models="a", useful="")) == (
        f"It cannot be told whether a is better than {EACH}, {WHERE}."
    )
    worse = replace(standing(models="a"), skills={"a": estimate(-0.3, -0.4, -0.2)})
    assert headline(worse) == f"Better no model: a is worse, {WHERE}."
    assert choice(worse) == (
        f"a is worse than {EACH}, {AT}. Its loss is higher by 30 % (95 % interval 20 % to 40 %)."
    )
    assert choice(standing(models="a")) == (
        f"a is better than {EACH}, {AT}. It saves 20 % (95 % interval 10 % to 30 %) of its loss."
    )
    lost = standing(models="a", infinite="a", scope=ALL)
    assert headline(lost) == (
        "a has an infinite log score: it was certain of what turned out otherwise."
    )
    assert choice(lost) == "a has an infinite log score; without a model, it is finite."


# better than none


def scored(**scores: float) -> dict[str, dict[str, Any]]:
    named_ = {name.replace("_", " "): x for name, x in scores.items()}
    return {name: {"brier": SimpleNamespace(score=x)} for name, x in named_.items()}


def test_models_are_sorted_into_better_and_worse_than_none_and_open() -> None:
    skills = {
        "a": estimate(0.31, 0.27, 0.34),
        "b": estimate(0.29, 0.2, 0.4),
        "c": estimate(-1.5, -math.inf, -0.5),
        "d": estimate(0.01, -0.02, 0.04),
        "e": estimate(0.0, 0.0, 0.1),
    }
    found = replace(standing("", "abcde"), skills=skills)
    evaluation = SimpleNamespace(
        primary="brier",
        baselines=scored(treat_all=0.15, treat_none=0.01, event_rate=0.01),
        decompositions=scored(a=0.1, b=0.12, c=0.14, d=0.16, e=0.15),
    )
    assert list(baseline(evaluation, found)) == [
        (
            f"a and b are better than {EACH}. They save 31 % (95 % interval 27 % to 34 %) and 29 % "
            "(20 % to 40 %) of its loss."
        ),
        (
            f"c is worse than {EACH}. Its loss is higher by 150 % "
            "(95 % interval 50 % to more than 1,000 %)."
        ),
        (
            f"It cannot be told whether d and e are better than {EACH}. Their losses may be "
            "anything from 2.0 % higher to 4.0 % lower and from 0 % higher to 10 % lower (95 % "
            "intervals)."
        ),
        "By the score alone, acting every time would have been better than d.",
        "By the score alone, never acting would have been better than a, b, c, d and e.",
    ]


def test_no_loss_is_told_more_exactly_than_the_end_of_its_interval() -> None:
    skills = {"a": estimate(-21.2, -50.0, -2.24), "b": estimate(-400.0, -math.inf, -30.0)}
    found = replace(standing("", "ab"), skills=skills)
    assert against_none(found, "ab").endswith(
        "Their losses are higher by more than 1,000 % (95 % interval 224 % to more than 1,000 %) "
        "and more than 1,000 % (more than 1,000 % to more than 1,000 %)."
    )


def test_a_thousand_percent_is_told_and_more_is_not() -> None:
    found = replace(standing(models="a"), skills={"a": estimate(-10.0, -10.01, -1.0)})
    assert against_none(found, "a").endswith(
        "higher by 1,000 % (95 % interval 100 % to more than 1,000 %)."
    )


def test_a_skill_without_an_interval_tells_nothing() -> None:
    found = replace(standing(models="a"), skills={"a": estimate(0.2, math.nan, math.nan)})
    assert against_none(found, ["a"]) == (
        f"It cannot be told whether a is better than {EACH}. Its skill has no interval."
    )
    two = replace(standing("", "ab"), skills=found.skills | {"b": estimate(0.1, -0.1, 0.3)})
    evaluation = SimpleNamespace(baselines={})
    assert list(baseline(evaluation, two)) == [
        (
            f"It cannot be told whether b is better than {EACH}. Its loss may be anything from 10 "
            "% higher to 30 % lower (95 % interval)."
        ),
        f"It cannot be told whether a is better than {EACH}. Its skill has no interval.",
    ]


def test_many_models_have_the_extremes_of_their_skills() -> None:
    found = standing(models="abcdef")
    assert against_none(found, "abcdef") == (
        f"a, b, c, d and two others are better than {EACH}. They save 20 % to 20 % of its loss."
    )
    open_ = standing(models="abcdef", useful="")
    assert against_none(open_, "abcdef").endswith(
        "may be anything from 10 % higher to 10 % lower (95 % intervals)."
    )


# thresholds


def band(lower: list[float], upper: list[float]) -> Any:
    low, high = np.array(lower), np.array(upper)
    threshold = np.linspace(0.01, 0.1, len(low))
    rest: dict[str, Any] = {"quantile": 3.0, "level": 0.95, "degrees": 99.0, "replicates": 999}
    return properly.decisions.Dominance(
        threshold,
        (low + high) / 2,
        (high - low) / 6,
        low,
        high,
        **rest,
        design="100 independent cases",
        within=Interval(0.01, 0.1),
    )


BETTER, WORSE, OPEN, NOTHING = (-3, -1), (1, 3), (-1, 1), (math.nan, math.nan)
CONFIDENCE = "(95 % confidence for all thresholds at once)"


def bands(*points: tuple[float, float]) -> Any:
    lower, upper = zip(*points, strict=True)
    return band(list(lower), list(upper))


def told(**dominances: Any) -> list[str]:
    known = {tuple(pair): found for pair, found in dominances.items()}
    return list(thresholds(SimpleNamespace(dominances=known), standing()))


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (
            [BETTER] * 10,
            "a is better than b at every threshold that was looked at, from 1 % to 10 %",
        ),
        ([OPEN, *[WORSE] * 2, *[OPEN] * 7], "b is better than a at thresholds of 2 % to 3 %"),
        (
            [BETTER, *[OPEN] * 8, WORSE],
            "a is better than b at a threshold of 1 % and worse at 10 %",
        ),
    ],
)
def test_a_band_says_where_the_best_is_better(points: list[Any], said: str) -> None:
    assert told(ab=bands(*points)) == [f"{said} {CONFIDENCE}."]


def test_a_band_in_the_other_order_says_the_same() -> None:
    points = [BETTER, *[OPEN] * 9]
    turned = [(-high, -low) for low, high in points]
    assert (
        told(ab=bands(*points))
        == told(ba=bands(*turned))
        == [
            (
                f"a is better than b at a threshold of 1 % {CONFIDENCE}. From 1 % to 10 %, it is "
                "nowhere shown to be worse."
            )
        ]
    )


def test_another_model_may_be_better_somewhere() -> None:
    found = told(ab=bands(*[OPEN] * 10), ac=bands(*[BETTER] * 8, *[WORSE] * 2))
    assert found == [f"c is better than a at thresholds of 9 % to 10 % {CONFIDENCE}."]


def test_nothing_is_said_without_bands_or_if_they_show_nothing() -> None:
    assert told() == []
    assert told(ab=bands(*[OPEN] * 10), ac=bands(*[BETTER] * 10)) == []
    assert list(thresholds(SimpleNamespace(dominances={}), standing(models="a"))) == []


def test_thresholds_without_a_band_are_unknown() -> None:
    def said(found: Standing, *points: tuple[float, float]) -> list[str]:
        known = {("a", "b"): bands(*points)}
        return list(too_few(SimpleNamespace(dominances=known, design=design), found, WORDS))

    design = "1,000 independent cases"
    end = "too few people are judged differently by a and b to compare them there."
    assert said(standing(), *[OPEN] * 8, *[NOTHING] * 2) == [f"At thresholds of 9 % to 10 %, {end}"]
    assert said(standing(), *[NOTHING] * 10) == [f"At every threshold, {end}"]
    assert said(standing(), *[OPEN, NOTHING] * 5) == [
        f"At 50 % of the thresholds that were looked at, {end}"
    ]
    design = "30 clusters"
    (clustered,) = said(standing(), *[NOTHING] * 10)
    assert "by a and b, allowing for clusters, to compare" in clustered
    assert said(standing(), *[OPEN] * 99, NOTHING) == []
    # One threshold in twenty is worth a sentence, one in 21 is not.
    assert said(standing(), *[OPEN] * 20, NOTHING) == []
    (notable,) = said(standing(), *[OPEN] * 19, NOTHING)
    assert notable.startswith("At a threshold of 10 %, too few people")
    assert said(standing(ab={"differing": 0}), *[NOTHING] * 10) == []
    assert said(standing(models="a"), *[NOTHING] * 10) == []


# certain forecasts


def test_certain_forecasts_that_were_wrong_are_counted() -> None:
    found = {
        "fine": Certain(5, 0, 7, 0),
        "forest": Certain(100, 48, 3, 0),
        "tree": Certain(1, 1, 2000, 1234),
        "heavy": Certain(1.5, 0.5, 0.0, 0.0),
    }
    never = "no threshold above zero, however low, would have raised an alarm"
    always = "every threshold, however high, would have raised an alarm"
    evaluation = SimpleNamespace(certain=found, total=5000, rows=5000)
    assert list(certain(evaluation, WORDS)) == [
        (
            f"For 48 people, forest had called death impossible, and it happened: {never}. Its log "
            "score is infinite."
        ),
        (
            f"For one of the people, tree had called death impossible, and it happened: {never}. "
            f"For 1,234 people, tree had called death certain, and it did not happen: {always}. "
            "Its log score is infinite."
        ),
        (
            "For people of a total weight of 0.5, heavy had called death impossible, and it "
            f"happened: {never}. Its log score is infinite."
        ),
    ]


def test_whole_weights_are_not_counted_as_people() -> None:
    # Four people, two of whom stand for ten each.
    e = properly.evaluate(
        [1, 0, 0, 1], {"m": [0.0, 0.1, 0.2, 0.9]}, weight=[10, 10, 1, 1], replicates=0
    )
    assert e.certain["m"].never_wrong == 10
    (said,) = certain(e, WORDS)
    assert said.startswith("For people of a total weight of 10, m had called death impossible")
    assert "For 10 people" not in said


def test_what_holds_of_alarms_holds() -> None:
    # One acts if the forecast is at least the threshold.
    for c in (5e-324, 0.01, 0.5, 1 - 2**-53):
        assert Elementary(c)([1], [0.0]) == 1 - c
        assert Elementary(c)([0], [1.0]) == c


def test_classes_that_were_called_impossible_are_counted() -> None:
    lost = replace(estimate(math.inf, math.inf, math.inf), infinite_cases=3)
    fine = estimate(0.2, 0.1, 0.3)
    scores = {
        "a": {"brier": fine, "log": fine},
        "b": {"brier": fine, "log": lost},
        "c": {"ranked_log": replace(lost, infinite_cases=1), "log": lost, "beta[1,2]": lost},
    }
    begin = "had called impossible what then happened: its"
    assert list(certain(SimpleNamespace(certain=None, scores=scores), WORDS)) == [
        f"For 3 people, b {begin} log score is infinite.",
        f"For 3 people, c {begin} ranked log score, log score and beta[1,2] score are infinite.",
    ]


# calibration


def a_test(p: float, replicates: int | None = None) -> Any:
    method = "chi-squared" if replicates is None else "Monte Carlo"
    return properly.calibration.CalibrationTest("score", 1.0, p, method, replicates=replicates)


def summary(ratio: Estimate, slope: Estimate, mean: float = 0.2, rate: float = 0.1) -> Any:
    return SimpleNamespace(
        observed_expected=ratio, slope=slope, mean_forecast=mean, event_rate=rate, certain=0
    )


RIGHT = estimate(1.0, 0.9, 1.1)
HIGH, LOW = estimate(0.5, 0.4, 0.8), estimate(2.0, 1.25, 3.2)


def calibrated(summary: Any, total: float = 1000, curve: Any = None) -> str:
    evaluation = SimpleNamespace(
        level=0.95,
        total=total,
        rows=1000,
        calibration_tests={"a": a_test(0.0001)},
        calibration={"a": summary},
        reliability={"a": curve},
    )
    (said,) = calibration(evaluation, WORDS)
    assert said.startswith("a is miscalibrated (p < 0.001)")
    return said.removeprefix("a is miscalibrated (p < 0.001)")


@pytest.mark.parametrize(
    ("found", "total", "said"),
    [
        (
            summary(HIGH, RIGHT),
            1000,
            (
                "too high overall, expecting death 200 times where it happened 100 times, 2.00 "
                "times as often (95 % interval 1.25 to 2.50)"
            ),
        ),
        (
            summary(LOW, RIGHT, 0.05, 0.1),
            1000,
            (
                "too low overall, expecting death 50 times where it happened 100 times, 2.00 times "
                "as often as expected (95 % interval 1.25 to 3.20)"
            ),
        ),
        (
            summary(HIGH, RIGHT, 0.213, 0.104),
            10.5,
            (
                "too high overall, expecting death in 21 % of people where it happened in 10 %, "
                "2.00 times as often (95 % interval 1.25 to 2.50)"
            ),
        ),
        (
            summary(HIGH, RIGHT, 0.213, 0.104),
            3000,
            (
                "too high overall, expecting death in 21 % of people where it happened in 10 %, "
                "2.00 times as often (95 % interval 1.25 to 2.50)"
            ),
        ),
        (
            summary(estimate(0.0, 0.0, 0.9), RIGHT, 0.0042, 0.0),
            1000,
            "too high overall, expecting death 4.2 times where it happened never",
        ),
        (
            summary(RIGHT, estimate(0.5, 0.3, 0.99)),
            1000,
            (
                "too extreme, the high ones too high and the low ones too low (slope 0.500, 95 % "
                "interval 0.300 to 0.990)"
            ),
        ),
        (
            summary(RIGHT, estimate(1.5, 1.2, 1.9)),
            1000,
            "not extreme enough (slope 1.50, 95 % interval 1.20 to 1.90)",
        ),
        (
            summary(RIGHT, estimate(-0.5, -0.9, -0.1)),
            1000,
            (
                "the wrong way round, higher where it happened less often (slope -0.500, 95 % "
                "interval -0.900 to -0.100)"
            ),
        ),
    ],
)
def test_intervals_say_in_which_way_forecasts_are_off(found: Any, total: float, said: str) -> None:
    assert calibrated(found, total) == f". Its forecasts are {said}."


def test_two_ways_are_both_told() -> None:
    said = calibrated(summary(HIGH, estimate(0.5, 0.3, 0.9)))
    assert ". Its forecasts are too high overall, " in said
    assert ". They are too extreme, " in said


def test_an_interval_that_ends_at_one_shows_nothing() -> None:
    for ends in ((1.0, 1.5), (0.5, 1.0)):
        one = estimate(sum(ends) / 2, *ends)
        assert "see its reliability diagram" in calibrated(summary(one, one))
    turned = calibrated(summary(RIGHT, estimate(-0.5, -0.9, 0.0)))
    assert turned.startswith(". Its forecasts are too extreme, ")


def test_ten_expected_events_are_told_without_a_fraction() -> None:
    assert "expecting death 10 times where" in calibrated(summary(HIGH, RIGHT, 0.01, 0.005))
    assert "expecting death 9.9 times where" in calibrated(summary(HIGH, RIGHT, 0.0099, 0.005))


def test_if_neither_mean_nor_slope_shows_how_the_diagram_does() -> None:
    assert calibrated(summary(RIGHT, RIGHT)) == (
        ". Neither its mean nor its slope shows in which way; see its reliability diagram."
    )
    nothing = estimate(math.nan, math.nan, math.nan)
    assert calibrated(summary(RIGHT, nothing)) == (
        ". It has no slope; see its reliability diagram."
    )


def test_a_shape_that_neither_mean_nor_slope_shows_is_described_by_the_curve() -> None:
    p = np.repeat([0.1, 0.3, 0.5, 0.7, 0.9], 200)
    rate = np.repeat([0.1, 0.45, 0.5, 0.55, 0.9], 200)
    tally = properly.tally(np.arange(1000) % 200 < 200 * rate, p)
    curve = properly.reliability(tally, band="consistency", rng=1)
    where = (
        "its reliability curve lies at forecasts of 30 % above and at forecasts of 70 % below the "
        "95 % band of calibrated forecasts."
    )
    said = calibrated(summary(RIGHT, RIGHT), curve=curve)
    assert said == f". Neither its mean nor its slope shows in which way: {where}"
    # A mean that is a little off is not all that there is to say.
    slightly = summary(estimate(1.014, 1.003, 1.025), estimate(math.inf, math.nan, math.nan))
    said = calibrated(slightly, curve=curve)
    assert said.startswith(". Its forecasts are too low overall, ")
    assert said.endswith(f". It has no slope: {where}")


def test_p_values_are_adjusted_for_the_number_of_models() -> None:
    # Each is below 0.05 by itself; Holm makes 0.06 and 0.06 of the last two.
    tests = {"a": a_test(0.001), "b": a_test(0.03), "c": a_test(0.04)}
    evaluation = SimpleNamespace(level=0.95, calibration_tests=tests, calibration=None)
    assert list(calibration(evaluation, WORDS)) == [
        "a is miscalibrated (p = 0.003, adjusted for three models).",
        (
            "No miscalibration can be shown for b and c (p = 0.06 and 0.06, adjusted for three "
            "models). That is not to say that they are calibrated."
        ),
    ]


def test_models_without_a_test_and_too_few_draws() -> None:
    evaluation = SimpleNamespace(
        level=0.95, calibration_tests={"a": a_test(math.nan)}, calibration={}
    )
    assert list(calibration(evaluation, WORDS)) == ["The calibration of a could not be tested."]
    few = replace(a_test(math.nan), method="none: 5 clusters are too few for this test")
    evaluation.calibration_tests = {"a": few, "b": few}
    evaluation.calibration = {"a": summary(RIGHT, estimate(0.53, 0.46, 0.61))}
    assert list(calibration(evaluation, WORDS)) == [
        (
            "The calibration of a and b was not tested: 5 clusters are too few for this test. "
            "Calibration slopes: a 0.530, 95 % interval 0.460 to 0.610."
        )
    ]
    evaluation.calibration_tests = {name: a_test(0.05, 19) for name in "ab"}
    evaluation.calibration = {}
    assert list(calibration(evaluation, WORDS)) == [
        (
            "No miscalibration can be shown for a and b (p = 0.1 and 0.1, adjusted for two "
            "models). That is not to say that they are calibrated."
        ),
        "19 random draws are too few to show miscalibration of two models; take more.",
    ]
    evaluation.calibration_tests = {"a": a_test(0.05, 19)}
    assert list(calibration(evaluation, WORDS)) == ["a is miscalibrated (p = 0.05)."]
    evaluation.calibration_tests = {name: a_test(1.0, 1) for name in "ab"}
    *_, few = calibration(evaluation, WORDS)
    assert few == "1 random draw is too few to show miscalibration of two models; take more."
    evaluation.calibration_tests = {}
    assert list(calibration(evaluation, WORDS)) == []


def test_many_models_have_the_extremes_of_their_p_values() -> None:
    tests = {name: a_test(0.2 + k / 10) for k, name in enumerate("abcdef")}
    (said,) = calibration(
        SimpleNamespace(level=0.95, calibration_tests=tests, calibration=None), WORDS
    )
    assert said.startswith(
        "No miscalibration can be shown for a, b, c, d and two others (p = 1 to 1, adjusted for six"
    )


# groups


def split(
    difference: float, interval: tuple[float, float], skill: float = 0.0, p: float = 0.5
) -> Any:
    """Make groups of which the first differs from the rest."""

    def contrast(first: float, ends: tuple[float, float]) -> Any:
        return SimpleNamespace(
            difference=np.array([first, 0.0, 0.0]),
            simultaneous=np.array([ends, (-0.1, 0.1), (-0.1, 0.1)]),
            adjusted_p_value=np.array([p, 1.0, 1.0]),
        )

    measures = {
        "score": contrast(difference, interval),
        "skill": contrast(skill, (skill - 0.1, skill + 0.1)),
    }
    return SimpleNamespace(
        measures=measures,
        name=["x", "y", "z"],
        enough=np.array([True, True, True]),
        homogeneity=SimpleNamespace(p_value=p),
        calibration=None,
        level=0.95,
    )


def grouped(*models: Any, found: Standing | None = None) -> list[str]:
    known = dict(zip("ab", models, strict=False))
    return list(groups(SimpleNamespace(groups=known), found or standing("ab", "ab")))


HARDER = "Cases there may be harder for any model: the skill of a"
LEVEL = "(95 % simultaneous interval 0.10 to 0.30)"


def test_a_group_is_worse_if_an_interval_for_all_says_so() -> None:
    start = "Among the three groups tested, a performs worst for 'x': its score is 0.20 worse"
    start = f"{start} than for the rest {LEVEL}"
    assert grouped(split(0.2, (0.1, 0.3), -0.2)) == [f"{start}. The skill of a is lower there too."]
    assert grouped(split(0.2, (0.1, 0.3))) == [f"{start}. {HARDER} is not significantly lower."]
    elsewhere = split(0.2, (0.1, 0.3))
    elsewhere.measures["skill"].difference[1] = -0.2
    elsewhere.measures["skill"].simultaneous[1] = -0.3, -0.1
    assert grouped(elsewhere) == [f"{start}. The skill of a is lowest for 'y'."]
    pair = split(0.2, (0.1, 0.3), -0.2)
    pair.name, pair.enough = ["x", "y"], pair.enough[:2]
    for contrast in pair.measures.values():
        for what in ("difference", "simultaneous", "adjusted_p_value"):
            setattr(contrast, what, getattr(contrast, what)[:2])
    start = "a performs worse for 'x' than for 'y': its score is 0.20 worse than for 'y'"
    assert grouped(pair) == [f"{start} {LEVEL}. The skill of a is lower there too."]


def test_nothing_is_said_of_a_skill_that_was_not_tested() -> None:
    few = split(0.2, (0.1, 0.3), -0.2)
    few.measures["skill"].simultaneous[0] = math.nan
    (said,) = grouped(few)
    assert said.endswith(f"{HARDER} was not tested.")
    improper = split(0.2, (0.1, 0.3))
    del improper.measures["skill"]
    assert grouped(improper)[0].endswith(f"{HARDER} was not tested.")


def test_a_single_group_that_was_tested_is_not_the_worst() -> None:
    found = split(0.2, (0.1, 0.3), -0.2)
    for contrast in found.measures.values():
        contrast.simultaneous[1:] = math.nan
    found.enough[1:] = False
    start = "a performs worse for 'x' than for the rest: its score is 0.20 worse than for the rest"
    assert grouped(found) == [
        f"{start} {LEVEL}. The skill of a is lower there too.",
        "Too small to test: 'y' and 'z'.",
    ]


def test_groups_that_are_too_small_for_one_model_only_are_named_with_it() -> None:
    one, other = split(0.2, (-0.1, 0.3), p=math.nan), split(0.2, (-0.1, 0.3), p=math.nan)
    other.enough = np.array([True, True, False])
    assert grouped(one, other, found=standing("", "ab"))[1:] == ["Too small to test for b: 'z'."]


def test_otherwise_no_group_can_be_shown_to_be_worse() -> None:
    none = split(0.2, (-0.1, 0.3), p=0.21)
    assert grouped(none) == [
        (
            "No group can be shown to be worse than the rest for a (test of no difference at all: "
            "p = 0.21)."
        )
    ]
    assert grouped(none, none, found=standing("", "ab")) == [
        (
            "No group can be shown to be worse than the rest for a and b (test of no difference at "
            "all: p = 0.21 and 0.21)."
        )
    ]
    assert grouped(split(0.2, (-0.1, 0.3), p=0.02)) == [
        (
            "No single group can be shown to be worse than the rest for a (test of no difference "
            "at all: p = 0.02)."
        )
    ]
    # An interval that ends at zero holds it, and a p-value of the level is small enough.
    for ends in ((0.0, 0.3), (-0.1, 0.0)):
        (said,) = grouped(split(0.2, ends, p=1 - 0.95))
        assert said.startswith("No single group can be shown to be worse than the rest for a (")
    # Only models that one might use are told of.
    assert grouped(none, split(0.2, (0.1, 0.3)), found=standing("ab", "ab")) == grouped(none)
    assert grouped() == []


def test_miscalibrated_groups_and_small_ones_are_named() -> None:
    found = split(0.2, (-0.1, 0.3), p=math.nan)
    found.calibration = SimpleNamespace(adjusted_p_value=np.array([0.01, 0.2, math.nan]))
    found.enough = np.array([True, True, False])
    assert grouped(found) == [
        "a is miscalibrated within 'x'.",
        "No group can be shown to be worse than the rest for a.",
        "Too small to test: 'z'.",
    ]
    # A p-value of exactly the level is small enough.
    found.calibration.adjusted_p_value[1] = 1 - 0.95
    assert grouped(found)[0] == "a is miscalibrated within 'x' and 'y'."
    found.calibration = None
    found.measures["score"].simultaneous[:] = math.nan
    assert grouped(found) == ["Too small to test: 'z'."]


# what is unknown


def test_the_least_cases_that_it_would_take_are_those_of_the_far_end_of_the_interval() -> None:
    # The differences that were found, one standard error each, would take 785 cases.
    near = {"difference": -0.005, "standard_error": 0.0225, "interval": (-0.05, 0.04)}
    found = standing("", "abcde", ab=near)
    assert found.comparison is not None
    far = found.comparison.cases_needed(difference=0.05)
    assert far[0] == 159
    evaluation = SimpleNamespace(notes=("with 3 events, beware", "Two.\nLines."))
    assert list(unknown(evaluation, found, WORDS)) == [
        (
            "It would take more than 150 people to distinguish a from b, 100 from c and 100 from d "
            "(80 % power, unadjusted). No upper limit can be given."
        ),
        "With 3 events, beware.",
        "Two. Lines.",
    ]


def test_numbers_of_cases_are_left_out_where_they_say_nothing() -> None:
    def said(found: Standing) -> list[str]:
        return list(unknown(SimpleNamespace(notes=()), found, WORDS))

    assert said(standing("ab", "ab")) == said(standing(models="a")) == []
    assert said(standing("", "ab", ab={"standard_error": math.nan})) == []
    assert said(standing("", "ab", ab={"differing": 0, "standard_error": 0.0})) == []
    few_cases = standing("", "ab")
    assert few_cases.comparison is not None
    for cases, is_told in ((19, False), (20, True)):
        compared_on = replace(few_cases.comparison, cases=cases)
        assert bool(said(replace(few_cases, comparison=compared_on))) is is_told


# words


@pytest.mark.parametrize(
    ("rule", "short", "score"),
    [
        (Bounded(Brier(), (0.01, 0.1)), WHERE, "mean Brier score over them"),
        (
            Bounded(Log(), (0.0, 0.1), "integral"),
            "for thresholds of 0 % to 10 %",
            "log score over them",
        ),
        (Regret((0.125, 0.5)), "for thresholds of 12.5 % to 50 %", "mean regret over them"),
        (Elementary(0.05), "at a threshold of 5 %", "regret"),
        (Misclassification(), "at a threshold of 50 %", "misclassification score"),
        (Brier(), "on average over all thresholds", "Brier score"),
        (BetaWeighted(2, 8), "on average over all thresholds", "regret"),
    ],
)
def test_a_rule_says_what_it_looks_at(rule: Any, short: str, score: str) -> None:
    found = scope_of(rule, classes=False)
    assert (found.short, found.score) == (short, score)
    assert found.ranged == ("threshold of" in short or "thresholds of" in short)


def test_a_rule_of_classes_says_its_name() -> None:
    found = scope_of(RPS(), classes=True)
    assert found.short == "by the ranked probability score"


def test_numbers_are_written_with_few_digits() -> None:
    numbers = [0.000834, 0.0998, -0.12345, 1.05, 99.6, 177.4, 12345.6, 0.0, 4.7e-7, math.inf]
    assert [few(x) for x in numbers] == [
        *("0.00083", "0.10", "-0.12", "1.1", "100", "177", "12,346", "0", "4.7e-07", "inf")
    ]
    assert [few(1.0349, 3), few(5.1, 3)] == ["1.03", "5.10"]
    assert [percent(x) for x in (0.01, 0.07, 0.125, 0.9999, 1)] == [
        *("1 %", "7 %", "12.5 %", "99.99 %", "100 %")
    ]
    assert [rounded_down(x) for x in (21999, 785.9, 13, 7)] == ["21,000", "780", "13", "7"]
    assert [times(x) for x in (0, 1, 1849.6)] == ["never", "once", "1,850 times"]
    assert chances([chance(0.0001), chance(0.25)]) == "< 0.001 and p = 0.25"
    assert chances([chance(0.041), chance(0.25)]) == "= 0.041 and 0.25"
    bound = chance(2 / 1001, is_bound=True)
    assert chances([bound, chance(0.25)]) == "<= 0.002 and p = 0.25"


def test_a_note_begins_with_a_capital_and_is_harmless() -> None:
    assert finished("thresholds of \x1b[1mx and \u202ey") == r"Thresholds of \x1b[1mx and \u202ey."


def test_stretches_of_thresholds_are_written_in_percent() -> None:
    x = np.array([0.1, 0.2, 0.3, 0.4])
    assert runs(x, np.array([True, True, False, True])) == [(0.1, 0.2), (0.4, 0.4)]
    assert runs(x, np.zeros(4, bool)) == []
    assert at_thresholds([(0.1, 0.1)]) == "at a threshold of 10 %"
    assert at_thresholds([(0.1, 0.2), (0.4, 0.4)]) == "at thresholds of 10 % to 20 % and 40 %"
    assert stretches([(k / 10, k / 10) for k in range(1, 6)]) == "10 % to 50 %, in five stretches"


def test_numbers_that_differ_are_written_differently() -> None:
    assert digits_apart((0.1234, 0.1236)) == 3
    assert digits_apart((0.12, 0.34)) == 2
    assert digits_apart((1.0, 1.0001, 1.0015), 3) == 5
    # What is the same stays so, and what is not there is not looked at.
    assert digits_apart((0.5, 0.5, math.nan, math.inf)) == 2
    assert digits_apart((1.0, 1.0 + 1e-15)) == 7
    assert ends_of((0.21641, 0.21648)) == "0.2164 to 0.2165"
    assert ends_of((0.0050, 0.0087)) == "0.0050 to 0.0087"
