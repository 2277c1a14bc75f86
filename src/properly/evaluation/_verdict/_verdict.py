"""An evaluation in plain sentences, by rules.

Whether a model is better than none; which are miscalibrated, and how; what was called impossible or
certain, and turned out otherwise; groups for which a model is worse; at which thresholds one model
is better than another; what is impossible to tell, and what it would take.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from properly._boundary._text import NAMED, counted, listed, many, percent, printable
from properly.calibration import Reliability
from properly.calibration._calibration_summary import CalibrationSummary
from properly.comparison import Groups
from properly.comparison._groups_record import WorstGroup, find_worst
from properly.decisions import Dominance
from properly.errors import ArgumentTypeError
from properly.evaluation import _phrases as say
from properly.evaluation._record import Evaluation, Repair, require_evaluation
from properly.evaluation._verdict import _headline
from properly.evaluation._verdict._headline import ModelStanding
from properly.inference import Band
from properly.inference._multiplicity import holm, holm_bounds
from properly.rules._registry import SCORE_WORDS


def verdict(
    evaluation: Evaluation, *, cases: str = "cases", event: str = "the event"
) -> say.Verdict:
    r"""Say in plain sentences what an evaluation shows, and what it does not.

    Parameters
    ----------
    evaluation : Evaluation
        What `properly.evaluate` found. Nothing is computed from data again.
    cases : str
        What the cases are, a noun in the plural: ``"people"``.
    event : str
        What the event is, as it would stand in a sentence: ``"death"``, ``"the fault"``.

    Returns
    -------
    Verdict

    Notes
    -----
    Models are put in the order of `evaluation.primary`: by the first rule, over the range of
    thresholds if there is one. The rules of what is said:

    - **Choice.** One model is better than another if the interval of their difference, which holds
      simultaneously for all pairs (see `properly.compare`), excludes zero. The best is named as the
      one to use if it is better than each other one, all scores are finite, and it is better than
      no model.
    - **Baseline.** To have no model is to say the event rate each time. A model is better than
      that if the interval of its skill lies above 0, worse if it lies below.
    - **Thresholds.** One model is better than another at those thresholds at which the
      simultaneous band of their difference lies on its side of 0. A score over thresholds takes
      forecasts as probabilities, which is said beside it.
    - **Certain.** A forecast of exactly 0 followed by the event, or of exactly 1 without it, makes
      the log score infinite. If one acts at forecasts of c or more, no threshold c > 0 leads to
      acting on a forecast of 0, and every one leads to acting on a forecast of 1.
    - **Calibration.** A model is miscalibrated if the p-value of its calibration test, adjusted for
      the number of models by Holm's method, is at most 1 - level. It is then too high or too low
      overall if the interval of observed to expected events excludes 1, too extreme or not extreme
      enough if that of the slope does. A large p-value does not say that a model is calibrated.
    - **Repair.** If that was asked for: recalibration is worth it if the interval of what it would
      save on new cases lies above 0, the choice of the map included.
    - **Groups.** A group is worse than the rest if an interval that holds for all groups at once
      does not contain zero.

    References
    ----------
    .. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6:65-70.

    Examples
    --------
    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> two = {name: crash.forecasts[name] for name in ("logistic", "forest")}
    >>> e = properly.evaluate(crash.died, two, within=(0.01, 0.1), replicates=0, rng=1)
    >>> print(properly.verdict(e, cases="people", event="death"))
    Use logistic for thresholds of 1 % to 10 %: it is better than forest.
    <BLANKLINE>
    logistic is better than forest for decisions at thresholds of 1 % to 10 %. It has the
    lower mean regret over them, by 0.0054 (95 % interval 0.0038 to 0.0070), that is by
    26 %.
    <BLANKLINE>
    logistic is better than forest at every threshold that was looked at, from 1 % to 10 %
    (95 % confidence for all thresholds at once).
    <BLANKLINE>
    Forecasts are taken as probabilities: thresholds are risks at which one begins to act.
    <BLANKLINE>
    logistic and forest are better than no model. They save 54 % (95 % interval 50 % to
    58 %) and 38 % (33 % to 43 %) of its loss.
    <BLANKLINE>
    For 48 people, forest had called death impossible, and it happened: no threshold above
    zero, however low, would have raised an alarm. Its log score is infinite.
    """
    require_evaluation(evaluation, "a verdict is about an Evaluation")
    words = say.Nouns(_word(cases, "cases"), _word(event, "event"))
    standing = _headline.standing_of(evaluation)
    sentences = tuple(_sentences(evaluation, standing, words))
    return say.Verdict(str(_headline.headline(standing)), sentences)


def _word(word: object, name: str) -> str:
    if not isinstance(word, str) or not word.strip():
        message = f"{name} must be a word or a few; got {word!r}"
        raise ArgumentTypeError(message)
    return printable(word.strip())


def _sentences(
    evaluation: Evaluation, standing: ModelStanding, words: say.Nouns
) -> Iterator[say.Sentence]:
    """Say what there is to say, the most important first."""
    said: dict[say.Kind, Iterable[str]] = {
        "choice": [_headline.choice(standing)],
        "thresholds": [*thresholds(evaluation, standing), *[SCALE] * standing.scope.ranged],
        "baseline": baseline(evaluation, standing),
        "certain": certain(evaluation, words),
        "calibration": calibration(evaluation, words),
        "repair": repairs(evaluation, words),
        "groups": groups(evaluation, standing),
        "unknown": [*too_few(evaluation, standing, words), *unknown(evaluation, standing, words)],
    }
    yield from (say.Sentence(kind, text) for kind, texts in said.items() for text in texts)


# Of more models of which nothing helps, none has a sentence of its own.
ALONE = 2
PER = 1000


def repairs(evaluation: Any, words: say.Nouns) -> Iterator[str]:
    """Say which models recalibration would help, by how much, and how that was found."""
    tried: dict[str, Repair] = evaluation.repairs
    if not tried:
        return
    from properly.recalibration._choice import folds_in_words

    rest = {name: repair for name, repair in tried.items() if not repair.recommended}
    for name, repair in tried.items():
        if repair.recommended:
            yield " ".join([repair.result.sentence, *_benefit(repair, words)])
        elif len(rest) <= ALONE:
            yield " ".join([repair.result.sentence, *_by_chance(evaluation, name)])
    if len(rest) > ALONE:
        none = "no interval of what it would save lies above zero"
        yield f"No recalibration of {listed(rest)} was found to help: {none}."
    how = next(iter(tried.values())).result.gain
    yield f"Maps were fitted on these cases and judged by {folds_in_words(how)}."


def _benefit(repair: Repair, words: say.Nouns) -> Iterator[str]:
    """Say what it would add to the net benefit, at the threshold in the middle."""
    if not repair.net_benefit:
        return
    from properly.recalibration._choice import texts

    t = sorted(repair.net_benefit)[len(repair.net_benefit) // 2]
    gain = repair.net_benefit[t]
    if gain.estimate == 0 and math.isnan(gain.interval[0]):
        yield f"No forecast crosses {percent(t)}: net benefit there stays as it is."
    elif not math.isnan(gain.interval[0]):
        estimate, low, high = texts(gain, PER)
        sign = "+" if gain.estimate > 0 else ""
        whom = f"{PER:,} {printable(words.cases)}"
        yield f"Net benefit at {percent(t)}: {sign}{estimate} per {whom} ({low} to {high})."


def _by_chance(evaluation: Any, name: str) -> Iterator[str]:
    """Say that the miscalibration in sample is no more than chance, if the test does not reject."""
    tests = adjusted_tests(evaluation)
    if name not in tests or not tests[name].p > 1 - evaluation.level:
        return
    parts = evaluation.parts[name][evaluation.primary]
    if not math.isnan(parts.miscalibration):
        yield (
            f"A miscalibration of {say.few(parts.miscalibration)}, in sample, is what so many "
            "cases show by chance."
        )


# What one would do without a model, and what that is called in an evaluation.
DONE = {"treat all": "acting every time", "treat none": "never acting"}


def baseline(evaluation: Any, standing: ModelStanding) -> Iterator[str]:
    """Say which of several models are better than none, and what would have been better."""
    if len(standing.models) > 1:
        for kind in _headline.AGAINST_NONE:
            names = [name for name in standing.order if standing.against_none(name) == kind]
            if names:
                yield _headline.against_none(standing, names)
    rule, parts = evaluation.primary, evaluation.decompositions
    for name, done in DONE.items():
        if name in evaluation.baselines:
            score = evaluation.baselines[name][rule].score
            worse = [model for model in standing.models if score < parts[model][rule].score]
            if worse:
                yield f"By the score alone, {done} would have been better than {listed(worse)}."


# Numbers of expected events below this are told with a fraction.
FEW = 10


class Chance(NamedTuple):
    """A p-value, and whether it is a bound."""

    p: float
    is_bound: bool

    @property
    def text(self) -> str:
        """The p-value with its sign."""
        return say.chance(self.p, is_bound=self.is_bound)


def calibration(evaluation: Any, words: say.Nouns) -> Iterator[str]:
    """Say which models are miscalibrated and how, and of which that cannot be shown."""
    alpha, p_values = 1 - evaluation.level, adjusted_tests(evaluation)
    shown = {name: x for name, x in p_values.items() if x.p <= alpha}
    summaries = evaluation.calibration or {}
    for name, x in shown.items():
        if name in summaries:
            claim = f"{printable(name)} is miscalibrated ({_chances([x], len(p_values))})"
            yield f"{claim}{_how(evaluation, name, words)}."
    # Of classes, no number says in a word in which way.
    rest = {name: x for name, x in shown.items() if name not in summaries}
    if rest:
        be = "is" if len(rest) == 1 else "are"
        yield f"{listed(rest)} {be} miscalibrated ({_chances([*rest.values()], len(p_values))})."
    not_shown = {name: x for name, x in p_values.items() if x.p > alpha}
    if not_shown:
        they = "it is" if len(not_shown) == 1 else "they are"
        tested = _chances([*not_shown.values()], len(p_values))
        claim = f"No miscalibration can be shown for {listed(not_shown)} ({tested})"
        yield f"{claim}. That is not to say that {they} calibrated."
    for name in not_shown:
        if name in summaries and is_off(summaries[name]):
            yield f"By itself, {' and '.join(_off(summaries[name]))} of {printable(name)} is not 1."
    yield from _untested(evaluation, p_values)


def adjusted_tests(evaluation: Any) -> dict[str, Chance]:
    """Return the p-value of each calibration test, adjusted for the number of models."""
    tests = evaluation.calibration_tests
    p = np.array([test.p_value for test in tests.values()], dtype=float)
    is_bound = holm_bounds(p, np.array([test.p_is_bound for test in tests.values()], dtype=bool))
    pairs = zip(holm(p).tolist(), is_bound.tolist(), strict=True)
    return dict(zip(tests, (Chance(*pair) for pair in pairs), strict=True))


def is_off(summary: CalibrationSummary) -> bool:
    """Return whether an interval of slope or observed over expected leaves out 1."""
    return any(_off(summary))


def _off(summary: CalibrationSummary) -> Iterator[str]:
    """Write those of the two numbers whose intervals leave out 1."""
    (low, high), ratio = summary.slope.interval, summary.observed_expected
    if low > 1 or high < 1:
        yield f"the slope ({_slope(summary)})"
    low, high = ratio.interval
    if low > 1 or high < 1:
        value, ends = _factor(ratio.value, (low, high))
        value = value.removesuffix(" times as often")
        yield f"the ratio of observed to expected events ({value}, {say.sure(ratio.level)} {ends})"


def _chances(p_values: list[Chance], tests: int) -> str:
    """Write p-values, of many only the extremes, and what they allow for."""
    several = f", adjusted for {counted(tests)} models" if tests > 1 else ""
    if len(p_values) > NAMED:
        least, most = min(p_values), max(p_values)
        # All are at most a bound that is the greatest.
        up_to = "" if most.is_bound else f"{least.text} to "
        return f"p {up_to}{most.text.removeprefix('= ')}{several}"
    return f"p {say.chances(x.text for x in p_values)}{several}"


def _how(evaluation: Any, name: str, words: say.Nouns) -> str:
    """Say in which way forecasts are off, as far as intervals tell."""
    summary = evaluation.calibration[name]
    # Of cases with weights there are shares, and no numbers.
    total = math.nan if say.is_weighted(evaluation) else evaluation.total
    ways = [*_overall(summary, total, words), *_spread(summary)]
    text = f". Its forecasts are {'. They are '.join(ways)}" if ways else ""
    if ways and math.isfinite(summary.slope.value):
        return text
    return f"{text}{_curve(summary, evaluation.reliability.get(name))}"


def _overall(summary: CalibrationSummary, total: float, words: say.Nouns) -> Iterator[str]:
    """Say whether forecasts are too high or too low on average, with the numbers."""
    ratio = summary.observed_expected
    low, high = ratio.interval
    expected, observed = _often(summary, total, words)
    counts = f"expecting {words.event} {expected} where it happened {observed}"
    level = say.sure(ratio.level)
    if low > 1:
        often, around = _factor(ratio.value, (low, high))
        yield f"too low overall, {counts}, {often} as expected ({level} {around})"
    elif high < 1 and low > 0:
        often, around = _factor(1 / ratio.value, (1 / high, 1 / low))
        yield f"too high overall, {counts}, {often} ({level} {around})"
    elif high < 1:
        yield f"too high overall, {counts}"


def _factor(value: float, ends: tuple[float, float]) -> tuple[str, str]:
    """Write a factor, and its interval, with the digits that tell them from 1."""
    digits = say.digits_apart((1.0, *ends), 3)
    return f"{say.few(value, digits)} times as often", say.ends_of(ends, digits)


def _often(summary: CalibrationSummary, total: float, words: say.Nouns) -> tuple[str, str]:
    """Write how often the event was expected and happened; with weights, as shares."""
    rates = summary.mean_forecast, summary.event_rate
    if math.isnan(total):
        said, happened = (percent(rate, 2) for rate in rates)
        return f"in {said} of {words.cases}", f"in {happened}"
    expected, observed = (rate * total for rate in rates)
    counted_exactly = say.times(expected) if expected >= FEW else f"{say.few(expected)} times"
    return counted_exactly, say.times(observed)


def _spread(summary: CalibrationSummary) -> Iterator[str]:
    """Say whether forecasts are too extreme, or not extreme enough."""
    (low, high), slope = summary.slope.interval, f"slope {_slope(summary)}"
    if high < 0:
        yield f"the wrong way round, higher where it happened less often ({slope})"
    elif high < 1:
        yield f"too extreme, the high ones too high and the low ones too low ({slope})"
    if low > 1:
        yield f"not extreme enough ({slope})"


def _slope(summary: CalibrationSummary) -> str:
    """Write a slope with its interval, and how many forecasts it leaves out."""
    low, high = summary.slope.interval
    digits = say.digits_apart((1.0, low, high), 3)
    value, ends = say.few(summary.slope.value, digits), say.ends_of((low, high), digits)
    without = f", without {many(summary.certain, 'forecast')} of 0 or 1" if summary.certain else ""
    return f"{value}, {say.sure(summary.slope.level)} {ends}{without}"


def _curve(summary: CalibrationSummary, curve: Reliability | None) -> str:
    """Say that mean and slope do not show the shape, and where the curve leaves its band."""
    known = math.isfinite(summary.slope.value)
    why = "Neither its mean nor its slope shows in which way" if known else "It has no slope"
    band = None if curve is None else curve.band
    places = [] if curve is None or band is None else [*_outside(curve, band)]
    if band is None or not places:
        return f". {why}; see its reliability diagram"
    # The band is pointwise: it describes a miscalibration that the test has shown.
    level = f"{100 * band.level:g} % band of calibrated forecasts"
    return f". {why}: its reliability curve lies {listed(places)} the {level}"


def _outside(curve: Reliability, band: Band) -> Iterator[str]:
    """Name the forecasts at which the curve lies above its band, or below."""
    rate = curve.at(band.x)
    for side, out in (("above", rate > band.upper), ("below", rate < band.lower)):
        if out.any():
            ends = [(float(f"{a:.2g}"), float(f"{b:.2g}")) for a, b in say.runs(band.x, out)]
            yield f"at forecasts of {say.stretches(ends)} {side}"


def _untested(evaluation: Any, p_values: dict[str, Chance]) -> Iterator[str]:
    """Say which models were not tested and why, and whether draws were too few."""
    from properly.calibration._statistics import why_untested

    missing = [name for name, x in p_values.items() if math.isnan(x.p)]
    reasons = {name: why_untested(evaluation.calibration_tests[name]) for name in missing}
    for reason in dict.fromkeys(reasons.values()):
        names = [name for name in missing if reasons[name] == reason]
        why = f"was not tested: {reason}" if reason else "could not be tested"
        yield f"The calibration of {listed(names)} {why}.{_slopes(evaluation, names)}"
    tests = evaluation.calibration_tests.values()
    draws = [test.replicates for test in tests if test.method == "Monte Carlo"]
    if draws and len(p_values) / (1 + min(draws)) > 1 - evaluation.level:
        be = "draw is" if min(draws) == 1 else "draws are"
        few_draws = f"{min(draws):,} random {be} too few to show miscalibration"
        yield f"{few_draws} of {counted(len(p_values))} models; take more."


def _slopes(evaluation: Any, names: list[str]) -> str:
    """Write the slopes of models that were not tested."""
    summaries = {name: (evaluation.calibration or {}).get(name) for name in names[:NAMED]}
    slopes = [
        f"{printable(name)} {_slope(x)}"
        for name, x in summaries.items()
        if x is not None and math.isfinite(x.slope.value)
    ]
    return f" Calibration slopes: {'; '.join(slopes)}." if slopes else ""


# One acts if the forecast is not below the threshold, which is above 0: never on 0, always on 1.
NEVER = "no threshold above zero, however low, would have raised an alarm"
ALWAYS = "every threshold, however high, would have raised an alarm"


def certain(evaluation: Any, words: say.Nouns) -> Iterator[str]:
    """Explain infinite scores with the data's own numbers."""
    if evaluation.certain is None:
        yield from _impossible(evaluation, words)
        return
    weighted = say.is_weighted(evaluation)
    for name, counts in evaluation.certain.items():
        kinds = {
            f"impossible, and it happened: {NEVER}": counts.never_wrong,
            f"certain, and it did not happen: {ALWAYS}": counts.always_wrong,
        }
        wrong = [
            f"For {_some(cases, words, weighted=weighted)}, {printable(name)} had called "
            f"{words.event} {what}"
            for what, cases in kinds.items()
            if cases > 0
        ]
        if wrong:
            yield f"{'. '.join(wrong)}. Its log score is infinite."


