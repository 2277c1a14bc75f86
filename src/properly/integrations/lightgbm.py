"""LightGBM: rules as objectives of boosted trees, and as metrics that stop the training.

Both work with ``lightgbm.train`` and with its scikit-learn classes, for one event and for several
classes. Needs the extra ``lightgbm``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from properly._boundary._notices import import_extra
from properly._boundary._options import check_flag
from properly.integrations._boosting import Metric, Objective, Start
from properly.integrations._named_rules import one_name
from properly.rules import Rule
from properly.rules._rule import as_rule

__all__ = ["metric", "objective"]

import_extra("lightgbm", extra="lightgbm")

START = Start(
    event=(
        "start inside the range of the rule: init_score= for each row the log-odds of a "
        "probability there, the event rate if it is; predict leaves it out, so add it again."
    ),
    classes=(
        "start elsewhere: init_score= one number for each row and class, such as the logarithms "
        "of the class frequencies; predict leaves it out, so add it again."
    ),
    missing="look at init_score; if the trees have diverged, raise lambda_l2 or the leaf size.",
)


def objective(rule: Rule | str) -> Objective:
    r"""Return a rule as an objective: trees are then grown to lower its mean.

    For ``lightgbm.train({"objective": objective(rule)}, data)`` and for ``LGBMClassifier(objective=
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
        `logit_curvature`, each times the weight of its row, which LightGBM leaves to the objective.

    Notes
    -----
    The curvature is the second derivative expected of a forecast that is the truth, which is never
    negative; the second derivative itself is, for most rules but `Log`. For an event,

    .. math:: g = (p - y)\, p (1 - p)\, w(p), \qquad h = p^2 (1 - p)^2\, w(p),

    with the rule's weight :math:`w` on thresholds, so that a step :math:`g / h` is the same for all
    rules: they differ in which rows count. ``min_sum_hessian_in_leaf`` and ``lambda_l2`` are
    compared with sums of :math:`h`, at most 1/4 a row for `Log` and 1/8 for `Brier`: one that suits
    the one rule is large or small for another.

    With a custom objective LightGBM starts from log-odds of 0, a forecast of 0.5, unless the data
    have an ``init_score``; ``boost_from_average`` is not used, nor ``scale_pos_weight`` and
    ``is_unbalance``; weights are. A bounded rule whose range lies elsewhere has no slope at the
    start, and is refused. What ``predict`` and ``predict_proba`` return are margins without the
    ``init_score``: add it, and apply the sigmoid or the softmax. A label that is missing is 0 to
    LightGBM before any objective sees it: drop those rows first.

    ``objective(Log())`` is ``"binary"`` with ``boost_from_average=False``. For K classes LightGBM
    multiplies the curvature of ``"multiclass"`` by K / (K - 1), and we do not: (K - 1) / K of its
    ``learning_rate``, ``lambda_l2`` and ``min_sum_hessian_in_leaf``, and K / (K - 1) times its
    ``min_gain_to_split`` give the same trees.

    Examples
    --------
    >>> import lightgbm, numpy as np
    >>> from properly.integrations.lightgbm import objective
    >>> from properly.rules import Brier
    >>> objective(Brier())
    objective(Brier())
    >>> quiet = {"verbose": -1, "min_data_in_leaf": 1, "min_data_in_bin": 1}
    >>> cases = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> data = lightgbm.Dataset(cases, label=[0, 0, 0, 1], params=quiet)
    >>> params = {**quiet, "objective": objective(Brier())}
    >>> margin = lightgbm.train(params, data, num_boost_round=50).predict(cases)
    >>> (1 / (1 + np.exp(-margin))).round(2).tolist()
    [0.1, 0.1, 0.5, 0.5]
    """
    return Objective(as_rule(rule), START)


def metric(
    rule: Rule | str, *, from_logits: bool = True, name: str | None = None
) -> LightgbmMetric:
    """Return the mean loss of a rule as an evaluation metric, which is minimised.

    For ``lightgbm.train(..., feval=metric(rule))`` and for ``LGBMClassifier.fit(...,
    eval_metric=metric(rule))``, with early stopping or without.

    Parameters
    ----------
    rule : Rule
        Any rule, such as ``Bounded(Brier(), (0.05, 0.2))`` or `PBS`. A rule for classes alone
        prices one event as two classes.
    from_logits : bool
        Whether the metric gets margins, as it does with a custom objective, or probabilities, as
        with the objectives of LightGBM. Never guessed.
    name : str, optional
        What to call the metric; the rule's own name if left out.

    Returns
    -------
    LightgbmMetric
        A frozen callable. Weights of rows count.

    Notes
    -----
    LightGBM stops as soon as any of its metrics has not improved: set the parameter ``metric`` to
    ``"None"`` to leave the decision to this one.

    Examples
    --------
    >>> import numpy as np
    >>> from properly.integrations.lightgbm import metric
    >>> from properly.rules import Brier
    >>> metric(Brier())
    metric(Brier(), from_logits=True, name='brier')
    >>> metric(Brier())(np.array([0, 1]), np.array([0.0, 0.0]))
    ('brier', 0.25, False)
    """
    return LightgbmMetric(
        as_rule(rule), check_flag(from_logits, "from_logits"), one_name(rule, name)
    )


@dataclass(frozen=True, repr=False)
class LightgbmMetric(Metric):
    """The mean loss of a rule, in the two ways in which LightGBM asks for metrics."""

    def __call__(
        self, first: Any, second: Any, sample_weight: Any = None
    ) -> tuple[str, float, bool]:
        """Return the name, the mean loss, and that lower is better."""
        return self.name, self.mean(first, second, sample_weight), False
