"""What is misprinted in the paper on ordered classes, and the number that is right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from properly.calibration._class_decomposition import decompose_classes
from properly.reproduce._errata import Errata, Erratum
from properly.reproduce._injuries import severity_cases
from properly.reproduce._ordinal_examples import ASYMMETRIC, FAR, NEAR
from properly.reproduce._ordinal_impropriety import around_the_mean
from properly.reproduce._ordinal_printed import PRINTED
from properly.rules import RPS, Brier, SquaredAbsoluteRPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.rules import ClassRule

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
    found = decompose_classes(severity_cases(), RPS())
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