def _impossible(evaluation: Any, words: say.Nouns) -> Iterator[str]:
    """Say which models gave what happened a probability of zero."""
    for name, by_rule in evaluation.scores.items():
        infinite = {rule: x.infinite_cases for rule, x in by_rule.items() if x.infinite_cases}
        if not infinite:
            continue
        scores = listed(SCORE_WORDS.get(rule, f"{rule} score") for rule in infinite)
        be = "is" if len(infinite) == 1 else "are"
        whom = f"For {_some(max(infinite.values()), words)}, {printable(name)}"
        yield f"{whom} had called impossible what then happened: its {scores} {be} infinite."


def _some(cases: float, words: say.Nouns, *, weighted: bool = False) -> str:
    """Count cases by a word that is only known in the plural; weights count nothing."""
    if weighted or isinstance(cases, float):
        return f"{words.cases} of a total weight of {cases:,.4g}"
    return f"one of the {words.cases}" if cases == 1 else f"{cases:,} {words.cases}"


def groups(evaluation: Any, standing: ModelStanding) -> Iterator[str]:
    """Say for which group each model that one might use is worst, if that can be shown."""
    splits = {name: evaluation.groups[name] for name in standing.top if name in evaluation.groups}
    alike = []
    for name, split in splits.items():
        # A single group that was tested may differ from the rest, although it is not the worst.
        worst = find_worst(split, "score", least=1)
        if worst is not None and is_worse(worst):
            yield _worst(split, printable(name), worst)
        elif worst is not None:
            alike.append(name)
        yield from _miscalibrated(split, printable(name))
    if alike:
        yield _no_difference([splits[name] for name in alike], alike)
    yield from _too_small(splits)


