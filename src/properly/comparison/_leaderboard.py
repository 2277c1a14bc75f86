"""A leaderboard: forecasters who skipped questions, with intervals for scores and for ranks.

Tiers hold forecasters who are not distinguishable from their first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._infinities import infinities
from properly._boundary._libraries import read_only
from properly._boundary._options import (
    as_generator,
    as_number,
    check_choice,
    check_flag,
    check_level,
    check_whole,
)
from properly._boundary._text import listed, many, printable
from properly.comparison._gaps import ASSUMES, effects, families
from properly.comparison._leaderboard_record import Leaderboard, Standing
from properly.comparison._pair_tests import around, student_p, student_quantiles
from properly.comparison._platform_scores import (
    CAUTIONS,
    RATIO_CAUTION,
    OtherScore,
    joined,
    laid_out,
    peer_scores,
    relative_skill,
)
from properly.counts._answers import Answers
from properly.counts._scoring import unit_of
from properly.errors import ArgumentTypeError, DataError
from properly.inference._intervals import loss_range, within_range
from properly.inference._multiplicity import bonferroni, max_t_of_pairs
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.comparison._gaps import Effects
    from properly.comparison._platform_scores import Crowd
    from properly.comparison._two_way import TwoWay
    from properly.counts._answers import Losses
    from properly.inference._multiplicity import MaxT
    from properly.rules import Rule
    from properly.typing import Column

RankKind: TypeAlias = Literal["joint", "each"]
Missing: TypeAlias = Literal["two-way", "complete"]
# Below this share of the questions, what was assumed of the others is said.
COVERED = 0.9


def leaderboard(
    answers: Answers,
    *,
    rule: Rule | None = None,
    reference: str | None = None,
    missing: Missing = "two-way",
    level: float = 0.95,
    ranks: RankKind = "joint",
    least: int = 10,
    scaled_to: tuple[str, float] | None = None,
    relative_skill: bool = False,
    baseline: str | None = None,
    peer: bool = False,
    crowd: Crowd | None = None,
    bounds: bool = False,
    fair: bool = False,
    rng: int | np.random.Generator | None = None,
) -> Leaderboard:
    r"""Rank forecasters who did not answer the same questions.

    A loss is the effect of its question plus the effect of its forecaster, plus what is left. So a
    forecaster is compared with those who answered the same questions, and through them with all
    others: who takes hard questions is not punished for it.

    Parameters
    ----------
    answers : Answers
        Who answered what.
    rule : Rule
        What forecasts are scored by; the Brier score if not given.
    reference : str, optional
        Whom differences are to; without it, the leader.
    missing : {"two-way", "complete"}
        Allow for gaps by two-way effects, or use the questions that all answered.
    level : float
        Confidence level of all intervals, and of the comparisons behind tiers.
    ranks : {"joint", "each"}
        Whether the intervals of all ranks hold at once, or each by itself.
    least : int
        Who shares fewer questions with anybody is listed, not ranked.
    scaled_to : pair of str and float, optional
        Add a constant to all scores such that this forecaster has this one.
    relative_skill : bool
        Add ratios of losses on common questions, averaged over all pairs.
    baseline : str, optional
        Whom relative skill is relative to.
    peer : bool
        Add peer scores and baseline scores, as platforms report them.
    crowd : {"mean", "median", "log-odds"}, optional
        Add a forecaster made of all of them, where there are three or more; it is not ranked.
    bounds : bool
        Add what each would score if its missing losses were as low, or as high, as can be.
    fair : bool
        Of pooled ensembles and the Brier score: what large ensembles would score.
    rng : int, numpy Generator or None
        Source of randomness for intervals of ranks.

    Returns
    -------
    Leaderboard

    Notes
    -----
    Standard errors of differences are those of clustered questions with Bell and McCaffrey's
    correction and degrees of freedom. Without gaps they are those of `properly.compare`, and with
    two forecasters those of the paired test. One test decides which forecasters are told apart, in
    tiers, ranks and p-values: the interval of their difference that holds simultaneously for all
    pairs, as in `properly.compare`. The rank of a forecaster is at least one more than the
    number of those shown better, and at most what those shown worse leave.

    No method can tell what a forecaster would have said about a question that it skipped because of
    what it alone knew.

    Examples
    --------
    >>> import properly
    >>> tournament = properly.datasets.tournament()
    >>> board = properly.leaderboard(tournament.answers, rng=1)
    >>> board
    Leaderboard(8 forecasters, 200 questions, brier)
    """
    options = _BoardOptions.of(answers, rule, level, rng)
    check_choice(missing, get_args(Missing), "missing")
    check_choice(ranks, get_args(RankKind), "ranks")
    for name, flag in {
        "relative_skill": relative_skill,
        "peer": peer,
        "bounds": bounds,
        "fair": fair,
    }.items():
        check_flag(flag, name)
    whole = len(answers.questions)
    answers = answers.complete() if missing == "complete" else answers
    losses = answers.losses(options.rule, fair=fair)
    found = effects(answers, losses, least=check_whole(least, "least"))
    found.require_connected()
    board = _Board(answers, losses, found, options, least)
    others = _others(board, relative_skill, baseline, peer=peer)
    result = board.put_together(ranks, reference, others)
    notes = tuple(_notes(board, result, whole, relative_skill, peer=peer))
    result = replace(result, missing=missing, notes=notes)
    if crowd is not None:
        result = replace(result, crowd=(_crowd_row(board, result, crowd),))
    if bounds:
        result = _bounded(result, board)
    return result if scaled_to is None else _scaled(result, scaled_to)


@dataclass(frozen=True)
class _BoardOptions:
    """What a board is made by."""

    rule: Rule
    level: float
    rng: np.random.Generator

    @classmethod
    def of(
        cls,
        answers: object,
        rule: Rule | None,
        level: float,
        rng: int | np.random.Generator | None,
    ) -> _BoardOptions:
        if not isinstance(answers, Answers):
            message = f"a leaderboard is made of Answers; got {type(answers).__name__}"
            hint = (
                "write leaderboard(Answers(frame, question=…, forecaster=…, probability=…, "
                "outcome=…)), or Answers.from_wide(y, {'name': p, …})."
            )
            raise ArgumentTypeError(message, hint=hint)
        used = Brier() if rule is None else rule
        return cls(used, check_level(level), as_generator(rng))


class Taken(NamedTuple):
    """How many questions forecasters answered, and their share of all, and of the time of all."""

    answered: Column
    coverage: Column
    active: Column


@dataclass(frozen=True, eq=False)
class _Board:
    """All that a board is put together from."""

    answers: Answers
    losses: Losses
    found: Effects
    options: _BoardOptions
    least: int

    @property
    def some(self) -> Column:
        """The places in the fit of those that are ranked."""
        return np.flatnonzero(self.found.shared[self.found.inside] >= self.least)

    def number(self, forecaster: str, what: str) -> int:
        """Return the place in the fit of somebody."""
        name = str(forecaster)
        place = {self.found.names[k]: i for i, k in enumerate(self.found.inside.tolist())}
        if name not in place:
            why = "has an infinite loss" if name in self.found.names else "is no forecaster"
            message = f"{what} must be a forecaster with finite losses; {name!r} {why}"
            raise DataError(message)
        return place[name]

    @cached_property
    def taken(self) -> Taken:
        """How much of the questions each forecaster took."""
        x, size, weight = self.losses, len(self.found.names), self.answers.weights
        who, question = x.answers(size)
        coverage = np.bincount(who, weight[question], size) / weight.sum()
        active = np.bincount(x.forecaster, x.weight, size) / weight.sum()
        return Taken(np.bincount(who, minlength=size), coverage, active)

    def raw(self) -> Column:
        """Average the losses each forecaster has."""
        x, size = self.losses, len(self.found.names)
        weight = np.bincount(x.forecaster, x.weight, size)
        with infinities():
            return np.bincount(x.forecaster, x.weight * x.loss, size) / weight

    def put_together(
        self, kind: RankKind, reference: str | None, others: dict[str, list[OtherScore]]
    ) -> Leaderboard:
        """Rank, find differences, and gather everything."""
        fit, some, options = self.found.fit, self.some, self.options
        apart = Apart.of(fit, some)
        family = adjustment(fit, some, apart, options.rng)
        reach = reaches(apart, family.level_of_each(options.level))
        own = _each(fit, some, apart, options) if kind == "each" else None
        ranked = ranks(apart, fit.score[some], reach, own) if len(some) else None
        first = fit.score.argmin() if ranked is None else some[ranked.order[0]]
        base = int(first) if reference is None else self.number(reference, "reference")
        alone = student_p(apart.difference, apart.error, apart.degrees, apart.error)
        rows = _StandingRows(self, ranked, base, family, others)
        standings = rows.standings()
        order = np.arange(0) if ranked is None else ranked.order
        matrices = {
            "difference": apart.square(apart.difference, turned=True),
            "standard_error": apart.square(apart.error),
            "degrees": apart.square(apart.degrees),
            "adjusted_p_value": apart.square(family.adjust(alone)),
        }
        return Leaderboard(
            standings=standings,
            rule=options.rule.name,
            unit=unit_of(options.rule),
            missing="two-way",
            reference=None if reference is None else str(reference),
            level=options.level,
            ranks=kind,
            degrees=apart.fewest,
            questions=len(np.unique(self.losses.question)),
            answers=len(self.answers),
            design=self.found.design,
            pairs={name: read_only(x[np.ix_(order, order)]) for name, x in matrices.items()},
            crowd=(),
            notes=(),
        )


def _each(fit: Any, some: Column, apart: Apart, options: _BoardOptions) -> Column:
    """Lay out how far intervals reach, those of a row for the pairs of its forecaster alone."""
    result = np.full((len(some), len(some)), np.nan)
    for k in range(len(some)):
        own = (apart.first == k) | (apart.second == k)
        family = adjustment(fit, some, Apart(*(x[own] for x in apart)), options.rng)
        result[k] = reaches(apart, family.level_of_each(options.level))[k]
    return result


@dataclass(frozen=True, eq=False)
class _StandingRows:
    """The rows of a board."""

    board: _Board
    ranked: Ranks | None
    base: int
    family: MaxT
    others: dict[str, list[OtherScore]]

    def standings(self) -> tuple[Standing, ...]:
        """List who is ranked, the best first; who lost infinitely; who is not ranked."""
        found, some = self.board.found, self.board.some
        place = {int(k): i for i, k in enumerate(some)}
        order = [] if self.ranked is None else [int(some[k]) for k in self.ranked.order]
        left = [int(k) for k in np.argsort(found.fit.score, kind="stable") if int(k) not in place]
        inside = self.inside()
        rows = [self._ranked(inside[k], place[k]) for k in order]
        enough = found.shared >= self.board.least
        infinite = [k for k in found.infinite.tolist() if order and enough[k]]
        rows += [replace(self._outside(k, math.inf), rank=len(order) + 1) for k in infinite]
        rows += [inside[k] for k in left]
        few = [k for k in found.infinite.tolist() if k not in infinite]
        rows += [self._outside(k, math.inf) for k in few]
        rows += [self._outside(k, math.nan) for k in found.absent.tolist()]
        return tuple(rows)

    def _ranked(self, standing: Standing, k: int) -> Standing:
        r: Any = self.ranked
        ends = int(r.lowest[k]), int(r.highest[k])
        return replace(standing, rank=int(r.rank[k]), rank_interval=ends, tier=int(r.tier[k]))

    def inside(self) -> list[Standing]:
        """Describe everybody in the fit."""
        board, found, fit = self.board, self.board.found, self.board.found.fit
        every, base = np.arange(len(fit.effect)), np.full(len(fit.effect), self.base)
        apart, error = fit.differences(every, base), fit.errors(every, base)
        degrees, level = np.nan_to_num(fit.degrees[every, base]), board.options.level
        p, reach = self._decide(student_p(apart, error, degrees, error), degrees)
        alone = student_quantiles(np.array([found.score_degrees]), level)
        error[self.base] = 0.0
        raw, own = board.raw()[found.inside], found.score_errors
        columns = {
            "score": fit.score,
            "standard_error": own,
            "interval": self._within_range(around(fit.score, alone, own)),
            "difference": apart,
            "difference_error": error,
            "difference_interval": around(apart, reach, error),
            "adjusted_p_value": p,
            "raw": raw,
            "selection": raw - fit.score,
        }
        rows = [
            dict(zip(columns, x, strict=True))
            for x in zip(*map(_plain, columns.values()), strict=True)
        ]
        unranked: dict[str, Any] = {"rank": None, "rank_interval": None, "tier": None}
        places = found.inside.tolist()
        return [
            Standing(**unranked, **row, **self._known(k))
            for k, row in zip(places, rows, strict=True)
        ]

    def _within_range(self, ends: Column) -> Column:
        """Intersect intervals with the range of the rule; adjusted and fair scores may leave it."""
        board, labels = self.board, self.board.answers.labels
        least, greatest = loss_range(board.options.rule, None if labels is None else len(labels))
        bounds = min(least, float(board.losses.loss.min())), greatest
        scores = board.found.fit.score.tolist()
        pairs = zip(ends.tolist(), scores, strict=True)
        return np.array([within_range((low, high), bounds, x) for (low, high), x in pairs])

    def _decide(self, p: Column, degrees: Column) -> tuple[Column, Column]:
        """Adjust for all pairs that are ranked; for one more where a forecaster is not."""
        level, some = self.board.options.level, self.board.some
        is_ranked = np.isin(np.arange(len(p)), some) & (self.base in some)
        adjusted, reach = np.empty((2, len(p)))
        for one, family in (
            (is_ranked, self.family),
            (~is_ranked, bonferroni(1 + self.family.comparisons)),
        ):
            adjusted[one] = family.adjust(p[one])
            reach[one] = student_quantiles(degrees[one], family.level_of_each(level))
        adjusted[self.base] = np.nan
        return adjusted, reach

    def _known(self, k: int) -> dict[str, Any]:
        """Say what is known of a forecaster whatever it scores."""
        name, taken = self.board.found.names[k], self.board.taken
        own = {what: x[k].item() for what, x in taken._asdict().items()}
        others = {what: scores[k] for what, scores in self.others.items()}
        return {"forecaster": name, **own, "bounds": None, "others": others}

    def _outside(self, k: int, score: float) -> Standing:
        """Describe who is not in the fit."""
        nothing = math.nan, math.nan
        return Standing(
            rank=None,
            rank_interval=None,
            tier=None,
            score=score,
            standard_error=math.nan,
            interval=nothing,
            difference=score,
            difference_error=math.nan,
            difference_interval=nothing,
            adjusted_p_value=math.nan,
            raw=score,
            selection=math.nan,
            **self._known(k),
        )


def _plain(x: Column) -> list[Any]:
    """List numbers, and both ends of intervals as pairs."""
    return x.tolist() if x.ndim == 1 else [tuple(ends) for ends in x.tolist()]


def _others(
    board: _Board, with_skill: bool, baseline: str | None, *, peer: bool
) -> dict[str, list[OtherScore]]:
    """Find the scores of platforms that are asked for, of all forecasters."""
    answers, level = board.answers, board.options.level
    result: dict[str, list[OtherScore]] = {}
    if with_skill:
        names = answers.forecasters
        if baseline is not None and str(baseline) not in names:
            message = f"a baseline is the name of a forecaster; got {baseline!r}"
            raise DataError(message)
        dense = laid_out(board.losses, len(names), families(answers))
        place = None if baseline is None else names.index(str(baseline))
        own, scaled = relative_skill(dense, place, level)
        result["relative_skill"] = own
        if scaled is not None:
            result["scaled_relative_skill"] = scaled
    elif baseline is not None:
        message = "a baseline is what relative skill is relative to; relative_skill= is not given"
        raise DataError(message, hint="pass relative_skill=True.")
    return result | (peer_scores(answers, families(answers), level) if peer else {})


def _notes(
    board: _Board, result: Leaderboard, whole: int, with_skill: bool, *, peer: bool
) -> Iterator[str]:
    """Say what was asked, what was assumed, and who stands apart."""
    answers, found = board.answers, board.found
    if result.questions < whole:
        yield f"Only the {result.questions:,} of {whole:,} questions that all answered are used."
    else:
        yield f"Scores are what each would have had on all {many(whole, 'question')}."
    if board.taken.coverage.min() < COVERED:
        yield ASSUMES
    yield from _of_selection(result)
    if len(result.ranked) > 1:
        yield "Within a tier, none is shown worse than its first."
    if answers.clusters is None and answers.when is None:
        yield "Questions are taken as independent; clusters= names families of them."
    if len(found.infinite):
        names = listed([found.names[k] for k in found.infinite])
        yield f"Certain and wrong, with an infinite loss: {names}. The others are fitted without."
    few = [x.forecaster for x in result.standings if x.rank is None]
    if few:
        shared = f"fewer than {board.least} questions shared with anybody"
        yield f"Not ranked, with {shared}: {listed(few)}."
    if len(found.fit.bridges):
        yield (
            f"Some differences rest on {many(len(found.fit.bridges), 'question')} alone, without "
            "which a part could not be compared; they have no standard error."
        )
    yield from _of_times(answers)
    yield from (CAUTIONS if peer else ())
    yield from ((RATIO_CAUTION,) if with_skill else ())


def _of_selection(result: Leaderboard) -> Iterator[str]:
    """Say who would lead by raw means, and why that is somebody else."""
    ranked = [x for x in result.ranked if math.isfinite(x.score)]
    if len(ranked) < 2:
        return
    first, raw = ranked[0], min(ranked, key=lambda x: x.raw)
    if raw is not first:
        yield (
            f"By raw means {printable(raw.forecaster)} would be first: the questions that "
            f"{printable(first.forecaster)} answered were harder by "
            f"{first.selection - raw.selection:.3g}."
        )


def _of_times(answers: Answers) -> Iterator[str]:
    if answers.set_aside["unresolved"]:
        yield f"{many(answers.set_aside['unresolved'], 'row')} without an outcome set aside."
    if answers.repeated == "last" and "too late" not in answers.set_aside:
        yield "The last forecast of each counts: whoever updates late knows more."
    if answers.repeated == "mean-loss":
        yield "Losses are averaged while forecasts stand: late starters look better than they are."


def _crowd_row(board: _Board, result: Leaderboard, kind: Crowd) -> Standing:
    """Describe a forecaster made of all of them, fitted beside them; it is not ranked."""
    answers, rule, name = board.answers, board.options.rule, f"crowd ({kind})"
    losses = joined(answers, board.losses, rule, kind)
    found = effects(answers, losses, (*answers.forecasters, name))
    crowd = replace(board, losses=losses, found=found)
    if found.names[found.inside[-1]] != name:
        message = f"the {kind} of the crowd was certain and wrong, with an infinite loss"
        raise DataError(message)
    base = result.reference or result.standings[0].forecaster
    # One comparison beside all pairs that are ranked.
    family = bonferroni(1 + math.comb(len(board.some), 2))
    rows = _StandingRows(crowd, None, crowd.number(base, "reference"), family, {})
    row = rows.inside()[-1]
    # The scale is that of the board, which was fitted without it.
    shift = result[base].score + row.difference - row.score
    low, high = row.interval
    return replace(row, score=row.score + shift, interval=(low + shift, high + shift))


def _bounded(result: Leaderboard, board: _Board) -> Leaderboard:
    """Add what each would score if missing losses were as low, or as high, as can be."""
    rule, x, size = board.options.rule, board.losses, len(board.found.names)
    classes = 2 if board.answers.labels is None else len(board.answers.labels)
    low, high = rule.range if board.answers.labels is None else rule.range_for(classes)
    if not (math.isfinite(low) and math.isfinite(high)):
        message = f"bounds need a rule whose losses are bounded; those of {unit_of(rule)} are not"
        raise DataError(message)
    whole = x.level.sum()
    had = np.bincount(x.forecaster, x.weight, size)
    lost = np.bincount(x.forecaster, x.weight * x.loss, size)
    ends = [(lost + (whole - had) * end) / whole for end in (low, high)]
    number = {name: k for k, name in enumerate(board.found.names)}
    rows = tuple(
        replace(
            row,
            bounds=(float(ends[0][number[row.forecaster]]), float(ends[1][number[row.forecaster]])),
        )
        for row in result.standings
    )
    return replace(result, standings=rows)


def _scaled(result: Leaderboard, scaled_to: tuple[str, float]) -> Leaderboard:
    """Add one constant to all scores; differences do not move."""
    if not isinstance(scaled_to, tuple | list) or len(scaled_to) != 2:
        message = f"scaled_to is a forecaster and the score it is to have; got {scaled_to!r}"
        raise DataError(message, hint='write scaled_to=("always half", 0.25).')
    name, value = scaled_to
    shift = as_number(value, "score of scaled_to") - result[name].score
    if not math.isfinite(shift):
        message = f"scaled_to must be a forecaster with a finite score; got {name!r}"
        raise DataError(message)

    def moved(row: Standing) -> Standing:
        low, high = row.interval
        ends = row.bounds and (row.bounds[0] + shift, row.bounds[1] + shift)
        interval = (low + shift, high + shift)
        return replace(row, score=row.score + shift, interval=interval, bounds=ends)

    standings, crowd = (tuple(map(moved, x)) for x in (result.standings, result.crowd))
    note = f"Scores are shifted by {shift:.4g}, so that {printable(str(name))} has {value:g}."
    return replace(result, standings=standings, crowd=crowd, notes=(*result.notes, note))


# Scores that agree in so many digits are ties, which rounding may have parted.
DIGITS = 12


class Ranks(NamedTuple):
    """Ranks of some forecasters, from 1; the best has the lowest score.

    Attributes
    ----------
    order : numpy array
        The forecasters, the best first.
    rank, lowest, highest, tier : numpy array
        The rank of each, the best and the worst that it may have, and its tier.
    """

    order: Column
    rank: Column
    lowest: Column
    highest: Column
    tier: Column


class Apart(NamedTuple):
    """Differences of all pairs of some forecasters, and how far off they may be."""

    first: Column
    second: Column
    difference: Column
    error: Column
    degrees: Column

    @classmethod
    def of(cls, fit: TwoWay, some: Column) -> Apart:
        """Subtract effects."""
        i, j = np.triu_indices(len(some), 1)
        first, second = some[i], some[j]
        apart, error = fit.differences(first, second), fit.errors(first, second)
        return cls(i, j, apart, error, fit.degrees[first, second])

    def square(self, x: Column, *, turned: bool = False) -> Column:
        """Lay amounts of pairs out, row against column; some change sign with the order."""
        size = int(self.second.max(initial=0)) + 1
        result = np.full((size, size), np.nan)
        result[self.first, self.second] = x
        result[self.second, self.first] = -x if turned else x
        return result

    @property
    def fewest(self) -> float:
        """The fewest degrees of freedom of any pair that can be told."""
        some = self.degrees[self.error > 0]
        return float(some.min()) if len(some) else 0.0


def adjustment(fit: TwoWay, some: Column, apart: Apart, rng: np.random.Generator) -> MaxT:
    """Return what adjusts for the number of these pairs."""
    errors, degrees = np.nan_to_num(apart.error), np.nan_to_num(apart.degrees)
    joint = fit.covariance[np.ix_(some, some)]
    return max_t_of_pairs(joint, (apart.first, apart.second), errors, degrees, rng)


def reaches(apart: Apart, level: float) -> Column:
    """Lay out how far the intervals of all pairs reach, each at this level."""
    return apart.square(student_quantiles(np.nan_to_num(apart.degrees), level) * apart.error)


def ranks(apart: Apart, score: Column, reach: Column, own: Column | None = None) -> Ranks:
    """Rank scores; who is shown better or worse than how many bounds a rank [1]_.

    `own` has, row by row, how far intervals reach that hold for one forecaster each; tiers are made
    of those that hold for all.

    References
    ----------
    .. [1] M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm (2024). Inference for ranks with
       applications to mobility across neighbourhoods and academic achievement across countries.
       Review of Economic Studies 91:476-518. doi:10.1093/restud/rdad006.
    """
    size, away = len(score), apart.square(apart.difference, turned=True)
    # Differences that do not vary are not told apart: between copies, rounding would decide.
    reach, own = (np.where(x > 0, x, np.nan) for x in (reach, reach if own is None else own))
    with infinities():
        lowest = 1 + (away - own > 0).sum(axis=1)
        highest = size - (away + own < 0).sum(axis=1)
        # Row k, column j: j is shown to be worse than k.
        worse = away.T - reach > 0
    score = np.round(score / (np.abs(score).max(initial=0.0) or 1.0), DIGITS)
    order = np.argsort(score, kind="stable")
    rank = np.empty(size, dtype=np.intp)
    rank[order] = 1 + np.searchsorted(score[order], score[order])
    return Ranks(order, rank, lowest, highest, _tiers(order, worse))


def _tiers(order: Column, worse: Column) -> Column:
    """Let the best who has no tier open one, with all whom it is not shown to be better than."""
    tier = np.zeros(len(order), dtype=np.intp)
    number = 0
    for k in order.tolist():
        if tier[k]:
            continue
        number += 1
        joined = (tier == 0) & ~worse[k]
        joined[k] = True
        tier[joined] = number
    return tier
