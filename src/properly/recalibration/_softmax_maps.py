r"""Maps for classes that are lines in the logarithms of their probabilities.

All are :math:`q = \operatorname{softmax}(\eta)`. A class that is impossible stays so where columns
are scaled one by one; a map that mixes columns has no place for the logarithm of 0.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from properly._boundary._arrays import refuse
from properly._boundary._classes import is_table
from properly._boundary._labels import check_labels
from properly._boundary._libraries import namespace, read_only, to_library_of, to_numpy
from properly._boundary._options import as_number
from properly._boundary._text import many
from properly.counts._cases import Cases, has_classes, require_classes
from properly.counts._class_rows import rows_of
from properly.counts._prevalence_shift import ALMOST, HARDLY
from properly.errors import DataError
from properly.recalibration._map import Map, Monotone
from properly.recalibration._softmax import Form, MixedColumns, ScaledColumns, fit_softmax
from properly.recalibration._training import Training

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from properly.counts._class_rows import ClassTable
    from properly.typing import Array, ArrayLike, Column


def are_classes(source: object, p: object) -> bool:
    """Tell cases of several classes, or a table of forecasts, from those of one event."""
    return has_classes(source) or (p is not None and is_table(p))


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
            shapes = f"{first.shape} and {shift.shape}"
            message = (
                f"{' and '.join(self.parameters)} must be of equally many classes; got {shapes}"
            )
            raise DataError(message)
        labels = range(classes) if self.labels is None else self.labels
        object.__setattr__(self, "labels", check_labels(labels, classes))

    @abstractmethod
    def _form(self, classes: int) -> Form:
        """Return how the log odds depend on the parameters."""

    @abstractmethod
    def _vector(self) -> Column:
        """Return the parameters of a fitted map as the form has them."""

    @abstractmethod
    def _named(self, theta: Column, classes: int) -> dict[str, Any]:
        """Return the parameters by name."""

    def fit(self, source: Any, p: ArrayLike | None = None, /, **columns: Any) -> Self:
        """Learn the map from cases, or from outcomes and class probabilities.

        Parameters
        ----------
        source : Cases or array-like
            Cases of several classes; or outcomes.
        p : array-like of shape (n, K), optional
            Class probabilities, if outcomes come first.
        **columns
            What `properly.Cases` takes by name, such as weights and labels.
        """
        cases = as_class_cases(source, p, columns)
        table = rows_of(cases)
        self.inspect(table.p)
        start = self._vector() if self.is_fitted and self.labels == cases.labels else None
        theta, notes = fit_classes(table, self._form(len(table.names)), self.prior, start)
        notes += absent_notes(table, cases.labels or ())
        return self.learnt(
            notes,
            **self._named(theta, len(table.names)),
            labels=cases.labels,
            training=Training.of_classes(table),
        )


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


def absent_notes(table: ClassTable, labels: Sequence[Any]) -> list[str]:
    """Name the classes that never happened, whose part of the map is the prior's."""
    counts = np.bincount(table.y, minlength=len(labels))
    absent = [label for label, count in zip(labels, counts, strict=True) if not count]
    return [f"class {label!r} never happened: its part of the map is a guess" for label in absent]


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

    kind: ClassVar[str] = "vector"
    parameters: ClassVar[tuple[str, ...]] = ("scale", "shift")
    scale: Any = None
    shift: Any = None

    @property
    def monotone(self) -> Monotone:
        """Whether a larger forecast of a class stays larger: if no scale is negative."""
        least = min(self.scale, default=1.0) if self.is_fitted else 1.0
        return False if least < 0 else "strictly" if least > 0 else "weakly"

    def _form(self, classes: int) -> Form:
        return ScaledColumns(classes)

    def _vector(self) -> Column:
        return np.append(self.scale, self.shift)

    def _named(self, theta: Column, classes: int) -> dict[str, Any]:
        return {"scale": theta[:classes], "shift": theta[classes:]}

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
    off_diagonal : float
        The standard deviation off the diagonal, in units of `prior`.

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

    kind: ClassVar[str] = "dirichlet"
    parameters: ClassVar[tuple[str, ...]] = ("matrix", "shift")
    options: ClassVar[tuple[str, ...]] = (*SoftmaxMap.options, "off_diagonal")
    matrix: Any = None
    shift: Any = None
    off_diagonal: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        off = as_number(self.off_diagonal, "off_diagonal")
        if not 0 < off < float("inf"):
            message = f"off_diagonal must be positive and finite; got {self.off_diagonal!r}"
            raise DataError(message)
        object.__setattr__(self, "off_diagonal", off)

    def _form(self, classes: int) -> Form:
        return MixedColumns(classes, self.off_diagonal)

    def _vector(self) -> Column:
        return np.column_stack([self.matrix, self.shift]).ravel()

    def _named(self, theta: Column, classes: int) -> dict[str, Any]:
        lines = theta.reshape(classes, -1)
        return {"matrix": lines[:, :-1], "shift": lines[:, -1]}

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
