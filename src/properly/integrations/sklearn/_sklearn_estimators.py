"""Forecasts of an estimator: its probabilities, and what their columns stand for."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._arrays import as_column, refuse, require_present
from properly._boundary._labels import as_labels
from properly._boundary._libraries import to_numpy
from properly.errors import ArgumentTypeError, DataError
from properly.integrations.sklearn._rows import require_named_in_order
from properly.rules import ClassRule

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from properly.rules import Rule
    from properly.typing import ArrayLike

STRATIFY = (
    "a class that was not seen in training has no column; stratify the folds, so that each "
    "training set has every class."
)


class Forecasts(NamedTuple):
    """Probabilities, one column a class, the classes, and the name of the estimator."""

    p: np.ndarray[Any, Any]
    labels: tuple[Any, ...]
    name: str


def forecasts_of(estimator: Any, X: Any) -> Forecasts:
    """Ask an estimator for its probabilities; refuse one that has none to give."""
    name = type(estimator).__name__
    if not hasattr(estimator, "predict_proba"):
        message = f"a rule judges probabilities; {name} has no predict_proba"
        hint = "CalibratedClassifierCV makes probabilities of what other classifiers say."
        raise ArgumentTypeError(message, hint=hint)
    p = estimator.predict_proba(X)
    if not hasattr(estimator, "classes_"):
        message = f"classes_ must say what the columns of predict_proba stand for; {name} has none"
        raise ArgumentTypeError(message)
    if isinstance(p, list):
        message = f"predict_proba must return one table; {name} returns {len(p)}, one an output"
        raise DataError(message, hint="score each output by itself.")
    labels = as_labels(estimator.classes_, "classes_")
    require_named_in_order(labels, p, "classes_")
    p = np.asarray(p)
    if len(labels) < 2:
        message = f"an estimator must have seen two classes or more; {name} has seen {labels[0]!r}"
        raise DataError(message, hint=STRATIFY)
    if p.ndim != 2 or p.shape[1] != len(labels):
        message = (
            f"predict_proba must have one column for each of {len(labels)} classes_; "
            f"that of {name} has shape {p.shape}"
        )
        raise DataError(message)
    return Forecasts(p, labels, name)


def require_seen(y: ArrayLike, forecasts: Forecasts) -> None:
    """Refuse outcomes for which the estimator has no probability."""
    found = to_numpy(as_column(y, "outcomes"))
    require_present(found, "outcomes")
    known = set(forecasts.labels)
    unseen = np.array([label not in known for label in found.tolist()])
    if unseen.any():
        listed = _listed(forecasts.labels)
        rule = f"outcomes must be classes that {forecasts.name} has seen, {listed}"
        refuse(found, unseen, rule, STRATIFY)


def in_order(forecasts: Forecasts, rule: Rule, labels: Sequence[object] | None) -> Forecasts:
    """Put columns in the order that was asked for, or that numbers have if a rule needs one."""
    p, known, name = forecasts
    if labels is not None:
        asked = as_labels(labels)
        _require_same(asked, forecasts)
    elif not (isinstance(rule, ClassRule) and rule.needs_order):
        return forecasts
    elif all(isinstance(label, Real) for label in known):
        asked = tuple(sorted(known))
    else:
        message = f"{rule!r} needs the order of the classes; {name} has {_listed(known)}"
        hint = "labels= gives the order, as in make_rule_scorer(rule, labels=[…])."
        raise DataError(message, hint=hint)
    return Forecasts(p[:, [known.index(label) for label in asked]], asked, name)


def _require_same(asked: tuple[Any, ...], forecasts: Forecasts) -> None:
    """Refuse labels that are not the classes of the estimator: folds would not be comparable."""
    _, known, name = forecasts
    unseen = [label for label in asked if label not in known]
    if unseen:
        listed = _listed(known)
        message = f"labels must be classes that {name} has seen, {listed}; got {unseen[0]!r}"
        raise DataError(message, hint=STRATIFY)
    left_out = [label for label in known if label not in asked]
    if left_out:
        message = f"labels must have every class that {name} has seen; there is no {left_out[0]!r}"
        raise DataError(message)


def _listed(labels: Iterable[object]) -> str:
    found = [repr(label) for label in labels]
    return ", ".join(found[:6]) + ", …" * (len(found) > 6)
