"""The tally of a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properly.counts._tally import snapped
from properly.engines._counts import Counts
from properly.engines._pooling import pool_cells, pool_values

if TYPE_CHECKING:
    from properly.counts._tally import Tally
    from properly.engines._rows import Rows
    from properly.typing import ArrayLike


def tally_frame(rows: Rows, cells: int | None, snap: float | ArrayLike | None) -> Tally:
    """Count the forecasts of the first model, as they are, moved to a grid, or in cells."""
    if cells is not None and snap is None:
        return Counts.of_cells(cells, *pool_cells(rows, "p0", cells).by_cell()).tally()
    tally = pool_values(rows, "p0").tally(np.float32 if "p0" in rows.narrow else np.float64)
    if snap is not None:
        tally = snapped(tally, snap)
    return tally if cells is None else tally.group(cells)
