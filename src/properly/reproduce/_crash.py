"""Table 2 and Figures 2 and 3 once more, on forecasts that come with this package.

The paper's patients cannot be had offline. Death in a car crash is as rare, and what to do about it
is decided at thresholds as low.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._record import plain, to_frame
from properly.calibration._decomposition import decompose
from properly.counts._baselines import baselines
from properly.counts._cases import Cases
from properly.counts._scoring import mean_score
from properly.counts._tally import Tally
from properly.datasets import crash
from properly.decisions._elementary import rows_of
from properly.decisions._murphy import regret_curve
from properly.decisions._roc import ranking, roc_curve
from properly.reproduce._columns import auc_influence
from properly.reproduce._layout import heading, table
from properly.rules import Bounded, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly._boundary._record import Backend
    from properly.calibration._decomposition import Decomposition
    from properly.decisions._murphy import MurphyCurve
    from properly.decisions._roc import RocCurve
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
class CrashTable:
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

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a model or baseline as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict(), backend)

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
        return "\n".join(
            [
                heading("Table 2, Figures 2 and 3, on death in car crashes, 1 % to 10 %"),
                f"{100 * self.event_rate:.1f} % died. Bounded scores are means over the range.",
                "± one standard error, paired, which allows for several persons in one accident.",
                table(["", *METRICS], rows),
                *self._verdict(),
                "",
                table([DRAWN, "score", "MCB", "DSC"], parts),
                *self._reconciled(),
            ]
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
    difference = np.bincount(rows.cluster, amounts[best] - amounts[second])
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
