"""Table 2: four models of breast cancer, with what they should be compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._record import plain
from properly._boundary._text import table
from properly.calibration import decompose
from properly.comparison import compare
from properly.counts import Cases, Tally, baselines
from properly.counts._baselines import EVENT_RATE, TREAT_NONE
from properly.counts._scoring import mean_score
from properly.decisions import ranking, regret_curve, roc_curve
from properly.rules import Bounded, Brier, Log, Regret
from reproductions.columns import numbers, read_columns
from reproductions.tables import Table, section

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from properly.calibration import Decomposition
    from properly.comparison import Comparison
    from properly.decisions import MurphyCurve, RocCurve

CASES, EVENTS = 10_732, 284
RISKS = (0.0166, 0.03)
# What is left of the two risks if they are taken for odds.
AS_ODDS = tuple(x / (1 + x) for x in RISKS)
# Of the file that the authors published: the outcome, and the forecasts of the table.
OUTCOME = "cancer"
COLUMNS = {
    "without density": "logistic_minimal",
    "with density": "logistic_+_density",
    "xgb": "xgboost",
    "xgb (2%)": "xgboost_2pct",
}
METRICS = ("AUC", "Brier", "log", "bounded log", "bounded Brier")
BOUNDED = METRICS[3:]
# From the forecasts that the authors published: AUC, Brier and log score; then, over the range, the
# two scores as integrals, with the risks taken for odds, as printed, and as they are.
COMPUTED = {
    "without density": (
        (0.601213, 0.02630589, 0.15638418),
        (0.0153140784, 0.000661912807),
        (0.0156606123, 0.000692681610),
    ),
    "with density": (
        (0.606416, 0.02630294, 0.15600792),
        (0.0153140784, 0.000661912807),
        (0.0156606123, 0.000692681610),
    ),
    "xgb": (
        (0.574191, 0.02627568, 0.15482212),
        (0.0153196265, 0.000662119806),
        (0.0156656729, 0.000692872824),
    ),
    "xgb (2%)": (
        (0.591052, 0.04152353, 0.19270260),
        (0.0123014015, 0.000545448183),
        (0.0128652976, 0.000584365753),
    ),
}
PRINTED = {
    "without density": ("0.601", "0.0263", "0.156", "0.0153", "0.000662"),
    "with density": ("0.606", "0.0263", "0.156", "0.0153", "0.000662"),
    "xgb": ("0.574", "0.0263", "0.155", "0.0153", "0.000662"),
    "xgb (2%)": ("0.591", "0.0415", "0.193", "0.0123", "0.000545"),
}
DIGITS = (3, 4, 3, 4, 6)
ABSENT = """\
Standard errors, and Figures 2 and 3 on these women, need the forecasts: demo/data/bcsc.csv of the
authors' repository briertools, or a CSV file with its columns cancer, logistic_minimal,
logistic_+_density, xgboost and xgboost_2pct. Name the file:
    properly reproduce consequentialist --data FILE"""


class Curves(NamedTuple):
    """What Figures 2 and 3 show of the authors' own forecasts, by model."""

    regret: Mapping[str, MurphyCurve]
    roc: Mapping[str, RocCurve]
    parts: Mapping[str, Decomposition]


