"""Means as bars and by their power."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.plots.subjects import CONTINUOUS, DISCRETE, figure_of, legend_texts, lines_of

from properly import plots, tally
from properly.plots._axes import PALETTE
from properly.probability import means, risk_profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes


ZERO = means(tally([0, 1, 1], [0.2, 0.0, 0.9]))
THREE = ("decisiveness", "mean_probability", "robustness")
RECORDS = {"one": means(CONTINUOUS), "other": means(DISCRETE), "zero": ZERO}
LONG = {f"model-of-a-long-name-{k}": one for k, one in enumerate(RECORDS.values())}


def marked(ax: Axes, gid: str) -> list[Any]:
    drawn = lines_of(ax, gid)
    return [np.asarray(line.get_xydata()).tolist() for line in drawn]


def numbers(ax: Axes) -> list[str]:
    side: Any = ax.child_axes[0]
    horizontal = len(side.get_xticks()) == 0
    labels = side.get_yticklabels() if horizontal else side.get_xticklabels()
    return [label.get_text() for label in labels]


def test_upright_bars_are_shares_correct_with_three_marks_and_a_line_that_joins_them() -> None:
    ax = plots.means_bars(RECORDS)
    heights = [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in ax.patches]  # type: ignore[attr-defined]
    np.testing.assert_allclose(
        heights, [(k, one.correct) for k, one in enumerate(RECORDS.values())], atol=1e-12
    )
    rows = list(enumerate(RECORDS.values()))
    for name in THREE:
        assert marked(ax, name) == [[[k, getattr(one, name)]] for k, one in rows]
    assert marked(ax, "reach") == [[[k, one.robustness], [k, one.decisiveness]] for k, one in rows]
    assert [label.get_text() for label in ax.get_xticklabels()] == list(RECORDS)
    assert ax.get_ylim() == (0, 1)


def test_bars_lie_where_names_are_long_and_the_first_is_on_top() -> None:
    ax = plots.means_bars(LONG)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(LONG)
    assert ax.yaxis_inverted()
    assert ax.get_xlim() == (0, 1)
    widths = [bar.get_width() for bar in ax.patches]  # type: ignore[attr-defined]
    assert widths == [one.correct for one in LONG.values()]
    rows = list(enumerate(LONG.values()))
    for name in THREE:
        assert marked(ax, name) == [[[getattr(one, name), k]] for k, one in rows]
    assert marked(ax, "reach") == [[[one.robustness, k], [one.decisiveness, k]] for k, one in rows]


@pytest.mark.parametrize("records", [RECORDS, LONG])
def test_mean_probabilities_are_printed_beside_the_bars(records: Any) -> None:
    ax = plots.means_bars(records)
    figure_of(ax)
    assert numbers(ax) == [f"{one.mean_probability:.3f}" for one in records.values()]


def test_a_zero_is_drawn_at_zero_and_whole() -> None:
    ax = plots.means_bars({"zero": ZERO})
    assert marked(ax, "mean_probability") == [[[0, 0]]]
    assert marked(ax, "robustness") == [[[0, 0]]]
    assert marked(ax, "reach") == [[[0, 0], [0, ZERO.decisiveness]]]
    assert not any(line.get_clip_on() for line in ax.get_lines())
    # A bar that is alone is not as wide as the picture.
    assert ax.get_xlim() == (-1.5, 1.5)


def test_a_legend_says_what_is_what() -> None:
    said = ["share correct", "decisiveness", "mean probability", "robustness"]
    ax = plots.means_bars(RECORDS)
    figure = figure_of(ax, drawn=False)
    shown: list[Any] = figure.legends[0].legend_handles[1:]
    assert [handle.get_marker() for handle in shown] == ["^", "D", "v"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == said
    given = Figure().add_subplot()
    assert plots.means_bars(RECORDS, given) is given
    assert legend_texts(given) == said


PROFILE, OTHER = risk_profile(CONTINUOUS), risk_profile(DISCRETE)
ENDLESS = risk_profile(CONTINUOUS, [-np.inf, -2, 0, 2, np.inf])
PARTS = ("model", "source", "expected")


@pytest.fixture(scope="module")
def alone() -> Axes:
    return plots.risk_profile(PROFILE)


def dots(ax: Axes, part: str = "model") -> list[Any]:
    drawn = lines_of(ax, f"dot of {part}")
    return [tuple(np.asarray(line.get_xydata())[0].tolist()) for line in drawn]


def above(ax: Axes) -> dict[str, float]:
    """Return what is written above the picture, and where."""
    (upper,) = ax.child_axes
    labels = [label.get_text() for label in upper.get_xticklabels()]
    return dict(zip(labels, upper.get_xticks(), strict=True))


def test_lines_are_model_source_and_expectation(alone: Axes) -> None:
    lines = lines_of(alone, "curve")
    for line, part, style in zip(lines, PARTS, ("-", "--", ":"), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), PROFILE.power)
        np.testing.assert_array_equal(line.get_ydata(), getattr(PROFILE, part))
        assert line.get_linestyle() == style
        assert line.get_color() == PALETTE[0]
    assert alone.get_ylim() == (0, 1)
    assert alone.get_xlim() == pytest.approx((-3.12, 3.12))
    assert alone.get_xlabel() == "power of the mean"


def test_the_lines_of_a_model_that_is_alone_are_named_at_their_ends(alone: Axes) -> None:
    assert [text.get_text() for text in alone.texts] == list(PARTS)
    ends = [text.xy for text in alone.texts]  # type: ignore[attr-defined]
    assert ends == [(3, getattr(PROFILE, part)[-1]) for part in PARTS]
    labelled = plots.risk_profile({"$mine$": PROFILE})
    assert [text.get_text() for text in labelled.texts] == [r"\$mine\$", "source", "expected"]


def test_the_three_powers_are_named_with_the_means_of_a_model_that_is_alone(alone: Axes) -> None:
    record = means(CONTINUOUS)
    assert above(alone) == {
        f"decisiveness\n{record.decisiveness:.3f}": 1,
        f"mean\nprobability\n{record.mean_probability:.3f}": 0,
        f"robustness\n{record.robustness:.3f}": -2 / 3,
    }
    both = above(plots.risk_profile({"one": PROFILE, "other": OTHER}))
    assert both == {"decisiveness": 1, "mean\nprobability": 0, "robustness": -2 / 3}


def test_dots_mark_the_three_means_of_the_model(alone: Axes) -> None:
    record = means(CONTINUOUS)
    np.testing.assert_allclose(
        dots(alone),
        [(-2 / 3, record.robustness), (0, record.mean_probability), (1, record.decisiveness)],
    )
    assert not dots(alone, "source")
    assert not dots(alone, "expected")
    assert not dots(plots.risk_profile(risk_profile(CONTINUOUS, [-2, 0.5, 2])))


def test_several_models_are_named_and_a_key_tells_the_lines_apart() -> None:
    ax = plots.risk_profile({"one": PROFILE, "other": OTHER})
    assert [text.get_text() for text in ax.texts] == ["one", "other"]
    colors = [line.get_color() for line in lines_of(ax, "curve")]
    assert colors == [PALETTE[0]] * 3 + [PALETTE[1]] * 3
    (key,) = ax.artists
    assert [text.get_text() for text in key.get_texts()] == list(PARTS)  # type: ignore[attr-defined]


def test_a_second_call_takes_the_next_colour_and_drops_the_values_of_the_first() -> None:
    ax = plots.risk_profile({"one": PROFILE})
    plots.risk_profile({"other": risk_profile(DISCRETE, [-5, 0, 1])}, ax)
    assert [line.get_color() for line in lines_of(ax, "curve")[::3]] == list(PALETTE[:2])
    assert set(above(ax)) == {"decisiveness", "mean probability", "robustness"}
    assert len(lines_of(ax, "named power")) == 3
    assert ax.get_xlim() == pytest.approx((-5.16, 3.16))
    assert len(ax.artists) == 1


def test_names_of_powers_are_turned_where_they_would_touch() -> None:
    for width, turned in ((3, True), (9, False)):
        ax = plots.risk_profile(PROFILE, Figure((width, 3)).add_subplot())
        (upper,) = ax.child_axes
        labels = upper.get_xticklabels()
        assert {label.get_rotation() for label in labels} == ({35} if turned else {0})
        # In one line if they are turned: a second one would run into the next name.
        assert {"\n" in label.get_text() for label in labels} == {not turned}
