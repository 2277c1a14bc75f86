"""Without gaps, allowing for them changes nothing; with gaps, names and units do not matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.examples import examples

import properly
from properly.comparison import _two_way
from properly.comparison._gaps import effects
from properly.comparison._two_way import two_way
from properly.rules import RPS, Brier, Log, Spherical

from .gap_draws import (
    NAMES,
    QUESTIONS,
    Tournament,
    assert_alike,
    fit_of,
    pairs_of,
    told,
    tournament,
    with_every_dummy,
)
from .subjects import seeds

if TYPE_CHECKING:
    from properly.counts._answers import Losses

pytestmark = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")

few = examples(8)
# A rule with the number of classes, None for an event.
SUBJECTS: list[tuple[Any, int | None]] = [
    (Brier(), None),
    (Log(), None),
    (Spherical(), None),
    (RPS(), 3),
    (Log(), 3),
]
every_rule = pytest.mark.parametrize(
    ("rule", "classes"), SUBJECTS, ids=[f"{r!r} of {k or 'an event'}" for r, k in SUBJECTS]
)


def assert_near(one: Any, two: Any, rounding: float = 1e-10) -> None:
    np.testing.assert_allclose(one, two, rtol=rounding, atol=1e-13)


def losses_of(found: Tournament, rule: Any, *known: str) -> Losses:
    return found.answers(*known).losses(rule)


def compared(found: Tournament, rule: Any, **known: Any) -> tuple[Any, Any]:
    """Compare forecasters by two-way effects, and row by row."""
    how: dict[str, Any] = {"rule": rule, "method": "t", "rng": 1} | known
    return (
        properly.compare(found.y, found.forecasts, missing="two-way", **how),
        properly.compare(found.y, found.forecasts, **how),
    )


# Without gaps


@every_rule
@few
@given(seed=seeds)
def test_without_gaps_two_way_effects_are_the_paired_comparison(
    rule: Any, classes: int | None, seed: int
) -> None:
    one, two = compared(tournament(seed, gaps=0, classes=classes), rule)
    assert one.pairs == two.pairs
    names = ("difference", "standard_error", "p_value", "adjusted_p_value")
    for name in (*names, "interval", "simultaneous"):
        assert_near(getattr(one, name), getattr(two, name))
    assert one.degrees == pytest.approx(two.degrees, rel=1e-10)
    assert one.degrees == pytest.approx(QUESTIONS - 1, rel=1e-10)
    for name in NAMES:
        assert one.scores[name].value == pytest.approx(two.scores[name].value, rel=1e-12)
        assert one.scores[name].interval == pytest.approx(two.scores[name].interval, rel=1e-10)


@every_rule
@few
@given(seed=seeds)
def test_without_gaps_a_board_has_the_numbers_of_the_paired_comparison(
    rule: Any, classes: int | None, seed: int
) -> None:
    found = tournament(seed, gaps=0, classes=classes)
    board = properly.leaderboard(found.wide(), rule=rule, rng=1)
    compared = properly.compare(found.y, found.forecasts, rule=rule, method="t", rng=1)
    names = [row.forecaster for row in board]
    assert names == sorted(names, key=lambda name: compared.scores[name].value)
    for i, first in enumerate(names):
        for j, second in enumerate(names):
            if first == second:
                continue
            pair, cell = compared[first, second], {k: x[i, j] for k, x in board.pairs.items()}
            assert cell["difference"] == pytest.approx(pair.difference, rel=1e-10, abs=1e-13)
            assert cell["standard_error"] == pytest.approx(pair.standard_error, rel=1e-10)
            assert cell["adjusted_p_value"] == pytest.approx(pair.adjusted_p_value, rel=1e-8)
            assert cell["degrees"] == pytest.approx(QUESTIONS - 1, rel=1e-10)


@every_rule
@few
@given(seed=seeds)
def test_without_gaps_the_adjusted_score_is_the_mean_loss(
    rule: Any, classes: int | None, seed: int
) -> None:
    found = tournament(seed, gaps=0, classes=classes)
    for known in ((), ("weight",)):
        answers = found.answers(*known)
        losses = answers.losses(rule)
        for row in properly.leaderboard(answers, rule=rule, rng=1):
            own = losses.forecaster == NAMES.index(row.forecaster)
            mean = np.average(losses.loss[own], weights=losses.weight[own])
            assert row.score == pytest.approx(mean, rel=1e-13)
            assert row.raw == pytest.approx(mean, rel=1e-13)
            assert row.selection == pytest.approx(0, abs=1e-14)
            assert row.coverage == row.active == pytest.approx(1, rel=1e-15)


DESIGNS = [
    *(("clusters",), ("strata",), ("strata", "clusters")),
    *(("when",), ("when", "weight"), ("strata", "weight")),
]


@pytest.mark.parametrize("names", DESIGNS, ids=" and ".join)
@few
@given(seed=seeds)
def test_every_design_has_the_variance_of_the_paired_comparison(
    names: tuple[str, ...], seed: int
) -> None:
    # Clusters are all of one size.
    found = tournament(seed, gaps=0)
    known = {name if name != "when" else "time": found.known[name] for name in names}
    one, two = compared(found, Brier(), **known)
    for name in ("difference", "standard_error", "p_value"):
        assert_near(getattr(one, name), getattr(two, name))
    if names == ("clusters",):
        assert one.degrees == pytest.approx(two.degrees, rel=1e-10)
        assert one.degrees == pytest.approx(len(np.unique(known["clusters"])) - 1, rel=1e-10)
    else:
        assert one.degrees == two.degrees


# Two forecasters


@every_rule
@few
@given(seed=seeds)
def test_two_forecasters_have_the_paired_test_on_common_questions(
    rule: Any, classes: int | None, seed: int
) -> None:
    found = tournament(seed, forecasters="ab", classes=classes)
    losses = losses_of(found, rule)
    loss = np.full((QUESTIONS, 2), np.nan)
    loss[losses.question[losses.cell], losses.forecaster] = losses.loss
    both = loss[~np.isnan(loss).any(axis=1)]
    expected = stats.ttest_rel(both[:, 0], both[:, 1])
    for missing in ("two-way", "pairwise", "complete"):
        how: dict[str, Any] = {"rule": rule, "method": "t", "rng": 1, "missing": missing}
        for pair in (
            properly.compare(found.answers(), **how)["a", "b"],
            properly.compare(found.y, found.forecasts, **how)["a", "b"],
        ):
            assert pair.difference == pytest.approx((both[:, 0] - both[:, 1]).mean(), rel=1e-10)
            assert pair.p_value == pytest.approx(expected.pvalue, rel=1e-8)
            assert pair.common in ((len(both), None) if missing == "complete" else (len(both),))
    fit = fit_of(found.answers(), rule)
    assert_near(fit.degrees[0, 1], len(both) - 1)
    t = fit.differences(*pairs_of(fit)) / fit.errors(*pairs_of(fit))
    assert_near(t, [expected.statistic], 1e-9)


# With gaps, against every dummy


@pytest.mark.parametrize("known", [(), ("weight",), ("clusters",), ("weight", "clusters")])
@few
@given(seed=seeds, gaps=st.sampled_from([0.2, 0.5, 0.6]))
def test_effects_are_those_of_a_dummy_for_each_question(
    known: tuple[str, ...], seed: int, gaps: float
) -> None:
    answers = tournament(seed, gaps=gaps).answers(*known)
    losses = answers.losses(Log())
    fit = effects(answers, losses).fit
    if fit.parts > 1:
        return
    cluster = np.arange(len(answers.questions)) if answers.clusters is None else answers.clusters
    expected = with_every_dummy(losses, len(NAMES), np.asarray(cluster)[losses.question])
    pairs = pairs_of(fit)
    assert_near(fit.differences(*pairs), expected.difference, 1e-8)
    sure = ~fit.rests_on_bridge(*pairs)
    assert_near(fit.errors(*pairs)[sure], expected.standard_error[sure], 1e-8)
    assert_near(fit.degrees[pairs][sure], expected.degrees[sure], 1e-7)


# What does not matter


@pytest.mark.parametrize("unit", [7, 0.3, 2.0**-20])
@few
@given(seed=seeds, names=st.sampled_from([("weight",), ("weight", "clusters"), ("weight", "when")]))
def test_the_unit_of_weights_changes_nothing(
    unit: float, seed: int, names: tuple[str, ...]
) -> None:
    found = tournament(seed)
    often = Tournament(
        found.y, found.forecasts, found.known | {"weight": unit * found.known["weight"]}
    )
    one, two = (told(fit_of(x.answers(*names), Log())) for x in (found, often))
    assert_alike(one, two)
    assert found.answers("weight").coverage == pytest.approx(often.answers("weight").coverage)


@few
@given(seed=seeds, names=st.sampled_from([(), ("weight", "clusters"), ("strata",), ("when",)]))
def test_the_order_of_rows_changes_nothing_at_all(seed: int, names: tuple[str, ...]) -> None:
    rows = tournament(seed).rows(*names)
    order = np.random.default_rng(seed).permutation(len(rows["question"]))
    boards = [
        properly.leaderboard(
            properly.Answers(**{name: column[some] for name, column in rows.items()}),
            peer=True,
            relative_skill=True,
            baseline="a",
            crowd="mean",
            bounds=True,
            rng=1,
        ).to_dict()
        for some in (slice(None), order)
    ]
    assert boards[0] == boards[1]


@few
@given(seed=seeds, names=st.sampled_from([(), ("weight", "clusters"), ("strata",), ("when",)]))
def test_the_names_of_questions_change_nothing(seed: int, names: tuple[str, ...]) -> None:
    rows = tournament(seed).rows(*names)
    new = np.random.default_rng(seed).permutation(QUESTIONS)
    for label in (new[rows["question"]], np.array([f"q{new[k]}" for k in rows["question"]])):
        renamed = properly.Answers(**rows | {"question": label})
        assert_alike(
            told(fit_of(properly.Answers(**rows), Log())), told(fit_of(renamed, Log())), 1e-9
        )


@few
@given(seed=seeds, names=st.sampled_from([(), ("weight",), ("clusters",), ("when",)]))
def test_what_all_losses_of_a_question_share_changes_no_difference(
    seed: int, names: tuple[str, ...]
) -> None:
    answers = tournament(seed).answers(*names)
    losses = answers.losses(Brier())
    more = np.random.default_rng(seed).normal(size=len(losses.question))
    harder = losses._replace(loss=losses.loss + more[losses.cell])
    one, two = (effects(answers, x).fit for x in (losses, harder))
    pairs = ("difference", "standard_error", "degrees")
    left, right = told(one), told(two)
    assert_alike({k: left[k] for k in pairs}, {k: right[k] for k in pairs}, 1e-9)
    shift = np.average(more, weights=losses.level)
    np.testing.assert_allclose(two.score, one.score + shift, rtol=0, atol=1e-12)
    np.testing.assert_allclose(two.level, one.level + more, rtol=0, atol=1e-12)


# Two paths to the same numbers


@pytest.mark.parametrize("known", [(), ("weight",), ("clusters",), ("weight", "clusters")])
@pytest.mark.parametrize("piece", [1 << 20, 200])
@few
@given(seed=seeds, gaps=st.sampled_from([0.2, 0.6, 0.75]))
def test_series_and_eigenvalues_agree(
    known: tuple[str, ...], piece: int, seed: int, gaps: float
) -> None:
    answers = tournament(seed, gaps=gaps, forecasters="abcdef").answers(*known)
    with pytest.MonkeyPatch.context() as patch:
        one = fit_of(answers, Log())
        patch.setattr(_two_way, "PIECE", piece)
        patch.setattr(_two_way, "MOST_WORK", 0)
        two = fit_of(answers, Log())
    pairs = pairs_of(one)
    for x, y in (
        (one.differences(*pairs), two.differences(*pairs)),
        (one.errors(*pairs), two.errors(*pairs)),
        (one.score, two.score),
        (one.score_covariance, two.score_covariance),
        (one.level, two.level),
    ):
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)
    assert one.bridges.tolist() == two.bridges.tolist()


# Parts, and bridges


def sides(seed: int, bridges: int) -> Tournament:
    """Let a and b answer some questions, c and d others, and b and c a few besides."""
    found = tournament(seed, gaps=0)
    half = np.arange(QUESTIONS) < QUESTIONS // 2
    forecasts = {
        name: np.where(half if name in "ab" else ~half, p, np.nan)
        for name, p in found.forecasts.items()
    }
    forecasts["c"][:bridges] = found.forecasts["c"][:bridges]
    forecasts["a"][:bridges] = np.nan
    return Tournament(found.y, forecasts)


def fit_with(work: int, losses: Losses) -> Any:
    """Fit four forecasters, by series or by eigenvalues."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_two_way, "MOST_WORK", work)
        return two_way(losses, 4, losses.question)


