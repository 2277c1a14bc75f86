"""Rows with names: pairs of models, groups and leaderboards."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.boards import board, mixed_board
from tests.plots.subjects import ends_of, key_texts, lines_of, parts_of, texts_of

from properly import Cases, compare, plots
from properly.comparison import by_group
from properly.errors import DataError, DataWarning
from properly.inference import score_interval
from properly.plots._axes import GREY, PALETTE
from properly.plots._board_plot import FULL, MOST, misleads
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.comparison import Groups, Leaderboard
    from properly.rules import Rule


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
    drawn = lines_of(ax, "value")
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
    (strip,) = parts_of(ax, "margin")
    assert strip.get_x() == -0.02
    assert strip.get_width() == 0.04
    row = sides(ax).index(("truth", "nearly"))
    assert dots(ax)[row].get_marker() == "s"
    assert "as good as each other, within 0.02 Brier score" in key_texts(ax)
    assert key_texts(ax)[-1] == "margin: 0.02 Brier score either way"


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
    other = plots.comparison(compare(Y, models, rule=Log(), reference="sure", rng=1))
    assert texts_of(other, "words")[0] == f"right model: infinite loss in {lost['sure']} cases"


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


DRAW = np.random.default_rng(11)
CHANCE = DRAW.uniform(size=400)
HAPPENED = DRAW.random(400) < CHANCE
LABELS = np.array(["a"] * 150 + ["b"] * 150 + ["c"] * 90 + ["few"] * 10)
P = np.where(LABELS == "b", 1 - CHANCE, CHANCE)


def grouped(p: Any = P, rule: Rule | None = None, labels: Any = LABELS) -> Groups:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return by_group(Cases(HAPPENED, p, groups=labels), rule or Brier(), replicates=9, rng=1)


GROUPS = grouped()


def test_one_row_a_group_with_its_score_interval_cases_and_events() -> None:
    ax = plots.groups(GROUPS)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c", "few"]
    assert ends_of(ax, "value") == {k: [x] for k, x in enumerate(GROUPS.score.tolist())}
    assert ends_of(ax, "interval") == {k: GROUPS.interval[k].tolist() for k in range(3)}
    assert texts_of(ax, "cases") == ["150", "150", "90", "10", "cases"]
    events = [str(HAPPENED[name == LABELS].sum()) for name in ("a", "b", "c", "few")]
    assert texts_of(ax, "events") == [*events, "events"]
    assert ax.get_xlabel() == "mean Brier score (lower is better)"
    assert ax.yaxis_inverted()


def test_a_group_that_is_too_small_has_no_interval_and_that_is_said() -> None:
    ax = plots.groups(GROUPS)
    assert texts_of(ax, "words") == ["no interval"]
    small = lines_of(ax, "value")[3]
    assert small.get_markerfacecolor() == "white"
    assert key_texts(ax)[-2] == "no interval: fewer than 10 expected events, or non-events"
    assert (
        key_texts(plots.groups(grouped(labels=np.where(CHANCE < 0.5, "x", "y"))))[-2]
        == "all other cases"
    )


def test_the_worst_group_is_seen_from_the_rest() -> None:
    ax = plots.groups(GROUPS)
    worst = GROUPS.worst
    assert worst is not None
    assert worst.name == "b"
    ((row, ends),) = ends_of(ax, "simultaneous").items()
    assert 1 < row < 1.5
    rest = GROUPS.measures["score"].rest[1]
    assert ends == pytest.approx([rest + x for x in worst.simultaneous])
    assert ends_of(ax, "rest")[row] == [rest]
    marked = [label.get_color() for label in ax.get_yticklabels()]
    assert [color == PALETTE[1] for color in marked] == [False, True, False, False]
    assert key_texts(ax)[:3] == [
        "95 % interval",
        "worst of 3 groups",
        "its distance from all other cases: 95 % interval, allowing for the choice",
    ]


def test_all_cases_are_a_line() -> None:
    whole = score_interval(Cases(HAPPENED, P), Brier())
    ax = plots.groups(GROUPS)
    (line,) = lines_of(ax, "overall")
    assert list(line.get_xdata()) == pytest.approx([whole.value] * 2)
    assert len(ends_of(ax, "rest")) == 1
    assert key_texts(ax)[-1] == f"all cases: .{1000 * whole.value:.0f}"


def test_skill_and_observed_to_expected_events_can_be_drawn() -> None:
    ax = plots.groups(GROUPS, measure="skill")
    assert ends_of(ax, "value") == {k: [x] for k, x in enumerate(GROUPS.skill.tolist())}
    assert ax.get_xlabel() == "Brier skill (higher is better)"
    ((row, _),) = ends_of(ax, "simultaneous").items()
    assert GROUPS.worst_skill is not None
    assert GROUPS.name[int(row)] == GROUPS.worst_skill.name
    assert len(lines_of(ax, "marked")) == 1
    ax = plots.groups(GROUPS, measure="observed_expected")
    assert ax.get_xlabel() == "observed to expected events"
    assert ends_of(ax, "marked") == {0: [1, 1]}
    assert not ends_of(ax, "simultaneous")
    assert ends_of(ax, "interval")[0] == GROUPS.measures["observed_expected"].interval[0].tolist()


def test_infinite_scores_are_said() -> None:
    ax = plots.groups(grouped(np.where(CHANCE < 0.5, 0.0, 1.0), Log()))
    assert texts_of(ax, "words") == ["infinite"] * len(texts_of(ax, "words"))
    assert len(texts_of(ax, "words")) >= 3
    assert not ends_of(ax, "simultaneous")


def test_classes_have_no_events() -> None:
    y = np.array([0, 1, 2] * 40)
    p = np.tile([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.4, 0.3, 0.3], [0.3, 0.3, 0.4]], (30, 1))
    groups = np.array(["x"] * 60 + ["y"] * 52 + ["z"] * 8)
    record = by_group(Cases(y, p, groups=groups), Brier(), replicates=9, rng=1)
    ax = plots.groups(record)
    assert texts_of(ax, "events") == []
    assert key_texts(ax)[-2] == "no interval: fewer than 10 expected cases of the rarer classes"
    message = "these groups have no 'observed_expected'; got groups with 'score', 'skill'"
    with pytest.raises(DataError, match=message):
        plots.groups(record, measure="observed_expected")


def shades(ax: Axes) -> list[float]:
    return [x.get_alpha() or 0.0 for x in ax.patches if x.get_gid() == "tier"]


def test_one_row_a_forecaster_with_score_ranks_and_answers() -> None:
    record = board(6)
    ax = plots.leaderboard(record)
    names = [x.forecaster for x in record]
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    assert ends_of(ax, "value") == {k: [x.score] for k, x in enumerate(record)}
    assert ends_of(ax, "interval") == {k: list(x.interval) for k, x in enumerate(record)}
    assert texts_of(ax, "rank") == ["1", "2", "3", "4", "5", "6", "rank"]
    first, last = record.standings[0].rank_interval or (0, 0)
    assert texts_of(ax, "may be")[0] == (f"{first} to {last}" if first < last else str(first))
    assert texts_of(ax, "tier")[:-1] == [str(x.tier) for x in record]
    assert texts_of(ax, "answered")[:-1] == [f"{100 * x.coverage:.0f} %" for x in record]
    assert ax.get_xlabel() == "Brier score on all 120 questions (lower is better)"
    assert ax.yaxis_inverted()


def test_bars_are_as_long_as_the_share_of_the_questions() -> None:
    record = board(6)
    ax = plots.leaderboard(record)
    bars: dict[str, list[Any]] = {gid: parts_of(ax, gid) for gid in ("answered", "all")}
    shares = [72 * x.get_width() / FULL for x in bars["answered"]]
    assert shares == pytest.approx([x.coverage for x in record])
    assert {72 * x.get_width() for x in bars["all"]} == {FULL}


def test_a_tier_has_one_shade_and_the_first_is_the_deepest() -> None:
    record = board(6)
    drawn = shades(plots.leaderboard(record))
    shade = {x.tier or 0: alpha for x, alpha in zip(record, drawn, strict=True)}
    assert [shade[x.tier or 0] for x in record] == drawn
    assert len(shade) >= 2
    assert [shade[tier] for tier in sorted(shade)] == sorted(set(drawn), reverse=True)


def test_raw_means_are_marked_where_they_mislead() -> None:
    record = board(6)
    off = [k for k, x in enumerate(record) if misleads(x)]
    assert 0 < len(off) < 6
    ax = plots.leaderboard(record)
    marks = ends_of(ax, "raw")
    assert [int(row) for row in marks] == off
    assert list(marks.values()) == [[record.standings[k].raw] for k in off]
    said = "mean of what it answered, where these questions were hard or easy"
    assert said in key_texts(ax)
    none = [replace(x, raw=x.score, selection=0.0) for x in record]
    ax = plots.leaderboard(replace(record, standings=tuple(none)))
    assert not ends_of(ax, "raw")
    assert said not in key_texts(ax)


def test_rounding_does_not_mislead() -> None:
    constant = replace(board(2).standings[0], score=0.25, standard_error=1e-17)
    assert not misleads(replace(constant, raw=0.25, selection=8e-17))
    assert misleads(replace(constant, raw=0.26, selection=0.01))
    assert not misleads(replace(constant, selection=np.nan, standard_error=np.nan))


def colors(ax: Axes) -> list[Any]:
    drawn = lines_of(ax, "value")
    return [line.get_color() for line in drawn]


def led(record: Leaderboard, ranks: tuple[tuple[int, int], ...]) -> Leaderboard:
    rows = zip(record.standings, ranks, strict=True)
    return replace(record, standings=tuple(replace(x, rank_interval=y) for x, y in rows))


def test_best_is_said_only_of_one_whose_rank_can_be_no_other() -> None:
    two = board(2)
    ax = plots.leaderboard(led(two, ((1, 1), (2, 2))))
    assert key_texts(ax)[:2] == ["best (95 % sure)", "another is shown to be better"]
    assert colors(ax) == [PALETTE[0], GREY]
    ax = plots.leaderboard(led(two, ((1, 2), (1, 2))))
    assert key_texts(ax)[0] == "may be best (95 % sure)"
    assert colors(ax) == [PALETTE[0], PALETTE[0]]


def test_who_is_not_ranked_stands_below_a_line() -> None:
    record = mixed_board()
    ax = plots.leaderboard(record)
    ranked = len(record.ranked)
    assert [label.get_text() for label in ax.get_yticklabels()][ranked:] == [
        "crowd (mean)",
        "seldom",
    ]
    assert list(ends_of(ax, "line")) == [ranked - 0.5]
    assert texts_of(ax, "rank")[ranked:] == ["", "", "rank"]
    assert ends_of(ax, "crowd") == {0.0: [record.crowd[0].score] * 2}
    assert "crowd (mean), made of the others and not ranked" in key_texts(ax)
    assert "not ranked: too few questions shared with anybody" in key_texts(ax)


def test_an_infinite_score_is_said() -> None:
    record = mixed_board()
    ax = plots.leaderboard(record)
    assert texts_of(ax, "words") == ["infinite: certain and wrong"]
    row = [x.forecaster for x in record.ranked].index("sure")
    assert row == len(record.ranked) - 1
    assert row not in ends_of(ax, "value")
    absent = replace(record.standings[-1], score=np.nan, interval=(np.nan, np.nan))
    ax = plots.leaderboard(replace(record, standings=(*record.standings[:-1], absent)))
    assert texts_of(ax, "words") == ["infinite: certain and wrong", "no answer"]


@pytest.mark.slow
def test_of_many_the_first_are_drawn_and_the_others_counted() -> None:
    record = board(3)
    many = tuple(replace(record.standings[0], forecaster=f"f{k}") for k in range(300))
    ax = plots.leaderboard(replace(record, standings=many))
    assert len(ends_of(ax, "value")) == MOST
    assert texts_of(ax, "words") == ["the first 40 of 300 forecasters are drawn"]
    assert ax.get_ylim() == (MOST + 0.5, -0.5)
    ax = plots.leaderboard(replace(record, standings=many[:MOST]))
    assert texts_of(ax, "words") == []


def test_names_do_not_reach_into_ranks_or_rows() -> None:
    ax = plots.leaderboard(board(4, names=("x" * 80, "W" * 36, "a", "b")))
    figure: Any = ax.figure
    figure.draw_without_rendering()
    names = [label.get_window_extent() for label in ax.get_yticklabels()]
    tiers = [text.get_window_extent() for text in ax.texts if text.get_gid() == "tier"]
    assert max(x.x1 for x in names) < ax.get_window_extent().x0
    assert max(x.x1 for x in tiers) < min(x.x0 for x in names)


def test_questions_that_all_answered_are_called_so() -> None:
    ax = plots.leaderboard(replace(board(3), missing="complete", questions=7))
    assert ax.get_xlabel() == "Brier score on 7 questions that all answered (lower is better)"
