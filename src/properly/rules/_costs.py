"""Cost matrices, a row a class and a column a decision, and the best decisions."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from properly._boundary._arrays import HUGE, as_array, as_numbers, refuse
from properly._boundary._chunks import sweep
from properly._boundary._libraries import beside, is_numpy, namespace, to_numpy
from properly._boundary._notices import notice
from properly.errors import DataError
from properly.typing import Array, ArrayLike

NamedCost = Literal["zero_one", "absolute", "quadratic"]
NAMED: tuple[NamedCost, ...] = get_args(NamedCost)
Cost: TypeAlias = "NamedCost | ArrayLike"
Matrix: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


def cost_matrix(cost: Cost, classes: int) -> Matrix:
    """Return the cost of each decision if each class happens, checked."""
    if isinstance(cost, str):
        return _by_distance(cost, classes)
    matrix = to_numpy(as_numbers(as_matrix(cost), "costs")).astype(np.float64)
    if matrix.shape[0] != classes:
        message = (
            f"costs must have one row for each of {classes} classes and one column a decision; "
            f"got shape {tuple(matrix.shape)}"
        )
        raise DataError(message)
    if not (np.abs(matrix) <= HUGE).all():
        refuse(matrix, ~(np.abs(matrix) <= HUGE), f"costs must lie between {-HUGE:g} and {HUGE:g}")
    _warn_of_cheap_mistakes(matrix)
    return matrix


def as_matrix(cost: ArrayLike) -> Array:
    """Take a table of costs of any size, its entries unchecked."""
    matrix = as_array(cost, "costs")
    if matrix.ndim != 2 or 0 in matrix.shape:
        message = (
            "costs must be a matrix, one row a class and one column a decision; "
            f"got shape {tuple(matrix.shape)}"
        )
        raise DataError(message)
    return matrix


def expected_costs(p: Array, cost: Matrix) -> Array:
    """Return what each decision would cost on average, if the forecasts were true."""
    return p @ beside(cost, p)


def optimal(p: Array, cost: Matrix) -> Array:
    """Tell which decisions have the least expected cost, up to rounding.

    That is one of the numbers that were handed in, which in single precision are known to seven
    digits, and one of their sums, which grows with the number of classes.
    """
    xp = namespace(p)
    own = float(xp.finfo(p.dtype).eps)
    single = float(np.finfo(np.float32).eps)
    p = xp.astype(p, xp.float64) if is_numpy(p) else xp.astype(p, xp.float32) if own > single else p
    eps = min(own, single) / 2 + cost.shape[0] * float(xp.finfo(p.dtype).eps)
    expected, slack = expected_costs(p, cost), eps * expected_costs(p, np.abs(cost))
    return expected - slack <= xp.min(expected + slack, axis=1, keepdims=True)


def likeliest(p: Array, tolerance: float = 0.0) -> Array:
    """Tell which classes have the largest probability, or one that is hardly smaller."""
    xp = namespace(p)
    return p >= xp.max(p, axis=1, keepdims=True) - tolerance


def first_of(chosen: Array) -> Array:
    """Return the number of the first column that is true in each row."""
    xp = namespace(chosen)
    return xp.argmax(xp.astype(chosen, xp.uint8), axis=1)


def decide_by_cost(p: Array, cost: Matrix) -> Array:
    """Return the decision of least expected cost; of several, the first."""
    if not is_numpy(p):
        return first_of(optimal(p, cost))
    return np.concatenate(sweep(lambda piece: first_of(optimal(piece, cost)), p))


def decide_by_mode(p: Array) -> Array:
    """Return the likeliest class; of several, the first."""
    return namespace(p).argmax(p, axis=1)


def _by_distance(cost: str, classes: int) -> Matrix:
    if cost not in NAMED:
        listed = ", ".join(repr(name) for name in NAMED)
        message = f"costs must be {listed} or a matrix; got {cost!r}"
        raise DataError(message)
    place = np.arange(classes, dtype=np.float64)
    apart = np.abs(place[:, None] - place[None, :])
    if cost == "zero_one":
        return (apart > 0).astype(np.float64)
    return apart if cost == "absolute" else apart * apart


def _warn_of_cheap_mistakes(cost: Matrix) -> None:
    """Say if a mistake costs less than the right answer; a matrix may be the wrong way round."""
    if cost.shape[1] < cost.shape[0]:
        return
    right = np.diagonal(cost)[:, None]
    cheaper = np.argwhere(cost[:, : cost.shape[0]] < right)
    if cheaper.size:
        row, column = cheaper[0]
        message = (
            f"a mistake should not cost less than the right answer; if class {row} happens, "
            f"decision {column} costs {cost[row, column]:g}, decision {row} costs "
            f"{cost[row, row]:g}"
        )
        notice(message)