def is_worse(worst: WorstGroup) -> bool:
    """Return whether a group is worse than the rest, adjusted for all groups."""
    low, high = worst.simultaneous
    return worst.difference * (1 if worst.measure == "score" else -1) > 0 and not low <= 0 <= high


def _worst(split: Groups, model: str, worst: WorstGroup) -> str:
    """Name the group with the worst score, and say whether the skill is lower there too."""
    low, high = worst.simultaneous
    level = f"({100 * worst.level:g} % simultaneous interval {say.few(low)} to {say.few(high)})"
    name, g = printable(worst.name), split.name.index(worst.name)
    other = f"'{printable(split.name[1 - g])}'" if len(split.name) == 2 else "the rest"
    if len(split.name) == 2 or worst.groups == 1:
        claim = f"{model} performs worse for '{name}' than for {other}"
    else:
        among = f"Among the {counted(worst.groups)} groups tested"
        claim = f"{among}, {model} performs worst for '{name}'"
    size = f"its score is {say.few(worst.difference)} worse than for {other} {level}"
    return f"{claim}: {size}. {_skill_there(split, g, model)}"


def _skill_there(split: Groups, g: int, model: str) -> str:
    """Say whether a group that scores worse has a lower skill as well, if that was tested."""
    harder = f"Cases there may be harder for any model: the skill of {model}"
    ends = split.measures["skill"].simultaneous[g] if "skill" in split.measures else [math.nan]
    if math.isnan(ends[0]):
        return f"{harder} was not tested."
    if ends[1] < 0:
        return f"The skill of {model} is lower there too."
    lowest = find_worst(split, "skill")
    if lowest is not None and is_worse(lowest):
        return f"The skill of {model} is lowest for '{printable(lowest.name)}'."
    return f"{harder} is not significantly lower."


