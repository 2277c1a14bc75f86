r"""Maps for classes that are lines in the logarithms of their probabilities; and temperature.

All are :math:`q = \operatorname{softmax}(\eta)`. A class that is impossible stays so where columns
are scaled one by one; a map that mixes columns has no place for the logarithm of 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from properly._boundary._arrays import refuse
from properly._boundary._classes import as_labels, check_labels, is_table
from properly._boundary._libraries import namespace, read_only, to_library_of, to_numpy
from properly._boundary._options import as_number
from properly._boundary._text import many
from properly.counts._cases import Cases, has_classes, require_classes
from properly.counts._class_rows import ClassTable, rows_of
from properly.counts._prevalence_shift import ALMOST, HARDLY
from properly.errors import DataError
from properly.recalibration._log_odds_maps import NO_ATOMS, LogOddsMap
from properly.recalibration._map import Map, Monotone
from properly.recalibration._softmax import ClassLines, Form, OneScale, fit_softmax
from properly.recalibration._training import Training, as_event_tally
from properly.typing import Array, Column

if TYPE_CHECKING:
    from properly.counts._tally import Tally


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
        start, labels = None, source.labels or ()
        if self.is_fitted and self.labels == source.labels:
            start = np.column_stack([getattr(self, name) for name in self.parameters]).ravel()
        form = ClassLines(count, is_own=self._is_own)
        theta, notes = fit_classes(table, form, self.prior, start)
        counts = np.bincount(table.y, minlength=len(labels))
        absent = [label for label, cases in zip(labels, counts, strict=True) if not cases]
        notes += [f"class {x!r} never happened: its part of the map is a guess" for x in absent]
        lines = theta.reshape(count, -1)
        first = lines[:, 0] if lines.shape[1] == 2 else lines[:, :-1]
        learnt = dict(zip(self.parameters, (first, lines[:, -1]), strict=True))
        training = Training.of_classes(table)
        return self.learnt(notes, **learnt, labels=source.labels, training=training)


def check_prior(prior: object) -> float | None:
    """Take the standard deviation of a prior, or None for no prior."""
    value = None if prior is None else as_number(prior, "prior")
    if value is not None and not 0 < value < float("inf"):
        message = f"prior must be a positive standard deviation, or None; got {prior!r}"
        raise DataError(message)
    return value


def fit_classes(
    table: ClassTable, form: Form, prior: float | None, start: Column | None = None
) -> tuple[Column, list[str]]:
    """Return the best parameters, and a note about rows that say nothing of them."""
    impossible = int(np.count_nonzero(table.t == 0))
    if impossible == len(table.y):
        message = "every row had called what happened impossible; no scale repairs that"
        raise DataError(message, hint="OneVsRest(Isotonic()) needs no logarithms.")
    theta = fit_softmax(form, table, prior, start)
    if not impossible:
        return theta, []
    what = "temperature" if len(theta) == 1 else "scale"
    rows = many(impossible, "row")
    return theta, [f"{rows} had called what happened impossible: no {what} repairs that"]


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
    """

    parameters: ClassVar[tuple[str, ...]] = ("slope",)
    options: ClassVar[tuple[str, ...]] = (*LogOddsMap.options, "labels", "prior")
    slope: float | None = None
    labels: Sequence[Any] | None = None
    prior: float | None = 1.0

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
        theta, notes = fit_classes(table, OneScale(), self.prior)
        if theta[0] < 0:
            notes.append(WRONG_CLASSES)
        return replace(self, range=None, atoms=NO_ATOMS).learnt(
            notes,
            slope=max(float(theta[0]), 0.0),
            labels=source.labels,
            training=Training.of_classes(table),
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
