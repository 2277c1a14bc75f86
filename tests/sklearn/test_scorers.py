"""Rules as scorers of scikit-learn: right in sign, in classes, in weights and in words."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    PredefinedSplit,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from tests.laws.class_subjects import SUBJECTS
from tests.laws.subjects import RULES

import sklearn
from properly.integrations.sklearn import brier_loss, make_rule_scorer, net_benefit, rule_scorers
from properly.integrations.sklearn._estimators import RuleScorer
from properly.rules import (
    PBS,
    PLL,
    RPS,
    Bounded,
    Brier,
    ClassRule,
    Elementary,
    Log,
    QuadraticRPS,
    RankedLog,
    Regret,
    Spherical,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))

WITHIN = (0.1, 0.4)


def problem(classes: int, n: int = 150) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return two columns that tell classes apart, though not well."""
    rng = np.random.default_rng(classes)
    y = np.concatenate([np.arange(classes), rng.integers(0, classes, n - classes)])
    return rng.normal(size=(n, 2)) + 0.8 * y[:, None], y


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


# Numbers


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_score_of_an_event_is_minus_the_loss_of_the_last_class(rule: Any) -> None:
    X, y = problem(2)
    words = np.where(y == 1, "yes", "no")
    model = GaussianNB().fit(X, words)
    p = model.predict_proba(X)
    scorer = make_rule_scorer(rule)
    assert scorer(model, X, words) == pytest.approx(-rule(y, p[:, 1]), rel=1e-13)
    turned = make_rule_scorer(rule, pos_label="no")
    assert turned(model, X, words) == pytest.approx(-rule(1 - y, p[:, 0]), rel=1e-13)


@pytest.mark.parametrize("rule", [s.rule for s in SUBJECTS if 4 in s.classes], ids=repr)
def test_the_score_of_classes_is_minus_the_loss(rule: Any) -> None:
    X, y = problem(4)
    model = GaussianNB().fit(X, y + 7)
    scorer = make_rule_scorer(rule)
    assert scorer(model, X, y + 7) == -rule(y, model.predict_proba(X))
    weight = np.random.default_rng(1).uniform(0, 2, len(y))
    assert scorer(model, X, y + 7, weight) == -rule(y, model.predict_proba(X), weight)


@pytest.mark.parametrize("rule", [PBS(), PLL(), RPS(), QuadraticRPS()], ids=repr)
def test_rules_of_classes_price_both_columns_of_an_event(rule: ClassRule) -> None:
    X, y = problem(2)
    model = GaussianNB().fit(X, y)
    for event in (None, 0, 1):
        found = make_rule_scorer(rule, pos_label=event)(model, X, y)
        assert found == -rule(y, model.predict_proba(X))


@pytest.mark.parametrize("rule", [RPS(), RankedLog(), QuadraticRPS()], ids=repr)
def test_words_are_put_in_the_order_of_the_labels(rule: ClassRule) -> None:
    X, y = problem(3)
    grades = np.array(["none", "mild", "fatal"])
    model, by_number = GaussianNB().fit(X, grades[y]), GaussianNB().fit(X, y)
    assert list(model.classes_) == ["fatal", "mild", "none"]
    found = make_rule_scorer(rule, labels=list(grades))(model, X, grades[y])
    assert found == pytest.approx(make_rule_scorer(rule)(by_number, X, y), rel=1e-12)


def test_a_perfect_score_is_zero_and_prints_as_such() -> None:
    X, y = problem(2)
    model = KNeighborsClassifier(1).fit(X, y)
    assert str(make_rule_scorer(Brier())(model, X, y)) == "0.0"


def test_a_certain_mistake_costs_infinity() -> None:
    X, y = problem(2)
    model = KNeighborsClassifier(1).fit(X, 1 - y)
    assert make_rule_scorer(Log())(model, X, y) == -math.inf


def test_booleans_have_the_event_true() -> None:
    X, y = problem(2)
    model = GaussianNB().fit(X, y == 1)
    found = make_rule_scorer(Elementary(0.3))(model, X, y == 1)
    assert found == -Elementary(0.3)(y, model.predict_proba(X)[:, 1])


# In searches and cross-validation


# A stratified dummy is certain, and wrong: by the log score it costs infinity.
@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite:UserWarning")
@pytest.mark.parametrize(
    "rule", [Brier(), Log(), Regret(WITHIN), Elementary(0.2), PBS(), PLL(), RPS()], ids=repr
)
def test_searches_prefer_logistic_regression_to_the_dummy(rule: Any) -> None:
    X, y = problem(2, n=90)
    search = GridSearchCV(
        make_pipeline(DummyClassifier()),
        {"dummyclassifier": [DummyClassifier(strategy="stratified"), LogisticRegression()]},
        scoring=make_rule_scorer(rule),
        cv=2,
    )
    with np.errstate(invalid="ignore"):
        search.fit(X, y)
    assert isinstance(search.best_estimator_[0], LogisticRegression)
    assert search.best_score_ > search.cv_results_["mean_test_score"].min()
    assert search.score(X, y) == make_rule_scorer(rule)(search.best_estimator_, X, y)