def _no_difference(splits: list[Groups], names: list[str]) -> str:
    """Say that groups may be alike, with the test of whether they are."""
    # Two groups have one difference, whose test and interval agree.
    p = [
        float(split.p_value[0]) if len(split.name) == 2 else split.homogeneity.p_value
        for split in splits
    ]
    is_tested = not any(map(math.isnan, p)) and len(p) <= NAMED
    tested = (
        f" (test of no difference at all: p {say.chances(map(say.chance, p))})" if is_tested else ""
    )
    differ = is_tested and any(x <= 1 - split.level for x, split in zip(p, splits, strict=True))
    which = "No single group" if differ else "No group"
    return f"{which} can be shown to be worse than the rest for {listed(names)}{tested}."


def _miscalibrated(split: Groups, model: str) -> Iterator[str]:
    """Name the groups within which forecasts are miscalibrated."""
    if split.calibration is None:
        return
    p_values = zip(split.name, split.calibration.adjusted_p_value.tolist(), strict=True)
    names = [f"'{printable(name)}'" for name, p in p_values if p <= 1 - split.level]
    if names:
        yield f"{model} is miscalibrated within {listed(names)}."


def _too_small(splits: dict[str, Groups]) -> Iterator[str]:
    """Name the groups that are too small, by model where models expect different numbers."""
    small = {}
    for name, split in splits.items():
        pairs = zip(split.name, split.enough.tolist(), strict=True)
        small[name] = [f"'{printable(group)}'" for group, enough in pairs if not enough]
    alike = len({tuple(names) for names in small.values()}) == 1
    for name, names in list(small.items())[: 1 if alike else None]:
        if names:
            yield f"Too small to test{'' if alike else f' for {printable(name)}'}: {listed(names)}."


