"""Charts of the page: what each consists of, and what they have in common.

A chart is a Vega-Lite specification in which user's words, such as names of models, are data and
nothing else. One legend above all charts switches models on and off, by the parameter ``shown``.

Which models are drawn: all of a few, the best of many.

How charts look: the colour of the text around them, on light and on dark.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._chunks import share_out

if TYPE_CHECKING:
    from collections.abc import Iterable

    from properly.evaluation._record import Evaluation
    from properly.typing import Column


Spec: TypeAlias = dict[str, Any]

# Okabe and Ito's palette, told apart by colour-blind readers, as far as it is seen on white and on
# black; later models repeat it with other dashes.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31")
# Solid is one long dash: on paper, each dash of a line is laid.
DASHES = ([5000, 0], [6, 3], [2, 2], [8, 3, 2, 3])
# Points of a curve beyond which nobody sees a difference.
MOST_POINTS = 400
DIGITS = 5
# More curves cannot be told apart, and would make the page too large to send.
MOST_MODELS = 8
# Pixels of charts that take the whole width: of the numbers at their left, of what is right of
# these and their title, and of a panel if three stand in a row, or four small ones. Names at the
# left take their part of the whole.
NUMBERS, WIDE, PANEL, SMALL_PANEL = 41, 965, 266, 174
WHOLE, LETTER = 1028, 6.2
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


class Table(NamedTuple):
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
    table : Table or None
        The numbers behind it.
    below : Table or None
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
    table: Table | None = None
    below: Table | None = None
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


def model_color(names: Iterable[str], **more: Any) -> Spec:
    """Encode models by colour; the legend is that of the page."""
    domain = list(names)
    inks = [PALETTE[k % len(PALETTE)] for k in range(len(domain))]
    scale = {"domain": domain, "range": inks}
    return {"field": "model", "type": "nominal", "scale": scale, "legend": None} | more


def model_dash(names: Iterable[str]) -> Spec:
    """Encode by dashes those models that share a colour."""
    domain = list(names)
    dashes = [DASHES[k // len(PALETTE) % len(DASHES)] for k in range(len(domain))]
    scale = {"domain": domain, "range": dashes}
    return {"field": "model", "type": "nominal", "scale": scale, "legend": None}


def shown(names: Iterable[str]) -> Spec:
    """Name the models that are switched on."""
    return {"name": "shown", "value": list(names)}


def only_shown() -> Spec:
    """Keep the rows of models that are switched on."""
    return {"filter": "indexof(shown, datum.model) >= 0"}


def facet(field: str, names: str, size: int) -> Spec:
    """Head each panel by a name.

    Names are data of the parameter `names`, and looked up by number: nothing in them is obeyed.
    """
    label = {"labelExpr": f"{names}[datum.value]", "labelLimit": size}
    style = {"labelFontWeight": "bold", "labelAnchor": "start"}
    return {"field": field, "type": "ordinal", "header": {"title": None} | label | style}


def name_axis(names: Iterable[str], most: int) -> Spec:
    """Give names at the left of a panel as much room as they need, and no more than so much."""
    room = min(math.ceil(LETTER * max(map(len, names), default=0)) + 8, most)
    return {"minExtent": room, "maxExtent": room, "labelLimit": room}


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


def theme() -> Spec:
    """Return a Vega-Lite configuration that takes the colour of the page's text."""
    ink, quiet = "currentColor", 0.65
    words = {"labelColor": ink, "titleColor": ink, "labelOpacity": quiet, "titleOpacity": quiet}
    lines = {"domainColor": ink, "domainOpacity": 0.35, "tickColor": ink, "tickOpacity": 0.35}
    return {
        "background": None,
        "font": FONT,
        "axis": words
        | lines
        | {
            "gridColor": ink,
            "gridOpacity": 0.08,
            "labelFontSize": 11,
            "titleFontSize": 12,
            "titleFontWeight": 500,
            "titlePadding": 8,
            "labelOverlap": True,
        },
        # What stands one below the other begins at the same place.
        "axisYQuantitative": {"minExtent": NUMBERS},
        "header": words | {"labelFontSize": 12, "labelFontWeight": 600, "labelOpacity": 1},
        "legend": words | {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": 500},
        "title": {"color": ink, "fontSize": 12, "fontWeight": 600, "anchor": "start"},
        "text": {"color": ink, "fontSize": 11},
        "rule": {"color": ink},
        "view": {"stroke": None},
        "line": {"strokeWidth": 2, "strokeCap": "round"},
    }
