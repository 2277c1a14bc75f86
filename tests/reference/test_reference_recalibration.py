"""Maps, their honest gain and the choice among them against numbers of an independent program.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import logit
from tests.recalibration_numbers import (
    CHECKSUMS,
    CLASSES,
    DATA,
    MAPS,
    VALUES,
    assert_close,
    cases_of,
    class_cases,
    fitted,
    labels,
    quiet,
    read,
    tally_of,
)
from tests.reference.held import column, once

import properly
from properly import recalibration
from properly.rules import Brier, Elementary, Log, Mixture, Regret

if TYPE_CHECKING:
    from tests.reference.held import Areas

pytestmark = quiet

LINES = ("intercept", "temperature", "logistic", "beta")
# In the order of complexity; the first leaves forecasts as they are.
CANDIDATES = ("none", "intercept", "logistic", "beta", "isotonic", "venn_abers")
RULES: dict[str, Any] = {
    "brier": Brier(),
    "log": Log(),
    "regret[.1,.4]": Regret((0.1, 0.4)),
    # What is lost of net benefit: regret, divided by one less the threshold.
    "minus_net_benefit@.2": Mixture([(1 / (1 - 0.2), Elementary(0.2))]),
}
# The published errors have G / (G - 1) for clusters of any size, as they have within one stratum.
CLUSTER = labels("cluster")
CLUSTERED = {"cases": {}, "clusters": {"clusters": CLUSTER, "strata": np.zeros(len(CLUSTER))}}


# Coefficients


def slope_between(fit: Any, low: float, high: float) -> float:
    """Return the slope of a map in log-odds, from two of its values."""
    return float((logit(fit.at(high)) - logit(fit.at(low))) / (logit(high) - logit(low)))


def coefficients(fit: Any, name: str) -> dict[str, float]:
    if name == "beta":
        return {"a": fit.a, "b": fit.b, "c": fit.c}
    if name == "logistic":
        return {"a": fit.intercept, "b": fit.slope}
    if name == "intercept":
        return {"a": fit.intercept, "b": slope_between(fit, 0.3, 0.7)}
    return {"a": float(logit(fit.at(0.5))), "b": fit.slope}


def of_line(data: str, name: str, part: str) -> float:
    if part in ("atom0", "atom1"):
        return float(fitted(data, name).at(float(part[-1])))
    targets, coefficient = part.split(".")
    return coefficients(fitted(data, name, targets == "smoothed"), name)[coefficient]


def of_training(data: str, part: str) -> float:
    training = fitted(data, "isotonic").training
    if part == "events_needed":
        return float(min(training.events, training.weight - training.events))
    return float(getattr(training, part))


# Gains


@cache
def gain_of(data: str, name: str, rule: str, design: str) -> Any:
    cases = cases_of(data, **CLUSTERED[design])
    return recalibration.recalibration_gain(
        cases, MAPS[name](), rule=RULES[rule], folds=labels("fold")
    )


def of_gain(data: str, name: str, rule: str, part: str) -> float:
    number, _, design = part.partition("_")
    gain = gain_of(data, name, rule, design or "clusters")
    if number == "mean":
        return float(gain.estimate)
    if number == "se":
        return float(gain.standard_error)
    return float(gain.interval[("low", "high").index(number)])


def of_cross_fit(name: str, part: str) -> float:
    if part == "mean_change":
        return float(gain_of("cases", name, "brier", "clusters").mean_change)
    q = properly.cross_fit(cases_of("cases"), MAPS[name](), folds=labels("fold")).p
    return float((q**2).sum())


def of_change(name: str, _: str) -> float:
    p = np.asarray(cases_of("cases").p)
    return float(np.abs(np.asarray(fitted("cases", name).at(p)) - p).mean())


# The choice


@cache
def choice_of(rule: str) -> Any:
    cases = cases_of("cases", **CLUSTERED["clusters"])
    return properly.recalibrate(cases, "auto", rule=RULES[rule], folds=labels("fold"))


def place_of(name: str | None) -> int:
    """Return the place of a candidate, whose name may have a hyphen, a space or capitals."""
    plain = re.sub("[^a-z]", "", (name or "none").lower())
    plain = "none" if plain == "identity" else plain
    return [candidate.replace("_", "") for candidate in CANDIDATES].index(plain)


def of_choice(rule: str, part: str) -> float:
    choice = choice_of(rule)
    gains = {place_of(name): gain for name, gain in choice.gains.items()}
    chosen = place_of(choice.chosen)
    if part == "best":
        gained = {place: gain.estimate for place, gain in gains.items()}
        return float(max({0: 0.0} | gained, key=({0: 0.0} | gained).__getitem__))
    if part == "chosen":
        return float(chosen)
    low = gains[chosen].interval[0]
    return float(low if part == "low" else low > 0)


# Groups


@cache
def shifts() -> Any:
    return recalibration.GroupShift().fit(cases_of("cases", groups=labels("group")))


def of_group(group: str, part: str) -> float:
    if group == "tau2":
        return float(shifts().between)
    if part == "shrunk":
        return float(shifts().shifts[group])
    # Before it is shrunk, a shift is the intercept of the group after the line for all.
    own = labels("group") == group
    cases = cases_of("cases")
    y, p = np.asarray(cases.y)[own], np.asarray(cases.p)[own]
    line = np.asarray(fitted("cases", "logistic").at(p))
    shift: Any = recalibration.Intercept().fit(properly.tally(y, line))
    if part == "raw":
        return float(shift.intercept)
    mu = np.asarray(shift.at(line))
    return float(1 / (mu * (1 - mu)).sum())


# All of them


def prior_shift() -> Any:
    return recalibration.PriorShift(*(VALUES[f"prior_shift.{rate}"][0] for rate in ("old", "new")))


def of_any_gain(name: str, part: str) -> float:
    if part in ("mean_change", "sum_of_squares_q"):
        return of_cross_fit(name, part)
    data = "weighted" if name == "weighted" else "cases"
    if data == "weighted":
        name, _, part = part.partition(".")
    rule, _, number = part.rpartition(".")
    return of_gain(data, name, rule, number)


def of_miscalibration(rule: str, _: str) -> float:
    return float(properly.decompose(tally_of("cases"), RULES[rule]).miscalibration)


def of_prior_shift(rate: str, _: str) -> float:
    return float(getattr(prior_shift(), rate))


PARTS = {
    "gain": of_any_gain,
    "change": of_change,
    "choice": of_choice,
    "groups": of_group,
    "mcb": of_miscalibration,
    "prior_shift": of_prior_shift,
}


def computed(identity: str) -> float:
    """Compute a published value, told by its name."""
    area, name, part = (*identity.split(".", 2), "")[:3]
    if area not in DATA:
        return PARTS[area](name, part)
    return of_line(area, name, part) if name in LINES else of_training(area, name)


def all_of(area: str) -> dict[str, float]:
    return {x: computed(x) for x in VALUES if x.partition(".")[0] == area}


AREAS: Areas = once({area: partial(all_of, area) for area in (*DATA, *PARTS)})


def test_the_reference_files_are_all_there() -> None:
    assert len(read("curves")) == 1536
    assert len(read("blocks")) == 53


@pytest.mark.parametrize("rule", ["brier", "log"])
def test_the_record_of_a_gain_says_how_it_was_found(rule: str) -> None:
    gain = gain_of("cases", "logistic", rule, "clusters")
    assert gain.folds == 5
    assert gain.degrees == 39
    assert gain.level == 0.95
    assert "cluster" in gain.design
    assert not gain.nested
    assert gain_of("cases", "logistic", rule, "cases").degrees == 399


@pytest.mark.parametrize("name", CANDIDATES[1:])
def test_regret_at_a_threshold_is_net_benefit_on_another_scale(name: str) -> None:
    cases = cases_of("cases", **CLUSTERED["clusters"])
    folds = labels("fold")
    regret = recalibration.recalibration_gain(
        cases, MAPS[name](), rule=Elementary(0.2), folds=folds
    )
    published = f"gain.{name}.minus_net_benefit@.2"
    for got, part in (
        (regret.estimate, "mean"),
        (regret.standard_error, "se_clusters"),
        (regret.interval[0], "low_clusters"),
        (regret.interval[1], "high_clusters"),
    ):
        value, tolerance = VALUES[f"{published}.{part}"]
        assert_close(got / 0.8, value, tolerance)


# Curves and blocks


def curve_at(data: str, name: str, p: Any) -> Any:
    kind, _, part = name.partition(".")
    if kind == "prior_shift":
        return prior_shift().at(p)
    if part in ("p0", "p1"):
        return fitted(data, kind).pair_at(p)[int(part[-1])]
    if part == "brier":
        return recalibration.VennAbers(merge="brier").fit(tally_of(data)).at(p)
    return fitted(data, kind).at(p)


CURVES = list(dict.fromkeys((row["data"], row["map"]) for row in read("curves")))


@pytest.mark.parametrize(("data", "name"), CURVES)
def test_a_curve_is_the_published_one(data: str, name: str) -> None:
    rows = [row for row in read("curves") if (row["data"], row["map"]) == (data, name)]
    tolerance = 1e-12 if name.startswith(("isotonic", "venn_abers")) else 1e-9
    assert len(rows) == 24
    assert_close(curve_at(data, name, column(rows, "p")), column(rows, "q"), tolerance)


@pytest.mark.parametrize("data", DATA)
def test_blocks_are_the_published_ones(data: str) -> None:
    rows = [row for row in read("blocks") if row["data"] == data]
    tally = tally_of(data)
    bins = properly.reliability(tally).bins
    np.testing.assert_array_equal(bins.x_min, column(rows, "first"))
    np.testing.assert_array_equal(bins.x_max, column(rows, "last"))
    assert_close(bins.weight, column(rows, "weight"), 1e-12)
    assert_close(bins.weight * bins.event_rate, column(rows, "events"), 1e-12)
    first = np.searchsorted(tally.value, bins.x_min)
    weight = np.asarray(tally.weight, float)
    squares: Any = weight
    if tally.event_squares is not None:
        squares = tally.event_squares + tally.nonevent_squares
    effective = np.asarray(bins.weight) ** 2 / np.add.reduceat(np.asarray(squares), first)
    assert_close(effective, column(rows, "effective"), 1e-12)


@pytest.mark.parametrize("data", DATA)
def test_knots_are_the_published_ones(data: str) -> None:
    rows = [row for row in read("blocks") if row["data"] == data]
    p, q = fitted(data, "isotonic").knots
    assert_close(p, column(rows, "mean"), 1e-12)
    assert_close(q, column(rows, "q"), 1e-12)


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("data", CHECKSUMS)
def test_the_checksum_is_the_published_one(data: str, name: str) -> None:
    assert fitted(data, name).training.sha256 == CHECKSUMS[data]


# Classes

CLASS_MAPS: dict[str, Any] = {
    "temperature": recalibration.Temperature(),
    "vector": recalibration.Vector(),
    "dirichlet": recalibration.Dirichlet(),
    "one_vs_rest_isotonic": recalibration.OneVsRest(recalibration.Isotonic()),
    "cuts_logistic": recalibration.Cuts(recalibration.Logistic()),
}


@cache
def fitted_classes(name: str) -> Any:
    return CLASS_MAPS[name].fit(class_cases())


@cache
def class_forecasts(name: str) -> Any:
    return np.asarray(fitted_classes(name).at(class_cases().p))


def class_parameters(name: str) -> list[float]:
    fit = fitted_classes(name)
    if name == "temperature":
        return [fit.slope]
    first = fit.scale if name == "vector" else fit.matrix
    return [*np.ravel(first).tolist(), *np.ravel(fit.shift).tolist()]


def penalty(name: str) -> float:
    """Return half the squared distance from the identity, in standard deviations of the prior."""
    parameters = np.array(class_parameters(name))
    if name == "temperature":
        return float((parameters[0] - 1) ** 2 / 2)
    count = class_cases().p.shape[1]
    if name == "vector":
        centre, sigma = np.repeat([1.0, 0.0], count), np.ones(2 * count)
    else:
        identity = np.eye(count).ravel()
        centre = np.append(identity, np.zeros(count))
        sigma = np.append(np.where(identity > 0, 1, 0.1), np.ones(count))
    return float((((parameters - centre) / sigma) ** 2).sum() / 2)


def mean_log(name: str) -> float:
    y = np.asarray(class_cases().y)
    return float(-np.log(class_forecasts(name)[np.arange(len(y)), y]).mean())


@pytest.mark.parametrize("name", ["temperature", "vector", "dirichlet"])
def test_class_parameters_are_the_published_ones(name: str) -> None:
    published, cases = CLASSES[name], class_cases()
    assert_close(class_parameters(name), published["parameters"], 1e-6)
    objective = len(cases) * mean_log(name) + penalty(name)
    assert_close(objective, published["objective"], 1e-10)
    outcome = np.eye(4)[np.asarray(cases.y)]
    brier = ((class_forecasts(name) - outcome) ** 2).sum(axis=1).mean()
    assert_close(brier, published["brier"], 1e-8)


@pytest.mark.parametrize("name", CLASS_MAPS)
def test_class_forecasts_are_the_published_ones(name: str) -> None:
    published = CLASSES[name]
    rows = published.get("rows", CLASSES["rows"])
    assert_close(class_forecasts(name)[rows], published["forecasts"], 1e-6)


@pytest.mark.parametrize("name", ["temperature", "vector", "dirichlet", "one_vs_rest_isotonic"])
def test_the_log_score_of_classes_is_the_published_one(name: str) -> None:
    assert_close(mean_log(name), CLASSES[name]["log"], 1e-8)


def test_a_temperature_without_a_prior_is_the_published_one() -> None:
    fit = recalibration.Temperature(prior=None).fit(class_cases())
    assert_close(fit.slope, CLASSES["temperature_without_prior"], 1e-6)


def test_cuts_are_the_published_ones() -> None:
    published, cases = CLASSES["cuts_logistic"], class_cases()
    cuts = fitted_classes("cuts_logistic")
    lines = [[line.intercept, line.slope] for line in cuts.maps]
    assert_close(lines, published["parameters"], 1e-6)
    at_least = np.asarray(cases.p)[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    before = np.column_stack([line.at(at_least[:, k]) for k, line in enumerate(cuts.maps)])
    assert_close(before[published["rows"]], published["before_repair"], 1e-6)
    after = class_forecasts("cuts_logistic")[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    repaired = (np.abs(after - before) > 1e-12).any(axis=1).sum()
    assert repaired == published["rows_repaired"]
    reached = np.asarray(cases.y)[:, None] >= np.arange(1, 4)
    assert_close(((before - reached) ** 2).mean(), published["rps_before_repair"], 1e-8)
    assert_close(((after - reached) ** 2).mean(), published["rps"], 1e-8)


def test_every_part_of_the_published_classes_is_computed() -> None:
    others = {"rows", "temperature_without_prior"}
    assert set(CLASSES) == others | set(CLASS_MAPS)
