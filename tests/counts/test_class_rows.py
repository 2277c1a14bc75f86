"""What happened and how probable every class was called, an event as two classes."""

from __future__ import annotations

import numpy as np

from properly import Cases, Tally
from properly.counts._class_rows import ClassTable, count_impossible, rows_of, table_of, two_classes


def lines(table: ClassTable) -> list[tuple[int, list[float], float, float]]:
    columns = (x.tolist() for x in (table.y, table.p, table.weight, table.square))
    return list(zip(*columns, strict=True))


def test_an_event_is_the_first_of_two_classes() -> None:
    found = table_of(Tally.from_counts([0.07, 0.75], [3, 2], [1, 2]))
    assert found.names == ("event", "no event")
    # Nothing failed to happen at 0.75; and one minus 0.07 is what 0.93 is read as.
    event, none = [0.07, 0.93], [0.75, 0.25]
    assert lines(found) == [(0, event, 1, 1), (0, none, 2, 2), (1, event, 2, 2)]
    assert found.t.tolist() == [0.07, 0.75, 0.93]


def test_rows_of_an_event_stay_rows() -> None:
    cases = Cases([0, 1, 1], [0.25, 0.25, 0.5], weight=[2.0, 0.0, 3.0])
    assert lines(rows_of(cases)) == [(1, [0.25, 0.75], 2, 4), (0, [0.5, 0.5], 3, 9)]
    assert not rows_of(cases).counted


def test_sums_of_whole_weights_are_no_cases() -> None:
    cases = Cases([1, 1, 0], [0.0, 0.0, 0.5], weight=[2, 1, 1])
    for found in (rows_of(cases), table_of(cases), table_of(cases.tally())):
        assert not found.counted
        assert found.impossible == 3
        assert type(found.impossible) is float
    for source in (cases, cases.tally()):
        assert type(count_impossible(source)) is float
    assert type(count_impossible(Cases([1, 0], [0.0, 0.5], count=[3, 1]))) is int


def test_fractions_come_with_their_squares_added_up_by_outcome() -> None:
    cases = Cases([0, 1, 1], [0.25, 0.25, 0.25], weight=[0.5, 0.25, 0.75])
    both = [0.25, 0.75]
    assert lines(table_of(cases)) == [(0, both, 1.0, 0.625), (1, both, 0.5, 0.25)]
    assert table_of(cases.tally()).square.tolist() == [0.625, 0.25]
    assert rows_of(cases).square.tolist() == [0.25, 0.0625, 0.5625]


def test_classes_are_a_row_each_and_none_above_one() -> None:
    cases = Cases(["b", "a"], [[1.0000004, 0.0], [0.25, 0.75]], labels=["a", "b"])
    found = table_of(cases)
    assert list(found.names) == ["a", "b"]
    assert lines(found) == [(1, [1.0, 0.0], 1, 1), (0, [0.25, 0.75], 1, 1)]


def test_a_rest_with_more_digits_than_one_minus_the_value_may_be_given() -> None:
    weight, events = np.array([3, 1]), np.array([2, 0])
    found = two_classes(np.array([1.0, 0.5]), weight, events, rest=np.array([1e-17, 0.5]))
    first, second = [1.0, 1e-17], [0.5, 0.5]
    assert lines(found) == [(0, first, 2, 2), (1, first, 1, 1), (1, second, 1, 1)]
    assert found.t.tolist() == [1.0, 1e-17, 0.5]
