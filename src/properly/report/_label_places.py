"""Names beside points, where they cover least."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Box: TypeAlias = tuple[float, float, float, float]

# Pixels: of a point, and of letters as wide as they are on average, and as high.
HALF_DOT, LETTER, HIGH = 5.0, 6.1, 12.0
LONGEST = 150
# That the name of a lower point stands above that of a higher one is worse than to cover so much.
SWAPPED = 300.0


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
    found = [PLACES[0]] * len(points)
    for k in sorted(range(len(points)), key=lambda k: points[k][1]):
        boxes = [_box(points[k], place, names[k]) for place in PLACES]
        costs = [
            _cover(box, (0.0, 0.0, *frame), covered + written)
            + SWAPPED * sum(_is_above(box, other) for other in written)
            for box in boxes
        ]
        best = costs.index(min(costs))
        found[k] = PLACES[best]
        written.append(boxes[best])
    return found


def _box(point: tuple[float, float], place: Place, name: str) -> Box:
    width = min(LETTER * len(name), LONGEST)
    left = {"left": 0.0, "center": -width / 2, "right": -width}[place.align]
    top = {"top": 0.0, "middle": -HIGH / 2, "bottom": -HIGH}[place.baseline]
    x, y = point[0] + place.dx + left, point[1] + place.dy + top
    return x, y, x + width, y + HIGH


def _cover(box: Box, frame: Box, taken: Iterable[Box]) -> float:
    """Measure what a box would cover, and what of it would lie outside the frame."""
    outside = _overlap(box, box) - _overlap(box, frame)
    return outside + sum(_overlap(box, other) for other in taken)


def _is_above(one: Box, other: Box) -> bool:
    return one[1] < other[1] and one[0] < other[2] and other[0] < one[2]


def _overlap(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
