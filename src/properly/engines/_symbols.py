"""Expressions of columns that pass for arrays, so that rules price them as they price arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import narwhals.stable.v2 as nw
import numpy as np

from properly.engines._symbolic_functions import Symbols
from properly.engines._term import Term, leaf
from properly.engines._term_algebra import where
from properly.engines._term_writing import Writer
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import require_binary

if TYPE_CHECKING:
    from properly.engines._term import Value
    from properly.rules import Rule

# Rows sum to 1 only nearly, so that a class may have a little more than all.
MOST = 2.0
EVENT = leaf("event", 0, 1)
FORECAST = leaf("forecast", 0.0, 1.0)


def price(
    rule: Rule, y: nw.Expr, p: nw.Expr | Sequence[nw.Expr], *, guarded: bool = True
) -> nw.Expr:
    """Price forecasts that are columns of a frame, whatever its engine.

    Parameters
    ----------
    rule : Rule
        For one event a `BinaryRule`, for classes a `ClassRule`.
    y : Expr
        Whether the event happened, or the number of the class that did.
    p : Expr or sequence of Expr
        The probability of the event, or one for each class; nothing is checked.
    guarded : bool
        Whether the engine would warn of log(0), as those do that compute with numpy.

    Returns
    -------
    Expr
        One loss a row. Infinity is a possible loss; NaN is not.
    """
    if not isinstance(p, Sequence):
        return Writer({EVENT: y, FORECAST: p}, guarded=guarded).loss(event_loss(rule), y)
    happened, forecasts = class_leaves(len(p))
    columns = dict(zip([happened, *forecasts], [y, *p], strict=True))
    return Writer(columns, guarded=guarded).loss(class_loss(rule, len(p)), y)


def is_expressible(rule: Rule, classes: int | None = None) -> bool:
    """Tell whether a rule can price columns of an engine: whether it does.

    Parameters
    ----------
    rule : Rule
        The rule.
    classes : int, optional
        The number of classes; without it, the probability of one event is priced.
    """
    p = nw.col("p") if classes is None else [nw.col("p")] * classes
    try:
        price(rule, nw.col("y"), p)
    except Exception:  # noqa: BLE001 - a rule of one's own may fail in any way
        return False
    return True


def event_loss(rule: Rule) -> Value:
    """Return the formula of the loss of one event; each row is priced on its own side."""
    p, rule = Symbols([FORECAST]), require_binary(rule)
    return where(EVENT, _only(rule.loss_if_event(p)), _only(rule.loss_if_none(p)))


def class_loss(rule: Rule, classes: int) -> Value:
    """Return the formula of the loss of classes."""
    rule = require_class_rule(rule)
    rule.require_classes(classes)
    happened, forecasts = class_leaves(classes)
    return _only(rule.price(Symbols([happened], np.int64), Symbols([forecasts])))


def class_leaves(classes: int) -> tuple[Term, list[Term]]:
    """Return what stands for the class that happened, and for the probability of each."""
    forecasts = [leaf("forecast", 0.0, MOST, k) for k in range(classes)]
    return leaf("class", 0, classes - 1), forecasts


def _only(found: Any) -> Value:
    """Return the formula of an array that has one; a number is a formula, too."""
    if isinstance(found, Symbols):
        (value,) = found.values.reshape(-1)
        return cast("Value", value)
    return float(found)
