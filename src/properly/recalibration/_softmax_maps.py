r"""Maps for classes that are lines in the logarithms of their probabilities; and temperature.

All of them are :math:`q = \operatorname{softmax}(\eta)` with :math:`\eta` a line in L = ln P. The
objective is convex: the log score, plus the squared distance of the parameters from those that
leave forecasts as they are, in units of a standard deviation. That makes the optimum finite and
unique whatever the outcomes are. A class that is impossible stays so where columns are scaled one
by one; a map that mixes columns has no place for the logarithm of 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np

from properly._boundary._arrays import refuse
from properly._boundary._chunks import one_blas_thread
from properly._boundary._classes import as_labels, check_labels, is_table
from properly._boundary._libraries import namespace, read_only, to_library_of, to_numpy
from properly._boundary._options import as_number
from properly._boundary._text import many
from properly.counts._cases import Cases, has_classes, require_classes
from properly.counts._class_rows import ClassTable, rows_of
from properly.counts._prevalence_shift import ALMOST, HARDLY
from properly.counts._tally import Tally
from properly.errors import DataError
from properly.recalibration._log_odds_maps import NO_ATOMS, LogOddsMap
from properly.recalibration._map import Map, Monotone
from properly.recalibration._rule_fit import fit_by_rule, smooth_rule
from properly.recalibration._training import Training, as_event_tally
from properly.rules import Rule
from properly.rules._class_rule import require_class_rule
from properly.typing import Array, Column

# More parameters than this have a matrix of second derivatives that is too large to be worth it.
MOST = 500
STEPS, HALVINGS = 100, 40
# Once the next step gains less than this, it is taken whole; after the second it is the last if
# rounding lets steps gain no less, and after the third in any case.
SMALL, ROUNDED, NOTHING = 1e-9, 1e-16, 1e-24
# While each step gains at most this share of the one before, second derivatives are near enough.
LESS = 1 / 32
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
        """Return the log odds of each case, up to a constant; as the logs, one row per class."""
        result: Column = theta[0] * logs
        return result

    def slope(self, residuals: Column, logs: Column) -> Column:
        """Return the first derivatives, given those by the odds."""
        return np.array([np.vdot(residuals, logs)])

    def curvature(self, q: Column, weight: Column, logs: Column) -> Column:
        """Return the second derivatives."""
        mean = np.einsum("ij,ij->j", q, logs)
        # Centred first: a difference of squares would lose what is small.
        return np.array([[weight @ np.einsum("ij,ij->j", q, (logs - mean) ** 2)]])


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
        """Return the log odds of each case, up to a constant; as the logs, one row per class."""
        lines = theta.reshape(self.shape)
        turned = logs * lines[:, :1] if self.is_own else lines[:, :-1] @ logs
        result: Column = turned + lines[:, -1:]
        return result

    def slope(self, residuals: Column, logs: Column) -> Column:
        """Return the first derivatives, given those by the odds."""
        along = (residuals * logs).sum(axis=1) if self.is_own else residuals @ logs.T
        return np.column_stack([along, residuals.sum(axis=1)]).ravel()

    def curvature(self, q: Column, weight: Column, logs: Column) -> Column:
        """Return the second derivatives."""
        (classes, size), cases = self.shape, len(weight)
        lines = np.ones((classes if self.is_own else 1, size, cases))
        lines[:, :-1] = logs[:, None] if self.is_own else logs
        # A matrix times its own transpose takes half the products.
        parts = (q[:, None] * np.sqrt(weight) * lines).reshape(-1, cases)
        result: Column = -(parts @ parts.T)
        for k, line in enumerate(np.broadcast_to(lines, (classes, size, cases))):
            own = slice(k * size, (k + 1) * size)
            result[own, own] += (line * (q[k] * weight)) @ line.T
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
        """Cut into pieces of a few cases each, and lay these out with one row per class."""
        pieces = [slice(k, k + PIECE) for k in range(0, len(self.y), PIECE)]
        return [
            SoftmaxRows(*(None if x is None else np.ascontiguousarray(x[k].T) for x in self))  # type: ignore[arg-type]
            for k in pieces
        ]


class Optimum(NamedTuple):
    """The best parameters, and the second derivatives near them for cases of total weight 1."""

    theta: Column
    bend: Column | None = None


class Problem:
    """What is to be minimised: minus the log-likelihood, and the prior."""

    def __init__(self, form: Form, rows: SoftmaxRows, prior: float | None) -> None:
        self.form, self.pieces, self.weight = form, rows.pieces(), float(rows.weight.sum())
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
            q[rows.y, np.arange(len(rows.y))] -= 1
            q *= rows.weight
            slope = slope + self.form.slope(q, rows.logs)
        return float(value), slope, bend

    def leap(self, step: Column) -> float:
        """Return by how much a step moves the log odds of a row at most."""
        moves = (self.form.odds(step, rows.logs) for rows in self.pieces)
        return max(float(np.ptp(x, axis=0).max()) for x in moves)


def _shares(form: Form, theta: Column, rows: SoftmaxRows) -> tuple[Column, Column]:
    """Return the forecasts of each case, and minus the logarithm of what happened."""
    odds = form.odds(theta, rows.logs)
    if rows.impossible is not None:
        odds[rows.impossible] = -np.inf
    odds -= odds.max(axis=0)
    happened = odds[rows.y, np.arange(len(rows.y))]
    np.exp(odds, out=odds)
    total = odds.sum(axis=0)
    odds /= total
    return odds, np.log(total) - happened


def fit_softmax(
    form: Form, table: ClassTable, prior: float | None, start: Optimum | None = None
) -> Optimum:
    """Return the best parameters; refuse where, without a prior, there are none or several.

    The search may begin at parameters that are near already; without a prior it does not, so that
    of several equivalent parameters the same are found.
    """
    problem = Problem(form, SoftmaxRows.of(table), prior)
    with one_blas_thread():
        if len(form.centre) <= MOST:
            if prior is None:
                return _descend(problem, Optimum(form.centre), _directions(problem))
            return _descend(problem, start or Optimum(form.centre))
        if prior is None:
            count = len(form.centre)
            message = f"without a prior there may be at most {MOST} parameters; got {count}"
            raise DataError(message, hint=NEAR_IDENTITY)
        return Optimum(_follow(problem))


NEAR_IDENTITY = "prior=1.0 holds the map near the one that changes nothing."


def _directions(problem: Problem) -> Column:
    """Return the directions in which forecasts change; refuse if data leave some others open."""
    form = problem.form
    _, _, bend = problem.sums(form.centre)
    size = np.sqrt(np.diagonal(bend))
    # What is left of a column of equal numbers is rounding.
    size = np.where(size > FLAT * np.sqrt(problem.weight), size, 1.0)
    length, axes = np.linalg.eigh(bend / np.outer(size, size))
    steep = length > FLAT * max(length[-1], FLAT)
    if np.count_nonzero(steep) + form.redundant < len(length):
        message = "no single map fits best: there are too few rows, or they are too much alike"
        raise DataError(message, hint=NEAR_IDENTITY)
    # Of all parameters that make the same forecasts, steps at right angles lead to the nearest.
    spanned, _ = np.linalg.qr(bend @ (axes[:, steep] / size[:, None]))
    return spanned


def _descend(problem: Problem, start: Optimum, directions: Column | None = None) -> Optimum:
    """Take Newton's steps, halved until they lead down.

    Second derivatives are kept as long as steps with them gain less and less, and so are those
    that the search begins with.
    """
    (theta, known), before, prior = start, np.inf, np.diag(problem.precision)
    turn = np.eye(len(theta)) if directions is None else directions
    value, slope, bend = problem.sums(theta, curvature=known is None)
    bend = bend if known is None else prior + problem.weight * known
    for _ in range(STEPS):
        try:
            step = turn @ -np.linalg.solve(turn.T @ bend @ turn, turn.T @ slope)
        except np.linalg.LinAlgError:
            break
        gain = -float(step @ slope)
        if gain <= NOTHING or LESS * before < gain <= ROUNDED:
            return Optimum(theta + step, (bend - prior) / problem.weight)
        if not gain <= LESS * before:
            (value, slope, bend), before = problem.sums(theta), np.inf
            continue
        if directions is not None and gain <= GAINLESS and problem.leap(step) > LEAP:
            break
        for _ in range(HALVINGS):
            after = problem.sums(theta + step, curvature=False)
            if gain <= SMALL or after[0] < value:
                break
            step = step / 2
        theta, before = theta + step, gain
        value, slope, _ = after
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


def as_class_cases(source: Any, p: Any, columns: dict[str, Any]) -> Cases:
    """Take cases of classes, or outcomes and class probabilities."""
    return require_classes(source if p is None else Cases(source, p, **columns))


def through_softmax(p: Array, line: Callable[[Array], Array]) -> Array:
    """Follow a line in the logarithms, and bring rows back to 1; what is impossible stays so."""
    xp = namespace(p)
    possible = p > 0
    odds = line(xp.log(xp.where(possible, p, xp.ones_like(p))))
    odds = xp.where(possible, odds, xp.full_like(p, -float("inf")))
    power = xp.exp(odds - xp.max(odds, axis=1, keepdims=True))
    q = power / xp.sum(power, axis=1, keepdims=True)
    # What is uncertain stays so, however far the line carries it.
    several = xp.sum(xp.astype(possible, xp.int64), axis=1, keepdims=True) > 1
    return xp.where(possible & several, xp.clip(q, HARDLY, ALMOST), q)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassMap(Map):
    """A map from the probabilities of classes to better ones.

    Attributes
    ----------
    labels : tuple or None
        The classes, in the order of the columns.
    """

    needs_rows: ClassVar[bool] = True
    _source = staticmethod(as_class_cases)
    labels: Sequence[Any] | None = None

    @property
    def of(self) -> str:
        """What it is for: "classes"."""
        return "classes"

    @property
    def monotone(self) -> Monotone:
        """Whether a larger forecast of a class stays larger: no promise."""
        return False

    def __repr__(self) -> str:
        if not self.is_fitted or self.labels is None:
            return super().__repr__()
        return f"{type(self).__name__}({len(self.labels)} classes)"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SoftmaxMap(ClassMap):
    """A map for classes that is a line in the logarithms of their probabilities."""

    prior: float | None = 1.0
    options: ClassVar[tuple[str, ...]] = ("labels", "prior")

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", check_prior(self.prior))
        if not self.is_fitted:
            return
        for name in self.parameters:
            value = np.array(getattr(self, name), dtype=np.float64)
            if not np.isfinite(value).all():
                message = f"{name} must be finite; got {value.tolist()!r}"
                raise DataError(message)
            object.__setattr__(self, name, read_only(value))
        first, shift = (getattr(self, name) for name in self.parameters)
        classes = shift.shape[0] if shift.ndim == 1 else 0
        if classes < 2 or first.shape != (classes,) * first.ndim:
            shapes, names = f"{first.shape} and {shift.shape}", " and ".join(self.parameters)
            message = f"{names} must be of equally many classes; got {shapes}"
            raise DataError(message)
        labels = range(classes) if self.labels is None else self.labels
        object.__setattr__(self, "labels", check_labels(labels, classes))

    # Whether the log odds of a class depend on its own probability alone.
    _is_own: ClassVar[bool]

    def _fit(self, source: Any) -> Self:
        table = rows_of(source)
        count = len(table.names)
        self.inspect(table.p)
        labels, form = source.labels or (), ClassLines(count, is_own=self._is_own)
        start = vars(self).get("_best") if self.labels == source.labels else None
        best, notes = fit_classes(table, form, self.prior, start)
        counts = np.bincount(table.y, minlength=len(labels))
        absent = [label for label, cases in zip(labels, counts, strict=True) if not cases]
        notes += [f"class {x!r} never happened: its part of the map is a guess" for x in absent]
        lines = best.theta.reshape(count, -1)
        first = lines[:, 0] if lines.shape[1] == 2 else lines[:, :-1]
        learnt = dict(zip(self.parameters, (first, lines[:, -1]), strict=True))
        training = Training.of_classes(source)
        result = self.learnt(notes, **learnt, labels=source.labels, training=training)
        vars(result)["_best"] = best
        return result

    def __getstate__(self) -> dict[str, Any]:
        """Copy the fields alone, without what is known for the next fit."""
        return {name: getattr(self, name) for name in type(self).__dataclass_fields__}


def check_prior(prior: object) -> float | None:
    """Take the standard deviation of a prior, or None for no prior."""
    value = None if prior is None else as_number(prior, "prior")
    if value is not None and not 0 < value < float("inf"):
        message = f"prior must be a positive standard deviation, or None; got {prior!r}"
        raise DataError(message)
    return value


def fit_classes(
    table: ClassTable, form: Form, prior: float | None, start: Optimum | None = None
) -> tuple[Optimum, list[str]]:
    """Return the best parameters, and a note about rows that say nothing of them."""
    impossible = int(np.count_nonzero(table.t == 0))
    if impossible == len(table.y):
        message = "every row had called what happened impossible; no scale repairs that"
        raise DataError(message, hint="OneVsRest(Isotonic()) needs no logarithms.")
    best = fit_softmax(form, table, prior, start)
    if not impossible:
        return best, []
    what = "temperature" if len(best.theta) == 1 else "scale"
    rows = many(impossible, "row")
    return best, [f"{rows} had called what happened impossible: no {what} repairs that"]


@dataclass(frozen=True, eq=False, repr=False)
class Vector(SoftmaxMap):
    r"""A scale and a shift of the logarithm for each class.

    .. math:: q = \operatorname{softmax}(d_k \ln p_k + c_k)

    The parameters are drawn towards d = 1 and c = 0, which change nothing [1]_. A class that is
    impossible stays so.

    Parameters
    ----------
    scale, shift : array-like, optional
        One number a class, if they are known already.
    prior : float or None
        The standard deviation of the parameters around those that change nothing. None: maximum
        likelihood, with shifts that add up to 0; refused where no single finite map fits best.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017). On calibration of modern neural
       networks. Proceedings of Machine Learning Research 70:1321-1330.
       `arXiv:1706.04599 <https://arxiv.org/abs/1706.04599>`__

    Examples
    --------
    >>> from properly.recalibration import Vector
    >>> Vector([1, 1, 1], [0, 0, 0.7]).at([[0.5, 0.3, 0.2]]).round(4)
    array([[0.4157, 0.2494, 0.3349]])
    """

    parameters: ClassVar[tuple[str, ...]] = ("scale", "shift")
    scale: Any = None
    shift: Any = None
    _is_own: ClassVar[bool] = True

    @property
    def monotone(self) -> Monotone:
        """Whether a larger forecast of a class stays larger: if no scale is negative."""
        least = min(self.scale, default=1.0) if self.is_fitted else 1.0
        return False if least < 0 else "strictly" if least > 0 else "weakly"

    def mapped(self, p: Array) -> Array:
        scale, shift = to_library_of(self.scale, p), to_library_of(self.shift, p)
        return through_softmax(p, lambda logs: logs * scale + shift)


@dataclass(frozen=True, eq=False, repr=False)
class Dirichlet(SoftmaxMap):
    r"""Dirichlet calibration: :math:`q = \operatorname{softmax}(A \ln p + c)`.

    Forecasts that are Dirichlet distributed given the class are calibrated by such a map [1]_. The
    parameters are drawn towards A = I and c = 0, which change nothing, and those off the diagonal
    more firmly. It mixes columns, so forecasts of exactly 0 are refused.

    Parameters
    ----------
    matrix : array-like of shape (K, K), optional
        The matrix A, if it is known already.
    shift : array-like, optional
        The shift c, likewise.
    prior : float or None
        The standard deviation of the parameters around those that change nothing. None: maximum
        likelihood, of all equivalent parameters those nearest to these; refused where no single
        finite map fits best.

    References
    ----------
    .. [1] M. Kull, M. Perello Nieto, M. Kängsepp, T. Silva Filho, H. Song, P. Flach (2019). Beyond
       temperature scaling: obtaining well-calibrated multi-class probabilities with Dirichlet
       calibration. Advances in Neural Information Processing Systems 32.
       `arXiv:1910.12656 <https://arxiv.org/abs/1910.12656>`__

    Examples
    --------
    >>> import numpy as np
    >>> from properly.recalibration import Dirichlet
    >>> Dirichlet(np.eye(3), [0, 0, 0.7]).at([[0.5, 0.3, 0.2]]).round(4)
    array([[0.4157, 0.2494, 0.3349]])
    """

    parameters: ClassVar[tuple[str, ...]] = ("matrix", "shift")
    matrix: Any = None
    shift: Any = None
    _is_own: ClassVar[bool] = False

    def inspect(self, p: Array) -> None:
        if bool(namespace(p).any(p == 0)):
            hint = "OneVsRest(Isotonic()) needs no logarithms."
            refuse(p, p == 0, "Dirichlet needs probabilities above 0", hint)

    def on_cases(self, cases: Cases) -> Array:
        self.inspect(to_numpy(cases.p))
        return super().on_cases(cases)

    def mapped(self, p: Array) -> Array:
        xp = namespace(p)
        turn, shift = (to_library_of(x, p) for x in (self.matrix.T, self.shift))
        return through_softmax(p, lambda logs: xp.matmul(logs, turn) + shift)


WRONG_CLASSES = (
    "forecasts favour the wrong classes: no temperature is better than equal probabilities"
)


@dataclass(frozen=True, eq=False, repr=False)
class Temperature(LogOddsMap):
    r"""A scale of the log odds, of an event or of classes.

    .. math:: \operatorname{logit} q = b \operatorname{logit} p

    The slope b is one over the temperature, and never negative. Of an event it makes all forecasts
    less extreme, or more; so it does of classes, whose logarithms are scaled alike [1]_. An
    impossible class stays impossible.

    Parameters
    ----------
    slope : float, optional
        The slope, if it is known already.
    labels : sequence, optional
        The classes, in the order of the columns; None for an event. `fit` fills it in.
    prior : float or None
        Of classes, the standard deviation of the slope around 1. None: maximum likelihood.
    smooth : bool
        Of an event, draw outcomes a little towards the other side, as Platt does, so that few
        events do not make the map too sure. Without it, the fit is by maximum likelihood.
    certain : {"learn", "keep", "refuse"}
        What to do with forecasts of exactly 0 and 1: give them the rate with which they came true,
        leave them, or refuse them. Of classes they are left, or refused.
    rule : Rule, optional
        The rule whose mean loss the fit minimises, from the fit by likelihood on; proper, and
        without jumps. Left out, the fit is by likelihood, as it is with `Log`.

    Notes
    -----
    Fits by likelihood and by another rule differ where a temperature is not the whole truth: the
    log score listens most to forecasts near 0 and 1, the Brier score and `RPS` to the others.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017). On calibration of modern neural
       networks. Proceedings of Machine Learning Research 70:1321-1330.
       `arXiv:1706.04599 <https://arxiv.org/abs/1706.04599>`__

    Examples
    --------
    >>> from properly.recalibration import Temperature
    >>> Temperature(0.5).at([0.2, 0.5, 0.8]).round(4)
    array([0.3333, 0.5   , 0.6667])
    >>> Temperature(0.5, labels=list("abc")).at([[0.64, 0.32, 0.04]]).round(4)
    array([[0.511 , 0.3613, 0.1277]])

    Fitted by likelihood, and by the ranked probability score of grades:

    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> rows = crash.severity_known
    >>> cases = properly.Cases(crash.severity[rows], crash.severity_probabilities[rows])
    >>> by_rule = Temperature(rule=properly.rules.RPS())
    >>> round(Temperature().fit(cases).slope, 3), round(by_rule.fit(cases).slope, 3)
    (0.982, 0.988)
    """

    parameters: ClassVar[tuple[str, ...]] = ("slope",)
    options: ClassVar[tuple[str, ...]] = (*LogOddsMap.options, "labels", "prior")
    slope: float | None = None
    labels: Sequence[Any] | None = None
    prior: float | None = 1.0
    rule: Rule | str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "prior", check_prior(self.prior))
        if self.labels is not None:
            object.__setattr__(self, "labels", as_labels(self.labels))

    @property
    def of(self) -> str:
        """What it is for: an "event", or "classes"."""
        return "event" if self.labels is None else "classes"

    @staticmethod
    def _source(source: Any, p: Any, columns: dict[str, Any]) -> Tally | Cases:
        several = has_classes(source) or (p is not None and is_table(p))
        return (as_class_cases if several else as_event_tally)(source, p, columns)

    def _fit(self, source: Any) -> Self:
        if not has_classes(source):
            return super(Temperature, replace(self, labels=None))._fit(source)
        table = rows_of(source)
        replace(self, labels=source.labels).inspect(table.p)
        is_near = self.is_fitted and self.labels == source.labels
        start = Optimum(np.array([self.slope])) if is_near else None
        (theta, _), notes = fit_classes(table, OneScale(), self.prior, start)
        if rule := smooth_rule(self.rule, require_class_rule):
            logs, impossible, y, weight = SoftmaxRows.of(table)
            to = {"offset": 0.0 if impossible is None else np.where(impossible, -np.inf, 0.0)}
            theta = fit_by_rule(
                rule, logs[None], [(weight, y)], theta, [0.0], prior=self.prior, **to
            )
        if theta[0] <= 0:
            notes.append(WRONG_CLASSES)
        return replace(self, range=None, atoms=NO_ATOMS).learnt(
            notes,
            slope=max(float(theta[0]), 0.0),
            labels=source.labels,
            training=Training.of_classes(source),
        )

    def mapped(self, p: Array) -> Array:
        if self.labels is None:
            return super().mapped(p)
        slope = self.coefficients.a
        if slope == 0:
            # Nothing is left of the forecasts, certain ones included.
            return namespace(p).full_like(p, 1 / p.shape[1])
        return through_softmax(p, lambda logs: slope * logs)

    def inspect(self, p: Array) -> None:
        # Of classes a 0 stays 0 as it should, which there is nothing to say about.
        if self.labels is None or self.certain == "refuse":
            super().inspect(p)
