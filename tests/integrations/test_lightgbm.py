"""Rules in LightGBM: the same trees for the log score, other trees for others, and early stops."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from tests.integrations.boosted_cases import NARROW, Digits, Tumours, told

from properly.rules import PBS, PLL, RPS, Bounded, Brier, Log, Mixture, Ranked, Spherical

lightgbm = pytest.importorskip(
    "lightgbm", reason="lightgbm is not installed; `make test-integrations` installs it"
)
from properly.integrations.lightgbm import metric, objective  # noqa: E402

QUIET = {"verbose": -1, "num_threads": 1, "deterministic": True}
EVENT = {**QUIET, "num_leaves": 6, "boost_from_average": False}
CLASSES = {**QUIET, "num_leaves": 4, "num_class": 10, "boost_from_average": False}


def learn(cases: Any, **more: Any) -> Any:
    X, y = cases.X[cases.known], cases.y[cases.known]
    return lightgbm.Dataset(X, y, params=QUIET, free_raw_data=False, **more)


def judge(cases: Any, data: Any, **more: Any) -> Any:
    X, y = cases.X[~cases.known], cases.y[~cases.known]
    return lightgbm.Dataset(X, y, reference=data, params=QUIET, free_raw_data=False, **more)


def margins(params: Any, data: Any, rounds: int, learner: Any) -> Any:
    model = lightgbm.train({**params, "objective": learner}, data, rounds)
    return model.predict(data.data, raw_score=True)


def sigmoid(margin: Any) -> Any:
    return 1 / (1 + np.exp(-margin))


def softmax(margin: Any) -> Any:
    share = np.exp(margin - margin.max(axis=1, keepdims=True))
    return share / share.sum(axis=1, keepdims=True)


def seen(X: Any, y: Any) -> dict[str, Any]:
    """Name what is looked at as this version of LightGBM does."""
    if "eval_X" in signature(lightgbm.LGBMClassifier.fit).parameters:
        return {"eval_X": X, "eval_y": y}
    return {"eval_set": [(X, y)]}


def test_the_log_score_grows_the_trees_of_binary() -> None:
    own = margins(EVENT, learn(Tumours), 30, "binary")
    ours = margins(EVENT, learn(Tumours), 30, objective(Log()))
    np.testing.assert_allclose(ours, own, atol=1e-6)
    assert np.ptp(own) > 5


def test_an_average_to_start_from_is_an_init_score() -> None:
    rate = Tumours.y[Tumours.known].mean()
    start = np.log(rate / (1 - rate))
    own = margins({**EVENT, "boost_from_average": True}, learn(Tumours), 30, "binary")
    data = learn(Tumours, init_score=np.full(int(Tumours.known.sum()), start))
    ours = margins(EVENT, data, 30, objective(Log()))
    # What predict returns leaves the start out.
    np.testing.assert_allclose(ours + start, own, atol=1e-5)


def test_weighted_rows_grow_the_trees_of_binary() -> None:
    weight = np.random.default_rng(1).uniform(0.5, 2, int(Tumours.known.sum()))
    own = margins(EVENT, learn(Tumours, weight=weight), 30, "binary")
    ours = margins(EVENT, learn(Tumours, weight=weight), 30, objective(Log()))
    np.testing.assert_allclose(ours, own, atol=1e-6)


def test_a_shorter_step_grows_the_trees_of_multiclass() -> None:
    X, y = load_wine(return_X_y=True)

    def wine() -> Any:
        return lightgbm.Dataset(X, y, params=QUIET, free_raw_data=False)

    params = {**CLASSES, "num_class": 3}
    # LightGBM multiplies the curvature of the softmax by K / (K - 1).
    usual = {"learning_rate": 0.1, "lambda_l2": 0.3, "min_sum_hessian_in_leaf": 1e-3}
    less = {name: value * 2 / 3 for name, value in usual.items()}
    own = margins({**params, **usual, "min_gain_to_split": 0.1}, wine(), 20, "multiclass")
    ours = margins({**params, **less, "min_gain_to_split": 0.15}, wine(), 20, objective(Log()))
    np.testing.assert_allclose(ours, own, atol=1e-6)
    assert np.ptp(own) > 2


@pytest.mark.parametrize("rule", [Log(), Brier(), Bounded(Brier(), (0.05, 0.6))], ids=repr)
def test_a_row_of_weight_two_is_two_rows(rule: Any) -> None:
    # Tenths of the cases: LightGBM counts rows for its bins, and weights do not change that.
    X, y = Tumours.X[:, :8].argsort(axis=0).argsort(axis=0) // 57, Tumours.y
    params = {**EVENT, "min_data_in_bin": 1, "min_data_in_leaf": 0, "min_sum_hessian_in_leaf": 1.0}
    twice = 1 + (np.arange(len(y)) % 4 == 0)

    def rows(X: Any, y: Any, weight: Any = None) -> Any:
        return lightgbm.Dataset(X, y, weight=weight, params=params, free_raw_data=False)

    found = margins(params, rows(X, y, twice), 5, objective(rule))
    repeated = rows(np.repeat(X, twice, axis=0), np.repeat(y, twice))
    np.testing.assert_allclose(
        np.repeat(found, twice), margins(params, repeated, 5, objective(rule)), atol=1e-6
    )
    assert np.abs(found - margins(params, rows(X, y), 5, objective(rule))).max() > 0.01
    model = lightgbm.LGBMClassifier(n_estimators=5, objective=objective(rule), **params)
    model.fit(X, y, sample_weight=twice)
    np.testing.assert_allclose(model.predict(X, raw_score=True), found, atol=1e-5)


@pytest.mark.parametrize(
    "rule",
    [Brier(), Log(), Spherical(), Mixture([(1, Brier()), (1, Log())]), Bounded(Log(), (0.05, 0.6))],
    ids=repr,
)
def test_every_rule_improves_with_training(rule: Any) -> None:
    model = lightgbm.train({**EVENT, "objective": objective(rule)}, learn(Tumours), 40)
    y = Tumours.y[~Tumours.known]
    before, after = (
        rule(y, p)
        for p in (np.full(len(y), 0.5), sigmoid(model.predict(Tumours.X[~Tumours.known])))
    )
    assert after < 0.4 * before


@pytest.mark.parametrize("rule", [Brier(), Spherical(), RPS()], ids=repr)
def test_every_rule_for_classes_improves_with_training(rule: Any) -> None:
    params = {**CLASSES, "objective": objective(rule), "learning_rate": 0.3}
    model = lightgbm.train(params, learn(Digits), 10)
    y, p = Digits.y[~Digits.known], softmax(model.predict(Digits.X[~Digits.known]))
    assert p.shape == (len(y), 10)
    assert rule(y, p) < 0.6 * rule(y, np.full((len(y), 10), 0.1))


def test_a_start_outside_the_range_is_refused_and_one_inside_learns() -> None:
    said = (
        "a rule can be learnt only where it has a slope; Bounded(rule=Brier(), within=Interval("
        "lower=0.05, upper=0.2), scale='mean') has none where boosting starts, with 379 forecasts "
        "at 0.5\n\nHint: start inside the range of the rule: init_score= for each row the log-odds "
        "of a probability there, the event rate if it is; predict leaves it out, so add it again."
    )
    params = {**EVENT, "objective": objective(NARROW)}
    assert told(lambda: lightgbm.train(params, learn(Tumours), 3)) == said
    X, y = Tumours.X[Tumours.known], Tumours.y[Tumours.known]
    model = lightgbm.LGBMClassifier(n_estimators=20, **params)
    assert told(lambda: model.fit(X, y)) == said
    start = np.log(0.1 / 0.9)
    model.fit(X, y, init_score=np.full(len(y), start))
    p = sigmoid(start + model.predict(X, raw_score=True))
    assert NARROW(y, p) < 0.5 * NARROW(y, np.full(len(y), 0.1))
    ranked = {**CLASSES, "num_class": 2, "objective": objective(Ranked(NARROW))}
    assert told(lambda: lightgbm.train(ranked, learn(Tumours), 3)).endswith(
        "has none where boosting starts, with 379 forecasts\n\n"
        "Hint: start elsewhere: init_score= one number for each row and class, such as the "
        "logarithms of the class frequencies; predict leaves it out, so add it again."
    )


@pytest.mark.parametrize("rule", [NARROW, Brier(), PBS(), PLL()], ids=repr)
def test_early_stopping_keeps_the_round_of_the_least_loss(rule: Any) -> None:
    data = learn(Tumours)
    log: dict[str, Any] = {}
    model = lightgbm.train(
        {**EVENT, "objective": objective(Log())},
        data,
        300,
        valid_sets=[judge(Tumours, data)],
        valid_names=["judge"],
        feval=metric(rule),
        callbacks=[
            lightgbm.early_stopping(10, verbose=False),
            lightgbm.record_evaluation(log),
        ],
    )
    losses = log["judge"][rule.name]
    assert len(losses) < 300
    assert model.best_iteration == int(np.argmin(losses)) + 1
    # predict goes back to the best round by itself.
    p = sigmoid(model.predict(Tumours.X[~Tumours.known]))
    y = Tumours.y[~Tumours.known]
    found = (
        rule(y, p) if isinstance(rule, Bounded | Brier) else rule(y, np.column_stack([1 - p, p]))
    )
    assert found == pytest.approx(min(losses), rel=1e-9)


@pytest.mark.parametrize("rule", [PBS(), PLL(), RPS()], ids=repr)
def test_early_stopping_of_classes_in_the_scikit_learn_class(rule: Any) -> None:
    model = lightgbm.LGBMClassifier(
        n_estimators=40,
        learning_rate=0.5,
        num_leaves=4,
        objective=objective(Log()),
        # Else LightGBM's own metric, of margins as if they were probabilities, stops it.
        metric="None",
        **QUIET,
    )
    X, y = Digits.X[~Digits.known], Digits.y[~Digits.known]
    model.fit(
        Digits.X[Digits.known],
        Digits.y[Digits.known],
        eval_metric=metric(rule),
        callbacks=[lightgbm.early_stopping(3, verbose=False)],
        **seen(X, y),
    )
    (losses,) = (log[rule.name] for log in model.evals_result_.values())
    assert model.best_iteration_ == int(np.argmin(losses)) + 1
    p = softmax(model.predict(X, raw_score=True))
    assert rule(y, p) == pytest.approx(min(losses), rel=1e-9)


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_metrics_get_margins_of_ours_and_probabilities_of_their_objectives(
    own: bool, weighted: bool
) -> None:
    y = Tumours.y[~Tumours.known]
    weight = np.linspace(0.5, 2, len(y)).astype(np.float32) if weighted else None
    rules = [NARROW, Log(), PBS()]
    data = learn(Tumours)
    log: dict[str, Any] = {}
    model = lightgbm.train(
        {**EVENT, "objective": "binary" if own else objective(Log()), "metric": "None"},
        data,
        5,
        valid_sets=[judge(Tumours, data, weight=weight)],
        valid_names=["judge"],
        feval=[metric(rule, from_logits=not own) for rule in rules],
        callbacks=[lightgbm.record_evaluation(log)],
    )
    p = model.predict(Tumours.X[~Tumours.known])
    p = p if own else sigmoid(p)
    for rule in rules:
        said = np.column_stack([1 - p, p]) if rule == PBS() else p
        assert log["judge"][rule.name][-1] == pytest.approx(rule(y, said, weight), rel=1e-9)


@pytest.mark.parametrize("own", [True, False])
def test_metrics_of_classes_get_both_too(own: bool) -> None:
    X, y = Digits.X[~Digits.known], Digits.y[~Digits.known]
    model = lightgbm.LGBMClassifier(
        n_estimators=3, **QUIET, **({} if own else {"objective": objective(Brier())})
    )
    model.fit(
        Digits.X[Digits.known],
        Digits.y[Digits.known],
        eval_metric=metric(PBS(), from_logits=not own, name="superior"),
        **seen(X, y),
    )
    (losses,) = (log["superior"] for log in model.evals_result_.values())
    p = model.predict_proba(X) if own else softmax(model.predict(X, raw_score=True))
    assert losses[-1] == pytest.approx(PBS()(y, p), rel=1e-9)


def test_margins_where_probabilities_are_expected_name_from_logits() -> None:
    def train(rule: Any, params: Any, cases: Any) -> None:
        data = learn(cases)
        params = {**params, "objective": objective(Log())}
        watch = {"valid_sets": [judge(cases, data)], "feval": metric(rule, from_logits=False)}
        lightgbm.train(params, data, 5, **watch)

    for found in (
        told(lambda: train(NARROW, EVENT, Tumours)),
        told(lambda: train(Brier(), CLASSES, Digits)),
    ):
        first, hint = found.split("\n\n")
        assert first.startswith("with from_logits=False trees must return probabilities; row ")
        assert hint == (
            "Hint: with a custom objective the trees return margins: pass from_logits=True."
        )


def test_margins_without_values_name_the_round() -> None:
    learner, calls = objective(Log()), iter([1.0, 1.0, np.nan])

    class BreakDown:
        """Not copied with the parameters, so that it counts the calls of one training."""

        def __deepcopy__(self, memo: Any) -> BreakDown:
            return self

        def __call__(self, margin: Any, data: Any) -> Any:
            return learner(margin * next(calls), data)

    params = {**EVENT, "objective": BreakDown()}
    assert told(lambda: lightgbm.train(params, learn(Tumours), 9)) == (
        "margins of boosting round 2 must be finite; row 0 is nan (379 such rows)\n\n"
        "Hint: look at init_score; if the trees have diverged, raise lambda_l2 or the leaf size."
    )


def test_labels_that_cannot_be_learnt_from_are_refused() -> None:
    def train(label: Any, params: Any) -> None:
        params = {**params, "min_data_in_leaf": 1, "min_data_in_bin": 1}
        data = lightgbm.Dataset(np.arange(4.0).reshape(4, 1), label, params=params)
        lightgbm.train({**params, "objective": objective(Log())}, data, 1)

    assert told(lambda: train([0, 1, 2, 3], EVENT)) == (
        "labels of one event must be 0 or 1; row 2 is 2.0 (2 such rows)\n\n"
        "Hint: several classes need num_class, and an objective with one column a class."
    )
    assert told(lambda: train([0, 1, 2, 3], {**CLASSES, "num_class": 3})) == (
        "labels must be class numbers from 0 to 2; row 3 is 3.0"
    )


def test_cross_validation_and_cloning_work() -> None:
    log = lightgbm.cv(
        {**EVENT, "objective": objective(Brier())},
        learn(Tumours),
        20,
        nfold=3,
        feval=metric(NARROW, name="narrow"),
        callbacks=[lightgbm.early_stopping(5, verbose=False)],
        seed=0,
    )
    assert log["valid narrow-mean"][-1] == min(log["valid narrow-mean"])
    model = lightgbm.LGBMClassifier(objective=objective(Brier()))
    assert clone(model).objective == model.objective


def test_a_forecast_of_one_half_is_where_ours_start() -> None:
    model = lightgbm.train({**EVENT, "objective": objective(Log())}, learn(Tumours), 1)
    assert np.abs(model.predict(Tumours.X)).max() < 0.5


def test_repr_is_the_call_that_makes_it() -> None:
    assert repr(objective(Brier())) == "objective(Brier())"
    assert repr(metric(PBS(), from_logits=False, name="a: b")) == (
        "metric(Penalized(rule=Brier()), from_logits=False, name='a: b')"
    )
    unsure: Any = "no"
    assert told(lambda: metric(Brier(), from_logits=unsure)) == (
        "from_logits must be True or False; got 'no'"
    )
