"""Charts of the page: what each consists of, and which models are drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._chunks import share_out
from properly.report._vega import PALETTE

if TYPE_CHECKING:
    from properly.evaluation._record import Evaluation
    from properly.report._vega import Spec
    from properly.typing import Column


# Points of a curve beyond which nobody sees a difference.
MOST_POINTS = 400
DIGITS = 5
# More curves cannot be told apart, and would make the page too large to send.
MOST_MODELS = 8


class NumberTable(NamedTuple):
    """The numbers behind a chart; the first column names the row."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = "Numbers"
    # What a cell has after a line break, such as an interval, stands below it in small letters.
    around: bool = False


@dataclass(frozen=True)
class Chart:
    """One chart of the page.

    Attributes
    ----------
    name : str
        Its anchor in the page.
    title : str
        What it shows.
    lead : str
        How to read it.
    spec : dict
        A Vega-Lite specification.
    alt : str
        What is read aloud: the finding, in numbers.
    table : NumberTable or None
        The numbers behind it.
    below : NumberTable or None
        What is to be read beside the chart, below it.
    wide : bool
        Whether it takes the whole width of the page.
    zoom : str
        The range that it begins with, in words, if all of it is a click away.
    """

    name: str
    title: str
    lead: str
    spec: Spec
    alt: str
    table: NumberTable | None = None
    below: NumberTable | None = None
    wide: bool = False
    zoom: str = ""


def short(x: float, digits: int = DIGITS) -> float | None:
    """Return a number with as many digits as a picture can show, and nothing if it is none."""
    return float(f"{x:.{digits}g}") if math.isfinite(x) else None


def thinned(
    x: Column, *columns: Column, most: int = MOST_POINTS, along: Column | None = None
) -> tuple[Column, ...]:
    """Keep at most so many points of a curve, evenly along it, and always both ends.

    Points are as far apart as their numbers, or as the increasing numbers `along`: of cells that
    forecasts were grouped into, most may lie where hardly a case is.
    """
    if len(x) <= most:
        return (x, *columns)
    kept = np.linspace(0, len(x) - 1, most).round().astype(np.int64)
    if along is not None:
        kept = np.searchsorted(along, np.linspace(along[0], along[-1], most))
        kept = np.append(kept[:-1], len(x) - 1)
    kept = np.unique(np.minimum(kept, len(x) - 1))
    return tuple(column[kept] for column in (x, *columns))


def drawn_models(evaluation: Evaluation) -> tuple[str, ...]:
    """Name the models with the lowest scores, in the order that they were given in."""
    if len(evaluation.models) <= MOST_MODELS:
        return evaluation.models
    value = {name: by_rule[evaluation.primary].value for name, by_rule in evaluation.scores.items()}
    best = sorted(value, key=lambda name: (math.isnan(value[name]), value[name]))[:MOST_MODELS]
    return tuple(name for name in evaluation.models if name in best)


def drawn_part(evaluation: Any) -> Any:
    """Leave out of an evaluation what belongs to models that are not drawn.

    Curves of those that are drawn are made once, since several charts need each.
    """
    kept, every = drawn_models(evaluation), set(evaluation.models)
    parts = {}
    for field in fields(evaluation):
        part = getattr(evaluation, field.name)
        if isinstance(part, Mapping) and part and set(part) <= every:
            names = [name for name in kept if name in part]
            # Curves are made now, those of several models side by side.
            parts[field.name] = dict(zip(names, share_out(part.__getitem__, names, 2), strict=True))
    return replace(evaluation, **parts)


def inks_of(evaluation: Evaluation) -> dict[str, int]:
    """Give each model that is drawn the number of its colour."""
    return {name: k % len(PALETTE) for k, name in enumerate(drawn_models(evaluation))}
