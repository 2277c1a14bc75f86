"""Charts of the page, and the grammar that they are written in: Vega-Lite in a few words.

A chart is a specification in which user's words, such as names of models, are data and nothing
else. One legend above all charts switches models on and off, by the parameter ``shown``. Charts
take the colour of the text around them, on light and on dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._chunks import share_out
from properly._boundary._text import printable
from properly.evaluation._record import Evaluation
from properly.report._page_words import page_words
from properly.typing import Column

Spec: TypeAlias = dict[str, Any]

# Okabe and Ito's palette, told apart by colour-blind readers, as far as it is seen on white and on
# black; later models repeat it with other dashes.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31")
# Solid is one long dash: on paper, each dash of a line is laid.
DASHES = ([5000, 0], [6, 3], [2, 2], [8, 3, 2, 3])
# Pixels of charts that take the whole width: of the numbers at their left, of what is right of
# these and their title, and of a panel if three stand in a row, or four small ones. Names at the
# left take their part of the whole.
NUMBERS, WIDE, PANEL, SMALL_PANEL = 41, 965, 266, 174
WHOLE, LETTER = 1028, 6.2
# Points of a curve beyond which nobody sees a difference, and digits of each.
MOST_POINTS, DIGITS = 400, 5
# Rows of a table of numbers. More curves than so many models have cannot be told apart, and would
# make the page too large to send.
MOST_ROWS, MOST_MODELS = 30, 8
INK: Spec = {"color": "currentColor"}
# Without axes, or lines of them, beside names.
BARE: Spec = {"title": None, "ticks": False, "domain": False, "grid": False}
# Each panel has axes of its own.
APART: Spec = {"axis": {"x": "independent", "y": "independent"}}
# Rows of models that are switched on, with what needs no model and without.
SHOWN = "indexof(shown, datum.model) >= 0"
SHOWN_OR_PLAIN = f"datum.baseline || {SHOWN}"
# The number of a row, to name it.
ROW_NUMBER: Spec = {"op": "row_number", "as": "row"}
# A dot is seen where it is pointed at.
POINTED: Spec = {"condition": {"param": "pointed", "empty": False, "value": 1}, "value": 0}


class TableCell(NamedTuple):
    """A number, and its interval below it."""

    number: str
    around: str = ""
    kind: str = "number"


class NumberTable(NamedTuple):
    """A table, such as the numbers behind a chart; the first column names the row."""

    head: Sequence[str]
    rows: Sequence[Sequence[Any]]
    title: str = "Numbers"
    caption: str = ""
    plain: int = 0
    """How many rows, the last ones, are of baselines, or of forecasters without a rank."""


@dataclass(frozen=True)
class Chart:
    """One chart of the page.

    Attributes
    ----------
    name : str
        Its anchor in the page.
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
    lead: str
    spec: Spec
    alt: str
    table: NumberTable | None = None
    below: NumberTable | None = None
    wide: bool = False
    zoom: str = ""

    @property
    def title(self) -> str:
        """What it shows."""
        return str(page_words()["charts"][self.name]["title"])


def short(x: float, digits: int = DIGITS) -> float | None:
    """Return a number with as many digits as a picture can show, and nothing if it is none."""
    return float(f"{x:.{digits}g}") if math.isfinite(x) else None


def shortened(column: Column, digits: int = DIGITS) -> list[float | None]:
    """Return each of several numbers with as many digits as a picture can show."""
    return [short(x, digits) for x in column.tolist()]


def rows_of(columns: Mapping[str, Column | list[Any]], **same: Any) -> list[Spec]:
    """Lay out columns as rows, with numbers of arrays shortened, and what all rows share."""
    parts = (shortened(x) if isinstance(x, np.ndarray) else x for x in columns.values())
    return [same | dict(zip(columns, row, strict=True)) for row in zip(*parts, strict=True)]


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


def measure(field: str, title: str | None = "", *, kind: str = "quantitative", **more: Any) -> Spec:
    """Encode numbers; without a title, Vega-Lite would write the name of the field."""
    return {"field": field, "type": kind} | ({} if title == "" else {"title": title}) | more


def category(field: str, title: str | None = "", **more: Any) -> Spec:
    """Encode words."""
    return measure(field, title, kind="nominal", **more)


def from_to(lower: Any, upper: Any, **more: Any) -> Spec:
    """Return a scale between two ends, as they are."""
    return {"domain": [lower, upper], "nice": False} | more


def pixels(field: str) -> Spec:
    """Encode places that are given in pixels."""
    return measure(field, scale=None, axis=None)


def hover(titles: Mapping[str, Any]) -> list[Spec]:
    """Show fields of the row that is pointed at: words by their title, numbers by a format too."""
    return [
        category(field, words)
        if isinstance(words, str)
        else measure(field, words[0], format=words[1])
        for field, words in titles.items()
    ]


