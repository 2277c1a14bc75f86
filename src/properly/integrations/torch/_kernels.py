"""The ranked probability score of logits in one pass over them, on a GPU.

A cumulative sum between two reductions is what torch's compiler does not join into one kernel, so
this one is written by hand. Each program reads one row, and nothing is written but the result.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from properly.typing import Array

# Entries of a row that one warp is given.
WARP = 1 << 11


@triton.jit  # type: ignore[untyped-decorator]
def _read(logits, y, shares, row, classes, stride, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, PLR0917
    """Return the softmax of a row, how far its cumulative sums are off, and the cuts' shares."""
    k = tl.arange(0, BLOCK)
    z = tl.load(logits + row * stride + k, mask=k < classes, other=-float("inf")).to(tl.float32)
    share = tl.load(shares + k, mask=k < classes - 1, other=0.0)
    z = tl.exp(z - tl.max(z, axis=0))
    p = z * (1 / tl.sum(z, axis=0))
    happened = tl.load(y + row)
    off = tl.minimum(tl.cumsum(p, axis=0), 1.0) - (k >= happened).to(tl.float32)
    return p, off, share


@triton.jit  # type: ignore[untyped-decorator]
def _price(logits, y, shares, loss, classes, stride, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, PLR0917
    """Add up squared errors of the cumulative probabilities of a row."""
    row = tl.program_id(0).to(tl.int64)
    _, off, share = _read(logits, y, shares, row, classes, stride, BLOCK)
    tl.store(loss + row, tl.sum(share * off * off, axis=0))


@triton.jit  # type: ignore[untyped-decorator]
def _slope(logits, y, shares, grad, slope, classes, stride, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, PLR0917
    """Differentiate a row's price with respect to its logits, times the gradient that comes in."""
    row = tl.program_id(0).to(tl.int64)
    k = tl.arange(0, BLOCK)
    p, off, share = _read(logits, y, shares, row, classes, stride, BLOCK)
    cut = 2 * share * off
    # A class moves the cumulative sums from itself on.
    g = tl.sum(cut, axis=0) - tl.cumsum(cut, axis=0) + cut
    result = p * (g - tl.sum(p * g, axis=0)) * tl.load(grad + row)
    tl.store(slope + row * classes + k, result, mask=k < classes)


class FusedRPS(torch.autograd.Function):  # type: ignore[misc]
    """Price rows of logits, given class numbers and the shares of the cuts."""

    @staticmethod
    def forward(ctx: Any, y: Array, logits: Array, shares: Array) -> Array:
        """Return one loss a row, in single precision."""
        logits = logits if logits.stride(1) == 1 else logits.contiguous()
        ctx.save_for_backward(y, logits, shares)
        loss = torch.empty(logits.shape[0], dtype=torch.float32, device=logits.device)
        layout, warps = _layout(logits)
        _price[(logits.shape[0],)](logits, y, shares, loss, *layout, num_warps=warps)
        return loss

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Array) -> tuple[None, Array, None]:
        """Return the slopes, one column a class."""
        y, logits, shares = ctx.saved_tensors
        slope = torch.empty(logits.shape, dtype=torch.float32, device=logits.device)
        layout, warps = _layout(logits)
        grad = grad.contiguous()
        _slope[(logits.shape[0],)](logits, y, shares, grad, slope, *layout, num_warps=warps)
        return None, slope.to(logits.dtype), None


def _layout(logits: Array) -> tuple[tuple[int, int, int], int]:
    """Return the classes, how far apart rows are, the block that holds a row, and its warps.

    Warps have to wait for one another in a cumulative sum, so few of them are fastest.
    """
    classes = logits.shape[1]
    block = triton.next_power_of_2(classes)
    return (classes, logits.stride(0), block), max(1, block // WARP)
