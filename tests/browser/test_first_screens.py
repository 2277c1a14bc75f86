"""First screens of five kinds of data, each in light, dark, on a telephone and on paper.

The pictures are kept in docs/_build/screenshots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from tests.browser.conftest import printed
from tests.browser.pages import synthetic_evaluation
from tests.browser.test_looks import CONTRASTS, KEPT, LEAST_CONTRAST
from tests.browser.window import SIZE, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser


pytestmark = pytest.mark.slow

TELEPHONE = {"width": 390, "height": 844}
# Charts are as wide as on a desk, and the printer makes all of it smaller.
SHEET = {"width": 1030, "height": 1500}
LOOKS: dict[str, tuple[dict[str, int], dict[str, Any]]] = {
    "light": (SIZE, {"media": "screen", "color_scheme": "light"}),
    "dark": (SIZE, {"media": "screen", "color_scheme": "dark"}),
    "telephone": (TELEPHONE, {"media": "screen", "color_scheme": "light"}),
    "paper": (SHEET, {"media": "print", "color_scheme": "light"}),
}
# What reaches beyond its place, and words that are broken: each stands on one line.
SPILT = """() => [...document.querySelectorAll("#models, #models :is(th, td, li, h2, p)")]
  .filter((x) => x.checkVisibility() && x.scrollWidth > x.clientWidth + 1)
  .map((x) => x.textContent)"""
BROKEN = """() => [...document.querySelectorAll("#models :is(.name bdi, .headline bdi)")]
  .filter((x) => x.checkVisibility()).flatMap((x) => {
    const text = x.firstChild, range = document.createRange();
    return [...text.data.matchAll(/\\S+/g)].filter((word) => {
      range.setStart(text, word.index); range.setEnd(text, word.index + word[0].length);
      return new Set([...range.getClientRects()].map((box) => box.top)).size > 1;
    }).map((word) => word[0]);
  })"""
# From the top of the page to the end of the first model.
FIRST_MODEL = """() => document.querySelector("#models tbody tr").getBoundingClientRect().bottom
  + scrollY"""


def clinic() -> Any:
    """Evaluate two models of patients who come again, at six sites."""
    rng = np.random.default_rng(3)
    site, patient = rng.integers(0, 6, 1500), rng.integers(0, 600, 1500)
    odds = rng.normal(-2.2, 1.1, 1500) + 0.5 * rng.normal(0, 1, 600)[patient]
    happened = rng.random(1500) < risk(odds + 0.6 * (site == 3))
    return properly.evaluate(
        happened,
        {
            "score in use": risk(0.95 * odds + rng.normal(0, 0.3, 1500)),
            "new model": risk(1.5 * odds + 0.5 + rng.normal(0, 0.2, 1500)),
        },
        within=(0.05, 0.2),
        clusters=patient,
        groups=[f"site {k + 1}" for k in site],
        replicates=99,
        rng=0,
    )


def risk(odds: Any) -> Any:
    return 1 / (1 + np.exp(-odds))


def digits() -> Any:
    """Evaluate three models of ten classes, of which one is sure and sometimes wrong."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 10, 500)
    clear = 3 * np.eye(10)[y] + rng.normal(0, 1, (500, 10))
    sure = np.exp(2 * (clear + rng.normal(0, 1, clear.shape)))
    sure /= sure.sum(axis=1, keepdims=True)
    sure = np.where(sure < 0.01, 0, sure)
    models = {"plain": np.exp(clear), "timid": np.exp(0.5 * clear), "sure": sure}
    forecasts = {name: P / P.sum(axis=1, keepdims=True) for name, P in models.items()}
    return properly.evaluate(y, forecasts, task="multiclass", replicates=99, rng=0)


PATIENTS = {"title": "Readmission", "cases": "patients", "event": "readmission"}
CANDIDATES = tuple(f"candidate number {k + 1}" for k in range(30))
MADE: dict[str, tuple[Callable[[], Any], dict[str, str]]] = {
    "clinic": (clinic, PATIENTS),
    "digits": (digits, {"title": "Digits", "cases": "pictures"}),
    "thirty": (lambda: synthetic_evaluation(CANDIDATES, 400), {}),
}


@pytest.fixture(scope="module", params=("crash", "ordinal", *MADE))
def screen(request: pytest.FixtureRequest, browser: Browser, folder: Path) -> Iterator[Window]:
    """A page of each kind; it is opened once."""
    kind = request.param
    if kind not in MADE:
        shared: Window = request.getfixturevalue(f"shared_{kind}")
        yield shared
        shared.page.set_viewport_size(SIZE)  # type: ignore[arg-type]
        shared.put_back()
        return
    evaluate, words = MADE[kind]
    window = Window(browser, printed(folder, kind, evaluate(), **words).path)
    yield window
    window.close()


def require_fit(screen: Window, look: str, name: str) -> None:
    """Require that nothing is cut, broken or too low, and keep a picture."""
    page, (size, media) = screen.page, LOOKS[look]
    page.set_viewport_size(size)  # type: ignore[arg-type]
    page.emulate_media(**media)
    screen.settle()
    assert page.evaluate(SPILT) == []
    assert page.evaluate(BROKEN) == []
    assert page.evaluate(FIRST_MODEL) < size["height"]
    KEPT.mkdir(parents=True, exist_ok=True)
    subject = page.url.rpartition("/")[2].removesuffix(".html")
    page.screenshot(path=KEPT / f"{name}{subject}-{look}.png")


def require_contrast(screen: Window) -> None:
    contrasts = screen.page.evaluate(CONTRASTS)
    assert [text for contrast, text in contrasts if contrast < LEAST_CONTRAST] == []


@pytest.mark.parametrize("look", LOOKS)
def test_a_first_screen_is_fit_to_be_seen(screen: Window, look: str) -> None:
    require_fit(screen, look, "first-")
    require_contrast(screen)
    assert screen.said == []
