"""Sort rows by forecast, and add them up where forecasts are equal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from properly._boundary._arrays import MOST
from properly._boundary._chunks import sweep
from properly._boundary._libraries import is_numpy, namespace, to_library_of, to_numpy
from properly.typing import Array, Column

# Whole numbers up to this are exact in float64.
EXACT = 2**53
# A long tensor is sorted in so many pieces, of so many rows at least; a sample tells where to cut.
PIECES = 4
PIECE = 1 << 24
SAMPLE = 1 << 16


def count(y: Array, p: Array) -> list[Array]:
    """Count unweighted cases: the distinct forecasts, cases and events.

    The label rides in the lowest bit of the forecast's bit pattern, which is an integer that sorts
    as the forecast does: sorting these keys is several times faster than sorting indices.
    Forecasts in [0, 1] leave the two highest bits of their pattern free.
    """
    if not is_numpy(p):
        if not hasattr(p, "view"):
            return count_repeated(y, p, namespace(p).ones_like(y, dtype=namespace(p).int64))
        return count_tensors(y, p, max(PIECE, p.shape[0] // (PIECES - 1)))
    key = _keys(y, p)
    key.sort()
    if all(sweep(_are_distinct, key[1:], key[:-1])):
        return _one_each(key, p)
    pieces = sweep(_count_sorted, key, keep=_end_of_run)
    del key
    value, weight, events = (np.concatenate([piece.pop(0) for piece in pieces]) for _ in range(3))
    return [value.view(p.dtype), weight, events]


def order_of(p: Column) -> Column:
    """Return the rows in the order of their forecasts; those of equal ones in any order.

    As in `count`, keys are sorted rather than indices: the leading bits of a forecast, and behind
    them the number of its row. Few forecasts differ in the other bits alone; they are set right.
    """
    low = np.uint64(len(p).bit_length())
    # Added to 0, minus 0 loses its sign.
    key = np.add(p, 0.0, dtype=np.float64).view(np.uint64)
    key <<= np.uint64(2)
    key >>= low
    key <<= low
    key |= np.arange(len(p), dtype=np.uint64)
    key.sort()
    key &= (np.uint64(1) << low) - np.uint64(1)
    order = key.view(np.int64)
    ranked = p[order]
    if bool((ranked[1:] >= ranked[:-1]).all()):
        return order
    return np.asarray(order[np.argsort(ranked, kind="stable")])


def count_tensors(y: Array, p: Array, piece: int) -> list[Array]:
    """Count tensors where they are, range of forecasts by range, so that none is sorted whole.

    What a sort needs besides its data is then as large as a piece. Ranges are cut at quantiles of a
    sample; rows at a value that fills several ranges are counted in parts, which are few values
    again.
    """
    xp, rows = namespace(p), p.shape[0]
    if rows <= piece:
        return _count_piece(y, p)
    # At quantiles of a sample; none if one value has most of it.
    sample, pieces = to_numpy(xp.sort(p[:: max(1, rows // SAMPLE)])), -(-rows // piece)
    quantiles = sample[np.arange(1, pieces) * len(sample) // pieces]
    cuts = [float(cut) for cut in np.unique(quantiles) if cut > sample[0]]
    if not cuts:
        half = rows // 2
        parts = [count_tensors(y[s], p[s], piece) for s in (slice(half), slice(half, None))]
        value, *columns = (xp.concat(column) for column in zip(*parts, strict=True))
        return pool(value, columns)
    result = []
    for lower, upper in pairwise([0.0, *cuts, math.inf]):
        chosen = xp.nonzero((p >= lower) & (p < upper))[0]
        result.append(count_tensors(xp.take(y, chosen), xp.take(p, chosen), piece))
        del chosen
    return [xp.concat([part.pop(0) for part in result]) for _ in range(3)]


def count_repeated(y: Array, p: Array, times: Array) -> list[Array]:
    """Count rows that stand for so many cases each: the distinct forecasts, cases and events."""
    xp, order = namespace(p), namespace(p).argsort(p, stable=True)
    columns = [xp.take(x, order) for x in (times, xp.where(y, times, xp.zeros_like(times)))]
    return pool_sorted(xp.take(p, order), columns)


def weigh(y: Array, p: Array, weight: Array, times: Array | None = None) -> list[Array]:
    """Add up weights, and their squares: those of events and of non-events follow the sums.

    A row may stand for several cases of its weight. Whole numbers are added up exactly, which says
    nothing of what they mean.
    """
    xp, weight = namespace(p), exact_weights(weight, times)
    order = xp.argsort(p, stable=True)
    # The sign tells the outcome: one column less to put in order.
    signed = xp.take(xp.where(y, weight, -weight), order)
    weight, event = xp.abs(signed), signed > 0
    square = xp.astype(weight, xp.float64) ** 2
    if times is not None:
        times = xp.take(times, order)
        weight = weight * xp.astype(times, weight.dtype)
        square = square * xp.astype(times, xp.float64)
    none = xp.zeros_like(square)
    columns = [weight, xp.where(event, weight, xp.zeros_like(weight))]
    columns += [xp.where(event, square, none), xp.where(event, none, square)]
    return pool_sorted(xp.take(p, order), columns)


def are_equal(weight: Array) -> bool:
    """Tell whether all weights are the same, which says nothing at all."""
    xp = namespace(weight)
    return bool(xp.all(weight == weight[0]))


def exact_weights(weight: Array, times: Array | None = None) -> Array:
    """Make whole numbers of weights that are, if so is their sum; double precision of others.

    That concerns arithmetic, never what weights mean: sums of whole numbers are exact.
    """
    xp = namespace(weight)
    wide = xp.astype(weight, xp.float64)
    total = float(xp.sum(wide if times is None else wide * xp.astype(times, xp.float64)))
    if xp.isdtype(weight.dtype, "integral"):
        whole = total < MOST
    else:
        whole = total < EXACT and bool(xp.all(weight == xp.floor(weight)))
    return xp.astype(weight, xp.int64) if whole else wide


def pool(value: Array, columns: Sequence[Array]) -> list[Array]:
    """Sort rows by value and add up the columns where values are equal."""
    xp = namespace(value)
    order = xp.argsort(value, stable=True)
    return pool_sorted(xp.take(value, order), [xp.take(x, order) for x in columns])


def run_ends(x: Array) -> Array:
    """Return the index of the last row of each run of equal values."""
    xp = namespace(x)
    return xp.nonzero(xp.concat([x[1:] != x[:-1], xp.ones_like(x[:1], dtype=xp.bool)]))[0]


def add_runs(x: Array, last: Array) -> Array:
    """Add up runs of rows, given the last row of each."""
    xp = namespace(x)
    if last.shape[0] == x.shape[0]:
        return x
    if xp.isdtype(x.dtype, "integral"):
        return differences(xp.take(xp.cumulative_sum(x), last))
    # Differences of cumulated floats would cancel, so fractions are added run by run, on the host.
    first = np.concatenate([[0], to_numpy(last)[:-1] + 1])
    return to_library_of(np.add.reduceat(to_numpy(x), first), x)


def differences(x: Array) -> Array:
    """Undo a cumulative sum."""
    xp = namespace(x)
    return x - xp.concat([xp.zeros_like(x[:1]), x[:-1]])


def is_one_each(weight: Array) -> bool:
    """Tell whether every forecast was made once, in which case much can be left out."""
    xp = namespace(weight)
    return bool(xp.isdtype(weight.dtype, "integral")) and int(xp.sum(weight)) == weight.shape[0]


def pool_sorted(value: Array, columns: Sequence[Array]) -> list[Array]:
    """Add up the columns of sorted rows where values are equal."""
    last = run_ends(value)
    return [namespace(value).take(value, last), *(add_runs(x, last) for x in columns)]


def _keys(y: Array, p: Array) -> Array:
    """Put labels below the bit patterns of forecasts."""
    xp = namespace(p)
    # In place wherever the library can: fresh memory costs as much as the arithmetic.
    key = p.view(xp.int32 if p.dtype == xp.float32 else xp.int64) << 1
    key |= y
    return key


def _one_each(key: Array, p: Array) -> list[Array]:
    """Count sorted keys of which no two have the same forecast."""
    xp = namespace(key)
    events = xp.astype(key & 1, xp.int64, copy=False)
    key >>= 1
    # One case each: a single 1, seen from every row, takes no memory.
    return [key.view(p.dtype), xp.broadcast_to(xp.ones_like(events[:1]), events.shape), events]


def _count_piece(y: Array, p: Array) -> list[Array]:
    """Count a tensor in one sort of its keys, without their places."""
    xp = namespace(p)
    key, times = xp.unique_counts(_keys(y, p))
    if key.shape[0] == p.shape[0] and _are_distinct(key[1:], key[:-1]):
        return _one_each(key, p)
    last = run_ends(key >> 1)
    events = add_runs(times * (key & 1), last)
    return [xp.take(key >> 1, last).view(p.dtype), add_runs(times, last), events]


def _are_distinct(key: Array, before: Array) -> bool:
    """Tell whether the forecasts of neighbouring keys differ, whatever their labels."""
    return bool(namespace(key).all((key ^ before) > 1))


def _count_sorted(key: Array) -> list[Array]:
    """Count sorted keys: the bit patterns of the distinct forecasts, cases and events."""
    xp = namespace(key)
    value = key >> 1
    last = run_ends(value)
    events = xp.take(xp.cumulative_sum(key & 1, dtype=xp.int64), last)
    return [xp.take(value, last), differences(last + 1), differences(events)]


def _end_of_run(key: Array, row: int) -> int:
    """Move a cut to where the forecast changes, so that no run is cut in two."""
    return int(np.searchsorted(key, key[row - 1] | 1, side="right"))
