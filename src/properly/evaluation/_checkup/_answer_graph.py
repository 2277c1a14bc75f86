"""Who shares questions with whom: connected parts of forecasters, and what holds them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from properly.typing import Column


def parts_of(question: Column, forecaster: Column) -> Column:
    """Return the number of the connected part of each forecaster, from 0, in their order."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    questions = int(question.max()) + 1
    size = questions + int(forecaster.max()) + 1
    edges = coo_array((np.ones(len(question)), (question, forecaster + questions)), (size, size))
    part = connected_components(edges, directed=False)[1][questions:]
    _, first, number = np.unique(part, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[number])


def bridges(question: Column, forecaster: Column) -> list[int]:
    """Find the questions without which some forecasters would be connected no more.

    In the graph of questions and of those who answered them, these are the questions that are
    articulation points: below them, no path leads back above [1]_.

    References
    ----------
    .. [1] J. Hopcroft, R. Tarjan (1973). Algorithm 447: efficient algorithms for graph
       manipulation. Communications of the ACM 16:372-378. doi:10.1145/362248.362272.
    """
    questions = int(question.max()) + 1
    start, other = _neighbours(question, forecaster + questions)
    size = len(start) - 1
    # When each was first seen, the earliest reached from below it, and who is looked at next.
    seen, low, place = [0] * size, [0] * size, list(start)
    found, clock = set(), 0
    for root in range(questions, size):
        path = [] if seen[root] else [root]
        while path:
            node = path[-1]
            if not seen[node]:
                clock += 1
                seen[node] = low[node] = clock
            if place[node] < start[node + 1]:
                near = other[place[node]]
                place[node] += 1
                if seen[near]:
                    low[node] = min(low[node], seen[near])
                else:
                    path.append(near)
                continue
            path.pop()
            if path:
                above = path[-1]
                low[above] = min(low[above], low[node])
                if above < questions and low[node] >= seen[above]:
                    found.add(above)
    return sorted(found)


def _neighbours(question: Column, forecaster: Column) -> tuple[list[int], list[int]]:
    """List the neighbours of each, and where those of each begin."""
    ends, others = np.concatenate([[question, forecaster], [forecaster, question]], axis=1)
    order = np.argsort(ends, kind="stable")
    start = np.searchsorted(ends[order], np.arange(int(ends.max()) + 2))
    return start.tolist(), others[order].tolist()
