"""Counterexamples to propriety: a truth, and a report that beats it or is as good.

A search over probabilities that are small whole numbers, so that a `Counterexample` can be checked
by hand: `Points` of the simplex, their `Prices`, the pairs that they make, and a local
optimisation whose result is rounded to small denominators.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._libraries import infinities
from properly._boundary._tolerances import SAME_SUM
from properly.errors import DataError
from properly.rules import BinaryRule, ClassRule
from properly.typing import Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]


# Points at most, and the greatest denominator: all pairs of points are looked at.
MOST_POINTS = 500
FINEST = 24
# With more classes than this, a grid of MOST_POINTS has no point of two classes any more.
MOST_CLASSES = 30
# Of many classes: points of a few neighbours, and their denominator.
FEW_CLASSES = (3, 8)
# Up to this many classes, every two of them are looked at closely.
MOST_PAIRED = 6
# How near a tie is: a point gives up this share of itself, divided by the number, to one class.
NEAR = (8, 64, 1024)
NEARER = (1024, 2**20)
# How near to certain a point is: all but one over this.
CERTAIN = (64, 2000, 10**6, 2 * 10**7)
# Losses and probabilities printed as fractions have no larger denominators than these; a loss may
# differ from its fraction in the last digits.
READABLE = 10_000
EXACT = 2 * 10**7
LAST_DIGITS = 2.0**-43
# Losses that differ by less than this share of themselves may differ by rounding.
ALIKE = 1e-6
# Local optimisation: truths, their denominator, starts of each, evaluations of each start.
TRUTHS, SIXTIETHS, STARTS, LOOKS = 4, 60, 3, 300
# What an optimiser may add and subtract, in the place of infinity.
HUGE = 1e100
# Denominators to which a report that is a real number is rounded, and how fine it may get.
SMALL = range(1, 1025)
FINE = tuple(2**n for n in range(11, 31))


@dataclass(frozen=True)
class Counterexample:
    """A truth, and another report that costs less, or as much, on average.

    Attributes
    ----------
    truth, report : tuple of float
        Probabilities of the classes: as they are, and as they are reported.
    truth_loss, report_loss : tuple of float
        What saying the one or the other costs, if each of the classes happens.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import SquaredAbsoluteRPS
    >>> found = properly.audit(SquaredAbsoluteRPS(), 3).counterexample
    >>> found.report
    (0.0, 1.0, 0.0)
    >>> found.as_fractions()
    'truth (1/3, 1/3, 1/3), report (0, 1, 0)'
    """

    truth: tuple[float, ...]
    report: tuple[float, ...]
    truth_loss: tuple[float, ...]
    report_loss: tuple[float, ...]

    def as_fractions(self) -> str:
        """Write both as fractions."""
        return f"truth {in_fractions(self.truth)}, report {in_fractions(self.report)}"

    @property
    def is_exact(self) -> bool:
        """Whether both cost the same, or what differs adds up to the same: not by rounding only."""
        pairs = list(zip(self.truth_loss, self.report_loss, strict=True))
        apart = max(abs(a - b) for a, b in pairs if a != b) if any(a != b for a, b in pairs) else 0
        return apart == 0 or apart > ALIKE * max(abs(x) for pair in pairs for x in pair)

    @property
    def expected_truth(self) -> float:
        """What saying the truth costs on average."""
        return _mean(self.truth, self.truth_loss)

    @property
    def expected_report(self) -> float:
        """What the report costs on average."""
        return _mean(self.truth, self.report_loss)


@dataclass(frozen=True)
class Prices:
    """What forecasts cost under every class."""

    rule: BinaryRule | ClassRule
    classes: int

    def __call__(self, points: Floats) -> Floats:
        """Return one row a forecast and one column a class; refuse what is not a loss."""
        if isinstance(self.rule, ClassRule):
            loss = np.asarray(self.rule.price_table(points), dtype=np.float64)
        else:
            event = points[:, 1]
            sides = self.rule.loss_if_none(event), self.rule.loss_if_event(event)
            loss = np.stack(sides, axis=1)
        wrong = np.isnan(loss) | np.isneginf(loss)
        if wrong.any():
            row, k = np.argwhere(wrong)[0]
            message = (
                f"a loss must be a number, or infinity; for {self.rule!r} the forecast "
                f"{in_fractions(points[row])} costs {loss[row, k]} if class {k} happens"
            )
            raise DataError(message)
        return loss


class Points(NamedTuple):
    """Rows of whole numbers, and what each row is divided by: its sum."""

    numerator: Whole
    denominator: Whole

    @property
    def p(self) -> Floats:
        """The rows as probabilities."""
        return self.numerator / self.denominator[:, None]


def best_pair(prices: Prices, points: Points) -> Counterexample | None:
    """Return the simplest pair of points of which the second beats the first as the truth."""
    return _simplest_gain(prices, points, points)


def optimised(prices: Prices, rng: np.random.Generator) -> Counterexample | None:
    """Look for the best reports of a few truths, and round what beats the truth."""
    shares = np.ones(prices.classes)
    for truth in rng.dirichlet(shares, TRUTHS):
        q = nearest(truth, [SIXTIETHS]).p[0]
        for start in (q, shares / prices.classes, rng.dirichlet(shares)):
            report = _best_report(prices, q, start)
            if _gains(prices, q[None], report[None]).any():
                return _rounded(prices, q, report) or _pair(prices, q, report)
    return None


def tied(prices: Prices) -> Counterexample | None:
    """Return the simplest pair of points of which the second is as good as the first."""
    # Only points that are well apart: near the truth every report is as good but for rounding.
    points = joined([lattice(prices.classes, finest(prices.classes))])
    loss = prices(points.p)
    costs = expected(points.p, loss)
    honest = np.diagonal(costs)[:, None]
    size = expected(points.p, np.abs(loss))
    close = np.abs(more(honest, costs)) <= SAME_SUM * (size + np.diagonal(size)[:, None])
    same = np.eye(len(loss), dtype=bool)
    pair = _simplest(close & np.isfinite(costs) & ~same, np.zeros_like(costs), points, points)
    if pair is not None:
        return _pair(prices, points.p[pair[0]], points.p[pair[1]])
    return _priced_alike(prices)


def _priced_alike(prices: Prices) -> Counterexample | None:
    """Return two points close together that cost the same whatever happens."""
    points = edges(prices.classes).p
    loss = prices(points)
    moved = (points[1:] != points[:-1]).any(axis=1)
    alike = np.flatnonzero((loss[1:] == loss[:-1]).all(axis=1) & moved)
    return _pair(prices, points[alike[0]], points[alike[0] + 1]) if len(alike) else None


def _simplest_gain(prices: Prices, truths: Points, reports: Points) -> Counterexample | None:
    """Return the simplest pair of a truth and a report that beats it."""
    gains = _gains(prices, truths.p, reports.p)
    # A truth that costs infinity shows little; it is a last resort.
    finite = np.isfinite(gains) & (gains > 0)
    pair = _simplest(finite if finite.any() else gains > 0, gains, truths, reports)
    return None if pair is None else _pair(prices, truths.p[pair[0]], reports.p[pair[1]])


def _gains(prices: Prices, truths: Floats, reports: Floats) -> Floats:
    """Return how much less each report costs than each truth; 0 if that may be rounding."""
    honest, loss = prices(truths), prices(reports)
    sizes = np.abs(np.concatenate([honest, loss]))
    bound = SAME_SUM * sizes[np.isfinite(sizes)].max(initial=0.0)
    own = np.sum(truths * np.where(truths > 0, honest, 0.0), axis=1)
    gain = more(own[:, None], expected(truths, loss))
    return np.where(gain > bound, gain, 0.0)


def _simplest(
    chosen: Flags, gain: Floats, truths: Points, reports: Points
) -> tuple[int, int] | None:
    """Return the pair of the smallest denominators, and among these of the largest gain."""
    if not chosen.any():
        return None
    size = truths.denominator[:, None] + reports.denominator[None, :]
    chosen = chosen & (size == size[chosen].min())
    row, column = np.unravel_index(np.argmax(np.where(chosen, gain, -np.inf)), gain.shape)
    return int(row), int(column)


def _best_report(prices: Prices, truth: Floats, start: Floats) -> Floats:
    """Return the report that a simplex search ends at."""
    from scipy.optimize import minimize

    def cost(x: Floats) -> float:
        # Any numbers make a report, without a border at which the search would stop.
        report = np.abs(x)[None] / max(np.abs(x).sum(), 1 / HUGE)
        return min(float(expected(truth[None], prices(report))[0, 0]), HUGE)

    options = {"maxfev": LOOKS, "xatol": 1e-7, "fatol": 0.0}
    x = np.abs(minimize(cost, start, method="Nelder-Mead", options=options).x)
    best: Floats = x / x.sum()
    return best


def _rounded(prices: Prices, truth: Floats, report: Floats) -> Counterexample | None:
    """Round a truth and a report that beats it to the smallest denominators at which it does."""
    for denominator in range(2, SIXTIETHS):
        near = nearest(truth, [denominator])
        pair = _simplest_gain(
            prices, near, nearest(_best_report(prices, near.p[0], near.p[0]), SMALL)
        )
        if pair is not None:
            return pair
    return _simplest_gain(prices, nearest(truth, [SIXTIETHS]), nearest(report, (*SMALL, *FINE)))


def _pair(prices: Prices, truth: Floats, report: Floats) -> Counterexample:
    losses = prices(np.stack([truth, report])).tolist()
    return Counterexample(*(tuple(x) for x in (truth.tolist(), report.tolist(), *losses)))


def _mean(truth: tuple[float, ...], loss: tuple[float, ...]) -> float:
    return math.fsum(q * x for q, x in zip(truth, loss, strict=True) if q > 0)


def finest(classes: int) -> int:
    """Return the largest denominator for which all points up to it are not too many."""
    fits = [d for d in range(1, FINEST + 1) if math.comb(d + classes, classes) <= MOST_POINTS + 1]
    return fits[-1]


def exact_grids(classes: int) -> Iterator[tuple[int, Floats]]:
    """Yield denominators that are powers of two, and points: sums of such are not rounded."""
    for denominator in (1, 2, 4, 8, 16, 32):
        if math.comb(denominator + classes - 1, denominator) <= MOST_POINTS:
            yield denominator, joined([lattice(classes, denominator)]).p
        elif denominator == FEW_CLASSES[1]:
            yield denominator, _of_few_classes(classes, *FEW_CLASSES).p


def lattice(classes: int, denominator: int) -> Points:
    """Return all points whose probabilities are multiples of one over the denominator."""
    # Bars between stars: a choice of places for the bars is a way to share out the stars.
    places = range(denominator + classes - 1)
    bars = np.array(list(combinations(places, classes - 1)), dtype=np.int64)
    edge = np.full((len(bars), 1), -1), np.full((len(bars), 1), denominator + classes - 1)
    return as_points(np.diff(np.hstack([edge[0], bars, edge[1]]), axis=1) - 1)


def as_points(rows: Whole | Sequence[Sequence[int]]) -> Points:
    """Take rows of whole numbers, in lowest terms."""
    numerator = np.asarray(rows, dtype=np.int64)
    numerator = numerator // np.gcd.reduce(numerator, axis=1)[:, None]
    return Points(numerator, numerator.sum(axis=1))


def joined(parts: Iterable[Points]) -> Points:
    """Put points together, each once, those of small denominators first."""
    rows = np.unique(np.vstack([part.numerator for part in parts]), axis=0)
    # The order of rows as numbers puts classes of high number first; turned round, class 0 leads.
    points = as_points(rows[::-1])
    order = np.argsort(points.denominator, kind="stable")
    return Points(points.numerator[order], points.denominator[order])


def all_points(classes: int) -> Points:
    """Return points of every small denominator, ties, and what is near a tie."""
    grids = [lattice(classes, d) for d in range(1, finest(classes) + 1)]
    ties = tied_points(classes)
    return joined([*grids, ties, pushed(ties, NEAR), _of_pairs(classes)])


def _of_pairs(classes: int) -> Points:
    """Return points of two classes each: finer than a grid of all can be, and near certainty."""
    many = classes > MOST_PAIRED
    pairs = zip(range(classes - 1), range(1, classes), strict=True)
    certain = CERTAIN[1::2] if many else CERTAIN
    shares = [] if many else [(share, FINEST) for share in range(1, FINEST)]
    shares += [(share, whole) for whole in certain for share in (1, whole - 1)]
    rows = [
        _placed(classes, {j: share, k: whole - share})
        for j, k in (pairs if many else combinations(range(classes), 2))
        for share, whole in shares
    ]
    return as_points(rows)


def tied_points(classes: int) -> Points:
    """Return points whose largest probability is that of several classes."""
    rows = [_placed(classes, {k: 1, (k + 1) % classes: 1}) for k in range(classes)]
    rows.append([1] * classes)
    for k in range(classes - 2):
        rows += [_placed(classes, {k: a, k + 1: 2, k + 2: 3 - a}) for a in (1, 2)]
    return joined([as_points(rows)])


def far_apart(classes: int) -> Points:
    """Return points that share out equally among one end and some classes at the other end."""
    rows = [[1, *[0] * (classes - 1 - t), *[1] * t] for t in range(1, classes)]
    return joined([as_points(rows + [row[::-1] for row in rows])])


def pushed(points: Points, shares: Sequence[int]) -> Points:
    """Move a small share of each point to one of the classes that it thinks possible."""
    rows = []
    for share in shares:
        for numerator, denominator in zip(*points, strict=True):
            for k in np.flatnonzero(numerator):
                row = (share - 1) * numerator
                row[k] += denominator
                rows.append(row)
    return as_points(np.array(rows))


def edges(classes: int, steps: int = 256) -> Points:
    """Return points close together on the lines between neighbouring classes, in their order."""
    rows = [
        _placed(classes, {k: steps - i, k + 1: i})
        for k in range(classes - 1)
        for i in range(steps + 1)
    ]
    return as_points(rows)


def nearest(point: Floats, denominators: Iterable[int]) -> Points:
    """Round one point to each of the denominators; what is left goes to the largest remainders."""
    rows = []
    for denominator in denominators:
        exact = point / point.sum() * denominator
        row = np.floor(exact).astype(np.int64)
        left = int(denominator - row.sum())
        row[np.argsort(row - exact, kind="stable")[:left]] += 1
        rows.append(row)
    return joined([as_points(np.array(rows))])


def expected(truth: Floats, loss: Floats) -> Floats:
    """Return what each report costs on average under each truth; 0 times infinity is 0."""
    endless = np.isinf(loss)
    cost: Floats = truth @ np.where(endless, 0.0, loss).T
    cost[(truth > 0).astype(float) @ endless.T.astype(float) > 0] = np.inf
    return cost


def fraction(x: float) -> str:
    """Write a number as a fraction, or with six digits if it is none of small denominator."""
    if not math.isfinite(x):
        return "infinity" if x > 0 else str(x)
    ratio = Fraction(x).limit_denominator(READABLE)
    return str(ratio) if abs(ratio - Fraction(x)) <= LAST_DIGITS * abs(x) else f"{x:.6g}"


def in_fractions(point: Iterable[float]) -> str:
    """Write a point, such as (1/3, 1/3, 1/3), to the last digit: near a tie that one matters."""
    exact = ((x, Fraction(x).limit_denominator(EXACT)) for x in map(float, point))
    return f"({', '.join(str(f) if float(f) == x else repr(x) for x, f in exact)})"


def _of_few_classes(classes: int, few: int, denominator: int) -> Points:
    """Return points that think only a few neighbouring classes possible."""
    rows = lattice(few, denominator).numerator
    parts = [np.zeros((len(rows), classes), dtype=np.int64) for _ in range(classes - few + 1)]
    for k, part in enumerate(parts):
        part[:, k : k + few] = rows
    return joined([as_points(np.vstack(parts))])


def _placed(classes: int, shares: dict[int, int]) -> list[int]:
    return [shares.get(k, 0) for k in range(classes)]


def more(a: Floats, b: Floats) -> Floats:
    """Return how much more one pays than the other; nothing if both are infinite."""
    with infinities():
        difference: Floats = np.where(a == b, 0.0, np.subtract(a, b))
    return difference
