"""Arithmetic in which infinity and NaN are answers."""

from __future__ import annotations

import numpy as np


def infinities() -> np.errstate:
    """Return a context, or a decorator, within which numpy gives infinity and NaN silently.

    For formulas whose limits are meant, such as the logarithm of 0, and whose NaN is set to what
    it stands for, or shown as not known, by the lines that follow.
    """
    return np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore")
