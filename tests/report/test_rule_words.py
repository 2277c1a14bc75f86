"""Rules, in words."""

import json
import re
from typing import Any

import numpy as np
import pytest

import properly
from properly.report._page import page
from properly.rules import (
    PBS,
    PLL,
    RPS,
    BetaWeighted,
    Bounded,
    Brier,
    Elementary,
    Log,
    Ranked,
    Regret,
    Rule,
    Spherical,
)
from properly.rules._parse import rule_in_words

RANGE = (0.1, 0.5)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Brier(), "Brier score"),
        (RPS(), "ranked probability score"),
        (PBS(), "penalized Brier score"),
        (PLL(), "penalized logarithmic loss"),
        (Bounded(Log(), (0.05, 0.125)), "log score at thresholds of 5 % to 12.5 %"),
        (Regret((0.01, 0.1)), "mean regret at thresholds of 1 % to 10 %"),
        (
            Regret((0.01, 0.1), prior="logit"),
            "mean regret at thresholds of 1 % to 10 %, thresholds alike on log-odds",
        ),
        (
            Regret((0.01, 0.1), prior=BetaWeighted(2, 8)),
            "mean regret at thresholds of 1 % to 10 %, thresholds weighted as Beta(2, 8)",
        ),
        (Elementary(0.05), "regret at a threshold of 5 %"),
        (BetaWeighted(2, 8.5), "mean regret, thresholds weighted as Beta(2, 8.5)"),
        (Ranked(Bounded(Brier(), (0, 0.5))), "ranked Brier score at thresholds of 0 % to 50 %"),
        (
            Regret((0.01, 0.1), prior=Spherical()),
            "Regret(within=Interval(lower=0.01, upper=0.1), prior=Spherical())",
        ),
        (
            Bounded(Log(), (0, 0.1), "integral"),
            "Bounded(rule=Log(), within=Interval(lower=0.0, upper=0.1), scale='integral')",
        ),
    ],
)
def test_a_rule_has_the_words_of_its_users(rule: Rule, words: str) -> None:
    assert rule_in_words(rule) == words


def evaluated(kind: Any, rules: list[Rule] | None) -> properly.Evaluation:
    rng = np.random.default_rng(0)
    if kind != "event":
        p = rng.dirichlet([2, 3, 4], 120)
        y = np.array([rng.choice(3, p=row) for row in p])
        two = {"one": p, "two": 0.5 * p + 1 / 6}
        return properly.evaluate(y, two, task=kind, rules=rules, replicates=0)
    q = rng.beta(1, 3, 120)
    within = None if rules else RANGE
    three = {"one": q, "two": np.round(q, 1), "three": rng.beta(1, 3, 120)}
    group = np.arange(120) % 2
    return properly.evaluate(
        rng.random(120) < q, three, rules=rules, within=within, groups=group, replicates=0
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        ("event", None),
        ("event", [Bounded(Brier(), RANGE), Brier(), Bounded(Log(), RANGE)]),
        ("event", [Regret(RANGE, prior="logit"), Regret(RANGE, prior=BetaWeighted(2, 5))]),
        ("event", [BetaWeighted(2, 5), Spherical()]),
        ("multiclass", None),
        ("ordinal", None),
        ("ordinal", [Ranked(Bounded(Brier(), RANGE)), RPS(), PBS()]),
    ],
)
def test_names_of_rules_are_nowhere_on_the_page(kind: str, rules: list[Rule] | None) -> None:
    e = evaluated(kind, rules)
    text = page(e)
    charts = re.search(r'id="charts">(.*?)</script>', text, re.DOTALL)
    assert charts is not None
    # The numbers have them, and what is to be typed.
    shown = re.sub(r"(?s)<(script|style|code)\b.*?</\1>", "", text) + charts[1]
    for rule in e.rules:
        raw = rule.name if "[" in rule.name else f"({rule.name})"
        assert raw not in shown
        assert f'{json.dumps(rule.name)}:{{"score"' in text
    for comparison in e.comparisons.values():
        if "[" in comparison.unit:
            assert comparison.unit not in shown
