"""Array libraries: namespaces, moves between libraries, read-only copies, infinite results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import array_api_compat as compat
import numpy as np

if TYPE_CHECKING:
    from properly.typing import Array

T = TypeVar("T")
# From 2.1 on, numpy has all of the standard that is used here. To import a wrapper of it takes
# longer than to import numpy, since that fetches everything numpy has.
IS_STANDARD = hasattr(np, "cumulative_sum")


def namespace(*arrays: Array) -> Any:
    """Return the array library that the arrays share, numpy if there are only plain numbers."""
    held = [x for x in arrays if not isinstance(x, bool | int | float)]
    if IS_STANDARD and all(isinstance(x, np.ndarray | np.generic) for x in held):
        return np
    return compat.array_namespace(*held) if held else compat.array_namespace(np.empty(0))


def is_numpy(x: Array) -> bool:
    """Tell whether an array is numpy's own."""
    return isinstance(x, np.ndarray)


def has_rows(x: object) -> bool:
    """Tell lists and arrays from single values; the standard gives arrays a shape, no length."""
    return hasattr(x, "__len__") or bool(getattr(x, "shape", ()))


def to_numpy(x: Array) -> np.ndarray[Any, Any]:
    """Copy an array of any library to the host, or pass a numpy array through."""
    if isinstance(x, np.ndarray):
        return x
    if compat.is_torch_array(x):
        x = x.detach().cpu()
        if x.is_floating_point() and x.itemsize < 4:
            x = x.float()  # exact; numpy has no bfloat16
    return x.get() if compat.is_cupy_array(x) else np.asarray(x)


def to_library_of(x: Array, like: Array) -> Array:
    """Move an array to the library and device of another one."""
    if is_numpy(like):
        return to_numpy(x)
    xp = namespace(like)
    if is_numpy(x) or namespace(x) is not xp:
        return xp.asarray(to_numpy(x).copy(), device=compat.device(like))
    return compat.to_device(x, compat.device(like))


def beside(x: np.ndarray[Any, Any], like: Array) -> Array:
    """Bring numpy's numbers to the library, the type and the device of another array."""
    if is_numpy(like):
        return x
    return namespace(like).asarray(x, dtype=like.dtype, device=compat.device(like))


def count_up(stop: int, like: Array) -> Array:
    """Return 0, 1, 2, … in the library, the type and on the device of another array."""
    if is_numpy(like):
        return np.arange(stop, dtype=like.dtype)
    return namespace(like).arange(stop, dtype=like.dtype, device=compat.device(like))


def count_true(x: Array) -> int:
    """Count where a condition holds."""
    if is_numpy(x):
        return int(np.count_nonzero(x))
    xp = namespace(x)
    return int(xp.sum(xp.astype(x, xp.int64)))


def without_gradient(x: Array) -> Array:
    """Cut a tensor loose from the graph that made it; counts cannot be differentiated."""
    return x.detach() if compat.is_torch_array(x) else x


def read_only(x: T) -> T:
    """Forbid writing to a numpy array that a frozen record is to hold."""
    if isinstance(x, np.ndarray):
        x.flags.writeable = False
    return x


def freeze(record: object) -> None:
    """Forbid writing to the numpy arrays that a record holds."""
    for x in vars(record).values():
        read_only(x)


def kept(x: Array) -> Array:
    """Copy a user's array for a frozen record, so that what was checked stays as it was."""
    return read_only(namespace(x).asarray(without_gradient(x), copy=True))


def infinities() -> np.errstate:
    """Return a context, or a decorator, within which numpy gives infinity and NaN silently.

    For formulas whose limits are meant, such as the logarithm of 0, and whose NaN is set to what
    it stands for, or shown as not known, by the lines that follow.
    """
    return np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore")
