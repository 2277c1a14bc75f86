"""Several forecasts of the same outcomes, by the names of their models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._cases import Cases, weights_of
from properly._elementary import Outcomes, outcomes
from properly._libraries import to_numpy
from properly._tally import Tally, as_tally
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from properly.rules import BinaryRule

Column: TypeAlias = np.ndarray[Any, Any]
Model: TypeAlias = Tally | Cases

HINT = "give tallies, made by Cases.tally(), to do without standard errors."


def by_model(models: Mapping[str, Model], least: int = 2) -> dict[str, Model]:
    """Take models by their names, which must differ as text; there must be enough to compare."""
    if not isinstance(models, Mapping):
        message = f"models are given by name, in a dict; got {type(models).__name__}"
        raise ArgumentTypeError(message, hint="write {'name': properly.tally(y, p), ...}.")
    named = {str(name): model for name, model in models.items()}
    if len(named) < len(models):
        message = f"models must have names that differ as text; got {list(models)}"
        raise DataError(message)
    if len(named) < least:
        enough = f"{least} model{'s' * (least != 1)}"
        message = f"there must be at least {enough} to compare; got {len(named)}"
        raise DataError(message, hint="properly.baselines(tally) makes three to compare with.")
    return named


def same_outcomes(models: Mapping[str, Model]) -> list[Outcomes]:
    """Take what happened out of each model; it must be as many events of as many cases."""
    found = [outcomes(as_tally(model)) for model in models.values()]
    counts = [(x.total, float(x.events.sum())) for x in found]
    for name, count in zip(models, counts, strict=True):
        if not np.allclose(count, counts[0], rtol=1e-9, atol=0):
            pairs = ((next(iter(models)), counts[0]), (name, count))
            told = " and ".join(f"{n!r} with {e:g} events of {t:g}" for n, (t, e) in pairs)
            message = f"models are compared on the same cases; got {told}"
            raise DataError(message)
    return found


def mass_of(rule: BinaryRule, lower: Column, upper: Column) -> Column:
    """Return the weight of the thresholds above `lower`, up to and including `upper`."""
    return np.asarray(rule.false_positives(lower, upper) + rule.false_negatives(lower, upper))


def require_same_rows(models: Mapping[str, Cases]) -> None:
    """Refuse models whose rows do not belong together."""
    (first, cases), *others = models.items()
    for name, other in others:
        names = f"{first!r} and {name!r}"
        if len(cases) != len(other):
            got = f"{len(cases)} and {len(other)}"
            message = f"Cases are compared row by row; {names} have {got} rows"
            raise DataError(message, hint=HINT)
        _require_equal("outcomes", names, to_numpy(cases.y), to_numpy(other.y))
        _require_equal("weights", names, weights_of(cases), weights_of(other))
        if (cases.clusters is None) != (other.clusters is None):
            message = f"Cases are compared row by row; of {names}, only one has clusters"
            raise DataError(message, hint=HINT)
        if cases.clusters is not None:
            _require_equal("clusters", names, to_numpy(cases.clusters), to_numpy(other.clusters))


def _require_equal(what: str, names: str, first: Column, second: Column) -> None:
    differ = np.flatnonzero(first != second)
    if differ.size:
        row = int(differ[0])
        got = " and ".join(repr(x[row : row + 1].tolist()[0]) for x in (first, second))
        message = f"Cases are compared row by row; in row {row}, {names} have the {what} {got}"
        raise DataError(message, hint=HINT)
