"""The reference numbers for inference, the data that they belong to, and how close to come.

Sources, columns and tolerances: ``tests/reference/README.md``. Each file of tests has `AREAS`,
functions from nothing to values by their published names; every name must come from one of them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import properly
from properly.rules import Brier, Log
from tests.reference.held import assert_held, column, values_of
from tests.reference.held import read as read_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.rules import BinaryRule
    from tests.reference.held import Rows

    # Values with their own standard errors.
    Drawn = dict[str, Callable[[], dict[str, tuple[float, float]]]]

RULES: dict[str, BinaryRule] = {"brier": Brier(), "log": Log()}
SUBJECTS = [(rule, forecast) for rule in RULES for forecast in ("p1", "p2")]


def read(name: str) -> Rows:
    return read_file(f"inference/{name}")


CASES = read("cases")
Y = column(CASES, "y").astype(int)
P1, P2 = column(CASES, "p1"), column(CASES, "p2")
WEIGHT, TIME = column(CASES, "weight"), column(CASES, "time")
CLUSTER, STRATUM = (column(CASES, name).astype(int) for name in ("cluster", "stratum"))
GROUP = np.array([row["group"] for row in CASES])

VALUES = values_of("inference")
MONTE_CARLO = {
    row["id"]: (float(row["value"]), float(row["monte_carlo_se"] or "nan"))
    for row in read("monte_carlo")
}

# The ids of standard errors: what is known of the cases, the id of the mean, degrees of freedom.
# Within one stratum, clusters have the formula of surveys, whatever their sizes: G / (G - 1).
ALL = np.zeros(len(Y))
DESIGNS: dict[str, tuple[dict[str, Any], str, float]] = {
    "se_iid": ({}, "mean", 299),
    "se_weighted": ({"weight": WEIGHT}, "wmean", 299),
    "se_cluster": ({"clusters": CLUSTER, "strata": ALL}, "mean", 29),
    "se_cluster_weighted": (
        {"weight": WEIGHT, "clusters": CLUSTER, "strata": ALL},
        "wmean",
        29,
    ),
    "se_stratified": ({"strata": STRATUM}, "mean", 300 - len(set(STRATUM))),
    "se_stratified_cluster_weighted": (
        {"weight": WEIGHT, "clusters": CLUSTER, "strata": STRATUM},
        "wmean",
        30 - len(set(STRATUM)),
    ),
    "se_ewc": ({"time": TIME}, "mean", 17),
}
SERIAL: dict[str, Any] = {"se_hac_rule": "newey-west", "se_hac_nw94": "newey-west-auto"}


def cases_of(forecast: str, **known: Any) -> properly.Cases:
    if forecast == "edge":
        rows = read("edge")
        return properly.Cases(column(rows, "y").astype(int), column(rows, "p"), **known)
    return properly.Cases(Y, column(CASES, forecast), **known)


@cache
def tally_of(forecast: str) -> properly.Tally:
    return cases_of(forecast).tally()


def assert_published(identity: str, got: float) -> None:
    assert_held({identity: got}, VALUES)


def assert_drawn(identity: str, got: float, own_error: float) -> None:
    """Allow four standard errors, the source's and ours in quadrature.

    Of quantiles the source gives none, but about a hundredth; ours is half of that.
    """
    expected, error = MONTE_CARLO[identity]
    allowed = 0.015 * expected if np.isnan(error) else 4 * np.hypot(error, own_error)
    assert abs(got - expected) <= allowed, identity
