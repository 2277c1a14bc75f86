"""MLflow: what is logged is what was found, and what is no forecast is refused."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.integrations.mlflow_people import FACTORS, GRADES, QUICK, WHY, people, saved

import properly
from properly.errors import DataWarning
from properly.rules import RPS, BetaWeighted, Bounded, Brier, Elementary, Log, Mixture

mlflow = pytest.importorskip("mlflow", reason=WHY)
pd = pytest.importorskip("pandas", reason=WHY)
linear = pytest.importorskip("sklearn.linear_model", reason=WHY)

from mlflow.models import EvaluationResult  # noqa: E402
from mlflow.models.evaluation import evaluator_registry  # noqa: E402
from mlflow.utils.validation import _validate_metric_name  # noqa: E402

from properly.integrations.mlflow import ProperlyEvaluator, log_evaluation  # noqa: E402
from properly.integrations.mlflow._logging import metric_name, metrics_of  # noqa: E402

# MLflow's own code meets a newer SQLAlchemy and a newer pandas than it was written for.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The ``noload`` loader strategy is deprecated"),
    pytest.mark.filterwarnings("ignore:Starting with pandas version 4.0"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.drop is deprecated"),
    pytest.mark.filterwarnings("ignore:(?s).*Inferred schema contains integer column"),
]
HOSTILE = "</script><b>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep runs in a database of their own, and tell MLflow of the evaluator."""
    place = tmp_path_factory.mktemp("mlflow")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"sqlite:///{place}/runs.db")
    mlflow.create_experiment("tests", artifact_location=(place / "artifacts").as_uri())
    mlflow.set_experiment("tests")
    registry = evaluator_registry._model_evaluation_registry
    known = dict(registry._registry)
    registry.register("properly", ProperlyEvaluator)
    yield place
    registry._registry = known
    mlflow.set_tracking_uri(before)


@pytest.fixture(scope="module")
def logistic(folder: Path) -> str:
    """Fit a model, and save it as MLflow does."""
    data = people(seed=1)
    return saved(linear.LogisticRegression().fit(data[FACTORS], data.died), folder / "logistic")


def evaluated(data: Any, model: Any = None, targets: str = "died", **config: Any) -> Any:
    """Ask MLflow to evaluate, by our evaluator alone."""
    asked: dict[str, Any] = {"predictions": config.pop("predictions", None)}
    asked |= {"evaluators": "properly", "evaluator_config": QUICK | config}
    return mlflow.models.evaluate(model, data, targets=targets, model_type="classifier", **asked)


def test_a_classifier_is_asked_for_its_probabilities(logistic: str) -> None:
    data = people()[[*FACTORS, "died"]]
    result = evaluated(data, logistic, rules=[Brier(), Log()], within=(0.05, 0.2))
    p = mlflow.sklearn.load_model(logistic).predict_proba(data[FACTORS])[:, 1]
    known = properly.evaluate(data.died, {"x": p}, within=(0.05, 0.2), replicates=0)
    assert result.metrics == metrics_of(known)
    assert result.metrics["brier"] == pytest.approx(np.mean((data.died - p) ** 2))
    assert result.metrics["regret_0.05_0.2"] == pytest.approx(
        known.scores["x"]["regret[0.05,0.2]"].value
    )
    assert mlflow.get_run(result.run_id).data.metrics == result.metrics


def test_scores_have_intervals_and_parts() -> None:
    data = people()
    found = properly.evaluate(data.died, {"x": data.risk}, rules=Brier(), replicates=20, rng=1)
    metrics, parts = metrics_of(found), found.decompositions["x"]["brier"]
    for name in ("brier", "brier_skill", "auc"):
        assert metrics[f"{name}_lower"] < metrics[name] < metrics[f"{name}_upper"]
    total = metrics["brier_miscalibration"] - metrics["brier_discrimination"]
    assert total + metrics["brier_uncertainty"] == pytest.approx(metrics["brier"])
    assert parts.intervals is not None
    assert metrics["brier_miscalibration_corrected"] == parts.intervals.corrected_miscalibration
    assert metrics["brier_discrimination_upper"] == parts.intervals.discrimination[1]
    assert metrics["calibration_test_p_value"] == found.calibration_tests["x"].p_value
    assert metrics["event_rate"] == data.died.mean()
    assert metrics["cases"] == 120


