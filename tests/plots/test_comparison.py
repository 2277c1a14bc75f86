"""Forest plots of pairs of models."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.plots.subjects import ends_of, key_texts, texts_of

from properly import compare, plots
from properly.errors import DataWarning
from properly.plots._axes import GREY, PALETTE
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from matplotlib.axes import Axes


RNG = np.random.default_rng(7)
Q = RNG.uniform(size=300)
Y = RNG.random(300) < Q
HALF = np.where(Q < 0.5, 0.3, 0.7)
SURE = np.where(Q < 0.5, 0.0, 1.0)
MODELS = {"noise": RNG.permutation(Q), "truth": Q, "nearly": np.clip(Q + 0.01, 0, 1), "half": HALF}
COMPARISON = compare(Y, MODELS, rule=Brier(), rng=1)
MANY = {f"model {k}": np.clip(Q + 0.01 * k, 0, 1) for k in range(10)}
AREAS = compare(Y, MODELS, rule="auc", rng=1)


def dots(ax: Axes) -> dict[float, Any]:
    drawn: list[Any] = [line for line in ax.get_lines() if line.get_gid() == "value"]
    return {line.get_ydata()[0]: line for line in drawn}


def sides(ax: Axes) -> list[tuple[str, str]]:
    """Return the names at the left and at the right of each row."""
    right: Any = ax.child_axes[0]
    labels = zip(ax.get_yticklabels(), right.get_yticklabels(), strict=True)
    return [(one.get_text(), other.get_text()) for one, other in labels]


def test_rows_are_pairs_by_score_with_the_better_model_where_the_dot_leans() -> None:
    ax = plots.comparison(COMPARISON)
    ranked = sorted(MODELS, key=lambda name: COMPARISON.scores[name].value)
    pairs = [(a, b) for k, a in enumerate(ranked) for b in ranked[k + 1 :]]
    assert sides(ax) == pairs
    for row, pair in enumerate(pairs):
        assert dots(ax)[row].get_xdata()[0] == COMPARISON[pair].difference <= 0
        assert ends_of(ax, "interval")[row] == list(COMPARISON[pair].interval)
        assert ends_of(ax, "simultaneous")[row] == list(COMPARISON[pair].simultaneous)
    assert texts_of(ax, "side") == ["← left model better", "right model better →"]
    assert ax.get_xlabel() == "difference in Brier score, left minus right"
    assert ax.yaxis_inverted()


def test_areas_lean_to_the_better_model_too_which_is_on_the_right() -> None:
    ax = plots.comparison(AREAS)
    for row, (left, right) in enumerate(sides(ax)):
        assert AREAS.scores[right].value >= AREAS.scores[left].value
        assert dots(ax)[row].get_xdata()[0] == AREAS[right, left].difference >= 0
    assert texts_of(ax, "side") == ["← left model better", "right model better →"]
    assert ax.get_xlabel() == "difference in AUC, right minus left"


def test_dots_tell_which_pairs_are_told_apart() -> None:
    ax = plots.comparison(COMPARISON)
    for row, names in enumerate(sides(ax)):
        dot = dots(ax)[row]
        apart = COMPARISON[names].adjusted_p_value <= 0.05
        assert dot.get_color() == (PALETTE[0] if apart else GREY)
        assert dot.get_markerfacecolor() == (PALETTE[0] if apart else "white")
        assert apart == (names != ("truth", "nearly"))
    assert key_texts(ax) == [
        "told apart (at 5 %, allowing for 6 pairs)",
        "not told apart",
        "95 % interval",
        "95 % interval for all 6 pairs at once",
    ]
    alone = compare(Y, MODELS, rule=Brier(), adjust="none", level=0.9, rng=1)
    assert key_texts(plots.comparison(alone))[0] == "told apart (at 10 %, each pair by itself)"


def test_a_margin_is_a_strip_and_models_within_it_have_squares() -> None:
    comparison = compare(Y, MODELS, rule=Brier(), margin=0.02, rng=1)
    ax = plots.comparison(comparison)
    (strip,) = (patch for patch in ax.patches if patch.get_gid() == "margin")
    assert strip.get_x() == -0.02  # type: ignore[attr-defined]
    assert strip.get_width() == 0.04  # type: ignore[attr-defined]
    row = sides(ax).index(("truth", "nearly"))
    assert dots(ax)[row].get_marker() == "s"
    assert "as good as each other, within 0.02 Brier score" in key_texts(ax)
    assert key_texts(ax)[-1] == "margin: 0.02 Brier score either way"


def test_a_reference_is_named_once() -> None:
    rules: dict[Any, list[str]] = {
        Brier(): ["← better than half", "worse than half →"],
        "auc": ["← worse than half", "better than half →"],
    }
    for rule, words in rules.items():
        comparison = compare(Y, MODELS, rule=rule, reference="half", rng=1)
        ax = plots.comparison(comparison)
        names = [label.get_text() for label in ax.get_yticklabels()]
        assert sorted(names) == ["nearly", "noise", "truth"]
        scores = [comparison.scores[name].value for name in names]
        assert scores == sorted(scores, reverse=rule == "auc")
        for row, name in enumerate(names):
            assert dots(ax)[row].get_xdata()[0] == comparison[name, "half"].difference
        assert texts_of(ax, "side") == words
        assert ax.get_xlabel().endswith(" from half")
        assert not ax.child_axes


def test_one_pair_has_its_names_at_the_ends_and_one_interval() -> None:
    two = {name: MODELS[name] for name in ("noise", "truth")}
    ax = plots.comparison(compare(Y, two, rule=Brier()))
    assert texts_of(ax, "side") == ["← truth better", "noise better →"]
    assert key_texts(ax) == ["told apart (at 5 %)", "95 % interval"]


def test_infinite_differences_are_said_and_not_drawn() -> None:
    models = {"truth": Q, "sure": SURE, "surer": 1 - SURE}
    comparison = compare(Y, models, rule=Log(), rng=1)
    ax = plots.comparison(comparison)
    lost = {name: score.infinite_cases for name, score in comparison.scores.items()}
    assert sides(ax) == [("truth", "sure"), ("truth", "surer"), ("sure", "surer")]
    assert texts_of(ax, "words") == [
        f"right model: infinite loss in {lost['sure']} cases",
        f"right model: infinite loss in {lost['surer']} cases",
        "the scores of both are infinite",
    ]
    assert not dots(ax)
    assert not ends_of(ax, "interval")
    assert len(ax.get_xticks()) == 0
    figure: Any = ax.figure
    assert not figure.legends
    other = plots.comparison(compare(Y, models, rule=Log(), reference="truth", rng=1))
    assert texts_of(other, "words")[0] == f"this model: infinite loss in {lost['sure']} cases"
    other = plots.comparison(compare(Y, models, rule=Log(), reference="sure", rng=1))
    assert texts_of(other, "words")[0] == f"the reference: infinite loss in {lost['sure']} cases"


def test_models_that_never_differ_are_a_dot_at_zero() -> None:
    ax = plots.comparison(compare(Y, {"one": Q, "other": Q}, rule=Brier()))
    assert dots(ax)[0].get_xdata()[0] == 0
    assert texts_of(ax, "words") == ["never differ"]
    assert key_texts(ax) == ["not told apart"]
    # The same difference in each case is known, but nothing varies.
    with pytest.warns(DataWarning, match="0 events"):
        flat = compare([0, 0, 0], {"one": [0.5] * 3, "other": [0.1] * 3}, rule=Brier())
    assert texts_of(plots.comparison(flat), "words") == ["no interval"]


@pytest.mark.slow
def test_many_pairs_stay_readable() -> None:
    ax = plots.comparison(compare(Y, MANY, rule=Brier(), rng=1))
    figure: Any = ax.figure
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert len(boxes) == 45
    assert all(upper.y0 >= lower.y1 for upper, lower in pairwise(boxes))
    assert float(ax.get_yticklabels()[0].get_fontsize()) > 7


def test_a_small_axes_has_small_letters_and_its_key_where_there_is_room() -> None:
    figure = Figure(figsize=(4, 2), layout="constrained")
    ax = figure.add_subplot()
    comparison = compare(Y, MANY, rule=Brier(), reference="model 0", rng=1)
    assert plots.comparison(comparison, ax) is ax
    assert 7 < float(ax.get_yticklabels()[0].get_fontsize()) < 8
    figure.draw_without_rendering()
    below: Any = ax.get_legend()
    assert below.get_window_extent().y1 < ax.get_window_extent().y0
    inside = Figure().add_subplot()
    plots.comparison(COMPARISON, inside)
    legend: Any = inside.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == key_texts(
        plots.comparison(COMPARISON)
    )
