"""Means of model and source probabilities against 25-digit values and exact fractions.

Sources, keys and conventions: ``tests/reference/README.md``. Every number is asked for by
each way to it: from a tally or from cases, limited by the library or beforehand.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pytest

import properly
from properly import probability
from properly.errors import DataWarning
from properly.rules import Log

from .held import column, floats, load, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from properly.probability._means import SourceTable

    Floats = NDArray[np.float64]

CLOSE: dict[str, Any] = {"rel": 0, "abs": 1e-13}  # what the source promises
THREE = ("decisiveness", "mean_probability", "robustness")
PARTS = {
    "mean": "score",
    "MCB": "miscalibration",
    "DSC": "discrimination",
    "UNC": "uncertainty",
}
TABLE = {"N": "weight", "N_true": "happened", "P": "source", "size_eq17": "size"} | {
    "Q1": "decisiveness",
    "Q0": "mean_probability",
    "Qm23": "robustness",
}


METRICS = load("means/metrics")
ROWS = {x: list(y) for x, y in groupby(read("means/inputs"), itemgetter("dataset"))}
UNWEIGHTED = [name for name, numbers in METRICS.items() if "standard_error_delta" in numbers]
CLASSES = load("means/multiclass_bins")["three_class_12"]
every_set = pytest.mark.parametrize("name", METRICS)
every_unweighted_set = pytest.mark.parametrize("name", UNWEIGHTED)
every_way = pytest.mark.parametrize("way", ["tally", "cases"])
limited_by = pytest.mark.parametrize("limited", ["library", "hand"])


class Data(NamedTuple):
    """Outcomes, forecasts as they came and limited, weights, and the limit."""

    y: NDArray[np.int64]
    raw: Floats
    q: Floats
    weight: Floats
    q_lim: float


def data_of(name: str) -> Data:
    rows = ROWS[name]
    y, raw, weight = (column(rows, key) for key in ("y", "q", "w"))
    q_lim = float(METRICS[name]["q_lim"])
    q = np.clip(raw, q_lim, 1 - q_lim)
    return Data(y.astype(int), raw, q, weight, q_lim)


def cases_of(name: str, way: str, limited: str) -> Any:
    data = data_of(name)
    p = data.raw if limited == "library" else data.q
    weight = None if name in UNWEIGHTED else data.weight
    cases = properly.Cases(data.y, p, weight=weight)
    return cases.tally() if way == "tally" else cases


def means_of(name: str, way: str, limited: str, **options: Any) -> properly.probability.Means:
    precision = data_of(name).q_lim if limited == "library" else None
    return properly.means(cases_of(name, way, limited), precision=precision, **options)


def three(record: Any) -> dict[str, float]:
    return {key: getattr(record, key) for key in THREE}


def numbers(block: dict[str, str]) -> Any:
    return pytest.approx({key: float(value) for key, value in block.items()}, **CLOSE)


def angle(value: str | None) -> Any:
    return None if value is None else pytest.approx(float(value), **CLOSE)


def test_the_files_hold_what_is_compared() -> None:
    always = {"model", "isotonic_fitted", "source_isotonic", "divergence_isotonic", "log_score"}
    always |= {"orientation_angle_deg_isotonic", "q_lim"}
    others = {"proper_mean_model", "proper_mean_source_isotonic", "self_expected"}
    equal = {"standard_error_delta", "log_divergence_se_paired", "histogram_equal_count"}
    assert set(METRICS) == set(ROWS)
    assert len(METRICS) == 9
    assert set(METRICS) - set(UNWEIGHTED) == {"ties_weights"}
    for name, found in METRICS.items():
        expected = always | others | (equal | {"calibration_z"} if name in UNWEIGHTED else set())
        assert set(found) == expected
        assert (data_of(name).weight == 1).all() == (name in UNWEIGHTED)


@every_set
@every_way
@limited_by
def test_means_of_model_and_isotonic_source(name: str, way: str, limited: str) -> None:
    found, expected = means_of(name, way, limited), METRICS[name]
    assert three(found) == three(found.model) == numbers(expected["model"])
    assert three(found.source) == numbers(expected["source_isotonic"])
    assert three(found.ratio) == numbers(expected["divergence_isotonic"])
    assert found.divergence == found.ratio.mean_probability
    assert found.angle == angle(expected["orientation_angle_deg_isotonic"])


@every_set
@every_way
def test_forecasts_moved_by_the_limit_are_counted(name: str, way: str) -> None:
    data = data_of(name)
    found = means_of(name, way, "library")
    assert found.precision == data.q_lim
    assert found.clipped == data.weight[data.raw != data.q].sum()
    by_hand = means_of(name, way, "hand")
    assert by_hand.precision is None
    assert by_hand.clipped == 0


@every_set
@every_way
def test_the_isotonic_source_is_the_recalibration_of_the_limited_forecasts(
    name: str, way: str
) -> None:
    record = properly.reliability(cases_of(name, way, "hand"))
    place = np.searchsorted(record.value, data_of(name).q)
    fitted = np.array(floats(METRICS[name]["isotonic_fitted"]))
    assert record.recalibrated[place] == pytest.approx(fitted, **CLOSE)


@every_set
@every_way
def test_the_parts_of_the_log_score_are_logarithms_of_means(name: str, way: str) -> None:
    parts = properly.decompose(cases_of(name, way, "hand"), Log())
    found = {key: getattr(parts, field) for key, field in PARTS.items()}
    assert found == numbers(METRICS[name]["log_score"])
    means = means_of(name, way, "library")
    assert math.exp(-parts.score) == pytest.approx(means.mean_probability, **CLOSE)
    assert math.exp(-parts.miscalibration) == pytest.approx(means.divergence, **CLOSE)
    information = parts.discrimination - parts.uncertainty
    assert math.exp(information) == pytest.approx(means.source.mean_probability, **CLOSE)


@every_unweighted_set
@every_way
@limited_by
def test_standard_errors(name: str, way: str, limited: str) -> None:
    # In so few cases, one alone always makes up much of the robustness.
    with pytest.warns(DataWarning, match="robustness"):
        found = means_of(name, way, limited, interval=True, replicates=10, rng=1).intervals
    assert found is not None
    data = data_of(name)
    share = np.where(data.y == 1, data.q, 1 - data.q) ** (-2 / 3)
    assert found.largest_share == pytest.approx(share.max() / share.sum(), **CLOSE)
    assert found.largest_share > 0.1
    assert three(found.standard_errors) == numbers(METRICS[name]["standard_error_delta"])
    error = float(METRICS[name]["log_divergence_se_paired"])
    assert found.log_divergence_error == pytest.approx(error, **CLOSE)


def histogram_means(name: str, way: str, limited: str) -> properly.probability.Means:
    bins = METRICS[name]["histogram_equal_count"]["bins"]
    return means_of(name, way, limited, source=probability.EqualCount(bins=bins))


def require_histogram(name: str, found: properly.probability.Means) -> None:
    expected = METRICS[name]["histogram_equal_count"]
    assert three(found) == numbers(METRICS[name]["model"])
    assert three(found.source) == numbers(expected["source"])
    assert three(found.ratio) == numbers(expected["divergence"])
    assert found.divergence == found.ratio.mean_probability
    assert found.angle == angle(expected["orientation_angle_deg"])


@every_unweighted_set
@every_way
@limited_by
def test_the_histogram_needs_no_rows_where_no_tie_is_split(
    name: str, way: str, limited: str
) -> None:
    bin_of = METRICS[name]["histogram_equal_count"]["bin_of"]
    pairs = set(zip(data_of(name).q, bin_of, strict=True))
    assert len(pairs) == len({q for q, _ in pairs})
    require_histogram(name, histogram_means(name, way, limited))


class Bin(NamedTuple):
    """A bin of the table: cases, true ones, their share, its ends and its means."""

    weight: float
    happened: float
    source: float
    lower: float
    upper: float
    decisiveness: float
    mean_probability: float
    robustness: float


def bin_by_hand(q: Floats, happened: NDArray[np.bool_], source: float) -> Bin:
    t = q[happened]
    if not len(t):
        return Bin(len(q), 0, source, q.min(), q.max(), *[math.nan] * 3)
    means = (t.mean(), math.exp(np.log(t).mean()), float((t ** (-2 / 3)).mean() ** -1.5))
    return Bin(len(q), len(t), source, q.min(), q.max(), *means)


def untied(q: Any) -> Floats:
    """Move equal forecasts apart by their last digits, in the order of their rows."""
    value = np.array(q, dtype=float)
    for tie in np.unique(value):
        rows = np.argwhere(value == tie)
        steps = np.arange(len(rows)) - (len(rows) - 1) * (tie > 0.5)
        value[tuple(rows.T)] = tie + steps * np.spacing(tie)
    return value


def in_order(bins: Sequence[Bin]) -> Floats:
    """Sort by what is in a bin, since the mirrored bins may be counted from either end."""
    plain = np.nan_to_num(np.array(bins, dtype=float), nan=-1.0)
    return np.asarray(plain[np.lexsort(np.round(plain, 9).T)])


def bins_of(table: SourceTable, name: str) -> list[Bin]:
    rows = [row for row, found in enumerate(table.name) if found == name]
    return [Bin(*(float(getattr(table, key)[row]) for key in Bin._fields)) for row in rows]


@every_unweighted_set
def test_the_bins_of_the_histogram(name: str) -> None:
    data, expected = data_of(name), METRICS[name]["histogram_equal_count"]
    source = probability.EqualCount(bins=expected["bins"])
    # Theirs split ties in the order of the rows.
    table = properly.probability.source_table(data.y, untied(data.q), source=source)
    member = np.array(expected["bin_of"])
    fitted = np.array(floats(expected["fitted"]))
    assert set(table.name) == {"event", "no event"}
    for side, q, happened, rate in (
        ("event", data.q, data.y == 1, fitted),
        ("no event", 1 - data.q, data.y == 0, 1 - fitted),
    ):
        by_hand = [
            bin_by_hand(q[member == k], happened[member == k], rate[member == k][0])
            for k in range(expected["bins"])
        ]
        assert in_order(bins_of(table, side)) == pytest.approx(in_order(by_hand), **CLOSE)
    assert sorted(table.number) == sorted([*range(expected["bins"])] * 2)


def class_cases() -> properly.Cases:
    return properly.Cases(CLASSES["y"], untied([[float(q) for q in row] for row in CLASSES["Q"]]))


BINNINGS = {
    "separate_B3": probability.EqualCount(bins=3),
    "pooled_B6": probability.EqualCount(bins=6, pooled=True),
}
every_binning = pytest.mark.parametrize("binning", BINNINGS)


def class_table(binning: str) -> SourceTable:
    return properly.probability.source_table(class_cases(), source=BINNINGS[binning])


@pytest.mark.parametrize("source", ["isotonic", *BINNINGS.values()], ids=repr)
def test_means_of_a_model_of_three_classes(source: Any) -> None:
    assert three(properly.means(class_cases(), source=source)) == numbers(CLASSES["model"])


@every_binning
def test_bins_of_three_classes(binning: str) -> None:
    table, expected = class_table(binning), CLASSES[binning]["bins"]
    assert list(table.name) == [str(row["cls"]) for row in expected]
    assert list(table.number) == [row["bin"] for row in expected]
    for key, field in TABLE.items():
        none = 0.0 if key == "size_eq17" else math.nan
        column = [float(Fraction(row[key])) if key in row else none for row in expected]
        found = np.asarray(getattr(table, field), dtype=float)
        assert found == pytest.approx(np.array(column), nan_ok=True, **CLOSE), key


@every_binning
@pytest.mark.parametrize("weights", ["true", "equal"])
def test_overall_means_of_the_bins_of_three_classes(
    binning: str, weights: Literal["true", "equal"]
) -> None:
    block = {"true": "true_count_weights", "equal": "equal_bin_weights"}[weights]
    expected = CLASSES[binning][block]
    model, source = class_table(binning).overall(weights)
    assert three(model) == numbers({key: expected[key]["model"] for key in THREE})
    assert three(source) == numbers({key: expected[key]["source"] for key in THREE})


@every_binning
def test_true_counts_are_the_weights_of_the_means_themselves(binning: str) -> None:
    expected = CLASSES[binning]["true_count_weights"]
    for found in (
        class_table(binning).means,
        properly.means(class_cases(), source=BINNINGS[binning]),
    ):
        assert three(found.model) == numbers({key: expected[key]["model"] for key in THREE})
        assert three(found.source) == numbers({key: expected[key]["source"] for key in THREE})
        ratio = float(expected["mean_probability"]["model"]) / float(
            expected["mean_probability"]["source"]
        )
        assert found.divergence == pytest.approx(ratio, **CLOSE)


@every_binning
def test_the_sizes_add_up_to_the_surprise(binning: str) -> None:
    total = -math.log(float(CLASSES["model"]["mean_probability"]))
    assert math.fsum(class_table(binning).size) == pytest.approx(total, **CLOSE)


@every_set
def test_areas_under_roc_curves_are_those_of_exact_fractions(name: str) -> None:
    data, exact = data_of(name), load("means/roc")[name]
    predicted = pytest.approx(float(Fraction(exact["predicted_auc"])), rel=0, abs=1e-15)
    for rows in (properly.tally(data.y, data.raw), properly.Cases(data.y, data.raw)):
        assert properly.decisions.predicted_roc_curve(rows).area == predicted
        assert properly.roc_curve(rows).area == float(Fraction(exact["actual_auc"]))
