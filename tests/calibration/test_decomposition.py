"""A score and what it is made of."""

import json
import math
from dataclasses import asdict
from typing import Any

import pytest

from properly import decompose, tally
from properly.calibration import Decomposition, murphy_decomposition
from properly.calibration._classical import MurphyDecomposition
from properly.rules import Brier, Log, Propriety

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

PARTS = ["score", "miscalibration", "discrimination", "uncertainty"]
BACKENDS = ["polars", "pandas", "pyarrow"]


def as_dict(frame: Any, backend: str) -> dict[str, Any]:
    """Return the columns of any frame as lists."""
    if backend == "polars":
        return frame.to_dict(as_series=False)  # type: ignore[no-any-return]
    return frame.to_dict(orient="list") if backend == "pandas" else frame.to_pydict()  # type: ignore[no-any-return]


class Fair(Brier):
    """A rule that is said to be improper, though it is not."""

    propriety = Propriety.IMPROPER


def test_an_improper_rule_is_decomposed_when_asked_for_by_name() -> None:
    t = tally([0, 1, 1], [0.2, 0.4, 0.9])
    assert decompose(t, Fair(), allow_improper=True) == decompose(t, Brier())


def test_a_certain_and_wrong_forecast_has_infinite_miscalibration_alone() -> None:
    parts = decompose(tally([1, 0, 1], [0.0, 0.5, 0.9]), Log())
    assert parts.score == parts.miscalibration == math.inf
    assert math.isfinite(parts.discrimination)
    assert math.isfinite(parts.uncertainty)


@pytest.mark.parametrize(("y", "p"), [([0], [0.3]), ([1, 1], [0.3, 0.4]), ([0, 0], [0.0, 0.0])])
def test_one_case_or_one_class_leaves_nothing_uncertain(y: list[int], p: list[float]) -> None:
    parts = decompose(tally(y, p), Brier())
    assert parts == Decomposition(Brier()(y, p), Brier()(y, p), 0.0, 0.0)


def with_intervals() -> Decomposition:
    t = tally([0, 1, 0, 1, 1, 0, 1, 1], [0.1, 0.1, 0.3, 0.3, 0.6, 0.6, 0.9, 0.9])
    return decompose(t, Brier(), interval=True, replicates=50, rng=1)


def test_without_intervals_a_record_is_its_numbers() -> None:
    parts = decompose(tally([0, 1], [0.25, 0.5]), Brier())
    assert parts.to_dict() == {
        "score": 0.15625,
        "miscalibration": 0.15625,
        "discrimination": 0.25,
        "uncertainty": 0.25,
        "skill": 0.375,
    }


def test_a_record_takes_its_intervals_along() -> None:
    parts = with_intervals()
    told = parts.to_dict()
    assert parts.intervals is not None
    assert list(told) == [*PARTS, "skill", "intervals"]
    assert told["intervals"].keys() == asdict(parts.intervals).keys()
    assert told["intervals"]["score"] == list(parts.intervals.score)
    assert [told[name] for name in PARTS] == [getattr(parts, name) for name in PARTS]
    again = json.loads(json.dumps(told))
    assert again["intervals"]["score"] == list(parts.intervals.score)
    assert again["intervals"]["p_value"] == parts.intervals.p_value


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_frame_has_a_column_for_each_end_of_an_interval(backend: Any) -> None:
    parts = with_intervals()
    columns = as_dict(parts.to_frame(backend), backend)
    ends = [f"{name}_{end}" for name in PARTS for end in ("lower", "upper")]
    assert list(columns) == [*PARTS, "skill", *ends]
    for name in PARTS:
        assert columns[name] == [getattr(parts, name)]
        lower, upper = getattr(parts.intervals, name)
        assert (columns[f"{name}_lower"], columns[f"{name}_upper"]) == ([lower], [upper])


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_frame_of_numbers_alone_has_four_columns(backend: Any) -> None:
    parts = decompose(tally([0, 1], [0.25, 0.5]), Brier())
    columns = as_dict(parts.to_frame(backend), backend)
    assert columns == {name: [value] for name, value in parts.to_dict().items()}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_classical_decomposition_is_ready_for_json_and_for_frames(backend: Any) -> None:
    parts = murphy_decomposition(tally([0, 1, 1, 1], [0.25, 0.25, 0.75, 0.75]))
    expected = {"score": 0.1875, "reliability": 0.0625, "resolution": 0.0625, "uncertainty": 0.1875}
    assert parts.to_dict() == expected
    assert MurphyDecomposition(**json.loads(json.dumps(parts.to_dict()))) == parts
    columns = as_dict(parts.to_frame(backend), backend)
    assert columns == {name: [value] for name, value in expected.items()}
