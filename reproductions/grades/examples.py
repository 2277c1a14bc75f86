"""The small examples of the paper on ordered classes, and what follows from them.

Equations 3 to 6 and Figures 1 and 2 beside what is printed; the misprints among them; and why
sa-RPS is no proper score: an honest forecast loses to one that is too sure of itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._record import columns_of, plain
from properly._boundary._text import table
from properly.calibration import decompose
from properly.decisions import cumulative_forecast
from properly.rules import RPS, Brier, Log, QuadraticRPS, SquaredAbsoluteRPS
from reproductions.grades.forecasts import severity_cases
from reproductions.grades.reference import PRINTED
from reproductions.tables import Errata, Erratum, Table, prose, section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from properly.decisions._single_cases import CumulativeForecast
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
class Examples(Table):
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

    def __str__(self) -> str:
        """Print the forecasts with what each score makes of them."""
        head = ["", "forecast", "class", "RPS", "paper ", *OTHERS]
        flags = [same for same in self.agrees if same is not None]
        return section(
            "Equations 3 to 6, Figures 1 and 2: small examples of three classes",
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


TRUTHS: dict[str, tuple[float, ...]] = {
    "two neighbours": (0.3, 0.7, 0),
    "both ends of three": (1 / 2, 0, 1 / 2),
    "uniform on three": (1 / 3, 1 / 3, 1 / 3),
    "both ends of four": (1 / 2, 0, 0, 1 / 2),
    "uniform on five": (1 / 5,) * 5,
    "a peak of five": (0.1, 0.2, 0.4, 0.2, 0.1),
    "skewed on five": (0.5, 0.25, 0.15, 0.07, 0.03),
}


@dataclass(frozen=True)
class Honesty:
    """What honesty costs if forecasts are scored by sa-RPS.

    Attributes
    ----------
    truth, best : tuple of float
        The probabilities of the classes, and a forecast that sa-RPS prefers to all others.
    honest, least : float
        Expected sa-RPS of both.
    spread : float
        Variance of the class number, divided by (K - 1)^2: what the least is by the theorem.
    rps_honest, rps_best : float
        Expected RPS of both.
    """

    truth: tuple[float, ...]
    best: tuple[float, ...]
    honest: float
    least: float
    spread: float
    rps_honest: float
    rps_best: float

    @property
    def cost(self) -> float:
        """By which share honesty is dearer than the best report."""
        return self.honest / self.least - 1


@dataclass(frozen=True)
class Impropriety(Table):
    """Honest and best reports under sa-RPS.

    Attributes
    ----------
    rows : dict of str to Honesty
        By truth.
    """

    rows: dict[str, Honesty]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a truth."""
        columns: dict[str, list[Any]] = plain(columns_of(self.rows.values(), "cost"))
        return {"name": list(self.rows)} | columns

    def __str__(self) -> str:
        """Print what an honest forecast costs, and what is preferred to it."""
        rows = [_tell_honesty(name, row) for name, row in self.rows.items()]
        beaten = sum(row.cost > 1e-9 for row in self.rows.values())
        return section(
            "sa-RPS is improper: it asks for the mean only",
            prose(
                "Expected sa-RPS, divided by (K - 1)^2, of the honest forecast and of the",
                "best; in brackets the expected RPS of both, which honesty minimises.",
            ),
            table(["truth", "honest", "best", "honesty costs", "best forecast"], rows),
            prose(
                f"Honesty is beaten in {beaten} of {len(rows)}: always if three classes or",
                "more are possible. If only two are, and these are no neighbours, others do",
                "as well. No forecast has less than the variance of the class number, divided",
                "by (K - 1)^2, and that is reached by the two classes around the mean,",
                "however wide the truth is. The paper lists sa-RPS with the proper scoring",
                "rules; it is one for two classes only.",
            ),
        )


def impropriety() -> Impropriety:
    """Compare honest forecasts with those that sa-RPS prefers."""
    return Impropriety({name: honesty(truth) for name, truth in TRUTHS.items()})


def honesty(truth: Sequence[float]) -> Honesty:
    """Compare an honest forecast with the one that sa-RPS prefers."""
    best, rule = around_the_mean(truth), SquaredAbsoluteRPS()
    number = np.arange(len(truth))
    spread = float(np.dot(truth, (number - np.dot(truth, number)) ** 2)) / (len(truth) - 1) ** 2

    def expected(rule: ClassRule, report: Sequence[float]) -> float:
        return float(rule.expected_loss(list(truth), list(report)))

    return Honesty(
        tuple(truth),
        best,
        expected(rule, truth),
        expected(rule, best),
        spread,
        expected(RPS(), truth),
        expected(RPS(), best),
    )


def around_the_mean(truth: Sequence[float]) -> tuple[float, ...]:
    """Return the forecast of the truth's mean that has no other than the two classes around it."""
    # Sums of decimals miss whole numbers by a little; a forecast of 1e-16 would mean nothing.
    mean = round(float(np.dot(truth, np.arange(len(truth)))), 12)
    return tuple(max(0.0, 1 - abs(k - mean)) for k in range(len(truth)))


def _tell_honesty(name: str, row: Honesty) -> list[str]:
    best = " ".join(f"{x:.2f}" for x in row.best)
    both = ((row.honest, row.rps_honest), (row.least, row.rps_best))
    return [name, *(f"{x:.4f} ({rps:.4f})" for x, rps in both), f"{100 * row.cost:.0f} %", best]


