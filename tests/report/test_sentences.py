"""Sentences of the page are short, and none is said twice."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import properly
from properly.report._page import page
from properly.rules import RPS, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_WORDS = 25
BLOCKS = {"p", "li", "h1", "h2", "h3", "summary", "caption", "figcaption", "pre", "td", "th", "tr"}
# Tables have numbers and names.
LEFT_OUT = {"script", "style", "code", "thead", "tbody", "tfoot", "svg", "title"}
CASES = 240


class Blocks(HTMLParser):
    """Paragraphs, items of lists and captions of a page, as text."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = [""]
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in LEFT_OUT or self.inside:
            self.inside += [tag] if tag not in ("meta", "link", "col", "input", "br") else []
        elif tag in BLOCKS:
            self.blocks.append("")

    def handle_endtag(self, tag: str) -> None:
        if self.inside:
            self.inside.pop()
        elif tag in BLOCKS:
            self.blocks.append("")

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.blocks[-1] += data


def sentences(text: str) -> list[str]:
    """Split the page into sentences; what a paper cites is no sentence."""
    parser = Blocks()
    parser.feed(text)
    blocks = [re.sub(r"\s+", " ", block.partition("References\n")[0]) for block in parser.blocks]
    split = [part for block in blocks for part in re.split(r"(?<=[.?!])\s+(?=\S)", block.strip())]
    return [sentence for sentence in split if sentence]


def words(sentence: str) -> int:
    """Count words, not numbers."""
    return len(re.findall(r"[A-Za-z][\w'-]*", sentence))


def event(**options: Any) -> properly.Evaluation:
    rng = np.random.default_rng(4)
    z = rng.normal(-1, 1.2, CASES)
    y = rng.random(CASES) < 1 / (1 + np.exp(-z))
    sharp = 1 / (1 + np.exp(-z))
    models = {"plain": sharp, "rounded": np.round(sharp, 1), "extreme": 1 / (1 + np.exp(-2 * z))}
    kept = dict(list(models.items())[: options.pop("models", 3)])
    return properly.evaluate(y, kept, replicates=19, rng=1, **options)


def classes(task: Any) -> properly.Evaluation:
    rng = np.random.default_rng(4)
    p = rng.dirichlet([2, 3, 4], CASES)
    y = np.array([rng.choice(3, p=row) for row in p])
    rules = [RPS(), Log()] if task == "ordinal" else [Brier(), Log()]
    two = {"plain": p, "timid": 0.5 * p + 1 / 6}
    group = np.arange(CASES) % 2
    return properly.evaluate(y, two, task=task, rules=rules, groups=group, replicates=19, rng=1)


def summary() -> properly.Evaluation:
    rng = np.random.default_rng(4)
    q = rng.beta(1, 4, CASES)
    frame = pl.DataFrame({"y": rng.random(CASES) < q, "a": q, "b": np.round(q, 2)})
    return properly.evaluate(properly.summarize(frame, outcome="y", forecasts=["a", "b"]), rng=1)


PAGES: dict[str, Callable[[], properly.Evaluation]] = {
    "event": lambda: event(within=(0.05, 0.3), groups=np.arange(CASES) % 3),
    "repairs": lambda: event(within=(0.05, 0.3), recalibrate="auto"),
    "clusters": lambda: event(clusters=np.arange(CASES) // 3, strata=np.arange(CASES) // 120),
    "weights": lambda: event(weight=np.linspace(0.5, 2, CASES)),
    "times": lambda: event(time=np.arange(CASES) // 4, models=1),
    "summary": summary,
    "classes": lambda: classes("multiclass"),
    "grades": lambda: classes("ordinal"),
}

# These take longest to evaluate.
SLOW = ("repairs", "clusters")
KINDS = [pytest.param(x, marks=pytest.mark.slow) if x in SLOW else x for x in PAGES]


@cache
def said(kind: str) -> tuple[str, ...]:
    return tuple(sentences(page(PAGES[kind](), cases="people", event="death")))


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_are_short(kind: str) -> None:
    long = {sentence: words(sentence) for sentence in said(kind)}
    assert {x: n for x, n in long.items() if n > MOST_WORDS} == {}


@pytest.mark.parametrize("kind", KINDS)
def test_no_sentence_is_said_twice(kind: str) -> None:
    told = Counter(x for x in said(kind) if x[-1] in ".?!")
    assert [x for x, n in told.items() if n > 1] == []
