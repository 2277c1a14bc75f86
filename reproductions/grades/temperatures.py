"""What a score prefers: the temperature that it would choose, and Figure 3.

An improper score makes forecasts too sure. Figure 3 has the forecasts that are worst by each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._record import columns_of, plain
from properly._boundary._text import table
from properly.decisions import worst_cases
from properly.rules import RPS, Brier, Log, QuadraticRPS, SquaredAbsoluteRPS
from reproductions.tables import Table, prose, section

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from properly.counts import Cases
    from properly.decisions._single_cases import WorstCases
    from properly.rules import ClassRule
    from reproductions.grades.forecasts import Forecasts

    Column: TypeAlias = npt.NDArray[np.float64]


FITTED: dict[str, ClassRule] = {
    "log": Log(),
    "Brier": Brier(),
    "RPS": RPS(),
    "sa-RPS": SquaredAbsoluteRPS(),
    "quadratic RPS": QuadraticRPS(),
}
UNCHANGED = "as they are"
# Temperatures that are looked through; the search is over their logarithms.
COLDEST, HOTTEST = 0.05, 20.0


@dataclass(frozen=True)
class Fitted:
    """Forecasts raised to the power 1 / T and divided by their sum.

    Attributes
    ----------
    temperature : float
        T; below 1 the forecasts are sharpened.
    confidence, accuracy : float
        Mean probability of the likeliest class, and how often it happened.
    score, log_loss : float
        Mean of the score that chose T, and the mean log score.
    """

    temperature: float
    confidence: float
    accuracy: float
    score: float
    log_loss: float


@dataclass(frozen=True)
class Temperatures(Table):
    """The temperature that each score chooses for the same forecasts.

    Attributes
    ----------
    rows : dict of str to Fitted
        By score, and the forecasts as they are.
    n : int
        Number of cases.
    """

    rows: dict[str, Fitted]
    n: int

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a score."""
        columns: dict[str, list[Any]] = plain(columns_of(self.rows.values()))
        return {"score_name": list(self.rows)} | columns

    def __str__(self) -> str:
        """Print the temperatures and what they do to the forecasts."""
        rows = [_tell_fitted(name, row) for name, row in self.rows.items()]
        head = ["fitted to", "T", "confidence", "accuracy", "excess", "log score"]
        return section(
            f"One temperature a score, injuries of {self.n:,} persons",
            prose(
                "p^(1/T), divided by its sum, with the T of the least mean score of these",
                "persons. Confidence: the mean probability of the likeliest class. Excess:",
                "how much more that is than accuracy, in points.",
            ),
            table(head, rows),
            self._verdict(),
        )

    def _verdict(self) -> str:
        before, after = self.rows[UNCHANGED], self.rows["sa-RPS"]
        excess = 100 * (after.confidence - after.accuracy)
        return prose(
            f"sa-RPS takes T = {after.temperature:.2f} and so rewards forecasts that are",
            f"{excess:.1f} points too sure; the log score rises from {before.log_loss:.4f} to",
            f"{after.log_loss:.4f}. Quadratic RPS counts the square of the distance too, and is",
            "strictly proper.",
        )


def temperatures(data: Forecasts) -> Temperatures:
    """Fit one temperature to each score."""
    rows = {UNCHANGED: _fitted(data, 1.0, Log())}
    for name, rule in FITTED.items():
        rows[name] = _fitted(data, best_temperature(data, rule), rule)
    return Temperatures(rows, len(data.y))


def best_temperature(data: Forecasts, rule: ClassRule) -> float:
    """Return the temperature of the least mean score."""
    from scipy.optimize import minimize_scalar

    def loss(logarithm: float) -> float:
        return float(rule(data.y, tempered(data.p, float(np.exp(logarithm)))))

    within = (np.log(COLDEST), np.log(HOTTEST))
    found = minimize_scalar(loss, bounds=within, method="bounded", options={"xatol": 1e-8})
    return float(np.exp(found.x))


def tempered(p: Column, temperature: float) -> Column:
    """Raise forecasts to the power 1 / T and divide them by their sum."""
    powers = (p / p.max(axis=1, keepdims=True)) ** (1 / temperature)
    found: Column = powers / powers.sum(axis=1, keepdims=True)
    return found


def _fitted(data: Forecasts, temperature: float, rule: ClassRule) -> Fitted:
    p = tempered(data.p, temperature)
    return Fitted(
        temperature,
        float(p.max(axis=1).mean()),
        data.accuracy,
        float(rule(data.y, p)),
        float(Log()(data.y, p)),
    )


def _tell_fitted(name: str, row: Fitted) -> list[str]:
    excess = f"{100 * (row.confidence - row.accuracy):+.1f}"
    shares = [f"{x:.3f}" for x in (row.confidence, row.accuracy)]
    return [name, f"{row.temperature:.3f}", *shares, excess, f"{row.log_loss:.4f}"]


RULES: dict[str, ClassRule] = {"Brier": Brier(), "log": Log(), "RPS": RPS()}
SHOWN = 3
# Enough for a mean distance to be steady: about one case in ninety.
COUNTED = 100


@dataclass(frozen=True, eq=False)
class Worst:
    """The worst forecasts of injuries by three scores.

    Attributes
    ----------
    cases : dict of str to WorstCases
        The very worst, by score.
    distances : dict of str to float
        Mean distance of the likeliest class from the true one among the worst hundred, by score.
    """

    cases: Mapping[str, WorstCases]
    distances: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the worst cases by score, and the distances."""
        cases = {name: found.to_dict() for name, found in self.cases.items()}
        return {"cases": cases, "distances": dict(self.distances)}

    def __str__(self) -> str:
        """Print the very worst of each score, and how far off the worst hundred are."""
        first = next(iter(self.cases.values()))
        labels = [str(label) for label in first.labels or ()]
        lines = [line for name in self.cases for line in self._lines(name, labels)]
        distances = ", ".join(f"{name} {found:.2f}" for name, found in self.distances.items())
        return section(
            "Figure 3: the worst forecasts of injuries, by score",
            "Rows are counted from 0 among the persons whose injury is known.",
            table(["", "row", "loss", "happened", *labels], lines),
            prose(
                "Mean distance of the likeliest class from the true one, among the worst",
                f"{COUNTED}: {distances}. The worst by RPS are wrong by the most classes, as",
                "the paper shows on one retinal image a score; Brier and log do not look at",
                "the distance.",
            ),
        )

    def _lines(self, name: str, labels: list[str]) -> list[list[str]]:
        found = self.cases[name]
        columns = zip(found.row, found.loss, found.outcome, found.p, strict=True)
        return [
            [f"{name} {k + 1}", str(row), f"{loss:.4f}", labels[y], *(f"{x:.3f}" for x in p)]
            for k, (row, loss, y, p) in enumerate(columns)
        ]


def worst(cases: Cases) -> Worst:
    """List the worst forecasts by three scores, and see how far off they are."""
    return Worst(
        {name: worst_cases(cases, rule, k=SHOWN) for name, rule in RULES.items()},
        {name: _distance(worst_cases(cases, rule, k=COUNTED)) for name, rule in RULES.items()},
    )


def _distance(found: WorstCases) -> float:
    likeliest = np.argmax(np.asarray(found.p), axis=1)
    return float(np.mean(np.abs(likeliest - np.asarray(found.outcome))))
