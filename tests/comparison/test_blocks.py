"""Cross-validation in blocks: nothing leaks."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from tests.examples import examples

from properly.comparison import BlockCrossValidation, BlockSplit
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


@pytest.mark.slow
def test_no_window_crosses_a_block_and_all_lie_in_the_series() -> None:
    checked = 0
    for cv, n in all_settings():
        block = block_of_samples(cv, n)
        for split in splits_or_none(cv, n) or []:
            for starts in split:
                assert starts.min() >= 0
                assert starts.max() + cv.window <= n
                np.testing.assert_array_equal(block[starts], block[starts + cv.window - 1])
                checked += len(starts)
    assert checked > 10_000


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


@examples(100)
@given(st.integers(3, 40), st.integers(1, 400))
def test_blocks_are_as_equal_as_numpy_makes_them(blocks: int, more: int) -> None:
    n = blocks + more
    cv = BlockCrossValidation(blocks, validation=1 / blocks, test=1 / blocks)
    sizes = [len(part) for part in np.array_split(np.arange(n), blocks)]
    splits = list(cv.splits(n))
    assert [len(split.validation) for split in splits] == sizes[:-1]
    assert [len(split.test) for split in splits] == sizes[1:]
    assert max(sizes) - min(sizes) <= 1


def test_shares_are_rounded_down_to_whole_blocks_whatever_their_last_bit() -> None:
    for blocks in range(3, 101):
        for k in range(1, blocks - 1):
            cv = BlockCrossValidation(blocks, validation=k / blocks, test=1 / blocks)
            assert (cv.validation_blocks, cv.test_blocks) == (k, 1)
        cv = BlockCrossValidation(blocks, validation=0.001, test=1.999 / blocks)
        assert (cv.validation_blocks, cv.test_blocks) == (1, 1)


def test_the_paper_s_shares_of_ten_blocks_make_six_whole_splits() -> None:
    cv = BlockCrossValidation()
    assert (cv.validation_blocks, cv.test_blocks) == (2, 3)
    assert len(cv) == cv.count == cv.get_n_splits() == len(list(cv.splits(100))) == 6
    for split in cv.splits(100):
        assert [len(part) for part in split] == [50, 20, 30]


def test_a_window_as_long_as_a_block_is_the_block() -> None:
    cv = BlockCrossValidation(4, validation=0.25, test=0.25, window=5)
    split = next(cv.splits(20))
    assert [part.tolist() for part in split] == [[10, 15], [0], [5]]


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


def test_it_is_checked_before_the_first_split_is_asked_for() -> None:
    with pytest.raises(DataError, match="each block must hold a window"):
        BlockCrossValidation(window=5).splits(40)
    with pytest.raises(DataError, match="window must be 1"):
        BlockCrossValidation(window=2).split(np.zeros((40, 1)))


def test_equal_settings_are_equal_and_frozen() -> None:
    cv = BlockCrossValidation(4, test=0.25)
    assert cv == BlockCrossValidation(4, test=0.25)
    assert hash(cv) == hash(BlockCrossValidation(4, test=0.25))
    assert repr(cv) == (
        "BlockCrossValidation(blocks=4, validation=0.2, test=0.25, gap=0, window=1, step=1)"
    )
    with pytest.raises(AttributeError, match="cannot assign"):
        cv.blocks = 3  # type: ignore[misc]


def test_scikit_learn_trains_on_validation_too_and_keeps_the_gap() -> None:
    cv = BlockCrossValidation(10, gap=3)
    X = np.zeros((103, 2))
    for (train, test), split in zip(cv.split(X), cv.splits(103), strict=True):
        np.testing.assert_array_equal(test, split.test)
        assert set(train) >= set(split.train) | set(split.validation)
        far = np.abs(np.arange(103)[:, None] - test).min(axis=1) > 3
        np.testing.assert_array_equal(train, np.flatnonzero(far))


def test_rows_of_series_may_be_mixed() -> None:
    cv = BlockCrossValidation(4, validation=0.25, test=0.25, gap=1)
    rng = np.random.default_rng(3)
    groups = rng.permutation(np.repeat(["a", "b"], [24, 40]))
    place = {name: np.flatnonzero(groups == name) for name in "ab"}
    alone = {name: list(cv.split(np.zeros(len(rows)))) for name, rows in place.items()}
    for i, (train, test) in enumerate(cv.split(np.zeros(64), groups=groups)):
        for found, role in ((train, 0), (test, 1)):
            expected = np.concatenate([place[name][alone[name][i][role]] for name in "ab"])
            np.testing.assert_array_equal(found, np.sort(expected))


def test_steps_thin_out_rows() -> None:
    cv = BlockCrossValidation(3, validation=0.3, test=0.3, step=2)
    train, test = next(cv.split(np.zeros(12)))
    assert (train.tolist(), test.tolist()) == ([0, 2, 8, 10], [4, 6])


@pytest.mark.parametrize("make", [np.asarray, list, pl.Series, tuple])
def test_groups_and_rows_may_be_of_any_kind(make: Any) -> None:
    cv = BlockCrossValidation(3, validation=0.3, test=0.3)
    X = np.arange(24).reshape(12, 2)
    groups = make([0] * 6 + [1] * 6)
    expected = [[part.tolist() for part in pair] for pair in cv.split(X)]
    for rows in (X, X.tolist(), pl.DataFrame(X)):
        assert [[part.tolist() for part in pair] for pair in cv.split(rows)] == expected
        train, test = next(cv.split(rows, groups=groups))
        assert (train.tolist(), test.tolist()) == ([0, 1, 4, 5, 6, 7, 10, 11], [2, 3, 8, 9])


def test_scikit_learn_cross_validates_with_it() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    y = rng.random(200) < 1 / (1 + np.exp(-2 * X[:, 0]))
    cv = BlockCrossValidation(8, validation=0.125, test=0.25, gap=2)
    found = cross_validate(
        LogisticRegression(), X, y, cv=cv, scoring="neg_log_loss", return_indices=True
    )
    assert len(found["test_score"]) == len(cv) == 6
    assert np.all(found["test_score"] > np.log(0.5))
    for train, test in zip(found["indices"]["train"], found["indices"]["test"], strict=True):
        assert np.abs(train[:, None] - test).min() > 2
    groups = np.repeat([0, 1], [104, 96])
    grouped = cross_validate(LogisticRegression(), X, y, cv=cv, groups=groups, return_indices=True)
    assert all(
        set(groups[test]) == {0, 1} and len(test) == 50 for test in grouped["indices"]["test"]
    )
    search = GridSearchCV(DummyClassifier(), {"strategy": ["prior", "uniform"]}, cv=cv)
    assert search.fit(X, y).n_splits_ == 6
