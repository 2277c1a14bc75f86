"""Evaluations in plain sentences."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import properly
from properly import Evaluation
from properly.evaluation import verdict
from properly.evaluation._phrases import Sentence, Verdict
from properly.rules import Brier, Log

N = 300
KINDS = ["choice", "thresholds", "baseline", "certain", "calibration", "groups", "unknown"]


def simulated(seed: int = 1) -> tuple[Any, Any]:
    """Draw true probabilities, and what happened."""
    rng = np.random.default_rng(seed)
    q = rng.beta(0.6, 1.2, N)
    return rng.random(N) < q, q


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    """Judge a right model, one of forecasts that are too high, and one that is upside down."""
    y, q = simulated(2)
    forecasts = {"high": np.sqrt(q), "right": q, "upside_down": 1 - q}
    options: dict[str, Any] = {"within": (0.1, 0.4), "groups": ["a", "a", "b", "b"] * (N // 4)}
    return properly.evaluate(y, forecasts, task="binary", **options, replicates=99, rng=1)


def texts(found: Verdict, kind: str) -> list[str]:
    return [sentence.text for sentence in found.sentences if sentence.kind == kind]


def test_kinds_come_in_order_and_sentences_end(evaluation: Evaluation) -> None:
    found = verdict(evaluation)
    order = [KINDS.index(sentence.kind) for sentence in found.sentences]
    assert order == sorted(order)
    assert found.sentences[0].kind == "choice"
    for sentence in found.sentences:
        assert sentence.text.endswith((".", "?"))
        assert not re.search(r"\bnan\b|\binf\b|None|  |[.?]\.", sentence.text)


def test_classes_are_judged_by_their_score() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 120)
    noise = rng.dirichlet([1, 1, 1], 120)
    good = noise + np.eye(3)[y]
    good /= good.sum(axis=1, keepdims=True)
    sure = good.copy()
    sure[0] = np.eye(3)[(y[0] + 1) % 3]
    forecasts = {"good": good, "noise": noise, "sure": sure}
    e = properly.evaluate(y, forecasts, task="ordinal", replicates=0, rng=1)
    found = verdict(e)
    assert found.headline == (
        "Use good: by the ranked probability score, sure cannot be told apart from it, and was "
        "certain and wrong."
    )
    assert texts(found, "certain") == [
        (
            "For one of the cases, sure had called impossible what then happened: its ranked log "
            "score and log score are infinite."
        )
    ]
    assert all("no model" in x for x in texts(found, "baseline"))
    assert texts(found, "thresholds") == []
    one = properly.evaluate(y, {"good": good}, task="multiclass", replicates=0, rng=1)
    assert verdict(one).headline == ("good is better than no model, by the Brier score.")


def test_hostile_names_do_nothing() -> None:
    y, q = simulated()
    forecasts = {"\x1b[31m{{x}}\n": q[:60], "<script>%s\u202e": 1 - q[:60]}
    e = properly.evaluate(y[:60], forecasts, task="binary", replicates=0, rng=1)
    found = verdict(e, cases="people\x07", event="d\neath")
    said = "".join([found.headline, *(x.text for x in found.sentences)])
    assert said.isprintable()
    assert r"\x1b[31m{{x}}\n" in said
    assert r"<script>%s\u202e" in said


def test_a_verdict_is_text_and_json(evaluation: Evaluation) -> None:
    found = verdict(evaluation)
    printed = str(found)
    paragraphs = [re.sub(r"\n", " ", x) for x in printed.split("\n\n")]
    assert paragraphs == [found.headline, *(x.text for x in found.sentences)]
    assert max(map(len, printed.splitlines())) <= 88
    # A number and its percent sign stay together.
    assert not re.search(r"^%", printed, re.MULTILINE)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["headline"] == found.headline
    assert told["sentences"][0] == {"kind": "choice", "text": found.sentences[0].text}
    assert repr(Verdict("Use a.", (Sentence("choice", "a"),))) == "Verdict('Use a.', 1 sentences)"


SHARES = st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0])


@st.composite
def small_data(draw: st.DrawFn) -> tuple[Any, dict[str, Any], Any]:
    """Draw outcomes, and models of which some foresee them, one or two of them twice."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(2, 60))
    y = rng.random(n) < draw(st.sampled_from([0.1, 0.5]))
    models = {}
    for name in ("ann", "bob", "cyd")[: draw(st.integers(1, 3))]:
        grain, sharp = draw(st.booleans()), draw(st.sampled_from([0.0, 0.4, 0.9]))
        p = sharp * y + (1 - sharp) * rng.random(n)
        # Some forecasts become certain, and some of those are wrong.
        models[name] = np.round(2 * p) / 2 if grain else p
    if draw(st.booleans()):
        models["twin"] = models["ann"]
    return y, models, draw(st.sampled_from([Brier(), Log()]))


