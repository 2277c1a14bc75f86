"""Figures as files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from properly import evaluate
from properly.errors import DataError
from properly.plots._axes import new_figure
from properly.report import _figures, figures
from properly.report._figures import slugs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

RNG = np.random.default_rng(8)
Q = RNG.uniform(0.02, 0.98, 60)
Y = (RNG.random(60) < Q).astype(int)
GRADE = RNG.integers(0, 3, 60)
GROUPS = np.where(np.arange(60) % 2, "odd", "even")
HOSTILE = "../<script>'ü'&amp;$x$\n"


def forecasts_of(*names: str) -> dict[str, Any]:
    return {name: Q ** (k + 1) for k, name in enumerate(names)}


def tables_of(*names: str) -> dict[str, Any]:
    return {name: RNG.dirichlet(np.ones(3), 60) for name in names}


ONE = evaluate(Y, forecasts_of("one"), replicates=0)
NAMED = evaluate(Y, forecasts_of(HOSTILE, "模型"), replicates=0)


@pytest.fixture
def only_named(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], Axes]]:
    """Write the name of each format in place of a drawing, and note what would be drawn."""
    drawings: list[Callable[[], Axes]] = []

    def render(draw: Callable[[], Axes], kinds: Sequence[str]) -> list[bytes]:
        drawings.append(draw)
        return [kind.encode() for kind in kinds]

    monkeypatch.setattr(_figures, "_render", render)
    return drawings


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


EACH_OF_CLASSES = "reliability-a reliability-b confusion-a confusion-b"
EACH = "reliability regret decision roc mcb-dsc means"
FIGURES: dict[str, tuple[Callable[[], Any], str]] = {
    "one": (lambda: ONE, f"{EACH} worst-cases-one"),
    "two": (
        lambda: evaluate(Y, forecasts_of("a", "b"), replicates=0),
        f"{EACH} comparison dominance worst-cases-a worst-cases-b",
    ),
    "three": (
        lambda: evaluate(Y, forecasts_of("a", "b", "C"), replicates=0),
        f"{EACH} comparison comparison-matrix dominance worst-cases-a worst-cases-b worst-cases-c",
    ),
    "classes": (
        lambda: evaluate(GRADE, tables_of("a", "b"), task="ordinal", groups=GROUPS, replicates=0),
        f"{EACH_OF_CLASSES} retention comparison groups-a groups-b worst-cases-a worst-cases-b",
    ),
}


@pytest.mark.usefixtures("only_named")
@pytest.mark.parametrize("kind", FIGURES)
def test_there_is_a_figure_of_all_that_is_known(kind: str, tmp_path: Path) -> None:
    made, stems = FIGURES[kind]
    assert figures(tmp_path, made()) == [tmp_path / f"{stem}.svg" for stem in stems.split()]


def drawings(paths: list[Path], draws: list[Callable[[], Axes]]) -> Callable[[str], Axes]:
    """Draw the figure of a name."""
    by_stem = dict(zip((path.stem for path in paths), draws, strict=True))
    return lambda name: by_stem[name]()


def test_each_figure_shows_what_its_name_says(
    only_named: list[Callable[[], Axes]], tmp_path: Path
) -> None:
    e = evaluate(Y, forecasts_of("a", "b", "c"), groups=GROUPS, within=(0.1, 0.4), replicates=0)
    paths = figures(tmp_path, e)
    axes = drawings(paths, only_named)
    assert axes("reliability").get_title() == "a"
    assert axes("regret").get_ylabel() == "regret"
    decision, plane = axes("decision"), axes("mcb-dsc")
    assert decision.get_ylabel() == "net benefit"
    assert decision.get_xlim() == pytest.approx((0, 0.55))
    assert axes("roc").get_xlabel() == "false positive rate"
    assert plane.get_xlabel() == "miscalibration (MCB)"
    shown = e.decompositions["a"]["regret[0.1,0.4]"].miscalibration
    point = next(line for line in plane.get_lines() if line.get_gid() == "model")
    assert e.primary == "regret[0.1,0.4]"
    assert point.get_xdata() == pytest.approx([shown])
    assert axes("means").get_xticklabels()[0].get_text() == "a"
    assert "regret[0.1,0.4]" in axes("comparison").get_xlabel()
    ranked = sorted(e.scores, key=lambda name: e.scores[name][e.primary].value)
    beside = {text.get_text().split("\n")[0] for text in axes("dominance").texts}
    assert beside == set(ranked[:2])
    assert [t.get_text() for t in axes("groups-b").get_yticklabels()] == ["even", "odd"]
    row = int(e.worst["c"].row[0])
    assert axes("worst-cases-c").get_yticklabels()[0].get_text() == f"row {row}"


@pytest.mark.parametrize("within", [(0, 0.1), (0.5, 1), (0, 1)])
def test_ranges_that_reach_an_end_are_drawn(
    within: tuple[float, float], only_named: list[Callable[[], Axes]], tmp_path: Path
) -> None:
    figures(tmp_path, evaluate(Y, forecasts_of("a"), within=within, replicates=0))
    regret, decision = (draw() for draw in only_named[1:3])
    scale = "log-odds" in regret.get_xlabel()
    assert scale is (within == (0, 0.1))
    low, high = decision.get_xlim()
    assert 0 <= low < high <= 1


def test_names_are_text_in_files_that_are_the_same_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = [(name, draw) for name, draw in _figures._drawings(NAMED) if name == "regret"]
    monkeypatch.setattr(_figures, "_drawings", lambda _: kept)
    first, again = tmp_path / "first", tmp_path / "again"
    files = figures(first, NAMED)
    before = dict(mpl.rcParams)
    with mpl.rc_context({"axes.facecolor": "red", "font.size": 30, "svg.fonttype": "path"}):
        figures(again, NAMED)
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == []
    text = (first / "regret.svg").read_bytes()
    assert files == [first / "regret.svg"]
    assert text == (again / "regret.svg").read_bytes()
    tree = ET.fromstring(text)  # noqa: S314
    words = "".join(tree.itertext())
    assert r"../<script>'ü'&amp;$x$\n" in words
    assert "模型" in words
    assert "script" not in {element.tag.rpartition("}")[2] for element in tree.iter()}
    assert b"<dc:date>" not in text


@pytest.mark.slow
def test_each_format_is_what_it_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def draw() -> Axes:
        ax = new_figure(2, 1).add_subplot()
        ax.plot([0, 1], [0, 1])
        return ax

    monkeypatch.setattr(_figures, "_drawings", lambda _: [("line", draw)])
    paths = figures(tmp_path, ONE, formats=["png", "pdf", "svg", "png"])
    assert names(paths) == ["line.png", "line.pdf", "line.svg"]
    png, pdf, svg = (path.read_bytes() for path in paths)
    assert png.startswith(b"\x89PNG")
    # Width and height: inches times dots per inch.
    assert [int.from_bytes(png[k : k + 4]) for k in (16, 20)] == [400, 200]
    assert pdf.startswith(b"%PDF")
    assert b"CreationDate" not in pdf
    assert b"<svg" in svg
    figures(tmp_path / "again", ONE, formats=("pdf", "png"))
    assert (tmp_path / "again" / "line.pdf").read_bytes() == pdf
    assert (tmp_path / "again" / "line.png").read_bytes() == png


def test_a_file_that_is_there_keeps_all_from_being_drawn(
    only_named: list[Callable[[], Axes]], tmp_path: Path
) -> None:
    old = tmp_path / "roc.pdf"
    old.write_bytes(b"old")
    with pytest.raises(DataError, match=r"roc\.pdf exists already and is not overwritten"):
        figures(tmp_path, ONE, formats=("svg", "pdf"), overwrite=False)
    assert only_named == []
    assert list(tmp_path.iterdir()) == [old]
    figures(tmp_path, ONE, formats="pdf")
    assert old.read_bytes() == b"pdf"


@given(st.lists(st.text(max_size=50), unique=True, max_size=12))
def test_words_made_of_any_names_are_safe_and_differ(models: list[str]) -> None:
    slugs = slugs_of(models)
    assert list(slugs) == models
    assert len(set(slugs.values())) == len(models)
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", slug) for slug in slugs.values())
    assert all(len(slug) <= 45 for slug in slugs.values())


def test_an_interrupted_drawing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> list[bytes]:
        raise KeyboardInterrupt

    monkeypatch.setattr(_figures, "_render", interrupt)
    with pytest.raises(KeyboardInterrupt):
        figures(tmp_path / "new", ONE)
    assert list(tmp_path.iterdir()) == []
