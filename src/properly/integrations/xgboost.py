"""XGBoost: rules as objectives of boosted trees, and as metrics that stop the training.

Both work with ``xgboost.train`` and with its scikit-learn classes, for one event and for several
classes. Needs the extra ``xgboost``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from properly._boundary._notices import import_extra
from properly._boundary._options import check_flag
from properly.errors import DataError
from properly.integrations._boosting import Metric, Objective, Start
from properly.integrations._named_rules import one_name
from properly.rules import Rule
from properly.rules._rule import as_rule

__all__ = ["metric", "objective"]

import_extra("xgboost", extra="xgboost")

START = Start(
    event=(
        "start inside the range of the rule: base_score= a probability there, the event rate if it "
        "is, with the parameter objective='binary:logistic'."
    ),
    classes=(
        "start elsewhere: base_margin= one number for each row and class, such as the logarithms "
        "of the class frequencies."
    ),
    missing="look at base_margin; if the trees have diverged, raise reg_lambda or lower eta.",
)
# XGBoost reads the direction of a metric from its name: these are maximised.
MAXIMISED = ("auc", "pre", "map", "ndcg")


def objective(rule: Rule | str) -> Objective:
    r"""Return a rule as an objective: trees are then grown to lower its mean.

    For ``xgboost.train(params, data, obj=objective(rule))`` and for ``XGBClassifier(objective=
    objective(rule))``.

    Parameters
    ----------
    rule : Rule
        A proper rule without jumps. A rule for one event learns from one margin a row, the
        log-odds; a rule for classes from one column a class, before the softmax. `Brier`, `Log` and
        `Spherical` do either.

    Returns
    -------
    Objective
        A frozen callable. It returns the gradient `logit_slope` and the curvature
        `logit_curvature`, each times the weight of its row, which XGBoost leaves to the objective.

    Notes
    -----
    The curvature is the second derivative expected of a forecast that is the truth, which is never
    negative; the second derivative itself is, for most rules but `Log`. For an event,

    .. math:: g = (p - y)\, p (1 - p)\, w(p), \qquad h = p^2 (1 - p)^2\, w(p),

    with the rule's weight :math:`w` on thresholds, so that a step :math:`g / h` is the same for all
    rules: they differ in which rows count. ``min_child_weight`` and ``reg_lambda`` are compared
    with sums of :math:`h`, at most 1/4 a row for `Log` and 1/8 for `Brier`: one that suits the one
    rule is large or small for another.

    With a custom objective XGBoost starts from ``base_score`` or 0.5, and does not look for a
    better start. Set the parameter ``objective`` to ``"binary:logistic"`` or ``"multi:softprob"``
    all the same, as ``XGBClassifier`` does by itself: ``base_score`` is then a probability, and
    ``predict`` returns probabilities rather than margins. A bounded rule whose range lies elsewhere
    has no slope at the start, and is refused.

    ``objective(Log())`` is ``"binary:logistic"`` from the same ``base_score``. XGBoost doubles the
    curvature of ``"multi:softprob"``, and we do not: half of its ``eta``, ``reg_lambda`` and
    ``min_child_weight`` and twice its ``gamma`` give the same trees. ``scale_pos_weight`` is not
    used; weights are.

    Examples
    --------
    >>> import numpy as np, xgboost
    >>> from properly.integrations.xgboost import objective
    >>> from properly.rules import Brier
    >>> objective(Brier())
    objective(Brier())
    >>> data = xgboost.DMatrix(np.array([[0.0], [0.0], [1.0], [1.0]]), label=[0, 0, 0, 1])
    >>> params = {"objective": "binary:logistic", "min_child_weight": 0, "reg_lambda": 0}
    >>> model = xgboost.train(params, data, num_boost_round=50, obj=objective(Brier()))
    >>> model.predict(data).round(2).tolist()
    [0.0, 0.0, 0.5, 0.5]
    """
    return Objective(as_rule(rule), START)


def metric(rule: Rule | str, *, from_logits: bool = True, name: str | None = None) -> XgboostMetric:
    """Return the mean loss of a rule as an evaluation metric, which is minimised.

    For ``xgboost.train(..., custom_metric=metric(rule))`` and for ``XGBClassifier(eval_metric=
    metric(rule))``, with early stopping or without.

    Parameters
    ----------
    rule : Rule
        Any rule, such as ``Bounded(Brier(), (0.05, 0.2))`` or `PBS`. A rule for classes alone
        prices one event as two classes.
    from_logits : bool
        Whether the metric gets margins, as it does with a custom objective, or probabilities, as
        with the objectives of XGBoost. Never guessed.
    name : str, optional
        What to call the metric; the rule's own name if left out.

    Returns
    -------
    XgboostMetric
        A frozen callable. Weights of rows count.

    Notes
    -----
    XGBoost keeps six decimals of a custom metric: rounds that differ by less are equal to early
    stopping, and the first of them is the best. It maximises metrics whose names begin with auc,
    pre, map or ndcg, and cannot read names with colons or blanks, so such names are refused.

    Examples
    --------
    >>> import numpy as np
    >>> from properly.integrations.xgboost import metric
    >>> from properly.rules import Brier
    >>> metric(Brier())
    metric(Brier(), from_logits=True, name='brier')
    >>> metric(Brier())(np.array([0, 1]), np.array([0.0, 0.0]))
    0.25
    """
    return XgboostMetric(
        as_rule(rule), check_flag(from_logits, "from_logits"), one_name(rule, name)
    )


@dataclass(frozen=True, repr=False)
class XgboostMetric(Metric):
    """The mean loss of a rule, in the two ways in which XGBoost asks for metrics."""

    def __post_init__(self) -> None:
        message, maximised = "", self.name.startswith(MAXIMISED)
        if ":" in self.name or "".join(self.name.split()) != self.name:
            message = f"XGBoost cannot read names with colons or blanks; got {self.name!r}"
        elif maximised:
            rest = "and XGBoost maximises what begins with auc, pre, map or ndcg"
            message = f"a metric is a loss; got {self.name!r}, {rest}"
        if message:
            raise DataError(message, hint="name= gives the metric another.")

    @property
    def __name__(self) -> str:
        """The name of the metric, as XGBoost's scikit-learn classes look for it."""
        return self.name

    def __call__(
        self, first: Any, second: Any, sample_weight: Any = None
    ) -> tuple[str, float] | float:
        """Return the name and the mean loss for (outputs, data set), else the mean loss alone."""
        result = self.mean(first, second, sample_weight)
        return (self.name, result) if hasattr(second, "get_label") else result
