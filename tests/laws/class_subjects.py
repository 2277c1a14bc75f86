"""What every law of classes is held against: configured rules, and what is true of them.

A new rule of classes joins ``SUBJECTS`` and is tested by every law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from properly.rules import (
    PBS,
    PLL,
    RPS,
    Bounded,
    Brier,
    Elementary,
    Log,
    Misclassification,
    Penalized,
    Propriety,
    Pseudospherical,
    QuadraticRPS,
    Ranked,
    RankedLog,
    Spherical,
    SquaredAbsoluteRPS,
)
from properly.rules._distance import SquaredMeanError

from . import class_oracles as exact

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.rules import ClassRule

    from .class_oracles import Matrix, Price, Row

STRICT, PROPER, IMPROPER = Propriety.STRICT, Propriety.PROPER, Propriety.IMPROPER
INFINITE = math.inf


@dataclass(frozen=True)
class ClassSubject:
    """A configured rule beside what the mathematics says of it.

    ``propriety`` is that of three classes and more, ``binary`` that of two. ``largest`` is the
    greatest loss; a rule is ``local`` if only the probability of what happened matters, and
    ``symmetric`` if classes can be renamed at will.
    """

    rule: ClassRule
    price: Price
    propriety: Propriety
    largest: Callable[[int], float]
    binary: Propriety | None = None
    ordered: bool = False
    local: bool = False
    symmetric: bool = False
    classes: tuple[int, ...] = (2, 3, 4, 5)

    def __repr__(self) -> str:
        """Name the test after the rule."""
        return repr(self.rule)

    def propriety_for(self, classes: int) -> Propriety:
        return self.binary if classes == 2 and self.binary is not None else self.propriety


def constant(value: float) -> Callable[[int], float]:
    return lambda _: value


def always(value: Fraction) -> Callable[[int], Fraction]:
    return lambda _: value


def nominal(
    rule: ClassRule,
    price: Price,
    largest: Callable[[int], float],
    propriety: Propriety = STRICT,
    **facts: Any,
) -> ClassSubject:
    return ClassSubject(rule, price, propriety, largest, **{"symmetric": True} | facts)


def ordered(
    rule: ClassRule,
    price: Price,
    largest: Callable[[int], float],
    propriety: Propriety = STRICT,
    **facts: Any,
) -> ClassSubject:
    return ClassSubject(rule, price, propriety, largest, ordered=True, **facts)


def brier_and(penalty: Callable[[int], float]) -> Callable[[int], float]:
    return lambda K: 2 + penalty(K)


def share_of_mistakes(K: int) -> float:
    return 1 - 1 / K


def pseudospherical(power: float) -> Price:
    """Return the loss of the best report under a mean of this power, in sixty digits."""

    def price(p: Row, y: int) -> Decimal:
        m = Decimal(power)
        a = 1 / (1 - m)
        powers = [exact.decimal(value) ** a for value in p]
        share = powers[y] / sum(powers)
        return (1 - share**m) / m if share else (1 / m if m > 0 else exact.INFINITE)

    return price


UNORDERED = [
    nominal(Brier(), exact.brier, constant(2)),
    nominal(Brier("mean"), exact.over(exact.brier, lambda K: K), lambda K: 2 / K),
    nominal(Brier("half"), exact.over(exact.brier, lambda _: 2), constant(1)),
    nominal(Log(), exact.log, constant(INFINITE), local=True),
    nominal(Spherical(), exact.spherical, constant(1)),
    nominal(Pseudospherical(), pseudospherical(-2 / 3), constant(INFINITE)),
    nominal(Pseudospherical(0.5), pseudospherical(0.5), constant(2)),
    nominal(Misclassification(), exact.mistake(), constant(1), PROPER),
]

QUARTER, HALF = Fraction(1, 4), Fraction(1, 2)
BOUNDED = exact.cut_bounded_brier(QUARTER, 3 * QUARTER)
MIDDLE = Bounded(Brier(), (0.25, 0.75))
four: dict[str, Any] = {"classes": (4,)}

ORDERED = [
    ordered(RPS(), exact.ranked(exact.cut_brier), constant(1)),
    ordered(
        RPS(normalized=False), exact.ranked(exact.cut_brier, normalized=False), lambda K: K - 1
    ),
    ordered(RPS([1, 2, 3]), exact.ranked(exact.cut_brier, [1, 2, 3]), constant(1), **four),
    ordered(RPS([1, 0, 2]), exact.ranked(exact.cut_brier, [1, 0, 2]), constant(1), PROPER, **four),
    ordered(
        RPS([1, 3, 4], normalized=False),
        exact.ranked(exact.cut_brier, [1, 3, 4], normalized=False),
        constant(8),
        **four,
    ),
    ordered(RankedLog(), exact.ranked(exact.cut_log), constant(INFINITE)),
    ordered(
        RankedLog(normalized=False),
        exact.ranked(exact.cut_log, normalized=False),
        constant(INFINITE),
    ),
    ordered(
        RankedLog([2, 1]), exact.ranked(exact.cut_log, [2, 1]), constant(INFINITE), classes=(3,)
    ),
    ordered(
        RankedLog([1, 0, 1]),
        exact.ranked(exact.cut_log, [1, 0, 1]),
        constant(INFINITE),
        PROPER,
        **four,
    ),
    ordered(Ranked(Brier()), exact.ranked(exact.cut_brier), constant(1)),
    ordered(Ranked(Log()), exact.ranked(exact.cut_log), constant(INFINITE)),
    ordered(
        Ranked(Log(), [1, 0, 1]),
        exact.ranked(exact.cut_log, [1, 0, 1]),
        constant(INFINITE),
        PROPER,
        **four,
    ),
    ordered(Ranked(Spherical()), exact.ranked(exact.cut_spherical), constant(1)),
    ordered(
        Ranked(Misclassification()), exact.ranked(exact.cut_misclassification), constant(1), PROPER
    ),
    ordered(
        Ranked(Elementary(0.25)),
        exact.ranked(exact.cut_elementary(QUARTER)),
        constant(0.75),
        PROPER,
    ),
    ordered(
        Ranked(MIDDLE, normalized=False),
        exact.ranked(BOUNDED, normalized=False),
        lambda K: K - 1,
        PROPER,
    ),
    ordered(
        Ranked([Brier(), Log()]),
        exact.ranked([exact.cut_brier, exact.cut_log]),
        constant(INFINITE),
        classes=(3,),
    ),
    ordered(
        Ranked([Elementary(0.25), Brier(), MIDDLE], weights=[1, 2, 1]),
        exact.ranked([exact.cut_elementary(QUARTER), exact.cut_brier, BOUNDED], [1, 2, 1]),
        constant(0.9375),
        PROPER,
        **four,
    ),
    ordered(
        SquaredAbsoluteRPS(),
        exact.over(exact.squared_distance, lambda K: (K - 1) ** 2),
        constant(1),
        IMPROPER,
        binary=STRICT,
    ),
    ordered(
        SquaredAbsoluteRPS("printed"),
        exact.over(exact.squared_distance, lambda K: K - 1),
        lambda K: K - 1,
        IMPROPER,
        binary=STRICT,
    ),
    ordered(SquaredMeanError(), exact.squared_mean(), constant(1), PROPER, binary=STRICT),
    ordered(QuadraticRPS(), exact.quadratic_rps(Fraction(0.1)), constant(1.1)),
    ordered(QuadraticRPS(0.5), exact.quadratic_rps(HALF), constant(1.5)),
]

# A column more than there are classes: to abstain.
COSTS = ((0, 2, 4, 1), (3, 0, 2, 1), (8, 3, 0, 1))


def costs_of(_: int) -> Matrix:
    return [[Fraction(value) for value in row] for row in COSTS]


def pbs(ties: str = "split", scale: str = "sum") -> Price:
    return exact.penalized(exact.brier, exact.brier_penalty, exact.mistake(ties), scale)


def pll(ties: str = "split") -> Price:
    return exact.penalized(exact.log, exact.log_penalty, exact.mistake(ties))


Ties = Literal["first", "any_correct", "unique_only"]
TIES_OF_COSTS: list[tuple[Ties, Propriety]] = [
    ("first", STRICT),
    ("any_correct", IMPROPER),
    ("unique_only", IMPROPER),
]
PENALIZED = [
    nominal(PBS(), pbs(), brier_and(share_of_mistakes)),
    nominal(PLL(), pll(), constant(INFINITE)),
    nominal(PBS(ties="first"), pbs("first"), brier_and(share_of_mistakes), symmetric=False),
    nominal(PLL(ties="first"), pll("first"), constant(INFINITE), symmetric=False),
    nominal(
        PBS(penalty="minimal"),
        exact.penalized(exact.brier, exact.brier_minimum),
        brier_and(lambda K: 0.5 - 1 / K),
    ),
    nominal(
        PLL(penalty="minimal"), exact.penalized(exact.log, exact.log_minimum), constant(INFINITE)
    ),
    nominal(PBS(penalty=0.5), exact.penalized(exact.brier, always(HALF)), constant(2.5)),
    nominal(PBS(scale="algorithm2"), pbs(scale="algorithm2"), lambda K: (3 - 1 / K) / K),
    nominal(PBS(scale="published_code"), pbs(scale="published_code"), lambda K: 1 + 1 / K),
    nominal(PBS(ties="any_correct"), pbs("any_correct"), brier_and(share_of_mistakes), IMPROPER),
    nominal(
        PBS(ties="any_correct", scale="published_code"),
        pbs("any_correct", "published_code"),
        lambda K: 1 + 1 / K,
        IMPROPER,
    ),
    nominal(PLL(ties="any_correct"), pll("any_correct"), constant(INFINITE), IMPROPER),
    nominal(PBS(ties="unique_only"), pbs("unique_only"), brier_and(share_of_mistakes), IMPROPER),
    nominal(PLL(ties="unique_only"), pll("unique_only"), constant(INFINITE), IMPROPER),
    nominal(
        PBS(tolerance=0.15),
        exact.penalized(exact.brier, exact.brier_penalty, exact.mistake(tolerance=Fraction(0.15))),
        brier_and(share_of_mistakes),
        IMPROPER,
        classes=(2, 3, 4),
    ),
    nominal(
        Penalized(Spherical(), penalty=0.5),
        exact.penalized(exact.spherical, always(HALF)),
        constant(1.5),
    ),
    nominal(
        Penalized(Misclassification(), penalty=0.5),
        exact.penalized(exact.mistake(), always(HALF)),
        constant(1.5),
        PROPER,
    ),
    ordered(
        Penalized(RPS()),
        exact.penalized(exact.ranked(exact.cut_brier), exact.rps_penalty),
        lambda K: 1 + float(exact.rps_penalty(K)),
    ),
    ordered(
        Penalized(RPS(), penalty="minimal"),
        exact.penalized(exact.ranked(exact.cut_brier), exact.rps_minimum),
        lambda K: 1 + float(exact.rps_minimum(K)),
    ),
    ordered(
        Penalized(RPS(), penalty=0.5, cost="linear"),
        exact.penalized(
            exact.ranked(exact.cut_brier), always(HALF), exact.mistake(cost=exact.by_distance(1))
        ),
        lambda K: 1 + (K - 1) / 2,
    ),
    ordered(
        Penalized(SquaredAbsoluteRPS(), penalty=1),
        exact.penalized(
            exact.over(exact.squared_distance, lambda K: (K - 1) ** 2), always(Fraction(1))
        ),
        constant(2),
        IMPROPER,
        binary=STRICT,
    ),
    ordered(
        Penalized(Brier(), penalty=0.25, cost="quadratic"),
        exact.penalized(exact.brier, always(QUARTER), exact.mistake(cost=exact.by_distance(2))),
        lambda K: 2 + (K - 1) ** 2 / 4,
    ),
    nominal(
        Penalized(Log(), penalty=0.5, cost=COSTS),
        exact.penalized(exact.log, always(HALF), exact.mistake(cost=costs_of)),
        constant(INFINITE),
        symmetric=False,
        classes=(3,),
    ),
    *(
        nominal(
            Penalized(Brier(), penalty=0.5, cost=COSTS, ties=ties),
            exact.penalized(exact.brier, always(HALF), exact.mistake(ties, costs_of)),
            constant(6),
            propriety,
            symmetric=False,
            classes=(3,),
        )
        for ties, propriety in TIES_OF_COSTS
    ),
]
SUBJECTS = [*UNORDERED, *ORDERED, *PENALIZED]