ACROSS = [(0, 2), (0, 3), (1, 2), (1, 3)]
WITHIN = [(0, 1), (2, 3)]


@pytest.mark.parametrize("work", [_two_way.MOST_WORK, 0])
@few
@given(seed=seeds)
def test_between_parts_there_is_no_difference(work: int, seed: int) -> None:
    losses = losses_of(sides(seed, 0), Brier())
    fit = fit_with(work, losses)
    assert fit.part.tolist() == [0, 0, 1, 1]
    for pairs, known in ((ACROSS, False), (WITHIN, True)):
        first, second = np.array(pairs).T
        assert (np.isfinite(fit.differences(first, second)) == known).all()
        assert (np.isfinite(fit.errors(first, second)) == known).all()
    # Each part is what it would be by itself.
    own = sides(seed, 0)
    for names, places in (("ab", [0, 1]), ("cd", [2, 3])):
        alone = fit_of(own.answers().keep(list(names)), Brier())
        first, second = np.array([places]).T
        assert_near(fit.differences(first, second), alone.differences(*pairs_of(alone)))
        assert_near(fit.errors(first, second), alone.errors(*pairs_of(alone)))
        assert_near(fit.score[places], alone.score)


@pytest.mark.parametrize("work", [_two_way.MOST_WORK, 0])
@few
@given(seed=seeds)
def test_what_rests_on_one_question_has_no_standard_error(work: int, seed: int) -> None:
    losses = losses_of(sides(seed, 1), Brier())
    fit = fit_with(work, losses)
    assert fit.parts == 1
    assert fit.bridges.tolist() == [0]
    first, second = np.array(ACROSS).T
    assert np.isfinite(fit.differences(first, second)).all()
    assert np.isnan(fit.errors(first, second)).all()
    first, second = np.array(WITHIN).T
    assert (fit.errors(first, second) > 0).all()


