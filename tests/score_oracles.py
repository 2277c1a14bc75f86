"""Score intervals case by case: what the closed forms of bands are held against."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

LEVEL = 0.8


def sizes(weight: Any, cases: int) -> tuple[Any, Any]:
    """Return weights and their squares."""
    w = np.ones(cases) if weight is None else weight
    return w, w**2


def wilson(share: float, n: float, quantile: float | None = None) -> tuple[float, float]:
    """Solve for the two values that a score test does not refuse."""
    z2 = (ndtri((1 + LEVEL) / 2) if quantile is None else quantile) ** 2
    lower, upper = np.sort(np.roots([n + z2, -2 * n * share - z2, n * share**2]).real)
    return lower, upper


def corrected(size: Any) -> tuple[Any, float]:
    """Return the factors of Bell and McCaffrey of clusters of such weights, and their degrees."""
    share = size / size.sum()
    off = np.outer(share**2 / (1 - share), share**2 / (1 - share))
    np.fill_diagonal(off, share**2)
    return 1 / (1 - share), 1 / off.sum()


def spread(amount: Any, weight: Any, cluster: Any = None) -> float:
    """Return half the width of the interval of a mean, of cases or of clusters."""
    w, square = sizes(weight, len(amount))
    away = amount - (w * amount).sum() / w.sum()
    if cluster is None:
        n = w.sum() ** 2 / square.sum()
        factor, degrees = n / (n - 1), n - 1
        variance = (square * away**2).sum() / w.sum() ** 2 * factor
    else:
        totals = np.bincount(cluster, w * away) / w.sum()
        factor, degrees = corrected(np.bincount(cluster, w))
        variance = (factor * totals**2).sum()
    return float(stdtrit(degrees, (1 + LEVEL) / 2) * np.sqrt(variance))


def put_together(
    amounts: Any,
    kinds: Any,
    alike: Any,
    weight: Any,
    cluster: Any = None,
    *,
    known: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """Put the score intervals of two shares together, from variances case by case.

    Of another design than clusters, the standard error and the quantile of Student's t are known.
    Where a kind has no case, it is as heavy as the heavier of two kinds that are alike.
    """
    w, square = sizes(weight, len(kinds[0]))
    amount, share = np.array(amounts), np.array([w[kind].sum() / w.sum() for kind in kinds])
    away = np.array(kinds) - share[:, None]
    covariance = (square * away) @ away.T / w.sum() ** 2
    quantile, design = ndtri((1 + LEVEL) / 2), 1.0
    if cluster is not None:
        half, alone = spread(amount @ kinds, weight, cluster), amount @ covariance @ amount
        quantile = stdtrit(corrected(np.bincount(cluster, w))[1], (1 + LEVEL) / 2)
        if alone < 1e-20:
            return amount @ share - half, amount @ share + half
        design = max((half / quantile) ** 2 / alone, 1)
    if known is not None:
        quantile, design = known[1], max(known[0] ** 2 / (amount @ covariance @ amount), 1)
    down, up = [], []
    for k in (0, 1):
        heavy = max((square[x].sum() / w[x].sum() for x in alike[k] if x.any()), default=np.nan)
        n = share[k] * (1 - share[k]) / covariance[k, k] if share[k] > 0 else w.sum() / heavy
        ends = wilson(share[k], n / design, quantile) if alike[k][1].any() else [share[k]] * 2
        moves = sorted(amount[k] * (end - share[k]) for end in ends)
        down.append(-moves[0])
        up.append(moves[1])
    size = np.sqrt(covariance[0, 0] * covariance[1, 1])
    r = covariance[0, 1] / size * np.sign(amount.prod()) if size > 0 else 0.0
    lower, upper = (np.sqrt(a * a + b * b + 2 * r * a * b) for a, b in (down, up))
    return amount @ share - lower, amount @ share + upper
