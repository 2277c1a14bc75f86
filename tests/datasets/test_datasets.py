from importlib.resources import files

import numpy as np
import pytest

from properly.datasets import Crash, crash

MODELS = ["logistic", "boosting", "balanced_boosting", "forest", "naive_bayes"]


@pytest.fixture(scope="module")
def data() -> Crash:
    return crash()


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


def test_the_file_is_smaller_than_a_megabyte() -> None:
    file = files("properly.datasets") / "crash.npz"
    assert len(file.read_bytes()) < 1_000_000