@pytest.fixture(scope="module")
def drawn(folder: Path) -> Any:
    """Draw all that there is of two columns, whose names are none for a file or a page."""
    assert folder.exists()
    data = people(40).rename(columns={"risk": HOSTILE, "guess": "../../x"})
    asked: dict[str, Any] = {"figures": True, "report": True, "event": "death"}
    return evaluated(data, forecasts=[HOSTILE, "../../x"], **asked)


def test_figures_and_the_page_can_be_read_again(folder: Path, drawn: Any) -> None:
    result = drawn
    names = ("report.html", "scores.json", "reliability.png", "regret.png", "decision.png")
    assert {f"properly/{name}" for name in (*names, "roc.png")} <= set(result.artifacts)
    result.save(str(folder / "result"))
    loaded = EvaluationResult.load(str(folder / "result"))
    assert loaded.metrics == result.metrics
    for name, artifact in loaded.artifacts.items():
        stored = type(artifact)(uri=artifact.uri).content
        assert type(stored) is type(artifact.content)
        if name.endswith(".png"):
            assert stored.size == artifact.content.size
        else:
            assert stored == artifact.content
    assert "death" in loaded.artifacts["properly/report.html"].content
    scores = loaded.artifacts["properly/scores.json"].content
    assert scores["models"][HOSTILE]["brier"]["score"] == result.metrics["script-b/brier"]


@pytest.mark.usefixtures("folder")
def test_columns_of_data_are_models_of_one_event() -> None:
    data = people()
    metrics = evaluated(data, forecasts=["risk", "guess"]).metrics
    assert metrics["risk/brier"] == pytest.approx(np.mean((data.died - data.risk) ** 2))
    assert metrics["guess/brier"] == 0.25
    assert evaluated(data, forecasts="guess").metrics["brier"] == 0.25


@pytest.mark.usefixtures("folder")
def test_weights_count_and_their_column_is_not_shown_to_the_model(logistic: str) -> None:
    data = people()[[*FACTORS, "died", "weight"]]
    by_name = evaluated(data, logistic, weight="weight").metrics
    p = mlflow.sklearn.load_model(logistic).predict_proba(data[FACTORS])[:, 1]
    assert by_name["brier"] == pytest.approx(np.average((data.died - p) ** 2, weights=data.weight))
    assert by_name["cases"] == data.weight.sum()
    plain = data.drop(columns="weight")
    assert evaluated(plain, logistic, weight=data.weight).metrics == by_name
    # By the name that MLflow's own evaluators have for it.
    assert evaluated(plain, logistic, sample_weights=data.weight).metrics == by_name


@pytest.mark.usefixtures("folder")
def test_a_group_that_the_model_uses_is_shown_to_it(logistic: str) -> None:
    data = people()[[*FACTORS, "died"]].assign(pressure=lambda x: (x.pressure > 0).astype(float))
    result = evaluated(data, logistic, groups="pressure", rules=Brier())
    p = mlflow.sklearn.load_model(logistic).predict_proba(data[FACTORS])[:, 1]
    assert result.metrics["brier"] == pytest.approx(np.mean((data.died - p) ** 2))
    groups = result.artifacts["properly/scores.json"].content["groups"]["LogisticRegression"]
    assert "0.0" in str(groups)


@pytest.mark.usefixtures("folder")
def test_classes_are_put_in_the_order_that_was_asked_for(folder: Path) -> None:
    data = people()[[*FACTORS, "grade"]]
    model = linear.LogisticRegression().fit(data[FACTORS], data.grade)
    assert tuple(model.classes_) == ("high", "low", "middle")
    config: dict[str, Any] = {"targets": "grade", "labels": GRADES, "ordered": True, "rules": RPS()}
    metrics = evaluated(data, saved(model, folder / "grades"), **config).metrics
    p = model.predict_proba(data[FACTORS])[:, [1, 2, 0]]
    known = properly.evaluate(
        data.grade, p, task="ordinal", labels=GRADES, rules=RPS(), replicates=0
    )
    assert metrics == metrics_of(known)
    assert {"accuracy", "macro_f1", "quadratic_kappa"} < set(metrics)
    columns = data.assign(low=p[:, 0], middle=p[:, 1], high=p[:, 2])
    # The columns are named by the classes, which their order need not repeat.
    for order in (GRADES, GRADES[::-1]):
        given = evaluated(columns, forecasts={"x": order}, **config)
        assert given.metrics == pytest.approx(metrics)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("shape", ["column", "one column", "two", "frame", "rows", "nested"])
