"""Names beside points, where they cover least."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

Box: TypeAlias = tuple[float, float, float, float]

HALF_DOT = 5
# Where a name may stand, the best first: how far from its point, and which side of it is there.
PLACES = (
    ((6, 0), "left", "center"),
    ((-6, 0), "right", "center"),
    ((0, 6), "center", "bottom"),
    ((0, -6), "center", "top"),
    ((4, 4), "left", "bottom"),
    ((4, -4), "left", "top"),
    ((-4, 4), "right", "bottom"),
    ((-4, -4), "right", "top"),
)


def place_names(ax: Axes, texts: Sequence[Annotation], bars: Sequence[Box] = ()) -> None:
    """Put each name in the place where it covers least of points, other names and the margin.

    One after another, and none is moved again: what a hand would do first, not the best way of all.
    """
    frame = _box(ax)
    points = [ax.transData.transform(text.xy) for text in texts]
    taken = [(x - HALF_DOT, y - HALF_DOT, x + HALF_DOT, y + HALF_DOT) for x, y in points]
    for left, bottom, right, top in bars:
        (x, y), (end, height) = ax.transData.transform([(left, bottom), (right, top)])
        taken.append((x, y - 1, end, height + 1) if bottom == top else (x - 1, y, end + 1, height))
    for text in texts:
        covered = []
        for place in PLACES:
            _move(text, place)
            covered.append(_cover(_box(text), frame, taken))
        _move(text, PLACES[covered.index(min(covered))])
        taken.append(_box(text))


def _move(text: Annotation, place: tuple[tuple[float, float], str, str]) -> None:
    offset, side, height = place
    text.set_position(offset)
    text.set(ha=side, va=height)


def _box(thing: Artist) -> Box:
    left, bottom, right, top = thing.get_window_extent().extents
    return float(left), float(bottom), float(right), float(top)


def _cover(box: Box, frame: Box, taken: Sequence[Box]) -> float:
    """Measure what a box would cover, and what of it would lie outside the frame."""
    outside = _overlap(box, box) - _overlap(box, frame)
    return outside + sum(_overlap(box, other) for other in taken)


def _overlap(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