# Forecasts that stand for a time


@pytest.mark.parametrize("repeated", ["moments", "mean-loss", "last"])
@few
@given(seed=seeds, names=st.sampled_from([(), ("weight",), ("clusters",)]))
def test_forecasts_that_stand_from_beginning_to_end_are_a_plain_table(
    repeated: Any, seed: int, names: tuple[str, ...]
) -> None:
    rows = tournament(seed).rows(*names)
    start = rows["question"] * 3.0
    windows = {"time": start, "opens": start, "closes": start + 1 + rows["question"] % 5}
    standing = properly.Answers(**rows, **windows, repeated=repeated)
    plain = properly.Answers(**rows)
    assert_alike(told(fit_of(standing, Brier())), told(fit_of(plain, Brier())))
    assert standing.active == pytest.approx(standing.coverage)
    assert standing.coverage == plain.coverage
    for row in properly.leaderboard(plain, peer=True, relative_skill=True, rng=1):
        other = properly.leaderboard(standing, peer=True, relative_skill=True, rng=1)[
            row.forecaster
        ]
        for name, score in row.others.items():
            assert other.others[name].value == pytest.approx(score.value, rel=1e-9, abs=1e-9)
            assert other.others[name].interval == pytest.approx(score.interval, rel=1e-9, abs=1e-9)


