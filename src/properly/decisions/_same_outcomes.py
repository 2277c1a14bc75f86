"""Models by name: checks that their forecasts are of the same outcomes, and baselines to add."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from properly._boundary._libraries import namespace, to_library_of, to_numpy
from properly.counts._baselines import baselines
from properly.counts._cases import Cases, by_name, has_clusters, weights_of
from properly.counts._tally import Tally, as_tally
from properly.decisions._elementary import OutcomeCounts, outcomes
from properly.errors import ArgumentTypeError, DataError

Model: TypeAlias = Tally | Cases


def by_model(models: Mapping[str, Model], least: int = 2) -> dict[str, Model]:
    """Take tallies or cases of models by their names."""
    if not isinstance(models, Mapping):
        message = f"models are given by name, in a dict; got {type(models).__name__}"
        raise ArgumentTypeError(message, hint="write {'name': properly.tally(y, p), ...}.")
    return by_name(models, least, "properly.counts.baselines(tally) makes three to compare with.")


def baselines_beside(models: Mapping[str, Model]) -> dict[str, Tally]:
    """Make the baselines of the outcomes, under names that are still free."""
    added = baselines(next(iter(models.values())))
    for name in added:
        if name in models:
            message = f"baselines are added under names of their own; got a model called {name!r}"
            raise DataError(message, hint="baselines=False adds none.")
    return added


def same_outcomes(models: Mapping[str, Model]) -> list[OutcomeCounts]:
    """Take what happened out of each model; it must be as many events of as many cases."""
    result = {name: outcomes(as_tally(model)) for name, model in models.items()}
    require_same_totals(result)
    return list(result.values())


def require_same_totals(models: Mapping[str, OutcomeCounts]) -> None:
    """Refuse models of which one has more cases, or more events, than the first."""
    counts = {name: (x.total, float(x.events.sum())) for name, x in models.items()}
    (first, total), *others = counts.items()
    for name, count in others:
        if not np.allclose(count, total, rtol=1e-9, atol=0):
            pairs = ((first, total), (name, count))
            got = " and ".join(f"{n!r} with {e:g} events of {t:g}" for n, (t, e) in pairs)
            message = f"models are compared on the same cases; got {got}"
            raise DataError(message)


def require_same_rows(models: Mapping[str, Cases], hint: str | None = None) -> None:
    """Refuse models whose rows do not belong together; a hint may say how to do without rows."""
    (first, cases), *others = models.items()
    for name, other in others:
        result = _unlike(cases, other, f"{first!r} and {name!r}")
        if result is not None:
            message = f"Cases are compared row by row; {result}"
            raise DataError(message, hint=hint)


def require_same_design(first: Cases, second: Cases) -> None:
    """Refuse two forecasts that are not of the same strata, or not of the same times."""
    for name in ("strata", "time"):
        one, other = (getattr(x, name) for x in (first, second))
        same = one is other is None
        if one is not None and other is not None:
            same = bool((to_numpy(one) == to_numpy(other)).all())
        if not same:
            message = f"Cases are compared row by row; 'first' and 'second' differ in their {name}"
            raise DataError(message)


def _unlike(one: Cases, other: Cases, names: str) -> str | None:
    """Say what two models do not have in common, and where."""
    if len(one) != len(other):
        return f"{names} have {len(one)} and {len(other)} rows"
    if has_clusters(one) != has_clusters(other):
        return f"of {names}, only one has clusters"
    columns = {"outcomes": (one.y, to_library_of(other.y, one.y))}
    if one.weight is not None or other.weight is not None:
        columns["weights"] = weights_of(one), weights_of(other)
    if has_clusters(one):
        columns["clusters"] = to_numpy(one.clusters), to_numpy(other.clusters)
    for what, (first, second) in columns.items():
        differ = namespace(first).nonzero(first != second)[0]
        if differ.shape[0]:
            row = int(differ[0])
            got = " and ".join(repr(x[row : row + 1].tolist()[0]) for x in (first, second))
            return f"in row {row}, {names} have the {what} {got}"
    return None
