"""What a penalized score is: a score, and an error rate. On injuries in car crashes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._record import columns_of
from properly._boundary._text import table
from properly.counts import Cases
from properly.decisions._elementary import rows_of
from properly.rules import PBS, Brier, Misclassification
from reproductions.grades.forecasts import severity
from reproductions.penalties.constants import normalized
from reproductions.tables import Table, prose, section

if TYPE_CHECKING:
    from reproductions.penalties.constants import Rows


SHARP, SHARPER = 2, 4
TENTHS = 10
# What PBS is made of.
PARTS = (Brier(), Misclassification())
MODEL, SHARES, ROUNDED = "model", "class shares", "rounded to tenths"
PAIRS = (
    (MODEL, f"sharpened p^{SHARP}"),
    (MODEL, SHARES),
    (f"sharpened p^{SHARPER}", SHARES),
    (MODEL, ROUNDED),
)


@dataclass(frozen=True)
class Forecaster:
    """One model of the severity of injuries.

    Attributes
    ----------
    name : str
        The model.
    brier, error : float
        Its Brier score, summed over classes, and its error rate, ties shared.
    pbs, pbs_any_correct : float
        PBS with the paper's penalty, ties shared, and every tied class right.
    """

    name: str
    brier: float
    error: float
    pbs: float
    pbs_any_correct: float


@dataclass(frozen=True)
class Rivalry:
    """Which of two models is better, by the penalty on errors.

    Attributes
    ----------
    first, second : str
        The models.
    brier, error : float
        By how much the first is worse than the second; negative if it is better.
    brier_error, error_error : float
        Standard errors of these, paired; persons in one accident may be alike.
    switch : float or None
        The penalty at which PBS changes sides; None if one wins on both, and so always.
    """

    first: str
    second: str
    brier: float
    brier_error: float
    error: float
    error_error: float
    switch: float | None

    def prefers(self, penalty: float) -> str:
        """Name the better model by the Brier score and so much times the error rate."""
        return self.first if self.brier + penalty * self.error < 0 else self.second


@dataclass(frozen=True)
class Injuries(Table):
    """PBS taken apart, on forecasts that come with this package.

    Attributes
    ----------
    n, classes : int
        Persons whose injury is known, and classes of injuries.
    models : tuple of Forecaster
        The model, and what can be made of it.
    rivals : tuple of Rivalry
        Pairs of these.
    penalties : dict of str to float
        The least one, the paper's, and that of the package, all beside a Brier score summed over
        classes.
    """

    n: int
    classes: int
    models: tuple[Forecaster, ...]
    rivals: tuple[Rivalry, ...]
    penalties: dict[str, float]

    @cached_property
    def by_name(self) -> dict[str, Forecaster]:
        """The models by name."""
        return {model.name: model for model in self.models}

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of both tables, and the penalties."""
        return {
            "models": columns_of(self.models),
            "rivals": columns_of(self.rivals),
            "penalties": self.penalties,
        }

    def _columns(self) -> Any:
        return self.to_dict()["models"]

    def __str__(self) -> str:
        """Print the columns, and at which penalty each pair changes sides."""
        head = ["", "Brier", "error rate", "PBS", "PBS, tied is right"]
        rows = [
            [m.name, *(f"{x:.4f}" for x in (m.brier, m.error, m.pbs, m.pbs_any_correct))]
            for m in self.models
        ]
        return section(
            "What PBS is: the Brier score, and the error rate times a penalty",
            prose(
                f"Injuries of {self.n:,} persons in car crashes, in {self.classes} classes,",
                f"with the paper's penalty, {self.penalties['paper']:g}. Class shares: how",
                "often each class is among these persons.",
            ),
            table(head, rows),
            "",
            prose(
                "A model is better for every penalty if and only if it is better by the Brier",
                "score and not worse by the error rate. If each wins one, they change sides.",
            ),
            table(["paired difference", "Brier", "error rate", "better"], self._paired()),
            *(self._sides(r, r.switch) for r in self.rivals if r.switch is not None),
            "",
            self._rounded(),
        )

    def _paired(self) -> list[list[str]]:
        return [
            [
                f"{pair.first} - {pair.second}",
                f"{pair.brier:+.4f} ± {pair.brier_error:.4f}",
                f"{pair.error:+.4f} ± {pair.error_error:.4f}",
                f"{pair.prefers(1.0)}, always" if pair.switch is None else "as below",
            ]
            for pair in self.rivals
        ]

    def _sides(self, pair: Rivalry, switch: float) -> str:
        sides = [f"{name} ({x:g}) {pair.prefers(x)}" for name, x in self.penalties.items()]
        return prose(
            f"{pair.first} and {pair.second} change sides at a penalty of {switch:.4f}. The",
            f"better one by penalty: {', '.join(sides)}.",
        )

    def _rounded(self) -> str:
        model, rounded = self.by_name[MODEL], self.by_name[ROUNDED]
        shared = min(model, rounded, key=lambda m: m.pbs).name
        right = min(model, rounded, key=lambda m: m.pbs_any_correct).name
        return prose(
            "Rounding makes ties, and tells less. Of the model and what is rounded, PBS prefers",
            f"if ties are shared: {shared}; if every tied class is right: {right}.",
        )


def injuries() -> Injuries:
    """Judge a model and what can be made of it."""
    y, p, clusters = data = severity()
    shares = np.bincount(y, minlength=data.classes) / len(y)
    forecasts = {
        MODEL: p,
        f"sharpened p^{SHARP}": normalized(p**SHARP),
        f"sharpened p^{SHARPER}": normalized(p**SHARPER),
        SHARES: np.tile(shares, (len(y), 1)),
        ROUNDED: rounded(p, TENTHS),
    }
    cases = {name: Cases(y, q, clusters=clusters) for name, q in forecasts.items()}
    penalty = float(PBS().penalty_for(data.classes))
    return Injuries(
        len(y),
        data.classes,
        tuple(_forecaster(name, y, q) for name, q in forecasts.items()),
        tuple(_rivalry(*pair, cases) for pair in PAIRS),
        {
            "least": float(PBS(penalty="minimal").penalty_for(data.classes)),
            "paper": penalty,
            "package": data.classes * penalty,
        },
    )


def rounded(p: Rows, steps: int) -> Rows:
    """Round each row to multiples of 1/steps that sum to one: the largest remainders go up.

    As those who publish forecasts do; to round each number by itself would not keep the sum.
    """
    whole = np.floor(p * steps)
    missing = steps - whole.sum(axis=1, keepdims=True)
    order = np.argsort(whole - p * steps, axis=1, kind="stable")
    place = np.argsort(order, axis=1, kind="stable")
    found: Rows = (whole + (place < missing)) / steps
    return found


def _forecaster(name: str, y: Any, p: Rows) -> Forecaster:
    return Forecaster(
        name,
        float(Brier()(y, p)),
        float(Misclassification()(y, p)),
        float(PBS()(y, p)),
        float(PBS(ties="any_correct")(y, p)),
    )


def _rivalry(first: str, second: str, cases: dict[str, Cases]) -> Rivalry:
    one, other = cases[first], cases[second]
    rows = rows_of(one)
    gaps = (rule.loss(one.y, one.p) - rule.loss(other.y, other.p) for rule in PARTS)
    means, errors = rows.mean_and_error(np.bincount(rows.unit, gap) for gap in gaps)
    (brier, error), (brier_error, error_error) = means.tolist(), errors.tolist()
    # Where each of two wins one column, there is a penalty at which they change places.
    switch = -brier / error if brier * error < 0 else None
    return Rivalry(first, second, brier, brier_error, error, error_error, switch)