# Crowds


@pytest.mark.parametrize("kind", ["mean", "median", "log-odds"])
@few
@given(seed=seeds)
def test_the_crowd_of_equal_forecasters_is_any_of_them(kind: Any, seed: int) -> None:
    p = tournament(seed, gaps=0).forecasts["a"]
    found = Tournament(tournament(seed).y, dict.fromkeys(NAMES, p))
    board = properly.leaderboard(found.wide(), crowd=kind, rng=1)
    (crowd,) = board.crowd
    assert crowd.rank is crowd.tier is None
    assert crowd.score == pytest.approx(board["a"].score, rel=1e-12)
    assert crowd.difference == pytest.approx(0, abs=1e-12)
    assert crowd.coverage == 1


@few
@given(seed=seeds)
def test_the_mean_of_the_crowd_is_no_worse_than_its_members_on_average(seed: int) -> None:
    # A convex loss of a mean is at most the mean of the losses, on the same questions.
    found = tournament(seed, gaps=0)
    board = properly.leaderboard(found.wide(), crowd="mean", rng=1)
    assert board.crowd[0].score <= np.mean([row.score for row in board]) + 1e-15
    p = np.mean(list(found.forecasts.values()), axis=0)
    assert board.crowd[0].score == pytest.approx(((p - found.y) ** 2).mean(), rel=1e-12)


