"""The model confidence set: the models among which the best one is, with a given confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from properly._boundary._notices import import_extra
from properly._boundary._options import Drawing, as_drawing, check_choice, check_whole
from properly._boundary._record import Record
from properly._boundary._text import many, p_text, printable, wrapped
from properly._boundary._tolerances import SAME_SUM
from properly.counts._cases import Cases, Forecasts, contenders
from properly.counts._scoring import losses
from properly.errors import ArgumentTypeError, DataError
from properly.inference._design import TIMES, Design
from properly.inference._replicates import best_block, require_enough
from properly.rules import Rule
from properly.rules._rule import as_rule
from properly.typing import ArrayLike, Column

Method: TypeAlias = Literal["R", "max"]

# A p-value that equals what a level leaves, but for rounding, does not exceed it.
SLACK = 1 + 1e-12
# Of a p-value times one more than the replicates: below, the sample alone reached it.
SECOND = 1.5


@dataclass(frozen=True, repr=False)
class ConfidenceSet(Record):
    """The models among which the best one is, with a given confidence.

    Attributes
    ----------
    included, excluded : tuple of str
        The models that may be the best, and the others, in the order they were given.
    p_value : dict of float by model
        The model is in the set of every level above 1 less this.
    score : dict of float by model
        The mean loss; with times, the mean over times.
    level : float
        The confidence that the best model is included.
    method : str
        ``"R"`` or ``"max"``.
    block_length : int
        The mean length of the blocks that were drawn; 1 if cases were.
    replicates : int
        How often they were drawn.
    design : str
        What was drawn from.
    rule : str
        The name of the rule.
    p_is_bound : dict of bool by model
        Whether no replicate reached what was observed: the p-value is then at most this.

    Examples
    --------
    >>> import numpy as np
    >>> import properly
    >>> from properly.rules import Brier
    >>> rng = np.random.default_rng(1)
    >>> q = rng.uniform(size=500)
    >>> models = {"truth": q, "shy": 0.5 + 0.9 * (q - 0.5), "coin": np.full(500, 0.5)}
    >>> found = properly.comparison.confidence_set(rng.random(500) < q, models, rule=Brier(), rng=1)
    >>> found.included, found.excluded
    (('truth', 'shy'), ('coin',))
    """

    included: tuple[str, ...]
    excluded: tuple[str, ...]
    p_value: dict[str, float]
    score: dict[str, float]
    level: float
    method: str
    block_length: int
    replicates: int
    design: str
    rule: str
    p_is_bound: dict[str, bool] = field(default_factory=dict)

    def __repr__(self) -> str:
        models = many(len(self.p_value), "model")
        return f"ConfidenceSet({len(self.included)} of {models}, {100 * self.level:.4g} %)"

    def __str__(self) -> str:
        """Say which models may be the best, and which may not."""
        sure = f"{100 * self.level:.4g} % confidence"
        text = f"by {self.rule}, the best model is among these with {sure}: "
        text += ", ".join(map(printable, self.included))
        if self.excluded:
            p = {x: p_text(self.p_value[x], is_bound=self.p_is_bound[x]) for x in self.excluded}
            text += f"; not {', '.join(f'{printable(name)} ({p[name]})' for name in p)}"
        return wrapped(f"{text}; {self.design}")

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a model."""
        return {
            "model": list(self.p_value),
            "score": [self.score[name] for name in self.p_value],
            "p_value": list(self.p_value.values()),
            "p_is_bound": list(self.p_is_bound.values()),
            "included": [name in self.included for name in self.p_value],
        }


