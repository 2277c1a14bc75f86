"""Whether a model can be repaired: the map for its forecasts, and these before and after.

What stands here as "after" was made by cross-fitting: each forecast by a map that was fitted
without its case. The curve of a map on the very cases that it was fitted to would flatter.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from properly._boundary._libraries import to_numpy
from properly._boundary._notices import collected
from properly._boundary._options import as_generator
from properly._boundary._record import Record
from properly.calibration._reliability import reliability
from properly.decisions._grid import round_middle
from properly.decisions._murphy import murphy_difference
from properly.evaluation._record import Curves
from properly.inference._design import one_dependence
from properly.recalibration._choice import NONE, Recalibrated, recalibrate
from properly.recalibration._cross_fit import cross_fit
from properly.recalibration._gain import Gain, in_sample_gain, of_forecasts
from properly.rules import Elementary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.calibration import Reliability
    from properly.counts import Cases
    from properly.decisions import MurphyCurve
    from properly.evaluation._source import Asked
    from properly.rules import Interval

# Seeds that are drawn if there is none.
SEEDS = 2**32
# What is written of each gain beside the estimate and its interval.
ALSO = ("standard_error", "mean_change", "in_sample")


@dataclass(frozen=True, eq=False, repr=False)
class Repair(Record):
    """What recalibration would do for a model, on new cases.

    Attributes
    ----------
    result : Recalibrated
        The answer of `properly.recalibrate`, by the rule that models are judged by first.
    kind : str
        The kind of map that is looked at in all that follows: the chosen one. If none was chosen,
        the one that would save most, which is not worth using either.
    before, after : Reliability or None
        Curves of the forecasts as they are, and of the cross-fitted ones; None of classes.
    by_rule : dict of Gain
        What that map would save, by name of the rule, for each rule of the evaluation.
    net_benefit : dict of Gain
        By threshold, the net benefit that it would add; empty of classes.

    Examples
    --------
    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> model = {"balanced": crash.forecasts["balanced_boosting"]}
    >>> e = properly.evaluate(
    ...     crash.died, model, within=(0.01, 0.1), recalibrate="auto", replicates=0, rng=0
    ... )
    >>> e.repairs["balanced"]
    Repair(intercept, recommended)
    >>> e.repairs["balanced"].result.map
    Intercept(intercept=-2.719)
    """

    result: Recalibrated
    kind: str
    before: Reliability | None
    after: Reliability | None
    by_rule: dict[str, Gain]
    net_benefit: dict[float, Gain]
    # The difference is made when it is asked for: of very many cases it takes more memory than
    # they do.
    _curves: Mapping[str, MurphyCurve] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        advice = "recommended" if self.result.recommended else "not recommended"
        return f"Repair({self.kind}, {advice})"

    @property
    def recommended(self) -> bool:
        """Whether the map is worth using."""
        return self.result.recommended

    @property
    def difference(self) -> MurphyCurve | None:
        """The regret that the map would save at each threshold, with a band where there is one.

        None of classes. It is made whenever it is asked for.
        """
        return self._curves.get("difference")

    def gain(self, rule: str) -> Gain:
        """Return what recalibration would save by a rule; by the one judged by, choice included."""
        whole = self.result.gain
        return whole if whole.rule == rule and self.recommended else self.by_rule[rule]

    def _row(self) -> dict[str, Any]:
        """Return the numbers; maps are saved by themselves, and what all gains share is told once.

        How a gain was found stands in the first of them.
        """
        result = self.result
        return {
            "recommended": result.recommended,
            "chosen": result.chosen,
            "kind": self.kind,
            "gain": result.gain,
            "before_the_choice": {kind: _numbers(x) for kind, x in result.gains.items()},
            "by_rule": {rule: _numbers(x) for rule, x in self.by_rule.items()},
            "net_benefit": {f"{t:g}": _numbers(x) for t, x in self.net_benefit.items()},
            "reasons": result.reasons,
            "sentence": result.sentence,
        }

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a map, before the choice."""
        return self.result._columns()  # noqa: SLF001


def _numbers(gain: Gain) -> dict[str, Any]:
    return {name: getattr(gain, name) for name in ("estimate", "interval", *ALSO)}


def repair(cases: Cases, request: Asked, name: str) -> Repair:
    """Recalibrate a model as asked, and look at its forecasts before and after."""
    seed = request.seed
    if seed is None:
        seed = int(as_generator(request.rng).integers(SEEDS))
    options: dict[str, Any] = {"rule": request.primary if request.primary.is_proper else None}
    options |= {"level": request.level, "rng": seed, "name": name, "progress": False}
    with collected():
        result = recalibrate(cases, request.recalibrate, **options)
        kind = result.best
        if kind == NONE:
            return Repair(result, kind, None, None, {}, {})
        mapping = result.maps[kind]
        after = cross_fit(cases, mapping, rng=seed)
        how: dict[str, Any] = {"name": kind, "folds": result.gain.folds, "level": request.level}

        def gain(rule: Any) -> Gain:
            found = of_forecasts(cases, to_numpy(after.p), rule, **how)
            return replace(found, in_sample=in_sample_gain(cases, mapping, rule))

        by_rule = {rule.name: gain(rule) for rule in request.rules}
        if cases.classes is not None:
            return Repair(result, kind, None, None, by_rule, {})
        every = _chosen_thresholds(request.within, cases.tally().event_rate)
        benefit = {t: _in_net_benefit(gain(Elementary(t)), t) for t in every}
    before_it, after_it = (reliability(x.tally()) for x in (cases, after))
    pair = one_dependence(cases), one_dependence(after)
    curves = Curves(partial(_difference, request.level), {"difference": pair})
    return Repair(result, kind, before_it, after_it, by_rule, benefit, curves)


def _difference(level: float, pair: tuple[Cases, Cases]) -> MurphyCurve:
    """Subtract regret after from regret before."""
    return murphy_difference(*pair, band="confidence", level=level).on_regret_scale()


def _in_net_benefit(gain: Gain, t: float) -> Gain:
    """Regret at a threshold over 1 - t is net benefit that is lost."""
    numbers = ("estimate", "standard_error", "in_sample")
    scaled = {name: getattr(gain, name) / (1 - t) for name in numbers}
    low, high = (end / (1 - t) for end in gain.interval)
    return replace(gain, rule=f"net_benefit[{t:g}]", interval=(low, high), **scaled)


def _chosen_thresholds(within: Interval | None, event_rate: float) -> tuple[float, ...]:
    """Return both ends of the range and its middle; or else around the event rate."""
    sides = (event_rate / 2, 2 * event_rate)
    ends = [float(f"{x:.1g}") for x in sides] if within is None else [within.lower, within.upper]
    every = {*ends, round_middle(within, event_rate)}
    return tuple(sorted(t for t in every if 0 < t < 1))
