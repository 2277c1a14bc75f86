"""Boards of forecasters who skipped questions: ranks, tiers, notes, and what is printed."""

from __future__ import annotations

import json
import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.board_draws import HALF, QUESTIONS, board_of, certain, drawn, plain_board

import properly
from properly.comparison._leaderboard import ranks
from properly.errors import DataError
from properly.rules import RPS, Brier, Log

# Ranks


def test_ranks_are_bounded_by_who_is_shown_better_and_worse() -> None:
    board = board_of(*drawn(3, "abcdef"))
    away, p = (board.pairs[x] for x in ("difference", "adjusted_p_value"))
    for k, row in enumerate(board):
        better = ((p[k] <= 0.05) & (away[k] > 0)).sum()
        worse = ((p[k] <= 0.05) & (away[k] < 0)).sum()
        assert row.rank_interval == (1 + better, len(board) - worse)
        low, high = row.rank_interval
        assert low <= row.rank <= high


def ranks_of(score: Any) -> Any:
    """Rank scores that are shown to differ where they are more than two and a half apart."""
    score = np.array(score)
    return ranks(score[:, None] - score, score, np.full((len(score),) * 2, 2.5))


def test_tiers_open_with_the_first_who_has_none() -> None:
    found = ranks_of(np.arange(6.0))
    assert found.tier.tolist() == [1, 1, 1, 2, 2, 2]
    assert found.lowest.tolist() == [1, 1, 1, 2, 3, 4]
    assert found.highest.tolist() == [3, 4, 5, 6, 6, 6]


def test_who_cannot_be_told_apart_shares_a_tier_with_the_first_that_it_meets() -> None:
    found = ranks_of([0.0, 2, 3, 6])
    assert found.tier.tolist() == [1, 1, 2, 3]


def test_ties_have_the_same_rank() -> None:
    found = ranks_of([0.3, 0.1, 0.1 + 1e-17, 0.2])
    assert found.rank.tolist() == [4, 1, 1, 3]
    assert found.order.tolist() == [1, 2, 3, 0]


def test_a_leader_is_named_if_its_rank_can_be_no_other() -> None:
    y, forecasts = drawn(names="ab", gaps=0.1)
    assert board_of(y, forecasts).leader is None
    good = np.where(y == 1, 0.9, 0.1) + 0.05 * np.sin(np.arange(QUESTIONS))
    board = board_of(y, {"good": good, "bad": 1 - good})
    assert board.leader == "good"
    assert board["good"].rank_interval == (1, 1)
    assert [row.tier for row in board] == [1, 2]


# Differences


def test_differences_are_to_the_leader_or_to_the_reference() -> None:
    y, forecasts = drawn()
    board = board_of(y, forecasts)
    first = board.standings[0]
    assert board.reference is None
    for row in board:
        assert row.difference == pytest.approx(row.score - first.score, abs=1e-14)
    against = board_of(y, forecasts, reference="d")
    assert against.reference == "d"
    for row in against:
        assert row.difference == pytest.approx(row.score - against["d"].score, abs=1e-14)
        assert row.score == board[row.forecaster].score


@pytest.mark.parametrize("reference", [None, "c"])
def test_p_values_are_adjusted_for_all_pairs(reference: str | None) -> None:
    y, forecasts = drawn()
    board = board_of(y, forecasts, reference=reference)
    away, error, degrees = (board.pairs[x] for x in ("difference", "standard_error", "degrees"))
    place = {row.forecaster: k for k, row in enumerate(board)}
    base = place[reference or board.standings[0].forecaster]
    for i, j in combinations(range(4), 2):
        p = 2 * stats.t.sf(abs(away[i, j]) / error[i, j], degrees[i, j])
        adjusted = board.pairs["adjusted_p_value"][i, j]
        assert p < adjusted <= min(6 * p, 1)
        assert board.pairs["adjusted_p_value"][j, i] == adjusted
        if base in (i, j):
            row = board.standings[i if base == j else j]
            assert row.adjusted_p_value == adjusted


