from dataclasses import FrozenInstanceError
from importlib.resources import files

import numpy as np
import numpy.typing as npt
import pytest

from properly.datasets import Crash, crash

MODELS = ["logistic", "boosting", "balanced_boosting", "forest", "naive_bayes"]


@pytest.fixture(scope="module")
def data() -> Crash:
    return crash()


def roc_area(y: npt.NDArray[np.bool_], p: npt.NDArray[np.float64]) -> float:
    """Area under the ROC curve from mid-ranks (Mann-Whitney)."""
    _, inverse, counts = np.unique(p, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    events = int(y.sum())
    above = rank[y].sum() - events * (events + 1) / 2
    return float(above / (events * (len(y) - events)))


def arrays(data: Crash) -> list[npt.NDArray[np.generic]]:
    return [*data.to_dict().values(), data.severity_probabilities]


def test_there_are_8879_cases_of_which_371_died(data: Crash) -> None:
    assert len(data) == len(data.died) == 8879
    assert data.died.dtype == np.bool_
    assert data.died.sum() == 371
    assert repr(data) == "<Crash: 8879 cases, 371 deaths>"


def test_the_weighted_death_rate_is_far_below_the_unweighted_one(data: Crash) -> None:
    assert data.died.mean() == pytest.approx(0.042, abs=5e-4)
    assert np.average(data.died, weights=data.weight) == pytest.approx(0.0058, abs=5e-5)


def test_weights_are_finite_and_the_19_zeros_belong_to_survivors(data: Crash) -> None:
    assert np.isfinite(data.weight).all()
    assert (data.weight >= 0).all()
    assert (data.weight == 0).sum() == 19
    assert not data.died[data.weight == 0].any()


def test_there_are_4973_accidents_each_within_one_year(data: Crash) -> None:
    assert np.array_equal(np.unique(data.cluster), np.arange(4973))
    pairs = np.unique(np.stack([data.cluster, data.year]), axis=1)
    assert pairs.shape[1] == 4973
    assert np.unique(data.year).tolist() == [2001, 2002]


def test_groups_have_two_values_each(data: Crash) -> None:
    assert np.unique(data.sex).tolist() == ["female", "male"]
    assert np.unique(data.seatbelt).tolist() == ["belted", "none"]
    assert np.unique(data.airbag).tolist() == ["airbag", "none"]


def test_every_forecast_is_a_probability_in_double_precision(data: Crash) -> None:
    assert list(data.forecasts) == MODELS
    for p in data.forecasts.values():
        assert p.dtype == np.float64
        assert p.shape == (8879,)
        assert ((p >= 0) & (p <= 1)).all()


def test_the_forest_alone_is_certain_and_wrong_about_48_deaths(data: Crash) -> None:
    zeros = {name: int(((p == 0) & data.died).sum()) for name, p in data.forecasts.items()}
    assert zeros == {**dict.fromkeys(MODELS, 0), "forest": 48}
    assert all((p < 1).all() for p in data.forecasts.values())


def test_forest_forecasts_tie_with_thresholds_at_whole_percents(data: Crash) -> None:
    assert np.isin(data.forecasts["forest"], np.arange(1, 100) / 100).sum() > 2000


def test_three_models_rank_alike_and_all_five_within_seven_points(data: Crash) -> None:
    area = {name: roc_area(data.died, p) for name, p in data.forecasts.items()}
    assert area["logistic"] == pytest.approx(0.892, abs=5e-4)
    assert area["boosting"] == pytest.approx(0.886, abs=5e-4)
    assert area["balanced_boosting"] == pytest.approx(0.882, abs=5e-4)
    assert max(area.values()) - min(area.values()) < 0.07


def test_balanced_boosting_alone_misses_the_death_rate(data: Crash) -> None:
    for name, p in data.forecasts.items():
        bias = abs(p.mean() - data.died.mean())
        assert bias > 0.19 if name == "balanced_boosting" else bias < 0.003


def test_the_severity_of_133_cases_is_unknown(data: Crash) -> None:
    assert (~data.severity_known).sum() == 133
    assert np.array_equal(data.severity == -1, ~data.severity_known)
    assert np.unique(data.severity[data.severity_known]).tolist() == [0, 1, 2, 3, 4]
    assert len(data.severity_labels) == 5


def test_police_severity_and_death_disagree_as_documented(data: Crash) -> None:
    killed = data.severity == data.severity_labels.index("killed")
    assert (killed & ~data.died).sum() == 13
    assert (~killed & data.died).sum() == 36
    assert data.severity_known[data.died].all()


def test_rows_of_severity_probabilities_are_positive_and_sum_to_one(data: Crash) -> None:
    assert data.severity_probabilities.shape == (8879, 5)
    assert (data.severity_probabilities > 0).all()
    np.testing.assert_allclose(data.severity_probabilities.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_columns_have_equal_length_and_one_dimension(data: Crash) -> None:
    columns = data.to_dict()
    assert list(columns) == [
        "died",
        *MODELS,
        "weight",
        "cluster",
        "year",
        "sex",
        "seatbelt",
        "airbag",
        "severity",
        *(f"severity_probability_{label}" for label in data.severity_labels),
    ]
    assert {column.shape for column in columns.values()} == {(8879,)}


def test_the_record_is_frozen_and_its_arrays_are_read_only(data: Crash) -> None:
    with pytest.raises(FrozenInstanceError):
        data.died = data.died  # type: ignore[misc]
    assert not any(array.flags.writeable for array in arrays(data))


def test_loading_twice_gives_equal_arrays_in_separate_memory(data: Crash) -> None:
    for first, second in zip(arrays(data), arrays(crash()), strict=True):
        assert np.array_equal(first, second)
        assert not np.shares_memory(first, second)


def test_the_file_is_smaller_than_a_megabyte() -> None:
    file = files("properly.datasets") / "crash.npz"
    assert len(file.read_bytes()) < 1_000_000
