"""What was asked for: rules, the range of thresholds, and models by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from properly._boundary._frames import as_models
from properly.calibration._decomposition import require_proper
from properly.counts._cases import Cases
from properly.counts._tally import Tally
from properly.errors import ArgumentTypeError, DataError
from properly.evaluation._class_scores import asked_rules, require_distinct
from properly.rules import BinaryRule, Bounded, Brier, Log, Regret
from properly.rules._interval import Interval, as_interval
from properly.rules._rule import as_rules, require_binary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from properly.engines._framed import Framed
    from properly.rules import Rule

    Within = Interval | tuple[float, float] | None


def rules_of_event(
    rules: Iterable[Rule] | Rule | None,
    within: Interval | tuple[float, float] | None,
) -> tuple[tuple[BinaryRule, ...], BinaryRule, Interval | None]:
    """Take the rules, the one that models are judged by first, and the range."""
    if rules is None:
        rules = Brier(), Log()
    asked = tuple(require_proper(require_binary(rule)) for rule in as_rules(rules))
    ends = None if within is None else as_interval(within)
    if ends is not None:
        asked = tuple(form for rule in asked for form in _forms(rule, ends))
    require_distinct("rules", [rule.name for rule in asked])
    over = (rule for rule in asked if isinstance(rule, Bounded | Regret) and rule.within == ends)
    return asked, next(over, asked[0]), ends


def _forms(rule: BinaryRule, within: Interval) -> tuple[BinaryRule, ...]:
    """Put the mean of a rule over a range behind it, or its integral if there is no mean."""
    if isinstance(rule, Bounded | Regret):
        return (rule,)
    has_mean = 0 < rule.length(within.lower, within.upper) < math.inf
    return rule, Bounded(rule, within, "mean" if has_mean else "integral")


def rules_of_frame(
    frame: Framed,
    task: str,
    rules: Iterable[Rule] | Rule | None,
    within: Interval | tuple[float, float] | None,
) -> Sequence[Rule]:
    """Take the rules for a frame of an event, or of classes."""
    if not frame.has_classes:
        return rules_of_task("binary", rules, within)
    require_of_an_event(within, frame.pos_label)
    return rules_of_task("ordinal" if task == "ordinal" else "multiclass", rules, within)


def rules_of_task(
    task: Literal["binary", "multiclass", "ordinal"],
    rules: Iterable[Rule] | Rule | None,
    within: Interval | tuple[float, float] | None,
) -> Sequence[Rule]:
    """Take the rules that were asked for, or those that suit the task."""
    if task == "binary":
        return rules_of_event(rules, within)[0]
    require_of_an_event(within, None)
    return asked_rules(rules, task)


def require_of_an_event(within: object, pos_label: object) -> None:
    """Refuse what makes sense for one event only."""
    for name, value in (("within", within), ("pos_label", pos_label)):
        if value is not None:
            message = f"{name} is for forecasts of one event; these are of several classes"
            hint = "pass rules=Ranked(Bounded(Brier(), within))." if name == "within" else None
            raise DataError(message, hint=hint)


def models_by_name(forecasts: Any, task: str) -> dict[str, Any]:
    """Take forecasts by the names of models, which must differ as text."""
    if isinstance(forecasts, Mapping):
        models = forecasts
    elif task in ("multiclass", "ordinal"):
        models = {"forecast": forecasts}
    else:
        models = as_models(forecasts)
    _require_forecasts(models)
    named = [str(name) for name in models]
    require_distinct("models", named)
    return dict(zip(named, models.values(), strict=True))


def _require_forecasts(models: Mapping[Any, Any]) -> None:
    for name, p in models.items():
        if isinstance(p, Tally | Cases):
            message = f"models are given by their forecasts; {name!r} is a {type(p).__name__}"
            raise ArgumentTypeError(message, hint="write evaluate(y, {'name': p, …}).")
