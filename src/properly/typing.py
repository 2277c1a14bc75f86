"""The words our signatures use for what users hand in and get back."""

from __future__ import annotations

from typing import Any, TypeAlias

__all__ = ["Array", "ArrayLike", "IntoFrame"]

# The array API standard defines behaviour but no class that numpy.ndarray and torch.Tensor share.
Array: TypeAlias = Any
"""An array of any library that follows the array API standard."""

ArrayLike: TypeAlias = Any
"""A list, an array, a tensor, or a pandas, polars or pyarrow column."""

IntoFrame: TypeAlias = Any
"""A data frame of any library that narwhals understands."""
