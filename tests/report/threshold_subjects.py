"""An evaluation to draw, one of its models with a hostile name."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from properly import evaluate

if TYPE_CHECKING:
    from properly.evaluation import Evaluation
    from properly.report._vega import Spec

HOSTILE = "</script>{{x}}\n\"'datum.model\u202e"
NAMES = ("plain", HOSTILE)


@cache
def evaluation(within: tuple[float, float] | None = (0.05, 0.3), replicates: int = 0) -> Evaluation:
    """Evaluate two models on the same 200 cases: one continuous, one rounded and never certain."""
    rng = np.random.default_rng(3)
    q = rng.beta(1, 6, 200)
    y = rng.random(200) < q
    forecasts = {"plain": q, HOSTILE: np.round(0.3 * rng.random(200) + 0.7 * q, 2)}
    result: Evaluation = evaluate(y, forecasts, within=within, replicates=replicates, rng=1)
    return result


def of_one_class(event: bool) -> Evaluation:
    """Evaluate a model where everybody, or nobody, had the event."""
    result: Evaluation = evaluate(
        np.full(3, event), {"plain": [0.2, 0.5, 0.6]}, task="binary", replicates=0
    )
    return result


def on_grid(spec: Spec) -> list[float]:
    """Return the thresholds that curves share."""
    (values,) = (param["value"] for param in spec["params"] if param["name"] == "grid")
    result: list[float] = values
    return result


def in_view(x: Any, *, zoomed: bool) -> Any:
    """Read what depends on the view, as it is in one of them."""
    if isinstance(x, list):
        return [in_view(part, zoomed=zoomed) for part in x]
    if not isinstance(x, dict):
        return x
    within, whole = x["expr"].removeprefix("zoomed ? ").split(" : ")
    return json.loads(within if zoomed else whole)


def data_of(spec: Spec, name: str) -> list[dict[str, Any]]:
    """Return the rows of the first layer whose data have this name, which models have."""
    rows: list[dict[str, Any]] = next(
        x["data"]["values"] for x in spec["layer"] if x["data"].get("name") == name
    )
    return rows