def confidence_set(
    y: ArrayLike,
    forecasts: Forecasts,
    *,
    rule: Rule | str,
    level: float = 0.95,
    weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    time: ArrayLike | None = None,
    block_length: int | None = None,
    method: Method = "R",
    replicates: int = 1000,
    rng: int | np.random.Generator | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
    normalize: bool = False,
) -> ConfidenceSet:
    r"""Find the models that may be the best one: a model confidence set.

    As long as the models that are left can be told apart, the worst of them is left out. What
    remains contains the best model with the confidence `level`, and several if the data do not
    decide: to have been left in says little, to have been left out says something.

    Parameters
    ----------
    y : array-like
        Outcomes: booleans, 0 and 1, two labels with `pos_label`; of several classes, their numbers,
        labels with `labels`, or rows with a single 1.
    forecasts : dict of array-like, or data frame
        Probabilities of the event by model, or of the classes, one column each. A frame has one
        column a model. At least two models.
    rule : Rule or str
        What to compare by.
    level : float
        How sure to be that the best model is in the set.
    weight, clusters : None
        Not supported: `properly.compare` compares pairs of models with either.
    time : array-like, optional
        Numbers or dates: cases may depend on those shortly before. The losses of cases of one time
        are averaged first, so that each time counts as much as any other.
    block_length : int, optional
        With times, the mean length of the blocks that are drawn. By default the longest that the
        rule of Politis and White gives, for the losses of any model less their mean over models.
    method : {"R", "max"}
        Compare the two models that differ most, or each model with the mean of all.
    replicates, rng
        Random replicates, and their source: a seed or a generator.
    labels : sequence of labels, optional
        What each column of class probabilities stands for, in order.
    pos_label : label, optional
        The label of the event.
    normalize : bool
        Divide rows of class probabilities by their sums.

    Returns
    -------
    ConfidenceSet

    Notes
    -----
    This is `arch.bootstrap.MCS` [2]_, which is installed by ``pip install 'properly[timeseries]'``,
    with the stationary bootstrap: of times in blocks, or of single cases. Its memory holds a number
    for each replicate of each case, or time. A p-value counts the sample itself among the
    replicates, so that it is never 0; there must be enough of them for a p-value of 1 - level.
    Models of the same losses share one. Fewer than 20 cases, or times, are refused: so few that
    are drawn again and again vary too little, and good models would be left out too often.

    The set is about these fitted models, not about the methods that they were fitted by.

    References
    ----------
    .. [1] P. R. Hansen, A. Lunde, J. M. Nason (2011). The model confidence set. Econometrica
       79:453-497. `doi:10.3982/ECTA5771 <https://doi.org/10.3982/ECTA5771>`__
    .. [2] K. Sheppard and others. arch. `<https://github.com/bashtage/arch>`__

    Examples
    --------
    >>> import numpy as np
    >>> import properly
    >>> from properly.rules import Brier
    >>> rng = np.random.default_rng(1)
    >>> q = rng.uniform(size=500)
    >>> models = {"truth": q, "shy": 0.5 + 0.9 * (q - 0.5), "coin": np.full(500, 0.5)}
    >>> print(properly.comparison.confidence_set(rng.random(500) < q, models, rule=Brier(), rng=1))
    by brier, the best model is among these with 95 % confidence: truth, shy;
    not coin (p <= 0.001); 500 independent cases
    """
    for name, given in (("weight", weight), ("clusters", clusters)):
        if given is not None:
            message = f"a model confidence set does not allow for {name}, which was given"
            hint = f"properly.compare compares pairs of models, with {name}."
            raise DataError(message, hint=hint)
    check_choice(method, ("R", "max"), "method")
    drawing = as_drawing(level, replicates, rng)
    require_enough(drawing.level, drawing.replicates, ends=1, what="a model confidence set")
    models = contenders(
        y, forecasts, time=time, labels=labels, pos_label=pos_label, normalize=normalize
    )
    design = Design.of(next(iter(models.values())))
    rule = as_rule(rule)
    loss = _losses(models, rule, design)
    length = _length(block_length, loss, design)
    p_value = dict(zip(models, _p_values(list(models), loss, length, method, drawing), strict=True))
    included = tuple(name for name, p in p_value.items() if p > (1 - drawing.level) * SLACK)
    return ConfidenceSet(
        included,
        tuple(name for name in p_value if name not in included),
        p_value=p_value,
        score=dict(zip(models, loss.mean(axis=0).tolist(), strict=True)),
        level=drawing.level,
        method=method,
        block_length=length,
        replicates=drawing.replicates,
        design=design.text,
        rule=rule.name,
        p_is_bound={name: p * (1 + drawing.replicates) < SECOND for name, p in p_value.items()},
    )


