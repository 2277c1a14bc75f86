"""Pictures drawn from an evaluation as it is, as a newcomer would ask for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import properly
from properly import plots

RNG = np.random.default_rng(7)
P = RNG.random(300).round(3)
Y = (RNG.random(300) < P).astype(int)
MODELS = {"good": P, "blunt": 0.3 + P / 3}
GRADES = RNG.integers(0, 3, 300)
TABLES = {"one": RNG.dirichlet([2, 2, 2], 300), "other": RNG.dirichlet([1, 1, 1], 300)}
# The rest draws what an evaluation does not hold, and says from what it is drawn.
OF_AN_EVENT = [
    "comparison",
    "comparison_matrix",
    "decision",
    "dominance",
    "groups",
    "mcb_dsc",
    "means_bars",
    "murphy",
    "regret",
    "reliability",
    "reliability_grid",
    "roc",
    "triptych",
    "worst_cases",
]
OF_CLASSES = [
    "comparison",
    "comparison_matrix",
    "confusion",
    "mcb_dsc",
    "reliability",
    "reliability_grid",
    "retention",
    "worst_cases",
]
ONE_MODEL = ("confusion", "groups", "worst_cases")
ALL_TOGETHER = ("comparison", "comparison_matrix", "dominance")


@pytest.fixture(scope="module")
def e() -> properly.Evaluation:
    groups = np.where(np.arange(300) % 2, "old", "new")
    return properly.evaluate(Y, MODELS, groups=groups, within=(0.1, 0.4), replicates=49, rng=1)


@pytest.fixture(scope="module")
def grades() -> properly.Evaluation:
    return properly.evaluate(GRADES, TABLES, task="ordinal", replicates=49, rng=1)


def names(axes: Any) -> set[str]:
    legends = [ax.get_legend() for ax in np.ravel(axes)]
    return {text.get_text() for legend in legends if legend for text in legend.get_texts()}


@pytest.mark.parametrize("kind", OF_AN_EVENT)
def test_every_picture_that_an_evaluation_has_is_drawn(kind: str, e: properly.Evaluation) -> None:
    options = {"model": "good"} if kind in ONE_MODEL else {}
    assert np.size(getattr(plots, kind)(e, **options)) in (1, 2, 3)
    assert np.size(e.plot(kind, **options)) in (1, 2, 3)
    if kind not in ALL_TOGETHER:
        alone = properly.evaluate(Y, P, groups=Y + 0, replicates=0)
        assert getattr(plots, kind)(alone) is not None


@pytest.mark.parametrize("kind", OF_CLASSES)
def test_every_picture_of_classes_is_drawn(kind: str, grades: properly.Evaluation) -> None:
    options = {} if kind in (*ALL_TOGETHER, "mcb_dsc", "retention") else {"model": "one"}
    assert np.size(grades.plot(kind, **options)) in (1, 2)


def test_it_is_the_picture_of_its_records(e: properly.Evaluation) -> None:
    one, other = plots.roc(e), plots.roc(e.roc)
    for mine, theirs in zip(one.get_lines(), other.get_lines(), strict=True):
        np.testing.assert_array_equal(mine.get_xydata(), theirs.get_xydata())
    assert names(one) == names(other)
    assert [ax.get_title() for ax in plots.reliability_grid(e)] == ["good", "blunt"]


def test_a_model_may_be_named_and_an_axes_given(e: properly.Evaluation) -> None:
    ax = plots.reliability(e, model="blunt")
    assert names(ax) == {"blunt"}
    assert plots.reliability(e, ax, model="good") is ax
    assert e.plot("mcb-dsc").get_xlabel() == "miscalibration (MCB)"


def test_the_range_of_an_evaluation_is_that_of_its_regret(e: properly.Evaluation) -> None:
    one, other = plots.regret(e), plots.regret(e.regret, within=e.within)
    for mine, theirs in zip(one.get_lines(), other.get_lines(), strict=True):
        np.testing.assert_array_equal(mine.get_xydata(), theirs.get_xydata())
