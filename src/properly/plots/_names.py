"""Names and numbers as pictures print them: how they are written, how wide, and where they go."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._notices import import_extra
from properly.typing import Column

Size: TypeAlias = Literal["medium", "small", "x-small"]
Box: TypeAlias = tuple[float, float, float, float]

LONGEST = 36
MINUS = "\N{MINUS SIGN}"
# A number that needs more than these is written with an exponent: a picture has no room for it.
MOST_DECIMALS, LONG = 15, 1e12
# The width of an average letter, in shares of the size of the font.
LETTER = 0.6
# Names that would need more lines than this are turned instead.
LINES, TURNED = 3, 35
# The share of a column that a name may fill.
ROOM = 0.94
HALF_DOT = 5.0
# That the name of a lower point stands above that of a higher one is worse than to cover so much.
SWAPPED = 50.0


def from_matplotlib(module: str) -> Any:
    """Import a module of matplotlib, which is optional, when it is needed."""
    return import_extra(f"matplotlib.{module}", extra="plots")


def legible(name: str) -> str:
    """Write a name as it is: no formula, no line break, not endless, not hidden."""
    shown = name if name.isprintable() else repr(name)[1:-1]
    if len(shown) > LONGEST:
        shown = f"{shown[: LONGEST - 13]}…{shown[-12:]}"
    # Matplotlib sets what stands between dollars as a formula, and leaves a label that begins with
    # an underscore out of the legend.
    return ("\N{SPACE}" if shown.startswith("_") else "") + shown.replace("$", r"\$")


def names_of(labels: Iterable[object]) -> list[str]:
    """Write labels of classes as they are."""
    return [legible(str(label)) for label in labels]


def number(value: float, digits: int = 4) -> str:
    """Write a number as journals do: without the zero before the point."""
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if math.isnan(value):
        return "undefined"
    if (digits > MOST_DECIMALS and value) or abs(value) >= LONG:
        return f"{value:.2e}".replace("-", MINUS)
    printed = f"{value:.{min(digits, MOST_DECIMALS)}f}"
    return re.sub(r"^(-?)0\.", r"\1.", printed).replace("-", MINUS)


def digits_for(scale: float) -> int:
    """Count the decimals that show three digits of a scale, and at least four."""
    return 4 if scale <= 0 or math.isinf(scale) else max(4, 2 - math.floor(math.log10(scale)))


def points(size: Size = "medium") -> float:
    """Return the size of letters, which the user of matplotlib may have changed."""
    fonts = from_matplotlib("font_manager")
    return float(fonts.FontProperties(size=size).get_size_in_points())


def inches(names: Iterable[str], size: Size = "medium") -> float:
    """Estimate how much room the longest name needs."""
    letters = max((len(line) for name in names for line in name.split("\n")), default=0)
    return max(letters, 1) * LETTER * points(size) / 72


def fold(name: str, width: float, size: Size = "medium") -> str:
    """Break a name between words, so that its lines are not wider than some inches."""
    letters = max(1, int(width * 72 / (LETTER * points(size))))
    lines = textwrap.wrap(name, letters, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) if len(lines) > 1 else name


def title_lines(names: Iterable[str], width: float) -> int:
    """Count the lines that the longest of several names has above a panel."""
    return max(fold(legible(name), width).count("\n") + 1 for name in names)


def columns_for(
    names: Sequence[str], narrow: float, wide: float, size: Size = "medium"
) -> tuple[float, float]:
    """Choose how wide columns should be for names to fit, and how deep those hang otherwise."""
    for share in (0, 0.25, 0.5, 0.75, 1):
        step = narrow + share * (wide - narrow)
        folded = [fold(name, ROOM * step, size) for name in names]
        lines = max(name.count("\n") for name in folded)
        if inches(folded, size) <= ROOM * step and lines < LINES:
            return step, lines * 1.2 * points(size) / 72
    return narrow, inches(names, size) * math.sin(math.radians(TURNED))


def spread(height: Column, gap: float, bottom: float, top: float) -> Column:
    """Move heights as little as possible, in squares, for all to be some gap apart.

    The order stays, and all stay between bottom and top.
    """
    from scipy.optimize import isotonic_regression

    order = np.argsort(height, kind="stable")
    # Of heights less the gaps below them, it is enough that they do not fall.
    below = gap * np.arange(len(height))
    level = isotonic_regression(height[order] - below).x
    result = np.empty(len(height))
    result[order] = np.clip(level, bottom, top - below[-1]) + below
    return result


class Stand(NamedTuple):
    """How a name stands beside its point, in pixels and words of Vega-Lite."""

    dx: float
    dy: float
    align: Literal["left", "center", "right"]
    baseline: Literal["top", "middle", "bottom"]

    def box(self, point: tuple[float, float], size: tuple[float, float]) -> Box:
        """Return what a name of this size covers, from the upper left corner of the picture."""
        left = {"left": 0.0, "center": -size[0] / 2, "right": -size[0]}[self.align]
        top = {"top": 0.0, "middle": -size[1] / 2, "bottom": -size[1]}[self.baseline]
        x, y = point[0] + self.dx + left, point[1] + self.dy + top
        return x, y, x + size[0], y + size[1]


# Where a name may stand, the best first.
STANDS = (
    Stand(8, 0, "left", "middle"),
    Stand(-8, 0, "right", "middle"),
    Stand(6, -3, "left", "bottom"),
    Stand(6, 3, "left", "top"),
    Stand(-6, -3, "right", "bottom"),
    Stand(-6, 3, "right", "top"),
    Stand(0, -8, "center", "bottom"),
    Stand(0, 8, "center", "top"),
    Stand(8, 16, "left", "top"),
    Stand(8, -16, "left", "bottom"),
    Stand(-8, 16, "right", "top"),
    Stand(-8, -16, "right", "bottom"),
)


def label_places(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
    taken: Iterable[Box] = (),
) -> list[Stand]:
    """Put each name where it covers least of points, other names and the margin.

    Points and boxes are in pixels from the upper left corner. Names are placed one after another,
    and none is moved again. The highest point comes first, so that of names one above the other
    each is beside its own point.
    """
    dots = [(x - HALF_DOT, y - HALF_DOT, x + HALF_DOT, y + HALF_DOT) for x, y in points]
    covered, written = [*dots, *taken], list[Box]()
    result = [STANDS[0]] * len(points)
    for k in sorted(range(len(points)), key=lambda k: points[k][1]):
        boxes = [stand.box(points[k], sizes[k]) for stand in STANDS]
        costs = [
            _overlap(box, box)
            - _overlap(box, frame)
            + sum(_overlap(box, other) for other in covered + written)
            + SWAPPED * sum(box[1] < x[1] and box[0] < x[2] and x[0] < box[2] for x in written)
            for box in boxes
        ]
        best = costs.index(min(costs))
        result[k] = STANDS[best]
        written.append(boxes[best])
    return result


def _overlap(one: Box, other: Box) -> float:
    """Return the area that two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
