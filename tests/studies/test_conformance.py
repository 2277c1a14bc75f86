"""The page that holds our numbers against those of others says what was run, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from studies.conformance.answers import Answer, printed, spaced, value
from studies.conformance.coming import PAGES, names_of_all, number
from studies.conformance.defects import DEFECTS, Defect, _verdict
from studies.conformance.numbers import NUMBERS, _by_r

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.package)
def test_a_release_without_the_defect_would_be_told_by_its_output(defect: Defect) -> None:
    mended = {
        "scoringrules": "0.0005 0.0005 0.0005",
        "arviz-stats": "0.529\n0.529",
        "torchmetrics": "0.475" if "bin" in defect.title else "0.078 0.079",
        "briertools": "chosen: LogisticRegression",
        "scikit-learn": "inf inf inf",
        "probmetrics": "0.3392 0.0733\n0.2597 0.0200",
    }[defect.package]
    assert _verdict(defect, Answer(mended)).startswith("*Not so any more in ")
    refused = _verdict(defect, Answer("ValueError: no", ran=False))
    assert refused.endswith("did not run this to its end; what it said stands above.*")


def test_the_page_has_all_that_the_scripts_run() -> None:
    text = (DOCS / "conformance.md").read_text(encoding="utf-8")
    for defect in DEFECTS:
        assert f"### {defect.title}\n" in text
        assert spaced(defect.theirs) in text
    for row in NUMBERS:
        assert f"| {row.what} | here: `{row.ours}` |" in text
    assert "not run |" not in text, "every peer should be there when the page is printed"
    assert "could not be installed" not in text


@pytest.mark.parametrize("page", PAGES)
def test_a_page_for_those_who_come_from_a_library_has_all_of_its_calls(page: str) -> None:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    for call in (call for calls in PAGES[page].sections.values() for call in calls):
        assert f"| `{call.theirs}` | `{call.ours}`<br>{call.mind} | " in text
    for row in PAGES[page].differ:
        assert f"| `{row.theirs}`: " in text
        assert f"| `{row.ours}`: " in text
    assert "not run" not in text, "the library should be there when the page is printed"
    assert "could not be installed" not in text


@pytest.fixture(scope="module")
def names() -> dict[str, object]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(DOCS.parent)  # where the reference numbers are found
        return names_of_all()


@pytest.mark.parametrize("page", PAGES)
def test_our_side_of_such_a_page_runs_and_gives_the_numbers_that_it_has(
    page: str, names: dict[str, object]
) -> None:
    for call in (call for calls in PAGES[page].sections.values() for call in calls):
        found = value(call.ours, names)
        assert found is not None, call.ours
        assert np.isfinite(found).all()
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    for row in PAGES[page].differ:
        assert f"`{row.ours}`: {number(row.ours, names)} | " in text


# What the calls for R speak of besides.
BESIDE = """
from properly import decisions
t2, thresholds, K = properly.tally(y, x2), [0.05, 0.1], 5
P = crash.severity_probabilities[crash.severity_known]
grade, d = crash.severity[crash.severity_known], P.argmax(axis=1)
"""
# Our calls in the tables of a page, but those that take a framework or the command line.
CALLS = {
    "from-r": r"`((?:properly|inference|decisions)\.[^`]+)`",
    "from-paper-packages": r"\| `((?!properly\.integrations|properly rep)[^`]+)` \| [^|]*\|$",
}


@pytest.mark.parametrize("page", CALLS)
def test_our_calls_on_the_pages_for_those_who_come_from_elsewhere_run(page: str) -> None:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    block = text.partition("```python\n")[2].partition("```")[0]
    there: dict[str, object] = {}
    printed(block, there)
    printed(BESIDE if page == "from-r" else "", there)
    calls = re.findall(CALLS[page], text, re.MULTILINE)
    assert len(calls) > 9
    for call in calls:
        assert eval(call, there) is not None  # noqa: S307  # the page shows what is run


def test_numbers_of_r_are_read_from_what_r_wrote() -> None:
    assert _by_r()["brier mcb"] == 0.001473256300111428
