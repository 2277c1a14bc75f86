"""Going over long columns in pieces."""

import numpy as np
import pytest

from properly._sweep import MANY, PIECE, sweep


@pytest.mark.parametrize("rows", [1, PIECE, PIECE + 1, MANY * PIECE + 7])
def test_pieces_cover_every_row_once_and_in_order(rows: int) -> None:
    x = np.arange(rows)
    pieces = sweep(lambda a, b: (a, b), x, -x)
    np.testing.assert_array_equal(np.concatenate([a for a, _ in pieces]), x)
    np.testing.assert_array_equal(np.concatenate([b for _, b in pieces]), -x)


def test_an_error_in_a_piece_reaches_the_caller() -> None:
    def divide(x: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
        return 1 // int(x.min())

    with pytest.raises(ZeroDivisionError):
        sweep(divide, np.zeros(MANY * PIECE, dtype=np.int64))
