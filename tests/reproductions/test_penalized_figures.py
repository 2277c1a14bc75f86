"""The triangles that a picture of three classes is made of."""

from __future__ import annotations

import numpy as np
import pytest
from reproductions.penalties.figures import _mesh


def test_triangles_cover_all_laws_once() -> None:
    point, triangles = _mesh(5)
    assert point.sum(axis=1) == pytest.approx(1)
    assert point.min() == 0
    assert triangles.shape == (25, 3)
    first, second, third = (point[triangles[:, k], :2] for k in range(3))
    one, two = second - first, third - first
    size = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    # All are alike, point up or down, and together are the whole.
    assert np.abs(size) == pytest.approx(1 / 25)
    assert len(np.unique(np.sort(triangles, axis=1), axis=0)) == 25
