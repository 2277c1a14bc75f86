"""What an evaluation without rows says of itself: what is left out, and what was grouped."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context
from typing import TYPE_CHECKING

from properly._boundary._text import listed, many

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from properly.calibration._grouping_error import GroupingError
    from properly.engines._summary import Summary

THRESHOLDS = (
    "models are not compared at single thresholds: that takes the forecasts of both for each row, "
    "which a summary does not keep"
)
CLUSTERS = (
    "bands, calibration tests, and intervals of miscalibration, discrimination and AUC are left "
    "out: a summary does not tell how forecasts and outcomes of a cluster go together"
)
GROUPS = "groups are left out: a summary does not tell which clusters have cases in several of them"
WEIGHTS = (
    "calibration is not tested, and miscalibration and discrimination have no intervals: rows of "
    "unequal weight are drawn one by one, and a summary does not keep them"
)
CLASS_ROWS = (
    "there are no retention curves and no worst cases: they take all probabilities of each row, "
    "which a summary does not keep"
)
CLASS_TESTS = (
    "calibration is not tested: that draws classes from all probabilities of each row, which a "
    "summary does not keep"
)
CLASS_COSTS = (
    "decisions are those for the likeliest class; what decisions of least expected cost come to "
    "takes all probabilities of each row"
)
CLASS_BANDS = "reliability has no bands: a summary does not tell how cases of a cluster go together"
CLASS_GROUPS = "groups are left out: a summary of classes does not tell how skewed their losses are"


def left_out(summary: Summary, *, draws: bool) -> Iterator[str]:
    """Say what takes rows to be found, one sentence each."""
    if len(summary.models) > 1:
        yield THRESHOLDS
    if summary.sums.clustered:
        yield CLUSTERS
        if summary.groups:
            yield GROUPS
    elif draws and summary.is_weighted:
        yield WEIGHTS


def about_class_cells(cells: Mapping[str, int], parts: float) -> str:
    """Say in one sentence what grouping the forecasts of classes can have changed."""
    return (
        f"forecasts of {listed(list(cells))} were grouped into {min(cells.values()):,} cells: "
        "scores are exact, miscalibration and discrimination are known to within "
        f"{_rounded_up(parts)}"
    )


def about_classes(summary: Summary, *, ordered: bool, draws: bool) -> Iterator[str]:
    """Say what takes the rows of classes to be found, one sentence each."""
    if summary.sums.clustered and draws:
        yield CLASS_BANDS
    if summary.groups:
        yield CLASS_GROUPS
    yield CLASS_ROWS
    if draws:
        yield CLASS_TESTS
    if ordered:
        yield CLASS_COSTS


def about_grouping(errors: Mapping[str, GroupingError]) -> Iterator[str]:
    """Say in one sentence what grouping can have changed, of all models together."""
    if errors:
        bounds = errors.values()
        cells = min(x.cells or 1 for x in bounds)
        parts = max(
            _width(x) for error in bounds for x in (error.miscalibration, error.discrimination)
        )
        yield (
            f"forecasts of {listed(errors)} were grouped into {many(cells, 'cell')}: scores "
            "are exact, miscalibration and discrimination are known to within "
            f"{_rounded_up(parts)}, AUC to within {_rounded_up(max(x.auc for x in bounds))}"
        )


def _width(ends: tuple[float, float]) -> float:
    """Return the length of an interval; infinity is known exactly."""
    return 0.0 if ends[0] == ends[1] else ends[1] - ends[0]


def _rounded_up(x: float) -> str:
    """Write a number with two digits, rounded up."""
    return f"{float(Context(prec=2, rounding=ROUND_CEILING).create_decimal(x)):g}"
