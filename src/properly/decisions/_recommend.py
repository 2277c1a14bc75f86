"""Advice on which metric suits a decision."""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import Any, Literal, TypeAlias, get_args

from properly._boundary._options import check_choice
from properly._boundary._record import plain

Decisions: TypeAlias = Literal["independent", "budget"]
Threshold: TypeAlias = Literal["fixed", "range", "unknown"]

DECISIONS: tuple[Decisions, ...] = get_args(Decisions)
THRESHOLDS: tuple[Threshold, ...] = get_args(Threshold)

WIDTH = 88
MARGIN = 9

RULES = ("RPS", "Bounded", "Brier", "Log", "Ranked", "Regret")
GRADES_ALIKE = ("accuracy over grades", "one grade off counts as much as four.")
EVENT = """\
event, risk = at_cut.y, at_cut.p
print(f"--- grade {cut}")
"""


@dataclass(frozen=True, repr=False)
class Advice:
    """Which metrics to use for a decision, how to get them, and why.

    ``print(advice)`` shows it as a page.

    Attributes
    ----------
    situation : str
        The decision in one or two sentences.
    metrics : tuple of str
        The metrics to use, the first one first.
    call : str
        Python that prints them, given outcomes `y` and forecasts `p`. Numbers in it that are
        marked as yours are examples.
    why : str
        Why these.
    assumes : tuple of str
        What they take for granted.
    instead : tuple of (str, str)
        What is commonly used instead, and why it misleads here.

    Examples
    --------
    >>> import properly
    >>> advice = properly.recommend(decisions="independent", threshold="fixed")
    >>> advice.metrics
    ('net benefit at the threshold', 'regret at the threshold')
    >>> [metric for metric, _ in advice.instead]
    ['accuracy', 'AUC', 'Brier and log score', 'F1']
    """

    situation: str
    metrics: tuple[str, ...]
    call: str
    why: str
    assumes: tuple[str, ...]
    instead: tuple[tuple[str, str], ...]

    def __repr__(self) -> str:
        first, *others = self.metrics
        return f"Advice({first}{f', and {len(others)} more' if others else ''})"

    def to_dict(self) -> dict[str, Any]:
        """Return all texts as JSON can hold them, with what misleads by its name."""
        return dict(plain(vars(self) | {"instead": dict(self.instead)}))

    def __str__(self) -> str:
        """Lay out a page for a reader in a hurry, and below it the Python to paste."""
        paragraphs = [
            textwrap.fill(self.situation, WIDTH),
            _beside("Use", ["; ".join(self.metrics)]),
            _beside("Why", [self.why]),
            _beside("Assumes", [f"- {each}" for each in self.assumes]),
            _beside("Avoid", [f"- {metric}: {why}" for metric, why in self.instead]),
            _beside("Call", ["This prints all of it, with what to compare it with:"]),
            self.call,
        ]
        return "\n\n".join(paragraphs)


def recommend(
    *, decisions: Decisions, threshold: Threshold, ordered: bool = False, costs: bool = False
) -> Advice:
    """Say which metric suits a decision, and what to keep away from.

    Parameters
    ----------
    decisions : {"independent", "budget"}
        Whether each case is decided on its own, or only so many can be acted on: the ones with
        the highest forecasts.
    threshold : {"fixed", "range", "unknown"}
        What is known of the threshold, the risk at which one begins to act. With a budget: of the
        number of cases that can be acted on.
    ordered : bool
        Whether the outcome has more than two classes, in order, such as grades of severity. In
        the call, `y` then holds grades from 0 on, and `p` a column of probabilities a grade.
    costs : bool
        Whether the cost C of acting and the loss L of an event that nobody acted on are known in
        money. Together with an unknown threshold: whether L is.

    Returns
    -------
    Advice

    Notes
    -----
    Many metrics are averages of regret, the cost of mistakes at a threshold, and differ in the
    thresholds that they count; the advice is to count those of the decision [1]_.

    References
    ----------
    .. [1] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528
       <https://arxiv.org/abs/2504.04528>`__

    Examples
    --------
    >>> import properly
    >>> advice = properly.recommend(decisions="independent", threshold="range")
    >>> advice.metrics[0]
    'mean regret over the range'
    >>> print(properly.recommend(decisions="independent", threshold="fixed").call)
    # y: 1 if the event came, else 0; p: its forecast probability
    import properly
    tally = properly.tally(y, p)
    for name, t in {"model": tally, **properly.counts.baselines(tally)}.items():
        at = properly.at_threshold(t, 0.1)  # your threshold
        print(f"{name:10}  {at.net_benefit=:.4f}  {at.regret=:.4f}  {at.skill=:.3f}")
    """
    check_choice(decisions, DECISIONS, "decisions")
    check_choice(threshold, THRESHOLDS, "threshold")
    chosen = _texts(decisions, threshold)
    if costs:
        money = chosen["money"]
        chosen |= {
            "situation": f"{chosen['situation']} {money['situation']}",
            "metrics": [money["metric"], *chosen["metrics"]],
            "why": money["why"],
            "assumes": [*chosen["assumes"], "Acting averts the whole of L."],
            "body": money["body"],
        }
    call = _call_at_each_cut(chosen) if ordered else _call(chosen)
    if ordered:
        chosen |= _at_each_cut(chosen)
    return Advice(
        situation=chosen["situation"],
        metrics=tuple(chosen["metrics"]),
        call=call,
        why=chosen["why"],
        assumes=tuple(chosen["assumes"]),
        instead=tuple((metric, why) for metric, why in chosen["instead"]),
    )