UNIFORM = (1 / 3, 1 / 3, 1 / 3)
# Three thirds, rounded: they do not sum to one.
ROUNDED = (0.33, 0.33, 0.33)
# The forecast that the text calls asymmetric.
IN_THE_TEXT = (1 / 10, 5 / 10, 9 / 10)


def errata() -> Errata:
    """Compute every number that is corrected."""
    makers = (_text, _brier, _equation4, _equation6, _equation7, _results)
    return Errata(tuple(row for make in makers for row in make()))


def _text() -> Iterator[Erratum]:
    why = "The paper has two: stenosis of the aortic valve and diabetic retinopathy."
    yield Erratum("Abstract", "grading problems", 4, 2, why)
    yield Erratum("Abstract", "data sets", 3, 2, "The paper has two: TMED-2 and Eyepacs.")
    found = decompose(severity_cases(), RPS())
    yield Erratum(
        "Section 1",
        "RPS of the forecasts of injuries, put together from its parts",
        found.miscalibration - found.discrimination,
        found.miscalibration - found.discrimination + found.uncertainty,
        "A score has three parts, not two: miscalibration less discrimination lacks the "
        "uncertainty, and is below zero for a forecast of any use.",
    )


def _brier() -> Iterator[Erratum]:
    truth, sure = np.array([0.6, 0.4]), np.array([1.0, 0.0])

    def absolute(report: Any) -> float:
        return float(
            sum(q * np.abs(report - y).sum() for q, y in zip(truth, np.eye(2), strict=True))
        )

    brier = Brier()
    more = float(brier.expected_loss(truth, sure)) - float(brier.expected_loss(truth, truth))
    yield Erratum(
        "Below Eq. 1",
        "least expected sum of |p - y| if the truth is (0.6, 0.4)",
        absolute(truth),
        absolute(sure),
        "To be nonnegative, and zero at p = y, does not make a score proper: the absolute error "
        "is both, and prefers (1, 0) to the truth. The Brier score is proper because a report p "
        f"costs |p-q|^2 more than the truth q, here {more:.2f}.",
    )


def _equation4() -> Iterator[Erratum]:
    yield Erratum(
        "Below Eq. 3",
        "probability of class 2 in the forecast that is named",
        FAR[1],
        NEAR[1],
        "It is the former forecast, p1, that gives more to the second class, not the latter.",
    )
    for name, p, printed, of in (
        ("p1", NEAR, 1 / 8, "(1/2, 1/2, 0)"),
        ("p2", FAR, 1 / 4, "(1/2, 0, 1/2)"),
    ):
        why = f"What is printed is that of {of}; the order of p1 and p2 is right all the same."
        yield Erratum("Below Eq. 4", f"RPS of {name}", printed, _loss(RPS(), p, 0), why)
    yield Erratum(
        "Below Eq. 4",
        "RPS of (0.7, 0.3) if the first of two classes happens",
        _loss(Brier(), (0.7, 0.3), 0),
        _loss(RPS(), (0.7, 0.3), 0),
        "For two classes RPS is half of the Brier score of Eq. 1, which sums over both.",
    )


def _equation6() -> Iterator[Erratum]:
    yield Erratum(
        "Above Eq. 6",
        "sum of the asymmetric forecast",
        sum(IN_THE_TEXT),
        sum(ASYMMETRIC),
        "(1/10, 5/10, 9/10) is no forecast; Eq. 6 has (0.45, 0.50, 0.05). With 4/10 in the last "
        "place RPS would prefer it to the symmetric one: 0.085 against 0.09.",
    )


def _equation7() -> Iterator[Erratum]:
    printed = SquaredAbsoluteRPS(normalization="printed")
    for k in (3, 5):
        last = tuple(float(j == k - 1) for j in range(k))
        yield Erratum(
            "Eq. 7",
            f"sa-RPS of a forecast of class {k} if class 1 happens",
            _loss(printed, last, 0),
            _loss(SquaredAbsoluteRPS(), last, 0),
            "Divided by K - 1 it runs to K - 1, not to 1 as is said; it is to be (K - 1)^2.",
        )
    away = np.abs(np.cumsum(ROUNDED) - 1)
    yield Erratum(
        "Eq. 7",
        "its sum for (0.33, 0.33, 0.33) if class 1 happens",
        float(away.sum()),
        float(away[:-1].sum()),
        "The sum is to end at K - 1, as in Eq. 4: the last term is 0, or an error of rounding.",
    )
    yield Erratum(
        "Section 3.1",
        "least expected sa-RPS, three classes alike",
        float(SquaredAbsoluteRPS().expected_loss(UNIFORM, UNIFORM)),
        float(SquaredAbsoluteRPS().expected_loss(UNIFORM, around_the_mean(UNIFORM))),
        "A proper score is least at the truth; sa-RPS is listed as one, and is less at (0, 1, 0).",
    )


def _results() -> Iterator[Erratum]:
    mean, sd = PRINTED["Eyepacs"]["QWK"]["RPS"]
    other, spread = PRINTED["Eyepacs"]["QWK"]["sa-RPS"]
    yield Erratum(
        "Section 3.3",
        "RPS at its best on Eyepacs, QWK (printed: what it does not reach)",
        other - spread,
        mean + sd,
        "Taken as there, mean plus ± of RPS does reach mean less ± of sa-RPS; the claim holds for "
        "EC only. And ± is a standard deviation, not an interval.",
    )


def _loss(rule: ClassRule, p: tuple[float, ...], outcome: int) -> float:
    return float(rule.loss([outcome], [p])[0])
