"""The paper on means of probabilities, from end to end, with little effort."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from reproductions.means.coupled import NELSON_CASES
from reproductions.means.dimensions import DIMENSIONS, MODELS
from reproductions.means.figures import FIGURE6, against_source, bars_of
from reproductions.means.paper import ESTIMATES
from reproductions.means.reference import CLAIMS

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def result(whole: Callable[[str], Any]) -> Any:
    return whole("nelson").result


def test_every_case_is_there_without_chance_and_from_a_sample(result: Any) -> None:
    assert list(result.population.cases) == list(result.samples.cases) == list(NELSON_CASES)
    for name, case in result.samples.cases.items():
        assert case.population is result.population.cases[name]
        assert case.tally.total == result.samples.n == 400


def test_figure_1_has_three_models_and_two_other_readings(result: Any) -> None:
    assert [cell.dimensions for cell in result.figure1.cells] == list(DIMENSIONS) * 3
    assert {cell.coupling for cell in result.figure1.cells} == set(MODELS.values())
    cells = [cell for cells in result.readings.cells.values() for cell in cells]
    assert {cell.coupling for cell in cells} == {0.0}
    assert len(cells) == 2 * len(DIMENSIONS)
    assert result.figure1.sets == result.readings.sets == 2


def test_panels_are_those_of_the_paper(result: Any) -> None:
    assert {panel: CLAIMS[name].figure[:2] for panel, name in FIGURE6.items()} == {
        panel: panel for panel in FIGURE6
    }
    figure = against_source(result.samples, {"5a": "mean 1", "5b": "mean 3"}, ESTIMATES)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == [
        f"{panel}: {name}, {words}"
        for panel, name in (("5a", "mean 1"), ("5b", "mean 3"))
        for words in ("isotonic", "100 bins of width 0.01")
    ]


def test_bars_are_those_of_the_study(result: Any) -> None:
    figure = bars_of(result.figure1)
    panels = [ax for ax in figure.axes if ax.get_title()]
    assert [ax.get_title().split(",")[0] for ax in panels] == list(MODELS)
    for ax, model in zip(panels, MODELS, strict=True):
        heights = [bar.get_height() for bar in ax.containers[0]]
        assert heights == [cell.correct for cell in result.figure1.of(model).values()]
        assert ax.get_legend() is None
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        *("share correct", "decisiveness", "mean probability", "robustness")
    ]
