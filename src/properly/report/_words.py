"""Numbers, rules and labels as the page writes them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from properly._boundary._text import SMALLEST_P, p_text
from properly.plots._names import Box, cover
from properly.rules._score_words import rule_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from properly.evaluation._record import Evaluation


# Pixels: of a point, and of letters as wide as they are on average, and as high.
HALF_DOT, LETTER, HIGH = 5.0, 6.1, 12.0
LONGEST = 150
# That the name of a lower point stands above that of a higher one is worse than to cover so much.
SWAPPED = 300.0
# Names that a sentence lists at most.
LISTED = 6
MINUS = "\N{MINUS SIGN}"
NONE = "\N{EN DASH}"
AT_MOST = "\N{LESS-THAN OR EQUAL TO}"


class Place(NamedTuple):
    """How a name stands beside its point, in words of Vega-Lite."""

    dx: float
    dy: float
    align: str
    baseline: str


# Where a name may stand, the best first.
PLACES = (
    Place(8, 0, "left", "middle"),
    Place(-8, 0, "right", "middle"),
    Place(6, -3, "left", "bottom"),
    Place(6, 3, "left", "top"),
    Place(-6, -3, "right", "bottom"),
    Place(-6, 3, "right", "top"),
    Place(0, -8, "center", "bottom"),
    Place(0, 8, "center", "top"),
    Place(8, 14, "left", "top"),
    Place(8, -14, "left", "bottom"),
)


def label_places(
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    frame: tuple[float, float],
    taken: Iterable[Box] = (),
) -> list[Place]:
    """Put each name where it covers least of points, other names and the margin.

    Points are in pixels from the upper left corner of a frame, of which width and height are given.
    Names are placed one after another, and none is moved again. The highest point comes first, so
    that of names one above the other each is beside its own point.
    """
    dots = [(x - HALF_DOT, y - HALF_DOT, x + HALF_DOT, y + HALF_DOT) for x, y in points]
    covered, written = [*dots, *taken], list[Box]()
    places = [PLACES[0]] * len(points)
    for k in sorted(range(len(points)), key=lambda k: points[k][1]):
        boxes = [_box(points[k], place, names[k]) for place in PLACES]
        costs = [
            cover(box, (0.0, 0.0, *frame), covered + written)
            + SWAPPED * sum(_is_above(box, other) for other in written)
            for box in boxes
        ]
        best = costs.index(min(costs))
        places[k] = PLACES[best]
        written.append(boxes[best])
    return places


def _box(point: tuple[float, float], place: Place, name: str) -> Box:
    width = min(LETTER * len(name), LONGEST)
    left = {"left": 0.0, "center": -width / 2, "right": -width}[place.align]
    top = {"top": 0.0, "middle": -HIGH / 2, "bottom": -HIGH}[place.baseline]
    x, y = point[0] + place.dx + left, point[1] + place.dy + top
    return x, y, x + width, y + HIGH


def _is_above(one: Box, other: Box) -> bool:
    return one[1] < other[1] and one[0] < other[2] and other[0] < one[2]


def score_in_words(evaluation: Evaluation, name: str) -> str:
    """Name the score of one of the rules of an evaluation."""
    return next(rule_in_words(rule) for rule in evaluation.rules if rule.name == name)


def few(x: float, digits: int = 2, *, sign: bool = False) -> str:
    """Write a number with so many significant digits, never with an exponent.

    A number that rounds to nothing at the most decimals is 0.
    """
    if math.isnan(x):
        return NONE
    if math.isinf(x):
        return "∞" if x > 0 else f"{MINUS}∞"
    if x == 0:
        return "0"
    # Rounded first: 0.0999 is as long as 0.10.
    text = fixed(x, decimals_for(float(f"{x:.{digits - 1}e}"), digits), sign=sign)
    return text if text.strip("0.,") else "0"


def fixed(x: float, decimals: int, *, sign: bool = False) -> str:
    """Write a number with so many decimals; what rounds to nothing has no sign."""
    if not math.isfinite(x):
        return few(x)
    text = f"{abs(x):,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        return text
    return f"{MINUS if x < 0 else '+' if sign else ''}{text}"


def percent(x: float, digits: int = 2) -> str:
    """Write a share in per cent."""
    return NONE if math.isnan(x) else f"{few(100 * x, digits)} %"


def chance(p: float, *, is_bound: bool = False) -> str:
    """Write a p-value."""
    if is_bound or p < SMALLEST_P:
        return p_text(p, is_bound=is_bound).removeprefix("p ").replace("<=", AT_MOST)
    return few(p)


def from_to(ends: Iterable[float], decimals: int) -> str:
    """Write both ends of an interval, or a dash if there is none."""
    texts = [fixed(end, decimals) for end in ends]
    return NONE if NONE in texts else " to ".join(texts)


def decimals_for(x: float, digits: int = 2) -> int:
    """Return how many decimals show so many digits of a number."""
    if not math.isfinite(x) or x == 0:
        return 4
    return min(max(digits - 1 - math.floor(math.log10(abs(x))), 0), 9)


def decimals_of_least(amounts: Iterable[float], digits: int = 2) -> int:
    """Return the number of decimals that show `digits` digits of the least positive amount."""
    return decimals_for(min((x for x in amounts if x > 0), default=math.nan), digits)


def step_decimals(step: float) -> int:
    """Return how many decimals tell multiples of a round step apart."""
    return next(d for d in range(325) if abs(step - round(step, d)) < 1e-3 * step)
