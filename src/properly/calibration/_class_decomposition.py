"""A score of classes and what it is made of, question by question."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from properly._boundary._libraries import freeze
from properly._boundary._options import as_generator, check_choice
from properly._boundary._record import many, plain, to_frame
from properly._boundary._tables import table_of_numbers
from properly.calibration._decomposition import COLUMNS, PARTS, Decomposition, decompose
from properly.calibration._reliability import Reliability, reliability
from properly.counts._cases import require_classes
from properly.counts._reductions import VIEWS, ask, plan_for
from properly.counts._scoring import share_saved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from properly._boundary._record import Backend
    from properly.calibration._bands import Method
    from properly.counts._cases import Cases
    from properly.counts._reductions import Plan, View
    from properly.inference._band import Kind
    from properly.rules import Rule

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True, eq=False, repr=False)
class ClassDecomposition:
    """A mean score of classes, split question by question.

    ``score = miscalibration - discrimination + uncertainty``, of each part and of their sum.

    Attributes
    ----------
    view : str
        Which questions: ``"cumulative"``, ``"one_vs_rest"`` or ``"top_label"``.
    rule : Rule
        The rule that was decomposed.
    names : tuple of str
        The questions, such as ``"3 or higher"``.
    parts : tuple of Decomposition
        The score of each question and what it is made of.
    weights : array
        What each part is multiplied by before they are added up.
    score, miscalibration, discrimination, uncertainty : float
        The sums, each of its weighted parts.
    statement : str
        What the numbers mean, in a sentence.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import RPS
    >>> cases = properly.Cases([0, 2, 1], [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]])
    >>> record = properly.calibration.decompose_classes(cases, RPS())
    >>> record
    ClassDecomposition(rps by 2 parts, cumulative: 0.1667 = 0.0000 - 0.0556 + 0.2222)
    >>> record.names, record.weights
    (('1 or higher', '2'), array([0.5, 0.5]))
    >>> record.parts[0].score
    0.16666666666666666
    >>> print(record)
    rps              score      skill  miscalibration  discrimination  uncertainty
    1 or higher    0.16667    0.25000         0.00000         0.05556      0.22222
    2              0.16667    0.25000         0.00000         0.05556      0.22222
    total          0.16667    0.25000         0.00000         0.05556      0.22222
    <BLANKLINE>
    the score of the question 'this grade or higher?' at each cut, averaged;
    recalibrated cuts need not fit together into one distribution
    """

    view: View
    rule: Rule
    names: tuple[str, ...]
    parts: tuple[Decomposition, ...]
    weights: Floats
    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    statement: str

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        score, worse, better, unsure = (f"{getattr(self, name):.4f}" for name in PARTS)
        parts = many(len(self.parts), "part")
        sums = f"{score} = {worse} - {better} + {unsure}"
        return f"ClassDecomposition({self.rule.name} by {parts}, {self.view}: {sums})"

    def __str__(self) -> str:
        """Lay out one line a part and one for their sum, and below what they mean."""
        named = zip((*self.names, "total"), (*self.parts, self), strict=True)
        rows = [(name, [getattr(x, column) for column in COLUMNS]) for name, x in named]
        told = table_of_numbers(self.rule.name, COLUMNS, rows)
        width = told.index("\n")
        lines = [told, "", textwrap.fill(self.statement, width, break_on_hyphens=False)]
        if any(part.intervals is not None for part in self.parts):
            lines.append("to_frame() has the intervals of the parts")
        return "\n".join(lines)

    @property
    def skill(self) -> float:
        """One minus the score, as a share of that of the constant class frequencies."""
        return share_saved(self.score, self.uncertainty)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them: the sums, and the parts by question."""
        parts = {
            name: {"weight": weight} | part.to_dict()
            for name, weight, part in zip(
                self.names, self.weights.tolist(), self.parts, strict=True
            )
        }
        sums = {name: plain(getattr(self, name)) for name in (*PARTS, "skill")}
        told = {"view": self.view, "rule": self.rule.name, "statement": self.statement}
        return told | sums | {"parts": parts}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a polars, pandas or pyarrow frame: one row a part, and one for their sum.

        The sum has no weight, and no intervals where its parts have them.
        """
        columns: dict[str, list[Any]] = {
            "part": [*self.names, "total"],
            "weight": [*self.weights.tolist(), None],
        }
        for name in (*PARTS, "skill"):
            columns[name] = [getattr(x, name) for x in (*self.parts, self)]
        for name in PARTS:
            ends = [getattr(x.intervals, name) for x in self.parts if x.intervals is not None]
            if ends:
                columns[f"{name}_lower"] = [*(lower for lower, _ in ends), None]
                columns[f"{name}_upper"] = [*(upper for _, upper in ends), None]
        return to_frame(columns, backend)


def decompose_classes(
    cases: Cases,
    rule: Rule,
    *,
    view: Literal["auto", "cumulative", "one_vs_rest", "top_label"] = "auto",
    interval: bool = False,
    level: float = 0.95,
    replicates: int = 1000,
    rng: int | np.random.Generator | None = None,
    allow_improper: bool = False,
) -> ClassDecomposition:
    r"""Split a mean score of classes into parts, question by question.

    A score that adds up scores of yes-or-no questions is decomposed question by question, each into
    miscalibration, discrimination and uncertainty as `properly.decompose` does it, and these are
    added up with the same weights:

    .. math:: \bar S = \sum_k w_k \bar S_k
        = \sum_k w_k \text{MCB}_k - \sum_k w_k \text{DSC}_k + \sum_k w_k \text{UNC}_k .

    Parameters
    ----------
    cases : Cases
        Cases of classes, with one column of probabilities a class.
    rule : Rule
        `RPS`, `RankedLog` or `Ranked`, `Brier` or `Log`; or any rule for the probability of one
        event, together with a view.
    view : {"auto", "cumulative", "one_vs_rest", "top_label"}
        Which questions to ask, as `properly.cumulative`, `properly.one_vs_rest` and
        `properly.top_label` do. Left to itself: the cuts for a ranked rule, each class against the
        rest for `Brier` and `Log`.
    interval : bool
        Say how far off each number of each part may be; the sums have none.
    level, replicates, rng
        As in `properly.decompose`, for the intervals.
    allow_improper : bool
        Decompose an improper rule of one event all the same, as in `properly.decompose`.

    Returns
    -------
    ClassDecomposition

    Notes
    -----
    - **Ranked rules**, at the cuts, with the rule's own weights. The sums are exact: the score is
      that of the rule. For `RPS` the uncertainty is the mean of :math:`\bar F_k (1 - \bar F_k)`
      over the cuts, with :math:`\bar F_k` the share of cases up to class :math:`k`.
    - **Brier**, each class against the rest. The sums are exact, on the scale of the rule.
    - **Log**, each class against the rest. The score is the sum of K log scores of one event each,
      which is not the log score of the class; that one is no such sum.
    - **Any rule for one event, with a view.** The score is the mean over the cuts, the sum over the
      classes, or that of the one question about the likeliest class.

    Exact means up to rounding. Sums of probabilities are taken as the decimals that they stand for,
    see `properly.cumulative`; a rule that jumps at 0.3 may find 0.1 + 0.2 on the other side of it.
    And a double that is not 1 is at least 1e-16 away from it, so a cut that was all but certain and
    did not happen costs at most 37 by its log score, where `RankedLog` itself may say more.

    Each question is recalibrated on its own. The recalibrated cuts may cross, and recalibrated
    classes need not add up to 1: this tells where forecasts go wrong, it does not mend them.

    The squared absolute RPS is improper, and no sum over cuts either; it is refused.

    References
    ----------
    .. [1] E. S. Epstein (1969). A scoring system for probability forecasts of ranked categories.
       Journal of Applied Meteorology 8:985-987.
    .. [2] T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability diagrams for
       probabilistic classifiers. Proceedings of the National Academy of Sciences 118:e2016191118.
       `doi:10.1073/pnas.2016191118 <https://doi.org/10.1073/pnas.2016191118>`__

    Examples
    --------
    >>> import properly
    >>> from properly.rules import RPS, Brier
    >>> y = [0, 2, 1]
    >>> P = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]]
    >>> cases = properly.Cases(y, P)
    >>> record = properly.calibration.decompose_classes(cases, RPS())
    >>> round(record.score, 4), round(RPS()(y, P), 4)
    (0.1667, 0.1667)
    >>> record.statement
    "the score of the question 'this grade or higher?' at each cut, averaged; recalibrated cuts
     need not fit together into one distribution"
    >>> properly.calibration.decompose_classes(cases, Brier())
    ClassDecomposition(brier by 3 parts, one_vs_rest: 0.8333 = 0.2778 - 0.1111 + 0.6667)
    """
    cases = require_classes(cases)
    check_choice(view, ("auto", *VIEWS), "view")
    plan = plan_for(rule, view, int(cases.p.shape[1]))
    rng = as_generator(rng)
    questions = ask(cases, plan.view)
    parts = tuple(
        decompose(
            question,
            judge,
            interval=interval,
            level=level,
            replicates=replicates,
            rng=rng,
            allow_improper=allow_improper,
        )
        for question, judge in zip(questions.values(), plan.rules, strict=True)
    )
    return add_parts(plan, rule, tuple(questions), parts)


def class_reliability(
    cases: Cases,
    *,
    view: View = "cumulative",
    band: Kind | None = None,
    method: Method = "auto",
    level: float = 0.9,
    replicates: int = 1000,
    rng: int | np.random.Generator | None = None,
    forecasts: Literal["auto", "discrete", "continuous"] = "auto",
) -> dict[str, Reliability]:
    """Estimate how often each answer is yes after each forecast of it.

    Parameters
    ----------
    cases : Cases
        Cases of classes, with one column of probabilities a class.
    view : {"cumulative", "one_vs_rest", "top_label"}
        Which questions to ask: of each class but the first, "this one or higher?"; of each class,
        "this one?"; or of the likeliest class alone.
    band, method, level, replicates, rng, forecasts
        As in `properly.reliability`.

    Returns
    -------
    dict of Reliability by question
        For `properly.plots.reliability_grid`.

    Notes
    -----
    A band is that of its own question. With many questions some curves leave their bands by chance.

    Examples
    --------
    >>> import properly
    >>> cases = properly.Cases([0, 2, 1], [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]])
    >>> properly.calibration.class_reliability(cases)
    {'1 or higher': Reliability(2 distinct forecasts in 2 bins),
     '2': Reliability(2 distinct forecasts in 2 bins)}
    """
    cases = require_classes(cases)
    check_choice(view, VIEWS, "view")
    rng = as_generator(rng)
    return {
        name: reliability(
            question,
            band=band,
            method=method,
            level=level,
            replicates=replicates,
            rng=rng,
            forecasts=forecasts,
        )
        for name, question in ask(cases, view).items()
    }


def add_parts(
    plan: Plan, rule: Rule, names: tuple[str, ...], parts: tuple[Decomposition, ...]
) -> ClassDecomposition:
    """Add up the parts of the questions, with the weights that they have."""
    weights = np.array(plan.weights, dtype=np.float64)
    score, worse, better, constant = (_sum(weights, parts, name) for name in PARTS)
    sums = (score, worse, better, constant)
    return ClassDecomposition(plan.view, rule, names, parts, weights, *sums, plan.statement)


def _sum(weights: Floats, parts: Sequence[Decomposition], name: str) -> float:
    """Add up one number of all parts; what has no weight adds nothing, even if it is infinite."""
    pairs = zip(weights.tolist(), parts, strict=True)
    return math.fsum(weight * getattr(part, name) for weight, part in pairs if weight > 0)
