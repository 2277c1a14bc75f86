"""A classifier and a map for its probabilities, fitted together and used as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
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
from properly._boundary._notices import collected, notice
from properly.counts._cases import Cases
from properly.errors import ArgumentTypeError, DataError
from properly.integrations.sklearn._rows import STRATIFY, forecasts_of, require_seen
from properly.recalibration import Identity, Map, recalibrate
from properly.recalibration import Recalibrated as Record
from properly.rules import Interval, Rule
from properly.rules._dual_rules import at_most_one
from properly.typing import ArrayLike, Column

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
        rule: Rule | None = None,
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
        require_seen(rows.y, forecasts)
        self.classes_ = self.estimator.classes_
        # An estimator that keeps its training rows, as neighbours do, may have kept these.
        kept = getattr(self.estimator, "_fit_X", None)
        if isinstance(kept, np.ndarray) and np.array_equal(kept, np.asarray(rows.X)):
            notice(
                "these are the cases that the estimator was trained on, to which its forecasts are "
                "too close: the map needs other cases"
            )
        return forecasts.p

    def _out_of_fold(
        self, rows: _TrainingRows, params: dict[str, dict[str, Any]]
    ) -> tuple[Column, Column]:
        """Have each row forecast by a clone that was trained without it."""
        splits = list(self._splits(rows, params["split"]))
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
                raise DataError(message, hint=STRATIFY)
        return np.concatenate([p for _, p in parts]), tests

    def _splits(self, rows: _TrainingRows, params: dict[str, Any]) -> Any:
        cv = self.cv
        if isinstance(cv, int) and rows.groups is not None:
            return StratifiedGroupKFold(cv).split(rows.X, rows.y, groups=rows.groups)
        return check_cv(cv, rows.y, classifier=True).split(rows.X, rows.y, **params)

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
