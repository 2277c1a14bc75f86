"""What the coverage study simulates of recalibration: gains of maps, and the choice of one.

The true gain is that of the very map that was fitted, on new cases: an average over a fine grid of
forecasts, with outcomes as likely as the true curve says.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, logit, roots_hermitenorm
from scipy.stats import beta, norm

import properly
from properly.recalibration import Beta, Intercept, Isotonic, Logistic, VennAbers
from properly.recalibration._cross_fit import Folding, cross_forecasts, of_forecasts
from properly.rules import Brier, Elementary, Log
from studies.coverage.samples import CLUSTERS, MEMBERS, cluster_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]
    Facts: TypeAlias = dict[str, Any]
    Finding: TypeAlias = tuple[Facts, Facts]

LEVEL, THRESHOLD, FOLDS = 0.95, 0.2, 10
RULES = {"brier": Brier(), "log": Log(), "net benefit": Elementary(THRESHOLD)}
MAPS = (Intercept(), Logistic(), Beta(), Isotonic(), VennAbers())
# Quantiles of the forecasts that stand for all new cases.
GRID = (np.arange(20_000) + 0.5) / 20_000
# Clusters have a common shift of the log odds, normal with this standard deviation.
BETWEEN = 0.8
# With fewer events, another sample is drawn.
FEW = 10
NODES, NODE_WEIGHTS = roots_hermitenorm(40)


class Truth(NamedTuple):
    """Quantiles of the forecasts, and how likely the event is at each."""

    quantile: Callable[[Any], Any]
    curve: Callable[[Any], Any]


def _uniform(u: Any) -> Any:
    return u


def _rare(u: Any) -> Any:
    return beta.ppf(u, 1, 19)


def _extreme(u: Any) -> Any:
    # Forecasts of exactly 0 and 1 are another matter.
    return np.clip(beta.ppf(u, 0.5, 0.5), 1e-9, 1 - 1e-9)


def _line(intercept: float, slope: float) -> Callable[[Any], Any]:
    return lambda x: expit(intercept + slope * logit(x))


def _steps(x: Any) -> Any:
    return np.where(x < 1 / 3, 0.1, np.where(x < 2 / 3, 0.45, 0.85))


def _bent(x: Any) -> Any:
    return np.where(x < 0.5, x / 2, 1.5 * x - 0.5)


TRUTHS = {
    "calibrated": Truth(_uniform, lambda x: x),
    "calibrated, rare": Truth(_rare, lambda x: x),
    "slope 0.85": Truth(_uniform, _line(0, 0.85)),
    "slope 1/2": Truth(_extreme, _line(0, 0.5)),
    "shift, rare": Truth(_rare, _line(-0.7, 1)),
    "kink": Truth(_uniform, _bent),
    "steps": Truth(_uniform, _steps),
}
CALIBRATED = ("calibrated", "calibrated, rare")


def recalibration_facts() -> Iterator[tuple[int, Facts]]:
    """List the samples, and how often each is drawn."""
    for n, times in ((200, 400), (1000, 250), (10_000, 60)):
        for truth in TRUTHS:
            yield times, {"study": "gains", "curve": truth, "n": n}
    for slope in (1.0, 0.5):
        for folds in ("clusters", "cases"):
            facts = {"study": "gains in clusters", "slope": slope, "folds": folds}
            yield 200, facts | {"n": CLUSTERS * MEMBERS}
    for n, times in ((200, 150), (1000, 80)):
        for truth in ("calibrated", "calibrated, rare", "slope 0.85", "slope 1/2", "steps"):
            yield times, {"study": "choice", "curve": truth, "n": n}


def recalibration(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask whether intervals hold the true gain, and whether advice is good."""
    return STUDIES[facts["study"]](facts, rng)


