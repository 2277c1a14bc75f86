"""`evaluate`, and how it reads its arguments: rules, the range of thresholds, models by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from properly._boundary import _classes, _options
from properly._boundary._arrays import check_counts
from properly._boundary._classes import as_labels
from properly._boundary._progress import shown
from properly._boundary._record import as_models, library_of
from properly._boundary._synonyms import with_argument_hints
from properly.calibration._decomposition import require_proper
from properly.counts import _cases
from properly.counts._cases import TASKS, Cases, Forecasts
from properly.decisions._elementary import require_same_rows
from properly.decisions._single_cases import check_shown
from properly.engines._summary import Summary
from properly.errors import ArgumentTypeError, DataError
from properly.evaluation._checkup import _notes
from properly.evaluation._pipeline import gather
from properly.evaluation._source import NEEDED, Asked
from properly.rules import PBS, RPS, BinaryRule, Bounded, Brier, Log, RankedLog, Regret, Rule
from properly.rules._class_rule import require_class_rule
from properly.rules._interval import Interval, as_interval
from properly.rules._rule import as_rules, require_binary
from properly.typing import ArrayLike, IntoFrame, Progress

if TYPE_CHECKING:
    from properly.engines._frame import Framed
    from properly.evaluation._record import Evaluation, Task
    from properly.recalibration import Map

Within: TypeAlias = Interval | tuple[float, float] | None


def rules_of_task(
    task: str,
    rules: Iterable[Rule | str] | Rule | str | None,
    within: Within,
    pos_label: object = None,
) -> tuple[tuple[Any, ...], Any, Interval | None]:
    """Take the rules, or those that suit the task; the one to judge by first; and the range."""
    if task != "binary":
        require_of_an_event(within, pos_label)
        suitable = (RPS(), RankedLog(), Log()) if task == "ordinal" else (Brier(), Log(), PBS())
        given = suitable if rules is None else as_rules(rules)
        classes = tuple(require_class_rule(rule) for rule in given)
        require_distinct("rules", [rule.name for rule in classes])
        wrong = [rule for rule in classes if rule.needs_order and task == "multiclass"]
        if wrong:
            message = f"{wrong[0]!r} needs ordered classes; the task is 'multiclass'"
            raise DataError(message, hint="task='ordinal' takes the columns in their order.")
        return classes, classes[0], None
    given = (Brier(), Log()) if rules is None else as_rules(rules)
    chosen = tuple(require_proper(require_binary(rule)) for rule in given)
    ends = None if within is None else as_interval(within)
    if ends is not None and not any(isinstance(r, Regret) and r.within == ends for r in chosen):
        chosen = Regret(ends), *chosen
    require_distinct("rules", [rule.name for rule in chosen])
    return chosen, _primary(chosen, ends), ends


def _primary(rules: tuple[BinaryRule, ...], within: Interval | None) -> BinaryRule:
    """Choose the mean regret over the range of thresholds, if there is one, else the first."""
    over = [rule for rule in rules if isinstance(rule, Bounded | Regret) and rule.within == within]
    return next((rule for rule in over if isinstance(rule, Regret)), (over or rules)[0])


def require_distinct(what: str, names: Sequence[str]) -> None:
    """Refuse none, and two of one name, of which one would be lost."""
    twice = [name for name in names if names.count(name) > 1]
    if not names or twice:
        got = f"{twice[0]!r} twice" if twice else "none"
        message = f"{what} must have names that differ, and there must be at least one; got {got}"
        raise DataError(message)


def rules_of_frame(
    frame: Framed, task: str, rules: Iterable[Rule | str] | Rule | str | None, within: Within
) -> Sequence[Rule]:
    """Take the rules for a frame of an event, or of classes."""
    ordered = task_in_order(task, frame.order) == "ordinal"
    named = ("ordinal" if ordered else "multiclass") if frame.has_classes else "binary"
    return rules_of_task(named, rules, within, frame.pos_label)[0]


def task_in_order(task: str, order: tuple[Any, ...] | None) -> str:
    """Take classes as ordered if outcomes state their order and the task was left open."""
    return "ordinal" if task == "auto" and order is not None else task


def require_of_an_event(within: object, pos_label: object) -> None:
    """Refuse what makes sense for one event only."""
    for name, value in (("within", within), ("pos_label", pos_label)):
        if value is not None:
            message = f"{name} is for forecasts of one event; these are of several classes"
            hint = "for grades, pass rules=Ranked(Bounded(Brier(), within)); else see one_vs_rest."
            raise DataError(message, hint=hint if name == "within" else None)


TWO_COLUMNS = (
    "two columns are two classes, whose Brier score is twice that of an event; for an event, pass "
    "its column alone, such as p[:, 1]"
)


@with_argument_hints
def evaluate(
    y: ArrayLike | IntoFrame | Cases | Mapping[str, Cases] | Summary,
    forecasts: Forecasts | None = None,
    *,
    outcome: str | None = None,
    weight: ArrayLike | str | None = None,
    count: ArrayLike | str | None = None,
    task: Literal["auto", "binary", "multiclass", "ordinal"] = "auto",
    labels: Sequence[object] | None = None,
    pos_label: object = None,
    rules: Iterable[Rule | str] | Rule | str | None = None,
    within: Interval | tuple[float, float] | None = None,
    groups: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    strata: ArrayLike | str | None = None,
    time: ArrayLike | str | None = None,
    show: Mapping[str, ArrayLike] | IntoFrame | ArrayLike | str | Sequence[str] | None = None,
    recalibrate: str | Map | Sequence[Map] | None = None,
    level: float = 0.95,
    replicates: int = 199,
    rng: int | np.random.Generator | None = None,
    normalize: bool = False,
    cells: int | None = None,
    progress: Progress | Literal[False] | None = None,
) -> Evaluation:
    """Evaluate one or several models on the same cases.

    Parameters
    ----------
    y : array-like, data frame, Cases, dict of Cases, or Summary
        Outcomes: booleans, 0 and 1, or two labels of any kind with `pos_label`. Of several classes,
        their numbers, labels of any kind with `labels`, or rows with a single 1. Or a frame of any
        library, with `outcome`; then `forecasts`, `weight` and all else are names of its columns.
        Or what `summarize` or a `Stream` made of one. Or `properly.Cases`, of several models by
        name, which bring their forecasts, weights and all else that is known of each case.
    forecasts : dict of array-like, data frame, or array-like
        Probabilities of the event, by model; or of the classes, one column each. A frame has one
        column a model, unless the task says that its columns are classes; a single array is called
        ``"forecast"``. Of a frame, the names of columns: a list of models, or a dict with the
        columns of the classes by model.
    outcome : str, optional
        The column of outcomes, if `y` is a frame.
    weight : array-like, optional
        Sampling weights. A row is one case however much it weighs; only ratios matter.
    count : array-like of int, optional
        How many like cases each row stands for.
    task : {"auto", "binary", "multiclass", "ordinal"}
        Forecasts of one dimension are of one event, those of two of several classes. That classes
        are ordered is never guessed.
    labels : sequence of labels, optional
        What each column of class probabilities stands for, in order. Of an event, both labels, the
        event last.
    pos_label : label, optional
        The label of the event.
    rules : rule or iterable of rules, optional
        Unless said otherwise, `Brier` and `Log`; of classes `PBS` as well; of ordered ones `RPS`,
        `RankedLog` and `Log`.
    within : Interval or pair of floats, optional
        The thresholds that matter, for one event: models are judged first by `Regret`, the mean
        regret over them.
    groups : array-like, optional
        The group of each case: scores within groups, each compared with the rest.
    clusters, strata : array-like, optional
        Cases of one cluster may depend on one another; so many were drawn from each stratum.
    time : array-like, optional
        Numbers or dates: scores over time; and cases may depend on those shortly before. Clusters
        at times, such as stations day by day, are a panel: either is allowed for, times if there
        are 20 or more.
    show : dict of array-like, data frame, or array-like, optional
        Columns to show beside the worst cases, such as the number of the patient and the ward. Of a
        frame, their names. Only what they say of those few cases is kept.
    recalibrate : "auto", str, Map or sequence of Map, optional
        Whether models can be repaired, and how: as `properly.recalibrate` takes it. Each is then
        recalibrated by cross-fitting, judged by the same rule as the models, which takes a while.
    level : float
        How sure intervals, and bands of curves at each point, are to be.
    replicates : int
        Random draws for the intervals of miscalibration and discrimination, for bands and for
        calibration tests. 0 leaves all of these out, which takes a small part of the time.
    rng : int or numpy Generator, optional
        Seed or source of the randomness. With a seed, every number is the one that its own function
        gives with that seed.
    normalize : bool
        Divide rows of class probabilities by their sums, and say so.
    cells : int, optional
        Of a frame that is too large for memory: group forecasts into so many cells. Left out,
        1,000,000 distinct forecasts are kept as they are, and more are grouped into 100,000 cells.
    progress : callable or False, optional
        Called as ``progress(done, total, what)`` while the work goes on. Left out, a terminal or a
        notebook shows a bar once the work has taken two seconds, if rich is installed (and
        ipywidgets in a notebook); False shows none.

    Returns
    -------
    Evaluation

    Notes
    -----
    Below the models stand three forecasts that need none: to treat all, to treat none, and to say
    the event rate each time; of classes only one, to say how often each class happened. Skill is
    measured against the last of them. A model with a negative skill is worse than no model, at the
    thresholds that the rule looks at.

    A frame of up to 1,000,000 rows is read into memory. A larger one, and a `Summary`, is judged by
    sums that its engine makes: every score, its interval and all comparisons are as exact; what
    needs the rows themselves, such as `time`, `strata` and bands between curves, is left out.

    Mean regret over a range is half of ``Bounded(Brier(), within)``, which is there as a rule like
    any other.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import RPS
    >>> models = {"good": [0.1, 0.8, 0.7, 0.2], "poor": [0.5, 0.5, 0.6, 0.4]}
    >>> e = properly.evaluate([0, 1, 1, 0], models, replicates=0)
    >>> print(e)
    4 cases, event rate 0.5000; lower scores are better
    <BLANKLINE>
    brier             score       95 % interval      skill  miscalibration  discrimination
    good            0.04500  0.00000 to 0.09777    0.82000         0.04500         0.25000
    poor            0.20500  0.12232 to 0.28768    0.18000         0.08000         0.12500
    (treat all)     0.50000                   -   -1.00000         0.25000         0.00000
    (treat none)    0.50000                   -   -1.00000         0.25000         0.00000
    (event rate)    0.25000                   -    0.00000         0.00000         0.00000
    <BLANKLINE>
    also by log: e.table('log'), or e.table() for all
    <BLANKLINE>
    with 2 events and 2 cases without it, intervals may cover less than their level
    >>> print(e.table("log"))
    log               score       95 % interval      skill  miscalibration  discrimination
    good            0.22708  0.06366 to 0.39050    0.67239         0.22708         0.69315
    poor            0.60199  0.43449 to 0.76948    0.13152         0.25541         0.34657
    (treat all)         inf                   -       -inf             inf         0.00000
    (treat none)        inf                   -       -inf             inf         0.00000
    (event rate)    0.69315                   -    0.00000         0.00000         0.00000

    ``e.verdict()`` says it in words, ``e.plot("reliability")`` draws it, and
    ``e.report("report.html")`` writes a page.

    Grades are ordered classes:

    >>> p = [[0.75, 0.25, 0.0], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]
    >>> print(properly.evaluate([0, 1, 2], p, task="ordinal", rules=RPS(), replicates=0))
    3 cases of 3 ordered classes; lower scores are better
    <BLANKLINE>
    rps                 score       95 % interval      skill  miscalibration  discrimination
    forecast          0.07292  0.00000 to 0.19150    0.67188         0.07292         0.22222
    (class shares)    0.22222                   -    0.00000         0.00000         0.00000
    <BLANKLINE>
    argmax           accuracy   macro_f1  mean_absolute_error  quadratic_kappa  expected_cost
    forecast          0.66667    0.55556              0.33333          0.66667        0.33333
    <BLANKLINE>
    with 3 cases, intervals may cover less than their level

    Cases have all that is known of them already:

    >>> cases = properly.Cases([0, 1, 1, 0], models["good"], clusters=[1, 1, 2, 2])
    >>> properly.evaluate({"good": cases}, replicates=0).scores["good"]["brier"].design
    '2 clusters'
    """
    _options.check_choice(task, TASKS, "task")
    if cells is not None:
        _options.check_whole(cells, "cells")
    names = None if labels is None else as_labels(labels)
    normalize = _options.check_flag(normalize, "normalize")
    columns: dict[str, Any] = {"weight": weight, "count": count, "clusters": clusters}
    columns |= {"strata": strata, "time": time, "groups": groups, "show": show}
    reading = (outcome, task, rules, within, names, pos_label, normalize, cells)
    given = _of_cases(_Given(y, forecasts, columns, *reading))
    # A seed is passed on as it is: every number is then that of its own function with that seed.
    seed = int(rng) if isinstance(rng, int | np.integer) else _options.as_generator(rng)
    drawing: dict[str, Any] = {"level": _options.check_level(level), "rng": seed}
    # Without replicates, what is drawn is left out.
    draws = _options.check_whole(replicates, "replicates", 0)
    drawing |= {"recalibrate": recalibrate, "replicates": draws, "fields": NEEDED.get()}
    backend = library_of(y)
    if isinstance(y, Summary):
        if show is not None:
            message = "columns are shown beside rows, of which a Summary has none; got show"
            raise ArgumentTypeError(message)
        also = columns | {"forecasts": forecasts, "outcome": outcome, "rules": rules}
        _require_no_more(
            also, "a Summary has its models, rules and groups", "summarize, or to stream"
        )
        _require_rows(recalibrate, "a Summary has none")
    elif outcome is None:
        _require_arrays(given.y, given.forecasts)
        notes = _notes.follow_up_notes(_notes.named_symptoms(given.y, time, pos_label))
        given = given._replace(notes=notes)
    with shown(progress) as drawing["progress"]:
        if outcome is not None:
            given = _read_frame(given, drawing["progress"])
        if isinstance(given.y, Summary):
            _require_rows(recalibrate, "the frame has too many to read them")
            chosen = _request_of_summary(given.y, task_in_order(task, given.order), within)
            return replace(gather(given.y, Asked(*chosen, **drawing)), backend=backend)
        models = _cases.named_forecasts(given.forecasts, task)
        evaluation = _evaluate_rows(given, models, drawing)
    backend = backend or library_of(given.forecasts, *models.values())
    return replace(evaluation, backend=backend, notes=(*given.notes, *evaluation.notes))


class _Given(NamedTuple):
    """The data, how they are read, by which rules they are scored, and in which cells counted."""

    y: Any
    forecasts: Any
    columns: dict[str, Any]
    outcome: str | None
    task: str
    rules: Iterable[Rule | str] | Rule | str | None
    within: Within
    labels: Sequence[object] | None
    pos_label: object
    normalize: bool
    cells: int | None
    # That categorical outcomes of a frame state.
    order: tuple[Any, ...] | None = None
    # About columns that look like follow-up time.
    notes: Sequence[str] = ()
    # The cases of each model, if these were given.
    cases: Mapping[str, Cases] = MappingProxyType({})


def _of_cases(given: _Given) -> _Given:
    """Take outcomes and forecasts from cases, if there are some: of one model, or by name."""
    held: Any = {"forecast": given.y} if isinstance(given.y, Cases) else given.y
    if not isinstance(held, Mapping):
        return given
    held = _cases.by_name(held, 1, "write {'name': properly.Cases(y, p), …}.")
    for name, cases in held.items():
        if not isinstance(cases, Cases):
            message = (
                f"models without outcomes are given as Cases; {name!r} is {type(cases).__name__}"
            )
            raise ArgumentTypeError(message, hint="write properly.evaluate(y, {'name': p, …}).")
    names = ("forecasts", "outcome", "labels", "pos_label")
    also = given.columns | {name: getattr(given, name) for name in names}
    also |= {"show": None, "normalize": given.normalize or None}
    _require_no_more(also, "Cases have their forecasts and columns", "properly.Cases")
    require_same_rows(held)
    y, forecasts = next(iter(held.values())).y, {name: cases.p for name, cases in held.items()}
    return given._replace(y=y, forecasts=forecasts, cases=held)


def _read_frame(given: _Given, progress: Progress | None) -> _Given:
    """Read a frame into memory if it fits; if not, have its engine sum it up."""
    from properly.engines._frame import Framed  # which takes long to import

    how: dict[str, Any] = {name: getattr(given, name) for name in ("task", "labels", "pos_label")}
    framed = Framed.of(given.y, given.outcome, given.forecasts, design=given.columns, **how)
    if framed.fits:
        notes = _notes_of_frame(framed, given.columns["time"] or "")
        y, forecasts, columns = framed.read()
        return given._replace(
            y=y, forecasts=forecasts, columns=columns, order=framed.order, notes=notes
        )
    if given.normalize:
        message = "normalize=True needs the rows in memory; the frame has too many"
        raise DataError(message, hint="divide the columns by their sums in the frame.")
    rules = rules_of_frame(framed, given.task, given.rules, given.within)
    return given._replace(y=framed.summary(rules, given.cells, progress), order=framed.order)


def _notes_of_frame(framed: Framed, time: str) -> list[str]:
    """Look at the columns that are named like follow-up times, and have no other role than time."""
    outcome = framed.roles.outcome
    others = [name for name in framed.names if name not in framed.roles.held.values()]
    names = [] if framed.has_classes else _notes.named_like_follow_up(others, outcome)
    if not names:
        return []
    columns = framed.read_as_is([outcome, *names])
    y, event = columns.pop(outcome), framed.pos_label
    found = _notes.follow_up_symptoms(outcome, y, columns, pos_label=event, time=time)
    return _notes.follow_up_notes(found)


def _require_arrays(y: object, forecasts: object) -> None:
    some = forecasts if isinstance(forecasts, list | tuple) else [forecasts]
    is_named = bool(some) and all(isinstance(name, str) for name in some)
    if is_named and any(hasattr(y, x) for x in ("columns", "column_names")):
        message = "forecasts by name are columns of a frame, which needs outcome= as well; got none"
        raise ArgumentTypeError(message)


def _evaluate_rows(given: _Given, models: Mapping[str, Any], drawing: dict[str, Any]) -> Evaluation:
    """Evaluate rows in memory: of one event, or of classes."""
    y, order, labels = given.y, given.order, given.labels
    options = given.columns | {"normalize": given.normalize, "least": 1}
    show, (name, p) = options.pop("show", None), next(iter(models.items()))
    task = _task(given.task, models)
    if task == "binary":
        _cases.require_classes_to_normalize(given.normalize)
        options |= {"pos_label": given.pos_label, "lent": True}
    else:
        if labels is None and order is None:
            order = _classes.category_order(y, p)
        task, names = _task(task_in_order(given.task, order), models), _classes.column_names(p)
        labels = labels or order
        # Columns of a frame name the classes if outcomes are among them.
        if task == "multiclass" and not labels and names and _classes.are_among(y, names):
            labels = names
    chosen = rules_of_task(task, given.rules, given.within, given.pos_label)
    cases = given.cases or _cases.contenders(y, models, labels=labels, **options)
    if task != "binary":
        _cases.require_classes(cases[name])
    count = given.columns.get("count")
    drawing |= _shown(show, count, cases) | {"recalibrate": _maps(drawing, cases)}
    result = gather(cases, Asked(task, *chosen, **drawing))
    if task == "binary":
        return result
    notes = [TWO_COLUMNS] if given.task == "auto" and len(result.labels) == 2 else []
    notes += [] if order is None else [_classes.note_of_order(order)]
    return replace(result, notes=(*result.notes, *notes))


def _shown(show: Any, count: Any, cases: Mapping[str, Cases]) -> dict[str, Any]:
    """Take columns to show by name; one alone is called after itself, or ``"id"``.

    Worst cases are told by the rows that were given, also if these count several times.
    """
    size, found = len(next(iter(cases.values()))), {}
    if count is not None:
        times = check_counts(count, "count")
        size, found = int(times.shape[0]), {"given": _cases.repeated_rows(times)}
    if show is None:
        return found
    name = str(getattr(show, "name", None) or "id")
    columns = show if isinstance(show, Mapping) else as_models(show, name)
    return found | {"show": check_shown(columns, size)}


def _maps(drawing: Mapping[str, Any], cases: Mapping[str, Cases]) -> Any:
    """Refuse what is no map, nor the name of one, before anything is computed."""
    given = drawing["recalibrate"]
    if given is None or (isinstance(given, str) and given == "auto"):
        return given
    from properly.recalibration._choice import candidates

    maps, is_choice = candidates(next(iter(cases.values())), given, Brier())
    return maps if is_choice else maps[0]


def _require_no_more(given: Mapping[str, object], what: str, function: str) -> None:
    """Refuse what the data have already."""
    for name, value in given.items():
        if value is not None:
            message = f"{what} already; got {name} as well"
            raise ArgumentTypeError(message, hint=f"pass {name} to {function}.")


def _require_rows(recalibrate: object, why: str) -> None:
    if recalibrate is not None:
        message = f"recalibrate needs the rows, which it folds; {why}"
        hint = "write properly.recalibrate(y, p) with the rows of each model, or of a part of them."
        raise ArgumentTypeError(message, hint=hint)


def _request_of_summary(
    summary: Summary, task: str, within: Within
) -> tuple[Task, tuple[Rule, ...], Rule, Interval | None]:
    """Take the task and the rules of a summary, and their range if they have one."""
    ends = None if within is None else as_interval(within)
    if summary.sums.classes is not None:
        named = _task_of_sums(summary, task)
        return named, *rules_of_task(named, summary.rules, within)
    ranges = {r.within for r in summary.rules if isinstance(r, Bounded | Regret)}
    if ends is None and len(ranges) == 1:
        (ends,) = ranges
    binary = tuple(require_binary(rule) for rule in summary.rules)
    if ends is not None and ends not in ranges:
        message = (
            f"the summary must have a rule over the thresholds {ends.lower:g} to {ends.upper:g}; "
            "it has none"
        )
        raise DataError(message, hint="pass within to summarize, or to stream.")
    return "binary", binary, _primary(binary, ends), ends


def _task_of_sums(summary: Summary, task: str) -> Task:
    """Take classes as ordered if that is said, or needed."""
    if task == "binary":
        message = f"the summary is of {summary.sums.classes} classes; the task is 'binary'"
        raise DataError(message)
    ordered = task == "auto" and any(require_class_rule(x).needs_order for x in summary.rules)
    return "ordinal" if ordered or task == "ordinal" else "multiclass"


def _task(task: str, models: Mapping[str, Any]) -> Task:
    """Tell an event from classes by the dimensions of the forecasts."""
    if task != "auto":
        return cast("Task", task)
    tables = {name: _classes.is_table(p) for name, p in models.items()}
    if len(set(tables.values())) > 1:
        one, several = (next(n for n, t in tables.items() if t is kind) for kind in (False, True))
        _cases.refuse_unlike(f"{one!r} has one column, {several!r} has several")
    return "multiclass" if all(tables.values()) else "binary"