# Scores of platforms


@few
@given(seed=seeds)
def test_peer_scores_of_a_question_add_up_to_nothing(seed: int) -> None:
    board = properly.leaderboard(tournament(seed, gaps=0).wide(), peer=True, rng=1)
    for name in ("peer", "peer_sum"):
        assert sum(row.others[name].value for row in board) == pytest.approx(0, abs=1e-8)


@few
@given(seed=seeds)
def test_bounds_hold_whatever_would_have_been_answered(seed: int) -> None:
    found = tournament(seed)
    # What nobody answered is no question of the tournament.
    some = np.any([~np.isnan(p) for p in found.forecasts.values()], axis=0)
    board = properly.leaderboard(found.wide(), bounds=True, rng=1)
    rng = np.random.default_rng(seed)
    for row in board:
        p = found.forecasts[row.forecaster]
        filled = np.where(np.isnan(p), rng.random(QUESTIONS), p)
        assert row.bounds is not None
        low, high = row.bounds
        assert low - 1e-12 <= ((filled - found.y) ** 2)[some].mean() <= high + 1e-12
        # Right answers to all of them, and wrong ones.
        for answer, end in ((found.y, low), (1 - found.y, high)):
            loss = (np.where(np.isnan(p), answer, p) - found.y) ** 2
            assert loss[some].mean() == pytest.approx(end, rel=1e-12)


@few
@given(seed=seeds)
def test_a_question_that_one_answered_moves_no_difference(seed: int) -> None:
    found = tournament(seed)
    alone = {
        name: np.append(p, 0.9 if name == "b" else np.nan) for name, p in found.forecasts.items()
    }
    more = Tournament(np.append(found.y, 0), alone)
    one, two = (told(fit_of(x.answers(), Brier())) for x in (found, more))
    pairs = ("difference", "standard_error", "degrees")
    assert_alike({k: one[k] for k in pairs}, {k: two[k] for k in pairs})
    # But it is one of the questions that scores are about.
    assert not np.allclose(one["score"], two["score"], rtol=0, atol=1e-12)
