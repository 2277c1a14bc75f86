"""Rows that are legal and odd: all ties, certain and subnormal forecasts, any legal weights.

They come as users have them: lists, short floats, columns of frames, views that are not to be
written to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

import properly
from properly.rules import (
    PBS,
    RPS,
    BetaWeighted,
    Bounded,
    Brier,
    Elementary,
    Log,
    Pseudospherical,
    QuadraticRPS,
    RankedLog,
    Regret,
    Spherical,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import DrawFn

# Rows that are drawn one by one, which shrink well; more come from a generator with a drawn seed.
MOST_ROWS, MANY_ROWS = 12, 150
CLASSES = 3
TINY, SMALLEST, NEXT_TO_ONE = 1e-300, 5e-324, 1 - 2.0**-53
ODD = (0.0, 1.0, 0.5, 0.1, 0.3, TINY, 3e-300, 1e-310, SMALLEST, NEXT_TO_ONE, 1 - 1e-16, 1e-16)
BINARY = (
    *(Brier(), Log(), Spherical(), Elementary(0.3), BetaWeighted(2, 2), BetaWeighted(0.5, 0.5)),
    *(Regret((0.1, 0.4)), Bounded(Log(), (0.05, 0.9)), Pseudospherical(-1.0)),
)
OF_CLASSES = (*(Brier(), Log(), Spherical(), RPS(), QuadraticRPS(), RankedLog(), PBS()),)


def _strided(x: Any) -> Any:
    return np.repeat(np.asarray(x), 3)[::3]


def _backwards(x: Any) -> Any:
    return np.asarray(x)[::-1].copy()[::-1]


def _read_only(x: Any) -> Any:
    array = np.array(x)
    array.flags.writeable = False
    return array


# How a column of numbers is handed over; none of these changes what it says.
FORMS: dict[str, Callable[[Any], Any]] = {
    "list": lambda x: np.asarray(x).tolist(),
    "array": np.array,
    "strided": _strided,
    "backwards": _backwards,
    "read-only": _read_only,
    "pandas": lambda x: pd.Series(np.array(x), index=np.arange(len(x))[::-1]),
    "nullable": lambda x: pd.Series(pd.array(np.array(x))),
    "polars": lambda x: pl.Series(np.array(x)),
}
DTYPES = (np.float64, np.float64, np.float32, np.float16)
forms = st.sampled_from(list(FORMS))
chances = st.sampled_from(ODD) | st.floats(0, 1)
amounts = st.floats(-29, 29).map(lambda x: 10.0**x)
rules = st.sampled_from(BINARY)
class_rules = st.sampled_from(OF_CLASSES)
within = st.sampled_from([(0.1, 0.4), (0.0, 1.0), (0.3, 0.3 + 1e-12)])
# Few draws, always the same.
FEW: dict[str, Any] = {"replicates": 39, "rng": 1}


@dataclass(frozen=True)
class Odd:
    """Outcomes of an event, forecasts of two models, and what else is known of the cases."""

    y: Any
    p: Any
    q: Any
    weight: Any = None
    form: str = "array"
    columns: dict[str, Any] = field(default_factory=dict)

    @property
    def known(self) -> dict[str, Any]:
        """What is known besides outcomes and forecasts, by name."""
        return self.columns if self.weight is None else {"weight": self.weight, **self.columns}

    def cases(self, p: Any = None, **columns: Any) -> properly.Cases:
        return properly.Cases(self.y, self.p if p is None else p, **self.known, **columns)

    def tally(self) -> properly.Tally:
        return properly.tally(self.y, self.p, **self.weights)

    @property
    def weights(self) -> dict[str, Any]:
        return {} if self.weight is None else {"weight": self.weight}

    @property
    def models(self) -> dict[str, Any]:
        return {"first": self.p, "second": self.q}

    def both(self) -> tuple[properly.Cases, properly.Cases]:
        return self.cases(), self.cases(self.q)

    def __len__(self) -> int:
        return len(self.y)


@st.composite
def weights(draw: DrawFn, size: int) -> Any:
    """Draw none, all the same, of like size, of any legal size, or some of them 0."""
    kind = draw(st.sampled_from(["none", "none", "same", "alike", "any", "zeros"]))
    if kind == "none":
        return None
    if kind == "same":
        return np.full(size, draw(amounts))
    if kind == "alike":
        shares = columns_of(st.floats(0.5, 2), np.linspace(0.5, 2, 40).tolist(), size)
        return np.array(draw(shares)) * draw(amounts)
    result = np.array(draw(columns_of(amounts, (10.0 ** np.arange(-29, 30)).tolist(), size)))
    if kind == "zeros":
        zero = draw(columns_of(st.booleans(), [False, True], size))
        result[np.array(zero, dtype=bool)] = 0.0
    return result


@st.composite
def columns_of(draw: DrawFn, one: Any, some: list[Any], size: int) -> list[Any]:
    """Draw a column: value by value, or many of some values by a seed."""
    if size <= MOST_ROWS:
        return draw(st.lists(one, min_size=size, max_size=size))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    chosen = rng.integers(0, len(some), size)
    return [some[k] for k in chosen]


@st.composite
def odd_rows(draw: DrawFn, *, design: bool = True) -> Odd:
    """Draw rows of an event; some with a design come in clusters or strata, or at times."""
    size = draw(st.integers(1, MOST_ROWS) | st.integers(20, MANY_ROWS))
    form = draw(forms)
    hand = FORMS[form]
    y = np.array(draw(columns_of(st.booleans(), [False, True], size)))
    dtype = draw(st.sampled_from(DTYPES))
    p, q = (draw(forecasts(size)).astype(dtype) for _ in range(2))
    y = y.astype(draw(st.sampled_from([bool, np.int8, np.int64, np.float64])))
    # Frames have no column of halves.
    if dtype is np.float16 and form in ("polars", "nullable"):
        hand = FORMS["array"]
    weight = draw(weights(size))
    weight = None if weight is None else hand(weight)
    columns = {}
    if design:
        chosen = draw(st.sampled_from([None, None, "clusters", "time", "strata"]))
        if chosen is not None:
            columns = {chosen: np.arange(size) // draw(st.integers(1, 3))}
    return Odd(hand(y), hand(p), hand(q), weight, form, columns)


@st.composite
def forecasts(draw: DrawFn, size: int) -> Any:
    """Draw forecasts: a few values in ties, odd ones, or any."""
    if draw(st.booleans()):
        few = draw(st.lists(chances, min_size=1, max_size=3))
        return np.array(draw(columns_of(st.sampled_from(few), few, size)))
    unit = draw(st.sampled_from([1.0, 1.0, TINY, 1e-16, 1e-3]))
    some = (np.linspace(0, 1, 101) * unit).tolist()
    odd = list(ODD) if draw(st.booleans()) else []
    return np.array(draw(columns_of(chances, some + odd, size)))


@dataclass(frozen=True)
class OddClasses:
    """Outcomes and probabilities of three classes, by two models, and decisions."""

    y: Any
    p: Any
    q: Any
    d: Any
    weight: Any = None

    @property
    def weights(self) -> dict[str, Any]:
        return {} if self.weight is None else {"weight": self.weight}

    def cases(self, **columns: Any) -> properly.Cases:
        return properly.Cases(self.y, self.p, **self.weights, **columns)


@st.composite
def odd_classes(draw: DrawFn) -> OddClasses:
    """Draw rows of three classes."""
    size = draw(st.integers(1, MOST_ROWS) | st.integers(20, MANY_ROWS))
    numbers = columns_of(st.integers(0, CLASSES - 1), list(range(CLASSES)), size)
    y, d = (np.array(draw(numbers)) for _ in range(2))
    p, q = (draw(tables(size)) for _ in range(2))
    return OddClasses(y, p, q, d, draw(weights(size)))


@st.composite
def tables(draw: DrawFn, size: int) -> Any:
    """Draw rows of probabilities: certain, equal, next to either, or any."""
    rows = np.array([draw(forecasts(size)) for _ in range(CLASSES)]).T.copy()
    rows[rows.sum(axis=1) < 1e-290] = 1.0
    return rows / rows.sum(axis=1, keepdims=True)
