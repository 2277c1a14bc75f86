"""An evaluation in plain sentences, by rules."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from properly._boundary._record import plain
from properly._boundary._text import printable
from properly.errors import ArgumentTypeError
from properly.evaluation._phrases import Words
from properly.evaluation._record import Evaluation
from properly.evaluation._verdict._findings import (
    baseline,
    calibration,
    certain,
    groups,
    thresholds,
    too_few,
    unknown,
)
from properly.evaluation._verdict._headline import choice, headline
from properly.evaluation._verdict._repairs import repairs
from properly.evaluation._verdict._standing import standing_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from properly.evaluation._verdict._standing import Standing

Kind: TypeAlias = Literal[
    "choice", "thresholds", "baseline", "certain", "calibration", "repair", "groups", "unknown"
]
# Letters of a line, and of what stands between brackets in one.
LINE, SHORT_LINE = 88, 70


@dataclass(frozen=True)
class Sentence:
    """Something that is said about models, and what it is about.

    Attributes
    ----------
    kind : str
        ``"choice"``: which model to use. ``"thresholds"``: at which thresholds it is better.
        ``"baseline"``: whether models are better than none. ``"certain"``: what was called
        impossible, and happened. ``"calibration"``: who is miscalibrated, and how. ``"repair"``:
        what recalibration would save. ``"groups"``: for whom a model is worse. ``"unknown"``: what
        cannot be told.
    text : str
        One sentence or a few.

    Examples
    --------
    >>> import properly
    >>> e = properly.evaluate([0, 1, 1, 0], {"model": [0.0, 0.0, 0.5, 0.7]}, replicates=0)
    >>> next(x.text for x in properly.verdict(e).sentences if x.kind == "certain")[:65]
    'For one of the cases, model had called the event impossible, and '
    """

    kind: Kind
    text: str


@dataclass(frozen=True, repr=False)
class Verdict:
    """What an evaluation says, in plain sentences.

    Attributes
    ----------
    headline : str
        What to do, in one short sentence.
    sentences : tuple of Sentence
        All that is to be said, the most important first.

    Examples
    --------
    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> two = {name: crash.forecasts[name] for name in ("logistic", "forest")}
    >>> e = properly.evaluate(crash.died, two, within=(0.01, 0.1), replicates=0, rng=1)
    >>> found = properly.verdict(e, cases="people", event="death")
    >>> found.headline
    'Use logistic for thresholds of 1 % to 10 %: it is better than forest.'
    >>> found
    Verdict('Use logistic for thresholds of 1 % to 10 %: it is better than forest.', 4 sentences)
    """

    headline: str
    sentences: tuple[Sentence, ...]

    def __repr__(self) -> str:
        start = textwrap.shorten(self.headline, SHORT_LINE, placeholder=" ...")
        return f"Verdict({start!r}, {len(self.sentences)} sentences)"

    def __str__(self) -> str:
        """Lay out the headline, and below it one paragraph a sentence."""
        return "\n\n".join(map(_paragraph, [self.headline, *(x.text for x in self.sentences)]))

    def to_dict(self) -> dict[str, Any]:
        """Return headline and sentences as JSON can hold them."""
        record: dict[str, Any] = plain(asdict(self))
        return record


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
    words = Words(_word(cases, "cases"), _word(event, "event"))
    standing = standing_of(evaluation)
    return Verdict(str(headline(standing)), tuple(_sentences(evaluation, standing, words)))


def _paragraph(text: str) -> str:
    """Break a sentence into lines, but not between a number and its percent sign."""
    joined = text.replace(" %", "\u00a0%")
    filled = textwrap.fill(joined, LINE, break_on_hyphens=False, break_long_words=False)
    return filled.replace("\u00a0%", " %")


def _word(word: object, name: str) -> str:
    if not isinstance(word, str) or not word.strip():
        message = f"{name} must be a word or a few; got {word!r}"
        raise ArgumentTypeError(message)
    return printable(word.strip())


def _sentences(evaluation: Evaluation, standing: Standing, words: Words) -> Iterator[Sentence]:
    """Say what there is to say, the most important first."""
    said: dict[Kind, Iterable[str]] = {
        "choice": [choice(standing)],
        "thresholds": thresholds(evaluation, standing),
        "baseline": baseline(evaluation, standing),
        "certain": certain(evaluation, words),
        "calibration": calibration(evaluation, words),
        "repair": repairs(evaluation, words),
        "groups": groups(evaluation, standing),
        "unknown": [
            *too_few(evaluation, standing, words),
            *unknown(evaluation, standing, words),
        ],
    }
    yield from (Sentence(kind, text) for kind, texts in said.items() for text in texts)
