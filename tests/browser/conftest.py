"""One browser for all tests here, and the pages that they look at."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import properly
from tests.browser.pages import (
    CRASH,
    HOSTILE,
    ODD,
    Printed,
    classes_evaluation,
    crash_evaluation,
    ordinal_evaluation,
    synthetic_evaluation,
)
from tests.browser.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserType

NAMES = ("chromium", "chromium-browser", "google-chrome")
ADVICE = "install Chromium with `apt-get install chromium` or `playwright install chromium`"
# Containers do not let a browser build a sandbox of its own; the pages are ours.
ARGUMENTS = ["--no-sandbox", "--disable-gpu"]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    advice = "playwright is not installed: `pip install playwright`, and " + ADVICE
    playwright = pytest.importorskip("playwright.sync_api", reason=advice)
    playwright.expect.set_options(timeout=30_000)
    with playwright.sync_playwright() as running:
        opened = launched(running.chromium)
        yield opened
        opened.close()


def launched(chromium: BrowserType) -> Browser:
    """Start the browser of the environment, of the machine, or of Playwright; or skip."""
    named = os.environ.get("PROPERLY_CHROMIUM")
    executable = named or next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None and not Path(chromium.executable_path).exists():
        pytest.skip(f"there is no browser here; {ADVICE}, or name one in PROPERLY_CHROMIUM")
    return chromium.launch(executable_path=executable, args=ARGUMENTS)


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def printed(folder: Path, name: str, evaluation: Any, **words: str) -> Printed:
    path = properly.report.write(folder / f"{name}.html", evaluation, **words)  # type: ignore[arg-type]
    return Printed(evaluation, path)


HOSTILE_WORDS = dict(zip(("title", "cases", "event", "command", "python"), HOSTILE, strict=False))
# What is evaluated for each page, and the words that it is printed with.
PAGES: dict[str, tuple[Callable[[], Any], dict[str, str]]] = {
    "crash": (crash_evaluation, CRASH),
    "ordinal": (ordinal_evaluation, {"title": "Injuries in car crashes"}),
    "classes": (lambda: classes_evaluation(("sharp", "flat"), ("grass", "shrub", "tree")), {}),
    "hostile": (lambda: synthetic_evaluation(HOSTILE, 180, groups=HOSTILE[:3]), HOSTILE_WORDS),
    "odd": (lambda: synthetic_evaluation(ODD, 180, groups=ODD[:3]), {}),
    "hostile_classes": (
        lambda: classes_evaluation(HOSTILE[:6], HOSTILE[:4]),
        {name: HOSTILE_WORDS[name] for name in ("title", "cases", "event")},
    ),
}


def page_of(name: str) -> Any:
    """Make the fixture of a page. The browser comes first: without one, nothing is evaluated."""

    @pytest.fixture(scope="package", name=name)
    def page(browser: Browser, folder: Path) -> Printed:  # noqa: ARG001
        evaluate, words = PAGES[name]
        return printed(folder, name, evaluate(), **words)

    return page


def window_of(name: str) -> Any:
    """Make the fixture of a page that is opened for many tests."""

    @pytest.fixture(scope="package", name=f"shared_{name}")
    def shared(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Window]:
        window = Window(browser, request.getfixturevalue(name).path)
        yield window
        window.close()

    return shared


crash, ordinal, classes, hostile, odd, hostile_classes = map(page_of, PAGES)
shared_crash, shared_ordinal, shared_classes = map(window_of, ("crash", "ordinal", "classes"))


@pytest.fixture(scope="package")
def untouched(browser: Browser) -> Iterator[Callable[[Printed], Window]]:
    """Open pages to look at, once each, with a clock that tests wind."""
    windows: dict[Path, Window] = {}

    def open_once(page: Printed) -> Window:
        if page.path not in windows:
            windows[page.path] = Window(browser, page.path, clock=True)
        return windows[page.path]

    yield open_once
    for each in windows.values():
        each.close()


@pytest.fixture
def window(shared_crash: Window) -> Iterator[Window]:
    """The example, which is put back after each test."""
    yield shared_crash
    shared_crash.put_back()


@pytest.fixture
def ordinal_window(shared_ordinal: Window) -> Iterator[Window]:
    """The page of injuries, which is put back after each test."""
    yield shared_ordinal
    shared_ordinal.put_back()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Window]]:
    """Open pages of one's own; they are closed in the end."""
    windows: list[Window] = []

    def open_page(page: Printed, **options: Any) -> Window:
        windows.append(Window(browser, page.path, **options))
        return windows[-1]

    yield open_page
    for each in windows:
        each.close()
