"""Evaluations to print: small ones, so that pages are made in seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import properly

if TYPE_CHECKING:
    from pathlib import Path

    from properly import Evaluation

CRASH = {"title": "Death in car crashes", "cases": "people", "event": "death"}
# Of the accidents of the example every sixth is kept, with about 1,500 people.
EVERY = 6
# What should stay text wherever it stands.
HOSTILE = (
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    '"><svg onload=window.pwned=1>',
    "{{7*7}}",
    "${window.pwned=1}",
    "javascript:window.pwned=1",
    "datum.model",
)
# What is hard to show, what a baseline is called too, and what every object of JavaScript has.
ODD = (
    "a\0b\x1b[31mc\nd\N{LINE SEPARATOR}e\N{RIGHT-TO-LEFT OVERRIDE}f",
    "x" * 300,
    "",
    "treat all",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
)


class Printed(NamedTuple):
    """An evaluation and the page printed from it."""

    evaluation: Any
    path: Path


def some_accidents() -> tuple[Any, dict[str, Any], Any]:
    """Return who died, the forecasts, and which rows of the example these are."""
    crash = properly.datasets.crash()
    kept = crash.cluster % EVERY == 0
    return crash.died[kept], {name: p[kept] for name, p in crash.forecasts.items()}, kept


def crash_evaluation() -> Evaluation:
    """Evaluate some accidents of the example with all there is: groups, time, a range."""
    crash, (y, forecasts, kept) = properly.datasets.crash(), some_accidents()
    evaluation: Evaluation = properly.evaluate(
        y,
        forecasts,
        within=(0.01, 0.1),
        clusters=crash.cluster[kept],
        groups=crash.sex[kept],
        time=crash.year[kept],
        replicates=9,
        rng=0,
    )
    return evaluation


def ordinal_evaluation() -> Evaluation:
    """Evaluate forecasts of how badly people were hurt."""
    crash = properly.datasets.crash()
    kept = np.flatnonzero(crash.severity >= 0)[:600]
    labels = list(crash.severity_labels)
    flatter = crash.severity_probabilities[kept] / 2 + 1 / (2 * len(labels))
    return properly.evaluate(
        np.array(labels)[crash.severity[kept]],
        {"logistic": crash.severity_probabilities[kept], "flatter": flatter},
        task="ordinal",
        labels=labels,
        groups=crash.sex[kept],
        replicates=9,
        rng=0,
    )


def classes_evaluation(names: tuple[str, ...], labels: tuple[str, ...]) -> Evaluation:
    """Evaluate models of classes without an order, with groups called as the classes."""
    rng = np.random.default_rng(3)
    P = rng.dirichlet(np.ones(len(labels)), 150)
    outcome = np.array([rng.choice(len(labels), p=p) for p in P])
    called = np.array(labels, dtype=object)
    weights = np.linspace(0, 0.5, len(names))
    return properly.evaluate(
        called[outcome],
        {name: (1 - w) * P + w / len(labels) for name, w in zip(names, weights, strict=True)},
        task="multiclass",
        labels=list(labels),
        groups=called[np.arange(len(P)) % len(labels)],
        replicates=9,
        rng=0,
    )


def synthetic_evaluation(
    names: tuple[str, ...], cases: int, groups: tuple[str, ...] = ()
) -> Evaluation:
    """Evaluate models of which each sees a little less than the one before."""
    rng = np.random.default_rng(7)
    truth = rng.beta(1, 4, cases)
    models = {
        name: np.clip(truth + rng.normal(0, 0.01 + 0.01 * k, cases), 0.002, 0.998)
        for k, name in enumerate(names)
    }
    evaluation: Evaluation = properly.evaluate(
        (rng.uniform(size=cases) < truth).astype(int),
        models,
        groups=[groups[k % len(groups)] for k in range(cases)] if groups else None,
        replicates=9,
        rng=0,
    )
    return evaluation
