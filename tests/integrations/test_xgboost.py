"""Rules in XGBoost: the same trees for the log score, other trees for others, and early stops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from tests.integrations.boosted_cases import NARROW, Digits, Tumours, told

from properly.rules import PBS, PLL, RPS, Bounded, Brier, Log, Mixture, Spherical

xgboost = pytest.importorskip(
    "xgboost", reason="xgboost is not installed; `make test-integrations` installs it"
)
from properly.integrations.xgboost import metric, objective  # noqa: E402

EVENT = {"objective": "binary:logistic", "base_score": 0.5, "max_depth": 3, "nthread": 1}
CLASSES = {"objective": "multi:softprob", "num_class": 10, "max_depth": 2, "nthread": 1}


def learning(cases: Any, **more: Any) -> Any:
    return xgboost.DMatrix(cases.X[cases.known], cases.y[cases.known], nthread=1, **more)


def judging(cases: Any, **more: Any) -> Any:
    return xgboost.DMatrix(cases.X[~cases.known], cases.y[~cases.known], nthread=1, **more)


def margins(params: Any, data: Any, rounds: int, rule: Any = None, **more: Any) -> Any:
    learner = None if rule is None else objective(rule)
    model = xgboost.train(params, data, rounds, obj=learner, **more)
    return model.predict(data, output_margin=True)


def test_the_log_score_grows_the_trees_of_binary_logistic() -> None:
    data = learning(Tumours)
    own, ours = margins(EVENT, data, 30), margins(EVENT, data, 30, Log())
    np.testing.assert_allclose(ours, own, atol=1e-5)
    assert np.ptp(own) > 8


def test_weighted_rows_grow_the_trees_of_binary_logistic() -> None:
    weight = np.random.default_rng(1).uniform(0.5, 2, int(Tumours.known.sum()))
    data = learning(Tumours, weight=weight)
    own, ours = margins(EVENT, data, 30), margins(EVENT, data, 30, Log())
    np.testing.assert_allclose(ours, own, atol=1e-5)


def test_half_the_step_and_half_the_limits_grow_the_trees_of_softprob() -> None:
    data = learning(Digits)
    # XGBoost doubles the curvature of the softmax; its usual values are halved, gamma is doubled.
    halved = {"eta": 0.15, "reg_lambda": 0.5, "min_child_weight": 0.5, "gamma": 0.2}
    # Without base_score it would start from the class frequencies, but not with our objective.
    start = {**CLASSES, "base_score": 0.5}
    own = margins({**start, "gamma": 0.1}, data, 8)
    ours = margins({**start, **halved}, data, 8, Log())
    np.testing.assert_allclose(ours, own, atol=1e-5)
    assert np.ptp(own) > 3


@pytest.mark.parametrize("rule", [Log(), Brier(), Bounded(Brier(), (0.05, 0.6))], ids=repr)
def test_a_row_of_weight_two_is_two_rows(rule: Any) -> None:
    X, y = Tumours.X[:, :8].round(2), Tumours.y
    params = {**EVENT, "max_bin": 1024}
    twice = 1 + (np.arange(len(y)) % 4 == 0)
    weighted = xgboost.DMatrix(X, y, weight=twice, nthread=1)
    repeated = xgboost.DMatrix(np.repeat(X, twice, axis=0), np.repeat(y, twice), nthread=1)
    found = margins(params, weighted, 10, rule)
    np.testing.assert_allclose(
        np.repeat(found, twice), margins(params, repeated, 10, rule), atol=1e-4
    )
    assert np.abs(found - margins(params, xgboost.DMatrix(X, y), 10, rule)).max() > 0.01
    model = xgboost.XGBClassifier(
        n_estimators=10,
        objective=objective(rule),
        base_score=0.5,
        max_depth=3,
        max_bin=1024,
        n_jobs=1,
    ).fit(X, y, sample_weight=twice)
    np.testing.assert_allclose(model.predict(X, output_margin=True), found, atol=1e-4)


@pytest.mark.parametrize(
    "rule",
    [Brier(), Log(), Spherical(), Mixture([(1, Brier()), (1, Log())]), Bounded(Log(), (0.05, 0.6))],
    ids=repr,
)
def test_every_rule_improves_with_training(rule: Any) -> None:
    params = {**EVENT, "min_child_weight": 0.1}
    model = xgboost.train(params, learning(Tumours), 20, obj=objective(rule))
    y, judge = Tumours.y[~Tumours.known], judging(Tumours)
    before, after = (rule(y, p) for p in (np.full(len(y), 0.5), model.predict(judge)))
    assert after < 0.4 * before


@pytest.mark.parametrize("rule", [Brier(), Spherical(), RPS()], ids=repr)
def test_every_rule_for_classes_improves_with_training(rule: Any) -> None:
    params = {**CLASSES, "min_child_weight": 0.1, "eta": 0.5}
    model = xgboost.train(params, learning(Digits), 6, obj=objective(rule))
    y, p = Digits.y[~Digits.known], model.predict(judging(Digits))
    assert p.shape == (len(y), 10)
    assert rule(y, p) < 0.6 * rule(y, np.full((len(y), 10), 0.1))


def test_what_is_trained_on_is_what_gets_better() -> None:
    X, y = Tumours.X[:, [1]], Tumours.y
    data = xgboost.DMatrix(X, y, nthread=1)
    params = {**EVENT, "base_score": 0.12, "max_depth": 2, "min_child_weight": 0.1}
    # One weak feature: trees that are graded from 0.05 to 0.2 alone are better there in training.
    narrow = xgboost.train(params, data, 40, obj=objective(NARROW)).predict(data)
    general = xgboost.train(params, data, 40, obj=objective(Log())).predict(data)
    assert NARROW(y, narrow) < NARROW(y, general)
    assert Log()(y, general) < Log()(y, narrow)


def test_a_start_outside_the_range_is_refused_and_one_inside_learns() -> None:
    said = (
        "a rule can be learnt only where it has a slope; Bounded(rule=Brier(), within=Interval("
        "lower=0.05, upper=0.2), scale='mean') has none where boosting starts, with 379 forecasts "
        "at 0.5\n\nHint: start inside the range of the rule: base_score= a probability there, the "
        "event rate if it is, with the parameter objective='binary:logistic'."
    )
    assert told(lambda: xgboost.train(EVENT, learning(Tumours), 3, obj=objective(NARROW))) == said
    settings = {"objective": objective(NARROW), "n_estimators": 3, "n_jobs": 1}
    X, y = Tumours.X[Tumours.known], Tumours.y[Tumours.known]
    assert told(lambda: xgboost.XGBClassifier(**settings).fit(X, y)) == said
    model = xgboost.XGBClassifier(**settings, base_score=0.1).fit(X, y)
    assert NARROW(y, model.predict_proba(X)[:, 1]) < 0.5 * NARROW(y, np.full(len(y), 0.1))
    flat = Bounded(Brier(), (0.7, 0.9))
    far = learning(Tumours, base_margin=np.linspace(-1, 0, len(y)))
    assert told(lambda: xgboost.train(EVENT, far, 3, obj=objective(flat))).endswith(
        "with 379 forecasts between 0.2689 and 0.5\n\nHint: start inside the range of the rule: "
        "base_score= a probability there, the event rate if it is, with the parameter "
        "objective='binary:logistic'."
    )


def test_without_binary_logistic_the_start_is_a_margin() -> None:
    data = learning(Tumours)
    start: list[float] = []

    def spy(margin: Any, data: Any) -> Any:
        start.append(float(margin[0]))
        return objective(Log())(margin, data)

    xgboost.train({"nthread": 1}, data, 1, obj=spy)
    xgboost.train({"nthread": 1, "base_score": 0.2}, data, 1, obj=spy)
    xgboost.train({**EVENT, "base_score": 0.2}, data, 1, obj=spy)
    assert start == pytest.approx([0.5, 0.2, np.log(0.2 / 0.8)], rel=1e-6)


@pytest.mark.parametrize("rule", [NARROW, Brier(), PBS(), PLL()], ids=repr)
def test_early_stopping_keeps_the_round_of_the_least_loss(rule: Any) -> None:
    judge = judging(Tumours)
    log: dict[str, Any] = {}
    model = xgboost.train(
        EVENT,
        learning(Tumours),
        200,
        obj=objective(Log()),
        custom_metric=metric(rule),
        evals=[(judge, "judge")],
        early_stopping_rounds=10,
        evals_result=log,
        verbose_eval=False,
    )
    losses = log["judge"][rule.name]
    assert len(losses) < 200
    assert model.best_iteration == int(np.argmin(losses))
    p = model.predict(judge, iteration_range=(0, model.best_iteration + 1))
    y = Tumours.y[~Tumours.known]
    found = (
        rule(y, p) if isinstance(rule, Bounded | Brier) else rule(y, np.column_stack([1 - p, p]))
    )
    assert found == pytest.approx(min(losses), abs=2e-6)


@pytest.mark.parametrize("rule", [PBS(), PLL(), RPS()], ids=repr)
def test_early_stopping_of_classes_in_the_scikit_learn_class(rule: Any) -> None:
    model = xgboost.XGBClassifier(
        n_estimators=40,
        learning_rate=0.5,
        max_depth=2,
        objective=objective(Log()),
        eval_metric=metric(rule),
        early_stopping_rounds=2,
        n_jobs=1,
    )
    X, y = Digits.X[~Digits.known], Digits.y[~Digits.known]
    model.fit(Digits.X[Digits.known], Digits.y[Digits.known], eval_set=[(X, y)], verbose=False)
    losses = model.evals_result()["validation_0"][rule.name]
    assert model.best_iteration == int(np.argmin(losses))
    # predict_proba goes back to the best round by itself.
    assert rule(y, model.predict_proba(X)) == pytest.approx(min(losses), abs=2e-6)


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_metrics_get_margins_of_ours_and_probabilities_of_their_objectives(
    own: bool, weighted: bool
) -> None:
    y = Tumours.y[~Tumours.known]
    weight = np.linspace(0.5, 2, len(y)) if weighted else None
    judge = judging(Tumours, weight=weight)
    for rule in (NARROW, Log(), PBS()):
        log: dict[str, Any] = {}
        model = xgboost.train(
            EVENT,
            learning(Tumours),
            5,
            obj=None if own else objective(Log()),
            custom_metric=metric(rule, from_logits=not own),
            evals=[(judge, "judge")],
            evals_result=log,
            verbose_eval=False,
        )
        p = model.predict(judge).astype(np.float64)
        said = np.column_stack([1 - p, p]) if rule == PBS() else p
        assert log["judge"][rule.name][-1] == pytest.approx(rule(y, said, weight), abs=2e-6)


@pytest.mark.parametrize("own", [True, False])
def test_the_scikit_learn_class_reports_the_same_losses(own: bool) -> None:
    y = Tumours.y[~Tumours.known]
    weight = np.linspace(0.5, 2, len(y))
    model = xgboost.XGBClassifier(
        n_estimators=5,
        objective="binary:logistic" if own else objective(Brier()),
        eval_metric=metric(NARROW, from_logits=not own, name="narrow"),
        n_jobs=1,
    )
    model.fit(
        Tumours.X[Tumours.known],
        Tumours.y[Tumours.known],
        eval_set=[(Tumours.X[~Tumours.known], y)],
        sample_weight_eval_set=[weight],
        verbose=False,
    )
    p = model.predict_proba(Tumours.X[~Tumours.known])[:, 1]
    found = model.evals_result()["validation_0"]["narrow"][-1]
    assert found == pytest.approx(NARROW(y, p, weight), abs=2e-6)


def test_margins_where_probabilities_are_expected_name_from_logits() -> None:
    def train(rule: Any, params: Any, data: Any, judge: Any) -> None:
        xgboost.train(
            params,
            data,
            5,
            obj=objective(Log()),
            custom_metric=metric(rule, from_logits=False),
            evals=[(judge, "judge")],
            verbose_eval=False,
        )

    for found in (
        told(lambda: train(NARROW, EVENT, learning(Tumours), judging(Tumours))),
        told(lambda: train(Brier(), CLASSES, learning(Digits), judging(Digits))),
    ):
        first, hint = found.split("\n\n")
        assert first.startswith("with from_logits=False trees must return probabilities; row ")
        assert hint == (
            "Hint: with a custom objective the trees return margins: pass from_logits=True."
        )


def test_cross_validation_and_cloning_work() -> None:
    log = xgboost.cv(
        EVENT,
        learning(Tumours),
        15,
        nfold=3,
        obj=objective(Brier()),
        custom_metric=metric(NARROW, name="narrow"),
        early_stopping_rounds=5,
        seed=0,
        as_pandas=False,
    )
    assert log["test-narrow-mean"][-1] == min(log["test-narrow-mean"])
    model = xgboost.XGBClassifier(n_estimators=3, objective=objective(Brier()), n_jobs=1)
    assert clone(model).objective == model.objective
    search = GridSearchCV(model, {"objective": [objective(Brier()), objective(Log())]}, cv=2)
    search.fit(Tumours.X, Tumours.y)
    assert search.best_score_ > 0.9


def test_the_regressor_learns_log_odds() -> None:
    model = xgboost.XGBRegressor(
        n_estimators=10, objective=objective(Brier()), base_score=0.0, max_depth=3, n_jobs=1
    ).fit(Tumours.X, Tumours.y)
    data = xgboost.DMatrix(Tumours.X, Tumours.y, nthread=1)
    np.testing.assert_allclose(
        model.predict(Tumours.X), margins(EVENT, data, 10, Brier()), atol=1e-5
    )


def test_repr_is_the_call_that_makes_it() -> None:
    assert repr(objective(Brier())) == "objective(Brier())"
    assert repr(metric(PBS())) == ("metric(Penalized(rule=Brier()), from_logits=True, name='pbs')")
