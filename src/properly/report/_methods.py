"""Methods, in words to paste into a paper, and which items of guidelines the page answers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from properly import __version__
from properly._boundary._text import listed, many, percent, printable
from properly.comparison._gaps import ASSUMES
from properly.comparison._leaderboard_record import Leaderboard
from properly.errors import ArgumentTypeError
from properly.evaluation._record import Evaluation
from properly.recalibration._choice import folds_in_words
from properly.report._calibration_charts import allows_for_time
from properly.report._page_words import page_words
from properly.rules._parse import rule_in_words
from properly.rules._registry import SCORE_WORDS, sources_of

# The references of a band, by its kind.
BAND_SOURCES = {"consistency": "broecker", "confidence": "wellner", "simultaneous": "duembgen"}
MAKE = "make one with properly.evaluate(y, forecasts), or properly.leaderboard(answers)."


def methods(
    evaluation: Evaluation | Leaderboard, *, cases: str = "cases", event: str = "the event"
) -> str:
    """Write a methods section to paste into a paper, with references.

    Parameters
    ----------
    evaluation : Evaluation or Leaderboard
        From `properly.evaluate` or `properly.leaderboard`.
    cases, event : str
        What the cases of an evaluation are, such as ``"people"``, and what may happen to them.

    Returns
    -------
    str
        A paragraph; below it, the numbered references that it cites.

    Examples
    --------
    >>> import properly
    >>> e = properly.evaluate([0, 1, 1], {"logistic": [0.1, 0.8, 0.7]}, replicates=0)
    >>> text = properly.report.methods(e, cases="people", event="death")
    >>> print(text.partition(" Of these")[0])
    Forecasts of death by 1 model (logistic) were evaluated on 3 people.
    """
    if isinstance(evaluation, Leaderboard):
        sentences = [*_of_board(evaluation)]
    elif isinstance(evaluation, Evaluation):
        about = _of_event if evaluation.task == "binary" else _of_classes
        sentences = [*about(evaluation, cases, event), *_how_sure(evaluation)]
    else:
        what = type(evaluation).__name__
        message = f"methods are those of an Evaluation or a Leaderboard; got {what}"
        raise ArgumentTypeError(message, hint=MAKE)
    cited: list[str] = []
    said = []
    for words, *keys in sentences:
        # The numbers of references stand before the full stop.
        cited += [key for key in keys if key not in cited]
        numbers = ", ".join(str(cited.index(key) + 1) for key in keys)
        said.append(f"{words} [{numbers}]." if keys else f"{words}.")
    text = " ".join(said)
    numbered = (f"{k}. {reference}" for k, reference in enumerate(references_of(cited), 1))
    return "\n".join([text, "", "References", *numbered])


def references_of(sources: Iterable[str]) -> Iterator[str]:
    """Write the references that rules and sentences name, by key or in full."""
    return (page_words()["references"].get(source, source) for source in sources)


def _claim(key: str, *more: str, **numbers: Any) -> tuple[str, ...]:
    """Say something without a full stop, and what to cite for it."""
    text, *cited = page_words()["methods"][key]
    return text.format(**numbers), *cited, *more


def _models(evaluation: Evaluation) -> str:
    return f"{many(len(evaluation.models), 'model')} ({listed(evaluation.models)})"


def _scores(evaluation: Evaluation) -> Iterator[tuple[str, ...]]:
    rules = sorted(evaluation.rules, key=lambda rule: rule.name != evaluation.primary)
    first, *rest = (rule_in_words(rule) for rule in rules)
    others = f", and then by the {listed(rest)}" if rest else ""
    cited = sources_of(" ".join(map(repr, rules)))
    yield _claim("scores", *cited, first=first, others=others)
    made = {"scale": "regret" in cited, "split": evaluation.reliability, "means": evaluation.means}
    yield from (_claim(key) for key, is_made in made.items() if is_made)


def _of_event(evaluation: Evaluation, cases: str, event: str) -> Iterator[tuple[str, ...]]:
    data = {"models": _models(evaluation), "rows": evaluation.rows, "cases": printable(cases)}
    weighted = " by weight" if evaluation.total != evaluation.rows else ""
    rate = 100 * evaluation.event_rate
    yield _claim("event", event=printable(event), **data)
    yield _claim("rate", events=evaluation.events, rate=rate, weighted=weighted)
    yield from _scores(evaluation)
    yield from _calibration(evaluation)
    if evaluation.aucs:
        placements = {"clusters": "within clusters", "times": "over times"}
        allowed = [x for name, x in placements.items() if name in _dependence(evaluation)]
        variance = f"placements summed {' and '.join(allowed)}" if allowed else "variance"
        yield _claim("auc", variance=variance)
        if evaluation.auc_differences is not None:
            yield _claim("auc_differences")
        yield _claim("risks")
    within, where = evaluation.within, "all thresholds"
    if within is not None:
        where = f"thresholds from {percent(within.lower)} to {percent(within.upper)}"
    yield _claim("utility", where=where)
    # Counts alone have no intervals of clusters.
    together = _dependence(evaluation)
    if evaluation.summed and together:
        yield _claim("thresholds", what="no intervals")
    else:
        allowing = f", with the design effect of {together}" if together else ""
        yield _claim("thresholds", "wilson", what=f"score intervals{allowing}")


def _calibration(evaluation: Evaluation) -> Iterator[tuple[str, ...]]:
    bands = [x.band for x in evaluation.reliability.values() if x.band is not None]
    around = f", with {100 * bands[0].level:g} % {bands[0].kind} bands" if bands else ""
    yield _claim("reliability", *(BAND_SOURCES[x.kind] for x in bands[:1]), around=around)
    if any(map(allows_for_time, evaluation.reliability.values())):
        yield _claim("times")
    if evaluation.calibration:
        yield _claim("slope")
        yield _claim("ici", curve=next(iter(evaluation.calibration.values())).curve)
        yield _claim("smooth")
    tests = [x for x in evaluation.calibration_tests.values() if not math.isnan(x.p_value)]
    for test in tests[:1]:
        yield _claim("test", name=test.name)


def _of_classes(evaluation: Evaluation, cases: str, event: str) -> Iterator[tuple[str, ...]]:
    del event
    data = {"models": _models(evaluation), "rows": evaluation.rows, "cases": printable(cases)}
    order = "ordered " if evaluation.task == "ordinal" else ""
    yield _claim("classes", classes=len(evaluation.labels), order=order, **data)
    yield from _scores(evaluation)
    if evaluation.task == "ordinal":
        yield _claim("decisions")
    yield _claim("reliability", around=" of yes-or-no questions")


def _dependence(evaluation: Evaluation) -> str:
    """Name what makes cases depend on one another; nothing if they are independent."""
    names = [f"{name}s" for name in ("cluster", "time") if name in evaluation.design]
    return " by ".join(names)


def _how_sure(evaluation: Evaluation) -> Iterator[tuple[str, ...]]:
    if evaluation.comparisons:
        several = len(evaluation.comparisons[evaluation.primary]) > 1
        yield _claim("compared", *["max-t"] * several, max_t=_max_t() * several)
    for repair in list(evaluation.repairs.values())[:1]:
        gain = repair.result.gain
        chosen = ", and so was the choice of the map" if gain.nested else ""
        yield _claim("repair", folds=folds_in_words(gain), chosen=chosen)
        yield _claim("overlap")
    if evaluation.groups:
        yield _claim("groups")
    yield _claim("intervals", level=f"{100 * evaluation.level:g} %", design=evaluation.design)
    if evaluation.replicates:
        seed = "" if evaluation.seed is None else f" (seed {evaluation.seed})"
        yield _claim("draws", replicates=evaluation.replicates, seed=seed)
    yield _claim("software", version=__version__)


def _max_t() -> str:
    return f", {_claim('max_t')[0]}"


def score_of_board(board: Leaderboard) -> str:
    """Name the score of a board."""
    return SCORE_WORDS.get(board.rule, f"{board.unit} score")


def _of_board(board: Leaderboard) -> Iterator[tuple[str, ...]]:
    level, names = f"{100 * board.level:g} %", [x.forecaster for x in board]
    numbers = {
        "answers": many(board.answers, "forecast"),
        "questions": many(board.questions, "question"),
        "forecasters": many(len(names), "forecaster"),
    }
    score = score_of_board(board)
    yield _claim("board", *sources_of(board.unit), names=listed(names), score=score, **numbers)
    yield from map(_claim, ["complete"] if board.missing == "complete" else ["gaps", "two_way"])
    yield from ((note.rstrip("."),) for note in board.notes if note == ASSUMES)
    families = r"[\d,]+ (questions?|(family|families) of questions)"
    is_clustered = re.fullmatch(families, board.design)
    yield _claim("clustered" if is_clustered else "errors", design=board.design)
    yield _claim("ranks", level=level)
    yield _claim("pairs", max_t=_max_t())
    yield _claim("at_once", level=level)
    yield _claim("software", version=__version__)


def checklist(evaluation: Evaluation) -> dict[str, list[dict[str, str]]]:
    """List the items of each guideline that the page of an event answers, with where."""
    if evaluation.task != "binary":
        return {}
    missing = {
        "roc": not evaluation.aucs,
        "risks": not 0 < evaluation.event_rate < 1,
        "groups": not evaluation.groups,
    }
    return {
        guideline["name"]: [x for x in guideline["items"] if not missing.get(x["anchor"])]
        for guideline in page_words()["guidelines"]
    }
