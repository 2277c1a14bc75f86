"""A leaderboard: forecasters who skipped questions, with intervals for scores and for ranks.

Tiers hold forecasters who are not distinguishable from their first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._libraries import infinities, read_only
from properly._boundary._options import as_number, check_choice, check_flag, check_whole
from properly._boundary._synonyms import with_argument_hints
from properly._boundary._text import listed, many, printable
from properly.comparison import _platform_scores
from properly.comparison._gaps import ASSUMES, Effects, effects, families
from properly.comparison._leaderboard_record import Leaderboard, Standing
from properly.comparison._pair_tests import Options, around, student_p, student_quantiles
from properly.comparison._platform_scores import Crowd, OtherScore, joined, relative_skill
from properly.counts._answers import Answers, Losses
from properly.counts._scoring import unit_of
from properly.errors import ArgumentTypeError, DataError
from properly.inference._intervals import loss_range, within_range
from properly.inference._multiplicity import MaxT, bonferroni
from properly.rules import Brier, Rule
from properly.rules._rule import as_rule
from properly.typing import Column

Missing: TypeAlias = Literal["two-way", "complete"]
# Below this share of the questions, what was assumed of the others is said.
COVERED = 0.9


@with_argument_hints
def leaderboard(
    answers: Answers,
    *,
    rule: Rule | str | None = None,
    reference: str | None = None,
    missing: Missing = "two-way",
    level: float = 0.95,
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
    rule : Rule or str
        What forecasts are scored by; the Brier score if not given.
    reference : str, optional
        Whom differences are to; without it, the leader.
    missing : {"two-way", "complete"}
        Allow for gaps by two-way effects, or use the questions that all answered.
    level : float
        Confidence level of all intervals, and of the comparisons behind tiers. Intervals of ranks
        hold all at once.
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
    if not isinstance(answers, Answers):
        message = f"a leaderboard is made of Answers; got {type(answers).__name__}"
        hint = (
            "write leaderboard(Answers(frame, question=…, forecaster=…, probability=…, "
            "outcome=…)), or Answers.from_wide(y, {'name': p, …})."
        )
        raise ArgumentTypeError(message, hint=hint)
    rule = Brier() if rule is None else as_rule(rule)
    options = Options.of(rule, level, rng)
    check_choice(missing, get_args(Missing), "missing")
    flags = {"relative_skill": relative_skill, "peer": peer, "bounds": bounds, "fair": fair}
    for name, flag in flags.items():
        check_flag(flag, name)
    whole = len(answers.questions)
    answers = answers.complete() if missing == "complete" else answers
    losses = answers.losses(rule, fair=fair)
    found = effects(answers, losses, least=check_whole(least, "least"))
    found.require_connected()
    board = _Board(answers, losses, found, options, rule, least)
    others = _others(board, relative_skill, baseline, peer=peer)
    result = board.put_together(reference, others)
    result = replace(result, missing=missing, notes=tuple(_notes(board, result, whole)))
    if crowd is not None:
        result = replace(result, crowd=(_crowd_row(board, result, crowd),))
    if bounds:
        result = _bounded(result, board)
    return result if scaled_to is None else _scaled(result, scaled_to)


@dataclass(frozen=True, eq=False)
class _Board:
    """All that a board is put together from."""

    answers: Answers
    losses: Losses
    found: Effects
    options: Options
    rule: Rule
    least: int

    @property
    def some(self) -> Column:
        """The numbers of those that are ranked."""
        inside = self.found.inside
        return inside[self.found.shared[inside] >= self.least]

    @property
    def classes(self) -> int | None:
        """The number of classes; None for an event."""
        return None if self.answers.labels is None else len(self.answers.labels)

    def number(self, forecaster: str, what: str) -> int:
        """Return the number of somebody in the fit."""
        name, found = str(forecaster), self.found
        number = found.names.index(name) if name in found.names else -1
        if number not in found.inside:
            why = "has an infinite loss" if name in found.names else "is no forecaster"
            message = f"{what} must be a forecaster with finite losses; {name!r} {why}"
            raise DataError(message)
        return number

    @cached_property
    def taken(self) -> dict[str, Column]:
        """How many questions each took, and its share of all, and of the time of all."""
        x, size, weight = self.losses, len(self.found.names), self.answers.weights
        who, question = x.answers(size)
        return {
            "answered": np.bincount(who, minlength=size),
            "coverage": np.bincount(who, weight[question], size) / weight.sum(),
            "active": np.bincount(x.forecaster, x.weight, size) / weight.sum(),
        }

    @cached_property
    def sums(self) -> tuple[Column, Column]:
        """The weight of the losses that each has, and their weighted sum."""
        x, size = self.losses, len(self.found.names)
        with infinities():
            return (
                np.bincount(x.forecaster, x.weight, size),
                np.bincount(x.forecaster, x.weight * x.loss, size),
            )

    def put_together(
        self, reference: str | None, others: dict[str, list[OtherScore]]
    ) -> Leaderboard:
        """Rank, find differences, and gather everything."""
        found, some, options = self.found, self.some, self.options
        apart = found.apart(*(some[k] for k in np.triu_indices(len(some), 1)))
        family = found.family(apart, options.rng)
        each = student_quantiles(np.nan_to_num(apart.degrees), family.level_of_each(options.level))
        reach = square(each * apart.error)
        difference, score = square(apart.difference, turned=True), found.scores
        ranked = ranks(difference, score[some], reach) if len(some) else None
        first = np.nanargmin(score) if ranked is None else some[ranked.order[0]]
        base = int(first) if reference is None else self.number(reference, "reference")
        alone = student_p(apart.difference, apart.error, apart.degrees, apart.error)
        order = np.arange(0) if ranked is None else ranked.order
        matrices = {"difference": difference, "standard_error": square(apart.error)}
        matrices["degrees"] = square(apart.degrees)
        matrices["adjusted_p_value"] = square(family.adjust(alone))
        known = apart.degrees[apart.error > 0]
        return Leaderboard(
            standings=self._in_order(self.rows(base, family, others), ranked),
            rule=self.rule.name,
            unit=unit_of(self.rule),
            missing="two-way",
            reference=None if reference is None else str(reference),
            level=options.level,
            degrees=float(known.min()) if len(known) else 0.0,
            questions=len(np.unique(self.losses.question)),
            answers=len(self.answers),
            design=found.design,
            pairs={name: read_only(x[np.ix_(order, order)]) for name, x in matrices.items()},
            crowd=(),
            notes=(),
        )

    def rows(self, base: int, family: MaxT, others: dict[str, list[OtherScore]]) -> list[Standing]:
        """Describe every forecaster, not ranked yet; who is not in the fit has a score at most."""
        found, level = self.found, self.options.level
        every = np.arange(len(found.names))
        _, _, apart, error, degrees = found.apart(every, np.full(len(every), base))
        degrees = np.nan_to_num(degrees)
        p, reach = self._decide(student_p(apart, error, degrees, error), degrees, base, family)
        alone = student_quantiles(np.array([found.score_degrees]), level)
        error[base], own, score = 0.0, found.of_all(found.score_errors), found.scores
        weight, lost = self.sums
        with infinities():
            raw = lost / weight
            columns = {
                "forecaster": np.array(found.names, dtype=object),
                "score": score,
                "standard_error": own,
                "interval": self._within_range(around(score, alone, own)),
                "difference": apart,
                "difference_error": error,
                "difference_interval": around(apart, reach, error),
                "adjusted_p_value": p,
                "raw": raw,
                "selection": raw - score,
                **self.taken,
            }
        outside = np.isin(every, found.inside, invert=True)
        columns["interval"][outside] = columns["difference_interval"][outside] = np.nan
        pairs = [
            [tuple(ends) for ends in x.tolist()] if x.ndim > 1 else x.tolist()
            for x in columns.values()
        ]
        return [
            Standing(
                **dict(zip(columns, row, strict=True)),
                others={what: scores[k] for what, scores in others.items()},
            )
            for k, row in enumerate(zip(*pairs, strict=True))
        ]

    def _within_range(self, ends: Column) -> Column:
        """Intersect intervals with the range of the rule; adjusted and fair scores may leave it."""
        least, greatest = loss_range(self.rule, self.classes)
        bounds = min(least, float(self.losses.loss.min())), greatest
        pairs = zip(ends.tolist(), self.found.scores.tolist(), strict=True)
        return np.array([within_range((low, high), bounds, x) for (low, high), x in pairs])

    def _decide(self, p: Column, degrees: Column, base: int, family: MaxT) -> tuple[Column, Column]:
        """Adjust for all pairs that are ranked; for one more where a forecaster is not."""
        level, some = self.options.level, self.some
        is_ranked = np.isin(np.arange(len(p)), some) & (base in some)
        adjusted, reach = np.empty((2, len(p)))
        for one, own in ((is_ranked, family), (~is_ranked, bonferroni(1 + family.comparisons))):
            adjusted[one] = own.adjust(p[one])
            reach[one] = student_quantiles(degrees[one], own.level_of_each(level))
        adjusted[base] = np.nan
        return adjusted, reach

    def _in_order(self, rows: list[Standing], ranked: Ranks | None) -> tuple[Standing, ...]:
        """List who is ranked, the best first; who lost infinitely; who is not ranked."""
        found, some, result = self.found, self.some.tolist(), []
        for k in [] if ranked is None else ranked.order.tolist():
            rank, low, high, tier = (int(x[k]) for x in ranked[1:])  # type: ignore[index]
            own = replace(rows[some[k]], rank=rank, rank_interval=(low, high), tier=tier)
            result.append(own)
        infinite, enough = found.infinite.tolist(), found.shared >= self.least
        worst = [k for k in infinite if result and enough[k]]
        result += [replace(rows[k], rank=len(some) + 1) for k in worst]
        left = found.inside[np.argsort(found.fit.score, kind="stable")].tolist()
        left = [k for k in left if k not in some] + [k for k in infinite if k not in worst]
        return (*result, *(rows[k] for k in [*left, *found.absent.tolist()]))


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
        dense = _platform_scores.laid_out(board.losses, len(names), families(answers))
        place = None if baseline is None else names.index(str(baseline))
        result = relative_skill(dense, place, level)
    elif baseline is not None:
        message = "a baseline is what relative skill is relative to; relative_skill= is not given"
        raise DataError(message, hint="pass relative_skill=True.")
    return result | (
        _platform_scores.peer_scores(answers, families(answers), level) if peer else {}
    )


def _notes(board: _Board, result: Leaderboard, whole: int) -> Iterator[str]:
    """Say what was asked, what was assumed, and who stands apart."""
    answers, found, others = board.answers, board.found, result.standings[0].others
    if result.questions < whole:
        yield f"Only the {result.questions:,} of {whole:,} questions that all answered are used."
    else:
        yield f"Scores are what each would have had on all {many(whole, 'question')}."
    if board.taken["coverage"].min() < COVERED:
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
    yield from (_platform_scores.CAUTIONS if "peer" in others else ())
    yield from ((_platform_scores.RATIO_CAUTION,) if "relative_skill" in others else ())


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
    answers, name = board.answers, f"crowd ({kind})"
    losses = joined(answers, board.losses, board.rule, kind)
    found = effects(answers, losses, (*answers.forecasters, name))
    crowd = replace(board, losses=losses, found=found)
    if found.names[found.inside[-1]] != name:
        message = f"the {kind} of the crowd was certain and wrong, with an infinite loss"
        raise DataError(message)
    base = result.reference or result.standings[0].forecaster
    # One comparison beside all pairs that are ranked.
    family = bonferroni(1 + math.comb(len(board.some), 2))
    row = crowd.rows(crowd.number(base, "reference"), family, {})[-1]
    # The scale is that of the board, which was fitted without it.
    return _shifted(row, result[base].score + row.difference - row.score)


def _shifted(row: Standing, shift: float) -> Standing:
    """Add a constant to a score and its intervals."""
    low, high = row.interval
    ends = row.bounds and (row.bounds[0] + shift, row.bounds[1] + shift)
    interval = (low + shift, high + shift)
    return replace(row, score=row.score + shift, interval=interval, bounds=ends)


def _bounded(result: Leaderboard, board: _Board) -> Leaderboard:
    """Add what each would score if missing losses were as low, or as high, as can be."""
    rule, whole, (weight, lost) = board.rule, board.losses.level.sum(), board.sums
    both = loss_range(rule, board.classes)
    if not all(map(math.isfinite, both)):
        message = f"bounds need a rule whose losses are bounded; those of {unit_of(rule)} are not"
        raise DataError(message)
    ends = (((lost + (whole - weight) * end) / whole).tolist() for end in both)
    bounds = dict(zip(board.found.names, zip(*ends, strict=True), strict=True))
    rows = (replace(row, bounds=bounds[row.forecaster]) for row in result.standings)
    return replace(result, standings=tuple(rows))


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
    standings, crowd = (
        tuple(_shifted(row, shift) for row in rows) for rows in (result.standings, result.crowd)
    )
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


def square(x: Column, *, turned: bool = False) -> Column:
    """Lay amounts of all pairs out, row against column; some change sign with the order."""
    size = math.isqrt(2 * len(x)) + 1
    result = np.full((size, size), np.nan)
    first, second = np.triu_indices(size, 1)
    result[first, second], result[second, first] = x, -x if turned else x
    return result


def ranks(away: Column, score: Column, reach: Column) -> Ranks:
    """Rank scores; who is shown better or worse than how many bounds a rank [1]_.

    `away` has the differences, row against column, and `reach` how far intervals of all pairs
    reach.

    References
    ----------
    .. [1] M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm (2024). Inference for ranks with
       applications to mobility across neighbourhoods and academic achievement across countries.
       Review of Economic Studies 91:476-518. doi:10.1093/restud/rdad006.
    """
    # Differences that do not vary are not told apart: between copies, rounding would decide.
    with infinities():
        # Row k, column j: j is shown to be worse than k.
        worse = away + np.where(reach > 0, reach, np.nan) < 0
    lowest, highest = 1 + worse.sum(axis=0), len(score) - worse.sum(axis=1)
    score = np.round(score / (np.abs(score).max(initial=0.0) or 1.0), DIGITS)
    order = np.argsort(score, kind="stable")
    rank = np.empty(len(score), dtype=np.intp)
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