def test_pairs_are_in_the_order_of_the_board() -> None:
    board = plain_board()
    away = board.pairs["difference"]
    score = np.array([row.score for row in board])
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(away[off], (score[:, None] - score)[off], atol=1e-14)
    np.testing.assert_array_equal(away[off], -away.T[off])
    assert np.isnan(np.diagonal(board.pairs["standard_error"])).all()


# Few answers, infinite losses


def test_who_shares_few_questions_is_listed_and_not_ranked() -> None:
    y, forecasts = drawn()
    few = np.where(np.arange(QUESTIONS) < 9, 0.4, np.nan)
    board = board_of(y, forecasts | {"few": few})
    row = board["few"]
    assert board.standings[-1] is row
    assert row.rank is row.rank_interval is row.tier is None
    assert math.isfinite(row.score)
    assert row.answered == 9
    assert len(board.ranked) == 4
    assert board.pairs["difference"].shape == (4, 4)
    note = "Not ranked, with fewer than 10 questions shared with anybody: few."
    assert note in board.notes
    # It is in the fit all the same, and ranked if that is asked for.
    assert board_of(y, forecasts | {"few": few}, least=9)["few"].rank is not None
    assert board_of(y, forecasts)["a"].score != board["a"].score


def test_nobody_need_be_ranked() -> None:
    board = board_of(*drawn(), least=1000)
    assert board.ranked == ()
    assert board.leader is None
    scores = [row.score for row in board]
    assert scores == sorted(scores)
    assert board.pairs["difference"].shape == (0, 0)
    assert "not ranked" in repr(board.standings[0])
    assert str(board)


def test_one_infinite_loss_is_last_and_the_others_are_fitted_without() -> None:
    y, forecasts = certain()
    board = board_of(y, forecasts, rule=Log())
    row = board["b"]
    assert (row.rank, row.rank_interval, row.tier) == (4, None, None)
    assert row.score == row.raw == row.difference == math.inf
    assert all(map(math.isnan, (row.standard_error, row.selection, *row.interval)))
    assert board.standings[-1] is row
    without = board_of(y, {name: p for name, p in forecasts.items() if name != "b"}, rule=Log())
    for other in without:
        assert board[other.forecaster].score == pytest.approx(other.score, rel=1e-12)
        assert board[other.forecaster].rank_interval == other.rank_interval
    note = "Certain and wrong, with an infinite loss: b. The others are fitted without."
    assert note in board.notes
    # By a rule that is bounded nothing is infinite.
    assert math.isfinite(board_of(y, forecasts)["b"].score)


def test_an_infinite_loss_is_infinite_on_every_platform() -> None:
    board = board_of(*certain(), rule=Log(), peer=True, relative_skill=True, baseline="a")
    infinite = board["b"].others
    assert infinite["relative_skill"].value == infinite["scaled_relative_skill"].value == math.inf
    for name in ("peer", "peer_sum", "peer_median", "baseline_score"):
        assert infinite[name].value == -math.inf
    y, forecasts = certain()
    without = {name: p for name, p in forecasts.items() if name != "b"}
    alone = board_of(y, without, rule=Log(), relative_skill=True)
    for row in alone:
        expected = row.others["relative_skill"].value
        found = board[row.forecaster].others["relative_skill"]
        assert found.value == pytest.approx(expected, rel=1e-12)
        assert math.isfinite(found.interval[0])


def test_peers_are_the_median_of_what_others_gave_to_what_happened() -> None:
    y, forecasts = drawn()
    board = board_of(y, forecasts, rule=Log(), peer=True)
    given = {name: np.where(y == 1, p, 1 - p) for name, p in forecasts.items()}
    for name, own in given.items():
        others = np.array([x for other, x in given.items() if other != name])
        kept = ~np.isnan(own) & ~np.isnan(others).all(axis=0)
        middle = np.nanmedian(others[:, kept], axis=0)
        expected = 100 * np.log(own[kept] / middle).mean()
        assert board[name].others["peer_median"].value == pytest.approx(expected, rel=1e-9)


# Columns


