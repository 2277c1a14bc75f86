"""What works on the files: duckdb here, or a cluster; and rows that are too many for memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import properly
from properly._boundary._text import many
from properly.cli import _chosen
from properly.cli._chosen import Chosen, ColumnChoice
from properly.cli._column_plan import ColumnPlan, plan_of, planned, require_other_columns
from properly.cli._running import progress_bar, refuse
from properly.cli._wording import in_options
from properly.errors import DataError
from properly.evaluation._checkup._notes import follow_up_notes
from properly.rules import Rule
from properly.typing import Progress

if TYPE_CHECKING:
    from properly import Evaluation, Interval
    from properly.engines._files._read import Files
    from properly.engines._rows import Roles
    from properly.engines._summary import Summary

# More rows than these are never read; the library has the same limit for frames.
MOST_ROWS = 1_000_000
# More labels than these are not counted.
MOST_LABELS = 1_000
# The engines, and the option that is about each.
ENGINES = {"duckdb": "memory", "dask": "scheduler", "spark": "master"}
NEED_ROWS = ("strata", "time", "normalize", "show")


@dataclass(frozen=True, eq=False, kw_only=True)
class Large(ColumnChoice):
    """What the options choose, with the rows in an engine.

    Attributes
    ----------
    frame : frame
        The columns, called c0, c1, ..., in a frame of the engine, open as long as the files are.
    roles : Roles
        Which of them holds what, and what it is called by its owner.
    engine : str
        The engine.
    """

    frame: Any
    roles: Roles
    engine: str

    @property
    def forecasts(self) -> Mapping[str, tuple[str, ...]]:
        """By model, the columns of its forecasts."""
        return self.roles.forecasts


@contextmanager
def opened(
    *,
    paths: tuple[str, ...],
    engine: str = "duckdb",
    memory: str | None = None,
    scheduler: str | None = None,
    master: str | None = None,
    **options: Any,
) -> Iterator[Chosen | Large]:
    """Give the columns that the options choose: in memory, or where they are if they are large."""
    from properly.engines._files._read import open_files

    given = {"memory": memory, "scheduler": scheduler, "master": master}
    for other, name in ENGINES.items():
        if given[name] is not None and engine != other:
            refuse(f"--{name} is about --engine {other}; the engine is {engine}.")
    if engine != "duckdb":
        plan = _plan_of_cluster(engine, paths=paths, **options)
        _refuse_rows(plan, engine)
        with _cluster(plan, engine, given) as frame:
            kept, dropped = _without_gaps(plan, frame, engine)
            yield _large(plan, kept, engine, dropped)
        return
    with open_files(paths, memory) as files:
        is_large = files.exceed(MOST_ROWS)
        plan = planned(files, paths=paths, **options)
        if is_large or _has_many_cases(files, plan):
            _refuse_rows(plan, engine)
            columns = _safe_names(plan)
            missing: Literal["refuse", "drop"] = "drop" if plan.missing == "drop" else "refuse"
            frame, dropped = files.relation(columns, numbers=plan.numbers, missing=missing)
            yield _large(plan, frame, engine, dropped)
            return
        rows = _chosen.read_rows(files, plan)
    with rows.places.naming():
        yield rows


def _plan_of_cluster(
    engine: str, *, outcome: str | None = None, beside: tuple[str, ...] = (), **options: Any
) -> ColumnPlan:
    """Gather what the options say; a cluster is not asked what they leave out."""
    del beside
    if outcome is None or not options.get("forecast"):
        refuse(f"Which columns? --engine {engine} needs --outcome COLUMN and --forecast COLUMN.")
    plan = plan_of(outcome=outcome, **options)
    require_other_columns(outcome, plan.forecasts)
    return plan


def refuse_without_rows(option: str, engine: str) -> NoReturn:
    """Refuse what needs the rows, which are too many or elsewhere."""
    if engine == "duckdb":
        message = f"{option} needs the rows in memory; there are more than {MOST_ROWS:,} of them"
        raise DataError(message, hint="leave it out, or give fewer rows.")
    refuse(f"{option} needs the rows in memory; --engine {engine} never has them there.")


def _has_many_cases(files: Files, plan: ColumnPlan) -> bool:
    """Tell whether rows stand for more cases than are kept in memory, where sums will do."""
    import numpy as np

    if "count" not in plan.roles or _needing_rows(plan):
        return False
    column = files.read([plan.roles["count"]]).columns[plan.roles["count"]]
    # Whatever else is there is refused later, in words.
    return column.dtype.kind in "iuf" and bool(np.nansum(column, dtype=np.float64) > MOST_ROWS)


def _needing_rows(plan: ColumnPlan) -> list[str]:
    """Name the options that need the rows in memory."""
    options: dict[str, Any] = {**plan.roles, **({"normalize": True} if plan.normalize else {})}
    options |= {"show": plan.show} if plan.show else {}
    return [role for role in NEED_ROWS if role in options]


def _refuse_rows(plan: ColumnPlan, engine: str) -> None:
    if plan.missing in _chosen.GAPS:
        refuse_without_rows(f"--missing {plan.missing}", engine)
    for role in _needing_rows(plan):
        refuse_without_rows(f"--{role}", engine)


@contextmanager
def _cluster(plan: ColumnPlan, engine: str, given: Mapping[str, str | None]) -> Iterator[Any]:
    """Open the columns in a cluster, and say in our words what it says meanwhile."""
    from properly.engines._files._clusters import translated

    opening = getattr(import_module(f"properly.engines._files._{engine}"), f"open_{engine}")
    option = ENGINES[engine]
    columns = _safe_names(plan)
    with opening(plan.paths, columns, **{option: given[option]}) as frame, translated(engine):
        yield frame


def _without_gaps(plan: ColumnPlan, frame: Any, engine: str) -> tuple[Any, str | None]:
    """Drop rows with missing values if that was asked for, and say how many."""
    if plan.missing == "refuse":
        return frame, None
    # Dask and Spark call it so, and both take NaN as missing, too.
    kept = frame.dropna(subset=list(_safe_names(plan)))
    rows, left = (len(x) if engine == "dask" else int(x.count()) for x in (frame, kept))
    gone = rows - left
    return kept, f"dropped {gone:,} of {many(rows, 'row')} for missing values" if gone else None


def _large(plan: ColumnPlan, frame: Any, engine: str, dropped: str | None) -> Large:
    """Say what the columns of a frame are, and read the labels in the way of the outcomes."""
    from properly.engines._rows import Roles

    _chosen.say(dropped)
    safe = {column: name for name, column in _safe_names(plan).items()}
    frame, percent = _of_percentages(plan, frame, safe)
    _chosen.say(percent)
    design = {role: safe[column] for role, column in plan.roles.items()}
    roles = Roles(
        outcome=safe[plan.outcome],
        forecasts={m: tuple(safe[c] for c in columns) for m, columns in plan.models.items()},
        **design,
        labels={name: column for column, name in safe.items()},
    )
    labels, event = _labels(plan, frame, roles.outcome)
    done: dict[str, Any] = {"dropped": dropped, "percent": percent}
    return Large(
        plan=plan, labels=labels, pos_label=event, frame=frame, roles=roles, engine=engine, **done
    )


def _of_percentages(
    plan: ColumnPlan, frame: Any, safe: Mapping[str, str]
) -> tuple[Any, str | None]:
    """Divide forecasts by 100 if they are in percent, and say so."""
    if not plan.percent:
        return frame, None
    import narwhals as nw

    from properly.engines._rows import as_lazy, collected

    lazy, names = as_lazy(frame), [safe[name] for name in plan.forecasts]
    least = collected(lazy.select(nw.col(*names).min()))
    most = collected(lazy.select(nw.col(*names).max()))
    for name in plan.forecasts:
        for end in (float(least[safe[name]][0]), float(most[safe[name]][0])):
            if not 0 <= end <= _chosen.WHOLE:
                raise _chosen.no_percentage(name, f"one is {end:g}")
    percent = _chosen.divided(max(float(x[0]) for x in most.values()) / _chosen.WHOLE)
    return lazy.with_columns(nw.col(*names) / _chosen.WHOLE).to_native(), percent


def _labels(plan: ColumnPlan, frame: Any, column: str) -> tuple[tuple[Any, ...] | None, object]:
    """Look at the distinct outcomes, which are few."""
    from properly.engines._rows import as_lazy, collected

    distinct = as_lazy(frame).select(column).unique().head(MOST_LABELS + 1)
    y = collected(distinct)[column]
    _, labels, event = _chosen.as_outcomes(
        y, plan.outcome, plan.event, plan.classes, most=MOST_LABELS
    )
    return labels, event


def _safe_names(plan: ColumnPlan) -> dict[str, str]:
    return {f"c{i}": column for i, column in enumerate(plan.columns)}


def evaluated(
    chosen: Chosen | Large, *, rules: Sequence[Rule], within: Interval | None, **options: Any
) -> Evaluation:
    """Evaluate what was chosen, with progress on a terminal."""
    from properly.evaluation._evaluate import rules_of_task

    with progress_bar() as progress:
        settings = {**options, "within": within, "progress": progress, "task": chosen.task}
        if isinstance(chosen, Large):
            judges = rules_of_task(chosen.task, rules or None, within)[0]
            summary = summed(chosen, judges, progress)
            evaluation = properly.evaluate(summary, **settings)
        else:
            settings |= {"rules": rules or None, "groups": chosen.roles.get("groups")}
            settings |= {"show": chosen.show or None, **chosen.arguments}
            evaluation = properly.evaluate(chosen.y, chosen.forecasts, **settings)
    # Whoever reads the result later has not seen what was printed.
    done = [said for said in (chosen.dropped, chosen.percent) if said is not None]
    notes = map(in_options, (*follow_up_notes(chosen.follow_up), *evaluation.notes))
    return replace(evaluation, notes=(*notes, *done))


def summed(chosen: Large, rules: Sequence[Rule], progress: Progress | None) -> Summary:
    """Sum up what is too large for memory, inside its engine."""
    from properly.engines._frame import Framed

    kinds: Any = {"labels": chosen.labels, "pos_label": chosen.pos_label}
    return Framed(chosen.frame, chosen.roles, **kinds).summary(rules, progress=progress)