def _texts(decisions: str, threshold: str) -> dict[str, Any]:
    """Read the texts for one kind of decision, with fragments put in their places."""
    table = tomllib.loads(
        files("properly.decisions").joinpath("advice.toml").read_text(encoding="utf-8")
    )
    chosen = table[decisions][threshold]
    for part in (chosen, chosen["cut"]):
        named = part.get("instead", [])
        part["instead"] = [
            table["misleading"].get(x, x) if isinstance(x, str) else x for x in named
        ]
    filled: dict[str, Any] = _filled(chosen, table["fragments"] | chosen)
    return filled


def _filled(x: Any, fragments: dict[str, str]) -> Any:
    """Put fragments, which may hold others, in the places that name them."""
    if isinstance(x, str):
        return re.sub(r"\$\{(\w+)\}", lambda match: _filled(fragments[match[1]], fragments), x)
    if isinstance(x, dict):
        return {key: _filled(value, fragments) for key, value in x.items()}
    return [_filled(value, fragments) for value in x]


def _at_each_cut(chosen: dict[str, Any]) -> dict[str, Any]:
    """Return what changes if the outcome has ordered grades."""
    cut = chosen["cut"]
    first, *others = (f"{metric} at each cut" for metric in chosen["metrics"])
    sums = [cut["metric"]] if "metric" in cut else []
    misleading = [pair for pair in chosen["instead"] if pair[0] != "accuracy"]
    return {
        "situation": f"{chosen['situation']} The outcome has ordered grades.",
        "metrics": [first, *sums, *others],
        "why": f"{cut['why']} {chosen['why']}",
        "assumes": [
            *chosen["assumes"],
            "All cuts count the same; give each its own numbers if not.",
        ],
        # Not all of them, or a page would not do.
        "instead": [*cut["instead"], GRADES_ALIKE, *misleading[:2]],
    }


def _call(chosen: dict[str, Any]) -> str:
    body = Template(chosen["body"]).substitute(y="y", p="p")
    head = "# y: 1 if the event came, else 0; p: its forecast probability"
    return "\n".join([head, "import properly", *_import_of_rules(body), body])


def _call_at_each_cut(chosen: dict[str, Any]) -> str:
    cut = chosen["cut"]
    body = EVENT + Template(chosen["body"]).substitute(y="event", p="risk")
    after = [f'print(f"{cut["metric"]} {{{cut["rule"]}(y, p):.5f}}")'] if "rule" in cut else []
    return "\n".join(
        [
            "# y: grades 0, 1, 2, ...; p: a row a case, in it the probability of each grade",
            *("import properly", *_import_of_rules("".join([body, *after]))),
            "for cut, at_cut in properly.cumulative(properly.Cases(y, p)).items():",
            textwrap.indent(body, "    "),
            *after,
        ]
    )


def _import_of_rules(body: str) -> list[str]:
    names = [name for name in RULES if f"{name}(" in body]
    return [f"from properly.rules import {', '.join(names)}"] if names else []


def _beside(label: str, paragraphs: Sequence[str]) -> str:
    """Set paragraphs to the right of a label; a list hangs from its dashes."""
    texts = [
        textwrap.fill(
            paragraph,
            WIDTH,
            initial_indent=" " * MARGIN,
            subsequent_indent=" " * (MARGIN + 2 * paragraph.startswith("- ")),
            break_on_hyphens=False,
        )
        for paragraph in paragraphs
    ]
    return f"{label:{MARGIN}}" + "\n".join(texts)[MARGIN:]
