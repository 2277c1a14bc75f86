"""Where a penalty for wrong decisions changes which of two models is better."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from properly.counts._cases import require_classes
from properly.decisions._models import require_same_rows
from properly.errors import DataError, ImproperRuleError
from properly.rules import Brier, Misclassification
from properly.rules._class_rule import require_class_rule

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.rules import ClassRule


# Means that differ by less than this share of themselves differ by rounding alone.
ROUNDING = 2.0**-40


def switching_penalty(first: Cases, second: Cases, rule: ClassRule | None = None) -> float | None:
    r"""Find the penalty at which two models change places.

    .. math:: \lambda = \frac{\bar S_2 - \bar S_1}{\bar Z_1 - \bar Z_2} ,

    with the mean scores :math:`\bar S` and the error rates :math:`\bar Z` of both models.

    Parameters
    ----------
    first, second : Cases
        Two models of the same cases, with one column of probabilities a class.
    rule : ClassRule, optional
        The rule without the penalty; `Brier` unless said otherwise.

    Returns
    -------
    float or None
        Below it, the model with the better score is preferred; above it, the one that errs less
        often. None if one model is not worse in either, and so is preferred whatever the penalty.

    Notes
    -----
    A penalized score is the score plus the penalty times the error rate, so it ranks two models by
    a weighted sum. This says at which weight the ranking turns, which no single penalty tells.
    Errors are shared out among classes that tie for the largest probability, as `Misclassification`
    does.

    Examples
    --------
    >>> import properly
    >>> y = [0, 1, 2]
    >>> timid = properly.Cases(y, [[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4]])
    >>> bold = properly.Cases(y, [[1, 0, 0], [0, 1, 0], [0, 0.51, 0.49]])
    >>> round(properly.switching_penalty(bold, timid), 4)
    1.0998
    """
    models = {"first": require_classes(first), "second": require_classes(second)}
    require_same_rows(models)
    if first.labels != second.labels:
        message = f"models must have the same classes; got {first.labels} and {second.labels}"
        raise DataError(message)
    rules = require_class_rule(Brier() if rule is None else rule), Misclassification()
    if not rules[0].is_proper:
        message = f"only a proper rule chooses between models; {rules[0]!r} is improper"
        raise ImproperRuleError(message)
    scores, errors = (
        [float(r.mean_price(c.y, c.p, c.weight)) for c in models.values()] for r in rules
    )
    gain, loss = scores[1] - scores[0], errors[0] - errors[1]
    # One model is better by the score and worse by its errors if both have the same sign.
    told = abs(gain) > ROUNDING * max(scores) and abs(loss) > ROUNDING * max(errors)
    return gain / loss if told and gain * loss > 0 and math.isfinite(gain) else None
