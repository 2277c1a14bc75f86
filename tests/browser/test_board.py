"""The page of a leaderboard: light, dark, on a telephone and on paper; names that attack.

The pictures are kept in docs/_build/screenshots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.boards import board, mixed_board
from tests.browser.conftest import printed
from tests.browser.pages import HOSTILE, ODD
from tests.browser.test_first_screens import LOOKS, require_contrast, require_fit
from tests.browser.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from properly.comparison import Leaderboard

pytestmark = pytest.mark.slow

SUBJECTS: dict[str, Callable[[], Leaderboard]] = {
    "six": lambda: board(6, crowd="mean", peer=True),
    "thirty": lambda: board(30),
    "mixed": mixed_board,
}
WIDTHS = "[document.scrollingElement.scrollWidth, innerWidth]"


@pytest.fixture(scope="module", params=SUBJECTS)
def screen(request: pytest.FixtureRequest, browser: Browser, folder: Path) -> Iterator[Window]:
    """A page of each kind; it is opened once."""
    name = f"board-{request.param}"
    window = Window(browser, printed(folder, name, SUBJECTS[request.param](), title="Cup").path)
    yield window
    window.close()


@pytest.mark.parametrize("look", LOOKS)
def test_a_leaderboard_is_fit_to_be_seen(screen: Window, look: str) -> None:
    require_fit(screen, look, "")
    screen.open_all()
    assert screen.page.evaluate(WIDTHS) == [LOOKS[look][0]["width"]] * 2
    require_contrast(screen)
    screen.put_back()


def test_all_pairs_stand_on_the_page_without_a_scroll(screen: Window) -> None:
    screen.page.set_viewport_size({"width": 1200, "height": 900})
    wide = screen.page.locator("#pairs .wide")
    assert wide.evaluate("(x) => x.scrollWidth <= x.clientWidth")


@pytest.mark.parametrize("names", [HOSTILE, ODD], ids=["hostile", "odd"])
def test_nothing_of_a_name_runs(browser: Browser, folder: Path, names: tuple[str, ...]) -> None:
    some = tuple(name for name in names if name)
    words = dict(zip(("title", "command", "python", "date"), HOSTILE, strict=False))
    page = printed(folder, f"board-{len(some)}", board(len(some), names=some), **words)
    window = Window(browser, page.path, viewport={"width": 390, "height": 844})
    window.open_all()
    assert window.page.evaluate("window.pwned") is None
    assert window.said == []
    assert len(window.requests) == 1
    assert window.page.locator("img, [onload], [onerror], iframe, object, base").count() == 0
    assert window.page.locator("script").count() == 4
    assert window.page.evaluate(WIDTHS) == [390, 390]
    assert window.page.title() == HOSTILE[0]
    window.close()