def _losses(models: dict[str, Cases], rule: object, design: Design) -> Column:
    """Price all cases, a column a model; with times, take the mean of each time."""
    if not isinstance(rule, Rule):
        message = f"a model confidence set needs a rule; got {rule!r}"
        raise ArgumentTypeError(message, hint="write the rule with parentheses, as in Brier().")
    result = np.stack([losses(cases, rule) for cases in models.values()], axis=1)
    endless = np.argwhere(np.isinf(result))
    if len(endless):
        row, model = endless[0].tolist()
        message = (
            f"a model confidence set needs finite losses; that of {list(models)[model]!r} in row "
            f"{row} is infinite ({len(endless):,} in all)"
        )
        hint = "use Brier(), or Bounded(rule, within) on a range inside of (0, 1)."
        raise DataError(message, hint=hint)
    if design.units < TIMES:
        what = "cases" if design.time is None else "different times"
        message = f"a model confidence set needs at least {TIMES} {what}; got {design.units}"
        advice = "leave out time= to take the cases as independent."
        raise DataError(message, hint=None if design.time is None else advice)
    counts = 1 if design.time is None else np.bincount(design.time)
    return np.asarray((design.totals(result.T) / counts).T)


def _length(length: int | None, loss: Column, design: Design) -> int:
    """Check the length of blocks, or choose it; single cases without times."""
    if design.time is None:
        if length is not None:
            message = f"block_length is for cases with times; got block_length={length!r}"
            raise DataError(message, hint="give the time of each case as time=.")
        return 1
    if length is None:
        away = loss - loss.mean(axis=1, keepdims=True)
        return max(1, math.ceil(max(best_block(series) for series in away.T)))
    result = check_whole(length, "block_length")
    if result > len(loss):
        message = f"block_length must be at most the number of times, {len(loss)}; got {result}"
        raise DataError(message)
    return result


def _p_values(
    names: list[str], loss: Column, length: int, method: str, drawing: Drawing
) -> list[float]:
    """Let arch leave out one model after the other; those with the same losses are one to it."""
    boot = import_extra("arch.bootstrap", extra="timeseries")
    place: dict[bytes, int] = {}
    label = [place.setdefault(column.tobytes(), len(place)) for column in loss.T]
    if len(place) == 1:
        return [1.0] * len(names)
    distinct = [label.index(i) for i in range(len(place))]
    _require_varying([names[i] for i in distinct], loss[:, distinct])
    level, replicates, rng = drawing
    # Only differences matter, which are lost in means of what all have in common.
    loss = loss[:, distinct]
    nearest = np.abs(loss).argmin(axis=1, keepdims=True)
    loss = loss - np.take_along_axis(loss, nearest, axis=1)
    result = boot.MCS(loss, 1 - level, replicates, length, method, seed=rng)
    result.compute()
    left_out = [_single(x) for x in result.pvalues.index.tolist()]
    share = dict(zip(left_out, result.pvalues["Pvalue"].tolist(), strict=True))
    return [(1 + round(share[i] * replicates)) / (1 + replicates) for i in label]


def _single(model: Any) -> int:
    """Return the number of the model that arch left out; refuse a tie, in which it takes two.

    Of models that score the same it names one, twice.
    """
    numbers = np.unique(model).tolist()
    if len(numbers) > 1:
        message = "two models are worse than a third by exactly as much, and cannot be told apart"
        raise DataError(message, hint='method="max" takes them together; or leave out one.')
    return int(numbers[0])


def _require_varying(names: list[str], loss: Column) -> None:
    """Refuse two models of which one is worse by the same amount each time: it has no spread."""
    for i, j in combinations(range(len(names)), 2):
        apart = loss[:, i] - loss[:, j]
        if np.ptp(apart) <= SAME_SUM * np.abs(apart).max():
            message = (
                "losses must differ by more in some cases than in others to be compared; those "
                f"of {names[i]!r} and {names[j]!r} always differ by {abs(apart[0]):.4g}"
            )
            raise DataError(message)
