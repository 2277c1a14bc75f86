"""The cumulative distribution of one forecast of ordered classes, beside what happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._arrays import as_array
from properly._boundary._classes import check_class_rows
from properly._boundary._labels import as_labels, check_labels, one_kind
from properly._boundary._libraries import to_numpy
from properly._boundary._record import Record
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.typing import ArrayLike, Column


@dataclass(frozen=True, eq=False, repr=False)
class CumulativeForecast(Record):
    """One forecast of ordered classes and what happened, both cumulated.

    Attributes
    ----------
    labels : tuple
        What the classes are called; their numbers if they have no names.
    outcome : int
        The number of the class that happened.
    p : array
        The probability of each class.

    Examples
    --------
    >>> import properly
    >>> case = properly.decisions.cumulative_forecast(1, [0.25, 0.25, 0.5])
    >>> case
    CumulativeForecast(class 1 of 0 to 2, RPS 0.1562)
    >>> case.cumulative, case.step
    (array([0.25, 0.5 , 1.  ]), array([0., 1., 1.]))
    """

    labels: tuple[Any, ...]
    outcome: int
    p: Column

    _derived = ("cumulative", "step", "squared", "absolute", "rps", "squared_absolute_rps")
    _series = ("p", "cumulative", "step")

    @property
    def cumulative(self) -> Column:
        """The probability of each class or a lower one."""
        return np.cumsum(self.p)

    @property
    def step(self) -> Column:
        """The same of what happened: 0 below the class, 1 from it on."""
        return (np.arange(len(self.p)) >= self.outcome).astype(np.float64)

    @property
    def absolute(self) -> Column:
        """How far the two are apart at each cut between classes."""
        return np.asarray(np.abs(self.cumulative - self.step)[:-1])

    @property
    def squared(self) -> Column:
        """Squares of these distances."""
        return np.asarray(self.absolute**2)

    @property
    def rps(self) -> float:
        """The ranked probability score: the mean of the squares."""
        return float(self.squared.mean())

    @property
    def squared_absolute_rps(self) -> float:
        """The square of the mean distance, between 0 and 1: a rule that is not proper."""
        return float(self.absolute.mean() ** 2)

    def __repr__(self) -> str:
        place = f"class {self.outcome} of 0 to {len(self.p) - 1}"
        return f"CumulativeForecast({place}, RPS {self.rps:.4g})"

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a class."""
        return {"label": one_kind(self.labels)} | super()._columns()


def cumulative_forecast(
    y: object, p: ArrayLike, labels: Sequence[object] | None = None
) -> CumulativeForecast:
    r"""Cumulate one forecast of ordered classes, and what happened, over the classes.

    With :math:`P_k = p_0 + \dots + p_k` and :math:`z_k = 1` if :math:`y \le k`, else 0,

    .. math:: \text{RPS} = \frac{1}{K - 1} \sum_{k=0}^{K-2} (P_k - z_k)^2, \qquad
        \text{sa-RPS} = \Bigl( \frac{1}{K - 1} \sum_{k=0}^{K-2} |P_k - z_k| \Bigr)^2 .

    Parameters
    ----------
    y : int or label
        The class that happened: its number, or its label if there are labels.
    p : array-like
        The probability of each class; they sum to 1.
    labels : sequence of labels, optional
        What the classes are called, in order.

    Returns
    -------
    CumulativeForecast
        For a picture, `properly.plots.cumulative_forecast`: RPS squares the height of the area
        between the two step functions, sa-RPS squares the area itself.

    Notes
    -----
    The last cut is left out: everything is at most the highest class. sa-RPS is divided by
    :math:`(K-1)^2`, so that it lies between 0 and 1, and not by :math:`K - 1` as printed [1]_. It
    is improper for three classes or more; see `properly.rules.SquaredAbsoluteRPS`.

    References
    ----------
    .. [1] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. Medical
       Image Computing and Computer Assisted Intervention. `arXiv:2309.08701
       <https://arxiv.org/abs/2309.08701>`__

    Examples
    --------
    >>> import properly
    >>> case = properly.decisions.cumulative_forecast("mild", [0.25, 0.75, 0], ["mild",
    ...     "moderate", "severe"])
    >>> case.squared, case.rps
    (array([0.5625, 0.    ]), 0.28125)
    """
    row = as_array(p, "class probabilities")
    if row.ndim != 1:
        message = f"one forecast is one row of probabilities; got an array of shape {row.shape}"
        raise DataError(message, hint="pick one case, as in P[0].")
    labels = None if labels is None else as_labels(labels)
    rows = check_class_rows([y], to_numpy(row)[None], labels=labels, ordered=True)
    chances = rows.p[0].astype(np.float64)
    count = len(chances)
    names = tuple(range(count)) if labels is None else check_labels(labels, count)
    return CumulativeForecast(names, int(rows.y[0]), chances)
