"""Forecasts of several models, checked against one set of cases."""

from __future__ import annotations

import numpy as np
import pytest

from properly.counts._cases import contenders
from properly.errors import DataError

Y = [0, 1, 1, 0]
ONE, TWO = [0.1, 0.8, 0.7, 0.3], [0.2, 0.6, 0.9, 0.4]


def test_models_share_all_but_their_forecasts() -> None:
    found = contenders(Y, {"one": ONE, "two": TWO}, clusters=[1, 1, 2, 2], weight=[1, 2, 1, 2])
    assert list(found) == ["one", "two"]
    assert found["two"].y is found["one"].y
    assert found["two"].clusters is found["one"].clusters
    assert found["two"].p.tolist() == TWO


def test_class_probabilities_are_rescaled_on_request_for_every_model() -> None:
    raw = np.array([[1.0, 1.0], [3.0, 1.0]])
    found = contenders([0, 1], {"a": raw, "b": 2 * raw}, normalize=True)
    for cases in found.values():
        assert cases.p.tolist() == [[0.5, 0.5], [0.75, 0.25]]
    with pytest.raises(DataError, match="probabilities of 'b'"):
        contenders([0, 1], {"a": found["a"].p, "b": 2 * raw})


def test_frames_of_classes_must_have_their_columns_in_one_order() -> None:
    pandas = pytest.importorskip("pandas")
    p = np.array([[0.2, 0.8], [0.5, 0.5]])
    first = pandas.DataFrame(p, columns=["no", "yes"])
    turned = first[["yes", "no"]]
    with pytest.raises(DataError, match="classes of 'b'"):
        contenders(["no", "yes"], {"a": first, "b": turned}, labels=["no", "yes"])


def test_one_model_may_be_enough() -> None:
    assert list(contenders(Y, {"one": ONE}, least=1)) == ["one"]
