"""Estimators of scikit-learn: a classifier with a map for its probabilities, and rules as scorers.

Scorers go wherever scikit-learn takes ``scoring=``; a classifier and a map are fitted together and
used as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import (
    _check_method_params,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

import sklearn
from properly._boundary._classes import as_labels
from properly._boundary._notices import collected, notice
from properly._boundary._options import check_flag
from properly.counts._cases import Cases
from properly.errors import ArgumentTypeError, DataError
from properly.evaluation._evaluate import require_distinct, require_of_an_event, rules_of_task
from properly.integrations._named_rules import require_rule
from properly.integrations.sklearn import _rows
from properly.integrations.sklearn._metrics import rule_loss
from properly.integrations.sklearn._rows import RowColumns, forecasts_of
from properly.recalibration import Identity, Map, recalibrate
from properly.recalibration import Recalibrated as Record
from properly.rules import Brier, Interval, Log, Rule
from properly.rules._dual_rules import at_most_one
from properly.rules._rule import as_rules
from properly.typing import ArrayLike, Column


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
        forecasts = _rows.in_order(forecasts_of(estimator, X), rule, self.labels)
        _rows.require_seen(y, forecasts)
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
    rule: Rule | str, *, labels: Sequence[object] | None = None, pos_label: object = None
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
    rules: Iterable[Rule | str] | Rule | str | None = None,
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
    rules: Iterable[Rule | str] | Rule | str | None,
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
        if _rows.needs_order(rule) and not ordered:
            message = f"{rule!r} needs ordered classes; got ordered=False"
            hint = "ordered=True takes numbers in their order, and words in that of labels=."
            raise DataError(message, hint=hint)
    return chosen


PREFIT = "prefit"


class RecalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose probabilities go through a map, fitted to honest ones.

    Clones of the classifier are trained on parts of the data and forecast the rest. The map is
    fitted to these forecasts, and the classifier is then trained once more, on all of the data.
    There is one model and one map in the end, and both can be looked at.

    Parameters
    ----------
    estimator : classifier
        What to repair; it must have ``predict_proba``.
    map : "auto", str, Map or sequence of Map
        ``"auto"`` chooses a map by what it would save on new cases, and takes none if none is
        recommended; several maps are chosen among likewise. A name or a map of
        `properly.recalibration` is fitted and used in any case.
    cv : int, splitter, iterable or "prefit"
        How to split the data: each row is forecast at most once. A number makes stratified folds,
        of whole groups if there are groups. ``"prefit"`` is for an estimator that is fitted
        already: the map is then fitted to the data that `fit` gets, which must be *other cases*
        than those that the estimator was trained on.
    rule : Rule, optional
        What to choose the map by. Unless said otherwise the log score, or the Brier score where a
        certain forecast was wrong.
    within : Interval or pair of floats, optional
        Choose it by the mean regret over this range of thresholds.
    n_jobs : int, optional
        How many clones to train at the same time.

    Attributes
    ----------
    classes_ : array
        The classes; the event is the last of two.
    estimator_ : classifier
        The classifier, trained on all of the data.
    map_ : Map
        The fitted map; ``Identity()`` if none is recommended.
    recalibrated_ : properly.recalibration.Recalibrated or None
        What was found about the maps, with the gain of the chosen one; None if a `Map` was given,
        or if there are too few cases to judge any.
    n_features_in_, feature_names_in_
        As the classifier has them.

    Notes
    -----
    ``CalibratedClassifierCV(ensemble=False)`` goes the same way, with other maps: its sigmoid is a
    line in the probability, or in the decision function, where `Logistic` has one in the log odds;
    its isotonic curve may say 0 and 1. It neither asks whether the map helps, nor says by how much.

    Weights are sampling weights: only their ratios matter, and a row of weight 2 is one case.
    A map with a prior or smoothed targets asks how many cases there are. Two like rows then teach
    it a little more than one of weight 2; maps by maximum likelihood take both alike.

    Unlike ``map_.at``, ``predict_proba`` does not say how many forecasts lie outside of the range
    that the map was fitted to.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from properly.integrations.sklearn import RecalibratedClassifier
    >>> X, y = make_classification(2000, n_redundant=8, random_state=1)
    >>> model = RecalibratedClassifier(GaussianNB()).fit(X, y)
    >>> model.map_
    Logistic(intercept=0.1536, slope=0.2556)
    >>> GaussianNB().fit(X, y).predict_proba(X[:2]).round(3)
    array([[0., 1.],
           [1., 0.]])
    >>> model.predict_proba(X[:2]).round(3)
    array([[0.011, 0.989],
           [0.94 , 0.06 ]])
    """

    def __init__(
        self,
        estimator: Any,
        map: str | Map | Sequence[Map] = "auto",  # noqa: A002
        *,
        cv: Any = 5,
        rule: Rule | str | None = None,
        within: Interval | tuple[float, float] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.map = map
        self.cv = cv
        self.rule = rule
        self.within = within
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Train the classifier and fit the map.

        Parameters
        ----------
        X : array-like
            The rows to learn from, as the classifier takes them.
        y : array-like of shape (n,)
            Their classes, two or more.
        sample_weight : array-like of shape (n,), optional
            Sampling weights, for the map, and for the classifier if it takes them.
        groups : array-like of shape (n,), optional
            The group of each row. Rows of one group depend on one another: they are kept in one
            fold, and are clusters to the choice of a map.
        **fit_params
            What the classifier's own `fit` takes besides.

        Returns
        -------
        RecalibratedClassifier
            Itself.
        """
        if getattr(self.map, "needs_groups", False):
            message = f"predict_proba knows no groups; got the map {self.map!r}"
            raise ArgumentTypeError(message, hint="apply map.at(p, groups=column) yourself.")
        check_classification_targets(y)
        X, y, sample_weight, groups = indexable(X, y, sample_weight, groups)
        weight = None if sample_weight is None else column_or_1d(sample_weight)
        rows = _TrainingRows(X, column_or_1d(y, warn=True), weight, groups)
        rows.require_classes()
        self.classes_ = np.unique(rows.y)
        params = self._routed(rows, fit_params)
        if isinstance(self.cv, str) and self.cv == PREFIT:
            self.estimator_ = self.estimator
            forecasts, judged = self._of_fitted(rows), np.arange(len(rows.y))
        else:
            forecasts, judged = self._out_of_fold(rows, params)
            self.estimator_ = clone(self.estimator).fit(X, rows.y, **params["fit"])
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        self._fit_map(rows.cases(forecasts, judged, self.classes_))
        return self

    def _routed(self, rows: _TrainingRows, fit_params: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Say what the classifier and the splitter are passed besides rows and classes."""
        given = {"sample_weight": rows.weight, "groups": rows.groups}
        given = {name: value for name, value in given.items() if value is not None}
        if sklearn.get_config().get("enable_metadata_routing"):
            routed = process_routing(self, "fit", **given, **fit_params)
            return {"fit": routed.estimator.fit, "split": routed.splitter.split}
        if rows.weight is not None:
            if has_fit_parameter(self.estimator, "sample_weight"):
                fit_params = {**fit_params, "sample_weight": rows.weight}
            else:
                name = type(self.estimator).__name__
                notice(f"{name} takes no sample weights: they are used for the map alone")
        return {"fit": fit_params, "split": {"groups": rows.groups}}

    def _of_fitted(self, rows: _TrainingRows) -> Column:
        """Ask an estimator that was fitted elsewhere."""
        check_is_fitted(self.estimator)
        forecasts = forecasts_of(self.estimator, rows.X)
        _rows.require_seen(rows.y, forecasts)
        self.classes_ = self.estimator.classes_
        return forecasts.p

    def _out_of_fold(
        self, rows: _TrainingRows, params: dict[str, dict[str, Any]]
    ) -> tuple[Column, Column]:
        """Have each row forecast by a clone that was trained without it."""
        grouped = isinstance(self.cv, int) and rows.groups is not None
        cv = (
            StratifiedGroupKFold(self.cv) if grouped else check_cv(self.cv, rows.y, classifier=True)
        )
        given = {"groups": rows.groups} if grouped else params["split"]
        splits = list(cv.split(rows.X, rows.y, **given))
        if not splits:
            message = "cv must split the rows at least once; it made no folds"
            raise DataError(message)
        rows.require_apart(splits)
        tests = np.concatenate([test for _, test in splits])
        parts = Parallel(n_jobs=self.n_jobs)(
            delayed(forecast_part)(self.estimator, rows.X, rows.y, split, params["fit"])
            for split in splits
        )
        for labels, _ in parts:
            if len(labels) != len(self.classes_):
                absent = next(x for x in self.classes_.tolist() if x not in labels)
                message = f"every fold must be trained on all classes; one lacks {absent!r}"
                raise DataError(message, hint=_rows.STRATIFY)
        return np.concatenate([p for _, p in parts]), tests

    def _fit_map(self, cases: Cases) -> None:
        """Fit the map that was given, or choose one."""
        self.recalibrated_: Record | None = None
        if isinstance(self.map, Map):
            self.map_: Map = self.map.fit(cases)
            return
        try:
            self.recalibrated_ = recalibrate(cases, self.map, rule=self.rule, within=self.within)
            self.map_ = self.recalibrated_.map
        except DataError as error:
            if isinstance(self.map, str) and self.map != "auto":
                raise
            # None can be recommended; a search that trains on small parts of the data goes on.
            notice(f"probabilities are left as they are: {str(error).partition(chr(10))[0]}")
            self.map_ = Identity()

    def predict_proba(self, X: Any) -> Column:
        """Return the recalibrated probabilities, one column a class.

        Parameters
        ----------
        X : array-like
            The rows to forecast.

        Returns
        -------
        array of shape (n, K)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        p = forecasts_of(self.estimator_, X).p
        with collected():
            if p.shape[1] > 2:
                return p if isinstance(self.map_, Identity) else np.asarray(self.map_.at(p))
            q = np.asarray(self.map_.at(at_most_one(p[:, 1])))
        return np.column_stack([1 - q, q])

    def predict(self, X: Any) -> Column:
        """Return the class that is likeliest after recalibration; of equal ones the first.

        Parameters
        ----------
        X : array-like
            The rows to classify.

        Returns
        -------
        array of shape (n,)
            Classes.
        """
        check_is_fitted(self)
        likeliest = np.argmax(self.predict_proba(X), axis=1)
        result: Column = np.take(self.classes_, likeliest)
        return result

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what metadata the classifier and the splitter ask for.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            The requests of both, and of this object itself.
        """
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=to_fit)
        return router.add(splitter=self.cv, method_mapping=to_split)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse, tags.input_tags.pairwise = inner.sparse, inner.pairwise
        tags.input_tags.allow_nan = inner.allow_nan
        return tags


