"""MLflow: what columns of forecasts stand for is read from their names, never from their place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.integrations.mlflow_people import FACTORS, GRADES, WHY, people

from properly.errors import DataError
from properly.rules import RPS, Brier

mlflow = pytest.importorskip("mlflow", reason=WHY)
pd = pytest.importorskip("pandas", reason=WHY)

from mlflow.models.evaluation import EvaluationDataset  # noqa: E402
from mlflow.models.evaluation.base import _get_model_from_function  # noqa: E402

from properly.integrations.mlflow._evaluator import (  # noqa: E402
    ForecastTable,
    _evaluated,
    as_config,
    forecasts_of,
)

# MLflow's own code meets a newer pandas than it was written for.
pytestmark = pytest.mark.filterwarnings(
    "ignore:The inplace keyword in DataFrame.drop is deprecated"
)


def score(rule: str, data: Any, model: Any = None, targets: str = "died", **config: Any) -> Any:
    """Return the score of each model, as the evaluator logs it."""
    about = EvaluationDataset(data, targets=targets)
    model = None if model is None else _get_model_from_function(model)
    found: Any = _evaluated(about, model, None, as_config({"replicates": 0} | config))
    return {name: getattr(each[rule], "value", None) for name, each in found.scores.items()}


def graded(n: int = 60) -> tuple[Any, Any, Any]:
    """Return people, class probabilities in the order of the grades, and the numbers of these."""
    data = people(n)
    p = np.random.default_rng(1).dirichlet([1, 1, 1], n)
    return data, p, [GRADES.index(grade) for grade in data.grade]


@pytest.mark.parametrize("names", [[1, 0], ["1", "0"], [True, False], ["True", "False"]])
def test_numbers_as_names_say_which_column_is_the_event(names: Any) -> None:
    data = people(40)
    table = pd.DataFrame(np.stack([data.risk, 1 - data.risk], axis=1), columns=names)
    found = score("brier", data[[*FACTORS, "died"]], lambda _: table)
    assert found == {"model": pytest.approx(Brier()(data.died, data.risk))}


def test_a_frame_without_names_has_its_columns_in_the_order_of_the_labels() -> None:
    data = people(40)
    table = pd.DataFrame(np.stack([data.risk, 1 - data.risk], axis=1))
    found = score("brier", data[[*FACTORS, "died"]], lambda _: table, labels=[1, 0])
    assert found == {"model": pytest.approx(Brier()(1 - data.died, 1 - data.risk))}


def test_zero_and_one_need_no_event_to_be_named_in_whichever_order() -> None:
    p, y = np.array([[0.75, 0.25], [0.5, 0.5]]), np.array([1, 0])
    for classes in ((1, 0), (True, False)):
        models, labels, _ = forecasts_of({"m": ForecastTable(p, classes)}, y, as_config({}))
        assert labels is None
        assert models["m"].tolist() == [0.75, 0.5]


def test_models_with_their_classes_in_other_orders_are_judged_alike() -> None:
    data, p, y = graded()
    for k, grade in enumerate(GRADES):
        data[grade] = p[:, k]
    asked = {"up": list(GRADES), "mixed": [GRADES[2], GRADES[0], GRADES[1]]}
    config = as_config({"replicates": 0, "forecasts": asked})
    found: Any = _evaluated(EvaluationDataset(data, targets="grade"), None, None, config)
    scores = {name: each["brier"].value for name, each in found.scores.items()}
    assert scores == dict.fromkeys(asked, pytest.approx(Brier()(y, p)))


def test_ordered_numbers_are_put_in_their_order() -> None:
    _, p, y = graded()
    mixed = [1, 0, 2]
    asked, table = as_config({"ordered": True}), ForecastTable(p[:, mixed], tuple(mixed))
    models, labels, _ = forecasts_of({"m": table}, np.array(y), asked)
    assert labels == (0, 1, 2)
    assert RPS()(y, models["m"]) == RPS()(y, p)


def test_the_order_of_columns_is_not_taken_for_that_of_words() -> None:
    data, p, _ = graded()
    for k, grade in enumerate(GRADES):
        data[grade] = p[:, k]
    with pytest.raises(DataError) as caught:
        score("rps", data, targets="grade", ordered=True, forecasts={"m": sorted(GRADES)})
    assert str(caught.value) == (
        "ordered classes in words need labels, in order; a class is 'high'\n\n"
        'Hint: evaluator_config={"ordered": True, "labels": [lowest, …, highest]}'
    )
