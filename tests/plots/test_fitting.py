"""Names that fit."""

from __future__ import annotations

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from properly.plots._names import (
    LINES,
    TURNED,
    columns_for,
    fold,
    inches,
    name_columns,
    points,
    title_lines,
    title_panel,
)


def test_sizes_follow_the_font_of_the_user() -> None:
    with mpl.rc_context({"font.size": 20}):
        assert points() == 20
        assert points("small") == pytest.approx(16.66)
        wide = inches(["abc"])
    with mpl.rc_context({"font.size": 10}):
        assert wide == pytest.approx(2 * inches(["abc"]))
        assert inches(["abc", "one\ntwo three"]) == pytest.approx(9 * 0.6 * 10 / 72)


def test_a_name_is_broken_between_words_only() -> None:
    assert fold("incapacitating or higher", 1.3) == "incapacitating\nor higher"
    assert fold("incapacitating or higher", 9) == "incapacitating or higher"
    assert fold("incapacitating", 0.1) == "incapacitating"
    assert fold("a-b c", 0.3) == "a-b\nc"


def test_a_title_is_folded_or_smaller_but_not_wider_than_its_panel() -> None:
    for name in (
        "possible or higher",
        "a name of very many rather short words",
        "x" * 60,
        "W" * 40,
    ):
        ax = Figure(figsize=(8, 3)).add_subplot()
        title_panel(ax, name, 2.0)
        width = ax.title.get_window_extent().width / ax.figure.dpi
        assert width <= 2
        assert ax.get_title().count("\n") + 1 == title_lines([name], 2.0)
    assert title_lines(["a b", "x" * 60], 2.0) == 1
    assert title_lines(["short", "a name of very many rather short words"], 2.0) == 2


def test_columns_are_as_wide_as_names_need() -> None:
    assert columns_for(["a", "b"], 0.6, 1.2) == (0.6, 0)
    step, depth = columns_for(["incapacitating or higher", "b"], 0.6, 1.4)
    assert 1.2 < step <= 1.4
    assert depth == pytest.approx(1.2 * points() / 72)  # one more line
    step, depth = columns_for(["Unbreakable" * 3, "b"], 0.6, 1.2)
    assert step == 0.6
    assert depth > 1  # turned, it hangs down


@pytest.mark.parametrize("side", ["bottom", "top"])
@pytest.mark.parametrize(("width", "turned"), [(8, False), (2, True)])
def test_names_are_turned_where_room_is_short(side: str, width: float, *, turned: bool) -> None:
    names = ["none", "incapacitating or higher", "killed"]
    ax = Figure(figsize=(width, 3)).add_subplot(xlim=(-0.5, 2.5))
    name_columns(ax, names, side=side)  # type: ignore[arg-type]
    ticks = ax.xaxis.get_major_ticks()
    labels = [tick.label1 if side == "bottom" else tick.label2 for tick in ticks]
    assert [label.get_text().replace("\n", " ") for label in labels] == names
    assert {label.get_rotation() for label in labels} == {TURNED if turned else 0}
    assert all(label.get_visible() for label in labels)
    assert max(label.get_text().count("\n") for label in labels) < LINES
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    assert [label.get_text().replace("\n", " ") for label in labels] == names
