"""What XGBoost is refused, word for word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from properly.errors import ArgumentTypeError, DataError
from properly.rules import PBS, Brier, Log, Penalized

xgboost = pytest.importorskip(
    "xgboost", reason="xgboost is not installed; `make test-integrations` installs it"
)
from properly.integrations.xgboost import metric, objective  # noqa: E402

EVENT = {"objective": "binary:logistic", "base_score": 0.5, "max_depth": 3, "nthread": 1}
CLASSES = {"objective": "multi:softprob", "num_class": 10, "max_depth": 2, "nthread": 1}


def tumours(**more: Any) -> Any:
    X, y = load_breast_cancer(return_X_y=True)
    return xgboost.DMatrix(X[:379], y[:379], nthread=1, **more)


def digits() -> Any:
    X, y = load_digits(return_X_y=True)
    return xgboost.DMatrix(X[:200], y[:200], nthread=1)


def told(call: Any, error: type[Exception] = DataError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def test_names_that_xgboost_would_misread_are_refused() -> None:
    other = "\n\nHint: name= gives the metric another."
    for name in ("a:b", "a b", " a", "a\n", " "):
        assert told(lambda name=name: metric(Brier(), name=name)) == (
            f"XGBoost cannot read names with colons or blanks; got {name!r}" + other
        )
    for name in ("auc_like", "precision", "map", "ndcg@3"):
        assert told(lambda name=name: metric(Brier(), name=name)) == (
            f"a metric is a loss; got {name!r}"
            ", and XGBoost maximises what begins with auc, pre, map or ndcg" + other
        )
    costly = Penalized(Brier(), 1.0, cost=[[0, 1], [2, 0]])
    assert told(lambda: metric(costly)).startswith("XGBoost cannot read names")
    assert metric(costly, name="costly").name == "costly"
    unsure: Any = "no"
    assert told(lambda: metric(Brier(), from_logits=unsure)) == (
        "from_logits must be True or False; got 'no'"
    )
    assert told(lambda: metric(Brier(), name=""), ArgumentTypeError) == "name must be text; got ''"


def test_margins_without_values_name_the_round() -> None:
    start = np.zeros(379)
    start[3] = np.nan
    data = tumours(base_margin=start)
    assert told(lambda: xgboost.train(EVENT, data, 3, obj=objective(Log()))) == (
        "margins of boosting round 0 must be finite; row 3 is nan\n\n"
        "Hint: look at base_margin; if the trees have diverged, raise reg_lambda or lower eta."
    )
    learn, calls = objective(Log()), iter([1.0, 1.0, np.nan])

    def break_down(margin: Any, data: Any) -> Any:
        return learn(margin * next(calls), data)

    data = tumours()
    assert told(lambda: xgboost.train(EVENT, data, 9, obj=break_down)) == (
        "margins of boosting round 2 must be finite; row 0 is nan (379 such rows)\n\n"
        "Hint: look at base_margin; if the trees have diverged, raise reg_lambda or lower eta."
    )


def test_labels_and_rows_that_cannot_be_learnt_from_are_refused() -> None:
    X = np.arange(4.0).reshape(4, 1)
    learn = objective(Log())

    def train(label: Any, params: Any = EVENT, **more: Any) -> None:
        xgboost.train(params, xgboost.DMatrix(X, label, **more), 1, obj=learn)

    assert told(lambda: train([0, 1, 2, 3])) == (
        "labels of one event must be 0 or 1; row 2 is 2.0 (2 such rows)\n\n"
        "Hint: several classes need num_class, and an objective with one column a class."
    )
    assert told(lambda: train([0, 1, 2, 3], {**CLASSES, "num_class": 3})) == (
        "labels must be class numbers from 0 to 2; row 3 is 3.0"
    )
    assert told(lambda: train(None)) == (
        "there must be one label for each row of margins, which has one column a class; got labels of shape "  # noqa: E501
        "(0,) and margins of shape (4,)"
    )
    with pytest.warns(UserWarning, match="Empty dataset"):
        empty = told(
            lambda: xgboost.train(EVENT, xgboost.DMatrix(np.empty((0, 1)), []), 1, obj=learn)
        )
    assert empty == "boosting needs data; got 0 rows"


def test_class_numbers_are_no_probabilities() -> None:
    params = {**CLASSES, "objective": "multi:softmax"}
    found = told(
        lambda: xgboost.train(
            params,
            digits(),
            1,
            custom_metric=metric(PBS(), from_logits=False),
            evals=[(digits(), "judge")],
            verbose_eval=False,
        )
    )
    assert found.startswith("labels of one event must be 0 or 1; row ")
    assert found.endswith(
        "\n\nHint: several classes need num_class, and an objective with one column a class."
    )
