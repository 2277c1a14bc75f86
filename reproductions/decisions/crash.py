"""Table 2 and Figures 2 to 4, on forecasts of death in car crashes.

The paper's patients cannot be had offline. Death in a car crash is as rare, and what to do about it
is decided at thresholds as low. Figure 4 has decision curves on axes that make an area a score.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._record import columns_of, plain
from properly._boundary._text import table
from properly.calibration import decompose
from properly.counts import Cases, Tally, baselines
from properly.counts._scoring import mean_score
from properly.datasets import crash
from properly.decisions import decision_curve, ranking, regret_curve, roc_curve
from properly.decisions._elementary import rows_of
from properly.rules import Bounded, Brier, Log, MissedBenefit, Regret
from reproductions.decisions.assel import auc_influence
from reproductions.tables import Table, section

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from properly.calibration import Decomposition
    from properly.decisions import DecisionCurve, MurphyCurve, RocCurve
    from properly.plots._threshold_scale import Axis
    from properly.rules import BinaryRule
    from properly.typing import Column


WITHIN = (0.01, 0.1)
RULES = {
    "Brier": Brier(),
    "log": Log(),
    "bounded log": Bounded(Log(), WITHIN),
    "bounded Brier": Bounded(Brier(), WITHIN),
}
METRICS = ("AUC", *RULES)
# The score whose parts are drawn: finite for forecasts of 0 and 1, and about the range.
DRAWN = "bounded log"


class Lead(NamedTuple):
    """By how much the best model is ahead of the next, and the paired standard error of that."""

    best: str
    second: str
    difference: float
    error: float

    @property
    def clear(self) -> bool:
        """Whether it is more than two standard errors."""
        return abs(self.difference) > 2 * self.error


@dataclass(frozen=True, eq=False)
class CrashTable(Table):
    """Five models and three baselines, over all thresholds and from 1 % to 10 %.

    Attributes
    ----------
    models : tuple of str
        The models; the other rows are baselines.
    values : dict of str to dict of str to float
        By metric, then by model or baseline.
    leads : dict of str to Lead
        By metric.
    parts : dict of str to Decomposition
        Of the bounded log score, by model.
    regret : dict of str to MurphyCurve
        By model.
    roc : dict of str to RocCurve
        By model.
    event_rate : float
        Share of those who died.
    wrong : dict of str to int
        How many of them had the forecast 0, by model, if any.
    """

    models: tuple[str, ...]
    values: dict[str, dict[str, float]]
    leads: dict[str, Lead]
    parts: dict[str, Decomposition]
    regret: dict[str, MurphyCurve]
    roc: dict[str, RocCurve]
    event_rate: float
    wrong: dict[str, int]

    def order(self, metric: str) -> list[str]:
        """List the models, the best first."""
        found = self.values[metric]
        return sorted(self.models, key=lambda m: found[m], reverse=metric == "AUC")

    def swapped(self, first: str, second: str) -> list[tuple[str, str]]:
        """List the pairs of models that two metrics order differently, the first's choice first."""
        other = self.order(second)
        pairs = combinations(self.order(first), 2)
        return [(a, b) for a, b in pairs if other.index(a) > other.index(b)]

    def beaten(self, metric: str) -> list[tuple[str, str]]:
        """List the models that a baseline beats, with the best such baseline."""
        found = self.values[metric]
        sign = -1 if metric == "AUC" else 1
        constants = [name for name in found if name not in self.models]
        best = min(constants, key=lambda name: sign * found[name])
        return [(m, best) for m in self.order(metric) if sign * found[best] < sign * found[m]]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a model or baseline."""
        names = list(self.values["AUC"])
        columns: dict[str, list[Any]] = {"model": names}
        return columns | {m: plain([self.values[m][n] for n in names]) for m in METRICS}

    def __str__(self) -> str:
        """Print the table, the parts of the drawn score, and what they show."""
        digits = {"AUC": 3, "bounded log": 5}
        rows = [
            [name, *(f"{self.values[m][name]:.{digits.get(m, 4)}f}" for m in METRICS)]
            for name in self.values["AUC"]
        ]
        parts = [
            [name, *(f"{x:.5f}" for x in (p.score, p.miscalibration, p.discrimination))]
            for name, p in self.parts.items()
        ]
        return section(
            "Table 2, Figures 2 and 3, on death in car crashes, 1 % to 10 %",
            f"{100 * self.event_rate:.1f} % died. Bounded scores are means over the range.",
            "± one standard error, paired, which allows for several persons in one accident.",
            table(["", *METRICS], rows),
            *self._verdict(),
            "",
            table([DRAWN, "score", "MCB", "DSC"], parts),
            *self._reconciled(),
        )

    def _verdict(self) -> list[str]:
        leads = [_tell_lead(metric, lead) for metric, lead in self.leads.items()]
        beaten = [_tell_beaten(metric, self.beaten(metric)) for metric in METRICS]
        wrong = [
            f"The log score of {model} is infinite: {n} of those who died had the forecast 0."
            for model, n in self.wrong.items()
        ]
        swaps = [
            f"The Brier score prefers {a} to {b}, over the range it is the reverse."
            for a, b in self.swapped("Brier", "bounded Brier")
        ]
        same = "By the Brier score the models are in the same order over the range as over all."
        return [*leads, *(swaps or [same]), *beaten, *wrong]

    def _reconciled(self) -> list[str]:
        """Say why a better ranking may cost more."""
        found = []
        for a, b in self.swapped("AUC", DRAWN):
            one, two = self.parts[a], self.parts[b]
            more = one.miscalibration - two.miscalibration
            gain = one.discrimination - two.discrimination
            found.append(f"{a} ranks better than {b} but costs more over the range:")
            found.append(f"  {gain:+.5f} of discrimination, {more:+.5f} of miscalibration.")
        return found


def table2() -> CrashTable:
    """Judge the models that come with this package, and the baselines."""
    data = crash()
    tallies = {name: Tally.from_arrays(data.died, p) for name, p in data.forecasts.items()}
    compared = tallies | baselines(next(iter(tallies.values())))
    values = {"AUC": {name: ranking(t).auc for name, t in compared.items()}}
    for metric, rule in RULES.items():
        values[metric] = {name: mean_score(t, rule) for name, t in compared.items()}
    wrong = {name: int(np.sum(data.died & (p == 0))) for name, p in data.forecasts.items()}
    return CrashTable(
        tuple(tallies),
        values,
        {metric: _lead(metric, data.died, data.forecasts, data.cluster) for metric in METRICS},
        {name: decompose(t, RULES[DRAWN]) for name, t in tallies.items()},
        {name: regret_curve(t) for name, t in tallies.items()},
        {name: roc_curve(t) for name, t in tallies.items()},
        float(np.mean(data.died)),
        {name: n for name, n in wrong.items() if n},
    )


def _lead(metric: str, y: Column, forecasts: Mapping[str, Column], cluster: Column) -> Lead:
    """Compare the two best models, case by case."""
    amounts = {name: contributions(metric, y, p) for name, p in forecasts.items()}
    sign = -1 if metric == "AUC" else 1
    best, second = sorted(amounts, key=lambda name: sign * float(amounts[name].mean()))[:2]
    rows = rows_of(Cases(y, forecasts[best], clusters=cluster))
    difference = np.bincount(rows.unit, amounts[best] - amounts[second])
    means, errors = rows.mean_and_error([difference])
    return Lead(best, second, float(means[0]), float(errors[0]))


def contributions(metric: str, y: Column, p: Column) -> Column:
    """Return what each case adds to the mean that a metric is, or nearly is."""
    if metric != "AUC":
        losses: Column = RULES[metric].loss(y, p)
        return losses
    tally = Tally.from_arrays(y, p)
    event, none = auc_influence(tally)
    place = np.searchsorted(np.asarray(tally.value), p)
    return ranking(tally).auc + np.where(y, event[place], none[place])


def _tell_lead(metric: str, lead: Lead) -> str:
    ahead = f"ahead of {lead.second} by {abs(lead.difference):.5f} ± {lead.error:.5f}"
    said = "more than" if lead.clear else "within"
    return f"{metric}: {lead.best} is best, {ahead}, {said} two standard errors."


def _tell_beaten(metric: str, pairs: list[tuple[str, str]]) -> str:
    if not pairs:
        return f"{metric}: no baseline beats a model."
    return f"{metric}: {pairs[0][1]} beats {' and '.join(model for model, _ in pairs)}."


MODEL = "logistic"
# Of each axis: how fast the position moves with the threshold, and the score that the area is.
SLOPES: dict[Axis, Callable[[Column], Column]] = {
    "linear": np.ones_like,
    "quadratic": lambda c: 1 - c,
    "logarithmic": lambda c: 1 / c,
}
SCORES: dict[Axis, tuple[str, BinaryRule]] = {
    "linear": ("event rate less mean net benefit", Bounded(MissedBenefit(), WITHIN)),
    "quadratic": ("mean regret", Regret(WITHIN)),
    "logarithmic": ("bounded log score", Bounded(Log(), WITHIN)),
}
NODES = 16
ROUNDING = 1e-9


@dataclass(frozen=True)
class Area:
    """The area between the event rate and a decision curve, on one axis.

    Attributes
    ----------
    axis : str
        As in `properly.plots.decision`.
    area : float
        The area over the range, per length: of the thresholds, on the logarithmic axis of their
        log-odds.
    what, score : str, float
        The score that it is to be, from the losses of the cases.
    """

    axis: Axis
    area: float
    what: str
    score: float

    @property
    def agrees(self) -> bool:
        """Whether the area is the score."""
        return abs(self.area - self.score) < ROUNDING * self.score


@dataclass(frozen=True, eq=False)
class Rescaled(Table):
    """One decision curve, and its area on three axes.

    Attributes
    ----------
    curve : DecisionCurve
        Of the logistic model of death in car crashes, exact.
    areas : tuple of Area
        Over 1 % to 10 %.
    bounded_brier : float
        What the paper says the area on the quadratic axis is.
    """

    curve: DecisionCurve
    areas: tuple[Area, ...]
    bounded_brier: float

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry an axis."""
        return columns_of(self.areas)

    def __str__(self) -> str:
        """Print each area beside the score that it is to be."""
        rows = [
            [f"{a.axis}: {a.what}", f"{a.area:.9f}", f"{a.score:.9f}{' ' if a.agrees else '!'}"]
            for a in self.areas
        ]
        quadratic = next(a.area for a in self.areas if a.axis == "quadratic")
        return section(
            "Figure 4: area between event rate and decision curve, on three axes",
            f"The model {MODEL} of death in car crashes, 1 % to 10 %. The area is that of the",
            "curve, piece by piece; the score is a mean of losses, case by case.",
            table(["axis: what the area is", "area", "score "], rows),
            "The paper: on the quadratic axis the area is the bounded Brier score. That is",
            f"{self.bounded_brier:.9f}: {self.bounded_brier / quadratic:.4f} times the area.",
        )


def rescaled() -> Rescaled:
    """Measure the area of one curve on each axis."""
    data = crash()
    tally = Tally.from_arrays(data.died, data.forecasts[MODEL])
    curve = decision_curve(tally, "every")
    areas = tuple(
        Area(axis, area(curve, axis), what, mean_score(tally, rule))
        for axis, (what, rule) in SCORES.items()
    )
    return Rescaled(curve, areas, mean_score(tally, Bounded(Brier(), WITHIN)))


def area(curve: DecisionCurve, axis: Axis) -> float:
    """Integrate what net benefit falls short of the event rate, between one jump and the next."""
    lower, upper = WITHIN
    inside = (curve.threshold > lower) & (curve.threshold < upper)
    ends = np.concatenate([[lower], curve.threshold[inside], [upper]])
    node, weight = np.polynomial.legendre.leggauss(NODES)
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    c = middle[:, None] + half[:, None] * node
    short = (curve.event_rate - curve.at(c)) * SLOPES[axis](c)
    length = upper - lower
    if axis == "logarithmic":
        length = float(np.log(upper / (1 - upper)) - np.log(lower / (1 - lower)))
    return float(half @ (short @ weight)) / length
