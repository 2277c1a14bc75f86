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


# The browser comes first in each of these: without one, nothing is evaluated.
@pytest.fixture(scope="package")
def crash(browser: Browser, folder: Path) -> Printed:  # noqa: ARG001
    return printed(folder, "crash", crash_evaluation(), **CRASH)


@pytest.fixture(scope="package")
def ordinal(browser: Browser, folder: Path) -> Printed:  # noqa: ARG001
    return printed(folder, "ordinal", ordinal_evaluation(), title="Injuries in car crashes")


@pytest.fixture(scope="package")
def classes(browser: Browser, folder: Path) -> Printed:  # noqa: ARG001
    evaluation = classes_evaluation(("sharp", "flat"), ("grass", "shrub", "tree"))
    return printed(folder, "classes", evaluation)


@pytest.fixture(scope="package")
def hostile(browser: Browser, folder: Path) -> Printed:  # noqa: ARG001
    title, cases, event, command, python, *_ = HOSTILE
    words = {"title": title, "cases": cases, "event": event, "command": command, "python": python}
    evaluation = synthetic_evaluation(HOSTILE, 180, groups=HOSTILE[:3])
    return printed(folder, "hostile", evaluation, **words)


@pytest.fixture(scope="package")
def odd(browser: Browser, folder: Path) -> Printed:  # noqa: ARG001
    return printed(folder, "odd", synthetic_evaluation(ODD, 180, groups=ODD[:3]))


@pytest.fixture(scope="package")
def hostile_classes(browser: Browser, folder: Path) -> Printed:  # noqa: ARG001
    title, cases, event, *_ = HOSTILE
    evaluation = classes_evaluation(HOSTILE[:6], HOSTILE[:4])
    return printed(folder, "hostile_classes", evaluation, title=title, cases=cases, event=event)


def lent(browser: Browser, page: Printed) -> Iterator[Window]:
    """Open a page for many tests."""
    window = Window(browser, page.path)
    yield window
    window.close()


@pytest.fixture(scope="package")
def shared_crash(browser: Browser, crash: Printed) -> Iterator[Window]:
    yield from lent(browser, crash)


@pytest.fixture(scope="package")
def shared_ordinal(browser: Browser, ordinal: Printed) -> Iterator[Window]:
    yield from lent(browser, ordinal)


@pytest.fixture(scope="package")
def shared_classes(browser: Browser, classes: Printed) -> Iterator[Window]:
    yield from lent(browser, classes)


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
