r"""Fits of maps that are lines in the logarithms of class probabilities.

All of them are :math:`q = \operatorname{softmax}(\eta)` with :math:`\eta` a line in L = ln P. The
objective is convex: the log score, plus the squared distance of the parameters from those that
leave forecasts as they are, in units of a standard deviation. That makes the optimum finite and
unique whatever the outcomes are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._chunks import one_blas_thread
from properly.errors import DataError
from properly.typing import Column

if TYPE_CHECKING:
    from properly.counts._class_rows import ClassTable

# More parameters than this have a matrix of second derivatives that is too large to be worth it.
MOST = 500
STEPS, HALVINGS = 100, 40
# Once the next step gains less than this, it is taken whole; and after the second, none is taken.
SMALL, NOTHING = 1e-9, 1e-18
# Where outcomes can be told for certain, steps gain less and less but move odds by 1 for ever.
GAINLESS, LEAP = 1e-6, 0.5
# Directions in which the objective bends less than this, relative to the others, are flat.
FLAT = 1e-12
# The standard deviation of what one class adds to another, in units of the prior.
OFF_DIAGONAL = 0.1
# Rows of a piece: what stays in the processor's cache.
PIECE = 1 << 13


class OneScale:
    """How odds depend on one factor for all logarithms: a temperature.

    Attributes
    ----------
    centre : numpy array
        The parameters that leave forecasts as they are.
    spread : numpy array
        The standard deviations of the prior, in units of `prior`.
    redundant : int
        How many directions change all odds of a row alike, and so no forecast.
    """

    redundant = 0
    centre = spread = np.ones(1)

    def odds(self, theta: Column, logs: Column) -> Column:
        """Return the log odds of each row, up to a constant."""
        result: Column = theta[0] * logs
        return result

    def slope(self, residuals: Column, logs: Column) -> Column:
        """Return the first derivatives, given those by the odds."""
        return np.array([np.vdot(residuals, logs)])

    def curvature(self, q: Column, weight: Column, logs: Column) -> Column:
        """Return the second derivatives."""
        mean = np.einsum("ij,ij->i", q, logs)
        # Centred first: a difference of squares would lose what is small.
        return np.array([[weight @ np.einsum("ij,ij->i", q, (logs - mean[:, None]) ** 2)]])


class ClassLines:
    """A line for each class: in its own logarithm, or in those of all classes; and a shift.

    Attributes
    ----------
    centre, spread, redundant
        As in `OneScale`; line after line, each with its shift.
    """

    def __init__(self, classes: int, *, is_own: bool) -> None:
        self.is_own = is_own
        # A factor and a shift for each class; or a factor for each pair of classes.
        centre = np.tile([1.0, 0.0], (classes, 1)) if is_own else np.eye(classes, classes + 1)
        spread = np.where(centre > 0, 1.0, OFF_DIAGONAL)
        spread[:, -1] = 1.0
        self.shape, self.redundant = centre.shape, 1 if is_own else classes + 1
        self.centre, self.spread = centre.ravel(), spread.ravel()

    def odds(self, theta: Column, logs: Column) -> Column:
        """Return the log odds of each row, up to a constant."""
        lines = theta.reshape(self.shape)
        turned = logs * lines[:, 0] if self.is_own else logs @ lines[:, :-1].T
        result: Column = turned + lines[:, -1]
        return result

    def slope(self, residuals: Column, logs: Column) -> Column:
        """Return the first derivatives, given those by the odds."""
        along = (residuals * logs).sum(axis=0) if self.is_own else residuals.T @ logs
        return np.column_stack([along, residuals.sum(axis=0)]).ravel()

    def curvature(self, q: Column, weight: Column, logs: Column) -> Column:
        """Return the second derivatives."""
        columns = logs[:, :, None] if self.is_own else logs[:, None, :]
        lines = np.concatenate([columns, np.ones((*columns.shape[:2], 1))], axis=2)
        parts = (q[:, :, None] * lines).reshape(len(q), -1)
        result: Column = -(parts * weight[:, None]).T @ parts
        size = self.shape[1]
        for k in range(q.shape[1]):
            own = slice(k * size, (k + 1) * size)
            line = lines[:, k if self.is_own else 0]
            result[own, own] += (parts[:, own] * weight[:, None]).T @ line
        return result


Form: TypeAlias = OneScale | ClassLines


class SoftmaxRows(NamedTuple):
    """Logarithms of forecasts, 0 where they are of 0; which are; what happened; weights."""

    logs: Column
    impossible: Column | None
    y: Column
    weight: Column

    @classmethod
    def of(cls, table: ClassTable) -> SoftmaxRows:
        """Take the rows whose outcome was possible; weights add up to the effective number."""
        used = table.t > 0
        y, p, weight, square = (x[used] for x in table[:4])
        weight = weight * (weight.sum() / square.sum())
        possible = p > 0
        impossible = None if possible.all() else ~possible
        logs = np.log(p if impossible is None else np.where(possible, p, 1.0))
        return cls(logs, impossible, y, weight)

    def pieces(self) -> list[SoftmaxRows]:
        """Cut into pieces of a few rows each."""
        pieces = [slice(k, k + PIECE) for k in range(0, len(self.y), PIECE)]
        return [SoftmaxRows(*(None if x is None else x[k] for x in self)) for k in pieces]  # type: ignore[arg-type]


class Problem:
    """What is to be minimised: minus the log-likelihood, and the prior."""

    def __init__(self, form: Form, rows: SoftmaxRows, prior: float | None) -> None:
        self.form, self.pieces = form, rows.pieces()
        self.precision = np.zeros(len(form.centre))
        if prior is not None:
            self.precision = (prior * form.spread) ** -2.0

    def sums(self, theta: Column, *, curvature: bool = True) -> tuple[float, Column, Any]:
        """Return the objective and its derivatives; of the second ones 0 if they are left out."""
        away = theta - self.form.centre
        value, slope = away @ (self.precision * away) / 2, self.precision * away
        bend: Any = np.diag(self.precision) if curvature else 0.0
        for rows in self.pieces:
            q, lost = _shares(self.form, theta, rows)
            value += float(rows.weight @ lost)
            bend = bend + self.form.curvature(q, rows.weight, rows.logs) if curvature else bend
            q[np.arange(len(q)), rows.y] -= 1
            q *= rows.weight[:, None]
            slope = slope + self.form.slope(q, rows.logs)
        return float(value), slope, bend

    def leap(self, step: Column) -> float:
        """Return by how much a step moves the log odds of a row at most."""
        moves = (self.form.odds(step, rows.logs) for rows in self.pieces)
        return max(float(np.ptp(x, axis=1).max()) for x in moves)


def _shares(form: Form, theta: Column, rows: SoftmaxRows) -> tuple[Column, Column]:
    """Return the forecasts of each row, and minus the logarithm of what happened."""
    odds = form.odds(theta, rows.logs)
    if rows.impossible is not None:
        odds[rows.impossible] = -np.inf
    odds -= odds.max(axis=1, keepdims=True)
    happened = odds[np.arange(len(odds)), rows.y]
    np.exp(odds, out=odds)
    total = odds.sum(axis=1)
    odds /= total[:, None]
    return odds, np.log(total) - happened


def fit_softmax(
    form: Form, table: ClassTable, prior: float | None, start: Column | None = None
) -> Column:
    """Return the best parameters; refuse where, without a prior, there are none or several.

    The search may begin at parameters that are near already; without a prior it does not, so that
    of several equivalent parameters the same are found.
    """
    problem = Problem(form, SoftmaxRows.of(table), prior)
    with one_blas_thread():
        if len(form.centre) <= MOST:
            if prior is None:
                return _descend(problem, form.centre, _directions(problem))
            return _descend(problem, form.centre if start is None else start)
        if prior is None:
            count = len(form.centre)
            message = f"without a prior there may be at most {MOST} parameters; got {count}"
            raise DataError(message, hint=NEAR_IDENTITY)
        return _follow(problem)


NEAR_IDENTITY = "prior=1.0 holds the map near the one that changes nothing."


def _directions(problem: Problem) -> Column:
    """Return the directions in which forecasts change; refuse if data leave some others open."""
    form = problem.form
    _, _, bend = problem.sums(form.centre)
    size = np.sqrt(np.diagonal(bend))
    # What is left of a column of equal numbers is rounding.
    total = sum(float(rows.weight.sum()) for rows in problem.pieces)
    size = np.where(size > FLAT * np.sqrt(total), size, 1.0)
    length, axes = np.linalg.eigh(bend / np.outer(size, size))
    steep = length > FLAT * max(length[-1], FLAT)
    if np.count_nonzero(steep) + form.redundant < len(length):
        message = "no single map fits best: there are too few rows, or they are too much alike"
        raise DataError(message, hint=NEAR_IDENTITY)
    # Of all parameters that make the same forecasts, steps at right angles lead to the nearest.
    spanned, _ = np.linalg.qr(bend @ (axes[:, steep] / size[:, None]))
    return spanned


def _descend(problem: Problem, theta: Column, directions: Column | None = None) -> Column:
    """Take Newton's steps, halved until they lead down."""
    turn = np.eye(len(theta)) if directions is None else directions
    for _ in range(STEPS):
        value, slope, bend = problem.sums(theta)
        slope, bend = turn.T @ slope, turn.T @ bend @ turn
        try:
            step = turn @ -np.linalg.solve(bend, slope)
        except np.linalg.LinAlgError:
            break
        gain = -float(step @ turn @ slope)
        if directions is not None and gain <= GAINLESS and problem.leap(step) > LEAP:
            break
        for _ in range(HALVINGS if gain > SMALL else 0):
            if problem.sums(theta + step, curvature=False)[0] < value:
                break
            step = step / 2
        theta = theta + step
        if gain <= NOTHING:
            return theta
    message = "no finite map fits best: some outcomes can be told for certain from the forecasts"
    raise DataError(message, hint=NEAR_IDENTITY)


def _follow(problem: Problem) -> Column:
    """Minimise by slopes alone, in units of the prior, in which all directions are about alike."""
    from scipy.optimize import minimize

    centre, unit = problem.form.centre, problem.precision**-0.5

    def objective(x: Column) -> tuple[float, Column]:
        value, slope, _ = problem.sums(centre + unit * x, curvature=False)
        return value, slope * unit

    options = {"gtol": 1e-8, "ftol": 0.0, "maxiter": 10_000, "maxfun": 20_000}
    start = np.zeros_like(centre)
    result = minimize(objective, start, method="L-BFGS-B", jac=True, options=options)
    best: Column = centre + unit * result.x
    return best