def _gains(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Fit each map, cross-fit it, and hold its interval against its true gain."""
    truth = TRUTHS[facts["curve"]]
    p = truth.quantile(rng.random(facts["n"]))
    y = rng.random(facts["n"]) < truth.curve(p)
    if y.sum() < FEW:
        # So few events are refused, or miss from a fold; another sample is drawn in their place.
        return _gains(facts, rng)
    x = truth.quantile(GRID)
    return _judged(properly.Cases(y, p), properly.Cases(y, p), x, truth.curve(x), rng)


def _judged(
    folded: properly.Cases,
    cases: properly.Cases,
    x: Numbers,
    chance: Numbers,
    rng: np.random.Generator,
) -> list[Finding]:
    """Cross-fit in the folds of some cases, and judge by the design of others."""
    split = Folding(FOLDS).of(folded, rng)
    attempts = cross_forecasts(folded, MAPS, split)
    findings: list[Finding] = []
    for one, attempt in zip(MAPS, attempts, strict=True):
        if attempt.forecasts is None:
            raise RuntimeError(attempt.reason)
        q = one.fit(folded.tally()).mapped(x)
        for name, rule in RULES.items():
            gain = of_forecasts(
                cases, attempt.forecasts, rule, name=one.kind, folds=split.folds, level=LEVEL
            )
            true = _expected(rule, x, chance) - _expected(rule, q, chance)
            low, high = gain.interval
            # Where no decision changes there is no interval.
            given = not np.isnan(low)
            findings.append(
                (
                    {"map": one.kind, "rule": name, "level": LEVEL},
                    {
                        "held": bool(low <= true <= high) if given else None,
                        "positive": bool(low > 0),
                        "false": bool(low > 0 and true < 0),
                        "truth": true,
                        "estimate": gain.estimate,
                    },
                )
            )
    return findings


def _expected(rule: Any, forecast: Numbers, chance: Numbers) -> float:
    """Return the mean loss of forecasts on new cases."""
    loss = chance * rule.loss_if_event(forecast) + (1 - chance) * rule.loss_if_none(forecast)
    return float(loss.mean())


@cache
def _marginal() -> tuple[Numbers, Numbers]:
    """Tabulate how likely the event is over all clusters, by the log odds in the middle one."""
    odds = np.linspace(-9, 9, 2001)
    chance = expit(odds[:, None] + BETWEEN * NODES) @ NODE_WEIGHTS / NODE_WEIGHTS.sum()
    return odds, chance


def _gains_in_clusters(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Fold whole clusters, or single cases; forecasts are calibrated, or too extreme."""
    label = cluster_labels()
    odds = rng.normal(-0.5, 1.2, len(label))
    y = rng.random(len(label)) < expit(odds + rng.normal(0, BETWEEN, CLUSTERS)[label])
    forecast = _told(odds, facts["slope"])
    plain, whole = properly.Cases(y, forecast), properly.Cases(y, forecast, clusters=label)
    folded = whole if facts["folds"] == "clusters" else plain
    grid = norm.ppf(GRID, -0.5, 1.2)
    return _judged(folded, folded, _told(grid, facts["slope"]), np.interp(grid, *_marginal()), rng)


def _told(odds: Numbers, slope: float) -> Numbers:
    """Forecast the chance over all clusters, made more extreme by a slope below 1."""
    told: Numbers = expit(logit(np.interp(odds, *_marginal())) / slope)
    return told


def _choice(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Choose a map, and ask whether what is recommended helps."""
    truth = TRUTHS[facts["curve"]]
    p = truth.quantile(rng.random(facts["n"]))
    y = rng.random(facts["n"]) < truth.curve(p)
    if y.sum() < FEW:
        return _choice(facts, rng)
    x = truth.quantile(GRID)
    chance = truth.curve(x)
    findings: list[Finding] = []
    for name in ("log", "brier"):
        rule = RULES[name]
        result = properly.recalibrate(y, p, rule=rule, rng=rng)
        chosen = result.maps.get(result.chosen)
        q = x if chosen is None else chosen.mapped(x)
        true = _expected(rule, x, chance) - _expected(rule, q, chance)
        own = result.gains.get(result.chosen)
        low, high = result.gain.interval
        findings.append(
            (
                {"rule": name, "level": LEVEL},
                {
                    "held": bool(low <= true <= high) if not np.isnan(low) else None,
                    "recommended": bool(result.recommended),
                    "before_nesting": bool(own is not None and own.is_clear),
                    "harmful": bool(result.recommended and true < 0),
                    "truth": true,
                    "own": 0.0 if own is None else own.estimate,
                    "nested": result.gain.estimate,
                },
            )
        )
    return findings


STUDIES = {"gains": _gains, "gains in clusters": _gains_in_clusters, "choice": _choice}