def test_what_a_function_predicts_is_taken_in_any_shape(shape: str) -> None:
    def predict(data: Any) -> Any:
        p = data.risk.to_numpy()
        return {
            "column": p,
            "one column": p[:, None],
            "two": np.stack([1 - p, p], axis=1),
            "frame": pd.DataFrame({"no": 1 - p, "p": p}),
            "rows": [{"p": x, "no": 1 - x} for x in p],
            "nested": pd.Series([[1 - x, x] for x in p]),
        }[shape]

    data = people(30)
    column = "p" if shape in ("frame", "rows") else None
    metrics = evaluated(data, predict, predictions=column, rules=Brier()).metrics
    assert metrics["brier"] == pytest.approx(np.mean((data.died - data.risk) ** 2))


@pytest.mark.usefixtures("folder")
def test_the_event_can_be_either_class(folder: Path) -> None:
    data = people()[[*FACTORS, "died"]]
    data["died"] = np.where(data.died == 1, "yes", "no")
    path = saved(linear.LogisticRegression().fit(data[FACTORS], data.died), folder / "words")
    dead = evaluated(data, path, pos_label="yes").metrics
    alive = evaluated(data, path, labels=["yes", "no"]).metrics
    assert dead["event_rate"] + alive["event_rate"] == pytest.approx(1)
    assert dead["brier"] == pytest.approx(alive["brier"])


@pytest.mark.usefixtures("folder")
def test_other_evaluators_go_on_where_ours_was_not_asked_and_has_nothing_to_say() -> None:
    data = people()[["died"]].assign(decision=lambda x: 1 - x.died)
    asked: dict[str, Any] = {"targets": "died", "predictions": "decision"}
    asked |= {"model_type": "classifier"}
    with pytest.warns(DataWarning) as said:
        result = mlflow.models.evaluate(data=data, **asked)
    (ours,) = (each for each in said if each.category is DataWarning)
    assert str(ours.message) == (
        "properly leaves this to other evaluators: labels are no forecasts: the column "
        "'decision' must be probabilities; got int64 such as 1\n\n"
        "Hint: pass probabilities, as floats: predict_proba, or a column of them."
    )
    assert result.metrics["accuracy_score"] == 0
    assert "brier" not in result.metrics


@pytest.mark.usefixtures("folder")
def test_it_works_beside_the_evaluators_of_mlflow() -> None:
    data = people()[["died", "risk"]].assign(decision=lambda x: (x.risk > 0.5).astype(int))
    config = {"properly": QUICK | {"forecasts": "risk", "metric_prefix": "val_"}}
    result = mlflow.models.evaluate(
        data=data,
        targets="died",
        predictions="decision",
        model_type="classifier",
        evaluators=["default", "properly"],
        evaluator_config=config,
    )
    assert {"accuracy_score", "val_brier", "val_cases"} < set(result.metrics)


def test_an_infinite_score_stays_infinite_outside_of_the_database(folder: Path) -> None:
    assert folder.exists()
    data = pd.DataFrame({"died": [1, 0, 1, 0], "p": [0.0, 0.2, 0.7, 0.4]})
    result = evaluated(data, predictions="p")
    assert result.metrics["log"] == math.inf
    assert result.metrics["log_infinite_cases"] == 1
    assert "log_lower" not in result.metrics
    scores = result.artifacts["properly/scores.json"].content
    assert scores["models"]["p"]["log"]["score"] == "Infinity"
    assert mlflow.get_run(result.run_id).data.metrics["log"] == sys.float_info.max


