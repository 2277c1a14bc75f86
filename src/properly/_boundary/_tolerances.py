"""Tolerances: how far apart two numbers may be that count as one, each with its reason."""

from __future__ import annotations

# Probabilities of a row, priors and shares are written with six digits, or held in single
# precision: their sums are off 1 by that much.
UNIT_SUM = 1e-6
# Nobody tells two forecasts, or marks in a picture, apart by less, relative to them. This is far
# above what arithmetic on decimals loses, 0.1 + 0.2 or numpy.arange(0, 1, 0.01), and below the
# steps of any grid.
SAME_FORECAST = 1e-9
# Sums of doubles, added in any order of rows, batches, threads and engines, agree to this.
SAME_SUM = 1e-12
# A variance or a difference this small, relative to the squares or sums that it was computed from,
# is what their rounding left: it counts as 0. (About fifty units in the last place.)
CANCELLED = 1e-14
