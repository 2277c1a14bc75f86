"""A page of many cases weighs what one of few does."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import properly
from properly.report._page import page

FEW, MANY = 10_000, 200_000


def printed(cases: int, kind: str) -> str:
    rng = np.random.default_rng(5)
    z = rng.normal(-2.5, 1.1, cases)
    columns: dict[str, Any] = {"replicates": 19}
    if kind == "clusters":
        columns = {"replicates": 0, "clusters": np.arange(cases) // 10}
    y = rng.random(cases) < 1 / (1 + np.exp(-z))
    sharp, steep, vague = (
        1 / (1 + np.exp(-slope * z - noise * rng.normal(size=cases)))
        for slope, noise in ((1, 0.2), (1.4, 0.3), (1, 0.8))
    )
    models = {"sharp": sharp, "steep": steep, "rounded": np.round(vague, 2)}
    e = properly.evaluate(y, models, within=(0.02, 0.2), rng=1, **columns)
    return page(e)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["independent", "clusters"])
def test_many_cases_make_a_page_as_light_as_few(kind: str) -> None:
    few, many = printed(FEW, kind), printed(MANY, kind)
    assert len(many) <= 1.1 * len(few)
    charts = [
        {name: len(json.dumps(spec)) for name, spec in json.loads(found[1]).items()}
        for text in (few, many)
        if (found := re.search(r'id="charts">(.*?)</script>', text, re.DOTALL))
    ]
    assert charts[0].keys() == charts[1].keys()
    for name, size in charts[1].items():
        assert size <= 2 * charts[0][name], name
