"""Cross-validation of series in blocks, with windows that never cross a block."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._libraries import read_only
from properly._boundary._options import check_inside, check_whole
from properly._boundary._text import many
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from properly.typing import Column


# Shares such as 0.29 of 100 blocks are a little less than a whole number, by rounding alone.
ROUNDING = 1e-9


class BlockSplit(NamedTuple):
    """Where the windows of one split start.

    Attributes
    ----------
    train, validation, test : array
        The first sample of each window. Of several series, an array of shape (windows, 2): the
        number of the series, and the first sample in it.

    Examples
    --------
    >>> from reproductions.epochs.blocks import BlockCrossValidation
    >>> blocks = BlockCrossValidation(4, validation=0.25, test=0.25, window=2,
    ...     step=2)
    >>> next(blocks.splits(16)).train
    array([ 8, 10, 12, 14])
    """

    train: Column
    validation: Column
    test: Column

    def __repr__(self) -> str:
        counts = (f"{len(windows)} to {name}" for name, windows in self._asdict().items())
        return f"BlockSplit(windows: {', '.join(counts)})"


class _Series(NamedTuple):
    """The windows of one series: where each starts and ends, and where blocks begin."""

    start: Column
    end: Column
    edge: Column


@dataclass(frozen=True)
class BlockCrossValidation:
    r"""Cross-validate a series in blocks of neighbouring samples.

    Samples of a series resemble their neighbours. Drawn at random, the test set would be full of
    samples that nearly were trained on. So the series is cut into blocks of as equal length as
    possible, the first ones longer by one where need be. Split i validates on some blocks from the
    i-th on, tests on the next ones, and trains on all others.

    Parameters
    ----------
    blocks : int
        Into how many blocks each series is cut.
    validation, test : float
        Their shares of the blocks, rounded down to whole blocks, at least one.
    gap : int
        How many samples to leave unused between what is trained on and the blocks of validation and
        test, and between what is validated on and the blocks of the test.
    window : int
        How many samples in a row are one case.
    step : int
        How many samples from the start of one window to that of the next. A step below `window`
        makes windows overlap: a step of a quarter is an overlap of 75 %.

    Notes
    -----
    Windows are laid out in each block from its first sample on, and never reach into the next
    block; samples left at the end of a block are not used. A gap takes windows away, and moves
    none. So no sample is in two of the three sets, and with a gap g, samples :math:`i` to train on
    and :math:`j` in a block of validation or test have :math:`|i - j| > g`.

    With h blocks, v of them to validate and t to test, there are :math:`h - v - t + 1` splits.
    They share most of what they train on and much of what they test on: scores of different splits
    are not independent, and a standard error over splits is none. In
    `selection_report`, the splits of one training seed are one cluster.

    Of several series, each is cut into as many blocks, and split i takes the same blocks of each.
    A gap is kept within a series; different series are taken to be independent.

    This departs from algorithm 4 of [1]_. There i runs to h, so that the last splits run off the
    end, with smaller test sets or none; here i ends with the last split that is whole, and nothing
    wraps around. There is no gap there, though the h of h-block cross-validation is one [2]_. And
    the published code joins blocks before it cuts windows, so that windows cross the seams between
    blocks that are far apart in time; here no window does.

    References
    ----------
    .. [1] R. Ahmadian, M. Ghatee, J. Wahlström (2024). Superior scoring rules for probabilistic
       evaluation of single-label multi-class classification tasks. `arXiv:2407.17697
       <https://arxiv.org/abs/2407.17697>`__
    .. [2] P. Burman, E. Chow, D. Nolan (1994). A cross-validatory method for dependent data.
       Biometrika 81:351-358. `doi:10.1093/biomet/81.2.351
       <https://doi.org/10.1093/biomet/81.2.351>`__

    Examples
    --------
    >>> from reproductions.epochs.blocks import BlockCrossValidation
    >>> blocks = BlockCrossValidation(5, validation=0.2, test=0.2, gap=1)
    >>> len(blocks)
    4
    >>> train, validation, test = next(blocks.splits(15))
    >>> train, validation, test
    (array([ 7,  8,  9, 10, 11, 12, 13, 14]), array([0, 1]), array([3, 4, 5]))

    Windows of 3 samples that overlap by 2, of two series:

    >>> blocks = BlockCrossValidation(3, validation=0.3, test=0.3, window=3)
    >>> next(blocks.splits([12, 9])).test.tolist()
    [[0, 4], [0, 5], [1, 3]]
    """

    blocks: int = 10
    _: KW_ONLY
    validation: float = 0.2
    test: float = 0.3
    gap: int = 0
    window: int = 1
    step: int = 1

    def __post_init__(self) -> None:
        for name in ("blocks", "window", "step"):
            object.__setattr__(self, name, check_whole(getattr(self, name), name))
        for name in ("validation", "test"):
            object.__setattr__(self, name, check_inside(getattr(self, name), name))
        object.__setattr__(self, "gap", check_whole(self.gap, "gap", 0))
        if self.blocks <= self.validation_blocks + self.test_blocks:
            message = (
                "blocks must be more than those to validate and to test; got "
                f"{many(self.blocks, 'block')}, of which {self.validation_blocks} to validate and "
                f"{self.test_blocks} to test"
            )
            raise DataError(message, hint="take more blocks, or smaller shares.")

    @property
    def validation_blocks(self) -> int:
        """How many blocks are validated on in each split."""
        return _share(self.validation, self.blocks)

    @property
    def test_blocks(self) -> int:
        """How many blocks are tested on in each split."""
        return _share(self.test, self.blocks)

    @property
    def count(self) -> int:
        """How many splits there are."""
        return self.blocks - self.validation_blocks - self.test_blocks + 1

    def __len__(self) -> int:
        """Count the splits."""
        return self.count

    def splits(self, samples: int | Sequence[int]) -> Iterator[BlockSplit]:
        """Go through the splits of a series, or of several.

        Parameters
        ----------
        samples : int or sequence of int
            How many samples the series has; or how many each of several series has.

        Returns
        -------
        iterator of BlockSplit
            Where windows start: ``x[start : start + window]`` is one.
        """
        lengths, single = _lengths(samples)
        series = [self._series(n, f"series {k}") for k, n in enumerate(lengths)]
        for i in range(self.count):
            self._require_windows(i, [self._starts(one, i)[:2] for one in series])
        return (self._split(series, i, single=single) for i in range(self.count))

    def _series(self, samples: int, name: str) -> _Series:
        """Lay out windows in each block of a series."""
        short, longer = divmod(samples, self.blocks)
        if short < self.window:
            message = (
                f"each block must hold a window of {many(self.window, 'sample')}; {name} has "
                f"{many(samples, 'sample')} in {many(self.blocks, 'block')}, which leaves {short}"
            )
            raise DataError(message, hint="take fewer blocks, or shorter windows.")
        size = np.full(self.blocks, short)
        size[:longer] += 1
        edge = np.concatenate([[0], np.cumsum(size)])
        starts = [
            np.arange(first, last - self.window + 1, self.step) for first, last in pairwise(edge)
        ]
        start = np.concatenate(starts)
        return _Series(start, start + self.window, edge)

    def _starts(self, one: _Series, i: int) -> tuple[Column, Column, Column]:
        """Return where windows start to train on, to validate on and to test on, in split i."""
        first, middle, last = self._edges(one, i)
        train = (one.end <= first - self.gap) | (one.start >= last + self.gap)
        validation = (one.start >= first) & (one.end <= middle - self.gap)
        test = (one.start >= middle) & (one.end <= last)
        return one.start[train], one.start[validation], one.start[test]

    def _edges(self, one: _Series, i: int) -> tuple[int, int, int]:
        """Return where validation begins in split i, where the test begins, and where it ends."""
        middle = i + self.validation_blocks
        return one.edge[i], one.edge[middle], one.edge[middle + self.test_blocks]

    def _require_windows(self, i: int, parts: Sequence[tuple[Column, ...]]) -> None:
        for purpose, result in zip(("train", "validate"), zip(*parts, strict=True), strict=False):
            if not any(map(len, result)):
                message = (
                    f"each split must have a window to {purpose} on; split {i} has none, "
                    f"with a gap of {many(self.gap, 'sample')}"
                )
                raise DataError(message, hint="take a smaller gap, or fewer blocks.")

    def _split(self, series: Sequence[_Series], i: int, *, single: bool) -> BlockSplit:
        parts = [self._starts(one, i) for one in series]
        if single:
            return BlockSplit(*map(read_only, parts[0]))
        return BlockSplit(*(read_only(_pairs(result)) for result in zip(*parts, strict=True)))


def _share(share: float, blocks: int) -> int:
    return max(1, math.floor(share * blocks + ROUNDING))


def _lengths(samples: object) -> tuple[list[int], bool]:
    """Take the length of one series, or those of several; say whether it was one."""
    single = not hasattr(samples, "__iter__")
    given = [samples] if single else list(samples)  # type: ignore[call-overload]
    if not given:
        message = "there must be at least one series; got none"
        raise DataError(message)
    return [check_whole(n, "the number of samples") for n in given], single


def _pairs(starts: Sequence[Column]) -> Column:
    """Put the number of the series before each start."""
    number = np.repeat(np.arange(len(starts)), [len(start) for start in starts])
    return np.stack([number, np.concatenate(starts)], axis=1)
