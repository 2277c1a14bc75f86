"""The words our signatures use for what users hand in and get back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

__all__ = ["Array", "ArrayLike", "Column", "Floats", "IntoFrame", "Progress"]

# The array API standard defines behaviour but no class that numpy.ndarray and torch.Tensor share.
Array: TypeAlias = Any
"""An array of any library that follows the array API standard."""

ArrayLike: TypeAlias = Any
"""A list, an array, a tensor, or a pandas, polars or pyarrow column."""

IntoFrame: TypeAlias = Any
"""A data frame of any library that narwhals understands."""

Column: TypeAlias = np.ndarray[Any, Any]
"""A numpy array, of numbers unless said otherwise."""

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
"""A numpy array of float64."""

Progress: TypeAlias = Callable[[int, int, str], object]
"""Called with the steps done, the steps in all, and what comes next."""
