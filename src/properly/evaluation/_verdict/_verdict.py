"""An evaluation in plain sentences, by rules."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from properly._boundary._text import listed, percent, printable
from properly.errors import ArgumentTypeError
from properly.evaluation._phrases import Kind, Nouns, Sentence, Verdict, few
from properly.evaluation._record import Evaluation
from properly.evaluation._verdict import _findings
from properly.evaluation._verdict._headline import choice, headline, standing_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from properly.evaluation._repair import Repair
    from properly.evaluation._verdict._headline import ModelStanding


def verdict(evaluation: Evaluation, *, cases: str = "cases", event: str = "the event") -> Verdict:
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
      simultaneous band of their difference lies on its side of 0.
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
    logistic and forest are better than no model. They save 54 % (95 % interval 50 % to
    58 %) and 38 % (33 % to 43 %) of its loss.
    <BLANKLINE>
    For 48 people, forest had called death impossible, and it happened: no threshold above
    zero, however low, would have raised an alarm. Its log score is infinite.
    """
    if not isinstance(evaluation, Evaluation):
        message = f"a verdict is about an Evaluation; got {type(evaluation).__name__}"
        raise ArgumentTypeError(message, hint="make one with properly.evaluate(y, forecasts).")
    words = Nouns(_word(cases, "cases"), _word(event, "event"))
    standing = standing_of(evaluation)
    return Verdict(str(headline(standing)), tuple(_sentences(evaluation, standing, words)))


def _word(word: object, name: str) -> str:
    if not isinstance(word, str) or not word.strip():
        message = f"{name} must be a word or a few; got {word!r}"
        raise ArgumentTypeError(message)
    return printable(word.strip())


def _sentences(evaluation: Evaluation, standing: ModelStanding, words: Nouns) -> Iterator[Sentence]:
    """Say what there is to say, the most important first."""
    said: dict[Kind, Iterable[str]] = {
        "choice": [choice(standing)],
        "thresholds": _findings.thresholds(evaluation, standing),
        "baseline": _findings.baseline(evaluation, standing),
        "certain": _findings.certain(evaluation, words),
        "calibration": _findings.calibration(evaluation, words),
        "repair": repairs(evaluation, words),
        "groups": _findings.groups(evaluation, standing),
        "unknown": [
            *_findings.too_few(evaluation, standing, words),
            *_findings.unknown(evaluation, standing, words),
        ],
    }
    yield from (Sentence(kind, text) for kind, texts in said.items() for text in texts)


# Of more models of which nothing helps, none has a sentence of its own.
ALONE = 2
PER = 1000


def repairs(evaluation: Any, words: Nouns) -> Iterator[str]:
    """Say which models recalibration would help, by how much, and how that was found."""
    tried: dict[str, Repair] = evaluation.repairs
    if not tried:
        return
    from properly.recalibration._sentences import folds_in_words

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


def _benefit(repair: Repair, words: Nouns) -> Iterator[str]:
    """Say what it would add to the net benefit, at the threshold in the middle."""
    if not repair.net_benefit:
        return
    from properly.recalibration._sentences import texts

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
    tests = _findings.adjusted_tests(evaluation)
    if name not in tests or not tests[name].p > 1 - evaluation.level:
        return
    parts = evaluation.parts[name][evaluation.primary]
    if not math.isnan(parts.miscalibration):
        yield (
            f"A miscalibration of {few(parts.miscalibration)}, in sample, is what so many "
            "cases show by chance."
        )
