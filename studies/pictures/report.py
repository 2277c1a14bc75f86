"""Take the pictures of the report that the documentation shows.

It needs the extras ``app`` and ``test``, and a Chromium: the one that PROPERLY_CHROMIUM names, that
of the machine, or Playwright's own.
"""

from __future__ import annotations

import os
import shutil
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from PIL import Image
from playwright.sync_api import sync_playwright

from studies.example_report import write_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, FloatRect, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
SCREEN: dict[str, Any] = {"viewport": {"width": 1200, "height": 900}, "device_scale_factor": 1.5}
# Pixels around a figure.
MARGIN = 16
COLORS, MOST_BYTES = 256, 150_000


def opened(browser: Browser, path: Path, **options: Any) -> Page:
    page = browser.new_page(**SCREEN, **options)
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-drawn=yes]")
    return page


def choose(page: Page, lower: str, upper: str) -> None:
    """Choose a range of thresholds, in percent."""
    for name, end in {"lower": lower, "upper": upper}.items():
        page.locator(f"#range [name={name}]").fill(end)
        page.keyboard.press("Enter")


def first_screen(browser: Browser, path: Path) -> bytes:
    return opened(browser, path).screenshot()


def first_screen_in_the_dark(browser: Browser, path: Path) -> bytes:
    return opened(browser, path, color_scheme="dark").screenshot()


def regret_over_a_range(browser: Browser, path: Path) -> bytes:
    page = opened(browser, path)
    choose(page, "2", "20")
    return figure(page, "regret")


def reliability(browser: Browser, path: Path) -> bytes:
    return figure(opened(browser, path), "reliability")


def dark(browser: Browser, path: Path) -> bytes:
    page = opened(browser, path, color_scheme="dark")
    page.locator("#thresholds").evaluate("(x) => x.scrollIntoView()")
    return page.screenshot()


def figure(page: Page, name: str) -> bytes:
    """Picture a figure without what is folded away, and with a margin."""
    box: FloatRect = page.locator(f"#{name}").evaluate(
        """(figure) => {
          const isShown = (x) => figure.contains(x) ? !x.closest("details") : x.contains(figure);
          for (const x of document.body.querySelectorAll("*")) {
            if (!isShown(x)) x.style.visibility = "hidden";
          }
          document.activeElement.blur();
          const { x, y, width } = figure.getBoundingClientRect();
          const bottom = figure.querySelector(".drawing").getBoundingClientRect().bottom;
          return { x: x + scrollX, y: y + scrollY, width, height: bottom - y };
        }"""
    )
    x, y = box["x"] - MARGIN, box["y"] - MARGIN
    width, height = box["width"] + 2 * MARGIN, box["height"] + 2 * MARGIN
    clip: FloatRect = {"x": x, "y": y, "width": width, "height": height}
    return page.screenshot(clip=clip, full_page=True)


def keep(path: Path, picture: bytes) -> None:
    """Keep a picture in few colours: nobody sees the difference, and it is a third as large."""
    image = Image.open(BytesIO(picture)).convert("RGB")
    image = image.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    if path.stat().st_size >= MOST_BYTES:
        message = f"{path} has {path.stat().st_size:,} bytes"
        raise RuntimeError(message)


PICTURES: dict[str, Callable[[Browser, Path], bytes]] = {
    "report_top": first_screen,
    "report_top_dark": first_screen_in_the_dark,
    "report_regret": regret_over_a_range,
    "report_reliability": reliability,
    "report_dark": dark,
}


def draw(folder: Path) -> None:
    """Save all pictures to a folder."""
    chromium = os.environ.get("PROPERLY_CHROMIUM") or next(
        filter(None, map(shutil.which, NAMES)), None
    )
    with TemporaryDirectory() as made, sync_playwright() as running:
        path = Path(made) / "report.html"
        write_report(path)
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, take in PICTURES.items():
            keep(folder / f"{name}.png", take(browser, path))
        browser.close()
