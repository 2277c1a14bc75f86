"""Models that forecast the same outcomes: their forecasts, checked against one set of cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from properly._boundary._arrays import check_forecasts, check_length, counts_beside
from properly._boundary._classes import check_probabilities, columns_of, is_table, require_order
from properly._boundary._libraries import to_library_of
from properly._boundary._record import as_models
from properly._boundary._text import many
from properly.counts._cases import (
    Cases,
    repeated_rows,
    require_both,
    some_cases,
    with_forecasts,
)
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from properly.typing import ArrayLike, IntoFrame

    Forecasts: TypeAlias = Mapping[str, ArrayLike] | IntoFrame | ArrayLike


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
        require_order(columns_of(other), columns_of(p), f"classes of {name!r}")
        checked = _checked(other, name, cases, normalize=normalize)
        result[name] = with_forecasts(cases, checked, lent=lent)
    if count is None:
        return result
    times = counts_beside(cases.p, count)
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


def _checked(p: Any, name: str, cases: Cases, *, normalize: bool) -> Any:
    """Check the forecasts of another model: as many rows, and as many classes."""
    if cases.classes is None:
        if is_table(p):
            message = (
                "models must all forecast one event, or all the same classes; "
                f"{name!r} has several columns, the first model has one"
            )
            raise DataError(message)
        checked = check_forecasts(p, f"forecasts of {name!r}")
    else:
        checked = check_probabilities(p, normalize=normalize, name=f"probabilities of {name!r}")
        if int(checked.shape[1]) != cases.classes:
            message = (
                "models must all forecast one event, or all the same classes; "
                f"{name!r} has {checked.shape[1]} columns, the first model has {cases.classes}"
            )
            raise DataError(message)
    check_length(checked, cases.p, f"forecasts of {name!r}", "those of the first model")
    return to_library_of(checked, cases.p)
