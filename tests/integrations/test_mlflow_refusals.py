"""MLflow: what is no forecast, or is not known, is refused in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.integrations.mlflow_people import FACTORS, QUICK, WHY, people, saved

import properly
from properly.errors import ArgumentTypeError, DataError
from properly.rules import Brier

mlflow = pytest.importorskip("mlflow", reason=WHY)
linear = pytest.importorskip("sklearn.linear_model", reason=WHY)

from mlflow.models.evaluation import EvaluationDataset  # noqa: E402
from mlflow.models.evaluation.base import _get_model_from_function  # noqa: E402

from properly.integrations.mlflow import ProperlyEvaluator, log_evaluation  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

# MLflow's own code meets a newer pandas than it was written for.
pytestmark = pytest.mark.filterwarnings(
    "ignore:The inplace keyword in DataFrame.drop is deprecated"
)


def refused(data: Any, model: Any = None, targets: str = "died", **config: Any) -> str:
    """Return what the evaluator answers to what it refuses; no run is needed for that."""
    about = EvaluationDataset(data, targets=targets, predictions=config.pop("predictions", None))
    asked: dict[str, Any] = {"dataset": about, "model": model, "evaluator_config": QUICK | config}
    with pytest.raises(DataError) as error:
        ProperlyEvaluator().evaluate(model_type="classifier", run_id="none", **asked)
    return str(error.value)


def test_logging_needs_a_run_and_an_evaluation() -> None:
    found = properly.evaluate([0, 1, 1], {"x": [0.1, 0.4, 0.8]}, replicates=0)
    with pytest.raises(DataError) as missing:
        log_evaluation(found)
    assert str(missing.value) == (
        "there must be an active run of MLflow, or run_id; got neither\n\n"
        "Hint: with mlflow.start_run(): log_evaluation(evaluation)"
    )
    with pytest.raises(ArgumentTypeError) as other:
        log_evaluation({"brier": 0.2})  # type: ignore[arg-type]
    assert str(other.value) == (
        "what is logged must be an Evaluation; got dict\n\n"
        "Hint: make one with properly.evaluate(y, forecasts)."
    )
    with pytest.raises(DataError, match=r"^figures must be True or False; got 'png'$"):
        log_evaluation(found, run_id="none", figures="png")  # type: ignore[arg-type]


def test_keys_that_nobody_knows_are_refused() -> None:
    data = people(20)
    assert refused(data, predictions="risk", rulse=Brier()) == (
        "evaluator_config must have only keys that are known; got 'rulse'\n\n"
        "Hint: did you mean 'rules'?"
    )
    assert refused(data, predictions="risk", quux=1) == (
        "evaluator_config must have only keys that are known; got 'quux'\n\n"
        "Hint: known are rules, within, level, replicates, rng, labels, pos_label, ordered, "
        "forecasts, weight, count, clusters, strata, time, groups, cases, event, figures, report."
    )
    assert refused(data, predictions="risk", ordered="yes") == (
        "ordered must be True or False; got 'yes'"
    )
    with pytest.raises(ArgumentTypeError, match=r"^evaluator_config must be a dict; got list$"):
        ProperlyEvaluator().evaluate(
            model_type="classifier",
            dataset=None,
            run_id="none",
            evaluator_config=["rules"],  # type: ignore[arg-type]
        )


def test_columns_that_are_not_there_are_refused() -> None:
    data = people(20)
    assert refused(data, predictions="risk", weight="weigth") == (
        "the data must have the column 'weigth'; it has 5 others\n\n"
        "Hint: did you mean one of 'weight'?"
    )
    assert refused(data, forecasts=["rsik"]) == (
        "the data must have the column 'rsik'; it has 6 others\n\nHint: did you mean one of 'risk'?"
    )
    assert refused(data) == (
        "data without a model must have forecasts; neither predictions nor forecasts names a "
        """column\n\nHint: evaluator_config={"forecasts": ["name of a column"]}"""
    )
    about = EvaluationDataset(np.ones((2, 2)), targets=np.array([0, 1]))
    with pytest.raises(DataError) as error:
        ProperlyEvaluator().evaluate(
            model_type="classifier",
            dataset=about,
            run_id="none",
            evaluator_config={"weight": "w"},
        )
    assert str(error.value) == (
        "weight by name needs data in a frame; got ndarray\n\n"
        "Hint: pass the values themselves as weight."
    )
    with pytest.raises(DataError) as missing:
        ProperlyEvaluator().evaluate(
            model_type="classifier",
            dataset=EvaluationDataset(np.ones((2, 2))),
            run_id="none",
            evaluator_config=QUICK,
        )
    assert str(missing.value) == (
        "outcomes are needed, in the column that targets names; it names none"
    )


def test_labels_are_no_forecasts(tmp_path: Path) -> None:
    data = people(40)[[*FACTORS, "died", "grade", "risk"]]
    hint = "\n\nHint: pass probabilities, as floats: predict_proba, or a column of them."
    assert refused(data, predictions="grade").startswith(
        "labels are no forecasts: the column 'grade' must be probabilities; got object such as '"
    )
    assert refused(data, forecasts="died", targets="grade") == (
        "labels are no forecasts: the column 'died' must be probabilities; got int64 such as "
        f"{data.died[0]}{hint}"
    )

    decides = _get_model_from_function(lambda frame: frame.age > 0)
    assert refused(data, decides) == (
        "labels are no forecasts: what the model predicts must be probabilities; got bool such as "
        f"{bool(data.age[0] > 0)}{hint}"
    )
    # Labels that are floats look like probabilities, but its classes give it away.
    ridge = linear.RidgeClassifier().fit(data[FACTORS], data.died.astype(float))
    path = saved(ridge, tmp_path / "ridge")
    only = data[[*FACTORS, "died"]]
    assert refused(only, mlflow.pyfunc.load_model(path)) == (
        "labels are no forecasts: what the model predicts "
        "must be probabilities; it has no predict_proba\n\n"
        "Hint: fit a model with predict_proba, or calibrate this one."
    )


def test_tables_of_unknown_columns_are_refused() -> None:
    data = people(20).assign(other=lambda x: 1 - x.risk, none=0.0)
    words: dict[str, Any] = {"forecasts": {"x": ["other", "risk"]}, "targets": "grade"}
    assert refused(data, **words) == (
        "two columns of forecasts need labels, which say what each stands for; got none\n\n"
        """Hint: evaluator_config={"labels": [the other, the event]}"""
    )
    three: dict[str, Any] = {"forecasts": {"x": ["other", "risk", "none"]}, "targets": "grade"}
    assert refused(data, **three).startswith("outcomes in words need labels=, in order; got")
    assert refused(data, linear.LogisticRegression(), forecasts=["risk"]) == (
        "forecasts names columns of data without a model; there is a model as well\n\n"
        "Hint: leave out the model, or forecasts."
    )


def test_words_have_no_order_of_their_own(tmp_path: Path) -> None:
    data = people()[[*FACTORS, "grade"]]
    model = linear.LogisticRegression().fit(data[FACTORS], data.grade)
    loaded = mlflow.pyfunc.load_model(saved(model, tmp_path / "unordered"))
    assert refused(data, loaded, targets="grade", ordered=True) == (
        "ordered classes in words need labels, in order; a class is 'high'\n\n"
        """Hint: evaluator_config={"ordered": True, "labels": [lowest, …, highest]}"""
    )


def test_two_classes_in_words_need_an_event(tmp_path: Path) -> None:
    data = people()[[*FACTORS, "died"]]
    data["died"] = np.where(data.died == 1, "yes", "no")
    path = saved(linear.LogisticRegression().fit(data[FACTORS], data.died), tmp_path / "words")
    model = mlflow.pyfunc.load_model(path)
    assert refused(data, model) == (
        "pos_label must say which class is the event, unless they are 0 and 1; they are 'no' and "
        """'yes'\n\nHint: evaluator_config={"pos_label": 'yes'}"""
    )
    assert refused(data, model, pos_label="maybe") == (
        "labels must be those of the model's classes, 'no', 'yes'; got 'maybe'"
    )
    assert refused(data, model, labels=["no", "yes"], pos_label="no") == (
        "pos_label must be the last of labels, 'yes'; got 'no'"
    )
