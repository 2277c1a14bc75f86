"""A page in a browser, with a record of what it said and what it asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

# Machines that run tests are busy; nothing here waits so long unless it is broken.
PATIENCE = 60_000
SIZE = {"width": 1200, "height": 900}


class Window:
    """A page that has been opened and has drawn its charts."""

    def __init__(
        self, browser: Browser, path: Path, *, clock: bool = False, **options: Any
    ) -> None:
        self.context = browser.new_context(**{"viewport": SIZE} | options)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"uncaught: {error}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        if clock:
            self.page.clock.install()
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-drawn=yes]")

    def close(self) -> None:
        self.context.close()

    def settle(self) -> None:
        """Wait until the charts have done what they were told."""
        self.page.evaluate(
            "async () => { for (let k = 0; k < 2; k++) await new Promise(requestAnimationFrame); }"
        )

    def open_all(self) -> None:
        """Unfold what is folded away."""
        self.page.evaluate(
            "for (const part of document.querySelectorAll('details')) part.open = true"
        )
        self.settle()

    def put_back(self) -> None:
        """Make the page again what it was when it was opened, but for the range."""
        self.page.emulate_media(media="screen", color_scheme="light")
        self.page.evaluate(
            """() => {
              const every = (query) => document.querySelectorAll(query);
              const off = [...every("[data-model]:not(:checked)")];
              for (const box of off) box.checked = true;
              off[0]?.dispatchEvent(new Event("change"));
              for (const part of every("details")) part.open = false;
              document.activeElement.blur();
              scrollTo(0, 0);
            }"""
        )
        self.settle()
        self.said.clear()

    def marks(self) -> dict[str, int]:
        """Count what each figure has drawn: lines, areas, bars, points and words."""
        counts: dict[str, int] = self.page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll("figure")].map((figure) => [
              figure.id,
              figure.querySelectorAll(
                ".drawing svg [class*=role-mark] :is(path, line, rect, circle, text)"
              ).length,
            ]))"""
        )
        return counts
