"""The page draws its charts, says nothing, asks for nothing, and gives its numbers away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import properly

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser

    from tests.browser.pages import Printed
    from tests.browser.window import Window

PAGES = ("crash", "ordinal", "classes")
MOST_BYTES = 2_000_000


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest) -> Printed:
    printed: Printed = request.getfixturevalue(request.param)
    return printed


def test_every_chart_is_drawn_without_a_word_and_without_a_request(
    page: Printed, untouched: Callable[[Printed], Window]
) -> None:
    window = untouched(page)
    marks = window.marks()
    assert len(marks) >= 4
    assert min(marks.values()) > 0, marks
    assert window.page.get_by_text("could not be drawn").count() == 0
    # Whatever is put off is done within this second of the page's own clock.
    window.page.clock.run_for(1000)
    assert window.said == []
    assert window.requests == [page.path.as_uri()]


def test_charts_are_drawn_again_once_and_only_where_some_are_unfolded(window: Window) -> None:
    page = window.page
    page.evaluate("window.again = 0; addEventListener('resize', () => { window.again += 1; })")
    page.evaluate(
        "for (const x of document.querySelectorAll('details:not(:has(.drawing))')) x.open = true"
    )
    window.settle()
    assert page.evaluate("window.again") == 0
    window.open_all()
    assert page.evaluate("window.again") == 1
    folded = page.locator("details .drawing svg")
    assert folded.count() > 0
    assert min(folded.evaluate_all("(all) => all.map((x) => x.clientWidth)")) > 200


def test_the_button_saves_the_numbers_of_the_evaluation(window: Window, crash: Printed) -> None:
    with window.page.expect_download() as download:
        window.page.get_by_role("button", name="Save the numbers as JSON").click()
    assert download.value.suggested_filename == "properly.json"
    saved = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    said = properly.verdict(crash.evaluation, cases="people", event="death")
    assert saved.pop("verdict") == json.loads(json.dumps(said.to_dict()))
    assert saved.pop("version") == properly.__version__
    assert saved == json.loads(crash.evaluation.to_json())


def test_without_scripts_the_verdict_and_the_scores_can_be_read(
    browser: Browser, crash: Printed
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(crash.path.as_uri())
    said = properly.verdict(crash.evaluation, cases="people", event="death")
    headline = page.locator("h2").first.inner_text().replace("\N{NO-BREAK SPACE}", " ")
    assert said.headline.startswith(headline.removesuffix("."))
    assert page.locator("#scores table").first.locator("tbody tr").count() == 8
    assert page.locator("noscript").inner_text().startswith("The charts need JavaScript")
    context.close()


def test_the_page_of_the_example_is_small_enough_to_send(crash: Printed) -> None:
    assert crash.path.stat().st_size < MOST_BYTES
