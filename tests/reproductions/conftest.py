"""Every reproduction, made small and done once for all tests."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from reproductions.decisions import paper as _consequentialist
from reproductions.grades import paper as _ordinal
from reproductions.means import paper as _nelson
from reproductions.penalties import paper as _penalized
from reproductions.reliability import paper as _corp

import reproductions as reproduce
from properly.probability import IsotonicSource

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

HEADER = "date,Logistic,EMOS,ENS,EPC,obs"


class Paper(NamedTuple):
    """A reproduction, and what makes it small.

    The effort stands in for that of a quick run; what else is patched is named in `besides`.
    """

    run: Callable[..., Any]
    module: ModuleType
    effort: Any
    pictures: list[str]
    steps: int
    parts: tuple[str, ...]
    write_data: Callable[[Path], Path] | None = None
    besides: dict[str, Any] = {}  # noqa: RUF012 - read only

    def small(self, patch: pytest.MonkeyPatch, *, full: bool = False, **options: Any) -> Any:
        """Run it with little effort, which is to be the full one or the quick one."""
        wanted, other = ("FULL", "QUICK") if full else ("QUICK", "FULL")
        for name, value in ({wanted: self.effort, other: None} | self.besides).items():
            patch.setattr(self.module, name, value)
        return self.run(full=full, **options)


class Whole(NamedTuple):
    """A result, with what was told meanwhile, and the data that it is from."""

    paper: Paper
    result: Any
    told: list[tuple[int, int, str]]
    data: dict[str, Path]


def write_rain(path: Path, rows: int = 40) -> Path:
    """Write a file of the form of the data; ENS are shares of 52 members."""
    rng = np.random.default_rng(1)
    p = rng.random((4, rows))
    p[2] = rng.integers(0, 53, rows) / 52
    y = (rng.random(rows) < p.mean(axis=0)).astype(int)
    lines = [
        ",".join([f"2016-07-{i + 1}", *map(repr, p[:, i].tolist()), str(y[i])]) for i in range(rows)
    ]
    path.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    return path


def write_classifier(folder: Path) -> Path:
    """Write what a classifier might have said."""
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(200, 3)).astype(np.float32)
    np.savez(folder / "net.npz", scores=scores, targets=rng.integers(0, 3, 200))
    return folder


def write_women(path: Path, rows: int = 400) -> Path:
    """Write a file of the form of the forecasts of breast cancer; its last model is high."""
    rng = np.random.default_rng(2)
    table = np.column_stack([rng.random(rows) < 0.5, rng.random((rows, 4)) / [500, 500, 500, 20]])
    head = "cancer,logistic_minimal,logistic_+_density,xgboost,xgboost_2pct"
    np.savetxt(path, table, delimiter=",", header=head, comments="", fmt="%.9g")
    return path


PAPERS = {
    "corp": Paper(
        reproduce.corp,
        _corp,
        _corp.Effort(sizes=(64,), coverage=2, efficiency=2, replicates=10),
        [f"figure{k}.png" for k in range(1, 6)],
        # Four settings with three bands and nine settings; Figure 3; the data.
        12 + 9 + 1 + 1,
        ("Table 2: Brier", "Figures 1 and 2: ", "Figure 3: ", "Figure 4: ", "Figure 5: "),
        lambda folder: write_rain(folder / "rain.csv"),
        {"REPLICATES": 100},
    ),
    "consequentialist": Paper(
        reproduce.consequentialist,
        _consequentialist,
        2000,
        [
            *(f"figure{k}.png" for k in range(2, 5)),
            *(f"figure{k}_breast_cancer.png" for k in (2, 3)),
            *("figure5.png", "figure6.png"),
        ],
        2 + 4,
        (
            *("Appendix F: eight", "Appendix F: the same", "Table 2: risk", "Table 2, Figures 2"),
            *("Figure 4: ", "Errata: ", "Section 5: ", "(Appendix K), are left out"),
        ),
        lambda folder: write_women(folder / "women.csv"),
    ),
    "nelson": Paper(
        reproduce.nelson,
        _nelson,
        _nelson.Effort(points=2001, cases=400, sets=2, samples=2),
        [f"figure{k}.png" for k in range(1, 8)],
        # Fifteen models, without chance and from a sample.
        4 + 2 * 15,
        (
            *("Figure 1: three", "Figure 1, read in", "Figures 2 to 7: two", "Figures 2 to 7: the"),
            *("Figure 7: three", "Errata: "),
        ),
        besides={"ESTIMATES": {"isotonic": IsotonicSource()}},
    ),
    "ordinal": Paper(
        reproduce.ordinal,
        _ordinal,
        4,
        [f"figure{k}.png" for k in range(1, 5)],
        6 + 1,
        (
            *("Equations 3 to 6", "sa-RPS is improper", "One temperature", "Table 1 on injuries"),
            *("Table 1 on classifiers", "Figure 3: ", "Errata: "),
        ),
        write_classifier,
    ),
    "penalized": Paper(
        reproduce.penalized,
        _penalized,
        _penalized.Effort(truths=200, pairs=1000),
        ["ties.png", "simulation.png", "figure4.png", "figure5.png"],
        # Five numbers of classes, and eight schemes by five of them.
        6 + 5 + 8 * 5,
        (
            *("Introduction: two", "Theorems 1 to 4 and 6: bounds", "Theorem 5: is"),
            *("Equations and", "Appendix 8: how", "What PBS is: ", "Tables 1 to 3, networks"),
        ),
    ),
}


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Whole]:
    """Reproduce a paper with little effort, with its pictures, and with data if it takes some."""

    @cache
    def reproduced(name: str) -> Whole:
        paper, folder = PAPERS[name], tmp_path_factory.mktemp(name)
        data: dict[str, Any] = (
            {} if paper.write_data is None else {"data": paper.write_data(folder)}
        )
        told: list[tuple[int, int, str]] = []
        with pytest.MonkeyPatch.context() as patch:
            result = paper.small(
                patch,
                output=folder / "new" / "pictures",
                rng=3,
                progress=lambda *step: told.append(step),
                **data,
            )
        return Whole(paper, result, told, data)

    return reproduced


@pytest.fixture(params=PAPERS)
def each(request: pytest.FixtureRequest, whole: Callable[[str], Whole]) -> Whole:
    """Take one paper after the other."""
    return whole(request.param)


@pytest.fixture
def rain(tmp_path: Path) -> Path:
    """Write made-up forecasts of rain."""
    return write_rain(tmp_path / "rain.csv")
