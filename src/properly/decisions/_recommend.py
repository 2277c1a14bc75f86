"""Advice on which metric suits a decision."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from string import Template
from typing import Any, Literal, TypeAlias, get_args

from properly._boundary._options import check_choice
from properly._boundary._record import plain
from properly._boundary._text import read_words

Decisions: TypeAlias = Literal["independent", "budget"]
Threshold: TypeAlias = Literal["fixed", "range", "unknown"]
Task: TypeAlias = Literal["binary", "ordinal", "multiclass"]

DECISIONS: tuple[Decisions, ...] = get_args(Decisions)
THRESHOLDS: tuple[Threshold, ...] = get_args(Threshold)
TASKS: tuple[Task, ...] = get_args(Task)

WIDTH = 88
MARGIN = 9

RULES = ("RPS", "Bounded", "Brier", "Elementary", "Log", "Ranked", "Regret")


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
    ['AUC', 'Brier and log score', 'accuracy', 'F1']
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
    *, decisions: Decisions, threshold: Threshold, task: Task = "binary", costs: bool = False
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
    task : {"binary", "ordinal", "multiclass"}
        What the outcome is, as in `properly.evaluate`: one event, classes in order, such as grades
        of severity, or classes without one. In the call, `y` then holds classes from 0 on, and `p`
        one column of probabilities per class.
    costs : bool
        Whether the cost C of acting and the loss L of an event that nobody acted on are known in
        money. Together with an unknown threshold: whether L is. For classes without an order that
        are decided case by case: whether the cost of each decision in each class is.

    Returns
    -------
    Advice

    Notes
    -----
    Many metrics are averages of regret, the cost of mistakes at a threshold, and differ in the
    thresholds that they count; the advice is to count those of the decision [1]_. For grades, it
    is to judge probabilities by a proper score that knows how far off they are [2]_; for classes,
    not to add an error rate to a score, as penalized scores do [3]_, but to look at both.

    References
    ----------
    .. [1] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528
       <https://arxiv.org/abs/2504.04528>`__
    .. [2] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. Medical
       Image Computing and Computer Assisted Intervention. `arXiv:2309.08701
       <https://arxiv.org/abs/2309.08701>`__
    .. [3] R. Ahmadian, M. Ghatee, J. Wahlström (2024). Superior scoring rules for probabilistic
       evaluation of single-label multi-class classification tasks. `arXiv:2407.17697
       <https://arxiv.org/abs/2407.17697>`__

    Examples
    --------
    >>> import properly
    >>> advice = properly.recommend(decisions="independent", threshold="range")
    >>> advice.metrics[0]
    'mean regret over the range'
    >>> asked = {"decisions": "independent", "threshold": "unknown"}
    >>> for task in ("ordinal", "multiclass"):
    ...     print(properly.recommend(**asked, task=task).metrics[0])
    ranked probability score (RPS)
    log score over all classes
    >>> print(properly.recommend(decisions="independent", threshold="fixed").call)
    # y: 1 if the event came, else 0; p: its forecast probability
    import properly
    threshold = 0.1  # yours
    tally = properly.tally(y, p)
    for name, t in {"model": tally, **properly.counts.baselines(tally)}.items():
        at = properly.at_threshold(t, threshold)
        print(f"{name:10}  {at.net_benefit=:.4f}  {at.regret=:.4f}  {at.skill=:.3f}")
    """
    check_choice(decisions, DECISIONS, "decisions")
    check_choice(threshold, THRESHOLDS, "threshold")
    check_choice(task, TASKS, "task")
    table = read_words("properly.decisions", "advice.toml")
    by_matrix = costs and task == "multiclass" and decisions == "independent"
    chosen = table["mistakes"] if by_matrix else table[decisions][threshold]
    view, paid = table["tasks"][task] | chosen.get(task, {}), []
    if costs and not by_matrix:
        money = chosen["money"]
        paid = [money["metric"] + view["each"]]
        chosen = chosen | {
            "situation": f"{chosen['situation']} {money['situation']}",
            "why": money["why"],
            "assumes": [*chosen["assumes"], "Acting averts the whole of L."],
            "body": money["body"],
        }
    chosen, view = (_filled(x, table["fragments"] | chosen) for x in (chosen, view))
    # Not all of what misleads about one event, or a page would not do.
    misleading = [*view["instead"], *chosen["instead"][: view["most"]]]
    return Advice(
        situation=f"{chosen['situation']} {view['situation']}".strip(),
        metrics=(*paid, *view["metrics"], *(x + view["each"] for x in chosen["metrics"])),
        call=_call(chosen["body"], view),
        why=view["why"],
        assumes=(*chosen["assumes"], *view["assumes"]),
        instead=tuple(
            tuple(table["misleading"][x] if isinstance(x, str) else x) for x in misleading
        ),
    )


def _filled(x: Any, fragments: dict[str, str]) -> Any:
    """Put fragments, which may hold others, in the places that name them."""
    if isinstance(x, str):
        return re.sub(r"\$\{(\w+)\}", lambda match: _filled(fragments[match[1]], fragments), x)
    if isinstance(x, dict):
        return {key: _filled(value, fragments) for key, value in x.items()}
    return [_filled(value, fragments) for value in x] if isinstance(x, list) else x


def _call(body: str, view: dict[str, Any]) -> str:
    """Write the call for one event, or for each event that is asked of classes."""
    loop = view["loop"]
    body = Template(body).substitute(y="event" if loop else "y", p="risk" if loop else "p")
    parts = [loop, textwrap.indent(body, "    " * bool(loop)), view["after"]]
    code = "\n".join(part for part in parts if part)
    return "\n".join([view["head"], "import properly", *_import_of_rules(code), code])


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
