"""The grammar of the page's charts: Vega-Lite in a few words.

A chart is a specification in which user's words, such as names of models, are data and nothing
else. One legend above all charts switches models on and off, by the parameter ``shown``. Charts
take the colour of the text around them, on light and on dark.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from properly._boundary._text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
INK: Spec = {"color": "currentColor"}
# Without axes, or lines of them, beside names.
BARE: Spec = {"title": None, "ticks": False, "domain": False, "grid": False}
# Each panel has axes of its own.
APART: Spec = {"axis": {"x": "independent", "y": "independent"}}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def measure(field: str, title: str | None = "", **more: Any) -> Spec:
    """Encode numbers; without a title, Vega-Lite would write the name of the field."""
    return _channel(field, "quantitative", title) | more


def category(field: str, title: str | None = "", **more: Any) -> Spec:
    """Encode words."""
    return _channel(field, "nominal", title) | more


def _channel(field: str, kind: str, title: str | None) -> Spec:
    return {"field": field, "type": kind} | ({} if title == "" else {"title": title})


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


def dot(size: int, **look: Any) -> Spec:
    """Draw a filled point."""
    return mark("point", filled=True, size=size) | look


def layer(drawn: Spec, encoding: Spec, *steps: Spec, values: Any = None) -> Spec:
    """Draw marks, of rows of their own if there are any."""
    result: Spec = {"mark": drawn}
    parts = {"encoding": encoding, "transform": list(steps)}
    result |= {name: part for name, part in parts.items() if part}
    return result if values is None else result | {"data": {"values": values}}


def only_kind(kind: str) -> Spec:
    """Keep the rows of one kind."""
    return {"filter": f"datum.kind == '{kind}'"}


def corner_note(opacity: Any) -> Spec:
    """Write the note of a panel into its upper left corner."""
    place = {"x": {"value": 6}, "y": {"value": 5}, "text": category("note")}
    look = mark("text", align="left", baseline="top", **INK)
    if isinstance(opacity, float):
        return layer(look | {"opacity": opacity}, place, only_kind("note"))
    return layer(look, place | {"opacity": opacity}, only_shown(), only_kind("note"))


def model_color(names: Iterable[str], **more: Any) -> Spec:
    """Encode models by colour; the legend is that of the page."""
    domain = list(names)
    inks = [PALETTE[k % len(PALETTE)] for k in range(len(domain))]
    return category("model", scale={"domain": domain, "range": inks}, legend=None) | more


def model_dash(names: Iterable[str]) -> Spec:
    """Encode by dashes those models that share a colour."""
    domain = list(names)
    dashes = [DASHES[k // len(PALETTE) % len(DASHES)] for k in range(len(domain))]
    return category("model", scale={"domain": domain, "range": dashes}, legend=None)


def shown(names: Iterable[str]) -> Spec:
    """Name the models that are switched on."""
    return {"name": "shown", "value": list(names)}


def only_shown() -> Spec:
    """Keep the rows of models that are switched on."""
    return {"filter": "indexof(shown, datum.model) >= 0"}


def name_list(parameter: str, names: Iterable[str]) -> Spec:
    """Hand over names as data of a parameter, to be looked up by number: none is obeyed."""
    return {"name": parameter, "value": [printable(name) for name in names]}


def facet(field: str, names: str, size: int) -> Spec:
    """Head each panel by a name of the parameter `names`."""
    label = {"labelExpr": f"{names}[datum.value]", "labelLimit": size}
    style = {"labelFontWeight": "bold", "labelAnchor": "start"}
    return {"field": field, "type": "ordinal", "header": {"title": None} | label | style}


def of_models(names: Iterable[str], rows: Any, *more: Spec, **parts: Any) -> Spec:
    """Draw rows of models that are switched on."""
    data = {"data": {"values": rows}, "transform": [only_shown(), *more]}
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
    return {"minExtent": room, "maxExtent": room, "labelLimit": room}


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