def test_raw_coverage_and_selection_are_what_they_say() -> None:
    y, forecasts = drawn()
    asked = ~np.isnan(np.array(list(forecasts.values()))).all(axis=0)
    for row in plain_board():
        p = forecasts[row.forecaster]
        there = ~np.isnan(p)
        assert row.raw == pytest.approx(((p - y) ** 2)[there].mean(), rel=1e-12)
        assert row.selection == pytest.approx(row.raw - row.score, abs=1e-15)
        assert row.answered == there.sum()
        assert row.coverage == row.active == pytest.approx(there.sum() / asked.sum())


def test_scores_may_be_moved_to_a_scale() -> None:
    y, forecasts = drawn()
    forecasts["always half"] = HALF
    plain = board_of(y, forecasts, bounds=True, crowd="mean")
    board = board_of(y, forecasts, bounds=True, crowd="mean", scaled_to=("always half", 0.3))
    assert board["always half"].score == pytest.approx(0.3)
    for row in (*board, *board.crowd):
        before = plain[row.forecaster]
        shift = row.score - before.score
        assert shift == pytest.approx(0.05, abs=1e-3)
        for one, two in ((row.interval, before.interval), (row.bounds, before.bounds)):
            if one is not None:
                assert one == pytest.approx([x + shift for x in two])
        assert row.difference == before.difference
        assert (row.rank, row.raw) == (before.rank, before.raw)
    assert board.notes[-1].startswith("Scores are shifted by ")
    assert board.notes[-1].endswith(", so that always half has 0.3.")


def test_bounds_are_wide_and_hold_the_raw_mean_of_a_full_table() -> None:
    y, forecasts = drawn()
    forecasts["full"] = HALF
    board = board_of(y, forecasts, bounds=True)
    assert board["full"].bounds == pytest.approx((0.25, 0.25))
    for row in board:
        low, high = row.bounds
        assert high - low == pytest.approx(1 - row.coverage)
    assert plain_board()["a"].bounds is None


def test_complete_questions_may_be_asked_for() -> None:
    y, forecasts = drawn()
    board = board_of(y, forecasts, missing="complete", least=2)
    full = ~np.isnan(np.array(list(forecasts.values()))).any(axis=0)
    assert board.missing == "complete"
    assert board.questions == full.sum()
    for row in board:
        expected = ((forecasts[row.forecaster] - y) ** 2)[full].mean()
        assert row.score == pytest.approx(expected, rel=1e-12)
        assert row.coverage == 1
    assert any(note.startswith(f"Only the {full.sum()} of ") for note in board.notes)


def test_fair_scores_are_those_of_large_ensembles() -> None:
    rng = np.random.default_rng(2)
    rows: dict[str, list[Any]] = {
        x: [] for x in ("question", "forecaster", "probability", "outcome")
    }
    for question in range(30):
        chance = rng.random()
        happened = int(rng.random() < chance)
        for name, members in (("few", 3), ("many", 30)):
            for hit in rng.random(members) < chance:
                for column, x in zip(
                    rows.values(), (question, name, float(hit), happened), strict=True
                ):
                    column.append(x)
    answers = properly.Answers(**rows, repeated="pool")
    plain, fair = (properly.leaderboard(answers, fair=flag, rng=1) for flag in (False, True))
    gains = {row.forecaster: row.score - fair[row.forecaster].score for row in plain}
    assert gains["few"] > 5 * gains["many"] > 0


# Crowds