# What every score at thresholds assumes.
SCALE = "Forecasts are taken as probabilities: thresholds are risks at which one begins to act."
# A smaller share of the thresholds is not worth a sentence.
NOTABLE = 0.05


def thresholds(evaluation: Any, standing: ModelStanding) -> Iterator[str]:
    """Say where the best is better than the next, and where another is better than the best."""
    if len(standing.order) < 2:
        return
    best, rival, *others = standing.models
    # The best is the first of each pair.
    bands: dict[tuple[str, str], Dominance] = evaluation.dominances or {}
    found = bands.get((best, rival))
    if found is not None and (found.better or found.worse):
        yield _of_two(found, printable(best), printable(rival))
    for name in others:
        other = bands.get((best, name))
        if other is not None and other.worse:
            at = say.at_thresholds(other.worse)
            yield f"{printable(name)} is better than {printable(best)} {at}{_confidence(other)}."


def _of_two(band: Dominance, best: str, rival: str) -> str:
    better, worse, ends = band.better, band.worse, band.threshold[[0, -1]].tolist()
    low, high = map(percent, ends)
    if better == [tuple(ends)]:
        every = f"at every threshold that was looked at, from {low} to {high}"
        return f"{best} is better than {rival} {every}{_confidence(band)}."
    if not better:
        return f"{rival} is better than {best} {say.at_thresholds(worse)}{_confidence(band)}."
    claim = f"{best} is better than {rival} {say.at_thresholds(better)}"
    if worse:
        return f"{claim} and worse at {say.stretches(worse)}{_confidence(band)}."
    return f"{claim}{_confidence(band)}. From {low} to {high}, it is nowhere shown to be worse."


