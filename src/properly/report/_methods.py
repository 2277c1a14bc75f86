"""Methods, in words to paste into a paper, and which items of guidelines the page answers."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from properly import __version__
from properly._boundary._text import listed, many, percent, printable
from properly.comparison._gaps import ASSUMES
from properly.comparison._leaderboard_record import Leaderboard
from properly.errors import ArgumentTypeError
from properly.evaluation._record import Evaluation
from properly.recalibration._sentences import folds_in_words
from properly.report._page_words import page_words
from properly.report._reliability_chart import allows_for_time
from properly.rules._parse import rule_in_words
from properly.rules._registry import SCORE_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator


MAX_T = ", with simultaneous intervals and adjusted p-values by the single-step max-t method"
STRATOS = (
    "Essential measures and plots of STRATOS topic group 6 (Van Calster B, Collins GS, Vickers AJ, "
    "et al. 2024, arXiv:2412.10288)"
)
TRIPOD = "TRIPOD+AI (Collins GS, Moons KGM, Dhiman P, et al. BMJ 2024;385:e078378)"


MAKE = "make one with properly.evaluate(y, forecasts), or properly.leaderboard(answers)."


class Item(NamedTuple):
    """An item of a guideline, the place on the page that answers it, and the guideline."""

    what: str
    anchor: str
    guideline: str


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
    text = " ".join(_cite(words, keys, cited) for words, *keys in sentences)
    if not cited:
        return text
    references = page_words()["references"] | page_words()["references_of_boards"]
    numbered = (f"{k}. {references[key]}" for k, key in enumerate(cited, 1))
    return "\n".join([text, "", "References", *numbered])


def _cite(words: str, keys: list[str], cited: list[str]) -> str:
    """Put the numbers of references before the full stop."""
    cited += [key for key in keys if key not in cited]
    numbers = ", ".join(str(cited.index(key) + 1) for key in keys)
    return f"{words} [{numbers}]." if keys else f"{words}."


def _claim(words: str, *cited: str) -> tuple[str, ...]:
    """Say something without a full stop, and what to cite for it."""
    return words, *cited


def _models(evaluation: Evaluation) -> str:
    names = evaluation.models
    return f"{many(len(names), 'model')} ({listed(names)})"


def _scores(evaluation: Evaluation) -> Iterator[tuple[str, ...]]:
    rules = sorted(evaluation.rules, key=lambda rule: rule.name != evaluation.primary)
    first, *others = (rule_in_words(rule) for rule in rules)
    words = f"Overall performance was measured by the {first}"
    if others:
        words += f", and then by the {listed(others)}"
    keys = [_reference(rule) for rule in rules]
    yield _claim(f"{words}; lower is better", *dict.fromkeys(key for key in keys if key))
    if evaluation.reliability:
        yield _claim(
            "Scores were split into miscalibration, discrimination and uncertainty by isotonic "
            "recalibration (CORP)",
            "corp",
        )


def _reference(rule: object) -> str:
    """Return what to cite for a rule, as far as there is something."""
    text = repr(rule)
    if "Interval" in text:
        return "regret"
    return next(
        (key for word, key in {"Brier(": "brier", "Log(": "log"}.items() if word in text), ""
    )


def _of_event(evaluation: Evaluation, cases: str, event: str) -> Iterator[tuple[str, ...]]:
    weighted = " by weight" if evaluation.total != evaluation.rows else ""
    rate = f"{100 * evaluation.event_rate:.3g} %{weighted}"
    yield _claim(
        f"Forecasts of {printable(event)} by {_models(evaluation)} were evaluated on "
        f"{evaluation.rows:,} {printable(cases)}",
    )
    yield _claim(f"Of these, {evaluation.events:,} had the event ({rate})")
    yield from _scores(evaluation)
    yield from _calibration(evaluation)
    if evaluation.aucs:
        placements = {"clusters": "within clusters", "times": "over times"}
        together = " and ".join(
            x for name, x in placements.items() if name in _dependence(evaluation)
        )
        variance = f"placements summed {together}" if together else "variance"
        yield _claim(
            "Discrimination was measured by the area under the ROC curve (AUC), with DeLong's "
            f"{variance}",
            "delong",
        )
        if evaluation.auc_differences is not None:
            yield _claim("Differences of AUC have its covariance")
        yield _claim("Distributions of forecasts are shown by outcome")
    within = evaluation.within
    where = "all thresholds"
    if within is not None:
        where = f"thresholds from {percent(within.lower)} to {percent(within.upper)}"
    yield _claim(
        "Clinical utility was measured by net benefit, in decision curves, against treating all "
        f"and none, at {where}",
        "decision",
    )
    yield from _at_thresholds(evaluation)


def _calibration(evaluation: Evaluation) -> Iterator[tuple[str, ...]]:
    bands = [x.band for x in evaluation.reliability.values() if x.band is not None]
    around = f", with {100 * bands[0].level:g} % {bands[0].kind} bands" if bands else ""
    yield _claim(f"Calibration is shown by CORP reliability diagrams{around}", "corp")
    if any(map(allows_for_time, evaluation.reliability.values())):
        yield _claim(
            "Dependence in time was allowed for: bands are from draws of dependent outcomes, tests "
            "from a long-run variance by equally weighted cosines"
        )
    if evaluation.calibration:
        summary = next(iter(evaluation.calibration.values()))
        yield _claim(
            "It was summarised by observed over expected events and by the slope of a logistic "
            "recalibration",
            "cox",
        )
        yield _claim(f"The integrated calibration index (ICI) is from a {summary.curve}", "ici")
        yield _claim("That curve is drawn beside the diagrams, with a pointwise band")
    tests = [x for x in evaluation.calibration_tests.values() if not math.isnan(x.p_value)]
    for test in tests[:1]:
        yield _claim(f"The hypothesis of calibration was tested ({test.name} test)")


def _repairs(evaluation: Evaluation) -> Iterator[tuple[str, ...]]:
    """Say how recalibration was judged, if it was tried."""
    for repair in list(evaluation.repairs.values())[:1]:
        gain = repair.result.gain
        chosen = ", and so was the choice of the map" if gain.nested else ""
        yield _claim(f"Recalibration was judged by {folds_in_words(gain)}{chosen}", "folds")
        yield _claim("Upper ends of its intervals allow for folds that share cases", "overlap")


def _of_classes(evaluation: Evaluation, cases: str, event: str) -> Iterator[tuple[str, ...]]:
    del event
    order = "ordered " if evaluation.task == "ordinal" else ""
    yield _claim(
        f"Forecasts of {len(evaluation.labels)} {order}classes by {_models(evaluation)} were "
        f"evaluated on {evaluation.rows:,} {printable(cases)}",
    )
    yield from _scores(evaluation)
    yield _claim("Calibration is shown by CORP reliability diagrams of yes-or-no questions", "corp")


def _at_thresholds(evaluation: Evaluation) -> Iterator[tuple[str, ...]]:
    """Say how intervals at thresholds were found; counts alone have none of clusters."""
    numbers = "Alarms, hits, misses, sensitivity, specificity and predictive values at thresholds"
    together = _dependence(evaluation)
    if evaluation.summed and together:
        yield _claim(f"{numbers} have no intervals")
    else:
        allowing = f", with the design effect of {together}" if together else ""
        yield _claim(f"{numbers} have score intervals{allowing}", "wilson")


def _dependence(evaluation: Evaluation) -> str:
    """Name what makes cases depend on one another; nothing if they are independent."""
    names = [f"{name}s" for name in ("cluster", "time") if name in evaluation.design]
    return " by ".join(names)


def _how_sure(evaluation: Evaluation) -> Iterator[tuple[str, ...]]:
    if evaluation.comparisons:
        several = len(evaluation.comparisons[evaluation.primary]) > 1
        yield _claim(
            f"Models were compared in pairs on the same cases{MAX_T if several else ''}",
            *(["max-t"] if several else []),
        )
    yield from _repairs(evaluation)
    if evaluation.groups:
        yield _claim("Performance was also assessed in groups")
    yield _claim(f"Intervals are at {100 * evaluation.level:g} %, and for {evaluation.design}")
    if evaluation.replicates:
        seed = "" if evaluation.seed is None else f" (seed {evaluation.seed})"
        yield _claim(f"Random draws: {evaluation.replicates:,}{seed}")
    yield _claim(f"Software: properly {__version__} (Python)")


def _of_board(board: Leaderboard) -> Iterator[tuple[str, ...]]:
    names = [x.forecaster for x in board]
    yield _claim(
        f"{many(board.answers, 'forecast')} of {many(board.questions, 'question')} by "
        f"{many(len(names), 'forecaster')} ({listed(names)}) were scored by the "
        f"{SCORE_WORDS.get(board.rule, f'{board.unit} score')}; lower is better",
        *(key for key in ("brier", "log") if key == board.rule),
    )
    if board.missing == "complete":
        yield _claim("Only questions that all forecasters answered were used")
    else:
        yield _claim(
            "Gaps were allowed for by two-way effects: a loss is the effect of its question, plus "
            "that of its forecaster"
        )
        yield _claim("A score is the mean loss had all questions been answered")
    yield from (_claim(note.rstrip(".")) for note in board.notes if note == ASSUMES)
    if re.fullmatch(r"[\d,]+ (questions?|(family|families) of questions)", board.design):
        yield _claim(
            f"Standard errors of differences are clustered ({board.design}), with Bell and "
            "McCaffrey's correction and degrees of freedom",
            *("cluster", "contrast"),
        )
    else:
        yield _claim(f"Standard errors of differences are for {board.design}")
    held = "hold all at once" if board.ranks == "joint" else "hold each by itself"
    yield _claim(f"Ranks have {100 * board.level:g} % intervals, which {held}", "ranks")
    yield _claim(f"Forecasters were compared in pairs{MAX_T}", "max-t")
    yield _claim(
        f"Intervals of scores are at {100 * board.level:g} %, and those of differences hold at once"
    )
    yield _claim(f"Software: properly {__version__} (Python)")


def checklist(evaluation: Evaluation) -> list[Item]:
    """List the items of guidelines that the page of an event answers, with where."""
    if evaluation.task != "binary":
        return []
    items = [
        Item("Discrimination: AUC, with interval", "roc", STRATOS),
        Item("Calibration plot", "reliability", STRATOS),
        Item("Clinical utility: net benefit, with decision curve", "decision", STRATOS),
        Item("Distributions of forecasts by outcome", "risks", STRATOS),
        Item(
            "12e: measures and plots of performance, and how models are compared", "methods", TRIPOD
        ),
        Item("23a: performance with confidence intervals, also in subgroups", "groups", TRIPOD),
    ]
    missing = {
        "roc": not evaluation.aucs,
        "risks": not 0 < evaluation.event_rate < 1,
        "groups": not evaluation.groups,
    }
    return [item for item in items if not missing.get(item.anchor)]


def by_guideline(items: list[Item]) -> dict[str, list[Item]]:
    """Put the items of one guideline together."""
    return {
        name: [x for x in items if x.guideline == name]
        for name in dict.fromkeys(x.guideline for x in items)
    }
