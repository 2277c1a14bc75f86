"""The rules of the library, in one table: what is read, listed and audited follows from it."""

from __future__ import annotations

import re
from typing import NamedTuple

TIES = ("split", "first", "any_correct", "unique_only")


class Entry(NamedTuple):
    """How a rule is written, and what the field calls its score."""

    # As it is typed, in commands and in tables.
    name: str
    # The name in `properly.rules` that makes it.
    maker: str
    # In sentences; empty if there is no common name.
    words: str
    # The references that methods cite for it, or their keys in `report/words.toml`.
    sources: tuple[str, ...]
    # Calls: the first is usual, the others are published variants, or rules of that kind.
    examples: tuple[str, ...]


def _entry(name: str, maker: str, source: str, words: str = "", *examples: str) -> Entry:
    return Entry(name, maker, words, tuple(source.split("; ")), examples or (f"{maker}()",))


REGISTRY = (
    _entry("brier", "Brier", "brier", "Brier score", "Brier()", "Brier(scale='mean')"),
    _entry("log", "Log", "log", "log score"),
    _entry("spherical", "Spherical", "proper", "spherical score"),
    _entry("pseudospherical", "Pseudospherical", "proper"),
    _entry("misclassification", "Misclassification", "elementary", "misclassification score"),
    _entry("elementary", "Elementary", "elementary", "", "Elementary(0.25)"),
    _entry("missed_benefit", "MissedBenefit", "regret", "missed benefit"),
    _entry(
        *("regret", "Regret", "regret", ""),
        *("Regret((0.05, 0.2))", "Regret((0.05, 0.2), prior='logit')"),
    ),
    _entry("beta_weighted", "BetaWeighted", "regret", "", "BetaWeighted(2, 8)"),
    _entry("point_weighted", "PointWeighted", "regret", "", "PointWeighted((0.1, 0.2))"),
    _entry(
        *("histogram_weighted", "HistogramWeighted", "regret", ""),
        "HistogramWeighted((0, 0.2, 1), (3, 1))",
    ),
    _entry(
        *("shifted", "Shifted", "regret", ""),
        *("Shifted(0.1)", "Shifted(0.1, 'classweighted')", "Shifted(0.1, 'published')"),
    ),
    _entry(
        *("rps", "RPS", "rps; galdran", "ranked probability score"),
        *("RPS()", "RPS(weights=[1, 1])", "RPS(normalized=False)"),
    ),
    _entry("ranked_log", "RankedLog", "ranked-log", "ranked log score"),
    _entry("ranked", "Ranked", "rps", "", "Ranked(Spherical())"),
    _entry(
        *("pbs", "PBS", "penalized", "penalized Brier score"),
        "PBS()",
        *(f"PBS(ties={ties!r})" for ties in TIES[1:]),
        "PBS(scale='algorithm2')",
        "PBS(scale='published_code', ties='any_correct')",
    ),
    _entry(
        *("pll", "PLL", "penalized", "penalized logarithmic loss"),
        *("PLL()", *(f"PLL(ties={ties!r})" for ties in TIES[1:])),
    ),
    _entry("penalized", "Penalized", "penalized", "", "Penalized(RPS(), 0.5, cost='linear')"),
    _entry(
        *("sa-rps", "SquaredAbsoluteRPS", "galdran", ""),
        *("SquaredAbsoluteRPS()", "SquaredAbsoluteRPS('printed')"),
    ),
    _entry("quadratic_rps", "QuadraticRPS", "galdran"),
    _entry("bounded", "Bounded", "regret", "", "Bounded(Brier(), (0.05, 0.2))"),
    _entry(
        "mixture", "Mixture", "integrals", "", "Mixture([(0.5, Brier()), (1, Elementary(0.1))])"
    ),
)
# Other names that people type, of rules.
ALSO = {"zeroone": "Misclassification"}
# The rules that need no numbers, by the names that are typed.
SHORT_NAMES = tuple(x.name for x in REGISTRY if x.examples[0] == f"{x.maker}()")
# What the field calls the score of a rule, by the name of the rule in tables.
SCORE_WORDS = {x.name: x.words for x in REGISTRY if x.words}
EXAMPLES = tuple(example for x in REGISTRY for example in x.examples)


def sources_of(rule: str) -> list[str]:
    """List the references of a rule, and of those that it is made of, by how it is written."""
    known = {name: x.sources for x in REGISTRY for name in (x.name, x.maker)}
    words = re.findall(r"[\w-]+", rule)
    return list(dict.fromkeys(key for word in words for key in known.get(word, ())))
