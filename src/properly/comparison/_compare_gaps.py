"""Comparison in pairs where some did not answer: on common questions, or through all others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._infinities import infinities
from properly._boundary._text import many
from properly.comparison._gaps import design_of, effects
from properly.comparison._pair_tests import (
    Margins,
    PairNumbers,
    Tests,
    as_pairs,
    compare_models,
    put_together,
    student_p,
    student_quantiles,
    within_margin,
)
from properly.counts._answers import Answers
from properly.counts._cases import side_by_side
from properly.errors import ArgumentTypeError, DataError
from properly.inference._auc import auc_interval
from properly.inference._averages import warn_of_few
from properly.inference._estimate import Estimate
from properly.inference._intervals import score_interval
from properly.inference._multiplicity import bonferroni, max_t, max_t_of_pairs
from properly.inference._variance import covariance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from properly.comparison._differences import Index
    from properly.comparison._gaps import Effects
    from properly.comparison._pair_tests import Missing, Options
    from properly.comparison._pairs import Comparison
    from properly.counts._answers import Losses
    from properly.counts._cases import Cases
    from properly.inference._design import Serial
    from properly.inference._multiplicity import MaxT
    from properly.typing import Column

# More pairs take too long one by one.
MOST_PAIRS = 2000


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
    return compare_models(models, options, reference, serial)


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
    losses = answers.losses(options.rule)
    found, pairs = effects(answers, losses), as_pairs(answers.forecasters, reference)
    first, second = np.array(pairs).T
    difference, error, degrees = _apart(found, first, second)
    methods = ["two-way effects, Student's t"] * len(pairs)
    margin = Margins(error, np.nan_to_num(degrees), methods)
    p = student_p(difference, error, margin.degrees, error)
    common, differing = _common(losses, len(answers.forecasters))
    numbers = PairNumbers(
        pairs,
        difference,
        margin,
        Tests(p, np.zeros(len(p), dtype=bool), p),
        *_ratios(found, first, second),
        within_margin(difference, error, degrees, options.margin),
        differing[first, second],
    )
    return put_together(
        answers.forecasters,
        numbers,
        _adjustment(found, (first, second), margin, options),
        options,
        scores=_scores(answers, found, losses, options.level),
        degrees=float(np.nanmin(degrees, initial=np.inf)),
        design=f"two-way effects, {found.design}",
        cases=len(answers.questions),
        effective_cases=float(len(answers.questions)),
        common=common[first, second],
    )


def _places(found: Effects) -> Column:
    """Return the place of each forecaster in the fit; -1 for those who are not in it."""
    place = np.full(len(found.names), -1, dtype=np.intp)
    place[found.inside] = np.arange(len(found.inside))
    return place


def _apart(found: Effects, first: Column, second: Column) -> tuple[Column, Column, Column]:
    """Return differences of all pairs, infinite where a loss is, with errors and degrees."""
    place, fit = _places(found), found.fit
    i, j = place[first], place[second]
    inside = (i >= 0) & (j >= 0)
    value = np.zeros(len(found.names))
    value[found.infinite], value[found.absent] = np.inf, np.nan
    with infinities():
        difference = value[first] - value[second]
    difference[inside] = fit.differences(i[inside], j[inside])
    error, degrees = np.full((2, len(first)), np.nan)
    error[inside] = fit.errors(i[inside], j[inside])
    degrees[inside] = fit.degrees[i[inside], j[inside]]
    return difference, error, degrees


def _adjustment(
    found: Effects, ends: tuple[Column, Column], margin: Margins, options: Options
) -> MaxT:
    """Return what adjusts for the number of pairs of those in the fit."""
    if options.adjust == "none":
        return bonferroni(1)
    place, inside = _places(found), margin.error > 0
    first, second = (place[x[inside]] for x in ends)
    error, degrees = margin.error[inside], margin.degrees[inside]
    return max_t_of_pairs(found.fit.covariance, (first, second), error, degrees, options.rng)


def _ratios(found: Effects, first: Column, second: Column) -> tuple[Column, Column]:
    """Divide adjusted scores, and find the standard errors of these ratios."""
    size = len(found.names)
    value, spread = np.full(size, np.nan), np.full((size, size), np.nan)
    value[found.inside] = found.fit.score
    spread[np.ix_(found.inside, found.inside)] = found.fit.score_covariance
    with infinities():
        ratio = value[first] / value[second]
        square = spread[first, first] - 2 * ratio * spread[first, second]
        square += ratio**2 * spread[second, second]
        error = np.sqrt(np.maximum(square, 0)) / np.abs(value[second])
    told = np.isfinite(ratio)
    return np.where(told, ratio, np.nan), np.where(told, error, np.nan)


def _common(losses: Losses, size: int) -> tuple[Column, Column]:
    """Count the cells that both of a pair answered, and on how many of them losses differ."""
    loss = losses.laid_out(losses.loss, size, np.nan)
    there = (~np.isnan(loss)).astype(np.float64)
    common = (there.T @ there).astype(np.int64)
    with infinities():
        differ = np.stack([(np.abs(loss - loss[:, [k]]) > 0).sum(axis=0) for k in range(size)])
    return common, differ


def _scores(answers: Answers, found: Effects, losses: Losses, level: float) -> dict[str, Estimate]:
    """Say of each what it would have scored on all questions."""
    quantile = student_quantiles(np.array([found.score_degrees]), level)[0]
    place, endless = _places(found), np.isinf(losses.loss)
    lost = np.bincount(losses.forecaster, endless, len(found.names)).astype(int)
    questions = len(answers.questions)
    result = {}
    for k, name in enumerate(found.names):
        value, error = (np.inf if lost[k] else np.nan), np.nan
        if place[k] >= 0:
            value, error = found.fit.score[place[k]], found.score_errors[place[k]]
        half = quantile * error if error > 0 else np.nan
        result[name] = Estimate(
            value=float(value),
            standard_error=float(error),
            interval=(float(value - half), float(value + half)),
            level=level,
            degrees=found.score_degrees,
            method="two-way effects, Student's t",
            design=found.design,
            cases=questions,
            effective_cases=float(questions),
            infinite_cases=int(lost[k]),
            infinite_share=float(lost[k] / max((losses.forecaster == k).sum(), 1)),
        )
    return result


def _pairwise(answers: Answers, options: Options, reference: str | None) -> Comparison:
    """Compare each pair on the questions that both answered; who answered none has no pair."""
    answers = answers.keep([name for name, count in answers.answered.items() if count])
    pairs = as_pairs(answers.forecasters, reference)
    if len(pairs) > MOST_PAIRS:
        message = f"pairs are compared one by one up to {MOST_PAIRS:,}; got {len(pairs):,}"
        raise DataError(message, hint='missing="two-way" compares any number, or name a reference.')
    alone = replace(options, adjust="none")
    met = [_met(answers, answers.forecasters[i], answers.forecasters[j]) for i, j in pairs]
    some = [both for both in met if both is not None]
    if not some:
        message = "no two forecasters have two questions in common"
        raise DataError(message)
    # One warning, of the pair with the fewest cases.
    warn_of_few(min((next(iter(both.values())) for both in some), key=len))
    found = [None if both is None else compare_models(both, alone, warn=False) for both in met]
    return _together(answers, pairs, found, options)


def _met(answers: Answers, first: str, second: str) -> dict[str, Cases] | None:
    """Return what two forecasters said of the same questions; None if these are fewer than two."""
    one, other = answers.shared_rows(first, second)
    if len(one) < 2:
        return None
    return {first: answers.cases_of(one), second: answers.cases_of(other)}


def _together(
    answers: Answers,
    pairs: Sequence[Index],
    found: Sequence[Comparison | None],
    options: Options,
) -> Comparison:
    """Gather comparisons of single pairs; p-values and intervals allow for all of them."""

    def each(name: str, missing: Any = np.nan) -> Column:
        """Return a number of each pair; of pairs that never met, what stands for it."""
        return np.array([missing if x is None else getattr(x, name)[0] for x in found])

    # Those of single pairs allow for no others yet: they are the greater one of both tests.
    p, decisive = each("p_value"), each("adjusted_p_value")
    common = np.array([0 if x is None else x.cases for x in found])
    degrees = np.array([0.0 if x is None else x.degrees for x in found])
    methods = ["" if x is None else x.methods[0] for x in found]
    margin = Margins(each("standard_error"), degrees, methods)
    numbers = PairNumbers(
        pairs,
        each("difference"),
        margin,
        Tests(p, each("p_is_bound", missing=False), np.where(decisive > p, decisive, 0.0)),
        each("ratio"),
        each("ratio_error"),
        each("equivalence_p_value"),
        each("differing", 0),
    )
    few, most = int(common.min()), int(common.max())
    span = f"{few:,} to {most:,}" if few < most else f"{few:,}"
    return put_together(
        answers.forecasters,
        numbers,
        _of_all_pairs(answers, pairs, margin, options),
        options,
        scores=_own_scores(answers, options),
        degrees=min(x.degrees for x in found if x is not None),
        design=f"each pair on the {span} questions that both answered",
        cases=len(answers.questions),
        effective_cases=float(len(answers.questions)),
        common=common,
    )


def _of_all_pairs(
    answers: Answers, pairs: Sequence[Index], margin: Margins, options: Options
) -> MaxT:
    """Return what adjusts for all pairs, from what each question adds to each of them."""
    if options.adjust == "none":
        return bonferroni(1)
    known = margin.error > 0
    if isinstance(options.rule, str):
        # Areas of pairs are of different questions each.
        return bonferroni(int(known.sum()))
    losses, weight = answers.losses(options.rule), answers.weights
    loss = losses.laid_out(losses.loss, len(answers.forecasters), np.nan)
    influence = np.zeros((len(pairs), len(answers.questions)))
    for k, (i, j) in enumerate(pairs):
        away = loss[:, i] - loss[:, j]
        both = np.isfinite(away)
        if known[k]:
            share = weight[both] / weight[both].sum()
            influence[k, both] = share * (away[both] - share @ away[both])
    design = design_of(answers, np.arange(len(answers.questions)))
    return max_t(covariance(influence, design).covariance, margin.degrees, options.rng)


def _own_scores(answers: Answers, options: Options) -> dict[str, Estimate]:
    """Say of each what it scored on the questions it answered, which are not those of others."""
    level, rule = options.level, options.rule
    some = {name: answers.cases(name) for name, count in answers.answered.items() if count}
    if isinstance(rule, str):
        return {name: auc_interval(cases, level=level) for name, cases in some.items()}
    return {name: score_interval(cases, rule, level=level) for name, cases in some.items()}
