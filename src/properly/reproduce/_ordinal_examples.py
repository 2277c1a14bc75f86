"""The paper's small examples, Equations 3 to 6 and Figures 1 and 2, beside what it prints."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from properly._boundary._record import plain, to_frame
from properly.decisions._cumulative_forecast import cumulative_forecast
from properly.reproduce._layout import heading, table
from properly.reproduce._prose import prose
from properly.rules import RPS, Brier, Log, QuadraticRPS, SquaredAbsoluteRPS

if TYPE_CHECKING:
    from properly._boundary._record import Backend
    from properly.decisions._cumulative_forecast import CumulativeForecast
    from properly.rules import ClassRule

SCORES: dict[str, ClassRule] = {
    "Brier": Brier(),
    "log": Log(),
    "RPS": RPS(),
    "sa-RPS": SquaredAbsoluteRPS(),
    "by Eq. 7": SquaredAbsoluteRPS(normalization="printed"),
    "quadratic": QuadraticRPS(),
}
OTHERS = tuple(name for name in SCORES if name != "RPS")


class Example(NamedTuple):
    """A forecast of three classes, the class that happened, and the RPS that is printed for it."""

    where: str
    p: tuple[float, float, float]
    outcome: int
    printed: str | None = None


NEAR, FAR = (1 / 4, 3 / 4, 0), (1 / 4, 0, 3 / 4)
SYMMETRIC, ASYMMETRIC, REPAIRED = (0.3, 0.4, 0.3), (0.45, 0.5, 0.05), (0.1, 0.5, 0.4)
EXAMPLES = (
    Example("Eq. 3, p1", NEAR, 0, "1/8"),
    Example("Eq. 3, p2", FAR, 0, "1/4"),
    Example("has RPS 1/8", (1 / 2, 1 / 2, 0), 0),
    Example("has RPS 1/4", (1 / 2, 0, 1 / 2), 0),
    Example("Eq. 5", (1, 0, 0), 0, "0"),
    Example("Eq. 5", (0, 1, 0), 0, "1/2"),
    Example("Eq. 5", (0, 0, 1), 0, "1"),
    Example("Eq. 6", SYMMETRIC, 1, "0.09"),
    Example("Eq. 6", ASYMMETRIC, 1, "0.1025"),
    Example("text, repaired", REPAIRED, 1),
)
# The paper counts classes from 1.
NAMES = (1, 2, 3)
ROUNDING = 1e-12


@dataclass(frozen=True)
class Examples:
    """What every score makes of the paper's forecasts.

    Attributes
    ----------
    rows : tuple of Example
        Forecasts, with what happened and what is printed.
    losses : dict of str to list of float
        By score, one entry a forecast.
    """

    rows: tuple[Example, ...]
    losses: dict[str, list[float]]

    @property
    def agrees(self) -> tuple[bool | None, ...]:
        """Whether the printed RPS is right, by forecast; None where none is printed."""
        return tuple(
            None if row.printed is None else abs(found - float(Fraction(row.printed))) < ROUNDING
            for row, found in zip(self.rows, self.losses["RPS"], strict=True)
        )

    @property
    def figure1(self) -> dict[str, CumulativeForecast]:
        """The two forecasts of Figure 1, cumulated."""
        both = {"p1 = (1/4, 3/4, 0)": NEAR, "p2 = (1/4, 0, 3/4)": FAR}
        return {name: cumulative_forecast(1, p, NAMES) for name, p in both.items()}

    @property
    def figure2(self) -> dict[str, CumulativeForecast]:
        """The two forecasts of Figure 2, cumulated."""
        both = {"(0.3, 0.4, 0.3)": SYMMETRIC, "(0.45, 0.5, 0.05)": ASYMMETRIC}
        return {name: cumulative_forecast(2, p, NAMES) for name, p in both.items()}

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a forecast."""
        names = ("where", "p", "outcome", "printed")
        columns = {name: plain([getattr(row, name) for row in self.rows]) for name in names}
        return columns | {name: plain(losses) for name, losses in self.losses.items()}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a forecast as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict(), backend)

    def __str__(self) -> str:
        """Print the forecasts with what each score makes of them."""
        head = ["", "forecast", "class", "RPS", "paper ", *OTHERS]
        flags = [same for same in self.agrees if same is not None]
        return "\n".join(
            [
                heading("Equations 3 to 6, Figures 1 and 2: small examples of three classes"),
                prose(
                    "Classes are counted from 1, as in the paper. ! marks a printed number that",
                    "is wrong. sa-RPS is divided by (K - 1)^2; by Eq. 7: by K - 1, as it is",
                    "printed.",
                ),
                table(head, [self._line(k) for k in range(len(self.rows))]),
                prose(
                    f"Of the {len(flags)} printed numbers {sum(flags)} are right; the others are",
                    "those of two other forecasts. The order that they are to show is right all",
                    "the same: Brier and log do not tell p1 from p2, and RPS prefers p1, which is",
                    "nearer.",
                ),
                prose(
                    "Equation 5: RPS grows with the distance, sa-RPS and quadratic RPS with its",
                    "square, the latter but for a tenth of the RPS that keeps it strictly proper.",
                ),
                prose(
                    "Equation 6: RPS prefers the symmetric forecast, sa-RPS the other, since it",
                    "sees only the mean distance from what happened. What that costs is said",
                    "below.",
                ),
            ]
        )

    def _line(self, k: int) -> list[str]:
        row, same = self.rows[k], self.agrees[k]
        forecast = " ".join(f"{x:g}" for x in row.p)
        printed = "" if row.printed is None else f"{row.printed}{' ' if same else '!'}"
        return [
            row.where,
            forecast,
            str(row.outcome + 1),
            f"{self.losses['RPS'][k]:.4f}",
            printed,
            *(f"{self.losses[name][k]:.4f}" for name in OTHERS),
        ]


def examples() -> Examples:
    """Score the paper's forecasts in all ways."""
    y, p = [row.outcome for row in EXAMPLES], [row.p for row in EXAMPLES]
    return Examples(EXAMPLES, {name: rule.loss(y, p).tolist() for name, rule in SCORES.items()})