@pytest.mark.parametrize("kind", ["mean", "median", "log-odds"])
def test_a_crowd_is_made_where_three_or_more_answered(kind: Any) -> None:
    y, forecasts = drawn()
    board = board_of(y, forecasts, crowd=kind)
    (crowd,) = board.crowd
    table = np.array(list(forecasts.values())).T
    some = (~np.isnan(table)).sum(axis=1) >= 3
    pooled: Any = {
        "mean": lambda p: p.mean(),
        "median": np.median,
        "log-odds": lambda p: 1 / (1 + np.exp(-np.log(p / (1 - p)).mean())),
    }[kind]
    p = np.array([pooled(row[~np.isnan(row)]) for row in table[some]])
    assert crowd.forecaster == f"crowd ({kind})"
    assert board[f"crowd ({kind})"] is crowd
    assert crowd.raw == pytest.approx(((p - y[some]) ** 2).mean(), rel=1e-12)
    assert crowd.answered == some.sum()
    assert (crowd.rank, crowd.tier, crowd.rank_interval) == (None, None, None)
    assert crowd not in board.standings
    assert str(board).count(crowd.forecaster) == 1
    # Beside its members, whose numbers it does not move.
    assert [row.to_dict() for row in board] == [row.to_dict() for row in plain_board()]


def test_a_crowd_of_classes_sums_to_one() -> None:
    rng = np.random.default_rng(1)
    p = {name: rng.dirichlet(np.ones(3), 30) for name in "abc"}
    answers = properly.Answers.from_wide(np.arange(30) % 3, p)
    mean = np.mean(list(p.values()), axis=0)
    loss = ((mean - np.eye(3)[np.arange(30) % 3]) ** 2).sum(axis=1).mean()
    board = properly.leaderboard(answers, crowd="mean", rng=1)
    assert board.crowd[0].raw == pytest.approx(loss, rel=1e-12)
    logs = np.exp(np.mean(np.log(list(p.values())), axis=0))
    logs /= logs.sum(axis=1, keepdims=True)
    board = properly.leaderboard(answers, crowd="log-odds", rule=Log(), rng=1)
    expected = -np.log(logs[np.arange(30), np.arange(30) % 3]).mean()
    assert board.crowd[0].raw == pytest.approx(expected, rel=1e-12)


# Scores of platforms


def relative_skills(y: Any, forecasts: Any, weight: Any) -> dict[str, Any]:
    answers = properly.Answers.from_wide(y, forecasts, weight=weight)
    board = properly.leaderboard(answers, relative_skill=True, baseline="a", rng=1)
    return {row.forecaster: row.others for row in board}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["relative_skill", "scaled_relative_skill"])
def test_the_error_of_relative_skill_is_what_single_questions_move_it_by(kind: str) -> None:
    y, forecasts = drawn()
    ones, step = np.ones(QUESTIONS), 1e-4
    found = relative_skills(y, forecasts, ones)
    each = np.eye(QUESTIONS) * step
    ends = [[relative_skills(y, forecasts, ones + s * x) for s in (1, -1)] for x in each]
    for name in "bcd":
        moves = [(up[name][kind].value - down[name][kind].value) / (2 * step) for up, down in ends]
        expected = math.sqrt(QUESTIONS / (QUESTIONS - 1)) * np.linalg.norm(moves)
        assert found[name][kind].standard_error == pytest.approx(expected, rel=1e-6)


def test_peer_scores_are_weighted_by_the_scheduled_time() -> None:
    # One stands for the whole of ten days, the other from the fifth on, of which two are over.
    answers = properly.Answers(
        question=["q", "q", "r", "r"],
        forecaster=list("ABAB"),
        probability=[0.8, 0.4, 0.6, 0.5],
        outcome=[1, 1, 1, 1],
        time=[0, 5, 0, 0],
        opens=[0] * 4,
        closes=[10] * 4,
        resolved=[8, 8, 10, 10],
        repeated="moments",
    )
    board = properly.leaderboard(answers, peer=True, least=1, rng=1)
    together = 0.3 * 100 * math.log(0.8 / 0.4)
    other = 100 * math.log(0.6 / 0.5)
    found = board["A"].others
    assert found["peer"].value == pytest.approx((together + other) / 2)
    assert found["peer_sum"].value == pytest.approx(together + other)
    base = 100 * (0.8 * (1 + math.log2(0.8)) + 1 + math.log2(0.6)) / 2
    assert found["baseline_score"].value == pytest.approx(base)
    assert board["B"].others["peer"].value == pytest.approx(-(together + other) / 2)
    assert board["A"].active == pytest.approx(0.9)
    assert board["B"].active == pytest.approx(0.65)
    assert board.answers == 4


