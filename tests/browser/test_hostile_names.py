"""Names that attack are shown as what they are, and nothing of them runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from properly._boundary._text import printable
from tests.browser.pages import HOSTILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser
from tests.browser.window import Window

BASELINES = ("treat all", "treat none", "event rate")


class Attacked(NamedTuple):
    """A page, and the names of its models as they are to be seen."""

    window: Window
    names: list[str]


def attacked(name: str) -> Any:
    """Make the fixture of a page that was opened with all its parts."""

    @pytest.fixture(scope="module", name=f"of_{name}")
    def opened(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Attacked]:
        page = request.getfixturevalue(name)
        window = Window(browser, page.path)
        window.open_all()
        yield Attacked(window, [printable(model) for model in page.evaluation.models])
        window.close()

    return opened


of_hostile, of_odd, of_classes = map(attacked, ("hostile", "odd", "hostile_classes"))
ODD = pytest.param("of_odd", marks=pytest.mark.slow)


@pytest.fixture(params=["of_hostile", ODD, "of_hostile_classes"])
def any_page(request: pytest.FixtureRequest) -> Attacked:
    attacked: Attacked = request.getfixturevalue(request.param)
    return attacked


@pytest.fixture(params=["of_hostile", ODD])
def of_events(request: pytest.FixtureRequest) -> Attacked:
    attacked: Attacked = request.getfixturevalue(request.param)
    return attacked


def test_nothing_runs_and_all_is_drawn(any_page: Attacked) -> None:
    window = any_page.window
    assert window.page.evaluate("window.pwned") is None
    assert window.said == []
    assert len(window.requests) == 1
    assert min(window.marks().values()) > 0, window.marks()


def test_no_element_comes_out_of_a_name(any_page: Attacked) -> None:
    page = any_page.window.page
    assert page.locator("img, svg[onload], [onerror], iframe, object, base").count() == 0
    # Numbers, charts, the theme, the runtime and our script; of events, what they are in people.
    assert page.locator("script").count() == 5 + page.locator("#in-people").count()


def test_title_and_words_are_text(of_hostile: Attacked) -> None:
    page = of_hostile.window.page
    title, cases, event, command, python, *_ = HOSTILE
    assert page.title() == title
    assert page.locator("h1").inner_text() == title
    about = page.locator("header p").inner_text()
    assert cases in about
    assert event in about
    texts = [text.strip() for text in page.locator("pre").all_inner_texts()]
    methods, *others = texts
    assert event in methods
    assert others == [command, python]


@pytest.mark.parametrize("place", [".legend bdi", "#scores tbody th bdi", "#worst details bdi"])
def test_each_name_stands_in_lists_and_tables(any_page: Attacked, place: str) -> None:
    texts = any_page.window.page.locator(place).all_text_contents()
    assert set(any_page.names) <= set(texts)


def test_each_name_is_ranked_and_a_baseline_of_the_same_name_too(of_events: Attacked) -> None:
    names = of_events.window.page.locator("#ranking tbody th").all_text_contents()
    assert sorted(names) == sorted([*of_events.names, *BASELINES])


@pytest.mark.slow
def test_each_model_is_switched_off_and_on(of_events: Attacked) -> None:
    window, names = of_events
    ranked = window.page.locator("#ranking tbody tr:not(.baseline) th")
    # Half of them at once, another half each time, so that no two are always switched together.
    for bit in (1, 2, 4, 8):
        window.page.evaluate(
            """(bit) => {
              const boxes = [...document.querySelectorAll("[data-model]")];
              boxes.forEach((box, k) => { box.checked = !((k + 1) & bit); });
              boxes[0].dispatchEvent(new Event("change"));
            }""",
            bit,
        )
        window.settle()
        assert set(ranked.all_text_contents()) == {x for k, x in enumerate(names, 1) if not k & bit}
    window.put_back()
    window.open_all()
    assert set(ranked.all_text_contents()) == set(names)
    assert window.page.evaluate("window.pwned") is None


@pytest.mark.parametrize(
    "mark", ["#regret .mark-rule.role-mark line", "#comparisons .mark-rect.role-mark path"]
)
def test_what_a_pointer_shows_is_text(of_hostile: Attacked, mark: str) -> None:
    window, text = of_hostile.window, ""
    marks = window.page.locator(mark)
    marks.first.evaluate("(x) => x.scrollIntoView({ block: 'center' })")
    for k in range(6):
        box = marks.nth(k).bounding_box()
        assert box is not None
        window.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        window.settle()
        text += "".join(window.page.locator("#vg-tooltip-element.visible").all_text_contents())
    assert any(name in text for name in HOSTILE[:3])
    assert window.page.evaluate("window.pwned") is None
    assert window.page.locator("#vg-tooltip-element :is(img, svg, script)").count() == 0
