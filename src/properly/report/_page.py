"""The page of an evaluation or a leaderboard: written, or shown in a notebook or a browser.

What stands on the page of an evaluation, in order: the verdict, tables, charts, the fine print.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import webbrowser
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from html import escape
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from properly import __version__
from properly._boundary._chunks import one_blas_thread, share_out
from properly._boundary._files import write_whole
from properly._boundary._notices import import_extra
from properly._boundary._text import printable
from properly.comparison._leaderboard_record import Leaderboard
from properly.errors import ArgumentTypeError
from properly.evaluation._monitor._monitor import Monitor
from properly.evaluation._phrases import Sentence, Verdict, begun
from properly.evaluation._record import Evaluation
from properly.evaluation._verdict._headline import Headline, headline, standing_of
from properly.evaluation._verdict._verdict import verdict
from properly.report import _score_tables as tables
from properly.report._board import board_contents
from properly.report._calibration_charts import (
    curves_chart,
    gains_chart,
    reliability_chart,
    savings_chart,
)
from properly.report._class_charts import class_scores_chart, confusion_chart, retention_chart
from properly.report._contrast_charts import groups_chart, matrix_chart
from properly.report._decision_chart import decision_chart
from properly.report._first_screen import first_screen
from properly.report._methods import MAKE, checklist, methods
from properly.report._page_words import page_words
from properly.report._score_charts import plane_chart, risks_chart, roc_chart, source_chart
from properly.report._threshold_charts import RANKING, regret_chart
from properly.report._time_charts import evidence_chart, time_chart
from properly.report._vega import MOST_MODELS, Chart, drawn_part, inks_of

Draw: TypeAlias = "Callable[[Any], Chart | None]"


class Section(NamedTuple):
    """A question that charts answer; some of them are folded."""

    anchor: str
    title: str
    charts: tuple[Any, ...]
    folded: tuple[Any, ...] = ()


# The charts of a page, in its order: as functions that draw them, and once they are drawn.
SECTIONS = (
    Section("thresholds", "Thresholds", (regret_chart,)),
    Section(
        "calibration",
        "Calibration",
        (reliability_chart, class_scores_chart),
        (plane_chart, source_chart),
    ),
    Section("repair", "Repair", (curves_chart, gains_chart, savings_chart)),
    Section("decisions", "Decisions", (decision_chart, confusion_chart, retention_chart)),
    Section("rank", "Ranking", (roc_chart, risks_chart)),
    Section("comparison", "Comparison", (matrix_chart,)),
    Section("by-group", "Groups", (groups_chart,)),
    Section("over-time", "Time", (time_chart,)),
    Section("monitor", "Evidence over time", (evidence_chart,)),
)
# Those of an event alone, and of classes alone.
OF_AN_EVENT: tuple[Draw, ...] = (
    *(regret_chart, plane_chart, source_chart, curves_chart, savings_chart),
    *(decision_chart, roc_chart, risks_chart),
)
OF_CLASSES: tuple[Draw, ...] = (class_scores_chart, gains_chart, confusion_chart, retention_chart)
# Of more models, comparisons are left to Python.
MOST_COMPARED = 15
TITLE = "How good are these forecasts?"


# What could end the element, begin another one, or end a line of a script.
ESCAPED = {c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
# What may be said otherwise than the page would.
ASKED = ("title", "command", "python", "date")
NO_BREAK = "\N{NO-BREAK SPACE}"
# Pixels of the page in a notebook: most of a small screen.
HEIGHT = 720
# Scripts may run, since the charts are drawn by some, but they can reach neither the notebook nor
# its cookies.
FRAME = (
    '<iframe title="Evaluation of forecasts" sandbox="allow-scripts allow-downloads" srcdoc="{}" '
    'style="box-sizing:border-box;width:100%;height:{}px;border:1px solid"></iframe>'
)


@dataclass(frozen=True)
class PageOptions:
    """What a page is to say besides its numbers, as `write` describes it."""

    title: str | None = None
    cases: str = "cases"
    event: str = "the event"
    monitor: Monitor | None = None
    command: str | None = None
    python: str | None = None
    date: str | None = None


def embedded(x: Any) -> str:
    """Write as JSON that can stand inside a script element."""
    dumps = partial(json.dumps, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = dumps(x)
    if "\\" in text or not text.isprintable():
        text = dumps(_printable(x))
    for character, code in ESCAPED.items():
        text = text.replace(character, code)
    return text


def _printable(x: Any) -> Any:
    """Show control characters in strings as what they are; half a surrogate too."""
    if isinstance(x, str):
        return printable(x)
    if isinstance(x, dict):
        return {_printable(key): _printable(value) for key, value in x.items()}
    return [_printable(value) for value in x] if isinstance(x, list | tuple) else x


def write(
    path: str | Path,
    evaluation: Evaluation | Leaderboard,
    *,
    title: str | None = None,
    cases: str = "cases",
    event: str = "the event",
    monitor: Monitor | None = None,
    command: str | None = None,
    python: str | None = None,
    date: str | None = None,
    overwrite: bool = True,
) -> Path:
    """Write an evaluation or a leaderboard as one HTML page that needs nothing else.

    The page of an evaluation begins with a row for each model: what it costs, what that saves,
    whether its forecasts mean what they say, and whether to use it. Below are charts to explore,
    and the methods. That of a leaderboard has a row for each forecaster: its score, the ranks that
    it may have, and how much it answered; below, which of two is better. Pages open without a
    network, obey a strict content security policy, print, and can be read by keyboard and by ear.

    Parameters
    ----------
    path : str or Path
        Where to write. The file appears whole or not at all.
    evaluation : Evaluation or Leaderboard
        From `properly.evaluate` or `properly.leaderboard`.
    title : str, optional
        Stands above all.
    cases, event : str
        What the cases are, such as ``"people"``, and what may happen to them, such as ``"death"``,
        in the words of the verdict. Of an evaluation only.
    monitor : Monitor, optional
        Of models in production: its evidence over time is a section of the page of an evaluation,
        once a case is counted.
    command, python : str, optional
        How to make the page again, for its methods.
    date : str, optional
        When it was made, as it shall be written.
    overwrite : bool
        Replace a file that is there already; otherwise refuse.

    Returns
    -------
    Path
        Where the page is.

    See Also
    --------
    properly.verdict : the words at the top.

    Examples
    --------
    >>> import properly, tempfile
    >>> e = properly.evaluate([0, 1, 1], [0.1, 0.8, 0.7], replicates=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     properly.report.write(f"{folder}/report.html", e).name
    'report.html'
    """
    options = PageOptions(title, cases, event, monitor, command, python, date)
    return write_whole(path, _text(evaluation, options), overwrite=overwrite)


def page(evaluation: Evaluation | Leaderboard, **options: Any) -> str:
    """Return the page as text; options are those of `PageOptions`."""
    return _text(evaluation, PageOptions(**options))


def _text(evaluation: Evaluation | Leaderboard, options: PageOptions) -> str:
    monitor = options.monitor
    if monitor is not None and not isinstance(monitor, Monitor):
        message = f"monitor must be a properly.Monitor; got {type(monitor).__name__}"
        raise ArgumentTypeError(message, hint="properly.Monitor.load reads a state.")
    if isinstance(evaluation, Leaderboard):
        if monitor is not None:
            message = "monitor goes with an Evaluation; got a Leaderboard"
            raise ArgumentTypeError(message)
        return _printed("leaderboard.html.jinja", board_contents(evaluation), options)
    if not isinstance(evaluation, Evaluation):
        what = type(evaluation).__name__
        message = f"a report is printed from an Evaluation or a Leaderboard; got {what}"
        raise ArgumentTypeError(message, hint=MAKE)
    return _printed("page.html.jinja", contents(evaluation, options), options)


def _printed(template: str, context: dict[str, Any], options: PageOptions) -> str:
    """Put contents into a template; what draws charts is left out where there are none."""
    jinja = import_extra("jinja2", extra="app")
    style, script = _ours("page.css"), _ours("page.js")
    runtime = _ours("vega.js") if context["specs"] else ""
    policy = _policy(style=[style], script=[*filter(None, [runtime]), script])
    asked = {name: getattr(options, name) or context.get(name) for name in ASKED}
    frame = {"version": __version__, "theme": json.loads(_ours("theme.json")), "policy": policy}
    drawn = {"style": style, "script": script, "runtime": runtime}
    html: str = _templates(jinja).get_template(template).render(context | asked | frame | drawn)
    return html


@cache
def _templates(jinja: Any) -> Any:
    """Read templates once; what users wrote is data.

    It is escaped, and without characters that steer a terminal or a page.
    """
    environment = jinja.Environment(
        loader=jinja.FunctionLoader(_ours),
        autoescape=True,
        undefined=jinja.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_legible,
        auto_reload=False,
    )
    environment.globals |= {"embedded": embedded, "kept_together": kept_together, "place": place}
    return environment


def _policy(**own: list[str]) -> str:
    """Allow the page its own styles and scripts, named by their hashes, and nothing else."""
    rules = ["default-src 'none'"]
    for kind, texts in own.items():
        digests = [b64encode(sha256(text.encode()).digest()).decode() for text in texts]
        rules.append(" ".join([f"{kind}-src", *(f"'sha256-{x}'" for x in digests)]))
    return "; ".join([*rules, "base-uri 'none'", "form-action 'none'"])


def _ours(name: str) -> str:
    return files("properly.report").joinpath(name).read_text(encoding="utf-8")


def _legible(x: Any) -> Any:
    """Show control characters as what they are; spaces that do not break are ours."""
    if not isinstance(x, str) or hasattr(x, "__html__"):
        return x
    return NO_BREAK.join(map(printable, x.split(NO_BREAK)))


def contents(evaluation: Evaluation, options: PageOptions) -> dict[str, Any]:
    """Gather what the template prints."""
    cases, event, monitor = options.cases, options.event, options.monitor
    said, inks = verdict(evaluation, cases=cases, event=event), inks_of(evaluation)
    # Once for all charts: threads that set it and put it back would cross one another.
    with one_blas_thread():
        part = drawn_part(evaluation)
        drawn = charts_of(part)
    drawn[evidence_chart] = evidence_chart(monitor, evaluation)
    parts, worst = parts_of(drawn), tables.worst_tables(evaluation)
    of_event = evaluation.task == "binary"
    return tables.contents(evaluation) | {
        "title": TITLE,
        "about": about(evaluation, cases, event),
        "headline": headline_of(evaluation),
        "screen": first_screen(evaluation, cases, event),
        "contents": links(parts, is_worst=bool(worst)),
        "sentences": by_kind(said.sentences),
        "level": f"{100 * evaluation.level:g} %",
        "reference": f"the {'event rate' if of_event else 'class shares'} for every case",
        "inks": inks,
        "models": {printable(name): ink for name, ink in inks.items()},
        "left_out": len(evaluation.models) - len(inks),
        "parts": parts,
        "people": tables.people(part, cases, event),
        "range": ends_in_percent(evaluation),
        "ranking": RANKING,
        "worst": worst,
        "of_event": of_event,
        "methods": methods(evaluation, cases=cases, event=event),
        "checklist": checklist(evaluation),
        "record": "e",
        "numbers": _numbers(evaluation, said, monitor),
        "specs": {x.name: x.spec | {"description": x.alt} for x in drawn.values() if x is not None},
    }


def charts_of(evaluation: Evaluation) -> dict[Any, Chart | None]:
    """Draw what there is to draw of models that are drawn, several charts side by side."""
    others = {evidence_chart, *(OF_CLASSES if evaluation.task == "binary" else OF_AN_EVENT)}
    every = [draw for section in SECTIONS for draw in (*section.charts, *section.folded)]
    kinds = [draw for draw in every if draw not in others]
    return dict(zip(kinds, share_out(lambda draw: draw(evaluation), kinds, 2), strict=True))


def parts_of(drawn: dict[Any, Chart | None]) -> list[Section]:
    """Put charts into the sections that they belong to; what has none is left out."""
    every = []
    for anchor, title, *both in SECTIONS:
        charts, folded = (tuple(filter(None, map(drawn.get, draw))) for draw in both)
        every += [Section(anchor, title, charts, folded)] * bool(charts or folded)
    return every


def about(evaluation: Evaluation, cases: str, event: str) -> str:
    """Say in one line what there is."""
    if evaluation.task == "binary":
        rate, where = f"{100 * evaluation.event_rate:.3g} %", f"{evaluation.events:,} of them"
        known = evaluation.total == evaluation.rows
        what = f"; {event} in {f'{where} ({rate})' if known else f'{rate} by weight'}"
    else:
        order = "ordered " if evaluation.task == "ordinal" else ""
        what = f", {len(evaluation.labels)} {order}classes"
    # That cases are independent goes without saying here, as does their number.
    is_plain = evaluation.design == f"{evaluation.rows:,} independent cases"
    design = "" if is_plain else f"; {evaluation.design}"
    return f"{evaluation.rows:,} {cases}{what}{design}."


def headline_of(evaluation: Evaluation) -> Headline:
    """Return the headline in its two parts, the second as a sentence of its own."""
    claim, reason, _ = headline(standing_of(evaluation))
    reason = f"{begun(reason, evaluation.models)}." if reason else ""
    # What these are, those who have never chosen a threshold cannot know.
    threshold = "A threshold is the risk at which one begins to act." if evaluation.within else ""
    same = "risk, the event rate" if evaluation.task == "binary" else "forecast, the class shares"
    none = f"\u201cNo model\u201d is one {same}, for all."
    return Headline(f"{claim}.", " ".join(filter(None, (reason, threshold, none))))


def links(parts: Iterable[Section], *, is_worst: bool) -> list[tuple[str, str]]:
    """List the sections, with their anchors."""
    worst = [("worst", "Worst cases")] if is_worst else []
    between = [(part.anchor, part.title) for part in parts]
    return [("models", "Models"), *between, *worst, ("methods", "Methods")]


def place(share: float) -> str:
    """Write a share of a width, in per cent."""
    return f"{100 * share:.2f}%"


def _numbers(evaluation: Evaluation, said: Verdict, monitor: Monitor | None) -> dict[str, Any]:
    """Return all numbers; of many models, comparisons by the first rule alone, which are many."""
    numbers = evaluation.to_dict() | {"verdict": said.to_dict(), "version": __version__}
    if len(evaluation.models) > MOST_MODELS:
        kept = (evaluation.primary,) if len(evaluation.models) <= MOST_COMPARED else ()
        numbers["comparisons"] = {rule: numbers["comparisons"][rule] for rule in kept}
        if not kept:
            numbers.pop("auc_differences", None)
    if monitor is not None:
        numbers["monitor"] = monitor.to_dict()
        # The courses of evidence are long.
        for one in numbers["monitor"]["evidence"]:
            del one["times"], one["path"]
    return numbers


def by_kind(sentences: Iterable[Sentence]) -> list[tuple[str, str, list[str]]]:
    """Put sentences of one kind together."""
    names, grouped = page_words()["sentences"], defaultdict[str, list[str]](list)
    for sentence in sentences:
        grouped[sentence.kind].append(kept_together(sentence.text))
    return [(kind, name, grouped[kind]) for kind, name in names.items() if kind in grouped]


def kept_together(text: str) -> str:
    """Keep a number and its per cent on one line."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def ends_in_percent(evaluation: Evaluation) -> tuple[str, str]:
    """Return the range of thresholds as it is put into the two fields."""
    within = evaluation.within
    lower, upper = (0.0, 1.0) if within is None else (within.lower, within.upper)
    return f"{100 * lower:.6g}", f"{100 * upper:.6g}"


def show(evaluation: Evaluation | Leaderboard, **options: Any) -> Path | None:
    """Show an evaluation or a leaderboard in the notebook, or else in a browser.

    Parameters
    ----------
    evaluation : Evaluation or Leaderboard
        From `properly.evaluate` or `properly.leaderboard`.
    **options
        Those of `write` that say what the page is to say, such as `title`.

    Returns
    -------
    Path or None
        Where there is no notebook, the temporary file that the browser was asked to open. Only its
        owner may read it, and it stays until the system tidies up.

    Examples
    --------
    >>> import properly
    >>> e = properly.evaluate([0, 1, 1], [0.1, 0.8, 0.7], replicates=0)
    >>> properly.report.show(e)  # doctest: +SKIP
    """
    for name in options.keys() - (known := PageOptions.__dataclass_fields__):
        message = f"show() got an unexpected keyword argument {name!r}"
        raise ArgumentTypeError(message, hint=f"options are {', '.join(known)}.")
    text = page(evaluation, **options)
    # A kernel can show HTML, a terminal cannot; without IPython there is none.
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if getattr(shell, "kernel", None) is not None:
        # A whole page in a frame of another, as text that is read once. Raw, since IPython's class
        # for HTML warns of frames.
        shown = {"text/html": FRAME.format(escape(text), HEIGHT), "text/plain": repr(evaluation)}
        import_module("IPython.display").display(shown, raw=True)
        return None
    path = _write_private(text)
    webbrowser.open(path.as_uri())
    return path


def _write_private(text: str) -> Path:
    """Write a temporary file that nobody else can read."""
    handle, name = tempfile.mkstemp(prefix="properly-", suffix=".html")
    os.close(handle)
    try:
        # What is replaced keeps its permissions.
        return write_whole(name, text)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
