"""Every message about exact sums, and about scores from sums, word for word."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly.engines._exact import ScoreSums, Total, exact_sum, sum_of_products
from properly.errors import DataError, ImproperRuleError
from properly.evaluation._summed_scores import compare_sums, score_of, skill_of
from properly.rules import Brier, Log, SquaredAbsoluteRPS

if TYPE_CHECKING:
    from collections.abc import Callable

Y, P = np.array([True, False]), np.array([0.5, 0.25])
TABLE = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]])


def sums_of(
    models: tuple[str, ...] = ("a", "b"), rules: tuple[Any, ...] = (Brier(),), **options: Any
) -> ScoreSums:
    """Sum two rows."""
    p = TABLE if options.get("classes") else P
    y = Y.astype(int) if options.get("classes") else Y
    weight = options.pop("weight", None)
    return ScoreSums.of_rows(models, rules, y, dict.fromkeys(models, p), weight, **options)


CLUSTERED, RANKED = np.array([3, 4]), SquaredAbsoluteRPS()

SAID: list[tuple[type[Exception], str, Any]] = [
    (
        DataError,
        "an exact sum is of finite numbers; got nan",
        lambda: exact_sum(np.array([1.0, math.nan])),
    ),
    (DataError, "an exact sum is of finite numbers; got inf", lambda: Total.of(math.inf)),
    (
        DataError,
        "an exact sum is of finite numbers; got inf",
        lambda: sum_of_products(np.array([math.inf]), np.array([1.0])),
    ),
    (
        DataError,
        "sums that are added must be of the same models, in order; got 'a', 'b' and 'b', 'a'",
        lambda: sums_of() + sums_of(("b", "a")),
    ),
    (
        DataError,
        "sums that are added must be of the same rules, in order; got Brier() and Brier(), Log()",
        lambda: sums_of() + sums_of(rules=(Brier(), Log())),
    ),
    (
        DataError,
        "sums that are added must be of one event, or of as many classes; got one event and 3 classes",
        lambda: sums_of() + sums_of(classes=3),
    ),
    (
        DataError,
        (
            "sums of clusters do not add; rows of one cluster may be in both"
            "\n\nHint: sum all rows at once, or take cases as independent."
        ),
        lambda: sums_of(clusters=CLUSTERED) + sums_of(),
    ),
    (
        DataError,
        "clusters say how far off an estimate may be only if there are two or more; got one",
        lambda: sums_of(clusters=np.array([3, 3])),
    ),
    (
        DataError,
        "the model must be one of those summed, 'a', 'b'; got 'c'",
        lambda: score_of(sums_of(), "c", Brier()),
    ),
    (
        DataError,
        "the rule must be one of those summed, Brier(); got Log()",
        lambda: skill_of(sums_of(), "a", Log()),
    ),
    (
        DataError,
        "the rule must be one of those summed, Brier(); got 'auc'",
        lambda: compare_sums(sums_of(), "auc"),  # type: ignore[arg-type]
    ),
    (
        DataError,
        "a score needs at least one case of positive weight; these sums have none",
        lambda: score_of(sums_of(weight=np.zeros(2)), "a", Brier()),
    ),
    (
        DataError,
        "there must be at least 2 models to compare; got 1",
        lambda: compare_sums(sums_of(("a",)), Brier()),
    ),
    (
        DataError,
        "a level must lie between 0 and 1, both left out; got 95\n\nHint: write 0.95 for 95 %.",
        lambda: score_of(sums_of(), "a", Brier(), level=95),
    ),
    (
        ImproperRuleError,
        "without a reference, the skill of an improper rule has no interval; got SquaredAbsoluteRPS()",
        lambda: skill_of(sums_of(rules=(RANKED,), classes=3), "a", RANKED),
    ),
]


@pytest.mark.parametrize(("kind", "said", "provoke"), SAID)
def test_the_message_is(kind: type[Exception], said: str, provoke: Callable[[], object]) -> None:
    with pytest.raises(kind) as caught:
        provoke()
    assert str(caught.value) == said
