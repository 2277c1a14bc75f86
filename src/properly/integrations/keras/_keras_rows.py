"""What Keras hands over, as rows: outcomes, forecasts and weights in the shapes of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from properly._boundary._libraries import is_numpy, namespace, to_library_of
from properly.errors import DataError
from properly.rules import BinaryRule, ClassRule

if TYPE_CHECKING:
    from properly.rules import Rule
    from properly.typing import Array


class KerasRows(NamedTuple):
    """Outcomes, forecasts, weights or None; one row a case, and classes are columns."""

    y: Array
    p: Array
    weight: Array | None

    @property
    def has_classes(self) -> bool:
        """Whether forecasts have one column a class, and not one number for an event."""
        return len(self.p.shape) == 2


def as_keras_rows(
    rule: Rule, y: Array, p: Array, weight: Array | None, mask: Array | None = None
) -> KerasRows:
    """Bring arrays into rows; the last axis of forecasts is the classes, or has length 1."""
    shape = tuple(p.shape)
    columns = shape[-1] if len(shape) > 1 else 1
    cases = shape[:-1] if len(shape) > 1 else shape
    _require_kind(rule, shape, columns)
    one_hot = columns > 1 and tuple(y.shape) == shape
    if not one_hot:
        _require_shape("y_true", "outcome", tuple(y.shape), cases, shape if columns > 1 else None)
    if weight is not None:
        _require_shape("sample_weight", "weight", tuple(weight.shape), cases)
        weight = weight.reshape(-1)
    if mask is not None:
        _require_shape("the mask of y_pred", "entry", tuple(mask.shape), cases)
        weight = _without_masked(weight, mask.reshape(-1))
    return KerasRows(
        y.reshape(-1, columns) if one_hot else y.reshape(-1),
        p.reshape(-1, columns) if columns > 1 else p.reshape(-1),
        weight,
    )


def _without_masked(weight: Array | None, mask: Array) -> Array:
    """Give the weight 0 to steps that are masked."""
    xp = namespace(mask)
    if weight is None:
        return xp.astype(mask, xp.float32)
    weight = to_library_of(weight, mask) if is_numpy(weight) else weight
    return xp.where(xp.astype(mask, xp.bool), weight, xp.zeros_like(weight))


def _require_kind(rule: Rule, shape: tuple[int, ...], columns: int) -> None:
    """Refuse forecasts of an event by a rule for classes, and the other way round."""
    if not shape or (columns > 1 and not isinstance(rule, ClassRule)):
        message = f"{rule!r} prices one event: y_pred must be of shape (n,) or (n, 1); got {shape}"
        raise DataError(message, hint="Ranked(rule) prices ordered classes.")
    if columns == 1 and not isinstance(rule, BinaryRule):
        message = f"{rule!r} prices classes: y_pred must have a column for each; got shape {shape}"
        raise DataError(message, hint="for one event, take a rule such as Brier().")


def _require_shape(
    name: str,
    what: str,
    shape: tuple[int, ...],
    cases: tuple[int, ...],
    one_hot: tuple[int, ...] | None = None,
) -> None:
    """Refuse arrays that do not have one entry a case."""
    if shape not in (cases, (*cases, 1)):
        rows = "" if one_hot is None else f", or {one_hot} with a single 1 in each row"
        message = (
            f"{name} must have one {what} for each forecast, shape {cases} or {(*cases, 1)}{rows}; "
            f"got {shape}"
        )
        raise DataError(message)
