"""What boosted trees are grown on, in any library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from properly.errors import DataError
from properly.rules import Bounded, Brier

NARROW = Bounded(Brier(), (0.05, 0.2))


class Tumours:
    """Biopsies: malignant or not, in a part to learn from and a part to look at."""

    X, benign = load_breast_cancer(return_X_y=True)
    y = 1 - benign
    known = np.arange(len(y)) % 3 > 0


class Digits:
    """Handwritten digits, ten classes."""

    X, y = (part[:600] for part in load_digits(return_X_y=True))
    known = np.arange(600) % 3 > 0


def told(call: Any, error: type[Exception] = DataError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)
