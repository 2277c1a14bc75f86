"""Pictures of an evaluation: which of its records each of them draws."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import cleandoc
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

from properly.errors import DataError

if TYPE_CHECKING:
    from properly.evaluation._record import Evaluation

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
P = ParamSpec("P")

# Pictures of one model at a time.
ONE = ("confusion", "groups", "worst_cases")
# What else `evaluate` needs to know for a picture.
NEEDED = {
    "comparison": "evaluate two models or more.",
    "comparison_matrix": "evaluate two models or more.",
    "dominance": "evaluate two models or more, of one event, with replicates.",
    "groups": "properly.evaluate(y, forecasts, groups=column) has them.",
}


# Where an evaluation has the records of a picture, by model, unless they have its name.
RECORDS: dict[str, Callable[[Evaluation], Any]] = {
    "confusion": lambda e: {k: x.argmax.confusion for k, x in (e.decisions or {}).items()},
    "mcb_dsc": lambda e: {name: by_rule[e.primary] for name, by_rule in e.parts.items()},
    "means_bars": attrgetter("means"),
    "murphy": attrgetter("regret"),
    "reliability_grid": attrgetter("reliability"),
    "worst_cases": attrgetter("worst"),
}


class OfEvaluation(Protocol[S_contra, P, R_co]):
    """A picture of records, or of an evaluation that has them."""

    __name__: str

    @overload
    def __call__(self, record: S_contra, /, *args: P.args, **options: P.kwargs) -> R_co: ...
    @overload
    def __call__(
        self, evaluation: Evaluation, /, *args: Any, model: str | None = None, **options: Any
    ) -> R_co: ...


def draws_evaluation(draw: Callable[Concatenate[S, P], R]) -> OfEvaluation[S, P, R]:
    """Let a picture of records take an evaluation, of all of its models or of one."""

    @wraps(draw)
    def drawn(*args: Any, **options: Any) -> Any:
        # A package does not import its neighbour; whoever has an evaluation has imported it.
        record = sys.modules.get("properly.evaluation._record")
        if record is None or not (args and isinstance(args[0], record.Evaluation)):
            return draw(*args, **options)
        records, defaults = _drawn_from(args[0], draw.__name__, options.pop("model", None))
        return draw(*records, *args[1:], **defaults | options)

    head = "Parameters\n----------\n"
    said = (
        f"An evaluation will do as well: ``plots.{draw.__name__}(e)``, and of one of its\n"
        f"models ``plots.{draw.__name__}(e, model=name)``.\n\n"
    )
    drawn.__doc__ = cleandoc(draw.__doc__ or "").replace(head, said + head, 1)
    return cast("OfEvaluation[S, P, R]", drawn)


def _drawn_from(e: Evaluation, picture: str, model: str | None) -> tuple[list[Any], dict[str, Any]]:
    """Return the records that a picture draws, and options that go with them."""
    if model is not None and model not in e.models:
        message = f"a model is one of those of the evaluation; got {model!r}"
        raise DataError(message, hint=f"models: {', '.join(map(repr, e.models))}.")
    if picture == "triptych":
        return [_chosen(e, x, model) for x in ("murphy", "reliability", "roc")], {}
    if picture in ("comparison", "comparison_matrix"):
        return [_present(e.comparisons.get(e.primary), e, picture)], {}
    if picture == "dominance":
        pair = best_pair(e)
        return [_present((e.dominances or {}).get(pair), e, picture)], {"names": pair}
    return [_chosen(e, picture, model)], {"within": e.within} if picture == "regret" else {}


def _chosen(e: Evaluation, picture: str, model: str | None) -> Any:
    """Return the records of all models, or of one: that which is named, or the only one."""
    find = RECORDS.get(picture, attrgetter(picture))
    records: Mapping[str, Any] = _present(find(e), e, picture)
    if model is None and len(records) == 1:
        model = next(iter(records))
    nested = picture.startswith("reliability") and e.task != "binary"
    if model is not None:
        alone = nested or picture in ONE
        return _present(records.get(model), e, picture) if alone else {model: records[model]}
    if nested or picture in ONE:
        names, first = ", ".join(map(repr, records)), next(iter(records))
        message = f"this picture is of one model; the evaluation has {len(records)}: {names}"
        raise DataError(message, hint=f"write plots.{picture}(e, model={first!r}).")
    return records


def best_pair(e: Evaluation) -> tuple[str, str]:
    """Return the two best models, in the order in which they were compared."""
    best = set(sorted(e.models, key=lambda name: e.scores[name][e.primary].value)[:2])
    pairs = (pair for pair in e.dominances or {} if set(pair) == best)
    return next(pairs, ("", ""))


def _present(records: Any, e: Evaluation, picture: str) -> Any:
    """Refuse a picture of what the evaluation does not have."""
    if records is None or (isinstance(records, Mapping) and not records):
        what = "an event" if e.task == "binary" else "classes"
        message = f"plots.{picture} draws what this evaluation of {what} does not have"
        raise DataError(message, hint=NEEDED.get(picture))
    return records
