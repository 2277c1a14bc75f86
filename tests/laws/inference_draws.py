"""Studies that laws of inference are held against: several models of cases with a design."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import strategies as st
from tests.examples import examples

import properly

from . import class_subjects, subjects

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly import Cases
    from properly.comparison import Comparison

    Floats = NDArray[np.float64]

# Each example is a whole study.
few = examples(8)
ROWS = 60  # with 30 events: fewer than 20 would be warned of


@dataclass(frozen=True, eq=False)
class Study:
    """Outcomes, the forecasts of three models, and what is known of the cases."""

    y: Any
    models: dict[str, Any]
    known: dict[str, Any] = field(default_factory=dict)

    def told(self, *names: str, **others: Any) -> Study:
        """Keep what is named of what is known, and know other things."""
        return replace(self, known={name: self.known[name] for name in names} | others)

    def rows(self, order: Any) -> Study:
        """Take the cases in this order."""
        return Study(
            self.y[order],
            {name: p[order] for name, p in self.models.items()},
            {name: column[order] for name, column in self.known.items()},
        )

    def compare(self, rule: Any, names: str = "ab", **options: Any) -> Comparison:
        """Compare two models, or those that are named, by Student's t unless told otherwise."""
        how: dict[str, Any] = {"method": "t", "rng": 1} | self.known | options
        models = {name: self.models[name] for name in names}
        return properly.compare(self.y, models, rule=rule, **how)

    def with_model(self, name: str, p: Any) -> Study:
        """Let a model say something else."""
        return replace(self, models=self.models | {name: p})

    def cases(self, name: str = "a") -> Cases:
        return properly.Cases(self.y, self.models[name], **self.known)


def study_of(seed: int, classes: int | None = None, rows: int = ROWS) -> Study:
    """Draw forecasts in sixty-fourths, none of them certain, in clusters, strata and times.

    Every stratum has four clusters, and those have cases of all times.
    """
    rng = np.random.default_rng(seed)
    known = {
        "weight": rng.choice([0.25, 1.0, 2.5], rows),
        "clusters": rng.permutation(rows) % 12,
        "time": rng.permutation(rows),
    }
    known["strata"] = known["clusters"] % 3
    y = rng.permutation(np.arange(rows) % (classes or 2))
    return Study(y, {name: drawn(rng, classes, rows) for name in "abc"}, known)


def drawn(rng: np.random.Generator, classes: int | None, rows: int) -> Floats:
    if classes is None:
        # One in five is low, so that rules for thresholds as low as that tell models apart.
        return np.asarray(np.where(rng.random(rows) < 0.2, 1, rng.integers(1, 64, rows)) / 64)
    shares = [rng.multinomial(64 - classes, rng.dirichlet(np.ones(classes))) for _ in range(rows)]
    return np.asarray((np.array(shares) + 1) / 64)


# Every rule with the number of classes that it is tried with, None for an event.
RULES: list[tuple[Any, int | None]] = [
    *((rule, None) for rule in subjects.RULES),
    *(
        (subject.rule, 3 if 3 in subject.classes else subject.classes[0])
        for subject in class_subjects.SUBJECTS
    ),
]
NAMES = [f"{rule!r} of {classes or 'an event'}" for rule, classes in RULES]
every_rule = pytest.mark.parametrize(("rule", "classes"), RULES, ids=NAMES)
any_rule = st.sampled_from(RULES)


SAMPLED = ("weight", "clusters", "strata")
DESIGNS: list[tuple[str, ...]] = [
    (),
    ("weight",),
    ("clusters",),
    SAMPLED,
    ("strata",),
    ("weight", "time"),
    ("weight", "clusters", "time"),
]
designs = st.sampled_from(DESIGNS)


@cache
def study_for(classes: int | None) -> Study:
    """Return cases of a weighted sample of clusters in strata."""
    return study_of(20240701, classes).told(*SAMPLED)


@cache
def compared(rule: Any, classes: int | None) -> Comparison:
    return study_for(classes).compare(rule)


def numbers(found: Comparison) -> Floats:
    """Return all that a comparison says of its pairs by themselves."""
    single = [found.difference, found.standard_error, found.p_value, found.adjusted_p_value]
    return np.concatenate([single, found.interval.T])


def assert_same(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
