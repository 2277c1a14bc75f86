"""The methods of an evaluation in words to paste, and the items of guidelines it answers."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest
from tests.report.chart_subjects import class_evaluation
from tests.report.test_page import HOSTILE, Tags

import properly
from properly import Cases, evaluate
from properly.inference._band import Kind
from properly.report import methods
from properly.report._methods import BAND_SOURCES, checklist
from properly.report._page import page
from properly.report._page_words import page_words
from properly.rules._registry import EXAMPLES, REGISTRY, sources_of

RNG = np.random.default_rng(4)
Q = RNG.beta(1, 6, 120)
Y = RNG.random(120) < Q
TWO = {"one": Q, "other": np.sqrt(Q)}
THREE = {**TWO, "third": Q**2}


def anchors(e: Any) -> list[str]:
    return [item["anchor"] for items in checklist(e).values() for item in items]


def cited(text: str) -> list[str]:
    return [key for key, words in page_words()["references"].items() if words in text]


def test_the_paragraph_has_the_numbers_of_the_evaluation() -> None:
    e = evaluate(Y, TWO, within=(0.05, 0.2), replicates=19, rng=3)
    text = methods(e, cases="people", event="death")
    assert text.startswith(
        f"Forecasts of death by 2 models (one and other) were evaluated on 120 people. Of these, "
        f"{Y.sum()} had the event ({100 * Y.mean():.3g} %)."
    )
    assert "at thresholds from 5 % to 20 %" in text
    assert "take forecasts as probabilities" in text
    assert "Random draws: 19 (seed 3)." in text
    assert f"Software: properly {properly.__version__} (Python)." in text
    assert "compared in pairs on the same cases." in text
    several = methods(evaluate(Y, THREE, replicates=0, rng=3))
    assert "simultaneous intervals and adjusted p-values by the single-step max-t" in several


EVERYTHING: dict[str, Any] = {
    "within": (0.05, 0.2),
    "recalibrate": "intercept",
    "replicates": 19,
    "rng": 3,
}


@pytest.mark.slow
def test_only_what_was_used_is_cited() -> None:
    alone = methods(evaluate(Y, Q, replicates=0))
    always = ["brier", "log", "regret", "corp", "delong", "decision", "wilson", "nelson"]
    assert cited(alone) == always
    drawn = methods(evaluate(Y, THREE, **EVERYTHING))
    more = {"cox", "ici", "folds", "overlap", "max-t", "broecker"}
    assert set(cited(drawn)) == {*always, *more}


@pytest.mark.parametrize("rule", EXAMPLES)
def test_every_rule_is_cited(rule: str) -> None:
    makers = [x for x in REGISTRY if re.search(rf"\b{x.maker}\(", rule)]
    assert {key for x in makers for key in x.sources} == set(sources_of(rule))
    # What is no key is a reference, which has a year.
    others = set(sources_of(rule)) - page_words()["references"].keys()
    assert all(re.search(r"\b(19|20)\d\d\b", source) for source in others)
    assert all(x.sources for x in makers)


def test_every_sentence_cites_references_that_exist() -> None:
    words = page_words()
    keys = {key for _, *keys in words["methods"].values() for key in keys}
    assert keys <= words["references"].keys()
    bare = {name for name, (_, *keys) in words["methods"].items() if not keys}
    # What rules and designs bring their own sources to, and what names no method.
    own = "scores board thresholds compared max_t errors gaps two_way complete at_once"
    plain = "event rate classes risks groups intervals draws software"
    assert bare == {*own.split(), *plain.split()}


@pytest.mark.filterwarnings("ignore:with .* intervals may cover less")
@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_band_is_cited(kind: Kind) -> None:
    e = evaluate(Y, Q, replicates=0)
    curve = properly.reliability(Cases(Y, Q), band=kind, rng=1)
    text = methods(replace(e, reliability={"model": curve}))
    assert BAND_SOURCES[kind] in cited(text)


@pytest.mark.slow
def test_references_are_numbered_as_they_are_first_cited() -> None:
    text = methods(evaluate(Y, THREE, **EVERYTHING))
    body, _, references = text.partition("\n\nReferences\n")
    numbers = [int(x) for group in re.findall(r"\[([\d, ]+)\]\.", body) for x in group.split(", ")]
    assert list(dict.fromkeys(numbers)) == list(range(1, len(cited(text)) + 1))
    assert [line.partition(".")[0] for line in references.split("\n")] == [
        str(k) for k in range(1, len(cited(text)) + 1)
    ]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({}, "have score intervals ["),
        ({"clusters": np.arange(120) // 2}, "have score intervals, with the design effect of clus"),
        ({"time": np.arange(120)}, "have score intervals, with the design effect of times"),
        (
            {"time": np.arange(120) // 4, "clusters": np.arange(120) % 4},
            "have score intervals, with the design effect of clusters by times",
        ),
    ],
)
def test_intervals_are_told_as_they_were_made(columns: dict[str, Any], words: str) -> None:
    text = methods(evaluate(Y, Q, replicates=0, **columns))
    assert words in text
    placements = "DeLong's placements summed within clusters" in text
    assert placements == ("clusters" in columns)


def test_classes_have_methods_too() -> None:
    text = methods(class_evaluation())
    assert text.startswith("Forecasts of 3 classes by 2 models (")
    assert "AUC" not in text
    assert checklist(class_evaluation()) == {}


def test_the_page_has_the_paragraph_and_links_to_what_guidelines_ask_for() -> None:
    e = evaluate(Y, TWO, groups=np.where(Q > 0.1, "a", "b"), replicates=0)
    tags = Tags(page(e, cases=HOSTILE, event=HOSTILE))
    assert " ".join(methods(e, cases=HOSTILE, event=HOSTILE).split()) in " ".join(tags.text.split())
    ids = {a.get("id") for a in tags.attributes}
    listed = anchors(e)
    assert listed == ["roc", "reliability", "decision", "risks", "methods", "groups"]
    assert set(listed) <= ids
    assert {f"#{anchor}" for anchor in listed} <= {a.get("href") for a in tags.attributes}


def test_what_the_page_does_not_have_is_not_on_the_list() -> None:
    one = evaluate([0, 0, 0], [0.1, 0.2, 0.3], task="binary", replicates=0)
    assert "risks" not in anchors(one)
    assert "groups" not in anchors(one)
