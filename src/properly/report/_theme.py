"""How charts look: the colour of the text around them, on light and on dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from properly.report._chart import Spec

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


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
        "header": words | {"labelFontSize": 12, "labelFontWeight": 600, "labelOpacity": 1},
        "legend": words | {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": 500},
        "title": {"color": ink, "fontSize": 12, "fontWeight": 600, "anchor": "start"},
        "text": {"color": ink, "fontSize": 11},
        "rule": {"color": ink},
        "view": {"stroke": None},
        "line": {"strokeWidth": 2, "strokeCap": "round"},
    }
