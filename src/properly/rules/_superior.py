"""What lets every correct forecast beat every wrong one."""

from __future__ import annotations

import math

import numpy as np

from properly._boundary._labels import check_count
from properly.errors import DataError
from properly.rules._brier import Brier
from properly.rules._class_rule import ClassRule, require_class_rule
from properly.rules._log import Log
from properly.rules._ranked import RPS


def superior_penalty(rule: ClassRule, classes: int) -> float:
    r"""Return the smallest penalty that puts correct forecasts before wrong ones.

    .. math:: \lambda = \sup_{p_y > p_k \text{ for all } k \ne y} S(p, y)
        - \inf_{p_k > p_y \text{ for some } k} S(p, y) .

    Parameters
    ----------
    rule : ClassRule
        `Brier`, `Log`, or `RPS` without weights of its own.
    classes : int
        The number of classes.

    Returns
    -------
    float
        (K - 2) / (2 K) for `Brier`, log(K / 2) for `Log`; 0 for two classes, which need no penalty.

    Notes
    -----
    A forecast is correct here if the class that happened has the largest probability alone, and
    wrong if another class has a larger one. The least loss of a wrong forecast is approached and
    never reached, so the penalty may be just as large as this.

    The greatest loss of a correct forecast is that of the uniform one for `Brier` and `Log`. For
    `RPS` it is the largest loss of a uniform forecast of the lowest class, which happens, and the
    last t: 1/4, 5/18, 1/3, 13/36 … for K = 2, 3, 4, 5 …. The least loss of a wrong one is 1/2,
    log 2, and, for `RPS` with three classes or more, 1 / (5 (K - 1)).

    Examples
    --------
    >>> from properly.rules import RPS, Brier, superior_penalty
    >>> superior_penalty(Brier(), 4)
    0.25
    >>> round(superior_penalty(RPS(), 4) * 15)
    4
    """
    return greatest_if_correct(rule, classes) - least_if_wrong(rule, classes)


def greatest_if_correct(rule: ClassRule, classes: int) -> float:
    """Return the greatest loss of a forecast whose largest probability is that of the outcome."""
    check_count(classes)
    if isinstance(rule, Brier):
        return (classes - 1) / classes * rule.factor(classes)
    if isinstance(rule, Log):
        return math.log(classes)
    scale = _scale_of_rps(rule, classes)
    uniform = [_first_and_last(classes, t) for t in range(classes)]
    return scale * float(RPS().price(np.zeros(classes, dtype=np.int64), np.array(uniform)).max())


def least_if_wrong(rule: ClassRule, classes: int) -> float:
    """Return what the loss of a wrong forecast comes near to, from above."""
    check_count(classes)
    if isinstance(rule, Brier):
        return rule.factor(classes) / 2
    if isinstance(rule, Log):
        return math.log(2)
    least = 1 / 4 if classes == 2 else 1 / (5 * (classes - 1))
    return _scale_of_rps(rule, classes) * least


def _first_and_last(classes: int, last: int) -> list[float]:
    """Return equal probabilities of the first class and of the last few."""
    return [1 / (last + 1) if k == 0 or k >= classes - last else 0.0 for k in range(classes)]


def _scale_of_rps(rule: ClassRule, classes: int) -> float:
    if isinstance(rule, RPS) and rule.weights is None:
        return 1.0 if rule.normalized else classes - 1.0
    message = f"the penalty is known for Brier, Log and RPS without weights; got {rule!r}"
    require_class_rule(rule)
    raise DataError(message, hint="Penalized(rule, penalty=…) takes any number.")
