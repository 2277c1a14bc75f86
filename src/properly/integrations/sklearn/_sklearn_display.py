"""What all displays share: where their cases come from, and how folds are drawn."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from properly._boundary._plain import plain
from properly.counts._cases import Cases
from properly.integrations.sklearn._rows import rows_of_event
from properly.integrations.sklearn._sklearn_drawing import (
    ALONE,
    FAINT,
    FOLD,
    POOLED,
    extras_of,
    make_room,
    next_color,
    tell_apart,
)
from properly.integrations.sklearn._sklearn_folds import (
    Gathered,
    cases_of_estimator,
    cases_of_folds,
)
from properly.plots._axes import curves

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from properly._boundary._frames import Backend
    from properly.typing import ArrayLike


class Measured(Protocol):
    """A record that can be told in other words."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return it as a frame."""


Record = TypeVar("Record", bound=Measured)

# Options that say how far off a curve may be; the curves of folds have no bands.
OF_BANDS = frozenset({"band", "method", "level", "replicates", "rng"})


class CurveDisplay(ABC, Generic[Record]):
    """A curve of an estimator, of predictions, or of all folds of a cross-validation.

    Subclasses say how the curve is measured and how it is drawn.
    """

    measured: ClassVar[frozenset[str]]
    """Names of the options that say what to compute; all others say how to draw."""

    name: str | None
    pos_label: Any
    folds: tuple[Record, ...]
    ax_: Axes
    figure_: Figure
    line_: Line2D
    fold_lines_: list[Line2D]
    _own_figure: bool

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            A fitted one, with ``predict_proba`` and two classes.
        X : array-like
            The rows to forecast.
        y : array-like of shape (n,)
            What happened.
        sample_weight : array-like of shape (n,), optional
            Weights; whole numbers are counts.
        pos_label : label, optional
            The event; the last of the two classes if left out.
        name : str, optional
            Name in the legend; that of the class of the estimator if left out.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        curve_kwargs : dict, optional
            Properties of the line, such as ``{"color": "black"}``.
        **options
            What to compute and how to draw; see the class.

        Returns
        -------
        display
            It holds the record, and what was drawn.
        """
        found = cases_of_estimator(estimator, X, y, sample_weight, pos_label)
        return cls._of(found, options, name, ax, curve_kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            What happened.
        y_proba : array-like of shape (n,) or (n, 2)
            Probabilities of the event, or of both labels in sorted order.
        pos_label : label, optional
            The event. Left out: of two columns the last; of one column 1, if outcomes are 0 and 1
            or -1 and 1.
        name : str, optional
            Name in the legend; none if left out.
        sample_weight, ax, curve_kwargs, **options
            As in `from_estimator`.

        Returns
        -------
        display
            It holds the record, and what was drawn.
        """
        rows = rows_of_event(y_true, y_proba, sample_weight, pos_label=pos_label)
        cases = Cases(rows.y, rows.p, weight=rows.weight)
        return cls._of(Gathered(cases, (), pos_label, None), options, name, ax, curve_kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Draw one curve a fold, and that of all forecasts outside of the training, pooled.

        Every row is forecast by the estimators that were not trained on it. The curve of the
        model is that of all these forecasts at once; curves are not averaged, since the mean of
        curves is a curve of no forecasts. Those of single folds show how much it varies.

        Parameters
        ----------
        cv_results : dict
            From ``cross_validate(…, return_estimator=True, return_indices=True)``.
        X : array-like
            The rows that were cross-validated; those in no test fold are left out.
        y : array-like of shape (n,)
            What happened.
        sample_weight, pos_label, name, ax, curve_kwargs, **options
            As in `from_estimator`. A band is that of the pooled forecasts. If folds are repeated,
            the forecasts of one row are taken as a cluster.

        Returns
        -------
        display
            It holds the records, and what was drawn.
        """
        found = cases_of_folds(cv_results, X, y, sample_weight, pos_label)
        return cls._of(found, options, name, ax, curve_kwargs)

    @classmethod
    def _of(
        cls,
        found: Gathered,
        options: Mapping[str, Any],
        name: str | None,
        ax: Axes | None,
        curve_kwargs: Mapping[str, Any] | None,
    ) -> Self:
        """Measure the curves, then draw them."""
        asked = {key: value for key, value in options.items() if key in cls.measured}
        drawing = {key: value for key, value in options.items() if key not in cls.measured}
        display = cls._measure_all(found, asked, found.name if name is None else name)
        return display.plot(ax, curve_kwargs=curve_kwargs, **drawing)

    @classmethod
    def _measure_all(cls, found: Gathered, asked: Mapping[str, Any], name: str | None) -> Self:
        plainly = {key: value for key, value in asked.items() if key not in OF_BANDS}
        known: dict[str, Any] = {
            "folds": tuple(cls._measure(fold, **plainly) for fold in found.folds),
            "name": name,
            "pos_label": found.event,
        }
        return cls(cls._measure(found.cases, **asked), **known)  # type: ignore[call-arg]

    @classmethod
    @abstractmethod
    def _measure(cls, cases: Cases, **asked: Any) -> Record:
        """Return the record of a curve."""

    @property
    @abstractmethod
    def record(self) -> Record:
        """The record that is drawn: that of all cases."""

    @abstractmethod
    def _draw(self, record: Any, ax: Axes | None, **drawing: Any) -> Axes:
        """Draw a record, or one with its name."""

    @abstractmethod
    def _draw_legend(self, ax: Axes, *, own: bool) -> None:
        """Name the curves, where there is room for names."""

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **drawing: Any,
    ) -> Self:
        """Draw the curve, and those of the folds if there are any.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out, which is not pyplot's.
        name : str, optional
            Name in the legend; that of the display if left out.
        curve_kwargs : dict, optional
            Properties of the line.
        **drawing
            How to draw; see the class.

        Returns
        -------
        display
            Itself, with `ax_`, `figure_`, `line_` and `fold_lines_`.
        """
        own, label = ax is None, self.name if name is None else name
        looks = dict(curve_kwargs or {})
        color = looks.pop("color", None) or looks.pop("c", None) or next_color(ax)
        alone, before = make_room(ax), extras_of(ax)
        given = {label: self.record} if label else self.record
        ax = self._draw(given, ax, color=color, **drawing)
        for artist in extras_of(ax) - before if alone else ():
            artist.set_gid(ALONE)
        self.ax_, self.figure_, self._own_figure = ax, ax.figure, own  # type: ignore[assignment]
        self.line_ = curves(ax)[-1]
        self.fold_lines_ = [self._draw_fold(ax, fold, color) for fold in self.folds]
        if self.folds:
            tell_apart(self.line_, self.fold_lines_, label or "")
            self._fit_folds(ax, own=own)
        self.line_.set(**looks)
        if any(not str(line.get_label()).startswith("_") for line in curves(ax)):
            self._draw_legend(ax, own=own)
        return self

    def _draw_fold(self, ax: Axes, fold: Record, color: str) -> Line2D:
        """Draw the curve of a fold, so faint that many of them do not hide the pooled one."""
        before = {*ax.lines, *ax.collections}
        self._draw(fold, ax, color=color, **self._of_folds())
        line = curves(ax)[-1]
        for artist in {*ax.lines, *ax.collections} - before:
            artist.set(**FAINT)
        line.set(gid=FOLD, label="_fold")
        return line

    def _of_folds(self) -> dict[str, Any]:
        """Return how the curve of a fold is drawn."""
        return {}

    def _fit_folds(self, ax: Axes, *, own: bool) -> None:
        """Make room for folds that reach farther than all of them pooled."""

    def to_dict(self) -> dict[str, Any]:
        """Return the records as JSON can hold them, that of all cases and those of the folds."""
        known: dict[str, Any] = plain({"name": self.name, "pos_label": self.pos_label})
        folds = [fold.to_dict() for fold in self.folds]
        return known | {POOLED: self.record.to_dict(), "folds": folds}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the curve as a polars, pandas or pyarrow frame.

        If there are folds, a first column says whose the row is: the number of a fold, or pooled.
        """
        import narwhals.stable.v2 as nw

        records: dict[str, Any] = {POOLED: self.record}
        records |= {str(k): fold for k, fold in enumerate(self.folds)}
        if not self.folds:
            return records[POOLED].to_frame(backend)
        frames = [
            nw.from_native(record.to_frame(backend)).select(nw.lit(whose).alias(FOLD), nw.all())
            for whose, record in records.items()
        ]
        return nw.concat(frames).to_native()

    def __repr__(self) -> str:
        folds = f", pooled over {len(self.folds)} folds" if self.folds else ""
        return f"{type(self).__name__}({self.record!r}{folds})"

    def _repr_png_(self) -> bytes | None:
        """Show a figure of our own in a notebook; one of pyplot is shown by itself."""
        if not getattr(self, "_own_figure", False):
            return None
        picture = io.BytesIO()
        self.figure_.savefig(picture, format="png", dpi=150)
        return picture.getvalue()
