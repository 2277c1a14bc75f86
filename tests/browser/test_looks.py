"""Light, dark, narrow and printed; the pictures are kept in docs/_build/screenshots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.pages import Printed
    from tests.browser.window import Window

pytestmark = pytest.mark.slow

KEPT = Path(__file__).resolve().parents[2] / "docs" / "_build" / "screenshots"
# What the guidelines for accessible pages ask of text.
LEAST_CONTRAST = 4.5
SCHEMES = ("light", "dark")

# Colours are mixed from the inside out: that of the text, what is behind it, and so on.
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parse = (color) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((x, k) => a * x + (1 - a) * below[k]);
  const behind = (x) => {
    for (let at = x; at; at = at.parentElement) {
      const found = parse(getComputedStyle(at).backgroundColor);
      if (found[3] === 1) return found;
    }
    return [255, 255, 255, 1];
  };
  const opacity = (x) => {
    let found = 1;
    for (let at = x; at; at = at.parentElement) found *= Number(getComputedStyle(at).opacity);
    return found;
  };
  const light = (rgb) => rgb.map((x) => x / 255)
    .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
    .reduce((sum, x, k) => sum + [0.2126, 0.7152, 0.0722][k] * x, 0);
  const contrast = (x, ink) => {
    const below = behind(x), [r, g, b, a] = parse(ink);
    const pair = [light(over([r, g, b, a * opacity(x)], below)), light(below)];
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  };
  const says = (x) => [...x.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())
    && x.checkVisibility() && !x.closest("svg, script, style, noscript");
  const texts = [...document.body.querySelectorAll("*")].filter(says)
    .map((x) => [contrast(x, getComputedStyle(x).color), x.outerHTML.slice(0, 100)]);
  const axes = [...document.querySelectorAll("svg :is(.role-axis-label, .role-axis-title) text")]
    .map((x) => [contrast(x, getComputedStyle(x).fill), `axis: ${x.outerHTML.slice(0, 200)}`]);
  return [...texts, ...axes];
}"""
INKS = """() => {
  const style = getComputedStyle(document.body);
  const labels = [...document.querySelectorAll("svg .role-axis-label text")];
  return {
    text: style.color, paper: style.backgroundColor,
    labels: [...new Set(labels.map((x) => getComputedStyle(x).fill))],
  };
}"""
LIGHT_INK, LIGHT_PAPER = "rgb(27, 31, 36)", "rgb(255, 255, 255)"
DARK_INK, DARK_PAPER = "rgb(232, 235, 238)", "rgb(20, 23, 27)"
PRINTED_INK = "rgb(17, 17, 17)"


def inks(window: Window) -> dict[str, Any]:
    colors: dict[str, Any] = window.page.evaluate(INKS)
    return colors


def keep(window: Window, name: str) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"report-{name}.png"
    window.page.screenshot(path=path, full_page=True)
    assert path.stat().st_size > 50_000


@pytest.mark.parametrize("scheme", SCHEMES)
def test_light_is_dark_on_white_dark_the_reverse_and_paper_white(
    window: Window, scheme: Any
) -> None:
    window.page.emulate_media(color_scheme=scheme)
    ink, paper = (LIGHT_INK, LIGHT_PAPER) if scheme == "light" else (DARK_INK, DARK_PAPER)
    assert inks(window) == {"text": ink, "paper": paper, "labels": [ink]}
    keep(window, scheme)
    window.page.emulate_media(media="print", color_scheme=scheme)
    assert inks(window) == {"text": PRINTED_INK, "paper": LIGHT_PAPER, "labels": [PRINTED_INK]}


def test_the_verdict_is_unfolded_on_paper_and_folded_again(window: Window) -> None:
    page = window.page
    page.evaluate(
        """() => addEventListener("beforeprint", () => {
          window.open = [...document.querySelectorAll("details[open]")].map((x) => x.id);
        }, { once: true })"""
    )
    assert page.locator("details:not([open])").count() > 10
    before = page.locator("details[open]").count()
    page.emulate_media(media="print")
    pdf = page.pdf(format="A4", print_background=True)
    assert pdf.startswith(b"%PDF-")
    assert 2 <= pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") <= 8
    assert len(pdf) < 3_000_000
    assert [name for name in page.evaluate("window.open") if name] == ["verdict"]
    assert page.locator("details[open]").count() == before


def test_nothing_to_press_is_printed(window: Window) -> None:
    window.page.emulate_media(media="print")
    window.open_all()
    assert window.page.locator("button:visible, input:visible").count() == 0
    keep(window, "print")


@pytest.mark.parametrize("page", ["crash", "ordinal"])
def test_a_telephone_shows_the_page_without_moving_it_sideways(
    request: pytest.FixtureRequest, opened: Callable[..., Window], page: str
) -> None:
    printed: Printed = request.getfixturevalue(page)
    window = opened(printed, viewport={"width": 390, "height": 844})
    widths = "[document.scrollingElement.scrollWidth, innerWidth]"
    assert window.page.evaluate(widths) == [390, 390]
    window.open_all()
    assert window.page.evaluate(widths) == [390, 390]
    window.page.screenshot(path=KEPT / f"report-narrow-{page}.png")


@pytest.mark.parametrize("page", ["crash", "ordinal"])
def test_wide_charts_have_one_width(
    request: pytest.FixtureRequest, opened: Callable[..., Window], page: str
) -> None:
    window = opened(request.getfixturevalue(page))
    window.open_all()
    ends = window.page.locator(".chart-wide .drawing").evaluate_all(
        """(all) => all.map((place) => {
          const parts = [place, place.querySelector("svg")];
          const [box, svg] = parts.map((x) => x.getBoundingClientRect());
          const panels = [...place.querySelectorAll(".role-scope > g > path.background")];
          const sizes = panels.map((x) => Math.round(x.getBoundingClientRect().width));
          return [place.id, svg.left - box.left, box.right - svg.right, [...new Set(sizes)]];
        })"""
    )
    assert len(ends) > 2
    for name, left, right, sizes in ends:
        assert left == 0, name
        # Squares of classes are as large as their numbers need.
        assert name == "drawing-confusion" or -1 <= right <= 40, (name, right)
        assert len(set(sizes) - {0}) <= 1, (name, sizes)
