"""Names beside points, in print and on the page."""

from __future__ import annotations

from itertools import combinations

from properly.plots._names import STANDS, Box, label_places

FRAME = (0.0, 0.0, 300.0, 260.0)
SIZE = (48.8, 12.0)


def overlap(one: Box, other: Box) -> bool:
    return all(max(one[k], other[k]) < min(one[k + 2], other[k + 2]) for k in (0, 1))


def test_a_name_stands_to_the_right_unless_the_frame_ends() -> None:
    assert label_places([(150, 100)], [SIZE], FRAME) == [STANDS[0]]
    (place,) = label_places([(290, 100)], [SIZE], FRAME)
    assert place.align == "right"


def test_names_of_points_close_together_do_not_overlap_and_keep_their_order() -> None:
    points = [(10.0, 60.0), (12.0, 53.0), (9.0, 75.0)]
    places = label_places(points, [SIZE] * 3, FRAME)
    boxes = [place.box(point, SIZE) for point, place in zip(points, places, strict=True)]
    assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
    assert boxes[1][1] < boxes[0][1] < boxes[2][1]


def test_a_name_avoids_a_bar() -> None:
    bar = (150.0, 99.0, 220.0, 101.0)
    (place,) = label_places([(150, 100)], [SIZE], FRAME, [bar])
    assert not overlap(place.box((150, 100), SIZE), bar)
