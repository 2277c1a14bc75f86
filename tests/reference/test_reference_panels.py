"""Curves of a series, and a mean of stations by days, against an independent program.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly import Cases
from properly.decisions._elementary import outcomes, rows_of, split_at
from properly.decisions._grid import odds
from properly.inference._design import Design
from properly.inference._shares import design_effect, variance
from properly.inference._variance import _own_series, covariance, of_mean
from properly.rules import Brier

from .held import column, once, read, values_of

if TYPE_CHECKING:
    from .held import Areas

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")


LEVEL = 0.9
AT = np.array([0.1, 0.25, 0.5, 0.75])


VALUES = values_of("panels")
SERIES = Cases(
    *(column(read("time/series"), name) for name in ("y", "x")),
    time=column(read("time/series"), "time"),
)
Y, X, X2, DAY = (column(read("panels/panel"), name) for name in ("y", "x", "x2", "day"))
STATION = np.array([row["station"] for row in read("panels/panel")])


def named(kind: str, columns: dict[str, Any]) -> dict[str, float]:
    return {
        f"series.{kind}@{t:g}.{name}": float(column[k])
        for name, column in columns.items()
        for k, t in enumerate(AT)
    }


def of_murphy() -> dict[str, float]:
    curve = properly.murphy_curve(SERIES, band="confidence", level=LEVEL)
    assert curve.band is not None
    lower, upper = curve.band.at(AT)
    rows, counts = rows_of(SERIES), outcomes(SERIES.tally())
    mean, error = rows.mean_and_error(rows.costs(rows.p, rows.happened, AT))
    split = split_at(counts, AT)
    in_vain = split.term(2 * AT, acted=True, event=False)
    missed = split.term(2 - 2 * AT, acted=False, event=True)
    alone = variance(in_vain, missed, len(SERIES))[0]
    assert curve.at(AT) == pytest.approx(mean, rel=1e-14)
    effect = design_effect(error**2, alone)
    found = {"mean": mean, "se_ewc": error, "effect": effect, "lower90": lower, "upper90": upper}
    return named("murphy", found)


def of_net_benefit() -> dict[str, float]:
    curve = properly.decision_curve(SERIES, AT, band="confidence", level=LEVEL)
    assert curve.band is not None
    counts = outcomes(SERIES.tally())
    split = split_at(counts, AT)
    single = [properly.inference.net_benefit_interval(SERIES, t) for t in AT.tolist()]
    error = np.array([x.standard_error for x in single])
    one = split.term(1.0, acted=True, event=True)
    other = split.term(-odds(AT), acted=True, event=False)
    found = {
        "value": curve.net_benefit,
        "se_ewc": error,
        "effect": design_effect(error**2, variance(one, other, len(SERIES))[0]),
        "lower90": curve.band.lower,
        "upper90": curve.band.upper,
    }
    return named("net_benefit", found)


def of_panel() -> dict[str, float]:
    found = properly.compare(
        Y, {"x": X, "x2": X2}, rule=Brier(), clusters=STATION, time=DAY, level=LEVEL
    )
    loss = ((X - Y) ** 2 - (X2 - Y) ** 2)[None]
    designs = {
        # Within one stratum, clusters of any size have the factor G / (G - 1), as published.
        "stations": Design.of(Cases(Y, X, clusters=STATION, strata=np.zeros(len(Y)))),
        "days": Design.of(Cases(Y, X, clusters=DAY, strata=np.zeros(len(Y)))),
        "cases": Design.of(Cases(Y, X)),
        "series": Design.of(Cases(Y, X, time=DAY)),
    }
    influence = of_mean(loss, np.ones(len(Y)))[1]
    spread = {name: covariance(influence, design) for name, design in designs.items()}
    square = {name: float(x.covariance[0, 0]) for name, x in spread.items()}
    # The formula of Cameron, Gelbach and Miller, without corrections for small samples.
    plain = {k: square[k] * (1 - 1 / designs[k].units) for k in ("stations", "days", "cases")}
    panel = Design.of(Cases(Y, X, clusters=STATION, time=DAY))
    own = float(_own_series(panel.totals(influence), panel)[0, 0])
    return {
        "panel.mean": float(found.difference[0]),
        "panel.se": math.sqrt(max(square["stations"] + square["series"] - own, *square.values())),
        "panel.df": found.degrees,
        "panel.se_stations": math.sqrt(square["stations"]),
        "panel.se_days": math.sqrt(square["days"]),
        "panel.se_cgm": math.sqrt(plain["stations"] + plain["days"] - plain["cases"]),
        "panel.se_days_ewc": math.sqrt(square["series"]),
        "panel.nu": spread["series"].degrees,
        "panel.V_own_series_ewc": own,
        "panel.V_joint_unfloored": square["stations"] + square["series"] - own,
    }


AREAS: Areas = once({"murphy": of_murphy, "net benefit": of_net_benefit, "panel": of_panel})


def test_the_reference_files_are_all_there() -> None:
    assert (len(SERIES), len(Y)) == (400, 681)
    assert len(np.unique(STATION)) * len(np.unique(DAY)) > len(Y)


def test_stations_of_unequal_size_are_corrected_for() -> None:
    found = properly.compare(Y, {"x": X, "x2": X2}, rule=Brier(), clusters=STATION, time=DAY)
    published = VALUES["panel.se"][0]
    assert found.standard_error[0] == pytest.approx(published, rel=2e-4)
    assert found.standard_error[0] != pytest.approx(published, rel=1e-6)
