"""The penalty at which two models change places."""

import numpy as np
import pytest

from properly import Cases
from properly.decisions import switching_penalty
from properly.errors import DataError, ImproperRuleError
from properly.rules import PBS, RPS, Brier, Log, Penalized, SquaredAbsoluteRPS

Y = [0, 1, 2, 2]
TIMID = [[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4], [0.3, 0.3, 0.4]]
BOLD = [[1, 0, 0], [0, 1, 0], [0, 0.51, 0.49], [0, 0, 1]]


@pytest.mark.parametrize("rule", [Brier(), Log(), RPS()], ids=repr)
def test_penalized_scores_cross_where_it_says(rule: Brier | Log | RPS) -> None:
    found = switching_penalty(Cases(Y, BOLD), Cases(Y, TIMID), rule)
    assert found is not None
    bold, timid = (Penalized(rule, found)(Y, p) for p in (BOLD, TIMID))
    assert bold == pytest.approx(timid, rel=1e-12)
    assert Penalized(rule, 0.9 * found)(Y, BOLD) < Penalized(rule, 0.9 * found)(Y, TIMID)
    assert Penalized(rule, 1.1 * found)(Y, BOLD) > Penalized(rule, 1.1 * found)(Y, TIMID)


def test_the_order_of_the_models_makes_no_difference() -> None:
    bold, timid = Cases(Y, BOLD), Cases(Y, TIMID)
    assert switching_penalty(bold, timid) == switching_penalty(timid, bold)


def test_brier_is_the_rule_unless_said_otherwise() -> None:
    bold, timid = Cases(Y, BOLD), Cases(Y, TIMID)
    found = switching_penalty(bold, timid)
    assert found is not None
    assert found == switching_penalty(bold, timid, Brier())
    assert PBS(found)(Y, BOLD) == pytest.approx(PBS(found)(Y, TIMID), rel=1e-12)


def test_a_model_that_is_better_in_both_is_so_for_every_penalty() -> None:
    sure, timid = Cases(Y, np.eye(3)[Y]), Cases(Y, TIMID)
    assert switching_penalty(sure, timid) is None
    assert switching_penalty(timid, timid) is None
    wrong = Cases(Y, [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]])
    assert switching_penalty(wrong, timid, Log()) is None


def test_weights_count() -> None:
    weight = [1, 2, 0, 3]
    bold, timid = (Cases(Y, p, weight=weight) for p in (BOLD, TIMID))
    # Without the third case the bold one never errs.
    assert switching_penalty(bold, timid) is None


def test_models_of_other_cases_are_refused() -> None:
    with pytest.raises(DataError, match="Cases are compared row by row"):
        switching_penalty(Cases(Y, BOLD), Cases(Y[::-1], TIMID))


def test_error_rates_that_differ_by_rounding_are_equal() -> None:
    y, weight = [0, 1, 0, 1], [0.7, 0.6, 0.1, 0.2]
    first, second = (Cases(y, [p] * 4, weight=weight) for p in ([0.6, 0.4], [0.3, 0.7]))
    assert switching_penalty(first, second) is None


def test_what_cannot_choose_is_refused() -> None:
    bold, timid = Cases(Y, BOLD), Cases(Y, TIMID)
    with pytest.raises(ImproperRuleError, match=r"^only a proper rule chooses between models; "):
        switching_penalty(bold, timid, SquaredAbsoluteRPS())
    with pytest.raises(DataError, match=r"^models must have the same classes; got \(0, 1, 2\) and"):
        switching_penalty(bold, Cases(Y, TIMID, labels=["a", "b", "c"]))
