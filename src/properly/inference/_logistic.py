"""Logistic regression by Newton's steps: small, exact, and open about data that separate.

Where some line tells all events from all others no finite coefficients are best. That is decided
by a linear programme rather than by how large the coefficients have become.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from properly._boundary._interrupts import checked
from properly._boundary._libraries import infinities
from properly.typing import Column

# Makes, of some numbers, a row of columns each, and the offset.
Columns: TypeAlias = Callable[[Column], tuple[Column, Column]]

# A fit takes five to ten steps; one that needs more is probably on its way to infinity.
STEPS = 50
HALVINGS = 30
# A step that is halved must gain at least this share of what its slope promises.
ENOUGH_UP = 0.1
# Once the next step gains less than this, if rows weigh 1 on average, each further one doubles the
# digits that are right.
SMALL = 1e-9
POLISH = 3
# A step that moves no log odds by more than this leads upward for certain.
LEAP = 0.5
# From the log odds of any double to those of any other it is not so far. Longer steps are only
# known by their direction.
FARTHEST = 2000.0
# Of more rows than this, the search begins at the fit to means of so many neighbours, and goes on
# with means of fewer; rows at either end, which count most, stay single. If the first fit is as
# near as can be expected, steps gain less than this. After one that gains so little none is taken:
# ten digits of coefficients and likelihood are right, and six of standard errors.
LONG = 1 << 15
NEIGHBOURS, FEWER, ENDS = 64, 32, 2048
NEAR = 1.0
LITTLE = 1e-8
# From coefficients nearby: more steps than these, or one that gains more than this, lead astray.
# Of many rows, a step that gains so little leaves an error of a millionth of a standard error.
REFITS, FAR = 8, 50.0
ENOUGH = 1e-5
# Rows of a piece: what stays in the processor's cache.
PIECE = 1 << 14
# Odds beyond these are met in data that separate, and hardly in others.
EXTREME = 15.0
RANK = 1e-10
# Directions with a smaller share of the information than this have none but for rounding.
FLAT = 1e-15
# Rows that a linear programme begins with; as many at most join them each time.
SOME = 1000


class Fitted(NamedTuple):
    """A fitted logistic regression.

    Attributes
    ----------
    coefficients : numpy array
        One a column; if the data separate, infinite in the columns that separate them and NaN in
        the others. All NaN if the columns depend on one another.
    information_inverse : numpy array
        The inverse of the sum of ``weight * mu * (1 - mu) * z z'``; NaN if the data separate.
    log_likelihood : float
        The weighted log-likelihood, or its least upper bound.
    separated : bool
        Whether some line tells all events from all others, ties aside.
    """

    coefficients: Column
    information_inverse: Column
    log_likelihood: float
    separated: bool


def logit(x: Column) -> Column:
    """Return the log odds, in full precision near 0 and to the precision of 1 - x near 1."""
    result: Column = np.log(x) - np.log1p(-x)
    return result


def fit(
    Z: Column,
    y: Column,
    weight: Column | None = None,
    offset: Column | None = None,
    *,
    may_separate: bool = True,
) -> Fitted:
    r"""Fit :math:`\operatorname{logit} P(y = 1) = \text{offset} + Z b` by maximum likelihood.

    Parameters
    ----------
    Z : numpy array
        One row a case, one column a coefficient; an intercept is a column of ones.
    y : numpy array
        Outcomes, or the share of events at each row.
    weight, offset : numpy array, optional
        One each unless given, and none. Rows of no weight are not looked at.
    may_separate : bool
        Whether some line might tell all events from all others; false if that is known.
    """
    y = np.asarray(y, dtype=np.float64)
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    offset = np.zeros(len(y)) if offset is None else np.asarray(offset, dtype=np.float64)
    Z, used = np.asarray(Z, np.float64), weight > 0
    if not used.all():
        Z, y, weight, offset = (x[used] for x in (Z, y, weight, offset))
    # What is small is told by weights of 1 on average, whatever unit they came in.
    unit = float(weight.mean())
    weight = weight if unit == 1 else weight / unit
    # Columns of length 1 at right angles leave no step to be spoilt by rounding.
    axes, turn = np.linalg.qr(Z)
    size = np.abs(np.diagonal(turn))
    if len(size) < Z.shape[1] or (size <= RANK * np.linalg.norm(Z, axis=0)).any():
        return _without_answer(Z.shape[1], np.nan, np.full(Z.shape[1], np.nan), separated=False)
    rows = (axes, offset), weight * y, weight
    place, value, information, converged = _climb(*rows)
    # Without a loss, steps come to rest at once, be the best coefficients ever so far away.
    doubtful = not converged or value > -SMALL or np.abs(axes @ place).max() > EXTREME
    if may_separate and doubtful:
        line = separating_line(Z, y)
        if line is not None:
            ends = np.where(line == 0, np.nan, np.copysign(np.inf, line))
            return _without_answer(Z.shape[1], value * unit, ends, separated=True)
    back = np.linalg.inv(turn)
    # What next to nothing is known of has a variance beyond all doubles.
    with infinities():
        inverse = back @ np.linalg.pinv(information, hermitian=True) @ back.T / unit
    return Fitted(back @ place, inverse, value * unit, separated=False)


def _climb(
    columns: tuple[Column, Column], events: Column, weight: Column
) -> tuple[Column, float, Column, bool]:
    """Take Newton's steps, halved until they lead upward; return whether they came to an end.

    Before it, where the steps ended, the log-likelihood there, and the information behind it.
    """
    axes, place, left = columns[0], np.zeros(columns[0].shape[1]), POLISH

    def value_at(place: Column) -> float:
        return _sums_of_piece(place, columns, events, weight)[0]

    for _ in checked(range(STEPS)):
        value, slope, information = _sums_of_piece(place, columns, events, weight)
        step = newton_steps(axes, slope[None], information[None])[0]
        gain = slope @ step
        if gain <= SMALL:
            left = left - 1 if gain > SMALL**3 else 0
        elif np.abs(axes @ step).max() > LEAP:
            share = 1.0
            for _ in range(HALVINGS):
                # Beyond the hill its slopes lead back nowhere: little is not enough.
                if value_at(place + step) > value + ENOUGH_UP * share * gain:
                    break
                step, share = step / 2, share / 2
            else:
                return place, value, information, False
        place = place + step
        if not left:
            return place, value_at(place), information, True
    return place, value_at(place), information, False


def newton_steps(axes: Column, slope: Column, information: Column) -> Column:
    """Return Newton's steps, a row each, or steps in their direction that are not too far."""
    size = np.abs(information).max(axis=(1, 2))[:, None]
    steep = np.abs(slope).max(axis=1)[:, None]
    upright = np.where(size[:, :, None] > 0, information, np.eye(slope.shape[1]))
    upright = upright / np.where(size > 0, size, 1.0)[:, :, None]
    ahead = slope / np.where(steep > 0, steep, 1.0)
    # The pseudoinverse, without what numpy's function takes to sort and to check.
    length, turn = np.linalg.eigh(upright)
    is_flat = np.abs(length) <= FLAT * np.abs(length).max(axis=1, keepdims=True)
    along = np.einsum("kij,ki->kj", turn, ahead) / np.where(is_flat, np.inf, length)
    step = np.einsum("kij,kj->ki", turn, along)
    with infinities():
        far = FARTHEST / np.abs(step @ axes.T).max(axis=1)[:, None]
        result: Column = step * np.where(steep > 0, np.minimum(steep / size, far), 0.0)
    return result


