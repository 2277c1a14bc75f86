"""Forecasters who did not answer the same questions: effects, and comparison in pairs.

They are compared on the questions that both of a pair answered, or through all others by effects of
questions and forecasters, with the variance that the design of the questions asks for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from properly._boundary._libraries import infinities
from properly._boundary._text import first_of, many, printable
from properly.comparison import _pair_tests as pair_tests
from properly.comparison._pair_tests import Missing, Options
from properly.comparison._pairs import Comparison
from properly.comparison._two_way import TwoWay, two_way
from properly.counts._answers import Answers, Losses
from properly.counts._cases import Cases, numbered, side_by_side
from properly.errors import ArgumentTypeError, DataError
from properly.inference._auc import auc_interval
from properly.inference._averages import Estimate, around, warn_of_few
from properly.inference._design import Design, Serial, number_times
from properly.inference._intervals import score_interval
from properly.inference._multiplicity import MaxT, bonferroni, max_t, max_t_of_pairs
from properly.inference._variance import covariance
from properly.typing import Column

METHOD = "two-way effects, Student's t"
# More pairs take too long one by one.
MOST_PAIRS = 2000
# Of a pair without two questions in common nothing is known.
UNKNOWN = np.full(1, np.nan)
NEVER_MET = pair_tests.PairNumbers(
    *(((0, 1),), UNKNOWN, UNKNOWN, np.zeros(1), [""], UNKNOWN, np.zeros(1, dtype=bool)),
    *(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, np.zeros(1, dtype=np.int64)),
)
# A refusal shows as many parts, and as many forecasters of each.
SHOWN = 6
ASSUMES = (
    "This assumes that whoever skipped a question would have done on it as well, relative to the "
    "others, as on the rest."
)


class Apart(NamedTuple):
    """Differences of pairs of forecasters, given by number, and their standard errors."""

    first: Column
    second: Column
    difference: Column
    error: Column
    degrees: Column


@dataclass(frozen=True, eq=False)
class Effects:
    """Effects of the forecasters whose losses are finite, and what became of the others.

    Attributes
    ----------
    names : tuple of str
        All forecasters.
    inside : numpy array
        The numbers of those in the fit.
    infinite, absent : numpy array
        The numbers of those with an infinite loss, and of those without an answer.
    fit : TwoWay
        The effects of those in the fit, with the covariance that the design asks for.
    score_degrees : float
        Degrees of freedom of the adjusted scores.
    design : str
        What was taken as independent, in words.
    shared : numpy array
        How many questions each forecaster shares with anybody.
    """

    names: tuple[str, ...]
    inside: Column
    infinite: Column
    absent: Column
    fit: TwoWay
    score_degrees: float
    design: str
    shared: Column

    @property
    def score_errors(self) -> Column:
        """The standard errors of the adjusted scores; of a single unit there are none."""
        error = np.sqrt(np.maximum(np.diagonal(self.fit.score_covariance), 0))
        return np.asarray(error if self.score_degrees > 0 else np.full(len(error), np.nan))

    def of_all(self, x: Column) -> Column:
        """Lay numbers of those in the fit out for all forecasters; the others have NaN."""
        result = np.full((len(self.names),) * x.ndim, np.nan)
        result[np.ix_(*[self.inside] * x.ndim)] = x
        return result

    @property
    def scores(self) -> Column:
        """The adjusted score of each forecaster, infinite where a loss is."""
        result = self.of_all(self.fit.score)
        result[self.infinite] = np.inf
        return result

    def apart(self, first: Column, second: Column) -> Apart:
        """Subtract effects of forecasters, given by number; infinite where one of two losses is."""
        place = np.full(len(self.names), -1, dtype=np.intp)
        place[self.inside] = np.arange(len(self.inside))
        score, fit = self.scores, self.fit
        with infinities():
            difference = score[first] - score[second]
        error, degrees = np.full((2, len(first)), np.nan)
        inside = (place[first] >= 0) & (place[second] >= 0)
        ends = place[first[inside]], place[second[inside]]
        difference[inside], error[inside] = fit.differences(*ends), fit.errors(*ends)
        degrees[inside] = fit.degrees[ends]
        return Apart(first, second, difference, error, degrees)

    def family(self, apart: Apart, rng: np.random.Generator) -> MaxT:
        """Return what adjusts for the number of these pairs."""
        errors, degrees = np.nan_to_num(apart.error), np.nan_to_num(apart.degrees)
        joint = self.of_all(self.fit.covariance)
        return max_t_of_pairs(joint, (apart.first, apart.second), errors, degrees, rng)

    def require_connected(self) -> None:
        """Refuse forecasters who cannot be compared even through others."""
        part = self.fit.part
        if self.fit.parts > 1:
            sides = [self.inside[part == k] for k in range(self.fit.parts)]
            said = " | ".join(
                first_of((printable(self.names[i]) for i in side), SHOWN) for side in sides[:SHOWN]
            )
            message = (
                "forecasters are compared through questions that several answered; they fall into "
                f"{self.fit.parts} parts without a question in common: {said}"
            )
            hint = (
                "compare each part by itself: answers.keep([names]), or --only on the command line."
            )
            raise DataError(message, hint=hint)


def effects(
    answers: Answers, losses: Losses, names: tuple[str, ...] | None = None, *, least: int = 1
) -> Effects:
    """Fit two-way effects, and find variances by the design of the questions.

    The names are those of the answers, unless losses of others were added. Who shares fewer than
    the least number of questions does not make pairs of others less sure.
    """
    names = answers.forecasters if names is None else names
    size = len(names)
    count = np.bincount(losses.forecaster, minlength=size)
    endless = np.bincount(losses.forecaster, np.isinf(losses.loss), size) > 0
    inside = np.flatnonzero((count > 0) & ~endless)
    if len(inside) < 2:
        message = f"at least two forecasters with finite losses are compared; got {len(inside)}"
        raise DataError(message)
    kept = losses if len(inside) == size else losses.of(inside)
    shared = shared_questions(losses, size)
    among = np.flatnonzero(shared[inside] >= least)
    fit, degrees, words = _by_design(answers, kept, len(inside), among)
    others = np.flatnonzero(endless), np.flatnonzero(count == 0)
    return Effects(names, inside, *others, fit, degrees, words, shared)


def _by_design(
    answers: Answers, losses: Losses, size: int, among: Column
) -> tuple[TwoWay, float, str]:
    """Take questions, or their families, as independent; or strata; or times that follow."""
    alone = answers.when is None and answers.strata is None
    units = families(answers)[losses.question] if alone else losses.question
    fit = two_way(losses, size, units, among=among, influences=not alone)
    if alone or not fit.compares.any():
        # Where nobody shares a question, that is refused later.
        count = len(fit.units)
        words = many(count, "question")
        if alone and answers.clusters is not None:
            words = f"{count:,} {'family' if count == 1 else 'families'} of questions"
        return fit, count - 1.0, words
    every = design_of(answers, fit.units)
    some = design_of(answers, fit.units[fit.compares])
    moved = covariance(fit.influence[:, fit.compares], some)  # type: ignore[index]
    scores = covariance(fit.score_influence, every)  # type: ignore[arg-type]
    degrees = np.full((size, size), float(moved.degrees))
    fit = replace(
        fit, covariance=moved.covariance, degrees=degrees, score_covariance=scores.covariance
    )
    return fit, float(scores.degrees), every.text.replace("independent case", "question")


def families(answers: Answers) -> Column:
    """Return the number of the family of each question; without families, each is its own."""
    if answers.clusters is None:
        return np.arange(len(answers.questions))
    return np.asarray(numbered(answers.clusters)[0])


def design_of(answers: Answers, some: Column) -> Design:
    """Describe some questions as a design: each of them is one case."""
    cluster, stratum = (
        None if x is None else numbered(x[some])[0] for x in (answers.clusters, answers.strata)
    )
    time = None if answers.when is None else number_times(answers.when[some])
    return Design(np.ones(len(some)), cluster, stratum, time)


def shared_questions(losses: Losses, size: int) -> Column:
    """Count the questions that each forecaster shares with anybody."""
    several = np.bincount(losses.cell)[losses.cell] > 1
    return np.bincount(losses.answers(size, several)[0], minlength=size)


# Comparison in pairs


def answers_of(
    y: Any,
    forecasts: Any,
    others: Sequence[Any],
    reading: Mapping[str, Any],
    known: Mapping[str, Any],
) -> Answers:
    """Take answers as they are, or make them of a wide table with empty cells."""
    if isinstance(y, Answers):
        given = [name for name, x in known.items() if x is not None]
        if forecasts is not None or given:
            message = "answers bring their forecasts and columns along; got both"
            raise ArgumentTypeError(message, hint="give columns to Answers(…).")
        return y
    if forecasts is None:
        message = f"forecasts are compared with outcomes; got {type(y).__name__} alone"
        raise ArgumentTypeError(message, hint="write compare(y, {'name': p, …}).")
    if known["count"] is not None or reading["normalize"]:
        message = "where forecasts are missing, rows are neither counted nor divided by their sums"
        raise DataError(message, hint='leave out count= and normalize=, or pass missing="refuse".')
    columns = {name: known[name] for name in ("weight", "clusters", "strata")}
    names = {name: reading[name] for name in ("labels", "pos_label")}
    models = side_by_side(forecasts, others)
    return Answers.from_wide(y, models, when=known["time"], **columns, **names)


def compare_answers(
    answers: Answers,
    options: Options,
    reference: str | None,
    missing: Missing,
    serial: Serial = "cosines",
) -> Comparison:
    """Compare forecasters who may have skipped questions."""
    _require_possible(answers, missing, serial)
    size, whole = len(answers.forecasters), len(answers.questions)
    if size < 2:
        message = f"at least two forecasters are compared; got {size}"
        raise DataError(message)
    given = sum(answers.answered.values())
    if missing == "refuse" and given < size * whole:
        message = (
            f"all must have answered the same questions; {many(size, 'forecaster')} gave "
            f"{given:,} of {size * whole:,} answers"
        )
        hint = 'missing="two-way" allows for gaps; also "pairwise" and "complete".'
        raise DataError(message, hint=hint)
    if missing == "two-way":
        return _two_way(answers, options, reference)
    if missing == "pairwise":
        return _pairwise(answers, options, reference)
    full = answers.complete()
    models = {name: full.cases(name) for name in full.forecasters}
    return pair_tests.compare_models(models, options, reference, serial)


def _require_possible(answers: Answers, missing: Missing, serial: Serial) -> None:
    """Refuse what only cases side by side allow for."""
    if serial != "cosines" and missing in ("two-way", "pairwise"):
        message = f'gaps are allowed for by serial="cosines"; got serial={serial!r}'
        raise DataError(message, hint='missing="complete" leaves no gaps.')
    # Pieces of time in which all stand are cases side by side.
    apart = missing != "complete" or answers.repeated == "mean-loss"
    if answers.stances.share is not None and missing != "two-way" and apart:
        message = (
            f"forecasts that stand for a time are compared by two-way effects; got {missing!r}"
        )
        raise DataError(message, hint='pass missing="two-way".')


def _two_way(answers: Answers, options: Options, reference: str | None) -> Comparison:
    """Compare all through all others, by effects of questions and forecasters."""
    if isinstance(options.rule, str) or options.method not in ("auto", "t"):
        message = "two-way effects are means of losses, compared by Student's t; got another method"
        raise DataError(message, hint='missing="pairwise" compares in every other way.')
    losses, names = answers.losses(options.rule), answers.forecasters
    found, pairs = effects(answers, losses), pair_tests.as_pairs(names, reference)
    first, second = np.array(pairs).T
    apart = found.apart(first, second)
    difference, error, degrees = apart[2:]
    p = pair_tests.student_p(difference, error, np.nan_to_num(degrees), error)
    common, differing = _common(losses, len(names))
    numbers = pair_tests.PairNumbers(
        pairs,
        difference,
        error,
        np.nan_to_num(degrees),
        [METHOD] * len(pairs),
        *(p, np.zeros(len(p), dtype=bool), p),
        *_ratios(found, first, second),
        pair_tests.within_margin(difference, error, degrees, options.margin),
        differing[first, second],
    )
    return pair_tests.put_together(
        names,
        numbers,
        bonferroni(1) if options.adjust == "none" else found.family(apart, options.rng),
        options,
        scores=_scores(answers, found, losses, options.level),
        degrees=float(np.nanmin(degrees, initial=np.inf)),
        design=f"two-way effects, {found.design}",
        cases=len(answers.questions),
        effective_cases=float(len(answers.questions)),
        common=common[first, second],
    )


def _ratios(found: Effects, first: Column, second: Column) -> tuple[Column, Column]:
    """Divide adjusted scores, and find the standard errors of these ratios."""
    value, joint = found.of_all(found.fit.score), found.of_all(found.fit.score_covariance)
    ratio, square = pair_tests.ratios_of(value, joint, (first, second))
    with infinities():
        error = np.sqrt(np.maximum(square, 0)) / np.abs(value[second])
    known = np.isfinite(ratio)
    return np.where(known, ratio, np.nan), np.where(known, error, np.nan)


def _common(losses: Losses, size: int) -> tuple[Column, Column]:
    """Count the cells that both of a pair answered, and on how many of them losses differ."""
    loss = losses.laid_out(losses.loss, size, np.nan)
    there = (~np.isnan(loss)).astype(np.float64)
    common = (there.T @ there).astype(np.int64)
    with infinities():
        differ = np.stack([(np.abs(loss - loss[:, [k]]) > 0).sum(axis=0) for k in range(size)])
    return common, differ


def _scores(answers: Answers, found: Effects, losses: Losses, level: float) -> dict[str, Estimate]:
    """Estimate what each would have scored on all questions."""
    size, questions = len(found.names), len(answers.questions)
    lost, had = (
        np.bincount(losses.forecaster, x, size).astype(int) for x in (np.isinf(losses.loss), None)
    )
    quantile = pair_tests.student_quantiles(np.array([found.score_degrees]), level)[0]
    about = level, found.score_degrees, METHOD, found.design, questions, float(questions)
    columns = found.scores, found.of_all(found.score_errors), lost, lost / np.maximum(had, 1)
    rows = zip(found.names, *(x.tolist() for x in columns), strict=True)
    return {
        name: Estimate(score, error, around(score, error, quantile), *about, infinite, share)
        for name, score, error, infinite, share in rows
    }


def _pairwise(answers: Answers, options: Options, reference: str | None) -> Comparison:
    """Compare each pair on the questions that both answered; who answered none has no pair."""
    answers = answers.keep([name for name, count in answers.answered.items() if count])
    names = answers.forecasters
    pairs = pair_tests.as_pairs(names, reference)
    if len(pairs) > MOST_PAIRS:
        message = f"pairs are compared one by one up to {MOST_PAIRS:,}; got {len(pairs):,}"
        raise DataError(message, hint='missing="two-way" compares any number, or name a reference.')
    shared = [answers.shared_rows(names[i], names[j]) for i, j in pairs]
    met = [tuple(map(answers.cases_of, rows)) if len(rows[0]) > 1 else None for rows in shared]
    some = [both[0] for both in met if both is not None]
    if not some:
        message = "no two forecasters have two questions in common"
        raise DataError(message)
    # One warning, of the pair with the fewest cases.
    warn_of_few(min(some, key=len))
    alone, cases = zip(*(_of_pair(both, options) for both in met), strict=True)
    own: Any = (np.concatenate(x) for x in zip(*(numbers[1:] for numbers in alone), strict=True))
    numbers, common = pair_tests.PairNumbers(pairs, *own), np.array(cases)
    span = " to ".join(f"{n:,}" for n in sorted({int(common.min()), int(common.max())}))
    return pair_tests.put_together(
        names,
        numbers,
        _of_all_pairs(answers, numbers, options),
        options,
        scores=_own_scores(answers, options),
        degrees=float(numbers.degrees[common > 0].min()),
        design=f"each pair on the {span} questions that both answered",
        cases=len(answers.questions),
        effective_cases=float(len(answers.questions)),
        common=common,
    )


def _of_pair(both: Sequence[Cases] | None, options: Options) -> tuple[pair_tests.PairNumbers, int]:
    """Compare two forecasters on the same questions, and count these."""
    if both is None:
        return NEVER_MET, 0
    design = Design.of(both[0])
    pairs = pair_tests.score_pairs(dict(zip("ab", both, strict=True)), options, ((0, 1),), design)
    return pair_tests.find_numbers(pairs, pair_tests.margins(pairs)), len(design.weight)


def _of_all_pairs(answers: Answers, numbers: pair_tests.PairNumbers, options: Options) -> MaxT:
    """Return what adjusts for all pairs, from what each question adds to each of them."""
    if options.adjust == "none":
        return bonferroni(1)
    known = numbers.standard_error > 0
    if isinstance(options.rule, str):
        # Areas of pairs are of different questions each.
        return bonferroni(int(known.sum()))
    losses, weight = answers.losses(options.rule), answers.weights
    loss = losses.laid_out(losses.loss, len(answers.forecasters), np.nan)
    influence = np.zeros((len(numbers.pairs), len(answers.questions)))
    for k in np.flatnonzero(known).tolist():
        i, j = numbers.pairs[k]
        away = loss[:, i] - loss[:, j]
        both = np.isfinite(away)
        share = weight[both] / weight[both].sum()
        influence[k, both] = share * (away[both] - share @ away[both])
    design = design_of(answers, np.arange(len(answers.questions)))
    return max_t(covariance(influence, design).covariance, numbers.degrees, options.rng)


def _own_scores(answers: Answers, options: Options) -> dict[str, Estimate]:
    """Score each on the questions it answered, which are not those of others."""
    level, rule = options.level, options.rule
    return {
        name: auc_interval(cases, level=level)
        if isinstance(rule, str)
        else score_interval(cases, rule, level=level)
        for name, cases in ((name, answers.cases(name)) for name in answers.forecasters)
    }
