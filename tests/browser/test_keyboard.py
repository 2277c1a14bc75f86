"""The page can be used without a mouse, and read without eyes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.browser.pages import Printed
    from tests.browser.window import Window

pytestmark = pytest.mark.slow

# What a person may want to reach: links, controls, and boxes that scroll.
STOPS = "a[href], button, input, summary, pre, .wide"


@pytest.fixture(scope="module")
def tabbed(shared_crash: Window) -> list[dict[str, Any]]:
    """Press Tab from the top to the end, and tell where it led."""
    window = shared_crash
    window.open_all()
    count = window.page.evaluate(
        """(stops) => {
          const found = [...document.querySelectorAll(stops)];
          found.forEach((x, k) => { x.dataset.stop = k; });
          return found.length;
        }""",
        STOPS,
    )
    # Tab goes on from where one has clicked.
    window.page.mouse.click(1, 1)
    reached = []
    for _ in range(count):
        window.page.keyboard.press("Tab")
        reached.append(
            window.page.evaluate(
                """() => {
                  const here = document.activeElement, style = getComputedStyle(here);
                  return {
                    stop: Number(here.dataset.stop ?? -1), what: here.outerHTML.slice(0, 120),
                    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
                    left: here.getBoundingClientRect().left,
                  };
                }"""
            )
        )
    window.put_back()
    return reached


def test_tab_reaches_everything_in_the_order_of_the_page(tabbed: list[dict[str, Any]]) -> None:
    assert len(tabbed) > 30
    assert [each["stop"] for each in tabbed] == list(range(len(tabbed)))


def test_one_sees_where_one_is(tabbed: list[dict[str, Any]]) -> None:
    assert [each["what"] for each in tabbed if each["outline"] < 2 or each["left"] < 0] == []


def test_a_link_skips_to_the_scores(shared_classes: Window) -> None:
    page = shared_classes.page
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#scores"


def test_headings_descend_without_jumps(window: Window) -> None:
    levels = window.page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map((x) => Number(x.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert max(levels) == 3
    jumps = [(a, b) for a, b in pairwise(levels) if b > a + 1]
    assert jumps == []


def test_the_page_has_its_language_and_its_landmarks(window: Window) -> None:
    assert window.page.locator("html").get_attribute("lang") == "en"
    for role in ("banner", "main", "contentinfo"):
        assert window.page.get_by_role(role).count() == 1


def test_every_chart_is_told_in_words(window: Window, crash: Printed) -> None:
    drawings = window.page.evaluate(
        """[...document.querySelectorAll(".drawing")].map((x) => [
          x.getAttribute("role"), x.getAttribute("aria-label"),
        ])"""
    )
    assert len(drawings) == window.page.locator("figure").count() == 10
    assert {role for role, _ in drawings} == {"img"}
    assert all(len(words) > 40 for _, words in drawings)
    # Hidden from ears otherwise: the numbers of the finding are read.
    assert sum("logistic" in words for _, words in drawings) >= 6
    assert len(crash.evaluation.models) == 5


def test_every_table_has_heads_that_say_what_they_head(window: Window) -> None:
    tables = window.page.evaluate(
        """[...document.querySelectorAll("table")].map((table) => [
          [...table.querySelectorAll("thead th")].map((x) => x.scope),
          [...table.querySelectorAll("tbody tr")].map((row) => row.querySelector("th")?.scope),
          [...table.querySelectorAll("th")].some((x) => x.textContent.trim() === ""),
        ])"""
    )
    assert len(tables) > 10
    for columns, rows, has_an_empty_head in tables:
        assert set(columns) == {"col"}
        assert set(rows) == {"row"}
        assert not has_an_empty_head


def test_every_control_has_a_name(window: Window) -> None:
    nameless = window.page.evaluate(
        """[...document.querySelectorAll("button, input, summary, a, fieldset, form:not(:empty)")]
          .filter((x) => !(x.getAttribute("aria-label") || x.labels?.[0]?.textContent.trim()
            || x.querySelector("legend")?.textContent || x.textContent.trim()))
          .map((x) => x.outerHTML.slice(0, 200))"""
    )
    assert nameless == []
    assert window.page.locator("[role=region]:not([aria-label])").count() == 0
    assert window.page.get_by_role("spinbutton", name="thresholds from").count() == 1
    assert window.page.get_by_role("button", name="all thresholds").count() == 1
    assert window.page.get_by_role("button", name="zoom").count() == 2
    assert window.page.get_by_role("group", name="Models shown").count() == 1


def test_every_name_of_an_element_is_its_own(window: Window) -> None:
    ids = window.page.evaluate("[...document.querySelectorAll('[id]')].map((x) => x.id)")
    assert sorted(set(ids)) == sorted(ids)


def test_what_changes_is_announced(window: Window) -> None:
    assert window.page.locator("#ranking[aria-live=polite]").count() == 1
