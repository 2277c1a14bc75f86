"""What is computed most, as a script: prints all its numbers, as JSON, for `test_processors`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import properly
from properly._boundary._record import plain
from properly.rules import Brier, Log


def results() -> dict[str, Any]:
    """Compute, from a seed, what sums, draws, factorizes and multiplies matrices."""
    rng = np.random.default_rng(3)
    truth = rng.random(400)
    y = (rng.random(400) < truth).astype(int)
    good = np.clip(truth + rng.normal(0, 0.05, 400), 0.001, 0.999)
    # Exact 0 and 1, and many ties.
    coarse = np.clip(truth + rng.normal(0, 0.3, 400), 0, 1).round(1)
    models = {"good": good, "coarse": coarse}
    certain = properly.tally([0, 0, 1, 1] * 10, [0.0, 0.1, 0.5, 1.0] * 10)
    options: dict[str, Any] = {"replicates": 50, "rng": 1}
    pair = properly.Cases(y, good), properly.Cases(y, coarse)
    grades = rng.multinomial(30, [0.2, 0.5, 0.3], 200) / 30
    ordered = properly.Cases(rng.integers(0, 3, 200), grades)
    return {
        "band of certain forecasts": [
            properly.reliability(certain, band="consistency", method="continuous", rng=1),
            properly.reliability(certain, band="consistency", method="discrete", rng=1),
            properly.reliability(certain, band="confidence", method="resampling", rng=1),
        ],
        "parts": properly.decompose(pair[1], Log(), interval=True, **options),
        "grades": properly.decompose(ordered, properly.rules.RPS()),
        "dominance": properly.decisions.dominance(*pair, rng=1),
        "comparison": properly.compare(y, models, rule=Brier()),
        "calibration": properly.calibration_summary(pair[0], **options),
        "evaluation": properly.evaluate(y, models, within=(0.1, 0.3), **options),
    }


if __name__ == "__main__":
    print(json.dumps({what: plain(result) for what, result in results().items()}))  # noqa: T201
