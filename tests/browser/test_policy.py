"""The page forbids everything that it did not bring itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.window import Window

# Each would set window.pwned, or paint the page, were it allowed to.
ATTEMPTS = {
    "an inline script": """() => {
      const script = document.createElement("script");
      script.textContent = "window.pwned = 1";
      document.body.append(script);
    }""",
    "an attribute that listens": """() => {
      const button = document.createElement("button");
      button.setAttribute("onclick", "window.pwned = 1");
      document.body.append(button);
      button.click();
    }""",
    "an image that fails": """() => {
      const place = document.createElement("div");
      place.innerHTML = "<img src=x onerror='window.pwned = 1'>";
      document.body.append(place);
    }""",
    "words that are run": """() => new Promise((done) => setTimeout(() => {
      try { (0, eval)("window.pwned = 1"); } catch (error) { console.log(String(error)); }
      done();
    }))""",
    "an inline style": """() => {
      const style = document.createElement("style");
      style.textContent = "body { background: rgb(1, 2, 3) !important; }";
      document.body.append(style);
    }""",
    "a question to the network": """() => fetch("https://example.org/").then(
      () => { window.pwned = 1; }, () => {},
    )""",
    "a form that is sent": """() => {
      const form = document.createElement("form");
      form.action = "https://example.org/"; form.method = "post";
      document.body.append(form);
      form.submit();
    }""",
    "another base": """() => {
      const base = document.createElement("base");
      base.href = "https://example.org/";
      document.head.append(base);
      if (document.baseURI.startsWith("https://example.org")) window.pwned = 1;
    }""",
    "a frame": """() => {
      const frame = document.createElement("iframe");
      frame.src = "data:text/html,<script>parent.pwned=1</script>";
      document.body.append(frame);
    }""",
}


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_nothing_that_is_brought_in_later_runs(attempt: str, shared_classes: Window) -> None:
    attacked, silent = shared_classes, len(shared_classes.said)
    attacked.page.evaluate(ATTEMPTS[attempt])
    attacked.settle()
    assert attacked.page.evaluate("window.pwned") is None
    painted = attacked.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert painted == "rgb(255, 255, 255)"
    # The browser says that it refused, so the attempt was a real one.
    assert "Content Security Policy" in " ".join(attacked.said[silent:])
