"""Rows about averages on the probability scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.harness import Row
from benchmarks.samples import make_tallied

import properly
from properly.rules import Log

if TYPE_CHECKING:
    from benchmarks.samples import TalliedSample

MILLION = 1_000_000


def average(data: TalliedSample) -> properly.probability.Means:
    """Find three means of model and source, overall and by what happened."""
    return properly.means(data.tally)


def decompose(data: TalliedSample) -> properly.calibration.Decomposition:
    """Split the log score, for which the source is fitted and logarithms are taken as well."""
    return properly.decompose(data.tally, Log())


def estimate(source: str) -> Any:
    """Take the source from another estimate."""
    return lambda data: properly.means(data.tally, source=source)


ROWS: tuple[Row[Any], ...] = (
    Row("`means`", "`decompose` (Log)", make_tallied, average, decompose, "<= 1.5", cases=MILLION),
    Row(
        '`means(source="equal_count")`',
        "`means`",
        make_tallied,
        estimate("equal_count"),
        average,
        cases=MILLION,
    ),
    Row(
        '`means(source="neighbours")`',
        "`means`",
        make_tallied,
        estimate("neighbours"),
        average,
        cases=MILLION,
    ),
    Row(
        '`means(source="kernel")`',
        "`means`",
        make_tallied,
        estimate("kernel"),
        average,
        cases=MILLION,
    ),
    Row(
        "`risk_profile`, 122 powers",
        "`means`",
        make_tallied,
        lambda data: properly.probability.risk_profile(data.tally),
        average,
        cases=MILLION,
    ),
)