def fit_columns(
    columns: Columns,
    x: Column,
    events: Column,
    weight: Column,
    little: float = LITTLE,
    *,
    may_separate: bool = True,
) -> Fitted:
    """Fit events at numbers in order, whose columns are made where they are needed.

    Means of neighbours are fitted first if there are very many, and then all of them, a piece at a
    time: that takes a step, or two, until one gains little.
    """
    result = None
    if len(x) > LONG:
        result = _fit_from_means(columns, x, events, weight, little, may_separate=may_separate)
    if result is None:
        Z, offset = columns(x)
        result = fit(Z, events / weight, weight, offset, may_separate=may_separate)
    return result


def starts_of_neighbours(rows: int, neighbours: int) -> Column:
    """Return the first row of each group of so many neighbours; those at either end stay single."""
    ends = min(ENDS, rows // 2)
    return np.asarray(np.r_[:ends, ends : rows - ends : neighbours, rows - ends : rows])


def _means_of_neighbours(
    x: Column, events: Column, weight: Column, neighbours: int
) -> tuple[Column, Column, Column]:
    """Take numbers in order for the means of so many; those at either end stay single."""
    start = starts_of_neighbours(len(x), neighbours)
    parts = []
    for k in range(0, len(start), ENDS):
        first, *after = start[k : k + ENDS + 1 : ENDS]
        rows, runs = slice(first, *after or [None]), start[k : k + ENDS] - first
        columns = (weight[rows], events[rows], weight[rows] * x[rows])
        parts.append([np.add.reduceat(n, runs) for n in columns])
    total, happened, mean = (np.concatenate(column) for column in zip(*parts, strict=True))
    return mean / total, happened, total


def _fit_from_means(
    columns: Columns,
    x: Column,
    events: Column,
    weight: Column,
    little: float,
    *,
    may_separate: bool,
) -> Fitted | None:
    """Fit means of neighbours, then of fewer, then all; None if the first fit leads nowhere."""
    mean, happened, total = _means_of_neighbours(x, events, weight, NEIGHBOURS)
    Z, offset = columns(mean)
    first = fit(Z, happened / total, total, offset, may_separate=may_separate)
    place, unit = first.coefficients, float(weight.mean())
    if not np.isfinite(place).all():
        return None
    if may_separate and np.abs(Z @ place).max() > EXTREME:
        return None
    # Columns are turned to be upright where the first fit is.
    turn = np.linalg.cholesky(first.information_inverse)
    fewer = _means_of_neighbours(x, events, weight, FEWER)
    for rows in (fewer, *([(x, events, weight)] * POLISH)):
        value, slope, information = _sums(columns, place, rows)
        slope, information = turn.T @ slope, turn.T @ information @ turn
        step = np.linalg.solve(information, slope)
        gain = slope @ step
        if not gain <= NEAR * unit:
            return None
        place = place + turn @ step
        if len(rows[0]) == len(x) and gain <= little * unit:
            break
    inverse = turn @ np.linalg.inv(information) @ turn.T
    return Fitted(place, inverse, float(value + gain / 2), separated=False)


def _sums(
    columns: Columns, place: Column, rows: tuple[Column, Column, Column]
) -> tuple[float, Column, Column]:
    """Return the log-likelihood, its derivatives and the information, a piece at a time."""
    length = len(rows[0])
    pieces = (tuple(n[k : k + PIECE] for n in rows) for k in checked(range(0, length, PIECE)))
    parts = [_sums_of_piece(place, columns(x), *counts) for x, *counts in pieces]
    value, slope, information = (np.sum(part, axis=0) for part in zip(*parts, strict=True))
    return float(value), slope, information


def _sums_of_piece(
    place: Column, columns: tuple[Column, Column], events: Column, weight: Column
) -> tuple[float, Column, Column]:
    Z, offset = columns
    odds = offset + Z @ place
    power = np.exp(-np.abs(odds))
    likely = 1 / (1 + power)
    is_up = odds >= 0
    mean = np.where(is_up, likely, power * likely)
    value = (events - weight * is_up) @ odds + weight @ np.log(likely)
    axes, left = Z.T, events - weight * mean
    spread = power * likely * likely
    spread *= weight
    return float(value), axes @ left, (axes * spread) @ Z


def refit(
    columns: tuple[Column | None, ...],
    events: Column,
    weight: Column,
    start: Column,
    offset: Column | None = None,
) -> Column | None:
    """Fit once more, from coefficients nearby, such as those of almost the same cases.

    Parameters
    ----------
    columns : tuple of numpy arrays
        One a coefficient; None is a column of ones.
    events, weight, offset : numpy array
        As in `fit_columns`; there must be a best line.
    start : numpy array
        The coefficients to begin with.

    Returns
    -------
    numpy array or None
        The coefficients, or None if they are too far from the start.
    """
    unit, little = float(weight.mean()), LITTLE if len(events) <= LONG else ENOUGH
    pieces = [slice(k, k + PIECE) for k in range(0, len(events), PIECE)]
    place: Column = np.array(start)
    for _ in checked(range(REFITS)):
        parts = [
            _slopes_of_piece(
                place,
                [None if z is None else z[piece] for z in columns],
                events[piece],
                weight[piece],
                None if offset is None else offset[piece],
            )
            for piece in pieces
        ]
        slope, information = (np.sum(part, axis=0) for part in zip(*parts, strict=True))
        try:
            step = np.linalg.solve(information, slope)
        except np.linalg.LinAlgError:
            return None
        # Where next to nothing is known, a step, and what it gains, may be beyond all doubles.
        with infinities():
            gain = float(slope @ step)
        if not 0 <= gain <= FAR * unit:
            return None
        place = place + step
        if gain <= little * unit:
            return place
    return None


@infinities()
def _slopes_of_piece(
    place: Column,
    columns: list[Column | None],
    events: Column,
    weight: Column,
    offset: Column | None,
) -> tuple[Column, Column]:
    """Return derivatives and information; an exponential beyond all doubles leaves no chance."""
    odds = np.zeros(len(events)) if offset is None else -offset
    for b, z in zip(place.tolist(), columns, strict=True):
        odds -= b if z is None else b * z
    np.exp(odds, out=odds)
    odds += 1
    mean = np.divide(1, odds, out=odds)
    left = events - weight * mean
    spread = mean * (1 - mean)
    spread *= weight
    slope = [left.sum() if z is None else left @ z for z in columns]
    spreads = [spread if z is None else spread * z for z in columns]
    information = [[u.sum() if z is None else u @ z for z in columns] for u in spreads]
    return np.array(slope), np.array(information)


def separating_line(Z: Column, y: Column) -> Column | None:
    """Find a direction in which events lie on one side and all others on the other, or none.

    Rows may lie on the line, but not all of them. Among directions with entries of at most 1 the
    one is taken that moves the rows furthest in all. A few rows decide: those that the direction
    found for some of them puts on the wrong side join these, until there are no more.
    """
    from scipy.optimize import linprog

    Z = Z / np.abs(Z).max(axis=0)
    signed = np.concatenate([Z[y > 0], -Z[y < 1]])
    aim = signed.mean(axis=0)
    some = np.unique(np.linspace(0, len(signed) - 1, SOME).astype(np.intp))
    while True:
        result = linprog(-aim, A_ub=-signed[some], b_ub=np.zeros(len(some)), bounds=(-1, 1))
        if result.status != 0 or -result.fun <= RANK:
            return None
        side = signed @ result.x
        side[some] = 0.0
        wrong = np.flatnonzero(side < -RANK)
        if not wrong.size:
            line: Column = np.where(np.abs(result.x) <= RANK, 0.0, result.x)
            return line
        some = np.append(some, wrong[np.argsort(side[wrong])[:SOME]])


def _without_answer(size: int, value: float, ends: Column, *, separated: bool) -> Fitted:
    return Fitted(ends, np.full((size, size), np.nan), value, separated)
