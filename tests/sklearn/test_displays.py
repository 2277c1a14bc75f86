"""Displays of scikit-learn: records of ours, drawn by our plots, alone or fold by fold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib._pylab_helpers import Gcf
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedKFold, TimeSeriesSplit, cross_validate
from sklearn.naive_bayes import GaussianNB

import properly
from properly.integrations.sklearn import (
    DecisionDisplay,
    MurphyDisplay,
    ReliabilityDisplay,
    RocDisplay,
)
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

DISPLAYS: list[Any] = [ReliabilityDisplay, MurphyDisplay, DecisionDisplay, RocDisplay]
RECORD = {
    ReliabilityDisplay: "reliability",
    MurphyDisplay: "murphy_curve",
    DecisionDisplay: "decision_curve",
    RocDisplay: "roc_curve",
}
BANDS: dict[Any, dict[str, Any]] = {
    ReliabilityDisplay: {"band": "consistency", "replicates": 20, "rng": 0},
    MurphyDisplay: {"band": "confidence"},
    DecisionDisplay: {"band": "confidence"},
    RocDisplay: {"band": "confidence"},
}
every = pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: display.__name__)


def measure(display: Any, tally: Any) -> Any:
    """Return the record that a display should hold."""
    if display is DecisionDisplay:
        return properly.decision_curve(tally, "every")
    return getattr(properly, RECORD[display])(tally)


def problem(n: int = 120) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) + y[:, None], y


def validated(X: Any, y: Any, cv: Any = None, model: Any = None) -> dict[str, Any]:
    found: dict[str, Any] = cross_validate(
        GaussianNB() if model is None else model,
        X,
        y,
        cv=KFold(3) if cv is None else cv,
        return_estimator=True,
        return_indices=True,
    )
    return found


def legend_of(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def assert_same(found: Any, expected: Any) -> None:
    pd.testing.assert_frame_equal(found.to_frame("pandas"), expected.to_frame("pandas"))


@every
def test_the_record_of_an_estimator_is_that_of_its_probabilities(display: Any) -> None:
    X, y = problem()
    words = np.where(y == 1, "yes", "no")
    model, w = GaussianNB().fit(X, words), np.arange(len(y)) % 3
    p = model.predict_proba(X)
    found = display.from_estimator(model, X, words, sample_weight=w)
    expected = measure(display, properly.tally(y, p[:, 1], weight=w))
    assert_same(getattr(found, RECORD[display]), expected)
    assert (found.name, found.pos_label, found.folds) == ("GaussianNB", "yes", ())
    turned = display.from_estimator(model, X, words, pos_label="no")
    assert_same(turned.record, measure(display, properly.tally(1 - y, p[:, 0])))
    assert turned.pos_label == "no"


@every
def test_predictions_are_one_column_or_two(display: Any) -> None:
    X, y = problem()
    p = GaussianNB().fit(X, y).predict_proba(X)
    expected = measure(display, properly.tally(y, p[:, 1]))
    assert_same(display.from_predictions(y, p[:, 1]).record, expected)
    assert_same(display.from_predictions(y, p).record, expected)
    signs = np.where(y == 1, 1, -1)
    assert_same(display.from_predictions(signs, p[:, 1]).record, expected)
    words = np.where(y == 1, "a", "b")
    assert_same(display.from_predictions(words, p[:, 1], pos_label="a").record, expected)


@every
def test_a_display_draws_the_line_of_its_record_on_its_own_axes(display: Any) -> None:
    X, y = problem()
    p = GaussianNB().fit(X, y).predict_proba(X)[:, 1]
    found = display.from_predictions(y, p, name="bayes", curve_kwargs={"color": "#123456", "lw": 3})
    assert found.line_ in found.ax_.get_lines()
    assert found.figure_ is found.ax_.figure
    assert (found.line_.get_color(), found.line_.get_linewidth()) == ("#123456", 3)
    assert any("bayes" in text for text in legend_of(found.ax_))
    again = found.plot(name="other")
    assert again is found
    assert any("other" in text for text in legend_of(found.ax_))
    if display is not DecisionDisplay:
        drawn = getattr(properly.plots, RECORD[display].removesuffix("_curve"))(found.record)
        line = next(line for line in drawn.get_lines() if line.get_gid() == "curve")
        np.testing.assert_array_equal(found.line_.get_xydata(), line.get_xydata())


@every
def test_drawing_enters_no_global_list_and_changes_no_style(display: Any) -> None:
    before, figures = dict(mpl.rcParams), list(Gcf.figs)
    X, y = problem()
    ax = Figure().add_subplot()
    model = GaussianNB().fit(X, y)
    assert display.from_estimator(model, X, y, ax=ax).ax_ is ax
    assert display.from_estimator(model, X, y).ax_ is not ax
    assert dict(mpl.rcParams) == before
    assert list(Gcf.figs) == figures


@every
def test_folds_have_a_curve_each_and_their_forecasts_are_pooled_once(display: Any) -> None:
    X, y = problem()
    w = 1 + np.arange(len(y)) % 2
    results = validated(X, y)
    found = display.from_cv_results(results, X, y, sample_weight=w)
    p = np.full(len(y), np.nan)
    for k, (model, test) in enumerate(
        zip(results["estimator"], results["indices"]["test"], strict=True)
    ):
        p[test] = model.predict_proba(X[test])[:, 1]
        expected = measure(display, properly.tally(y[test], p[test], weight=w[test]))
        assert_same(found.folds[k], expected)
    assert_same(found.record, measure(display, properly.tally(y, p, weight=w)))
    assert len(found.fold_lines_) == 3
    assert all(line in found.ax_.get_lines() for line in found.fold_lines_)
    assert {line.get_color() for line in found.fold_lines_} == {found.line_.get_color()}
    assert max(line.get_linewidth() for line in found.fold_lines_) < found.line_.get_linewidth()
    first, second = legend_of(found.ax_)[:2]
    assert first.startswith("GaussianNB, pooled")
    assert second == "each of 3 folds"


@every
def test_folds_without_a_name_are_told_apart_too(display: Any) -> None:
    X, y = problem()
    found = display.from_cv_results(validated(X, y), X, y, name="")
    assert legend_of(found.ax_)[0].split(",")[0] == "pooled"


def test_frames_and_lists_are_split_as_arrays_are() -> None:
    X, y = problem()
    expected = RocDisplay.from_cv_results(validated(X, y), X, y)
    frame = pd.DataFrame(X, columns=["one", "two"], index=np.arange(len(y))[::-1])
    for rows in (frame, pl.DataFrame(X, schema=["one", "two"]), X.tolist()):
        series = pd.Series(y, index=frame.index)
        found = RocDisplay.from_cv_results(validated(rows, y), rows, series)
        assert_same(found.record, expected.record)


@every
def test_curves_are_told_as_frames_and_as_plain_values(display: Any) -> None:
    X, y = problem()
    one = display.from_predictions(y, GaussianNB().fit(X, y).predict_proba(X))
    assert_same(one, one.record)
    found = display.from_cv_results(validated(X, y), X, y)
    frame = found.to_frame("polars")
    assert frame.columns == ["fold", *one.to_frame("polars").columns]
    assert frame["fold"].unique(maintain_order=True).to_list() == ["pooled", "0", "1", "2"]
    records = [found.record, *found.folds]
    assert len(frame) == sum(len(record.to_frame("polars")) for record in records)
    told = found.to_dict()
    assert json.loads(json.dumps(told)) == told
    assert told["pooled"] == found.record.to_dict()
    assert [told["name"], told["pos_label"], len(told["folds"])] == ["GaussianNB", 1, 3]


@every
def test_bands_are_those_of_all_cases(display: Any) -> None:
    X, y = problem()
    found = display.from_cv_results(validated(X, y), X, y, **BANDS[display])
    alone = display.from_cv_results(validated(X, y), X, y)
    assert found.record.band is not None
    assert alone.record.band is None
    assert all(fold.band is None for fold in found.folds)


def test_forecasts_of_one_row_in_several_folds_are_a_cluster() -> None:
    X, y = problem(60)
    repeated = validated(X, y, RepeatedKFold(n_splits=3, n_repeats=4, random_state=0))
    known: dict[str, Any] = {"band": "confidence"}
    found = MurphyDisplay.from_cv_results(repeated, X, y, **known)
    assert found.murphy_curve.band is not None
    assert found.murphy_curve.band.method == "clusters"
    once = MurphyDisplay.from_cv_results(validated(X, y), X, y, **known)
    assert once.murphy_curve.band is not None
    assert once.murphy_curve.band.method != "clusters"


def test_rows_that_no_fold_tests_are_left_out() -> None:
    X, y = problem(60)
    found = RocDisplay.from_cv_results(validated(X, y, TimeSeriesSplit(3)), X, y)
    assert len(found.roc_curve.threshold) == 45 + 1


@every
def test_the_second_display_on_an_axes_has_the_next_colour(display: Any) -> None:
    X, y = problem()
    first = display.from_cv_results(validated(X, y), X, y, **BANDS[display])
    first.ax_.text(0.5, 0.5, "mine")
    second = display.from_cv_results(
        validated(X, y, model=LogisticRegression()), X, y, ax=first.ax_
    )
    assert second.line_.get_color() != first.line_.get_color()
    names = [text.partition(",")[0] for text in legend_of(first.ax_)[:4]]
    assert names == ["GaussianNB", "each of 3 folds", "LogisticRegression", "each of 3 folds"]
    # What only a curve that is alone has, would now belong to one of two; the rest stays.
    left = [*first.ax_.texts, *first.ax_.patches]
    assert [text.get_text() for text in left if hasattr(text, "get_text")] == ["mine"]
    assert len(left) == 1


def test_colours_repeat_after_seven() -> None:
    X, y = problem(40)
    p = GaussianNB().fit(X, y).predict_proba(X)
    ax = Figure().add_subplot()
    lines = [RocDisplay.from_predictions(y, p, name=str(k), ax=ax).line_ for k in range(8)]
    assert len({line.get_color() for line in lines[:7]}) == 7
    assert lines[7].get_color() == lines[0].get_color()
    assert lines[7].get_linestyle() != lines[0].get_linestyle()


def test_a_reliability_diagram_prints_the_parts_of_the_rule_that_is_asked_for() -> None:
    X, y = problem()
    model = GaussianNB().fit(X, y)
    t = properly.tally(y, model.predict_proba(X)[:, 1])
    for rule in (Brier(), Log()):
        found = ReliabilityDisplay.from_estimator(model, X, y, rule=rule)
        assert found.decomposition == properly.decompose(t, rule)
        assert "MCB" in found.ax_.texts[0].get_text()
        assert found.to_dict()["decomposition"] == found.decomposition.to_dict()
    bare = ReliabilityDisplay.from_estimator(model, X, y, rule=None, histogram=False)
    assert bare.decomposition is None
    assert bare.to_dict()["decomposition"] is None
    assert not bare.ax_.texts
    assert not bare.ax_.patches


def test_options_of_the_curve_and_of_the_picture_go_where_they_belong() -> None:
    X, y = problem()
    p = GaussianNB().fit(X, y).predict_proba(X)
    hull = RocDisplay.from_predictions(y, p, hull=True)
    assert hull.roc_curve.hull
    assert legend_of(hull.ax_)[0].startswith("hull area")
    part = MurphyDisplay.from_predictions(y, p, part="miscalibration", limits=(0.1, 0.5))
    assert part.murphy_curve.part == "miscalibration"
    assert part.ax_.get_xlim() == (0.1, 0.5)
    grid = np.array([0.1, 0.2, 0.3])
    chosen = DecisionDisplay.from_predictions(y, p, thresholds=grid, harm=0.01, baselines=False)
    np.testing.assert_array_equal(chosen.decision_curve.threshold, grid)
    assert chosen.decision_curve.harm == 0.01
    assert legend_of(chosen.ax_) == []
    odds = DecisionDisplay.from_predictions(y, p, axis="log-odds", within=(0.1, 0.4), name="bayes")
    assert legend_of(odds.ax_)[0].startswith("bayes  .")
    assert odds.ax_.get_xlabel() == "threshold (log-odds scale)"
    with pytest.raises(TypeError, match="colour"):
        RocDisplay.from_predictions(y, p, colour="red")


def test_a_fold_of_many_events_is_not_cut_off() -> None:
    X, y = problem()
    order = np.argsort(y[:60], kind="stable")
    X[:60], y[:60] = X[:60][order], y[:60][order]
    found = DecisionDisplay.from_cv_results(validated(X, y, KFold(4)), X, y)
    rates = [fold.event_rate for fold in found.folds]
    assert max(rates) > 1.2 * found.decision_curve.event_rate
    assert found.ax_.get_ylim()[1] > max(rates)


def test_a_notebook_shows_a_figure_of_ours_and_no_other() -> None:
    X, y = problem(30)
    found = MurphyDisplay.from_predictions(y, GaussianNB().fit(X, y).predict_proba(X))
    picture = found._repr_png_()
    assert picture is not None
    assert picture.startswith(b"\x89PNG")
    assert found.plot(Figure().add_subplot())._repr_png_() is None
    assert MurphyDisplay(found.record)._repr_png_() is None


@every
def test_a_display_prints_its_record(display: Any) -> None:
    X, y = problem(30)
    found = display.from_cv_results(validated(X, y), X, y)
    kind = display.__name__
    assert repr(found) == f"{kind}({found.record!r}, pooled over 3 folds)"
    assert repr(display(found.record)) == f"{kind}({found.record!r})"


def test_sparse_rows_of_any_kind_are_taken() -> None:
    X, y = problem(30)
    results = validated(X, y, model=LogisticRegression())
    dense = RocDisplay.from_cv_results(results, X, y)
    for kind in (sparse.csr_array, sparse.coo_array):
        found = RocDisplay.from_cv_results(results, kind(X), y)
        # Products of sparse rows are summed in another order than those of dense ones.
        table = dense.roc_curve.to_frame("pandas")
        pd.testing.assert_frame_equal(found.roc_curve.to_frame("pandas"), table, rtol=1e-12)