def test_baseline_scores_of_classes_are_relative_to_equal_chances() -> None:
    p = {"a": np.full((12, 4), 0.25), "b": np.tile([0.7, 0.1, 0.1, 0.1], (12, 1))}
    answers = properly.Answers.from_wide(np.zeros(12, dtype=int), p)
    board = properly.leaderboard(answers, peer=True, rng=1)
    assert board["a"].others["baseline_score"].value == pytest.approx(0, abs=1e-12)
    expected = 100 * (1 + math.log(0.7) / math.log(4))
    assert board["b"].others["baseline_score"].value == pytest.approx(expected)


# Designs


def test_differences_that_rest_on_one_question_have_no_standard_error() -> None:
    y, forecasts = drawn(gaps=0)
    half = np.arange(QUESTIONS) < 20
    for name in "ab":
        forecasts[name] = np.where(half, forecasts[name], np.nan)
    for name in "cd":
        forecasts[name] = np.where(half, np.nan, forecasts[name])
    forecasts["b"][20] = 0.5
    forecasts["c"] = np.where(np.arange(QUESTIONS) == 20, np.nan, forecasts["c"])
    board = board_of(y, forecasts)
    place = {row.forecaster: k for k, row in enumerate(board)}
    error = board.pairs["standard_error"]
    for one, two in combinations("abcd", 2):
        across = (one in "ab") != (two in "ab")
        assert math.isnan(error[place[one], place[two]]) == across
    assert any("rest on 1 question alone" in note for note in board.notes)
    assert math.isfinite(board.degrees)
    json.dumps(board.to_dict(), allow_nan=False)


def test_of_a_single_family_no_standard_error_can_be_told() -> None:
    y, forecasts = drawn()
    answers = properly.Answers.from_wide(y, forecasts, clusters=np.zeros(QUESTIONS, dtype=int))
    board = properly.leaderboard(answers, peer=True, relative_skill=True, rng=1)
    for row in board:
        assert math.isfinite(row.score)
        assert math.isnan(row.standard_error)
        assert all(map(math.isnan, (*row.interval, *row.difference_interval)))
        assert row.rank_interval == (1, 4)
        assert all(math.isnan(x.standard_error) for x in row.others.values())
    assert board.leader is None
    json.dumps(board.to_dict(), allow_nan=False)


# A tournament in which good forecasters take the hard questions


NOISE = {"best": 0.2, "good": 0.8, "middling": 1.4, "poor": 2.0, "worst": 2.6}


