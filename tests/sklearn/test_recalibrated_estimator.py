"""A classifier with a map: fitted to honest forecasts, judged, and at home in scikit-learn."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

import properly
import sklearn
from properly.errors import DataError, DataWarning
from properly.integrations.sklearn import RecalibratedClassifier, log_loss, make_rule_scorer
from properly.recalibration import (
    Identity,
    Intercept,
    Isotonic,
    Logistic,
    OneVsRest,
    Temperature,
    Vector,
)
from properly.rules import Brier, Elementary, Log

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))


def overconfident(n: int = 600, seed: int = 1) -> tuple[Floats, NDArray[np.int64]]:
    """Return columns that repeat one another, which naive Bayes takes for so much evidence."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(np.int64)
    signal = rng.normal(size=n) + y
    return signal[:, None] + 0.3 * rng.normal(size=(n, 4)), y


def record(model: RecalibratedClassifier) -> properly.recalibration.Recalibrated:
    """Return what was found about the maps."""
    assert model.recalibrated_ is not None
    return model.recalibrated_


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


# What it is


def test_the_map_is_fitted_to_forecasts_of_clones_that_have_not_seen_the_rows() -> None:
    X, y = overconfident()
    model = RecalibratedClassifier(GaussianNB(), Logistic()).fit(X, y)
    p = cross_val_predict(GaussianNB(), X, y, cv=5, method="predict_proba")[:, 1]
    order = np.concatenate([test for _, test in StratifiedKFold(5).split(X, y)])
    expected = Logistic().fit(y[order], p[order])
    assert model.map_.dumps() == expected.dumps()
    assert model.recalibrated_ is None
    new = overconfident(300, seed=2)[0]
    q = expected.at(GaussianNB().fit(X, y).predict_proba(new)[:, 1])
    np.testing.assert_array_equal(model.predict_proba(new), np.column_stack([1 - q, q]))


@pytest.mark.slow
def test_an_overconfident_classifier_is_repaired_on_new_cases() -> None:
    X, y = overconfident(3000)
    X, y, new, later = X[:1500], y[:1500], X[1500:], y[1500:]
    model = RecalibratedClassifier(GaussianNB()).fit(X, y)
    assert record(model).recommended
    assert model.map_ is record(model).map
    before = Log()(later, GaussianNB().fit(X, y).predict_proba(new)[:, 1])
    after = Log()(later, model.predict_proba(new)[:, 1])
    low, high = record(model).gain.interval
    assert low < before - after < high


def test_a_calibrated_classifier_is_left_alone() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    y = rng.random(1000) < 1 / (1 + np.exp(-X[:, 0]))
    model = RecalibratedClassifier(LogisticRegression()).fit(X, y)
    assert not record(model).recommended
    assert isinstance(model.map_, Identity)
    same = LogisticRegression().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), same, rtol=0, atol=2e-16)


@pytest.mark.slow
def test_the_choice_goes_by_the_rule_and_the_range_that_are_given() -> None:
    X, y = overconfident()
    judged = record(RecalibratedClassifier(GaussianNB(), rule=Brier()).fit(X, y))
    assert judged.gain.rule == "brier"
    within = record(RecalibratedClassifier(GaussianNB(), within=(0.1, 0.3)).fit(X, y))
    assert within.gain.rule == "regret[0.1,0.3]"


def test_maps_are_given_by_name_or_chosen_among() -> None:
    X, y = overconfident()
    named = RecalibratedClassifier(GaussianNB(), "intercept").fit(X, y)
    assert isinstance(named.map_, Intercept)
    several = RecalibratedClassifier(GaussianNB(), [Intercept(), Temperature()]).fit(X, y)
    assert isinstance(several.map_, Temperature)
    assert list(record(several).gains) == ["intercept", "temperature"]


def test_the_class_is_the_likelier_one_after_recalibration() -> None:
    X, y = overconfident()
    words = np.where(y == 1, "yes", "no")
    model = RecalibratedClassifier(GaussianNB(), Logistic()).fit(X, words)
    q = model.predict_proba(X)[:, 1]
    assert (model.predict(X) == np.where(q > 0.5, "yes", "no")).all()
    raw = GaussianNB().fit(X, words).predict(X)
    assert (model.predict(X) != raw).any()  # a shifted line moves the border


