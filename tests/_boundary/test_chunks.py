"""Going over long columns in pieces."""

import threading
from concurrent.futures import CancelledError
from typing import Any

import numpy as np
import pytest

from properly._boundary import _chunks as chunks
from properly._boundary._interrupts import checkpoint


@pytest.mark.parametrize(
    "rows", [1, chunks.PIECE, chunks.PIECE + 1, chunks.MANY * chunks.PIECE + 7]
)
def test_pieces_cover_every_row_once_and_in_order(rows: int) -> None:
    x = np.arange(rows)
    pieces = chunks.sweep(lambda a, b: (a, b), x, -x)
    np.testing.assert_array_equal(np.concatenate([a for a, _ in pieces]), x)
    np.testing.assert_array_equal(np.concatenate([b for _, b in pieces]), -x)


def test_an_error_in_a_piece_reaches_the_caller() -> None:
    def divide(x: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
        return 1 // int(x.min())

    with pytest.raises(ZeroDivisionError):
        chunks.sweep(divide, np.zeros(chunks.MANY * chunks.PIECE, dtype=np.int64))


@pytest.mark.parametrize("count", [0, 1, chunks.MANY - 1, chunks.MANY, 50])
def test_shares_of_work_come_back_in_their_order(count: int) -> None:
    pieces = [f"piece {i}" for i in range(count)]
    assert chunks.share_out(str.upper, pieces) == [piece.upper() for piece in pieces]


def test_few_shares_are_not_worth_a_thread_and_many_are() -> None:
    def thread(_: int) -> int:
        return threading.get_ident()

    here = threading.get_ident()
    assert chunks.share_out(thread, list(range(chunks.MANY - 1))) == [here] * (chunks.MANY - 1)
    assert here not in chunks.share_out(thread, list(range(chunks.MANY)))


def test_an_error_in_a_share_reaches_the_caller() -> None:
    for count in (chunks.MANY - 1, chunks.MANY + 2):
        with pytest.raises(ZeroDivisionError):
            chunks.share_out(lambda divisor: 1 // divisor, list(range(count)))


@pytest.mark.parametrize("rows", [0, 5, chunks.FEW, chunks.FEW + 3])
def test_pieces_that_are_spread_are_all_done_once(rows: int) -> None:
    x = np.arange(rows)
    found = np.zeros(rows, dtype=np.int64)

    def add(a: Any, b: Any) -> None:
        b += a

    chunks.spread(add, x, found)
    np.testing.assert_array_equal(found, x)


def test_an_error_on_a_kept_thread_is_raised() -> None:
    def divide(x: Any) -> None:
        raise ZeroDivisionError(len(x))

    with pytest.raises(ZeroDivisionError):
        chunks.spread(divide, np.zeros(chunks.FEW))


def test_threads_are_kept_as_many_as_were_asked_for() -> None:
    assert chunks.kept_threads(2) is chunks.kept_threads(2)
    assert chunks.kept_threads(2) is not chunks.kept_threads(3)


def test_work_on_all_kept_threads_may_go_over_long_columns() -> None:
    x, count = np.arange(2.0 * chunks.MANY * chunks.PIECE), chunks._few_threads()
    pool = chunks.kept_threads(count)
    found = [pool.submit(lambda: sum(chunks.sweep(np.sum, x))) for _ in range(2 * count)]
    assert {float(each.result(timeout=60)) for each in found} == {float(x.sum())}


def test_pieces_are_the_same_for_whoever_shares_work_out() -> None:
    x = np.random.default_rng(1).random(5 * chunks.PIECE + 3)
    alone = chunks.sweep(np.sum, x)
    assert chunks.share_out(lambda _: chunks.sweep(np.sum, x), [0, 1], 2) == [alone, alone]


def test_an_error_of_one_piece_stops_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("properly._boundary._chunks._few_threads", lambda: 2)
    has_begun = threading.Event()
    ends: list[str] = []

    def work(piece: int) -> None:
        if piece == 0:
            has_begun.wait(20)
            raise ZeroDivisionError
        has_begun.set()
        try:
            while True:
                checkpoint()
        except CancelledError:
            ends.append("stopped")
            raise

    with pytest.raises(ZeroDivisionError):
        chunks.share_out(work, range(2), 2)
    assert ends == ["stopped"]