class _TrainingRows(NamedTuple):
    """What `fit` is given, checked."""

    X: Any
    y: Column
    weight: Column | None
    groups: ArrayLike | None

    def require_classes(self) -> None:
        """Refuse one class alone, and rows without weight that have all of another."""
        seen = np.unique(self.y if self.weight is None else self.y[self.weight > 0]).tolist()
        if len(seen) < 2:
            what = f"one class, {seen[0]!r}" if len(seen) else "no row of a weight above zero"
            message = f"a map needs two classes or more; got {what}"
            raise DataError(message)

    def cases(self, p: Column, rows: Column, classes: Column) -> Cases:
        """Return cases of an event or of classes, with groups as clusters."""
        columns = {"weight": self.weight, "clusters": self.groups}
        some: dict[str, Any] = {
            name: None if column is None else np.asarray(column)[rows]
            for name, column in columns.items()
        }
        if len(classes) == 2:
            return Cases(self.y[rows] == classes[1], at_most_one(p[:, 1]), **some)
        return Cases(self.y[rows], p, labels=classes.tolist(), **some)

    def require_apart(self, splits: list[tuple[Column, Column]]) -> None:
        """Refuse rows that are forecast twice, and groups on both sides of a split."""
        tests = np.bincount(np.concatenate([test for _, test in splits]), minlength=len(self.y))
        if tests.max() > 1:
            row = int(np.argmax(tests))
            message = f"cv must forecast each row once at most; row {row} is in {tests[row]} folds"
            raise DataError(message, hint="leave out repeats: a row is one case, however often.")
        if self.groups is None:
            return
        group = np.asarray(self.groups)
        for train, test in splits:
            both = np.intersect1d(group[train], group[test]).tolist()
            if both:
                message = f"a group must lie in one fold; group {both[0]!r} lies in several"
                raise DataError(message, hint="cv=5 keeps groups together, and so does GroupKFold.")


def forecast_part(
    estimator: Any, X: Any, y: Column, split: tuple[Column, Column], params: dict[str, Any]
) -> tuple[list[Any], Column]:
    """Train a clone on one part, and forecast the other."""
    train, test = split
    model = clone(estimator)
    rows, classes = _safe_split(model, X, y, train)
    model.fit(rows, classes, **_check_method_params(X, params=params, indices=train))
    forecasts = forecasts_of(model, _safe_split(model, X, y, test, train)[0])
    return list(forecasts.labels), forecasts.p
