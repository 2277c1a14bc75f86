"""Temperature: one scale for all log odds, of an event or of classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from properly._boundary._labels import as_labels
from properly._boundary._libraries import namespace
from properly._boundary._notices import notice
from properly.counts._class_rows import rows_of
from properly.recalibration._log_odds_maps import (
    GUESS,
    NO_ATOMS,
    REVERSED,
    LogOddsMap,
    fit_line,
    is_separated,
    scale_columns,
)
from properly.recalibration._softmax import OneScale
from properly.recalibration._softmax_maps import (
    are_classes,
    as_class_cases,
    check_prior,
    fit_classes,
    through_softmax,
)
from properly.recalibration._training import Sample, Training

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.counts._cases import Cases
    from properly.recalibration._map import Map
    from properly.typing import Array, ArrayLike

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

    kind: ClassVar[str] = "temperature"
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

    def fit(self, source: Any, p: ArrayLike | None = None, /, **columns: Any) -> Self:
        """Learn the map from a tally, from cases, or from outcomes and forecasts.

        Parameters
        ----------
        source : Tally, Cases or array-like
            What happened at each forecast; or outcomes.
        p : array-like of shape (n,) or (n, K), optional
            Forecasts of an event or of classes, if outcomes come first.
        **columns
            What `properly.Cases` takes by name, such as weights.
        """
        if are_classes(source, p):
            return self._fit_classes(as_class_cases(source, p, columns))
        if self.labels is not None:
            return replace(self, labels=None).fit(source, p, **columns)
        return super().fit(source, p, **columns)

    def _fit_classes(self, cases: Cases) -> Self:
        table = rows_of(cases)
        replace(self, labels=cases.labels).inspect(table.p)
        theta, notes = fit_classes(table, OneScale(), self.prior)
        if theta[0] < 0:
            notes.append(WRONG_CLASSES)
        for text in notes:
            notice(text)
        return replace(
            self,
            slope=max(float(theta[0]), 0.0),
            labels=cases.labels,
            range=None,
            training=Training.of_classes(table),
            atoms=NO_ATOMS,
            gain=None,
            notices=tuple(notes),
        )

    def _estimate(self, sample: Sample) -> tuple[dict[str, Any], list[str]]:
        fitted = fit_line(sample, scale_columns, sample.log_odds, smooth=self.smooth)
        slope, separated = float(fitted.coefficients[0]), is_separated(sample)
        notes = ([GUESS] if separated else []) + ([REVERSED] if slope < 0 else [])
        return {"slope": max(slope, 0.0), "separated": separated}, notes

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

    def _joined(self, first: Map) -> Map | None:
        return super()._joined(first) if self.labels is None else None
