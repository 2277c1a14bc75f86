"""Several forecasts of the same outcomes."""

from __future__ import annotations

import pytest

from properly import Cases, tally
from properly.decisions._same_outcomes import (
    baselines_beside,
    by_model,
    require_same_rows,
    same_outcomes,
)
from properly.errors import ArgumentTypeError, DataError

Y, P = [0, 1, 1], [0.1, 0.5, 0.9]
T = tally(Y, P)


def test_names_become_text_and_must_differ_as_such() -> None:
    assert by_model({1: T, "two": T}) == {"1": T, "two": T}  # type: ignore[dict-item]
    with pytest.raises(DataError, match=r"names that differ as text; got \[1, '1'\]"):
        by_model({1: T, "1": T})  # type: ignore[dict-item]


def test_one_model_is_not_to_be_compared_unless_it_may() -> None:
    with pytest.raises(DataError, match="at least 2 models to compare; got 1"):
        by_model({"one": T})
    assert by_model({"one": T}, least=1) == {"one": T}
    with pytest.raises(DataError, match="at least 1 model to compare; got 0"):
        by_model({}, least=1)


def test_all_models_have_the_same_events_and_cases() -> None:
    found = same_outcomes({"a": T, "b": Cases(Y, P[::-1])})
    assert [x.events.sum() for x in found] == [2, 2]
    with pytest.raises(DataError, match="'a' with 2 events of 3 and 'c' with 1 events of 3"):
        same_outcomes({"a": T, "b": T, "c": tally([0, 0, 1], P)})
    with pytest.raises(DataError, match="'a' with 2 events of 3 and 'c' with 2 events of 4"):
        same_outcomes({"a": T, "c": tally([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4])})
    with pytest.raises(ArgumentTypeError, match="this needs a Tally or Cases; got list"):
        same_outcomes({"a": T, "b": P})  # type: ignore[dict-item]


def test_rounding_of_weights_does_not_make_other_outcomes() -> None:
    weight = [0.1, 0.2, 0.3]
    one, other = tally(Y, P, weight=weight), tally(Y, [0.5] * 3, weight=weight)
    assert len(same_outcomes({"a": one, "b": other})) == 2


def test_baselines_are_put_beside_models_of_other_names() -> None:
    added = baselines_beside({"mine": Cases(Y, P), "yours": T})
    assert list(added) == ["treat all", "treat none", "event rate"]
    assert [float(x.value[0]) for x in added.values()] == [1, 0, 2 / 3]
    assert {(x.total, x.event_rate) for x in added.values()} == {(3, 2 / 3)}
    with pytest.raises(DataError, match="got a model called 'treat none'"):
        baselines_beside({"mine": T, "treat none": T})


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (Cases([0, 1], [0.1, 0.2]), "'a' and 'b' have 3 and 2 rows"),
        (Cases([1, 1, 0], P), "in row 0, 'a' and 'b' have the outcomes False and True"),
        (Cases(Y, P, weight=[1, 1, 2]), "in row 2, 'a' and 'b' have the weights 1.0 and 2.0"),
        (Cases(Y, P, clusters=[1, 1, 2]), "of 'a' and 'b', only one has clusters"),
    ],
)
def test_rows_must_belong_together(other: Cases, said: str) -> None:
    models = {"a": Cases(Y, P), "b": other}
    with pytest.raises(DataError, match=said) as caught:
        require_same_rows(models)
    assert "Hint" not in str(caught.value)
    with pytest.raises(DataError, match="\n\nHint: do without rows"):
        require_same_rows(models, "do without rows.")