def test_metrics_have_names_that_mlflow_takes() -> None:
    rules = [
        Bounded(Brier(), (0.05, 0.2)),
        Bounded(Log(), (0.05, 0.2), "integral"),
        Elementary(0.25),
        BetaWeighted(2.5, 0.5),
        Mixture([(0.5, Brier()), (0.5, Log())]),
    ]
    found = properly.evaluate([0, 1, 1], {"</b>": [0.1, 0.4, 0.8], "ü/..": [0.2, 0.3, 0.9]},
                              rules=rules, replicates=0)  # fmt: skip
    names = metrics_of(found, "train ")
    assert all(
        f"train {model}/{metric_name(r.name)}" in names for r in rules for model in ("b", "u")
    )
    for name in names:
        _validate_metric_name(name)
    assert metric_name("bounded_brier[0.05,0.2]") == "bounded_brier_0.05_0.2"
    assert metric_name("mixture[0.5*brier+0.5*log]") == "mixture_0.5_brier_0.5_log"
    assert metric_name("[]") == "rule"
    assert len(metric_name("x" * 300)) == 160


def test_rules_whose_names_would_meet_are_numbered() -> None:
    class First(Brier):
        name = "price[1]"

    class Second(Log):
        name = "price(1)"

    found = properly.evaluate([0, 1], [0.25, 0.5], rules=[First(), Second()], replicates=0)
    names = metrics_of(found)
    assert names["price_1"] == found.scores["forecast"]["price[1]"].value
    assert names["price_1_2"] == found.scores["forecast"]["price(1)"].value


def test_hostile_names_do_no_harm(drawn: Any) -> None:
    names = {name.partition("/")[2] for name in drawn.artifacts}
    assert {"worst-cases-script-b.png", "worst-cases-x.png"} < names
    assert all(name.replace("-", "").replace(".", "").isalnum() for name in names)
    assert {"script-b/brier", "x/brier"} < set(drawn.metrics)
    page = drawn.artifacts["properly/report.html"].content
    assert HOSTILE not in page
    assert "&lt;/script&gt;&lt;b&gt;" in page
    assert set(mlflow.get_run(drawn.run_id).data.metrics) == set(drawn.metrics)


def test_an_evaluation_is_logged_to_the_active_run(folder: Path) -> None:
    assert folder.exists()
    found = properly.evaluate([0, 1, 1], {"x": [0.1, 0.4, 0.8]}, replicates=0)
    with mlflow.start_run() as run:
        result = log_evaluation(found, artifact_path="here", figures=False, report=False)
    assert list(result.artifacts) == ["here/scores.json"]
    stored = mlflow.artifacts.load_dict(f"runs:/{run.info.run_id}/here/scores.json")
    assert stored == json.loads(found.to_json())
    again = log_evaluation(
        found, run_id=run.info.run_id, prefix="two_", figures=False, report=False
    )
    metrics = mlflow.get_run(run.info.run_id).data.metrics
    assert metrics == result.metrics | again.metrics
    assert metrics["two_brier"] == metrics["brier"] == found.scores["x"]["brier"].value


def test_only_classifiers_are_evaluated() -> None:
    assert ProperlyEvaluator.can_evaluate(model_type="classifier", evaluator_config=None)
    for other in ("regressor", "question-answering", None):
        assert not ProperlyEvaluator.can_evaluate(model_type=other, evaluator_config={})


def test_mlflow_finds_the_evaluator_and_imports_little_of_it(tmp_path: Path) -> None:
    about = tmp_path / "found-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: found\nVersion: 1.0\n")
    door = "properly = properly.integrations.mlflow:ProperlyEvaluator"
    (about / "entry_points.txt").write_text(f"[mlflow.model_evaluator]\n{door}\n")
    code = (
        "import sys, mlflow.models\n"
        "print('properly' in mlflow.models.list_evaluators())\n"
        "print([m for m in sys.modules if m.startswith('properly.') and m.count('.') == 1])\n"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    found = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
    ).stdout.splitlines()
    assert found[0] == "True"
    heavy = ("report", "plots", "rules", "evaluation", "calibration", "counts")
    assert not [name for name in heavy if f"'properly.{name}'" in found[1]]
