"""The search of the documentation, opened from disk: it needs neither server nor network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "docs"
# What is to find each page before all others. Only these pages are built, since words of an index
# come before everything else; all of the site takes minutes.
WORDS = {
    path.stem: re.findall(r"! ([^,\n]+)", index[1])
    for path in DOCS.glob("*.md")
    if (index := re.search(r"```\{index\} (.*)", path.read_text("utf-8")))
}
FRONT = "# Site\n\n```{toctree}\n" + "\n".join(WORDS) + "\n```\n"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001
    """Build a few pages as the whole site is built."""
    pytest.importorskip("sphinx", reason="the site is built with the extra `docs`")
    source, out = (tmp_path_factory.mktemp(name) for name in ("source", "site"))
    for name in WORDS:
        shutil.copy(DOCS / f"{name}.md", source)
    (source / "index.md").write_text(FRONT, encoding="utf-8")
    (out / "report.html").touch()  # a report that is there is not written again
    paths = [str(path) for path in (DOCS, source, out)]
    command = [sys.executable, "-m", "sphinx", "-Q", "-b", "html", "-c", *paths]
    subprocess.run(command, check=True)  # noqa: S603
    return out


@pytest.fixture
def front(browser: Browser, site: Path) -> Iterator[Page]:
    context = browser.new_context()
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    yield page
    context.close()


def ask(page: Page, words: str) -> list[str]:
    """Search as a reader does, and return the pages that are found, the best first."""
    page.locator("button.search-button:visible").first.click()
    page.locator("input[name=q]:visible").fill(words)
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=*")
    page.wait_for_selector("ul.search a")
    links = page.locator("ul.search li > a").evaluate_all("(links) => links.map((x) => x.href)")
    return [link.rpartition("/")[2].partition(".html")[0] for link in links]


@pytest.mark.parametrize("name", WORDS)
def test_a_search_from_disk_finds_the_page_that_answers(front: Page, name: str) -> None:
    asked: list[str] = []
    front.on("request", lambda request: asked.append(request.url))
    first = front.url
    for words in WORDS[name]:
        front.goto(first)
        assert ask(front, words)[0] == name, words
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_words_of_the_field_are_searched_for() -> None:
    words = {word for words in WORDS.values() for word in words}
    field = "CORP PAV precision-recall CRPS RPS sa-RPS QWK AURSC PBS PLL superior decisiveness"
    assert words > {*field.split(), "conditional event probability", "expected cost", "LC index"}
