"""Displays: curves of estimators, drawn, with the records that they are drawn from."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from properly.calibration._decomposition import Decomposition, decompose
from properly.calibration._reliability import Reliability, reliability
from properly.decisions._curve import decision_curve
from properly.decisions._curves import murphy_curve
from properly.decisions._murphy import MurphyCurve
from properly.decisions._net_benefit import DecisionCurve
from properly.decisions._roc import RocCurve, roc_curve
from properly.integrations.sklearn._sklearn_display import CurveDisplay
from properly.plots import _decision, _murphy, _reliability, _roc
from properly.plots._axes import curves, draw_legend, emptier_corner
from properly.plots._range import draw_names
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from matplotlib.axes import Axes

    from properly.counts._cases import Cases
    from properly.integrations.sklearn._sklearn_folds import Gathered

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
    >>> display
    ReliabilityDisplay(Reliability(439 distinct forecasts in 11 bins))
    >>> display.figure_.savefig("reliability.png")  # doctest: +SKIP
    """

    reliability: Reliability
    _: KW_ONLY
    decomposition: Decomposition | None = None
    folds: tuple[Reliability, ...] = ()
    name: str | None = None
    pos_label: Any = None

    measured: ClassVar[frozenset[str]] = frozenset(
        {"band", "method", "level", "replicates", "rng", "forecasts", "rule"}
    )

    @classmethod
    def _measure_all(cls, found: Gathered, asked: Mapping[str, Any], name: str | None) -> Self:
        asked = dict(asked)
        rule = asked.pop("rule", BRIER)
        display = super()._measure_all(found, asked, name)
        display.decomposition = None if rule is None else decompose(found.cases, rule)
        return display

    @classmethod
    def _measure(cls, cases: Cases, **asked: Any) -> Reliability:
        return reliability(cases, **asked)

    @property
    def record(self) -> Reliability:
        """The record that is drawn: that of all cases."""
        return self.reliability

    def _draw(self, record: Any, ax: Axes | None, **drawing: Any) -> Axes:
        alone = ax is None or not curves(ax)
        numbers = self.decomposition if alone else None
        return _reliability.reliability(record, ax, decomposition=numbers, **drawing)

    def _draw_legend(self, ax: Axes, *, own: bool) -> None:  # noqa: ARG002
        if ax.texts:
            # There are numbers in the upper corner, and bars in the lower one.
            draw_legend(ax, "lower right", bbox_to_anchor=(1, 1.1 * _reliability.TALLEST))
        else:
            draw_legend(ax, emptier_corner(ax))

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
    _: KW_ONLY
    folds: tuple[MurphyCurve, ...] = ()
    name: str | None = None
    pos_label: Any = None

    measured: ClassVar[frozenset[str]] = frozenset({"part", "band", "level", "replicates", "rng"})

    @classmethod
    def _measure(cls, cases: Cases, **asked: Any) -> MurphyCurve:
        return murphy_curve(cases, **asked)

    @property
    def record(self) -> MurphyCurve:
        """The record that is drawn: that of all cases."""
        return self.murphy_curve

    def _draw(self, record: Any, ax: Axes | None, **drawing: Any) -> Axes:
        return _murphy.murphy(record, ax, **drawing)

    def _draw_legend(self, ax: Axes, *, own: bool) -> None:
        if own:
            draw_legend(ax, "upper left", bbox_to_anchor=(1, 1))
            return
        draw_legend(ax, "upper right")
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
    _: KW_ONLY
    folds: tuple[DecisionCurve, ...] = ()
    name: str | None = None
    pos_label: Any = None

    measured: ClassVar[frozenset[str]] = frozenset(
        {"thresholds", "harm", "tolerance", "band", "level"}
    )

    @classmethod
    def _measure(cls, cases: Cases, **asked: Any) -> DecisionCurve:
        return decision_curve(cases, asked.pop("thresholds", "every"), **asked)

    @property
    def record(self) -> DecisionCurve:
        """The record that is drawn: that of all cases."""
        return self.decision_curve

    def _draw(self, record: Any, ax: Axes | None, **drawing: Any) -> Axes:
        return _decision.decision(record, ax, **drawing)

    def _of_folds(self) -> dict[str, Any]:
        return {"baselines": False}

    def _fit_folds(self, ax: Axes, *, own: bool) -> None:
        highest = 1.1 * max(fold.event_rate for fold in self.folds)
        if own:
            ax.set_ylim(top=max(highest, ax.get_ylim()[1]))

    def _draw_legend(self, ax: Axes, *, own: bool) -> None:
        late = ax.xaxis.get_gid() in ("log-odds", "logarithmic")
        draw_names(ax, own=own, corner="lower left" if late else "upper right")


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
    _: KW_ONLY
    folds: tuple[RocCurve, ...] = ()
    name: str | None = None
    pos_label: Any = None

    measured: ClassVar[frozenset[str]] = frozenset({"hull", "band", "level"})

    @classmethod
    def _measure(cls, cases: Cases, **asked: Any) -> RocCurve:
        return roc_curve(cases, **asked)

    @property
    def record(self) -> RocCurve:
        """The record that is drawn: that of all cases."""
        return self.roc_curve

    def _draw(self, record: Any, ax: Axes | None, **drawing: Any) -> Axes:
        return _roc.roc(record, ax, **drawing)

    def _draw_legend(self, ax: Axes, *, own: bool) -> None:  # noqa: ARG002
        draw_legend(ax, "lower right")
