"""The range of thresholds, typed or dragged, gives the library's own numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

import properly
from properly.report._threshold_charts import _alpha_of_each
from properly.rules import Regret
from tests.browser.pages import some_accidents

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect

    from properly import Evaluation
    from properly.comparison import Comparison
    from tests.browser.pages import Printed
    from tests.browser.window import Window

# In percent. The forest is the worst at the low ones, the balanced model at the others.
RANGES = [(0, 100), (0, 0.5), (0.37, 0.99), (1, 10), (2, 20), (12.3, 45.6), (50, 100), (99.9, 100)]
# Labels of the axis between which to drag.
DRAGGED = [("2%", "20%"), ("40%", "5%"), ("10%", "80%")]


class Row(NamedTuple):
    name: str
    rank: int
    mean: float
    lower: float | None
    upper: float | None
    tier: int | None


@pytest.fixture
def window(window: Window) -> Window:
    """The example with all thresholds chosen, and the curves in view."""
    window.open_all()
    window.page.locator("#all-thresholds").click()
    window.settle()
    window.page.locator("#drawing-regret").evaluate("(x) => x.scrollIntoView({ block: 'center' })")
    return window


def ranking(window: Window) -> list[Row]:
    """Read the table below the curves."""
    rows = window.page.evaluate(
        """() => [...document.querySelectorAll("#ranking tbody tr")].map((row) => [
          row.querySelector("th").textContent,
          ...[...row.querySelectorAll("td")].slice(0, 2).map((cell) => Number(cell.dataset.value)),
          ...["lower", "upper"].map((end) => row.cells[3].dataset[end] ?? null).map(
            (end) => (end === null ? null : Number(end))),
          Number(row.cells[4].dataset.value) || null,
        ])"""
    )
    return [Row(*row) for row in rows]


def chosen_ends(window: Window) -> tuple[float, float]:
    """Read the range from its two fields."""
    lower, upper = (window.page.locator(f"#range [name={end}]") for end in ("lower", "upper"))
    return float(lower.input_value()) / 100, float(upper.input_value()) / 100


def choose(window: Window, lower: float, upper: float) -> None:
    for name, end in {"lower": lower, "upper": upper}.items():
        window.page.locator(f"#range [name={name}]").fill(str(end))
        window.page.keyboard.press("Enter")
    window.settle()


def middle(box: FloatRect | None) -> float:
    assert box is not None
    return box["x"] + box["width"] / 2


def drag(window: Window, first: str, second: str) -> None:
    """Drag across the curves, from above one label of the axis to above another."""
    drawing = window.page.locator("#drawing-regret")
    start, end = (
        middle(drawing.get_by_text(label, exact=True).bounding_box()) for label in (first, second)
    )
    box = drawing.bounding_box()
    assert box is not None
    height = box["y"] + 100
    window.page.mouse.move(start, height)
    window.page.mouse.down()
    window.page.mouse.move((start + end) / 2, height)
    window.page.mouse.move(end, height)
    window.page.mouse.up()
    window.settle()


def library_means(evaluation: Evaluation, a: float, b: float) -> list[tuple[str, float]]:
    curves = [*evaluation.regret.items(), *evaluation.baseline_regret.items()]
    return [(name, curve.area((a, b)) / (b - a)) for name, curve in curves]


def require_the_library(window: Window, evaluation: Evaluation) -> list[str]:
    """Compare the table with the library, and return the order of the models."""
    rows, (a, b) = ranking(window), chosen_ends(window)
    expected = library_means(evaluation, a, b)
    assert sorted(row.name for row in rows) == sorted(name for name, _ in expected)
    shown = {row.name: row.mean for row in rows}
    for name, mean in expected:
        assert shown[name] == pytest.approx(mean, abs=1e-12)
    means = [row.mean for row in rows]
    assert means == sorted(means)
    assert [row.rank for row in rows] == [1 + sum(x < mean for x in means) for mean in means]
    return [row.name for row in rows if row.name in evaluation.regret]


def test_a_typed_range_gives_the_numbers_of_the_library(window: Window, crash: Printed) -> None:
    for lower, upper in RANGES:
        choose(window, lower, upper)
        assert chosen_ends(window) == pytest.approx((lower / 100, upper / 100), abs=1e-12)
        require_the_library(window, crash.evaluation)


def test_a_dragged_range_gives_the_numbers_of_the_library(window: Window, crash: Printed) -> None:
    for first, second in DRAGGED:
        window.page.locator("#all-thresholds").click()
        window.settle()
        drag(window, first, second)
        a, b = sorted(float(label.rstrip("%")) / 100 for label in (first, second))
        # A pixel is at most so much.
        assert chosen_ends(window) == pytest.approx((a, b), abs=0.004)
        require_the_library(window, crash.evaluation)


def somewhere(window: Window) -> tuple[float, float]:
    """Return a place among the curves, where nothing is drawn."""
    drawing = window.page.locator("#drawing-regret")
    box = drawing.bounding_box()
    assert box is not None
    return middle(drawing.get_by_text("80%", exact=True).bounding_box()), box["y"] + 60


def test_a_double_click_takes_all_thresholds(window: Window, crash: Printed) -> None:
    choose(window, 2, 20)
    window.page.mouse.dblclick(*somewhere(window))
    window.settle()
    assert chosen_ends(window) == (0, 1)
    require_the_library(window, crash.evaluation)


def as_in_the_library(window: Window, a: float, b: float, alpha: float) -> None:
    """Compare intervals, and tiers at the level of single tests that the page has."""
    y, forecasts, kept = some_accidents()
    clusters = properly.datasets.crash().cluster[kept]
    found = properly.compare(y, forecasts, rule=Regret((a, b)), clusters=clusters, rng=1)
    rows = {row.name: row for row in ranking(window)}
    for name, p in forecasts.items():
        cases = properly.Cases(y, p, clusters=clusters)
        alone = properly.score_interval(cases, Regret((a, b)))
        row = rows[name]
        assert row.mean == pytest.approx(alone.value, abs=1e-9)
        assert (row.lower, row.upper) == pytest.approx(alone.interval, abs=1e-9)
    order = sorted(forecasts, key=lambda name: found.scores[name].value)
    assert [name for name in rows if name in order] == order
    assert {name: rows[name].tier for name in order} == tiers_of(found, order, alpha)


def tiers_of(found: Comparison, order: list[str], alpha: float) -> dict[str, int]:
    """Put the best model and those that it is not better than into one tier, and so on."""
    tiers: dict[str, int] = {}
    while rest := [name for name in order if name not in tiers]:
        tier = max(tiers.values(), default=0) + 1
        tiers |= {name: tier for name in rest if not better(found, rest[0], name, alpha)}
    return tiers


def better(found: Comparison, one: str, other: str, alpha: float) -> bool:
    return one != other and found[one, other].p_value <= alpha


# Single functions warn of few events.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")
def test_intervals_and_tiers_of_ranges_are_those_of_the_library(
    window: Window, crash: Printed
) -> None:
    assert crash.evaluation.over_ranges is not None
    ends = crash.evaluation.over_ranges.threshold
    rng = np.random.default_rng(20)
    seen = set()
    for _ in range(20):
        # Most thresholds are small.
        first, last = np.sort(rng.choice(len(ends) - 12, 2, replace=False))
        a, b = float(ends[first]), float(ends[last])
        choose(window, 0, 100)
        choose(window, round(100 * a, 6), round(100 * b, 6))
        assert chosen_ends(window) == pytest.approx((a, b), abs=1e-9)
        as_in_the_library(window, a, b, _alpha_of_each(crash.evaluation))
        seen.add(tuple(row.tier for row in ranking(window) if row.tier))
        assert "nearest" not in window.page.locator("#sure").inner_text()
    assert len(seen) > 1


def test_between_the_ends_that_it_holds_the_page_says_which_range_it_takes(
    window: Window, crash: Printed
) -> None:
    choose(window, 2.1, 5.2)
    require_the_library(window, crash.evaluation)
    said = window.page.locator("#sure").inner_text()
    assert said == (
        "Widths of intervals and tiers are those of 2 % to 5 %, the nearest range that the page "
        "holds. Intervals hold with 95 %, one by one. Models of one tier cannot be told apart from "
        "its first, allowing for 10 pairs."
    )


def test_the_page_says_that_the_headline_speaks_of_another_range(window: Window) -> None:
    said = window.page.locator("#other-range")
    choose(window, 2, 5)
    assert said.inner_text() == "The headline speaks of 1 % to 10 %; you look at 2 % to 5 %."
    choose(window, 1, 10)
    assert said.inner_text() == ""


def test_the_box_in_the_decision_chart_follows(window: Window) -> None:
    box = window.page.locator("#drawing-decision .mark-rect path").first

    def width() -> float:
        found = box.bounding_box()
        assert found is not None
        return found["width"]

    choose(window, 1, 10)
    before = width()
    choose(window, 1, 40)
    assert width() > 1.5 * before


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        ("", "10", "The lower end is empty: type a number from 0 to 100."),
        ("5", "", "The upper end is empty: type a number from 0 to 100."),
        ("7", "5", "7 % is not below 5 %: the lower end comes first."),
        ("5", "5", "5 % is not below 5 %: the lower end comes first."),
        ("-3", "10", "The lower end is -3 %: thresholds lie between 0 % and 100 %."),
        ("2", "120", "The upper end is 120 %: thresholds lie between 0 % and 100 %."),
    ],
)
def test_nonsense_is_answered_beside_the_fields(
    window: Window, lower: str, upper: str, said: str
) -> None:
    choose(window, 2, 20)
    answer = window.page.locator("#answer")
    assert answer.inner_text() == ""
    # Each end counts once it is typed, if it makes sense with the other.
    before = []
    for name, end in {"lower": lower, "upper": upper}.items():
        before.append(ranking(window))
        window.page.locator(f"#range [name={name}]").fill(end)
        window.page.keyboard.press("Enter")
        window.settle()
    assert answer.inner_text() == said
    assert ranking(window) == before[-1]
    choose(window, 3, 20)
    assert answer.inner_text() == ""
