"""What holds for every picture."""

from __future__ import annotations

import io
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.plots import subjects

from properly import plots
from properly.errors import ArgumentTypeError, DataError
from properly.plots._axes import PALETTE, inks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Few cases warn.
pytestmark = pytest.mark.filterwarnings("ignore")


@cache
def records(picture: str) -> tuple[Any, Any]:
    make, _ = subjects.PICTURES[picture]
    return make(subjects.CONTINUOUS), make(subjects.DISCRETE)


def drawn(picture: str, names: tuple[str, ...] = ("first", "second"), **options: Any) -> Axes:
    _, draw = subjects.PICTURES[picture]
    return draw({name: records(picture)[k % 2] for k, name in enumerate(names)}, **options)


def saved(ax: Axes) -> str:
    text = io.StringIO()
    figure = subjects.figure_of(ax, drawn=False)
    with mpl.rc_context({"svg.fonttype": "none"}):
        figure.savefig(text, format="svg")
    return text.getvalue()


@pytest.mark.parametrize("picture", subjects.RECORDS)
def test_a_given_axes_is_drawn_on_and_nothing_global_changes(picture: str) -> None:
    before, ax = dict(mpl.rcParams), Figure().add_subplot()
    assert getattr(plots, picture)(subjects.RECORDS[picture](), ax=ax) is ax
    assert ax.has_data()
    assert dict(mpl.rcParams) == before
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or pyplot.get_fignums() == []


@pytest.mark.parametrize("picture", subjects.RECORDS)
def test_what_is_not_a_record_is_refused_with_how_to_make_one(picture: str) -> None:
    with pytest.raises(ArgumentTypeError, match=r"drawn from .*; got Tally") as caught:
        getattr(plots, picture)(subjects.CONTINUOUS)
    assert "Hint: make " in str(caught.value)
    assert "properly." in str(caught.value)


@pytest.mark.parametrize("picture", subjects.PICTURES)
def test_there_must_be_something_to_draw(picture: str) -> None:
    with pytest.raises(DataError, match=r"there must be at least one .* to draw; got none"):
        subjects.PICTURES[picture][1]({})


@pytest.mark.parametrize("picture", subjects.NAMED)
def test_names_are_text_whatever_they_contain(picture: str) -> None:
    page = saved(getattr(plots, picture)(subjects.NAMED[picture]()))
    assert "\\alpha" in page  # as letters, not as a formula
    assert "α" not in page
    assert "_hidden" in page
    assert "&lt;/script&gt;" in page
    assert "two\\nlines" in page
    assert "x" * 24 not in page


@pytest.mark.slow
@pytest.mark.parametrize("picture", subjects.PICTURES)
def test_a_single_case_can_be_drawn(picture: str) -> None:
    make, draw = subjects.PICTURES[picture]
    page = saved(draw(make(subjects.ONE_CASE)))
    assert ("AUC undefined" in page) == (picture == "roc")


@pytest.mark.parametrize("picture", ["reliability", "binned_reliability", "murphy", "roc"])
def test_calls_on_one_axes_take_one_colour_after_another(picture: str) -> None:
    make, draw = subjects.PICTURES[picture]
    ax = draw(make(subjects.CONTINUOUS))
    draw(make(subjects.DISCRETE), ax)
    assert [line.get_color() for line in subjects.lines_of(ax)] == list(PALETTE[:2])
    assert sum(line.get_gid() == "diagonal" for line in ax.get_lines()) == (picture != "murphy")


@pytest.mark.parametrize("picture", ["reliability", "murphy", "roc"])
def test_a_colour_can_be_chosen_for_each_model(picture: str) -> None:
    ax = drawn(picture, color={"second": "#123456"})
    assert [line.get_color() for line in subjects.lines_of(ax)] == [PALETTE[0], "#123456"]


def test_more_models_than_colours_differ_in_their_lines() -> None:
    ink = list(inks(str(k) for k in range(28)).values())
    assert len(set(ink)) == 28
    assert len({one.linestyle for one in ink[:7]}) == 1


def test_limits_show_a_square_part() -> None:
    ax = drawn("reliability", limits=(0, 0.2))
    np.testing.assert_allclose([ax.get_xlim(), ax.get_ylim()], [(-0.004, 0.204)] * 2)
    np.testing.assert_allclose(ax.get_xticks(), ax.get_yticks())
    assert ax.get_aspect() == 1


def test_axes_that_share_their_limits_are_all_square() -> None:
    make, draw = subjects.PICTURES["reliability"]
    axes = Figure().subplots(1, 2, sharex=True, sharey=True)
    assert [draw(make(subjects.CONTINUOUS), ax).get_aspect() for ax in axes] == [1, 1]