def sorted_rows() -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return sorted outcomes of which 15 rows are a fold; the rare class is in two of four."""
    y = np.repeat(["a", "rare", "b"], [28, 4, 28])
    return np.random.default_rng(3).normal(size=(60, 2)) + (y == "b")[:, None], y


def test_folds_without_the_rare_class_are_scored() -> None:
    X, y = sorted_rows()
    folds = KFold(4)
    assert [sum(y[test] == "rare") for _, test in folds.split(X)] == [0, 2, 2, 0]
    scorers = rule_scorers([Brier(), Log(), PBS(), Spherical()])
    found = cross_validate(
        DummyClassifier(strategy="prior"), X, y, cv=folds, scoring=scorers, error_score="raise"
    )
    for k, (train, test) in enumerate(folds.split(X)):
        shares = [np.mean(y[train] == label) for label in ("a", "b", "rare")]
        numbers = np.searchsorted(["a", "b", "rare"], y[test])
        for rule in (Brier(), Log(), PBS(), Spherical()):
            expected = -rule(numbers, np.tile(shares, (len(test), 1)))
            assert found[f"test_neg_{rule.name}"][k] == pytest.approx(expected, rel=1e-12)


def test_cross_validation_and_learning_curves_take_scorers() -> None:
    X, y = problem(3)
    scorer = make_rule_scorer(RPS())
    each = cross_val_score(GaussianNB(), X, y, scoring=scorer, cv=3)
    assert each.shape == (3,)
    assert (each < 0).all()
    _, _, test = learning_curve(GaussianNB(), X, y, scoring=scorer, cv=3, train_sizes=[0.5, 1.0])
    np.testing.assert_array_equal(test[-1], each)
    model = GaussianNB().fit(X, y)
    importance = permutation_importance(
        model, X, y, scoring=scorer, n_repeats=2, random_state=0, sample_weight=np.ones(len(y))
    )
    assert (importance.importances_mean > 0).all()


@pytest.mark.slow
def test_boosting_stops_early_by_a_rule() -> None:
    X, y = problem(3)
    known: dict[str, Any] = {"early_stopping": True, "n_iter_no_change": 2, "random_state": 0}
    model = HistGradientBoostingClassifier(scoring=make_rule_scorer(RPS()), **known).fit(X, y)
    assert 3 <= model.n_iter_ < 100
    assert (model.validation_score_ < 0).all()


def test_metric_functions_make_scorers_of_scikit_learn() -> None:
    X, y = problem(2)
    model = GaussianNB().fit(X, y)
    known: dict[str, Any] = {"response_method": "predict_proba"}
    brier = make_scorer(brier_loss, greater_is_better=False, **known)
    assert brier(model, X, y) == pytest.approx(make_rule_scorer(Brier())(model, X, y), rel=1e-14)
    benefit = make_scorer(net_benefit, threshold=0.2, **known)
    assert benefit(model, X, y) > 0


# Weights


def weights(n: int) -> NDArray[np.int64]:
    return np.random.default_rng(5).integers(0, 4, n)


@pytest.mark.parametrize("rule", [Brier(), Log(), Regret(WITHIN), PBS(), RPS()], ids=repr)
def test_weights_count_as_so_many_rows(rule: Any) -> None:
    X, y = problem(2)
    model, w = GaussianNB().fit(X, y), weights(len(y))
    scorer = make_rule_scorer(rule)
    repeated = np.repeat(np.arange(len(y)), w)
    expected = scorer(model, X[repeated], y[repeated])
    assert scorer(model, X, y, sample_weight=w) == pytest.approx(expected, rel=1e-14)
    assert scorer(model, X, y) != pytest.approx(expected, rel=1e-6)


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_in_cross_validation_to_those_who_ask() -> None:
    X, y = problem(2)
    w = weights(len(y))
    scoring = {
        "weighted": make_rule_scorer(Brier()).set_score_request(sample_weight=True),
        "plain": make_rule_scorer(Brier()).set_score_request(sample_weight=False),
    }
    found = cross_validate(
        LogisticRegression().set_fit_request(sample_weight=False),
        X,
        y,
        scoring=scoring,
        cv=KFold(3),
        params={"sample_weight": w},
        return_estimator=True,
        return_indices=True,
        error_score="raise",
    )
    for k, (model, test) in enumerate(
        zip(found["estimator"], found["indices"]["test"], strict=True)
    ):
        repeated = np.repeat(test, w[test])
        expected = make_rule_scorer(Brier())(model, X[repeated], y[repeated])
        assert found["test_weighted"][k] == pytest.approx(expected, rel=1e-14)
        assert found["test_plain"][k] == make_rule_scorer(Brier())(model, X[test], y[test])


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_in_searches() -> None:
    X, y = problem(2)
    w = weights(len(y))
    fold = np.where(np.arange(len(y)) < 100, -1, 0)
    scorer = make_rule_scorer(Log()).set_score_request(sample_weight=True)
    known: dict[str, Any] = {"cv": PredefinedSplit(fold), "error_score": "raise"}
    model = LogisticRegression(tol=1e-10).set_fit_request(sample_weight=True)
    one = GridSearchCV(model, {"C": [0.01, 1.0]}, scoring=scorer, **known)
    one.fit(X, y, sample_weight=w)
    both = {
        "neg_log": scorer,
        "other": make_rule_scorer(PBS()).set_score_request(sample_weight="w"),
    }
    several = GridSearchCV(model, {"C": [0.01, 1.0]}, scoring=both, refit="neg_log", **known)
    several.fit(X, y, sample_weight=w, w=np.ones(len(y)))
    repeated = np.repeat(np.arange(len(y)), w)
    rows = GridSearchCV(model, {"C": [0.01, 1.0]}, scoring=make_rule_scorer(Log()))
    rows.set_params(cv=PredefinedSplit(fold[repeated])).fit(X[repeated], y[repeated])
    expected = rows.cv_results_["mean_test_score"]
    np.testing.assert_allclose(one.cv_results_["mean_test_score"], expected, rtol=1e-7)
    np.testing.assert_array_equal(
        several.cv_results_["mean_test_neg_log"], one.cv_results_["mean_test_score"]
    )
    assert one.score(X, y, sample_weight=w) == pytest.approx(
        scorer(one.best_estimator_, X[repeated], y[repeated]), rel=1e-13
    )


def test_searches_without_routing_take_weights_with_several_scorers() -> None:
    X, y = problem(2)
    search = GridSearchCV(
        GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, scoring=rule_scorers(), refit="neg_log", cv=2
    )
    search.fit(X, y, sample_weight=weights(len(y)))
    assert search.best_score_ < 0


@pytest.mark.skipif(VERSION < (1, 6), reason="scikit-learn blames the estimator before 1.6")
@pytest.mark.usefixtures("routing")
def test_weights_that_nobody_asked_for_are_refused_by_scikit_learn() -> None:
    X, y = problem(2)
    with pytest.raises(ValueError, match=r"sample_weight.* RuleScorer"):
        cross_validate(
            GaussianNB().set_fit_request(sample_weight=True),
            X,
            y,
            scoring=make_rule_scorer(Brier()),
            params={"sample_weight": weights(len(y))},
        )


# Scorers as objects


def test_scorers_print_as_the_call_that_makes_them() -> None:
    scorer = make_rule_scorer(Bounded(Brier(), WITHIN), pos_label="yes")
    assert repr(RuleScorer(RPS())) == "RuleScorer(rule=RPS())"
    assert "pos_label='yes'" in repr(scorer)
    found = make_rule_scorer(RPS(), labels=["mild", "severe"])
    assert repr(found) == "RuleScorer(labels=('mild', 'severe'), rule=RPS())"


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("copy", [clone, lambda x: pickle.loads(pickle.dumps(x))])  # noqa: S301
def test_copies_of_scorers_are_equal_in_all(copy: Callable[[RuleScorer], RuleScorer]) -> None:
    X, y = problem(3)
    scorer = make_rule_scorer(RPS(), labels=[2, 1, 0]).set_score_request(sample_weight=True)
    other = copy(scorer)
    assert other is not scorer
    assert repr(other) == repr(scorer)
    assert str(other.get_metadata_routing()) == "{'score': {'sample_weight': True}}"
    model = GaussianNB().fit(X, y)
    assert other(model, X, y) == scorer(model, X, y)


def test_a_search_with_a_scorer_can_be_cloned_shown_and_set() -> None:
    search = GridSearchCV(GaussianNB(), {}, scoring=make_rule_scorer(Brier()))
    assert repr(clone(search).scoring) == "RuleScorer(rule=Brier())"
    assert "RuleScorer" in search._repr_html_()
    assert repr(search.set_params(scoring__rule=Log()).scoring) == "RuleScorer(rule=Log())"


def test_scorers_by_name_are_of_the_rules_that_suit() -> None:
    assert list(rule_scorers()) == ["neg_brier", "neg_log"]
    assert list(rule_scorers(ordered=True)) == ["neg_rps", "neg_ranked_log", "neg_log"]
    assert list(rule_scorers(PBS())) == ["neg_pbs"]
    over = ["neg_regret[0.1,0.4]", "neg_brier"]
    assert list(rule_scorers([Brier()], within=WITHIN)) == over
    found = rule_scorers([RPS()], ordered=True, labels=["b", "a"], pos_label="a")["neg_rps"]
    assert (found.labels, found.pos_label) == (("b", "a"), "a")


def test_one_rule_picks_the_model_among_several_scores() -> None:
    X, y = problem(3)
    search = GridSearchCV(
        LogisticRegression(),
        {"C": [1e-3, 1.0]},
        scoring=rule_scorers(ordered=True),
        refit="neg_rps",
        cv=3,
    ).fit(X, y)
    mean = search.cv_results_["mean_test_neg_rps"]
    assert search.best_score_ == mean.max()
    assert search.best_params_ == {"C": 1.0}
