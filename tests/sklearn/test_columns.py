"""What the columns of probabilities stand for, where estimators and frames say it oddly."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from properly.errors import DataError
from properly.integrations import sklearn as door
from properly.rules import RPS, Brier, RankedLog

ORDERED = "Hint: write forecasts[labels] to order the columns of a frame."


class Said(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose probabilities and classes are whatever they were said to be."""

    def __init__(self, p: Any, classes: Any) -> None:
        self.p = p
        self.classes_ = classes

    def predict_proba(self, _: Any) -> Any:
        return self.p


@pytest.mark.parametrize("rule", [RPS(), RankedLog()], ids=repr)
def test_numbers_are_put_in_their_order_if_a_rule_needs_one(rule: Any) -> None:
    p, y = np.random.default_rng(0).dirichlet([1, 1, 1], 20), np.arange(20) % 3
    mixed = [1, 0, 2]
    estimator = Said(p[:, mixed], np.array(mixed))
    found = door.make_rule_scorer(rule)(estimator, None, y)
    assert found == -rule(y, p)
    assert found == door.make_rule_scorer(rule, labels=[0, 1, 2])(estimator, None, y)


@pytest.mark.parametrize("classes", [["no", "yes"], [0, 1]])
def test_a_frame_of_an_estimator_has_its_columns_in_the_order_of_the_classes(classes: Any) -> None:
    frame = pd.DataFrame(np.array([[0.9, 0.1], [0.2, 0.8]]), columns=classes[::-1])
    y, scorer = np.array(classes)[[1, 0]], door.make_rule_scorer(Brier())
    with pytest.raises(DataError) as caught:
        scorer(Said(frame, np.array(classes)), None, y)
    first, last = map(str, classes)
    assert str(caught.value) == (
        f"classes_ must be in the order of the columns; the columns are {[last, first]}, "
        f"got {[first, last]}\n\n{ORDERED}"
    )
    assert scorer(Said(frame[classes], np.array(classes)), None, y) == pytest.approx(-0.025)


@pytest.mark.parametrize("names", [[1, 0], ["1", "0"]])
@pytest.mark.parametrize("labels", [None, [0, 1]])
def test_columns_named_by_numbers_in_another_order_are_refused(names: Any, labels: Any) -> None:
    frame = pd.DataFrame({names[0]: [0.9, 0.2], names[1]: [0.1, 0.8]})
    with pytest.raises(DataError) as caught:
        door.brier_loss([1, 0], frame, labels=labels)
    assert str(caught.value) == (
        "labels must be in the order of the columns; the columns are ['1', '0'], got ['0', '1']\n\n"
        f"{ORDERED}"
    )
    ordered = frame[sorted(names)]
    assert door.brier_loss([1, 0], ordered, labels=labels) == pytest.approx(0.025)
    unnamed = pd.DataFrame(frame.to_numpy())
    assert door.brier_loss([1, 0], unnamed, labels=[1, 0]) == pytest.approx(0.025)


@pytest.mark.parametrize("labels", [None, [0, 1]])
@pytest.mark.parametrize(
    "score", [door.brier_loss, door.miscalibration, partial(door.net_benefit, threshold=0.1)]
)
def test_a_table_of_one_column_is_no_column(score: Any, labels: Any) -> None:
    with pytest.raises(DataError) as caught:
        score([0, 1], np.array([[0.2], [0.7]]), labels=labels)
    assert str(caught.value) == (
        "probabilities of one event must be one-dimensional; got a table of one column\n\n"
        "Hint: pass the column itself, as in y_proba[:, 0]."
    )


def test_one_label_is_no_event() -> None:
    with pytest.raises(DataError, match="makes two classes; got 1"):
        door.brier_loss([0, 1], [0.2, 0.7], labels=[1])