def _confidence(band: Dominance) -> str:
    return f" ({100 * band.level:g} % confidence for all thresholds at once)"


def too_few(evaluation: Any, standing: ModelStanding, words: say.Nouns) -> Iterator[str]:
    """Say at which thresholds too little is known to compare the best with the next."""
    if len(standing.order) < 2:
        return
    best, rival = standing.order[:2]
    band = (evaluation.dominances or {}).get((best, rival))
    differ = standing.pair(best, rival).differing > 0 and not standing.is_constant(best, rival)
    lacks = np.isnan(band.upper) if band is not None and differ else np.zeros(1, dtype=bool)
    if band is not None and lacks.mean() >= NOTABLE:
        unknown = say.runs(band.threshold, lacks)
        at = say.at_thresholds(unknown).capitalize()
        if lacks.all():
            at = "At every threshold"
        elif len(unknown) > 1:
            share = percent(round(float(lacks.mean()), 2))
            at = f"At {share} of the thresholds that were looked at"
        names = [f"{name}s" for name in ("cluster", "time") if name in evaluation.design]
        allowing = f", allowing for {' and '.join(names)}," if names else ""
        both = f"{printable(best)} and {printable(rival)}{allowing}"
        yield f"{at}, too few {words.cases} are judged differently by {both} to compare them there."


