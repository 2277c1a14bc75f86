"""The range of thresholds, typed or dragged, gives the library's own numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import FloatRect

    from properly import Evaluation
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
          ...[...row.querySelectorAll("td")].map((cell) => Number(cell.dataset.value)),
        ])"""
    )
    return [Row(*row) for row in rows]


def ends(window: Window) -> tuple[float, float]:
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
    rows, (a, b) = ranking(window), ends(window)
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
        assert ends(window) == pytest.approx((lower / 100, upper / 100), abs=1e-12)
        require_the_library(window, crash.evaluation)


def test_a_dragged_range_gives_the_numbers_of_the_library(window: Window, crash: Printed) -> None:
    for first, second in DRAGGED:
        window.page.locator("#all-thresholds").click()
        window.settle()
        drag(window, first, second)
        a, b = sorted(float(label.rstrip("%")) / 100 for label in (first, second))
        # A pixel is at most so much.
        assert ends(window) == pytest.approx((a, b), abs=0.004)
        require_the_library(window, crash.evaluation)


def test_the_order_of_the_models_follows_the_range(window: Window, crash: Printed) -> None:
    last = []
    for range_ in [("1%", "2%"), ("20%", "40%")]:
        drag(window, *range_)
        last.append(require_the_library(window, crash.evaluation)[-1])
        window.page.mouse.dblclick(*somewhere(window))
        window.settle()
    choose(window, 0, 0.5)
    assert require_the_library(window, crash.evaluation)[-1] == "forest"
    assert last[-1] == "balanced_boosting"


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
    assert ends(window) == (0, 1)
    require_the_library(window, crash.evaluation)


def test_a_range_that_is_dragged_along_keeps_the_numbers_of_the_library(
    window: Window, crash: Printed
) -> None:
    drag(window, "20%", "40%")
    before = ends(window)
    drag(window, "30%", "50%")
    after = ends(window)
    assert after[0] > before[0] + 0.05
    assert after[1] > before[1] + 0.05
    require_the_library(window, crash.evaluation)


def test_an_impossible_range_changes_nothing(window: Window) -> None:
    choose(window, 2, 20)
    before = ranking(window)
    for end in ("70", "", "-3"):
        window.page.locator("#range [name=lower]").fill(end)
        window.page.keyboard.press("Enter")
        window.settle()
        assert ranking(window) == before


def test_the_page_begins_with_the_range_of_the_evaluation(
    untouched: Callable[[Printed], Window], crash: Printed
) -> None:
    window = untouched(crash)
    assert ends(window) == (0.01, 0.1)
    require_the_library(window, crash.evaluation)
    assert window.said == []
