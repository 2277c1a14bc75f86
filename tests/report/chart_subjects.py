"""Evaluations with groups and times to draw, one of their models with a hostile name."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
from tests.report.threshold_subjects import NAMES

from properly import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from properly.evaluation import Evaluation
    from properly.report._vega import Chart

# Keys whose values Vega reads as an expression, a pattern or a name, and obeys.
OBEYED = ("filter", "labelExpr", "test", "expr", "calculate", "field", "as", "format", "href")
N = 300
SMALL = "few\n<b>"


@cache
def evaluation(rare: bool = True, models: int = 2) -> Evaluation:
    """Evaluate models on 300 cases in three groups, one of them too small, and in three years."""
    rng = np.random.default_rng(5)
    q = rng.beta(1, 12, N) if rare else rng.beta(2, 2, N)
    y = rng.random(N) < q
    group = np.where(np.arange(N) < 12, SMALL, np.where(rng.random(N) < 0.5, "left", "right"))
    forecasts = dict(zip(NAMES, (q, np.round(np.minimum(1.6 * q, 1), 2)), strict=True))
    result: Evaluation = evaluate(
        y,
        dict(list(forecasts.items())[:models]),
        groups=group,
        clusters=np.arange(N) // 2,
        time=np.repeat([2001, 2002, 2003], 100),
        replicates=0,
        rng=1,
    )
    return result


@cache
def class_evaluation() -> Evaluation:
    """Evaluate two forecasts of three classes in two groups and at 30 dates."""
    rng = np.random.default_rng(6)
    p = rng.dirichlet([2, 2, 2], N)
    y = (rng.random((N, 1)) > np.cumsum(p, axis=1)).sum(axis=1)
    return evaluate(
        y,
        dict(zip(NAMES, (p, np.full((N, 3), 1 / 3)), strict=True)),
        groups=np.where(rng.random(N) < 0.5, "left", "right"),
        time=np.datetime64("2020-01-01") + np.arange(N) // 10,
        replicates=0,
        rng=1,
    )


def made(draw: Callable[..., Chart | None], *given: Any) -> Any:
    """Draw a chart that is to be drawn."""
    chart = draw(*given)
    assert chart is not None
    return chart


def rows_of(chart: Chart | None) -> list[dict[str, Any]]:
    """Return the rows of the data that all of a chart shares."""
    assert chart is not None
    rows: list[dict[str, Any]] = chart.spec["data"]["values"]
    return rows


def require_good(chart: Chart | None, models: tuple[str, ...] = NAMES) -> None:
    """Require what all charts have in common, and that names are nothing but data."""
    assert chart is not None
    assert not {"$schema", "config", "background"} & set(chart.spec)
    alt.TopLevelSpec.validate(with_little_data(json.loads(json.dumps(chart.spec, allow_nan=False))))
    names = next(x["value"] for x in chart.spec["params"] if x["name"] == "shown")
    assert set(names) <= set(models)
    assert "indexof(shown, datum.model) >= 0" in json.dumps(chart.spec)
    for words in obeyed(chart.spec):
        assert not any(part in words for part in ("script", "{{", "<b>", "plain", "202e"))
    assert chart.alt.endswith(".")
    assert "\u202e" not in chart.alt
    for table in filter(None, (chart.table, chart.below)):
        assert all(len(row) == len(table.head) for row in table.rows)


def with_little_data(spec: Any) -> Any:
    """Leave out most rows, each of which takes as long to check as all the rest."""
    if isinstance(spec, dict):
        return {
            key: value[:2]
            if key == "values" and isinstance(value, list)
            else with_little_data(value)
            for key, value in spec.items()
        }
    return [with_little_data(part) for part in spec] if isinstance(spec, list) else spec


def obeyed(spec: Any) -> Iterator[str]:
    """Find all that Vega obeys in a specification, but for the data."""
    if isinstance(spec, list):
        for part in spec:
            yield from obeyed(part)
    elif isinstance(spec, dict):
        for key, value in spec.items():
            if key in OBEYED and isinstance(value, str):
                yield value
            elif key != "data":
                yield from obeyed(value)
