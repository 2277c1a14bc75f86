"""Parts of forecasters, and the questions that hold them together, by taking each question out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from properly.evaluation._checkup._answers import bridges, parts_of

if TYPE_CHECKING:
    from properly.typing import Column


def parts(asked: Column) -> tuple[int, Column]:
    """Connect forecasters who share a question."""
    count, part = connected_components(csr_array(asked.T @ asked), directed=False)
    return count, part


@pytest.mark.parametrize("seed", range(60))
def test_a_bridge_is_a_question_without_which_there_are_more_parts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    asked = rng.random((rng.integers(1, 14), rng.integers(2, 9))) < rng.uniform(0.1, 0.5)
    asked = asked[:, asked.any(axis=0)].astype(int)
    if not asked.size:
        return
    whole, expected = parts(asked)
    question, forecaster = np.nonzero(asked)
    assert parts_of(question, forecaster).tolist() == expected.tolist()
    several = np.flatnonzero(asked.sum(axis=1) > 1)
    without = [k for k in several.tolist() if parts(np.delete(asked, k, axis=0))[0] > whole]
    assert bridges(question, forecaster) == without


def test_a_long_chain_is_walked_without_recursion() -> None:
    # Forecaster k shares question k with the next, and nothing else.
    links = np.arange(5000)
    question, forecaster = np.repeat(links, 2), np.stack([links, links + 1], axis=1).ravel()
    assert bridges(question, forecaster) == links.tolist()
    assert parts_of(question, forecaster).max() == 0
