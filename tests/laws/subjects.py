"""What every law is held against: configured rules, random rows, and slow exact oracles.

A new rule joins ``SUBJECTS`` and is tested by every law.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from tests.examples import examples

import properly
from properly.rules import (
    BetaWeighted,
    Bounded,
    Brier,
    Elementary,
    HistogramWeighted,
    Log,
    Misclassification,
    MissedBenefit,
    Mixture,
    PointWeighted,
    Propriety,
    Pseudospherical,
    Regret,
    Shifted,
    Spherical,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import SearchStrategy
    from numpy.typing import NDArray

    from properly import Tally
    from properly.rules import BinaryRule

    Floats = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)
# For laws that are not repeated for every rule.
many = examples(25)
STRICT, PROPER = Propriety.STRICT, Propriety.PROPER


@dataclass(frozen=True)
class Subject:
    """A configured rule beside what the mathematics says of it.

    ``breaks`` are the thresholds inside (0, 1) where the weight jumps; ``atoms`` its point
    masses; ``poles`` the limits of ``t * weight(t)`` at 0 and of ``(1 - t) * weight(t)`` at 1.
    """

    rule: BinaryRule
    propriety: Propriety
    breaks: tuple[float, ...] = ()
    atoms: tuple[tuple[float, float], ...] = ()
    poles: tuple[float, float] = (0.0, 0.0)

    def __repr__(self) -> str:
        """Name the test after the rule."""
        return repr(self.rule)


SUBJECTS = [
    Subject(Brier(), STRICT),
    Subject(Log(), STRICT, poles=(1.0, 1.0)),
    Subject(Spherical(), STRICT),
    Subject(Misclassification(), PROPER, (0.5,), ((0.5, 2.0),)),
    Subject(Elementary(0.5), PROPER, (0.5,), ((0.5, 1.0),)),
    Subject(Elementary(0.02), PROPER, (0.02,), ((0.02, 1.0),)),
    Subject(Elementary(0.7), PROPER, (0.7,), ((0.7, 1.0),)),
    Subject(Bounded(Brier(), (0.0, 1.0), scale="integral"), STRICT),
    Subject(Bounded(Brier(), (0.05, 0.2)), PROPER, (0.05, 0.2)),
    Subject(Bounded(Brier(), (0.05, 0.2), scale="integral"), PROPER, (0.05, 0.2)),
    Subject(Bounded(Brier(), (0.3, 0.3 + 1e-6)), PROPER, (0.3, 0.3 + 1e-6)),
    Subject(Bounded(Log(), (0.1, 0.9)), PROPER, (0.1, 0.9)),
    Subject(Bounded(Log(), (0.0166, 0.03), scale="integral"), PROPER, (0.0166, 0.03)),
    Subject(Bounded(Log(), (0.6, 0.6 + 1e-6)), PROPER, (0.6, 0.6 + 1e-6)),
    Subject(Bounded(Log(), (0.0, 0.5), scale="integral"), PROPER, (0.5,), poles=(1.0, 0.0)),
    Subject(Bounded(Spherical(), (0.2, 0.7)), PROPER, (0.2, 0.7)),
    Subject(Bounded(Spherical(), (0.2, 0.7), scale="integral"), PROPER, (0.2, 0.7)),
    # The mass of the weight of Misclassification is two, so its mean is the regret at one half.
    Subject(Bounded(Misclassification(), (0.25, 0.75)), PROPER, (0.5,), ((0.5, 1.0),)),
    Subject(Bounded(Elementary(0.2), (0.1, 0.3), scale="integral"), PROPER, (0.2,), ((0.2, 1.0),)),
    Subject(Mixture([(1.0, Brier()), (0.5, Log())]), STRICT, poles=(0.5, 0.5)),
    Subject(
        Mixture([(2.0, Elementary(0.3)), (0.5, Bounded(Brier(), (0.1, 0.6)))]),
        PROPER,
        (0.1, 0.3, 0.6),
        ((0.3, 2.0),),
    ),
    Subject(
        Mixture(
            [
                (1.0, Bounded(Log(), (0.05, 0.5), scale="integral")),
                (0.25, Elementary(0.1)),
                (3.0, Mixture([(1.0, Spherical()), (0.5, Misclassification())])),
            ]
        ),
        STRICT,
        (0.05, 0.1, 0.5),
        ((0.1, 0.25), (0.5, 3.0)),
    ),
    # A range over a mixture keeps the atoms inside it and drops those below and above.
    Subject(
        Bounded(
            Mixture(
                [
                    (1.0, Brier()),
                    (2.0, Elementary(0.3)),
                    (4.0, Elementary(0.05)),
                    (5.0, Elementary(0.8)),
                ]
            ),
            (0.1, 0.6),
            scale="integral",
        ),
        PROPER,
        (0.1, 0.3, 0.6),
        ((0.3, 2.0),),
    ),
    Subject(BetaWeighted(1, 1), STRICT),
    Subject(BetaWeighted(2, 2), STRICT),
    Subject(BetaWeighted(0.5, 0.5), STRICT),
    Subject(BetaWeighted(1.5, 1.25), STRICT),
    Subject(Bounded(BetaWeighted(2, 8), (0.05, 0.2), scale="integral"), PROPER, (0.05, 0.2)),
    Subject(MissedBenefit(), STRICT, poles=(0.0, 1.0)),
    Subject(Bounded(MissedBenefit(), (0.05, 0.2)), PROPER, (0.05, 0.2)),
    Subject(Shifted(0.1), STRICT),
    Subject(Shifted(0.49999999), STRICT),
    Subject(Shifted(0.9, form="classweighted"), STRICT),
    Subject(
        PointWeighted([0.05, 0.1, 0.2], [1, 2, 1]),
        PROPER,
        (0.05, 0.1, 0.2),
        ((0.05, 0.25), (0.1, 0.5), (0.2, 0.25)),
    ),
    Subject(HistogramWeighted([0.02, 0.05, 0.1, 0.2], [3, 5, 2]), PROPER, (0.02, 0.05, 0.1, 0.2)),
    Subject(HistogramWeighted([0, 0.25, 1], [1, 1]), STRICT, (0.25,)),
    Subject(Regret((0.05, 0.2)), PROPER, (0.05, 0.2)),
    Subject(Regret((0.3, 0.3 + 1e-6), prior="logit"), PROPER, (0.3, 0.3 + 1e-6)),
    Subject(Regret((0.05, 0.2), prior=BetaWeighted(2, 8)), PROPER, (0.05, 0.2)),
    Subject(Regret((0.3, 0.3 + 1e-6), prior=BetaWeighted(2, 8)), PROPER, (0.3, 0.3 + 1e-6)),
    Subject(Regret((0, 1), prior=Spherical()), STRICT),
    Subject(Pseudospherical(0.4), STRICT),
    # Of negative powers, slopes of right and certain forecasts are infinite: no law for those.
    Subject(Bounded(Pseudospherical(-2 / 3), (0.1, 0.9)), PROPER, (0.1, 0.9)),
]
RULES = [subject.rule for subject in SUBJECTS]

# Beliefs about thresholds, for laws of weights.
EDGES, BELIEFS = (0.02, 0.05, 0.1, 0.3, 0.7), (1.0, 4.0, 0.0, 2.0)
POINTS, MASSES = (0.02, 0.1, 0.3, 0.7), (3.0, 1.0, 4.0, 2.0)
BETAS = [(1.0, 1.0), (2.0, 8.0), (0.5, 0.5), (3.5, 1.25), (0.1, 4.0)]


def segments(subject: Subject) -> list[tuple[float, float]]:
    """Return the stretches of (0, 1) on which the weight is smooth."""
    edges = [0.0, *subject.breaks, 1.0]
    return list(pairwise(edges))


def smooth_points(subject: Subject) -> Floats:
    """Return forecasts in the inside of every segment."""
    fractions = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    return np.concatenate([low + fractions * (high - low) for low, high in segments(subject)])


def both_outcomes(p: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return every forecast twice, once without the event and once with it."""
    return np.repeat([0, 1], len(p)), np.tile(p, 2)


