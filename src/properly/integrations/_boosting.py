"""Rules as objectives and as evaluation metrics of boosted trees, for any library of them.

What a library hands over each round is checked here, and the gradient and curvature of the rule,
or its mean loss, are handed back. `xgboost` and `lightgbm` say only what differs between the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from properly._boundary._arrays import check_weights, refuse
from properly._boundary._chunks import spread
from properly.errors import DataError, ImproperRuleError
from properly.integrations._named_rules import require_rule
from properly.rules import BinaryRule, ClassRule, Rule
from properly.rules._log_odds import both_sides

# Rows of one event, or entries of a table, that are priced at a time.
EVENTS, ENTRIES = 1 << 17, 1 << 15
# Closer to 0 than this, a margin has odds that do not overflow, even in single precision.
FAR = 80
LIMITS = "a rule of infinite weight replaces the product in logit_weight by its limit."
Floats = np.ndarray[Any, np.dtype[Any]]


class TreeBatch(NamedTuple):
    """Outcomes or class numbers, what the trees say, weights or None, and the data set or None."""

    y: Floats
    output: Floats
    weight: Floats | None
    data: Any = None


def read_batch(rule: Rule, first: Any, second: Any, weight: Any) -> TreeBatch:
    """Check shapes, labels and weights; what the trees say is checked by who knows its scale.

    Libraries call in two ways: (outputs, data set), or (labels, outputs[, weights]).
    """
    data, label, output = None, np.asarray(first), np.asarray(second)
    if hasattr(second, "get_label"):
        data, label, output = second, np.asarray(second.get_label()), np.asarray(first)
        weight = second.get_weight()
        # Without weights xgboost returns an empty array, LightGBM None.
        weight = None if weight is None or len(weight) == 0 else weight
    _check_shapes(rule, label, output)
    y = _as_outcomes(label) if output.ndim == 1 else _as_classes(label, output.shape[1])
    if weight is not None:
        weight = check_weights(weight)
        if weight.shape != label.shape:
            message = (
                f"there must be one weight for each row; got {weight.shape[0]} for {len(label)}"
            )
            raise DataError(message)
    return TreeBatch(y, output, weight, data)


def _check_shapes(rule: Rule, label: Floats, output: Floats) -> None:
    if output.shape[:1] == (0,):
        message = "boosting needs data; got 0 rows"
        raise DataError(message)
    if output.ndim not in (1, 2) or label.shape != output.shape[:1]:
        message = (
            "there must be one label for each row of margins, which has one column a class; "
            f"got labels of shape {label.shape} and margins of shape {output.shape}"
        )
        raise DataError(message)
    if output.ndim == 2 and not isinstance(rule, ClassRule):
        message = f"{rule!r} prices one event, which has one margin a row; got {output.shape[1]}"
        hint = "Ranked(rule) prices ordered classes; an event is trained without num_class."
        raise DataError(message, hint=hint)


def _as_outcomes(label: Floats) -> Floats:
    """Check 0 and 1, and make booleans of them."""
    happened: Floats = label == 1
    none = label == 0
    if not (happened | none).all():
        hint = "several classes need num_class, and an objective with one column a class."
        refuse(label, ~(happened | none), "labels of one event must be 0 or 1", hint)
    return happened


def _as_classes(label: Floats, classes: int) -> Floats:
    """Check class numbers, which these libraries hand over as floats."""
    y = np.where((label >= 0) & (label < classes), label, 0).astype(np.int64)
    wrong = y != label
    if wrong.any():
        refuse(label, wrong, f"labels must be class numbers from 0 to {classes - 1}")
    return y


def slopes(rule: Any, rows: TreeBatch) -> tuple[Floats, Floats]:
    """Return the gradient and the curvature of each margin, times weights, as float32.

    Both libraries keep them in single precision. Events are priced in the precision of their
    margins, which for XGBoost is single too: log-odds give both probabilities without loss.
    """
    if rows.output.ndim == 1 and not isinstance(rule, BinaryRule):
        return _slopes_of_pairs(rule, rows)
    # The order in memory is that of the margins: LightGBM wants class after class.
    gradient = np.empty_like(rows.output, dtype=np.float32)
    curvature = np.empty_like(gradient)
    weights = () if rows.weight is None else (rows.weight,)
    fill = partial(_fill, rule)
    spread(fill, rows.output, rows.y, gradient, curvature, *weights)
    if not (np.isfinite(gradient).all() and np.isfinite(curvature).all()):
        wrong = ~(np.isfinite(gradient) & np.isfinite(curvature))
        said = f"the slope and the curvature of {rule!r} must be finite at every margin"
        refuse(rows.output, wrong, said, LIMITS)
    return gradient, curvature


def _fill(rule: Any, margin: Floats, y: Floats, *rest: Floats) -> None:
    """Write slopes and curvatures to their places, in steps that stay in a cache."""
    gradient, curvature, *weights = rest
    price = _price_event if margin.ndim == 1 else _price_classes
    step = EVENTS if margin.ndim == 1 else max(1, ENTRIES // margin.shape[1])
    for start in range(0, len(margin), step):
        some = slice(start, start + step)
        result = price(rule, y[some], margin[some])
        for weight in weights:
            factor = weight[some] if margin.ndim == 1 else weight[some, None]
            result = result[0] * factor, result[1] * factor
        gradient[some], curvature[some] = result


def _price_event(rule: BinaryRule, y: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """Return `logit_slope` and `logit_curvature`, from one sigmoid instead of two."""
    if np.abs(margin).max() < FAR:
        odds = np.exp(-margin)
        p = 1 / (1 + odds)
        q = odds * p
    else:
        p, q = both_sides(margin)
    weight = rule.logit_weight(p, q)
    return np.where(y, -q, p) * weight, p * q * weight


def _price_classes(rule: ClassRule, y: Floats, margin: Floats) -> tuple[Floats, Floats]:
    # Class after class: sums over a few columns are then much faster than along rows.
    margin = np.asarray(margin, np.float64, order="F")
    return rule.price_logit_slope(y, margin), rule.logit_curvature(margin)


def _slopes_of_pairs(rule: ClassRule, rows: TreeBatch) -> tuple[Floats, Floats]:
    """Price an event by a rule for classes alone: its absence is class 0, with the margin 0."""
    y = rows.y.astype(np.int64)
    both = slopes(rule, TreeBatch(y, as_pairs(rows.output, from_logits=True), rows.weight))
    gradient, curvature = (np.ascontiguousarray(result[:, 1]) for result in both)
    return gradient, curvature


def as_pairs(output: Floats, *, from_logits: bool) -> Floats:
    """Write what is said of an event as what is said of two classes."""
    wide = output.astype(np.float64, copy=False)
    return np.column_stack([np.zeros_like(wide) if from_logits else 1 - wide, wide])


MARGINS = "with a custom objective the trees return margins: pass from_logits=True."


@dataclass(frozen=True, repr=False)
class Metric:
    """The mean loss of a rule under a name; a library says how it asks for the two."""

    rule: Rule
    from_logits: bool
    name: str

    def __repr__(self) -> str:
        """Write the call that makes the metric."""
        return f"metric({self.rule!r}, from_logits={self.from_logits}, name={self.name!r})"

    def mean(self, first: Any, second: Any, weight: Any = None) -> float:
        """Return the (weighted) mean loss, from either way in which a library calls its metrics."""
        rows = read_batch(self.rule, first, second, weight)
        inside = (rows.output >= 0) & (rows.output <= 1)
        if not (self.from_logits or inside.all()):
            rule = "with from_logits=False trees must return probabilities"
            refuse(rows.output, ~inside, rule, MARGINS)
        if rows.output.ndim == 1 and not isinstance(self.rule, BinaryRule):
            pairs = as_pairs(rows.output, from_logits=self.from_logits)
            rows = TreeBatch(rows.y.astype(np.int64), pairs, rows.weight)
        if self.from_logits:
            return _mean_of_logits(self.rule, rows)
        return float(self.rule(rows.y, rows.output, rows.weight))


def _mean_of_logits(rule: Any, rows: TreeBatch) -> float:
    y, margin, weight, _ = rows
    if weight is None:
        return float(rule.logit_loss(y, margin).mean())
    # Left out rather than multiplied by 0: the loss of an unused row may be infinite.
    used = weight > 0
    loss = rule.logit_loss(y[used], margin[used])
    return float(np.average(loss, weights=weight[used]))


class Rounds:
    """Counts the rounds of boosting, for messages only: no library says which one it is."""

    def __init__(self) -> None:
        self._last: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def count(self, data: Any, *, starts: bool) -> int:
        """Return the number of this round, from 0; several data sets may take turns."""
        key = self if data is None else data
        self._last[key] = now = 0 if starts else self._last.get(key, -1) + 1
        return now


@dataclass(frozen=True)
class Start:
    """What a library calls the forecasts that boosting starts from, for hints."""

    event: str
    classes: str
    missing: str


@dataclass(frozen=True, repr=False)
class Objective:
    """The slopes of a rule, in the two ways in which boosting libraries ask for them.

    Called with the margins and the library's data set, or with labels, margins and weights.
    """

    rule: Rule
    start: Start
    _rounds: Rounds = field(default_factory=Rounds, init=False, compare=False)

    def __post_init__(self) -> None:
        check_objective(self.rule)

    def __repr__(self) -> str:
        """Write the call that makes the objective."""
        return f"objective({self.rule!r})"

    def __reduce__(self) -> tuple[type[Objective], tuple[Rule, Start]]:
        """Copy the rule alone: another training counts its own rounds."""
        return Objective, (self.rule, self.start)

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> tuple[Floats, Floats]:
        """Return the gradient and the curvature of each margin, as float32."""
        rows = read_batch(self.rule, first, second, sample_weight)
        now = self._rounds.count(rows.data, starts=_is_constant(rows.output))
        finite = np.isfinite(rows.output)
        if not finite.all():
            said = f"margins of boosting round {now} must be finite"
            refuse(rows.output, ~finite, said, self.start.missing)
        gradient, curvature = slopes(self.rule, rows)
        if now == 0 and not gradient.any():
            self._refuse_start(rows.output)
        return gradient, curvature

    def _refuse_start(self, margin: Floats) -> None:
        where, hint = "", self.start.classes
        if margin.ndim == 1:
            least, most = both_sides(np.array([margin.min(), margin.max()], np.float64))[0]
            hint = self.start.event
            where = f" at {least:.4g}" if least == most else f" between {least:.4g} and {most:.4g}"
        message = (
            f"a rule can be learnt only where it has a slope; {self.rule!r} has none where "
            f"boosting starts, with {len(margin)} forecasts{where}"
        )
        raise DataError(message, hint=hint)


def _is_constant(margin: Floats) -> bool:
    """Tell whether no tree has told rows apart yet; the ends are looked at first."""
    return bool((margin[-1] == margin[0]).all()) and bool((margin == margin[:1]).all())


def check_objective(rule: object) -> None:
    """Refuse what cannot be learnt from slopes, and what should not be learnt at all."""
    result = require_rule(rule)
    if not result.is_proper:
        message = f"training needs a proper rule; {result!r} is improper"
        raise ImproperRuleError(message, hint="an improper rule teaches forecasts that are false.")
    if not result.differentiable:
        message = f"training needs a rule without jumps, which gradients do not see; got {result!r}"
        raise DataError(message, hint="train with a smooth rule, and stop early by metric(rule).")
