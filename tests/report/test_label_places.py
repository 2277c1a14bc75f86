"""Names beside points."""

from __future__ import annotations

from itertools import combinations

from properly.plots._names import overlap
from properly.report._words import PLACES, _box, label_places

FRAME = (300.0, 260.0)


def test_a_name_stands_to_the_right_unless_the_frame_ends() -> None:
    assert label_places([(150, 100)], ["logistic"], FRAME) == [PLACES[0]]
    (place,) = label_places([(290, 100)], ["logistic"], FRAME)
    assert place.align == "right"


def test_names_of_points_close_together_do_not_overlap_and_keep_their_order() -> None:
    points = [(10.0, 60.0), (12.0, 53.0), (9.0, 75.0)]
    names = ["boosting", "logistic", "naive_bayes"]
    places = label_places(points, names, FRAME)
    boxes = [_box(*each) for each in zip(points, places, names, strict=True)]
    assert all(overlap(one, other) == 0 for one, other in combinations(boxes, 2))
    assert boxes[1][1] < boxes[0][1] < boxes[2][1]


def test_a_name_avoids_a_bar() -> None:
    bar = (150.0, 99.0, 220.0, 101.0)
    (place,) = label_places([(150, 100)], ["logistic"], FRAME, [bar])
    assert overlap(_box((150, 100), place, "logistic"), bar) == 0