@pytest.mark.slow
def test_two_models_that_are_fitted_alike_are_alike() -> None:
    X, y = overconfident()
    first, second = (
        RecalibratedClassifier(GaussianNB()).fit(X, y).predict_proba(X) for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)


@pytest.mark.slow
def test_clones_are_trained_at_the_same_time() -> None:
    X, y = overconfident()
    one, two = (
        RecalibratedClassifier(GaussianNB(), Logistic(), n_jobs=n).fit(X, y) for n in (1, 2)
    )
    assert one.map_.dumps() == two.map_.dumps()


@pytest.mark.slow
def test_certain_forecasts_of_a_forest_are_repaired_where_they_were_wrong() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(800, 3))
    y = rng.random(800) < 1 / (1 + np.exp(1 - X[:, 0]))
    forest = RandomForestClassifier(20, random_state=0)
    model = RecalibratedClassifier(forest).fit(X, y)
    assert record(model).gain.rule == "brier"
    q = model.predict_proba(rng.normal(size=(500, 3)))[:, 1]
    assert 0 < q.min() < q.max() < 1


# Several classes


def three_classes(n: int = 600, seed: int = 1) -> tuple[Floats, NDArray[np.str_]]:
    """Return columns that repeat one another, and three classes in words."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    signal = rng.normal(size=n) + y
    return signal[:, None] + 0.3 * rng.normal(size=(n, 4)), np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("given", [Temperature(), Vector(), OneVsRest(Logistic())], ids=repr)
def test_classes_are_repaired_by_maps_for_classes(given: Any) -> None:
    X, y = three_classes(900)
    X, y, new, later = X[:600], y[:600], X[600:], y[600:]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "it changes the likeliest class", DataWarning)
        model = RecalibratedClassifier(GaussianNB(), given).fit(X, y)
    assert model.map_.labels == ("a", "b", "c")
    p, q = GaussianNB().fit(X, y).predict_proba(new), model.predict_proba(new)
    np.testing.assert_array_equal(q, model.map_.at(p))
    assert log_loss(later, q) < log_loss(later, p) - 0.1
    assert (model.predict(new) == model.classes_[q.argmax(axis=1)]).all()


@pytest.mark.slow
def test_a_map_for_classes_is_chosen() -> None:
    X, y = three_classes(300)
    model = RecalibratedClassifier(GaussianNB()).fit(X, y)
    assert record(model).recommended
    assert model.map_.of == "classes"
    assert "temperature" in record(model).gains


def test_calibrated_classes_are_left_alone() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    odds = np.exp(np.column_stack([np.zeros(400), X]))
    y = (rng.random(400)[:, None] > np.cumsum(odds, axis=1) / odds.sum(axis=1)[:, None]).sum(axis=1)
    model = RecalibratedClassifier(LogisticRegression(), [Temperature()]).fit(X, y)
    assert isinstance(model.map_, Identity)
    np.testing.assert_array_equal(
        model.predict_proba(X), LogisticRegression().fit(X, y).predict_proba(X)
    )


@pytest.mark.skipif(VERSION < (1, 8), reason="scikit-learn has no temperature before 1.8")
def test_the_temperature_is_that_of_scikit_learn_but_for_what_it_adds() -> None:
    X, y = three_classes()
    theirs = CalibratedClassifierCV(GaussianNB(), method="temperature", cv=5, ensemble=False)
    ours = RecalibratedClassifier(GaussianNB(), Temperature(prior=None)).fit(X, y)
    p, q = theirs.fit(X, y).predict_proba(X), ours.predict_proba(X)
    # It adds 1e-12 to every probability, and its search stops early.
    lifted = ours.estimator_.predict_proba(X).min(axis=1) < 1e-9
    assert 0 < lifted.sum() < 60
    np.testing.assert_allclose(q[~lifted], p[~lifted], rtol=0, atol=2e-5)


# Beside CalibratedClassifierCV


def test_isotonic_curves_without_shrinking_are_those_of_scikit_learn() -> None:
    X, y = overconfident()
    flat = Isotonic(interpolation="flat", shrink=0)
    with pytest.warns(DataWarning, match="0 or 1"):
        ours = RecalibratedClassifier(GaussianNB(), flat).fit(X, y)
    theirs = CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=5, ensemble=False)
    theirs.fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


def test_a_sigmoid_of_the_decision_function_is_a_line_in_the_log_odds() -> None:
    X, y = overconfident()
    # A decision function that is the log odds: the two agree by Platt's targets on both sides.
    theirs = CalibratedClassifierCV(LogisticRegression(), cv=5, ensemble=False).fit(X, y)
    ours = RecalibratedClassifier(LogisticRegression(), Logistic()).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-4)


def test_a_sigmoid_of_the_probability_is_another_curve_by_design() -> None:
    # Where there is no decision function scikit-learn draws its line in p, not in its log odds:
    # no forecast can then become as certain as the evidence allows.
    X, y = overconfident(2000)
    theirs = CalibratedClassifierCV(GaussianNB(), cv=5, ensemble=False).fit(X, y)
    ours = RecalibratedClassifier(GaussianNB(), Logistic()).fit(X, y)
    p, q = theirs.predict_proba(X)[:, 1], ours.predict_proba(X)[:, 1]
    assert np.abs(p - q).max() > 0.05
    assert q.min() < p.min()
    assert q.max() > p.max()


# Folds


@pytest.mark.slow
def test_groups_are_kept_together_and_are_clusters() -> None:
    X, y = overconfident()
    groups = np.arange(len(y)) // 4
    model = RecalibratedClassifier(GaussianNB()).fit(X, y, groups=groups)
    assert record(model).gain.design == "clusters"
    p = cross_val_predict(
        GaussianNB(), X, y, cv=StratifiedGroupKFold(5), groups=groups, method="predict_proba"
    )
    expected = properly.recalibrate(y, p[:, 1], clusters=groups)
    fitted = RecalibratedClassifier(GaussianNB(), expected.chosen).fit(X, y, groups=groups)
    np.testing.assert_allclose(
        fitted.map_.at([0.1, 0.5, 0.9]), expected.map.at([0.1, 0.5, 0.9]), rtol=1e-9
    )


def test_a_splitter_that_knows_groups_gets_them() -> None:
    X, y = overconfident()
    groups = np.arange(len(y)) // 4
    model = RecalibratedClassifier(GaussianNB(), Logistic(), cv=GroupKFold(4)).fit(
        X, y, groups=groups
    )
    p = cross_val_predict(
        GaussianNB(), X, y, cv=GroupKFold(4), groups=groups, method="predict_proba"
    )
    assert model.map_.to_dict()["parameters"]["slope"] == pytest.approx(
        Logistic().fit(y, p[:, 1]).slope, rel=1e-9
    )


def test_folds_may_be_listed_and_may_leave_the_first_rows_out() -> None:
    X, y = overconfident()
    listed = list(KFold(5).split(X))
    by_list = RecalibratedClassifier(GaussianNB(), Logistic(), cv=listed).fit(X, y)
    by_splitter = RecalibratedClassifier(GaussianNB(), Logistic(), cv=KFold(5)).fit(X, y)
    assert by_list.map_.dumps() == by_splitter.map_.dumps()
    forward = RecalibratedClassifier(GaussianNB(), Logistic(), cv=TimeSeriesSplit(5)).fit(X, y)
    assert forward.map_.to_dict()["training"]["cases"] == 500


def test_a_prefit_estimator_is_not_trained_again() -> None:
    X, y = overconfident(1200)
    trained = GaussianNB().fit(X[:600], y[:600])
    model = RecalibratedClassifier(trained, Logistic(), cv="prefit").fit(X[600:], y[600:])
    assert model.estimator_ is trained
    p = trained.predict_proba(X[600:])[:, 1]
    assert model.map_.dumps() == Logistic().fit(y[600:], p).dumps()
    assert model.n_features_in_ == 4


# Weights


def test_weights_go_to_the_classifier_and_to_the_map() -> None:
    X, y = overconfident()
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    model = RecalibratedClassifier(GaussianNB(), Logistic(), cv=KFold(5)).fit(
        X, y, sample_weight=weight
    )
    p = np.empty(len(y))
    for train, test in KFold(5).split(X):
        clone_ = GaussianNB().fit(X[train], y[train], sample_weight=weight[train])
        p[test] = clone_.predict_proba(X[test])[:, 1]
    assert model.map_.dumps() == Logistic().fit(y, p, weight=weight).dumps()
    whole = GaussianNB().fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(model.estimator_.theta_, whole.theta_)


@pytest.mark.parametrize("given", [Logistic(), Isotonic(), Temperature()], ids=repr)
def test_the_scale_of_weights_changes_nothing_and_equal_ones_are_none(given: Any) -> None:
    X, y = overconfident()
    weight = np.random.default_rng(0).integers(1, 4, len(y))

    def fitted(sample_weight: Any) -> Any:
        model = RecalibratedClassifier(GaussianNB(), given, cv=KFold(5))
        return model.fit(X, y, sample_weight=sample_weight).predict_proba(X)

    np.testing.assert_allclose(fitted(7 * weight), fitted(weight), rtol=1e-9)
    np.testing.assert_allclose(fitted(np.full(len(y), 7)), fitted(None), rtol=1e-9)
    # A row of weight 0 is as good as none.
    used = weight > 1
    weight[~used] = 0
    trained = GaussianNB().fit(X, y)
    model, less = (RecalibratedClassifier(trained, given, cv="prefit") for _ in range(2))
    model.fit(X, y, sample_weight=weight)
    less.fit(X[used], y[used], sample_weight=weight[used])
    np.testing.assert_allclose(model.predict_proba(X), less.predict_proba(X), rtol=1e-12)


def test_weights_are_repeated_rows_for_maps_that_do_not_ask_how_many_cases_there_are() -> None:
    X, y = overconfident()
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    trained, row = GaussianNB().fit(X, y), np.repeat(np.arange(len(y)), weight)
    model, longer = (
        RecalibratedClassifier(trained, Logistic(smooth=False), cv="prefit") for _ in range(2)
    )
    model.fit(X, y, sample_weight=weight)
    longer.fit(X[row], y[row])
    np.testing.assert_allclose(model.predict_proba(X), longer.predict_proba(X), rtol=1e-9)


def test_a_classifier_without_weights_is_noted() -> None:
    X, y = overconfident()
    weight = np.ones(len(y))
    with pytest.warns(DataWarning, match="KNeighborsClassifier takes no sample weights: they are"):
        RecalibratedClassifier(KNeighborsClassifier(), Isotonic()).fit(X, y, sample_weight=weight)


def test_other_arguments_of_fit_are_cut_to_the_rows_of_a_fold() -> None:
    class Counting(GaussianNB):  # type: ignore[misc]
        def fit(self, X: Any, y: Any, sample_weight: Any = None, note: Any = None) -> Any:
            assert len(note) == len(X)
            return super().fit(X, y, sample_weight)

    X, y = overconfident()
    RecalibratedClassifier(Counting(), Logistic()).fit(X, y, note=np.arange(len(y)))


# At home in scikit-learn


@pytest.mark.slow
def test_it_is_searched_scored_cloned_and_pickled() -> None:
    X, y = overconfident()
    model = RecalibratedClassifier(make_pipeline(StandardScaler(), GaussianNB()))
    options = {
        "map": [Logistic(), Intercept()],
        "estimator__gaussiannb__var_smoothing": [1e-9, 0.5],
    }
    search = GridSearchCV(model, options, scoring=make_rule_scorer(Log()), cv=3).fit(X, y)
    assert isinstance(search.best_params_["map"], Logistic)
    scores = cross_val_score(make_pipeline(StandardScaler(), model), X, y, scoring="neg_log_loss")
    assert scores.min() > -0.7
    again = pickle.loads(pickle.dumps(model.fit(X, y)))  # noqa: S301
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert str(again.recalibrated_) == str(model.recalibrated_)
    assert not hasattr(clone(model), "map_")
    assert clone(model).get_params()["map"] == "auto"


def test_it_takes_sparse_rows_and_frames() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = overconfident()
    dense = RecalibratedClassifier(LogisticRegression(), Logistic()).fit(X, y)
    sparse = RecalibratedClassifier(LogisticRegression(), Logistic()).fit(csr_array(X), y)
    np.testing.assert_allclose(sparse.predict_proba(X), dense.predict_proba(X), rtol=1e-3)
    frame = pandas.DataFrame(X, columns=[f"x{k}" for k in range(4)])
    framed = RecalibratedClassifier(LogisticRegression(), Logistic()).fit(frame, pandas.Series(y))
    assert list(framed.feature_names_in_) == list(frame.columns)
    np.testing.assert_allclose(framed.predict_proba(frame), dense.predict_proba(X), rtol=1e-9)


@pytest.mark.usefixtures("routing")
def test_weights_and_groups_are_routed() -> None:
    X, y = overconfident()
    weight, groups = np.arange(len(y)) % 3 + 1, np.arange(len(y)) // 4
    inner = GaussianNB().set_fit_request(sample_weight=True)
    model = RecalibratedClassifier(inner, Logistic(), cv=GroupKFold(4))
    model.set_fit_request(sample_weight=True, groups=True).set_score_request(sample_weight=True)
    model.fit(X, y, sample_weight=weight, groups=groups)
    with sklearn.config_context(enable_metadata_routing=False):
        plain = RecalibratedClassifier(GaussianNB(), Logistic(), cv=GroupKFold(4))
        plain.fit(X, y, sample_weight=weight, groups=groups)
    assert model.map_.dumps() == plain.map_.dumps()
    params = {"sample_weight": weight, "groups": groups}
    scores = cross_val_score(model, X, y, cv=GroupKFold(3), params=params)
    assert np.isfinite(scores).all()


# A prior and smoothed targets weigh less the more cases there are, and a row of weight 2 is one.
REPEATED = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a weighted row is one case, not several"
    for kind in ("dense", "sparse")
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "given", [[Temperature(), Identity()], Temperature()], ids=["chosen", "temperature"]
)
def test_it_keeps_every_rule_of_scikit_learn_but_that_weights_repeat_rows(given: Any) -> None:
    # Small samples of these checks have much to be noted about them.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RecalibratedClassifier(LogisticRegression(), given)
        found = check_estimator(model, on_skip=None, expected_failed_checks=REPEATED)
    # None is left out that would be kept.
    missed = {check["check_name"] for check in found if check["status"] == "xfail"}
    assert missed == set(REPEATED)


@pytest.mark.skipif(VERSION < (1, 6), reason="scikit-learn has other checks before 1.6")
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_by_maximum_likelihood_weights_repeat_rows_as_scikit_learn_has_it(kind: str) -> None:
    # Other checks have classes that can be told for certain, of which it has no map.
    check = getattr(estimator_checks, f"check_sample_weight_equivalence_on_{kind}_data")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(
            "RecalibratedClassifier",
            RecalibratedClassifier(LogisticRegression(), Temperature(prior=None)),
        )


# Refusals


def refuses(message: str) -> Any:
    return pytest.raises(DataError, match="^" + re.escape(message))


def test_what_cannot_be_fitted_is_refused() -> None:
    X, y = overconfident(60)
    model = RecalibratedClassifier(GaussianNB(), Logistic())
    with pytest.raises(NotFittedError):
        RecalibratedClassifier(GaussianNB(), cv="prefit").fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_folds_that_would_leak_are_refused() -> None:
    X, y = overconfident(60)
    groups = np.arange(60) // 4
    shuffled = KFold(5, shuffle=True, random_state=0)
    ignored = pytest.warns(UserWarning, match="groups parameter is ignored by KFold")
    with ignored, refuses("a group must lie in one fold; group 0 lies in several"):
        RecalibratedClassifier(GaussianNB(), Logistic(), cv=shuffled).fit(X, y, groups=groups)


def test_too_few_cases_to_choose_a_map_leave_the_classifier_as_it_is() -> None:
    X, y = overconfident(60)
    y = np.zeros(60, dtype=int)
    y[::20] = 1
    with pytest.warns(DataWarning, match="left as they are: with 3 events no map can be judged"):
        model = RecalibratedClassifier(GaussianNB(), cv=3).fit(X, y)
    assert isinstance(model.map_, Identity)
    assert model.recalibrated_ is None
    with refuses("with 3 events no map can be judged"):
        RecalibratedClassifier(GaussianNB(), "logistic", cv=3).fit(X, y)


def test_a_threshold_can_be_what_a_map_is_chosen_by() -> None:
    X, y = overconfident()
    model = RecalibratedClassifier(GaussianNB(), rule=Elementary(0.2)).fit(X, y)
    assert record(model).gain.rule == Elementary(0.2).name
