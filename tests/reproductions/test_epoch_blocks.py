"""Cross-validation in blocks: nothing leaks."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from reproductions.epochs.blocks import BlockCrossValidation, BlockSplit

from properly.errors import DataError

# Blocks, validation, test, gap, window, step, samples of a block at least, samples left over.
SETTINGS = list(
    product((3, 5, 10), (0.1, 0.2), (0.3, 0.5), (0, 1, 4), (1, 3), (1, 2, 5), (5, 8), (0, 2))
)


def all_settings() -> list[tuple[BlockCrossValidation, int]]:
    found = []
    for blocks, validation, test, gap, window, step, size, rest in SETTINGS:
        known: Any = {"validation": validation, "test": test, "gap": gap}
        cv = BlockCrossValidation(blocks, **known, window=window, step=step)
        found.append((cv, blocks * size + rest))
    return found


def block_of_samples(cv: BlockCrossValidation, n: int) -> Any:
    """Number the block of each sample as numpy would split them."""
    parts = np.array_split(np.arange(n), cv.blocks)
    return np.repeat(np.arange(cv.blocks), [len(part) for part in parts])


def samples_of(starts: Any, cv: BlockCrossValidation) -> set[int]:
    return {int(s) + k for s in starts for k in range(cv.window)}


def splits_or_none(cv: BlockCrossValidation, n: int) -> list[BlockSplit] | None:
    """Take all splits, or None where the gap leaves nothing."""
    try:
        return list(cv.splits(n))
    except DataError as refused:
        assert "each split must have a window to" in str(refused)  # noqa: PT017
        assert cv.gap > 0
        return None


def test_splits_are_those_written_out_by_hand() -> None:
    cv = BlockCrossValidation(5, validation=0.2, test=0.4, window=2)
    found = [[part.tolist() for part in split] for split in cv.splits(15)]
    assert found == [
        [[9, 10, 12, 13], [0, 1], [3, 4, 6, 7]],
        [[0, 1, 12, 13], [3, 4], [6, 7, 9, 10]],
        [[0, 1, 3, 4], [6, 7], [9, 10, 12, 13]],
    ]


def test_train_validation_and_test_share_no_sample() -> None:
    for cv, n in all_settings():
        for split in splits_or_none(cv, n) or []:
            train, validation, test = (samples_of(starts, cv) for starts in split)
            assert not train & validation
            assert not train & test
            assert not validation & test


def test_a_gap_is_kept_from_whole_blocks() -> None:
    gaps = 0
    for cv, n in all_settings():
        block = block_of_samples(cv, n)
        for i, split in enumerate(splits_or_none(cv, n) or []):
            middle = i + cv.validation_blocks
            held = (block >= i) & (block < middle + cv.test_blocks)
            tested = held & (block >= middle)
            for starts, kept in ((split.train, held), (split.validation, tested)):
                mine = np.array(sorted(samples_of(starts, cv)))
                nearest = np.abs(mine[:, None] - np.flatnonzero(kept)).min()
                assert nearest > cv.gap
                gaps += cv.gap > 0
    assert gaps > 500


@pytest.mark.slow
def test_every_window_that_the_gap_allows_is_used() -> None:
    for cv, n in all_settings():
        block = block_of_samples(cv, n)
        edge = np.searchsorted(block, np.arange(cv.blocks))
        windows = [
            s
            for s in range(n - cv.window + 1)
            if block[s] == block[s + cv.window - 1] and (s - edge[block[s]]) % cv.step == 0
        ]
        for i, split in enumerate(splits_or_none(cv, n) or []):
            middle = i + cv.validation_blocks
            last = middle + cv.test_blocks
            held, tested = ((block >= k) & (block < last) for k in (i, middle))

            def far(start: int, kept: Any, cv: BlockCrossValidation = cv) -> bool:
                near = slice(max(start - cv.gap, 0), start + cv.window + cv.gap)
                return not kept[near].any()

            assert split.train.tolist() == [s for s in windows if far(s, held)]
            assert split.validation.tolist() == [
                s for s in windows if i <= block[s] < middle and far(s, tested)
            ]
            assert split.test.tolist() == [s for s in windows if tested[s]]


def test_the_paper_s_shares_of_ten_blocks_make_six_whole_splits() -> None:
    cv = BlockCrossValidation()
    assert (cv.validation_blocks, cv.test_blocks) == (2, 3)
    assert len(cv) == cv.count == len(list(cv.splits(100))) == 6
    for split in cv.splits(100):
        assert [len(part) for part in split] == [50, 20, 30]


def test_several_series_are_split_each_by_itself() -> None:
    cv = BlockCrossValidation(4, validation=0.25, test=0.25, gap=1, window=2)
    lengths = [17, 30, 16]
    alone = [list(cv.splits(n)) for n in lengths]
    for i, split in enumerate(cv.splits(lengths)):
        for role, pairs in enumerate(split):
            assert pairs.shape[1] == 2
            for k in range(3):
                mine = pairs[pairs[:, 0] == k, 1]
                np.testing.assert_array_equal(mine, alone[k][i][role])
    (one,) = {split.test.shape[1] for split in cv.splits([40])}
    assert one == 2


def test_a_short_series_may_lose_all_windows_if_another_has_some() -> None:
    cv = BlockCrossValidation(3, validation=0.3, test=0.3, gap=4)
    with pytest.raises(DataError, match="has none, with a gap of 4 samples"):
        cv.splits(12)
    split = next(cv.splits([12, 60]))
    assert set(split.train[:, 0]) == {1}
