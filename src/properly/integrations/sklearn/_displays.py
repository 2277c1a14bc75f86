"""Displays of scikit-learn: curves of estimators, predictions and folds, with their records."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import properly
from properly._boundary._record import Backend, Record, plain
from properly._boundary._text import many
from properly.calibration._decomposition import Decomposition, decompose
from properly.calibration._reliability import Reliability
from properly.decisions._murphy import MurphyCurve
from properly.decisions._net_benefit import DecisionCurve
from properly.decisions._roc import RocCurve
from properly.integrations.sklearn import _rows
from properly.integrations.sklearn._rows import Gathered, GivenRows
from properly.plots import _diagrams, _threshold_curves
from properly.plots._axes import CURVE, PALETTE, Picture
from properly.plots._names import legible
from properly.plots._threshold_scale import draw_names
from properly.rules import Brier
from properly.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


# How the curve of one fold looks, and how much thicker the pooled one is than a curve alone.
FAINT = {"alpha": 0.4, "linewidth": 0.8, "zorder": 2.2}
STRONGER = 1.4
FOLD, POOLED = "fold", "pooled"
# The mark of what is drawn for a curve that is alone: numbers, bars, and a band.
ALONE = "of a curve alone"
# Marks by which plots know the areas that they fill.
FILLED = ("band",)


def next_color(ax: Axes | None) -> str:
    """Return the first colour of the palette that no display has used here."""
    used = set() if ax is None else {str(line.get_color()) for line in Picture(ax).curves}
    free = [color for color in PALETTE if color not in used]
    return free[0] if free else PALETTE[len(used) % len(PALETTE)]


def make_room(ax: Axes | None) -> bool:
    """Take away what belongs to a curve that is no longer alone; tell whether there is none yet."""
    if ax is None or not Picture(ax).curves:
        return True
    for artist in extras_of(ax):
        if artist.get_gid() == ALONE:
            artist.remove()
    return False


def extras_of(ax: Axes | None) -> set[Artist]:
    """Return what is drawn besides lines: texts, bars and ribbons."""
    if ax is None:
        return set()
    ribbons = [artist for artist in ax.collections if artist.get_gid() in (*FILLED, ALONE)]
    return {*ax.texts, *ax.patches, *ribbons}


def tell_apart(line: Line2D, folds: list[Line2D], name: str) -> None:
    """Name the pooled curve as such, and one of the others for all of them."""
    shown = legible(name)
    number = "" if str(line.get_label()).startswith("_child") else str(line.get_label())
    said = [shown, POOLED, number.removeprefix(shown).removeprefix(", ")]
    line.set(
        label=", ".join(word for word in said if word), linewidth=STRONGER * line.get_linewidth()
    )
    # By this mark the legend finds it.
    folds[0].set(gid=CURVE, label=f"each of {many(len(folds), 'fold')}")


CurveRecord = TypeVar("CurveRecord", bound="Record")

# Options that say how far off a curve may be; the curves of folds have no bands.
OF_BANDS = frozenset({"band", "method", "level", "replicates", "rng"})


@dataclass(eq=False, repr=False, kw_only=True)
class CurveDisplay(ABC, Generic[CurveRecord]):
    """A curve of an estimator, of predictions, or of all folds of a cross-validation.

    Subclasses have the record of the curve as their first field, and say how it is measured, how it
    is drawn, and which options say what to compute; all others say how to draw.
    """

    folds: tuple[CurveRecord, ...] = ()
    name: str | None = None
    pos_label: Any = None

    _measure: ClassVar[Callable[..., Any]]
    _picture: ClassVar[Callable[..., Axes]]
    # How the curve of a fold is drawn.
    _of_folds: ClassVar[dict[str, Any]] = {}

    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)
    line_: Line2D = field(init=False)
    fold_lines_: list[Line2D] = field(init=False)
    _own_figure: bool = field(init=False, default=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
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
            Sampling weights, whole or not; only their ratios matter.
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
        result = _rows.cases_of_estimator(estimator, X, y, sample_weight, pos_label)
        return cls._measured(result, options).plot(**options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
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
        cases = GivenRows(y_true, y_proba, sample_weight, None, pos_label).cases()
        result = Gathered(cases, (), pos_label, None)
        return cls._measured(result, options).plot(**options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
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
        result = _rows.cases_of_folds(cv_results, X, y, sample_weight, pos_label)
        return cls._measured(result, options).plot(**options)

    @classmethod
    def _measured(cls, record: Gathered, options: dict[str, Any]) -> Self:
        """Measure the curves; what says how is taken from the options, and the rest draws."""
        own = {x: options.pop(x) for x in signature(cls._measure).parameters if x in options}
        plainly = {key: value for key, value in own.items() if key not in OF_BANDS}
        name = options.pop("name", None)
        details: dict[str, Any] = {
            "folds": tuple(cls._measure(fold, **plainly) for fold in record.folds),
            "name": record.name if name is None else name,
            "pos_label": record.event,
        }
        return cls(cls._measure(record.cases, **own), **details)  # type: ignore[call-arg]

    @property
    def record(self) -> CurveRecord:
        """The record that is drawn: that of all cases."""
        own = next(x.name for x in fields(self) if x.init and not x.kw_only)
        record: CurveRecord = getattr(self, own)
        return record

    def _draw(self, record: Any, ax: Axes | None, **drawing: Any) -> Axes:
        """Draw a record, or one with its name."""
        return self._picture(record, ax, **drawing)

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
        self.line_ = Picture(ax).curves[-1]
        self.fold_lines_ = [self._draw_fold(ax, fold, color) for fold in self.folds]
        if self.folds:
            tell_apart(self.line_, self.fold_lines_, label or "")
            self._fit_folds(ax, own=own)
        self.line_.set(**looks)
        if any(not str(line.get_label()).startswith("_") for line in Picture(ax).curves):
            self._draw_legend(ax, own=own)
        return self

    def _draw_fold(self, ax: Axes, fold: CurveRecord, color: str) -> Line2D:
        """Draw the curve of a fold, so faint that many of them do not hide the pooled one."""
        before = {*ax.lines, *ax.collections}
        self._draw(fold, ax, color=color, **self._of_folds)
        line = Picture(ax).curves[-1]
        for artist in {*ax.lines, *ax.collections} - before:
            artist.set(**FAINT)
        line.set(gid=FOLD, label="_fold")
        return line

    def _fit_folds(self, ax: Axes, *, own: bool) -> None:
        """Make room for folds that reach farther than all of them pooled."""

    def to_dict(self) -> dict[str, Any]:
        """Return the records as JSON can hold them, that of all cases and those of the folds."""
        details: dict[str, Any] = plain({"name": self.name, "pos_label": self.pos_label})
        folds = [fold.to_dict() for fold in self.folds]
        return details | {POOLED: self.record.to_dict(), "folds": folds}

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


BRIER = Brier()


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(CurveDisplay[Reliability]):
    """A reliability diagram without bins to choose, as a display of scikit-learn.

    Parameters
    ----------
    reliability : Reliability
        What happened after each forecast, from `properly.reliability`.
    decomposition : Decomposition, optional
        The score and its three parts, which are printed in the picture.
    folds : tuple of Reliability
        Those of the folds of a cross-validation.
    name : str, optional
        Name of the model.
    pos_label : label, optional
        The event.

    Attributes
    ----------
    ax_, figure_, line_ : matplotlib Axes, Figure and Line2D
        What was drawn, and where.
    fold_lines_ : list of Line2D
        The curves of the folds.

    Notes
    -----
    Options of the makers are those of `properly.reliability`, such as ``band="consistency"``,
    ``level`` and ``rng``; a ``rule`` whose score is split, `Brier` unless said otherwise and None
    for no numbers; and those of `properly.plots.reliability`, ``histogram`` and ``limits``.
    Numbers, band and histogram are drawn for a curve that is alone.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from properly.integrations.sklearn import ReliabilityDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> display = ReliabilityDisplay.from_estimator(GaussianNB().fit(X, y), X, y)
    >>> display  # doctest: +ELLIPSIS
    ReliabilityDisplay(Reliability(43... distinct forecasts in 11 bins))
    >>> display.figure_.savefig("reliability.png")  # doctest: +SKIP
    """

    reliability: Reliability
    decomposition: Decomposition | None = field(default=None, kw_only=True)

    _measure = staticmethod(partial(properly.reliability, reduction=None))
    _picture = staticmethod(_diagrams.reliability)

    @classmethod
    def _measured(cls, record: Gathered, options: dict[str, Any]) -> Self:
        rule = options.pop("rule", BRIER)
        display = super()._measured(record, options)
        display.decomposition = None if rule is None else decompose(record.cases, rule)
        return display

    def _draw(self, record: Any, ax: Axes | None, **drawing: Any) -> Axes:
        alone = ax is None or not Picture(ax).curves
        numbers = self.decomposition if alone else None
        return super()._draw(record, ax, decomposition=numbers, **drawing)

    def _draw_legend(self, ax: Axes, *, own: bool) -> None:  # noqa: ARG002
        if ax.texts:
            # There are numbers in the upper corner, and bars in the lower one.
            Picture(ax).name_curves("lower right", bbox_to_anchor=(1, 1.1 * _diagrams.TALLEST))
        else:
            Picture(ax).name_curves(Picture(ax).emptier_corner())

    def to_dict(self) -> dict[str, Any]:
        """Return the records as JSON can hold them, and the parts of the score."""
        parts = None if self.decomposition is None else self.decomposition.to_dict()
        return super().to_dict() | {"decomposition": parts}


@dataclass(eq=False, repr=False)
class MurphyDisplay(CurveDisplay[MurphyCurve]):
    """A Murphy diagram, the score at every threshold, as a display of scikit-learn.

    Parameters
    ----------
    murphy_curve : MurphyCurve
        The mean elementary score by threshold, from `properly.murphy_curve`.
    folds : tuple of MurphyCurve
        Those of the folds of a cross-validation.
    name : str, optional
        Name of the model.
    pos_label : label, optional
        The event.

    Attributes
    ----------
    ax_, figure_, line_ : matplotlib Axes, Figure and Line2D
        What was drawn, and where.
    fold_lines_ : list of Line2D
        The curves of the folds.

    Notes
    -----
    Options of the makers are those of `properly.murphy_curve`, such as ``part`` and
    ``band="confidence"``, and the ``limits`` of `properly.plots.murphy`.

    Examples
    --------
    >>> from properly.integrations.sklearn import MurphyDisplay
    >>> MurphyDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    MurphyDisplay(MurphyCurve(score at 6 thresholds, area 0.2175))
    """

    murphy_curve: MurphyCurve

    _measure = staticmethod(properly.murphy_curve)
    _picture = staticmethod(_threshold_curves.murphy)

    def _draw_legend(self, ax: Axes, *, own: bool) -> None:
        if own:
            Picture(ax).name_curves("upper left", bbox_to_anchor=(1, 1))
            return
        Picture(ax).name_curves("upper right")
        # Murphy curves fill their picture: paper behind the names keeps them legible.
        legend: Any = ax.get_legend()
        legend.set_frame_on(True)
        legend.get_frame().set(facecolor="white", edgecolor="none", alpha=0.7)


@dataclass(eq=False, repr=False)
class DecisionDisplay(CurveDisplay[DecisionCurve]):
    """A decision curve, net benefit at every threshold, as a display of scikit-learn.

    Parameters
    ----------
    decision_curve : DecisionCurve
        Net benefit by threshold, from `properly.decision_curve`.
    folds : tuple of DecisionCurve
        Those of the folds of a cross-validation.
    name : str, optional
        Name of the model.
    pos_label : label, optional
        The event.

    Attributes
    ----------
    ax_, figure_, line_ : matplotlib Axes, Figure and Line2D
        What was drawn, and where.
    fold_lines_ : list of Line2D
        The curves of the folds.

    Notes
    -----
    Options of the makers are those of `properly.decision_curve`, such as ``harm`` and
    ``band="confidence"``, with exact curves unless ``thresholds`` are given; and those of
    `properly.plots.decision`: ``within``, ``axis``, ``baselines`` and ``limits``.

    Examples
    --------
    >>> from properly.integrations.sklearn import DecisionDisplay
    >>> display = DecisionDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> display
    DecisionDisplay(DecisionCurve(exact, at 5 thresholds))
    >>> float(display.decision_curve.at(0.5))
    0.0
    """

    decision_curve: DecisionCurve

    _measure = staticmethod(partial(properly.decision_curve, thresholds="every"))
    _picture = staticmethod(_threshold_curves.decision)

    _of_folds: ClassVar[dict[str, Any]] = {"baselines": False}

    def _fit_folds(self, ax: Axes, *, own: bool) -> None:
        highest = 1.1 * max(fold.event_rate for fold in self.folds)
        if own:
            ax.set_ylim(top=max(highest, ax.get_ylim()[1]))

    def _draw_legend(self, ax: Axes, *, own: bool) -> None:
        late = ax.xaxis.get_gid() in ("log-odds", "logarithmic")
        draw_names(Picture(ax, own=own), corner="lower left" if late else "upper right")


@dataclass(eq=False, repr=False)
class RocDisplay(CurveDisplay[RocCurve]):
    """A ROC curve, raw or of recalibrated forecasts, as a display of scikit-learn.

    Parameters
    ----------
    roc_curve : RocCurve
        From `properly.roc_curve`.
    folds : tuple of RocCurve
        Those of the folds of a cross-validation.
    name : str, optional
        Name of the model.
    pos_label : label, optional
        The event.

    Attributes
    ----------
    ax_, figure_, line_ : matplotlib Axes, Figure and Line2D
        What was drawn, and where.
    fold_lines_ : list of Line2D
        The curves of the folds.

    Notes
    -----
    Options of the makers are those of `properly.roc_curve`: ``hull``, ``band="confidence"`` and
    ``level``. The area of pooled forecasts compares those of different folds with one another, so
    it may differ from the mean of the areas of the folds.

    Examples
    --------
    >>> from properly.integrations.sklearn import RocDisplay
    >>> RocDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    RocDisplay(RocCurve(AUC 0.75))
    """

    roc_curve: RocCurve

    _measure = staticmethod(properly.roc_curve)
    _picture = staticmethod(_diagrams.roc)

    def _draw_legend(self, ax: Axes, *, own: bool) -> None:  # noqa: ARG002
        Picture(ax).name_curves("lower right")
