"""Pointwise bands, histograms and default methods against R's reliabilitydiag.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

import properly
from properly.calibration._reliability_bands import automatic
from properly.rules import Brier, Log, Misclassification

from .held import assert_near, diagram, names_of, near, read
from .test_reference_corp import DATA_SETS

if TYPE_CHECKING:
    from properly.inference import Band
    from properly.rules import BinaryRule

    from .held import Floats, Rows

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

KINDS: dict[str, Literal["consistency", "confidence"]] = {
    "diagonal": "consistency",
    "estimate": "confidence",
}
# The source's table of Chernoff's quantiles has no entry for level .95: a straight line between
# its neighbours makes the half width too large by this factor, and by less than 2e-6 elsewhere.
TOO_WIDE = {0.95: 1.0015435 / 0.998181}
OF_THE_HALF_WIDTH = {0.95: 5e-6}
# The largest and the mean difference between two seeds of the source with 10000 replicates each;
# of the two sets that it does not name, between two of our own runs.
BETWEEN_SEEDS = {
    ("ties50a", "diagonal"): (0.012, 0.0019),
    ("ties50a", "estimate"): (0.008, 0.0023),
    ("zeroone120", "diagonal"): (0.023, 0.0016),
    ("zeroone120", "estimate"): (0.026, 0.0014),
    ("cont1024sqrt", "diagonal"): (0.013, 0.0010),
    ("cont1024sqrt", "estimate"): (0.024, 0.0009),
    ("disc20000k10", "diagonal"): (0.0010, 0.0003),
    ("disc20000k10", "estimate"): (0.0010, 0.0003),
    ("cont6000betamix", "diagonal"): (0.012, 0.0010),
    ("cont6000betamix", "estimate"): (0.012, 0.0010),
}
# What the source calls the limits of large samples.
LIMITS = ("discrete_asymptotics", "continuous_asymptotics")
REPLICATES = {"ties50a": 6000, "zeroone120": 6000, "cont6000betamix": 1000}


def number(text: str) -> float:
    return float(text) if text not in ("", "NA") else np.nan


def column(rows: Rows, name: str) -> Floats:
    return np.array([number(row[name]) for row in rows])


def asymptotic_bands() -> dict[tuple[str, str, str, float], Rows]:
    """Read each file once: its rows by data set, method, position and level."""
    found: dict[tuple[str, str, str, float], Rows] = {}
    for name in DATA_SETS:
        for row in read(f"corp/{name}_bands_asymptotic"):
            method = row["method"].removesuffix("_asymptotics")
            case = (name, method, row["position"], float(row["level"]))
            found.setdefault(case, []).append(row)
    return found


PUBLISHED = asymptotic_bands()


def band_of(tally: properly.Tally, position: str, **options: Any) -> Band:
    band = properly.reliability(tally, band=KINDS[position], **options).band
    assert band is not None
    return band


@cache
def asymptotic_band(name: str, method: str, position: str, level: float) -> Band:
    return band_of(diagram(name), position, method=method, level=level)


def named(method: str | None = None) -> pytest.MarkDecorator:
    """Run a test for every published band, or for those of one method."""
    cases = [case for case in PUBLISHED if method in (None, case[1])]
    names = ["-".join(map(str, case)) for case in cases]
    return pytest.mark.parametrize(("name", "method", "position", "level"), cases, ids=names)


def bridged(x: Floats, bound: Floats, middle: Floats, position: str) -> Floats:
    """Replace bounds where the curve is 0 or 1, but for the ends, by a line between the others."""
    if position == "diagonal":
        return bound
    inner = np.isin(np.arange(len(x)), [0, len(x) - 1], invert=True)
    lost = np.isin(middle, [0.0, 1.0]) & inner
    known = ~lost & ~np.isnan(bound)
    line = np.interp(x, x[known], bound[known], left=np.nan, right=np.nan)
    return np.where(lost, line, bound)


def test_the_reference_files_are_all_there() -> None:
    assert len(PUBLISHED) == 2 * 4 * (3 + 4)
    for part in ("bands_asymptotic", "bands_resampling", "info"):
        assert names_of("corp", part) == DATA_SETS
    assert sorted({name for name, _ in BETWEEN_SEEDS}) == DATA_SETS


@named()
def test_a_band_is_given_where_the_published_one_is_and_keeps_its_label(
    name: str, method: str, position: str, level: float
) -> None:
    rows = PUBLISHED[name, method, position, level]
    band = asymptotic_band(name, method, position, level)
    assert_near(band.x, column(rows, "x"), 1e-15)
    np.testing.assert_array_equal(np.isnan(band.lower), np.isnan(column(rows, "lower")))
    np.testing.assert_array_equal(np.isnan(band.upper), np.isnan(column(rows, "upper")))
    assert (band.kind, band.method, band.level) == (KINDS[position], method, level)
    assert band.replicates is None


@named("discrete")
def test_every_bound_for_few_values_is_the_published_one(
    name: str, method: str, position: str, level: float
) -> None:
    rows = PUBLISHED[name, method, position, level]
    band = asymptotic_band(name, method, position, level)
    assert_near(band.lower, column(rows, "lower"))
    assert_near(band.upper, column(rows, "upper"))


@named("continuous")
def test_every_bound_for_a_continuum_is_the_published_one(
    name: str, method: str, position: str, level: float
) -> None:
    rows = PUBLISHED[name, method, position, level]
    band = asymptotic_band(name, method, position, level)
    x = band.x
    middle = x if position == "diagonal" else properly.reliability(diagram(name)).at(x)
    lower, upper = column(rows, "lower"), column(rows, "upper")
    tolerance = OF_THE_HALF_WIDTH.get(level, 2e-6) * np.fmax(upper - middle, middle - lower)
    for got, expected in [(band.lower, lower), (band.upper, upper)]:
        widened = np.clip(middle + TOO_WIDE.get(level, 1.0) * (got - middle), 0, 1)
        if level in TOO_WIDE:
            widened = bridged(x, widened, middle, position)
        given = ~np.isnan(expected)
        # 1e-15: where the band has no width, at forecasts of 0 and of 1.
        assert (np.abs(widened - expected)[given] <= tolerance[given] + 1e-15).all()


@pytest.mark.parametrize(("name", "position"), BETWEEN_SEEDS)
def test_resampling_comes_as_near_the_published_band_as_another_seed(
    name: str, position: str
) -> None:
    rows = [row for row in read(f"corp/{name}_bands_resampling") if row["position"] == position]
    replicates = REPLICATES.get(name, 4000)
    options = {"level": 0.9, "replicates": replicates, "rng": 20240601}
    band = band_of(diagram(name), position, method="resampling", **options)
    got = np.concatenate(band.at(column(rows, "x")))
    gap = got - np.concatenate([column(rows, "lower"), column(rows, "upper")])
    largest, mean = BETWEEN_SEEDS[name, position]
    # The two numbers are those of one pair of seeds; another pair, the second of fewer
    # replicates, is up to twice as far apart.
    assert np.abs(gap).max() <= 2 * largest
    assert np.abs(gap).mean() <= 2 * mean
    # No drift to one side.
    assert abs(gap.mean()) <= 1.5 * mean
    assert (band.method, band.level, band.replicates) == ("resampling", 0.9, replicates)


@pytest.mark.parametrize("name", DATA_SETS)
def test_every_fact_about_the_forecasts_is_the_published_one(name: str) -> None:
    (info,) = read(f"corp/{name}_info")
    tally = diagram(name)
    record = properly.reliability(tally)
    assert (tally.total, len(tally), int(tally.events.sum())) == (
        int(info["n"]),
        int(info["k"]),
        int(info["n1"]),
    )
    assert record.discrete == (info["xtype"] == "discrete")
    assert len(record.value) == int(info["k"])


@pytest.mark.parametrize("name", DATA_SETS)
def test_every_bar_of_the_histogram_is_the_published_one(name: str) -> None:
    (info,) = read(f"corp/{name}_info")
    record = properly.reliability(diagram(name))
    bars = record.histogram
    # Of discrete forecasts, bars with gaps between; of others, bars that share their edges.
    if record.discrete:
        edges = np.stack([bars.lower, bars.upper], axis=1).ravel()
    else:
        np.testing.assert_array_equal(bars.lower[1:], bars.upper[:-1])
        edges = np.append(bars.lower, bars.upper[-1])
    assert len(edges) == int(info["hist_n_breaks"])
    assert bars.weight.sum() == int(info["n"])
    published = [float(info[f"hist_{which}"]) for which in ("first", "second", "last")]
    assert_near(edges[[0, 1, -1]], published)


@pytest.mark.parametrize("name", DATA_SETS)
def test_the_default_consistency_band_is_drawn_whatever_the_published_one(name: str) -> None:
    (info,) = read(f"corp/{name}_info")
    # The limits of large samples hold too seldom where events are rare, so ours are always drawn.
    assert info["default_method_consistency"] in ("resampling", *LIMITS)
    assert band_of(diagram(name), "diagonal", replicates=1, rng=0).method == "resampling"


@pytest.mark.parametrize("name", DATA_SETS)
def test_the_default_confidence_band_is_not_the_published_one(name: str) -> None:
    (info,) = read(f"corp/{name}_info")
    # The published default covers too seldom, so ours is another on purpose.
    assert info["default_method_confidence"] == "resampling"
    assert band_of(diagram(name), "estimate").method == "likelihood"
    band = band_of(diagram(name), "estimate", method="corp", replicates=1, rng=1)
    assert band.method == "resampling"


@pytest.mark.parametrize(
    ("n", "k", "method"),
    [
        (int(row["n"]), int(row["k"]), row["default_method_consistency"])
        for row in read("corp/region_rule")
    ],
)
def test_the_published_choice_follows_from_the_numbers_of_cases_and_of_values(
    n: int, k: int, method: str
) -> None:
    weight = np.full(k, n // k) + (np.arange(k) < n % k)
    value, events = (np.arange(k) + 0.5) / k, weight // 2
    # As many cases of weight 1 each, which a tally that is made of weights cannot know.
    tally = properly.Tally(value, weight, events, events, weight - events)
    request: Any = SimpleNamespace(clusters=None, tally=tally, source=None)
    assert automatic(request, "auto") == method.removesuffix("_asymptotics")
    counts = properly.Tally.from_counts(value, weight, events)
    band = band_of(counts, "diagonal", method="corp", replicates=1, rng=1)
    assert band.method == method.removesuffix("_asymptotics")


RULES: dict[str, BinaryRule] = {
    "Brier_score": Brier(),
    "log_score": Log(),
    "MR_score": Misclassification(),
}


@pytest.mark.parametrize("name", ["cont1024sqrt", "ties50a", "zeroone120"])
@pytest.mark.parametrize("score", RULES)
def test_the_other_package_finds_the_same_decomposition(name: str, score: str) -> None:
    row = next(row for row in read(f"corp/{name}_triptych_mcbdsc") if row["score"] == score)
    parts = properly.decompose(diagram(name), RULES[score])
    got = [parts.score, parts.miscalibration, parts.discrimination, parts.uncertainty]
    expected = [float(row[term]) for term in ("mean_score", "MCB", "DSC", "UNC")]
    assert got == near(expected)
