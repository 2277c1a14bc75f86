"""Selective risk: the mean loss of the cases that are kept, averaged over how many are kept."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._text import many
from properly._boundary._tolerances import SAME_SUM
from properly.inference._auc import logit_interval
from properly.inference._averages import Estimate, warn_of_clusters
from properly.inference._design import Design, add_up
from properly.inference._shares import student

if TYPE_CHECKING:
    from properly.typing import Column

UNKNOWN = (math.nan, math.nan)


class Areas(NamedTuple):
    """The area under selective risk, what it is above the best order, and that under joint risk."""

    aurc: Estimate
    excess_aurc: Estimate
    augrc: Estimate


class TieBlocks(NamedTuple):
    """Cases of equal scores together, those that are kept longest first.

    Attributes
    ----------
    number : numpy array
        The block of each row.
    cases, loss : numpy array
        How many cases each block has, and the sum of their losses.
    before, paid : numpy array
        How many cases all earlier blocks have, and the sum of their losses.
    """

    number: Column
    cases: Column
    loss: Column
    before: Column
    paid: Column

    @classmethod
    def by(cls, scores: Column, loss: Column, copies: Column) -> TieBlocks:
        """Put cases of equal scores together, from the lowest score on."""
        number = np.unique(scores, return_inverse=True)[1]
        cases, total = np.bincount(number, copies), np.bincount(number, copies * loss)
        return cls(number, cases, total, np.cumsum(cases) - cases, np.cumsum(total) - total)


def areas_of(
    loss: Column,
    scores: Column,
    copies: Column,
    cluster: Column | None = None,
    *,
    level: float,
    scale: str,
) -> Areas:
    """Average the risk of what is kept over all numbers of kept cases, each with its interval.

    An interval is symmetric on the scale of ``"logit"`` or of ``"log"``. A row stands for as many
    cases as it has copies.
    """
    used = copies > 0
    loss, scores, copies = loss[used], scores[used], copies[used].astype(np.float64)
    cluster = None if cluster is None else np.unique(cluster[used], return_inverse=True)[1]
    warn_of_clusters(Design(copies, cluster))
    about = _about(copies, cluster) | {"level": level}
    if not np.isfinite(loss).all():
        return _infinite(loss, copies, about)
    chosen, best = (TieBlocks.by(x, loss, copies) for x in (scores, loss))
    area, turn = _selective(chosen, loss)
    least, least_turn = _selective(best, loss)
    joint, joint_turn = _joint(chosen, loss)
    turns = np.stack([turn, turn - least_turn, joint_turn])
    error, degrees = _errors(turns, copies, cluster)
    error[error <= SAME_SUM * np.abs(loss).max()] = 0
    # The best order is among those that were averaged, but for rounding.
    values = area, max(area - least, 0.0), joint
    estimates = (
        Estimate(
            value,
            float(e),
            _interval(value, float(e), student(degrees, level), scale),
            degrees=degrees,
            method=f"infinitesimal jackknife, {scale}",
            **about,
        )
        for value, e in zip(values, error, strict=True)
    )
    return Areas(*estimates)


def _selective(blocks: TieBlocks, loss: Column) -> tuple[float, Column]:
    r"""Return the mean over k of the mean loss of k cases, and its slope in the weight of each row.

    Of a block of m cases after c others that paid S, with mean loss l, the sum is
    :math:`\sum_{j=1}^m (S + j l) / (c + j) = m l + (S - c l) (\psi(c+m+1) - \psi(c+1))`.
    """
    from scipy.special import digamma, zeta

    cases, before, total = blocks.cases, blocks.before, blocks.cases.sum()
    mean = blocks.loss / cases
    # A block begins where the one before it ends; the derivative of digamma is a zeta function.
    edges = np.append(before, total) + 1
    bend = zeta(2, edges)
    steps, bends = np.diff(digamma(edges)), np.diff(bend)
    surplus = blocks.paid - before * mean
    area = float(np.sum(blocks.loss + surplus * steps) / total)
    # The own block grows by a case; later ones have one case more before them.
    own = surplus * bend[1:] + before / cases * steps * mean
    later = _after(surplus * bends - mean * steps)
    slope = 1 - before / cases * steps + _after(steps)
    k = blocks.number
    return area, (loss * slope[k] + (own + later)[k] - area) / total


def _joint(blocks: TieBlocks, loss: Column) -> tuple[float, Column]:
    """Return the mean over k of the losses of k cases over all cases, and its slope likewise."""
    cases, total = blocks.cases, blocks.cases.sum()
    area = float(np.sum(cases * blocks.paid + blocks.loss * (cases + 1) / 2) / total**2)
    own, slope = blocks.paid + blocks.loss / 2, (cases + 1) / 2 + _after(cases)
    k = blocks.number
    return area, (loss * slope[k] + own[k]) / total**2 - 2 * area / total


def _after(x: Column) -> Column:
    """Add up what comes after each place."""
    return np.cumsum(x[::-1])[::-1] - x


def _errors(turns: Column, copies: Column, cluster: Column | None) -> tuple[Column, float]:
    """Return standard errors and their degrees of freedom; copies are cases of their own."""
    # Twice the same cases make finer steps, so slopes add up to 0 only but for terms of 1 / n.
    turns = turns - (turns @ copies / copies.sum())[:, None]
    if cluster is None:
        units, square = float(copies.sum()), turns**2 @ copies
    else:
        units = float(cluster.max()) + 1
        square = (add_up(turns * copies, cluster, int(units)) ** 2).sum(axis=1)
    if units < 2:
        return np.full(len(turns), math.nan), 0.0
    return np.sqrt(square * units / (units - 1)), units - 1


def _interval(value: float, error: float, quantile: float, scale: str) -> tuple[float, float]:
    """Return an interval that is symmetric on a scale; none without an error."""
    if scale == "logit":
        return logit_interval(value, error, quantile)
    if not (error > 0 and value > 0):
        return UNKNOWN
    factor = math.exp(min(quantile * error / value, 700.0))
    return value / factor, value * factor


def _about(copies: Column, cluster: Column | None) -> dict[str, Any]:
    cases = int(copies.sum())
    units = (cases, "independent case") if cluster is None else (int(cluster.max()) + 1, "cluster")
    return {"design": many(*units), "cases": cases, "effective_cases": float(cases)}


def _infinite(loss: Column, copies: Column, about: dict[str, Any]) -> Areas:
    """Say that an infinite loss makes means infinite; how far above the best is not known."""
    lost = int(copies[~np.isfinite(loss)].sum())
    about |= {"infinite_cases": lost, "infinite_share": lost / int(copies.sum())}
    known: dict[str, Any] = {"degrees": math.nan, "method": "none: a loss is infinite"} | about
    values = math.inf, math.nan, math.inf
    return Areas(*(Estimate(value, math.nan, UNKNOWN, **known) for value in values))