def tournament(seed: int, size: int = 800) -> Any:
    """Let each answer the more of the hard questions, and the fewer easy ones, the better it is."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 2, size)
    y = (rng.random(size) < 1 / (1 + np.exp(-odds))).astype(int)
    forecasts = {}
    for k, (name, spread) in enumerate(NOISE.items()):
        p = 1 / (1 + np.exp(-odds - spread * rng.normal(size=size)))
        chance = np.where(np.abs(odds) < 1, 0.95 - 0.2 * k, 0.15 + 0.2 * k)
        forecasts[name] = np.where(rng.random(size) < chance, np.clip(p, 0.01, 0.99), np.nan)
    return board_of(y, forecasts)


def test_who_takes_hard_questions_is_not_punished_for_it() -> None:
    boards = [tournament(seed) for seed in range(10)]
    for board in boards:
        assert board.standings[0].forecaster == "best"
        assert min(board, key=lambda row: row.raw).forecaster != "best"
        assert board["best"].rank_interval[0] == 1
        assert board["worst"].rank_interval[0] > 1
        assert board["best"].selection > 0 > board["worst"].selection
    right = [[row.forecaster for row in board] == list(NOISE) for board in boards]
    assert sum(right) >= 8


def test_a_note_says_why_raw_means_have_somebody_else_first() -> None:
    board = tournament(1)
    raw = min(board, key=lambda row: row.raw)
    apart = board["best"].selection - raw.selection
    assert apart > 0.03
    why = (
        f"By raw means {raw.forecaster} would be first: the questions that best answered were "
        f"harder by {apart:.3g}."
    )
    assert why in board.notes
    assert why in str(board).replace("\n  ", " ")


def test_the_bundled_tournament_misleads_raw_means_only() -> None:
    tournament = properly.datasets.tournament()
    board = properly.leaderboard(tournament.answers, rng=1)
    order = [row.forecaster for row in board]
    truth = sorted(tournament.truth, key=lambda name: tournament.truth[name])
    assert order[0] == truth[0]
    assert stats.kendalltau([truth.index(x) for x in order], range(len(order))).statistic > 0.7
    raw = sorted(board, key=lambda row: row.raw)
    assert raw[0].forecaster != truth[0]
    assert any(note.startswith("By raw means") for note in board.notes)


def test_unconnected_parts_are_refused_and_can_be_kept_apart() -> None:
    y, forecasts = drawn(gaps=0)
    half = np.arange(QUESTIONS) < 20
    parts = {
        name: np.where(half if name in "ab" else ~half, p, np.nan) for name, p in forecasts.items()
    }
    answers = properly.Answers.from_wide(y, parts)
    with pytest.raises(DataError, match="2 parts"):
        properly.leaderboard(answers)
    assert len(properly.leaderboard(answers.keep(["a", "b"]), rng=1)) == 2


def test_intervals_of_scores_stay_in_the_range_of_the_rule() -> None:
    y = (np.arange(60) < 2).astype(int)
    sharp, blunt = np.where(y, 0.9, 0.01), np.where(y, 0.6, 0.02)
    rows = board_of(y, {"a": sharp, "b": blunt, "c": np.clip(sharp + 0.05, 0, 1)}).standings
    assert min(row.interval[0] for row in rows) == 0
    assert all(row.interval[0] <= row.score <= row.interval[1] for row in rows)


def test_bounds_of_classes_reach_to_the_greatest_loss() -> None:
    rng = np.random.default_rng(1)
    p = {name: rng.dirichlet(np.ones(3), 30) for name in "ab"}
    p["a"][:15] = np.nan
    answers = properly.Answers.from_wide(np.arange(30) % 3, p)
    for rule, most in ((Brier(), 2.0), (RPS(), 1.0)):
        bounds = properly.leaderboard(answers, rule=rule, bounds=True, rng=1)["a"].bounds
        assert np.diff(bounds or ()) == pytest.approx(most / 2)


def test_an_infinite_baseline_leaves_nothing_to_compare_with() -> None:
    board = board_of(*certain(), rule=Log(), relative_skill=True, baseline="b")
    assert math.isnan(board["b"].others["scaled_relative_skill"].value)
    assert board["a"].others["scaled_relative_skill"].value == 0


def test_pairs_without_common_questions_are_left_out_of_relative_skill() -> None:
    y, forecasts = drawn(gaps=0)
    first, loss = np.arange(QUESTIONS) < 20, {n: (p - y) ** 2 for n, p in forecasts.items()}
    some = forecasts | {
        name: np.where(rows, forecasts[name], np.nan)
        for name, rows in (("a", first), ("b", ~first))
    }
    board = board_of(y, {name: some[name] for name in "abc"}, relative_skill=True)
    ratio = [loss["c"][s].sum() / loss[n][s].sum() for n, s in (("a", first), ("b", ~first))]
    for name, expected in (("a", ratio[0] ** -0.5), ("c", (ratio[0] * ratio[1]) ** (1 / 3))):
        assert board[name].others["relative_skill"].value == pytest.approx(expected, rel=1e-12)


def test_p_values_of_those_not_ranked_are_adjusted_too() -> None:
    y, forecasts = drawn()
    forecasts["few"] = np.where(np.arange(QUESTIONS) < 9, 1 - 0.9 * y, np.nan)
    board = board_of(y, forecasts)
    alone = properly.compare(y, forecasts, missing="two-way", method="t", rng=1)
    assert board["few"].rank is None
    leader = board.standings[0].forecaster
    assert alone["few", leader].p_value < board["few"].adjusted_p_value