@examples(25)
@given(small_data())
def test_nothing_is_better_unless_an_interval_and_a_p_value_say_so(
    data: tuple[Any, dict[str, Any], Any],
) -> None:
    y, models, rule = data
    e = properly.evaluate(y, models, task="binary", rules=rule, replicates=0, rng=1)
    found = verdict(e)
    skills = {name: by_rule[e.primary] for name, by_rule in e.skills.items()}

    def is_better_than_none(name: str) -> bool:
        # A model without any loss has no interval, but needs none if it had many cases.
        return skills[name].interval[0] > 0 or (skills[name].value == 1 and len(y) >= 20)

    (choice,) = texts(found, "choice")
    for said in (found.headline, choice):
        for one, other in claims(said, list(models)):
            if other is None:
                assert is_better_than_none(one)
                continue
            pair = e.comparisons[e.primary][one, other]
            low, high = pair.interval
            if pair.standard_error == 0:
                assert pair.differing == len(y) >= 20
                assert pair.difference < 0
                continue
            assert low <= high < 0
            assert pair.adjusted_p_value <= 1 - e.level
            assert not np.array_equal(models[one], models[other])
    used = re.match(r"Use (\w+):", found.headline)
    if used:
        best = used.group(1)
        assert is_better_than_none(best)
        assert {other for one, other in claims(found.headline, list(models)) if one == best} == (
            set(models) - {best}
        )
        assert not any(np.isinf(x[e.primary].value) for x in e.scores.values())
    several = re.match(r"Use ((?:\w+, )*\w+) or (\w+):", found.headline)
    if several:
        names = {*several.group(1).split(", "), several.group(2)}
        assert all(map(is_better_than_none, names))
        assert {one for one, _ in claims(found.headline, list(models))} == names


def claims(said: str, models: list[str]) -> list[tuple[str, str | None]]:
    """Read out of sentences who is said to be better than whom; than none is than no model."""
    found: list[tuple[str, str | None]] = []
    for clause in re.split(r"[;:] ", said):
        match = re.search(r"(?:^|, )([\w ]+?) (?:is|are) better than ([\w, ]+)", clause)
        if match is None or "whether" in clause or "No model" in clause:
            continue
        who, whom = match.groups()
        firsts = [x for x in re.findall(r"\w+", who) if x in models]
        if who in ("both", "and both", "it") or "all " in who:
            firsts = subjects(said, models)
        if whom.startswith("no model"):
            found += [(one, None) for one in firsts]
            continue
        seconds = [x for x in re.findall(r"\w+", whom) if x in models]
        if whom.startswith("the other"):
            seconds = [x for x in models if x not in firsts]
        assert firsts, clause
        assert seconds, clause
        found += [(one, other) for one in firsts for other in seconds]
    return found


def subjects(said: str, models: list[str]) -> list[str]:
    """Return the models that a sentence begins with."""
    begin = re.split(r" cannot be told apart|:| over | for ", said.removeprefix("Use "))[0]
    return [x for x in re.findall(r"\w+", begin) if x in models]