class Rows(NamedTuple):
    """Outcomes, forecasts, weights."""

    y: NDArray[np.int64]
    p: Floats
    weight: NDArray[Any]


# Tenths make ties, one half, and exact 0 and 1; the other floats go down to the subnormal ones.
forecasts: SearchStrategy[float] = st.one_of(
    st.sampled_from([k / 10 for k in range(11)]), st.floats(0.0, 1.0)
)
counts: SearchStrategy[Any] = st.integers(0, 5)
fractional: SearchStrategy[Any] = st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.7, 1.0, 2.5])


def rows(weights: SearchStrategy[Any], max_size: int = 25) -> SearchStrategy[Rows]:
    """Draw rows of which at least one has a positive weight."""
    drawn = st.lists(
        st.tuples(st.integers(0, 1), forecasts, weights), min_size=1, max_size=max_size
    )
    return drawn.filter(lambda found: any(w > 0 for _, _, w in found)).map(as_rows)


def as_rows(found: Sequence[tuple[int, float, Any]]) -> Rows:
    y, p, weight = zip(*found, strict=True)
    return Rows(np.array(y), np.array(p), np.array(weight))


counted_rows = rows(counts)
fractional_rows = rows(fractional)
any_rows = st.one_of(counted_rows, fractional_rows)

