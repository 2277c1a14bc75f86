"""The search of the documentation, opened from disk: it needs neither server nor network."""

from __future__ import annotations

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
# Enough of the site to be searched, since words of an index come before all else; to build all of
# it takes minutes.
PAGES = sorted(path.stem for path in DOCS.glob("*.md") if "```{index}" in path.read_text("utf-8"))
FRONT = "# Site\n\n```{toctree}\n" + "\n".join(PAGES) + "\n```\n"
QUESTIONS = {
    "compare two classifiers": "comparing",
    "is my risk model calibrated": "calibration-tests",
    "what do I put in my paper": "reporting",
    "why is my log loss infinite": "infinite-log-loss",
}
# The words of the field, by the page that is to be found first.
WORDS = {
    "reliability": "CORP; consistent; optimally binned; reproducible; reliability diagram; "
    "PAV; pool adjacent violators; conditional event probability",
    "glossary": "CRPS; MCB",
    "metric-assumptions": "precision-recall; average precision; H-measure",
    "ordered": "RPS; sa-RPS; ranked probability score",
    "ordered-decisions": "QWK; expected cost",
    "doubtful-cases": "AURSC",
    "penalized": "PBS; PLL; superior",
    "probability-scale": "Nelson's accuracy; decisiveness; robustness",
    "model-and-source": "divergence",
    "thresholds": "LC index",
}
QUESTIONS |= {word: page for page, words in WORDS.items() for word in words.split("; ")}


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001
    """Build a few pages as the whole site is built."""
    pytest.importorskip("sphinx", reason="the site is built with the extra `docs`")
    source, out = (tmp_path_factory.mktemp(name) for name in ("source", "site"))
    for name in PAGES:
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


@pytest.mark.parametrize("words", QUESTIONS)
def test_a_search_from_disk_finds_the_page_that_answers(front: Page, words: str) -> None:
    asked: list[str] = []
    front.on("request", lambda request: asked.append(request.url))
    assert ask(front, words)[0] == QUESTIONS[words]
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
