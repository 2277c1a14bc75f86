"""The paper on ordered classes, whole, with few resamples."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from reproductions.grades import paper as _ordinal
from reproductions.grades.forecasts import read
from reproductions.grades.retention import classifiers

import reproductions as reproduce
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SMALL = 4


def test_without_data_there_is_less_and_the_rest_is_the_same(
    whole: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    small = whole("ordinal")
    steps: list[tuple[int, int, str]] = []
    rest = small.paper.small(monkeypatch, rng=3, progress=lambda *step: steps.append(step))
    assert rest.classifiers is None
    assert rest.to_dict() == small.result.to_dict() | {"classifiers": None}
    assert [step[:2] for step in steps] == [(k + 1, 6) for k in range(6)]
    assert "properly reproduce ordinal --data FOLDER" in str(rest)
    assert "Table 1 on classifiers" not in str(rest)
    assert repr(rest) == "OrdinalReproduction(4 resamples, no classifiers)"
    assert repr(small.result) == "OrdinalReproduction(4 resamples, 1 classifiers)"


def test_every_classifier_is_a_step(whole: Callable[[str], Any]) -> None:
    told = [what for *_, what in whole("ordinal").told]
    assert told[4:7] == ["Table 1, injuries", "Table 1, net", "Figure 3"]


def test_the_paper_took_fifty_resamples_and_full_takes_a_thousand(
    whole: Callable[[str], Any],
) -> None:
    assert (_ordinal.QUICK, _ordinal.FULL) == (50, 1000)
    table1 = whole("ordinal").result.table1
    assert table1.replicates == SMALL
    assert table1.metrics["EC"].study.drawn_areas.shape == (SMALL, 6)


def test_data_are_read_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not a folder"):
        reproduce.ordinal(tmp_path / "none", output=tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.fixture
def outputs() -> str:
    path = os.environ.get("PROPERLY_CLASSIFIERS", "")
    if not path:
        pytest.skip("PROPERLY_CLASSIFIERS does not name the folder of classifiers' outputs")
    return path


def test_real_classifiers_reach_the_oracle_by_superior_scores(outputs: str) -> None:
    data = read(outputs)
    rows = classifiers(data, SMALL, 1, lambda _: None).rows
    assert {name: found.classes for name, found in rows.items()} == {
        "agnews_gpt2": 4,
        "cifar10_repvgg_a2": 10,
        "cifar10_resnet-20": 10,
        "sst2_gpt2": 2,
        "sst2_gpt2_4shot": 2,
    }
    assert all(found.as_the_oracle[-2:] == ("PBS", "PLL") for found in rows.values())
    assert rows["cifar10_resnet-20"].accuracy == 0.926
    assert rows["cifar10_repvgg_a2"].accuracy == 0.9527