def mark(kind: str, **look: Any) -> Spec:
    """Say what is drawn for each row, and how it looks."""
    return {"type": kind} | look


def ink(kind: str, **look: Any) -> Spec:
    """Draw in the colour of the text."""
    return mark(kind, **look, **INK)


def dot(size: int, **look: Any) -> Spec:
    """Draw a filled point."""
    return mark("point", filled=True, size=size) | look


def layer(drawn: Spec, encoding: Spec, *steps: Spec | str, values: Any = None) -> Spec:
    """Draw marks, of rows of their own if there are any; a step in words keeps some rows."""
    parts = {"encoding": encoding, "transform": kept(*steps)}
    result: Spec = {"mark": drawn} | {name: part for name, part in parts.items() if part}
    return result if values is None else result | {"data": {"values": values}}


def kept(*steps: Spec | str) -> list[Spec]:
    """Write steps, those in words as filters."""
    return [{"filter": step} if isinstance(step, str) else step for step in steps]


def only_kind(kind: str) -> str:
    """Keep the rows of one kind."""
    return f"datum.kind == '{kind}'"


def unfold(*fields: str, to: Sequence[str]) -> Spec:
    """Unfold lists into rows."""
    return {"flatten": list(fields), "as": list(to)}


def numbered(field: str, order: str, *more: Spec) -> Spec:
    """Order rows by a field, and number them."""
    return {"window": [*more, ROW_NUMBER], "sort": [{"field": field, "order": order}]}


def pointer(*fields: str) -> Spec:
    """Select the dot that is pointed at, but not the nearest: Vega-Lite then loses its name."""
    select = {"type": "point", "on": "pointerover", "clear": "pointerout"}
    return {"params": [{"name": "pointed", "select": select | {"fields": ["model", *fields]}}]}


def corner_note(opacity: Any) -> Spec:
    """Write the note of a panel into its upper left corner."""
    place = {"x": {"value": 6}, "y": {"value": 5}, "text": category("note")}
    look = ink("text", align="left", baseline="top")
    if isinstance(opacity, float):
        return layer(look | {"opacity": opacity}, place, only_kind("note"))
    return layer(look, place | {"opacity": opacity}, SHOWN, only_kind("note"))


def model_color(names: Iterable[str], **more: Any) -> Spec:
    """Encode models by colour; the legend is that of the page."""
    return _by_model(names, PALETTE, 1) | more


def model_dash(names: Iterable[str]) -> Spec:
    """Encode by dashes those models that share a colour."""
    return _by_model(names, DASHES, len(PALETTE))


def _by_model(names: Iterable[str], looks: Sequence[Any], times: int) -> Spec:
    domain = list(names)
    drawn = [looks[k // times % len(looks)] for k in range(len(domain))]
    return category("model", scale={"domain": domain, "range": drawn}, legend=None)


def shown(names: Iterable[str]) -> Spec:
    """Name the models that are switched on."""
    return {"name": "shown", "value": list(names)}


def name_list(parameter: str, names: Iterable[str]) -> Spec:
    """Hand over names as data of a parameter, to be looked up by number: none is obeyed."""
    return {"name": parameter, "value": [printable(name) for name in names]}


def facet(field: str, names: str, size: int) -> Spec:
    """Head each panel by a name of the parameter `names`."""
    label = {"labelExpr": f"{names}[datum.value]", "labelLimit": size}
    style = {"labelFontWeight": "bold", "labelAnchor": "start"}
    return {"field": field, "type": "ordinal", "header": {"title": None} | label | style}


def of_models(names: Iterable[str], rows: Any, *more: Spec | str, **parts: Any) -> Spec:
    """Draw rows of models that are switched on."""
    data = {"data": {"values": rows}, "transform": kept(SHOWN, *more)}
    return {"params": [shown(names)]} | data | parts


def model_panels(
    names: Sequence[str], rows: Any, panel: Spec, size: int, columns: int, **more: Any
) -> Spec:
    """Draw a panel per model that is switched on, with axes in each.

    Axes that panels share also stand where the last row has no panel.
    """
    head = {"params": [shown(names), name_list("names", names)], "resolve": APART}
    look = {"facet": facet("panel", "names", size), "columns": columns, "spec": panel}
    result = of_models(names, rows, **head, **look)
    return {name: part for name, part in (result | more).items() if part is not None}


def name_axis(names: Iterable[str], most: int) -> Spec:
    """Give names at the left of a panel as much room as they need, and no more than so much."""
    room = min(math.ceil(LETTER * max(map(len, names), default=0)) + 8, most)
    return dict.fromkeys(("minExtent", "maxExtent", "labelLimit"), room)


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
