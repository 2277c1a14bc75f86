"""What the backend of Keras can do, and whether its numbers can be looked at yet."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import array_api_compat as compat
import keras

from properly.errors import ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.typing import Array


Method = TypeVar("Method", bound="Callable[..., Any]")

SUPPORTED = ("torch", "jax", "numpy")


def require_backend() -> None:
    """Refuse a backend whose tensors the rules cannot price."""
    result = keras.backend.backend()
    if result not in SUPPORTED:
        message = f"RuleMetric needs Keras on torch, jax or numpy; its backend is {result!r}"
        hint = "ValidationScores works on every backend; or set KERAS_BACKEND before importing it."
        raise ArgumentTypeError(message, hint=hint)


def widest_float() -> Literal["float64", "float32"]:
    """Return the widest type of number that the backend has."""
    result = keras.backend.backend()
    if result == "jax":
        return "float64" if import_module("jax").config.jax_enable_x64 else "float32"
    if result == "torch":
        # Keras computes on Apple's processor where there is one, and that has no double precision.
        return "float32" if import_module("torch").backends.mps.is_available() else "float64"
    return "float64"


def is_symbolic() -> bool:
    """Tell whether Keras only asks for shapes: it then hands over numbers that mean nothing."""
    with suppress(ImportError):
        scope = import_module("keras.src.backend.common.symbolic_scope")
        return bool(scope.in_symbolic_scope())
    return False


def mask_of(x: object) -> Any:
    """Return which steps of a tensor count, as Keras marks them where layers mask some; or None."""
    with suppress(ImportError):
        return import_module("keras.src.backend.common.masking").get_keras_mask(x)
    return getattr(x, "_keras_mask", None)


def is_concrete(x: Array) -> bool:
    """Tell numbers from placeholders of a step that jax is compiling."""
    return not (compat.is_jax_array(x) and isinstance(x, import_module("jax").core.Tracer))


def uncompiled(method: Method) -> Method:
    """Keep a method out of what torch compiles; it is called as it is, between compiled parts."""
    if keras.backend.backend() != "torch":
        return method
    kept: Method = import_module("torch").compiler.disable(method)
    return kept
