"""One convention: a weight says what a case weighs, a count how many like cases a row stands for.

Values are the same for both; the unit of weights never matters, and equal weights are none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import properly
from properly import probability
from properly.errors import DataError
from properly.recalibration import Identity

from .map_draws import CLASS_MAPS, EVENT_MAPS, PLAIN_LINES, RAW, drawn, drawn_classes, points
from .mean_oracles import cases_of, counted_classes, few, require_alike
from .subjects import (
    COLUMNS,
    RULES,
    Rows,
    any_rows,
    are_alike,
    assert_same_tallies,
    counted_rows,
    counts_of,
    many,
    quick_counts,
    quick_rows,
    seeds,
    tally_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.rules import BinaryRule

    from .class_draws import ClassRows

pytestmark = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")

# By a whole number, by a fraction, and by what no whole number is left whole by.
UNITS = [7, 0.3, 2.0**-20]
every_unit = pytest.mark.parametrize("unit", UNITS)
every_rule = pytest.mark.parametrize("rule", RULES, ids=repr)
# Whose bins do not depend on how many cases there are.
SOURCES: list[Any] = ["isotonic", probability.EqualCount(bins=3), probability.EqualWidth(bins=4)]
every_source = pytest.mark.parametrize("source", SOURCES, ids=repr)


def scaled(found: Any, unit: float) -> Any:
    return found._replace(weight=found.weight * unit)


def parts_of(source: Any, rule: BinaryRule) -> list[float]:
    found = properly.decompose(source, rule)
    return [found.score, found.miscalibration, found.discrimination, found.uncertainty]


def agree(one: list[float], two: list[float]) -> None:
    """Compare parts of a score, each a difference of two means."""
    assert one == pytest.approx(two, rel=1e-12, abs=1e-12, nan_ok=True)


def repeated(found: Rows, count: Any) -> Rows:
    return Rows(*(np.repeat(column, count, axis=0) for column in found))


# A weight and a count of the same size


@every_rule
@given(found=quick_counts)
def test_parts_of_a_score_agree(rule: BinaryRule, found: Rows) -> None:
    agree(parts_of(tally_of(found), rule), parts_of(counts_of(found), rule))


@many
@given(found=counted_rows)
def test_curves_agree_to_the_last_bin(found: Rows) -> None:
    weighed, counted = (properly.reliability(make(found)) for make in (tally_of, counts_of))
    np.testing.assert_array_equal(weighed.value, counted.value)
    np.testing.assert_array_equal(weighed.recalibrated, counted.recalibrated)
    for column in ("x_min", "x_max", "event_rate"):
        one, two = getattr(weighed.bins, column), getattr(counted.bins, column)
        np.testing.assert_array_equal(one, two)


@every_source
@few
@given(found=quick_counts, classes=counted_classes)
def test_means_agree(source: Any, found: Rows, classes: ClassRows) -> None:
    counted = properly.Cases(classes.y, classes.p, count=classes.weight)
    for cases, counts in (
        (tally_of(found), counts_of(found)),
        (cases_of(found), counts_of(found)),
        (cases_of(classes), counted),
    ):
        one, two = (properly.means(x, source=source) for x in (cases, counts))
        require_alike(one, two)


# Others draw rates to each other by a case's worth, which depends on how many there are.
@pytest.mark.parametrize("kind", [Identity(), *PLAIN_LINES, *RAW], ids=repr)
@few
@given(seed=seeds)
def test_maps_agree_that_do_not_depend_on_the_number_of_cases(kind: Any, seed: int) -> None:
    rows: Any = drawn(seed, weights="counts")
    weighed, counted = (
        kind.fit(rows.y, rows.p, **{name: rows.weight}) for name in ("weight", "count")
    )
    x = points(rows.p)
    np.testing.assert_allclose(weighed.at(x), counted.at(x), rtol=0, atol=1e-9)
    assert counted.training.cases == counted.training.effective == rows.weight.sum()
    assert weighed.training.cases is None
    assert weighed.training.effective < len(rows.y)


# The unit of weights


@every_unit
@many
@given(found=any_rows)
def test_a_unit_multiplies_sums_and_their_squares(unit: float, found: Rows) -> None:
    once, often = tally_of(found), tally_of(scaled(found, unit))
    factor = 1 if are_alike(found.weight) else unit
    np.testing.assert_array_equal(once.value, often.value)
    for name, power in zip(COLUMNS[1:], (1, 1, 2, 2), strict=True):
        one, two = getattr(once, name), getattr(often, name)
        assert (one is None) == (two is None)
        if one is not None:
            np.testing.assert_allclose(two, one * float(factor) ** power, rtol=1e-13)


@every_rule
@every_unit
@few
@given(found=quick_rows)
def test_a_unit_changes_no_part_of_a_score(rule: BinaryRule, unit: float, found: Rows) -> None:
    agree(parts_of(tally_of(scaled(found, unit)), rule), parts_of(tally_of(found), rule))


@every_unit
@many
@given(found=any_rows)
def test_a_unit_changes_no_curve(unit: float, found: Rows) -> None:
    one, two = (properly.reliability(tally_of(x)) for x in (found, scaled(found, unit)))
    np.testing.assert_allclose(one.recalibrated, two.recalibrated, rtol=0, atol=1e-13)


# Equal weights


@many
@given(found=any_rows, unit=st.sampled_from([1, *UNITS]))
def test_equal_weights_are_no_weights_in_a_tally(found: Rows, unit: float) -> None:
    equal = tally_of(found._replace(weight=np.where(found.weight > 0, unit, 0)))
    used = found.weight > 0
    assert_same_tallies(equal, properly.tally(found.y[used], found.p[used]))


MAPS = [
    *(pytest.param(kind, drawn, id=repr(kind)) for kind in EVENT_MAPS),
    *(
        pytest.param(kind, drawn_classes, id=f"{kind!r} of classes", marks=pytest.mark.slow)
        for kind in CLASS_MAPS
    ),
]


@pytest.mark.parametrize(("kind", "draw"), MAPS)
@few
@given(seed=seeds, certain=st.booleans(), unit=st.sampled_from([1, *UNITS]))
def test_equal_weights_are_no_weights_for_a_map(
    kind: Any, draw: Any, seed: int, certain: bool, unit: float
) -> None:
    rows = drawn(seed, certain=certain) if draw is drawn else draw(seed)
    weight = np.full(len(rows.y), unit)
    plain = kind.fit(rows.y, rows.p).dumps()
    assert kind.fit(rows.y, rows.p, weight=weight).dumps() == plain
    assert kind.fit(properly.Cases(rows.y, rows.p, weight=weight)).dumps() == plain


# The choice of a map


def choice(rows: Any, **columns: Any) -> list[Any]:
    found = properly.recalibrate(rows.y, rows.p, folds=5, **columns)
    return [repr(found.map), found.gain.estimate, *found.gain.interval, found.recommended]


def test_counts_are_repeated_rows_for_the_choice_of_a_map() -> None:
    rows: Any = drawn(13, weights="counts")
    plain = rows._replace(**{x: np.repeat(getattr(rows, x), rows.weight) for x in ("y", "p")})
    assert choice(rows, count=rows.weight) == choice(plain)


# A weight and a count


@many
@given(found=any_rows, seed=seeds)
def test_a_row_may_stand_for_like_cases_of_its_weight(found: Rows, seed: int) -> None:
    count = np.random.default_rng(seed).integers(0, 4, len(found.y))
    count[found.weight.argmax()] = 2
    expected = tally_of(repeated(found, count))
    doors: list[Callable[..., Any]] = [properly.tally, properly.Cases, properly.Tally.from_arrays]
    for door in doors:
        made = door(found.y, found.p, weight=found.weight, count=count)
        tally = made.tally() if isinstance(made, properly.Cases) else made
        assert_same_tallies(tally, expected, rounding=1e-13)


# What is refused


KINDS = """\
tallies must both be of counted cases, or both of weighted ones, to add up

Hint: make one tally of all rows, with their weights: equal ones are only counted."""


@many
@given(found=any_rows, other=counted_rows)
def test_tallies_of_both_kinds_do_not_add(found: Rows, other: Rows) -> None:
    weighed, counted = tally_of(found), counts_of(other)
    if are_alike(found.weight):
        # Equal weights are none.
        assert_same_tallies(weighed + counted, counted + weighed)
        return
    for pair in ((weighed, counted), (counted, weighed), (weighed.group(4), counted)):
        with pytest.raises(DataError) as caught:
            sum(pair)
        assert str(caught.value) == KINDS
