"""Rules in XGBoost and LightGBM: their trees for the log score, others for others, early stops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from tests.integrations.boosted_cases import (
    NARROW,
    Booster,
    Digits,
    LightGBM,
    Tumours,
    XGBoost,
    probabilities,
    told,
)

from properly.rules import PBS, PLL, RPS, Bounded, Brier, Log, Mixture, Ranked, Spherical

LEFT_OUT = "; predict leaves it out, so add it again."
X_SEEN, Y_SEEN = Tumours.X[~Tumours.known], Tumours.y[~Tumours.known]
X_KNOWN, Y_KNOWN = Tumours.X[Tumours.known], Tumours.y[Tumours.known]


@pytest.fixture(scope="module", params=[XGBoost, LightGBM], ids=lambda kind: kind.name)
def booster(request: pytest.FixtureRequest) -> Any:
    return request.param()


@pytest.fixture(scope="module")
def xgboost() -> XGBoost:
    return XGBoost()


@pytest.fixture(scope="module")
def lightgbm() -> LightGBM:
    return LightGBM()


def loss(rule: Any, y: Any, p: Any, weight: Any = None) -> float:
    """Price an event, as two classes if the rule asks for them."""
    is_event = isinstance(rule, Bounded | Brier | Log) or p.ndim == 2
    return float(rule(y, p if is_event else np.column_stack([1 - p, p]), weight))


# The same trees


@pytest.mark.parametrize("weighted", [False, True])
def test_the_log_score_grows_the_trees_of_the_library(booster: Booster, weighted: bool) -> None:
    weight = np.random.default_rng(1).uniform(0.5, 2, len(Y_KNOWN)) if weighted else None
    own, ours = (
        booster.grown(booster.event, booster.learn(Tumours, weight=weight), X_KNOWN, 30, learner)
        for learner in (None, booster.objective(Log()))
    )
    np.testing.assert_allclose(ours, own, atol=booster.same)
    assert np.ptp(own) > 5


def test_an_average_to_start_from_is_an_init_score(lightgbm: LightGBM) -> None:
    rate = Y_KNOWN.mean()
    start = np.log(rate / (1 - rate))
    average = {**lightgbm.event, "boost_from_average": True}
    own = lightgbm.grown(average, lightgbm.learn(Tumours), X_KNOWN, 30)
    data = lightgbm.learn(Tumours, init_score=np.full(len(Y_KNOWN), start))
    ours = lightgbm.grown(lightgbm.event, data, X_KNOWN, 30, lightgbm.objective(Log()))
    # What predict returns leaves the start out.
    np.testing.assert_allclose(ours + start, own, atol=1e-5)


def test_half_the_step_and_half_the_limits_grow_the_trees_of_softprob(xgboost: XGBoost) -> None:
    data = xgboost.learn(Digits)
    # XGBoost doubles the curvature of the softmax; its usual values are halved, gamma is doubled.
    halved = {"eta": 0.15, "reg_lambda": 0.5, "min_child_weight": 0.5, "gamma": 0.2}
    # Without base_score it would start from the class frequencies, but not with our objective.
    start = {**xgboost.classes, "base_score": 0.5}
    own = xgboost.grown({**start, "gamma": 0.1}, data, Digits.X, 8)
    ours = xgboost.grown({**start, **halved}, data, Digits.X, 8, xgboost.objective(Log()))
    np.testing.assert_allclose(ours, own, atol=1e-5)
    assert np.ptp(own) > 3


def test_a_shorter_step_grows_the_trees_of_multiclass(lightgbm: LightGBM) -> None:
    X, y = load_wine(return_X_y=True)
    params = {**lightgbm.classes, "num_class": 3}
    # LightGBM multiplies the curvature of the softmax by K / (K - 1).
    usual = {"learning_rate": 0.1, "lambda_l2": 0.3, "min_sum_hessian_in_leaf": 1e-3}
    less = {name: value * 2 / 3 for name, value in usual.items()}
    usual |= params | {"objective": "multiclass", "min_gain_to_split": 0.1}
    own = lightgbm.grown(usual, lightgbm.rows(X, y), X, 20)
    less |= params | {"min_gain_to_split": 0.15}
    ours = lightgbm.grown(less, lightgbm.rows(X, y), X, 20, lightgbm.objective(Log()))
    np.testing.assert_allclose(ours, own, atol=1e-6)
    assert np.ptp(own) > 2


@pytest.mark.parametrize("rule", [Log(), Brier(), Bounded(Brier(), (0.05, 0.6))], ids=repr)
def test_a_row_of_weight_two_is_two_rows(booster: Booster, rule: Any) -> None:
    y, twice = Tumours.y, 1 + (np.arange(len(Tumours.y)) % 4 == 0)
    if isinstance(booster, XGBoost):
        X, more = Tumours.X[:, :8].round(2), dict[str, Any](max_bin=1024)
        data: dict[str, Any] = {}
    else:
        # Tenths of the cases: LightGBM counts rows for its bins, and weights do not change that.
        X = Tumours.X[:, :8].argsort(axis=0).argsort(axis=0) // 57
        more = {"min_data_in_bin": 1, "min_data_in_leaf": 0, "min_sum_hessian_in_leaf": 1.0}
        data = {"params": booster.event | more}
    weighted = booster.rows(X, y, weight=twice, **data)
    repeated = booster.rows(np.repeat(X, twice, axis=0), np.repeat(y, twice), **data)
    plain = booster.rows(X, y, **data)
    found, again, other = (
        booster.grown(booster.event | more, rows, X, 5, booster.objective(rule))
        for rows in (weighted, repeated, plain)
    )
    np.testing.assert_allclose(found, again, atol=booster.again)
    assert np.abs(found - other).max() > 0.01
    settings = {**booster.event, **more, "objective": booster.objective(rule)}
    model = getattr(booster.library, booster.sklearn)(n_estimators=5, **settings)
    raw = model.fit(X, y, sample_weight=twice).predict(X, **booster.raw)
    np.testing.assert_allclose(raw, found, atol=max(booster.again, 1e-5))


# Other trees


@pytest.mark.parametrize(
    "rule",
    [Brier(), Log(), Spherical(), Mixture([(1, Brier()), (1, Log())]), Bounded(Log(), (0.05, 0.6))],
    ids=repr,
)
def test_every_rule_improves_with_training(booster: Booster, rule: Any) -> None:
    params = booster.event | ({"min_child_weight": 0.1} if isinstance(booster, XGBoost) else {})
    model = booster.train(params, booster.learn(Tumours), 40, booster.objective(rule))
    after = rule(Y_SEEN, probabilities(booster.margins(model, X_SEEN)))
    assert after < 0.4 * rule(Y_SEEN, np.full(len(Y_SEEN), 0.5))


@pytest.mark.parametrize("rule", [Brier(), Spherical(), RPS()], ids=repr)
def test_every_rule_for_classes_improves_with_training(booster: Booster, rule: Any) -> None:
    is_one = isinstance(booster, XGBoost)
    quick = {"min_child_weight": 0.1, "eta": 0.5} if is_one else {"learning_rate": 0.3}
    data, learner = booster.learn(Digits), booster.objective(rule)
    X, y = Digits.X[~Digits.known], Digits.y[~Digits.known]
    p = probabilities(booster.grown(booster.classes | quick, data, X, 10, learner))
    assert p.shape == (len(y), 10)
    assert rule(y, p) < 0.6 * rule(y, np.full((len(y), 10), 0.1))


def test_what_is_trained_on_is_what_gets_better(xgboost: XGBoost) -> None:
    X, y = Tumours.X[:, [1]], Tumours.y
    params = {**xgboost.event, "base_score": 0.12, "max_depth": 2, "min_child_weight": 0.1}
    # One weak feature: trees that are graded from 0.05 to 0.2 alone are better there in training.
    narrow, general = (
        probabilities(xgboost.grown(params, xgboost.rows(X, y), X, 40, xgboost.objective(rule)))
        for rule in (NARROW, Log())
    )
    assert NARROW(y, narrow) < NARROW(y, general)
    assert Log()(y, general) < Log()(y, narrow)


FLAT = (
    "a rule can be learnt only where it has a slope; Bounded(rule=Brier(), within=Interval("
    "lower=0.05, upper=0.2), scale='mean') has none where boosting starts, with 379 forecasts "
    "at 0.5\n\nHint: start inside the range of the rule: "
)
INSIDE = {
    "xgboost": "base_score= a probability there, the event rate if it is, with the parameter "
    "objective='binary:logistic'.",
    "lightgbm": "init_score= for each row the log-odds of a probability there, the event rate if "
    f"it is{LEFT_OUT}",
}


def test_a_start_outside_the_range_is_refused(booster: Booster) -> None:
    learner, said = booster.objective(NARROW), FLAT + INSIDE[booster.name]
    assert told(lambda: booster.train(booster.event, booster.learn(Tumours), 3, learner)) == said
    assert told(lambda: booster.fitted(Tumours, booster.metric(Brier()), objective=learner)) == said


def test_a_start_inside_the_range_learns(xgboost: XGBoost, lightgbm: LightGBM) -> None:
    start = np.log(0.1 / 0.9)
    data = lightgbm.learn(Tumours, init_score=np.full(len(Y_KNOWN), start))
    first = lightgbm.grown(lightgbm.event, data, X_KNOWN, 20, lightgbm.objective(NARROW))
    params = {**xgboost.event, "base_score": 0.1}
    data = xgboost.learn(Tumours)
    other = xgboost.grown(params, data, X_KNOWN, 3, xgboost.objective(NARROW))
    for margin in (start + first, other):
        said = NARROW(Y_KNOWN, probabilities(margin))
        assert said < 0.5 * NARROW(Y_KNOWN, np.full(len(Y_KNOWN), 0.1))


def test_a_start_of_ones_own_is_named_where_it_is_flat(
    xgboost: XGBoost, lightgbm: LightGBM
) -> None:
    far = xgboost.learn(Tumours, base_margin=np.linspace(-1, 0, len(Y_KNOWN)))
    flat = xgboost.objective(Bounded(Brier(), (0.7, 0.9)))
    assert told(lambda: xgboost.train(xgboost.event, far, 3, flat)).endswith(
        "with 379 forecasts between 0.2689 and 0.5\n\nHint: start inside the range of the rule: "
        + INSIDE["xgboost"]
    )
    ranked = lightgbm.objective(Ranked(NARROW))
    params = {**lightgbm.classes, "num_class": 2}
    assert told(lambda: lightgbm.train(params, lightgbm.learn(Tumours), 3, ranked)).endswith(
        "has none where boosting starts, with 379 forecasts\n\n"
        "Hint: start elsewhere: init_score= one number for each row and class, such as the "
        f"logarithms of the class frequencies{LEFT_OUT}"
    )


def test_without_binary_logistic_the_start_is_a_margin(xgboost: XGBoost) -> None:
    start: list[float] = []

    def spy(margin: Any, data: Any) -> Any:
        start.append(float(margin[0]))
        return xgboost.objective(Log())(margin, data)

    for params in (
        {"nthread": 1},
        {"nthread": 1, "base_score": 0.2},
        {**xgboost.event, "base_score": 0.2},
    ):
        xgboost.train(params, xgboost.learn(Tumours), 1, spy)
    assert start == pytest.approx([0.5, 0.2, np.log(0.2 / 0.8)], rel=1e-6)


# Metrics


@pytest.mark.parametrize("rule", [NARROW, Brier(), PBS(), PLL()], ids=repr)
def test_early_stopping_keeps_the_round_of_the_least_loss(booster: Booster, rule: Any) -> None:
    learner, metric = booster.objective(Log()), booster.metric(rule)
    model, losses = booster.watched(booster.event, Tumours, 300, learner, metric, stop=10)
    assert len(losses) < 300
    assert booster.best(model) == int(np.argmin(losses)) + 1
    p = probabilities(booster.margins(model, X_SEEN))
    assert loss(rule, Y_SEEN, p) == pytest.approx(min(losses), **booster.close)


@pytest.mark.parametrize("rule", [PBS(), PLL(), RPS()], ids=repr)
def test_early_stopping_of_classes_in_the_scikit_learn_class(booster: Booster, rule: Any) -> None:
    more = {"n_estimators": 40, "learning_rate": 0.5, "objective": booster.objective(Log())}
    model, p, losses = booster.fitted(Digits, booster.metric(rule), 3, **more)
    assert booster.best(model) == int(np.argmin(losses)) + 1
    y = Digits.y[~Digits.known]
    assert rule(y, p) == pytest.approx(min(losses), **booster.close)


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("rule", [NARROW, Log(), PBS()], ids=repr)
def test_metrics_get_margins_of_ours_and_probabilities_of_their_objectives(
    booster: Booster, own: bool, weighted: bool, rule: Any
) -> None:
    weight = np.linspace(0.5, 2, len(Y_SEEN)).astype(np.float32) if weighted else None
    learner = None if own else booster.objective(Log())
    metric = booster.metric(rule, from_logits=not own)
    model, losses = booster.watched(booster.event, Tumours, 5, learner, metric, weight=weight)
    p = probabilities(booster.margins(model, X_SEEN))
    assert losses[-1] == pytest.approx(loss(rule, Y_SEEN, p, weight), **booster.close)


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("cases", [Tumours, Digits])
def test_the_scikit_learn_class_reports_the_same_losses(
    booster: Booster, own: bool, weighted: bool, cases: Any
) -> None:
    y = cases.y[~cases.known]
    weight = np.linspace(0.5, 2, len(y)).astype(np.float32) if weighted else None
    more = {} if own else {"objective": booster.objective(Brier())}
    metric = booster.metric(PBS(), from_logits=not own, name="superior")
    _, p, losses = booster.fitted(cases, metric, weight=weight, n_estimators=3, **more)
    p = p[:, 1] if cases is Tumours and p.ndim == 2 else p
    assert losses[-1] == pytest.approx(loss(PBS(), y, p, weight), **booster.close)


def test_margins_where_probabilities_are_expected_name_from_logits(booster: Booster) -> None:
    learner = booster.objective(Log())
    for rule, params, cases in (
        (NARROW, booster.event, Tumours),
        (Brier(), booster.classes, Digits),
    ):
        metric = booster.metric(rule, from_logits=False)
        found = told(lambda args=(params, cases, 5, learner, metric): booster.watched(*args))
        first, hint = found.split("\n\n")
        assert first.startswith("with from_logits=False trees must return probabilities; row ")
        assert hint == (
            "Hint: with a custom objective the trees return margins: pass from_logits=True."
        )


def test_cross_validation_and_cloning_work(xgboost: XGBoost, lightgbm: LightGBM) -> None:
    log = xgboost.library.cv(
        xgboost.event, xgboost.learn(Tumours), 15, nfold=3, obj=xgboost.objective(Brier()),
        custom_metric=xgboost.metric(NARROW, name="narrow"), early_stopping_rounds=5, seed=0,
        as_pandas=False,
    )  # fmt: skip
    assert log["test-narrow-mean"][-1] == min(log["test-narrow-mean"])
    log = lightgbm.library.cv(
        {**lightgbm.event, "objective": lightgbm.objective(Brier())}, lightgbm.learn(Tumours), 20,
        nfold=3, feval=lightgbm.metric(NARROW, name="narrow"), seed=0,
        callbacks=[lightgbm.library.early_stopping(5, verbose=False)],
    )  # fmt: skip
    assert log["valid narrow-mean"][-1] == min(log["valid narrow-mean"])
    brier = xgboost.objective(Brier())
    models = [
        xgboost.library.XGBClassifier(n_estimators=3, objective=brier, n_jobs=1),
        lightgbm.library.LGBMClassifier(objective=lightgbm.objective(Brier())),
    ]
    for model in models:
        assert clone(model).objective == model.objective
    search = GridSearchCV(models[0], {"objective": [brier, xgboost.objective(Log())]}, cv=2)
    search.fit(Tumours.X, Tumours.y)
    assert search.best_score_ > 0.9


def test_repr_is_the_call_that_makes_it(booster: Booster) -> None:
    assert repr(booster.objective(Brier())) == "objective(Brier())"
    assert repr(booster.metric(PBS())) == (
        "metric(Penalized(rule=Brier()), from_logits=True, name='pbs')"
    )