# For laws repeated for every rule: a seed is quicker to draw than rows. Among the forecasts are
# ties, exact 0 and 1, the ends of the ranges and the thresholds above, and the smallest floats.
LIKELY = np.array([*(k / 10 for k in range(11)), 0.02, 0.05, 0.0166, 0.03, 1e-300, 5e-324])


def rows_of_seed(seed: int, count: int, weights: Sequence[float]) -> Rows:
    rng = np.random.default_rng(seed)
    p = np.where(rng.random(count) < 0.7, rng.choice(LIKELY, count), rng.random(count))
    weight = rng.choice(np.array(weights), count)
    weight[0] = weights[-1]  # at least one case counts
    return Rows(rng.integers(0, 2, count), p, weight)


seeds = st.integers(0, 2**32 - 1)
quick_counts = st.builds(rows_of_seed, seeds, st.integers(1, 25), st.just([0, 1, 2, 5]))
quick_fractions = st.builds(rows_of_seed, seeds, st.integers(1, 25), st.just([0.0, 0.1, 1.0, 2.5]))
quick_rows = st.one_of(quick_counts, quick_fractions)

# No float here lies within a few roundings of another forecast without being it.
thresholds = st.sampled_from([k / 100 for k in range(1, 100)])
ranges: SearchStrategy[tuple[float, float]] = st.lists(
    st.floats(0.001, 0.999), min_size=2, max_size=2, unique=True
).map(lambda ends: (min(ends), max(ends)))


def models_of(seed: int, count: int) -> tuple[Rows, ...]:
    """Draw three models of the same outcomes, with ties."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 2, count), [0, 1])
    sizes = (4, 10, 1000)
    return tuple(Rows(y, rng.integers(0, k + 1, len(y)) / k, np.ones(len(y))) for k in sizes)


models = st.builds(models_of, seeds, st.integers(1, 15))


def tally_of(found: Rows) -> Tally:
    return properly.tally(found.y, found.p, weight=found.weight)


def counts_of(found: Rows) -> Tally:
    return properly.tally(found.y, found.p, count=found.weight)


COLUMNS = ("value", "weight", "events", "event_squares", "nonevent_squares")


def assert_same_tallies(one: Tally, two: Tally, rounding: float = 0.0) -> None:
    """Hold all columns of two tallies against each other."""
    for name in COLUMNS:
        left, right = getattr(one, name), getattr(two, name)
        assert (left is None) == (right is None), name
        if left is not None:
            rtol = 0.0 if name == "value" else rounding
            np.testing.assert_allclose(left, right, rtol=rtol, atol=0, err_msg=name)


def are_alike(weight: NDArray[Any]) -> bool:
    """Tell whether all rows that count weigh the same, so that they are only counted."""
    return len(set(weight[weight > 0].tolist())) == 1


def without_unit(weight: NDArray[Any]) -> NDArray[Any]:
    """Divide out a weight that all rows have that count."""
    return np.sign(weight).astype(int) if are_alike(weight) else weight


def expected_loss(rule: BinaryRule, truth: Floats, forecast: Floats) -> Floats:
    """Return the expected loss, one row a truth and one column a forecast."""
    q = truth[:, None]
    # A loss of an outcome that never happens is not counted, even if it is infinite.
    event = np.where(q > 0, np.asarray(rule.loss_if_event(forecast))[None, :], 0.0)
    none = np.where(q < 1, np.asarray(rule.loss_if_none(forecast))[None, :], 0.0)
    return np.asarray(q * event + (1 - q) * none)


def mean_score(rule: BinaryRule, tally: Tally, forecast: Floats) -> float:
    """Return the mean loss of other forecasts given to the cases of a tally."""
    events = np.asarray(tally.events, dtype=float)
    others = np.asarray(tally.weight, dtype=float) - events
    event = np.where(events > 0, np.asarray(rule.loss_if_event(forecast)), 0.0)
    none = np.where(others > 0, np.asarray(rule.loss_if_none(forecast)), 0.0)
    return float((events * event + others * none).sum() / float(tally.total))


class Block(NamedTuple):
    """A pooled block: the first and the last group in it, its cases and its events."""

    first: int
    last: int
    weight: int
    events: int

    @property
    def rate(self) -> Fraction:
        return Fraction(self.events, self.weight)


def exact_blocks(weight: Sequence[int], events: Sequence[int]) -> list[Block]:
    """Pool adjacent violators one after the other, in whole numbers; equal rates pool too."""
    stack: list[Block] = []
    for place, (cases, hits) in enumerate(zip(weight, events, strict=True)):
        block = Block(place, place, int(cases), int(hits))
        while stack and stack[-1].events * block.weight >= block.events * stack[-1].weight:
            left = stack.pop()
            block = Block(
                left.first, block.last, left.weight + block.weight, left.events + block.events
            )
        stack.append(block)
    return stack
