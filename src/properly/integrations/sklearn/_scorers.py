"""Rules as scorers, for wherever scikit-learn takes ``scoring=``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED

from properly._boundary._classes import as_labels
from properly._boundary._options import check_flag
from properly.errors import DataError
from properly.evaluation._evaluate import require_distinct, require_of_an_event, rules_of_task
from properly.integrations._named_rules import require_rule
from properly.integrations.sklearn._metrics import rule_loss
from properly.integrations.sklearn._rows import (
    RowColumns,
    forecasts_of,
    in_order,
    needs_order,
    require_seen,
)
from properly.rules import Brier, Log, Rule
from properly.rules._rule import as_rules
from properly.typing import ArrayLike

if TYPE_CHECKING:
    from properly.rules._interval import Interval


class RuleScorer(BaseEstimator):  # type: ignore[misc]
    """A rule as a scorer: minus the mean loss, so that higher is better.

    It is called with an estimator, rows and outcomes, as every scorer of scikit-learn is. It asks
    for ``predict_proba``, and reads from ``classes_`` what the columns stand for; a class that is
    not among the outcomes still has its column.

    Parameters
    ----------
    rule : Rule
        From `properly.rules`, or of one's own.
    labels : sequence, optional
        The classes in order, for rules that need one. Numbers have an order; words do not. If
        given, every estimator must have seen all of these classes and no others, so that folds are
        comparable.
    pos_label : label, optional
        The event, for rules of one event. Left out: the last of two classes, ``classes_[1]``.

    Notes
    -----
    As an estimator of scikit-learn, it can be cloned and pickled, its parameters can be set, and
    ``set_score_request(sample_weight=True)`` asks for sample weights if metadata routing is on.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from properly.integrations.sklearn import make_rule_scorer
    >>> from properly.rules import RPS
    >>> X, y = load_iris(return_X_y=True)
    >>> make_rule_scorer(RPS())
    RuleScorer(rule=RPS())
    >>> round(make_rule_scorer(RPS())(GaussianNB().fit(X, y), X, y), 4)
    -0.0166
    """

    # The estimator is no metadata, though it is an argument of `score`.
    __metadata_request__score: ClassVar[dict[str, str]] = {"estimator": UNUSED}

    def __init__(
        self, rule: Rule, *, labels: Sequence[object] | None = None, pos_label: object = None
    ) -> None:
        self.rule = rule
        self.labels = labels
        self.pos_label = pos_label

    def score(
        self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Judge the probabilities of an estimator.

        Parameters
        ----------
        estimator : classifier
            A fitted one, with ``predict_proba`` and ``classes_``.
        X : array-like
            The rows to forecast.
        y : array-like of shape (n,)
            What happened: classes that the estimator has seen.
        sample_weight : array-like of shape (n,), optional
            Sampling weights; rows of weight 0 do not count.

        Returns
        -------
        float
            Minus the mean loss.
        """
        rule = require_rule(self.rule)
        forecasts = in_order(forecasts_of(estimator, X), rule, self.labels)
        require_seen(y, forecasts)
        columns: RowColumns = {"labels": forecasts.labels, "pos_label": self.pos_label}
        columns["sample_weight"] = sample_weight
        loss = rule_loss(y, forecasts.p, rule=rule, **columns)
        # A perfect score is 0, not -0.
        return 0.0 - loss

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Judge the probabilities of an estimator: the higher, the better."""
        return self.score(estimator, X, y, sample_weight)

    def _accept_sample_weight(self) -> bool:
        """Say that weights are welcome: searches ask each of several scorers, routing or not."""
        return True


def make_rule_scorer(
    rule: Rule, *, labels: Sequence[object] | None = None, pos_label: object = None
) -> RuleScorer:
    """Make a scorer of a rule, for ``scoring=`` of searches and cross-validation.

    Parameters
    ----------
    rule : Rule
        From `properly.rules`, or of one's own.
    labels : sequence, optional
        The classes in order; words need it if the rule needs an order.
    pos_label : label, optional
        The event; the last of two classes if left out.

    Returns
    -------
    RuleScorer
        Its value is minus the mean loss: higher is better.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from properly.integrations.sklearn import make_rule_scorer
    >>> from properly.rules import Bounded, Brier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_rule_scorer(Bounded(Brier(), (0.05, 0.2)), pos_label=0)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    >>> cross_val_score(tree, X, y, scoring=scorer).round(3)
    array([-0.088, -0.101, -0.055, -0.058, -0.049])
    """
    ordered = None if labels is None else as_labels(labels)
    return RuleScorer(require_rule(rule), labels=ordered, pos_label=pos_label)


def rule_scorers(
    rules: Iterable[Rule] | Rule | None = None,
    *,
    within: Interval | tuple[float, float] | None = None,
    ordered: bool = False,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> dict[str, RuleScorer]:
    """Make scorers of several rules, by name, for ``cross_validate`` and searches.

    Parameters
    ----------
    rules : rule or iterable of rules, optional
        Left out: `Brier` and `Log`; if the classes are ordered, `RPS`, `RankedLog` and `Log`.
    within : Interval or pair of floats, optional
        The thresholds that matter, for one event: the mean regret over them then comes first.
    ordered : bool
        Whether the classes have an order: that of numbers, or of `labels`. Rules that need one are
        refused without it.
    labels, pos_label
        As in `make_rule_scorer`, for all of them.

    Returns
    -------
    dict of RuleScorer
        By the name of the rule after ``neg_``, as scikit-learn names what is better if higher.

    Examples
    --------
    >>> from properly.integrations.sklearn import rule_scorers
    >>> rule_scorers()
    {'neg_brier': RuleScorer(rule=Brier()), 'neg_log': RuleScorer(rule=Log())}
    >>> list(rule_scorers(within=(0.05, 0.2)))
    ['neg_regret[0.05,0.2]', 'neg_brier', 'neg_log']
    """
    chosen = _chosen_rules(rules, within, check_flag(ordered, "ordered"))
    require_distinct("rules", [rule.name for rule in chosen])
    return {
        f"neg_{rule.name}": make_rule_scorer(rule, labels=labels, pos_label=pos_label)
        for rule in chosen
    }


def _chosen_rules(
    rules: Iterable[Rule] | Rule | None,
    within: Interval | tuple[float, float] | None,
    ordered: bool,
) -> tuple[Rule, ...]:
    """Take the rules that were asked for, or those that suit what is known of the classes."""
    if ordered:
        require_of_an_event(within, None)
    if within is not None:
        return rules_of_task("binary", rules, within)[0]
    if rules is None:
        return rules_of_task("ordinal", None, None)[0] if ordered else (Brier(), Log())
    chosen = tuple(require_rule(rule) for rule in as_rules(rules))
    for rule in chosen:
        if needs_order(rule) and not ordered:
            message = f"{rule!r} needs ordered classes; got ordered=False"
            hint = "ordered=True takes numbers in their order, and words in that of labels=."
            raise DataError(message, hint=hint)
    return chosen
