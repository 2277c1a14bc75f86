"""Records from which verdicts are said, made for one rule of a verdict at a time.

``tests/messages/verdict.txt`` has the sentences, word for word.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

import properly
from properly import Interval
from properly.comparison import Comparison
from properly.evaluation._phrases import Nouns, scope_of
from properly.evaluation._verdict import _headline, _verdict
from properly.evaluation._verdict._headline import ModelStanding
from properly.inference import Estimate
from properly.rules import Bounded, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Iterable

    from properly.evaluation._phrases import Scope

WORDS = Nouns("people", "death")
RANGE = scope_of(Bounded(Brier(), (0.01, 0.1)), classes=False)
ALL = scope_of(Log(), classes=False)


def headline(found: ModelStanding) -> str:
    return str(_headline.headline(found))


def choice(found: ModelStanding) -> str:
    return _headline.choice(found)


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, 0.1, (low, high), 0.95, 99.0, "t", "100 independent cases", 100, 100.0)


def compared(
    scores: dict[str, float], apart: Iterable[str], **changes: dict[str, Any]
) -> Comparison:
    """Make a comparison in which the pairs named, such as "ab", are told apart.

    Differences have standard errors of a tenth; `changes` are of single pairs, by their names.
    """
    pairs = list(combinations(scores, 2))
    rows = []
    for one, other in pairs:
        difference = scores[one] - scores[other]
        known = f"{one}{other}" in apart or f"{other}{one}" in apart
        half, p = (abs(difference) / 2, 0.001) if known else (2 * abs(difference), 0.4)
        row: dict[str, Any] = {
            "difference": difference,
            "p_value": p,
            "adjusted_p_value": p,
            "differing": 50,
        }
        row |= {"standard_error": half / 2, "interval": (difference - half, difference + half)}
        row |= {"ratio": scores[one] / scores[other] if math.isfinite(difference) else math.nan}
        row |= {"method": "t", "p_is_bound": False, "adjusted_p_is_bound": False}
        row |= changes.get(f"{one}{other}", {})
        rows.append({"simultaneous": row["interval"]} | row)
    columns: dict[str, Any] = {k: np.array([r[k] for r in rows]) for k in rows[0] if k != "method"}
    nothing = np.full(len(pairs), np.nan)
    decides = columns.pop("simultaneous")
    return Comparison(
        models=tuple(scores),
        pairs=tuple(pairs),
        **columns,
        simultaneous=decides,
        ratio_error=nothing,
        ratio_interval=np.full((len(pairs), 2), np.nan),
        equivalence_p_value=nothing,
        adjusted_equivalence_p_value=nothing,
        methods=tuple(r["method"] for r in rows),
        scores={name: estimate(x, x, x) for name, x in scores.items()},
        degrees=99.0,
        level=0.95,
        margin=None,
        rule="brier",
        unit="Brier",
        adjust="max-t",
        design="100 independent cases",
        cases=100,
        effective_cases=100.0,
    )


def standing(
    apart: str = "",
    models: str = "abc",
    *,
    useful: str | None = None,
    infinite: str = "",
    wrong: str = "",
    scope: Scope = RANGE,
    **changes: Any,
) -> ModelStanding:
    """Rank models, the first the best, of which some pairs are told apart."""
    finite = [name for name in models if name not in infinite]
    scores = {name: math.inf if name in infinite else 0.1 + k / 50 for k, name in enumerate(models)}
    above = models if useful is None else useful
    return ModelStanding(
        tuple(finite),
        tuple(infinite),
        compared(scores, apart.split(), **changes) if len(models) > 1 else None,
        {x: estimate(0.2, 0.1, 0.3) if x in above else estimate(0, -0.1, 0.1) for x in models},
        scope,
        0.95,
        cases=400,
        wrong=tuple(wrong),
    )


def others_than(best: str, models: str) -> str:
    return " ".join(best + name for name in models if name != best)


def infinite(names: str, apart: str = "", models: str = "abc") -> ModelStanding:
    """Rank models of which some have infinite scores."""
    return standing(apart, models, infinite=names, scope=ALL)


def skilled(**skills: tuple[float, float, float]) -> ModelStanding:
    """Rank models that cannot be told apart, with their skills and the ends of these."""
    known = {name: estimate(*ends) for name, ends in skills.items()}
    return replace(standing("", "".join(skills)), skills=known)


# better than none


def scored(**scores: float) -> dict[str, dict[str, Any]]:
    named_ = {name.replace("_", " "): x for name, x in scores.items()}
    return {name: {"brier": SimpleNamespace(score=x)} for name, x in named_.items()}


def against_none(found: ModelStanding, names: str) -> str:
    return _headline.against_none(found, names)


def baseline(found: ModelStanding, baselines: dict[str, Any], parts: dict[str, Any]) -> list[str]:
    known = SimpleNamespace(primary="brier", baselines=baselines, decompositions=parts)
    return list(_verdict.baseline(known, found))


# thresholds


def band(lower: list[float], upper: list[float]) -> Any:
    low, high = np.array(lower), np.array(upper)
    threshold = np.linspace(0.01, 0.1, len(low))
    rest: dict[str, Any] = {"quantile": 3.0, "level": 0.95, "degrees": 99.0, "replicates": 999}
    return properly.decisions.Dominance(
        threshold,
        (low + high) / 2,
        (high - low) / 6,
        low,
        high,
        **rest,
        design="100 independent cases",
        within=Interval(0.01, 0.1),
    )


BETTER, WORSE, OPEN, NOTHING = (-3, -1), (1, 3), (-1, 1), (math.nan, math.nan)


def bands(*points: tuple[float, float]) -> Any:
    lower, upper = zip(*points, strict=True)
    return band(list(lower), list(upper))


def thresholds(**dominances: Any) -> list[str]:
    known = {tuple(pair): found for pair, found in dominances.items()}
    return list(_verdict.thresholds(SimpleNamespace(dominances=known), standing()))


def too_few(
    *points: tuple[float, float],
    found: ModelStanding | None = None,
    design: str = "1,000 independent cases",
) -> list[str]:
    known = SimpleNamespace(dominances={("a", "b"): bands(*points)}, design=design)
    return list(_verdict.too_few(known, found or standing(), WORDS))


# certain forecasts


def certain(evaluation: Any) -> list[str]:
    return list(_verdict.certain(evaluation, WORDS))


# calibration


def a_test(p: float, replicates: int | None = None) -> Any:
    method = "chi-squared" if replicates is None else "Monte Carlo"
    return properly.calibration.CalibrationTest("score", 1.0, p, method, replicates=replicates)


def summary(ratio: Estimate, slope: Estimate, mean: float = 0.2, rate: float = 0.1) -> Any:
    return SimpleNamespace(
        observed_expected=ratio, slope=slope, mean_forecast=mean, event_rate=rate, certain=0
    )


RIGHT = estimate(1.0, 0.9, 1.1)
HIGH, LOW = estimate(0.5, 0.4, 0.8), estimate(2.0, 1.25, 3.2)
NOTHING_KNOWN = estimate(math.nan, math.nan, math.nan)


def calibration(tests: dict[str, Any], summaries: dict[str, Any] | None = None) -> list[str]:
    known = SimpleNamespace(level=0.95, calibration_tests=tests, calibration=summaries)
    return list(_verdict.calibration(known, WORDS))


def calibrated(summary: Any, total: float = 1000, curve: Any = None) -> list[str]:
    """Say in which way a model is off that the test has shown to be."""
    evaluation = SimpleNamespace(
        level=0.95,
        total=total,
        rows=1000,
        calibration_tests={"a": a_test(0.0001)},
        calibration={"a": summary},
        reliability={"a": curve},
    )
    return list(_verdict.calibration(evaluation, WORDS))


def s_shaped() -> Any:
    """Draw a curve that is too high at 30 % and too low at 70 %."""
    p = np.repeat([0.1, 0.3, 0.5, 0.7, 0.9], 200)
    rate = np.repeat([0.1, 0.45, 0.5, 0.55, 0.9], 200)
    tally = properly.tally(np.arange(1000) % 200 < 200 * rate, p)
    return properly.reliability(tally, band="consistency", rng=1)


# groups


def split(
    difference: float, interval: tuple[float, float], skill: float = 0.0, p: float = 0.5
) -> Any:
    """Make groups of which the first differs from the rest."""

    def contrast(first: float, ends: tuple[float, float]) -> Any:
        return SimpleNamespace(
            difference=np.array([first, 0.0, 0.0]),
            simultaneous=np.array([ends, (-0.1, 0.1), (-0.1, 0.1)]),
            adjusted_p_value=np.array([p, 1.0, 1.0]),
        )

    measures = {
        "score": contrast(difference, interval),
        "skill": contrast(skill, (skill - 0.1, skill + 0.1)),
    }
    return SimpleNamespace(
        measures=measures,
        name=["x", "y", "z"],
        enough=np.array([True, True, True]),
        homogeneity=SimpleNamespace(p_value=p),
        calibration=None,
        level=0.95,
    )


def changed(split: Any, **more: Any) -> Any:
    """Change what is known of groups: the skill of the second, or fields of the record."""
    if "elsewhere" in more:
        split.measures["skill"].difference[1] = more["elsewhere"]
        split.measures["skill"].simultaneous[1] = (
            more["elsewhere"] - 0.1,
            more.pop("elsewhere") + 0.1,
        )
    for name in more.pop("untested", ()):
        split.measures[name].simultaneous[0] = math.nan
    if more.pop("alone", False):
        split.enough[1:] = False
        for contrast in split.measures.values():
            contrast.simultaneous[1:] = math.nan
    if "within" in more:
        split.calibration = SimpleNamespace(adjusted_p_value=np.array(more.pop("within")))
    vars(split).update({name: np.array(x) for name, x in more.items()})
    return split


def pair_of_groups(split: Any) -> Any:
    """Keep two of three groups."""
    split.name, split.enough = ["x", "y"], split.enough[:2]
    for contrast in split.measures.values():
        for what in ("difference", "simultaneous", "adjusted_p_value"):
            setattr(contrast, what, getattr(contrast, what)[:2])
    return split


def grouped(*models: Any, found: ModelStanding | None = None) -> list[str]:
    known = SimpleNamespace(groups=dict(zip("ab", models, strict=False)))
    return list(_verdict.groups(known, found or standing("ab", "ab")))


# what is unknown


def unknown(found: ModelStanding, *notes: str) -> list[str]:
    return list(_verdict.unknown(SimpleNamespace(notes=notes), found, WORDS))
