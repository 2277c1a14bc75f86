"""Cases: checked rows of outcomes, forecasts, weights and design; of one model or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, TypeAlias, TypeGuard

import numpy as np

from properly._boundary import _arrays, _classes
from properly._boundary._interrupts import checkpoint
from properly._boundary._libraries import (
    is_numpy,
    kept,
    namespace,
    to_library_of,
    to_numpy,
    without_gradient,
)
from properly._boundary._notices import notice
from properly._boundary._options import check_flag
from properly._boundary._record import as_models, once
from properly._boundary._synonyms import with_argument_hints
from properly._boundary._text import many
from properly.counts._pooling import are_equal, exact_weights
from properly.counts._tally import Tally, require_some
from properly.errors import ArgumentTypeError, DataError
from properly.typing import Array, ArrayLike, IntoFrame

# What may be known of each case besides its outcome and forecast.
Forecasts: TypeAlias = "Mapping[str, ArrayLike] | IntoFrame | ArrayLike"
# What forecasts may be said to be about.
TASKS = ("auto", "binary", "multiclass", "ordinal")
COLUMNS = ("weight", "clusters", "strata", "time", "groups")
# Rows that are repeated take memory, each as much as one that was given.
MOST_REPEATED = 10**8


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Cases:
    """Checked rows: outcome, forecast, and what else is known of each case.

    Comparing models, clusters and dependence in time need the rows; a tally has lost them.

    Parameters
    ----------
    y : array-like
        Outcomes. Of an event: booleans, 0 and 1, or two labels of any kind with `pos_label`. Of
        several classes: their numbers, labels of any kind with `labels`, or rows with a single 1.
    p : array-like of shape (n,) or (n, K)
        Probabilities of the event, or of the classes, one column each.
    weight : array-like, optional
        Sampling weights, none negative. A row is one case, however much it weighs; only the ratios
        of weights matter.
    count : array-like of int, optional
        How many like cases each row stands for. The row is repeated so often; a table of very many
        cases is better counted by `properly.tally`.
    clusters : array-like, optional
        The cluster of each case: cases of one cluster may depend on one another.
    strata : array-like, optional
        The stratum of each case, if so many were drawn from each. A cluster lies in one stratum.
    time : array-like, optional
        The time of each case, a number or a date: cases may depend on those shortly before.
    groups : array-like, optional
        The group of each case, to be evaluated apart; `by_group` splits by it.
    labels : sequence of labels, optional
        What each column of `p` stands for, in the order of the classes if they have one; class
        numbers get these names if none of them is a number. For an event, both labels of `y`, the
        event last; the same as ``pos_label=labels[1]``.
    pos_label : label, optional
        The label of the event.
    normalize : bool
        Divide rows of class probabilities by their sums, and say so.

    Attributes
    ----------
    y : array
        Outcomes: booleans, or class numbers.
    p : array
        Probabilities.
    weight, clusters, strata, time, groups : array or None
        As given.
    classes : int or None
        The number of classes; None for an event.
    labels : tuple or None
        The labels of the classes, which are their numbers if none were given; None for an event.
    normalized : bool
        Whether class probabilities were divided by their sums.

    Examples
    --------
    >>> import properly
    >>> c = properly.Cases(["dead", "alive"], [0.4, 0.1], pos_label="dead", clusters=[7, 7])
    >>> c
    Cases(2 rows with clusters)
    >>> c.y
    array([ True, False])
    >>> c.tally()
    Tally(2 cases at 2 distinct forecasts, event rate 0.5)
    >>> grades = ["mild", "severe", "fatal"]
    >>> properly.Cases(["mild", "fatal"], [[0.7, 0.2, 0.1], [0.1, 0.4, 0.5]], labels=grades)
    Cases(2 rows of 3 classes)
    """

    # Not for dataclasses.replace, which would take class numbers for labels.
    y: Array = field(init=False)
    p: Array = field(init=False)
    weight: Array | None = field(init=False)
    clusters: Array | None = field(init=False)
    strata: Array | None = field(init=False)
    time: Array | None = field(init=False)
    groups: Array | None = field(init=False)
    labels: tuple[Any, ...] | None = field(init=False)
    normalized: bool = field(init=False)

    @with_argument_hints
    def __init__(
        self,
        y: ArrayLike,
        p: ArrayLike,
        *,
        weight: ArrayLike | None = None,
        count: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        time: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        labels: Sequence[object] | None = None,
        pos_label: object = None,
        normalize: bool = False,
    ) -> None:
        rows: Any
        normalize, names = check_flag(normalize, "normalize"), None
        labels = None if labels is None else _classes.as_labels(labels)
        if _classes.is_table(p):
            _require_no_event(pos_label)
            labels = _classes.category_order(y, p) if labels is None else labels
            # Text has no order of its own, and what follows may need one.
            options: dict[str, Any] = {"labels": labels, "normalize": normalize}
            rows = _classes.check_class_rows(y, p, weight, ordered=True, models=True, **options)
            width = int(rows.p.shape[1])
            names = tuple(range(width)) if labels is None else _classes.check_labels(labels, width)
        else:
            pos_label = pos_label if labels is None else _arrays.event_label(labels, pos_label)
            rows = _arrays.check_rows(y, p, weight, pos_label=pos_label, labels=labels)
            require_classes_to_normalize(normalize)
        columns = {"clusters": clusters, "strata": strata, "time": time, "groups": groups}
        known = rows._asdict() | {
            name: None if column is None else _arrays.check_column(column, name, rows.p)
            for name, column in columns.items()
        }
        row = None
        if count is not None:
            times = _arrays.counts_beside(rows.p, count)
            require_both(rows.weight, times)
            row = repeated_rows(times)
        for name, column in known.items():
            some = column if column is None or row is None else _take(column, row)
            known[name] = None if some is None else kept(some)
        _fill(self, known | {"labels": names, "normalized": normalize and names is not None})

    @property
    def classes(self) -> int | None:
        """The number of classes; None for the probability of one event."""
        return None if self.labels is None else len(self.labels)

    def __getstate__(self) -> dict[str, Any]:
        """Copy the fields alone, without what was kept of them."""
        return {name: getattr(self, name) for name in type(self).__dataclass_fields__}

    def tally(self) -> Tally:
        """Count outcomes at each distinct forecast, once for all who ask."""
        require_event(self)
        return once(self, "_tally", lambda: Tally.from_arrays(self.y, self.p, self.weight))

    def by_group(self) -> dict[Any, Cases]:
        """Split the rows by their group, so that any evaluation can be made of each.

        Returns
        -------
        dict
            Cases by group, in order. Clusters, strata and times come along.

        Examples
        --------
        >>> import properly
        >>> c = properly.Cases([0, 1, 1], [0.1, 0.5, 0.9], groups=["new", "old", "new"])
        >>> {name: len(cases) for name, cases in c.by_group().items()}
        {'new': 2, 'old': 1}
        """
        number, names = numbered(to_numpy(require_groups(self)))
        return {name: some_cases(self, np.flatnonzero(number == i)) for i, name in enumerate(names)}

    def __len__(self) -> int:
        """Count the rows."""
        return int(self.p.shape[0])

    def __repr__(self) -> str:
        names = [name for name in COLUMNS if getattr(self, name) is not None]
        classes = "" if self.classes is None else f" of {self.classes} classes"
        return f"Cases({len(self)} rows{classes}{' with ' + ', '.join(names) if names else ''})"


def repeated_rows(times: Array) -> Any:
    """Return the number of each row, as often as it counts."""
    total = int(namespace(times).sum(times))
    if total > MOST_REPEATED:
        message = f"rows of cases can be repeated {MOST_REPEATED:,} times in all; got {total:,}"
        raise DataError(message, hint="properly.tally(y, p, count=column) counts any number.")
    return np.repeat(np.arange(times.shape[0]), to_numpy(times))


def require_both(weight: Array | None, times: Array | None) -> None:
    """Refuse rows none of which has both a weight and a count."""
    if weight is not None and times is not None:
        used = (to_numpy(weight) > 0) & (to_numpy(times) > 0)
        require_some(used[used])


def _take(x: Any, row: Any) -> Any:
    return x[row] if is_numpy(x) else x[to_library_of(row, x)]


class InUse(NamedTuple):
    """The rows of positive weight, as numpy arrays, and which of all rows they are."""

    y: Any
    p: Any
    weight: Any
    used: Any


def event_among(cases: Cases, y: Array, p: Array, weight: Array | None = None) -> Cases:
    """Keep what is known of the cases, and judge forecasts of an event; weights may be others."""
    columns = {name: getattr(cases, name) for name in COLUMNS}
    return Cases(y, p, **columns | ({} if weight is None else {"weight": weight}))


def with_forecasts(cases: Cases, p: Array, *, lent: bool = False) -> Cases:
    """Keep all that is known of the cases but their forecasts, which need no check.

    Forecasts that are lent are not copied: who has them does not change them meanwhile.
    """
    return replaced(cases, p=without_gradient(p) if lent else kept(p))


def without_time(cases: Cases) -> Cases:
    """Forget when cases were."""
    return replaced(cases, time=None)


def some_cases(cases: Cases, rows: Any) -> Cases:
    """Keep some of the rows, which need no check."""
    columns = ((name, getattr(cases, name)) for name in ("y", "p", *COLUMNS))
    return replaced(cases, **{k: kept(_take(x, rows)) for k, x in columns if x is not None})


def in_numpy(cases: Cases) -> Cases:
    """Bring the columns of cases to numpy."""
    columns = ((name, getattr(cases, name)) for name in ("y", "p", *COLUMNS))
    return replaced(cases, **{k: to_numpy(x) for k, x in columns if x is not None})


def number_forecasts(cases: Cases) -> Any:
    """Give the forecast of each case in use its place among the distinct ones, once."""
    return once(cases, "_place", lambda: np.unique(rows_in_use(cases).p, return_inverse=True)[1])


def replaced(cases: Cases, **values: Any) -> Cases:
    """Keep all that is known of cases but some fields, which need no check."""
    return _fill(object.__new__(Cases), cases.__getstate__() | values)


def _fill(cases: Cases, values: Mapping[str, Any]) -> Cases:
    """Set the fields of frozen cases."""
    vars(cases).update(values)
    return cases


def require_groups(cases: Tally | Cases) -> Array:
    """Return the group of each case; refuse cases that have none."""
    if not isinstance(cases, Cases):
        message = f"this needs Cases with groups; got {type(cases).__name__}"
        raise ArgumentTypeError(message, hint="write properly.Cases(y, p, groups=column).")
    if cases.groups is None:
        message = "this needs the group of each case; these cases have none"
        raise DataError(message, hint="write properly.Cases(y, p, groups=column).")
    return cases.groups


def require_event(cases: Cases) -> Cases:
    """Refuse cases of several classes where the probability of one event is needed."""
    if cases.classes is not None:
        message = (
            f"this needs the probability of one event; these cases have {cases.classes} classes"
        )
        hint = "cumulative, one_vs_rest and top_label make events of classes."
        raise DataError(message, hint=hint)
    return cases


def require_classes(cases: object) -> Cases:
    """Refuse what is not cases of several classes."""
    if not isinstance(cases, Cases):
        message = f"this needs Cases of several classes; got {type(cases).__name__}"
        raise ArgumentTypeError(message, hint="write properly.Cases(y, P), one column a class.")
    if cases.classes is None:
        message = "this needs the probabilities of several classes; these cases have one event"
        raise DataError(message, hint="write properly.Cases(y, P), one column a class.")
    return cases


def weights_of(cases: Cases) -> Any:
    """Return the weight of each row; without weights, or with equal ones, each weighs 1."""
    if cases.weight is None:
        return np.ones(len(cases))
    weight = to_numpy(cases.weight).astype(np.float64)
    return weight / weight.max() if is_unweighted(cases) else weight


def rows_in_use(cases: Cases) -> InUse:
    """Leave out the rows of weight 0."""
    checkpoint()  # nearly all work on rows begins here
    y, p, weight = to_numpy(cases.y), to_numpy(cases.p), weights_of(cases)
    used = np.broadcast_to(True, len(cases)) if cases.weight is None else weight > 0
    if cases.weight is None or used.all():
        return InUse(y, p, weight, used)
    return InUse(y[used], p[used], weight[used], used)


def number_clusters(cases: Cases, used: Any) -> Any:
    """Give the clusters of the cases in use numbers from 0, once; refuse one that is alone."""
    return once(cases, "_clusters", lambda: number_ids(to_numpy(cases.clusters)[used]))


def number_ids(label: Any) -> Any:
    """Give ids of clusters, one a case, numbers from 0; refuse a cluster that is alone."""
    number, _ = numbered(label)
    require_clusters(1 + int(number.max()))
    return number


def require_clusters(count: int) -> None:
    """Refuse a cluster that is alone."""
    if count < 2:
        message = (
            "clusters say how far off an estimate may be only if there are two or more; got one"
        )
        raise DataError(message)


def numbered(label: Any) -> tuple[Any, list[Any]]:
    """Give labels numbers from 0, and return these and the labels in order."""
    try:
        names, number = np.unique(label, return_inverse=True)
    except TypeError:
        # Labels of several kinds have no order, but they can be told apart.
        seen: dict[Any, int] = {}
        number = np.array([seen.setdefault(x, len(seen)) for x in label.tolist()])
        return number, list(seen)
    return number, names.tolist()


def has_classes(source: object) -> TypeGuard[Cases]:
    """Tell whether these are cases of several classes."""
    return isinstance(source, Cases) and source.classes is not None


def has_clusters(source: object) -> TypeGuard[Cases]:
    """Tell whether cases are known to come in clusters; a tally has lost that."""
    return isinstance(source, Cases) and source.clusters is not None


def has_strata(source: object) -> TypeGuard[Cases]:
    """Tell whether cases are known to be drawn from strata."""
    return isinstance(source, Cases) and source.strata is not None


def has_time(source: object) -> TypeGuard[Cases]:
    """Tell whether cases are known to follow one another in time."""
    return isinstance(source, Cases) and source.time is not None


def is_dependent(source: object) -> TypeGuard[Cases]:
    """Tell whether cases come in clusters, or follow one another in time."""
    return has_clusters(source) or has_time(source)


def is_counted(source: Tally | Cases) -> bool:
    """Tell whether a tally says all about the cases: independent ones of an event, unweighted."""
    if not isinstance(source, Cases):
        return True
    alone = not (is_dependent(source) or has_strata(source))
    return alone and source.classes is None and is_unweighted(source)


def is_unweighted(cases: Cases) -> bool:
    """Tell whether there are no weights, or equal ones that say nothing; 0 leaves a row out."""
    weight = cases.weight
    return weight is None or once(cases, "_alike", lambda: are_equal(weight[weight > 0]))


def note_whole_weights(source: Tally | Cases) -> None:
    """Say what whole weights mean, where they may be meant for numbers of cases."""
    if not isinstance(source, Cases):
        weight = None if source.event_squares is None else source.weight
    elif source.weight is None or is_unweighted(source):
        weight = None
    else:
        weight = exact_weights(source.weight[source.weight > 0])
    if weight is not None and namespace(weight).isdtype(weight.dtype, "integral"):
        notice("weights are sampling weights; for numbers of like cases pass count=")


def is_plain(cases: Cases) -> bool:
    """Tell whether rows are cases as they stand: independent, unweighted, none left out."""
    weight = cases.weight
    return is_counted(cases) and (weight is None or bool(namespace(weight).all(weight > 0)))


def is_in_place(cases: Cases) -> bool:
    """Tell whether rows are left on their device: tensors of independent cases, unweighted."""
    return not is_numpy(cases.p) and is_plain(cases)


def as_counted(source: Tally | Cases) -> Tally | Cases:
    """Return the tally of cases that it says all about."""
    return source.tally() if isinstance(source, Cases) and is_counted(source) else source


def require_no_time(source: object, what: str) -> None:
    """Refuse to take cases that follow one another in time as independent."""
    if has_time(source):
        message = f"{what} does not allow for dependence in time; these cases have times"
        raise DataError(message, hint="leave out time= to take them as independent.")


def require_independent(source: object, what: str) -> None:
    """Refuse to take cases as independent that come in clusters, or follow one another in time."""
    require_no_time(source, what)
    if has_clusters(source):
        message = f"{what} takes cases as independent; these have clusters"
        raise DataError(message, hint="leave out clusters= to take them as independent.")


def require_classes_to_normalize(normalize: bool) -> None:
    """Refuse to rescale the probability of one event, which has nothing to sum to 1 with."""
    if normalize:
        message = "normalize=True divides rows of class probabilities; these are of one event"
        raise DataError(message)


def _require_no_event(pos_label: object) -> None:
    if pos_label is not None:
        message = (
            f"pos_label is the label of an event; class probabilities have none, got {pos_label!r}"
        )
        raise ArgumentTypeError(message, hint="labels= names the columns.")


def contenders(
    y: ArrayLike,
    forecasts: Forecasts,
    *,
    least: int = 2,
    lent: bool = False,
    count: ArrayLike | None = None,
    **columns: Any,
) -> dict[str, Cases]:
    """Make cases of each model's forecasts; outcomes and what is known are checked once.

    Forecasts may be lent, for as long as the cases are needed, rather than copied. Rows that count
    several times are repeated once all models are known to have as many.
    """
    models = forecasts if isinstance(forecasts, Mapping) else as_models(forecasts)
    models = by_name(models, least, "write {'name': forecasts, ...}.")
    (first, p), *others = models.items()
    cases, normalize = Cases(y, p, **columns), columns.get("normalize", False)
    result = {first: cases}
    for name, other in [(first, p), *others] if lent else others:
        _classes.require_order(
            _classes.columns_of(other), _classes.columns_of(p), f"classes of {name!r}"
        )
        checked = _checked(other, name, cases, normalize=normalize)
        result[name] = with_forecasts(cases, checked, lent=lent)
    if count is None:
        return result
    times = _arrays.counts_beside(cases.p, count)
    require_both(cases.weight, times)
    rows = repeated_rows(times)
    return {name: some_cases(each, rows) for name, each in result.items()}


def side_by_side(forecasts: Forecasts, others: Sequence[ArrayLike]) -> Forecasts:
    """Take forecasts that follow one another as those of models, named after their columns."""
    if not others:
        return forecasts
    every = (forecasts, *others)
    if any(isinstance(p, Mapping) or hasattr(type(p), "columns") for p in every):
        message = "models are given by name, or one after the other; got both"
        raise DataError(message, hint="write {'name': forecasts, ...}.")
    names = [getattr(p, "name", None) for p in every]
    if not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        names = [f"model {number}" for number, _ in enumerate(every, 1)]
    return dict(zip(names, every, strict=True))


def by_name(models: Mapping[Any, Any], least: int, hint: str) -> dict[str, Any]:
    """Take models by their names, which must differ as text; there must be enough to compare."""
    named = {str(name): model for name, model in models.items()}
    if len(named) < len(models):
        message = f"models must have names that differ as text; got {list(models)}"
        raise DataError(message)
    if len(named) < least:
        message = f"there must be at least {many(least, 'model')} to compare; got {len(named)}"
        raise DataError(message, hint=hint)
    return named


def named_forecasts(forecasts: Any, task: str) -> dict[str, Any]:
    """Take forecasts by the names of models; of classes, a single table is one model."""
    if isinstance(forecasts, Mapping):
        models = forecasts
    elif task in ("multiclass", "ordinal"):
        models = {"forecast": forecasts}
    else:
        models = as_models(forecasts)
    for name, p in models.items():
        if isinstance(p, Tally | Cases):
            message = f"models are given by their forecasts; {name!r} is a {type(p).__name__}"
            raise ArgumentTypeError(message, hint="write {'name': p, …}.")
    return by_name(models, 1, "write {'name': p, …}.")


def refuse_unlike(result: str) -> NoReturn:
    """Refuse models that do not all forecast the same."""
    message = f"models must all forecast one event, or all the same classes; {result}"
    raise DataError(message)


def _checked(p: Any, name: str, cases: Cases, *, normalize: bool) -> Any:
    """Check the forecasts of another model: as many rows, and as many classes."""
    if cases.classes is None:
        if _classes.is_table(p):
            refuse_unlike(f"{name!r} has several columns, the first model has one")
        checked = _arrays.check_forecasts(p, f"forecasts of {name!r}")
    else:
        checked = _classes.check_probabilities(
            p, normalize=normalize, name=f"probabilities of {name!r}"
        )
        if (columns := int(checked.shape[1])) != cases.classes:
            refuse_unlike(f"{name!r} has {columns} columns, the first model has {cases.classes}")
    _arrays.check_length(checked, cases.p, f"forecasts of {name!r}", "those of the first model")
    return to_library_of(checked, cases.p)
