"""The reader picks a threshold, by hand or by typing, and reads what it comes to in people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from properly.report._score_tables import people

if TYPE_CHECKING:
    from tests.browser.pages import Printed
    from tests.browser.window import Window

pytestmark = pytest.mark.slow

HEADS = "[...document.querySelectorAll('#in-people-table thead th')].map((x) => x.textContent)"
ROW = """(k) => [...document.querySelector("#in-people-table tbody").rows[k].cells].map((x) =>
  [...x.childNodes].map((node) => node.textContent.trim()).filter((text) => text))"""


def numbers(crash: Printed) -> dict[str, Any]:
    result = people(crash.evaluation, "people", "death")
    assert result is not None
    copy: dict[str, Any] = json.loads(json.dumps(result["numbers"]))
    return copy


def texts(row: str) -> list[list[str]]:
    """Return the texts of cells, each with its interval."""
    result = []
    for k, cell in enumerate(row.split("|")):
        number, *ends = cell.split("/")
        unit = " %" if k > 2 and number != "\N{EN DASH}" else ""
        result.append([number + unit, *([" to ".join(ends) + unit] if ends else [])])
    return result


def choose(window: Window, percent: str) -> None:
    field = window.page.get_by_role("spinbutton", name="threshold %", exact=True)
    field.fill(percent)
    field.press("Tab")


def told(window: Window) -> str:
    return window.page.locator("#threshold output").inner_text()


def test_a_threshold_is_typed(window: Window, crash: Printed) -> None:
    found = numbers(crash)
    k = found["labels"].index("5 %")
    choose(window, "5")
    for row, name in enumerate(crash.evaluation.models):
        head, *cells = window.page.evaluate(ROW, row)
        assert head == [name]
        assert cells == texts(found["rows"][row][k])
    assert (
        window.page.locator("#in-people-table caption")
        .inner_text()
        .startswith("At a threshold of 5")
    )
    alarms, right, missed = (cell[0] for cell in texts(found["rows"][0][k])[:3])
    sentence = f"{alarms} alarms, {right} of them right; {missed} events missed"
    assert told(window) == f"At 5 %: logistic {sentence}"
    assert sentence in window.page.locator("#dots li").first.inner_text()
    choose(window, "3")


def test_arrows_move_the_slider_and_the_field_follows(window: Window) -> None:
    slider = window.page.get_by_role("slider", name="Threshold")
    assert slider.get_attribute("aria-valuetext") == "3 %"
    slider.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "3.25 %"
    assert window.page.locator("#threshold [name=percent]").input_value() == "3.25"
    assert told(window).startswith("At 3.25 %: logistic ")
    slider.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == "3 %"


def test_there_is_one_table_and_a_thousand_dots_a_row(window: Window) -> None:
    page = window.page
    assert page.locator("#people table").count() == 1
    assert page.evaluate(HEADS)[1:4] == ["alarms", "right", "missed"]
    dots = page.evaluate(
        """[...document.querySelectorAll("#dots li")].map((item) => [
          ...item.querySelectorAll("path")
        ].map((x) => x.getAttribute("d").split("M").length - 1))"""
    )
    assert [sum(row) for row in dots] == [1000] * 7
    right, vain, missed, rest = dots[-2]
    assert (right + vain, missed, rest) == (1000, 0, 0)


def test_the_dots_of_a_model_that_is_switched_off_are_gone(window: Window) -> None:
    assert window.page.locator("#dots li:visible").count() == 7
    window.page.locator("[data-model]").first.uncheck()
    assert window.page.locator("#dots li:visible").count() == 6


def test_the_methods_are_copied(window: Window) -> None:
    page = window.page
    text = page.locator("#methods-text").inner_text()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").strip() == text.strip()
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error()))")
    page.evaluate("document.getElementById('copied').textContent = ''")
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied.").wait_for()
