"""Slow, exact prices of class forecasts that know nothing of the package: fractions, sixty digits.

A forecast is a tuple of fractions, one a class. What has a logarithm or a root is a decimal.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Exact: TypeAlias = Fraction | Decimal
Row: TypeAlias = tuple[Fraction, ...]
Price: TypeAlias = "Callable[[Row, int], Exact]"
Cut: TypeAlias = "Callable[[Fraction, bool], Exact]"
Matrix: TypeAlias = "Sequence[Sequence[Fraction]]"

INFINITE = Decimal("inf")
ZERO = Fraction(0)


# Arithmetic that has room for infinity


def decimal(value: Exact) -> Decimal:
    if isinstance(value, Decimal):
        return value
    return Decimal(value.numerator) / Decimal(value.denominator)


def ln(value: Fraction) -> Decimal:
    return decimal(value).ln() if value > 0 else -INFINITE


def weighted_sum(values: Sequence[Exact], weights: Sequence[Fraction]) -> Exact:
    """Add up products; what has no weight is left out, even if it is infinite."""
    used = [(value, weight) for value, weight in zip(values, weights, strict=True) if weight]
    if all(isinstance(value, Fraction) for value, _ in used):
        return sum((Fraction(value) * weight for value, weight in used), ZERO)
    return sum((decimal(value) * decimal(weight) for value, weight in used), Decimal(0))


def expected(price: Price, truth: Row, report: Row) -> Exact:
    """Return what a report costs on average if the classes have the probabilities of `truth`."""
    return weighted_sum([price(report, y) for y in range(len(truth))], truth)


def plus(one: Exact, other: Exact, weight: Fraction = Fraction(1)) -> Exact:
    return weighted_sum([one, other], [Fraction(1), weight])


# Classes without an order


def brier(p: Row, y: int) -> Fraction:
    return sum(((value - (j == y)) ** 2 for j, value in enumerate(p)), ZERO)


def log(p: Row, y: int) -> Decimal:
    return -ln(p[y])


def spherical(p: Row, y: int) -> Decimal:
    return 1 - decimal(p[y]) / decimal(sum((value**2 for value in p), ZERO)).sqrt()


def over(price: Price, divisor: Callable[[int], int]) -> Price:
    """Divide a price by a number that depends on how many classes there are."""
    return lambda p, y: weighted_sum([price(p, y)], [Fraction(1, divisor(len(p)))])


# Mistakes


def zero_one(classes: int) -> Matrix:
    return [[Fraction(int(i != j)) for j in range(classes)] for i in range(classes)]


def by_distance(power: int) -> Callable[[int], Matrix]:
    return lambda classes: [
        [Fraction(abs(i - j) ** power) for j in range(classes)] for i in range(classes)
    ]


def best_decisions(p: Row, cost: Matrix, tolerance: Fraction = ZERO) -> list[int]:
    """Return all decisions of the least expected cost, the lowest number first."""
    costs = [
        sum((share * row[d] for share, row in zip(p, cost, strict=True)), ZERO)
        for d in range(len(cost[0]))
    ]
    return [d for d, value in enumerate(costs) if value <= min(costs) + tolerance]


def mistake(
    ties: str = "split",
    cost: Callable[[int], Matrix] = zero_one,
    tolerance: Fraction = ZERO,
) -> Price:
    """Price the best decision; where several are best, as the convention says."""

    def price(p: Row, y: int) -> Fraction:
        matrix = cost(len(p))
        paid = [matrix[y][d] for d in best_decisions(p, matrix, tolerance)]
        if ties == "split":
            return sum(paid, ZERO) / len(paid)
        return {"first": paid[0], "any_correct": min(paid), "unique_only": max(paid)}[ties]

    return price


def penalized(
    base: Price, penalty: Callable[[int], Exact], error: Price | None = None, scale: str = "sum"
) -> Price:
    wrong = mistake() if error is None else error

    def price(p: Row, y: int) -> Exact:
        classes = len(p)
        size, paid = penalty(classes), wrong(p, y)
        extra = size * Fraction(paid) if isinstance(size, Fraction) else size * decimal(paid)
        share = Fraction(1, classes)
        score = base(p, y)
        if scale == "sum":
            return plus(score, extra)
        return weighted_sum([score, extra], [share, share if scale == "algorithm2" else 1 + ZERO])

    return price


def brier_penalty(classes: int) -> Fraction:
    return Fraction(classes - 1, classes)


def log_penalty(classes: int) -> Decimal:
    return ln(Fraction(classes))


def rps_penalty(classes: int) -> Fraction:
    """Return the largest score of a forecast that is right, or tied: found by counting."""
    score = ranked(cut_brier)
    sets = ({0, *range(classes - t, classes)} for t in range(1, classes))
    return max(Fraction(score(uniform_on(chosen, classes), 0)) for chosen in sets)


def brier_minimum(classes: int) -> Fraction:
    return Fraction(classes - 2, 2 * classes)


def log_minimum(classes: int) -> Decimal:
    return ln(Fraction(classes, 2))


def rps_minimum(classes: int) -> Fraction:
    least = Fraction(1, 4) if classes == 2 else Fraction(1, 5 * (classes - 1))
    return rps_penalty(classes) - least


def uniform_on(chosen: set[int], classes: int) -> Row:
    return tuple(Fraction(int(k in chosen), len(chosen)) for k in range(classes))


# Rules for one event, as they price a cut: "above the cut" has the probability t


def cut_brier(t: Fraction, above: bool) -> Fraction:
    return (t - above) ** 2


def cut_log(t: Fraction, above: bool) -> Decimal:
    return -ln(t if above else 1 - t)


def cut_spherical(t: Fraction, above: bool) -> Decimal:
    return spherical((1 - t, t), int(above))


def cut_misclassification(t: Fraction, above: bool) -> Fraction:
    return Fraction(mistake()((1 - t, t), int(above)))


def cut_elementary(c: Fraction) -> Cut:
    """Charge c for an alarm in vain and 1 - c for a miss, where one acts if t is c or more."""
    return lambda t, above: (1 - c if t < c else ZERO) if above else (c if t >= c else ZERO)


def cut_bounded_brier(a: Fraction, b: Fraction) -> Cut:
    """Average the regret, twice, over the thresholds between a and b."""

    def price(t: Fraction, above: bool) -> Fraction:
        inside = min(max(t, a), b)
        area = (1 - inside) ** 2 - (1 - b) ** 2 if above else inside**2 - a**2
        return area / (b - a)

    return price


# Classes in order


def tails(p: Row) -> Iterator[Fraction]:
    """Return the probability of a class above each cut."""
    return (sum(p[k + 1 :], ZERO) for k in range(len(p) - 1))


def ranked(
    cuts: Cut | Sequence[Cut], weights: Sequence[int] | None = None, *, normalized: bool = True
) -> Price:
    def price(p: Row, y: int) -> Exact:
        count = len(p) - 1
        chosen = [cuts] * count if callable(cuts) else cuts
        sizes = [Fraction(w) for w in weights or [1] * count]
        losses = [cut(t, y > k) for k, (cut, t) in enumerate(zip(chosen, tails(p), strict=True))]
        total = sum(sizes, ZERO) if normalized else Fraction(1)
        return weighted_sum(losses, [w / total for w in sizes])

    return price


def distance(p: Row, y: int) -> Fraction:
    """Return the mean distance from the class that happened."""
    return sum((value * abs(j - y) for j, value in enumerate(p)), ZERO)


def spread(p: Row, values: Sequence[int] | None = None) -> Fraction:
    """Return the mean distance of two independent draws."""
    v = values or range(len(p))
    return sum((a * b * abs(v[i] - v[j]) for i, a in enumerate(p) for j, b in enumerate(p)), ZERO)


def squared_distance(p: Row, y: int) -> Fraction:
    return distance(p, y) ** 2


def squared_mean() -> Price:
    def price(p: Row, y: int) -> Fraction:
        mean = sum((share * k for k, share in enumerate(p)), ZERO)
        return (mean - y) ** 2 / Fraction(len(p) - 1) ** 2

    return price


def quadratic_rps(share: Fraction) -> Price:
    return lambda p, y: plus(squared_mean()(p, y), ranked(cut_brier)(p, y), share)


# Grids and moments


def grid(classes: int, steps: int) -> list[Row]:
    """Return all forecasts whose probabilities are whole multiples of one part in `steps`."""

    def parts(left: int, count: int) -> Iterator[tuple[int, ...]]:
        if count == 1:
            yield (left,)
            return
        for first in range(left, -1, -1):
            yield from ((first, *rest) for rest in parts(left - first, count - 1))

    return [tuple(Fraction(k, steps) for k in found) for found in parts(steps, classes)]


def mean_and_variance(q: Row) -> tuple[Fraction, Fraction]:
    mean = sum((j * share for j, share in enumerate(q)), ZERO)
    return mean, sum((share * (j - mean) ** 2 for j, share in enumerate(q)), ZERO)


def rounding_of(mean: Fraction, classes: int) -> Row:
    """Return the forecast of this mean on the two neighbouring classes."""
    low = mean.numerator // mean.denominator
    share = mean - low
    found = [ZERO] * (classes + 1)
    found[low], found[low + 1] = 1 - share, share
    return tuple(found[:classes])
