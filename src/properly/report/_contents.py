"""What stands on the page, in order: the verdict, tables, charts and the fine print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypedDict

from properly import __version__
from properly._boundary._chunks import one_blas_thread, share_out
from properly._boundary._text import printable
from properly.evaluation._phrases import begun
from properly.evaluation._verdict._headline import Headline, headline, standing_of
from properly.evaluation._verdict._verdict import verdict
from properly.report._chart import MOST_MODELS, drawn_models, drawn_part, inks_of
from properly.report._class_charts import class_scores_chart, confusion_chart, retention_chart
from properly.report._contrast_charts import groups_chart, matrix_chart, time_chart
from properly.report._decision_chart import decision_chart
from properly.report._discrimination_charts import risks_chart, roc_chart
from properly.report._evidence_chart import evidence_chart
from properly.report._first_screen import first_screen
from properly.report._methods import by_guideline, checklist, methods
from properly.report._people import people
from properly.report._regret_chart import RANKING, regret_chart
from properly.report._reliability_chart import reliability_chart
from properly.report._repair_charts import curves_chart, gains_chart, savings_chart
from properly.report._score_parts_charts import plane_chart, source_chart
from properly.report._score_tables import (
    fine_print,
    python_call,
    remarks,
    score_tables,
    worst_lead,
    worst_tables,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from properly.evaluation import Monitor
    from properly.evaluation._phrases import Sentence
    from properly.evaluation._record import Evaluation
    from properly.report._chart import Chart


class Section(NamedTuple):
    """A question that charts answer; some of them are folded."""

    anchor: str
    title: str
    charts: tuple[str, ...]
    folded: tuple[str, ...] = ()


Draw: TypeAlias = "Callable[[Any], Chart | None]"
OF_AN_EVENT: tuple[Draw, ...] = (
    regret_chart,
    reliability_chart,
    curves_chart,
    savings_chart,
    plane_chart,
    decision_chart,
    roc_chart,
    risks_chart,
    matrix_chart,
    groups_chart,
    time_chart,
    source_chart,
)
OF_CLASSES: tuple[Draw, ...] = (
    reliability_chart,
    class_scores_chart,
    gains_chart,
    confusion_chart,
    retention_chart,
    matrix_chart,
    groups_chart,
    time_chart,
)
SECTIONS = (
    Section("thresholds", "Thresholds", ("regret",)),
    Section("calibration", "Calibration", ("reliability", "class-scores"), ("plane", "source")),
    Section("repair", "Repair", ("repair-curves", "repair-gains", "repair-regret")),
    Section("decisions", "Decisions", ("decision", "confusion", "retention")),
    Section("rank", "Ranking", ("roc", "risks")),
    Section("comparison", "Comparison", ("comparisons",)),
    Section("by-group", "Groups", ("groups",)),
    Section("over-time", "Time", ("time",)),
    Section("monitor", "Evidence over time", ("evidence",)),
)
# What each kind of sentence is about, in the order of the page.
KINDS = {
    "choice": "Which model",
    "certain": "Certain, and wrong",
    "baseline": "Against no model",
    "calibration": "Calibration",
    "repair": "Can it be repaired?",
    "thresholds": "At which thresholds",
    "groups": "Groups",
    "unknown": "What cannot be told",
}
# Of more models, comparisons are left to Python.
MOST_COMPARED = 15
TITLE = "How good are these forecasts?"


def charts_of(evaluation: Evaluation) -> list[Chart]:
    """Draw what there is to draw of models that are drawn, several charts side by side."""
    kinds = OF_AN_EVENT if evaluation.task == "binary" else OF_CLASSES
    charts = share_out(lambda draw: draw(evaluation), kinds, 2)
    return [chart for chart in charts if chart is not None]


class PagePart(NamedTuple):
    """A section of the page with its charts."""

    anchor: str
    title: str
    charts: list[Chart]
    folded: list[Chart]


def parts_of(charts: Iterable[Chart]) -> list[PagePart]:
    """Put charts into the sections that they belong to; what has none is left out."""
    by_name = {chart.name: chart for chart in charts}
    every = [
        PagePart(
            section.anchor,
            section.title,
            [by_name[name] for name in section.charts if name in by_name],
            [by_name[name] for name in section.folded if name in by_name],
        )
        for section in SECTIONS
    ]
    return [part for part in every if part.charts or part.folded]


class UserWords(TypedDict):
    """What users call things."""

    title: str | None
    cases: str
    event: str


def contents(
    evaluation: Evaluation,
    words: UserWords,
    command: str | None,
    python: str | None,
    monitor: Monitor | None = None,
) -> dict[str, Any]:
    """Gather what the template prints."""
    said = verdict(evaluation, cases=words["cases"], event=words["event"])
    # Once for all charts: threads that set it and put it back would cross one another.
    with one_blas_thread():
        part = drawn_part(evaluation)
        charts = charts_of(part)
    evidence = evidence_chart(monitor, evaluation)
    charts += [] if evidence is None else [evidence]
    parts, worst = parts_of(charts), worst_tables(evaluation)
    of_event = evaluation.task == "binary"
    return {
        "title": words["title"] or TITLE,
        "about": about(evaluation, words),
        "headline": headline_of(evaluation),
        "screen": first_screen(evaluation, words["cases"], words["event"]),
        "place": place,
        "contents": links(parts, is_worst=bool(worst)),
        "sentences": by_kind(said.sentences),
        "level": f"{100 * evaluation.level:g} %",
        "reference": f"the {'event rate' if of_event else 'class shares'} for every case",
        "tables": score_tables(evaluation),
        "remarks": remarks(evaluation),
        "models": {printable(name): ink for name, ink in inks_of(evaluation).items()},
        "left_out": len(evaluation.models) - len(drawn_models(evaluation)),
        "parts": parts,
        "repaired": any(part.anchor == "repair" for part in parts),
        "kept_together": kept_together,
        "people": (counted := people(part, words["cases"], words["event"])),
        "in_people": counted and counted["numbers"],
        "range": ends_in_percent(evaluation),
        "ranking": RANKING,
        "worst": worst,
        "of_event": of_event,
        "worst_lead": worst_lead(evaluation),
        "methods": methods(evaluation, cases=words["cases"], event=words["event"]),
        "checklist": by_guideline(checklist(evaluation)),
        "fine_print": fine_print(evaluation),
        "command": command,
        "python": python or python_call(evaluation),
        "record": "e",
        "version": __version__,
        "numbers": {
            **_numbers(evaluation),
            **({} if monitor is None else {"monitor": _watched(monitor)}),
            "verdict": said.to_dict(),
            "version": __version__,
        },
        "specs": {chart.name: described(chart) for chart in charts},
    }


def about(evaluation: Evaluation, words: UserWords) -> str:
    """Say in one line what there is."""
    rows = f"{evaluation.rows:,} {words['cases']}"
    # That cases are independent goes without saying here, as does their number.
    is_plain = evaluation.design == f"{evaluation.rows:,} independent cases"
    design = "" if is_plain else f"; {evaluation.design}"
    if evaluation.task == "binary":
        rate = f"{100 * evaluation.event_rate:.3g} %"
        if evaluation.total != evaluation.rows:
            return f"{rows}; {words['event']} in {rate} by weight{design}."
        events = f"{words['event']} in {evaluation.events:,} of them ({rate})"
        return f"{rows}; {events}{design}."
    order = "ordered " if evaluation.task == "ordinal" else ""
    return f"{rows}, {len(evaluation.labels)} {order}classes{design}."


def headline_of(evaluation: Evaluation) -> Headline:
    """Return the headline in its two parts, the second as a sentence of its own."""
    claim, reason, _ = headline(standing_of(evaluation))
    reason = f"{begun(reason, evaluation.models)}." if reason else ""
    # What these are, those who have never chosen a threshold cannot know.
    threshold = "A threshold is the risk at which one begins to act." if evaluation.within else ""
    same = "risk, the event rate" if evaluation.task == "binary" else "forecast, the class shares"
    none = f"\u201cNo model\u201d is one {same}, for all."
    return Headline(f"{claim}.", " ".join(filter(None, (reason, threshold, none))))


def links(parts: Iterable[PagePart], *, is_worst: bool) -> list[tuple[str, str]]:
    """List the sections, with their anchors."""
    worst = [("worst", "Worst cases")] if is_worst else []
    between = [(part.anchor, part.title) for part in parts]
    return [("models", "Models"), *between, *worst, ("methods", "Methods")]


def place(share: float) -> str:
    """Write a share of a width, in per cent."""
    return f"{100 * share:.2f}%"


def _numbers(evaluation: Evaluation) -> dict[str, Any]:
    """Return all numbers; of many models, comparisons by the first rule alone, which are many."""
    numbers = evaluation.to_dict()
    if len(evaluation.models) > MOST_MODELS:
        kept = (evaluation.primary,) if len(evaluation.models) <= MOST_COMPARED else ()
        numbers["comparisons"] = {rule: numbers["comparisons"][rule] for rule in kept}
        if not kept:
            numbers.pop("auc_differences", None)
    return numbers


def _watched(monitor: Monitor) -> dict[str, Any]:
    """Return all numbers of a monitor but the courses of evidence, which are long."""
    numbers = monitor.to_dict()
    for one in numbers["evidence"]:
        del one["times"], one["path"]
    return numbers


def by_kind(sentences: Iterable[Sentence]) -> list[tuple[str, str, list[str]]]:
    """Put sentences of one kind together."""
    grouped: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for sentence in sentences:
        grouped[sentence.kind].append(kept_together(sentence.text))
    return [(kind, KINDS[kind], texts) for kind, texts in grouped.items() if texts]


def kept_together(text: str) -> str:
    """Keep a number and its per cent on one line."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def ends_in_percent(evaluation: Evaluation) -> tuple[str, str]:
    """Return the range of thresholds as it is put into the two fields."""
    within = evaluation.within
    lower, upper = (0.0, 1.0) if within is None else (within.lower, within.upper)
    return f"{100 * lower:.6g}", f"{100 * upper:.6g}"


def described(chart: Chart) -> dict[str, Any]:
    """Give a specification the words that are read aloud."""
    return chart.spec | {"description": chart.alt}
