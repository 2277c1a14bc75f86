"""Formulas of the paper on consequences that are misprinted, and a claim that does not hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly.counts import Tally
from properly.counts._scoring import mean_score
from properly.decisions import mean_net_benefit, ranking, regret_curve
from properly.rules import Bounded, Brier, Regret, Shifted
from reproductions.tables import Errata, formula

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from properly.typing import Column
    from reproductions.tables import Erratum


# A hundred calibrated cases: some theorems hold only for these.
FORECASTS, EACH, EVENTS = (0.05, 0.1, 0.25, 0.5, 0.9), 20, (1, 2, 5, 10, 18)
WITHIN = A, B = 0.1, 0.5
MU = 0.1
# Two verdicts on 100 cases with 30 events, by false positives and false negatives, and a range.
VERDICTS = {"first": (20, 5), "second": (5, 22)}
WIDE = (0.1, 0.9)


@dataclass(frozen=True)
class TwoMeans:
    """Two verdicts that the bounded Brier score and mean net benefit order differently.

    Attributes
    ----------
    bounded_brier, net_benefit : dict of str to float
        The bounded Brier score and the mean net benefit of both over 10 % to 90 %.
    """

    bounded_brier: dict[str, float]
    net_benefit: dict[str, float]

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return both means, by verdict."""
        return {"bounded_brier": self.bounded_brier, "net_benefit": self.net_benefit}

    def __str__(self) -> str:
        """Print both verdicts with both means."""
        first, second = (
            f"bounded Brier {self.bounded_brier[name]:.3f}, mean NB {self.net_benefit[name]:.3f}"
            for name in VERDICTS
        )
        return "\n".join(
            [
                "Section 5: bounded Brier is averaged net benefit. The weights differ by 1 - c:",
                "over 10 % to 90 %, in 100 cases with 30 events,",
                f"  20 false positives,  5 false negatives: {first}",
                f"   5 false positives, 22 false negatives: {second}",
                "The former is better by the bounded Brier score, the latter by mean net benefit.",
            ]
        )


def errata() -> Errata:
    """Evaluate every formula on the small example."""
    makers = (_brier, _bounded, _benefit, _shift, _accuracy)
    about = (
        f"On {EACH * len(EVENTS)} calibrated cases, with a = {A}, b = {B} and mu = {MU};\n"
        "s|ab is s, moved to the nearer end if it lies outside of [a, b]."
    )
    return Errata(tuple(row for make in makers for row in make()), about)


def two_means() -> TwoMeans:
    """Judge two verdicts by two means."""
    pair = {name: _verdict(*wrong) for name, wrong in VERDICTS.items()}
    return TwoMeans(
        {name: mean_score(t, Bounded(Brier(), WIDE)) for name, t in pair.items()},
        {name: mean_net_benefit(t, WIDE) for name, t in pair.items()},
    )


def _example() -> tuple[Tally, Column, Column]:
    """Return the cases, counted and one by one."""
    s = np.repeat(FORECASTS, EACH)
    y = np.concatenate([np.arange(EACH) < events for events in EVENTS]).astype(np.float64)
    return Tally.from_arrays(y, s), y, s


def _brier() -> Iterator[Erratum]:
    tally, y, s = _example()
    mean = regret_curve(tally).area()
    yield formula(
        "Theorem 2.4",
        "Brier score",
        float(np.mean((y - s) ** 2)),
        ("E R(c)", mean),
        ("2 E R(c)", 2 * mean),
    )


def _bounded() -> Iterator[Erratum]:
    tally, y, s = _example()
    clipped, label = np.clip(s, A, B), np.clip(y, A, B)
    square = float(np.mean((y - clipped) ** 2 - (y - label) ** 2)) / (B - A)
    yield formula(
        "Theorems 3.3, D.5",
        "mean regret, c uniform",
        regret_curve(tally).area(WITHIN) / (B - A),
        ("[E (y - s|ab)^2 - E (y - y|ab)^2] / (b - a)", square),
        ("half of that", square / 2),
    )
    width = math.log(B / (1 - B)) - math.log(A / (1 - A))
    logs = np.log(1 - np.abs(y - clipped)) - np.log(1 - np.abs(y - label))
    right = float(np.mean(logs)) / width
    yield formula(
        "Theorems 3.4, D.6",
        "mean regret, log-odds uniform",
        mean_score(tally, Regret(WITHIN, prior="logit")),
        ("[E log(1 - |y - s|ab|) - E log(1 - |y - y|ab|)] / width", right),
        ("minus that", -right),
    )


