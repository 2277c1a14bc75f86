"""What a penalized score is: a score, and an error rate. On injuries in car crashes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._frames import to_frame
from properly.datasets import crash
from properly.reproduce._layout import heading, table
from properly.reproduce._penalized_laws import normalized
from properly.reproduce._rows import columns
from properly.rules import PBS, Brier, Misclassification

if TYPE_CHECKING:
    from properly._frames import Backend
    from properly.reproduce._penalized_laws import Table

SHARP, SHARPER = 2, 4
TENTHS = 10
PAIRS = (
    ("model", f"sharpened, p^{SHARP}"),
    ("model", "frequencies"),
    (f"sharpened, p^{SHARPER}", "frequencies"),
    ("model", "rounded to tenths"),
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
    """

    first: str
    second: str
    brier: float
    brier_error: float
    error: float
    error_error: float

    @property
    def switch(self) -> float | None:
        """The penalty at which PBS changes sides; None if one wins on both, and so always."""
        return -self.brier / self.error if self.brier * self.error < 0 else None

    def prefers(self, penalty: float) -> str:
        """Name the better model by the Brier score and so much times the error rate."""
        return self.first if self.brier + penalty * self.error < 0 else self.second


@dataclass(frozen=True)
class Injuries:
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
            "models": columns(self.models),
            "rivals": columns(self.rivals, "switch"),
            "penalties": self.penalties,
        }

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a model as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict()["models"], backend)

    def __str__(self) -> str:
        """Print the columns, and at which penalty each pair changes sides."""
        paper = self.penalties["paper"]
        head = ["", "Brier", "error rate", "PBS", "PBS, tied is right"]
        rows = [
            [m.name, *(f"{x:.4f}" for x in (m.brier, m.error, m.pbs, m.pbs_any_correct))]
            for m in self.models
        ]
        return "\n".join(
            [
                heading("What PBS is: the Brier score, and the error rate times a penalty"),
                f"Injuries of {self.n:,} persons in car crashes, in {self.classes} classes, with",
                f"the paper's penalty, {paper:g}. Frequencies: of the classes among these persons.",
                table(head, rows),
                "A model is better for every penalty if and only if it is better by the Brier",
                "score and not worse by the error rate. If each wins one, they change sides:",
                *(line for pair in self.rivals for line in self._told(pair)),
                *self._rounded(),
            ]
        )

    def _told(self, pair: Rivalry) -> list[str]:
        brier, error = (
            f"{x:+.4f} ± {e:.4f}"
            for x, e in ((pair.brier, pair.brier_error), (pair.error, pair.error_error))
        )
        lines = [f"  {pair.first} against {pair.second}: Brier {brier}, error {error}:"]
        if pair.switch is None:
            return [*lines, f"    {pair.prefers(1.0)} for every penalty"]
        least, greatest = pair.prefers(0.0), pair.prefers(2 * pair.switch)
        lines.append(f"    {least} below a penalty of {pair.switch:.4f}, above it {greatest}")
        sides = [f"{n} ({x:g}) {pair.prefers(x)}" for n, x in self.penalties.items()]
        return [*lines, f"    {'; '.join(sides)}"]

    def _rounded(self) -> list[str]:
        model, rounded = self.by_name["model"], self.by_name["rounded to tenths"]
        shared = min(model, rounded, key=lambda m: m.pbs).name
        right = min(model, rounded, key=lambda m: m.pbs_any_correct).name
        return [
            "Rounding makes ties, and tells less. Of the model and what is rounded, PBS prefers",
            f"if ties are shared: {shared}; if every tied class is right: {right}.",
        ]


def injuries() -> Injuries:
    """Judge a model and what can be made of it."""
    data = crash()
    known = data.severity_known
    y, p = data.severity[known], data.severity_probabilities[known]
    classes = p.shape[1]
    forecasts = {
        "model": p,
        f"sharpened, p^{SHARP}": normalized(p**SHARP),
        f"sharpened, p^{SHARPER}": normalized(p**SHARPER),
        "frequencies": np.tile(np.bincount(y, minlength=classes) / len(y), (len(y), 1)),
        "rounded to tenths": rounded(p, TENTHS),
    }
    return Injuries(
        len(y),
        classes,
        tuple(_forecaster(name, y, q) for name, q in forecasts.items()),
        tuple(_rivalry(*pair, y, forecasts, data.cluster[known]) for pair in PAIRS),
        {
            "least": float(PBS(penalty="minimal").penalty_for(classes)),
            "paper": float(PBS().penalty_for(classes)),
            "package": classes * float(PBS().penalty_for(classes)),
        },
    )


def rounded(p: Table, steps: int) -> Table:
    """Round each row to multiples of 1/steps that sum to one: the largest remainders go up."""
    whole = np.floor(p * steps)
    missing = steps - whole.sum(axis=1, keepdims=True)
    order = np.argsort(whole - p * steps, axis=1, kind="stable")
    place = np.argsort(order, axis=1, kind="stable")
    found: Table = (whole + (place < missing)) / steps
    return found


def _forecaster(name: str, y: Any, p: Table) -> Forecaster:
    return Forecaster(
        name,
        float(Brier()(y, p)),
        float(Misclassification()(y, p)),
        float(PBS()(y, p)),
        float(PBS(ties="any_correct")(y, p)),
    )


def _rivalry(first: str, second: str, y: Any, forecasts: dict[str, Table], cluster: Any) -> Rivalry:
    p, q = forecasts[first], forecasts[second]
    brier, error = (rule.loss(y, p) - rule.loss(y, q) for rule in (Brier(), Misclassification()))
    return Rivalry(
        first, second, *_mean_and_error(brier, cluster), *_mean_and_error(error, cluster)
    )


def _mean_and_error(x: Any, cluster: Any) -> tuple[float, float]:
    """Return a mean and its standard error, for rows that may be alike within clusters."""
    mean = float(np.mean(x))
    sums = np.bincount(np.unique(cluster, return_inverse=True)[1], weights=x - mean)
    count = len(sums)
    return mean, float(np.sqrt(count / (count - 1) * np.sum(sums**2))) / len(x)
