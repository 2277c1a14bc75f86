"""Checked rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np

from properly._arrays import check_column, check_rows
from properly._libraries import kept, to_numpy
from properly._tally import Tally
from properly.errors import DataError

if TYPE_CHECKING:
    from properly.typing import Array, ArrayLike


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Cases:
    """Checked rows: outcome, forecast, and what else is known of each case.

    Comparing models, clusters and dependence in time need the rows; a tally has lost them.

    Parameters
    ----------
    y : array-like
        Outcomes: booleans, 0 and 1, or two labels of any kind with `pos_label`.
    p : array-like
        Probabilities of the event.
    weight : array-like, optional
        Case weights, none negative.
    clusters, time, groups : array-like, optional
        The cluster, the time and the group of each case.
    labels : pair of labels, optional
        Both labels of `y`, the event last; the same as ``pos_label=labels[1]``.
    pos_label : label, optional
        The label of the event.

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
    """

    y: Array
    p: Array
    weight: Array | None
    clusters: Array | None
    time: Array | None
    groups: Array | None

    def __init__(
        self,
        y: ArrayLike,
        p: ArrayLike,
        *,
        weight: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        time: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        labels: tuple[object, object] | None = None,
        pos_label: object = None,
    ) -> None:
        if labels is not None:
            pos_label = _event_label(labels, pos_label)
        rows = check_rows(y, p, weight, pos_label=pos_label, labels=labels)
        columns = {"clusters": clusters, "time": time, "groups": groups}
        checked = {
            name: None if column is None else check_column(column, name, rows.p)
            for name, column in columns.items()
        }
        for name, column in (rows._asdict() | checked).items():
            object.__setattr__(self, name, None if column is None else kept(column))

    def tally(self) -> Tally:
        """Count outcomes at each distinct forecast."""
        return Tally.from_arrays(self.y, self.p, self.weight)

    def __len__(self) -> int:
        """Count the rows."""
        return int(self.p.shape[0])

    def __repr__(self) -> str:
        optional = ("weight", "clusters", "time", "groups")
        known = [name for name in optional if getattr(self, name) is not None]
        return f"Cases({len(self)} rows{' with ' + ', '.join(known) if known else ''})"


class InUse(NamedTuple):
    """The rows of positive weight, as numpy arrays, and which of all rows they are."""

    y: Any
    p: Any
    weight: Any
    used: Any


def weights_of(cases: Cases) -> Any:
    """Return the weight of each row; without weights, each weighs 1."""
    if cases.weight is None:
        return np.ones(len(cases))
    return to_numpy(cases.weight).astype(np.float64)


def rows_in_use(cases: Cases) -> InUse:
    """Leave out the rows of weight 0."""
    weight = weights_of(cases)
    used = weight > 0
    return InUse(to_numpy(cases.y)[used], to_numpy(cases.p)[used], weight[used], used)


def number_clusters(cases: Cases, used: Any) -> Any:
    """Give the clusters of the cases in use numbers from 0; refuse one that is alone."""
    label = to_numpy(cases.clusters)[used]
    try:
        number = np.unique(label, return_inverse=True)[1]
    except TypeError:
        # Ids of several kinds have no order, but they can be told apart.
        seen: dict[Any, int] = {}
        number = np.array([seen.setdefault(x, len(seen)) for x in label.tolist()])
    if not number.any():
        message = (
            "clusters say how far off an estimate may be only if there are two or more; got one"
        )
        raise DataError(message)
    return number


def has_clusters(source: object) -> TypeGuard[Cases]:
    """Tell whether cases are known to come in clusters; a tally has lost that."""
    return isinstance(source, Cases) and source.clusters is not None


def has_time(source: object) -> TypeGuard[Cases]:
    """Tell whether cases are known to follow one another in time."""
    return isinstance(source, Cases) and source.time is not None


def is_dependent(source: object) -> TypeGuard[Cases]:
    """Tell whether cases come in clusters, or follow one another in time."""
    return has_clusters(source) or has_time(source)


def require_no_time(source: object, what: str) -> None:
    """Refuse to take cases that follow one another in time as independent."""
    if has_time(source):
        message = f"{what} does not allow for dependence in time; these cases have times"
        raise DataError(message, hint="make Cases without time to take them as independent.")


def require_independent(source: object, what: str) -> None:
    """Refuse to take cases as independent that come in clusters, or follow one another in time."""
    require_no_time(source, what)
    if has_clusters(source):
        message = f"{what} takes cases as independent; these have clusters"
        raise DataError(message, hint="make Cases without clusters to take them as independent.")


def _event_label(labels: tuple[object, object], pos_label: object) -> object:
    if len(labels) != 2 or labels[0] == labels[1]:
        message = f"labels must be the two labels of a binary outcome; got {labels!r}"
        raise DataError(message)
    if pos_label is not None and pos_label != labels[1]:
        message = f"pos_label must be the last of labels, {labels[1]!r}; got {pos_label!r}"
        raise DataError(message)
    return labels[1]