# Fewer cases say nothing about how many it would take.
ENOUGH = 20
# Models that the best is to be told from, the next best first.
RIVALS = 3
POWER = 0.8


def unknown(evaluation: Any, standing: ModelStanding, words: say.Nouns) -> Iterator[str]:
    """Say what it would take to tell models apart, and what the evaluation warned of."""
    reachable = open_pairs(standing)
    if reachable and standing.comparison is not None:
        number, first = reachable[0]
        more = [f"{x} from {name}" for x, name in reachable[1:]]
        models = listed([f"{printable(standing.top[0])} from {first}", *more])
        alone = ", unadjusted" if len(standing.comparison) > 1 else ""
        yield (
            f"It would take more than {number} {words.cases} to distinguish {models} "
            f"({100 * POWER:g} % power{alone}). No upper limit can be given."
        )
    # Few events, few clusters and what could not be had are among the notes.
    yield from map(say.finished, evaluation.notes)


def open_pairs(standing: ModelStanding) -> list[tuple[str, str]]:
    """Return which models the best is not told apart from, and the least cases that would do it.

    That is the number for the end of the interval that is farther from zero, and no fewer than
    there are. As the interval holds zero there is no upper limit, and the difference that was found
    says next to nothing: its number of cases is off by any factor.
    """
    compared, (best, *tied) = standing.comparison, standing.top[: 1 + RIVALS] or ("",)
    if compared is None or compared.cases < ENOUGH:
        return []
    found, places = [], [*map(set, compared.pairs)]
    for name in tied:
        pair = standing.pair(best, name)
        if pair.standard_error > 0:
            far = max(map(abs, pair.interval))
            needed = compared.cases_needed(POWER, far)[places.index({best, name})]
            found.append((say.rounded_down(max(needed, compared.cases)), printable(name)))
    return found
