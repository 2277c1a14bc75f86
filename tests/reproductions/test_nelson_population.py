"""Two classes on a line, without chance."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from reproductions.means import population, reference
from reproductions.means.coupled import NELSON_CASES
from scipy.stats import norm

from properly.probability._power_means import POWERS, ThreeMeans

# So many points are enough but for the limit to forecasts, at which they bend.
POINTS = 20_001
REFERENCE = json.loads(
    (Path(__file__).parent.parent / "reference" / "means" / "population_cases.json").read_text(
        encoding="utf-8"
    )
)
TWELVE_DIGITS = {
    "perfect_kappa_0.5": "perfect",
    "mean1": "mean 1",
    "mean3": "mean 3",
    "variance0.5": "variance 0.5",
    "variance2": "variance 2",
    "tail_over_both_qlim0.01": "tail over",
    "tail_under_both": "tail under",
}


def values(means: ThreeMeans) -> list[float]:
    return [getattr(means, name) for name in POWERS]


@pytest.fixture(scope="module")
def found() -> population.PopulationTable:
    return population.PopulationTable(
        {name: population.describe(name, POINTS) for name in NELSON_CASES}, POINTS
    )


@pytest.mark.parametrize(("known", "name"), TWELVE_DIGITS.items())
def test_means_of_models_have_eight_digits_of_the_reference(known: str, name: str) -> None:
    # Where no forecast reaches the limit, that of the reference does not matter.
    limited = name == "tail over"
    case = population.line(NELSON_CASES[name], points=200_001 if limited else POINTS)
    assert (case.forecast.max() == 0.99) == limited
    wanted = [float(REFERENCE[known][mean]) for mean in POWERS]
    assert values(case.model()) == pytest.approx(wanted, rel=0, abs=1e-8 if limited else 1e-11)


def test_every_case_is_known_from_before() -> None:
    assert set(NELSON_CASES) == set(reference.MODEL_MEANS) == set(reference.SOURCE_MEANS)
    assert set(NELSON_CASES) == set(reference.DIVERGENCES) == set(reference.ANGLES)
    assert len(NELSON_CASES) == 15
    assert set(reference.AREAS) == set(reference.CLAIMS)


@pytest.mark.parametrize("name", NELSON_CASES)
def test_numbers_are_those_found_before(found: population.PopulationTable, name: str) -> None:
    case = found.cases[name]
    assert values(case.model) == pytest.approx(reference.MODEL_MEANS[name], rel=0, abs=5.1e-5)
    assert values(case.source) == pytest.approx(reference.SOURCE_MEANS[name], rel=0, abs=4e-4)
    divergences = [case.divergence, case.isotonic_divergence, case.feature_divergence]
    known = reference.DIVERGENCES[name]
    assert divergences[: len(known)] == pytest.approx(known, rel=0, abs=4e-4)
    assert case.angle == pytest.approx(reference.ANGLES[name][0], rel=0, abs=0.06)
    assert case.isotonic_angle == pytest.approx(case.angle, rel=0, abs=0.2)
    if name in reference.AREAS:
        assert [case.auc, case.predicted_auc] == pytest.approx(
            reference.AREAS[name], rel=0, abs=5e-5
        )


def test_agreement_is_what_the_text_says_it_is(found: population.PopulationTable) -> None:
    apart = found.apart()
    assert list(apart) == ["means of models", "of sources", "P_div", "angles", "AUC"]
    assert apart["means of models"] < 5.1e-5
    case = found.cases["mean 1"]
    moved = replace(
        case, model=replace(case.model, mean_probability=case.model.mean_probability + 0.3)
    )
    other = replace(found, cases={"mean 1": moved})
    assert other.apart()["means of models"] == pytest.approx(0.3, abs=1e-4)
    assert other.apart()["AUC"] < 1e-5


def test_angles_are_where_the_paper_has_them(found: population.PopulationTable) -> None:
    assert found.as_claimed()
    assert "Each angle does lie on" in " ".join(str(found).split())
    swapped = replace(found, cases={"mean 1": found.cases["mean 3"]})
    assert not swapped.as_claimed()


@pytest.mark.parametrize("name", NELSON_CASES)
def test_who_knows_more_has_the_better_source(found: population.PopulationTable, name: str) -> None:
    """What the position tells beats what the forecast tells, and that its recalibration."""
    case = found.cases[name]
    assert case.feature_divergence <= case.divergence + 1e-7
    assert case.divergence <= case.isotonic_divergence + 1e-9
    assert case.isotonic_divergence <= 1 + 1e-6
    for means in (case.model, case.source, case.isotonic):
        assert means.decisiveness >= means.mean_probability >= means.robustness


def test_a_changed_prior_hides_nothing_from_the_source(found: population.PopulationTable) -> None:
    right, prior = found.cases["perfect"], found.cases["prior 0.8"]
    for case in (right, prior):
        assert values(case.source) == pytest.approx(values(right.model), rel=0, abs=2e-7)
    assert right.divergence == pytest.approx(1, abs=2e-7)
    assert right.angle == pytest.approx(45, abs=1e-4)


def test_areas_of_normal_classes_are_known(found: population.PopulationTable) -> None:
    for name, away in (("gaussian", 2), ("gaussian, mean 1", 1), ("gaussian, mean 3", 3)):
        case = found.cases[name]
        assert case.auc == pytest.approx(norm.cdf(math.sqrt(2)), rel=0, abs=1e-6)
        assert case.predicted_auc == pytest.approx(norm.cdf(away / math.sqrt(2)), rel=0, abs=1e-6)


def test_what_a_sample_predicts_is_another_area(found: population.PopulationTable) -> None:
    case = found.cases["gaussian, mean 1"]
    assert case.weighed_auc - case.predicted_auc > 0.04
    case = found.cases["perfect"]
    assert case.weighed_auc == pytest.approx(case.predicted_auc, rel=0, abs=1e-6)


def test_two_positions_with_the_same_forecast_are_judged_together() -> None:
    """A forecast that rises from 0.2 to 0.8 and falls again, with events on the way up only."""
    forecast = np.array([0.2, 0.4, 0.6, 0.8, 0.6, 0.4, 0.2, 0.2])
    up, down = np.array([1.0, 2, 2, 1, 0, 0, 0, 0]), np.array([0.0, 0, 0, 1, 2, 2, 1.5, 0.5])
    case = population.Line(
        np.arange(8.0), np.ones(8), population.Masses(up, down), forecast, (up, down)
    )
    cells = case.cells(np.array([0.2, 0.4, 0.6, 0.8]))
    # A step has half of each of its ends; the first and last point are ends of one step only.
    assert cells.event.tolist() == [2.0, 2.0, 2.0]
    # The cases of one and the same forecast, at the end, are in the lowest cell.
    assert cells.none.tolist() == pytest.approx([1.75 + 1.25, 2.0, 2.0])
    assert cells.shares()[0].tolist() == pytest.approx([0.4, 0.5, 0.5])


def test_all_mass_is_in_cells_and_cells_are_equally_full() -> None:
    case = population.line(NELSON_CASES["mean 1"], points=POINTS)
    levels = case.levels(50)
    cells = case.cells(levels)
    assert float(cells.total.sum()) == pytest.approx(1, abs=1e-12)
    assert len(cells.total) == 50
    # Levels are at points, so that the mass of one of them may be on either side.
    point = float(case.masses.total.max())
    assert point < 7e-4
    assert cells.total == pytest.approx(np.full(50, 0.02), rel=0, abs=point)
    assert (levels[0], levels[-1]) == (case.forecast.min(), case.forecast.max())


def test_what_is_cut_off_is_missing() -> None:
    case = population.line(NELSON_CASES["gaussian"], points=POINTS, within=(-1.0, 1.0))
    assert (case.x[0], case.x[-1]) == pytest.approx((-1, 1))
    assert float(case.masses.total.sum()) == pytest.approx(1, abs=1e-12)
    first, second = norm.cdf([1, -1]) - norm.cdf([-1, -3])
    share = second / (first + second)
    assert float(case.masses.event.sum()) == pytest.approx(share, rel=1e-8)
    assert float(case.cells(case.levels()).event.sum()) == pytest.approx(share, rel=1e-8)


def test_recalibration_of_cells_pools_those_out_of_order() -> None:
    cells = population.Masses(np.array([0.1, 0.3, 0.1, 0.2]), np.array([0.1, 0.1, 0.1, 0.0]))
    assert population.isotonic(cells) == pytest.approx([0.5, 2 / 3, 2 / 3, 1.0])


def test_an_angle_is_that_of_the_marks() -> None:
    steep, flat = ThreeMeans(0.9, 0.5, 0.1), ThreeMeans(0.6, 0.5, 0.4)
    assert population.angle(steep, steep) == 45
    assert population.angle(steep, flat) == pytest.approx(math.degrees(math.atan(4)))
