"""Charts over thresholds begin with the range that matters; the whole is a click away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.test_brush import choose, chosen_ends, drag, require_the_library

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.pages import Printed
    from tests.browser.window import Window

pytestmark = pytest.mark.slow

WITHIN, WHOLE = "zoom out", "zoom to 1 % to 10 %"
CHARTS = ("regret", "decision")


@pytest.fixture
def window(window: Window) -> Window:
    """The example with the range that it begins with, zoomed to, and the curves in view."""
    window.open_all()
    choose(window, 1, 10)
    if window.page.locator("[data-zoom]").first.inner_text() == WHOLE:
        press(window, "regret")
    window.page.locator("#drawing-regret").evaluate("(x) => x.scrollIntoView({ block: 'center' })")
    return window


def press(window: Window, chart: str) -> None:
    window.page.locator(f"#{chart} [data-zoom]").click()
    window.settle()


def last_label(window: Window, chart: str) -> str:
    """Read the greatest threshold that an axis names."""
    labels = window.page.locator(f"#drawing-{chart} .role-axis-label").nth(0)
    text: str = labels.locator("text").last.text_content() or ""
    return text


def ends(window: Window) -> tuple[float, float]:
    """Return where the box of the range begins and ends in the regret chart, as shares."""
    # Without strokes, which the box around an element would have.
    inside = """(x) => {
      const box = x.getBBox(), on = x.getScreenCTM();
      return [box.x * on.a + on.e, box.width * on.a];
    }"""
    chart = window.page.locator("#drawing-regret")
    (start, width), (axis, whole) = (
        chart.locator(part).first.evaluate(inside)
        for part in (".brush_brush path", ".role-axis-domain line")
    )
    return (start - axis) / whole, (start + width - axis) / whole


def looks(window: Window) -> tuple[list[str], list[str]]:
    """Return what the buttons say, and the greatest label of each chart."""
    return window.page.locator("[data-zoom]").all_inner_texts(), [
        last_label(window, chart) for chart in CHARTS
    ]


def test_both_charts_begin_with_the_range(
    untouched: Callable[[Printed], Window], crash: Printed
) -> None:
    window = untouched(crash)
    assert looks(window) == ([WITHIN] * 2, ["12%"] * 2)
    assert ends(window) == pytest.approx((0.0816, 0.8163), abs=0.005)


def test_both_charts_follow_either_button(window: Window, crash: Printed) -> None:
    assert looks(window) == ([WITHIN] * 2, ["12%"] * 2)
    # From 1 % to 10 %, of 0 % to 12.25 %.
    assert ends(window) == pytest.approx((0.0816, 0.8163), abs=0.005)
    press(window, "decision")
    assert looks(window) == ([WHOLE] * 2, ["100%"] * 2)
    # Along the root of the threshold.
    assert ends(window) == pytest.approx((0.1, 0.3162), abs=0.005)
    assert chosen_ends(window) == (0.01, 0.1)
    press(window, "regret")
    assert looks(window) == ([WITHIN] * 2, ["12%"] * 2)
    assert ends(window) == pytest.approx((0.0816, 0.8163), abs=0.005)
    assert chosen_ends(window) == (0.01, 0.1)
    require_the_library(window, crash.evaluation)
    assert window.said == []


def test_a_range_is_dragged_in_what_is_seen(window: Window, crash: Printed) -> None:
    drag(window, "2%", "6%")
    assert chosen_ends(window) == pytest.approx((0.02, 0.06), abs=0.0004)
    require_the_library(window, crash.evaluation)
    assert looks(window) == ([WITHIN] * 2, ["12%"] * 2)
    before = chosen_ends(window)
    press(window, "regret")
    assert chosen_ends(window) == before
    require_the_library(window, crash.evaluation)


def test_a_typed_range_beyond_it_shows_all_thresholds(window: Window, crash: Printed) -> None:
    choose(window, 2, 40)
    assert looks(window) == ([WHOLE] * 2, ["100%"] * 2)
    assert chosen_ends(window) == (0.02, 0.4)
    assert ends(window) == pytest.approx((0.02**0.5, 0.4**0.5), abs=0.005)
    require_the_library(window, crash.evaluation)


def test_without_a_range_there_is_no_button(
    untouched: Callable[[Printed], Window], odd: Printed
) -> None:
    window = untouched(odd)
    assert window.page.locator("[data-zoom]").count() == 0
    window.page.locator("#all-thresholds").click()
    assert window.said == []


def test_bands_appear_when_few_models_are_switched_on(window: Window) -> None:
    areas = window.page.locator("#drawing-decision .mark-area path")
    whiskers = window.page.locator("#drawing-decision .mark-rule line[opacity='0.7']")
    boxes = window.page.locator("[data-model]").all()
    assert (areas.count(), whiskers.count()) == (0, 5)
    for box in boxes[2:]:
        box.uncheck()
    window.settle()
    assert (areas.count(), whiskers.count()) == (2, 2)
    for zoomed in (False, True):
        press(window, "decision")
        assert areas.count() == 2, zoomed
    assert window.said == []