@dataclass(frozen=True)
class BreastCancer(Table):
    """Table 2 with the three baselines, over the range as printed and as meant.

    Attributes
    ----------
    values : dict of str to dict of str to float
        By model or baseline, then by metric; over the range, the risks are taken for odds.
    meant : dict of str to dict of str to float
        The same two scores over the range that the text names.
    cases, events : int
        How many women there are, and how many of them had cancer.
    compared : Comparison or None
        The mean regret of the models over the range that the text names, in pairs; None without the
        forecasts.
    curves : Curves or None
        Of Figures 2 and 3; None without the forecasts.
    """

    values: dict[str, dict[str, float]]
    meant: dict[str, dict[str, float]]
    cases: int = CASES
    events: int = EVENTS
    compared: Comparison | None = None
    curves: Curves | None = None

    @property
    def agrees(self) -> dict[str, tuple[bool, ...]]:
        """Whether each number, rounded, is the printed one, by model."""
        return {
            name: tuple(
                f"{value:.{digits}f}" == text
                for value, digits, text in zip(
                    self.values[name].values(), DIGITS, printed, strict=True
                )
            )
            for name, printed in PRINTED.items()
        }

    def beaten(self, metric: str) -> list[str]:
        """List the models that the constant event rate beats."""
        sign = -1 if metric == "AUC" else 1
        constant = sign * self.values[EVENT_RATE][metric]
        return [name for name in PRINTED if sign * self.values[name][metric] > constant]

    @property
    def inert(self) -> list[str]:
        """The models whose scores over the range are those of acting on nobody."""
        none = self.values[TREAT_NONE]
        return [
            name
            for name in PRINTED
            if all(abs(self.values[name][m] - none[m]) < 1e-6 * none[m] for m in BOUNDED)
        ]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a model or baseline."""
        columns: dict[str, list[Any]] = {"model": list(self.values)}
        columns |= {m: plain([row[m] for row in self.values.values()]) for m in METRICS}
        return columns | {
            f"{m}, as meant": [row[m] for row in self.meant.values()] for m in BOUNDED
        }

    def __str__(self) -> str:
        """Print the table beside the paper's, and what it shows."""
        rows = [line for name in self.values for line in self._lines(name)]
        head = ["", *(f"{m} " for m in METRICS), "log, meant", "Brier, meant"]
        flags = [same for name in PRINTED for same in self.agrees[name]]
        lower, upper = (f"{100 * x:.3f} %" for x in AS_ODDS)
        return section(
            "Table 2: risk of breast cancer, thresholds from 1.66 % to 3 %",
            f"From the published forecasts of {self.cases:,} women; {self.events} had cancer;",
            "the three baselines are computed here. Bounded scores are integrals.",
            table(head, rows),
            f"{sum(flags)} of {len(flags)} numbers agree at the digits printed, but over",
            f"{lower} to {upper}: the risks were taken for odds. Meant: 1.66 % to 3 %.",
            *self._verdict(),
        )

    def _lines(self, name: str) -> list[list[str]]:
        shown = [
            f"{x:.{digits + 1}f} "
            for x, digits in zip(self.values[name].values(), DIGITS, strict=True)
        ]
        shown += [
            f"{self.meant[name][m]:.{d + 1}f}" for m, d in zip(BOUNDED, DIGITS[3:], strict=True)
        ]
        lines = [[name, *shown]]
        if name in PRINTED:
            marked = zip(PRINTED[name], self.agrees[name], strict=True)
            lines.append(["  paper", *(t + (" " if same else "!") for t, same in marked), "", ""])
        return lines

    def _verdict(self) -> list[str]:
        counts = "; ".join(f"{m} {len(self.beaten(m))}" for m in METRICS)
        score = {name: row["bounded Brier"] for name, row in self.values.items()}
        best = min(PRINTED, key=lambda name: score[name])
        saved = 100 * (1 - score[best] / score[EVENT_RATE])
        return [
            f"How many of the {len(PRINTED)} models the constant event rate beats:",
            f"  {counts}.",
            f"Over the range these act on nobody, like {TREAT_NONE}: {', '.join(self.inert)}.",
            f"{best} acts on nearly everybody there; its bounded Brier score is {saved:.1f} % less",
            "than that of the constant event rate.",
            *([ABSENT] if self.compared is None else self._differences()),
        ]

    def _differences(self) -> tuple[str, str, str]:
        """Lay out the paired differences of the models."""
        head = (
            "Differences of mean regret, 1.66 % to 3 %; *: the simultaneous interval leaves out 0."
        )
        return "", head, str(self.compared).rpartition("\n\n")[2]


def read(path: str | Path) -> dict[str, Cases]:
    """Read the forecasts that the authors published: cases of each model of the table."""
    columns = read_columns(path, (OUTCOME, *COLUMNS.values()))
    y = numbers(columns, OUTCOME)
    return {name: Cases(y, numbers(columns, column)) for name, column in COLUMNS.items()}


def table2(data: Mapping[str, Cases] | None = None) -> BreastCancer:
    """Put the models beside the baselines: as published, or from their forecasts."""
    if data is not None:
        return _from_forecasts(data)
    models = {
        name: dict(zip(METRICS, (*full, *odds), strict=True))
        for name, (full, odds, _) in COMPUTED.items()
    }
    meant = {
        name: dict(zip(BOUNDED, risks, strict=True)) for name, (_, _, risks) in COMPUTED.items()
    }
    return _beside(models, meant, Tally.from_counts([0.5], [CASES], [EVENTS]))


def _from_forecasts(data: Mapping[str, Cases]) -> BreastCancer:
    tallies = {name: cases.tally() for name, cases in data.items()}
    first, y = next(iter(tallies.values())), next(iter(data.values())).y
    return _beside(
        {name: _judged(t) for name, t in tallies.items()},
        {name: _over(t, RISKS) for name, t in tallies.items()},
        first,
        cases=len(y),
        events=int(np.sum(y)),
        compared=compare(y, {k: cases.p for k, cases in data.items()}, rule=Regret(RISKS), rng=1),
        curves=Curves(
            {name: regret_curve(t) for name, t in tallies.items()},
            {name: roc_curve(t) for name, t in tallies.items()},
            {name: decompose(t, Bounded(Log(), RISKS)) for name, t in tallies.items()},
        ),
    )


def _beside(models: Any, meant: Any, tally: Tally, **others: Any) -> BreastCancer:
    """Add the three baselines, which need but the share of events."""
    constants = baselines(tally)
    return BreastCancer(
        models | {name: _judged(t) for name, t in constants.items()},
        meant | {name: _over(t, RISKS) for name, t in constants.items()},
        **others,
    )


def _judged(tally: Tally) -> dict[str, float]:
    scores = {"Brier": mean_score(tally, Brier()), "log": mean_score(tally, Log())}
    return {"AUC": ranking(tally).auc} | scores | _over(tally, AS_ODDS)


def _over(tally: Tally, within: tuple[float, ...]) -> dict[str, float]:
    lower, upper = within
    rules = (Log(), Brier())
    return {
        name: mean_score(tally, Bounded(rule, (lower, upper), scale="integral"))
        for name, rule in zip(BOUNDED, rules, strict=True)
    }
