"""The paper on ordered classes, whole, with few resamples."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from properly import reproduce
from properly.errors import DataError, MissingExtraError
from properly.reproduce import _ordinal
from properly.reproduce._ordinal_classifiers import classifiers
from properly.reproduce._ordinal_data import read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from properly.reproduce import OrdinalReproduction

PICTURES = [f"figure{k}.png" for k in range(1, 5)]
SMALL = 4
RESAMPLES = _ordinal.QUICK, _ordinal.FULL


def write_classifier(folder: Path, name: str = "net") -> Path:
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(200, 3)).astype(np.float32)
    np.savez(folder / f"{name}.npz", scores=scores, targets=rng.integers(0, 3, 200))
    return folder


@pytest.fixture(scope="module")
def told() -> list[tuple[int, int, str]]:
    return []


@pytest.fixture(scope="module")
def small(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[int, int, str]]
) -> Iterator[OrdinalReproduction]:
    """Reproduce everything with few resamples."""
    folder = tmp_path_factory.mktemp("ordinal")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ordinal, "QUICK", SMALL)
        yield reproduce.ordinal(
            write_classifier(folder),
            output=folder / "new" / "pictures",
            rng=3,
            progress=lambda *step: told.append(step),
        )


def test_every_figure_is_a_whole_picture(small: OrdinalReproduction) -> None:
    assert [path.name for path in small.pictures] == PICTURES
    folder = small.pictures[0].parent
    assert sorted(path.name for path in folder.iterdir()) == PICTURES
    assert all(path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" for path in small.pictures)


def test_progress_counts_every_step_to_the_end(
    small: OrdinalReproduction, told: list[tuple[int, int, str]]
) -> None:
    total = 6 + 1 + len(small.pictures)
    assert [(done, of) for done, of, _ in told] == [(i + 1, total) for i in range(total)]
    assert [what for *_, what in told][4:7] == ["Table 1, injuries", "Table 1, net", "Figure 3"]


def test_the_text_has_every_part(small: OrdinalReproduction) -> None:
    text = str(small)
    parts = ("Equations 3 to 6", "sa-RPS is improper", "One temperature", "Table 1 on injuries")
    for part in (*parts, "Table 1 on classifiers", "Figure 3: ", "Errata: ", "Pictures: "):
        assert text.count(part) == 1
    assert max(len(line) for line in text.splitlines() if "Pictures" not in line) <= 105
    assert repr(small) == "OrdinalReproduction(4 resamples, 1 classifiers)"


def test_without_folders_there_is_less_and_the_rest_is_the_same(
    small: OrdinalReproduction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ordinal, "QUICK", SMALL)
    steps: list[tuple[int, int, str]] = []
    rest = reproduce.ordinal(rng=3, progress=lambda *step: steps.append(step))
    assert (rest.pictures, rest.classifiers) == ((), None)
    assert rest.to_dict() == small.to_dict() | {"classifiers": None}
    assert [step[:2] for step in steps] == [(k + 1, 6) for k in range(6)]
    text = str(rest)
    assert "properly reproduce ordinal --data FOLDER" in text
    assert "Table 1 on classifiers" not in text
    assert "Pictures" not in text
    assert repr(rest) == "OrdinalReproduction(4 resamples, no classifiers)"


def test_all_tables_can_be_written_as_json(small: OrdinalReproduction) -> None:
    found = json.loads(json.dumps(small.to_dict(), allow_nan=False))
    parts = {"examples", "errata", "impropriety", "temperatures", "table1", "worst", "classifiers"}
    assert set(found) == parts


def test_the_paper_took_fifty_resamples_and_full_takes_a_thousand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert RESAMPLES == (50, 1000)
    monkeypatch.setattr(_ordinal, "FULL", 3)
    result = reproduce.ordinal(full=True)
    assert result.table1.replicates == 3
    assert result.table1.metrics["EC"].study.replicates.shape == (3, 6)


def test_output_must_be_a_folder_and_is_looked_at_first(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(DataError, match="output must be a folder"):
        reproduce.ordinal(output=file)


def test_data_are_read_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not a folder"):
        reproduce.ordinal(tmp_path / "none", output=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_pictures_need_matplotlib_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match="this needs matplotlib"):
        reproduce.ordinal(output=tmp_path / "new")
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