def _benefit() -> Iterator[Erratum]:
    tally, y, s = _example()

    def mean(if_event: Callable[[Column], Column]) -> float:
        def loss(c: Column) -> Column:
            return np.where(y == 1, if_event(c), (1 - c) - np.log(1 - c))

        return float(np.mean(y - (loss(np.clip(s, A, B)) - loss(np.clip(y, A, B))) / (B - A)))

    yield formula(
        "Theorems 3.7, E.2",
        "mean net benefit",
        mean_net_benefit(tally, WITHIN),
        ("with L = s if y = 1", mean(lambda c: c)),
        ("with L = -s if y = 1", mean(lambda c: -c)),
    )


def _shift() -> Iterator[Erratum]:
    tally, y, s = _example()
    yield formula(
        "Definition D.7",
        "M(0.2, mu), the log-odds of 0.2 less those of mu",
        1 / (1 + math.exp(-(math.log(0.2 / 0.8) - math.log(MU / (1 - MU))))),
        ("1 / (1 + exp(logit s - logit mu))", 1 - float(_moved(0.2, MU))),
        ("1 / (1 + exp(-(logit s - logit mu)))", float(_moved(0.2, MU))),
    )
    there = float(_moved(0.37, MU))
    yield formula(
        "Proposition D.8",
        "s = 0.37, there and back",
        0.37,
        ("M(M(s, mu), -mu), a log-odds of a negative number", math.nan),
        ("M(M(s, mu), 1 - mu)", float(_moved(there, 1 - MU))),
    )
    yield formula(
        "Theorem D.10",
        "E (y - s')^2, s' = M(s, mu) as corrected",
        float(np.mean((y - _moved(s, MU)) ** 2)),
        # Substitute t = M(c, mu): half of a Brier score that is shifted the other way.
        ("E R(M(c, mu)), c uniform", mean_score(tally, Shifted(1 - MU)) / 2),
        (
            "2 E [cost c at the threshold M(c, 1 - mu)]",
            2 * regret_curve(Tally.from_arrays(y, _moved(s, MU))).area(),
        ),
    )
    published = Shifted(MU, form="published")
    yield formula(
        "Appendix G",
        "least E (y - s')^2 if P(y = 1) = 0.2, so s' = 0.2",
        0.2 * 0.8,
        ("at s = 0.2, as if it were proper", float(published.entropy([0.2])[0])),
        ("at s = M(0.2, 1 - mu)", _expected(published, 0.2, float(_moved(0.2, 1 - MU)))),
    )


def _accuracy() -> Iterator[Erratum]:
    tally, y, s = _example()
    found = ranking(tally, within=WITHIN)
    above, beside = found.partial_auc_above or 0.0, found.partial_auc_beside or 0.0
    regret, value = found.regret_at_scores or 0.0, found.balanced_average_accuracy or 0.0
    inside, rate = (s >= A) & (s <= B), y.mean()
    others, events = inside[y == 0].mean(), inside[y == 1].mean()
    share = others / (others + events)
    yield formula(
        "Definition I.9",
        "balanced average accuracy",
        value,
        ("fraction + average + fraction + average", float(1 + above / others + beside / events)),
        (
            "fraction x average + fraction x average",
            float(share * above / others + (1 - share) * beside / events),
        ),
    )
    factor = inside.mean() / (rate * (1 - rate) * (others + events))
    rest = rate + (1 - 2 * rate) * y[inside].mean()
    yield formula(
        "Theorem I.11",
        f"the same, at the event rate {rate:.2f}",
        value,
        ("k E[-R(s)] + pi + (1 - 2 pi) E y, as in the proof", float(rest - factor * regret)),
        ("k {E[-R(s)] + pi + (1 - 2 pi) E y}", float(factor * (rest - regret))),
    )


def _verdict(false_positives: int, false_negatives: int) -> Tally:
    """Count forecasts of 0 and 1 in 100 cases with 30 events."""
    caught = 30 - false_negatives
    acted = caught + false_positives
    return Tally.from_counts([0.0, 1.0], [100 - acted, acted], [false_negatives, caught])


def _moved(s: Any, mu: float) -> Any:
    """Subtract the log-odds of mu from those of s."""
    return s * (1 - mu) / (s * (1 - mu) + (1 - s) * mu)


def _expected(rule: Shifted, q: float, p: float) -> float:
    """Return the expected loss of the forecast p if the event has probability q."""
    event, none = rule.loss([1, 0], [p, p])
    return float(q * event + (1 - q) * none)
